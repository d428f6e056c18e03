// segments/host.c - segments
// uses: api/config.h, api/lists.h, api/structs.h, core/words.h, core/shape.h, select/policy.h, segments/policy.h,
//   core/arguments.h, core/system.c, core/request.c, host/config.c, host/user.c, host/call.c, host/exact.c,
//   host/canonical.c, host/indices.c

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
static void gp__host_fold_lanes(const gp__host_call *h, uint64_t first, uint64_t n, gp__u8 *v) {
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
static void gp__host_reduce_segment(
    const gp__host_call *h, const gp__host_state *start, uint64_t first, uint64_t n, gp__u8 *out) {
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

// Segment i as [first, end), clamped so that wrong offsets do no harm. length: of all segments without offsets.
static void gp__host_segment_of(const gp__request *q, uint64_t length, uint64_t i, uint64_t *first, uint64_t *end) {
  *first = q->begin ? gp__host_offset(q->begin, q->offset_size, i) : i * length;
  *end = q->end ? gp__host_offset(q->end, q->offset_size, i)
      : q->begin ? gp__host_offset(q->begin, q->offset_size, i + 1)
      : *first + length;
  if (*end > q->count) *end = q->count;
  if (*first > *end) *first = *end;
}
// Segments have any lengths, so threads take a few at a time.
static gp_result gp__host_segmented_reduce(const gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__host_state start = gp__host_start(h, q->has_init);
  const int threads = h->threads;
  const uint64_t share = q->segments / ((uint64_t)threads * 16) + 1, block = share < 1024 ? share : 1024;
  const int64_t blocks = (int64_t)gp__ceil_div(q->segments, block);
  int64_t b;
  GP__PARALLEL_UNEVEN
  for (b = 0; b < blocks; ++b) {
    uint64_t i = (uint64_t)b * block;
    const uint64_t stop = q->segments - i < block ? q->segments : i + block;
    for (; i < stop; ++i) {
      uint64_t first, end;
      gp__host_segment_of(q, q->length, i, &first, &end);
      gp__host_reduce_segment(h, &start, first, end - first, h->out + i * h->out_size);
    }
  }
  return GP_SUCCESS;
}

// GP_REPRODUCIBLE: scans of segments in the tiles of gp__stream_look_back. The key of a state: whether a run begins.
typedef struct gp__host_tiles {
  const gp__host_call *h;
  gp__host_state start, before; // of a run; of the group of tiles
  gp__host_state lane[GP__PINNED_THREADS], aggregate[GP__GROUP]; // of threads, of tiles
  size_t threads, items, tile;
  uint64_t done;
  gp__u8 *head; // marks the elements of the tile that begin a run
} gp__host_tiles;
// b becomes a joined with b.
static void gp__host_join_runs(const gp__host_call *h, const gp__host_state *a, gp__host_state *b) {
  if (b->key) return;
  h->op.loops.map(&h->op, b->value.bytes, a->value.bytes, b->value.bytes, 1);
  b->key = a->key;
}
static void gp__host_scan_lanes(const gp__host_call *h, gp__host_state *v, size_t n) {
  size_t d, i;
  for (d = 1; d < n; d *= 2)
    for (i = n; i-- > d;) gp__host_join_runs(h, &v[i - d], &v[i]);
}
// The state before a tile, from those of the tiles before it (gp__look_back).
static gp__host_state gp__host_before_tile(gp__host_tiles *t, uint64_t number) {
  const size_t group = GP__GROUP, within = (size_t)(number % group), n = number && !within ? group : within;
  gp__host_state lanes[GP__WARP];
  size_t i, d;
  for (i = 0; i < GP__WARP; ++i) { // a lane folds two tiles
    lanes[i] = 2 * i < n ? t->aggregate[2 * i + (2 * i + 1 < n)] : gp__host_start(t->h, 0);
    if (2 * i + 1 < n) gp__host_join_runs(t->h, &t->aggregate[2 * i], &lanes[i]);
  }
  for (d = 1; d < GP__WARP; d *= 2)
    for (i = 2 * d - 1; i < GP__WARP; i += 2 * d) gp__host_join_runs(t->h, &lanes[i - d], &lanes[i]);
  if (number > group) gp__host_join_runs(t->h, &t->before, &lanes[GP__WARP - 1]);
  if (!within) t->before = lanes[GP__WARP - 1];
  return lanes[GP__WARP - 1];
}
// A thread's chunk, cut where runs begin. Folds it to *s; scan: writes its results after *s.
static void gp__host_fold_chunk(const gp__host_tiles *t, size_t i, size_t end, int scan, gp__host_state *s) {
  const gp__host_call *h = t->h;
  size_t next;
  for (; i < end; i = next) {
    const gp__u8 *found = (const gp__u8 *)memchr(t->head + i + 1, 1, end - i - 1);
    const int head = t->head[i], taken = !head || !h->q->has_init;
    gp__value converted;
    next = found ? (size_t)(found - t->head) : end;
    if (scan && head) gp__host_scan_segment(h, &t->start, t->done + i, next - i);
    if (scan && !head) gp__host_running(h, s, t->done + i, next - i);
    if (scan) continue;
    if (head) *s = t->start, s->key = 1;
    if (taken) memcpy(s->value.bytes, gp__host_elements(&h->in, t->done + i, 1, converted.bytes), h->op.size);
    gp__host_fold(h, s, t->done + i + (unsigned)taken, next - i - (unsigned)taken);
  }
}
static void gp__host_scan_tile(gp__host_tiles *t) {
  const gp__host_call *h = t->h;
  const uint64_t number = t->done / t->tile, rest = h->q->count - t->done;
  const size_t n = rest < t->tile ? (size_t)rest : t->tile, warp = GP__WARP, warps = t->threads / warp;
  const gp__host_state before = gp__host_before_tile(t, number);
  gp__host_state total[GP__PINNED_THREADS / 32], s;
  size_t l, i, scan;
  for (scan = 0; scan < 2; ++scan) {
    for (l = i = 0; l < t->threads; ++l, i += t->items) {
      const size_t w = l / warp, end = n < i + t->items ? n : i + t->items;
      s = scan ? before : gp__host_start(h, 0);
      if (scan && w) s = total[w - 1], gp__host_join_runs(h, &before, &s);
      if (scan && l % warp) {
        const gp__host_state of_warp = s;
        s = t->lane[l - 1], gp__host_join_runs(h, &of_warp, &s);
      }
      gp__host_fold_chunk(t, i, end, (int)scan, &s);
      if (!scan) t->lane[l] = s;
    }
    for (l = 0; l < warps && !scan; ++l) {
      gp__host_scan_lanes(h, t->lane + l * warp, warp);
      total[l] = t->lane[l * warp + warp - 1];
    }
    if (!scan) gp__host_scan_lanes(h, total, warps);
  }
  t->aggregate[number % (size_t)GP__GROUP] = total[warps - 1];
}
static gp_result gp__host_tiles_of(const gp__host_call *h, const gp__host_state *start, gp__host_tiles **tiles) {
  const gp__request *q = h->q;
  gp__shape s;
  gp__host_tiles *t = *tiles = NULL;
  size_t threads, items;
  if (!(q->flags & GP_REPRODUCIBLE) || h->op.exact) return GP_SUCCESS;
  memset(&s, 0, sizeof s);
  s.primitive = q->primitive;
  s.key_size = (int)q->key_size, s.in_size = (int)q->in_size;
  s.acc_size = (int)q->acc_size, s.out_size = (int)q->out_size;
  threads = (size_t)gp__pinned_threads(&s);
  items = (size_t)gp__stream_items(gp__pinned_vectors(&s), s.key_size, s.in_size);
  t = *tiles = (gp__host_tiles *)calloc(1, sizeof *t + threads * items);
  if (!t) return gp__host_no_memory(h->q, sizeof *t + threads * items);
  t->h = h;
  t->start = *start;
  t->threads = threads, t->items = items, t->tile = threads * items;
  t->head = (gp__u8 *)(t + 1);
  return GP_SUCCESS;
}
// Scans a run, or the tiles that it completes.
static void gp__host_scan_run(
    const gp__host_call *h, gp__host_tiles *t, const gp__host_state *start, uint64_t first, uint64_t end) {
  if (!t) {
    gp__host_scan_segment(h, start, first, end - first);
    return;
  }
  t->head[first - t->done] = 1;
  for (; t->done < end && (end - t->done >= t->tile || end == h->q->count); t->done += t->tile) {
    gp__host_scan_tile(t);
    memset(t->head, 0, t->tile);
  }
}
static gp_result gp__host_segmented_scan(const gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__host_state start = gp__host_start(h, q->has_init);
  uint64_t i, first = 0, end;
  gp__host_tiles *tiles;
  GP__CHECK(gp__host_tiles_of(h, &start, &tiles));
  for (i = 0; first < q->count; ++i) {
    end = i <= q->segments ? gp__host_offset(q->begin, q->offset_size, i) : q->count;
    if (end > q->count) end = q->count;
    if (end <= first) continue;
    gp__host_scan_run(h, tiles, &start, first, end);
    first = end;
  }
  free(tiles);
  return GP_SUCCESS;
}
