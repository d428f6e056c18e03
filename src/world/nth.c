// world/nth.c - worlds: nth element; transposes
// uses: api/config.h, api/lists.h, api/structs.h, api/input.h, api/call.h, api/init.h, core/words.h, core/rules.h,
//   core/system.c, core/messages.c, host/values.c, transpose/kinds.c, core/types.c, map/calls.c, world/nccl.c,
//   world/world.c, world/sort.c

// ---- nth element: digit by digit, from the highest on, by histograms of the shards' keys

enum { GP__NTH_DIGIT = 11 };

GP__HOST void gp__host_ordered_key(void *user, void *result, const void *a, const void *b) {
  const gp_type type = (gp_type)(uintptr_t)user;
  const size_t size = gp_type_size(NULL, type);
  uint64_t x = 0;
  (void)b;
  memcpy(&x, a, size); // little-endian
  x = (uint64_t)gp__ordered_key(type, x, 0);
  memcpy(result, &x, size <= 4 ? 4 : 8);
}
// n: below the ranks' keys, from the smallest on.
GP__HOST gp_result gp__world_nth_agreed(gp_world *w, const gp_call *c, uint64_t count, uint64_t n) {
  const size_t size = gp_type_size(w->ctx, c->key_type);
  const gp_type bits = size <= 4 ? GP_U32 : GP_U64;
  gp_op *op = &w->ordered[c->key_type];
  int rest = c->key_type == GP_BOOL ? 1 : (int)size * 8;
  uint64_t found = 0, end, *counts, bin;
  gp_call h = gp__call(GP_HISTOGRAM_EVEN, GP_OP_DEFAULT, GP_INPUT, GP_U64, NULL, NULL, count);
  gp_input keys = gp_input_array(c->key_type, c->keys), ordered;
  GP__CHECK(gp__world_room(w, (size_t)8 << GP__NTH_DIGIT));
  GP__CHECK(gp__world_op(w, op, 1, "ordered bits", "return gp__radix_bits<false>(a);", NULL, gp__host_ordered_key,
      (uintptr_t)c->key_type));
  GP__CHECK(gp__world_staging(w, (size_t)8 << GP__NTH_DIGIT));
  ordered = gp_input_of_one(*op, bits, &keys);
  counts = (uint64_t *)w->staging;
  h.in = &ordered;
  h.out = w->memory;
  h.lower = &found; // little-endian
  while (rest) {
    const int digit = rest < GP__NTH_DIGIT ? rest : GP__NTH_DIGIT, shift = rest - digit;
    end = rest < 64 ? found + ((uint64_t)1 << rest) : 0;
    h.upper = bits == GP_U32 && end >> 32 ? NULL : end ? &end : NULL; // NULL: the largest number, too
    h.bins = (uint64_t)1 << digit;
    GP__CHECK(gp__world_do(w, &h));
    GP__CHECK(gp__world_sum(w, GP__NCCL_U64, h.out, h.out, h.bins));
    GP__CHECK(gp__world_read(w, h.out, h.bins * 8));
    for (bin = 0; bin + 1 < h.bins && n >= counts[bin]; ++bin) n -= counts[bin];
    found |= bin << shift;
    rest = shift;
  }
  found = (uint64_t)gp__ordered_key(c->key_type, found, 1); // little-endian
  return gp_fill(w->ctx, c->key_type, &found, c->out_keys, 1, w->stream);
}
GP__HOST gp_result gp__world_nth(gp_world *w, gp_call c) {
  gp_call local;
  gp_result result;
  uint64_t total;
  GP__CHECK(gp__shard_counted(w, &c, &local));
  local.capacity = c.capacity;
  local.policy = NULL;
  local.n = 0;
  result = gp__check_arrays(w, &c, &local);
  if (!c.out_keys) result = gp__fail(GP_E_NULL, "%s: @out_keys is null", w->who);
  c.k = c.n; // ranks compare it
  GP__CHECK(gp__world_meet(w, &c, local.count, result, 0, &total));
  if (!total) return GP_SUCCESS;
  if (c.n >= total)
    return gp__fail(GP_E_ARGUMENT, "%s: @n is %llu, not below the number of the ranks' elements (%llu)", w->who,
        (gp__u64)c.n, (gp__u64)total);
  return gp__break_if(w, gp__world_nth_agreed(w, &c, local.count, c.flags & GP_DESCENDING ? total - 1 - c.n : c.n));
}

// ---- transposes: blocks of columns are packed, sent to the ranks that own them, and transposed there

// Packs the columns of `shares` neighbouring ranks, `width` each, from column `first` on: rank after rank, rows of
// `width` elements.
GP__HOST gp_result gp__pack_columns(gp_world *w, const gp_call *c, uint64_t rows, uint64_t columns, uint64_t first,
    uint64_t width, uint64_t shares, gp__u8 *to) {
  const size_t size = gp_type_size(w->ctx, c->in_type);
  gp_permutation p = gp_permutation_init();
  gp_call pack = gp__call(GP_TRANSPOSE, GP_OP_DEFAULT, c->in_type, c->in_type, NULL, to + rows * first * size, 0);
  if (!rows || !width || !shares) return GP_SUCCESS;
  pack.in = (const gp__u8 *)c->in + first * size;
  p.dimensions = 3;
  p.order[0] = 1, p.order[1] = 0, p.order[2] = 2;
  p.extent[0] = rows, p.extent[1] = shares, p.extent[2] = width;
  p.in_stride[0] = columns, p.in_stride[1] = width, p.in_stride[2] = 1;
  pack.permutation = &p;
  return gp__world_do(w, &pack);
}
GP__HOST gp_result gp__world_transpose_agreed(gp_world *w, const gp_call *c, uint64_t all_rows) {
  const uint64_t rows = c->permutation->extent[0], columns = c->permutation->extent[1];
  const uint64_t own = gp__share_of(w, columns, w->rank), more = columns % w->ranks;
  const uint64_t each = columns / w->ranks, ranks = w->ranks;
  const size_t size = gp_type_size(w->ctx, c->in_type), packed = gp__aligned((size_t)(rows * columns) * size + 1);
  gp_permutation p = gp_permutation_init();
  gp_call turn = gp__call(GP_TRANSPOSE, GP_OP_DEFAULT, c->in_type, c->in_type, NULL, c->out, 0);
  gp__u8 *memory, *came;
  int q;
  GP__CHECK(gp__world_room(w, packed + (size_t)(all_rows * own) * size));
  memory = (gp__u8 *)w->memory;
  came = memory + packed;
  for (q = 0, w->arrive[0] = 0; q <= w->size; ++q) {
    w->leave[q] = rows * gp__share_begin(w, columns, q);
    if (q) w->arrive[q] = w->arrive[q - 1] + w->notes[q - 1].count * own;
  }
  GP__CHECK(gp__pack_columns(w, c, rows, columns, 0, each + 1, more, memory));
  GP__CHECK(gp__pack_columns(w, c, rows, columns, more * (each + 1), each, ranks - more, memory));
  GP__CHECK(gp__world_move(w, memory, came, size));
  if (all_rows && own) {
    p.dimensions = 2;
    p.order[0] = 1, p.order[1] = 0;
    p.extent[0] = all_rows, p.extent[1] = own;
    turn.permutation = &p;
    turn.in = came;
    GP__CHECK(gp__world_do(w, &turn));
  }
  return gp__world_write_count(w, c->out_count, own);
}
// Whether a rank's own arguments are good.
GP__HOST gp_result gp__check_world_transpose(gp_world *w, const gp_call *c) {
  const gp_permutation *p = c->permutation;
  const size_t size = gp_type_size(w->ctx, c->in_type);
  gp_call local = *c;
  int any;
  if (!p || p->struct_size != sizeof *p || p->dimensions != 2 || p->order[0] != 1 || p->order[1] != 0 ||
      (p->in_stride[0] && p->in_stride[0] != p->extent[1]) || (p->in_stride[1] && p->in_stride[1] != 1) ||
      p->out_stride[0] || p->out_stride[1])
    return gp__fail(
        GP_E_UNSUPPORTED, "%s: @permutation: a world transposes dense matrices of two dimensions alone", w->who);
  if (c->out_type && c->out_type != c->in_type)
    return gp__fail(GP_E_UNSUPPORTED, "%s: a world transposes matrices of one type", w->who);
  if (p->extent[1] && p->extent[0] > INT64_MAX / p->extent[1] / (size ? size : 1))
    return gp__fail(GP_E_SIZE, "%s: @rows times @columns overflows: %llu times %llu", w->who, (gp__u64)p->extent[0],
        (gp__u64)p->extent[1]);
  any = p->extent[0] && p->extent[1];
  if ((any && !c->in) || (!c->out && (c->capacity || any)))
    return gp__fail(GP_E_NULL, "%s: @%s is null", w->who, any && !c->in ? "in" : "out");
  local.in = local.out = NULL; // may overlap: the shard is packed before the result is written
  local.capacity = 0;
  local.out_count = NULL;
  return w->size == 1 ? GP_SUCCESS : gp__check_arrays(w, c, &local);
}
GP__HOST gp_result gp__world_transpose(gp_world *w, gp_call c) {
  const gp_result result = gp__check_world_transpose(w, &c);
  uint64_t rows = 0, columns = 0, all_rows = 0;
  if (c.permutation) rows = c.permutation->extent[0], columns = c.permutation->extent[1];
  c.k = columns; // ranks compare it
  c.count = rows * columns;
  GP__CHECK(gp__world_meet(w, &c, rows, result, 0, &all_rows));
  if (columns && all_rows > INT64_MAX / columns / gp_type_size(w->ctx, c.in_type))
    return gp__fail(GP_E_SIZE, "%s: @rows times @columns overflows: the ranks have %llu times %llu", w->who,
        (gp__u64)all_rows, (gp__u64)columns);
  GP__CHECK(gp__check_shares(w, columns, all_rows));
  return gp__break_if(w, gp__world_transpose_agreed(w, &c, all_rows));
}
