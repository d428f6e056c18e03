// n_body.c - a step of an all-pairs simulation of 131,072 bodies in fp32, with block size and degree of unrolling as
// parameters: the second program of Tillmann and others, "Application-independent Autotuning for GPUs" (2013): Figures
// 4 and 5, Table 3. Options: program.h. Its kernels: n_body.cuh, compiled once for each degree of unrolling.
//
//     make examples && build/examples/tuner/n_body --exhaustive build/n_body.jsonl
//     build/venv/bin/python examples/tuner/spaces.py build/n_body.jsonl --out build/spaces
//
// The bodies are a Plummer sphere (G, mass and scale radius are 1) with softened gravity. A section is one step from
// the same state. Its check compares some bodies (all of few) with the host's result in double precision, and the total
// momentum, which no step changes. The default configuration also runs some steps of leapfrog integration, which must
// keep the energy; that of few bodies is compared with the host's. Without a GPU the host's loops compute few bodies.
#ifndef TUNER_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include "examples/tuner/program.h"

#include <math.h>

enum { N_BODY_SAMPLES = 256, N_BODY_STEPS = 10, N_BODY_ENERGY_THREADS = 256 };
static const float n_body_softening2 = 0.05f * 0.05f, n_body_time_step = 0.01f;

typedef struct n_body_body { // n_body_vector of n_body.cuh: w is the mass
  float x, y, z, w;
} n_body_body;

typedef struct n_body {
  int threads, unroll;
  n_body_body *position[3], *velocity[3]; // the initial state, and two that steps write
  double *energy;
  void *step[33]; // kernels by degree of unrolling, from their first use on
  n_body_body *start_position, *start_velocity, *got_position, *got_velocity; // the host's copies
  uint64_t samples, *sample; // bodies that are compared
  double (*expected)[3]; // their accelerations at the start
} n_body;

static double n_body_random(uint64_t *state) { // in (0, 1)
  return ((double)(tuner_mix(++*state) >> 12) + 0.5) / 4503599627370496.0;
}
static void n_body_direction(uint64_t *state, double length, n_body_body *to) {
  const double z = 2 * n_body_random(state) - 1, angle = 6.283185307179586 * n_body_random(state);
  const double flat = sqrt(1 - z * z);
  to->x = (float)(length * flat * cos(angle));
  to->y = (float)(length * flat * sin(angle));
  to->z = (float)(length * z);
}
// Plummer's model, as Aarseth, Henon and Wielen (1974) draw it, out to ten scale radii.
static void n_body_sphere(n_body *s, uint64_t n) {
  uint64_t state = 0, i;
  for (i = 0; i < n; ++i) {
    double radius, speed;
    do radius = 1 / sqrt(pow(n_body_random(&state), -2.0 / 3) - 1);
    while (radius > 10);
    do speed = n_body_random(&state);
    while (0.1 * n_body_random(&state) > speed * speed * pow(1 - speed * speed, 3.5));
    n_body_direction(&state, radius, &s->start_position[i]);
    n_body_direction(&state, speed * sqrt(2) * pow(1 + radius * radius, -0.25), &s->start_velocity[i]);
    s->start_position[i].w = 1 / (float)n;
    s->start_velocity[i].w = 0;
  }
}

// Acceleration and potential of unit mass at a body, in double precision.
static void n_body_pull(const n_body_body *position, uint64_t n, uint64_t body, double pull[3], double *potential) {
  const n_body_body at = position[body];
  uint64_t j;
  pull[0] = pull[1] = pull[2] = *potential = 0;
  for (j = 0; j < n; ++j) {
    const double x = (double)position[j].x - (double)at.x, y = (double)position[j].y - (double)at.y,
                 z = (double)position[j].z - (double)at.z;
    const double inverse = 1 / sqrt(x * x + y * y + z * z + (double)n_body_softening2);
    const double scale = (double)position[j].w * inverse * inverse * inverse;
    pull[0] += scale * x, pull[1] += scale * y, pull[2] += scale * z;
    if (j != body) *potential -= (double)position[j].w * inverse;
  }
}

// ---- on the host

static void n_body_host_step(const n_body_body *position, const n_body_body *velocity, n_body_body *new_position,
    n_body_body *new_velocity, uint64_t n, float kick, float drift) {
  uint64_t i;
  for (i = 0; i < n; ++i) {
    double pull[3], potential;
    n_body_body v = velocity[i], at = position[i];
    n_body_pull(position, n, i, pull, &potential);
    v.x += kick * (float)pull[0], v.y += kick * (float)pull[1], v.z += kick * (float)pull[2];
    at.x += drift * v.x, at.y += drift * v.y, at.z += drift * v.z;
    new_position[i] = at;
    new_velocity[i] = v;
  }
}
static void n_body_host_energy(
    const n_body_body *position, const n_body_body *velocity, double *energy, uint64_t n, float kick) {
  uint64_t i;
  for (i = 0; i < n; ++i) {
    double pull[3], potential, x, y, z;
    n_body_pull(position, n, i, pull, &potential);
    x = (double)velocity[i].x + (double)kick * pull[0];
    y = (double)velocity[i].y + (double)kick * pull[1];
    z = (double)velocity[i].z + (double)kick * pull[2];
    energy[i] = (double)position[i].w * 0.5 * (x * x + y * y + z * z + potential);
  }
}

// ---- on either

static void *n_body_kernel(tuner_program *p, int unroll, const char *name) {
  char text[40];
  const char *options[2];
  snprintf(text, sizeof text, "-DN_BODY_UNROLL=%d", unroll);
  options[0] = text, options[1] = "--ftz=true"; // no distance is that small: they are softened
  return tuner_kernel(p, "n_body.cuh", options, 2, name);
}

static const char *n_body_prepare(tuner_program *p) {
  n_body *s = (n_body *)p->state;
  if (p->gpu && !s->step[s->unroll]) s->step[s->unroll] = n_body_kernel(p, s->unroll, "n_body_step");
  return NULL;
}

// One step of the current configuration, from one state to another.
static const char *n_body_step(tuner_program *p, int from, int to, float kick) {
  n_body *s = (n_body *)p->state;
  unsigned n = (unsigned)p->size;
  float softening2 = n_body_softening2, drift = n_body_time_step;
  void *arguments[8];
  if (!p->gpu) {
    n_body_host_step(s->position[from], s->velocity[from], s->position[to], s->velocity[to], n, kick, drift);
    return NULL;
  }
  arguments[0] = &s->position[from], arguments[1] = &s->velocity[from];
  arguments[2] = &s->position[to], arguments[3] = &s->velocity[to];
  arguments[4] = &n, arguments[5] = &softening2, arguments[6] = &kick, arguments[7] = &drift;
  n_body_prepare(p);
  return tuner_launch(p, s->step[s->unroll], tuner_divide_up(n, (unsigned)s->threads), s->threads,
      (unsigned)s->threads * (unsigned)sizeof(n_body_body), arguments);
}

// The energy of a state whose velocities lack a kick. NULL, or why there is none.
static const char *n_body_energy(tuner_program *p, int state, float kick, double *sum) {
  n_body *s = (n_body *)p->state;
  unsigned n = (unsigned)p->size;
  float softening2 = n_body_softening2;
  double *energy = (double *)tuner_get(n * sizeof *energy);
  const char *why = NULL;
  void *arguments[6];
  uint64_t i;
  if (p->gpu) {
    arguments[0] = &s->position[state], arguments[1] = &s->velocity[state], arguments[2] = &s->energy;
    arguments[3] = &n, arguments[4] = &softening2, arguments[5] = &kick;
    why = tuner_launch(p, n_body_kernel(p, s->unroll, "n_body_energy"), tuner_divide_up(n, N_BODY_ENERGY_THREADS),
        N_BODY_ENERGY_THREADS, N_BODY_ENERGY_THREADS * (unsigned)sizeof(n_body_body), arguments);
  } else n_body_host_energy(s->position[state], s->velocity[state], s->energy, n, kick);
  if (!why) tuner_read(p, energy, s->energy, n * sizeof *energy);
  for (*sum = 0, i = 0; i < n; ++i) *sum += energy[i];
  free(energy);
  return why;
}

// ---- the program

static void n_body_open(tuner_program *p) {
  n_body *s = (n_body *)p->state;
  const uint64_t n = p->size, bytes = n * sizeof(n_body_body);
  uint64_t i;
  int k;
  if (n > 1u << 30) own_stop("at most 2^30 bodies");
  s->start_position = (n_body_body *)tuner_get(bytes), s->start_velocity = (n_body_body *)tuner_get(bytes);
  s->got_position = (n_body_body *)tuner_get(bytes), s->got_velocity = (n_body_body *)tuner_get(bytes);
  n_body_sphere(s, n);
  for (k = 0; k < 3; ++k) {
    s->position[k] = (n_body_body *)tuner_new(p, bytes);
    s->velocity[k] = (n_body_body *)tuner_new(p, bytes);
  }
  tuner_write(p, s->position[0], s->start_position, bytes);
  tuner_write(p, s->velocity[0], s->start_velocity, bytes);
  s->energy = (double *)tuner_new(p, n * sizeof(double));
  s->samples = n < N_BODY_SAMPLES ? n : (uint64_t)N_BODY_SAMPLES;
  s->sample = (uint64_t *)tuner_get(s->samples * sizeof *s->sample);
  s->expected = (double(*)[3])tuner_get(s->samples * sizeof *s->expected);
  for (i = 0; i < s->samples; ++i) { // the first and the last are among them
    double potential;
    s->sample[i] = s->samples > 1 ? i * (n - 1) / (s->samples - 1) : 0;
    n_body_pull(s->start_position, n, s->sample[i], s->expected[i], &potential);
  }
}

static void n_body_close(tuner_program *p) {
  n_body *s = (n_body *)p->state;
  int k;
  for (k = 0; k < 3; ++k) tuner_free(p, s->position[k]), tuner_free(p, s->velocity[k]);
  tuner_free(p, s->energy);
  free(s->start_position), free(s->start_velocity), free(s->got_position), free(s->got_velocity);
  free(s->sample), free(s->expected);
}

static void n_body_clear(tuner_program *p) {
  n_body *s = (n_body *)p->state;
  tuner_set(p, s->position[1], 0xff, p->size * sizeof(n_body_body)); // NaNs
  tuner_set(p, s->velocity[1], 0xff, p->size * sizeof(n_body_body));
}

static const char *n_body_run(tuner_program *p) { return n_body_step(p, 0, 1, n_body_time_step); }

// Is a component of velocity and position right? The velocity may be off by an error of the acceleration.
static int n_body_is_near(float start, float velocity, float got_velocity, float got, double pull, double length) {
  const double error = 1e-4 * length + 1e-6, step = (double)n_body_time_step;
  const double v = (double)velocity + step * pull, x = (double)start + step * v;
  return fabs((double)got_velocity - v) <= step * error + 2e-7 * fabs(v) &&
      fabs((double)got - x) <= step * step * error + 3e-7 * (fabs((double)start) + step * fabs(v));
}

static const char *n_body_check(tuner_program *p) {
  n_body *s = (n_body *)p->state;
  const double rounding = 2e-7 * sqrt((double)p->size); // of the velocities
  double momentum[3] = {0, 0, 0}, size = 0;
  uint64_t i;
  tuner_read(p, s->got_position, s->position[1], p->size * sizeof(n_body_body));
  tuner_read(p, s->got_velocity, s->velocity[1], p->size * sizeof(n_body_body));
  for (i = 0; i < s->samples; ++i) {
    const uint64_t b = s->sample[i];
    const n_body_body *x = &s->start_position[b], *v = &s->start_velocity[b];
    const n_body_body *got = &s->got_position[b], *got_v = &s->got_velocity[b];
    const double *a = s->expected[i], length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    if (!n_body_is_near(x->x, v->x, got_v->x, got->x, a[0], length) ||
        !n_body_is_near(x->y, v->y, got_v->y, got->y, a[1], length) ||
        !n_body_is_near(x->z, v->z, got_v->z, got->z, a[2], length) || got->w != x->w)
      return "a body differs from the host's";
  }
  for (i = 0; i < p->size; ++i) {
    const n_body_body *v = &s->start_velocity[i], *got = &s->got_velocity[i];
    const double x = (double)got->x - (double)v->x, y = (double)got->y - (double)v->y,
                 z = (double)got->z - (double)v->z;
    momentum[0] += x, momentum[1] += y, momentum[2] += z;
    size += fabs(x) + fabs(y) + fabs(z);
  }
  for (i = 0; i < 3; ++i)
    if (!(fabs(momentum[i]) <= 1e-6 * size + rounding)) return "the step changes the total momentum";
  return NULL;
}

// The energy of few bodies at the start, by the host.
static double n_body_expected_energy(tuner_program *p) {
  n_body *s = (n_body *)p->state;
  double *energy = (double *)tuner_get(p->size * sizeof *energy), sum = 0;
  uint64_t i;
  n_body_host_energy(s->start_position, s->start_velocity, energy, p->size, 0);
  for (i = 0; i < p->size; ++i) sum += energy[i];
  free(energy);
  return sum;
}

// Leapfrog: velocities are half a step ahead of positions; the first kick makes them so, the energy's undoes it.
static const char *n_body_conserves(tuner_program *p) {
  double before, after;
  const char *why = n_body_energy(p, 0, 0, &before);
  int i, state = 0;
  if (!why && p->size <= 4096) {
    const double expected = n_body_expected_energy(p);
    if (!(fabs(before - expected) <= 1e-5 * fabs(expected))) return "the energy differs from the host's";
  }
  for (i = 0; i < N_BODY_STEPS && !why; ++i) {
    const int next = state == 1 ? 2 : 1;
    why = n_body_step(p, state, next, i ? n_body_time_step : n_body_time_step / 2);
    state = next;
  }
  if (!why) why = n_body_energy(p, state, n_body_time_step / 2, &after);
  if (why) return why;
  printf("energy %.7f; changed by %.1e of it after %d steps\n", before, fabs((after - before) / before),
      (int)N_BODY_STEPS);
  return fabs(after - before) <= 1e-4 * fabs(before) ? NULL : "steps change the energy";
}

static n_body n_body_state;
static const int n_body_threads[] = {32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, 544,
    576, 608, 640, 672, 704, 736, 768, 800, 832, 864, 896, 928, 960, 992, 1024};
static const int n_body_unrolls[] = {1, 2, 4, 8, 16, 32};
static tuner_parameter n_body_parameters[] = {{"threads", &n_body_state.threads, n_body_threads, 32, 256, 0},
    {"unroll", &n_body_state.unroll, n_body_unrolls, 6, 4, 0}};

static tuner_program n_body_program(void) {
  static const tuner_source sources[] = {
      {"n_body.cuh", {"-DN_BODY_UNROLL=1", "--ftz=true"}, 2}, {"n_body.cuh", {"-DN_BODY_UNROLL=32", "--ftz=true"}, 2}};
  tuner_program p;
  memset(&p, 0, sizeof p);
  p.name = "n_body", p.about = "a step of all-pairs gravity";
  p.parameters = n_body_parameters, p.parameter_count = 2;
  p.size = 131072, p.host_size = 1024;
  p.sources = sources, p.source_count = 2;
  p.open = n_body_open, p.clear = n_body_clear, p.prepare = n_body_prepare, p.run = n_body_run, p.check = n_body_check;
  p.check_more = n_body_conserves, p.close = n_body_close;
  p.state = &n_body_state;
  return p;
}

int main(int argc, char **argv) {
  tuner_program p = n_body_program();
  return tuner_main(&p, argc, argv);
}
