// test_tuner.cpp - gp_tuner on an emulated driver whose clock the tests advance, and on the host back end (C++17).
// Usage: PROGRAM [name of a group].
#include "dispatch_test.h"

#include <dirent.h>
#include <fstream>
#include <random>
#include <set>

static const gp_range threads_range = gp_range_steps(32, 1024, 32);

// A program with two parameters; its section takes a time that has one least, times noise.
struct Tuned {
  gp_context *ctx;
  gp_tuner *tuner = nullptr;
  int threads = 0, unroll = 0;
  double best_threads = 288, best_unroll = 8, noise = 0, slower = 1;
  std::mt19937 random{7};
  long runs = 0;
  double total = 0;

  explicit Tuned(gp_context *c, gp_tuner_config config = gp_tuner_config_init()) : ctx(c) {
    GOOD(gp_tuner_open(ctx, &config, &tuner));
    GOOD(gp_tuner_add_parameter(tuner, "threads", &threads, threads_range, 128));
    GOOD(gp_tuner_add_parameter(tuner, "unroll", &unroll, gp_range_powers(1, 32), 1));
    CHECK(threads == 128 && unroll == 1);
  }
  Tuned(const Tuned &) = delete;
  void close() {
    if (tuner) GOOD(gp_tuner_close(tuner));
    tuner = nullptr;
  }
  ~Tuned() { close(); }
  double exact() const {
    const double a = (threads - best_threads) / 400, b = std::log2(unroll / best_unroll) / 6;
    return slower * 100 * (1 + a * a + b * b + 0.3 * a * b);
  }
  double least() const { return slower * 100; }
  double section(gp_stream stream = nullptr, const std::vector<uint64_t> &numbers = {}) {
    if (numbers.empty()) GOOD(gp_tuner_start(tuner, stream));
    else GOOD(gp_tuner_start_for(tuner, numbers.data(), int(numbers.size()), stream));
    const double us = exact() * (1 + noise * std::normal_distribution<>()(random));
    fake::machine.clock += us;
    total += exact();
    ++runs;
    GOOD(gp_tuner_stop(tuner, stream));
    fake::machine.clock += 5;
    return us;
  }
  // Sections until the search has ended.
  int search(const std::vector<uint64_t> &numbers = {}, int most = 4000) {
    for (int n = 1; n <= most; ++n) {
      int searching = 1, values[2];
      section(nullptr, numbers);
      GOOD(gp_tuner_best(tuner, numbers.data(), int(numbers.size()), values, nullptr, nullptr, &searching));
      if (!searching) return n;
    }
    return most + 1;
  }
  double quality(const std::vector<uint64_t> &numbers = {}) { // of the best known, in units of the least time
    int values[2];
    GOOD(gp_tuner_best(tuner, numbers.data(), int(numbers.size()), values, nullptr, nullptr, nullptr));
    threads = values[0], unroll = values[1];
    return exact() / least();
  }
};

static void test_arguments() {
  gp_context *ctx = open_fake();
  gp_tuner_config config = gp_tuner_config_init();
  gp_tuner *tuner = reinterpret_cast<gp_tuner *>(1);
  int a = 5, b = 6, more[GP_TUNER_PARAMETERS + 1], values[8];
  const int twice[] = {1, 2, 1};
  const uint64_t numbers[8] = {0};
  BAD(GP_E_NULL, "config is null", gp_tuner_open(ctx, nullptr, &tuner));
  CHECK(!tuner);
  BAD(GP_E_NULL, "tuner is null", gp_tuner_open(ctx, &config, nullptr));
  BAD(GP_E_CONTEXT, "ctx is null", gp_tuner_open(nullptr, &config, &tuner));
  config.search = gp_tuner_search(6);
  BAD(GP_E_ARGUMENT, "config.search is 6", gp_tuner_open(ctx, &config, &tuner));
  config.search = GP_SEARCH_AUTO;
  for (const double budget : {-0.1, 1.1, std::nan("")}) {
    config.budget = budget;
    BAD(GP_E_ARGUMENT, "config.budget", gp_tuner_open(ctx, &config, &tuner));
  }
  config.budget = 0;
  const std::string longest(256, 'a');
  for (const char *name : {"", "a\nb", "a\"b", longest.c_str()}) {
    config.name = name;
    BAD(GP_E_ARGUMENT, "config.name", gp_tuner_open(ctx, &config, &tuner));
  }
  config.name = nullptr;
  config.struct_size = 4;
  BAD(GP_E_ARGUMENT, "config.struct_size", gp_tuner_open(ctx, &config, &tuner));
  config = gp_tuner_config_init();
  GOOD(gp_tuner_open(ctx, &config, &tuner));
  BAD(GP_E_ARGUMENT, "no parameters", gp_tuner_start(tuner, nullptr));
  BAD(GP_E_NULL, "tuner is null", gp_tuner_add_parameter(nullptr, "a", &a, threads_range, 32));
  BAD(GP_E_NULL, "name is null", gp_tuner_add_parameter(tuner, nullptr, &a, threads_range, 32));
  BAD(GP_E_NULL, "variable is null", gp_tuner_add_parameter(tuner, "a", nullptr, threads_range, 32));
  BAD(GP_E_ARGUMENT, "name", gp_tuner_add_parameter(tuner, "", &a, threads_range, 32));
  BAD(GP_E_ARGUMENT, "name", gp_tuner_add_parameter(tuner, "a b", &a, threads_range, 32));
  BAD(GP_E_ARGUMENT, "value, 33, is not in range", gp_tuner_add_parameter(tuner, "a", &a, threads_range, 33));
  BAD(GP_E_ARGUMENT, "range is empty", gp_tuner_add_parameter(tuner, "a", &a, gp_range_steps(5, 4, 1), 5));
  BAD(GP_E_ARGUMENT, "range.step is 0", gp_tuner_add_parameter(tuner, "a", &a, gp_range_steps(4, 5, 0), 5));
  BAD(GP_E_ARGUMENT, "more than 65536",
      gp_tuner_add_parameter(tuner, "a", &a, gp_range_steps(INT32_MIN, INT32_MAX, 1), 5));
  BAD(GP_E_ARGUMENT, "range.lowest is 0", gp_tuner_add_parameter(tuner, "a", &a, gp_range_powers(0, 8), 1));
  BAD(GP_E_ARGUMENT, "range is empty", gp_tuner_add_parameter(tuner, "a", &a, gp_range_powers(9, 8), 1));
  BAD(GP_E_NULL, "range.values is null", gp_tuner_add_parameter(tuner, "a", &a, gp_range_values(nullptr, 2), 1));
  BAD(GP_E_ARGUMENT, "range is empty", gp_tuner_add_parameter(tuner, "a", &a, gp_range_values(twice, 0), 1));
  BAD(GP_E_ARGUMENT, "range.values has 1 twice", gp_tuner_add_parameter(tuner, "a", &a, gp_range_values(twice, 3), 1));
  BAD(GP_E_ARGUMENT, "range.kind is 0", gp_tuner_add_parameter(tuner, "a", &a, gp_range{}, 1));
  CHECK(a == 5);
  GOOD(gp_tuner_add_parameter(tuner, "a", &a, gp_range_powers(1 << 29, INT32_MAX), 1 << 30));
  CHECK(a == 1 << 30);
  BAD(GP_E_ARGUMENT, "the tuner has a parameter a", gp_tuner_add_parameter(tuner, "a", &b, threads_range, 32));
  BAD(GP_E_ARGUMENT, "variable is that of the parameter a", gp_tuner_add_parameter(tuner, "b", &a, threads_range, 32));
  for (int i = 1; i < GP_TUNER_PARAMETERS; ++i)
    GOOD(gp_tuner_add_parameter(tuner, ("p" + std::to_string(i)).c_str(), &more[i], gp_range_choices(twice, 2), 2));
  BAD(GP_E_ARGUMENT, "8 parameters, the most", gp_tuner_add_parameter(tuner, "z", &b, threads_range, 32));
  BAD(GP_E_ARGUMENT, "no section of this thread is open", gp_tuner_stop(tuner, nullptr));
  BAD(GP_E_ARGUMENT, "no section of this thread is open", gp_tuner_reject(tuner));
  BAD(GP_E_NULL, "numbers is null", gp_tuner_start_for(tuner, nullptr, 1, nullptr));
  BAD(GP_E_ARGUMENT, "count is 5", gp_tuner_start_for(tuner, numbers, 5, nullptr));
  BAD(GP_E_ARGUMENT, "count is -1", gp_tuner_start_for(tuner, numbers, -1, nullptr));
  GOOD(gp_tuner_start(tuner, nullptr));
  BAD(GP_E_ARGUMENT, "this thread's section is open", gp_tuner_start(tuner, nullptr));
  BAD(GP_E_ARGUMENT, "the tuner has started", gp_tuner_add_parameter(tuner, "z", &b, threads_range, 32));
  fake::Stream *other = fake::make_stream(), *stranger = fake::make_stream(&fake::foreign);
  BAD(GP_E_ARGUMENT, "stream is not that of gp_tuner_start", gp_tuner_stop(tuner, other));
  BAD(GP_E_ARGUMENT, "no section of this thread is open", gp_tuner_stop(tuner, nullptr));
  int stray = 0;
  BAD(GP_E_STREAM, "stream", gp_tuner_start(tuner, &stray));
  GOOD(gp_tuner_start(tuner, other)); // the program goes on
  GOOD(gp_tuner_stop(tuner, other));
  BAD(GP_E_NULL, "values is null", gp_tuner_best(tuner, nullptr, 0, nullptr, nullptr, nullptr, nullptr));
  BAD(GP_E_NULL, "tuner is null", gp_tuner_best(nullptr, nullptr, 0, values, nullptr, nullptr, nullptr));
  BAD(GP_E_NULL, "tuner is null", gp_tuner_start(nullptr, nullptr));
  BAD(GP_E_NULL, "tuner is null", gp_tuner_stop(nullptr, nullptr));
  BAD(GP_E_NULL, "tuner is null", gp_tuner_reject(nullptr));
  BAD(GP_E_NULL, "tuner is null", gp_tuner_close(nullptr));
  CHECK(gp_tuner_report(nullptr, nullptr, 0) == 0);
  GOOD(gp_tuner_close(tuner)); // with a parameter whose range has one good end
  fake::destroy_stream(stranger);
  // The context goes first.
  GOOD(gp_tuner_open(ctx, &config, &tuner));
  GOOD(gp_tuner_add_parameter(tuner, "a", &a, gp_range_choices(twice, 2), 2));
  for (int i = 0; i < 3; ++i) {
    GOOD(gp_tuner_start(tuner, nullptr));
    GOOD(gp_tuner_stop(tuner, nullptr));
  }
  GOOD(gp_close(ctx));
  a = 77;
  BAD(GP_E_CONTEXT, "gp_tuner_start: ctx is closed", gp_tuner_start(tuner, nullptr));
  CHECK(a == 2); // its default
  BAD(GP_E_CONTEXT, "gp_tuner_stop: ctx is closed", gp_tuner_stop(tuner, nullptr));
  GOOD(gp_tuner_close(tuner));
  fake::destroy_stream(other);
}

// Finds the optimum, at most with the budget's cost, whatever the search; no call of the driver waits or launches.
static void test_search() {
  for (int search = 0; search <= int(GP_SEARCH_SURROGATE); ++search)
    for (const double noise : {0.0, 0.02}) {
      gp_context *ctx = open_fake();
      gp_tuner_config config = gp_tuner_config_init();
      config.search = gp_tuner_search(search);
      config.seed = 3;
      Tuned program(ctx, config);
      program.noise = noise;
      const int runs = program.search();
      const double quality = program.quality();
      check(runs <= 4000, __LINE__, "search %d, noise %g: no end", search, noise);
      check(quality < (search == GP_SEARCH_RANDOM ? 1.2 : 1.02 + noise), __LINE__, "search %d, noise %g: %g", search,
          noise, quality);
      while (program.runs < 4000) program.section();
      const double regret = program.total / (double(program.runs) * program.least()) - 1;
      check(regret < 0.25, __LINE__, "search %d, noise %g: a regret of %g", search, noise, regret);
      CHECK(fake::counts.launches == 0 && fake::counts.calls["cuCtxSynchronize"] == 0 &&
          fake::counts.calls["cuEventSynchronize"] == 0 && fake::counts.calls["cuStreamSynchronize"] == 0);
      CHECK(fake::counts.calls["cuEventRecord"] <= 2ul * unsigned(program.runs));
      program.close();
      CLOSE(ctx);
      fake::reset();
    }
}

// A budget bounds what trying costs beyond the best known.
static void test_budget() {
  for (const double budget : {0.01, 0.2}) {
    gp_context *ctx = open_fake();
    gp_tuner_config config = gp_tuner_config_init();
    config.search = GP_SEARCH_EXHAUSTIVE;
    config.budget = budget;
    Tuned program(ctx, config);
    program.best_threads = 128, program.best_unroll = 1; // the default is the best: every other one costs
    for (int i = 0; i < 2000; ++i) program.section();
    const double regret = program.total / (double(program.runs) * program.least()) - 1;
    check(regret < 1.2 * budget + 8.0 / 2000, __LINE__, "budget %g: %g was spent", budget, regret);
    int measured = 0, values[2];
    GOOD(gp_tuner_best(program.tuner, nullptr, 0, values, nullptr, &measured, nullptr));
    CHECK(measured > 1000 && values[0] == 128 && values[1] == 1);
    program.close();
    CLOSE(ctx);
    fake::reset();
  }
}

// Times come late, from many sections at once, or never.
static void test_late() {
  gp_context *ctx = open_fake();
  Tuned program(ctx);
  fake::machine.finished = false;
  for (int i = 0; i < 500; ++i) program.section();
  int measured = -1, values[2], searching = 0;
  GOOD(gp_tuner_best(program.tuner, nullptr, 0, values, nullptr, &measured, &searching));
  CHECK(measured == 0 && values[0] == 128 && values[1] == 1 && searching);
  fake::machine.finished = true;
  for (int round = 0; round < 60; ++round) { // the GPU is 30 sections behind
    fake::machine.finished = false;
    for (int i = 0; i < 30; ++i) program.section();
    fake::machine.finished = true;
    program.section();
  }
  CHECK(program.quality() < 1.02);
  program.close();
  CLOSE(ctx);
}

// Under capture nothing is measured or queried, and the best known configuration runs.
static void test_capture() {
  gp_context *ctx = open_fake();
  Tuned program(ctx);
  fake::Stream *stream = fake::make_stream();
  program.search();
  const double best = program.quality();
  const unsigned long records = fake::counts.calls["cuEventRecord"];
  stream->capturing = 1, fake::strict_capture = true;
  for (int i = 0; i < 5; ++i) program.section(stream);
  CHECK(fake::counts.calls["cuEventRecord"] == records && program.exact() / program.least() == best);
  program.section(); // another stream, beside the capture
  stream->capturing = 0, fake::strict_capture = false;
  program.close();
  CLOSE(ctx);
  fake::destroy_stream(stream);
}

// Configurations that cannot run are never tried again, and never fatal.
static void test_invalid() {
  gp_context *ctx = open_fake();
  gp_tuner_config config = gp_tuner_config_init();
  static long asked;
  config.valid = [](void *, const int *v) {
    ++asked;
    return int(v[0] * v[1] <= 2048 && v[0] % 64 == 0);
  };
  Tuned program(ctx, config);
  std::map<std::pair<int, int>, int> rejected;
  for (int i = 0; i < 1500; ++i) {
    GOOD(gp_tuner_start(program.tuner, nullptr));
    CHECK(program.threads * program.unroll <= 2048 && program.threads % 64 == 0);
    if (program.threads > 320) { // refused by the driver
      CHECK(++rejected[std::make_pair(program.threads, program.unroll)] == 1);
      GOOD(gp_tuner_reject(program.tuner));
      continue;
    }
    fake::machine.clock += program.exact();
    GOOD(gp_tuner_stop(program.tuner, nullptr));
  }
  CHECK(asked > 10 && program.quality() < 1.1 && program.threads <= 320);
  program.close();
  // Nothing runs at all: the default stays.
  Tuned none(ctx);
  for (int i = 0; i < 400; ++i) {
    GOOD(gp_tuner_start(none.tuner, nullptr));
    GOOD(gp_tuner_reject(none.tuner));
  }
  int values[2];
  GOOD(gp_tuner_best(none.tuner, nullptr, 0, values, nullptr, nullptr, nullptr));
  none.close();
  CLOSE(ctx);
}

// Sizes have optima of their own, which begin at their neighbours'; a slower best reopens the search.
static void test_buckets() {
  gp_context *ctx = open_fake();
  Tuned program(ctx);
  program.noise = 0.01;
  CHECK(program.search({1000}) <= 4000 && program.quality({1000}) < 1.03);
  CHECK(program.search({1023}) == 1); // the same bucket
  program.best_threads = 768;
  program.section(nullptr, {1 << 20});
  int values[2], near[2];
  GOOD(gp_tuner_best(program.tuner, nullptr, 0, values, nullptr, nullptr, nullptr));
  program.search({1 << 20});
  CHECK(program.quality({1 << 20}) < 1.03);
  program.best_threads = 288;
  CHECK(program.quality({1000}) < 1.03);
  // Drift: the same numbers, another input. The optimum moves.
  for (int i = 0; i < 60; ++i) program.section(nullptr, {1000});
  program.best_threads = 960, program.best_unroll = 1;
  int searching = 0, sections = 0;
  while (!searching && ++sections < 100) {
    program.section(nullptr, {1000});
    GOOD(gp_tuner_best(program.tuner, program.runs ? std::vector<uint64_t>{1000}.data() : nullptr, 1, near, nullptr,
        nullptr, &searching));
  }
  CHECK(sections <= 31);
  program.search({1000});
  CHECK(program.quality({1000}) < 1.03);
  // Noise alone does not.
  program.noise = 0.05;
  for (int i = 0; i < 3000; ++i) {
    program.section(nullptr, {1000});
    GOOD(gp_tuner_best(program.tuner, std::vector<uint64_t>{1000}.data(), 1, near, nullptr, nullptr, &searching));
    if (searching) break;
  }
  CHECK(!searching);
  // More numbers than a tuner has buckets for.
  for (uint64_t a = 0; a < 64; ++a)
    for (uint64_t b = 0; b < 8; ++b) program.section(nullptr, {uint64_t(1) << a, b, 0, 5});
  program.close();
  CLOSE(ctx);
}

static std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}
static void write_file(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The next process begins where this one ended; a file that is damaged or another tuner's is not used.
static void test_memory() {
  char folder[] = P_tmpdir "/gpuprims_tuner_XXXXXX";
  if (!CHECK(mkdtemp(folder))) return;
  gp_config k = config();
  k.cache_dir = folder;
  gp_context *ctx = nullptr;
  gp_tuner_config named = gp_tuner_config_init();
  named.name = "a bowl";
  const std::vector<uint64_t> numbers = {5000, 3};
  const auto file_of = [&] {
    std::string path;
    DIR *d = opendir(folder);
    while (const dirent *e = readdir(d))
      if (strstr(e->d_name, ".tuner")) path = std::string(folder) + "/" + e->d_name;
    closedir(d);
    return path;
  };
  GOOD(gp_open(&k, &ctx));
  int found[2];
  {
    Tuned program(ctx, named);
    CHECK(program.search(numbers) <= 4000);
    program.quality(numbers);
    found[0] = program.threads, found[1] = program.unroll;
    CHECK(!file_of().empty()); // before the program ends
    program.section(); // and a bucket whose search has only begun
  }
  const std::string path = file_of(), text = read_file(path);
  CHECK(text.size() > 100 && text.compare(text.size() - 4, 4, "end\n") == 0);
  {
    Tuned program(ctx, named);
    GOOD(gp_tuner_start_for(program.tuner, numbers.data(), 2, nullptr));
    CHECK(program.threads == found[0] && program.unroll == found[1]);
    fake::machine.clock += 100;
    GOOD(gp_tuner_stop(program.tuner, nullptr));
    CHECK(program.search(numbers) == 1);
    // The best one no longer runs here: the search begins again.
    GOOD(gp_tuner_start_for(program.tuner, numbers.data(), 2, nullptr));
    GOOD(gp_tuner_reject(program.tuner));
    CHECK(program.search(numbers) > 1);
  }
  { // another range, another tuner
    gp_tuner *tuner = nullptr;
    int threads = 0;
    GOOD(gp_tuner_open(ctx, &named, &tuner));
    GOOD(gp_tuner_add_parameter(tuner, "threads", &threads, threads_range, 128));
    GOOD(gp_tuner_start_for(tuner, numbers.data(), 2, nullptr));
    CHECK(threads == 128);
    GOOD(gp_tuner_stop(tuner, nullptr));
    GOOD(gp_tuner_close(tuner));
  }
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) { // damaged in any way: not used, or read as another well-formed file
    std::string broken = text;
    const size_t at = random() % broken.size();
    switch (i % 4) {
    case 0: broken.resize(at); break;
    case 1: broken[at] = char(random() % 256); break;
    case 2: broken.insert(at, std::string(1 + random() % 30, "0 9\n-x"[random() % 6])); break;
    default: broken.erase(at, 1 + random() % 10);
    }
    write_file(path, broken);
    Tuned program(ctx, named);
    GOOD(gp_tuner_start_for(program.tuner, numbers.data(), 2, nullptr));
    CHECK(program.threads >= 32 && program.threads <= 1024 && program.unroll >= 1 && program.unroll <= 32);
    GOOD(gp_tuner_stop(program.tuner, nullptr));
    GOOD(gp_tuner_start_for(program.tuner, numbers.data(), 2, nullptr));
    GOOD(gp_tuner_stop(program.tuner, nullptr));
  }
  CHECK(warnings("it is damaged") > 20 && warnings("describes another tuner") > 20);
  CLOSE(ctx);
  const std::string command = std::string("rm -rf ") + folder;
  CHECK(!system(command.c_str()));
}

// Threads with streams of their own share a tuner; sections that overlap share a configuration.
static void test_threads() {
  gp_context *ctx = open_fake();
  Tuned program(ctx);
  std::atomic<long> open{0}, alone{0};
  std::atomic<bool> torn{false};
  std::vector<std::thread> threads;
  std::mutex clock;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      fake::Stream *stream;
      {
        std::lock_guard<std::mutex> guard(clock);
        stream = fake::make_stream();
      }
      for (int n = 0; n < 400; ++n) {
        if (gp_tuner_start(program.tuner, stream) != GP_SUCCESS) torn = true;
        const bool first = open++ == 0;
        const int a = __atomic_load_n(&program.threads, __ATOMIC_RELAXED);
        std::this_thread::yield();
        if (a != __atomic_load_n(&program.threads, __ATOMIC_RELAXED)) torn = true; // within a section
        alone += first;
        --open;
        if (gp_tuner_stop(program.tuner, stream) != GP_SUCCESS) torn = true;
      }
      std::lock_guard<std::mutex> guard(clock);
      fake::destroy_stream(stream);
    });
  for (std::thread &t : threads) t.join();
  CHECK(!torn && alone > 0);
  program.close();
  CLOSE(ctx);
}

// Every call of the driver may fail: an error that says so, and the program goes on.
static void test_faults() {
  unsigned long first = 0;
  int failures = 0;
  for (unsigned long k = 1; k < 40; ++k) {
    gp_context *ctx = open_fake();
    Tuned program(ctx);
    first = fake::counts.total;
    fake::fail_at = first + k;
    int errors = 0;
    for (int i = 0; i < 12; ++i) {
      const gp_result begun = gp_tuner_start(program.tuner, nullptr);
      CHECK(program.threads >= 32 && program.threads <= 1024);
      fake::machine.clock += program.exact();
      const gp_result ended = begun ? GP_SUCCESS : gp_tuner_stop(program.tuner, nullptr);
      errors += begun || ended;
      if (begun || ended) check(begun == GP_E_DRIVER || ended == GP_E_DRIVER, __LINE__, "%s", gp_last_message());
    }
    CHECK(errors <= 1);
    failures += errors;
    fake::fail_at = 0;
    CHECK(program.search() <= 4000 && program.quality() < 1.02);
    program.close();
    CLOSE(ctx);
    fake::reset();
  }
  CHECK(failures > 10);
}

// The report is the path: a line for the tuner, a line per section.
static void test_report() {
  gp_context *ctx = open_fake();
  gp_tuner_config config = gp_tuner_config_init();
  config.name = "a report";
  Tuned program(ctx, config);
  for (int i = 0; i < 5000; ++i) program.section(nullptr, {1000});
  const size_t length = gp_tuner_report(program.tuner, nullptr, 0);
  std::string text(length + 1, 'x');
  CHECK(gp_tuner_report(program.tuner, &text[0], text.size()) == length && !text[length]);
  char part[20];
  CHECK(gp_tuner_report(program.tuner, part, sizeof part) == length && !memcmp(part, text.data(), 19) && !part[19]);
  text.resize(length);
  CHECK(std::count(text.begin(), text.end(), '\n') == 4097);
  CHECK(!text.rfind("{\"tuner\": \"a report\", \"parameters\": [{\"name\": \"threads\", \"values\": [32, 64, ", 0));
  const size_t last = text.rfind("{\"bucket\"");
  CHECK(!text.compare(last, 31, "{\"bucket\": [512], \"values\": [28") && text[length - 2] == '}');
  program.close();
  CLOSE(ctx);
}

// A section in which the library builds kernels takes what it takes once. It is not measured, and the budget pays
// nothing.
static void test_building() {
  gp_context *ctx = open_fake();
  gp_tuner *tuner = nullptr;
  gp_tuner_config config = gp_tuner_config_init();
  int type = 0, values[2], measured = 0, searching = 1, in[4] = {1, 2, 3, 4}, n = 0;
  double us = 0;
  int64_t out = 0;
  const int types[] = {GP_I32, GP_U32, GP_F32};
  std::set<int> seen;
  GOOD(gp_tuner_open(ctx, &config, &tuner));
  GOOD(gp_tuner_add_parameter(tuner, "type", &type, gp_range_choices(types, 3), GP_I32));
  for (; n < 100 && searching; ++n) {
    GOOD(gp_tuner_start(tuner, nullptr));
    fake::machine.clock += type == GP_U32 ? 50 : 100;
    if (seen.insert(type).second) fake::machine.clock += 1e6;
    GOOD(gp_reduce(ctx, GP_SUM, gp_type(type), gp_type(type), in, 4, &out, nullptr));
    GOOD(gp_tuner_stop(tuner, nullptr));
    GOOD(gp_tuner_best(tuner, nullptr, 0, values, &us, &measured, &searching));
  }
  CHECK(!searching && values[0] == GP_U32 && us < 60 && measured <= n - 3);
  std::string text(gp_tuner_report(tuner, nullptr, 0) + 1, 0);
  gp_tuner_report(tuner, &text[0], text.size());
  CHECK(text.find("\"us\": 1000") == std::string::npos);
  GOOD(gp_tuner_close(tuner));
  // A program that builds in every section is measured all the same.
  Tuned program(ctx);
  for (int i = 0; i < 40; ++i) {
    GOOD(gp_tuner_start(program.tuner, nullptr));
    fake::machine.clock += program.exact();
    GOOD(gp_trim(ctx, 0));
    GOOD(gp_reduce(ctx, GP_SUM, GP_I32, GP_I32, in, 4, &out, nullptr));
    GOOD(gp_tuner_stop(program.tuner, nullptr));
  }
  GOOD(gp_tuner_best(program.tuner, nullptr, 0, values, nullptr, &measured, nullptr));
  CHECK(measured >= 8 && measured <= 12);
  program.close();
  CLOSE(ctx);
}

// The host back end measures by its clock.
static void test_host() {
  gp_config k = gp_config_init();
  gp_context *ctx = nullptr;
  k.backend = GP_BACKEND_HOST;
  k.cache_dir = "";
  GOOD(gp_open(&k, &ctx));
  gp_tuner_config config = gp_tuner_config_init();
  gp_tuner *tuner = nullptr;
  int way = 0, searching = 1, values[1];
  const int ways[] = {7, 1, 4};
  double us = 0;
  config.budget = 1;
  GOOD(gp_tuner_open(ctx, &config, &tuner));
  GOOD(gp_tuner_add_parameter(tuner, "way", &way, gp_range_choices(ways, 3), 7));
  for (int i = 0; i < 200 && searching; ++i) {
    GOOD(gp_tuner_start(tuner, nullptr));
    const double until = gp__now_us() + 100 * way;
    while (gp__now_us() < until) {}
    GOOD(gp_tuner_stop(tuner, nullptr));
    GOOD(gp_tuner_best(tuner, nullptr, 0, values, &us, nullptr, &searching));
  }
  CHECK(!searching && values[0] == 1 && us >= 99 && us < 2000);
  GOOD(gp_tuner_close(tuner));
  GOOD(gp_close(ctx));
}

// C++'s form.
static void test_scoped() {
  gp_context *ctx = open_fake();
  {
    gp_online online(ctx, "scoped");
    gp_online::parameter threads(online, "threads", threads_range, 256);
    for (int i = 0; i < 300; ++i) {
      gp_online::section section(online, nullptr);
      fake::machine.clock += 10 + abs(threads - 512);
    }
    int best[1];
    GOOD(gp_tuner_best(online.tuner, nullptr, 0, best, nullptr, nullptr, nullptr));
    CHECK(abs(best[0] - 512) <= 32);
  }
  CLOSE(ctx);
  gp_online nothing(nullptr, "none");
  gp_online::parameter threads(nothing, "threads", threads_range, 256);
  gp_online::section section(nothing, nullptr);
  CHECK(threads == 256);
}

int main(int argc, char **argv) {
  return run_groups(argc, argv,
      {{"arguments", test_arguments}, {"search", test_search}, {"budget", test_budget}, {"late", test_late},
          {"capture", test_capture}, {"invalid", test_invalid}, {"buckets", test_buckets}, {"memory", test_memory},
          {"threads", test_threads}, {"faults", test_faults}, {"building", test_building}, {"report", test_report},
          {"host", test_host}, {"scoped", test_scoped}});
}
