// find/host.c - the first element with a property
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/request.c, host/config.c, host/types.c,
//   host/call.c, host/indices.c, search/host.c

// A property of elements: truth[i] = whether op holds for x[i] and y[i]. The first i with truth[i] == wanted is a hit.
typedef struct gp__host_property {
  const gp__u8 *x, *y;
  size_t size, step; // step 0: y[0] for all i
  gp_type type;
  gp__u8 wanted;
  uint64_t count; // of x
} gp__host_property;
static gp__host_property gp__host_property_of(const gp__request *q) {
  const gp__u8 *in = (const gp__u8 *)q->in, *keys = (const gp__u8 *)q->keys;
  gp__host_property s = {in, q->user_op ? NULL : q->init.bytes, q->in_size, 0, q->in_type, 1, q->count};
  switch (q->primitive) {
  case GP_ALL:
  case GP_IS_PARTITIONED: // at first
    s.wanted = 0;
    break;
  case GP_MISMATCH:
  case GP_EQUAL_ARRAYS: s.y = (const gp__u8 *)q->in2, s.step = 1, s.wanted = 0; break;
  case GP_ADJACENT_FIND:
    s.y = in + s.size, s.step = 1;
    s.count -= s.count > 0;
    break;
  case GP_IS_SORTED:
    s.size = q->key_size, s.type = q->key_type;
    s.x = keys + s.size, s.y = keys, s.step = 1;
    s.count -= s.count > 0;
    break;
  default: break;
  }
  return s;
}
// The first hit in elements first .. end - 1; UINT64_MAX: none. Reads to the end of the chunk that has a hit.
static uint64_t gp__host_hit(const gp__request *q, const gp__host_property *s, uint64_t first, uint64_t end) {
  gp__u8 truth[GP__HOST_ELEMENTS];
  size_t n;
  for (; first < end; first += n) {
    const gp__u8 *at;
    n = gp__smaller(end - first, GP__HOST_ELEMENTS);
    gp__host_holds(q->op, q->user_op, s->type, s->size, s->x + first * s->size,
        s->y ? s->y + first * s->step * s->size : NULL, s->step, truth, n);
    at = (const gp__u8 *)memchr(truth, s->wanted, n);
    if (at) return first + (uint64_t)(at - truth);
  }
  return UINT64_MAX;
}
// Threads take blocks in order, and leave out those after a hit.
static uint64_t gp__host_first(const gp__host_call *h, const gp__host_property *s) {
  const int64_t blocks = (int64_t)gp__ceil_div(s->count, GP__HOST_BLOCK);
  const int threads = h->threads;
  uint64_t first = UINT64_MAX;
  int64_t b;
  (void)threads;
  GP__PARALLEL_UNEVEN
  for (b = 0; b < blocks; ++b) {
    const uint64_t begin = (uint64_t)b * GP__HOST_BLOCK;
    uint64_t known = __atomic_load_n(&first, __ATOMIC_RELAXED), hit;
    if (known < begin) continue;
    hit = gp__host_hit(h->q, s, begin, gp__host_block_end(begin, s->count));
    while (hit < known && !__atomic_compare_exchange_n(&first, &known, hit, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  }
  return first;
}
// The order of the first elements that differ, or of the lengths.
static int gp__host_compare_arrays(const gp__request *q, gp__host_property s) {
  const uint64_t count = gp__smaller(q->count, q->count2);
  gp__host_property t = s;
  uint64_t first, end;
  s.y = t.x = (const gp__u8 *)q->in2, t.y = s.x, s.step = t.step = 1;
  for (first = 0; first < count; first = end) {
    uint64_t less, more;
    end = count - first < GP__HOST_ELEMENTS ? count : first + GP__HOST_ELEMENTS;
    less = gp__host_hit(q, &s, first, end), more = gp__host_hit(q, &t, first, less < end ? less + 1 : end);
    if ((less & more) != UINT64_MAX) return less <= more ? -1 : 1;
  }
  return q->count < q->count2 ? -1 : q->count > q->count2;
}
static uint64_t gp__host_partition_point(const gp__request *q, const gp__host_property *s) {
  gp__u8 truth;
  uint64_t low;
  GP__BISECT(low, q->count,
      (gp__host_holds(q->op, q->user_op, s->type, s->size, s->x + middle * s->size, s->y, 0, &truth, 1), truth))
  return low;
}
static gp_result gp__host_find(gp__host_call *h) {
  const gp__request *q = h->q;
  gp__host_property s = gp__host_property_of(q);
  uint64_t first;
  int some;
  if (q->primitive == GP_LEXICOGRAPHIC) {
    const int order = gp__host_compare_arrays(q, s);
    memcpy(h->out, &order, sizeof order);
    return GP_SUCCESS;
  }
  if (q->primitive == GP_PARTITION_POINT) return *q->out_count = gp__host_partition_point(q, &s), GP_SUCCESS;
  first = gp__host_first(h, &s);
  some = first != UINT64_MAX;
  if (q->primitive == GP_IS_PARTITIONED) { // is there an element for which the predicate holds behind `first`?
    if (some) {
      s.x += first * s.size, s.count -= first, s.wanted = 1;
      some = gp__host_first(h, &s) != UINT64_MAX;
    }
    return *h->out = (gp__u8)!some, GP_SUCCESS;
  }
  if (q->primitive == GP_ANY) *h->out = (gp__u8)some;
  else if (q->primitive == GP_ALL || q->primitive == GP_EQUAL_ARRAYS) *h->out = (gp__u8)!some;
  else if (q->primitive == GP_IS_SORTED) *q->out_count = some ? first + 1 : first;
  else *q->out_count = some ? first : q->count;
  return GP_SUCCESS;
}
