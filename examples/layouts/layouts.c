// layouts.c - two programs whose speed depends on array layouts, in all layouts, on this GPU: a bitonic sort of rows of
// four columns (u64, u32, u16, u8), and the binning of a KD-tree's node, which finds the split of its boxes of
// triangles.
//
//     make examples && build/examples/layouts/layouts --out build/layouts.json
//     build/venv/bin/python examples/layouts/layouts.py build/layouts.json --out build/layouts
//
//     --out FILE       results as JSON, which layouts.py draws
//     --quick          small inputs: a check, no measurement
//     --host           the kernels as loops on the host, small, as where there is no GPU
//     --program NAME   bitonic or kd_tree as an application of the tuner: --describe, --measure
//     --rows LIST      sizes of the sort's test cases (default 1048576,4100000)
//     --scenes FILES   of scenes.py, separated by commas, and --bins LIST (default 32,64,128,256,512): test cases
//     --folder PATH    where the kernels are, --header PATH: gpuprims.h, from elsewhere than the project's folder
//
// NVRTC compiles the kernels (bitonic.cuh, kd_tree.cuh) once for each layout; their text stays the same. Every result
// is compared with the host's. As in Weber and Goesele (MATOG: Array Layout Auto-Tuning for CUDA, ACM TACO 2017), the
// program measures every combination of the layouts of all arrays, at several sizes, against the baseline of arrays of
// structs. Meshes are generated: closed surfaces with as many triangles as well-known scans. This library's calls
// compute prefix sums, suffix sums (prefix sums of mirrored lines), the best plane and, for comparison, a sort.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#ifndef LAYOUTS_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include "examples/own_checks.h" // after it
#include "tools/gp_tune_application.h"

#include "examples/layouts/layout.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

#ifndef KD_USUAL_BINS
#define KD_USUAL_BINS 128
#endif
enum { ROUNDS = 7, MOST_BINS = 512 };

// The layouts to try.
static const unsigned widths[] = {GP_AOS, GP_SOA, 16, 32};
enum { WIDTHS = sizeof widths / sizeof *widths };

// A combination, and its times.
typedef struct variant {
  uint64_t array; // its layout
  unsigned second, order; // the tile's width; or counters and their order
  double us[ROUNDS], median_us;
} variant;

// The programs' numbers of combinations.
enum { TILE_WIDTHS = 3, COUNTERS = 4, ORDERS = 2 };
enum { BITONIC_VARIANTS = WIDTHS * TILE_WIDTHS, KD_VARIANTS = WIDTHS * COUNTERS * ORDERS };

typedef struct program {
  own_gpu gpu;
  gp_context *ctx;
  char *header, *own_header, *bitonic, *kd_tree; // texts
  void *bitonic_modules[BITONIC_VARIANTS], *kd_modules[KD_VARIANTS]; // compiled at first use
  gp_type row_type, six_type;
  gp_op add_six;
  int on_gpu, quick, rounds, checked, wrong, written, bins; // slabs along each axis
  double began, part_us[2]; // of the bitonic sort's kernels, where by_kernel
  int by_kernel;
  FILE *json;
} program;

static uint64_t divide_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
static unsigned grid_of(uint64_t blocks) {
  if (blocks > 0x7fffffff) own_stop("a grid of %llu blocks", (unsigned long long)blocks);
  return blocks ? (unsigned)blocks : 1;
}
static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static const char *layout_name(uint64_t width) {
  return width == GP_AOS ? "AoS" : width == GP_SOA ? "SoA" : width == 16 ? "AoSoA 16" : "AoSoA 32";
}

// ---- memory of the GPU, or of the host

static void *room_new(program *p, uint64_t bytes) { return p->on_gpu ? own_new(&p->gpu, bytes) : own_memory(bytes); }
static void room_free(program *p, void *memory) {
  if (p->on_gpu) own_free(&p->gpu, memory);
  else free(memory);
}
static void room_write(program *p, void *to, const void *from, uint64_t bytes) {
  if (p->on_gpu) own_write(&p->gpu, to, from, bytes);
  else memcpy(to, from, bytes);
}
static void room_read(program *p, void *to, const void *from, uint64_t bytes) {
  if (p->on_gpu) own_read(&p->gpu, to, from, bytes);
  else memcpy(to, from, bytes);
}
static void room_copy(program *p, void *to, const void *from, uint64_t bytes) {
  if (p->on_gpu) own_copy(&p->gpu, to, from, bytes);
  else memmove(to, from, bytes);
}
static void room_set(program *p, void *to, int byte, uint64_t bytes) {
  if (p->on_gpu) own_set(&p->gpu, to, byte, bytes);
  else memset(to, byte, bytes);
}
static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}
static void room_begin(program *p) {
  if (p->on_gpu) own_begin(&p->gpu);
  else p->began = now_us();
}
static double room_end(program *p) { return p->on_gpu ? own_end(&p->gpu) : now_us() - p->began; }
static gp_stream stream_of(const program *p) { return p->on_gpu ? p->gpu.stream : NULL; }

// ---- layouts on the host

static gp_array rows_in(uint64_t layout, uint64_t n, void *memory) {
  gp_array a = GP_ARRAY_OF(Row, layout, n, 1, 1);
  a.base = memory;
  return a;
}
static gp_array boxes_in(uint64_t layout, uint64_t n, void *memory) {
  gp_array a = GP_ARRAY_OF(Box, layout, n, 1, 1);
  a.base = memory;
  return a;
}
static void move_rows(gp_array to, gp_array from, uint64_t n) {
  uint64_t i;
  for (i = 0; i < n; ++i) GP_MOVE(Row, Row, to, i, Row, from, i);
}
static void move_boxes(gp_array to, gp_array from, uint64_t n) {
  uint64_t i;
  for (i = 0; i < n; ++i) GP_MOVE(Box, Box, to, i, Box, from, i);
}

// ---- results

static void summarise(program *p, variant *v) {
  qsort(v->us, (size_t)p->rounds, sizeof v->us[0], ascending);
  v->median_us = v->us[p->rounds / 2];
}
static const variant *best_of(const variant *v, int count) {
  const variant *best = v;
  int i;
  for (i = 1; i < count; ++i)
    if (v[i].median_us < best->median_us) best = v + i;
  return best;
}
static void expect(program *p, int good, const char *what, uint64_t n) {
  ++p->checked;
  if (good) return;
  fprintf(stderr, "FAILED: %s, %llu elements\n", what, (unsigned long long)n);
  ++p->wrong;
}
// whole_us: the library's sort; or binning, sums, costs and the best plane together.
static void write_results(program *p, const char *name, uint64_t n, const variant *v, int count,
    const char *const *seconds, double whole_us) {
  int i;
  if (!p->json) return;
  fprintf(p->json, "%s\n{\"program\": \"%s\", \"n\": %llu, \"whole_us\": %.3f, \"variants\": [",
      p->written++ ? "," : "", name, (unsigned long long)n, whole_us);
  for (i = 0; i < count; ++i)
    fprintf(p->json,
        "%s\n  {\"array\": \"%s\", \"second\": \"%s\", \"transposed\": %u, \"us\": %.3f, \"min_us\": %.3f, "
        "\"max_us\": %.3f}",
        i ? "," : "", layout_name(v[i].array), seconds ? seconds[v[i].second] : layout_name(v[i].second), v[i].order,
        v[i].median_us, v[i].us[0], v[i].us[p->rounds - 1]);
  fprintf(p->json, "]}");
}

// ---- the bitonic sort

static uint64_t mix(uint64_t x) {
  x = (x + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 31) * 0x94D049BB133111EBu;
  return x ^ x >> 29;
}
// Random numbers of 0 to 1023, as in the paper, so that later columns decide; of 0 to 3 where there are few rows.
static void fill_rows(Row *rows, uint64_t n) {
  const uint64_t most = n < 1 << 14 ? 3 : 1023;
  uint64_t i;
  for (i = 0; i < n; ++i) {
    const uint64_t a = mix(i);
    rows[i].first = a & most;
    rows[i].second = (unsigned)(a >> 10 & most);
    rows[i].third = (unsigned short)(a >> 20 & most);
    rows[i].fourth = (unsigned char)(a >> 30 & most);
  }
}
static int compare_rows(const void *a, const void *b) {
  const Row *x = (const Row *)a, *y = (const Row *)b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  if (x->second != y->second) return x->second < y->second ? -1 : 1;
  if (x->third != y->third) return x->third < y->third ? -1 : 1;
  return (int)x->fourth - (int)y->fourth;
}
static int same_rows(const Row *a, const Row *b, uint64_t n) {
  uint64_t i;
  for (i = 0; i < n; ++i)
    if (compare_rows(a + i, b + i)) return 0;
  return 1;
}

typedef struct bitonic_kernels {
  void *round, *tiles;
  unsigned staged; // the tiles' layout
} bitonic_kernels;

static bitonic_kernels compile_bitonic(program *p, const variant *v, void **module) {
  char rows[64], tile[64];
  const char *options[2];
  bitonic_kernels k;
  k.round = k.tiles = NULL;
  k.staged = v->second;
  if (!p->on_gpu) return k;
  snprintf(rows, sizeof rows, "-DGP_LAYOUT_Row=GP_USE(%lluull)", (unsigned long long)v->array);
  snprintf(tile, sizeof tile, "-DGP_LAYOUT_Staged=GP_USE(%uull)", v->second);
  options[0] = rows, options[1] = tile;
  if (!*module) *module = own_module(&p->gpu, "bitonic.cuh", p->bitonic, "layout.h", p->header, options, 2);
  k.round = own_kernel(&p->gpu, *module, "bitonic_round");
  k.tiles = own_kernel(&p->gpu, *module, "bitonic_tiles");
  return k;
}

// The kernels as loops over their threads.
static void round_on_host(gp_array rows, uint64_t n, uint64_t distance, int mirrored) {
  const uint64_t pairs = divide_up(n, 2 * distance) * distance;
  uint64_t t;
  for (t = 0; t < pairs; ++t) Row_compare(rows, bitonic_pair_of(t, distance, mirrored), n);
}
static void tiles_on_host(gp_array rows, uint64_t n, int whole, unsigned staged) {
  static Row memory[BITONIC_TILE];
  gp_array tile = GP_ARRAY_OF(Staged, staged, BITONIC_TILE, 1, 1);
  uint64_t first, i;
  tile.base = memory;
  for (first = 0; first < n; first += BITONIC_TILE) {
    const uint64_t count = n - first < BITONIC_TILE ? n - first : BITONIC_TILE;
    unsigned stage, distance, t;
    for (i = 0; i < count; ++i) Staged_write(tile, i, Row_read(rows, first + i));
    for (stage = whole ? 1 : BITONIC_TILE / 2; stage < BITONIC_TILE; stage *= 2)
      for (distance = stage; distance; distance /= 2)
        for (t = 0; t < BITONIC_THREADS; ++t)
          Staged_compare(tile, bitonic_pair_of(t, distance, whole && distance == stage), count);
    for (i = 0; i < count; ++i) Row_write(rows, first + i, Staged_read(tile, i));
  }
}

static void begin_part(program *p) {
  if (p->by_kernel) room_begin(p);
}
static void end_part(program *p, int part) {
  if (p->by_kernel) p->part_us[part] += room_end(p);
}
// Sorts n rows in place.
static void bitonic_sort(program *p, bitonic_kernels k, gp_array rows, uint64_t count) {
  unsigned long long n = count, stage, distance;
  int whole = 1, mirrored;
  void *tile_arguments[3], *arguments[4];
  tile_arguments[0] = &rows, tile_arguments[1] = &n, tile_arguments[2] = &whole;
  arguments[0] = &rows, arguments[1] = &n, arguments[2] = &distance, arguments[3] = &mirrored;
  for (stage = BITONIC_TILE / 2; stage == BITONIC_TILE / 2 || stage < n; stage *= 2) {
    begin_part(p);
    for (distance = stage; distance >= BITONIC_TILE; distance /= 2) {
      mirrored = distance == stage;
      if (p->on_gpu)
        own_launch(&p->gpu, k.round, grid_of(divide_up(divide_up(n, 2 * distance) * distance, BITONIC_THREADS)), 1,
            BITONIC_THREADS, 1, 0, arguments);
      else round_on_host(rows, n, distance, mirrored);
    }
    end_part(p, 0);
    begin_part(p);
    if (p->on_gpu)
      own_launch(&p->gpu, k.tiles, grid_of(divide_up(n, BITONIC_TILE)), 1, BITONIC_THREADS, 1, 0, tile_arguments);
    else tiles_on_host(rows, n, whole, k.staged);
    end_part(p, 1);
    whole = 0;
  }
}

static void run_bitonic(program *p, uint64_t n) {
  static const unsigned tile_widths[TILE_WIDTHS] = {GP_AOS, GP_SOA, 32};
  variant variants[BITONIC_VARIANTS];
  bitonic_kernels kernels[BITONIC_VARIANTS];
  const uint64_t most = divide_up(n, 32) * 32 * sizeof(Row);
  Row *input = (Row *)own_memory(n * sizeof *input), *sorted = (Row *)own_memory(n * sizeof *input);
  Row *got = (Row *)own_memory(n * sizeof *input);
  char *array = (char *)own_memory(most);
  void *source[WIDTHS], *work = room_new(p, most);
  const variant *best;
  variant library;
  gp_call call = gp_call_init(GP_SORT);
  static const gp_key_field columns[] = {{offsetof(Row, first), GP_U64, 0}, {offsetof(Row, second), GP_U32, 0},
      {offsetof(Row, third), GP_U16, 0}, {offsetof(Row, fourth), GP_U8, 0}};
  int i, round, count = 0, w;
  fill_rows(input, n);
  memcpy((void *)sorted, input, n * sizeof *input);
  qsort(sorted, n, sizeof *sorted, compare_rows);
  for (w = 0; w < WIDTHS; ++w) {
    memset(array, 0, most);
    move_rows(rows_in(widths[w], n, array), rows_in(GP_AOS, n, input), n);
    source[w] = room_new(p, most);
    room_write(p, source[w], array, most);
    for (i = 0; i < TILE_WIDTHS; ++i) {
      memset(&variants[count], 0, sizeof variants[count]);
      variants[count].array = widths[w];
      variants[count].second = tile_widths[i];
      kernels[count] = compile_bitonic(p, &variants[count], &p->bitonic_modules[count]);
      ++count;
    }
  }
  memset(&library, 0, sizeof library);
  call.key_type = p->row_type;
  call.out_keys = work;
  call.keys = source[0];
  call.count = n;
  call.fields = columns;
  call.field_count = 4;
  for (round = -1; round < p->rounds; ++round) { // the first warms up and is checked
    for (i = 0; i < count; ++i) {
      double us;
      room_copy(p, work, source[i / TILE_WIDTHS], most);
      room_begin(p);
      bitonic_sort(p, kernels[i], rows_in(variants[i].array, n, work), n);
      us = room_end(p);
      if (round >= 0) {
        variants[i].us[round] = us;
        continue;
      }
      room_read(p, array, work, most);
      move_rows(rows_in(GP_AOS, n, got), rows_in(variants[i].array, n, array), n);
      expect(p, same_rows(got, sorted, n), "bitonic sort", n);
    }
    room_begin(p);
    own_check(gp_run(p->ctx, &call, stream_of(p)));
    if (round >= 0) library.us[round] = room_end(p);
    else {
      room_read(p, got, work, n * sizeof *got);
      expect(p, same_rows(got, sorted, n), "gp_sort_keys", n);
    }
  }
  for (i = 0; i < count; ++i) summarise(p, &variants[i]);
  summarise(p, &library);
  best = best_of(variants, count);
  printf("\nBitonic sort, %llu rows of 4 columns: us, rows in memory (down) by tiles in shared memory (across)\n%-10s",
      (unsigned long long)n, "");
  for (i = 0; i < TILE_WIDTHS; ++i) printf("%12s", layout_name(tile_widths[i]));
  for (i = 0; i < count; ++i) {
    if (i % TILE_WIDTHS == 0) printf("\n%-10s", layout_name(variants[i].array));
    printf("%12.1f", variants[i].median_us);
  }
  printf("\nbest: %s, tiles %s: %.2f times as fast as AoS, AoS; gp_sort of these structs: %.1f us\n",
      layout_name(best->array), layout_name(best->second), variants[0].median_us / best->median_us, library.median_us);
  write_results(p, "bitonic", n, variants, count, NULL, library.median_us);
  for (w = 0; w < WIDTHS; ++w) room_free(p, source[w]);
  room_free(p, work);
  free(input), free(sorted), free(got), free(array);
}

// ---- the KD-tree's binning

// A closed surface with waves, cut into `n` triangles row by row; their boxes, and the box of all.
static kd_space make_boxes(Box *boxes, uint64_t n, int bins) {
  const uint64_t across = (uint64_t)sqrt((double)n) + 1, rows = divide_up(n, 2 * across);
  float(*line)[3] = (float(*)[3])own_memory((across + 1) * 2 * sizeof *line), (*at[2])[3], (*swap)[3];
  kd_space space;
  uint64_t r, c, t = 0;
  int axis, k;
  for (axis = 0; axis < 3; ++axis) space.low[axis] = 1e30f, space.high[axis] = -1e30f;
  at[0] = line, at[1] = line + across + 1;
  for (r = 0; r <= rows && t < n; ++r) {
    const double v = 3.14159265358979 * (double)r / (double)rows;
    swap = at[0], at[0] = at[1], at[1] = swap;
    for (c = 0; c <= across; ++c) {
      const double u = 6.28318530717959 * (double)c / (double)across;
      const double radius = 1 + 0.2 * sin(7 * u + 3 * v) * sin(5 * v);
      at[1][c][0] = (float)(radius * sin(v) * cos(u));
      at[1][c][1] = (float)(radius * sin(v) * sin(u));
      at[1][c][2] = (float)(1.5 * radius * cos(v));
    }
    for (c = 0; r && c < 2 * across && t < n; ++c, ++t) { // two triangles a quad
      const float *a = at[0][c / 2 + c % 2], *b = at[c % 2][c / 2 + 1 - c % 2], *d = at[1][c / 2 + c % 2];
      float low[3], high[3];
      for (k = 0; k < 3; ++k) {
        low[k] = a[k] < b[k] ? a[k] : b[k], high[k] = a[k] < b[k] ? b[k] : a[k];
        low[k] = d[k] < low[k] ? d[k] : low[k], high[k] = d[k] > high[k] ? d[k] : high[k];
        if (low[k] < space.low[k]) space.low[k] = low[k];
        if (high[k] > space.high[k]) space.high[k] = high[k];
      }
      boxes[t].low_x = low[0], boxes[t].low_y = low[1], boxes[t].low_z = low[2];
      boxes[t].high_x = high[0], boxes[t].high_y = high[1], boxes[t].high_z = high[2];
    }
  }
  for (axis = 0; axis < 3; ++axis) // a flat node has one slab
    space.scale[axis] = space.high[axis] > space.low[axis] ? (float)bins / (space.high[axis] - space.low[axis]) : 0;
  free(line);
  return space;
}

// kd_bin as a loop.
static void count_boxes(gp_array boxes, uint64_t n, const kd_space *s, int bins, int transposed, unsigned *counts) {
  uint64_t i;
  memset(counts, 0, sizeof *counts * KD_LINES * (unsigned)bins);
  for (i = 0; i < n; ++i) {
    unsigned counter[KD_LINES], line;
    kd_counters(boxes, i, s, bins, transposed, counter);
    for (line = 0; line < KD_LINES; ++line) ++counts[counter[line]];
  }
}
// The counters as they must be: [line][slab].
static unsigned slab_of(float x, const kd_space *s, int axis, int bins) {
  const int slab = (int)((x - s->low[axis]) * s->scale[axis]);
  return (unsigned)(slab < 0 ? 0 : slab < bins ? slab : bins - 1);
}
static void expect_counts(const Box *boxes, uint64_t n, const kd_space *s, int bins, unsigned *counts) {
  const unsigned line = (unsigned)bins, last = (unsigned)bins - 1;
  uint64_t i;
  memset(counts, 0, sizeof *counts * KD_LINES * line);
  for (i = 0; i < n; ++i) {
    const Box *b = boxes + i;
    ++counts[0 * line + slab_of(b->low_x, s, 0, bins)];
    ++counts[1 * line + slab_of(b->low_y, s, 1, bins)];
    ++counts[2 * line + slab_of(b->low_z, s, 2, bins)];
    ++counts[3 * line + last - slab_of(b->high_x, s, 0, bins)];
    ++counts[4 * line + last - slab_of(b->high_y, s, 1, bins)];
    ++counts[5 * line + last - slab_of(b->high_z, s, 2, bins)];
  }
}
// The cost of splitting before a slab, by the host, from counters.
static double cost_of(const unsigned *counts, const kd_space *s, int bins, int axis, int slab) {
  double left = 0, right = 0, part = (double)slab / bins, length = s->high[axis] - s->low[axis];
  const double a = s->high[(axis + 1) % 3] - s->low[(axis + 1) % 3],
               b = s->high[(axis + 2) % 3] - s->low[(axis + 2) % 3];
  int k;
  for (k = 0; k < slab; ++k) left += counts[axis * bins + k];
  for (k = 0; k < bins - slab; ++k) right += counts[(3 + axis) * bins + k];
  return left * (a * b + part * length * (a + b)) + right * (a * b + (1 - part) * length * (a + b));
}

typedef struct best_plane { // the output type of ARGMIN of f32
  float cost;
  int64_t place;
} best_plane;

// One combination's kernels, and the memory that all share.
typedef struct node {
  void *bin, *costs_kernel;
  unsigned order;
  unsigned *counts, *sums, *lines; // device memory; lines: offsets of the lines, for the sums
  float *costs;
  best_plane *best;
  kd_space space;
} node;

static void bin_boxes(program *p, const node *k, gp_array boxes, uint64_t count) {
  unsigned long long n = count;
  const uint64_t wanted = divide_up(n, KD_THREADS), most = (uint64_t)p->gpu.multiprocessors * 8;
  kd_space space = k->space;
  unsigned *counts = k->counts;
  void *arguments[4];
  if (!p->on_gpu) {
    count_boxes(boxes, n, &space, p->bins, (int)k->order, counts);
    return;
  }
  arguments[0] = &boxes, arguments[1] = &n, arguments[2] = &space, arguments[3] = &counts;
  room_set(p, counts, 0, KD_LINES * (unsigned)p->bins * sizeof *counts);
  own_launch(&p->gpu, k->bin, grid_of(wanted < most ? wanted : most), 1, KD_THREADS, 1, 0, arguments);
}
// kd_costs as a loop over its threads.
static void costs_on_host(const program *p, const node *k) {
  unsigned lines[KD_LINES * MOST_BINS];
  int line, slab, axis;
  for (line = 0; line < KD_LINES; ++line) // counters, from inclusive sums
    for (slab = 0; slab < p->bins; ++slab) {
      const unsigned sum = k->sums[kd_counter((unsigned)line, (unsigned)slab, p->bins, (int)k->order)];
      lines[line * p->bins + slab] =
          slab ? sum - k->sums[kd_counter((unsigned)line, (unsigned)slab - 1, p->bins, (int)k->order)] : sum;
    }
  for (axis = 0; axis < 3; ++axis)
    for (slab = 0; slab < p->bins; ++slab)
      k->costs[axis * p->bins + slab] = slab ? (float)cost_of(lines, &k->space, p->bins, axis, slab) : 3.402823466e+38f;
}
// Prefix sums of every line; transposed counters take one scan over structs of six. Then costs, and their minimum.
static void choose_plane(program *p, const node *k) {
  gp_call scan = gp_call_init(k->order ? GP_INCLUSIVE_SCAN : GP_SEGMENTED_INCLUSIVE_SCAN);
  gp_call least = gp_call_init(GP_REDUCE);
  kd_space space = k->space;
  const unsigned *sums = k->sums;
  float *costs = k->costs;
  void *arguments[3];
  scan.in = k->counts;
  scan.out = k->sums;
  if (k->order) {
    scan.op = p->add_six;
    scan.in_type = scan.out_type = p->six_type;
    scan.count = (uint64_t)p->bins;
  } else {
    scan.op = GP_SUM;
    scan.in_type = scan.out_type = scan.offset_type = GP_U32;
    scan.count = (uint64_t)(KD_LINES * p->bins);
    scan.begin = k->lines;
    scan.segments = KD_LINES;
  }
  own_check(gp_run(p->ctx, &scan, stream_of(p)));
  arguments[0] = (void *)&sums, arguments[1] = &costs, arguments[2] = &space;
  if (p->on_gpu)
    own_launch(&p->gpu, k->costs_kernel, grid_of(divide_up(3 * (unsigned)p->bins, KD_THREADS)), 1, KD_THREADS, 1, 0,
        arguments);
  else costs_on_host(p, k);
  least.op = GP_ARGMIN;
  least.in_type = least.out_type = GP_F32;
  least.in = costs;
  least.out = k->best;
  least.count = 3 * (uint64_t)p->bins;
  own_check(gp_run(p->ctx, &least, stream_of(p)));
}

static void compile_kd_tree(program *p, const variant *v, void **module, node *k) {
  char text[4][64];
  const char *options[4];
  int i;
  k->order = v->order;
  if (!p->on_gpu) return;
  snprintf(text[0], sizeof text[0], "-DGP_LAYOUT_Box=GP_USE(%lluull)", (unsigned long long)v->array);
  snprintf(text[1], sizeof text[1], "-DKD_COUNTERS=%u", v->second);
  snprintf(text[2], sizeof text[2], "-DKD_ORDER=%u", v->order);
  snprintf(text[3], sizeof text[3], "-DKD_BINS=%d", p->bins);
  for (i = 0; i < 4; ++i) options[i] = text[i];
  if (!*module) *module = own_module(&p->gpu, "kd_tree.cuh", p->kd_tree, "layout.h", p->header, options, 4);
  k->bin = own_kernel(&p->gpu, *module, "kd_bin");
  k->costs_kernel = own_kernel(&p->gpu, *module, "kd_costs");
}

static int is_plane_right(program *p, const node *k, const unsigned *expected) {
  best_plane got;
  double least = 1e300;
  int axis, slab;
  room_read(p, &got, k->best, sizeof got);
  for (axis = 0; axis < 3; ++axis)
    for (slab = 1; slab < p->bins; ++slab) {
      const double cost = cost_of(expected, &k->space, p->bins, axis, slab);
      if (cost < least) least = cost;
    }
  return got.place >= 0 && got.place < 3 * p->bins && got.place % p->bins &&
      cost_of(expected, &k->space, p->bins, (int)(got.place / p->bins), (int)(got.place % p->bins)) <=
      least * (1 + 1e-5);
}

static void run_kd_tree(program *p, uint64_t n) {
  static const char *const counters[COUNTERS] = {"in memory", "of a block", "of a warp", "of a thread"};
  variant variants[KD_VARIANTS], whole;
  node nodes[KD_VARIANTS], shared;
  const uint64_t bytes = divide_up(divide_up(n, 32) * 32 * sizeof(Box), 256) * 256;
  const uint64_t least = p->quick ? 1 : 8 * (uint64_t)(p->on_gpu ? p->gpu.l2_bytes : 1),
                 sets = least / bytes > 1 ? least / bytes : 1;
  Box *boxes = (Box *)own_memory(n * sizeof *boxes);
  char *array = (char *)own_memory(bytes), *memory = (char *)room_new(p, sets * bytes);
  unsigned expected[KD_LINES * MOST_BINS], counts[KD_LINES * MOST_BINS], lines[KD_LINES + 1];
  const int all = KD_LINES * p->bins;
  uint64_t set;
  int i, k, round, count = 0, best, w;
  memset(&shared, 0, sizeof shared);
  memset(&whole, 0, sizeof whole);
  shared.space = make_boxes(boxes, n, p->bins);
  shared.counts = (unsigned *)room_new(p, sizeof counts);
  shared.sums = (unsigned *)room_new(p, sizeof counts);
  shared.lines = (unsigned *)room_new(p, sizeof lines);
  shared.costs = (float *)room_new(p, 3 * MOST_BINS * sizeof(float));
  shared.best = (best_plane *)room_new(p, sizeof(best_plane));
  for (k = 0; k <= KD_LINES; ++k) lines[k] = (unsigned)(k * p->bins);
  room_write(p, shared.lines, lines, sizeof lines);
  expect_counts(boxes, n, &shared.space, p->bins, expected);
  for (w = 0; w < WIDTHS; ++w) {
    memset(array, 0, bytes);
    move_boxes(boxes_in(widths[w], n, array), boxes_in(GP_AOS, n, boxes), n);
    room_write(p, memory, array, bytes);
    for (set = 1; set < sets; ++set) room_copy(p, memory + set * bytes, memory, bytes);
    set = 0;
    for (i = 0; i < COUNTERS * ORDERS; ++i) {
      variant *v = &variants[COUNTERS * ORDERS * w + i];
      node *one = &nodes[COUNTERS * ORDERS * w + i];
      memset(v, 0, sizeof *v);
      v->array = widths[w], v->second = (unsigned)i / ORDERS, v->order = (unsigned)i % ORDERS;
      *one = shared;
      compile_kd_tree(p, v, &p->kd_modules[COUNTERS * ORDERS * w + i], one);
      bin_boxes(p, one, boxes_in(widths[w], n, memory), n);
      choose_plane(p, one);
      room_read(p, counts, one->counts, (uint64_t)all * sizeof *counts);
      for (k = 0; k < all; ++k)
        if (counts[v->order ? k % p->bins * KD_LINES + k / p->bins : k] != expected[k]) break;
      expect(p, k == all, "binning", n);
      expect(p, is_plane_right(p, one, expected), "the best plane", n);
      ++count;
    }
    for (round = 0; round < p->rounds; ++round)
      for (i = 0; i < COUNTERS * ORDERS; ++i) {
        const int calls = p->quick ? 1 : n < 1u << 20 ? 100 : 10;
        room_begin(p);
        for (k = 0; k < calls; ++k, set = (set + 1) % sets)
          bin_boxes(p, &nodes[COUNTERS * ORDERS * w + i], boxes_in(widths[w], n, memory + set * bytes), n);
        variants[COUNTERS * ORDERS * w + i].us[round] = room_end(p) / calls;
      }
  }
  for (i = 0; i < count; ++i) summarise(p, &variants[i]);
  best = (int)(best_of(variants, count) - variants);
  memset(array, 0, bytes); // all steps once more, in the best layout
  move_boxes(boxes_in(variants[best].array, n, array), boxes_in(GP_AOS, n, boxes), n);
  for (set = 0; set < sets; ++set) room_write(p, memory + set * bytes, array, bytes);
  for (round = 0, set = 0; round < p->rounds; ++round) {
    const int calls = p->quick ? 1 : 10;
    room_begin(p);
    for (k = 0; k < calls; ++k, set = (set + 1) % sets) {
      bin_boxes(p, &nodes[best], boxes_in(variants[best].array, n, memory + set * bytes), n);
      choose_plane(p, &nodes[best]);
    }
    whole.us[round] = room_end(p) / calls;
  }
  summarise(p, &whole);
  printf("\nKD-tree binning, %llu boxes, 3 x %d slabs: us, boxes (down) by counters (across; t: transposed)\n%-10s",
      (unsigned long long)n, p->bins, "");
  for (i = 0; i < COUNTERS * ORDERS; ++i) printf("%11s%s", counters[i / ORDERS], i % ORDERS ? " t" : "  ");
  for (i = 0; i < count; ++i) {
    if (i % (COUNTERS * ORDERS) == 0) printf("\n%-10s", layout_name(variants[i].array));
    printf("%11.1f  ", variants[i].median_us);
  }
  printf(
      "\nbest: %s, counters %s%s: %.2f times as fast as AoS, counters in memory; %.0f GB/s; with sums, costs and the\n"
      "best plane: %.1f us\n",
      layout_name(variants[best].array), counters[variants[best].second], variants[best].order ? ", transposed" : "",
      variants[0].median_us / variants[best].median_us, 1e-3 * (double)(n * sizeof(Box)) / variants[best].median_us,
      whole.median_us);
  write_results(p, "kd_tree", n, variants, count, counters, whole.median_us);
  room_free(p, memory), room_free(p, shared.counts), room_free(p, shared.sums);
  room_free(p, shared.lines), room_free(p, shared.costs), room_free(p, shared.best);
  free(boxes), free(array);
}

// ---- the program

typedef struct six {
  unsigned v[KD_LINES];
} six;
static void add_six(void *user, void *result, const void *a, const void *b) {
  six sum;
  int i;
  (void)user;
  for (i = 0; i < KD_LINES; ++i) sum.v[i] = ((const six *)a)->v[i] + ((const six *)b)->v[i];
  *(six *)result = sum;
}

static void define(program *p) {
  static const six zero = {{0, 0, 0, 0, 0, 0}};
  char source[64], body[128]; // the device's text of `six` and add_six, without this file's constants
  gp_type_desc type = gp_type_desc_init();
  gp_op_desc op = gp_op_desc_init();
  type.name = "row";
  type.source =
      "struct row { unsigned long long first; unsigned second; unsigned short third; unsigned char fourth; };";
  type.size = sizeof(Row);
  type.align = 8;
  own_check(gp_type_struct(p->ctx, &type, &p->row_type));
  type.name = "six";
  snprintf(source, sizeof source, "struct six { unsigned v[%d]; };", (int)KD_LINES);
  type.source = source;
  type.size = sizeof(six);
  type.align = 4;
  own_check(gp_type_struct(p->ctx, &type, &p->six_type));
  op.name = "add_six";
  snprintf(body, sizeof body, "six r; for (int i = 0; i < %d; ++i) r.v[i] = a.v[i] + b.v[i]; return r;", (int)KD_LINES);
  op.body = body;
  op.identity = "six{{0, 0, 0, 0, 0, 0}}";
  op.arity = 2;
  op.commutative = 1;
  op.host = add_six;
  op.host_identity = &zero;
  op.host_identity_size = sizeof zero;
  own_check(gp_op_define(p->ctx, &op, &p->add_six));
}

static char *text_in(const char *folder, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return own_text(path);
}

// No GPU: the kernels run as loops on the host, and are compiled if NVRTC is found.
static void compile_kernels(program *p) {
  static const char *const rows[] = {"-DGP_LAYOUT_Row=GP_USE(0ull)", "-DGP_LAYOUT_Staged=GP_USE(1ull)"};
  static const char *const boxes[] = {
      "-DGP_LAYOUT_Box=GP_USE(32ull)", "-DKD_COUNTERS=2", "-DKD_ORDER=1", "-DKD_BINS=128"};
  static const int capabilities[] = {75, 80, 90};
  own_gpu g;
  const char *why;
  int i;
  memset(&g, 0, sizeof g);
  why = own_open_compiler(&g);
  if (why) {
    printf("%s, so the kernels were not compiled\n", why);
    return;
  }
  for (i = 0; i < 3; ++i) {
    free(own_compile(&g, "bitonic.cuh", p->bitonic, "layout.h", p->header, capabilities[i], rows, 2));
    free(own_compile(&g, "kd_tree.cuh", p->kd_tree, "layout.h", p->header, capabilities[i], boxes, 4));
    printf("the kernels compile for sm_%d\n", capabilities[i]);
  }
}

// ---- as applications of the tuner (tools/gp_tune_application.h)

enum { MOST_CASES = 128, MOST_MODULES = 512, CASE_NAME = 200 };

typedef struct served {
  program *p;
  gp_tune_application_case cases[MOST_CASES];
  char names[MOST_CASES][CASE_NAME], files[MOST_CASES][CASE_NAME]; // files: of scenes
  int bins[MOST_CASES];
  uint64_t n;
  void *source, *work; // the inputs as arrays of structs, in device memory; those of a run
  Row *sorted;
  node kd;
  unsigned expected[KD_LINES * MOST_BINS];
  struct {
    char options[160];
    void *module;
  } modules[MOST_MODULES];
  int module_count;
} served;

// The module of these options; at most once.
static void **module_of(served *s, const char *options) {
  int i;
  for (i = 0; i < s->module_count && strcmp(s->modules[i].options, options);) ++i;
  if (i == MOST_MODULES) own_stop("more than %d variants of kernels", MOST_MODULES);
  if (i == s->module_count)
    snprintf(s->modules[s->module_count++].options, sizeof s->modules[0].options, "%s", options);
  return &s->modules[i].module;
}
static void close_served(served *s) {
  if (s->source) room_free(s->p, s->source), room_free(s->p, s->work);
  free(s->sorted);
  s->source = s->work = s->sorted = NULL;
}
// The inputs in another layout, converted where they are.
static const char *convert_inputs(served *s, const gp_layout *from, const gp_layout *to) {
  return gp_convert_layout(s->p->ctx, from, to, s->source, s->n, s->work, 0, stream_of(s->p)) ? gp_last_message()
      : NULL;
}

static const gp_tune_application_field bitonic_fields[] = {{NULL, "Row", "GP_AOS GP_SOA 32"},
    {"bitonic_tiles", "Staged", "GP_AOS GP_SOA 32"}, {"bitonic_round", "prefer", "l1 shared"},
    {"bitonic_tiles", "prefer", "l1 shared"}};
static const char *open_rows(void *user, int number) {
  served *s = (served *)user;
  const uint64_t bytes = divide_up(s->cases[number].feature[0], 32) * 32 * sizeof(Row);
  Row *input;
  close_served(s);
  s->n = s->cases[number].feature[0];
  if (!s->n) return "it has no rows";
  input = (Row *)own_memory(bytes);
  s->sorted = (Row *)own_memory(bytes);
  fill_rows(input, s->n);
  memcpy((void *)s->sorted, input, s->n * sizeof *input);
  qsort(s->sorted, s->n, sizeof *input, compare_rows);
  s->source = room_new(s->p, bytes), s->work = room_new(s->p, bytes);
  room_write(s->p, s->source, input, bytes);
  free(input);
  return NULL;
}
static bitonic_kernels rows_kernels(served *s, const int *value, variant *v) {
  char options[160];
  memset(v, 0, sizeof *v);
  v->array = gp_tune_field_value(&bitonic_fields[0], value[0]);
  v->second = (unsigned)gp_tune_field_value(&bitonic_fields[1], value[1]);
  snprintf(options, sizeof options, "%llu %u", (unsigned long long)v->array, v->second);
  return compile_bitonic(s->p, v, module_of(s, options));
}
static const char *compile_rows(void *user, int number, const int *value) {
  variant v;
  rows_kernels((served *)user, value, &v);
  (void)number;
  return NULL;
}
static const char *run_rows(void *user, const int *value, int rounds, double *us, const char **why) {
  served *s = (served *)user;
  program *p = s->p;
  const uint64_t bytes = divide_up(s->n, 32) * 32 * sizeof(Row);
  variant v;
  bitonic_kernels k;
  gp_field from_fields[32], to_fields[32];
  gp_array from = rows_in(GP_AOS, s->n, s->source), rows;
  gp_layout from_layout = Row_layout(&from, from_fields), to_layout;
  int round, good;
  k = rows_kernels(s, value, &v);
  rows = rows_in(v.array, s->n, s->work);
  to_layout = Row_layout(&rows, to_fields);
  if (p->on_gpu) own_prefer(&p->gpu, k.round, 100 * value[2]), own_prefer(&p->gpu, k.tiles, 100 * value[3]);
  for (round = -1; round < rounds; ++round) { // the first warms up and is checked
    const char *wrong = convert_inputs(s, &from_layout, &to_layout);
    if (wrong) return wrong;
    p->part_us[0] = p->part_us[1] = 0;
    p->by_kernel = 1;
    bitonic_sort(p, k, rows, s->n);
    p->by_kernel = 0;
    if (round >= 0) us[round] = p->part_us[0], us[rounds + round] = p->part_us[1];
    else {
      gp_array host = rows;
      Row *got = (Row *)own_memory(s->n * sizeof *got);
      host.base = own_memory(bytes);
      room_read(p, host.base, s->work, bytes);
      move_rows(rows_in(GP_AOS, s->n, got), host, s->n);
      good = same_rows(got, s->sorted, s->n);
      free(host.base), free(got);
      if (!good) return "rows out of order";
    }
  }
  (void)why;
  return NULL;
}

// A scene: "GPBOXES1", the number of boxes (8 bytes), six floats each (scenes.py). Reads the number alone where boxes
// is NULL. NULL, or what is wrong.
static const char *read_scene(const char *path, uint64_t *n, Box **boxes) {
  FILE *file = fopen(path, "rb");
  char magic[8];
  const char *wrong = NULL;
  *n = 0;
  if (!file) return "the scene cannot be opened";
  if (fread(magic, 8, 1, file) != 1 || memcmp(magic, "GPBOXES1", 8) || fread(n, 8, 1, file) != 1)
    wrong = "it is no scene";
  else if (!*n) wrong = "the scene has no triangles";
  else if (*n > (uint64_t)1 << 32) wrong = "the scene has too many triangles";
  else if (boxes) {
    *boxes = (Box *)own_memory(divide_up(*n, 32) * 32 * sizeof **boxes);
    if (fread(*boxes, sizeof **boxes, *n, file) != *n) wrong = "the scene's file is cut short";
    if (wrong) free(*boxes);
  }
  fclose(file);
  return wrong;
}
static kd_space space_of(const Box *boxes, uint64_t n, int bins) {
  kd_space s;
  uint64_t i;
  int k;
  for (k = 0; k < 3; ++k) s.low[k] = 1e30f, s.high[k] = -1e30f;
  for (i = 0; i < n; ++i) {
    const float low[3] = {boxes[i].low_x, boxes[i].low_y, boxes[i].low_z};
    const float high[3] = {boxes[i].high_x, boxes[i].high_y, boxes[i].high_z};
    for (k = 0; k < 3; ++k)
      s.low[k] = low[k] < s.low[k] ? low[k] : s.low[k], s.high[k] = high[k] > s.high[k] ? high[k] : s.high[k];
  }
  for (k = 0; k < 3; ++k) s.scale[k] = s.high[k] > s.low[k] ? (float)bins / (s.high[k] - s.low[k]) : 0;
  return s;
}

// Counters: a block's first, as the paper's baseline has them.
static const gp_tune_application_field kd_fields[] = {
    {NULL, "Box", "GP_AOS GP_SOA 32 GP_SOA+GP_READ_ONLY GP_AOS+GP_TEXTURE GP_SOA+GP_TEXTURE"},
    {"kd_bin", "Counters", "1 2 0 3"}, {"kd_bin", "Order", "0 1"}, {"kd_bin", "prefer", "l1 shared"}};
static const char *open_scene(void *user, int number) {
  served *s = (served *)user;
  program *p = s->p;
  Box *boxes;
  uint64_t bytes;
  const char *wrong;
  close_served(s);
  wrong = read_scene(s->files[number], &s->n, &boxes);
  if (wrong) return wrong;
  p->bins = s->bins[number];
  bytes = divide_up(s->n, 32) * 32 * sizeof *boxes;
  s->kd.space = space_of(boxes, s->n, p->bins);
  expect_counts(boxes, s->n, &s->kd.space, p->bins, s->expected);
  if (!s->kd.counts) s->kd.counts = (unsigned *)room_new(p, sizeof s->expected);
  s->source = room_new(p, bytes), s->work = room_new(p, bytes);
  room_write(p, s->source, boxes, bytes);
  free(boxes);
  return NULL;
}
// Compiles a combination for p->bins. NULL, or why its kernel cannot run.
static const char *scene_kernels(served *s, const int *value, variant *v) {
  char options[160];
  memset(v, 0, sizeof *v);
  v->array = gp_tune_field_value(&kd_fields[0], value[0]);
  v->second = (unsigned)gp_tune_field_value(&kd_fields[1], value[1]);
  v->order = (unsigned)value[2];
  if (v->second == 2 && KD_THREADS / 32 * KD_LINES * (unsigned)s->p->bins * sizeof(unsigned) > 48 << 10)
    return "a block's counters exceed 48 KiB of shared memory";
  snprintf(options, sizeof options, "%llu %u %u %d", (unsigned long long)v->array, v->second, v->order, s->p->bins);
  compile_kd_tree(s->p, v, module_of(s, options), &s->kd);
  return NULL;
}
static const char *compile_scene(void *user, int number, const int *value) {
  served *s = (served *)user;
  const int bins = s->p->bins;
  variant v;
  s->p->bins = s->bins[number];
  scene_kernels(s, value, &v); // what cannot run needs no compilation
  s->p->bins = bins;
  return NULL;
}
static const char *run_scene(void *user, const int *value, int rounds, double *us, const char **why) {
  served *s = (served *)user;
  program *p = s->p;
  variant v;
  gp_field from_fields[32], to_fields[32];
  gp_array from = boxes_in(GP_AOS, s->n, s->source), boxes;
  gp_layout from_layout = Box_layout(&from, from_fields), to_layout;
  const char *wrong = NULL;
  int round, k;
  const int all = KD_LINES * p->bins;
  why[0] = scene_kernels(s, value, &v);
  if (why[0]) return NULL;
  boxes = boxes_in(v.array, s->n, s->work);
  to_layout = Box_layout(&boxes, to_fields);
  wrong = convert_inputs(s, &from_layout, &to_layout);
  if (wrong) return wrong;
  if (p->on_gpu) own_prefer(&p->gpu, s->kd.bin, 100 * value[3]);
  if (p->on_gpu && (v.array & GP_CONSTANT) == GP_TEXTURE) {
    boxes.texture = own_texture(&p->gpu, boxes.base, gp_array_bytes(&boxes), &why[0]);
    if (why[0]) return NULL;
  }
  for (round = -1; !wrong && round < rounds; ++round) { // the first warms up and is checked
    room_begin(p);
    bin_boxes(p, &s->kd, boxes, s->n);
    if (round >= 0) us[round] = room_end(p);
    else {
      unsigned counts[KD_LINES * MOST_BINS];
      room_read(p, counts, s->kd.counts, (uint64_t)all * sizeof *counts);
      for (k = 0; k < all; ++k)
        if (counts[v.order ? k % p->bins * KD_LINES + k / p->bins : k] != s->expected[k]) wrong = "other counts";
    }
  }
  if (boxes.texture) own_texture_free(boxes.texture);
  return wrong;
}

// The last part of a path, without its ending.
static void stem_of(const char *path, size_t length, char *stem, size_t room) {
  size_t first = length, last = length;
  while (first && path[first - 1] != '/') --first;
  while (last > first && path[last - 1] != '.') --last;
  if (last == first) last = length + 1;
  snprintf(stem, room, "%.*s", (int)(last - 1 - first), path + first);
}
// rows: sizes; scenes and bins: every scene with every number of bins.
static int serve(
    program *p, const char *which, const char *rows, const char *scenes, const char *bins, int argc, char **argv) {
  static served s;
  static const char *const row_features[] = {"rows"}, *const box_features[] = {"triangles", "bins"};
  static const char *const row_kernels[] = {"bitonic_round", "bitonic_tiles"}, *const box_kernels[] = {"kd_bin"};
  static char stamp[20];
  const int sorts = !strcmp(which, "bitonic");
  uint64_t hash = 14695981039346656037u;
  const char *at, *list = sorts ? rows : scenes;
  gp_tune_application a;
  int status;
  memset(&a, 0, sizeof a);
  s.p = p;
  for (at = sorts ? p->bitonic : p->kd_tree; *at; ++at) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
  for (at = p->own_header; *at; ++at) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
  snprintf(stamp, sizeof stamp, "%016llx", (unsigned long long)hash);
  a.name = which, a.device = p->gpu.name, a.capability = p->gpu.capability, a.stamp = stamp, a.user = &s;
  a.kernels = sorts ? 2 : 1, a.kernel = sorts ? row_kernels : box_kernels;
  a.fields = 4, a.field = sorts ? bitonic_fields : kd_fields;
  a.features = sorts ? 1 : 2, a.feature = sorts ? row_features : box_features;
  a.open = sorts ? open_rows : open_scene, a.run = sorts ? run_rows : run_scene;
  a.compile = sorts ? compile_rows : compile_scene;
  if (!p->on_gpu) a.compile = NULL; // nothing to compile
  a.test_case = s.cases;
  while (*list) {
    const size_t length = strcspn(list, ",");
    const char *bin = sorts ? "0" : bins;
    while (*bin && a.cases < MOST_CASES) {
      char *name = s.names[a.cases], stem[CASE_NAME];
      const size_t digits = strcspn(bin, ",");
      s.cases[a.cases].name = name;
      if (sorts) {
        snprintf(name, CASE_NAME, "%.*s", (int)length, list);
        s.cases[a.cases].feature[0] = strtoull(name, NULL, 10);
      } else {
        snprintf(s.files[a.cases], CASE_NAME, "%.*s", (int)length, list);
        stem_of(list, length, stem, sizeof stem);
        s.bins[a.cases] = atoi(bin);
        if (s.bins[a.cases] < 2 || s.bins[a.cases] > MOST_BINS) own_stop("--bins: 2 to %d", (int)MOST_BINS);
        snprintf(name, CASE_NAME, "%.150sx%d", stem, s.bins[a.cases]);
        read_scene(s.files[a.cases], &s.cases[a.cases].feature[0], NULL);
        s.cases[a.cases].feature[1] = (uint64_t)s.bins[a.cases];
      }
      ++a.cases;
      bin += digits + (bin[digits] == ',');
    }
    list += length + (list[length] == ',');
  }
  status = gp_tune_application_run(&a, argc, argv);
  close_served(&s);
  if (s.kd.counts) room_free(p, s.kd.counts);
  return status;
}

static char *joined_text(const char *a, const char *b) {
  char *all = (char *)own_memory(strlen(a) + strlen(b) + 1);
  memcpy(all, a, strlen(a));
  memcpy(all + strlen(a), b, strlen(b));
  return all;
}

int main(int argc, char **argv) {
  static program p;
  // Numbers of triangles of the Stanford scans bunny, dragon, happy buddha, Asian dragon and Lucy.
  static const uint64_t meshes[] = {69451, 871414, 1087716, 7219045, 28055742}, rows[] = {65536, 1048576, 4100000};
  const char *folder = "examples/layouts", *header = "gpuprims.h", *out = NULL, *why, *which = "", *scenes = "";
  const char *bins = "32,64,128,256,512", *sizes = "1048576,4100000";
  char *library;
  int i, host = 0, bad = 0, status = 0;
  gp_config config = gp_config_init();
  p.bins = KD_USUAL_BINS;
  for (i = 1; i < argc && !bad; ++i) {
    const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(option, "--quick")) p.quick = 1;
    else if (!strcmp(option, "--host")) host = 1;
    else if (!strcmp(option, "--describe") || !strcmp(option, "--measure")) continue;
    else if (!value) bad = 1;
    else {
      ++i;
      if (!strcmp(option, "--out")) out = value;
      else if (!strcmp(option, "--folder")) folder = value;
      else if (!strcmp(option, "--header")) header = value;
      else if (!strcmp(option, "--program")) which = value;
      else if (!strcmp(option, "--scenes")) scenes = value;
      else if (!strcmp(option, "--rows")) sizes = value;
      else if (!strcmp(option, "--bins")) bins = value;
      else bad = 1;
    }
  }
  if (*which && strcmp(which, "bitonic") && strcmp(which, "kd_tree")) bad = 1;
  if (gp_tune_application_asked(argc, argv) != (*which != 0)) bad = 1;
  if (bad) {
    fprintf(stderr, "%s: a bad option; the head of examples/layouts/layouts.c lists them\n", argv[0]);
    return 2;
  }
  library = own_text(header);
  p.own_header = text_in(folder, "layout.h");
  p.header = joined_text(library, p.own_header);
  free(library);
  p.bitonic = text_in(folder, "bitonic.cuh");
  p.kd_tree = text_in(folder, "kd_tree.cuh");
  if (host) config.backend = GP_BACKEND_HOST;
  own_check(gp_open(&config, &p.ctx));
  why = host ? "as asked" : own_open(&p.gpu, p.ctx);
  p.on_gpu = !why;
  if (why) snprintf(p.gpu.name, sizeof p.gpu.name, "host"), p.gpu.capability = 0, p.quick = 1;
  if (*which) status = serve(&p, which, sizes, scenes, bins, argc, argv);
  else {
    p.rounds = p.quick ? 1 : ROUNDS;
    define(&p);
    if (out) {
      p.json = fopen(out, "w");
      if (!p.json) own_stop("%s cannot be written", out);
      fprintf(p.json, "{\"device\": \"%s\", \"capability\": %d, \"results\": [", p.gpu.name, p.gpu.capability);
    }
    printf("on %s%s%s\n", p.gpu.name, why ? ", small: " : "", why ? why : "");
    if (why) compile_kernels(&p);
    if (p.quick) {
      run_bitonic(&p, 1000);
      run_kd_tree(&p, 1500);
    } else {
      for (i = 0; i < 3; ++i) run_bitonic(&p, rows[i]);
      for (i = 0; i < 5; ++i) run_kd_tree(&p, meshes[i]);
    }
    if (p.json) {
      fprintf(p.json, "]}\n");
      if (fclose(p.json)) own_stop("%s cannot be written", out);
    }
    printf("\nResults, compared with the host's:\n%d passed, %d failed, 0 skipped\n", p.checked - p.wrong, p.wrong);
    status = p.wrong != 0;
  }
  own_check(gp_close(p.ctx));
  free(p.header), free(p.own_header), free(p.bitonic), free(p.kd_tree);
  return status;
}
