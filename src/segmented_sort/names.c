// segmented_sort/names.c - template arguments of segmented sorts
// uses: api/policy.h, core/rules.h, core/shape.h, segmented_sort/policy.h, core/geometry.h, core/text.c,
//   core/request.c, host/values.c, core/names.c, core/kinds.c, core/spelling.c, core/kernel_names.c

GP__HOST void gp__name_sorted_segments(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, ", gp__key_name(q));
  if (!q->out_size) gp__add(t, "gp__no_values, ");
  else
    gp__add(t, "%s<%s>, ",
        q->in_size ? "gp__value_array"
            : q->form ? "gp__value_place"
            : "gp__value_index",
        gp__out_name(q));
  gp__add(t, q->indexed ? "true" : "false");
  if (q->kind != GP__SEGMENTS_MIDDLE)
    gp__add(t, ", %s", gp__type_rows[q->offset_size ? q->offset_type : GP_U32].device);
}
GP__HOST void gp__spell_segmented_sort(const gp__request *q, const gp_policy *p, gp__form h, gp__spelling *w) {
  (void)p;
  w->form = q->in_segments;
  w->indexed = gp__sort_indexed(h);
}

GP__HOST unsigned gp__threads_of_segments_kernel(const gp_policy *p, gp__form h, gp__kernel_kind kind) {
  return kind == GP__SEGMENTS_LONG ? (unsigned)gp__long_threads_of(*p, h) : 0;
}
GP__HOST void gp__block_of_segments_kernel(gp_policy p, gp__form h, gp__kernel_kind kind, gp__geometry *g) {
  if (kind != GP__SEGMENTS_BEGIN)
    g->shared_bytes =
        (unsigned)(kind == GP__SEGMENTS_LONG ? gp__long_shared_bytes(p, h) : gp__short_shared_bytes(p, h));
}
// Threads a multiprocessor of kernels that sort by warps: as many as have registers for it.
GP__HOST unsigned gp__short_threads(const gp__spelling *w) {
  const int bytes = gp__sort_item_bytes(w->key_size, w->indexed);
  return bytes == 4 && w->kind == GP__SEGMENTS_SHORT ? 1024 : bytes <= 8 ? 768 : 512;
}
// Blocks that hold indexed items, or words that fill 32 registers, need 128 of them. They promise as many blocks as
// have them, one at least: a compiler that is told nothing would spill to fit another.
GP__HOST unsigned gp__resident_segments(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  const unsigned blocks = (unsigned)p->blocks_per_sm, threads = w->block_threads;
  const int bytes = gp__sort_item_bytes(w->key_size, w->indexed);
  const int items = gp__long_items(p->vectors, bytes, w->indexed), many = items * bytes >= 128;
  (void)h;
  if (w->kind != GP__SEGMENTS_LONG) return gp__promise(q, w, gp__short_threads(w) / threads, 1024);
  if (many || (w->indexed && items >= 16)) return threads >= 512 ? 1 : blocks < 512 / threads ? blocks : 512 / threads;
  return gp__promise(q, w, blocks, 1024);
}
