// expand/policy.h - expansions: pieces and shared memory
// uses: api/lists.h, core/rules.h, core/shape.h

enum {
  GP__EXPAND_MOST = 16, // elements of a lane in a piece, at most, if they are smaller than a vector
  GP__EXPAND_LENGTHS = 8, // lengths of runs that a thread scans
  GP__EXPAND_RUNS = GP__WARP * GP__EXPAND_LENGTHS, // runs of a tile
  GP__EXPAND_ENDS = 4, // ends of segments that a lane looks at in a step
  GP__EXPAND_STEP = GP__WARP * GP__EXPAND_ENDS,
  GP__EXPAND_MARK_BYTES = 4 // of an element's mark in shared memory
};
GP__RULE int gp__is_expand(int primitive) { return primitive == GP_EXPAND || primitive == GP_RUN_LENGTH_EXPAND; }
// Elements of a lane in a piece: whole vectors, or single elements that do not fill one.
GP__RULE int gp__expand_vectors(int vectors, int size) {
  return vectors < GP__EXPAND_MOST / gp__vector_items(size) ? vectors : GP__EXPAND_MOST / gp__vector_items(size);
}
GP__RULE int gp__expand_items(int vectors, int size) {
  return gp__expand_vectors(vectors, size) * gp__vector_items(size);
}
// Elements that fill no vector are gathered in shared memory.
GP__RULE int gp__expand_staged_bytes(int vectors, int size) {
  return GP__VECTOR % size == 0 ? 0 : (GP__WARP * gp__expand_items(vectors, size) * size + 15) / 16 * 16;
}
// A warp keeps the marks of its piece, and the elements that it gathers.
GP__RULE int gp__expand_warp_bytes(int vectors, int size) {
  return GP__WARP * gp__expand_items(vectors, size) * GP__EXPAND_MARK_BYTES + gp__expand_staged_bytes(vectors, size);
}
