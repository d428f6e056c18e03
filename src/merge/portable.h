// merge/portable.h - portable rule of merges and sets
// uses: api/lists.h, api/policy.h, core/shape.h, merge/policy.h, core/canonical.h

__attribute__((unused)) static gp_policy gp__portable_merge(gp_policy p, gp__shape s) {
  const int vectors = p.vectors, threads = p.threads, alone = !s.in_size, sort = s.primitive == GP_MERGE_SORT;
  const int sets = gp__is_set(s.primitive), wide = sets && alone && s.key_size > 4;
  int four, narrow, small; // sets of keys of a word by a pipeline; with a tile or two a block
  p.algorithm = gp__default_to(p.algorithm, sort                                          ? GP_FOUR_WAY_PASSES
                                            : sets && alone && s.compute_capability >= 90 ? GP_PIPELINED
                                                                                          : GP_MERGE_PATH);
  four = p.algorithm == GP_FOUR_WAY_PASSES;
  if (four) // of few keys short parts, so that more blocks have one
    p.vectors =
        gp__default_to(p.vectors, (alone ? 8 : 4) / (s.count * (unsigned)s.key_size >> (alone ? 23 : 21) ? 1 : 2));
  narrow = p.algorithm == GP_PIPELINED && alone && !wide;
  small = narrow && !((s.count + s.count2) >> 21);
  p.threads = gp__default_to(p.threads, small    ? 128
                                        : narrow ? 352
                                                 : 256); // beside them, a pipeline has a warp that serves
  // Merge sort of small keys: long parts of a thread, whose begin it searches. Sets: many warps, of which some rank
  // while others look for their place, and long tiles; keys of 8 bytes alone: fewer, and longer parts.
  p.vectors = gp__default_to(p.vectors, wide                                                    ? 8
                                        : !alone || small || (s.key_size > 4 && (sets || sort)) ? 4
                                        : sort                                                  ? 8
                                        : narrow && p.threads != 256                            ? 6
                                                                                                : 5);
  if (four)
    p.blocks_per_sm = gp__default_to(p.blocks_per_sm, gp__max(1024 / p.threads, 1)); // as many as leave 64 registers
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm, wide || !alone || p.vectors > 6 || p.threads > 256 ? 2
                                                    : small                                            ? 5
                                                    : sets || p.vectors > 4                            ? 3
                                                                                                       : 4);
  // What fits the shared memory of a small device: fewer elements a thread, then fewer threads.
  while (p.vectors > 1 && vectors == 0 && !gp__policy_valid_merge(p, s)) --p.vectors;
  while (p.threads > 64 && threads == 0 && !gp__policy_valid_merge(p, s)) p.threads = p.threads / 64 * 32;
  return p;
}
