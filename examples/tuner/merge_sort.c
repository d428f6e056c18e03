// merge_sort.c - a stable merge sort of 2^22 pairs of 32-bit words by three kernels, whose block sizes are parameters:
// the first program of Tillmann and others, "Application-independent Autotuning for GPUs" (2013): Figure 3, Table 2.
// Options: program.h. Its kernels: merge_sort.cuh. The default's block sizes are those that samples with this structure
// have: 512, 256, 128.
//
//     make examples && build/examples/tuner/merge_sort --exhaustive build/merge_sort.jsonl
//     build/venv/bin/python examples/tuner/spaces.py build/merge_sort.jsonl --out build/spaces
//
// Values are input positions, so that one result is right; it is compared with the host's sort. Without a GPU,
// gp_sort_pairs sorts on the host.
#ifndef TUNER_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include "examples/tuner/program.h"

enum { MERGE_SORT_ITEMS = 8, MERGE_SORT_INTERVAL = 256 }; // as in merge_sort.cuh

typedef struct merge_sort {
  int tile_threads, split_threads, merge_threads;
  uint32_t *in_keys, *in_values;
  uint32_t *keys[2], *values[2], *splits;
  int result; // which of the two
  uint32_t *expected_keys, *expected_values, *got;
  void *sort_tiles, *split_runs, *merge_intervals;
} merge_sort;

static int merge_sort_ascending(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// Random keys; a quarter of them has one of 16 values.
static uint32_t merge_sort_key(uint64_t i) {
  const uint64_t x = tuner_mix(i);
  return (uint32_t)(x & 3 ? x >> 32 : x >> 60 << 28);
}

static void merge_sort_open(tuner_program *p) {
  merge_sort *s = (merge_sort *)p->state;
  const uint64_t n = p->size, bytes = n * sizeof(uint32_t);
  uint32_t *input[2];
  uint64_t *pairs, i;
  int k;
  if (n > 1u << 30) own_stop("at most 2^30 elements");
  pairs = (uint64_t *)tuner_get(n * sizeof *pairs);
  for (k = 0; k < 2; ++k) input[k] = (uint32_t *)tuner_get(bytes);
  for (i = 0; i < n; ++i) {
    input[0][i] = merge_sort_key(i);
    input[1][i] = (uint32_t)i;
    pairs[i] = (uint64_t)input[0][i] << 32 | i;
  }
  qsort(pairs, (size_t)n, sizeof *pairs, merge_sort_ascending);
  s->expected_keys = (uint32_t *)tuner_get(bytes);
  s->expected_values = (uint32_t *)tuner_get(bytes);
  s->got = (uint32_t *)tuner_get(bytes);
  for (i = 0; i < n; ++i) {
    s->expected_keys[i] = (uint32_t)(pairs[i] >> 32);
    s->expected_values[i] = (uint32_t)pairs[i];
  }
  s->in_keys = (uint32_t *)tuner_new(p, bytes);
  s->in_values = (uint32_t *)tuner_new(p, bytes);
  tuner_write(p, s->in_keys, input[0], bytes);
  tuner_write(p, s->in_values, input[1], bytes);
  for (k = 0; k < 2; ++k) {
    s->keys[k] = (uint32_t *)tuner_new(p, bytes);
    s->values[k] = (uint32_t *)tuner_new(p, bytes);
    free(input[k]);
  }
  s->splits = (uint32_t *)tuner_new(p, tuner_divide_up(n, MERGE_SORT_INTERVAL) * sizeof(uint32_t));
  free(pairs);
  if (!p->gpu) return;
  s->sort_tiles = tuner_kernel(p, "merge_sort.cuh", NULL, 0, "sort_tiles");
  s->split_runs = tuner_kernel(p, "merge_sort.cuh", NULL, 0, "split_runs");
  s->merge_intervals = tuner_kernel(p, "merge_sort.cuh", NULL, 0, "merge_intervals");
}

static void merge_sort_close(tuner_program *p) {
  merge_sort *s = (merge_sort *)p->state;
  int k;
  for (k = 0; k < 2; ++k) tuner_free(p, s->keys[k]), tuner_free(p, s->values[k]);
  tuner_free(p, s->in_keys), tuner_free(p, s->in_values), tuner_free(p, s->splits);
  free(s->expected_keys), free(s->expected_values), free(s->got);
}

static void merge_sort_clear(tuner_program *p) {
  merge_sort *s = (merge_sort *)p->state;
  int k;
  for (k = 0; k < 2; ++k) {
    tuner_set(p, s->keys[k], 0xff, p->size * sizeof(uint32_t));
    tuner_set(p, s->values[k], 0xff, p->size * sizeof(uint32_t));
  }
}

// Elements, and a word of padding for each 32.
static unsigned merge_sort_shared_bytes(int threads) { return (unsigned)threads * MERGE_SORT_ITEMS / 32 * 33 * 4; }

static const char *merge_sort_run(tuner_program *p) {
  merge_sort *s = (merge_sort *)p->state;
  const unsigned tile = (unsigned)s->tile_threads * MERGE_SORT_ITEMS;
  unsigned n = (unsigned)p->size, width = tile, intervals = (unsigned)tuner_divide_up(n, MERGE_SORT_INTERVAL);
  void *tiles[5], *split[5], *merge[8];
  const char *why;
  s->result = 0;
  if (!p->gpu) {
    tuner_gp(
        gp_sort_pairs(p->ctx, GP_U32, GP_U32, s->in_keys, s->in_values, n, s->keys[0], s->values[0], 0, p->stream));
    return NULL;
  }
  tiles[0] = &s->in_keys, tiles[1] = &s->in_values, tiles[2] = &s->keys[0], tiles[3] = &s->values[0], tiles[4] = &n;
  why = tuner_launch(
      p, s->sort_tiles, tuner_divide_up(n, tile), s->tile_threads, merge_sort_shared_bytes(s->tile_threads), tiles);
  for (; !why && width < n; width *= 2) {
    const int from = s->result, to = 1 - from;
    split[0] = &s->keys[from], split[1] = &s->splits, split[2] = &n, split[3] = &width, split[4] = &intervals;
    why = tuner_launch(
        p, s->split_runs, tuner_divide_up(intervals, (unsigned)s->split_threads), s->split_threads, 0, split);
    if (why) break;
    merge[0] = &s->keys[from], merge[1] = &s->values[from], merge[2] = &s->keys[to], merge[3] = &s->values[to];
    merge[4] = &s->splits, merge[5] = &n, merge[6] = &width, merge[7] = &intervals;
    why = tuner_launch(p, s->merge_intervals, tuner_divide_up(intervals, (unsigned)s->merge_threads / 32),
        s->merge_threads, merge_sort_shared_bytes(s->merge_threads), merge);
    s->result = to;
  }
  return why;
}

static const char *merge_sort_check(tuner_program *p) {
  merge_sort *s = (merge_sort *)p->state;
  const size_t bytes = (size_t)p->size * sizeof(uint32_t);
  tuner_read(p, s->got, s->keys[s->result], bytes);
  if (memcmp(s->got, s->expected_keys, bytes) != 0) return "keys differ from the host's sort";
  tuner_read(p, s->got, s->values[s->result], bytes);
  return memcmp(s->got, s->expected_values, bytes) != 0 ? "values differ from the host's stable sort" : NULL;
}

static merge_sort merge_sort_state;
static const int merge_sort_threads[] = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
enum { MERGE_SORT_SIZES = sizeof merge_sort_threads / sizeof *merge_sort_threads };
static tuner_parameter merge_sort_parameters[] = {
    {"tile_threads", &merge_sort_state.tile_threads, merge_sort_threads, MERGE_SORT_SIZES, 512, 0},
    {"split_threads", &merge_sort_state.split_threads, merge_sort_threads, MERGE_SORT_SIZES, 256, 0},
    {"merge_threads", &merge_sort_state.merge_threads, merge_sort_threads, MERGE_SORT_SIZES, 128, 0}};

static tuner_program merge_sort_program(void) {
  static const tuner_source sources[] = {{"merge_sort.cuh", {NULL}, 0}};
  tuner_program p;
  memset(&p, 0, sizeof p);
  p.name = "merge_sort", p.about = "stable merge sort of pairs of 32-bit words";
  p.parameters = merge_sort_parameters, p.parameter_count = 3;
  p.size = 1u << 22, p.host_size = 1u << 16;
  p.sources = sources, p.source_count = 1;
  p.open = merge_sort_open, p.clear = merge_sort_clear, p.run = merge_sort_run, p.check = merge_sort_check;
  p.close = merge_sort_close;
  p.state = &merge_sort_state;
  return p;
}

int main(int argc, char **argv) {
  tuner_program p = merge_sort_program();
  return tuner_main(&p, argc, argv);
}
