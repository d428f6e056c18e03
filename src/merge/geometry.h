// merge/geometry.h - launches of merges, sets and merge sort
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, scan/policy.h, histogram/policy.h,
//   merge/policy.h, core/rows.h, core/geometry.h, core/family.h, merge/portable.h

// Merge sort's scratch memory: keys and values, then the borders of tiles merged from four runs.
GP__HOST gp__u64 gp__merge_sort_borders_at(gp__form s) {
  return gp__round_up(gp__round_up(s->count * (unsigned)s->key_size, 256) + s->count * (unsigned)s->in_size, 16);
}
// Merges: a block merges its range of tiles, one at a time. Sets: a tile, of both inputs together, has one element
// less, so that pairs of equal keys are not split. Words carry the counts of sets. Scratch memory: the borders of sets;
// if merge sort has several tiles, keys and values of every other pass.
GP__HOST void gp__geometry_merge(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  g->tile_items =
      (unsigned)(s->primitive == GP_MERGE_SORT ? gp__sort_tile(p, s) : gp__merge_tile(p, s) - gp__is_set(s->primitive));
  g->tiles = gp__ceil_div(s->count + s->count2, g->tile_items);
  g->grid = (unsigned)gp__smaller(g->tiles, resident);
  if (!g->grid) g->grid = 1; // no elements: sets still write a count
  g->shared_bytes = (unsigned)(gp__is_set(s->primitive) ? gp__set_shared_bytes(p, s)
          : p.algorithm == GP_FOUR_WAY_PASSES ? gp__merge_four_shared_bytes(p, s)
          : gp__merge_shared_bytes(p, s));
  if (gp__is_set(s->primitive)) {
    g->words = gp__look_back_slots(g->tiles);
    if (p.algorithm != GP_PIPELINED && g->tiles > (unsigned)s->multiprocessors)
      g->scratch = (g->tiles + 1) * 16; // for any occupancy
  } else if (s->primitive == GP_MERGE_SORT && g->tiles > 1)
    g->scratch = gp__merge_sort_borders_at(s) +
        (p.algorithm == GP_FOUR_WAY_PASSES && !gp__four_together(p, s, g->tiles)
                ? g->tiles * (unsigned)GP__FOUR_BORDER_BYTES
                : 0);
}
// Large sets do not overlap launches: early blocks would take the room of the launch that finds borders.
GP__HOST int gp__merge_overlaps(gp_policy p, gp__form s) {
  return !gp__is_set(s->primitive) || p.algorithm != GP_MERGE_PATH || !((s->count + s->count2) >> 21);
}
GP__HOST int gp__merge_threads(gp_policy p) {
  return p.algorithm == GP_PIPELINED ? p.threads + (int)GP__WARP : p.threads;
}

static const gp__rules gp__rules_merge = {gp__policy_valid_merge, gp__measure_keys, gp__portable_merge,
    gp__merge_overlaps, gp__geometry_merge, gp__merge_threads, GP__ANY_ALGORITHM, GP__ROWS_SERVE};
