// Policies that validity accepts run right, for every primitive, element sizes of 1 to 64 bytes and each field's
// extremes. Calls go through the whole library on the emulated driver, whose compiler builds the library's real
// programs, and must match the host back end. Messages name refused fields; accepted policies run unchanged; and every
// static_assert of a kernel holds for them (table ASSERTED).
//
// test_policies [few TURN [NAME] | many TURN [NAME] | all [NAME]]
//     few     for each case (a primitive and its operands) one policy, size and alignment, in turn, and those that once
//             were wrong
//     many    one policy for each case, size and alignment
//     all     everything, which takes hours
//     NAME    cases whose name contains it, or one job, as a failure prints it
// test_policies compile CAPABILITY,... [few TURN [NAME] | many TURN [NAME] | all [NAME]]
//     NVRTC compiles the kernels of policies that validity accepts on devices of these compute capabilities. It refuses
//     more than 48 KiB of static shared memory, which the emulator runs.
//     few     for some of the cases, in turn, one size with one policy and the one of the largest tile
//     many    the same for each case, size and alignment
#include "simt.h"
#define CASE_TURNS 17
#include "turn.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#define GP_POLICY_ROWS(ROW)
#include "gpuprims.h"

#include "fake_driver.h"

#include "emulated_compiler.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <set>
#include <sstream>
#include <sys/wait.h>

static unsigned long passed, failed;
static void check(bool good, const std::string &what) {
  ++(good ? passed : failed);
  if (!good && failed <= 60) printf("FAILED: %s\n", what.c_str()), fflush(stdout);
}

// ---- one side of a call: the device or the host, with its types, operators and buffers

typedef std::vector<unsigned char> Bytes;

static uint64_t mix(uint64_t x) { // SplitMix64
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

enum Role { LESS, SAME, MIX, FLIP, PICK, PICK2, DIFFER, ROLES };
static size_t size_of(void *user) { return reinterpret_cast<size_t>(user); }
static const struct {
  int arity;
  const char *body, *identity;
  gp_host_fn host;
} operators[ROLES] = {
    {2,
        "for (unsigned i = 0; i < sizeof a; ++i) if (a.bytes[i] != b.bytes[i]) return a.bytes[i] < b.bytes[i];\n"
        "return false;",
        nullptr,
        [](void *n, void *r, const void *a, const void *b) {
          *static_cast<unsigned char *>(r) = memcmp(a, b, size_of(n)) < 0;
        }},
    {2, "bool same = true;\nfor (unsigned i = 0; i < sizeof a; ++i) same &= a.bytes[i] == b.bytes[i];\nreturn same;",
        nullptr,
        [](void *n, void *r, const void *a, const void *b) {
          *static_cast<unsigned char *>(r) = memcmp(a, b, size_of(n)) == 0;
        }},
    // The sum, and the last nonzero operand: associative, not commutative.
    {2,
        "T r = a;\nfor (unsigned i = 0; i < sizeof a; ++i)\n"
        "  r.bytes[i] = i % 3 == 1 ? (b.bytes[i] ? b.bytes[i] : a.bytes[i]) : a.bytes[i] + b.bytes[i];\nreturn r;",
        "T()",
        [](void *n, void *r, const void *a, const void *b) {
          const unsigned char *x = static_cast<const unsigned char *>(a), *y = static_cast<const unsigned char *>(b);
          unsigned char *z = static_cast<unsigned char *>(r);
          for (size_t i = 0; i < size_of(n); ++i)
            z[i] = i % 3 == 1 ? (y[i] ? y[i] : x[i]) : static_cast<unsigned char>(x[i] + y[i]);
        }},
    {1, "auto r = a;\nfor (unsigned i = 0; i < sizeof a; ++i) r.bytes[i] ^= 85 + i;\nreturn r;", nullptr,
        [](void *n, void *r, const void *a, const void *) {
          for (size_t i = 0; i < size_of(n); ++i)
            static_cast<unsigned char *>(r)[i] =
                static_cast<unsigned char>(static_cast<const unsigned char *>(a)[i] ^ (85 + i));
        }},
    {1, "return (a.bytes[0] & 1) != 0;", nullptr,
        [](void *, void *r, const void *a, const void *) {
          *static_cast<unsigned char *>(r) = *static_cast<const unsigned char *>(a) & 1;
        }},
    {1, "return (a.bytes[sizeof a - 1] & 2) != 0;", nullptr,
        [](void *n, void *r, const void *a, const void *) {
          *static_cast<unsigned char *>(r) = static_cast<const unsigned char *>(a)[size_of(n) - 1] & 2;
        }},
    {2, "auto r = a;\nfor (unsigned i = 0; i < sizeof a; ++i) r.bytes[i] = a.bytes[i] - 3 * b.bytes[i];\nreturn r;",
        nullptr,
        [](void *n, void *r, const void *a, const void *b) {
          for (size_t i = 0; i < size_of(n); ++i)
            static_cast<unsigned char *>(r)[i] = static_cast<unsigned char>(
                static_cast<const unsigned char *>(a)[i] - 3 * static_cast<const unsigned char *>(b)[i]);
        }},
};

struct Side {
  bool device;
  gp_context *ctx = nullptr;
  std::map<std::pair<int, int>, gp_type> types;
  std::map<std::pair<int, int>, gp_op> ops;
  // Where buffers begin: ALIGNED, at an aligned address; BEHIND_ONE, an element after one. HALF, LOOSE: structs have
  // half the alignment that their size allows, or 1, and the buffers of a call have different offsets between multiples
  // of it.
  enum Shift { ALIGNED, BEHIND_ONE, HALF, LOOSE };
  int shift = ALIGNED;
  static int most_alignment(int size) { return std::min(size & -size, 16); }
  int alignment(int size) const { // of a struct
    const int most = most_alignment(size);
    return shift == LOOSE ? 1 : shift == HALF && most > 1 ? most / 2 : most;
  }
  int strictest = 1; // number of alignments for this call's structs
  size_t placed; // of a call's buffers, from 0 or 1 on: each at a multiple of its size, or not
  struct Buffer {
    unsigned char *block, *data;
    size_t bytes;
    bool differs; // pointers, which are each side's own
  };
  std::vector<Buffer> buffers;
  std::vector<std::shared_ptr<void>> kept; // host structs that calls point to

  explicit Side(bool device_) : device(device_) {}
  void open(bool nvrtc = false) { // nvrtc: the machine's compiler, not the emulated one
    gp_config config = gp_config_init();
    config.backend = device ? GP_BACKEND_CUDA : GP_BACKEND_HOST;
    config.cache_dir = nvrtc ? getenv("GPUPRIMS_KERNELS") : nullptr; // of tests/run.py: earlier compilations
    if (!config.cache_dir) config.cache_dir = "";
    config.host_threads = 1;
    if (!nvrtc) config.driver = fake::table();
    if (gp_open(&config, &ctx)) printf("%s\n", gp_last_message()), std::exit(1);
  }
  void close() {
    release();
    types.clear(), ops.clear();
    gp_close(ctx);
    ctx = nullptr;
  }
  gp_type type(int size) {
    const int align = alignment(size);
    strictest = std::max(strictest, most_alignment(size));
    gp_type &t = types[{size, align}];
    if (t) return t;
    const std::string name = "Bytes" + std::to_string(size) + "_" + std::to_string(align);
    gp_type_desc d = gp_type_desc_init();
    d.name = name.c_str(), d.size = size_t(size), d.align = size_t(align);
    if (gp_type_struct(ctx, &d, &t)) printf("%s\n", gp_last_message()), std::exit(1);
    return t;
  }
  gp_op op(Role role, int size) {
    gp_op &o = ops[{role, size}];
    if (o) return o;
    static const unsigned char zeros[64] = {};
    gp_op_desc d = gp_op_desc_init();
    d.name = "role", d.body = operators[role].body, d.identity = operators[role].identity;
    d.arity = operators[role].arity, d.host = operators[role].host;
    d.host_user = reinterpret_cast<void *>(size_t(size));
    if (d.identity) d.host_identity = zeros, d.host_identity_size = size_t(size);
    if (gp_op_define(ctx, &d, &o)) printf("%s\n", gp_last_message()), std::exit(1);
    return o;
  }
  // A pattern fills outputs, and the space around and after a call's data.
  enum { FRONT = 256, BEHIND = 256, PATTERN = 0xC7 };
  void *add(size_t bytes, const void *from, int size, bool number) {
    const size_t elements = shift == BEHIND_ONE ? 1 : 0, loose = shift >= HALF && !number ? ++placed : 0;
    const size_t before = FRONT + elements * size_t(size) + loose * size_t(alignment(size));
    const size_t all = before + bytes + BEHIND;
    void *block = device ? simt::device_malloc(all) : aligned_alloc(256, (all + 255) / 256 * 256);
    Buffer b = {static_cast<unsigned char *>(block), nullptr, bytes, false};
    b.data = b.block + before;
    Bytes content(all, PATTERN);
    if (from && bytes) memcpy(content.data() + before, from, bytes);
    if (device) simt::host_write(b.block, content.data(), all);
    else memcpy(b.block, content.data(), all);
    buffers.push_back(b);
    return b.data;
  }
  // NUMBER: the elements are numbers, aligned to their size. Otherwise bytes are structs.
  enum Elements { STRUCT, NUMBER };
  template<class T> T *put(const std::vector<T> &v, int size = sizeof(T), Elements kind = STRUCT) {
    return static_cast<T *>(add(v.size() * sizeof(T), v.data(), size, kind == NUMBER || sizeof(T) > 1));
  }
  void *take(size_t count, int size, Elements kind = STRUCT) {
    return add(count * size_t(size), nullptr, size, kind == NUMBER);
  }
  uint64_t *pointers(const std::vector<uint64_t> &v) {
    uint64_t *p = put(v, 8, NUMBER);
    buffers.back().differs = true;
    return p;
  }
  void release() {
    for (Buffer &b : buffers) {
      if (device) simt::device_free(b.block);
      else free(b.block);
    }
    buffers.clear(), kept.clear();
  }
  template<class T> T *keep(const T &value) {
    auto p = std::make_shared<T>(value);
    kept.push_back(p);
    return p.get();
  }
};

// ---- the calls

static Bytes noise(size_t count, int size, uint64_t seed, unsigned mask = 255) {
  Bytes v(count * size_t(size));
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<unsigned char>(mix(seed * 1000003 + i) & mask);
  return v;
}
// Runs of equal keys with a mean length of four; neighbours differ in one byte, anywhere.
static Bytes keys_of(size_t count, int size, uint64_t seed) {
  Bytes v(count * size_t(size));
  uint64_t run = seed;
  for (size_t i = 0; i < count; ++i) {
    if (mix(seed + i) % 4 == 0) ++run;
    v[i * size_t(size) + mix(run) % size_t(size)] = static_cast<unsigned char>(1 + run % 3);
  }
  return v;
}
static Bytes sorted(Bytes v, int size) {
  std::vector<std::string> s;
  for (size_t i = 0; i < v.size(); i += size_t(size))
    s.emplace_back(reinterpret_cast<char *>(v.data()) + i, size_t(size));
  std::sort(s.begin(), s.end());
  for (size_t i = 0; i < s.size(); ++i) memcpy(v.data() + i * size_t(size), s[i].data(), size_t(size));
  return v;
}
static gp_type number_type(int size) { return size == 1 ? GP_U8 : size == 2 ? GP_U16 : size == 4 ? GP_U32 : GP_U64; }
// Numbers with few values, so that some are equal; in all bytes.
static Bytes numbers(size_t count, int size, uint64_t seed, unsigned values = 1000) {
  Bytes v(count * size_t(size));
  for (size_t i = 0; i < count; ++i) {
    const uint64_t x = mix(mix(seed + i) % values);
    memcpy(v.data() + i * size_t(size), &x, size_t(size));
  }
  return v;
}
static Bytes offsets_of(uint64_t count, uint64_t segments, int size) {
  std::vector<uint64_t> o(segments + 1);
  for (auto &x : o) x = mix(uint64_t(&x - o.data())) % (count + 1);
  o[0] = 0, o[segments] = count;
  if (segments > 8) o[3] = o[4] = o[5]; // empty ones
  std::sort(o.begin(), o.end());
  Bytes v(o.size() * size_t(size));
  for (size_t i = 0; i < o.size(); ++i) memcpy(v.data() + i * size_t(size), &o[i], size_t(size));
  return v;
}

struct Graph {
  std::vector<uint64_t> offsets, targets;
};
static Graph graph_of(unsigned vertices, bool symmetric) { // a long path, and random edges among every eighth vertex
  std::vector<std::pair<unsigned, unsigned>> edges;
  for (unsigned v = 0; v + 1 < vertices; ++v) edges.push_back({v, v + 1});
  for (unsigned v = 0; v < vertices; v += 8)
    for (unsigned i = 0; i < 12; ++i) edges.push_back({v, unsigned(mix(v * 131 + i) % vertices)});
  for (unsigned i = 0; i < vertices / 2; ++i) edges.push_back({vertices / 3, unsigned(mix(i) % vertices)});
  if (symmetric)
    for (size_t i = edges.size(); i--;) edges.push_back({edges[i].second, edges[i].first});
  std::sort(edges.begin(), edges.end());
  Graph g;
  g.offsets.assign(vertices + 1, 0);
  for (auto &e : edges) ++g.offsets[e.first + 1], g.targets.push_back(e.second);
  for (unsigned v = 0; v < vertices; ++v) g.offsets[v + 1] += g.offsets[v];
  return g;
}
static Bytes narrowed(const std::vector<uint64_t> &v, int size) {
  Bytes b(v.size() * size_t(size));
  for (size_t i = 0; i < v.size(); ++i) memcpy(b.data() + i * size_t(size), &v[i], size_t(size));
  return b;
}
static void put_graph(Side &s, gp_call &c, int size, unsigned vertices, bool symmetric) {
  const Graph g = graph_of(vertices, symmetric);
  gp_graph *h = s.keep(gp_graph_init());
  h->vertices = vertices, h->edges = g.targets.size();
  h->offset_type = h->vertex_type = number_type(size);
  h->offsets = s.put(narrowed(g.offsets, size), size), h->targets = s.put(narrowed(g.targets, size), size);
  h->flags = symmetric ? GP_SYMMETRIC : 0;
  c.graph = h;
}
// An output graph, with lists of as many edges.
static gp_graph *take_graph(Side &s, int size, uint64_t vertices, uint64_t edges) {
  gp_graph *h = s.keep(gp_graph_init());
  h->vertices = vertices, h->edges = edges, h->offset_type = h->vertex_type = number_type(size);
  h->offsets = s.take(vertices + 1, size), h->targets = s.take(edges, size);
  return h;
}

// Two thirds that PICK takes, then the others.
static Bytes picked_first(size_t count, int size) {
  Bytes v = noise(count, size, 1);
  for (size_t i = 0; i < count; ++i) {
    unsigned char &first = v[i * size_t(size)];
    first = static_cast<unsigned char>((first & 254) | (i < count * 2 / 3));
  }
  return v;
}
// Each index once, in no order.
static Bytes shuffled(size_t count) {
  std::vector<unsigned> index(count);
  for (size_t i = 0; i < count; ++i) index[i] = unsigned(i);
  for (size_t i = count; i > 1; --i) std::swap(index[i - 1], index[mix(i) % i]);
  Bytes b(count * 4);
  if (count) memcpy(b.data(), index.data(), b.size());
  return b;
}

struct Case {
  const char *name;
  gp_primitive primitive;
  std::vector<int> sizes; // size + 100 * size of values, if any
  void (*build)(Side &, gp_call &, int size, int value, size_t n);
};
static const std::vector<int> ALL = {1, 2, 3, 4, 8, 12, 16, 24, 33, 48, 63, 64}, NUMBERS = {1, 2, 4, 8}, WORDS = {4, 8},
                              PAIRS = {104, 304, 404, 804, 408, 808, 1608, 3304, 6408, 204, 1201, 6402, 401, 801},
                              KEYED = {101, 404, 6404, 464, 1212, 1633, 863, 3348, 824, 4816, 203, 6364};

#define IN_TO_OUT \
  c.in_type = c.out_type = s.type(size), c.in = s.put(noise(n, size, 1), size), c.out = s.take(n, size), c.count = n
#define SCANNED \
  IN_TO_OUT; \
  c.acc_type = s.type(size), c.op = s.op(MIX, size)
#define KEYS \
  c.key_type = s.type(size), c.keys = s.put(keys_of(n, size, 5), size), c.equal = s.op(SAME, size), c.count = n
#define BY_KEY \
  KEYS; \
  c.in_type = c.out_type = c.acc_type = s.type(value), c.op = s.op(MIX, value); \
  c.in = s.put(noise(n, value, 2), value), c.out = s.take(n, value)
#define COUNTED(numbers_) c.out_count = static_cast<uint64_t *>(s.take(numbers_, 8, Side::NUMBER))
#define SEGMENTS \
  c.offset_type = n % 2 ? GP_U32 : GP_U64, c.segments = n / 20 + 1; \
  c.begin = s.put(offsets_of(n, c.segments, n % 2 ? 4 : 8), n % 2 ? 4 : 8, Side::NUMBER)
#define VALUES \
  if (value) c.in_type = s.type(value), c.in = s.put(noise(n, value, 2), value), c.out = s.take(n, value)
#define NUMBER_KEYS \
  c.key_type = number_type(size); \
  c.keys = s.put(numbers(n, size, 3), size, Side::NUMBER); \
  c.out_keys = s.take(n, size, Side::NUMBER), c.count = n
#define TWO_SORTED(most) \
  const size_t m = n / 2 + 3; \
  c.key_type = s.type(size), c.op = s.op(LESS, size); \
  c.keys = s.put(sorted(keys_of(n, size, 5), size), size), c.count = n; \
  c.keys2 = s.put(sorted(keys_of(m, size, 9), size), size), c.count2 = m; \
  c.out_keys = s.take(most, size); \
  if (value) { \
    c.in_type = s.type(value), c.in = s.put(noise(n, value, 2), value), c.out = s.take(most, value); \
    if (c.primitive == GP_MERGE || c.primitive == GP_SET_UNION || c.primitive == GP_SET_SYMMETRIC_DIFFERENCE) \
      c.in2 = s.put(noise(m, value, 7), value); \
  }
#define SHUFFLED c.in2_type = GP_U32, c.in2 = s.put(shuffled(n), 4, Side::NUMBER), c.n = n
#define CASE(name, primitive, sizes, ...) \
  { \
    name, primitive, sizes, [](Side &s, gp_call &c, int size, int value, size_t n) { \
      (void)s, (void)size, (void)value, (void)n; \
      __VA_ARGS__; \
    } \
  }

static void put_matrices(
    Side &s, gp_call &c, int size, uint64_t rows, uint64_t columns, uint64_t batch, bool in_place) {
  gp_permutation *p = s.keep(gp_permutation_init());
  p->dimensions = 3;
  p->order[0] = 0, p->order[1] = 2, p->order[2] = 1;
  p->extent[0] = batch, p->extent[1] = rows, p->extent[2] = columns;
  c.permutation = p;
  c.in_type = s.type(size);
  const size_t n = rows * columns * batch;
  c.in = s.put(noise(n, size, 1), size);
  c.out = in_place ? const_cast<void *>(c.in) : s.take(n, size);
}

// Rows along a dimension of a dense array.
static void put_axes(Side &s, gp_call &c, int size, uint64_t n0, uint64_t n1, uint64_t n2, int axis) {
  const uint64_t extent[3] = {n0, n1, n2};
  gp_axes *a =
      s.keep(c.primitive != GP_REDUCE_AXIS ? gp_axes_mapped(3, extent, axis) : gp_axes_reduced(3, extent, axis));
  const size_t n = n0 * n1 * n2;
  c.axes = a;
  c.in_type = c.acc_type = s.type(size);
  c.op = s.op(MIX, size);
  c.in = s.put(noise(n, size, 1), size);
  c.out = s.take(c.primitive != GP_REDUCE_AXIS ? n : n / extent[axis], size);
  if (c.primitive == GP_ROW_MAP) c.apply = s.op(DIFFER, size);
}
// Keys of rows along a dimension. crooked: the input's strides are none of a transpose's.
static void put_ordered(Side &s, gp_call &c, int size, uint64_t n0, uint64_t n1, uint64_t n2, int axis, bool crooked,
    bool by_order = false) {
  const uint64_t extent[3] = {n0, n1, n2};
  const size_t n = n0 * n1 * n2;
  if (c.primitive == GP_TOP_K_AXIS) c.k = extent[axis] / 3 + 1;
  const size_t results = n / extent[axis] * size_t(c.k ? c.k : extent[axis]);
  gp_axes *a = s.keep(c.k ? gp_axes_top_k(3, extent, axis, c.k) : gp_axes_mapped(3, extent, axis));
  if (crooked) { // read from the end, 3 elements apart
    for (int64_t &stride : a->in_stride) stride *= -3;
    for (int64_t &stride : a->out_stride) stride *= 2;
  }
  c.axes = a;
  c.key_type = by_order ? s.type(size) : number_type(size);
  if (by_order) c.op = s.op(LESS, size);
  const Side::Elements kind = by_order ? Side::STRUCT : Side::NUMBER;
  const size_t room = crooked ? n * 3 - 2 : n;
  c.keys = static_cast<unsigned char *>(s.put(by_order ? keys_of(room, size, 3) : noise(room, size, 1), size, kind)) +
      (crooked ? (n - 1) * 3 * size_t(size) : 0);
  c.out_keys = s.take(crooked ? 2 * results : results, size, kind);
  c.out_type = GP_U32;
  c.out = s.take(crooked ? 2 * results : results, 4, Side::NUMBER);
}

// Values of runs or segments that make n elements or more; one of them is half of it.
static void put_runs(Side &s, gp_call &c, int size, size_t n) {
  const int width = n % 2 ? 4 : 8;
  std::vector<uint64_t> lengths, offsets(1, 0);
  for (size_t i = 0; offsets.back() < n; ++i) {
    lengths.push_back(i == 7 ? n / 2 : mix(i) % 3 ? mix(i) % 5 : mix(i) % 100);
    offsets.push_back(offsets.back() + lengths.back());
  }
  c.in_type = s.type(size), c.in = s.put(noise(lengths.size(), size, 1), size), c.out = s.take(n, size), c.count = n;
  c.offset_type = number_type(width), c.segments = lengths.size();
  c.begin = s.put(narrowed(c.primitive == GP_EXPAND ? offsets : lengths, width), width, Side::NUMBER);
}
// Buffers of n bytes together, one of them half as long; destinations have the opposite order. Sizes have `size` bytes.
static void put_batch(Side &s, gp_call &c, int size, size_t n) {
  const unsigned char *from = static_cast<const unsigned char *>(s.put(noise(n, 1, 1), 1));
  unsigned char *to = static_cast<unsigned char *>(s.take(n, 1));
  std::vector<uint64_t> sources, destinations, sizes;
  for (size_t at = 0, i = 0; at < n; at += sizes.back(), ++i) {
    sizes.push_back(std::min<uint64_t>(i == 5 ? n / 2 : mix(i) % 4 ? mix(i) % 40 : mix(i) % 1000, n - at));
    sources.push_back(reinterpret_cast<uintptr_t>(from + at));
    destinations.push_back(reinterpret_cast<uintptr_t>(to + n - at - sizes.back()));
  }
  c.offset_type = number_type(size), c.count = sizes.size();
  c.in = s.pointers(sources), c.in2 = s.pointers(destinations);
  c.begin = s.put(narrowed(sizes, size), size, Side::NUMBER);
}

// Aggregates whose column the sort of the keys moves; of no column if `none`.
static void put_one_column(Side &s, gp_call &c, size_t n, bool none) {
  std::array<gp_aggregate, 3> list = {{{GP_AGGREGATE_SUM, GP_F64, nullptr, nullptr, GP_F32},
      {GP_AGGREGATE_COUNT, GP_TYPE_DEFAULT, nullptr, nullptr, GP_I32},
      {GP_AGGREGATE_MIN, GP_F64, nullptr, nullptr, GP_TYPE_DEFAULT}}};
  if (none) list[0] = list[2] = list[1];
  else list[0].column = list[2].column = s.put(noise(n, 8, 1), 8, Side::NUMBER);
  for (gp_aggregate &of : list) of.out = s.take(n, of.op == GP_AGGREGATE_MIN ? 8 : 4, Side::NUMBER);
  c.aggregates = s.keep(list)->data();
  c.aggregate_count = list.size();
}
static void put_aggregates(Side &s, gp_call &c, size_t n) {
  std::array<gp_aggregate, 8> list = {{{GP_AGGREGATE_SUM, GP_F32, nullptr, nullptr, GP_F64},
      {GP_AGGREGATE_MEAN, GP_F16, nullptr, nullptr, GP_TYPE_DEFAULT},
      {GP_AGGREGATE_MIN, GP_F64, nullptr, nullptr, GP_TYPE_DEFAULT},
      {GP_AGGREGATE_ARGMAX, GP_U8, nullptr, nullptr, GP_TYPE_DEFAULT},
      {GP_AGGREGATE_COUNT, GP_TYPE_DEFAULT, nullptr, nullptr, GP_U32},
      {GP_AGGREGATE_MAX, GP_I16, nullptr, nullptr, GP_TYPE_DEFAULT},
      {GP_AGGREGATE_MEAN, GP_U64, nullptr, nullptr, GP_BF16}, {GP_AGGREGATE_SUM, GP_I8, nullptr, nullptr, GP_I32}}};
  static const int of_column[8] = {4, 2, 8, 1, 0, 2, 8, 1}, of_result[8] = {8, 8, 8, 8, 4, 2, 2, 4};
  for (size_t i = 0; i < 8; ++i) {
    if (of_column[i]) list[i].column = s.put(noise(n, of_column[i], i), of_column[i], Side::NUMBER);
    list[i].out = s.take(n, of_result[i], Side::NUMBER);
  }
  c.aggregates = s.keep(list)->data();
  c.aggregate_count = 8;
  c.count = n;
}
// Columns of a key, or a column of a matrix.
static void put_described_keys(Side &s, gp_call &c, int size, size_t n) {
  const gp_type type = s.type(size);
  gp_input *made = s.keep(gp_input_strided(type, s.put(keys_of(2 * n + 1, size, 5), size), 2));
  if (size == 12) {
    const gp_input *a = s.keep(gp_input_array(GP_U32, s.put(keys_of(n, 4, 6), 4, Side::NUMBER)));
    const gp_input *b = s.keep(gp_input_array(GP_I32, s.put(keys_of(n, 4, 7), 4, Side::NUMBER)));
    *made = gp_input_zipped(type, a, b, a, nullptr);
  }
  c.key_type = GP_INPUT, c.keys = made, c.count = n;
}
// Columns of every size of word, keys among them.
static void put_columns(Side &s, gp_call &c, int size, size_t n, size_t keys) {
  static const int sizes[] = {1, 2, 4, 8, 16, 12, 33, 6};
  std::array<gp_column, 8> list;
  for (size_t i = 0; i < 8; ++i) {
    const int width = i < keys ? sizes[(i + size_t(size)) % 4] : sizes[i];
    list[i] = {i < keys ? number_type(width) : s.type(width), i < keys && i % 2, nullptr, nullptr};
    list[i].in = s.put(i < keys ? numbers(n, width, i, 5) : noise(n, width, i), width, Side::NUMBER);
    list[i].out = s.take(n, width, Side::NUMBER);
  }
  c.columns = s.keep(list)->data(), c.column_count = 8, c.key_columns = keys, c.count = n;
}
// Columns that follow runs.
static void put_run_columns(Side &s, gp_call &c, size_t n) {
  std::array<gp_column, 3> list;
  for (size_t i = 0; i < 3; ++i) {
    const int width = 1 << (2 - i);
    list[i] = {number_type(width), 0, nullptr, nullptr};
    list[i].in = s.put(noise(n, width, i), width, Side::NUMBER);
    list[i].out = s.take(n, width, Side::NUMBER);
  }
  c.columns = s.keep(list)->data(), c.column_count = 3;
}
// A member of a call as the description of its array.
static void describe(Side &s, gp_type &type, const void *&member) {
  member = s.keep(gp_input_array(type, member));
  type = GP_INPUT;
}
static void describe_values(Side &s, gp_call &c) {
  if (c.in2) c.in2 = s.keep(gp_input_array(c.in_type, c.in2));
  describe(s, c.in_type, c.in);
}
static void describe_keys(Side &s, gp_call &c) {
  c.keys2 = s.keep(gp_input_array(c.key_type, c.keys2));
  describe(s, c.key_type, c.keys);
}
static void put_join(Side &s, gp_call &c, int size, size_t n, gp_join_kind kind, gp_type index) {
  const size_t m = n / 3 + 2, room = kind == GP_JOIN_FLAGS ? n : 2 * n;
  const int width = kind == GP_JOIN_FLAGS ? 1 : index == GP_U32 ? 4 : 8;
  c.key_type = s.type(size), c.join = kind, c.out_type = index;
  c.keys = s.put(keys_of(n, size, 5), size), c.count = n;
  c.keys2 = s.put(keys_of(m, size, 9), size), c.count2 = m;
  c.out = s.take(room, width, Side::NUMBER);
  if (kind <= GP_JOIN_LEFT) c.out2 = s.take(room, width, Side::NUMBER);
  if (kind != GP_JOIN_FLAGS) c.capacity = room;
}

// Types beside the numbers: 1: bool, 8: c32, 16: i128, 116: c64. Few values: bytes that are true; whole parts of
// complex numbers, whose sums are exact; integers that differ in their high or low bits.
static const std::vector<int> OTHERS = {1, 16}, WITH_COMPLEX = {1, 8, 16, 116};
static gp_type other_type(int size, int value) {
  return size == 1 ? GP_BOOL : size == 8 ? GP_C32 : value ? GP_C64 : GP_I128;
}
static Bytes others(size_t count, int size, int value, uint64_t seed) {
  Bytes v;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t x = mix(seed * 1000003 + i);
    const double d[2] = {double(x % 3) - 1, double(x >> 8 & 1)};
    const float f[2] = {float(d[0]), float(d[1])};
    const uint64_t wide[2] = {x % 3, 0 - (x >> 8) % 2};
    const unsigned char truth = x % 2 ? static_cast<unsigned char>(x >> 56) : 0;
    const void *from = size == 1 ? static_cast<const void *>(&truth) : size == 8 ? f : value ? d : (const void *)wide;
    v.insert(v.end(), static_cast<const unsigned char *>(from), static_cast<const unsigned char *>(from) + size);
  }
  return v;
}
#define OTHER_KEYS \
  c.key_type = other_type(size, value), c.keys = s.put(others(n, size, value, 5), size, Side::NUMBER); \
  c.out_keys = s.take(n, size, Side::NUMBER), c.count = n
static void put_truths(Side &s, gp_call &c, size_t n) {
  std::array<gp_aggregate, 4> list = {
      {{GP_AGGREGATE_SUM, GP_BOOL, nullptr, nullptr, GP_U32}, {GP_AGGREGATE_MEAN, GP_BOOL, nullptr, nullptr, GP_F32},
          {GP_AGGREGATE_MAX, GP_BOOL, nullptr, nullptr, GP_TYPE_DEFAULT},
          {GP_AGGREGATE_ARGMAX, GP_BOOL, nullptr, nullptr, GP_U32}}};
  for (size_t i = 0; i < list.size(); ++i)
    list[i].column = s.put(others(n, 1, 0, i), 1), list[i].out = s.take(n, i == 2 ? 1 : 4, Side::NUMBER);
  c.aggregates = s.keep(list)->data();
  c.aggregate_count = list.size();
}
static void put_other_axes(Side &s, gp_call &c, int size, int value, size_t n) {
  put_axes(s, c, size, 2, n / 60 + 1, 29, 2);
  c.in = s.put(others(2 * (n / 60 + 1) * 29, size, value, 1), size, Side::NUMBER);
  c.out = s.take(2 * (n / 60 + 1) * (c.primitive == GP_ROW_MAP ? 29 : 1), size, Side::NUMBER);
  c.in_type = c.acc_type = c.out_type = other_type(size, value);
  c.op = GP_SUM, c.apply = c.primitive == GP_ROW_MAP ? GP_PROD : GP_OP_DEFAULT;
}

// Sums that round, with the bits of the host.
static void put_floats(Side &s, gp_call &c, int size, size_t n) {
  std::vector<float> narrow;
  std::vector<double> wide;
  for (size_t i = 0; i < n; ++i)
    wide.push_back((double(mix(i) % 2000001) - 1000000) / 3), narrow.push_back(float(wide[i]));
  c.in_type = c.out_type = size == 4 ? GP_F32 : GP_F64;
  if (size == 4) c.in = s.put(narrow, 4, Side::NUMBER);
  else c.in = s.put(wide, 8, Side::NUMBER);
  c.out = s.take(n, size, Side::NUMBER);
  c.op = GP_SUM, c.count = n, c.flags = GP_REPRODUCIBLE;
}

static const std::vector<Case> cases = {
    CASE("copy", GP_COPY, ALL, IN_TO_OUT; c.out_type = GP_TYPE_DEFAULT),
    CASE("fill", GP_FILL, ALL, c.out_type = s.type(size); c.out = s.take(n, size); c.count = n;
         c.value = s.keep(std::array<char, 64>{1, 2, 3, 4, 5})),
    CASE("iota", GP_IOTA, NUMBERS, c.out_type = number_type(size); c.out = s.take(n, size); c.count = n),
    CASE("transform", GP_TRANSFORM, ALL, IN_TO_OUT; c.op = s.op(FLIP, size)),
    CASE("transform2", GP_TRANSFORM2, ALL, IN_TO_OUT; c.in2 = s.put(noise(n, size, 2), size);
         c.op = s.op(DIFFER, size)),
    CASE("reduce", GP_REDUCE, ALL, SCANNED; c.out = s.take(1, size)),
    CASE("inclusive scan", GP_INCLUSIVE_SCAN, ALL, SCANNED),
    CASE("exclusive scan", GP_EXCLUSIVE_SCAN, ALL, SCANNED),
    CASE("sums of numbers", GP_INCLUSIVE_SCAN, NUMBERS, c.in_type = c.out_type = number_type(size);
         c.in = s.put(noise(n, size, 1), size); c.out = s.take(n, size); c.count = n; c.op = GP_SUM),
    CASE("segmented reduce", GP_SEGMENTED_REDUCE, ALL, SCANNED; SEGMENTS),
    CASE("load balance", GP_LOAD_BALANCE, WORDS, c.out_type = number_type(size); c.out = s.take(n, size); c.count = n;
         SEGMENTS),
    CASE("segmented inclusive scan", GP_SEGMENTED_INCLUSIVE_SCAN, ALL, SCANNED; SEGMENTS),
    CASE("segmented exclusive scan", GP_SEGMENTED_EXCLUSIVE_SCAN, ALL, SCANNED; SEGMENTS),
    CASE("inclusive scan by key", GP_INCLUSIVE_SCAN_BY_KEY, KEYED, BY_KEY),
    CASE("exclusive scan by key", GP_EXCLUSIVE_SCAN_BY_KEY, KEYED, BY_KEY),
    CASE("reduce, stored", GP_REDUCE, ALL, SCANNED; c.out = s.take(1, size); c.apply = s.op(FLIP, size)),
    CASE("scan, stored", GP_INCLUSIVE_SCAN, ALL, SCANNED; c.apply = s.op(FLIP, size)),
    CASE("scan, stored as other numbers", GP_EXCLUSIVE_SCAN, NUMBERS, c.in_type = c.acc_type = number_type(size);
         c.in = s.put(noise(n, size, 1), size, Side::NUMBER); c.count = n; c.op = GP_SUM; c.apply = GP_NEGATE;
         c.out_type = GP_U16; c.out = s.take(n, 2, Side::NUMBER)),
    CASE("segmented reduce, stored", GP_SEGMENTED_REDUCE, ALL, SCANNED; SEGMENTS; c.apply = s.op(FLIP, size)),
    CASE("segmented scan, stored", GP_SEGMENTED_EXCLUSIVE_SCAN, ALL, SCANNED; SEGMENTS; c.apply = s.op(FLIP, size)),
    CASE("scan by key, stored", GP_INCLUSIVE_SCAN_BY_KEY, KEYED, BY_KEY; c.apply = s.op(FLIP, value)),
    CASE("reduce by key, stored", GP_REDUCE_BY_KEY, KEYED, BY_KEY; c.out_keys = s.take(n, size); COUNTED(1);
         c.apply = s.op(FLIP, value)),
    CASE("segmented scan, reproducible", GP_SEGMENTED_EXCLUSIVE_SCAN, WORDS, put_floats(s, c, size, n); SEGMENTS),
    CASE("scan by key, reproducible", GP_INCLUSIVE_SCAN_BY_KEY, WORDS, put_floats(s, c, size, n); NUMBER_KEYS;
         c.out_keys = nullptr),
    CASE("reduce by key", GP_REDUCE_BY_KEY, KEYED, BY_KEY; c.out_keys = s.take(n, size); COUNTED(1)),
    CASE("run lengths", GP_RUN_LENGTHS, ALL, KEYS; c.out_keys = s.take(n, size); c.out2_type = GP_U32;
         c.out2 = s.take(n, 4, Side::NUMBER); COUNTED(1)),
    CASE("nontrivial runs", GP_NONTRIVIAL_RUNS, ALL, KEYS; c.out2_type = GP_U32; c.out = s.take(n, 4, Side::NUMBER);
         c.out2 = s.take(n, 4, Side::NUMBER); COUNTED(1)),
    CASE("unique", GP_UNIQUE, ALL, KEYS; c.out_keys = s.take(n, size); COUNTED(1)),
    CASE("unique by key", GP_UNIQUE, KEYED, KEYS; VALUES; c.out_keys = s.take(n, size); COUNTED(1)),
    CASE("unique columns", GP_UNIQUE, KEYED, KEYS; VALUES; c.out_keys = s.take(n, size); COUNTED(1);
         put_run_columns(s, c, n)),
    CASE("sums of columns", GP_REDUCE_BY_KEY, ALL, KEYS; c.op = GP_SUM; c.in_type = c.out_type = GP_I16;
         c.in = s.put(noise(n, 2, 9), 2, Side::NUMBER); c.out = s.take(n, 2, Side::NUMBER);
         c.out_keys = s.take(n, size); COUNTED(1); put_run_columns(s, c, n)),
    CASE("adjacent difference", GP_ADJACENT_DIFFERENCE, ALL, IN_TO_OUT; c.op = s.op(DIFFER, size)),
    CASE("reverse", GP_REVERSE, ALL, IN_TO_OUT),
    CASE("reverse in place", GP_REVERSE, ALL, c.in_type = s.type(size); c.in = s.put(noise(n, size, 1), size);
         c.out = const_cast<void *>(c.in); c.count = n),
    CASE("swap", GP_SWAP, ALL, c.out_type = s.type(size); c.out = s.put(noise(n, size, 1), size);
         c.out3 = s.put(noise(n, size, 2), size); c.count = n),
    CASE("scatter", GP_SCATTER, ALL, IN_TO_OUT; SHUFFLED; c.key_type = GP_U8; c.keys = s.put(noise(n, 1, 4, 1))),
    CASE("gather", GP_GATHER, ALL, IN_TO_OUT; SHUFFLED),
    CASE("replace", GP_REPLACE, ALL, IN_TO_OUT; c.op = s.op(PICK, size);
         c.value = s.keep(std::array<char, 64>{5, 4, 3, 2, 1})),
    CASE("is partitioned", GP_IS_PARTITIONED, ALL, c.in_type = s.type(size); c.in = s.put(picked_first(n, size), size);
         c.count = n; c.op = s.op(PICK, size); c.out = s.take(1, 1)),
    CASE("partition point", GP_PARTITION_POINT, ALL, c.in_type = s.type(size); c.count = n; c.op = s.op(PICK, size);
         c.in = s.put(picked_first(n, size), size); COUNTED(1)),
    CASE("lexicographic", GP_LEXICOGRAPHIC, ALL, c.in_type = s.type(size); c.op = s.op(LESS, size); c.count = n;
         c.count2 = n; Bytes b = noise(n, size, 1); c.in = s.put(b, size); if (n) b[b.size() * 3 / 4] ^= 1;
         c.in2 = s.put(b, size); c.out = s.take(1, 4, Side::NUMBER)),
    CASE("expand", GP_EXPAND, ALL, put_runs(s, c, size, n)),
    CASE("run length expand", GP_RUN_LENGTH_EXPAND, ALL, put_runs(s, c, size, n); COUNTED(1)),
    CASE("copy batch", GP_COPY_BATCH, WORDS, put_batch(s, c, size, n)),
    CASE("select", GP_SELECT, ALL, IN_TO_OUT; c.op = s.op(PICK, size); COUNTED(1)),
    CASE("select flags", GP_SELECT, ALL, IN_TO_OUT; c.key_type = GP_U8; c.keys = s.put(noise(n, 1, 4, 1)); COUNTED(1)),
    CASE("partition", GP_PARTITION, ALL, IN_TO_OUT; c.op = s.op(PICK, size); c.out2 = s.take(n, size); COUNTED(2)),
    CASE("partition in three", GP_PARTITION, ALL, IN_TO_OUT; c.op = s.op(PICK, size); c.predicate2 = s.op(PICK2, size);
         c.out2 = s.take(n, size); c.out3 = s.take(n, size); COUNTED(3)),
    CASE("count if", GP_COUNT_IF, ALL, c.in_type = s.type(size); c.in = s.put(noise(n, size, 1), size); c.count = n;
         c.op = s.op(PICK, size); COUNTED(1)),
    CASE("any", GP_ANY, ALL, c.in_type = s.type(size); c.in = s.put(noise(n, size, 1, 254), size); c.count = n;
         c.op = s.op(PICK, size); c.out = s.take(1, 1)),
    CASE("all", GP_ALL, ALL, c.in_type = s.type(size); c.in = s.put(noise(n, size, 1), size); c.count = n;
         c.op = s.op(PICK, size); c.out = s.take(1, 1)),
    CASE("find if", GP_FIND_IF, ALL, c.in_type = s.type(size); c.in = s.put(noise(n, size, 1, 254), size); c.count = n;
         c.op = s.op(PICK, size); COUNTED(1)),
    CASE("mismatch", GP_MISMATCH, ALL, c.in_type = s.type(size); c.op = s.op(SAME, size); c.count = n;
         Bytes b = noise(n, size, 1); c.in = s.put(b, size); if (n) b[b.size() * 3 / 4] ^= 1; c.in2 = s.put(b, size);
         COUNTED(1)),
    CASE("equal arrays", GP_EQUAL_ARRAYS, ALL, c.in_type = s.type(size); c.op = s.op(SAME, size); c.count = n;
         Bytes b = noise(n, size, 1); c.in = s.put(b, size); if (n) b.back() ^= n % 2; c.in2 = s.put(b, size);
         c.out = s.take(1, 1)),
    CASE("adjacent find", GP_ADJACENT_FIND, ALL, c.in_type = s.type(size); c.op = s.op(SAME, size); c.count = n;
         Bytes b = noise(n, size, 3); size_t at = n * 3 / 4 * size_t(size);
         if (at) memcpy(&b[at], &b[at - size_t(size)], size_t(size)); c.in = s.put(b, size); COUNTED(1)),
    CASE("histogram even", GP_HISTOGRAM_EVEN, NUMBERS, c.in_type = number_type(size); c.out_type = GP_U32; c.bins = 77;
         c.in = s.put(numbers(n, size, 1), size); c.count = n; c.out = s.take(77, 4)),
    CASE("histogram ranges", GP_HISTOGRAM_RANGES, WORDS, c.in_type = number_type(size); c.out_type = GP_U32;
         c.bins = 32; c.in = s.put(numbers(n, size, 1), size); c.count = n; c.out = s.take(32, 4);
         std::vector<uint64_t> b; for (uint64_t i = 0; i <= 32; ++i) b.push_back(i << (size == 4 ? 26 : 58));
         c.begin = s.put(narrowed(b, size), size)),
    CASE("lower bound", GP_LOWER_BOUND, ALL, c.in_type = s.type(size); c.out_type = GP_U32; c.op = s.op(LESS, size);
         c.in = s.put(keys_of(n, size, 2), size); c.keys = s.put(sorted(keys_of(n / 2, size, 3), size), size);
         c.key_count = n / 2; c.count = n; c.out = s.take(n, 4, Side::NUMBER)),
    CASE("upper bound", GP_UPPER_BOUND, ALL, c.in_type = s.type(size); c.out_type = GP_U64; c.op = s.op(LESS, size);
         c.in = s.put(keys_of(n, size, 2), size); c.keys = s.put(sorted(keys_of(n / 2, size, 3), size), size);
         c.key_count = n / 2; c.count = n; c.out = s.take(n, 8, Side::NUMBER)),
    CASE("sort keys", GP_SORT, NUMBERS, NUMBER_KEYS),
    CASE("sort pairs", GP_SORT, PAIRS, NUMBER_KEYS; VALUES),
    CASE("argsort", GP_SORT, NUMBERS, NUMBER_KEYS; c.out_type = GP_U32; c.out = s.take(n, 4)),
    CASE("sort columns", GP_SORT_COLUMNS, NUMBERS, NUMBER_KEYS; put_columns(s, c, size, n, 0)),
    CASE("sort by columns", GP_SORT_COLUMNS, NUMBERS, put_columns(s, c, size, n, 3); c.out_type = GP_U32;
         c.out = s.take(n, 4, Side::NUMBER)),
    CASE("merge sort", GP_MERGE_SORT, ALL, c.key_type = s.type(size); c.op = s.op(LESS, size); c.count = n;
         c.keys = s.put(keys_of(n, size, 3), size); c.out_keys = s.take(n, size)),
    CASE("merge sort pairs", GP_MERGE_SORT, KEYED, c.key_type = s.type(size); c.op = s.op(LESS, size); c.count = n;
         c.keys = s.put(keys_of(n, size, 3), size); c.out_keys = s.take(n, size); VALUES),
    CASE("merge", GP_MERGE, ALL, TWO_SORTED(n + m)),
    CASE("merge by key", GP_MERGE, KEYED, TWO_SORTED(n + m)),
    CASE("set union", GP_SET_UNION, ALL, TWO_SORTED(n + m); COUNTED(1)),
    CASE("set union by key", GP_SET_UNION, KEYED, TWO_SORTED(n + m); COUNTED(1)),
    CASE("set intersection", GP_SET_INTERSECTION, ALL, TWO_SORTED(std::min(n, m)); COUNTED(1)),
    CASE("set difference by key", GP_SET_DIFFERENCE, KEYED, TWO_SORTED(n); COUNTED(1)),
    CASE("set intersection by key", GP_SET_INTERSECTION, KEYED, TWO_SORTED(std::min(n, m)); COUNTED(1)),
    CASE("set difference", GP_SET_DIFFERENCE, ALL, TWO_SORTED(n); COUNTED(1)),
    CASE("set symmetric difference by key", GP_SET_SYMMETRIC_DIFFERENCE, KEYED, TWO_SORTED(n + m); COUNTED(1)),
    CASE("set symmetric difference", GP_SET_SYMMETRIC_DIFFERENCE, ALL, TWO_SORTED(n + m); COUNTED(1)),
    CASE("is sorted", GP_IS_SORTED, ALL, c.key_type = s.type(size); c.op = s.op(LESS, size); c.count = n;
         Bytes k = sorted(keys_of(n, size, 3), size); k[k.size() * 3 / 4 / size_t(size) * size_t(size)] = 0;
         c.keys = s.put(k, size); COUNTED(1)),
    CASE("sort described keys", GP_SORT, NUMBERS, NUMBER_KEYS; describe(s, c.key_type, c.keys)),
    CASE("sort described pairs", GP_SORT, PAIRS, NUMBER_KEYS; VALUES; describe(s, c.key_type, c.keys);
         describe(s, c.in_type, c.in)),
    CASE("argsort described", GP_SORT, NUMBERS, NUMBER_KEYS; c.out_type = GP_U32; c.out = s.take(n, 4);
         c.out_keys = nullptr; describe(s, c.key_type, c.keys)),
    CASE("merge described values", GP_MERGE, KEYED, TWO_SORTED(n + m); describe_values(s, c)),
    CASE("merge described keys", GP_MERGE, ALL, TWO_SORTED(n + m); describe_keys(s, c)),
    CASE("top k of described", GP_TOP_K, NUMBERS, NUMBER_KEYS; c.rows = 1; c.k = std::min<size_t>(n, 50);
         c.out_keys = s.take(c.k, size); describe(s, c.key_type, c.keys)),
    CASE("top k of described, many", GP_TOP_K, PAIRS, NUMBER_KEYS; c.rows = 1; c.k = n / 2 + 1;
         c.out_keys = s.take(c.k, size, Side::NUMBER); c.in_type = c.out_type = s.type(value);
         c.in = s.put(noise(n, value, 2), value); c.out = s.take(c.k, value); c.out_type = GP_TYPE_DEFAULT;
         describe(s, c.in_type, c.in)),
    CASE("segmented sort of described", GP_SEGMENTED_SORT, PAIRS, NUMBER_KEYS; SEGMENTS; VALUES;
         describe(s, c.key_type, c.keys); describe(s, c.in_type, c.in)),
    CASE("segmented sort", GP_SEGMENTED_SORT, NUMBERS, NUMBER_KEYS; SEGMENTS),
    CASE("segmented sort of long segments", GP_SEGMENTED_SORT, NUMBERS, NUMBER_KEYS; c.offset_type = GP_U32;
         c.segments = 2; c.begin = s.put(std::vector<unsigned>{0, unsigned(n / 5), unsigned(n)})),
    CASE("segmented sort pairs", GP_SEGMENTED_SORT, PAIRS, NUMBER_KEYS; SEGMENTS; VALUES),
    CASE("top k", GP_TOP_K, NUMBERS, NUMBER_KEYS; c.rows = 1; c.k = std::min<size_t>(n, 50);
         c.out_keys = s.take(c.k, size)),
    CASE("top k, many", GP_TOP_K, NUMBERS, NUMBER_KEYS; c.rows = 1; c.k = n / 2 + 1; c.out_keys = s.take(c.k, size)),
    CASE("top k pairs", GP_TOP_K, PAIRS, NUMBER_KEYS; c.rows = 1; c.k = std::min<size_t>(n, 50);
         c.out_keys = s.take(c.k, size, Side::NUMBER); c.in_type = c.out_type = s.type(value);
         c.in = s.put(noise(n, value, 2), value); c.out = s.take(c.k, value)),
    CASE("top k indices", GP_TOP_K, NUMBERS, NUMBER_KEYS; c.rows = 1; c.k = std::min<size_t>(n, 50);
         c.out_type = GP_U32; c.out = s.take(c.k, 4)),
    CASE("top k values", GP_TOP_K, PAIRS, NUMBER_KEYS; c.rows = 1; c.k = std::min<size_t>(n, 50);
         c.in_type = c.out_type = s.type(value); c.in = s.put(noise(n, value, 2), value); c.out = s.take(c.k, value)),
    CASE("top k, values and indices", GP_TOP_K, PAIRS, NUMBER_KEYS; c.rows = 3; c.count = n / 3;
         c.k = std::min<size_t>(n / 3, 50); c.out_keys = s.take(c.rows * c.k, size, Side::NUMBER);
         c.in_type = c.out_type = s.type(value); c.in = s.put(noise(n, value, 2), value);
         c.out = s.take(c.rows * c.k, value); c.out2_type = GP_I64; c.out2 = s.take(c.rows * c.k, 8, Side::NUMBER)),
    CASE("top k, many values and indices", GP_TOP_K, PAIRS, NUMBER_KEYS; c.rows = 1; c.k = n / 2 + 1;
         c.out_keys = s.take(c.k, size, Side::NUMBER); c.in_type = c.out_type = s.type(value);
         c.in = s.put(noise(n, value, 2), value); c.out = s.take(c.k, value); c.out2_type = GP_U32;
         c.out2 = s.take(c.k, 4, Side::NUMBER)),
    CASE("top k of segments", GP_SEGMENTED_TOP_K, NUMBERS, NUMBER_KEYS; SEGMENTS; c.k = 7;
         c.out_keys = s.take(c.segments * c.k, size)),
    CASE("top k of long segments", GP_SEGMENTED_TOP_K, NUMBERS, NUMBER_KEYS; c.segments = 2;
         c.begin = s.put(std::vector<unsigned>{0, unsigned(n / 5), unsigned(n)}); c.offset_type = GP_U32; c.k = 50;
         c.out_keys = s.take(c.segments * c.k, size)),
    CASE("top k of segments, pairs", GP_SEGMENTED_TOP_K, PAIRS, NUMBER_KEYS; SEGMENTS; c.k = 9;
         c.out_keys = s.take(c.segments * c.k, size, Side::NUMBER); c.in_type = c.out_type = s.type(value);
         c.in = s.put(noise(n, value, 2), value); c.out = s.take(c.segments * c.k, value)),
    CASE("top k of segments, indices", GP_SEGMENTED_TOP_K, NUMBERS, NUMBER_KEYS; c.segments = 3;
         c.segment_length = n / 3; c.count = n / 3 * 3; c.k = 20; c.out_type = GP_U32;
         c.out = s.take(c.segments * c.k, 4); c.out_keys = nullptr),
    CASE("many of segments", GP_SEGMENTED_TOP_K, NUMBERS, NUMBER_KEYS; c.segments = 2;
         c.begin = s.put(std::vector<unsigned>{0, unsigned(n / 5), unsigned(n)}); c.offset_type = GP_U32; c.k = 1030;
         c.in2 = s.put(std::vector<unsigned>{1025, unsigned(n / 2)}); c.out_keys = s.take(c.segments * c.k, size)),
    CASE("many of segments, pairs", GP_SEGMENTED_TOP_K, PAIRS, NUMBER_KEYS; SEGMENTS; c.k = 1025;
         c.out_keys = s.take(c.segments * c.k, size, Side::NUMBER); c.in_type = c.out_type = s.type(value);
         c.in = s.put(noise(n, value, 2), value); c.out = s.take(c.segments * c.k, value)),
    CASE("top k of segments, values and indices", GP_SEGMENTED_TOP_K, PAIRS, NUMBER_KEYS; SEGMENTS; c.k = 9;
         c.in_type = c.out_type = s.type(value); c.in = s.put(noise(n, value, 2), value);
         c.out = s.take(c.segments * c.k, value); c.out2_type = GP_U64;
         c.out2 = s.take(c.segments * c.k, 8, Side::NUMBER); c.out_keys = nullptr),
    CASE("many of segments, values and indices", GP_SEGMENTED_TOP_K, PAIRS, NUMBER_KEYS; SEGMENTS; c.k = 1025;
         c.out_keys = s.take(c.segments * c.k, size, Side::NUMBER); c.in_type = c.out_type = s.type(value);
         c.in = s.put(noise(n, value, 2), value); c.out = s.take(c.segments * c.k, value); c.out2_type = GP_I32;
         c.out2 = s.take(c.segments * c.k, 4, Side::NUMBER)),
    CASE("many of segments, indices", GP_SEGMENTED_TOP_K, NUMBERS, NUMBER_KEYS; c.segments = 3;
         c.segment_length = n / 3; c.count = n / 3 * 3; c.k = 2000; c.out_type = GP_U32;
         c.out = s.take(c.segments * c.k, 4); c.out_keys = nullptr),
    CASE("many of described segments", GP_SEGMENTED_TOP_K, NUMBERS, NUMBER_KEYS; c.segments = 3;
         c.segment_length = n / 3; c.count = n / 3 * 3; c.k = 1100; c.out_type = GP_I64;
         c.out = s.take(c.segments * c.k, 8); c.out_keys = s.take(c.segments * c.k, size);
         describe(s, c.key_type, c.keys)),
    CASE("top k by an order", GP_TOP_K, ALL, c.key_type = s.type(size); c.op = s.op(LESS, size); c.count = n;
         c.keys = s.put(keys_of(n, size, 3), size); c.k = std::min<size_t>(n, 50); c.rows = 1;
         c.out_keys = s.take(c.k, size)),
    CASE("top k of rows by an order", GP_TOP_K, KEYED, c.key_type = s.type(size); c.op = s.op(LESS, size);
         c.count = n / 3; c.rows = 3; c.keys = s.put(keys_of(n, size, 3), size); c.k = std::min<size_t>(n / 3, 9);
         c.flags = GP_DESCENDING; c.out_keys = s.take(c.rows * c.k, size, Side::NUMBER);
         c.in_type = c.out_type = s.type(value); c.in = s.put(noise(n, value, 2), value);
         c.out = s.take(c.rows * c.k, value)),
    CASE("top k of segments by an order", GP_SEGMENTED_TOP_K, ALL, c.key_type = s.type(size); c.op = s.op(LESS, size);
         c.count = n; c.keys = s.put(keys_of(n, size, 3), size); SEGMENTS; c.k = 7; c.out_type = GP_U32;
         c.out = s.take(c.segments * c.k, 4, Side::NUMBER); c.out_keys = nullptr),
    CASE("many by an order", GP_TOP_K, KEYED, c.key_type = s.type(size); c.op = s.op(LESS, size); c.count = n;
         c.keys = s.put(keys_of(n, size, 3), size); c.k = n / 2 + 1; c.rows = 1; c.flags = GP_DESCENDING;
         c.out_keys = s.take(c.k, size, Side::NUMBER); c.in_type = c.out_type = s.type(value);
         c.in = s.put(noise(n, value, 2), value); c.out = s.take(c.k, value)),
    CASE("many of segments by an order", GP_SEGMENTED_TOP_K, ALL, c.key_type = s.type(size); c.op = s.op(LESS, size);
         c.keys = s.put(keys_of(n, size, 3), size); c.segments = 3; c.segment_length = n / 3; c.count = n / 3 * 3;
         c.k = 2000; c.out_type = GP_U32; c.out = s.take(c.segments * c.k, 4, Side::NUMBER);
         c.out_keys = s.take(c.segments * c.k, size)),
    CASE("values and indices by an order", GP_SEGMENTED_TOP_K, KEYED, c.key_type = s.type(size);
         c.op = s.op(LESS, size); c.count = n; c.keys = s.put(keys_of(n, size, 3), size); SEGMENTS; c.k = n / 2 + 1;
         c.out_keys = nullptr; c.in_type = c.out_type = s.type(value); c.in = s.put(noise(n, value, 2), value);
         c.out = s.take(c.segments * c.k, value); c.out2_type = GP_U32;
         c.out2 = s.take(c.segments * c.k, 4, Side::NUMBER)),
    CASE("nth element", GP_NTH_ELEMENT, NUMBERS, NUMBER_KEYS; c.n = n / 2; c.out_keys = s.take(1, size)),
    CASE("shuffle", GP_SHUFFLE, ALL, IN_TO_OUT; c.seed = 7),
    CASE("group by many", GP_GROUP_BY_MANY, ALL, put_aggregates(s, c, n); c.key_type = s.type(size);
         c.keys = s.put(keys_of(n, size, 5), size); c.out_keys = s.take(n, size); COUNTED(1)),
    CASE("group numbers by many", GP_GROUP_BY_MANY, NUMBERS, put_aggregates(s, c, n); NUMBER_KEYS;
         c.capacity = n / 2 + 1; COUNTED(1)),
    CASE("group numbers by many of one column", GP_GROUP_BY_MANY, NUMBERS, put_one_column(s, c, n, false); NUMBER_KEYS;
         COUNTED(1)),
    CASE("group numbers by many of none", GP_GROUP_BY_MANY, NUMBERS, put_one_column(s, c, n, true); NUMBER_KEYS;
         COUNTED(1)),
    CASE("distinct numbers", GP_DISTINCT, NUMBERS, NUMBER_KEYS; COUNTED(1)),
    CASE("count distinct numbers", GP_DISTINCT, NUMBERS, NUMBER_KEYS; c.out_keys = nullptr; COUNTED(1)),
    CASE("distinct", GP_DISTINCT, ALL, c.key_type = s.type(size); c.keys = s.put(keys_of(n, size, 5), size);
         c.out_keys = s.take(n, size); c.count = n; COUNTED(1)),
    CASE("distinct of described", GP_DISTINCT, ALL, put_described_keys(s, c, size, n); c.out_keys = s.take(n, size);
         COUNTED(1)),
    CASE("group by many described", GP_GROUP_BY_MANY, ALL, put_aggregates(s, c, n); put_described_keys(s, c, size, n);
         c.out_keys = s.take(n, size); COUNTED(1)),
    CASE("count distinct", GP_DISTINCT, ALL, c.key_type = s.type(size); c.keys = s.put(noise(n, size, 5), size);
         c.count = n; COUNTED(1)),
    CASE("inner join", GP_JOIN, ALL, put_join(s, c, size, n, GP_JOIN_INNER, GP_I64); COUNTED(1)),
    CASE("left join", GP_JOIN, ALL, put_join(s, c, size, n, GP_JOIN_LEFT, GP_U32); COUNTED(1)),
    CASE("semi join", GP_JOIN, ALL, put_join(s, c, size, n, GP_JOIN_SEMI, GP_U32); COUNTED(1)),
    CASE("anti join", GP_JOIN, ALL, put_join(s, c, size, n, GP_JOIN_ANTI, GP_I64); COUNTED(1)),
    CASE("contains", GP_JOIN, ALL, put_join(s, c, size, n, GP_JOIN_FLAGS, GP_TYPE_DEFAULT)),
    CASE("group by many of other types", GP_GROUP_BY_MANY, OTHERS, put_truths(s, c, n); OTHER_KEYS; COUNTED(1)),
    CASE("distinct of other types", GP_DISTINCT, WITH_COMPLEX, OTHER_KEYS; COUNTED(1)),
    CASE("join of other types", GP_JOIN, WITH_COMPLEX, put_join(s, c, size, n, GP_JOIN_INNER, GP_U32);
         c.key_type = other_type(size, value); c.keys2 = s.put(others(n / 3 + 2, size, value, 9), size, Side::NUMBER);
         c.keys = s.put(others(n, size, value, 5), size, Side::NUMBER); COUNTED(1)),
    CASE("scatter of other types", GP_SCATTER, WITH_COMPLEX, c.in_type = other_type(size, value); SHUFFLED;
         c.key_type = c.in_type; c.keys = s.put(others(n, size, value, 2), size, Side::NUMBER); c.op = GP_NOT_EQUAL;
         c.in = s.put(others(n, size, value, 1), size, Side::NUMBER); c.out = s.take(n, size, Side::NUMBER);
         c.count = n; c.scalar = s.keep(std::array<char, 64>{1})),
    CASE("lexicographic of other types", GP_LEXICOGRAPHIC, OTHERS, c.in_type = other_type(size, value);
         Bytes b = others(n, size, value, 1); c.in = s.put(b, size, Side::NUMBER); b[b.size() * 3 / 4] ^= 1;
         c.in2 = s.put(b, size, Side::NUMBER); c.count = c.count2 = n; c.out = s.take(1, 4, Side::NUMBER)),
    CASE("extremes of other types", GP_REDUCE, OTHERS, c.in_type = c.out_type = other_type(size, value);
         c.op = GP_MINMAX; c.in = s.put(others(n, size, value, 1), size, Side::NUMBER); c.count = n;
         c.out = s.take(2, size, Side::NUMBER)),
    CASE("rows of other types", GP_REDUCE_AXIS, WITH_COMPLEX, put_other_axes(s, c, size, value, n)),
    CASE("row map of other types", GP_ROW_MAP, WITH_COMPLEX, put_other_axes(s, c, size, value, n)),
    CASE("top k of segments of bool", GP_SEGMENTED_TOP_K, {1}, OTHER_KEYS; SEGMENTS; c.k = 7; c.out_keys = nullptr;
         c.out_type = GP_U32; c.out = s.take(c.segments * c.k, 4, Side::NUMBER)),
    CASE("group by", GP_GROUP_BY, NUMBERS, NUMBER_KEYS; c.in_type = c.out_type = GP_U32; c.op = GP_SUM;
         c.in = s.put(numbers(n, 4, 6), 4); c.out = s.take(n, 4); COUNTED(1)),
    CASE("group by, reproducible", GP_GROUP_BY, WORDS, put_floats(s, c, size, n); c.key_type = number_type(size);
         c.keys = s.put(keys_of(n, size, 5), size, Side::NUMBER); c.out_keys = s.take(n, size, Side::NUMBER);
         COUNTED(1)),
    CASE("group by, reproducible, without keys", GP_GROUP_BY, WORDS, put_floats(s, c, size, n);
         c.key_type = number_type(size); c.keys = s.put(keys_of(n, size, 5), size, Side::NUMBER); COUNTED(1)),
    CASE("check offsets", GP_CHECK_OFFSETS, WORDS, c.offset_type = number_type(size); c.segments = n; c.count = n / 2;
         c.begin = s.put(offsets_of(n, n, size), size); c.bad = static_cast<uint64_t *>(s.take(1, 8))),
    CASE("transpose", GP_TRANSPOSE, ALL, put_matrices(s, c, size, n / 60 + 1, 61, 1, false)),
    CASE("transpose of aligned rows", GP_TRANSPOSE, ALL, put_matrices(s, c, size, n / 64 / 16 * 16 + 16, 64, 1, false)),
    CASE("transpose of few rows", GP_TRANSPOSE, ALL, put_matrices(s, c, size, 9, n / 9 + 1, 1, false)),
    CASE("transpose of few columns", GP_TRANSPOSE, ALL, put_matrices(s, c, size, n / 3 + 1, 3, 1, false)),
    CASE("transpose of small matrices", GP_TRANSPOSE, ALL, put_matrices(s, c, size, 3, 5, n / 15 + 1, false)),
    CASE("transpose in place", GP_TRANSPOSE, ALL, put_matrices(s, c, size, 48, 48, n > 3000 ? 2 : 1, true)),
    CASE("transpose in place, dense", GP_TRANSPOSE, ALL, put_matrices(s, c, size, 48, n / 48 + 1, 1, true)),
    CASE("short rows", GP_REDUCE_AXIS, ALL, put_axes(s, c, size, 2, n / 60 + 1, 29, 2)),
    CASE("long rows", GP_REDUCE_AXIS, ALL, put_axes(s, c, size, 1, 2, n / 2 + 1, 2)),
    CASE("columns", GP_REDUCE_AXIS, ALL, put_axes(s, c, size, 2, n / 100 + 1, 51, 1)),
    CASE("few columns", GP_REDUCE_AXIS, ALL, put_axes(s, c, size, 1, n / 3 + 1, 3, 1)),
    CASE("row map", GP_ROW_MAP, ALL, put_axes(s, c, size, 2, n / 60 + 1, 29, 2)),
    CASE("map of long rows", GP_ROW_MAP, ALL, put_axes(s, c, size, 1, 2, n / 2 + 1, 2)),
    CASE("map of columns", GP_ROW_MAP, ALL, put_axes(s, c, size, 2, n / 100 + 1, 51, 1)),
    CASE("scan of short rows", GP_SCAN_AXIS, ALL, put_axes(s, c, size, 2, n / 60 + 1, 29, 2)),
    CASE("scan of long rows", GP_SCAN_AXIS, ALL, put_axes(s, c, size, 1, 2, n / 2 + 1, 2); c.flags = GP_EXCLUSIVE),
    CASE("scan of columns", GP_SCAN_AXIS, ALL, put_axes(s, c, size, 2, n / 100 + 1, 51, 1)),
    CASE("scan of few columns", GP_SCAN_AXIS, ALL, put_axes(s, c, size, 1, n / 3 + 1, 3, 1); c.flags = GP_EXCLUSIVE),
    CASE("sort rows", GP_SORT_AXIS, NUMBERS, put_ordered(s, c, size, 2, n / 60 + 1, 29, 2, false)),
    CASE("sort columns", GP_SORT_AXIS, NUMBERS, put_ordered(s, c, size, 2, n / 20 + 1, 9, 1, false)),
    CASE("sort crooked rows", GP_SORT_AXIS, NUMBERS, put_ordered(s, c, size, 3, n / 60 + 1, 19, 0, true)),
    CASE("top k of rows", GP_TOP_K_AXIS, NUMBERS, put_ordered(s, c, size, 1, 3, n / 3 + 1, 2, false)),
    CASE("many of rows", GP_TOP_K_AXIS, NUMBERS, put_ordered(s, c, size, 1, 2, 3100 + n / 16, 2, false)),
    CASE("many of columns", GP_TOP_K_AXIS, NUMBERS, put_ordered(s, c, size, 1, 3100 + n / 16, 3, 1, false)),
    CASE("many of crooked rows", GP_TOP_K_AXIS, NUMBERS, put_ordered(s, c, size, 2, 3080, 2, 1, true)),
    CASE("top k of columns", GP_TOP_K_AXIS, NUMBERS, put_ordered(s, c, size, 2, n / 20 + 1, 9, 1, false)),
    CASE("top k of crooked rows", GP_TOP_K_AXIS, NUMBERS, put_ordered(s, c, size, 3, n / 60 + 1, 19, 1, true)),
    CASE("top k of columns by an order", GP_TOP_K_AXIS, ALL, put_ordered(s, c, size, 2, n / 20 + 1, 9, 1, false, true)),
    CASE("top k of crooked rows by an order", GP_TOP_K_AXIS, ALL,
         put_ordered(s, c, size, 3, n / 60 + 1, 19, 1, true, true);
         c.flags = GP_DESCENDING),
    CASE("many of rows by an order", GP_TOP_K_AXIS, ALL, put_ordered(s, c, size, 1, 2, 3100 + n / 16, 2, false, true);
         c.flags = GP_DESCENDING),
    CASE("many of crooked rows by an order", GP_TOP_K_AXIS, ALL, put_ordered(s, c, size, 2, 3080, 2, 1, true, true)),
    CASE("segmented sort of one length", GP_SEGMENTED_SORT, NUMBERS, NUMBER_KEYS; c.segments = 3;
         c.segment_length = n / 3; c.count = n / 3 * 3; c.out_type = GP_U32; c.out = s.take(n, 4)),
    CASE("convert layout", GP_CONVERT_LAYOUT, WORDS, static const gp_field fields[] = {{0, 4}, {4, 2}};
         gp_layout *l = s.keep(gp_layout_init()); l->width = GP_AOS; l->size = 8; l->fields = fields;
         l->field_count = 2; c.in_layout = l; gp_layout *o = s.keep(*l); o->width = size == 4 ? GP_SOA : 32;
         o->size = 6; c.out_layout = o; c.in = s.put(noise(n, 8, 1), 8); c.out = s.take((n + 31) / 32 * 32, 6);
         c.count = n),
    CASE("bfs", GP_BFS, WORDS, put_graph(s, c, size, unsigned(n / 8 + 20), true); c.out = s.take(c.graph->vertices, 4)),
    CASE("bfs, directed", GP_BFS, WORDS, put_graph(s, c, size, unsigned(n / 8 + 20), false); c.flags = GP_REPRODUCIBLE;
         c.out = s.take(c.graph->vertices, 4); c.out2 = s.take(c.graph->vertices, size)),
    CASE("bfs sources", GP_BFS_SOURCES, WORDS, put_graph(s, c, size, unsigned(n / 32 + 20), true); c.count = 5;
         c.sources = s.keep(std::array<uint64_t, 5>{0, 3, 7, 3, 19})->data(); c.out = s.take(5 * c.graph->vertices, 4)),
    CASE("connected components", GP_CONNECTED_COMPONENTS, WORDS, put_graph(s, c, size, unsigned(n / 8 + 20), true);
         c.out = s.take(c.graph->vertices, size); COUNTED(1)),
    CASE("graph from edges", GP_GRAPH_FROM_EDGES, WORDS, const unsigned v = unsigned(n / 8 + 20);
         std::vector<uint64_t> ends[2]; for (size_t i = 0; i < 2 * n; ++i) ends[i % 2].push_back(mix(i) % v);
         c.in_type = number_type(size); c.count = n; c.flags = GP_SYMMETRISE | GP_UNIQUE_EDGES;
         c.in = s.put(narrowed(ends[0], size), size); c.in2 = s.put(narrowed(ends[1], size), size);
         c.bad = static_cast<uint64_t *>(s.take(1, 8)); c.out_graph = take_graph(s, size, v, 2 * n)),
    CASE("graph transpose", GP_GRAPH_TRANSPOSE, WORDS, put_graph(s, c, size, unsigned(n / 8 + 20), false);
         const gp_graph *in = take_graph(s, size, c.graph->vertices, c.graph->edges); gp_graph *g = s.keep(*c.graph);
         g->in_offsets = in->offsets; g->in_sources = in->targets; c.graph = g),
    CASE("graph relabel", GP_GRAPH_RELABEL, WORDS, put_graph(s, c, size, unsigned(n / 8 + 20), false);
         c.out_graph = take_graph(s, size, c.graph->vertices, c.graph->edges); c.out = s.take(c.graph->vertices, size);
         c.out2 = s.take(c.graph->vertices, size)),
    CASE("bfs check", GP_BFS_CHECK, WORDS, put_graph(s, c, size, unsigned(n / 8 + 20), true);
         c.in = s.put(std::vector<int>(size_t(c.graph->vertices), 1)); c.out = s.take(1, sizeof(gp_fault))),
    CASE("graph degrees", GP_GRAPH_DEGREES, WORDS, put_graph(s, c, size, unsigned(n / 8 + 20), true);
         c.out = s.take(1, sizeof(gp_degrees))),
    CASE("graph check", GP_GRAPH_CHECK, WORDS, put_graph(s, c, size, unsigned(n / 8 + 20), true);
         c.out = s.take(1, sizeof(gp_fault))),
};

// ---- jobs

struct Job {
  const Case *what;
  int size, shift;
  gp_policy policy; // as given
  std::string name;
};
static std::string text_of(const gp_policy &p) {
#define NAME(NAME, value) #NAME,
  static const char *const algorithms[] = {"AUTO", GP_ALGORITHMS(NAME)};
#undef NAME
  std::string text;
  gp_policy q = p;
  for (const gp__field *f = gp__fields_all; f->name; ++f) {
    const int value = *gp__field_of(&q, f);
    if (!value) continue;
    text += std::string(text.empty() ? "" : ",") + f->name + "=";
    text +=
        std::string(f->name) == "algorithm" && value < GP_ALGORITHM_COUNT ? algorithms[value] : std::to_string(value);
  }
  return text;
}
static const size_t LONG = 3001, SHORT = 70;
static gp_call build(Side &s, const Case &what, int size, int shift, size_t n) {
  s.release();
  s.shift = shift, s.strictest = 1, s.placed = n == SHORT;
  gp_call c = gp_call_init(what.primitive);
  what.build(s, c, size % 100, size / 100, n);
  return c;
}
// ---- static_asserts of kernels, with the part of each that depends on a policy

typedef bool (*Holds)(const gp_policy &p, const gp__shape &s);
static bool always(const gp_policy &, const gp__shape &) {
  return true;
} // of types and constants, or of users' kernels
static bool sorts(const gp__shape &s, const gp_policy &p, int algorithm) {
  return s.primitive == GP_SORT && p.algorithm == algorithm;
}
static bool moves_levels(const gp__shape &s, const gp_policy &p) {
  return sorts(s, p, GP_HYBRID) || sorts(s, p, GP_ADAPTIVE);
}
static bool is_tile_shape(int threads, int items, int log2_bins) {
  return (items & (items - 1)) == 0 && items >= 8 && (1 << log2_bins) % 128 == 0 && threads * items < 65536;
}
static const struct {
  const char *message;
  Holds holds;
} ASSERTED[] = {
    {"a bit cast keeps the size", always},
    {"positions have 16 bits", always},
    {"shape of a tile",
        [](const gp_policy &p, const gp__shape &s) {
          if (s.primitive == GP_SEGMENTED_SORT && gp__long_binned_of(p, &s))
            return is_tile_shape(
                gp__long_threads_of(p, &s), gp__long_binned_of(p, &s), gp__long_log2_bins(gp__long_capacity(p, &s)));
          const int most = gp__one_block_items(p.vectors);
          return !sorts(s, p, GP_ONE_BLOCK) ||
              is_tile_shape(p.threads, most, gp__one_block_log2_bins(p.threads * most));
        }},
    {"rows and columns of a tile are whole 16 bytes", always},
    {"what the flags leave is laid out at once",
        [](const gp_policy &p, const gp__shape &) { return p.threads <= 1 << 20; }},
    {"SLOTS is a power of two", always},
    {"a field lies aligned in its struct", always},
    {"keys of a thread", always},
    {"shared memory", always}, // five of them: sizes given by both rules and structs
    {"a thread counts two digits at most",
        [](const gp_policy &p, const gp__shape &s) {
          const int family = gp__family_of(s.primitive); // of sorts alone
          return !gp__is_cooperative(p.algorithm) || !s.key_size || family == GP__FAMILY_STREAM || p.threads >= 128;
        }},
    {"the size of a part", always},
    {"the size of an item", always},
    {"a thread a digit",
        [](const gp_policy &p, const gp__shape &s) { return !moves_levels(s, p) || p.threads >= 256; }},
    {"slots have 16 bits",
        [](const gp_policy &p, const gp__shape &s) {
          const int items = gp__hybrid_vector_items(p, &s);
          return !moves_levels(s, p) || s.in_size || (p.threads * items < 65536 && items % 2 == 0);
        }},
    {"the shape of a tile",
        [](const gp_policy &p, const gp__shape &s) {
          const int items = gp__radix_items(p.vectors, s.key_size);
          return !moves_levels(s, p) || !s.in_size || (p.threads * items < 65536 && items % 2 == 0);
        }},
    {"vectors of a thread", always},
    {"places", always},
    {"places; none is all ones", always},
    {"what is left out of keys", always},
    {"counters overflow", always}, // of gp__counting_threads and gp__counting_vectors
    {"a value a thread", always},
    {"they lie in the same place", always},
    {"the struct of a zipped input has other members", always}, // of types alone
    {"a policy's shared memory has room for positions of this size", always},
    {"1 to 32 lanes", always}, // routines for kernel authors, as all below
    {"ITEMS is a multiple of 16 / sizeof(T)", always},
    {"1, 2, 4, 8, 16 or 32 lanes", always},
    {"a result a lane, of 1, 2, 4, 8, 16 or 32 lanes", always},
    {"places have 16 bits", always},
    {"whole warps", always},
};
// The table and the header name the same ones.
static void check_assertions() {
  std::ifstream file("gpuprims.h");
  std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t end = text.find("// >>driver -"), begin = text.find("// >>machine -");
  check(begin != std::string::npos && end != std::string::npos, "the header's marks");
  std::set<std::string> said, listed;
  for (size_t at = text.find("static_assert(", begin); at < end; at = text.find("static_assert(", at + 1)) {
    const size_t close = text.find(");", at), first = text.rfind(" \"", close);
    said.insert(text.substr(first + 2, close - first - 3));
  }
  for (const auto &a : ASSERTED) listed.insert(a.message);
  for (const std::string &m : said) check(listed.count(m) != 0, "ASSERTED lacks the static_assert \"" + m + "\"");
  for (const std::string &m : listed) check(said.count(m) != 0, "the header has no static_assert \"" + m + "\"");
}
static void check_asserted(Side &s, const gp_call &c, const gp_policy &p, const std::string &name) {
  gp__request q;
  gp__state *state = s.ctx->state;
  if (!state || gp__check_call(state, "test", &c, 0, 0, &q)) return check(false, name + ": " + gp_last_message());
  gp__shape h = gp__shape_of(&q);
  gp__shape_on(&h, &state->about);
  for (const auto &a : ASSERTED)
    if (!a.holds(p, h)) check(false, name + " " + text_of(p) + ": accepted, but not \"" + a.message + "\"");
}

// Whether the policy is accepted. If it is not, the message must name a given field.
static bool accepted(Side &s, gp_call c, gp_policy p, gp_policy *resolved, const std::string &name) {
  gp_policy_source source;
  c.policy = &p;
  const gp_result r = gp_policy_origin(s.ctx, &c, resolved, &source);
  if (r == GP_SUCCESS) {
    gp_policy read = gp__canonical(*resolved); // fields that the algorithm reads
    for (const gp__field *f = gp__fields_all; f->name; ++f) // never a silent change of plan
      if (*gp__field_of(&p, f) && *gp__field_of(&read, f) && *gp__field_of(&p, f) != *gp__field_of(resolved, f))
        check(false, name + " " + text_of(p) + " becomes " + text_of(*resolved));
    check_asserted(s, c, *resolved, name);
    return true;
  }
  bool named = false;
  for (const gp__field *f = gp__fields_all; f->name; ++f)
    if (*gp__field_of(&p, f) && strstr(gp_last_message(), ("policy." + std::string(f->name)).c_str())) named = true;
  if (strstr(gp_last_message(), "this policy does not give the same bits")) named = true;
  check((r == GP_E_POLICY || (r == GP_E_UNSUPPORTED && c.flags & GP_REPRODUCIBLE)) && named,
      name + " " + text_of(p) + " is refused: " + gp_last_message());
  return false;
}
static std::vector<int> candidates(const std::string &field) {
  std::vector<int> v;
  if (field == "threads") {
    for (int t = 16; t <= 1056; t += 16) v.push_back(t);
  } else if (field == "alpha") v = {-2, -1, 1, 64, 1 << 20, (1 << 20) + 1};
  else if (field == "beta") v = {-1, 1, 32, 1 << 20, (1 << 20) + 1};
  else if (field == "small") v = {-1, 1, 2, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  else if (field == "look") v = {-1, 1, 64, 1 << 30};
  else
    for (int i = -1; i <= 66; ++i) v.push_back(i);
  v.erase(std::remove(v.begin(), v.end(), 0), v.end());
  return v;
}

static std::vector<Job> jobs_of(Side &s, const Case &what, int size, int shift) {
  std::vector<Job> jobs;
  std::set<std::string> seen;
  const gp_call c = build(s, what, size, shift, LONG);
  const std::string name = std::string(what.name) + "/" + std::to_string(size) + "/" + std::to_string(shift);
  const auto add = [&](const gp_policy &p) {
    gp_policy resolved;
    if (!accepted(s, c, p, &resolved, name)) return false;
    if (seen.insert(text_of(resolved)).second) jobs.push_back({&what, size, shift, p, name + "/" + text_of(p)});
    return true;
  };
  const gp__field *fields = gp__fields_of(what.primitive);
  for (int algorithm = 1; algorithm <= 64; ++algorithm) {
    gp_policy base;
    memset(&base, 0, sizeof base);
    base.algorithm = algorithm;
    if (!add(base)) continue;
    std::vector<int> ends[2]; // of threads, of vectors
    for (const gp__field *f = fields; f->name; ++f) {
      const std::string field = f->name;
      if (field == "algorithm") continue;
      int least = 0, most = 0, odd = 0;
      for (int value : candidates(field)) {
        gp_policy p = base, resolved;
        *gp__field_of(&p, f) = value;
        if (!accepted(s, c, p, &resolved, name)) continue;
        if (!least) least = value;
        most = value;
        if (!odd && (value & (value - 1))) odd = value;
      }
      for (int value : {least, odd, most}) {
        gp_policy p = base;
        *gp__field_of(&p, f) = value;
        if (!value) continue;
        add(p);
        if (field == "threads") ends[0].push_back(value);
        if (field == "vectors") ends[1].push_back(value);
      }
    }
    for (int threads : ends[0])
      for (int vectors : ends[1]) {
        gp_policy p = base;
        p.threads = threads, p.vectors = vectors;
        add(p);
      }
    for (int threads : ends[0]) // as many vectors as go with them
      for (int vectors = 16; vectors >= 1; --vectors) {
        gp_policy p = base;
        p.threads = threads, p.vectors = vectors;
        if (add(p)) break;
      }
  }
  return jobs;
}

// The fault, or nothing.
static std::string run(Side &device, Side &host, const Job &job, uint64_t seed) {
  simt::config.watchdog_s = 240; // launches of up to ten seconds share the processors with other programs
  for (size_t n : {LONG, SHORT}) {
    const std::string where = job.name + ", n = " + std::to_string(n) + ": ";
    gp_call on_device = build(device, *job.what, job.size, job.shift, n);
    gp_policy resolved;
    gp_policy_source source;
    on_device.policy = &job.policy;
    if (n != LONG && gp_policy_origin(device.ctx, &on_device, &resolved, &source)) continue; // for more elements
    const gp_call on_host = build(host, *job.what, job.size, job.shift, n);
    if (gp_run(host.ctx, &on_host, nullptr)) return where + "on the host: " + gp_last_message();
    simt::set_random_schedule(seed);
    if (gp_run(device.ctx, &on_device, nullptr)) return where + simt::error() + gp_last_message();
    if (!simt::error().empty()) return where + simt::error();
    for (size_t i = 0; i < device.buffers.size(); ++i) {
      const Side::Buffer &a = device.buffers[i], &b = host.buffers[i];
      if (a.differs) continue;
      const size_t front = size_t(a.data - a.block), all = front + a.bytes + Side::BEHIND;
      const size_t at = size_t(std::mismatch(a.block, a.block + all, b.block).first - a.block);
      if (at < all)
        return where + "buffer " + std::to_string(i) + ", byte " + std::to_string(long(at) - long(front)) + " of " +
            std::to_string(a.bytes);
    }
  }
  return "";
}
// Runs in its own process, which a kernel's bad write may end.
static void run_apart(Side &device, Side &host, const Job &job, uint64_t seed) {
  fflush(stdout);
  const pid_t child = fork();
  if (!child) {
    device.open(), host.open();
    const std::string wrong = run(device, host, job, seed);
    if (!wrong.empty()) printf("FAILED: %s\n", wrong.c_str()), fflush(stdout);
    _exit(!wrong.empty());
  }
  int status = 0;
  waitpid(child, &status, 0);
  ++(status ? failed : passed);
  const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (number)
    printf("FAILED: %s: ended by signal %d%s\n", job.name.c_str(), number,
        number == SIGILL ? ", of an access that is not aligned" : "");
}

// Compiles a job's kernels with NVRTC; the process keeps kernels of other jobs. A policy valid on the emulated device
// may be invalid for gp_compile, which does not know the number of multiprocessors: *refused counts those.
static void compile_job(Side &compiler, const Job &job, int capability, unsigned long *refused) {
  gp_call c = build(compiler, *job.what, job.size, job.shift, LONG);
  c.policy = &job.policy;
  unsigned images = 0;
  const auto take = [](void *user, const char *, const void *, size_t) { ++*static_cast<unsigned *>(user); };
  const gp_result r = gp_compile(compiler.ctx, &c, capability, take, &images);
  if (r == GP_E_NO_COMPILER) {
    printf("skipped: kernels under the compiler: no NVRTC: pip install nvidia-cuda-nvrtc\n");
    printf("%lu passed, %lu failed, 1 skipped\n", passed, failed);
    std::exit(failed != 0);
  }
  if (r == GP_E_POLICY) ++*refused;
  else
    check(r == GP_SUCCESS && images,
        job.name + ", compute capability " + std::to_string(capability) + ": " + (r ? gp_last_message() : "no kernel"));
}

// Policies that were once accepted wrongly, and others with as few threads: in every turn.
static const char *const ALWAYS[] = {
    "unique/64/0/algorithm=LOOK_BACK,threads=32",
    "reduce by key/1633/0/algorithm=LOOK_BACK,threads=32,vectors=16",
    "inclusive scan by key/6404/0/algorithm=LOOK_BACK,threads=32",
    "bfs/4/0/algorithm=EXPAND_CONTRACT,threads=32",
    "bfs/4/0/algorithm=CONTRACT_EXPAND,threads=32",
    "bfs sources/4/0/algorithm=EXPAND_CONTRACT,threads=32",
    "sort keys/4/0/algorithm=ONE_CLUSTER,threads=128",
    "sort pairs/804/2/algorithm=HYBRID",
    "transform/8/2/algorithm=DIRECT,threads=32",
    "unique/2/2/algorithm=PIPELINED,threads=512,vectors=1",
    "argsort/4/0/algorithm=ONE_LAUNCH,threads=128",
};

// `few` compiles one in this many of the cases.
enum { COMPILED_SHARE = 8 };
static int size_of_tile(const Job &j) { return j.policy.threads * j.policy.vectors; }

// capability: the device that kernels are compiled for; 0: they run.
static void try_policies(int argc, char **argv, int capability) {
  const bool compiles = capability != 0;
  if (compiles) fake::machine.capability = capability, fake::machine.shared_bytes = gp__shared_bytes_of(capability);
  const std::string mode = argc > 1 ? argv[1] : "all";
  const bool few = mode == "few", many = mode == "many", all_of_them = !few && !many;
  const std::string only = argc > 3 - all_of_them ? argv[3 - all_of_them] : "";
  const unsigned long number = !all_of_them && argc > 2 ? strtoul(argv[2], nullptr, 10) : 0;
  const bool one = only.find('=') != std::string::npos;
  Side device(true), host(false);
  device.open();
  std::set<std::string> always;
  if (only.empty() && !compiles) always.insert(std::begin(ALWAYS), std::end(ALWAYS));
  std::vector<Job> jobs;
  unsigned long accepted_ones = 0;
  for (const Case &c : cases) {
    std::vector<std::pair<int, int>> groups; // sizes, and where buffers begin, if that differs
    for (int size : c.sizes) {
      build(device, c, size, Side::ALIGNED, SHORT);
      const int shifts = device.strictest > 2 ? Side::LOOSE : device.strictest > 1 ? Side::HALF : Side::BEHIND_ONE;
      for (int shift = 0; shift <= shifts; ++shift) groups.push_back({size, shift});
    }
    const size_t turn = mix(number + groups.size()) % groups.size();
    if (few && compiles && c.primitive != GP_GRAPH_TRANSPOSE && (size_t(&c - cases.data()) + number) % COMPILED_SHARE)
      continue;
    for (size_t g = 0; g < groups.size(); ++g) {
      const int size = groups[g].first, shift = groups[g].second;
      const std::string name = std::string(c.name) + "/" + std::to_string(size) + "/" + std::to_string(shift) + "/";
      const auto in_group = [&name](const std::string &job) { return job.compare(0, name.size(), name) == 0; };
      if (one ? !in_group(only) : (name.find(only) == std::string::npos)) continue;
      const bool mine = !few || g == turn;
      if (!mine && std::none_of(always.begin(), always.end(), in_group)) continue;
      std::vector<Job> all = jobs_of(device, c, size, shift);
      accepted_ones += all.size();
      const size_t whose_turn = mix(number + g) % all.size();
      const auto larger = [](const Job &x, const Job &y) { return size_of_tile(x) < size_of_tile(y); };
      const size_t largest = size_t(std::max_element(all.begin(), all.end(), larger) - all.begin());
      for (size_t i = 0; i < all.size(); ++i) {
        const bool sampled = mine && ((!few && !many) || i == whose_turn || (compiles && i == largest));
        if (one ? all[i].name == only : sampled || always.count(all[i].name)) {
          always.erase(all[i].name);
          jobs.push_back(std::move(all[i]));
        }
      }
    }
  }
  for (const std::string &name : always) check(false, name + " is not accepted, or its name has changed");
  if (compiles) {
    unsigned long refused = 0;
    host.open(true);
    for (const Job &j : jobs)
      if (has_turn()) compile_job(host, j, fake::machine.capability, &refused);
    printf("compute capability %d: %zu of %lu accepted policies, %lu of them refused by gp_compile\n", capability,
        jobs.size(), accepted_ones, refused);
    host.close(), device.close();
    return;
  }
  device.close(); // each job opens its own: a context does not survive a fork
  for (const Job &j : jobs) {
    if (!has_turn()) continue;
    uint64_t h = 0;
    for (char x : j.name) h = mix(h ^ static_cast<unsigned char>(x));
    run_apart(device, host, j, h % 97);
  }
  printf("%zu of %lu accepted policies ran\n", jobs.size(), accepted_ones);
}

// The library's own choice is valid: for every case, size and architecture, of few elements and many, without rows of
// the table. On a device with little shared memory too.
static void try_defaults() {
  static const gp__table no_rows = gp__table();
  const int was = fake::machine.capability, had = fake::machine.shared_bytes, few = fake::machine.multiprocessors;
  fake::machine.multiprocessors = 132;
  for (int capability : {75, 80, 86, 90, 100, 120}) {
    fake::machine.capability = capability, fake::machine.shared_bytes = gp__shared_bytes_of(capability);
    Side device(true);
    device.open();
    for (const Case &what : cases)
      for (int size : what.sizes) {
        if (!has_turn()) continue;
        const gp_call c = build(device, what, size, Side::ALIGNED, LONG);
        const std::string name =
            std::string(what.name) + "/" + std::to_string(size) + ", " + std::to_string(capability);
        gp__request q;
        if (gp__check_call(device.ctx->state, "tests", &c, 0, 0, &q)) {
          check(false, name + ": " + gp_last_message());
          continue;
        }
        for (uint64_t count : {q.count, uint64_t(1) << 20, uint64_t(1) << 30}) {
          gp__shape h = gp__shape_of(&q);
          gp_policy policy;
          gp_policy_source source;
          gp__shape_on(&h, &device.ctx->state->about);
          h.count = count;
          const gp_result r = gp__choose("tests", nullptr, &h, &no_rows, &policy, &source);
          check(r == GP_SUCCESS, name + ", " + std::to_string(count) + ": " + (r ? gp_last_message() : ""));
        }
      }
    // Asked without buffers, a call for distinct elements plans both sorts: with places, and, to count, without.
    gp_call distinct = gp_call_init(GP_DISTINCT);
    gp__request q, calls[GP__CALLS_MAX];
    int count = 0, alone = 0, placed = 0;
    distinct.key_type = GP_U8, distinct.count = 4097;
    check(!gp__check_call(device.ctx->state, "tests", &distinct, 0, 0, &q) &&
            !gp__composition_of(&q)->calls(device.ctx->state, &q, calls, &count),
        "distinct plans its calls");
    for (int i = 0; i < count; ++i)
      if (calls[i].primitive == GP_SORT && calls[i].key_size == 1) ++(calls[i].out_size ? placed : alone);
    check(alone == 1 && placed == 1,
        "distinct: " + std::to_string(alone) + " sorts of keys alone, " + std::to_string(placed) + " with places");
    device.close();
  }
  fake::machine.capability = was, fake::machine.shared_bytes = had, fake::machine.multiprocessors = few;
}

int main(int argc, char **argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  fake::compiler = emulated::compile;
  emulated::folder();
  check_assertions();
  if (argc < 2 || strcmp(argv[1], "compile")) try_defaults();
  if (argc > 2 && !strcmp(argv[1], "compile")) {
    std::istringstream capabilities(argv[2]);
    for (std::string one; std::getline(capabilities, one, ',');) try_policies(argc - 2, argv + 2, std::stoi(one));
  } else try_policies(argc, argv, 0);
  if (cases_waiting) printf("waiting: %lu\n", cases_waiting);
  printf("%lu passed, %lu failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
