// core/launch.c - launching one kernel
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, core/words.h, core/rules.h, core/shape.h,
//   core/geometry.h, core/arguments.h, core/system.c, core/messages.c, core/driver.c, core/libraries.c, core/request.c,
//   kinds.c, core/state.c

GP__HOST void gp__set_launch(
    gp__cu_launch *l, const gp__geometry *g, unsigned grid, gp_stream stream, gp__cu_attribute *attribute) {
  l->grid_x = grid;
  l->block_x = g->threads;
  l->grid_y = l->grid_z = l->block_y = l->block_z = 1;
  l->shared_bytes = g->shared_bytes;
  l->stream = stream;
  l->attributes = attribute;
  l->attribute_count = 1;
}
GP__HOST gp_result gp__launch_one(gp__state *s, const char *who, const gp__kernel *k, unsigned grid,
    const gp__geometry *g, int overlap, gp_stream stream, void *arguments) {
  const struct gp_driver *d = &s->library.runtime.driver;
  void *parameters[1];
  int error;
  parameters[0] = arguments;
  if (overlap == 1) {
    gp__cu_launch launch;
    gp__cu_attribute attribute;
    if (!d->cuLaunchKernelEx)
      return gp__fail(GP_E_POLICY, "%s: policy.overlap = 1 needs a driver with cuLaunchKernelEx", who);
    memset(&attribute, 0, sizeof attribute);
    attribute.id = GP__CU_PROGRAMMATIC_SERIALIZATION;
    attribute.value.number = 1;
    gp__set_launch(&launch, g, grid, stream, &attribute);
    error = d->cuLaunchKernelEx(&launch, k->function, parameters, NULL);
    return error ? gp__cuda_fail(&s->library.runtime, who, "cuLaunchKernelEx", error) : GP_SUCCESS;
  }
  error = d->cuLaunchKernel(k->function, grid, 1, 1, g->threads, 1, 1, g->shared_bytes, stream, parameters, NULL);
  return error ? gp__cuda_fail(&s->library.runtime, who, "cuLaunchKernel", error) : GP_SUCCESS;
}

// A call during its launch: its family launches the kernels.
typedef struct gp__launching {
  gp__state *s;
  const char *who;
  const gp__request *q;
  const gp__shape *h;
  const gp_policy *p;
  gp__kernel *const *kernels; // those of gp__kinds_of, in its order
  int count;
  const gp__geometry *g;
  void *workspace; // tagged words, or NULL
  void *scratch; // gp__geometry.scratch bytes, or NULL
  gp_stream stream;
} gp__launching;

// Room for the arguments of any kernel, with the data of described inputs behind them.
typedef union gp__argument_room {
  gp__value align;
  gp__u8 bytes[4096];
} gp__argument_room;
// The arguments as a kernel takes them: as they are, or in `room` with the data behind.
GP__HOST void *gp__arguments_with_inputs(
    const gp__request *q, const gp__kernel *k, void *arguments, gp__argument_room *room) {
#define GP__NAMED(KIND, kernel, arguments, names, traits) sizeof(arguments),
  static const size_t sizes[] = {GPUPRIMS__KINDS(GP__NAMED)};
#undef GP__NAMED
  const size_t size = sizes[k->spelling->kind];
  const size_t at = (size + GP__VECTOR - 1) / GP__VECTOR * GP__VECTOR; // the alignment of a gp__value
  if (!q->fused) return arguments;
  memcpy(room->bytes, arguments, size);
  memcpy(room->bytes + at, &q->inputs.data, sizeof q->inputs.data);
  return room->bytes;
}

// Launches all kernels of a call, one after the other, with the same arguments.
GP__HOST gp_result gp__launch_all(const gp__launching *l, void *arguments) {
  gp__argument_room room;
  int i;
  for (i = 0; i < l->count; ++i)
    GP__CHECK(gp__launch_one(l->s, l->who, l->kernels[i], l->g->grid, l->g, l->p->overlap, l->stream,
        gp__arguments_with_inputs(l->q, l->kernels[i], arguments, &room)));
  return GP_SUCCESS;
}
// Launches one step: kernel `which`, `grid` blocks of `threads` threads.
GP__HOST gp_result gp__launch_step(
    const gp__launching *l, int which, unsigned grid, unsigned threads, unsigned shared_bytes, void *arguments) {
  gp__geometry g = *l->g;
  gp__argument_room room;
  g.threads = threads;
  g.shared_bytes = shared_bytes;
  return gp__launch_one(l->s, l->who, l->kernels[which], grid, &g, l->p->overlap, l->stream,
      gp__arguments_with_inputs(l->q, l->kernels[which], arguments, &room));
}
// A grid that fills the device with this kernel, but has no more blocks than there is work.
GP__HOST unsigned gp__grid_of_step(const gp__launching *l, int which, int most_per_sm, uint64_t work) {
  const int occupancy = l->kernels[which]->occupancy > 0 ? l->kernels[which]->occupancy : 1;
  const uint64_t blocks =
      (uint64_t)l->h->multiprocessors * (unsigned)(most_per_sm && occupancy > most_per_sm ? most_per_sm : occupancy);
  return work < 1 ? 1 : (unsigned)(work < blocks ? work : blocks);
}

// The result of a launch if blocks cannot wait for each other.
enum { GP__REFUSED = 1 << 20 };
// Launches all blocks resident, or a single one.
GP__HOST gp_result gp__launch_resident(const gp__launching *l, void *args) {
  const struct gp_driver *d = &l->s->library.runtime.driver;
  void *parameters[1];
  int error;
  parameters[0] = args;
  if (l->g->grid == 1) return gp__launch_step(l, 0, 1, l->g->threads, l->g->shared_bytes, args);
  if (!d->cuLaunchCooperativeKernel) return (gp_result)GP__REFUSED;
  error = d->cuLaunchCooperativeKernel(
      l->kernels[0]->function, l->g->grid, 1, 1, l->g->threads, 1, 1, l->g->shared_bytes, l->stream, parameters);
  if (error == GP__CU_COOPERATIVE_TOO_LARGE || error == GP__CU_NOT_SUPPORTED) return (gp_result)GP__REFUSED;
  return error ? gp__cuda_fail(&l->s->library.runtime, l->who, "cuLaunchCooperativeKernel", error) : GP_SUCCESS;
}
// The same in clusters: as many of the grid's blocks as fit. *blocks, a part of the arguments, gets their number. NULL:
// a single cluster, whose blocks need no promise that they are all resident.
GP__HOST gp_result gp__launch_clusters(const gp__launching *l, unsigned cluster, unsigned *blocks, void *args) {
  const struct gp_driver *d = &l->s->library.runtime.driver;
  gp__cu_attribute attributes[2];
  gp__cu_launch launch;
  void *parameters[1];
  unsigned *const fits = &l->kernels[0]->code->cluster;
  gp__argument_room room;
  int clusters = 0, error;
  if (!d->cuLaunchKernelEx || !d->cuOccupancyMaxActiveClusters) return (gp_result)GP__REFUSED;
  memset(attributes, 0, sizeof attributes);
  attributes[0].id = GP__CU_CLUSTER_DIMENSION;
  attributes[0].value.extent[0] = cluster;
  attributes[0].value.extent[1] = attributes[0].value.extent[2] = 1;
  attributes[1].id = blocks ? GP__CU_COOPERATIVE : GP__CU_PROGRAMMATIC_SERIALIZATION;
  attributes[1].value.number = 1;
  gp__set_launch(&launch, l->g, l->g->grid / cluster * cluster, l->stream, attributes);
  parameters[0] = gp__arguments_with_inputs(l->q, l->kernels[0], args, &room);
  // Clusters of more than 8 blocks need the driver's permission; the launch reports what it cannot do.
  if (blocks || cluster > __atomic_load_n(fits, __ATOMIC_RELAXED)) {
    if (cluster > 8) d->cuFuncSetAttribute(l->kernels[0]->function, GP__CU_NON_PORTABLE_CLUSTERS, 1);
    error = d->cuOccupancyMaxActiveClusters(&clusters, l->kernels[0]->function, &launch);
    if (error || clusters < 1) return (gp_result)GP__REFUSED;
    __atomic_store_n(fits, cluster, __ATOMIC_RELAXED);
  }
  if (blocks && launch.grid_x > (unsigned)clusters * cluster) launch.grid_x = (unsigned)clusters * cluster;
  if (blocks) *blocks = launch.grid_x;
  launch.attribute_count = blocks || l->p->overlap == 1 ? 2 : 1;
  error = d->cuLaunchKernelEx(&launch, l->kernels[0]->function, parameters, NULL);
  return !error ? GP_SUCCESS
      : error == GP__CU_COOPERATIVE_TOO_LARGE || error == GP__CU_NOT_SUPPORTED || error == GP__CU_INVALID_VALUE ||
          error == GP__CU_INVALID_CLUSTER_SIZE
      ? (gp_result)GP__REFUSED
      : gp__cuda_fail(&l->s->library.runtime, l->who, "cuLaunchKernelEx", error);
}
// One cluster, or one block where that is refused.
GP__HOST gp_result gp__launch_cluster(const gp__launching *l, void *arguments) {
  if (l->g->grid > 1) {
    const int result = (int)gp__launch_clusters(l, l->g->grid, NULL, arguments);
    if (result != GP__REFUSED) return (gp_result)result;
    gp__log(&l->s->library.runtime, GP_LOG_WARNING,
        "%s: the device refused a launch in clusters: falling back to one block", l->who);
  }
  return gp__launch_step(l, 0, 1, l->g->threads, l->g->shared_bytes, arguments);
}
