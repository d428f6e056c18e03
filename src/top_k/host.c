// top_k/host.c - top-k, nth element
// uses: api/config.h, api/lists.h, api/structs.h, core/words.h, core/request.c, host/config.c, host/user.c,
//   host/values.c, host/call.c, host/indices.c, segments/host.c, sort/host.c, merge/host.c

// Keys in the order of the result become unsigned integers.
static gp__host_form gp__host_rank_of(const gp__request *q) {
  return gp__host_form_of(q->op ? GP_U8 : q->key_type, (q->flags & GP_DESCENDING) != 0);
}

// keys: of the row. Those that an operator orders have no bits.
static int gp__host_comes_later(
    const gp__request *q, const gp__u8 *keys, const gp__host_indexed *a, const gp__host_indexed *b) {
  const gp__host_order o = gp__host_order_of(q);
  const gp__u8 *x = keys + a->index * q->key_size, *y = keys + b->index * q->key_size;
  return !q->op ? a->bits > b->bits || (a->bits == b->bits && a->index > b->index)
      : o.before(&o, y, x) || (a->index > b->index && !o.before(&o, x, y));
}
// Sifts down the heap's element at `i`, which may be better than those below it; the worst is on top.
static void gp__host_sift(const gp__request *q, const gp__u8 *keys, gp__host_indexed *heap, size_t n, size_t i) {
  const gp__host_indexed x = heap[i];
  size_t child;
  for (; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && gp__host_comes_later(q, keys, heap + child + 1, heap + child)) ++child;
    if (!gp__host_comes_later(q, keys, heap + child, &x)) break;
    heap[i] = heap[child];
  }
  heap[i] = x;
}
// The best `wanted` of a row, in order: keeps a heap of the best so far, then sorts it.
static void gp__host_best(
    const gp__request *q, const gp__u8 *keys, uint64_t n, uint64_t wanted, gp__host_indexed *heap) {
  const size_t k = (size_t)(wanted < n ? wanted : n);
  const gp__host_form f = gp__host_rank_of(q);
  size_t i, left;
  uint64_t at;
  for (at = 0; at < n; ++at) {
    gp__host_indexed x;
    x.bits = q->op ? 0 : gp__host_encode(&f, keys + at * q->key_size);
    if (at >= k && x.bits > heap->bits) continue;
    x.index = at;
    if (at < k) {
      heap[at] = x;
      if (at + 1 == k)
        for (i = k / 2 + 1; i-- > 0;) gp__host_sift(q, keys, heap, k, i);
    } else if (gp__host_comes_later(q, keys, heap, &x)) {
      heap[0] = x;
      gp__host_sift(q, keys, heap, k, 0);
    }
  }
  for (left = k; left > 1;) {
    const gp__host_indexed last = heap[--left];
    heap[left] = heap[0];
    heap[0] = last;
    gp__host_sift(q, keys, heap, left, 0);
  }
}
static void gp__host_best_of_row(
    const gp__request *q, uint64_t first, uint64_t n, uint64_t wanted, uint64_t row, gp__host_indexed *heap) {
  const size_t k = (size_t)(wanted < n ? wanted : n);
  size_t i;
  gp__host_best(q, (const gp__u8 *)q->keys + first * q->key_size, n, wanted, heap);
  for (i = 0; i < k; ++i) {
    const uint64_t to = row * q->length + i, from = first + heap[i].index;
    if (q->out_keys)
      memcpy((gp__u8 *)q->out_keys + to * q->key_size, (const gp__u8 *)q->keys + from * q->key_size, q->key_size);
    if (q->in_size)
      gp__host_move((gp__u8 *)q->out + to * q->out_size, (const gp__u8 *)q->in + from * q->in_size, q->in_size);
    else if (q->out_size) gp__host_put_index(q->out, q->out_size, to, heap[i].index);
    if (q->out2_size) gp__host_put_index(q->out2, q->out2_size, to, heap[i].index);
  }
}
static gp_result gp__host_top_k(const gp__host_call *h) {
  const gp__request *q = h->q;
  const int segmented = q->primitive == GP_SEGMENTED_TOP_K;
  const int64_t rows = (int64_t)(q->segments || segmented ? q->segments : 1); // 0: offsets were checked
  const int threads = h->threads > rows ? (int)rows : h->threads;
  const size_t bytes = (size_t)q->length * sizeof(gp__host_indexed);
  gp__host_indexed *heaps = (gp__host_indexed *)malloc(bytes * (size_t)threads + 1);
  int64_t t;
  if (!heaps) return gp__host_no_memory(h->q, bytes * (size_t)threads);
  GP__PARALLEL_FOR
  for (t = 0; t < threads; ++t) {
    int64_t row;
    for (row = t; row < rows; row += threads) {
      uint64_t first = (uint64_t)row * q->stride, end = first + q->count, k = q->length;
      if (segmented) gp__host_segment_of(q, q->count / (uint64_t)rows, (uint64_t)row, &first, &end);
      if (q->in2 && ((const uint32_t *)q->in2)[row] < k) k = ((const uint32_t *)q->in2)[row];
      if (k) gp__host_best_of_row(q, first, end - first, k, (uint64_t)row, heaps + (size_t)t * (size_t)q->length);
    }
  }
  free(heaps);
  return GP_SUCCESS;
}

// Finds the n-th key 16 bits at a time: counts each value of the next bits among the keys with the known prefix.
static gp_result gp__host_nth(const gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__u8 *keys = (const gp__u8 *)q->keys;
  const unsigned bits = 8 * (unsigned)q->key_size, digit = bits < 16 ? bits : 16;
  uint64_t *counts = (uint64_t *)malloc(sizeof(uint64_t) << digit), rank = q->length, prefix = 0, i;
  const gp__host_form f = gp__host_rank_of(q);
  unsigned known;
  if (!counts) return gp__host_no_memory(h->q, sizeof(uint64_t) << digit);
  if (rank >= q->count) rank = q->count - 1;
  for (known = 0; known < bits; known += digit) {
    const unsigned shift = bits - known - digit;
    uint64_t value = 0;
    memset(counts, 0, sizeof(uint64_t) << digit);
    for (i = 0; i < q->count; ++i) {
      const uint64_t x = gp__host_encode(&f, keys + i * q->key_size);
      if (known == 0 || x >> (bits - known) == prefix) ++counts[x >> shift & (((uint64_t)1 << digit) - 1)];
    }
    while (rank >= counts[value]) rank -= counts[value++];
    prefix = prefix << digit | value;
  }
  free(counts);
  for (i = 0; gp__host_encode(&f, keys + i * q->key_size) != prefix; ++i) {}
  memcpy(q->out_keys, keys + i * q->key_size, q->key_size);
  return GP_SUCCESS;
}
