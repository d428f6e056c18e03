// reduce/policy.h - reductions: policy fields, rounds, validity
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h

#define GP_POLICY_FIELDS_REDUCE(F) \
  F(algorithm, GP_AUTO, GP_EVEN_SHARE, GP_STEALING, GP_ONE_BLOCK) \
  F(threads, 0, 128, 256, 512, 1024) \
  F(vectors, 0, 1, 2, 4, 8) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 8) \
  F(overlap, 0, 1, 2)

// Elements of a round of a reproducible reduction.
GP__RULE int gp__canonical_round(int in_size) {
  return GP__CANONICAL_REDUCE_THREADS * GP__CANONICAL_REDUCE_VECTORS * gp__vector_items(in_size);
}
// Rounds of a tile grow with the count, which keeps about GP__CANONICAL_REDUCE_TILES tiles.
GP__RULE gp__u64 gp__canonical_rounds(gp__u64 count, int in_size) {
  return count / (gp__u64)(GP__CANONICAL_REDUCE_TILES * gp__canonical_round(in_size)) + 1;
}

GP__RULE int gp__policy_valid_reduce(gp_policy p, gp__form s) {
  return (p.algorithm == GP_EVEN_SHARE || p.algorithm == GP_STEALING || p.algorithm == GP_ONE_BLOCK) &&
      p.blocks_per_sm >= 1 &&
      (!s->reproducible ||
          (p.algorithm == GP_STEALING && p.threads == GP__CANONICAL_REDUCE_THREADS &&
              p.vectors == GP__CANONICAL_REDUCE_VECTORS));
}
