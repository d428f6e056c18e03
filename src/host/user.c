// host/user.c - a call's name; no memory
// uses: api/config.h, api/lists.h, core/words.h, core/messages.c, core/request.c

static const char *gp__host_call_name(gp_primitive primitive) {
#define GP__CASE_NAME(NAME, value, name) \
  case GP_##NAME: return "gp_" #name;
  switch (primitive) {
    GP_PRIMITIVES(GP__CASE_NAME)
  default: return "gp_run";
  }
#undef GP__CASE_NAME
}
static gp_result gp__host_no_memory(const gp__request *q, uint64_t bytes) {
  return gp__fail(GP_E_MEMORY, "%s: no memory for %llu bytes", gp__host_call_name(q->primitive), (gp__u64)bytes);
}
