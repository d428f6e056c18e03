// find/policy.h - searches for the first element: policy fields, accesses, validity
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h

#define GP_POLICY_FIELDS_FIND(F) \
  F(algorithm, GP_AUTO, GP_STEALING, GP_ONE_BLOCK) \
  F(threads, 0, 128, 256, 512, 1024) \
  F(vectors, 0, 1, 2, 4, 8) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 8) \
  F(overlap, 0, 1, 2)

enum {
  GP__FIND_TILE_BYTES = 32 << 10, // of a tile, if the input is large: a ticket a tile costs nothing then
  GP__FIND_GROUP_VECTORS = 9 // of an access, at most
};
// Elements of an access: the fewest that fill whole vectors, or one if these are many vectors.
GP__RULE int gp__find_items(int size) {
  return gp__vec_group_vectors(size) <= GP__FIND_GROUP_VECTORS ? gp__vec_group_items(size) : 1;
}
// Accesses of a thread in a round, to each input: `vectors` vectors to all of them.
GP__RULE int gp__find_packs(int size, int inputs, int vectors) {
  return gp__max(1, vectors * GP__VECTOR / (gp__find_items(size) * size * inputs));
}

GP__RULE int gp__policy_valid_find(gp_policy p, gp__form s) {
  return (void)s, (p.algorithm == GP_STEALING || p.algorithm == GP_ONE_BLOCK) && p.blocks_per_sm >= 1;
}
