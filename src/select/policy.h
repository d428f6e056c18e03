// select/policy.h - streams: tiles, shared memory
// uses: api/lists.h, core/rules.h, core/shape.h

// Elements of a stream's thread: as many as `vectors` 16-byte vectors hold of the larger of key and value.
GPUPRIMS__RULE int gp__stream_items(int vectors, int key_size, int in_size) {
  return GP__VECTOR * vectors >= gp__max(key_size, in_size) ? GP__VECTOR * vectors / gp__max(key_size, in_size) : 1;
}
// A value and a flag of 4 bytes, whatever the value's alignment is.
GPUPRIMS__RULE int gp__flagged_bytes(int size) {
  return size % 16 == 0 ? size + 16 : size % 8 == 0 ? size + 8 : (size + 3) / 4 * 4 + 4;
}
// What is carried from tile to tile, at most: counts, and the value of the run that is open; in a scan a flag and that
// value.
GPUPRIMS__RULE int gp__stream_state_bytes(int primitive, int parts, int acc_size) {
  return acc_size && primitive == GP_REDUCE_BY_KEY                             ? (acc_size + 15) / 16 * 16 + 16
         : acc_size                                                            ? gp__flagged_bytes(acc_size)
         : parts == 3 || (primitive != GP_SELECT && primitive != GP_PARTITION) ? 16
                                                                               : 8;
}
// A tile's keys (or values) in shared memory: room for an element and for misalignment before and behind.
enum { GP__STREAM_MARGIN = 64 };
GPUPRIMS__RULE int gp__stream_region_bytes(int items, int size) {
  return size ? (items * size + 2 * GP__STREAM_MARGIN + 127) / 128 * 128 : 0;
}
// What a thread keeps of a chunk until results are written: bits of its elements, a count (scans: none), and the value
// of the run that is open before them.
GPUPRIMS__RULE int gp__stream_kept_bytes(int primitive, int parts, int acc_size, int items) {
  return primitive == GP_SELECT || primitive == GP_PARTITION
             ? (parts == 3 ? 2 : 1) * ((items + 31) / 32 * 4) + 4
             : (items + 32) / 32 * 4 + (acc_size && primitive != GP_REDUCE_BY_KEY ? 0 : 4) + (acc_size + 3) / 4 * 4;
}
// Bytes an element that results need beside the tile.
GPUPRIMS__RULE int gp__stream_scratch_bytes(int acc_size, int in_size, int out_size) {
  return acc_size && in_size != out_size ? out_size : 0;
}
