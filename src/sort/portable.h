// sort/portable.h - portable rules of sorts
// uses: api/lists.h, api/policy.h, core/shape.h, sort/radix_policy.h, sort/counting_policy.h, sort/choice_policy.h,
//   sort/cooperative_policy.h, core/canonical.h

// Counting sort, where it may be: from so many keys on.
__attribute__((unused)) static gp_policy gp__portable_counting(gp_policy p) {
  p.algorithm = GP_COUNTING;
  p.threads = gp__default_to(p.threads, 256);
  p.vectors = gp__default_to(p.vectors, 4);
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm, 4);
  return p;
}
// One-sweep passes: two stages where all blocks of a multiprocessor then find room, or do with one vector less, as long
// as a thread has eight elements.
__attribute__((unused)) static int gp__radix_has_room(gp_policy p, gp__shape s) {
  const int block = (int)(gp__radix_shared_bytes(p, s) + gp__radix_static_bytes(p)) + 1024;
  return gp__policy_valid_radix(p, s) && (p.stages == 1 || block * p.blocks_per_sm <= s.shared_bytes + 1024);
}
// Do the registers that all blocks leave a thread hold them, beside what the kernel needs?
__attribute__((unused)) static int gp__sweep_fits(gp_policy p, gp__shape s) {
  return (gp__radix_registers(p.vectors, s) + 32) * p.threads * p.blocks_per_sm <= 65536;
}
// Few tiles under way make short look-backs: keys of up to 4 bytes go by two blocks a multiprocessor whose tiles are
// looked back for behind the next one's ranking, others by one block with as many elements as its registers hold.
__attribute__((unused)) static gp_policy gp__portable_radix(gp_policy p, gp__shape s) {
  const int vectors = p.vectors, stages = p.stages, narrow = s.key_size <= 4 && !s.in_size;
  const int large = !p.threads && !p.blocks_per_sm && s.count >> 21 != 0, registers = s.key_size <= 4 ? 100 : 80;
  if (gp__is_paired(p.algorithm, s.in_size) && !p.threads && !p.blocks_per_sm) { // tiles as large as registers hold
    const int log2_large = p.algorithm == GP_LEADING_SWEEP ? 24 : 23;
    p.threads = s.count >> 26 ? 384 : s.count >> log2_large ? 512 : 256;
    p.blocks_per_sm = s.count >> log2_large ? 1 : 2;
    p.stages = gp__default_to(stages, 1);
    p.vectors = gp__default_to(vectors, s.count >> 26 ? 8 : s.count >> 20 ? 5 : 2);
  } else if (large) {
    p.threads = narrow ? 256 : s.key_size <= 4 ? 384 : 512;
    p.blocks_per_sm = narrow ? 2 : 1;
    p.stages = gp__default_to(stages, narrow ? 2 : 1);
    if (!vectors)
      for (p.vectors = 8; p.vectors > 1 && gp__radix_registers(p.vectors, s) > registers;) --p.vectors;
  } else {
    p.threads = gp__default_to(p.threads, 384);
    p.blocks_per_sm = gp__default_to(p.blocks_per_sm, 2);
    p.stages = gp__default_to(stages, 2);
    if (!vectors)
      for (p.vectors = 5; p.vectors > 1 && gp__radix_registers(p.vectors, s) > 52;) --p.vectors;
  }
  if (!stages && p.stages == 2 && !gp__radix_has_room(p, s)) {
    gp_policy smaller = p;
    --smaller.vectors;
    if (!vectors && gp__radix_items(smaller.vectors, s.key_size) >= 8 && gp__radix_has_room(smaller, s)) return smaller;
    p.stages = 1;
  }
  while (!vectors && p.vectors > 1 && !gp__policy_valid_radix(p, s)) --p.vectors;
  return p;
}
// Few keys a thread while there are blocks: 4 up to 2^17 keys, 8 up to 2^19, 16 up to 2^20; more where it takes them.
enum { GP__COOPERATIVE_LOG2_CLUSTER = 15, GP__COOPERATIVE_LOG2 = 20 };
__attribute__((unused)) static gp_policy gp__portable_cooperative(gp_policy p, gp__shape s) {
  const int has_clusters = s.compute_capability >= 90 && s.compute_capability < 120;
  const int in_cluster = has_clusters && s.count <= 1 << GP__COOPERATIVE_LOG2_CLUSTER;
  const int items = s.count <= 1 << 17 ? 4 : s.count <= 1 << 19 ? 8 : s.count <= 1 << 20 ? 16 : 32;
  gp_policy q = p;
  q.algorithm = gp__default_to(p.algorithm, in_cluster ? GP_ONE_CLUSTER : GP_ONE_LAUNCH);
  q.blocks_per_sm = gp__default_to(p.blocks_per_sm, 1);
  q.threads = gp__default_to(p.threads, s.count <= (q.algorithm == GP_ONE_CLUSTER ? 1 << 14 : 1 << 15) ? 256 : 512);
  q.vectors = gp__default_to(p.vectors, gp__max(1, items * gp__max(s.key_size, 4) / 16));
  if (!p.vectors && q.vectors > 8) q.vectors = 8;
  while (!p.threads && q.threads < 1024 && !gp__policy_valid_cooperative(q, s)) q.threads *= 2;
  while (!p.vectors && q.vectors < 8 && !gp__policy_valid_cooperative(q, s)) q.vectors += q.vectors == 6 ? 2 : 1;
  return q;
}
__attribute__((unused)) static gp_policy gp__portable_sort(gp_policy p, gp__shape s) {
  const int one_sweep = s.key_size == 4 && s.count > 1 << 20 && !(s.count >> 24); // behind it a sample decides
  const gp_policy cooperative = gp__portable_cooperative(p, s);
  const int few = !p.algorithm && s.count <= 1 << GP__COOPERATIVE_LOG2 && gp__policy_valid_sort(cooperative, s);
  if (gp__is_cooperative(p.algorithm)) return cooperative;
  if (!p.algorithm && gp__sorts_keys(s) && s.key_size == 4 && s.count > 1 << 14 && s.count <= 1 << 21 &&
      (s.count <= 1 << 19 || s.count > 1 << 20) && gp__policy_valid_sort(cooperative, s))
    return cooperative;
  if (gp__sorts_keys(s) && (p.algorithm == GP_HYBRID || p.algorithm == GP_ADAPTIVE || p.algorithm == GP_ONE_BLOCK ||
                            (!p.algorithm && s.key_size >= 4 && !one_sweep))) {
    const unsigned long long bytes = s.count * (unsigned)s.key_size;
    gp_policy q = p;
    q.algorithm = gp__default_to(p.algorithm, bytes <= 1 << 16                   ? GP_ONE_BLOCK
                                              : s.count >> GP__RADIX_NARROW_LOG2 ? GP_HYBRID
                                                                                 : GP_ADAPTIVE);
    // No more threads a multiprocessor than leave each the registers for its keys: none may be spilled.
    q.blocks_per_sm = gp__default_to(p.blocks_per_sm, q.algorithm == GP_ONE_BLOCK || s.count >> 27 ? 1 : 2);
    q.threads = gp__default_to(p.threads, q.algorithm != GP_ONE_BLOCK ? s.count >> 27 ? 512 : 256
                                          : s.count <= 2048           ? 256
                                          : s.count <= 4096           ? 512
                                                                      : 1024);
    q.vectors =
        gp__default_to(p.vectors, q.algorithm != GP_ONE_BLOCK ? bytes >> 23   ? 8
                                                                : bytes >> 22 ? 4
                                                                : bytes >> 20 ? 2
                                                                              : 1 // a tile for each multiprocessor
                                  : s.count <= 8192           ? 2
                                                              : 4);
    while (!p.vectors && q.vectors > 1 && !gp__policy_valid_sort(q, s)) q.vectors -= q.vectors > 6 ? 2 : 1;
    if (!p.algorithm && !gp__policy_valid_sort(q, s)) q.algorithm = GP_HYBRID; // no room for a sample
    if (p.algorithm || gp__policy_valid_sort(q, s)) return q;
  }
  // Of keys of 4 bytes, and of fewer, one sweep is faster, whatever they are.
  if (gp__sorts_pairs(s) &&
      (p.algorithm == GP_HYBRID || p.algorithm == GP_ADAPTIVE || (!p.algorithm && s.key_size > 4 && s.count >> 23))) {
    const int large = s.count * (unsigned)s.key_size >> 23 ? 1 : 0;
    gp_policy q = p;
    q.algorithm = gp__default_to(p.algorithm, s.count >> GP__RADIX_NARROW_LOG2 ? GP_HYBRID : GP_ADAPTIVE);
    q.stages = 1;
    q.blocks_per_sm =
        gp__default_to(p.blocks_per_sm, large ? 1 : 2); // few blocks: registers for large tiles, and none spilled
    q.threads = gp__default_to(p.threads, large ? 512 : 256);
    q.vectors = gp__default_to(p.vectors, large ? 8 : s.key_size > 4 ? 4 : 2);
    while (!p.vectors && q.vectors > 1 &&
           (gp__radix_registers(q.vectors, s) > (large ? 72 : 52) || !gp__policy_valid_sort(q, s)))
      --q.vectors;
    if (p.algorithm || gp__policy_valid_sort(q, s)) return q;
  }
  const gp_policy counting = gp__portable_counting(p);
  if (p.algorithm == GP_COUNTING ||
      (p.algorithm == GP_AUTO && s.count >> (s.key_size == 1 ? 16 : 19) && gp__policy_valid_counting(counting, s)))
    return counting;
  if (few) return cooperative; // in place of a sweep, whatever the keys are
  if (!p.algorithm && s.key_size == 4 && (s.in_size == 4 || s.in_size == 8) && s.count >> 16) {
    const int wide = s.in_size == 8;
    gp_policy q = p;
    q.algorithm = GP_LEADING_SWEEP; // in one pass, or of so many that a pass less counts more than launches
    q = gp__portable_radix(q, s);
    if (((s.count >> (17 + wide) && gp__leading_bits(s.count) == 8) ||
         (s.count >> (23 - wide) && gp__leading_bits(s.count))) &&
        gp__policy_valid_sort(q, s))
      return q;
    if (!wide) p.algorithm = GP_PAIRED_SWEEP;
  }
  p.algorithm = gp__default_to(p.algorithm, GP_ONE_SWEEP);
  if (p.algorithm == GP_ONE_SWEEP && !p.threads && !p.vectors && !p.blocks_per_sm &&
      !(s.count * (unsigned)s.key_size >> 20)) { // small tiles
    p.threads = s.key_size > 4 ? 256 : 384;
    p.vectors = 2;
    p.blocks_per_sm = s.key_size > 4 ? 4 : 2;
  }
  return gp__portable_radix(p, s);
}
