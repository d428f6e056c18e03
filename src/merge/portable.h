// merge/portable.h - portable rule of merges and sets
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, merge/policy.h, core/canonical.h, core/rows.h

// Merge sort of few keys takes short parts, so that more blocks have one. Small keys take long parts, as each thread
// searches for its part's start. Sets take long tiles and many warps: some rank while others search. Sets of wide keys
// alone take fewer warps and longer parts. A pipeline of word-sized keys has a serving warp beside its threads; small
// inputs have a tile or two a block.
enum {
  GP__IF_MERGE_SETS = GP__IF, // sets of keys alone, compute capability 9.0 or later
  GP__IF_MERGE_ALONE = 2 * GP__IF, // keys alone
  GP__IF_MERGE_PAIRS = 4 * GP__IF, // keys with values
  GP__IF_MERGE_NARROW = 8 * GP__IF, // keys alone, not wide
  GP__IF_MERGE_LONG = 32 * GP__IF, // keys of more than 4 bytes
  GP__IF_MERGE_WIDE = 16 * GP__IF // sets of keys alone of more than 4 bytes
};
static const gp__policy_row gp__merge_rows[] = {
    GP__H200(GP_MERGE_SORT, -1, GP__CHOOSES, 0, 0, GP_FOUR_WAY_PASSES, 0, 0, 0, 0, 23),
    GP__H200(0, -1, GP__CHOOSES | GP__IF_MERGE_SETS, 0, 0, GP_PIPELINED, 0, 0, 0, 0, 22),
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_MERGE_PATH, 0, 0, 0, 0, 22),
    GP__H200(0, -1, GP__IF_MERGE_ALONE | GP__BY_KEYS, 0, 0, GP_FOUR_WAY_PASSES, 0, 4, 0, 0, 23),
    GP__H200(0, -1, GP__IF_MERGE_ALONE | GP__BY_KEYS, 8 << 20, 0, GP_FOUR_WAY_PASSES, 0, 8, 0, 0, 23),
    GP__H200(0, -1, GP__IF_MERGE_PAIRS | GP__BY_KEYS, 0, 0, GP_FOUR_WAY_PASSES, 0, 2, 0, 0, 23),
    GP__H200(0, -1, GP__IF_MERGE_PAIRS | GP__BY_KEYS, 2 << 20, 0, GP_FOUR_WAY_PASSES, 0, 4, 0, 0, 23),
    GP__H200(0, -1, GP__IF_MERGE_NARROW | GP__BY_COUNT, 0, 1 << 21, GP_PIPELINED, 128, 4, 0, 0, 22),
    GP__H200(0, -1, GP__IF_MERGE_NARROW | GP__BY_COUNT, 1 << 21, 0, GP_PIPELINED, 352, 6, 0, 0, 22),
    GP__H200(0, -1, GP__IF_MERGE_WIDE, 0, 0, 0, 0, 8, 0, 0, 22),
    GP__H200(0, -1, GP__IF_MERGE_PAIRS, 0, 0, 0, 0, 4, 0, 0, 22),
    GP__H200(GP_MERGE_SORT, -1, GP__IF_MERGE_LONG, 0, 0, 0, 0, 4, 0, 0, 22),
    GP__H200(GP_MERGE_SORT, -1, 0, 0, 0, 0, 0, 8, 0, 0, 22),
    GP__H200(0, -1, 0, 0, 0, 0, 256, 5, 0, 0, 22),
};
GP__HOST gp_policy gp__portable_merge(gp_policy p, gp__form s) {
  const int vectors = p.vectors, threads = p.threads, alone = !s->in_size;
  const int sets = gp__is_set(s->primitive), wide = sets && alone && s->key_size > 4;
  int small;
  p = GP__FILL(p, gp__merge_rows, gp__measure_keys, s,
      (alone ? GP__IF_MERGE_ALONE : GP__IF_MERGE_PAIRS) | (wide ? GP__IF_MERGE_WIDE : 0) |
          (s->key_size > 4 ? GP__IF_MERGE_LONG : 0) | (alone && !wide ? GP__IF_MERGE_NARROW : 0) |
          (sets && alone && s->compute_capability >= 90 ? GP__IF_MERGE_SETS : 0));
  small = p.algorithm == GP_PIPELINED && alone && !wide && !((s->count + s->count2) >> 21);
  if (!vectors && p.algorithm == GP_PIPELINED && p.vectors == 6 && p.threads == 256) p.vectors = 5;
  if (p.algorithm == GP_FOUR_WAY_PASSES)
    p.blocks_per_sm = gp__default_to(p.blocks_per_sm, gp__max(1024 / p.threads, 1)); // each thread has 64 registers
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm,
      wide || !alone || p.vectors > 6 || p.threads > 256 ? 2
          : small ? 5
          : sets || p.vectors > 4 ? 3
          : 4);
  // Fits the shared memory of small devices: fewer elements a thread, then fewer threads.
  while (p.vectors > 1 && vectors == 0 && !gp__policy_valid_merge(p, s)) --p.vectors;
  while (p.threads > 64 && threads == 0 && !gp__policy_valid_merge(p, s)) p.threads = p.threads / 64 * 32;
  return p;
}
