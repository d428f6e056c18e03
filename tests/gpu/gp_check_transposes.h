// gp_check_transposes.h - gp_check's group "transposes": matrices, batches and permutations of up to four dimensions on
// a GPU against a loop on the host, byte for byte: elements of 1 to 64 bytes, shapes around tiles, thin and small ones,
// pitches, strides, any alignment, in place; policies drawn at random; captured, on many streams, past 2^32 bytes.
// Included by gp_check.c after gp_check_layouts.h.
#ifndef GP_CHECK_TRANSPOSES_H
#define GP_CHECK_TRANSPOSES_H

static const char *const TRANSPOSE_CELLS[] = {
    "transpose u8", "transpose u16", "transpose f32", "transpose f64", "transpose s12", "transpose s16"};

// Elements, tested if --types names the type beside them.
static const struct {
  int size;
  const char *with;
} ELEMENTS[] = {{1, "u8"}, {2, "u16"}, {4, "u32"}, {8, "f64"}, {12, "s12"}, {16, "s16"}, {3, "u8"}, {6, "u16"},
    {20, "u32"}, {24, "f64"}, {36, "s12"}, {48, "s16"}, {7, "u8"}, {5, "u16"}, {40, "f64"}, {64, "s16"}};

typedef struct transposes_case {
  gp_permutation p;
  int size, in_place;
  uint64_t shift[2]; // misalignment of the buffers in bytes
} transposes_case;

// One side's strides: elements from one index of each dimension to the next, and from the first element to the last.
static uint64_t transposes_strides(const transposes_case *t, int output, uint64_t *stride) {
  const uint64_t *given = output ? t->p.out_stride : t->p.in_stride;
  uint64_t dense = 1, last = 0;
  int d;
  for (d = t->p.dimensions - 1; d >= 0; d--) {
    const uint64_t extent = t->p.extent[output ? t->p.order[d] : d];
    stride[d] = given[d] ? given[d] : dense;
    dense = stride[d] * extent;
    last += (extent - 1) * stride[d];
  }
  return last + 1;
}

// The GPU context's handle for elements of this size.
static gp_type transposes_type(int size) {
  static gp_type handles[65];
  gp_type_desc desc;
  char name[32];
  if (handles[size]) return handles[size];
  snprintf(name, sizeof name, "element_%d", size);
  desc = gp_type_desc_init();
  desc.name = name;
  desc.size = (size_t)size;
  desc.align = (size_t)(size & -size) < 16 ? (size_t)(size & -size) : 16;
  if (size == 1 || size == 2 || size == 4 || size == 8)
    handles[size] = size == 1 ? GP_U8 : size == 2 ? GP_U16 : size == 4 ? GP_U32 : GP_U64;
  else if (gp_type_struct(gpu, &desc, &handles[size])) fail("%s: %s", name, gp_last_message());
  return handles[size];
}

static void transposes_describe(const transposes_case *t, const gp_policy *policy, char *text, size_t room) {
  int at = snprintf(text, room, "%d bytes, shifts %d %d%s", t->size, (int)t->shift[0], (int)t->shift[1],
      t->in_place ? ", in place" : "");
  int d;
  for (d = 0; d < t->p.dimensions; d++)
    at += snprintf(text + at, room - (size_t)at, " [%llu %llu/%llu %d]", (unsigned long long)t->p.extent[d],
        (unsigned long long)t->p.in_stride[d], (unsigned long long)t->p.out_stride[d], t->p.order[d]);
  if (!policy) return;
  at += snprintf(text + at, room - (size_t)at, " ");
  policy_text(policy, text + at, room - (size_t)at);
}

// Runs it and compares all bytes, including gaps and guards.
static void transposes_solve(const transposes_case *t, const gp_policy *policy) {
  const size_t size = (size_t)t->size;
  uint64_t stride[2][4], i[4] = {0, 0, 0, 0}, span[2], bytes, k;
  unsigned char *in, *out = NULL, *host_in, *want, *got;
  gp_call call = gp_call_init(GP_TRANSPOSE);
  char text[600];
  gp_result r;
  int d;
  span[0] = transposes_strides(t, 0, stride[0]) * size;
  span[1] = transposes_strides(t, 1, stride[1]) * size;
  bytes = span[1] + 2 * GUARD;
  host_in = (unsigned char *)host_new(span[0]);
  want = (unsigned char *)host_new(bytes);
  got = (unsigned char *)host_new(bytes);
  for (k = 0; k < span[0]; k++) host_in[k] = (unsigned char)(gp_data_hash(k / 8) >> k % 8 * 8);
  memset(want, 0xA5, bytes);
  if (t->in_place) memcpy(want + GUARD, host_in, span[1]);
  do { // i: of the input, the last index running fastest
    uint64_t from = 0, to = 0;
    for (d = 0; d < t->p.dimensions; d++) from += i[d] * stride[0][d], to += i[t->p.order[d]] * stride[1][d];
    memcpy(want + GUARD + to * size, host_in + from * size, size);
    for (d = t->p.dimensions - 1; d >= 0 && ++i[d] == t->p.extent[d]; d--) i[d] = 0;
  } while (d >= 0);
  if (!t->in_place) {
    in = (unsigned char *)device_new(span[0] + 16);
    upload(in + t->shift[0], host_in, span[0]);
    call.in = in + t->shift[0];
  } else in = NULL;
  out = (unsigned char *)device_new(bytes + 16);
  memset(got, 0xA5, bytes);
  if (t->in_place) memcpy(got + GUARD, host_in, span[1]);
  upload(out + t->shift[1], got, bytes);
  call.out = out + t->shift[1] + GUARD;
  if (t->in_place) call.in = call.out;
  call.in_type = transposes_type(t->size);
  call.permutation = &t->p;
  call.policy = on_gpu ? policy : NULL;
  r = run_gpu(&call, NULL);
  wait_stream(NULL);
  download(got, out + t->shift[1], bytes);
  if (r == GP_E_POLICY && policy) refused++;
  else {
    transposes_describe(t, policy, text, sizeof text);
    for (k = 0; k < bytes && got[k] == want[k]; k++) continue;
    if (r) fail("%s: %s", text, gp_last_message());
    else if (k < bytes)
      fail("%s: byte %lld of %llu is %d, not %d", text, (long long)k - GUARD, (unsigned long long)span[1], got[k],
          want[k]);
    else pass();
  }
  free(host_in);
  free(want);
  free(got);
  if (in) device_free(in);
  device_free(out);
}

enum { AROUND_TILES, THIN, SMALL, PITCHED, PERMUTED, SQUARE, RECTANGLE, TRANSPOSES_KINDS };

static transposes_case transposes_drawn(int kind, int size, uint64_t h) {
  static const uint64_t sides[] = {1, 2, 3, 7, 8, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 1000};
  const uint64_t align = (uint64_t)(size & -size) < 16 ? (uint64_t)(size & -size) : 16;
  const uint64_t most = sanitizer ? 40000 : 3000000 / (uint64_t)size; // elements, about
  uint64_t batch = 1, rows = sides[h % COUNT(sides)], columns = sides[(h >> 8) % COUNT(sides)];
  transposes_case t;
  int d;
  memset(&t, 0, sizeof t);
  t.p = gp_permutation_init();
  t.size = size;
  t.shift[0] = h >> 16 & 1 ? (h >> 18) % 16 / align * align : 0;
  t.shift[1] = h >> 17 & 1 ? (h >> 22) % 16 / align * align : 0;
  h = gp_data_hash(h);
  if (kind == PERMUTED) {
    static const uint64_t extents[] = {1, 2, 3, 5, 8, 16, 17, 24, 33, 40};
    uint64_t dense[2] = {1, 1}, all = 1;
    t.p.dimensions = 2 + (int)(h % 3);
    for (d = 0; d < t.p.dimensions; d++) {
      t.p.order[d] = d;
      t.p.extent[d] = extents[(h >> (8 + 8 * d)) % COUNT(extents)];
      if (all * t.p.extent[d] > most) t.p.extent[d] = 2;
      all *= t.p.extent[d];
    }
    for (d = t.p.dimensions - 1; d > 0; d--) {
      const int other = (int)((h >> (40 + 4 * d)) % (uint64_t)(d + 1)), kept = t.p.order[d];
      t.p.order[d] = t.p.order[other];
      t.p.order[other] = kept;
    }
    for (d = t.p.dimensions - 1; d >= 0 && h >> 60 & 1; d--) { // gaps between rows, and between the outer dimensions
      h = gp_data_hash(h) | 1ull << 60;
      t.p.in_stride[d] = dense[0];
      t.p.out_stride[d] = dense[1];
      dense[0] = dense[0] * t.p.extent[d] + (d ? h % 5 : 0);
      dense[1] = dense[1] * t.p.extent[t.p.order[d]] + (d ? (h >> 8) % 3 : 0);
    }
    return t;
  }
  if (kind == THIN) rows = 1 + h % (sanitizer ? 1500 : 60000), columns = 1 + (h >> 32) % 40;
  if (kind == SMALL) rows = 1 + h % 70, columns = 1 + (h >> 16) % 70, batch = 1 + (h >> 32) % (sanitizer ? 9 : 300);
  if (kind == RECTANGLE && h & 1) rows = 12 * (1 + (h >> 8) % 30), columns = 12 * (1 + (h >> 16) % 30);
  if (kind == RECTANGLE && (h & 3) == 2) rows = 1 + (h >> 8) % (sanitizer ? 500 : 30000), columns = 1 + (h >> 32) % 40;
  if (kind == RECTANGLE && (h & 7) >= 5) rows = 64 * (2 + (h >> 8) % 40), columns = 1 + (h >> 24) % 3000; // panels
  if ((kind == THIN || (kind == RECTANGLE && (h & 7) >= 5)) && h >> 60 & 1) {
    const uint64_t kept = rows;
    rows = columns, columns = kept;
  }
  if (kind == SQUARE) columns = rows;
  if ((kind == SQUARE || kind == RECTANGLE) && h >> 61 & 1) batch = 1 + (h >> 40) % 4;
  while (rows * columns > most) *(rows > columns ? &rows : &columns) /= 2;
  while (batch * rows * columns > most) batch /= 2;
  if (kind == SQUARE) columns = rows;
  t.p.dimensions = batch > 1 || h >> 59 & 1 ? 3 : 2;
  d = t.p.dimensions - 2;
  t.p.extent[0] = batch;
  t.p.extent[d] = rows, t.p.extent[d + 1] = columns;
  t.p.order[d] = d + 1, t.p.order[d + 1] = d;
  t.in_place = kind == SQUARE || kind == RECTANGLE;
  if (kind == PITCHED) { // some keep rows aligned
    const uint64_t gap = h >> 50 & 1 ? 16 : (h >> 52) % 9;
    t.p.in_stride[d] = (columns + 15) / 16 * 16 + gap;
    t.p.out_stride[d] = (rows + 15) / 16 * 16 + (h >> 51 & 1 ? gap : 0);
  }
  if (kind == RECTANGLE && batch > 1 && h >> 62 & 1) t.p.in_stride[0] = t.p.out_stride[0] = rows * columns + h % 20;
  if (kind == SQUARE && h >> 58 & 1) t.p.in_stride[d] = t.p.out_stride[d] = rows + (h >> 52) % 20;
  if (t.in_place) t.shift[0] = t.shift[1];
  return t;
}

static void transposes_all(void) {
  static const int in_place[] = {GP_PADDED_TILES, GP_BUFFERED_PANELS, GP_ROUND_TRIP}; // rectangles
  const int turns = sanitizer ? 1 : quick ? 2 : 8, elements = sanitizer || quick ? 11 : COUNT(ELEMENTS);
  int turn, kind, e;
  for (turn = 0; turn < turns; turn++)
    for (e = 0; e < elements; e++)
      for (kind = 0; kind < TRANSPOSES_KINDS; kind++) {
        const uint64_t seed = gp_data_hash((uint64_t)((turn * COUNT(ELEMENTS) + e) * TRANSPOSES_KINDS + kind + 1));
        const transposes_case t = transposes_drawn(kind, ELEMENTS[e].size, seed);
        gp_policy policy = drawn_policy(GP_TRANSPOSE, seed);
        int i;
        if (!type_wanted[type_named(ELEMENTS[e].with) - TYPES]) continue;
        if (out_of_time() || failed > 200) return;
        transposes_solve(&t, NULL);
        if (turn % 2 || (sanitizer && seed % 3)) continue;
        transposes_solve(&t, &policy);
        memset(&policy, 0, sizeof policy);
        for (i = 0; i < COUNT(in_place) && kind == RECTANGLE; i++) {
          policy.algorithm = in_place[i];
          transposes_solve(&t, &policy);
        }
      }
}

// Overlapping reads and writes, and strides that do not fit, are refused, and nothing is written.
static void transposes_errors(void) {
  unsigned char *at = (unsigned char *)device_new(1 << 16);
  gp_permutation p;
  gp_call good = gp_call_init(GP_TRANSPOSE), c;
  p = gp_permutation_init();
  p.dimensions = 2, p.order[0] = 1;
  p.extent[0] = 40, p.extent[1] = 50;
  good.in_type = GP_U32;
  good.in = at, good.out = at + 16384, good.permutation = &p;
  c = good, c.out = at + 4, want_error(c, GP_E_OVERLAP, "a matrix transposed onto a part of itself", (char *)c.out);
  c = good, c.permutation = NULL, want_error(c, GP_E_NULL, "no permutation", (char *)c.out);
  p.out_stride[0] = 39, want_error(good, GP_E_ARGUMENT, "a pitch below dense", (char *)good.out);
  p.out_stride[0] = 41, c = good, c.out = at;
  want_error(c, GP_E_OVERLAP, "a rectangle with a pitch, in place", (char *)c.out);
  p.out_stride[0] = 0, p.order[0] = 0, want_error(good, GP_E_ARGUMENT, "a dimension twice", (char *)good.out);
  p.order[0] = 1, p.extent[0] = p.extent[1] = 1ull << 33;
  want_error(good, GP_E_SIZE, "extents whose product overflows", (char *)good.out);
  device_free(at);
}

// Bytes counted up, more than 2^32, out of place and, square, in place: checks windows of the result by formula.
static void transposes_big(void) {
  static const struct {
    uint64_t rows, columns;
    int in_place;
  } shapes[] = {{65600, 65472, 0}, {7, (1ull << 32) / 7 + 5, 0}, {65552, 65552, 1}};
  enum { WINDOW = 4096 };
  static unsigned char window[WINDOW];
  size_t room = 0, total = 0;
  unsigned char *in, *out;
  int s, at;
  if (!on_gpu || sanitizer || !full || !type_wanted[type_named("u8") - TYPES]) return;
  GP_CUDA_CHECK(&cuda, memory_info(&room, &total));
  for (s = 0; s < COUNT(shapes); s++) {
    const uint64_t rows = shapes[s].rows, columns = shapes[s].columns, n = rows * columns;
    gp_result r;
    if (out_of_time()) return;
    if (room < (shapes[s].in_place ? 1 : 2) * n + (1ull << 30)) {
      printf("skipped: a transpose of %llu bytes needs more device memory\n", (unsigned long long)n);
      skipped++;
      continue;
    }
    in = (unsigned char *)device_new(n);
    out = shapes[s].in_place ? in : (unsigned char *)device_new(n);
    r = gp_iota(gpu, GP_U8, NULL, NULL, in, n, NULL);
    if (!r) r = gp_transpose(gpu, GP_U8, in, 0, rows, columns, out, 0, NULL);
    wait_device();
    if (r) fail("a transpose of %llu bytes: %s", (unsigned long long)n, gp_last_message());
    for (at = 0; at < 5 && !r; at++) {
      const uint64_t from = at == 4 ? n - WINDOW : n / 4 * (uint64_t)at + (at ? 77 : 0);
      uint64_t i;
      download(window, out + from, WINDOW);
      for (i = 0; i < WINDOW; i++)
        if (window[i] != (unsigned char)((from + i) % rows * columns + (from + i) / rows)) break;
      if (i < WINDOW)
        fail("a transpose of %llu x %llu bytes%s: element %llu", (unsigned long long)rows, (unsigned long long)columns,
            shapes[s].in_place ? ", in place" : "", (unsigned long long)(from + i));
      else pass();
    }
    if (out != in) device_free(out);
    device_free(in);
  }
}

static void group_transposes(void) {
  transposes_errors();
  transposes_all();
  cases_sizes(TRANSPOSE_CELLS, COUNT(TRANSPOSE_CELLS));
  cases_graph(TRANSPOSE_CELLS, COUNT(TRANSPOSE_CELLS));
  cases_streams(TRANSPOSE_CELLS, COUNT(TRANSPOSE_CELLS));
  transposes_big();
}

#endif
