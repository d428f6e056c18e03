/* Swapped types and operators: SWAPPED = 1 to 5 must not compile as C++, nor as C with -Wenum-conversion and -Werror; 0
 * must. */
#include "gpuprims.h"

/* As wide as int, and signed like it: an invalid handle from another language keeps its value. */
typedef char has_the_size[sizeof(gp_type) == sizeof(int) && sizeof(gp_op) == sizeof(int) ? 1 : -1];
typedef char has_the_range[(gp_type)-1 < 0 && (gp_op)-1 < 0 ? 1 : -1];

gp_result swapped(gp_context *ctx, const float *in, float *out) {
  gp_call call = gp_call_init(GP_REDUCE);
#if SWAPPED == 1
  gp_result result = gp_reduce(ctx, GP_F32, GP_SUM, GP_F32, in, 9, out, NULL);
#elif SWAPPED == 2
  gp_result result = gp_count_if(ctx, GP_F32, GP_LESS, in, in, 9, (uint64_t *)out, NULL);
#else
  gp_result result = gp_reduce(ctx, GP_SUM, GP_F32, GP_F32, in, 9, out, NULL);
#endif
#if SWAPPED == 3
  call.op = GP_F32;
#elif SWAPPED == 4
  call.in_type = GP_SUM;
#elif SWAPPED == 5
  call.primitive = GP_SUM;
#else
  call.op = GP_SUM, call.in_type = GP_F32;
#endif
  return result ? result : gp_run(ctx, &call, NULL);
}
