// simt.h - runs CUDA kernels on the CPU, one fiber per CUDA thread, under a seeded scheduler (tests only, C++17).
//
// g++ or clang++ compiles the kernel's own source against this header. It supplies the language surface (__global__,
// threadIdx, __shfl_sync, atomicAdd ...) and, in namespace simt, the memory operations to which a machine layer maps
// PTX. README.md has the model and the rules for kernels.
//
// Three builds. From the root of the repository:
//
//   SIMT="tests/simt/simt.cpp tests/simt/async.cpp tests/simt/race.cpp"
//
//   plain   g++ -std=c++17 -g -O2 -Itests/simt kernels.cpp $SIMT -o t_plain
//
//   asan    g++ -std=c++17 -g -O1 -Itests/simt -fsanitize=address,undefined -fno-sanitize-recover=undefined
//               -fno-omit-frame-pointer kernels.cpp $SIMT -o t_asan
//
//   race    g++ -std=c++17 -g -O2 -Itests/simt -DSIMT_RACE -c $SIMT          (the emulator: no -fsanitize=thread)
//           g++ -std=c++17 -g -O1 -Itests/simt -fsanitize=thread --param tsan-instrument-func-entry-exit=0
//               -c kernels.cpp
//           g++ kernels.o simt.o async.o race.o -o t_race                    (libtsan is not linked)
//
// In the race build the compiler inserts calls of __tsan_read4 and the like at each access; race.cpp defines them.
// clang++ before version 16 copies structs by unchecked calls of memcpy: objcopy must rename these in its object files
// (tests/run.py).
#ifndef SIMT_H
#define SIMT_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

struct uint3 {
  unsigned x, y, z;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// Trailing parameters of functions that reports may name: the kernel's source place. A wrapper in the machine layer
// declares SIMT_HERE itself and passes SIMT_THERE on, so that the report names the wrapper's caller.
#define SIMT_HERE const char *simt_file = __builtin_FILE(), int simt_line = __builtin_LINE()
#define SIMT_THERE simt_file, simt_line
#define SIMT_CALLER const char *simt_file, int simt_line // the same for a definition that follows a declaration

// The emulator's own accesses are not the kernel's: keep the sanitizers' callbacks out of these functions. Those that
// access kernel data call check_address, or are ordered.
#define SIMT_UNCHECKED __attribute__((no_sanitize("thread"), no_sanitize("address"), noinline))

namespace simt {

// ---- configuration: set it between launches ----

enum Admission { ascending, descending, shuffled }; // order in which blocks become resident
enum Policy { sequential, random_walk, pct }; // the next thread; pct: random priorities, demotions
struct Config {
  uint64_t seed = 1;
  Admission admission = shuffled;
  Policy policy = random_walk;
  unsigned resident = 8; // blocks resident at a time, never more: exposes kernels that need all blocks at once
  unsigned cluster = 1; // blocks of a cluster, with consecutive numbers. More than 1: the grid is a multiple, and
      // all of it is resident
  bool dependent = false; // launched by programmatic stream serialization: code before wait_for_predecessor overlaps
      // the previous launch
  unsigned sticky = 16; // mean picks of a thread before a switch of blocks (pct: 16 times that per demotion)
  unsigned shuffle_1_in = 8; // chance 1/n that a random ready thread of the block runs, not the longest waiting one
  unsigned yield_1_in = 4; // chance 1/n of a switch at each atomic or ordered access (0: never)
  unsigned preempt_1_in = 0; // race build: chance 1/n of a switch at each plain access (0: never)
  unsigned copy_1_in = 16; // chance 1/n, at each pick, that a pending bulk copy moves on
  unsigned fruitless = 2000; // rounds in which every spinning thread polls without a change: a deadlock
  unsigned watchdog_s = 60; // a longer launch fails; after as long again without a scheduler: abort
  size_t stack = 0; // bytes of stack a thread; 0: 64 KiB (256 KiB under AddressSanitizer)
  bool locate = true; // race build: name source lines in reports, through addr2line if available
};
struct Stats {
  uint64_t launches, threads, switches, warp_ops, barriers, accesses, spins, copies;
};
extern Config config;
extern Stats stats;

// Draws policy, admission, residency (1, 8, 48 or config.resident at the first call) and every chance above from one
// seed. Tests loop over seeds.
void set_random_schedule(uint64_t seed);

// ---- host side ----

enum Result { ok = 0, invalid_value = 1, launch_failure = 719 }; // the CUDA driver's numbers

void *device_malloc(size_t bytes); // 256-byte aligned, filled with 0xB6; the race build knows its exact bounds
bool device_free(void *p); // false: p is not a live allocation (null is fine)
size_t live_allocations();
void host_init(const void *p, size_t bytes); // these bytes are defined: host code has just written them
void host_write(void *p, const void *from, size_t bytes);
void host_fill(void *p, int byte, size_t bytes);
const std::string &error(); // the first report since clear_error(); empty if none
void clear_error();

// Runs thunk(closure) once per CUDA thread and returns when the grid is done. Launches from several host threads run
// one after another. After launch_failure the emulator is ready for the next launch.
Result launch(const char *name, dim3 grid, dim3 block, size_t dynamic_shared, void (*thunk)(void *), void *closure,
    size_t closure_bytes);

// ---- device side: shared memory ----

void *shared(const void *key, size_t bytes, size_t align);
void *dyn_shared(); // 128-byte aligned; the size is the launch's
// The address in block `rank` of this cluster that corresponds to p in this block's shared memory (mapa).
void *shared_of(const void *p, unsigned rank, SIMT_HERE);
// The barrier of all threads of this cluster, in two halves (release, acquire). Both are .aligned.
void cluster_arrive(SIMT_HERE);
void cluster_wait(SIMT_HERE);
void wait_for_predecessor(SIMT_HERE); // griddepcontrol.wait

// Returns p, the address of a whole T. A GPU stops at an address misaligned for T; the host may not, and the address
// build of clang++ does not check copies of structs.
void misaligned(const void *p, unsigned bytes, SIMT_HERE);
template<class T> T *whole(T *p, SIMT_HERE) {
  if (reinterpret_cast<uintptr_t>(p) % alignof(T)) misaligned(p, alignof(T), SIMT_THERE);
  return p;
}

// ---- device side: memory with an order. T: trivially copyable, 1 to 16 bytes, each access single-copy atomic ----

enum Order { relaxed, acquire, release, acq_rel };

void ordered_load(const void *p, void *value, unsigned bytes, Order, const char *file, int line);
void ordered_store(void *p, const void *value, unsigned bytes, Order, const char *file, int line);
void begin_rmw(void *p, unsigned bytes, Order, const char *file, int line);
void end_rmw();

template<class T> constexpr bool orderable = std::is_trivially_copyable<T>::value && sizeof(T) <= 16;

// A load that sees the same value again parks its thread until the value changes, which makes polling cheap and
// deadlocks visible. Loops over up to 16 addresses are recognised.
template<class T> SIMT_UNCHECKED T load(const T *p, Order order, SIMT_HERE) {
  static_assert(orderable<T>, "simt::load: trivially copyable, at most 16 bytes");
  alignas(16) unsigned char raw[sizeof(T)];
  ordered_load(p, raw, sizeof(T), order, SIMT_THERE);
  T value;
  memcpy(&value, raw, sizeof(T));
  return value;
}
template<class T> SIMT_UNCHECKED void store(T *p, typename std::common_type<T>::type value, Order order, SIMT_HERE) {
  static_assert(orderable<T>, "simt::store: trivially copyable, at most 16 bytes");
  ordered_store(p, &value, sizeof(T), order, SIMT_THERE);
}
// *p becomes update(*p), atomically; returns the old value. update must not call the emulator.
template<class T, class Update> SIMT_UNCHECKED T rmw(T *p, Update update, Order order, SIMT_HERE) {
  static_assert(orderable<T>, "simt::rmw: trivially copyable, at most 16 bytes");
  begin_rmw(p, sizeof(T), order, SIMT_THERE);
  T old = *p;
  *p = update(old);
  end_rmw();
  return old;
}
void fence(); // __threadfence
void yield(); // lets another thread run

// ---- device side: asynchronous copies (mbarrier and cp.async.bulk). Addresses and sizes: multiples of 16 ----

void mbarrier_init(uint64_t *bar, unsigned count, SIMT_HERE);
void mbarrier_arrive(uint64_t *bar, SIMT_HERE);
void mbarrier_arrive_expect_tx(uint64_t *bar, unsigned bytes, SIMT_HERE);
bool mbarrier_test(uint64_t *bar, unsigned parity, SIMT_HERE); // has the phase of this parity completed? (acquire)
bool mbarrier_peek(uint64_t *bar, unsigned parity, SIMT_HERE); // the same, in a loop that looks at several barriers
void bulk_load(void *shared_dst, const void *global_src, unsigned bytes, uint64_t *bar, SIMT_HERE);
void bulk_store(void *global_dst, const void *shared_src, unsigned bytes, SIMT_HERE);
void bulk_commit(SIMT_HERE); // groups the thread's stores so far
void bulk_wait_read(unsigned pending, SIMT_HERE); // all but the last `pending` groups have read their sources
void bulk_wait(unsigned pending, SIMT_HERE); // ... and have written their destinations
void fence_proxy_async(); // this thread's earlier accesses before later bulk copies
void fence_mbarrier_init(); // this thread's mbarrier_init before later bulk copies

// ---- device side: collectives ----

// A warp's collective: the lanes' inputs and outputs. A Combine fills `result` for the lanes in mask.
struct Exchange {
  uint64_t value[32], result[32];
  int aux[32], width[32];
};
using Combine = void (*)(Exchange &, unsigned mask);

uint64_t warp_op(
    const char *name, unsigned mask, uint64_t value, int aux, int width, Combine, const char *file, int line);
uint64_t __shfl_sync(unsigned mask, uint64_t value, int aux, int width, SIMT_CALLER);
uint64_t __shfl_up_sync(unsigned mask, uint64_t value, int aux, int width, SIMT_CALLER);
uint64_t __shfl_down_sync(unsigned mask, uint64_t value, int aux, int width, SIMT_CALLER);
uint64_t __shfl_xor_sync(unsigned mask, uint64_t value, int aux, int width, SIMT_CALLER);
uint64_t __match_any_sync(unsigned mask, uint64_t value, SIMT_CALLER);
uint64_t __ballot_sync(unsigned mask, bool value, SIMT_CALLER);
uint64_t __any_sync(unsigned mask, bool value, SIMT_CALLER);
uint64_t __all_sync(unsigned mask, bool value, SIMT_CALLER);
enum Vote { vote_none, vote_count, vote_or, vote_and };
int barrier(Vote, int predicate, const char *file, int line);
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A copy of the running thread's indices, which a kernel reads as cheaply as a global variable.
struct Self {
  uint3 thread, block;
};
extern Self self;
extern dim3 grid_dim, block_dim;

template<class T> SIMT_UNCHECKED uint64_t to_bits(T value) {
  static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8, "warp collectives move up to 8 bytes");
  if constexpr (std::is_integral<T>::value) return uint64_t(value); // (no call of memcpy, where nothing is optimised)
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}
template<class T> SIMT_UNCHECKED T from_bits(uint64_t bits) {
  if constexpr (std::is_integral<T>::value) return T(bits);
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}

template<class Body> void run_body(void *closure) { (*static_cast<Body *>(closure))(); }

template<class Kernel, class... Args>
Result launch_kernel(const char *name, dim3 grid, dim3 block, size_t dynamic_shared, Kernel kernel, Args... args) {
  auto body = [=] { kernel(args...); };
  return launch(name, grid, block, dynamic_shared, run_body<decltype(body)>, &body, sizeof body);
}

} // namespace simt

// SIMT_LAUNCH((kernel<256, 4>), grid, block, dynamic_shared, stream, arguments...); the stream is evaluated, not used.
#define SIMT_STRIP(...) __VA_ARGS__
#define SIMT_LAUNCH(kernel, grid, block, dynamic_shared, stream, ...) \
  ((void)(stream), simt::launch_kernel(#kernel, grid, block, dynamic_shared, SIMT_STRIP kernel, __VA_ARGS__))

#define SIMT_SHARED(T, name) \
  static char name##_key; \
  T &name = *static_cast<T *>(simt::shared(&name##_key, sizeof(T), alignof(T)))
#define SIMT_DYN_SHARED(T, name) T *name = static_cast<T *>(simt::dyn_shared())

// ---- the language ----

#define __global__
#define __device__
#define __constant__ static
#define __host__
// Without optimisation these would only cost compilation. Exception: races by g++, where a call's copies of unused
// members would count as reads (clang++ makes these copies either way).
#if defined __OPTIMIZE__ || (defined __SANITIZE_THREAD__ && !defined __clang__)
#define __forceinline__ inline __attribute__((always_inline))
#else
#define __forceinline__ inline
#endif
#define __launch_bounds__(...)
#define threadIdx (simt::self.thread)
#define blockIdx (simt::self.block)
#define blockDim (simt::block_dim)
#define gridDim (simt::grid_dim)
constexpr int warpSize = 32;

inline void __syncthreads(SIMT_HERE) { simt::barrier(simt::vote_none, 0, SIMT_THERE); }
inline int __syncthreads_count(int p, SIMT_HERE) { return simt::barrier(simt::vote_count, p, SIMT_THERE); }
inline int __syncthreads_or(int p, SIMT_HERE) { return simt::barrier(simt::vote_or, p, SIMT_THERE); }
inline int __syncthreads_and(int p, SIMT_HERE) { return simt::barrier(simt::vote_and, p, SIMT_THERE); }
inline void __syncwarp(unsigned mask = ~0u, SIMT_HERE) {
  simt::warp_op("__syncwarp", mask, 0, 0, 32, nullptr, SIMT_THERE);
}
inline void __threadfence() { simt::fence(); }
inline void __threadfence_block() { simt::fence(); }
inline void __nanosleep(unsigned) { simt::yield(); }

#define SIMT_FOR_LANES(lane, mask) \
  for (unsigned rest_##lane = (mask); rest_##lane; rest_##lane &= rest_##lane - 1) \
    if (const int lane = __builtin_ctz(rest_##lane); true)

#define SIMT_SHUFFLE(NAME) \
  template<class T> SIMT_UNCHECKED T NAME(unsigned mask, T value, int aux, int width = 32, SIMT_HERE) { \
    return simt::from_bits<T>(simt::NAME(mask, simt::to_bits(value), aux, width, SIMT_THERE)); \
  }
SIMT_SHUFFLE(__shfl_sync)
SIMT_SHUFFLE(__shfl_up_sync)
SIMT_SHUFFLE(__shfl_down_sync)
SIMT_SHUFFLE(__shfl_xor_sync)
#undef SIMT_SHUFFLE

template<class T> SIMT_UNCHECKED unsigned __match_any_sync(unsigned mask, T value, SIMT_HERE) {
  return unsigned(simt::__match_any_sync(mask, simt::to_bits(value), SIMT_THERE));
}
#define SIMT_VOTE(RESULT, NAME) \
  template<class T> SIMT_UNCHECKED RESULT NAME(unsigned mask, T value, SIMT_HERE) { \
    return RESULT(simt::NAME(mask, value != 0, SIMT_THERE)); \
  }
SIMT_VOTE(unsigned, __ballot_sync)
SIMT_VOTE(int, __any_sync)
SIMT_VOTE(int, __all_sync)
#undef SIMT_VOTE

// One result for all lanes: total starts as FIRST (v: the lowest active lane's value) and takes STEP for each lane.
#define SIMT_REDUCE(NAME, FIRST, STEP) \
  template<class T> SIMT_UNCHECKED T NAME(unsigned mask, T value, SIMT_HERE) { \
    return simt::from_bits<T>(simt::warp_op( \
        #NAME, mask, simt::to_bits(value), 0, 32, \
        [](simt::Exchange & x, unsigned active) __attribute__((no_sanitize("thread"))) { \
          T v = simt::from_bits<T>(x.value[__builtin_ctz(active)]); \
          T total = FIRST; \
          SIMT_FOR_LANES(lane, active) { \
            v = simt::from_bits<T>(x.value[lane]); \
            STEP; \
          } \
          const uint64_t bits = simt::to_bits<T>(total); \
          SIMT_FOR_LANES(lane, active) x.result[lane] = bits; \
        }, \
        SIMT_THERE)); \
  }
SIMT_REDUCE(__reduce_add_sync, 0, total = T(total + v))
SIMT_REDUCE(__reduce_min_sync, v, total = v < total ? v : total)
SIMT_REDUCE(__reduce_max_sync, v, total = total < v ? v : total)
SIMT_REDUCE(__reduce_and_sync, v, total = T(total & v))
SIMT_REDUCE(__reduce_or_sync, v, total = T(total | v))
SIMT_REDUCE(__reduce_xor_sync, 0, total = T(total ^ v))
#undef SIMT_REDUCE

// Atomics are relaxed, as in CUDA: they order only themselves.
#define SIMT_ATOMIC(NAME, UPDATE) \
  template<class T> T NAME(T *p, typename std::common_type<T>::type value, SIMT_HERE) { \
    return simt::rmw( \
        p, [value](T old) __attribute__((no_sanitize("thread"))) { return T(UPDATE); }, simt::relaxed, SIMT_THERE); \
  }
SIMT_ATOMIC(atomicAdd, old + value)
SIMT_ATOMIC(atomicSub, old - value)
SIMT_ATOMIC(atomicMax, old < value ? value : old)
SIMT_ATOMIC(atomicMin, value < old ? value : old)
SIMT_ATOMIC(atomicOr, old | value)
SIMT_ATOMIC(atomicAnd, old &value)
SIMT_ATOMIC(atomicXor, old ^ value)
SIMT_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
SIMT_ATOMIC(atomicExch, ((void)old, value))
#undef SIMT_ATOMIC
template<class T>
T atomicCAS(T *p, typename std::common_type<T>::type expected, typename std::common_type<T>::type value, SIMT_HERE) {
  return simt::rmw(
      p, [ expected, value ](T old) __attribute__((no_sanitize("thread"))) { return old == expected ? value : old; },
      simt::relaxed, SIMT_THERE);
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return unsigned((uint64_t(hi) << 32 | lo) >> (shift & 31));
}
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  return shift < 32 ? unsigned((uint64_t(hi) << 32 | lo) >> shift) : hi;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return unsigned((uint64_t(hi) << 32 | lo) << (shift & 31) >> 32);
}
inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const uint64_t bytes = uint64_t(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i) & 7; // CUDA ignores the nibble's upper bit
    result |= (unsigned(bytes >> (8 * pick)) & 0xff) << (8 * i);
  }
  return result;
}
inline int __dp4a(int a, int b, int c) {
  unsigned sum = unsigned(c);
  for (int i = 0; i < 4; ++i) sum += unsigned(int8_t(unsigned(a) >> (8 * i)) * int8_t(unsigned(b) >> (8 * i)));
  return int(sum);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
  return c;
}

#endif // SIMT_H
