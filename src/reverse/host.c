// reverse/host.c - reverse
// uses: api/config.h, api/lists.h, core/shape.h, core/arguments.h, core/request.c, host/config.c, host/types.c,
//   host/call.c, host/indices.c

// Elements first to end - 1 of the output, and in place those that mirror them.
static void gp__host_mirror(const gp__request *q, uint64_t first, uint64_t end) {
  const size_t size = q->out_size;
  const unsigned char *in = (const unsigned char *)q->in;
  unsigned char *out = (unsigned char *)q->out;
  gp__value mine;
  uint64_t i;
  for (i = first; i < end; ++i) {
    const uint64_t mirrored = q->count - 1 - i;
    memcpy(mine.bytes, in + i * size, size);
    gp__host_move(out + i * size, in + mirrored * size, size);
    if (in == out) gp__host_move(out + mirrored * size, mine.bytes, size);
  }
}
static gp_result gp__host_reverse(gp__host_call *h) {
  const gp__request *q = h->q;
  const uint64_t all = q->in == q->out ? q->count / 2 : q->count;
  const int64_t blocks = (int64_t)gp__ceil_div(all, GP__HOST_BLOCK);
  const int threads = h->threads;
  int64_t b;
  (void)threads;
  GPUPRIMS__PARALLEL_FOR
  for (b = 0; b < blocks; ++b) {
    const uint64_t first = (uint64_t)b * GP__HOST_BLOCK;
    gp__host_mirror(q, first, all - first < GP__HOST_BLOCK ? all : first + GP__HOST_BLOCK);
  }
  return GP_SUCCESS;
}
