// world/move.c - worlds: even shares; selection, runs and groups across ranks
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, api/init.h, core/rules.h,
//   core/system.c, core/messages.c, map/kinds.c, core/state.c, core/types.c, core/run.c, world/world.c, world/fold.c,
//   world/sort.c

// Arrays that move together, each of `size` bytes an element; to NULL: it stays.
typedef struct gp__spread_array {
  const void *from;
  void *to;
  size_t size;
} gp__spread_array;

// Spreads counts[q] elements of each rank q over all ranks in even shares, in order.
GP__HOST gp_result gp__world_spread(gp_world *w, gp__state *s, const char *who, const uint64_t *counts,
    const gp__spread_array *arrays, int array_count, uint64_t *out_count, gp_stream stream) {
  const size_t ranks = (size_t)w->size;
  uint64_t *leave = (uint64_t *)calloc(2 * (ranks + 1), sizeof *leave), *arrive = leave + ranks + 1;
  uint64_t total = 0, begin = 0, at = 0, mine, share;
  gp_result result = GP_SUCCESS;
  int q, i;
  if (!leave) return gp__fail(GP_E_MEMORY, "%s: no host memory", who);
  for (q = 0; q < w->size; ++q) {
    if (q == w->rank) begin = total;
    total += counts[q];
  }
  mine = gp__share_begin(w, total, w->rank);
  share = gp__share_of(w, total, w->rank);
  for (q = 0; q < w->size; ++q) { // of this rank's elements and of this rank's share, what is before q's
    const uint64_t to = gp__share_begin(w, total, q), end = at + counts[q];
    leave[q] = to < begin ? 0 : to - begin < counts[w->rank] ? to - begin : counts[w->rank];
    arrive[q] = at < mine ? 0 : at - mine < share ? at - mine : share;
    at = end;
  }
  leave[w->size] = counts[w->rank];
  arrive[w->size] = share;
  for (i = 0; i < array_count && result == GP_SUCCESS; ++i)
    if (arrays[i].to)
      result = gp__world_move(
          w, s, who, arrays[i].from, leave, leave + 1, arrays[i].to, arrive, arrive + 1, arrays[i].size, stream);
  free(leave);
  return result == GP_SUCCESS ? gp__world_write_count(w, out_count, share, stream) : result;
}
// Tells the ranks how many results each has, and checks that the even shares fit.
GP__HOST gp_result gp__world_results(gp_world *w, gp__state *s, const char *who, const gp_call *c,
    const uint64_t *count_device, uint64_t *counts, int even, gp_stream stream) {
  gp_call counted = gp_call_init(GP_COPY);
  uint64_t count, total;
  int q;
  counted.count = UINT64_MAX;
  counted.count_device = count_device;
  GP__CHECK(gp__world_count(w, s, who, &counted, &count, stream));
  GP__CHECK(gp__world_agree(w, s, who, c, count, c->capacity ? c->capacity : c->count, GP_SUCCESS, stream));
  for (q = 0; q < w->size; ++q) counts[q] = w->notes[q].count;
  return gp__world_total(w, who, even, &total);
}

// The world's memory begins with what ranks share before the results are there.
GP__HOST size_t gp__shared_bytes(const gp_world *w) {
  return gp__aligned(((size_t)w->size + 1) * sizeof(gp__world_note));
}
GP__HOST gp_result gp__world_copy_shares(
    gp_world *w, gp__state *s, const char *who, const gp_call *c, uint64_t *counts, gp_stream stream) {
  gp_call local = *c;
  gp__spread_array array;
  gp_result result = GP_SUCCESS;
  uint64_t total;
  int q;
  GP__CHECK(gp__world_count(w, s, who, c, &local.count, stream));
  local.count_device = NULL;
  local.capacity = 0;
  local.out_count = NULL;
  array.from = c->in;
  array.to = c->out;
  array.size = gp_type_size(w->ctx, c->in_type);
  if (c->in_type == GP_INPUT || (c->out_type && c->out_type != c->in_type))
    result = gp__fail(GP_E_UNSUPPORTED, "%s: a world copies arrays of one type", who);
  if (result == GP_SUCCESS) result = gp_prepare(w->ctx, &local);
  GP__CHECK(gp__world_agree(w, s, who, c, local.count, c->capacity ? c->capacity : c->count, result, stream));
  GP__CHECK(gp__world_total(w, who, 1, &total));
  for (q = 0; q < w->size; ++q) counts[q] = w->notes[q].count;
  return gp__break_if(w, gp__world_spread(w, s, who, counts, &array, 1, c->out_count, stream));
}
// Selected elements go to the world's memory first, then in even shares to the output.
GP__HOST gp_result gp__world_select(
    gp_world *w, gp__state *s, const char *who, const gp_call *c, uint64_t *counts, gp_stream stream) {
  const size_t front = gp__shared_bytes(w) + 256;
  gp_call local = *c;
  gp__spread_array array;
  gp_result result;
  local.capacity = 0;
  local.flags &= ~GP_BALANCED;
  if (c->in_type == GP_INPUT && !c->out_type)
    return gp__fail(GP_E_TYPE, "%s: @out_type is not set: a described input of a world needs it", who);
  array.size = gp_type_size(w->ctx, c->out_type ? c->out_type : c->in_type);
  result = gp_prepare(w->ctx, &local);
  GP__CHECK(gp__world_agree(w, s, who, c, c->count, 0, result, stream));
  result = gp__world_room(w, s, who, front + (size_t)c->count * array.size, stream);
  if (result == GP_SUCCESS) {
    local.out = (unsigned char *)w->memory + front;
    local.out_count = (uint64_t *)(void *)((unsigned char *)w->memory + front - 256);
    result = gp_run(w->ctx, &local, stream);
  }
  GP__CHECK(gp__break_if(w, result));
  GP__CHECK(gp__world_results(w, s, who, c, local.out_count, counts, 1, stream));
  array.from = local.out;
  array.to = c->out;
  return gp__break_if(w, gp__world_spread(w, s, who, counts, &array, 1, c->out_count, stream));
}

// ---- runs

// Results of a rank's shard, in the world's memory: runs, each with its key and, by key, its value.
typedef struct gp__world_runs {
  const char *who;
  size_t key_size, value_size;
  int folds;                    // parts of a run across ranks have a value each, which are folded
  unsigned char *keys, *values; // of the shard's runs
  unsigned char *ends, *chain;  // first and last keys or values of all ranks, in that order; those of one run
  uint64_t *numbers;            // of the device: the shard's runs; then, for each rank, runs of two neighbours' keys
  uint64_t *counts;             // of the ranks
} gp__world_runs;

// Two elements a rank: those of its first and its last run.
GP__HOST gp_result gp__share_ends(
    gp_world *w, gp__state *s, const gp__world_runs *r, const unsigned char *from, size_t size, gp_stream stream) {
  unsigned char *mine = r->ends + 2 * (size_t)w->rank * size;
  const uint64_t own = r->counts[w->rank];
  if (own) {
    GP__CHECK(gp__world_copy(w, s, r->who, mine, from, size, stream));
    GP__CHECK(gp__world_copy(w, s, r->who, mine + size, from + (own - 1) * size, size, stream));
  }
  return gp__world_gather(w, r->who, mine, r->ends, 2 * size, stream);
}
// Sets joined[q] to 1 if the first run of rank q continues the last one of the ranks before it.
GP__HOST gp_result gp__find_joined(
    gp_world *w, gp__state *s, const gp__world_runs *r, const gp_call *c, uint64_t *joined, gp_stream stream) {
  gp_call pair = gp_call_init(GP_RUN_LENGTHS);
  int q, before = -1;
  pair.equal = c->equal;
  pair.key_type = c->key_type;
  pair.keys = r->chain;
  pair.count = 2;
  GP__CHECK(gp__share_ends(w, s, r, r->keys, r->key_size, stream));
  for (q = 0; q < w->size; ++q) {
    if (!r->counts[q]) continue;
    if (before >= 0) {
      GP__CHECK(gp__world_copy(
          w, s, r->who, r->chain, r->ends + (2 * (size_t)before + 1) * r->key_size, r->key_size, stream));
      GP__CHECK(gp__world_copy(
          w, s, r->who, r->chain + r->key_size, r->ends + 2 * (size_t)q * r->key_size, r->key_size, stream));
      pair.out_count = r->numbers + 1 + q;
      GP__CHECK(gp_run(w->ctx, &pair, stream));
    }
    before = q;
  }
  GP__CHECK(gp__world_staging(w, s, r->who, ((size_t)w->size + 1) * 8));
  GP__CHECK(gp__world_copy(w, s, r->who, w->staging, r->numbers, ((size_t)w->size + 1) * 8, stream));
  GP__CHECK(gp__world_settle(w, s, r->who, stream));
  for (q = 0, before = -1; q < w->size; ++q) {
    joined[q] = before >= 0 && r->counts[q] && ((const uint64_t *)w->staging)[q + 1] == 1;
    if (r->counts[q]) before = q;
  }
  return GP_SUCCESS;
}
// Folds the parts of this rank's last run that later ranks have.
GP__HOST gp_result gp__fold_chain(
    gp_world *w, gp__state *s, const gp__world_runs *r, const gp_call *c, const uint64_t *joined, gp_stream stream) {
  const size_t size = r->value_size;
  uint64_t parts = 1;
  gp_call fold;
  int q;
  GP__CHECK(gp__share_ends(w, s, r, r->values, size, stream));
  if (!r->counts[w->rank] || (r->counts[w->rank] == 1 && joined[w->rank])) return GP_SUCCESS;
  GP__CHECK(gp__world_copy(w, s, r->who, r->chain, r->ends + (2 * (size_t)w->rank + 1) * size, size, stream));
  for (q = w->rank + 1; q < w->size; ++q) {
    if (!r->counts[q]) continue;
    if (!joined[q]) break;
    GP__CHECK(gp__world_copy(w, s, r->who, r->chain + parts++ * size, r->ends + 2 * (size_t)q * size, size, stream));
    if (r->counts[q] > 1) break;
  }
  if (parts == 1) return GP_SUCCESS;
  fold = gp__fold_partials(c, r->chain, (int)parts, r->values + (r->counts[w->rank] - 1) * size);
  return gp_run(w->ctx, &fold, stream);
}
GP__HOST gp_result gp__runs_joined(gp_world *w, gp__state *s, gp__world_runs *r, const gp_call *c, gp_call *local,
    uint64_t *joined, gp_stream stream) {
  uint64_t *counts = r->counts, total;
  gp__spread_array arrays[2];
  int q;
  GP__CHECK(gp_run(w->ctx, local, stream));
  GP__CHECK(gp__world_results(w, s, r->who, c, r->numbers, counts, 0, stream));
  GP__CHECK(gp__find_joined(w, s, r, c, joined, stream));
  if (r->folds) GP__CHECK(gp__fold_chain(w, s, r, c, joined, stream));
  for (q = 0; q < w->size; ++q) w->notes[q].count = counts[q] -= joined[q];
  arrays[0].from = r->keys + joined[w->rank] * r->key_size;
  arrays[0].to = c->out_keys;
  arrays[0].size = r->key_size;
  arrays[1].from = r->values + joined[w->rank] * r->value_size;
  arrays[1].to = r->value_size ? c->out : NULL;
  arrays[1].size = r->value_size;
  if (c->flags & GP_BALANCED) {
    GP__CHECK(gp__world_total(w, r->who, 1, &total));
    return gp__world_spread(w, s, r->who, counts, arrays, 2, c->out_count, stream);
  }
  for (q = 0; q < 2; ++q)
    if (arrays[q].to)
      GP__CHECK(
          gp__world_copy(w, s, r->who, arrays[q].to, arrays[q].from, (size_t)counts[w->rank] * arrays[q].size, stream));
  return gp__world_write_count(w, c->out_count, counts[w->rank], stream);
}
GP__HOST gp_result gp__runs_of_world(
    gp_world *w, gp__state *s, const char *who, gp_call c, uint64_t *counts, gp_stream stream) {
  const size_t ranks = (size_t)w->size;
  size_t keys, values, most;
  gp_call local;
  gp__world_runs r;
  gp_result result = GP_SUCCESS;
  memset(&r, 0, sizeof r);
  r.who = who;
  r.counts = counts;
  r.folds = c.primitive == GP_REDUCE_BY_KEY;
  if (r.folds) gp__fill_types(&c), result = gp__check_fold(who, &c);
  local = c;
  local.capacity = 0;
  local.flags &= ~GP_BALANCED;
  r.key_size = gp_type_size(w->ctx, c.key_type);
  r.value_size = gp_type_size(w->ctx, r.folds ? c.acc_type : c.in_type);
  if (r.folds && (c.out_type != c.acc_type || c.apply || c.init))
    result = gp__fail(GP_E_UNSUPPORTED,
        "%s: in a world the results have the accumulator's type, and there is no @init and no @apply", who);
  if (c.equal == GP_HEADS || c.in_type == GP_INPUT || c.key_type == GP_INPUT)
    result = gp__fail(GP_E_UNSUPPORTED, "%s: a world takes no GP_HEADS and no described inputs", who);
  if (result == GP_SUCCESS) result = gp_prepare(w->ctx, &local);
  GP__CHECK(gp__world_agree(w, s, who, &c, c.count, 0, result, stream));
  most = 2 * ranks * (r.key_size > r.value_size ? r.key_size : r.value_size);
  keys = gp__aligned((size_t)c.count * r.key_size + 1);
  values = gp__aligned((size_t)c.count * r.value_size + 1);
  result = gp__world_room(w, s, who,
      gp__shared_bytes(w) + gp__aligned((ranks + 1) * 8) + keys + values + 2 * gp__aligned(most + 1), stream);
  if (result == GP_SUCCESS) {
    r.numbers = (uint64_t *)(void *)((unsigned char *)w->memory + gp__shared_bytes(w));
    r.keys = (unsigned char *)r.numbers + gp__aligned((ranks + 1) * 8);
    r.values = r.keys + keys;
    r.ends = r.values + values;
    r.chain = r.ends + gp__aligned(most + 1);
    local.out_count = r.numbers;
    local.out_keys = r.keys;
    if (r.value_size) local.out = r.values;
    result = gp__runs_joined(w, s, &r, &c, &local, counts + ranks, stream);
  }
  return gp__break_if(w, result);
}

// ---- groups

// Each rank's groups first, then a sort of all ranks' groups by key, then the runs of equal keys.
GP__HOST gp_result gp__world_group_by(
    gp_world *w, gp__state *s, const char *who, gp_call c, uint64_t *counts, gp_stream stream) {
  gp_call local, sort, runs;
  unsigned char *memory;
  void *found = NULL;
  size_t keys, values, share;
  uint64_t total;
  gp_result result;
  int q;
  gp__fill_types(&c);
  result = gp__check_fold(who, &c);
  local = c;
  local.capacity = 0;
  local.flags &= ~GP_BALANCED;
  if (c.out_type != c.acc_type || c.apply || c.init || c.in_type == GP_INPUT || c.key_type == GP_INPUT)
    result = gp__fail(GP_E_UNSUPPORTED,
        "%s: in a world the results have the accumulator's type, and there is no @init, no @apply and no described "
        "input",
        who);
  if (result == GP_SUCCESS) result = gp_prepare(w->ctx, &local);
  GP__CHECK(gp__world_agree(w, s, who, &c, c.count, c.capacity ? c.capacity : c.count, result, stream));
  GP__CHECK(gp__world_total(w, who, 0, &total));
  for (q = 0, share = 0; q < w->size; ++q)
    if (w->notes[q].count > share) share = (size_t)w->notes[q].count; // an even share is no larger
  keys = gp__aligned(share * gp_type_size(w->ctx, c.key_type) + 1);
  values = gp__aligned(share * gp_type_size(w->ctx, c.acc_type) + 1);
  if (w->asked) w->asked[1] = 2 * (keys + values) + 256;
  else result = gp__find_memory(s, who, 2 * (keys + values) + 256, stream, &found);
  if (result == GP_SUCCESS) {
    memory = (unsigned char *)found;
    local.out_keys = memory + 256;
    local.out = memory + 256 + keys;
    local.out_count = (uint64_t *)(void *)memory;
    if (!w->asked) result = gp_run(w->ctx, &local, stream);
  }
  if (result == GP_SUCCESS) {
    sort = gp_call_init(GP_SORT);
    sort.key_type = c.key_type;
    sort.in_type = c.acc_type;
    sort.keys = local.out_keys;
    sort.in = local.out;
    sort.count = w->asked ? c.count : share;
    sort.count_device = local.out_count;
    sort.capacity = share;
    sort.out_keys = memory + 256 + keys + values;
    sort.out = memory + 256 + 2 * keys + values;
    sort.out_count = local.out_count;
    result = gp__world_sort(w, s, who, &sort, 1, stream);
  }
  if (result == GP_SUCCESS || w->asked) {
    runs = gp_call_init(GP_REDUCE_BY_KEY);
    runs.flags = (c.flags & GP_REPRODUCIBLE) | GP_BALANCED;
    runs.op = c.op;
    runs.key_type = c.key_type;
    runs.in_type = runs.acc_type = runs.out_type = c.acc_type;
    runs.keys = sort.out_keys;
    runs.in = sort.out;
    runs.count = share;
    runs.count_device = sort.out_count;
    runs.capacity = c.capacity ? c.capacity : c.count;
    runs.out_keys = c.out_keys;
    runs.out = c.out;
    runs.out_count = c.out_count;
    result = gp__runs_of_world(w, s, who, runs, counts, stream);
  }
  gp__free_room(s, who, found, 2 * (keys + values) + 256, 0, stream);
  return gp__break_if(w, result);
}
