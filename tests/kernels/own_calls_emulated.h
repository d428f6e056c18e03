// own_calls_emulated.h - the library calls of examples with their own kernels, for the emulator: an empty context, and
// a tuner that takes the values of its parameters in turn. Include it after the example.
#ifndef OWN_CALLS_EMULATED_H
#define OWN_CALLS_EMULATED_H

#include "own_tuner_emulated.h"

gp_result gp_open(const gp_config *, gp_context **ctx) { return *ctx = nullptr, GP_SUCCESS; }
gp_result gp_close(gp_context *) { return GP_SUCCESS; }
const char *gp_result_name(gp_result) { return "?"; }
const char *gp_last_message(void) { return "?"; }
gp_result gp_type_struct(gp_context *, const gp_type_desc *, gp_type *type) {
  return *type = gp_type(1000), GP_SUCCESS;
}

#endif
