// rows/host.c - rows of strided arrays
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/arguments.h, core/request.c, host/config.c,
//   host/user.c, host/operators.c, host/call.c, host/exact.c, host/indices.c

// Elements from element 0 to the beginning of row r.
static int64_t gp__host_row_offset(const gp__rows *rows, const int64_t *stride, uint64_t r) {
  int64_t at = 0;
  int d;
  for (d = 1; d < 4; ++d) {
    at += (int64_t)(r % rows->extent[d]) * stride[d];
    r /= rows->extent[d];
  }
  return at;
}
// Folds the row of elements `stride` apart, from `base` on. Those that are not side by side go through a buffer.
static void gp__host_fold_line(
    const gp__host_call *h, const gp__u8 *base, int64_t stride, uint64_t length, gp__host_state *s) {
  const size_t size = h->q->in_size;
  gp__host_call part = *h;
  gp__host_buffer room;
  uint64_t first, i, n;
  if (stride == 1) {
    part.in.base = base;
    gp__host_fold(&part, s, 0, length);
    return;
  }
  for (first = 0; first < length; first += n) {
    const size_t most = gp__host_limit(size);
    n = gp__smaller(length - first, most);
    for (i = 0; i < n; ++i)
      gp__host_move(room.bytes + i * size, base + (int64_t)(first + i) * stride * (int64_t)size, size);
    part.in.base = room.bytes;
    if (!h->q->is_arg) gp__host_fold(&part, s, 0, n);
    else {
      gp__host_state winner = gp__host_start(h, 0);
      gp__host_fold(&part, &winner, 0, n);
      if (winner.index >= 0) winner.index += (int64_t)first;
      gp__host_join(h, s, &winner);
    }
  }
}
// One element of a map. op: the loops of a built-in operator.
static void gp__host_apply_state(
    const gp__request *q, const gp__host_op *op, const gp__u8 *x, const gp__host_state *s, gp__u8 *y) {
  gp__value a, b;
  gp__host_source of_x, of_s;
  const int truth = gp__host_normalises(q->equal, NULL, q->out_type);
  if (q->user_equal) {
    gp__host_apply(q->user_equal, y, x, s->value.bytes);
    return;
  }
  of_x = gp__host_source_of(x, q->in_type, q->in_size, q->out_type, q->out_size, GP_OP_DEFAULT, NULL, truth);
  of_s = gp__host_source_of(
      s->value.bytes, q->acc_type, q->acc_size, q->out_type, q->out_size, GP_OP_DEFAULT, NULL, truth);
  op->loops.map(op, y, gp__host_elements(&of_x, 0, 1, a.bytes), gp__host_elements(&of_s, 0, 1, b.bytes), 1);
}
// Scans the rows one by one, each in one thread. Elements that are not side by side go through a buffer.
static gp_result gp__host_scan_rows(gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__rows *rows = &q->rows;
  const uint64_t length = rows->extent[0];
  const size_t in_size = q->in_size, out_size = h->out_size, bytes = (size_t)length * (in_size + out_size) + 128;
  const int near_by = rows->in_stride[0] == 1 && rows->out_stride[0] == 1, threads = h->threads;
  const gp__host_state start = gp__host_start(h, q->has_init);
  int failed = 0, t;
  GP__PARALLEL_FOR
  for (t = 0; t < threads; ++t) {
    gp__u8 *room = near_by || (uint64_t)t >= q->segments ? NULL : (gp__u8 *)malloc(bytes);
    uint64_t r, i;
    for (r = (uint64_t)t; r < q->segments; r += (uint64_t)threads) {
      const gp__u8 *in = h->in.base + gp__host_row_offset(rows, rows->in_stride, r) * (int64_t)in_size;
      gp__u8 *out = h->out + gp__host_row_offset(rows, rows->out_stride, r) * (int64_t)out_size;
      gp__host_state s = start;
      gp__host_call part = *h;
      if (!near_by && !room) {
        __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
        break;
      }
      part.in.base = near_by ? in : room;
      part.out = near_by ? out : room + (length * in_size + 63) / 64 * 64;
      for (i = 0; !near_by && i < length; ++i)
        gp__host_move(room + i * in_size, in + (int64_t)i * rows->in_stride[0] * (int64_t)in_size, in_size);
      gp__host_running(&part, &s, 0, length);
      for (i = 0; !near_by && i < length; ++i)
        gp__host_move(out + (int64_t)i * rows->out_stride[0] * (int64_t)out_size, part.out + i * out_size, out_size);
    }
    free(room);
  }
  return failed ? gp__host_no_memory(h->q, bytes * (size_t)threads) : GP_SUCCESS;
}
static gp_result gp__host_rows(gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__rows *rows = &q->rows;
  const uint64_t length = rows->extent[0];
  const int threads = h->threads;
  const uint64_t share = q->segments / ((uint64_t)threads * 16) + 1, block = share < 1024 ? share : 1024;
  const int64_t blocks = (int64_t)gp__ceil_div(q->segments, block);
  const gp__host_state start = gp__host_start(h, q->has_init);
  gp__host_op apply;
  int64_t b;
  memset(&apply, 0, sizeof apply);
  apply.size = q->out_size;
  if (q->primitive == GP_ROW_MAP && !q->user_equal) gp__host_find_loops(&apply, q->equal, q->out_type);
  GP__PARALLEL_UNEVEN
  for (b = 0; b < blocks; ++b) {
    uint64_t r = (uint64_t)b * block;
    const uint64_t stop = q->segments - r < block ? q->segments : r + block;
    for (; r < stop; ++r) {
      const gp__u8 *in = h->in.base + gp__host_row_offset(rows, rows->in_stride, r) * (int64_t)q->in_size;
      gp__u8 *out = h->out + gp__host_row_offset(rows, rows->out_stride, r) * (int64_t)h->out_size;
      gp__host_state s = start;
      gp__value y;
      uint64_t i;
      gp__host_fold_line(h, in, rows->in_stride[0], length, &s);
      if (q->primitive != GP_ROW_MAP) {
        gp__host_put(h, &s, out);
        continue;
      }
      for (i = 0; i < length; ++i) {
        gp__host_apply_state(q, &apply, in + (int64_t)i * rows->in_stride[0] * (int64_t)q->in_size, &s, y.bytes);
        gp__host_move(out + (int64_t)i * rows->out_stride[0] * (int64_t)h->out_size, y.bytes, h->out_size);
      }
    }
  }
  return GP_SUCCESS;
}
