// tuned_kernel.cuh - a fused kernel for gp_tune: centres every row of 4096 floats, scales it to variance 1, and keeps
// its former norm: a reduction and a transformation in one pass over memory.
//
//     make build/gp_tune
//     build/gp_tune --kernel examples/tuned_kernel.cuh --out tuned.jsonl --policy-out examples/tuned_kernel_policy.h
//
// writes the best values of the fields into examples/tuned_kernel_policy.h, which examples/tuned_kernel.cu uses.

#define NORMALISE_COLUMNS 4096

// The fields: the block size, also a parameter of the tile routines; mean and variance in turn or together; the caches;
// a block a row (0), or this many resident blocks that loop over rows.
#define GP_TUNE_FIELDS(F) \
  F(NORMALISE_THREADS, 256, 128, 256, 512, 1024) \
  F(NORMALISE_PASSES, 2, 1, 2) \
  F(NORMALISE_LOAD, GP_CACHE_ALL, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(NORMALISE_STORE, GP_CACHE_ALL, GP_CACHE_ALL, GP_CACHE_STREAMING) \
  F(NORMALISE_BLOCKS_PER_SM, 0, 0, 1, 2, 4)

#ifndef GP_TUNE_HOST

#include "gpuprims.h"

union normalise_storage {
  gp_tile_reduce_storage<NORMALISE_THREADS, float> reduce;
  float broadcast;
};

// The sum over the block, for all its threads.
GP_DEVICE float normalise_total(float value, normalise_storage &storage) {
  __syncthreads(); // after the last use of the storage
  value = gp_tile_reduce<NORMALISE_THREADS>(value, gp_sum<float>(), storage.reduce);
  __syncthreads();
  return gp_tile_broadcast(value, 0, storage.broadcast);
}

// in, out: rows of NORMALISE_COLUMNS, `count` elements in all; norms: one a row.
extern "C" __global__ void __launch_bounds__(NORMALISE_THREADS)
    normalise(const float *in, float *out, float *norms, unsigned long long count) {
  const int ITEMS = NORMALISE_COLUMNS / NORMALISE_THREADS;
  GP_SHARED(normalise_storage, storage);
  for (unsigned long long row = blockIdx.x; row < count / NORMALISE_COLUMNS; row += gridDim.x) {
    float x[ITEMS], sum = 0, squares = 0;
    gp_tile_load_vectorised<NORMALISE_THREADS, NORMALISE_LOAD>(
        x, in + row * NORMALISE_COLUMNS, NORMALISE_COLUMNS, 0.0f);
    for (int i = 0; i < ITEMS; ++i) sum += x[i];
    if (NORMALISE_PASSES == 1)
      for (int i = 0; i < ITEMS; ++i) squares += x[i] * x[i];
    const float mean = normalise_total(sum, storage) / NORMALISE_COLUMNS;
    if (NORMALISE_PASSES == 2)
      for (int i = 0; i < ITEMS; ++i) squares += (x[i] - mean) * (x[i] - mean);
    float spread = normalise_total(squares, storage); // around 0, or around the mean
    if (NORMALISE_PASSES == 1) spread -= mean * mean * NORMALISE_COLUMNS;
    const float scale = 1 / sqrtf(spread / NORMALISE_COLUMNS + 1e-5f);
    for (int i = 0; i < ITEMS; ++i) x[i] = (x[i] - mean) * scale;
    gp_tile_store_vectorised<NORMALISE_THREADS, NORMALISE_STORE>(x, out + row * NORMALISE_COLUMNS, NORMALISE_COLUMNS);
    if (threadIdx.x == 0) norms[row] = sqrtf(spread + mean * mean * NORMALISE_COLUMNS);
  }
}

#else // gp_tune's part: plain C

#include "gp_tune_kernel.h"

#include <math.h>
#include <stdio.h>

static uint64_t rows(uint64_t n) { return n / NORMALISE_COLUMNS; }

static uint64_t bytes(int buffer, uint64_t n) { return (buffer == 2 ? rows(n) : rows(n) * NORMALISE_COLUMNS) * 4; }

static void fill(int buffer, void *data, uint64_t n) {
  float *x = (float *)data;
  uint64_t i;
  if (buffer) return; // an output
  for (i = 0; i < rows(n) * NORMALISE_COLUMNS; i++) x[i] = (float)(i * 2654435761u % 1000u) / 500 - 0.75f;
}

static uint64_t moved(uint64_t n) { return 2 * bytes(0, n) + bytes(2, n); }

static int launch(gp_tune_launch *l) {
  const int threads = l->field[0], blocks_per_sm = l->field[4];
  const uint64_t most = blocks_per_sm ? (uint64_t)blocks_per_sm * (uint64_t)l->multiprocessors : 0x7fffffff;
  if (!rows(l->n) || blocks_per_sm * threads > 2048) return 0;
  l->threads = (unsigned)threads;
  l->blocks = (unsigned)(rows(l->n) < most ? rows(l->n) : most);
  return 1;
}

static const char *check(void *const *data, uint64_t n) {
  static char reason[100];
  const float *in = (const float *)data[0], *out = (const float *)data[1], *norms = (const float *)data[2];
  uint64_t row;
  int i;
  for (row = 0; row < rows(n); row++, in += NORMALISE_COLUMNS, out += NORMALISE_COLUMNS) {
    double sum = 0, squares = 0, mean, scale;
    for (i = 0; i < NORMALISE_COLUMNS; i++) sum += in[i], squares += (double)in[i] * in[i];
    mean = sum / NORMALISE_COLUMNS;
    scale = 1 / sqrt(squares / NORMALISE_COLUMNS - mean * mean + 1e-5);
    for (i = 0; i < NORMALISE_COLUMNS; i++)
      if (!(fabs(out[i] - (in[i] - mean) * scale) < 1e-4)) {
        snprintf(reason, sizeof reason, "row %llu, column %d", (unsigned long long)row, i);
        return reason;
      }
    if (!(fabs(norms[row] - sqrt(squares)) < 1e-4 * sqrt(squares))) {
      snprintf(reason, sizeof reason, "the norm of row %llu", (unsigned long long)row);
      return reason;
    }
  }
  return NULL;
}

const gp_tune_kernel gp_tune_description = {"normalise", 3, bytes, fill, moved, launch, check};

#endif
