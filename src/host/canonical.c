// host/canonical.c - reduce and scan by inexact operators: the canonical trees
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, reduce/policy.h, scan/policy.h, core/arguments.h,
//   host/config.c, host/types.c, host/user.c, host/values.c, host/operators.c, host/call.c

// v[0] op v[1] op ... op v[n - 1] as a tree of neighbours, n a power of two; the result is v[0].
static void gp__host_tree(const gp__host_op *op, gp__u8 *v, size_t n) {
  for (n /= 2; n; n /= 2) op->loops.pairs(op, v, n);
}
static void gp__host_pad(const gp__host_op *op, gp__u8 *v, size_t from, size_t to) {
  for (; from < to; ++from) memcpy(v + from * op->size, op->identity.bytes, op->size);
}
// The tree of a block of threads: each warp's tree, then the tree over the warps' values, padded to 32.
static void gp__host_block_tree(const gp__host_op *op, gp__u8 *v, size_t threads) {
  const size_t warp = GP__WARP, warps = threads / warp;
  size_t n;
  for (n = warps * warp / 2; n >= warps; n /= 2) op->loops.pairs(op, v, n);
  gp__host_pad(op, v, warps, warp);
  gp__host_tree(op, v, warp);
}

// Rows that go through the loops together; buffered: through a buffer of accumulators.
static size_t gp__host_at_once(const gp__host_call *h, size_t items, int buffered) {
  const size_t limit = gp__host_limit(h->op.size), n = (buffered && h->in.limit > limit ? limit : h->in.limit) / items;
  return n > GP__HOST_LANES ? n - n % GP__HOST_LANES : n;
}

// acc[r] = acc[r] op row r, for rows of `items` consecutive elements; the last row may be short.
static void gp__host_fold_rows(
    const gp__host_call *h, gp__u8 *acc, uint64_t first, size_t n, size_t items, gp__host_buffer *buffer) {
  const size_t at_once = gp__host_at_once(h, items, 0);
  size_t rows, k;
  for (rows = n / items; rows; rows -= k, acc += k * h->op.size, first += k * items) {
    k = rows < at_once ? rows : at_once;
    h->op.loops.fold(&h->op, acc, gp__host_elements(&h->in, first, k * items, buffer->bytes), k, items, items);
  }
  k = n % items;
  if (k) h->op.loops.fold(&h->op, acc, gp__host_elements(&h->in, first, k, buffer->bytes), 1, k, k);
}

static void gp__host_reduce_tile(const gp__host_call *h, uint64_t first, uint64_t n, gp__u8 *result) {
  const size_t threads = GP__CANONICAL_REDUCE_THREADS, size = h->op.size;
  const size_t vectors = h->op.commutative ? 1 : (size_t)GP__CANONICAL_REDUCE_VECTORS; // of a row
  const size_t items = vectors * (size_t)gp__vector_items((int)h->q->in_size);
  gp__value acc[GP__CANONICAL_REDUCE_THREADS];
  gp__host_buffer buffer;
  gp__u8 *v = acc[0].bytes;
  uint64_t done;
  size_t k;
  for (done = 0; done < n; done += k) {
    k = n - done < threads * items ? (size_t)(n - done) : threads * items;
    if (!done || !h->op.commutative) gp__host_pad(&h->op, v, 0, threads);
    gp__host_fold_rows(h, v, first + done, k, items, &buffer);
    if (h->op.commutative && done + k < n) continue;
    gp__host_block_tree(&h->op, v, threads);
    if (done && !h->op.commutative) h->op.loops.map(&h->op, result, result, v, 1);
    else memcpy(result, v, size);
  }
}

static gp_result gp__host_reduce_canonical(const gp__host_call *h) {
  const size_t size = h->op.size;
  const uint64_t count = h->q->count;
  const int in_size = (int)h->q->in_size;
  const uint64_t tile_items = gp__canonical_rounds(h->q->stride, in_size) * (unsigned)gp__canonical_round(in_size);
  const int64_t tiles = (int64_t)gp__ceil_div(count, tile_items);
  const int64_t fresh = h->q->in ? tiles : 0; // else the workspace has their results
  const int64_t per = (int64_t)gp__ceil_div((gp__u64)tiles, GP__CANONICAL_REDUCE_THREADS);
  const size_t bytes = (size_t)tiles * size, lent = h->q->workspace_bytes >= bytes;
  const int threads = h->threads;
  gp__value acc[GP__CANONICAL_REDUCE_THREADS];
  gp__u8 *v = acc[0].bytes, *part;
  int64_t t;
  (void)threads;
  memcpy(v, h->q->has_init ? h->init.bytes : h->op.identity.bytes, size);
  if (count) {
    part = lent ? (gp__u8 *)h->q->workspace : (gp__u8 *)malloc(bytes);
    if (!part) return gp__host_no_memory(h->q, bytes);
    GP__PARALLEL_FOR
    for (t = 0; t < fresh; ++t) {
      const uint64_t first = (uint64_t)t * tile_items, rest = count - first;
      gp__host_reduce_tile(h, first, gp__smaller(rest, tile_items), part + (size_t)t * size);
    }
    gp__host_pad(&h->op, v, 0, GP__CANONICAL_REDUCE_THREADS);
    for (t = 0; t < tiles; t += per)
      h->op.loops.fold(&h->op, v + (size_t)(t / per) * size, part + (size_t)t * size, 1,
          (size_t)(tiles - t < per ? tiles - t : per), 1);
    gp__host_block_tree(&h->op, v, GP__CANONICAL_REDUCE_THREADS);
    if (h->q->has_init) h->op.loops.map(&h->op, v, h->init.bytes, v, 1);
    if (!lent) free(part);
  }
  if (h->out_converts) gp__host_convert(h->value_type, h->q->out_type, v, h->out, 1);
  else memcpy(h->out, v, h->out_size);
  return GP_SUCCESS;
}

// Lane l of a warp becomes v[0] op ... op v[l] (Kogge and Stone).
static void gp__host_warp_scan(const gp__host_op *op, gp__u8 *v) {
  gp__value old[GP__WARP];
  size_t d;
  for (d = 1; d < GP__WARP; d *= 2) {
    memcpy(old, v, (GP__WARP - d) * op->size);
    op->loops.map(op, v + d * op->size, old, v + d * op->size, GP__WARP - d);
  }
}

#define GP__SCAN_WARPS ((size_t)GP__CANONICAL_SCAN_THREADS / (size_t)GP__WARP)

// First pass over a tile. lane[t] becomes the inclusive scan of the threads' sums in their warp, lane[256 + w] that of
// the warps' totals; the last one is the tile's aggregate.
static void gp__host_scan_upsweep(const gp__host_call *h, uint64_t first, size_t n, size_t items, gp__u8 *lane) {
  const size_t size = h->op.size, threads = GP__CANONICAL_SCAN_THREADS;
  gp__host_buffer buffer;
  gp__value totals[GP__WARP];
  const size_t by_vectors =
      gp__chunk_by_vectors((int)h->q->in_size, (int)items) ? (size_t)gp__vec_group_items((int)h->q->in_size) : 1;
  const size_t at_once = gp__host_at_once(h, items, by_vectors > 1), rows = n / items;
  size_t r, k, w;
  for (r = 0; r <= rows; r += k) { // a sum starts with the first element itself
    const size_t whole = rows - r;
    size_t length = whole ? items : n % items;
    const gp__u8 *x;
    size_t i;
    k = whole ? (whole < at_once ? whole : at_once) : 1;
    if (!length) break;
    x = gp__host_elements(&h->in, first + r * items, k * length, buffer.bytes);
    if (whole && by_vectors > 1) { // a whole chunk goes by vectors, each a tree
      if (x != buffer.bytes) memcpy(buffer.bytes, x, k * length * size);
      x = buffer.bytes;
      for (i = by_vectors; i > 1; i /= 2) h->op.loops.pairs(&h->op, buffer.bytes, k * (length /= 2));
    }
    for (i = 0; i < k; ++i) memcpy(lane + (r + i) * size, x + i * length * size, size);
    h->op.loops.fold(&h->op, lane + r * size, x + size, k, length - 1, length);
  }
  gp__host_pad(&h->op, lane, r < threads ? r : threads, threads);
  for (w = 0; w < GP__SCAN_WARPS; ++w) {
    gp__host_warp_scan(&h->op, lane + w * GP__WARP * size);
    memcpy((gp__u8 *)totals + w * size, lane + (w * GP__WARP + GP__WARP - 1) * size, size);
  }
  gp__host_pad(&h->op, (gp__u8 *)totals, GP__SCAN_WARPS, GP__WARP);
  gp__host_warp_scan(&h->op, (gp__u8 *)totals);
  memcpy(lane + threads * size, totals, GP__SCAN_WARPS * size);
}

// Second pass: `prefix` is the fold of everything before the tile, or NULL.
static void gp__host_scan_downsweep(
    const gp__host_call *h, uint64_t first, size_t n, size_t items, const gp__u8 *lane, const gp__u8 *prefix) {
  const size_t size = h->op.size, threads = GP__CANONICAL_SCAN_THREADS;
  gp__value carries[GP__CANONICAL_SCAN_THREADS];
  gp__value bases[GP__WARP];
  gp__host_buffer buffer, results;
  gp__u8 *carry = carries[0].bytes, *base = bases[0].bytes;
  const size_t at_once = gp__host_at_once(h, items, h->out_converts), rows = n / items;
  size_t r, k, w, l;
  for (w = 0; w < GP__SCAN_WARPS; ++w) {
    const gp__u8 *warps = w ? lane + (threads + w - 1) * size : prefix; // fold of what precedes the warp
    gp__u8 *c = carry + w * GP__WARP * size;
    memcpy(c + size, lane + w * GP__WARP * size, (GP__WARP - 1) * size);
    if (!warps) continue;
    if (w && prefix) h->op.loops.map(&h->op, base, prefix, warps, 1);
    else memcpy(base, warps, size);
    for (l = 1; l < GP__WARP; ++l) memcpy(base + l * size, base, size);
    h->op.loops.map(&h->op, c + size, base, c + size, GP__WARP - 1);
    memcpy(c, base, size);
  }
  for (r = 0; r <= rows; r += k) {
    const size_t whole = rows - r, length = whole ? items : n % items;
    gp__u8 *out = h->out + (first + r * items) * h->out_size, *y = h->out_converts ? results.bytes : out;
    const gp__u8 *x;
    size_t skip = 0;
    k = whole ? (whole < at_once ? whole : at_once) : 1;
    if (!length) break;
    if (!prefix && r == 0) { // the very first element has no prefix
      k = 1;
      skip = 1;
    }
    x = gp__host_elements(&h->in, first + r * items, k * length, buffer.bytes);
    if (skip) {
      memcpy(carry, x, size);
      memcpy(y, h->exclusive ? h->op.identity.bytes : carry, size);
    }
    h->op.loops.scan(&h->op, carry + r * size, x + skip * size, y + skip * size, k, length - skip, h->exclusive);
    if (h->out_converts) gp__host_convert(h->value_type, h->q->out_type, y, out, k * length);
  }
}

// The total of `count` tiles of a group: each lane of a warp folds its consecutive tiles, then the warp's tree.
static void gp__host_group_total(const gp__host_op *op, const gp__u8 *group, size_t count, gp__u8 *lanes) {
  const size_t share = (size_t)GP__GROUP / (size_t)GP__WARP;
  size_t l, n;
  for (l = 0; l < GP__WARP && l * share < count; ++l, group += share * op->size) {
    n = gp__smaller(count - l * share, share);
    memcpy(lanes + l * op->size, group, op->size);
    op->loops.fold(op, lanes + l * op->size, group + op->size, 1, n - 1, n);
  }
  gp__host_pad(op, lanes, l, GP__WARP);
  gp__host_tree(op, lanes, GP__WARP);
}

// Tiles go through both passes a few at a time, so that the second finds them in the cache.
static gp_result gp__host_scan_canonical(const gp__host_call *h) {
  const gp__host_op *op = &h->op;
  const size_t size = op->size,
               items = (size_t)gp__scan_items(GP__CANONICAL_SCAN_VECTORS, (int)h->q->in_size, (int)h->q->out_size);
  const size_t tile_items = items * GP__CANONICAL_SCAN_THREADS, lanes = GP__CANONICAL_SCAN_THREADS + GP__SCAN_WARPS;
  const uint64_t count = h->q->count, tiles = gp__ceil_div(count, tile_items);
  const int threads = h->threads;
  const int64_t batch = threads > 1 ? (int64_t)threads * 8 : 1;
  const size_t bytes = (size_t)batch * (lanes + 1) * size;
  gp__u8 *lane = (gp__u8 *)malloc(bytes), *prefix = lane ? lane + (size_t)batch * lanes * size : NULL;
  gp__value group[GP__GROUP], total[GP__WARP];
  gp__value before = h->init; // fold of everything before the group of tiles
  int has_before = h->q->has_init;
  uint64_t base;
  if (!lane) return gp__host_no_memory(h->q, bytes);
  for (base = 0; base < tiles; base += (uint64_t)batch) {
    const int64_t some = tiles - base < (uint64_t)batch ? (int64_t)(tiles - base) : batch;
    const int first_has = base > 0 || has_before;
    int64_t b;
    GP__PARALLEL_FOR
    for (b = 0; b < some; ++b) {
      const uint64_t first = (base + (uint64_t)b) * tile_items, rest = count - first;
      gp__host_scan_upsweep(h, first, gp__smaller(rest, tile_items), items, lane + (size_t)b * lanes * size);
    }
    for (b = 0; b < some; ++b) {
      const size_t r = (size_t)((base + (uint64_t)b) % GP__GROUP);
      gp__u8 *p = prefix + (size_t)b * size;
      if (base || b) gp__host_group_total(op, group[0].bytes, r ? r : (size_t)GP__GROUP, total[0].bytes);
      if (r == 0) { // the group before is complete
        if ((base || b) && has_before) op->loops.map(op, before.bytes, before.bytes, total, 1);
        else if (base || b) memcpy(before.bytes, total, size);
        has_before |= base || b;
        memcpy(p, before.bytes, size);
      } else if (has_before) op->loops.map(op, p, before.bytes, total, 1);
      else memcpy(p, total, size);
      memcpy((gp__u8 *)group + r * size, lane + ((size_t)b * lanes + lanes - 1) * size, size);
    }
    GP__PARALLEL_FOR
    for (b = 0; b < some; ++b) {
      const uint64_t first = (base + (uint64_t)b) * tile_items, rest = count - first;
      gp__host_scan_downsweep(h, first, gp__smaller(rest, tile_items), items, lane + (size_t)b * lanes * size,
          b || first_has ? prefix + (size_t)b * size : NULL);
    }
  }
  free(lane);
  return GP_SUCCESS;
}
