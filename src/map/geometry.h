// map/geometry.h - launches of maps and of kernels launched like them
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, layouts/policy.h, map/policy.h,
//   core/rows.h, core/geometry.h, core/family.h, map/portable.h, batch/geometry.h

GP__HOST void gp__geometry_map(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  if (s->primitive == GP_COPY_BATCH) {
    gp__geometry_batch(p, s, resident, g);
    return;
  }
  g->tile_items = (gp__u64)(p.threads * gp__map_items(p.vectors, s->in_size, s->in2_size, s->out_size));
  if (s->primitive == GP_COPY) { // by bytes
    g->tiles = gp__ceil_div(s->count * (unsigned)s->out_size, (gp__u64)p.threads * (unsigned)p.vectors * GP__VECTOR);
  } else if (s->primitive == GP_REVERSE && s->in_place) g->tiles = gp__ceil_div(s->count / 2, g->tile_items);
  else g->tiles = gp__ceil_div(s->count, g->tile_items);
  if (s->primitive == GP_CONVERT_LAYOUT) {
    g->tile_items = (gp__u64)gp__layout_tile(p, s);
    g->tiles = gp__ceil_div(s->count, g->tile_items);
    g->shared_bytes = (unsigned)gp__layout_shared_bytes(p, s);
    if (s->in_place && !gp__layout_local(p, s)) g->scratch = s->layout.in_bytes; // for a copy of the input
  }
  if (p.algorithm == GP_TWO_PHASE) g->scratch = (s->segments / 32 + 1) * (unsigned)(s->in_size * s->in_size);
  if (!g->tiles) g->tiles = 1;
  if (p.blocks_per_sm == 0) resident = 0x7fffffffull;
  g->grid = (unsigned)gp__smaller(g->tiles, resident);
}

// A row is for a number of bytes, which the host does not know of a batch. Those of maps are for calls that read.
GP__HOST int gp__row_serves_map(gp__form s) { return s->primitive != GP_COPY_BATCH && s->described != 1; }

static const gp__rules gp__rules_map = {gp__policy_valid_map, gp__measure_elements, gp__portable_map,
    GP__ALWAYS_OVERLAPS, gp__geometry_map, GP__POLICY_THREADS, GP__ANY_ALGORITHM, gp__row_serves_map};
