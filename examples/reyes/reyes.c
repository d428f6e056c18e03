// reyes.c - renders the Utah teapot as films are: patches are split until they are small, diced into micropolygons of
// less than a pixel, shaded and painted. Weber and Goesele's third program (Auto-Tuning Complex Array Layouts for GPUs,
// 2014: Table 2): four kernels that share arrays, whose layouts a tuner chooses.
//
//     make examples && build/examples/reyes/reyes --size 960x540 --side 3 --out build/teapot.ppm
//     build/venv/bin/python examples/reyes/reyes.py build/teapot.ppm --out build/teapot.png
//
//     --size 1920x1080   of the picture
//     --side 1           samples along each side of a pixel, 1 to 8
//     --frames 1         of a turn of the teapot
//     --out FILE         the frames as PPM pictures one after another; reyes.py makes a PNG or an animation of them
//     --table FILE       each kernel's time, and the time of whole frames, as JSON
//     --check            compares the first frame with a slow renderer
//     --host             the kernels as loops on the host, as where there is no GPU
//     --hand-tuned       arrays of structs, matrices not transposed: the paper's baseline
//     --layouts LIST     such as Point=32+GP_TRANSPOSED,dice_shade.Vertex=GP_SOA,paint.prefer=shared
//     --cases LIST       sizes of the tuner's test cases: --describe, --measure (tools/gp_tune_application.h)
//     --folder PATH      where the kernels are, --header PATH: gpuprims.h, from elsewhere than the project's folder
//
// A round: kernel bound_split halves each patch that is too large; gp_exclusive_scan finds the places of the halves,
// gp_select_flags those that are ready; kernel compact moves them. When none is left, dice_shade draws all that are
// ready into a z-buffer of 64-bit words, depth above colour, by atomic minima; paint makes the picture of it. Kernels
// name members of structs, not addresses. Their layouts are reyes_tree.h's, which the tuner wrote:
//
//     python3 -m tools.farm layouts --application "build/examples/reyes/reyes --frames 4" --store reyes.jsonl
//         --header examples/reyes/reyes_tree.h
#define _POSIX_C_SOURCE 200809L // clock_gettime
#ifndef REYES_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include "examples/own_checks.h" // after it
#include "tools/gp_tune_application.h"
#include "tools/gp_tune_tree.h"

#include "examples/reyes/reyes.h"
#include "examples/reyes/reyes_tree.h"
#include "examples/reyes/slow.h"
#include "examples/reyes/teapot.h"

#include <time.h>

enum { BOUND_SPLIT, COMPACT, DICE_SHADE, PAINT, KERNELS, LIBRARY = KERNELS, TIMES };
enum { MOST_ROUNDS = 40, MOST_SIDE = 8, MOST_FRAMES = 10000, MOST_CASES = 16, MOST_MODULES = 512 };
enum { SAMPLES_A_PATCH = 12, FEWEST_PATCHES = 4096, MOST_SAMPLES = 1 << 28 }; // a ready patch covers more samples

// The fields, in the order of reyes_tree.h. The first three are layouts of arrays that kernels share.
enum { POINT_FIELD, SAMPLE_FIELD, PIXEL_FIELD, CONTROL_FIELD, VERTEX_FIELD, PREFER_FIELD, FIELDS = PREFER_FIELD + 4 };
static const char *const kernel_names[KERNELS] = {"bound_split", "compact", "dice_shade", "paint"};
static const gp_tune_application_field fields[FIELDS] = {
    {NULL, "Point", "GP_AOS GP_SOA 32 GP_AOS+GP_TRANSPOSED GP_SOA+GP_TRANSPOSED 32+GP_TRANSPOSED"},
    {NULL, "Sample", "GP_AOS GP_AOS+GP_TRANSPOSED"},
    {NULL, "Pixel", "GP_AOS GP_SOA GP_AOS+GP_TRANSPOSED"},
    {"dice_shade", "Control", "GP_AOS GP_SOA"},
    {"dice_shade", "Vertex", "GP_AOS GP_SOA 32"},
    {"bound_split", "prefer", "l1 shared"},
    {"compact", "prefer", "l1 shared"},
    {"dice_shade", "prefer", "l1 shared"},
    {"paint", "prefer", "l1 shared"},
};

typedef struct compiled {
  char options[300];
  void *module;
} compiled;

typedef struct reyes {
  own_gpu gpu;
  gp_context *ctx;
  gp_stream stream;
  int on_gpu, by_kernel;
  char *kernels, *header; // texts
  unsigned width, height, side;
  int frames;
  uint64_t value[FIELDS];
  void *function[KERNELS];
  gp_array roots, patches, slots, done, samples, pixels;
  unsigned *live, *ready, *place, *list, room;
  unsigned long long *listed;
  reyes_totals *totals;
  reyes_view view;
  reyes_patch turned[TEAPOT_PATCHES]; // of the last frame
  double us[TIMES];
  double began;
  unsigned split, drawn; // patches that were bounded, and diced, in the last frame
  unsigned char *picture, *first_picture; // of the default layouts
  compiled modules[MOST_MODULES];
  int module_count;
  gp_tune_application_case cases[MOST_CASES];
  char case_names[MOST_CASES][24];
} reyes;

static unsigned divide_up(unsigned a, unsigned b) { return (a + b - 1) / b; }

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

// ---- memory and kernels of the GPU, or of the host

static void *room_new(reyes *r, uint64_t bytes) { return r->on_gpu ? own_new(&r->gpu, bytes) : own_memory(bytes); }
static void room_free(reyes *r, void *memory) {
  if (r->on_gpu) own_free(&r->gpu, memory);
  else free(memory);
}
static void room_read(reyes *r, void *to, const void *from, uint64_t bytes) {
  if (r->on_gpu) own_read(&r->gpu, to, from, bytes);
  else memcpy(to, from, bytes);
}
static void begin(reyes *r) {
  if (!r->by_kernel) return;
  if (r->on_gpu) own_begin(&r->gpu);
  else r->began = now_us();
}
static void end(reyes *r, int which) {
  if (r->by_kernel) r->us[which] += r->on_gpu ? own_end(&r->gpu) : now_us() - r->began;
}

// A kernel compiled for the layouts of the arrays that it uses; at most once for each of them.
static void *kernel_for(reyes *r, int kernel) {
  static const int used[KERNELS][5] = {{POINT_FIELD, -1}, {POINT_FIELD, -1},
      {POINT_FIELD, SAMPLE_FIELD, CONTROL_FIELD, VERTEX_FIELD, -1}, {SAMPLE_FIELD, PIXEL_FIELD, -1}};
  const char *options[5];
  char text[5][64];
  compiled one;
  int i, count = 0, length = 0;
  for (; used[kernel][count] >= 0; ++count) {
    const int field = used[kernel][count];
    snprintf(text[count], sizeof text[count], "-DGP_LAYOUT_%s=GP_USE(%lluull)", fields[field].name,
        (unsigned long long)r->value[field]);
    options[count] = text[count];
    length += snprintf(one.options + length, sizeof one.options - (size_t)length, "%s ", text[count]);
  }
  for (i = 0; i < r->module_count && strcmp(r->modules[i].options, one.options);) ++i;
  if (i == MOST_MODULES) own_stop("more than %d layouts of kernels", MOST_MODULES);
  if (i == r->module_count) {
    one.module = own_module(&r->gpu, "reyes.cuh", r->kernels, "reyes.h", r->header, options, count);
    r->modules[r->module_count++] = one;
  }
  return own_kernel(&r->gpu, r->modules[i].module, kernel_names[kernel]);
}
static void launch(reyes *r, int kernel, unsigned blocks_x, unsigned blocks_y, unsigned threads, void **arguments) {
  own_launch(&r->gpu, r->function[kernel], blocks_x ? blocks_x : 1, blocks_y, threads, 1, 0, arguments);
}

// ---- the kernels: a launch, or a loop over its threads

static void bound_and_split(reyes *r, gp_array from, unsigned count) {
  void *arguments[6];
  unsigned i;
  arguments[0] = &from, arguments[1] = &count, arguments[2] = &r->slots, arguments[3] = &r->live;
  arguments[4] = &r->ready, arguments[5] = &r->view;
  begin(r);
  if (r->on_gpu) launch(r, BOUND_SPLIT, divide_up(count, REYES_FLAT_THREADS), 1, REYES_FLAT_THREADS, arguments);
  else
    for (i = 0; i < count; ++i) reyes_bound_split(from, i, r->slots, r->live, r->ready, r->view);
  end(r, BOUND_SPLIT);
}
// Places of the slots to split, and behind the last slot their number; the numbers of those that are ready.
static void find_places(reyes *r, unsigned count) {
  const gp_input numbers = gp_input_ramp(GP_U32, NULL, NULL);
  begin(r);
  own_check(gp_exclusive_scan(r->ctx, GP_SUM, GP_U32, GP_U32, NULL, r->live, (uint64_t)count + 1, r->place, r->stream));
  own_check(
      gp_select_flags(r->ctx, GP_INPUT, GP_U32, &numbers, r->ready, count, r->list, (uint64_t *)r->listed, r->stream));
  end(r, LIBRARY);
}
static void compact_slots(reyes *r, unsigned count, unsigned base) {
  void *arguments[11];
  unsigned i;
  arguments[0] = &r->slots, arguments[1] = &count, arguments[2] = &r->live, arguments[3] = &r->place;
  arguments[4] = &r->list, arguments[5] = &r->listed, arguments[6] = &r->patches, arguments[7] = &r->done;
  arguments[8] = &base, arguments[9] = &r->room, arguments[10] = &r->totals;
  begin(r);
  if (r->on_gpu) launch(r, COMPACT, divide_up(count, REYES_FLAT_THREADS), 1, REYES_FLAT_THREADS, arguments);
  else
    for (i = 0; i < count; ++i)
      reyes_compact(
          r->slots, i, count, r->live, r->place, r->list, r->listed, r->patches, r->done, base, r->room, r->totals);
  end(r, COMPACT);
}
static void dice_and_shade(reyes *r, unsigned count) {
  void *arguments[3];
  arguments[0] = &r->done, arguments[1] = &r->samples, arguments[2] = &r->view;
  begin(r);
  if (r->on_gpu && count) launch(r, DICE_SHADE, count, 1, REYES_THREADS, arguments);
  if (!r->on_gpu) {
    Control controls[16];
    Vertex vertices[REYES_ROOM];
    gp_array control = GP_ARRAY_OF(Control, r->value[CONTROL_FIELD], 16, 1, 1);
    gp_array grid = GP_ARRAY_OF(Vertex, r->value[VERTEX_FIELD], REYES_ROOM, 1, 1);
    unsigned i, k;
    control.base = controls, grid.base = vertices;
    for (i = 0; i < count; ++i) {
      for (k = 0; k < 16; ++k) {
        const reyes_point p = reyes_read(r->done, i, k);
        GP_AT(Control, control, k, x) = p.x, GP_AT(Control, control, k, y) = p.y, GP_AT(Control, control, k, z) = p.z;
      }
      for (k = 0; k < REYES_SIDE * REYES_SIDE; ++k) reyes_vertex(control, grid, k, r->view);
      for (k = 0; k < REYES_GRID * REYES_GRID; ++k) reyes_micropolygon(grid, k, r->samples, r->view);
    }
  }
  end(r, DICE_SHADE);
}
static void paint_picture(reyes *r) {
  void *arguments[6];
  unsigned x, y;
  arguments[0] = &r->samples, arguments[1] = &r->pixels, arguments[2] = &r->width, arguments[3] = &r->height;
  arguments[4] = &r->side, arguments[5] = &r->view;
  begin(r);
  if (r->on_gpu) launch(r, PAINT, divide_up(r->width, REYES_FLAT_THREADS), r->height, REYES_FLAT_THREADS, arguments);
  else
    for (y = 0; y < r->height; ++y)
      for (x = 0; x < r->width; ++x) reyes_paint(r->samples, r->pixels, x, y, r->side, r->view);
  end(r, PAINT);
}

// ---- a frame

// Patches that the next drawing begins with.
static void place_roots(reyes *r, const reyes_patch *patches, unsigned count) {
  const uint64_t bytes = gp_array_bytes(&r->roots);
  gp_array host = r->roots;
  unsigned i, k;
  host.base = own_memory(bytes);
  for (i = 0; i < count; ++i)
    for (k = 0; k < 16; ++k) reyes_write(host, i, k, patches[i].at[k]);
  if (r->on_gpu) own_write(&r->gpu, r->roots.base, host.base, bytes);
  else memcpy(r->roots.base, host.base, bytes);
  free(host.base);
}
// The teapot turned by an angle, before a camera that looks down on it from outside the sphere around it.
static void turn_teapot(reyes *r, double angle) {
  static const double tilt = 0.42, distance = 13, middle = 1.5;
  float pot[TEAPOT_PATCHES][16][3];
  const double c = cos(angle), s = sin(angle), up = cos(tilt), down = sin(tilt);
  unsigned i, k;
  teapot_make(pot);
  for (i = 0; i < TEAPOT_PATCHES; ++i)
    for (k = 0; k < 16; ++k) {
      const double x = c * (double)pot[i][k][0] - s * (double)pot[i][k][1],
                   y = s * (double)pot[i][k][0] + c * (double)pot[i][k][1], z = (double)pot[i][k][2] - middle;
      reyes_point *p = &r->turned[i].at[k];
      p->x = (float)x, p->y = (float)(z * up + y * down), p->z = (float)(distance + y * up - z * down);
    }
  place_roots(r, r->turned, TEAPOT_PATCHES);
}

// Draws the first `count` roots into the z-buffer.
static void draw_roots(reyes *r, unsigned count) {
  unsigned drawn = 0, round;
  gp_array from = r->roots;
  r->split = 0;
  for (round = 0; count; ++round, from = r->patches) {
    reyes_totals totals;
    if (round == MOST_ROUNDS) own_stop("patches are still too large after %d rounds", MOST_ROUNDS);
    bound_and_split(r, from, count);
    find_places(r, 2 * count);
    compact_slots(r, 2 * count, drawn);
    room_read(r, &totals, r->totals, sizeof totals);
    r->split += count;
    drawn += totals.ready;
    count = totals.live;
    if (count > r->room || drawn > r->room) own_stop("there is room for %u patches only", r->room);
  }
  dice_and_shade(r, drawn);
  r->drawn = drawn;
}
static void draw_teapot(reyes *r, double angle) {
  turn_teapot(r, angle);
  draw_roots(r, TEAPOT_PATCHES);
}
static double angle_of(const reyes *r, int frame) {
  return 0.6 + 6.283185307179586 * (double)frame / (double)(r->frames > 1 ? r->frames : 1);
}

// The picture as rows of red, green and blue.
static void read_picture(reyes *r, unsigned char *to) {
  gp_array host = r->pixels;
  unsigned x, y;
  host.base = own_memory(gp_array_bytes(&r->pixels));
  room_read(r, host.base, r->pixels.base, gp_array_bytes(&r->pixels));
  for (y = 0; y < r->height; ++y)
    for (x = 0; x < r->width; ++x) {
      *to++ = GP_AT2(Pixel, host, y, x, red);
      *to++ = GP_AT2(Pixel, host, y, x, green);
      *to++ = GP_AT2(Pixel, host, y, x, blue);
    }
  free(host.base);
}

// ---- arrays

static uint64_t most_bytes(gp_array a, const gp_tune_application_field *field) {
  uint64_t most = 0;
  int i;
  for (i = 0; i < gp_tune_words(field->values); ++i) {
    a.base = NULL;
    own_check(gp_array_relayout(&a, gp_tune_field_value(field, i)));
    if (gp_array_bytes(&a) > most) most = gp_array_bytes(&a);
  }
  return most;
}
// The arrays with memory for any of their layouts.
static void open_arrays(reyes *r) {
  const uint64_t samples = (uint64_t)r->width * r->height * r->side * r->side;
  r->room = (unsigned)(samples / SAMPLES_A_PATCH) + FEWEST_PATCHES;
  r->view.width = r->width * r->side, r->view.height = r->height * r->side;
  r->view.centre_x = 0.5f * (float)r->view.width, r->view.centre_y = 0.5f * (float)r->view.height;
  r->view.scale = 2.9f * (float)r->view.height;
  if (r->view.scale > 1.75f * (float)r->view.width) r->view.scale = 1.75f * (float)r->view.width;
  r->roots = GP_ARRAY_OF(Point, GP_AOS, TEAPOT_PATCHES, 16, 1);
  r->patches = r->done = GP_ARRAY_OF(Point, GP_AOS, r->room, 16, 1);
  r->slots = GP_ARRAY_OF(Point, GP_AOS, 2 * (uint64_t)r->room, 16, 1);
  r->samples = GP_ARRAY_OF(Sample, GP_AOS, r->view.height, r->view.width, 1);
  r->pixels = GP_ARRAY_OF(Pixel, GP_AOS, r->height, r->width, 1);
  r->roots.base = room_new(r, most_bytes(r->roots, &fields[POINT_FIELD]));
  r->patches.base = room_new(r, most_bytes(r->patches, &fields[POINT_FIELD]));
  r->done.base = room_new(r, most_bytes(r->done, &fields[POINT_FIELD]));
  r->slots.base = room_new(r, most_bytes(r->slots, &fields[POINT_FIELD]));
  r->samples.base = room_new(r, most_bytes(r->samples, &fields[SAMPLE_FIELD]));
  r->pixels.base = room_new(r, most_bytes(r->pixels, &fields[PIXEL_FIELD]));
  r->live = (unsigned *)room_new(r, (2 * (uint64_t)r->room + 1) * sizeof(unsigned));
  r->place = (unsigned *)room_new(r, (2 * (uint64_t)r->room + 1) * sizeof(unsigned));
  r->ready = (unsigned *)room_new(r, 2 * (uint64_t)r->room * sizeof(unsigned));
  r->list = (unsigned *)room_new(r, 2 * (uint64_t)r->room * sizeof(unsigned));
  r->listed = (unsigned long long *)room_new(r, sizeof *r->listed);
  r->totals = (reyes_totals *)room_new(r, sizeof *r->totals);
  r->picture = (unsigned char *)own_memory((uint64_t)r->width * r->height * 3);
  r->first_picture = (unsigned char *)own_memory((uint64_t)r->width * r->height * 3);
}
static void close_arrays(reyes *r) {
  void *const all[] = {r->roots.base, r->patches.base, r->done.base, r->slots.base, r->samples.base, r->pixels.base,
      r->live, r->place, r->ready, r->list, r->listed, r->totals};
  unsigned i;
  for (i = 0; r->picture && i < sizeof all / sizeof *all; ++i) room_free(r, all[i]);
  free(r->picture), free(r->first_picture);
  r->picture = r->first_picture = NULL;
}

static void set_layout(gp_array *a, uint64_t layout) {
  void *base = a->base; // room for any layout
  a->base = NULL;
  own_check(gp_array_relayout(a, layout));
  a->base = base;
  own_check(gp_array_check(a));
}
// Arrays and kernels in the layouts of r->value. The z-buffer is empty.
static void use_layouts(reyes *r) {
  int k;
  set_layout(&r->roots, r->value[POINT_FIELD]);
  set_layout(&r->patches, r->value[POINT_FIELD]);
  set_layout(&r->done, r->value[POINT_FIELD]);
  set_layout(&r->slots, r->value[POINT_FIELD]);
  set_layout(&r->samples, r->value[SAMPLE_FIELD]);
  set_layout(&r->pixels, r->value[PIXEL_FIELD]);
  if (!r->on_gpu) memset(r->samples.base, 255, gp_array_bytes(&r->samples));
  else {
    own_set(&r->gpu, r->samples.base, 255, gp_array_bytes(&r->samples));
    for (k = 0; k < KERNELS; ++k) {
      r->function[k] = kernel_for(r, k);
      own_prefer(&r->gpu, r->function[k], r->value[PREFER_FIELD + k] ? 100 : 0);
    }
  }
}
static void use_defaults(reyes *r) {
  int f;
  for (f = 0; f < FIELDS; ++f) r->value[f] = gp_tune_field_value(&fields[f], 0);
}
// The values that the tuner learned for this number of samples on this device.
static void use_learned(reyes *r) {
  static const char *const names[] = {"samples"};
  const gp_tune_features *tree = gp_tune_on(&reyes_trees, r->gpu.name, r->gpu.capability);
  const uint64_t samples = (uint64_t)r->view.width * r->view.height;
  int place[GP_TUNE_MOST_FEATURES];
  gp_tune_bind(&reyes_trees, names, 1, place, NULL);
  gp_tune_decide(&reyes_trees, tree, place, &samples, NULL, r->value);
}
// Reads "Point=32,paint.prefer=shared". NULL, or what is wrong.
static const char *read_layouts(reyes *r, const char *list) {
  while (*list) {
    const char *equals = strchr(list, '='), *stop = strchr(list, ',');
    int f, k = 0;
    char name[80];
    if (!stop) stop = list + strlen(list);
    if (!equals || equals > stop) return "--layouts: a list of NAME=LAYOUT";
    for (f = 0; f < FIELDS; ++f) {
      snprintf(name, sizeof name, "%s%s%s", fields[f].kernel ? fields[f].kernel : "", fields[f].kernel ? "." : "",
          fields[f].name);
      if (strlen(name) == (size_t)(equals - list) && !strncmp(name, list, (size_t)(equals - list))) break;
    }
    if (f == FIELDS) return "--layouts: there is no such array";
    for (; k < gp_tune_words(fields[f].values); ++k) {
      const char *word;
      const size_t length = gp_tune_word_at(fields[f].values, k, &word);
      if (length == (size_t)(stop - equals - 1) && !strncmp(word, equals + 1, length)) break;
    }
    if (k == gp_tune_words(fields[f].values)) return "--layouts: the array is not measured in this layout";
    r->value[f] = gp_tune_field_value(&fields[f], k);
    list = *stop ? stop + 1 : stop;
  }
  return NULL;
}

// ---- checks

// The z-buffer's samples in host memory, to be freed.
static gp_array read_samples(reyes *r) {
  gp_array host = r->samples;
  host.base = own_memory(gp_array_bytes(&host));
  room_read(r, host.base, r->samples.base, gp_array_bytes(&host));
  return host;
}

// Compares the first frame with the slow renderer's. Returns 1 if it is wrong.
static int compare_teapot(reyes *r) {
  static slow_patch slow[TEAPOT_PATCHES];
  slow_verdict v;
  gp_array host;
  int i, k, wrong;
  draw_teapot(r, angle_of(r, 0));
  host = read_samples(r);
  for (i = 0; i < TEAPOT_PATCHES; ++i)
    for (k = 0; k < 16; ++k) {
      const reyes_point p = r->turned[i].at[k];
      slow[i].at[k][0] = (double)p.x, slow[i].at[k][1] = (double)p.y, slow[i].at[k][2] = (double)p.z;
    }
  if (!slow_compare(slow, TEAPOT_PATCHES, &r->view, host, &v)) own_stop("no memory for the slow renderer");
  free(host.base);
  wrong = v.cracks || v.wrong_depths || v.wrong_colours || v.strays || !v.covered;
  printf("beside a slow renderer: %u of %u samples covered, %u cracks, %u wrong depths, %u wrong colours, %u strays\n",
      v.covered, r->view.width * r->view.height, v.cracks, v.wrong_depths, v.wrong_colours, v.strays);
  if (wrong) printf("the first that is wrong: (%u, %u)\n", v.x, v.y);
  paint_picture(r);
  return wrong;
}

// A seam: two patches of a plane share a curved edge, which only the second one's splits cut. Between a chord of the
// first and the curve there is a gap; a sample is laid into each of them. The two cover a rectangle of 24 x 9.5
// samples, of which none may be missing. Returns the number of missing ones.
enum { SEAM_WIDTH = 40, SEAM_HEIGHT = 18 };
static unsigned count_missing_at_seams(reyes *r) {
  static const double edge_x[4] = {20, 24.5, 24.5, 20}, edge_y[4] = {0, 2.5, 7, 9.5};
  static const double left_y[4] = {0, 9.5 / 3, 19 / 3.0, 9.5}, right_y[4] = {0, 9.5, 0, 9.5}; // left is 10, right 34
  const double depth = 10, unit = depth / (double)r->view.scale;
  unsigned missing = 0, chord;
  for (chord = 0; chord < REYES_GRID; ++chord) {
    double at[3][2]; // the curve at the chord's ends and between
    reyes_patch both[2];
    gp_array host;
    double shift_x, shift_y;
    unsigned k, row, column, x, y;
    for (k = 0; k < 3; ++k) {
      const double t = (chord + 0.5 * k) / REYES_GRID, s = 1 - t;
      const double b[4] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
      at[k][0] = b[0] * edge_x[0] + b[1] * edge_x[1] + b[2] * edge_x[2] + b[3] * edge_x[3];
      at[k][1] = b[0] * edge_y[0] + b[1] * edge_y[1] + b[2] * edge_y[2] + b[3] * edge_y[3];
    }
    shift_x = 0.5 * at[1][0] + 0.25 * (at[0][0] + at[2][0]), shift_y = 0.5 * at[1][1] + 0.25 * (at[0][1] + at[2][1]);
    shift_x = floor(shift_x) + 4.5 - shift_x, shift_y = floor(shift_y) + 4.5 - shift_y;
    for (k = 0; k < 2; ++k)
      for (row = 0; row < 4; ++row)
        for (column = 0; column < 4; ++column) {
          const double part = column / 3.0, x0 = k ? edge_x[row] : 10, x1 = k ? 34 : edge_x[row];
          const double y0 = k ? edge_y[row] : left_y[row], y1 = k ? right_y[row] : edge_y[row];
          reyes_point *p = &both[k].at[4 * row + column];
          p->x = (float)((x0 + part * (x1 - x0) + shift_x - (double)r->view.centre_x) * unit);
          p->y = (float)(((double)r->view.centre_y - (y0 + part * (y1 - y0) + shift_y)) * unit);
          p->z = (float)depth;
        }
    place_roots(r, both, 2);
    draw_roots(r, 2);
    host = read_samples(r);
    for (y = 0; y < SEAM_HEIGHT; ++y)
      for (x = 0; x < SEAM_WIDTH; ++x) {
        const double px = x + 0.5 - shift_x, py = y + 0.5 - shift_y;
        if (px > 10.1 && px < 33.9 && py > 0.1 && py < 9.4) missing += GP_AT2(Sample, host, y, x, key) == REYES_NOTHING;
      }
    free(host.base);
    paint_picture(r);
  }
  return missing;
}
static int check_seams(reyes *r) {
  unsigned missing;
  if (r->view.width < SEAM_WIDTH || r->view.height < SEAM_HEIGHT) {
    printf("seams need a picture of %d x %d samples\n", SEAM_WIDTH, SEAM_HEIGHT);
    return 1;
  }
  missing = count_missing_at_seams(r);
  printf("seams of patches of different sizes: %u samples missing\n", missing);
  return missing > 0;
}

// ---- as an application of the tuner

static int read_size(const char *text, unsigned *width, unsigned *height) {
  char after;
  return sscanf(text, "%ux%u%c", width, height, &after) == 2 && *width > 0 && *height > 0 && *width <= 65535 &&
      *height <= 65535;
}

static const char *open_case(void *user, int number) {
  reyes *r = (reyes *)user;
  close_arrays(r);
  if (!read_size(r->case_names[number], &r->width, &r->height)) return "its name is no size";
  open_arrays(r);
  use_defaults(r);
  use_layouts(r);
  draw_teapot(r, angle_of(r, 0));
  paint_picture(r);
  read_picture(r, r->first_picture);
  return NULL;
}
// Layouts change no arithmetic, but compilers may contract it otherwise: a few pixels may differ.
static int is_first_picture(const reyes *r) {
  const size_t bytes = (size_t)r->width * r->height * 3;
  size_t i, differ = 0;
  for (i = 0; i < bytes; ++i) {
    const int d = (int)r->picture[i] - (int)r->first_picture[i];
    differ += d > 8 || d < -8;
  }
  return differ <= bytes / 2000;
}
static const char *run_case(void *user, const int *value, int rounds, double *us, const char **why) {
  reyes *r = (reyes *)user;
  int f, k, round, frame;
  for (f = 0; f < FIELDS; ++f) r->value[f] = gp_tune_field_value(&fields[f], value[f]);
  use_layouts(r);
  r->by_kernel = 1;
  for (round = -1; round < rounds; ++round) { // the first warms up and is checked
    memset(r->us, 0, sizeof r->us);
    for (frame = 0; frame < (round < 0 ? 1 : r->frames); ++frame) {
      draw_teapot(r, angle_of(r, frame));
      paint_picture(r);
    }
    if (round < 0) {
      read_picture(r, r->picture);
      if (!is_first_picture(r)) return "another picture than in the default layouts";
    }
    for (k = 0; round >= 0 && k < KERNELS; ++k) us[k * rounds + round] = r->us[k] / r->frames;
  }
  r->by_kernel = 0;
  (void)why; // a kernel that fails ends the program, which the tuner starts again
  return NULL;
}

static const char *compile_case(void *user, int number, const int *value) {
  reyes *r = (reyes *)user;
  int f, k;
  for (f = 0; f < FIELDS; ++f) r->value[f] = gp_tune_field_value(&fields[f], value[f]);
  for (k = 0; k < KERNELS; ++k) kernel_for(r, k);
  (void)number;
  return NULL;
}

// A name of the kernels' text.
static const char *stamp_of(const reyes *r) {
  static char stamp[20];
  uint64_t hash = 14695981039346656037u;
  const char *at;
  for (at = r->kernels; *at; ++at) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
  for (at = strstr(r->header, "// reyes.h"); at && *at; ++at) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
  snprintf(stamp, sizeof stamp, "%016llx", (unsigned long long)hash);
  return stamp;
}
static int serve_tuner(reyes *r, const char *cases, int argc, char **argv) {
  static const char *const features[] = {"samples"};
  gp_tune_application a;
  memset(&a, 0, sizeof a);
  a.name = "reyes", a.device = r->gpu.name, a.stamp = stamp_of(r), a.capability = r->gpu.capability;
  a.kernels = KERNELS, a.kernel = kernel_names, a.fields = FIELDS, a.field = fields;
  a.features = 1, a.feature = features, a.user = r, a.open = open_case, a.run = run_case;
  if (r->on_gpu) a.compile = compile_case;
  a.test_case = r->cases;
  for (; *cases && a.cases < MOST_CASES; ++a.cases) {
    const size_t length = strcspn(cases, ",");
    char *name = r->case_names[a.cases];
    unsigned width = 0, height = 0;
    snprintf(name, sizeof r->case_names[0], "%.*s", (int)length, cases);
    if (length >= sizeof r->case_names[0] || !read_size(name, &width, &height)) name[0] = name[0] ? name[0] : '?';
    r->cases[a.cases].name = name;
    r->cases[a.cases].feature[0] = (uint64_t)width * height * r->side * r->side;
    cases += length + (cases[length] == ',');
  }
  return gp_tune_application_run(&a, argc, argv);
}

// ---- the program

static int write_table(reyes *r, const char *path, const char *layouts, double seconds) {
  FILE *file = fopen(path, "w");
  int k, f;
  if (!file) {
    fprintf(stderr, "%s cannot be written\n", path);
    return 1;
  }
  fprintf(file,
      "{\"program\": \"reyes\", \"device\": \"%s\", \"capability\": %d, \"layouts\": \"%s\", \"width\": %u, "
      "\"height\": %u, \"side\": %u,\n \"frames\": %d, \"frames_a_second\": %.2f, \"patches\": %u, \"ms\": {",
      r->gpu.name, r->gpu.capability, layouts, r->width, r->height, r->side, r->frames, (double)r->frames / seconds,
      r->drawn);
  for (k = 0; k < KERNELS; ++k) fprintf(file, "\"%s\": %.3f, ", kernel_names[k], 1e-3 * r->us[k]);
  fprintf(file, "\"scan and select\": %.3f},\n \"values\": {", 1e-3 * r->us[LIBRARY]);
  for (f = 0; f < FIELDS; ++f)
    fprintf(file, "%s\"%s%s%s\": %llu", f ? ", " : "", fields[f].kernel ? fields[f].kernel : "",
        fields[f].kernel ? "." : "", fields[f].name, (unsigned long long)r->value[f]);
  fprintf(file, "}}\n");
  return fclose(file) != 0;
}

static int render(reyes *r, const char *out, const char *table, const char *layouts, int compares) {
  FILE *file = out ? fopen(out, "wb") : NULL;
  const size_t bytes = (size_t)r->width * r->height * 3;
  double seconds;
  int frame, k, wrong = 0;
  if (out && !file) {
    fprintf(stderr, "%s cannot be written\n", out);
    return 1;
  }
  if (compares) wrong = compare_teapot(r) + check_seams(r);
  for (frame = 0; file && frame < r->frames; ++frame) {
    draw_teapot(r, angle_of(r, frame));
    paint_picture(r);
    read_picture(r, r->picture);
    fprintf(file, "P6\n%u %u\n255\n", r->width, r->height);
    if (fwrite(r->picture, 1, bytes, file) != bytes) {
      fprintf(stderr, "%s cannot be written\n", out);
      fclose(file);
      return 1;
    }
  }
  if (file && fclose(file)) return 1;
  if (!table) return wrong;
  draw_teapot(r, angle_of(r, 0));
  paint_picture(r);
  if (r->on_gpu) own_wait(&r->gpu);
  seconds = -1e-6 * now_us();
  for (frame = 0; frame < r->frames; ++frame) {
    draw_teapot(r, angle_of(r, frame));
    paint_picture(r);
  }
  if (r->on_gpu) own_wait(&r->gpu);
  seconds += 1e-6 * now_us();
  memset(r->us, 0, sizeof r->us);
  r->by_kernel = 1;
  for (frame = 0; frame < r->frames; ++frame) {
    draw_teapot(r, angle_of(r, frame));
    paint_picture(r);
  }
  r->by_kernel = 0;
  printf("%d frames of %u x %u, %s: %.1f frames a second; ms:\n", r->frames, r->width, r->height, layouts,
      (double)r->frames / seconds);
  for (k = 0; k < KERNELS; ++k) printf("  %-16s %10.2f\n", kernel_names[k], 1e-3 * r->us[k]);
  printf("  %-16s %10.2f\n", "scan and select", 1e-3 * r->us[LIBRARY]);
  return write_table(r, table, layouts, seconds) || wrong;
}

static char *joined_text(char *a, char *b) {
  char *all = (char *)own_memory(strlen(a) + strlen(b) + 1);
  memcpy(all, a, strlen(a));
  memcpy(all + strlen(a), b, strlen(b));
  free(a), free(b);
  return all;
}
static char *text_in(const char *folder, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return own_text(path);
}

// No GPU: the kernels are compiled, if NVRTC is found.
static void compile_kernels(const reyes *r) {
  static const char *const options[] = {"-DGP_LAYOUT_Point=GP_USE(32ull)", "-DGP_LAYOUT_Sample=GP_USE(1ull)",
      "-DGP_LAYOUT_Control=GP_USE(0ull)", "-DGP_LAYOUT_Vertex=GP_USE(32ull)", "-DGP_LAYOUT_Pixel=GP_USE(0ull)"};
  static const int capabilities[] = {75, 90};
  own_gpu g;
  const char *why;
  int i;
  memset(&g, 0, sizeof g);
  why = own_open_compiler(&g);
  if (why) printf("%s, so the kernels were not compiled\n", why);
  for (i = 0; i < 2 && !why; ++i) {
    free(own_compile(&g, "reyes.cuh", r->kernels, "reyes.h", r->header, capabilities[i], options, 5));
    printf("the kernels compile for sm_%d\n", capabilities[i]);
  }
}

static int number_of(const char *text, int most, int *number) {
  char *rest;
  const long value = strtol(text, &rest, 10);
  if (*rest || rest == text || value < 1 || value > most) return 0;
  *number = (int)value;
  return 1;
}

int main(int argc, char **argv) {
  static reyes r;
  const char *folder = "examples/reyes", *header = "gpuprims.h", *out = NULL, *table = NULL, *layouts = NULL, *why;
  const char *cases = "1920x1080", *wrong = NULL;
  int i, host = 0, compares = 0, hand_tuned = 0, side = 1, status;
  gp_config config = gp_config_init();
  memset(&r, 0, sizeof r);
  r.width = 160, r.height = 90, r.frames = 1;
  for (i = 1; i < argc && !wrong; ++i) {
    const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(option, "--host")) host = 1;
    else if (!strcmp(option, "--check")) compares = 1;
    else if (!strcmp(option, "--hand-tuned")) hand_tuned = 1;
    else if (!strcmp(option, "--describe") || !strcmp(option, "--measure")) continue;
    else if (!value) wrong = "an option is unknown, or its value is missing";
    else {
      ++i;
      if (!strcmp(option, "--size")) wrong = read_size(value, &r.width, &r.height) ? NULL : "--size: such as 1920x1080";
      else if (!strcmp(option, "--side")) wrong = number_of(value, MOST_SIDE, &side) ? NULL : "--side: 1 to 8";
      else if (!strcmp(option, "--frames"))
        wrong = number_of(value, MOST_FRAMES, &r.frames) ? NULL : "--frames: 1 to 10000";
      else if (!strcmp(option, "--out")) out = value;
      else if (!strcmp(option, "--table")) table = value;
      else if (!strcmp(option, "--layouts")) layouts = value;
      else if (!strcmp(option, "--cases")) cases = value;
      else if (!strcmp(option, "--folder")) folder = value;
      else if (!strcmp(option, "--header")) header = value;
      else wrong = "an option is unknown, or its value is missing";
    }
  }
  if (!wrong && (uint64_t)r.width * r.height * (unsigned)(side * side) > MOST_SAMPLES) wrong = "too many samples";
  if (wrong) {
    fprintf(stderr, "%s: %s; the head of examples/reyes/reyes.c lists the options\n", argv[0], wrong);
    return 2;
  }
  r.side = (unsigned)side;
  if (host) config.backend = GP_BACKEND_HOST;
  own_check(gp_open(&config, &r.ctx));
  why = host ? "as asked" : own_open(&r.gpu, r.ctx);
  r.on_gpu = !why;
  if (why) snprintf(r.gpu.name, sizeof r.gpu.name, "host"), r.gpu.capability = 0;
  else r.stream = r.gpu.stream;
  r.kernels = text_in(folder, "reyes.cuh");
  r.header = joined_text(own_text(header), text_in(folder, "reyes.h"));
  if (gp_tune_application_asked(argc, argv)) {
    status = serve_tuner(&r, cases, argc, argv);
    close_arrays(&r);
  } else {
    printf("on %s%s%s\n", r.gpu.name, why ? ": " : "", why ? why : "");
    if (why && !host) compile_kernels(&r);
    open_arrays(&r);
    use_defaults(&r);
    if (!hand_tuned) use_learned(&r);
    wrong = layouts ? read_layouts(&r, layouts) : NULL;
    if (wrong) fprintf(stderr, "%s\n", wrong), status = 2;
    else {
      use_layouts(&r);
      if (!out && !table) compares = 1;
      status = render(&r, out, table, layouts ? layouts : hand_tuned ? "hand-tuned" : "learned", compares);
      if (!status && !compares) printf("%u patches bounded, %u diced\n", r.split, r.drawn);
    }
    close_arrays(&r);
  }
  own_check(gp_close(r.ctx));
  free(r.kernels), free(r.header);
  return status;
}
