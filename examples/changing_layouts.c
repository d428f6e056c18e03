// changing_layouts.c - an array that changes its layout while the program runs, where that repays its conversion.
//
// The program has phases: some read one member of all particles in order, which columns serve best, some read whole
// particles at random, which structs serve best. It times both kinds of calls in both layouts, and a conversion, once.
// After each call, gp_tune_changes (tools/gp_tune_tree.h) says whether the array is to be converted. Short phases never
// repay a conversion; long ones do. The loops run on the host; conversions, too.
//
//     cc -I. examples/changing_layouts.c -o changing_layouts -ldl -lpthread -lm && ./changing_layouts
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "tools/gp_tune_tree.h"

#include <stdlib.h>
#include <time.h>

#define BODY(F) F(double, mass) F(float, x) F(float, y) F(float, z) F(unsigned, kind) F(double, charge)
GP_LAYOUT(Body, BODY)

enum { COUNT = 30000, LAYOUTS = 2, ACCESSES = 2, MOST_CALLS = 1000 };
static const uint64_t layouts[LAYOUTS] = {GP_SOA, GP_AOS};
static const char *const layout_names[LAYOUTS] = {"columns", "structs"};

static void check(gp_result r) {
  if (!r) return;
  printf("%s\n", gp_last_message());
  exit(1);
}
static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

// One member of all bodies, or all members of every body, in a random order. Both sums are exact.
static double call(gp_array a, int access) {
  double sum = 0;
  uint64_t i, k = 1;
  for (i = 0; i < COUNT; ++i) {
    if (!access) sum += GP_AT(Body, a, i, mass);
    else {
      k = (k * 16807 + 12345) % COUNT;
      sum += GP_AT(Body, a, k, mass) + GP_AT(Body, a, k, x) + GP_AT(Body, a, k, y) + GP_AT(Body, a, k, z) +
          GP_AT(Body, a, k, kind) + GP_AT(Body, a, k, charge);
    }
  }
  return sum;
}
static void convert(gp_context *ctx, const gp_array *from, const gp_array *to) {
  gp_field from_fields[32], to_fields[32];
  const gp_layout in = Body_layout(from, from_fields), out = Body_layout(to, to_fields);
  check(gp_convert_layout(ctx, &in, &out, from->base, COUNT, to->base, 0, NULL));
}

int main(void) {
  static const int phases[][2] = {{1, 1}, {0, 0}, {1, 1}, {0, 0}, {0, 1}}; // access; is it long?
  gp_config config = gp_config_init();
  gp_context *ctx;
  gp_array bodies[LAYOUTS];
  double us[ACCESSES][LAYOUTS], expected[ACCESSES], convert_us = 1e30, gain, calls;
  gp_tune_change change;
  int access, l, phase, i, wrong = 0, changes = 0;
  config.backend = GP_BACKEND_HOST;
  check(gp_open(&config, &ctx));
  for (l = 0; l < LAYOUTS; ++l) {
    bodies[l] = GP_ARRAY_OF(Body, layouts[l], COUNT, 1, 1);
    check(gp_array_check(&bodies[l]));
    bodies[l].base = malloc(gp_array_bytes(&bodies[l]));
    if (!bodies[l].base) return 1;
  }
  for (i = 0; i < COUNT; ++i) {
    GP_AT(Body, bodies[0], i, mass) = i % 7, GP_AT(Body, bodies[0], i, charge) = i % 3;
    GP_AT(Body, bodies[0], i, x) = GP_AT(Body, bodies[0], i, y) = GP_AT(Body, bodies[0], i, z) = (float)(i % 5);
    GP_AT(Body, bodies[0], i, kind) = (unsigned)(i % 11);
  }
  for (i = 0; i < 3; ++i) { // the best of three
    const double began = now_us();
    convert(ctx, &bodies[0], &bodies[1]);
    if (now_us() - began < convert_us) convert_us = now_us() - began;
  }
  for (access = 0; access < ACCESSES; ++access)
    for (l = 0; l < LAYOUTS; ++l)
      for (us[access][l] = 1e30, i = 0; i < 3; ++i) {
        const double began = now_us(), sum = call(bodies[l], access);
        if (now_us() - began < us[access][l]) us[access][l] = now_us() - began;
        if (!l) expected[access] = sum;
        wrong += sum != expected[access];
      }
  printf("a conversion takes %.0f us; one member: %.0f us in columns, %.0f in structs; whole structs: %.0f, %.0f\n",
      convert_us, us[0][0], us[0][1], us[1][0], us[1][1]);
  change = gp_tune_change_of(LAYOUTS, 0, convert_us, 0.25);
  for (phase = 0; phase < (int)(sizeof phases / sizeof *phases); ++phase) {
    access = phases[phase][0];
    gain = us[access][0] - us[access][1];
    calls = 3 * convert_us / (gain < 0 ? -gain : gain); // of a long phase: they repay a conversion
    calls = !phases[phase][1] ? 2 : calls < MOST_CALLS ? calls : (double)MOST_CALLS;
    for (i = 0; i < (int)calls; ++i) {
      const int before = change.now;
      wrong += call(bodies[change.now], access) != expected[access];
      if (!gp_tune_changes(&change, us[access], 0)) continue;
      convert(ctx, &bodies[before], &bodies[change.now]); // both arrays have memory; one of them has the data
      memset(bodies[before].base, 0, gp_array_bytes(&bodies[before]));
      printf("phase %d, call %d: %s become %s\n", phase, i + 1, layout_names[before], layout_names[change.now]);
      ++changes;
    }
  }
  printf("%d changes, %s\n", changes, wrong ? "WRONG" : "right");
  for (l = 0; l < LAYOUTS; ++l) free(bodies[l].base);
  gp_close(ctx);
  return wrong != 0;
}
