// The header's contracts about results, on an emulated driver with the real kernels under the emulator, beside the host
// back end: an initial value means the same everywhere; operands keep their order; equal calls give equal bits. Usage:
// test_contract [name of a group]
#include "simt.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#define GP_POLICY_ROWS(ROW) \
  ROW("Fake With Rows", GP_REDUCE, -1, -1, -1, 0, 64, GP_EVEN_SHARE, 64, 1, 3, 3, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, "row") \
  ROW("Fake With Rows", GP_INCLUSIVE_SCAN, -1, -1, -1, 0, 64, GP_ONE_CLUSTER, 64, 1, 3, 3, 3, 2, 2, 0, 0, 0, 0, 0, 0, \
      0, "row") \
  ROW("Fake With Rows", GP_EXCLUSIVE_SCAN, -1, -1, -1, 0, 64, GP_ONE_CLUSTER, 64, 1, 3, 3, 3, 2, 2, 0, 0, 0, 0, 0, 0, \
      0, "row") \
  ROW("Fake With Rows", GP_REDUCE_BY_KEY, -1, -1, -1, 0, 64, GP_ONE_CLUSTER, 64, 1, 3, 3, 3, 2, 2, 0, 0, 0, 0, 0, 0, \
      0, "row")
#include "gpuprims.h"

#include "fake_driver.h"

#include <cstdarg>
#include <cstdio>
#include <list>
#include <memory>
#include <string>
#include <vector>

static int passed, failed;
static bool check(bool good, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool check(bool good, int line, const char *format, ...) {
  if (good) return ++passed, true;
  if (++failed > 40) return false; // the count tells the rest
  printf("FAILED: test_contract.cpp:%d: ", line);
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  printf("\n");
  return false;
}

// ---- kernels

struct Affine { // x -> a * x + b, modulo 2^32: composition is associative and not commutative
  unsigned a, b;
};
static Affine compose(const Affine &f, const Affine &g) { return {g.a * f.a, g.a * f.b + g.b}; }
struct gp__op_1 { // the library's name for a context's first operator
  typedef Affine type;
  enum { commutative = 0, exact = 0 };
  static Affine identity() { return {1, 0}; }
  static Affine prepare(const Affine &x) { return x; }
  Affine operator()(const Affine &f, const Affine &g) const { return compose(f, g); }
};

struct Wide { // so large that a tile has 256 elements
  float v[16];
};
static Wide sum_of(Wide x, const Wide &y) {
  for (int i = 0; i < 16; ++i) x.v[i] += y.v[i];
  return x;
}
struct SumOfWide { // gp__op_1 of kernels on Wide
  typedef Wide type;
  enum { commutative = 0, exact = 0 };
  static Wide identity() { return Wide(); }
  static Wide prepare(const Wide &x) { return x; }
  Wide operator()(const Wide &x, const Wide &y) const { return sum_of(x, y); }
};

template<class Args> static void registered(const std::string &name, void (*kernel)(const Args &)) {
  static std::list<std::string> names;
  names.push_back(name);
  fake::register_kernel<Args>(names.back().c_str(), kernel);
}
template<class FOLDS, class TILES, class Op, class T>
static void register_policy(
    const std::string &folds, const std::string &tiles, const std::string &op, const std::string &t) {
  typedef gp__load<T, T, gp_convert<T, T>> Load;
  typedef gp__key_heads<unsigned, gp_equal<unsigned>> Keys;
  typedef gp__offset_heads<unsigned> Offsets;
  const std::string end =
      op + ", gp__load<" + t + ", " + t + ", gp_convert<" + t + ", " + t + ">>, " + t + ", " + t + ", " + t + ">";
#define FOLD(kernel, Args, ...) \
  registered<Args>(#kernel "<" + folds + ", " + std::string(*#__VA_ARGS__ ? #__VA_ARGS__ ", " : "") + end, \
      kernel<FOLDS __VA_OPT__(, ) __VA_ARGS__, Op, Load, T, T, T>)
#define SCAN(kernel, WHAT) \
  registered<gp__scan_args>(#kernel "<" + tiles + ", " #WHAT ", " + end, kernel<TILES, WHAT, Op, Load, T, T, T>)
#define BY_KEY(kernel, PRIMITIVE, INIT, HEADS, heads) \
  registered<gp__stream_args>(#kernel "<" + tiles + ", gp__by_key<" #PRIMITIVE ", " #INIT ", " heads ", " + end + ">", \
      kernel<TILES, gp__by_key<PRIMITIVE, INIT, HEADS, Op, Load, T, T, T>>)
#define SCANS_OF_SEGMENTS(kernel, INIT) \
  BY_KEY(kernel, GP_INCLUSIVE_SCAN_BY_KEY, INIT, Offsets, "gp__offset_heads<unsigned int>"); \
  BY_KEY(kernel, GP_EXCLUSIVE_SCAN_BY_KEY, INIT, Offsets, "gp__offset_heads<unsigned int>")
#define SCANS_BY_KEY(kernel, INIT) \
  BY_KEY(kernel, GP_INCLUSIVE_SCAN_BY_KEY, INIT, Keys, "gp__key_heads<unsigned int, gp_equal<unsigned int>>"); \
  BY_KEY(kernel, GP_EXCLUSIVE_SCAN_BY_KEY, INIT, Keys, "gp__key_heads<unsigned int, gp_equal<unsigned int>>"); \
  SCANS_OF_SEGMENTS(kernel, INIT)
#define BY_KEYS(kernel, INIT) \
  BY_KEY(kernel, GP_REDUCE_BY_KEY, INIT, Keys, "gp__key_heads<unsigned int, gp_equal<unsigned int>>"); \
  SCANS_BY_KEY(kernel, INIT)
  FOLD(gp__reduce_even_share, gp__reduce_args);
  FOLD(gp__reduce_stealing, gp__reduce_args);
  FOLD(gp__warp_segments, gp__segment_args, gp__offset_ends<unsigned int>);
  SCAN(gp__scan_look_back, false);
  SCAN(gp__scan_look_back, true);
  SCAN(gp__scan_cluster, false);
  SCAN(gp__scan_cluster, true);
  SCAN(gp__scan_pipelined, false);
  SCAN(gp__scan_pipelined, true);
  BY_KEYS(gp__stream_look_back, false);
  BY_KEYS(gp__stream_look_back, true);
  BY_KEYS(gp__stream_cluster, false);
  BY_KEYS(gp__stream_cluster, true);
  SCANS_OF_SEGMENTS(gp__stream_segments, false);
  SCANS_OF_SEGMENTS(gp__stream_segments, true);
}
typedef gp__policy<64, 1, 3, 3, 0, 2, 2> SmallFold;
typedef gp__policy<64, 1, 3, 3, 3, 2, 2> SmallTile;
static const char SMALL_FOLD[] = "gp__policy<64, 1, 3, 3, 0, 2, 2>", SMALL_TILE[] = "gp__policy<64, 1, 3, 3, 3, 2, 2>";
template<class Op, class T> static void register_small(const std::string &op, const std::string &t) {
  register_policy<SmallFold, SmallTile, Op, T>(SMALL_FOLD, SMALL_TILE, op, t);
}
// GP_REPRODUCIBLE runs lanes of a pinned policy, with 64-bit positions.
template<class Ends, class Op, class T>
static void register_reproducible(const std::string &ends, const std::string &op, const std::string &t) {
  typedef gp__policy<256, 3, 3, 3, 0, 3, 1> P;
  registered<gp__segment_args>("gp__warp_segments<gp__policy<256, 3, 3, 3, 0, 3, 1>, " + ends + "<unsigned int>, " +
          op + ", gp__load<" + t + ", " + t + ", gp_convert<" + t + ", " + t + ">>, " + t + ", " + t + ", " + t +
          ", gp__u64>",
      gp__warp_segments<P, Ends, Op, gp__load<T, T, gp_convert<T, T>>, T, T, T, gp__u64>);
}
template<class TILES, class Op, class T>
static void register_pinned(const std::string &tiles, const std::string &op, const std::string &t) {
  typedef gp__load<T, T, gp_convert<T, T>> Load;
  typedef gp__key_heads<unsigned, gp_equal<unsigned>> Keys;
  typedef gp__offset_heads<unsigned> Offsets;
  const std::string end =
      op + ", gp__load<" + t + ", " + t + ", gp_convert<" + t + ", " + t + ">>, " + t + ", " + t + ", " + t + ">";
  SCANS_BY_KEY(gp__stream_look_back, false);
  SCANS_BY_KEY(gp__stream_look_back, true);
}
static void register_stored() { // its results squared
  typedef gp__load<float, float, gp_convert<float, float>> Load;
  typedef gp__key_heads<unsigned, gp_equal<unsigned>> Keys;
  typedef gp__stored<float, gp_square<float, float>> Out;
  registered<gp__stream_args>(
      "gp__stream_look_back<gp__policy<256, 5, 3, 3, 3, 4, 1>, gp__by_key<GP_INCLUSIVE_SCAN_BY_KEY, false, "
      "gp__key_heads<unsigned int, gp_equal<unsigned int>>, gp_sum<float>, gp__load<float, float, gp_convert<float, "
      "float>>, float, float, gp__stored<float, gp_square<float, float>>>>",
      gp__stream_look_back<gp__policy<256, 5, 3, 3, 3, 4, 1>,
          gp__by_key<GP_INCLUSIVE_SCAN_BY_KEY, false, Keys, gp_sum<float>, Load, float, float, Out>>);
}
static void register_kernels() {
  register_stored();
  register_pinned<gp__policy<256, 5, 3, 3, 3, 4, 1>, gp_sum<float>, float>(
      "gp__policy<256, 5, 3, 3, 3, 4, 1>", "gp_sum<float>", "float");
  register_pinned<gp__policy<256, 5, 3, 3, 3, 4, 1>, gp__op_1, Affine>(
      "gp__policy<256, 5, 3, 3, 3, 4, 1>", "gp__op_1", "Affine");
  register_pinned<gp__policy<256, 5, 3, 3, 3, 4, 1>, SumOfWide, Wide>(
      "gp__policy<256, 5, 3, 3, 3, 4, 1>", "gp__op_1", "Wide");
  registered<gp__with_input<gp__stream_args>>(
      "gp__stream_cluster<gp__policy<512, 1, 3, 3, 3, 8, 1>, gp__fed<gp__runs<GP_UNIQUE, gp__key_heads<unsigned int, "
      "gp_equal<unsigned int>>, unsigned int, gp__none>, gp__input_ramp<unsigned int, 0>>>",
      +[](const gp__with_input<gp__stream_args> &a) {
        typedef gp__key_heads<unsigned, gp_equal<unsigned>> Keys;
        gp__stream_cluster<gp__policy<512, 1, 3, 3, 3, 8, 1>,
            gp__fed<gp__runs<GP_UNIQUE, Keys, unsigned, gp__none>, gp__input_ramp<unsigned, 0>>>(a);
      });
  register_reproducible<gp__offset_ends<unsigned>, gp_sum<float>, float>("gp__offset_ends", "gp_sum<float>", "float");
  register_reproducible<gp__run_ends<unsigned>, gp_sum<float>, float>("gp__run_ends", "gp_sum<float>", "float");
  register_reproducible<gp__offset_ends<unsigned>, gp__op_1, Affine>("gp__offset_ends", "gp__op_1", "Affine");
  register_reproducible<gp__run_ends<unsigned>, gp__op_1, Affine>("gp__run_ends", "gp__op_1", "Affine");
#define LOGICAL(T, t) \
  register_small<gp_and<T>, T>("gp_and<" t ">", t); \
  register_small<gp_or<T>, T>("gp_or<" t ">", t)
  LOGICAL(int, "int");
  LOGICAL(unsigned char, "unsigned char");
  LOGICAL(gp_f16, "gp_f16");
  LOGICAL(double, "double");
  register_small<gp_max<int>, int>("gp_max<int>", "int");
  register_small<gp_prod<gp_f16>, gp_f16>("gp_prod<gp_f16>", "gp_f16");
  register_small<gp__op_1, Affine>("gp__op_1", "Affine");
  register_small<gp_sum<float>, float>("gp_sum<float>", "float");
  // the portable rows
  register_policy<gp__policy<512, 4, 1, 3, 0, 4, 1>, gp__policy<256, 1, 3, 3, 3, 8, 1>, gp_sum<float>, float>(
      "gp__policy<512, 4, 1, 3, 0, 4, 1>", "gp__policy<256, 1, 3, 3, 3, 8, 1>", "gp_sum<float>", "float");
  register_policy<gp__policy<512, 2, 1, 3, 0, 4, 1>, gp__policy<256, 1, 3, 3, 3, 8, 1>, gp_sum<float>, float>(
      "gp__policy<512, 2, 1, 3, 0, 4, 1>", "gp__policy<256, 1, 3, 3, 3, 8, 1>", "gp_sum<float>", "float");
  register_policy<gp__policy<256, 5, 3, 3, 0, 4, 1>, gp__policy<256, 1, 3, 3, 3, 8, 1>, gp_sum<float>, float>(
      "gp__policy<256, 5, 3, 3, 0, 4, 1>", "gp__policy<256, 1, 3, 3, 3, 8, 1>", "gp_sum<float>", "float");
}

// ---- calls

static gp_context *open_context(gp_backend backend, const char *device = "Fake With Rows") {
  gp_config c = gp_config_init();
  gp_context *ctx = nullptr;
  fake::machine.name = device;
  c.backend = backend, c.driver = fake::table(), c.cache_dir = "";
  check(gp_open(&c, &ctx) == GP_SUCCESS, __LINE__, "gp_open: %s", gp_last_message());
  return ctx;
}
static void compose_on_host(void *, void *result, const void *f, const void *g) {
  *static_cast<Affine *>(result) = compose(*static_cast<const Affine *>(f), *static_cast<const Affine *>(g));
}
static void define_compose(gp_context *ctx, gp_type *type, gp_op *op) {
  static const Affine identity = {1, 0};
  gp_type_desc t = gp_type_desc_init();
  gp_op_desc d = gp_op_desc_init();
  t.name = "Affine", t.source = "struct Affine { unsigned a, b; };", t.size = 8, t.align = 4;
  d.name = "compose", d.arity = 2, d.identity = "Affine{1, 0}";
  d.body = "Affine r = {b.a * a.a, b.a * a.b + b.b}; return r;";
  d.host = compose_on_host, d.host_identity = &identity, d.host_identity_size = sizeof identity;
  check(gp_type_struct(ctx, &t, type) == GP_SUCCESS && gp_op_define(ctx, &d, op) == GP_SUCCESS, __LINE__, "%s",
      gp_last_message());
}
static void define_sum(gp_context *ctx, gp_type *type, gp_op *op) {
  static const Wide identity = Wide();
  gp_type_desc t = gp_type_desc_init();
  gp_op_desc d = gp_op_desc_init();
  t.name = "Wide", t.source = "struct Wide { float v[16]; };", t.size = sizeof(Wide), t.align = 4;
  d.name = "sum", d.arity = 2, d.identity = "Wide{}";
  d.body = "Wide r = a; for (int i = 0; i < 16; ++i) r.v[i] += b.v[i]; return r;";
  d.host = [](void *, void *result, const void *x, const void *y) {
    *static_cast<Wide *>(result) = sum_of(*static_cast<const Wide *>(x), *static_cast<const Wide *>(y));
  };
  d.host_identity = &identity, d.host_identity_size = sizeof identity;
  check(gp_type_struct(ctx, &t, type) == GP_SUCCESS && gp_op_define(ctx, &d, op) == GP_SUCCESS, __LINE__, "%s",
      gp_last_message());
}
static uint32_t random32() {
  static uint64_t state = 88172645463325252ull;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return uint32_t(state >> 16);
}

static const gp_primitive FOLDS[] = {GP_REDUCE, GP_INCLUSIVE_SCAN, GP_EXCLUSIVE_SCAN, GP_SEGMENTED_REDUCE,
    GP_SEGMENTED_INCLUSIVE_SCAN, GP_SEGMENTED_EXCLUSIVE_SCAN, GP_INCLUSIVE_SCAN_BY_KEY, GP_EXCLUSIVE_SCAN_BY_KEY,
    GP_REDUCE_BY_KEY};
static bool is_scan(gp_primitive p) { return p == GP_INCLUSIVE_SCAN || p == GP_EXCLUSIVE_SCAN; }
static bool segmented(gp_primitive p) { return p >= GP_SEGMENTED_REDUCE && p <= GP_SEGMENTED_EXCLUSIVE_SCAN; }
static std::vector<int> algorithms(gp_primitive p) {
  return p == GP_REDUCE ? std::vector<int>{GP_EVEN_SHARE, GP_STEALING}
      : is_scan(p) ? std::vector<int>{GP_LOOK_BACK, GP_PIPELINED, GP_ONE_CLUSTER}
      : p == GP_SEGMENTED_REDUCE ? std::vector<int>{GP_WARP_SEGMENTS}
      : segmented(p) ? std::vector<int>{GP_LOOK_BACK, GP_WARP_SEGMENTS, GP_ONE_CLUSTER}
      : std::vector<int>{GP_LOOK_BACK, GP_ONE_CLUSTER};
}

// A problem: elements of a type, runs and segments (some of them empty) of any length, always the same.
template<class T> struct Problem {
  std::vector<T> in;
  std::vector<unsigned> keys, offsets;
  explicit Problem(size_t n) : in(n), keys(n) {
    unsigned key = 0;
    offsets.push_back(0);
    for (size_t i = 0; i < n; ++i) {
      if (i && random32() % 8 == 0) {
        ++key;
        for (unsigned empty = random32() % 4 ? 1 : 3; empty; --empty) offsets.push_back(unsigned(i));
      }
      keys[i] = key;
    }
    offsets.push_back(unsigned(n));
  }
  size_t results(gp_primitive p) const {
    return p == GP_REDUCE ? 1
        : p == GP_SEGMENTED_REDUCE ? offsets.size() - 1
        : p != GP_REDUCE_BY_KEY ? in.size()
        : in.empty() ? 0
        : keys.back() + 1;
  }
  // Offsets of the buffers from 256-byte boundaries, in bytes.
  struct Place {
    size_t in, keys, begin, out;
  };
  template<class U> static U *put(const std::vector<U> &v, size_t at, bool device, std::list<void *> &blocks) {
    const size_t bytes = at + v.size() * sizeof(U) + 16;
    char *block =
        static_cast<char *>(device ? simt::device_malloc(bytes) : aligned_alloc(256, (bytes + 255) / 256 * 256));
    blocks.push_back(block);
    if (device && !v.empty()) simt::host_write(block + at, v.data(), v.size() * sizeof(U));
    else if (!v.empty()) memcpy(block + at, v.data(), v.size() * sizeof(U));
    return reinterpret_cast<U *>(block + at);
  }
  // Runs a prepared call on other buffers and values, then on those of `c`, which must replace all of them.
  gp_result run_prepared(gp_context *ctx, const gp_call &c, bool device, Place at, std::list<void *> &blocks) const {
    gp_prepared *prepared = nullptr;
    gp_call other = c;
    const std::unique_ptr<T> zero(new T());
    other.in = put(std::vector<T>(in.size()), at.in, device, blocks);
    other.out = put(std::vector<T>(in.size() + offsets.size()), at.out, device, blocks);
    if (c.begin) other.begin = put(std::vector<unsigned>(offsets.size()), at.begin, device, blocks);
    if (c.keys) other.keys = put(std::vector<unsigned>(in.size()), at.keys, device, blocks);
    if (c.out_count) other.out_count = put(std::vector<uint64_t>(1), 0, device, blocks);
    if (c.init) other.init = zero.get();
    gp_result r = gp_prepared_open(ctx, &other, &prepared);
    if (r == GP_SUCCESS) r = gp_prepared_run(prepared, &other, nullptr);
    check(r != GP_SUCCESS || !device || in.empty() || prepared->quick == !gp__composition_of(&prepared->q), __LINE__,
        "%s: the plan is not kept", gp__primitive_names[c.primitive]);
    if (r == GP_SUCCESS) r = gp_prepared_run(prepared, &c, nullptr);
    if (prepared && gp_prepared_close(prepared) != GP_SUCCESS && r == GP_SUCCESS) r = GP_E_ARGUMENT;
    return r;
  }
  // A call's results; `c` has its operator, types and initial value.
  std::vector<T> run(gp_context *ctx, gp_call c, bool device, Place at = Place{0, 0, 0, 0}) const {
    std::list<void *> blocks;
    std::vector<T> out(c.primitive == GP_REDUCE_BY_KEY ? in.size() : results(c.primitive)); // room for the most
    if (!out.empty()) memset(static_cast<void *>(out.data()), 0x5a, out.size() * sizeof(T));
    T *to = put(out, at.out, device, blocks);
    c.in = put(in, at.in, device, blocks), c.out = to, c.count = in.size();
    if (segmented(c.primitive))
      c.offset_type = GP_U32, c.begin = put(offsets, at.begin, device, blocks), c.segments = offsets.size() - 1;
    if (c.primitive >= GP_INCLUSIVE_SCAN_BY_KEY) c.key_type = GP_U32, c.keys = put(keys, at.keys, device, blocks);
    if (c.primitive == GP_REDUCE_BY_KEY) c.out_count = put(std::vector<uint64_t>(1), 0, device, blocks);
    const gp_result r = random32() % 3 ? gp_run(ctx, &c, nullptr) : run_prepared(ctx, c, device, at, blocks);
    check(r == GP_SUCCESS && fake::counts.unregistered == 0 && simt::error().empty(), __LINE__, "%s %s %s",
        r ? gp_last_message() : "", fake::last_unregistered.c_str(), simt::error().c_str());
    fake::counts.unregistered = 0;
    simt::clear_error();
    out.resize(results(c.primitive));
    if (!out.empty()) memcpy(static_cast<void *>(out.data()), to, out.size() * sizeof(T));
    for (void *block : blocks) {
      if (device) simt::device_free(block);
      else free(block);
    }
    return out;
  }
};
template<class T> static bool same(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && (a.empty() || !memcmp(a.data(), b.data(), a.size() * sizeof(T)));
}
static gp_policy small(int algorithm) {
  gp_policy p;
  memset(&p, 0, sizeof p);
  p.algorithm = algorithm, p.threads = 64, p.vectors = 1, p.load = 3, p.store = 3, p.blocks_per_sm = 2, p.overlap = 2;
  if (algorithm == GP_LOOK_BACK || algorithm == GP_PIPELINED || algorithm == GP_ONE_CLUSTER) p.stages = 3;
  return p;
}
static gp_call call_of(gp_primitive p, gp_op op, gp_type type, const void *init) {
  gp_call c = gp_call_init(p);
  c.op = op, c.in_type = c.acc_type = c.out_type = type, c.init = init;
  return c;
}

// ---- an initial value is an operand: logical operators take it for true or false

template<class T> static void initial_values(gp_context *gpu, gp_context *host, gp_type type, const T *values, int n) {
  for (size_t count : {0, 1, 3, 700}) {
    Problem<T> problem(count);
    for (T &x : problem.in) x = values[random32() % (random32() % 4 ? 1 : unsigned(n))]; // the first one is 0
    for (gp_op op : {GP_AND, GP_OR, GP_MAX})
      for (gp_primitive p : FOLDS)
        for (int k = -1; k < n; ++k) {
          if (op == GP_MAX && type != GP_I32) continue;
          gp_call c = call_of(p, op, type, k < 0 ? nullptr : &values[k]);
          const std::vector<T> expected = problem.run(host, c, false);
          for (const T &x : expected)
            if (op != GP_MAX && !(x == T(0)) && !(x == T(1))) {
              check(false, __LINE__, "host, %s, operator %d, type %d, count %zu, initial value %d: neither 0 nor 1",
                  gp__primitive_names[p], op, type, count, k);
              break;
            }
          for (int algorithm : algorithms(p)) {
            const gp_policy policy = small(algorithm);
            c.policy = &policy;
            check(same(problem.run(gpu, c, true), expected), __LINE__,
                "%s, operator %d, type %d, count %zu, initial value %d, algorithm %d: not as on the host",
                gp__primitive_names[p], op, type, count, k, algorithm);
          }
          c.policy = nullptr;
          if (k < 0 || !(gp__reads(p) & GP__READS_INIT_DEVICE)) continue;
          c.init = nullptr, c.init_device = &values[k]; // the emulated device reads the host's memory
          for (gp_context *ctx : {gpu, host})
            check(same(problem.run(ctx, c, ctx == gpu), expected), __LINE__,
                "%s, operator %d, type %d, count %zu, initial value %d in device memory: not as from the host",
                gp__primitive_names[p], op, type, count, k);
        }
  }
}
static void test_initial_values() {
  gp_context *gpu = open_context(GP_BACKEND_CUDA), *host = open_context(GP_BACKEND_HOST);
  const int integers[] = {0, 1, 189, -5};
  const unsigned char bytes[] = {0, 1, 189};
  const gp_f16 halves[] = {gp_f16(0.0f), gp_f16(-5.5f), gp_f16(0.25f)};
  const double doubles[] = {0, 0.25, -189};
  initial_values(gpu, host, GP_I32, integers, 4);
  initial_values(gpu, host, GP_U8, bytes, 3);
  initial_values(gpu, host, GP_F16, halves, 3);
  initial_values(gpu, host, GP_F64, doubles, 3);
  gp_close(gpu), gp_close(host);
}

// ---- operands keep their order, unless the operator is commutative and the call folds to one result

static void test_order() {
  gp_context *gpu = open_context(GP_BACKEND_CUDA), *host = open_context(GP_BACKEND_HOST);
  gp_type type[2];
  gp_op op[2];
  define_compose(gpu, &type[0], &op[0]), define_compose(host, &type[1], &op[1]);
  const Affine first = {3, 7};
  for (size_t count : {1, 31, 1000, 3000})
    for (unsigned seed = 1; seed <= 3; ++seed) {
      Problem<Affine> problem(count);
      for (Affine &x : problem.in) x = {random32() | 1u, random32()};
      for (gp_primitive p : FOLDS)
        for (const Affine *init : {static_cast<const Affine *>(nullptr), &first}) {
          const Affine start = init ? *init : Affine{1, 0};
          std::vector<Affine> expected;
          Affine now = start;
          const bool whole = p == GP_REDUCE || is_scan(p),
                     last = p == GP_REDUCE || p == GP_SEGMENTED_REDUCE || p == GP_REDUCE_BY_KEY;
          for (size_t i = 0; i < count; ++i) {
            if (!whole && i && problem.keys[i] != problem.keys[i - 1]) now = start;
            if (p == GP_EXCLUSIVE_SCAN || p == GP_SEGMENTED_EXCLUSIVE_SCAN || p == GP_EXCLUSIVE_SCAN_BY_KEY)
              expected.push_back(now);
            now = compose(now, problem.in[i]);
            if (!last ? expected.size() <= i : i + 1 == count || (!whole && problem.keys[i + 1] != problem.keys[i]))
              expected.push_back(now);
          }
          if (p == GP_SEGMENTED_REDUCE) // empty segments have results too
            for (size_t s = 0; s + 1 < problem.offsets.size(); ++s)
              if (problem.offsets[s] == problem.offsets[s + 1]) expected.insert(expected.begin() + long(s), start);
          check(same(problem.run(host, call_of(p, op[1], type[1], init), false), expected), __LINE__,
              "host, %s, count %zu: operands are not in order", gp__primitive_names[p], count);
          for (int algorithm : algorithms(p)) {
            const gp_policy policy = small(algorithm);
            gp_call c = call_of(p, op[0], type[0], init);
            c.policy = &policy;
            simt::set_random_schedule(seed * 100 + unsigned(p));
            check(same(problem.run(gpu, c, true), expected), __LINE__,
                "%s, algorithm %d, count %zu: operands are not in order", gp__primitive_names[p], algorithm, count);
          }
        }
    }
  // Commutative operators: any order, but the same in every call. Scans and folds by key keep the input's order.
  const gp_f16 two = gp_f16(2.0f), half = gp_f16(0.5f);
  Problem<gp_f16> halves(2048);
  for (size_t i = 0; i < halves.in.size(); ++i) halves.in[i] = i % 2 ? half : two; // in order the product is 1 or 2
  for (gp_primitive p : FOLDS)
    for (int algorithm : algorithms(p)) {
      const gp_policy policy = small(algorithm);
      gp_call c = call_of(p, GP_PROD, GP_F16, nullptr);
      c.policy = &policy;
      simt::set_random_schedule(5);
      const std::vector<gp_f16> bits = halves.run(gpu, c, true);
      for (unsigned seed = 6; seed < 9; ++seed) {
        simt::set_random_schedule(seed);
        check(same(halves.run(gpu, c, true), bits), __LINE__, "%s, algorithm %d: other bits from call to call",
            gp__primitive_names[p], algorithm);
      }
      if (p != GP_REDUCE && p != GP_SEGMENTED_REDUCE)
        for (const gp_f16 &x : bits)
          if (!(float(x) <= 4.0f)) {
            check(false, __LINE__, "%s, algorithm %d: a product in order is %g", gp__primitive_names[p], algorithm,
                double(float(x)));
            break;
          }
    }
  gp_close(gpu), gp_close(host);
}

// ---- equal calls give equal bits

static void test_same_call() {
  gp_context *gpu = open_context(GP_BACKEND_CUDA);
  Problem<float> problem(3000);
  for (float &x : problem.in) x = float(int(random32() % 2000001) - 1000000) / 3.0f;
  for (gp_primitive p : FOLDS)
    for (size_t keys = 0; keys < (p < GP_SEGMENTED_REDUCE ? 4 : 16); keys += 4)
      for (size_t in = 0; in < 16; in += 4) {
        const gp_call c = call_of(p, GP_SUM, GP_F32, nullptr);
        std::vector<float> first_bits;
        gp_policy first_policy;
        for (size_t out = 0; out < 16; out += 4) {
          char where[100];
          snprintf(where, sizeof where, "%s, in at %zu, keys or offsets at %zu, out at %zu", gp__primitive_names[p], in,
              keys, out);
          // the same modulo 16, other addresses, another schedule
          simt::set_random_schedule(in + 5 * keys + out + 1);
          const std::vector<float> bits = problem.run(gpu, c, true, {in, keys, keys, out});
          simt::set_random_schedule(in + 5 * keys + out + 2);
          check(same(problem.run(gpu, c, true, {in + 48, keys + 16, keys + 32, out + 16}), bits), __LINE__,
              "%s: other bits where pointers are the same modulo 16", where);
          // the place of `out` matters only to scans
          gp_call asked = c;
          gp_policy policy;
          gp_policy_source source;
          asked.in = reinterpret_cast<void *>(4096 + in), asked.out = reinterpret_cast<void *>(65536 + out);
          asked.count = 3000;
          if (segmented(p))
            asked.offset_type = GP_U32, asked.begin = reinterpret_cast<void *>(131072 + keys), asked.segments = 9;
          if (p >= GP_INCLUSIVE_SCAN_BY_KEY)
            asked.key_type = GP_U32, asked.keys = reinterpret_cast<void *>(262144 + keys);
          if (p == GP_REDUCE_BY_KEY) asked.out_count = reinterpret_cast<uint64_t *>(524288);
          check(gp_policy_origin(gpu, &asked, &policy, &source) == GP_SUCCESS, __LINE__, "%s", gp_last_message());
          if (!in && !keys && !out && (p == GP_REDUCE || is_scan(p) || p == GP_REDUCE_BY_KEY))
            check(source == GP_POLICY_DEVICE, __LINE__, "%s: the row does not serve an aligned call", where);
          if (!out) first_bits = bits, first_policy = policy;
          else if (!is_scan(p))
            check(same(bits, first_bits) && !memcmp(&policy, &first_policy, sizeof policy), __LINE__,
                "%s: other bits, or another policy, than with out at 0", where);
        }
      }
  gp_close(gpu);
}

// ---- GP_REPRODUCIBLE: the same bits as on the host, wherever the buffers are

static void draw(std::vector<float> &x) {
  for (float &e : x) e = float(int(random32() % 2000001) - 1000000) / 3.0f;
}
static void draw(std::vector<Affine> &x) {
  for (Affine &e : x) e = {random32() | 1u, random32()};
}
static void draw(std::vector<Wide> &x) {
  for (Wide &e : x)
    for (float &f : e.v) f = float(int(random32() % 2000001) - 1000000) / 3.0f;
}
// Wide elements: runs across tiles, and across groups of 64 tiles, the third included.
template<class T> static void reproducible(gp_context *gpu, gp_context *host, gp_op (&op)[2], gp_type (&type)[2]) {
  const bool wide = sizeof(T) == sizeof(Wide);
  const std::vector<unsigned> lengths = wide
      ? std::vector<unsigned>{1, 3, 250, 256, 257, 700, 17000, 2, 31, 33, 14900, 300, 64, 2000}
      : std::vector<unsigned>{1, 3, 4, 5, 33, 383, 384, 385, 1535, 1536, 1537, 2, 5001, 16, 9000};
  const std::vector<gp_primitive> primitives = wide
      ? std::vector<gp_primitive>{GP_SEGMENTED_INCLUSIVE_SCAN, GP_EXCLUSIVE_SCAN_BY_KEY}
      : std::vector<gp_primitive>(FOLDS + 3, FOLDS + 9);
  Problem<T> problem(0);
  for (unsigned length : lengths) {
    const unsigned key = problem.keys.empty() ? 0 : problem.keys.back() + 1;
    problem.keys.insert(problem.keys.end(), length, key);
    if (length == 33) problem.offsets.push_back(unsigned(problem.keys.size())); // an empty segment
    problem.offsets.push_back(unsigned(problem.keys.size()));
  }
  problem.in.resize(problem.keys.size());
  draw(problem.in);
  const T first = problem.in[7];
  for (gp_primitive p : primitives)
    for (const T *init : {static_cast<const T *>(nullptr), &first}) {
      gp_call c = call_of(p, op[1], type[1], init);
      if (wide && (p == GP_EXCLUSIVE_SCAN_BY_KEY) != (init != nullptr)) continue; // two calls are long enough
      c.flags = GP_REPRODUCIBLE;
      const std::vector<T> wanted = problem.run(host, c, false);
      c.op = op[0], c.in_type = type[0], c.acc_type = c.acc_type ? type[0] : c.acc_type;
      c.out_type = c.out_type ? type[0] : c.out_type;
      for (unsigned seed = wide ? 3 : 0; seed < 4; ++seed) {
        simt::set_random_schedule(seed);
        fake::machine.multiprocessors = 1 + int(seed);
        check(same(problem.run(gpu, c, true, {4 * seed, 8 * seed % 16, 4 * seed % 12, 4 * seed}), wanted), __LINE__,
            "%s, seed %u: other bits than on the host", gp__primitive_names[p], seed);
      }
    }
}
static void stored(gp_context *gpu, gp_context *host) { // an operator makes what is stored of results
  Problem<float> problem(9000);
  draw(problem.in);
  gp_call c = call_of(GP_INCLUSIVE_SCAN_BY_KEY, GP_SUM, GP_F32, nullptr);
  c.flags = GP_REPRODUCIBLE;
  std::vector<float> wanted = problem.run(host, c, false);
  for (float &x : wanted) x *= x;
  c.apply = GP_SQUARE;
  check(same(problem.run(host, c, false), wanted), __LINE__, "on the host: not the squares");
  check(same(problem.run(gpu, c, true), wanted), __LINE__, "not the squares");
}
static void test_reproducible() {
  gp_context *gpu = open_context(GP_BACKEND_CUDA), *host = open_context(GP_BACKEND_HOST);
  gp_op sums[2] = {GP_SUM, GP_SUM}, op[2];
  gp_type floats[2] = {GP_F32, GP_F32}, type[2];
  define_compose(gpu, &type[0], &op[0]), define_compose(host, &type[1], &op[1]);
  reproducible<float>(gpu, host, sums, floats);
  stored(gpu, host);
  reproducible<Affine>(gpu, host, op, type);
  define_sum(gpu, &type[0], &op[0]), define_sum(host, &type[1], &op[1]);
  reproducible<Wide>(gpu, host, op, type);
  check(fake::counts.unregistered == 0, __LINE__, "no kernel %s", fake::last_unregistered.c_str());
  gp_close(gpu), gp_close(host);
}

int main(int argc, char **argv) {
  const struct {
    const char *name;
    void (*run)();
  } groups[] = {{"initial values", test_initial_values}, {"order", test_order}, {"same call", test_same_call},
      {"reproducible", test_reproducible}};
  register_kernels();
#ifdef TEST_CONTRACT // the group that mutants.py needs; its argument is no group
  test_reproducible();
  argc = -1;
#endif
  for (const auto &g : groups)
    if (argc >= 0 && (argc < 2 || !strcmp(argv[1], g.name))) g.run();
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
