// transpose/host.c - transpose
// uses: api/config.h, api/lists.h, core/words.h, transpose/policy.h, core/request.c, host/types.c, host/user.c,
//   host/call.c, host/indices.c

static void gp__host_transpose_matrix(const gp__moves *m, const gp__u8 *in, gp__u8 *out) {
  enum { SIDE = 32 };
  const size_t size = (size_t)m->size;
  uint64_t r0, c0, r, c;
  for (r0 = 0; r0 < m->extent[1]; r0 += SIDE)
    for (c0 = 0; c0 < m->extent[0]; c0 += SIDE)
      for (c = c0; c < m->extent[0] && c < c0 + SIDE; ++c)
        for (r = r0; r < m->extent[1] && r < r0 + SIDE; ++r)
          gp__host_move(
              out + c * m->out_stride[0] + r * m->out_stride[1], in + r * m->in_stride[1] + c * m->in_stride[0], size);
}
static gp_result gp__host_transpose(gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__moves *m = &q->moves;
  const gp__u8 *in = (const gp__u8 *)q->in;
  gp__u8 *out = (gp__u8 *)q->out, *copy = NULL;
  const int64_t matrices = (int64_t)(m->extent[2] * m->extent[3]);
  int64_t i;
  if (q->in == q->out) { // from a copy
    const uint64_t bytes = m->in_span * q->in_size;
    copy = bytes <= SIZE_MAX ? (gp__u8 *)malloc((size_t)bytes) : NULL;
    if (!copy) return gp__host_no_memory(q, bytes);
    memcpy(copy, in, (size_t)bytes);
    in = copy;
  }
#ifdef _OPENMP
  const int threads = h->asked > 0 ? h->asked : omp_get_max_threads();
#pragma omp parallel for num_threads(threads) if (matrices > 1 && q->count > GP__HOST_PARALLEL_BYTES)
#endif
  for (i = 0; i < matrices; ++i) {
    const uint64_t far = (uint64_t)i / m->extent[3], near = (uint64_t)i % m->extent[3];
    const gp__u8 *from = in + far * m->in_stride[2] + near * m->in_stride[3];
    gp__u8 *to = out + far * m->out_stride[2] + near * m->out_stride[3];
    uint64_t row;
    if (m->kind != GP__MOVE_ROWS) gp__host_transpose_matrix(m, from, to);
    else
      for (row = 0; row < m->extent[1]; ++row)
        memcpy(to + row * m->out_stride[1], from + row * m->in_stride[1], (size_t)m->extent[0]);
  }
  free(copy);
  return GP_SUCCESS;
}
