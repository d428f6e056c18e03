// reduce/policy.h - validity of what all policies share, of scans and of reductions
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, scan/policy.h

// Is a fully resolved policy valid for the shape? The one place that knows; an invalid policy is an error, never
// changed in silence.
GPUPRIMS__RULE int gp__policy_valid_common(gp_policy p) {
  return p.threads >= 32 && p.threads <= 1024 && p.threads % GP__WARP == 0 && p.vectors >= 1 && p.vectors <= 16 &&
         p.load > 0 && p.load < GP_CACHE_COUNT && p.store > 0 && p.store < GP_CACHE_COUNT && p.store != GP_CACHE_L2 &&
         p.blocks_per_sm >= 0 && p.blocks_per_sm <= 32 && (p.overlap == 1 || p.overlap == 2);
}
GPUPRIMS__RULE int gp__policy_valid_scan(gp_policy p, gp__shape s) {
  return (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_THREE_SWEEP || p.algorithm == GP_ONE_BLOCK ||
          p.algorithm == GP_PIPELINED) &&
         p.blocks_per_sm >= 1 && p.threads <= 512 && gp__scan_items(p.vectors, s.in_size, s.out_size) >= 1 &&
         (p.algorithm != GP_PIPELINED || (s.compute_capability >= 90 && p.stages >= 3 && p.stages <= 8 &&
                                          p.threads + GP__PIPELINE_WARPS * GP__WARP <= 1024 && s.acc_size <= 16 &&
                                          gp__pipelined_fits(s.in_size, s.out_size, p.vectors) &&
                                          s.in_misaligned % s.in_size == 0 && !(s.reproducible && s.in_misaligned))) &&
         (!s.reproducible || (p.threads == GP__CANONICAL_SCAN_THREADS && p.vectors == GP__CANONICAL_SCAN_VECTORS &&
                              (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_PIPELINED))) &&
         gp__shared_bytes(s.primitive, p, s.in_size, s.out_size) + gp__scan_static_bytes(p, s.acc_size) <=
             s.shared_bytes;
}
GPUPRIMS__RULE int gp__policy_valid_reduce(gp_policy p, gp__shape s) {
  return (p.algorithm == GP_EVEN_SHARE || p.algorithm == GP_STEALING || p.algorithm == GP_ONE_BLOCK) &&
         p.blocks_per_sm >= 1 &&
         (!s.reproducible || (p.algorithm == GP_STEALING && p.threads == GP__CANONICAL_REDUCE_THREADS &&
                              p.vectors == GP__CANONICAL_REDUCE_VECTORS));
}
