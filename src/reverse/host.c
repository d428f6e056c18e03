// reverse/host.c - reverse and swap
// uses: api/config.h, api/lists.h, core/words.h, core/arguments.h, core/request.c, host/types.c, host/call.c,
//   host/indices.c

// Elements first to end - 1 of the output; in place, also their mirror images.
static void gp__host_mirror(const gp__host_call *h, uint64_t first, uint64_t end) {
  const gp__request *q = h->q;
  const size_t size = q->out_size;
  const gp__u8 *in = (const gp__u8 *)q->in;
  gp__u8 *out = (gp__u8 *)q->out;
  gp__value mine;
  uint64_t i;
#define GP__MIRROR(T) \
  if (size == sizeof(T) && in != out) { \
    const T *x = (const T *)q->in + q->count - 1; \
    for (i = first; i < end; ++i) ((T *)q->out)[i] = *(x - i); \
    return; \
  }
  GP__MIRROR(gp__h_u8)
  GP__MIRROR(gp__h_u16)
  GP__MIRROR(gp__h_u32)
  GP__MIRROR(gp__h_u64)
#undef GP__MIRROR
  for (i = first; i < end; ++i) {
    const uint64_t mirrored = q->count - 1 - i;
    memcpy(mine.bytes, in + i * size, size);
    gp__host_move(out + i * size, in + mirrored * size, size);
    if (in == out) gp__host_move(out + mirrored * size, mine.bytes, size);
  }
}
static gp_result gp__host_reverse(gp__host_call *h) {
  const gp__request *q = h->q;
  gp__host_each_block(h, q->in == q->out ? q->count / 2 : q->count, gp__host_mirror);
  return GP_SUCCESS;
}
static void gp__host_exchange(const gp__host_call *h, uint64_t first, uint64_t end) {
  const gp__request *q = h->q;
  const size_t size = q->out_size;
  gp__u8 *a = (gp__u8 *)q->out, *b = (gp__u8 *)q->out3;
  gp__value x;
  uint64_t i;
  for (i = first; i < end; ++i) {
    memcpy(x.bytes, a + i * size, size);
    gp__host_move(a + i * size, b + i * size, size);
    gp__host_move(b + i * size, x.bytes, size);
  }
}
static gp_result gp__host_swap(gp__host_call *h) {
  gp__host_each_block(h, h->q->count, gp__host_exchange);
  return GP_SUCCESS;
}
