// Counting sort, top-k, nth element and shuffle of gpuprims.h under the emulator: types, orders, rows, ties, alignments
// and plans of several launches against sequential references, on adversarial schedules.
// Usage: test_top_k [seeds] [name of a test]
// Define one of TEST_COUNTING, TEST_TOP_K_LISTS, TEST_RADIX_SELECT, TEST_SHUFFLE to compile that part alone; TEST_FEW
// compiles only the instances that mutants.py needs.
#if !defined(TEST_COUNTING) && !defined(TEST_TOP_K_LISTS) && !defined(TEST_RADIX_SELECT) && !defined(TEST_SHUFFLE)
#define TEST_COUNTING
#define TEST_TOP_K_LISTS
#define TEST_RADIX_SELECT
#define TEST_SHUFFLE
#endif
#include "kernel_test.h"

#include <algorithm>
#include <numeric>

// ---- shared

template<class T> using BitsOf = typename gp__ordered<T>::Bits;
// Keys as bits: any, few distinct, all equal, rising, falling, special floats, of a narrow range.
template<class T> std::vector<BitsOf<T>> keys_of(size_t n, int kind) {
  typedef BitsOf<T> B;
  std::vector<B> x(n);
  const int bits = 8 * int(sizeof(T));
  const u64 sign = 1ull << (bits - 1);
  for (size_t i = 0; i < n; ++i) {
    const u64 r = u64(random32()) << 32 | random32();
    switch (kind % 7) {
    case 0: x[i] = B(r); break;
    case 1: x[i] = B((r % 3) * (r % 2 ? 77 : sign / 2)); break;
    case 2: x[i] = B(0x5a5a5a5a5a5a5a5aull); break;
    case 3: x[i] = B(bits < 32 ? (u64(i) << bits) / n : i * 3); break;
    case 4: x[i] = B(bits < 32 ? (u64(n - i) << bits) / (n + 1) : (n - i) * 5); break;
    case 5: // -0, +0, infinities, NaN of both signs and several payloads, the ends of integers
      x[i] = B(r % 4 == 0 ? sign
              : r % 4 == 1 ? 0
              : r % 4 == 2 ? ~0ull >> (r >> 8) % 9
              : (~0ull << (bits - 6)) ^ (r & 3));
      break;
    default: x[i] = B(0x1234567800000000ull >> (64 - bits) | (r & 255)); break;
    }
  }
  return x;
}
template<class T> BitsOf<T> order_of(BitsOf<T> raw, bool descending) {
  const BitsOf<T> b = gp__ordered<T>::encode(raw);
  return descending ? BitsOf<T>(~b) : b;
}
// The order of a stable sort.
template<class T> std::vector<u32> sorted_indices(const BitsOf<T> *x, size_t n, bool descending) {
  std::vector<u32> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
      [&](u32 a, u32 b) { return order_of<T>(x[a], descending) < order_of<T>(x[b], descending); });
  return order;
}
// Bytes before and after an output, which no kernel may touch.
template<class T> struct Guarded {
  enum { BORDER = 64 };
  Device<unsigned char> all;
  T *data;
  size_t bytes, lead;
  Guarded(size_t n, size_t offset)
    : all(std::vector<unsigned char>(2 * BORDER + (n + offset) * sizeof(T), 0xa5), 0), bytes(n * sizeof(T)),
      lead(BORDER + offset * sizeof(T)) {
    data = reinterpret_cast<T *>(all.data + lead);
  }
  bool intact() const {
    for (size_t i = 0; i < lead; ++i)
      if (all.data[i] != 0xa5) return false;
    for (size_t i = 0; i < BORDER; ++i)
      if (all.data[lead + bytes + i] != 0xa5) return false;
    return true;
  }
};
static gp__shape shape_of(gp_primitive primitive, int key_size, size_t count, int sms) {
  gp__shape s = {};
  s.primitive = primitive, s.key_size = key_size, s.count = count, s.sorted.end_bit = 8 * key_size;
  s.compute_capability = 90, s.multiprocessors = sms, s.shared_bytes = 227 * 1024;
  return s;
}

// ---- counting sort

#ifdef TEST_COUNTING
template<class P, class T, bool DESCENDING> void counting(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  typedef BitsOf<T> B;
  const size_t tile = size_t(P::threads) * P::vectors * 16 / sizeof(T);
  const size_t sizes[] = {1, 7, tile - 1, tile, tile + 1, 3 * tile + 5, 11 * tile / 2};
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
      // Runs of 2-byte keys take 65,536 threads for any size: a seed runs a third of the sizes.
      if (sizeof(T) == 2 && (k + size_t(seed) + P::threads / 64 + DESCENDING) % 3) continue;
      const size_t n = sizes[k], offset = seed % 2 ? 0 : random32() % 16;
      const int sms = 1 + int(random32() % 4), kind = int((seed + k) % 7);
      if (!has_turn()) continue;
      simt::set_random_schedule(u64(seed) * 100 + k);
      const std::vector<B> x = keys_of<T>(n, kind);
      Device<B> in(x, offset);
      Guarded<B> out(n, seed % 3 ? random32() % 16 : 0);
      Device<u64> count(std::vector<u64>(1, n), 0);
      const bool on_device = seed % 4 == 3;
      const gp__shape s = shape_of(GP_SORT, sizeof(T), n + (on_device ? 1000 : 0), sms);
      const gp_policy p = policy_of<P>(GP_COUNTING);
      gp__geometry g = {};
      check(gp__policy_valid_counting(p, &s), std::string(name) + " the policy is valid");
      gp__geometry_counting(p, &s, u64(sms) * P::blocks_per_sm, &g);
      const gp__geometry gh = gp__counting_geometry(p, &s);
      const size_t values = size_t(1) << 8 * sizeof(T), blocks = sizeof(T) == 2 && seed % 2 ? gh.grid : 0;
      Device<u64> scratch(g.scratch / 8 + blocks * values / 4);
      gp__histogram_args h = {};
      h.in = in.data, h.out = scratch.data, h.count = s.count, h.count_device = on_device ? count.data : nullptr;
      h.bins = values, h.channels = h.active = 1, h.replicas = gh.replicas, h.workspace = workspace(g.words);
      gp__counting_args a = {};
      a.out = out.data, a.count = s.count, a.count_device = h.count_device, a.counts = scratch.data;
      a.starts = scratch.data + values, a.values = reinterpret_cast<u16 *>(a.starts + values);
      a.rows = a.values + values, a.blocks = unsigned(blocks), a.workspace = h.workspace;
      a.runs = reinterpret_cast<u64 *>(a.values + (blocks + 1) * values);
      if (blocks) h.rows = reinterpret_cast<u32 *>(a.values + values);
      int e = simt::launch_kernel(name, gh.grid, gh.threads, gh.shared_bytes, gp__count_keys<P, B>, h);
      if (sizeof(T) == 2)
        e |= simt::launch_kernel(
            name, GP__COUNTING_BLOCKS, GP__COUNTING_THREADS, 0, gp__counting_runs<P, T, DESCENDING>, a);
      e |= simt::launch_kernel(name, g.grid, P::threads, 0, gp__counting_fill<P, T, DESCENDING>, a);
      std::vector<B> expected;
      for (u32 i : sorted_indices<T>(x.data(), n, DESCENDING)) expected.push_back(x[i]);
      size_t wrong = 0;
      while (wrong < n && out.data[wrong] == expected[wrong]) ++wrong;
      check(!e && wrong == n && out.intact(),
          std::string(name) + " n=" + std::to_string(n) + " kind=" + std::to_string(kind) +
              " seed=" + std::to_string(seed) + " blocks=" + std::to_string(g.grid) +
              (wrong < n ? " wrong at " + std::to_string(wrong)
                      : out.intact() ? ""
                      : " writes behind its output"));
      simt::clear_error();
    }
}

// Runs from rows that blocks have left: few of them, and more than a thread loads at once.
template<class P, class T, bool DESCENDING> void runs_of_rows(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed) {
    const unsigned blocks = seed % 2 ? 8 * GP__COUNTING_LOADS + 3 : 11;
    if (!has_turn()) continue;
    simt::set_random_schedule(u64(seed));
    std::vector<u64> counts(65536);
    std::vector<u16> rows(blocks * size_t(65536));
    for (u64 &c : counts) c = random32() % 4 ? 0 : u64(random32()) << random32() % 8;
    std::vector<u64> sums = counts;
    for (unsigned i = 0; i < 20000; ++i) {
      const size_t at = random32() % rows.size();
      sums[at % 65536] -= rows[at];
      sums[at % 65536] += rows[at] = u16(random32());
    }
    Device<u64> made(counts, 0), starts(65536), runs(1);
    Device<u16> counted(rows, 0), values(65536);
    gp__counting_args a = {};
    a.counts = made.data, a.rows = counted.data, a.blocks = blocks, a.starts = starts.data, a.values = values.data;
    a.runs = runs.data, a.workspace = workspace(gp__look_back_slots(GP__COUNTING_BLOCKS) * 2);
    const int e =
        simt::launch_kernel(name, GP__COUNTING_BLOCKS, GP__COUNTING_THREADS, 0, gp__counting_runs<P, T, DESCENDING>, a);
    u64 key = 0, run = 0, wrong = 0;
    for (u32 i = 0; i < 65536; ++i) {
      const u16 value = gp__ordered<T>::decode(u16(DESCENDING ? ~i : i));
      if (!sums[value]) continue;
      wrong += starts.data[run] != key || values.data[run] != value;
      key += sums[value];
      ++run;
    }
    check(!e && !wrong && *runs.data == run,
        std::string(name) + " rows=" + std::to_string(blocks) + " seed=" + std::to_string(seed) +
            " wrong: " + std::to_string(wrong));
    simt::clear_error();
  }
}

// Counters of 16 bits: more keys of one value than they hold.
template<class P> void key_counts(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  static const size_t counts[] = {70000, 150000, 140000, 80000, 20000, 50000, 140000};
  for (int seed = 1; seed <= seeds; ++seed)
    for (int kind = -3; kind < 7; ++kind) { // constant keys have four schedules: two blocks add before there are zeros
      const unsigned blocks = kind <= 0 || (kind + seed) % 4 == 0 ? 2 : 1;
      const size_t n = blocks * counts[std::max(kind, 0)] + random32() % 1000;
      const size_t offset = kind == 6 ? 0 : random32() % 8 & (kind == 1 ? 4 : 7); // kind 1: fours start a vector
      const bool rows = blocks > 1 && seed % 2;
      if (!has_turn()) continue;
      simt::set_random_schedule(u64(seed) * 10 + u64(kind));
      std::vector<u16> x(n);
      std::vector<u64> expected(65536);
      const u16 any = u16(0xf000 | random32()); // that of the zeros added last
      for (size_t i = 0; i < n; ++i) {
        const u32 r = random32();
        x[i] = u16(kind <= 0 ? any // constant
                : kind == 1 ? any ^ ((i % 4 < 2 ? i : r) & 1) * 0x8010 // two that share a word, with hardly any runs
                : kind == 2 ? any ^ (i / 12 & 1) * 0x8010 // the same, in runs
                : kind == 3 ? (r % 16 ? any : r >> 16) // one is frequent
                : kind == 5 ? (r % 999 ? any : r >> 16) // the others are rare
                : kind == 6 ? any ^ (i % 256 < 16) // runs, but not in the first lanes
                : r);
        ++expected[x[i]];
      }
      Device<u16> in(x, offset);
      Device<u64> out(65536);
      Device<u32> counted(blocks * 32768);
      gp__histogram_args h = {};
      h.in = in.data, h.out = out.data, h.count = n, h.bins = 65536, h.channels = h.active = 1;
      h.rows = rows ? counted.data : nullptr, h.workspace = workspace(16);
      const int e = simt::launch_kernel(name, blocks, P::threads, GP__COUNTING_ROW_BYTES, gp__key_counts<P>::run, h);
      size_t wrong = 0;
      for (bool same = true; same && wrong < 65536; wrong += same) {
        u64 sum = out.data[wrong];
        for (unsigned b = 0; rows && b < blocks; ++b) sum += reinterpret_cast<u16 *>(counted.data)[b * 65536 + wrong];
        same = sum == expected[wrong];
      }
      check(!e && wrong == 65536,
          std::string(name) + " kind=" + std::to_string(kind) + " seed=" + std::to_string(seed) +
              " blocks=" + std::to_string(blocks) + (wrong < 65536 ? " wrong at " + std::to_string(wrong) : ""));
      simt::clear_error();
    }
}
#endif

// ---- top-k, nth element

#if defined(TEST_TOP_K_LISTS) || defined(TEST_RADIX_SELECT)
struct Odd { // a value of 12 bytes
  u32 x[3];
};
template<class V> V value_at(size_t i) { return V(i * 7 + 3); }
template<> Odd value_at<Odd>(size_t i) { return {{u32(i), u32(i) * 3, 7}}; }
template<> gp__none value_at<gp__none>(size_t) { return {}; }

struct Rows {
  size_t rows, count, k, offset;
  int sms, kind;
  bool on_device, filtered; // the count is read there, and smaller; keys within a bound are put aside first
  bool mixed; // the second of three rows is not filtered
  bool misleads; // the sample
  bool firsts; // every other key is one that none can precede
  bool samples; // bounded select: a sample first
  bool finish; // a bounded select: one launch puts keys aside, a cluster sorts them
  u64 merged; // 0: by the rule; otherwise the mergers of a row's lists
};

// In: gp__none without values; Out: gp__none without results beside the keys, an unsigned integer alone: indices.
template<class P, class T, class In, class Out, bool DESCENDING, bool WIDE, bool LISTS> struct TopK {
  typedef BitsOf<T> B;
  static constexpr bool values = !std::is_same<In, gp__none>::value, outs = !std::is_same<Out, gp__none>::value;

  static void run(const char *name, const Rows &o, unsigned seed, bool nth = false) {
    const size_t all = o.rows * o.count,
                 n = !o.on_device ? o.count
        : o.k % 2 ? o.count / 30 + 1
        : o.count - o.count / 3;
    gp__shape s = shape_of(nth ? GP_NTH_ELEMENT : GP_TOP_K, sizeof(T), o.count, o.sms);
    s.segments = o.rows, s.top_k.results = o.k, s.in_size = values ? sizeof(In) : 0,
    s.out_size = outs ? sizeof(Out) : 0;
    const gp_policy p = policy_of<P>(LISTS ? GP_BEST_LISTS : o.finish ? GP_SAMPLED_SELECT : GP_RADIX_SELECT);
    gp__geometry g = {};
    gp__geometry_top_k(p, &s, u64(o.sms) * P::blocks_per_sm, &g);
    std::vector<B> x = keys_of<T>(all, o.kind);
    if (o.mixed) // too many keys of the second row are within its bound, and its best ones come last
      std::fill(x.begin() + long(o.count), x.begin() + long(2 * o.count) - 40,
          gp__ordered<T>::decode(DESCENDING ? B(0) : B(~B(0))));
    if (o.misleads) { // the sampled vectors have the first results, or the last
      const std::vector<u32> order = sorted_indices<T>(x.data(), n, DESCENDING);
      const std::vector<B> before = x;
      const size_t V = 16 / sizeof(T), most = n / V / (g.share * P::threads),
                   apart = std::min<size_t>(most + !most, 256);
      std::vector<u32> places, others;
      for (size_t i = 0; i < n; ++i)
        (i / V / apart < n / V / apart && i / V % apart == u32(i / V / apart) * 2654435761u % apart ? places : others)
            .push_back(u32(i));
      if (o.k % 2) std::swap(places, others);
      places.insert(places.end(), others.begin(), others.end());
      for (size_t i = 0; i < n; ++i) x[places[i]] = before[order[i]];
    }
    for (size_t i = 0; o.firsts && i < all; i += 2) x[i] = gp__ordered<T>::decode(DESCENDING ? B(~B(0)) : B(0));
    std::vector<In> value(values ? all : 0);
    for (size_t i = 0; i < value.size(); ++i) value[i] = value_at<In>(i);
    Device<B> keys(x, o.offset);
    Device<In> in(value, seed % 3);
    Guarded<B> out_keys(nth ? 1 : o.rows * o.k, seed % 5);
    Guarded<Out> out(outs ? o.rows * o.k : 0, seed % 2);
    Device<u64> count(std::vector<u64>(1, n), 0);
    char text[200];
    std::snprintf(text, sizeof text, "%s rows=%zu n=%zu/%zu k=%zu sms=%d kind=%d merged=%d seed=%u:", name, o.rows, n,
        o.count, o.k, o.sms, o.kind, int(o.merged), seed);
    check(gp__policy_valid_top_k(p, &s), std::string(text) + " the policy is valid");
    gp__top_k_args a = {};
    a.keys = keys.data, a.in = in.data, a.out_keys = out_keys.data, a.out = out.data;
    a.count = o.count, a.count_device = o.on_device ? count.data : nullptr;
    a.rows = o.rows, a.k = o.k, a.blocks = g.share, a.workspace = g.words ? workspace(g.words) : nullptr;
    a.nth = nth;
    int e = 0;
    if (LISTS) e = lists(name, o, s, p, g, a);
    else e = select(name, o, s, g, a, nth);
    bool good = !e && out_keys.intact() && out.intact();
    std::string wrong;
    for (size_t r = 0; r < o.rows && good; ++r) {
      const B *row = x.data() + r * o.count;
      std::vector<u32> order = sorted_indices<T>(row, n, DESCENDING);
      if (nth) {
        good = out_keys.data[0] == row[order[std::min(o.k, n) - 1]];
        break;
      }
      order.resize(std::min(o.k, n));
      if (o.filtered && !o.finish) { // in any order
        std::vector<B> found(out_keys.data + r * o.k, out_keys.data + r * o.k + order.size());
        const std::vector<u32> places = sorted_indices<T>(found.data(), found.size(), DESCENDING);
        for (size_t i = 0; i < order.size() && good; ++i) good = found[places[i]] == row[order[i]];
        if (!good) wrong = " wrong in row " + std::to_string(r);
        continue;
      }
      if (!LISTS && !o.finish) std::sort(order.begin(), order.end()); // in input order
      for (size_t i = 0; i < order.size() && good; ++i) {
        good = out_keys.data[r * o.k + i] == row[order[i]];
        if constexpr (values) good = good && same(out.data[r * o.k + i], value[r * o.count + order[i]]);
        else if constexpr (outs) good = good && out.data[r * o.k + i] == Out(order[i]);
        if (!good) wrong = " wrong in row " + std::to_string(r) + " at " + std::to_string(i);
      }
    }
    check(good, text + wrong + " blocks=" + std::to_string(g.share));
    simt::clear_error();
  }
  static int lists(const char *name, const Rows &o, const gp__shape &s, const gp_policy &p, const gp__geometry &g,
      gp__top_k_args a) {
    const unsigned rank = gp__rank_bytes(&s) << (WIDE && sizeof(T) == 4 && outs);
    const u64 mergers = o.merged ? o.merged : gp__top_k_mergers(g.share, o.k);
    Device<gp_vector> first(a.rows * a.blocks * a.k * rank / 16 + 1), second(a.rows * mergers * a.k * rank / 16 + 1);
    a.capacity = gp__top_k_capacity(p, &s);
    const u64 tiles =
        (o.count + P::threads * P::vectors * 16 / sizeof(T) - 1) / (P::threads * P::vectors * 16 / sizeof(T));
    a.jump = gp__top_k_jump(tiles);
    a.to = a.blocks > 1 ? first.data : nullptr;
    const unsigned shared = a.capacity * rank;
    int e = simt::launch_kernel(name, unsigned(std::min<u64>(a.rows * a.blocks, 7)), P::threads, shared,
        gp__top_k_lists<P, T, In, Out, DESCENDING, WIDE>, a);
    while (a.to && !e) {
      a.from = a.to, a.ranks = a.blocks * a.k;
      a.blocks = a.blocks > mergers && mergers > 1 ? mergers : 1;
      a.to = a.blocks == 1 ? nullptr : static_cast<void *>(second.data);
      e = simt::launch_kernel(
          name, unsigned(a.rows * a.blocks), P::threads, shared, gp__top_k_merge<P, T, In, Out, DESCENDING, WIDE>, a);
    }
    return e;
  }
  static int select(
      const char *name, const Rows &o, const gp__shape &s, const gp__geometry &g, gp__top_k_args a, bool nth) {
    Device<gp__select_state> states(o.rows);
    const bool bounds = o.filtered && !nth;
    Device<u64> bins(o.rows * GP__SELECT_BINS * unsigned(bounds ? 2 * gp__select_levels(sizeof(T)) : 1));
    a.room = o.merged ? o.merged : gp__select_room(policy_of<P>(GP_RADIX_SELECT), &s);
    Device<B> aside(o.rows * a.room);
    a.states = states.data, a.bins = bins.data, a.aside = aside.data;
    if constexpr (!outs) {
      if (bounds) return bounded(name, o, g, a);
    }
    int e = simt::launch_kernel(name, g.grid, P::threads, 0, gp__select_first<P, T, DESCENDING>, a);
    for (a.level = 1; a.level * GP__SELECT_BITS < 8 * int(sizeof(T)) && !e; ++a.level)
      e = simt::launch_kernel(name, g.grid, P::threads, g.shared_bytes, gp__select_next<P, T, DESCENDING>, a);
    if (!nth && !e)
      e = simt::launch_kernel(name, 5, P::threads, g.shared_bytes, gp__select_collect<P, T, In, Out, DESCENDING>, a);
    return e;
  }
  static inline int within = 0, beyond = 0; // bounded selects: how often `to` got more than k keys
  static inline int served = 0, failed = 0; // how often a sample's bound served, and did not
  static int bounded(const char *name, const Rows &o, const gp__geometry &g, gp__top_k_args a) {
    gp__select_state *state = reinterpret_cast<gp__select_state *>(a.states);
    simt::config.resident = std::max(simt::config.resident, g.grid);
    a.many = o.samples ? 1 : ~0ull;
    a.to = o.finish ? a.aside : a.out_keys, a.ranks = o.finish ? a.room : a.k;
    const int e = simt::launch_kernel(name, g.grid, P::threads, 0, gp__select_bounded<P, T, DESCENDING>, a);
    for (size_t r = 0; r < o.rows && !e; ++r) {
      check(state[r].inside <= a.ranks, std::string(name) + ": more keys than there is room for");
      const bool good = state[r].appended >= a.k && state[r].appended <= a.room;
      if (o.samples && state[r].appended) ++(good ? served : failed);
      if (o.mixed) check(good == (r != 1), std::string(name) + " mixed: row " + std::to_string(r));
    }
    ++(state->inside > a.k ? within : beyond);
    return e || !o.finish ? e : finish(a);
  }
  static int finish(const gp__top_k_args &a) {
    typedef gp__policy<128, 1, GP_CACHE_ALL, GP_CACHE_ALL, 0, 1, 2> Team;
    gp__select_state *state = reinterpret_cast<gp__select_state *>(a.states);
    gp__shape s = shape_of(GP_SORT, sizeof(T), a.room, 1);
    s.in_size = 0;
    const gp_policy p = policy_of<Team>(GP_ONE_CLUSTER);
    gp__radix_args r = {};
    r.keys = a.aside, r.out_keys = a.out_keys, r.count = a.room, r.count_device = &state->inside;
    r.end_bit = 8 * int(sizeof(T)), r.flip = DESCENDING ? ~0u : 0, r.capacity = unsigned(a.k), r.passes = sizeof(T);
    const unsigned blocks = std::max(gp__cooperative_blocks(p, &s), 1u);
    if (blocks > 16) return 1;
    simt::config.resident = std::max(simt::config.resident, blocks);
    simt::config.cluster = blocks;
    const int e = simt::launch_kernel("sort", blocks, Team::threads, gp__cooperative_bytes(p, &s),
        gp__sort_one_cluster<Team, gp__radix_key<T>, gp__none>, r);
    simt::config.cluster = 1;
    return e;
  }
  static void sampled(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const size_t tile = size_t(P::threads) * P::vectors * 16 / sizeof(T);
    const size_t sizes[] = {1, tile + 1, 9 * tile + 5, 40 * tile + 1};
    within = beyond = served = failed = 0;
    for (int seed = 1; seed <= seeds; ++seed)
      for (int kind = 0; kind < 11; ++kind)
        for (size_t n : sizes) {
          simt::set_random_schedule(u64(seed) * 100 + n + unsigned(kind));
          Rows o = {};
          o.rows = 1, o.count = n, o.sms = 1 + int(random32() % 6), o.kind = kind > 7 ? 0 : kind % 7,
          o.firsts = kind == 7, o.misleads = kind > 7, o.filtered = o.finish = true;
          const size_t most = std::min<size_t>(n, 8 * 512 / sizeof(T)), few[] = {1, most, 1 + random32() % most};
          o.k = few[(unsigned(seed) + unsigned(kind)) % 3];
          o.samples = (unsigned(seed) + unsigned(kind)) % 3 != 1;
          if (o.misleads) o.k = n / 30 + 1 - kind % 2, o.k += !o.k, o.samples = true;
          o.merged = o.k + (random32() % 4 ? 3 * tile : random32() % (o.k + 40));
          o.offset = seed % 2 ? 0 : random32() % 16;
          o.on_device = n > 1 && random32() % 4 == 0;
          run(name, o, unsigned(seed));
        }
    check(within > 0 && beyond > 0, std::string(name) + " more keys than wanted, and as many");
    check(served > 0 && failed > 0,
        std::string(name) + " samples: " + std::to_string(served) + " served, " + std::to_string(failed) + " did not");
  }
  // Rows of which one is not filtered.
  static void mixed(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const size_t tile = size_t(P::threads) * P::vectors * 16 / sizeof(T);
    for (int seed = 1; seed <= seeds; ++seed) {
      simt::set_random_schedule(u64(seed) * 100);
      Rows o = {};
      o.rows = 3, o.count = 40 * tile + 1, o.sms = 3, o.filtered = o.mixed = o.samples = true;
      o.k = seed % 2 ? 99 : 1 + random32() % 98;
      run(name, o, unsigned(seed));
    }
  }
  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    const size_t tile = size_t(P::threads) * P::vectors * 16 / sizeof(T);
    const size_t sizes[] = {1, 33, tile - 1, tile, tile + 1, 9 * tile + 5, 40 * tile + 1};
    for (int seed = 1; seed <= seeds; ++seed)
      for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        if (!has_turn()) continue;
        simt::set_random_schedule(u64(seed) * 100 + i);
        Rows o = {};
        o.count = sizes[i];
        o.rows = i < 6 && seed % 2 ? 2 + random32() % 4 : 1;
        o.sms = 1 + int(random32() % 6);
        const size_t most = LISTS ? std::min<size_t>(o.count, 300) : o.count;
        const size_t few[] = {1, 2, most, 1 + random32() % most, most > 1 ? most - 1 : 1};
        o.k = few[(seed + i) % 5];
        o.offset = seed % 2 ? 0 : random32() % 16;
        o.kind = int((seed * 3 + i) % 7);
        o.on_device = o.count > 1 && seed % 4 == 3;
        o.merged = seed % 3 == 1 ? (LISTS ? 2 : 50) : 0;
        o.filtered = !LISTS && !outs && random32() % 2;
        o.samples = random32() % 2;
        run(name, o, unsigned(seed));
        if (!LISTS) {
          o.rows = 1;
          run(name, o, unsigned(seed), true);
        }
      }
  }
};
#endif

// ---- shuffle

#ifdef TEST_SHUFFLE
// The same by other means: 64-bit arithmetic, halves of a number of bits.
static u64 permuted(u64 x, u64 n, u64 seed) {
  unsigned bits = 8;
  while (bits < 64 && (n - 1) >> bits) ++bits;
  const unsigned low = (bits + 1) / 2, high = bits - low;
  do {
    u64 a = x >> low, b = x % (1ull << low);
    for (unsigned r = 0; r < 8; ++r) {
      const u32 key = gp__shuffle_key(seed, int(r));
      if (r % 2 == 0) a = (a ^ gp__shuffle_round(u32(b), key)) % (1ull << high);
      else b = (b ^ gp__shuffle_round(u32(a), key)) % (1ull << low);
    }
    x = a << low | b;
  } while (x >= n);
  return x;
}
template<class P, class In, class Out> void shuffle(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  constexpr bool indices = std::is_same<In, gp__none>::value;
  const size_t sizes[] = {1, 2, 31, 255, 256, 257, 1000, 5003};
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
      const size_t n = sizes[k];
      if (!has_turn()) continue;
      simt::set_random_schedule(u64(seed) * 100 + k);
      std::vector<Out> x(n);
      for (size_t i = 0; i < n; ++i) x[i] = draw<Out>();
      Device<Out> in(x, indices ? 0 : seed % 3);
      Guarded<Out> out(n, seed % 5);
      Device<u64> count(std::vector<u64>(1, n), 0);
      gp__map_args a = {};
      a.in = in.data, a.out = out.data, a.count = n + (seed % 2 ? 0 : 77);
      a.count_device = seed % 2 ? nullptr : count.data;
      for (int r = 0; r < GP__SHUFFLE_ROUNDS; ++r) {
        const u32 key = gp__shuffle_key(u64(seed) << 33, r);
        std::memcpy(a.value.bytes + 4 * r, &key, 4);
      }
      const int e = simt::launch_kernel(name, 1 + random32() % 4, P::threads, 0, gp__shuffle<P, In, Out>, a);
      bool good = !e && out.intact();
      std::vector<bool> seen(n);
      for (size_t i = 0; i < n && good; ++i) {
        const u64 from = permuted(i, n, u64(seed) << 33);
        good = from < n && !seen[from];
        if (!good) break;
        seen[from] = true;
        if constexpr (indices) good = out.data[i] == Out(from);
        else good = same(out.data[i], x[from]);
      }
      check(good, std::string(name) + " n=" + std::to_string(n) + " seed=" + std::to_string(seed));
      simt::clear_error();
    }
}
#endif

#ifdef TEST_TOP_K_LISTS
// The rules' launch plans, without a launch: valid policies, lists that fit, jumps that miss no tile.
static void geometries() {
  if (!only.empty() && only != "geometries") return;
  const gp_policy none = {};
  for (int arch : {75, 80, 86, 90, 100, 120})
    for (int size : {1, 2, 4, 8})
      for (int out : {0, 4, 8, 64})
        for (u64 k : {1ull, 10ull, 1000ull, 1024ull, 1025ull, 1ull << 20})
          for (u64 count : {4127ull, 1ull << 15, (1ull << 15) + 1, 1ull << 19, 1ull << 20, 1ull << 33})
            for (u64 rows : {1ull, 3ull, 5000ull}) {
              gp__shape s = shape_of(GP_TOP_K, size, count, 132);
              s.compute_capability = arch, s.shared_bytes = gp__shared_bytes_of(arch);
              s.top_k.results = k, s.segments = rows, s.out_size = out, s.in_size = out == 64 ? 64 : 0;
              const gp_policy p = gp__portable_top_k(none, &s);
              const bool lists = p.algorithm == GP_BEST_LISTS;
              gp__geometry g = {};
              if (k > count) continue;
              gp__geometry_top_k(p, &s, u64(132) * unsigned(p.blocks_per_sm), &g);
              const u64 works = rows * g.share;
              const bool sorts = rows == 1 && out <= 16 &&
                  count <= (size == 8 ? k > 128 ? 1u << 15 : 0u
                                   : size > 2 && k <= 32 ? 1u << 15
                                   : 1u << 19);
              if (p.algorithm == GP_SAMPLED_SELECT) {
                check(rows == 1 && !out && size >= 4 && k > 32 && count > 1u << 19 && arch / 10 >= 9 && arch < 120 &&
                        gp__policy_valid_ranked(p, &s) && g.words >= 1 && gp__sampled_room(&s) >= 2 * k &&
                        g.scratch >= gp__sampled_room(&s) * unsigned(size),
                    "sampled for arch " + std::to_string(arch) + " size " + std::to_string(size) + " k " +
                        std::to_string(k) + " of " + std::to_string(count));
                continue;
              }
              if (gp__is_cooperative(p.algorithm) || sorts) {
                check(sorts && gp__policy_valid_ranked(p, &s) && g.grid * g.tile_items >= count && p.vectors <= 4 &&
                        (p.algorithm == GP_ONE_CLUSTER || g.scratch >= count * unsigned(size + out)),
                    "few keys for arch " + std::to_string(arch) + " size " + std::to_string(size) + " out " +
                        std::to_string(out) + " k " + std::to_string(k) + " of " + std::to_string(count));
                continue;
              }
              check(gp__policy_valid_top_k(p, &s) && g.shared_bytes <= unsigned(s.shared_bytes) && g.grid >= 1 &&
                      (lists ? k <= 1024 && gp__top_k_capacity(p, &s) >= k + k / 2 + 32 + gp__top_k_tile(p, &s)
                          : g.grid == works && g.words >= rows) &&
                      (!lists || g.share == 1 || g.scratch >= works * k * gp__rank_bytes(&s)),
                  "rule for arch " + std::to_string(arch) + " size " + std::to_string(size) + " k " +
                      std::to_string(k));
            }
  for (u64 tiles = 1; tiles < 3000; ++tiles) {
    const u64 jump = gp__top_k_jump(tiles);
    std::vector<bool> seen(tiles);
    u64 found = 0;
    for (u64 t = 0; t < tiles; ++t) found += !seen[t * jump % tiles], seen[t * jump % tiles] = true;
    check(found == tiles, "jumps of " + std::to_string(jump) + " among " + std::to_string(tiles) + " tiles");
  }
}
#endif

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  [[maybe_unused]] typedef gp__policy<64, 1, GP_CACHE_ALL, GP_CACHE_ALL, 0, 2, 2> Small;
  [[maybe_unused]] typedef gp__policy<128, 2, GP_CACHE_STREAMING, GP_CACHE_STREAMING, 0, 1, 1> Larger;
#ifdef TEST_COUNTING
  counting<Small, u8, false>("counting u8", seeds);
  counting<Small, short, true>("counting i16 descending", seeds);
  key_counts<Small>("key counts", seeds);
  runs_of_rows<Small, u16, false>("runs of rows", (seeds + 1) / 2);
#ifndef TEST_FEW
  runs_of_rows<Larger, short, true>("runs of rows, i16 descending", seeds / 2);
  counting<Larger, signed char, true>("counting i8 descending", seeds);
#ifdef __SANITIZE_ADDRESS__ // floats differ in order, not in addresses
  if (seeds > 1)
#endif
  {
    counting<Larger, gp_f16, false>("counting f16", seeds);
    counting<Small, gp_bf16, true>("counting bf16 descending", seeds);
  }
  counting<gp__policy<512, 1, 1, 1, 0, 1, 2>, u8, false>("counting u8 512", seeds);
  key_counts<Larger>("key counts larger", seeds);
#endif
#endif
#ifdef TEST_TOP_K_LISTS
  geometries();
  TopK<Small, float, gp__none, u32, true, false, true>::sweep("lists f32 indices", seeds);
  TopK<Small, u32, gp__none, gp__none, false, false, true>::sweep("lists u32 keys", seeds);
#ifndef TEST_FEW
  TopK<Larger, long long, Odd, Odd, false, false, true>::sweep("lists i64 values", seeds);
  TopK<Small, int, gp__none, u64, true, true, true>::sweep("lists i32 wide indices", seeds);
  TopK<Small, u8, gp__none, u32, true, false, true>::sweep("lists u8 indices", seeds);
  TopK<Small, gp_bf16, u16, u16, false, false, true>::sweep("lists bf16 values", seeds);
  TopK<Small, double, gp__none, gp__none, true, false, true>::sweep("lists f64 keys", seeds);
  TopK<Small, signed char, gp__none, gp__none, false, false, true>::sweep("lists i8 keys", seeds);
#endif
#endif
#ifdef TEST_RADIX_SELECT
  TopK<Small, float, gp__none, u32, true, false, false>::sweep("select f32 indices", seeds);
  TopK<Small, u32, gp__none, gp__none, true, false, false>::sweep("select u32 keys", seeds);
  TopK<Small, u32, gp__none, gp__none, true, false, false>::mixed("select mixed rows", seeds);
  TopK<Small, float, gp__none, gp__none, true, false, false>::sampled("sampled f32", seeds);
#ifndef TEST_FEW
  TopK<Larger, long long, Odd, Odd, false, false, false>::sweep("select i64 values", seeds);
  TopK<Small, u16, gp__none, gp__none, false, false, false>::sweep("select u16 keys", seeds);
  TopK<Small, u8, gp__none, u64, true, false, false>::sweep("select u8 indices", seeds);
  TopK<Small, double, gp__none, gp__none, true, false, false>::sweep("select f64 keys", seeds);
  TopK<Larger, long long, gp__none, gp__none, false, false, false>::sampled("sampled i64", seeds);
#endif
#endif
#ifdef TEST_SHUFFLE
  shuffle<Small, u32, u32>("shuffle u32", seeds);
  shuffle<Larger, gp__none, u64>("shuffle indices", seeds);
#ifndef TEST_FEW
  shuffle<Larger, u8, u8>("shuffle u8", seeds);
  shuffle<Small, Triple, Triple>("shuffle 12 bytes", seeds);
  shuffle<Small, Large, Large>("shuffle 40 bytes", seeds);
#endif
#endif
  return finish();
}
