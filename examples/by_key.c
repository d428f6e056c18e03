// by_key.c - statistics of a server's log, minute by minute: requests, bytes, slowest answer, running total.
//
// The log is sorted by time, so the requests of a minute form a run of equal keys.
//
//     cc -I. examples/by_key.c -o by_key -ldl -lpthread -lm && ./by_key
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

enum { COUNT = 300007 };

int main(void) {
  gp_context *ctx;
  gp_description description = gp_description_init();
  device_memory m;
  gp_segments segments;
  uint32_t *minute = (uint32_t *)malloc(COUNT * sizeof *minute), *lengths = (uint32_t *)malloc(COUNT * sizeof *lengths);
  uint64_t *bytes = (uint64_t *)malloc(COUNT * sizeof *bytes);
  float *seconds = (float *)malloc(COUNT * sizeof *seconds), *slowest = (float *)malloc(COUNT * sizeof *slowest);
  uint64_t *sums = (uint64_t *)malloc(COUNT * sizeof *sums), *running = (uint64_t *)malloc(COUNT * sizeof *running);
  void *keys, *sizes, *times, *out_lengths, *out_sums, *out_running, *offsets, *out_slowest;
  uint64_t *out_count, runs, r, first;
  uint32_t now = 0;
  int i, wrong = 0;
  if (!minute || !lengths || !bytes || !seconds || !slowest || !sums || !running) return 1;
  for (i = 0; i < COUNT; ++i) { // the same every run: minutes with 1 to 1000 requests, and some with none
    if ((i * 7919LL) % 1009 < 8) now += 1 + (uint32_t)(i % 5);
    minute[i] = now;
    bytes[i] = (uint64_t)((i * 104729LL) % 100003);
    seconds[i] = (float)((i * 31LL) % 977) / 1000;
  }

  check(gp_open(NULL, &ctx));
  check(gp_describe(ctx, &description));
  m = device_memory_open(ctx);
  keys = device_memory_new(&m, COUNT * sizeof *minute);
  sizes = device_memory_new(&m, COUNT * sizeof *bytes);
  times = device_memory_new(&m, COUNT * sizeof *seconds);
  out_lengths = device_memory_new(&m, (COUNT + 1) * sizeof *lengths);
  out_sums = device_memory_new(&m, COUNT * sizeof *sums);
  out_running = device_memory_new(&m, COUNT * sizeof *running);
  offsets = device_memory_new(&m, (COUNT + 1) * sizeof(uint64_t));
  out_slowest = device_memory_new(&m, COUNT * sizeof *slowest);
  out_count = (uint64_t *)device_memory_new(&m, sizeof *out_count);
  device_memory_write(&m, keys, minute, COUNT * sizeof *minute);
  device_memory_write(&m, sizes, bytes, COUNT * sizeof *bytes);
  device_memory_write(&m, times, seconds, COUNT * sizeof *seconds);

  // Requests and bytes of each minute that has any, and at each request the minute's bytes so far. The number of runs,
  // and so of results, is in device memory.
  check(gp_run_length_encode(ctx, GP_U32, GP_U32, keys, COUNT, NULL, out_lengths, out_count, NULL));
  check(gp_reduce_by_key(ctx, GP_SUM, GP_U32, GP_U64, keys, sizes, COUNT, NULL, out_sums, out_count, NULL));
  check(gp_inclusive_scan_by_key(ctx, GP_SUM, GP_U32, GP_U64, keys, sizes, COUNT, out_running, NULL));
  device_memory_read(&m, &runs, out_count, sizeof runs);
  device_memory_read(&m, lengths, out_lengths, runs * sizeof *lengths);
  device_memory_read(&m, sums, out_sums, runs * sizeof *sums);
  device_memory_read(&m, running, out_running, COUNT * sizeof *running);

  // Turns lengths into offsets; from here on no call reads the keys. Then the slowest answer of each minute. There is
  // one more offset than segments, so the length after the last is not summed.
  check(gp_exclusive_scan(ctx, GP_SUM, GP_U32, GP_U64, NULL, out_lengths, runs + 1, offsets, NULL));
  segments = gp_segments_init(GP_U64, offsets, runs);
  check(gp_segmented_reduce(ctx, GP_MAX, GP_F32, GP_F32, times, COUNT, &segments, out_slowest, NULL));
  device_memory_read(&m, slowest, out_slowest, runs * sizeof *slowest);

  for (r = 0, first = 0; r < runs; first += lengths[r++]) {
    uint64_t sum = 0, end = first;
    float most = 0;
    for (; end < COUNT && minute[end] == minute[first]; ++end) {
      sum += bytes[end];
      if (seconds[end] > most) most = seconds[end];
      wrong += running[end] != sum;
    }
    wrong += lengths[r] != end - first || sums[r] != sum || slowest[r] != most;
  }
  wrong += first != COUNT;
  printf("on %s: %d requests in %llu minutes; the first had %u, %llu bytes and took up to %.3f s; %d faults\n",
      description.name, COUNT, (unsigned long long)runs, lengths[0], (unsigned long long)sums[0], slowest[0], wrong);

  device_memory_free(&m, keys);
  device_memory_free(&m, sizes);
  device_memory_free(&m, times);
  device_memory_free(&m, out_lengths);
  device_memory_free(&m, out_sums);
  device_memory_free(&m, out_running);
  device_memory_free(&m, offsets);
  device_memory_free(&m, out_slowest);
  device_memory_free(&m, out_count);
  free(minute);
  free(bytes);
  free(seconds);
  free(lengths);
  free(sums);
  free(running);
  free(slowest);
  check(gp_close(ctx));
  return wrong != 0;
}
