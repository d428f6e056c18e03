// particles.c - one declaration of a struct, arrays of it in several layouts, and the same code for each.
//
// The program makes particles as an array of structs, moves them to a struct of arrays (on the GPU, if any), and sums
// columns without reading other columns. Your own kernel reads them through the same GP_AT; compiled with the option
// from gp_array_define, it computes addresses for that layout only.
//
//     cc -I. examples/particles.c -o particles -ldl -lpthread -lm && ./particles
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

#define PARTICLE(F) F(double, mass) F(float, x) F(float, y) F(unsigned short, kind) F(unsigned char, flag)
GP_LAYOUT(Particle, PARTICLE)

enum { COUNT = 100003 };

int main(void) {
  static const uint64_t layouts[] = {GP_SOA, 32, GP_AOS};
  static const char *const names[] = {"struct of arrays", "blocks of 32", "array of structs"};
  gp_context *ctx;
  gp_description description = gp_description_init();
  device_memory m;
  gp_array structs = GP_ARRAY_OF(Particle, GP_AOS, COUNT, 1, 1);
  gp_field from_fields[32], to_fields[32];
  void *in, *out;
  int k, wrong = 0;
  uint64_t i;
  structs.base = malloc(gp_array_bytes(&structs));
  if (!structs.base) return 1;
  for (i = 0; i < COUNT; ++i) {
    GP_AT(Particle, structs, i, mass) = (double)(i % 7);
    GP_AT(Particle, structs, i, x) = GP_AT(Particle, structs, i, y) = (float)i;
    GP_AT(Particle, structs, i, kind) = (unsigned short)(i % 5);
    GP_AT(Particle, structs, i, flag) = 1;
  }
  check(gp_open(NULL, &ctx));
  check(gp_describe(ctx, &description));
  m = device_memory_open(ctx);
  in = device_memory_new(&m, gp_array_bytes(&structs));
  device_memory_write(&m, in, structs.base, gp_array_bytes(&structs));
  for (k = 0; k < 3; ++k) {
    gp_array other = GP_ARRAY_OF(Particle, layouts[k], COUNT, 1, 1);
    const gp_layout from = Particle_layout(&structs, from_fields), to = Particle_layout(&other, to_fields);
    char option[80];
    double mass = 0, expected = 0;
    check(gp_array_check(&other));
    out = device_memory_new(&m, gp_array_bytes(&other));
    check(gp_convert_layout(ctx, &from, &to, in, COUNT, out, 0, NULL));
    other.base = malloc(gp_array_bytes(&other));
    if (!other.base) return 1;
    device_memory_read(&m, other.base, out, gp_array_bytes(&other));
    for (i = 0; i < COUNT; ++i) {
      mass += GP_AT(Particle, other, i, mass) * GP_AT(Particle, other, i, kind);
      expected += (double)(i % 7) * (double)(i % 5);
      wrong += GP_AT(Particle, other, i, flag) != 1 || GP_AT(Particle, other, i, y) != (float)i;
    }
    wrong += mass != expected;
    gp_array_define("Particle", &other, option, sizeof option);
    printf("on %s: %s, %llu bytes, mass by kind %.0f; kernels for it: %s\n", description.name, names[k],
        (unsigned long long)gp_array_bytes(&other), mass, option);
    free(other.base);
    device_memory_free(&m, out);
  }
  device_memory_free(&m, in);
  free(structs.base);
  gp_close(ctx);
  printf("%s\n", wrong ? "WRONG" : "right");
  return wrong != 0;
}
