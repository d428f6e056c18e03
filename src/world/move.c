// world/move.c - worlds: even shares; selection, runs and groups across ranks
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, api/init.h, core/words.h, core/rules.h, core/shape.h,
//   core/system.c, core/messages.c, core/types.c, core/run.c, map/calls.c, world/world.c, world/fold.c, world/sort.c

// Arrays that move together, each of `size` bytes an element; to NULL: it stays.
typedef struct gp__spread_array {
  const void *from;
  void *to;
  size_t size;
} gp__spread_array;

// Spreads w->counts[q] elements of each rank q over all ranks in even shares, in order.
GP__HOST gp_result gp__world_spread(gp_world *w, const gp__spread_array *arrays, int array_count, uint64_t *out_count) {
  const uint64_t own = w->counts[w->rank];
  uint64_t total = 0, begin = 0, at = 0, mine, share;
  int q, i;
  GP__EACH_RANK(q) {
    if (q == w->rank) begin = total;
    total += w->counts[q];
  }
  mine = gp__share_begin(w, total, w->rank);
  share = gp__share_of(w, total, w->rank);
  for (q = 0; q <= w->size; ++q) { // of this rank's elements and of this rank's share, what is before q's
    const uint64_t to = gp__share_begin(w, total, q);
    w->leave[q] = to < begin ? 0 : gp__smaller(to - begin, own);
    w->arrive[q] = at < mine ? 0 : gp__smaller(at - mine, share);
    if (q < w->size) at += w->counts[q];
  }
  for (i = 0; i < array_count; ++i)
    if (arrays[i].to) GP__CHECK(gp__world_move(w, arrays[i].from, arrays[i].to, arrays[i].size));
  return gp__world_write_count(w, out_count, share);
}
// Runs a shard's call, and brings to the staging memory how many elements its parts have at each rank.
GP__HOST gp_result gp__part_counts(gp_world *w, gp_call *local, size_t parts) {
  uint64_t *numbers = (uint64_t *)w->memory;
  local->out_count = numbers + parts * (size_t)w->rank;
  GP__CHECK(gp__world_do(w, local));
  GP__CHECK(gp__world_gather(w, local->out_count, numbers, parts * 8));
  GP__CHECK(gp__world_staging(w, parts * w->ranks * 8));
  return gp__world_read(w, numbers, parts * w->ranks * 8);
}
GP__HOST void gp__take_counts(gp_world *w, size_t parts, size_t part) {
  int q;
  GP__EACH_RANK(q) w->notes[q].count = w->counts[q] = ((const uint64_t *)w->staging)[(size_t)q * parts + part];
}
GP__HOST gp_result gp__world_copy_shares(gp_world *w, gp_call c) {
  const gp__spread_array array = {c.in, c.out, gp_type_size(w->ctx, c.in_type)};
  gp_call local;
  gp_result result;
  uint64_t total;
  int q;
  GP__CHECK(gp__shard_counted(w, &c, &local));
  local.out_count = NULL;
  result = gp__check_arrays(w, &c, &local);
  if (result == GP_SUCCESS && c.out_type && c.out_type != c.in_type)
    result = gp__fail(GP_E_UNSUPPORTED, "%s: a world copies arrays of one type", w->who);
  GP__CHECK(gp__world_meet(w, &c, local.count, result, 1, &total));
  GP__EACH_RANK(q) w->counts[q] = w->notes[q].count;
  return gp__break_if(w, gp__world_spread(w, &array, 1, c.out_count));
}
// The parts of each rank go to the world's memory first, then in even shares to the outputs.
GP__HOST gp_result gp__select_shares(gp_world *w, const gp_call *c, gp_call *local, size_t size) {
  const size_t parts = c->primitive == GP_SELECT ? 1 : c->predicate2 ? 3 : 2;
  const size_t front = gp__shared_bytes(w), each = gp__aligned((size_t)c->count * size);
  void *const outs[] = {c->out, c->out2, c->out3};
  gp__spread_array array = {NULL, NULL, size};
  uint64_t total;
  size_t i;
  GP__CHECK(gp__break_if(w, gp__world_room(w, front + parts * each)));
  array.from = local->out = (gp__u8 *)w->memory + front;
  if (parts > 1) local->out2 = (gp__u8 *)local->out + each;
  if (parts > 2) local->out3 = (gp__u8 *)local->out2 + each;
  GP__CHECK(gp__break_if(w, gp__part_counts(w, local, parts)));
  for (i = 0; i < 2 * parts; ++i) { // all parts must fit before one is written
    gp__take_counts(w, parts, i % parts);
    GP__CHECK(gp__world_total(w, 1, &total));
    if (i < parts) continue;
    array.to = outs[i - parts];
    GP__CHECK(gp__break_if(w, gp__world_spread(w, &array, 1, c->out_count + (i - parts))));
    array.from = (const gp__u8 *)array.from + each;
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__world_select(gp_world *w, gp_call c) {
  gp_call local = gp__shard_call(&c);
  uint64_t total;
  if (!(c.flags & GP_BALANCED)) return gp__world_do(w, &c);
  GP__CHECK(gp__check_result_type(w, &c));
  GP__CHECK(gp__world_meet(w, &c, c.count, gp_prepare(w->ctx, &local), 0, &total));
  return gp__select_shares(w, &c, &local, gp_type_size(w->ctx, c.out_type ? c.out_type : c.in_type));
}

// ---- runs

// Results of a rank's shard, in the world's memory: runs, each with its key and, by key, its value.
typedef struct gp__world_runs {
  size_t key_size, value_size;
  int folds; // parts of a run across ranks have a value each, which are folded
  gp__u8 *keys, *values; // of the shard's runs
  gp__u8 *ends, *chain; // first and last keys or values of all ranks, in that order; those of one run
  uint64_t *numbers; // of the device: for each rank, runs of two neighbours' keys
  uint64_t *joined; // of each rank: 1 if its first run continues the last one of the ranks before it
} gp__world_runs;

// Two elements a rank: those of its first and its last run.
GP__HOST gp_result gp__share_ends(gp_world *w, const gp__world_runs *r, const gp__u8 *from, size_t size) {
  gp__u8 *mine = r->ends + 2 * (size_t)w->rank * size;
  const uint64_t own = w->counts[w->rank];
  if (own) {
    GP__CHECK(gp__world_copy(w, mine, from, size));
    GP__CHECK(gp__world_copy(w, mine + size, from + (own - 1) * size, size));
  }
  return gp__world_gather(w, mine, r->ends, 2 * size);
}
// Copies the first (or last) element of rank q to place `at` of the chain.
GP__HOST gp_result gp__chain_end(gp_world *w, const gp__world_runs *r, uint64_t at, int q, int last, size_t size) {
  return gp__world_copy(w, r->chain + at * size, r->ends + (2 * (size_t)q + (size_t)last) * size, size);
}
GP__HOST gp_result gp__find_joined(gp_world *w, const gp__world_runs *r, const gp_call *c) {
  const size_t numbers = w->ranks * 8;
  gp_call pair = gp_call_init(GP_RUN_LENGTHS);
  int q, before = -1;
  pair.equal = c->equal;
  pair.key_type = c->key_type;
  pair.keys = r->chain;
  pair.count = 2;
  GP__CHECK(gp__share_ends(w, r, r->keys, r->key_size));
  GP__EACH_RANK(q) {
    r->joined[q] = before >= 0 && w->counts[q];
    if (r->joined[q]) {
      GP__CHECK(gp__chain_end(w, r, 0, before, 1, r->key_size));
      GP__CHECK(gp__chain_end(w, r, 1, q, 0, r->key_size));
      pair.out_count = r->numbers + q;
      GP__CHECK(gp__world_do(w, &pair));
    }
    if (w->counts[q]) before = q;
  }
  GP__CHECK(gp__world_staging(w, numbers));
  GP__CHECK(gp__world_read(w, r->numbers, numbers));
  GP__EACH_RANK(q) r->joined[q] &= ((const uint64_t *)w->staging)[q] == 1;
  return GP_SUCCESS;
}
// Folds the parts of this rank's last run that later ranks have.
GP__HOST gp_result gp__fold_chain(gp_world *w, const gp__world_runs *r, const gp_call *c) {
  const size_t size = r->value_size;
  const uint64_t own = w->counts[w->rank];
  uint64_t parts = 1;
  gp_call fold;
  int q;
  GP__CHECK(gp__share_ends(w, r, r->values, size));
  if (!own || (own == 1 && r->joined[w->rank])) return GP_SUCCESS;
  GP__CHECK(gp__chain_end(w, r, 0, w->rank, 1, size));
  for (q = w->rank + 1; q < w->size; ++q) {
    if (!w->counts[q]) continue;
    if (!r->joined[q]) break;
    GP__CHECK(gp__chain_end(w, r, parts++, q, 0, size));
    if (w->counts[q] > 1) break;
  }
  if (parts == 1) return GP_SUCCESS;
  fold = gp__fold_partials(c, r->chain, (int)parts, r->values + (own - 1) * size);
  return gp__world_do(w, &fold);
}
GP__HOST gp_result gp__runs_joined(gp_world *w, const gp__world_runs *r, const gp_call *c) {
  const uint64_t skip = r->joined[w->rank];
  uint64_t *counts = w->counts, total;
  const gp__spread_array arrays[2] = {{r->keys + skip * r->key_size, c->out_keys, r->key_size},
      {r->values + skip * r->value_size, c->out, r->value_size}};
  int q;
  GP__EACH_RANK(q) w->notes[q].count = counts[q] -= r->joined[q];
  if (c->flags & GP_BALANCED) {
    GP__CHECK(gp__world_total(w, 1, &total));
    return gp__world_spread(w, arrays, 2, c->out_count);
  }
  for (q = 0; q < 2; ++q)
    GP__CHECK(gp__world_copy(w, arrays[q].to, arrays[q].from, (size_t)counts[w->rank] * arrays[q].size));
  return gp__world_write_count(w, c->out_count, counts[w->rank]);
}
GP__HOST gp_result gp__runs_agreed(gp_world *w, gp__world_runs *r, const gp_call *c, gp_call *local) {
  const size_t most = 2 * w->ranks * (r->key_size + r->value_size);
  const size_t keys = gp__aligned((size_t)c->count * r->key_size + 1), ends = gp__aligned(most + 1);
  const size_t values = gp__aligned((size_t)c->count * r->value_size + 1);
  const size_t front = gp__shared_bytes(w), numbers = gp__aligned(w->ranks * 8);
  GP__CHECK(gp__world_room(w, front + numbers + keys + values + 2 * ends));
  r->keys = (gp__u8 *)w->memory + front + numbers;
  r->values = r->keys + keys;
  r->ends = r->values + values;
  r->chain = r->ends + ends;
  r->numbers = (uint64_t *)(void *)(r->keys - numbers);
  r->joined = w->counts + w->size;
  local->out_keys = r->keys;
  if (r->value_size) local->out = r->values;
  GP__CHECK(gp__part_counts(w, local, 1));
  gp__take_counts(w, 1, 0);
  GP__CHECK(gp__find_joined(w, r, c));
  if (r->folds) GP__CHECK(gp__fold_chain(w, r, c));
  return gp__runs_joined(w, r, c);
}
// Folds by key: the types are filled in.
GP__HOST gp_result gp__check_keyed(gp_world *w, const gp_call *c, const gp_call *local) {
  GP__CHECK(gp__check_fold(w, c));
  if (c->out_type != c->acc_type || c->apply || c->init)
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: in a world the results have the accumulator's type, and there is no @init and no @apply", w->who);
  return gp__check_arrays(w, c, local);
}
GP__HOST gp_result gp__runs_of_world(gp_world *w, gp_call c) {
  gp_call local;
  gp__world_runs r;
  gp_result result;
  uint64_t total;
  memset(&r, 0, sizeof r);
  r.folds = c.primitive == GP_REDUCE_BY_KEY;
  if (r.folds) gp__fill_types(&c);
  local = gp__shard_call(&c);
  r.key_size = gp_type_size(w->ctx, c.key_type);
  r.value_size = gp_type_size(w->ctx, r.folds ? c.acc_type : c.in_type);
  result = r.folds ? gp__check_keyed(w, &c, &local) : gp__check_arrays(w, &c, &local);
  if (c.equal == GP_HEADS) result = gp__fail(GP_E_UNSUPPORTED, "%s: @equal: a world takes no GP_HEADS", w->who);
  GP__CHECK(gp__world_meet(w, &c, c.count, result, 0, &total));
  return gp__break_if(w, gp__runs_agreed(w, &r, &c, &local));
}

// ---- groups

// Each rank's groups first, then a sort of all ranks' groups by key, then the runs of equal keys.
GP__HOST gp_result gp__group_agreed(
    gp_world *w, const gp_call *c, gp_call *local, gp__u8 *memory, size_t share, size_t keys, size_t values) {
  gp__u8 *sorted = memory + 256 + keys + values;
  gp_call sort = gp__call(GP_SORT, GP_OP_DEFAULT, c->acc_type, GP_TYPE_DEFAULT, memory + 256 + keys, sorted + keys,
      w->asked ? c->count : share);
  gp_call runs = gp__call(GP_REDUCE_BY_KEY, c->op, c->acc_type, c->acc_type, sorted + keys, c->out, share);
  gp_result result;
  gp__set_keys(&sort, c->key_type, memory + 256);
  sort.count_device = sort.out_count = (uint64_t *)(void *)memory;
  sort.capacity = share;
  sort.out_keys = sorted;
  local->out_keys = memory + 256;
  local->out = memory + 256 + keys;
  local->out_count = sort.out_count;
  if (!w->asked) GP__CHECK(gp__world_do(w, local));
  result = gp__sort_shares(w, &sort, 1);
  if (!w->asked) GP__CHECK(result);
  gp__set_keys(&runs, c->key_type, sorted);
  runs.flags = (c->flags & GP_REPRODUCIBLE) | GP_BALANCED;
  runs.acc_type = c->acc_type;
  runs.count_device = sort.out_count;
  runs.capacity = c->capacity ? c->capacity : c->count;
  runs.out_keys = c->out_keys;
  runs.out_count = c->out_count;
  return gp__runs_of_world(w, runs);
}
GP__HOST gp_result gp__world_group_by(gp_world *w, gp_call c) {
  gp_call local;
  void *memory = NULL;
  size_t keys, values, share = 0, bytes;
  uint64_t total;
  gp_result result = GP_SUCCESS;
  int q;
  gp__fill_types(&c);
  local = gp__shard_call(&c);
  GP__CHECK(gp__world_meet(w, &c, c.count, gp__check_keyed(w, &c, &local), 0, &total));
  GP__EACH_RANK(q)
    if (w->notes[q].count > share) share = (size_t)w->notes[q].count; // an even share is no larger
  keys = gp__aligned(share * gp_type_size(w->ctx, c.key_type) + 1);
  values = gp__aligned(share * gp_type_size(w->ctx, c.acc_type) + 1);
  bytes = 2 * (keys + values) + 256;
  if (w->asked) w->asked[1] = bytes;
  else result = gp__find_memory(w, bytes, &memory);
  if (result == GP_SUCCESS) result = gp__group_agreed(w, &c, &local, (gp__u8 *)memory, share, keys, values);
  gp__free_memory(w, memory, bytes, 0);
  return gp__break_if(w, result);
}
