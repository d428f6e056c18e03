// select/runs_host.c - runs
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/arguments.h, core/system.c, core/request.c,
//   host/types.c, host/call.c, host/exact.c, host/indices.c, segments/host.c

// Heads of runs, GP__HOST_ELEMENTS elements at a time.
typedef struct gp__host_heads {
  const gp__request *q;
  uint64_t base;
  size_t n;
  gp__u8 head[GP__HOST_ELEMENTS];
} gp__host_heads;

static void gp__host_find_heads(gp__host_heads *r, uint64_t base) {
  const gp__request *q = r->q;
  const gp__u8 *keys = (const gp__u8 *)q->keys + base * q->key_size;
  const gp__value zero = {{0}};
  size_t i;
  r->base = base;
  r->n = gp__smaller(q->count - base, GP__HOST_ELEMENTS);
  if (q->equal == GP_HEADS) {
    gp__host_holds(GP_NOT_EQUAL, NULL, q->key_type, q->key_size, keys, zero.bytes, 0, r->head, r->n);
    return;
  }
  gp__host_holds(q->equal, q->user_equal, q->key_type, q->key_size, keys - q->key_size, keys, 1, r->head, r->n);
  for (i = 0; i < r->n; ++i) r->head[i] ^= 1;
}

// The first head after the one at `first`, or the count. Successive calls go forward.
static uint64_t gp__host_run_end(gp__host_heads *r, uint64_t first) {
  uint64_t i = first + 1;
  while (i < r->q->count) {
    const gp__u8 *found;
    if (i >= r->base + r->n) gp__host_find_heads(r, i);
    found = (const gp__u8 *)memchr(r->head + (i - r->base), 1, r->n - (size_t)(i - r->base));
    if (found) return r->base + (uint64_t)(found - r->head);
    i = r->base + r->n;
  }
  return r->q->count;
}

static gp_result gp__host_runs(const gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__u8 *in = (const gp__u8 *)q->in, *keys = (const gp__u8 *)q->keys;
  gp__u8 *out_keys = (gp__u8 *)q->out_keys;
  uint64_t first, end, runs = 0;
  gp__host_state start;
  gp__host_heads heads;
  gp__host_tiles *tiles = NULL;
  memset(&start, 0, sizeof start);
  if (q->acc_size) start = gp__host_start(h, q->has_init);
  if (q->primitive == GP_INCLUSIVE_SCAN_BY_KEY || q->primitive == GP_EXCLUSIVE_SCAN_BY_KEY)
    GP__CHECK(gp__host_tiles_of(h, &start, &tiles));
  heads.q = q, heads.base = 0, heads.n = 0;
  for (first = 0; first < q->count; first = end) {
    end = gp__host_run_end(&heads, first);
    switch (q->primitive) {
    case GP_INCLUSIVE_SCAN_BY_KEY:
    case GP_EXCLUSIVE_SCAN_BY_KEY: gp__host_scan_run(h, tiles, &start, first, end); break;
    case GP_REDUCE_BY_KEY: gp__host_reduce_segment(h, &start, first, end - first, h->out + runs * h->out_size); break;
    case GP_NONTRIVIAL_RUNS:
      if (end - first < 2) continue;
      if (h->out) gp__host_put_index(h->out, h->out_size, runs, first);
      if (q->out2) gp__host_put_index(q->out2, q->out2_size, runs, end - first);
      break;
    case GP_RUN_LENGTHS:
      if (q->out2) gp__host_put_index(q->out2, q->out2_size, runs, end - first);
      break;
    default:
      if (h->out) gp__host_move(h->out + runs * h->out_size, in + first * q->in_size, q->in_size);
    }
    if (out_keys) gp__host_move(out_keys + runs * q->key_size, keys + first * q->key_size, q->key_size);
    ++runs;
  }
  free(tiles);
  if (q->out_count) *q->out_count = runs;
  return GP_SUCCESS;
}
