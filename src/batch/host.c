// batch/host.c - copies of many buffers
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/request.c, host/config.c, host/call.c,
//   host/indices.c

enum { GP__HOST_LARGE_LOG2 = 20 }; // threads share larger buffers
static gp_result gp__host_copy_batch(gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__u8 *const *sources = (const gp__u8 *const *)q->in;
  gp__u8 *const *destinations = (gp__u8 *const *)q->in2;
  const uint64_t large = (uint64_t)1 << GP__HOST_LARGE_LOG2;
  const int threads = h->threads;
  const uint64_t share = q->count / ((uint64_t)threads * 16) + 1, block = share < 1024 ? share : 1024;
  const int64_t blocks = (int64_t)gp__ceil_div(q->count, block);
  int64_t b;
  uint64_t i;
  (void)threads;
  GP__PARALLEL_UNEVEN
  for (b = 0; b < blocks; ++b) {
    uint64_t k = (uint64_t)b * block;
    const uint64_t stop = q->count - k < block ? q->count : k + block;
    for (; k < stop; ++k) {
      const uint64_t size = gp__host_offset(q->begin, q->offset_size, k);
      if (size && size <= large) memcpy(destinations[k], sources[k], (size_t)size);
    }
  }
  for (i = 0; i < q->count; ++i) {
    const uint64_t size = gp__host_offset(q->begin, q->offset_size, i);
    const int64_t pieces = (int64_t)gp__ceil_div(size, large);
    if (size <= large) continue;
    GP__PARALLEL_FOR
    for (b = 0; b < pieces; ++b) {
      const uint64_t at = (uint64_t)b * large;
      memcpy(destinations[i] + at, sources[i] + at, (size_t)gp__smaller(size - at, large));
    }
  }
  return GP_SUCCESS;
}
