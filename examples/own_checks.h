// own_checks.h - ends an example with a message if a call of the library fails, or if memory does
//
// Include it after own_kernels.h, or what stands in for it.
#ifndef OWN_CHECKS_H
#define OWN_CHECKS_H

static inline void own_check(gp_result result) {
  if (result != GP_SUCCESS) own_stop("%s: %s", gp_result_name(result), gp_last_message());
}
// Zeros in host memory.
static inline void *own_memory(uint64_t bytes) {
  void *memory = calloc(bytes ? bytes : 1, 1);
  if (!memory) own_stop("no memory for %llu bytes", (unsigned long long)bytes);
  return memory;
}
#endif
