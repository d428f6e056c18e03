// world/fold.c - worlds: reductions, scans, histograms
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, api/init.h, core/rules.h,
//   core/system.c, core/messages.c, host/values.c, core/state.c, core/types.c, core/run.c, world/nccl.c, world/world.c

// Makes the accumulator's type explicit, so that partial results have it.
GP__HOST void gp__fill_types(gp_call *c) {
  if (!c->out_type) c->out_type = c->in_type;
  if (!c->acc_type) c->acc_type = gp__is_small_float(c->out_type) ? GP_F32 : c->out_type;
}
GP__HOST gp_result gp__check_fold(const char *who, const gp_call *c) {
  const gp_type acc = c->acc_type ? c->acc_type : c->out_type ? c->out_type : c->in_type;
  const int is_float = gp__is_small_float(acc) || acc == GP_F32 || acc == GP_F64 || acc == GP_C32 || acc == GP_C64;
  if (c->in_type == GP_INPUT && !c->out_type)
    return gp__fail(GP_E_TYPE, "%s: @out_type is not set: a described input of a world needs it", who);
  if (c->op == GP_ARGMIN || c->op == GP_ARGMAX || c->op == GP_MINMAX || c->op == GP_ARGMINMAX)
    return gp__fail(GP_E_UNSUPPORTED, "%s: @op: a world does not take ARGMIN, ARGMAX, MINMAX and ARGMINMAX", who);
  if ((c->flags & GP_REPRODUCIBLE) && is_float && c->op != GP_MIN && c->op != GP_MAX)
    return gp__fail(
        GP_E_UNSUPPORTED, "%s: @flags: GP_REPRODUCIBLE: the sum of floats over ranks depends on the shards", who);
  return GP_SUCCESS;
}

// A result of `size` bytes for each rank, at the front of the world's memory.
typedef struct gp__partial {
  unsigned char *all, *mine, *carry;
} gp__partial;
GP__HOST gp_result gp__partial_room(
    gp_world *w, gp__state *s, const char *who, size_t size, gp_stream stream, gp__partial *p) {
  memset(p, 0, sizeof *p);
  if (!size) return gp__fail(GP_E_TYPE, "%s: @acc_type is unknown", who);
  GP__CHECK(gp__world_room(w, s, who, ((size_t)w->size + 1) * size + 512, stream));
  p->all = (unsigned char *)w->memory;
  p->mine = p->all + (size_t)w->rank * size;
  p->carry = p->all + (((size_t)w->size * size + 255) & ~(size_t)255);
  return GP_SUCCESS;
}

// The fold of the results of ranks 0 .. count - 1.
GP__HOST gp_call gp__fold_partials(const gp_call *c, const void *from, int count, void *to) {
  gp_call fold = gp_call_init(GP_REDUCE);
  fold.op = c->op;
  fold.in_type = fold.acc_type = fold.out_type = c->acc_type;
  fold.init = c->init;
  fold.in = from;
  fold.count = (uint64_t)count;
  fold.out = to;
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
GP__HOST gp_result gp__world_reduce(gp_world *w, gp__state *s, const char *who, gp_call c, gp_stream stream) {
  gp__partial p;
  gp_call fold;
  gp__fill_types(&c);
  GP__CHECK(gp__partial_room(w, s, who, gp_type_size(w->ctx, c.acc_type), stream, &p));
  fold = gp__fold_shard(&c, p.mine);
  GP__CHECK(gp_run(w->ctx, &fold, stream));
  GP__CHECK(gp__world_gather(w, who, p.mine, p.all, gp_type_size(w->ctx, c.acc_type), stream));
  fold = gp__fold_partials(&c, p.all, w->size, c.out);
  fold.out_type = c.out_type;
  fold.apply = c.apply;
  return gp_run(w->ctx, &fold, stream);
}
// Every rank but the last reads its shard twice: its total has to reach the others before they can write.
GP__HOST gp_result gp__world_scan(gp_world *w, gp__state *s, const char *who, gp_call c, gp_stream stream) {
  gp__partial p;
  gp_call fold;
  gp__fill_types(&c);
  GP__CHECK(gp__partial_room(w, s, who, gp_type_size(w->ctx, c.acc_type), stream, &p));
  if (w->rank < w->size - 1) {
    fold = gp__fold_shard(&c, p.mine);
    GP__CHECK(gp_run(w->ctx, &fold, stream));
  }
  GP__CHECK(gp__world_gather(w, who, p.mine, p.all, gp_type_size(w->ctx, c.acc_type), stream));
  if (w->rank) {
    fold = gp__fold_partials(&c, p.all, w->rank, p.carry);
    GP__CHECK(gp_run(w->ctx, &fold, stream));
    c.init = NULL;
    c.init_device = p.carry;
  }
  return gp_run(w->ctx, &c, stream);
}
// Counts and truths: one number a rank, of an unsigned type.
GP__HOST gp_result gp__world_counted(gp_world *w, gp__state *s, const char *who, gp_call c, gp_stream stream) {
  const gp_type type = c.primitive == GP_COUNT_IF ? GP_U64 : GP_U8;
  const size_t size = gp_type_size(w->ctx, type);
  gp_call fold = gp_call_init(GP_REDUCE);
  gp__partial p;
  GP__CHECK(gp__partial_room(w, s, who, size, stream, &p));
  fold.op = type == GP_U64 ? GP_SUM : c.primitive == GP_ANY ? GP_MAX : GP_MIN;
  fold.in_type = type;
  fold.in = p.all;
  fold.count = (uint64_t)w->size;
  fold.out = type == GP_U64 ? (void *)c.out_count : c.out;
  if (type == GP_U64) c.out_count = (uint64_t *)(void *)p.mine;
  else c.out = p.mine;
  GP__CHECK(gp_run(w->ctx, &c, stream));
  GP__CHECK(gp__world_gather(w, who, p.mine, p.all, size, stream));
  return gp_run(w->ctx, &fold, stream);
}
GP__HOST gp_result gp__world_histogram(gp_world *w, const char *who, const gp_call *c, gp_stream stream) {
  const gp_type types[] = {GP_I32, GP_U32, GP_I64, GP_U64, GP_F32, GP_F64};
  const int numbers[] = {2, 3, 4, 5, 7, 8}; // ncclDataType_t
  const uint64_t channels = (uint64_t)(c->active ? c->active : c->channels ? c->channels : 1);
  int i;
  for (i = 0; i < 6 && types[i] != c->out_type; ++i) {}
  if (i == 6)
    return gp__fail(
        GP_E_UNSUPPORTED, "%s: @out_type: the histogram of a world has counts of i32, u32, i64, u64, f32 or f64", who);
  GP__CHECK(gp_run(w->ctx, c, stream));
  return GP__NCCL(AllReduce, c->out, c->out, c->bins * channels, numbers[i], GP__NCCL_SUM, w->comm, stream);
}
