// The tile routines for users' kernels, under the emulator: every load and store, exchange, broadcast, reduce, scan,
// with guarded tails, against the arrangement's definition. Usage: test_tile [seeds]
#include "simt.h"
#define GPUPRIMS_SIMT
#include "gpuprims.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static int passed, failed;

static void check(bool good, const std::string &what) {
  if (good) ++passed;
  else {
    ++failed;
    std::printf("FAILED: %s %s\n", what.c_str(), simt::error().c_str());
  }
  simt::clear_error();
}

struct Triple {
  int x, y, z;
};
template<class T> T make(unsigned i) { return T(i * 7 + 3); }
template<> Triple make<Triple>(unsigned i) { return {int(i), int(i * 3), -int(i)}; }

enum Way { DIRECT, STRIPED, VECTORISED, TRANSPOSED, EXCHANGED };

// Loads by one method and stores by the matching one; `shown` gets each thread's elements.
template<int THREADS, int ITEMS, int WAY, class T> void move(const T *in, T *out, T *shown, gp__u64 count, T fill) {
  typedef gp_tile_exchange_storage<THREADS, ITEMS, T> Storage;
  GP_SHARED(Storage, storage);
  T items[ITEMS];
  if (WAY == DIRECT) gp_tile_load_direct(items, in, count, fill);
  if (WAY == STRIPED || WAY == EXCHANGED) gp_tile_load_striped<THREADS>(items, in, count, fill);
  if (WAY == TRANSPOSED) gp_tile_load_transposed<THREADS>(items, in, count, fill, storage);
  if constexpr (WAY == VECTORISED) gp_tile_load_vectorised<THREADS, GP_CACHE_ALL>(items, in, count, fill);
  if (WAY == EXCHANGED) gp_tile_striped_to_blocked<THREADS>(items, storage);
  for (int i = 0; i < ITEMS; ++i) shown[threadIdx.x * ITEMS + i] = items[i];
  __syncthreads(); // the storage is used again
  if (WAY == DIRECT) gp_tile_store_direct(items, out, count);
  if (WAY == EXCHANGED) gp_tile_blocked_to_striped<THREADS>(items, storage);
  if (WAY == STRIPED || WAY == EXCHANGED) gp_tile_store_striped<THREADS>(items, out, count);
  if (WAY == TRANSPOSED) gp_tile_store_transposed<THREADS>(items, out, count, storage);
  if constexpr (WAY == VECTORISED) gp_tile_store_vectorised<THREADS, GP_CACHE_STREAMING>(items, out, count);
}

template<int THREADS, int ITEMS, int WAY, class T> void moves(const char *name, int seeds) {
  const unsigned tile = THREADS * ITEMS, V = sizeof(T) <= 16 ? 16 / sizeof(T) : 1;
  for (int seed = 1; seed <= seeds; ++seed)
    for (unsigned count : {0u, 1u, tile / 2 + 1, tile - 1, tile}) {
      simt::set_random_schedule(uint64_t(seed) * 10 + count);
      T *in = static_cast<T *>(simt::device_malloc(count * sizeof(T)));
      T *out = static_cast<T *>(simt::device_malloc(count * sizeof(T)));
      T *shown = static_cast<T *>(simt::device_malloc(tile * sizeof(T)));
      const T fill = make<T>(99);
      for (unsigned i = 0; i < count; ++i) in[i] = make<T>(i);
      simt::host_init(in, count * sizeof(T));
      bool good =
          !simt::launch_kernel(name, 1, THREADS, 0, move<THREADS, ITEMS, WAY, T>, in, out, shown, gp__u64(count), fill);
      for (unsigned t = 0; good && t < unsigned(THREADS); ++t)
        for (unsigned i = 0; i < unsigned(ITEMS); ++i) {
          const unsigned at = WAY == STRIPED ? i * THREADS + t
              : WAY == VECTORISED ? (i / V * THREADS + t) * V + i % V
              : t * ITEMS + i;
          const T want = at < count ? make<T>(at) : fill;
          good = good && !std::memcmp(&shown[t * ITEMS + i], &want, sizeof(T));
        }
      check(good && (!count || !std::memcmp(in, out, count * sizeof(T))), name);
      simt::device_free(in);
      simt::device_free(out);
      simt::device_free(shown);
    }
}

struct Sums {
  unsigned reduced, broadcast, total, exclusive[256], inclusive[256];
};
template<int THREADS> void sums(Sums *s) {
  struct Storage {
    gp_tile_reduce_storage<THREADS, unsigned> reduce;
    gp_tile_scan_storage<THREADS, unsigned> scan;
    unsigned word;
  };
  GP_SHARED(Storage, storage);
  const unsigned t = threadIdx.x, x = t * t + 1;
  const unsigned reduced = gp_tile_reduce<THREADS>(x, gp_sum<unsigned>(), storage.reduce);
  if (t == 0) s->reduced = reduced;
  const unsigned broadcast = gp_tile_broadcast(x, 37, storage.word);
  if (t == 1) s->broadcast = broadcast;
  unsigned e = x, i = x;
  const unsigned total = gp_tile_exclusive_scan<THREADS>(e, gp_sum<unsigned>(), storage.scan);
  __syncthreads();
  gp_tile_inclusive_scan<THREADS>(i, gp_sum<unsigned>(), storage.scan);
  if (t == THREADS - 1) s->total = total;
  s->exclusive[t] = e;
  s->inclusive[t] = i;
}
template<int THREADS> void sum_up(int seeds) {
  for (int seed = 1; seed <= seeds; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    Sums *s = static_cast<Sums *>(simt::device_malloc(sizeof(Sums)));
    bool good = !simt::launch_kernel("reduce and scan", 1, THREADS, 0, sums<THREADS>, s);
    unsigned before = 0;
    for (unsigned t = 0; good && t < THREADS; ++t) {
      good = s->exclusive[t] == before && s->inclusive[t] == before + t * t + 1;
      before += t * t + 1;
    }
    check(good && s->reduced == before && s->total == before && s->broadcast == 37 * 37 + 1, "reduce and scan");
    simt::device_free(s);
  }
}

// Ranks, twice in the same storage; the second time with the tile's digits reversed.
struct Byte {
  unsigned operator()(unsigned key, int) const { return key & 255u; }
};
template<int THREADS, int ITEMS> void ranks(const unsigned *in, unsigned *out) {
  typedef gp_tile_rank_storage<THREADS> Storage;
  GP_SHARED(Storage, storage);
  for (unsigned turn = 0; turn < 2; ++turn) {
    unsigned keys[ITEMS], rank[ITEMS];
    for (int i = 0; i < ITEMS; ++i) {
      const unsigned at = gp_tile_warp_striped<ITEMS>(i);
      keys[i] = in[turn ? THREADS * ITEMS - 1 - at : at];
    }
    gp_tile_rank(rank, keys, Byte(), storage);
    for (int i = 0; i < ITEMS; ++i) out[turn * THREADS * ITEMS + gp_tile_warp_striped<ITEMS>(i)] = rank[i];
    __syncthreads();
  }
}
template<int THREADS, int ITEMS> void rank_all(int seeds) {
  const unsigned tile = THREADS * ITEMS;
  for (int seed = 1; seed <= seeds; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    unsigned *in = static_cast<unsigned *>(simt::device_malloc(tile * 4));
    unsigned *out = static_cast<unsigned *>(simt::device_malloc(tile * 8)), at[2][256] = {{0}};
    unsigned state = unsigned(seed) * 2654435761u;
    for (unsigned i = 0; i < tile; ++i) {
      state = state * 1664525u + 1013904223u;
      in[i] = seed % 3 == 0 ? seed * 1000u + 5 : seed % 3 == 1 ? state >> 8 : 250 + (state >> 28) % 6;
      for (unsigned d = (in[i] & 255u) + 1; d < 256; ++d) ++at[0][d], ++at[1][d];
    }
    simt::host_init(in, tile * 4);
    bool good = !simt::launch_kernel("rank", 1, THREADS, 0, ranks<THREADS, ITEMS>, in, out);
    for (unsigned turn = 0; good && turn < 2; ++turn)
      for (unsigned i = 0; i < tile; ++i)
        good = good && out[turn * tile + i] == at[turn][in[turn ? tile - 1 - i : i] & 255u]++;
    check(good, "rank by digit");
    simt::device_free(in);
    simt::device_free(out);
  }
}

int main(int argc, char **argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 10;
  moves<64, 5, DIRECT, unsigned>("direct u32", seeds);
  moves<64, 3, DIRECT, Triple>("direct triple", seeds);
  moves<96, 4, STRIPED, unsigned short>("striped u16", seeds);
  moves<64, 32, VECTORISED, unsigned char>("vectorised u8", seeds);
  moves<64, 4, VECTORISED, double>("vectorised f64", seeds);
  moves<128, 7, TRANSPOSED, unsigned>("transposed u32", seeds);
  moves<64, 3, TRANSPOSED, Triple>("transposed triple", seeds);
  moves<64, 8, EXCHANGED, unsigned char>("exchanged u8", seeds);
  sum_up<64>(seeds);
  sum_up<256>(seeds);
  rank_all<32, 9>(seeds);
  rank_all<96, 5>(seeds);
  rank_all<128, 3>(seeds);
  rank_all<256, 4>(seeds);
  check(simt::live_allocations() == 0, "nothing is left");
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
