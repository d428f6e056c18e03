// core/canonical.h - a policy without the fields that its algorithm does not read
// uses: api/lists.h, api/policy.h, core/rules.h, sort/radix_policy.h, bfs/policy.h

// The policy with zero in the fields that its algorithm does not read: policies that differ only there are equal.
GP__HOST gp_policy gp__canonical(gp_policy p) {
  if (p.algorithm != GP_PIPELINED && !gp__sweeps(p.algorithm) && p.algorithm != GP_BUFFERED_PANELS) p.stages = 0;
  if (p.algorithm == GP_PIPELINED) p.load = p.store = 0; // its tiles come and go by bulk copies
  if (p.algorithm == GP_ONE_BLOCK || p.algorithm == GP_ONE_CLUSTER) p.blocks_per_sm = 0;
  if (gp__bfs_by_edges(p.algorithm)) p.alpha = p.beta = p.look = p.cluster = 0; // in sorts these are 0 anyway
  else p.gather = p.cull = 0;
  if (p.algorithm == GP_FUSED_LAUNCHES) p.cluster = 0;
  if (p.algorithm == GP_CONTRACT_EXPAND || p.algorithm == GP_TWO_PHASE) p.small = 0;
  if (p.alpha < 0) p.beta = 0; // never bottom-up
  return p;
}

// A field keeps what the caller or an earlier row has set; an open one gets `otherwise`.
GP__RULE int gp__default_to(int field, int otherwise) { return field ? field : otherwise; }
