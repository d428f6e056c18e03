// The search of a tuner (src/tuner/search.c and the strategies before it) on simulated spaces: every strategy asks for
// valid points only, never for a pending one, ends, and finds the optimum or comes near. Noise, outliers, slow first
// times, invalid and refused points, late times, times out of order or never, no memory.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

// Allocations of the library that succeed before one fails; negative: all succeed.
static int allocations = -1;
static bool allowed() { return allocations < 0 || allocations-- > 0; }
static void *test_calloc(size_t count, size_t size) { return allowed() ? calloc(count, size) : NULL; }
static void *test_realloc(void *old, size_t size) { return allowed() ? realloc(old, size) : NULL; }

#include "simt.h"
#include <stdlib.h> // before its functions are renamed
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#define calloc test_calloc
#define realloc test_realloc
#include "gpuprims.h"
#undef calloc
#undef realloc

static int passed, failed;
static void fault_at(int line, const std::string &what) {
  if (++failed <= 40) printf("FAILED: test_search.cpp:%d: %s\n", line, what.c_str());
#ifdef TEST_MUTANT
  exit(1);
#endif
}
#define CHECK(condition, what) \
  do { \
    if (condition) ++passed; \
    else fault_at(__LINE__, std::string(#condition) + ": " + (what)); \
  } while (0)

#ifdef TEST_FEW
enum { FEW = 1 };
#else
enum { FEW = 0 };
#endif

static_assert(int(GP_TUNER_PARAMETERS) <= int(GP__TUNED_MOST), "a tuner has more parameters than its search");

static const gp_tuner_search STRATEGIES[] = {GP_SEARCH_AUTO, GP_SEARCH_SIMPLEX, GP_SEARCH_RANDOM, GP_SEARCH_COORDINATES,
    GP_SEARCH_EXHAUSTIVE, GP_SEARCH_SURROGATE};
static const char *const NAMES[] = {"auto", "simplex", "random", "coordinates", "exhaustive", "surrogate"};

typedef std::vector<int> Point;
enum { GOOD, INVALID, REFUSED }; // refused: valid() does not know that it cannot run
struct Space {
  std::string name;
  gp__lattice lattice;
  double (*time)(const Point &at);
  int (*state)(const Point &at);
  double noise, outliers, slow_first; // outliers: their share
  double within; // what the simplex reaches of the optimum, in eight of ten runs at least
};

static int all_good(const Point &) { return GOOD; }
static unsigned mixed(const Point &at) {
  unsigned hash = 2166136261u;
  for (int i : at) hash = (hash ^ unsigned(i)) * 16777619u, hash ^= hash >> 15;
  return hash * 2654435761u >> 8;
}
static int mostly_invalid(const Point &at) { return mixed(at) % 5 ? INVALID : GOOD; }
static int mostly_refused(const Point &at) { return mixed(at) % 5 > 1 ? REFUSED : GOOD; }
static int none_good(const Point &) { return INVALID; }
static int none_runs(const Point &) { return REFUSED; }
static int half_space(const Point &at) {
  int sum = 0;
  for (int i : at) sum += i;
  return sum > 14 ? INVALID : GOOD;
}
static double square(double x) { return x * x; }
static double bowl(const Point &at) {
  double sum = 10;
  for (size_t d = 0; d < at.size(); ++d) sum += 0.3 * square(at[d] - 2.0 - double(d));
  return sum;
}
static double long_bowl(const Point &at) { return 10 + square((at[0] - 633) / 100.0); }
static double ridge(const Point &at) { return 10 + square(at[0] - at[1]) / 10.0 + square(at[0] + at[1] - 46) / 200.0; }
static double plateau(const Point &at) {
  return 10 + std::floor(std::abs(at[0] - 8) / 2.0) + std::floor(std::abs(at[1] - 3) / 2.0);
}
static double trap(const Point &at) {
  const double wide = 11.5 + (square(at[0] - 6) + square(at[1] - 6)) / 60,
               deep = 10 + (square(at[0] - 26) + square(at[1] - 24)) / 20;
  return wide < deep ? wide : deep;
}
static double zigzag(const Point &at) {
  return 10 + 0.5 * std::abs(at[0] - 9) + (at[0] % 2 ? 0 : 1) + 0.3 * std::abs(at[1] - 2);
}
static double categories(const Point &at) {
  static const double offset[] = {3, 0, 5, 1.5, 8, 0.5}, best[] = {2, 7, 5, 6, 3, 1};
  return 10 + offset[at[0]] + square(at[1] - best[at[0]]) / 5 + square(at[2] - 6) / 5;
}
static double constant(const Point &) { return 10; }

static gp__lattice lattice(std::vector<int> counts, std::vector<int> start, int categorical = -1) {
  gp__lattice l = {};
  l.dimensions = int(counts.size());
  for (size_t d = 0; d < counts.size(); ++d) l.count[d] = counts[d], l.start[d] = start[d];
  if (categorical >= 0) l.categorical[categorical] = 1;
  return l;
}
static const Space SPACES[] = {
    {"bowl", lattice({10, 10, 10}, {7, 7, 1}), bowl, all_good, 0.01, 0, 0, 1.02},
    {"bowl with outliers", lattice({10, 10}, {9, 0}), bowl, all_good, 0.03, 0.03, 0, 1.05},
    {"noisy bowl", lattice({10, 10}, {9, 0}), bowl, all_good, 0.10, 0, 0, 1.10},
    {"slow first times", lattice({16, 16}, {15, 15}), bowl, all_good, 0.01, 0, 0.3, 1.02},
    {"ridge", lattice({32, 32}, {2, 20}), ridge, all_good, 0.01, 0, 0, 1.03},
    {"plateau", lattice({12, 12}, {2, 10}), plateau, all_good, 0.005, 0, 0, 1.01},
    {"trap", lattice({32, 32}, {5, 5}), trap, all_good, 0.01, 0, 0, 1.16},
    {"zigzag", lattice({12, 6}, {2, 5}), zigzag, all_good, 0.01, 0, 0, 1.06},
    {"mostly invalid", lattice({12, 12}, {9, 9}), bowl, mostly_invalid, 0.01, 0, 0, 1.4},
    {"mostly refused", lattice({12, 12}, {9, 9}), bowl, mostly_refused, 0.01, 0, 0, 1.4},
    {"half a space", lattice({10, 10, 10}, {0, 0, 9}), bowl, half_space, 0.01, 0, 0, 1.05},
    {"one long parameter", lattice({1000}, {10}), long_bowl, all_good, 0.01, 0, 0, 1.02},
    {"five parameters", lattice({8, 8, 8, 8, 8}, {7, 7, 7, 0, 0}), bowl, all_good, 0.01, 0, 0, 1.1},
    {"categories", lattice({6, 10, 10}, {0, 3, 3}, 0), categories, all_good, 0.01, 0, 0, 1.06},
    {"categories alone", lattice({6, 1}, {3, 0}, 0), constant, all_good, 0.01, 0, 0, 1.01},
    {"one point", lattice({1}, {0}), constant, all_good, 0.01, 0, 0, 1.01},
    {"one parameter of two values", lattice({2}, {1}), bowl, all_good, 0.01, 0, 0, 1.02},
    {"eight parameters", lattice({2, 2, 2, 2, 2, 2, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0}), bowl, all_good, 0.01, 0, 0, 1.1},
    {"twelve parameters", lattice({2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), bowl,
        all_good, 0.01, 0, 0, 1.1},
    {"nothing valid", lattice({9, 9}, {3, 3}), bowl, none_good, 0.01, 0, 0, 0},
    {"nothing runs", lattice({9, 9}, {3, 3}), bowl, none_runs, 0.01, 0, 0, 0},
};

struct Run { // of a search in a space
  const Space &space;
  gp__search *search;
  uint64_t random;
  std::map<Point, int> asked, pending, calls; // calls of valid()
  int called = 0, most_called = 0; // calls within an ask
  std::vector<Point> path;
  double outlier = 2; // an outlier's time by the usual one
  double once = 1; // the first time of each value of the first parameter, by the usual one
  int cold = 0; // first times of the run that are 1.5 times the usual ones
  std::map<int, int> drawn;
  bool sound = true;
  std::string fault;

  Run(const Space &in, gp_tuner_search kind, uint64_t seed) : space(in), random(seed * 1000003) {
    search = gp__search_open(&in.lattice, kind, seed, valid, this);
  }
  ~Run() { gp__search_close(search); }
  static int valid(void *user, const int *point) {
    Run *run = static_cast<Run *>(user);
    const Point at(point, point + run->space.lattice.dimensions);
    for (int d = 0; d < run->space.lattice.dimensions; ++d)
      if (at[size_t(d)] < 0 || at[size_t(d)] >= run->space.lattice.count[d]) run->blame("a point outside");
    ++run->calls[at];
    ++run->called;
    return run->space.state(at) != INVALID;
  }
  void blame(const char *what) {
    sound = false;
    fault = what;
  }
  double uniform() { return double(gp__random64(&random) >> 11) / 9007199254740992.0; }
  double draw(const Point &at) {
    if (space.state(at) == REFUSED) return -1;
    const double normal = std::sqrt(-2 * std::log(uniform() + 1e-300)) * std::cos(6.283185307179586 * uniform());
    return space.time(at) * (1 + space.noise * std::abs(normal)) * (uniform() < space.outliers ? outlier : 1) *
        (asked[at] == 1 ? 1 + space.slow_first : 1) * (++drawn[at[0]] == 1 ? once : 1) * (cold-- > 0 ? 1.5 : 1);
  }
  int ask(Point *at) {
    int point[GP__TUNED_MOST];
    called = 0;
    const int answer = gp__search_ask(search, point);
    if (called > most_called) most_called = called;
    if (answer != GP__ASK_MEASURE) return answer;
    at->assign(point, point + space.lattice.dimensions);
    for (int d = 0; d < space.lattice.dimensions; ++d)
      if ((*at)[size_t(d)] < 0 || (*at)[size_t(d)] >= space.lattice.count[d]) blame("a point outside");
    if (space.state(*at) == INVALID) blame("an invalid point");
    if (pending[*at]) blame("a pending point");
    if (++asked[*at] > 1 && space.state(*at) == REFUSED) blame("a refused point again");
    if (asked[*at] > 12) blame("a point too often");
    pending[*at] = 1;
    path.push_back(*at);
    return answer;
  }
  void tell(const Point &at) {
    pending[at] = 0;
    gp__search_tell(search, at.data(), draw(at));
  }
  Point best(double *time = NULL) {
    int point[GP__TUNED_MOST];
    double unused;
    gp__search_best(search, point, time ? time : &unused);
    return Point(point, point + space.lattice.dimensions);
  }
  // Until the search ends, up to `most` asks; `late`: times wait for so many asks, and arrive out of order. Returns
  // whether it ended.
  bool finish(int most, size_t late) {
    std::vector<Point> waiting;
    Point at;
    for (int i = 0; i < most && sound; ++i) {
      const int answer = ask(&at);
      if (answer == GP__ASK_DONE && waiting.empty()) return true;
      if (answer == GP__ASK_MEASURE) waiting.push_back(at);
      if (answer == GP__ASK_WAIT && waiting.empty()) blame("waits for nothing");
      if (waiting.size() > late || (answer != GP__ASK_MEASURE && !waiting.empty())) {
        const size_t which = size_t(uniform() * double(waiting.size()));
        const Point told = waiting[which];
        waiting.erase(waiting.begin() + long(which));
        tell(told);
      }
    }
    return false;
  }
};

static double optimum(const Space &space) {
  const gp__lattice &l = space.lattice;
  Point at(size_t(l.dimensions), 0);
  double best = 0;
  for (;;) {
    if (space.state(at) == GOOD && (best == 0 || space.time(at) < best)) best = space.time(at);
    int d = 0;
    while (d < l.dimensions && ++at[size_t(d)] == l.count[d]) at[size_t(d++)] = 0;
    if (d == l.dimensions) return best;
  }
}
static uint64_t size_of(const Space &space) { return gp__lattice_size(&space.lattice, 1 << 30); }

static void every_space() {
  for (const Space &space : SPACES)
    for (int kind = 0; kind < 6; ++kind)
      for (size_t late : {size_t(0), size_t(5)}) {
        if (FEW && (kind == GP_SEARCH_SURROGATE || size_of(space) > 2000)) continue;
        const double best = optimum(space);
        int near = 0;
        const int seeds = kind == GP_SEARCH_SURROGATE ? 5 : FEW || size_of(space) > 2000 ? 10 : 20; // a model is slow
        const std::string name = std::string(NAMES[kind]) + ", " + space.name + (late ? ", late times" : "");
        if (kind == GP_SEARCH_EXHAUSTIVE && size_of(space) > 2000) continue;
        for (int seed = 1; seed <= seeds; ++seed) {
          Run run(space, STRATEGIES[kind], uint64_t(seed));
          const bool ended = run.finish(4000, late);
          CHECK(run.sound, name + ": " + run.fault);
          CHECK(ended, name + " does not end");
          for (const auto &call : run.calls)
            CHECK(call.second == 1 || space.state(call.first) != INVALID, name + ": valid() is asked again");
          double time;
          const Point found = run.best(&time);
          if (best == 0) {
            CHECK(
                time == 0 && found == Point(space.lattice.start, space.lattice.start + space.lattice.dimensions), name);
            continue;
          }
          if (space.state(Point(space.lattice.start, space.lattice.start + space.lattice.dimensions)) != INVALID)
            CHECK(run.path[0] == Point(space.lattice.start, space.lattice.start + space.lattice.dimensions),
                name + " does not begin at the start");
          CHECK(space.state(found) == GOOD, name + ": the best cannot run");
          CHECK(run.search->points.deviations >= 4, name + ": the noise is not known");
          if (space.noise >= 0.1) CHECK(run.asked[found] >= 2, name + ": the best has not raced");
          const double within =
              kind == GP_SEARCH_EXHAUSTIVE && space.outliers == 0 ? 1 + space.noise / 2 + 0.001 : space.within;
          near += space.time(found) <= best * within;
          if (kind == GP_SEARCH_EXHAUSTIVE)
            for (const auto &call : run.calls)
              CHECK(space.state(call.first) == INVALID || run.asked[call.first] > 0, name + " leaves a point out");
          if (kind == GP_SEARCH_EXHAUSTIVE) CHECK(run.calls.size() == size_of(space), name + " leaves a point out");
        }
        if (best != 0 && kind != GP_SEARCH_RANDOM)
          CHECK(near * 10 >= seeds * 8,
              name + ": near the optimum in " + std::to_string(near) + " of " + std::to_string(seeds));
      }
}

// One bad time of a category, at the start or later, does not decide: the best category is found all the same. At the
// start it is as fast as the others. Each category's start has two times, and so has the best point of each.
static double apart(const Point &at) {
  static const double least[] = {12.4, 12.6, 12.5, 10}, wide[] = {0.06, 0.06, 0.06, 0.2};
  return least[at[0]] + wide[at[0]] * (square(at[1] - 6) + square(at[2] - 6));
}
static double apart_of_two(const Point &at) {
  static const double least[] = {14, 12, 10};
  return least[at[0]] + 0.05 * (square(at[1] - 6) + square(at[2] - 6));
}
static void bad_times_of_categories() {
  const Space space = {"categories apart", lattice({4, 12, 12}, {0, 3, 3}, 0), apart, all_good, 0.01, 0.1, 0, 0};
  const int seeds = 400;
  int right = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Run run(space, GP_SEARCH_SIMPLEX, uint64_t(seed));
    run.outlier = 1.5;
    CHECK(run.finish(4000, seed % 2 ? 0 : 5) && run.sound, run.fault);
    right += space.time(run.best()) < 10.5;
    const gp__points &points = run.search->points;
    for (int category = 0; category < 4; ++category) {
      double once = 1e300, twice = 1e300; // the least times of points measured once, and more often
      for (size_t i = 0; i < points.count; ++i) {
        const gp__tried *t = &points.tried[i];
        double *least = t->samples > 1 ? &twice : &once;
        if (t->point[0] == category && t->samples) *least = std::min(*least, gp__time_of(&points, t));
      }
      CHECK(category == 0 || run.asked[Point({category, 3, 3})] >= 2, "a category's start has one time");
      CHECK(twice < 1.005 * once, "the best point of a category has one time");
    }
  }
  CHECK(right * 100 >= seeds * 98, std::to_string(right) + " of " + std::to_string(seeds));
}

// The first run of each category does what the program does once: compile, say. It tells nothing of the category.
static void once_for_each_category() {
  const Space space = {"work done once", lattice({3, 12, 12}, {1, 3, 3}, 0), apart_of_two, all_good, 0.01, 0, 0, 0};
  for (int seed = 1; seed <= 100; ++seed) {
    Run run(space, GP_SEARCH_SIMPLEX, uint64_t(seed));
    run.once = seed % 3 ? 1000 : 5000;
    CHECK(run.finish(4000, seed % 2 ? 0 : 3) && run.sound, run.fault);
    CHECK(run.best()[0] == 2, "a category is dropped for what is done once, seed " + std::to_string(seed));
  }
}

// A program begins cold: its first sections take longer, whichever configuration they have. Nothing that is slower than
// the start replaces it for that.
static double start_is_best(const Point &at) {
  return 10 + 0.5 * (2 - at[0]) + 0.3 * (square(at[1] - 6) + square(at[2] - 6));
}
static void cold_starts() {
  const Space space = {"cold", lattice({3, 12, 12}, {2, 6, 6}, 0), start_is_best, all_good, 0.01, 0, 0, 0};
  for (int kind = 0; kind < 6; ++kind) {
    if (FEW && kind == GP_SEARCH_SURROGATE) continue;
    for (int cold = 1; cold <= 3; ++cold)
      for (int seed = 1; seed <= (kind == GP_SEARCH_SURROGATE ? 3 : 20); ++seed)
        for (int late : {0, 4}) {
          Run run(space, STRATEGIES[kind], uint64_t(seed));
          run.cold = cold;
          run.finish(25, size_t(late));
          CHECK(run.sound, run.fault);
          CHECK(space.time(run.best()) < 10.4,
              std::string(NAMES[kind]) + ", " + std::to_string(cold) +
                  " cold: " + std::to_string(space.time(run.best())));
        }
  }
}

// A category that is far slower at the start is the best one at the optimum.
static double steep(const Point &at) {
  const double off = square(at[1] - 9) + square(at[2] - 9);
  return at[0] ? 9 + 0.14 * off : 10 + 0.03 * off;
}
static void categories_slow_at_the_start() {
  const Space space = {"steep category", lattice({2, 12, 12}, {0, 3, 3}, 0), steep, all_good, 0.01, 0, 0, 0};
  for (int seed = 1; seed <= 20; ++seed) {
    Run run(space, GP_SEARCH_SIMPLEX, uint64_t(seed));
    CHECK(run.finish(4000, 0) && run.sound, run.fault);
    CHECK(space.time(run.best()) < 9.5, std::to_string(space.time(run.best())));
  }
}

// An optimum at the end of a parameter's values, narrow, far from a wide one: it is found soon.
static double at_an_end(const Point &at) {
  const double wide = 11.5 + (square(at[0] - 20) + square(at[1] - 24)) / 400, end = 10 + square(at[0] - 20) / 100;
  return at[1] == 0 && end < wide ? end : wide;
}
static void ends_of_parameters() {
  const Space space = {"best at an end", lattice({32, 32}, {5, 6}), at_an_end, all_good, 0.01, 0, 0, 0};
  for (int seed = 1; seed <= 20; ++seed) {
    Run run(space, GP_SEARCH_SIMPLEX, uint64_t(seed));
    run.finish(40, 0);
    CHECK(run.sound, run.fault);
    CHECK(space.time(run.best()) < 10.2, std::to_string(space.time(run.best())));
  }
}

// The same seed makes the same path.
static void deterministic() {
  for (const Space &space : SPACES)
    for (int kind = 0; kind < 6; ++kind) {
      Run one(space, STRATEGIES[kind], 5), two(space, STRATEGIES[kind], 5), other(space, STRATEGIES[kind], 6);
      one.finish(300, 3);
      two.finish(300, 3);
      other.finish(300, 3);
      CHECK(one.path == two.path && one.best() == two.best(), std::string(NAMES[kind]) + ", " + space.name);
      if (kind == GP_SEARCH_RANDOM && size_of(space) > 100 && one.path.size() > 10)
        CHECK(one.path != other.path, "the seed changes nothing in " + space.name);
    }
}

// Points whose times are never told are not handed out again, and the search waits or ends.
static void never_told() {
  for (const Space &space : SPACES)
    for (int kind = 0; kind < 6; ++kind) {
      if (FEW && (kind == GP_SEARCH_SURROGATE || size_of(space) > 2000)) continue;
      Run run(space, STRATEGIES[kind], 3);
      Point at;
      int last = GP__ASK_MEASURE;
      for (int i = 0; i < 3000; ++i) last = run.ask(&at);
      const std::string name = std::string(NAMES[kind]) + ", " + space.name;
      CHECK(run.sound, name + ": " + run.fault);
      CHECK(last != GP__ASK_MEASURE || size_of(space) > 3000, name);
      double time;
      CHECK(run.best(&time) == Point(space.lattice.start, space.lattice.start + space.lattice.dimensions) && time == 0,
          name);
      for (auto &point : run.pending) { // given up
        gp__search_tell(run.search, point.first.data(), -1);
        point.second = 0;
      }
      CHECK(run.finish(40000, 0) || !run.sound, name + " does not end");
      CHECK(run.sound, name + ": " + run.fault);
    }
}

// Times of points that were not asked for, times of invalid ones, and a best point that becomes slower or is refused.
static void told_unasked() {
  for (int kind = 0; kind < 6; ++kind) {
    const std::string name = NAMES[kind];
    Run run(SPACES[0], STRATEGIES[kind], 9);
    const int good[] = {2, 3, 4}, fair[] = {2, 3, 5}, bad[] = {0, 9, 9};
    gp__search_tell(run.search, bad, 70);
    CHECK(run.best() == Point(bad, bad + 3), name);
    gp__search_tell(run.search, fair, 11);
    gp__search_tell(run.search, good, 9);
    double time;
    CHECK(run.best(&time) == Point(good, good + 3) && time == 9, name);
    for (int i = 0; i < 20; ++i) gp__search_tell(run.search, good, 12);
    CHECK(run.best(&time) == Point(fair, fair + 3) && time == 11, name + ": the best became slower");
    gp__search_tell(run.search, fair, -1);
    CHECK(run.best(&time) == Point(good, good + 3) && time == 12, name + ": the best was refused");
    gp__search_tell(run.search, fair, 1);
    CHECK(run.best() == Point(good, good + 3), name + ": an invalid point came back");
    gp__search_tell(run.search, good, 0); // no time
    gp__search_tell(run.search, good, NAN);
    gp__search_tell(run.search, bad, -1);
    CHECK(run.best(&time) == Point({7, 7, 1}) && time == 0, name + ": nothing is left");
    CHECK(run.finish(4000, 0) && run.sound, name + ": " + run.fault);
    CHECK(run.asked.count(Point(good, good + 3)) == 0, name);
    CHECK(run.asked.count(Point(fair, fair + 3)) == 0, name);
  }
}

// A search that has no memory for its table ends, and keeps what it knows.
static void no_memory() {
  for (const Space &space : SPACES)
    for (int kind = 0; kind < 6; ++kind)
      for (int room = 0; room < 6; ++room) {
        const std::string name = std::string(NAMES[kind]) + ", " + space.name + ", " + std::to_string(room);
        allocations = room;
        Run run(space, STRATEGIES[kind], 2);
        if (!run.search) {
          CHECK(room < 3, name);
        } else {
          CHECK(room >= 3, name);
          CHECK(run.finish(4000, 4) || !run.sound, name);
          CHECK(run.sound, name + ": " + run.fault);
          for (int i = 0; i < 5000; ++i) { // unasked: more than there is room for
            const int point[GP__TUNED_MOST] = {i % space.lattice.count[0]};
            gp__search_tell(run.search, point, 100);
          }
          double time;
          run.best(&time);
          CHECK(time > 0 || optimum(space) == 0, name);
        }
        allocations = -1;
      }
}

// The same times in another unit, and a search that is told its best point's time all the while, as a tuner does.
static void noise_is_learned() {
  Run run(SPACES[2], GP_SEARCH_SIMPLEX, 1);
  Point at;
  for (int i = 0; i < 400; ++i) {
    if (run.ask(&at) != GP__ASK_MEASURE) at = run.best();
    run.tell(at);
  }
  const double noise = gp__noise(&run.search->points); // of the half normal distribution
  CHECK(noise > 0.03 && noise < 0.12, std::to_string(noise));
  Run first(SPACES[3], GP_SEARCH_SIMPLEX, 1);
  first.finish(400, 0);
  CHECK(std::abs(first.search->points.slow_first - 1.3) < 0.03, std::to_string(first.search->points.slow_first));
}

// How many points a strategy needs: no more than today's count, by a margin.
static void few_points() {
  for (const Space &space : SPACES) {
    Run run(space, GP_SEARCH_SIMPLEX, 4);
    run.finish(4000, 0);
    CHECK(run.asked.size() <= 40 * size_t(space.lattice.dimensions) + 10, space.name);
  }
}

// Twelve parameters of which few configurations are valid: a search ends, and asks about each invalid point once.
static double far_bowl(const Point &at) {
  double sum = 10;
  for (size_t d = 0; d < at.size(); ++d) sum += 0.2 * square(at[d] - (d % 2 ? 5 : 2));
  return sum;
}
static bool all_four(const Point &at) {
  for (int i : at)
    if (i != 4) return false;
  return true;
}
static int rarely_valid(const Point &at) { return all_four(at) || mixed(at) % 50 == 0 ? GOOD : INVALID; } // 2 %
static int one_valid(const Point &at) { return all_four(at) ? GOOD : INVALID; }
static int low_sums(const Point &at) { // 1 %
  for (size_t d = 0; d < at.size(); d += 3)
    if (at[d] + at[d + 1] + at[d + 2] > 8) return INVALID;
  return GOOD;
}
static void few_valid_points() {
  const std::vector<int> fours(12, 4);
  const Space spaces[] = {
      {"rarely valid", lattice(std::vector<int>(12, 8), fours), far_bowl, rarely_valid, 0.01, 0, 0, 0},
      {"rarely valid, long", lattice(std::vector<int>(12, 300), fours), far_bowl, rarely_valid, 0.01, 0, 0, 0},
      {"low sums", lattice(std::vector<int>(12, 8), std::vector<int>(12, 0)), far_bowl, low_sums, 0.01, 0, 0, 0},
      {"one valid", lattice(std::vector<int>(12, 24), fours), far_bowl, one_valid, 0.01, 0, 0, 0},
      {"one valid, long", lattice(std::vector<int>(12, 2048), fours), far_bowl, one_valid, 0.01, 0, 0, 0},
      {"none valid", lattice(std::vector<int>(12, 24), fours), far_bowl, none_good, 0.01, 0, 0, 0}};
  for (const Space &space : spaces)
    for (int kind = 0; kind < 6; ++kind)
      for (uint64_t seed = 1; seed <= (kind == GP_SEARCH_SURROGATE || FEW ? 1 : 5); ++seed) {
        if (kind == GP_SEARCH_EXHAUSTIVE) continue; // asks about every point
        Run run(space, STRATEGIES[kind], seed);
        const std::string name = std::string(NAMES[kind]) + ", " + space.name;
        CHECK(run.finish(4000, 0), name + " does not end");
        CHECK(run.sound, name + ": " + run.fault);
        for (const auto &call : run.calls)
          CHECK(call.second == 1 || space.state(call.first) != INVALID, name + ": valid() is asked again");
        CHECK(run.most_called <= 10000, name + ": " + std::to_string(run.most_called) + " calls of valid() in an ask");
      }
}

int main() {
  told_unasked(); // what is quick comes first: it catches most mutants
  noise_is_learned();
  bad_times_of_categories();
  categories_slow_at_the_start();
  ends_of_parameters();
  few_points();
  few_valid_points();
  never_told();
  once_for_each_category();
  cold_starts();
  every_space();
#ifndef TEST_FEW
  deterministic();
  no_memory();
#endif
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
