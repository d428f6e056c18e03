// scan/policy.h - scans: policy fields, look-back, tiles, shared memory, validity
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h

GP__RULE int gp__is_scan(int primitive) { return primitive == GP_INCLUSIVE_SCAN || primitive == GP_EXCLUSIVE_SCAN; }
#define GP_POLICY_FIELDS_SCAN(F) \
  F(algorithm, GP_AUTO, GP_LOOK_BACK, GP_THREE_SWEEP, GP_ONE_BLOCK, GP_PIPELINED, GP_ONE_CLUSTER) \
  F(threads, 0, 128, 256, 320, 384, 512) \
  F(vectors, 0, 1, 3, 5, 7, 9, 11, 13) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(store, 0, GP_CACHE_ALL, GP_CACHE_STREAMING) \
  F(stages, 0, 3, 4, 5, 6) \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8) \
  F(overlap, 0, 1, 2)

// Slots of a look-back: aggregates of the tiles, prefixes and totals of their groups.
GP__RULE gp__u64 gp__look_back_slots(gp__u64 tiles) { return tiles + 2 * (tiles / GP__GROUP + 1); }

// Elements a thread holds in a scan: `vectors` 16-byte vectors of the larger of the input and output types.
GP__RULE int gp__scan_items(int vectors, int in_size, int out_size) {
  return GP__VECTOR * vectors >= gp__max(in_size, out_size) ? GP__VECTOR * vectors / gp__max(in_size, out_size) : 1;
}

// Whether a scan of these types can use bulk copies: whole vectors of elements, equal sizes on both sides.
GP__RULE int gp__pipelined_fits(int in_size, int out_size, int vectors) {
  return in_size == out_size && in_size <= 16 && vectors % 2 == 1 && GP__VECTOR * vectors % in_size == 0 &&
      gp__chunk_by_vectors(in_size, GP__VECTOR * vectors / in_size);
}

// Dynamic shared memory of a block, in bytes: `stages` tiles of a pipelined scan; otherwise the input's tile, and the
// output's if the element sizes differ.
GP__RULE int gp__scan_tile_bytes(gp_policy p, int in_size, int out_size, int size) {
  return (p.threads * gp__scan_items(p.vectors, in_size, out_size) * size + 127) / 128 * 128;
}
GP__RULE int gp__scan_shared_bytes(gp_policy p, int in_size, int out_size) {
  return p.algorithm == GP_PIPELINED ? p.stages * gp__scan_tile_bytes(p, in_size, out_size, in_size)
      : gp__scan_tile_bytes(p, in_size, out_size, in_size) +
          (in_size == out_size ? 0 : gp__scan_tile_bytes(p, in_size, out_size, out_size));
}

// Upper bound of a block's static shared memory, in bytes.
GP__RULE int gp__scan_static_bytes(gp_policy p, int acc_size) {
  return (p.algorithm == GP_PIPELINED ? p.stages : 1) *
      (80 + (p.threads / GP__WARP + 2) * ((acc_size + 15) / 16 * 16)) +
      (p.algorithm == GP_ONE_BLOCK || p.algorithm == GP_ONE_CLUSTER ? 2 * GP__CLUSTER * (acc_size + 7) / 8 * 8 : 0);
}

GP__RULE int gp__policy_valid_scan(gp_policy p, gp__form s) {
  return (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_THREE_SWEEP || p.algorithm == GP_ONE_BLOCK ||
             p.algorithm == GP_PIPELINED || (p.algorithm == GP_ONE_CLUSTER && gp__has_clusters(s))) &&
      p.blocks_per_sm >= 1 && p.threads <= 512 && gp__scan_items(p.vectors, s->in_size, s->out_size) >= 1 &&
      (p.algorithm != GP_PIPELINED ||
          (s->compute_capability >= 90 && !s->described && p.stages >= 3 && p.stages <= 8 &&
              p.threads + GP__PIPELINE_WARPS * GP__WARP <= 1024 && s->acc_size <= 16 &&
              gp__pipelined_fits(s->in_size, s->out_size, p.vectors) && s->in_misaligned % s->in_size == 0 &&
              !(s->reproducible && s->in_misaligned))) &&
      (!s->reproducible ||
          (p.threads == GP__CANONICAL_SCAN_THREADS && p.vectors == GP__CANONICAL_SCAN_VECTORS &&
              (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_PIPELINED))) &&
      gp__scan_shared_bytes(p, s->in_size, s->out_size) + gp__scan_static_bytes(p, s->acc_size) <= s->shared_bytes;
}
