// scan/portable.h - portable rule of scans
// uses: api/lists.h, api/policy.h, core/shape.h, core/validity.h, core/canonical.h

__attribute__((unused)) static gp_policy gp__portable_scan(gp_policy p, gp__shape s, unsigned long long bytes) {
  const int mib = bytes >> 20 > 0x7fffffff ? 0x7fffffff : (int)(bytes >> 20);
  const int canonical = s.reproducible, misaligned = s.in_misaligned || s.out_misaligned;
  const int shifted = misaligned && bytes >= (512 << 10) && s.in_size >= 4; // a ragged chunk of bytes takes long
  gp_policy q = p;
  q.algorithm = GP_PIPELINED;
  q.threads = gp__default_to(p.threads, canonical ? GP__CANONICAL_SCAN_THREADS : mib >= 24 ? 320 : 256);
  q.vectors = gp__default_to(p.vectors, canonical ? GP__CANONICAL_SCAN_VECTORS : mib >= 3 ? 9 : 5);
  q.stages = gp__default_to(p.stages, q.threads > 256 ? 5 : 3);
  q.blocks_per_sm = gp__default_to(p.blocks_per_sm, q.threads > 256 ? 1 : 2);
  if (p.algorithm == GP_PIPELINED || (p.algorithm == GP_AUTO && (mib >= 3 || shifted) && gp__policy_valid(q, s)))
    return q;
  p.algorithm = gp__default_to(p.algorithm, GP_LOOK_BACK);
  p.threads = gp__default_to(p.threads, canonical ? GP__CANONICAL_SCAN_THREADS : 256);
  p.vectors = gp__default_to(p.vectors, canonical              ? GP__CANONICAL_SCAN_VECTORS
                                        : mib >= 3             ? 9
                                        : mib >= 1             ? misaligned ? 1 : 5
                                        : bytes >= (128 << 10) ? 3
                                                               : 1);
  p.stages = gp__default_to(p.stages, 3);
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm, p.vectors >= 9 ? 4 : p.vectors >= 5 ? 6 : 8);
  return p;
}
