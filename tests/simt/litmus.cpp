// litmus.cpp - programs that the emulator must accept or report, each under 60 schedules.
//
// Race build: all programs. Other builds: the clean ones, and the errors that need no shadow memory; data races that
// they cannot see count as skipped. Last line: N passed, N failed, N skipped.
#include "simt.h"

#include <cstdio>
#include <cstdlib>

#ifdef __SANITIZE_THREAD__
constexpr bool checks_races = true;
#else
constexpr bool checks_races = false;
#endif
constexpr unsigned all_lanes = 0xffffffffu;
constexpr unsigned launch_blocks = 4, launch_threads = 64, global_words = 1024;

// ---- memory order ----

static uint32_t poll(const uint32_t *flag, simt::Order order, SIMT_HERE) {
  uint32_t value;
  do value = simt::load(flag, order, SIMT_THERE);
  while (!value);
  return value;
}

// Block 0 hands g[1] to the other blocks by the flag g[0], with each side ordered in different ways:
enum Side { plain_relaxed, ordered, fenced };
template<Side Producer, Side Consumer> __global__ void flag_handoff(uint32_t *g) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    g[1] = 42;
    if (Producer == fenced) __threadfence();
    simt::store(g, 1u, Producer == ordered ? simt::release : simt::relaxed);
  } else {
    poll(g, Consumer == ordered ? simt::acquire : simt::relaxed);
    if (Consumer == fenced) __threadfence();
    g[64 + blockIdx.x] = g[1];
  }
}

// Thread 0 of a block acquires; thread 7 reads, after a collective that orders memory or does not.
enum Collective { by_syncwarp, by_shuffle, by_barrier };
template<Collective How> __global__ void pass_on(uint32_t *g) {
  const unsigned t = threadIdx.x;
  if (blockIdx.x == 0) {
    if (t) return;
    g[1] = 42;
    simt::store(g, 1u, simt::release);
    return;
  }
  if (How != by_barrier && t >= 32) return;
  if (t == 0) poll(g, simt::acquire);
  if (How == by_syncwarp) __syncwarp();
  if (How == by_shuffle) __shfl_sync(all_lanes, 1, 0);
  if (How == by_barrier) __syncthreads();
  if (t == 7) g[64 + blockIdx.x] = g[1];
}

// A warp writes, and one lane releases for all of it, with or without a __syncwarp before.
template<bool Sync> __global__ void warp_gather(uint32_t *g) {
  const unsigned t = threadIdx.x;
  if (blockIdx.x == 0 && t < 32) {
    g[4 + t] = t;
    if (Sync) __syncwarp();
    if (t == 0) simt::store(g, 1u, simt::release);
  } else if (blockIdx.x && t == 0) {
    poll(g, simt::acquire);
    g[64 + blockIdx.x] = g[4 + 9];
  }
}

// The threadfence reduction: the last block sums the other blocks' results.
template<bool Fence> __global__ void last_block_sums(uint32_t *g) {
  if (threadIdx.x) return;
  g[4 + blockIdx.x] = blockIdx.x + 1;
  if (Fence) __threadfence();
  const uint32_t order = atomicAdd(g, 1u);
  if (Fence) __threadfence();
  if (order != gridDim.x - 1) return;
  uint32_t sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += g[4 + i];
  g[2] = sum;
}

// Knowledge through a third thread: 0 releases to 1, 1 releases to 2, which reads 0's write.
template<bool Chain> __global__ void transitive(uint32_t *g) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    g[1] = 42;
    simt::store(g, 1u, simt::release);
  } else if (blockIdx.x == 1) {
    poll(g, simt::acquire);
    simt::store(g + 2, 1u, Chain ? simt::release : simt::relaxed);
  } else if (blockIdx.x == 2) {
    poll(g + 2, simt::acquire);
    g[64] = g[1];
  }
}

// The state of a tile in one 16-byte word: the tag shows that the value beside it is there, without further order.
struct alignas(16) TileState {
  uint64_t value;
  uint32_t tag, spare;
};
template<bool Beside> __global__ void tagged_state(uint32_t *g) {
  TileState *states = reinterpret_cast<TileState *>(g + 128);
  if (threadIdx.x) return;
  const unsigned b = blockIdx.x;
  uint64_t sum = 0;
  if (b) {
    TileState s;
    do s = simt::load(states + b - 1, simt::relaxed);
    while (!s.tag);
    sum = Beside ? g[512 + b - 1] : s.value; // a payload outside the word needs order
  }
  g[512 + b] = uint32_t(sum + b);
  simt::store(states + b, TileState{sum + b, 1, 0}, simt::relaxed);
}

// ---- shared memory ----

struct Words {
  uint32_t a[64], counts[8];
};
template<bool PlainToo> __global__ void atomic_counts(uint32_t *g) {
  SIMT_SHARED(Words, s);
  const unsigned t = threadIdx.x;
  if (t < 8) s.counts[t] = 0;
  __syncthreads();
  if (PlainToo && t == 9) s.counts[1] = 5;
  else atomicAdd(&s.counts[t & 7], 1u);
  __syncthreads();
  if (t < 8 && blockIdx.x == 0) g[2 + t] = s.counts[t];
}
template<unsigned Partner> __global__ void warp_exchange(uint32_t *g) {
  SIMT_SHARED(Words, s);
  const unsigned t = threadIdx.x;
  s.a[t] = t;
  __syncwarp();
  g[64 + 64 * blockIdx.x + t] = s.a[t ^ Partner];
  __syncwarp();
}
struct Bytes {
  uint8_t b[256];
};
template<bool Overlap> __global__ void byte_neighbours(uint32_t *g) {
  SIMT_SHARED(Bytes, s);
  const unsigned t = threadIdx.x;
  s.b[t + 1] = uint8_t(t); // four threads write bytes of one word: no race
  if (Overlap && t == 5) s.b[t + 2] = 1;
  __syncthreads();
  g[64 + 64 * blockIdx.x + t] = s.b[64 - t];
}
// Structs too large for registers: the compiler does not copy them by loads and stores.
struct Trio {
  uint64_t a, b, c;
};
struct Trios {
  Trio t[64];
};
enum Copied { after_barrier, read_early, written_early };
template<Copied When> __global__ void struct_copies(uint32_t *g) {
  SIMT_SHARED(Trios, s);
  const unsigned t = threadIdx.x;
  const Trio first = {t, t, t};
  if (When == read_early) s.t[t].a = s.t[t].b = s.t[t].c = t;
  else s.t[t] = first;
  if (When != read_early) __syncthreads();
  if (When == written_early) s.t[t ^ 32] = first;
  const Trio found = s.t[63 - t];
  g[64 + 64 * blockIdx.x + t] = uint32_t(found.b);
}
template<unsigned Last> __global__ void shared_bounds(uint32_t *g) {
  SIMT_SHARED(Words, s);
  if (threadIdx.x < 8) s.counts[threadIdx.x] = 1;
  s.a[threadIdx.x] = 0;
  __syncthreads();
  uint32_t *p = s.a;
  if (threadIdx.x == 0) g[2 + blockIdx.x] = p[Last];
}
__global__ void uninitialised(uint32_t *g) {
  SIMT_SHARED(Words, s);
  if (threadIdx.x < 63) s.a[threadIdx.x] = 0;
  __syncthreads();
  g[64 + 64 * blockIdx.x + threadIdx.x] = s.a[threadIdx.x];
}
__global__ void uninitialised_sum(uint32_t *g) {
  SIMT_SHARED(Words, s);
  s.a[threadIdx.x] += 1; // the load, not the store, is at fault
  g[64 + 64 * blockIdx.x + threadIdx.x] = threadIdx.x;
}
__global__ void dynamic_shared(uint32_t *g) {
  SIMT_DYN_SHARED(uint32_t, s);
  const unsigned t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  g[64 + 64 * blockIdx.x + t] = s[63 - t];
}

// ---- accesses as a whole ----

struct alignas(16) Sixteen {
  uint32_t word[4];
};
template<unsigned AT> __global__ void whole_access(uint32_t *g) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *simt::whole(reinterpret_cast<Sixteen *>(g + AT)) = Sixteen();
}

// ---- control ----

__global__ void bounded_spin(uint32_t *g) {
  if (blockIdx.x != 1 || threadIdx.x) return;
  int n = 0;
  while (!simt::load(g, simt::acquire) && n < 500) ++n;
  g[2] = uint32_t(n);
}
__global__ void deadlock(uint32_t *g) {
  if (threadIdx.x == 0) poll(g, simt::acquire);
  __syncthreads();
}
__global__ void two_flag_deadlock(uint32_t *g) {
  while (threadIdx.x == 0 && !simt::load(g, simt::acquire) && !simt::load(g + 2, simt::acquire)) {}
}
__global__ void divergent_barrier(uint32_t *) {
  if (threadIdx.x & 32) __syncthreads();
  else __syncthreads();
}
__global__ void exit_before_barrier(uint32_t *) {
  if (threadIdx.x == 5) return;
  __syncthreads();
}
__global__ void exit_before_syncwarp(uint32_t *) {
  if (threadIdx.x == 5) return;
  __syncwarp();
}
__global__ void caller_not_in_mask(uint32_t *) { __shfl_sync(0xffffu, 1, 0); }
__global__ void inactive_source(uint32_t *) {
  if ((threadIdx.x & 31) < 16) __shfl_sync(0xffffu, 1, 20);
}
__global__ void different_collectives(uint32_t *) {
  if (threadIdx.x & 1) __ballot_sync(all_lanes, 1);
  else __any_sync(all_lanes, 1);
}
__global__ void early_exit(uint32_t *g) {
  if (threadIdx.x & 1) return;
  g[64 + 64 * blockIdx.x + threadIdx.x] = threadIdx.x;
}
static void expect(bool right, SIMT_HERE) {
  if (!right) simt::fail("wrong result at %s:%d", SIMT_THERE);
}
__global__ void language(uint32_t *g) {
  const unsigned t = threadIdx.x, lane = t & 31;
  expect(__shfl_up_sync(all_lanes, lane, 3) == (lane < 3 ? lane : lane - 3));
  expect(__shfl_down_sync(all_lanes, double(lane), 2, 8) == (lane % 8 < 6 ? lane + 2 : lane));
  expect(__shfl_xor_sync(all_lanes, uint8_t(lane), 5) == (lane ^ 5));
  expect(__shfl_sync(all_lanes, lane, 9, 16) == ((lane & 16) | 9));
  expect(__ballot_sync(all_lanes, lane % 2) == 0xaaaaaaaau);
  expect(__any_sync(all_lanes, lane == 4) && !__all_sync(all_lanes, lane == 4));
  expect(__reduce_add_sync(all_lanes, lane) == 496 && __reduce_max_sync(all_lanes, int(lane) - 40) == -9);
  expect(__reduce_min_sync(all_lanes, int(lane) - 40) == -40 && __reduce_xor_sync(all_lanes, 1u << lane) == all_lanes);
  expect(__match_any_sync(all_lanes, lane % 4) == 0x11111111u << lane % 4);
  expect(__syncthreads_count(t < 10) == 10 && __syncthreads_or(t == 3) && !__syncthreads_and(t == 3));
  expect(__popc(0xff0u) == 8 && __clz(1) == 31 && __clzll(1) == 63 && __ffs(8) == 4 && __brev(1) == 0x80000000u);
  expect(__funnelshift_r(0x11223344u, 0x55667788u, 8) == 0x88112233u);
  expect(__funnelshift_l(0x11223344u, 0x55667788u, 8) == 0x66778811u);
  expect(__byte_perm(0x33221100u, 0x77665544u, 0x7410) == 0x77441100u);
  expect(__dp4a(0x01ff0203, 0x01010101, 10) == 15 && __dp4a(0x01ff0203u, 0x01010101u, 10u) == 271u);
  float *f = reinterpret_cast<float *>(g + 32);
  double *d = reinterpret_cast<double *>(g + 34);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicMax(g + 36, t);
  atomicInc(g + 37, 9);
  atomicCAS(reinterpret_cast<unsigned long long *>(g + 38), 0, 7);
  expect(simt::load(g + 36, simt::relaxed) >= t);
}

// ---- asynchronous copies: a warp-specialised pipeline. out = in + 1, tile by tile ----

enum Fault {
  none,
  no_full_wait, // consumers read a stage before its load has arrived
  no_full_wait_one, // ... only one of the consumers' threads
  no_empty_wait, // the producer loads into a stage that consumers still read
  no_wait_read, // consumers write a result buffer that a store still reads
  no_proxy_fence, // the store may miss the consumers' writes
  fence_by_one, // only the issuing thread fences, not the writers
  no_store_order, // the store is issued before the other consumers have written
  wrong_parity,
  expect_too_small,
  expect_too_large,
  expect_short_one, // expects one of two loads
  misaligned_global,
  misaligned_size,
  no_barrier_after_init,
  no_init,
  no_init_fence,
  too_many_arrivals,
  arrivals_miscounted, // the empty barriers complete one arrival early
  exit_with_load,
  exit_with_store,
  past_the_end,
  read_back, // reads its own store's output without bulk_wait
  read_back_waited, // ... with it: clean
  stray_store, // overwrites the mbarrier
};

constexpr unsigned stages = 3, tile = 64, tiles_a_block = 7;
struct Pipeline {
  alignas(128) uint32_t in[stages][tile];
  alignas(128) uint32_t out[2][tile];
  alignas(128) uint32_t spare[tile];
  uint64_t full[stages], empty[stages], late;
};

static void wait_for(uint64_t *bar, unsigned parity, SIMT_HERE) {
  while (!simt::mbarrier_test(bar, parity, SIMT_THERE)) {}
}

// Warp 0's first lane loads; warp 1 adds and stores, its first lane issues the stores.
template<Fault F> __global__ void pipeline(uint32_t *out, const uint32_t *in) {
  SIMT_SHARED(Pipeline, s);
  const unsigned t = threadIdx.x, lane = t & 31;
  if (t == 0) {
    for (unsigned i = 0; i < stages && F != no_init; ++i) {
      simt::mbarrier_init(&s.full[i], 1);
      simt::mbarrier_init(&s.empty[i], F == arrivals_miscounted ? 31 : 32);
    }
    simt::mbarrier_init(&s.late, 1);
    if (F != no_init_fence) simt::fence_mbarrier_init();
  }
  if (F != no_barrier_after_init) __syncthreads();
  const size_t first = size_t(blockIdx.x) * tiles_a_block * tile;
  constexpr unsigned bytes = tile * 4;
  if (t < 32) {
    if (lane) return;
    for (unsigned k = 0; k < tiles_a_block; ++k) {
      const unsigned stage = k % stages, round = k / stages;
      if (round && F != no_empty_wait) wait_for(&s.empty[stage], (round - 1) & 1);
      unsigned expected = bytes;
      if (F == expect_too_small) expected = bytes - 16;
      if (F == expect_too_large) expected = bytes + 16;
      if (F == expect_short_one) expected = bytes / 2;
      const uint32_t *from = in + first + k * tile;
      if (F == past_the_end && blockIdx.x == gridDim.x - 1 && k == tiles_a_block - 1) from += 4;
      if (F == misaligned_global) from += 1;
      simt::mbarrier_arrive_expect_tx(&s.full[stage], expected);
      if (F == too_many_arrivals) simt::mbarrier_arrive(&s.full[stage]);
      if (F == expect_short_one || F == misaligned_size) {
        simt::bulk_load(s.in[stage], from, bytes / 2, &s.full[stage]);
        simt::bulk_load(s.in[stage] + tile / 2, from + tile / 2, F == misaligned_size ? 120 : 128, &s.full[stage]);
      } else {
        simt::bulk_load(s.in[stage], from, bytes, &s.full[stage]);
      }
    }
    if (F == exit_with_load) {
      simt::mbarrier_arrive_expect_tx(&s.late, bytes);
      simt::bulk_load(s.spare, in, bytes, &s.late);
    }
    return;
  }
  for (unsigned k = 0; k < tiles_a_block; ++k) {
    const unsigned stage = k % stages, round = k / stages, parity = (round ^ (F == wrong_parity)) & 1;
    if (F != no_full_wait && !(F == no_full_wait_one && lane == 7)) wait_for(&s.full[stage], parity);
    const uint32_t x = s.in[stage][lane] + 1, y = s.in[stage][lane + 32] + 1;
    simt::mbarrier_arrive(&s.empty[stage]);
    // the result buffer is free again when the store before the last has read it
    if (lane == 0 && F != no_wait_read) simt::bulk_wait_read(1);
    __syncwarp();
    uint32_t *result = s.out[k & 1];
    result[lane] = x;
    result[lane + 32] = y;
    if (F != no_proxy_fence && (F != fence_by_one || lane == 0)) simt::fence_proxy_async();
    if (F != no_store_order) __syncwarp();
    if (F == stray_store && k == 1 && lane == 3) s.full[2] = 1;
    if (lane == 0) {
      simt::bulk_store(out + first + k * tile, result, bytes);
      simt::bulk_commit();
    }
  }
  if (lane == 0 && F != exit_with_store) simt::bulk_wait_read(0);
  if (lane == 0 && F == read_back_waited) simt::bulk_wait(0);
  if (lane == 0 && (F == read_back || F == read_back_waited)) {
    const uint32_t was = out[first + tile + 3];
    expect(was == in[first + tile + 3] + 1);
  }
}

// ---- clusters of two blocks ----

// Each block signals its payload by a tagged word in both blocks' shared memory, then reads the other's; or they meet
// at the cluster's barrier.
enum ClusterFault { no_fault, no_release, no_acquire, no_meeting, no_such_rank, of_cluster, of_block, behind_arrival };
template<ClusterFault F> __global__ void cluster_exchange(uint32_t *g) {
  struct Shared {
    uint32_t message[2], payload[launch_threads];
  };
  SIMT_SHARED(Shared, s);
  const unsigned t = threadIdx.x, rank = blockIdx.x % 2;
  if (t < 2) s.message[t] = 0;
  s.payload[t] = blockIdx.x * 1000 + t;
  __syncthreads();
  if (t == 0) { // all blocks are there
    __threadfence();
    atomicAdd(g + 32, 1u);
    while (simt::load(g + 32, simt::relaxed) != gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  if (F == behind_arrival) simt::cluster_arrive();
  s.payload[t] += 7;
  if (F == of_cluster) simt::cluster_arrive();
  if (F == of_cluster || F == behind_arrival) simt::cluster_wait();
  __syncthreads();
  if (t < 2 && F < of_cluster) {
    if (F != no_release) __threadfence();
    simt::store(
        static_cast<uint32_t *>(simt::shared_of(s.message + rank, F == no_such_rank ? 2 : t)), 5u, simt::relaxed);
    if (F != no_meeting) poll(s.message + t, simt::relaxed);
    if (F != no_acquire) __threadfence();
  }
  __syncthreads();
  g[256 + blockIdx.x * launch_threads + t] = *static_cast<uint32_t *>(simt::shared_of(s.payload + t, rank ^ 1));
  __syncthreads();
  if (t == 0) { // nobody exits before the other has read
    __threadfence();
    atomicAdd(g + 33, 1u);
    while (simt::load(g + 33, simt::relaxed) != gridDim.x) {}
  }
  expect(g[256 + blockIdx.x * launch_threads + t] == (blockIdx.x ^ 1) * 1000 + t + 7);
}

// ---- instructions that are .aligned, and launches that overlap ----

// A branch of one lane, a loop that lanes leave at different times, or code of all lanes, before a cluster's barrier.
enum Before { one_lane, one_lane_and_sync, one_lane_and_barrier, fewer_rounds, all_alike, behind_arrive };
template<Before B> __global__ void before_aligned(uint32_t *g) {
  struct Shared {
    uint32_t count, value[launch_threads];
  };
  SIMT_SHARED(Shared, s);
  const unsigned t = threadIdx.x;
  if (B == fewer_rounds)
    for (unsigned i = t; i < launch_threads + 7; i += 32) atomicAdd(g + 32, i);
  else if (B == all_alike) s.value[t] = t, atomicAdd(g + 32, 1u);
  else if (B != behind_arrive && t == 0) atomicAdd(g + 32, 1u);
  if (B == one_lane_and_sync) __syncwarp();
  if (B == one_lane_and_barrier) __syncthreads();
  simt::cluster_arrive();
  if (B == behind_arrive && t == 0) atomicAdd(g + 32, 1u);
  simt::cluster_wait();
}
// The same with a plain access, which only the race build sees.
template<bool Sync> __global__ void plain_before_aligned(uint32_t *) {
  SIMT_SHARED(uint32_t, s);
  if (threadIdx.x == 0) s = 1;
  if (Sync) __syncwarp();
  simt::cluster_arrive();
  simt::cluster_wait();
}

enum Early { waits_first, waits_late, one_waits, nobody_waits, touches_nothing, some_blocks_wait };
template<Early E> __global__ void early_access(uint32_t *g) {
  const unsigned t = threadIdx.x;
  SIMT_SHARED(uint32_t, s);
  if (t == 0) simt::store(&s, 1u, simt::relaxed); // shared memory is the block's own
  if (E == waits_first || E == touches_nothing || (E == one_waits && t == 0) ||
      (E == some_blocks_wait && blockIdx.x != 2))
    simt::wait_for_predecessor();
  if (E == one_waits) __syncthreads();
  if (E == touches_nothing || E == some_blocks_wait) return;
  if (t < 2) atomicAdd(g + 32, 1u);
  if (E == waits_late) simt::wait_for_predecessor();
}
template<bool Late> __global__ void early_read(uint32_t *g) {
  if (!Late) simt::wait_for_predecessor();
  const uint32_t n = g[threadIdx.x % 4];
  if (Late) simt::wait_for_predecessor();
  if (threadIdx.x == 0) atomicAdd(g + 32, n);
}
// A kernel without griddepcontrol, launched as usual.
__global__ void unaware(uint32_t *g) { atomicAdd(g + 32, g[0]); }

// ---- the runner ----

static unsigned passed, failed, skipped;

enum Want { clean, report, race }; // race: only shadow memory shows it

static void judge(const char *name, Want want, unsigned seeds, unsigned reported, const std::string &first) {
  const bool good = want == clean ? !reported : reported == seeds;
  ++(good ? passed : failed);
  const std::string shown = good && want == clean ? "" : first.substr(0, 400);
  printf("%-6s %-44s reported %u/%u  %s\n", good ? "ok" : "FAILED", name, reported, seeds, shown.c_str());
}

template<class Launch> static void run(const char *name, Want want, Launch launch) {
  constexpr unsigned seeds = 60;
  if (want == race && !checks_races) {
    ++skipped;
    return;
  }
  unsigned reported = 0;
  std::string first;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    simt::set_random_schedule(seed);
    const std::string wrong = launch();
    const bool bad = !wrong.empty() || !simt::error().empty();
    if (bad && !reported++) first = simt::error().empty() ? wrong : simt::error();
    simt::clear_error();
    if (simt::live_allocations()) first = "allocations left", ++failed;
  }
  judge(name, want, seeds, reported, first);
}

template<class Kernel> static void run_words(const char *name, Want want, Kernel kernel, size_t dynamic = 0) {
  run(name, want, [=]() -> std::string {
    auto *g = static_cast<uint32_t *>(simt::device_malloc(global_words * 4));
    simt::host_fill(g, 0, 16); // flags; the payload g[4..31] and g[64...] stays undefined
    simt::host_fill(g + 32, 0, 32); // counters
    simt::host_fill(g + 128, 0, 64); // tile states
    // roles depend on blockIdx here, so all blocks must be resident
    simt::config.resident = simt::config.resident < launch_blocks ? launch_blocks : simt::config.resident;
    simt::launch_kernel(name, launch_blocks, launch_threads, dynamic, kernel, g);
    simt::device_free(g);
    return "";
  });
}

template<class Kernel> static void run_clusters(const char *name, Want want, Kernel kernel) {
  simt::config.cluster = 2;
  run_words(name, want, kernel);
  simt::config.cluster = 1;
}

template<class Kernel> static void run_dependent(const char *name, Want want, Kernel kernel) {
  simt::config.dependent = true;
  run_words(name, want, kernel);
  simt::config.dependent = false;
}

template<Fault F> static void run_pipeline(const char *name, Want want) {
  run(name, want, []() -> std::string {
    constexpr unsigned n = launch_blocks * tiles_a_block * tile;
    auto *in = static_cast<uint32_t *>(simt::device_malloc(n * 4));
    auto *out = static_cast<uint32_t *>(simt::device_malloc(n * 4));
    for (unsigned i = 0; i < n; ++i) in[i] = i * 7;
    simt::host_init(in, n * 4);
    const simt::Result result = SIMT_LAUNCH((pipeline<F>), launch_blocks, launch_threads, 0, 0, out, in);
    std::string wrong;
    for (unsigned i = 0; i < n && result == simt::ok && wrong.empty(); ++i)
      if (out[i] != in[i] + 1) wrong = "wrong result at " + std::to_string(i);
    simt::device_free(in);
    simt::device_free(out);
    return wrong;
  });
}

int main(int argc, char **argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string only = argc > 1 ? argv[1] : "";
#define WORDS(want, ...) \
  if (only.empty() || std::string(#__VA_ARGS__).find(only) != std::string::npos) \
  run_words(#__VA_ARGS__, want, __VA_ARGS__)
#define CLUSTERS(want, fault) \
  if (only.empty() || std::string("cluster " #fault).find(only) != std::string::npos) \
  run_clusters("cluster " #fault, want, cluster_exchange<fault>)
#define ALIGNED(want, ...) \
  if (only.empty() || std::string(#__VA_ARGS__).find(only) != std::string::npos) \
  run_clusters(#__VA_ARGS__, want, __VA_ARGS__)
#define DEPENDENT(want, ...) \
  if (only.empty() || std::string("dependent " #__VA_ARGS__).find(only) != std::string::npos) \
  run_dependent("dependent " #__VA_ARGS__, want, __VA_ARGS__)
#define PIPELINE(want, fault) \
  if (only.empty() || std::string("pipeline " #fault).find(only) != std::string::npos) \
  run_pipeline<fault>("pipeline " #fault, want)

  WORDS(clean, flag_handoff<ordered, ordered>);
  WORDS(clean, flag_handoff<fenced, fenced>);
  WORDS(clean, flag_handoff<fenced, ordered>);
  WORDS(clean, flag_handoff<ordered, fenced>);
  WORDS(race, flag_handoff<plain_relaxed, plain_relaxed>);
  WORDS(race, flag_handoff<fenced, plain_relaxed>);
  WORDS(race, flag_handoff<plain_relaxed, ordered>);
  WORDS(clean, pass_on<by_syncwarp>);
  WORDS(race, pass_on<by_shuffle>);
  WORDS(clean, pass_on<by_barrier>);
  WORDS(clean, warp_gather<true>);
  WORDS(race, warp_gather<false>);
  WORDS(clean, last_block_sums<true>);
  WORDS(race, last_block_sums<false>);
  WORDS(clean, transitive<true>);
  WORDS(race, transitive<false>);
  WORDS(clean, tagged_state<false>);
  WORDS(race, tagged_state<true>);
  WORDS(clean, atomic_counts<false>);
  WORDS(race, atomic_counts<true>);
  WORDS(clean, warp_exchange<1>);
  WORDS(race, warp_exchange<32>);
  WORDS(clean, byte_neighbours<false>);
  WORDS(race, byte_neighbours<true>);
  WORDS(clean, struct_copies<after_barrier>);
  WORDS(race, struct_copies<read_early>);
  WORDS(race, struct_copies<written_early>);
  WORDS(clean, shared_bounds<71>);
  WORDS(race, shared_bounds<72>);
  WORDS(race, uninitialised);
  WORDS(race, uninitialised_sum);
  WORDS(clean, dynamic_shared, 256);
  WORDS(race, dynamic_shared, 252);
  WORDS(report, dynamic_shared, 0);
  WORDS(clean, whole_access<4>);
  WORDS(report, whole_access<2>);
  WORDS(clean, bounded_spin);
  WORDS(report, deadlock);
  WORDS(report, two_flag_deadlock);
  WORDS(report, divergent_barrier);
  WORDS(report, exit_before_barrier);
  WORDS(report, exit_before_syncwarp);
  WORDS(report, caller_not_in_mask);
  WORDS(report, inactive_source);
  WORDS(report, different_collectives);
  WORDS(clean, early_exit);
  WORDS(clean, language);

  CLUSTERS(clean, no_fault);
  CLUSTERS(race, no_release);
  CLUSTERS(race, no_acquire);
  CLUSTERS(race, no_meeting);
  CLUSTERS(clean, of_cluster);
  CLUSTERS(race, of_block);
  CLUSTERS(race, behind_arrival);
  CLUSTERS(report, no_such_rank);
  ALIGNED(report, before_aligned<one_lane>);
  ALIGNED(clean, before_aligned<one_lane_and_sync>);
  ALIGNED(clean, before_aligned<one_lane_and_barrier>);
  ALIGNED(report, before_aligned<fewer_rounds>);
  ALIGNED(clean, before_aligned<all_alike>);
  ALIGNED(report, before_aligned<behind_arrive>);
  ALIGNED(race, plain_before_aligned<false>);
  ALIGNED(clean, plain_before_aligned<true>);
  WORDS(clean, early_access<waits_first>);
  WORDS(report, early_access<waits_late>); // whether launches overlap or not
  WORDS(clean, early_access<one_waits>);
  WORDS(clean, early_access<nobody_waits>);
  WORDS(clean, early_read<false>);
  WORDS(race, early_read<true>);
  WORDS(clean, unaware);
  DEPENDENT(clean, early_access<waits_first>);
  DEPENDENT(report, early_access<waits_late>);
  DEPENDENT(report, early_access<one_waits>);
  DEPENDENT(report, early_access<nobody_waits>);
  DEPENDENT(clean, early_access<touches_nothing>);
  DEPENDENT(report, early_access<some_blocks_wait>);
  DEPENDENT(clean, early_read<false>);
  DEPENDENT(race, early_read<true>);
  run("part of a cluster", report, []() -> std::string { // three blocks in clusters of two
    simt::config.cluster = 2;
    const simt::Result result = SIMT_LAUNCH((language), 3, launch_threads, 0, 0, static_cast<uint32_t *>(nullptr));
    simt::config.cluster = 1;
    return result == simt::invalid_value ? "refused" : "";
  });
  PIPELINE(clean, none);
  PIPELINE(race, no_full_wait);
  PIPELINE(race, no_full_wait_one);
  PIPELINE(race, no_empty_wait);
  PIPELINE(race, no_wait_read);
  PIPELINE(race, no_proxy_fence);
  PIPELINE(race, fence_by_one);
  PIPELINE(race, no_store_order);
  PIPELINE(race, wrong_parity);
  PIPELINE(report, expect_too_small);
  PIPELINE(report, expect_too_large);
  PIPELINE(report, expect_short_one);
  PIPELINE(report, misaligned_global);
  PIPELINE(report, misaligned_size);
  PIPELINE(race, no_barrier_after_init);
  PIPELINE(report, no_init);
  PIPELINE(report, no_init_fence);
  PIPELINE(report, too_many_arrivals);
  PIPELINE(race, arrivals_miscounted);
  PIPELINE(report, exit_with_load);
  PIPELINE(report, exit_with_store);
  PIPELINE(report, past_the_end);
  PIPELINE(race, read_back);
  PIPELINE(clean, read_back_waited);
  PIPELINE(report, stray_store);

  printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
  return failed != 0;
}
