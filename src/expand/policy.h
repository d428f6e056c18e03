// expand/policy.h - expansions: pieces and shared memory
// uses: api/lists.h, core/rules.h, core/shape.h

enum {
  GP__EXPAND_MOST = 16, // elements of a lane in a piece, at most, if they are smaller than a vector
  GP__EXPAND_LENGTHS = 16, // lengths of runs that a thread scans
  GP__EXPAND_RUNS = GP__WARP * 4, // runs of a tile
  GP__EXPAND_WIDE = 4, // segments of a lane that are loaded together
  GP__EXPAND_WARPS = 8 // of a block, if the caller does not choose
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
// Marks of a lane's elements, a byte each, in whole words.
GP__RULE int gp__expand_marks(int vectors, int size) { return (gp__expand_items(vectors, size) + 3) / 4 * 4; }
// A warp keeps the marks of its piece; the values, or numbers, of segments that begin there, and of the one before; and
// the elements that it gathers.
GP__RULE int gp__expand_head_bytes(int vectors, int size) {
  return ((GP__WARP * gp__expand_items(vectors, size) + 1) * (GP__VECTOR % size == 0 ? size : 4) + 15) / 16 * 16;
}
GP__RULE int gp__expand_warp_bytes(int vectors, int size) {
  return GP__WARP * gp__expand_marks(vectors, size) + gp__expand_head_bytes(vectors, size) +
      gp__expand_staged_bytes(vectors, size);
}
