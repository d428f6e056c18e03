// dispatch_test.h - shared by the tests of dispatch: the C implementation on an emulated driver that counts every call
// and can make it fail, with the real kernels under the emulator (C++17). Each test_dispatch*.cpp is a program; usage:
// PROGRAM [name of a group].
#ifndef DISPATCH_TEST_H
#define DISPATCH_TEST_H

#include "simt.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#define GP_POLICY_ROWS(ROW) \
  ROW("Fake With Rows", GP_REDUCE, -1, -1, -1, 0, 64, GP_EVEN_SHARE, 128, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, \
      "any size") \
  ROW("Fake With Rows", GP_REDUCE, -1, -1, -1, 20, 64, GP_EVEN_SHARE, 256, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, \
      "from 1 MiB") \
  ROW("Fake With Rows", GP_REDUCE, 8, -1, -1, 0, 64, GP_EVEN_SHARE, 512, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, \
      "8 bytes in") \
  ROW("sm_89", GP_REDUCE, -1, -1, -1, 0, 64, GP_STEALING, 128, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, "capability") \
  ROW("Fake With Rows", GP_INCLUSIVE_SCAN, -1, -1, -1, 0, 64, GP_PIPELINED, 256, 9, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, \
      0, "not before 9.0") \
  ROW("Fake With Rows", GP_EXCLUSIVE_SCAN, -1, -1, -1, 0, 20, GP_LOOK_BACK, 320, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, \
      0, "canonical") \
  ROW("sm_89", GP_INCLUSIVE_SCAN, -1, -1, -1, 10, 64, GP_LOOK_BACK, 128, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, \
      "from 1 KiB") \
  ROW("class:fakes", GP_COPY, -1, -1, -1, 0, 64, GP_DIRECT, 512, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
      "class; vectors left to the default") \
  ROW("class:others", GP_COPY, -1, -1, -1, 0, 64, GP_DIRECT, 1024, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
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
  if (++failed > 40) return false; // the count tells the rest
  std::lock_guard<std::mutex> guard(print_lock);
  printf("FAILED: %s:%d: ", __BASE_FILE__, line);
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  printf("\n");
  return false;
}
#define CHECK(condition) check((condition), __LINE__, "%s", #condition)
// The call succeeds and keeps the message of the last failure, whatever failed inside.
#define GOOD(call) \
  do { \
    const std::string said_ = gp_last_message(); \
    const gp_result r_ = (call); \
    check(r_ == GP_SUCCESS, __LINE__, "%s: %s: %s", #call, gp_result_name(r_), r_ ? gp_last_message() : ""); \
    check(r_ || said_ == gp_last_message(), __LINE__, "%s succeeds and says: %s", #call, gp_last_message()); \
  } while (0)
// The call fails with this code, the message contains this text, and the call launched and allocated nothing.
#define BAD(code, text, call) \
  do { \
    const unsigned launches_ = fake::counts.launches + fake::counts.recorded; \
    const size_t memory_ = fake::memory.size(), modules_ = fake::modules.size(); \
    const gp_result r_ = (call); \
    check(r_ == code, __LINE__, "%s: %s instead of %s (%s)", #call, gp_result_name(r_), #code, gp_last_message()); \
    check(strstr(gp_last_message(), text) != nullptr, __LINE__, "%s: the message \"%s\" lacks \"%s\"", #call, \
        gp_last_message(), text); \
    check(launches_ == fake::counts.launches + fake::counts.recorded && memory_ == fake::memory.size() && \
            modules_ == fake::modules.size(), \
        __LINE__, "%s left something behind", #call); \
  } while (0)

// Device memory with values.
template<class T> struct Device {
  T *data;
  size_t count;
  explicit Device(size_t n) : data(static_cast<T *>(simt::device_malloc(n * sizeof(T)))), count(n) {}
  explicit Device(const std::vector<T> &v) : Device(v.size()) { simt::host_write(data, v.data(), count * sizeof(T)); }
  Device(const Device &) = delete;
  ~Device() { simt::device_free(data); }
  std::vector<T> get() const { return std::vector<T>(data, data + count); }
};

[[maybe_unused]] static std::vector<std::string> logged;
static inline void log_line(void *, gp_log_level level, const char *message) {
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  logged.push_back((level == GP_LOG_WARNING ? "warning: " : "info: ") + std::string(message));
}
static inline unsigned warnings(const char *text = "") {
  unsigned n = 0;
  for (const std::string &line : logged)
    n += line.compare(0, 9, "warning: ") == 0 && line.find(text) != std::string::npos;
  return n;
}

static inline gp_config config() {
  gp_config c = gp_config_init();
  c.backend = GP_BACKEND_CUDA;
  c.driver = fake::table();
  c.cache_dir = "";
  c.log = log_line;
  return c;
}
static inline gp_context *open_fake() {
  gp_config c = config();
  gp_context *ctx = nullptr;
  GOOD(gp_open(&c, &ctx));
  return ctx;
}
static inline void close_fake(gp_context *ctx, int line) {
  const gp_result r = gp_close(ctx);
  check(r == GP_SUCCESS, line, "gp_close: %s", gp_last_message());
  check(fake::leaks().empty(), line, "leaks: %s", fake::leaks().c_str());
}
#define CLOSE(ctx) close_fake(ctx, __LINE__)

static inline gp_policy small(int algorithm) {
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
static inline gp_call fold_call(
    gp_primitive primitive, gp_op op, gp_type in, gp_type out, const void *from, void *to, uint64_t n) {
  gp_call c = gp_call_init(primitive);
  c.op = op, c.in_type = in, c.out_type = out, c.in = from, c.out = to, c.count = n;
  return c;
}

static inline gp_type define(gp_context *ctx, const char *name, const char *source, size_t size, size_t align) {
  gp_type_desc d = gp_type_desc_init();
  gp_type t = GP_TYPE_DEFAULT;
  d.name = name, d.source = source, d.size = size, d.align = align;
  GOOD(gp_type_struct(ctx, &d, &t));
  return t;
}
static inline void host_add(void *, void *r, const void *a, const void *b) {
  *(int *)r = *(const int *)a + *(const int *)b;
}

// A valid call of every primitive with more than an input and an output, on memory that nobody reads.
struct Buffers {
  alignas(256) unsigned char in[4096], keys[4096], begin[4096], end[4096], out[4096], out2[4096], out3[4096],
      out_keys[4096];
  alignas(8) uint64_t counts[4], bad;
};

[[maybe_unused]] static Buffers buffers;
[[maybe_unused]] static const float lower_ends[4] = {0, -1, 2, 3}, upper_ends[4] = {1, 1, 4, 8};

// A transpose of rows and columns.
static inline gp_permutation square(uint64_t rows, uint64_t columns) {
  gp_permutation p = gp_permutation_init();
  p.dimensions = 2;
  p.order[0] = 1;
  p.extent[0] = rows, p.extent[1] = columns;
  return p;
}
[[maybe_unused]] static const gp_field sample_fields[] = {{0, 2}, {2, 1}}; // of structs of four bytes, with a gap
[[maybe_unused]] static const gp_layout sample_structs = {
    sizeof(gp_layout), GP_AOS, 4, sample_fields, 2, 0, nullptr, 0, {}};
[[maybe_unused]] static const gp_layout sample_columns = {
    sizeof(gp_layout), GP_SOA, 4, sample_fields, 2, 0, nullptr, 0, {}};

// A graph in the sample's buffers: read, or written. A graph of more than n edges has no memory.
static inline gp_graph sample_graph(uint64_t n, bool written) {
  const bool large = n > 900;
  gp_graph g = gp_graph_init();
  g.vertices = 10, g.edges = n, g.offset_type = large ? GP_U64 : GP_U32;
  g.offsets = large ? reinterpret_cast<void *>(uintptr_t(written ? 3 : 1) << 50)
      : written ? buffers.out_keys
      : buffers.begin;
  g.targets = large ? reinterpret_cast<void *>(uintptr_t(written ? 4 : 2) << 50)
      : written ? buffers.out3
      : buffers.keys;
  return g;
}

static inline gp_call sample(gp_primitive p, uint64_t n = 100) {
  gp_call c = gp_call_init(p);
  Buffers &b = buffers;
  const bool segmented =
      p == GP_SEGMENTED_REDUCE || p == GP_SEGMENTED_INCLUSIVE_SCAN || p == GP_SEGMENTED_EXCLUSIVE_SCAN;
  const bool fold = p >= GP_SEGMENTED_REDUCE && p <= GP_REDUCE_BY_KEY,
             runs = p >= GP_INCLUSIVE_SCAN_BY_KEY && p <= GP_UNIQUE;
  const bool histogram = p == GP_HISTOGRAM_EVEN || p == GP_HISTOGRAM_RANGES,
             bound = p == GP_LOWER_BOUND || p == GP_UPPER_BOUND;
  const bool predicate = gp__is_predicated(p), differ = gp__finds_difference(p),
             passes = p == GP_SCATTER || p == GP_GATHER,
             index = p == GP_FIND_IF || p == GP_MISMATCH || p == GP_ADJACENT_FIND || p == GP_PARTITION_POINT;
  c.count = n;
  if (fold || predicate || histogram || bound || differ || p == GP_ADJACENT_FIND || p == GP_ADJACENT_DIFFERENCE ||
      passes || p == GP_REPLACE)
    c.in_type = GP_F32, c.in = b.in;
  if (differ) c.in2 = b.end;
  if (p == GP_LEXICOGRAPHIC) c.count2 = n;
  if (passes) c.in2_type = GP_U32, c.in2 = b.end, c.n = 50, c.op = GP_LESS, c.scalar = lower_ends;
  if (passes) c.key_type = GP_I32, c.keys = b.keys;
  if (p == GP_REPLACE) c.op = GP_LESS, c.scalar = lower_ends, c.value = upper_ends;
  if (p == GP_SWAP) c.out_type = GP_F32, c.out3 = b.out3;
  if (fold) c.op = GP_MAX;
  if (p == GP_ADJACENT_DIFFERENCE) c.op = GP_SUB;
  if (predicate) c.op = GP_LESS, c.scalar = lower_ends;
  if (runs) c.key_type = GP_I32, c.keys = b.keys;
  if (segmented || p == GP_LOAD_BALANCE || p == GP_CHECK_OFFSETS)
    c.offset_type = GP_I32, c.begin = b.begin, c.segments = 10;
  if (p == GP_CHECK_OFFSETS) c.bad = &b.bad;
  else if (p != GP_RUN_LENGTHS && p != GP_UNIQUE && p != GP_COUNT_IF && !index) c.out = b.out;
  if (p == GP_RUN_LENGTHS || p == GP_NONTRIVIAL_RUNS || p == GP_PARTITION) c.out2 = b.out2;
  if (p == GP_REDUCE_BY_KEY || p == GP_RUN_LENGTHS || p == GP_UNIQUE) c.out_keys = b.out_keys;
  if (p == GP_REDUCE_BY_KEY || p == GP_RUN_LENGTHS || p == GP_UNIQUE || p == GP_NONTRIVIAL_RUNS || p == GP_SELECT ||
      p == GP_PARTITION || p == GP_COUNT_IF || index)
    c.out_count = b.counts;
  if (p == GP_GROUP_BY) {
    c.op = GP_MAX, c.in_type = GP_F32, c.in = b.in;
    c.key_type = GP_I32, c.keys = b.keys, c.out_keys = b.out_keys, c.out_count = b.counts;
  }
  if (p == GP_GROUP_BY_MANY || p == GP_DISTINCT || p == GP_JOIN) {
    c.key_type = GP_I32, c.keys = b.keys, c.out_count = b.counts, c.count = n < INT32_MAX - 1 ? n : INT32_MAX - 1;
    if (p == GP_JOIN)
      c.keys2 = b.begin, c.count2 = 10, c.out2 = b.out2, c.out_type = GP_U32, c.capacity = n < 100 ? n : 100;
    else c.out = nullptr, c.out_keys = b.out_keys;
  }
  if (p == GP_GROUP_BY_MANY) {
    static gp_aggregate list[2];
    list[0] = {GP_AGGREGATE_MEAN, GP_F32, b.in, b.out, GP_TYPE_DEFAULT};
    list[1] = {GP_AGGREGATE_COUNT, GP_TYPE_DEFAULT, nullptr, b.out2, GP_U32};
    if (n > 400)
      for (int i = 0; i < 2; ++i)
        list[i].column = i ? nullptr : reinterpret_cast<void *>(uintptr_t(1) << 50),
        list[i].out = reinterpret_cast<void *>(uintptr_t(2 + i) << 50);
    c.aggregates = list, c.aggregate_count = 2;
  }
  if (p == GP_SORT_COLUMNS) {
    static gp_column list[2];
    list[0] = {GP_F32, 0, b.in, b.out2}, list[1] = {GP_U8, 0, b.begin, b.out3};
    if (n > 100)
      for (int i = 0; i < 2; ++i)
        list[i].in = reinterpret_cast<void *>(uintptr_t(1 + i) << 50),
        list[i].out = reinterpret_cast<void *>(uintptr_t(3 + i) << 50);
    c.key_type = GP_I32, c.keys = b.keys, c.out_keys = b.out_keys, c.out_type = n > UINT32_MAX ? GP_U64 : GP_U32;
    c.columns = list, c.column_count = 2;
  }
  if (histogram) c.out_type = GP_U32, c.bins = 16;
  if (p == GP_HISTOGRAM_EVEN) c.lower = lower_ends, c.upper = upper_ends;
  if (p == GP_HISTOGRAM_RANGES) c.begin = b.begin;
  if (bound) c.keys = b.keys, c.key_count = 50;
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
  if (p == GP_TOP_K || p == GP_SHUFFLE || p == GP_REVERSE) c.in_type = GP_F32, c.in = b.in;
  if (p == GP_TOP_K || p == GP_NTH_ELEMENT)
    c.key_type = GP_I32, c.keys = b.keys, c.out_keys = b.out_keys, (p == GP_TOP_K ? c.k : c.n) = n < 9 ? n / 2 : 9;
  if (p == GP_NTH_ELEMENT) c.out = nullptr;
  if (p == GP_EXPAND || p == GP_RUN_LENGTH_EXPAND)
    c.in_type = GP_F32, c.in = b.in, c.offset_type = GP_I32, c.begin = b.begin, c.segments = 10;
  if (p == GP_RUN_LENGTH_EXPAND) c.out_count = b.counts;
  if (p == GP_SEGMENTED_TOP_K) {
    c.key_type = GP_I32, c.keys = b.keys, c.out_keys = b.out_keys, c.in_type = GP_F32, c.in = b.in, c.k = 9;
    c.offset_type = GP_I32, c.begin = b.begin, c.segments = 10;
  }
  if (p == GP_COPY_BATCH) c.in = b.in, c.in2 = b.end, c.offset_type = GP_U32, c.begin = b.begin, c.out = nullptr;
  if (p == GP_SORT) c.key_type = GP_I32, c.keys = b.keys, c.out_keys = b.out_keys, c.in_type = GP_F32, c.in = b.in;
  if (p == GP_SORT_AXIS || p == GP_TOP_K_AXIS) {
    static gp_axes rows;
    const uint64_t extent[2] = {n % 10 ? 1 : n / 10, n % 10 ? n : 10};
    c.k = p == GP_TOP_K_AXIS ? (extent[1] < 4 ? extent[1] : 4) : 0;
    rows = c.k ? gp_axes_top_k(2, extent, 1, c.k) : gp_axes_mapped(2, extent, 1);
    c.key_type = GP_I32, c.keys = b.keys, c.out_keys = b.out_keys, c.axes = &rows;
    c.out_type = n > UINT32_MAX ? GP_U64 : GP_U32;
  }
  if (p == GP_REDUCE_AXIS || p == GP_ROW_MAP || p == GP_SCAN_AXIS) {
    static gp_axes rows;
    const uint64_t extent[2] = {n % 10 ? 1 : n / 10, n % 10 ? n : 10};
    rows = p != GP_REDUCE_AXIS ? gp_axes_mapped(2, extent, 1) : gp_axes_reduced(2, extent, 1);
    c.in_type = GP_F32, c.in = b.in, c.op = GP_MAX, c.axes = &rows;
    if (p == GP_ROW_MAP) c.apply = GP_SUB;
  }
  if (p == GP_TRANSPOSE) {
    static gp_permutation matrix;
    matrix = square(n % 10 ? 1 : 10, n % 10 ? n : n / 10);
    c.in_type = GP_F32, c.in = b.in, c.permutation = &matrix;
  }
  if (gp__is_search(p)) { // offsets and targets: never read
    static gp_graph graph;
    graph = gp_graph_init();
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

struct Group {
  const char *name;
  std::function<void()> run;
};

// A program's main: all groups, or the named one.
static inline int run_groups(int argc, char **argv, const std::vector<Group> &groups) {
#ifdef TEST_FEW // a mutant's test: its argument is no group
  argc = 1;
#endif
  const std::string only = argc > 1 ? argv[1] : "";
  bool found = false;
  setvbuf(stdout, nullptr, _IOLBF, 0);
  for (auto &group : groups)
    if (only.empty() || only == group.name) {
      const size_t live = simt::live_allocations();
      found = true;
      fake::reset();
      logged.clear();
      group.run();
      fake::reset();
      check(simt::live_allocations() == live, __LINE__, "%s leaves device memory", group.name);
      check(simt::error().empty(), __LINE__, "%s: %s", group.name, simt::error().c_str());
      simt::clear_error();
    }
  check(found, __LINE__, "there is no group %s", only.c_str());
  printf("%d passed, %d failed, %d skipped\n", int(passed), int(failed), skipped);
  return failed != 0;
}

#endif // DISPATCH_TEST_H
