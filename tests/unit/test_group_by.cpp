// Whole calls of gp_group_by with tables, the library's real programs on the emulated driver: groups that fit a block's
// table, the table of all blocks, and neither, against a map. (Tables are tried from 1 Ki elements on here.)
// Usage: test_group_by
#define GP__GROUP_LOG2 10
#include "simt.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#define GP_POLICY_ROWS(ROW)
#include "gpuprims.h"

#include "fake_driver.h"

#include "emulated_compiler.h"

#include <algorithm>
#include <map>
#include <random>

static int passed, failed;
static void check(bool good, const std::string &what) {
  ++(good ? passed : failed);
  if (good) return;
  printf("FAILED: %s\n", what.c_str());
#ifdef TEST_MUTANT // which is caught
  exit(1);
#endif
}

static std::mt19937_64 source;

template<class T> struct Device {
  T *data;
  explicit Device(const std::vector<T> &v) : data(static_cast<T *>(simt::device_malloc(v.size() * sizeof(T)))) {
    simt::host_write(data, v.data(), v.size() * sizeof(T));
  }
  Device(const Device &) = delete;
  ~Device() { simt::device_free(data); }
};

// The last keys are not counted if the number is on the device.
template<class K, class V, class Acc, class Out>
static void groups(gp_context *ctx, gp_call call, size_t n, uint64_t different, bool init, bool count_on_device) {
  const Acc first = 5;
  const size_t counted = count_on_device ? n - 13 : n;
  std::vector<K> keys(n);
  std::vector<V> values(n);
  std::map<K, Acc> expected;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t group = source() % different;
    keys[i] = group == 3 ? K(~0ull) : K(group * 0x9e3779b97f4a7c15ull >> 9);
    values[i] = V(source() % 100);
    if (i >= counted) continue;
    const Acc x = Acc(values[i]);
    const auto found = expected.find(keys[i]);
    const bool sum = call.op == GP_SUM;
    if (found == expected.end()) expected[keys[i]] = !init ? x : sum ? first + x : std::max(first, x);
    else found->second = sum ? found->second + x : std::max(found->second, x);
  }
  Device<K> in_keys(keys), out_keys(keys);
  Device<V> in(values);
  Device<Out> out{std::vector<Out>(n)};
  Device<uint64_t> found{{77}}, count{{counted}};
  call.keys = in_keys.data, call.in = in.data, call.out_keys = out_keys.data, call.out = out.data;
  call.out_count = found.data, call.count = n;
  if (init) call.init = &first;
  if (count_on_device) call.count_device = count.data;
  const std::string text = std::to_string(n) + " elements, " + std::to_string(expected.size()) + " groups, key type " +
      std::to_string(call.key_type) + ": ";
  const gp_result result = gp_run(ctx, &call, nullptr);
  check(result == GP_SUCCESS, text + (result ? gp_last_message() : ""));
  check(*found.data == expected.size(), text + "found " + std::to_string(*found.data));
  size_t i = 0, wrong = 0;
  std::map<K, Out> made; // in any order
  for (; i < expected.size(); ++i) made[out_keys.data[i]] = out.data[i];
  i = 0;
  for (const auto &group : expected) {
    const auto one = made.find(group.first);
    wrong += one == made.end() || one->second != Out(group.second);
    wrong += !call.flags && out_keys.data[i] != group.first;
    ++i;
  }
  check(!wrong, text + std::to_string(wrong) + " are wrong");
  check(simt::error().empty(), text + simt::error());
  simt::clear_error();
}
static gp_call call_of(gp_op op, gp_type key, gp_type in, gp_type acc, gp_type out) {
  gp_call c = gp_call_init(GP_GROUP_BY);
  c.op = op, c.key_type = key, c.in_type = in, c.acc_type = acc, c.out_type = out;
  return c;
}

int main() {
  typedef unsigned long long u64;
  gp_context *ctx = nullptr;
  gp_config k = gp_config_init();
  fake::compiler = emulated::compile;
  k.backend = GP_BACKEND_CUDA, k.driver = fake::table(), k.cache_dir = "";
  check(gp_open(&k, &ctx) == GP_SUCCESS, gp_last_message());
  for (uint64_t different : {1, 20, 600, 1000000}) {
    groups<u64, u64, u64, u64>(ctx, call_of(GP_SUM, GP_U64, GP_U64, GP_U64, GP_U64), 5003, different, false, false);
    unsigned launches[2];
    for (int flags : {0, int(GP_FASTEST)}) { // without a sort of the groups
      gp_call c = call_of(GP_SUM, GP_U64, GP_U64, GP_U64, GP_U64);
      const unsigned before = fake::counts.launches;
      c.flags = flags;
      groups<u64, u64, u64, u64>(ctx, c, 4001, different, true, false);
      launches[flags != 0] = fake::counts.launches - before;
    }
    check(launches[1] < launches[0], "fastest: " + std::to_string(launches[1]) + " launches");
    groups<long long, unsigned char, unsigned, unsigned short>(
        ctx, call_of(GP_SUM, GP_I64, GP_U8, GP_U32, GP_U16), 3001, different, true, true);
    groups<unsigned short, float, float, float>(
        ctx, call_of(GP_MAX, GP_U16, GP_F32, GP_F32, GP_F32), 2999, different, true, false);
  }
  check(gp_close(ctx) == GP_SUCCESS, gp_last_message());
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
