// layout_examples.h - for test_layout_examples.cpp: the kernels of examples/layouts for several values of WIDTH, each
// in its own namespace.
#define ROWS_LAYOUT WIDTH
#define BOXES_LAYOUT WIDTH

#define TILE_LAYOUT 1
namespace BITONIC_NAMESPACE {
#include "examples/layouts/bitonic.cuh"
static int added = add_bitonic(ROWS_LAYOUT, TILE_LAYOUT, EMULATED(bitonic_round)) +
    add_bitonic(ROWS_LAYOUT, TILE_LAYOUT, EMULATED(bitonic_tiles));
} // namespace BITONIC_NAMESPACE
#undef TILE_LAYOUT

#define TILE_LAYOUT 0
namespace BITONIC_NAMESPACE {
#include "examples/layouts/bitonic.cuh"
static int added = add_bitonic(ROWS_LAYOUT, TILE_LAYOUT, EMULATED(bitonic_round)) +
    add_bitonic(ROWS_LAYOUT, TILE_LAYOUT, EMULATED(bitonic_tiles));
} // namespace BITONIC_NAMESPACE
#undef TILE_LAYOUT

#define TILE_LAYOUT 32
namespace BITONIC_NAMESPACE {
#include "examples/layouts/bitonic.cuh"
static int added = add_bitonic(ROWS_LAYOUT, TILE_LAYOUT, EMULATED(bitonic_round)) +
    add_bitonic(ROWS_LAYOUT, TILE_LAYOUT, EMULATED(bitonic_tiles));
} // namespace BITONIC_NAMESPACE
#undef TILE_LAYOUT

#define KD_COUNTERS 0
#define KD_ORDER 0
namespace KD_TREE_NAMESPACE {
#include "examples/layouts/kd_tree.cuh"
static int added = add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_bin)) +
    add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_costs));
} // namespace KD_TREE_NAMESPACE
#undef KD_COUNTERS
#undef KD_ORDER

#define KD_COUNTERS 0
#define KD_ORDER 1
namespace KD_TREE_NAMESPACE {
#include "examples/layouts/kd_tree.cuh"
static int added = add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_bin)) +
    add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_costs));
} // namespace KD_TREE_NAMESPACE
#undef KD_COUNTERS
#undef KD_ORDER

#define KD_COUNTERS 1
#define KD_ORDER 0
namespace KD_TREE_NAMESPACE {
#include "examples/layouts/kd_tree.cuh"
static int added = add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_bin)) +
    add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_costs));
} // namespace KD_TREE_NAMESPACE
#undef KD_COUNTERS
#undef KD_ORDER

#define KD_COUNTERS 1
#define KD_ORDER 1
namespace KD_TREE_NAMESPACE {
#include "examples/layouts/kd_tree.cuh"
static int added = add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_bin)) +
    add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_costs));
} // namespace KD_TREE_NAMESPACE
#undef KD_COUNTERS
#undef KD_ORDER

#define KD_COUNTERS 2
#define KD_ORDER 0
namespace KD_TREE_NAMESPACE {
#include "examples/layouts/kd_tree.cuh"
static int added = add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_bin)) +
    add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_costs));
} // namespace KD_TREE_NAMESPACE
#undef KD_COUNTERS
#undef KD_ORDER

#define KD_COUNTERS 2
#define KD_ORDER 1
namespace KD_TREE_NAMESPACE {
#include "examples/layouts/kd_tree.cuh"
static int added = add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_bin)) +
    add_kd_tree(WIDTH, KD_COUNTERS, KD_ORDER, EMULATED(kd_costs));
} // namespace KD_TREE_NAMESPACE
#undef KD_COUNTERS
#undef KD_ORDER

#undef ROWS_LAYOUT
#undef BOXES_LAYOUT
#undef WIDTH
