// layout_examples.h - for test_layout_examples.cpp: kd_tree.cuh for one place of the counters and both orders, each in
// its own namespace. Arrays say their layouts when the kernels run.
#define KD_ORDER 0
namespace KD_TREE_NAMESPACE {
#include "examples/layouts/kd_tree.cuh"
static int added =
    add_kd_tree(KD_COUNTERS, KD_ORDER, EMULATED(kd_bin)) + add_kd_tree(KD_COUNTERS, KD_ORDER, EMULATED(kd_costs));
} // namespace KD_TREE_NAMESPACE
#undef KD_ORDER
#undef KD_COUNTS

#define KD_ORDER 1
namespace KD_TREE_NAMESPACE {
#include "examples/layouts/kd_tree.cuh"
static int added =
    add_kd_tree(KD_COUNTERS, KD_ORDER, EMULATED(kd_bin)) + add_kd_tree(KD_COUNTERS, KD_ORDER, EMULATED(kd_costs));
} // namespace KD_TREE_NAMESPACE
#undef KD_ORDER
#undef KD_COUNTS
#undef KD_COUNTERS
