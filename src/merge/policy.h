// merge/policy.h - merges and sets: policy fields, tiles, rings, shared memory, validity
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, scan/policy.h

#define GP_POLICY_FIELDS_MERGE(F) \
  F(algorithm, GP_AUTO, GP_MERGE_PATH, GP_MERGE_PASSES, GP_FOUR_WAY_PASSES, GP_PIPELINED) \
  F(threads, 0, 128, 224, 256, 352, 384, 512) \
  F(vectors, 0, 1, 2, 3, 4, 5, 6, 8) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 5, 6, 8) \
  F(overlap, 0, 1, 2)

GP__RULE int gp__is_set(int primitive) { return primitive >= GP_SET_UNION && primitive <= GP_SET_SYMMETRIC_DIFFERENCE; }
// Elements of a thread: as many as `vectors` vectors hold of the larger of key and value (at least four bytes), made
// odd so that neighbouring threads, each with consecutive elements, access different banks.
GP__RULE int gp__merge_items(int vectors, int key_size, int in_size) {
  return (gp__scan_items(vectors, gp__max(key_size, 4), in_size) - 1) | 1;
}
GP__RULE int gp__merge_tile(gp_policy p, gp__form s) {
  return p.threads * gp__merge_items(p.vectors, s->key_size, s->in_size);
}
// Tiles of merge sort hold one extra vector: they are a little longer than a power of two, so that 2^n elements take a
// pass less.
GP__RULE int gp__sort_tile_items(int vectors, int key_size, int in_size) {
  return gp__merge_items(vectors + 1, key_size, in_size);
}
GP__RULE int gp__sort_tile(gp_policy p, gp__form s) {
  return p.threads * gp__sort_tile_items(p.vectors, s->key_size, s->in_size);
}
// Bytes of shared memory. Window: elements, with room for misalignment at both ends of each input. Out: elements of
// warps, each with room for its own misalignment. Source: places of values, 2 bytes each.
GP__RULE int gp__merge_window_bytes(int items, int size, int inputs) {
  return size ? (items * size + inputs * 2 * GP__VECTOR + GP__VECTOR - 1) / GP__VECTOR * GP__VECTOR : 0;
}
GP__RULE int gp__merge_out_bytes(int threads, int items, int size) {
  return threads / GP__WARP * (GP__WARP * items * size + GP__VECTOR);
}
GP__RULE int gp__merge_source_bytes(int tile, int in_size) {
  return in_size ? (tile * 2 + GP__VECTOR - 1) / GP__VECTOR * GP__VECTOR : 0;
}
GP__RULE unsigned gp__power_of_two(gp__u64 least, unsigned power) {
  return power >= least ? power : gp__power_of_two(least, power * 2);
}
// Bytes of a ring for a tile of one input: a power of two if that costs little and no element crosses the ring's end.
GP__RULE int gp__merge_ring_of(int window, int power, int size) {
  return (size & (size - 1)) == 0 && power - window <= window / 7 ? power : window;
}
GP__RULE int gp__merge_ring_bytes(int tile, int size) {
  return gp__merge_ring_of(gp__merge_window_bytes(tile, size, 1),
      (int)gp__power_of_two((unsigned)gp__merge_window_bytes(tile, size, 1), GP__VECTOR), size);
}
// A ring's start is repeated after its end, so that no thread's part of a tile wraps: a unit before the part, its
// elements and the one after.
GP__RULE int gp__merge_mirror_bytes(int items, int size) {
  return (GP__VECTOR + (items + 1) * size + GP__VECTOR - 1) / GP__VECTOR * GP__VECTOR;
}
// Dynamic shared memory of a block that merges, and of one that sorts a tile.
GP__RULE int gp__merge_shared_bytes(gp_policy p, gp__form s) {
  return 2 *
      (gp__merge_ring_bytes(gp__merge_tile(p, s), s->key_size) +
          gp__merge_mirror_bytes(gp__merge_items(p.vectors, s->key_size, s->in_size), s->key_size)) +
      gp__merge_out_bytes(p.threads, gp__merge_items(p.vectors, s->key_size, s->in_size), s->key_size) +
      gp__merge_source_bytes(gp__merge_tile(p, s), s->in_size) +
      gp__merge_window_bytes(gp__merge_tile(p, s), s->in_size, 2);
}
GP__RULE int gp__sort_tile_shared_bytes(gp_policy p, gp__form s) {
  return gp__merge_window_bytes(gp__sort_tile(p, s) + 1, s->key_size, 1) +
      gp__merge_source_bytes(gp__sort_tile(p, s), s->in_size) +
      gp__merge_window_bytes(gp__sort_tile(p, s), s->in_size, 1);
}
// Four-way merges carry small values with their keys; for larger ones they carry the places.
GP__RULE int gp__merge_carries(int in_size) { return in_size > 0 && in_size <= 8; }
GP__RULE int gp__merge_carried_bytes(int tile, int key_size, int in_size) {
  return gp__merge_carries(in_size)
      ? gp__merge_window_bytes(gp__merge_window_bytes(tile, key_size, 4) / key_size, in_size, 0)
      : gp__merge_source_bytes(tile, in_size);
}
// A thread that merges pairs of four runs has a part longer than its share of a tile. A shorter part may read so far
// past the last key if keys have a built-in order of their bits.
GP__RULE int gp__merge_four_part(int items) { return items + 2; }
GP__RULE int gp__merge_slack_bytes(int items, int key_size) {
  return key_size > 8 ? 0 : gp__merge_window_bytes(gp__merge_four_part(items) + 1, key_size, 1);
}
// Shared memory of a block that merges four runs. Its tile is as long as a sorted tile. Each of its two pairs of runs
// is merged by whole threads, so a thread's part is longer than its share of the tile.
GP__RULE int gp__merge_four_shared_bytes(gp_policy p, gp__form s) {
  return gp__merge_window_bytes(gp__sort_tile(p, s), s->key_size, 4) +
      gp__merge_slack_bytes(gp__sort_tile(p, s) / p.threads, s->key_size) +
      gp__merge_carried_bytes(gp__sort_tile(p, s), s->key_size, s->in_size);
}
// Results of a tile: keys, places of values, the tile's values.
GP__RULE int gp__set_result_bytes(int tile, int key_size, int in_size) {
  return gp__merge_window_bytes(tile, key_size, 1) + gp__merge_source_bytes(tile, in_size) +
      gp__merge_window_bytes(tile, in_size, 2);
}
GP__RULE int gp__set_shared_bytes(gp_policy p, gp__form s) {
  return gp__merge_window_bytes(gp__merge_tile(p, s), s->key_size, 2) +
      2 * gp__set_result_bytes(gp__merge_tile(p, s), s->key_size, s->in_size);
}
// Blocks that find the borders of tiles, one a thread.
GP__RULE gp__u64 gp__balanced_path_blocks(gp_policy p, gp__u64 tiles) {
  return gp__ceil_div(tiles + 1, (unsigned)p.threads);
}
// A launch of its own finds where tiles begin in four runs, by GP__FOUR_LANES lanes each. If all merging blocks are
// resident at once, they find it.
enum { GP__FOUR_BORDER_BYTES = 32, GP__FOUR_LANES = 8 };
GP__RULE int gp__four_together(gp_policy p, gp__form s, gp__u64 tiles) {
  return tiles <= (unsigned)(s->multiprocessors * p.blocks_per_sm);
}
enum { GP__MERGE_STATIC_BYTES = 1024 * 4 + 256 }; // static shared memory of a block, at most
GP__RULE int gp__policy_valid_four_way(gp_policy p, gp__form s) {
  return (p.threads & (p.threads - 1)) == 0 &&
      s->count / (unsigned)gp__sort_tile(p, s) < 0x7fffffff && // a block a tile
      gp__sort_tile(p, s) <= (p.threads - 1) * gp__merge_four_part(gp__sort_tile(p, s) / p.threads) &&
      gp__max(gp__merge_four_shared_bytes(p, s), gp__sort_tile_shared_bytes(p, s)) <= s->shared_bytes;
}
GP__RULE int gp__policy_valid_merge(gp_policy p, gp__form s) {
  return p.blocks_per_sm >= 1 && s->key_size > 0 && gp__merge_tile(p, s) <= 32768 &&
      (s->primitive == GP_MERGE_SORT && p.algorithm == GP_FOUR_WAY_PASSES
              ? gp__policy_valid_four_way(p, s)
              : (s->primitive == GP_MERGE_SORT ? p.algorithm == GP_MERGE_PASSES && (p.threads & (p.threads - 1)) == 0
                        : p.algorithm == GP_PIPELINED
                        ? gp__is_set(s->primitive) && s->compute_capability >= 90 && p.threads <= 1024 - GP__WARP
                        : p.algorithm == GP_MERGE_PATH) &&
                  gp__max(gp__is_set(s->primitive) ? gp__set_shared_bytes(p, s) : gp__merge_shared_bytes(p, s),
                      s->primitive == GP_MERGE_SORT ? gp__sort_tile_shared_bytes(p, s) : 0) +
                          GP__MERGE_STATIC_BYTES <=
                      s->shared_bytes);
}
