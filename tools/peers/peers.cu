// peers.cu - see peers.h. Compiled once a part, because one run of nvcc over every type takes minutes:
//   GP_PEERS_PART=0  the table, data, comparison, roofs, the CUDA runtime, cuBLAS
//   GP_PEERS_PART=1  CUB and Thrust on 1- and 2-byte integers     2  on 4- and 8-byte integers
//                 3  on floats                                    4  on structs
//                 5  segmented reduce       6  scans by key          7  segmented scans       8  reduce by key
//                 9  run lengths           10  unique               11  select               12  partition
//                13  partition in three    14  parts in order, for checking    15  histograms, 1 and 2 bytes
//                16  histograms, 4 bytes   17  count_if, adjacent difference, copy_batch
//                18  searches
//                19, 20  radix sort of keys    21, 22  of pairs           23  merge sort    24  merge
//                25, 26  segmented sorts       27  group by
//                28  sets, shuffle, reverse, searches, expand, scatter, gather, replace, minmax (Thrust)
#include "data.h"
#include "peers.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <climits>
#include <cstdio>
#include <cstring>

#ifndef GP_PEERS_COMMIT // " (<commit of CCCL>)"
#define GP_PEERS_COMMIT ""
#endif
#ifndef GP_PEERS_PART
#error "GP_PEERS_PART says which part to compile; tools/bench.py builds all of them"
#endif

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef __half f16;
typedef __nv_bfloat16 bf16;
typedef float f32;
typedef double f64;
typedef gp_s12 s12;
typedef gp_s16 s16;

#define GP_PEERS_PARTS(X) \
  X(1) \
  X(2) \
  X(3) \
  X(4) \
  X(5) \
  X(6) \
  X(7) \
  X(8) \
  X(9) \
  X(10) \
  X(11) \
  X(12) \
  X(13) \
  X(14) \
  X(15) \
  X(16) \
  X(17) \
  X(18) \
  X(19) \
  X(20) \
  X(21) \
  X(22) \
  X(23) \
  X(24) \
  X(25) \
  X(26) \
  X(27) \
  X(28)
#define FIND(part) gp_peer_fn gp_peers_find_##part(const gp_peer_cell *c);
GP_PEERS_PARTS(FIND)
#undef FIND

static inline bool is(const char *a, const char *b) { return !strcmp(a, b); }

#if GP_PEERS_PART >= 19
#include "peers_sorting.h"
#elif GP_PEERS_PART >= 5
#include "peers_segments.h"

// ---- parts 1 to 4: CUB and Thrust -----------------------------------------------------------------------------------

#elif GP_PEERS_PART > 0

#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

struct s12_sum {
  __host__ __device__ s12 operator()(s12 a, s12 b) const { return s12{a.x + b.x, a.y + b.y, a.z + b.z}; }
};
struct s16_sum {
  __host__ __device__ s16 operator()(s16 a, s16 b) const { return s16{a.x + b.x, a.y + b.y}; }
};
struct twice_negated { // as transform's NEGATE
  template<class T> __host__ __device__ T operator()(T a) const { return T(-a); }
};

template<class T> struct sum_of { typedef ::cuda::std::plus<T> type; };
template<> struct sum_of<s12> { typedef s12_sum type; };
template<> struct sum_of<s16> { typedef s16_sum type; };

// Counts below 2^31 go in as int, as CUB's users write it; larger counts are not compiled.
#define CHECK_COUNT \
  if (n > INT_MAX) return GP_PEER_UNSUPPORTED
#define PEER(name) static int name(void *w, size_t *bytes, const gp_peer_args *a, void *stream)
#define UNUSED \
  const void *in = a->in, *in2 = a->in2; \
  void *out = a->out; \
  const uint64_t n = a->count; \
  (void)w, (void)bytes, (void)in, (void)in2, (void)out, (void)n, (void)stream
#define NO_WORKSPACE \
  if (!w) return *bytes = 0, 0

template<class T> struct cub_calls {
  PEER(reduce_sum) {
    UNUSED;
    CHECK_COUNT;
    return cub::DeviceReduce::Sum(w, *bytes, (const T *)in, (T *)out, (int)n, (cudaStream_t)stream);
  }
  PEER(exclusive_sum) {
    UNUSED;
    CHECK_COUNT;
    return cub::DeviceScan::ExclusiveSum(w, *bytes, (const T *)in, (T *)out, (int)n, (cudaStream_t)stream);
  }
  PEER(inclusive_sum) {
    UNUSED;
    CHECK_COUNT;
    return cub::DeviceScan::InclusiveSum(w, *bytes, (const T *)in, (T *)out, (int)n, (cudaStream_t)stream);
  }
  PEER(reduce_min) {
    UNUSED;
    CHECK_COUNT;
    return cub::DeviceReduce::Min(w, *bytes, (const T *)in, (T *)out, (int)n, (cudaStream_t)stream);
  }
  PEER(reduce_max) {
    UNUSED;
    CHECK_COUNT;
    return cub::DeviceReduce::Max(w, *bytes, (const T *)in, (T *)out, (int)n, (cudaStream_t)stream);
  }
  PEER(copy) {
    UNUSED;
    CHECK_COUNT;
    NO_WORKSPACE;
    return cub::DeviceTransform::Transform(
        (const T *)in, (T *)out, (int)n, ::cuda::std::identity{}, (cudaStream_t)stream);
  }
  PEER(negate) {
    UNUSED;
    CHECK_COUNT;
    NO_WORKSPACE;
    return cub::DeviceTransform::Transform((const T *)in, (T *)out, (int)n, twice_negated{}, (cudaStream_t)stream);
  }
  PEER(add) {
    UNUSED;
    CHECK_COUNT;
    NO_WORKSPACE;
    return cub::DeviceTransform::Transform(::cuda::std::make_tuple((const T *)in, (const T *)in2), (T *)out, (int)n,
        typename sum_of<T>::type{}, (cudaStream_t)stream);
  }
};

// The same sums computed in exactly Acc.
template<class In, class Acc, class Out> struct cub_exact {
  PEER(reduce_sum) {
    UNUSED;
    CHECK_COUNT;
    return cub::DeviceReduce::Reduce(
        w, *bytes, (const In *)in, (Out *)out, (int)n, typename sum_of<Acc>::type{}, Acc{}, (cudaStream_t)stream);
  }
  PEER(exclusive_sum) {
    UNUSED;
    CHECK_COUNT;
    return cub::DeviceScan::ExclusiveScan(
        w, *bytes, (const In *)in, (Out *)out, typename sum_of<Acc>::type{}, Acc{}, (int)n, (cudaStream_t)stream);
  }
  PEER(inclusive_sum) {
    UNUSED;
    CHECK_COUNT;
    return cub::DeviceScan::InclusiveScanInit(
        w, *bytes, (const In *)in, (Out *)out, typename sum_of<Acc>::type{}, Acc{}, (int)n, (cudaStream_t)stream);
  }
};

// Thrust waits for its result and allocates memory: its numbers are close to wall-clock times.
template<class T> struct thrust_calls {
  PEER(exclusive_sum) {
    UNUSED;
    NO_WORKSPACE;
    thrust::exclusive_scan(
        thrust::cuda::par_nosync.on((cudaStream_t)stream), (const T *)in, (const T *)in + n, (T *)out);
    return cudaGetLastError();
  }
  PEER(copy) {
    UNUSED;
    NO_WORKSPACE;
    thrust::copy(thrust::cuda::par_nosync.on((cudaStream_t)stream), (const T *)in, (const T *)in + n, (T *)out);
    return cudaGetLastError();
  }
};

static bool same_types(const gp_peer_cell *c, const char *type) {
  return is(c->in, type) && is(c->acc, type) && is(c->out, type);
}
[[maybe_unused]] static bool types_are(const gp_peer_cell *c, const char *in, const char *acc, const char *out) {
  return is(c->in, in) && is(c->acc, acc) && is(c->out, out);
}

// Sums of one type, extremes, a sum with another accumulator.
#define FIND_SUMS(T) \
  if (is(c->peer, "cub") && is(c->in, #T) && is(c->out, #T)) { \
    if (is(c->primitive, "copy")) return cub_calls<T>::copy; \
    if (is(c->primitive, "transform2") && is(c->op, "SUM")) return cub_calls<T>::add; \
    if (is(c->op, "SUM") && (same_types(c, #T) || (c->plain && (is(#T, "f16") || is(#T, "bf16"))))) { \
      if (is(c->primitive, "reduce")) return FIND_SUM_##T(T, reduce_sum); \
      if (is(c->primitive, "exclusive_scan")) return FIND_SUM_##T(T, exclusive_sum); \
      if (is(c->primitive, "inclusive_scan")) return FIND_SUM_##T(T, inclusive_sum); \
    } \
  }
#define FIND_EXTREMES(T) \
  if (is(c->peer, "cub") && is(c->in, #T) && is(c->out, #T)) { \
    if (is(c->primitive, "transform") && is(c->op, "NEGATE")) return cub_calls<T>::negate; \
    if (is(c->primitive, "reduce") && is(c->op, "MIN") && !is(c->in, "f16") && !is(c->in, "bf16")) \
      return cub_calls<T>::reduce_min; \
    if (is(c->primitive, "reduce") && is(c->op, "MAX") && !is(c->in, "f16") && !is(c->in, "bf16")) \
      return cub_calls<T>::reduce_max; \
  }
#define FIND_EXACT(In, Acc, Out) \
  if (is(c->peer, "cub") && is(c->op, "SUM") && types_are(c, #In, #Acc, #Out)) { \
    if (is(c->primitive, "reduce")) return cub_exact<In, Acc, Out>::reduce_sum; \
    if (is(c->primitive, "exclusive_scan")) return cub_exact<In, Acc, Out>::exclusive_sum; \
    if (is(c->primitive, "inclusive_scan")) return cub_exact<In, Acc, Out>::inclusive_sum; \
  }
#define FIND_EXACT_REDUCE(In, Acc, Out) \
  if (is(c->peer, "cub") && is(c->op, "SUM") && types_are(c, #In, #Acc, #Out)) { \
    if (is(c->primitive, "reduce")) return cub_exact<In, Acc, Out>::reduce_sum; \
  }
#define FIND_THRUST(T) \
  if (is(c->peer, "thrust") && same_types(c, #T)) { \
    if (is(c->primitive, "copy")) return thrust_calls<T>::copy; \
    if (is(c->primitive, "exclusive_scan") && is(c->op, "SUM")) return thrust_calls<T>::exclusive_sum; \
  }
#define FIND_SUM_u8(T, f) cub_calls<T>::f
#define FIND_SUM_u16(T, f) cub_calls<T>::f
#define FIND_SUM_u32(T, f) cub_calls<T>::f
#define FIND_SUM_u64(T, f) cub_calls<T>::f
#define FIND_SUM_f16(T, f) cub_calls<T>::f
#define FIND_SUM_bf16(T, f) cub_calls<T>::f
#define FIND_SUM_f32(T, f) cub_calls<T>::f
#define FIND_SUM_f64(T, f) cub_calls<T>::f
#define FIND_SUM_s12(T, f) cub_exact<T, T, T>::f
#define FIND_SUM_s16(T, f) cub_exact<T, T, T>::f

#if GP_PEERS_PART == 1
gp_peer_fn gp_peers_find_1(const gp_peer_cell *c) {
  FIND_SUMS(u8)
  FIND_SUMS(u16)
  FIND_EXTREMES(u8)
  FIND_EXTREMES(i8)
  FIND_EXTREMES(i16)
  FIND_EXACT_REDUCE(u8, u64, u64)
  FIND_EXACT_REDUCE(u8, u32, u32)
  FIND_EXACT_REDUCE(u16, u32, u32)
  return NULL;
}
#elif GP_PEERS_PART == 2
gp_peer_fn gp_peers_find_2(const gp_peer_cell *c) {
  FIND_SUMS(u32)
  FIND_SUMS(u64)
  FIND_EXTREMES(i32)
  FIND_EXTREMES(u32)
  FIND_EXTREMES(i64)
  FIND_EXACT(u32, u64, u64)
  FIND_THRUST(u32)
  return NULL;
}
#elif GP_PEERS_PART == 3
gp_peer_fn gp_peers_find_3(const gp_peer_cell *c) {
  FIND_SUMS(f16)
  FIND_SUMS(bf16)
  FIND_SUMS(f32)
  FIND_SUMS(f64)
  FIND_EXTREMES(f32)
  FIND_EXTREMES(f64)
  FIND_EXACT(f16, f32, f16)
  FIND_EXACT(bf16, f32, bf16)
  FIND_EXACT(f16, f32, f32)
  FIND_EXACT(f32, f64, f64)
  return NULL;
}
#else
gp_peer_fn gp_peers_find_4(const gp_peer_cell *c) {
  FIND_SUMS(s12)
  FIND_SUMS(s16)
  return NULL;
}
#endif

#else // part 0 --------------------------------------------------------------------------------------------------------

#include <cub/version.cuh>
#include <dlfcn.h>

static int multiprocessors() {
  static int count = 0;
  if (!count) {
    int device = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  }
  return count > 0 ? count : 1;
}

static int launched() { return (int)cudaGetLastError(); }

// ---- data and comparison

__global__ void generate_kernel(
    int number, int size, int fields, int kind, uint64_t parameter, uint64_t seed, char *out, uint64_t count) {
  for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x) {
    const int field_size = size / fields;
    for (int f = 0; f < fields; f++) {
      const uint64_t bits = gp_data_number(number, field_size, kind, parameter, gp_data_seed(kind, seed, f), i, count);
      char *p = out + i * size + f * field_size;
      if (field_size == 1) *p = (char)bits;
      if (field_size == 2) *(uint16_t *)p = (uint16_t)bits;
      if (field_size == 4) *(uint32_t *)p = (uint32_t)bits;
      if (field_size == 8) *(uint64_t *)p = bits;
    }
  }
}

template<class T> __device__ double number_of(T bits, int number) {
  if (number == GP_DATA_F16) return gp_data_from_f16((uint16_t)bits);
  if (number == GP_DATA_BF16) return gp_data_from_bf16((uint16_t)bits);
  if (number == GP_DATA_F32) return gp_data_bits_f32((uint32_t)bits);
  return __longlong_as_double((long long)bits);
}

template<class T>
__global__ void compare_kernel(const T *a, const T *b, uint64_t count, int number, int fields, double absolute,
    double relative, unsigned long long *result) {
  for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x) {
    const T x = a[i], y = b[i];
    double error = 1;
    if (x == y) continue;
    if (number != GP_DATA_INT && number != GP_DATA_UINT) {
      const double u = number_of(x, number), v = number_of(y, number);
      if (u == v || (u != u && v != v)) continue;
      error = fabs(u - v);
      if (error <= absolute + relative * fabs(v)) continue; // false for NaN
      if (error != error) error = __longlong_as_double(0x7ff0000000000000ll);
    }
    atomicAdd(result, 1ull);
    atomicMin(result + 1, (unsigned long long)(i / fields));
    atomicMax(result + 2, (unsigned long long)__double_as_longlong(error)); // positive doubles order like their bits
  }
}

__global__ void compare_start(unsigned long long *result) {
  result[0] = 0;
  result[1] = ~0ull;
  result[2] = 0;
}

struct type_row {
  const char *name;
  int size, number, fields;
};
static const type_row *row_of(const char *type) {
#define ROW(name, size, number, fields) {#name, size, number, fields},
  static const type_row rows[] = {GP_DATA_TYPES(ROW)};
#undef ROW
  for (const type_row &row : rows)
    if (is(row.name, type)) return &row;
  return NULL;
}

static int generate(
    const char *type, int kind, uint64_t parameter, uint64_t seed, void *out, uint64_t count, void *stream) {
  const type_row *row = row_of(type);
  if (!row) return GP_PEER_UNSUPPORTED;
  if (!count) return 0;
  generate_kernel<<<multiprocessors() * 8, 256, 0, (cudaStream_t)stream>>>(
      row->number, row->size, row->fields, kind, parameter, seed, (char *)out, count);
  return launched();
}

static int compare(const char *type, const void *a, const void *b, uint64_t count, double absolute, double relative,
    uint64_t *result, void *stream) {
  const type_row *row = row_of(type);
  if (!row) return GP_PEER_UNSUPPORTED;
  const int grid = multiprocessors() * 8, number = row->number, fields = row->fields;
  const uint64_t n = count * fields;
  cudaStream_t s = (cudaStream_t)stream;
  unsigned long long *r = (unsigned long long *)result;
  compare_start<<<1, 1, 0, s>>>(r);
  if (!n) return launched();
#define COMPARE(T) \
  compare_kernel<T><<<grid, 256, 0, s>>>((const T *)a, (const T *)b, n, number, fields, absolute, relative, r)
  switch (row->size / fields) {
  case 1: COMPARE(uint8_t); break;
  case 2: COMPARE(uint16_t); break;
  case 4: COMPARE(uint32_t); break;
  default: COMPARE(uint64_t); break;
  }
#undef COMPARE
  return launched();
}

// ---- roofs

// Reads everything in 16-byte loads, DEPTH of them in flight a thread. A store that never happens for real data, which
// the compiler cannot know, keeps the sum alive.
template<int THREADS, int DEPTH>
__global__ void __launch_bounds__(THREADS) read_kernel(const uint4 *in, uint64_t n, uint32_t *sink) {
  const uint64_t stride = (uint64_t)gridDim.x * THREADS;
  uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x;
  uint32_t sum = 0;
  for (; i + (DEPTH - 1) * stride < n; i += DEPTH * stride) {
    uint4 v[DEPTH];
#pragma unroll
    for (int k = 0; k < DEPTH; k++) v[k] = __ldcs(in + i + k * stride);
#pragma unroll
    for (int k = 0; k < DEPTH; k++) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  for (; i < n; i += stride) {
    const uint4 v = __ldcs(in + i);
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x9E3779B9u) sink[threadIdx.x] = sum;
}

// X(threads, depth, blocks a multiprocessor)
#define READ_CONFIGS(X) \
  X(512, 4, 1) \
  X(512, 4, 2) \
  X(512, 4, 4) \
  X(512, 8, 1) \
  X(512, 8, 2) \
  X(1024, 4, 1) \
  X(1024, 4, 2) \
  X(256, 8, 2) \
  X(256, 8, 4) \
  X(256, 4, 8)

static const char *config_name(int config) {
#define NAME(threads, depth, blocks) #threads " threads, " #depth " loads, " #blocks " blocks/SM",
  static const char *names[] = {READ_CONFIGS(NAME)};
#undef NAME
  return config >= 0 && config < (int)(sizeof names / sizeof *names) ? names[config] : "?";
}

static int read_roof(int config, const void *in, uint64_t bytes, void *sink, void *stream) {
  const uint64_t n = bytes / 16;
  int at = 0;
#define READ(threads, depth, blocks) \
  if (config == at++) { \
    const uint64_t wanted = (n + threads - 1) / threads, most = (uint64_t)multiprocessors() * blocks; \
    read_kernel<threads, depth><<<(unsigned)(wanted < 1 ? 1 \
                                          : wanted < most ? wanted \
                                          : most), \
        threads, 0, (cudaStream_t)stream>>>((const uint4 *)in, n, (uint32_t *)sink); \
    return launched(); \
  }
  READ_CONFIGS(READ)
#undef READ
  return GP_PEER_UNSUPPORTED;
}

__global__ void empty_kernel() {}

static int empty(void *stream) {
  empty_kernel<<<1, 32, 0, (cudaStream_t)stream>>>();
  return launched();
}

// ---- the CUDA runtime and cuBLAS

template<int SIZE> static int runtime_copy(void *w, size_t *bytes, const gp_peer_args *a, void *stream) {
  if (!w) return *bytes = 0, 0;
  return cudaMemcpyAsync(a->out, a->in, a->count * SIZE, cudaMemcpyDeviceToDevice, (cudaStream_t)stream);
}

// cuBLAS is opened at run time: only this uses its library of 100 MB.
struct cublas {
  int (*create)(void **), (*set_stream)(void *, void *);
  int (*scopy)(void *, int64_t, const void *, int64_t, void *, int64_t);
  int (*dcopy)(void *, int64_t, const void *, int64_t, void *, int64_t);
  int (*geam[3])(void *, int, int, int, int, const void *, const void *, int, const void *, const void *, int, void *,
      int); // of f32, f64, complex f64
  void *handle;
};
static cublas *open_cublas() {
  static cublas b;
  static int state = 0;
  if (state) return state > 0 ? &b : NULL;
  state = -1;
  void *library = NULL;
  for (const char *name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
    if (!library) library = dlopen(name, RTLD_NOW);
  if (!library) return NULL;
  *(void **)&b.create = dlsym(library, "cublasCreate_v2");
  *(void **)&b.set_stream = dlsym(library, "cublasSetStream_v2");
  *(void **)&b.scopy = dlsym(library, "cublasScopy_v2_64");
  *(void **)&b.dcopy = dlsym(library, "cublasDcopy_v2_64");
  *(void **)&b.geam[0] = dlsym(library, "cublasSgeam");
  *(void **)&b.geam[1] = dlsym(library, "cublasDgeam");
  *(void **)&b.geam[2] = dlsym(library, "cublasZgeam");
  if (!b.create || !b.set_stream || !b.scopy || !b.dcopy || !b.geam[0] || !b.geam[1] || !b.geam[2] ||
      b.create(&b.handle))
    return NULL;
  state = 1;
  return &b;
}
template<int SIZE> static int cublas_copy(void *w, size_t *bytes, const gp_peer_args *a, void *stream) {
  if (!w) return *bytes = 0, 0;
  cublas *b = open_cublas();
  if (!b || b->set_stream(b->handle, stream)) return cudaErrorUnknown;
  return (SIZE == 4 ? b->scopy : b->dcopy)(b->handle, (int64_t)a->count, a->in, 1, a->out, 1) ? cudaErrorUnknown : 0;
}

// A transpose with cuBLAS: its matrices are column-major; the added matrix is multiplied by 0.
template<int SIZE> static int cublas_transpose(void *w, size_t *bytes, const gp_peer_args *a, void *stream) {
  static const float one[1] = {1}, zero[1] = {0};
  static const double one_wide[2] = {1, 0}, zero_wide[2] = {0, 0};
  const void *alpha = SIZE == 4 ? (const void *)one : one_wide, *beta = SIZE == 4 ? (const void *)zero : zero_wide;
  const int rows = (int)a->shape[0], columns = (int)a->shape[1];
  if (a->shape[2] != 1 || a->shape[0] > INT_MAX || a->shape[1] > INT_MAX) return GP_PEER_UNSUPPORTED;
  if (!w) return *bytes = 0, 0;
  cublas *b = open_cublas();
  if (!b || b->set_stream(b->handle, stream)) return cudaErrorUnknown;
  return b->geam[SIZE / 8](b->handle, 1, 0, rows, columns, alpha, a->in, columns, beta, a->out, rows, a->out, rows)
      ? cudaErrorUnknown
      : 0;
}

static gp_peer_fn find(const gp_peer_cell *c) {
  const type_row *row = row_of(c->in);
  if (!row) return NULL;
  if (is(c->peer, "cuda") && is(c->primitive, "copy")) {
    switch (row->size) {
    case 1: return runtime_copy<1>;
    case 2: return runtime_copy<2>;
    case 4: return runtime_copy<4>;
    case 8: return runtime_copy<8>;
    case 12: return runtime_copy<12>;
    default: return runtime_copy<16>;
    }
  }
  if (is(c->peer, "cublas") && is(c->primitive, "copy") && open_cublas()) {
    if (is(c->in, "f32")) return cublas_copy<4>;
    if (is(c->in, "f64")) return cublas_copy<8>;
  }
  if (is(c->peer, "cublas") && is(c->primitive, "transpose") && open_cublas()) {
    if (is(c->in, "f32")) return cublas_transpose<4>;
    if (is(c->in, "f64")) return cublas_transpose<8>;
    if (is(c->in, "s16")) return cublas_transpose<16>;
  }
  gp_peer_cell unsigned_cell = *c;
  gp_peer_fn f = NULL;
#define FIND(part) \
  if (!f) f = gp_peers_find_##part(c);
  GP_PEERS_PARTS(FIND)
#undef FIND
  // Signed sums and copies equal unsigned ones of the same size, bit for bit.
  if (!f && row->number == GP_DATA_INT && (is(c->op, "SUM") || is(c->primitive, "copy"))) {
    static const char *const names[4][2] = {{"i8", "u8"}, {"i16", "u16"}, {"i32", "u32"}, {"i64", "u64"}};
    if (!is(c->in, c->out) || !is(c->in, c->acc)) return NULL;
    for (const auto &name : names)
      if (is(c->in, name[0])) unsigned_cell.in = unsigned_cell.acc = unsigned_cell.out = name[1];
    return find(&unsigned_cell);
  }
  return f;
}

static const char *about() {
  static char text[160];
  int runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  snprintf(text, sizeof text, "CUB and Thrust %d.%d.%d" GP_PEERS_COMMIT ", CUDA runtime %d.%d", CUB_VERSION / 100000,
      CUB_VERSION / 100 % 1000, CUB_VERSION % 100, runtime / 1000, runtime % 1000 / 10);
  return text;
}

static const char *error(int code) {
  return code == GP_PEER_UNSUPPORTED ? "not supported" : cudaGetErrorString((cudaError_t)code);
}

extern "C" const gp_peers_table *gp_peers(void) {
#define ONE(threads, depth, blocks) +1
  static const gp_peers_table table = {
      GP_PEERS_ABI, about, error, find, generate, compare, 0 READ_CONFIGS(ONE), config_name, read_roof, empty};
#undef ONE
  return &table;
}

#endif
