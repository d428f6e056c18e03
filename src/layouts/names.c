// layouts/names.c - template arguments of conversions of layouts
// uses: core/system.c, core/text.c, core/spelling.c

// A tile, what a thread takes of it, both sides, and what moves.
GPUPRIMS__PRIVATE void gp__name_layouts(const gp__spelling *q, gp__text *t) {
  int i;
  gp__add(t, ", %d, %d, gp__side<%d, %d>, gp__side<%d, %d>", q->tile, q->chunk, q->in_side, q->in_size, q->out_side,
          q->out_size);
  for (i = 0; i < (int)q->list_count; ++i)
    gp__add(t, ", gp__moved<%d, %d, %d>", (int)(q->list[i] & 0xffff), (int)(q->list[i] >> 16 & 0xffff) - 1,
            (int)(q->list[i] >> 32) - 1);
}
