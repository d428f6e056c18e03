// external/calls.c - arrays larger than device memory: memory, calls by name
// uses: api/config.h, api/lists.h, api/structs.h, api/init.h, api/external.h, core/words.h, core/rules.h,
//   core/system.c, core/messages.c, core/driver.c, core/libraries.c, core/disk_cache.c, core/state.c, core/life.c,
//   core/close.c, core/types.c, core/workspaces.c, core/ask.c, external/transfer.c, external/passes.c

GP__HOST uint64_t gp__column_bytes(const gp__host_column *c, uint64_t count) {
  return (count * c->size + 255) & ~(uint64_t)255;
}
// Sets *bytes to the device memory for blocks of `count` elements: a sort's last block is smaller.
GP__HOST gp_result gp__external_bytes(gp__external *x, uint64_t count, uint64_t *bytes) {
  const uint64_t sizes[2] = {count, x->count % count};
  int i;
  for (i = 0, x->workspace_bytes = 0; i < 2; ++i) {
    uint64_t need = 0;
    if (!sizes[i]) continue;
    x->call.count = sizes[i];
    GP__CHECK(gp_workspace_size(x->ctx, &x->call, &need));
    need = (need + 255) & ~(uint64_t)255;
    if (need > x->workspace_bytes) x->workspace_bytes = need;
  }
  for (i = 0, *bytes = x->workspace_bytes + 256; i < x->columns; ++i) *bytes += 4 * gp__column_bytes(&x->in[i], count);
  return GP_SUCCESS;
}
// Chooses the largest blocks that fit.
GP__HOST gp_result gp__choose_block(gp__external *x) {
  uint64_t most = x->config.memory, low = 0, high = x->count, least = 1, need = 0;
  size_t unused = 0, total = 0;
  if (!most) {
    most = 1 << 30;
    if (x->s->context) {
      const int error = x->own.cuMemGetInfo ? x->own.cuMemGetInfo(&unused, &total)
          : x->s->library.runtime.driver.cuDeviceTotalMem(&unused, x->s->device);
      if (error) return gp__cuda_fail(&x->s->library.runtime, x->who, "cuMemGetInfo", error);
      most = unused - unused / 16;
    }
  }
  while (least < x->count / least + 2 && least < x->count) least += least / 64 + 1;
  while (low < high) { // the most that fit
    const uint64_t middle = low + (high - low + 1) / 2;
    GP__CHECK(gp__external_bytes(x, middle, &need));
    if (need <= most) low = middle;
    else high = middle - 1;
  }
  x->block = low;
  if (low < least) {
    GP__CHECK(gp__external_bytes(x, least, &need));
    return gp__fail(GP_E_MEMORY, "%s: %llu elements need config.memory of %llu bytes or more; there are %llu", x->who,
        (gp__u64)x->count, (gp__u64)need, (gp__u64)most);
  }
  return gp__external_bytes(x, low, &x->memory_bytes);
}
GP__HOST gp_result gp__external_memory(gp__external *x) {
  const struct gp_driver *d = &x->s->library.runtime.driver;
  gp__u8 *at;
  void *made = NULL;
  int i, j, k, error = 0;
  for (i = 0; i < 6 && x->s->context && !error; ++i) {
    if (i < 3 && x->own.cuStreamCreate) error = x->own.cuStreamCreate(&x->streams[i], 1);
    if (!error) error = d->cuEventCreate(&x->events[i], GP__CU_EVENT_NO_TIMING);
  }
  if (error) return gp__cuda_fail(&x->s->library.runtime, x->who, "cuStreamCreate or cuEventCreate", error);
  x->stage_bytes = GP__STAGE_BYTES;
  while (x->stage_bytes > 4096 && x->stage_bytes / 2 >= x->memory_bytes) x->stage_bytes /= 2;
  if (x->s->context) {
    error = d->cuMemHostAlloc(&made, 4 * x->stage_bytes + 16, 1);
    if (error) return gp__cuda_fail(&x->s->library.runtime, x->who, "cuMemHostAlloc", error), GP_E_MEMORY;
    x->stages = (gp__u8 *)made;
    x->counted = (uint64_t *)(void *)(x->stages + 4 * x->stage_bytes);
    made = NULL;
    GP__CHECK(gp__allocate(x->s, x->who, (size_t)x->memory_bytes, x->streams[2], &made));
    x->memory = (gp__u8 *)made;
    if ((error = d->cuStreamSynchronize(x->streams[2])) != 0)
      return gp__cuda_fail(&x->s->library.runtime, x->who, "cuStreamSynchronize", error);
  } else {
    x->memory = (gp__u8 *)malloc((size_t)x->memory_bytes);
    x->counted = (uint64_t *)malloc(16);
    if (!x->memory || !x->counted) return gp__fail(GP_E_MEMORY, "%s: no host memory", x->who);
  }
  x->counts = (uint64_t *)(void *)x->memory;
  at = x->memory + 256;
  for (i = 0; i < 2; ++i)
    for (j = 0; j < 2; ++j)
      for (k = 0; k < x->columns; ++k) x->buffers[i][j][k] = at, at += gp__column_bytes(&x->in[k], x->block);
  return GP_SUCCESS;
}
// Scratch for runs: the caller's, a temporary file, or host memory.
GP__HOST gp_result gp__external_scratch(gp__external *x) {
  const uint64_t keys = gp__column_bytes(&x->in[0], x->count), all = keys + x->count * x->in[1].size;
  const gp_external_array *a = x->config.scratch;
  char path[4096];
  int i, tries;
  if (!a && x->config.folder) {
    for (tries = 0; tries < 100 && x->file < 0; ++tries) {
      snprintf(path, sizeof path, "%s/gpuprims.%ld.%.0f", x->config.folder, (long)getpid(), gp__now_us());
      x->file = open(path, O_RDWR | O_CREAT | O_EXCL | GP__NOFOLLOW | GP__CLOEXEC, 0600);
      if (x->file < 0 && errno != EEXIST) break;
    }
    if (x->file < 0 || unlink(path))
      return gp__fail(GP_E_ARGUMENT, "%s: config.folder: no file can be made there: %s", x->who, strerror(errno));
    x->scratch.read = gp__file_read;
    x->scratch.write = gp__file_write;
    x->scratch.user = x;
  } else if (!a && !(x->scratch.memory = malloc((size_t)all)))
    return gp__fail(GP_E_MEMORY, "%s: no %llu bytes of host memory for runs: config.folder", x->who, (gp__u64)all);
  for (i = 0; i < 2; ++i) {
    x->runs[i].array = a ? a : &x->scratch;
    x->runs[i].at = i ? keys : 0;
    x->runs[i].size = x->in[i].size;
  }
  return GP_SUCCESS;
}
GP__HOST void gp__find_locked(const gp__external *x, gp__host_column *c) {
  int attribute = GP__CU_POINTER_MEMORY_TYPE, type = 0;
  void *answer = &type;
  if (x->s->context && c->array->memory)
    c->locked = !x->s->library.runtime.driver.cuPointerGetAttributes(1, &attribute, &answer,
                    (gp__cu_pointer)(uintptr_t)c->array->memory) &&
        type == 1; // CU_MEMORYTYPE_HOST
}
GP__HOST gp_result gp__external_work(gp__external *x, uint64_t *results) {
  uint64_t runs, *length, *room, *words, r;
  gp_result result;
  int i;
  GP__CHECK(gp__choose_block(x));
  GP__CHECK(gp__external_memory(x));
  runs = (x->count + x->block - 1) / x->block;
  if (runs > 1) GP__CHECK(gp__external_scratch(x));
  for (i = 0; i < x->columns; ++i) {
    gp__find_locked(x, &x->in[i]);
    gp__find_locked(x, &x->out[i]);
    if (runs > 1) gp__find_locked(x, &x->runs[i]);
  }
  words = (uint64_t *)calloc((size_t)runs, 6 * sizeof *words);
  x->pages = runs > 1 ? (gp__u8 *)malloc((size_t)runs * 4096) : NULL;
  if (!words || (runs > 1 && !x->pages)) {
    free(words);
    return gp__fail(GP_E_MEMORY, "%s: no host memory", x->who);
  }
  length = words + runs;
  room = words + 2 * runs;
  x->page = words;
  x->total = (runs > 1 ? 2 : 1) * x->count;
  if (runs == 1) {
    result = gp__external_pass(x, x->in, 1, &x->count, x->out, NULL, results, room);
  } else {
    result = gp__external_pass(x, x->in, 1, &x->count, x->runs, length, results, room);
    for (r = 0, x->total = x->count; r < runs; ++r) x->total += length[r];
    if (result == GP_SUCCESS) result = gp__external_pass(x, x->runs, runs, length, x->out, NULL, results, room);
  }
  free(words);
  return result;
}
// Gives back everything, also after an error.
GP__HOST gp_result gp__external_close(gp__external *x, gp_result result) {
  const struct gp_driver *d = &x->s->library.runtime.driver;
  int i;
  if (x->s->context) {
    for (i = 0; i < 3; ++i) d->cuStreamSynchronize(x->streams[i]);
    if (x->memory && x->s->release) gp__release(x->s, x->memory, (size_t)x->memory_bytes, x->streams[2]);
    else if (x->memory && x->s->pools) d->cuMemFreeAsync((gp__cu_pointer)(uintptr_t)x->memory, x->streams[2]);
    else if (x->memory) d->cuMemFree((gp__cu_pointer)(uintptr_t)x->memory);
    if (x->stages) d->cuMemFreeHost(x->stages);
    for (i = 0; i < 6; ++i)
      if (x->events[i]) d->cuEventDestroy(x->events[i]);
    for (i = 0; i < 3; ++i)
      if (x->streams[i]) d->cuStreamSynchronize(x->streams[i]), x->own.cuStreamDestroy(x->streams[i]);
  } else {
    free(x->memory);
    free(x->counted);
  }
  if (x->file >= 0) close(x->file);
  free(x->scratch.memory);
  free(x->pages);
  return result;
}

// ---- calls

GP__HOST gp_result gp__set_column(
    gp__external *x, gp__host_column *c, const char *name, const gp_external_array *array, int out) {
  c->array = array;
  if (!array || !(array->memory || (out ? array->write != NULL : array->read != NULL)))
    return gp__fail(GP_E_NULL, "%s: %s is null, or has neither memory nor %s", x->who, name, out ? "write" : "read");
  return GP_SUCCESS;
}
GP__HOST gp_result gp__external_call(gp__external *x, gp__state *s, gp_context *ctx, const gp_external_config *config,
    const gp_external_array *const *arrays, uint64_t *results) {
  static const char *const names[] = {"keys", "values", "out_keys", "out_values"};
  static const char *const library[] = {"libcuda.so.1", NULL};
  char why[256];
  void *opened;
  uint64_t bytes;
  gp_result result;
  int i, pushed = 0;
  x->s = s;
  x->ctx = ctx;
  x->file = -1;
  if (!results) return gp__fail(GP_E_NULL, "%s: groups is null", x->who);
  *results = 0;
  if (!config) return gp__fail(GP_E_NULL, "%s: config is null", x->who);
  if (config->struct_size != sizeof *config)
    return gp__fail(
        GP_E_ARGUMENT, "%s: config.struct_size is %u: gp_external_config_init sets it", x->who, config->struct_size);
  x->config = *config;
  x->call.flags = config->flags;
  if (config->flags & ~(x->call.primitive == GP_GROUP_BY ? 0 : GP_DESCENDING))
    return gp__fail(GP_E_ARGUMENT, "%s: config.flags is %d", x->who, config->flags);
  if (config->scratch && !config->scratch->memory && !(config->scratch->read && config->scratch->write))
    return gp__fail(GP_E_NULL, "%s: config.scratch has neither memory nor read and write", x->who);
  if ((int)x->call.key_type <= 0 || x->call.key_type == GP_INPUT || x->call.in_type == GP_INPUT)
    return gp__fail(
        GP_E_TYPE, "%s: key_type is %d, value_type is %d", x->who, (int)x->call.key_type, (int)x->call.in_type);
  if (config->less) {
    x->less = gp__user_op(x->s, config->less);
    if (x->call.primitive == GP_GROUP_BY || !x->less || !x->less->host || config->flags)
      return gp__fail(GP_E_OPERATOR,
          "%s: config.less is of sorts, a user's operator with gp_op_desc.host, without GP_DESCENDING", x->who);
    x->call.primitive = GP_MERGE_SORT;
    x->call.op = config->less;
  } else if (x->call.primitive == GP_SORT && (int)x->call.key_type >= (int)GP_TYPE_COUNT)
    return gp__fail(GP_E_TYPE, "%s: key_type is a struct, which needs config.less", x->who);
  x->columns = arrays[1] || arrays[3] || x->call.in_type ? 2 : 1;
  if (x->columns > 1 && !x->call.in_type)
    return gp__fail(GP_E_TYPE, "%s: value_type is 0, and there are values", x->who);
  for (i = 0; i < 4; ++i) {
    gp__host_column *c = i < 2 ? &x->in[i] : &x->out[i - 2];
    if (i % 2 < x->columns) GP__CHECK(gp__set_column(x, c, names[i], arrays[i], i > 1));
    c->size = i % 2 < x->columns ? gp_type_size(x->ctx, i % 2 ? x->call.in_type : x->call.key_type) : 0;
  }
  if (x->count > INT64_MAX / 128) return gp__fail(GP_E_SIZE, "%s: count is %llu", x->who, (gp__u64)x->count);
  x->call.keys = (void *)((uintptr_t)1 << 60); // apart: the check of a size asks for no more
  x->call.out_keys = (void *)((uintptr_t)2 << 60);
  if (x->columns > 1) x->call.in = (void *)((uintptr_t)3 << 60), x->call.out = (void *)((uintptr_t)4 << 60);
  x->call.count = x->count < 2 ? x->count : 2;
  GP__CHECK(gp_workspace_size(ctx, &x->call, &bytes));
  if (!x->count) return GP_SUCCESS;
  if (!x->s->context) return gp__external_close(x, gp__external_work(x, results));
  GP__CHECK(gp__enter(x->s, x->who, &pushed));
  opened = x->s->library.runtime.given ? NULL : gp__open_library(NULL, library, why, sizeof why);
  if (!opened || !gp__symbol(opened, "cuStreamCreate", (void *)&x->own.cuStreamCreate) ||
      !gp__symbol(opened, "cuStreamDestroy_v2", (void *)&x->own.cuStreamDestroy) ||
      !gp__symbol(opened, "cuMemGetInfo_v2", (void *)&x->own.cuMemGetInfo))
    memset(&x->own, 0, sizeof x->own);
  result = gp__external_close(x, gp__external_work(x, results));
  return gp__leave(x->s, x->who, pushed, result);
}
#define GP__EXTERNAL(which, by, room, results) \
  const gp_external_array *const arrays[4] = {keys, values, out_keys, out_values}; \
  gp__external x; \
  memset(&x, 0, sizeof x); \
  x.who = which == GP_SORT ? "gp_external_sort" : "gp_external_group_by"; \
  x.call = gp_call_init(which); \
  x.call.op = by; \
  x.call.key_type = key_type; \
  x.call.in_type = value_type; \
  x.count = count; \
  x.capacity = room; \
  GP__WITHIN(ctx, x.who, gp__external_call(&x, s, ctx, config, arrays, results))

GP__API gp_result gp_external_sort(gp_context *ctx, const gp_external_config *config, gp_type key_type,
    gp_type value_type, const gp_external_array *keys, const gp_external_array *values, uint64_t count,
    const gp_external_array *out_keys, const gp_external_array *out_values) {
  uint64_t results;
  GP__EXTERNAL(GP_SORT, GP_OP_DEFAULT, count, &results);
}
GP__API gp_result gp_external_group_by(gp_context *ctx, const gp_external_config *config, gp_op op, gp_type key_type,
    gp_type value_type, const gp_external_array *keys, const gp_external_array *values, uint64_t count,
    const gp_external_array *out_keys, const gp_external_array *out_values, uint64_t capacity, uint64_t *groups) {
  GP__EXTERNAL(GP_GROUP_BY, op, capacity, groups);
}
#undef GP__EXTERNAL
