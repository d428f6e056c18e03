// tuned_layouts.cuh - a kernel with tuned layouts: a time step in which the 32 particles of a cell attract each other.
//
//     make build/gp_tune
//     python3 -m tools.farm layouts examples/tuned_layouts.cuh --sizes 4K,64K,1M,16M --store step.jsonl
//
// runs it over the layouts of the particles in memory, those of the bodies in shared memory, and the block size.
// --header examples/tuned_layouts_tree.h writes the best of each size for examples/tuned_layouts.cu.
#include "gpuprims.h"

#define PARTICLE(F) \
  F(float, x) F(float, y) F(float, z) F(float, mass) F(float, vx) F(float, vy) F(float, vz) F(unsigned char, kind)
#define BODY(F) F(float, x) F(float, y) F(float, z) F(float, mass)
GP_LAYOUT(Particle, PARTICLE) // in memory
GP_LAYOUT(Body, BODY) // a block's copy in shared memory

#define STEP_CELL 32 // particles that attract each other
#define STEP_TIME 0.0625f // of a step

// GP_LAYOUT_Body is not the layout of a kernel parameter: the tuner sees that, and calls it staged.
#define GP_TUNE_FIELDS(F) \
  F(GP_LAYOUT_Particle, GP_AOS, GP_AOS, GP_SOA, 16, 32, 64) \
  F(GP_LAYOUT_Body, GP_AOS, GP_AOS, GP_SOA, 16, 32) \
  F(STEP_THREADS, 256, 64, 128, 256, 512)

#ifndef GP_TUNE_HOST

// particles: n of them; those of each cell attract each other, and move.
extern "C" __global__ void __launch_bounds__(STEP_THREADS) step(gp_array particles, unsigned long long n) {
  GP_SHARED_ARRAY(Body, tile, STEP_THREADS, GP_AOS);
  const unsigned t = threadIdx.x, cell = t / STEP_CELL * STEP_CELL;
  const unsigned long long i = (unsigned long long)blockIdx.x * STEP_THREADS + t;
  GP_AT(Body, tile, t, x) = i < n ? GP_AT(Particle, particles, i, x) : 0;
  GP_AT(Body, tile, t, y) = i < n ? GP_AT(Particle, particles, i, y) : 0;
  GP_AT(Body, tile, t, z) = i < n ? GP_AT(Particle, particles, i, z) : 0;
  GP_AT(Body, tile, t, mass) = i < n ? GP_AT(Particle, particles, i, mass) : 0;
  __syncthreads();
  const float x = GP_AT(Body, tile, t, x), y = GP_AT(Body, tile, t, y), z = GP_AT(Body, tile, t, z);
  float ax = 0, ay = 0, az = 0;
  for (unsigned k = 1; k < STEP_CELL; ++k) {
    const unsigned other = cell + (t + k) % STEP_CELL;
    const float dx = GP_AT(Body, tile, other, x) - x, dy = GP_AT(Body, tile, other, y) - y,
                dz = GP_AT(Body, tile, other, z) - z;
    const float pull = GP_AT(Body, tile, other, mass) / (dx * dx + dy * dy + dz * dz + 1);
    ax += pull * dx, ay += pull * dy, az += pull * dz;
  }
  if (i < n) {
    GP_AT(Particle, particles, i, x) = x + STEP_TIME * (GP_AT(Particle, particles, i, vx) += STEP_TIME * ax);
    GP_AT(Particle, particles, i, y) = y + STEP_TIME * (GP_AT(Particle, particles, i, vy) += STEP_TIME * ay);
    GP_AT(Particle, particles, i, z) = z + STEP_TIME * (GP_AT(Particle, particles, i, vz) += STEP_TIME * az);
  }
}

#endif

// ---- for gp_tune and the example: plain C

#if defined(GP_TUNE_HOST) || defined(STEP_HOST)

#include <math.h>
#include <stdio.h>
#include <string.h>

// Particle i before the step.
static inline Particle step_particle(uint64_t i) {
  Particle p;
  memset(&p, 0, sizeof p);
  p.x = (float)(i * 2654435761u % 1000u) / 500 - 1;
  p.y = (float)(i * 2246822519u % 1000u) / 500 - 1;
  p.z = (float)(i * 3266489917u % 1000u) / 500 - 1;
  p.mass = (float)(1 + i % 7) / 8;
  p.vx = (float)(i % 5) / 4;
  p.vy = -p.vx;
  p.kind = (unsigned char)i;
  return p;
}

static inline void step_fill(gp_array particles, uint64_t n) {
  uint64_t i;
  for (i = 0; i < n; i++) {
    Particle p = step_particle(i);
    gp_array one = GP_ARRAY_OF(Particle, GP_AOS, 1, 1, 1);
    one.base = &p;
    Particle_move(particles, i, one, 0);
  }
}

// NULL, or what is wrong after a step.
static inline const char *step_wrong(gp_array particles, uint64_t n) {
  static char reason[100];
  uint64_t i, j;
  for (i = 0; i < n; i++) {
    const Particle p = step_particle(i);
    const uint64_t cell = i / STEP_CELL * STEP_CELL;
    double a[3] = {0, 0, 0}, off;
    for (j = cell; j < n && j < cell + STEP_CELL; j++) {
      const Particle o = step_particle(j);
      const double d[3] = {(double)o.x - p.x, (double)o.y - p.y, (double)o.z - p.z};
      const double pull = o.mass / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1);
      a[0] += pull * d[0], a[1] += pull * d[1], a[2] += pull * d[2];
    }
    a[0] = p.vx + STEP_TIME * a[0], a[1] = p.vy + STEP_TIME * a[1], a[2] = p.vz + STEP_TIME * a[2];
    off = fabs(GP_AT(Particle, particles, i, vx) - a[0]) + fabs(GP_AT(Particle, particles, i, vy) - a[1]) +
        fabs(GP_AT(Particle, particles, i, vz) - a[2]) +
        fabs(GP_AT(Particle, particles, i, x) - (p.x + STEP_TIME * a[0])) +
        fabs(GP_AT(Particle, particles, i, y) - (p.y + STEP_TIME * a[1])) +
        fabs(GP_AT(Particle, particles, i, z) - (p.z + STEP_TIME * a[2]));
    if (off < 1e-4 && GP_AT(Particle, particles, i, mass) == p.mass && GP_AT(Particle, particles, i, kind) == p.kind)
      continue;
    snprintf(reason, sizeof reason, "particle %llu", (unsigned long long)i);
    return reason;
  }
  return NULL;
}

#endif

#ifdef GP_TUNE_HOST

#include "gp_tune_kernel.h"

static void array(int buffer, uint64_t n, const int *field, gp_array *a) {
  (void)buffer;
  *a = GP_ARRAY_OF(Particle, gp_tune_layout(field[0]), n, 1, 1);
}
static void fill(int buffer, void *data, uint64_t n) {
  (void)buffer;
  step_fill(*(gp_array *)data, n);
}
static uint64_t moved(uint64_t n) { return n * (7 + 6) * sizeof(float); }
static int launch(gp_tune_launch *l) {
  l->threads = (unsigned)l->field[2];
  l->blocks = (unsigned)((l->n + l->threads - 1) / l->threads);
  return 1;
}
static const char *check(void *const *data, uint64_t n) { return step_wrong(*(gp_array *)data[0], n); }

const gp_tune_kernel gp_tune_description = {"step", 1, NULL, fill, moved, launch, check, array};

#endif
