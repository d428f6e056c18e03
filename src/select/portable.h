// select/portable.h - portable rules of streams
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, select/policy.h, core/canonical.h,
//   core/rows.h

// Segmented scans search offsets; up to 72 Ki elements of 8 bytes, or 104 Ki of 4, a warp or a block takes a segment,
// of 1,024 elements on average at most. FEW: 16 of them a multiprocessor at most. One large block, or two if there are
// few tiles. Small streams: one vector a thread, so that all multiprocessors have tiles. BROAD tiles are one instead
// of two, and one group of a look-back instead of two; THIRDS are one instead of three, and one group, and the same
// with FOURTHS instead of four and a half. LONG: keys and values of 8 bytes. ALONE: one array. CLUSTER: the tiles of
// one cluster, WIDE if larger.
enum {
  GP__IF_STREAM_PAIRS = GP__IF,
  GP__IF_STREAM_SEARCHES = 2 * GP__IF,
  GP__IF_STREAM_LITTLE = 4 * GP__IF,
  GP__IF_STREAM_BROAD = 8 * GP__IF,
  GP__IF_STREAM_LONG = 16 * GP__IF,
  GP__IF_STREAM_ALONE = 32 * GP__IF,
  GP__IF_STREAM_CLUSTER = 64 * GP__IF,
  GP__IF_STREAM_WIDE = 128 * GP__IF,
  GP__IF_STREAM_FEW = 256 * GP__IF,
  GP__IF_STREAM_THIRDS = 512 * GP__IF,
  GP__IF_STREAM_FOURTHS = 1024 * GP__IF
};
static const gp__policy_row gp__stream_rows[] = {
    GP__H200(0, -1, GP__CHOOSES, 4 << 20, 0, GP_PIPELINED, 0, 0, 0, 0, 21),
    GP__H200(0, -1, GP__IF_STREAM_PAIRS, 0, 0, GP_PIPELINED, 0, 3, 4, 0, 21),
    GP__H200(0, -1, 0, 0, 0, GP_PIPELINED, 256, 5, 5, 2, 21),
    GP__H200(0, -1, 0, 16 << 20, 0, GP_PIPELINED, 512, 0, 0, 1, 21),
    GP__H200(0, -1, GP__IF_STREAM_LONG, 32 << 20, 0, GP_PIPELINED, 256, 5, 5, 1, 29),
    GP__H200(0, -1, GP__IF_STREAM_BROAD, 0, 0, GP_LOOK_BACK, 512, 0, 0, 4, 29),
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_LOOK_BACK, 256, 1, 3, 8, 21),
    GP__H200(0, -1, GP__IF_STREAM_ALONE | GP__IF_STREAM_THIRDS, 0, 0, GP_LOOK_BACK, 256, 3, 0, 4, 30),
    GP__H200(0, -1, GP__IF_STREAM_ALONE | GP__IF_STREAM_FOURTHS, 0, 0, GP_LOOK_BACK, 384, 3, 0, 3, 30),
    GP__H200(0, -1, 0, 1 << 20, 4 << 20, GP_LOOK_BACK, 512, 0, 0, 4, 21),
    GP__H200(0, -1, GP__IF_STREAM_ALONE, 2 << 20, 4 << 20, GP_LOOK_BACK, 384, 3, 0, 3, 29),
    GP__H200(0, -1, 0, 4 << 20, 0, GP_LOOK_BACK, 0, 5, 0, 0, 21),
    GP__H200(0, -1, GP__CHOOSES | GP__IF_STREAM_SEARCHES, 4 << 20, 8 << 20, GP_LOOK_BACK, 0, 3, 0, 6, 21),
    GP__H200(
        0, -1, GP__CHOOSES | GP__BY_COUNT | GP__IF_STREAM_LITTLE, 0, (104 << 10) + 1, GP_WARP_SEGMENTS, 0, 0, 0, 0, 30),
    GP__H200(0, -1, 0, 0, 0, GP_WARP_SEGMENTS, 256, 1, 3, 8, 29),
    GP__H200(0, -1, GP__IF_STREAM_FEW, 0, 0, GP_WARP_SEGMENTS, 128, 0, 0, 0, 30),
    GP__H200(0, -1, GP__CHOOSES | GP__IF_STREAM_CLUSTER, 0, 0, GP_ONE_CLUSTER, 0, 0, 0, 0, 30),
    GP__H200(0, -1, GP__IF_STREAM_WIDE, 0, 0, GP_ONE_CLUSTER, 512, 0, 0, 0, 30),
    GP__H200(0, -1, 0, 0, 0, GP_ONE_CLUSTER, 256, 1, 3, 8, 30),
};
// Shrinks a tile that does not fit, in the fields that the caller left open.
GP__HOST gp_policy gp__shrink_stream(gp_policy p, gp_policy q, gp__form s) {
  while (!p.vectors && q.vectors > 2 && !gp__policy_valid_stream(q, s)) q.vectors -= 2;
  while (!p.threads && q.threads > GP__WARP && !gp__policy_valid_stream(q, s))
    q.threads = q.threads / (2 * GP__WARP) * GP__WARP;
  return q;
}
// A stream's bytes: its keys or flags, and the values that go with them.
GP__HOST gp__measures gp__measure_stream(gp__form s) {
  gp__measures m = gp__measure_elements(s);
  m.bytes = s->count * (unsigned)(s->key_size + s->in_size);
  return m;
}
GP__HOST gp_policy gp__portable_stream(gp_policy p, gp__form s) {
  const gp__u64 tiles = gp__ceil_div(s->count, 256ull * (unsigned)gp__stream_items(1, s->key_size, s->in_size));
  const int lengths = s->primitive == GP_RUN_LENGTHS;
  const unsigned when = (s->key_size && s->in_size ? GP__IF_STREAM_PAIRS : 0) |
      (s->offset_size ? GP__IF_STREAM_SEARCHES : 0) |
      (s->offset_size && !s->described && !s->reproducible && s->segments <= (unsigned)s->multiprocessors << 6 &&
                  s->count <= (s->segments + 1) << 10 &&
                  (s->in_size <= 4 || (s->in_size <= 8 && s->count <= 72 << 10) ||
                      s->count * (unsigned)s->in_size < 32 << 10)
              ? GP__IF_STREAM_LITTLE
              : 0) |
      (s->key_size == 8 && s->in_size == 8 ? GP__IF_STREAM_LONG : 0) |
      (!s->offset_size && !(s->key_size && s->in_size) ? GP__IF_STREAM_ALONE : 0) |
      (!s->offset_size && !s->reproducible && gp__has_clusters(s) && s->acc_size <= 64 && tiles <= 2 * GP__CLUSTER
              ? GP__IF_STREAM_CLUSTER
              : 0) |
      (tiles > GP__CLUSTER ? GP__IF_STREAM_WIDE : 0) |
      (s->segments <= (unsigned)s->multiprocessors << 4 ? GP__IF_STREAM_FEW : 0) |
      (!s->offset_size && (tiles == 2 || (tiles > GP__GROUP && 2 * tiles <= (lengths ? 9 : 4) * GP__GROUP))
              ? GP__IF_STREAM_BROAD
              : 0) |
      (tiles <= 2 * GP__GROUP || s->stream.parts || lengths ? 0
              : tiles <= 3 * GP__GROUP ? GP__IF_STREAM_THIRDS
              : 2 * tiles <= 9 * GP__GROUP ? GP__IF_STREAM_FOURTHS
              : 0);
  const int vectors = p.vectors;
  gp_policy q;
  if (s->reproducible) {
    p.threads = gp__default_to(p.threads, gp__pinned_threads(s));
    p.vectors = gp__default_to(p.vectors, gp__pinned_vectors(s));
  }
  q = GP__FILL(p, gp__stream_rows, gp__measure_stream, s, when);
  if (q.algorithm == GP_PIPELINED) { // as many stages as fit with chunks of that size
    gp_policy whole = q;
    for (;; --whole.stages) {
      q = gp__shrink_stream(p, whole, s);
      if (p.stages || vectors || whole.stages <= 2 || (q.vectors == whole.vectors && gp__policy_valid_stream(q, s)))
        break;
    }
    if (p.algorithm || gp__policy_valid_stream(q, s)) return q;
    p.algorithm = GP_LOOK_BACK;
    q = GP__FILL(p, gp__stream_rows, gp__measure_stream, s, when);
  }
  if (!p.blocks_per_sm && q.vectors >= 5) q.blocks_per_sm = 4; // as many as the registers allow
  return gp__shrink_stream(p, q, s);
}
