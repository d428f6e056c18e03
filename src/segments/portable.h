// segments/portable.h - portable rule of segmented reduce
// uses: api/lists.h, api/policy.h, core/shape.h, segments/policy.h, core/canonical.h

// Segments. Merge path's search and fix-up are a chain of trips through memory, which a few elements wait for. GP_AUTO
// becomes a warp's segments up to 16 KiB of elements (a vector for half of the threads) and 4 Ki segments a
// multiprocessor, where a segment of mean length has at most about 16 Ki elements. From 8 MiB on it becomes pipelined
// merge path for segments of eight elements or fewer, where that is valid: one large block, whose warps hold many ends
// in registers and no elements. Otherwise merge path: as many warps a multiprocessor as have the registers for their
// next chunk, and short chunks where there is little to do.
__attribute__((unused)) static int gp__few_elements(gp__shape s, unsigned long long bytes) {
  const unsigned long long sms = (unsigned)s.multiprocessors;
  return s.primitive == GP_SEGMENTED_REDUCE && bytes <= sms << 14 && s.segments <= sms << 12 &&
         s.count >> 14 <= s.segments;
}
__attribute__((unused)) static gp_policy gp__portable_segments(gp_policy p, gp__shape s, unsigned long long bytes) {
  const int few = gp__few_elements(s, bytes);
  gp_policy q = p;
  q.algorithm = GP_PIPELINED;
  q.stages = gp__default_to(p.stages, 3);
  q.blocks_per_sm = gp__default_to(p.blocks_per_sm, 1);
  q.vectors = gp__default_to(p.vectors, 5);
  q.threads = gp__default_to(p.threads, 768);
  while (!p.threads && q.threads > 128 && !gp__policy_valid_segments(q, s)) q.threads -= 128;
  if (p.algorithm == GP_PIPELINED || (p.algorithm == GP_AUTO && !few && bytes >= (8 << 20) &&
                                      s.count / 8 <= s.segments && gp__policy_valid_segments(q, s)))
    return q;
  p.algorithm = gp__default_to(p.algorithm, few ? GP_WARP_SEGMENTS : GP_MERGE_PATH);
  if (p.algorithm == GP_WARP_SEGMENTS) {
    p.threads = gp__default_to(p.threads, 256);
    p.vectors = gp__default_to(p.vectors, 3);
    p.blocks_per_sm = gp__default_to(p.blocks_per_sm, 8);
    return p;
  }
  const int light = s.primitive == GP_LOAD_BALANCE || (s.acc_size <= 4 && s.in_size == s.acc_size && !s.ranges);
  const int longest = light && s.primitive == GP_SEGMENTED_REDUCE && bytes >= (8 << 20);
  p.threads = gp__default_to(p.threads, 256);
  p.vectors = gp__default_to(p.vectors, longest ? 7 : bytes >= (8 << 20) ? 5 : bytes >= (1 << 20) ? 3 : 1);
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm, light ? longest ? 3 : 4 : s.acc_size > 8 ? 2 : 3);
  return p;
}
