// select/validity.h - streams: warps with roles, shared memory, validity
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, select/policy.h

// A stream: a block's stages and its static shared memory fit.
// Pipelined, beside p.threads that write results: warps that fold, one that publishes, one a stage that looks back, one
// that copies.
GPUPRIMS__RULE int gp__stream_fold_warps(int threads) { return (threads / GP__WARP + 1) / 2; }
GPUPRIMS__RULE int gp__stream_stages(gp_policy p) { return p.algorithm == GP_PIPELINED ? p.stages : 1; }
GPUPRIMS__RULE int gp__stream_threads(gp_policy p) {
  return p.algorithm == GP_PIPELINED ? p.threads + (gp__stream_fold_warps(p.threads) + 2 + p.stages) * GP__WARP
                                     : p.threads;
}
GPUPRIMS__RULE int gp__stream_shared_of(gp_policy p, gp__shape s, int items) {
  return gp__stream_stages(p) * (gp__stream_region_bytes(p.threads * items, s.key_size) +
                                 gp__stream_region_bytes(p.threads * items, s.in_size) +
                                 p.threads * gp__stream_kept_bytes(s.primitive, s.parts, s.acc_size, items)) +
         p.threads * items * gp__stream_scratch_bytes(s.acc_size, s.in_size, s.out_size);
}
GPUPRIMS__RULE int gp__stream_shared_bytes(gp_policy p, gp__shape s) {
  return gp__stream_shared_of(p, s, gp__stream_items(p.vectors, s.key_size, s.in_size));
}
GPUPRIMS__RULE int gp__stream_static_bytes(gp_policy p, gp__shape s) {
  return gp__stream_stages(p) *
         (96 + (p.threads / GP__WARP + 1) * gp__stream_state_bytes(s.primitive, s.parts, s.acc_size));
}
GPUPRIMS__RULE int gp__policy_valid_stream(gp_policy p, gp__shape s) {
  return (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_PIPELINED) && p.blocks_per_sm >= 1 && p.threads <= 512 &&
         gp__stream_items(p.vectors, s.key_size, s.in_size) <= 160 &&
         (p.algorithm != GP_PIPELINED ||
          (s.compute_capability >= 90 && p.stages >= 2 && p.stages <= 8 && gp__stream_threads(p) <= 1024 &&
           s.key_size <= 16 && s.in_size <= 16 && s.acc_size <= 16)) &&
         gp__stream_shared_bytes(p, s) + gp__stream_static_bytes(p, s) <= s.shared_bytes;
}
