// search/host.c - search
// uses: api/config.h, api/lists.h, core/words.h, core/arguments.h, core/request.c, host/values.c, host/call.c,
//   host/indices.c

// low = the first position in 0 .. length at which the condition on `middle` no longer holds.
#define GP__BISECT(low, length, condition) \
  { \
    uint64_t rest = (length); \
    for (low = 0; rest;) { \
      const uint64_t half = rest / 2, middle = low + half; \
      if (condition) low = middle + 1, rest -= half + 1; \
      else rest = half; \
    } \
  }

static void gp__host_bound(const gp__host_call *h, uint64_t first, uint64_t end) {
  const gp__request *q = h->q;
  const int upper = q->primitive == GP_UPPER_BOUND;
  const size_t size = q->in_size;
  uint64_t i, low;
  if (q->user_op) {
    const gp__u8 *x = (const gp__u8 *)q->keys;
    gp__value result;
    for (i = first; i < end; ++i) {
      const gp__u8 *needle = (const gp__u8 *)q->in + i * size;
      GP__BISECT(low, q->length,
          (gp__host_apply(
               q->user_op, result.bytes, upper ? needle : x + middle * size, upper ? x + middle * size : needle),
              (result.bytes[0] != 0) != upper))
      gp__host_put_index(q->out, q->out_size, i, low);
    }
    return;
  }
#define GPUPRIMS__BOUND(NAME, name, member, LOAD) \
  case GP_##NAME: { \
    const gp__h_##name *x = (const gp__h_##name *)q->keys, *y = (const gp__h_##name *)q->in; \
    for (i = first; i < end; ++i) { \
      if (upper) GP__BISECT(low, q->length, !(LOAD(y[i]) < LOAD(x[middle]))) \
      else GP__BISECT(low, q->length, LOAD(x[middle]) < LOAD(y[i])) \
      gp__host_put_index(q->out, q->out_size, i, low); \
    } \
    break; \
  }
  switch (q->in_type) {
    GP__HOST_NUMBERS(GPUPRIMS__BOUND)
    GP__HOST_LONGS(GPUPRIMS__BOUND)
  default: break;
  }
#undef GPUPRIMS__BOUND
}

// Elements past the last offset belong to segment `segments`, those before the first one to segment 0.
static void gp__host_balance(const gp__host_call *h, uint64_t first, uint64_t end) {
  const gp__request *q = h->q;
  uint64_t i, s;
  GP__BISECT(s, q->segments, gp__host_offset(q->begin, q->offset_size, middle + 1) <= first)
  for (i = first; i < end; ++i) {
    while (s < q->segments && gp__host_offset(q->begin, q->offset_size, s + 1) <= i) ++s;
    gp__host_put_index(q->out, q->out_size, i, s);
  }
}

static gp_result gp__host_search(gp__host_call *h) {
  gp__host_each_block(h, h->q->count, h->q->primitive == GP_LOAD_BALANCE ? gp__host_balance : gp__host_bound);
  return GP_SUCCESS;
}
