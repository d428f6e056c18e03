// core/kinds_of.c - which kernels a call takes
// uses: api/lists.h, api/policy.h, core/shape.h, sort/scratch.h, core/system.c, core/request.c, core/names.c,
//   core/kinds.c, core/primitive.c

GPUPRIMS__PRIVATE const char *gp__device_type(gp_type type, const gp__type_info *info) {
  return info ? info->name : gp__type_rows[type].device;
}

// With which policy the kernels of a plan are built.
GPUPRIMS__PRIVATE gp_policy gp__policy_of_kind(gp_policy p, gp__shape h, gp__kernel_kind kind) {
  if (p.algorithm == GP_ROUND_TRIP && kind == GP__COPY) p.vectors = 1; // more of them copy slower
  return p.algorithm != GP_ADAPTIVE || kind == GP__SORT_SAMPLE     ? p
         : kind == GP__RADIX_HISTOGRAM || kind == GP__RADIX_SWEEPS ? gp__adaptive_sweep(p, h)
         : kind == GP__SORT_ONE_LAUNCH                             ? gp__adaptive_cooperative(p, h)
                                                                   : gp__adaptive_hybrid(p);
}
// Which kernels a call needs, in the order of their launches. Returns their number.
GPUPRIMS__PRIVATE int gp__kinds_of(const gp__request *q, const gp_policy *p, gp__kernel_kind kinds[GP__KINDS_MAX]) {
  return gp__methods_of(q)->kinds(q, p, kinds);
}
