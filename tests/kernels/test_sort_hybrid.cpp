// Hybrid sort of keys, and sort of a tile, on the emulator: distributions, sizes around tiles and buckets, every type,
// both orders, in place, a count in device memory.
#include "kernel_test.h"

#include <algorithm>
#include <cmath>
#include <cstring>

static std::vector<u64> distribution(int kind, size_t n, int bits, size_t capacity) {
  std::vector<u64> v(n);
  const u64 mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  u64 few[7];
  for (u64 &x : few) x = (u64(random32()) << 32 | random32()) & mask;
  static const size_t TIMES[] = {2, 4, 8, 16, 32, 64, 256};
  std::vector<u64> some(kind == 17 ? n / TIMES[random32() % 7] + 1 : 0); // repeated random keys
  for (u64 &x : some) x = (u64(random32()) << 32 | random32()) & mask;
  for (size_t i = 0; i < n; ++i) {
    const u64 r = (u64(random32()) << 32 | random32()) & mask, place = u64(double(i) / double(n) * double(mask)) & mask;
    switch (kind) {
    case 0: v[i] = r; break; // uniform
    case 1: v[i] = few[0]; break; // constant
    case 2: v[i] = few[r % 7]; break; // few distinct
    case 3: v[i] = place; break; // sorted
    case 4: v[i] = mask - place; break; // reversed
    case 5: v[i] = random32() % 50 ? place : r; break; // almost sorted
    case 6: v[i] = i < n / 2 ? place : mask - place; break; // organ pipe
    case 7: v[i] = mask / (1 + r % 1000); break; // many small ones, as in Zipf's law
    case 8: v[i] = r & (mask >> (bits / 2)); break; // high bits zero
    case 9: v[i] = r & ~(mask >> (bits / 2)); break; // low bits zero
    case 10: v[i] = random32() % 8 ? few[0] : r; break; // a hot key
    case 11: v[i] = random32() % 8 ? (few[0] & ~15ull) | (r & 15) : r; break; // a hot digit at each level
    case 12: v[i] = i % 2 ? mask : 0; break; // the ends of the range
    case 13: v[i] = i % 3 ? r & 3 : mask - (r & 3); break; // both ends: bins overflow
    case 15: v[i] = i < capacity + 50 ? r & (mask >> 4) : r | 1ull << (bits - 1); break; // a bucket just too large
    case 16: // digits shared by all keys alternate with digits shared by few
      v[i] = bits != 32 ? r & (mask >> 4)
          : i % 64 == 0 ? 1u << 27
          : i % 64 == 1 ? 1u << 19
          : i % 64 == 2 ? 1u << 15
          : r & 255;
      break;
    case 17: v[i] = some[random32() % some.size()]; break;
    default: v[i] = (r & 1) << (bits - 1) | 1ull << (r >> 1) % unsigned(bits - 1); break; // powers of two: all levels
    }
  }
  return v;
}
enum { DISTRIBUTIONS = 18 };

// Every build sees all of one schedule; the address build, the slowest, sees a third: other distributions for each
// type.
static int sweeps;
static bool skipped(int seeds, int number) {
#if defined(__SANITIZE_ADDRESS__)
  return seeds == 1 && (number + sweeps) % 3;
#else
  return seeds < 0 && number < 0;
#endif
}

template<class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS> struct Hybrid {
  typedef gp__sorted<T, DESCENDING> Code;
  typedef typename Code::Raw Raw;
  static const int CAPACITY = THREADS * ITEMS, COUNTING = 256;

  static bool run(const std::vector<Raw> &from, size_t offset, bool in_place, bool on_device, bool one_block) {
    const size_t n = from.size();
    std::vector<Raw> given(from);
    if (on_device) given.resize(n + 5, Raw(0)); // which must stay unchanged
    Device<Raw> in(given, offset), out(given.size(), in_place ? 0 : (offset * 7) % 5), spare(n + 1);
    Device<u64> list(GP__HYBRID_LIST), counts(1);
    Device<u64> workspace(GP__CONTROL_BYTES / 8 + 2);
    simt::host_fill(workspace.data, 0, GP__CONTROL_BYTES + 16);
    const u64 parts = gp__hybrid_parts(given.size(), CAPACITY, 0);
    Device<gp__hybrid_part> part0(parts), part1(parts);
    Device<u64> bins0(parts * 256), bins1(parts * 256);
    Device<gp__hybrid_item> items(gp__hybrid_items(given.size(), CAPACITY, 0));
    const u64 count = n;
    simt::host_write(counts.data, &count, 8);
    if (!in_place) simt::host_fill(out.data, 0x5a, given.size() * sizeof(Raw));
    gp__hybrid_args a = {};
    a.in = in.data, a.out = in_place ? in.data : out.data, a.spare = spare.data, a.list = list.data;
    a.parts = part0.data, a.next_parts = part1.data, a.bins = bins0.data, a.next_bins = bins1.data;
    a.items = items.data, a.count = given.size(), a.count_device = on_device ? counts.data : nullptr;
    a.capacity = CAPACITY, a.workspace = workspace.data, a.levels = gp__hybrid_levels(sizeof(T));
    const int even = 1 + int(random32() % 2); // levels with launches of their own
    const unsigned sort_bytes = gp__tile_sort_bytes(sizeof(T), THREADS, ITEMS, LOG2_BINS);
    const unsigned move_bytes = gp__hybrid_move_bytes(sizeof(T), P::threads * P::vectors * gp__vector_items(sizeof(T)));
    const unsigned count_bytes = gp__hybrid_count_bytes(P::threads);
    const unsigned rest_bytes = move_bytes > count_bytes ? move_bytes : count_bytes;
    const unsigned grid = 1 + random32() % 5;
    bool good = true;
    if (one_block) {
      good = !simt::launch_kernel(
          "one", 1, THREADS, sort_bytes, gp__sort_one_block<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS>, a);
    } else {
      for (a.level = 0; good && a.level < even && a.level < a.levels; ++a.level) {
        good =
            good && !simt::launch_kernel("count", grid, COUNTING, 0, gp__hybrid_count<P, T, DESCENDING, COUNTING>, a);
        good = good &&
            !simt::launch_kernel("move", grid + 1, P::threads, move_bytes, gp__hybrid_move<P, T, DESCENDING>, a);
      }
      if (a.level < a.levels)
        good = good &&
            !simt::launch_kernel("rest", grid + 2, P::threads, rest_bytes, gp__hybrid_rest<P, T, DESCENDING>, a);
      good = good &&
          !simt::launch_kernel(
              "sort", grid, THREADS, sort_bytes, gp__hybrid_sort<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS>, a);
    }
    std::vector<Raw> want(from), got = (in_place ? in : out).read(given.size());
    std::sort(want.begin(), want.end(), [](Raw x, Raw y) { return Code::encode(x) < Code::encode(y); });
    return good && std::equal(want.begin(), want.end(), got.begin());
  }
  static void sweep(const char *name, int seeds, bool one_block, size_t most) {
    if (!only.empty() && only != name) return;
    ++sweeps;
    const size_t sizes[] = {
        0, 1, 2, 31, 33, CAPACITY - 3, CAPACITY - 1, CAPACITY, CAPACITY + 1, 2 * CAPACITY + 5, most / 3, most};
    for (int seed = 1; seed <= seeds; ++seed)
      for (int kind = 0; kind < DISTRIBUTIONS; ++kind) {
        if (skipped(seeds, kind) || !has_turn()) continue;
        size_t n = seed == 1 && !one_block ? most - random32() % 9 : sizes[random32() % 12];
        if (kind == 16) n = 2 * CAPACITY + 5;
        if (one_block && n > CAPACITY) n = CAPACITY - random32() % 9;
        const std::vector<u64> v = distribution(kind, n, int(8 * sizeof(T)), size_t(CAPACITY));
        std::vector<Raw> raw(n);
        for (size_t i = 0; i < n; ++i) raw[i] = Raw(v[i]);
        simt::set_random_schedule(uint64_t(seed * 100 + kind));
        const bool in_place = random32() % 3 == 0, on_device = random32() % 4 == 0;
        const size_t offset = random32() % 5;
        check(run(raw, offset, in_place, on_device, one_block),
            std::string(name) + " kind " + std::to_string(kind) + " n " + std::to_string(n) + " offset " +
                std::to_string(offset) + (in_place ? " in place" : "") + (on_device ? " count on the device" : "") +
                " seed " + std::to_string(seed));
        simt::clear_error();
      }
  }
};

// A value of 8 bytes, aligned to 4: it may start between multiples of its size.
struct Halves {
  u32 low, high;
  explicit Halves(u64 x = 0) : low(u32(x)), high(~u32(x)) {}
  bool operator==(const Halves &b) const { return low == b.low && high == b.high; }
};

// Pairs: values give their key's origin; argsort: no values and, at times, no keys. All are stable.
template<class P, class T, bool DESCENDING, class V, int THREADS, int ITEMS, int LOG2_BINS> struct Pairs {
  typedef gp__sorted<T, DESCENDING> Code;
  typedef typename Code::Raw Raw;
  static const int CAPACITY = THREADS * ITEMS, COUNTING = 256;

  // chosen: GP__CHOSE_..., or 0: no choice is made.
  static bool run(
      const std::vector<Raw> &from, size_t offset, bool in_place, bool on_device, bool indices, u64 chosen) {
    const size_t n = from.size(), size = on_device ? n + 5 : n; // the rest after n must stay unchanged
    std::vector<Raw> given(from);
    std::vector<V> numbers(size);
    given.resize(size, Raw(0));
    for (size_t i = 0; i < size; ++i) numbers[i] = V(indices ? i : i * 3 + 1);
    Device<Raw> in(given, offset), out(size, in_place ? 0 : (offset * 7) % 5), spare(n + 1);
    Device<V> values(numbers, (offset * 3) % 5), out_values(size, (offset * 5) % 3), spare_values(n + 1);
    Device<u64> list(GP__HYBRID_LIST), counts(1);
    Device<u64> workspace(GP__CONTROL_BYTES / 8 + 2), choice(std::vector<u64>(1, chosen), 0);
    simt::host_fill(workspace.data, 0, GP__CONTROL_BYTES + 16);
    const unsigned grid = 1 + random32() % 5;
    const u64 parts = gp__hybrid_parts(size, CAPACITY, sizeof(V));
    simt::host_fill(list.data, 0xa5, GP__HYBRID_LIST * 8);
    Device<gp__hybrid_part> part0(parts), part1(parts);
    Device<u64> bins(gp__hybrid_pieces(parts, grid) * 256);
    Device<gp__hybrid_item> items(gp__hybrid_items(size, CAPACITY, sizeof(V)));
    const u64 count = n;
    simt::host_write(counts.data, &count, 8);
    if (!in_place) simt::host_fill(out.data, 0x5a, size * sizeof(Raw));
    if (!in_place || indices) simt::host_fill(out_values.data, 0x5a, size * sizeof(V));
    gp__hybrid_args a = {};
    a.in = in.data, a.out = in_place ? in.data : out.data, a.spare = spare.data, a.list = list.data;
    a.values = indices ? nullptr : values.data, a.spare_values = spare_values.data;
    a.out_values = in_place && !indices ? values.data : out_values.data;
    a.drop_keys = indices && random32() % 2 == 0, a.choice = chosen ? choice.data : nullptr;
    a.parts = part0.data, a.next_parts = part1.data, a.bins = bins.data;
    a.items = items.data, a.count = size, a.count_device = on_device ? counts.data : nullptr;
    a.capacity = CAPACITY, a.workspace = workspace.data, a.levels = gp__hybrid_levels(sizeof(T));
    const int even = 1 + int(random32() % 2); // levels with launches of their own
    const unsigned sort_bytes = gp__pair_bucket_bytes(sizeof(T), sizeof(V), THREADS, ITEMS, LOG2_BINS);
    const unsigned move_bytes = P::threads * P::vectors * gp__vector_items(sizeof(T)) * (sizeof(T) + sizeof(V));
    const unsigned count_bytes = gp__hybrid_count_bytes(P::threads);
    const unsigned rest_bytes = move_bytes > count_bytes ? move_bytes : count_bytes;
    bool good = true;
    for (a.level = 0; good && a.level < even; ++a.level) {
      good = !simt::launch_kernel("count", grid, COUNTING, 0, gp__hybrid_count<P, T, DESCENDING, COUNTING, V>, a);
      good =
          good && !simt::launch_kernel("move", grid, P::threads, move_bytes, gp__hybrid_move<P, T, DESCENDING, V>, a);
    }
    good = good && !simt::launch_kernel("rest", grid, P::threads, rest_bytes, gp__hybrid_rest<P, T, DESCENDING, V>, a);
    good = good &&
        !simt::launch_kernel(
            "sort", grid, THREADS, sort_bytes, gp__hybrid_sort<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS, V>, a);
    if (chosen == GP__CHOSE_ONE_SWEEP) { // nothing has been touched
      for (u64 x : list.read(GP__HYBRID_LIST)) good = good && x == 0xa5a5a5a5a5a5a5a5ull;
      const std::vector<V> left = out_values.read(size), own = values.read(size);
      for (size_t i = 0; i < size; ++i)
        good = good && own[i] == numbers[i] &&
            (a.out_values != out_values.data || !memcmp(&left[i], "\x5a\x5a\x5a\x5a\x5a\x5a\x5a\x5a", sizeof(V)));
      return good && in.read(size) == given;
    }
    std::vector<size_t> order(n);
    for (size_t i = 0; i < n; ++i) order[i] = i;
    std::stable_sort(
        order.begin(), order.end(), [&](size_t x, size_t y) { return Code::encode(from[x]) < Code::encode(from[y]); });
    const std::vector<Raw> keys = (in_place ? in : out).read(size);
    const std::vector<V> got = (in_place && !indices ? values : out_values).read(size);
    for (size_t i = 0; i < n; ++i)
      good = good && got[i] == numbers[order[i]] && (a.drop_keys || keys[i] == from[order[i]]);
    for (size_t i = n; i < size && in_place && !indices; ++i) good = good && got[i] == numbers[i];
    return good;
  }
  // Keys of 8 bytes have hundreds of parts, which take long: then a seed has one distribution of `every`.
  static void sweep(const char *name, int seeds, size_t most, int every = 1) {
    if (!only.empty() && only != name) return;
    ++sweeps;
    const size_t sizes[] = {
        0, 1, 2, 31, 33, CAPACITY - 3, CAPACITY - 1, CAPACITY, CAPACITY + 1, 2 * CAPACITY + 5, most / 3, most};
    for (int seed = 1; seed <= seeds; ++seed)
      for (int kind = 0; kind < DISTRIBUTIONS; ++kind) {
        if ((kind + seed) % every || skipped(seeds, every > 1 ? kind / every : kind) || !has_turn()) continue;
        const size_t n = seed == 1 ? most - random32() % 9 : sizes[random32() % 12];
        const std::vector<u64> v = distribution(kind, n, int(8 * sizeof(T)), size_t(CAPACITY));
        std::vector<Raw> raw(n);
        for (size_t i = 0; i < n; ++i) raw[i] = Raw(v[i]);
        simt::set_random_schedule(uint64_t(seed * 100 + kind));
        const bool in_place = random32() % 3 == 0, on_device = random32() % 4 == 0;
        const bool indices = random32() % 3 == 0 && std::is_unsigned<V>::value;
        const size_t offset = random32() % 5;
        const u64 chosen = kind % 2 ? 0 : GP__CHOSE_HYBRID;
        check(run(raw, offset, in_place, on_device, indices, chosen),
            std::string(name) + " kind " + std::to_string(kind) + " n " + std::to_string(n) + " offset " +
                std::to_string(offset) + (in_place ? " in place" : "") + (on_device ? " count on the device" : "") +
                (indices ? " indices" : "") + " chosen " + std::to_string(chosen) + " seed " + std::to_string(seed));
        if (kind == 0)
          check(run(raw, offset, in_place, on_device, indices, GP__CHOSE_ONE_SWEEP),
              std::string(name) + " not chosen, n " + std::to_string(n) + " seed " + std::to_string(seed));
        simt::clear_error();
      }
  }
};

// Hybrid or one sweep, chosen by a sample or the first count: the keys come out in order, the right algorithm worked,
// and the other one touched nothing.
template<class P, class T, bool DESCENDING, int THREADS, int ITEMS, int LOG2_BINS> struct Adaptive {
  typedef gp__sorted<T, DESCENDING> Code;
  typedef typename Code::Raw Raw;
  typedef gp__radix_key<T> K;
  static const int CAPACITY = THREADS * ITEMS, COUNTING = 256, SAMPLE = 2048, BITS = 8 * int(sizeof(T));
  enum Data { UNIFORM, CONSTANT, FEW, SORTED, LOW, HIGH, HIGHEST_ZERO, ONE_LARGER, DATA };

  static u64 draw(int data, size_t i, size_t n) {
    const u64 h = u64(random32()) << 32 | random32(), g = u64(random32()) << 32 | random32();
    const u64 sparse = h & (g >> 16 | g << 48) & (g >> 32 | g << 32) & (g >> 48 | g << 16); // a bit in 16
    const u64 mask = BITS == 64 ? ~0ull : (1ull << BITS) - 1, lower = mask >> (BITS / 2);
    switch (data) {
    case CONSTANT: return 77;
    case FEW: return (h % 16) * (mask / 16);
    case SORTED: return u64(double(i) / double(n) * double(mask)) & mask;
    case LOW: return (h & ~lower) | (sparse & lower);
    case HIGH: return (h & lower) | (sparse & ~lower);
    case HIGHEST_ZERO: return h & lower;
    case ONE_LARGER: // bucket of the first digit than a block sorts, of 256 keys
      return i % 111 == 0 ? (h & mask >> 8) | 0x5aull << (BITS - 8)
          : (h & mask) >> (BITS - 8) == 0x5a ? h ^ 1ull << (BITS - 8)
          : h;
    default: return h;
    }
  }
  // The required choice; 0: either.
  static int right(int data, size_t n, bool samples) {
    const bool large = data == FEW || data == HIGH || data == HIGHEST_ZERO || (data == ONE_LARGER && BITS == 32);
    if (!samples) // is a bucket too large for any block? For keys of 8 bytes, one an eighth larger?
      return n > 20000 && large ? GP__CHOSE_ONE_SWEEP
          : n > 20000 || n <= CAPACITY || data == CONSTANT ? GP__CHOSE_HYBRID
          : 0;
    if (n < 20000 || data == HIGHEST_ZERO || data == ONE_LARGER) return 0;
    return data == HIGH || (BITS == 32 && (data == FEW || data == LOW)) ? GP__CHOSE_ONE_SWEEP : GP__CHOSE_HYBRID;
  }
  static bool run(int data, size_t n, bool in_place, bool on_device, bool samples, int &chosen) {
    std::vector<Raw> from(n);
    for (size_t i = 0; i < n; ++i) from[i] = Code::decode(typename Code::Key(draw(data, i, n)));
    std::vector<Raw> given(from);
    if (on_device) given.resize(n + 5, Raw(0));
    gp__shape s = {};
    s.primitive = GP_SORT, s.key_size = sizeof(T), s.sorted.end_bit = BITS, s.count = given.size();
    s.compute_capability = 90, s.shared_bytes = 227 * 1024;
    const gp_policy p = policy_of<P>(GP_ONE_SWEEP);
    const gp__radix_plan r = gp__radix_plan_of(p, &s);
    Device<Raw> in(given, 0), out(given.size(), in_place ? 0 : 1), spare(n + 1);
    const unsigned blocks = gp__cooperative_blocks(p, &s);
    const size_t word_bytes = GP__CONTROL_BYTES + 16 * gp__cooperative_words(blocks);
    Device<u64> words(word_bytes / 8);
    simt::host_fill(words.data, 0, word_bytes);
    const u64 parts = gp__hybrid_parts(given.size(), CAPACITY, 0);
    Device<u64> list(GP__HYBRID_LIST), count(std::vector<u64>(1, n), 0), choice(1);
    Device<u64> bins0(parts * 256), bins1(parts * 256);
    Device<gp__hybrid_part> part0(parts), part1(parts);
    Device<gp__hybrid_item> items(gp__hybrid_items(given.size(), CAPACITY, 0));
    Device<u8> scratch(r.bytes);
    simt::host_fill(scratch.data, 0xa5, r.bytes);
    simt::host_fill(list.data, 0xa5, GP__HYBRID_LIST * 8);
    if (!in_place) simt::host_fill(out.data, 0x5a, given.size() * sizeof(Raw));
    gp__hybrid_args a = {};
    a.in = in.data, a.out = in_place ? in.data : out.data, a.spare = spare.data, a.list = list.data;
    a.parts = part0.data, a.next_parts = part1.data, a.bins = bins0.data, a.next_bins = bins1.data;
    a.items = items.data, a.count = given.size(), a.count_device = on_device ? count.data : nullptr;
    a.capacity = CAPACITY, a.workspace = words.data, a.levels = gp__hybrid_levels(sizeof(T));
    a.choice = choice.data, a.sample = samples ? SAMPLE : 0;
    gp__radix_args b = {};
    b.keys = a.in, b.out_keys = a.out, b.other_keys = scratch.data + r.other_keys, b.other = scratch.data + r.other;
    b.count = a.count, b.count_device = a.count_device, b.workspace = a.workspace, b.choice = choice.data;
    b.counts = reinterpret_cast<u64 *>(scratch.data + r.counts);
    b.tickets = reinterpret_cast<u64 *>(scratch.data + r.tickets);
    b.steps = reinterpret_cast<u32 *>(scratch.data + r.steps);
    b.words = scratch.data + r.words, b.clear = r.clear, b.passes = r.passes, b.end_bit = BITS, b.in_place = in_place;
    b.flip = DESCENDING ? ~0u : 0, b.mask = 255;
    const unsigned sort_bytes = gp__tile_sort_bytes(sizeof(T), THREADS, ITEMS, LOG2_BINS);
    const unsigned move_bytes = gp__hybrid_move_bytes(sizeof(T), P::threads * P::vectors * gp__vector_items(sizeof(T)));
    const unsigned count_bytes = gp__hybrid_count_bytes(P::threads), grid = 1 + random32() % 5;
    int e = 0;
    const auto levels = [&] {
      if (!e) e = simt::launch_kernel("count", grid, COUNTING, 0, gp__hybrid_count<P, T, DESCENDING, COUNTING>, a);
      if (!e) e = simt::launch_kernel("move", grid, P::threads, move_bytes, gp__hybrid_move<P, T, DESCENDING>, a);
      a.level = 1;
      if (!e)
        e = simt::launch_kernel("rest", grid, P::threads, move_bytes > count_bytes ? move_bytes : count_bytes,
            gp__hybrid_rest<P, T, DESCENDING>, a);
      if (!e)
        e = simt::launch_kernel(
            "sort", grid, THREADS, sort_bytes, gp__hybrid_sort<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS>, a);
    };
    if (samples)
      e = simt::launch_kernel(
          "sample", 1, GP__SAMPLE_THREADS, gp__choice_bytes(sizeof(T)), gp__sort_sample<P, T, DESCENDING>, a);
    else levels();
    const bool team = !samples && random32() % 2;
    if (team) b.capacity = ~0u, b.other_keys = b.out_keys;
    if (!e && team) simt::config.resident = std::max(simt::config.resident, blocks);
    if (!e && team)
      e = simt::launch_kernel(
          "team", blocks, P::threads, gp__cooperative_bytes(p, &s), gp__sort_one_launch<P, K, gp__none>, b);
    if (!e && !team)
      e = simt::launch_kernel(
          "histogram", grid, 256, gp__radix_histogram_bytes(sizeof(T), 8), gp__radix_histogram<P, K, false, 256, 8>, b);
    if (!e && !team)
      e = simt::launch_kernel("sweeps", grid, P::threads, gp__radix_shared_bytes(p, &s),
          gp__radix_sweeps<P, K, gp__none, gp__radix_narrow>, b);
    if (samples) levels();
    chosen = int(choice.read(1)[0]);
    const std::vector<u64> told = words.read(word_bytes / 8);
    bool good = !e;
    for (size_t i = GP__CONTROL_BYTES / 8 + 2; i < told.size(); ++i) // by a team alone
      good = good && (told[i] == 0 || (team && chosen == GP__CHOSE_ONE_SWEEP));
    for (u64 x : list.read(samples ? GP__HYBRID_LIST : 0)) // from the existing values only, or from numbers
      good = good && (x == 0xa5a5a5a5a5a5a5a5ull) == (chosen == GP__CHOSE_ONE_SWEEP);
    const std::vector<u8> rest = scratch.read(r.other_keys);
    for (u8 x : rest) good = good && (x == 0xa5 || chosen == GP__CHOSE_ONE_SWEEP);
    std::sort(from.begin(), from.end(), [](Raw x, Raw y) { return Code::encode(x) < Code::encode(y); });
    const std::vector<Raw> got = (in_place ? in : out).read(given.size());
    return good && std::equal(from.begin(), from.end(), got.begin());
  }
  static void sweep(const char *name, int seeds) {
    if (!only.empty() && only != name) return;
    ++sweeps;
    const size_t sizes[] = {0, 1, 2, 300, 2047, 2049, 5000};
    for (int seed = 1; seed <= seeds; ++seed)
      for (int of = 0; of < 2 * DATA; ++of) {
        if (skipped(seeds, of) || !has_turn()) continue;
        const int data = of / 2;
        const size_t n = seed % 2 ? 30000 + random32() % 1000 : sizes[random32() % 7];
        simt::set_random_schedule(uint64_t(seed * 100 + data));
        const bool in_place = random32() % 3 == 0, on_device = random32() % 4 == 0, samples = of % 2 == 0;
        int chosen = 0;
        const bool good = run(data, n, in_place, on_device, samples, chosen);
        check(good && (!right(data, n, samples) || right(data, n, samples) == chosen),
            std::string(name) + " data " + std::to_string(data) + " n " + std::to_string(n) +
                (in_place ? " in place" : "") + (on_device ? " count on the device" : "") +
                (samples ? "" : " by the count") + " chosen " + std::to_string(chosen) + " seed " +
                std::to_string(seed));
        simt::clear_error();
      }
  }
};

// The sample's choice for repeated keys: random keys, each `times` times; a tenth of them constant; in runs of equal
// ones; rank r as often as 1 / r.
enum Recurrence { RANDOM_ONES, SOME_CONSTANT, RUNS, ZIPF, MOST_CONSTANT, FEW_ONES, LOW_HALF };
template<class P, class T, class V> struct Duplicates {
  typedef gp__sorted<T, false> Code;
  typedef typename Code::Raw Raw;
  static const bool PAIRS = !std::is_same<V, gp__none>::value;
  static int chosen(size_t n, unsigned times, Recurrence how, size_t counted, bool by_costs) {
    std::vector<Raw> keys(n);
    for (size_t i = 0; i < n; ++i) {
      u64 x = (u64(random32()) << 32 | random32()) % (n / times) + 1;
      if (how == SOME_CONSTANT && random32() % 10 == 0) x = 1;
      if (how == RUNS) x = i / times + 1;
      if (how == ZIPF) x = u64(std::pow(double(n), random32() / 4294967296.0));
      if (how == MOST_CONSTANT && random32() % 16) x = 1;
      x *= 0x9e3779b97f4a7c15ull, x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
      if (how == LOW_HALF) x &= ~0ull >> 32;
      if (how == FEW_ONES) // in the upper half
        x &= ~0ull >> (64 - 4 * sizeof(T)) | u64(random32() & random32() & random32() & random32()) << 4 * sizeof(T);
      keys[i] = Code::decode(typename Code::Key(x ^ x >> 32));
    }
    Device<Raw> in(keys, 0);
    Device<u64> count(std::vector<u64>(1, counted), 0), choice(1);
    gp__hybrid_args a = {};
    a.in = in.data, a.count = n, a.count_device = count.data, a.levels = gp__hybrid_levels(sizeof(T));
    a.capacity = 4608, a.choice = choice.data, a.duplicate_sample = GP__DUPLICATE_SAMPLE;
    a.sample = by_costs ? 512 : 1;
    if (!by_costs) a.duplicate_sample = GP__DUPLICATE_SAMPLE / 2;
    if (simt::launch_kernel(
            "sample", 1, GP__SAMPLE_THREADS, gp__choice_bytes(sizeof(T)), gp__sort_sample<P, T, false, V>, a))
      return -1;
    return int(choice.read(1)[0]);
  }
  static void cases(const char *name) {
    if (!only.empty() && only != name) return;
    ++sweeps;
    const size_t n = 1 << 20;
    const struct {
      unsigned times;
      Recurrence how;
      size_t counted;
      bool pairs, keys, wide; // is it one sweep? wide: only for keys of 8 bytes
    } all[] = {{1, RANDOM_ONES, n, false, false, false}, {1, SOME_CONSTANT, n, false, false, false},
        {4, RANDOM_ONES, n, false, false, false}, {16, RANDOM_ONES, n, true, true, false},
        {16, RANDOM_ONES, 5000, false, false, false}, {16, RANDOM_ONES, 0, false, false, false},
        {48, RANDOM_ONES, n - 3, true, true, true}, {256, RANDOM_ONES, n, true, true, false},
        {8192, RANDOM_ONES, n, false, true, false}, {n, RANDOM_ONES, n, false, false, false},
        {4, RUNS, n, false, false, false}, {64, RUNS, n, true, false, false}, {1 << 17, RUNS, n, false, true, false},
        {1, ZIPF, n, true, true, true}, {1, MOST_CONSTANT, n, true, true, false}, {1, FEW_ONES, n, true, true, true},
        {1, LOW_HALF, n, false, false, false}};
    for (const auto &c : all)
      for (int costs = 1; costs >= (PAIRS || sizeof(T) < 8); --costs) {
        if (c.how == LOW_HALF && costs) continue; // four passes, or levels: as costly
        if (!has_turn()) continue;
        random_state = 88172645463325252ull; // the same, whatever has been run
        const bool sweeps = PAIRS ? c.pairs : sizeof(T) > 4 ? c.wide : c.keys;
        const int want = sweeps ? GP__CHOSE_ONE_SWEEP : GP__CHOSE_HYBRID,
                  got = chosen(n, c.times, c.how, c.counted, costs);
        check(got == want,
            std::string(name) + " " + std::to_string(c.times) + " times, as " + std::to_string(c.how) + ", of " +
                std::to_string(c.counted) + (costs ? "" : ", not by costs,") + " keys: chosen " + std::to_string(got));
      }
  }
};

// Pairs by a sweep of their leading bits, then buckets, or by all bits. The order is right; all bits are swept if the
// digits show that buckets will not do, and again if they missed a bucket that is too large.
template<class P, class T, bool DESCENDING, class V, int THREADS, int ITEMS, int LOG2_BINS> struct Leading {
  typedef gp__sorted<T, DESCENDING> Code;
  typedef typename Code::Raw Raw;
  typedef gp__radix_key<T> K;
  static const bool BESIDE = sizeof(V) == 4;
  typedef typename std::conditional<BESIDE, gp__radix_record<K, V>, K>::type Record;
  typedef typename std::conditional<BESIDE, gp__none, V>::type Moved;
  static const int CAPACITY = THREADS * ITEMS;

  // A sweep's memory, by the plan, from `at` on.
  static void keep(gp__radix_args &a, u8 *at, const gp__radix_plan &r) {
    a.counts = reinterpret_cast<u64 *>(at + r.counts), a.tickets = reinterpret_cast<u64 *>(at + r.tickets);
    a.steps = reinterpret_cast<u32 *>(at + r.steps), a.words = at + r.words;
  }
  static bool run(const std::vector<Raw> &from, int bits, bool on_device, bool indices, bool drop_keys, int &chosen) {
    const size_t n = from.size(), size = on_device ? n + 5 : n;
    std::vector<Raw> given(from);
    std::vector<V> numbers(size);
    given.resize(size, Raw(0));
    for (size_t i = 0; i < size; ++i) numbers[i] = V(indices ? i : i * 3 + 1);
    gp__shape s = {};
    s.primitive = GP_SORT, s.key_size = 4, s.in_size = sizeof(V), s.sorted.end_bit = 32, s.count = size;
    s.compute_capability = 90, s.shared_bytes = 227 * 1024, s.sorted.drop_keys = drop_keys;
    const gp_policy p = policy_of<P>(GP_LEADING_SWEEP);
    const gp__radix_plan r = gp__radix_plan_of(p, &s);
    Device<u8> scratch(r.bytes), of_again(r.words + r.clear * 16);
    simt::host_fill(scratch.data, 0xa5, r.bytes);
    simt::host_fill(of_again.data, 0xa5, r.words + r.clear * 16);
    Device<Raw> in(given, 1), out(size, 0);
    Device<V> values(numbers, 3), out_values(size, 0);
    Device<u64> words(GP__CONTROL_BYTES / 8 + 2), count(std::vector<u64>(1, n), 0), choice(1);
    Device<u32> starts((1u << bits) + 1);
    simt::host_fill(words.data, 0, GP__CONTROL_BYTES + 16);
    simt::host_fill(out.data, 0x5a, size * sizeof(Raw));
    simt::host_fill(out_values.data, 0x5a, size * sizeof(V));
    gp__radix_args b = {};
    b.keys = in.data, b.in = indices ? nullptr : values.data, b.out = out_values.data;
    b.out_keys = s.sorted.drop_keys ? static_cast<void *>(scratch.data + r.keys) : out.data;
    b.other_keys = scratch.data + r.other_keys, b.other = scratch.data + r.other, b.clear = r.clear;
    b.count = size, b.count_device = on_device ? count.data : nullptr, b.workspace = words.data;
    b.end_bit = 32, b.paired = BESIDE, b.passes = 4, b.flip = DESCENDING ? ~0u : 0, b.drop_keys = s.sorted.drop_keys;
    gp__radix_args sweep = b;
    keep(sweep, scratch.data, r);
    keep(b, of_again.data, r);
    sweep.leads = choice.data, sweep.capacity = CAPACITY, sweep.leading = bits;
    b.choice = choice.data, b.mask = 255;
    gp__hybrid_args a = {};
    a.out = b.out_keys, a.out_values = b.out, a.spare = b.other_keys, a.items = starts.data, a.choice = choice.data;
    a.spare_values = b.other, a.bins = sweep.counts + 3 * GP__DIGITS, a.count = size, a.count_device = b.count_device;
    a.capacity = CAPACITY, a.leading = bits, a.drop_keys = b.drop_keys;
    const unsigned grid = 1 + random32() % 5, sweep_bytes = gp__radix_shared_bytes(p, &s);
    const auto histogram = [&](const gp__radix_args &args) {
      return simt::launch_kernel(
          "histogram", grid, 256, gp__radix_histogram_bytes(4, 8), gp__radix_histogram<P, K, true, 256, 8>, args);
    };
    int e = histogram(sweep), bit = 0;
    for (; sweep.pass < 4 && !e; ++sweep.pass) {
      gp__radix_digit_of(&sweep, &bit);
      e = simt::launch_kernel(
          "pass", grid, P::threads, sweep_bytes, gp__radix_pass<P, Record, Moved, gp__radix_narrow>, sweep);
    }
    if (!e)
      e = simt::launch_kernel("edges", unsigned(gp__ceil_div((1u << bits) + 1, P::threads - 1)), P::threads, 0,
          gp__leading_edges<P, T, DESCENDING, V>, a);
    if (!e)
      e = simt::launch_kernel("buckets", grid, THREADS, gp__pair_bucket_bytes(4, sizeof(V), THREADS, ITEMS, LOG2_BINS),
          gp__leading_sort<P, T, DESCENDING, THREADS, ITEMS, LOG2_BINS, V>, a);
    if (!e) e = histogram(b);
    if (!e)
      e = simt::launch_kernel(
          "sweeps", grid, P::threads, sweep_bytes, gp__radix_sweeps<P, Record, Moved, gp__radix_narrow>, b);
    chosen = int(choice.read(1)[0]);
    std::vector<size_t> order(n);
    for (size_t i = 0; i < n; ++i) order[i] = i;
    std::stable_sort(
        order.begin(), order.end(), [&](size_t x, size_t y) { return Code::encode(from[x]) < Code::encode(from[y]); });
    const std::vector<Raw> keys = out.read(size);
    const std::vector<V> got = out_values.read(size);
    bool good = !e;
    for (size_t i = 0; i < n; ++i)
      good = good && got[i] == numbers[order[i]] && (s.sorted.drop_keys || keys[i] == from[order[i]]);
    for (size_t i = n; i < size; ++i) { // data between passes may fill the outputs to their ends, no further
      V untouched;
      std::memset(&untouched, 0x5a, sizeof untouched);
      good = good && got[i] == untouched;
    }
    return good;
  }
  // The choice of the count and of its sample, for n keys, each `times` times, and a block that sorts `capacity`:
  // random keys with equal ones adjacent; or evenly spread, without order.
  static int choice_of(size_t n, size_t times, bool even, int bits, unsigned capacity, unsigned grid) {
    std::vector<Raw> keys(n);
    for (size_t i = 0; i < n; ++i)
      keys[i] = even ? Raw(u32(i * 40503 % n / times * 2654435761u)) : i % times ? keys[i - 1] : Raw(random32());
    gp_policy p = policy_of<P>(GP_LEADING_SWEEP);
    gp__shape s = {};
    s.primitive = GP_SORT, s.key_size = 4, s.in_size = sizeof(V), s.sorted.end_bit = 32, s.count = n;
    s.compute_capability = 90, s.shared_bytes = 227 * 1024;
    const gp__radix_plan r = gp__radix_plan_of(p, &s);
    Device<u8> scratch(r.bytes);
    Device<Raw> in(keys, 0);
    Device<u64> words(GP__CONTROL_BYTES / 8 + 2), choice(1);
    simt::host_fill(words.data, 0, GP__CONTROL_BYTES + 16);
    gp__radix_args a = {};
    a.keys = in.data, a.count = n, a.workspace = words.data, a.end_bit = 32, a.passes = 4, a.paired = BESIDE;
    a.leads = choice.data, a.capacity = capacity, a.leading = bits;
    keep(a, scratch.data, r);
    if (simt::launch_kernel(
            "histogram", grid, 256, gp__radix_histogram_bytes(4, 8), gp__radix_histogram<P, K, true, 256, 8>, a))
      return 0;
    return int(choice.read(1)[0]);
  }
  // Random keys go by their leading bits. Repeated keys go by all bits if a bucket will be too large, or if bins hold
  // too many of one key, as the digits or only the sample show.
  static void choices(const char *name) {
    if (!only.empty() && only != name) return;
    const size_t n = 65536, mean = n >> 9;
    const struct {
      size_t times;
      bool even;
      int bits;
      unsigned capacity;
      int chosen;
    } cases[] = {{1, false, 12, 42, GP__CHOSE_HYBRID}, {1, false, 9, unsigned(mean + 70), GP__CHOSE_HYBRID},
        {4, false, 12, 42, GP__CHOSE_PASSES}, {4, false, 9, unsigned(3 * mean), GP__CHOSE_HYBRID},
        {6, false, 9, unsigned(4 * mean), GP__CHOSE_HYBRID}, {32, false, 9, unsigned(64 * mean), GP__CHOSE_PASSES},
        {32, false, 8, unsigned(64 * mean), GP__CHOSE_PASSES},
        {4, false, 8, unsigned(2 * mean + 120), GP__CHOSE_HYBRID}, {1, true, 9, unsigned(2 * mean), GP__CHOSE_HYBRID},
        {8, true, 9, unsigned(2 * mean), GP__CHOSE_HYBRID}, {64, true, 9, unsigned(64 * mean), GP__CHOSE_PASSES},
        {256, true, 9, unsigned(64 * mean), GP__CHOSE_PASSES}};
    for (const auto &c : cases) {
      if (!has_turn()) continue;
      simt::set_random_schedule(c.times);
      random_state = 88172645463325252ull; // the same, whatever has been run
      const int chosen = choice_of(n, c.times, c.even, c.bits, c.capacity, c.times % 3 + 1);
      check(chosen == c.chosen,
          std::string(name) + " times " + std::to_string(c.times) + (c.even ? " evenly" : "") + " bits " +
              std::to_string(c.bits) + " capacity " + std::to_string(c.capacity) + " chosen " + std::to_string(chosen));
      simt::clear_error();
    }
  }
  // Whether this choice is right for keys made in this way.
  static bool right(const std::vector<Raw> &keys, int kind, int bits, int chosen) {
    std::vector<size_t> of_bucket(size_t(1) << bits);
    bool large = false;
    for (Raw raw : keys) large |= ++of_bucket[Code::encode(raw) >> (32 - bits)] > CAPACITY;
    const bool swept = keys.empty() || kind == 1 || kind == 2 || kind == 9;
    return swept ? chosen == GP__CHOSE_PASSES
        : kind > DISTRIBUTIONS ? chosen == (large ? GP__CHOSE_ONE_SWEEP : GP__CHOSE_HYBRID)
        : keys.size() < 1000 ? chosen != GP__CHOSE_ONE_SWEEP
        : kind == 0 || kind == DISTRIBUTIONS ? chosen == GP__CHOSE_HYBRID
        : chosen == GP__CHOSE_PASSES || large == (chosen == GP__CHOSE_ONE_SWEEP);
  }
  static void sweep(const char *name, int seeds, size_t most) {
    if (!only.empty() && only != name) return;
    random_state = 88172645463325252ull; // the same, whatever ran before
    ++sweeps;
    const size_t sizes[] = {0, 1, 2, 31, 33, CAPACITY - 3, CAPACITY, CAPACITY + 1, 2 * CAPACITY + 5, most / 3, most};
    for (int seed = 1; seed <= seeds; ++seed)
      for (int kind = 0; kind < DISTRIBUTIONS + 2; ++kind) {
        if (skipped(seeds, kind) || !has_turn()) continue;
        const bool far = kind >= DISTRIBUTIONS; // two passes: even buckets, and such that no single digit tells of
        const size_t n = far || (seed == 1 && kind % 3) ? most - random32() % 9 : sizes[random32() % 11];
        std::vector<u64> v = distribution(far ? 0 : kind, n, 32, size_t(CAPACITY));
        for (u64 &x : v) x = kind > DISTRIBUTIONS ? (x >> 24) % (n / CAPACITY) * 0x01010000 | (x & 0xffff) : x;
        std::vector<Raw> raw(n);
        for (size_t i = 0; i < n; ++i) raw[i] = Raw(v[i]);
        simt::set_random_schedule(uint64_t(seed * 100 + kind));
        const int bits = kind > DISTRIBUTIONS ? 16 : far ? 10 : 8;
        int chosen = 0;
        const bool on_device = random32() % 4 == 0;
        const bool by_turns = (seed + kind - DISTRIBUTIONS) % 2 != 0; // by leading bits, keys dropped: seed 1 has it
        const bool indices = std::is_unsigned<V>::value && (far ? by_turns : random32() % 3 == 0);
        const bool drop_keys = indices && (far || random32() % 2);
        const bool good = run(raw, bits, on_device, indices, drop_keys, chosen);
        check(good && right(raw, kind, bits, chosen),
            std::string(name) + " kind " + std::to_string(kind) + " n " + std::to_string(n) + " bits " +
                std::to_string(bits) + (on_device ? " count on the device" : "") + (indices ? " indices" : "") +
                (drop_keys ? " alone" : "") + " chosen " + std::to_string(chosen) + " seed " + std::to_string(seed));
        simt::clear_error();
      }
  }
};

int main(int argc, char **argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 2;
  if (argc > 2) only = argv[2];
  typedef gp__policy<256, 1, GP_CACHE_ALL, GP_CACHE_ALL, 0, 2, 2> Small;
  typedef gp__policy<288, 1, GP_CACHE_STREAMING, GP_CACHE_ALL, 0, 2, 2> Other;
#if !defined TEST_HYBRID_PAIRS && !defined TEST_ADAPTIVE && !defined TEST_LEADING
  Hybrid<Small, u32, false, 64, 8, 9>::sweep("u32", seeds, false, 20000);
  Hybrid<Other, u64, false, 32, 8, 9>::sweep("u64", seeds, false, 12000);
  Hybrid<Small, u32, false, 64, 16, 10>::sweep("one block u32", seeds, true, 1000);
#endif
#if !defined TEST_HYBRID && !defined TEST_HYBRID_PAIRS && !defined TEST_LEADING
  typedef gp__policy<256, 2, GP_CACHE_ALL, GP_CACHE_ALL, 2, 2, 2> Two;
  Duplicates<Two, u32, gp__none>::cases("duplicates u32");
  Duplicates<Two, u64, gp__none>::cases("duplicates u64");
  Duplicates<Two, u64, u32>::cases("duplicates u64 u32");
  Adaptive<Two, u32, false, 32, 8, 9>::sweep("adaptive u32", seeds);
  Adaptive<Two, double, true, 32, 8, 9>::sweep("adaptive f64 descending", seeds);
#endif
#if !defined TEST_HYBRID && !defined TEST_HYBRID_PAIRS && !defined TEST_ADAPTIVE
  typedef gp__policy<64, 2, GP_CACHE_ALL, GP_CACHE_ALL, 1, 2, 2> Sweep;
  Leading<Sweep, u32, false, u32, 64, 8, 9>::sweep("leading u32 u32", seeds, 6000);
  Leading<Sweep, u32, false, u64, 64, 8, 9>::sweep("leading u32 u64", seeds, 6000);
  Leading<Sweep, u32, false, u32, 64, 8, 9>::choices("choices");
#endif
#if !defined TEST_HYBRID && !defined TEST_ADAPTIVE && !defined TEST_LEADING
  typedef gp__policy<256, 2, GP_CACHE_ALL, GP_CACHE_ALL, 1, 2, 2> Wide; // a stage: values by bulk copies
  Pairs<Wide, u32, false, u32, 64, 8, 9>::sweep("pairs u32 u32", seeds, 12000);
  Pairs<Wide, u64, false, u32, 64, 8, 9>::sweep("pairs u64 u32", seeds, 9000, 4);
  Pairs<Wide, u32, false, Halves, 64, 8, 9>::sweep("pairs u32 struct", seeds, 700, 2);
  Pairs<Small, u64, false, Halves, 64, 8, 9>::sweep("pairs u64 struct", seeds, 700, 4); // values through registers
#endif
#ifndef TEST_FEW
  Leading<Sweep, float, true, int, 32, 8, 8>::sweep("leading f32 i32 descending", seeds, 3000);
  Leading<Sweep, float, true, double, 32, 8, 8>::sweep("leading f32 f64 descending", seeds, 3000);
  Pairs<Other, float, true, u64, 64, 8, 9>::sweep("pairs f32 u64 descending", seeds, 12000);
  Pairs<Small, double, true, u64, 32, 8, 8>::sweep("pairs f64 u64 descending", seeds, 9000, 4);
  Hybrid<Other, float, true, 64, 8, 9>::sweep("f32 descending", seeds, false, 20000);
  Hybrid<Small, int, false, 32, 16, 8>::sweep("i32", seeds, false, 30000);
  Hybrid<Small, double, true, 32, 16, 9>::sweep("f64 descending", seeds, false, 9000);
  Hybrid<Other, u8, false, 32, 16, 8>::sweep("u8", seeds, false, 9000);
  Hybrid<Other, gp_f16, true, 64, 8, 8>::sweep("f16 descending", seeds, false, 9000);
  Hybrid<Other, short, false, 64, 8, 8>::sweep("i16", seeds, false, 9000);
  Hybrid<Small, u64, true, 96, 8, 10>::sweep("one block u64 descending", seeds, true, 700);
  Hybrid<Small, u8, false, 64, 16, 10>::sweep("one block u8", seeds, true, 1000);
#endif
  check(simt::live_allocations() == 0, "nothing is left");
  if (cases_waiting) std::printf("waiting: %lu\n", cases_waiting);
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
