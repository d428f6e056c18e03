// segmented_sort/portable.h - portable rule of segmented sort
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, segmented_sort/policy.h, core/rows.h

static const gp__policy_row gp__segmented_sort_rows[] = {
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_SIZE_CLASSES, 256, 4, 0, 2, 22),
};
GP__HOST gp_policy gp__portable_segmented_sort(gp_policy p, gp__shape s) {
  const int vectors = p.vectors;
  p = GP__FILL(p, gp__segmented_sort_rows, gp__measure_keys, s, 0);
  while (!vectors && p.vectors > 1 && !gp__policy_valid_segmented_sort(p, s)) p.vectors /= 2; // little shared memory
  return p;
}
