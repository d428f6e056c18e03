// map/policy.h - copy, fill, iota, transform, work on edges: policy fields, validity
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, layouts/policy.h, graph/policy.h, batch/policy.h

#define GP_POLICY_FIELDS_MAP(F) \
  F(algorithm, GP_AUTO, GP_DIRECT, GP_TWO_PHASE) \
  F(threads, 0, 128, 256, 512, 1024) \
  F(vectors, 0, 1, 2, 4, 8) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(store, 0, GP_CACHE_ALL, GP_CACHE_STREAMING) \
  F(blocks_per_sm, 0, 0, 1, 2, 4, 8) \
  F(overlap, 0, 1, 2)

// Elements that a thread of a map (copy, fill, iota, transform) handles at a time: vectors of the largest type.
GP__RULE int gp__map_items(int vectors, int in_size, int in2_size, int out_size) {
  return vectors * gp__vector_items(gp__max(gp__max(in_size, in2_size), out_size));
}

// Shared memory of a kernel that visits edges: a word for each edge of the tile and each warp, and two indices.
GP__RULE int gp__edge_tile_bytes(gp_policy p) {
  return p.threads * p.vectors * GP__VECTOR + (p.threads / GP__WARP + 1) / 2 * 8 + 16;
}
// Calls with hash tables, and gathers of columns: rows of a thread whose random accesses are in flight together.
GP__RULE int gp__has_table(int primitive) {
  return primitive == GP_GROUP_BY_MANY || primitive == GP_DISTINCT || primitive == GP_JOIN ||
      primitive == GP_SORT_COLUMNS;
}
GP__RULE int gp__hash_items(int vectors) { return 4 * vectors; }
GP__RULE int gp__is_bound(int primitive) { return primitive == GP_LOWER_BOUND || primitive == GP_UPPER_BOUND; }
// A search keeps the needles of a thread in registers: 32 of 4 bytes spilled.
GP__RULE int gp__policy_valid_map(gp_policy p, gp__form s) {
  return (p.algorithm == GP_DIRECT ||
             (p.algorithm == GP_TWO_PHASE && gp__is_bound(s->primitive) && (s->in_size == 4 || s->in_size == 8))) &&
      (s->primitive != GP_COPY_BATCH || gp__policy_valid_batch(p, s)) &&
      (!gp__has_table(s->primitive) || p.vectors <= 2) &&
      (!gp__visits_edges(s->primitive) || gp__edge_tile_bytes(p) <= GP__STATIC_SHARED_BYTES) &&
      (s->primitive != GP_CONVERT_LAYOUT || gp__layout_shared_bytes(p, s) <= s->shared_bytes) &&
      (!gp__is_bound(s->primitive) || gp__map_items(p.vectors, s->in_size, s->in2_size, s->out_size) <= 16);
}
