// tile_check.cu - the routines for kernel authors on a GPU: every one against a serial loop, in blocks of 32 to 1024
// threads. Prints "N passed, N failed, N skipped". tests/gpu/run.py builds and runs it; tests/compile/check.py compiles
// it with nvcc, and runs it on the emulator.
//
//     nvcc -O2 -std=c++17 -arch=native -I. tests/gpu/tile_check.cu -o tile_check && ./tile_check
#include "gpuprims.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifndef TILE_CHECK_BLOCKS
#define TILE_CHECK_BLOCKS 3
#endif
typedef unsigned u32;
static int passed, failed;
static const unsigned BLOCKS = TILE_CHECK_BLOCKS;

static void must(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  std::printf("FAILED: %s: %s\n%d passed, %d failed, 0 skipped\n", what, cudaGetErrorString(error), passed, failed + 1);
  std::exit(1);
}
static u32 random_state = 1;
static u32 random32() {
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 8 ^ random_state << 13;
}

struct Triple {
  u32 a, b, c;
};
template<class T> __host__ __device__ T made_of(u32 x) { return static_cast<T>(x); }
template<> __host__ __device__ inline Triple made_of<Triple>(u32 x) { return {x, x * 3, x ^ 5}; }
template<class T> __host__ __device__ u32 number(const T &x) { return static_cast<u32>(x); }
__host__ __device__ inline u32 number(const Triple &x) { return x.a; }
template<class T> static bool equal(const T &a, const T &b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

// The last operand whose number is no multiple of 4: associative, not commutative.
struct LastOf {
  template<class T> __host__ __device__ T operator()(const T &a, const T &b) const { return number(b) % 4 ? b : a; }
};

// A block's tile, with what a check reads and writes of it.
template<class T> struct Tile {
  const T *in;
  const u32 *ranks; // a permutation of the tile's elements
  T *out;
  u32 *numbers;
  u32 count;
};
enum { ROOM = 4 }; // outputs an element

// Inputs are numbers below `range`. expect(in, ranks, count, out, numbers) says what the block writes; outputs that it
// leaves alone are not compared.
template<class T, class Expect>
static void check(
    const char *name, void (*kernel)(Tile<T>), unsigned threads, unsigned tile, u32 range, u32 count, Expect expect) {
  const unsigned all = BLOCKS * tile;
  std::vector<T> in(all), out(all * ROOM), want(tile * ROOM);
  std::vector<u32> ranks(all), numbers(all * ROOM), wanted(tile * ROOM);
  for (T &x : in) x = made_of<T>(random32() % range);
  for (unsigned i = 0; i < all; ++i) ranks[i] = i % tile;
  for (unsigned i = 0; i < all; ++i) std::swap(ranks[i], ranks[i / tile * tile + random32() % tile]);
  T *d_in, *d_out;
  u32 *d_ranks, *d_numbers;
  must(cudaMalloc(&d_in, all * sizeof(T)), name);
  must(cudaMalloc(&d_out, all * ROOM * sizeof(T)), name);
  must(cudaMalloc(&d_ranks, all * sizeof(u32)), name);
  must(cudaMalloc(&d_numbers, all * ROOM * sizeof(u32)), name);
  std::memset(static_cast<void *>(out.data()), 0xa5, out.size() * sizeof(T));
  std::memset(numbers.data(), 0xa5, numbers.size() * sizeof(u32));
  must(cudaMemcpy(d_in, in.data(), all * sizeof(T), cudaMemcpyHostToDevice), name);
  must(cudaMemcpy(d_ranks, ranks.data(), all * sizeof(u32), cudaMemcpyHostToDevice), name);
  must(cudaMemcpy(d_out, out.data(), all * ROOM * sizeof(T), cudaMemcpyHostToDevice), name);
  must(cudaMemcpy(d_numbers, numbers.data(), all * ROOM * sizeof(u32), cudaMemcpyHostToDevice), name);
  const Tile<T> of = {d_in, d_ranks, d_out, d_numbers, count};
  kernel<<<BLOCKS, threads>>>(of);
  must(cudaGetLastError(), name);
  must(cudaDeviceSynchronize(), name);
  must(cudaMemcpy(out.data(), d_out, all * ROOM * sizeof(T), cudaMemcpyDeviceToHost), name);
  must(cudaMemcpy(numbers.data(), d_numbers, all * ROOM * sizeof(u32), cudaMemcpyDeviceToHost), name);
  bool good = true;
  for (unsigned b = 0; b < BLOCKS; ++b) {
    std::memset(static_cast<void *>(want.data()), 0xa5, want.size() * sizeof(T));
    std::memset(wanted.data(), 0xa5, wanted.size() * sizeof(u32));
    expect(&in[b * tile], &ranks[b * tile], count, want.data(), wanted.data());
    for (unsigned i = 0; good && i < tile * ROOM; ++i) {
      good = equal(out[b * tile * ROOM + i], want[i]) && numbers[b * tile * ROOM + i] == wanted[i];
      if (!good) std::printf("FAILED: %s, %u threads, count %u: block %u, output %u\n", name, threads, count, b, i);
    }
  }
  good ? ++passed : ++failed;
  must(cudaFree(d_in), name);
  must(cudaFree(d_out), name);
  must(cudaFree(d_ranks), name);
  must(cudaFree(d_numbers), name);
}

// This block's part.
template<int TILE, class T> __device__ Tile<T> mine(const Tile<T> &all) {
  const unsigned b = blockIdx.x;
  return {all.in + b * TILE, all.ranks + b * TILE, all.out + b * TILE * ROOM, all.numbers + b * TILE * ROOM, all.count};
}

// ---- arrangements: outputs 0 to 3 are the tile after a load, an exchange, a scatter, and stored again

template<int THREADS, int ITEMS, int FROM, int TO, class T>
__global__ void __launch_bounds__(THREADS) arrange(Tile<T> all) {
  const int TILE = THREADS * ITEMS;
  typedef gp_tile_exchange_storage<THREADS, ITEMS, T> storage_type;
  GP_SHARED(storage_type, storage);
  const Tile<T> a = mine<TILE>(all);
  T items[ITEMS];
  u32 rank[ITEMS];
  gp_tile_load<THREADS, FROM>(items, a.in, a.count, made_of<T>(7));
  gp_tile_store_direct(items, a.out, TILE);
  gp_tile_rearrange<THREADS, FROM, TO>(items, storage);
  gp_tile_store<THREADS, TO>(items, a.out + TILE, a.count);
  __syncthreads();
  gp_tile_load_direct(rank, a.ranks, TILE, 0u);
  gp_tile_scatter<THREADS, TO>(items, rank, storage, a.count);
  gp_tile_store_direct(items, a.out + 2 * TILE, TILE);
  __syncthreads();
  gp_tile_load_transposed<THREADS>(items, a.in, a.count, made_of<T>(7), storage);
  __syncthreads();
  gp_tile_store_transposed<THREADS>(items, a.out + 3 * TILE, a.count, storage);
}
static unsigned place(int how, unsigned threads, unsigned items, unsigned t, unsigned i) {
  return how == GP_BLOCKED ? t * items + i : how == GP_STRIPED ? i * threads + t : (t / 32 * items + i) * 32 + t % 32;
}
template<int THREADS, int ITEMS, int FROM, int TO, class T> static void check_arrange(u32 count) {
  const unsigned TILE = THREADS * ITEMS;
  check<T>("arrange", arrange<THREADS, ITEMS, FROM, TO, T>, THREADS, TILE, 200, count,
      [](const T *in, const u32 *ranks, u32 n, T *out, u32 *) {
        std::vector<T> held(TILE), sent(TILE);
        for (unsigned t = 0; t < THREADS; ++t)
          for (unsigned i = 0; i < ITEMS; ++i) {
            const unsigned from = place(FROM, THREADS, ITEMS, t, i), to = place(TO, THREADS, ITEMS, t, i);
            out[t * ITEMS + i] = from < n ? in[from] : made_of<T>(7);
            held[t * ITEMS + i] = to < n ? in[to] : made_of<T>(7);
          }
        std::copy(in, in + n, out + TILE);
        for (unsigned i = 0; i < TILE; ++i) sent[ranks[i]] = held[i];
        for (unsigned t = 0; t < THREADS; ++t)
          for (unsigned i = 0; i < ITEMS; ++i) {
            const unsigned to = place(TO, THREADS, ITEMS, t, i);
            out[2 * TILE + t * ITEMS + i] = to < n ? sent[to] : held[t * ITEMS + i];
          }
        std::copy(in, in + n, out + 3 * TILE);
      });
}

template<int LANES, int ITEMS, class T> __global__ void __launch_bounds__(64) arrange_groups(Tile<T> all) {
  const int TILE = 64 * ITEMS, OWN = LANES * ITEMS;
  struct storage_type {
    gp_tile_exchange_storage<LANES, ITEMS, T> of[64 / LANES];
  };
  GP_SHARED(storage_type, storage);
  const Tile<T> a = mine<TILE>(all);
  const unsigned group = threadIdx.x / LANES, first = group * OWN;
  T items[ITEMS];
  u32 rank[ITEMS];
  gp_warp_group_load<LANES, GP_STRIPED>(items, a.in + first, a.count, made_of<T>(7));
  gp_warp_group_rearrange<LANES, GP_STRIPED, GP_BLOCKED>(items, storage.of[group]);
  gp_warp_group_store<LANES, GP_BLOCKED>(items, a.out + first, a.count);
  for (int i = 0; i < ITEMS; ++i) rank[i] = OWN - 1 - (threadIdx.x % LANES * ITEMS + unsigned(i)); // backwards
  __syncwarp();
  gp_warp_group_scatter<LANES, GP_BLOCKED>(items, rank, storage.of[group]);
  gp_warp_group_store<LANES, GP_BLOCKED>(items, a.out + TILE + first, OWN);
}
template<int LANES, int ITEMS, class T> static void check_arrange_groups(u32 count) {
  check<T>("arrange groups", arrange_groups<LANES, ITEMS, T>, 64, 64 * ITEMS, 200, count,
      [](const T *in, const u32 *, u32 n, T *out, u32 *) {
        const unsigned TILE = 64 * ITEMS, OWN = LANES * ITEMS;
        for (unsigned i = 0; i < TILE; ++i) {
          if (i % OWN < n) out[i] = in[i];
          const unsigned from = OWN - 1 - i % OWN;
          out[TILE + i] = from < n ? in[i / OWN * OWN + from] : made_of<T>(7);
        }
      });
}

// ---- groups of lanes: outputs of a thread at t + k * THREADS

template<int LANES, class T> __global__ void __launch_bounds__(64) groups(Tile<T> all) {
  const int THREADS = 64;
  const Tile<T> a = mine<8 * THREADS>(all);
  const unsigned t = threadIdx.x, lane = t % 32 % LANES;
  const T x = a.in[t];
  T *out = a.out + t;
  const T reduced = gp_warp_group_reduce<LANES>(x, LastOf(), a.count);
  const bool head = a.ranks[t] % 3 == 0;
  const T of_heads = gp_warp_group_reduce_heads<LANES>(x, head, LastOf());
  const T of_tails = gp_warp_group_reduce_tails<LANES>(x, head, LastOf());
  if (lane == 0) out[0] = reduced, out[THREADS] = of_heads, out[2 * THREADS] = of_tails;
  out[3 * THREADS] = gp_warp_group_inclusive_scan<LANES>(x, LastOf());
  out[4 * THREADS] = gp_warp_group_exclusive_scan<LANES>(x, LastOf(), made_of<T>(9));
  out[5 * THREADS] = gp_warp_group_broadcast<LANES>(x, lane < 32 / LANES * LANES ? 0u : 0u);
  if constexpr (32 % LANES == 0) {
    const int COUNT = LANES < 3 ? LANES : 3;
    T values[COUNT];
    for (int j = 0; j < COUNT; ++j) values[j] = a.in[t + unsigned(j) * THREADS];
    const T batch = gp_warp_group_reduce_batch<LANES>(values, LastOf());
    if (lane < COUNT) out[6 * THREADS] = batch;
  }
}
template<int LANES, class T> static void check_groups(u32 count) {
  check<T>("groups", groups<LANES, T>, 64, 8 * 64, 60, count, [](const T *in, const u32 *ranks, u32 n, T *out, u32 *) {
    const unsigned THREADS = 64;
    const auto fold = [&](const T *from, unsigned length) {
      T sum = from[0];
      for (unsigned i = 1; i < length; ++i) sum = LastOf()(sum, from[i]);
      return sum;
    };
    for (unsigned t = 0; t < THREADS; ++t) {
      const unsigned first = t / 32 * 32 + t % 32 / LANES * LANES,
                     size = std::min(unsigned(LANES), t / 32 * 32 + 32 - first);
      if (t == first) {
        unsigned to_head = 1, to_tail = 1;
        while (to_head < size && ranks[t + to_head] % 3) ++to_head;
        while (to_tail < size && ranks[t + to_tail - 1] % 3) ++to_tail;
        out[t] = fold(in + t, std::min(n, size));
        out[THREADS + t] = fold(in + t, to_head);
        out[2 * THREADS + t] = fold(in + t, to_tail);
      }
      out[3 * THREADS + t] = fold(in + first, t - first + 1);
      out[4 * THREADS + t] = t == first ? made_of<T>(9) : LastOf()(made_of<T>(9), fold(in + first, t - first));
      out[5 * THREADS + t] = in[first];
      if (32 % LANES == 0 && t - first < std::min(3u, unsigned(LANES)))
        out[6 * THREADS + t] = fold(in + (t - first) * THREADS + first, size);
    }
  });
}

// ---- neighbours

template<int THREADS, int ITEMS, class T> __global__ void __launch_bounds__(THREADS) neighbours(Tile<T> all) {
  const int TILE = THREADS * ITEMS;
  typedef gp_tile_shuffle_storage<THREADS, T> storage_type;
  GP_SHARED(storage_type, storage);
  const Tile<T> a = mine<TILE>(all);
  const unsigned t = threadIdx.x;
  const T first = made_of<T>(99), own = a.in[t];
  T items[ITEMS];
  u32 flags[ITEMS];
  const T offset = gp_tile_offset(own, -5, storage);
  __syncthreads();
  const T rotated = gp_tile_rotate(own, 7, storage);
  __syncthreads();
  a.numbers[t] = number(offset) * 1000 + number(rotated);
  gp_tile_load_direct(items, a.in, TILE, first);
  const T last = gp_tile_shift<THREADS, GP_BEFORE>(items, first, storage);
  gp_tile_store_direct(items, a.out, TILE);
  __syncthreads();
  gp_tile_load_direct(items, a.in, TILE, first);
  const T start = gp_tile_shift<THREADS, GP_AFTER>(items, first, storage);
  gp_tile_store_direct(items, a.out + TILE, TILE);
  if (ITEMS > 1) a.numbers[THREADS + t] = number(last) * 1000 + number(start);
  __syncthreads();
  const auto minus = [](const T &x, const T &y) { return made_of<T>(number(x) + 2 * number(y)); };
  const auto differ = [](const T &x, const T &y) { return number(x) < number(y); };
  gp_tile_load_direct(items, a.in, TILE, first);
  gp_tile_flag<THREADS, GP_BEFORE>(flags, items, differ, storage, a.count, &first);
  __syncthreads();
  gp_tile_store_direct(flags, a.numbers + 2 * TILE, TILE);
  gp_tile_flag<THREADS, GP_AFTER>(flags, items, differ, storage, a.count);
  __syncthreads();
  gp_tile_store_direct(flags, a.numbers + 3 * TILE, TILE);
  gp_tile_difference<THREADS, GP_BEFORE>(items, items, minus, storage, a.count);
  __syncthreads();
  gp_tile_store_direct(items, a.out + 2 * TILE, TILE);
  gp_tile_load_direct(items, a.in, TILE, first);
  gp_tile_difference<THREADS, GP_AFTER>(items, items, minus, storage, a.count, &first);
  gp_tile_store_direct(items, a.out + 3 * TILE, TILE);
}
template<int THREADS, int ITEMS, class T> static void check_neighbours(u32 count) {
  const unsigned TILE = THREADS * ITEMS;
  check<T>("neighbours", neighbours<THREADS, ITEMS, T>, THREADS, TILE, 3, count,
      [](const T *in, const u32 *, u32 n, T *out, u32 *numbers) {
        for (unsigned t = 0; t < THREADS; ++t) {
          numbers[t] = number(in[t < 5 ? t : t - 5]) * 1000 + number(in[(t + 7) % THREADS]);
          if (ITEMS > 1) numbers[THREADS + t] = number(in[TILE - 1]) * 1000 + number(in[0]);
        }
        for (unsigned i = 0; i < TILE; ++i) {
          const T first = made_of<T>(99), before = i ? in[i - 1] : first, after = i + 1 < TILE ? in[i + 1] : first;
          const T next = i + 1 == n ? first : after;
          out[i] = before;
          out[TILE + i] = after;
          numbers[2 * TILE + i] = i < n && number(before) < number(in[i]);
          numbers[3 * TILE + i] = i < n && (i + 1 == n || number(in[i]) < number(next));
          out[2 * TILE + i] = i && i < n ? made_of<T>(number(in[i]) + 2 * number(before)) : in[i];
          out[3 * TILE + i] = i < n ? made_of<T>(number(in[i]) + 2 * number(next)) : in[i];
        }
      });
}

// ---- several items a thread

template<class T> struct Running { // of the tiles so far
  T sum;
  __device__ T operator()(const T &total) {
    const T before = sum;
    sum = LastOf()(sum, total);
    return before;
  }
};
template<int THREADS, int ITEMS, class T> __global__ void __launch_bounds__(THREADS) items_of(Tile<T> all) {
  const int TILE = THREADS * ITEMS;
  union storage_type {
    gp_tile_reduce_storage<THREADS, T> reduce;
    gp_tile_scan_storage<THREADS, T> scan;
    gp_tile_scan_after_storage<THREADS, T> after;
  };
  GP_SHARED(storage_type, storage);
  const Tile<T> a = mine<TILE>(all);
  T items[ITEMS];
  gp_tile_load_direct(items, a.in, TILE, made_of<T>(0));
  const T reduced = gp_tile_reduce_items<THREADS>(items, LastOf(), storage.reduce, a.count);
  __syncthreads();
  if (threadIdx.x == 0) a.numbers[0] = number(reduced);
  const T total = gp_tile_exclusive_scan_items(items, LastOf(), made_of<T>(5), storage.scan);
  gp_tile_store_direct(items, a.out, TILE);
  if (threadIdx.x == THREADS - 1) a.numbers[1] = number(total);
  __syncthreads();
  gp_tile_load_direct(items, a.in, TILE, made_of<T>(0));
  gp_tile_inclusive_scan_items(items, LastOf(), storage.scan);
  gp_tile_store_direct(items, a.out + TILE, TILE);
  Running<T> running = {made_of<T>(5)};
  for (int turn = 0; turn < 2; ++turn) { // the tile twice, one behind the other
    __syncthreads();
    gp_tile_load_direct(items, a.in, TILE, made_of<T>(0));
    if (turn) gp_tile_scan_after<false>(items, LastOf(), running, storage.after);
    else gp_tile_scan_after<true>(items, LastOf(), running, storage.after);
    gp_tile_store_direct(items, a.out + (2 + turn) * TILE, TILE);
  }
}
template<int THREADS, int ITEMS, class T> static void check_items(u32 count) {
  const unsigned TILE = THREADS * ITEMS;
  check<T>("items", items_of<THREADS, ITEMS, T>, THREADS, TILE, 200, count,
      [](const T *in, const u32 *, u32 n, T *out, u32 *numbers) {
        T sum = in[0], running = made_of<T>(5);
        for (unsigned i = 0; i < TILE; ++i) {
          if (i) sum = LastOf()(sum, in[i]);
          if (i + 1 == n) numbers[0] = number(sum);
          out[i] = out[2 * TILE + i] = running;
          out[TILE + i] = sum;
          running = LastOf()(running, in[i]);
        }
        numbers[1] = number(sum);
        for (unsigned i = 0; i < TILE; ++i) out[3 * TILE + i] = running = LastOf()(running, in[i]);
      });
}

// A run's length is its value modulo 5; two windows of the decoded elements.
template<int THREADS, int RUNS, class T> __global__ void __launch_bounds__(THREADS) runs(Tile<T> all) {
  const int TILE = THREADS * RUNS;
  typedef gp_tile_runs_storage<THREADS, RUNS, T> storage_type;
  GP_SHARED(storage_type, storage);
  const Tile<T> a = mine<TILE>(all);
  T values[RUNS], items[RUNS];
  u32 lengths[RUNS], places[RUNS];
  gp_tile_load_direct(values, a.in, TILE, made_of<T>(0));
  for (int i = 0; i < RUNS; ++i) lengths[i] = number(values[i]) % 5;
  const u32 total = gp_tile_begin_runs(values, lengths, storage);
  for (u32 window = 0; window < 2; ++window) {
    gp_tile_decode_runs<THREADS>(items, places, window * TILE, storage);
    gp_tile_store_direct(items, a.out + window * TILE, TILE);
    gp_tile_store_direct(places, a.numbers + window * TILE, TILE);
  }
  a.numbers[2 * TILE + threadIdx.x] = total;
}
template<int THREADS, int RUNS, class T> static void check_runs() {
  const unsigned TILE = THREADS * RUNS;
  check<T>(
      "runs", runs<THREADS, RUNS, T>, THREADS, TILE, 90, TILE, [](const T *in, const u32 *, u32, T *out, u32 *numbers) {
        u32 at = 0, begin = 0;
        for (unsigned run = 0; run < TILE; ++run) {
          begin = at;
          for (u32 j = 0; j < number(in[run]) % 5; ++j, ++at)
            if (at < 2 * TILE) out[at] = in[run], numbers[at] = j;
        }
        for (unsigned t = 0; t < THREADS; ++t) numbers[2 * TILE + t] = at;
        for (; at < 2 * TILE; ++at) out[at] = in[TILE - 1], numbers[at] = at - begin;
      });
}

// ---- order: keys in out, values in numbers

template<int THREADS, int ITEMS, class T> __global__ void __launch_bounds__(THREADS) merge_sort(Tile<T> all) {
  const int TILE = THREADS * ITEMS;
  union storage_type {
    gp_tile_merge_sort_storage<THREADS, ITEMS, T> keys;
    gp_tile_merge_sort_storage<THREADS, ITEMS, T, u32> pairs;
    struct {
      gp_tile_merge_sort_storage<8, ITEMS, T> of[THREADS / 8];
    } groups;
    struct {
      gp_tile_merge_sort_storage<32, ITEMS, T, u32> of[THREADS / 32];
    } warps;
  };
  GP_SHARED(storage_type, storage);
  const Tile<T> a = mine<TILE>(all);
  const auto before = [](const T &x, const T &y) { return number(x) > number(y); };
  T keys[ITEMS];
  u32 values[ITEMS];
  gp_tile_load_direct(keys, a.in, TILE, made_of<T>(0));
  gp_tile_merge_sort<THREADS>(keys, before, storage.keys, a.count);
  gp_tile_store_direct(keys, a.out, TILE);
  __syncthreads();
  gp_tile_load_direct(keys, a.in, TILE, made_of<T>(0));
  for (int i = 0; i < ITEMS; ++i) values[i] = threadIdx.x * ITEMS + unsigned(i);
  gp_tile_merge_sort_pairs<THREADS>(keys, values, before, storage.pairs, a.count);
  gp_tile_store_direct(keys, a.out + TILE, TILE);
  gp_tile_store_direct(values, a.numbers + TILE, TILE);
  __syncthreads();
  gp_tile_load_direct(keys, a.in, TILE, made_of<T>(0));
  gp_warp_group_merge_sort<8>(keys, before, storage.groups.of[threadIdx.x / 8], a.count % (8 * ITEMS));
  gp_tile_store_direct(keys, a.out + 2 * TILE, TILE);
  __syncthreads();
  gp_tile_load_direct(keys, a.in, TILE, made_of<T>(0));
  for (int i = 0; i < ITEMS; ++i) values[i] = threadIdx.x * ITEMS + unsigned(i);
  gp_warp_group_merge_sort_pairs<32>(keys, values, before, storage.warps.of[threadIdx.x / 32]);
  gp_tile_store_direct(keys, a.out + 3 * TILE, TILE);
  gp_tile_store_direct(values, a.numbers + 3 * TILE, TILE);
}
template<class T> static void sort_serially(const T *in, u32 from, u32 to, T *out, u32 *numbers) {
  std::vector<u32> order;
  for (u32 i = from; i < to; ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](u32 x, u32 y) { return number(in[x]) > number(in[y]); });
  for (u32 i = from; i < to; ++i) out[i] = in[order[i - from]];
  for (u32 i = from; numbers && i < to; ++i) numbers[i] = order[i - from];
}
template<int THREADS, int ITEMS, class T> static void check_merge_sort(u32 count) {
  check<T>("merge sort", merge_sort<THREADS, ITEMS, T>, THREADS, THREADS * ITEMS, 50, count,
      [](const T *in, const u32 *, u32 n, T *out, u32 *numbers) {
        const u32 TILE = THREADS * ITEMS;
        for (int k = 0; k < 4; ++k) std::copy(in, in + TILE, out + k * TILE);
        for (u32 i = 0; i < TILE; ++i) numbers[TILE + i] = i;
        sort_serially(in, 0, n, out, nullptr);
        sort_serially(in, 0, n, out + TILE, numbers + TILE);
        for (u32 g = 0; g < TILE; g += 8 * ITEMS) sort_serially(in, g, g + n % (8 * ITEMS), out + 2 * TILE, nullptr);
        for (u32 g = 0; g < TILE; g += 32 * ITEMS)
          sort_serially(in, g, g + 32 * ITEMS, out + 3 * TILE, numbers + 3 * TILE);
      });
}

template<int THREADS, int ITEMS, class T> __global__ void __launch_bounds__(THREADS) radix_sort(Tile<T> all) {
  const int TILE = THREADS * ITEMS;
  union storage_type {
    gp_tile_radix_sort_storage<THREADS, ITEMS, T> keys;
    gp_tile_radix_sort_storage<THREADS, ITEMS, T, Triple> pairs;
    gp_tile_top_k_storage<THREADS, ITEMS, T> top;
    gp_tile_top_k_storage<THREADS, ITEMS, T, u32> top_pairs;
  };
  GP_SHARED(storage_type, storage);
  const Tile<T> a = mine<TILE>(all);
  T keys[ITEMS];
  Triple values[ITEMS];
  u32 indices[ITEMS];
  gp_tile_load_direct(keys, a.in, TILE, made_of<T>(0));
  gp_tile_radix_sort<THREADS>(keys, storage.keys);
  gp_tile_store_direct(keys, a.out, TILE);
  __syncthreads();
  gp_tile_load_direct(keys, a.in, TILE, made_of<T>(0));
  for (int i = 0; i < ITEMS; ++i) values[i] = made_of<Triple>(threadIdx.x * ITEMS + unsigned(i));
  gp_tile_radix_sort_pairs<THREADS, true, GP_STRIPED>(keys, values, storage.pairs);
  gp_tile_store_striped<THREADS>(keys, a.out + TILE, TILE);
  for (int i = 0; i < ITEMS; ++i) a.numbers[TILE + i * THREADS + int(threadIdx.x)] = values[i].b;
  __syncthreads();
  gp_tile_load_direct(keys, a.in, TILE, made_of<T>(0));
  gp_tile_top_k<THREADS>(keys, a.count, storage.top);
  gp_tile_store_direct(keys, a.out + 2 * TILE, a.count);
  __syncthreads();
  gp_tile_load_direct(keys, a.in, TILE, made_of<T>(0));
  for (int i = 0; i < ITEMS; ++i) indices[i] = threadIdx.x * ITEMS + unsigned(i);
  gp_tile_top_k_pairs<THREADS, true>(keys, indices, a.count / 2, storage.top_pairs, a.count);
  gp_tile_store_direct(keys, a.out + 3 * TILE, a.count / 2);
  gp_tile_store_direct(indices, a.numbers + 3 * TILE, a.count / 2);
}
template<int THREADS, int ITEMS, class T> static void check_radix_sort(u32 range, u32 count) {
  check<T>("radix sort, top k", radix_sort<THREADS, ITEMS, T>, THREADS, THREADS * ITEMS, range, count,
      [](const T *in, const u32 *, u32 n, T *out, u32 *numbers) {
        const u32 TILE = THREADS * ITEMS;
        std::copy(in, in + TILE, out);
        std::sort(out, out + TILE);
        sort_serially(in, 0, TILE, out + TILE, numbers + TILE);
        for (u32 i = 0; i < TILE; ++i) numbers[TILE + i] *= 3;
        for (int largest = 0; largest < 2; ++largest) {
          std::vector<u32> order(largest ? n : TILE);
          for (u32 i = 0; i < order.size(); ++i) order[i] = i;
          std::stable_sort(
              order.begin(), order.end(), [&](u32 x, u32 y) { return largest ? in[x] > in[y] : in[x] < in[y]; });
          order.resize(largest ? n / 2 : n);
          std::sort(order.begin(), order.end());
          for (u32 i = 0; i < order.size(); ++i) {
            out[(2 + largest) * TILE + i] = in[order[i]];
            if (largest) numbers[3 * TILE + i] = order[i];
          }
        }
      });
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: tile_check: no GPU\n0 passed, 0 failed, 1 skipped\n");
    return 0;
  }
  for (u32 count : {1u, 77u, 192u}) {
    check_arrange<64, 3, GP_BLOCKED, GP_STRIPED, u32>(count);
    check_arrange<64, 3, GP_STRIPED, GP_WARP_STRIPED, Triple>(count);
    check_arrange<64, 3, GP_WARP_STRIPED, GP_BLOCKED, unsigned char>(count);
    check_neighbours<64, 3, u32>(count);
    check_neighbours<96, 2, Triple>(count);
    check_items<64, 3, u32>(count);
    check_items<96, 2, Triple>(count);
    check_merge_sort<64, 3, u32>(count);
    check_merge_sort<96, 2, Triple>(count);
    check_radix_sort<64, 3, u32>(1u << 31, count);
    check_radix_sort<96, 2, unsigned short>(40, count);
  }
  for (u32 count : {1u, 5u, 12u}) {
    check_arrange_groups<4, 3, u32>(count);
    check_arrange_groups<2, 6, Triple>(count);
    check_groups<32, u32>(count);
    check_groups<8, Triple>(count);
    check_groups<2, unsigned char>(count);
    check_groups<5, unsigned short>(count);
  }
  check_runs<64, 3, u32>();
  check_runs<96, 2, Triple>();
  check_arrange<256, 7, GP_WARP_STRIPED, GP_BLOCKED, u32>(1700);
  check_neighbours<256, 7, u32>(1700);
  check_items<256, 7, u32>(1700);
  check_merge_sort<256, 7, u32>(1700);
  check_radix_sort<256, 7, float>(100, 1700);
  check_radix_sort<512, 4, unsigned long long>(1u << 31, 2000);
  check_runs<256, 5, u32>();
  check_neighbours<1024, 2, unsigned short>(2047);
  check_items<1024, 1, u32>(1023);
  check_merge_sort<1024, 2, u32>(2000);
  check_radix_sort<1024, 1, u32>(1000, 1000);
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
