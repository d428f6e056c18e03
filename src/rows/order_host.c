// rows/order_host.c - sorts and top-k along an axis
// uses: api/config.h, api/lists.h, core/words.h, core/request.c, host/config.c, host/user.c, host/call.c,
//   host/indices.c, sort/host.c, top_k/host.c, rows/host.c

// Each row is sorted, with its indices; of a top-k, the first k go out. An operator ranks those alone.
static gp_result gp__host_order_rows(gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__rows *rows = &q->rows;
  const uint64_t length = rows->extent[0], wanted = q->length;
  const size_t key = q->key_size, bytes = (size_t)length * (2 * sizeof(gp__host_indexed) + key);
  const int threads = h->threads, bits = 8 * (int)key;
  const gp__host_form f = gp__host_rank_of(q);
  int failed = 0, t;
  GP__PARALLEL_FOR
  for (t = 0; t < threads; ++t) {
    gp__host_indexed *order = (uint64_t)t >= q->segments ? NULL : (gp__host_indexed *)malloc(bytes), *sorted;
    gp__u8 *raw = (gp__u8 *)(order ? order + 2 * length : NULL);
    uint64_t r, i;
    for (r = (uint64_t)t; r < q->segments; r += (uint64_t)threads) {
      const gp__u8 *in = (const gp__u8 *)q->keys + gp__host_row_offset(rows, rows->in_stride, r) * (int64_t)key;
      const int64_t to = gp__host_row_offset(rows, rows->out_stride, r);
      if (!order) {
        __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
        break;
      }
      for (i = 0; i < length; ++i) {
        gp__host_move(raw + i * key, in + (int64_t)i * rows->in_stride[0] * (int64_t)key, key);
        if (q->op) continue;
        order[i].bits = gp__host_encode(&f, raw + i * key), order[i].index = i;
      }
      if (q->op) gp__host_best(q, raw, length, wanted, order);
      sorted = q->op ? order : gp__host_sort_indexed(order, order + length, length, bits, 1);
      for (i = 0; i < wanted; ++i) {
        const int64_t at = to + (int64_t)i * rows->out_stride[0];
        if (q->out_keys) gp__host_move((gp__u8 *)q->out_keys + at * (int64_t)key, raw + sorted[i].index * key, key);
        if (q->out)
          memcpy((gp__u8 *)q->out + at * (int64_t)q->out_size, &sorted[i].index, q->out_size); // little-endian
      }
    }
    free(order);
  }
  return failed ? gp__host_no_memory(h->q, bytes * (size_t)threads) : GP_SUCCESS;
}
