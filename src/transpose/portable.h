// transpose/portable.h - portable rule of transposes
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, transpose/policy.h,
//   transpose/panels_policy.h, core/canonical.h, core/rows.h

// Both sizes are the element's.
GP__HOST gp__measures gp__measure_matrices(gp__form s) {
  gp__measures m = gp__measure_keys(s);
  m.out_size = s->key_size;
  return m;
}
// Rows of the tables were measured on about as many rows as columns, out of place.
GP__HOST int gp__row_serves_matrices(gp__form s) {
  return s->moved.kind == GP__MOVE_TILES && s->moved.rows / 16 <= s->moved.columns &&
      s->moved.columns / 16 <= s->moved.rows;
}
// True if tiles have 32 KiB, for sides of 1024 or more, by alignment: columns alone; rows alone; both; neither.
// Measured on an H200.
GP__HOST int gp__transposes_by_eight(gp__form s, gp__u64 bytes, int aligned) {
  const int least = s->key_size == 1 ? 27 : s->key_size == 2 ? 28 : s->key_size == 8 ? 30 : 29;
  const int large = s->moved.rows * s->moved.columns * (unsigned)s->key_size >> least != 0;
  return aligned == GP__FORM_OUT_ALIGNED ? large && s->key_size != 4
      : aligned == GP__FORM_IN_ALIGNED ? (s->key_size == 4 ? bytes >> 26 != 0 : large && s->key_size != 8)
      : aligned ? large || (s->key_size <= 2 && bytes >> 24)
      : large;
}
// Tiles have 16 KiB; less if there would not be four for each multiprocessor, or elements have 8 bytes; more if
// gp__transposes_by_eight says so: 64 KiB for gathered narrow elements that are aligned on one side. Squares in place
// with unaligned rows take tiles of 256 x 256 bytes, or of 128 x 128 elements of 2 or 4 bytes. Rectangles in place of
// 128 MiB or more go through a buffer in panels of about 16 MiB, as that has less in flight; wide elements with aligned
// rows take tiles of 32 KiB. So do thin rectangles whose panels are then tiles. Matrices that fit a tile are transposed
// in their places. Others of 64 MiB or less go to the workspace and back, in a few trips or large ones: as many bytes
// as panels and chunks move, or fewer, at the speed of two plain kernels.
GP__HOST gp_policy gp__portable_transpose(gp_policy p, gp__form s) {
  const gp__u64 bytes = gp__measure_keys(s).bytes, sms = (unsigned)gp__max(s->multiprocessors, 1);
  const gp__u64 matrix = s->moved.rows * s->moved.columns * (unsigned)s->key_size;
  const int algorithm = p.algorithm, vectors = p.vectors;
  const int aligned = s->moved.form & (GP__FORM_IN_ALIGNED | GP__FORM_OUT_ALIGNED);
  const int sides = s->moved.kind == GP__MOVE_TILES && gp__is_power_of_two_size(s->key_size) && s->moved.rows >= 1024 &&
      s->moved.columns >= 1024;
  const int eight = sides && gp__transposes_by_eight(s, bytes, aligned);
  const int square = s->moved.kind == GP__MOVE_SQUARE && aligned != 3 && (s->key_size <= 2 || s->key_size == 4) &&
      s->moved.word == s->key_size && s->moved.rows >= 4096;
  const int wide = eight &&
      (s->key_size == 1 ? aligned == GP__FORM_OUT_ALIGNED
              : s->key_size == 2 ? aligned == GP__FORM_OUT_ALIGNED || aligned == GP__FORM_IN_ALIGNED
              : 0);
  gp_policy q = p;
  if (s->moved.kind == GP__MOVE_TILES && (algorithm == GP_PADDED_TILES || algorithm == GP_AUTO)) {
    q.algorithm = GP_PADDED_TILES;
    q.threads = gp__default_to(p.threads, s->key_size == 1 && s->moved.rows <= 8 ? 64 : 128);
    q.vectors = gp__default_to(vectors, s->key_size == 8 ? 8 : s->key_size == 1 && s->moved.rows <= 8 ? 2 : 4);
    q.stages = gp__default_to(p.stages, 8);
    if (gp__transpose_few(q, s)) return q;
    q = p;
  }
  if (s->moved.kind == GP__MOVE_RECTANGLE && (algorithm == GP_ROUND_TRIP || algorithm == GP_AUTO)) {
    gp__shape trip;
    q = p;
    q.algorithm = GP_PADDED_TILES;
    if (algorithm == GP_AUTO && matrix <= 1 << 16) { // it may fit a tile
      q = gp__portable_transpose(q, s);
      if (gp__tiled(q, *s).moved.kind == GP__MOVE_TILES) return q;
    }
    q = p;
    q.algorithm = GP_ROUND_TRIP;
    trip = gp__tiled(q, *s);
    if (algorithm == GP_ROUND_TRIP ||
        (matrix <= GP__TRIP_BYTES &&
            (s->segments <= GP__CHUNK_MATRICES * trip.segments || matrix * trip.segments >= GP__CHUNK_MATRIX))) {
      q.algorithm = GP_PADDED_TILES;
      trip.count = trip.segments * trip.moved.rows * trip.moved.columns;
      q = gp__portable_transpose(q, &trip);
      q.algorithm = GP_ROUND_TRIP;
      return q;
    }
  }
  if ((square || wide) && !vectors && !p.threads && (algorithm == GP_PADDED_TILES || algorithm == GP_AUTO)) {
    q.algorithm = GP_PADDED_TILES;
    q.threads = square && s->key_size == 4 ? 1024 : 512;
    q.vectors = wide || s->key_size == 1 ? 8 : 4;
    if (gp__policy_valid_transpose(q, s)) p.threads = q.threads, p.vectors = q.vectors;
    q = p;
  }
  p.threads = gp__default_to(p.threads, 256);
  p.vectors = gp__default_to(p.vectors,
      bytes < sms * 2 * 8192 ? 1
          : bytes < sms * 4 * 16384 ? 2
          : eight ? 8
          : sides && aligned == 3 && s->key_size == 8 ? 2
          : 4);
  p.stages = gp__default_to(p.stages, matrix >> 29 ? 32 : matrix >> 28 ? 16 : 8);
  p.algorithm = gp__default_to(algorithm, GP_BUFFERED_PANELS);
  if (p.algorithm == GP_BUFFERED_PANELS && matrix >> 27 && s->key_size >= 8 && (s->moved.form & GP__FORM_IN_START) &&
      s->moved.columns * (unsigned)s->key_size % GP__VECTOR == 0) {
    q = p;
    q.vectors = gp__default_to(vectors, 8);
    if (gp__policy_valid_transpose(q, s)) return q;
  }
  if (algorithm == GP_AUTO && (matrix >> 27 == 0 || !gp__policy_valid_transpose(p, s))) p.algorithm = GP_PADDED_TILES;
  q = p;
  q.vectors = gp__default_to(vectors, 8);
  return p.algorithm == GP_PADDED_TILES && gp__panels_plan_of(q, s).whole && !gp__panels_plan_of(p, s).whole ? q : p;
}
