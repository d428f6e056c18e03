// segments/host.c - segments
// uses: api/config.h, api/lists.h, api/structs.h, core/shape.h, segments/policy.h, core/arguments.h, core/request.c,
//   host/config.c, host/call.c, host/exact.c, host/canonical.c, host/indices.c

static uint64_t gp__host_first_bad(const gp__request *q) {
  uint64_t i, before = 0, offset;
  for (i = 0; i <= q->segments; ++i, before = offset) {
    offset = gp__host_offset(q->begin, q->offset_size, i);
    if (offset < before || offset > q->count) return i;
  }
  return UINT64_MAX;
}

// Starts with the first element as an operand: without an initial value an inexact operator has to, because identity op
// x may differ from x in the sign of a zero.
static int gp__host_starts_with(const gp__host_call *h, uint64_t first, gp__host_state *s) {
  gp__value converted;
  if (h->op.exact || h->q->has_init) return 0;
  memcpy(s->value.bytes, gp__host_elements(&h->in, first, 1, converted.bytes), h->op.size);
  return 1;
}

// GP_REPRODUCIBLE: the fold of n elements in gp__warp_segments.
static void gp__host_fold_lanes(const gp__host_call *h, uint64_t first, uint64_t n, unsigned char *v) {
  const int size = (int)h->q->in_size;
  const uint64_t run = (unsigned)gp__vector_items(size),
                 lane = run * GP__LONG_ROUNDS * (size > 16 ? 1 : GP__LANES_VECTORS);
  const size_t lanes = n <= lane * 8 ? 8 : n <= lane * 32 ? 32 : (size_t)GP__LANES_THREADS;
  const uint64_t share = h->op.commutative ? run : gp__ceil_div(gp__ceil_div(n, run), lanes) * run;
  gp__host_buffer buffer;
  uint64_t i, k;
  gp__host_pad(&h->op, v, 0, lanes);
  for (i = 0; i < n; i += k) {
    k = share - i % share;
    if (k > n - i) k = n - i;
    if (k > h->in.limit) k = h->in.limit;
    h->op.loops.fold(&h->op, v + i / share % lanes * h->op.size,
                     gp__host_elements(&h->in, first + i, (size_t)k, buffer.bytes), 1, (size_t)k, (size_t)k);
  }
  if (lanes > 32) gp__host_block_tree(&h->op, v, lanes);
  else gp__host_tree(&h->op, v, lanes);
}
static void gp__host_reduce_segment(const gp__host_call *h, const gp__host_state *start, uint64_t first, uint64_t n,
                                    unsigned char *out) {
  gp__host_state s = *start;
  gp__value lanes[GP__LANES_THREADS];
  if (n && (h->q->flags & GP_REPRODUCIBLE) && !h->op.exact) {
    gp__host_fold_lanes(h, first, n, lanes[0].bytes);
    if (h->q->has_init) h->op.loops.map(&h->op, s.value.bytes, h->init.bytes, lanes[0].bytes, 1);
    else memcpy(s.value.bytes, lanes, h->op.size);
  } else {
    const int taken = n && gp__host_starts_with(h, first, &s);
    gp__host_fold(h, &s, first + (unsigned)taken, n - (unsigned)taken);
  }
  gp__host_put(h, &s, out);
}

static void gp__host_scan_segment(const gp__host_call *h, const gp__host_state *start, uint64_t first, uint64_t n) {
  gp__host_state s = *start;
  const int taken = n && gp__host_starts_with(h, first, &s);
  if (taken) gp__host_put(h, h->exclusive ? start : &s, h->out + first * h->out_size);
  gp__host_running(h, &s, first + (unsigned)taken, n - (unsigned)taken);
}

// Segments have any lengths, so threads take a few at a time. Wrong offsets do no harm: parts beyond the input are left
// out.
static gp_result gp__host_segmented_reduce(const gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__host_state start = gp__host_start(h, q->has_init);
  const int threads = h->threads;
  const uint64_t share = q->segments / ((uint64_t)threads * 16) + 1, block = share < 1024 ? share : 1024;
  const int64_t blocks = (int64_t)gp__ceil_div(q->segments, block);
  int64_t b;
  GPUPRIMS__PARALLEL_UNEVEN
  for (b = 0; b < blocks; ++b) {
    uint64_t i = (uint64_t)b * block;
    const uint64_t stop = q->segments - i < block ? q->segments : i + block;
    for (; i < stop; ++i) {
      uint64_t first = q->begin ? gp__host_offset(q->begin, q->offset_size, i) : i * q->length;
      uint64_t end = q->end ? gp__host_offset(q->end, q->offset_size, i)
          : q->begin        ? gp__host_offset(q->begin, q->offset_size, i + 1)
                            : first + q->length;
      if (end > q->count) end = q->count;
      if (first > end) first = end;
      gp__host_reduce_segment(h, &start, first, end - first, h->out + i * h->out_size);
    }
  }
  return GP_SUCCESS;
}

static gp_result gp__host_segmented_scan(const gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__host_state start = gp__host_start(h, q->has_init);
  uint64_t i, first = 0, end;
  for (i = 0; first < q->count; ++i) {
    end = i <= q->segments ? gp__host_offset(q->begin, q->offset_size, i) : q->count;
    if (end > q->count) end = q->count;
    if (end <= first) continue;
    gp__host_scan_segment(h, &start, first, end - first);
    first = end;
  }
  return GP_SUCCESS;
}
