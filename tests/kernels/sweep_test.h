// sweep_test.h - shared by the tests of scans, reductions and maps: policies, and the parameters that launches sweep.
#ifndef SWEEP_TEST_H
#define SWEEP_TEST_H

#include "kernel_test.h"

static std::string describe(const char *name, size_t n, size_t in_offset, size_t out_offset, int sms, unsigned seed) {
  char text[200];
  std::snprintf(
      text, sizeof text, "%s n=%zu offsets %zu %zu sms=%d seed=%u:", name, n, in_offset, out_offset, sms, seed);
  return text;
}

struct Options {
  size_t in_offset, out_offset;
  int sms;
  bool in_place, init, count_on_device;
};

typedef gp__policy<64, 1, 3, 3, 3, 2, 2> Tiny; // tiles of 64 vectors
typedef gp__policy<64, 3, 1, 1, 3, 2, 1> Small; // chunks of three vectors
typedef gp__policy<96, 1, 3, 3, 4, 1, 2> Odd; // three warps, four stages
typedef gp__policy<128, 2, 2, 3, 3, 2, 1> Pair;

typedef gp_convert<float, float> SameFloat;
typedef gp_convert<Affine, Affine> SameAffine;

#endif
