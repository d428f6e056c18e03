// sort/portable.h - portable rules of sorts
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, sort/radix_policy.h, sort/counting_policy.h,
//   sort/choice_policy.h, sort/cooperative_policy.h, core/rows.h

enum {
  GP__IF_SORT_KEYS = GP__IF, // gp__sorts_keys holds; cooperative sorts: the device has clusters
  GP__IF_SORT_PAIRS = 2 * GP__IF, // gp__sorts_pairs holds
  GP__IF_SORT_LONG = 4 * GP__IF, // keys of more than 4 bytes
  GP__IF_SORT_VALUES4 = 8 * GP__IF, // values of 4 bytes
  GP__IF_SORT_VALUES8 = 16 * GP__IF,
  GP__IF_SORT_BITS = 32 * GP__IF, // leading bits leave buckets that a block sorts; BITS8: 8 bits do
  GP__IF_SORT_BITS8 = 64 * GP__IF,
  GP__IF_SORT_LAST = 128 * GP__IF, // replaces a sweep for any keys
  // One-sweep passes. OPEN: the caller sets neither threads nor blocks.
  GP__IF_SWEEP_OPEN = GP__IF,
  GP__IF_SWEEP_SHORT = 2 * GP__IF, // keys of up to 4 bytes
  GP__IF_SWEEP_NARROW = 4 * GP__IF, // and no values
  GP__IF_SWEEP_PAIRED = 8 * GP__IF
};
// Algorithms that gp__portable_sort tries. The first one whose policy is valid wins.
static const gp__policy_row gp__sort_choices[] = {
    GP__H200(0, 4, GP__BY_COUNT | GP__IF_SORT_KEYS, (1 << 8) + 1, (1 << 19) + 1, GP_ONE_LAUNCH, 0, 0, 0, 0, 29),
    GP__H200(0, 8, GP__BY_COUNT | GP__IF_SORT_KEYS, (1 << 13) + 1, (1 << 14) + 1, GP_ONE_LAUNCH, 0, 0, 0, 0, 29),
    GP__H200(0, 4, GP__BY_COUNT | GP__IF_SORT_KEYS, (1 << 20) + 1, (1 << 21) + 1, GP_ONE_LAUNCH, 0, 0, 0, 0, 23),
    GP__H200(0, 4, GP__BY_COUNT | GP__IF_SORT_KEYS, 0, (1 << 20) + 1, GP_ADAPTIVE, 0, 0, 0, 0, 22),
    GP__H200(0, 4, GP__BY_COUNT | GP__IF_SORT_KEYS, 1 << 24, 0, GP_ADAPTIVE, 0, 0, 0, 0, 22),
    GP__H200(0, -1, GP__IF_SORT_KEYS | GP__IF_SORT_LONG, 0, 0, GP_ADAPTIVE, 0, 0, 0, 0, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SORT_PAIRS | GP__IF_SORT_LONG, 1 << 23, 0, GP_HYBRID, 0, 0, 0, 0, 22),
    GP__H200(0, 1, GP__BY_COUNT, 1 << 16, 0, GP_COUNTING, 0, 0, 0, 0, 22),
    GP__H200(0, -1, GP__BY_COUNT, 1 << 19, 0, GP_COUNTING, 0, 0, 0, 0, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SORT_LAST, 0, 1 << 21, GP_ONE_LAUNCH, 0, 0, 0, 0, 23),
    GP__H200(
        0, 4, GP__BY_COUNT | GP__IF_SORT_VALUES4 | GP__IF_SORT_BITS8, 1 << 17, 0, GP_LEADING_SWEEP, 0, 0, 0, 0, 23),
    GP__H200(0, 4, GP__BY_COUNT | GP__IF_SORT_VALUES4 | GP__IF_SORT_BITS, 1 << 23, 0, GP_LEADING_SWEEP, 0, 0, 0, 0, 23),
    GP__H200(
        0, 4, GP__BY_COUNT | GP__IF_SORT_VALUES8 | GP__IF_SORT_BITS8, 1 << 18, 0, GP_LEADING_SWEEP, 0, 0, 0, 0, 23),
    GP__H200(0, 4, GP__BY_COUNT | GP__IF_SORT_VALUES8 | GP__IF_SORT_BITS, 1 << 22, 0, GP_LEADING_SWEEP, 0, 0, 0, 0, 23),
    GP__H200(0, 4, GP__BY_COUNT | GP__IF_SORT_VALUES4, 1 << 16, 0, GP_PAIRED_SWEEP, 0, 0, 0, 0, 22),
};
// Threads a multiprocessor are few enough that each has registers for its keys: none spill. With few keys each
// multiprocessor gets a tile.
static const gp__policy_row gp__sort_rows[] = {
    GP__H200(0, -1, GP__CHOOSES | GP__BY_KEYS | GP__IF_SORT_KEYS, 0, (1 << 16) + 1, GP_ONE_BLOCK, 0, 0, 0, 0, 22),
    GP__H200(0, -1, GP__CHOOSES | GP__BY_COUNT, 1ull << GP__RADIX_NARROW_LOG2, 0, GP_HYBRID, 0, 0, 0, 0, 22),
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_ADAPTIVE, 0, 0, 0, 0, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SORT_KEYS, 0, 2049, GP_ONE_BLOCK, 256, 2, 0, 1, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SORT_KEYS, 2049, 4097, GP_ONE_BLOCK, 512, 2, 0, 1, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SORT_KEYS, 4097, 8193, GP_ONE_BLOCK, 1024, 2, 0, 1, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SORT_KEYS, 8193, 0, GP_ONE_BLOCK, 1024, 4, 0, 1, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SORT_KEYS, 0, 1 << 27, 0, 256, 0, 0, 2, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SORT_KEYS, 1 << 27, 0, 0, 512, 0, 0, 1, 22),
    GP__H200(0, -1, GP__BY_KEYS | GP__IF_SORT_KEYS, 0, 1 << 20, 0, 0, 1, 0, 0, 22),
    GP__H200(0, -1, GP__BY_KEYS | GP__IF_SORT_KEYS, 1 << 20, 4 << 20, 0, 0, 2, 0, 0, 22),
    GP__H200(0, -1, GP__BY_KEYS | GP__IF_SORT_KEYS, 4 << 20, 8 << 20, 0, 0, 4, 0, 0, 22),
    GP__H200(0, -1, GP__BY_KEYS | GP__IF_SORT_KEYS, 8 << 20, 0, 0, 0, 8, 0, 0, 22),
    GP__H200(0, -1, GP__BY_KEYS | GP__IF_SORT_PAIRS, 0, 8 << 20, 0, 256, 2, 0, 2, 22),
    GP__H200(0, -1, GP__BY_KEYS | GP__IF_SORT_PAIRS | GP__IF_SORT_LONG, 0, 8 << 20, 0, 0, 4, 0, 0, 22),
    GP__H200(0, -1, GP__BY_KEYS | GP__IF_SORT_PAIRS, 8 << 20, 0, 0, 512, 8, 0, 1, 22),
    GP__H200(0, -1, 0, 0, 0, GP_COUNTING, 256, 4, 0, 4, 22),
};
// Few tiles in flight keep look-backs short. Keys of up to 4 bytes use two blocks a multiprocessor, and a tile's
// look-back overlaps the next tile's ranking. Others use one block with as many elements as its registers hold.
static const gp__policy_row gp__sweep_rows[] = {
    GP__H200(0, -1, GP__IF_SWEEP_PAIRED, 0, 0, 0, 256, 2, 1, 2, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SWEEP_PAIRED, 1 << 20, 0, 0, 0, 5, 0, 0, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SWEEP_PAIRED, 1 << 23, 1 << 26, GP_PAIRED_SWEEP, 512, 0, 0, 1, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SWEEP_PAIRED, 1 << 24, 1 << 26, GP_LEADING_SWEEP, 512, 0, 0, 1, 23),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SWEEP_PAIRED, 1 << 26, 0, 0, 384, 8, 0, 1, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SWEEP_OPEN | GP__IF_SWEEP_NARROW, 1 << 21, 0, 0, 256, 0, 2, 2, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SWEEP_OPEN | GP__IF_SWEEP_SHORT, 1 << 21, 0, 0, 384, 0, 0, 0, 22),
    GP__H200(0, -1, GP__BY_COUNT | GP__IF_SWEEP_OPEN, 1 << 21, 0, 0, 512, 8, 1, 1, 22),
    GP__H200(0, -1, 0, 0, 0, 0, 384, 5, 2, 2, 22),
};
static const gp__policy_row gp__small_sweep_rows[] = {
    GP__H200(0, -1, GP__BY_KEYS, 0, 1 << 20, GP_ONE_SWEEP, 384, 2, 0, 2, 22),
    GP__H200(0, -1, GP__BY_KEYS | GP__IF_SORT_LONG, 0, 1 << 20, GP_ONE_SWEEP, 256, 2, 0, 4, 22),
};
// Vectors are for 4-byte keys. Threads have few keys while there are blocks enough, more where the count requires it.
static const gp__policy_row gp__cooperative_rows[] = {
    GP__H200(0, -1, GP__CHOOSES | GP__BY_COUNT | GP__IF_SORT_KEYS, 0, (1 << 15) + 1, GP_ONE_CLUSTER, 0, 0, 0, 0, 23),
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_ONE_LAUNCH, 0, 0, 0, 1, 23),
    GP__H200(0, -1, GP__BY_COUNT, 0, (1 << 14) + 1, GP_ONE_CLUSTER, 256, 0, 0, 1, 23),
    GP__H200(0, -1, GP__BY_COUNT, (1 << 14) + 1, 0, GP_ONE_CLUSTER, 512, 0, 0, 1, 23),
    GP__H200(0, -1, GP__BY_COUNT, 0, (1 << 15) + 1, GP_ONE_LAUNCH, 256, 0, 0, 1, 23),
    GP__H200(0, -1, GP__BY_COUNT, (1 << 15) + 1, 0, GP_ONE_LAUNCH, 512, 0, 0, 1, 23),
    GP__H200(0, -1, GP__BY_COUNT, 0, (1 << 17) + 1, 0, 0, 1, 0, 0, 23),
    GP__H200(0, -1, GP__BY_COUNT, (1 << 17) + 1, (1 << 19) + 1, 0, 0, 2, 0, 0, 23),
    GP__H200(0, -1, GP__BY_COUNT, (1 << 19) + 1, (1 << 20) + 1, 0, 0, 4, 0, 0, 23),
    GP__H200(0, -1, GP__BY_COUNT, (1 << 20) + 1, 0, 0, 0, 8, 0, 0, 23),
};

// One-sweep passes take two stages if all blocks of a multiprocessor then fit, or fit with one vector less and at least
// eight elements a thread.
GP__HOST int gp__radix_has_room(gp_policy p, gp__form s) {
  const int block = (int)(gp__radix_shared_bytes(p, s) + gp__radix_static_bytes(p)) + 1024;
  return gp__policy_valid_radix(p, s) && (p.stages == 1 || block * p.blocks_per_sm <= s->shared_bytes + 1024);
}
// True if a thread's registers hold its elements and the 32 that the kernel needs, with all blocks resident.
GP__HOST int gp__sweep_fits(gp_policy p, gp__form s) {
  return (gp__radix_registers(p.vectors, s) + 32) * p.threads * p.blocks_per_sm <= 65536;
}
GP__HOST int gp__pairs_fit(gp_policy p, gp__form s) {
  return (gp__radix_registers(p.vectors, s) + 16) * p.threads * p.blocks_per_sm <= 65536;
}
GP__HOST gp_policy gp__portable_radix(gp_policy p, gp__form s) {
  const int vectors = p.vectors, stages = p.stages, open = !p.threads && !p.blocks_per_sm;
  const int paired = open && gp__is_paired(p.algorithm, s->in_size); // tiles as large as registers hold
  p = GP__FILL(p, gp__sweep_rows, gp__measure_keys, s,
      (paired ? GP__IF_SWEEP_PAIRED
              : open ? GP__IF_SWEEP_OPEN
              : 0) |
          (s->key_size > 4 ? 0 : GP__IF_SWEEP_SHORT) | (s->key_size > 4 || s->in_size ? 0 : GP__IF_SWEEP_NARROW));
  if (!vectors && !paired) {
    const int most = !open || p.threads * p.blocks_per_sm > 512 ? 52 : s->key_size <= 4 ? 100 : 80;
    while (p.vectors > 1 && gp__radix_registers(p.vectors, s) > most) --p.vectors;
  }
  if (!stages && p.stages == 2 && !gp__radix_has_room(p, s)) {
    gp_policy smaller = p;
    --smaller.vectors;
    if (!vectors && gp__radix_items(smaller.vectors, s->key_size) >= 8 && gp__radix_has_room(smaller, s))
      return smaller;
    p.stages = 1;
  }
  while (!vectors && p.vectors > 1 && !gp__policy_valid_radix(p, s)) --p.vectors;
  return p;
}
GP__HOST gp_policy gp__portable_cooperative(gp_policy p, gp__form s) {
  gp_policy q = GP__FILL(p, gp__cooperative_rows, gp__measure_keys, s, gp__has_clusters(s) ? GP__IF_SORT_KEYS : 0);
  if (!p.vectors) q.vectors = gp__max(1, q.vectors * gp__max(s->key_size, 4) / 4);
  if (!p.vectors && q.vectors > 8) q.vectors = 8;
  while (!p.threads && q.threads < 1024 && !gp__policy_valid_cooperative(q, s)) q.threads *= 2;
  while (!p.vectors && q.vectors < 8 && !gp__policy_valid_cooperative(q, s)) q.vectors += q.vectors == 6 ? 2 : 1;
  return q;
}
// Hybrid, adaptive and one-block sorts, of keys alone or of pairs.
GP__HOST gp_policy gp__portable_hybrid(gp_policy p, gp__form s) {
  const int pairs = s->in_size != 0;
  gp_policy q = GP__FILL(p, gp__sort_rows, gp__measure_keys, s,
      (pairs ? GP__IF_SORT_PAIRS : GP__IF_SORT_KEYS) | (s->key_size > 4 ? GP__IF_SORT_LONG : 0));
  if (pairs) q.stages = 1;
  while (!p.vectors && q.vectors > 1 &&
      ((pairs && gp__radix_registers(q.vectors, s) > (s->count * (unsigned)s->key_size >> 23 ? 72 : 52)) ||
          !gp__policy_valid_sort(q, s)))
    q.vectors -= !pairs && q.vectors > 6 ? 2 : 1;
  if (!pairs && !p.algorithm && !gp__policy_valid_sort(q, s)) q.algorithm = GP_HYBRID; // no room for a sample
  return q;
}
GP__HOST int gp__tries(gp_policy p, gp__form s, unsigned when, int algorithm) {
  const gp__wanted w = gp__wanted_of(s, gp__measure_keys(s), when);
  const gp__policy_row *found[GP__ROWS_MOST];
  int i;
  if (p.algorithm) return p.algorithm == algorithm;
  i = gp__rows_for(gp__sort_choices, (int)(sizeof gp__sort_choices / sizeof *gp__sort_choices), NULL, &w, found);
  while (--i >= 0 && !gp__is_row_of(found[i], algorithm)) {}
  return i >= 0;
}
GP__HOST gp_policy gp__portable_sort(gp_policy p, gp__form s) {
  const int bits = gp__leading_bits(s->count);
  const unsigned when = (gp__sorts_keys(s) ? GP__IF_SORT_KEYS : 0) | (gp__sorts_pairs(s) ? GP__IF_SORT_PAIRS : 0) |
      (s->key_size > 4 ? GP__IF_SORT_LONG : 0) | (s->in_size == 4 ? GP__IF_SORT_VALUES4 : 0) |
      (s->in_size == 8 ? GP__IF_SORT_VALUES8 : 0) | (bits ? GP__IF_SORT_BITS : 0) | (bits == 8 ? GP__IF_SORT_BITS8 : 0);
  const int may_cooperate = !p.algorithm || gp__is_cooperative(p.algorithm);
  const gp_policy cooperative = may_cooperate ? gp__portable_cooperative(p, s) : p;
  gp_policy q = p;
  if (gp__is_cooperative(p.algorithm) ||
      (gp__tries(p, s, when, GP_ONE_LAUNCH) && gp__policy_valid_sort(cooperative, s)))
    return cooperative;
  if (gp__sorts_keys(s) ? gp__tries(p, s, when, GP_ADAPTIVE) || p.algorithm == GP_HYBRID || p.algorithm == GP_ONE_BLOCK
      : gp__sorts_pairs(s) && (gp__tries(p, s, when, GP_HYBRID) || p.algorithm == GP_ADAPTIVE)) {
    q = gp__portable_hybrid(p, s);
    if (p.algorithm || gp__policy_valid_sort(q, s)) return q;
  }
  q = p;
  q.algorithm = GP_COUNTING;
  q = GP__FILL(q, gp__sort_rows, gp__measure_keys, s, 0);
  if (p.algorithm == GP_COUNTING || (gp__tries(p, s, when, GP_COUNTING) && gp__policy_valid_counting(q, s))) return q;
  if (gp__tries(p, s, when | GP__IF_SORT_LAST, GP_ONE_LAUNCH) && gp__policy_valid_sort(cooperative, s))
    return cooperative;
  if (!p.algorithm && gp__tries(p, s, when, GP_LEADING_SWEEP)) {
    q = p;
    q.algorithm = GP_LEADING_SWEEP; // one pass, or so many pairs that a pass saved outweighs the launches
    q = gp__portable_radix(q, s);
    if (gp__policy_valid_sort(q, s)) return q;
  }
  if (!p.algorithm) p.algorithm = gp__tries(p, s, when, GP_PAIRED_SWEEP) ? GP_PAIRED_SWEEP : GP_ONE_SWEEP;
  if (p.algorithm == GP_ONE_SWEEP && !p.threads && !p.vectors && !p.blocks_per_sm) // small tiles
    p = GP__FILL(p, gp__small_sweep_rows, gp__measure_keys, s, s->key_size > 4 ? GP__IF_SORT_LONG : 0);
  return gp__portable_radix(p, s);
}
