// transfers.c - transfers between host and device as Mark Harris's tutorial of 2007 compares them: pageable and
// page-locked memory, one large transfer and many small ones, a transfer beside a kernel; then an array that is copied
// in chunks while the library's kernels work on the chunks before (overlap.h).
//
//     make examples && build/examples/ladder/transfers --out build/transfers.json
//
// Printed then, for PCI Express x16: 3.2 GB/s are common from page-locked memory, about 4 GB/s were measured. Times are
// medians of 9 transfers by the host's clock, from before the call until the streams are idle. Each result is compared
// with what was sent, or with its negation. Without a GPU the program says so and exits with status 0: the host back
// end has no transfers.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include "examples/own_checks.h" // after it

#include "examples/ladder/overlap.h"

#include <time.h>

// An odd number of negations of an array takes about as long as its copy on GPUs whose memory is some 60 times as fast
// as their bus: the most that copies can hide.
enum { ROUNDS = 9, PIECE = 4096, SUMMANDS = 1 << 28, NEGATIONS = 31, STREAMS = 4 };
enum { PAGEABLE_IN, LOCKED_IN, PAGEABLE_OUT, LOCKED_OUT, PIECES_IN, BESIDE_KERNEL, NEGATED, WAYS = NEGATED + 5 };
static const char *const way_names[WAYS] = {"pageable to device", "page-locked to device", "device to pageable",
    "device to page-locked", "page-locked, 4 KiB at a time", "page-locked beside a sum of 2^28 integers",
    "31 negations on the device", "page-locked, then 31 negations", "4 chunks, 2 streams, 31 negations",
    "16 chunks, 2 streams, 31 negations", "16 chunks, 4 streams, 31 negations"};
// The ways from NEGATED on copy or do not, in so many chunks on so many streams.
static const struct overlapped {
  int copies, chunks, streams;
} overlapped[WAYS - NEGATED] = {{0, 1, 1}, {1, 1, 1}, {1, 4, 2}, {1, 16, 2}, {1, 16, 4}};

typedef struct transfers {
  own_gpu gpu;
  gp_context *ctx;
  void *second, *streams[STREAMS];
  char *pageable, *locked, *device;
  unsigned *summands, *sum;
  int checked, wrong;
} transfers;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}
static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static void fill(char *to, uint64_t bytes, unsigned seed) {
  uint64_t i;
  for (i = 0; i < bytes; ++i) to[i] = (char)(i * 167 + i / 251 + seed);
}
// Negates 32-bit integers, which any odd number of negations does.
static void negate(char *numbers, uint64_t bytes) {
  uint64_t i;
  uint32_t x;
  for (i = 0; i + 4 <= bytes; i += 4) memcpy(&x, numbers + i, 4), x = 0u - x, memcpy(numbers + i, &x, 4);
}

static void copy_chunk(void *self, uint64_t begin, uint64_t bytes, int stream) {
  transfers *t = (transfers *)self;
  GP_CUDA_CHECK(&t->gpu.cuda,
      to_device_async((uint64_t)(uintptr_t)t->device + begin, t->locked + begin, bytes, t->streams[stream]));
}
static void negate_chunk(void *self, uint64_t begin, uint64_t bytes, int stream) {
  transfers *t = (transfers *)self;
  char *chunk = t->device + begin;
  int i;
  for (i = 0; i < NEGATIONS; ++i)
    own_check(gp_transform(t->ctx, GP_NEGATE, GP_I32, GP_I32, chunk, bytes / 4, chunk, t->streams[stream]));
}
static double transfer_and_negate(transfers *t, const struct overlapped *how, uint64_t bytes) {
  double us = -now_us();
  int i;
  overlap(bytes, how->chunks, how->streams, how->copies ? copy_chunk : NULL, negate_chunk, t);
  for (i = 0; i < how->streams; ++i) GP_CUDA_CHECK(&t->gpu.cuda, stream_wait(t->streams[i]));
  us += now_us();
  return us;
}

// Microseconds of one transfer.
static double transfer(transfers *t, int way, uint64_t bytes) {
  gp_cuda *c = &t->gpu.cuda;
  char *host = way == PAGEABLE_IN || way == PAGEABLE_OUT ? t->pageable : t->locked;
  const uint64_t device = (uint64_t)(uintptr_t)t->device, piece = way == PIECES_IN ? (uint64_t)PIECE : bytes;
  uint64_t at;
  double us;
  if (way >= NEGATED) return transfer_and_negate(t, &overlapped[way - NEGATED], bytes);
  if (way == BESIDE_KERNEL)
    own_check(gp_reduce(t->ctx, GP_SUM, GP_U32, GP_U32, t->summands, SUMMANDS, t->sum, t->second));
  us = -now_us();
  if (way == PAGEABLE_OUT || way == LOCKED_OUT) GP_CUDA_CHECK(c, to_host(host, device, bytes));
  else
    for (at = 0; at < bytes; at += piece)
      GP_CUDA_CHECK(c, to_device_async(device + at, host + at, piece, t->gpu.stream));
  GP_CUDA_CHECK(c, stream_wait(t->gpu.stream));
  us += now_us();
  GP_CUDA_CHECK(c, stream_wait(t->second));
  return us;
}

static double measure(transfers *t, int way, uint64_t bytes, char *copy) {
  const int out = way == PAGEABLE_OUT || way == LOCKED_OUT;
  char *host = way == PAGEABLE_IN || way == PAGEABLE_OUT ? t->pageable : t->locked;
  double us[ROUNDS];
  int round;
  fill(copy, bytes, (unsigned)way);
  if (out) {
    own_write(&t->gpu, t->device, copy, bytes);
    memset(host, 0, bytes);
  } else memcpy(host, copy, bytes);
  if (way == NEGATED) own_write(&t->gpu, t->device, copy, bytes);
  transfer(t, way, bytes);
  if (way >= NEGATED) negate(copy, bytes);
  if (!out) own_read(&t->gpu, t->pageable, t->device, bytes);
  ++t->checked;
  t->wrong += memcmp(out ? host : t->pageable, copy, bytes) != 0;
  for (round = 0; round < ROUNDS; ++round) us[round] = transfer(t, way, bytes);
  qsort(us, ROUNDS, sizeof us[0], ascending);
  return us[ROUNDS / 2];
}

int main(int argc, char **argv) {
  static const uint64_t sizes[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28};
  static transfers t;
  const uint64_t most = sizes[3];
  const char *why, *out = argc == 3 && !strcmp(argv[1], "--out") ? argv[2] : NULL;
  FILE *json = NULL;
  char *copy;
  void *locked = NULL;
  int i, way;
  if (argc > 1 && !out) {
    fprintf(stderr, "usage: %s [--out FILE.json]\n", argv[0]);
    return 2;
  }
  own_check(gp_open(NULL, &t.ctx));
  why = own_open(&t.gpu, t.ctx);
  if (why) {
    printf(
        "skipped: %s\nThe host back end has no transfers, and so none beside kernels: it computes where arrays are.\n",
        why);
    own_check(gp_close(t.ctx));
    return 0;
  }
  if (out && !(json = fopen(out, "w"))) own_stop("%s cannot be written", out);
  GP_CUDA_CHECK(&t.gpu.cuda, stream_create(&t.second, GP_CUDA_STREAM_NON_BLOCKING));
  for (i = 0; i < STREAMS; ++i) GP_CUDA_CHECK(&t.gpu.cuda, stream_create(&t.streams[i], GP_CUDA_STREAM_NON_BLOCKING));
  GP_CUDA_CHECK(&t.gpu.cuda, host_alloc(&locked, most));
  t.locked = (char *)locked;
  t.pageable = (char *)malloc(most);
  copy = (char *)malloc(most);
  if (!t.pageable || !copy) own_stop("no memory for %llu bytes", (unsigned long long)most);
  t.device = (char *)own_new(&t.gpu, most);
  t.summands = (unsigned *)own_new(&t.gpu, (uint64_t)SUMMANDS * sizeof(unsigned));
  t.sum = (unsigned *)own_new(&t.gpu, sizeof(unsigned));
  own_set(&t.gpu, t.summands, 1, (uint64_t)SUMMANDS * sizeof(unsigned));
  own_wait(&t.gpu);
  printf("%s; GB/s\n%-44s", t.gpu.name, "");
  for (i = 0; i < 4; ++i) printf("%9llu KiB", (unsigned long long)sizes[i] >> 10);
  if (json) fprintf(json, "{\"device\": \"%s\", \"rows\": [", t.gpu.name);
  for (way = 0; way < WAYS; ++way) {
    printf("\n%-44s", way_names[way]);
    for (i = 0; i < 4; ++i) {
      const double us = measure(&t, way, sizes[i], copy);
      printf("%13.2f", 1e-3 * (double)sizes[i] / us);
      if (json)
        fprintf(json, "%s\n{\"way\": \"%s\", \"bytes\": %llu, \"us\": %.3f, \"gbs\": %.3f}", way || i ? "," : "",
            way_names[way], (unsigned long long)sizes[i], us, 1e-3 * (double)sizes[i] / us);
    }
  }
  printf("\n%d passed, %d failed, 0 skipped\n", t.checked - t.wrong, t.wrong);
  if (json) {
    fprintf(json, "]}\n");
    if (fclose(json)) own_stop("%s cannot be written", out);
  }
  own_free(&t.gpu, t.device), own_free(&t.gpu, t.summands), own_free(&t.gpu, t.sum);
  free(t.pageable), free(copy);
  own_check(gp_close(t.ctx));
  return t.wrong != 0;
}
