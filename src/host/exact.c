// host/exact.c - reduce and scan by exact operators: any order
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/arguments.h, host/config.c, host/types.c,
//   host/user.c, host/values.c, host/call.c

// A running value. ARGMIN and ARGMAX: the element that wins so far, and its key; a lower key is better.
typedef struct gp__host_state {
  int64_t key;
  int64_t index; // -1: none
  gp__value value;
} gp__host_state;

static void gp__host_keys(gp_op op, gp_type type, const void *x, gp__wide *w, size_t n) {
  const gp__wide_kind kind = gp__host_kind(type);
  const uint64_t top = (uint64_t)1 << 63, flip = (op == GP_ARGMAX ? ~(uint64_t)0 : 0) ^ (kind == GP__WIDE_U ? top : 0);
  size_t i;
  gp__host_widen(type, x, w, n);
  if (kind == GP__WIDE_F)
    for (i = 0; i < n; ++i) w[i].i = gp__host_f64_key(w[i].f == 0 ? 0 : w[i].u, (int64_t)flip); // -0 and +0 are equal
  else
    for (i = 0; i < n; ++i) w[i].u ^= flip;
}

static gp__host_state gp__host_start(const gp__host_call *h, int with_init) {
  const size_t size = gp__host_size(h->value_type);
  gp__host_state s;
  memset(&s, 0, sizeof s);
  memcpy(s.value.bytes, with_init ? h->init.bytes : h->op.identity.bytes, h->q->is_arg ? size : h->op.size);
  if (h->q->is_arg) {
    gp__wide w;
    gp__host_keys(h->q->op, h->value_type, s.value.bytes, &w, 1);
    s.key = w.i;
    memcpy(&s.index, (with_init ? h->init.bytes : h->op.identity.bytes) + 8, sizeof s.index);
  }
  return s;
}

static void gp__host_put(const gp__host_call *h, const gp__host_state *s, gp__u8 *out) {
  if (h->q->is_arg) {
    memset(out, 0, 16);
    memcpy(out, s->value.bytes, gp__host_size(h->value_type));
    memcpy(out + 8, &s->index, sizeof s->index);
  } else if (h->out_converts) gp__host_convert(h->value_type, h->q->out_type, s->value.bytes, out, 1);
  else memcpy(out, s->value.bytes, h->out_size);
}

// Whether b wins against a.
static int gp__host_beats(int64_t key_b, int64_t index_b, int64_t key_a, int64_t index_a) {
  if (index_a < 0 || index_b < 0) return index_a < 0;
  return key_b < key_a || (key_b == key_a && index_b < index_a);
}

static void gp__host_join(const gp__host_call *h, gp__host_state *a, const gp__host_state *b) {
  if (!h->q->is_arg) h->op.loops.fold(&h->op, a->value.bytes, b->value.bytes, 1, 1, 1);
  else if (gp__host_beats(b->key, b->index, a->key, a->index)) *a = *b;
}

static void gp__host_fold(const gp__host_call *h, gp__host_state *s, uint64_t first, uint64_t n) {
  const size_t size = h->in.to_size;
  gp__host_buffer buffer;
  gp__wide w[GP__HOST_ELEMENTS];
  size_t k, i, best, limit = h->in.limit;
  if (h->q->is_arg && limit > GP__HOST_ELEMENTS) limit = GP__HOST_ELEMENTS;
  for (; n; first += k, n -= k) {
    const gp__u8 *x;
    k = gp__smaller(n, limit);
    x = gp__host_elements(&h->in, first, k, buffer.bytes);
    if (!h->q->is_arg) {
      h->op.loops.fold(&h->op, s->value.bytes, x, 1, k, k);
      continue;
    }
    if (s->index >= 0 && h->op.loops.fold) { // nothing here wins?
      gp__value least;
      memcpy(least.bytes, x, size);
      h->op.loops.fold(&h->op, least.bytes, x, 1, k, k);
      gp__host_keys(h->q->op, h->value_type, least.bytes, w, 1);
      if (!gp__host_beats(w->i, (int64_t)first, s->key, s->index)) continue;
    }
    gp__host_keys(h->q->op, h->value_type, x, w, k);
    for (i = 0, best = 0; i < k; ++i)
      if (w[i].i < w[best].i) best = i;
    if (gp__host_beats(w[best].i, (int64_t)(first + best), s->key, s->index)) {
      s->key = w[best].i, s->index = (int64_t)(first + best);
      memcpy(s->value.bytes, x + best * size, size);
    }
  }
}

static void gp__host_running(const gp__host_call *h, gp__host_state *s, uint64_t first, uint64_t n) {
  const size_t size = h->in.to_size;
  gp__host_buffer buffer, results;
  gp__wide w[GP__HOST_ELEMENTS];
  size_t k, i, limit = h->in.limit;
  if ((h->q->is_arg || h->out_converts) && limit > gp__host_limit(8)) limit = gp__host_limit(8);
  for (; n; first += k, n -= k) {
    gp__u8 *out = h->out + first * h->out_size;
    const gp__u8 *x;
    k = gp__smaller(n, limit);
    x = gp__host_elements(&h->in, first, k, buffer.bytes);
    if (!h->q->is_arg) {
      h->op.loops.scan(&h->op, s->value.bytes, x, h->out_converts ? results.bytes : out, 1, k, h->exclusive);
      if (h->out_converts) gp__host_convert(h->value_type, h->q->out_type, results.bytes, out, k);
      continue;
    }
    gp__host_keys(h->q->op, h->value_type, x, w, k);
    for (i = 0; i < k; ++i, out += 16) {
      if (h->exclusive) gp__host_put(h, s, out);
      if (gp__host_beats(w[i].i, (int64_t)(first + i), s->key, s->index)) {
        s->key = w[i].i, s->index = (int64_t)(first + i);
        memcpy(s->value.bytes, x + i * size, size);
      }
      if (!h->exclusive) gp__host_put(h, s, out);
    }
  }
}

static gp_result gp__host_reduce_exact(const gp__host_call *h) {
  const uint64_t count = h->q->count, wanted = gp__ceil_div(count, 1024), least = GP__HOST_BLOCK;
  const uint64_t block = wanted > least ? wanted : least;
  const int64_t blocks = (int64_t)gp__ceil_div(count, block);
  const int threads = h->threads;
  gp__host_state total = gp__host_start(h, h->q->has_init), *part;
  int64_t b;
  (void)threads;
  part = (gp__host_state *)malloc(((size_t)blocks + 1) * sizeof *part);
  if (!part) return gp__host_no_memory(h->q, (size_t)blocks * sizeof *part);
  GP__PARALLEL_FOR
  for (b = 0; b < blocks; ++b) {
    const uint64_t first = (uint64_t)b * block;
    part[b] = gp__host_start(h, 0);
    gp__host_fold(h, &part[b], first, gp__smaller(count - first, block));
  }
  for (b = 0; b < blocks; ++b) gp__host_join(h, &total, &part[b]);
  gp__host_put(h, &total, h->out);
  free(part);
  return GP_SUCCESS;
}

// Several threads: as many blocks as their caches hold are folded, then scanned, then the next ones.
static gp_result gp__host_scan_exact(const gp__host_call *h) {
  const uint64_t count = h->q->count;
  const int threads = h->threads;
  const int64_t batch = (int64_t)threads * 2;
  const uint64_t block = GP__HOST_BLOCK;
  gp__host_state s = gp__host_start(h, h->q->has_init), *part;
  uint64_t base;
  int64_t b;
  if (threads <= 1) {
    gp__host_running(h, &s, 0, count);
    return GP_SUCCESS;
  }
  part = (gp__host_state *)malloc((size_t)batch * sizeof *part);
  if (!part) return gp__host_no_memory(h->q, (size_t)batch * sizeof *part);
  for (base = 0; base < count; base += (uint64_t)batch * block) {
    const uint64_t rest = count - base;
    const int64_t blocks = (int64_t)gp__ceil_div(rest, block) < batch ? (int64_t)gp__ceil_div(rest, block) : batch;
    GP__PARALLEL_FOR
    for (b = 0; b < blocks; ++b) {
      const uint64_t first = (uint64_t)b * block;
      part[b] = gp__host_start(h, 0);
      gp__host_fold(h, &part[b], base + first, gp__smaller(rest - first, block));
    }
    for (b = 0; b < blocks; ++b) { // part[b] becomes the prefix of block b
      const gp__host_state before = s;
      gp__host_join(h, &s, &part[b]);
      part[b] = before;
    }
    GP__PARALLEL_FOR
    for (b = 0; b < blocks; ++b) {
      const uint64_t first = (uint64_t)b * block;
      gp__host_running(h, &part[b], base + first, gp__smaller(rest - first, block));
    }
  }
  free(part);
  return GP_SUCCESS;
}
