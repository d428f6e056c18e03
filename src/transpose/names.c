// transpose/names.c - template arguments of transposes
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, transpose/policy.h, transpose/panels_policy.h,
//   core/geometry.h, transpose/geometry.h, core/text.c, core/request.c, core/kinds.c, core/spelling.c

GP__HOST void gp__name_tiles(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %d, %d, %d", q->size, q->word, q->form);
}
GP__HOST void gp__name_rectangle(const gp__spelling *q, gp__text *t) { gp__add(t, ", %d, %d", q->size, q->word); }
GP__HOST void gp__name_word(const gp__spelling *q, gp__text *t) { gp__add(t, ", %d", q->word); }

GP__HOST gp_policy gp__policy_of_transpose_kernel(gp_policy p, gp__form h, gp__kernel_kind kind) {
  (void)h;
  if (p.algorithm == GP_ROUND_TRIP && kind == GP__COPY) p.vectors = 1; // more vectors copy slower
  return p;
}
GP__HOST unsigned gp__threads_of_transpose_kernel(const gp_policy *p, gp__form h, gp__kernel_kind kind) {
  return kind == GP__TRANSPOSE_BUFFERED ? (unsigned)gp__buffered_threads(*p, h->key_size) : 0;
}
GP__HOST void gp__block_of_transpose_kernel(gp_policy p, gp__form h, gp__kernel_kind kind, gp__geometry *g) {
  (void)p;
  if (kind == GP__TRANSPOSE_WITHIN) g->shared_bytes = gp__rectangle_plan_of(h, 1).shared_bytes;
}
// Threads of a transpose that a multiprocessor should hold: as many as have registers for tiles.
GP__HOST unsigned gp__transpose_threads(const gp__spelling *w) {
  const gp__kernel_kind kind = w->kind;
  const int aligned = (w->form & 3) == 3;
  const int moved =
      kind == GP__TRANSPOSE_ROWS || kind == GP__TRANSPOSE_COLUMNS || kind == GP__TRANSPOSE_WITHIN || kind == GP__COPY;
  const int light = moved || kind == GP__TRANSPOSE_SAVE ||
      (kind != GP__TRANSPOSE_CHUNKS && kind != GP__TRANSPOSE_BUFFERED && aligned && !(w->form & GP__FORM_WHOLE) &&
          (w->size <= 2 ? kind != GP__TRANSPOSE_SQUARE : w->word >= 4));
  const int bytes = w->size == 1 && !(w->form & (GP__FORM_IN_ALIGNED | GP__FORM_WHOLE)); // shifted
  if (kind == GP__TRANSPOSE && (w->form & GP__FORM_FEW))
    return w->vectors > 4 || (w->size <= 2 && !(w->form & GP__FORM_IN_ALIGNED)) ? 1024 : 1280;
  if (kind == GP__TRANSPOSE_BUFFERED) return w->vectors > 4 ? 768 : 1024; // and a leading warp of each block
  if (kind == GP__TRANSPOSE && w->size <= 2 && w->vectors > 4 && w->threads == 512) return 1024; // gathered
  return w->vectors > 4 || bytes ? 768
      : light ? 1536
      : aligned || w->word > 1 || kind != GP__TRANSPOSE_SQUARE ? 1024
      : 768;
}
GP__HOST unsigned gp__resident_transposes(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  (void)p, (void)h;
  return gp__promise(q, w, gp__transpose_threads(w) / w->block_threads, 2048);
}
