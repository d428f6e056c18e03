// scan/policy.h - look-back, scan tiles, and what map and reduce compute with them
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h

// Slots of a look-back: aggregates of the tiles, prefixes and totals of their groups.
GPUPRIMS__RULE unsigned long long gp__look_back_slots(unsigned long long tiles) {
  return tiles + 2 * (tiles / GP__GROUP + 1);
}

// Elements a thread holds in a scan: `vectors` 16-byte vectors of the larger of the input and output types.
GPUPRIMS__RULE int gp__scan_items(int vectors, int in_size, int out_size) {
  return GP__VECTOR * vectors >= gp__max(in_size, out_size) ? GP__VECTOR * vectors / gp__max(in_size, out_size) : 1;
}

// Elements a thread handles at a time in a map (copy, fill, iota, transform): vectors of the largest type.
GPUPRIMS__RULE int gp__map_items(int vectors, int in_size, int in2_size, int out_size) {
  return vectors * gp__vector_items(gp__max(gp__max(in_size, in2_size), out_size));
}

// Rounds of a reproducible reduction's tile: grows with the count so that about GP__CANONICAL_REDUCE_TILES remain.
GPUPRIMS__RULE unsigned long long gp__canonical_rounds(unsigned long long count, int in_size) {
  return count / ((unsigned long long)GP__CANONICAL_REDUCE_TILES * GP__CANONICAL_REDUCE_THREADS *
                  GP__CANONICAL_REDUCE_VECTORS * gp__vector_items(in_size)) +
         1;
}

// May a scan of these types run on bulk copies: whole vectors of elements, equal sizes on both sides.
GPUPRIMS__RULE int gp__pipelined_fits(int in_size, int out_size, int vectors) {
  return in_size == out_size && in_size <= 16 && vectors % 2 == 1 && GP__VECTOR * vectors % in_size == 0 &&
         gp__chunk_by_vectors(in_size, GP__VECTOR * vectors / in_size);
}

// Dynamic shared memory of a block, in bytes: `stages` tiles of a pipelined scan; otherwise the input's tile, and the
// output's where the element sizes differ.
GPUPRIMS__RULE int gp__scan_tile_bytes(gp_policy p, int in_size, int out_size, int size) {
  return (p.threads * gp__scan_items(p.vectors, in_size, out_size) * size + 127) / 128 * 128;
}
GPUPRIMS__RULE int gp__shared_bytes(int primitive, gp_policy p, int in_size, int out_size) {
  return !gp__is_scan(primitive) ? 0
         : p.algorithm == GP_PIPELINED
             ? p.stages * gp__scan_tile_bytes(p, in_size, out_size, in_size)
             : gp__scan_tile_bytes(p, in_size, out_size, in_size) +
                   (in_size == out_size ? 0 : gp__scan_tile_bytes(p, in_size, out_size, out_size));
}

// Static shared memory of a block of a scan, in bytes, at most.
GPUPRIMS__RULE int gp__scan_static_bytes(gp_policy p, int acc_size) {
  return (p.algorithm == GP_PIPELINED ? p.stages : 1) * (80 + (p.threads / GP__WARP + 2) * ((acc_size + 15) / 16 * 16));
}
