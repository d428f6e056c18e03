// merge/host.c - merge, merge sort
// uses: api/config.h, api/lists.h, api/structs.h, core/words.h, core/shape.h, core/arguments.h, core/request.c,
//   host/config.c, host/types.c, host/user.c, host/values.c, host/call.c, host/indices.c, search/host.c

// Order of keys: true if x comes before y; down: y before x.
typedef struct gp__host_order {
  int (*before)(const struct gp__host_order *o, const gp__u8 *x, const gp__u8 *y);
  const gp__op_info *user;
  int down;
} gp__host_order;

static int gp__host_before_user(const gp__host_order *o, const gp__u8 *x, const gp__u8 *y) {
  gp__value result;
  gp__host_apply(o->user, result.bytes, o->down ? y : x, o->down ? x : y);
  return result.bytes[0] != 0;
}
#define GPUPRIMS__BEFORE(NAME, name, member, LOAD) \
  static int gp__host_before_##name(const gp__host_order *o, const gp__u8 *x, const gp__u8 *y) { \
    const gp__h_##name a = *(const gp__h_##name *)x, b = *(const gp__h_##name *)y; \
    return o->down ? LOAD(b) < LOAD(a) : LOAD(a) < LOAD(b); \
  }
GP__HOST_NUMBERS(GPUPRIMS__BEFORE)
GP__HOST_LONGS(GPUPRIMS__BEFORE)
#undef GPUPRIMS__BEFORE

static gp__host_order gp__host_order_of(const gp__request *q) {
  gp__host_order o = {gp__host_before_user, q->user_op, 0};
  o.down = q->user_op ? (q->flags & GP_DESCENDING) != 0 : q->op == GP_GREATER;
#define GP__ORDER_OF(NAME, name, member, LOAD) \
  case GP_##NAME: o.before = gp__host_before_##name; break;
  if (!q->user_op) switch (q->key_type) {
      GP__HOST_NUMBERS(GP__ORDER_OF)
      GP__HOST_LONGS(GP__ORDER_OF)
    default: break;
    }
#undef GP__ORDER_OF
  return o;
}

// Keys, and their values if there are any.
typedef struct gp__host_items {
  gp__u8 *keys, *values;
  uint64_t count;
} gp__host_items;
GP__INLINE gp__host_items gp__host_items_of(const void *keys, const void *values, uint64_t count) {
  const gp__host_items x = {(gp__u8 *)(uintptr_t)keys, (gp__u8 *)(uintptr_t)values, count};
  return x;
}
GP__INLINE const gp__u8 *gp__host_key(const gp__request *q, const gp__host_items *x, uint64_t i) {
  return x->keys + i * q->key_size;
}
GP__INLINE void gp__host_put_item(
    const gp__request *q, const gp__host_items *to, uint64_t at, const gp__host_items *from, uint64_t i) {
  gp__host_move(to->keys + at * q->key_size, from->keys + i * q->key_size, q->key_size);
  if (to->values) gp__host_move(to->values + at * q->in_size, from->values + i * q->in_size, q->in_size);
}
GP__INLINE gp__host_items gp__host_part(const gp__request *q, const gp__host_items *x, uint64_t first, uint64_t count) {
  return gp__host_items_of(x->keys + first * q->key_size, x->values ? x->values + first * q->in_size : NULL, count);
}

// Merges elements from..to of a and b; element `from` goes to the start of `out`.
static void gp__host_merge_part(const gp__request *q, const gp__host_order *o, const gp__host_items *a,
    const gp__host_items *b, uint64_t from, uint64_t to, const gp__host_items *out) {
  const uint64_t least = from > b->count ? from - b->count : 0, most = from < a->count ? from : a->count;
  uint64_t low, i, j, k;
  GP__BISECT(low, most - least,
      !o->before(o, gp__host_key(q, b, from - 1 - least - middle), gp__host_key(q, a, least + middle)))
  low += least;
  for (i = low, j = from - low, k = 0; k < to - from; ++k) {
    const int second = j < b->count && (i == a->count || o->before(o, gp__host_key(q, b, j), gp__host_key(q, a, i)));
    gp__host_put_item(q, out, k, second ? b : a, second ? j++ : i++);
  }
}

static void gp__host_merge_block(const gp__host_call *h, uint64_t first, uint64_t end) {
  const gp__request *q = h->q;
  const gp__host_order o = gp__host_order_of(q);
  const gp__host_items a = gp__host_items_of(q->keys, q->in_size ? q->in : NULL, q->count),
                       b = gp__host_items_of(q->keys2, q->in_size ? q->in2 : NULL, q->count2),
                       out = gp__host_items_of(q->out_keys, q->out, q->count + q->count2),
                       part = gp__host_part(q, &out, first, end - first);
  gp__host_merge_part(q, &o, &a, &b, first, end, &part);
}
static gp_result gp__host_merge(const gp__host_call *h) {
  gp__host_each_block(h, h->q->count + h->q->count2, gp__host_merge_block);
  return GP_SUCCESS;
}

// Sorts elements by insertion.
enum { GP__HOST_RUN = 16 };
static void gp__host_insert(const gp__request *q, const gp__host_order *o, const gp__host_items *x) {
  gp__value key, value;
  uint64_t i, j;
  memset(&value, 0, sizeof value);
  for (i = 1; i < x->count; ++i) {
    memcpy(key.bytes, x->keys + i * q->key_size, q->key_size);
    if (x->values) memcpy(value.bytes, x->values + i * q->in_size, q->in_size);
    for (j = i; j > 0 && o->before(o, key.bytes, gp__host_key(q, x, j - 1)); --j) gp__host_put_item(q, x, j, x, j - 1);
    memcpy(x->keys + j * q->key_size, key.bytes, q->key_size);
    if (x->values) memcpy(x->values + j * q->in_size, value.bytes, q->in_size);
  }
}

// Sorts runs of GP__HOST_RUN elements by insertion in the output, then merges back and forth. One thread writes a block
// of the output.
static gp_result gp__host_merge_sort(const gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__host_order o = gp__host_order_of(q);
  const gp__host_items out = gp__host_items_of(q->out_keys, q->out, q->count);
  const size_t bytes = q->count * (q->key_size + q->in_size);
  gp__u8 *const room = q->count > GP__HOST_RUN ? (gp__u8 *)malloc(bytes) : NULL;
  const gp__host_items other = gp__host_items_of(room, q->out && room ? room + q->count * q->key_size : NULL, q->count);
  gp__host_items from = out, to = other;
  const int threads = h->threads;
  const int64_t blocks = (int64_t)gp__ceil_div(q->count, (uint64_t)GP__HOST_BLOCK);
  int64_t block;
  uint64_t run, i;
  (void)threads;
  if (q->count > GP__HOST_RUN && !room) return gp__host_no_memory(h->q, bytes);
  memmove(out.keys, q->keys, q->count * q->key_size);
  if (q->out && q->in) memmove(out.values, q->in, q->count * q->in_size);
  else if (q->out)
    for (i = 0; i < q->count; ++i) gp__host_put_index(q->out, q->in_size, i, i);
  GP__PARALLEL_FOR
  for (block = 0; block < blocks; ++block) {
    const uint64_t first = (uint64_t)block * GP__HOST_BLOCK;
    const uint64_t end = gp__host_block_end(first, q->count);
    uint64_t at;
    for (at = first; at < end; at += GP__HOST_RUN) {
      const gp__host_items x = gp__host_part(q, &out, at, gp__smaller(end - at, GP__HOST_RUN));
      gp__host_insert(q, &o, &x);
    }
  }
  for (run = GP__HOST_RUN; run < q->count; run *= 2) {
    const gp__host_items source = from;
    GP__PARALLEL_FOR
    for (block = 0; block < blocks; ++block) {
      uint64_t at = (uint64_t)block * GP__HOST_BLOCK;
      const uint64_t end = gp__host_block_end(at, q->count);
      while (at < end) {
        const uint64_t base = at - at % (2 * run), rest = q->count - base;
        const uint64_t n = rest < run ? rest : run, m = rest - n < run ? rest - n : run;
        const uint64_t stop = end - base < n + m ? end : base + n + m;
        const gp__host_items a = gp__host_part(q, &source, base, n), b = gp__host_part(q, &source, base + n, m),
                             part = gp__host_part(q, &to, at, stop - at);
        gp__host_merge_part(q, &o, &a, &b, at - base, stop - base, &part);
        at = stop;
      }
    }
    from = to;
    to = source;
  }
  if (from.keys != out.keys) {
    memcpy(out.keys, from.keys, q->count * q->key_size);
    if (q->out) memcpy(out.values, from.values, q->count * q->in_size);
  }
  free(room);
  return GP_SUCCESS;
}
