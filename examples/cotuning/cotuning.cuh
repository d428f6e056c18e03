// cotuning.cuh - a kernel of one's own with a library routine inside, and the routine alone: kernels of cotuning.c.
//
// `cotuning_rows` centres every row of floats, scales it to variance 1 and keeps its former norm (a layer of a neural
// network). The routine inside is a row's sum: its loads and gp_tile_reduce. `cotuning_sums` is that routine alone.
#ifndef COTUNING_COLUMNS
#define COTUNING_COLUMNS 4096
#endif

// The routine's parameters: THREADS, LOAD. The kernel's own: PASSES (variance after the mean, or with it), STORE, and
// the blocks of a multiprocessor, which loop over rows.
template<int THREADS> union cotuning_storage {
  gp_tile_reduce_storage<THREADS, float> reduce;
  float broadcast;
};

// The sum over the block, for all its threads.
template<int THREADS> GP_DEVICE float cotuning_total(float value, cotuning_storage<THREADS> &storage) {
  __syncthreads(); // after the last use of the storage
  value = gp_tile_reduce<THREADS>(value, gp_sum<float>(), storage.reduce);
  __syncthreads();
  return gp_tile_broadcast(value, 0, storage.broadcast);
}

template<int THREADS, int LOAD> GP_DEVICE void cotuning_sums(const float *in, float *sums, unsigned long long count) {
  const int ITEMS = COTUNING_COLUMNS / THREADS;
  typedef cotuning_storage<THREADS> Storage;
  GP_SHARED(Storage, storage);
  for (unsigned long long row = blockIdx.x; row < count / COTUNING_COLUMNS; row += gridDim.x) {
    float x[ITEMS], sum = 0;
    gp_tile_load_vectorised<THREADS, LOAD>(x, in + row * COTUNING_COLUMNS, COTUNING_COLUMNS, 0.0f);
    for (int i = 0; i < ITEMS; ++i) sum += x[i];
    sum = cotuning_total<THREADS>(sum, storage);
    if (threadIdx.x == 0) sums[row] = sum;
  }
}

template<int THREADS, int LOAD, int PASSES, int STORE>
GP_DEVICE void cotuning_rows(const float *in, float *out, float *norms, unsigned long long count) {
  const int ITEMS = COTUNING_COLUMNS / THREADS;
  typedef cotuning_storage<THREADS> Storage;
  GP_SHARED(Storage, storage);
  for (unsigned long long row = blockIdx.x; row < count / COTUNING_COLUMNS; row += gridDim.x) {
    float x[ITEMS], sum = 0, squares = 0;
    gp_tile_load_vectorised<THREADS, LOAD>(x, in + row * COTUNING_COLUMNS, COTUNING_COLUMNS, 0.0f);
    for (int i = 0; i < ITEMS; ++i) sum += x[i];
    if (PASSES == 1)
      for (int i = 0; i < ITEMS; ++i) squares += x[i] * x[i];
    const float mean = cotuning_total<THREADS>(sum, storage) / COTUNING_COLUMNS;
    if (PASSES == 2)
      for (int i = 0; i < ITEMS; ++i) squares += (x[i] - mean) * (x[i] - mean);
    float spread = cotuning_total<THREADS>(squares, storage); // around 0, or around the mean
    if (PASSES == 1) spread -= mean * mean * COTUNING_COLUMNS;
    const float scale = 1 / sqrtf(spread / COTUNING_COLUMNS + 1e-5f);
    for (int i = 0; i < ITEMS; ++i) x[i] = (x[i] - mean) * scale;
    gp_tile_store_vectorised<THREADS, STORE>(x, out + row * COTUNING_COLUMNS, COTUNING_COLUMNS);
    if (threadIdx.x == 0) norms[row] = sqrtf(spread + mean * mean * COTUNING_COLUMNS);
  }
}

// cotuning.c appends a line for each point, with the name that it looks up.
#define COTUNING_SUMS(name, THREADS, LOAD) \
  extern "C" __global__ void __launch_bounds__(THREADS) name(const float *in, float *sums, unsigned long long count) { \
    cotuning_sums<THREADS, LOAD>(in, sums, count); \
  }
#define COTUNING_ROWS(name, THREADS, LOAD, PASSES, STORE) \
  extern "C" __global__ void __launch_bounds__(THREADS) \
      name(const float *in, float *out, float *norms, unsigned long long count) { \
    cotuning_rows<THREADS, LOAD, PASSES, STORE>(in, out, norms, count); \
  }
