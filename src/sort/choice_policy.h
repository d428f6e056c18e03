// sort/choice_policy.h - hybrid, adaptive, leading-sweep and one-block sorts: samples, validity
// uses: api/policy.h, core/words.h, core/rules.h, core/shape.h, sort/hybrid_policy.h, sort/radix_policy.h

// Sorts that need not be stable: built-in keys, all their bits, no values.
GP__RULE int gp__sorts_keys(gp__form s) {
  return !s->in_size && !s->acc_size && !s->sorted.drop_keys && s->key_size <= 8 && !s->sorted.begin_bit &&
      s->sorted.end_bit == 8 * s->key_size;
}
GP__RULE int gp__policy_valid_hybrid_keys(gp_policy p, gp__form s) {
  return gp__sorts_keys(s) && p.threads <= 1024 && p.threads * gp__hybrid_vector_items(p, s) < 65536 &&
      gp__hybrid_vector_items(p, s) % 2 == 0 && gp__hybrid_vector_items(p, s) <= 64 &&
      (int)gp__hybrid_move_bytes(s->key_size, p.threads * gp__hybrid_vector_items(p, s)) <= s->shared_bytes &&
      (int)gp__bucket_bytes(s->key_size) <= s->shared_bytes;
}
// Pairs that the hybrid sort accepts: fewer than 2^32, built-in keys of 4 or 8 bytes, values or indices of 4 or 8
// bytes.
GP__RULE int gp__sorts_pairs(gp__form s) {
  return (s->in_size == 4 || s->in_size == 8) && !(s->count >> 32) && !s->acc_size &&
      (s->key_size == 4 || s->key_size == 8) && !s->sorted.begin_bit && s->sorted.end_bit == 8 * s->key_size;
}
// Adaptive sort: a block sorts a sample of at most GP__SAMPLE keys. One in eight buckets of uniform keys has a sampled
// key.
enum { GP__SAMPLE = 4096, GP__SAMPLE_THREADS = 512, GP__SAMPLE_LOG2_BINS = 12, GP__SAMPLE_LEAST = 64 };
// A second sample finds repeated keys by a hash table.
enum { GP__DUPLICATE_SAMPLE = 6144, GP__DUPLICATE_PLACES = 8192 };
GP__RULE unsigned gp__sample_size(gp__u64 count, unsigned capacity) {
  return count / capacity / 8 >= GP__SAMPLE ? (unsigned)GP__SAMPLE
      : count / capacity / 8 >= GP__SAMPLE_LEAST ? (unsigned)(count / capacity / 8)
      : (unsigned)GP__SAMPLE_LEAST;
}
GP__RULE unsigned gp__of_kind(int kind, unsigned first, unsigned second, unsigned third, unsigned fourth) {
  return kind == 0 ? first : kind == 1 ? second : kind == 2 ? third : fourth;
}
GP__RULE unsigned gp__sample_bytes(int key_size) {
  return (gp__tile_sort_bytes(key_size, GP__SAMPLE_THREADS, GP__SAMPLE / GP__SAMPLE_THREADS, GP__SAMPLE_LOG2_BINS) +
             4 * (GP__SAMPLE_THREADS / 32 + GP__SAMPLE + 1 + 64 + 256 + 1) + 15) /
      16 * 16;
}
GP__RULE unsigned gp__duplicate_bytes(void) { return 4 * (GP__DUPLICATE_PLACES + GP__DUPLICATE_SAMPLE * 33 / 32 + 2); }
GP__RULE unsigned gp__choice_bytes(int key_size) {
  return gp__sample_bytes(key_size) > gp__duplicate_bytes() ? gp__sample_bytes(key_size) : gp__duplicate_bytes();
}
GP__RULE unsigned gp__hybrid_bucket_bytes(gp__form s) {
  return s->in_size ? gp__pair_bucket_bytes(s->key_size, s->in_size, gp__bucket_threads(s->key_size),
                          gp__bucket_items(s->key_size), gp__bucket_log2_bins(s->key_size))
                    : gp__bucket_bytes(s->key_size);
}
// Dynamic shared memory of a block that moves, and of one that counts and moves.
GP__RULE unsigned gp__hybrid_tile_bytes(gp_policy p, gp__form s) {
  return s->in_size ? gp__radix_shared_bytes(p, s)
      : gp__hybrid_move_bytes(s->key_size, p.threads * gp__hybrid_vector_items(p, s));
}
GP__RULE unsigned gp__hybrid_rest_bytes(gp_policy p, gp__form s) {
  return gp__hybrid_tile_bytes(p, s) > gp__hybrid_count_bytes(p.threads) ? gp__hybrid_tile_bytes(p, s)
      : gp__hybrid_count_bytes(p.threads);
}
GP__RULE int gp__policy_valid_hybrid(gp_policy p, gp__form s) {
  return p.threads >= 256 && // the count takes a thread a digit
      (int)(gp__hybrid_rest_bytes(p, s) + (s->in_size ? gp__radix_static_bytes(p) : 16)) <= s->shared_bytes &&
      (s->in_size
              ? gp__sorts_pairs(s) && gp__policy_valid_radix(p, s) && (int)gp__hybrid_bucket_bytes(s) <= s->shared_bytes
              : gp__policy_valid_hybrid_keys(p, s));
}
// Leading sweep: the number of leading bits that leaves buckets a block can sort, in one or two passes of 8 bits; 0:
// all bits.
GP__RULE int gp__bits_of_buckets(gp__u64 count, unsigned fit) {
  return count <= fit ? 0 : 1 + gp__bits_of_buckets((count + 1) / 2, fit);
}
GP__RULE unsigned gp__leading_capacity(void) { return (unsigned)(gp__bucket_threads(4) * gp__bucket_items(4)); }
GP__RULE int gp__leading_bits(gp__u64 count) {
  return count > gp__hybrid_fit(gp__leading_capacity()) * 65536ull
      ? 0
      : gp__max(gp__bits_of_buckets(count, gp__hybrid_fit(gp__leading_capacity())), 8);
}
GP__RULE int gp__policy_valid_leading(gp_policy p, gp__form s) {
  return s->key_size == 4 && gp__sorts_pairs(s) && !(s->count >> GP__RADIX_NARROW_LOG2) &&
      gp__policy_valid_radix(p, s) && (int)gp__hybrid_bucket_bytes(s) <= s->shared_bytes;
}
GP__RULE int gp__policy_valid_adaptive(gp_policy p, gp__form s) {
  return s->key_size >= 4 && !(s->count >> GP__RADIX_NARROW_LOG2) && gp__policy_valid_hybrid(p, s) &&
      (int)gp__choice_bytes(s->key_size) <= s->shared_bytes;
}
GP__RULE int gp__policy_valid_one_block_sort(gp_policy p, gp__form s) {
  return gp__sorts_keys(s) && s->count <= (gp__u64)(p.threads * gp__one_block_items(p.vectors)) &&
      (int)gp__one_block_bytes(p, s->key_size) <= s->shared_bytes;
}
