// The routines that kernel authors alone use, under the emulator: groups of lanes, arrangements, neighbours, several
// items a thread, sorts. Each runs twice in the same storage, on whole and partial tiles, against std:: algorithms.
// Usage: test_tile_authors [seeds] [name of a test]
#include "kernel_test.h"

#include <algorithm>
#include <numeric>

// ---- the harness

// A case has THREADS, IN and OUT elements a turn, a Storage, body(in, out, count, storage), and expected(in, count):
// the first outputs of a turn.
template<class K, class V> struct Pair { // compared without its padding
  K key;
  V value;
};
template<class T> bool equal(const T &a, const T &b) { return same(a, b); }
template<class K, class V> bool equal(const Pair<K, V> &a, const Pair<K, V> &b) {
  return equal(a.key, b.key) && equal(a.value, b.value);
}
template<class C> void run(const typename C::In *in, typename C::Out *out, unsigned count) {
  typedef typename C::Storage Storage;
  GP_SHARED(Storage, storage);
  for (int turn = 0; turn < 2; ++turn) {
    C::body(in + turn * C::IN, out + turn * C::OUT, count, storage);
    __syncthreads();
  }
}
template<class C> void test(const char *name, int seeds, std::vector<unsigned> counts = {unsigned(C::IN)}) {
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (unsigned count : counts) {
      if (!has_turn()) continue;
      simt::set_random_schedule(uint64_t(seed) * 1000 + count);
      std::vector<typename C::In> data(2 * C::IN);
      for (auto &x : data) x = C::draw();
      Device<typename C::In> in(data, 0);
      Device<typename C::Out> out(2 * C::OUT);
      bool good = !simt::launch_kernel(name, 1, C::THREADS, 0, run<C>, in.data, out.data, count);
      for (int turn = 0; good && turn < 2; ++turn) {
        const std::vector<typename C::Out> want =
            C::expected(std::vector<typename C::In>(&data[turn * C::IN], &data[turn * C::IN] + C::IN), count, turn);
        for (size_t i = 0; good && i < want.size(); ++i) {
          good = equal(out.data[turn * C::OUT + i], want[i]);
          if (!good) std::printf("%s: seed %d, count %u, turn %d: element %zu\n", name, seed, count, turn, i);
        }
      }
      check(good, name);
    }
}
// Every number of elements around the ends of warps and threads' items, and some between.
static std::vector<unsigned> partial(unsigned tile, unsigned items) {
  std::vector<unsigned> found = {1, items, items + 1, 31, 33, 32 * items, 32 * items + 1, tile / 2, tile - 1, tile};
  for (unsigned &n : found) n = n > tile ? tile : n;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

template<class T> T make(unsigned i) { return T(i * 7 + 3); }
template<> Triple make<Triple>(unsigned i) { return {int(i), int(i * 3), -int(i)}; }
template<> Wide make<Wide>(unsigned i) { return {double(i), (long long)(i)*5}; }

// Associative, and not commutative: the last operand that is not zero.
template<class T> T last_set(const T &a, const T &b) { return b == T(0) ? a : b; }
static Affine last_set(const Affine &a, const Affine &b) { return Compose()(a, b); }
static Triple last_set(const Triple &a, const Triple &b) { return b.x == 0 ? a : b; }
static Wide last_set(const Wide &a, const Wide &b) { return b.y == 0 ? a : b; }
template<class T> T few() { return T(random32() % 3 ? 0 : random32() % 100 + 1); }
template<> Affine few<Affine>() { return draw<Affine>(); }
template<> Triple few<Triple>() { return {int(random32() % 3), int(random32() % 9), int(random32())}; }
template<> Wide few<Wide>() { return {double(random32() % 100), (long long)(random32() % 3)}; }

struct Nothing {
  unsigned char unused;
};

// ---- groups of lanes

enum { REDUCE, HEADS, TAILS, INCLUSIVE, EXCLUSIVE, BROADCAST };
template<int LANES, int WHAT, class T> struct GroupFold {
  typedef T In;
  typedef T Out;
  typedef Nothing Storage;
  static const int THREADS = 64, IN = 2 * THREADS, OUT = THREADS;
  static T draw() { return few<T>(); }
  static bool flag(const T &x) { return *reinterpret_cast<const unsigned char *>(&x) % 2 == 1; }
  // Values in the lower half of the inputs take their flags from the upper half. count: first lanes, for REDUCE.
  static void body(const T *in, T *out, unsigned count, Storage &) {
    const auto op = [](const T &a, const T &b) { return last_set(a, b); };
    const unsigned t = threadIdx.x, lane = threadIdx.x % 32 % LANES;
    const bool mark = flag(in[THREADS + t]);
    T x = in[t];
    bool shown = true;
    if (WHAT == REDUCE) x = gp_warp_group_reduce<LANES>(x, op, count), shown = lane == 0;
    if (WHAT == HEADS) x = gp_warp_group_reduce_heads<LANES>(x, mark, op), shown = lane == 0 || mark;
    if (WHAT == TAILS) {
      x = gp_warp_group_reduce_tails<LANES>(x, mark, op);
      shown = lane == 0 || flag(in[THREADS + t - 1]);
    }
    if (WHAT == INCLUSIVE) x = gp_warp_group_inclusive_scan<LANES>(x, op);
    if (WHAT == EXCLUSIVE) x = gp_warp_group_exclusive_scan<LANES>(x, op, in[THREADS]);
    if (WHAT == BROADCAST) x = gp_warp_group_broadcast<LANES>(x, count % (32 % LANES ? 32 % LANES : LANES));
    out[t] = shown ? x : in[t];
  }
  static std::vector<T> expected(const std::vector<T> &in, unsigned count, int) {
    std::vector<T> out(in.begin(), in.begin() + THREADS);
    for (int warp = 0; warp < THREADS; warp += 32)
      for (int first = warp; first < warp + 32; first += LANES) {
        const int end = std::min(first + LANES, warp + 32);
        for (int t = first; t < end; ++t) {
          const auto fold = [&](int from, int to) {
            T sum = in[from];
            for (int k = from + 1; k < to; ++k) sum = last_set(sum, in[k]);
            return sum;
          };
          const auto begins = [&](int k) {
            return k == first || k == end || flag(in[THREADS + (WHAT == TAILS ? k - 1 : k)]);
          };
          int stop = t + 1;
          while (!begins(stop)) ++stop;
          if (WHAT == REDUCE && t == first) out[t] = fold(t, std::min(end, first + int(count)));
          if ((WHAT == HEADS || WHAT == TAILS) && begins(t)) out[t] = fold(t, stop);
          if (WHAT == INCLUSIVE) out[t] = fold(first, t + 1);
          if (WHAT == EXCLUSIVE) out[t] = t == first ? in[THREADS] : last_set(in[THREADS], fold(first, t));
          if (WHAT == BROADCAST) out[t] = in[first + int(count) % (32 % LANES ? 32 % LANES : LANES)];
        }
      }
    return out;
  }
};
template<int LANES, class T> void group_folds(int seeds) {
  test<GroupFold<LANES, REDUCE, T>>("group reduce", seeds, {1u, unsigned(LANES + 1) / 2, unsigned(LANES), 99u});
  test<GroupFold<LANES, HEADS, T>>("group reduce heads", seeds);
  test<GroupFold<LANES, TAILS, T>>("group reduce tails", seeds);
  test<GroupFold<LANES, INCLUSIVE, T>>("group inclusive scan", seeds);
  test<GroupFold<LANES, EXCLUSIVE, T>>("group exclusive scan", seeds);
  test<GroupFold<LANES, BROADCAST, T>>("group broadcast", seeds, {0u, unsigned(LANES - 1)});
}

template<int LANES, int COUNT, class T> struct Batch {
  typedef T In;
  typedef T Out;
  typedef Nothing Storage;
  static const int THREADS = 64, IN = THREADS * COUNT, OUT = THREADS;
  static T draw() { return few<T>(); }
  static void body(const T *in, T *out, unsigned, Storage &) {
    T values[COUNT];
    for (int j = 0; j < COUNT; ++j) values[j] = in[threadIdx.x * COUNT + unsigned(j)];
    const T x = gp_warp_group_reduce_batch<LANES>(values, [](const T &a, const T &b) { return last_set(a, b); });
    out[threadIdx.x] = threadIdx.x % LANES < COUNT ? x : in[0];
  }
  static std::vector<T> expected(const std::vector<T> &in, unsigned, int) {
    std::vector<T> out(THREADS, in[0]);
    for (int t = 0; t < THREADS; ++t)
      if (t % LANES < COUNT) {
        const int first = t / LANES * LANES, j = t % LANES;
        out[t] = in[first * COUNT + j];
        for (int k = first + 1; k < first + LANES; ++k) out[t] = last_set(out[t], in[k * COUNT + j]);
      }
    return out;
  }
};

// ---- arrangements

static unsigned element_of(int how, unsigned width, unsigned items, unsigned rank, unsigned i) {
  return how == GP_BLOCKED ? rank * items + i
      : how == GP_STRIPED ? i * width + rank
      : (rank / 32 * items + i) * 32 + rank % 32;
}
// Each of the block's groups (LANES 0: the block itself) has its tile, of a length of its own, and exact bounds.
template<int THREADS, int LANES, int ITEMS, int FROM, int TO, class T>
void moves(const T *const *in, T *const *out, T *shown, const unsigned *counts) {
  const int WIDTH = LANES ? LANES : THREADS;
  struct Storage {
    gp_tile_exchange_storage<WIDTH, ITEMS, T> of[THREADS / WIDTH];
  };
  GP_SHARED(Storage, storage);
  const unsigned group = threadIdx.x / WIDTH, count = counts[group];
  for (int turn = 0; turn < 2; ++turn) {
    T items[ITEMS];
    if constexpr (LANES > 0) {
      gp_warp_group_load<LANES, FROM>(items, in[group], count, make<T>(9));
      for (int i = 0; i < ITEMS; ++i) shown[threadIdx.x * ITEMS + unsigned(i)] = items[i];
      gp_warp_group_rearrange<LANES, FROM, TO>(items, storage.of[group]);
      gp_warp_group_store<LANES, TO>(items, out[group], count);
      __syncwarp();
    } else {
      gp_tile_load<THREADS, FROM>(items, in[0], count, make<T>(9));
      for (int i = 0; i < ITEMS; ++i) shown[threadIdx.x * ITEMS + unsigned(i)] = items[i];
      gp_tile_rearrange<THREADS, FROM, TO>(items, storage.of[0]);
      gp_tile_store<THREADS, TO>(items, out[0], count);
      __syncthreads();
    }
  }
}
template<int THREADS, int LANES, int ITEMS, int FROM, int TO, class T> void move_all(const char *name, int seeds) {
  const unsigned WIDTH = LANES ? LANES : THREADS, GROUPS = THREADS / WIDTH, TILE = WIDTH * ITEMS;
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (unsigned count : partial(TILE, ITEMS)) {
      if (!has_turn()) continue;
      simt::set_random_schedule(uint64_t(seed) * 1000 + count);
      std::vector<Device<T> *> ins, outs;
      std::vector<unsigned> counts;
      std::vector<const T *> from;
      std::vector<T *> to;
      for (unsigned g = 0; g < GROUPS; ++g) {
        counts.push_back((count + g * 3) % (TILE + 1));
        std::vector<T> data;
        for (unsigned i = 0; i < counts[g]; ++i) data.push_back(make<T>(i + g * 100));
        ins.push_back(new Device<T>(data, 0));
        outs.push_back(new Device<T>(counts[g]));
        from.push_back(ins[g]->data);
        to.push_back(outs[g]->data);
      }
      Device<const T *> in(from, 0);
      Device<T *> out(to, 0);
      Device<unsigned> of(counts, 0);
      Device<T> shown(THREADS * ITEMS);
      bool good = !simt::launch_kernel(name, 1, THREADS, 0, moves<THREADS, LANES, ITEMS, FROM, TO, T>,
          static_cast<const T *const *>(in.data), static_cast<T *const *>(out.data), shown.data,
          static_cast<const unsigned *>(of.data));
      for (unsigned t = 0; good && t < THREADS; ++t)
        for (unsigned i = 0; i < ITEMS; ++i) {
          const unsigned g = t / WIDTH, at = element_of(FROM, WIDTH, ITEMS, t % WIDTH, i);
          good = good && same(shown.data[t * ITEMS + i], at < counts[g] ? make<T>(at + g * 100) : make<T>(9));
        }
      for (unsigned g = 0; g < GROUPS; ++g) {
        for (unsigned i = 0; good && i < counts[g]; ++i) good = same(outs[g]->data[i], make<T>(i + g * 100));
        delete ins[g];
        delete outs[g];
      }
      check(good, name);
    }
}

// count of the ranks, a random permutation, go on; the other items are dropped.
template<int THREADS_, int LANES, int ITEMS, int TO, class T> struct Scatter {
  typedef unsigned In;
  typedef T Out;
  static const int THREADS = THREADS_, WIDTH = LANES ? LANES : THREADS, GROUPS = THREADS / WIDTH;
  static const int IN = THREADS * ITEMS, OUT = IN;
  struct Storage {
    gp_tile_exchange_storage<WIDTH, ITEMS, T> of[GROUPS];
  };
  static unsigned draw() { return random32(); }
  static std::vector<unsigned> ranks(const unsigned *in, unsigned group) { // of a group's items
    std::vector<unsigned> order(WIDTH * ITEMS), rank(WIDTH * ITEMS);
    std::iota(order.begin(), order.end(), 0u);
    in += group * WIDTH * ITEMS;
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return in[a] < in[b]; });
    for (unsigned i = 0; i < rank.size(); ++i) rank[order[i]] = i;
    return rank;
  }
  static void body(const unsigned *in, T *out, unsigned count, Storage &storage) {
    T items[ITEMS];
    unsigned rank[ITEMS];
    const unsigned group = threadIdx.x / WIDTH, first = threadIdx.x % WIDTH * ITEMS;
    for (int i = 0; i < ITEMS; ++i) {
      items[i] = make<T>(threadIdx.x * ITEMS + unsigned(i));
      rank[i] = 0;
      for (int k = 0; k < WIDTH * ITEMS; ++k) { // as the host ranks them
        const unsigned mine = in[group * WIDTH * ITEMS + first + unsigned(i)],
                       other = in[group * WIDTH * ITEMS + unsigned(k)];
        rank[i] += other < mine || (other == mine && unsigned(k) < first + unsigned(i));
      }
      if (rank[i] >= count) rank[i] = rank[i] % 2 ? ~0u : rank[i] + 1000000;
    }
    if constexpr (LANES > 0) gp_warp_group_scatter<LANES, TO>(items, rank, storage.of[group], count);
    else gp_tile_scatter<THREADS, TO>(items, rank, storage.of[0], count);
    for (int i = 0; i < ITEMS; ++i) out[threadIdx.x * ITEMS + unsigned(i)] = items[i];
  }
  static std::vector<T> expected(const std::vector<unsigned> &in, unsigned count, int) {
    std::vector<T> out(IN);
    for (int g = 0; g < GROUPS; ++g) {
      const std::vector<unsigned> rank = ranks(in.data(), unsigned(g));
      std::vector<unsigned> at(rank.size()); // the item with a rank
      for (unsigned i = 0; i < rank.size(); ++i) at[rank[i]] = i;
      for (unsigned t = 0; t < unsigned(WIDTH); ++t)
        for (unsigned i = 0; i < ITEMS; ++i) {
          const unsigned place = element_of(TO, WIDTH, ITEMS, t, i), own = t * ITEMS + i,
                         base = unsigned(g) * WIDTH * ITEMS;
          out[base + own] = make<T>(base + (place < count ? at[place] : own));
        }
    }
    return out;
  }
};

// ---- neighbours

enum { OFFSET, ROTATE, UP, DOWN, LEFT, RIGHT, FLAG_HEADS, FLAG_TAILS };
template<class T> bool differ(const T &a, const T &b) { return !same(a, b); }
template<class T> T subtract(const T &a, const T &b) { return T(a - b); }
static Triple subtract(const Triple &a, const Triple &b) { return {a.x - b.x, a.y - b.y, a.z - 2 * b.z}; }
template<class T> T close_to() { return T(random32() % 2); }
template<> Triple close_to<Triple>() { return {int(random32() % 2), 1, 2}; }
// beyond: the element behind the tile's inputs.
template<int THREADS_, int ITEMS, int WHAT, bool BEYOND, class T> struct Neighbours {
  typedef T In;
  typedef T Out;
  typedef gp_tile_shuffle_storage<THREADS_, T> Storage;
  static const int THREADS = THREADS_, TILE = THREADS * ITEMS, IN = TILE + 1, OUT = TILE + 1;
  static T draw() { return close_to<T>(); }
  static void body(const T *in, T *out, unsigned count, Storage &storage) {
    T items[ITEMS], result = in[TILE];
    unsigned flags[ITEMS];
    const T beyond = in[TILE];
    const T *const outside = BEYOND ? &beyond : nullptr;
    for (int i = 0; i < ITEMS; ++i) items[i] = in[threadIdx.x * ITEMS + unsigned(i)];
    if (WHAT == OFFSET) items[0] = gp_tile_offset(items[0], int(count) - 40, storage);
    if (WHAT == ROTATE) items[0] = gp_tile_rotate(items[0], count % THREADS, storage);
    if (WHAT == UP) result = gp_tile_shift<THREADS, GP_BEFORE>(items, beyond, storage);
    if (WHAT == DOWN) result = gp_tile_shift<THREADS, GP_AFTER>(items, beyond, storage);
    const auto minus = [](const T &a, const T &b) { return subtract(a, b); };
    if (WHAT == LEFT) gp_tile_difference<THREADS, GP_BEFORE>(items, items, minus, storage, count, outside);
    if (WHAT == RIGHT) gp_tile_difference<THREADS, GP_AFTER>(items, items, minus, storage, count, outside);
    // not symmetric, so that the order of its operands shows
    const auto changes = [](const T &a, const T &b) { return std::memcmp(&a, &b, sizeof(T)) < 0; };
    if (WHAT == FLAG_HEADS) gp_tile_flag<THREADS, GP_BEFORE>(flags, items, changes, storage, count, outside);
    if (WHAT == FLAG_TAILS) gp_tile_flag<THREADS, GP_AFTER>(flags, items, changes, storage, count, outside);
    for (int i = 0; i < ITEMS; ++i) {
      if (WHAT >= FLAG_HEADS) items[i] = in[flags[i] == 1 ? 0 : flags[i] == 0 ? 1 : 2], flags[i] = 0;
      out[threadIdx.x * ITEMS + unsigned(i)] = items[i];
    }
    if (threadIdx.x == (count * 7) % THREADS) out[TILE] = result;
  }
  static std::vector<T> expected(const std::vector<T> &in, unsigned count, int) {
    std::vector<T> out = in;
    for (int t = 0; t < THREADS; ++t) {
      const int from = t + int(count) - 40;
      if (WHAT == OFFSET && from >= 0 && from < THREADS) out[t * ITEMS] = in[from * ITEMS];
      if (WHAT == ROTATE) out[t * ITEMS] = in[(t + int(count)) % THREADS * ITEMS];
    }
    if (WHAT == UP) std::rotate(out.begin(), out.end() - 1, out.end());
    if (WHAT == DOWN) std::rotate(out.begin(), out.begin() + 1, out.end());
    for (int i = 0; WHAT >= LEFT && i < TILE; ++i) {
      const bool after = WHAT == RIGHT || WHAT == FLAG_TAILS, flags = WHAT >= FLAG_HEADS;
      const bool outer = after ? i + 1 == int(count) : i == 0;
      const T &other = outer ? in[TILE] : in[after ? i + 1 : i - 1];
      const T &first = after ? in[i] : other, &second = after ? other : in[i];
      if (i >= int(count)) out[i] = flags ? in[1] : in[i];
      else if (outer && !BEYOND) out[i] = flags ? in[0] : in[i];
      else out[i] = flags ? in[std::memcmp(&first, &second, sizeof(T)) < 0 ? 0 : 1] : subtract(in[i], other);
    }
    return out;
  }
};
template<int THREADS, int ITEMS, class T> void neighbours(int seeds) {
  const std::vector<unsigned> counts = partial(THREADS * ITEMS, ITEMS);
  test<Neighbours<THREADS, ITEMS, OFFSET, true, T>>("offset", seeds, {0, 9, 39, 40, 41, 55, 70});
  test<Neighbours<THREADS, ITEMS, ROTATE, true, T>>("rotate", seeds, {0, 1, 31});
  test<Neighbours<THREADS, ITEMS, UP, true, T>>("shift up", seeds, {0, 3});
  test<Neighbours<THREADS, ITEMS, DOWN, true, T>>("shift down", seeds, {0, 3});
  test<Neighbours<THREADS, ITEMS, LEFT, false, T>>("difference", seeds, counts);
  test<Neighbours<THREADS, ITEMS, LEFT, true, T>>("difference, beyond", seeds, counts);
  test<Neighbours<THREADS, ITEMS, RIGHT, false, T>>("difference of the next", seeds, counts);
  test<Neighbours<THREADS, ITEMS, RIGHT, true, T>>("difference of the next, beyond", seeds, counts);
  test<Neighbours<THREADS, ITEMS, FLAG_HEADS, false, T>>("heads", seeds, counts);
  test<Neighbours<THREADS, ITEMS, FLAG_HEADS, true, T>>("heads, beyond", seeds, counts);
  test<Neighbours<THREADS, ITEMS, FLAG_TAILS, false, T>>("tails", seeds, counts);
  test<Neighbours<THREADS, ITEMS, FLAG_TAILS, true, T>>("tails, beyond", seeds, counts);
}

// ---- several items a thread

enum { REDUCE_ITEMS, EXCLUSIVE_ITEMS, INCLUSIVE_ITEMS, EXCLUSIVE_AFTER, INCLUSIVE_AFTER };
template<int THREADS_, int ITEMS, int WHAT, class T> struct Items {
  typedef T In;
  typedef T Out;
  static const int THREADS = THREADS_, IN = THREADS * ITEMS, OUT = IN + 1;
  union Storage {
    gp_tile_reduce_storage<THREADS, T> reduce;
    gp_tile_scan_storage<THREADS, T> scan;
    gp_tile_scan_after_storage<THREADS, T> after;
  };
  static T draw() { return few<T>(); }
  static void body(const T *in, T *out, unsigned count, Storage &storage) {
    const auto op = [](const T &a, const T &b) { return last_set(a, b); };
    T items[ITEMS], total = in[0];
    for (int i = 0; i < ITEMS; ++i) items[i] = in[threadIdx.x * ITEMS + unsigned(i)];
    if (WHAT == REDUCE_ITEMS) total = gp_tile_reduce_items<THREADS>(items, op, storage.reduce, count);
    if (WHAT == EXCLUSIVE_ITEMS) total = gp_tile_exclusive_scan_items(items, op, in[IN - 1], storage.scan);
    if (WHAT == INCLUSIVE_ITEMS) total = gp_tile_inclusive_scan_items(items, op, storage.scan);
    const auto prefix = [&](const T &sum) { return gp_lane() ? sum : last_set(in[IN - 1], sum); };
    if (WHAT == EXCLUSIVE_AFTER) total = gp_tile_scan_after<true>(items, op, prefix, storage.after);
    if (WHAT == INCLUSIVE_AFTER) total = gp_tile_scan_after<false>(items, op, prefix, storage.after);
    for (int i = 0; i < ITEMS; ++i) out[threadIdx.x * ITEMS + unsigned(i)] = items[i];
    if (threadIdx.x == (WHAT == REDUCE_ITEMS ? 0 : count * 7 % THREADS)) out[IN] = total;
  }
  static std::vector<T> expected(const std::vector<T> &in, unsigned count, int) {
    const auto op = [](const T &a, const T &b) { return last_set(a, b); };
    std::vector<T> out = in, up_to(in.size());
    std::partial_sum(in.begin(), in.end(), up_to.begin(), op);
    const T total = WHAT == REDUCE_ITEMS ? up_to[count - 1] : up_to.back();
    const T start = WHAT == EXCLUSIVE_ITEMS ? in.back() : op(in.back(), total);
    for (int i = 0; WHAT != REDUCE_ITEMS && i < IN; ++i) {
      if (WHAT == INCLUSIVE_ITEMS) out[i] = up_to[i];
      else if (WHAT == INCLUSIVE_AFTER) out[i] = op(start, up_to[i]);
      else out[i] = i ? op(start, up_to[i - 1]) : start;
    }
    out.push_back(total);
    return out;
  }
};
template<int THREADS, int ITEMS, class T> void items_of(int seeds) {
  test<Items<THREADS, ITEMS, REDUCE_ITEMS, T>>("reduce items", seeds, partial(THREADS * ITEMS, ITEMS));
  test<Items<THREADS, ITEMS, EXCLUSIVE_ITEMS, T>>("exclusive scan items", seeds);
  test<Items<THREADS, ITEMS, INCLUSIVE_ITEMS, T>>("inclusive scan items", seeds);
  test<Items<THREADS, ITEMS, EXCLUSIVE_AFTER, T>>("exclusive scan after", seeds);
  test<Items<THREADS, ITEMS, INCLUSIVE_AFTER, T>>("inclusive scan after", seeds);
}

// A running total: the second turn goes on where the first ended.
struct Running {
  u32 sum;
  u32 operator()(u32 total) {
    const u32 before = sum;
    sum += total;
    return before;
  }
};
template<int THREADS, int ITEMS> void tile_after_tile(const u32 *in, u32 *out, unsigned tiles) {
  typedef gp_tile_scan_after_storage<THREADS, u32> Storage;
  GP_SHARED(Storage, storage);
  Running running = {5};
  for (unsigned tile = 0; tile < tiles; ++tile) {
    u32 items[ITEMS];
    for (int i = 0; i < ITEMS; ++i) items[i] = in[(tile * THREADS + threadIdx.x) * ITEMS + unsigned(i)];
    gp_tile_scan_after<false>(items, gp_sum<u32>(), running, storage);
    for (int i = 0; i < ITEMS; ++i) out[(tile * THREADS + threadIdx.x) * ITEMS + unsigned(i)] = items[i];
    __syncthreads();
  }
}
template<int THREADS, int ITEMS> void running_total(int seeds) {
  if (!only.empty() && only != "running total") return;
  for (int seed = 1; seed <= seeds; ++seed) {
    if (!has_turn()) continue;
    simt::set_random_schedule(uint64_t(seed));
    std::vector<u32> data(3 * THREADS * ITEMS), want(data.size());
    for (u32 &x : data) x = random32();
    std::partial_sum(data.begin(), data.end(), want.begin());
    for (u32 &x : want) x += 5;
    Device<u32> in(data, 0), out(data.size());
    const bool good = !simt::launch_kernel("running total", 1, THREADS, 0, tile_after_tile<THREADS, ITEMS>,
        static_cast<const u32 *>(in.data), out.data, 3u);
    check(good && same_items(out.data, want), "running total");
  }
}

// Runs of 0 to 4 elements, decoded in windows; `count` gives the longest run.
template<int THREADS_, int RUNS, int ITEMS, class T> struct Runs {
  typedef u32 In;
  typedef Pair<T, Pair<u32, u32>> Out; // an element, its place in its run, the number of elements
  typedef gp_tile_runs_storage<THREADS_, RUNS, T> Storage;
  static const int THREADS = THREADS_, IN = THREADS * RUNS, WINDOW = THREADS * ITEMS, WINDOWS = 3,
                   OUT = WINDOW * WINDOWS;
  static u32 draw() { return random32(); }
  static void body(const u32 *in, Out *out, unsigned count, Storage &storage) {
    T values[RUNS], items[ITEMS];
    u32 lengths[RUNS], place[ITEMS];
    for (int i = 0; i < RUNS; ++i) {
      const unsigned run = threadIdx.x * RUNS + unsigned(i);
      values[i] = make<T>(run);
      lengths[i] = in[run] % (count + 1);
    }
    const u32 total = gp_tile_begin_runs(values, lengths, storage);
    for (int window = 0; window < WINDOWS; ++window) {
      gp_tile_decode_runs<THREADS>(items, place, u32(window * WINDOW), storage);
      for (int i = 0; i < ITEMS; ++i) {
        Out &to = out[window * WINDOW + int(threadIdx.x) * ITEMS + i];
        to.key = items[i];
        to.value.key = place[i];
        to.value.value = total;
      }
    }
  }
  static std::vector<Out> expected(const std::vector<u32> &in, unsigned count, int) {
    std::vector<Out> out;
    u32 total = 0, begin = 0;
    for (u32 x : in) total += x % (count + 1);
    for (u32 run = 0; run < in.size(); ++run) {
      for (u32 place = 0; place < in[run] % (count + 1) && out.size() < OUT; ++place)
        out.push_back(made(run, place, total));
      if (run + 1 < in.size()) begin += in[run] % (count + 1);
    }
    while (out.size() < OUT) out.push_back(made(u32(in.size()) - 1, u32(out.size()) - begin, total));
    return out;
  }
  static Out made(u32 run, u32 place, u32 total) { return {make<T>(run), {place, total}}; }
};

// ---- order

template<class T> T key_of() { return T(random32() % 2 ? random32() : random32() % 7); }
template<> float key_of<float>() {
  const u32 bits = random32() % 4 ? u32(random32() % 5) << 23 | (random32() & 0x80000000u) : random32();
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}
template<> double key_of<double>() { return double(int(random32() % 9) - 4) / 3; }
template<> gp_f16 key_of<gp_f16>() {
  gp_f16 x;
  x.bits = u16(random32());
  return x;
}
template<> Triple key_of<Triple>() { return {int(random32() % 5), int(random32() % 5), int(random32())}; }
template<> Wide key_of<Wide>() { return {double(random32() % 5), (long long)(random32())}; }
template<class T> bool comes_before(const T &a, const T &b) { return a > b; } // descending
template<> bool comes_before<Triple>(const Triple &a, const Triple &b) {
  return a.y != b.y ? a.y < b.y : a.x < b.x; // z does not matter
}
template<> bool comes_before<Wide>(const Wide &a, const Wide &b) { return a.x < b.x; }

// Keys to sort, or pairs with the keys' numbers as values; without values they are 0.
template<class V> V value_of(unsigned i) { return make<V>(i); }
template<> u8 value_of<u8>(unsigned i) { return u8(i * 37); }
template<class K, class V> std::vector<Pair<K, V>> pairs_of(const std::vector<K> &in, bool values) {
  std::vector<Pair<K, V>> found;
  for (unsigned i = 0; i < in.size(); ++i) found.push_back({in[i], value_of<V>(values ? i : 0)});
  return found;
}
// LANES 0: the block sorts, otherwise each group its own tile, of a length of its own.
template<int THREADS_, int LANES, int ITEMS, bool VALUES, class K, class V = u8> struct MergeSort {
  typedef K In;
  typedef Pair<K, V> Out;
  static const int THREADS = THREADS_, WIDTH = LANES ? LANES : THREADS, TILE = WIDTH * ITEMS;
  static const int IN = THREADS * ITEMS, OUT = IN;
  typedef typename std::conditional<VALUES, gp_tile_merge_sort_storage<WIDTH, ITEMS, K, V>,
      gp_tile_merge_sort_storage<WIDTH, ITEMS, K>>::type OfTile;
  struct Storage {
    OfTile of[THREADS / WIDTH];
  };
  static K draw() { return key_of<K>(); }
  static unsigned count_of(unsigned group, unsigned count) { return LANES ? (count + group) % (TILE + 1) : count; }
  static void body(const K *in, Out *out, unsigned count, Storage &storage) {
    const auto before = [](const K &a, const K &b) { return comes_before(a, b); };
    const unsigned first = threadIdx.x * ITEMS, group = threadIdx.x / WIDTH, n = count_of(group, count);
    K keys[ITEMS];
    V values[ITEMS];
    for (int i = 0; i < ITEMS; ++i) {
      keys[i] = in[first + unsigned(i)];
      values[i] = value_of<V>(VALUES ? first + unsigned(i) : 0);
    }
    if constexpr (VALUES && LANES > 0)
      gp_warp_group_merge_sort_pairs<LANES>(keys, values, before, storage.of[group], n);
    else if constexpr (VALUES) gp_tile_merge_sort_pairs<THREADS>(keys, values, before, storage.of[0], n);
    else if constexpr (LANES > 0) gp_warp_group_merge_sort<LANES>(keys, before, storage.of[group], n);
    else gp_tile_merge_sort<THREADS>(keys, before, storage.of[0], n);
    for (int i = 0; i < ITEMS; ++i) {
      out[first + unsigned(i)].key = keys[i];
      out[first + unsigned(i)].value = values[i];
    }
  }
  static std::vector<Out> expected(const std::vector<K> &in, unsigned count, int) {
    std::vector<Out> out = pairs_of<K, V>(in, VALUES);
    for (unsigned g = 0; g < THREADS / WIDTH; ++g)
      std::stable_sort(out.begin() + int(g) * TILE, out.begin() + int(g) * TILE + int(count_of(g, count)),
          [](const Out &a, const Out &b) { return comes_before(a.key, b.key); });
    return out;
  }
};

// Total order of numbers, by their bits as the host reads them.
template<class T> u64 order_of(const T &x) {
  u64 bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  const u64 sign = u64(1) << (8 * sizeof x - 1), all = sign | (sign - 1);
  if (gp__traits<T>::kind == GP__FLOAT) return bits & sign ? ~bits & all : bits | sign;
  return gp__traits<T>::kind == GP__SIGNED ? bits ^ sign : bits;
}
// By bits BEGIN .. END - 1; END 0: all.
template<int THREADS_, int ITEMS, bool DESCENDING, int TO, bool VALUES, class K, class V = u8, int BEGIN = 0,
    int END = 0>
struct RadixSort {
  typedef K In;
  typedef Pair<K, V> Out;
  static const int THREADS = THREADS_, IN = THREADS * ITEMS, OUT = IN;
  typedef typename std::conditional<VALUES, gp_tile_radix_sort_storage<THREADS, ITEMS, K, V>,
      gp_tile_radix_sort_storage<THREADS, ITEMS, K>>::type Storage;
  static K draw() { return key_of<K>(); }
  static void body(const K *in, Out *out, unsigned, Storage &storage) {
    const unsigned first = threadIdx.x * ITEMS;
    K keys[ITEMS];
    V values[ITEMS];
    for (int i = 0; i < ITEMS; ++i) {
      keys[i] = in[first + unsigned(i)];
      values[i] = value_of<V>(VALUES ? first + unsigned(i) : 0);
    }
    const int end = END ? END : 8 * int(sizeof(K));
    if constexpr (VALUES) {
      if (BEGIN || END) gp_tile_radix_sort_pairs<THREADS, DESCENDING, TO>(keys, values, storage, BEGIN, end);
      else gp_tile_radix_sort_pairs<THREADS, DESCENDING, TO>(keys, values, storage);
    } else if (BEGIN || END) gp_tile_radix_sort<THREADS, DESCENDING, TO>(keys, storage, BEGIN, end);
    else gp_tile_radix_sort<THREADS, DESCENDING, TO>(keys, storage);
    for (int i = 0; i < ITEMS; ++i) {
      Out &to = out[TO == GP_BLOCKED ? first + unsigned(i) : unsigned(i) * THREADS + threadIdx.x];
      to.key = keys[i];
      to.value = values[i];
    }
  }
  static std::vector<Out> expected(const std::vector<K> &in, unsigned, int) {
    std::vector<Out> out = pairs_of<K, V>(in, VALUES);
    const int end = END ? END : 8 * int(sizeof(K));
    const u64 mask = (end - BEGIN < 64 ? u64(1) << (end - BEGIN) : 0) - 1;
    std::stable_sort(out.begin(), out.end(), [&](const Out &a, const Out &b) {
      const u64 x = order_of(a.key) >> BEGIN & mask, y = order_of(b.key) >> BEGIN & mask;
      return DESCENDING ? x > y : x < y;
    });
    return out;
  }
};

// k runs over the counts; all keys but a few are there.
template<int THREADS_, int ITEMS, bool LARGEST, bool VALUES, class K, class V = u8> struct TopK {
  typedef K In;
  typedef Pair<K, V> Out;
  static const int THREADS = THREADS_, IN = THREADS * ITEMS, OUT = IN;
  typedef typename std::conditional<VALUES, gp_tile_top_k_storage<THREADS, ITEMS, K, V>,
      gp_tile_top_k_storage<THREADS, ITEMS, K>>::type Storage;
  static K draw() { return key_of<K>(); }
  static unsigned there(unsigned k) { return IN - 5 < int(k) ? IN : IN - 5; }
  static void body(const K *in, Out *out, unsigned k, Storage &storage) {
    const unsigned first = threadIdx.x * ITEMS, count = there(k);
    K keys[ITEMS];
    V values[ITEMS];
    for (int i = 0; i < ITEMS; ++i) {
      keys[i] = in[first + unsigned(i)];
      values[i] = value_of<V>(VALUES ? first + unsigned(i) : 0);
    }
    if constexpr (VALUES) {
      if (count == IN) gp_tile_top_k_pairs<THREADS, LARGEST>(keys, values, k, storage);
      else gp_tile_top_k_pairs<THREADS, LARGEST>(keys, values, k, storage, count);
    } else if (count == IN) gp_tile_top_k<THREADS, LARGEST>(keys, k, storage);
    else gp_tile_top_k<THREADS, LARGEST>(keys, k, storage, count);
    for (int i = 0; i < ITEMS; ++i) {
      out[first + unsigned(i)].key = keys[i];
      out[first + unsigned(i)].value = values[i];
    }
  }
  static std::vector<Out> expected(const std::vector<K> &in, unsigned k, int) {
    const std::vector<Out> all = pairs_of<K, V>(in, VALUES);
    std::vector<unsigned> order(there(k));
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return LARGEST ? order_of(in[a]) > order_of(in[b]) : order_of(in[a]) < order_of(in[b]);
    });
    order.resize(k);
    std::sort(order.begin(), order.end());
    std::vector<Out> out;
    for (unsigned i : order) out.push_back(all[i]);
    return out;
  }
};

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  group_folds<2, u16>(seeds);
  group_folds<7, Affine>(seeds);
  group_folds<8, u32>(seeds);
  group_folds<32, Triple>(seeds);
  test<Batch<32, 32, u32>>("batch", seeds);
  test<Batch<32, 5, Affine>>("batch", seeds);
  test<Batch<8, 3, Triple>>("batch", seeds);
  test<Batch<4, 4, u8>>("batch", seeds);
  test<Batch<2, 1, Wide>>("batch", seeds);
  move_all<64, 0, 3, GP_BLOCKED, GP_STRIPED, u32>("arrangements", seeds);
  move_all<96, 0, 4, GP_STRIPED, GP_WARP_STRIPED, u8>("arrangements", seeds);
  move_all<128, 0, 5, GP_WARP_STRIPED, GP_BLOCKED, Triple>("arrangements", seeds);
  move_all<32, 0, 8, GP_BLOCKED, GP_WARP_STRIPED, Wide>("arrangements", seeds);
  move_all<64, 4, 3, GP_STRIPED, GP_BLOCKED, u16>("arrangements of groups", seeds);
  move_all<32, 16, 2, GP_BLOCKED, GP_STRIPED, u64>("arrangements of groups", seeds);
  test<Scatter<64, 0, 3, GP_BLOCKED, u32>>("scatter", seeds, {0, 1, 100, 192});
  test<Scatter<96, 0, 2, GP_STRIPED, u8>>("scatter", seeds, {0, 1, 100, 192});
  test<Scatter<64, 0, 2, GP_WARP_STRIPED, Triple>>("scatter", seeds, {50, 128});
  test<Scatter<64, 8, 4, GP_STRIPED, u64>>("scatter of groups", seeds, {0, 9, 32});
  test<Scatter<32, 2, 3, GP_BLOCKED, u16>>("scatter of groups", seeds, {4, 6});
  neighbours<64, 3, u32>(seeds);
  neighbours<96, 2, Triple>(seeds);
  items_of<32, 4, u8>(seeds);
  items_of<64, 3, Affine>(seeds);
  items_of<96, 1, Triple>(seeds);
  items_of<256, 2, u16>(seeds);
  running_total<64, 3>(seeds);
  test<Runs<64, 2, 3, u32>>("runs", seeds, {0, 1, 2, 4});
  test<Runs<32, 1, 4, Triple>>("runs", seeds, {3, 9});
  test<Runs<96, 3, 2, u8>>("runs", seeds, {2});
  test<MergeSort<64, 0, 3, false, u8>>("merge sort", seeds, partial(192, 3));
  test<MergeSort<32, 0, 4, true, Triple, u16>>("merge sort of pairs", seeds, partial(128, 4));
  test<MergeSort<96, 0, 5, true, u32, Triple>>("merge sort of pairs", seeds, partial(480, 5));
  test<MergeSort<128, 0, 2, true, Wide, u8>>("merge sort of pairs", seeds, partial(256, 2));
  test<MergeSort<64, 8, 3, false, Triple>>("merge sort of groups", seeds, {0, 5, 24});
  test<MergeSort<64, 32, 2, true, u16, u32>>("merge sort of pairs of groups", seeds, {0, 33, 64});
  test<MergeSort<32, 1, 4, true, double, u64>>("merge sort of pairs of groups", seeds, {2, 4});
  test<RadixSort<64, 3, false, GP_BLOCKED, false, u32>>("radix sort", seeds);
  test<RadixSort<32, 5, true, GP_STRIPED, true, float, Triple>>("radix sort of pairs", seeds);
  test<RadixSort<96, 2, false, GP_STRIPED, false, signed char>>("radix sort", seeds);
  test<RadixSort<128, 2, true, GP_BLOCKED, true, long long, u8>>("radix sort of pairs", seeds);
  test<RadixSort<64, 4, false, GP_BLOCKED, true, gp_f16, u16>>("radix sort of pairs", seeds);
  test<RadixSort<64, 2, false, GP_BLOCKED, true, u32, u32, 3, 14>>("radix sort by some bits", seeds);
  test<RadixSort<64, 2, true, GP_STRIPED, false, short, u8, 4, 5>>("radix sort by some bits", seeds);
  test<TopK<64, 3, false, true, u32, Triple>>("top k", seeds, {0, 1, 17, 187, 190, 192});
  test<TopK<32, 4, true, false, float>>("top k", seeds, {1, 60, 123, 128});
  test<TopK<96, 2, true, true, u8, u64>>("top k", seeds, {5, 100});
  test<TopK<64, 2, false, true, double, u16>>("top k", seeds, {3, 64});
  // whole blocks
  items_of<1024, 1, u32>(1);
  neighbours<512, 1, u8>(1);
  test<MergeSort<1024, 0, 1, true, u8, u16>>("merge sort of pairs", 1, {1000, 1024});
  test<RadixSort<1024, 1, false, GP_BLOCKED, false, u16>>("radix sort", 1);
  test<TopK<1024, 1, true, true, u16, u32>>("top k", 1, {77, 1024});
  test<Runs<1024, 1, 1, u16>>("runs", 1, {2});
  return finish();
}
