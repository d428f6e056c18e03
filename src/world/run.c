// world/run.c - worlds: any call
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/words.h, core/rules.h,
//   core/system.c, core/messages.c, core/libraries.c, core/names.c, map/kinds.c, transpose/kinds.c, bfs/kinds.c,
//   core/state.c, core/life.c, core/checking.c, core/run.c, world/world.c, world/fold.c, world/sort.c, world/move.c,
//   world/nth.c, world/reproduce.c, world/graph.c

GP__HOST int gp__is_of_worlds(gp_primitive p) {
  static const unsigned char of_worlds[] = {GP_REDUCE, GP_INCLUSIVE_SCAN, GP_EXCLUSIVE_SCAN, GP_COUNT_IF, GP_ANY,
      GP_ALL, GP_HISTOGRAM_EVEN, GP_HISTOGRAM_RANGES, GP_SORT, GP_MERGE_SORT, GP_TOP_K, GP_SELECT, GP_COPY, GP_UNIQUE,
      GP_REDUCE_BY_KEY, GP_GROUP_BY, GP_NTH_ELEMENT, GP_TRANSPOSE, GP_BFS, GP_CONNECTED_COMPONENTS};
  return memchr(of_worlds, (int)p, sizeof of_worlds) != NULL;
}
GP__HOST gp_result gp__world_dispatch(gp_world *w, gp__state *s, gp_call c, gp_stream stream) {
  const char *who = gp__primitive_names[c.primitive];
  uint64_t *counts;
  gp_result result;
  if (c.flags & GP_CHECKED) {
    c.flags &= ~GP_CHECKED;
    GP__CHECK(gp__world_agree(w, s, who, &c, c.count, 0, GP_SUCCESS, stream));
  }
  switch (c.primitive) {
  case GP_REDUCE:
  case GP_INCLUSIVE_SCAN:
  case GP_EXCLUSIVE_SCAN:
    GP__CHECK(gp__check_fold(who, &c));
    if (c.primitive != GP_REDUCE) return gp__world_scan(w, s, who, c, stream);
    gp__fill_types(&c);
    return (c.flags & GP_REPRODUCIBLE) && gp__order_matters(&c) ? gp__world_reproduce(w, s, who, c, stream)
                                                                : gp__world_reduce(w, s, who, c, stream);
  case GP_COUNT_IF:
  case GP_ANY:
  case GP_ALL:
    return gp__world_counted(w, s, who, c, stream);
  case GP_HISTOGRAM_EVEN:
  case GP_HISTOGRAM_RANGES:
    return gp__world_histogram(w, who, &c, stream);
  case GP_SORT:
  case GP_MERGE_SORT:
    return gp__world_sort(w, s, who, &c, 0, stream);
  case GP_TOP_K:
    return gp__world_top_k(w, s, who, &c, stream);
  case GP_NTH_ELEMENT:
    return gp__world_nth(w, s, who, c, stream);
  case GP_TRANSPOSE:
    return gp__world_transpose(w, s, who, c, stream);
  case GP_BFS:
  case GP_CONNECTED_COMPONENTS:
    return gp__world_walk(w, s, who, c, stream);
  case GP_SELECT:
    if (!(c.flags & GP_BALANCED)) return gp_run(w->ctx, &c, stream);
    break;
  default:
    break;
  }
  counts = (uint64_t *)calloc(2 * (size_t)w->size, sizeof *counts);
  if (!counts) return gp__fail(GP_E_MEMORY, "%s: no host memory", who);
  result = c.primitive == GP_COPY  ? gp__world_copy_shares(w, s, who, &c, counts, stream)
      : c.primitive == GP_SELECT   ? gp__world_select(w, s, who, &c, counts, stream)
      : c.primitive == GP_GROUP_BY ? gp__world_group_by(w, s, who, c, counts, stream)
                                   : gp__runs_of_world(w, s, who, c, counts, stream);
  free(counts);
  return result;
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
GP__HOST gp_result gp__check_capture(gp_world *w, gp__state *s, const char *who, const gp_call *c, gp_stream stream) {
  int error = 0;
  w->capturing = 0;
  if (!s->context || !stream || stream == (gp_stream)1) return GP_SUCCESS;
  error = s->library.runtime.driver.cuStreamIsCapturing(stream, &w->capturing);
  if (error) return gp__cuda_fail(&s->library.runtime, who, "cuStreamIsCapturing", error);
  return w->capturing && !gp__may_be_captured(*c)
      ? gp__fail(GP_E_UNSUPPORTED, "%s: stream is captured, and this call of a world waits for the stream", who)
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
  w.size = size;
  w.rank = rank;
  w.asked = asked;
  w.notes = (gp__world_note *)calloc((size_t)size, sizeof *w.notes);
  if (!w.notes) return gp__fail(GP_E_MEMORY, "%s: no host memory", who);
  for (q = 0; q < size; ++q) {
    w.notes[q].count = counts[q];
    w.notes[q].capacity = UINT64_MAX;
  }
  c = *call;
  if (c.primitive != GP_TRANSPOSE) c.count = counts[rank];
  c.flags &= ~GP_CHECKED;
  if (size > 1 && gp__takes_memory(&c)) result = gp__world_dispatch(&w, s, c, NULL);
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
GP__HOST gp_result gp__world_alone(gp_world *w, gp__state *s, gp_call c, gp_stream stream) {
  const char *who = gp__primitive_names[c.primitive];
  uint64_t *counted = c.out_count, count = c.count;
  const int turns = c.primitive == GP_TRANSPOSE,
            moves = turns || c.primitive == GP_SORT || c.primitive == GP_MERGE_SORT || c.primitive == GP_COPY;
  c.flags &= ~(GP_BALANCED | GP_CHECKED);
  if (turns) {
    GP__CHECK(gp__check_world_transpose(w, who, &c));
    count = c.permutation->extent[0] * c.permutation->extent[1];
  }
  if (moves) {
    if (counted && !turns) GP__CHECK(gp__world_count(w, s, who, &c, &count, stream));
    if (c.capacity && c.capacity < count)
      return gp__fail(GP_E_ARGUMENT, "%s: @capacity is %llu, and there are %llu elements", who, (gp__u64)c.capacity,
          (gp__u64)count);
    c.out_count = NULL;
  }
  c.capacity = 0;
  GP__CHECK(gp_run(w->ctx, &c, stream));
  if (turns) count = c.permutation->extent[1];
  return moves ? gp__world_write_count(w, counted, count, stream) : GP_SUCCESS;
}
GP__HOST gp_result gp__world_call(gp_world *w, gp__state *s, const gp_call *call, gp_stream stream) {
  gp_result result = GP_SUCCESS;
  int pushed = 0;
  if (!call) return gp__fail(GP_E_NULL, "gp_world_run: call is null");
  if (call->struct_size != sizeof *call)
    return gp__fail(GP_E_ARGUMENT, "gp_world_run: call.struct_size is %u: gp_call_init sets it", call->struct_size);
  if ((int)call->primitive <= 0 || (int)call->primitive >= (int)GP_PRIMITIVE_COUNT)
    return gp__fail(GP_E_ARGUMENT, "gp_world_run: primitive is %d", (int)call->primitive);
  if (s->context) GP__CHECK(gp__enter(s, "gp_world_run", &pushed));
  pthread_mutex_lock(&w->lock);
  if (w->broken) result = gp__fail(GP_E_WORLD, "gp_world_run: the world is broken: %s", w->why);
  else if (!gp__is_of_worlds(call->primitive))
    result =
        gp__fail(GP_E_UNSUPPORTED, "%s: a world does not run this primitive", gp__primitive_names[call->primitive]);
  else if (w->size == 1) result = gp__world_alone(w, s, *call, stream);
  else {
    result = gp__check_capture(w, s, gp__primitive_names[call->primitive], call, stream);
    if (result == GP_SUCCESS) result = gp__world_dispatch(w, s, *call, stream);
  }
  pthread_mutex_unlock(&w->lock);
  return s->context ? gp__leave(s, "gp_world_run", pushed, result) : result;
}
GP__API gp_result gp_world_run(gp_world *world, const gp_call *call, gp_stream stream) {
  gp_result wrong = GP_SUCCESS;
  if (!gp__is_world(world, "gp_world_run", &wrong)) return wrong;
  { GP__WITHIN(world->ctx, "gp_world_run", gp__world_call(world, s, call, stream)); }
}
