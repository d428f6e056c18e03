// world/fold.c - worlds: reductions, scans, histograms
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/input.h, api/call.h, api/init.h,
//   core/words.h, core/rules.h, core/system.c, core/messages.c, host/values.c, host/exact.c, core/names.c,
//   core/types.c, core/check_types.c, map/calls.c, world/world.c

GP__HOST int gp__has_parts(gp_op op) {
  return op == GP_ARGMIN || op == GP_ARGMAX || op == GP_MINMAX || op == GP_ARGMINMAX;
}
// Makes the accumulator's type explicit, so that partial results have it.
GP__HOST void gp__fill_types(gp_call *c) {
  if (!c->out_type) c->out_type = c->in_type;
  if (!c->acc_type) c->acc_type = gp__is_small_float(c->out_type) && !gp__has_parts(c->op) ? GP_F32 : c->out_type;
}
// Whether the bits of a fold depend on the order of its operands. The types are filled in.
GP__HOST int gp__order_matters(const gp_call *c) {
  if ((int)c->op < 0 || (int)c->op >= (int)GP_OP_COUNT) return 1;
  return (c->op == GP_SUM || c->op == GP_PROD) && !gp__is_integer(c->acc_type) && c->acc_type != GP_BOOL;
}

GP__HOST gp_result gp__check_result_type(gp_world *w, const gp_call *c) {
  return c->in_type == GP_INPUT && !c->out_type
      ? gp__fail(GP_E_TYPE, "%s: @out_type is not set: a described input of a world needs it", w->who)
      : GP_SUCCESS;
}
GP__HOST gp_result gp__check_fold(gp_world *w, const gp_call *c) {
  gp_call typed = *c;
  GP__CHECK(gp__check_result_type(w, c));
  if (c->primitive == GP_REDUCE) return GP_SUCCESS;
  gp__fill_types(&typed);
  if (gp__has_parts(c->op))
    return gp__fail(
        GP_E_UNSUPPORTED, "%s: @op: a world takes ARGMIN, ARGMAX, MINMAX and ARGMINMAX in reductions alone", w->who);
  if ((c->flags & GP_REPRODUCIBLE) && gp__order_matters(&typed))
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: @flags: GP_REPRODUCIBLE: with this operator and type the result depends on the shards", w->who);
  return GP_SUCCESS;
}

// A result of `size` bytes for each rank, at the front of the world's memory.
typedef struct gp__partial {
  gp__u8 *all, *mine, *carry;
  size_t size;
} gp__partial;
GP__HOST gp_result gp__partial_room(gp_world *w, size_t size, gp__partial *p) {
  memset(p, 0, sizeof *p);
  if (!size) return gp__fail(GP_E_TYPE, "%s: @acc_type is unknown", w->who);
  GP__CHECK(gp__world_room(w, (w->ranks + 1) * size + 512));
  p->all = (gp__u8 *)w->memory;
  p->mine = p->all + (size_t)w->rank * size;
  p->carry = p->all + gp__aligned(w->ranks * size);
  p->size = size;
  return GP_SUCCESS;
}
// Runs the shard's call, unless it is NULL, whose result is `mine`; then every rank has `all`.
GP__HOST gp_result gp__gather_partials(gp_world *w, const gp__partial *p, const gp_call *shard) {
  if (shard) GP__CHECK(gp__world_do(w, shard));
  return gp__world_gather(w, p->mine, p->all, p->size);
}

// The fold of the results of ranks 0 .. count - 1.
GP__HOST gp_call gp__fold_partials(const gp_call *c, const void *from, int count, void *to) {
  gp_call fold = gp__call(GP_REDUCE, c->op, c->acc_type, c->acc_type, from, to, (uint64_t)count);
  fold.acc_type = c->acc_type;
  fold.init = c->init;
  return fold;
}
// The shard's own fold.
GP__HOST gp_call gp__fold_shard(const gp_call *c, void *to) {
  gp_call fold = *c;
  fold.primitive = GP_REDUCE;
  fold.policy = c->primitive == GP_REDUCE ? c->policy : NULL;
  fold.out_type = c->acc_type;
  fold.apply = GP_OP_DEFAULT;
  fold.init = NULL;
  fold.out = to;
  fold.workspace = NULL;
  fold.workspace_bytes = 0;
  return fold;
}

// ---- results of two members or four

// A rank's ARGMIN or ARGMAX, and how many elements the ranks that it stands for have.
typedef struct gp__world_best {
  uint64_t value; // its bytes
  int64_t index; // -1: none, and `value` is that of ARGMIN's identity; -2: the identity of this fold
  uint64_t count;
} gp__world_best;
// The better of two neighbours' results: the second's index counts from the first's beginning.
GP__HOST void gp__host_better(void *user, void *result, const void *a, const void *b) {
  const gp_type type = (gp_type)((uintptr_t)user >> 1);
  const gp_op op = (uintptr_t)user & 1 ? GP_ARGMAX : GP_ARGMIN;
  gp__world_best x, y;
  gp__wide keys[2];
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  gp__host_keys(op, type, &x.value, &keys[0], 1);
  gp__host_keys(op, type, &y.value, &keys[1], 1);
  if (y.index >= 0) y.index += (int64_t)x.count;
  y.count += x.count;
  if (y.index == -2 || !gp__host_beats(keys[1].i, y.index, keys[0].i, x.index)) y.value = x.value, y.index = x.index;
  memcpy(result, &y, sizeof y);
}
GP__HOST gp_result gp__best_operator(gp_world *w, gp_type type, int most, gp_op *op) {
  static const gp__world_best none = {0, -2, 0};
  gp_type_desc part = gp_type_desc_init();
  gp_op_desc d = gp_op_desc_init();
  const char *name;
  char body[512];
  part.name = "gp_world_best";
  part.source = "struct gp_world_best { unsigned long long value; long long index; unsigned long long count; };";
  part.size = sizeof none;
  part.align = 8;
  if (!w->part) { // once in a context
    for (w->part = (gp_type)GP_TYPE_COUNT; (name = gp_type_name(w->ctx, w->part)) && strcmp(name, part.name);)
      w->part = (gp_type)(w->part + 1);
    if (!name) GP__CHECK(gp_type_struct(w->ctx, &part, &w->part));
  }
  if (!w->best[type][most]) {
    snprintf(body, sizeof body,
        "union Cast { gp_arg<%s> arg; unsigned long long word[2]; __device__ Cast() {} } x, y; "
        "if (b.index >= 0) b.index += a.count; b.count += a.count; "
        "x.word[0] = a.value; x.word[1] = a.index; y.word[0] = b.value; y.word[1] = b.index; "
        "if (b.index == -2 || !%s<%s>::beats(y.arg, x.arg)) { b.value = a.value; b.index = a.index; } return b;",
        gp__type_rows[type].device, most ? "gp_argmax" : "gp_argmin", gp__type_rows[type].device);
    d.name = most ? "ARGMAX of ranks" : "ARGMIN of ranks";
    d.body = body;
    d.identity = "gp_world_best{0, -2, 0}";
    d.arity = 2;
    d.host = gp__host_better;
    d.host_user = (void *)((uintptr_t)type << 1 | (uintptr_t)most);
    d.host_identity = &none;
    d.host_identity_size = sizeof none;
    GP__CHECK(gp_op_define(w->ctx, &d, &w->best[type][most]));
  }
  *op = w->best[type][most];
  return GP_SUCCESS;
}
// A result's members are folded one after the other. Those of a rank come with its number of elements.
GP__HOST gp_result gp__world_reduce_parts(gp_world *w, gp_call c) {
  const int has_index = c.op != GP_MINMAX, parts = c.op == GP_MINMAX || c.op == GP_ARGMINMAX ? 2 : 1;
  const size_t member = has_index ? 16 : gp_type_size(w->ctx, c.acc_type), result = member * (size_t)parts;
  const size_t size = has_index ? result + 8 : result;
  gp_call fold = gp__fold_shard(&c, NULL), own;
  gp__world_best first = {0, -1, 0};
  gp_input number, in[4];
  gp__partial p;
  int k;
  if ((int)c.acc_type <= 0 || (int)c.acc_type >= (int)GP_TYPE_COUNT || c.out_type != c.acc_type || member > 16)
    return gp__fail(
        GP_E_TYPE, "%s: @acc_type: a world takes ARGMIN, MINMAX and their like of one built-in type", w->who);
  GP__CHECK(gp__partial_room(w, size, &p));
  fold.out = p.mine;
  if (has_index) { // min(count, *count_device)
    number = gp_input_constant(GP_U64, &c.count);
    own = gp__call(GP_REDUCE, GP_MIN, c.count_device ? GP_U64 : GP_INPUT, GP_U64,
        c.count_device ? (const void *)c.count_device : &number, p.mine + result, 1);
    own.acc_type = GP_U64;
    own.init = &c.count;
    GP__CHECK(gp__world_do(w, &own));
  }
  GP__CHECK(gp__gather_partials(w, &p, &fold));
  for (k = 0; k < parts; ++k) {
    const int most = parts == 2 ? k : c.op == GP_ARGMAX;
    const gp__u8 *from = p.all + (size_t)k * member;
    gp__u8 *to = (gp__u8 *)c.out + (size_t)k * member;
    fold = gp__fold_partials(&c, NULL, w->size, to);
    fold.in_type = GP_INPUT;
    fold.in = &in[3];
    if (c.init) fold.init = (const gp__u8 *)c.init + (size_t)k * member;
    if (has_index) {
      GP__CHECK(gp__best_operator(w, c.acc_type, most, &fold.op));
      in[0] = gp_input_strided(GP_U64, from, (int64_t)(size / 8));
      in[1] = gp_input_strided(GP_I64, from + 8, (int64_t)(size / 8));
      in[2] = gp_input_strided(GP_U64, p.all + result, (int64_t)(size / 8));
      in[3] = gp_input_zipped(w->part, &in[0], &in[1], &in[2], NULL);
      fold.acc_type = fold.out_type = w->part;
      if (c.init) memcpy(&first, fold.init, member), fold.init = &first;
      fold.out = p.carry;
    } else {
      fold.op = most ? GP_MAX : GP_MIN;
      in[3] = gp_input_strided(c.acc_type, from, parts);
    }
    GP__CHECK(gp__world_do(w, &fold));
    if (has_index) GP__CHECK(gp__world_copy(w, to, p.carry, member));
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__world_reduce(gp_world *w, gp_call c) {
  gp__partial p;
  gp_call fold;
  if (gp__has_parts(c.op)) return gp__world_reduce_parts(w, c);
  GP__CHECK(gp__partial_room(w, gp_type_size(w->ctx, c.acc_type), &p));
  fold = gp__fold_shard(&c, p.mine);
  GP__CHECK(gp__gather_partials(w, &p, &fold));
  fold = gp__fold_partials(&c, p.all, w->size, c.out);
  fold.out_type = c.out_type;
  fold.apply = c.apply;
  return gp__world_do(w, &fold);
}
// Every rank but the last reads its shard twice: its total has to reach the others before they can write.
GP__HOST gp_result gp__world_scan(gp_world *w, gp_call c) {
  gp__partial p;
  gp_call fold;
  gp__fill_types(&c);
  GP__CHECK(gp__partial_room(w, gp_type_size(w->ctx, c.acc_type), &p));
  fold = gp__fold_shard(&c, p.mine);
  GP__CHECK(gp__gather_partials(w, &p, w->rank < w->size - 1 ? &fold : NULL));
  if (w->rank) {
    fold = gp__fold_partials(&c, p.all, w->rank, p.carry);
    GP__CHECK(gp__world_do(w, &fold));
    c.init = NULL;
    c.init_device = p.carry;
  }
  return gp__world_do(w, &c);
}
// Counts and truths: one number a rank, of an unsigned type.
GP__HOST gp_result gp__world_counted(gp_world *w, gp_call c) {
  const int counts = c.primitive == GP_COUNT_IF;
  const gp_type type = counts ? GP_U64 : GP_U8;
  gp_call fold = gp__call(GP_REDUCE,
      counts ? GP_SUM
          : c.primitive == GP_ANY ? GP_MAX
          : GP_MIN,
      type, type, NULL, counts ? (void *)c.out_count : c.out, w->ranks);
  gp__partial p;
  GP__CHECK(gp__partial_room(w, counts ? 8 : 1, &p));
  fold.in = p.all;
  if (counts) c.out_count = (uint64_t *)(void *)p.mine;
  else c.out = p.mine;
  GP__CHECK(gp__gather_partials(w, &p, &c));
  return gp__world_do(w, &fold);
}
GP__HOST gp_result gp__world_histogram(gp_world *w, gp_call c) {
  const gp_type types[] = {GP_I32, GP_U32, GP_I64, GP_U64, GP_F32, GP_F64};
  const int numbers[] = {2, 3, 4, 5, 7, 8}; // ncclDataType_t
  const uint64_t channels = (uint64_t)(c.active ? c.active : c.channels ? c.channels : 1);
  int i;
  for (i = 0; i < 6 && types[i] != c.out_type; ++i) {}
  if (i == 6)
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: @out_type: the histogram of a world has counts of i32, u32, i64, u64, f32 or f64", w->who);
  GP__CHECK(gp__world_do(w, &c));
  return gp__world_sum(w, numbers[i], c.out, c.out, c.bins * channels);
}
