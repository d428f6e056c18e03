// core/launch.c - launching one kernel
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, core/shape.h, reduce/policy.h, core/geometry.h,
//   map/arguments.h, reduce/arguments.h, scan/arguments.h, select/arguments.h, segments/arguments.h,
//   histogram/arguments.h, search/arguments.h, layouts/arguments.h, core/system.c, core/messages.c, core/driver.c,
//   core/libraries.c, core/request.c, layouts/host.c, core/kinds.c, core/state.c, core/checking.c

GPUPRIMS__PRIVATE gp_result gp__launch_one(gp__state *s, const char *who, const gp__kernel *k, unsigned grid,
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
    memset(&launch, 0, sizeof launch);
    memset(&attribute, 0, sizeof attribute);
    attribute.id = GP__CU_PROGRAMMATIC_SERIALIZATION;
    attribute.value.number = 1;
    launch.grid_x = grid;
    launch.block_x = g->threads;
    launch.grid_y = launch.grid_z = launch.block_y = launch.block_z = 1;
    launch.shared_bytes = g->shared_bytes;
    launch.stream = stream;
    launch.attributes = &attribute;
    launch.attribute_count = 1;
    error = d->cuLaunchKernelEx(&launch, k->function, parameters, NULL);
    return error ? gp__cuda_fail(&s->library.runtime, who, "cuLaunchKernelEx", error) : GP_SUCCESS;
  }
  error = d->cuLaunchKernel(k->function, grid, 1, 1, g->threads, 1, 1, g->shared_bytes, stream, parameters, NULL);
  return error ? gp__cuda_fail(&s->library.runtime, who, "cuLaunchKernel", error) : GP_SUCCESS;
}

typedef union gp__arguments {
  gp__map_args map;
  gp__reduce_args reduce;
  gp__scan_args scan;
  gp__stream_args stream;
  gp__segment_args segment;
  gp__histogram_args histogram;
  gp__search_args search;
  gp__layout_args layout;
} gp__arguments;

GPUPRIMS__PRIVATE void gp__stream_arguments(const gp__request *q, gp__stream_args *a) {
  const int predicate = gp__is_predicated(q->primitive) && q->op;
  a->keys = predicate ? q->in : q->keys;
  a->values = predicate ? NULL : q->in;
  a->out_keys = q->out_keys;
  a->out_values = q->out;
  a->out2 = q->out2;
  a->out3 = q->out3;
  a->out_count = (unsigned long long *)q->out_count;
  a->offsets = q->begin;
  a->segments = q->segments;
  a->bad = (const unsigned long long *)q->bad;
  a->first = q->init;
  a->second = q->step;
  a->has_init = q->has_init;
}

// What the kernels of a call are given, all alike.
GPUPRIMS__PRIVATE void gp__fill_arguments(const gp__request *q, const gp__shape *h, const gp__geometry *g,
                                          void *workspace, gp__arguments *a) {
  const unsigned long long *count_device = (const unsigned long long *)q->count_device;
  memset(a, 0, sizeof *a);
  switch (gp__family_of(q->primitive)) {
  case GP__FAMILY_SCAN:
    a->scan.in = q->in;
    a->scan.out = q->out;
    a->scan.count = q->count;
    a->scan.count_device = count_device;
    a->scan.workspace = workspace;
    a->scan.init = q->init;
    a->scan.has_init = q->has_init;
    a->scan.blocks = g->grid;
    break;
  case GP__FAMILY_REDUCE:
    a->reduce.in = q->primitive == GP_CHECK_OFFSETS ? q->begin : q->primitive == GP_IS_SORTED ? q->keys : q->in;
    a->reduce.out = q->primitive == GP_CHECK_OFFSETS                              ? q->bad
                    : q->primitive == GP_COUNT_IF || q->primitive == GP_IS_SORTED ? q->out_count
                                                                                  : q->out;
    a->reduce.count = h->count;
    a->reduce.count_device = count_device;
    a->reduce.workspace = workspace;
    a->reduce.rounds = h->reproducible ? gp__canonical_rounds(h->count, h->in_size) : 1;
    a->reduce.limit = q->count;
    a->reduce.limit_device = (const unsigned long long *)q->limit_device;
    if (q->primitive == GP_REDUCE) {
      a->reduce.init = q->init;
      a->reduce.has_init = q->has_init;
    } else a->reduce.scalar = q->init;
    break;
  case GP__FAMILY_STREAM:
    gp__stream_arguments(q, &a->stream);
    a->stream.count = q->count;
    a->stream.count_device = count_device;
    a->stream.workspace = workspace;
    break;
  case GP__FAMILY_SEGMENTS:
    if (q->primitive == GP_LOAD_BALANCE) {
      a->search.sorted = q->begin;
      a->search.length = q->segments;
      a->search.out = q->out;
      a->search.count = q->count;
      a->search.count_device = count_device;
      a->search.bad = (const unsigned long long *)q->bad;
      break;
    }
    a->segment.in = q->in;
    a->segment.begin = q->begin;
    a->segment.end = q->end;
    a->segment.out = q->out;
    a->segment.count = q->count;
    a->segment.segments = q->segments;
    a->segment.length = q->length;
    a->segment.bad = (const unsigned long long *)q->bad;
    a->segment.workspace = workspace;
    a->segment.share = g->share;
    a->segment.rate = (double)q->segments / ((double)q->count + (double)q->segments);
    a->segment.init = q->init;
    a->segment.has_init = q->has_init;
    a->segment.log2_lanes = g->log2_lanes;
    break;
  case GP__FAMILY_HISTOGRAM:
    a->histogram.in = q->in;
    a->histogram.weights = q->in2;
    a->histogram.boundaries = q->begin;
    a->histogram.out = q->out;
    a->histogram.count = q->count;
    a->histogram.count_device = count_device;
    a->histogram.bins = q->bins;
    a->histogram.workspace = workspace;
    a->histogram.lower = q->init;
    a->histogram.upper = q->step;
    a->histogram.channels = q->channels;
    a->histogram.active = q->active;
    a->histogram.replicas = g->replicas;
    break;
  default:
    if (gp__is_bound(q->primitive)) {
      a->search.sorted = q->keys;
      a->search.length = q->length;
      a->search.needles = q->in;
      a->search.out = q->out;
      a->search.count = q->count;
      a->search.count_device = count_device;
      break;
    }
    if (q->primitive == GP_CONVERT_LAYOUT) {
      gp__layout_arguments(q, q->in, &a->layout);
      break;
    }
    a->map.in = q->in ? q->in : q->out; // never read; but null plus an offset has no meaning
    a->map.in2 = q->in2 ? q->in2 : q->out;
    a->map.out = q->out;
    a->map.count = q->count;
    a->map.count_device = count_device;
    a->map.value = q->init;
    a->map.step = q->step;
  }
}

// A planned call on its way: its family launches the steps.
typedef struct gp__launching {
  gp__state *s;
  const char *who;
  const gp__request *q;
  const gp__shape *h;
  const gp_policy *p;
  gp__kernel *const *kernels; // those of gp__kinds_of_plan, in its order
  int count;
  const gp__geometry *g;
  void *workspace; // tagged words, or NULL
  void *scratch;   // gp__geometry.scratch bytes, or NULL
  gp_stream stream;
} gp__launching;

// One step: the kernel at `which`, so many blocks of so many threads.
GPUPRIMS__PRIVATE gp_result gp__launch_step(const gp__launching *l, int which, unsigned grid, unsigned threads,
                                            unsigned shared_bytes, void *arguments) {
  gp__geometry g = *l->g;
  g.threads = threads;
  g.shared_bytes = shared_bytes;
  return gp__launch_one(l->s, l->who, l->kernels[which], grid, &g, l->p->overlap, l->stream, arguments);
}
// A grid that fills the device with this kernel, and no more blocks than there is work for.
GPUPRIMS__PRIVATE unsigned gp__grid_of_step(const gp__launching *l, int which, int most_per_sm, uint64_t work) {
  const int occupancy = l->kernels[which]->occupancy > 0 ? l->kernels[which]->occupancy : 1;
  const uint64_t blocks =
      (uint64_t)l->h->multiprocessors * (unsigned)(most_per_sm && occupancy > most_per_sm ? most_per_sm : occupancy);
  return work < 1 ? 1 : (unsigned)(work < blocks ? work : blocks);
}

// What a launch returns where blocks cannot wait for each other.
enum { GP__REFUSED = 1 << 20 };
// All blocks are resident, or there is one.
GPUPRIMS__PRIVATE gp_result gp__launch_resident(const gp__launching *l, void *args) {
  const struct gp_driver *d = &l->s->library.runtime.driver;
  void *parameters[1];
  int error;
  parameters[0] = args;
  if (l->g->grid == 1) return gp__launch_step(l, 0, 1, l->g->threads, l->g->shared_bytes, args);
  if (!d->cuLaunchCooperativeKernel) return (gp_result)GP__REFUSED;
  error = d->cuLaunchCooperativeKernel(l->kernels[0]->function, l->g->grid, 1, 1, l->g->threads, 1, 1,
                                       l->g->shared_bytes, l->stream, parameters);
  if (error == GP__CU_COOPERATIVE_TOO_LARGE || error == GP__CU_NOT_SUPPORTED) return (gp_result)GP__REFUSED;
  return error ? gp__cuda_fail(&l->s->library.runtime, l->who, "cuLaunchCooperativeKernel", error) : GP_SUCCESS;
}
// The same in clusters: as many as fit of the grid's blocks, which *blocks gets, a part of the arguments. NULL: one
// cluster, whose blocks need no promise that they are all resident.
GPUPRIMS__PRIVATE gp_result gp__launch_clusters(const gp__launching *l, unsigned cluster, unsigned *blocks,
                                                void *args) {
  const struct gp_driver *d = &l->s->library.runtime.driver;
  gp__cu_attribute attributes[2];
  gp__cu_launch launch;
  void *parameters[1];
  int clusters = 0, error;
  if (!d->cuLaunchKernelEx || !d->cuOccupancyMaxActiveClusters) return (gp_result)GP__REFUSED;
  memset(&launch, 0, sizeof launch);
  memset(attributes, 0, sizeof attributes);
  attributes[0].id = GP__CU_CLUSTER_DIMENSION;
  attributes[0].value.extent[0] = cluster;
  attributes[0].value.extent[1] = attributes[0].value.extent[2] = 1;
  attributes[1].id = blocks ? GP__CU_COOPERATIVE : GP__CU_PROGRAMMATIC_SERIALIZATION;
  attributes[1].value.number = 1;
  launch.grid_x = l->g->grid / cluster * cluster;
  launch.block_x = l->g->threads;
  launch.grid_y = launch.grid_z = launch.block_y = launch.block_z = 1;
  launch.shared_bytes = l->g->shared_bytes;
  launch.stream = l->stream;
  launch.attributes = attributes;
  launch.attribute_count = 1;
  parameters[0] = args;
  // beyond 8 blocks the driver wants to be asked; what it cannot do it says at the launch
  if (cluster > 8) d->cuFuncSetAttribute(l->kernels[0]->function, GP__CU_NON_PORTABLE_CLUSTERS, 1);
  error = d->cuOccupancyMaxActiveClusters(&clusters, l->kernels[0]->function, &launch);
  if (error || clusters < 1) return (gp_result)GP__REFUSED;
  if (launch.grid_x > (unsigned)clusters * cluster) launch.grid_x = (unsigned)clusters * cluster;
  if (blocks) *blocks = launch.grid_x;
  launch.attribute_count = blocks || l->p->overlap == 1 ? 2 : 1;
  error = d->cuLaunchKernelEx(&launch, l->kernels[0]->function, parameters, NULL);
  return !error ? GP_SUCCESS
         : error == GP__CU_COOPERATIVE_TOO_LARGE || error == GP__CU_NOT_SUPPORTED || error == GP__CU_INVALID_VALUE ||
                 error == GP__CU_INVALID_CLUSTER_SIZE
             ? (gp_result)GP__REFUSED
             : gp__cuda_fail(&l->s->library.runtime, l->who, "cuLaunchKernelEx", error);
}
