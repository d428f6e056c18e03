// Layouts, group by, graphs: whole calls, on the emulated driver (dispatch_test.h).
#define GP__GROUP_LOG2 14 // groups of fewer elements use tables
#include "dispatch_test.h"

// ---- kernels that tests run

FAKE_KERNEL(gp__bfs_args, gp__bfs<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__bfs_args, gp__bfs<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int, true>);
FAKE_KERNEL(gp__bfs_args, gp__bfs_checked<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__bfs_args, gp__bfs_stepwise<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__bfs_args, gp__bfs_steps<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int>);
FAKE_KERNEL(
    gp__sources_args, gp__bfs_sources<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int, unsigned int>);
FAKE_KERNEL(gp__sources_args,
    gp__bfs_sources<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int, unsigned long long>);
FAKE_KERNEL(gp__graph_args, gp__bfs_parents<gp__policy<128, 1, 3, 3, 0, 2, 2>, unsigned int, unsigned int>);

// ---- layouts: whole calls on the emulator, in place and not

FAKE_KERNEL(gp__layout_args,
    gp__convert_layout<gp__policy<128, 1, 3, 3, 0, 0, 2>, 512, 4, gp__side<1, 4>, gp__side<0, 4>, gp__moved<2, 0, 0>,
        gp__moved<1, 2, 2>>);
FAKE_KERNEL(gp__layout_args,
    gp__convert_layout<gp__policy<128, 1, 3, 3, 0, 0, 2>, 512, 4, gp__side<1, 4>, gp__side<8, 4>, gp__moved<2, 0, 0>,
        gp__moved<1, 2, 2>, gp__moved<1, -1, 3>>);
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
      GOOD(gp_convert_layout(host, &sample_structs, &to, structs.data(), n, wanted.data(), 0, nullptr));
      CHECK(memcmp(c.out, wanted.data(), to.width ? bytes : n * 4) == 0);
    }
  gp_close(host);
  CLOSE(ctx);
}

FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<384, 2, 3, 3, 2, 2, 1>, gp__radix_key<unsigned int>>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_pass<gp__policy<384, 2, 3, 3, 2, 2, 1>, gp__radix_key<unsigned int>, unsigned int, gp__radix_narrow>);

// Each of more than 40 calls of the driver fails once; the next call works.
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
      {GP_GRAPH_TRANSPOSE, 0, 3, "gp__graph_from_keys<"}, {GP_GRAPH_RELABEL, 0, 6, "gp__graph_from_keys<"},
      {GP_GRAPH_DEGREES, 0, 3, "gp__graph_degree_report<"}, {GP_GRAPH_CHECK, 0, 3, "gp__fault_report<"},
      {GP_BFS_CHECK, 0, 4, "gp__fault_report<"}, {GP_CONNECTED_COMPONENTS, 0, 6, "gp__components_roots<"}};
  std::vector<fake::Stream *> strangers;
  for (const auto &one : calls)
    for (uint64_t n : {uint64_t(100), uint64_t(1) << 22, uint64_t(0)}) {
      gp_call c = sample(one.primitive, n);
      gp_graph roomy = c.out_graph ? *c.out_graph : gp_graph_init();
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
      // Captured: gp_workspace_size's bytes suffice, and with less nothing is launched.
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
  { // with wanted numbers: one more fill; an edge list is checked like its graph
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

// ---- group by: its inner calls, in memory of the workspace

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
  gp_call small_one = group_call(5000, GP_SUM, GP_U32), floats = group_call(1ull << GP__GROUP_LOG2, GP_SUM, GP_F32),
          same = floats, large = group_call(2ull << GP__GROUP_LOG2, GP_SUM, GP_U32),
          none = group_call(0, GP_SUM, GP_U32);
  gp_kernel_source source;
  char name[1000];
  uint64_t bytes = 0, more = 0;
  unsigned launches = fake::counts.launches, of_sort, of_tables;

  BAD(GP_E_TYPE, "key_type is not set", ([&] {
    gp_call c = small_one;
    c.key_type = GP_TYPE_DEFAULT;
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

  // A sort and a reduction. Many elements in any order also use tables, or both.
  GOOD(gp_run(ctx, &small_one, stream));
  of_sort = fake::counts.launches - launches;
  CHECK(of_sort >= 2);
  launches = fake::counts.launches;
  GOOD(gp_run(ctx, &floats, stream));
  of_sort = fake::counts.launches - launches;
  launches = fake::counts.launches;
  GOOD(gp_run(ctx, &large, stream));
  of_tables = fake::counts.launches - launches;
  CHECK(of_tables >= of_sort + 5); // clears, fills, lists and writes tables, sorts keys
  same.flags = GP_REPRODUCIBLE;
  launches = fake::counts.launches;
  GOOD(gp_run(ctx, &same, stream));
  CHECK(fake::counts.launches - launches == of_sort + 1); // runs are found, then reduced
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

  // Captured: gp_workspace_size's bytes suffice, and one byte less is reported before any launch.
  std::vector<fake::Stream *> streams; // alive at once: a reused handle brings its workspace
  for (const gp_call *c : {&small_one, &floats, &same, &large}) {
    GOOD(gp_workspace_size(ctx, c, &bytes));
    CHECK(bytes > c->count * 8);
    CHECK(c == &small_one || c == &large || bytes > more);
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

  // After a call with many words, before one, and with exact room from an allocator.
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

  // A bundled sort has the policy that it runs with.
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
  gp_bundle bundle = {GP__BUNDLE, unsigned(entries.size()), entries.data()};
  k = config(), k.bundle = &bundle, k.no_compile = 1;
  fake::machine.capability = 90;
  GOOD(gp_open(&k, &ctx));
  GOOD(gp_prepare(ctx, &floats));
  CLOSE(ctx);
}

// ---- graphs, on running kernels

static void test_graphs() {
  const uint64_t n = 1100; // a ring, each vertex with the next two: more levels than launches of one each
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
  gp_graph g = gp_graph_init();
  g.vertices = n, g.edges = 4 * n, g.flags = GP_SYMMETRIC;
  void *device_offsets = upload(offsets.data(), offsets.size() * 4);
  void *device_targets = upload(targets.data(), targets.size() * 4);
  void *out = simt::device_malloc(n * 4), *out2 = simt::device_malloc(n * 4);
  gp_traversal *statistics = static_cast<gp_traversal *>(simt::device_malloc(sizeof(gp_traversal)));
  void *out3 = simt::device_malloc(sizeof(gp_fault));
  const auto open = [&](bool host) { // the context, and its place for the graph
    gp_config config_ = config();
    if (host) config_.backend = GP_BACKEND_HOST;
    gp_context *ctx = nullptr;
    GOOD(gp_open(&config_, &ctx));
    g.offsets = host ? offsets.data() : device_offsets, g.targets = host ? targets.data() : device_targets;
    return ctx;
  };
  const int algorithms[] = {0, 0, 0, 0, 0, GP_FUSED_LAUNCHES, GP_CONTRACT_EXPAND, GP_TWO_PHASE, GP_HYBRID};
  // cooperative; refused; too large; not in the driver; on the host; by launches if the policy says so
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
    CHECK(way == 4 ||
        fake::counts.launches ==
            launches +
                (way == 0 ? 1
                        : way == 6 ? levels + 3
                        : way > 6 ? 2 * levels + 3
                        : levels + 3));
    CHECK(fake::counts.cooperative == before + (way == 0));
    CHECK((warnings("the device refused a cooperative launch: falling back to one launch per step") > 0) ==
        (way > 0 && way < 4));
    const int *d = way == 4 ? depths.data() : static_cast<const int *>(out);
    const unsigned *q = way == 4 ? parents.data() : static_cast<const unsigned *>(out2);
    if (way != 4) t = *statistics;
    bool good = true;
    for (uint64_t v = 0; v < n; ++v) {
      const int far = int((v + n - 123) % n), away = (std::min(far, int(n) - far) + 1) / 2;
      const int expected = away > 210 ? -1 : away;
      good = good && d[v] == expected &&
          (expected < 0 ? q[v] == UINT32_MAX
                  : expected ? d[q[v]] == expected - 1
                  : q[v] == v);
    }
    check(good, __LINE__, "depths and parents, way %d", way);
    CHECK(t.levels == 210 && t.reached == 841 && t.edges == 4 * 841);
    // the smallest parents, of a graph with or without a fault (by kernels that do not run here)
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
  // from many sources: words of 32 bits, and two batches of 64; sources in host memory, and in device memory
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
  // in clusters of two; one of them; none; a launch refused, for three reasons; functions missing in the driver
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
    CHECK((warnings("the device refused a launch in clusters") > 0) == (way > 1));
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
  { // another error of a cluster launch is an error; before Hopper there are none
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
#ifdef TEST_GROUP_CALLS // the group that mutants.py needs; its argument is no group
  argv[1] = const_cast<char *>("group by");
#endif
  return run_groups(argc, argv,
      {{"layouts", test_layouts}, {"group by", test_group_by}, {"graph building", test_graph_building},
          {"graphs", test_graphs}});
}
