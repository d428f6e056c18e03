// segmented_sort/portable.h - portable rule of segmented sort
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, segmented_sort/policy.h, core/rows.h

static const gp__policy_row gp__segmented_sort_rows[] = {
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_SIZE_CLASSES, 256, 4, 0, 2, 22),
};
GP__HOST gp_policy gp__portable_segmented_sort(gp_policy p, gp__form s) {
  const gp__u64 longest = gp__longest_segment(s);
  const int vectors = p.vectors, threads = p.threads;
  gp_policy wide;
  int holds;
  p = GP__FILL(p, gp__segmented_sort_rows, gp__measure_keys, s, 0);
  while (!vectors && p.vectors > 1 && !gp__policy_valid_segmented_sort(p, s)) p.vectors /= 2; // little shared memory
  wide = p; // twice the threads hold what is too long for fewer, or sort it by counting
  if (!threads && (!s->offset_size || s->segments <= GP__FEW_SEGMENTS)) wide.threads *= 2;
  holds = gp__long_threads_of(p, s) * gp__long_binned_of(p, s);
  if (!holds) holds = gp__long_capacity(p, s);
  return longest > (unsigned)holds && longest <= (unsigned)gp__long_capacity(wide, s) &&
          gp__policy_valid_segmented_sort(wide, s)
      ? wide
      : p;
}
