// gp_check_hash.h - gp_check's group "hash": groups with several aggregates of several columns or of one, distinct
// elements and joins of keys of every type, of keys that are all the same, all different, Zipf's and in between,
// against the host back end, bit by bit.

enum { HASH_MOST = 1 << 20, HASH_BLOCK = HASH_MOST * 16 + 512, HASH_OUTS = 10 };
typedef struct hash_side {
  char *keys, *build, *column, *out[HASH_OUTS]; // column: HASH_MOST f64, also taken for others
} hash_side;

// The call number `which` on one side.
static gp_call hash_call(
    int which, const hash_side *side, gp_type type, uint64_t n, uint64_t builds, gp_aggregate *list) {
  static const struct {
    gp_aggregate_op op;
    gp_type type, out;
  } OF[] = {{GP_AGGREGATE_SUM, GP_F64, GP_F64}, {GP_AGGREGATE_MEAN, GP_F32, GP_F32}, {GP_AGGREGATE_MIN, GP_F16, GP_F16},
      {GP_AGGREGATE_MAX, GP_I32, GP_I32}, {GP_AGGREGATE_ARGMIN, GP_F64, GP_I64}, {GP_AGGREGATE_ARGMAX, GP_U8, GP_U32},
      {GP_AGGREGATE_SUM, GP_I16, GP_U64}, {GP_AGGREGATE_MEAN, GP_I64, GP_F64}};
  const int one_column = which >= 9; // 9: of 8 bytes; 10: of 4
  gp_call c = gp_call_init(which < 2 || one_column ? GP_GROUP_BY_MANY : which < 4 ? GP_DISTINCT : GP_JOIN);
  int i;
  c.key_type = type;
  c.keys = side->keys;
  c.count = n;
  c.out_count = (uint64_t *)(uintptr_t)side->out[HASH_OUTS - 1];
  if (which < 4 || one_column) c.out_keys = which == 3 ? NULL : side->out[8]; // 3: only a count
  if (one_column) {
    const gp_type wide = which == 9 ? GP_F64 : GP_F32;
    const gp_aggregate few[] = {{GP_AGGREGATE_SUM, wide, side->column, side->out[0], GP_F64},
        {GP_AGGREGATE_MAX, wide, side->column, side->out[1], wide},
        {GP_AGGREGATE_COUNT, GP_TYPE_DEFAULT, NULL, side->out[2], GP_U64},
        {GP_AGGREGATE_MEAN, wide, side->column, side->out[3], GP_F32}};
    memcpy(list, few, sizeof few);
    c.aggregates = list;
    c.aggregate_count = COUNT(few);
    return c;
  }
  if (which < 2) {
    for (i = 0; i < 8; i++) {
      const gp_aggregate one = {OF[i].op, OF[i].type, side->column, side->out[i], OF[i].out};
      list[i] = one;
    }
    if (which == 1) c.capacity = n / 3 + 1;
    c.aggregates = list;
    c.aggregate_count = 8;
  }
  if (which < 4) return c;
  c.keys2 = side->build;
  c.count2 = builds;
  c.join = (gp_join_kind)(GP_JOIN_INNER + which - 4);
  c.out = side->out[0];
  if (c.join == GP_JOIN_FLAGS) c.out_count = NULL;
  else c.out_type = which % 2 ? GP_U32 : GP_I64, c.capacity = n + n / 2 + 7;
  if (c.join <= GP_JOIN_LEFT) c.out2 = side->out[1];
  return c;
}
static void group_hash(void) {
  enum { CALLS = 11 };
  static const uint64_t DIFFERENT[] = {1, 3, 900, 100000, 0};
  hash_side there, here, got;
  gp_aggregate list[2][8];
  int t, s, d, w, i, count;
  const uint64_t *list_of_sizes = sizes(&count);
  uint64_t j;
  there.keys = device_new(HASH_BLOCK), there.build = device_new(HASH_BLOCK), there.column = device_new(HASH_BLOCK);
  here.keys = host_new(HASH_BLOCK), here.build = host_new(HASH_BLOCK), here.column = host_new(HASH_BLOCK);
  for (i = 0; i < HASH_OUTS; i++) {
    there.out[i] = device_new(HASH_BLOCK);
    here.out[i] = host_new(HASH_BLOCK), got.out[i] = host_new(HASH_BLOCK);
  }
  make_data(type_named("f32"), TIES, 5, here.column, HASH_MOST / 2); // the first half as other types: any bits
  make_data(type_named("f64"), UNIFORM, 6, here.column + HASH_MOST * 4, HASH_MOST / 2);
  upload(there.column, here.column, HASH_MOST * 8);
  for (t = 0; t < TYPE_COUNT && !out_of_time(); t++) {
    const check_type *type = &TYPES[t];
    const uint64_t size = (uint64_t)type->size;
    char *few = host_new(100000 * size + 1);
    if (!type_wanted[t]) {
      free(few);
      continue;
    }
    make_data(type, t < SCALAR_COUNT && !is_float(type) ? EDGES : UNIFORM, 9, few, 100000);
    for (s = 0; s < count; s++)
      for (d = 0; d < COUNT(DIFFERENT) && !out_of_time(); d++) {
        const uint64_t n = list_of_sizes[s] < HASH_MOST ? list_of_sizes[s] : HASH_MOST;
        const uint64_t bytes = 16 * n + 512;
        uint64_t builds = DIFFERENT[d] && DIFFERENT[d] < 1000 ? n / 997 + 1 : n / 2;
        if (quick && (s + 3 * d + 5 * t) % 13) continue;
        if (!n) builds = 0;
        if (DIFFERENT[d]) {
          for (j = 0; j < n; j++) {
            const uint64_t h = gp_data_hash(j + 77 * (uint64_t)s);
            const uint64_t zipf = DIFFERENT[d] / (1 + (h >> 8) % DIFFERENT[d]); // every second size
            memcpy(here.keys + j * size, few + (s % 2 ? zipf : h) % DIFFERENT[d] * size, size);
            memcpy(here.build + j * size, few + (h >> 30) % DIFFERENT[d] * size, size);
          }
        } else make_data(type, UNIFORM, 11, here.keys, n), memcpy(here.build, here.keys, n * size);
        upload(there.keys, here.keys, n * size);
        upload(there.build, here.build, n * size);
        for (w = 0; w < CALLS; w++) {
          gp_call c = hash_call(w, &there, type->handle, n, builds, list[0]);
          const gp_call h = hash_call(w, &here, type->host_handle, n, builds, list[1]);
          gp_result r;
          int wrong = -1;
          for (i = 0; i < HASH_OUTS; i++) {
            poison(there.out[i], bytes, main_bench.stream);
            memset(here.out[i], 0xA5, bytes);
          }
          r = gp_run(host, &h, NULL);
          if (r == GP_SUCCESS) r = run_gpu(&c, main_bench.stream);
          if (r != GP_SUCCESS) {
            fail("call %d of %s keys, n=%llu: %s", w, type->name, (unsigned long long)n, gp_last_message());
            continue;
          }
          wait_stream(main_bench.stream);
          for (i = 0; i < HASH_OUTS; i++) {
            download(got.out[i], there.out[i], bytes);
            if (memcmp(got.out[i], here.out[i], bytes)) wrong = i;
          }
          if (wrong >= 0)
            fail("call %d of %s keys, n=%llu, %llu different: output %d", w, type->name, (unsigned long long)n,
                (unsigned long long)DIFFERENT[d], wrong);
          else pass();
        }
      }
    free(few);
  }
  device_free(there.keys), device_free(there.build), device_free(there.column);
  free(here.keys), free(here.build), free(here.column);
  for (i = 0; i < HASH_OUTS; i++) device_free(there.out[i]), free(here.out[i]), free(got.out[i]);
}
