// segmented_sort/names.c - template arguments of segmented sorts
// uses: core/shape.h, segmented_sort/policy.h, core/system.c, core/text.c, core/request.c, core/spelling.c,
//   core/kernel_names.c

GPUPRIMS__PRIVATE void gp__name_sorted_segments(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, ", gp__key_name(q));
  if (!q->out_size) gp__add(t, "gp__no_values, ");
  else gp__add(t, "%s<%s>, ", q->in_size ? "gp__value_array" : "gp__value_index", gp__out_name(q));
  gp__add(t, q->placed ? "true" : "false");
  if (q->kind == GP__SEGMENTS_SHORT) gp__add(t, ", %s", gp__offset_name(q));
}
GPUPRIMS__PRIVATE void gp__spell_segmented_sort(const gp__request *q, const gp__shape *h, gp__spelling *w) {
  (void)q;
  w->placed = gp__sort_placed(*h);
}
