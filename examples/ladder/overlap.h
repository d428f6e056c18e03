// overlap.h - copies beside kernels: an array goes to the device in chunks, over streams in turn. A chunk's kernels are
// on its copy's stream, so they start once it has arrived; meanwhile other streams copy the next chunks. One chunk is
// the usual way: copy, then compute. The input lies in page-locked memory, or the copies are not asynchronous.
//
// (Harris, Optimizing CUDA, 2007: asynchronous transfers beside kernels)
#ifndef OVERLAP_H
#define OVERLAP_H

#include <stdint.h>

// Enqueues `bytes` bytes from byte `begin` on stream number `stream`.
typedef void (*overlap_fn)(void *self, uint64_t begin, uint64_t bytes, int stream);

// Every chunk begins at a multiple of 256 bytes, as vector loads need; small arrays have fewer chunks. copy: NULL where
// the array is on the device already.
static inline void overlap(uint64_t bytes, int chunks, int streams, overlap_fn copy, overlap_fn work, void *self) {
  const uint64_t share = (bytes + (uint64_t)chunks - 1) / (uint64_t)chunks, step = (share + 255) / 256 * 256;
  uint64_t begin;
  int stream = 0;
  for (begin = 0; begin < bytes; begin += step) {
    const uint64_t part = bytes - begin < step ? bytes - begin : step;
    if (copy) copy(self, begin, part, stream);
    work(self, begin, part, stream);
    stream = (stream + 1) % streams;
  }
}

#endif
