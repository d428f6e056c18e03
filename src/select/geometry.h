// select/geometry.h - launches of streams
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, scan/policy.h, select/policy.h,
//   core/geometry.h, core/family.h, select/portable.h

GP__HOST void gp__geometry_stream(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  if (p.algorithm == GP_WARP_SEGMENTS) { // and what precedes and follows all segments
    g->grid = (unsigned)gp__smaller(s->segments + 2, resident);
    return;
  }
  g->tile_items = (gp__u64)p.threads * (unsigned)gp__stream_items(p.vectors, s->key_size, s->in_size);
  g->tiles = gp__ceil_div(s->count, g->tile_items);
  g->grid = (unsigned)gp__smaller(g->tiles, p.algorithm == GP_ONE_CLUSTER ? (gp__u64)GP__CLUSTER : resident);
  if (!g->grid) g->grid = 1; // an empty input still writes its counts
  g->shared_bytes = (unsigned)gp__stream_shared_bytes(p, s);
  if (p.algorithm == GP_ONE_CLUSTER) return;
  g->words = gp__look_back_slots(g->tiles) *
      (unsigned)gp__acc_words(gp__stream_state_bytes(s->primitive, s->stream.parts, s->acc_size));
}

static const gp__rules gp__rules_stream = {gp__policy_valid_stream, gp__measure_stream, gp__portable_stream,
    GP__ALWAYS_OVERLAPS, gp__geometry_stream, gp__stream_threads, GP__OWN_IF_FEW, GP__ROWS_SERVE};
