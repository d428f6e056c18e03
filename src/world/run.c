// world/run.c - worlds: any call
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/words.h, core/rules.h,
//   core/system.c, core/messages.c, core/names.c, map/kinds.c, transpose/kinds.c, bfs/kinds.c, core/state.c,
//   core/life.c, core/checking.c, world/world.c, world/fold.c, world/sort.c, world/move.c, world/nth.c,
//   world/reproduce.c, world/graph.c

GP__HOST int gp__is_of_worlds(gp_primitive p) {
  static const gp__u8 of_worlds[] = {GP_REDUCE, GP_INCLUSIVE_SCAN, GP_EXCLUSIVE_SCAN, GP_COUNT_IF, GP_ANY, GP_ALL,
      GP_HISTOGRAM_EVEN, GP_HISTOGRAM_RANGES, GP_SORT, GP_MERGE_SORT, GP_TOP_K, GP_SELECT, GP_COPY, GP_UNIQUE,
      GP_REDUCE_BY_KEY, GP_GROUP_BY, GP_NTH_ELEMENT, GP_TRANSPOSE, GP_BFS, GP_CONNECTED_COMPONENTS};
  return memchr(of_worlds, (int)p, sizeof of_worlds) != NULL;
}
GP__HOST gp_result gp__world_dispatch(gp_world *w, gp_call c) {
  if (c.flags & GP_CHECKED) {
    c.flags &= ~GP_CHECKED;
    GP__CHECK(gp__world_agree(w, &c, c.count, 0, GP_SUCCESS));
  }
  switch (c.primitive) {
  case GP_REDUCE:
  case GP_INCLUSIVE_SCAN:
  case GP_EXCLUSIVE_SCAN:
    GP__CHECK(gp__check_fold(w, &c));
    if (c.primitive != GP_REDUCE) return gp__world_scan(w, c);
    gp__fill_types(&c);
    return (c.flags & GP_REPRODUCIBLE) && gp__order_matters(&c) ? gp__world_reproduce(w, c) : gp__world_reduce(w, c);
  case GP_COUNT_IF:
  case GP_ANY:
  case GP_ALL:
    return gp__world_counted(w, c);
  case GP_HISTOGRAM_EVEN:
  case GP_HISTOGRAM_RANGES:
    return gp__world_histogram(w, &c);
  case GP_SORT:
  case GP_MERGE_SORT:
    return gp__world_sort(w, &c, 0);
  case GP_TOP_K:
    return gp__world_top_k(w, &c);
  case GP_NTH_ELEMENT:
    return gp__world_nth(w, c);
  case GP_TRANSPOSE:
    return gp__world_transpose(w, c);
  case GP_BFS:
  case GP_CONNECTED_COMPONENTS:
    return gp__world_walk(w, c);
  case GP_SELECT:
    return c.flags & GP_BALANCED ? gp__world_select(w, &c) : gp__world_do(w, &c);
  case GP_COPY:
    return gp__world_copy_shares(w, &c);
  case GP_GROUP_BY:
    return gp__world_group_by(w, c);
  default:
    return gp__runs_of_world(w, c);
  }
}
// Whether a call needs memory before it launches anything: not histograms, copies, and select in its shard.
GP__HOST int gp__takes_memory(const gp_call *c) {
  return c->primitive != GP_HISTOGRAM_EVEN && c->primitive != GP_HISTOGRAM_RANGES && c->primitive != GP_COPY &&
      (c->primitive != GP_SELECT || (c->flags & GP_BALANCED));
}
// Whether a call does without the host.
GP__HOST int gp__may_be_captured(gp_call c) {
  gp__fill_types(&c);
  return !(c.flags & GP_CHECKED) && c.primitive != GP_COPY &&
      (!gp__takes_memory(&c) || c.primitive == GP_COUNT_IF || c.primitive == GP_ANY || c.primitive == GP_ALL ||
          c.primitive == GP_INCLUSIVE_SCAN || c.primitive == GP_EXCLUSIVE_SCAN ||
          (c.primitive == GP_REDUCE && (!(c.flags & GP_REPRODUCIBLE) || !gp__order_matters(&c))));
}
GP__HOST gp_result gp__check_capture(gp_world *w, const gp_call *c) {
  w->capturing = 0;
  if (!w->s->context || !w->stream || w->stream == (gp_stream)1) return GP_SUCCESS;
  GP__CHECK(GP__DRIVER(cuStreamIsCapturing, w->stream, &w->capturing));
  return w->capturing && !gp__may_be_captured(*c)
      ? gp__fail(GP_E_UNSUPPORTED, "%s: stream is captured, and this call of a world waits for the stream", w->who)
      : GP_SUCCESS;
}
// What a call takes of a world's memory: it runs, without the other ranks, until it would have the memory.
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
  if (!gp__is_of_worlds(call->primitive)) return gp__fail(GP_E_UNSUPPORTED, "%s: not a call of worlds", who);
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
  if (size > 1 && gp__takes_memory(&c)) result = gp__world_dispatch(&w, c);
  free(w.notes);
  if (result != GP_SUCCESS && result != (gp_result)GP__UNKNOWN) return result;
  *bytes = asked[1] + (asked[0] <= 65536 ? 65536 : gp__world_steps(asked[0])); // gp_world_open takes some
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
  if (!gp__is_of_worlds(call->primitive))
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
