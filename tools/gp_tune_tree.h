// gp_tune_tree.h - evaluates, at run time, the decision trees that `python3 -m tools.farm layouts --header FILE.h`
// writes: a kernel's array layouts and other fields for a problem size.
//
//     #include "gp_tune_tree.h"
//     #include "step_tree.h"                                      // step_tree, STEP_FIELDS, STEP_GP_LAYOUT_PARTICLE
//     uint64_t fixed[STEP_FIELDS], values[STEP_FIELDS];
//     gp_tune_nothing_fixed(&step_tree, fixed);
//     fixed[STEP_GP_LAYOUT_PARTICLE] = gp_tune_fixed(&particles); // its layout, once it has memory
//     gp_tune_choose(&step_tree, n, fixed, values);
//     gp_array_relayout(&particles, values[STEP_GP_LAYOUT_PARTICLE]);
//     ... compile the kernel with the options that gp_tune_option writes, one a field
//
// Written data fixes the layout of global memory (see gp_array_relayout): a later kernel takes the array's layout as
// given, and chooses the best of the rest. Free fields have their defaults, the baseline of the measurements, outside
// the measured sizes, without a confirmed gain, and with an unmeasured fixed layout.
#ifndef GP_TUNE_TREE_H
#define GP_TUNE_TREE_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gpuprims.h"

// Leaves in order of size; in a leaf the best choice first, then the best ones for other global layouts.
typedef struct gp_tune_tree {
  const char *kernel;
  int fields, rows;
  const char *const *name; // of the fields
  const uint64_t *usual;   // their defaults; a negative number is its two's complement
  const uint64_t *row;     // rows of 2 + fields numbers: first and last size, the fields' values
} gp_tune_tree;

static inline void gp_tune_nothing_fixed(const gp_tune_tree *tree, uint64_t *fixed) {
  int i;
  for (i = 0; i < tree->fields; i++) fixed[i] = GP_ANY_LAYOUT;
}

// The layout of an array that has memory; GP_ANY_LAYOUT for others.
static inline uint64_t gp_tune_fixed(const gp_array *array) { return array->base ? array->layout : GP_ANY_LAYOUT; }

// The fields' values at size n. fixed: NULL, or for each field a required value or GP_ANY_LAYOUT. Returns 1 for
// measured values, 0 for defaults of the free fields.
static inline int gp_tune_choose(const gp_tune_tree *tree, uint64_t n, const uint64_t *fixed, uint64_t *values) {
  const uint64_t *row = tree->row;
  int i, r;
  for (r = 0; r < tree->rows; r++, row += 2 + tree->fields) {
    if (n < row[0] || n > row[1]) continue;
    for (i = 0; i < tree->fields && (!fixed || fixed[i] == GP_ANY_LAYOUT || fixed[i] == row[2 + i]);) i++;
    if (i < tree->fields) continue;
    memcpy(values, row + 2, sizeof *values * (size_t)tree->fields);
    return 1;
  }
  for (i = 0; i < tree->fields; i++) values[i] = fixed && fixed[i] != GP_ANY_LAYOUT ? fixed[i] : tree->usual[i];
  return 0;
}

// The option of field number `field` for a compiler, nvcc or NVRTC. Returns its length without the final zero, even
// where capacity is too small.
static inline size_t gp_tune_option(const gp_tune_tree *tree, const uint64_t *values, int field, char *option,
                                    size_t capacity) {
  const char *name = tree->name[field];
  const int is_layout = !strncmp(name, "GP_LAYOUT_", 10),
            length = is_layout ? snprintf(option, capacity, "-D%s=GP_USE(%" PRIu64 "ull)", name, values[field])
                               : snprintf(option, capacity, "-D%s=%" PRId64, name, (int64_t)values[field]);
  return length > 0 ? (size_t)length : 0;
}

#endif
