// gp_check_segments.h - gp_check's group "segments": runs, segments, selection, histograms and searches on a GPU
// against the host back end. A cell (tools/gp_cells.h) gives the call and its data; counts, addresses, policies and the
// rest vary here. Included by gp_check.c.
#ifndef GP_CHECK_SEGMENTS_H
#define GP_CHECK_SEGMENTS_H

static cell_types gpu_types, host_types;

// Keys that replace the cell's own.
enum { AS_THE_CELL, ALTERNATING, NAN_AND_ZEROS, ONE_RUN, ANY_BITS, SPECIAL_BITS };

typedef struct segments_case {
  cell c;
  int kind, keys; // of the data; of the keys
  int in_shift, out_shift; // misalignment of the buffers in elements
  int in_place; //
  int has_count; //
  uint64_t count_device; //
  const gp_policy *policy; //
  int flags; //
  const void *init; //
  int no_keys_out, no_lengths; // out_keys, out2 not wanted
} segments_case;

typedef struct segments_bench {
  char *device[ROLE_COUNT], *in[ROLE_COUNT], *want[ROLE_COUNT], *got[ROLE_COUNT];
  uint64_t room[ROLE_COUNT], *device_count;
  void *stream;
} segments_bench;
static segments_bench main_segments;

static segments_case case_of(const char *text, uint64_t n) {
  segments_case s;
  const char *wrong;
  char with_count[300];
  memset(&s, 0, sizeof s);
  snprintf(with_count, sizeof with_count, "%s n=1M", text);
  wrong = parse_cell(with_count, &s.c);
  if (wrong) {
    fprintf(stderr, "gp_check: cell \"%s\": %s\n", with_count, wrong);
    exit(3);
  }
  s.c.n = n;
  if (has_word(s.c.primitive, 's')) s.c.segments = cell_make_offsets(&s.c, n, NULL);
  cell_text(&s.c, s.c.text, sizeof s.c.text);
  s.kind = folds(s.c.primitive) && s.c.in->number > GP_DATA_UINT ? GP_DATA_EXACT : s.c.kind;
  return s;
}

static const char *tell(const segments_case *s, char *text, size_t room) {
  char policy[200] = "";
  if (s->policy) policy_text(s->policy, policy, sizeof policy);
  snprintf(text, room, "%.180s (shifts %d %d%s%s, keys %d, count %lld, flags %d, kind %d) %s", s->c.text, s->in_shift,
      s->out_shift, s->in_place ? ", in place" : "", s->init ? ", init" : "", s->keys,
      s->has_count ? (long long)s->count_device : -1ll, s->flags, s->kind, policy);
  return text;
}

static void grow_role(segments_bench *b, int role, uint64_t bytes) {
  bytes += 2 * GUARD + SLACK;
  if (!b->device_count) b->device_count = device_new(256);
  if (b->room[role] >= bytes) return;
  if (b->room[role]) {
    wait_device();
    device_free(b->device[role]);
    free(b->in[role]);
    free(b->want[role]);
    free(b->got[role]);
  }
  b->room[role] = bytes < 65536 ? 65536 : bytes;
  b->device[role] = device_new(b->room[role]);
  b->in[role] = host_new(b->room[role]);
  b->want[role] = host_new(b->room[role]);
  b->got[role] = host_new(b->room[role]);
}

// Floats: -0, +0, NaN of both signs with payloads, infinities, the smallest numbers; integers: their ends, and numbers
// around 0.
static uint64_t special_bits(const type_row *t, uint64_t h) {
  const int bits = 8 * t->size,
            mantissa = t->number == GP_DATA_F64 ? 52
      : t->number == GP_DATA_F32 ? 23
      : t->number == GP_DATA_F16 ? 10
      : 7;
  const uint64_t sign = 1ull << (bits - 1), infinity = sign - (1ull << mantissa), low = h >> 32 & 3;
  const uint64_t magnitudes[] = {0, infinity, infinity + 1 + low, sign - 1, low, infinity - 1 - low, 1ull << mantissa};
  if (t->number <= GP_DATA_UINT) return h & 1 ? low - 2 : sign + low - 2;
  return magnitudes[(h >> 8) % COUNT(magnitudes)] | (h & 1 ? sign : 0);
}
static void make_bits(const segments_case *s, char *out) {
  const type_row *t = cell_type(&s->c, ROLE_keys);
  uint64_t i;
  for (i = 0; i < cell_count(&s->c, ROLE_keys, s->c.n); i++) {
    const uint64_t h = gp_data_hash(i * 5 + 1), bits = s->keys == ANY_BITS ? h : special_bits(t, h);
    memcpy(out + i * (uint64_t)t->size, &bits, (size_t)t->size);
  }
}

static void make_keys(const segments_case *s, char *out) {
  static const double SPECIAL[] = {0.0, -0.0, 1.0, NAN};
  const type_row *t = cell_type(&s->c, ROLE_keys);
  const int size = t->size / t->fields;
  uint64_t i;
  int f;
  for (i = 0; i < s->c.n; i++)
    for (f = 0; f < t->fields; f++) {
      const double value = s->keys == ALTERNATING ? (double)(i & 1)
          : s->keys == ONE_RUN ? 5
          : SPECIAL[gp_data_hash(i) & 3];
      const float single = (float)value;
      const uint64_t whole = (uint64_t)(value == value ? value : 2);
      char *at = out + i * (uint64_t)t->size + f * size;
      if (t->number == GP_DATA_F64) memcpy(at, &value, 8);
      else if (t->number == GP_DATA_F32) memcpy(at, &single, 4);
      else memcpy(at, &whole, (size_t)size);
    }
}

static void make_input(const segments_case *s, int role, char *out) {
  const type_row *t = cell_type(&s->c, role);
  const uint64_t n = cell_count(&s->c, role, s->c.n);
  cell_data d;
  if (role == ROLE_keys && s->keys >= ANY_BITS) {
    make_bits(s, out);
    return;
  }
  if (role == ROLE_keys && s->keys) {
    make_keys(s, out);
    return;
  }
  if (!cell_data_of(&s->c, role, s->kind, &d)) {
    cell_make_input(&s->c, role, s->c.n, out);
    return;
  }
  gp_data_elements(t->number, t->size, t->fields, d.kind, d.parameter, (uint64_t)(3 + role), 0, n, n, out);
}

static int is_wanted(const segments_case *s, int role) {
  return !(role == ROLE_out_keys && s->no_keys_out) && !(role == ROLE_out2 && s->no_lengths);
}

// The input that an output may share: in place.
static int twin_of(const segments_case *s, int role) {
  if (!s->in_place || s->c.described) return -1; // a described array is apart
  if (role == ROLE_out && cell_type(&s->c, ROLE_in)) return ROLE_in;
  return role == ROLE_out_keys && (s->c.primitive == GP_UNIQUE || moves_keys(s->c.primitive)) ? ROLE_keys : -1;
}

static gp_call segments_call(const segments_case *s, int for_gpu) {
  gp_call call = cell_call(for_gpu ? &gpu_types : &host_types, &s->c, for_gpu && on_gpu ? s->policy : NULL);
  call.flags |= s->flags;
  if (s->init) call.init = s->init;
  return call;
}

// Makes pointers into these buffers, in the inputs on the host.
static void point(const segments_case *s, segments_bench *b, const char *in, const char *out) {
  int role;
  for (role = 0; role < FIRST_OUTPUT; role++)
    if (cell_target(&s->c, role) >= 0) {
      make_input(s, role, b->in[role]);
      cell_point(&s->c, role, s->c.n, b->in[role], cell_target(&s->c, role) == ROLE_in ? in : out);
    }
}

// Fills the inputs, and runs the host back end. 0, or -1 after fail().
static int segments_expect(segments_bench *b, const segments_case *s) {
  gp_call call = segments_call(s, 0);
  char text[600];
  gp_result r;
  int role;
  for (role = 0; role < ROLE_COUNT; role++) {
    const uint64_t bytes = cell_bytes(&s->c, role, s->c.n);
    if (!cell_type(&s->c, role) || !is_wanted(s, role)) continue;
    grow_role(b, role, bytes + 256);
    if (role < FIRST_OUTPUT) make_input(s, role, b->in[role]);
    else if (twin_of(s, role) >= 0) memcpy(b->want[role], b->in[twin_of(s, role)], bytes);
    else memset(b->want[role], 0xA5, bytes);
    // The host back end writes beside its inputs, so that they can be uploaded afterwards.
    cell_bind(&s->c, &call, role, role < FIRST_OUTPUT ? b->in[role] : b->want[role]);
  }
  point(s, b, b->in[ROLE_in], b->want[ROLE_out]);
  if (s->has_count) call.count_device = &s->count_device;
  r = gp_run(host, &call, NULL);
  if (r == GP_SUCCESS) return 0;
  fail("%s: the host back end says %s: %s", tell(s, text, sizeof text), gp_result_name(r), gp_last_message());
  return -1;
}

static char *place_of(segments_bench *b, const segments_case *s, int role) {
  const type_row *t = cell_type(&s->c, role);
  const int twin = twin_of(s, role);
  if (twin >= 0) return place_of(b, s, twin);
  return b->device[role] + GUARD +
      (role < FIRST_OUTPUT ? s->in_shift * t->size
              : role == ROLE_counts ? 0
              : s->out_shift * t->size);
}

// Poisons the outputs; in place: uploads the input again.
static void segments_poison(segments_bench *b, const segments_case *s) {
  int role;
  if (cell_target(&s->c, ROLE_keys) >= 0) point(s, b, place_of(b, s, ROLE_in), place_of(b, s, ROLE_out));
  for (role = 0; role < ROLE_COUNT; role++) {
    const uint64_t bytes = cell_bytes(&s->c, role, s->c.n);
    if (!cell_type(&s->c, role) || !is_wanted(s, role)) continue;
    if (role < FIRST_OUTPUT) {
      poison(place_of(b, s, role) - GUARD, bytes + 2 * GUARD, b->stream);
      wait_stream(b->stream);
      upload(place_of(b, s, role), b->in[role], bytes);
    } else if (twin_of(s, role) < 0) poison(place_of(b, s, role) - GUARD, bytes + 2 * GUARD, b->stream);
  }
  wait_stream(b->stream);
}

static gp_call segments_place(segments_bench *b, const segments_case *s) {
  gp_call call = segments_call(s, 1);
  int role;
  segments_poison(b, s);
  for (role = 0; role < ROLE_COUNT; role++)
    if (cell_type(&s->c, role) && is_wanted(s, role)) cell_bind(&s->c, &call, role, place_of(b, s, role));
  if (s->has_count) {
    upload(b->device_count, &s->count_device, 8);
    call.count_device = b->device_count;
  }
  return call;
}

static int numbers_differ(const type_row *t, const char *a, const char *b) {
  float x, y;
  double u, v;
  if (t->number == GP_DATA_F32) return memcpy(&x, a, 4), memcpy(&y, b, 4), !(x == y || (x != x && y != y));
  if (t->number == GP_DATA_F64) return memcpy(&u, a, 8), memcpy(&v, b, 8), !(u == v || (u != u && v != v));
  return 1;
}

// Compares everything that the device wrote, and the guards around it, with the host. Counts the result.
static int segments_compare(segments_bench *b, const segments_case *s, const char *what) {
  char text[600], got_hex[40] = "", want_hex[40] = "";
  int role, i;
  wait_stream(b->stream);
  for (role = FIRST_OUTPUT; role < ROLE_COUNT; role++) {
    const type_row *t = cell_type(&s->c, role);
    const uint64_t bytes = cell_bytes(&s->c, role, s->c.n);
    const int size = t ? t->size / t->fields : 1, in_place = t && twin_of(s, role) >= 0;
    uint64_t at;
    char *got;
    if (!t || !is_wanted(s, role)) continue;
    download(b->got[role], place_of(b, s, role) - GUARD, bytes + 2 * GUARD);
    got = b->got[role] + GUARD;
    // In place, the rest after compacted results is undefined.
    for (at = 0; memcmp(got, b->want[role], bytes) && at < bytes; at += (uint64_t)size) {
      const uint64_t live = in_place && role != ROLE_counts && cell_type(&s->c, ROLE_counts)
          ? cell_live(&s->c, role, s->c.n, (const uint64_t *)(void *)b->want[ROLE_counts])
          : bytes;
      if (at / (uint64_t)t->size >= live) break;
      if (!memcmp(got + at, b->want[role] + at, (size_t)size)) continue;
      if (!moves_keys(s->c.primitive) && !numbers_differ(t, got + at, b->want[role] + at)) continue;
      hex(got_hex, got + at, size);
      hex(want_hex, b->want[role] + at, size);
      fail("%s%s: output %d, element %llu is 0x%s, not 0x%s", tell(s, text, sizeof text), what, role - FIRST_OUTPUT,
          (unsigned long long)(at / (uint64_t)t->size), got_hex, want_hex);
      return -1;
    }
    for (i = 0; i < GUARD; i++)
      if (got[i - GUARD] != (char)0xA5 || got[bytes + (uint64_t)i] != (char)0xA5) {
        fail("%s%s: output %d: wrote outside of it", tell(s, text, sizeof text), what, role - FIRST_OUTPUT);
        return -1;
      }
  }
  pass();
  return 0;
}

// With --no-pipelined a pipelined stream looks back, as in run_gpu.
static int segments_solve(segments_bench *b, const segments_case *s) {
  char text[600];
  gp_call call;
  gp_result r;
  if (segments_expect(b, s)) return -1;
  call = segments_place(b, s);
  r = run_gpu(&call, b->stream);
  if (r == GP_E_POLICY && s->policy) return refused++, 1;
  if (r != GP_SUCCESS) {
    fail("%s: %s: %s", tell(s, text, sizeof text), gp_result_name(r), gp_last_message());
    return -1;
  }
  return segments_compare(b, s, "");
}

// ---- the cases ------------------------------------------------------------------------------------------------------

// All primitives; the first EVERYWHERE also with --quick and sanitizers.
static const char *const SEGMENT_CELLS[] = {
    "segmented_reduce SUM f32 segments=fixed:5",
    "segmented_reduce SUM u8 out=u64 segments=mixed",
    "segmented_reduce SUM f32 segments=fixed:37 form=fixed",
    "segmented_reduce MAX u32 segments=uniform:9 form=ends",
    "segmented_exclusive_scan SUM u32 segments=mixed",
    "segmented_inclusive_scan SUM f32 segments=uniform:40 offsets=u64",
    "inclusive_scan_by_key SUM f32 runs=7",
    "exclusive_scan_by_key SUM u64 key=u8 runs=40",
    "inclusive_scan_by_key MAX u32 key=u8 form=heads runs=12",
    "reduce_by_key SUM f32 runs=3",
    "reduce_by_key SUM u8 key=u64 runs=50",
    "run_lengths u32 runs=4",
    "nontrivial_runs u8 runs=3",
    "unique u32 runs=2",
    "unique u8 payload=u64 runs=5",
    "adjacent_difference f32",
    "select u32 keep=50",
    "select u8 keep=99 form=flags",
    "select s16 keep=50",
    "partition u32 keep=30",
    "partition u16 parts=3 keep=10",
    "count_if f32 keep=20",
    "any u32 keep=0",
    "all u8 keep=100",
    "find_if u32 keep=0",
    "find_if s16 keep=20",
    "mismatch u32 dist=constant",
    "equal_arrays u8 dist=constant",
    "adjacent_find u32 dist=sorted",
    "histogram_even u8",
    "histogram_even f32 bins=1000 dist=zipf",
    "histogram_ranges u32 bins=77",
    "lower_bound u32 haystack=3000",
    "lower_bound u32 haystack=50001",
    "upper_bound f32 haystack=777 out=u64",
    "load_balance u32 segments=mixed",
    "check_offsets u32 segments=mixed",
    "copy_batch u8 segments=mixed",
    "scatter u32",
    "gather s12",
    "replace u16 keep=30",
    "is_partitioned u32 keep=0",
    "expand u32 segments=mixed",
    "run_length_expand u8 segments=mixed",
    // more types, shapes and forms
    "segmented_reduce SUM f64 segments=fixed:1",
    "segmented_reduce MIN i16 segments=pareto:64",
    "segmented_reduce SUM s12 segments=fixed:64",
    "segmented_reduce SUM f16 out=f32 segments=uniform:300 offsets=u64",
    "segmented_reduce SUM u32 segments=fixed:100000",
    "segmented_reduce SUM u64 segments=fixed:4096 form=fixed",
    "segmented_exclusive_scan SUM f64 segments=pareto:20",
    "segmented_exclusive_scan SUM u8 segments=fixed:1",
    "segmented_inclusive_scan SUM s16 segments=uniform:100",
    "segmented_inclusive_scan MIN i32 segments=fixed:100000",
    "inclusive_scan_by_key SUM u8 key=u8 runs=1",
    "exclusive_scan_by_key SUM f32 key=f32 runs=1024",
    "inclusive_scan_by_key SUM u16 key=s16 runs=9",
    "exclusive_scan_by_key SUM s12 key=u16 runs=4",
    "reduce_by_key SUM u32 runs=1",
    "reduce_by_key MAX f64 key=u8 runs=1024",
    "reduce_by_key SUM s16 key=u16 runs=17",
    "reduce_by_key SUM f32 key=s12 runs=6",
    "reduce_by_key SUM u32 key=u32 form=heads runs=8",
    "run_lengths u8 runs=1",
    "run_lengths u64 runs=1024 lengths=u64",
    "run_lengths s16 runs=5",
    "run_lengths f32 runs=32",
    "nontrivial_runs u32 runs=1",
    "nontrivial_runs s12 runs=40 lengths=i64",
    "unique s16 runs=3",
    "unique u16 runs=1000",
    "unique f64 payload=u8 runs=4",
    "unique s12 payload=s16 runs=2",
    "adjacent_difference u8",
    "adjacent_difference u64",
    "adjacent_difference f16",
    "adjacent_difference i32 out=i64",
    "select u8 keep=0",
    "select u8 keep=1",
    "select u64 keep=100",
    "select f16 keep=40",
    "select s12 keep=70",
    "select i32 keep=50",
    "select s16 form=flags key=u32 keep=60",
    "partition u8 keep=99",
    "partition s16 keep=50",
    "partition u64 form=flags key=u16 keep=20",
    "partition s12 parts=3 keep=40",
    "partition f32 parts=3 keep=100",
    "partition u8 parts=3 keep=0",
    "count_if i16 keep=50",
    "count_if s16 keep=50",
    "any f32 keep=1",
    "all u32 keep=99",
    "find_if f32 keep=1",
    "find_if u8 keep=0",
    "mismatch s12 dist=constant",
    "mismatch u64 dist=few",
    "equal_arrays f16",
    "adjacent_find u8 dist=sorted",
    "adjacent_find s12",
    "histogram_even u16 bins=5000",
    "histogram_even u32 bins=48K dist=zipf",
    "histogram_even i64 bins=7",
    "histogram_even u8 bins=3 out=u64 dist=constant",
    "histogram_even f64 bins=100000",
    "histogram_even f32 bins=256 dist=constant",
    "histogram_ranges f32 bins=1",
    "histogram_ranges u8 bins=100",
    "histogram_ranges f64 bins=20000 out=u64",
    "lower_bound u8 haystack=100000",
    "upper_bound i64 haystack=1",
    "load_balance u64 out=u64 segments=fixed:1",
    "load_balance i32 segments=pareto:300",
    "check_offsets i64 segments=fixed:3",
    "expand u8 segments=fixed:1",
    "expand s12 segments=pareto:20 offsets=u64",
    "expand u64 segments=fixed:5000",
    "expand s16 segments=uniform:3",
    "run_length_expand s12 segments=uniform:9",
    "run_length_expand u16 segments=pareto:300 offsets=i64",
    "run_length_expand f32 segments=fixed:1",
    "copy_batch u8 segments=pareto:20",
    "scatter u8",
    "scatter s16",
    "gather u64",
    "replace f16 keep=99",
    "replace s12 keep=50",
    "is_partitioned f32 keep=50",
    "is_partitioned s16 keep=0",
    "copy_batch u32 segments=fixed:1024 offsets=u64",
    "copy_batch s12 segments=uniform:300",
    "copy_batch u16 segments=fixed:1000000",
};
enum { EVERYWHERE = 44 };

// Elements of a tile with the call's policy; 0: unknown.
static uint64_t segments_tile(const segments_case *s) {
  gp_call call = segments_call(s, 1);
  gp_policy p;
  gp_policy_source source;
  int size = 1, role;
  if (!on_gpu || gp_policy_origin(gpu, &call, &p, &source)) return 0;
  for (role = 0; role < FIRST_OUTPUT; role++)
    if (cell_type(&s->c, role) && role != ROLE_begin && role != ROLE_end && cell_type(&s->c, role)->size > size)
      size = cell_type(&s->c, role)->size;
  return (uint64_t)(p.threads * (p.vectors * 16 >= size ? p.vectors * 16 / size : 1));
}

static int has_type_wanted(const cell *c) {
  const check_type *t = type_named(c->in->name);
  return type_wanted[t - TYPES];
}

// Ranks need elements to rank.
static int has_ranks(const cell *c) { return !has_word(c->primitive, 'n') || cell_elements(c, c->n); }

static void cases_sizes(const char *const *list, int cells) {
  static const int tiles[] = {1, 2, 3, 32, 65};
  int i, k, m, d, count;
  const uint64_t *counts = sizes(&count);
  for (i = 0; i < cells; i++) {
    segments_case s = case_of(list[i], 1000);
    uint64_t tile;
    if (!has_type_wanted(&s.c)) continue;
    for (k = 0; k < count; k++) {
      s = case_of(list[i], counts[k]);
      if (!has_ranks(&s.c)) continue;
      if (out_of_time()) return;
      if (segments_solve(&main_segments, &s) < 0 && failed > 200) return;
      if (counts[k] < 30 || (quick && k % 3)) continue;
      s.in_shift = 1 + k % 7;
      s.out_shift = k % 5;
      if (s.c.out_offset == 0) segments_solve(&main_segments, &s);
    }
    s = case_of(list[i], 2 << 20);
    tile = segments_tile(&s);
    for (m = 0; tile && m < (sanitizer ? 1 : quick ? 3 : COUNT(tiles)); m++)
      for (d = -1; d <= 1; d++) {
        s = case_of(list[i], tile * (uint64_t)tiles[m] + (uint64_t)d);
        if (out_of_time()) return;
        segments_solve(&main_segments, &s);
      }
    if (!sanitizer && !out_of_time()) {
      s = case_of(list[i], quick ? 1000003 : 5000011);
      segments_solve(&main_segments, &s);
    }
  }
}

// In place, counts in device memory, initial values, unwanted outputs, right neighbours.
static void segments_fields(void) {
  static const uint64_t counts[] = {0, 1, 33, 5000, 300007};
  static const float three = 3;
  int i, k, d;
  for (i = 0; i < EVERYWHERE; i++)
    for (k = 0; k < (sanitizer ? 4 : COUNT(counts)); k++) {
      const uint64_t n = counts[k], device_counts[] = {0, 1, n / 2, n, n + 7};
      segments_case s = case_of(SEGMENT_CELLS[i], n);
      const gp_primitive p = s.c.primitive;
      if (!has_type_wanted(&s.c) || out_of_time()) continue;
      if (is_scan_by_key(p) || is_segmented_scan(p) || p == GP_SELECT || p == GP_UNIQUE) {
        s.in_place = 1;
        segments_solve(&main_segments, &s);
        s.in_place = 0;
      }
      for (d = 0; d < COUNT(device_counts) && !has_word(p, 's'); d++) {
        s.has_count = 1;
        s.count_device = device_counts[d];
        segments_solve(&main_segments, &s);
        s.has_count = 0;
      }
      if (folds(p) && s.c.acc->number == GP_DATA_F32) {
        s.init = &three;
        segments_solve(&main_segments, &s);
        s.init = NULL;
      }
      if (p == GP_REDUCE_BY_KEY || p == GP_RUN_LENGTHS) {
        s.no_keys_out = 1;
        segments_solve(&main_segments, &s);
        s.no_lengths = p == GP_RUN_LENGTHS; // only the number of runs
        segments_solve(&main_segments, &s);
        s.no_keys_out = 0;
        segments_solve(&main_segments, &s);
        s.no_lengths = 0;
      }
      if (p == GP_ADJACENT_DIFFERENCE) {
        s.flags = GP_RIGHT;
        segments_solve(&main_segments, &s);
      }
    }
}

// GP_REPRODUCIBLE: sums that round have the bits of the host back end.
static void segments_reproducible(void) {
  static const char *const cells[] = {"segmented_reduce SUM f32 segments=pareto:300",
      "segmented_reduce SUM f64 segments=uniform:3000 form=ends",
      "segmented_reduce SUM f32 segments=fixed:1537 form=fixed",
      "segmented_reduce SUM f16 acc=f32 segments=mixed offsets=i64", "reduce_by_key SUM f32 runs=32",
      "reduce_by_key SUM f64 key=u8 runs=3000", "segmented_inclusive_scan SUM f32 segments=pareto:300",
      "segmented_exclusive_scan SUM f16 acc=f32 segments=mixed offsets=u64",
      "inclusive_scan_by_key SUM f64 key=u8 runs=3000", "exclusive_scan_by_key SUM f32 runs=32",
      "group_by SUM f32 groups=3000", "group_by SUM f64 key=u8 groups=3"};
  static const uint64_t counts[] = {33, 5000, 300007, 3000017};
  static const float three = 3;
  int i, k, shift;
  for (i = 0; i < COUNT(cells); i++)
    for (k = 0; k < (sanitizer ? 2 : COUNT(counts)); k++)
      for (shift = 0; shift < 3; shift++) {
        segments_case s = case_of(cells[i], counts[k]);
        if (!has_type_wanted(&s.c) || out_of_time()) continue;
        s.kind = GP_DATA_UNIFORM;
        s.flags = GP_REPRODUCIBLE;
        s.in_shift = shift;
        if (shift && s.c.acc->number == GP_DATA_F32) s.init = &three;
        if (shift && !has_word(s.c.primitive, 's')) s.has_count = 1, s.count_device = counts[k] - 7;
        segments_solve(&main_segments, &s);
      }
}

// Alternating keys, one run, NaN (each a run of its own) and both zeros (one run).
static void segments_keys(void) {
  static const char *const cells[] = {"inclusive_scan_by_key SUM u32 key=f32", "exclusive_scan_by_key SUM f32 key=u8",
      "reduce_by_key SUM f32 key=f64", "reduce_by_key SUM u64 key=s16", "run_lengths f32", "nontrivial_runs f64",
      "unique f32", "unique u8 payload=u32"};
  static const uint64_t counts[] = {2, 33, 4097, 1000003};
  int i, k, keys;
  for (i = 0; i < COUNT(cells); i++)
    for (k = 0; k < (sanitizer ? 3 : COUNT(counts)); k++)
      for (keys = ALTERNATING; keys <= ONE_RUN; keys++) {
        segments_case s = case_of(cells[i], counts[k]);
        if (out_of_time()) return;
        s.keys = keys;
        segments_solve(&main_segments, &s);
      }
}

#define P(a, t, v, l, s, g, b, o) \
  { GP_##a, t, v, l, s, g, b, o }
static const gp_policy STREAM_POLICIES[] = {P(LOOK_BACK, 128, 1, 0, 0, 0, 4, 2), P(LOOK_BACK, 256, 4, 1, 0, 0, 2, 0),
    P(LOOK_BACK, 512, 2, 2, 0, 0, 1, 1), P(LOOK_BACK, 384, 8, 0, 0, 0, 1, 0), P(PIPELINED, 128, 1, 0, 0, 2, 4, 0),
    P(PIPELINED, 256, 4, 0, 0, 3, 2, 1), P(PIPELINED, 512, 2, 0, 0, 2, 1, 2), P(PIPELINED, 384, 6, 0, 0, 4, 1, 0),
    P(ONE_CLUSTER, 256, 1, 0, 0, 0, 1, 0), P(ONE_CLUSTER, 128, 3, 0, 0, 0, 1, 2),
    P(WARP_SEGMENTS, 128, 1, 0, 0, 0, 8, 2), P(WARP_SEGMENTS, 512, 3, 1, 0, 0, 1, 0)}; // only segmented scans
static const gp_policy SEGMENTS_POLICIES[] = {P(MERGE_PATH, 128, 1, 0, 0, 0, 8, 2),
    P(MERGE_PATH, 256, 3, 1, 0, 0, 4, 0), P(MERGE_PATH, 512, 7, 0, 0, 0, 1, 1), P(MERGE_PATH, 256, 5, 2, 0, 0, 2, 0),
    P(PIPELINED, 768, 5, 0, 0, 3, 1, 0), P(PIPELINED, 128, 1, 0, 0, 2, 4, 2), // only segmented reduce from here on
    P(PIPELINED, 256, 7, 0, 0, 4, 1, 1), P(WARP_SEGMENTS, 128, 1, 0, 0, 0, 8, 2),
    P(WARP_SEGMENTS, 256, 3, 1, 0, 0, 4, 0), P(WARP_SEGMENTS, 512, 5, 0, 0, 0, 1, 0)};
enum { LOAD_BALANCE_POLICIES = 4 };
static const gp_policy HISTOGRAM_POLICIES[] = {P(SHARED_BINS, 256, 1, 0, 0, 0, 1, 2),
    P(SHARED_BINS, 512, 4, 1, 0, 0, 3, 0), P(SHARED_BINS, 1024, 8, 0, 0, 0, 2, 0),
    P(GLOBAL_BINS, 256, 2, 0, 0, 0, 4, 0), P(GLOBAL_BINS, 1024, 1, 2, 0, 0, 1, 1),
    P(ONE_CLUSTER, 256, 1, 0, 0, 0, 1, 0), P(ONE_CLUSTER, 1024, 4, 1, 0, 0, 1, 2)};
static const gp_policy FIND_POLICIES[] = {P(STEALING, 128, 1, 0, 0, 0, 1, 0), P(STEALING, 256, 2, 1, 0, 0, 4, 2),
    P(STEALING, 512, 4, 0, 0, 0, 2, 1), P(STEALING, 1024, 8, 2, 0, 0, 1, 0), P(ONE_BLOCK, 256, 1, 0, 0, 0, 1, 2)};
static const gp_policy BOUND_POLICIES[] = {P(DIRECT, 256, 1, 0, 0, 0, 4, 0), P(DIRECT, 512, 2, 1, 0, 0, 8, 2),
    P(DIRECT, 1024, 1, 0, 0, 0, 1, 1), P(TWO_PHASE, 256, 1, 0, 0, 0, 4, 2), P(TWO_PHASE, 512, 2, 2, 0, 0, 8, 0),
    P(TWO_PHASE, 1024, 1, 0, 0, 0, 1, 1)};
#undef P

static const gp_policy *policies_of(gp_primitive p, int *count) {
  if (p == GP_SEGMENTED_REDUCE) return *count = COUNT(SEGMENTS_POLICIES), SEGMENTS_POLICIES;
  if (p == GP_LOAD_BALANCE || p == GP_EXPAND || p == GP_RUN_LENGTH_EXPAND)
    return *count = LOAD_BALANCE_POLICIES, SEGMENTS_POLICIES;
  if (p == GP_HISTOGRAM_EVEN || p == GP_HISTOGRAM_RANGES) return *count = COUNT(HISTOGRAM_POLICIES), HISTOGRAM_POLICIES;
  if (p == GP_COUNT_IF || p == GP_CHECK_OFFSETS) return *count = COUNT(REDUCE_POLICIES), REDUCE_POLICIES;
  if (gp__family_of((int)p) == GP__FAMILY_FIND) return *count = COUNT(FIND_POLICIES), FIND_POLICIES;
  if (gp__is_bound((int)p)) return *count = COUNT(BOUND_POLICIES), BOUND_POLICIES;
  if (p == GP_ADJACENT_DIFFERENCE || p == GP_COPY_BATCH || p == GP_SCATTER || p == GP_GATHER || p == GP_REPLACE)
    return *count = COUNT(MAP_POLICIES), MAP_POLICIES;
  return *count = COUNT(STREAM_POLICIES), STREAM_POLICIES;
}

static void segments_policies(void) {
  static const uint64_t counts[] = {1, 1000, 33333, 700001};
  int i, k, q, count;
  if (!on_gpu) return;
  for (i = 0; i < EVERYWHERE; i++) {
    segments_case s = case_of(SEGMENT_CELLS[i], 1000);
    const gp_policy *policies = policies_of(s.c.primitive, &count);
    if (!has_type_wanted(&s.c)) continue;
    for (q = 0; q < count; q++) {
      if ((quick || sanitizer) && (q + i) % 3) continue;
      for (k = 0; k < (sanitizer ? 2 : COUNT(counts)); k++) {
        s = case_of(SEGMENT_CELLS[i], counts[k]);
        s.policy = &policies[q];
        if (out_of_time()) return;
        segments_solve(&main_segments, &s);
      }
    }
  }
}

// Several channels, some of them counted; weights.
static void segments_channels(void) {
  enum { PIXELS = 70001, BINS = 40 };
  static const struct {
    gp_type in, weight, counter;
    int channels, active;
  } rows[] = {{GP_U8, 0, GP_U32, 4, 3}, {GP_U16, 0, GP_U64, 3, 0}, {GP_F32, 0, GP_U32, 2, 1},
      {GP_U8, GP_U32, GP_U64, 1, 1}, {GP_F32, GP_U8, GP_U32, 1, 1}, {GP_U8, GP_F32, GP_F32, 4, 2},
      {GP_F32, GP_F64, GP_F64, 1, 1}, {GP_U32, GP_I32, GP_I32, 2, 2}, {GP_U8, 0, GP_I64, 2, 2}};
  const uint64_t n = sanitizer ? 3001 : PIXELS;
  char *in = device_new(n * 16), *weights = device_new(n * 8), *out = device_new(4 * BINS * 8);
  char *host_in = host_new(n * 16), *host_weights = host_new(n * 8), *want = host_new(4 * BINS * 8),
       *got = host_new(4 * BINS * 8);
  int i;
  for (i = 0; i < COUNT(rows); i++) {
    const type_row *t = find_type(gp_type_name(NULL, rows[i].in));
    const type_row *w = rows[i].weight ? find_type(gp_type_name(NULL, rows[i].weight)) : NULL;
    const int active = rows[i].active ? rows[i].active : rows[i].channels;
    const size_t bytes = (size_t)active * BINS * gp_type_size(NULL, rows[i].counter);
    unsigned char lower[4][16], upper[4][16], lowers[64], uppers[64];
    gp_call call = gp_call_init(GP_HISTOGRAM_EVEN);
    gp_result r;
    uint64_t k;
    int channel;
    for (k = 0; k < n * (uint64_t)rows[i].channels; k++)
      gp_data_element(t->number, t->size, 1, GP_DATA_UNIFORM, 0, 3, k, 1, host_in + k * (uint64_t)t->size);
    for (k = 0; w && k < n; k++) // with exact sums
      gp_data_element(w->number, w->size, 1, w->number > GP_DATA_UINT ? GP_DATA_SMALL : GP_DATA_UNIFORM, 0, 4, k, 1,
          host_weights + k * (uint64_t)w->size);
    for (channel = 0; channel < active; channel++) { // other ends for each
      cell_threshold(t, 0.05 * channel, lower[channel]);
      cell_threshold(t, 1 - 0.1 * channel, upper[channel]);
      memcpy(lowers + channel * t->size, lower[channel], (size_t)t->size);
      memcpy(uppers + channel * t->size, upper[channel], (size_t)t->size);
    }
    call.in_type = rows[i].in;
    call.in2_type = rows[i].weight;
    call.out_type = rows[i].counter;
    call.channels = rows[i].channels;
    call.active = rows[i].active;
    call.bins = BINS;
    call.count = n;
    call.lower = lowers;
    call.upper = uppers;
    call.in = host_in;
    call.in2 = w ? host_weights : NULL;
    call.out = want;
    r = gp_run(host, &call, NULL);
    if (r) fail("histogram, row %d: the host back end says %s: %s", i, gp_result_name(r), gp_last_message());
    upload(in, host_in, n * (uint64_t)(t->size * rows[i].channels));
    if (w) upload(weights, host_weights, n * (uint64_t)w->size);
    poison(out, bytes, NULL);
    wait_device();
    call.in = in;
    call.in2 = w ? weights : NULL;
    call.out = out;
    if (!r) r = gp_run(gpu, &call, NULL);
    wait_device();
    download(got, out, bytes);
    if (r) fail("histogram, row %d: %s: %s", i, gp_result_name(r), gp_last_message());
    else if (memcmp(got, want, bytes)) fail("histogram, row %d: other counters than the host's", i);
    else pass();
  }
  device_free(in);
  device_free(weights);
  device_free(out);
  free(host_in);
  free(host_weights);
  free(want);
  free(got);
}

// GP_CHECKED: the first bad offset is reported, and nothing is written; the next call works.
static void segments_checked(void) {
  static const char *const cells[] = {"segmented_reduce SUM u32 segments=fixed:5",
      "segmented_reduce SUM f32 segments=uniform:20 offsets=u64", "segmented_exclusive_scan SUM u32 segments=fixed:7",
      "segmented_inclusive_scan SUM u8 segments=mixed offsets=i64"};
  static const uint64_t counts[] = {40, 5000, 200003};
  uint64_t *device_bad = device_new(256);
  int i, k, way;
  for (i = 0; i < COUNT(cells); i++)
    for (k = 0; k < (sanitizer ? 2 : COUNT(counts)); k++)
      for (way = 0; way < 5; way++) { // decreases; beyond the count; the last one; the first one; all are right
        segments_case s = case_of(cells[i], counts[k]);
        segments_bench *b = &main_segments;
        const uint64_t at = way == 2 ? s.c.segments : way == 3 ? 0 : s.c.segments / 2 + 1;
        uint64_t bad = 0, want_bad = 0, wrong, bytes = cell_bytes(&s.c, ROLE_out, s.c.n), first;
        const int size = s.c.offsets->size;
        char text[600];
        gp_call call, on_host;
        gp_result r;
        if (out_of_time()) break;
        if (segments_expect(b, &s)) continue;
        s.flags = GP_CHECKED;
        if (way < 4) {
          memcpy(&wrong, "\0\0\0\0\0\0\0", 8);
          memcpy(&wrong, b->in[ROLE_begin] + at * (uint64_t)size, (size_t)size);
          wrong = way == 0 ? (wrong ? wrong - 1 : 0) : s.c.n + 1 + (uint64_t)way;
          if (way == 0) { // below the one before it
            first = 0;
            memcpy(&first, b->in[ROLE_begin] + (at - 1) * (uint64_t)size, (size_t)size);
            if (!first) continue;
            wrong = first - 1;
          }
          memcpy(b->in[ROLE_begin] + at * (uint64_t)size, &wrong, (size_t)size);
        }
        call = segments_place(b, &s);
        call.bad = device_bad;
        on_host = segments_call(&s, 0);
        cell_bind(&s.c, &on_host, ROLE_in, b->in[ROLE_in]);
        cell_bind(&s.c, &on_host, ROLE_begin, b->in[ROLE_begin]);
        memset(b->want[ROLE_out], 0xA5, bytes);
        cell_bind(&s.c, &on_host, ROLE_out, b->want[ROLE_out]);
        on_host.bad = &want_bad;
        r = gp_run(host, &on_host, NULL);
        if (!r) r = run_gpu(&call, b->stream);
        wait_stream(b->stream);
        download(&bad, device_bad, 8);
        if (r) fail("%s: %s: %s", tell(&s, text, sizeof text), gp_result_name(r), gp_last_message());
        else if (bad != want_bad || (way < 4) != (bad == at))
          fail("%s, way %d: the first bad offset is said to be %lld, by the host %lld, and it is %lld",
              tell(&s, text, sizeof text), way, (long long)bad, (long long)want_bad, way < 4 ? (long long)at : -1ll);
        else segments_compare(b, &s, " checked");
      }
  device_free(device_bad);
}

// Captured once, replayed over outputs poisoned before each.
static void cases_graph(const char *const *list, int cells) {
  static const uint64_t counts[] = {100, 300007};
  int i, k, replay;
  if (!on_gpu) return;
  for (i = 0; i < cells; i++)
    for (k = 0; k < (sanitizer ? 1 : COUNT(counts)); k++) {
      segments_case s = case_of(list[i], counts[k]);
      segments_bench *b = &main_segments;
      void *stream = new_stream(), *graph = NULL, *executable = NULL, *kept = b->stream;
      uint64_t bytes = 0;
      char text[600];
      gp_call call;
      gp_result r;
      if (out_of_time() || !has_type_wanted(&s.c)) {
        free_stream(stream);
        continue;
      }
      b->stream = stream;
      if (!segments_expect(b, &s)) {
        call = segments_place(b, &s);
        r = gp_prepare(gpu, &call);
        if (!r) r = gp_workspace_size(gpu, &call, &bytes);
        if (!r) r = gp_reserve(gpu, stream, bytes);
        wait_device();
        if (!r) {
          GP_CUDA_CHECK(&cuda, capture_begin(stream, GP_CUDA_CAPTURE_RELAXED));
          r = run_gpu(&call, stream);
          if (cuda.capture_end(stream, &graph) || !graph)
            fail("%s: the capture was broken off", tell(&s, text, sizeof text));
        }
        if (r) fail("%s, captured: %s: %s", tell(&s, text, sizeof text), gp_result_name(r), gp_last_message());
        else if (graph) {
          GP_CUDA_CHECK(&cuda, graph_instantiate(&executable, graph, 0));
          for (replay = 0; replay < 3; replay++) {
            segments_poison(b, &s);
            GP_CUDA_CHECK(&cuda, graph_launch(executable, stream));
            if (replay == 1) GP_CUDA_CHECK(&cuda, graph_launch(executable, stream)); // twice in a row
            if (segments_compare(b, &s, " in a graph")) break;
          }
          GP_CUDA_CHECK(&cuda, graph_exec_destroy(executable));
        }
      }
      if (graph) GP_CUDA_CHECK(&cuda, graph_destroy(graph));
      wait_device();
      free_stream(stream);
      b->stream = kept;
    }
}

// Sums that depend on the order of evaluation: equal bits in every call.
static void cases_bits(const char *const *list, int cells, const uint64_t *counts, int sizes) {
  void *other = new_stream();
  int i, k, run;
  for (i = 0; i < cells; i++)
    for (k = 0; k < (sanitizer ? 1 : sizes); k++) {
      segments_bench *b = &main_segments;
      segments_case s = case_of(list[i], counts[k]);
      const uint64_t bytes = cell_bytes(&s.c, ROLE_out, s.c.n);
      char text[600];
      gp_result r = GP_SUCCESS;
      int same = 1;
      if (out_of_time()) break;
      s.kind = GP_DATA_UNIFORM;
      if (segments_expect(b, &s)) continue;
      for (run = 0; run < 5 && !r; run++) {
        gp_call call = segments_place(b, &s);
        if (run & 1) { // other work on the machine
          gp_call noise = gp_call_init(GP_REDUCE);
          noise.op = GP_SUM;
          noise.in_type = noise.out_type = GP_U32;
          noise.in = b->device[ROLE_in] + GUARD;
          noise.count = cell_bytes(&s.c, ROLE_in, s.c.n) / 4;
          noise.out = b->device_count + 1;
          if (gp_type_size(NULL, GP_U32) != 4 || run_gpu(&noise, other)) fail("%s", gp_last_message());
        }
        r = run_gpu(&call, b->stream);
        wait_device();
        download(run ? b->got[ROLE_out] : b->want[ROLE_out], place_of(b, &s, ROLE_out), bytes);
        if (run && memcmp(b->got[ROLE_out], b->want[ROLE_out], bytes)) same = 0;
      }
      if (r) fail("%s: %s: %s", tell(&s, text, sizeof text), gp_result_name(r), gp_last_message());
      else if (!same) fail("%s: other bits from run to run", tell(&s, text, sizeof text));
      else pass();
    }
  wait_device();
  free_stream(other);
}

static void segments_bits(void) {
  static const char *const cells[] = {
      "segmented_reduce SUM f32 segments=fixed:1000",
      "segmented_reduce SUM f32 segments=mixed",
      "segmented_reduce SUM f64 segments=pareto:30",
      "segmented_reduce SUM f32 segments=fixed:100000 form=fixed",
      "segmented_inclusive_scan SUM f32 segments=mixed",
      "inclusive_scan_by_key SUM f32 runs=1024",
      "exclusive_scan_by_key SUM f64 runs=50 key=u8",
      "reduce_by_key SUM f32 runs=1024",
      "reduce_by_key SUM f16 out=f32 runs=100000 key=u8",
  };
  static const uint64_t counts[] = {1000, 100003, 4000037};
  cases_bits(cells, COUNT(cells), counts, COUNT(counts));
}

// Work on several streams at once; no wait until all are filled.
static void cases_streams(const char *const *list, int cells) {
  enum { STREAMS = 8, EACH = 8 };
  static segments_bench benches[STREAMS * EACH];
  static segments_case cases[STREAMS * EACH];
  static gp_call calls[STREAMS * EACH];
  void *streams[STREAMS];
  int i;
  for (i = 0; i < STREAMS; i++) streams[i] = i ? new_stream() : NULL; // the default stream too
  for (i = 0; i < STREAMS * EACH; i++) {
    const uint64_t h = gp_data_hash((uint64_t)i + 4242);
    cases[i] = case_of(list[i % cells], 1000 + h % (sanitizer ? 4000 : 300000));
    benches[i].stream = streams[i % STREAMS];
    if (segments_expect(&benches[i], &cases[i])) return;
    calls[i] = segments_place(&benches[i], &cases[i]);
    if (gp_prepare(gpu, &calls[i])) fail("%s", gp_last_message());
  }
  wait_device();
  for (i = 0; i < STREAMS * EACH; i++) {
    const gp_result r = run_gpu(&calls[i], benches[i].stream);
    char text[600];
    if (r)
      fail("%s beside other streams: %s: %s", tell(&cases[i], text, sizeof text), gp_result_name(r), gp_last_message());
  }
  for (i = 0; i < STREAMS * EACH; i++) segments_compare(&benches[i], &cases[i], " beside other streams");
  wait_device();
  for (i = 1; i < STREAMS; i++) free_stream(streams[i]);
}

// ---- the functions of >>api -----------------------------------------------------------------------------------------

// Every function, on both back ends; the outputs follow one another in one block.
enum { API_CALLS = 48, API_N = 5000, API_BLOCK = 1 << 16 };
static gp_result api_call(int which, gp_context *ctx, const uint32_t *x, const float *f, const uint8_t *flags,
    const uint32_t *offsets, char *out, const char **name) {
  enum { S = API_N / 50 };
  static const uint32_t ten = 10, zero = 0, hundred = 100, thousand = 1000;
  uint32_t *a = (uint32_t *)(void *)out, *b = a + API_N, *c = b + API_N;
  uint64_t *count = (uint64_t *)(void *)(c + API_N + API_N % 2);
  float *g = (float *)(void *)a;
  gp_segments by_offsets = gp_segments_init(GP_U32, offsets, S), by_ends = by_offsets, of_fifty = by_offsets;
  gp_call parts = gp_call_init(GP_PARTITION), heads = gp_call_init(GP_EXCLUSIVE_SCAN_BY_KEY);
  by_ends.end = offsets + 1;
  of_fifty = gp_segments_init(0, NULL, S), of_fifty.length = 50;
  parts.op = GP_LESS, parts.predicate2 = GP_EQUAL, parts.scalar = parts.scalar2 = &ten;
  parts.in_type = GP_U32, parts.in = x, parts.out = a, parts.out2 = b, parts.out3 = c;
  parts.out_count = count, parts.count = API_N;
  heads.op = GP_SUM, heads.equal = GP_HEADS, heads.init = &ten, heads.key_type = GP_U8, heads.in_type = GP_U32;
  heads.keys = flags, heads.in = x, heads.out = a, heads.count = API_N;
#define CALL(...) return *name = #__VA_ARGS__, __VA_ARGS__
  switch (which) {
  case 0: CALL(gp_segmented_reduce(ctx, GP_SUM, GP_F32, GP_F32, f, API_N, &by_offsets, g, NULL));
  case 1: CALL(gp_segmented_reduce(ctx, GP_MAX, GP_U32, GP_U32, x, API_N, &by_ends, a, NULL));
  case 2: CALL(gp_segmented_reduce(ctx, GP_SUM, GP_U32, GP_U64, x, API_N, &of_fifty, count, NULL));
  case 3: CALL(gp_segmented_inclusive_scan(ctx, GP_SUM, GP_U32, GP_U32, x, API_N, &by_offsets, a, NULL));
  case 4: CALL(gp_segmented_exclusive_scan(ctx, GP_SUM, GP_U32, GP_U32, &ten, x, API_N, &by_offsets, a, NULL));
  case 5: CALL(gp_inclusive_scan_by_key(ctx, GP_SUM, GP_U32, GP_F32, x, f, API_N, g, NULL));
  case 6: CALL(gp_run(ctx, &heads, NULL));
  case 7: CALL(gp_reduce_by_key(ctx, GP_MIN, GP_U32, GP_F32, x, f, API_N, b, g, count, NULL));
  case 8: CALL(gp_run_length_encode(ctx, GP_U32, GP_U32, x, API_N, a, b, count, NULL));
  case 9: CALL(gp_nontrivial_runs(ctx, GP_U32, GP_U32, x, API_N, a, b, count, NULL));
  case 10: CALL(gp_count_runs(ctx, GP_U32, x, API_N, count, NULL));
  case 11: CALL(gp_unique(ctx, GP_U32, x, API_N, a, count, NULL));
  case 12: CALL(gp_unique_by_key(ctx, GP_U32, GP_F32, x, f, API_N, a, b, count, NULL));
  case 13: CALL(gp_adjacent_difference(ctx, GP_SUB, GP_U32, GP_U32, x, API_N, a, NULL));
  case 14: CALL(gp_select_if(ctx, GP_GREATER, GP_U32, &ten, x, API_N, a, count, NULL));
  case 15: CALL(gp_select_flags(ctx, GP_F32, GP_U8, f, flags, API_N, a, count, NULL));
  case 16: CALL(gp_partition(ctx, GP_LESS_EQUAL, GP_U32, &ten, x, API_N, a, b, count, NULL));
  case 17: CALL(gp_partition_flags(ctx, GP_U32, GP_U8, x, flags, API_N, a, b, count, NULL));
  case 18: CALL(gp_run(ctx, &parts, NULL));
  case 19: CALL(gp_count_if(ctx, GP_NOT_EQUAL, GP_U32, &ten, x, API_N, count, NULL));
  case 20: CALL(gp_any(ctx, GP_EQUAL, GP_U32, &ten, x, API_N, (uint8_t *)out, NULL));
  case 21: CALL(gp_all(ctx, GP_GREATER_EQUAL, GP_U32, &ten, x, API_N, (uint8_t *)out, NULL));
  case 22: CALL(gp_histogram_even(ctx, GP_U32, GP_U32, &zero, &hundred, x, API_N, a, 20, NULL));
  case 23: CALL(gp_histogram_ranges(ctx, GP_U32, GP_U64, x, API_N, offsets, S, count, NULL));
  case 24: CALL(gp_lower_bound(ctx, 0, GP_U32, GP_U32, offsets, S, x, API_N, a, NULL));
  case 25: CALL(gp_upper_bound(ctx, GP_LESS, GP_U32, GP_U64, offsets, S, x, API_N / 4, count, NULL));
  case 26: CALL(gp_load_balance(ctx, GP_U32, GP_U32, offsets, S, a, API_N, NULL));
  case 27: CALL(gp_check_offsets(ctx, GP_U32, offsets, S, API_N - 1, count, NULL)); // the last one is beyond
  case 28: CALL(gp_find_if(ctx, GP_EQUAL, GP_U32, &ten, x, API_N, count, NULL));
  case 29: CALL(gp_mismatch(ctx, 0, GP_U32, x, x + 1, API_N - 1, count, NULL));
  case 30: CALL(gp_equal_arrays(ctx, GP_EQUAL, GP_F32, f, f + 9, API_N - 9, (uint8_t *)out, NULL));
  case 31: CALL(gp_expand(ctx, GP_F32, GP_U32, f, offsets, S, g, API_N, NULL));
  case 32: // offsets as lengths: more elements than there is room for
    CALL(gp_run_length_expand(ctx, GP_U32, GP_U32, x, offsets, 20, a, API_N, count, NULL));
  case 33: // offsets differ
    CALL(gp_scatter(ctx, GP_F32, GP_U32, f, offsets, S, g, API_N, NULL));
  case 34: // the last ones have no place
    CALL(gp_scatter_flags(ctx, GP_U32, GP_U32, GP_U8, x, offsets, flags, S, a, 4000, NULL));
  case 35: CALL(gp_gather(ctx, GP_F32, GP_U32, f, 20, x, API_N, g, NULL));
  case 36: CALL(gp_gather_flags(ctx, GP_U32, GP_U32, GP_U8, offsets, S, x, flags, API_N, a, NULL));
  case 37: CALL(gp_transform_if(ctx, GP_SQUARE, GP_LESS, GP_U32, GP_F32, &ten, x, API_N, g, NULL));
  case 38: CALL(gp_replace_if(ctx, GP_GREATER, GP_U32, &ten, &zero, x, API_N, a, NULL));
  case 39:
    CALL(gp_copy(ctx, GP_U32, x, API_N, a, NULL) ? GP_E_DRIVER : gp_swap(ctx, GP_U32, a, b + 1, API_N - 1, NULL));
  case 40: CALL(gp_copy(ctx, GP_U32, x, API_N, a, NULL) ? GP_E_DRIVER : gp_rotate(ctx, GP_U32, a, API_N, 1001, NULL));
  case 41:
    CALL(gp_copy(ctx, GP_F32, f, API_N, g, NULL) ? GP_E_DRIVER : gp_shift(ctx, GP_F32, g, API_N, 77, GP_RIGHT, NULL));
  case 42: CALL(gp_lexicographic(ctx, GP_GREATER, GP_F32, f, API_N - 9, f + 9, API_N - 9, (int32_t *)out, NULL));
  case 43: CALL(gp_is_partitioned(ctx, GP_LESS, GP_U32, &ten, x, API_N, (uint8_t *)out, NULL));
  case 44: CALL(gp_partition_point(ctx, GP_LESS, GP_U32, &thousand, offsets, S, count, NULL));
  case 45: CALL(gp_reduce(ctx, GP_MINMAX, GP_F32, GP_F32, f, API_N, g, NULL));
  case 46: CALL(gp_reduce(ctx, GP_ARGMINMAX, GP_U32, GP_I32, x, API_N, out, NULL));
  default: CALL(gp_adjacent_find(ctx, GP_NOT_EQUAL, GP_U32, x, API_N, count, NULL));
  }
#undef CALL
}

static void segments_api(void) {
  static uint32_t x[API_N], offsets[API_N / 50 + 1];
  static float f[API_N];
  static uint8_t flags[API_N];
  static char want[2 * API_BLOCK], got[2 * API_BLOCK];
  char *device_x = device_new(sizeof x), *device_f = device_new(sizeof f), *device_flags = device_new(sizeof flags);
  char *device_offsets = device_new(sizeof offsets), *out = device_new(sizeof got), *host_out = host_new(sizeof want);
  int i;
  for (i = 0; i < API_N; i++) {
    x[i] = (uint32_t)(gp_data_hash((uint64_t)i / 3) % 23);
    f[i] = (float)(i % 9) - 4;
    flags[i] = gp_data_hash((uint64_t)i) % 4 == 0;
  }
  for (i = 0; i <= API_N / 50; i++) offsets[i] = (uint32_t)(50 * i - (i > 0 && i < API_N / 50 ? i % 20 : 0));
  upload(device_x, x, sizeof x);
  upload(device_f, f, sizeof f);
  upload(device_flags, flags, sizeof flags);
  upload(device_offsets, offsets, sizeof offsets);
  for (i = 0; i < API_CALLS; i++) {
    const char *name = "";
    gp_result r;
    memset(host_out, 0xA5, sizeof want);
    poison(out, sizeof got, NULL);
    wait_device();
    r = api_call(i, host, x, f, flags, offsets, host_out, &name);
    if (r) fail("%.40s ... on the host: %s: %s", name, gp_result_name(r), gp_last_message());
    r = api_call(i, gpu, (uint32_t *)(void *)device_x, (float *)(void *)device_f, (uint8_t *)device_flags,
        (uint32_t *)(void *)device_offsets, out, &name);
    wait_device();
    download(got, out, sizeof got);
    memcpy(want, host_out, sizeof want);
    if (r) fail("%.40s ...: %s: %s", name, gp_result_name(r), gp_last_message());
    else if (memcmp(got, want, sizeof got)) fail("%.60s ...: other results than the host's", name);
    else pass();
  }
  device_free(device_x);
  device_free(device_f);
  device_free(device_flags);
  device_free(device_offsets);
  device_free(out);
  free(host_out);
}

// ---- past 2^32 ------------------------------------------------------------------------------------------------------

static uint64_t sum_of_bytes(uint64_t n) { return n / 256 * 32640 + (n % 256) * (n % 256 ? n % 256 - 1 : 0) / 2; }

static void segments_big(void) {
  const uint64_t n = (1ull << 32) + 3;
  const uint64_t offsets[] = {0, 5, 5, (1ull << 31) + 1, (1ull << 32) - 1, (1ull << 32) + 1, n};
  enum { SEGMENTS = COUNT(offsets) - 1, WINDOW = 1 << 16 };
  static unsigned char window[WINDOW];
  const unsigned char half = 128;
  uint64_t sums[SEGMENTS], counted = 0, windows[4], at, i;
  size_t room = 0, total = 0;
  unsigned char *in, *out;
  uint64_t *words;
  gp_segments segments;
  gp_result r;
  int k;
  if (!on_gpu || sanitizer || !full) return;
  GP_CUDA_CHECK(&cuda, memory_info(&room, &total));
  if (room < 2 * n + (1u << 30)) {
    printf("skipped: segments past 2^32 need 9 GiB of device memory\n");
    skipped++;
    return;
  }
  in = device_new(n);
  out = device_new(n);
  words = device_new(1024);
  r = gp_iota(gpu, GP_U8, NULL, NULL, in, n, NULL);
  if (!r) r = gp_select_if(gpu, GP_LESS, GP_U8, &half, in, n, out, words, NULL);
  wait_device();
  download(&counted, words, 8);
  if (r) fail("select of 2^32 + 3 bytes: %s", gp_last_message());
  else if (counted != (1ull << 31) + 3) fail("select of 2^32 + 3 bytes: %llu selected", (unsigned long long)counted);
  else pass();
  windows[0] = 0, windows[1] = 1ull << 30, windows[2] = (1ull << 31) - WINDOW / 2, windows[3] = counted - WINDOW;
  for (k = 0; k < 4 && !r && counted == (1ull << 31) + 3; k++) {
    at = windows[k];
    if (at + WINDOW > counted) at = counted - WINDOW;
    download(window, out + at, WINDOW);
    for (i = 0; i < WINDOW && window[i] == (at + i) % 128; i++) continue;
    if (i < WINDOW) fail("select of 2^32 + 3 bytes: element %llu is %d", (unsigned long long)(at + i), window[i]);
    else pass();
  }
  upload(words + 16, offsets, sizeof offsets);
  poison(words, 128, NULL);
  segments = gp_segments_init(GP_U64, words + 16, SEGMENTS);
  r = gp_segmented_reduce(gpu, GP_SUM, GP_U8, GP_U64, in, n, &segments, words, NULL);
  wait_device();
  download(sums, words, sizeof sums);
  for (k = 0; k < SEGMENTS; k++) {
    const uint64_t want = sum_of_bytes(offsets[k + 1]) - sum_of_bytes(offsets[k]);
    if (r) fail("segmented reduce of 2^32 + 3 bytes: %s", gp_last_message());
    else if (sums[k] != want)
      fail("segmented reduce of 2^32 + 3 bytes: segment %d is %llu, not %llu", k, (unsigned long long)sums[k],
          (unsigned long long)want);
    else pass();
  }
  device_free(in);
  device_free(out);
  device_free(words);
}

static void group_segments(void) {
  main_segments.stream = main_bench.stream;
  segments_api();
  segments_checked();
  segments_channels();
  segments_keys();
  segments_reproducible();
  segments_fields();
  cases_graph(SEGMENT_CELLS, EVERYWHERE);
  segments_bits();
  cases_streams(SEGMENT_CELLS, EVERYWHERE);
  segments_policies();
  segments_big();
  cases_sizes(SEGMENT_CELLS, quick || sanitizer ? EVERYWHERE : COUNT(SEGMENT_CELLS));
}

#endif
