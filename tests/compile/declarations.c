// declarations.c - a user's file: declarations only, every enumerator and struct usable. Compiled as every standard of
// C and C++; never linked.
#include "gpuprims.h"
#include "gpuprims.h" // again: nothing may be declared twice

#ifdef GPUPRIMS__IMPLEMENTED
#error "the implementation came without being asked for"
#endif

int uses_of_the_api(const float *in, float *out, size_t count, gp_stream stream);

int uses_of_the_api(const float *in, float *out, size_t count, gp_stream stream) {
  gp_context *ctx = NULL;
  gp_config config = gp_config_init();
  gp_call call = gp_call_init(GP_REDUCE);
  gp_type_desc type_desc = gp_type_desc_init();
  gp_op_desc op_desc = gp_op_desc_init();
  gp_type type = GP_F32;
  gp_op op = GP_SUM;
  gp_policy policy;
  gp_policy_source policy_source;
  gp_kernel_source kernel_source;
  uint64_t bytes;
  int failures = 0;
  config.backend = GP_BACKEND_HOST;
  call.op = GP_ARGMAX;
  call.flags = GP_REPRODUCIBLE;
  type_desc.size = 12;
  op_desc.arity = 2;
  failures += gp_open(&config, &ctx) != GP_SUCCESS;
  failures += gp_type_struct(ctx, &type_desc, &type) != GP_E_NULL;
  failures += gp_op_define(ctx, &op_desc, &op) != GP_E_NULL;
  failures += gp_reduce(ctx, GP_SUM, GP_F32, GP_F32, in, count, out, stream) != GP_SUCCESS;
  failures += gp_inclusive_scan(ctx, GP_MAX, GP_F32, GP_F32, in, count, out, stream) != GP_SUCCESS;
  failures += gp_exclusive_scan(ctx, op, type, type, NULL, in, count, out, stream) != GP_SUCCESS;
  failures += gp_copy(ctx, GP_F32, in, count, out, stream) != GP_SUCCESS;
  failures += gp_run(ctx, &call, stream) != GP_SUCCESS;
  failures += gp_prepare(ctx, &call) != GP_SUCCESS;
  failures += gp_workspace_size(ctx, &call, &bytes) != GP_SUCCESS;
  failures += gp_reserve(ctx, stream, bytes) != GP_SUCCESS;
  failures += gp_policy_origin(ctx, &call, &policy, &policy_source) != GP_SUCCESS;
  failures += gp_kernel_origin(ctx, &call, &kernel_source, NULL, 0) != GP_SUCCESS;
  failures += gp_policy_space(GP_INCLUSIVE_SCAN, NULL, 0) == 0;
  return failures + (gp_close(ctx) != GP_SUCCESS);
}
