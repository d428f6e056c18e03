// world/sort.c - worlds: sorts, top-k
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, api/input.h, api/call.h, core/words.h, core/rules.h,
//   core/shape.h, sort/hybrid_arguments.h, core/system.c, core/messages.c, core/request.c, host/types.c, host/values.c,
//   sort/host.c, merge/kinds.c, core/types.c, core/checking.c, core/choose.c, core/run.c, map/calls.c, world/world.c,
//   world/split.c

GP__HOST int gp__is_plain_integer(gp_type t) { return (t >= GP_I8 && t <= GP_U64) || t == GP_I128 || t == GP_U128; }
// A key's bits in the order of a sort, floats in total order, and back.
GP__HOST gp__u128 gp__ordered_key(gp_type type, gp__u128 x, int back) {
  const gp__u128 top = (gp__u128)1 << (8 * gp_type_size(NULL, type) - 1), every = top | (top - 1);
  if (type == GP_BOOL) return x != 0;
  if (type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 || type == GP_I128) return x ^ top;
  if (gp__is_plain_integer(type)) return x;
  return x ^ (((x & top) != 0) != back ? every : top);
}
// That order as an operator, which searches and merges take.
GP__HOST void gp__host_comes_before(void *user, void *result, const void *a, const void *b) {
  const gp_type type = (gp_type)((uintptr_t)user >> 1);
  const int down = (int)((uintptr_t)user & 1);
  gp__u128 x = 0, y = 0;
  memcpy(&x, down ? b : a, gp_type_size(NULL, type)); // little-endian
  memcpy(&y, down ? a : b, gp_type_size(NULL, type));
  *(gp__u8 *)result = gp__ordered_key(type, x, 0) < gp__ordered_key(type, y, 0);
}
// Sets *less to the order of keys that searches and merges take for the sort of a call.
GP__HOST gp_result gp__order_of_sort(gp_world *w, const gp_call *c, gp_op *less) {
  const int down = (c->flags & GP_DESCENDING) != 0, builtin = (int)c->op >= 0 && (int)c->op < (int)GP_OP_COUNT;
  const int sorts_by_less = c->primitive == GP_MERGE_SORT;
  int back;
  gp_op *op;
  if (c->begin_bit || c->end_bit || c->fields || c->transform || (c->flags & GP_LITTLE_MEMORY))
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: a world sorts by whole keys: no @begin_bit, @end_bit, @fields, @transform and GP_LITTLE_MEMORY", w->who);
  if (!builtin) {
    if (down)
      return gp__fail(
          GP_E_UNSUPPORTED, "%s: @flags: GP_DESCENDING with a user's order: define the reverse order", w->who);
    *less = c->op;
    return GP_SUCCESS;
  }
  if ((int)c->key_type <= 0 || (int)c->key_type >= (int)GP_TYPE_COUNT)
    return gp__fail(
        GP_E_TYPE, "%s: @key_type is %d, which a world sorts by a user's order alone", w->who, (int)c->key_type);
  if (gp__is_complex(c->key_type))
    return gp__fail(
        GP_E_UNSUPPORTED, "%s: @key_type is %d: a world does not sort complex keys", w->who, (int)c->key_type);
  *less = GP_OP_DEFAULT;
  if (sorts_by_less ? c->op != GP_GREATER && !down : !down && gp__is_plain_integer(c->key_type)) return GP_SUCCESS;
  if (sorts_by_less && !gp__is_plain_integer(c->key_type))
    return gp__fail(GP_E_UNSUPPORTED, "%s: descending floats: gp_sort has a world sort them", w->who);
  back = down != (c->op == GP_GREATER);
  op = &w->before[c->key_type][back];
  GP__CHECK(gp__world_op(w, op, 2, back ? "descending" : "ascending",
      back ? "return gp__radix_bits<false>(b) < gp__radix_bits<false>(a);"
          : "return gp__radix_bits<false>(a) < gp__radix_bits<false>(b);",
      NULL, gp__host_comes_before, (uintptr_t)c->key_type << 1 | (uintptr_t)back));
  *less = *op;
  return GP_SUCCESS;
}

GP__HOST gp_result gp__sorting_room(gp_world *w, gp__world_sorting *p, size_t scratch, int indices) {
  const size_t keys = gp__aligned(p->room * p->key_size + 1), values = gp__aligned(p->room * p->value_size + 1);
  gp__u8 *at;
  GP__CHECK(gp__world_room(w, 2 * (keys + values) + gp__aligned(scratch) + (indices ? values : 0)));
  p->keys = at = (gp__u8 *)w->memory;
  p->values = at + keys;
  p->came_keys = at + keys + values;
  p->came_values = at + 2 * keys + values;
  p->scratch = at + 2 * (keys + values);
  return GP_SUCCESS;
}
// Merges neighbouring runs, of the ranks in their order, until one is left, in out_keys and out_values.
GP__HOST gp_result gp__merge_runs(
    gp_world *w, const gp__world_sorting *p, uint64_t *begin, void *out_keys, void *out_values) {
  gp__u8 *from_keys = p->came_keys, *from_values = p->came_values, *to_keys, *to_values;
  int runs = w->size, levels = 0, i;
  while (1 << levels < runs) ++levels;
  for (; levels; --levels) {
    to_keys = levels % 2 ? (gp__u8 *)out_keys : p->keys;
    to_values = levels % 2 ? (gp__u8 *)out_values : p->values;
    for (i = 0; i < runs; i += 2) {
      const uint64_t a = begin[i], b = begin[i + 1], end = i + 2 <= runs ? begin[i + 2] : b;
      gp_call c = gp__call(GP_MERGE, p->less, p->value_type, GP_TYPE_DEFAULT, NULL, NULL, b - a);
      if (end > a) {
        gp__set_keys(&c, p->key_type, from_keys + a * p->key_size);
        c.keys2 = from_keys + b * p->key_size;
        c.count2 = end - b;
        c.out_keys = to_keys + a * p->key_size;
        if (p->value_type) {
          c.in = from_values + a * p->value_size;
          c.in2 = from_values + b * p->value_size;
          c.out = to_values + a * p->value_size;
        }
        GP__CHECK(gp__world_do(w, &c));
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

// ---- many keys, by their first digits
//
// Each shard is sorted by the first 8 bits of its keys, in one pass. The digits in which shares begin are sorted, so
// the splitters are found as in sorted shards. Then a rank sorts what it sends piece by piece, which leave while it
// sorts the next ones, and its own share's last. The hybrid sort begins with the second level.

// Sorts elements [begin, end) of the shard to out_keys and out_values, maybe in place.
GP__HOST gp_result gp__sort_range(gp_world *w, gp__world_sorting *p, const gp_call *local, uint64_t begin, uint64_t end,
    gp__u8 *out_keys, gp__u8 *out_values) {
  static const gp_policy hybrid = {GP_HYBRID, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}};
  const gp_policy *policy = local->policy ? local->policy : &hybrid;
  gp_call c = *local, whole;
  gp__checking k;
  gp__request q;
  gp__shape shape;
  gp_policy chosen;
  c.workspace = NULL;
  c.count = end - begin;
  c.keys = p->keys + begin * p->key_size;
  c.out_keys = out_keys;
  if (p->value_type) c.in = p->values + begin * p->value_size, c.out = out_values;
  if (c.count >> 21 == 0 || !w->s->context) return gp__world_do(w, &c);
  GP__CHECK(gp__check_reached(&k, &whole, w->s, w->who, &c, w->stream, &q));
  if (gp__choose_here(w->s, &q, policy, &shape, &chosen, NULL) != GP_SUCCESS) return gp__world_do(w, &c);
  q.starts = gp__starts_of(w, w->rank);
  q.starts_from = begin;
  q.staged = &p->staged;
  if (shape.multiprocessors > 2 * p->spare) shape.multiprocessors -= p->spare;
  return gp__run_chosen(w->s, &q, &shape, &chosen, 1, w->stream, 0);
}
// Sorts the shard by the first digit, shares where digits begin, and sorts those in which shares begin, w->counts. If
// these have many of the keys, the shard is sorted as others are.
GP__HOST gp_result gp__world_sort_digits(gp_world *w, gp__world_sorting *p, gp_call *local) {
  const int bits = 8 * (int)p->key_size, down = (local->flags & GP_DESCENDING) != 0;
  const gp__host_form form = gp__host_form_of(p->key_type, down);
  const size_t row = GP__DIGITS * 8, front = gp__aligned(gp__split_bytes(w, p));
  uint64_t *numbers = (uint64_t *)p->scratch, sums[GP__STARTS] = {0}, many = 0;
  gp__u8 *firsts = (gp__u8 *)p->scratch + row * w->ranks;
  gp_call c = *local;
  int digit, i, q;
  c.policy = NULL;
  c.begin_bit = bits - 8;
  c.end_bit = bits;
  GP__CHECK(gp__world_do(w, &c));
  // At most 9 * size sorts follow; where shares begin, a digit is in two of them, and in a sort of its own.
  GP__CHECK(gp__world_staging(w, front + (GP__DIGITS + 16 * w->ranks) * sizeof(gp__hybrid_part)));
  p->staged = (gp__u8 *)w->staging + front;
  for (digit = 0; digit < GP__DIGITS; ++digit) {
    const uint64_t key = gp__host_decode(&form, (uint64_t)digit << (bits - 8)); // little-endian
    memcpy((gp__u8 *)w->staging + (size_t)digit * p->key_size, &key, p->key_size);
  }
  GP__CHECK(gp__world_copy(w, firsts, w->staging, GP__DIGITS * p->key_size));
  GP__CHECK(gp__count_before(w, p, GP_LOWER_BOUND, firsts, GP__DIGITS, numbers + GP__DIGITS * w->rank));
  GP__CHECK(gp__world_gather(w, numbers + GP__DIGITS * w->rank, numbers, row));
  GP__CHECK(gp__world_read(w, numbers, row * w->ranks));
  GP__EACH_RANK(q) {
    uint64_t *starts = gp__starts_of(w, q);
    memcpy(starts, (gp__u8 *)w->staging + row * (size_t)q, row);
    starts[GP__DIGITS] = w->notes[q].count;
    for (digit = 0; digit <= GP__DIGITS; ++digit) sums[digit] += starts[digit];
  }
  for (i = 0, digit = 0; i <= w->size; ++i) {
    while (digit < GP__DIGITS - 1 && sums[digit + 1] <= gp__share_begin(w, p->total, i)) ++digit;
    w->counts[i] = (uint64_t)digit;
    if (i && i < w->size && (i == 1 || w->counts[i] != w->counts[i - 1])) many += sums[digit + 1] - sums[digit];
  }
  p->by_digit = many <= p->total / 4;
  for (i = 1; i < w->size && p->by_digit; ++i) {
    const uint64_t *start = gp__starts_of(w, w->rank) + w->counts[i];
    if (i == 1 || w->counts[i] != w->counts[i - 1])
      GP__CHECK(gp__sort_range(
          w, p, local, start[0], start[1], p->keys + start[0] * p->key_size, p->values + start[0] * p->value_size));
  }
  return GP_SUCCESS;
}
// Where a piece of the elements that go to rank `to` begins in the shard of rank q: with a digit.
GP__HOST uint64_t gp__piece_begin(const gp_world *w, int q, int to, uint64_t piece, uint64_t pieces) {
  const uint64_t *bounds = w->bounds + (size_t)q * (w->ranks + 1) + (size_t)to;
  const uint64_t digits = w->counts[to + 1] + 1 - w->counts[to];
  const uint64_t at = gp__starts_of(w, q)[w->counts[to] + digits * piece / pieces];
  return at < bounds[0] ? bounds[0] : gp__smaller(at, bounds[1]);
}
// What comes from the ranks before q precedes what comes from rank q.
GP__HOST uint64_t gp__comes_at(const gp_world *w, int q) {
  uint64_t at = 0;
  while (--q >= 0) {
    const uint64_t *bounds = w->bounds + (size_t)q * (w->ranks + 1) + (size_t)w->rank;
    at += bounds[1] - bounds[0];
  }
  return at;
}
GP__HOST gp_result gp__exchange_pieces(gp_world *w, gp__world_sorting *p, const gp_call *local) {
  const uint64_t fit = (p->total / w->ranks / w->ranks) >> 22, pieces = fit < 1 ? 1 : gp__smaller(fit, 8);
  uint64_t i, at = gp__comes_at(w, w->rank);
  for (i = pieces; i < pieces * w->ranks; ++i) {
    const int step = (int)(i / pieces), to = (w->rank + step) % w->size, from = (w->rank + w->size - step) % w->size;
    const uint64_t came = gp__comes_at(w, from) - gp__piece_begin(w, from, w->rank, 0, 1), piece = i % pieces;
    const uint64_t begin = gp__piece_begin(w, w->rank, to, piece, pieces);
    const uint64_t end = gp__piece_begin(w, w->rank, to, piece + 1, pieces);
    gp_result result;
    int error;
    GP__CHECK(
        gp__sort_range(w, p, local, begin, end, p->keys + begin * p->key_size, p->values + begin * p->value_size));
    GP__CHECK(gp__world_order(w, &w->side, &w->stream));
    memset(w->leave, 0, 32 * (w->ranks + 1)); // all four
    w->leave[to] = begin;
    w->leave_end[to] = end;
    w->arrive[from] = came + gp__piece_begin(w, from, w->rank, piece, pieces);
    w->arrive_end[from] = came + gp__piece_begin(w, from, w->rank, piece + 1, pieces);
    gp__swap_streams(w);
    error = w->nccl.GroupStart();
    if (!error) error = gp__send_others(w, p->keys, p->came_keys, p->key_size);
    if (!error && p->value_type) error = gp__send_others(w, p->values, p->came_values, p->value_size);
    result = gp__sent(w, error);
    gp__swap_streams(w);
    GP__CHECK(result);
    p->spare = GP__CHANNELS;
  }
  GP__CHECK(gp__sort_range(w, p, local, gp__piece_begin(w, w->rank, w->rank, 0, 1),
      gp__piece_begin(w, w->rank, w->rank, 1, 1), p->came_keys + at * p->key_size,
      p->came_values + at * p->value_size));
  return gp__world_order(w, &w->stream, &w->side);
}
GP__HOST gp_result gp__world_sort_agreed(gp_world *w, gp__world_sorting *p, const gp_call *c, gp_call *local) {
  const size_t ranks = w->ranks;
  const int indices = !c->in && c->out;
  uint64_t *arrive = w->arrive;
  size_t q;
  gp__split_offers(w, p);
  p->share = gp__share_of(w, p->total, w->rank);
  p->room = p->count > p->share ? p->count : p->share;
  GP__CHECK(gp__sorting_room(w, p, gp__split_bytes(w, p), indices));
  p->sorted = p->is_sorted ? c->keys : p->keys;
  if (indices) { // the array's own, in front of the sort
    void *own = (gp__u8 *)p->scratch + gp__aligned(gp__split_bytes(w, p));
    const uint64_t start = gp__world_before(w); // little-endian
    GP__CHECK(gp_iota(w->ctx, p->value_type, &start, NULL, own, p->count, w->stream));
    local->in_type = p->value_type;
    local->in = own;
  }
  local->out_keys = p->keys;
  local->out = p->value_type ? p->values : NULL;
  if (p->by_digit) GP__CHECK(gp__world_sort_digits(w, p, local));
  if (!p->is_sorted && !p->by_digit) GP__CHECK(gp__world_do(w, local));
  GP__CHECK(gp__split_shards(w, p, p->scratch));
  if (p->by_digit) GP__CHECK(gp__exchange_pieces(w, p, local));
  for (q = 0; q <= ranks; ++q) arrive[q] = gp__comes_at(w, (int)q);
  if (!p->by_digit) {
    GP__CHECK(gp__world_move(w, p->sorted, p->came_keys, p->key_size));
    if (p->value_type) GP__CHECK(gp__world_move(w, p->is_sorted ? c->in : p->values, p->came_values, p->value_size));
  }
  GP__CHECK(gp__merge_runs(w, p, arrive, c->out_keys, c->out));
  return gp__world_write_count(w, c->out_count, p->share);
}
// The shard's sort as a call of its own: the checks of the arguments, and the kernels.
GP__HOST gp_result gp__check_world_sort(gp_world *w, const gp_call *c, gp__world_sorting *p, const gp_call *local) {
  const int indices = !c->in && !c->in_type && (c->out || c->out_type), any = c->capacity || c->count;
  GP__CHECK(gp__order_of_sort(w, c, &p->less));
  p->count = local->count;
  p->key_type = c->key_type;
  p->key_size = gp_type_size(w->ctx, c->key_type);
  p->value_type = indices ? c->out_type ? c->out_type : GP_U32 : c->in_type;
  p->value_size = p->value_type ? gp_type_size(w->ctx, p->value_type) : 0;
  if (any && (!c->out_keys || (p->value_type && !c->out)))
    return gp__fail(GP_E_NULL, "%s: @%s is null", w->who, c->out_keys ? "out" : "out_keys");
  return gp__check_arrays(w, c, local);
}
GP__HOST gp_result gp__sort_shares(gp_world *w, const gp_call *c, int is_sorted) {
  gp__world_sorting p;
  gp_call local, told = *c;
  gp_result result;
  memset(&p, 0, sizeof p);
  p.is_sorted = is_sorted;
  GP__CHECK(gp__shard_counted(w, c, &local));
  local.out_count = NULL;
  result = gp__check_world_sort(w, c, &p, &local);
  p.by_digit = !is_sorted && c->primitive == GP_SORT && (p.key_size == 4 || p.key_size == 8) &&
      (!p.value_type || p.value_size == 4 || p.value_size == 8) && (!c->policy || c->policy->algorithm == GP_HYBRID);
  told.k = p.by_digit ? 1 + !c->policy : 0;
  GP__CHECK(gp__world_meet(w, &told, local.count, result, 1, &p.total)); // every rank takes the same way
  p.by_digit &= p.total / w->ranks >= (w->s->context && !c->policy ? 1u << 23 : 256u);
  if (!c->in && p.value_size == 4 && p.total > UINT32_MAX)
    return gp__fail(GP_E_SIZE, "%s: @out_type: indices of %llu elements need u64", w->who, (gp__u64)p.total);
  return gp__break_if(w, gp__world_sort_agreed(w, &p, c, &local));
}
GP__HOST gp_result gp__world_sort(gp_world *w, gp_call c) { return gp__sort_shares(w, &c, 0); }

// ---- top-k

typedef struct gp__world_top {
  size_t key_size, value_size, keys, values; // keys, values: bytes of all ranks'
  gp__u8 *all, *mine, *my_values; // keys, then values, of each rank
} gp__world_top;
// The best of the shard: before the ranks compare notes, which takes as long as its launch.
GP__HOST gp_result gp__top_of_shard(gp_world *w, gp_call *local, gp__world_top *t) {
  const size_t k = (size_t)local->k, front = gp__shared_bytes(w);
  const gp_type value_type = local->in_type ? local->in_type : local->out_type;
  gp_call of = *local;
  t->key_size = gp_type_size(w->ctx, of.key_type);
  t->value_size = value_type ? gp_type_size(w->ctx, value_type) : 0;
  t->keys = gp__aligned(k * t->key_size * w->ranks);
  t->values = gp__aligned(k * t->value_size * w->ranks);
  GP__CHECK(gp__world_room(w, front + 2 * (t->keys + t->values)));
  t->all = (gp__u8 *)w->memory + front;
  of.out_keys = t->mine = t->all + (size_t)w->rank * k * t->key_size;
  t->my_values = t->all + t->keys + (size_t)w->rank * k * t->value_size;
  of.out = t->value_size ? t->my_values : NULL;
  of.k = gp__smaller(of.k, of.count);
  of.flags &= ~GP_UNSORTED;
  GP__CHECK(gp__world_order(w, &w->side, &w->stream));
  return of.k ? gp__world_do(w, &of) : GP_SUCCESS;
}
GP__HOST gp_result gp__world_top_k_agreed(gp_world *w, const gp_call *c, const gp_call *local, const gp__world_top *t) {
  const gp_type value_type = local->in_type ? local->in_type : local->out_type;
  const size_t k = (size_t)c->k;
  const uint64_t before = gp__world_before(w);
  gp__u8 *at = t->all, *packed = at + t->keys + t->values;
  uint64_t gathered = 0;
  gp_call last = *local;
  int q, gaps;
  if (t->value_size && !local->in_type && before && local->count) { // indices of the array
    const gp_input constant = gp_input_constant(value_type, &before); // little-endian
    gp_call add = gp__call(
        GP_TRANSFORM2, GP_SUM, value_type, value_type, t->my_values, t->my_values, gp__smaller(k, local->count));
    add.in2_type = GP_INPUT;
    add.in2 = &constant;
    GP__CHECK(gp__world_do(w, &add));
  }
  GP__CHECK(gp__world_gather(w, t->mine, at, k * t->key_size));
  if (t->value_size) GP__CHECK(gp__world_gather(w, t->my_values, at + t->keys, k * t->value_size));
  for (q = 0, gaps = 0; q < w->size; ++q) gaps |= w->notes[q].count < c->k;
  GP__EACH_RANK(q) { // without the gaps of ranks that have fewer than k
    const size_t here = (size_t)gp__smaller(w->notes[q].count, c->k), from = (size_t)q * k;
    if (gaps) {
      GP__CHECK(gp__world_copy(w, packed + gathered * t->key_size, at + from * t->key_size, here * t->key_size));
      GP__CHECK(gp__world_copy(
          w, packed + t->keys + gathered * t->value_size, at + t->keys + from * t->value_size, here * t->value_size));
    }
    gathered += here;
  }
  if (gaps) at = packed;
  last.policy = NULL;
  last.keys = at;
  last.count = gathered;
  last.in_type = value_type;
  last.in = t->value_size ? at + t->keys : NULL;
  last.out_type = GP_TYPE_DEFAULT;
  return gp__world_do(w, &last);
}
GP__HOST gp_result gp__world_top_k(gp_world *w, gp_call c) {
  gp__world_top t;
  gp_call local, checked;
  gp_result result;
  uint64_t total;
  memset(&t, 0, sizeof t);
  GP__CHECK(gp__shard_counted(w, &c, &local));
  checked = local;
  checked.k = gp__smaller(c.k, local.count);
  result = gp__check_arrays(w, &c, &checked);
  if (c.rows > 1) result = gp__fail(GP_E_UNSUPPORTED, "%s: @rows: a world takes the top of one array", w->who);
  if (result == GP_SUCCESS && c.k) result = gp__top_of_shard(w, &local, &t);
  else if (!w->asked) { // the notes lie where calls before may still work
    const gp_result ordered = gp__world_order(w, &w->side, &w->stream);
    if (result == GP_SUCCESS) result = ordered;
  }
  gp__swap_streams(w);
  result = gp__world_meet(w, &c, local.count, result, 0, &total);
  gp__swap_streams(w);
  w->last = w->stream;
  GP__CHECK(result);
  if (c.k > total)
    return gp__fail(
        GP_E_ARGUMENT, "%s: @k is %llu, and the ranks have %llu elements", w->who, (gp__u64)c.k, (gp__u64)total);
  return c.k ? gp__break_if(w, gp__world_top_k_agreed(w, &c, &local, &t)) : GP_SUCCESS;
}
