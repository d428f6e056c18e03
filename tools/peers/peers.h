// peers.h - CUB, Thrust, cuBLAS and the CUDA runtime behind one C interface, and the kernels that measure the roofs.
// nvcc compiles peers.cu to libgp_peers.so, which gp_bench opens at run time if it exists. Types, operators and
// primitives are strings, so that the interface depends on nothing else.
#ifndef GP_PEERS_H
#define GP_PEERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GP_PEERS_ABI = 5, GP_PEER_UNSUPPORTED = -1 };

// Inputs of a peer's call: the pointers of gp_call under the same names, in device memory, and its numbers. `counts`:
// the number of runs or of selected elements, 64 bits each. `scalar`, `scalar2`: in host memory, the number of a
// comparison (less; structs: the first field, as a double), or the ends of a histogram (NULL: those of the type).
// top-k: `segments` rows (0: one) of `count` keys, `length` results each.
typedef struct gp_peer_args {
  const void *in, *in2, *keys, *keys2, *begin, *end;
  void *out, *out_keys, *out2, *out3;
  uint64_t *counts;
  uint64_t count, segments, length, bins;
  const void *scalar, *scalar2;
  uint64_t count2;
  int begin_bit, end_bit; // both 0: all
  uint64_t shape[3]; // transpose, reduce_axis: rows, columns, matrices
} gp_peer_args;

// A peer's call. With workspace NULL it sets *workspace_bytes to its need (0: none). Returns 0, a CUDA error, or
// GP_PEER_UNSUPPORTED (the peer is not compiled for this count).
typedef int (*gp_peer_fn)(void *workspace, size_t *workspace_bytes, const gp_peer_args *args, void *stream);

// Describes a peer's call. `acc` is the accumulator's type; key (of keys or flags), payload, offsets and lengths are
// types; form is a word of gp_cells.h; all are "" if the primitive lacks them. `plain`: the call that the peer's users
// write (DeviceReduce::Sum, DevicePartition::If); otherwise the call for checking results, which computes in exactly
// `acc` and keeps the order of all parts.
typedef struct gp_peer_cell {
  const char *peer; // "cub", "cub_radix" (CUB's radix sort where it has two calls), "thrust", "cuda", "cublas"
  const char *primitive, *op, *in, *acc, *out, *key, *payload, *offsets, *lengths, *form;
  int parts, keep, plain, descending, rows; // rows: top-k: 1 or more, else 0
  int sorted; // top-k: results in order; searches: needles in order
} gp_peer_cell;

// The table of functions that gp_peers() hands out.
typedef struct gp_peers_table {
  int abi;
  const char *(*about)(void); // versions, one line
  const char *(*error)(int code);
  gp_peer_fn (*find)(const gp_peer_cell *cell); // NULL: the peer has no such call, or it is not compiled
  // Fills `count` elements of a type with a distribution of data.h.
  int (*generate)(
      const char *type, int kind, uint64_t parameter, uint64_t seed, void *out, uint64_t count, void *stream);
  // Compares two arrays. Result (device memory, three words): the number of differing elements, the first of them, and
  // the largest difference as a double's bits. Elements are equal if |a - b| <= absolute + relative * |b| or both are
  // NaN; integers if identical.
  int (*compare)(const char *type, const void *a, const void *b, uint64_t count, double absolute, double relative,
      uint64_t *result, void *stream);
  // Reads `bytes` and keeps only their sum: config 0 <= c < configs.
  int configs;
  const char *(*config_name)(int config);
  int (*read)(int config, const void *in, uint64_t bytes, void *sink, void *stream);
  int (*empty)(void *stream); // launches an empty kernel
} gp_peers_table;

__attribute__((visibility("default"))) const gp_peers_table *gp_peers(void);

#ifdef __cplusplus
}
#endif
#endif
