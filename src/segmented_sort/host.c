// segmented_sort/host.c - segmented sort
// uses: api/config.h, api/lists.h, api/structs.h, core/words.h, core/shape.h, core/request.c, host/config.c,
//   host/user.c, host/call.c, segments/host.c, sort/host.c

static gp_result gp__host_segmented_sort(gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__u8 *keys = (const gp__u8 *)q->keys, *values = (const gp__u8 *)q->in;
  const size_t key_size = q->key_size, value_size = q->out_size, cell = key_size > value_size ? key_size : value_size;
  const int threads = h->threads, wanted = q->end_bit - q->begin_bit;
  const gp__host_form f = gp__host_form_of(q->key_type, (q->flags & GP_DESCENDING) != 0);
  const uint64_t length = q->segments ? q->count / q->segments : 0;
  uint64_t longest = 0, share, i;
  int64_t block, blocks;
  int failed = 0;
  for (i = 0; i < q->segments; ++i) {
    uint64_t first, end;
    gp__host_segment_of(q, length, i, &first, &end);
    if (end - first > longest) longest = end - first;
  }
  share = q->segments / ((uint64_t)threads * 16) + 1;
  blocks = (int64_t)gp__ceil_div(q->segments, share);
  GP__PARALLEL_UNEVEN
  for (block = 0; block < blocks; ++block) {
    const uint64_t from = (uint64_t)block * share, to = q->segments - from < share ? q->segments : from + share;
    // Keys with their indices, a second such array for merges, and the elements to move.
    gp__host_indexed *order = NULL, *other, *sorted;
    gp__u8 *moved;
    uint64_t s, n, most = 0;
    for (s = from; s < to; ++s) {
      uint64_t first, end;
      gp__host_segment_of(q, length, s, &first, &end);
      if (end - first > most) most = end - first;
    }
    if (most) order = (gp__host_indexed *)malloc(most * (2 * sizeof *order + cell));
    if (most && !order) {
      __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
      continue;
    }
    other = order + most;
    moved = (gp__u8 *)(other + most);
    for (s = from; s < to; ++s) {
      uint64_t first, end, k;
      gp__host_segment_of(q, length, s, &first, &end);
      n = end - first;
      for (k = 0; k < n; ++k) {
        order[k].bits =
            wanted ? gp__host_encode(&f, keys + (first + k) * key_size) << (64 - q->end_bit) >> (64 - wanted) : 0;
        order[k].index = first + k;
      }
      sorted = gp__host_sort_indexed(order, other, n, wanted, 1);
      for (k = 0; k < n; ++k) memcpy(moved + k * key_size, keys + sorted[k].index * key_size, key_size);
      if (n) memcpy((gp__u8 *)q->out_keys + first * key_size, moved, n * key_size);
      if (!value_size || !n) continue;
      for (k = 0; k < n; ++k)
        memcpy(moved + k * value_size,
            values ? values + sorted[k].index * value_size : (const gp__u8 *)&sorted[k].index,
            value_size); // little-endian
      memcpy(h->out + first * value_size, moved, n * value_size);
    }
    free(order);
  }
  return failed ? gp__host_no_memory(q, longest * (2 * sizeof(gp__host_indexed) + cell)) : GP_SUCCESS;
}
