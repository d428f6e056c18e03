// core/kinds_of.c - the kernels of a call
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, core/request.c, core/names.c, core/kinds.c,
//   core/primitive.c

GP__HOST const char *gp__device_type(gp_type type, const gp__type_info *info) {
  return info ? info->name : gp__type_rows[type].device;
}

// The policy with which a kernel of a plan is built.
GP__HOST gp_policy gp__policy_of_kind(gp_policy p, gp__form h, gp__kernel_kind kind) {
  const gp__kernel_rules *own = gp__kernel_rules_of(h->primitive);
  return own && own->policy ? own->policy(p, h, kind) : p;
}
// The kernels that a call needs, in the order of their launches. Returns their number.
GP__HOST int gp__kinds_of(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  return gp__methods_of(q)->launch && gp__composition_of(q) && !q->composed ? 0 : gp__methods_of(q)->kinds(q, p, kinds);
}
