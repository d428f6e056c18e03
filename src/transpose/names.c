// transpose/names.c - template arguments of transposes
// uses: api/lists.h, core/system.c, core/text.c, core/spelling.c

GPUPRIMS__PRIVATE void gp__name_tiles(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %d, %d, %d, %s", q->size, q->word, q->form, q->algorithm == GP_SWIZZLED_TILES ? "true" : "false");
}
GPUPRIMS__PRIVATE void gp__name_rectangle(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %d, %d", q->size, q->word);
}
GPUPRIMS__PRIVATE void gp__name_panels(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %d, %d, %d", q->size, q->word, q->form);
}
GPUPRIMS__PRIVATE void gp__name_word(const gp__spelling *q, gp__text *t) { gp__add(t, ", %d", q->word); }
