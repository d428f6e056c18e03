// segmented_sort/host.c - segmented sort
// uses: api/config.h, api/lists.h, api/structs.h, core/words.h, core/shape.h, core/messages.c, core/request.c,
//   host/config.c, host/call.c, host/indices.c, sort/host.c

// Segment i as [first, end), clamped so that wrong offsets do no harm.
static void gp__host_segment_of(const gp__request *q, uint64_t i, uint64_t *first, uint64_t *end) {
  if (!q->begin) { // segments of one length
    const uint64_t length = q->count / q->segments;
    *first = i * length;
    *end = *first + length;
    return;
  }
  *first = gp__host_offset(q->begin, q->offset_size, i);
  *end = q->end ? gp__host_offset(q->end, q->offset_size, i) : gp__host_offset(q->begin, q->offset_size, i + 1);
  if (*end > q->count) *end = q->count;
  if (*first > *end) *first = *end;
}
static gp_result gp__host_segmented_sort(gp__host_call *h) {
  const gp__request *q = h->q;
  const unsigned char *keys = (const unsigned char *)q->keys, *values = (const unsigned char *)q->in;
  const size_t key_size = q->key_size, value_size = q->out_size, cell = key_size > value_size ? key_size : value_size;
  const int threads = h->threads, wanted = q->end_bit - q->begin_bit;
  uint64_t longest = 0, share, i;
  int64_t block, blocks;
  int failed = 0;
  for (i = 0; i < q->segments; ++i) {
    uint64_t first, end;
    gp__host_segment_of(q, i, &first, &end);
    if (end - first > longest) longest = end - first;
  }
  share = q->segments / ((uint64_t)threads * 16) + 1;
  blocks = (int64_t)gp__ceil_div(q->segments, share);
  GP__PARALLEL_UNEVEN
  for (block = 0; block < blocks; ++block) {
    const uint64_t from = (uint64_t)block * share, to = q->segments - from < share ? q->segments : from + share;
    // Keys with their indices, a second such array for merges, and the elements to move.
    gp__host_indexed *order = NULL, *other, *sorted;
    unsigned char *moved;
    uint64_t s, n, most = 0;
    for (s = from; s < to; ++s) {
      uint64_t first, end;
      gp__host_segment_of(q, s, &first, &end);
      if (end - first > most) most = end - first;
    }
    if (most) order = (gp__host_indexed *)malloc(most * (2 * sizeof *order + cell));
    if (most && !order) {
      __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
      continue;
    }
    other = order + most;
    moved = (unsigned char *)(other + most);
    for (s = from; s < to; ++s) {
      uint64_t first, end, k;
      gp__host_segment_of(q, s, &first, &end);
      n = end - first;
      for (k = 0; k < n; ++k) {
        const uint64_t x = gp__host_ordered(q->key_type, keys + (first + k) * key_size);
        order[k].bits = gp__host_bits_from(q->flags & GP_DESCENDING ? ~x : x, q->begin_bit, wanted);
        order[k].index = first + k;
      }
      sorted = gp__host_sort_indexed(order, other, n, wanted);
      for (k = 0; k < n; ++k) memcpy(moved + k * key_size, keys + sorted[k].index * key_size, key_size);
      if (n) memcpy((unsigned char *)q->out_keys + first * key_size, moved, n * key_size);
      if (!value_size || !n) continue;
      for (k = 0; k < n; ++k)
        memcpy(moved + k * value_size,
            values ? values + sorted[k].index * value_size : (const unsigned char *)&sorted[k].index,
            value_size); // little-endian
      memcpy(h->out + first * value_size, moved, n * value_size);
    }
    free(order);
  }
  return failed ? gp__fail(GP_E_MEMORY, "gp_segmented_sort: no memory for a segment of %llu keys", (gp__u64)longest)
                : GP_SUCCESS;
}
