// world/calls.c - worlds: opening, closing, waiting; calls by name
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/graph_types.h, api/call.h, api/init.h,
//   api/world.h, core/words.h, core/rules.h, core/system.c, core/messages.c, core/struct_size.c, core/driver.c,
//   transpose/kinds.c, bfs/kinds.c, core/state.c, core/life.c, map/calls.c, top_k/calls.c, world/nccl.c, world/world.c,
//   world/run.c

GP__HOST gp_result gp__make_id(gp__state *s, const char *library, void *id) {
  gp__nccl n;
  gp__nccl_id made;
  int error, pushed = 0;
  memset(&made, 0, sizeof made);
  if (!id) return gp__fail(GP_E_NULL, "gp_world_id: id is null");
  GP__CHECK(gp__open_nccl("gp_world_id", library, &n));
  if (s->context) GP__CHECK(gp__enter(s, "gp_world_id", &pushed));
  error = n.GetUniqueId(&made);
  if (s->context) GP__CHECK(gp__leave(s, "gp_world_id", pushed, GP_SUCCESS));
  if (error) return gp__fail(GP_E_WORLD, "gp_world_id: ncclGetUniqueId failed: %s (%d)", n.text(error), error);
  memcpy(id, &made, sizeof made);
  return GP_SUCCESS;
}
GP__API gp_result gp_world_id(gp_context *ctx, const char *nccl_library, void *id) {
  GP__WITHIN(ctx, "gp_world_id", gp__make_id(s, nccl_library, id));
}

// A thread makes the communicator: NCCL waits for the other ranks without an end. (Each call of a communicator that
// does not block starts a thread, 45 us on an H200's host.) A thread that is given up keeps its memory.
typedef struct gp__joining {
  gp__nccl nccl;
  gp__nccl_id id;
  const struct gp_driver *driver;
  void *context, *comm;
  int rank, size, error, done; // done: 1: joined; 2: given up
} gp__joining;
GP__HOST void *gp__join_in_thread(void *of) {
  gp__joining *j = (gp__joining *)of;
  gp__nccl_config own = {sizeof own, 0xcafebeefu, GP__NCCL_OLDEST, 1, -1 - INT32_MAX, -1 - INT32_MAX, -1 - INT32_MAX,
      NULL, -1 - INT32_MAX};
  void *popped;
  int going = 0;
  if (j->context) j->driver->cuCtxPushCurrent(j->context);
  j->error = j->nccl.CommInitRankConfig(&j->comm, j->size, j->id, j->rank, &own);
  if (j->context) j->driver->cuCtxPopCurrent(&popped);
  if (!__atomic_compare_exchange_n(&j->done, &going, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && j->comm)
    j->nccl.CommAbort(j->comm);
  return NULL;
}
GP__HOST gp_result gp__join_by_id(gp_world *w, const void *id) {
  const double begin = gp__now_us();
  gp__joining *j = (gp__joining *)calloc(1, sizeof *j);
  pthread_t thread;
  int going = 0, error;
  if (!j) return gp__fail(GP_E_MEMORY, "%s: no host memory", w->who);
  memcpy(&j->id, id, sizeof j->id);
  j->nccl = w->nccl;
  j->driver = &w->s->library.runtime.driver;
  j->context = w->s->context;
  j->rank = w->rank;
  j->size = w->size;
  if (pthread_create(&thread, NULL, gp__join_in_thread, j)) {
    free(j);
    return gp__fail(GP_E_MEMORY, "%s: no thread", w->who);
  }
  while (!__atomic_load_n(&j->done, __ATOMIC_ACQUIRE) && gp__now_us() - begin < w->timeout) gp__rest();
  if (!__atomic_load_n(&j->done, __ATOMIC_ACQUIRE) &&
      __atomic_compare_exchange_n(&j->done, &going, 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    pthread_detach(thread);
    return gp__fail(GP_E_WORLD, "%s: the other ranks did not join within %.3g s", w->who, w->timeout * 1e-6);
  }
  pthread_join(thread, NULL);
  w->comm = j->comm;
  error = j->error;
  free(j);
  if (error && !w->s->context)
    return gp__fail(GP_E_WORLD,
        "%s: ncclCommInitRankConfig failed: %s (%d): NCCL joins GPUs, and this context has the host back end", w->who,
        w->nccl.text(error), error);
  return error ? gp__nccl_failed(w, "CommInitRankConfig", error) : GP_SUCCESS;
}

// Joins by the caller's communicator or by the id, and compares versions.
GP__HOST gp_result gp__join_world(gp_world *w, const gp_world_config *config) {
  uint64_t mine[3];
  int q, device = -1;
  GP__CHECK(gp__open_nccl(w->who, config->nccl_library, &w->nccl));
  if (config->communicator) {
    w->comm = config->communicator;
    GP__CHECK(GP__NCCL(CommCount, w->comm, &w->size));
    GP__CHECK(GP__NCCL(CommUserRank, w->comm, &w->rank));
    GP__CHECK(GP__NCCL(CommCuDevice, w->comm, &device));
    if (w->s->context && device != w->s->about.device)
      return gp__fail(GP_E_ARGUMENT, "%s: communicator is of device %d, and the context of device %d", w->who, device,
          w->s->about.device);
  } else {
    w->rank = config->rank;
    w->size = config->size;
    w->own_comm = 1;
    GP__CHECK(gp__join_by_id(w, config->id));
  }
  GP__CHECK(gp__find_numbers(w));
  mine[0] = (uint64_t)gp_version();
  mine[1] = sizeof(gp_call);
  mine[2] = w->s->context != NULL;
  GP__CHECK(gp__world_room(w, (size_t)(w->size + 1) * sizeof mine));
  GP__CHECK(gp__world_share(w, mine, w->bounds, sizeof mine, w->memory));
  GP__EACH_RANK(q)
    if (memcmp(w->bounds + 3 * q, w->bounds, sizeof mine))
      return gp__fail(GP_E_WORLD,
          "%s: ranks 0 and %d have different versions of the library (%llu and %llu), or different back ends", w->who,
          q, (gp__u64)w->bounds[0], (gp__u64)w->bounds[3 * q]);
  return GP_SUCCESS;
}
// Gives back what the world holds. wait: for its work.
GP__HOST gp_result gp__leave_world(gp_world *w, int wait) {
  gp_result result = GP_SUCCESS;
  int error;
  if (wait && w->comm && !w->broken) result = gp__world_settle(w);
  gp__free_world_memory(w);
  gp__free_staging(w);
  if (w->event) w->s->library.runtime.driver.cuEventDestroy(w->event);
  if (w->side) w->s->library.runtime.driver.cuStreamDestroy(w->side);
  w->event = w->side = NULL;
  if (w->comm && w->own_comm) {
    error = wait ? w->nccl.CommDestroy(w->comm) : w->nccl.CommAbort(w->comm);
    if (error && error != GP__NCCL_IN_PROGRESS && result == GP_SUCCESS)
      result = gp__fail(GP_E_WORLD, "%s: ncclCommDestroy failed: %s (%d)", w->who, w->nccl.text(error), error);
  }
  w->comm = NULL;
  free(w->notes);
  w->notes = NULL;
  return result;
}
GP__HOST gp_result gp__world_open(gp_context *ctx, gp__state *s, const gp_world_config *config, gp_world **world) {
  const char *who = "gp_world_open";
  gp_result result;
  gp_world *w;
  int pushed = 0;
  if (!world) return gp__fail(GP_E_NULL, "%s: world is null", who);
  *world = NULL;
  if (!config) return gp__fail(GP_E_NULL, "%s: config is null", who);
  if (config->struct_size != sizeof *config)
    return gp__fail(
        GP_E_ARGUMENT, "%s: config.struct_size is %u: gp_world_config_init sets it", who, config->struct_size);
  if (!config->communicator && !config->id) return gp__fail(GP_E_NULL, "%s: config.communicator and config.id", who);
  if (!config->communicator && (config->size < 1 || config->rank < 0 || config->rank >= config->size))
    return gp__fail(GP_E_ARGUMENT, "%s: config.rank is %d of config.size %d", who, config->rank, config->size);
  if (!(config->timeout >= 0)) return gp__fail(GP_E_ARGUMENT, "%s: config.timeout is %g", who, config->timeout);
  w = (gp_world *)calloc(1, sizeof *w);
  if (!w) return gp__fail(GP_E_MEMORY, "%s: no host memory", who);
  w->ctx = ctx;
  w->s = s;
  w->who = who;
  w->timeout = (config->timeout > 0 ? config->timeout : 60) * 1e6;
  pthread_mutex_init(&w->lock, NULL);
  result = s->context ? gp__enter(s, who, &pushed) : GP_SUCCESS;
  if (result == GP_SUCCESS) {
    result = gp__join_world(w, config);
    if (result != GP_SUCCESS) gp__leave_world(w, 0);
    if (s->context) result = gp__leave(s, who, pushed, result);
  }
  if (result != GP_SUCCESS) {
    free(w);
    return result;
  }
  w->open = 1;
  pthread_mutex_lock(&gp__worlds_lock);
  w->next = gp__worlds;
  gp__worlds = w;
  pthread_mutex_unlock(&gp__worlds_lock);
  *world = w;
  return GP_SUCCESS;
}
GP__API gp_result gp_world_open(gp_context *ctx, const gp_world_config *config, gp_world **world) {
  GP__WITHIN(ctx, "gp_world_open", gp__world_open(ctx, s, config, world));
}

GP__HOST gp_result gp__world_close(gp_world *w, gp__state *s) {
  gp_result result = GP_SUCCESS;
  int pushed = 0;
  w->s = s;
  w->who = "gp_world_close";
  w->stream = w->last;
  if (s->context) GP__CHECK(gp__enter(s, w->who, &pushed));
  result = gp__leave_world(w, 1);
  return s->context ? gp__leave(s, w->who, pushed, result) : result;
}
GP__API gp_result gp_world_close(gp_world *world) {
  gp_result wrong = GP_SUCCESS;
  int open = 1;
  if (!gp__is_world(world, "gp_world_close", &wrong)) return wrong;
  if (!__atomic_compare_exchange_n(&world->open, &open, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return gp__fail(GP_E_CONTEXT, "gp_world_close: world is closed");
  pthread_mutex_lock(&world->lock);
  pthread_mutex_unlock(&world->lock);
  { GP__WITHIN(world->ctx, "gp_world_close", gp__world_close(world, s)); }
}
GP__API int gp_world_rank(const gp_world *world) {
  gp_result wrong = GP_SUCCESS;
  return gp__is_world(world, "gp_world_rank", &wrong) ? world->rank : -1;
}
GP__API int gp_world_size(const gp_world *world) {
  gp_result wrong = GP_SUCCESS;
  return gp__is_world(world, "gp_world_size", &wrong) ? world->size : -1;
}
// ---- calls by name

GP__API gp_result gp_world_reduce(gp_world *world, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream) {
  const gp_call c = gp__call(GP_REDUCE, op, in_type, out_type, in, out, count);
  return gp__named(gp_world_run(world, &c, stream), "gp_world_reduce");
}
GP__API gp_result gp_world_inclusive_scan(gp_world *world, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream) {
  const gp_call c = gp__call(GP_INCLUSIVE_SCAN, op, in_type, out_type, in, out, count);
  return gp__named(gp_world_run(world, &c, stream), "gp_world_inclusive_scan");
}
GP__API gp_result gp_world_exclusive_scan(gp_world *world, gp_op op, gp_type in_type, gp_type out_type,
    const void *init, const void *in, uint64_t count, void *out, gp_stream stream) {
  gp_call c = gp__call(GP_EXCLUSIVE_SCAN, op, in_type, out_type, in, out, count);
  c.init = init;
  return gp__named(gp_world_run(world, &c, stream), "gp_world_exclusive_scan");
}
GP__API gp_result gp_world_sort_pairs(gp_world *world, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, void *out_keys, void *out_values, uint64_t capacity, uint64_t *out_count,
    gp_stream stream) {
  gp_call c = gp__call(GP_SORT, GP_OP_DEFAULT, value_type, GP_TYPE_DEFAULT, values, out_values, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out_keys;
  c.capacity = capacity;
  c.out_count = out_count;
  return gp__named(gp_world_run(world, &c, stream),
      "gp_world_sort_pairs in=values in_type=value_type out=out_values out_type=value_type");
}
GP__API gp_result gp_world_sort_keys(gp_world *world, gp_type key_type, const void *keys, uint64_t count,
    void *out_keys, uint64_t capacity, uint64_t *out_count, gp_stream stream) {
  return gp__named(gp_world_sort_pairs(world, key_type, GP_TYPE_DEFAULT, keys, NULL, count, out_keys, NULL, capacity,
                       out_count, stream),
      "gp_world_sort_keys");
}
GP__API gp_result gp_world_top_k(gp_world *world, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, uint64_t k, void *out_keys, void *out_values, int flags, gp_stream stream) {
  gp_call c = gp__top_k_call(key_type, keys, count, k, out_keys, value_type, out_values, flags);
  c.in = values;
  c.in_type = values ? value_type : GP_TYPE_DEFAULT;
  return gp__named(gp_world_run(world, &c, stream),
      "gp_world_top_k in=values in_type=value_type out=out_values out_type=value_type");
}
GP__API gp_result gp_world_nth_element(gp_world *world, gp_type key_type, const void *keys, uint64_t count, uint64_t n,
    void *out, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_NTH_ELEMENT, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, NULL, NULL, count);
  gp__set_keys(&c, key_type, keys);
  c.out_keys = out;
  c.n = n;
  c.flags = flags;
  return gp__named(gp_world_run(world, &c, stream), "gp_world_nth_element out_keys=out");
}
GP__API gp_result gp_world_transpose(gp_world *world, gp_type type, const void *in, uint64_t rows, uint64_t columns,
    void *out, uint64_t capacity, uint64_t *out_rows, gp_stream stream) {
  gp_call c = gp__call(GP_TRANSPOSE, GP_OP_DEFAULT, type, type, in, out, 0);
  gp_permutation p = gp_permutation_init();
  p.dimensions = 2;
  p.order[0] = 1, p.order[1] = 0;
  p.extent[0] = rows, p.extent[1] = columns;
  c.permutation = &p;
  c.capacity = capacity;
  c.out_count = out_rows;
  return gp__named(gp_world_run(world, &c, stream),
      "gp_world_transpose in_type=type out_type=type permutation.extent[0]=rows permutation.extent[1]=columns");
}
GP__API gp_result gp_world_bfs(
    gp_world *world, const gp_graph *rows, uint64_t source, void *depths, void *parents, gp_stream stream) {
  gp_call c = gp_call_init(GP_BFS);
  c.graph = rows;
  c.source = source;
  c.out = depths;
  c.out2 = parents;
  return gp__named(gp_world_run(world, &c, stream), "gp_world_bfs graph=rows out=depths out2=parents");
}
GP__API gp_result gp_world_components(
    gp_world *world, const gp_graph *rows, void *labels, uint64_t *components, gp_stream stream) {
  gp_call c = gp_call_init(GP_CONNECTED_COMPONENTS);
  c.graph = rows;
  c.out = labels;
  c.out_count = components;
  return gp__named(gp_world_run(world, &c, stream), "gp_world_components graph=rows out=labels out_count=components");
}
