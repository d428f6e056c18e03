// segmented_sort/policy.h - segmented sort: policy fields, classes of lengths, shared memory, validity
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, sort/hybrid_policy.h

#define GP_POLICY_FIELDS_SEGMENTED_SORT(F) \
  F(algorithm, GP_AUTO, GP_SIZE_CLASSES) \
  F(threads, 0, 128, 256, 384, 512) \
  F(vectors, 0, 1, 2, 3, 4, 5) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(blocks_per_sm, 0, 1, 2, 3, 4) \
  F(overlap, 0, 1, 2)

enum {
  GP__LOG2_SHORT = 5,
  GP__SHORT = 1 << GP__LOG2_SHORT, // most elements of a segment that one or two lanes sort
  GP__SHORT_ROUNDS = 4, // segments a lane takes at a time
  GP__MIDDLE_CLASSES = 5, // segments that a warp sorts, by length: to 64, 128, 256, 512, 1024 elements
  GP__RADIX_BITS = 8, // bits of a partition's digit
  GP__COUNT_TILES = 8, // tiles whose digits a block counts at a time
  GP__FEW_SEGMENTS = 2048, // up to so many are tasks of blocks, whatever their lengths
  GP__FEW_EQUAL = 256 // and of one length, if warps could sort them
};
// Bytes of n elements in shared memory, padded as in gp__bank_padded.
GP__RULE int gp__bank_padded_bytes(int n, int size) {
  return (size < 128 ? n * size + (n + 128 / size - 1) / (128 / size) * gp__max(size, 4) : n * size) / 16 * 16 + 16;
}
// Bytes of an item that networks compare: the key's bits and, if indexed, the element's index.
GP__RULE int gp__sort_item_bytes(int key_size, int indexed) {
  return indexed ? (key_size < 4 ? 4 : 2 * key_size) : gp__max(key_size, 4);
}
// Elements in a warp's room, which has about one KiB for each of the policy's vectors.
GP__RULE int gp__warp_sort_items(int vectors, int key_size, int value_size, int indexed) {
  return gp__max(vectors * 1024 / (key_size + (indexed ? value_size + 2 : 0)) / GP__WARP, 1) * GP__WARP;
}
GP__RULE int gp__warp_sort_bytes(int vectors, int key_size, int value_size, int indexed) {
  return gp__bank_padded_bytes(gp__warp_sort_items(vectors, key_size, value_size, indexed), key_size) +
      (gp__warp_sort_items(vectors, key_size, value_size, indexed) * value_size + 15) / 16 * 16 +
      (indexed ? gp__warp_sort_items(vectors, key_size, value_size, indexed) * 2 : 0) +
      (int)GP__SHORT_ROUNDS * (int)GP__WARP * (8 + 4 + 4);
}
// Longest segment that a warp sorts: its room and the registers of 32 lanes must hold it.
GP__RULE int gp__middle_limit(int items, int item_bytes) {
  return items >= 1024 && item_bytes == 4 ? 1024
      : items >= 512 ? 512
      : items >= 256 ? 256
      : items >= 128 ? 128
      : items >= 64 ? 64
      : GP__SHORT;
}
// Blocks that sort and partition longer segments: threads, and elements a thread. Twice as many threads have half the
// registers: too few for 16 indices beside their keys.
GP__RULE int gp__long_threads(int threads, int item_bytes) {
  return gp__max(item_bytes == 4 ? 2 * threads : threads, GP__DIGITS);
}
GP__RULE int gp__long_items(int vectors, int item_bytes, int indexed) {
  return (vectors >= 4 && !(item_bytes == 4 && indexed) ? 16 : vectors >= 2 ? 8 : 4) / (item_bytes > 8 ? 2 : 1);
}
// Items a thread has when a block sorts by counting, in about as many bins as items; 0: it merges. More indexed items
// spill registers.
GP__RULE int gp__long_binned(int items, int item_bytes, int indexed) {
  return items < 8 || item_bytes > 8 ? 0 : indexed ? 8 : items;
}
GP__RULE int gp__long_log2_bins(int capacity) {
  return capacity >= 16384 ? 14 : capacity >= 8192 ? 13 : capacity >= 4096 ? 12 : 11;
}
GP__RULE int gp__sort_indexed(gp__form s) {
  return s->in_size > 0 || s->out_size > 0 || s->sorted.end_bit - s->sorted.begin_bit < 8 * s->key_size;
}
// Bytes of a value or an index; 0: neither.
GP__RULE int gp__sorted_value_bytes(gp__form s) { return gp__max(s->in_size, s->out_size); }
GP__RULE int gp__sort_item_bytes_of(gp__form s) { return gp__sort_item_bytes(s->key_size, gp__sort_indexed(s)); }
GP__RULE int gp__long_threads_of(gp_policy p, gp__form s) {
  return gp__long_threads(p.threads, gp__sort_item_bytes_of(s));
}
GP__RULE int gp__long_capacity(gp_policy p, gp__form s) {
  return gp__long_threads_of(p, s) * gp__long_items(p.vectors, gp__sort_item_bytes_of(s), gp__sort_indexed(s));
}
// Elements that a segment has at most, as far as the host knows.
GP__RULE gp__u64 gp__longest_segment(gp__form s) {
  return s->offset_size || !s->segments ? s->count : s->count / s->segments;
}
GP__RULE int gp__short_shared_bytes(gp_policy p, gp__form s) {
  return p.threads / GP__WARP *
      gp__warp_sort_bytes(p.vectors, s->key_size, gp__sorted_value_bytes(s), gp__sort_indexed(s));
}
// Shared memory for sorting: the items, or bins and keys; for partitioning: a counter for each warp and digit, and a
// tile of keys or of values.
GP__RULE int gp__long_binned_of(gp_policy p, gp__form s) {
  return gp__long_binned(
      gp__long_capacity(p, s) / gp__long_threads_of(p, s), gp__sort_item_bytes_of(s), gp__sort_indexed(s));
}
GP__RULE int gp__long_binned_bytes(gp_policy p, gp__form s) {
  return gp__long_binned_of(p, s) ? (int)gp__tile_sort_bytes(gp__sort_item_bytes_of(s), gp__long_threads_of(p, s),
                                        gp__long_binned_of(p, s), gp__long_log2_bins(gp__long_capacity(p, s)))
                                  : 0;
}
GP__RULE int gp__long_moving_bytes(gp_policy p, gp__form s) {
  return gp__max(gp__bank_padded_bytes(gp__long_capacity(p, s), gp__sort_item_bytes_of(s)),
      gp__long_threads_of(p, s) / GP__WARP * GP__DIGITS * 4 + gp__long_capacity(p, s) * gp__sort_item_bytes_of(s));
}
GP__RULE int gp__long_shared_bytes(gp_policy p, gp__form s) {
  return gp__max(gp__long_binned_bytes(p, s), gp__long_moving_bytes(p, s));
}
// Static shared memory of a block, at most.
enum { GP__LONG_STATIC_BYTES = 6 * 1024 };
// State that the kernels share, in scratch memory.
typedef struct gp__sort_header { // zero when the call begins
  gp__u64 tag; // tag of this call's words
  gp__u64 pushed, taken; // tasks of the queue; few segments are its first ones
  gp__u64 pending; // tasks not done
  gp__u64 buckets, tiles, groups; // in use
  gp__u64 listed[GP__MIDDLE_CLASSES];
} gp__sort_header;
typedef struct gp__sort_span {
  gp__u64 begin, count;
} gp__sort_span;
// Elements that are partitioned by one digit.
typedef struct gp__sort_bucket {
  gp__u64 begin, count;
  gp__u64 first_tile, first_group; // rows of counters
  gp__u64 source; // 0: the input, 1: the alternate buffer, 2: the output
  gp__u64 shift; // the digit's lowest bit
  gp__u64 counted, moved; // groups counted, tiles moved
  gp__u64 ones, zeros; // OR and AND of the keys' bits
  gp__u64 base[GP__DIGITS + 1]; // start of each digit's elements
} gp__sort_bucket;
GP__RULE int gp__policy_valid_segmented_sort(gp_policy p, gp__form s) {
  return p.algorithm == GP_SIZE_CLASSES && p.blocks_per_sm >= 1 && s->key_size > 0 && s->key_size <= 8 &&
      p.threads % GP__WARP == 0 && gp__long_threads_of(p, s) <= 1024 && p.vectors >= 1 &&
      gp__short_shared_bytes(p, s) <= s->shared_bytes &&
      gp__long_shared_bytes(p, s) + GP__LONG_STATIC_BYTES <= s->shared_bytes;
}
