// histogram.c - black and white point of a photograph, colour by colour, without a copy to the host in between.
//
// The camera gives 12-bit samples, four a pixel: red, green, blue and an unused one. The program computes a histogram
// of the first three, its running total, and searches that for the points where 1 % and 99 % of the pixels are darker.
//
//     cc -I. examples/histogram.c -o histogram -ldl -lpthread -lm && ./histogram
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

enum { WIDTH = 640, HEIGHT = 480, PIXELS = WIDTH * HEIGHT, CHANNELS = 4, COLOURS = 3, BINS = 4096 };

int main(void) {
  static const char *const names[COLOURS] = {"red", "green", "blue"};
  static const uint16_t lower[COLOURS] = {0, 0, 0}, upper[COLOURS] = {BINS, BINS, BINS};
  const uint32_t shares[2] = {PIXELS / 100, PIXELS - PIXELS / 100}; // share of darker pixels
  gp_context *ctx;
  gp_description description = gp_description_init();
  device_memory m;
  gp_call call = gp_call_init(GP_HISTOGRAM_EVEN);
  uint16_t *picture = (uint16_t *)malloc(PIXELS * CHANNELS * sizeof *picture);
  uint32_t *expected = (uint32_t *)calloc(COLOURS * BINS, sizeof *expected), points[COLOURS][2];
  void *in, *counters, *needles, *out;
  int i, c, wrong = 0;
  if (!picture || !expected) return 1;
  for (i = 0; i < PIXELS; ++i) { // the same every run: a slope from left to right, darker in blue, with some noise
    for (c = 0; c < CHANNELS; ++c) {
      const int noise = (int)((i * 7919LL + c * 104729LL) % 257);
      picture[i * CHANNELS + c] = (uint16_t)(300 + i % WIDTH * (5 - c) + noise);
      if (c < COLOURS) ++expected[c * BINS + picture[i * CHANNELS + c]];
    }
  }

  check(gp_open(NULL, &ctx));
  check(gp_describe(ctx, &description));
  m = device_memory_open(ctx);
  in = device_memory_new(&m, PIXELS * CHANNELS * sizeof *picture);
  counters = device_memory_new(&m, COLOURS * BINS * sizeof(uint32_t));
  needles = device_memory_new(&m, sizeof shares);
  out = device_memory_new(&m, sizeof points);
  device_memory_write(&m, in, picture, PIXELS * CHANNELS * sizeof *picture);
  device_memory_write(&m, needles, shares, sizeof shares);

  // A bin for each brightness and colour, in one pass over the picture; the colours' counters follow one another.
  // gp_histogram_even takes one channel; gp_call has fields for more.
  call.in_type = GP_U16;
  call.out_type = GP_U32;
  call.in = in;
  call.out = counters;
  call.count = PIXELS;
  call.bins = BINS;
  call.channels = CHANNELS;
  call.active = COLOURS;
  call.lower = lower;
  call.upper = upper;
  check(gp_run(ctx, &call, NULL));
  for (c = 0; c < COLOURS; ++c) {
    uint32_t *of_colour = (uint32_t *)counters + c * BINS;
    check(gp_inclusive_scan(ctx, GP_SUM, GP_U32, GP_U32, of_colour, BINS, of_colour, NULL));
    check(gp_upper_bound(ctx, GP_LESS, GP_U32, GP_U32, of_colour, BINS, needles, 2, (uint32_t *)out + 2 * c, NULL));
  }
  device_memory_read(&m, points, out, sizeof points);
  for (c = 0; c < COLOURS; ++c) {
    uint32_t darker = 0;
    int point[2] = {0, 0}, share = 0;
    for (i = 0; i < BINS; ++i) {
      darker += expected[c * BINS + i];
      while (share < 2 && darker > shares[share]) point[share++] = i;
    }
    wrong += share != 2 || points[c][0] != (uint32_t)point[0] || points[c][1] != (uint32_t)point[1];
    printf("on %s: %s from %u to %u of %d\n", description.name, names[c], points[c][0], points[c][1], BINS);
  }

  device_memory_free(&m, in);
  device_memory_free(&m, counters);
  device_memory_free(&m, needles);
  device_memory_free(&m, out);
  free(picture);
  free(expected);
  check(gp_close(ctx));
  return wrong != 0;
}
