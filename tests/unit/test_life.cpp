// Life of contexts - opening, closing, hooks, workspaces of destroyed streams, places of buffers - on an emulated
// driver and on the host back end. No kernel runs. Usage: test_life [names of groups]
#include "simt.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "fake_driver.h"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

static std::atomic<int> passed, failed;
static std::mutex print_lock;

static bool check(bool good, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool check(bool good, int line, const char *format, ...) {
  if (good) {
    ++passed;
    return true;
  }
  if (++failed > 40) return false; // the count tells the rest
  std::lock_guard<std::mutex> guard(print_lock);
  printf("FAILED: test_life.cpp:%d: ", line);
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  printf("\n");
  fflush(stdout);
  return false;
}
#define CHECK(condition) check((condition), __LINE__, "%s", #condition)
#define GOOD(call) \
  do { \
    const gp_result r_ = (call); \
    check(r_ == GP_SUCCESS, __LINE__, "%s: %s: %s", #call, gp_result_name(r_), r_ ? gp_last_message() : ""); \
  } while (0)
#define BAD(code, text, call) \
  do { \
    const gp_result r_ = (call); \
    check(r_ == code, __LINE__, "%s: %s instead of %s (%s)", #call, gp_result_name(r_), #code, gp_last_message()); \
    check(strstr(gp_last_message(), text) != nullptr, __LINE__, "%s: the message \"%s\" lacks \"%s\"", #call, \
        gp_last_message(), text); \
  } while (0)

static gp_config config(gp_backend backend = GP_BACKEND_CUDA) {
  gp_config c = gp_config_init();
  c.backend = backend;
  c.driver = fake::table();
  c.cache_dir = "";
  return c;
}
static gp_context *open_with(const gp_config &c) {
  gp_context *ctx = nullptr;
  GOOD(gp_open(&c, &ctx));
  return ctx;
}
static void close_fake(gp_context *ctx, int line) {
  const gp_result r = gp_close(ctx);
  check(r == GP_SUCCESS, line, "gp_close: %s", r ? gp_last_message() : "");
  check(fake::leaks().empty(), line, "leaks: %s", fake::leaks().c_str());
}
#define CLOSE(ctx) close_fake(ctx, __LINE__)

static int numbers[1000], results[1000], results2[1000];
static uint64_t counted;
static gp_call scan_call() { // needs a workspace
  static const gp_policy policy = {GP_LOOK_BACK, 128, 1, 3, 3, 3, 1, 2, 0, 0, 0, 0, 0, 0, 0, {}};
  gp_call c = gp_call_init(GP_INCLUSIVE_SCAN);
  c.op = GP_SUM, c.in_type = c.out_type = GP_I32, c.in = numbers, c.out = results, c.count = 1000, c.policy = &policy;
  return c;
}

// ---- opening: the host only without a driver or a device

static void test_fallback() {
  std::string folder = P_tmpdir "/gpuprims_life_XXXXXX";
  CHECK(mkdtemp(&folder[0]) != nullptr);
  const std::string broken = folder + "/libcuda.so.1", absent = folder + "/libnone.so.1";
  FILE *f = fopen(broken.c_str(), "w");
  if (f) fputs("not a library\n", f), fclose(f);
  struct Case {
    const char *library; // instead of the fake driver
    int init_error, devices, device, capability;
    gp_result expected;
    const char *says;
  };
  const Case cases[] = {
      {nullptr, 100, 1, 0, 90, GP_SUCCESS, "cuInit"}, // CUDA_ERROR_NO_DEVICE
      {nullptr, 0, 0, 0, 90, GP_SUCCESS, "0 devices"},
      {nullptr, 0, 0, 3, 90, GP_SUCCESS, "0 devices"},
      {absent.c_str(), 0, 1, 0, 90, GP_SUCCESS, "libnone.so.1"},
      {broken.c_str(), 0, 1, 0, 90, GP_E_NO_DEVICE, "libcuda.so.1"},
      {"/lib/x86_64-linux-gnu/libm.so.6", 0, 1, 0, 90, GP_E_NO_DEVICE, "the driver has no cuInit"},
      {nullptr, 999, 1, 0, 90, GP_E_NO_DEVICE, "(999)"},
      {nullptr, 803, 1, 0, 90, GP_E_NO_DEVICE, "(803)"}, // CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
      {nullptr, 804, 1, 0, 90, GP_E_NO_DEVICE, "(804)"}, // CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
      {nullptr, 34, 1, 0, 90, GP_E_NO_DEVICE, "(34)"}, // CUDA_ERROR_STUB_LIBRARY
      {nullptr, 0, 1, 1, 90, GP_E_NO_DEVICE, "gp_config.device is 1"},
      {nullptr, 0, 2, 7, 90, GP_E_NO_DEVICE, "gp_config.device is 7"},
      {nullptr, 0, 1, 0, 70, GP_E_DEVICE_TOO_OLD, "compute capability 7.0"},
  };
  for (const Case &k : cases) {
    if (k.library && k.library[1] == 'l' && access(k.library, R_OK)) continue;
    fake::reset();
    fake::machine.init_error = k.init_error, fake::machine.devices = k.devices;
    fake::machine.capability = k.capability;
    gp_config c = config(GP_BACKEND_AUTO);
    c.device = k.device;
    if (k.library) c.driver = nullptr, c.cuda_library = k.library;
    gp_context *ctx = nullptr;
    std::thread([&] { // a thread without a message so far
      const gp_result r = gp_open(&c, &ctx);
      check(r == k.expected, __LINE__, "%s: %s (%s)", k.says, gp_result_name(r), gp_last_message());
      if (r == GP_SUCCESS) {
        gp_description d = gp_description_init();
        check(!*gp_last_message(), __LINE__, "%s: a successful gp_open says: %s", k.says, gp_last_message());
        GOOD(gp_describe(ctx, &d));
        check(d.backend == GP_BACKEND_HOST && strstr(d.fallback, k.says), __LINE__, "%s: fallback is \"%s\"", k.says,
            d.fallback);
        CLOSE(ctx);
      } else {
        check(!ctx && strstr(gp_last_message(), k.says), __LINE__, "%s: the message is \"%s\"", k.says,
            gp_last_message());
      }
    })
        .join();
  }
  fake::reset();
  gp_context *ctx = open_with(config(GP_BACKEND_AUTO));
  gp_description d = gp_description_init();
  GOOD(gp_describe(ctx, &d));
  CHECK(d.backend == GP_BACKEND_CUDA && !*d.fallback);
  CLOSE(ctx);
  ctx = open_with(config(GP_BACKEND_HOST)); // asked for: no fallback
  GOOD(gp_describe(ctx, &d));
  CHECK(d.backend == GP_BACKEND_HOST && !*d.fallback);
  CLOSE(ctx);
  // Any driver call fails with any code: never falls back to the host silently.
  for (int code : {1, 2, 3, 34, 100, 101, 803, 999})
    for (unsigned long k = 1; k < 100; ++k) {
      fake::reset();
      fake::fail_at = k, fake::fail_with = code;
      gp_config c = config(GP_BACKEND_AUTO);
      const gp_result r = gp_open(&c, &ctx);
      const bool hit = !fake::failed_call.empty(), none = code == 100 && fake::failed_call == "cuInit";
      fake::fail_at = 0;
      if (hit)
        check((r == GP_SUCCESS) == none, __LINE__, "%s fails with %d: %s", fake::failed_call.c_str(), code,
            gp_result_name(r));
      if (r == GP_SUCCESS) CLOSE(ctx);
      if (!hit) break;
    }
  fake::reset();
  unlink(broken.c_str());
  rmdir(folder.c_str());
}

// ---- what a message advises

static void test_advice() {
  struct Case {
    int code;
    const char *call, *says;
  };
  const Case cases[] = {
      {2, "cuMemAllocAsync", "free device memory"},
      {200, "cuModuleLoadData", "does not fit this device or driver"},
      {209, "cuModuleLoadData", "does not fit this device"},
      {222, "cuModuleLoadData", "NVRTC is newer than the driver"},
      {700, "cuLaunchKernel", "compute-sanitizer"},
      {716, "cuLaunchKernel", "host memory"},
      {719, "cuLaunchKernel", "an earlier kernel"},
      {999, "cuLaunchKernel", "made to fail"},
      {101, "cuDevicePrimaryCtxRetain", "nvidia-smi -L"},
  };
  const gp_call c = scan_call();
  for (const Case &k : cases) {
    bool met = false;
    for (unsigned long at = 1; at < 200 && !met; ++at) { // the first call of the driver that is this one
      fake::reset();
      fake::machine.run = false;
      fake::fail_at = at, fake::fail_with = k.code;
      gp_config how = config();
      gp_context *ctx = nullptr;
      gp_result r = gp_open(&how, &ctx);
      if (r == GP_SUCCESS) r = gp_run(ctx, &c, nullptr);
      fake::fail_at = 0;
      met = fake::failed_call == k.call;
      if (met)
        check(r != GP_SUCCESS && strstr(gp_last_message(), k.says), __LINE__, "%d: %s (%s)", k.code, gp_result_name(r),
            gp_last_message());
      if (ctx) CLOSE(ctx);
    }
    check(met, __LINE__, "%s was never called", k.call);
  }
  fake::reset();
}

// ---- places of buffers

struct Pointer {
  const char *name;
  std::function<void(gp_call &, void *)> set;
};
static void test_places() {
  typedef char Side[16][8192];
  const size_t apart = size_t(1) << 21; // the library remembers places of this size
  const std::unique_ptr<char, void (*)(void *)> room(static_cast<char *>(aligned_alloc(apart, 2 * apart)), free);
  struct {
    char *base;
    Side &operator[](size_t side) const { return *reinterpret_cast<Side *>(base + side * (size_t(1) << 21)); }
  } const memory = {room.get()}; // the host's, the device's
  struct Case {
    gp_call call;
    std::vector<Pointer> pointers;
  };
#define POINTER(member) \
  { \
#member, [](gp_call & c, void *p) { c.member = static_cast<decltype(c.member)>(p); } \
  }
  std::vector<Case> cases;
  const auto add = [&](gp_primitive primitive, std::vector<Pointer> pointers, auto fill) {
    Case k;
    k.call = gp_call_init(primitive), k.pointers = pointers;
    k.call.in_type = k.call.out_type = GP_I32, k.call.count = 100;
    fill(k.call);
    cases.push_back(k);
  };
  const auto sum = [](gp_call &c) { c.op = GP_SUM; };
  const auto keyed = [](gp_call &c) { c.op = GP_SUM, c.key_type = GP_U32; };
  add(GP_COPY, {POINTER(in), POINTER(out)}, [](gp_call &c) { c.out_type = GP_TYPE_DEFAULT; });
  add(GP_TRANSFORM2, {POINTER(in), POINTER(in2), POINTER(out)}, sum);
  add(GP_REDUCE, {POINTER(in), POINTER(out), POINTER(count_device)}, sum);
  add(GP_EXCLUSIVE_SCAN, {POINTER(in), POINTER(out)}, sum);
  add(GP_SEGMENTED_REDUCE, {POINTER(in), POINTER(out), POINTER(begin), POINTER(end)},
      [](gp_call &c) { c.op = GP_SUM, c.offset_type = GP_U32, c.segments = 7; });
  add(GP_REDUCE_BY_KEY, {POINTER(keys), POINTER(in), POINTER(out_keys), POINTER(out), POINTER(out_count)}, keyed);
  add(GP_GROUP_BY, {POINTER(keys), POINTER(in), POINTER(out_keys), POINTER(out), POINTER(out_count)}, keyed);
  add(GP_SORT, {POINTER(keys), POINTER(in), POINTER(out_keys), POINTER(out)}, [](gp_call &c) { c.key_type = GP_U32; });
  add(GP_FILL, {POINTER(out)}, [](gp_call &c) {
    static const int value = 3;
    c.in_type = GP_TYPE_DEFAULT, c.value = &value; // in host memory, always
  });
  for (int host = 0; host < 2; ++host)
    for (Case &k : cases)
      for (int kind = 0; kind < 3; ++kind) // device memory, managed, registered
        for (int at = -1; at < int(k.pointers.size()); ++at)
          for (int later = 0; later < 2; ++later) {
            fake::reset();
            fake::places.clear();
            fake::places[memory[1]] = {sizeof memory[1], kind == 0 ? 2 : kind == 1 ? 8 + 2 : 1};
            fake::machine.pageable = fake::machine.run = false;
            gp_context *ctx = open_with(config(host ? GP_BACKEND_HOST : GP_BACKEND_CUDA));
            gp_call c = k.call;
            // All pointers are right except `at`.
            for (size_t i = 0; i < k.pointers.size(); ++i) {
              const int wrong = int(i) == at;
              k.pointers[i].set(c, memory[(host ? 0 : 1) ^ wrong][i]);
            }
            const bool reached = at < 0 || (host && kind); // the host reaches what is managed or its own
            if (later) { // another call comes first
              gp_call first = gp_call_init(GP_COPY);
              first.in_type = GP_I32, first.in = memory[!host][14], first.out = memory[!host][15], first.count = 5;
              GOOD(gp_run(ctx, &first, nullptr));
              fake::counts = fake::Counts();
            }
            if (reached) {
              GOOD(gp_run(ctx, &c, nullptr));
              const unsigned asked = fake::counts.calls["cuPointerGetAttributes"];
              GOOD(gp_run(ctx, &c, nullptr)); // what has been asked about is not asked about again
              CHECK(fake::counts.calls["cuPointerGetAttributes"] == asked);
            } else {
              const char *name = k.pointers[size_t(at)].name;
              BAD(GP_E_ARGUMENT, (std::string(": ") + name).c_str(), gp_run(ctx, &c, nullptr));
              CHECK(fake::counts.launches == 0 && (later || fake::memory.empty()));
              if (!host) BAD(GP_E_ARGUMENT, name, gp_run(ctx, &c, nullptr)); // a call that failed was not the first
            }
            CLOSE(ctx);
          }
  // Values are in memory that the host reads, on both back ends.
  for (int host = 0; host < 2; ++host)
    for (int kind = 0; kind < 3; ++kind) // device memory, managed, registered
      for (int step = 0; step < 2; ++step) {
        fake::reset();
        fake::places.clear();
        fake::places[memory[1]] = {sizeof memory[1], kind == 0 ? 2 : kind == 1 ? 8 + 2 : 1};
        static int value[2];
        fake::places[value] = fake::places[memory[1]];
        fake::machine.pageable = fake::machine.run = false;
        gp_context *ctx = open_with(config(host ? GP_BACKEND_HOST : GP_BACKEND_CUDA));
        gp_call c = gp_call_init(step ? GP_IOTA : GP_FILL);
        c.out_type = GP_I32, c.out = memory[!host][0], c.count = 5;
        (step ? c.step : c.value) = value;
        if (kind) GOOD(gp_run(ctx, &c, nullptr));
        else BAD(GP_E_ARGUMENT, step ? "gp_iota: step " : "gp_fill: ", gp_run(ctx, &c, nullptr));
        CLOSE(ctx);
      }
  // More places than the table holds, one behind the other and again: each call that is right runs, each that is wrong
  // is told of it, and a call that comes again asks nothing.
  {
    const size_t places = 600;
    const std::unique_ptr<char, void (*)(void *)> wide(
        static_cast<char *>(aligned_alloc(apart, (places + 1) * apart)), free);
    char *const host = memory[0][0];
    fake::reset();
    fake::places.clear();
    fake::places[wide.get()] = {places * apart, 2};
    fake::machine.pageable = fake::machine.run = false;
    gp_context *ctx = open_with(config());
    gp_call c = gp_call_init(GP_COPY);
    c.in_type = GP_I32, c.count = 5;
    for (size_t i = 0; i < 3 * places; ++i) {
      c.in = wide.get() + i % places * apart, c.out = wide.get() + (i * 7 + 3) % places * apart + 64;
      GOOD(gp_run(ctx, &c, nullptr));
      fake::counts = fake::Counts();
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(fake::counts.calls["cuPointerGetAttributes"] == 0 && fake::counts.launches == 1);
      if (i % 10) continue;
      c.out = wide.get() + places * apart;
      BAD(GP_E_ARGUMENT, "gp_copy: out ", gp_run(ctx, &c, nullptr));
      c.in = host;
      BAD(GP_E_ARGUMENT, "gp_copy: in ", gp_run(ctx, &c, nullptr));
      CHECK(strstr(gp_last_message(), "cudaMemcpy") && strstr(gp_last_message(), "GP_BACKEND_HOST"));
    }
    CLOSE(ctx);
  }
  // A device that reads pageable memory, and a stream that is captured: nothing to say.
  for (int way = 0; way < 2; ++way) {
    fake::reset();
    fake::places.clear();
    fake::machine.pageable = way == 0, fake::machine.run = false;
    fake::Stream *stream = fake::make_stream();
    stream->capturing = way;
    gp_context *ctx = open_with(config());
    gp_call c = gp_call_init(GP_COPY);
    c.in_type = GP_I32, c.in = numbers, c.out = results, c.count = 5;
    GOOD(gp_run(ctx, &c, stream));
    stream->capturing = 0;
    if (way) BAD(GP_E_ARGUMENT, "gp_copy: in ", gp_run(ctx, &c, stream)); // the first one outside a capture
    CLOSE(ctx);
    fake::destroy_stream(stream);
  }
  // GP_CHECKED checks again.
  fake::reset();
  fake::places[memory[1]] = {sizeof memory[1], 2};
  fake::machine.pageable = fake::machine.run = false;
  gp_context *ctx = open_with(config());
  gp_call c = gp_call_init(GP_SEGMENTED_REDUCE);
  c.op = GP_SUM, c.in_type = c.out_type = GP_I32, c.offset_type = GP_U32, c.segments = 7, c.count = 100;
  c.in = memory[1][0], c.out = memory[1][1], c.begin = memory[1][2];
  GOOD(gp_run(ctx, &c, nullptr));
  c.flags = GP_CHECKED, c.bad = reinterpret_cast<uint64_t *>(memory[1][3]);
  GOOD(gp_run(ctx, &c, nullptr));
  c.bad = &counted;
  BAD(GP_E_ARGUMENT, "gp_segmented_reduce: bad ", gp_run(ctx, &c, nullptr));
  CLOSE(ctx);
  fake::reset();
  fake::places.clear();
}

// ---- workspaces of destroyed streams

static void test_streams() {
  const gp_call c = scan_call();
  struct Hooks {
    std::map<void *, size_t> live;
    std::set<void *> dead_streams;
    bool wrong = false;
  };
  for (int way = 0; way < 4; ++way) { // pools, no pools, hooks, its own limit
    fake::reset();
    fake::machine.run = false, fake::machine.pools = way != 1;
    Hooks hooks;
    gp_config k = config();
    const size_t limit = way == 3 ? 5 : 128;
    if (way == 3) k.workspaces = 5;
    if (way == 2) {
      k.allocator_user = &hooks;
      k.allocate = [](void *user, size_t n, gp_stream) -> void * {
        void *p = simt::device_malloc(n);
        static_cast<Hooks *>(user)->live[p] = n;
        return p;
      };
      k.release = [](void *user, void *p, size_t n, gp_stream stream) {
        Hooks *h = static_cast<Hooks *>(user);
        h->wrong |= !h->live.count(p) || h->live[p] != n || !fake::known_stream(stream);
        h->live.erase(p);
        simt::device_free(p);
      };
    }
    gp_context *ctx = open_with(k);
    const auto kept = [&] { return way == 2 ? hooks.live.size() : fake::memory.size(); };
    fake::Stream *late = fake::make_stream(); // with unique handles
    // short-lived streams
    for (int i = 0; i < 1000; ++i) {
      fake::Stream *s = fake::make_stream();
      GOOD(gp_run(ctx, &c, s));
      fake::destroy_stream(s);
      if (kept() > limit) break;
    }
    check(kept() == limit, __LINE__, "way %d: %zu workspaces of streams that are gone", way, kept());
    CHECK(!hooks.wrong && fake::counts.calls["cuStreamSynchronize"] + fake::counts.calls["cuCtxSynchronize"] == 0);
    // Streams used in turn keep theirs: no allocation
    std::vector<fake::Stream *> few;
    for (int i = 0; i < int(limit / 2) - 1; ++i) few.push_back(fake::make_stream());
    for (fake::Stream *s : few) GOOD(gp_run(ctx, &c, s));
    const unsigned before = fake::counts.calls["cuMemAllocAsync"] + fake::counts.calls["cuMemAlloc"];
    for (int round = 0; round < 3; ++round)
      for (fake::Stream *s : few) GOOD(gp_run(ctx, &c, s));
    CHECK(fake::counts.calls["cuMemAllocAsync"] + fake::counts.calls["cuMemAlloc"] == before);
    // A graph's memory stays, always; a stream keeps its graph's workspace while other streams pass.
    fake::Stream *graph = few[0];
    graph->capturing = 1, fake::strict_capture = true;
    GOOD(gp_run(ctx, &c, graph));
    graph->capturing = 0;
    void *held = nullptr;
    for (gp__workspace *r : ctx->state->streams)
      for (; r; r = r->next)
        if (r->handle == graph) held = r->workspace;
    CHECK(held != nullptr);
    // Nothing is taken away before work has ended; afterwards the number is as before. Other captures continue.
    fake::machine.finished = false;
    std::vector<fake::Stream *> many;
    for (int i = 0; i < 20; ++i) {
      many.push_back(fake::make_stream());
      GOOD(gp_run(ctx, &c, many.back()));
    }
    CHECK(kept() == limit + 20);
    fake::machine.finished = true;
    for (int i = 0; i < 300; ++i) {
      fake::Stream *s = fake::make_stream();
      GOOD(gp_run(ctx, &c, s));
      fake::destroy_stream(s);
    }
    fake::strict_capture = false;
    check(kept() == (way == 1 ? limit + 20 : limit), __LINE__, "way %d: %zu workspaces", way, kept());
    bool there = false;
    for (gp__workspace *r : ctx->state->streams)
      for (; r; r = r->next) there |= r->workspace == held;
    CHECK(there);
    // A captured stream without a workspace gets an error, and takes nobody's.
    late->capturing = 1;
    const size_t then = kept();
    BAD(GP_E_WORKSPACE, "gp_reserve(ctx, stream, ", gp_run(ctx, &c, late));
    CHECK(kept() == then);
    CLOSE(ctx);
    CHECK(hooks.live.empty() && !hooks.wrong);
    for (fake::Stream *s : few) fake::destroy_stream(s);
    for (fake::Stream *s : many) fake::destroy_stream(s);
    fake::destroy_stream(late);
  }
  gp_config k = config();
  gp_context *ctx = nullptr;
  k.workspaces = -1;
  BAD(GP_E_ARGUMENT, "gp_config.workspaces", gp_open(&k, &ctx));
  // Any call of the driver fails halfway: nothing leaks, the next call works.
  unsigned hits = 0;
  for (unsigned long n = 1; n < 1000; ++n) {
    fake::reset();
    fake::machine.run = false;
    k.workspaces = 3;
    ctx = open_with(k);
    GOOD(gp_prepare(ctx, &c));
    fake::fail_at = fake::counts.total + n;
    for (int i = 0; i < 8; ++i) {
      fake::Stream *s = fake::make_stream();
      const gp_result r = gp_run(ctx, &c, s);
      if (r) GOOD(gp_run(ctx, &c, s));
      fake::destroy_stream(s);
    }
    const bool hit = !fake::failed_call.empty();
    hits += hit;
    fake::fail_at = 0;
    CLOSE(ctx);
    if (!hit) break;
  }
  CHECK(hits > 50);
  // An idle context waits for nobody.
  fake::reset();
  ctx = open_with(config());
  CLOSE(ctx);
  CHECK(fake::counts.calls["cuCtxSynchronize"] == 0);
}

// ---- closing during calls

static void test_close(bool host) {
  static std::atomic<int> wrong;
  wrong = 0;
  for (int round = 0; round < 60; ++round) {
    fake::reset();
    fake::machine.run = false;
    gp_context *ctx = open_with(config(host ? GP_BACKEND_HOST : GP_BACKEND_CUDA));
    gp_prepared *prepared = nullptr;
    const gp_call scan = scan_call();
    if (gp_prepared_open(ctx, &scan, &prepared) != GP_SUCCESS) ++wrong;
    std::atomic<int> begun{0}, closed{0};
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i)
      all.emplace_back([&, i] {
        static thread_local int own[1000];
        gp_call c = scan_call();
        c.out = own;
        for (int n = 0;; ++n) {
          gp_result r = GP_SUCCESS;
          gp_description d = gp_description_init();
          uint64_t bytes;
          gp_policy p;
          gp_policy_source source;
          gp_op op;
          gp_op_desc desc = gp_op_desc_init();
          desc.name = "x", desc.body = "return a;", desc.arity = 1;
          switch ((n + i) % 7) {
          case 6: r = gp_prepared_run(prepared, &c, nullptr); break;
          case 0: r = gp_run(ctx, &c, nullptr); break;
          case 1: r = gp_describe(ctx, &d); break;
          case 2: r = gp_workspace_size(ctx, &c, &bytes); break;
          case 3: r = gp_policy_origin(ctx, &c, &p, &source); break;
          case 4: r = n < 100 ? gp_op_define(ctx, &desc, &op) : GP_SUCCESS; break;
          default: r = gp_reserve(ctx, nullptr, uint64_t(1000) * unsigned(n % 50)); break;
          }
          ++begun;
          if (r == GP_E_CONTEXT) break;
          if (r != GP_SUCCESS) ++wrong;
        }
      });
    for (int i = 0; i < 2; ++i) // and two who close
      all.emplace_back([&] {
        while (begun < 40 + round * 7) std::this_thread::yield();
        const gp_result r = gp_close(ctx);
        if (r == GP_SUCCESS) ++closed;
        else if (r != GP_E_CONTEXT) ++wrong;
      });
    for (std::thread &t : all) t.join();
    if (gp_prepared_close(prepared) != GP_SUCCESS) ++wrong;
    CHECK(closed == 1 && !wrong);
    check(fake::leaks().empty(), __LINE__, "leaks: %s", fake::leaks().c_str());
    BAD(GP_E_CONTEXT, "ctx is closed", gp_describe(ctx, nullptr));
  }
}

// gp_close waits for a running call: the call's state stays intact until it returns.
static void test_waiting() {
  static std::atomic<int> stage;
  fake::reset();
  fake::machine.run = false;
  stage = 0;
  gp_config k = config();
  k.allocate = [](void *, size_t n, gp_stream) -> void * {
    stage = 1;
    while (stage == 1) std::this_thread::yield();
    return simt::device_malloc(n);
  };
  k.release = [](void *, void *p, size_t, gp_stream) { simt::device_free(p); };
  gp_context *ctx = open_with(k);
  const gp_call c = scan_call();
  gp_result ran = GP_E_MEMORY, shut = GP_E_MEMORY;
  std::atomic<int> gone{0};
  std::thread caller([&] { ran = gp_run(ctx, &c, nullptr); });
  while (stage != 1) std::this_thread::yield();
  std::thread closer([&] { shut = gp_close(ctx), gone = 1; });
  usleep(30000);
  CHECK(!gone);
  gp_description d = gp_description_init();
  gp_result late; // late callers are refused
  do late = gp_describe(ctx, &d);
  while (late == GP_SUCCESS);
  CHECK(late == GP_E_CONTEXT);
  stage = 2;
  caller.join(), closer.join();
  CHECK(ran == GP_SUCCESS && shut == GP_SUCCESS);
  check(fake::leaks().empty(), __LINE__, "leaks: %s", fake::leaks().c_str());
}

// ---- hooks that call back

// Every entry point that takes a context.
struct Entry {
  const char *name;
  std::function<gp_result(gp_context *, gp_stream)> call;
};
static std::vector<Entry> entries() {
  std::vector<Entry> all;
  const auto add = [&](const char *name, std::function<gp_result(gp_context *, gp_stream)> call) {
    all.push_back({name, call});
  };
  static uint64_t bytes;
  static gp_policy policy;
  static gp_policy_source source;
  static gp_kernel_source kernel;
  static gp_description description = gp_description_init();
  static gp_type type;
  static gp_op op;
  static gp_call scan = scan_call();
  scan.out = results2;
  add("gp_run", [](gp_context *c, gp_stream s) { return gp_run(c, &scan, s); });
  add("gp_copy", [](gp_context *c, gp_stream s) { return gp_copy(c, GP_I32, numbers, 10, results2, s); });
  add("gp_prepare", [](gp_context *c, gp_stream) { return gp_prepare(c, &scan); });
  add("gp_warm", [](gp_context *c, gp_stream) { return gp_warm(c, &scan, 1, nullptr); });
  add("gp_reserve", [](gp_context *c, gp_stream s) { return gp_reserve(c, s, 1 << 20); });
  add("gp_trim", [](gp_context *c, gp_stream) { return gp_trim(c, 0); });
  add("gp_workspace_size", [](gp_context *c, gp_stream) { return gp_workspace_size(c, &scan, &bytes); });
  add("gp_policy_origin", [](gp_context *c, gp_stream) { return gp_policy_origin(c, &scan, &policy, &source); });
  add("gp_policy_echo", [](gp_context *c, gp_stream) { return gp_policy_echo(c, &scan, &policy); });
  add("gp_kernel_origin", [](gp_context *c, gp_stream) { return gp_kernel_origin(c, &scan, &kernel, nullptr, 0); });
  add("gp_compile", [](gp_context *c, gp_stream) {
    return gp_compile(
        c, &scan, 90, [](void *, const char *, const void *, size_t) {}, nullptr);
  });
  add("gp_describe", [](gp_context *c, gp_stream) { return gp_describe(c, &description); });
  add("gp_type_struct", [](gp_context *c, gp_stream) {
    gp_type_desc d = gp_type_desc_init();
    d.name = "made_by_a_hook", d.size = d.align = 4;
    return gp_type_struct(c, &d, &type);
  });
  add("gp_op_define", [](gp_context *c, gp_stream) {
    gp_op_desc d = gp_op_desc_init();
    d.name = "x", d.body = "return a;", d.arity = 1;
    return gp_op_define(c, &d, &op);
  });
  add("gp_close", [](gp_context *c, gp_stream) { return gp_close(c); });
  add("gp_open", [](gp_context *, gp_stream) {
    gp_context *other = reinterpret_cast<gp_context *>(numbers);
    const gp_config k = config(GP_BACKEND_HOST);
    const gp_result r = gp_open(&k, &other);
    if (r == GP_SUCCESS) gp_close(other);
    else CHECK(!other);
    return r;
  });
  return all;
}
struct Calling {
  const Entry *entry;
  const char *hook;
  gp_context *ctx, *other;
  gp_stream stream;
  std::atomic<int> calls;
  std::atomic<int> busy; // one level suffices
} calling;
static void call_back(const char *hook) {
  if (!calling.entry || calling.calls > 2 || strcmp(hook, calling.hook) || calling.busy.exchange(1)) return;
  for (gp_context *ctx : {calling.ctx, calling.other}) {
    const gp_result r = calling.entry->call(ctx, calling.stream);
    check(r == GP_E_CONTEXT && strstr(gp_last_message(), hook), __LINE__, "%s from %s: %s (%s)", calling.entry->name,
        hook, gp_result_name(r), gp_last_message());
  }
  ++calling.calls;
  calling.busy = 0;
}
static void add_ints(void *, void *r, const void *a, const void *b) {
  call_back("gp_op_desc.host");
  *static_cast<int *>(r) = *static_cast<const int *>(a) + *static_cast<const int *>(b);
}
static void test_hooks() {
  const std::vector<Entry> all = entries();
  for (const char *hook :
      {"gp_config.allocate", "gp_config.release", "gp_config.log", "gp_take_image_fn", "gp_op_desc.host"})
    for (const Entry &entry : all) {
      fake::reset();
      fake::machine.run = false;
      const bool host = strcmp(hook, "gp_op_desc.host") == 0;
      gp_config k = config(host ? GP_BACKEND_HOST : GP_BACKEND_CUDA);
      k.allocate = [](void *, size_t n, gp_stream) -> void * {
        call_back("gp_config.allocate");
        return simt::device_malloc(n);
      };
      k.release = [](void *, void *p, size_t, gp_stream) {
        call_back("gp_config.release");
        simt::device_free(p);
      };
      k.log = [](void *, gp_log_level, const char *) { call_back("gp_config.log"); };
      fake::Stream *s1 = fake::make_stream(), *s2 = fake::make_stream();
      calling.calls = 0, calling.busy = 0;
      calling.ctx = open_with(k), calling.other = open_with(k);
      calling.stream = s2, calling.hook = hook;
      calling.entry = &entry;
      gp_call c = scan_call();
      const gp_call device_scan = c;
      alarm(20);
      gp_op op = GP_SUM;
      if (host) {
        gp_op_desc d = gp_op_desc_init();
        const int zero = 0;
        d.name = "add", d.arity = 2, d.host = add_ints, d.host_identity = &zero, d.host_identity_size = 4;
        GOOD(gp_op_define(calling.ctx, &d, &op));
        c.op = op, c.policy = nullptr;
      }
      GOOD(gp_run(calling.ctx, &c, s1));
      GOOD(gp_reserve(calling.ctx, s1, 1 << 20)); // grows: allocates and releases
      GOOD(gp_run(calling.ctx, &c, s1));
      GOOD(gp_run(calling.ctx, &c, s2)); // the other stream is free
      GOOD(gp_compile(
          calling.ctx, host ? &device_scan : &c, 90,
          [](void *, const char *, const void *, size_t) { call_back("gp_take_image_fn"); }, nullptr));
      check(calling.calls > 0, __LINE__, "%s was never called", hook);
      calling.entry = nullptr;
      c.op = GP_SUM;
      GOOD(gp_run(calling.other, &c, s1));
      GOOD(gp_close(calling.other));
      CLOSE(calling.ctx);
      alarm(0);
      fake::destroy_stream(s1);
      fake::destroy_stream(s2);
    }
}

// ---- gp_warm

static std::string warned; // by the log
static gp_context *open_warm(const char *cache = "") {
  gp_config k = config();
  k.cache_dir = cache;
  k.log = [](void *, gp_log_level level, const char *text) {
    std::lock_guard<std::mutex> guard(print_lock);
    if (level == GP_LOG_WARNING) warned += std::string(text) + "\n";
  };
  {
    std::lock_guard<std::mutex> guard(print_lock);
    warned.clear();
  }
  return open_with(k);
}
static gp_description about(gp_context *ctx) {
  gp_description d = gp_description_init();
  GOOD(gp_describe(ctx, &d));
  return d;
}
static void wait_warm(gp_context *ctx) {
  while (about(ctx).warming) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
// Calls of `count` kernels that differ.
static std::vector<gp_call> warm_calls(size_t count) {
  static const gp_type types[] = {GP_I8, GP_I16, GP_I32, GP_I64, GP_F32, GP_F64, GP_U8, GP_U16, GP_U32, GP_U64};
  std::vector<gp_call> calls;
  for (size_t i = 0; i < count; ++i) {
    gp_call c = gp_call_init(GP_REDUCE);
    c.op = i < 10 ? GP_SUM : GP_MAX, c.in_type = types[i % 10], c.count = 1000;
    calls.push_back(c);
  }
  return calls;
}
static unsigned compiled() { return fake::counts.calls["nvrtcCompileProgram"]; }

static void test_warm() {
  alarm(120);
  { // A list: each kernel once, also for calls that come meanwhile; then no call compiles.
    gp_context *ctx = open_warm();
    std::vector<gp_call> calls = warm_calls(6);
    fake::machine.compile_ms = 10;
    GOOD(gp_warm(ctx, calls.data(), calls.size(), nullptr));
    GOOD(gp_prepare(ctx, &calls[5]));
    GOOD(gp_prepare(ctx, &calls[0]));
    wait_warm(ctx);
    CHECK(compiled() == 6 && about(ctx).kernels[GP_KERNEL_COMPILED] == 6);
    for (gp_call &c : calls) GOOD(gp_prepare(ctx, &c));
    GOOD(gp_warm(ctx, calls.data(), calls.size(), nullptr));
    wait_warm(ctx);
    CHECK(compiled() == 6);
    GOOD(gp_warm(ctx, nullptr, 0, nullptr));
    fake::machine.compile_ms = 0;
    CLOSE(ctx);
  }
  { // What gp_warm has got and no call has taken: gp_trim unloads it, gp_close too.
    gp_context *ctx = open_warm();
    std::vector<gp_call> calls = warm_calls(3);
    GOOD(gp_warm(ctx, calls.data(), 3, nullptr));
    wait_warm(ctx);
    CHECK(fake::modules.size() == 3);
    GOOD(gp_prepare(ctx, &calls[1]));
    CHECK(fake::modules.size() == 3);
    GOOD(gp_trim(ctx, 0));
    CHECK(fake::modules.empty());
    GOOD(gp_warm(ctx, calls.data(), 3, nullptr));
    wait_warm(ctx);
    CHECK(fake::modules.size() == 3);
    CLOSE(ctx);
  }
  for (int ms : {0, 1, 7, 30}) { // closed meanwhile: what is not begun is not compiled
    gp_context *ctx = open_warm();
    std::vector<gp_call> calls = warm_calls(20);
    const unsigned before = compiled();
    fake::machine.compile_ms = 20;
    GOOD(gp_warm(ctx, calls.data(), calls.size(), nullptr));
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    CLOSE(ctx);
    CHECK(compiled() - before < 20);
    fake::machine.compile_ms = 0;
    gp_call c = calls[0];
    CHECK(gp_warm(ctx, &c, 1, nullptr) == GP_E_CONTEXT);
  }
  { // A kernel that does not compile: a warning, and the error of its call; the others are there.
    gp_context *ctx = open_warm();
    std::vector<gp_call> calls = warm_calls(2);
    gp_op_desc d = gp_op_desc_init();
    d.name = "broken", d.body = "return DOES_NOT_COMPILE;", d.arity = 2, d.identity = "0";
    GOOD(gp_op_define(ctx, &d, &calls[0].op));
    fake::machine.compile_error = "DOES_NOT_COMPILE";
    GOOD(gp_warm(ctx, calls.data(), 2, nullptr));
    wait_warm(ctx);
    CHECK(warned.find("gp_warm: ") != std::string::npos && warned.find("does not compile") != std::string::npos);
    GOOD(gp_prepare(ctx, &calls[1]));
    CHECK(gp_prepare(ctx, &calls[0]) == GP_E_COMPILE);
    fake::machine.compile_error.clear();
    GOOD(gp_prepare(ctx, &calls[0]));
    CLOSE(ctx);
  }
  { // Bad input: nothing is compiled, of the calls before it neither.
    gp_context *ctx = open_warm();
    std::vector<gp_call> calls = warm_calls(3);
    const unsigned before = compiled();
    calls[2].in_type = (gp_type)77;
    CHECK(gp_warm(ctx, nullptr, 1, nullptr) == GP_E_NULL && !strcmp(gp_last_message(), "gp_warm: calls is null"));
    CHECK(gp_warm(ctx, calls.data(), 3, "") == GP_E_ARGUMENT && !strcmp(gp_last_message(), "gp_warm: name is empty"));
    CHECK(gp_warm(ctx, calls.data(), 3, nullptr) == GP_E_TYPE);
    check(!strncmp(gp_last_message(), "gp_warm: calls[2]: ", 19) && strstr(gp_last_message(), "in_type"), __LINE__,
        "%s", gp_last_message());
    gp_policy bad = gp_policy();
    bad.threads = 77;
    calls[2].in_type = GP_I32, calls[2].policy = &bad;
    CHECK(gp_warm(ctx, calls.data(), 3, nullptr) == GP_E_POLICY);
    wait_warm(ctx);
    CHECK(compiled() == before && fake::modules.empty());
    CHECK(gp_warm(nullptr, nullptr, 0, nullptr) == GP_E_CONTEXT);
    CLOSE(ctx);
    gp_config k = config(GP_BACKEND_HOST);
    ctx = open_with(k);
    GOOD(gp_warm(ctx, warm_calls(2).data(), 2, "a name"));
    CHECK(gp_warm(ctx, calls.data(), 3, nullptr) != GP_SUCCESS || !about(ctx).warming);
    CLOSE(ctx);
  }
  { // What was used last under a name: of each name its own, of the kernels that calls got.
    char folder[] = P_tmpdir "/gpuprims_warm_XXXXXX";
    CHECK(mkdtemp(folder) != nullptr);
    std::vector<gp_call> calls = warm_calls(5);
    gp_context *ctx = open_warm(folder);
    unsigned before = compiled();
    GOOD(gp_warm(ctx, &calls[4], 1, "one")); // never used
    wait_warm(ctx);
    for (int i = 0; i < 3; ++i) GOOD(gp_prepare(ctx, &calls[size_t(i)]));
    CHECK(compiled() - before == 4);
    CLOSE(ctx);
    ctx = open_warm(folder);
    GOOD(gp_warm(ctx, nullptr, 0, "two")); // not known
    wait_warm(ctx);
    CHECK(fake::modules.empty());
    GOOD(gp_prepare(ctx, &calls[3]));
    CLOSE(ctx);
    for (const auto &named : {std::make_pair("one", 3u), std::make_pair("two", 1u), std::make_pair("one", 3u)}) {
      ctx = open_warm(folder);
      before = compiled();
      GOOD(gp_warm(ctx, nullptr, 0, named.first));
      wait_warm(ctx);
      CHECK(about(ctx).kernels[GP_KERNEL_DISK] == named.second && fake::modules.size() == named.second);
      for (unsigned i = 0; i < named.second; ++i) GOOD(gp_prepare(ctx, &calls[named.second == 1 ? 3 : i]));
      CHECK(fake::modules.size() == named.second && compiled() == before && warned.empty());
      CLOSE(ctx);
    }
    fake::machine.capability = 80; // another device: they are compiled
    ctx = open_warm(folder);
    before = compiled();
    GOOD(gp_warm(ctx, nullptr, 0, "one"));
    wait_warm(ctx);
    CHECK(compiled() - before == 3 && about(ctx).kernels[GP_KERNEL_COMPILED] == 3);
    CLOSE(ctx);
    fake::machine.capability = 90;
    ctx = open_warm(folder); // nothing was used there: what is known stays
    GOOD(gp_warm(ctx, nullptr, 0, "one"));
    wait_warm(ctx);
    CHECK(fake::modules.size() == 3);
    CLOSE(ctx);
    CHECK(system((std::string("rm -r ") + folder).c_str()) == 0);
  }
  { // Threads that warm and call at once.
    gp_context *ctx = open_warm();
    const std::vector<gp_call> calls = warm_calls(20);
    const unsigned before = compiled();
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&, t] {
        for (size_t i = 0; i < calls.size(); ++i) {
          const gp_call &c = calls[(i * 7 + size_t(t)) % calls.size()];
          if (t % 2) GOOD(gp_prepare(ctx, &c));
          else GOOD(gp_warm(ctx, &c, 1, t == 4 ? "a name" : nullptr));
          about(ctx);
        }
      });
    for (std::thread &t : threads) t.join();
    wait_warm(ctx);
    CHECK(compiled() - before == 20 && fake::modules.size() == 20);
    CLOSE(ctx);
  }
  alarm(0);
}

int main(int argc, char **argv) {
  const struct {
    const char *name;
    std::function<void()> run;
  } groups[] = {{"fallback", test_fallback}, {"advice", test_advice}, {"places", test_places},
      {"streams", test_streams}, {"waiting", test_waiting}, {"close", [] { test_close(false); }},
      {"close host", [] { test_close(true); }}, {"hooks", test_hooks}, {"warm", test_warm}};
  for (const auto &group : groups) {
    bool named = argc < 2;
    for (int i = 1; i < argc; ++i) named |= strcmp(argv[i], group.name) == 0;
    if (!named) continue;
    fake::reset();
    group.run();
    fake::reset();
  }
  printf("%d passed, %d failed, 0 skipped\n", passed.load(), failed.load());
  return failed != 0;
}
