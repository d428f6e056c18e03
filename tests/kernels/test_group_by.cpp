// The group-by's tables of gpuprims.h under the emulator: keys, operators and counts against a map, on adversarial
// schedules; and the report of a table that is too full. Usage: test_group_by [seeds] [name of a test]
#include "kernel_test.h"

#include <algorithm>
#include <cstring>
#include <map>

template<class K> K key_of(u64 group, int way) {
  if (way == 1) return K(~u64(0) - group); // from the largest down: one of them is all ones
  if (way == 2) return K(group << 11); // far apart
  return K((group + 1) * 0x9e3779b97f4a7c15ull >> 7); // anywhere
}

// way: kind of keys; 3: few, above all where a regular sample is; 4: runs begin behind element 12,000. runs: how often
// a key is repeated at once; log2: of the slots of the blocks' common table. holds: whether the table must be kept (1)
// or given up early (0).
template<class P, class K, class Op, class In, class Acc, class Out>
void groups(const char *name, size_t n, u64 different, int way, int runs, int log2, unsigned blocks,
    bool count_on_device, bool initial, unsigned seed, int holds = -1) {
  typedef gp__load<In, Acc, gp_convert<In, Acc>> Load;
  typedef typename gp__grouping_steps<P, K, Op, Load, In, Acc, Out>::Key Key;
  typedef typename gp__unsigned_of<sizeof(Acc)>::type Bits;
  char text[200];
  std::snprintf(text, sizeof text,
      "%s n=%zu groups=%llu way=%d runs=%d log2=%d blocks=%u device=%d init=%d seed=%u:", name, n, different, way, runs,
      log2, blocks, int(count_on_device), int(initial), seed);
  std::vector<K> keys(n);
  std::vector<In> values(n);
  std::map<K, Acc> expected;
  const Acc first = Acc(draw<In>());
  for (size_t i = 0; i < n; ++i) {
    keys[i] = i % runs && (way < 4 || i > 12000)
        ? keys[i - 1]
        : key_of<K>(
              random32() % (way == 3 && (i % (n / (2048 * blocks) + 1) == 0 || random32() % 2) ? 100 : different), way);
    values[i] = draw<In>();
    const Acc x = gp_convert<In, Acc>()(values[i]);
    const auto found = expected.find(keys[i]);
    if (found == expected.end()) expected[keys[i]] = Op()(initial ? first : Op::identity(), x);
    else found->second = Op()(found->second, x);
  }
  const size_t slots = size_t(1) << log2, room = std::max<size_t>(1, std::min(n, slots + 1));
  Device<K> in_keys(keys, seed % 5), list(room), out_keys(room);
  Device<In> in(values, seed % 3);
  Device<Key> table_keys(slots + 1);
  Device<Bits> table_values(slots + 1);
  Device<Out> out(room);
  Device<u32> votes(32);
  Device<u64> count(std::vector<u64>(1, n), 0), state(std::vector<u64>(2, 7), 0), out_count(std::vector<u64>(1, 99), 0);
  gp__group_args a = {};
  a.keys = in_keys.data, a.in = in.data, a.table_keys = table_keys.data, a.table_values = table_values.data;
  a.list = list.data, a.out = out.data, a.out_keys = seed % 4 ? out_keys.data : nullptr, a.out_count = out_count.data;
  a.count = n + (count_on_device ? 1000 : 0), a.count_device = count_on_device ? count.data : nullptr;
  a.left = state.data, a.found = state.data + 1, a.votes = votes.data, a.most = u32(slots / 2), a.log2 = log2,
  a.has_init = initial;
  std::memcpy(a.first.bytes, &first, sizeof first);
  int e = 0;
  const auto launch = [&](int step) {
    a.step = step;
    e |= simt::launch_kernel(name, blocks, P::threads, 0, gp__group_table<P, K, Op, Load, In, Acc, Out>, a);
  };
  for (int step : {GP__GROUP_CLEARS, GP__GROUP_READS, GP__GROUP_LISTS}) launch(step);
  const u64 left = state.read(2)[0], found = state.read(2)[1];
  std::vector<K> sorted(list.data, list.data + std::min<u64>(found, room));
  std::sort(sorted.begin(), sorted.end());
  Device<K> in_order(sorted, 0);
  a.sorted = in_order.data;
  launch(GP__GROUP_WRITES);
  check(holds < 0 || holds == !left, std::string(text) + " given up too late or too early");
  if (!holds) { // by the sample alone: nothing is in the table
    const std::vector<Key> there = table_keys.read(slots);
    check(
        std::count(there.begin(), there.end(), Key(~Key(0))) == std::ptrdiff_t(slots), std::string(text) + " is read");
  }
  if (left) // a sixteenth of the slots always suffices
    check(!e && expected.size() > slots / 16 && left == n && !found && out_count.read(1)[0] == 99,
        std::string(text) + " too full");
  else {
    bool same = !e && found == expected.size() && expected.size() <= slots + 1 && out_count.read(1)[0] == found;
    size_t i = 0;
    for (const auto &x : expected) {
      if (!same) break;
      same = (!a.out_keys || out_keys.data[i] == x.first) && out.data[i] == gp_convert<Acc, Out>()(x.second);
      ++i;
    }
    check(same, std::string(text) + " list of " + std::to_string(found));
  }
  simt::clear_error();
}

template<class P, class K, class Op, class In, class Acc, class Out = Acc> void all(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  static const size_t counts[] = {0, 1, 31, 32, 33, 700, 5000};
  static const u64 different[] = {1, 2, 40, 1500};
  for (int seed = 0; seed < seeds; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    for (size_t n : counts) {
      const unsigned blocks = 1 + random32() % 4;
      const u64 most = sizeof(K) == 1 ? 200 : 1500;
      groups<P, K, Op, In, Acc, Out>(name, n, std::min(most, different[random32() % 4]), int(random32() % 3),
          random32() % 2 ? 1 : 70, 3 + int(random32() % 13), blocks, random32() % 2, random32() % 2, unsigned(seed));
    }
    if (sizeof(K) > 1) {
      groups<P, K, Op, In, Acc, Out>( // more than a block's table holds
          name, 14000, 10000, seed % 2 ? 4 : 1, seed % 2 ? 70 : 1, 15, 1, false, true, unsigned(seed));
      if (sizeof(K) > 2) { // too many groups, for which there would be room; not too many
        static const struct {
          u64 different;
          int way, runs, holds;
        } cases[] = {{4000000000u, 0, 1, 0}, {4000000000u, 3, 1, 0}, {100000, 0, 1, 0}, {300, 0, 1, 1},
            {4000000000u, 1, 70, 1}, {10000, 1, 1, 1}};
        for (const auto &c : cases)
          groups<P, K, Op, In, Acc, Out>(name, 20000, c.different, c.way, c.runs, 15, 1 + unsigned(seed) % 3, seed % 2,
              true, unsigned(seed), c.holds);
      }
      groups<P, K, Op, In, Acc, Out>( // more than the common table holds
          name, 6000, 100000, seed % 3, 1, 10, 2, true, false, unsigned(seed));
    }
  }
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  typedef gp__policy<64, 1, 3, 3, 0, 1, 2> Narrow;
  typedef gp__policy<128, 2, 3, 3, 0, 2, 2> Wider;
  all<Narrow, u32, gp_sum<u32>, u32, u32>("sum u32", seeds);
  all<Wider, u64, gp_sum<u64>, u8, u64, u16>("sum u8 to u64 to u16 by u64", seeds);
  all<Wider, u64, gp_sum<u64>, u64, u64>("sum u64 by u64", seeds);
  all<Wider, u64, gp_min<float>, float, float>("min f32 by u64", seeds);
  all<Narrow, u8, gp_max<long long>, int, long long>("max i32 to i64 by u8", seeds);
  all<Narrow, u16, gp_bit_xor<u32>, u16, u32>("xor by u16", seeds);
  all<Wider, u32, gp_prod<u64>, u64, u64>("product u64", seeds);
  all<Narrow, u32, gp_max<double>, double, double>("max f64", seeds);
  return finish();
}
