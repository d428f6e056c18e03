// find/geometry.h - launches of searches for the first element
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, find/policy.h, core/rows.h,
//   core/geometry.h, core/family.h, find/portable.h

// Elements of a round: one access or more of each thread of a block, all under way at once.
GP__HOST gp__u64 gp__find_round_items(gp_policy p, gp__form s) {
  return (gp__u64)(p.threads * gp__find_packs(s->in_size, s->in2_size ? 2 : 1, p.vectors) * gp__find_items(s->in_size));
}
// A tile has several rounds if these are short, but no more than a block's share: inputs of few tiles take one ticket a
// block.
GP__HOST void gp__geometry_find(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  // A binary search takes one block.
  const gp__u64 blocks = p.algorithm == GP_ONE_BLOCK || s->primitive == GP_PARTITION_POINT ? 1 : resident,
                round = gp__find_round_items(p, s);
  const gp__u64 most = GP__FIND_TILE_BYTES / (round * (unsigned)(s->in_size + s->in2_size));
  const gp__u64 share = gp__ceil_div(s->count, blocks * round), rounds = share < most ? share : most;
  g->tile_items = (rounds ? rounds : 1) * round;
  g->tiles = gp__ceil_div(s->count, g->tile_items);
  g->grid = (unsigned)gp__smaller(g->tiles, blocks);
  if (!g->grid) g->grid = 1; // an empty input still has a result
  g->words = g->grid > 1 ? g->grid : 0;
}

static const gp__rules gp__rules_find = {gp__policy_valid_find, gp__measure_elements, gp__portable_find,
    GP__ALWAYS_OVERLAPS, gp__geometry_find, GP__POLICY_THREADS, GP__ANY_ALGORITHM, GP__ROWS_SERVE};
