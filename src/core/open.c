// core/open.c - opening and closing a context
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/init.h, core/words.h, core/rules.h,
//   core/rows.h, core/system.c, core/messages.c, core/struct_size.c, core/driver.c, core/libraries.c, core/text.c,
//   core/bundle_file.c, core/image.c, core/table.c, core/state.c, core/life.c, core/close.c

GP__HOST gp_policy_source gp__scope_source(const char *scope, const char *device, int capability) {
  char own[16];
  const gp__policy_class *c;
  snprintf(own, sizeof own, "sm_%d", capability);
  if (strcmp(scope, device) == 0) return GP_POLICY_DEVICE;
  if (strcmp(scope, own) == 0) return GP_POLICY_CAPABILITY;
  if (strcmp(scope, "portable") == 0) return GP_POLICY_PORTABLE;
  for (c = gp__policy_classes; c->name; ++c)
    if (strncmp(scope, "class:", 6) == 0 && strcmp(scope + 6, c->name) == 0 && strcmp(c->device, device) == 0)
      return GP_POLICY_CLASS;
  return (gp_policy_source)0;
}

GP__HOST void gp__make_table(gp__table *t, const char *device, int capability) {
  const char *scope = NULL;
  gp__u8 source = 0;
  int i;
  for (i = 0; i < GP_PRIMITIVE_COUNT; ++i) t->first[i] = GP__POLICY_ROWS;
  for (i = GP__POLICY_ROWS; i-- > 0;) { // rows of one scope are neighbours, and compilers merge equal texts
    const gp__policy_row *row = &gp__policy_rows[i];
    if (row->scope != scope && (!scope || strcmp(row->scope, scope)))
      source = (gp__u8)gp__scope_source(row->scope, device, capability);
    scope = row->scope;
    if (!source || row->primitive <= GP_PRIMITIVE_NONE || row->primitive >= GP_PRIMITIVE_COUNT) continue;
    t->row[i].source = source;
    t->row[i].step = t->first[row->primitive] - i;
    t->first[row->primitive] = i;
  }
}

// Finds the device and describes it. *none: this machine has no driver or no device, which is no fault.
GP__HOST gp_result gp__find_device(gp__state *s, const gp_config *c, int *none) {
  const char *who = "gp_open";
  gp__runtime *r = &s->library.runtime;
  struct gp_driver *d = &r->driver;
  gp_description *a = &s->about;
  int count = 0, error, major = 0, minor = 0;
  size_t memory = 0;
  if (c->driver) {
    *d = *c->driver;
    r->given = 1;
  } else {
    char why[1024];
    if (!gp__open_cuda(d, c->cuda_library, why, sizeof why, none))
      return gp__fail(GP_E_NO_DEVICE, "%s: the CUDA driver cannot be opened: %s", who, why);
  }
#define GP__CALL(function, arguments) \
  do { \
    error = d->function arguments; \
    if (error) return gp__cuda_fail(r, who, #function, error); \
  } while (0)
  error = d->cuInit(0);
  if (error == GP__CU_OUT_OF_MEMORY) return gp__cuda_fail(r, who, "cuInit", error);
  if (error) {
    gp__cuda_fail(r, who, "cuInit", error);
    *none = error == GP__CU_NO_DEVICE;
    return GP_E_NO_DEVICE;
  }
  GP__CALL(cuDeviceGetCount, (&count));
  a->device = c->device;
  if (c->device == GP_DEVICE_CURRENT) {
    void *current = NULL;
    GP__CALL(cuCtxGetCurrent, (&current));
    a->device = 0;
    if (current) GP__CALL(cuCtxGetDevice, (&a->device));
  }
  *none = count == 0;
  if (a->device >= count)
    return gp__fail(GP_E_NO_DEVICE, "%s: gp_config.device is %d, but the driver has %d device%s", who, a->device, count,
        count == 1 ? "" : "s");
  GP__CALL(cuDeviceGet, (&s->device, a->device));
  GP__CALL(cuDriverGetVersion, (&a->driver_version));
  GP__CALL(cuDeviceGetName, (a->name, (int)sizeof a->name, s->device));
  a->name[sizeof a->name - 1] = 0;
  GP__CALL(cuDeviceGetAttribute, (&major, GP__CU_CAPABILITY_MAJOR, s->device));
  GP__CALL(cuDeviceGetAttribute, (&minor, GP__CU_CAPABILITY_MINOR, s->device));
  a->compute_capability = major * 10 + minor;
  if (a->compute_capability < 75)
    return gp__fail(GP_E_DEVICE_TOO_OLD,
        "%s: device %d (%s) has compute capability %d.%d; 7.5 is the oldest that works", who, a->device, a->name, major,
        minor);
  GP__CALL(cuDeviceGetAttribute, (&a->multiprocessors, GP__CU_MULTIPROCESSORS, s->device));
  GP__CALL(cuDeviceGetAttribute, (&a->shared_bytes_per_block, GP__CU_SHARED_BYTES_OPT_IN, s->device));
  GP__CALL(cuDeviceGetAttribute, (&s->pools, GP__CU_MEMORY_POOLS, s->device));
  GP__CALL(cuDeviceGetAttribute, (&s->pageable, GP__CU_PAGEABLE_ACCESS, s->device));
  GP__CALL(cuDeviceTotalMem, (&memory, s->device));
#undef GP__CALL
  if (!d->cuMemAllocAsync || !d->cuMemFreeAsync) s->pools = 0;
  a->memory_bytes = memory;
  a->backend = GP_BACKEND_CUDA;
  return GP_SUCCESS;
}

// The folder of the disk cache; NULL: there is none.
GP__HOST char *gp__cache_folder(const char *given, int *failed) {
  const char *base = getenv("XDG_CACHE_HOME"), *tail = "/gpuprims";
  char *path;
  if (given) return *given ? gp__duplicate(given, failed) : NULL;
  if (!base || *base != '/') {
    base = getenv("HOME");
    tail = "/.cache/gpuprims";
  }
  if (!base || *base != '/') return NULL;
  path = (char *)malloc(strlen(base) + strlen(tail) + 1);
  if (!path) {
    *failed = 1;
    return NULL;
  }
  strcpy(path, base);
  strcat(path, tail);
  return path;
}

GP__HOST gp_result gp__check_config(const gp_config *c) {
  const char *who = "gp_open";
  if ((int)c->backend < GP_BACKEND_AUTO || (int)c->backend > GP_BACKEND_HOST)
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config.backend is %d, not a gp_backend", who, (int)c->backend);
  if (c->device < GP_DEVICE_CURRENT)
    return gp__fail(
        GP_E_ARGUMENT, "%s: gp_config.device is %d, neither an index nor GP_DEVICE_CURRENT", who, c->device);
  if (!c->allocate != !c->release)
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config.allocate and gp_config.release: set both or neither", who);
#define GP__ABSOLUTE(path, or_empty) \
  if (c->path && *c->path != '/' && (*c->path || !(or_empty))) \
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config." #path " is \"%s\", not an absolute path", who, c->path);
  GP__ABSOLUTE(cuda_library, 0)
  GP__ABSOLUTE(nvrtc_library, 0)
  GP__ABSOLUTE(cache_dir, 1)
  GP__ABSOLUTE(bundle_file, 1)
#undef GP__ABSOLUTE
  if (c->host_threads < 0)
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config.host_threads is %d, below 0", who, c->host_threads);
  if (c->workspaces < 0) return gp__fail(GP_E_ARGUMENT, "%s: gp_config.workspaces is %d, below 0", who, c->workspaces);
  if ((int)c->tuning < GP_TUNING_OFF || (int)c->tuning > GP_TUNING_ONLINE)
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config.tuning is %d, not a gp_tuning", who, (int)c->tuning);
  if (c->tuning && c->no_compile)
    return gp__fail(GP_E_ARGUMENT, "%s: gp_config.tuning compiles kernels, but gp_config.no_compile is set", who);
  return c->bundle ? gp__check_bundle(who, c->bundle) : GP_SUCCESS;
}

GP__HOST gp_result gp__open(const gp_config *config, gp_context **ctx) {
  const char *who = "gp_open";
  gp_config c = gp_config_init();
  gp_context *shell;
  gp__state *s;
  gp_result result = GP_SUCCESS;
  int failed = 0, none = 0;
  if (!ctx) return gp__fail(GP_E_NULL, "%s: ctx is null", who);
  *ctx = NULL;
  if (config) {
    GP__TAKE_STRUCT("gp_open", "config", config, c, gp_config);
    c = *config;
  }
  GP__CHECK(gp__check_config(&c));
  pthread_once(&gp__fork_once, gp__watch_forks);
  s = (gp__state *)calloc(1, sizeof *s);
  shell = (gp_context *)calloc(1, sizeof *shell);
  if (!s || !shell) {
    free(s);
    free(shell);
    return gp__fail(GP_E_MEMORY, "%s: no memory for the context", who);
  }
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->built, NULL);
  pthread_cond_init(&s->warming.work, NULL);
  pthread_mutex_init(&s->library.runtime.nvrtc_lock, NULL);
  pthread_mutex_init(&s->library.cache.lock, NULL);
  pthread_mutex_init(&s->library.file.lock, NULL);
  s->library.runtime.log = c.log;
  s->library.runtime.log_user = c.log_user;
  s->library.runtime.no_compile = c.no_compile;
  s->library.runtime.nvrtc_path = gp__duplicate(c.nvrtc_library, &failed);
  s->library.cache.folder = gp__cache_folder(c.cache_dir, &failed);
  s->library.bundle = c.bundle;
  gp__name_bundle(&s->library.file, c.bundle_file);
  s->allocate = c.allocate;
  s->release = c.release;
  s->allocator_user = c.allocator_user;
  s->host_threads = c.host_threads;
  s->workspaces = c.workspaces ? c.workspaces : GP_WORKSPACES;
  s->most_bytes = c.workspace_bytes;
  s->own_work = c.own_work;
  s->events = c.own_work || c.workspace_bytes;
  s->kernels_most = GP__KERNELS_MOST;
  s->library.cache.most = c.cache_bytes ? c.cache_bytes : (uint64_t)512 << 20;
  if (failed) result = gp__fail(GP_E_MEMORY, "%s: no memory for the context", who);
  if (result == GP_SUCCESS && c.backend != GP_BACKEND_HOST) {
    result = gp__find_device(s, &c, &none);
    if (result == GP_SUCCESS) {
      void *primary = NULL;
      const int error = s->library.runtime.driver.cuDevicePrimaryCtxRetain(&primary, s->device);
      if (error) result = gp__cuda_fail(&s->library.runtime, who, "cuDevicePrimaryCtxRetain", error);
      else {
        s->context = primary;
        gp__log(&s->library.runtime, GP_LOG_INFO, "using the CUDA back end: device %d, %s, compute capability %d.%d",
            s->about.device, s->about.name, s->about.compute_capability / 10, s->about.compute_capability % 10);
      }
    } else if (c.backend == GP_BACKEND_AUTO && none) {
      gp__log(&s->library.runtime, GP_LOG_INFO, "using the host back end: %s", gp__here.draft);
      memset(&s->about, 0, sizeof s->about);
      snprintf(s->about.fallback, sizeof s->about.fallback, "%.255s", gp__here.draft + strlen("gp_open: "));
      result = GP_SUCCESS;
    }
  }
  if (result == GP_SUCCESS && !s->context) {
    s->library.runtime.given = c.driver != NULL;
    if (c.driver) s->library.runtime.driver = *c.driver;
    s->about.backend = GP_BACKEND_HOST;
    s->about.device = -1;
    strcpy(s->about.name, "host");
#ifdef _OPENMP
    s->about.multiprocessors = c.host_threads ? c.host_threads : omp_get_max_threads();
#else
    s->about.multiprocessors = 1;
#endif
    s->host_threads = s->about.multiprocessors;
  }
  if (result == GP_SUCCESS) gp__make_table(&s->table, s->about.name, s->about.compute_capability);
  if (result == GP_SUCCESS && s->context && c.tuning) result = gp__open_online(s);
  if (result != GP_SUCCESS) {
    char said[GP__MESSAGE_BYTES]; // the cause, even if something fails on the way out
    strcpy(said, gp__here.draft);
    free(shell);
    gp__close_online(s);
    gp__destroy(s, who);
    strcpy(gp__here.draft, said);
    return result;
  }
  pthread_mutex_init(&shell->lock, NULL);
  pthread_cond_init(&shell->left, NULL);
  shell->generation = gp__generation;
  shell->state = s;
  pthread_mutex_lock(&gp__contexts_lock);
  shell->next = gp__contexts;
  __atomic_store_n(&gp__contexts, shell, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&gp__contexts_lock);
  *ctx = shell;
  return GP_SUCCESS;
}

GP__API gp_result gp_open(const gp_config *config, gp_context **ctx) {
  gp_result result = GP_SUCCESS;
  if (gp__is_hook("gp_open", &result)) {
    if (ctx) *ctx = NULL;
    return result;
  }
  ++gp__here.inside;
  return gp__said(gp__open(config, ctx));
}

GP__API gp_result gp_close(gp_context *ctx) {
  gp_result result = GP_SUCCESS;
  gp__state *s = gp__begin(ctx, "gp_close", &result);
  if (!s) return result;
  s = __atomic_exchange_n(&ctx->state, (gp__state *)NULL, __ATOMIC_SEQ_CST);
  gp__step_out(ctx);
  if (!s) return gp__said(gp__fail(GP_E_CONTEXT, "gp_close: ctx is closed")); // another thread was faster
  pthread_mutex_lock(&ctx->lock);
  while (__atomic_load_n(&ctx->inside, __ATOMIC_SEQ_CST)) pthread_cond_wait(&ctx->left, &ctx->lock);
  pthread_mutex_unlock(&ctx->lock);
  gp__close_online(s);
  gp__close_warm(s);
  return gp__said(gp__destroy(s, "gp_close"));
}

GP__HOST gp_result gp__describe(gp__state *s, gp_description *description) {
  if (!description) return gp__fail(GP_E_NULL, "gp_describe: description is null");
  if (description->struct_size != sizeof *description)
    GP__CHECK(gp__check_size(
        "gp_describe", "description", description, GP__LEAST_gp_description, sizeof *description, "gp_description"));
  pthread_mutex_lock(&s->lock);
  gp_description about = s->about;
  pthread_mutex_unlock(&s->lock);
  pthread_mutex_lock(&s->library.runtime.nvrtc_lock);
  about.nvrtc_version = s->library.runtime.nvrtc_open ? s->library.runtime.nvrtc_version : 0;
  pthread_mutex_unlock(&s->library.runtime.nvrtc_lock);
  pthread_mutex_lock(&s->library.file.lock);
  memcpy(about.bundle, s->library.file.said, sizeof about.bundle);
  pthread_mutex_unlock(&s->library.file.lock);
  gp__hand_out(description, &about, sizeof about);
  return GP_SUCCESS;
}
GP__API gp_result gp_describe(gp_context *ctx, gp_description *description) {
  GP__WITHIN(ctx, "gp_describe", gp__describe(s, description));
}
