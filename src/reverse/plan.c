// reverse/plan.c - plan of reverse
// uses: api/policy.h, core/rules.h, core/request.c, reverse/host.c, core/kinds.c, core/primitive.c, core/reads.c,
//   core/check_values.c, map/plan.c

GPUPRIMS__PRIVATE int gp__kinds_of_reverse(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)q, (void)p;
  return kinds[0] = GP__REVERSE, 1;
}

static const gp__family gp__family_reverse = {
    gp__checks_none,           GPUPRIMS__IDLE_IF_EMPTY,  GPUPRIMS__SHAPE_OF_ELEMENTS,      gp__kinds_of_reverse,
    GPUPRIMS__NO_KERNEL_RULES, GPUPRIMS__FOLD_OPERATORS, GPUPRIMS__LAUNCH(gp__launch_map), gp__host_reverse};
static const gp__primitive gp__primitive_reverse = {&gp__family_reverse, GP__READS_MAP, GP__KEEPS_TYPE | GP__IN_PLACE,
                                                    0};
