// Written by python3 -m tools.farm layouts examples/tuned_layouts.cuh. Do not edit.
// Nothing was measured: the defaults at all sizes.
// tools/gp_tune_tree.h, which is to be included before, reads it.
// clang-format off
#define STEP_GP_LAYOUT_PARTICLE 0
#define STEP_GP_LAYOUT_BODY 1
#define STEP_STEP_THREADS 2
#define STEP_FIELDS 3
static const char *const step_tree_name[] = {
  "GP_LAYOUT_Particle",
  "GP_LAYOUT_Body",
  "STEP_THREADS",
};
static const uint64_t step_tree_usual[] = {
  1u, 1u, 256u,
};
static const gp_tune_tree step_tree = {"step", 3, 0, step_tree_name, step_tree_usual, 0};
