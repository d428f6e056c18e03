// batch/policy.h - copies of many buffers: tiles and shares
// uses: api/policy.h, core/words.h, core/rules.h, core/shape.h

enum {
  GP__BATCH_TWO = 256, // most threads of a block that take two buffers of a tile
  GP__BATCH_PIECE = 8, // windows of a lane in a warp's piece
  GP__BATCH_TILES = 4, // tiles a block, if tiles can be so small
  GP__BATCH_ROUNDS = 16, // windows of a tile that its block copies alone: so many for each of a thread's vectors
  GP__BATCH_SHARES = 8, // shares of the rest a block, if shares can be so small
  GP__BATCH_LOG2_MOST = 36
};
// At most so many buffers a thread in a tile.
GP__RULE int gp__batch_items(int threads) { return threads <= GP__BATCH_TWO ? 2 : 1; }
// The grid does not depend on the count, and tickets have 28 bits.
GP__RULE int gp__policy_valid_batch(gp_policy p, gp__form s) {
  return p.blocks_per_sm > 0 && s->count >> 27 <= (gp__u64)(p.threads * gp__batch_items(p.threads)) - 1;
}
