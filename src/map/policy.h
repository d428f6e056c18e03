// map/policy.h - validity of copy, fill, iota, transform, and work on edges
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, scan/policy.h, layouts/policy.h

// Shared memory of a kernel that visits edges: a word an edge of the tile, one a warp, and two indices.
GPUPRIMS__RULE int gp__edge_tile_bytes(gp_policy p) {
  return p.threads * p.vectors * GP__VECTOR + (p.threads / GP__WARP + 1) / 2 * 8 + 16;
}
// A search keeps the needles of a thread in registers.
GPUPRIMS__RULE int gp__policy_valid_map(gp_policy p, gp__shape s) {
  return p.algorithm == GP_DIRECT &&
         (!gp__visits_edges(s.primitive) || gp__edge_tile_bytes(p) <= GP__STATIC_SHARED_BYTES) &&
         (s.primitive != GP_CONVERT_LAYOUT || gp__layout_shared_bytes(p, s) <= s.shared_bytes) &&
         ((s.primitive != GP_LOWER_BOUND && s.primitive != GP_UPPER_BOUND) ||
          p.threads * gp__map_items(p.vectors, s.in_size, s.in2_size, s.out_size) <= 16384);
}
