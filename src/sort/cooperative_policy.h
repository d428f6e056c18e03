// sort/cooperative_policy.h - cooperative radix sort: tiles, words, validity; validity of any sort
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, sort/radix_policy.h,
//   sort/counting_policy.h, sort/choice_policy.h

// The blocks of one cluster, or of one cooperative launch, do all passes. Each has room for one tile, in a cluster for
// two.
enum { GP__COOPERATIVE_QUADS = GP__DIGITS / 4 }; // words, each with the counts of four digits
GP__RULE int gp__is_cooperative(int algorithm) { return algorithm == GP_ONE_CLUSTER || algorithm == GP_ONE_LAUNCH; }
GP__RULE int gp__cooperative_tile(gp_policy p, gp__form s) {
  return p.threads * gp__radix_items(p.vectors, s->key_size);
}
GP__RULE unsigned gp__cooperative_blocks(gp_policy p, gp__form s) {
  return s->count ? (unsigned)((s->count - 1) / (unsigned)gp__cooperative_tile(p, s)) + 1 : 1;
}
GP__RULE gp__u64 gp__cooperative_words(unsigned blocks) { return 2ull * blocks * GP__COOPERATIVE_QUADS; }
GP__RULE int gp__cooperative_most(gp_policy p, gp__form s) { // most blocks; an unknown device has many
  return p.algorithm == GP_ONE_LAUNCH ? (s->multiprocessors > 1 ? s->multiprocessors : 1 << 12) * p.blocks_per_sm
      : s->compute_capability >= 90 ? (int)GP__CLUSTER
      : 1;
}
GP__RULE unsigned gp__cooperative_bytes(gp_policy p, gp__form s) {
  return (p.algorithm == GP_ONE_CLUSTER ? 2u : 1u) *
      ((unsigned)(gp__cooperative_tile(p, s) * s->key_size + 15) / 16 * 16 +
          (unsigned)(gp__cooperative_tile(p, s) * s->in_size + 15) / 16 * 16);
}
GP__RULE unsigned gp__cooperative_static_bytes(gp_policy p) {
  return gp__radix_static_bytes(p) +
      (p.algorithm == GP_ONE_CLUSTER ? 16u * GP__CLUSTER * GP__COOPERATIVE_QUADS : 8u * GP__DIGITS);
}
GP__RULE int gp__cooperative_threads(gp_policy p) { // threads of a multiprocessor
  return p.threads * (p.algorithm == GP_ONE_LAUNCH ? p.blocks_per_sm : 1);
}
// Registers of a thread: its elements, and 40 others.
GP__RULE int gp__cooperative_registers(gp_policy p, gp__form s) {
  return gp__radix_items(p.vectors, s->key_size) *
      ((s->key_size + 3) / 4 + 1 + (s->in_size ? gp__radix_value_bytes(s) + 3 : 0) / 4) +
      40;
}
GP__RULE int gp__policy_valid_cooperative(gp_policy p, gp__form s) {
  return s->in_size <= GP__RADIX_VALUE_BYTES && gp__cooperative_tile(p, s) < 65536 &&
      s->count <= (gp__u64)gp__cooperative_tile(p, s) * (unsigned)gp__cooperative_most(p, s) &&
      p.threads >= GP__DIGITS / 2 && // a thread counts two digits at most
      gp__cooperative_threads(p) <= 1024 && gp__cooperative_registers(p, s) * gp__cooperative_threads(p) <= 65536 &&
      (int)(gp__cooperative_bytes(p, s) + gp__cooperative_static_bytes(p)) <= s->shared_bytes;
}
GP__RULE int gp__policy_valid_sort(gp_policy p, gp__form s) {
  return p.blocks_per_sm >= 1 && s->key_size > 0 &&
      (p.algorithm == GP_COUNTING ? gp__policy_valid_counting(p, s)
              : p.algorithm == GP_HYBRID ? gp__policy_valid_hybrid(p, s)
              : p.algorithm == GP_ADAPTIVE ? gp__policy_valid_adaptive(p, s)
              : p.algorithm == GP_ONE_BLOCK ? gp__policy_valid_one_block_sort(p, s)
              : p.algorithm == GP_LEADING_SWEEP ? gp__policy_valid_leading(p, s)
              : gp__is_cooperative(p.algorithm) ? gp__policy_valid_cooperative(p, s)
              : gp__sweeps(p.algorithm) && gp__policy_valid_radix(p, s) &&
                  (p.algorithm == GP_ONE_SWEEP || (s->key_size == 4 && s->in_size == 4)));
}
