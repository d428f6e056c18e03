// reduce/portable.h - portable rule of reductions
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, core/canonical.h, core/rows.h

// CANONICAL: the order that GP_REPRODUCIBLE asks for. BYTES: sums of one byte.
enum { GP__IF_CANONICAL_REDUCE = GP__IF, GP__IF_REDUCE_BYTES = 2 * GP__IF };
static const gp__policy_row gp__reduce_rows[] = {
    GP__H200(0, -1, GP__CHOOSES | GP__IF_CANONICAL_REDUCE, 0, 0, GP_STEALING, 0, 0, 0, 0, 21),
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_EVEN_SHARE, 0, 0, 0, 0, 21),
    GP__H200(0, -1, GP__IF_CANONICAL_REDUCE, 0, 0, 0, 512, 4, 0, 0, 21),
    GP__H200(0, -1, 0, 0, 0, 0, 512, 4, 0, 0, 21),
    GP__H200(0, -1, 0, 0, (4 << 10) + 1, GP_EVEN_SHARE, 256, 1, 0, 0, 30),
    GP__H200(0, -1, 0, (4 << 10) + 1, (8 << 10) + 1, GP_EVEN_SHARE, 256, 2, 0, 0, 30),
    GP__H200(0, -1, 0, (8 << 10) + 1, (16 << 10) + 1, GP_EVEN_SHARE, 512, 2, 0, 0, 30),
    GP__H200(0, -1, 0, (32 << 10) + 1, (64 << 10) + 1, GP_EVEN_SHARE, 512, 8, 0, 0, 29),
    GP__H200(0, -1, 0, (64 << 10) + 1, 160 << 10, GP_EVEN_SHARE, 128, 1, 0, 0, 29),
    GP__H200(0, -1, 0, 160 << 10, 1 << 20, GP_EVEN_SHARE, 256, 2, 0, 0, 29),
    GP__H200(0, -1, 0, 12 << 20, 24 << 20, 0, 0, 8, 0, 0, 21),
    GP__H200(0, -1, 0, 512 << 20, 0, 0, 0, 8, 0, 0, 21),
    GP__H200(0, -1, GP__IF_REDUCE_BYTES, 12 << 20, 0, 0, 0, 4, 0, 0, 30),
};
// The bytes that are read: a result of ARGMIN or ARGMAX is larger than an element.
GP__HOST gp__measures gp__measure_reduce(gp__form s) {
  gp__measures m = gp__measure_elements(s);
  if (s->out_size >= 16) m.bytes = s->count * (unsigned)s->in_size;
  return m;
}
GP__HOST gp_policy gp__portable_reduce(gp_policy p, gp__form s) {
  p.load = gp__default_to(p.load, GP_CACHE_STREAMING);
  p = GP__FILL(p, gp__reduce_rows, gp__measure_reduce, s,
      (s->reproducible ? GP__IF_CANONICAL_REDUCE : 0) | (s->acc_size == 1 ? GP__IF_REDUCE_BYTES : 0));
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm, p.vectors >= 8 ? 2 : 4); // as many as the registers allow
  return p;
}
