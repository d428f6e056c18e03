// segments/portable.h - portable rule of segmented reduce
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, expand/policy.h, segments/policy.h,
//   core/canonical.h, core/rows.h

// Merge path's search and fix-up are a chain of trips through memory, too long for few elements. Segments are read by
// lanes up to 32 KiB of elements (128 if all have one length) and 4 Ki segments a multiprocessor, if a segment of mean
// length has at most about 16 Ki elements. Offsets of eight elements or fewer: pipelined merge path, one large block,
// whose warps hold many ends in registers and no elements. Otherwise merge path: as many warps a multiprocessor
// as have registers for their next chunk, and short chunks if there is little work.
enum {
  GP__IF_SEGMENTS_FEW = GP__IF,
  GP__IF_SEGMENTS_SHORT = 2 * GP__IF, // and not few
  GP__IF_SEGMENTS_LIGHT = 4 * GP__IF, // elements take few registers
  GP__IF_SEGMENTS_HEAVY = 8 * GP__IF
};
static const gp__policy_row gp__segments_rows[] = {
    GP__H200(0, -1, GP__CHOOSES | GP__IF_SEGMENTS_FEW, 0, 0, GP_WARP_SEGMENTS, 0, 0, 0, 0, 21),
    GP__H200(0, -1, 0, 0, 0, GP_WARP_SEGMENTS, 256, 5, 0, 4, 30),
    GP__H200(0, -1, GP__CHOOSES | GP__IF_SEGMENTS_SHORT, 8 << 20, 0, GP_PIPELINED, 0, 0, 0, 0, 21),
    GP__H200(0, -1, 0, 0, 0, GP_PIPELINED, 768, 5, 3, 1, 21),
    GP__H200(GP_SEGMENTED_REDUCE, -1, GP__IF_SEGMENTS_LIGHT, 8 << 20, 0, GP_MERGE_PATH, 0, 7, 0, 3, 21),
    GP__H200(0, -1, GP__IF_SEGMENTS_LIGHT, 0, 0, GP_MERGE_PATH, 0, 0, 0, 4, 21),
    GP__H200(0, -1, GP__IF_SEGMENTS_HEAVY, 0, 0, GP_MERGE_PATH, 0, 0, 0, 2, 21),
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_MERGE_PATH, 256, 1, 0, 3, 21),
    GP__H200(0, -1, 0, 1 << 20, 0, GP_MERGE_PATH, 0, 3, 0, 0, 21),
    GP__H200(0, -1, 0, 8 << 20, 0, GP_MERGE_PATH, 0, 5, 0, 0, 21),
};
GP__HOST gp_policy gp__portable_segments(gp_policy p, gp__form s) {
  const gp__u64 sms = (unsigned)s->multiprocessors;
  const int few = s->primitive == GP_SEGMENTED_REDUCE &&
      gp__measure_elements(s).bytes <= sms << (s->offset_size ? 15 : 17) && s->segments <= sms << 12 &&
      s->count >> 14 <= s->segments;
  const int light = s->primitive == GP_LOAD_BALANCE || gp__is_expand(s->primitive) ||
      (s->acc_size <= 4 && s->in_size == s->acc_size && !s->segmented.by_ranges);
  const unsigned when = (few ? GP__IF_SEGMENTS_FEW : 0) |
      (!few && s->offset_size && s->count / 8 <= s->segments ? GP__IF_SEGMENTS_SHORT : 0) |
      (light ? GP__IF_SEGMENTS_LIGHT
              : s->acc_size > 8 ? GP__IF_SEGMENTS_HEAVY
              : 0);
  const int vectors = p.vectors;
  gp_policy q;
  if (gp__segments_reproduce(s)) {
    p.algorithm = gp__default_to(p.algorithm, GP_WARP_SEGMENTS);
    p.threads = gp__default_to(p.threads, GP__LANES_THREADS);
    p.vectors = gp__default_to(p.vectors, GP__LANES_VECTORS);
    p.blocks_per_sm = gp__default_to(p.blocks_per_sm, 3); // 64-bit positions take registers
  }
  if (gp__is_expand(s->primitive)) { // as many as registers allow, but one less for runs that are not short
    p.algorithm = gp__default_to(p.algorithm, GP_MERGE_PATH);
    p.vectors = gp__default_to(p.vectors, 4);
    // A warp has two pieces of the output at least.
    const gp__u64 blocks =
        (s->count + s->segments) / (2 * GP__WARP * GP__EXPAND_MOST) / ((unsigned)sms * GP__EXPAND_WARPS);
    const int most = s->primitive == GP_RUN_LENGTH_EXPAND && s->count / 16 >= s->segments ? 3 : 4;
    p.blocks_per_sm = gp__default_to(p.blocks_per_sm, !blocks ? 1 : blocks < (unsigned)most ? (int)blocks : most);
  }
  q = GP__FILL(p, gp__segments_rows, gp__measure_elements, s, when);
  while (!vectors && gp__is_expand(s->primitive) && q.vectors > 1 && !gp__policy_valid_segments(q, s)) --q.vectors;
  if (q.algorithm != GP_PIPELINED) return q;
  while (!p.threads && q.threads > 128 && !gp__policy_valid_segments(q, s)) q.threads -= 128;
  if (p.algorithm || gp__policy_valid_segments(q, s)) return q;
  p.algorithm = GP_MERGE_PATH;
  return GP__FILL(p, gp__segments_rows, gp__measure_elements, s, when);
}
