// scatter/host.c - scatters, gathers and replacements
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/arguments.h, core/request.c, host/types.c,
//   host/values.c, host/call.c, host/indices.c

// truth[i] = whether the predicate holds for x[i], or x[i] is not zero; n <= GP__HOST_ELEMENTS.
static void gp__host_chosen(const gp__request *q, gp_type type, size_t size, const gp__u8 *x, gp__u8 *truth, size_t n) {
  const gp__value zero = {{0}};
  const gp__u8 *z = q->user_op ? NULL : q->op ? q->init.bytes : zero.bytes;
  gp__host_holds(q->op ? q->op : GP_NOT_EQUAL, q->user_op, type, size, x, z, 0, truth, n);
}
// truth[i] = whether the stencil lets element first + i pass.
static void gp__host_passes(const gp__request *q, uint64_t first, gp__u8 *truth, size_t n) {
  if (!q->key_size) memset(truth, 1, n);
  else gp__host_chosen(q, q->key_type, q->key_size, (const gp__u8 *)q->keys + first * q->key_size, truth, n);
}
static void gp__host_replace(const gp__host_call *h, uint64_t first, uint64_t end) {
  const gp__request *q = h->q;
  const size_t size = q->out_size;
  gp__u8 truth[GP__HOST_ELEMENTS];
  size_t n, i;
  for (; first < end; first += n) {
    const gp__u8 *in = (const gp__u8 *)q->in + first * size;
    gp__u8 *out = (gp__u8 *)q->out + first * size;
    n = gp__smaller(end - first, GP__HOST_ELEMENTS);
    gp__host_holds(q->op, q->user_op, q->in_type, size, in, q->user_op ? NULL : q->step.bytes, 0, truth, n);
    for (i = 0; i < n; ++i) gp__host_move(out + i * size, truth[i] ? q->init.bytes : in + i * size, size);
  }
}
static void gp__host_place(const gp__host_call *h, uint64_t first, uint64_t end) {
  const gp__request *q = h->q;
  const size_t size = q->out_size;
  const int gather = q->primitive == GP_GATHER, indexed = q->in2_size != 0, as_is = h->in.limit > GP__HOST_BYTES;
  gp__u8 *out = (gp__u8 *)q->out, truth[GP__HOST_ELEMENTS];
  gp__wide index[GP__HOST_ELEMENTS];
  gp__value made;
  size_t n, i;
  for (; first < end; first += n) {
    n = gp__smaller(end - first, GP__HOST_ELEMENTS);
    gp__host_passes(q, first, truth, n);
    if (indexed) gp__host_widen(q->in2_type, (const gp__u8 *)q->in2 + first * q->in2_size, index, n);
    for (i = 0; i < n; ++i) {
      const uint64_t place = indexed ? index[i].u : first + i, from = gather ? place : first + i;
      if (truth[i] && (!indexed || place < q->length))
        gp__host_move(out + (gather ? first + i : place) * size,
            as_is ? h->in.base + from * size : gp__host_elements(&h->in, from, 1, made.bytes), size);
    }
  }
}
// One thread scatters by indices: several might have the same index.
static gp_result gp__host_scatter(gp__host_call *h) {
  const gp__request *q = h->q;
  if (q->primitive == GP_REPLACE) return gp__host_each_block(h, q->count, gp__host_replace), GP_SUCCESS;
  h->in = gp__host_source_of(q->in, q->in_type, q->in_size, q->out_type, q->out_size, q->transform, q->user_transform,
      q->out_type == GP_BOOL && !q->user_transform);
  if (q->primitive == GP_GATHER) gp__host_each_block(h, q->count, gp__host_place);
  else gp__host_place(h, 0, q->count);
  return GP_SUCCESS;
}
