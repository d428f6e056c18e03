// Top-k of segments of gpuprims.h under the emulator: lengths from 0 to many parts, every way to say where segments
// are, a k for each, ties, special floats, alignments, against a stable sort, on adversarial schedules.
// Usage: test_top_k_segments [seeds] [name of a test]
// TEST_FEW compiles only the instances that mutants.py needs.
#include "kernel_test.h"

#include <algorithm>
#include <numeric>

template<class T> using BitsOf = typename gp__ordered<T>::Bits;
struct Odd { // a value of 12 bytes
  u32 x[3];
};
template<class V> V value_at(size_t i) { return V(i * 7 + 3); }
template<> Odd value_at<Odd>(size_t i) { return {{u32(i), u32(i) * 3, 7}}; }
template<> gp__none value_at<gp__none>(size_t) { return {}; }

// Keys as bits: any, few distinct, all equal, rising, falling, special floats, the worst of all.
template<class T> BitsOf<T> key_of(size_t i, size_t n, int kind) {
  typedef BitsOf<T> B;
  const int bits = 8 * int(sizeof(T));
  const u64 sign = 1ull << (bits - 1), r = u64(random32()) << 32 | random32();
  switch (kind) {
  case 0: return B(r);
  case 1: return B((r % 3) * (r % 2 ? 77 : sign / 2));
  case 2: return B(0x5a5a5a5a5a5a5a5aull);
  case 3: return B(bits < 32 ? (u64(i) << bits) / n : i * 3);
  case 4: return B(bits < 32 ? (u64(n - i) << bits) / (n + 1) : (n - i) * 5);
  case 5: // -0, +0, infinities, NaN of both signs and several payloads, the ends of integers
    return B(r % 4 == 0 ? sign : r % 4 == 1 ? 0 : r % 4 == 2 ? ~0ull >> (r >> 8) % 9 : (~0ull << (bits - 6)) ^ (r & 3));
  default: return gp__ordered<T>::decode(B(i % 7 ? ~0ull : 0));
  }
}

struct Case {
  int offsets; // 0: one length; 1: offsets; 2: with `end`, in reverse order, with gaps
  size_t k, longest, segments, part;
  bool own_k;
  int kind;
  bool warps; // one warp takes each
};

// In: gp__none without values; Out: gp__none for keys alone, otherwise an unsigned integer for indices.
template<class P, class T, class In, class Out, bool DESCENDING, bool WIDE> struct Segments {
  typedef BitsOf<T> B;
  static constexpr bool values = !std::is_same<In, gp__none>::value, outs = !std::is_same<Out, gp__none>::value;
  static size_t tile() { return size_t(P::threads) * P::vectors * 16 / sizeof(T); }

  static std::vector<u32> order_of(const std::vector<B> &x, u64 begin, u64 end) {
    std::vector<u32> order(end - begin);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](u32 y, u32 z) {
      const B b = gp__ordered<T>::encode(x[begin + (DESCENDING ? z : y)]);
      return b < gp__ordered<T>::encode(x[begin + (DESCENDING ? y : z)]);
    });
    return order;
  }
  static void run(const char *name, const Case &c, int seed) {
    static const size_t bounds[] = {
        0, 1, 2, 3, 15, 16, 17, 32, 33, 63, 64, 65, 127, 129, 256, 257, 511, 512, 513, 1025};
    std::vector<u64> begin, end, own;
    std::vector<u32> ks;
    size_t at = c.offsets ? random32() % 9 : 0, i;
    for (i = 0; i < c.segments; ++i) {
      const size_t edge = bounds[random32() % (sizeof bounds / sizeof *bounds)];
      const size_t n = !c.offsets ? c.longest
          : random32() % 8 == 0 || i == c.segments / 2 ? c.longest
          : random32() % 2 ? edge
          : random32() % 600;
      begin.push_back(at);
      end.push_back(at += std::min(n, c.longest));
      ks.push_back(random32() % 3 ? u32(random32() % (c.k + 3)) : random32() % 2 ? 0 : ~0u);
      if (c.offsets == 2) at += random32() % 5;
    }
    const bool beyond = c.offsets == 1 && seed % 4 == 1; // the last offset, which is clamped
    const size_t count = c.offsets && !beyond ? at + random32() % 5 : at;
    std::vector<B> x(count);
    for (i = 0; i < c.segments; ++i)
      for (u64 j = begin[i]; j < end[i]; ++j) x[j] = key_of<T>(j - begin[i], end[i] - begin[i], c.kind);
    if (c.offsets == 2) std::reverse(begin.begin(), begin.end()), std::reverse(end.begin(), end.end());
    std::vector<u64> given = begin;
    if (c.offsets == 1) given.push_back(end.back() + (beyond ? 30 : 0));
    std::vector<In> value(values ? count : 0);
    for (i = 0; i < value.size(); ++i) value[i] = value_at<In>(i);
    const bool narrow = seed % 2; // offsets of 4 bytes
    Device<u64> begin8(given, 0), end8(end, 0);
    Device<u32> begin4(std::vector<u32>(given.begin(), given.end()), 0),
        end4(std::vector<u32>(end.begin(), end.end()), 0);
    Device<u32> k_of(ks, 0);
    Device<B> keys(x, seed % 3 ? random32() % 16 : 0);
    Device<In> in(value, seed % 3);
    const size_t places = c.segments * c.k;
    std::vector<B> untouched_keys(places, B(0x1111111111111111ull));
    Device<B> out_keys(untouched_keys, seed % 5);
    std::vector<Out> untouched(outs ? places : 0, value_at<Out>(999));
    Device<Out> out(untouched, seed % 2);

    gp__shape s = {};
    s.primitive = GP_SEGMENTED_TOP_K, s.key_size = sizeof(T), s.count = count, s.segments = c.segments;
    s.compute_capability = 90, s.multiprocessors = 2, s.shared_bytes = 227 * 1024;
    s.top_k.results = c.k, s.in_size = values ? sizeof(In) : 0, s.out_size = outs ? sizeof(Out) : 0;
    s.offset_size = c.offsets ? narrow ? 4 : 8 : 0;
    const bool warps = c.warps || (c.k <= GP__TOP_K_OF_WARP && random32() % 3);
    const gp_policy p = policy_of<P>(warps ? GP_WARP_SEGMENTS : GP_BEST_LISTS);
    char text[200];
    std::snprintf(text, sizeof text,
        "%s offsets=%d segments=%zu longest=%zu count=%zu k=%zu own=%d part=%zu kind=%d warps=%d: ", name, c.offsets,
        c.segments, c.longest, count, c.k, c.own_k, c.part, c.kind, warps);
    check(gp__policy_valid_top_k(p, &s), std::string(text) + " the policy is valid");
    const unsigned rank = gp__rank_bytes(&s) << (WIDE && sizeof(T) == 4 && outs);
    const gp__segment_top_k_layout l = gp__lay_out_segment_top_k(p, &s, c.part);
    Device<gp_vector> scratch(l.bytes / 8 + 2, 0); // twice what it needs: wide ranks
    unsigned char *scratch_bytes = reinterpret_cast<unsigned char *>(scratch.data);
    gp__segmented_top_k_args a = {};
    a.top.keys = keys.data, a.top.in = in.data, a.top.out_keys = seed % 4 || !outs ? out_keys.data : nullptr;
    a.top.out = out.data, a.top.count = count, a.top.rows = c.segments, a.top.k = c.k;
    a.top.capacity = unsigned(gp__segment_top_k_least(p, &s)) + (seed % 2 ? 0 : random32() % 900);
    a.begin = !c.offsets ? nullptr : narrow ? static_cast<void *>(begin4.data) : begin8.data;
    a.end = c.offsets < 2 ? nullptr : narrow ? static_cast<void *>(end4.data) : end8.data;
    a.ks = c.own_k ? k_of.data : nullptr, a.length = c.longest, a.part = l.part, a.offset_bytes = narrow ? 4 : 8;
    a.batch = 1 + random32() % 32;
    a.by_lanes = c.warps || (warps && random32() % 2) ? random32() % 100 : u32(GP__TOP_K_BY_LANES);
    a.by_warps = gp__top_k_by_warps(p);
    // Sometimes the first k of segments that are sorted already, as for many results.
    const bool cut = !c.warps && random32() % 5 == 0;
    std::vector<B> sorted = x;
    std::vector<u64> places8(count, count + 7);
    for (i = 0; i < c.segments; ++i) {
      const std::vector<u32> order = order_of(x, begin[i], end[i]);
      for (size_t j = 0; j < order.size(); ++j) {
        sorted[begin[i] + j] = x[begin[i] + order[j]];
        places8[begin[i] + j] = begin[i] + order[j];
      }
    }
    Device<B> sorted_keys(sorted, 0);
    Device<u64> wide_places(places8, 0);
    Device<u32> narrow_places(std::vector<u32>(places8.begin(), places8.end()), 0);
    int e = 0;
    if (cut) {
      a.top.keys = sorted_keys.data, a.lists = WIDE ? static_cast<void *>(wide_places.data) : narrow_places.data;
      e = simt::launch_kernel(
          name, 1 + random32() % 4, P::threads, 0, gp__top_k_cut<P, T, In, Out, DESCENDING, WIDE>, a);
    }
    if (l.task_room && !cut) {
      a.header = reinterpret_cast<gp__top_k_header *>(scratch_bytes);
      a.tasks = reinterpret_cast<gp__top_k_task *>(scratch_bytes + l.tasks);
      a.arrived = reinterpret_cast<u32 *>(scratch_bytes + l.arrived), a.lists = scratch_bytes + l.lists;
      a.task_room = l.task_room, a.list_room = l.list_room;
      e = simt::launch_kernel(name, 1, P::threads, 0, gp__top_k_begin<P>, a);
    }
    if (!e && !cut && (!l.direct || c.longest <= a.by_warps))
      e = simt::launch_kernel(
          name, 1 + random32() % 4, P::threads, 0, gp__top_k_short<P, T, In, Out, DESCENDING, WIDE>, a);
    if (!e && !cut && (l.direct ? c.longest > a.by_warps : l.task_room > 0))
      e = simt::launch_kernel(name, 1 + random32() % 6, P::threads, a.top.capacity * rank,
          gp__top_k_tasks<P, T, In, Out, DESCENDING, WIDE>, a);
    std::string wrong = e ? " launch failed" : "";
    for (i = 0; i < c.segments && wrong.empty(); ++i) {
      const size_t n = end[i] - begin[i];
      const std::vector<u32> order = order_of(x, begin[i], end[i]);
      const size_t k = std::min(n, c.own_k ? std::min<size_t>(c.k, ks[i]) : c.k);
      for (size_t j = 0; j < c.k && wrong.empty(); ++j) {
        const size_t to = i * c.k + j;
        bool good = !a.top.out_keys || out_keys.data[to] == (j < k ? x[begin[i] + order[j]] : untouched_keys[to]);
        if constexpr (values) good = good && same(out.data[to], j < k ? value[begin[i] + order[j]] : untouched[to]);
        else if constexpr (outs) good = good && out.data[to] == (j < k ? Out(order[j]) : untouched[to]);
        if (!good)
          wrong = " wrong in segment " + std::to_string(i) + " of " + std::to_string(n) + " at " + std::to_string(j);
      }
    }
    check(wrong.empty(), text + wrong);
    simt::clear_error();
  }
  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    for (int seed = 1; seed <= seeds; ++seed)
      for (int i = 0; i < 20; ++i) {
        if (!has_turn()) continue;
        simt::set_random_schedule(u64(seed) * 100 + u64(i));
        Case c = {};
        if (i == 12) { // more parts than a tile of the merge has ranks, all results in one part
          c.offsets = 1, c.k = 33, c.longest = 9 * tile() + 5, c.segments = 3, c.part = 8, c.kind = 2;
          run(name, c, seed);
          continue;
        }
        if (i > 12) { // rows of warps: random, with ties, sorted so that each group has one of the best, and reversed
          const size_t lengths[] = {130, 1000, 2048, 700, 1500, 300, 512}, ks[] = {3, 33, 64, 64, 8, 64, 31};
          const int kinds[] = {0, 3, 2, 1, 4, 5, 3};
          c.k = ks[i - 13], c.longest = lengths[i - 13], c.segments = 5, c.part = 100 * tile(), c.warps = true;
          c.kind = kinds[(i + seed) % 7];
          run(name, c, seed);
          continue;
        }
        c.offsets = i % 3;
        const size_t few[] = {1, 2, 8, 33, 100, 300};
        c.k = few[random32() % 6];
        c.own_k = i / 3 % 2;
        c.kind = (seed * 5 + i) % 7;
        // Parts of a tile and a bit: lists that are not full, and more parts than blocks.
        c.part = (i % 4 == 3) ? 100 * tile() : tile() + random32() % 99;
        const size_t lengths[] = {1, 16, 64, 500, 512, 513, tile() + 1, 9 * tile() + 5, 1000, 2048, 2049, 1500};
        c.longest = c.offsets ? lengths[5 + random32() % 7] : lengths[(seed + i) % 12];
        c.segments = c.offsets ? 1 + random32() % 70 : c.longest > 1000 ? 3 : 1 + random32() % 40;
        run(name, c, seed + i);
      }
  }
};

// The rules' launches, without a launch: valid policies, room for every task and every list.
static void geometries() {
  if (!only.empty() && only != "geometries") return;
  const gp_policy none = {};
  for (int arch : {75, 80, 86, 90, 100, 120})
    for (int size : {1, 2, 4, 8})
      for (int out : {0, 4, 8, 64})
        for (u64 k : {1ull, 64ull, 65ull, 1000ull, 1024ull})
          for (u64 count : {1000ull, 1ull << 20, 1ull << 33})
            for (u64 segments : {1ull, 3ull, 5000ull, 1ull << 20}) {
              gp__shape s = {};
              s.primitive = GP_SEGMENTED_TOP_K, s.key_size = size, s.count = count, s.multiprocessors = 132;
              s.compute_capability = arch, s.shared_bytes = gp__shared_bytes_of(arch), s.offset_size = 8;
              s.top_k.results = k, s.segments = segments, s.out_size = out, s.in_size = out == 64 ? 64 : 0;
              const gp_policy p = gp__portable_top_k(none, &s);
              gp__geometry g = {};
              gp__geometry_top_k(p, &s, u64(132) * unsigned(p.blocks_per_sm), &g);
              const gp__segment_top_k_layout l = gp__lay_out_segment_top_k(p, &s, g.share);
              // The most lists: segments just longer than a part. The most tasks: these, and then the shortest ones.
              const u64 cut = std::min(segments, count / (l.part + 1)), one = count - cut * l.part - cut;
              const u64 lists = cut ? (cut - 1) * 2 + (count - (cut - 1) * (l.part + 1) + l.part - 1) / l.part : 0;
              const u64 tasks = lists + std::min(segments - cut, one / (gp__top_k_by_warps(p) + 1));
              const bool many = segments >= 4 * 132 && k <= GP__TOP_K_OF_WARP;
              check(p.algorithm == (many ? GP_WARP_SEGMENTS : GP_BEST_LISTS), "many segments are for warps");
              check(gp__policy_valid_top_k(p, &s) && g.shared_bytes <= unsigned(s.shared_bytes) && g.grid >= 1 &&
                      int(gp__segment_top_k_capacity(p, &s)) >= gp__segment_top_k_least(p, &s) &&
                      l.list_room >= lists && l.task_room >= tasks &&
                      g.scratch >= (l.task_room ? l.lists + lists * k * gp__rank_bytes(&s) : 0),
                  "rule for arch " + std::to_string(arch) + " size " + std::to_string(size) + " k " +
                      std::to_string(k) + " segments " + std::to_string(segments) + " count " + std::to_string(count));
            }
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  typedef gp__policy<64, 1, GP_CACHE_ALL, GP_CACHE_ALL, 0, 2, 2> Small;
  [[maybe_unused]] typedef gp__policy<128, 2, GP_CACHE_STREAMING, GP_CACHE_STREAMING, 0, 1, 1> Larger;
  geometries();
  Segments<Small, float, gp__none, u32, true, false>::sweep("segments f32 indices", seeds);
  Segments<Small, u32, gp__none, gp__none, false, false>::sweep("segments u32 keys", seeds);
  Segments<Larger, gp_bf16, u16, u16, false, false>::sweep("segments bf16 values", seeds);
#ifndef TEST_FEW
  Segments<Larger, long long, Odd, Odd, false, false>::sweep("segments i64 values", seeds);
  Segments<Small, int, gp__none, u64, true, true>::sweep("segments i32 wide indices", seeds);
  Segments<Small, u8, gp__none, u32, true, false>::sweep("segments u8 indices", seeds);
  Segments<Small, double, gp__none, gp__none, true, false>::sweep("segments f64 keys", seeds);
#endif
  return finish();
}
