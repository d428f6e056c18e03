// reverse/plan.c - plans of reverse and swap
// uses: api/lists.h, api/policy.h, core/rules.h, core/system.c, core/request.c, reverse/host.c, reverse/kinds.c,
//   core/kinds.c, core/primitive.c, core/reads.c, core/checking.c, core/check_call_types.c, core/check_buffers.c,
//   core/check_values.c, map/plan.c

GP__HOST int gp__kinds_of_reverse(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)p;
  return kinds[0] = q->primitive == GP_SWAP ? GP__SWAP : GP__REVERSE, 1;
}

static const gp__family gp__family_reverse = {gp__checks_none, GP__IDLE_IF_EMPTY, GP__SHAPE_OF_ELEMENTS,
    gp__kinds_of_reverse, GP__NO_KERNEL_RULES, GP__FOLD_OPERATORS, GP__LAUNCH(gp__launch_map), gp__host_reverse};
static const gp__primitive gp__primitive_reverse = {
    &gp__family_reverse, GP__READS_MAP, GP__KEEPS_TYPE | GP__IN_PLACE, 0};

// Both arrays of a swap are outputs: `out`, and `out3`, which kernels get as the second input.
GP__HOST gp_result gp__check_swap_types(gp__checking *k) {
  gp__request *q = k->q;
  GP__CHECK(gp__check_types(k));
  q->in_type = q->in2_type = q->out_type;
  q->in_struct = q->in2_struct = q->out_struct;
  q->in_size = q->in2_size = q->out_size;
  q->in2 = q->out3;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_swap_outputs(gp__checking *k) {
  return gp__writing(k, "out3 (the second array)", k->c->out3, k->out.align, k->out.size, k->q->count, 1, 0);
}
static const gp__own_check gp__checks_swap[GP__CHECKS] = {
    {GP__CHECK_TYPES, gp__check_swap_types}, {GP__CHECK_OUTPUTS, gp__check_swap_outputs}};
static const gp__family gp__family_swap = {gp__checks_swap, GP__IDLE_IF_EMPTY, GP__SHAPE_OF_ELEMENTS,
    gp__kinds_of_reverse, GP__NO_KERNEL_RULES, GP__FOLD_OPERATORS, GP__LAUNCH(gp__launch_map), gp__host_swap};
static const gp__primitive gp__primitive_swap = {
    &gp__family_swap, GP__READS_OUT_TYPE | GP__READS_OUT | GP__READS_OUT3 | GP__READS_COUNT_DEVICE, 0, 0};
