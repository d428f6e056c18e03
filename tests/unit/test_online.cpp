// test_online.cpp - GP_TUNING_ONLINE: the library's calls are tuned while they run, on an emulated driver whose clock
// advances with each launch by a time that depends on the kernel's policy (C++17). Usage: PROGRAM [name of a group].
#include "dispatch_test.h"

#include <dirent.h>
#include <fstream>
#include <set>

// The policy in a kernel's name.
struct Compiled {
  int threads = 0, vectors = 0, load = 0, store = 0, stages = 0, blocks = 0, overlap = 0;
  explicit Compiled(const std::string &kernel) {
    const size_t at = kernel.find("gp__policy<");
    if (at != std::string::npos)
      sscanf(kernel.c_str() + at, "gp__policy<%d, %d, %d, %d, %d, %d, %d>", &threads, &vectors, &load, &store, &stages,
          &blocks, &overlap);
  }
};
static double slower = 1, scale = 1; // slower: with 256 threads
// us of a launch: the least with 256 threads and 4 vectors.
static double time_of(const std::string &kernel) {
  const Compiled p(kernel);
  if (!p.threads) return 10;
  const double a = std::log2(p.threads / 256.0), b = std::log2(p.vectors / 4.0);
  return scale * 100 * (1 + 0.2 * a * a + 0.1 * b * b + (p.load == GP_CACHE_ALL ? 0 : 0.02)) *
      (p.threads == 256 ? slower : 1);
}
static void let_time_pass() {
  fake::machine.run = false;
  slower = scale = 1;
  fake::on_launch = [](const fake::Module &m, const gp__cu_launch &) { fake::machine.clock += time_of(m.kernel); };
}

static gp_context *open_tuned(const char *cache = "") {
  gp_config c = config();
  gp_context *ctx = nullptr;
  c.tuning = GP_TUNING_ONLINE;
  c.cache_dir = cache;
  GOOD(gp_open(&c, &ctx));
  return ctx;
}
static gp__site *site_of(gp_context *ctx) { return ctx->state->online->sites; }
static bool searches(gp_context *ctx) {
  gp__online *o = ctx->state->online;
  pthread_mutex_lock(&o->lock);
  const bool searching = !o->sites || o->sites->searching;
  pthread_mutex_unlock(&o->lock);
  return searching;
}
alignas(256) static float many[1 << 23]; // never read
static gp_call reduce_of(uint64_t n) { return fold_call(GP_REDUCE, GP_SUM, GP_F32, GP_F32, many, buffers.out, n); }
// Calls until the search of the newest site has ended; returns how many. Between calls, the threads get a moment.
static int run_until_settled(gp_context *ctx, const gp_call &call, int most = 20000, gp_stream stream = nullptr) {
  for (int i = 0; i < most; ++i) {
    if (i > 4 && !searches(ctx)) return i;
    GOOD(gp_run(ctx, &call, stream));
    usleep(100);
  }
  return most;
}
static void run_and_wait(gp_context *ctx, const gp_call &call, int calls, unsigned us) {
  for (int i = 0; i < calls; ++i) {
    GOOD(gp_run(ctx, &call, nullptr));
    usleep(us);
  }
}
// Whether a call has run at this point and was measured.
static bool has_tried(const gp__site *x, const int *point) {
  for (uint64_t i = 0; i < x->tuner->steps && i < uint64_t(x->tuner->path_room); ++i)
    if (!memcmp(x->tuner->path[i].point, point, sizeof x->tuner->path[i].point)) return true;
  return false;
}
static gp_policy_source source_of(gp_context *ctx, const gp_call &call, gp_policy *policy) {
  gp_policy_source source = gp_policy_source(0);
  GOOD(gp_policy_origin(ctx, &call, policy, &source));
  return source;
}
static double time_of_call(gp_context *ctx, const gp_call &call) {
  const double before = fake::machine.clock;
  GOOD(gp_run(ctx, &call, nullptr));
  return fake::machine.clock - before;
}

// The best policy of the space is found; no call compiles but the first.
static void test_search() {
  let_time_pass();
  gp_context *ctx = open_tuned();
  const gp_call call = reduce_of(1 << 20);
  gp_policy policy, usual;
  CHECK(source_of(ctx, call, &usual) == GP_POLICY_PORTABLE);
  std::set<pthread_t> compilers;
  fake::on_compile = [&] { compilers.insert(pthread_self()); };
  GOOD(gp_run(ctx, &call, nullptr));
  CHECK(compilers.size() == 1 && compilers.count(pthread_self()));
  compilers.clear();
  const double usual_time = time_of_call(ctx, call);
  const int calls = run_until_settled(ctx, call);
  check(calls < 20000, __LINE__, "%d calls", calls);
  CHECK(!compilers.empty() && !compilers.count(pthread_self()));
  CHECK(source_of(ctx, call, &policy) == GP_POLICY_ONLINE);
  check(
      policy.threads == 256 && policy.vectors == 4, __LINE__, "%d threads, %d vectors", policy.threads, policy.vectors);
  const double best_time = time_of_call(ctx, call);
  check(best_time < 101 && usual_time > best_time, __LINE__, "%g, %g us", best_time, usual_time);
  // The usual policy is measured again now and then.
  int usual_runs = 0;
  fake::on_launch = [&](const fake::Module &m, const gp__cu_launch &) {
    usual_runs += Compiled(m.kernel).threads == usual.threads;
    fake::machine.clock += time_of(m.kernel);
  };
  run_and_wait(ctx, call, 4000, 100);
  check(usual_runs > 0 && usual_runs < 40, __LINE__, "%d runs", usual_runs);
  gp_policy echoed;
  GOOD(gp_policy_echo(ctx, &call, &echoed));
  CHECK(echoed.threads == 256 && echoed.vectors == 4);
  // A caller's policy stays the caller's.
  gp_call own = call;
  own.policy = &usual;
  CHECK(source_of(ctx, own, &policy) == GP_POLICY_CALLER && !memcmp(&policy, &usual, sizeof usual));
  CHECK(std::abs(time_of_call(ctx, own) - usual_time) < 1e-6);
  // Another size has a search of its own, which begins with the neighbour's best.
  const gp_call larger = reduce_of(1 << 23);
  memset(&policy, 0, sizeof policy);
  for (int i = 0; i < 4000 && (policy.threads != 256 || policy.vectors != 4); ++i) {
    run_and_wait(ctx, larger, 1, 100);
    if (source_of(ctx, larger, &policy) != GP_POLICY_ONLINE) policy.threads = 0;
  }
  check(
      policy.threads == 256 && policy.vectors == 4, __LINE__, "%d threads, %d vectors", policy.threads, policy.vectors);
  check(site_of(ctx)->tuner->steps < 8, __LINE__, "%d steps", int(site_of(ctx)->tuner->steps));
  CLOSE(ctx);
}

// The next process uses what was learned, once it has proved itself there.
static void test_memory() {
  char folder[] = P_tmpdir "/gpuprims-online-XXXXXX";
  if (!mkdtemp(folder)) std::abort();
  let_time_pass();
  const gp_call call = reduce_of(1 << 20);
  gp_policy policy;
  gp_context *ctx = open_tuned(folder);
  run_until_settled(ctx, call);
  CLOSE(ctx);
  ctx = open_tuned(folder);
  int calls = 0;
  for (; calls < 4000 && source_of(ctx, call, &policy) != GP_POLICY_ONLINE; ++calls) {
    GOOD(gp_run(ctx, &call, nullptr));
    usleep(100);
  }
  CHECK(policy.threads == 256 && policy.vectors == 4 && !searches(ctx));
  CHECK(has_tried(site_of(ctx), site_of(ctx)->best_point));
  check(site_of(ctx)->tuner->steps < 8, __LINE__, "%d steps", int(site_of(ctx)->tuner->steps));
  CLOSE(ctx);
  // A file of another driver's, or damaged, is none.
  DIR *listing = opendir(folder);
  int files = 0;
  while (const dirent *entry = readdir(listing))
    if (strstr(entry->d_name, ".tuner")) {
      ++files;
      std::ofstream(std::string(folder) + "/" + entry->d_name, std::ios::app) << "more";
    }
  closedir(listing);
  CHECK(files == 1);
  ctx = open_tuned(folder);
  run_and_wait(ctx, call, 10, 1000);
  CHECK(source_of(ctx, call, &policy) != GP_POLICY_ONLINE && searches(ctx));
  CHECK(warnings("damaged") == 1);
  CLOSE(ctx);
  CHECK(!system(("rm -r " + std::string(folder)).c_str()));
}

// Policies whose kernels do not compile, or whose launches the driver refuses, are not tried twice; calls succeed.
static void test_refused() {
  let_time_pass();
  fake::machine.compile_error = "gp__policy<128,";
  fake::machine.refused_threads = 1024;
  gp_context *ctx = open_tuned();
  const gp_call call = reduce_of(1 << 20);
  gp_policy policy;
  check(run_until_settled(ctx, call) < 20000, __LINE__, "it searches on");
  CHECK(source_of(ctx, call, &policy) == GP_POLICY_ONLINE && policy.threads == 256 && policy.vectors == 4);
  const gp_tuner *t = site_of(ctx)->tuner;
  int refused = 0;
  for (uint64_t i = 0; i < t->steps && i < uint64_t(t->path_room); ++i) refused += t->path[i].us < 0;
  check(refused > 1, __LINE__, "%d refused", refused);
  CLOSE(ctx);
  // A call into its own input is not run twice after a failed launch.
  fake::reset();
  let_time_pass();
  ctx = open_tuned();
  const gp_call scan = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_F32, GP_F32, many, many, 1 << 20);
  run_until_settled(ctx, scan);
  CHECK(source_of(ctx, scan, &policy) == GP_POLICY_ONLINE);
  GOOD(gp_run(ctx, &scan, nullptr));
  fake::machine.refused_threads = fake::last_launch.block_x;
  const unsigned long launches = fake::counts.calls["cuLaunchKernel"] + fake::counts.calls["cuLaunchKernelEx"];
  CHECK(gp_run(ctx, &scan, nullptr) == GP_E_DRIVER);
  CHECK(fake::counts.calls["cuLaunchKernel"] + fake::counts.calls["cuLaunchKernelEx"] == launches + 1);
  CLOSE(ctx);
}

// Captured calls and calls with a workspace of their own are not measured. They run the best policy known, if it needs
// no larger workspace than gp_workspace_size said.
static void test_fixed() {
  let_time_pass();
  gp_context *ctx = open_tuned();
  gp_call call = reduce_of(1 << 20);
  gp_policy best, usual;
  uint64_t bytes = 0;
  source_of(ctx, call, &usual);
  GOOD(gp_workspace_size(ctx, &call, &bytes));
  run_until_settled(ctx, call);
  CHECK(source_of(ctx, call, &best) == GP_POLICY_ONLINE);
  fake::Stream *stream = fake::make_stream();
  GOOD(gp_run(ctx, &call, stream)); // its workspace
  const unsigned long records = fake::counts.calls["cuEventRecord"];
  std::string kernel;
  fake::on_launch = [&](const fake::Module &m, const gp__cu_launch &) { kernel = m.kernel; };
  stream->capturing = 1, fake::strict_capture = true;
  for (int i = 0; i < 40; ++i) GOOD(gp_run(ctx, &call, stream));
  CHECK(Compiled(kernel).threads == best.threads);
  stream->capturing = 0, fake::strict_capture = false;
  Device<unsigned char> memory(bytes ? bytes : 1);
  call.workspace = memory.data, call.workspace_bytes = bytes;
  for (int i = 0; i < 40; ++i) GOOD(gp_run(ctx, &call, stream));
  CHECK(fake::counts.calls["cuEventRecord"] == records);
  // The best one needs more: then the usual one runs.
  pthread_mutex_lock(&ctx->state->online->lock);
  site_of(ctx)->best.blocks_per_sm = 32;
  pthread_mutex_unlock(&ctx->state->online->lock);
  GOOD(gp_run(ctx, &call, stream));
  CHECK(Compiled(kernel).threads == usual.threads && Compiled(kernel).blocks == usual.blocks_per_sm);
  CLOSE(ctx);
  fake::destroy_stream(stream);
}

// Prepared calls are tuned too; once the search has ended their plan is that of the best policy.
static void test_prepared() {
  let_time_pass();
  gp_context *ctx = open_tuned();
  const gp_call call = reduce_of(1 << 20);
  gp_prepared *prepared = nullptr;
  gp_policy policy;
  GOOD(gp_prepared_open(ctx, &call, &prepared));
  int calls = 0;
  for (; calls < 20000 && (calls < 5 || searches(ctx)); ++calls) {
    GOOD(gp_prepared_run(prepared, &call, nullptr));
    usleep(100);
  }
  CHECK(calls < 20000 && source_of(ctx, call, &policy) == GP_POLICY_ONLINE && policy.threads == 256);
  GOOD(gp_prepared_run(prepared, &call, nullptr));
  const double before = fake::machine.clock;
  const unsigned long records = fake::counts.calls["cuEventRecord"];
  for (int i = 0; i < 40; ++i) GOOD(gp_prepared_run(prepared, &call, nullptr));
  CHECK(std::abs(fake::machine.clock - before - 40 * 100) < 40 && fake::counts.calls["cuEventRecord"] == records);
  GOOD(gp_prepared_close(prepared));
  CLOSE(ctx);
}

// When the best policy has become slower, the search begins again.
static void test_drift() {
  let_time_pass();
  gp_context *ctx = open_tuned();
  const gp_call call = reduce_of(1 << 20);
  gp_policy policy;
  run_until_settled(ctx, call);
  run_and_wait(ctx, call, 200 * 40, 50);
  slower = 2;
  for (int i = 0; i < 200 && !searches(ctx); ++i) run_and_wait(ctx, call, 100, 50);
  CHECK(searches(ctx));
  check(run_until_settled(ctx, call) < 20000, __LINE__, "it searches on");
  source_of(ctx, call, &policy);
  check(policy.threads != 256, __LINE__, "%d threads", policy.threads);
  CLOSE(ctx);
}

// Calls that take less time than the host needs for them are left alone.
static void test_short() {
  let_time_pass();
  scale = 0.05;
  gp_context *ctx = open_tuned();
  const gp_call call = reduce_of(1 << 20);
  gp_policy policy;
  GOOD(gp_run(ctx, &call, nullptr));
  const unsigned long compiled = fake::counts.calls["nvrtcCompileProgram"];
  check(run_until_settled(ctx, call) < 20000, __LINE__, "it searches");
  run_and_wait(ctx, call, 100, 100);
  CHECK(fake::counts.calls["nvrtcCompileProgram"] == compiled && source_of(ctx, call, &policy) == GP_POLICY_PORTABLE);
  CLOSE(ctx);
}

// Noise that lasts for a while makes the best policy look slow. It comes back.
static void test_noise() {
  let_time_pass();
  gp_context *ctx = open_tuned();
  const gp_call call = reduce_of(1 << 20);
  run_until_settled(ctx, call);
  gp__online *o = ctx->state->online;
  gp__site *x = site_of(ctx);
  pthread_mutex_lock(&o->searches); // the thread that searches waits
  const gp__size_bucket *b = &x->tuner->buckets[0];
  int best[GP__TUNED_MOST], usual[GP__TUNED_MOST], challenges = 0, told = 0;
  memcpy(usual, x->usual_point, sizeof usual);
  for (int i = 0; i < 3; ++i) gp__site_learns(o, x, usual, 130, 1000);
  for (; b->us < 120 && told < 4000; ++told) { // all that are as fast
    memcpy(best, b->best, sizeof best);
    gp__site_learns(o, x, best, 900, 1000);
  }
  check(b->us >= 120, __LINE__, "%g us", b->us);
  for (int i = 0; i < 400 && b->us >= 120; ++i) {
    bool proposed = false;
    for (gp__proposal &c : x->proposals) {
      pthread_mutex_lock(&o->lock);
      while (c.state == GP__PROPOSAL_NEW || c.state == GP__PROPOSAL_BUILT) { // a thread builds it
        pthread_mutex_unlock(&o->lock);
        usleep(50);
        pthread_mutex_lock(&o->lock);
      }
      proposed |= c.state != GP__PROPOSAL_NONE && !memcmp(c.point, x->champion, sizeof c.point);
      c.state = GP__PROPOSAL_NONE; // it ran
      pthread_mutex_unlock(&o->lock);
    }
    challenges += proposed;
    gp__site_learns(o, x, proposed ? x->champion : b->best, proposed ? 100 : b->us, 1000);
  }
  check(b->us < 120 && x->has_best, __LINE__, "%g us", b->us);
  check(challenges > 0 && challenges <= GP__CHALLENGES, __LINE__, "%d challenges", challenges);
  pthread_mutex_unlock(&o->searches);
  CLOSE(ctx);
}

// Loading a module may wait for running kernels, and calls with it: the budget pays for that.
static void test_loading() {
  let_time_pass();
  gp_context *ctx = open_tuned();
  const gp_call call = reduce_of(1 << 20);
  GOOD(gp_run(ctx, &call, nullptr));
  fake::machine.load_ms = 20;
  const unsigned long loads = fake::counts.calls["cuModuleLoadData"];
  run_and_wait(ctx, call, 4000, 100); // 0.4 s and more, of which the fake GPU is busy for as long
  const int more = int(fake::counts.calls["cuModuleLoadData"] - loads);
  check(more > 0 && more <= 6, __LINE__, "%d loads", more);
  fake::machine.load_ms = 0;
  check(run_until_settled(ctx, call, 60000) < 60000, __LINE__, "it searches on");
  CLOSE(ctx);
}

// Calls of every primitive, with the threads at work beside them.
static void test_primitives() {
  let_time_pass();
  gp_context *ctx = open_tuned();
  for (int round = 0; round < 3; ++round)
    for (int p = GP_PRIMITIVE_NONE + 1; p < GP_PRIMITIVE_COUNT; ++p)
      for (const uint64_t n : {100, 400}) {
        gp_call call = sample(gp_primitive(p), n);
        if (p <= GP_EXCLUSIVE_SCAN) call.in_type = GP_F32, call.in = buffers.in;
        if (p == GP_TRANSFORM2) call.in2_type = GP_F32, call.in2 = buffers.keys;
        if (p >= GP_TRANSFORM2 && p <= GP_EXCLUSIVE_SCAN) call.op = GP_SUM;
        if (p == GP_TRANSFORM) call.op = GP_ABS;
        if (p == GP_FILL || p == GP_IOTA) call.in = nullptr, call.in_type = GP_TYPE_DEFAULT, call.out_type = GP_F32;
        if (p == GP_FILL) call.value = lower_ends;
        for (int i = 0; i < 12; ++i) GOOD(gp_run(ctx, &call, nullptr));
        usleep(3000);
      }
  size_t length = 0, sites = 0;
  GOOD(gp_tuning_report(ctx, nullptr, 0, &length));
  std::string report(length + 1, 0);
  GOOD(gp_tuning_report(ctx, &report[0], report.size(), &length));
  for (size_t at = report.find("\"call\""); at != std::string::npos; at = report.find("\"call\"", at + 1)) ++sites;
  check(sites > 40, __LINE__, "%d sites", int(sites));
  CLOSE(ctx);
}

// Several threads call at once, on several streams; a context closes while kernels are being built.
static void test_threads() {
  let_time_pass();
  fake::on_launch = nullptr;
  fake::machine.compile_ms = 2;
  for (int round = 0; round < 6; ++round) {
    gp_context *ctx = open_tuned();
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
      threads.emplace_back([&, k] {
        fake::Stream *stream;
        {
          std::lock_guard<std::recursive_mutex> guard(fake::lock);
          stream = fake::make_stream();
        }
        for (int i = 0; i < 60; ++i) {
          const gp_call call = k % 2
              ? reduce_of(1000u << (i % 5))
              : fold_call(GP_EXCLUSIVE_SCAN, GP_SUM, GP_U32, GP_U32, buffers.in, buffers.out, 500);
          const gp_result r = gp_run(ctx, &call, stream);
          check(r == GP_SUCCESS, __LINE__, "%s", gp_last_message());
          if (i % 20 == 0) {
            size_t length;
            gp_tuning_report(ctx, nullptr, 0, &length);
          }
          usleep(200);
        }
      });
    for (std::thread &t : threads) t.join();
    CLOSE(ctx);
    while (!fake::streams.empty()) fake::destroy_stream(static_cast<fake::Stream *>(*fake::streams.begin()));
  }
}

static void test_arguments() {
  gp_config c = config();
  gp_context *ctx = reinterpret_cast<gp_context *>(1);
  size_t length = 7;
  c.tuning = gp_tuning(2);
  BAD(GP_E_ARGUMENT, "gp_config.tuning is 2", gp_open(&c, &ctx));
  CHECK(!ctx);
  c.tuning = GP_TUNING_ONLINE;
  c.no_compile = 1;
  BAD(GP_E_ARGUMENT, "gp_config.no_compile", gp_open(&c, &ctx));
  ctx = open_fake();
  BAD(GP_E_ARGUMENT, "gp_config.tuning", gp_tuning_report(ctx, nullptr, 0, &length));
  CHECK(!length);
  CLOSE(ctx);
  ctx = open_tuned();
  BAD(GP_E_NULL, "length is null", gp_tuning_report(ctx, nullptr, 0, nullptr));
  BAD(GP_E_NULL, "text is null", gp_tuning_report(ctx, nullptr, 5, &length));
  BAD(GP_E_CONTEXT, "ctx is null", gp_tuning_report(nullptr, nullptr, 0, &length));
  char text[400];
  GOOD(gp_tuning_report(ctx, text, sizeof text, &length));
  CHECK(length == strlen(text) && strstr(text, "\"device\": \"Fake H200\"") && text[length - 1] == '\n');
  GOOD(gp_tuning_report(ctx, text, 5, &length));
  CHECK(strlen(text) == 4 && length > 5);
  CLOSE(ctx);
  // On the host there is nothing to tune.
  gp_config host = gp_config_init();
  host.backend = GP_BACKEND_HOST, host.tuning = GP_TUNING_ONLINE, host.cache_dir = "";
  GOOD(gp_open(&host, &ctx));
  float in[3] = {1, 2, 3}, out = 0;
  const gp_call call = fold_call(GP_REDUCE, GP_SUM, GP_F32, GP_F32, in, &out, 3);
  GOOD(gp_run(ctx, &call, nullptr));
  CHECK(out == 6);
  GOOD(gp_close(ctx));
}

int main(int argc, char **argv) {
  return run_groups(argc, argv,
      {{"search", test_search}, {"memory", test_memory}, {"refused", test_refused}, {"fixed", test_fixed},
          {"prepared", test_prepared}, {"drift", test_drift}, {"short", test_short}, {"noise", test_noise},
          {"loading", test_loading}, {"primitives", test_primitives}, {"threads", test_threads},
          {"arguments", test_arguments}});
}
