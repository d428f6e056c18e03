// sort/hybrid_policy.h - sorts: policy fields; hybrid sort: buckets, levels, parts
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h

#define GP_POLICY_FIELDS_SORT(F) \
  F(algorithm, GP_AUTO, GP_ONE_SWEEP, GP_HYBRID, GP_COUNTING, GP_ONE_BLOCK, GP_ADAPTIVE, GP_PAIRED_SWEEP, \
      GP_LEADING_SWEEP, GP_ONE_CLUSTER, GP_ONE_LAUNCH) \
  F(threads, 0, 128, 256, 384, 512, 1024) \
  F(vectors, 0, 1, 2, 3, 4, 5, 6, 8) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(stages, 0, 1, 2) \
  F(blocks_per_sm, 0, 1, 2, 3, 4) \
  F(overlap, 0, 1, 2)

// Sizes that host and kernels share. One block sorts a bucket on chip; larger buckets go to the next level.
enum {
  GP__HYBRID_COUNT_THREADS = 512,
  GP__HYBRID_LEVELS = 9, // at most: 4 bits or more at each of the first two, 8 at the others
  GP__HYBRID_ITEMS = GP__HYBRID_LEVELS + 1, // in gp__hybrid_args.list, after the levels: number of buckets
  GP__HYBRID_DRAWN, // gp__hybrid_rest: shares drawn
  GP__HYBRID_DONE, // gp__hybrid_rest: shares done
  GP__HYBRID_LIST,
  GP__HYBRID_PART_BYTES = 72,
  GP__HYBRID_ITEM_BYTES = 24,
  GP__HYBRID_PLACE_BITS = 13 // bits of an element's place in its bucket; breaks ties of pairs
};
// A block that sorts a bucket: threads, keys a thread, bins.
GP__RULE int gp__bucket_threads(int key_size) { return key_size > 4 ? 576 : 288; }
GP__RULE int gp__bucket_items(int key_size) { return key_size > 4 ? 8 : 16; }
GP__RULE int gp__bucket_log2_bins(int key_size) { return key_size > 4 ? 13 : 12; }
GP__RULE int gp__bucket_blocks(int key_size) { return key_size > 4 ? 2 : 3; } // a fourth block would spill
// Many bins need fewer rounds of transpositions.
GP__RULE int gp__tile_sort_rounds(int capacity, int log2_bins) { return 2 * (1 << log2_bins) >= 3 * capacity ? 5 : 7; }
// gp_tile_sort_storage: keys, counters, a few words of each warp.
GP__RULE unsigned gp__tile_sort_bytes(int key_size, int threads, int items, int log2_bins) {
  return (
      unsigned)(((threads * (items + 1) + 3 * gp__tile_sort_rounds(threads * items, log2_bins) + 7 + threads / 32 * 2) *
                        (key_size > 4 ? 8 : 4) +
                    ((1 << log2_bins) + 32 + threads / 32) * 4 + 15) /
      16 * 16);
}
GP__RULE unsigned gp__hybrid_move_bytes(int key_size, int tile) {
  return (unsigned)(256 * 8 + 256 * 4 + 32 * 4 + tile * (key_size > 4 ? 8 : 4));
}
// Shared memory of a counting block: a counter of each digit for each lane, and the plan's arrays.
GP__RULE unsigned gp__hybrid_count_bytes(int threads) {
  return (unsigned)(256 * 32 * 4 + (257 + 256) * 8 + 512 * 4 + threads / 32 * 28 + threads * 8 + 100) / 8 * 8;
}
GP__RULE unsigned gp__bucket_bytes(int key_size) {
  return gp__tile_sort_bytes(
      key_size, gp__bucket_threads(key_size), gp__bucket_items(key_size), gp__bucket_log2_bins(key_size));
}
GP__RULE int gp__hybrid_vector_items(gp_policy p, gp__form s) { return p.vectors * gp__vector_items(s->key_size); }
// One-block sort: keys a thread, and about as many bins as keys.
GP__RULE int gp__one_block_items(int vectors) { return vectors < 4 ? 8 : 16; }
GP__RULE int gp__one_block_log2_bins(int keys) { return keys < 1024 ? 9 : 1 + gp__one_block_log2_bins(keys / 2); }
GP__RULE unsigned gp__one_block_bytes(gp_policy p, int key_size) {
  return gp__tile_sort_bytes(key_size, p.threads, gp__one_block_items(p.vectors),
      gp__one_block_log2_bins(p.threads * gp__one_block_items(p.vectors)));
}
GP__RULE int gp__hybrid_levels(int key_size) { return key_size == 1 ? 1 : 1 + key_size; }
// Average keys of a bucket: bucket sizes of uniform keys vary by a few per cent.
GP__RULE unsigned gp__hybrid_fit(unsigned capacity) { return capacity - capacity / 11; }
// Levels that uniform keys need, each with its own launches. One launch does all others.
GP__RULE int gp__hybrid_even_levels(gp__u64 count, unsigned fit) {
  return count <= fit ? 0 : 1 + gp__hybrid_even_levels((count + 255) / 256, fit);
}
// Most parts of a level. Each has more keys than a block sorts or, for pairs (value_size > 0) at the first levels, too
// wide a range.
GP__RULE gp__u64 gp__hybrid_parts(gp__u64 count, int capacity, int value_size) {
  return count / (unsigned)capacity + 2 + (value_size ? 256 : 0);
}
// Most buckets. Two neighbours have more keys than half a block sorts, except at the ends of parts and where pairs
// reach the widest range that a block sorts.
GP__RULE gp__u64 gp__hybrid_items(gp__u64 count, int capacity, int value_size) {
  return 16 * (count / (unsigned)capacity + 2) + (value_size ? 32768 : 0);
}
// Most pieces of pairs, 256 counters each. A piece is a block's share of a part; a block's pieces are consecutive.
GP__RULE gp__u64 gp__hybrid_pieces(gp__u64 parts, gp__u64 blocks) { return parts + blocks; }
// Most keys of a bucket: a block's capacity, or less if multiprocessors would be idle.
GP__RULE int gp__hybrid_clamp(gp__u64 keys, int most) {
  return keys >= (unsigned)most ? most : keys <= (unsigned)most / 4 ? most / 4 : (int)keys;
}
GP__RULE int gp__hybrid_capacity(gp__form s) {
  return gp__hybrid_clamp(s->count / (unsigned)gp__max(s->multiprocessors, 1),
      gp__bucket_threads(s->key_size) * gp__bucket_items(s->key_size));
}
// A block sorts a bucket of pairs as words of key and place, each as large as a key, then fetches the values.
GP__RULE unsigned gp__pair_bucket_bytes(int key_size, int value_size, int threads, int items, int log2_bins) {
  return gp__tile_sort_bytes(key_size, threads, items, log2_bins) +
      (unsigned)(threads * items * value_size + 32) / 16 * 16;
}
