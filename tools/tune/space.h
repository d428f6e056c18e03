// space.h - which policies a cell has, and what each of them compiles to: the parts of gp_tune that need no GPU.
#ifndef GP_TUNE_SPACE_H
#define GP_TUNE_SPACE_H

#include <stddef.h>

// The valid policies of a cell on a device, each once, as text with every field named (tools/gp_cells.h).
typedef struct tune_space {
  int raw, count; // points of the declared fields; policies
  char **policies;
  int rejected_invalid, rejected_same; // refused by the header; no other than one before: raw is the sum of all
} tune_space;

// NULL, or the reason (static storage); `space` is empty then.
const char *tune_space_of(const char *cell, int compute_capability, int multiprocessors, tune_space *space);
extern const char NO_POLICY[]; // how it is said that a cell has none
// Is one of its policies valid? NULL, or the reason why not.
const char *tune_space_serves(const char *cell, int compute_capability, int multiprocessors);
void tune_space_free(tune_space *space);

// What a policy compiles to. Where a call takes several kernels: the most of what one of them takes, the fewest blocks.
typedef struct tune_code {
  char status[8];                           // ok, invalid, compile
  char code[17];                            // hash of the machine code
  char kernels[64 * 17];                    // of each kernel by itself, in the call's order, with commas between
  char policy[256];                         // the policy in full, as the header resolves it
  int registers, local_bytes, shared_bytes; // shared_bytes: static and dynamic
  int occupancy;                            // blocks that fit a multiprocessor, 0: none does
  size_t image_bytes;
  double ms;
  char message[600];
} tune_code;

// Compiles the kernels of a cell under a policy ("default": what the header chooses) into the library's disk cache
// ($GP_TUNE_CACHE, or the usual one).
void tune_compile(const char *cell, int compute_capability, const char *policy, tune_code *code);

// gp_tune --space, --rule and --compiler: the program's own arguments, of which the second says which; exit status.
int space_main(int count, char **arguments);
int rule_main(int count, char **arguments);
int compiler_main(int count, char **arguments);

#endif
