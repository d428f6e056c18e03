// select/policy.h - streams: policy fields, tiles, specialised warps, shared memory, validity
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h

#define GP_POLICY_FIELDS_STREAM(F) \
  F(algorithm, GP_AUTO, GP_LOOK_BACK, GP_PIPELINED, GP_WARP_SEGMENTS, GP_ONE_CLUSTER) \
  F(threads, 0, 128, 256, 384, 512) \
  F(vectors, 0, 1, 3, 5, 7) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(stages, 0, 2, 3, 4, 5) \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8) \
  F(overlap, 0, 1, 2)

// Elements that a thread of a stream holds: `vectors` 16-byte vectors of the larger of key and value.
GP__RULE int gp__stream_items(int vectors, int key_size, int in_size) {
  return GP__VECTOR * vectors >= gp__max(key_size, in_size) ? GP__VECTOR * vectors / gp__max(key_size, in_size) : 1;
}
// Bytes of a value and a 4-byte flag, for any alignment of the value.
GP__RULE int gp__flagged_bytes(int size) {
  return size % 16 == 0 ? size + 16 : size % 8 == 0 ? size + 8 : (size + 3) / 4 * 4 + 4;
}
// Upper bound of the state carried from tile to tile: counts, and the value of the open run; in a scan a flag and that
// value.
GP__RULE int gp__stream_state_bytes(int primitive, int parts, int acc_size) {
  return acc_size && primitive == GP_REDUCE_BY_KEY ? (acc_size + 15) / 16 * 16 + 16
      : acc_size ? gp__flagged_bytes(acc_size)
      : parts == 3 || (primitive != GP_SELECT && primitive != GP_PARTITION) ? 16
      : 8;
}
// A tile's keys (or values) in shared memory, with room for an element and misalignment on both sides.
enum { GP__STREAM_MARGIN = 64 };
GP__RULE int gp__stream_region_bytes(int items, int size) {
  return size ? (items * size + 2 * GP__STREAM_MARGIN + 127) / 128 * 128 : 0;
}
// Bytes a thread keeps of a chunk until results are written: bits of its elements, a count (scans: none), and the value
// of the run that is open before them.
GP__RULE int gp__stream_kept_bytes(int primitive, int parts, int acc_size, int items) {
  return primitive == GP_SELECT || primitive == GP_PARTITION
      ? (parts == 3 ? 2 : 1) * ((items + 31) / 32 * 4) + 4
      : (items + 32) / 32 * 4 + (acc_size && primitive != GP_REDUCE_BY_KEY ? 0 : 4) + (acc_size + 3) / 4 * 4;
}
// Bytes an element that results need besides the tile; of a selection by position, its position.
enum { GP__POSITION_BYTES = 2 };
GP__RULE int gp__stream_scratch_bytes(int acc_size, int in_size, int out_size) {
  return acc_size && in_size != out_size ? out_size : 0;
}

// A stream is valid if a block's stages and its static shared memory fit. Besides p.threads that write results, a
// pipelined one has warps that fold, one that publishes, one a stage that looks back, and one that copies.
GP__RULE int gp__stream_fold_warps(int threads) { return (threads / GP__WARP + 1) / 2; }
GP__RULE int gp__stream_stages(gp_policy p) { return p.algorithm == GP_PIPELINED ? p.stages : 1; }
GP__RULE int gp__stream_threads(gp_policy p) {
  return p.algorithm == GP_PIPELINED ? p.threads + (gp__stream_fold_warps(p.threads) + 2 + p.stages) * GP__WARP
      : p.threads;
}
GP__RULE int gp__stream_shared_of(gp_policy p, gp__form s, int items) {
  return gp__stream_stages(p) *
      (gp__stream_region_bytes(p.threads * items, s->key_size) +
          gp__stream_region_bytes(p.threads * items, s->in_size) +
          p.threads * gp__stream_kept_bytes(s->primitive, s->stream.parts, s->acc_size, items)) +
      p.threads * items *
      (s->stream.by_position ? (int)GP__POSITION_BYTES
          : gp__stream_scratch_bytes(s->acc_size, s->in_size, s->out_size));
}
// GP_REPRODUCIBLE pins the tile of a scan: one that fits every device, if any does, for elements of these sizes.
enum { GP__PINNED_BYTES = 60 << 10, GP__PINNED_THREADS = 256 };
GP__RULE int gp__pinned_bytes(int vectors, gp__form s) { // of a thread
  return gp__stream_items(vectors, s->key_size, s->in_size) *
      (s->key_size + s->in_size + gp__stream_scratch_bytes(s->acc_size, s->in_size, s->out_size)) +
      gp__stream_kept_bytes(s->primitive, 0, s->acc_size, gp__stream_items(vectors, s->key_size, s->in_size));
}
GP__RULE int gp__pinned_vectors(gp__form s) {
  return gp__pinned_bytes(5, s) * GP__PINNED_THREADS <= GP__PINNED_BYTES ? 5
      : gp__pinned_bytes(3, s) * GP__PINNED_THREADS <= GP__PINNED_BYTES ? 3
      : 1;
}
GP__RULE int gp__pinned_threads(gp__form s) {
  return gp__pinned_bytes(gp__pinned_vectors(s), s) * GP__PINNED_THREADS <= GP__PINNED_BYTES ? GP__PINNED_THREADS
      : gp__pinned_bytes(1, s) * 128 <= GP__PINNED_BYTES ? 128
      : gp__pinned_bytes(1, s) * 64 <= GP__PINNED_BYTES ? 64
      : 32;
}
GP__RULE int gp__stream_shared_bytes(gp_policy p, gp__form s) {
  return p.algorithm == GP_WARP_SEGMENTS
      ? 0
      : gp__stream_shared_of(p, s, gp__stream_items(p.vectors, s->key_size, s->in_size));
}
// GP_WARP_SEGMENTS: rows of 32 elements that a warp scans at once, and a lane's places in shared memory.
GP__RULE int gp__segment_rows(int size) { return size <= 8 ? 8 : size <= 16 ? 4 : 1; }
GP__RULE int gp__segment_places(int size) { return size <= 16 ? gp__segment_rows(size) + 1 : 0; }
GP__RULE int gp__stream_static_bytes(gp_policy p, gp__form s) {
  return p.algorithm == GP_WARP_SEGMENTS
      ? 16 + p.threads / GP__WARP * (4 + s->acc_size) + p.threads * gp__segment_places(s->acc_size) * s->acc_size
      : gp__stream_stages(p) *
          (96 +
              (p.threads / GP__WARP + 1 + (p.algorithm == GP_ONE_CLUSTER ? 2 * GP__CLUSTER : 0)) *
                  gp__stream_state_bytes(s->primitive, s->stream.parts, s->acc_size));
}
GP__RULE int gp__policy_valid_stream(gp_policy p, gp__form s) {
  return (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_PIPELINED ||
             (p.algorithm == GP_ONE_CLUSTER && gp__has_clusters(s) && !s->reproducible) ||
             (p.algorithm == GP_WARP_SEGMENTS && s->offset_size && !s->described && !s->reproducible &&
                 s->count <= 0x7fffffff)) &&
      p.blocks_per_sm >= 1 && p.threads <= 512 &&
      (!s->reproducible || (p.threads == gp__pinned_threads(s) && p.vectors == gp__pinned_vectors(s))) &&
      gp__stream_items(p.vectors, s->key_size, s->in_size) <= 160 &&
      (p.algorithm != GP_PIPELINED ||
          (!s->described && s->compute_capability >= 90 && p.stages >= 2 && p.stages <= 8 &&
              gp__stream_threads(p) <= 1024 && s->key_size <= 16 && s->in_size <= 16 && s->acc_size <= 16)) &&
      gp__stream_shared_bytes(p, s) + gp__stream_static_bytes(p, s) <= s->shared_bytes;
}
