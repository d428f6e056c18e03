// merge/portable.h - portable rules of merges, segmented sort and top-k
// uses: api/lists.h, api/policy.h, core/shape.h, merge/policy.h, segmented_sort/policy.h, top_k/policy.h,
//   core/canonical.h

__attribute__((unused)) static gp_policy gp__portable_merge(gp_policy p, gp__shape s) {
  const int vectors = p.vectors, threads = p.threads, alone = !s.in_size, sort = s.primitive == GP_MERGE_SORT;
  const int sets = gp__is_set(s.primitive), wide = sets && alone && s.key_size > 4;
  int four, narrow, small; // sets of keys of a word by a pipeline; with a tile or two a block
  p.algorithm = gp__or(p.algorithm, sort                                          ? GP_FOUR_WAY_PASSES
                                    : sets && alone && s.compute_capability >= 90 ? GP_PIPELINED
                                                                                  : GP_MERGE_PATH);
  four = p.algorithm == GP_FOUR_WAY_PASSES;
  if (four) // of few keys short parts, so that more blocks have one
    p.vectors = gp__or(p.vectors, (alone ? 8 : 4) / (s.count * (unsigned)s.key_size >> (alone ? 23 : 21) ? 1 : 2));
  narrow = p.algorithm == GP_PIPELINED && alone && !wide;
  small = narrow && !((s.count + s.count2) >> 21);
  p.threads = gp__or(p.threads, small ? 128 : narrow ? 352 : 256); // beside them, a pipeline has a warp that serves
  // Merge sort of small keys: long parts of a thread, whose begin it searches. Sets: many warps, of which some rank
  // while others look for their place, and long tiles; keys of 8 bytes alone: fewer, and longer parts.
  p.vectors = gp__or(p.vectors, wide                                                    ? 8
                                : !alone || small || (s.key_size > 4 && (sets || sort)) ? 4
                                : sort                                                  ? 8
                                : narrow && p.threads != 256                            ? 6
                                                                                        : 5);
  if (four) p.blocks_per_sm = gp__or(p.blocks_per_sm, gp__max(1024 / p.threads, 1)); // as many as leave 64 registers
  p.blocks_per_sm = gp__or(p.blocks_per_sm, wide || !alone || p.vectors > 6 || p.threads > 256 ? 2
                                            : small                                            ? 5
                                            : sets || p.vectors > 4                            ? 3
                                                                                               : 4);
  // What fits the shared memory of a small device: fewer elements a thread, then fewer threads.
  while (p.vectors > 1 && vectors == 0 && !gp__policy_valid_merge(p, s)) --p.vectors;
  while (p.threads > 64 && threads == 0 && !gp__policy_valid_merge(p, s)) p.threads = p.threads / 64 * 32;
  return p;
}
__attribute__((unused)) static gp_policy gp__portable_segmented_sort(gp_policy p, gp__shape s) {
  const int vectors = p.vectors;
  p.algorithm = gp__or(p.algorithm, GP_SIZE_CLASSES);
  p.threads = gp__or(p.threads, 256);
  p.vectors = gp__or(p.vectors, 4);
  p.blocks_per_sm = gp__or(p.blocks_per_sm, 2);
  while (!vectors && p.vectors > 1 && !gp__policy_valid_segmented_sort(p, s)) p.vectors /= 2; // little shared memory
  return p;
}
// GP_AUTO: lists while k is small, otherwise radix select. As many blocks as their lists leave room for.
__attribute__((unused)) static gp_policy gp__portable_top_k(gp_policy p, gp__shape s) {
  const int lists = s.primitive == GP_TOP_K && s.length <= GP__TOP_K_FEW;
  gp_policy q = p;
  q.algorithm = gp__or(p.algorithm, lists ? GP_BEST_LISTS : GP_RADIX_SELECT);
  q.load = gp__or(p.load, GP_CACHE_STREAMING);
  q.threads = gp__or(p.threads, 256);
  q.vectors = gp__or(p.vectors, q.algorithm == GP_RADIX_SELECT ? 2 : s.key_size >= 8 ? 4 : s.key_size == 4 ? 2 : 1);
  q.blocks_per_sm = gp__or(p.blocks_per_sm, 4);
  while (!p.blocks_per_sm && q.blocks_per_sm > 1 && !gp__policy_valid_top_k(q, s)) --q.blocks_per_sm;
  while (!p.vectors && q.vectors > 1 && !gp__policy_valid_top_k(q, s)) q.vectors /= 2;
  while (!p.threads && s.drop_keys && q.threads > 32 && !gp__policy_valid_top_k(q, s)) q.threads /= 2;
  if (p.algorithm == GP_AUTO && lists && !s.drop_keys &&
      !gp__policy_valid_top_k(q, s)) { // a device with little shared memory
    p.algorithm = GP_RADIX_SELECT;
    return gp__portable_top_k(p, s);
  }
  return q;
}
