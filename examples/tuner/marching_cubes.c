// marching_cubes.c - extracts a closed surface of triangles from a volume: the fourth program of Tillmann and others,
// "Application-independent Autotuning for GPUs" (2013): Figure 7, Table 4. Two kernels with a block size each, and
// compaction on or off.
//
//     make examples && build/examples/tuner/marching_cubes --exhaustive build/marching_cubes.jsonl
//     build/examples/tuner/marching_cubes --field torus --write build/torus.ply
//     build/venv/bin/python examples/tuner/mesh.py draw build/torus.ply --out build/torus
//
//     --field NAME       gyroid (the default: a surface of many holes, cut to a ball), ball, balls, torus, or noise,
//                        which has every case; --size N: N points a side
//     --volume FILE      instead: a raw volume of bytes, x fastest; mesh.py makes it from an MRI
//     --dimensions X,Y,Z of that volume
//     --level L          and the value at its surface (default 60.5)
//     --write FILE       the mesh as PLY: vertices that triangles share, and triangles
//     The other options are those of program.h.
//
// A section: a kernel counts the triangles of each cell; gp_exclusive_scan makes offsets of the counts; a kernel writes
// the triangles. With compaction, gp_select_if first keeps the cells that have triangles, and both steps behind it read
// only these.
//
// Both cells resolve an ambiguous face alike (see make_table), so that the mesh is closed. The host makes the mesh by a
// loop over all cells and checks it:
// - Every edge belongs to two triangles, which run along it in opposite directions.
// - The Euler characteristic is twice that of the solid, which is computed from the points alone. For simple fields it
//   is known.
// - The enclosed volume is that of the inner points.
// The GPU's meshes must equal the host's to the last bit.
#ifndef TUNER_WITHOUT_IMPLEMENTATION // a test that includes the library
#define GPUPRIMS_IMPLEMENTATION
#endif
#include "gpuprims.h"

#include "examples/own_kernels.h"

#include "examples/tuner/program.h"

#include <math.h>

// ---- the table of cases

// Corner k of a cell is k & 1 further along x, k >> 1 & 1 along y, k >> 2 along z. An edge's code is 8 * axis + its
// first corner. A row of the table holds the codes of up to 15 corners of triangles, then the number of triangles.
enum { ROW_BYTES = 16, ROW_COUNT = 15, CASES = 256, EDGE_CODES = 24 };

// The code of the edge between neighbouring corners.
static int edge_code(int a, int b) {
  const int axis = (a ^ b) >> 1; // 1, 2, 4 are axes 0, 1, 2
  return 8 * axis + (a & b);
}
// The faces that an edge lies on: bit 2 * axis + side.
static unsigned faces_of(int code) {
  unsigned faces = 0;
  int axis;
  for (axis = 0; axis < 3; ++axis)
    if (axis != code >> 3) faces |= 1u << (2 * axis + (code >> axis & 1));
  return faces;
}

// Writes triangles that fill the polygon's part between corners first and last. No diagonal may lie in a face: the
// neighbouring cell could draw the same one, and four triangles would meet there. Returns 0 if there is no such
// filling.
static int fill_polygon(const int *polygon, int first, int last, unsigned char *row) {
  int k;
  if (last - first < 2) return 1;
  for (k = first + 1; k < last; ++k) {
    const unsigned char count = row[ROW_COUNT];
    if (k - first > 1 && faces_of(polygon[first]) & faces_of(polygon[k])) continue;
    if (last - k > 1 && faces_of(polygon[k]) & faces_of(polygon[last])) continue;
    if (count < 5 && fill_polygon(polygon, first, k, row) && fill_polygon(polygon, k, last, row) &&
        row[ROW_COUNT] < 5) {
      unsigned char *corners = row + 3 * row[ROW_COUNT]++;
      corners[0] = (unsigned char)polygon[first];
      corners[1] = (unsigned char)polygon[k];
      corners[2] = (unsigned char)polygon[last];
      return 1;
    }
    row[ROW_COUNT] = count;
  }
  return 0;
}

// Makes all cases from one rule for a face. Walk around the face, counterclockwise from outside the cell: where inner
// corners begin, a line of the surface begins, and it ends where they end. So a face with two inner corners across has
// two lines, each around one of them, and the cell on the other side draws the same lines, in the other direction. Each
// crossed edge lies on two faces; on one of them a line begins there, on the other a line ends there. So the lines form
// loops. Triangles fill each loop; their front is outside.
static void make_table(unsigned char *table) {
  int which, axis, side, i;
  memset(table, 0, CASES * ROW_BYTES);
  for (which = 0; which < CASES; ++which) {
    unsigned char *row = table + ROW_BYTES * which;
    int next[EDGE_CODES], code;
    for (code = 0; code < EDGE_CODES; ++code) next[code] = -1;
    for (axis = 0; axis < 3; ++axis)
      for (side = 0; side < 2; ++side) {
        static const int round[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        const int b = (axis + 1) % 3, c = (axis + 2) % 3;
        int corners[4];
        for (i = 0; i < 4; ++i) {
          const int *at = round[side ? i : 3 - i];
          corners[i] = side << axis | at[0] << b | at[1] << c;
        }
        for (i = 0; i < 4; ++i) { // inner corners begin at corner i
          int end = i;
          if (which >> corners[(i + 3) % 4] & 1 || !(which >> corners[i] & 1)) continue;
          while (which >> corners[end % 4] & 1) ++end;
          next[edge_code(corners[(i + 3) % 4], corners[i])] = edge_code(corners[(end + 3) % 4], corners[end % 4]);
        }
      }
    for (code = 0; code < EDGE_CODES; ++code) {
      int loop[12], length = 0, at = code;
      while (next[at] >= 0) {
        const int to = next[at];
        loop[length++] = at;
        next[at] = -1;
        at = to;
      }
      if (length && !fill_polygon(loop, 0, length - 1, row)) own_stop("case %d has no triangles", which);
    }
  }
}

// ---- volumes

// See marching_cubes.cuh: points on the border are outside, and a cell is named by its first corner.
typedef struct volume {
  unsigned dimensions[3], row, slice, cells;
  float *field, level;
  long known; // the surface's Euler characteristic; UNKNOWN
} volume;
#define UNKNOWN (-0x7fffffffL)

static void make_volume(volume *v, uint64_t x, uint64_t y, uint64_t z) {
  if (x < 3 || y < 3 || z < 3 || x > 4096 || y > 4096 || z > 4096 || x * y * z > 1u << 29)
    own_stop("a volume has 3 to 4096 points a side, and at most 2^29 in all");
  memset(v, 0, sizeof *v);
  v->dimensions[0] = (unsigned)x, v->dimensions[1] = (unsigned)y, v->dimensions[2] = (unsigned)z;
  v->row = (unsigned)x;
  v->slice = (unsigned)(x * y);
  v->cells = (unsigned)(x * y * z) - v->slice - v->row - 1;
  v->field = (float *)tuner_get(x * y * z * sizeof *v->field);
  v->known = UNKNOWN;
}
static uint64_t points_of(const volume *v) { return (uint64_t)v->slice * v->dimensions[2]; }

// Fields, positive inside. Coordinates run from -1 to 1. wave: radians from the centre to the border; point: the
// point's index.
static float distance(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
static float ball(float x, float y, float z, float wave, uint64_t point) {
  (void)wave, (void)point;
  return 0.8f - distance(x, y, z);
}
static float balls(float x, float y, float z, float wave, uint64_t point) {
  (void)wave, (void)point;
  return 0.4f - distance(fabsf(x) - 0.47f, fabsf(y) - 0.47f, fabsf(z) - 0.47f);
}
static float torus(float x, float y, float z, float wave, uint64_t point) {
  (void)wave, (void)point;
  return 0.27f - distance(distance(x, y, 0) - 0.6f, z, 0);
}
static float gyroid(float x, float y, float z, float wave, uint64_t point) {
  const float surface =
      sinf(wave * x) * cosf(wave * y) + sinf(wave * y) * cosf(wave * z) + sinf(wave * z) * cosf(wave * x);
  const float cut = wave * (0.9f - distance(x, y, z));
  (void)point;
  return surface < cut ? surface : cut;
}
static float noise(float x, float y, float z, float wave, uint64_t point) {
  (void)x, (void)y, (void)z, (void)wave;
  return (float)(tuner_mix(point) >> 40) - 8388607.5f;
}
typedef struct shape {
  const char *name;
  float (*value)(float x, float y, float z, float wave, uint64_t point);
  long known; // the Euler characteristic
} shape;
static const shape shapes[] = {{"gyroid", gyroid, UNKNOWN}, {"ball", ball, 2}, {"balls", balls, 16},
    {"torus", torus, 0}, {"noise", noise, UNKNOWN}};
static const shape *find_shape(const char *name) { // NULL: none
  unsigned i;
  for (i = 0; i < sizeof shapes / sizeof *shapes; ++i)
    if (!strcmp(shapes[i].name, name)) return &shapes[i];
  return NULL;
}
// A field of n points a side; its surface is at 0. The gyroid has a wave in 24 points.
static void make_field(volume *v, const shape *form, uint64_t n) {
  const float half = 0.5f * (float)(n - 1), wave = half * 6.2831853f / 24;
  uint64_t x, y, z, point = 0;
  make_volume(v, n, n, n);
  v->known = n < 16 ? UNKNOWN : form->known; // coarser than the shape
  for (z = 0; z < n; ++z)
    for (y = 0; y < n; ++y)
      for (x = 0; x < n; ++x, ++point) {
        const float a = ((float)x - half) / half, b = ((float)y - half) / half, c = ((float)z - half) / half;
        const int border = !x || !y || !z || x + 1 == n || y + 1 == n || z + 1 == n;
        v->field[point] = border ? -1 : form->value(a, b, c, wave, point);
      }
}
// A file of bytes, with a border of zeros around it.
static void read_volume(volume *v, const char *path, const unsigned *dimensions, float level) {
  const uint64_t x = dimensions[0], y = dimensions[1], z = dimensions[2];
  unsigned char *bytes = (unsigned char *)tuner_get(x * y * z + 1);
  FILE *file = fopen(path, "rb");
  uint64_t i, j, k;
  if (!file || fread(bytes, 1, x * y * z + 1, file) != x * y * z)
    own_stop("%s: not a volume of %u x %u x %u bytes", path, dimensions[0], dimensions[1], dimensions[2]);
  fclose(file);
  make_volume(v, x + 2, y + 2, z + 2);
  v->level = level;
  for (k = 0; k < z; ++k)
    for (j = 0; j < y; ++j)
      for (i = 0; i < x; ++i) v->field[(k + 1) * v->slice + (j + 1) * v->row + i + 1] = bytes[(k * y + j) * x + i];
  free(bytes);
}

// ---- the mesh, on the host

// A corner of a triangle: its place in units of the grid, and the grid's edge that it lies on: 3 * (the edge's first
// point) + axis.
typedef struct corner {
  float x, y, z;
  unsigned edge;
} corner;
typedef struct mesh {
  corner *corners;
  uint64_t triangles;
} mesh;

static unsigned step_along(const volume *v, unsigned axis) { return axis == 0 ? 1 : axis == 1 ? v->row : v->slice; }
static unsigned case_of(const volume *v, unsigned cell) {
  unsigned result = 0, k;
  for (k = 0; k < 8; ++k) {
    const unsigned point = cell + (k & 1) + (k >> 1 & 1) * v->row + (k >> 2) * v->slice;
    result |= (v->field[point] >= v->level ? 1u : 0u) << k;
  }
  return result;
}
static void write_triangles(const volume *v, const unsigned char *table, unsigned cell, corner *to) {
  const unsigned char *codes = table + ROW_BYTES * case_of(v, cell);
  const unsigned z = cell / v->slice, y = cell % v->slice / v->row, x = cell % v->slice % v->row;
  unsigned k;
  for (k = 0; k < 3u * codes[ROW_COUNT]; ++k, ++to) {
    const unsigned code = codes[k], axis = code >> 3, dx = code & 1, dy = code >> 1 & 1, dz = code >> 2 & 1;
    const unsigned point = cell + dx + dy * v->row + dz * v->slice;
    const float a = v->field[point], b = v->field[point + step_along(v, axis)];
    const float share = (v->level - a) / (b - a);
    to->x = (float)(x + dx) + (axis == 0 ? share : 0);
    to->y = (float)(y + dy) + (axis == 1 ? share : 0);
    to->z = (float)(z + dz) + (axis == 2 ? share : 0);
    to->edge = 3 * point + axis;
  }
}
static mesh make_mesh(const volume *v, const unsigned char *table) {
  mesh m = {NULL, 0};
  unsigned cell;
  corner *to;
  for (cell = 0; cell < v->cells; ++cell) m.triangles += table[ROW_BYTES * case_of(v, cell) + ROW_COUNT];
  if (m.triangles > 0xffffffffu / 3) own_stop("too many triangles");
  to = m.corners = (corner *)tuner_get(3 * m.triangles * sizeof *m.corners);
  for (cell = 0; cell < v->cells; ++cell) {
    write_triangles(v, table, cell, to);
    to += 3 * table[ROW_BYTES * case_of(v, cell) + ROW_COUNT];
  }
  return m;
}

// The solid's Euler characteristic, from its points alone: + points, - edges and + faces with inner corners only, and
// for each cell the number of its outer parts - 1; outer corners are connected along edges and across faces. The
// surface's characteristic is twice that.
//
// Each open face or cell contributes by compact support. A part of the solid that touches the rim of its face or cell
// in k arcs or regions counts 1 - k. A face's parts have one arc each, since lines separate inner corners, so that only
// whole faces count. In a cell with i inner and o outer parts there are i + o - 1 loops, which contribute loops - i.
static long solid_characteristic(const volume *v) {
  signed char parts[CASES]; // outer parts - 1
  const unsigned steps[3] = {1, v->row, v->slice};
  long sum = 0;
  unsigned cell, a, b;
  int which;
  for (which = 0; which < CASES; ++which) {
    unsigned left = ~(unsigned)which & 255;
    parts[which] = -1;
    while (left) {
      unsigned part = left & (0u - left), before = 0;
      while (part != before) {
        before = part;
        for (a = 0; a < 8; ++a)
          for (b = 0; b < 8; ++b)
            if (part >> a & 1 && left >> b & 1 && (a ^ b) != 7) part |= 1u << b;
      }
      left &= ~part;
      ++parts[which];
    }
  }
  for (cell = 0; cell < v->cells; ++cell) {
    const unsigned inside = case_of(v, cell);
    sum += parts[inside];
    if (!(inside & 1)) continue;
    ++sum;
    for (a = 0; a < 3; ++a) {
      sum -= v->field[cell + steps[a]] >= v->level;
      for (b = 0; b < a; ++b) {
        const unsigned face = 1u | 1u << (1u << a) | 1u << (1u << b) | 1u << (1u << a | 1u << b);
        sum += (inside & face) == face;
      }
    }
  }
  return sum;
}

typedef struct mesh_facts {
  uint64_t vertices, edges;
  long characteristic;
  double volume;
} mesh_facts;

// A set of the grid's edges.
static uint64_t *new_edge_set(const volume *v) { return (uint64_t *)tuner_get((3 * points_of(v) + 64) / 64 * 8); }

// NULL, or what is wrong with the mesh.
static const char *check_mesh(const volume *v, const mesh *m, mesh_facts *facts) {
  typedef struct entry {
    unsigned low, high, forward, back; // an edge of triangles, and how many run along it
  } entry;
  uint64_t capacity = 64, i, inner = 0;
  uint64_t *vertices = new_edge_set(v);
  const char *wrong = NULL;
  entry *entries;
  long solid = 2 * solid_characteristic(v);
  while (capacity < 3 * m->triangles) capacity *= 2;
  entries = (entry *)tuner_get(capacity * sizeof *entries);
  memset(facts, 0, sizeof *facts);
  for (i = 0; i < 3 * m->triangles && !wrong; ++i) {
    const corner *c = m->corners + i, *to = i % 3 == 2 ? c - 2 : c + 1;
    const unsigned point = c->edge / 3, axis = c->edge % 3;
    const unsigned low = c->edge < to->edge ? c->edge : to->edge, high = c->edge < to->edge ? to->edge : c->edge;
    const float at[3] = {c->x, c->y, c->z};
    unsigned place[3], k;
    uint64_t slot = tuner_mix((uint64_t)low << 32 | high) % capacity;
    if (point >= points_of(v)) {
      wrong = "a vertex is on no edge of the grid";
      break;
    }
    place[0] = point % v->row, place[1] = point % v->slice / v->row, place[2] = point / v->slice;
    for (k = 0; k < 3; ++k)
      if (k == axis ? !(at[k] >= (float)place[k] && at[k] <= (float)(place[k] + 1)) : at[k] != (float)place[k])
        wrong = "a vertex is off its edge of the grid";
    if (place[axis] + 1 >= v->dimensions[axis] ||
        (v->field[point] >= v->level) == (v->field[point + step_along(v, axis)] >= v->level))
      wrong = "a vertex is on an edge that the surface does not cross";
    if (low == high) wrong = "a triangle has a corner twice";
    if (!(vertices[c->edge / 64] >> c->edge % 64 & 1)) ++facts->vertices;
    vertices[c->edge / 64] |= (uint64_t)1 << c->edge % 64;
    while (entries[slot].high && (entries[slot].low != low || entries[slot].high != high)) slot = (slot + 1) % capacity;
    if (!entries[slot].high) ++facts->edges;
    entries[slot].low = low, entries[slot].high = high;
    if (c->edge == low) ++entries[slot].forward;
    else ++entries[slot].back;
    if (i % 3 == 0) { // the volume of a tetrahedron over the origin
      const corner *d = c + 1, *e = c + 2;
      facts->volume += ((double)c->x * ((double)d->y * (double)e->z - (double)d->z * (double)e->y) +
                           (double)c->y * ((double)d->z * (double)e->x - (double)d->x * (double)e->z) +
                           (double)c->z * ((double)d->x * (double)e->y - (double)d->y * (double)e->x)) /
          6;
    }
  }
  for (i = 0; i < capacity && !wrong; ++i)
    if (entries[i].high && (entries[i].forward != 1 || entries[i].back != 1))
      wrong = "an edge does not belong to two triangles of opposite direction: the mesh is not closed";
  for (i = 0; i < points_of(v); ++i) inner += v->field[i] >= v->level;
  facts->characteristic = (long)facts->vertices - (long)facts->edges + (long)m->triangles;
  if (!wrong && facts->characteristic != solid) wrong = "the Euler characteristic is not that of the solid";
  if (!wrong && v->known != UNKNOWN && facts->characteristic != v->known)
    wrong = "the Euler characteristic is not that of the shape";
  if (!wrong && fabs(facts->volume - (double)inner) > 0.5 * (double)facts->vertices) // half a cell at a vertex
    wrong = "the volume is not that of the inner points";
  free(vertices), free(entries);
  return wrong;
}

// Writes PLY, binary: vertices in the order of the grid's edges.
static void write_mesh(const volume *v, const mesh *m, const char *path) {
  uint64_t *set = new_edge_set(v), words = (3 * points_of(v) + 64) / 64, i, count = 0;
  unsigned *before = (unsigned *)tuner_get(words * sizeof *before); // vertices before each word of the set
  float(*places)[3];
  FILE *file = fopen(path, "wb");
  for (i = 0; i < 3 * m->triangles; ++i) set[m->corners[i].edge / 64] |= (uint64_t)1 << m->corners[i].edge % 64;
  for (i = 0; i < words; ++i) {
    before[i] = (unsigned)count;
    count += (unsigned)__builtin_popcountll(set[i]);
  }
  places = (float(*)[3])tuner_get(count * sizeof *places);
  if (!file) own_stop("%s cannot be written", path);
  fprintf(file,
      "ply\nformat binary_little_endian 1.0\nelement vertex %llu\nproperty float x\nproperty float y\n"
      "property float z\nelement face %llu\nproperty list uchar uint vertex_indices\nend_header\n",
      (unsigned long long)count, (unsigned long long)m->triangles);
  for (i = 0; i < 3 * m->triangles; ++i) {
    const corner *c = m->corners + i;
    const uint64_t below = set[c->edge / 64] & (((uint64_t)1 << c->edge % 64) - 1);
    float *place = places[before[c->edge / 64] + (unsigned)__builtin_popcountll(below)];
    place[0] = c->x, place[1] = c->y, place[2] = c->z;
  }
  fwrite(places, sizeof *places, count, file);
  for (i = 0; i < 3 * m->triangles; ++i) {
    const unsigned edge = m->corners[i].edge;
    const uint64_t below = set[edge / 64] & (((uint64_t)1 << edge % 64) - 1);
    const unsigned vertex = before[edge / 64] + (unsigned)__builtin_popcountll(below);
    if (i % 3 == 0) fputc(3, file);
    fwrite(&vertex, sizeof vertex, 1, file);
  }
  if (fclose(file)) own_stop("%s cannot be written", path);
  free(set), free(before), free(places);
}

// ---- the program

typedef struct marching_cubes {
  // Parameters.
  int classify_threads, generate_threads, compaction;
  // Options.
  const shape *form; // unless there is a file
  const char *file, *write;
  unsigned dimensions[3];
  float level;
  // Input, and the host's mesh.
  volume v;
  mesh expected;
  unsigned char table[CASES * ROW_BYTES];
  gp_op has_triangles, triangles;
  void *counts, *words, *generate_all, *generate_active, *compare; // kernels
  // Arrays of the device. active: the number of cells that compaction left.
  void *d_field, *d_table, *d_counts, *d_words, *d_kept, *d_offsets, *d_out, *d_expected, *d_differences;
  uint64_t *d_active;
} marching_cubes;

static void has_triangles(void *user, void *result, const void *a, const void *b) {
  (void)user, (void)b;
  *(unsigned char *)result = (*(const uint32_t *)a & 7) != 0;
}
static void triangles(void *user, void *result, const void *a, const void *b) {
  (void)user, (void)b;
  *(uint32_t *)result = *(const uint32_t *)a & 7;
}
static gp_op define_operator(gp_context *ctx, const char *name, const char *body, gp_host_fn host) {
  gp_op_desc desc = gp_op_desc_init();
  gp_op op;
  desc.name = name;
  desc.body = body;
  desc.arity = 1;
  desc.host = host;
  tuner_gp(gp_op_define(ctx, &desc, &op));
  return op;
}

static void *cubes_kernel(tuner_program *p, const char *name) {
  return tuner_kernel(p, "marching_cubes.cuh", NULL, 0, name);
}

static void open_cubes(tuner_program *p) {
  marching_cubes *s = (marching_cubes *)p->state;
  mesh_facts facts;
  const char *wrong;
  uint64_t bytes;
  if (s->file) read_volume(&s->v, s->file, s->dimensions, s->level);
  else make_field(&s->v, s->form, p->size);
  make_table(s->table);
  s->expected = make_mesh(&s->v, s->table);
  wrong = check_mesh(&s->v, &s->expected, &facts);
  if (wrong) own_stop("FAILED: the host's mesh: %s", wrong);
  printf("%s: %u x %u x %u points; %llu triangles, %llu vertices, closed; Euler characteristic %ld\n",
      s->file ? s->file : s->form->name, s->v.dimensions[0], s->v.dimensions[1], s->v.dimensions[2],
      (unsigned long long)s->expected.triangles, (unsigned long long)facts.vertices, facts.characteristic);
  s->has_triangles = define_operator(p->ctx, "has_triangles", "return (a & 7u) != 0;", has_triangles);
  s->triangles = define_operator(p->ctx, "triangles", "return a & 7u;", triangles);
  bytes = 3 * s->expected.triangles * sizeof(corner);
  s->d_field = tuner_new(p, points_of(&s->v) * sizeof(float));
  s->d_table = tuner_new(p, sizeof s->table);
  s->d_counts = tuner_new(p, s->v.cells);
  s->d_words = tuner_new(p, s->v.cells * sizeof(uint32_t));
  s->d_kept = tuner_new(p, s->v.cells * sizeof(uint32_t));
  s->d_offsets = tuner_new(p, s->v.cells * sizeof(uint32_t));
  s->d_out = tuner_new(p, bytes);
  s->d_expected = tuner_new(p, bytes);
  s->d_differences = tuner_new(p, sizeof(uint32_t));
  s->d_active = (uint64_t *)tuner_new(p, sizeof(uint64_t));
  tuner_write(p, s->d_field, s->v.field, points_of(&s->v) * sizeof(float));
  tuner_write(p, s->d_table, s->table, sizeof s->table);
  if (bytes) tuner_write(p, s->d_expected, s->expected.corners, bytes);
  if (!p->gpu) return;
  s->counts = cubes_kernel(p, "mc_counts");
  s->words = cubes_kernel(p, "mc_words");
  s->generate_all = cubes_kernel(p, "mc_generate_all");
  s->generate_active = cubes_kernel(p, "mc_generate_active");
  s->compare = cubes_kernel(p, "mc_compare");
}

static void clear_cubes(tuner_program *p) {
  marching_cubes *s = (marching_cubes *)p->state;
  if (s->expected.triangles) tuner_set(p, s->d_out, 0xff, 3 * s->expected.triangles * sizeof(corner));
}

// Counts the triangles of all cells. Without a GPU, by a loop.
static const char *classify(tuner_program *p) {
  marching_cubes *s = (marching_cubes *)p->state;
  void *out = s->compaction ? s->d_words : s->d_counts;
  void *arguments[7];
  unsigned cell;
  arguments[0] = &s->d_field, arguments[1] = &s->v.row, arguments[2] = &s->v.slice, arguments[3] = &s->v.level;
  arguments[4] = &s->v.cells, arguments[5] = &s->d_table, arguments[6] = &out;
  if (p->gpu)
    return tuner_launch(p, s->compaction ? s->words : s->counts,
        tuner_divide_up(s->v.cells, (uint64_t)s->classify_threads), s->classify_threads, 0, arguments);
  for (cell = 0; cell < s->v.cells; ++cell) {
    const unsigned char count = s->table[ROW_BYTES * case_of(&s->v, cell) + ROW_COUNT];
    if (s->compaction) ((uint32_t *)out)[cell] = 8 * cell + count;
    else ((unsigned char *)out)[cell] = count;
  }
  return NULL;
}

// Writes the triangles: of all cells, or of those that are left.
static const char *generate(tuner_program *p) {
  marching_cubes *s = (marching_cubes *)p->state;
  const uint64_t threads = (uint64_t)s->generate_threads, wanted = tuner_divide_up(s->v.cells, threads);
  unsigned room = (unsigned)s->expected.triangles, i;
  void *arguments[10];
  arguments[0] = &s->d_field, arguments[1] = &s->v.row, arguments[2] = &s->v.slice, arguments[3] = &s->v.level;
  arguments[4] = s->compaction ? (void *)&s->d_active : (void *)&s->v.cells, arguments[5] = &s->d_table;
  arguments[6] = s->compaction ? &s->d_kept : &s->d_counts, arguments[7] = &s->d_offsets;
  arguments[8] = &room, arguments[9] = &s->d_out;
  if (p->gpu) {
    const uint64_t resident = (uint64_t)p->gpu->multiprocessors * tuner_divide_up(2048, threads);
    return tuner_launch(p, s->compaction ? s->generate_active : s->generate_all,
        s->compaction && resident < wanted ? resident : wanted, s->generate_threads, 0, arguments);
  }
  for (i = 0; i < (s->compaction ? *s->d_active : s->v.cells); ++i) {
    const unsigned cell = s->compaction ? ((uint32_t *)s->d_kept)[i] >> 3 : i;
    if (s->compaction || ((unsigned char *)s->d_counts)[i])
      write_triangles(&s->v, s->table, cell, (corner *)s->d_out + 3 * (uint64_t)((uint32_t *)s->d_offsets)[i]);
  }
  return NULL;
}

static const char *run_cubes(tuner_program *p) {
  marching_cubes *s = (marching_cubes *)p->state;
  const char *why = classify(p);
  if (why) return why;
  if (s->compaction) {
    gp_call scan = gp_call_init(GP_EXCLUSIVE_SCAN);
    tuner_gp(gp_select_if(
        p->ctx, s->has_triangles, GP_U32, NULL, s->d_words, s->v.cells, s->d_kept, s->d_active, p->stream));
    scan.op = GP_SUM;
    scan.transform = s->triangles;
    scan.in_type = scan.out_type = GP_U32;
    scan.in = s->d_kept;
    scan.out = s->d_offsets;
    scan.count = s->v.cells; // the upper bound
    scan.count_device = s->d_active;
    tuner_gp(gp_run(p->ctx, &scan, p->stream));
  } else
    tuner_gp(gp_exclusive_scan(p->ctx, GP_SUM, GP_U8, GP_U32, NULL, s->d_counts, s->v.cells, s->d_offsets, p->stream));
  return generate(p);
}

static const char *check_cubes(tuner_program *p) {
  marching_cubes *s = (marching_cubes *)p->state;
  unsigned long long words = 3 * s->expected.triangles * sizeof(corner) / 4;
  uint32_t differences = 0;
  const char *why;
  void *arguments[4];
  if (!p->gpu)
    return memcmp(s->d_out, s->d_expected, 4 * words) ? "the triangles are not those of the loop over all cells" : NULL;
  arguments[0] = &s->d_out, arguments[1] = &s->d_expected, arguments[2] = &words, arguments[3] = &s->d_differences;
  tuner_set(p, s->d_differences, 0, sizeof differences);
  why = tuner_launch(p, s->compare, (uint64_t)p->gpu->multiprocessors * 8, 256, 0, arguments);
  if (why) return why;
  tuner_read(p, &differences, s->d_differences, sizeof differences);
  return differences ? "the triangles are not the host's" : NULL;
}

// Both ways, and the checks of a mesh once more, on the device's own.
static const char *check_cubes_more(tuner_program *p) {
  marching_cubes *s = (marching_cubes *)p->state;
  const int compaction = s->compaction;
  mesh m = s->expected;
  mesh_facts facts;
  const char *wrong = NULL;
  m.corners = (corner *)tuner_get(3 * m.triangles * sizeof(corner));
  for (s->compaction = 0; s->compaction < 2 && !wrong; ++s->compaction) {
    clear_cubes(p);
    wrong = run_cubes(p);
    if (!wrong) wrong = check_cubes(p);
  }
  s->compaction = compaction;
  if (m.triangles) tuner_read(p, m.corners, s->d_out, 3 * m.triangles * sizeof(corner));
  if (!wrong) wrong = check_mesh(&s->v, &m, &facts);
  if (!wrong && s->write) write_mesh(&s->v, &m, s->write);
  free(m.corners);
  return wrong;
}

static void close_cubes(tuner_program *p) {
  marching_cubes *s = (marching_cubes *)p->state;
  void *arrays[10];
  int i;
  arrays[0] = s->d_field, arrays[1] = s->d_table, arrays[2] = s->d_counts, arrays[3] = s->d_words;
  arrays[4] = s->d_kept, arrays[5] = s->d_offsets, arrays[6] = s->d_out, arrays[7] = s->d_expected;
  arrays[8] = s->d_differences, arrays[9] = s->d_active;
  for (i = 0; i < 10; ++i) tuner_free(p, arrays[i]);
  free(s->v.field), free(s->expected.corners);
}

// Multiples of a warp, up to the largest block. The paper's default is 160 threads.
static const int block_sizes[] = {32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, 544, 576,
    608, 640, 672, 704, 736, 768, 800, 832, 864, 896, 928, 960, 992, 1024};
static const int off_and_on[] = {0, 1};

// Takes the program's own options out of argv. Returns the number of the others, or 0 if the options are wrong.
static int take_options(marching_cubes *s, int argc, char **argv) {
  int i, left = 1, sized = 0;
  char end;
  s->form = shapes, s->level = 60.5f;
  for (i = 1; i < argc; ++i) {
    const int more = i + 1 < argc;
    if (!strcmp(argv[i], "--field") && more) s->form = find_shape(argv[++i]);
    else if (!strcmp(argv[i], "--volume") && more) s->file = argv[++i];
    else if (!strcmp(argv[i], "--write") && more) s->write = argv[++i];
    else if (!strcmp(argv[i], "--level") && more) s->level = (float)atof(argv[++i]);
    else if (!strcmp(argv[i], "--dimensions") && more) {
      if (sscanf(argv[++i], "%u,%u,%u%c", s->dimensions, s->dimensions + 1, s->dimensions + 2, &end) != 3) return 0;
    } else {
      sized |= !strcmp(argv[i], "--size");
      argv[left++] = argv[i];
    }
  }
  argv[left] = NULL;
  if (!s->file) return s->form && !s->dimensions[0] ? left : 0;
  for (i = 0; i < 3; ++i)
    if (s->dimensions[i] < 1 || s->dimensions[i] > 4094) return 0;
  return s->level > 0 && s->level <= 255 && !sized ? left : 0; // a border of zeros is outside
}

// The program of these options. Its parameters are static: one program a process.
static tuner_program cubes_program(marching_cubes *s) {
  static const tuner_source sources[] = {{"marching_cubes.cuh", {NULL}, 0}};
  static tuner_parameter parameters[3];
  tuner_program p;
  int i;
  memset(&p, 0, sizeof p);
  memset(parameters, 0, sizeof parameters);
  parameters[0].name = "classify_threads", parameters[0].variable = &s->classify_threads;
  parameters[1].name = "generate_threads", parameters[1].variable = &s->generate_threads;
  for (i = 0; i < 2; ++i) {
    parameters[i].values = block_sizes;
    parameters[i].count = sizeof block_sizes / sizeof *block_sizes;
    parameters[i].start = 160;
  }
  parameters[2].name = "compaction", parameters[2].variable = &s->compaction;
  parameters[2].values = off_and_on, parameters[2].count = 2;
  parameters[2].start = parameters[2].categorical = 1;
  p.name = s->file ? "marching_cubes_volume" : "marching_cubes";
  p.about = s->file ? "the surface of a measured volume" : "the surface of a field";
  p.parameters = parameters;
  p.parameter_count = 3;
  p.size = 256;
  p.host_size = 64;
  if (s->file) { // its longest side
    p.size = 0;
    for (i = 0; i < 3; ++i)
      if (s->dimensions[i] > p.size) p.size = s->dimensions[i];
    p.host_size = p.size;
  }
  p.sources = sources;
  p.source_count = 1;
  p.open = open_cubes;
  p.clear = clear_cubes;
  p.run = run_cubes;
  p.check = check_cubes;
  p.check_more = check_cubes_more;
  p.close = close_cubes;
  p.state = s;
  return p;
}

int main(int argc, char **argv) {
  static marching_cubes s;
  tuner_program p;
  memset(&s, 0, sizeof s);
  argc = take_options(&s, argc, argv);
  if (!argc) {
    fprintf(stderr,
        "usage: %s [--field gyroid|ball|balls|torus|noise | --volume FILE --dimensions X,Y,Z [--level L]]\n"
        "  [--write FILE.ply] and the options of program.h\n",
        argv[0]);
    return 2;
  }
  p = cubes_program(&s);
  return tuner_main(&p, argc, argv);
}
