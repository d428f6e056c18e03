// select/host.c - selection
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/request.c, host/config.c, host/types.c,
//   host/user.c, host/call.c, host/indices.c, scatter/host.c

// The part of each of the elements first .. first + n - 1, n <= GP__HOST_ELEMENTS.
static void gp__host_parts(const gp__request *q, uint64_t first, size_t n, gp__u8 *part) {
  const gp_type type = q->key_size ? q->key_type : q->in_type; // of what is tested: flags, a stencil, the elements
  const size_t size = q->key_size ? q->key_size : q->in_size;
  const gp__u8 *x = (const gp__u8 *)(q->key_size ? q->keys : q->in) + first * size;
  size_t i;
  gp__host_chosen(q, type, size, x, part, n);
  for (i = 0; i < n; ++i) part[i] ^= 1;
  if (q->transform) { // the second predicate
    gp__u8 second[GP__HOST_ELEMENTS];
    const gp__u8 *scalar = q->user_transform ? NULL : q->step.bytes;
    gp__host_holds(q->transform, q->user_transform, type, size, x, scalar, 0, second, n);
    for (i = 0; i < n; ++i) part[i] = part[i] ? (gp__u8)(2 - second[i]) : 0;
  }
}

enum { GP__HOST_PARTS = 3 };

// The number of counts that a call writes to out_count.
static int gp__parts_of(const gp__request *q) { return q->primitive != GP_PARTITION ? 1 : q->transform ? 3 : 2; }
// Adds each part's number of elements to `at`; with `out`, also moves the elements to the positions in `at`. The first
// part moves last, since it may go over elements that others take.
static void gp__host_distribute(const gp__request *q, uint64_t first, uint64_t n, gp__u8 *const *out, uint64_t *at) {
  gp__u8 part[GP__HOST_ELEMENTS];
  uint16_t chosen[GP__HOST_ELEMENTS];
  const size_t size = q->in_size;
  size_t i, k, found;
  int p;
  for (; n; first += k, n -= k) {
    const gp__u8 *x = (const gp__u8 *)q->in + first * size;
    k = gp__smaller(n, GP__HOST_ELEMENTS);
    gp__host_parts(q, first, k, part);
    for (p = gp__parts_of(q); p-- > 0; at[p] += found) {
      found = 0;
      if (!out || !out[p])
        for (i = 0; i < k; ++i) found += part[i] == p;
      else {
        for (i = 0; i < k; found += part[i++] == p) chosen[found] = (uint16_t)i; // no branch depends on the part
        for (i = 0; i < found; ++i) gp__host_move(out[p] + (at[p] + i) * size, x + chosen[i] * size, size);
      }
    }
  }
}

// Several threads count the blocks, then move each to the end of the blocks before it. In place, blocks must move one
// after the other.
static gp_result gp__host_select(const gp__host_call *h) {
  const gp__request *q = h->q;
  const int moves = q->primitive == GP_SELECT || q->primitive == GP_PARTITION;
  const int parts = gp__parts_of(q);
  const int threads = moves && q->in == q->out ? 1 : h->threads;
  const uint64_t count = q->count;
  const int64_t blocks = (int64_t)gp__ceil_div(count, GP__HOST_BLOCK);
  gp__u8 *const out[GP__HOST_PARTS] = {h->out, (gp__u8 *)q->out2, (gp__u8 *)q->out3};
  uint64_t total[GP__HOST_PARTS] = {0, 0, 0}, *at;
  int64_t b;
  int p;
  if (threads <= 1) gp__host_distribute(q, 0, count, moves ? out : NULL, total);
  else {
    const size_t bytes = (size_t)blocks * sizeof total;
    at = (uint64_t *)calloc(1, bytes);
    if (!at) return gp__host_no_memory(h->q, bytes);
    GP__PARALLEL_FOR
    for (b = 0; b < blocks; ++b) {
      const uint64_t first = (uint64_t)b * GP__HOST_BLOCK;
      gp__host_distribute(q, first, gp__host_block_end(first, count) - first, NULL, at + b * GP__HOST_PARTS);
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
        const uint64_t first = (uint64_t)b * GP__HOST_BLOCK;
        gp__host_distribute(q, first, gp__host_block_end(first, count) - first, out, at + b * GP__HOST_PARTS);
      }
    }
    free(at);
  }
  for (p = 0; p < parts; ++p) q->out_count[p] = total[p];
  return GP_SUCCESS;
}
