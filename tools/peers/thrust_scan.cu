// thrust_scan.cu - see thrust_scan.h. Compiled once for each number of elements a thread (THRUST_SCAN_ITEMS=N), which
// gives a kernel for each block size, and once without, which gives the interface.
//
// CUB 3.0 (CUDA 13.0) has no argument for a policy in thrust::inclusive_scan. Thrust calls cub::DispatchScan, which
// takes its policy from a trait of the types: cub::detail::scan::policy_hub. A specialisation of this trait for an
// operator of our own makes thrust::inclusive_scan itself run with another policy. The block's algorithms stay those of
// Thrust's policy for sums of integers. CCCL 3.4 bypasses the trait.
//
// The operator is a plain sum. CUB has special instructions for its own operator in a warp's scan (shuffle and add by
// predicate), so that the program also times Thrust's own call.
#define THRUST_FORCE_32_BIT_OFFSET_TYPE // as Thrust chooses for such sizes at run time; halves the kernels
#include "thrust_scan.h"

#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#if CUB_VERSION >= 300300
#error "this Thrust no longer takes its policy from cub::detail::scan::policy_hub: all policies would be the same"
#endif

#include <cstdio>
#include <new>
#include <utility>

typedef int (*scan_fn)(const int *in, int *out, uint64_t count, cudaStream_t stream);
#define THRUST_SCAN_FIND(items) scan_fn thrust_scan_find_##items(int threads); // NULL: no such policy
THRUST_SCAN_ITEMS_LIST(THRUST_SCAN_FIND)

// Memory for Thrust: the largest block so far is kept, so that calls neither allocate nor wait. One call at a time.
struct kept_memory {
  typedef char value_type;
  char *allocate(std::ptrdiff_t bytes) {
    static char *memory;
    static std::ptrdiff_t room;
    if (bytes > room) {
      cudaFree(memory);
      memory = nullptr;
      room = 0;
      if (cudaMalloc(reinterpret_cast<void **>(&memory), size_t(bytes)) != cudaSuccess) throw std::bad_alloc();
      room = bytes;
    }
    return memory;
  }
  void deallocate(char *, size_t) {}
};

template<class Op> static int scan_by(const int *in, int *out, uint64_t count, cudaStream_t stream, Op op) {
  kept_memory memory;
  try {
    thrust::inclusive_scan(thrust::cuda::par_nosync(memory).on(stream), in, in + count, out, op);
  } catch (const thrust::system_error &error) {
    return error.code().value();
  } catch (const std::bad_alloc &) {
    return cudaErrorMemoryAllocation;
  }
  return cudaSuccess;
}

#ifdef THRUST_SCAN_ITEMS

template<int THREADS, int ITEMS> struct tuned_plus {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

CUB_NAMESPACE_BEGIN
namespace detail::scan {
template<class Offset, int THREADS, int ITEMS> struct policy_hub<int, int, int, Offset, tuned_plus<THREADS, ITEMS>> {
  struct Policy : ChainedPolicy<500, Policy, Policy> {
    using Stock = typename policy_hub<int, int, int, Offset, ::cuda::std::plus<>>::MaxPolicy::ActivePolicy::ScanPolicyT;
    using ScanPolicyT =
        AgentScanPolicy<THREADS, ITEMS, int, Stock::LOAD_ALGORITHM, Stock::LOAD_MODIFIER, Stock::STORE_ALGORITHM,
            Stock::SCAN_ALGORITHM, MemBoundScaling<THREADS, ITEMS, int>, typename Stock::detail::delay_constructor_t>;
    static_assert(ScanPolicyT::BLOCK_THREADS == THREADS && ScanPolicyT::ITEMS_PER_THREAD == ITEMS, "as asked for");
  };
  using MaxPolicy = Policy;
};
} // namespace detail::scan
CUB_NAMESPACE_END

template<int THREADS> static int scan_with(const int *in, int *out, uint64_t count, cudaStream_t stream) {
  return scan_by(in, out, count, stream, tuned_plus<THREADS, THRUST_SCAN_ITEMS>());
}
// The tile, and 1 KiB for the block's sums.
template<int THREADS> static constexpr scan_fn function_of() {
  if constexpr (4 * THREADS * THRUST_SCAN_ITEMS + 1024 <= 48 * 1024) return scan_with<THREADS>;
  else return nullptr;
}
template<int... WARPS> static scan_fn find(int threads, std::integer_sequence<int, WARPS...>) {
  static constexpr scan_fn functions[] = {function_of<32 * (WARPS + 1)>()...};
  return threads >= 32 && threads <= 1024 && threads % 32 == 0 ? functions[threads / 32 - 1] : nullptr;
}
#define JOIN_2(a, b) a##b
#define JOIN(a, b) JOIN_2(a, b)
scan_fn JOIN(thrust_scan_find_, THRUST_SCAN_ITEMS)(int threads) {
  return find(threads, std::make_integer_sequence<int, 32>());
}

#else

struct policy_size {
  int threads, items;
  template<class Policy> CUB_RUNTIME_FUNCTION cudaError_t Invoke() {
    threads = Policy::ScanPolicyT::BLOCK_THREADS;
    items = Policy::ScanPolicyT::ITEMS_PER_THREAD;
    return cudaSuccess;
  }
};

static const char *about() {
  static char text[80];
  snprintf(text, sizeof text, "Thrust and CUB %d.%d.%d, CUDA %d.%d", THRUST_MAJOR_VERSION, THRUST_MINOR_VERSION,
      THRUST_SUBMINOR_VERSION, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  return text;
}
static int stock(int *threads, int *items) {
  typedef cub::detail::scan::policy_hub<int, int, int, uint32_t, ::cuda::std::plus<>> hub;
  policy_size size = {};
  int version = 0;
  cudaError_t error = cub::PtxVersion(version);
  if (error == cudaSuccess) error = hub::MaxPolicy::Invoke(version, size);
  *threads = size.threads, *items = size.items;
  return error;
}
static scan_fn find(int threads, int items) {
#define FIND_BY_ITEMS(number) \
  if (items == number) return thrust_scan_find_##number(threads);
  THRUST_SCAN_ITEMS_LIST(FIND_BY_ITEMS)
  return nullptr;
}
static int has(int threads, int items) { return find(threads, items) != nullptr; }
static int scan(int threads, int items, const int *in, int *out, uint64_t count, void *stream) {
  const scan_fn function = find(threads, items);
  if (!threads) return scan_by(in, out, count, static_cast<cudaStream_t>(stream), ::cuda::std::plus<>());
  return function ? function(in, out, count, static_cast<cudaStream_t>(stream)) : int(cudaErrorInvalidConfiguration);
}
static const char *error_text(int code) { return cudaGetErrorString(cudaError_t(code)); }

extern "C" __attribute__((visibility("default"))) const thrust_scan_table *thrust_scan(void) {
  static const thrust_scan_table table = {THRUST_SCAN_ABI, about, stock, has, scan, error_text};
  return &table;
}

#endif
