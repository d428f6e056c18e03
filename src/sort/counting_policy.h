// sort/counting_policy.h - counting sort: when, and with how many rows
// uses: api/policy.h, core/rules.h, core/shape.h, histogram/policy.h

// Counting sort of keys of one and of two bytes. With 2-byte keys a block counts in 128 KiB of shared memory: 16-bit
// counters of all values. With many keys, blocks store their counters in memory, and the blocks that make runs add them
// up. GP__COUNTING_BLOCKS blocks make runs; each of their threads keeps GP__COUNTING_LOADS loads in flight.
enum { GP__COUNTING_BLOCKS = 128, GP__COUNTING_THREADS = 512, GP__COUNTING_LOADS = 17 };
enum { GP__COUNTING_ROWS_LOG2 = 19, GP__COUNTING_ROW_BYTES = 131072 };
GP__RULE unsigned gp__counting_rows(gp__form s, unsigned grid) {
  return s->key_size == 1 || !(s->count >> GP__COUNTING_ROWS_LOG2) ? 0 : grid;
}
GP__RULE int gp__counting_threads(int key_size) { return key_size == 1 ? 512 : 1024; }
GP__RULE int gp__counting_vectors(int key_size) { return key_size == 1 ? 2 : 4; }
GP__RULE int gp__counting_blocks(int key_size) { return key_size == 1 ? 3 : 1; }
GP__RULE int gp__policy_valid_counting(gp_policy p, gp__form s) {
  return s->key_size <= 2 && !s->in_size && !s->out_size && !s->acc_size && s->sorted.begin_bit == 0 &&
      s->sorted.end_bit == 8 * s->key_size && (p.threads & (p.threads - 1)) == 0 &&
      (s->key_size == 1 ||
          s->shared_bytes >= (int)GP__COUNTING_ROW_BYTES + (int)GP__VECTOR + (int)GP__HISTOGRAM_STATIC_BYTES);
}
