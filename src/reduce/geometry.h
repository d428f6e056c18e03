// reduce/geometry.h - launches of reductions
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, reduce/policy.h, core/geometry.h,
//   core/family.h, reduce/portable.h

GP__HOST void gp__geometry_reduce(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  g->tile_items = (gp__u64)(p.threads * p.vectors * gp__vector_items(s->in_size));
  if (s->reproducible) g->tile_items *= gp__canonical_rounds(s->count, s->in_size);
  g->tiles = gp__ceil_div(s->count, g->tile_items);
  g->grid = (unsigned)(p.algorithm == GP_ONE_BLOCK ? 1 : gp__smaller(g->tiles, resident));
  if (!g->grid) g->grid = 1; // an empty input still has a result
  g->words = (p.algorithm == GP_STEALING && g->tiles ? g->tiles : g->grid) * (unsigned)gp__acc_words(s->acc_size);
}

static const gp__rules gp__rules_reduce = {gp__policy_valid_reduce, gp__measure_reduce, gp__portable_reduce,
    GP__ALWAYS_OVERLAPS, gp__geometry_reduce, GP__POLICY_THREADS, GP__ANY_ALGORITHM, GP__ROWS_SERVE};
