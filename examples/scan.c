// scan.c - from lengths to offsets: the exclusive scan of every compaction, in place, and a running maximum.
//
//     cc -I. examples/scan.c -o scan -ldl -lpthread -lm && ./scan
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

enum { COUNT = 300007 };

int main(void) {
  gp_context *ctx;
  gp_description description = gp_description_init();
  device_memory m;
  uint64_t *lengths = (uint64_t *)malloc(COUNT * sizeof *lengths),
           *offsets = (uint64_t *)malloc(COUNT * sizeof *offsets);
  void *data;
  const uint64_t first = 4096; // a header of 4096 bytes precedes the records
  uint64_t expected = first;
  int i, wrong = 0;
  if (!lengths || !offsets) return 1;
  for (i = 0; i < COUNT; ++i) lengths[i] = (uint64_t)((i * 31) % 257);

  check(gp_open(NULL, &ctx));
  check(gp_describe(ctx, &description));
  m = device_memory_open(ctx);
  data = device_memory_new(&m, COUNT * sizeof *lengths);
  device_memory_write(&m, data, lengths, COUNT * sizeof *lengths);

  // offsets[i] = first + lengths[0] + ... + lengths[i - 1], written over the lengths.
  check(gp_exclusive_scan(ctx, GP_SUM, GP_U64, GP_U64, &first, data, COUNT, data, NULL));
  device_memory_read(&m, offsets, data, COUNT * sizeof *offsets);
  for (i = 0; i < COUNT; ++i) {
    wrong += offsets[i] != expected;
    expected += lengths[i];
  }
  printf("on %s: record %d starts at byte %llu; %d offsets of %d are wrong\n", description.name, COUNT - 1,
      (unsigned long long)offsets[COUNT - 1], wrong, COUNT);

  // The lengths again: the largest so far.
  device_memory_write(&m, data, lengths, COUNT * sizeof *lengths);
  check(gp_inclusive_scan(ctx, GP_MAX, GP_U64, GP_U64, data, COUNT, data, NULL));
  device_memory_read(&m, offsets, data, COUNT * sizeof *offsets);
  expected = 0;
  for (i = 0; i < COUNT; ++i) {
    if (lengths[i] > expected) expected = lengths[i];
    wrong += offsets[i] != expected;
  }
  printf("the longest of all is %llu bytes\n", (unsigned long long)offsets[COUNT - 1]);

  device_memory_free(&m, data);
  free(lengths);
  free(offsets);
  check(gp_close(ctx));
  return wrong != 0;
}
