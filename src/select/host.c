// select/host.c - selection
// uses: api/config.h, api/lists.h, core/shape.h, core/arguments.h, core/request.c, host/config.c, host/types.c,
//   host/call.c, host/exact.c, host/indices.c

// The part of each of the elements first .. first + n - 1, n <= GP__HOST_ELEMENTS.
static void gp__host_parts(const gp__request *q, uint64_t first, size_t n, unsigned char *part) {
  const gp_type type = q->key_size ? q->key_type : q->in_type; // of what is tested: flags, a stencil, the elements
  const size_t size = q->key_size ? q->key_size : q->in_size;
  const unsigned char *x = (const unsigned char *)(q->key_size ? q->keys : q->in) + first * size;
  const gp__value zero = {{0}};
  size_t i;
  if (q->op) gp__host_holds(q->op, q->user_op, type, size, x, q->user_op ? NULL : q->init.bytes, 0, part, n);
  else gp__host_holds(GP_NOT_EQUAL, NULL, type, size, x, zero.bytes, 0, part, n);
  for (i = 0; i < n; ++i) part[i] ^= 1;
  if (q->transform) { // the second predicate
    unsigned char second[GP__HOST_ELEMENTS];
    const unsigned char *scalar = q->user_transform ? NULL : q->step.bytes;
    gp__host_holds(q->transform, q->user_transform, type, size, x, scalar, 0, second, n);
    for (i = 0; i < n; ++i) part[i] = part[i] ? (unsigned char)(2 - second[i]) : 0;
  }
}

enum { GP__HOST_PARTS = 3 };

// Adds each part's number of elements to `at`; with `out`, also moves the elements to the positions in `at`.
static void gp__host_distribute(
    const gp__request *q, uint64_t first, uint64_t n, unsigned char *const *out, uint64_t *at) {
  unsigned char part[GP__HOST_ELEMENTS];
  size_t i, k;
  for (; n; first += k, n -= k) {
    const unsigned char *x = (const unsigned char *)q->in + first * q->in_size;
    k = n < GP__HOST_ELEMENTS ? (size_t)n : (size_t)GP__HOST_ELEMENTS;
    gp__host_parts(q, first, k, part);
    for (i = 0; i < k; ++i) {
      const unsigned p = part[i];
      if (out && out[p]) gp__host_move(out[p] + at[p] * q->in_size, x + i * q->in_size, q->in_size);
      ++at[p];
    }
  }
}

// Several threads count the blocks, then move each to the end of the blocks before it. In place, blocks must move one
// after the other.
static gp_result gp__host_select(const gp__host_call *h) {
  const gp__request *q = h->q;
  const int moves = q->primitive == GP_SELECT || q->primitive == GP_PARTITION;
  const int parts = q->primitive != GP_PARTITION ? 1 : q->transform ? 3 : 2;
  const int threads = moves && q->in == q->out ? 1 : h->threads;
  const uint64_t count = q->count, block = GP__HOST_BLOCK;
  const int64_t blocks = (int64_t)gp__ceil_div(count, block);
  unsigned char *const out[GP__HOST_PARTS] = {h->out, (unsigned char *)q->out2, (unsigned char *)q->out3};
  uint64_t total[GP__HOST_PARTS] = {0, 0, 0}, *at;
  int64_t b;
  int p;
  if (threads <= 1) gp__host_distribute(q, 0, count, moves ? out : NULL, total);
  else {
    const size_t bytes = (size_t)blocks * sizeof total;
    at = (uint64_t *)calloc(1, bytes);
    if (!at) return gp__host_no_memory(h, bytes);
    GP__PARALLEL_FOR
    for (b = 0; b < blocks; ++b) {
      const uint64_t first = (uint64_t)b * block;
      gp__host_distribute(q, first, count - first < block ? count - first : block, NULL, at + b * GP__HOST_PARTS);
    }
    for (b = 0; b < blocks; ++b)
      for (p = 0; p < GP__HOST_PARTS; ++p) {
        const uint64_t before = total[p];
        total[p] += at[b * GP__HOST_PARTS + p];
        at[b * GP__HOST_PARTS + p] = before;
      }
    if (moves) {
      GP__PARALLEL_FOR
      for (b = 0; b < blocks; ++b) {
        const uint64_t first = (uint64_t)b * block;
        gp__host_distribute(q, first, count - first < block ? count - first : block, out, at + b * GP__HOST_PARTS);
      }
    }
    free(at);
  }
  for (p = 0; p < parts; ++p) q->out_count[p] = total[p];
  return GP_SUCCESS;
}
