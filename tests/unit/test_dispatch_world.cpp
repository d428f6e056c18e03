// Worlds on the emulated driver (dispatch_test.h): reproducible sums by the real kernels, and capture. Ranks are
// threads, which pass messages through tests/world/loopback.c.
#include "dispatch_test.h"

#include <unistd.h>

enum { RANKS = 3 };
FAKE_KERNEL(gp__map_args,
    gp__map_kernel<gp__policy<256, 1, 3, 1, 0, 1, 1>, gp__fill_value<unsigned long long>, gp__none, gp__none,
        unsigned long long>);
FAKE_KERNEL(gp__reduce_args,
    gp__reduce_stealing<gp__policy<512, 4, 1, 3, 0, 4, 1>, gp_sum<float>,
        gp__load<float, float, gp_convert<float, float>>, float, float, float>);

static std::string library;
static unsigned char id[GP_WORLD_ID_BYTES];
struct Rank {
  int rank;
  gp_context *ctx;
  gp_world *world;
  fake::Stream *stream;
};
// Runs body(rank) in a thread a rank, in a world of its own.
template<class Body> static void in_world(const Body &body) {
  std::vector<std::thread> threads;
  std::vector<Rank> ranks(RANKS);
  fake::reset();
  fake::machine.multiprocessors = 2;
  for (int i = 0; i < RANKS; ++i) ranks[i] = {i, open_fake(), nullptr, fake::make_stream()};
  GOOD(gp_world_id(ranks[0].ctx, library.c_str(), id));
  for (Rank &r : ranks)
    threads.emplace_back([&r, &body] {
      gp_world_config joins = gp_world_config_init();
      joins.id = id, joins.rank = r.rank, joins.size = RANKS, joins.nccl_library = library.c_str(), joins.timeout = 60;
      GOOD(gp_world_open(r.ctx, &joins, &r.world));
      if (r.world) body(r);
      GOOD(gp_world_close(r.world));
    });
  for (std::thread &t : threads) t.join();
  for (Rank &r : ranks) {
    GOOD(gp_close(r.ctx));
    fake::destroy_stream(r.stream);
  }
  check(fake::leaks().empty(), __LINE__, "leaks: %s", fake::leaks().c_str());
}
static gp_call sum_of(const Device<float> &in, size_t first, size_t end, float *out) {
  gp_call c = fold_call(GP_REDUCE, GP_SUM, GP_F32, GP_F32, in.data + first, out, end - first);
  c.flags = GP_REPRODUCIBLE;
  return c;
}
// Shards that begin in the middle of tiles of 8192 elements; on the host back end, too, the sum has these bits.
static void test_reproducible() {
  static const size_t cuts[][RANKS + 1] = {{0, 10001, 20003, 30000}, {0, 0, 30000, 30000}, {0, 9000, 9100, 30000},
      {0, 8192, 16384, 30000}, {0, 3, 3, 30000}, {0, 30000, 30000, 30000}, {0, 8191, 24577, 30000}};
  std::vector<float> values(30000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = float((i * 2654435761u) % 1000003) * (i % 3 ? 1e-3f : -7e-4f);
  gp_config config = gp_config_init();
  gp_context *host = nullptr;
  float wanted = 0;
  config.backend = GP_BACKEND_HOST;
  GOOD(gp_open(&config, &host));
  gp_call whole = fold_call(GP_REDUCE, GP_SUM, GP_F32, GP_F32, values.data(), &wanted, values.size());
  whole.flags = GP_REPRODUCIBLE;
  GOOD(gp_run(host, &whole, nullptr));
  GOOD(gp_close(host));
  in_world([&](Rank &r) {
    for (const auto &cut : cuts) {
      Device<float> in(values), out(std::vector<float>(1));
      const gp_call c = sum_of(in, cut[r.rank], cut[r.rank + 1], out.data);
      GOOD(gp_world_run(r.world, &c, r.stream));
      check(!memcmp(out.data, &wanted, 4), __LINE__, "rank %d, cut at %zu and %zu: %a, not %a", r.rank, cut[1], cut[2],
          double(out.data[0]), double(wanted));
    }
  });
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
}
static void expect(gp_result wanted, const char *text, Rank &r, const gp_call &c, int line) {
  const unsigned before = r.stream->launches;
  const gp_result result = gp_world_run(r.world, &c, r.stream);
  check(result == wanted && strstr(gp_last_message(), text), line, "%s, not %s: %s", gp_result_name(result),
      gp_result_name(wanted), gp_last_message());
  check(r.stream->launches == before, line, "something was captured");
}
static void test_capture() {
  in_world([&](Rank &r) {
    Device<float> in(std::vector<float>(40000)), out(std::vector<float>(40200));
    gp_call reduce = fold_call(GP_REDUCE, GP_SUM, GP_F32, GP_F32, in.data, out.data, 100), checked = reduce;
    gp_call scan = reduce, turn = gp_call_init(GP_TRANSPOSE), same = sum_of(in, 0, 100, out.data), sort;
    gp_permutation p = square(200, 200);
    scan.primitive = GP_INCLUSIVE_SCAN;
    GOOD(gp_world_run(r.world, &reduce, r.stream));
    GOOD(gp_world_run(r.world, &scan, r.stream));
    void *const used = r.world->memory;
    r.stream->capturing = 1;
    checked.flags = GP_CHECKED;
    expect(GP_E_UNSUPPORTED, "captured", r, checked, __LINE__);
    expect(GP_E_UNSUPPORTED, "captured", r, same, __LINE__);
    sort = fold_call(GP_SORT, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, nullptr, nullptr, 100);
    sort.key_type = GP_F32, sort.keys = in.data, sort.out_keys = out.data;
    expect(GP_E_UNSUPPORTED, "captured", r, sort, __LINE__);
    gp_call parts = fold_call(GP_PARTITION, GP_GREATER, GP_F32, GP_TYPE_DEFAULT, in.data, out.data, 100);
    parts.flags = GP_BALANCED;
    expect(GP_E_UNSUPPORTED, "captured", r, parts, __LINE__);
    gp_graph rows = gp_graph_init();
    gp_call walk = gp_call_init(GP_BFS);
    walk.graph = &rows, walk.out = out.data;
    expect(GP_E_UNSUPPORTED, "captured", r, walk, __LINE__);
    walk.primitive = GP_CONNECTED_COMPONENTS;
    expect(GP_E_UNSUPPORTED, "captured", r, walk, __LINE__);
    const size_t bytes = r.world->memory_bytes;
    r.world->memory_bytes = 100;
    expect(GP_E_WORKSPACE, "before the capture", r, reduce, __LINE__);
    expect(GP_E_WORKSPACE, "before the capture", r, scan, __LINE__);
    CHECK(!r.world->captured);
    r.world->memory_bytes = bytes;
    const unsigned before = r.stream->launches;
    GOOD(gp_world_run(r.world, &reduce, r.stream));
    GOOD(gp_world_run(r.world, &scan, r.stream));
    CHECK(r.stream->launches >= before + 4 - (r.rank == RANKS - 1) - (r.rank == 0));
    CHECK(r.world->memory == used && r.world->captured && !r.world->broken);
    r.stream->capturing = 0;
    // The graph keeps its memory when the world's grows, and again.
    turn.in_type = GP_F32, turn.in = in.data, turn.out = out.data, turn.permutation = &p, turn.capacity = 40200;
    GOOD(gp_world_run(r.world, &turn, r.stream));
    CHECK(r.world->memory != used && r.world->memory_bytes > bytes && !r.world->captured);
    std::lock_guard<std::recursive_mutex> guard(fake::lock);
    CHECK(fake::memory.count(used));
  });
}

int main(int argc, char **argv) {
  char folder[] = "build/tests/world_XXXXXX";
  if (!mkdtemp(folder)) return perror(folder), 1;
  library = std::string(folder) + "/libgp_loopback.so";
  const char *compiler = getenv("CC");
  const std::string build = std::string(compiler ? compiler : "cc") + " -std=gnu11 -shared -fPIC -O1 -pthread -o " +
      library + " tests/world/loopback.c -ldl";
  if (system(build.c_str())) return printf("cannot build tests/world/loopback.c\n"), 1;
  const int code = run_groups(argc, argv, {{"reproducible", test_reproducible}, {"capture", test_capture}});
  unlink(library.c_str());
  rmdir(folder);
  return code;
}
