// thrust_scan.h - thrust::inclusive_scan of 32-bit integers with the policy of your choice, behind a C interface.
// `make build/libthrust_scan.so` compiles thrust_scan.cu by nvcc; examples/tuner/scan.c opens the library at run time.
#ifndef THRUST_SCAN_H
#define THRUST_SCAN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { THRUST_SCAN_ABI = 1 };

// Policies: blocks of 32 to 1024 threads, in steps of a warp, and these numbers of elements a thread.
#define THRUST_SCAN_ITEMS_LIST(X) X(8) X(12) X(15) X(24)

typedef struct thrust_scan_table {
  int abi;
  const char *(*about)(void); // versions
  // The block size and the elements a thread that Thrust itself takes on the current device. Returns a CUDA error.
  int (*stock)(int *threads, int *items);
  // Is there such a policy? Some tiles exceed the 48 KiB of static shared memory.
  int (*has)(int threads, int items);
  // Scans on the stream, asynchronously, with a policy, or with threads 0 as Thrust does. Returns a CUDA error.
  int (*scan)(int threads, int items, const int *in, int *out, uint64_t count, void *stream);
  const char *(*error)(int code);
} thrust_scan_table;

// The only exported symbol.
const thrust_scan_table *thrust_scan(void);

#ifdef __cplusplus
}
#endif

#endif
