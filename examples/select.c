// select.c - drops particles that left the box, in order, and continues without asking for the number of the rest.
//
// The first call writes the number of remaining particles to device memory, and the next call reads it there
// (gp_call.count_device). Nothing comes back to the host in between, so a CUDA graph can capture the chain.
//
//     cc -I. examples/select.c -o select -ldl -lpthread -lm && ./select
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

enum { COUNT = 200003 };

typedef struct particle {
  float x, y, mass;
  uint32_t number;
} particle;

static const char particle_source[] = "struct particle { float x, y, mass; unsigned number; };";

// Two operators of one element: source for the GPU, a function for the host. The first is the predicate.
static const char inside_body[] = "return a.x >= 0 && a.x < 1 && a.y >= 0 && a.y < 1;";
static void inside(void *user, void *result, const void *a, const void *b) {
  const particle *p = (const particle *)a;
  (void)user, (void)b;
  *(unsigned char *)result = p->x >= 0 && p->x < 1 && p->y >= 0 && p->y < 1;
}
static const char mass_body[] = "return a.mass;";
static void mass(void *user, void *result, const void *a, const void *b) {
  (void)user, (void)b;
  *(double *)result = ((const particle *)a)->mass;
}

static gp_op define(gp_context *ctx, const char *name, const char *body, gp_host_fn host) {
  gp_op_desc desc = gp_op_desc_init();
  gp_op op;
  desc.name = name;
  desc.body = body;
  desc.arity = 1;
  desc.host = host;
  check(gp_op_define(ctx, &desc, &op));
  return op;
}

int main(void) {
  gp_context *ctx;
  gp_description description = gp_description_init();
  gp_type_desc type_desc = gp_type_desc_init();
  gp_type type;
  gp_op is_inside;
  gp_call sum = gp_call_init(GP_REDUCE);
  device_memory m;
  particle *particles = (particle *)malloc(COUNT * sizeof *particles);
  particle *kept = (particle *)malloc(COUNT * sizeof *kept);
  void *in, *out, *total;
  uint64_t *counts, left[2], expected = 0;
  double masses, expected_masses = 0;
  int i, wrong = 0;
  if (!particles || !kept) return 1;
  for (i = 0; i < COUNT; ++i) { // the same every run; about a third is outside
    particles[i].x = (float)((i * 7919LL) % 1201) / 1000;
    particles[i].y = (float)((i * 104729LL) % 1217) / 1000;
    particles[i].mass = (float)(1 + i % 7);
    particles[i].number = (uint32_t)i;
  }

  check(gp_open(NULL, &ctx));
  check(gp_describe(ctx, &description));
  type_desc.name = "particle";
  type_desc.source = particle_source;
  type_desc.size = sizeof(particle);
  type_desc.align = 4;
  check(gp_type_struct(ctx, &type_desc, &type));
  is_inside = define(ctx, "inside", inside_body, inside);

  m = device_memory_open(ctx);
  in = device_memory_new(&m, COUNT * sizeof *particles);
  out = device_memory_new(&m, COUNT * sizeof *particles);
  counts = (uint64_t *)device_memory_new(&m, sizeof left);
  total = device_memory_new(&m, sizeof masses);
  device_memory_write(&m, in, particles, COUNT * sizeof *particles);

  // Keeps those inside, in order; then sums the masses of the first *counts.
  check(gp_select_if(ctx, is_inside, type, NULL, in, COUNT, out, counts, NULL));
  sum.op = GP_SUM;
  sum.transform = define(ctx, "mass", mass_body, mass);
  sum.in_type = type;
  sum.out_type = GP_F64;
  sum.in = out;
  sum.out = total;
  sum.count = COUNT; // the upper bound
  sum.count_device = counts;
  check(gp_run(ctx, &sum, NULL));
  device_memory_read(&m, left, counts, sizeof left[0]);
  device_memory_read(&m, &masses, total, sizeof masses);
  device_memory_read(&m, kept, out, left[0] * sizeof *kept);
  for (i = 0; i < COUNT; ++i) {
    unsigned char stays;
    inside(NULL, &stays, &particles[i], NULL);
    if (!stays) continue;
    if (expected < left[0]) wrong += kept[expected].number != (uint32_t)i;
    expected_masses += particles[i].mass;
    ++expected;
  }
  wrong += left[0] != expected || masses != expected_masses;
  printf("on %s: %llu of %d particles are inside, of mass %.0f in all\n", description.name, (unsigned long long)left[0],
      COUNT, masses);

  // Both parts at once: those inside at the front of `out`, the others after them. The room for each is known by now.
  check(gp_partition(ctx, is_inside, type, NULL, in, COUNT, out, (particle *)out + left[0], counts, NULL));
  device_memory_read(&m, left, counts, sizeof left);
  device_memory_read(&m, kept, out, COUNT * sizeof *kept);
  for (i = 1; i < COUNT; ++i)
    if ((uint64_t)i != left[0]) wrong += kept[i].number <= kept[i - 1].number;
  wrong += left[0] != expected || left[0] + left[1] != COUNT;
  printf("partitioned: %llu inside, then %llu outside, both in their order\n", (unsigned long long)left[0],
      (unsigned long long)left[1]);

  device_memory_free(&m, in);
  device_memory_free(&m, out);
  device_memory_free(&m, counts);
  device_memory_free(&m, total);
  free(particles);
  free(kept);
  check(gp_close(ctx));
  return wrong != 0;
}
