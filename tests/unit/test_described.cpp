// test_described.cpp - every call and every input that its descriptor lists: described, it is what it is as an array,
// or it is refused for the reason that `refused` gives. On the emulated driver, which runs the library's own programs,
// and on the host back end (C++17). Usage: PROGRAM [name of a group].
#include "dispatch_test.h"

#include "emulated_compiler.h"

#include <list>
#include <memory>

enum { N = 200, SHORT = N - 9, ROOM = 16384, INPUTS = 4 };
static const char *const input_names[INPUTS] = {"in", "in2", "keys", "keys2"};

// Memory of one back end. Each input has its elements, and the same ones in another order.
struct Memory {
  bool host;
  std::vector<void *> blocks;
  explicit Memory(bool on_host) : host(on_host) {}
  Memory(const Memory &) = delete;
  ~Memory() {
    for (void *block : blocks)
      if (host) free(block);
      else simt::device_free(block);
  }
  template<class T> T *room(size_t bytes = ROOM) {
    void *block = host ? malloc(bytes) : simt::device_malloc(bytes);
    blocks.push_back(block);
    return static_cast<T *>(block);
  }
  void write(void *to, const void *from, size_t bytes) {
    if (host) memcpy(to, from, bytes);
    else simt::host_write(static_cast<unsigned char *>(to), static_cast<const unsigned char *>(from), bytes);
  }
  template<class T> T *with(const std::vector<T> &v) {
    T *to = room<T>();
    write(to, v.data(), v.size() * sizeof(T));
    return to;
  }
};

// A case: a call by arrays, and a name.
struct Case {
  std::string name;
  gp_call call;
};
static size_t size_of(gp_type t) { return gp__type_rows[t].size; }

// The type of an input; of those without one of their own that which they share.
static gp_type type_of(const gp_call &c, int input) {
  const bool second = (gp__reads(c.primitive) & GP__READS_IN2_TYPE) && c.in2_type;
  return input == 0 ? c.in_type : input == 1 ? second ? c.in2_type : c.in_type : c.key_type ? c.key_type : c.in_type;
}
static const void **pointer_of(gp_call &c, int input) {
  return input == 0 ? &c.in : input == 1 ? &c.in2 : input == 2 ? &c.keys : &c.keys2;
}
static bool shares(gp_primitive p, int input) { // its type is that of another input
  return input == 3 || (input == 1 && !(gp__reads(p) & GP__READS_IN2_TYPE));
}
// The inputs that a descriptor lists, with a type.
static bool lists(gp_primitive p, int input) {
  const uint64_t reads = gp__reads(p), own[INPUTS] = {GP__READS_IN, GP__READS_IN2, GP__READS_KEYS, GP__READS_KEYS2};
  const uint64_t types = input > 1 ? GP__READS_KEY_TYPE
      : input ? GP__READS_IN2_TYPE | GP__READS_IN_TYPE
      : GP__READS_IN_TYPE;
  return (reads & own[input]) && (reads & types);
}
// The elements of an input do not end at a count in device memory.
static bool ends_elsewhere(gp_primitive p, int input) {
  return input == 3 || (input == 0 && (p == GP_EXPAND || p == GP_RUN_LENGTH_EXPAND)) ||
      (input == 1 && (gp__reads(p) & GP__READS_COUNT2)) || (input == 2 && (p == GP_LOWER_BOUND || p == GP_UPPER_BOUND));
}

// Why a call does not take an input that is described. Every other input is taken.
struct Refused {
  gp_primitive primitive;
  int input;
  const char *message;
};
static const char *const reads_array = "is GP_INPUT: this call reads an array there, no described input";
static const Refused refused[] = {
    {GP_GATHER, 0,
        "in_type is GP_INPUT: this call takes described indices, not elements"}, // describe the gather itself
    // The strides of their arguments describe the input.
    {GP_TRANSPOSE, 0, reads_array},
    {GP_REDUCE_AXIS, 0, reads_array},
    {GP_ROW_MAP, 0, reads_array},
    {GP_SCAN_AXIS, 0, reads_array},
    {GP_SORT_AXIS, 2, reads_array},
    {GP_TOP_K_AXIS, 2, reads_array},
    // They read several columns, and edges.
    {GP_SORT_COLUMNS, 2, reads_array},
    {GP_GRAPH_FROM_EDGES, 0, "in_type"},
    {GP_GRAPH_FROM_EDGES, 1, "in_type"},
    // Numbers of results.
    {GP_SEGMENTED_TOP_K, 1, nullptr},
};
static const Refused *refusal(gp_primitive p, int input) {
  for (const Refused &r : refused)
    if (r.primitive == p && r.input == input) return &r;
  return nullptr;
}

// Calls with values in the sample's places.
struct Places {
  Memory &m;
  std::vector<float> x, y, rising;
  std::vector<int> keys, more_keys, offsets, lengths;
  std::vector<unsigned> index;
  std::vector<unsigned char> flags;
  float *dx, *dy, *drising;
  int *dkeys, *dmore, *doffsets, *dlengths, *deven;
  unsigned *dindex, *dnumbers;
  unsigned char *dflags;
  unsigned char *out, *out2, *out3, *out_keys, *spare, *spare2;
  uint64_t *counts, *bad, *short_count;
  gp_aggregate aggregates[2];
  gp_column columns[2];
  std::list<gp_axes> axes; // the sample has one for several calls
  explicit Places(Memory &memory)
    : m(memory), x(N), y(N), rising(N), keys(N), more_keys(N), lengths(10), index(N), flags(N) {
    unsigned seed = 7;
    const auto next = [&] { return seed = seed * 1664525 + 1013904223, seed >> 16; };
    for (size_t i = 0; i < N; ++i) {
      x[i] = float(int(next() % 64) - 32), y[i] = next() % 8 ? x[i] : float(next() % 9);
      rising[i] = float(int(i / 3)) - 30, keys[i] = int(i / 4 - i / 9), more_keys[i] = int(i / 5);
      index[i] = unsigned(N - 1 - i), flags[i] = next() % 3 == 0;
    }
    offsets = {0, 3, 3, 40, 41, 60, 90, 91, 150, 170, N};
    for (size_t i = 0; i < 10; ++i) lengths[i] = offsets[i + 1] - offsets[i];
    dx = m.with(x), dy = m.with(y), drising = m.with(rising), dkeys = m.with(keys), dmore = m.with(more_keys);
    doffsets = m.with(offsets), dlengths = m.with(lengths), dindex = m.with(index), dflags = m.with(flags);
    dnumbers = m.with(std::vector<unsigned>(N, 3));
    std::vector<int> even = {0}; // nothing, then one element a segment, then two
    for (int i = 0; i < N; ++i) even.push_back(even.back() + (i < 20 ? 0 : i < N - 20 ? 1 : 2));
    deven = m.with(even);
    out = m.room<unsigned char>(), out2 = m.room<unsigned char>(), out3 = m.room<unsigned char>();
    out_keys = m.room<unsigned char>(), spare = m.room<unsigned char>(), spare2 = m.room<unsigned char>();
    counts = m.room<uint64_t>(64), bad = m.room<uint64_t>(8);
    short_count = m.with(std::vector<uint64_t>(1, SHORT));
  }
  gp_call call(gp_primitive p) {
    gp_call c = sample(p, N);
    if (p < GP_SEGMENTED_REDUCE) { // the sample has calls with more than an input and an output
      c.op = p == GP_TRANSFORM ? GP_NEGATE : p == GP_TRANSFORM2 ? GP_SUB : p >= GP_REDUCE ? GP_MAX : GP_OP_DEFAULT;
      c.out_type = GP_F32, c.out = out, c.value = upper_ends;
      if (p != GP_FILL && p != GP_IOTA) c.in_type = GP_F32, c.in = dx;
      if (p != GP_FILL) c.value = nullptr;
      if (p == GP_TRANSFORM2) c.in2_type = GP_F32, c.in2 = dy;
      return c;
    }
    if (c.axes) axes.push_back(*c.axes), c.axes = &axes.back();
    const bool two = p == GP_MERGE || gp__is_set(p), bound = p == GP_LOWER_BOUND || p == GP_UPPER_BOUND;
    const bool passes = p == GP_SCATTER || p == GP_GATHER;
    if (c.in) c.in = dx;
    if (c.in2) c.in2 = passes ? static_cast<void *>(dindex) : dy;
    if (c.keys) c.keys = bound ? static_cast<void *>(drising) : dkeys;
    if (c.keys2) c.keys2 = dmore;
    if (two || p == GP_JOIN) c.count2 = 100;
    if (passes) c.n = N;
    if (bound) c.key_count = 150;
    if (c.begin)
      c.begin = p == GP_RUN_LENGTH_EXPAND ? dlengths
          : p == GP_HISTOGRAM_RANGES ? static_cast<void *>(drising)
          : doffsets;
    if (p == GP_JOIN) c.capacity = 3000;
    if (c.out) c.out = out;
    if (c.out2) c.out2 = out2;
    if (c.out3) c.out3 = p == GP_SWAP ? spare : out3;
    if (c.out_keys) c.out_keys = out_keys;
    if (c.out_count) c.out_count = counts;
    if (c.bad) c.bad = bad;
    columns[0] = {GP_F32, 0, dx, out2}, columns[1] = {GP_U8, 0, dflags, out3};
    if (p == GP_SORT_COLUMNS) c.columns = columns;
    if (p == GP_GROUP_BY_MANY) {
      aggregates[0] = {GP_AGGREGATE_MEAN, GP_F32, dx, out, GP_TYPE_DEFAULT};
      aggregates[1] = {GP_AGGREGATE_COUNT, GP_TYPE_DEFAULT, nullptr, out2, GP_U32};
      c.aggregates = aggregates;
    }
    return c;
  }
  // Every primitive, and what else decides how an input is read.
  std::vector<Case> cases() {
    std::vector<Case> all;
    for (int p = 1; p < GP_PRIMITIVE_COUNT; ++p) all.push_back({gp__primitive_names[p], call(gp_primitive(p))});
    const auto add = [&](const char *name, gp_primitive p) -> gp_call & {
      all.push_back({name, call(p)});
      return all.back().call;
    };
    for (gp_primitive p : {GP_SELECT, GP_PARTITION}) {
      gp_call *c = &add("by a stencil", p);
      c->key_type = GP_I32, c->keys = dkeys;
      c = &add("by flags", p);
      c->op = GP_OP_DEFAULT, c->scalar = nullptr, c->key_type = GP_BOOL, c->keys = dflags;
    }
    for (gp_primitive p : {GP_SCATTER, GP_GATHER}) {
      gp_call *c = &add("by flags", p);
      c->op = GP_OP_DEFAULT, c->scalar = nullptr, c->key_type = GP_U8, c->keys = dflags;
    }
    for (gp_primitive p : {GP_REDUCE_BY_KEY, GP_RUN_LENGTHS, GP_UNIQUE, GP_EXCLUSIVE_SCAN_BY_KEY}) {
      gp_call &c = add("by heads", p);
      c.equal = GP_HEADS, c.key_type = GP_U8, c.keys = dflags;
    }
    gp_call &sums = add("reproducible", GP_REDUCE_BY_KEY);
    sums.op = GP_SUM, sums.flags = GP_REPRODUCIBLE;
    gp_call &values = add("with values", GP_UNIQUE);
    values.in_type = GP_F32, values.in = dx, values.out = out;
    gp_call &weights = add("with weights", GP_HISTOGRAM_EVEN);
    weights.in2_type = GP_U32, weights.in2 = dnumbers;
    for (gp_primitive p : {GP_TOP_K, GP_NTH_ELEMENT, GP_SHUFFLE}) {
      gp_call &c = add("alone", p);
      if (p == GP_SHUFFLE) c.seed = 5;
      else c.in_type = GP_TYPE_DEFAULT, c.in = nullptr, c.out = nullptr;
    }
    gp_call &order = add("by an operator", GP_TOP_K);
    order.op = GP_GREATER;
    gp_call &argsort = add("indices", GP_SORT);
    argsort.in_type = GP_TYPE_DEFAULT, argsort.in = nullptr, argsort.out_type = GP_U32, argsort.out_keys = nullptr;
    gp_call &number = add("without keys", GP_DISTINCT);
    number.out_keys = nullptr;
    gp_call &complex = add("of complex numbers", GP_DISTINCT);
    complex.key_type = GP_C32, complex.count = N / 2;
    gp_call &truths = add("of bool", GP_DISTINCT);
    truths.key_type = GP_BOOL, truths.keys = dflags;
    gp_call &segments = add("as many segments as elements, some empty", GP_EXPAND);
    segments.segments = N, segments.begin = deven;
    gp_call &length = add("as many keys as needles", GP_UPPER_BOUND);
    length.key_count = N, length.in = drising;
    return all;
  }
  // Outputs before a call.
  void clear(bool with_bad) {
    const std::vector<unsigned char> noise(ROOM, 0xa5);
    for (unsigned char *o : {out, out2, out3, out_keys, spare}) m.write(o, noise.data(), ROOM);
    m.write(counts, noise.data(), 64);
    if (with_bad) m.write(bad, noise.data(), 8);
  }
  std::vector<unsigned char> results() const {
    std::vector<unsigned char> all;
    for (const unsigned char *o : {out, out2, out3, out_keys, spare}) all.insert(all.end(), o, o + ROOM);
    const unsigned char *c = reinterpret_cast<unsigned char *>(counts);
    all.insert(all.end(), c, c + 64);
    return all;
  }
};

// A description of the elements that `from` has: its own, behind indices. Behind `most` of them indices lead nowhere.
struct Described {
  gp_input array, index, root;
  Described(Memory &m, gp_type type, const void *from, size_t most, size_t all) {
    std::vector<unsigned char> moved(ROOM);
    std::vector<int64_t> places(all, int64_t(1) << 40);
    const size_t size = size_of(type);
    for (size_t i = 0; i < most; ++i) {
      places[i] = int64_t((i * 7) % all); // 7 divides none of the sizes
      memcpy(moved.data() + size_t(places[i]) * size, static_cast<const unsigned char *>(from) + i * size, size);
    }
    array = gp_input_array(type, m.with(moved)), index = gp_input_array(GP_I64, m.with(places));
    array.count = all;
    root = gp_input_gathered(&array, &index);
  }
  Described(const Described &) = delete;
};
static size_t elements_of(const gp_call &c, int input) {
  const gp_primitive p = c.primitive;
  return input == 3 || (input == 1 && (gp__reads(p) & GP__READS_COUNT2)) ? c.count2
      : input == 0 && (p == GP_EXPAND || p == GP_RUN_LENGTH_EXPAND) ? c.segments
      : input == 2 && c.key_count ? c.key_count
      : c.count;
}
static void describe(gp_call &c, int input, const gp_input *as) {
  const uint64_t reads = gp__reads(c.primitive);
  if (input == 0 && (reads & GP__READS_IN2_TYPE) && c.in2 && !c.in2_type) c.in2_type = c.in_type;
  *pointer_of(c, input) = as;
  if (!shares(c.primitive, input)) (input == 0 ? c.in_type : input == 1 ? c.in2_type : c.key_type) = GP_INPUT;
}
// The inputs that are described with this one, since they share its type.
static std::vector<int> together(gp_call c, int input) {
  std::vector<int> all = {input};
  for (int other : {1, 3})
    if (other == input + 1 && shares(c.primitive, other) && lists(c.primitive, other) && *pointer_of(c, other))
      all.push_back(other);
  return all;
}

struct Run {
  gp_context *ctx;
  Places &places;
  unsigned launches = 0;
  std::vector<unsigned char> results;
  uint64_t room = 0;
  Run(gp_context *context, Places &at) : ctx(context), places(at) {}
  // Runs a call in a workspace of the size that is asked for, with kernels that gp_prepare made.
  bool of(const Case &of_case, gp_call c, const char *how) {
    const bool cuda = !places.m.host;
    std::string what = std::string(gp__primitive_names[c.primitive]) + " " + of_case.name + ", " + how;
    room = 0;
    bool good = check(gp_workspace_size(ctx, &c, &room) == GP_SUCCESS && gp_prepare(ctx, &c) == GP_SUCCESS, __LINE__,
        "%s: %s", what.c_str(), gp_last_message());
    const size_t made = fake::modules.size(), memory = fake::memory.size();
    if (cuda && good && room) c.workspace = places.m.room<unsigned char>(room), c.workspace_bytes = room;
    places.clear(true);
    const unsigned before = fake::counts.launches;
    const gp_result result = good ? gp_run(ctx, &c, nullptr) : GP_E_ARGUMENT;
    good &= check(result == GP_SUCCESS, __LINE__, "%s: %s", what.c_str(), gp_last_message());
    if (cuda) {
      check(simt::error().empty(), __LINE__, "%s: %s", what.c_str(), simt::error().c_str());
      simt::clear_error();
      check(made == fake::modules.size(), __LINE__, "%s: the call compiles what gp_prepare has not", what.c_str());
      check(memory == fake::memory.size(), __LINE__, "%s: the call takes memory beside its workspace", what.c_str());
    }
    launches = fake::counts.launches - before;
    results = places.results();
    return good;
  }
};

static unsigned accepted, refusals;
// One input, or several, described: the bytes and the launches of the call on arrays, and one launch more for each that
// is written first.
static void compare(gp_context *ctx, Places &places, const Case &one, const std::vector<int> &inputs, bool shortened) {
  const gp_primitive p = one.call.primitive;
  const int traits = gp__primitive_of(p)->traits;
  std::vector<std::unique_ptr<Described>> kept;
  gp_call plain = one.call, c = one.call;
  unsigned written = 0;
  uint64_t bytes = 0;
  if (shortened) plain.count_device = c.count_device = places.short_count;
  for (int input : inputs) {
    const size_t all = elements_of(c, input);
    const gp_type type = type_of(one.call, input);
    const bool ends = shortened && !ends_elsewhere(p, input);
    kept.emplace_back(
        new Described(places.m, type, *pointer_of(plain, input), ends ? std::min(size_t(SHORT), all) : all, all));
    describe(c, input, &kept.back()->root);
    if (input < 2 && (traits & (input ? GP__TAKES_SECOND : GP__TAKES_INPUTS))) continue;
    ++written, bytes += all * size_of(type);
  }
  Run arrays(ctx, places), described(ctx, places);
  std::string how = shortened ? "shortened, " : "";
  for (int input : inputs) how += std::string(input_names[input]) + " ";
  if (!arrays.of(one, plain, "arrays") || !described.of(one, c, how.c_str())) return;
  ++accepted;
  if (places.m.host || fake::machine.run)
    check(arrays.results == described.results, __LINE__, "%s %s, %sdescribed: other results", gp__primitive_names[p],
        one.name.c_str(), how.c_str());
  if (places.m.host) return;
  check(described.launches == arrays.launches + written, __LINE__, "%s %s, %sdescribed: %u launches, %u on arrays",
      gp__primitive_names[p], one.name.c_str(), how.c_str(), described.launches, arrays.launches);
  if (p != GP_SORT && p != GP_MERGE_SORT)
    check(described.room >= arrays.room + bytes || !written, __LINE__, "%s %s, %sdescribed: a workspace of %llu bytes",
        gp__primitive_names[p], one.name.c_str(), how.c_str(), (unsigned long long)described.room);
}
static void refuse(gp_context *ctx, Places &places, const Case &one, int input, const Refused &why) {
  gp_call c = one.call;
  const gp_input any = gp_input_ramp(GP_U32, nullptr, nullptr);
  if (!why.message) return; // numbers of a fixed type
  describe(c, shares(c.primitive, input) ? 0 : input, &any);
  places.clear(true);
  BAD(GP_E_TYPE, why.message, gp_run(ctx, &c, nullptr));
  ++refusals;
}
static void each(gp_context *ctx, bool host) {
  Memory m(host);
  Places places(m);
  for (const Case &one : places.cases()) {
    const gp_primitive p = one.call.primitive;
    gp_call c = one.call;
    std::vector<int> taken;
    for (int input = 0; input < INPUTS; ++input) {
      if (!lists(p, input)) continue;
      const Refused *why = refusal(p, input);
      if (why) refuse(ctx, places, one, input, *why);
      if (why || !*pointer_of(c, input)) continue;
      taken.push_back(input);
      if (shares(p, input)) continue; // described with the other one
      compare(ctx, places, one, together(c, input), false);
      if (gp__reads(p) & GP__READS_COUNT_DEVICE) compare(ctx, places, one, together(c, input), true);
    }
    if (taken.size() > 1 && taken.size() < 4) compare(ctx, places, one, taken, false);
    // Offsets, lengths, columns and aggregates are arrays.
    if (!(gp__reads(p) & GP__READS_OFFSET_TYPE) && p != GP_GROUP_BY_MANY && p != GP_SORT_COLUMNS) continue;
    gp_aggregate aggregate = places.aggregates[0];
    gp_column column = {GP_INPUT, 0, c.keys, c.out2};
    aggregate.type = GP_INPUT;
    if (p == GP_GROUP_BY_MANY) c.aggregates = &aggregate, c.aggregate_count = 1;
    else if (p == GP_SORT_COLUMNS) c.columns = &column, c.column_count = 1;
    else c.offset_type = GP_INPUT, c.begin = c.begin ? c.begin : places.doffsets;
    BAD(GP_E_TYPE, reads_array, gp_run(ctx, &c, nullptr));
    ++refusals;
  }
}

// GP_FASTEST: the results of the default, in any order where a call's results have no order of their own, by no more
// launches and in no larger workspace.
static bool gives_up_order(gp_primitive p) {
  return p == GP_TOP_K || p == GP_SEGMENTED_TOP_K || p == GP_TOP_K_AXIS || p == GP_DISTINCT || p == GP_GROUP_BY;
}
// The bytes of each result, of its key and what is beside it, in ascending order row by row.
static std::vector<std::string> sorted_results(const Places &places, const gp_call &c) {
  const uint64_t rows = c.primitive == GP_SEGMENTED_TOP_K ? c.segments
      : c.primitive == GP_TOP_K_AXIS ? N / c.axes->extent[1]
      : 1;
  const uint64_t each = c.primitive == GP_DISTINCT || c.primitive == GP_GROUP_BY ? *places.counts : c.k;
  const char *keys = reinterpret_cast<char *>(places.out_keys), *out = reinterpret_cast<char *>(places.out);
  const size_t size = size_of(c.key_type);
  std::vector<std::string> all;
  for (uint64_t row = 0; row < rows; ++row) {
    const size_t begin = all.size();
    for (uint64_t i = row * each; i < (row + 1) * each; ++i)
      all.push_back(std::string(keys + i * size, size) + (c.out ? std::string(out + i * 4, 4) : std::string()));
    std::sort(all.begin() + std::ptrdiff_t(begin), all.end());
  }
  return all;
}
static void fastest(gp_context *ctx, bool host) {
  Memory m(host);
  Places places(m);
  for (const Case &one : places.cases()) {
    const gp_primitive p = one.call.primitive;
    if (p >= GP_BFS && p <= GP_BFS_SOURCES) continue; // the sample has no real graph
    if (p == GP_COPY_BATCH || p == GP_CONVERT_LAYOUT) continue; // nor pointers to buffers, nor structs
    gp_call quick = one.call;
    Run usual(ctx, places), any(ctx, places);
    quick.flags |= GP_FASTEST;
    if (quick.flags & GP_REPRODUCIBLE) {
      BAD(GP_E_ARGUMENT, "flags: GP_FASTEST and GP_REPRODUCIBLE exclude each other", gp_run(ctx, &quick, nullptr));
      continue;
    }
    if (!usual.of(one, one.call, "usual")) continue;
    const bool ran = host || fake::machine.run;
    const bool in_any_order = gives_up_order(p) && quick.out_keys && ran;
    const std::vector<std::string> before = in_any_order ? sorted_results(places, quick) : std::vector<std::string>();
    if (!any.of(one, quick, "fastest")) continue;
    if (in_any_order)
      check(before == sorted_results(places, quick) && !before.empty(), __LINE__, "%s %s: other results",
          gp__primitive_names[p], one.name.c_str());
    else
      check(usual.results == any.results, __LINE__, "%s %s: other results", gp__primitive_names[p], one.name.c_str());
    check(any.launches <= usual.launches && any.room <= usual.room, __LINE__, "%s %s: %u launches, usually %u",
        gp__primitive_names[p], one.name.c_str(), any.launches, usual.launches);
    if (!host && p == GP_DISTINCT && quick.out_keys)
      check(any.launches < usual.launches, __LINE__, "%s: %u launches", gp__primitive_names[p], any.launches);
  }
}

static void test_host() {
  gp_config k = gp_config_init();
  gp_context *ctx = nullptr;
  k.backend = GP_BACKEND_HOST, k.cache_dir = "";
  GOOD(gp_open(&k, &ctx));
  each(ctx, true);
  fastest(ctx, true);
  CLOSE(ctx);
}
static void test_emulated() {
  gp_context *ctx = open_fake();
#ifdef TEST_FEW // without kernels
  fake::machine.run = false;
#else
  fake::compiler = emulated::compile;
#endif
  each(ctx, false);
  fastest(ctx, false);
  CLOSE(ctx);
}
// The caller's policy is that of the call on arrays, and types that must be equal are compared behind descriptions.
static void test_policy() {
  gp_context *ctx = open_fake();
  {
    Memory m(false);
    Places places(m);
    fake::machine.run = false;
    const gp_input keys = gp_input_array(GP_I32, places.dmore), longs = gp_input_ramp(GP_I64, nullptr, nullptr);
    for (int threads : {128, 256}) {
      gp_policy p = small(GP_LOOK_BACK);
      gp_call c = places.call(GP_REDUCE_BY_KEY);
      p.threads = threads, p.stages = 2;
      c.policy = &p, c.key_type = GP_INPUT, c.keys = &keys;
      GOOD(gp_run(ctx, &c, nullptr));
      check(fake::last_launch.block_x == unsigned(threads), __LINE__, "%d threads: blocks of %u", threads,
          fake::last_launch.block_x);
    }
    gp_call bound = places.call(GP_LOWER_BOUND), equal = places.call(GP_EQUAL_ARRAYS);
    bound.key_type = GP_INPUT, bound.keys = &longs;
    BAD(GP_E_TYPE, "in_type and key_type differ", gp_run(ctx, &bound, nullptr));
    equal.in2_type = GP_INPUT, equal.in2 = &longs;
    BAD(GP_E_TYPE, "in_type and in2_type differ", gp_run(ctx, &equal, nullptr));
  }
  CLOSE(ctx);
}
// The list of refusals has no row that the descriptors lack, and few inputs are on it.
static void test_list() {
  unsigned listed = 0;
  for (int p = 1; p < GP_PRIMITIVE_COUNT; ++p)
    for (int input = 0; input < INPUTS; ++input) listed += lists(gp_primitive(p), input);
  for (const Refused &r : refused)
    check(
        lists(r.primitive, r.input), __LINE__, "%s has no %s", gp__primitive_names[r.primitive], input_names[r.input]);
  check(accepted > listed && refusals > 10, __LINE__, "%u inputs, %u accepted, %u refused", listed, accepted, refusals);
}

int main(int argc, char **argv) {
  return run_groups(
      argc, argv, {{"host", test_host}, {"emulated", test_emulated}, {"policy", test_policy}, {"list", test_list}});
}
