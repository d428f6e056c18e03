// select/portable.h - portable rules of streams
// uses: api/lists.h, api/policy.h, core/shape.h, select/policy.h, core/canonical.h

// Streams. GP_AUTO becomes pipelined from 4 MiB on, where that is valid; segmented scans, which search offsets, from
// 8 MiB on. One large block, or two where there are few tiles, of 1024 threads together. Below 4 MiB a thread has one
// vector, so that all multiprocessors have tiles. A tile that does not fit gets smaller in what the caller has left
// open.
__attribute__((unused)) static gp_policy gp__portable_stream_as(gp_policy p, gp__shape s, int algorithm, int threads,
                                                                int vectors, int stages, int blocks) {
  gp_policy q = p;
  q.algorithm = gp__default_to(p.algorithm, algorithm);
  q.threads = gp__default_to(p.threads, threads);
  q.vectors = gp__default_to(p.vectors, vectors);
  q.stages = gp__default_to(p.stages, stages);
  q.blocks_per_sm = gp__default_to(p.blocks_per_sm, blocks);
  while (!p.vectors && q.vectors > 2 && !gp__policy_valid_stream(q, s)) q.vectors -= 2;
  while (!p.threads && q.threads > GP__WARP && !gp__policy_valid_stream(q, s))
    q.threads = q.threads / (2 * GP__WARP) * GP__WARP;
  return q;
}
__attribute__((unused)) static gp_policy gp__portable_stream(gp_policy p, gp__shape s, unsigned long long bytes) {
  const int large = bytes >> 24 != 0, pair = s.key_size && s.in_size, middle = bytes >> 20 && !(bytes >> 22);
  const int searching = s.offset_size && bytes >> 22 && !(bytes >> 23);
  const int vectors = searching ? 3 : bytes >> 22 ? 5 : 1;
  gp_policy q;
  int stages;
  for (stages = pair ? 4 : 5; stages >= 2; --stages) { // as many as fit with chunks of that size
    q = gp__portable_stream_as(p, s, GP_PIPELINED, large ? 512 : 256, pair ? 3 : 5, stages, large ? 1 : 2);
    if (p.stages || p.vectors || (q.vectors == (pair ? 3 : 5) && gp__policy_valid_stream(q, s))) break;
  }
  if (p.algorithm == GP_PIPELINED ||
      (p.algorithm == GP_AUTO && bytes >> 22 && !searching && gp__policy_valid_stream(q, s)))
    return q;
  return gp__portable_stream_as(p, s, GP_LOOK_BACK, middle ? 512 : 256, vectors, 3,
                                middle || gp__default_to(p.vectors, vectors) >= 5 ? 4
                                : searching                                       ? 6
                                                                                  : 8);
}
