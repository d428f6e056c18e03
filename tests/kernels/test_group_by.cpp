// The group-by's tables of gpuprims.h under the emulator: keys, operators and counts against a map, on adversarial
// schedules; and the report of overflowing tables. Usage: test_group_by [seeds] [name of a test]
#include "kernel_test.h"

#include <algorithm>
#include <map>

template <class K> K key_of(u64 group, int way) {
  if (way == 1) return K(~u64(0) - group);            // from the largest down: one of them is all ones
  if (way == 2) return K(group * GP__GROUP_SLOTS);    // far apart
  return K((group + 1) * 0x9e3779b97f4a7c15ull >> 7); // anywhere
}

// way: kind of keys; runs: adjacent repetitions of a key.
template <class P, class K, class Op, class In, class Acc>
void groups(const char *name, size_t n, u64 different, int way, int runs, unsigned blocks, bool count_on_device,
    unsigned seed) {
  typedef gp__load<In, Acc, gp_convert<In, Acc>> Load;
  char text[200];
  std::snprintf(text, sizeof text, "%s n=%zu groups=%llu way=%d runs=%d blocks=%u device=%d seed=%u:", name, n,
      different, way, runs, blocks, int(count_on_device), seed);
  std::vector<K> keys(n);
  std::vector<In> values(n);
  std::map<K, Acc> expected;
  for (size_t i = 0; i < n; ++i) {
    keys[i] = i % runs ? keys[i - 1] : key_of<K>(random32() % different, way);
    values[i] = draw<In>();
    const Acc x = gp_convert<In, Acc>()(values[i]);
    const auto found = expected.find(keys[i]);
    if (found == expected.end()) expected[keys[i]] = Op()(Op::identity(), x);
    else found->second = Op()(found->second, x);
  }
  const size_t room = std::min<size_t>(n, size_t(blocks) * (GP__GROUP_MOST + 1)); // as in gp__grouping_of
  Device<K> in_keys(keys, seed % 5), list_keys(room);
  Device<In> in(values, seed % 3);
  Device<Acc> list_values(room);
  Device<u64> count(std::vector<u64>(1, n), 0), state(std::vector<u64>(GP__GROUP_STATE, 0), 0);
  gp__group_args a = {};
  a.keys = in_keys.data, a.in = in.data, a.list_keys = list_keys.data, a.list_values = list_values.data;
  a.count = n + (count_on_device ? 1000 : 0), a.count_device = count_on_device ? count.data : nullptr;
  a.state = state.data, a.workspace = workspace(1);
  const int e = simt::launch_kernel(name, blocks, P::threads, 0, gp__group_table<P, K, Op, Load, In, Acc, Acc>, a);
  const std::vector<u64> words = state.read(GP__GROUP_STATE);
  const u64 length = words[GP__GROUP_OF_LIST];
  if (blocks == 1 && expected.size() > GP__GROUP_MOST + 1) // one more may be the key that is all ones
    check(!e && words[GP__GROUP_FULL] && !length && words[GP__GROUP_OF_INPUT] == n, std::string(text) + " overflows");
  else {
    std::map<K, Acc> got;
    for (u64 i = 0; i < length && i < room; ++i) {
      const auto found = got.find(list_keys.data[i]);
      if (found == got.end()) got[list_keys.data[i]] = list_values.data[i];
      else found->second = Op()(found->second, list_values.data[i]);
    }
    check(!e && !words[GP__GROUP_FULL] && !words[GP__GROUP_OF_INPUT] && length <= room && got == expected,
        std::string(text) + " list of " + std::to_string(length));
  }
  simt::clear_error();
}

template <class P, class K, class Op, class In, class Acc> void all(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  static const size_t counts[] = {0, 1, 31, 32, 33, 700, 5000};
  static const u64 different[] = {1, 2, 40, GP__GROUP_MOST};
  for (int seed = 0; seed < seeds; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    for (size_t n : counts) {
      const unsigned blocks = 1 + random32() % 4;
      const u64 most = sizeof(K) == 1 ? 200 : GP__GROUP_MOST;
      groups<P, K, Op, In, Acc>(name, n, std::min(most, different[random32() % 4]), int(random32() % 3),
          random32() % 2 ? 1 : 70, blocks, random32() % 2, unsigned(seed));
    }
    for (u64 too_many : {GP__GROUP_MOST + 100, 100000})
      if (sizeof(K) > 1)
        groups<P, K, Op, In, Acc>(name, 12000, too_many, seed % 2 ? 0 : 1, 1, 1, false, unsigned(seed));
  }
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  typedef gp__policy<64, 1, 3, 3, 0, 1, 2> Narrow;
  typedef gp__policy<128, 2, 3, 3, 0, 2, 2> Wider;
  all<Narrow, u32, gp_sum<u32>, u32, u32>("sum u32", seeds);
  all<Wider, u64, gp_sum<u64>, u8, u64>("sum u8 to u64 by u64", seeds);
  all<Wider, u64, gp_min<float>, float, float>("min f32 by u64", seeds);
  all<Narrow, u8, gp_max<long long>, int, long long>("max i32 to i64 by u8", seeds);
  all<Narrow, u16, gp_bit_xor<u32>, u16, u32>("xor by u16", seeds);
  all<Wider, u32, gp_prod<u64>, u64, u64>("product u64", seeds);
  all<Narrow, u32, gp_max<double>, double, double>("max f64", seeds);
  return finish();
}
