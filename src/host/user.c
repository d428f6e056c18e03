// host/user.c - the call's name
// uses: api/lists.h

static const char *gp__host_call_name(gp_primitive primitive) {
#define GP__CASE_NAME(NAME, value, name) \
  case GP_##NAME: \
    return "gp_" #name;
  switch (primitive) {
    GP_PRIMITIVES(GP__CASE_NAME)
  default:
    return "gp_run";
  }
#undef GP__CASE_NAME
}
