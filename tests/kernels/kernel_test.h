// Shared by the tests of the emulated kernels: checks, user types and operators, data, device memory, a workspace.
#ifndef KERNEL_TEST_H
#define KERNEL_TEST_H

#include "simt.h"
#include "turn.h"
#define GPUPRIMS_SIMT
#include "gpuprims.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;

static int passed, failed;
static std::string only; // run this group alone

static void check(bool good, const std::string &what) {
  if (good) {
    ++passed;
    return;
  }
  ++failed;
  if (failed <= 20) std::printf("FAILED: %s %s\n", what.c_str(), simt::error().c_str());
#ifdef TEST_MUTANT // which is caught
  std::exit(1);
#endif
}

// ---- user operators and types

struct Affine { // x -> a * x + b, modulo 2^32: composition is associative and not commutative
  unsigned a, b;
};
struct Compose {
  typedef Affine type;
  enum { commutative = 0, exact = 0 };
  static Affine identity() { return {1, 0}; }
  static Affine prepare(const Affine &x) { return x; }
  Affine operator()(const Affine &f, const Affine &g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};
struct Triple { // 12 bytes: no whole number of elements in a vector
  int x, y, z;
};
struct AddTriple {
  typedef Triple type;
  enum { commutative = 1, exact = 0 };
  static Triple identity() { return {0, 0, 0}; }
  static Triple prepare(const Triple &t) { return t; }
  Triple operator()(const Triple &a, const Triple &b) const { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
};
struct Wide { // 16 bytes, aligned to 8
  double x;
  long long y;
};
struct AddWide {
  typedef Wide type;
  enum { commutative = 1, exact = 0 };
  static Wide identity() { return {0, 0}; }
  static Wide prepare(const Wide &t) { return t; }
  Wide operator()(const Wide &a, const Wide &b) const { return {a.x + b.x, a.y + b.y}; }
};
struct Large { // 40 bytes: the accumulator takes five words of the workspace
  long long v[5];
};
struct AddLarge {
  typedef Large type;
  enum { commutative = 0, exact = 0 };
  static Large identity() { return {{0, 0, 0, 0, 0}}; }
  static Large prepare(const Large &t) { return t; }
  Large operator()(const Large &a, const Large &b) const {
    Large r;
    for (int i = 0; i < 5; ++i) r.v[i] = a.v[i] + b.v[i];
    return r;
  }
};

// ---- data: values small enough for sums of floats to be exact

static uint64_t random_state = 88172645463325252ull;
static uint32_t random32() {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return uint32_t(random_state >> 16);
}
template<class T> T draw() { return T(random32()); }
template<> float draw<float>() { return float(int(random32() % 17) - 8); }
template<> double draw<double>() { return double(int(random32() % 2001) - 1000); }
template<> gp_f16 draw<gp_f16>() { return gp_f16(float(int(random32() % 5) - 2)); }
template<> gp_bf16 draw<gp_bf16>() { return gp_bf16(float(int(random32() % 3) - 1)); }
template<> Affine draw<Affine>() { return {random32() | 1u, random32()}; }
template<> Triple draw<Triple>() { return {int(random32() % 100), int(random32() % 100), int(random32() % 100)}; }
template<> Wide draw<Wide>() { return {double(random32() % 1000), (long long)(random32())}; }
template<> Large draw<Large>() {
  return {{(long long)random32(), (long long)random32(), (long long)random32(), (long long)random32(), 7}};
}

template<class T> bool same(const T &a, const T &b) { return !std::memcmp(&a, &b, sizeof(T)); }

// Device memory whose first element is `offset` elements past a 256-byte boundary, with exact bounds.
template<class T> struct Device {
  char *block;
  T *data;
  explicit Device(size_t n, size_t offset = 0) {
    block = static_cast<char *>(simt::device_malloc((n + offset) * sizeof(T)));
    data = reinterpret_cast<T *>(block + offset * alignof(T)); // a struct may start between multiples of its size
  }
  Device(const std::vector<T> &from, size_t offset) : Device(from.size(), offset) {
    if (!from.empty()) simt::host_write(data, from.data(), from.size() * sizeof(T));
  }
  ~Device() { simt::device_free(block); }
  std::vector<T> read(size_t n) const { return std::vector<T>(data, data + n); }
};

// One workspace for all launches, zeroed once: no launch may leave it in a state that harms the next one. (A failed
// launch was stopped halfway.)
[[maybe_unused]] static void *workspace(uint64_t words) {
  static void *memory = nullptr;
  static uint64_t capacity = 0;
  static int failures = 0;
  if (words > capacity || failed != failures) {
    failures = failed;
    simt::device_free(memory);
    capacity = words * 2 + 1024;
    memory = simt::device_malloc(GP__CONTROL_BYTES + capacity * GP__WORD_BYTES);
    simt::host_fill(memory, 0, GP__CONTROL_BYTES + capacity * GP__WORD_BYTES);
  }
  return memory;
}

template<class P> gp_policy policy_of(int algorithm) {
  gp_policy p = {algorithm, P::threads, P::vectors, P::load, P::store, P::stages, P::blocks_per_sm, P::overlap, 0, 0, 0,
      0, 0, 0, 0, {}};
  return p;
}
template<class T> unsigned misalignment(const T *p) { return unsigned(reinterpret_cast<uintptr_t>(p) % 16); }

template<class T> bool same_items(const T *got, const std::vector<T> &expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (!same(got[i], expected[i])) return false;
  return true;
}

// First and last lines of main: program [seeds] [name of a test].
static inline int start(int argc, char **argv) {
  if (argc > 2) only = argv[2];
  setvbuf(stdout, nullptr, _IOLBF, 0);
  return argc > 1 ? std::atoi(argv[1]) : 6;
}
static inline int finish() {
  check(simt::live_allocations() <= 1, "nothing but the workspace is left");
  if (cases_waiting) std::printf("waiting: %lu\n", cases_waiting);
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}

#endif
