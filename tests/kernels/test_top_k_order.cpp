// Top-k by an operator of gpuprims.h under the emulator: struct keys, ties, rows and segments of any length, one part
// or many, a k for each, the first k of sorted places, against a stable sort, on adversarial schedules.
// Usage: test_top_k_order [seeds] [name of a test]
#include "kernel_test.h"

#include <algorithm>
#include <numeric>

struct Person { // ordered by `age` alone
  u32 name, age, town;
};
struct Byte {
  u8 x;
};
struct Heavy { // the largest key
  double x[8];
};
static u32 age_of(const Person &p) { return p.age; }
static u32 age_of(const Byte &b) { return b.x; }
static u32 age_of(const Heavy &h) { return u32(h.x[7]); }
static void set_age(Person &p, u32 i, u32 age) { p = {i, age, 7}; }
static void set_age(Byte &b, u32, u32 age) { b.x = u8(age); }
static void set_age(float &f, u32, u32 age) { f = float(age % 7 ? age : 0) * (age % 5 ? 1.0f : -1.0f); }
static void set_age(Heavy &h, u32 i, u32 age) { h = {{double(i), 0, 0, 0, 0, 0, 0, double(age)}}; }
// An order; ranks that do not exist have no keys, and their ages are never compared.
template<class Key> struct Younger {
  bool operator()(const Key &a, const Key &b) const { return age_of(a) < age_of(b); }
};

struct Case {
  int offsets; // 0: one length; 1: offsets; 2: with `end`, in reverse order
  size_t k, longest, segments, part;
  bool own_k;
  int kind; // random; few distinct; all equal; rising; falling
};
static u32 age(int kind, size_t i) {
  return kind == 0 ? random32() % 256
      : kind == 1 ? random32() % 3
      : kind == 2 ? 5
      : u32(kind == 3 ? i : 1u << 24) - u32(kind == 4 ? i : 0);
}

// In: gp__none without values; Out: gp__none for keys alone, otherwise an unsigned integer for indices.
template<class P, class Key, class Before, class In, class Out, bool WIDE> struct Orders {
  static constexpr bool values = !std::is_same<In, gp__none>::value, outs = !std::is_same<Out, gp__none>::value;
  typedef typename gp__order_rank<Key, Before, WIDE>::type Rank;
  static size_t tile() { return size_t(P::threads) * unsigned(gp__order_items(P::vectors, int(sizeof(Key)))); }
  static std::vector<u32> order_of(const std::vector<Key> &x, u64 begin, u64 end) {
    std::vector<u32> order(end - begin);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](u32 y, u32 z) { return Before()(x[begin + y], x[begin + z]); });
    return order;
  }
  static void run(const char *name, const Case &c, int seed) {
    std::vector<u64> begin, end;
    std::vector<u32> ks;
    size_t at = c.offsets ? random32() % 9 : 0, i;
    for (i = 0; i < c.segments; ++i) {
      const size_t n = !c.offsets || i == c.segments / 2 ? c.longest : random32() % (c.longest + 1);
      begin.push_back(at);
      end.push_back(at += n);
      ks.push_back(random32() % 3 ? u32(random32() % (c.k + 3)) : 0);
      if (c.offsets == 2) at += random32() % 5;
    }
    const size_t count = c.offsets ? at + random32() % 5 : at, places = c.segments * c.k;
    std::vector<Key> x(count), untouched_keys(places);
    for (i = 0; i < count; ++i) set_age(x[i], u32(i), age(c.kind, i));
    for (i = 0; i < places; ++i) set_age(untouched_keys[i], ~0u, 99);
    if (c.offsets == 2) std::reverse(begin.begin(), begin.end()), std::reverse(end.begin(), end.end());
    std::vector<u64> given = begin;
    if (c.offsets == 1) given.push_back(end.back());
    std::vector<In> value(values ? count : 0);
    if constexpr (values)
      for (i = 0; i < count; ++i) value[i] = In(i * 7 + 3);
    Device<u64> begins(given, 0), ends(end, 0);
    Device<u32> k_of(ks, 0);
    Device<Key> keys(x, seed % 3), out_keys(untouched_keys, seed % 2);
    Device<In> in(value, seed % 3);
    std::vector<Out> untouched(outs ? places : 0);
    if constexpr (outs) std::fill(untouched.begin(), untouched.end(), Out(999));
    Device<Out> out(untouched, seed % 2);

    gp__shape s = {};
    s.primitive = GP_SEGMENTED_TOP_K, s.key_size = sizeof(Key), s.count = count, s.segments = c.segments;
    s.compute_capability = 90, s.multiprocessors = 2, s.shared_bytes = 227 * 1024;
    s.top_k.results = c.k, s.top_k.order_bytes = WIDE ? 8 : 4;
    s.in_size = values ? sizeof(In) : 0, s.out_size = outs ? sizeof(Out) : 0, s.offset_size = c.offsets ? 8 : 0;
    const gp_policy p = policy_of<P>(GP_BEST_LISTS);
    char text[200];
    std::snprintf(text, sizeof text,
        "%s offsets=%d segments=%zu longest=%zu count=%zu k=%zu own=%d part=%zu kind=%d: ", name, c.offsets, c.segments,
        c.longest, count, c.k, c.own_k, c.part, c.kind);
    check(gp__policy_valid_top_k(p, &s) && sizeof(Rank) <= gp__rank_bytes(&s),
        std::string(text) + " the policy is valid");
    const gp__segment_top_k_layout l = gp__lay_out_segment_top_k(p, &s, c.part);
    Device<gp_vector> scratch(l.bytes / 16 + 1, 0);
    unsigned char *scratch_bytes = reinterpret_cast<unsigned char *>(scratch.data);
    gp__segmented_top_k_args a = {};
    a.top.keys = keys.data, a.top.in = in.data, a.top.out_keys = seed % 4 || !outs ? out_keys.data : nullptr;
    a.top.out = out.data, a.top.count = count, a.top.rows = c.segments, a.top.k = c.k;
    a.top.capacity = seed % 2 ? unsigned(gp__order_least(p, &s)) : gp__order_capacity(p, &s);
    a.begin = c.offsets ? begins.data : nullptr, a.end = c.offsets == 2 ? ends.data : nullptr;
    a.ks = c.own_k ? k_of.data : nullptr, a.length = c.longest, a.part = l.part, a.offset_bytes = 8;
    a.batch = 1 + random32() % 32, a.by_warps = gp__top_k_most_of_warp(p, &s);
    const bool cut = random32() % 4 == 0; // the first k of segments that are sorted already, as for many results
    int e = 0;
    typedef typename gp__unsigned_of<WIDE ? 8 : 4>::type Index;
    const std::vector<u32> all = order_of(x, 0, count);
    std::vector<Key> sorted(count);
    std::vector<Index> from(all.begin(), all.end()), place(count);
    for (i = 0; i < count; ++i) sorted[i] = x[all[i]];
    Device<Key> sorted_keys(sorted, 0);
    Device<Index> sources(from, 0), placed(place, 0);
    if (cut) {
      a.top.keys = sorted_keys.data, a.top.from = sources.data, a.lists = placed.data;
      e = simt::launch_kernel(name, 1 + random32() % 4, P::threads, 0, gp__top_k_places<P, WIDE>, a);
      for (i = 0; i < c.segments; ++i) std::sort(placed.data + begin[i], placed.data + end[i]);
      if (c.segments == 1 && !c.offsets) a.lists = nullptr;
      if (!e)
        e = simt::launch_kernel(name, 1 + random32() % 4, P::threads, 0, gp__top_k_order_cut<P, Key, In, Out, WIDE>, a);
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
          name, 1 + random32() % 4, P::threads, 0, gp__top_k_order_short<P, Before, Key, In, Out, WIDE>, a);
    if (!e && !cut && (l.direct ? c.longest > a.by_warps : l.task_room > 0))
      e = simt::launch_kernel(name, 1 + random32() % 6, P::threads, a.top.capacity * unsigned(sizeof(Rank)),
          gp__top_k_order_tasks<P, Before, Key, In, Out, WIDE>, a);
    std::string wrong = e ? " launch failed" : "";
    for (i = 0; i < c.segments && wrong.empty(); ++i) {
      const std::vector<u32> order = order_of(x, begin[i], end[i]);
      const size_t k = std::min(order.size(), c.own_k ? std::min<size_t>(c.k, ks[i]) : c.k);
      for (size_t j = 0; j < c.k && wrong.empty(); ++j) {
        const size_t to = i * c.k + j;
        bool good = !a.top.out_keys || same(out_keys.data[to], j < k ? x[begin[i] + order[j]] : untouched_keys[to]);
        if constexpr (values) good = good && same(out.data[to], j < k ? value[begin[i] + order[j]] : untouched[to]);
        else if constexpr (outs) good = good && out.data[to] == (j < k ? Out(order[j]) : untouched[to]);
        if (!good)
          wrong = " wrong in segment " + std::to_string(i) + " of " + std::to_string(order.size()) + " at " +
              std::to_string(j);
      }
    }
    check(wrong.empty(), text + wrong);
    simt::clear_error();
  }
  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    for (int seed = 1; seed <= seeds; ++seed)
      for (int i = 0; i < 16; ++i) {
        if (!has_turn()) continue;
        simt::set_random_schedule(u64(seed) * 100 + u64(i));
        const size_t few[] = {1, 2, 33, 100, 250}, warp = size_t(GP__ORDER_OF_WARP) / sizeof(Rank);
        const size_t lengths[] = {1, 31, warp - 1, warp, warp + 1, tile() + 1, 9 * tile() + 5, 700};
        Case c = {};
        c.offsets = i % 3, c.own_k = i / 3 % 2, c.kind = (seed + i) % 5, c.k = few[random32() % 5];
        c.part = i % 4 == 3 ? 100 * tile() : tile() + random32() % 99; // many parts, lists that are not full
        c.longest = i == 12 ? 9 * tile() + 5 : lengths[(seed + i) % 8];
        c.segments = c.longest > 1000 ? 2 : i % 4 == 1 ? 1 : 1 + random32() % 40;
        run(name, c, seed + i);
      }
  }
};

// The rules' launches, without a launch: valid policies, and lists that have room for a tile.
static void geometries() {
  if (!only.empty() && only != "geometries") return;
  const gp_policy none = {};
  for (int arch : {75, 80, 86, 90, 120})
    for (int size : {1, 2, 4, 12, 16, 24, 63, 64})
      for (int bytes : {4, 8})
        for (u64 rows : {0ull, 1ull, 77ull})
          for (u64 count : {1ull, 1000ull, 1ull << 20, 1ull << 30}) {
            gp__shape s = {};
            s.primitive = rows == 77 ? GP_SEGMENTED_TOP_K : GP_TOP_K, s.key_size = size, s.count = count;
            s.multiprocessors = 132, s.compute_capability = arch, s.shared_bytes = gp__shared_bytes_of(arch);
            s.segments = rows, s.top_k.order_bytes = bytes, s.top_k.results = gp__order_few(size, bytes);
            const gp_policy p = gp__portable_top_k(none, &s);
            gp__geometry g = {};
            gp__geometry_top_k(p, &s, u64(132) * unsigned(p.blocks_per_sm), &g);
            check(gp__policy_valid_top_k(p, &s) && p.algorithm == GP_BEST_LISTS && g.grid >= 1 &&
                    g.shared_bytes == gp__order_capacity(p, &s) * gp__rank_bytes(&s) &&
                    g.shared_bytes + GP__TOP_K_STATIC_BYTES <= unsigned(s.shared_bytes) &&
                    gp__order_capacity(p, &s) >= s.top_k.results + gp__top_k_tile(p, &s),
                "rule for arch " + std::to_string(arch) + " size " + std::to_string(size) + " rows " +
                    std::to_string(rows) + " count " + std::to_string(count));
          }
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  typedef gp__policy<64, 1, GP_CACHE_ALL, GP_CACHE_ALL, 0, 2, 2> Small;
  typedef gp__policy<128, 2, GP_CACHE_STREAMING, GP_CACHE_STREAMING, 0, 1, 1> Larger;
  geometries();
  Orders<Small, Person, Younger<Person>, gp__none, u32, false>::sweep("people indices", seeds);
  Orders<Small, float, gp_greater<float>, gp__none, gp__none, false>::sweep("f32 keys", seeds);
  Orders<Larger, Byte, gp__reversed<Younger<Byte>>, u16, u16, false>::sweep("bytes values", seeds);
  Orders<Larger, Heavy, Younger<Heavy>, gp__none, u64, true>::sweep("heavy wide indices", seeds);
  return finish();
}
