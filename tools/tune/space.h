// space.h - a cell's policies and their compilation results: the parts of gp_tune that need no GPU.
#ifndef GP_TUNE_SPACE_H
#define GP_TUNE_SPACE_H

#include <stddef.h>

// The valid policies of a cell on a device, each once, as text with every field named (tools/gp_cells.h).
typedef struct tune_space {
  int raw, count; // points of the declared fields; policies
  char **policies;
  int rejected_invalid, rejected_same; // refused by the header; equal to an earlier one: raw is the sum of all
} tune_space;

// NULL, or the reason (static storage); then `space` is empty.
const char *tune_space_of(const char *cell, int compute_capability, int multiprocessors, tune_space *space);
extern const char NO_POLICY[]; // the message for a cell without policies
// Checks that one of its policies is valid. NULL, or the reason why none is.
const char *tune_space_serves(const char *cell, int compute_capability, int multiprocessors);
void tune_space_free(tune_space *space);

// Compilation results of a policy. For several kernels: the maximum of their resources, the minimum of their blocks.
typedef struct tune_code {
  char status[8]; // ok, invalid, compile
  char code[17]; // hash of the machine code
  char kernels[64 * 17]; // of each kernel, in the call's order, separated by commas
  char policy[256]; // the policy as the header resolves it
  int registers, local_bytes, shared_bytes; // shared_bytes: static and dynamic
  int occupancy; // blocks that fit a multiprocessor, 0: none fits
  size_t image_bytes;
  double ms;
  char message[600];
} tune_code;

// Compiles a cell's kernels for a policy ("default": the header's choice) into the library's disk cache
// ($GP_TUNE_CACHE, or the usual one).
void tune_compile(const char *cell, int compute_capability, const char *policy, tune_code *code);

// gp_tune --space, --rule and --compiler. Takes the program's arguments, of which the second is the mode; returns the
// exit status.
int space_main(int count, char **arguments);
int rule_main(int count, char **arguments);
int compiler_main(int count, char **arguments);

#endif
