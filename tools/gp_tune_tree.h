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
  const uint64_t *usual; // their defaults; a negative number is its two's complement
  const uint64_t *row; // rows of 2 + fields numbers: first and last size, the fields' values
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
static inline size_t gp_tune_option(
    const gp_tune_tree *tree, const uint64_t *values, int field, char *option, size_t capacity) {
  const char *name = tree->name[field];
  const int is_layout = !strncmp(name, "GP_LAYOUT_", 10),
            length = is_layout ? snprintf(option, capacity, "-D%s=GP_USE(%" PRIu64 "ull)", name, values[field])
                : snprintf(option, capacity, "-D%s=%" PRId64, name, (int64_t)values[field]);
  return length > 0 ? (size_t)length : 0;
}

// ---- trees over several features, of an application's kernels
//
// `python3 -m tools.farm layouts --application` writes a tree for each device that was measured. Its levels are the
// features, named integers such as triangles and bins. A node has thresholds between the measured values, and a leaf
// the best values of all fields, then the best ones beside other global layouts.
//
//     #include "kd_tree_tree.h"                                   // kd_tree_trees, KD_TREE_FIELDS, KD_TREE_BOX
//     static const char *const names[] = {"triangles", "bins"};
//     int place[GP_TUNE_MOST_FEATURES];
//     gp_tune_bind(&kd_tree_trees, names, 2, place, NULL);        // once
//     const gp_tune_features *tree = gp_tune_on(&kd_tree_trees, gpu_name, 90); // once
//     const uint64_t features[] = {triangles, bins};
//     gp_tune_decide(&kd_tree_trees, tree, place, features, fixed, values);
enum { GP_TUNE_MOST_FEATURES = 8 };

// node: a node is its number of children c, c - 1 thresholds in ascending order, and c children: places in `node`, or
// in the last level numbers of leaves. leaf: first row and rows of each. row: a value a field.
typedef struct gp_tune_features {
  const char *device;
  int capability; // 90 for 9.0
  const uint64_t *node, *leaf, *row;
} gp_tune_features;

typedef struct gp_tune_trees {
  const char *application;
  int features, fields, trees;
  const char *const *feature; // names, in the order of the levels
  const char *const *name; // of the fields
  const uint64_t *usual; // their defaults
  const gp_tune_features *tree;
} gp_tune_trees;

// place[level]: the place of a level's feature among these names, -1 for a feature that the caller does not have.
// Returns the number of names that the trees do not know; *unknown (may be NULL) is the first of them, or NULL.
static inline int gp_tune_bind(
    const gp_tune_trees *trees, const char *const *names, int count, int *place, const char **unknown) {
  int strangers = 0, f, i;
  if (unknown) *unknown = NULL;
  for (f = 0; f < trees->features; f++) {
    place[f] = -1;
    for (i = 0; i < count; i++)
      if (!strcmp(trees->feature[f], names[i])) place[f] = i;
  }
  for (i = 0; i < count; i++) {
    for (f = 0; f < trees->features && strcmp(trees->feature[f], names[i]);) f++;
    if (f < trees->features) continue;
    if (!strangers++ && unknown) *unknown = names[i];
  }
  return strangers;
}

// The tree of a device; without one, that of another device of the same compute capability; otherwise NULL.
static inline const gp_tune_features *gp_tune_on(const gp_tune_trees *trees, const char *device, int capability) {
  int t;
  for (t = 0; t < trees->trees; t++)
    if (!strcmp(trees->tree[t].device, device)) return &trees->tree[t];
  for (t = 0; t < trees->trees; t++)
    if (trees->tree[t].capability == capability) return &trees->tree[t];
  return NULL;
}

// The fields' values for these features. Measured values serve beyond the measured features, too: the nearest ones.
// fixed: as for gp_tune_choose. Returns 1 for measured values, 0 for defaults of the free fields: without a tree,
// without one of its features, or where nothing was measured beside a fixed layout.
static inline int gp_tune_decide(const gp_tune_trees *trees, const gp_tune_features *tree, const int *place,
    const uint64_t *features, const uint64_t *fixed, uint64_t *values) {
  uint64_t at = 0, r;
  int f, i;
  for (f = 0; tree && f < trees->features; f++) {
    const uint64_t *node = tree->node + at;
    uint64_t low = 0, high = node[0] - 1; // the child is the number of thresholds that the feature has reached
    if (place[f] < 0) tree = NULL;
    else {
      const uint64_t feature = features[place[f]];
      while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (feature < node[1 + middle]) high = middle;
        else low = middle + 1;
      }
      at = node[node[0] + low];
    }
  }
  for (r = 0; tree && r < tree->leaf[2 * at + 1]; r++) {
    const uint64_t *row = tree->row + (tree->leaf[2 * at] + r) * (uint64_t)trees->fields;
    for (i = 0; i < trees->fields && (!fixed || fixed[i] == GP_ANY_LAYOUT || fixed[i] == row[i]);) i++;
    if (i < trees->fields) continue;
    memcpy(values, row, sizeof *values * (size_t)trees->fields);
    return 1;
  }
  for (i = 0; i < trees->fields; i++) values[i] = fixed && fixed[i] != GP_ANY_LAYOUT ? fixed[i] : trees->usual[i];
  return 0;
}

// ---- layouts that change while the program runs
//
// Another layout repays its conversion (gp_convert_layout) if its gain a call times the calls to come exceeds the
// conversion's time. Nobody knows the calls to come, unless the program does: without a number, the rule waits until
// the calls so far have lost as much as a conversion takes. So until its first conversion is repaid a program takes at
// most 2 + hysteresis times as long as one that knew the future (to convert or to stay is to buy or to rent).
//
//     gp_tune_change change = gp_tune_change_of(2, 0, convert_us, 0.25); // two layouts; the array is in number 0
//     ...
//     const double us[] = {120, 80};                                     // this call's time in each layout
//     if (gp_tune_changes(&change, us, 0)) ... convert the array to layout number change.now
enum { GP_TUNE_MOST_LAYOUTS = 8 };
typedef struct gp_tune_change {
  int layouts, now;
  double convert_us, hysteresis; // a change must repay its conversion 1 + hysteresis times
  double lost[GP_TUNE_MOST_LAYOUTS]; // what the calls since the last change took more than in another layout
} gp_tune_change;

static inline gp_tune_change gp_tune_change_of(int layouts, int now, double convert_us, double hysteresis) {
  gp_tune_change c;
  memset(&c, 0, sizeof c);
  c.layouts = layouts < GP_TUNE_MOST_LAYOUTS ? layouts : GP_TUNE_MOST_LAYOUTS;
  c.now = now, c.convert_us = convert_us, c.hysteresis = hysteresis;
  return c;
}
// us: a call's time in each layout, measured or of a tree's measurements; not above 0: unknown, and never chosen.
// calls: the number of such calls to come, 0 if it is unknown. Returns 1 if c->now changed: the array is to be
// converted to that layout.
static inline int gp_tune_changes(gp_tune_change *c, const double *us, double calls) {
  double most = c->convert_us * (1 + c->hysteresis);
  int i, best = c->now;
  for (i = 0; i < c->layouts; i++) {
    double repaid;
    if (i == c->now || !(us[i] > 0) || !(us[c->now] > 0)) continue;
    c->lost[i] += us[c->now] - us[i];
    if (c->lost[i] < 0) c->lost[i] = 0;
    repaid = calls > 0 ? (us[c->now] - us[i]) * calls : c->lost[i];
    if (repaid > most) most = repaid, best = i;
  }
  if (best == c->now) return 0;
  c->now = best;
  memset(c->lost, 0, sizeof c->lost);
  return 1;
}

#endif
