// core/load.c - loading a kernel, fitting it to the device
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, core/geometry.h, core/families.h, core/system.c,
//   core/messages.c, core/driver.c, core/libraries.c, core/request.c, core/program.c, core/image.c, core/kinds.c,
//   core/primitive.c, core/state.c, core/kinds_of.c, core/spelling.c, core/kernel_text.c, core/kernels.c

// Dynamic shared memory that a block gets without asking: 48 KiB, less the static, which is below 36 KiB.
enum { GP__SHARED_BYTES_ALLOWED = 12 * 1024 };

GP__HOST gp_result gp__load_image(gp__state *s, const char *who, const gp__image *image, gp__code *c) {
  const struct gp_driver *d = &s->library.runtime.driver;
  const char *call = "cuThreadExchangeStreamCaptureMode";
  void *module = NULL, *function = NULL;
  int mode = GP__CU_CAPTURE_RELAXED, error;
  // Loading belongs to no stream: a capture of this or of another thread must not forbid it.
  error = d->cuThreadExchangeStreamCaptureMode(&mode);
  if (error) return gp__cuda_fail(&s->library.runtime, who, call, error);
  call = "cuModuleLoadData", error = d->cuModuleLoadData(&module, image->data);
  if (error) module = NULL;
  else call = "cuModuleGetFunction", error = d->cuModuleGetFunction(&function, module, "gp__entry");
  if (error) {
    const gp_result result = gp__cuda_fail(&s->library.runtime, who, call, error);
    if (module) d->cuModuleUnload(module);
    d->cuThreadExchangeStreamCaptureMode(&mode);
    return result;
  }
  d->cuThreadExchangeStreamCaptureMode(&mode);
  c->module = module;
  c->function = function;
  c->allowed_bytes = GP__SHARED_BYTES_ALLOWED;
  return GP_SUCCESS;
}

// The time that this thread has spent loading. The driver may wait for running kernels, and calls wait with it.
static __thread double gp__loading_us;
// The same; measurements that it may disturb can tell.
GP__HOST gp_result gp__load_module(gp__state *s, const char *who, const gp__image *image, gp__code *c) {
  const double began = gp__now_us();
  gp_result result;
  __atomic_add_fetch(&s->loading, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&s->loads, 1, __ATOMIC_RELAXED);
  result = gp__load_image(s, who, image, c);
  __atomic_sub_fetch(&s->loading, 1, __ATOMIC_RELAXED);
  gp__loading_us += gp__now_us() - began;
  return result;
}

// Allows a kernel's blocks their shared memory, and says how many of them then fit a multiprocessor. The allowance
// never shrinks: other threads launch too, and other kernels share the machine code.
GP__HOST gp_result gp__allow_geometry(
    gp__state *s, const char *who, gp__code *c, const gp__geometry *g, int *occupancy) {
  const struct gp_driver *d = &s->library.runtime.driver;
  const char *call = "cuFuncSetAttribute";
  int error = 0;
  pthread_mutex_lock(&s->lock);
  if (g->shared_bytes > c->allowed_bytes) {
    error = d->cuFuncSetAttribute(c->function, GP__CU_DYNAMIC_SHARED_BYTES, (int)g->shared_bytes);
    if (!error) c->allowed_bytes = g->shared_bytes;
  }
  pthread_mutex_unlock(&s->lock);
  if (!error)
    call = "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    error = d->cuOccupancyMaxActiveBlocksPerMultiprocessor(occupancy, c->function, (int)g->threads, g->shared_bytes);
  if (error) return gp__cuda_fail(&s->library.runtime, who, call, error);
  return *occupancy > 0 ? GP_SUCCESS
      : gp__fail(GP_E_POLICY,
                              "%s: the policy's block (%u threads, %u bytes of shared memory) does not fit a "
                              "multiprocessor",
                              who, g->threads, g->shared_bytes);
}
// The same for a kernel whose shared memory differs from call to call (a histogram's, by its bins).
GP__HOST gp_result gp__fit_kernel(gp__state *s, const char *who, gp__kernel *k, const gp__geometry *g, int *occupancy) {
  *occupancy = k->occupancy;
  return g->shared_bytes == k->shared_bytes ? GP_SUCCESS : gp__allow_geometry(s, who, k->code, g, occupancy);
}

// Threads and shared memory of the blocks of one kernel of a call.
GP__HOST gp__geometry gp__geometry_of_kind(gp_policy p, gp__form h, gp__kernel_kind kind) {
  gp__geometry g = gp__geometry_of(p, h, 0);
  const gp__kernel_rules *own = gp__kernel_rules_of(h->primitive);
  g.threads = gp__threads_of_kind(&p, h, kind);
  if (gp__traits_of_kind(kind) & GP__NO_SHARED) g.shared_bytes = 0;
  else if (own && own->block) own->block(p, h, kind, &g);
  return g;
}

// Finds or builds the machine code of a program; *out counts one kernel more, even after a failure.
GP__HOST gp_result gp__get_code(
    gp__state *s, const char *who, const gp__program *p, int device_capability, int capability, gp__code **out) {
  gp__code *c;
  gp__image image;
  gp_result result;
  pthread_mutex_lock(&s->lock);
  *out = c = gp__make_code(s, p->key, capability);
  if (c) ++c->kernels;
  if (c && s->warming.name && !c->line.data) gp__list_program(&c->line, p);
  while (c && c->state == 1) pthread_cond_wait(&s->built, &s->lock);
  if (c && c->state == 2) {
    pthread_mutex_unlock(&s->lock);
    return GP_SUCCESS;
  }
  if (c) c->state = 1;
  pthread_mutex_unlock(&s->lock);
  if (!c) return gp__fail(GP_E_MEMORY, "%s: no memory for a kernel", who);
  memset(&image, 0, sizeof image);
  result = gp__find_image(&s->library, who, p, device_capability, capability != 0, &image);
  if (result == GP_SUCCESS && capability) c->image = image;
  else if (result == GP_SUCCESS) {
    result = gp__load_module(s, who, &image, c);
    free(image.owned);
  }
  pthread_mutex_lock(&s->lock);
  c->source = image.source;
  if (result == GP_SUCCESS) ++s->about.kernels[c->source];
  c->state = result == GP_SUCCESS ? 2 : 0; // after a failure the next call tries again
  pthread_cond_broadcast(&s->built);
  pthread_mutex_unlock(&s->lock);
  return result;
}

// A thread that sets this gets spellings, and builds nothing.
static __thread struct {
  gp_result (*spelled)(void *user, const char *who, const gp__spelling *w);
  void *user;
} gp__seeking;

// Finds or builds a kernel. Two threads may build different kernels at once; the same one is built once. load: as a
// module of the driver; otherwise its image is kept, for gp_compile. *out stays until gp__let_kernels_go; NULL after an
// error.
GP__HOST gp_result gp__get_kernel(gp__state *s, const char *who, const gp__request *q, const gp_policy *policy,
    gp__form h, gp__kernel_kind kind, int load, gp__kernel **out) {
  gp__kernel *k;
  gp__code *code = NULL, *dropped = NULL;
  gp__program program;
  gp__spelling spelling;
  gp_result result;
  int occupancy = 0, ready;
  const gp_policy own = gp__policy_of_kind(*policy, h, kind), *p = &own;
  *out = NULL;
  gp__spell(q, p, h, kind, load ? 0 : h->compute_capability, &spelling);
  if (gp__seeking.spelled) return gp__seeking.spelled(gp__seeking.user, who, &spelling);
  pthread_mutex_lock(&s->lock);
  k = gp__make_kernel(s, &spelling);
  if (k) gp__use_kernel(s, k);
  while (k && k->state == 1) pthread_cond_wait(&s->built, &s->lock);
  ready = k && k->state == 2;
  if (k && !ready) {
    k->state = 1;
    gp__evict_kernels(s, &dropped);
  }
  pthread_mutex_unlock(&s->lock);
  if (!k) return gp__fail(GP_E_MEMORY, "%s: no memory for a kernel", who);
  if (ready) {
    *out = k;
    return GP_SUCCESS;
  }
  gp__free_codes(s, dropped);
  dropped = NULL;

  result = gp__write_program(who, &spelling, &program);
  if (result == GP_SUCCESS) result = gp__get_code(s, who, &program, h->compute_capability, spelling.capability, &code);
  gp__free_program(&program);
  if (result == GP_SUCCESS && load) {
    const gp__geometry g = gp__geometry_of_kind(*p, h, kind);
    result = gp__allow_geometry(s, who, code, &g, &occupancy);
    k->shared_bytes = g.shared_bytes;
  }
  pthread_mutex_lock(&s->lock);
  if (result == GP_SUCCESS) {
    k->code = code;
    k->function = code->function;
    k->occupancy = occupancy;
    *out = k;
  } else {
    gp__drop_code(s, code, &dropped);
    __atomic_fetch_sub(&k->users, 1, __ATOMIC_RELEASE);
  }
  k->state = result == GP_SUCCESS ? 2 : 0; // after a failure the next call tries again
  pthread_cond_broadcast(&s->built);
  pthread_mutex_unlock(&s->lock);
  gp__free_codes(s, dropped);
  return result;
}
