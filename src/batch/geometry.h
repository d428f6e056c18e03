// batch/geometry.h - launches of copies of many buffers
// uses: api/policy.h, core/words.h, core/rules.h, core/shape.h, batch/policy.h, core/geometry.h

// Sizes are known on the device alone, so the grid is full. A tile is a few buffers: many tiles a block even out their
// work. Words: an entry of two for each tile that leaves windows to all blocks.
GP__HOST void gp__geometry_batch(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  const gp__u64 most = (gp__u64)(p.threads * gp__batch_items(p.threads));
  const gp__u64 even = s->count / (resident * GP__BATCH_TILES);
  g->tile_items = even < 1 ? 1 : even < most ? even : most;
  g->tiles = gp__ceil_div(s->count, g->tile_items);
  g->grid = (unsigned)resident;
  g->words = 2 * g->tiles;
}
