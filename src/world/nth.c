// world/nth.c - worlds: nth element; transposes
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/input.h, api/call.h, api/init.h,
//   core/words.h, core/rules.h, core/system.c, core/messages.c, host/values.c, transpose/kinds.c, core/state.c,
//   core/types.c, core/run.c, map/calls.c, world/nccl.c, world/world.c, world/sort.c

// ---- nth element: digit by digit, from the highest on, by histograms of the shards' keys

enum { GP__NTH_DIGIT = 11 };

// A key's bits in the order of a sort, and back.
GP__HOST uint64_t gp__ordered_key(gp_type type, uint64_t x, int back) {
  const uint64_t top = (uint64_t)1 << (8 * gp_type_size(NULL, type) - 1), every = top | (top - 1);
  if (type == GP_BOOL) return x != 0;
  if (type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64) return x ^ top;
  if (gp__is_plain_integer(type)) return x;
  return x ^ (((x & top) != 0) != back ? every : top);
}
GP__HOST void gp__host_ordered_key(void *user, void *result, const void *a, const void *b) {
  const gp_type type = (gp_type)(uintptr_t)user;
  const size_t size = gp_type_size(NULL, type);
  uint64_t x = 0;
  (void)b;
  memcpy(&x, a, size); // little-endian
  x = gp__ordered_key(type, x, 0);
  memcpy(result, &x, size <= 4 ? 4 : 8);
}
GP__HOST gp_result gp__nth_operator(gp_world *w, gp_type type, gp_op *op) {
  GP__CHECK(gp__world_op(w, &w->ordered[type], 1, "ordered bits", "return gp__radix_bits<false>(a);", NULL,
      gp__host_ordered_key, (uintptr_t)type));
  *op = w->ordered[type];
  return GP_SUCCESS;
}
// n: below the ranks' keys, from the smallest on.
GP__HOST gp_result gp__world_nth_agreed(
    gp_world *w, gp__state *s, const char *who, const gp_call *c, uint64_t count, uint64_t n, gp_stream stream) {
  const size_t size = gp_type_size(w->ctx, c->key_type);
  const gp_type bits = size <= 4 ? GP_U32 : GP_U64;
  int rest = c->key_type == GP_BOOL ? 1 : (int)size * 8;
  uint64_t found = 0, end, *counts, bin;
  gp_call fill, h = gp__call(GP_HISTOGRAM_EVEN, GP_OP_DEFAULT, GP_INPUT, GP_U64, NULL, NULL, count);
  gp_input keys = gp_input_array(c->key_type, c->keys), ordered;
  gp_op op;
  GP__CHECK(gp__world_room(w, s, who, (size_t)8 << GP__NTH_DIGIT, stream));
  GP__CHECK(gp__nth_operator(w, c->key_type, &op));
  GP__CHECK(gp__world_staging(w, s, who, (size_t)8 << GP__NTH_DIGIT));
  ordered = gp_input_of_one(op, bits, &keys);
  counts = (uint64_t *)w->staging;
  h.in = &ordered;
  h.out = w->memory;
  h.lower = &found; // little-endian
  while (rest) {
    const int digit = rest < GP__NTH_DIGIT ? rest : GP__NTH_DIGIT, shift = rest - digit;
    end = rest < 64 ? found + ((uint64_t)1 << rest) : 0;
    h.upper = bits == GP_U32 && end >> 32 ? NULL : end ? &end : NULL; // NULL: the largest number, too
    h.bins = (uint64_t)1 << digit;
    GP__CHECK(gp_run(w->ctx, &h, stream));
    GP__CHECK(GP__NCCL(AllReduce, h.out, h.out, h.bins, GP__NCCL_U64, GP__NCCL_SUM, w->comm, stream));
    GP__CHECK(gp__world_copy(w, s, who, counts, h.out, h.bins * 8, stream));
    GP__CHECK(gp__world_settle(w, s, who, stream));
    for (bin = 0; bin + 1 < h.bins && n >= counts[bin]; ++bin) n -= counts[bin];
    found |= bin << shift;
    rest = shift;
  }
  found = gp__ordered_key(c->key_type, found, 1);
  fill = gp__call(GP_FILL, GP_OP_DEFAULT, GP_TYPE_DEFAULT, c->key_type, NULL, c->out_keys, 1);
  fill.value = &found; // little-endian
  return gp_run(w->ctx, &fill, stream);
}
GP__HOST gp_result gp__world_nth(gp_world *w, gp__state *s, const char *who, gp_call c, gp_stream stream) {
  gp_call local = c;
  gp_result result = GP_SUCCESS;
  uint64_t total;
  GP__CHECK(gp__world_count(w, s, who, &c, &local.count, stream));
  local.count_device = NULL;
  local.policy = NULL;
  local.n = 0;
  if (c.in_type == GP_INPUT || c.key_type == GP_INPUT)
    result = gp__fail(GP_E_UNSUPPORTED, "%s: a world takes no described keys (GP_INPUT)", who);
  else if (!c.out_keys) result = gp__fail(GP_E_NULL, "%s: @out_keys is null", who);
  if (result == GP_SUCCESS) result = gp_prepare(w->ctx, &local);
  c.k = c.n; // ranks compare it
  GP__CHECK(gp__world_agree(w, s, who, &c, local.count, 0, result, stream));
  GP__CHECK(gp__world_total(w, who, 0, &total));
  if (!total) return GP_SUCCESS;
  if (c.n >= total)
    return gp__fail(GP_E_ARGUMENT, "%s: @n is %llu, not below the number of the ranks' elements (%llu)", who,
        (gp__u64)c.n, (gp__u64)total);
  return gp__break_if(
      w, gp__world_nth_agreed(w, s, who, &c, local.count, c.flags & GP_DESCENDING ? total - 1 - c.n : c.n, stream));
}

// ---- transposes: blocks of columns are packed, sent to the ranks that own them, and transposed there

// Packs the columns of `shares` neighbouring ranks, `width` each, from column `first` on: rank after rank, rows of
// `width` elements.
GP__HOST gp_result gp__pack_columns(gp_world *w, const gp_call *c, uint64_t rows, uint64_t columns, uint64_t first,
    uint64_t width, uint64_t shares, unsigned char *to, gp_stream stream) {
  const size_t size = gp_type_size(w->ctx, c->in_type);
  gp_permutation p = gp_permutation_init();
  gp_call pack = gp__call(GP_TRANSPOSE, GP_OP_DEFAULT, c->in_type, c->in_type, NULL, to + rows * first * size, 0);
  if (!rows || !width || !shares) return GP_SUCCESS;
  pack.in = (const unsigned char *)c->in + first * size;
  p.dimensions = 3;
  p.order[0] = 1, p.order[1] = 0, p.order[2] = 2;
  p.extent[0] = rows, p.extent[1] = shares, p.extent[2] = width;
  p.in_stride[0] = columns, p.in_stride[1] = width, p.in_stride[2] = 1;
  pack.permutation = &p;
  return gp_run(w->ctx, &pack, stream);
}
GP__HOST gp_result gp__world_transpose_agreed(gp_world *w, gp__state *s, const char *who, const gp_call *c,
    uint64_t all_rows, uint64_t *leave, gp_stream stream) {
  const uint64_t rows = c->permutation->extent[0], columns = c->permutation->extent[1];
  const uint64_t own = gp__share_of(w, columns, w->rank), more = columns % (uint64_t)w->size;
  const uint64_t each = columns / (uint64_t)w->size, ranks = (uint64_t)w->size;
  const size_t size = gp_type_size(w->ctx, c->in_type), packed = gp__aligned((size_t)(rows * columns) * size + 1);
  uint64_t *arrive = leave + w->size + 1;
  gp_permutation p = gp_permutation_init();
  gp_call turn = gp__call(GP_TRANSPOSE, GP_OP_DEFAULT, c->in_type, c->in_type, NULL, c->out, 0);
  unsigned char *memory, *came;
  int q;
  GP__CHECK(gp__world_room(w, s, who, packed + (size_t)(all_rows * own) * size, stream));
  memory = (unsigned char *)w->memory;
  came = memory + packed;
  for (q = 0; q < w->size; ++q) {
    leave[q + 1] = rows * gp__share_begin(w, columns, q + 1);
    arrive[q + 1] = arrive[q] + w->notes[q].count * own;
  }
  GP__CHECK(gp__pack_columns(w, c, rows, columns, 0, each + 1, more, memory, stream));
  GP__CHECK(gp__pack_columns(w, c, rows, columns, more * (each + 1), each, ranks - more, memory, stream));
  GP__CHECK(gp__world_move(w, s, who, memory, leave, leave + 1, came, arrive, arrive + 1, size, stream));
  if (all_rows && own) {
    p.dimensions = 2;
    p.order[0] = 1, p.order[1] = 0;
    p.extent[0] = all_rows, p.extent[1] = own;
    turn.permutation = &p;
    turn.in = came;
    GP__CHECK(gp_run(w->ctx, &turn, stream));
  }
  return gp__world_write_count(w, c->out_count, own, stream);
}
// Whether a rank's own arguments are good.
GP__HOST gp_result gp__check_world_transpose(gp_world *w, const char *who, const gp_call *c) {
  const gp_permutation *p = c->permutation;
  const size_t size = gp_type_size(w->ctx, c->in_type);
  gp_call local = *c;
  if (!p || p->struct_size != sizeof *p || p->dimensions != 2 || p->order[0] != 1 || p->order[1] != 0 ||
      (p->in_stride[0] && p->in_stride[0] != p->extent[1]) || (p->in_stride[1] && p->in_stride[1] != 1) ||
      p->out_stride[0] || p->out_stride[1])
    return gp__fail(
        GP_E_UNSUPPORTED, "%s: @permutation: a world transposes dense matrices of two dimensions alone", who);
  if (c->in_type == GP_INPUT || (c->out_type && c->out_type != c->in_type))
    return gp__fail(GP_E_UNSUPPORTED, "%s: a world transposes matrices of one type", who);
  if (p->extent[1] && p->extent[0] > INT64_MAX / p->extent[1] / (size ? size : 1))
    return gp__fail(GP_E_SIZE, "%s: @rows times @columns overflows: %llu times %llu", who, (gp__u64)p->extent[0],
        (gp__u64)p->extent[1]);
  if (!c->in && p->extent[0] && p->extent[1]) return gp__fail(GP_E_NULL, "%s: @in is null", who);
  if (!c->out && (c->capacity || (p->extent[0] && p->extent[1]))) return gp__fail(GP_E_NULL, "%s: @out is null", who);
  local.in = local.out = NULL; // may overlap: the shard is packed before the result is written
  local.capacity = 0;
  local.out_count = NULL;
  return gp_prepare(w->ctx, &local);
}
GP__HOST gp_result gp__world_transpose(gp_world *w, gp__state *s, const char *who, gp_call c, gp_stream stream) {
  const gp_result result = gp__check_world_transpose(w, who, &c);
  uint64_t rows = 0, columns = 0, all_rows = 0, *leave;
  gp_result done;
  int q;
  if (c.permutation) rows = c.permutation->extent[0], columns = c.permutation->extent[1];
  c.k = columns; // ranks compare it
  GP__CHECK(gp__world_agree(
      w, s, who, &c, rows, c.capacity || result != GP_SUCCESS ? c.capacity : rows * columns, result, stream));
  GP__CHECK(gp__world_total(w, who, 0, &all_rows));
  if (columns && all_rows > INT64_MAX / columns / gp_type_size(w->ctx, c.in_type))
    return gp__fail(GP_E_SIZE, "%s: @rows times @columns overflows: the ranks have %llu times %llu", who,
        (gp__u64)all_rows, (gp__u64)columns);
  for (q = 0; q < w->size; ++q)
    if (all_rows * gp__share_of(w, columns, q) > w->notes[q].capacity)
      return gp__fail(GP_E_ARGUMENT, "%s: @capacity of rank %d is %llu, and its rows have %llu elements", who, q,
          (gp__u64)w->notes[q].capacity, (gp__u64)(all_rows * gp__share_of(w, columns, q)));
  leave = (uint64_t *)calloc(2 * ((size_t)w->size + 1), sizeof *leave);
  if (!leave) return gp__break_world(w, gp__fail(GP_E_MEMORY, "%s: no host memory", who));
  done = gp__world_transpose_agreed(w, s, who, &c, all_rows, leave, stream);
  free(leave);
  return gp__break_if(w, done);
}
