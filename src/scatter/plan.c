// scatter/plan.c - plans of scatters, gathers and replacements
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, core/geometry.h, scatter/arguments.h,
//   core/request.c, scatter/host.c, scatter/kinds.c, core/kinds.c, core/primitive.c, core/reads.c, scatter/check.c,
//   scatter/names.c, core/launch.c, map/plan.c

GP__HOST int gp__kinds_of_scatter(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)p;
  return kinds[0] = q->primitive == GP_REPLACE ? GP__REPLACE : GP__SCATTER, 1;
}
// Windows pay where L2 has some 50 MB or more, the output is larger than a window and a half, a sector of 32 bytes gets
// several elements, and windows are few, since each has the indices read again: docs/notes/map.md.
enum { GP__SCATTER_WINDOW = 20 << 20 };
GP__HOST gp__u64 gp__scatter_window(const gp__request *q, gp__form h) {
  const gp__u64 size = q->out_size, bytes = q->length / 32 < UINT64_MAX / 32 / 8 ? q->length * size : 0,
                most = (gp__u64)GP__SCATTER_WINDOW * (size <= 4 ? 8 : 6);
  const int large = h->compute_capability >= 90 && h->compute_capability < 120;
  const int dense = size <= 8 && q->count >= q->length / 8 * size;
  return q->primitive == GP_SCATTER && q->in2 && large && dense && bytes > GP__SCATTER_WINDOW / 2 * 3 && bytes <= most
      ? GP__SCATTER_WINDOW / size
      : q->length;
}
GP__HOST gp_result gp__launch_scatter(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__scatter_args a;
  if (q->primitive == GP_REPLACE) return gp__launch_map(l);
  memset(&a, 0, sizeof a);
  a.in = q->in;
  a.in2 = q->in2;
  a.out = q->out;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.keys = q->keys;
  a.limit = q->length;
  a.scalar = q->init;
  a.window = gp__scatter_window(q, l->h);
  if (a.window < a.limit) { // resident blocks go from window to window together
    gp__geometry g = *l->g;
    gp__launching resident = *l;
    const unsigned most = (unsigned)l->h->multiprocessors * 1024u / g.threads;
    if (g.grid > most) g.grid = most;
    resident.g = &g;
    return gp__launch_all(&resident, &a);
  }
  return gp__launch_all(l, &a);
}

static const gp__family gp__family_scatter = {gp__checks_scatter, GP__IDLE_IF_EMPTY, GP__SHAPE_OF_ELEMENTS,
    gp__kinds_of_scatter, GP__NO_KERNEL_RULES, gp__operators_of_scatter, GP__LAUNCH(gp__launch_scatter),
    gp__host_scatter};
#define GP__READS_SCATTER \
  (GP__READS_MAP | GP__READS_IN2_TYPE | GP__READS_IN2 | GP__READS_OP | GP__READS_SCALAR | GP__READS_KEY_TYPE | \
      GP__READS_KEYS | GP__READS_N)
static const gp__primitive gp__primitive_scatter = {
    &gp__family_scatter, GP__READS_SCATTER | GP__READS_TRANSFORM, GP__TAKES_INPUTS | GP__TAKES_SECOND, 0};
static const gp__primitive gp__primitive_gather = {&gp__family_scatter, GP__READS_SCATTER, GP__TAKES_SECOND, 0};
static const gp__primitive gp__primitive_replace = {&gp__family_scatter,
    GP__READS_MAP | GP__READS_OP | GP__READS_SCALAR | GP__READS_VALUE, GP__KEEPS_TYPE | GP__IN_PLACE, 0};
