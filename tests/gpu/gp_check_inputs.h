// gp_check_inputs.h - gp_check's group "inputs": each kind of described input, and nested ones, of every type, read by
// copy, transform2, reduce, count_if, a scan, selections by flags and by a stencil, unique, a search of u32 and, of
// integers, reductions by key and by segments and a histogram, and by sorts of numbers, against the host back end;
// folds of floats are reproducible ones.

enum { INPUT_KINDS = 9, INPUT_MOST = 1000003, COMPACTED = INPUT_MOST * 32, OUT_KEYS = COMPACTED + 4096 };
// COMPACTED: where counts go
typedef struct input_arrays { // INPUT_MOST elements, twice as many of `values`
  char *values, *more;
  int *index;
  int64_t *long_index;
  unsigned char *flags; // also keys
  uint32_t *offsets; // of segments
} input_arrays;
// The parts of a description; the last one is the whole.
typedef struct input_parts {
  gp_input part[8];
} input_parts;

static const gp_input *input_of(
    int kind, const check_type *t, int for_gpu, const input_arrays *a, uint64_t n, input_parts *p) {
  static const int64_t backwards = -1;
  static uint64_t start[2]; // a small number of any type
  static int64_t last;
  gp_input *q = p->part;
  const gp_type type = for_gpu ? t->handle : t->host_handle;
  last = n ? (int64_t)n - 1 : 0;
  q[0] = gp_input_array(type, a->values);
  switch (kind) {
  case 0: return &q[0];
  case 1: return q[1] = gp_input_constant(type, start), &q[1];
  case 2: return q[1] = gp_input_ramp(type, NULL, NULL), &q[1];
  case 3: return q[1] = gp_input_strided(type, a->values + t->size, 2), &q[1];
  case 4: return q[1] = gp_input_strided(type, a->values + (n ? n - 1 : 0) * (uint64_t)t->size, -1), &q[1];
  case 5: // at random
    q[1] = gp_input_array(GP_I32, a->index);
    return q[2] = gp_input_gathered(&q[0], &q[1]), &q[2];
  case 6: // from the end, by a ramp of indices
    q[1] = gp_input_ramp(GP_I64, &last, &backwards);
    return q[2] = gp_input_gathered(&q[0], &q[1]), &q[2];
  case 7: // the lesser of an array and a gathered one
    q[1] = gp_input_array(type, a->more);
    q[2] = gp_input_array(GP_I64, a->long_index);
    q[3] = gp_input_gathered(&q[1], &q[2]);
    return q[4] = gp_input_of_two(GP_MIN, type, &q[0], &q[3]), &q[4];
  default: // of one that is of two, of other types
    q[1] = gp_input_array(GP_I32, a->index);
    q[2] = gp_input_of_two(GP_MAX, GP_I32, &q[1], &q[0]);
    return q[3] = gp_input_of_one(GP_ABS, type, &q[2]), &q[3];
  }
}
static void solve_inputs(const check_type *t, int kind, gp_primitive primitive, uint64_t n, const input_arrays *there,
    const input_arrays *here, char *out, char *got, char *want) {
  input_parts parts, host_parts;
  gp_call c = gp_call_init(primitive), h;
  const int counts = primitive == GP_COUNT_IF, folds = primitive == GP_REDUCE || primitive == GP_INCLUSIVE_SCAN;
  const int keyed = primitive == GP_REDUCE_BY_KEY, stencil = primitive == GP_SELECT && kind % 2;
  const int compacts = primitive == GP_SELECT || primitive == GP_UNIQUE || keyed;
  static const unsigned char two = 2;
  const int binned = primitive == GP_HISTOGRAM_EVEN, searches = primitive == GP_LOWER_BOUND;
  const uint64_t segments = n / 7 + 1, results = primitive == GP_SEGMENTED_REDUCE ? segments : n;
  uint64_t bytes = counts ? 8
      : binned ? 64 * 4
      : searches ? n * 4
      : (primitive == GP_REDUCE ? 1 : results) * (uint64_t)t->size;
  uint64_t scalar[2] = {0, 0};
  gp_result r;
  c.in_type = GP_INPUT;
  c.count = n;
  c.op = counts ? GP_LESS_EQUAL
      : folds || keyed || primitive == GP_SEGMENTED_REDUCE ? GP_SUM
      : primitive == GP_TRANSFORM2 ? GP_MAX
      : stencil ? GP_LESS
      : GP_OP_DEFAULT;
  c.flags = folds ? GP_REPRODUCIBLE : 0;
  if (kind % 2 && (folds || keyed || primitive == GP_SEGMENTED_REDUCE)) c.apply = GP_SQUARE; // of the results
  if (counts) c.scalar = scalar;
  if (stencil) c.scalar = &two;
  if (primitive == GP_TRANSFORM2) c.in2_type = t->handle;
  h = c;
  c.in = input_of(kind, t, 1, there, n, &parts);
  h.in = input_of(kind, t, 0, here, n, &host_parts);
  if (primitive == GP_TRANSFORM2) c.in2 = there->more, h.in2 = here->more, h.in2_type = t->host_handle;
  if (counts) c.out_count = (uint64_t *)(uintptr_t)out, h.out_count = (uint64_t *)(uintptr_t)want;
  else c.out = out, h.out = want, c.out_type = t->handle, h.out_type = t->host_handle;
  if (compacts) {
    c.key_type = h.key_type = GP_U8;
    c.keys = there->flags, h.keys = here->flags;
    c.out_count = (uint64_t *)(uintptr_t)(out + COMPACTED), h.out_count = (uint64_t *)(uintptr_t)(want + COMPACTED);
  }
  if (binned || searches) c.out_type = h.out_type = GP_U32;
  if (binned) c.bins = h.bins = 64;
  if (searches) {
    c.keys = there->offsets, h.keys = here->offsets;
    c.key_count = h.key_count = segments + 1;
  }
  if (primitive == GP_UNIQUE) c.out_keys = out + OUT_KEYS, h.out_keys = want + OUT_KEYS;
  if (primitive == GP_SEGMENTED_REDUCE) {
    c.offset_type = h.offset_type = GP_U32;
    c.segments = h.segments = segments;
    c.begin = there->offsets, h.begin = here->offsets;
  }
  poison(out, bytes + 256, main_bench.stream);
  r = gp_run(host, &h, NULL);
  if (r == GP_SUCCESS) r = run_gpu(&c, main_bench.stream);
  if (r != GP_SUCCESS) {
    fail("%s of %s, kind %d, n=%llu: %s", PRIMITIVE_NAMES[primitive], t->name, kind, (unsigned long long)n,
        gp_last_message());
    return;
  }
  wait_stream(main_bench.stream);
  if (compacts) {
    download(got + COMPACTED, out + COMPACTED, 8);
    if (memcmp(got + COMPACTED, want + COMPACTED, 8)) {
      fail("%s of %s, kind %d, n=%llu: the count", PRIMITIVE_NAMES[primitive], t->name, kind, (unsigned long long)n);
      return;
    }
    memcpy(&bytes, want + COMPACTED, 8);
    bytes *= (uint64_t)t->size;
  }
  download(got, out, bytes + 256);
  if (memcmp(got, want, bytes) || (unsigned char)got[bytes] != 0xA5 || (unsigned char)got[bytes + 255] != 0xA5)
    fail("%s of %s, kind %d, n=%llu", PRIMITIVE_NAMES[primitive], t->name, kind, (unsigned long long)n);
  else pass();
}
// A sort of described keys, with their indices.
static void solve_described_sort(const check_type *t, int kind, uint64_t n, const input_arrays *there,
    const input_arrays *here, char *out, char *got, char *want) {
  const uint64_t keys = n * (uint64_t)t->size, indices = (uint64_t)INPUT_MOST * 16;
  input_parts parts, host_parts;
  gp_call c = gp_call_init(GP_SORT), h;
  gp_result r;
  c.key_type = GP_INPUT;
  c.out_type = GP_U32;
  c.count = n;
  c.flags = kind % 2 ? GP_DESCENDING : 0;
  h = c;
  c.keys = input_of(kind, t, 1, there, n, &parts), c.out_keys = out, c.out = out + indices;
  h.keys = input_of(kind, t, 0, here, n, &host_parts), h.out_keys = want, h.out = want + indices;
  poison(out, keys + 256, main_bench.stream);
  poison(out + indices, n * 4 + 256, main_bench.stream);
  r = gp_run(host, &h, NULL);
  if (r == GP_SUCCESS) r = run_gpu(&c, main_bench.stream);
  wait_stream(main_bench.stream);
  if (r == GP_SUCCESS) download(got, out, keys + 256), download(got + indices, out + indices, n * 4 + 256);
  if (r != GP_SUCCESS)
    fail("sort of described %s, kind %d, n=%llu: %s", t->name, kind, (unsigned long long)n, gp_last_message());
  else if (memcmp(got, want, keys) || memcmp(got + indices, want + indices, n * 4) ||
      (unsigned char)got[keys] != 0xA5 || (unsigned char)got[indices + n * 4 + 255] != 0xA5)
    fail("sort of described %s, kind %d, n=%llu", t->name, kind, (unsigned long long)n);
  else pass();
}
static void group_inputs(void) {
  static const gp_primitive CALLS[] = {GP_COPY, GP_TRANSFORM2, GP_REDUCE, GP_COUNT_IF, GP_INCLUSIVE_SCAN, GP_SELECT,
      GP_UNIQUE, GP_REDUCE_BY_KEY, GP_SEGMENTED_REDUCE, GP_HISTOGRAM_EVEN, GP_LOWER_BOUND};
  const uint64_t most = 2 * (uint64_t)INPUT_MOST * 16;
  input_arrays there = {device_new(most), device_new(most), device_new(INPUT_MOST * 4), device_new(INPUT_MOST * 8),
      device_new(INPUT_MOST), device_new(INPUT_MOST * 4)};
  input_arrays here = {host_new(most), host_new(most), host_new(INPUT_MOST * 4), host_new(INPUT_MOST * 8),
      host_new(INPUT_MOST), host_new(INPUT_MOST * 4)};
  const uint64_t room = OUT_KEYS + INPUT_MOST;
  char *out = device_new(room), *got = host_new(room), *want = host_new(room);
  int t, k, s, i, count;
  const uint64_t *list = sizes(&count);
  uint64_t seed = 7, j;
  for (t = 0; t < TYPE_COUNT && !out_of_time(); ++t) {
    const check_type *type = &TYPES[t];
    const int number = t < SCALAR_COUNT;
    if (!type_wanted[t]) continue;
    make_data(type, number && is_float(type) ? EXACT : UNIFORM, 31 + (uint64_t)t, here.values, 2 * INPUT_MOST);
    make_data(type, number && is_float(type) ? EXACT : UNIFORM, 77 + (uint64_t)t, here.more, INPUT_MOST);
    upload(there.values, here.values, 2 * (uint64_t)INPUT_MOST * (uint64_t)type->size);
    upload(there.more, here.more, (uint64_t)INPUT_MOST * (uint64_t)type->size);
    for (s = 0; s < count; ++s) {
      const uint64_t n = list[s];
      for (j = 0; j < n; ++j) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        here.index[j] = (int)((seed >> 33) % n);
        here.long_index[j] = (int64_t)(n - 1 - j / 2);
        here.flags[j] = (unsigned char)(seed >> 61 ? 0 : j / 1000 % 3 + 1);
      }
      for (j = 0; j <= n / 7; ++j) here.offsets[j] = (uint32_t)(j * 7 + j % 3 < n ? j * 7 + j % 3 : n);
      here.offsets[n / 7 + 1] = (uint32_t)n;
      upload(there.offsets, here.offsets, (n / 7 + 2) * 4);
      upload(there.flags, here.flags, n);
      upload(there.index, here.index, n * 4);
      upload(there.long_index, here.long_index, n * 8);
      for (k = 0; k < INPUT_KINDS && number; ++k)
        if (!out_of_time() && !(is_float(type) && k > 6 && type->size < 4) && (!quick || (k + s + t) % 3 == 0))
          solve_described_sort(type, k, n, &there, &here, out, got, want);
      for (k = 0; k < INPUT_KINDS; ++k)
        for (i = 0; i < COUNT(CALLS); ++i) {
          if (out_of_time()) break;
          if (!number && (i || k == 2 || k > 6)) continue; // structs are moved
          if (is_float(type) && number && k > 6 && type->size < 4) continue; // NaNs of conversions
          if ((CALLS[i] == GP_REDUCE_BY_KEY || CALLS[i] == GP_SEGMENTED_REDUCE || CALLS[i] == GP_HISTOGRAM_EVEN) &&
              is_float(type))
            continue;
          if (CALLS[i] == GP_LOWER_BOUND && type->handle != GP_U32) continue; // offsets are its sorted array
          if (quick && (i + k + s + t) % 3) continue;
          solve_inputs(type, k, CALLS[i], n, &there, &here, out, got, want);
        }
    }
  }
  device_free(there.values), device_free(there.more), device_free(there.index), device_free(there.long_index);
  device_free(there.flags), free(here.flags);
  device_free(there.offsets), free(here.offsets);
  free(here.values), free(here.more), free(here.index), free(here.long_index);
  device_free(out), free(got), free(want);
}
