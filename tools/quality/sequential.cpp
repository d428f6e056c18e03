// sequential.cpp - the sequential reference: cells of tools/quality/cells.txt by the C++ standard library, one thread.
//
//   sequential < CELLS > LINES     a line {"kind": "sequential", "cell": TEXT, "us": MICROSECONDS} a cell that it knows
//
// tools/quality/sequential.py builds it (-O3) and runs it. The data are random as gp_bench's are: `keep` percent pass,
// runs and segments have the cell's mean length. A time is the median of at most five runs within a second.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

typedef uint8_t u8;
typedef uint32_t u32;
typedef float f32;

struct cell {
  std::string primitive, op, type;
  std::map<std::string, std::string> words;
  size_t n;
  bool has(const char *word) const { return words.count(word) != 0; }
};

static size_t size_of(const std::string &text) {
  const char last = text.empty() ? 0 : text.back();
  return (size_t)(atof(text.c_str()) * (last == 'K' ? 1 << 10 : last == 'M' ? 1 << 20 : last == 'G' ? 1 << 30 : 1));
}
static size_t word(const cell &c, const char *name, size_t usual) {
  const auto found = c.words.find(name);
  return found == c.words.end() ? usual : size_of(found->second.substr(found->second.find(':') + 1));
}

static cell read(const std::string &line) {
  std::istringstream text(line);
  cell c;
  std::string word;
  for (int place = 0; text >> word; place++) {
    const size_t equals = word.find('=');
    if (equals != std::string::npos) c.words[word.substr(0, equals)] = word.substr(equals + 1);
    else if (!place) c.primitive = word;
    else if (isupper((unsigned char)word[0])) c.op = word;
    else c.type = word;
  }
  c.n = size_of(c.words["n"]);
  return c;
}

static double measure(const std::function<void()> &call) {
  std::vector<double> times;
  double total = 0;
  while (times.size() < 5 && (times.empty() || total < 1e6)) {
    const auto start = std::chrono::steady_clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    total += times.back();
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

static volatile double kept; // keeps a result alive

template<class T> static std::vector<T> random(size_t n, unsigned seed) {
  std::vector<T> out(n);
  std::mt19937 make(seed);
  for (T &x : out) x = std::is_same<T, f32>::value ? (T)(make() / 2147483648.0 - 1) : (T)make();
  return out;
}
// Keys whose runs have a geometric length.
static std::vector<u32> runs_of(size_t n, size_t mean) {
  std::vector<u32> out(n);
  std::mt19937 make(5);
  u32 key = 0;
  for (u32 &x : out) x = key += make() % mean == 0;
  return out;
}
// Offsets of segments; pareto: exponent 1.5.
static std::vector<u32> offsets_of(const cell &c) {
  const auto found = c.words.find("segments");
  const bool pareto = found != c.words.end() && found->second.rfind("pareto", 0) == 0;
  const double mean = (double)word(c, "segments", 256);
  std::vector<u32> out(1, 0);
  std::mt19937 make(7);
  while (out.back() < c.n) {
    const double u = (make() + 1.0) / 4294967296.0, length = pareto ? mean / 3 / std::pow(u, 2.0 / 3) + 0.5 : mean;
    out.push_back((u32)std::min((double)c.n, out.back() + std::min(length, 1e9)));
  }
  return out;
}

// Microseconds, or 0: it has no such call.
template<class T> static double time_of(const cell &c) {
  const size_t n = c.n;
  const std::string &p = c.primitive;
  const double share = (double)word(c, "keep", 50) / 100;
  const T limit = std::is_same<T, f32>::value ? (T)(2 * share - 1) : (T)(share * (double)(T)~0ull);
  const auto passes = [=](T x) { return x < limit; };
  std::vector<T> in = random<T>(n, 1), out(n + 1), in2;
  T *const to = out.data();
  if (p == "fill") return measure([&] { std::fill_n(to, n, (T)7); });
  if (p == "iota") return measure([&] { std::iota(to, to + n, (T)0); });
  if (p == "copy") return measure([&] { std::copy(in.begin(), in.end(), to); });
  if (p == "transform") return measure([&] { std::transform(in.begin(), in.end(), to, std::negate<T>()); });
  if (p == "adjacent_difference") return measure([&] { std::adjacent_difference(in.begin(), in.end(), to); });
  if (p == "replace") return measure([&] { std::replace_copy_if(in.begin(), in.end(), to, passes, (T)7); });
  if (p == "equal_arrays") return in2 = in, measure([&] { kept = std::equal(in.begin(), in.end(), in2.begin()); });
  if (p == "count_if") return measure([&] { kept = (double)std::count_if(in.begin(), in.end(), passes); });
  if (p == "find_if") { // of which no element passes
    std::fill(in.begin(), in.end(), limit);
    return measure([&] { kept = (double)(std::find_if(in.begin(), in.end(), passes) - in.begin()); });
  }
  if (p == "reduce" && c.op == "SUM") return measure([&] { kept = std::accumulate(in.begin(), in.end(), T()); });
  if (p == "reduce" && c.op == "MAX") return measure([&] { kept = *std::max_element(in.begin(), in.end()); });
  if (p == "inclusive_scan") return measure([&] { std::partial_sum(in.begin(), in.end(), to); });
  if (p == "exclusive_scan") return measure([&] { std::exclusive_scan(in.begin(), in.end(), to, T()); });
  if (p == "select" && c.has("form")) { // flags of 4 bytes
    const std::vector<u32> flags = random<u32>(n, 3);
    return measure([&] {
      size_t at = 0;
      for (size_t i = 0; i < n; i++) to[at] = in[i], at += flags[i] & 1;
      kept = (double)at;
    });
  }
  if (p == "select") return measure([&] { kept = (double)(std::copy_if(in.begin(), in.end(), to, passes) - to); });
  if (p == "partition")
    return measure([&] { std::partition_copy(in.begin(), in.end(), to, std::make_reverse_iterator(to + n), passes); });
  if (p == "histogram_even") {
    std::vector<u32> bins(256);
    return measure([&] {
      for (T x : in) bins[(u8)x]++;
    });
  }
  if (p == "reduce_by_key" || p == "inclusive_scan_by_key") {
    const std::vector<u32> keys = runs_of(n, word(c, "runs", 32));
    std::vector<u32> found(n);
    const bool reduces = p == "reduce_by_key";
    return measure([&] {
      size_t at = 0;
      T sum = T();
      for (size_t i = 0; i < n; i++) {
        if (i && keys[i] != keys[i - 1]) sum = T(), at++;
        sum += in[i];
        if (reduces) found[at] = keys[i], to[at] = sum;
        else to[i] = sum;
      }
    });
  }
  if (p == "segmented_reduce" || p == "load_balance" || p == "expand") {
    const std::vector<u32> offsets = offsets_of(c);
    const bool reduces = p == "segmented_reduce", expands = p == "expand";
    return measure([&] {
      for (size_t s = 0; s + 1 < offsets.size(); s++) {
        T *const first = to + offsets[s], *const last = to + offsets[s + 1];
        if (reduces) to[s] = std::accumulate(in.begin() + offsets[s], in.begin() + offsets[s + 1], T());
        else std::fill(first, last, expands ? in[s] : (T)s);
      }
    });
  }
  if (p == "gather" || p == "scatter") {
    std::vector<u32> index(n);
    std::iota(index.begin(), index.end(), 0u);
    std::shuffle(index.begin(), index.end(), std::mt19937(9));
    const bool gathers = p == "gather";
    if (c.has("form")) { // flags of one byte, half of them set
      std::vector<u8> flags(n);
      std::mt19937 make(11);
      for (u8 &flag : flags) flag = make() & 1;
      return measure([&] {
        for (size_t i = 0; i < n; i++)
          if (flags[i]) gathers ? to[i] = in[index[i]] : to[index[i]] = in[i];
      });
    }
    return measure([&] {
      for (size_t i = 0; i < n; i++) gathers ? to[i] = in[index[i]] : to[index[i]] = in[i];
    });
  }
  if (p == "unique") {
    const std::vector<u32> keys = runs_of(n, word(c, "runs", 32));
    std::vector<u32> found(n);
    return measure([&] { kept = (double)(std::unique_copy(keys.begin(), keys.end(), found.begin()) - found.begin()); });
  }
  if (p == "lower_bound") {
    std::vector<T> haystack = random<T>(word(c, "haystack", 1 << 20), 2);
    std::sort(haystack.begin(), haystack.end());
    if (c.has("dist")) std::sort(in.begin(), in.end());
    return measure([&] {
      for (size_t i = 0; i < n; i++)
        to[i] = (T)(std::lower_bound(haystack.begin(), haystack.end(), in[i]) - haystack.begin());
    });
  }
  if (p == "sort" || p == "merge_sort") { // the copy of the keys is part of the time
    const bool merges = p == "merge_sort";
    return measure([&] {
      std::copy(in.begin(), in.end(), to);
      if (merges) std::stable_sort(to, to + n);
      else std::sort(to, to + n);
    });
  }
  if (p == "merge" || !p.compare(0, 4, "set_")) { // halves, sorted
    std::sort(in.begin(), in.begin() + (long)(n / 2));
    std::sort(in.begin() + (long)(n / 2), in.end());
    const T *const x = in.data(), *const y = x + n / 2, *const end = x + n;
    if (p == "merge") return measure([&] { std::merge(x, y, y, end, to); });
    if (p == "set_union") return measure([&] { std::set_union(x, y, y, end, to); });
    if (p == "set_intersection") return measure([&] { std::set_intersection(x, y, y, end, to); });
    if (p == "set_difference") return measure([&] { std::set_difference(x, y, y, end, to); });
  }
  return 0;
}

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const cell c = read(line);
    const double us = !c.n ? 0
        : c.type == "u8"   ? time_of<u8>(c)
        : c.type == "u32"  ? time_of<u32>(c)
        : c.type == "f32"  ? time_of<f32>(c)
        : 0;
    if (us > 0) printf("{\"kind\": \"sequential\", \"cell\": \"%s\", \"us\": %.3f}\n", line.c_str(), us);
    fflush(stdout);
  }
  return 0;
}
