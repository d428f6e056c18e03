// sort/radix_policy.h - radix passes: digits, shared memory, validity
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h

// One-sweep radix sort has a pass for each 8 bits of the ordered key, the least significant first. An ordered key of
// more than 64 bits has several words; no pass spans two.
enum {
  GP__RADIX_PASSES = 64, // at most: struct keys of 64 bytes
  GP__RADIX_HISTOGRAM_THREADS = 1024,
  GP__RADIX_TABLES = 4, // tables of 256 counters: one for each digit of a 32-bit word
  GP__RADIX_GROUP = 8, // tiles of a group, whose counts are also summed; a look-back loads a group at once
  GP__RADIX_GROUPS = 2, // sums of groups that a look-back loads at once
  GP__RADIX_VALUE_BYTES = 16, // larger values follow their keys by index
  GP__RADIX_NARROW_LOG2 = 30, // below 2^30 elements counts travel in 32-bit words
  GP__NUMBERS_LOG2 = 15 // from 2^15 floats on, merge sort by GP_LESS or GP_GREATER is a radix sort
};
GP__RULE int gp__radix_passes(int begin_bit, int end_bit) {
  return begin_bit >= end_bit ? 0
      : begin_bit / 64 < end_bit / 64
      ? (64 - begin_bit % 64 + 7) / 8 + gp__radix_passes(begin_bit / 64 * 64 + 64, end_bit)
      : (end_bit - begin_bit + 7) / 8;
}
// Bits of the digit that begins at `bit`.
GP__RULE int gp__radix_digit_bits(int bit, int end) {
  return end <= bit ? 0
      : 64 - bit % 64 < 8 && end > bit + 64 - bit % 64 ? 64 - bit % 64
      : end - bit < 8 ? end - bit
      : 8;
}
// Keys a thread holds.
GP__RULE int gp__radix_items(int vectors, int key_size) {
  return GP__VECTOR * vectors >= gp__max(key_size, 4) ? GP__VECTOR * vectors / gp__max(key_size, 4) : 1;
}
// Bytes of the look-back words of each pair of digits: counts of each tile; for each pass, sums of each group of tiles;
// then counts up to each group's end (prefix_bytes each).
GP__RULE gp__u64 gp__radix_words_bytes(gp__u64 tiles, int passes, int prefix_bytes) {
  return GP__DIGITS / 2 * (8 * tiles + (unsigned)(8 * passes + prefix_bytes) * gp__ceil_div(tiles, GP__RADIX_GROUP));
}
// Bytes of the values that move with the keys: of indices if values are large.
GP__RULE int gp__radix_index_bytes(gp__u64 count) { return count >> 32 ? 8 : 4; }
GP__RULE int gp__radix_value_bytes(gp__form s) {
  return s->in_size <= GP__RADIX_VALUE_BYTES ? s->in_size : gp__radix_index_bytes(s->count);
}
// Bytes of the ordered key.
GP__RULE int gp__radix_ordered_bytes(gp__form s) { return s->acc_size ? s->acc_size : s->key_size; }
GP__RULE unsigned gp__radix_elements_bytes(gp_policy p, int key_size, int size) {
  return (unsigned)(p.stages * p.threads * gp__radix_items(p.vectors, key_size) * size + 15) / 16 * 16;
}
// Dynamic shared memory of a pass: a tile of keys and one of values for each stage. Static, at most: each warp's
// counters, and each digit's destination.
GP__RULE unsigned gp__radix_shared_bytes(gp_policy p, gp__form s) {
  return gp__radix_elements_bytes(p, s->key_size, s->key_size) +
      gp__radix_elements_bytes(p, s->key_size, gp__radix_value_bytes(s));
}
GP__RULE unsigned gp__radix_static_bytes(gp_policy p) {
  return (unsigned)(p.threads / GP__WARP * 2 * GP__DIGITS + 8 * GP__DIGITS + 256);
}
// The histogram's dynamic shared memory, and its copies of each counter, which keep lanes of a warp apart.
GP__RULE unsigned gp__radix_histogram_bytes(int ordered_bytes, int replicas) {
  return (unsigned)((ordered_bytes < GP__RADIX_TABLES ? ordered_bytes : GP__RADIX_TABLES) * replicas * 4 * GP__DIGITS);
}
GP__RULE int gp__radix_replicas(int ordered_bytes, int capability, int most) {
  return most <= 8 || (int)gp__radix_histogram_bytes(ordered_bytes, most) + 2048 <= gp__shared_bytes_of(capability)
      ? most
      : gp__radix_replicas(ordered_bytes, capability, most / 2);
}
GP__RULE int gp__is_paired(int algorithm, int in_size) { // between passes values are beside their keys
  return in_size == 4 && (algorithm == GP_PAIRED_SWEEP || algorithm == GP_LEADING_SWEEP);
}
GP__RULE int gp__sweeps(int algorithm) {
  return algorithm == GP_ONE_SWEEP || algorithm == GP_PAIRED_SWEEP || algorithm == GP_LEADING_SWEEP;
}
// Registers of a thread for its keys, their places, and their values.
GP__RULE int gp__radix_registers(int vectors, gp__form s) {
  return gp__radix_items(vectors, s->key_size) * ((s->key_size + 3) / 4 + 1 + (gp__radix_value_bytes(s) + 3) / 4);
}
// With values, elements must leave more than a quarter of a multiprocessor's registers; otherwise hundreds of bytes
// spill.
GP__RULE int gp__policy_valid_radix(gp_policy p, gp__form s) {
  return (!gp__radix_value_bytes(s) || gp__radix_registers(p.vectors, s) * p.threads < 49152) && p.stages >= 1 &&
      p.stages <= 2 && p.threads * gp__radix_items(p.vectors, s->key_size) < 65536 &&
      (int)(gp__radix_shared_bytes(p, s) + gp__radix_static_bytes(p)) <= s->shared_bytes;
}
