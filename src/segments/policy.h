// segments/policy.h - segmented reduce: policy fields, chunks, shared memory, validity
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, scan/policy.h, expand/policy.h

#define GP_POLICY_FIELDS_SEGMENTS(F) \
  F(algorithm, GP_AUTO, GP_MERGE_PATH, GP_WARP_SEGMENTS, GP_PIPELINED) \
  F(threads, 0, 128, 256, 384, 512, 768) \
  F(vectors, 0, 1, 3, 5, 7) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(stages, 0, 2, 3, 4, 5) \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8) \
  F(overlap, 0, 1, 2)

// Segmented reduce and load balance: each warp has the same number of elements and segment ends together.

enum { GP__SPAN_ITEMS = 4 }; // lengths of ranges that a thread scans
// A warp's chunk holds elements (accumulators if segments are ranges) or, for load balance, elements' segments.
GP__RULE int gp__segment_cell_bytes(gp__form s) {
  return s->primitive == GP_LOAD_BALANCE ? s->out_size : s->segmented.by_ranges ? s->acc_size : s->in_size;
}
GP__RULE int gp__segment_acc_bytes(gp__form s) { return s->primitive == GP_LOAD_BALANCE ? s->out_size : s->acc_size; }
GP__RULE int gp__segment_items(gp_policy p, gp__form s) {
  return gp__is_expand(s->primitive) ? gp__expand_items(p.vectors, s->out_size)
      : gp__scan_items(p.vectors, gp__segment_cell_bytes(s), gp__segment_acc_bytes(s));
}
// Barriers of a warp's chunks in flight (pipelined).
GP__RULE int gp__segment_barrier_bytes(int stages) { return (stages + 1) / 2 * GP__VECTOR; }
// Dynamic shared memory of a block: cells, which become results in place, a byte an element that marks a segment's end,
// and barriers.
GP__RULE int gp__segment_shared_bytes(gp_policy p, gp__form s) {
  return gp__is_expand(s->primitive) ? p.threads / GP__WARP * gp__expand_warp_bytes(p.vectors, s->out_size)
      : p.threads * gp__segment_items(p, s) *
              ((p.algorithm == GP_PIPELINED ? p.stages : 1) *
                      gp__max(gp__segment_cell_bytes(s), gp__segment_acc_bytes(s)) +
                  (s->primitive == GP_LOAD_BALANCE ? 0 : 1)) +
          (p.algorithm == GP_PIPELINED ? p.threads / GP__WARP * gp__segment_barrier_bytes(p.stages) : 0);
}
// Upper bound of static shared memory.
GP__RULE int gp__segment_static_bytes(gp_policy p, gp__form s) {
  return gp__is_expand(s->primitive) ? (p.threads / GP__WARP + 8) * 16 // of the scan of lengths
      : s->primitive == GP_LOAD_BALANCE ? 0
      : (p.threads / GP__WARP + 1) * (3 * ((s->acc_size + 15) / 16 * 16 + 16) + 16);
}
// Words that carry a block's two open results and their segment.
GP__RULE int gp__segment_words(int acc_size) { return (2 * acc_size + 8 + 15) / 16 * 2; }
// GP_WARP_SEGMENTS: a power of two of lanes reads a segment, or the block does.
enum {
  GP__LANES_THREADS = 256, // GP_REPRODUCIBLE pins them
  GP__LANES_VECTORS = 3,
  GP__LOG2_BLOCK = 10, // the exponent that means the block
  GP__LONG_ROUNDS = 4, // a segment is long if its lanes would wait for memory more often
  GP__RANGE_LOG2_LANES = 3 // at least: ranges may overlap, and be longer than count / segments
};
GP__RULE int gp__segments_reproduce(gp__form s) { return s->reproducible && s->primitive == GP_SEGMENTED_REDUCE; }
// So few segments that each has a warp, two blocks a multiprocessor: what counts is how often the longest waits.
GP__RULE int gp__segments_are_few(gp__form s) {
  return !s->reproducible && s->segments <= (unsigned)s->multiprocessors * 2 * GP__LANES_THREADS / GP__WARP;
}
GP__RULE int gp__policy_valid_segments(gp_policy p, gp__form s) {
  return p.blocks_per_sm >= 1 &&
      (gp__segments_reproduce(s)
              ? p.algorithm == GP_WARP_SEGMENTS && p.threads == GP__LANES_THREADS && p.vectors == GP__LANES_VECTORS
              : p.algorithm == GP_WARP_SEGMENTS
              ? s->primitive == GP_SEGMENTED_REDUCE && s->count <= 0x7fffffff && s->segments <= 0x7fffffff
              : (p.algorithm == GP_MERGE_PATH ||
                    (p.algorithm == GP_PIPELINED && s->primitive == GP_SEGMENTED_REDUCE && !s->segmented.by_ranges &&
                        !s->described && s->compute_capability >= 90 && p.stages >= 2 && p.stages <= 8)) &&
                  gp__segment_shared_bytes(p, s) + gp__segment_static_bytes(p, s) <= s->shared_bytes);
}
