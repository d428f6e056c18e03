// top_k/policy.h - top-k, nth element, shuffle: policy fields, ranks, tiles, validity
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, histogram/policy.h, merge/policy.h

#define GP_POLICY_FIELDS_TOP_K(F) \
  F(algorithm, GP_AUTO, GP_BEST_LISTS, GP_RADIX_SELECT, GP_WARP_SEGMENTS, GP_ONE_CLUSTER, GP_ONE_LAUNCH, \
      GP_SAMPLED_SELECT) \
  F(threads, 0, 128, 256, 512, 1024) \
  F(vectors, 0, 1, 2, 4) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8) \
  F(overlap, 0, 1, 2)

// Top-k: most results of lists on chip. Digits of radix select; rounds of a shuffle.
enum {
  GP__TOP_K_FEW = 1024,
  GP__TOP_K_STATIC_BYTES = 2048,
  GP__TOP_K_MERGED = 8192, // most ranks that one block merges
  GP__TOP_K_LANE = 16, // keys of a short segment that a lane sorts
  GP__TOP_K_BY_LANES = 512, // most keys of a segment that lanes sort
  GP__TOP_K_BY_WARP = 2048, // most keys that a warp reads,
  GP__TOP_K_OF_WARP = 64, // its most results
  GP__ORDER_BYTES = 24576, // most bytes of results that an operator orders
  GP__ORDER_OF_WARP = 4096, // bytes of a warp's list of such ranks
  GP__SELECT_BITS = 11,
  GP__SELECT_BINS = 2048,
  GP__SELECT_STATE_BYTES = 48,
  GP__SELECT_PART = 24, // a bound serves up to a 24th of the keys; they are a 16th at most,
  GP__SELECT_MANY = 1 << 21, // and pays for so many
  GP__SELECT_SAMPLED = 1 << 23, // so many are sampled
  GP__SELECT_ASIDE = 1 << 15, // most keys that a cluster sorts
  GP__SELECT_LEAST = 1 << 13, // and besides 2 k at least
  GP__SHUFFLE_ROUNDS = 8
};
GP__RULE int gp__select_levels(int key_size) { // digits of a key
  return (8 * key_size + (int)GP__SELECT_BITS - 1) / (int)GP__SELECT_BITS;
}
GP__RULE int gp__rank_form(int key_size, int indexed, int wide) {
  return !indexed ? key_size == 8 : key_size == 8 || (key_size == 4 && wide) ? 2 : 1;
}
// Ranks by an operator: a key and its index, with the largest alignment that the key may have.
GP__RULE int gp__order_rank_bytes(int key_size, int index_bytes) {
  return (int)gp__round_up(gp__round_up((unsigned)key_size, (unsigned)index_bytes) + (unsigned)index_bytes,
      (unsigned)gp__max(gp__common_with_vector(key_size), index_bytes));
}
// Most results of lists.
GP__RULE unsigned gp__order_few(int key_size, int index_bytes) {
  return (int)GP__ORDER_BYTES / gp__order_rank_bytes(key_size, index_bytes) < GP__TOP_K_FEW
      ? (unsigned)((int)GP__ORDER_BYTES / gp__order_rank_bytes(key_size, index_bytes))
      : (unsigned)GP__TOP_K_FEW;
}
GP__RULE int gp__order_items(int vectors, int key_size) { return gp__max(vectors * GP__VECTOR / key_size, 1); }
GP__RULE unsigned gp__rank_bytes(gp__form s) {
  return s->top_k.order_bytes ? (unsigned)gp__order_rank_bytes(s->key_size, s->top_k.order_bytes)
      : 4u << gp__rank_form(s->key_size, s->out_size > 0, s->count > ~0u);
}
GP__RULE gp__u64 gp__top_k_tile(gp_policy p, gp__form s) {
  return (gp__u64)(p.threads *
      (s->top_k.order_bytes ? gp__order_items(p.vectors, s->key_size)
          : gp__max(p.vectors * (GP__VECTOR / s->key_size), 4)));
}
// Step from tile to tile of a row: about 0.62 of their number, and coprime with it.
GP__RULE gp__u64 gp__common_factor(gp__u64 a, gp__u64 b) { return b == 0 ? a : gp__common_factor(b, a % b); }
GP__RULE gp__u64 gp__coprime(gp__u64 x, gp__u64 to) {
  return gp__common_factor(to, x) == 1 ? x : gp__coprime(x + 1, to);
}
GP__RULE gp__u64 gp__top_k_jump(gp__u64 tiles) { return tiles < 3 ? 1 : gp__coprime(tiles / 13 * 8 + 1, tiles); }
// The key of a round of a shuffle (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators: SplitMix64),
// and its function of one half.
GP__RULE gp__u64 gp__mix3(gp__u64 x) { return x ^ x >> 31; }
GP__RULE gp__u64 gp__mix2(gp__u64 x) { return gp__mix3((x ^ x >> 27) * 0x94d049bb133111ebull); }
GP__RULE unsigned gp__shuffle_key(gp__u64 seed, int round) {
  return (unsigned)(gp__mix2(((seed + 0x9e3779b97f4a7c15ull * (unsigned)(round + 1)) ^
                                 (seed + 0x9e3779b97f4a7c15ull * (unsigned)(round + 1)) >> 30) *
                        0xbf58476d1ce4e5b9ull) >>
      32);
}
GP__RULE unsigned gp__shuffle_fold(unsigned x) { return x ^ x >> 13; }
GP__RULE unsigned gp__shuffle_mix(unsigned x) { return gp__shuffle_fold((x ^ x >> 15) * 0x85ebca77u); }
GP__RULE unsigned gp__shuffle_round(unsigned half, unsigned key) { return gp__shuffle_mix((half ^ key) * 0x9e3779b1u); }
// Ranks of a block's list: what a lowered limit may leave, and a tile; a power of two.
GP__RULE unsigned gp__top_k_capacity(gp_policy p, gp__form s) {
  return gp__power_of_two(s->top_k.results + s->top_k.results / 2 + 32 + gp__top_k_tile(p, s), 64);
}
// Ranks that an operator orders: the results and a tile; twice that, if there is room.
GP__RULE int gp__order_least(gp_policy p, gp__form s) { return (int)(s->top_k.results + gp__top_k_tile(p, s)); }
GP__RULE unsigned gp__order_capacity(gp_policy p, gp__form s) {
  return (unsigned)gp__order_least(p, s) << (2 * gp__order_least(p, s) * (int)gp__rank_bytes(s) <=
             (s->shared_bytes + 1024) / p.blocks_per_sm - 1024 - (int)GP__TOP_K_STATIC_BYTES);
}
// The same for segments: all that shared memory has room for; at least what a lowered limit may leave, rounded up for
// its sort, or a tile more.
GP__RULE int gp__segment_top_k_least(gp_policy p, gp__form s) {
  return gp__max((int)(s->top_k.results * 3 / 2 + 32 + gp__top_k_tile(p, s)),
      (int)gp__power_of_two((unsigned)s->top_k.results * 3 / 2 + 32, 64));
}
GP__RULE unsigned gp__segment_top_k_capacity(gp_policy p, gp__form s) {
  return (unsigned)gp__max(gp__segment_top_k_least(p, s),
      ((s->shared_bytes + 1024) / p.blocks_per_sm - 1024 - (int)GP__TOP_K_STATIC_BYTES) / (int)gp__rank_bytes(s));
}
GP__RULE unsigned gp__top_k_by_warps(gp_policy p) {
  return p.algorithm == GP_WARP_SEGMENTS ? GP__TOP_K_BY_WARP : GP__TOP_K_BY_LANES;
}
// Most keys of a segment that a warp takes.
GP__RULE unsigned gp__top_k_most_of_warp(gp_policy p, gp__form s) {
  return s->top_k.order_bytes ? (unsigned)GP__ORDER_OF_WARP / gp__rank_bytes(s) : gp__top_k_by_warps(p);
}
GP__RULE int gp__selects(int algorithm) { return algorithm == GP_RADIX_SELECT || algorithm == GP_SAMPLED_SELECT; }
// Keys alone, many, of which few are wanted: radix select tries one launch first, too.
GP__RULE int gp__is_bounded(int algorithm, int primitive, int out_size, gp__u64 count, gp__u64 k) {
  return algorithm == GP_SAMPLED_SELECT ||
      (algorithm == GP_RADIX_SELECT && primitive == GP_TOP_K && !out_size && count >= GP__SELECT_MANY &&
          k <= count / GP__SELECT_PART);
}
GP__RULE unsigned gp__top_k_shared_bytes(gp_policy p, gp__form s) {
  return s->top_k.order_bytes ? gp__order_capacity(p, s) * gp__rank_bytes(s)
      : gp__selects(p.algorithm) ? (unsigned)(2 * p.threads * p.vectors * GP__VECTOR)
      : s->primitive == GP_SEGMENTED_TOP_K ? gp__segment_top_k_capacity(p, s) * gp__rank_bytes(s)
      : gp__top_k_capacity(p, s) * gp__rank_bytes(s);
}
GP__RULE int gp__policy_valid_top_k(gp_policy p, gp__form s) {
  return p.blocks_per_sm >= 1 && s->key_size > 0 && (p.threads & (p.threads - 1)) == 0 &&
      (s->top_k.order_bytes ? p.algorithm == GP_BEST_LISTS
              : p.algorithm == GP_BEST_LISTS ? s->primitive != GP_NTH_ELEMENT && s->top_k.results <= GP__TOP_K_FEW
              : p.algorithm == GP_WARP_SEGMENTS
              ? s->primitive == GP_SEGMENTED_TOP_K && s->top_k.results <= GP__TOP_K_OF_WARP
              : gp__selects(p.algorithm) && s->primitive != GP_SEGMENTED_TOP_K && !s->top_k.drop_keys) &&
      (gp__i64)gp__top_k_shared_bytes(p, s) <= (s->shared_bytes + 1024) / p.blocks_per_sm - 1024 -
          (!gp__selects(p.algorithm) ? GP__TOP_K_STATIC_BYTES
                  : p.algorithm == GP_RADIX_SELECT ? GP__SELECT_BINS * 4 + 1024
                  : GP__SELECT_BINS * 16 + 1024);
}
