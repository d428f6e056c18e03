// top_k/portable.h - portable rule of top-k
// uses: api/lists.h, api/policy.h, core/shape.h, top_k/policy.h, core/canonical.h

// GP_AUTO: lists while k is small, otherwise radix select. As many blocks as their lists leave room for.
__attribute__((unused)) static gp_policy gp__portable_top_k(gp_policy p, gp__shape s) {
  const int lists = s.primitive == GP_TOP_K && s.length <= GP__TOP_K_FEW;
  gp_policy q = p;
  q.algorithm = gp__default_to(p.algorithm, lists ? GP_BEST_LISTS : GP_RADIX_SELECT);
  q.load = gp__default_to(p.load, GP_CACHE_STREAMING);
  q.threads = gp__default_to(p.threads, 256);
  q.vectors = gp__default_to(p.vectors, q.algorithm == GP_RADIX_SELECT ? 2
                                        : s.key_size >= 8              ? 4
                                        : s.key_size == 4              ? 2
                                                                       : 1);
  q.blocks_per_sm = gp__default_to(p.blocks_per_sm, 4);
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
