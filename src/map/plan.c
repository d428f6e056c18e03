// map/plan.c - plans of maps
// uses: api/lists.h, api/policy.h, api/structs.h, core/words.h, core/rules.h, core/arguments.h, map/arguments.h,
//   core/system.c, core/messages.c, core/request.c, host/types.c, host/user.c, host/values.c, host/call.c, map/host.c,
//   map/kinds.c, core/kinds.c, core/primitive.c, host/run.c, core/reads.c, map/check.c, map/names.c, core/launch.c

GP__HOST int gp__kinds_of_map(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  (void)p;
  kinds[0] = q->primitive == GP_COPY && !q->inputs.in ? GP__COPY
      : q->primitive == GP_ADJACENT_DIFFERENCE ? GP__ADJACENT
      : GP__MAP;
  return 1;
}
GP__HOST int gp__map_is_idle(const gp__request *q) { return !q->count || (q->primitive == GP_COPY && q->in == q->out); }
GP__HOST gp_result gp__launch_map(const gp__launching *l) {
  const gp__request *q = l->q;
  gp__map_args a;
  memset(&a, 0, sizeof a);
  a.in = q->in ? q->in : q->out; // never read, but an offset from null is undefined
  a.in2 = q->in2 ? q->in2 : q->out;
  a.out = q->out;
  a.count = q->count;
  a.count_device = (const gp__u64 *)q->count_device;
  a.value = q->init;
  a.step = q->step;
  return gp__launch_all(l, &a);
}
// A binary operator on the elements of two inputs.
GP__HOST gp_result gp__host_binary(gp__host_call *h) {
  const gp__request *q = h->q;
  const int normalise = gp__host_normalises(q->op, q->user_op, q->out_type);
  if (!q->user_op) GP__CHECK(gp__host_take(h, q->out_type, q->out_size, GP_OP_DEFAULT, NULL, normalise, "op"));
  GP__CHECK(gp__host_take_operator(h, q->out_type, q->out_size));
  if (!q->user_op) {
    if (q->in2_type != q->out_type && (!gp__host_size(q->in2_type) || !gp__host_size(q->out_type)))
      return gp__fail(GP_E_TYPE, "%s: @in2_type: cannot convert between a struct type and another type",
          gp__host_call_name(q->primitive));
    h->in2 =
        gp__host_source_of(q->in2, q->in2_type, q->in2_size, q->out_type, q->out_size, GP_CONVERT, NULL, normalise);
  }
  return gp__host_each(h);
}
// A transform of two operands: the elements and their neighbours.
GP__HOST gp_result gp__host_adjacent(const gp__request *q, int threads) {
  const gp__u8 *in = (const gp__u8 *)q->in;
  gp__u8 *out = (gp__u8 *)q->out;
  const int right = (q->flags & GP_RIGHT) != 0;
  gp__request pairs = *q;
  gp__host_source edge;
  gp__value converted;
  if (!q->count) return GP_SUCCESS;
  pairs.primitive = GP_TRANSFORM2;
  pairs.in = right ? in : in + q->in_size;
  pairs.in2 = right ? in + q->in_size : in;
  pairs.in2_type = q->in_type, pairs.in2_size = q->in_size, pairs.in2_struct = q->in_struct;
  pairs.out = right ? out : out + q->out_size;
  pairs.count = q->count - 1;
  edge = gp__host_source_of(
      in, q->in_type, q->in_size, q->out_type, q->out_size, GP_CONVERT, NULL, q->out_type == GP_BOOL && !q->user_op);
  memcpy(right ? out + pairs.count * q->out_size : out,
      gp__host_elements(&edge, right ? pairs.count : 0, 1, converted.bytes), q->out_size);
  return gp__host_run(&pairs, threads);
}
GP__HOST gp_result gp__host_maps(gp__host_call *h) {
  const gp__request *q = h->q;
  switch (q->primitive) {
  case GP_ADJACENT_DIFFERENCE: return gp__host_adjacent(q, h->asked);
  case GP_TRANSFORM2: return gp__host_binary(h);
  case GP_TRANSFORM:
    GP__CHECK(gp__host_take(
        h, q->out_type, q->out_size, q->op, q->user_op, gp__host_normalises(q->op, q->user_op, q->out_type), "op"));
    break;
  case GP_COPY:
    h->in = gp__host_source_of(q->in, q->out_type, q->out_size, q->out_type, q->out_size, GP_CONVERT, NULL, 0);
    break;
  case GP_IOTA:
    if (!gp__host_size(q->out_type))
      return gp__fail(GP_E_TYPE, "%s: type: not a built-in type", gp__host_call_name(q->primitive));
    h->in.limit = GP__HOST_ELEMENTS;
    break;
  default: h->in.limit = GP__HOST_ELEMENTS;
  }
  return gp__host_each(h);
}

static const gp__family gp__family_map = {gp__checks_map, gp__map_is_idle, GP__SHAPE_OF_ELEMENTS, gp__kinds_of_map,
    GP__NO_KERNEL_RULES, gp__operators_of_map, GP__LAUNCH(gp__launch_map), gp__host_maps};
static const gp__primitive gp__primitive_copy = {&gp__family_map, GP__READS_MAP, GP__IN_PLACE | GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_fill = {&gp__family_map, GP__READS_FILL | GP__READS_VALUE, 0, 0};
static const gp__primitive gp__primitive_iota = {&gp__family_map, GP__READS_FILL | GP__READS_RAMP, 0, 0};
static const gp__primitive gp__primitive_transform = {
    &gp__family_map, GP__READS_MAP | GP__READS_OP, GP__TAKES_UNARY | GP__IN_PLACE | GP__TAKES_INPUTS, 0};
static const gp__primitive gp__primitive_transform2 = {&gp__family_map,
    GP__READS_MAP | GP__READS_OP | GP__READS_IN2_TYPE | GP__READS_IN2,
    GP__IN_PLACE | GP__TAKES_INPUTS | GP__TAKES_SECOND, 0};
static const gp__primitive gp__primitive_adjacent_difference = {
    &gp__family_map, GP__READS_MAP | GP__READS_OP, 0, GP_RIGHT};
