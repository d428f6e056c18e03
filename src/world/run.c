// world/run.c - worlds: any call
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/words.h, core/rules.h,
//   core/system.c, core/messages.c, core/names.c, map/kinds.c, transpose/kinds.c, bfs/kinds.c, core/state.c,
//   core/life.c, core/checking.c, world/world.c, world/fold.c, world/sort.c, world/move.c, world/nth.c,
//   world/reproduce.c, world/graph.c

// The calls of worlds. waits: the host waits for the stream.
typedef struct gp__of_worlds {
  gp_primitive primitive;
  int waits;
  gp_result (*run)(gp_world *w, gp_call c);
} gp__of_worlds;
static const gp__of_worlds gp__world_calls[] = {{GP_REDUCE, 0, gp__world_fold}, {GP_INCLUSIVE_SCAN, 0, gp__world_fold},
    {GP_EXCLUSIVE_SCAN, 0, gp__world_fold}, {GP_COUNT_IF, 0, gp__world_counted}, {GP_ANY, 0, gp__world_counted},
    {GP_ALL, 0, gp__world_counted}, {GP_HISTOGRAM_EVEN, 0, gp__world_histogram},
    {GP_HISTOGRAM_RANGES, 0, gp__world_histogram}, {GP_SORT, 1, gp__world_sort}, {GP_MERGE_SORT, 1, gp__world_sort},
    {GP_TOP_K, 1, gp__world_top_k}, {GP_NTH_ELEMENT, 1, gp__world_nth}, {GP_TRANSPOSE, 1, gp__world_transpose},
    {GP_COPY, 1, gp__world_copy_shares}, {GP_SELECT, 0, gp__world_select}, {GP_PARTITION, 0, gp__world_select},
    {GP_UNIQUE, 1, gp__runs_of_world}, {GP_REDUCE_BY_KEY, 1, gp__runs_of_world}, {GP_GROUP_BY, 1, gp__world_group_by},
    {GP_BFS, 1, gp__world_walk}, {GP_CONNECTED_COMPONENTS, 1, gp__world_walk}};
GP__HOST const gp__of_worlds *gp__find_world_call(gp_primitive p) {
  size_t i;
  for (i = 0; i < sizeof gp__world_calls / sizeof *gp__world_calls; ++i)
    if (gp__world_calls[i].primitive == p) return &gp__world_calls[i];
  return NULL;
}
GP__HOST gp_result gp__world_dispatch(gp_world *w, gp_call c) {
  c.flags &= ~GP_FASTEST;
  if (c.flags & GP_CHECKED) {
    c.flags &= ~GP_CHECKED;
    GP__CHECK(gp__world_agree(w, &c, c.count, 0, GP_SUCCESS));
  }
  return gp__find_world_call(c.primitive)->run(w, c);
}
GP__HOST int gp__may_be_captured(gp_call c) {
  gp__fill_types(&c);
  return !gp__find_world_call(c.primitive)->waits && !(c.flags & (GP_CHECKED | GP_BALANCED)) &&
      (c.primitive != GP_REDUCE || !(c.flags & GP_REPRODUCIBLE) || !gp__order_matters(&c));
}
GP__HOST gp_result gp__check_capture(gp_world *w, const gp_call *c) {
  w->capturing = 0;
  if (!w->s->context || !w->stream || w->stream == (gp_stream)1) return GP_SUCCESS;
  GP__CHECK(GP__DRIVER(cuStreamIsCapturing, w->stream, &w->capturing));
  return w->capturing && !gp__may_be_captured(*c)
      ? gp__fail(GP_E_UNSUPPORTED, "%s: stream is captured, and this call of a world waits for the stream", w->who)
      : GP_SUCCESS;
}
// A call's share of a world's memory: it runs, without the other ranks, until it would have the memory.
GP__HOST gp_result gp__ask_world(
    gp_context *ctx, gp__state *s, const gp_call *call, const uint64_t *counts, int size, int rank, uint64_t *bytes) {
  const char *who = "gp_world_workspace_size";
  gp_result result = GP_SUCCESS;
  size_t asked[2] = {0, 0};
  gp_call c;
  gp_world w;
  int q;
  if (!call || !counts || !bytes)
    return gp__fail(GP_E_NULL, "%s: %s is null", who, !call ? "call" : counts ? "bytes" : "counts");
  if (call->struct_size != sizeof *call || (unsigned)call->primitive >= GP_PRIMITIVE_COUNT || rank < 0 || rank >= size)
    return gp__fail(
        GP_E_ARGUMENT, "%s: call.struct_size is %u, rank %d of size %d", who, call->struct_size, rank, size);
  if (!gp__find_world_call(call->primitive)) return gp__fail(GP_E_UNSUPPORTED, "%s: not a call of worlds", who);
  memset(&w, 0, sizeof w);
  w.ctx = ctx;
  w.s = s;
  w.who = who;
  w.size = size;
  w.rank = rank;
  w.asked = asked;
  GP__CHECK(gp__find_numbers(&w));
  for (q = 0; q < size; ++q) {
    w.notes[q].count = counts[q];
    w.notes[q].capacity = UINT64_MAX;
  }
  c = *call;
  if (c.primitive != GP_TRANSPOSE && !c.graph) c.count = counts[rank];
  c.flags &= ~GP_CHECKED;
  if (size > 1) result = gp__world_dispatch(&w, c);
  free(w.notes);
  if (result != GP_SUCCESS && result != (gp_result)GP__UNKNOWN) return result;
  *bytes = asked[1] + gp__world_steps(asked[0]); // gp_world_open takes some
  return GP_SUCCESS;
}
GP__API gp_result gp_world_workspace_size(
    gp_context *ctx, const gp_call *call, const uint64_t *counts, int size, int rank, uint64_t *bytes) {
  GP__WITHIN(ctx, "gp_world_workspace_size", gp__ask_world(ctx, s, call, counts, size, rank, bytes));
}
// A world of one rank: the call as it is, and the numbers of results that no call of one GPU has.
GP__HOST gp_result gp__world_alone(gp_world *w, gp_call c) {
  uint64_t *counted = c.out_count, count = c.count;
  const int turns = c.primitive == GP_TRANSPOSE,
            moves = turns || c.primitive == GP_SORT || c.primitive == GP_MERGE_SORT || c.primitive == GP_COPY;
  c.flags &= ~(GP_BALANCED | GP_CHECKED);
  if (turns) {
    GP__CHECK(gp__check_world_transpose(w, &c));
    count = c.permutation->extent[0] * c.permutation->extent[1];
  }
  if (moves) {
    if (counted && !turns) GP__CHECK(gp__world_count(w, &c, &count));
    if (c.capacity && c.capacity < count)
      return gp__fail(GP_E_ARGUMENT, "%s: @capacity is %llu, and there are %llu elements", w->who, (gp__u64)c.capacity,
          (gp__u64)count);
    c.out_count = NULL;
  }
  c.capacity = 0;
  GP__CHECK(gp__world_do(w, &c));
  if (turns) count = c.permutation->extent[1];
  return moves ? gp__world_write_count(w, counted, count) : GP_SUCCESS;
}
GP__HOST gp_result gp__world_call(gp_world *w, const gp_call *call) {
  w->who = gp__primitive_names[call->primitive];
  if (!gp__find_world_call(call->primitive))
    return gp__fail(GP_E_UNSUPPORTED, "%s: a world does not run this primitive", w->who);
  if (w->size == 1) return gp__world_alone(w, *call);
  GP__CHECK(gp__check_capture(w, call));
  return gp__world_dispatch(w, *call);
}
// Makes the world's own calls one after the other. call: NULL waits for the stream.
GP__HOST gp_result gp__in_world(gp_world *w, gp__state *s, const char *who, const gp_call *call, gp_stream stream) {
  gp_result result;
  int pushed = 0;
  if (s->context) GP__CHECK(gp__enter(s, who, &pushed));
  pthread_mutex_lock(&w->lock);
  w->s = s;
  w->who = who;
  w->stream = stream;
  if (w->broken) result = gp__fail(GP_E_WORLD, "%s: the world is broken: %s", who, w->why);
  else result = call ? gp__world_call(w, call) : gp__world_settle(w);
  pthread_mutex_unlock(&w->lock);
  return s->context ? gp__leave(s, who, pushed, result) : result;
}
GP__HOST gp_result gp__world_run(gp_world *w, gp__state *s, const gp_call *call, gp_stream stream) {
  const char *who = "gp_world_run";
  if (!call) return gp__fail(GP_E_NULL, "%s: call is null", who);
  if (call->struct_size != sizeof *call)
    return gp__fail(GP_E_ARGUMENT, "%s: call.struct_size is %u: gp_call_init sets it", who, call->struct_size);
  if ((int)call->primitive <= 0 || (int)call->primitive >= (int)GP_PRIMITIVE_COUNT)
    return gp__fail(GP_E_ARGUMENT, "%s: primitive is %d", who, (int)call->primitive);
  return gp__in_world(w, s, who, call, stream);
}
GP__API gp_result gp_world_run(gp_world *world, const gp_call *call, gp_stream stream) {
  gp_result wrong = GP_SUCCESS;
  if (!gp__is_world(world, "gp_world_run", &wrong)) return wrong;
  { GP__WITHIN(world->ctx, "gp_world_run", gp__world_run(world, s, call, stream)); }
}
GP__API gp_result gp_world_wait(gp_world *world, gp_stream stream) {
  gp_result wrong = GP_SUCCESS;
  if (!gp__is_world(world, "gp_world_wait", &wrong)) return wrong;
  { GP__WITHIN(world->ctx, "gp_world_wait", gp__in_world(world, s, "gp_world_wait", NULL, stream)); }
}
