// layouts/names.c - template arguments of conversions of layouts
// uses: api/config.h, api/policy.h, core/rules.h, core/shape.h, layouts/policy.h, core/text.c, core/request.c,
//   layouts/host.c, core/spelling.c

// Names a tile, a thread's chunk, both sides, and the moved fields.
GP__HOST void gp__name_layouts(const gp__spelling *q, gp__text *t) {
  int i;
  gp__add(t, ", %d, %d, gp__side<%d, %d>, gp__side<%d, %d>", q->tile, q->chunk, q->in_side, q->in_size, q->out_side,
      q->out_size);
  for (i = 0; i < (int)q->list_count; ++i)
    gp__add(t, ", gp__moved<%d, %d, %d>", (int)(q->list[i] & 0xffff), (int)(q->list[i] >> 16 & 0xffff) - 1,
        (int)(q->list[i] >> 32) - 1);
}

// A conversion is spelled by the fields that it moves.
GP__HOST void gp__spell_layouts(const gp__request *q, const gp_policy *p, gp__form h, gp__spelling *w) {
  const int staged = gp__layout_staged(*p, h);
  gp__layout_entry entry[GP__LAYOUT_ENTRIES];
  const int count = gp__layout_entries(q, entry);
  int i;
  w->tile = gp__layout_tile(*p, h);
  w->chunk = staged ? h->layout.chunk : 0;
  w->in_side = !staged ? 0 : h->layout.in_width <= (unsigned)w->tile ? (int)h->layout.in_width : -1;
  w->out_side = !staged ? 0 : h->layout.out_width <= (unsigned)w->tile ? (int)h->layout.out_width : -1;
  for (i = 0; i < count; ++i)
    w->list[i] = (uint64_t)entry[i].size | (uint64_t)(entry[i].in + 1) << 16 | (uint64_t)(entry[i].out + 1) << 32;
  w->list_count = (uint64_t)count;
}
// As many blocks as leave registers for a thread's chunk.
GP__HOST unsigned gp__resident_layouts(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  const int bytes = h->layout.chunk * gp__max(h->in_size, h->out_size);
  const unsigned room = bytes <= 64 ? 1024 : bytes <= 128 ? 768 : 512;
  (void)q, (void)p;
  if (w->kind != GP__CONVERT_LAYOUT) return 0;
  return room > w->block_threads ? room / w->block_threads : 1;
}
