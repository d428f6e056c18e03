// The C implementation - contexts, checks, policies, workspaces, kernels, caches - on an emulated driver that counts
// and can fail every call, with the real kernels under the emulator. Usage: test_dispatch [name of a group]
#include "simt.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#define GP_POLICY_ROWS(ROW)                                                                                            \
  ROW("Fake With Rows", GP_REDUCE, -1, -1, -1, 0, 64, GP_EVEN_SHARE, 128, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,       \
      "any size")                                                                                                      \
  ROW("Fake With Rows", GP_REDUCE, -1, -1, -1, 20, 64, GP_EVEN_SHARE, 256, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,      \
      "from 1 MiB")                                                                                                    \
  ROW("Fake With Rows", GP_REDUCE, 8, -1, -1, 0, 64, GP_EVEN_SHARE, 512, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,        \
      "8 bytes in")                                                                                                    \
  ROW("sm_89", GP_REDUCE, -1, -1, -1, 0, 64, GP_STEALING, 128, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, "capability")    \
  ROW("Fake With Rows", GP_INCLUSIVE_SCAN, -1, -1, -1, 0, 64, GP_PIPELINED, 256, 9, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0,   \
      0, "not before 9.0")                                                                                             \
  ROW("Fake With Rows", GP_EXCLUSIVE_SCAN, -1, -1, -1, 0, 20, GP_LOOK_BACK, 320, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,   \
      0, "canonical")                                                                                                  \
  ROW("sm_89", GP_INCLUSIVE_SCAN, -1, -1, -1, 10, 64, GP_LOOK_BACK, 128, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,        \
      "from 1 KiB")                                                                                                    \
  ROW("class:fakes", GP_COPY, -1, -1, -1, 0, 64, GP_DIRECT, 512, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                \
      "class; vectors left to the default")                                                                            \
  ROW("class:others", GP_COPY, -1, -1, -1, 0, 64, GP_DIRECT, 1024, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,              \
      "not this one")
#define GP_POLICY_CLASSES(CLASS) CLASS("fakes", "Fake With Rows") CLASS("others", "Some Other Device")
#include "gpuprims.h"

#include "fake_driver.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <vector>

static std::atomic<int> passed, failed;
static int skipped;
static std::mutex print_lock;

static bool check(bool good, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool check(bool good, int line, const char *format, ...) {
  if (good) {
    ++passed;
    return true;
  }
  if (++failed > 40) return false; // the count says the rest
  std::lock_guard<std::mutex> guard(print_lock);
  printf("FAILED: test_dispatch.cpp:%d: ", line);
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  printf("\n");
  return false;
}
#define CHECK(condition) check((condition), __LINE__, "%s", #condition)
// The call succeeds, and leaves the message of the last failure as it was, whatever failed on its way.
#define GOOD(call)                                                                                                     \
  do {                                                                                                                 \
    const std::string said_ = gp_last_message();                                                                       \
    const gp_result r_ = (call);                                                                                       \
    check(r_ == GP_SUCCESS, __LINE__, "%s: %s: %s", #call, gp_result_name(r_), r_ ? gp_last_message() : "");           \
    check(r_ || said_ == gp_last_message(), __LINE__, "%s succeeds and says: %s", #call, gp_last_message());           \
  } while (0)
// The call fails with this code, the message contains this text, and nothing was launched or allocated by it.
#define BAD(code, text, call)                                                                                          \
  do {                                                                                                                 \
    const unsigned launches_ = fake::counts.launches + fake::counts.recorded;                                          \
    const size_t memory_ = fake::memory.size(), modules_ = fake::modules.size();                                       \
    const gp_result r_ = (call);                                                                                       \
    check(r_ == code, __LINE__, "%s: %s instead of %s (%s)", #call, gp_result_name(r_), #code, gp_last_message());     \
    check(strstr(gp_last_message(), text) != nullptr, __LINE__, "%s: the message \"%s\" lacks \"%s\"", #call,          \
          gp_last_message(), text);                                                                                    \
    check(launches_ == fake::counts.launches + fake::counts.recorded && memory_ == fake::memory.size() &&              \
              modules_ == fake::modules.size(),                                                                        \
          __LINE__, "%s left something behind", #call);                                                                \
  } while (0)

// ---- kernels that tests run

FAKE_KERNEL(gp__map_args, gp__copy_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, 4>);
FAKE_KERNEL(gp__map_args,
            gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, gp__fill_value<float>, gp__none, gp__none, float>);
FAKE_KERNEL(gp__map_args,
            gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, gp__iota_value<gp_f16>, gp__none, gp__none, gp_f16>);
FAKE_KERNEL(gp__map_args,
            gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, gp__iota_value<int>, gp__none, gp__none, int>);
FAKE_KERNEL(gp__map_args,
            gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, gp_negate<int, float>, int, gp__none, float>);
FAKE_KERNEL(gp__map_args,
            gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, gp__binary<gp_sum<int>, int, int, int>, int, int, int>);
FAKE_KERNEL(
    gp__reduce_args,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_sum<unsigned long long>,
                          gp__load<unsigned char, unsigned long long, gp_convert<unsigned char, unsigned long long>>,
                          unsigned char, unsigned long long, unsigned long long>);
FAKE_KERNEL(gp__bfs_args, gp__bfs<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__bfs_args, gp__bfs<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int, true>);
FAKE_KERNEL(gp__bfs_args, gp__bfs_checked<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__bfs_args, gp__bfs_stepwise<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__bfs_args, gp__bfs_steps<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__sources_args,
            gp__bfs_sources<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int, unsigned int>);
FAKE_KERNEL(gp__sources_args,
            gp__bfs_sources<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int, unsigned long long>);
FAKE_KERNEL(gp__graph_args, gp__bfs_parents<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__reduce_args, gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_sum<int>,
                                                   gp__load<int, int, gp_convert<int, int>>, int, int, int>);
FAKE_KERNEL(gp__reduce_args, gp__reduce_stealing<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_sum<int>,
                                                 gp__load<int, int, gp_square<int, int>>, int, int, int>);
FAKE_KERNEL(gp__reduce_args, gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_argmin<float>,
                                                   gp__load<float, gp_arg<float>, gp_convert<float, float>>, float,
                                                   gp_arg<float>, gp_arg<float>>);
FAKE_KERNEL(gp__scan_args, gp__scan_look_back<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>,
                                              gp__load<int, int, gp_convert<int, int>>, int, int, int>);
FAKE_KERNEL(gp__scan_args, gp__scan_look_back<gp__policy<128, 1, 3, 3, 3, 1, 2>, true, gp_sum<int>,
                                              gp__load<int, int, gp_convert<int, int>>, int, int, int>);
FAKE_KERNEL(gp__scan_args, gp__scan_upsweep<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>,
                                            gp__load<int, int, gp_convert<int, int>>, int, int, int>);
FAKE_KERNEL(gp__scan_args, gp__scan_spine<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>,
                                          gp__load<int, int, gp_convert<int, int>>, int, int, int>);
FAKE_KERNEL(gp__scan_args, gp__scan_downsweep<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>,
                                              gp__load<int, int, gp_convert<int, int>>, int, int, int>);
FAKE_KERNEL(gp__scan_args, gp__scan_pipelined<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>,
                                              gp__load<int, int, gp_convert<int, int>>, int, int, int>);

FAKE_KERNEL(
    gp__reduce_args,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_sum<unsigned long long>,
                          gp__counted<int, gp__compare<gp_greater<int>>>, int, unsigned long long, unsigned long long>);
FAKE_KERNEL(gp__reduce_args,
            gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_and<unsigned int>,
                                  gp__counted<int, gp__compare<gp_less<int>>>, int, unsigned int, unsigned char>);
FAKE_KERNEL(
    gp__reduce_args,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_min<unsigned long long>, gp__offset_fault<unsigned int>,
                          unsigned int, unsigned long long, unsigned long long>);
FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>>);
FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>, true>);
FAKE_KERNEL(gp__radix_args,
            gp__radix_pass<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>, gp__none, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args,
            gp__radix_pass<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>, gp__u32, gp__radix_narrow>);
FAKE_KERNEL(
    gp__radix_args,
    gp__radix_pass<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>, unsigned int, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args,
            gp__radix_pass<gp__policy<128, 1, 3, 3, 2, 1, 2>,
                           gp__radix_record<gp__radix_key<unsigned int>, unsigned int>, gp__none, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args,
            gp__radix_sweeps<gp__policy<128, 1, 3, 3, 2, 1, 2>,
                             gp__radix_record<gp__radix_key<unsigned int>, unsigned int>, gp__none, gp__radix_narrow>);
FAKE_KERNEL(gp__hybrid_args, gp__leading_edges<gp__policy<128, 1, 3, 3, 2, 1, 2>, unsigned int, false, unsigned int>);
FAKE_KERNEL(gp__hybrid_args,
            gp__leading_sort<gp__policy<128, 1, 3, 3, 2, 1, 2>, unsigned int, false, 288, 16, 12, unsigned int>);
FAKE_KERNEL(gp__radix_args, gp__radix_pass<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>,
                                           unsigned long long, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args, gp__radix_sweeps<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>,
                                             unsigned long long, gp__radix_narrow>);
FAKE_KERNEL(gp__hybrid_args,
            gp__leading_edges<gp__policy<128, 1, 3, 3, 2, 1, 2>, unsigned int, false, unsigned long long>);
FAKE_KERNEL(gp__hybrid_args,
            gp__leading_sort<gp__policy<128, 1, 3, 3, 2, 1, 2>, unsigned int, false, 288, 16, 12, unsigned long long>);
FAKE_KERNEL(gp__gather_args, gp__gather<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__u64, 3, gp__u32>);
FAKE_KERNEL(gp__radix_args,
            gp__sort_one_launch<gp__policy<1024, 3, 3, 3, 0, 1, 2>, gp__radix_key<unsigned int>, gp__none>);
FAKE_KERNEL(gp__hybrid_args, gp__sort_sample<gp__policy<256, 1, 3, 3, 0, 1, 2>, unsigned int, false>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_count<gp__policy<256, 1, 3, 3, 0, 1, 2>, unsigned int, false, 512>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_move<gp__policy<256, 1, 3, 3, 0, 1, 2>, unsigned int, false>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_rest<gp__policy<256, 1, 3, 3, 0, 1, 2>, unsigned int, false>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_sort<gp__policy<256, 1, 3, 3, 0, 1, 2>, unsigned int, false, 288, 16, 12>);
FAKE_KERNEL(gp__hybrid_args, gp__sort_sample<gp__policy<256, 1, 3, 3, 1, 1, 2>, unsigned int, false, unsigned int>);
FAKE_KERNEL(gp__hybrid_args,
            gp__hybrid_count<gp__policy<256, 1, 3, 3, 1, 1, 2>, unsigned int, false, 512, unsigned int>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_move<gp__policy<256, 1, 3, 3, 1, 1, 2>, unsigned int, false, unsigned int>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_rest<gp__policy<256, 1, 3, 3, 1, 1, 2>, unsigned int, false, unsigned int>);
FAKE_KERNEL(gp__hybrid_args,
            gp__hybrid_sort<gp__policy<256, 1, 3, 3, 1, 1, 2>, unsigned int, false, 288, 16, 12, unsigned int>);
FAKE_KERNEL(
    gp__radix_args,
    gp__radix_sweeps<gp__policy<256, 2, 3, 3, 1, 2, 2>, gp__radix_key<unsigned int>, unsigned int, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<256, 2, 3, 3, 1, 2, 2>, gp__radix_key<unsigned int>>);
FAKE_KERNEL(
    gp__radix_args,
    gp__radix_sweeps<gp__policy<256, 2, 3, 3, 1, 2, 2>, gp__radix_key<unsigned int>, gp__none, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<384, 5, 3, 3, 2, 2, 2>, gp__radix_key<unsigned int>>);
FAKE_KERNEL(
    gp__radix_args,
    gp__radix_sweeps<gp__policy<384, 5, 3, 3, 2, 2, 2>, gp__radix_key<unsigned int>, gp__none, gp__radix_narrow>);
FAKE_KERNEL(gp__map_args, gp__copy_kernel<gp__policy<128, 1, 3, 3, 2, 1, 2>, 24>);
FAKE_KERNEL(gp__transpose_args, gp__transpose<gp__policy<128, 1, 3, 3, 8, 0, 2>, 4, 4, 3, false>);
FAKE_KERNEL(gp__map_args, gp__copy_kernel<gp__policy<128, 1, 3, 3, 8, 0, 2>, 4>);
FAKE_KERNEL(gp__map_args,
            gp__adjacent<gp__policy<128, 1, 3, 3, 0, 0, 2>, false, gp__binary<gp_sub<int>, int, int, int>, int, int>);

// Device memory with values.
template <class T> struct Device {
  T *data;
  size_t count;
  explicit Device(size_t n) : data(static_cast<T *>(simt::device_malloc(n * sizeof(T)))), count(n) {}
  explicit Device(const std::vector<T> &v) : Device(v.size()) { simt::host_write(data, v.data(), count * sizeof(T)); }
  Device(const Device &) = delete;
  ~Device() { simt::device_free(data); }
  std::vector<T> get() const { return std::vector<T>(data, data + count); }
};

static std::vector<std::string> logged;
static void log_line(void *, gp_log_level level, const char *message) {
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  logged.push_back((level == GP_LOG_WARNING ? "warning: " : "info: ") + std::string(message));
}
static unsigned warnings(const char *text = "") {
  unsigned n = 0;
  for (const std::string &line : logged)
    n += line.compare(0, 9, "warning: ") == 0 && line.find(text) != std::string::npos;
  return n;
}

static gp_config config() {
  gp_config c = gp_config_init();
  c.backend = GP_BACKEND_CUDA;
  c.driver = fake::table();
  c.cache_dir = "";
  c.log = log_line;
  return c;
}
static gp_context *open_fake() {
  gp_config c = config();
  gp_context *ctx = nullptr;
  GOOD(gp_open(&c, &ctx));
  return ctx;
}
static void close_fake(gp_context *ctx, int line) {
  const gp_result r = gp_close(ctx);
  check(r == GP_SUCCESS, line, "gp_close: %s", gp_last_message());
  check(fake::leaks().empty(), line, "leaks: %s", fake::leaks().c_str());
}
#define CLOSE(ctx) close_fake(ctx, __LINE__)

static gp_policy small(int algorithm) {
  gp_policy p;
  memset(&p, 0, sizeof p);
  p.algorithm = algorithm;
  p.threads = 128;
  p.vectors = 1;
  p.load = p.store = GP_CACHE_ALL;
  p.blocks_per_sm = algorithm == GP_DIRECT ? 0 : 1;
  p.overlap = 2;
  if (algorithm == GP_EVEN_SHARE || algorithm == GP_STEALING || algorithm == GP_ONE_SWEEP) p.store = 0; // not theirs
  if (algorithm == GP_LOOK_BACK || algorithm == GP_THREE_SWEEP || algorithm == GP_PIPELINED ||
      algorithm == GP_ONE_BLOCK)
    p.stages = 3;
  return p;
}
static gp_call fold_call(gp_primitive primitive, gp_op op, gp_type in, gp_type out, const void *from, void *to,
                         uint64_t n) {
  gp_call c = gp_call_init(primitive);
  c.op = op, c.in_type = in, c.out_type = out, c.in = from, c.out = to, c.count = n;
  return c;
}

// ---- contexts

static void test_contexts() {
  gp_context *ctx = nullptr, *other = nullptr;
  gp_config c = config();
  BAD(GP_E_NULL, "gp_open: ctx is null", gp_open(&c, nullptr));
  BAD(GP_E_CONTEXT, "ctx is null", gp_close(nullptr));
  char garbage[256] = {0};
  BAD(GP_E_CONTEXT, "never open", gp_close(reinterpret_cast<gp_context *>(garbage)));
  BAD(GP_E_CONTEXT, "ctx is null", gp_copy(nullptr, GP_F32, nullptr, nullptr, 0, nullptr));

  c.backend = gp_backend(7);
  BAD(GP_E_ARGUMENT, "gp_config.backend", gp_open(&c, &ctx));
  c = config(), c.device = -2;
  BAD(GP_E_ARGUMENT, "gp_config.device", gp_open(&c, &ctx));
  c = config(), c.device = 1;
  BAD(GP_E_NO_DEVICE, "gp_config.device is 1", gp_open(&c, &ctx));
  c = config(), c.allocate = [](void *, size_t, gp_stream) -> void * { return nullptr; };
  BAD(GP_E_ARGUMENT, "gp_config.allocate and gp_config.release", gp_open(&c, &ctx));
  c = config(), c.cuda_library = "libcuda.so.1";
  BAD(GP_E_ARGUMENT, "gp_config.cuda_library", gp_open(&c, &ctx));
  c = config(), c.nvrtc_library = "./libnvrtc.so";
  BAD(GP_E_ARGUMENT, "gp_config.nvrtc_library", gp_open(&c, &ctx));
  c = config(), c.cache_dir = "cache";
  BAD(GP_E_ARGUMENT, "gp_config.cache_dir", gp_open(&c, &ctx));
  c = config(), c.host_threads = -1;
  BAD(GP_E_ARGUMENT, "gp_config.host_threads", gp_open(&c, &ctx));
  c = config(), c.driver = nullptr, c.cuda_library = "/nonexistent/libcuda.so";
  BAD(GP_E_NO_DEVICE, "/nonexistent/libcuda.so", gp_open(&c, &ctx));
  c.cuda_library = "/lib/x86_64-linux-gnu/libm.so.6";
  if (access(c.cuda_library, R_OK) == 0) BAD(GP_E_NO_DEVICE, "the driver has no cuInit", gp_open(&c, &ctx));
  c = config();
  fake::machine.devices = 0;
  BAD(GP_E_NO_DEVICE, "0 devices", gp_open(&c, &ctx));
  fake::machine.devices = 1, fake::machine.init_error = 100;
  BAD(GP_E_NO_DEVICE, "cuInit", gp_open(&c, &ctx));
  fake::machine.init_error = 0, fake::machine.capability = 70;
  BAD(GP_E_DEVICE_TOO_OLD, "compute capability 7.0", gp_open(&c, &ctx));
  CHECK(ctx == nullptr && fake::leaks().empty());
  c.backend = GP_BACKEND_AUTO; // a device that is too old is no missing device
  BAD(GP_E_DEVICE_TOO_OLD, "compute capability 7.0", gp_open(&c, &ctx));
  gp_description d;

  fake::machine.capability = 90, fake::machine.devices = 3;
  c = config(), c.device = 2;
  GOOD(gp_open(&c, &ctx));
  GOOD(gp_describe(ctx, &d));
  CHECK(d.backend == GP_BACKEND_CUDA && d.device == 2 && d.compute_capability == 90 && d.multiprocessors == 2 &&
        strcmp(d.name, "Fake H200") == 0 && d.driver_version == 13000 && d.memory_bytes == uint64_t(140) << 30 &&
        d.shared_bytes_per_block == 227 * 1024 && d.nvrtc_version == 0);
  BAD(GP_E_NULL, "description is null", gp_describe(ctx, nullptr));
  CHECK(fake::primary_references[2] == 1);
  fake::current.push_back(&fake::primary[1]); // the thread's current context is another device's
  c.device = GP_DEVICE_CURRENT;
  GOOD(gp_open(&c, &other));
  GOOD(gp_describe(other, &d));
  CHECK(d.device == 1 && fake::primary_references[1] == 1);
  GOOD(gp_close(other));
  fake::current.clear();
  BAD(GP_E_CONTEXT, "ctx is closed", gp_close(other));
  BAD(GP_E_CONTEXT, "ctx is closed", gp_describe(other, &d));
  CLOSE(ctx);
  BAD(GP_E_CONTEXT, "ctx is closed", gp_close(ctx));
  BAD(GP_E_CONTEXT, "ctx is closed", gp_prepare(ctx, nullptr));
  CHECK(strcmp(gp_result_name(GP_E_FORK), "GP_E_FORK") == 0 && strlen(gp_result_text(GP_E_FORK)) > 5);
  CHECK(strcmp(gp_result_name(gp_result(999)), "unknown result") == 0);
}

// ---- types and operators

static gp_type define(gp_context *ctx, const char *name, const char *source, size_t size, size_t align) {
  gp_type_desc d = gp_type_desc_init();
  gp_type t = 0;
  d.name = name, d.source = source, d.size = size, d.align = align;
  GOOD(gp_type_struct(ctx, &d, &t));
  return t;
}
static void host_add(void *, void *r, const void *a, const void *b) { *(int *)r = *(const int *)a + *(const int *)b; }

static void test_definitions() {
  gp_context *ctx = open_fake();
  gp_type t;
  gp_type_desc d = gp_type_desc_init();
  d.name = "vec3", d.size = 12, d.align = 4;
  BAD(GP_E_NULL, "desc is null", gp_type_struct(ctx, nullptr, &t));
  BAD(GP_E_NULL, "type is null", gp_type_struct(ctx, &d, nullptr));
  for (const char *name :
       {"", "3d", "a b", "a::b", "a*", "x123456789012345678901234567890123456789012345678901234567890123456"}) {
    gp_type_desc e = d;
    e.name = name;
    BAD(GP_E_ARGUMENT, "desc.name", gp_type_struct(ctx, &e, &t));
  }
  d.name = nullptr;
  BAD(GP_E_NULL, "desc.name is null", gp_type_struct(ctx, &d, &t));
  d.name = "vec3", d.size = 0;
  BAD(GP_E_ARGUMENT, "desc.size is 0", gp_type_struct(ctx, &d, &t));
  d.size = 65;
  BAD(GP_E_ARGUMENT, "desc.size is 65", gp_type_struct(ctx, &d, &t));
  d.size = 12;
  for (size_t align : {0, 3, 8, 32}) {
    d.align = align;
    BAD(GP_E_ARGUMENT, "desc.align", gp_type_struct(ctx, &d, &t));
  }
  d.align = 4;
  GOOD(gp_type_struct(ctx, &d, &t));
  CHECK(t >= GP_TYPE_COUNT && gp_type_size(ctx, t) == 12 && strcmp(gp_type_name(ctx, t), "vec3") == 0);
  gp_type again;
  BAD(GP_E_ARGUMENT, "exists already", gp_type_struct(ctx, &d, &again));
  CHECK(gp_type_size(nullptr, GP_F64) == 8 && strcmp(gp_type_name(nullptr, GP_BF16), "bf16") == 0);
  CHECK(gp_type_size(ctx, 99) == 0 && !gp_type_name(ctx, 99) && !gp_type_name(nullptr, t) && !gp_type_name(ctx, -1));
  CHECK(strcmp(gp_op_name(nullptr, GP_ARGMAX), "ARGMAX") == 0 && !gp_op_name(ctx, 99) && !gp_op_name(ctx, -5));

  gp_op op;
  gp_op_desc o = gp_op_desc_init();
  o.name = "add", o.body = "return a + b;", o.identity = "0", o.arity = 2;
  BAD(GP_E_NULL, "desc is null", gp_op_define(ctx, nullptr, &op));
  BAD(GP_E_NULL, "op is null", gp_op_define(ctx, &o, nullptr));
  gp_op_desc e = o;
  e.name = nullptr;
  BAD(GP_E_NULL, "desc.name", gp_op_define(ctx, &e, &op));
  for (const char *name : {"", "a\"b", "a\\b", "a\nb"}) {
    e.name = name;
    BAD(GP_E_ARGUMENT, "desc.name", gp_op_define(ctx, &e, &op));
  }
  e = o, e.arity = 3;
  BAD(GP_E_ARGUMENT, "desc.arity", gp_op_define(ctx, &e, &op));
  e = o, e.commutative = 2;
  BAD(GP_E_ARGUMENT, "desc.commutative", gp_op_define(ctx, &e, &op));
  e = o, e.body = nullptr;
  BAD(GP_E_NULL, "desc.body and desc.host", gp_op_define(ctx, &e, &op));
  e = o, e.host_identity_size = 4;
  BAD(GP_E_ARGUMENT, "desc.host_identity", gp_op_define(ctx, &e, &op));
  e.host_identity = &e, e.host_identity_size = 65;
  BAD(GP_E_ARGUMENT, "desc.host_identity_size", gp_op_define(ctx, &e, &op));
  GOOD(gp_op_define(ctx, &o, &op));
  CHECK(op >= GP_OP_COUNT && strcmp(gp_op_name(ctx, op), "add") == 0);
  CLOSE(ctx);
}

// ---- every argument

static void test_arguments(bool host) {
  gp_config c = config();
  if (host) c.backend = GP_BACKEND_HOST;
  gp_context *ctx = nullptr;
  GOOD(gp_open(&c, &ctx));
  alignas(256) static unsigned char a[4096], b[4096], out[4096];
  const gp_type vec3 = define(ctx, "vec3", "struct vec3 { float x, y, z; };", 12, 4);
  const gp_type raw = define(ctx, "raw8", nullptr, 8, 1);
  gp_op_desc d = gp_op_desc_init();
  gp_op device_only, host_only, no_identity, unary;
  const int zero = 0;
  d.name = "device only", d.body = "return a + b;", d.identity = "0", d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &device_only));
  d = gp_op_desc_init();
  d.name = "host only", d.host = host_add, d.host_identity = &zero, d.host_identity_size = 4, d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &host_only));
  d = gp_op_desc_init();
  d.name = "no identity", d.host = host_add, d.body = "return a + b;", d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &no_identity));
  d = gp_op_desc_init();
  d.name = "unary", d.host = host_add, d.body = "return a;", d.arity = 1;
  GOOD(gp_op_define(ctx, &d, &unary));
  memset(out, 0x5a, sizeof out);
  const uint64_t huge = UINT64_MAX / 2;
  gp_call call;

  // unknown enumerators
  BAD(GP_E_NULL, "call is null", gp_run(ctx, nullptr, nullptr));
  call = gp_call_init(gp_primitive(99));
  BAD(GP_E_ARGUMENT, "primitive is 99", gp_run(ctx, &call, nullptr));
  call = gp_call_init(GP_PRIMITIVE_NONE);
  BAD(GP_E_ARGUMENT, "primitive is 0", gp_run(ctx, &call, nullptr));
  BAD(GP_E_TYPE, "gp_copy: type is 77", gp_copy(ctx, 77, a, out, 1, nullptr));
  BAD(GP_E_TYPE, "gp_copy: type is not set", gp_copy(ctx, 0, a, out, 1, nullptr));
  BAD(GP_E_TYPE, "gp_fill: type is -3", gp_fill(ctx, -3, a, out, 1, nullptr));
  BAD(GP_E_TYPE, "gp_reduce: out_type is 99", gp_reduce(ctx, GP_SUM, GP_I32, 99, a, out, 1, nullptr));
  BAD(GP_E_OPERATOR, "gp_reduce: op is 99", gp_reduce(ctx, 99, GP_I32, GP_I32, a, out, 1, nullptr));
  BAD(GP_E_OPERATOR, "gp_reduce: op is not set", gp_reduce(ctx, 0, GP_I32, GP_I32, a, out, 1, nullptr));
  call = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, a, out, 1);
  call.flags = 6;
  BAD(GP_E_ARGUMENT, "gp_reduce: flags", gp_run(ctx, &call, nullptr));
  call.flags = 0, call.acc_type = 55;
  BAD(GP_E_TYPE, "gp_reduce: acc_type is 55", gp_run(ctx, &call, nullptr));
  call.acc_type = 0, call.transform = 55;
  BAD(GP_E_OPERATOR, "gp_reduce: transform is 55", gp_run(ctx, &call, nullptr));

  // operators where they do not belong
  BAD(GP_E_OPERATOR, "\"NEGATE\" is a unary one", gp_reduce(ctx, GP_NEGATE, GP_I32, GP_I32, a, out, 1, nullptr));
  BAD(GP_E_OPERATOR, "\"SUM\" is a binary one", gp_transform(ctx, GP_SUM, GP_I32, GP_I32, a, out, 1, nullptr));
  BAD(GP_E_OPERATOR, "reduce and scan only", gp_transform2(ctx, GP_ARGMIN, GP_I32, GP_I32, a, b, out, 1, nullptr));
  BAD(GP_E_OPERATOR, "BIT_XOR works on integers", gp_reduce(ctx, GP_BIT_XOR, GP_F32, GP_F32, a, out, 1, nullptr));
  BAD(GP_E_OPERATOR, "BIT_AND works on integers",
      gp_transform2(ctx, GP_BIT_AND, GP_I32, GP_F16, a, b, out, 1, nullptr));
  BAD(GP_E_OPERATOR, "SUM cannot take a struct", gp_reduce(ctx, GP_SUM, vec3, vec3, a, out, 1, nullptr));
  BAD(GP_E_OPERATOR, "NEGATE cannot take a struct", gp_transform(ctx, GP_NEGATE, vec3, vec3, a, out, 1, nullptr));
  call = fold_call(GP_REDUCE, GP_SUM, vec3, GP_F32, a, out, 1);
  call.transform = GP_ABS;
  BAD(GP_E_OPERATOR, "transform: ABS cannot take a struct", gp_run(ctx, &call, nullptr));
  call.transform = 0;
  BAD(GP_E_TYPE, "gp_reduce: in_type: no conversion", gp_run(ctx, &call, nullptr));
  call = fold_call(GP_REDUCE, GP_ARGMIN, GP_I32, GP_I32, a, out, 1);
  call.acc_type = GP_I64;
  BAD(GP_E_TYPE, "acc_type: ARGMIN", gp_run(ctx, &call, nullptr));
  call = gp_call_init(GP_COPY);
  call.in_type = GP_I32, call.in = a, call.out = out, call.count = 1, call.op = GP_SUM;
  BAD(GP_E_OPERATOR, "gp_copy: op: the call takes no operator", gp_run(ctx, &call, nullptr));
  call.op = 0, call.transform = GP_ABS;
  BAD(GP_E_OPERATOR, "gp_copy: transform", gp_run(ctx, &call, nullptr));
  call.transform = 0, call.out_type = GP_I64;
  BAD(GP_E_TYPE, "in_type and out_type differ", gp_run(ctx, &call, nullptr));
  call.out_type = 0, call.acc_type = GP_I32;
  BAD(GP_E_TYPE, "acc_type: the call has no accumulator", gp_run(ctx, &call, nullptr));
  call.acc_type = 0, call.in2_type = GP_I32;
  BAD(GP_E_TYPE, "in2_type", gp_run(ctx, &call, nullptr));
  call.in2_type = 0, call.in2 = b;
  BAD(GP_E_ARGUMENT, "in2: the call has no second input", gp_run(ctx, &call, nullptr));
  call.in2 = nullptr, call.init = b;
  BAD(GP_E_ARGUMENT, "init: the call takes no value", gp_run(ctx, &call, nullptr));
  call.init = nullptr, call.step = b;
  BAD(GP_E_ARGUMENT, "step: the call takes none", gp_run(ctx, &call, nullptr));
  call = gp_call_init(GP_FILL);
  call.out_type = GP_I32, call.out = out, call.count = 1, call.init = a, call.in = b;
  BAD(GP_E_ARGUMENT, "gp_fill: in: the call has no input", gp_run(ctx, &call, nullptr));
  BAD(GP_E_TYPE, "gp_iota: type: a struct", gp_iota(ctx, raw, nullptr, nullptr, out, 1, nullptr));

  // users' operators
  if (host) {
    BAD(GP_E_UNSUPPORTED, "\"device only\" has no gp_op_desc.host",
        gp_reduce(ctx, device_only, GP_I32, GP_I32, a, out, 1, nullptr));
    BAD(GP_E_UNSUPPORTED, "\"no identity\" has no gp_op_desc.host_identity",
        gp_reduce(ctx, no_identity, GP_I32, GP_I32, a, out, 1, nullptr));
    BAD(GP_E_OPERATOR, "host_identity_size of \"host only\" is 4",
        gp_reduce(ctx, host_only, GP_I64, GP_I64, a, out, 1, nullptr));
  } else {
    BAD(GP_E_UNSUPPORTED, "\"host only\" has no gp_op_desc.body",
        gp_reduce(ctx, host_only, GP_I32, GP_I32, a, out, 1, nullptr));
    BAD(GP_E_OPERATOR, "\"no identity\" has no gp_op_desc.identity",
        gp_reduce(ctx, no_identity, GP_I32, GP_I32, a, out, 1, nullptr));
  }
  BAD(GP_E_OPERATOR, "\"unary\" is a unary one", gp_reduce(ctx, unary, GP_I32, GP_I32, a, out, 1, nullptr));

  // null
  BAD(GP_E_NULL, "gp_copy: in is null", gp_copy(ctx, GP_I32, nullptr, out, 1, nullptr));
  BAD(GP_E_NULL, "gp_copy: out is null", gp_copy(ctx, GP_I32, a, nullptr, 1, nullptr));
  BAD(GP_E_NULL, "gp_fill: value is null", gp_fill(ctx, GP_I32, nullptr, out, 1, nullptr));
  BAD(GP_E_NULL, "gp_transform2: a is null", gp_transform2(ctx, GP_SUM, GP_I32, GP_I32, nullptr, b, out, 1, nullptr));
  BAD(GP_E_NULL, "gp_transform2: b is null", gp_transform2(ctx, GP_SUM, GP_I32, GP_I32, a, nullptr, out, 1, nullptr));
  BAD(GP_E_NULL, "gp_reduce: out is null", gp_reduce(ctx, GP_SUM, GP_I32, GP_I32, a, nullptr, 0, nullptr));
  BAD(GP_E_NULL, "gp_inclusive_scan: in is null",
      gp_inclusive_scan(ctx, GP_SUM, GP_I32, GP_I32, nullptr, out, 1, nullptr));

  // alignment
  BAD(GP_E_ALIGNMENT, "gp_copy: in (", gp_copy(ctx, GP_I32, a + 2, out, 1, nullptr));
  BAD(GP_E_ALIGNMENT, "gp_copy: out (", gp_copy(ctx, GP_F64, a, out + 4, 1, nullptr));
  BAD(GP_E_ALIGNMENT, "gp_transform2: b (", gp_transform2(ctx, GP_SUM, GP_I32, GP_I32, a, b + 1, out, 1, nullptr));
  BAD(GP_E_ALIGNMENT, "gp_reduce: out (", gp_reduce(ctx, GP_ARGMIN, GP_I8, GP_I8, a, out + 4, 1, nullptr));
  BAD(GP_E_ALIGNMENT, "gp_copy: in (", gp_copy(ctx, vec3, a + 2, out, 1, nullptr));
  call = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, a, out, 1);
  call.count_device = reinterpret_cast<const uint64_t *>(b + 4);
  BAD(GP_E_ALIGNMENT, "gp_reduce: count_device", gp_run(ctx, &call, nullptr));

  // sizes
  BAD(GP_E_SIZE, "gp_copy: in and count: ", gp_copy(ctx, GP_I32, a, out, huge, nullptr));
  BAD(GP_E_SIZE, "past the end of memory", gp_copy(ctx, GP_I8, a, out, UINT64_MAX - 5, nullptr));
  BAD(GP_E_SIZE,
      "gp_transform: out and count: ", gp_transform(ctx, GP_CONVERT, GP_I8, GP_I64, a, out, huge / 2, nullptr));

  // overlap
  BAD(GP_E_OVERLAP, "gp_copy: in and out overlap", gp_copy(ctx, GP_I32, a, a + 4, 10, nullptr));
  BAD(GP_E_OVERLAP, "gp_copy: in and out overlap", gp_copy(ctx, GP_I32, a + 4, a, 10, nullptr));
  BAD(GP_E_OVERLAP, "cannot run in place", gp_reduce(ctx, GP_SUM, GP_I32, GP_I32, a, a, 10, nullptr));
  BAD(GP_E_OVERLAP, "gp_reduce: in and out", gp_reduce(ctx, GP_SUM, GP_I32, GP_I32, a, a + 36, 10, nullptr));
  BAD(GP_E_OVERLAP, "cannot run in place", gp_inclusive_scan(ctx, GP_SUM, GP_I32, GP_I64, a, a, 10, nullptr));
  BAD(GP_E_OVERLAP, "gp_exclusive_scan: in and out",
      gp_exclusive_scan(ctx, GP_SUM, GP_I32, GP_I32, nullptr, a + 8, a, 10, nullptr));
  BAD(GP_E_OVERLAP, "cannot run in place", gp_transform(ctx, GP_CONVERT, GP_I64, GP_I32, a, a, 10, nullptr));
  BAD(GP_E_OVERLAP, "b and out", gp_transform2(ctx, GP_SUM, GP_I32, GP_I32, a, b, b + 4, 10, nullptr));
  call = gp_call_init(GP_IOTA);
  call.out_type = GP_I64, call.out = out, call.count = 4, call.count_device = reinterpret_cast<uint64_t *>(out + 8);
  BAD(GP_E_OVERLAP, "gp_iota: count_device and out", gp_run(ctx, &call, nullptr));

  // policies
  if (!host) {
    gp_policy p = small(GP_EVEN_SHARE), chosen;
    gp_policy_source source;
    call = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, a, out, 10);
    call.policy = &p;
    p.threads = 100;
    BAD(GP_E_POLICY, "policy.threads = 100", gp_run(ctx, &call, nullptr));
    p = small(GP_EVEN_SHARE), p.stages = 3;
    BAD(GP_E_POLICY, "policy.stages: the call has no such field", gp_run(ctx, &call, nullptr));
    p = small(GP_LOOK_BACK), p.stages = p.store = 0;
    BAD(GP_E_POLICY, "policy.algorithm", gp_run(ctx, &call, nullptr));
    p = small(GP_EVEN_SHARE), p.vectors = 17;
    BAD(GP_E_POLICY, "policy.vectors = 17", gp_run(ctx, &call, nullptr));
    p = small(GP_EVEN_SHARE), p.vectors = -1, p.load = 9;
    BAD(GP_E_POLICY, "vectors -1", gp_run(ctx, &call, nullptr));
    p = small(GP_EVEN_SHARE), call.flags = GP_REPRODUCIBLE, call.in_type = call.out_type = GP_F32;
    BAD(GP_E_UNSUPPORTED, "gp_reduce: flags: GP_REPRODUCIBLE", gp_run(ctx, &call, nullptr));
    p = small(GP_STEALING);
    BAD(GP_E_UNSUPPORTED, "gp_reduce: flags: GP_REPRODUCIBLE", gp_run(ctx, &call, nullptr));
    p.threads = p.vectors = p.blocks_per_sm = 0; // what is left can keep the promise
    GOOD(gp_policy_origin(ctx, &call, &chosen, &source));
    CHECK(source == GP_POLICY_CALLER && chosen.algorithm == GP_STEALING);
    GOOD(gp_policy_origin(ctx, &call, &p, &source)); // into the call's own policy
    CHECK(source == GP_POLICY_CALLER && !memcmp(&p, &chosen, sizeof p));
    p = small(GP_STEALING), p.threads = 100, p.vectors = 17; // no call can have these
    BAD(GP_E_POLICY, "policy", gp_run(ctx, &call, nullptr));
    for (gp_primitive primitive : {GP_INCLUSIVE_SCAN, GP_EXCLUSIVE_SCAN}) {
      call.primitive = primitive, p = gp_policy();
      p.algorithm = GP_THREE_SWEEP;
      BAD(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE: a call with policy.algorithm =", gp_run(ctx, &call, nullptr));
      p.algorithm = GP_LOOK_BACK, p.vectors = 2;
      BAD(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE: a call with policy.vectors = 2", gp_run(ctx, &call, nullptr));
    }
    call = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, a, out, 10);
    call.policy = &p, p = small(GP_PIPELINED), p.vectors = 2;
    BAD(GP_E_POLICY, "policy", gp_run(ctx, &call, nullptr));
    BAD(GP_E_POLICY, "policy", gp_prepare(ctx, &call));
  }
  BAD(GP_E_NULL, "bytes is null", gp_workspace_size(ctx, &call, nullptr));
  BAD(GP_E_NULL, "gp_policy_origin: policy is null", gp_policy_origin(ctx, &call, nullptr, nullptr));
  BAD(GP_E_NULL, "take is null", gp_compile(ctx, &call, 90, nullptr, nullptr));
  BAD(GP_E_DEVICE_TOO_OLD, "compute_capability is 70",
      gp_compile(
          ctx, &call, 70, [](void *, const char *, const void *, size_t) {}, nullptr));

  for (unsigned char byte : out)
    if (byte != 0x5a) {
      check(false, __LINE__, "outputs were touched");
      break;
    }
  // Empty calls do nothing, with null pointers too.
  GOOD(gp_copy(ctx, GP_I32, nullptr, nullptr, 0, nullptr));
  GOOD(gp_inclusive_scan(ctx, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 0, nullptr));
  GOOD(gp_copy(ctx, GP_I32, a, a, 100, nullptr));
  CHECK(fake::counts.launches == 0);
  CLOSE(ctx);
}

// ---- the calls themselves, on real kernels

static void test_results() {
  gp_context *ctx = open_fake();
  const int n = 1000;
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[size_t(i)] = i * 7 % 31 - 9;
  Device<int> in(v), out{size_t(n)}, one(1);
  gp_policy p = small(GP_DIRECT);
  gp_call c = gp_call_init(GP_COPY);
  c.policy = &p, c.in_type = GP_I32, c.in = in.data, c.out = out.data, c.count = uint64_t(n);
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(out.get() == v);
  c.primitive = GP_TRANSFORM2, c.op = GP_SUM, c.in2 = in.data;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(out.data[5] == 2 * v[5] && out.data[n - 1] == 2 * v[size_t(n - 1)]);
  Device<float> floats{size_t(n)};
  c = gp_call_init(GP_TRANSFORM);
  c.policy = &p, c.op = GP_NEGATE, c.in_type = GP_I32, c.out_type = GP_F32, c.in = in.data, c.out = floats.data;
  c.count = uint64_t(n);
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(floats.data[17] == -float(v[17]));
  float pi = 3.25f;
  c = gp_call_init(GP_FILL);
  c.policy = &p, c.init = &pi, c.out_type = GP_F32, c.out = floats.data, c.count = uint64_t(n);
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(floats.data[0] == 3.25f && floats.data[n - 1] == 3.25f);
  c = gp_call_init(GP_IOTA);
  c.policy = &p, c.out_type = GP_I32, c.out = out.data, c.count = uint64_t(n);
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(out.data[0] == 0 && out.data[1] == 1 && out.data[n - 1] == n - 1);
  Device<uint16_t> halves(4);
  c.out_type = GP_F16, c.out = halves.data, c.count = 4; // the default step is a half one
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(halves.get() == (std::vector<uint16_t>{0x0000, 0x3c00, 0x4000, 0x4200}));

  const int sum = std::accumulate(v.begin(), v.end(), 0), hundred = 100;
  gp_policy q = small(GP_EVEN_SHARE);
  c = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, in.data, one.data, uint64_t(n));
  c.policy = &q;
  for (int round = 0; round < 3; ++round) {
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(*one.data == sum);
  }
  c.init = &hundred;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(*one.data == sum + 100);
  c.count = 0; // an empty input has a result too
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(*one.data == 100);
  Device<uint64_t> device_count(std::vector<uint64_t>{10});
  c.count = uint64_t(n), c.init = nullptr, c.count_device = device_count.data;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(*one.data == std::accumulate(v.begin(), v.begin() + 10, 0));
  c.count_device = nullptr, q = small(GP_STEALING), c.transform = GP_SQUARE;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(*one.data == std::inner_product(v.begin(), v.end(), v.begin(), 0));
  q = small(GP_EVEN_SHARE), c.transform = 0;
  Device<float> with_least(std::vector<float>{4, 2, -7, 3, -7, 8});
  struct Pair {
    float value;
    int64_t index;
  };
  Device<Pair> least(1);
  c = fold_call(GP_REDUCE, GP_ARGMIN, GP_F32, GP_F32, with_least.data, least.data, 6);
  c.policy = &q;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(least.data->value == -7 && least.data->index == 2);
  Device<unsigned char> bytes(std::vector<unsigned char>(3001, 255));
  Device<uint64_t> total(1);
  c = fold_call(GP_REDUCE, GP_SUM, GP_U8, GP_U64, bytes.data + 1, total.data, 3000); // misaligned
  c.policy = &q;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(*total.data == 255u * 3000u);

  std::vector<int> expected(v);
  std::partial_sum(v.begin(), v.end(), expected.begin());
  for (int algorithm : {GP_LOOK_BACK, GP_THREE_SWEEP, GP_ONE_BLOCK, GP_PIPELINED}) {
    q = small(algorithm);
    c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, uint64_t(n));
    c.policy = &q;
    for (int round = 0; round < 2; ++round) { // a second time on a used workspace
      simt::host_fill(out.data, 0, size_t(n) * 4);
      const unsigned before = fake::counts.launches;
      GOOD(gp_run(ctx, &c, nullptr));
      check(out.get() == expected, __LINE__, "algorithm %d, round %d %s", algorithm, round, simt::error().c_str());
      CHECK(fake::counts.launches - before == (algorithm == GP_THREE_SWEEP ? 3 : 1));
    }
  }
  q = small(GP_LOOK_BACK);
  c = fold_call(GP_EXCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, uint64_t(n));
  c.policy = &q, c.init = &hundred;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(out.data[0] == 100 && out.data[1] == 100 + v[0] && out.data[n - 1] == 100 + sum - v[size_t(n - 1)]);
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CHECK(simt::error().empty());
  CLOSE(ctx);
}

// ---- the text that the compiler gets

static void test_programs() {
  gp_context *ctx = open_fake();
  const gp_type vec3 = define(ctx, "vec3", "struct vec3 {\n  float x, y, z;\n};", 12, 4);
  const gp_type raw = define(ctx, "raw6", nullptr, 6, 2);
  gp_op_desc d = gp_op_desc_init();
  gp_op nearest, length, faulty;
  d.name = "nearest", d.body = "return a.x < b.x ? a : b;", d.identity = "{1e30f, 0, 0}", d.arity = 2,
  d.commutative = 1;
  d.prelude = "#define SQ(x) ((x) * (x))";
  GOOD(gp_op_define(ctx, &d, &nearest));
  d = gp_op_desc_init();
  d.name = "length", d.body = "return sqrtf(SQ(a.x));", d.prelude = "#define SQ(x) ((x) * (x))", d.arity = 1;
  GOOD(gp_op_define(ctx, &d, &length));
  d = gp_op_desc_init();
  d.name = "faulty", d.body = "int t = a;\nreturn t + missing;", d.identity = "0", d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &faulty));
  auto has = [](const char *text) { return fake::last_program.find(text) != std::string::npos; };
  auto option = [](const char *text) {
    for (const std::string &o : fake::last_options)
      if (o == text) return true;
    return false;
  };

  gp_call c = fold_call(GP_REDUCE, nearest, vec3, vec3, nullptr, nullptr, 1 << 20);
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("#include \"gpuprims.h\"\n") && has("#line 1 \"type vec3\"\nstruct vec3 {\n  float x, y, z;\n};\n"));
  CHECK(has("static_assert(sizeof(vec3) == 12 && alignof(vec3) == 4"));
  CHECK(has("#line 1 \"operator nearest\"\nreturn a.x < b.x ? a : b;\n") && has("enum { commutative = 1, exact = 0 }"));
  CHECK(has("#line 1 \"identity of operator nearest\"\n{1e30f, 0, 0}\n") &&
        has("#line 1 \"prelude of operator nearest\""));
  CHECK(has("gp__op_1, gp__load<vec3, vec3, gp_convert<vec3, vec3>>, vec3, vec3, vec3>(a); }"));
  CHECK(option("--gpu-architecture=sm_90") && option("-std=c++17") && option("-default-device"));
  CHECK(!option("--fmad=false"));
  CHECK(fake::last_program.find("struct vec3") == fake::last_program.rfind("struct vec3"));

  c = fold_call(GP_INCLUSIVE_SCAN, GP_MAX, vec3, GP_F32, nullptr, nullptr, 1 << 20);
  c.transform = length, c.flags = GP_REPRODUCIBLE;
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("gp__scan_look_back<") &&
        has("false, gp_max<float>, gp__load<vec3, float, gp__op_2>, vec3, float, float>"));
  CHECK(has("typedef vec3 A;\n  typedef float R;") && option("--fmad=false"));

  c = gp_call_init(GP_TRANSFORM);
  c.op = length, c.in_type = vec3, c.out_type = GP_BF16, c.count = 10;
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("gp__op_1, vec3, gp__none, gp_bf16>(a)") && has("gp__map_args"));
  c = gp_call_init(GP_COPY);
  c.in_type = raw, c.count = 10;
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("gp__copy_kernel<") && has(", 6>(a)") && !has("raw6"));
  c = gp_call_init(GP_FILL);
  c.out_type = raw, c.count = 10;
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("struct alignas(2) raw6 { unsigned char bytes[6]; };") && has("gp__fill_value<raw6>"));
  c = fold_call(GP_REDUCE, GP_SUM, GP_F16, GP_F16, nullptr, nullptr, 10); // computed in f32
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("gp_sum<float>, gp__load<gp_f16, float, gp_convert<gp_f16, float>>, gp_f16, float, gp_f16>"));
  c = fold_call(GP_REDUCE, GP_ARGMAX, GP_I32, GP_I64, nullptr, nullptr, 10);
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("gp_argmax<long long>, gp__load<int, gp_arg<long long>, gp_convert<int, long long>>, int, gp_arg<long "
            "long>, gp_arg<long long>>"));

  // source that does not compile: the operator, the line and its text
  fake::machine.compile_error = "missing";
  c = fold_call(GP_REDUCE, faulty, GP_I32, GP_I32, nullptr, nullptr, 10);
  for (int round = 0; round < 2; ++round) {
    BAD(GP_E_COMPILE,
        "operator faulty does not compile, line 2: error: identifier \"missing\" is undefined\n  return t + missing;",
        gp_prepare(ctx, &c));
    CHECK(fake::programs.empty());
  }
  fake::machine.compile_error.clear();
  GOOD(gp_prepare(ctx, &c));

  // where the machine code comes from
  gp_kernel_source source;
  char name[512];
  GOOD(gp_kernel_origin(ctx, &c, &source, name, sizeof name));
  CHECK(source == GP_KERNEL_COMPILED && strstr(name, "gp__reduce_even_share<gp__policy<") == name);
  c.op = GP_PROD;
  GOOD(gp_kernel_origin(ctx, &c, &source, name, 5));
  CHECK(source == GP_KERNEL_NONE && strcmp(name, "gp__") == 0);
  BAD(GP_E_NULL, "name is null", gp_kernel_origin(ctx, &c, &source, nullptr, 5));
  BAD(GP_E_NULL, "source is null", gp_kernel_origin(ctx, &c, nullptr, nullptr, 0));

  // the policy that the machine code says it was compiled for
  gp_policy asked = {GP_STEALING, 256, 2, GP_CACHE_L2, GP_CACHE_ALL, 0, 3, 2, 0, 0, 0, 0, 0, 0, 0}, said;
  gp_call e = fold_call(GP_REDUCE, GP_SUM, GP_F32, GP_F32, nullptr, nullptr, 1 << 20);
  e.policy = &asked;
  GOOD(gp_policy_echo(ctx, &e, &said));
  CHECK(memcmp(&asked, &said, sizeof said) == 0);
  e.policy = nullptr;
  gp_policy chosen;
  gp_policy_source chosen_by;
  GOOD(gp_policy_origin(ctx, &e, &chosen, &chosen_by));
  GOOD(gp_policy_echo(ctx, &e, &said));
  CHECK(memcmp(&chosen, &said, sizeof said) == 0);
  asked = {GP_THREE_SWEEP, 128, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0};
  e = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_F32, GP_F32, nullptr, nullptr, 1 << 20);
  e.policy = &asked;
  GOOD(gp_policy_echo(ctx, &e, &said));
  CHECK(said.algorithm == GP_THREE_SWEEP && said.threads == 128 && said.vectors == 3 && said.blocks_per_sm == 2);
  BAD(GP_E_NULL, "policy is null", gp_policy_echo(ctx, &e, nullptr));
  asked.threads = 100;
  BAD(GP_E_POLICY, "threads", gp_policy_echo(ctx, &e, &said));

  gp_description about;
  GOOD(gp_describe(ctx, &about));
  CHECK(about.nvrtc_version == 13000);
  CLOSE(ctx);

  // a device newer than NVRTC: PTX of the newest architecture before it
  fake::machine.capability = 103;
  ctx = open_fake();
  c.op = GP_SUM;
  GOOD(gp_prepare(ctx, &c));
  CHECK(option("--gpu-architecture=compute_100") && fake::counts.calls["nvrtcGetPTX"] == 1);
  CLOSE(ctx);
  fake::machine.capability = 75, fake::machine.architectures = {80, 90};
  ctx = open_fake();
  BAD(GP_E_COMPILE, "does not know compute capability 7.5", gp_prepare(ctx, &c));
  CLOSE(ctx);

  // no compiler
  fake::reset();
  fake::machine.nvrtc = false;
  ctx = open_fake();
  BAD(GP_E_NO_COMPILER, "NVRTC", gp_prepare(ctx, &c));
  CLOSE(ctx);
  fake::machine.nvrtc = true;
  gp_config k = config();
  k.no_compile = 1;
  GOOD(gp_open(&k, &ctx));
  BAD(GP_E_NO_COMPILER, "no_compile", gp_prepare(ctx, &c));
  CHECK(fake::counts.calls["nvrtcVersion"] == 0);
  CLOSE(ctx);
  k = gp_config_init(), k.backend = GP_BACKEND_HOST, k.cache_dir = "", k.nvrtc_library = "/nonexistent/libnvrtc.so";
  GOOD(gp_open(&k, &ctx));
  BAD(GP_E_NO_COMPILER, "/nonexistent/libnvrtc.so",
      gp_compile(
          ctx, &c, 90, [](void *, const char *, const void *, size_t) {}, nullptr));
  GOOD(gp_close(ctx));
}

// ---- policies

static gp_policy choose(gp_context *ctx, gp_call c, gp_policy_source *source) {
  gp_policy p;
  GOOD(gp_policy_origin(ctx, &c, &p, source));
  return p;
}

static void test_policies() {
  gp_policy_source source;
  gp_call reduce = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 1000);
  gp_call scan = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 1000);
  gp_call copy = gp_call_init(GP_COPY);
  copy.in_type = GP_I32, copy.count = 5;
  gp_context *ctx = open_fake();
  gp_policy p = choose(ctx, reduce, &source);
  CHECK(source == GP_POLICY_PORTABLE && p.threads > 0 && p.vectors > 0 && p.blocks_per_sm > 0 &&
        p.algorithm != GP_AUTO);
  gp_policy mine = small(GP_STEALING);
  reduce.policy = &mine;
  p = choose(ctx, reduce, &source);
  CHECK(source == GP_POLICY_CALLER && p.algorithm == GP_STEALING && p.threads == 128);
  for (gp_call c : {reduce, scan, copy}) { // what gp_policy_origin says can be handed back
    c.policy = nullptr;
    p = choose(ctx, c, &source);
    c.policy = &p;
    const gp_policy again = choose(ctx, c, &source);
    CHECK(source == GP_POLICY_CALLER && memcmp(&again, &p, sizeof p) == 0);
  }
  memset(&mine, 0, sizeof mine); // says nothing: as if there were none
  choose(ctx, reduce, &source);
  CHECK(source == GP_POLICY_PORTABLE);
  mine.threads = 256; // the rest is filled in
  p = choose(ctx, reduce, &source);
  CHECK(source == GP_POLICY_CALLER && p.threads == 256 && p.vectors > 0 && p.algorithm != GP_AUTO);
  reduce.policy = nullptr;
  CLOSE(ctx);

  fake::machine.name = "Fake With Rows", fake::machine.capability = 89;
  ctx = open_fake();
  p = choose(ctx, reduce, &source);
  CHECK(source == GP_POLICY_DEVICE && p.threads == 128); // the device's row before the capability's
  reduce.count = 1 << 18;
  CHECK(choose(ctx, reduce, &source).threads == 256); // the bucket from 1 MiB
  reduce.count = (1 << 18) - 1;
  CHECK(choose(ctx, reduce, &source).threads == 128);
  reduce.in_type = reduce.out_type = GP_I64;
  reduce.count = 1 << 20;
  CHECK(choose(ctx, reduce, &source).threads == 512); // a row that names the size before a row for any
  p = choose(ctx, scan, &source);
  CHECK(source == GP_POLICY_CAPABILITY && p.algorithm == GP_LOOK_BACK && p.threads == 128 && p.stages > 0);
  scan.count = 255; // below the bucket
  choose(ctx, scan, &source);
  CHECK(source == GP_POLICY_PORTABLE);
  p = choose(ctx, copy, &source);
  CHECK(source == GP_POLICY_CLASS && p.threads == 512 && p.vectors > 0);
  // A row serves what it was measured on: sizes of its bucket, aligned pointers, calls that are not reproducible, even
  // where its policy would be valid for the others too.
  float *const aligned = reinterpret_cast<float *>(uintptr_t(4096));
  gp_call rest = fold_call(GP_EXCLUSIVE_SCAN, GP_SUM, GP_F32, GP_F32, aligned, aligned + (1 << 20), (1 << 18) - 1);
  choose(ctx, rest, &source);
  CHECK(source == GP_POLICY_DEVICE);
  rest.flags = GP_REPRODUCIBLE;
  p = choose(ctx, rest, &source);
  CHECK(source == GP_POLICY_PORTABLE && p.threads == 320 && p.vectors == 9);
  rest.flags = 0, rest.count = 1 << 18; // 1 MiB: above the bucket
  choose(ctx, rest, &source);
  CHECK(source == GP_POLICY_PORTABLE);
  rest.count = 1000, rest.in = aligned + 1;
  choose(ctx, rest, &source);
  CHECK(source == GP_POLICY_PORTABLE);
  rest.in = aligned, rest.out = aligned + (1 << 20) + 1;
  choose(ctx, rest, &source);
  CHECK(source == GP_POLICY_PORTABLE);
  CLOSE(ctx);
  fake::machine.name = "Another", fake::machine.capability = 90;
  ctx = open_fake();
  choose(ctx, copy, &source);
  CHECK(source == GP_POLICY_PORTABLE);

  // the space as JSON
  char json[4096];
  for (int i = GP_COPY; i < GP_PRIMITIVE_COUNT; ++i) {
    const size_t length = gp_policy_space(gp_primitive(i), json, sizeof json);
    CHECK(length == strlen(json) && length == gp_policy_space(gp_primitive(i), nullptr, 0));
    CHECK(strncmp(json, "{\"primitive\": \"", 15) == 0 && strcmp(json + length - 2, "]}") == 0);
    char cut[40];
    CHECK(gp_policy_space(gp_primitive(i), cut, sizeof cut) == length && strlen(cut) == sizeof cut - 1);
    CHECK(strncmp(cut, json, sizeof cut - 1) == 0);
  }
  gp_policy_space(GP_EXCLUSIVE_SCAN, json, sizeof json);
  CHECK(strstr(json, "\"names\": [\"GP_LOOK_BACK\", \"GP_THREE_SWEEP\"") && strstr(json, "{\"name\": \"stages\""));
  CHECK(gp_policy_space(gp_primitive(99), json, sizeof json) == 0);
  // every primitive's default is in the space of valid policies, for all sizes and both alignments
  for (int i = GP_REDUCE; i <= GP_EXCLUSIVE_SCAN; ++i)
    for (gp_type t : {GP_I8, GP_F16, GP_F32, GP_F64})
      for (uint64_t n = 0; n < uint64_t(1) << 36; n = n * 9 + 1)
        for (int flags : {0, 1})
          for (uintptr_t at : {uintptr_t(0), uintptr_t(4096 + 8)}) {
            gp_call c = fold_call(gp_primitive(i), GP_SUM, t, t, reinterpret_cast<void *>(at), nullptr, n);
            c.flags = flags;
            gp_policy q;
            const gp_result r = gp_policy_origin(ctx, &c, &q, &source);
            if (r)
              check(false, __LINE__, "primitive %d type %d n %llu: %s", i, t, (unsigned long long)n, gp_last_message());
          }
  CLOSE(ctx);
}

// ---- workspaces, streams, capture

// Tagged words at the front of a workspace, scratch at its back: what one has soiled is cleared before the other is
// used, and a graph keeps what it relies on.
static void test_room() {
  gp_context *ctx = open_fake();
  gp__state *s = ctx->state;
  fake::Stream *stream = fake::make_stream();
  void *scratch = nullptr;
  gp__workspace r;
  memset(&r, 0, sizeof r);
  const auto room = [&](uint64_t words, uint64_t bytes, int capturing = 0) {
    scratch = nullptr;
    return gp__find_room(s, "test", &r, stream, words, bytes, 0, capturing, &scratch);
  };
  const auto at = [&] { return size_t(static_cast<char *>(scratch) - static_cast<char *>(r.workspace)); };
  const auto is_zero = [&](size_t from, size_t to) {
    const char *p = static_cast<char *>(r.workspace);
    return std::all_of(p + from, p + to, [](char c) { return c == 0; });
  };
  const auto soil = [&](size_t bytes) { memset(scratch, 0x5a, bytes); };

  int pushed = 0;
  GOOD(gp__enter(s, "test", &pushed));
  GOOD(room(4096, 60000)); // 64 KiB in all
  CHECK(r.bytes == 65536 && at() % 256 == 0 && at() >= 4096 && at() + 60000 <= r.bytes && is_zero(0, 4096));
  soil(60000);
  GOOD(room(65536, 0)); // the words reach into what was scratch
  CHECK(r.bytes == 65536 && is_zero(4096, 65536) && r.tagged == 65536);
  GOOD(room(0, 256)); // scratch alone: the control word keeps its place, and words one of their own
  CHECK(r.bytes == 131072 && at() >= 65536);
  GOOD(room(65536, 0));
  CHECK(r.tagged >= 65536);
  // A captured call's words: no scratch may lie there later. Captured scratch: words that reach it are always cleared.
  GOOD(room(100000, 0, 1));
  GOOD(room(256, 40000, 0));
  CHECK(at() >= 100000 && r.pinned == 0); // it has grown: the graph keeps the old one
  GOOD(room(512, 100000, 1));
  const size_t soiled = at();
  CHECK(r.soiled == soiled);
  for (int i = 0; i < 2; ++i) {
    memset(static_cast<char *>(r.workspace) + soiled, 0x77, r.bytes - soiled); // the graph runs
    GOOD(room(soiled + 4096, 0));
    CHECK(is_zero(soiled, soiled + 4096) && r.tagged == soiled);
  }
  // Captured, nothing grows; what an outer call holds is left alone.
  BAD(GP_E_WORKSPACE, "being captured", room(r.bytes, 4096, 1));
  r.held = r.bytes / 2;
  GOOD(room(512, 4096));
  CHECK(at() + 4096 <= r.bytes - r.held);
  BAD(GP_E_WORKSPACE, "no room", room(512, r.bytes));
  r.held = 0;
  if (gp__retire(s, "test", &r, stream, static_cast<gp__retired *>(malloc(sizeof(gp__retired)))) != GP_SUCCESS)
    check(false, __LINE__, "gp__retire: %s", gp_last_message());
  GOOD(gp__leave(s, "test", pushed, GP_SUCCESS));
  CLOSE(ctx);
  fake::destroy_stream(stream);
}

static void test_workspaces() {
  gp_context *ctx = open_fake();
  gp_policy q = small(GP_LOOK_BACK);
  std::vector<int> ones(200000, 1);
  Device<int> in(ones), out(ones.size());
  fake::machine.run = false;
  gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, 1000);
  c.policy = &q;
  uint64_t bytes = 0, more = 0, misaligned = 0;
  const unsigned long before = fake::counts.total;
  GOOD(gp_workspace_size(ctx, &c, &bytes));
  c.count = ones.size();
  GOOD(gp_workspace_size(ctx, &c, &more));
  c.in = in.data + 1, c.out = nullptr;
  GOOD(gp_workspace_size(ctx, &c, &misaligned));
  c.in = in.data, c.out = out.data;
  CHECK(bytes > 256 && more > bytes && misaligned == more && fake::counts.total == before); // asks nobody
  // A pipelined scan starts its tiles on a boundary of the input, so a misaligned one may need a tile more: that one is
  // counted, whatever the pointer. Ten tiles of 512, one more, and two words of the first group; in whole 256 bytes.
  q = small(GP_PIPELINED);
  gp_call piped = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 5120);
  piped.policy = &q;
  GOOD(gp_workspace_size(ctx, &piped, &bytes));
  CHECK(bytes == gp__round_up(GP__CONTROL_BYTES + 13 * GP__WORD_BYTES, 256));
  q = small(GP_LOOK_BACK);
  gp_call copy = gp_call_init(GP_COPY);
  copy.in_type = GP_I32, copy.in = in.data, copy.out = out.data, copy.count = 1000;
  GOOD(gp_workspace_size(ctx, &copy, &bytes));
  CHECK(bytes == 0);
  GOOD(gp_run(ctx, &copy, nullptr));
  CHECK(fake::memory.empty());

  // one a stream, kept, and grown in stream order
  fake::Stream *s1 = fake::make_stream(), *s2 = fake::make_stream();
  c.count = 1000;
  GOOD(gp_run(ctx, &c, s1));
  CHECK(fake::memory.size() == 1);
  GOOD(gp_run(ctx, &c, s1));
  CHECK(fake::memory.size() == 1 && fake::counts.calls["cuMemAllocAsync"] == 1);
  GOOD(gp_run(ctx, &c, s2));
  GOOD(gp_run(ctx, &c, nullptr));
  GOOD(gp_run(ctx, &c, gp_stream(1))); // the same default stream under its other name
  CHECK(fake::memory.size() == 3);
  c.count = ones.size();
  GOOD(gp_reserve(ctx, s1, more));
  GOOD(gp_run(ctx, &c, s1));
  CHECK(fake::memory.size() == 3);
  GOOD(gp_reserve(ctx, s1, 10));
  GOOD(gp_reserve(ctx, s1, 0));
  GOOD(gp_reserve(ctx, s1, 1 << 20)); // larger than its first allocation: the old one goes back at once
  CHECK(fake::memory.size() == 3 && fake::counts.calls["cuMemFreeAsync"] >= 1);
  fake::destroy_stream(s2); // a stream of the same handle later is another stream
  CHECK(fake::counts.calls["cuStreamSynchronize"] == 0 && fake::counts.calls["cuCtxSynchronize"] == 0);

  // streams of others
  fake::Stream *stranger = fake::make_stream(&fake::foreign);
  BAD(GP_E_STREAM, "stream belongs to another context", gp_run(ctx, &c, stranger));
  BAD(GP_E_STREAM, "stream belongs to another context", gp_copy(ctx, GP_I32, in.data, out.data, 5, stranger));
  BAD(GP_E_STREAM, "gp_reserve: stream", gp_reserve(ctx, stranger, 1000));
  char nobody[64];
  BAD(GP_E_STREAM, "cuStreamGetCtx", gp_copy(ctx, GP_I32, in.data, out.data, 5, nobody));
  GOOD(gp_run(ctx, &c, s1));

  // capture: nothing grows, loading is allowed, and what a graph holds is kept
  fake::Stream *s3 = fake::make_stream();
  s3->capturing = 1, fake::strict_capture = true;
  c.count = 1000;
  BAD(GP_E_WORKSPACE, "gp_reserve(ctx, stream, ", gp_run(ctx, &c, s3));
  GOOD(gp_copy(ctx, GP_I16, in.data, out.data, 50, s3)); // a kernel that must be loaded, and no workspace
  CHECK(s3->launches == 1);
  s3->capturing = 0;
  GOOD(gp_workspace_size(ctx, &c, &bytes));
  GOOD(gp_reserve(ctx, s3, bytes));
  const size_t allocations = fake::memory.size();
  s3->capturing = 1;
  GOOD(gp_run(ctx, &c, s3));
  CHECK(s3->launches == 2 && fake::memory.size() == allocations);
  s3->capturing = 0, fake::strict_capture = false;
  GOOD(gp_reserve(ctx, s3, 1 << 21)); // the graph's workspace stays
  CHECK(fake::memory.size() == allocations + 1);
  GOOD(gp_reserve(ctx, s3, 1 << 22)); // no graph has this one
  CHECK(fake::memory.size() == allocations + 1);
  CLOSE(ctx);

  // without stream-ordered allocation, without ids
  fake::machine.pools = 0, fake::machine.stream_ids = false;
  ctx = open_fake();
  fake::machine.run = false;
  fake::strict_capture = true;
  GOOD(gp_run(ctx, &c, s1));
  GOOD(gp_run(ctx, &c, gp_stream(2)));
  GOOD(gp_reserve(ctx, s1, 1 << 20));
  CHECK(fake::memory.size() == 3 && fake::counts.calls["cuMemFree"] >= 1); // the old one waits for gp_close
  fake::strict_capture = false;
  CLOSE(ctx);

  // hooks
  struct Hooks {
    std::map<void *, size_t> live;
    size_t offset = 0;
    bool refuse = false;
  } hooks;
  fake::reset();
  gp_config k = config();
  k.allocator_user = &hooks;
  k.allocate = [](void *user, size_t n, gp_stream) -> void * {
    Hooks *h = static_cast<Hooks *>(user);
    if (h->refuse) return nullptr;
    char *p = static_cast<char *>(simt::device_malloc(n + 256)) + h->offset;
    h->live[p] = n;
    return p;
  };
  k.release = [](void *user, void *p, size_t n, gp_stream) {
    Hooks *h = static_cast<Hooks *>(user);
    CHECK(h->live.count(p) && h->live[p] == n);
    h->live.erase(p);
    simt::device_free(static_cast<char *>(p) - h->offset);
  };
  GOOD(gp_open(&k, &ctx));
  fake::machine.run = false;
  GOOD(gp_prepare(ctx, &c));
  hooks.refuse = true;
  BAD(GP_E_MEMORY, "gp_config.allocate returned NULL", gp_run(ctx, &c, s1));
  hooks.refuse = false, hooks.offset = 16;
  BAD(GP_E_MEMORY, "not aligned to 256 bytes", gp_run(ctx, &c, s1));
  CHECK(hooks.live.empty());
  hooks.offset = 0;
  GOOD(gp_run(ctx, &c, s1));
  GOOD(gp_reserve(ctx, s1, 1 << 20));
  CHECK(hooks.live.size() == 1 && fake::memory.empty());
  CLOSE(ctx);
  CHECK(hooks.live.empty());

  // overlap asks for programmatic serialization
  fake::reset();
  ctx = open_fake();
  fake::machine.run = false;
  q = small(GP_LOOK_BACK), q.overlap = 1;
  GOOD(gp_run(ctx, &c, s1));
  CHECK(fake::counts.overlapped == 1 && fake::last_launch.stream == s1);
  CLOSE(ctx);
  fake::machine.launch_ex = false;
  ctx = open_fake();
  GOOD(gp_prepare(ctx, &c));
  GOOD(gp_reserve(ctx, s1, 100000));
  BAD(GP_E_POLICY, "policy.overlap", gp_run(ctx, &c, s1));
  CLOSE(ctx);
  fake::machine.occupancy = 0; // a block that fits no multiprocessor
  ctx = open_fake();
  q.overlap = 2;
  BAD(GP_E_POLICY, "does not fit a multiprocessor", gp_run(ctx, &c, s1));
  CLOSE(ctx);
  fake::destroy_stream(s1);
  fake::destroy_stream(s3);
  fake::destroy_stream(stranger);
}

// ---- faults: the k-th call fails, for every k

static void test_faults() {
  const int n = 500;
  std::vector<int> v(n, 3);
  Device<int> in(v), out{size_t(n)}, one(1);
  gp_policy scan_policy = small(GP_LOOK_BACK), reduce_policy = small(GP_EVEN_SHARE), sweep = small(GP_THREE_SWEEP);
  unsigned long k = 1, injected = 0;
  for (int code : {999, 2})
    for (int pools : {1, 0})
      for (k = 1; k < 10000; ++k) {
        fake::reset();
        fake::machine.pools = pools;
        fake::Stream *stream = fake::make_stream();
        fake::fail_at = k, fake::fail_with = code;
        bool complained = false;
        gp_context *ctx = nullptr;
        // An operation that fails says which call of the driver did, and works when it is tried again.
        auto attempt = [&](const char *what, gp_result r, auto again) {
          if (r == GP_SUCCESS) return;
          complained = true;
          check(r == GP_E_DRIVER || r == GP_E_MEMORY || r == GP_E_NO_DEVICE || r == GP_E_COMPILE ||
                    r == GP_E_NO_COMPILER || r == GP_E_STREAM,
                __LINE__, "%s: %s with call %lu (%s) failing", what, gp_result_name(r), k, fake::failed_call.c_str());
          check(r != GP_E_MEMORY || code == 2, __LINE__, "%s: GP_E_MEMORY with %s failing", what,
                fake::failed_call.c_str());
          check(!fake::failed_call.empty() && strstr(gp_last_message(), fake::failed_call.c_str()), __LINE__,
                "%s: the message \"%s\" lacks %s", what, gp_last_message(), fake::failed_call.c_str());
          const gp_result second = again();
          check(second == GP_SUCCESS, __LINE__, "%s after %s failed: %s", what, fake::failed_call.c_str(),
                gp_last_message());
        };
        gp_config cf = config();
        auto open = [&] { return gp_open(&cf, &ctx); };
        attempt("gp_open", open(), open);
        if (!ctx) {
          check(false, __LINE__, "no context with call %lu failing", k);
          break;
        }
        gp_call reduce = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, in.data, one.data, n);
        gp_call scan = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, n);
        reduce.policy = &reduce_policy, scan.policy = &scan_policy;
        auto run_reduce = [&] { return gp_run(ctx, &reduce, stream); };
        auto run_scan = [&] { return gp_run(ctx, &scan, stream); };
        auto grow = [&] { return gp_reserve(ctx, stream, 1 << 20); };
        attempt("gp_reduce", run_reduce(), run_reduce);
        CHECK(*one.data == 3 * n);
        attempt("gp_reserve", grow(), grow);
        attempt("gp_inclusive_scan", run_scan(), run_scan);
        CHECK(out.data[n - 1] == 3 * n);
        scan.policy = &sweep;
        attempt("gp_inclusive_scan", run_scan(), run_scan);
        CHECK(out.data[n - 1] == 3 * n);
        gp_policy said;
        auto echo = [&] { return gp_policy_echo(ctx, &scan, &said); };
        attempt("gp_policy_echo", echo(), echo);
        CHECK(said.algorithm == sweep.algorithm && said.threads == sweep.threads);
        const bool before_close = !fake::failed_call.empty();
        const gp_result closed = gp_close(ctx);
        if (closed != GP_SUCCESS) {
          complained = true;
          check(closed == GP_E_DRIVER && !before_close && strstr(gp_last_message(), fake::failed_call.c_str()),
                __LINE__, "gp_close with %s failing: %s", fake::failed_call.c_str(), gp_last_message());
        }
        check(fake::leaks().empty(), __LINE__, "call %lu (%s) failing leaks: %s", k, fake::failed_call.c_str(),
              fake::leaks().c_str());
        const bool hit = !fake::failed_call.empty();
        injected += hit;
        // What gives back or only informs may fail unnoticed; nothing else may.
        if (hit && !complained)
          check(fake::failed_call == "nvrtcDestroyProgram" || fake::failed_call == "nvrtcGetProgramLogSize" ||
                    fake::failed_call == "cuThreadExchangeStreamCaptureMode",
                __LINE__, "call %lu (%s) failed and nobody said so", k, fake::failed_call.c_str());
        fake::destroy_stream(stream);
        if (!hit) break;
      }
  check(injected > 250, __LINE__, "only %lu faults were injected", injected);
}

// ---- the disk cache

static std::string scratch() {
  char path[] = P_tmpdir "/gpuprims_test_XXXXXX";
  return mkdtemp(path);
}
static std::vector<std::string> files(const std::string &folder, const char *ending) {
  std::vector<std::string> all;
  FILE *f = popen(("ls -A '" + folder + "' 2>/dev/null").c_str(), "r");
  char line[512];
  while (f && fgets(line, sizeof line, f)) {
    std::string name(line, strcspn(line, "\n"));
    if (name.size() >= strlen(ending) && name.compare(name.size() - strlen(ending), std::string::npos, ending) == 0)
      all.push_back(folder + "/" + name);
  }
  if (f) pclose(f);
  return all;
}
static gp_kernel_source origin_with(const std::string &folder, const gp_call &c) {
  gp_config k = config();
  gp_context *ctx = nullptr;
  gp_kernel_source source = GP_KERNEL_NONE;
  k.cache_dir = folder.c_str();
  GOOD(gp_open(&k, &ctx));
  GOOD(gp_prepare(ctx, &c));
  GOOD(gp_kernel_origin(ctx, &c, &source, nullptr, 0));
  CLOSE(ctx);
  return source;
}
static void rewrite(const std::string &path, std::function<void(std::string &)> change) {
  std::string data;
  FILE *f = fopen(path.c_str(), "rb");
  for (int c; f && (c = fgetc(f)) != EOF;) data += char(c);
  if (f) fclose(f);
  change(data);
  f = fopen(path.c_str(), "wb");
  fwrite(data.data(), 1, data.size(), f);
  fclose(f);
}

static void test_disk_cache() {
  const std::string base = scratch(), folder = base + "/a/b";
  gp_call c = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 100);
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED);
  struct stat about;
  CHECK(stat(folder.c_str(), &about) == 0 && (about.st_mode & 0777) == 0700);
  CHECK(files(folder, ".kernel").size() == 1 && files(folder, "").size() == 2); // and the version of NVRTC
  fake::counts = fake::Counts();
  CHECK(origin_with(folder, c) == GP_KERNEL_DISK);
  CHECK(fake::counts.calls["nvrtcVersion"] == 0 && warnings() == 0);
  const std::string kernel = files(folder, ".kernel")[0];
  CHECK(stat(kernel.c_str(), &about) == 0 && (about.st_mode & 0777) == 0600);

  // damage of every kind is seen, told, and repaired
  for (int kind = 0; kind < 6; ++kind) {
    logged.clear();
    rewrite(kernel, [&](std::string &d) {
      if (kind == 0) d[d.size() - 3] ^= 1; // the image
      if (kind == 1) d[60] ^= 1;           // the key
      if (kind == 2) d.resize(d.size() - 1);
      if (kind == 3) d.resize(20);
      if (kind == 4) d.clear();
      if (kind == 5) d[9] = char(0xff); // a length
    });
    check(origin_with(folder, c) == GP_KERNEL_COMPILED && warnings("is not used") == 1, __LINE__, "damage %d", kind);
    check(origin_with(folder, c) == GP_KERNEL_DISK, __LINE__, "repair after damage %d", kind);
  }
  // another NVRTC
  fake::machine.nvrtc_minor = 2;
  gp_call d = c;
  d.op = GP_MAX;
  CHECK(origin_with(folder, d) == GP_KERNEL_COMPILED);
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED && origin_with(folder, c) == GP_KERNEL_DISK);
  // other options, other architecture
  d = c, d.flags = GP_REPRODUCIBLE;
  CHECK(origin_with(folder, d) == GP_KERNEL_COMPILED);
  fake::machine.capability = 80;
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED && origin_with(folder, c) == GP_KERNEL_DISK);
  // a link in the place of a kernel
  logged.clear();
  rename(kernel.c_str(), (base + "/elsewhere").c_str());
  CHECK(symlink((base + "/elsewhere").c_str(), kernel.c_str()) == 0);
  fake::machine.capability = 90, fake::machine.nvrtc_minor = 0;
  rewrite(folder + "/nvrtc", [](std::string &text) { text.replace(0, 5, "13000"); });
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED && warnings("link") == 1);

  // folders that are no place for machine code: a warning, no failure
  for (int kind = 0; kind < 4; ++kind) {
    const std::string bad = base + "/bad" + std::to_string(kind);
    const char *why = "";
    logged.clear();
    if (kind == 0) mkdir(bad.c_str(), 0700), chmod(bad.c_str(), 0777), why = "others can write";
    if (kind == 1) (void)!symlink(folder.c_str(), bad.c_str()), why = "link";
    if (kind == 2) fclose(fopen(bad.c_str(), "w")), why = "no folder";
    if (kind == 3) {
      if (geteuid() != 0) {
        ++skipped;
        printf("skipped: disk cache owned by another user: not root\n");
        continue;
      }
      mkdir(bad.c_str(), 0700);
      (void)!chown(bad.c_str(), 12345, 12345);
      why = "another user owns it";
    }
    check(origin_with(bad, c) == GP_KERNEL_COMPILED && warnings(why) == 1 &&
              files(bad + "/", ".kernel").size() == (kind == 1 ? files(folder, ".kernel").size() : 0),
          __LINE__, "folder %d: %s", kind, logged.empty() ? "" : logged.back().c_str());
  }
  logged.clear(); // cannot be made, cannot be written
  CHECK(origin_with("/proc/gpuprims_test", c) == GP_KERNEL_COMPILED && warnings("/proc/gpuprims_test") == 1);
  CHECK(origin_with("/dev/null/x", c) == GP_KERNEL_COMPILED);
  logged.clear();
  const std::string lost = base + "/lost"; // it vanishes between the look and the write: one warning for many kernels
  {
    gp_config k = config();
    gp_context *ctx = nullptr;
    k.cache_dir = lost.c_str();
    GOOD(gp_open(&k, &ctx));
    GOOD(gp_prepare(ctx, &c));
    CHECK(system(("rm -rf " + lost).c_str()) == 0);
    for (gp_op op : {GP_MIN, GP_MAX, GP_PROD}) {
      gp_call e = c;
      e.op = op;
      GOOD(gp_prepare(ctx, &e));
    }
    CHECK(warnings("cannot be written") == 1);
    CLOSE(ctx);
  }
  // by the environment
  setenv("XDG_CACHE_HOME", (base + "/xdg").c_str(), 1);
  {
    gp_config k = config();
    gp_context *ctx = nullptr;
    k.cache_dir = nullptr;
    GOOD(gp_open(&k, &ctx));
    GOOD(gp_prepare(ctx, &c));
    CLOSE(ctx);
    CHECK(files(base + "/xdg/gpuprims", ".kernel").size() == 1);
    setenv("XDG_CACHE_HOME", "relative", 1); // has no meaning
    setenv("HOME", base.c_str(), 1);
    GOOD(gp_open(&k, &ctx));
    GOOD(gp_prepare(ctx, &c));
    CLOSE(ctx);
    CHECK(files(base + "/.cache/gpuprims", ".kernel").size() == 1);
    unsetenv("XDG_CACHE_HOME");
  }
  // many processes at once
  const std::string shared = base + "/shared";
  logged.clear();
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 10; ++round) {
        gp_config k = config();
        gp_context *ctx = nullptr;
        k.cache_dir = shared.c_str();
        good &= gp_open(&k, &ctx) == GP_SUCCESS;
        for (gp_op op = GP_SUM; good && op <= GP_MAX; ++op) {
          gp_call e = c;
          e.op = op;
          good &= gp_prepare(ctx, &e) == GP_SUCCESS;
        }
        good &= gp_close(ctx) == GP_SUCCESS;
      }
      _exit(good && warnings() == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  CHECK(files(shared, ".kernel").size() == 4 && files(shared, "").size() == 5 &&
        origin_with(shared, c) == GP_KERNEL_DISK);
  CHECK(system(("rm -rf " + base).c_str()) == 0);
}

// Seconds since a file was used, as far as the cache knows.
static void set_age(const std::string &path, long seconds) {
  const timeval t[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
  CHECK(utimes(path.c_str(), t) == 0);
}
static uint64_t bytes_of(const std::vector<std::string> &all) {
  uint64_t bytes = 0;
  struct stat about;
  for (const std::string &f : all) bytes += stat(f.c_str(), &about) ? 0 : uint64_t(about.st_size);
  return bytes;
}

// The disk cache's limit: what was unused for longest goes, what killed writers left goes, the rest stays.
static void test_cache_limit() {
  const std::string folder = scratch();
  const auto call = [](gp_op op, gp_type type) { return fold_call(GP_REDUCE, op, type, type, nullptr, nullptr, 100); };
  static const gp_type types[] = {GP_I32, GP_U32, GP_I64, GP_U64, GP_F32, GP_F64};
  const auto fill = [&](uint64_t most) { // 24 kernels; false where a call failed
    gp_config k = config();
    gp_context *ctx = nullptr;
    bool good = true;
    k.cache_dir = folder.c_str(), k.cache_bytes = most;
    good &= gp_open(&k, &ctx) == GP_SUCCESS;
    for (gp_type type : types)
      for (gp_op op = GP_SUM; good && op <= GP_MAX; ++op) {
        const gp_call c = call(op, type);
        good &= gp_prepare(ctx, &c) == GP_SUCCESS;
      }
    return good && gp_close(ctx) == GP_SUCCESS;
  };
  CHECK(fill(UINT64_MAX));
  const uint64_t all = bytes_of(files(folder, ".kernel"));
  CHECK(files(folder, ".kernel").size() == 24);
  CHECK(fill(0) && files(folder, ".kernel").size() == 24); // far below the default
  // All are old but the one that is read now, and the ones written next.
  for (const std::string &f : files(folder, ".kernel")) set_age(f, 100000);
  const std::string killed = folder + "/0123456789abcdef0123456789abcdef.kernel.77-0", alien = folder + "/mine.txt";
  const std::string busy = folder + "/0123456789abcdef0123456789abcdef.kernel.78-0";
  for (const std::string &f : {killed, alien, busy}) fclose(fopen(f.c_str(), "w"));
  set_age(killed, 100000), set_age(alien, 1000000);
  const gp_call used = call(GP_MIN, GP_F32);
  CHECK(origin_with(folder, used) == GP_KERNEL_DISK);
  {
    gp_config k = config();
    gp_context *ctx = nullptr;
    k.cache_dir = folder.c_str(), k.cache_bytes = all / 2;
    GOOD(gp_open(&k, &ctx));
    const gp_call c = call(GP_SUM, GP_I16);
    GOOD(gp_prepare(ctx, &c));
    CLOSE(ctx);
  }
  CHECK(bytes_of(files(folder, ".kernel")) <= all / 2 && files(folder, ".kernel").size() >= 8);
  CHECK(origin_with(folder, used) == GP_KERNEL_DISK && origin_with(folder, call(GP_SUM, GP_I16)) == GP_KERNEL_DISK);
  CHECK(access(killed.c_str(), F_OK) != 0 && access(alien.c_str(), F_OK) == 0 && access(busy.c_str(), F_OK) == 0);
  // Processes that write, read and throw away at once: no call fails, and the limit holds.
  logged.clear();
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 5; ++round) good &= fill(all / 3);
      _exit(good && warnings() == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  CHECK(fill(all / 3) && bytes_of(files(folder, ".kernel")) <= all / 3 + all / 24);
  // Another build of the same version of NVRTC: its library has another time. (Here it is this program.)
  struct stat about;
  char self[4096] = "";
  CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0 && stat(self, &about) == 0);
  const gp_call c = call(GP_MAX, GP_I8), d = call(GP_MIN, GP_I8);
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED && origin_with(folder, c) == GP_KERNEL_DISK);
  set_age(self, 12345);
  CHECK(origin_with(folder, d) == GP_KERNEL_COMPILED); // and so the other build is known
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED && origin_with(folder, c) == GP_KERNEL_DISK);
  const timeval before[2] = {{about.st_atime, 0}, {about.st_mtime, 0}};
  CHECK(utimes(self, before) == 0);
  CHECK(system(("rm -rf " + folder).c_str()) == 0);
}

// A bounded number of kernels is kept: the least recently used go, but for those of calls on their way and of graphs.
static void test_few_kernels() {
  gp_context *ctx = open_fake();
  fake::Stream *stream = fake::make_stream();
  fake::machine.run = false;
  Device<int> in(1000), out(1000);
  gp__state *s = ctx->state;
  s->kernels_most = 4;
  const auto run = [&](gp_op op) {
    gp_call c = fold_call(GP_REDUCE, op, GP_I32, GP_I32, in.data, out.data, 1000);
    GOOD(gp_run(ctx, &c, stream));
  };
  const auto compiled = [] { return fake::counts.calls["nvrtcCompileProgram"]; };
  run(GP_SUM), run(GP_PROD), run(GP_MIN), run(GP_MAX), run(GP_SUM);
  CHECK(compiled() == 4 && fake::modules.size() == 4);
  run(GP_BIT_AND); // PROD goes
  CHECK(compiled() == 5 && fake::modules.size() == 4);
  run(GP_SUM), run(GP_MIN), run(GP_MAX), run(GP_BIT_AND);
  CHECK(compiled() == 5);
  run(GP_PROD);
  CHECK(compiled() == 6 && fake::modules.size() == 4);
  stream->capturing = 1; // SUM was used longest ago but has been captured now
  run(GP_MIN);
  stream->capturing = 0;
  for (int i = 0; i < 3; ++i)
    for (gp_op op : {GP_BIT_OR, GP_BIT_XOR, GP_PROD, GP_MAX, GP_BIT_AND}) run(op);
  const unsigned before = compiled();
  run(GP_MIN);
  CHECK(compiled() == before && fake::modules.size() == 4);
  // A call of more kernels than are kept: none of its own goes before it is launched.
  s->kernels_most = 1;
  gp_policy sweeps = small(GP_THREE_SWEEP);
  gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, 1000);
  c.policy = &sweeps;
  for (int i = 0; i < 3; ++i) {
    GOOD(gp_run(ctx, &c, stream));
    run(GP_BIT_XOR);
  }
  CHECK(fake::modules.size() <= 4);
  // From many threads: the fake driver refuses to launch what has been unloaded.
  std::vector<std::thread> all;
  s->kernels_most = 3;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&, i] {
      for (int round = 0; round < 60; ++round) run(gp_op(GP_SUM + (round * 7 + i) % 4));
    });
  for (std::thread &t : all) t.join();
  CLOSE(ctx);
  fake::destroy_stream(stream);
}

// A valid call of every primitive that has more than an input and an output, on memory that nobody reads.
struct Buffers {
  alignas(256) unsigned char in[4096], keys[4096], begin[4096], end[4096], out[4096], out2[4096], out3[4096],
      out_keys[4096];
  alignas(8) uint64_t counts[4], bad;
};
// Segmented sorts of all bits and of a few are two kernels, in either order. The form of a transpose that is compiled
// is the one that is launched, where the device's shared memory decides it.
static void test_texts() {
  for (int order = 0; order < 2; ++order) {
    gp_context *ctx = open_fake();
    fake::machine.run = false;
    for (int i = 0; i < 2; ++i) {
      std::vector<std::string> names;
      fake::on_launch = [&](const fake::Module &m, const gp__cu_launch &) { names.push_back(m.kernel); };
      static Buffers b;
      gp_call c = gp_call_init(GP_SEGMENTED_SORT);
      c.key_type = GP_U32, c.keys = b.keys, c.out_keys = b.out_keys, c.count = 20;
      c.offset_type = GP_U32, c.begin = b.begin, c.segments = 2;
      if (i != order) c.begin_bit = 16, c.end_bit = 19;
      GOOD(gp_run(ctx, &c, nullptr));
      fake::on_launch = nullptr;
      size_t placed = 0;
      for (const std::string &name : names) placed += name.find("true") != std::string::npos;
      CHECK(names.size() >= 2 && (placed != 0) == (i != order));
    }
    CLOSE(ctx);
  }
  fake::machine.capability = 86, fake::machine.shared_bytes = 99 * 1024;
  gp_context *ctx = open_fake();
  fake::machine.run = false;
  gp_permutation m = {};
  m.dimensions = 2, m.order[0] = 1, m.extent[0] = 47, m.extent[1] = 1 << 20;
  gp_policy wide = small(GP_PADDED_TILES);
  wide.threads = 1024;
  gp_call c = gp_call_init(GP_TRANSPOSE);
  c.in_type = GP_F32, c.permutation = &m, c.policy = &wide;
  gp_kernel_source source;
  char name[400];
  gp__request q;
  gp__state *s = ctx->state;
  GOOD(gp__check_call(s, "test", &c, 0, 0, &q));
  GOOD(gp_kernel_origin(ctx, &c, &source, name, sizeof name));
  gp__shape h = gp__shape_of(&q);
  gp__shape_on(&h, &s->about);
  gp_policy p;
  gp_policy_source from;
  GOOD(gp_policy_origin(ctx, &c, &p, &from));
  const std::string form = ", " + std::to_string(gp__transpose_form(p, h)) + ", false>";
  check(strstr(name, form.c_str()) != nullptr, __LINE__, "%s lacks form%s", name, form.c_str());
  CLOSE(ctx);
}

// ---- bundles

static void test_bundles() {
  gp_config k = config();
  k.backend = GP_BACKEND_HOST; // kernels are compiled on machines without a GPU
  gp_context *ctx = nullptr;
  GOOD(gp_open(&k, &ctx));
  struct Image {
    std::string key, data;
    int capability;
  };
  std::vector<Image> images;
  gp_call c = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 100);
  gp_call three = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 100);
  gp_policy sweep = small(GP_THREE_SWEEP);
  three.policy = &sweep;
  for (int capability : {80, 90})
    for (gp_call *call : {&c, &three}) {
      const size_t before = images.size();
      GOOD(gp_compile(
          ctx, call, capability,
          [](void *user, const char *key, const void *image, size_t bytes) {
            static_cast<std::vector<Image> *>(user)->push_back(
                Image{key, std::string(static_cast<const char *>(image), bytes), 0});
          },
          &images));
      CHECK(images.size() - before == (call == &c ? 1 : 3));
      for (size_t i = before; i < images.size(); ++i) images[i].capability = capability;
    }
  const unsigned compiled = fake::counts.calls["nvrtcCompileProgram"];
  GOOD(gp_compile(
      ctx, &c, 90, [](void *, const char *, const void *, size_t) {}, nullptr));
  CHECK(fake::counts.calls["nvrtcCompileProgram"] == compiled); // once a kernel
  BAD(GP_E_ARGUMENT, "does not know compute capability 12.1",
      gp_compile(
          ctx, &c, 121, [](void *, const char *, const void *, size_t) {}, nullptr));
  CHECK(fake::counts.calls["cuInit"] == 0);
  GOOD(gp_close(ctx));

  std::vector<gp_bundle_entry> entries;
  for (const Image &i : images)
    entries.push_back(gp_bundle_entry{i.key.c_str(), i.capability, i.data.data(), i.data.size()});
  gp_bundle bundle = {GPUPRIMS__BUNDLE, unsigned(entries.size()), entries.data()};
  fake::counts = fake::Counts();
  k = config(), k.bundle = &bundle, k.no_compile = 1;
  for (int capability : {80, 86, 90}) { // machine code of 8.0 runs on 8.6
    fake::machine.capability = capability;
    GOOD(gp_open(&k, &ctx));
    gp_kernel_source source;
    for (gp_call *call : {&c, &three}) {
      GOOD(gp_prepare(ctx, call));
      GOOD(gp_kernel_origin(ctx, call, &source, nullptr, 0));
      CHECK(source == GP_KERNEL_BUNDLE);
    }
    gp_call other = c;
    other.op = GP_MAX;
    BAD(GP_E_NO_COMPILER, "neither cached nor bundled", gp_prepare(ctx, &other));
    CLOSE(ctx);
  }
  fake::machine.capability = 100; // ... but not on 10.0
  GOOD(gp_open(&k, &ctx));
  BAD(GP_E_NO_COMPILER, "neither cached nor bundled", gp_prepare(ctx, &c));
  CLOSE(ctx);
  CHECK(fake::counts.calls["nvrtcVersion"] == 0);
  bundle.header = "0123";
  BAD(GP_E_BUNDLE, "another version of gpuprims.h", gp_open(&k, &ctx));
  bundle.header = nullptr;
  BAD(GP_E_BUNDLE, "gp_config.bundle is empty", gp_open(&k, &ctx));
  bundle.header = GPUPRIMS__BUNDLE, entries[2].image = nullptr;
  BAD(GP_E_BUNDLE, "entry 2 is damaged", gp_open(&k, &ctx));
  CHECK(fake::leaks().empty());
}

// ---- threads and processes

static void test_threads() {
  gp_context *ctx = open_fake();
  fake::machine.compile_ms = 20;
  fake::machine.run = true;
  const int n = 600, threads = 6;
  std::vector<int> v(n, 2);
  std::vector<std::unique_ptr<Device<int>>> buffers;
  std::vector<fake::Stream *> streams;
  Device<int> in(v);
  for (int i = 0; i < threads; ++i) {
    buffers.emplace_back(new Device<int>(size_t(n)));
    streams.push_back(fake::make_stream());
  }
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      gp_policy scan_policy = small(i % 2 ? GP_LOOK_BACK : GP_THREE_SWEEP), copy_policy = small(GP_DIRECT);
      for (int round = 0; round < 4; ++round) {
        gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, buffers[size_t(i)]->data, n);
        c.policy = &scan_policy;
        GOOD(gp_run(ctx, &c, streams[size_t(i % 2)])); // three threads share a stream and its workspace
        if (round == 1) GOOD(gp_reserve(ctx, streams[size_t(i % 2)], uint64_t(100000) * unsigned(i + 1)));
        c = gp_call_init(GP_COPY);
        c.in_type = GP_I32, c.in = in.data, c.out = buffers[size_t(i)]->data, c.count = 10, c.policy = &copy_policy;
        GOOD(gp_run(ctx, &c, streams[size_t(i)]));
        gp_type_desc d = gp_type_desc_init();
        const std::string name = "t" + std::to_string(i) + "_" + std::to_string(round);
        gp_type t;
        d.name = name.c_str(), d.size = 4, d.align = 4;
        GOOD(gp_type_struct(ctx, &d, &t));
        CHECK(name == gp_type_name(ctx, t));
        CHECK(gp_reduce(ctx, GP_SUM, GP_I32, GP_I32, in.data, nullptr, 4, nullptr) == GP_E_NULL);
        CHECK(strcmp(gp_last_message(), "gp_reduce: out is null") == 0); // each thread has its own message
      }
    });
  for (std::thread &t : all) t.join();
  for (int i = 0; i < threads; ++i) {
    bool good = true;
    for (int j = 10; j < n; ++j) good &= buffers[size_t(i)]->data[j] == 2 * (j + 1);
    check(good && buffers[size_t(i)]->data[5] == 2, __LINE__, "thread %d's result", i);
  }
  CHECK(fake::counts.calls["nvrtcCompileProgram"] == 5); // look-back, three sweeps, copy: each once
  CLOSE(ctx);
  for (fake::Stream *s : streams) fake::destroy_stream(s);
}

static void test_fork() {
  gp_context *ctx = open_fake();
  gp_call c = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 100);
  const pid_t child = fork();
  if (child == 0) {
    gp_context *own = nullptr;
    gp_config k = config();
    k.backend = GP_BACKEND_HOST;
    int value[3] = {1, 2, 3}, sum = 0;
    const bool good = gp_prepare(ctx, &c) == GP_E_FORK && strstr(gp_last_message(), "parent") != nullptr &&
                      gp_close(ctx) == GP_E_FORK && gp_copy(ctx, GP_I32, nullptr, nullptr, 0, nullptr) == GP_E_FORK &&
                      gp_open(&k, &own) == GP_SUCCESS && // a context of its own works
                      gp_reduce(own, GP_SUM, GP_I32, GP_I32, value, &sum, 3, nullptr) == GP_SUCCESS && sum == 6 &&
                      gp_close(own) == GP_SUCCESS;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  GOOD(gp_prepare(ctx, &c)); // the parent goes on
  CLOSE(ctx);
}

// ---- the host's share of a call, over the driver's own launch

// Seconds of processor time of this thread, which other programs change least.
static double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

static void test_speed() {
  gp_context *ctx = open_fake();
  fake::machine.run = false;
  Device<int> in(1000), out(1000);
  gp_policy q = small(GP_LOOK_BACK);
  fake::Stream *stream = fake::make_stream();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const int rounds = 100; // of which no speed is asked
#else
  const int rounds = 10000;
#endif
  double best[2] = {1e9, 1e9}, driver = 1e9;
  for (int repeat = 0; repeat < 10; ++repeat) { // in turns, so that all three have the machine's quiet moments
    for (int kind = 0; kind < 2; ++kind) {
      gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, 1000);
      c.policy = kind ? &q : nullptr;
      const unsigned long before = fake::counts.total;
      gp_run(ctx, &c, stream);
      const double start = thread_seconds();
      for (int i = 0; i < rounds; ++i) gp_run(ctx, &c, stream);
      best[kind] = std::min(best[kind], (thread_seconds() - start) / rounds * 1e6);
      CHECK((fake::counts.total - before) / (rounds + 1) <= 7); // calls of the driver for each of ours
    }
    const gp_driver *d = fake::table(); // what the fake driver itself takes for these calls
    void *p;
    unsigned long long id;
    int status;
    fake::current.push_back(&fake::primary[0]);
    void *module = *fake::modules.begin(), *parameters[1] = {nullptr};
    const double start = thread_seconds();
    for (int i = 0; i < rounds; ++i) {
      d->cuCtxGetCurrent(&p), d->cuStreamGetCtx(stream, &p), d->cuStreamGetId(stream, &id);
      d->cuStreamIsCapturing(stream, &status), d->cuCtxPushCurrent(&fake::primary[0]), d->cuCtxPopCurrent(&p);
      d->cuLaunchKernel(module, 1, 1, 1, 128, 1, 1, 0, stream, parameters, nullptr);
    }
    driver = std::min(driver, (thread_seconds() - start) / rounds * 1e6);
    fake::current.pop_back();
  }
  printf("a repeated call: %.2f us, with a policy of the caller %.2f us; of that the fake driver %.2f us\n", best[0],
         best[1], driver);
  check(rounds < 10000 || best[0] - driver < 2.0, __LINE__, "the host's share of a call is %.2f us", best[0] - driver);
  CLOSE(ctx);
  fake::destroy_stream(stream);
}

// ---- segments, runs, selection, histograms, search

static Buffers buffers;
static const float lower_ends[4] = {0, -1, 2, 3}, upper_ends[4] = {1, 1, 4, 8};

// Rows and columns change places.
static gp_permutation square(uint64_t rows, uint64_t columns) {
  gp_permutation p = {};
  p.dimensions = 2;
  p.order[0] = 1;
  p.extent[0] = rows, p.extent[1] = columns;
  return p;
}
static const gp_field sample_fields[] = {{0, 2}, {2, 1}}; // of structs of four bytes, with a gap
static const gp_layout sample_structs = {GP_AOS, 4, sample_fields, 2, 0, nullptr};
static const gp_layout sample_columns = {GP_SOA, 4, sample_fields, 2, 0, nullptr};

// A graph in the sample's buffers: read, or written. One of more than n edges lies nowhere.
static gp_graph sample_graph(uint64_t n, bool written) {
  const bool large = n > 900;
  gp_graph g = {};
  g.vertices = 10, g.edges = n, g.offset_type = large ? GP_U64 : GP_U32;
  g.offsets = large     ? reinterpret_cast<void *>(uintptr_t(written ? 3 : 1) << 50)
              : written ? buffers.out_keys
                        : buffers.begin;
  g.targets = large     ? reinterpret_cast<void *>(uintptr_t(written ? 4 : 2) << 50)
              : written ? buffers.out3
                        : buffers.keys;
  return g;
}

static gp_call sample(gp_primitive p, uint64_t n = 100) {
  gp_call c = gp_call_init(p);
  Buffers &b = buffers;
  const bool segmented =
      p == GP_SEGMENTED_REDUCE || p == GP_SEGMENTED_INCLUSIVE_SCAN || p == GP_SEGMENTED_EXCLUSIVE_SCAN;
  const bool fold = p >= GP_SEGMENTED_REDUCE && p <= GP_REDUCE_BY_KEY,
             runs = p >= GP_INCLUSIVE_SCAN_BY_KEY && p <= GP_UNIQUE;
  const bool histogram = p == GP_HISTOGRAM_EVEN || p == GP_HISTOGRAM_RANGES,
             bound = p == GP_LOWER_BOUND || p == GP_UPPER_BOUND;
  const bool predicate = p >= GP_SELECT && p <= GP_ALL;
  c.count = n;
  if (fold || predicate || histogram || bound || p == GP_ADJACENT_DIFFERENCE) c.in_type = GP_F32, c.in = b.in;
  if (fold) c.op = GP_MAX;
  if (p == GP_ADJACENT_DIFFERENCE) c.op = GP_SUB;
  if (predicate) c.op = GP_LESS, c.init = lower_ends;
  if (runs) c.key_type = GP_I32, c.keys = b.keys;
  if (segmented || p == GP_LOAD_BALANCE || p == GP_CHECK_OFFSETS)
    c.offset_type = GP_I32, c.begin = b.begin, c.segments = 10;
  if (p == GP_CHECK_OFFSETS) c.bad = &b.bad;
  else if (p != GP_RUN_LENGTHS && p != GP_UNIQUE && p != GP_COUNT_IF) c.out = b.out;
  if (p == GP_RUN_LENGTHS || p == GP_NONTRIVIAL_RUNS || p == GP_PARTITION) c.out2 = b.out2;
  if (p == GP_REDUCE_BY_KEY || p == GP_RUN_LENGTHS || p == GP_UNIQUE) c.out_keys = b.out_keys;
  if (p == GP_REDUCE_BY_KEY || p == GP_RUN_LENGTHS || p == GP_UNIQUE || p == GP_NONTRIVIAL_RUNS || p == GP_SELECT ||
      p == GP_PARTITION || p == GP_COUNT_IF)
    c.out_count = b.counts;
  if (p == GP_GROUP_BY) {
    c.op = GP_MAX, c.in_type = GP_F32, c.in = b.in;
    c.key_type = GP_I32, c.keys = b.keys, c.out_keys = b.out_keys, c.out_count = b.counts;
  }
  if (histogram) c.out_type = GP_U32, c.bins = 16;
  if (p == GP_HISTOGRAM_EVEN) c.init = lower_ends, c.step = upper_ends;
  if (p == GP_HISTOGRAM_RANGES) c.begin = b.begin;
  if (bound) c.keys = b.keys, c.length = 50;
  if (bound || p == GP_LOAD_BALANCE) c.out_type = GP_U32;
  if (p == GP_SEGMENTED_SORT) {
    c.key_type = GP_I32, c.keys = b.keys, c.out_keys = b.out_keys, c.in_type = GP_F32, c.in = b.in;
    c.offset_type = GP_I32, c.begin = b.begin, c.segments = 10;
  }
  if (gp__is_ordered(p)) c.key_type = GP_I32, c.keys = b.keys;
  if (gp__is_ordered(p) && p != GP_IS_SORTED) c.in_type = GP_F32, c.in = b.in, c.out = b.out, c.out_keys = b.out_keys;
  if (p == GP_MERGE || gp__is_set(p)) c.keys2 = b.begin, c.in2 = b.end, c.count2 = n;
  if (gp__is_set(p) || p == GP_IS_SORTED) c.out_count = b.counts;
  if (p == GP_IS_SORTED) c.out = nullptr;
  if (p == GP_TOP_K || p == GP_SHUFFLE) c.in_type = GP_F32, c.in = b.in;
  if (p == GP_TOP_K || p == GP_NTH_ELEMENT)
    c.key_type = GP_I32, c.keys = b.keys, c.out_keys = b.out_keys, c.length = n < 9 ? n / 2 : 9;
  if (p == GP_NTH_ELEMENT) c.out = nullptr;
  if (p == GP_SORT) c.key_type = GP_I32, c.keys = b.keys, c.out_keys = b.out_keys, c.in_type = GP_F32, c.in = b.in;
  if (p == GP_TRANSPOSE) {
    static gp_permutation matrix;
    matrix = square(n % 10 ? 1 : 10, n % 10 ? n : n / 10);
    c.in_type = GP_F32, c.in = b.in, c.permutation = &matrix;
  }
  if (gp__is_search(p)) { // offsets and targets: zeros or whatever is there, read by nobody
    static gp_graph graph;
    memset(&graph, 0, sizeof graph);
    graph.vertices = n < 100 ? n : n < UINT32_MAX ? n : UINT32_MAX - 1;
    graph.offsets = b.begin, graph.targets = b.end, graph.edges = n < 100 ? n : 100;
    if (!graph.vertices) c.source_device = &b.bad;
    c.graph = &graph, c.count = 0, c.flags = 0;
    if (p == GP_BFS_SOURCES) c.count = 2, c.source_device = &b.counts[0];
  }
  if (p == GP_CONVERT_LAYOUT) c.in = b.in, c.in_layout = &sample_structs, c.out_layout = &sample_columns;
  if (gp__is_graph_work(p)) {
    static gp_graph graph, out_graph;
    graph = sample_graph(n, false), out_graph = sample_graph(n, true);
    if (p != GP_GRAPH_FROM_EDGES) c.graph = &graph, c.count = 0;
    else c.in_type = GP_U32, c.in = b.in, c.in2 = b.end;
    if (p == GP_GRAPH_FROM_EDGES || p == GP_GRAPH_RELABEL) c.out_graph = &out_graph;
    if (p == GP_GRAPH_TRANSPOSE) graph.in_offsets = out_graph.offsets, graph.in_sources = out_graph.targets;
    if (p == GP_GRAPH_FROM_EDGES || p == GP_GRAPH_TRANSPOSE) c.out = nullptr;
    if (p == GP_BFS_CHECK) c.in = b.in;
  }
  return c;
}

static void test_more_arguments(bool host) {
  gp_config config_ = config();
  if (host) config_.backend = GP_BACKEND_HOST;
  gp_context *ctx = nullptr;
  GOOD(gp_open(&config_, &ctx));
  Buffers &b = buffers;
  const gp_type vec3 = define(ctx, "vec3", "struct vec3 { float x, y, z; };", 12, 4);
  gp_op_desc d = gp_op_desc_init();
  gp_op binary, unary;
  const float zero[3] = {0, 0, 0};
  d.name = "mine", d.body = "return a;", d.host = host_add, d.identity = "{0}", d.arity = 2;
  d.host_identity = zero, d.host_identity_size = 12;
  GOOD(gp_op_define(ctx, &d, &binary));
  d = gp_op_desc_init();
  d.name = "mine of one", d.body = "return a.x > 0;", d.host = host_add, d.arity = 1;
  GOOD(gp_op_define(ctx, &d, &unary));
  memset(&b, 0x5a, sizeof b);

#define WRONG(code, text, primitive, ...)                                                                              \
  do {                                                                                                                 \
    gp_call c = sample(primitive);                                                                                     \
    __VA_ARGS__;                                                                                                       \
    BAD(code, text, gp_run(ctx, &c, nullptr));                                                                         \
  } while (0)
#define FINE(primitive, ...)                                                                                           \
  do {                                                                                                                 \
    gp_call c = sample(primitive);                                                                                     \
    __VA_ARGS__;                                                                                                       \
    GOOD(gp_prepare(ctx, &c));                                                                                         \
  } while (0)

  // What is sampled is right, and each field that a call does not read is an error that names it.
  for (int i = GP_SEGMENTED_REDUCE; i < GP_PRIMITIVE_COUNT; ++i) {
    const gp_primitive p = gp_primitive(i);
    FINE(p, (void)c);
    const int reads = gp__reads(p);
#define UNREAD(FIELD, field, error, text)                                                                              \
  if (!(reads & GP__READS_##FIELD)) {                                                                                  \
    gp_call c = sample(p);                                                                                             \
    memset(&c.field, 0, sizeof c.field);                                                                               \
    memset(&c.field, 1, 1);                                                                                            \
    BAD(error, ": " #field ": the call ", gp_run(ctx, &c, nullptr));                                                   \
  }
    GPUPRIMS__CALL_FIELDS(UNREAD)
#undef UNREAD
    WRONG(GP_E_ARGUMENT, "flags has unknown bits", p, c.flags = 1 << 20);
    const gp_graph none = {};
    if (p != GP_BFS) WRONG(GP_E_ARGUMENT, "flags: GP_UNTIL_TARGET serves bfs only", p, c.flags = GP_UNTIL_TARGET);
    if (!gp__takes_graph(p)) WRONG(GP_E_ARGUMENT, ": graph: the call takes none", p, c.graph = &none);
    if (p != GP_BFS && p != GP_BFS_CHECK)
      WRONG(GP_E_ARGUMENT, ": source and limit serve bfs and bfs_check only", p,
            p == GP_BFS_SOURCES ? c.source = 1 : c.limit = 1);
    if (p != GP_BFS_SOURCES) WRONG(GP_E_ARGUMENT, ": sources serves bfs_sources only", p, c.sources = &b.bad);
    if (p != GP_GRAPH_FROM_EDGES) {
      WRONG(GP_E_ARGUMENT, "GP_DROP_LOOPS serve graph_from_edges only", p, c.flags = GP_DROP_LOOPS);
      if (p != GP_GRAPH_RELABEL) WRONG(GP_E_ARGUMENT, ": out_graph: the call makes no graph", p, c.out_graph = &none);
    }
    if (p != GP_ADJACENT_DIFFERENCE)
      WRONG(GP_E_ARGUMENT, "GP_RIGHT serves adjacent_difference only", p, c.flags = GP_RIGHT);
    if (p > GP_SEGMENTED_EXCLUSIVE_SCAN && p != GP_SEGMENTED_SORT && p != GP_LOAD_BALANCE && !gp__is_search(p))
      WRONG(GP_E_ARGUMENT, "GP_CHECKED serves segmented_reduce, segmented scans, segmented_sort, load_balance and bfs",
            p, c.flags = GP_CHECKED);
    if (reads & GP__READS_COUNT_DEVICE) {
      WRONG(GP_E_ALIGNMENT, ": count_device (", p, c.count_device = reinterpret_cast<uint64_t *>(b.end + 4));
      FINE(p, c.count_device = &b.bad);
    }
    if (gp__is_graph_work(p)) continue; // their buffers have other names: test_graph_building
    if (reads & GP__READS_IN_TYPE && p != GP_UNIQUE) {
      WRONG(GP_E_TYPE, ": in_type is 77", p, c.in_type = 77);
      WRONG(GP_E_TYPE, ": in_type is not set", p, c.in_type = 0);
      WRONG(GP_E_NULL, ": in is null", p, c.in = nullptr);
      WRONG(GP_E_ALIGNMENT, ": in (", p, c.in = b.in + 2);
    }
    if (reads & GP__READS_OUT && p != GP_UNIQUE && !gp__is_search(p)) {
      WRONG(GP_E_NULL, ": out is null", p, c.out = nullptr);
      if (p != GP_ANY && p != GP_ALL && p != GP_CONVERT_LAYOUT) WRONG(GP_E_ALIGNMENT, ": out (", p, c.out = b.out + 2);
    }
    if (reads & GP__READS_KEY_TYPE && p != GP_SELECT && p != GP_PARTITION) {
      WRONG(GP_E_NULL, ": keys is null", p, c.keys = nullptr);
      WRONG(GP_E_ALIGNMENT, ": keys (", p, c.keys = b.keys + 1);
    }
    if (reads & GP__READS_OFFSET_TYPE) {
      WRONG(GP_E_TYPE, ": offset_type is f32, not i32, u32, i64 or u64", p, c.offset_type = GP_F32);
      WRONG(GP_E_TYPE, ": offset_type is u16", p, c.offset_type = GP_U16);
      WRONG(GP_E_TYPE, ": offset_type is not set", p, c.offset_type = 0);
      WRONG(GP_E_NULL, ": begin is null", p, c.begin = nullptr);
      WRONG(GP_E_ALIGNMENT, ": begin (", p, c.begin = b.begin + 2);
      WRONG(GP_E_ALIGNMENT, ": begin (", p, c.offset_type = GP_U64, c.begin = b.begin + 4);
      WRONG(GP_E_SIZE, ": segments is 2^64 - 1", p, c.segments = UINT64_MAX);
      WRONG(GP_E_SIZE, "", p, c.segments = UINT64_MAX / 4);
    }
    if (reads & GP__READS_OUT_COUNT) {
      WRONG(GP_E_NULL, ": out_count is null", p, c.out_count = nullptr);
      WRONG(GP_E_NULL, ": out_count is null", p, c.count = 0, c.out_count = nullptr);
      WRONG(GP_E_ALIGNMENT, ": out_count (", p, c.out_count = reinterpret_cast<uint64_t *>(b.end + 4));
      WRONG(GP_E_OVERLAP, " and out_count overlap", p,
            c.out_count = static_cast<uint64_t *>(const_cast<void *>(c.in ? c.in : c.keys)));
    }
  }

  // transposes
  {
    gp_permutation m;
#define SHAPED(code, text, ...)                                                                                        \
  do {                                                                                                                 \
    gp_call c = sample(GP_TRANSPOSE);                                                                                  \
    c.permutation = &m, c.count = 0, m = square(10, 10);                                                               \
    __VA_ARGS__;                                                                                                       \
    BAD(code, text, gp_run(ctx, &c, nullptr));                                                                         \
  } while (0)
    SHAPED(GP_E_NULL, ": permutation is null", c.permutation = nullptr);
    SHAPED(GP_E_ARGUMENT, ": permutation.dimensions is 0, not 1 to 4", m.dimensions = 0);
    SHAPED(GP_E_ARGUMENT, ": permutation.dimensions is 5, not 1 to 4", m.dimensions = 5);
    SHAPED(GP_E_ARGUMENT, ": permutation.order[1] is 1: no permutation of 2 dimensions", m.order[1] = 1);
    SHAPED(GP_E_ARGUMENT, ": permutation.order[0] is 2: no permutation of 2 dimensions", m.order[0] = 2);
    SHAPED(GP_E_ARGUMENT, ": permutation.order[0] is -1", m.order[0] = -1);
    SHAPED(GP_E_ARGUMENT, ": count is 99, neither 0 nor the product of permutation.extent, which is 100", c.count = 99);
    SHAPED(GP_E_SIZE, ": permutation.extent[1] is 8589934592: the product of the extents times 4 bytes overflows",
           m = square(uint64_t(1) << 31, uint64_t(1) << 33));
    SHAPED(GP_E_ARGUMENT, ": permutation.in_stride[0] (a leading dimension) is 9, too small for the 10 elements within",
           m.in_stride[0] = 9);
    SHAPED(GP_E_ARGUMENT, ": permutation.out_stride[0] (a leading dimension) is 9, too small", m.out_stride[0] = 9);
    SHAPED(GP_E_ARGUMENT, ": permutation.in_stride[1] is 2, but elements of the last dimension lie side by side",
           m.in_stride[1] = 2);
    SHAPED(GP_E_SIZE, ": permutation.out_stride[0] times the extent overflows", m.out_stride[0] = UINT64_MAX / 16);
    SHAPED(GP_E_TYPE, ": in_type and out_type differ", c.out_type = GP_U32);
    SHAPED(GP_E_OVERLAP, ": in and out overlap", c.out = b.in + 4);
    SHAPED(GP_E_OVERLAP, ": in and out overlap", c.out = b.in + 400, m.in_stride[0] = 12); // within the last row's gap
    SHAPED(GP_E_OVERLAP, ": in and out are the same: matrices are transposed in place where they are square",
           c.out = b.in, m = square(10, 9), m.in_stride[0] = 10);
    SHAPED(GP_E_OVERLAP, ": in and out are the same: matrices", c.out = b.in, m.in_stride[0] = 12);
    SHAPED(GP_E_OVERLAP, ": in and out are the same, but rows that stay as they are move", c.out = b.in,
           m.dimensions = 3, m.order[0] = 1, m.order[1] = 0, m.order[2] = 2, m.extent[2] = 100, m.extent[0] = 3,
           m.extent[1] = 2);
#undef SHAPED
    WRONG(GP_E_ARGUMENT, ": permutation: the call permutes no dimensions", GP_SHUFFLE, m = square(10, 10),
          c.permutation = &m);
  }

  // graphs
  {
    gp_graph g;
    uint64_t number = 0;
    gp_traversal t;
#define GRAPH(code, text, ...)                                                                                         \
  do {                                                                                                                 \
    gp_call c = sample(GP_BFS);                                                                                        \
    g = *c.graph, c.graph = &g;                                                                                        \
    __VA_ARGS__;                                                                                                       \
    BAD(code, text, gp_run(ctx, &c, nullptr));                                                                         \
  } while (0)
    GRAPH(GP_E_NULL, ": graph is null", c.graph = nullptr);
    GRAPH(GP_E_TYPE, ": graph->offset_type is ", g.offset_type = GP_I32);
    GRAPH(GP_E_TYPE, ": graph->vertex_type is ", g.vertex_type = GP_U16);
    GRAPH(GP_E_ARGUMENT, ": graph->flags has unknown bits: 0x2", g.flags = 2);
    GRAPH(GP_E_SIZE, ": graph->vertices is 4294967295, which u32 does not number", g.vertices = UINT32_MAX);
    GRAPH(GP_E_SIZE, ": graph->vertices is ", g.vertex_type = GP_U64, g.vertices = UINT64_MAX);
    GRAPH(GP_E_SIZE, ": graph->edges is 4294967296, which u32", g.edges = uint64_t(1) << 32);
    GRAPH(GP_E_SIZE, ": graph->edges is ", g.offset_type = GP_U64, g.edges = uint64_t(1) << 48);
    GRAPH(GP_E_NULL, ": graph->in_sources is null, but graph->in_offsets is not", g.in_offsets = b.in);
    GRAPH(GP_E_NULL, ": graph->in_offsets is null, but graph->in_sources is not", g.in_sources = b.in);
    GRAPH(GP_E_NULL, ": graph->offsets is null", g.offsets = nullptr);
    GRAPH(GP_E_NULL, ": graph->targets is null", g.targets = nullptr);
    GRAPH(GP_E_ALIGNMENT, ": graph->offsets (", g.offsets = b.begin + 2);
    GRAPH(GP_E_ALIGNMENT, ": graph->targets (", g.targets = b.end + 4, g.vertex_type = GP_U64);
    GRAPH(GP_E_ARGUMENT, ": source is 100, the graph has 100 vertices", c.source = 100);
    GRAPH(GP_E_ARGUMENT, ": source is 0, the graph has 0 vertices", g.vertices = 0);
    GRAPH(GP_E_ARGUMENT, ": target is 100, the graph has 100 vertices", c.flags = GP_UNTIL_TARGET, c.target = 100);
    GRAPH(GP_E_ARGUMENT, ": target: flags lacks GP_UNTIL_TARGET", c.target = 1);
    GRAPH(GP_E_NULL, ": out (depths) is null", c.out = nullptr);
    GRAPH(GP_E_ALIGNMENT, ": out (depths) (", c.out = b.out + 2);
    GRAPH(GP_E_ALIGNMENT, ": out2 (parents) (", c.out2 = b.out2 + 2);
    GRAPH(GP_E_ALIGNMENT, ": source_device (", c.source_device = reinterpret_cast<uint64_t *>(b.keys + 4));
    GRAPH(GP_E_ALIGNMENT, ": statistics (", c.statistics = reinterpret_cast<gp_traversal *>(b.keys + 4));
    GRAPH(GP_E_OVERLAP, ": graph->targets and out (depths) overlap", c.out = b.end + 4);
    GRAPH(GP_E_OVERLAP, ": out (depths) and out2 (parents) overlap", c.out2 = b.out + 4);
    FINE(GP_BFS, c.out2 = b.out2, c.source_device = &number, c.source = 1000, c.statistics = &t);
#undef GRAPH
    const uint64_t two[2] = {99, 100};
    WRONG(GP_E_ARGUMENT, ": sources[1] is 100, the graph has 100 vertices", GP_BFS_SOURCES, c.source_device = nullptr,
          c.sources = two);
    WRONG(GP_E_ARGUMENT, ": sources and source_device", GP_BFS_SOURCES, c.sources = two);
    WRONG(GP_E_NULL, ": sources is null", GP_BFS_SOURCES, c.source_device = nullptr);
    WRONG(GP_E_NULL, ": nothing is asked for", GP_BFS_SOURCES, c.out = nullptr);
    WRONG(GP_E_NULL, ": graph is null", GP_BFS_SOURCES, c.graph = nullptr);
    WRONG(GP_E_NULL, ": fault is null", GP_BFS_SOURCES, c.flags = GP_CHECKED);
    WRONG(GP_E_ARGUMENT, ": target serves bfs only", GP_BFS_SOURCES, c.target = 1);
    WRONG(GP_E_SIZE, ": count is 4611686018427387904: so many rows", GP_BFS_SOURCES, c.count = uint64_t(1) << 62);
    WRONG(GP_E_ALIGNMENT, ": out (depths) (", GP_BFS_SOURCES, c.out = b.out + 2);
    WRONG(GP_E_ALIGNMENT, ": out2 (reached) (", GP_BFS_SOURCES, c.out2 = b.out2 + 4);
    WRONG(GP_E_ALIGNMENT, ": source_device (", GP_BFS_SOURCES,
          c.source_device = reinterpret_cast<uint64_t *>(b.keys + 4));
    FINE(GP_BFS_SOURCES, c.out2 = b.out2, c.statistics = &t, c.limit = 3);
  }

  // operators
  for (gp_primitive p :
       {GP_SEGMENTED_REDUCE, GP_SEGMENTED_INCLUSIVE_SCAN, GP_REDUCE_BY_KEY, GP_EXCLUSIVE_SCAN_BY_KEY}) {
    WRONG(GP_E_OPERATOR, ": op is not set", p, c.op = 0);
    WRONG(GP_E_OPERATOR, "op: SUB serves transform2 and adjacent_difference only", p, c.op = GP_SUB);
    WRONG(GP_E_OPERATOR, "op: LESS serves predicates and runs only", p, c.op = GP_LESS);
    WRONG(GP_E_OPERATOR, "op: HEADS serves runs only", p, c.op = GP_HEADS);
    WRONG(GP_E_OPERATOR, "op: BIT_OR works on integers", p, c.op = GP_BIT_OR);
    WRONG(GP_E_OPERATOR, "op: MAX cannot take a struct", p, c.in_type = vec3);
    WRONG(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE", p, c.flags = GP_REPRODUCIBLE, c.op = GP_SUM);
    WRONG(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE", p, c.flags = GP_REPRODUCIBLE, c.op = binary, c.in_type = vec3);
    FINE(p, c.flags = GP_REPRODUCIBLE);
    FINE(p, c.op = GP_ARGMIN);
    FINE(p, c.op = binary, c.in_type = vec3);
  }
  for (gp_primitive p : {GP_REDUCE, GP_INCLUSIVE_SCAN, GP_TRANSFORM2, GP_ADJACENT_DIFFERENCE}) {
    gp_call c = fold_call(p, GP_GREATER, GP_I32, GP_I32, b.in, b.out, 10);
    BAD(GP_E_OPERATOR, "op: GREATER serves predicates and runs only", gp_run(ctx, &c, nullptr));
  }
  WRONG(GP_E_OPERATOR, "op: ARGMAX serves reduce and scan only", GP_ADJACENT_DIFFERENCE, c.op = GP_ARGMAX);
  WRONG(GP_E_OPERATOR, "op: SUB cannot take a struct", GP_ADJACENT_DIFFERENCE, c.in_type = vec3);
  WRONG(GP_E_TYPE, "one element is copied", GP_ADJACENT_DIFFERENCE, c.op = binary, c.in_type = vec3,
        c.out_type = GP_F32);
  FINE(GP_ADJACENT_DIFFERENCE, c.flags = GP_RIGHT, c.op = binary, c.in_type = vec3);
  for (gp_primitive p : {GP_RUN_LENGTHS, GP_NONTRIVIAL_RUNS, GP_UNIQUE, GP_REDUCE_BY_KEY}) {
    WRONG(GP_E_OPERATOR, "equal: LESS does not say what belongs to one run", p, c.equal = GP_LESS);
    WRONG(GP_E_OPERATOR, "\"mine of one\" is a unary one", p, c.equal = unary);
    WRONG(GP_E_OPERATOR, ": equal is 99", p, c.equal = 99);
    WRONG(GP_E_OPERATOR, "equal: EQUAL cannot take a struct", p, c.key_type = vec3);
    WRONG(GP_E_OPERATOR, "equal: NOT_EQUAL cannot take a struct", p, c.key_type = vec3, c.equal = GP_NOT_EQUAL);
    WRONG(GP_E_TYPE, "key_type (of flags) is f32", p, c.key_type = GP_F32, c.equal = GP_HEADS);
    WRONG(GP_E_TYPE, "key_type (of flags) is i64", p, c.key_type = GP_I64, c.equal = GP_HEADS);
    FINE(p, c.equal = GP_HEADS, c.key_type = GP_I8);
    FINE(p, c.equal = binary, c.key_type = vec3);
  }
  for (gp_primitive p : {GP_SELECT, GP_PARTITION, GP_COUNT_IF, GP_ANY, GP_ALL}) {
    WRONG(GP_E_OPERATOR, ": op is not set", p, c.op = 0);
    WRONG(GP_E_OPERATOR, "op: SUM is no predicate", p, c.op = GP_SUM);
    WRONG(GP_E_OPERATOR, "op: NOT is no predicate", p, c.op = GP_NOT);
    WRONG(GP_E_OPERATOR, "op: HEADS is no predicate", p, c.op = GP_HEADS);
    WRONG(GP_E_OPERATOR, "\"mine\" is a binary one", p, c.op = binary);
    WRONG(GP_E_NULL, "init (the scalar) is null: op: LESS", p, c.init = nullptr);
    WRONG(GP_E_ARGUMENT, "init (the scalar) is not null", p, c.op = unary, c.in_type = vec3);
    WRONG(GP_E_OPERATOR, "op: LESS cannot take a struct", p, c.in_type = vec3);
    FINE(p, c.op = unary, c.in_type = vec3, c.init = nullptr);
  }
  for (gp_primitive p : {GP_SELECT, GP_PARTITION}) {
    WRONG(GP_E_ARGUMENT, "keys: flags serve calls without a predicate", p, c.keys = b.keys);
    WRONG(GP_E_TYPE, "key_type: flags serve calls without a predicate", p, c.key_type = GP_U8);
    WRONG(GP_E_ARGUMENT, "init: flags are not compared", p, c.op = 0, c.keys = b.keys, c.key_type = GP_U8);
    WRONG(GP_E_TYPE, "key_type (of flags) is not set", p, c.op = 0, c.init = nullptr, c.keys = b.keys);
    WRONG(GP_E_NULL, "keys (flags) is null", p, c.op = 0, c.init = nullptr, c.key_type = GP_U8);
    WRONG(GP_E_TYPE, "in_type and out_type differ", p, c.out_type = GP_I32);
    FINE(p, c.op = 0, c.init = nullptr, c.keys = b.keys, c.key_type = GP_I16);
  }
  WRONG(GP_E_OPERATOR, "transform (the second predicate): flags make two parts", GP_PARTITION, c.op = 0,
        c.init = nullptr, c.key_type = GP_U8, c.keys = b.keys, c.transform = unary);
  WRONG(GP_E_OPERATOR, "transform: MIN is no predicate", GP_PARTITION, c.transform = GP_MIN);
  WRONG(GP_E_NULL, "step (the scalar) is null: transform: EQUAL", GP_PARTITION, c.transform = GP_EQUAL);
  WRONG(GP_E_ARGUMENT, "step: there is no second predicate", GP_PARTITION, c.step = upper_ends);
  WRONG(GP_E_ARGUMENT, "out3: there is no second predicate", GP_PARTITION, c.out3 = b.out3);
  WRONG(GP_E_NULL, "out3 (the third part) is null", GP_PARTITION, c.transform = GP_EQUAL, c.step = upper_ends);
  WRONG(GP_E_NULL, "out2 (the second part) is null", GP_PARTITION, c.out2 = nullptr);
  BAD(GP_E_OPERATOR, "gp_partition3: second is not set (0)",
      gp_partition3(ctx, GP_LESS, 0, GP_F32, lower_ends, nullptr, b.in, b.out, b.out2, nullptr, b.counts, 5, nullptr));
  for (gp_primitive p : {GP_LOWER_BOUND, GP_UPPER_BOUND}) {
    WRONG(GP_E_OPERATOR, "op: GREATER is no order", p, c.op = GP_GREATER);
    WRONG(GP_E_OPERATOR, "op: LESS cannot take a struct", p, c.in_type = vec3);
    WRONG(GP_E_TYPE, "in_type and key_type differ", p, c.key_type = GP_I32);
    WRONG(GP_E_SIZE, "length is", p, c.length = uint64_t(1) << 63, c.in_type = GP_U8);
    WRONG(GP_E_SIZE, "length is 4294967296, which positions of type u32", p, c.length = uint64_t(1) << 32);
    WRONG(GP_E_OVERLAP, "keys and out overlap", p, c.out = b.keys + 4);
    FINE(p, c.op = binary, c.in_type = vec3, c.key_type = vec3, c.out_type = GP_U64);
    FINE(p, c.out_type = GP_U64, c.length = uint64_t(1) << 33, c.keys = nullptr);
  }
  for (gp_primitive p : {GP_LOWER_BOUND, GP_LOAD_BALANCE}) {
    WRONG(GP_E_TYPE, "out_type (index_type) is i32, not u32 or u64", p, c.out_type = GP_I32);
    WRONG(GP_E_TYPE, "out_type (index_type) is not set", p, c.out_type = 0);
  }
  WRONG(GP_E_ARGUMENT, "segments is 0, but count is not", GP_LOAD_BALANCE, c.segments = 0);
  {
    const gp_key_field some[] = {{8, GP_F32, 0}, {0, GP_F32, 1}}, off[] = {{10, GP_U16, 0}, {6, GP_F32, 0}};
    const gp_key_field many[] = {{0, GP_F32, 0}, {0, vec3, 0}};
    const gp_key_field wide[17] = {{4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0},
                                   {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0},
                                   {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0},
                                   {4, GP_F32, 0}, {4, GP_F32, 0}};
    const gp_primitive p = GP_SORT;
    FINE(p, c.in = nullptr, c.in_type = 0, c.out_type = GP_I64, c.out_keys = nullptr);
    FINE(p, c.in = nullptr, c.in_type = 0, c.out = nullptr, c.begin_bit = 5, c.end_bit = 5, c.flags = GP_DESCENDING);
    FINE(p, c.key_type = vec3, c.fields = some, c.field_count = 2, c.end_bit = 64, c.in_type = vec3);
    FINE(p, c.key_type = vec3, c.transform = unary, c.acc_type = GP_U16, c.end_bit = 16);
    FINE(p, c.flags = GP_REPRODUCIBLE);
    FINE(p, c.out_keys = b.keys, c.out = b.in);
    WRONG(GP_E_NULL, ": out_keys is null", p, c.out_keys = nullptr);
    WRONG(GP_E_ALIGNMENT, ": out_keys (", p, c.out_keys = b.out_keys + 2);
    WRONG(GP_E_OVERLAP, "keys and out_keys overlap", p, c.out_keys = b.keys + 4);
    WRONG(GP_E_OVERLAP, "out and out_keys overlap", p, c.out_keys = b.out);
    WRONG(GP_E_TYPE, "out_type is not in_type", p, c.out_type = GP_I32);
    WRONG(GP_E_TYPE, "out_type (of indices) is f32", p, c.in = nullptr, c.in_type = 0, c.out_type = GP_F32);
    WRONG(GP_E_SIZE, "which indices of type u32", p, c.in = nullptr, c.in_type = 0, c.out_type = GP_U32,
          c.key_type = GP_U8, c.count = (uint64_t(1) << 32) + 1);
    WRONG(GP_E_TYPE, "key_type: a struct needs fields or a transform", p, c.key_type = vec3);
    WRONG(GP_E_OPERATOR, "transform: keys are decomposed by a user's operator, not by ABS", p, c.transform = GP_ABS);
    WRONG(GP_E_OPERATOR, "is a binary one", p, c.transform = binary);
    WRONG(GP_E_TYPE, "acc_type (of transform's result) is not set", p, c.transform = unary);
    WRONG(GP_E_TYPE, "acc_type (of transform's result) is a struct", p, c.transform = unary, c.acc_type = vec3);
    WRONG(GP_E_TYPE, "acc_type: there is no transform", p, c.acc_type = GP_U16);
    WRONG(GP_E_ARGUMENT, "fields and transform both", p, c.key_type = vec3, c.transform = unary, c.acc_type = GP_U16,
          c.fields = some, c.field_count = 2);
    WRONG(GP_E_ARGUMENT, "fields: keys of a built-in type have none", p, c.fields = some, c.field_count = 2);
    WRONG(GP_E_NULL, "fields is null", p, c.key_type = vec3, c.field_count = 2);
    WRONG(GP_E_ARGUMENT, "field_count is 0", p, c.key_type = vec3, c.fields = some);
    WRONG(GP_E_ARGUMENT, "field 1: no aligned f32 stands at offset 6 of vec3, of 12 bytes", p, c.key_type = vec3,
          c.fields = off, c.field_count = 2);
    WRONG(GP_E_TYPE, "field 1 is a struct", p, c.key_type = vec3, c.fields = many, c.field_count = 2);
    WRONG(GP_E_SIZE, "more than 64 bytes", p, c.key_type = vec3, c.fields = wide, c.field_count = 17);
    WRONG(GP_E_ARGUMENT, "no range within the 32 bits", p, c.end_bit = 33);
    WRONG(GP_E_ARGUMENT, "no range within the 32 bits", p, c.begin_bit = -1, c.end_bit = 3);
    WRONG(GP_E_ARGUMENT, "no range within the 32 bits", p, c.begin_bit = 4, c.end_bit = 3);
    WRONG(GP_E_ARGUMENT, "GP_UNSORTED serves top_k only", p, c.flags = GP_UNSORTED);
  }
  WRONG(GP_E_SIZE, "segments is 4294967297, which", GP_LOAD_BALANCE, c.segments = (uint64_t(1) << 32) + 1);

  // results
  for (gp_primitive p : {GP_RUN_LENGTHS, GP_NONTRIVIAL_RUNS}) {
    WRONG(GP_E_TYPE, "out2_type (of lengths) is f64", p, c.out2_type = GP_F64);
    WRONG(GP_E_ALIGNMENT, "out2 (lengths) (", p, c.out2 = b.out2 + 4, c.out2_type = GP_I64);
    WRONG(GP_E_OVERLAP, "keys and out2 (lengths) overlap", p, c.out2 = b.keys);
  }
  WRONG(GP_E_TYPE, "out_type and out2_type differ", GP_NONTRIVIAL_RUNS, c.out2_type = GP_I64, c.out_type = GP_I32);
  WRONG(GP_E_NULL, "out2 (lengths) is null", GP_NONTRIVIAL_RUNS, c.out2 = nullptr);
  WRONG(GP_E_OVERLAP, "out and out2 (lengths) overlap", GP_NONTRIVIAL_RUNS, c.out2 = b.out + 8);
  FINE(GP_RUN_LENGTHS, c.out2 = nullptr, c.out_keys = nullptr);
  WRONG(GP_E_TYPE, "out_type: the result is one byte", GP_ANY, c.out_type = GP_I32);
  WRONG(GP_E_NULL, "out_keys is null", GP_UNIQUE, c.out_keys = nullptr);
  WRONG(GP_E_NULL, ": out is null", GP_UNIQUE, c.in_type = GP_F64, c.in = b.in);
  WRONG(GP_E_NULL, ": in is null", GP_UNIQUE, c.in_type = GP_F64, c.out = b.out);
  WRONG(GP_E_TYPE, "in_type is not set", GP_UNIQUE, c.in = b.in, c.out = b.out);
  WRONG(GP_E_TYPE, "in_type and out_type differ", GP_UNIQUE, c.in_type = GP_F64, c.out_type = GP_F32, c.in = b.in,
        c.out = b.out);
  FINE(GP_UNIQUE, c.in_type = vec3, c.in = b.in, c.out = b.out);

  // segments
  for (gp_primitive p : {GP_SEGMENTED_REDUCE, GP_SEGMENTED_INCLUSIVE_SCAN, GP_LOAD_BALANCE}) {
    WRONG(GP_E_ARGUMENT, "bad: flags lacks GP_CHECKED", p, c.bad = &b.bad);
    WRONG(GP_E_NULL, "bad is null", p, c.flags = GP_CHECKED);
    WRONG(GP_E_ALIGNMENT, "bad (", p, c.flags = GP_CHECKED, c.bad = reinterpret_cast<uint64_t *>(b.end + 4));
    WRONG(GP_E_OVERLAP, "begin and bad overlap", p, c.flags = GP_CHECKED,
          c.bad = reinterpret_cast<uint64_t *>(b.begin + 40));
    WRONG(GP_E_OVERLAP, "begin and out overlap", p, c.out = b.begin + 40);
    FINE(p, c.flags = GP_CHECKED, c.bad = &b.bad);
  }
  WRONG(GP_E_ARGUMENT, "flags: GP_CHECKED checks offsets in their order", GP_SEGMENTED_REDUCE, c.flags = GP_CHECKED,
        c.bad = &b.bad, c.end = b.end);
  WRONG(GP_E_ARGUMENT, "flags: GP_CHECKED: segments of one length", GP_SEGMENTED_REDUCE, c.flags = GP_CHECKED,
        c.bad = &b.bad, c.begin = nullptr, c.offset_type = 0);
  WRONG(GP_E_ARGUMENT, "count_device: the call takes no count in device memory", GP_SEGMENTED_REDUCE,
        c.count_device = &b.bad);
  WRONG(GP_E_ARGUMENT, "length: segments have it where there are no offsets", GP_SEGMENTED_REDUCE, c.length = 3);
  WRONG(GP_E_ARGUMENT, "count is 100, neither 0 nor segments times length, which is 30", GP_SEGMENTED_REDUCE,
        c.begin = nullptr, c.offset_type = 0, c.length = 3);
  WRONG(GP_E_SIZE, "segments times length overflows", GP_SEGMENTED_REDUCE, c.begin = nullptr, c.offset_type = 0,
        c.length = UINT64_MAX / 2);
  WRONG(GP_E_ALIGNMENT, ": end (", GP_SEGMENTED_REDUCE, c.end = b.end + 1);
  WRONG(GP_E_OVERLAP, "end and out overlap", GP_SEGMENTED_REDUCE, c.end = b.out);
  FINE(GP_SEGMENTED_REDUCE, c.begin = nullptr, c.offset_type = 0, c.length = 10);
  FINE(GP_SEGMENTED_REDUCE, c.end = b.begin + 4);
  WRONG(GP_E_NULL, "bad is null", GP_CHECK_OFFSETS, c.bad = nullptr);

  // histograms
  for (gp_primitive p : {GP_HISTOGRAM_EVEN, GP_HISTOGRAM_RANGES}) {
    WRONG(GP_E_ARGUMENT, "bins is 0", p, c.bins = 0);
    WRONG(GP_E_SIZE, ": bins", p, c.bins = UINT64_MAX);
    WRONG(GP_E_SIZE, ": bins", p, c.bins = UINT64_MAX / 3, c.channels = 4);
    WRONG(GP_E_SIZE, ": bins", p, c.bins = 1u << 31);
    WRONG(GP_E_SIZE, ": bins", p, c.bins = 1u << 30, c.channels = 2);
    WRONG(GP_E_SIZE, "count: ", p, c.count = UINT64_MAX / 3, c.channels = 4);
    WRONG(GP_E_ARGUMENT, "channels is -1", p, c.channels = -1);
    WRONG(GP_E_ARGUMENT, "active is 3, not 1 to the 2 of channels", p, c.channels = 2, c.active = 3);
    WRONG(GP_E_ARGUMENT, "active is -1", p, c.active = -1);
    WRONG(GP_E_TYPE, "in_type: a struct", p, c.in_type = vec3);
    WRONG(GP_E_TYPE, "out_type (of counters) is u16", p, c.out_type = GP_U16);
    WRONG(GP_E_TYPE, "out_type (of counters) is not set", p, c.out_type = 0);
    WRONG(GP_E_TYPE, "out_type: counters of f32 serve weights", p, c.out_type = GP_F32);
    WRONG(GP_E_TYPE, "weights of f32 need counters (out_type) of f32 or f64", p, c.in2 = b.keys);
    WRONG(GP_E_TYPE, "in2_type (of weights): a struct", p, c.in2 = b.keys, c.in2_type = vec3);
    WRONG(GP_E_NULL, "in2 (weights) is null", p, c.in2_type = GP_I32);
    WRONG(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE: counters of f64", p, c.in2 = b.keys, c.out_type = GP_F64,
          c.flags = GP_REPRODUCIBLE);
    WRONG(GP_E_OVERLAP, "in and out overlap", p, c.out = b.in);
    FINE(p, c.in2 = b.keys, c.out_type = GP_F64);
    FINE(p, c.in2 = b.keys, c.in2_type = GP_U8, c.out_type = GP_I64, c.channels = 4, c.active = 3,
         c.flags = GP_REPRODUCIBLE);
  }
  WRONG(GP_E_NULL, "init (lower) is null", GP_HISTOGRAM_EVEN, c.init = nullptr);
  WRONG(GP_E_NULL, "step (upper) is null", GP_HISTOGRAM_EVEN, c.step = nullptr);
  WRONG(GP_E_ARGUMENT, "lower (0) is not below upper (0) (channel 0)", GP_HISTOGRAM_EVEN, c.step = lower_ends);
  WRONG(GP_E_ARGUMENT, "(channel 1)", GP_HISTOGRAM_EVEN, c.channels = 2, c.init = upper_ends + 1,
        c.step = upper_ends + 2;
        const float low[2] = {1, 9}; c.init = low);
  WRONG(GP_E_ARGUMENT, "active is 17", GP_HISTOGRAM_EVEN, c.channels = 17);
  {
    const float all[2] = {-3e38f, 3e38f}, none[2] = {NAN, 1}, small_[2] = {0, 1e-44f};
    const int8_t bytes[2] = {-128, 127};
    const uint64_t large[2] = {0, UINT64_MAX}, turned[2] = {UINT64_MAX, 0};
    const uint16_t halves[2] = {0xfbff, 0x7bff}; // -65504 and 65504
    const int64_t wide[2] = {INT64_MIN, INT64_MAX};
    WRONG(GP_E_ARGUMENT, "overflows (channel 0)", GP_HISTOGRAM_EVEN, c.init = all, c.step = all + 1);
    WRONG(GP_E_ARGUMENT, "overflows (channel 0)", GP_HISTOGRAM_EVEN, c.init = small_, c.step = small_ + 1);
    WRONG(GP_E_ARGUMENT, "is not below upper", GP_HISTOGRAM_EVEN, c.init = none, c.step = none + 1);
    WRONG(GP_E_ARGUMENT, "lower is not below upper", GP_HISTOGRAM_EVEN, c.in_type = GP_U64, c.init = turned,
          c.step = turned + 1);
    WRONG(GP_E_ARGUMENT, "lower is not below upper", GP_HISTOGRAM_EVEN, c.in_type = GP_I8, c.init = bytes + 1,
          c.step = bytes);
    FINE(GP_HISTOGRAM_EVEN, c.in_type = GP_I8, c.init = bytes, c.step = bytes + 1);
    FINE(GP_HISTOGRAM_EVEN, c.in_type = GP_U64, c.init = large, c.step = large + 1);
    FINE(GP_HISTOGRAM_EVEN, c.in_type = GP_I64, c.init = wide, c.step = wide + 1);
    FINE(GP_HISTOGRAM_EVEN, c.in_type = GP_F16, c.init = halves, c.step = halves + 1);
  }
  WRONG(GP_E_NULL, "begin (boundaries) is null", GP_HISTOGRAM_RANGES, c.begin = nullptr);
  WRONG(GP_E_ALIGNMENT, "begin (boundaries) (", GP_HISTOGRAM_RANGES, c.begin = b.begin + 2);
  WRONG(GP_E_OVERLAP, "begin (boundaries) and out overlap", GP_HISTOGRAM_RANGES, c.out = b.begin + 64);

  // in place, by the header's table
  for (gp_primitive p : {GP_SEGMENTED_INCLUSIVE_SCAN, GP_EXCLUSIVE_SCAN_BY_KEY, GP_SELECT}) {
    FINE(p, c.out = b.in);
    WRONG(GP_E_OVERLAP, "in and out overlap", p, c.out = b.in + 4);
    WRONG(GP_E_OVERLAP, "in and out overlap", p, c.in = b.in + 4, c.out = b.in);
  }
  WRONG(GP_E_OVERLAP, "cannot run in place", GP_SEGMENTED_INCLUSIVE_SCAN, c.out_type = GP_F64, c.out = b.in);
  WRONG(GP_E_OVERLAP, "keys and out overlap: this call cannot run in place", GP_INCLUSIVE_SCAN_BY_KEY, c.out = b.keys);
  WRONG(GP_E_OVERLAP, "keys and out overlap", GP_INCLUSIVE_SCAN_BY_KEY, c.keys = b.in, c.out = b.in);
  WRONG(GP_E_OVERLAP, "keys (flags) and out overlap", GP_SELECT, c.op = 0, c.init = nullptr, c.key_type = GP_I32,
        c.keys = b.keys, c.out = b.keys);
  FINE(GP_UNIQUE, c.out_keys = b.keys);
  FINE(GP_UNIQUE, c.out_keys = b.keys, c.in_type = GP_F64, c.in = b.in, c.out = b.in);
  WRONG(GP_E_OVERLAP, "keys and out_keys overlap", GP_UNIQUE, c.out_keys = b.keys + 4);
  WRONG(GP_E_OVERLAP, "keys and out overlap", GP_UNIQUE, c.in_type = GP_I32, c.in = b.in, c.out = b.keys);
  WRONG(GP_E_OVERLAP, "in and out_keys overlap", GP_UNIQUE, c.in_type = GP_I32, c.in = b.in, c.out = b.out,
        c.out_keys = b.in);
  for (gp_primitive p : {GP_SEGMENTED_REDUCE, GP_REDUCE_BY_KEY, GP_PARTITION, GP_ADJACENT_DIFFERENCE, GP_LOWER_BOUND})
    WRONG(GP_E_OVERLAP, "in and out overlap: this call cannot run in place", p, c.out = b.in);
  WRONG(GP_E_OVERLAP, "keys and out_keys overlap", GP_REDUCE_BY_KEY, c.out_keys = b.keys);
  WRONG(GP_E_OVERLAP, "out and out_keys overlap", GP_REDUCE_BY_KEY, c.out_keys = b.out + 4);
  WRONG(GP_E_OVERLAP, "out and out2 (the second part) overlap", GP_PARTITION, c.out2 = b.out);
  WRONG(GP_E_OVERLAP, "in and out2 (the second part) overlap", GP_PARTITION, c.out2 = b.in + 8);
  FINE(GP_PARTITION, c.out2 = b.out + 40); // ten are known to be selected
  WRONG(GP_E_OVERLAP, "count_device and out overlap", GP_SELECT,
        c.count_device = reinterpret_cast<uint64_t *>(b.out + 8));

  for (const unsigned char *x = reinterpret_cast<const unsigned char *>(&b);
       x < reinterpret_cast<const unsigned char *>(&b + 1); ++x)
    if (*x != 0x5a) {
      check(false, __LINE__, "outputs were touched");
      break;
    }
  // Empty calls without counts do nothing, with null pointers too.
  for (gp_primitive p : {GP_SEGMENTED_REDUCE, GP_SEGMENTED_EXCLUSIVE_SCAN, GP_INCLUSIVE_SCAN_BY_KEY,
                         GP_ADJACENT_DIFFERENCE, GP_LOWER_BOUND, GP_LOAD_BALANCE}) {
    gp_call c = sample(p, 0);
    c.in = c.keys = c.begin = nullptr, c.out = nullptr, c.segments = 0, c.length = 0;
    GOOD(gp_run(ctx, &c, nullptr));
  }
  CHECK(fake::counts.launches == 0);
  CLOSE(ctx);
}

// The names of kernels: their templates with every argument.
static void test_names() {
  gp_context *ctx = open_fake();
  const gp_type pair = define(ctx, "pair", "struct pair { int k, v; };", 8, 4);
  gp_op_desc d = gp_op_desc_init();
  gp_op odd, same_key, sum;
  d.name = "odd", d.body = "return ODD(a.k);", d.prelude = "#define ODD(x) ((x) & 1)", d.arity = 1;
  GOOD(gp_op_define(ctx, &d, &odd));
  d.name = "same key", d.body = "return a.k == b.k;", d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &same_key));
  d.name = "sum", d.body = "return pair{a.k, a.v + b.v};", d.identity = "pair{0, 0}", d.prelude = nullptr;
  GOOD(gp_op_define(ctx, &d, &sum));
  // The name without its policy, and the struct that the entry point takes.
  auto named = [&](const gp_call &c, const char *kernel, const char *rest, const char *arguments) {
    gp_kernel_source source;
    char name[1024];
    GOOD(gp_prepare(ctx, &c));
    GOOD(gp_kernel_origin(ctx, &c, &source, name, sizeof name));
    const char *end = strchr(name, '>');
    check(source == GP_KERNEL_COMPILED && strncmp(name, kernel, strlen(kernel)) == 0 &&
              strncmp(name + strlen(kernel), "<gp__policy<", 12) == 0 && end && std::string(">, ") + rest == end,
          __LINE__, "%s is not %s<.., %s", name, kernel, rest);
    check(fake::last_program.find(std::string("gp__entry(const ") + arguments + " a)") != std::string::npos, __LINE__,
          "the entry point of %s does not take %s", name, arguments);
  };
  auto has = [](const char *text) { return fake::last_program.find(text) != std::string::npos; };
  auto times = [](const char *text) {
    int n = 0;
    for (size_t at = 0; (at = fake::last_program.find(text, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  const char *stream = "gp__stream_look_back", *piped = "gp__stream_pipelined", *args = "gp__stream_args";
  gp_call c = sample(GP_SELECT);
  named(c, stream, "gp__select<1, float, gp__none, gp__compare<gp_less<float>>, gp__none>>", args);
  c.count = 1 << 26, c.in = c.out = nullptr, c.out_count = nullptr;
  named(c, piped, "gp__select<1, float, gp__none, gp__compare<gp_less<float>>, gp__none>>", args);
  c = sample(GP_SELECT), c.op = 0, c.init = nullptr, c.keys = buffers.keys, c.key_type = GP_I8, c.in_type = pair;
  named(c, stream, "gp__select<1, pair, unsigned char, gp__flag<unsigned char>, gp__none>>", args);
  CHECK(times("struct pair {") == 1);
  c = sample(GP_PARTITION), c.in_type = pair, c.op = odd, c.init = nullptr;
  named(c, stream, "gp__select<2, pair, gp__none, gp__test<gp__op_1, pair>, gp__none>>", args);
  CHECK(has("struct gp__op_1 {\n  typedef pair A;\n  typedef bool R;\n  GP_DEVICE R operator()(A a) const {"));
  c.transform = odd, c.out3 = buffers.out3;
  named(c, stream, "gp__select<3, pair, gp__none, gp__test<gp__op_1, pair>, gp__test<gp__op_2, pair>>>", args);
  CHECK(has("struct gp__op_2 {\n  typedef pair A;\n  typedef bool R;") && times("#define ODD(x)") == 1);
  c = sample(GP_PARTITION), c.transform = GP_NOT_EQUAL, c.step = upper_ends, c.out3 = buffers.out3;
  named(c, stream, "gp__select<3, float, gp__none, gp__compare<gp_less<float>>, gp__compare<gp_not_equal<float>>>>",
        args);
  c = sample(GP_UNIQUE);
  named(c, stream, "gp__runs<GP_UNIQUE, gp__key_heads<int, gp_equal<int>>, gp__none, gp__none>>", args);
  c.in_type = GP_F16, c.in = buffers.in, c.out = buffers.out, c.equal = GP_HEADS, c.key_type = GP_U16;
  named(c, stream, "gp__runs<GP_UNIQUE, gp__flag_heads<unsigned short>, gp_f16, gp__none>>", args);
  c = sample(GP_RUN_LENGTHS), c.key_type = pair, c.equal = same_key, c.out2_type = GP_I64;
  named(c, stream, "gp__runs<GP_RUN_LENGTHS, gp__key_heads<pair, gp__op_3>, gp__none, unsigned long long>>", args);
  CHECK(has("struct gp__op_3 {\n  typedef pair A;\n  typedef pair B;\n  typedef bool R;\n"));
  c = sample(GP_RUN_LENGTHS), c.out2 = nullptr, c.equal = GP_NOT_EQUAL; // gp_prepare would take the type for lengths
  named(c, stream, "gp__runs<GP_RUN_LENGTHS, gp__key_heads<int, gp_not_equal<int>>, gp__none, gp__none>>", args);
  c = sample(GP_NONTRIVIAL_RUNS);
  named(c, stream, "gp__runs<GP_NONTRIVIAL_RUNS, gp__key_heads<int, gp_equal<int>>, gp__none, unsigned int>>", args);
  c = sample(GP_REDUCE_BY_KEY), c.op = sum, c.in_type = pair, c.key_type = pair, c.equal = same_key;
  named(c, stream,
        "gp__by_key<GP_REDUCE_BY_KEY, false, gp__key_heads<pair, gp__op_3>, gp__op_1, gp__load<pair, pair, "
        "gp_convert<pair, "
        "pair>>, pair, pair, pair>>",
        args);
  CHECK(times("struct pair {") == 1 && has("enum { commutative = 0, exact = 0 };"));
  c = sample(GP_EXCLUSIVE_SCAN_BY_KEY), c.op = GP_SUM, c.in_type = GP_F16, c.transform = GP_ABS;
  named(
      c, stream,
      "gp__by_key<GP_EXCLUSIVE_SCAN_BY_KEY, false, gp__key_heads<int, gp_equal<int>>, gp_sum<float>, gp__load<gp_f16, "
      "float, gp_abs<gp_f16, float>>, gp_f16, float, gp_f16>>",
      args);
  c = sample(GP_SEGMENTED_INCLUSIVE_SCAN), c.offset_type = GP_I64;
  named(c, stream,
        "gp__by_key<GP_INCLUSIVE_SCAN_BY_KEY, false, gp__offset_heads<unsigned long long>, gp_max<float>, "
        "gp__load<float, "
        "float, gp_convert<float, float>>, float, float, float>>",
        args);
  const char *max = "gp_max<float>, gp__load<float, float, gp_convert<float, float>>, float, float, float>";
  for (bool few : {true, false}) {
    const char *kernel = few ? "gp__warp_segments" : "gp__segmented_reduce";
    gp_policy merge_path = {};
    merge_path.algorithm = GP_MERGE_PATH;
    c = sample(GP_SEGMENTED_REDUCE);
    c.policy = few ? nullptr : &merge_path;
    named(c, kernel, (std::string("gp__offset_ends<unsigned int>, ") + max).c_str(), "gp__segment_args");
    c.end = buffers.end;
    named(c, kernel, (std::string("gp__range_ends<unsigned int>, ") + max).c_str(), "gp__segment_args");
    c.end = c.begin = nullptr, c.offset_type = 0, c.length = 10;
    named(c, kernel, (std::string("gp__fixed_ends, ") + max).c_str(), "gp__segment_args");
  }
  c = sample(GP_COUNT_IF);
  named(c, "gp__reduce_even_share",
        "gp_sum<unsigned long long>, gp__counted<float, gp__compare<gp_less<float>>>, float, unsigned long long, "
        "unsigned long long>",
        "gp__reduce_args");
  c = sample(GP_ANY), c.in_type = pair, c.op = odd, c.init = nullptr;
  named(c, "gp__reduce_even_share",
        "gp_or<unsigned int>, gp__counted<pair, gp__test<gp__op_1, pair>>, pair, unsigned int, unsigned char>",
        "gp__reduce_args");
  c = sample(GP_CHECK_OFFSETS);
  named(c, "gp__reduce_even_share",
        "gp_min<unsigned long long>, gp__offset_fault<unsigned int>, unsigned int, unsigned long long, unsigned long "
        "long>",
        "gp__reduce_args");
  c = sample(GP_ADJACENT_DIFFERENCE), c.flags = GP_RIGHT, c.out_type = GP_F64;
  named(c, "gp__adjacent", "true, gp__binary<gp_sub<double>, float, float, double>, float, double>", "gp__map_args");
  c = sample(GP_ADJACENT_DIFFERENCE), c.in_type = pair, c.op = sum;
  named(c, "gp__adjacent", "false, gp__op_1, pair, pair>", "gp__map_args");
  c = sample(GP_HISTOGRAM_EVEN), c.out_type = GP_I64;
  named(c, "gp__histogram", "GP_SHARED_BINS, gp__even_bins<float>, float, gp__none, unsigned long long>",
        "gp__histogram_args");
  c = sample(GP_HISTOGRAM_RANGES), c.in2 = buffers.keys, c.in2_type = GP_F16, c.out_type = GP_F64;
  named(c, "gp__histogram", "GP_SHARED_BINS, gp__range_bins<float>, float, gp_f16, double>", "gp__histogram_args");
  c = sample(GP_HISTOGRAM_EVEN), c.bins = 1 << 24;
  named(c, "gp__histogram", "GP_GLOBAL_BINS, gp__even_bins<float>, float, gp__none, unsigned int>",
        "gp__histogram_args");
  c = sample(GP_UPPER_BOUND), c.in_type = pair, c.op = same_key;
  named(c, "gp__bound", "true, pair, gp__op_1, unsigned int>", "gp__search_args");
  c = sample(GP_LOWER_BOUND), c.out_type = GP_U64;
  named(c, "gp__bound", "false, float, gp_less<float>, unsigned long long>", "gp__search_args");
  c = sample(GP_LOAD_BALANCE), c.offset_type = GP_U64;
  named(c, "gp__load_balance", "unsigned long long, unsigned int>", "gp__search_args");
  c = sample(GP_TOP_K);
  named(c, "gp__top_k_merge", "int, float, float, false, false>", "gp__top_k_args");
  c.in = nullptr, c.in_type = 0, c.out_type = GP_U64, c.count = uint64_t(1) << 33, c.keys = nullptr;
  named(c, "gp__top_k_merge", "int, gp__none, unsigned long long, false, true>", "gp__top_k_args");
  c = sample(GP_TOP_K, 5000), c.length = 4000, c.flags = GP_UNSORTED, c.in = c.out = nullptr, c.in_type = 0;
  c.keys = c.out_keys = nullptr;
  named(c, "gp__select_collect", "int, gp__none, gp__none, false>", "gp__top_k_args");
  c = sample(GP_SHUFFLE);
  named(c, "gp__shuffle", "float, float>", "gp__map_args");
  c = sample(GP_TRANSPOSE);
  named(c, "gp__transpose", "4, 4, 12, false>", "gp__transpose_args");
  c.out = const_cast<void *>(c.in);
  named(c, "gp__transpose_square", "4, 4, 0, false>", "gp__transpose_args");
  gp_permutation rectangle = square(1 << 10, 1 << 11);
  gp_policy padded = {};
  padded.algorithm = GP_PADDED_TILES;
  c.permutation = &rectangle, c.count = 0;
  c.in = c.out = reinterpret_cast<void *>(uintptr_t(buffers.in) / 256 * 256);
  named(c, "gp__copy_kernel", "4>", "gp__map_args"); // to the workspace, and back
  c.policy = &padded;                                // chunks of 128 elements, of panels of as many rows
  named(c, "gp__transpose_save", "4, 4, 4099>", "gp__panels_args");
  rectangle = square(1021, 2048); // the inverse: chunks of rows of the input
  named(c, "gp__transpose_save", "4, 4, 4097>", "gp__panels_args");
  gp_policy buffered = {};
  uint64_t workspace = 0;
  buffered.algorithm = GP_BUFFERED_PANELS;
  c.policy = &buffered;
  named(c, "gp__transpose_save", "4, 4, 4097>", "gp__panels_args");
  c.policy = nullptr;
  rectangle = square(16384, 8192 + 1); // large: through a buffer, unless a policy says otherwise
  named(c, "gp__transpose_save", "4, 4, 4098>", "gp__panels_args");
  GOOD(gp_workspace_size(ctx, &c, &workspace));
  const uint64_t third = (uint64_t(16384) * 8193 * 4) / 3;
  check(workspace > third * 3 / 4 && workspace < third, __LINE__, "%llu bytes of workspace",
        (unsigned long long)workspace);
  rectangle = square(8192, 16384); // by tensor copies
  buffered.algorithm = GP_TENSOR_PANELS;
  c.policy = &buffered;
  named(c, "gp__transpose_save", "4, 4, 4099>", "gp__panels_args");
  rectangle = square(16384, 8192 + 1);
  BAD(GP_E_POLICY, "policy", gp_prepare(ctx, &c));
  buffered.algorithm = GP_PADDED_TILES;
  c.policy = &buffered;
  GOOD(gp_workspace_size(ctx, &c, &workspace));
  check(workspace <= 72 << 20, __LINE__, "%llu bytes of workspace", (unsigned long long)workspace);
  rectangle = square(1021, 2039); // primes
  named(c, "gp__transpose_within_rows", "4, 4>", "gp__transpose_args");
  c.policy = nullptr;
  rectangle = square(500, 1000); // by tensor copies, where a policy says so and the driver knows of them
  buffered = gp_policy(), buffered.algorithm = GP_TENSOR_TILES, buffered.stages = 2;
  c.policy = &buffered, c.out = reinterpret_cast<void *>(uintptr_t(c.in) + (1 << 22));
  named(c, "gp__transpose_tensor", "4>", "__grid_constant__ gp__tensor_args");
  const unsigned maps = unsigned(fake::counts.calls["cuTensorMapEncodeTiled"]);
  const bool ran = fake::machine.run;
  fake::machine.run = false;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(unsigned(fake::counts.calls["cuTensorMapEncodeTiled"]) == maps + 1);
  CHECK(fake::last_launch.grid_x == 4); // that many are resident
  buffered.stages = 1;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(fake::last_launch.grid_x > 4);
  rectangle.in_stride[0] = 1001;
  BAD(GP_E_POLICY, "policy", gp_run(ctx, &c, nullptr));
  rectangle.in_stride[0] = 0;
  rectangle = square(8192, 16384), c.out = const_cast<void *>(c.in);
  buffered.algorithm = GP_TENSOR_PANELS, buffered.stages = 16;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(unsigned(fake::counts.calls["cuTensorMapEncodeTiled"]) == maps + 3 && fake::last_launch.block_x == 256 + 32);
  fake::machine.run = ran;
  c = sample(GP_CONVERT_LAYOUT);
  named(c, "gp__convert_layout", "4096, 4, gp__side<1, 4>, gp__side<0, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>>",
        "gp__layout_args");
  c.in_layout = &sample_columns, c.out_layout = &sample_structs;
  named(c, "gp__convert_layout",
        "4096, 4, gp__side<0, 4>, gp__side<1, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>, gp__moved<1, -1, 3>>",
        "gp__layout_args");
  c.flags = GP_KEEP_GAPS;
  named(c, "gp__convert_layout", "4096, 0, gp__side<0, 4>, gp__side<0, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>>",
        "gp__layout_args");
  gp_layout blocks = sample_structs, larger = sample_structs;
  blocks.width = 96, larger.width = 8192, c.flags = 0, c.in_layout = &blocks, c.out_layout = &larger;
  named(c, "gp__convert_layout",
        "4096, 0, gp__side<0, 4>, gp__side<0, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>, gp__moved<1, -1, 3>>",
        "gp__layout_args");
  blocks.width = 64;
  named(c, "gp__convert_layout",
        "4096, 4, gp__side<64, 4>, gp__side<-1, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>, gp__moved<1, -1, 3>>",
        "gp__layout_args");
  CLOSE(ctx);
}

// What is launched, and with which arguments.
template <class Args> struct Watched {
  unsigned launches = 0;
  Args args;
  dim3 grid;
  unsigned shared_bytes = 0;
};
template <class Args> static void watch(gp_context *ctx, const gp_call &c, Watched<Args> *seen) {
  gp_kernel_source source;
  char name[1024];
  GOOD(gp_kernel_origin(ctx, &c, &source, name, sizeof name));
  fake::kernels()[fake::squeeze(name)] = [=](dim3 grid, dim3, unsigned shared_bytes, void *a) {
    ++seen->launches;
    seen->args = *static_cast<const Args *>(a);
    seen->grid = grid, seen->shared_bytes = shared_bytes;
    return 0;
  };
}

static void test_launches() {
  const auto registered = fake::kernels();
  gp_context *ctx = open_fake();
  Buffers &b = buffers;
  // streams
  {
    Watched<gp__stream_args> seen;
    gp_call c = sample(GP_SELECT);
    watch(ctx, c, &seen);
    GOOD(gp_select_if(ctx, GP_LESS, GP_F32, upper_ends + 3, b.in, b.out, b.counts, 77, nullptr));
    CHECK(seen.launches == 1 && seen.args.keys == b.in && !seen.args.values && seen.args.out_values == b.out);
    CHECK(seen.args.count == 77 && (void *)seen.args.out_count == b.counts && !seen.args.bad && seen.args.workspace);
    CHECK(memcmp(seen.args.first.bytes, upper_ends + 3, 4) == 0);
    GOOD(gp_select_if(ctx, GP_LESS, GP_F32, upper_ends, b.in, b.out, b.counts, 0, nullptr)); // the count is written
    CHECK(seen.launches == 2 && seen.args.count == 0 && seen.grid.x == 1);
  }
  {
    Watched<gp__stream_args> seen;
    gp_call c = sample(GP_PARTITION);
    c.op = 0, c.init = nullptr, c.keys = b.keys, c.key_type = GP_U8, c.count_device = &b.bad;
    watch(ctx, c, &seen);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 1 && seen.args.keys == b.keys && seen.args.values == b.in && seen.args.out2 == b.out2);
    CHECK((const void *)seen.args.count_device == &b.bad);
    c = sample(GP_PARTITION);
    c.transform = GP_GREATER, c.step = upper_ends + 2, c.out3 = b.out3;
    watch(ctx, c, &seen);
    GOOD(gp_partition3(ctx, GP_LESS, GP_GREATER, GP_F32, lower_ends, upper_ends + 2, b.in, b.out, b.out2, b.out3,
                       b.counts, 100, nullptr));
    CHECK(seen.launches == 2 && seen.args.out3 == b.out3 && memcmp(seen.args.second.bytes, upper_ends + 2, 4) == 0);
  }
  {
    Watched<gp__stream_args> seen;
    gp_call c = sample(GP_UNIQUE);
    c.in_type = GP_F64;
    c.in = b.in, c.out = b.out;
    watch(ctx, c, &seen);
    GOOD(gp_unique_by_key(ctx, GP_I32, 0, GP_F64, b.keys, b.in, b.out_keys, b.out, b.counts, 9, nullptr));
    CHECK(seen.launches == 1 && seen.args.keys == b.keys && seen.args.values == b.in &&
          seen.args.out_keys == b.out_keys && seen.args.out_values == b.out);
    c = sample(GP_EXCLUSIVE_SCAN_BY_KEY);
    c.init = upper_ends; // another kernel than without
    watch(ctx, c, &seen);
    GOOD(gp_exclusive_scan_by_key(ctx, GP_MAX, GP_I32, 0, GP_F32, GP_F32, upper_ends, b.keys, b.in, b.out, 9, nullptr));
    CHECK(seen.launches == 2 && seen.args.has_init && memcmp(seen.args.first.bytes, upper_ends, 4) == 0);
    GOOD(gp_exclusive_scan_by_key(ctx, GP_MAX, GP_I32, 0, GP_F32, GP_F32, nullptr, b.keys, b.in, b.out, 0, nullptr));
    CHECK(seen.launches == 2); // nothing to write
  }
  // a checked load balance, likewise
  {
    Watched<gp__search_args> balance;
    Watched<gp__reduce_args> check_;
    gp_call c = sample(GP_LOAD_BALANCE), offsets = sample(GP_CHECK_OFFSETS);
    c.flags = GP_CHECKED, c.bad = &b.bad, c.count = 55, c.segments = 7;
    watch(ctx, c, &balance);
    watch(ctx, offsets, &check_);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(balance.launches == 1 && check_.launches == 1 && (const void *)balance.args.bad == &b.bad);
    CHECK(check_.args.in == b.begin && check_.args.count == 8 && check_.args.limit == 55 && check_.args.out == &b.bad);
    c.flags = 0, c.bad = nullptr; // the same kernel
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(balance.launches == 2 && check_.launches == 1 && !balance.args.bad);
  }
  // a checked scan of segments: the check's launch, and the scan's, which looks at its result
  {
    Watched<gp__stream_args> scan;
    Watched<gp__reduce_args> check_;
    gp_call c = sample(GP_SEGMENTED_INCLUSIVE_SCAN), offsets = sample(GP_CHECK_OFFSETS);
    c.flags = GP_CHECKED, c.bad = &b.bad, c.count = 55, c.segments = 7;
    watch(ctx, c, &scan);
    watch(ctx, offsets, &check_);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(scan.launches == 1 && check_.launches == 1 && (const void *)scan.args.bad == &b.bad);
    CHECK(scan.args.offsets == b.begin && scan.args.segments == 7 && scan.args.count == 55 && !scan.args.keys);
    CHECK(check_.args.in == b.begin && check_.args.count == 8 && check_.args.limit == 55 && check_.args.out == &b.bad);
    c.count = 0; // the offsets are checked all the same
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(scan.launches == 1 && check_.launches == 2 && check_.args.limit == 0);
    CHECK(!check_.args.limit_device);
    const uint64_t most = 3;
    c.count_device = &most; // the count itself may lie on the device
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(check_.launches == 3 && (const void *)check_.args.limit_device == &most && !check_.args.count_device);
    check_.launches = 2, c.count_device = nullptr;
    c.count = 55, c.flags = 0, c.bad = nullptr; // the same kernel
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(scan.launches == 2 && check_.launches == 2 && !scan.args.bad);
    uint64_t bytes = 0, of_check = 0;
    c.flags = GP_CHECKED, c.count = 1;
    GOOD(gp_workspace_size(ctx, &c, &bytes));
    offsets.segments = c.segments = 100000;
    offsets.begin = c.begin = nullptr, offsets.bad = c.bad = nullptr;
    GOOD(gp_workspace_size(ctx, &offsets, &of_check));
    GOOD(gp_workspace_size(ctx, &c, &bytes));
    CHECK(bytes >= of_check && of_check > 0);
    // both are compiled for a bundle
    std::set<std::string> keys;
    GOOD(gp_compile(
        ctx, &c, 80,
        [](void *all, const char *key, const void *, size_t) { ((std::set<std::string> *)all)->insert(key); }, &keys));
    CHECK(keys.size() == 2);
    // While a stream is captured and the workspace is too small for the scan, neither is launched.
    fake::Stream *stream = fake::make_stream();
    c.flags = GP_CHECKED, c.bad = &b.bad, c.count = 1 << 28, c.segments = 7, c.begin = b.begin;
    c.in = c.out = reinterpret_cast<void *>(uintptr_t(1) << 32);
    GOOD(gp_prepare(ctx, &c));
    GOOD(gp_workspace_size(ctx, &offsets, &of_check));
    GOOD(gp_reserve(ctx, stream, of_check));
    stream->capturing = 1;
    BAD(GP_E_WORKSPACE, "gp_reserve", gp_run(ctx, &c, stream));
    stream->capturing = 0;
    GOOD(gp_workspace_size(ctx, &c, &bytes));
    GOOD(gp_reserve(ctx, stream, bytes));
    stream->capturing = 1;
    GOOD(gp_run(ctx, &c, stream));
    CHECK(stream->launches == 2);
    stream->capturing = 0;
    fake::destroy_stream(stream);
  }
  // segments
  {
    Watched<gp__segment_args> seen, spans;
    gp_call c = sample(GP_SEGMENTED_REDUCE);
    watch(ctx, c, &seen);
    GOOD(gp_segmented_reduce(ctx, GP_MAX, GP_F32, GP_F32, GP_I32, b.in, 100, b.begin, nullptr, 10, b.out, nullptr));
    CHECK(seen.launches == 1 && seen.args.in == b.in && seen.args.begin == b.begin && !seen.args.end &&
          seen.args.segments == 10 && seen.args.count == 100 && seen.args.length == 0 && seen.args.out == b.out);
    GOOD(gp_segmented_reduce(ctx, GP_MAX, GP_F32, GP_F32, GP_I32, b.in, 0, b.begin, nullptr, 10, b.out, nullptr));
    CHECK(seen.launches == 2 && seen.args.count == 0); // identities
    GOOD(gp_segmented_reduce(ctx, GP_MAX, GP_F32, GP_F32, GP_I32, b.in, 9, b.begin, nullptr, 0, b.out, nullptr));
    CHECK(seen.launches == 2);
    c.begin = nullptr, c.offset_type = 0, c.count = 0, c.length = 4;
    watch(ctx, c, &seen);
    GOOD(gp_segmented_reduce_fixed(ctx, GP_MAX, GP_F32, GP_F32, b.in, 10, 4, b.out, nullptr));
    CHECK(seen.launches == 3 && seen.args.count == 40 && seen.args.length == 4 && !seen.args.begin);
    c = sample(GP_SEGMENTED_REDUCE);
    c.end = b.end;
    watch(ctx, c, &seen);
    const unsigned before = fake::counts.unregistered;
    GOOD(gp_segmented_reduce(ctx, GP_MAX, GP_F32, GP_F32, GP_I32, b.in, 100, b.begin, b.end, 10, b.out, nullptr));
    CHECK(seen.launches == 4 && seen.args.end == b.end && fake::counts.unregistered == before &&
          seen.shared_bytes == 0);
    gp_policy p;
    memset(&p, 0, sizeof p);
    p.algorithm = GP_MERGE_PATH;
    c.policy = &p;
    watch(ctx, c, &seen);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 5 && seen.args.end == b.end && fake::counts.unregistered == before + 1 &&
          fake::last_unregistered.find("gp__segment_spans<gp__policy<") == 0); // two launches
  }
  // search
  {
    Watched<gp__search_args> seen;
    gp_call c = sample(GP_LOWER_BOUND);
    watch(ctx, c, &seen);
    GOOD(gp_lower_bound(ctx, GP_F32, 0, GP_U32, b.keys, 50, b.in, b.out, 11, nullptr));
    CHECK(seen.launches == 1 && seen.args.sorted == b.keys && seen.args.length == 50 && seen.args.needles == b.in &&
          seen.args.out == b.out && seen.args.count == 11);
    c = sample(GP_LOAD_BALANCE);
    watch(ctx, c, &seen);
    GOOD(gp_load_balance(ctx, GP_I32, GP_U32, b.begin, 10, b.out, 12, nullptr));
    CHECK(seen.launches == 2 && seen.args.sorted == b.begin && seen.args.length == 10 && seen.args.count == 12);
  }
  // histograms: one kernel for any number of bins, allowed as much shared memory as the largest has asked for
  {
    Watched<gp__histogram_args> seen;
    gp_call c = sample(GP_HISTOGRAM_EVEN);
    gp_policy p;
    memset(&p, 0, sizeof p);
    p.algorithm = GP_SHARED_BINS, p.threads = 512, p.vectors = 2, p.blocks_per_sm = 1;
    c.policy = &p, c.channels = 3, c.active = 2;
    watch(ctx, c, &seen);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 1 && seen.args.in == b.in && seen.args.count == 100 && seen.args.bins == 16 &&
          seen.args.channels == 3 && seen.args.active == 2 && seen.args.replicas >= 1);
    CHECK(memcmp(seen.args.lower.bytes, lower_ends, 8) == 0 && memcmp(seen.args.upper.bytes, upper_ends, 8) == 0);
    const unsigned asked = unsigned(fake::counts.calls["cuFuncSetAttribute"]), modules = unsigned(fake::modules.size());
    alignas(256) static unsigned char counters[2 * 12000 * 4];
    c.bins = 12000, c.out = counters;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 2 && seen.shared_bytes >= 96000 && fake::modules.size() == modules &&
          fake::counts.calls["cuFuncSetAttribute"] == asked + 1);
    GOOD(gp_run(ctx, &c, nullptr));
    c.bins = 11000;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 4 && fake::counts.calls["cuFuncSetAttribute"] == asked + 1);
    c.count = 0; // zeros are written
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 5 && seen.args.count == 0);
  }
  fake::kernels() = registered; // of later tests
  CLOSE(ctx);
}

// On kernels that run.
static void test_more_results() {
  gp_context *ctx = open_fake();
  const int n = 1000;
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[size_t(i)] = i * 7 % 31 - 9;
  Device<int> in(v), out{size_t(n)};
  Device<uint64_t> count(1);
  Device<uint8_t> truth(1);
  gp_policy direct = small(GP_DIRECT), share = small(GP_EVEN_SHARE);
  const int five = 5, many = 99;
  int expected = 0;
  for (int x : v) expected += x > 5;
  gp_call c = sample(GP_COUNT_IF, n);
  c.op = GP_GREATER, c.in_type = GP_I32, c.in = in.data, c.init = &five, c.out_count = count.data, c.policy = &share;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == uint64_t(expected));
  c.count = 0;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == 0);
  c = sample(GP_ALL, n);
  c.op = GP_LESS, c.in_type = GP_I32, c.in = in.data, c.init = &many, c.out = truth.data, c.policy = &share;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 1);
  c.init = &five;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 0);
  c.count = 0;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 1);
  c = sample(GP_ADJACENT_DIFFERENCE, n);
  c.in_type = GP_I32, c.in = in.data, c.out = out.data, c.policy = &direct;
  GOOD(gp_run(ctx, &c, nullptr));
  bool good = out.data[0] == v[0];
  for (size_t i = 1; i < size_t(n); ++i) good = good && out.data[i] == v[i] - v[i - 1];
  CHECK(good);
  std::vector<int> rising(n);
  for (int i = 0; i < n; ++i) rising[size_t(i)] = i / 3;
  rising[700] = 5;
  Device<int> offsets(rising);
  c = sample(GP_CHECK_OFFSETS, n);
  c.begin = offsets.data, c.segments = uint64_t(n - 1), c.bad = count.data, c.policy = &share;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == 700);
  c.count = 100; // the first beyond it
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == 303);
  c.segments = 50;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == UINT64_MAX);
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CLOSE(ctx);
}

// ---- counting sort, top-k, nth element, shuffle: whole calls on the emulator

FAKE_KERNEL(gp__histogram_args, gp__count_keys<gp__policy<64, 1, 3, 3, 0, 1, 2>, unsigned char>);
FAKE_KERNEL(gp__histogram_args, gp__count_keys<gp__policy<1024, 6, 3, 3, 0, 1, 2>, unsigned char>);
FAKE_KERNEL(gp__counting_args, gp__counting_fill<gp__policy<64, 1, 3, 3, 0, 1, 2>, signed char, true>);
FAKE_KERNEL(gp__counting_args, gp__counting_fill<gp__policy<1024, 6, 3, 3, 0, 1, 2>, signed char, true>);
FAKE_KERNEL(gp__histogram_args, gp__count_keys<gp__policy<64, 1, 3, 3, 0, 1, 2>, unsigned short>);
FAKE_KERNEL(gp__counting_args, gp__counting_runs<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_f16, false>);
FAKE_KERNEL(gp__counting_args, gp__counting_fill<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_f16, false>);
FAKE_KERNEL(gp__top_k_args,
            gp__top_k_lists<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, gp__none, unsigned int, true, false>);
FAKE_KERNEL(gp__top_k_args,
            gp__top_k_merge<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, gp__none, unsigned int, true, false>);
FAKE_KERNEL(gp__top_k_args, gp__select_first<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, true>);
FAKE_KERNEL(gp__top_k_args, gp__select_next<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, true>);
FAKE_KERNEL(gp__top_k_args, gp__select_collect<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, gp__none, unsigned int, true>);
FAKE_KERNEL(gp__map_args, gp__shuffle<gp__policy<128, 1, 3, 3, 0, 0, 2>, gp__none, unsigned int>);

FAKE_KERNEL(gp__radix_args,
            gp__sort_one_cluster<gp__policy<256, 1, 3, 3, 0, 1, 1>, gp__radix_key<float>, unsigned int>);

static unsigned rank_of_float(float x) { // largest first
  unsigned u;
  memcpy(&u, &x, sizeof u);
  return ~(u >> 31 ? ~u : u | 0x80000000u);
}
static void test_top_k() {
  fake::machine.multiprocessors = 3;
  gp_context *ctx = open_fake();
  gp_policy p = small(GP_COUNTING);
  p.threads = 64;
  // counting sort
  for (size_t n : {size_t(1), size_t(1023), size_t(9000)}) {
    std::vector<signed char> keys(n);
    std::vector<uint16_t> halves(n);
    for (size_t i = 0; i < n; ++i) keys[i] = (signed char)(i * 2654435761u >> 13), halves[i] = uint16_t(i * 40503u);
    Device<signed char> in(keys), out(n);
    Device<uint16_t> in16(halves), out16(n);
    gp_call c = gp_call_init(GP_SORT);
    c.policy = &p, c.key_type = GP_I8, c.keys = in.data, c.out_keys = out.data, c.count = n, c.flags = GP_DESCENDING;
    unsigned launches = fake::counts.launches;
    GOOD(gp_run(ctx, &c, nullptr));
    std::sort(keys.begin(), keys.end(), std::greater<signed char>());
    CHECK(fake::counts.launches == launches + 2 && memcmp(out.data, keys.data(), n) == 0);
    c.key_type = GP_F16, c.keys = in16.data, c.out_keys = out16.data, c.flags = 0;
    launches = fake::counts.launches;
    GOOD(gp_run(ctx, &c, nullptr));
    std::sort(halves.begin(), halves.end(), [](uint16_t a, uint16_t b) {
      return uint16_t(a >> 15 ? ~a : a | 0x8000) < uint16_t(b >> 15 ? ~b : b | 0x8000);
    });
    CHECK(fake::counts.launches == launches + 3 && memcmp(out16.data, halves.data(), n * 2) == 0);
    c.begin_bit = 0, c.end_bit = 8;
    BAD(GP_E_POLICY, "", gp_run(ctx, &c, nullptr));
    gp_policy wide = p; // a block writes more keys at a time than 16 bits count
    wide.threads = 1024, wide.vectors = 6;
    c.key_type = GP_I8, c.keys = in.data, c.out_keys = out.data, c.policy = &wide, c.flags = GP_DESCENDING,
    c.end_bit = 0;
    std::fill(out.data, out.data + n, 1);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(memcmp(out.data, keys.data(), n) == 0);
  }
  // top-k by lists, of rows too; radix select; the same, sorted
  for (size_t k : {size_t(1), size_t(60), size_t(900)})
    for (int radix = 0; radix < 3; ++radix)
      for (size_t n : {k, size_t(3000), size_t(70000)}) {
        const size_t rows = n == k ? 5 : 1;
        std::vector<float> keys(n * rows);
        for (size_t i = 0; i < keys.size(); ++i) keys[i] = float(int(i * 2654435761u >> 20)) * (i % 3 ? 1.f : -1.f);
        Device<float> in(keys), out_keys(k * rows);
        Device<unsigned> out(k * rows);
        gp_call c = gp_call_init(GP_TOP_K);
        p.algorithm = radix ? GP_RADIX_SELECT : GP_BEST_LISTS;
        c.policy = &p, c.key_type = GP_F32, c.keys = in.data, c.out_keys = out_keys.data, c.out = out.data;
        c.out_type = GP_U32, c.count = n, c.length = k, c.segments = rows;
        c.flags = GP_DESCENDING | (radix == 1 ? GP_UNSORTED : 0);
        const unsigned launches = fake::counts.launches;
        uint64_t bytes = 0;
        GOOD(gp_workspace_size(ctx, &c, &bytes));
        GOOD(gp_run(ctx, &c, nullptr));
        const unsigned now = unsigned(fake::counts.launches) - launches;
        check(radix == 2 && k > 1 ? now > 4 && bytes
              : radix             ? now == 4 && bytes
              : n < 70000         ? now == 1 && !bytes
                                  : now == 2 && bytes,
              __LINE__, "top %u of %u: %u launches, %llu bytes", unsigned(k), unsigned(n), now,
              (unsigned long long)bytes);
        bool good = true;
        for (size_t row = 0; row < rows; ++row) {
          std::vector<unsigned> order(n);
          for (size_t i = 0; i < n; ++i) order[i] = unsigned(i);
          const float *x = keys.data() + row * n;
          std::stable_sort(order.begin(), order.end(),
                           [&](unsigned a, unsigned b) { return rank_of_float(x[a]) < rank_of_float(x[b]); });
          order.resize(k);
          if (radix == 1) std::sort(order.begin(), order.end());
          for (size_t i = 0; i < k; ++i)
            good = good && out.data[row * k + i] == order[i] && out_keys.data[row * k + i] == x[order[i]];
        }
        check(good, __LINE__, "top %u of %u rows of %u, radix %d", unsigned(k), unsigned(rows), unsigned(n), radix);
        if (rows > 1) continue;
        c = gp_call_init(GP_NTH_ELEMENT);
        p.algorithm = GP_RADIX_SELECT;
        c.policy = &p, c.key_type = GP_F32, c.keys = in.data, c.out_keys = out_keys.data, c.count = n;
        c.length = k - 1, c.flags = GP_DESCENDING;
        GOOD(gp_run(ctx, &c, nullptr));
        std::nth_element(keys.begin(), keys.begin() + long(k - 1), keys.end(),
                         [](float a, float b) { return rank_of_float(a) < rank_of_float(b); });
        check(out_keys.data[0] == keys[k - 1], __LINE__, "element %u of %u", unsigned(k - 1), unsigned(n));
      }
  // one permutation on the device and on the host
  {
    const size_t n = 5003;
    Device<unsigned> out(n);
    std::vector<unsigned> same(n);
    gp_policy direct = small(GP_DIRECT);
    gp_context *host = nullptr;
    gp_config with = config();
    const uint64_t seed = 0x123456789abcdef0ull;
    gp_call c = gp_call_init(GP_SHUFFLE);
    with.backend = GP_BACKEND_HOST;
    GOOD(gp_open(&with, &host));
    c.policy = &direct, c.out_type = GP_U32, c.out = out.data, c.count = n, c.init = &seed;
    GOOD(gp_run(ctx, &c, nullptr));
    GOOD(gp_shuffle(host, GP_U32, seed, nullptr, same.data(), n, nullptr));
    CHECK(memcmp(out.data, same.data(), n * 4) == 0);
    gp_close(host);
  }
  CLOSE(ctx);
}

// ---- layouts: whole calls on the emulator, in place and not

FAKE_KERNEL(gp__layout_args, gp__convert_layout<gp__policy<128, 1, 3, 3, 0, 0, 2>, 512, 4, gp__side<1, 4>,
                                                gp__side<0, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>>);
FAKE_KERNEL(gp__layout_args,
            gp__convert_layout<gp__policy<128, 1, 3, 3, 0, 0, 2>, 512, 4, gp__side<1, 4>, gp__side<8, 4>,
                               gp__moved<2, 0, 0>, gp__moved<1, 2, 2>, gp__moved<1, -1, 3>>);
FAKE_KERNEL(gp__map_args, gp__copy_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, 1>);
static void test_layouts() {
  gp_context *ctx = open_fake(), *host = nullptr;
  gp_config with = config();
  with.backend = GP_BACKEND_HOST;
  GOOD(gp_open(&with, &host));
  for (const size_t n : {size_t(1), size_t(511), size_t(512), size_t(1800)})
    for (int way = 0; way < 4; ++way) {
      gp_layout to = sample_columns;
      gp_policy p = small(GP_DIRECT);
      gp_call c = gp_call_init(GP_CONVERT_LAYOUT);
      const size_t bytes = (n + 7) / 8 * 32;
      std::vector<unsigned char> structs(bytes);
      for (size_t i = 0; i < bytes; ++i) structs[i] = (unsigned char)(i * 40503u >> 3);
      Device<unsigned char> in(structs), out(std::vector<unsigned char>(bytes, 7));
      std::vector<unsigned char> wanted(way % 2 ? structs : std::vector<unsigned char>(bytes, 7));
      const unsigned before = fake::counts.launches;
      uint64_t room = 1;
      if (way >= 2) to.width = 8;
      c.in_layout = &sample_structs, c.out_layout = &to, c.in = in.data, c.count = n, c.policy = &p;
      c.out = way % 2 ? in.data : out.data;
      GOOD(gp_workspace_size(ctx, &c, &room));
      CHECK(way == 1 ? room >= n * 4 : room == 0); // to columns, in place: by a copy
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(fake::counts.launches - before == (way == 1 ? 2u : 1u));
      GOOD(gp_convert_layout(host, &sample_structs, structs.data(), &to, wanted.data(), n, 0, nullptr));
      CHECK(memcmp(c.out, wanted.data(), to.width ? bytes : n * 4) == 0);
    }
  gp_close(host);
  CLOSE(ctx);
}

// Rectangles in place by way of the workspace: the result, launches, the workspace, a capture, and what a fault leaves.
static void test_round_trips() {
  gp_policy p = small(GP_ROUND_TRIP);
  gp_permutation m = {};
  gp_call c = gp_call_init(GP_TRANSPOSE);
  const uint64_t matrices = 3, rows = 48, columns = 80, matrix = rows * columns;
  p.blocks_per_sm = 0;
  m.dimensions = 3, m.extent[0] = matrices, m.extent[1] = rows, m.extent[2] = columns;
  m.order[1] = 2, m.order[2] = 1;
  for (const uint64_t gap : {0, 4}) {
    std::vector<int> before((matrix + gap) * matrices), wanted;
    for (size_t i = 0; i < before.size(); ++i) before[i] = int(i * 40503u >> 3);
    wanted = before;
    for (uint64_t i = 0; i < matrix * matrices; ++i) {
      const uint64_t first = i / matrix * (matrix + gap), row = i % matrix / columns, column = i % columns;
      wanted[first + column * rows + row] = before[first + row * columns + column];
    }
    m.in_stride[0] = m.out_stride[0] = gap ? matrix + gap : 0;
    Device<int> data(before);
    c.in = c.out = data.data, c.in_type = GP_I32, c.permutation = &m, c.policy = &p;
    const unsigned launches = gap ? 2 * unsigned(matrices) : 2; // those that do not lie side by side: one by one
    for (unsigned long k = 0; k < 10000; ++k) {                 // 0: without a fault
      fake::reset();
      gp_context *ctx = open_fake();
      fake::Stream *stream = fake::make_stream();
      uint64_t bytes = 0;
      memcpy(data.data, before.data(), before.size() * sizeof(int));
      if (!k) {
        const unsigned launched = fake::counts.launches;
        GOOD(gp_workspace_size(ctx, &c, &bytes));
        CHECK(bytes == GP__CONTROL_BYTES + gp__round_up(matrix * 4 * (gap ? 1 : matrices), 256));
        GOOD(gp_prepare(ctx, &c));
        stream->capturing = 1;
        BAD(GP_E_WORKSPACE, "gp_reserve", gp_run(ctx, &c, stream));
        stream->capturing = 0;
        CHECK(data.get() == before);
        GOOD(gp_reserve(ctx, stream, bytes));
        stream->capturing = 1;
        GOOD(gp_run(ctx, &c, stream));
        CHECK(stream->launches == launches);
        stream->capturing = 0;
        memcpy(data.data, before.data(), before.size() * sizeof(int));
        GOOD(gp_run(ctx, &c, stream));
        CHECK(data.get() == wanted && fake::counts.launches - launched == launches);
        CLOSE(ctx);
        fake::destroy_stream(stream);
        continue;
      }
      fake::fail_at = fake::counts.total + k;
      const gp_result r = gp_run(ctx, &c, stream);
      const bool hit = !fake::failed_call.empty();
      // Whatever fails, a matrix is as it was, or transposed.
      for (uint64_t i = 0; i < matrices; ++i) {
        const std::vector<int> got = data.get(), *const as[] = {&before, &wanted};
        const auto is = [&](int done) {
          const auto at = as[done]->begin() + long(i * (matrix + gap));
          return std::equal(at, at + long(matrix + (i + 1 < matrices ? gap : 0)),
                            got.begin() + long(i * (matrix + gap)));
        };
        check(is(1) || (r && is(0)), __LINE__, "matrix %d after %s failed", int(i), fake::failed_call.c_str());
      }
      fake::fail_at = 0;
      CLOSE(ctx);
      fake::destroy_stream(stream);
      if (!hit) break;
    }
  }
  // The host back end takes the policy, which says nothing to it.
  gp_context *host = nullptr;
  gp_config with = config();
  with.backend = GP_BACKEND_HOST;
  GOOD(gp_open(&with, &host));
  std::vector<int> small_one = {1, 2, 3, 4, 5, 6};
  m.extent[0] = 1, m.extent[1] = 2, m.extent[2] = 3, m.in_stride[0] = m.out_stride[0] = 0;
  c.in = c.out = small_one.data();
  GOOD(gp_run(host, &c, nullptr));
  CHECK((small_one == std::vector<int>{1, 4, 2, 5, 3, 6}));
  gp_close(host);
  // By default so where a trip holds it, or a few trips do.
  gp_context *ctx = open_fake();
  fake::machine.run = false;
  const auto takes = [&](uint64_t batch, uint64_t r, uint64_t columns_, uint64_t gap, int misaligned, uint64_t *bytes) {
    gp_policy got;
    gp_policy_source source;
    memset(&got, 0, sizeof got);
    m.extent[0] = batch, m.extent[1] = r, m.extent[2] = columns_;
    m.in_stride[0] = m.out_stride[0] = gap ? r * columns_ + gap : 0;
    c.in = c.out = reinterpret_cast<char *>(uintptr_t(1) << 32) + misaligned, c.policy = nullptr;
    GOOD(gp_policy_origin(ctx, &c, &got, &source));
    GOOD(gp_workspace_size(ctx, &c, bytes));
    return got.algorithm == GP_ROUND_TRIP;
  };
  uint64_t bytes = 0;
  const uint64_t most = uint64_t(GP__TRIP_BYTES);
  CHECK(takes(1, 33, 1 << 18, 0, 0, &bytes) && bytes == GP__CONTROL_BYTES + (33 << 20));
  CHECK(takes(1, 4096, 4097, 0, 0, &bytes) == false && takes(1, 2048, 8192, 0, 0, &bytes));
  CHECK(bytes == GP__CONTROL_BYTES + most);
  CHECK(takes(1, 10, 3, 0, 4, &bytes) && bytes == GP__CONTROL_BYTES + 256);
  CHECK(takes(5, 2048, 8192, 0, 0, &bytes) && bytes == GP__CONTROL_BYTES + most);
  CHECK(takes(1 << 20, 8, 40, 0, 4, &bytes) && bytes <= GP__CONTROL_BYTES + most && bytes > most - 16 * 1280);
  CHECK(takes(1 << 20, 8, 41, 0, 4, &bytes) && bytes == GP__CONTROL_BYTES + 51136 * 8 * 41 * 4); // whole vectors
  CHECK(takes(4, 8, 40, 1, 0, &bytes) && !takes(5, 8, 40, 1, 0, &bytes));                        // launches of each
  // One kernel for any number of long rows, allowed as much shared memory as the most have asked for.
  m.extent[0] = 1, m.extent[2] = 8192, m.in_stride[0] = m.out_stride[0] = 0;
  c.in_type = GP_U16, c.in = reinterpret_cast<char *>(uintptr_t(1) << 32),
  c.out = reinterpret_cast<char *>(uintptr_t(1) << 33);
  for (const uint64_t few : {9, 112, 33}) {
    m.extent[1] = few;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::last_launch.shared_bytes >= few * 4 * 128);
  }
  c.in_type = GP_I32;
  // Trips in parts of whole vectors: the last one has the rest.
  m.extent[0] = 1 << 20, m.extent[1] = 8, m.extent[2] = 41, m.in_stride[0] = m.out_stride[0] = 0;
  for (const unsigned misaligned : {4u, 0u}) { // a tile has some whole: within their places, in one launch
    c.in = c.out = reinterpret_cast<char *>(uintptr_t(1) << 32) + misaligned;
    const unsigned before = fake::counts.launches;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::counts.launches - before == (misaligned ? 2 * 21 : 1));
  }
  CHECK(!takes(1 << 20, 8, 41, 0, 0, &bytes) && bytes == 0);
  fake::machine.run = true;
  CLOSE(ctx);
}

// Sorts, from the call to the last of its launches, on the emulated kernels.
// Leading bits, in a pass or, where there may be as many keys, in two, and all bits where a digit has too many keys.
template <class V> static void test_leading_bits(gp_context *ctx, gp_type values) {
  for (int data = 0; data < 2; ++data)
    for (int deep = 0; deep < 2; ++deep)
      for (int form = 0; form < 3; ++form) { // elsewhere, in place, not aligned
        const size_t many = 20000, room = deep ? 5u << 18 : many, off = form == 2;
        std::vector<unsigned> given(room + off);
        std::vector<V> numbers(room + off);
        for (size_t i = 0; i < many; ++i) {
          const unsigned x = unsigned(i * 2654435761u >> 7) * 2246822519u;
          given[off + i] = data ? 5u << 24 | (x & 0xffffff) : x;
          numbers[off + i] = V(i);
        }
        Device<unsigned> from(given), to{room + off};
        Device<V> values_from(numbers), values_to{room + off};
        Device<unsigned long long> count(std::vector<unsigned long long>(1, many));
        gp_policy leading = small(GP_LEADING_SWEEP);
        gp_call c = gp_call_init(GP_SORT);
        c.key_type = GP_U32, c.in_type = values, c.keys = from.data + off, c.in = values_from.data + off,
        c.count = room;
        c.out_keys = (form == 1 ? from.data : to.data) + off,
        c.out = (form == 1 ? values_from.data : values_to.data) + off;
        if (deep) c.count_device = reinterpret_cast<const uint64_t *>(count.data);
        c.policy = &leading;
        const unsigned before = fake::counts.launches;
        GOOD(gp_run(ctx, &c, nullptr));
        CHECK(fake::counts.launches - before == (form == 1 ? 6u : form && sizeof(V) == 4 ? 5u : 9u));
        std::vector<size_t> by(many);
        for (size_t i = 0; i < many; ++i) by[i] = i;
        std::stable_sort(by.begin(), by.end(), [&](size_t a, size_t b) { return given[off + a] < given[off + b]; });
        bool good = true;
        for (size_t i = 0; i < many; ++i)
          good = good && static_cast<unsigned *>(c.out_keys)[i] == given[off + by[i]] &&
                 static_cast<V *>(c.out)[i] == by[i];
        check(good, __LINE__, "values of %d bytes, data %d, deep %d, form %d", int(sizeof(V)), data, deep, form);
      }
}

FAKE_KERNEL(gp__radix_args,
            gp__sort_one_cluster<gp__policy<128, 1, 3, 3, 0, 2, 2>, gp__radix_key<unsigned int>, unsigned int>);
FAKE_KERNEL(gp__radix_args,
            gp__sort_one_launch<gp__policy<128, 1, 3, 3, 0, 2, 2>, gp__radix_key<unsigned int>, unsigned int>);
FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<384, 2, 3, 3, 2, 2, 1>, gp__radix_key<unsigned int>>);
FAKE_KERNEL(
    gp__radix_args,
    gp__radix_pass<gp__policy<384, 2, 3, 3, 2, 2, 1>, gp__radix_key<unsigned int>, unsigned int, gp__radix_narrow>);

// A sort of u32 keys with their places as values.
struct PairsOfPlaces {
  std::vector<unsigned> keys, places;
  Device<unsigned> from, values_from, to, values_to;
  gp_call call;
  static std::vector<unsigned> numbers(size_t n) {
    std::vector<unsigned> v(n);
    for (size_t i = 0; i < n; ++i) v[i] = unsigned(i);
    return v;
  }
  PairsOfPlaces(const std::vector<unsigned> &k, bool in_place, const gp_policy *policy, int flags = 0)
      : keys(k), places(numbers(k.size())), from(k), values_from(places), to{k.size()}, values_to{k.size()},
        call(gp_call_init(GP_SORT)) {
    call.key_type = call.in_type = GP_U32, call.keys = from.data, call.in = values_from.data, call.count = k.size();
    call.out_keys = in_place ? from.data : to.data, call.out = in_place ? values_from.data : values_to.data;
    call.flags = flags, call.policy = policy;
  }
  bool is_sorted() const { // the first call.count of them
    std::vector<unsigned> by(places.begin(), places.begin() + long(call.count));
    const bool down = call.flags & GP_DESCENDING;
    std::stable_sort(by.begin(), by.end(),
                     [&](unsigned a, unsigned b) { return down ? keys[a] > keys[b] : keys[a] < keys[b]; });
    for (size_t i = 0; i < by.size(); ++i)
      if (static_cast<const unsigned *>(call.out_keys)[i] != keys[by[i]] ||
          static_cast<const unsigned *>(call.out)[i] != by[i])
        return false;
    return true;
  }
};

// A sort by blocks that wait for each other; where that is refused, or not in the driver, by a launch a pass.
static void test_teams() {
  const size_t n = 2000; // four blocks
  size_t told = 0;
  std::vector<unsigned> keys(n);
  for (size_t i = 0; i < n; ++i) keys[i] = unsigned(i * 7919 % 700) * 4321u;
  for (int algorithm : {GP_ONE_CLUSTER, GP_ONE_LAUNCH})
    for (int way = 0; way < 5; ++way) {
      const bool cluster = algorithm == GP_ONE_CLUSTER, refused = way > 1 && (cluster || way < 4);
      fake::machine.clusters = way == 2 ? 0 : 2;
      fake::machine.cluster_refusal = way == 3 ? GP__CU_INVALID_CLUSTER_SIZE : 0;
      fake::machine.refusal = way == 2 ? GP__CU_COOPERATIVE_TOO_LARGE : 0, fake::machine.cooperative = way != 3;
      fake::machine.max_clusters = way != 4;
      gp_context *const ctx = open_fake();
      gp_policy p = small(algorithm);
      p.blocks_per_sm = 2;
      PairsOfPlaces sort(keys, way == 1, &p, GP_DESCENDING);
      gp_call &c = sort.call;
      logged.clear();
      const unsigned launches = fake::counts.launches, cooperative = fake::counts.cooperative;
      const unsigned clustered = fake::counts.clustered;
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(fake::counts.launches - launches == (refused ? 5u : 1u));
      CHECK(fake::counts.cooperative - cooperative == (refused || cluster ? 0u : 1u));
      CHECK(fake::counts.clustered - clustered == (refused || !cluster ? 0u : 1u));
      CHECK(warnings("blocks cannot wait for each other") == (refused ? 1u : 0u));
      check(sort.is_sorted(), __LINE__, "by a team, algorithm %d, way %d", algorithm, way);
      c.keys = c.in = c.out_keys = c.out = nullptr, c.count = 1u << 20; // more than blocks that are resident hold
      BAD(GP_E_POLICY, "algorithm", gp_workspace_size(ctx, &c, &told));
      CLOSE(ctx);
    }
  fake::machine.clusters = 2, fake::machine.cluster_refusal = fake::machine.refusal = 0;
  fake::machine.max_clusters = fake::machine.cooperative = true;
  fake::machine.capability = 80; // one block is enough, or it is not valid
  gp_context *const ctx = open_fake();
  gp_policy p = small(GP_ONE_CLUSTER);
  p.blocks_per_sm = 2;
  PairsOfPlaces sort(keys, false, &p);
  sort.call.count = 512;
  GOOD(gp_run(ctx, &sort.call, nullptr));
  CHECK(sort.is_sorted());
  sort.call.count = 513;
  BAD(GP_E_POLICY, "algorithm", gp_workspace_size(ctx, &sort.call, &told));
  CLOSE(ctx);
  fake::machine.capability = 90;
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
}

static void test_sorts() {
  gp_context *ctx = open_fake();
  const int n = 3000;
  gp_policy p = small(GP_ONE_SWEEP);
  const gp_type raw = define(ctx, "raw24", nullptr, 24, 8);
  struct Raw {
    uint64_t v[3];
  };
  std::vector<unsigned> keys(n), descending(n);
  std::vector<Raw> values(n);
  std::vector<size_t> order(n), reverse;
  for (int i = 0; i < n; ++i) {
    keys[size_t(i)] = unsigned(i * 7919 % 1000) * 4321u;
    values[size_t(i)] = {{uint64_t(i), 5, uint64_t(i * i)}};
    order[size_t(i)] = size_t(i);
  }
  reverse = order;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::stable_sort(reverse.begin(), reverse.end(), [&](size_t a, size_t b) { return keys[a] > keys[b]; });
  auto sorted = [&](const unsigned *got, const std::vector<size_t> &by) {
    for (size_t i = 0; i < size_t(n); ++i)
      if (got[i] != keys[by[i]]) return false;
    return true;
  };
  for (int in_place = 0; in_place < 2; ++in_place) {
    Device<unsigned> in(keys), out{size_t(n)}, indices{size_t(n)};
    Device<Raw> in_values(values), out_values{size_t(n)};
    gp_call c = gp_call_init(GP_SORT);
    unsigned before = fake::counts.launches;
    c.key_type = GP_U32, c.keys = in.data, c.out_keys = in_place ? in.data : out.data, c.count = n, c.policy = &p;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::counts.launches - before == 5u + unsigned(in_place) && sorted(in_place ? in.data : out.data, order));

    Device<unsigned> again(keys);
    before = fake::counts.launches;
    c.keys = again.data, c.out_keys = in_place ? again.data : out.data, c.flags = GP_DESCENDING;
    c.in_type = raw, c.in = in_values.data, c.out = in_place ? in_values.data : out_values.data;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::counts.launches - before == 6u + 2u * unsigned(in_place));
    CHECK(sorted(in_place ? again.data : out.data, reverse));
    const Raw *got = in_place ? in_values.data : out_values.data;
    bool good = true;
    for (size_t i = 0; i < size_t(n); ++i) good = good && !memcmp(&got[i], &values[reverse[i]], sizeof(Raw));
    CHECK(good);

    Device<unsigned> last(keys);
    c = gp_call_init(GP_SORT);
    c.key_type = GP_U32, c.out_type = GP_I32, c.keys = last.data, c.out = indices.data, c.count = n, c.policy = &p;
    c.out_keys = in_place ? out.data : nullptr;
    GOOD(gp_run(ctx, &c, nullptr));
    good = true;
    for (size_t i = 0; i < size_t(n); ++i) good = good && indices.data[i] == order[i] && last.data[i] == keys[i];
    CHECK(good && (!in_place || sorted(out.data, order)));

    before = fake::counts.launches; // no bit decides
    c.begin_bit = c.end_bit = 7, c.out_keys = out.data;
    GOOD(gp_run(ctx, &c, nullptr));
    good = fake::counts.launches - before == 2;
    for (size_t i = 0; i < size_t(n); ++i) good = good && indices.data[i] == i && out.data[i] == keys[i];
    CHECK(good);
    before = fake::counts.launches;
    c.count = 0;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::counts.launches == before);
  }
  // Pairs whose values travel beside their keys, to outputs that have room for that, and that do not.
  for (int in_place = 0; in_place < 2; ++in_place)
    for (size_t off = 0; off < 3; ++off) {
      gp_policy paired = small(GP_PAIRED_SWEEP);
      const size_t n_odd = size_t(n) - 1;
      std::vector<unsigned> given(n_odd + off);
      std::vector<int> numbers(n_odd + off);
      for (size_t i = 0; i < n_odd; ++i) given[off + i] = keys[i] ^ 0x5u << 28, numbers[off + i] = int(i);
      Device<unsigned> from(given), to{n_odd + off};
      Device<int> values_from(numbers), values_to{n_odd + off};
      gp_call c = gp_call_init(GP_SORT);
      c.key_type = GP_U32, c.keys = from.data + off, c.out_keys = (in_place ? from.data : to.data) + off;
      c.in_type = GP_I32, c.in = values_from.data + off, c.out = (in_place ? values_from.data : values_to.data) + off;
      c.count = n_odd, c.policy = &paired;
      GOOD(gp_run(ctx, &c, nullptr));
      std::vector<size_t> by(n_odd);
      for (size_t i = 0; i < n_odd; ++i) by[i] = i;
      std::stable_sort(by.begin(), by.end(), [&](size_t a, size_t b) { return given[off + a] < given[off + b]; });
      bool good = true;
      for (size_t i = 0; i < n_odd; ++i)
        good = good && static_cast<unsigned *>(c.out_keys)[i] == given[off + by[i]] &&
               static_cast<int *>(c.out)[i] == int(by[i]);
      CHECK(good);
      gp_policy said;
      GOOD(gp_policy_echo(ctx, &c, &said));
      CHECK(said.algorithm == GP_PAIRED_SWEEP && said.threads == 128 && said.stages == 2);
    }
  test_leading_bits<unsigned>(ctx, GP_U32);
  test_leading_bits<unsigned long long>(ctx, GP_U64);
  // Hybrid; what its first count decides; and, where there may be so many keys that even ones need two levels, what a
  // sample does: keys of which the one sort, then the other one makes less work. The count, where no team is allowed.
  for (int adaptive = 0; adaptive < 4; ++adaptive)
    for (int deep = 0; deep < 2; ++deep)
      for (int in_place = 0; in_place < 2; ++in_place) {
        const size_t many = 20000;
        std::vector<unsigned> given(many);
        for (size_t i = 0; i < many; ++i) {
          const unsigned x = unsigned(i * 2654435761u >> 7) * 2246822519u;
          given[i] = deep ? (x >> 31 ? 0xa5a5a500u : 0u) | (x >> 8 & 0xffu) : x;
        }
        const size_t room = adaptive == 2 ? 5u << 18 : many;
        given.resize(room);
        Device<unsigned> in(given), out{room};
        given.resize(many);
        Device<unsigned long long> count(std::vector<unsigned long long>(1, many));
        gp_policy levels = small(adaptive ? GP_ADAPTIVE : GP_HYBRID);
        levels.threads = 256;
        gp_call c = gp_call_init(GP_SORT);
        c.key_type = GP_U32, c.keys = in.data, c.out_keys = in_place ? in.data : out.data, c.count = room;
        if (adaptive == 2) c.count_device = reinterpret_cast<const uint64_t *>(count.data);
        c.policy = &levels;
        fake::machine.refusal = adaptive == 3 ? GP__CU_NOT_SUPPORTED : 0;
        logged.clear();
        const unsigned before = fake::counts.launches, together = fake::counts.cooperative;
        GOOD(gp_run(ctx, &c, nullptr));
        CHECK(fake::counts.launches - before == (adaptive == 2 ? 9u : adaptive == 3 ? 6u : adaptive ? 5u : 4u));
        CHECK(fake::counts.cooperative - together == (adaptive == 1));
        CHECK(warnings("blocks cannot wait for each other") == (adaptive == 3));
        fake::machine.refusal = 0;
        std::sort(given.begin(), given.end());
        CHECK(!memcmp(c.out_keys, given.data(), many * 4));
        gp_policy said;
        GOOD(gp_policy_echo(ctx, &c, &said));
        CHECK(said.algorithm == levels.algorithm && said.threads == 256);
      }
  for (int in_place = 0; in_place < 2; ++in_place) { // pairs, where a sample chooses
    std::vector<unsigned> given(20000);
    for (size_t i = 0; i < given.size(); ++i) given[i] = unsigned(i * 2654435761u >> 7) % 9000 * 2246822519u;
    gp_policy levels = small(GP_ADAPTIVE);
    levels.threads = 256, levels.stages = 1;
    PairsOfPlaces sort(given, in_place, &levels);
    const unsigned before = fake::counts.launches;
    GOOD(gp_run(ctx, &sort.call, nullptr));
    CHECK(fake::counts.launches - before == 7u);
    CHECK(sort.is_sorted());
  }
  // Scratch memory is told beforehand, for whatever pointers, and it is enough.
  size_t told = 0;
  Device<unsigned> in(keys), out{size_t(n)};
  gp_call c = gp_call_init(GP_SORT);
  c.key_type = GP_U32, c.count = 1u << 20;
  GOOD(gp_workspace_size(ctx, &c, &told));
  CHECK(told > (4u << 20) && told < (6u << 20)); // the keys once more, and counters
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CLOSE(ctx);
}

// Each call of the driver fails once, of a checked call, of one with two launches, and of a histogram that grows.
static void test_more_faults() {
  unsigned injected = 0;
  Buffers &b = buffers;
  alignas(256) static unsigned char counters[12000 * 4];
  for (unsigned long k = 1; k < 10000; ++k) {
    fake::reset();
    gp_context *ctx = open_fake();
    fake::Stream *stream = fake::make_stream();
    fake::fail_at = fake::counts.total + k;
    gp_call calls[3] = {sample(GP_SEGMENTED_INCLUSIVE_SCAN), sample(GP_SEGMENTED_REDUCE), sample(GP_HISTOGRAM_EVEN)};
    gp_policy p;
    memset(&p, 0, sizeof p);
    p.algorithm = GP_SHARED_BINS;
    calls[0].flags = GP_CHECKED, calls[0].bad = &b.bad;
    calls[1].end = b.end;
    calls[2].policy = &p;
    for (int i = 0; i < 4; ++i) {
      gp_call &c = calls[i < 3 ? i : 2];
      if (i == 3) c.bins = 12000, c.out = counters;
      const bool before = !fake::failed_call.empty();
      const gp_result r = gp_run(ctx, &c, stream);
      const bool failed_here = !before && !fake::failed_call.empty();
      const bool quiet = fake::failed_call == "nvrtcDestroyProgram" || fake::failed_call == "nvrtcGetProgramLogSize" ||
                         fake::failed_call == "cuThreadExchangeStreamCaptureMode";
      check(r == GP_SUCCESS ? !failed_here || quiet : failed_here, __LINE__, "call %d, %lu (%s) failing: %s", i, k,
            fake::failed_call.c_str(), gp_result_name(r));
      if (r == GP_SUCCESS) continue;
      check(strstr(gp_last_message(), fake::failed_call.c_str()) != nullptr, __LINE__, "the message \"%s\" lacks %s",
            gp_last_message(), fake::failed_call.c_str());
      GOOD(gp_run(ctx, &c, stream));
    }
    const bool hit = !fake::failed_call.empty();
    injected += hit;
    fake::fail_at = 0;
    CLOSE(ctx);
    fake::destroy_stream(stream);
    if (!hit) break;
  }
  check(injected > 60, __LINE__, "only %u faults were injected", injected);
}

// Every primitive's default is a valid policy, and it is one of its space.
static void test_more_policies() {
  gp_context *ctx = open_fake();
  gp_policy_source source;
  for (int i = GP_SEGMENTED_REDUCE; i < GP_PRIMITIVE_COUNT; ++i)
    for (gp_type t : {GP_U8, GP_F16, GP_F32, GP_F64})
      for (uint64_t n = 0; n < uint64_t(1) << 36; n = n * 9 + 1)
        for (uint64_t more : {1, 1000, 100000000}) {
          const double lower[1] = {0}, upper[1] = {0x1p+60};
          gp_call c = sample(gp_primitive(i), n);
          gp_policy p, again;
          if (c.in_type && i != GP_HISTOGRAM_EVEN && i != GP_GRAPH_FROM_EDGES) c.in_type = t;
          if (c.in_type == GP_F64) c.init = c.init ? lower : nullptr, c.step = c.step ? upper : nullptr;
          if (c.key_type) c.key_type = t;
          if (c.segments) c.segments = more;
          if (c.bins) c.bins = more;
          c.out = c.out ? reinterpret_cast<void *>(uintptr_t(1) << 44) : nullptr; // behind the inputs, however long
          c.out2 = c.out2 ? reinterpret_cast<void *>(uintptr_t(1) << 45) : nullptr;
          c.out_keys = c.out_keys ? reinterpret_cast<void *>(uintptr_t(1) << 46) : nullptr;
          c.in = c.keys = c.in2 = c.keys2 = nullptr;
          c.begin = i == GP_SEGMENTED_REDUCE || i == GP_HISTOGRAM_RANGES ? reinterpret_cast<void *>(256) : nullptr;
          const gp_result r = gp_policy_origin(ctx, &c, &p, &source);
          check(r == GP_SUCCESS && source == GP_POLICY_PORTABLE, __LINE__, "primitive %d type %d n %llu: %s", i, t,
                (unsigned long long)n, gp_last_message());
          c.policy = &p; // what gp_policy_origin says can be handed back
          GOOD(gp_policy_origin(ctx, &c, &again, &source));
          CHECK(source == GP_POLICY_CALLER && memcmp(&again, &p, sizeof p) == 0);
        }
  char json[4096];
  gp_policy_space(GP_SELECT, json, sizeof json);
  CHECK(strstr(json, "\"names\": [\"GP_AUTO\", \"GP_LOOK_BACK\", \"GP_PIPELINED\"]") ||
        strstr(json, "[\"GP_LOOK_BACK\", \"GP_PIPELINED\"]"));
  gp_policy_space(GP_SEGMENTED_REDUCE, json, sizeof json);
  CHECK(strstr(json, "[\"GP_MERGE_PATH\", \"GP_WARP_SEGMENTS\", \"GP_PIPELINED\"]") && strstr(json, "\"stages\"") &&
        !strstr(json, "\"store\""));
  gp_policy_space(GP_HISTOGRAM_RANGES, json, sizeof json);
  CHECK(strstr(json, "[\"GP_SHARED_BINS\", \"GP_GLOBAL_BINS\"]"));
  gp_policy_space(GP_COUNT_IF, json, sizeof json);
  CHECK(strstr(json, "GP_EVEN_SHARE"));
  gp_policy p = small(GP_LOOK_BACK), said;
  gp_call c = sample(GP_SEGMENTED_REDUCE);
  c.policy = &p;
  BAD(GP_E_POLICY, "policy.algorithm = 5 is not valid for this call", gp_run(ctx, &c, nullptr));
  p = small(GP_PIPELINED), p.store = 0;
  GOOD(gp_prepare(ctx, &c));
  GOOD(gp_policy_echo(ctx, &c, &said));
  CHECK(said.algorithm == GP_PIPELINED && said.stages == 3);
  c.end = static_cast<const char *>(c.begin) + 4;
  BAD(GP_E_POLICY, "policy.algorithm = 7 is not valid for this call", gp_run(ctx, &c, nullptr));
  c = sample(GP_LOAD_BALANCE);
  c.policy = &p;
  BAD(GP_E_POLICY, "policy.algorithm = 7 is not valid for this call", gp_run(ctx, &c, nullptr));
  c = sample(GP_SEGMENTED_REDUCE);
  c.policy = &p;
  // few elements: so many lanes a segment that a vector a lane holds one of mean length, or the block; no workspace
  const struct {
    uint64_t count, segments;
    bool ranges;
    int algorithm;
    unsigned log2_lanes, grid;
  } rows[] = {{0, 10, false, GP_WARP_SEGMENTS, 0, 1},     {100, 100, false, GP_WARP_SEGMENTS, 0, 1},
              {100, 100, true, GP_WARP_SEGMENTS, 3, 4},   {500, 100, false, GP_WARP_SEGMENTS, 1, 1},
              {1600, 100, false, GP_WARP_SEGMENTS, 2, 2}, {1601, 100, false, GP_WARP_SEGMENTS, 3, 4},
              {8192, 64, true, GP_WARP_SEGMENTS, 5, 8},   {8192, 21, false, GP_WARP_SEGMENTS, 10, 16},
              {8193, 64, false, GP_MERGE_PATH, 0, 0},     {10, 8193, false, GP_MERGE_PATH, 0, 0}};
  for (const auto &row : rows) {
    gp__shape s = {};
    s.primitive = GP_SEGMENTED_REDUCE, s.in_size = s.acc_size = s.out_size = s.offset_size = 4, s.ranges = row.ranges;
    s.count = row.count, s.segments = row.segments;
    s.multiprocessors = 2, s.compute_capability = 90, s.shared_bytes = 64 * 1024;
    const gp_policy chosen = gp__portable(gp_policy(), s);
    const gp__geometry g = gp__geometry_of(chosen, s, 0);
    CHECK(chosen.algorithm == row.algorithm && gp__policy_valid(chosen, s) && g.log2_lanes == row.log2_lanes);
    if (row.algorithm == GP_WARP_SEGMENTS) CHECK(g.grid == row.grid && g.words == 0 && g.shared_bytes == 0);
    s.primitive = GP_LOAD_BALANCE;
    CHECK(gp__portable(gp_policy(), s).algorithm == GP_MERGE_PATH);
    s.primitive = GP_SEGMENTED_REDUCE, s.multiprocessors = 1 << 20, s.count = 1 << 20, s.segments = 63;
    CHECK(gp__portable(gp_policy(), s).algorithm == GP_MERGE_PATH); // long segments alone
    s.segments = 64;
    CHECK(gp__portable(gp_policy(), s).algorithm == GP_WARP_SEGMENTS);
    s.count = 1ull << 31;
    gp_policy warp = chosen;
    warp.algorithm = GP_WARP_SEGMENTS;
    CHECK(!gp__policy_valid(warp, s));
  }
  // streams: a vector a thread below 4 MiB; segmented scans look back up to 8 MiB
  const struct {
    int key, in, offset;
    uint64_t bytes;
    int algorithm, threads, vectors, stages, blocks;
  } streams[] = {
      {4, 0, 0, 4096, GP_LOOK_BACK, 256, 1, 3, 8},          {4, 0, 0, (1 << 20) - 4, GP_LOOK_BACK, 256, 1, 3, 8},
      {4, 0, 0, 1 << 20, GP_LOOK_BACK, 512, 1, 3, 4},       {4, 4, 0, (1 << 22) - 8, GP_LOOK_BACK, 512, 1, 3, 4},
      {4, 0, 0, 1 << 22, GP_PIPELINED, 256, 5, 5, 2},       {4, 4, 0, 1 << 22, GP_PIPELINED, 256, 3, 4, 2},
      {4, 0, 0, (1 << 24) - 4, GP_PIPELINED, 256, 5, 5, 2}, {4, 0, 0, 1 << 24, GP_PIPELINED, 512, 5, 5, 1},
      {0, 4, 4, (1 << 20) - 4, GP_LOOK_BACK, 256, 1, 3, 8}, {0, 4, 4, (1 << 22) - 4, GP_LOOK_BACK, 512, 1, 3, 4},
      {0, 4, 4, 1 << 22, GP_LOOK_BACK, 256, 3, 3, 6},       {0, 4, 4, (1 << 23) - 4, GP_LOOK_BACK, 256, 3, 3, 6},
      {0, 4, 4, 1 << 23, GP_PIPELINED, 256, 5, 5, 2}};
  for (const auto &row : streams) {
    gp__shape s = {};
    s.primitive = row.offset ? GP_SEGMENTED_INCLUSIVE_SCAN : row.in ? GP_INCLUSIVE_SCAN_BY_KEY : GP_SELECT;
    s.key_size = row.key, s.in_size = row.in, s.offset_size = row.offset;
    s.acc_size = row.in, s.out_size = 4;
    s.count = row.bytes / unsigned(row.key + row.in), s.segments = s.count / 64;
    s.multiprocessors = 132, s.compute_capability = 90, s.shared_bytes = 227 * 1024;
    const gp_policy chosen = gp__portable(gp_policy(), s);
    check(chosen.algorithm == row.algorithm && chosen.threads == row.threads && chosen.vectors == row.vectors &&
              chosen.stages == row.stages && chosen.blocks_per_sm == row.blocks && gp__policy_valid(chosen, s),
          __LINE__, "rule for %d/%d/%d of %llu bytes: algorithm %d, %dx%d, %d stages, %d blocks", row.key, row.in,
          row.offset, (unsigned long long)row.bytes, chosen.algorithm, chosen.threads, chosen.vectors, chosen.stages,
          chosen.blocks_per_sm);
  }
  p = small(GP_MERGE_PATH), p.store = 0;
  GOOD(gp_prepare(ctx, &c));
  GOOD(gp_policy_echo(ctx, &c, &said));
  CHECK(said.algorithm == GP_MERGE_PATH && said.threads == 128 && said.vectors == 1 && said.blocks_per_sm == 1);
  CLOSE(ctx);
}

// Each call of the driver fails once, of more than 40; the next call works.
static void test_every_fault(const gp_call &c) {
  unsigned injected = 0;
  for (unsigned long k = 1; k < 10000; ++k) {
    fake::reset();
    fake::machine.run = false;
    gp_context *ctx = open_fake();
    fake::Stream *stream = fake::make_stream();
    fake::fail_at = fake::counts.total + k;
    const gp_result r = gp_run(ctx, &c, stream);
    const bool hit = !fake::failed_call.empty();
    check(r == GP_SUCCESS || hit, __LINE__, "%s without a fault", gp_last_message());
    fake::fail_at = 0;
    GOOD(gp_run(ctx, &c, stream));
    injected += hit;
    CLOSE(ctx);
    fake::destroy_stream(stream);
    if (!hit) break;
  }
  check(injected > 40, __LINE__, "only %u faults were injected", injected);
}

// ---- building and checking graphs: plans of calls and kernels

static void test_graph_building() {
  gp_context *ctx = open_fake();
  fake::Stream *stream = fake::make_stream();
  fake::machine.run = false;
  static const struct {
    gp_primitive primitive;
    int flags;
    unsigned least; // launches
    const char *kernel;
  } calls[] = {{GP_GRAPH_FROM_EDGES, 0, 3, "gp__graph_from_keys<"},
               {GP_GRAPH_FROM_EDGES, GP_SYMMETRISE | GP_UNIQUE_EDGES | GP_DROP_LOOPS, 4, "gp__graph_from_keys<"},
               {GP_GRAPH_TRANSPOSE, 0, 3, "gp__graph_from_keys<"},
               {GP_GRAPH_RELABEL, 0, 6, "gp__graph_from_keys<"},
               {GP_GRAPH_DEGREES, 0, 3, "gp__graph_degree_report<"},
               {GP_GRAPH_CHECK, 0, 3, "gp__fault_report<"},
               {GP_BFS_CHECK, 0, 4, "gp__fault_report<"},
               {GP_CONNECTED_COMPONENTS, 0, 6, "gp__components_roots<"}};
  std::vector<fake::Stream *> strangers;
  for (const auto &one : calls)
    for (uint64_t n : {uint64_t(100), uint64_t(1) << 22, uint64_t(0)}) {
      gp_call c = sample(one.primitive, n);
      gp_graph roomy = c.out_graph ? *c.out_graph : gp_graph();
      uint64_t bytes = 0;
      gp_kernel_source source;
      char name[1000];
      c.flags = one.flags;
      roomy.edges *= 2;
      if (c.out_graph) c.out_graph = &roomy;
      unsigned launches = fake::counts.launches;
      GOOD(gp_prepare(ctx, &c));
      CHECK(fake::counts.launches == launches);
      GOOD(gp_run(ctx, &c, stream));
      const unsigned made = fake::counts.launches - launches;
      check(made >= (n ? one.least : 2), __LINE__, "%d: %u launches", int(one.primitive), made);
      GOOD(gp_kernel_origin(ctx, &c, &source, name, sizeof name));
      check(source == GP_KERNEL_COMPILED && strstr(name, one.kernel), __LINE__, "%s", name);
      // Captured: what gp_workspace_size says is enough, and without it nothing is launched.
      GOOD(gp_workspace_size(ctx, &c, &bytes));
      fake::Stream *fresh = fake::make_stream();
      fresh->capturing = 1;
      launches = fake::counts.launches + fake::counts.recorded;
      BAD(GP_E_WORKSPACE, "gp_reserve", gp_run(ctx, &c, fresh));
      CHECK(fake::counts.launches + fake::counts.recorded == launches);
      fresh->capturing = 0;
      GOOD(gp_reserve(ctx, fresh, bytes));
      fresh->capturing = 1;
      GOOD(gp_run(ctx, &c, fresh));
      fresh->capturing = 0;
      GOOD(gp_run(ctx, &c, fresh));
      strangers.push_back(fresh); // another stream of the same handle would not be fresh
    }
  for (fake::Stream *s : strangers) fake::destroy_stream(s);
  { // with wanted numbers: one more fill; an edge list is not checked otherwise than its graph
    gp_call c = sample(GP_GRAPH_FROM_EDGES);
    const unsigned launches = fake::counts.launches;
    GOOD(gp_run(ctx, &c, stream));
    const unsigned without = fake::counts.launches - launches;
    c.bad = &buffers.bad;
    GOOD(gp_run(ctx, &c, stream));
    CHECK(fake::counts.launches - launches == 2 * without + 1);
    c.in2 = nullptr, c.in = buffers.in + 2;
    BAD(GP_E_ALIGNMENT, "in (pairs)", gp_run(ctx, &c, stream));
    c.in = c.out_graph->targets;
    BAD(GP_E_OVERLAP, "overlap", gp_run(ctx, &c, stream));
    c = sample(GP_GRAPH_CHECK), c.out = nullptr;
    BAD(GP_E_NULL, "out (fault) is null", gp_run(ctx, &c, stream));
    c = sample(GP_BFS_CHECK), c.in2 = c.out;
    BAD(GP_E_OVERLAP, "in2 (parents) and out (fault) overlap", gp_run(ctx, &c, stream));
    c = sample(GP_GRAPH_RELABEL), c.out2 = c.out;
    BAD(GP_E_OVERLAP, "overlap", gp_run(ctx, &c, stream));
  }
  CLOSE(ctx);
  fake::destroy_stream(stream);

  gp_call relabel = sample(GP_GRAPH_RELABEL);
  test_every_fault(relabel);
}

// ---- group by: calls of its own, through memory that the workspace holds

static gp_call group_call(uint64_t count, gp_op op, gp_type type) {
  gp_call c = gp_call_init(GP_GROUP_BY);
  c.op = op;
  c.key_type = GP_U32, c.in_type = c.out_type = type;
  c.keys = reinterpret_cast<void *>(uintptr_t(1) << 40), c.in = reinterpret_cast<void *>(uintptr_t(2) << 40);
  c.out_keys = reinterpret_cast<void *>(uintptr_t(3) << 40), c.out = reinterpret_cast<void *>(uintptr_t(4) << 40);
  c.out_count = reinterpret_cast<uint64_t *>(uintptr_t(5) << 40);
  c.count = count;
  return c;
}

static void test_group_by() {
  gp_context *ctx = open_fake();
  fake::Stream *stream = fake::make_stream(), *other = fake::make_stream();
  fake::machine.run = false;
  gp_call small_one = group_call(5000, GP_SUM, GP_U32), floats = group_call(GP__GROUP_FROM, GP_SUM, GP_F32),
          large = group_call(GP__GROUP_FROM, GP_SUM, GP_U32), none = group_call(0, GP_SUM, GP_U32);
  gp_kernel_source source;
  char name[1000];
  uint64_t bytes = 0, more = 0;
  unsigned launches = fake::counts.launches, of_sort, of_tables;

  BAD(GP_E_TYPE, "key_type is not set", ([&] {
        gp_call c = small_one;
        c.key_type = 0;
        return gp_run(ctx, &c, stream);
      }()));
  BAD(GP_E_OPERATOR, "ARGMAX", ([&] {
        gp_call c = small_one;
        c.op = GP_ARGMAX;
        return gp_run(ctx, &c, stream);
      }()));
  BAD(GP_E_NULL, "out_count is null", ([&] {
        gp_call c = small_one;
        c.out_count = nullptr;
        return gp_run(ctx, &c, stream);
      }()));
  BAD(GP_E_NULL, "keys is null", ([&] {
        gp_call c = small_one;
        c.keys = nullptr;
        return gp_run(ctx, &c, stream);
      }()));
  BAD(GP_E_OVERLAP, "out_keys", ([&] {
        gp_call c = small_one;
        c.out_keys = const_cast<void *>(c.keys);
        return gp_run(ctx, &c, stream);
      }()));

  // A sort and a reduction; of many elements whose order does not matter tables besides, and both ways.
  GOOD(gp_run(ctx, &small_one, stream));
  of_sort = fake::counts.launches - launches;
  CHECK(of_sort >= 2);
  launches = fake::counts.launches;
  GOOD(gp_run(ctx, &floats, stream));
  of_sort = fake::counts.launches - launches;
  launches = fake::counts.launches;
  GOOD(gp_run(ctx, &large, stream));
  of_tables = fake::counts.launches - launches;
  CHECK(of_tables >= of_sort + 5); // clears, fills tables, sorts and reduces what is in them, adds two numbers
  launches = fake::counts.launches;
  GOOD(gp_run(ctx, &none, stream)); // no groups: a number is written
  CHECK(fake::counts.launches == launches + 1);
  GOOD(gp_kernel_origin(ctx, &large, &source, name, sizeof name));
  CHECK(source == GP_KERNEL_COMPILED && strstr(name, "gp__group_table<") != nullptr);
  GOOD(gp_kernel_origin(ctx, &floats, &source, name, sizeof name));
  CHECK(source == GP_KERNEL_NONE && !*name);
  {
    gp_policy echo;
    GOOD(gp_policy_echo(ctx, &large, &echo));
    CHECK(echo.threads == 512 && echo.vectors == 2);
  }

  // Captured: what gp_workspace_size says is enough, and one byte less is told before anything is launched.
  std::vector<fake::Stream *> streams; // which are alive at once: a handle that comes back brings its workspace
  for (const gp_call *c : {&small_one, &floats, &large}) {
    GOOD(gp_workspace_size(ctx, c, &bytes));
    CHECK(bytes > c->count * 8);
    CHECK(c == &small_one || bytes > more);
    more = bytes;
    fake::Stream *fresh = fake::make_stream();
    fresh->capturing = 1;
    BAD(GP_E_WORKSPACE, "gp_reserve", gp_run(ctx, c, fresh));
    fresh->capturing = 0;
    GOOD(gp_reserve(ctx, fresh, bytes));
    fresh->capturing = 1;
    const unsigned recorded = fake::counts.recorded;
    GOOD(gp_run(ctx, c, fresh));
    CHECK(fake::counts.recorded > recorded);
    fresh->capturing = 0;
    GOOD(gp_run(ctx, c, fresh));
    streams.push_back(fresh);
  }

  // After a call whose words take much room, and before one; and with room that an allocator gave exactly.
  gp_call scan = gp_call_init(GP_INCLUSIVE_SCAN);
  scan.op = GP_SUM, scan.in_type = scan.out_type = GP_U8;
  scan.in = large.keys, scan.out = large.out, scan.count = 1ull << 34;
  GOOD(gp_run(ctx, &scan, other));
  GOOD(gp_run(ctx, &large, other));
  GOOD(gp_run(ctx, &scan, other));
  GOOD(gp_run(ctx, &floats, other));
  CLOSE(ctx);
  fake::destroy_stream(stream);
  fake::destroy_stream(other);
  for (fake::Stream *s : streams) fake::destroy_stream(s);

  test_every_fault(large);

  // Compiled ahead of time, the sort has the policy that it runs with.
  std::vector<std::pair<std::string, std::string>> images;
  gp_config k = config();
  k.backend = GP_BACKEND_HOST;
  floats.count = 1 << 23;
  GOOD(gp_open(&k, &ctx));
  GOOD(gp_compile(
      ctx, &floats, 90,
      [](void *all, const char *key, const void *image, size_t size) {
        static_cast<decltype(images) *>(all)->emplace_back(key, std::string(static_cast<const char *>(image), size));
      },
      &images));
  GOOD(gp_close(ctx));
  std::vector<gp_bundle_entry> entries;
  for (const auto &i : images)
    entries.push_back(gp_bundle_entry{i.first.c_str(), 90, i.second.data(), i.second.size()});
  gp_bundle bundle = {GPUPRIMS__BUNDLE, unsigned(entries.size()), entries.data()};
  k = config(), k.bundle = &bundle, k.no_compile = 1;
  fake::machine.capability = 90;
  GOOD(gp_open(&k, &ctx));
  GOOD(gp_prepare(ctx, &floats));
  CLOSE(ctx);
}

// ---- merges: whole calls on the emulator

FAKE_KERNEL(gp__merge_args,
            gp__merge<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_less<unsigned int>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__merge_args,
            gp__merge_sort_tiles<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_less<unsigned int>, unsigned int, unsigned int>);
FAKE_KERNEL(
    gp__merge_args,
    gp__merge_four_borders<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_less<unsigned int>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__merge_args,
            gp__merge_four<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_less<unsigned int>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__merge_args,
            gp__balanced_paths<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_less<unsigned int>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__merge_args, gp__set_operation<gp__policy<64, 1, 3, 3, 0, 1, 2>, GP_SET_UNION, gp_less<unsigned int>,
                                              unsigned int, unsigned int>);
FAKE_KERNEL(gp__merge_args, gp__set_pipelined<gp__policy<64, 1, 3, 3, 0, 1, 2>, GP_SET_UNION, gp_less<unsigned int>,
                                              unsigned int, unsigned int>);

static void test_merges() {
  fake::reset();
  fake::machine.multiprocessors = 2;
  gp_context *ctx = open_fake();
  gp_policy p = {};
  p.threads = 64, p.vectors = 1, p.blocks_per_sm = 1, p.overlap = 2;
  const size_t tile = 64 * size_t(gp__merge_items(1, 4, 4)), sorted = 64 * size_t(gp__sort_tile_items(1, 4, 4));
  gp_policy by_merges = p; // without it, integers go the way of gp_sort
  by_merges.algorithm = GP_MERGE_PASSES;
  for (size_t n : {size_t(1), sorted, sorted + 1, 2 * sorted, 2 * sorted + 1, 5 * sorted, 8 * sorted, 9 * sorted - 3})
    for (int form = 0; form < 6; ++form) { // in place; not in place; indices; the same by passes of four ways
      const bool four = form / 3 != 0;
      by_merges.algorithm = four ? GP_FOUR_WAY_PASSES : GP_MERGE_PASSES;
      std::vector<unsigned> keys(n), values(n), place(n);
      for (size_t i = 0; i < n; ++i)
        keys[i] = unsigned(i * 2654435761u >> 22), values[i] = unsigned(i), place[i] = values[i];
      std::stable_sort(place.begin(), place.end(), [&](unsigned i, unsigned j) { return keys[i] < keys[j]; });
      unsigned *in = static_cast<unsigned *>(simt::device_malloc(n * 16));
      simt::host_write(in, keys.data(), n * 4);
      simt::host_write(in + n, values.data(), n * 4);
      gp_call c = gp_call_init(GP_MERGE_SORT);
      c.policy = &by_merges, c.key_type = GP_U32, c.keys = in, c.count = n;
      c.out_keys = form % 3 ? in + 2 * n : in, c.out = form % 3 ? in + 3 * n : in + n;
      if (form % 3 == 2) c.out_type = GP_U32;
      else c.in_type = GP_U32, c.in = in + n;
      const unsigned launches = fake::counts.launches;
      uint64_t bytes = 0, passes = 0;
      GOOD(gp_workspace_size(ctx, &c, &bytes));
      CHECK((bytes == 0) == (n <= sorted) && (n <= sorted || bytes >= n * 8));
      while (sorted << passes < n) ++passes;
      if (four) passes = (passes + 1) / 2 * (n > 2 * sorted ? 2 : 1); // launches: few tiles find where they begin
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(fake::counts.launches == launches + 1 + passes);
      const unsigned *sorted = static_cast<unsigned *>(c.out_keys), *moved = static_cast<unsigned *>(c.out);
      bool good = true;
      for (size_t i = 0; i < n; ++i) good = good && sorted[i] == keys[place[i]] && moved[i] == place[i];
      check(good, __LINE__, "merge sort of %u, form %d", unsigned(n), form);
      simt::device_free(in);
    }
  for (size_t n : {size_t(0), size_t(1), tile, 3 * tile, 7 * tile}) { // small ones find borders in the same launch
    const size_t m = n / 2 + 1;
    unsigned *in = static_cast<unsigned *>(simt::device_malloc((n + m) * 16 + 16));
    std::vector<unsigned> a(n), b(m), number(n + m), wanted;
    for (size_t i = 0; i < n; ++i) a[i] = unsigned(i / 3);
    for (size_t i = 0; i < m; ++i) b[i] = unsigned(i / 2);
    for (size_t i = 0; i < n + m; ++i) number[i] = unsigned(i);
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(wanted));
    unsigned *second = in + n, *values = second + m, *out = values + n + m, *out_values = out + n + m;
    uint64_t *count = static_cast<uint64_t *>(simt::device_malloc(8));
    simt::host_write(in, a.data(), n * 4);
    simt::host_write(second, b.data(), m * 4);
    simt::host_write(values, number.data(), (n + m) * 4);
    for (int set = 0; set < 3; ++set) { // 2: pipelined, in one launch
      gp_call c = gp_call_init(set ? GP_SET_UNION : GP_MERGE);
      gp_policy q = p;
      q.algorithm = set == 2 ? GP_PIPELINED : GP_MERGE_PATH;
      c.policy = &q, c.key_type = c.in_type = GP_U32, c.keys = in, c.keys2 = second, c.count = n, c.count2 = m;
      c.in = values, c.in2 = values + n, c.out_keys = out, c.out = out_values;
      if (set) c.out_count = count;
      else wanted.resize(n + m), std::merge(a.begin(), a.end(), b.begin(), b.end(), wanted.begin());
      if (set) {
        wanted.clear();
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(wanted));
      }
      const unsigned launches = fake::counts.launches;
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(fake::counts.launches == launches + (set == 1 && n + m > 2 * tile ? 2 : 1));
      CHECK(!set || *count == wanted.size());
      bool good = true;
      for (size_t i = 0; i < wanted.size(); ++i)
        good = good && out[i] == wanted[i] && (out_values[i] < n ? a[out_values[i]] : b[out_values[i] - n]) == out[i];
      check(good, __LINE__, "%s of %u and %u",
            set == 2 ? "pipelined union"
            : set    ? "union"
                     : "merge",
            unsigned(n), unsigned(m));
    }
    simt::device_free(in);
    simt::device_free(count);
  }
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CLOSE(ctx);
}

// ---- graphs, on kernels that run

static void test_graphs() {
  const uint64_t n = 1100; // a ring, each vertex with the next two: more levels than have a launch each
  std::vector<unsigned> offsets(n + 1), targets(4 * n), parents(n);
  std::vector<int> depths(n);
  for (uint64_t v = 0; v <= n; ++v) offsets[v] = unsigned(4 * v);
  for (uint64_t v = 0; v < n; ++v)
    for (int i = 0; i < 4; ++i) targets[4 * v + i] = unsigned((v + n + (i < 2 ? i - 2 : i - 1)) % n);
  auto upload = [](const void *from, size_t bytes) {
    void *to = simt::device_malloc(bytes);
    simt::host_write(to, from, bytes);
    return to;
  };
  gp_graph g = {};
  g.vertices = n, g.edges = 4 * n, g.flags = GP_SYMMETRIC;
  void *device_offsets = upload(offsets.data(), offsets.size() * 4);
  void *device_targets = upload(targets.data(), targets.size() * 4);
  void *out = simt::device_malloc(n * 4), *out2 = simt::device_malloc(n * 4);
  gp_traversal *statistics = static_cast<gp_traversal *>(simt::device_malloc(sizeof(gp_traversal)));
  void *out3 = simt::device_malloc(sizeof(gp_fault));
  const auto open = [&](bool host) { // the context, and where the graph lies for it
    gp_config config_ = config();
    if (host) config_.backend = GP_BACKEND_HOST;
    gp_context *ctx = nullptr;
    GOOD(gp_open(&config_, &ctx));
    g.offsets = host ? offsets.data() : device_offsets, g.targets = host ? targets.data() : device_targets;
    return ctx;
  };
  const int algorithms[] = {0, 0, 0, 0, 0, GP_FUSED_LAUNCHES, GP_CONTRACT_EXPAND, GP_TWO_PHASE, GP_HYBRID};
  // cooperative; refused; too large; none in the driver; on the host; by launches, as the policy says
  for (int way = 0; way < 9; ++way) {
    fake::machine.refusal = way == 1 ? int(GP__CU_NOT_SUPPORTED) : way == 2 ? int(GP__CU_COOPERATIVE_TOO_LARGE) : 0;
    fake::machine.cooperative = way != 3;
    gp_context *const ctx = open(way == 4);
    gp_traversal t = {};
    gp_policy p = {};
    p.threads = 128, p.vectors = 1, p.small = 16, p.algorithm = algorithms[way];
    if (way > 4) p.gather = way % 2 ? GP_GATHER_MERGE : GP_GATHER_ALL, p.cull = way;
    logged.clear();
    gp_call c = gp_call_init(GP_BFS);
    c.graph = &g, c.source = 123, c.limit = 210, c.policy = way == 4 ? nullptr : &p;
    c.out = way == 4 ? depths.data() : out, c.out2 = way == 4 ? parents.data() : out2;
    c.statistics = way == 4 ? &t : statistics;
    const unsigned before = fake::counts.cooperative, launches = unsigned(fake::counts.launches);
    GOOD(gp_run(ctx, &c, nullptr));
    const unsigned levels = GP__BFS_LAUNCHES;
    CHECK(way == 4 || fake::counts.launches == launches + (way == 0   ? 1
                                                           : way == 6 ? levels + 3
                                                           : way > 6  ? 2 * levels + 3
                                                                      : levels + 3));
    CHECK(fake::counts.cooperative == before + (way == 0));
    CHECK((warnings("a cooperative launch was refused: a launch a step") > 0) == (way > 0 && way < 4));
    const int *d = way == 4 ? depths.data() : static_cast<const int *>(out);
    const unsigned *q = way == 4 ? parents.data() : static_cast<const unsigned *>(out2);
    if (way != 4) t = *statistics;
    bool good = true;
    for (uint64_t v = 0; v < n; ++v) {
      const int far = int((v + n - 123) % n), away = (std::min(far, int(n) - far) + 1) / 2;
      const int expected = away > 210 ? -1 : away;
      good = good && d[v] == expected &&
             (expected < 0 ? q[v] == UINT32_MAX
              : expected   ? d[q[v]] == expected - 1
                           : q[v] == v);
    }
    check(good, __LINE__, "depths and parents, way %d", way);
    CHECK(t.levels == 210 && t.reached == 841 && t.edges == 4 * 841);
    // the smallest parents, of a graph in which nothing, or something, was found (by kernels that do not run here)
    for (uint64_t kind : {GP_FAULT_NONE, GP_FAULT_TARGET}) {
      gp_fault f = {kind, 0, 0}, *const fault = way == 4 ? &f : static_cast<gp_fault *>(out3);
      if (way != 4) simt::host_write(out3, &f, sizeof f);
      c.flags = GP_CHECKED | GP_REPRODUCIBLE, c.fault = fault;
      if (way == 4 && kind) targets[17] = n;
      const unsigned first = d[0];
      simt::host_fill(way == 4 ? static_cast<void *>(depths.data()) : out, 0x11, n * 4);
      GOOD(gp_run(ctx, &c, nullptr));
      good = fault->kind == kind;
      for (uint64_t v = 0; v < n; ++v) {
        const unsigned two = unsigned((v + 2) % n), one = unsigned((v + 1) % n), back = unsigned((v + n - 2) % n),
                       last = unsigned((v + n - 1) % n);
        unsigned least = v == 123 ? 123u : UINT32_MAX;
        if (kind) {
          good = good && d[v] == 0x11111111;
          continue;
        }
        for (unsigned u : {two, one, back, last})
          if (d[v] > 0 && d[u] == d[v] - 1) least = std::min(least, u);
        good = good && q[v] == least;
      }
      if (!kind) good = good && unsigned(d[0]) == first;
      check(good, __LINE__, "checked, reproducible: way %d, fault %d", way, int(kind));
      if (way == 4) targets[17] = unsigned(4 + n + (17 % 4 < 2 ? 17 % 4 - 2 : 17 % 4 - 1)) % n;
    }
    CLOSE(ctx);
  }
  fake::machine.refusal = 0, fake::machine.cooperative = true;
  // from many sources: words of 32 bits, and two batches of 64; sources of the host's memory, and of the device's
  for (int way = 0; way < 5; ++way) {
    const uint64_t count = way == 3 ? 32 : way == 4 ? 5 : 70;
    std::vector<uint64_t> sources, reached(count);
    for (uint64_t i = 0; i < count; ++i) sources.push_back(i * i * 37 % n);
    std::vector<int> host_rows(way == 4 ? count * n : 1);
    void *rows = way == 4 ? host_rows.data() : simt::device_malloc(count * n * 4);
    void *sizes = way == 4 ? reached.data() : simt::device_malloc(count * 8),
         *device_sources = upload(&sources[0], count * 8);
    fake::machine.refusal = way == 1 ? int(GP__CU_NOT_SUPPORTED) : 0;
    fake::machine.cooperative = way != 3;
    gp_context *const ctx = open(way == 4);
    gp_traversal t = {};
    gp_policy p = {};
    p.threads = 128, p.vectors = 1, p.small = 16;
    gp_call c = gp_call_init(GP_BFS_SOURCES);
    c.graph = &g, c.count = count, c.limit = 6, c.policy = way == 4 ? nullptr : &p;
    (way == 2 ? c.source_device : c.sources) =
        way == 2 ? static_cast<const uint64_t *>(device_sources) : sources.data();
    c.out = rows, c.out2 = sizes, c.statistics = way == 4 ? &t : statistics;
    const unsigned before = fake::counts.cooperative, launches = unsigned(fake::counts.launches);
    const unsigned batches = unsigned((count + 63) / 64);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(way == 4 || fake::counts.cooperative == before + (way == 0 || way == 2 ? batches : 0));
    CHECK(way == 1 || way > 2 || fake::counts.launches == launches + 2 * batches);
    CHECK((way != 1 && way != 3) ||
          fake::counts.launches == launches + 1 + batches * (GP__SOURCES_LAUNCHES + 3)); // 1: before the refusal
    if (way != 4) t = *statistics;
    bool good = t.reached == count * 25 && t.levels == 6 && t.edges == 4 * t.reached;
    for (uint64_t i = 0; i < count; ++i) {
      good = good && static_cast<const uint64_t *>(sizes)[i] == 25;
      for (uint64_t v = 0; v < n; ++v) {
        const int far = int((v + n - sources[i]) % n), away = (std::min(far, int(n) - far) + 1) / 2;
        good = good && static_cast<const int *>(rows)[i * n + v] == (away > 6 ? -1 : away);
      }
    }
    check(good, __LINE__, "depths from many sources, way %d", way);
    CLOSE(ctx);
    if (way != 4) simt::device_free(rows), simt::device_free(sizes);
    simt::device_free(device_sources);
  }
  fake::machine.refusal = 0, fake::machine.cooperative = true;
  // in clusters of two; one of them; none; a launch refused, for three reasons; what it takes is not in the driver
  for (int way = 0; way < 8; ++way) {
    const int refusals[] = {0, 0, 0, GP__CU_COOPERATIVE_TOO_LARGE, GP__CU_INVALID_CLUSTER_SIZE, GP__CU_NOT_SUPPORTED};
    fake::machine.clusters = way == 1 ? 1 : way == 2 ? 0 : 2;
    fake::machine.cluster_refusal = way < 6 ? refusals[way] : 0;
    fake::machine.max_clusters = way != 6, fake::machine.launch_ex = way != 7;
    gp_context *const ctx = open(false);
    gp_policy p = {};
    p.threads = 128, p.vectors = 1, p.small = 16, p.cluster = 2;
    logged.clear();
    gp_call c = gp_call_init(GP_BFS);
    c.graph = &g, c.source = 99, c.policy = &p, c.out = out, c.statistics = statistics;
    const unsigned before = fake::counts.cooperative, clustered = fake::counts.clustered;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::counts.cooperative == before + 1 && fake::counts.clustered == clustered + (way < 2));
    CHECK(fake::last_launch.grid_x == (way == 1 ? 2 : 4));
    CHECK((warnings("a launch in clusters was refused") > 0) == (way > 1));
    bool good = true, by_cluster = false;
    for (uint64_t v = 0; v < n; ++v) {
      const int far = int((v + n - 99) % n);
      good = good && static_cast<const int *>(out)[v] == (std::min(far, int(n) - far) + 1) / 2;
    }
    for (uint64_t i = 0; i < statistics->steps; ++i) by_cluster |= statistics->step[i].kind == GP_STEP_CLUSTER;
    check(good && by_cluster == (way < 2), __LINE__, "in clusters, way %d", way);
    p.cluster = 17;
    BAD(GP_E_POLICY, "policy", gp_run(ctx, &c, nullptr));
    CLOSE(ctx);
  }
  fake::machine.clusters = 2, fake::machine.max_clusters = fake::machine.launch_ex = true;
  { // another error of a launch in clusters is an error; before Hopper there are none
    gp_context *ctx = open(false);
    gp_policy p = {};
    p.threads = 128, p.vectors = 1, p.cluster = 2;
    gp_call c = gp_call_init(GP_BFS);
    c.graph = &g, c.out = out, c.policy = &p;
    fake::machine.cluster_refusal = 999;
    CHECK(gp_run(ctx, &c, nullptr) == GP_E_DRIVER);
    CHECK(strstr(gp_last_message(), "gp_bfs: cuLaunchKernelEx failed"));
    fake::machine.cluster_refusal = 0;
    CLOSE(ctx);
    fake::machine.capability = 80;
    ctx = open(false);
    BAD(GP_E_POLICY, "policy", gp_run(ctx, &c, nullptr));
    CLOSE(ctx);
    fake::machine.capability = 90;
  }
  { // another error of a cooperative launch is an error
    gp_context *ctx = open_fake();
    gp_policy p = {};
    p.threads = 128, p.vectors = 1;
    gp_call c = gp_call_init(GP_BFS);
    g.offsets = device_offsets, g.targets = device_targets;
    c.graph = &g, c.out = out, c.policy = &p;
    fake::machine.refusal = 999;
    CHECK(gp_run(ctx, &c, nullptr) == GP_E_DRIVER);
    CHECK(strstr(gp_last_message(), "gp_bfs: cuLaunchCooperativeKernel failed"));
    fake::machine.refusal = 0;
    GOOD(gp_run(ctx, &c, nullptr));
    GOOD(gp_bfs(ctx, &g, 7, out, nullptr, nullptr));
    CLOSE(ctx);
  }
  for (void *memory : {device_offsets, device_targets, out, out2, out3, static_cast<void *>(statistics)})
    simt::device_free(memory);
}

int main(int argc, char **argv) {
  const std::string only = argc > 1 ? argv[1] : "";
  setvbuf(stdout, nullptr, _IOLBF, 0);
  struct {
    const char *name;
    std::function<void()> run;
  } groups[] = {{"contexts", test_contexts},
                {"definitions", test_definitions},
                {"arguments", [] { test_arguments(false); }},
                {"host", [] { test_arguments(true); }},
                {"results", test_results},
                {"programs", test_programs},
                {"policies", test_policies},
                {"workspaces", test_workspaces},
                {"room", test_room},
                {"faults", test_faults},
                {"cache", test_disk_cache},
                {"cache limit", test_cache_limit},
                {"few kernels", test_few_kernels},
                {"texts", test_texts},
                {"bundles", test_bundles},
                {"threads", test_threads},
                {"fork", test_fork},
                {"more arguments", [] { test_more_arguments(false); }},
                {"more arguments, host", [] { test_more_arguments(true); }},
                {"names", test_names},
                {"more results", test_more_results},
                {"top-k", test_top_k},
                {"layouts", test_layouts},
                {"round trips", test_round_trips},
                {"sorts", test_sorts},
                {"teams", test_teams},
                {"more policies", test_more_policies},
                {"more faults", test_more_faults},
                {"launches", test_launches},
                {"group by", test_group_by},
                {"graph building", test_graph_building},
                {"merges", test_merges},
                {"graphs", test_graphs},
                {"speed", test_speed}};
  for (auto &group : groups)
    if (only.empty() || only == group.name) {
      const size_t live = simt::live_allocations();
      fake::reset();
      logged.clear();
      group.run();
      fake::reset();
      check(simt::live_allocations() == live, __LINE__, "%s leaves device memory", group.name);
      check(simt::error().empty(), __LINE__, "%s: %s", group.name, simt::error().c_str());
      simt::clear_error();
    }
  printf("%d passed, %d failed, %d skipped\n", int(passed), int(failed), skipped);
  return failed != 0;
}
