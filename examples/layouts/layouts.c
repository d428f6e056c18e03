// layouts.c - two programs whose speed depends on array layouts, in all layouts, on this GPU: a bitonic sort of rows of
// four columns (u64, u32, u16, u8), and the binning of a KD-tree's node, which finds the split of its boxes of
// triangles.
//
//     make examples && build/examples/layouts/layouts --out build/layouts.json
//     build/venv/bin/python examples/layouts/layouts.py build/layouts.json --out build/layouts
//
//     --out FILE     results as JSON, which layouts.py draws
//     --quick        small inputs: a check, no measurement
//     --folder PATH  where the kernels are, from elsewhere than the project's folder
//
// NVRTC compiles the kernels (bitonic.cuh, kd_tree.cuh) once for each layout; their text stays the same. Every result
// is compared with the host's. As in Weber and Goesele (MATOG: Array Layout Auto-Tuning for CUDA, ACM TACO 2017), the
// program measures every combination of the layouts of all arrays, at several sizes, against the baseline of arrays of
// structs. Meshes are generated: closed surfaces with as many triangles as well-known scans. This library's calls
// compute prefix sums, suffix sums (prefix sums of mirrored lines), the best plane and, for comparison, a sort. Without
// a GPU or NVRTC the program says what it would do and exits with status 0.
#ifndef LAYOUTS_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include "examples/layouts/layout.h"

#include <math.h>

enum { ROUNDS = 7 };

// A field of a struct, for the host's conversions.
typedef struct field {
  unsigned offset, size;
} field;
#define LAYOUT_FIELD(S, type, name) {(unsigned)offsetof(S, name), (unsigned)sizeof(type)},
static const field row_fields[] = {ROW_FIELDS(LAYOUT_FIELD, row)};
static const field box_fields[] = {BOX_FIELDS(LAYOUT_FIELD, box)};
typedef struct record { // a struct by its fields
  const field *fields;
  unsigned count, size;
} record;
static const record row_record = {row_fields, sizeof row_fields / sizeof *row_fields, sizeof(row)};
static const record box_record = {box_fields, sizeof box_fields / sizeof *box_fields, sizeof(box)};

// The layouts to try: widths, see layout.h.
static const unsigned widths[] = {LAYOUT_AOS, LAYOUT_SOA, 8, 32};
enum { WIDTHS = sizeof widths / sizeof *widths };

// A combination, and its times.
typedef struct variant {
  unsigned array, second, order; // widths of array and tile; or counters and their order
  double us[ROUNDS], median_us;
} variant;

// The programs' numbers of combinations.
enum { TILE_WIDTHS = 3, COUNTERS = 3, ORDERS = 2 };
enum { BITONIC_VARIANTS = WIDTHS * TILE_WIDTHS, KD_VARIANTS = WIDTHS * COUNTERS * ORDERS };

typedef struct program {
  own_gpu gpu;
  gp_context *ctx;
  char *header, *bitonic, *kd_tree;                                  // texts
  void *bitonic_modules[BITONIC_VARIANTS], *kd_modules[KD_VARIANTS]; // compiled at first use
  gp_type row_type, six_type;
  gp_op add_six;
  int quick, rounds, checked, wrong, written;
  FILE *json;
} program;

static void check(gp_result result) {
  if (result != GP_SUCCESS) own_stop("%s: %s", gp_result_name(result), gp_last_message());
}
static void *get_memory(uint64_t bytes) {
  void *memory = calloc(bytes ? bytes : 1, 1);
  if (!memory) own_stop("no memory for %llu bytes", (unsigned long long)bytes);
  return memory;
}
static uint64_t divide_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
static unsigned grid_of(uint64_t blocks) {
  if (blocks > 0x7fffffff) own_stop("a grid of %llu blocks", (unsigned long long)blocks);
  return blocks ? (unsigned)blocks : 1;
}
static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static const char *layout_name(unsigned width) {
  return width == LAYOUT_AOS ? "AoS" : width == LAYOUT_SOA ? "SoA" : width == 8 ? "AoSoA 8" : "AoSoA 32";
}

// ---- layouts on the host

static uint64_t capacity_of(uint64_t n) { return divide_up(n, 16) * 16; }
static uint64_t array_bytes(const record *r, unsigned width, uint64_t n) {
  return (width == LAYOUT_SOA ? capacity_of(n) : divide_up(n, width) * width) * r->size;
}
// Converts between an array of structs and another layout.
static void convert(const record *r, unsigned width, uint64_t n, char *structs, char *array, int back) {
  unsigned f;
  uint64_t i;
  for (f = 0; f < r->count; ++f)
    for (i = 0; i < n; ++i) {
      const unsigned size = r->fields[f].size;
      char *a = structs + i * r->size + r->fields[f].offset;
      char *b = array + layout_place(width, capacity_of(n), r->size, r->fields[f].offset, size, i);
      memcpy(back ? a : b, back ? b : a, size);
    }
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
            i ? "," : "", layout_name(v[i].array), seconds ? seconds[v[i].second] : layout_name(v[i].second),
            v[i].order, v[i].median_us, v[i].us[0], v[i].us[p->rounds - 1]);
  fprintf(p->json, "]}");
}

// ---- the bitonic sort

static uint64_t mix(uint64_t x) {
  x = (x + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 31) * 0x94D049BB133111EBu;
  return x ^ x >> 29;
}
// Random rows; some agree in the first columns, so that the others decide.
static void fill_rows(row *rows, uint64_t n) {
  uint64_t i;
  for (i = 0; i < n; ++i) {
    const uint64_t a = mix(2 * i), b = mix(2 * i + 1);
    rows[i].first = i % 8 ? a : a % 4;
    rows[i].second = (unsigned)(i % 16 ? b : b % 2);
    rows[i].third = (unsigned short)(i % 32 ? b >> 40 : b >> 40 & 1);
    rows[i].fourth = (unsigned char)(b >> 32);
  }
}
static int compare_rows(const void *a, const void *b) {
  const row *x = (const row *)a, *y = (const row *)b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  if (x->second != y->second) return x->second < y->second ? -1 : 1;
  if (x->third != y->third) return x->third < y->third ? -1 : 1;
  return (int)x->fourth - (int)y->fourth;
}
static int same_rows(const row *a, const row *b, uint64_t n) {
  uint64_t i;
  for (i = 0; i < n; ++i)
    if (compare_rows(a + i, b + i)) return 0;
  return 1;
}

typedef struct bitonic_kernels {
  void *round, *tiles;
} bitonic_kernels;

static bitonic_kernels compile_bitonic(program *p, const variant *v, void **module) {
  char rows[40], tile[40];
  const char *options[2];
  bitonic_kernels k;
  snprintf(rows, sizeof rows, "-DROWS_LAYOUT=%u", v->array);
  snprintf(tile, sizeof tile, "-DTILE_LAYOUT=%u", v->second);
  options[0] = rows, options[1] = tile;
  if (!*module) *module = own_module(&p->gpu, "bitonic.cuh", p->bitonic, "layout.h", p->header, options, 2);
  k.round = own_kernel(&p->gpu, *module, "bitonic_round");
  k.tiles = own_kernel(&p->gpu, *module, "bitonic_tiles");
  return k;
}

// Sorts n rows in place.
static void bitonic_sort(program *p, bitonic_kernels k, void *rows, uint64_t count) {
  unsigned long long capacity = capacity_of(count), n = count, stage, distance;
  int whole = 1, mirrored;
  void *tile_arguments[4], *arguments[5];
  tile_arguments[0] = &rows, tile_arguments[1] = &capacity, tile_arguments[2] = &n, tile_arguments[3] = &whole;
  arguments[0] = &rows, arguments[1] = &capacity, arguments[2] = &n, arguments[3] = &distance, arguments[4] = &mirrored;
  for (stage = BITONIC_TILE / 2; stage == BITONIC_TILE / 2 || stage < n; stage *= 2) {
    for (distance = stage; distance >= BITONIC_TILE; distance /= 2) {
      mirrored = distance == stage;
      own_launch(&p->gpu, k.round, grid_of(divide_up(divide_up(n, 2 * distance) * distance, BITONIC_THREADS)), 1,
                 BITONIC_THREADS, 1, 0, arguments);
    }
    own_launch(&p->gpu, k.tiles, grid_of(divide_up(n, BITONIC_TILE)), 1, BITONIC_THREADS, 1, 0, tile_arguments);
    whole = 0;
  }
}

static void run_bitonic(program *p, uint64_t n) {
  static const unsigned tile_widths[TILE_WIDTHS] = {LAYOUT_AOS, LAYOUT_SOA, 32};
  variant variants[BITONIC_VARIANTS];
  bitonic_kernels kernels[BITONIC_VARIANTS];
  const uint64_t most = array_bytes(&row_record, 32, n) + 16 * sizeof(row);
  row *input = (row *)get_memory(n * sizeof *input), *sorted = (row *)get_memory(n * sizeof *input);
  row *got = (row *)get_memory(n * sizeof *input);
  char *array = (char *)get_memory(most);
  void *source[WIDTHS], *work = own_new(&p->gpu, most);
  const variant *best;
  variant library;
  gp_call call = gp_call_init(GP_SORT);
  static const gp_key_field columns[] = {{offsetof(row, first), GP_U64, 0},
                                         {offsetof(row, second), GP_U32, 0},
                                         {offsetof(row, third), GP_U16, 0},
                                         {offsetof(row, fourth), GP_U8, 0}};
  int i, round, count = 0, w;
  fill_rows(input, n);
  memcpy((void *)sorted, input, n * sizeof *input);
  qsort(sorted, n, sizeof *sorted, compare_rows);
  for (w = 0; w < WIDTHS; ++w) {
    memset(array, 0, most);
    convert(&row_record, widths[w], n, (char *)input, array, 0);
    source[w] = own_new(&p->gpu, most);
    own_write(&p->gpu, source[w], array, most);
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
      own_copy(&p->gpu, work, source[i / TILE_WIDTHS], most);
      own_begin(&p->gpu);
      bitonic_sort(p, kernels[i], work, n);
      us = own_end(&p->gpu);
      if (round >= 0) {
        variants[i].us[round] = us;
        continue;
      }
      own_read(&p->gpu, array, work, most);
      convert(&row_record, variants[i].array, n, (char *)got, array, 1);
      expect(p, same_rows(got, sorted, n), "bitonic sort", n);
    }
    own_begin(&p->gpu);
    check(gp_run(p->ctx, &call, p->gpu.stream));
    if (round >= 0) library.us[round] = own_end(&p->gpu);
    else {
      own_read(&p->gpu, got, work, n * sizeof *got);
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
         layout_name(best->array), layout_name(best->second), variants[0].median_us / best->median_us,
         library.median_us);
  write_results(p, "bitonic", n, variants, count, NULL, library.median_us);
  for (w = 0; w < WIDTHS; ++w) own_free(&p->gpu, source[w]);
  own_free(&p->gpu, work);
  free(input), free(sorted), free(got), free(array);
}

// ---- the KD-tree's binning

// A closed surface with waves, cut into `n` triangles row by row; their boxes, and the box of all.
static kd_space make_boxes(box *boxes, uint64_t n) {
  const uint64_t across = (uint64_t)sqrt((double)n) + 1, rows = divide_up(n, 2 * across);
  float(*line)[3] = (float(*)[3])get_memory((across + 1) * 2 * sizeof *line), (*at[2])[3], (*swap)[3];
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
    space.scale[axis] = space.high[axis] > space.low[axis] ? KD_BINS / (space.high[axis] - space.low[axis]) : 0;
  free(line);
  return space;
}

static int slab_of(float x, const kd_space *s, int axis) {
  const int slab = (int)((x - s->low[axis]) * s->scale[axis]);
  return slab < 0 ? 0 : slab < KD_BINS ? slab : KD_BINS - 1;
}
// Counters as [line][slab], by the host.
static void count_boxes(const box *boxes, uint64_t n, const kd_space *s, unsigned *counts) {
  uint64_t i;
  memset(counts, 0, KD_COUNTS * sizeof *counts);
  for (i = 0; i < n; ++i) {
    const box *b = boxes + i;
    ++counts[0 * KD_BINS + slab_of(b->low_x, s, 0)];
    ++counts[1 * KD_BINS + slab_of(b->low_y, s, 1)];
    ++counts[2 * KD_BINS + slab_of(b->low_z, s, 2)];
    ++counts[3 * KD_BINS + KD_BINS - 1 - slab_of(b->high_x, s, 0)];
    ++counts[4 * KD_BINS + KD_BINS - 1 - slab_of(b->high_y, s, 1)];
    ++counts[5 * KD_BINS + KD_BINS - 1 - slab_of(b->high_z, s, 2)];
  }
}
// The cost of splitting before a slab, by the host, from counters.
static double cost_of(const unsigned *counts, const kd_space *s, int axis, int slab) {
  double left = 0, right = 0, part = (double)slab / KD_BINS, length = s->high[axis] - s->low[axis];
  const double a = s->high[(axis + 1) % 3] - s->low[(axis + 1) % 3],
               b = s->high[(axis + 2) % 3] - s->low[(axis + 2) % 3];
  int k;
  for (k = 0; k < slab; ++k) left += counts[axis * KD_BINS + k];
  for (k = 0; k < KD_BINS - slab; ++k) right += counts[(3 + axis) * KD_BINS + k];
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

static void bin_boxes(program *p, const node *k, void *boxes, uint64_t count) {
  unsigned long long capacity = capacity_of(count), n = count;
  const uint64_t wanted = divide_up(n, KD_THREADS), most = (uint64_t)p->gpu.multiprocessors * 8;
  kd_space space = k->space;
  unsigned *counts = k->counts;
  void *arguments[5];
  arguments[0] = &boxes, arguments[1] = &capacity, arguments[2] = &n, arguments[3] = &space, arguments[4] = &counts;
  own_set(&p->gpu, counts, 0, KD_COUNTS * sizeof *counts);
  own_launch(&p->gpu, k->bin, grid_of(wanted < most ? wanted : most), 1, KD_THREADS, 1, 0, arguments);
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
    scan.count = KD_BINS;
  } else {
    scan.op = GP_SUM;
    scan.in_type = scan.out_type = scan.offset_type = GP_U32;
    scan.count = KD_COUNTS;
    scan.begin = k->lines;
    scan.segments = KD_LINES;
  }
  check(gp_run(p->ctx, &scan, p->gpu.stream));
  arguments[0] = (void *)&sums, arguments[1] = &costs, arguments[2] = &space;
  own_launch(&p->gpu, k->costs_kernel, grid_of(divide_up(3 * KD_BINS, KD_THREADS)), 1, KD_THREADS, 1, 0, arguments);
  least.op = GP_ARGMIN;
  least.in_type = least.out_type = GP_F32;
  least.in = costs;
  least.out = k->best;
  least.count = 3 * KD_BINS;
  check(gp_run(p->ctx, &least, p->gpu.stream));
}

static void compile_kd_tree(program *p, const variant *v, void **module, node *k) {
  char text[3][40];
  const char *options[3];
  snprintf(text[0], sizeof text[0], "-DBOXES_LAYOUT=%u", v->array);
  snprintf(text[1], sizeof text[1], "-DKD_COUNTERS=%u", v->second);
  snprintf(text[2], sizeof text[2], "-DKD_ORDER=%u", v->order);
  options[0] = text[0], options[1] = text[1], options[2] = text[2];
  if (!*module) *module = own_module(&p->gpu, "kd_tree.cuh", p->kd_tree, "layout.h", p->header, options, 3);
  k->bin = own_kernel(&p->gpu, *module, "kd_bin");
  k->costs_kernel = own_kernel(&p->gpu, *module, "kd_costs");
  k->order = v->order;
}

static int is_plane_right(program *p, const node *k, const unsigned *expected) {
  best_plane got;
  double least = 1e300;
  int axis, slab;
  own_read(&p->gpu, &got, k->best, sizeof got);
  for (axis = 0; axis < 3; ++axis)
    for (slab = 1; slab < KD_BINS; ++slab) {
      const double cost = cost_of(expected, &k->space, axis, slab);
      if (cost < least) least = cost;
    }
  return got.place >= 0 && got.place < 3 * KD_BINS && got.place % KD_BINS &&
      cost_of(expected, &k->space, (int)(got.place / KD_BINS), (int)(got.place % KD_BINS)) <= least * (1 + 1e-5);
}

static void run_kd_tree(program *p, uint64_t n) {
  static const char *const counters[COUNTERS] = {"in memory", "of a block", "of a warp"};
  variant variants[KD_VARIANTS], whole;
  node nodes[KD_VARIANTS], shared;
  const uint64_t bytes = divide_up(array_bytes(&box_record, 32, n) + 16 * sizeof(box), 256) * 256;
  const uint64_t least = p->quick ? 1 : 8 * (uint64_t)p->gpu.l2_bytes, sets = least / bytes > 1 ? least / bytes : 1;
  box *boxes = (box *)get_memory(n * sizeof *boxes);
  char *array = (char *)get_memory(bytes), *memory = (char *)own_new(&p->gpu, sets * bytes);
  unsigned expected[KD_COUNTS], counts[KD_COUNTS], lines[KD_LINES + 1];
  uint64_t set;
  int i, k, round, count = 0, best, w;
  memset(&shared, 0, sizeof shared);
  memset(&whole, 0, sizeof whole);
  shared.space = make_boxes(boxes, n);
  shared.counts = (unsigned *)own_new(&p->gpu, sizeof counts);
  shared.sums = (unsigned *)own_new(&p->gpu, sizeof counts);
  shared.lines = (unsigned *)own_new(&p->gpu, sizeof lines);
  shared.costs = (float *)own_new(&p->gpu, 3 * KD_BINS * sizeof(float));
  shared.best = (best_plane *)own_new(&p->gpu, sizeof(best_plane));
  for (k = 0; k <= KD_LINES; ++k) lines[k] = (unsigned)k * KD_BINS;
  own_write(&p->gpu, shared.lines, lines, sizeof lines);
  count_boxes(boxes, n, &shared.space, expected);
  for (w = 0; w < WIDTHS; ++w) {
    memset(array, 0, bytes);
    convert(&box_record, widths[w], n, (char *)boxes, array, 0);
    own_write(&p->gpu, memory, array, bytes);
    for (set = 1; set < sets; ++set) own_copy(&p->gpu, memory + set * bytes, memory, bytes);
    set = 0;
    for (i = 0; i < COUNTERS * ORDERS; ++i) {
      variant *v = &variants[COUNTERS * ORDERS * w + i];
      node *one = &nodes[COUNTERS * ORDERS * w + i];
      memset(v, 0, sizeof *v);
      v->array = widths[w], v->second = (unsigned)i / ORDERS, v->order = (unsigned)i % ORDERS;
      *one = shared;
      compile_kd_tree(p, v, &p->kd_modules[COUNTERS * ORDERS * w + i], one);
      bin_boxes(p, one, memory, n);
      choose_plane(p, one);
      own_read(&p->gpu, counts, one->counts, sizeof counts);
      for (k = 0; k < KD_COUNTS; ++k)
        if (counts[v->order ? k % KD_BINS * KD_LINES + k / KD_BINS : k] != expected[k]) break;
      expect(p, k == KD_COUNTS, "binning", n);
      expect(p, is_plane_right(p, one, expected), "the best plane", n);
      ++count;
    }
    for (round = 0; round < p->rounds; ++round)
      for (i = 0; i < COUNTERS * ORDERS; ++i) {
        const int calls = p->quick ? 1 : n < 1u << 20 ? 100 : 10;
        own_begin(&p->gpu);
        for (k = 0; k < calls; ++k, set = (set + 1) % sets)
          bin_boxes(p, &nodes[COUNTERS * ORDERS * w + i], memory + set * bytes, n);
        variants[COUNTERS * ORDERS * w + i].us[round] = own_end(&p->gpu) / calls;
      }
  }
  for (i = 0; i < count; ++i) summarise(p, &variants[i]);
  best = (int)(best_of(variants, count) - variants);
  memset(array, 0, bytes); // all steps once more, in the best layout
  convert(&box_record, variants[best].array, n, (char *)boxes, array, 0);
  for (set = 0; set < sets; ++set) own_write(&p->gpu, memory + set * bytes, array, bytes);
  for (round = 0, set = 0; round < p->rounds; ++round) {
    const int calls = p->quick ? 1 : 10;
    own_begin(&p->gpu);
    for (k = 0; k < calls; ++k, set = (set + 1) % sets) {
      bin_boxes(p, &nodes[best], memory + set * bytes, n);
      choose_plane(p, &nodes[best]);
    }
    whole.us[round] = own_end(&p->gpu) / calls;
  }
  summarise(p, &whole);
  printf("\nKD-tree binning, %llu boxes, 3 x %d slabs: us, boxes (down) by counters (across; t: transposed)\n%-10s",
         (unsigned long long)n, KD_BINS, "");
  for (i = 0; i < COUNTERS * ORDERS; ++i) printf("%11s%s", counters[i / ORDERS], i % ORDERS ? " t" : "  ");
  for (i = 0; i < count; ++i) {
    if (i % (COUNTERS * ORDERS) == 0) printf("\n%-10s", layout_name(variants[i].array));
    printf("%11.1f  ", variants[i].median_us);
  }
  printf(
      "\nbest: %s, counters %s%s: %.2f times as fast as AoS, counters in memory; %.0f GB/s; with sums, costs and the\n"
      "best plane: %.1f us\n",
      layout_name(variants[best].array), counters[variants[best].second], variants[best].order ? ", transposed" : "",
      variants[0].median_us / variants[best].median_us, 1e-3 * (double)(n * sizeof(box)) / variants[best].median_us,
      whole.median_us);
  write_results(p, "kd_tree", n, variants, count, counters, whole.median_us);
  own_free(&p->gpu, memory), own_free(&p->gpu, shared.counts), own_free(&p->gpu, shared.sums);
  own_free(&p->gpu, shared.lines), own_free(&p->gpu, shared.costs), own_free(&p->gpu, shared.best);
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
  type.size = sizeof(row);
  type.align = 8;
  check(gp_type_struct(p->ctx, &type, &p->row_type));
  type.name = "six";
  snprintf(source, sizeof source, "struct six { unsigned v[%d]; };", (int)KD_LINES);
  type.source = source;
  type.size = sizeof(six);
  type.align = 4;
  check(gp_type_struct(p->ctx, &type, &p->six_type));
  op.name = "add_six";
  snprintf(body, sizeof body, "six r; for (int i = 0; i < %d; ++i) r.v[i] = a.v[i] + b.v[i]; return r;", (int)KD_LINES);
  op.body = body;
  op.identity = "six{{0, 0, 0, 0, 0, 0}}";
  op.arity = 2;
  op.commutative = 1;
  op.host = add_six;
  op.host_identity = &zero;
  op.host_identity_size = sizeof zero;
  check(gp_op_define(p->ctx, &op, &p->add_six));
}

static char *text_in(const char *folder, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return own_text(path);
}

// No GPU: compiles the kernels, if NVRTC is found.
static int without_gpu(program *p, const char *why) {
  static const char *const rows[] = {"-DROWS_LAYOUT=0", "-DTILE_LAYOUT=1"};
  static const char *const boxes[] = {"-DBOXES_LAYOUT=32", "-DKD_COUNTERS=2", "-DKD_ORDER=1"};
  static const int capabilities[] = {75, 80, 90};
  own_gpu g;
  int i;
  printf("skipped: %s\n"
         "On a GPU it sorts 65536 to 4194304 rows in %d layouts, and bins the boxes of 69451 to 28055742 triangles in\n"
         "%d, checks all results, and prints their times.\n",
         why, BITONIC_VARIANTS, KD_VARIANTS);
  memset(&g, 0, sizeof g);
  why = own_open_compiler(&g);
  if (why) {
    printf("%s, so the kernels were not compiled either\n", why);
    return 0;
  }
  for (i = 0; i < 3; ++i) {
    free(own_compile(&g, "bitonic.cuh", p->bitonic, "layout.h", p->header, capabilities[i], rows, 2));
    free(own_compile(&g, "kd_tree.cuh", p->kd_tree, "layout.h", p->header, capabilities[i], boxes, 3));
    printf("the kernels compile for sm_%d\n", capabilities[i]);
  }
  return 0;
}

int main(int argc, char **argv) {
  static program p;
  // Numbers of triangles of the Stanford scans bunny, dragon, happy buddha, Asian dragon and Lucy.
  static const uint64_t meshes[] = {69451, 871414, 1087716, 7219045, 28055742}, rows[] = {65536, 1048576, 4194304};
  const char *folder = "examples/layouts", *out = NULL, *why;
  int i, status = 0;
  for (i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--quick")) p.quick = 1;
    else if (!strcmp(argv[i], "--out") && i + 1 < argc) out = argv[++i];
    else if (!strcmp(argv[i], "--folder") && i + 1 < argc) folder = argv[++i];
    else {
      fprintf(stderr, "usage: %s [--out FILE.json] [--quick] [--folder PATH]\n", argv[0]);
      return 2;
    }
  }
  p.header = text_in(folder, "layout.h");
  p.bitonic = text_in(folder, "bitonic.cuh");
  p.kd_tree = text_in(folder, "kd_tree.cuh");
  check(gp_open(NULL, &p.ctx));
  why = own_open(&p.gpu, p.ctx);
  if (why) status = without_gpu(&p, why);
  else {
    p.rounds = p.quick ? 1 : ROUNDS;
    define(&p);
    if (out) {
      p.json = fopen(out, "w");
      if (!p.json) own_stop("%s cannot be written", out);
      fprintf(p.json, "{\"device\": \"%s\", \"capability\": %d, \"results\": [", p.gpu.name, p.gpu.capability);
    }
    printf("on %s\n", p.gpu.name);
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
  check(gp_close(p.ctx));
  free(p.header), free(p.bitonic), free(p.kd_tree);
  return status;
}
