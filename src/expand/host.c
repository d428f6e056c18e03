// expand/host.c - expansions
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/request.c, host/config.c, host/call.c,
//   host/indices.c

// Writes value `run` to elements first .. end - 1, as far as there is room.
static void gp__host_repeat(const gp__host_call *h, uint64_t run, uint64_t first, uint64_t end) {
  const gp__request *q = h->q;
  const size_t size = q->in_size;
  const gp__u8 *value = (const gp__u8 *)q->in + run * size;
  gp__u8 *out = (gp__u8 *)q->out;
  uint64_t i;
  if (end > q->count) end = q->count;
  for (i = first; i < end; ++i) gp__host_move(out + i * size, value, size);
}
// Threads take runs, a few at a time.
enum { GP__HOST_EXPAND_BLOCKS = 256 };
static gp_result gp__host_expand(gp__host_call *h) {
  const gp__request *q = h->q;
  const int by_lengths = q->primitive == GP_RUN_LENGTH_EXPAND, threads = h->threads;
  const uint64_t share = gp__ceil_div(q->segments, GP__HOST_EXPAND_BLOCKS);
  uint64_t begin[GP__HOST_EXPAND_BLOCKS + 1];
  int64_t b;
  (void)threads;
  if (by_lengths) {
    GP__PARALLEL_FOR
    for (b = 0; b < GP__HOST_EXPAND_BLOCKS; ++b) {
      const uint64_t first = (uint64_t)b * share, end = q->segments - first < share ? q->segments : first + share;
      uint64_t k, sum = 0;
      for (k = first; first < q->segments && k < end; ++k) sum += gp__host_offset(q->begin, q->offset_size, k);
      begin[b + 1] = sum;
    }
    begin[0] = 0;
    for (b = 0; b < GP__HOST_EXPAND_BLOCKS; ++b) begin[b + 1] += begin[b];
    *q->out_count = begin[GP__HOST_EXPAND_BLOCKS];
  }
  GP__PARALLEL_UNEVEN
  for (b = 0; b < GP__HOST_EXPAND_BLOCKS; ++b) {
    const uint64_t first = (uint64_t)b * share, end = q->segments - first < share ? q->segments : first + share;
    uint64_t k, at = by_lengths ? begin[b] : 0, next;
    for (k = first; first < q->segments && k < end; ++k, at = next) {
      if (!by_lengths) at = gp__host_offset(q->begin, q->offset_size, k);
      next = by_lengths ? at + gp__host_offset(q->begin, q->offset_size, k)
          : gp__host_offset(q->begin, q->offset_size, k + 1);
      gp__host_repeat(h, k, at, next);
    }
  }
  return GP_SUCCESS;
}
