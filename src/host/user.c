// host/user.c - the call's name; what users' operators need on the host
// uses: api/lists.h, core/messages.c, core/request.c

static const char *gp__host_call_name(gp_primitive primitive) {
#define GPUPRIMS__CASE_NAME(NAME, name)                                                                                \
  case GP_##NAME:                                                                                                      \
    return "gp_" #name;
  switch (primitive) {
    GP_PRIMITIVES(GPUPRIMS__CASE_NAME)
  default:
    return "gp_run";
  }
#undef GPUPRIMS__CASE_NAME
}

static gp_result gp__host_check_user(const char *call, const char *field, const gp__op_info *op, int needs_identity) {
  if (!op) return GP_SUCCESS;
  if (!op->host)
    return gp__fail(GP_E_UNSUPPORTED, "%s: @%s: operator \"%s\" has no gp_op_desc.host, which the host back end runs",
                    call, field, op->name);
  if (needs_identity && !op->has_host_identity)
    return gp__fail(GP_E_UNSUPPORTED,
                    "%s: %s: operator \"%s\" has no gp_op_desc.host_identity, which the host back end "
                    "needs",
                    call, field, op->name);
  return GP_SUCCESS;
}
