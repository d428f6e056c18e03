// map/host.c - copy, fill, iota, transform
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/request.c, host/types.c, host/values.c, host/call.c

// out[i] = from + (first + i) * by, up to GP__HOST_ELEMENTS of them.
static void gp__host_iota(gp_type type, const void *from, const void *by, uint64_t first, gp__u8 *out, size_t n) {
  gp__wide start, step, w[GP__HOST_ELEMENTS];
  gp__h_f32 f[GP__HOST_ELEMENTS], f_start, f_step;
  size_t i;
  if (gp__host_is_long(type)) {
    const gp__h_u128 low = *(const gp__h_u128 *)from, more = *(const gp__h_u128 *)by;
    for (i = 0; i < n; ++i) ((gp__h_u128 *)(void *)out)[i] = low + (first + i) * more;
    return;
  }
  gp__host_widen(type, from, &start, 1);
  gp__host_widen(type, by, &step, 1);
  if (gp__host_kind(type) != GP__WIDE_F) {
    for (i = 0; i < n; ++i) w[i].u = start.u + (first + i) * step.u;
    gp__host_narrow(type, GP__WIDE_U, w, out, n);
    return;
  }
  f_start = (float)start.f, f_step = (float)step.f;
  if (type == GP_F64)
    for (i = 0; i < n; ++i) w[i].f = (double)(first + i) * step.f;
  else
    for (i = 0; i < n; ++i) f[i] = (float)(first + i) * f_step;
  __asm__ volatile("" : : "r"(w), "r"(f) : "memory"); // the product is rounded before the sum
  if (type == GP_F64)
    for (i = 0; i < n; ++i) w[i].f += start.f;
  else
    for (i = 0; i < n; ++i) f[i] += f_start;
  if (type == GP_F64) memcpy(out, w, n * sizeof(double));
  else gp__host_convert(GP_F32, type, f, out, n);
}

// Primitives that treat each element by itself.
static void gp__host_map(const gp__host_call *h, uint64_t first, uint64_t end) {
  const gp__request *q = h->q;
  gp__host_buffer a, b;
  const size_t limit = gp__smaller(h->in.limit, h->in2.limit);
  size_t k;
  for (; first < end; first += k) {
    gp__u8 *out = h->out + first * h->out_size;
    k = gp__smaller(end - first, limit);
    if (q->primitive == GP_IOTA) gp__host_iota(q->out_type, q->init.bytes, q->step.bytes, first, out, k);
    else if (q->primitive == GP_TRANSFORM2) {
      if (q->user_op) {
        size_t i;
        for (i = 0; i < k; ++i)
          gp__host_apply(q->user_op, a.bytes, (const gp__u8 *)q->in + (first + i) * q->in_size,
              (const gp__u8 *)q->in2 + (first + i) * q->in2_size),
              memcpy(out + i * h->out_size, a.bytes, h->out_size);
      } else {
        const gp__u8 *x = gp__host_elements(&h->in, first, k, a.bytes);
        h->op.loops.map(&h->op, out, x, gp__host_elements(&h->in2, first, k, b.bytes), k);
      }
    } else {
      const gp__u8 *x = gp__host_elements(&h->in, first, k, out); // converted in place, or
      if (x != out) memcpy(out, x, k * h->out_size); // a copy
    }
  }
}

static void gp__host_fill(const gp__host_call *h, uint64_t first, uint64_t end) {
  gp__host_buffer pattern;
  const size_t n = (size_t)(end - first), limit = GP__HOST_BYTES / h->out_size, m = n < limit ? n : limit;
  size_t i, k;
  memcpy(pattern.bytes, h->q->init.bytes, h->out_size);
  for (i = 1; i < m; i += k) {
    k = m - i < i ? m - i : i;
    memcpy(pattern.bytes + i * h->out_size, pattern.bytes, k * h->out_size);
  }
  for (i = 0; i < n; i += k) {
    k = n - i < m ? n - i : m;
    memcpy(h->out + (first + i) * h->out_size, pattern.bytes, k * h->out_size);
  }
}

static gp_result gp__host_each(const gp__host_call *h) {
  if (h->q->primitive != GP_COPY || h->q->in != h->q->out)
    gp__host_each_block(h, h->q->count, h->q->primitive == GP_FILL ? gp__host_fill : gp__host_map);
  return GP_SUCCESS;
}
