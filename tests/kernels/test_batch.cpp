// Copies of many buffers under the emulator: sizes from nothing to many tiles, in any mix, at any address, against
// memcpy, on adversarial schedules. Usage: test_batch [seeds] [name of a test] Define TEST_FEW to compile only the
// instances that mutants.py needs.
#include "sweep_test.h"

#include <algorithm>

enum Mix { TINY_SIZES, ZEROS, EVEN, PAGES, MIXED, GIANT_FIRST, GIANT_LAST, GIANT_AMONG, AROUND_LIMIT, MIXES };
static const char *const mixes[] = {
    "tiny", "zeros", "even", "pages", "mixed", "giant first", "giant last", "giant among", "around limit"};

// at_once: bytes of a tile that its block copies alone.
static std::vector<u64> sizes_of(int mix, size_t n, u64 at_once) {
  std::vector<u64> sizes(n);
  const u64 even = 1 + random32() % 100;
  for (u64 &s : sizes) {
    const unsigned r = random32() % 100;
    if (mix == TINY_SIZES) s = random32() % 20;
    else if (mix == ZEROS) s = r < 3 ? random32() % 70 : 0;
    else if (mix == EVEN) s = even;
    else if (mix == PAGES) s = 1024 + random32() % 3 * 16;
    else if (mix == MIXED) s = r < 30 ? 0 : r < 70 ? random32() % 40 : r < 95 ? random32() % 900 : random32() % 9000;
    else if (mix == AROUND_LIMIT) s = n < 100 ? at_once - 40 + random32() % 80 : random32() % 3;
    else s = random32() % 24;
  }
  const u64 giant = 9 * at_once + random32() % 9000;
  if (n && mix == GIANT_FIRST) sizes[0] = giant;
  if (n && mix == GIANT_LAST) sizes[n - 1] = giant;
  if (n && mix == GIANT_AMONG) sizes[n / 3] = giant, sizes[n / 2] = giant / 3;
  return sizes;
}

// The place of a buffer: behind the one before, perhaps after a gap, at a multiple of `align`.
static size_t place(size_t &end, size_t size, size_t align, size_t gap) {
  const size_t at = (end + gap + align - 1) / align * align;
  end = at + size;
  return at;
}

template<class P, class S> static void sweep(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  const u64 at_once = u64(P::threads) * P::vectors * GP__BATCH_ROUNDS * 16;
  for (int seed = 1; seed <= seeds; ++seed)
    for (int mix = 0; mix < MIXES; ++mix)
      for (size_t n : {0, 1, 2, 33, 1500}) {
        if ((n == 1500 && (mix == PAGES || mix == MIXED) && seed % 3) || !has_turn()) continue;
        simt::set_random_schedule(uint64_t(seed) * 1000 + uint64_t(mix) * 10 + n);
        const std::vector<u64> wide = sizes_of(mix, n, at_once);
        const size_t align = seed % 3 == 0 ? 16 : seed % 3 == 1 ? 1 : 4, gap = seed % 2 ? 0 : 21;
        const bool shared = seed % 4 == 1; // all sources are one
        size_t in_end = 0, out_end = 0;
        std::vector<size_t> from(n), to(n);
        u64 longest = 0;
        for (u64 s : wide) longest = std::max(longest, s);
        for (size_t i = 0; i < n; ++i)
          from[i] = shared ? random32() % 40 : place(in_end, wide[i], align, gap + random32() % (gap + 1));
        if (shared) in_end = longest + 40;
        std::vector<size_t> order(n); // destinations have another order
        for (size_t i = 0; i < n; ++i) order[i] = i;
        for (size_t i = n; i > 1 && seed % 2; --i) std::swap(order[i - 1], order[random32() % i]);
        for (size_t i : order) to[i] = place(out_end, wide[i], seed % 5 ? align : 16, gap + random32() % (gap + 1));
        Device<u8> in(in_end, random32() % 16), out(out_end, random32() % 16);
        std::vector<u8> data(in_end), expected(out_end, 0x5a);
        for (u8 &x : data) x = draw<u8>();
        if (out_end) simt::host_fill(out.data, 0x5a, out_end);
        for (size_t i = 0; i < n; ++i) { // bytes between buffers are never written: the race build reports their reads
          if (!wide[i]) continue;
          simt::host_write(in.data + from[i], data.data() + from[i], wide[i]);
          std::memcpy(expected.data() + to[i], data.data() + from[i], wide[i]);
        }
        std::vector<const u8 *> sources(n);
        std::vector<u8 *> destinations(n);
        for (size_t i = 0; i < n; ++i) {
          sources[i] = wide[i] ? in.data + from[i] : nullptr;
          destinations[i] = wide[i] ? out.data + to[i] : nullptr;
        }
        std::vector<S> sizes(wide.begin(), wide.end());
        const bool on_device = seed % 3 == 1;
        const size_t more = on_device ? 70 : 0; // never read
        Device<const u8 *> ins(sources, random32() % 3);
        Device<u8 *> outs(destinations, random32() % 3);
        Device<S> lengths(sizes, random32() % 3);
        Device<unsigned long long> count(std::vector<unsigned long long>(1, n), 0);
        gp__shape s = {};
        s.primitive = GP_COPY_BATCH, s.in_size = s.in2_size = 8, s.offset_size = sizeof(S);
        s.multiprocessors = 1 + int(random32() % 5), s.count = n + more, s.compute_capability = 90;
        const gp_policy p = policy_of<P>(GP_DIRECT);
        const gp__geometry g = gp__geometry_by(&gp__rules_map, p, &s, 0);
        gp__batch_args a = {};
        a.sources = ins.data, a.destinations = outs.data, a.sizes = lengths.data, a.count = s.count;
        a.count_device = on_device ? count.data : nullptr, a.tile = g.tile_items;
        if (seed % 4 == 3)
          a.tile = 1 + random32() % (P::threads * gp__batch_items(P::threads)); // other tiles than a launch has
        a.workspace = workspace(2 * s.count);
        int e = gp__valid_by(&gp__rules_map, p, &s) ? 0 : 1;
        if (!e) e = simt::launch_kernel(name, g.grid, g.threads, g.shared_bytes, gp__copy_batch<P, S>, a);
        size_t wrong = out_end;
        for (size_t i = 0; i < out_end && !e && wrong == out_end; ++i)
          if (out.data[i] != expected[i]) wrong = i;
        check(!e && wrong == out_end,
            describe(name, n, align, gap, s.multiprocessors, unsigned(seed)) + " " + mixes[mix] +
                (wrong < out_end ? " wrong at " + std::to_string(wrong) : ""));
        simt::clear_error();
      }
}

// ---- the launch, for more buffers than any memory has

static void geometry() {
  if (!only.empty() && only != "geometry") return;
  gp_policy p = policy_of<gp__policy<256, 4, 1, 1, 0, 8, 1>>(GP_DIRECT);
  gp__shape s = {};
  s.primitive = GP_COPY_BATCH, s.in_size = s.in2_size = 8, s.offset_size = 8;
  s.multiprocessors = 132, s.compute_capability = 90;
  for (unsigned long long count :
      {1ull, 1056ull, 8448ull, 8449ull, 1ull << 20, 1ull << 32, (1ull << 33) + 7, (1ull << GP__BATCH_LOG2_MOST) - 1}) {
    s.count = count;
    const gp__geometry g = gp__geometry_by(&gp__rules_map, p, &s, 0);
    const std::string what = "geometry of " + std::to_string(count);
    check(g.grid == 1056, what + ": grid");
    check(g.tile_items >= 1 && g.tile_items <= 1024 && g.tile_items * g.tiles >= count &&
            g.tile_items * (g.tiles - 1) < count,
        what + ": tiles");
    check(g.tiles >= std::min(count, 4ull * g.grid), what + ": tiles a block");
    check(g.words == 2 * g.tiles, what + ": words");
    for (int threads = 32; threads <= 1024; threads += 32) { // the smallest tiles have the most tickets
      p.threads = threads;
      const gp__geometry t = gp__geometry_by(&gp__rules_map, p, &s, 0);
      const bool fits = t.tiles + t.grid * (GP__BATCH_SHARES + 1ull) < 1ull << 28;
      check(fits ? true : !gp__valid_by(&gp__rules_map, p, &s), what + ": tickets");
      check(gp__valid_by(&gp__rules_map, p, &s) || count >> 32, what + ": valid");
    }
    p.threads = 256;
    check(gp__valid_by(&gp__rules_map, p, &s), what + ": the usual policy is valid");
  }
  p.blocks_per_sm = 0;
  check(!gp__valid_by(&gp__rules_map, p, &s), "a grid of all tiles is not valid");
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  geometry();
  sweep<gp__policy<64, 1, 3, 3, 0, 2, 2>, u32>("batch", seeds);
#ifndef TEST_FEW
  sweep<gp__policy<96, 2, 1, 1, 0, 1, 1>, u64>("batch u64", seeds);
  sweep<gp__policy<32, 4, 2, 1, 0, 3, 2>, u32>("batch of a warp", seeds);
#endif
  return finish();
}
