// core/table.c - the tuned table
// uses: api/lists.h, core/rows.h

// GP_POLICY_ROWS(ROW): ROW(scope, primitive, in_size, acc_size, out_size, log2_from, log2_to, algorithm, threads,
// vectors, load, store, stages, blocks_per_sm, overlap, alpha, beta, small, look, gather, cull, cluster, provenance).
// scope: a device's name ("NVIDIA H200"), a compute capability ("sm_90"), a class of like devices ("class:NAME"), or
// "portable". Sizes in bytes, -1 for any. A row serves calls like those that it was measured on: at least 2^log2_from
// and less than 2^log2_to bytes (gp__measures), pointers aligned to 16 bytes, not GP_REPRODUCIBLE. in_size is an
// element's: a value's if keys or flags go with it, a key's if keys are alone. In searches it is an offset's, acc_size
// is a vertex's, and out_size is the class of the mean degree: 8 if the graph has room for 8 or more edges a vertex,
// otherwise 0. gp__portable fills zeros in the policy.
// GP_POLICY_CLASSES(CLASS): CLASS(name, device name), a line a member.

#if defined(GP_POLICY_ROWS) // the program has defined a table of its own
#elif defined(GPUPRIMS_POLICIES)
#include GPUPRIMS_POLICIES
#elif defined(__has_include)
#if __has_include("gpuprims_policies.h")
#include "gpuprims_policies.h"
#endif
#endif
#ifndef GP_POLICY_ROWS
#define GP_POLICY_ROWS(ROW)
#endif
#ifndef GP_POLICY_CLASSES
#define GP_POLICY_CLASSES(CLASS)
#endif

typedef struct gp__policy_class {
  const char *name, *device;
} gp__policy_class;

#define GP__ROW(scope, primitive, in, acc, out, from, to, algorithm, threads, vectors, load, store, stages, blocks, \
    overlap, alpha, beta, small, look, gather, cull, cluster, provenance) \
  {scope, (int)(primitive), in, acc, out, 0, (from) ? 1ull << (from) : 0, (to) < 64 ? 1ull << ((to)&63) : 0, \
      {algorithm, threads, vectors, load, store, stages, blocks, overlap, alpha, beta, small, look, gather, cull, \
          cluster, {0}}, \
      provenance},
#define GP__CLASS(name, device) {name, device},
static const gp__policy_row gp__policy_rows[] = {
    GP_POLICY_ROWS(GP__ROW){NULL, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}}, NULL}};
static const gp__policy_class gp__policy_classes[] = {GP_POLICY_CLASSES(GP__CLASS){NULL, NULL}};
#undef GP__ROW
#undef GP__CLASS
enum { GP__POLICY_ROWS = sizeof gp__policy_rows / sizeof *gp__policy_rows - 1 };

// The part of the table for one device: a list of rows for each primitive, in the table's order.
typedef struct gp__table {
  int first[GP_PRIMITIVE_COUNT]; // GP__POLICY_ROWS: none
  gp__listed row[GP__POLICY_ROWS + 1];
} gp__table;
