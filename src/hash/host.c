// hash/host.c - groups, distinct elements, joins
// uses: api/config.h, api/lists.h, api/structs.h, core/words.h, core/shape.h, top_k/policy.h, hash/numbers.h,
//   hash/folds.h, core/system.c, core/request.c, host/user.c, host/values.c, host/indices.c, core/primitive.c,
//   host/run.c

// Rows of equal keys get one number, in the order of their first occurrence.
typedef struct gp__host_table {
  const gp__u8 *keys;
  size_t size;
  int truth; // keys are bool: all that is not 0 is equal
  uint64_t slot_count, found;
  uint32_t *slots, *first, *place; // a number plus 1, or 0; the first row of a number; the number of a row
} gp__host_table;

static uint64_t gp__host_slot(const gp__host_table *t, const gp__u8 *key) {
  uint64_t x = 0, word, at;
  size_t i;
  if (t->truth) return *key != 0;
  for (i = 0; i < t->size; i += 8) {
    word = 0;
    memcpy(&word, key + i, t->size - i < 8 ? t->size - i : 8);
    x = gp__mix2((x ^ word) * 0x9e3779b97f4a7c15ull);
  }
  at = (x >> 32) * t->slot_count >> 32;
  while (t->slots[at] && memcmp(t->keys + t->first[t->slots[at] - 1] * t->size, key, t->size) != 0)
    at = at + 1 == t->slot_count ? 0 : at + 1;
  return at;
}
static gp_result gp__host_fill_table(const gp__request *q, gp__host_table *t, const void *keys, uint64_t count) {
  uint64_t i;
  t->keys = (const gp__u8 *)keys;
  t->size = q->key_size;
  t->truth = q->key_type == GP_BOOL;
  t->slot_count = 2 * count + 2;
  t->found = 0;
  t->slots = (uint32_t *)calloc((size_t)(t->slot_count + 2 * count), 4);
  if (!t->slots) return gp__host_no_memory(q, (t->slot_count + 2 * count) * 4);
  t->first = t->slots + t->slot_count;
  t->place = t->first + count;
  for (i = 0; i < count; ++i) {
    const uint64_t at = gp__host_slot(t, t->keys + i * t->size);
    if (!t->slots[at]) {
      t->first[t->found] = (uint32_t)i;
      t->slots[at] = (uint32_t)++t->found;
    }
    t->place[i] = t->slots[at] - 1;
  }
  return GP_SUCCESS;
}
// Puts the numbers in the order of their keys.
static gp_result gp__host_order_groups(const gp__request *q, gp__host_table *t, int threads) {
  const uint64_t n = t->found;
  uint64_t i;
  gp_result result;
  gp__u8 *room = (gp__u8 *)malloc((size_t)n * (2 * q->key_size + 8) + 1);
  uint32_t *rows = (uint32_t *)(void *)(room + 2 * n * q->key_size), *numbers = rows + n;
  if (!room) return gp__host_no_memory(q, n * (2 * q->key_size + 8));
  for (i = 0; i < n; ++i) memcpy(room + i * t->size, t->keys + t->first[i] * t->size, t->size);
  result = gp__host_sort_by(q->key_type, 0, n, room, t->first, 4, room + n * t->size, rows, threads);
  for (i = 0; i < n; ++i) numbers[t->place[rows[i]]] = (uint32_t)i;
  for (i = 0; i < q->count; ++i) t->place[i] = numbers[t->place[i]];
  memcpy(t->first, rows, (size_t)n * 4);
  free(room);
  return result;
}
// Words of one group's aggregate, as kernels have them.
typedef struct gp__host_words {
  gp__u64 word[3];
} gp__host_words;
static void gp__host_fold_row(const gp_aggregate *a, int pass, uint64_t row, gp__host_words *w) {
  const int most = a->op == GP_AGGREGATE_MAX || a->op == GP_AGGREGATE_ARGMAX, type = (int)a->type;
  const int places = a->op >= GP_AGGREGATE_ARGMIN, kind = gp__number_class(type);
  gp__u64 x, high = 0, low;
  gp__wide wide;
  gp__host_widen(a->type, (const gp__u8 *)a->column + row * gp__host_size(a->type), &wide, 1);
  x = wide.u;
  if (a->op == GP_AGGREGATE_SUM || a->op == GP_AGGREGATE_MEAN) {
    if (kind < 2 && a->op == GP_AGGREGATE_SUM) w->word[0] += pass ? 0 : x;
    else if (!pass && kind == 2) {
      const gp__u64 range = gp__range_of(x), before = w->word[0];
      w->word[0] =
          ((range | before) >> 32 << 32) | ((uint32_t)range > (uint32_t)before ? (uint32_t)range : (uint32_t)before);
    } else if (pass) {
      low = x;
      if (kind == 2) low = gp__wide_of(x, (unsigned)w->word[0], &high);
      else high = kind && x >> 63 ? ~0ull : 0;
      w->word[1] += low;
      w->word[2] += high + (w->word[1] < low);
    }
    return;
  }
  x = ~gp__ordered_number(x, type, most, places);
  if (!pass && w->word[0] < x) w->word[0] = x;
  if (pass && places && w->word[0] == x && w->word[1] < ~row) w->word[1] = ~row;
}
static gp_result gp__host_aggregate(const gp__request *q, const gp__host_table *t, const gp_aggregate *a) {
  const uint64_t n = gp__smaller(t->found, q->capacity);
  const gp_type type = gp__aggregate_type(a);
  gp__host_words *words = (gp__host_words *)calloc((size_t)n + 1, sizeof *words);
  uint64_t *rows = (uint64_t *)calloc((size_t)n + 1, 8), i;
  int pass;
  gp_result result = GP_SUCCESS;
  if (!words || !rows) result = gp__host_no_memory(q, (n + 1) * sizeof *words);
  for (pass = 0; pass < 2 && result == GP_SUCCESS; ++pass)
    for (i = 0; i < q->count; ++i) {
      if (t->place[i] >= n) continue;
      if (!pass) ++rows[t->place[i]];
      if (a->op != GP_AGGREGATE_COUNT) gp__host_fold_row(a, pass, i, &words[t->place[i]]);
    }
  for (i = 0; i < n && result == GP_SUCCESS; ++i) {
    gp__wide x;
    x.u = gp__result_of((int)a->op, (int)a->type, rows[i], words[i].word);
    gp__host_narrow(type, gp__host_kind(type), &x, (gp__u8 *)a->out + i * gp__host_size(type), 1);
  }
  free(words);
  free(rows);
  return result;
}
static gp_result gp__host_groups(const gp__request *q, int threads) {
  gp__host_table t;
  uint64_t i;
  gp_result result;
  GP__CHECK(gp__host_fill_table(q, &t, q->in, q->count));
  result = q->primitive == GP_GROUP_BY_MANY && !q->key_struct ? gp__host_order_groups(q, &t, threads) : GP_SUCCESS;
  for (i = 0; i < t.found && i < q->capacity && q->out_keys && result == GP_SUCCESS; ++i)
    memcpy((gp__u8 *)q->out_keys + i * t.size, t.keys + t.first[i] * t.size, t.size);
  for (i = 0; i < q->aggregate_count && result == GP_SUCCESS; ++i)
    result = gp__host_aggregate(q, &t, &q->aggregates[i]);
  if (result == GP_SUCCESS) *q->out_count = t.found;
  free(t.slots);
  return result;
}
static gp_result gp__host_join_keys(const gp__request *q) {
  gp__host_table t;
  uint32_t *next; // by row: the next one with its key, plus 1; behind them, by number: the last row
  uint64_t i, total = 0;
  GP__CHECK(gp__host_fill_table(q, &t, q->keys2, q->count2));
  next = (uint32_t *)calloc((size_t)(2 * q->count2) + 1, 4);
  if (!next) {
    free(t.slots);
    return gp__host_no_memory(q, 8 * q->count2);
  }
  for (i = 0; i < q->count2; ++i) {
    uint32_t *last = next + q->count2 + t.place[i];
    if (*last) next[*last - 1] = (uint32_t)i + 1;
    *last = (uint32_t)i + 1;
  }
  for (i = 0; i < q->count; ++i) {
    const uint32_t number = t.slots[gp__host_slot(&t, (const gp__u8 *)q->in + i * t.size)];
    uint32_t row = number ? t.first[number - 1] + 1 : 0;
    if (q->join == GP_JOIN_FLAGS) {
      ((gp__u8 *)q->out)[i] = number ? 1 : 0;
      continue;
    }
    if (q->join >= GP_JOIN_SEMI) row = !number == (q->join == GP_JOIN_ANTI);
    else if (q->join == GP_JOIN_LEFT && !number) row = UINT32_MAX;
    for (; row; ++total) {
      if (total < q->capacity && q->out) gp__host_put_index(q->out, q->out_size, total, i);
      if (total < q->capacity && q->out2)
        gp__host_put_index(q->out2, q->out_size, total, row == UINT32_MAX ? UINT64_MAX : row - 1);
      row = q->join >= GP_JOIN_SEMI || row == UINT32_MAX ? 0 : next[row - 1];
    }
  }
  if (q->join != GP_JOIN_FLAGS) *q->out_count = total;
  free(next);
  free(t.slots);
  return GP_SUCCESS;
}
static gp_result gp__host_hash(gp__host_call *h) {
  return h->q->primitive == GP_JOIN ? gp__host_join_keys(h->q) : gp__host_groups(h->q, h->asked);
}
