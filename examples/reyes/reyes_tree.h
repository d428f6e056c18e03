// Written by python3 -m tools.farm layouts --application, for reyes. Do not edit.
// Measured on NVIDIA H200.
// tools/gp_tune_tree.h, which is to be included before, reads it.
// clang-format off
#define REYES_POINT 0
#define REYES_SAMPLE 1
#define REYES_PIXEL 2
#define REYES_DICE_SHADE_CONTROL 3
#define REYES_DICE_SHADE_VERTEX 4
#define REYES_BOUND_SPLIT_PREFER 5
#define REYES_COMPACT_PREFER 6
#define REYES_DICE_SHADE_PREFER 7
#define REYES_PAINT_PREFER 8
#define REYES_FIELDS 9
static const char *const reyes_trees_feature[] = {"samples"};
static const char *const reyes_trees_name[] = {
  "Point", "Sample", "Pixel", "dice_shade.Control", "dice_shade.Vertex", "bound_split.prefer",
  "compact.prefer", "dice_shade.prefer", "paint.prefer",
};
static const uint64_t reyes_trees_usual[] = {
  1u, 1u, 1u, 1u, 1u, 0u, 0u, 0u, 0u,
};
static const uint64_t reyes_trees_0_node[] = {
  1u, 0u,
};
static const uint64_t reyes_trees_0_leaf[] = {
  0u, 2u,
};
static const uint64_t reyes_trees_0_row[] = {
  0x8000000000000001ull, 1u, 0u, 1u, 0u, 1u, 0u, 1u, 1u, 1u, 1u, 1u, 1u, 1u, 0u, 0u, 1u, 1u,
};
static const gp_tune_features reyes_trees_tree[] = {
  {"NVIDIA H200", 90, reyes_trees_0_node, reyes_trees_0_leaf, reyes_trees_0_row},
};
static const gp_tune_trees reyes_trees = {"reyes", 1, 9, 1,
  reyes_trees_feature, reyes_trees_name, reyes_trees_usual, reyes_trees_tree};
