// world/sort.c - worlds: sorts, top-k
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/input.h, api/call.h, api/init.h,
//   core/words.h, core/rules.h, core/system.c, core/messages.c, host/types.c, host/values.c, merge/kinds.c,
//   core/state.c, core/types.c, core/run.c, world/world.c, world/split.c

// A built-in type's sort has an order that searches and merges take as an operator: floats in total order.
GP__HOST void gp__host_comes_before(void *user, void *result, const void *a, const void *b) {
  const int type = (int)((uintptr_t)user >> 1), down = (int)((uintptr_t)user & 1);
  const size_t size = gp_type_size(NULL, (gp_type)type);
  const int is_signed = type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 || type == GP_I128;
  const int is_float =
      type == GP_F16 || type == GP_BF16 || type == GP_F32 || type == GP_F64 || type == GP_E4M3 || type == GP_E5M2;
  const gp__u128 top = (gp__u128)1 << (8 * size - 1), every = top | (top - 1);
  gp__u128 x[2] = {0, 0};
  int i;
  memcpy(&x[0], down ? b : a, size); // little-endian
  memcpy(&x[1], down ? a : b, size);
  for (i = 0; i < 2; ++i) {
    if (type == GP_BOOL) x[i] = x[i] != 0;
    else if (is_signed) x[i] ^= top;
    else if (is_float) x[i] ^= x[i] & top ? every : top;
  }
  *(unsigned char *)result = x[0] < x[1];
}
GP__HOST gp_result gp__total_order(gp_world *w, gp_type type, int down, gp_op *op) {
  GP__CHECK(gp__world_op(w, &w->before[type][down], 2, down ? "descending" : "ascending",
      down ? "return gp__radix_bits<false>(b) < gp__radix_bits<false>(a);"
           : "return gp__radix_bits<false>(a) < gp__radix_bits<false>(b);",
      NULL, gp__host_comes_before, (uintptr_t)type << 1 | (uintptr_t)down));
  *op = w->before[type][down];
  return GP_SUCCESS;
}
GP__HOST int gp__is_plain_integer(gp_type t) { return (t >= GP_I8 && t <= GP_U64) || t == GP_I128 || t == GP_U128; }
// Sets *less to the order of keys that searches and merges take for the sort of a call.
GP__HOST gp_result gp__order_of_sort(gp_world *w, const char *who, const gp_call *c, gp_op *less) {
  const int down = (c->flags & GP_DESCENDING) != 0, builtin = (int)c->op >= 0 && (int)c->op < (int)GP_OP_COUNT;
  const int sorts_by_less = c->primitive == GP_MERGE_SORT;
  if (c->begin_bit || c->end_bit || c->fields || c->transform || (c->flags & GP_LITTLE_MEMORY))
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: a world sorts by whole keys: no @begin_bit, @end_bit, @fields, @transform and GP_LITTLE_MEMORY", who);
  if (c->in_type == GP_INPUT || c->key_type == GP_INPUT)
    return gp__fail(GP_E_UNSUPPORTED, "%s: a world does not sort described inputs (GP_INPUT)", who);
  if (!builtin) {
    if (down)
      return gp__fail(GP_E_UNSUPPORTED, "%s: @flags: GP_DESCENDING with a user's order: define the reverse order", who);
    *less = c->op;
    return GP_SUCCESS;
  }
  if ((int)c->key_type <= 0 || (int)c->key_type >= (int)GP_TYPE_COUNT)
    return gp__fail(
        GP_E_TYPE, "%s: @key_type is %d, which a world sorts by a user's order alone", who, (int)c->key_type);
  if (gp__is_complex(c->key_type))
    return gp__fail(GP_E_UNSUPPORTED, "%s: @key_type is %d: a world does not sort complex keys", who, (int)c->key_type);
  *less = GP_OP_DEFAULT;
  if (sorts_by_less ? c->op != GP_GREATER && !down : !down && gp__is_plain_integer(c->key_type)) return GP_SUCCESS;
  if (sorts_by_less && !gp__is_plain_integer(c->key_type))
    return gp__fail(GP_E_UNSUPPORTED, "%s: descending floats: gp_sort has a world sort them", who);
  return gp__total_order(w, c->key_type, down != (c->op == GP_GREATER), less);
}

// A sort of this rank's shard, then of the world.
typedef struct gp__world_sorting {
  const char *who;
  gp_op less;
  gp_type key_type, value_type; // value_type 0: no values
  size_t key_size, value_size;
  uint64_t count, room, share; // of the shard; elements that buffers have room for; of the even share
  int is_sorted;               // the shard, already
  unsigned char *keys, *values, *came_keys, *came_values; // sorted; received
  void *scratch;                                          // of the splitters
} gp__world_sorting;

GP__HOST size_t gp__aligned(size_t bytes) { return (bytes + 255) & ~(size_t)255; }
GP__HOST gp_result gp__sorting_room(
    gp_world *w, gp__state *s, gp__world_sorting *p, size_t scratch, int indices, gp_stream stream) {
  const size_t keys = gp__aligned(p->room * p->key_size + 1), values = gp__aligned(p->room * p->value_size + 1);
  unsigned char *at;
  GP__CHECK(gp__world_room(w, s, p->who, 2 * (keys + values) + gp__aligned(scratch) + (indices ? values : 0), stream));
  at = (unsigned char *)w->memory;
  p->keys = at;
  p->values = at + keys;
  p->came_keys = at + keys + values;
  p->came_values = at + 2 * keys + values;
  p->scratch = at + 2 * (keys + values);
  return GP_SUCCESS;
}
// Merges neighbouring runs, of the ranks in their order, until one is left, in out_keys and out_values.
GP__HOST gp_result gp__merge_runs(
    gp_world *w, const gp__world_sorting *p, uint64_t *begin, void *out_keys, void *out_values, gp_stream stream) {
  unsigned char *from_keys = p->came_keys, *from_values = p->came_values, *to_keys, *to_values;
  int runs = w->size, levels = 0, i;
  while (1 << levels < runs) ++levels;
  for (; levels; --levels) {
    to_keys = levels % 2 ? (unsigned char *)out_keys : p->keys;
    to_values = levels % 2 ? (unsigned char *)out_values : p->values;
    for (i = 0; i < runs; i += 2) {
      const uint64_t a = begin[i], b = begin[i + 1], end = i + 2 <= runs ? begin[i + 2] : b;
      gp_call c = gp_call_init(GP_MERGE);
      if (end > a) {
        c.op = p->less;
        c.key_type = p->key_type;
        c.keys = from_keys + a * p->key_size;
        c.keys2 = from_keys + b * p->key_size;
        c.count = b - a;
        c.count2 = end - b;
        c.out_keys = to_keys + a * p->key_size;
        if (p->value_type) {
          c.in_type = p->value_type;
          c.in = from_values + a * p->value_size;
          c.in2 = from_values + b * p->value_size;
          c.out = to_values + a * p->value_size;
        }
        GP__CHECK(gp_run(w->ctx, &c, stream));
      }
      begin[i / 2] = a;
    }
    runs = (runs + 1) / 2;
    begin[runs] = p->share;
    from_keys = to_keys;
    from_values = to_values;
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__world_sort_agreed(gp_world *w, gp__state *s, gp__world_sorting *p, const gp_call *c,
    gp_call *local, uint64_t total, gp_stream stream) {
  const size_t ranks = (size_t)w->size;
  const int indices = !c->in && c->out;
  uint64_t *bounds, *arrive;
  gp__splitting split;
  gp_result result;
  size_t q;
  split.who = p->who;
  split.less = p->less;
  split.type = p->key_type;
  split.size = p->key_size;
  split.count = p->count;
  split.total = total;
  gp__split_offers(w, &split);
  p->share = gp__share_of(w, total, w->rank);
  p->room = p->count > p->share ? p->count : p->share;
  GP__CHECK(gp__sorting_room(w, s, p, gp__split_bytes(w, &split), indices, stream));
  split.sorted = p->keys;
  if (indices) { // the array's own, in front of the sort
    gp_call iota = gp_call_init(GP_IOTA);
    uint64_t start = 0;
    for (q = 0; q < (size_t)w->rank; ++q) start += w->notes[q].count;
    iota.out_type = p->value_type;
    iota.start = &start; // little-endian
    iota.out = (unsigned char *)p->scratch + gp__aligned(gp__split_bytes(w, &split));
    iota.count = p->count;
    GP__CHECK(gp_run(w->ctx, &iota, stream));
    local->in_type = p->value_type;
    local->in = iota.out;
  }
  if (p->is_sorted) {
    split.sorted = c->keys;
  } else {
    local->out_keys = p->keys;
    local->out = p->value_type ? p->values : NULL;
    GP__CHECK(gp_run(w->ctx, local, stream));
  }
  bounds = (uint64_t *)calloc((ranks + 1) * (ranks + 2), sizeof *bounds);
  if (!bounds) return gp__fail(GP_E_MEMORY, "%s: no host memory", p->who);
  arrive = bounds + ranks * (ranks + 1);
  result = gp__split_shards(w, s, &split, p->scratch, bounds, stream);
  if (result == GP_SUCCESS) {
    const uint64_t *leave = bounds + (size_t)w->rank * (ranks + 1);
    for (q = 0; q < ranks; ++q) {
      const uint64_t *of = bounds + q * (ranks + 1) + w->rank;
      arrive[q + 1] = arrive[q] + of[1] - of[0];
    }
    result = gp__world_move(
        w, s, p->who, split.sorted, leave, leave + 1, p->came_keys, arrive, arrive + 1, p->key_size, stream);
    if (result == GP_SUCCESS && p->value_type)
      result = gp__world_move(w, s, p->who, p->is_sorted ? c->in : p->values, leave, leave + 1, p->came_values, arrive,
          arrive + 1, p->value_size, stream);
  }
  if (result == GP_SUCCESS) result = gp__merge_runs(w, p, arrive, c->out_keys, c->out, stream);
  free(bounds);
  return result == GP_SUCCESS ? gp__world_write_count(w, c->out_count, p->share, stream) : result;
}
// The shard's sort as a call of its own: the checks of the arguments, and the kernels.
GP__HOST gp_result gp__check_world_sort(gp_world *w, const gp_call *c, gp__world_sorting *p, gp_call *local) {
  const int indices = !c->in && !c->in_type && (c->out || c->out_type);
  GP__CHECK(gp__order_of_sort(w, p->who, c, &p->less));
  local->out_count = NULL;
  local->count_device = NULL;
  local->capacity = 0;
  local->count = p->count;
  p->key_type = c->key_type;
  p->key_size = gp_type_size(w->ctx, c->key_type);
  p->value_type = indices ? c->out_type ? c->out_type : GP_U32 : c->in_type;
  p->value_size = p->value_type ? gp_type_size(w->ctx, p->value_type) : 0;
  if (!c->out_keys && (c->capacity || c->count)) return gp__fail(GP_E_NULL, "%s: @out_keys is null", p->who);
  if (p->value_type && !c->out && (c->capacity || c->count)) return gp__fail(GP_E_NULL, "%s: @out is null", p->who);
  return gp_prepare(w->ctx, local);
}
GP__HOST gp_result gp__world_sort(
    gp_world *w, gp__state *s, const char *who, const gp_call *c, int is_sorted, gp_stream stream) {
  gp__world_sorting p;
  gp_call local = *c;
  gp_result result;
  uint64_t total;
  memset(&p, 0, sizeof p);
  p.who = who;
  p.is_sorted = is_sorted;
  GP__CHECK(gp__world_count(w, s, who, c, &p.count, stream));
  result = gp__check_world_sort(w, c, &p, &local);
  GP__CHECK(gp__world_agree(w, s, who, c, p.count, c->capacity ? c->capacity : c->count, result, stream));
  GP__CHECK(gp__world_total(w, who, 1, &total));
  if (!c->in && p.value_size == 4 && total > UINT32_MAX)
    return gp__fail(GP_E_SIZE, "%s: @out_type: indices of %llu elements need u64", who, (gp__u64)total);
  return gp__break_if(w, gp__world_sort_agreed(w, s, &p, c, &local, total, stream));
}

// ---- top-k

GP__HOST gp_result gp__world_top_k_agreed(
    gp_world *w, gp__state *s, const char *who, const gp_call *c, gp_call *local, gp_stream stream) {
  const size_t key_size = gp_type_size(w->ctx, c->key_type),
               value_size = local->out_type || local->in_type
      ? gp_type_size(w->ctx, local->in_type ? local->in_type : local->out_type)
      : 0;
  const int indices = value_size && !local->in_type;
  const size_t k = (size_t)c->k, keys = gp__aligned(k * key_size * (size_t)w->size),
               values = gp__aligned(k * value_size * (size_t)w->size);
  const uint64_t kept = c->k < local->count ? c->k : local->count;
  unsigned char *at, *packed, *my_keys, *my_values;
  uint64_t before = 0, gathered = 0;
  gp_call last = *local;
  int q, gaps;
  GP__CHECK(gp__world_room(w, s, who, 2 * (keys + values), stream));
  at = (unsigned char *)w->memory;
  packed = at + keys + values;
  my_keys = at + (size_t)w->rank * k * key_size;
  my_values = at + keys + (size_t)w->rank * k * value_size;
  for (q = 0; q < w->rank; ++q) before += w->notes[q].count;
  local->k = kept;
  local->out_keys = my_keys;
  local->out = value_size ? my_values : NULL;
  local->flags &= ~GP_UNSORTED;
  if (kept) GP__CHECK(gp_run(w->ctx, local, stream));
  if (indices && before && kept) { // of the array
    gp_call add = gp_call_init(GP_TRANSFORM2);
    gp_input constant = gp_input_constant(local->out_type, &before); // little-endian
    add.op = GP_SUM;
    add.in_type = add.out_type = local->out_type;
    add.in2_type = GP_INPUT;
    add.in = add.out = my_values;
    add.in2 = &constant;
    add.count = kept;
    GP__CHECK(gp_run(w->ctx, &add, stream));
  }
  GP__CHECK(gp__world_gather(w, who, my_keys, at, k * key_size, stream));
  if (value_size) GP__CHECK(gp__world_gather(w, who, my_values, at + keys, k * value_size, stream));
  for (q = 0, gaps = 0; q < w->size; ++q) gaps |= w->notes[q].count < c->k;
  for (q = 0; q < w->size; ++q) { // without the gaps of ranks that have fewer than k
    const uint64_t here = w->notes[q].count < c->k ? w->notes[q].count : c->k;
    const size_t from = (size_t)q * k;
    if (gaps) {
      GP__CHECK(gp__world_copy(
          w, s, who, packed + gathered * key_size, at + from * key_size, (size_t)here * key_size, stream));
      GP__CHECK(gp__world_copy(w, s, who, packed + keys + gathered * value_size, at + keys + from * value_size,
          (size_t)here * value_size, stream));
    }
    gathered += here;
  }
  if (gaps) at = packed;
  last.policy = NULL;
  last.k = c->k;
  last.keys = at;
  last.count = gathered;
  last.in_type = value_size ? local->in_type ? local->in_type : local->out_type : GP_TYPE_DEFAULT;
  last.in = value_size ? at + keys : NULL;
  last.out_type = GP_TYPE_DEFAULT;
  last.out = c->out;
  last.out_keys = c->out_keys;
  return gp_run(w->ctx, &last, stream);
}
GP__HOST gp_result gp__world_top_k(gp_world *w, gp__state *s, const char *who, const gp_call *c, gp_stream stream) {
  gp_call local = *c;
  gp_result result = GP_SUCCESS;
  uint64_t count, total;
  GP__CHECK(gp__world_count(w, s, who, c, &count, stream));
  local.count = count;
  local.count_device = NULL;
  local.capacity = 0;
  if (c->rows > 1 || c->in_type == GP_INPUT || c->key_type == GP_INPUT)
    result = gp__fail(GP_E_UNSUPPORTED, "%s: a world takes the top of one array, not of @rows, nor of GP_INPUT", who);
  local.k = c->k < count ? c->k : count;
  if (result == GP_SUCCESS) result = gp_prepare(w->ctx, &local);
  GP__CHECK(gp__world_agree(w, s, who, c, count, 0, result, stream));
  GP__CHECK(gp__world_total(w, who, 0, &total));
  if (c->k > total)
    return gp__fail(
        GP_E_ARGUMENT, "%s: @k is %llu, and the ranks have %llu elements", who, (gp__u64)c->k, (gp__u64)total);
  return c->k ? gp__break_if(w, gp__world_top_k_agreed(w, s, who, c, &local, stream)) : GP_SUCCESS;
}
