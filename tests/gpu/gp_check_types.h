// gp_check_types.h - gp_check's group "elements": the element types that TYPES lacks (docs/types.md), in calls of each
// family with each operator, against the host back end: the same bytes, or the same error.

enum { ELEMENTS_MOST = 300007 };
// Random numbers of which many are equal, small, or differ in their high or low bits alone; complex ones and
// floats of a byte are small and whole, so that sums are exact.
static int is_complex_type(gp_type type) { return type == GP_C32 || type == GP_C64; }
static void make_elements(gp_type type, uint64_t seed, unsigned char *x, uint64_t n) {
  const uint64_t size = gp_type_size(NULL, type);
  uint64_t i, h;
  for (i = 0; i < n; ++i) {
    h = gp_data_hash(i ^ seed << 40);
    if (type == GP_BOOL) {
      x[i] = (unsigned char)(h % 3 ? 0 : h >> 56);
    } else if (type == GP_E4M3 || type == GP_E5M2) { // exact sums; with an odd seed any number
      const int one = type == GP_E4M3 ? 0x38 : 0x3c, any = (int)(h >> 56);
      x[i] = (unsigned char)(seed % 2 ? (h % 3 ? one | (int)(h >> 8 & 0x80) : 0) : (any & 0x7f) < 0x7c ? any : one);
    } else if (is_complex_type(type)) {
      const double d[2] = {(double)(h % 5) - 2, (double)(h >> 8) / 72057594037927936.0 < 0.5 ? 0 : 1};
      const float f[2] = {(float)d[0], (float)d[1]};
      memcpy(x + i * size, type == GP_C32 ? (const void *)f : (const void *)d, size);
    } else {
      const uint64_t low = h % 3 ? h >> 60 : gp_data_hash(h), high = h % 5 < 3 ? 0 - (h >> 8 & 1) : gp_data_hash(low);
      memcpy(x + i * size, &low, 8);
      memcpy(x + i * size + 8, &high, size - 8);
    }
  }
}
// Calls of tables, rows, scatters and searches. Joins only tell which keys have partners: bool has too many pairs.
static void fill_table_call(gp_call *c, gp_type type, uint64_t n, const unsigned char *y, const unsigned char *keys2,
    unsigned char *out, unsigned char *more) {
  static uint64_t scalar[2] = {1, 0};
  static gp_aggregate lists[2][4]; // of the device, of the host
  static int which;
  gp_aggregate *list = lists[which ^= 1];
  const gp_aggregate of[4] = {{GP_AGGREGATE_SUM, type, y, out, GP_I64},
      {GP_AGGREGATE_MEAN, type, y, out + ELEMENTS_MOST * 8, GP_F64}, {GP_AGGREGATE_MAX, type, y, more, type},
      {GP_AGGREGATE_ARGMIN, type, y, more + ELEMENTS_MOST * 8, GP_U32}};
  switch (c->primitive) {
  case GP_GROUP_BY_MANY:
    if (c->op) { // columns of the type
      c->op = GP_OP_DEFAULT;
      c->key_type = GP_U32, c->keys = keys2, c->out_keys = NULL, c->in_type = c->out_type = GP_TYPE_DEFAULT;
      c->in = c->out = NULL, memcpy(list, of, sizeof of), c->aggregate_count = 4;
    } else {
      list[0] = of[0], list[0].type = GP_U32, list[0].column = keys2, c->aggregate_count = 1;
    }
    c->aggregates = list;
    break;
  case GP_JOIN:
    c->keys2 = y, c->count2 = n / 50, c->join = c->op ? GP_JOIN_SEMI : GP_JOIN_FLAGS, c->out = out;
    c->out_keys = NULL;
    if (c->op) c->out_type = GP_U32, c->capacity = n;
    else c->out_count = NULL;
    c->op = GP_OP_DEFAULT;
    break;
  case GP_SEGMENTED_TOP_K:
    c->out_count = NULL, c->segments = n / 700 + 1, c->segment_length = n / c->segments, c->k = 5;
    c->count = c->segments * c->segment_length, c->out_type = GP_U32, c->out = out;
    break;
  case GP_SCATTER: // without indices: where the stencil says so
    c->key_type = type, c->keys = y, c->scalar = scalar;
    break;
  case GP_GATHER: c->in2_type = GP_U32, c->in2 = keys2, c->n = n; break;
  case GP_REPLACE: c->scalar = scalar, c->value = scalar; break;
  case GP_LEXICOGRAPHIC: c->in2 = y, c->count2 = n, c->out_type = GP_TYPE_DEFAULT; break;
  case GP_IS_PARTITIONED: c->scalar = scalar, c->out_type = GP_TYPE_DEFAULT; break;
  default: break;
  }
}
static gp_axes rows_of_elements(gp_primitive p, uint64_t n) {
  const uint64_t extent[2] = {n < 29 ? 1 : n / 29, n < 29 ? n : 29};
  return p == GP_ROW_MAP ? gp_axes_mapped(2, extent, 1) : gp_axes_reduced(2, extent, 1);
}
typedef struct elements {
  unsigned char *x, *y, *keys2, *out, *out_keys, *counts; // keys2: u32, in runs
} elements;
static gp_call element_call(gp_primitive p, gp_op op, gp_type type, uint64_t n, const elements *e, int roles) {
  gp_call c = gp_call_init(p);
  c.op = op;
  c.count = n;
  if (p == GP_LOWER_BOUND)
    c.keys = e->x, c.key_count = n, c.in = e->y, c.in_type = type, c.out_type = GP_U32, c.out = e->out;
  else if (roles) { // keys
    c.key_type = type, c.keys = e->x, c.out_keys = e->out_keys;
    if (p == GP_SORT || p == GP_MERGE_SORT) c.out_type = GP_U32, c.out = e->out;
    else c.out_count = (uint64_t *)(void *)e->counts;
    if (p == GP_REDUCE_BY_KEY || p == GP_GROUP_BY) c.in_type = c.out_type = GP_U32, c.in = e->keys2, c.out = e->out;
  } else {
    c.in_type = type, c.in = e->x, c.out_type = type, c.out = e->out;
    if (p == GP_REDUCE_AXIS || p == GP_ROW_MAP) {
      static gp_axes axes;
      axes = rows_of_elements(p, n), c.axes = &axes, c.count = 0;
      if (p == GP_ROW_MAP) c.acc_type = type, c.op = GP_SUM, c.apply = op;
    }
    if (op == GP_ABS && is_complex_type(type)) c.out_type = type == GP_C32 ? GP_F32 : GP_F64;
    if (p == GP_TRANSFORM2) c.in2 = e->y;
    if (p == GP_IOTA) c.in = NULL, c.in_type = GP_TYPE_DEFAULT;
    if (p == GP_COUNT_IF) c.out_type = GP_TYPE_DEFAULT, c.out = NULL;
    if (p == GP_COUNT_IF || p == GP_GROUP_BY_MANY) c.out_count = (uint64_t *)(void *)e->counts;
    if (p == GP_REDUCE_BY_KEY) {
      c.key_type = GP_U32, c.keys = e->keys2, c.out_keys = e->out_keys, c.out_count = (uint64_t *)(void *)e->counts;
    }
  }
  fill_table_call(&c, type, n, e->y, e->keys2, e->out, e->out_keys);
  return c;
}
static void solve_elements(gp_primitive p, gp_op op, gp_type type, uint64_t n, int keys, const elements *there,
    const elements *here, elements *got) {
  const char *name = gp_type_name(NULL, type), *of = PRIMITIVE_NAMES[p];
  const uint64_t bytes = (uint64_t)ELEMENTS_MOST * 16;
  gp_call c = element_call(p, op, type, n, there, keys), h = element_call(p, op, type, n, here, keys);
  unsigned char *const outs[] = {there->out, there->out_keys, there->counts};
  unsigned char *const wants[] = {here->out, here->out_keys, here->counts};
  unsigned char *const gots[] = {got->out, got->out_keys, got->counts};
  const uint64_t sizes_of[] = {bytes, bytes, 256};
  static uint64_t scalar[2] = {1, 0};
  gp_result wanted, r;
  int i;
  uint64_t k;
  if (p == GP_COUNT_IF) c.scalar = h.scalar = scalar;
  for (i = 0; i < 3; ++i) poison(outs[i], sizes_of[i], main_bench.stream), memset(wants[i], 0xA5, sizes_of[i]);
  wanted = gp_run(host, &h, NULL);
  r = run_gpu(&c, main_bench.stream);
  wait_stream(main_bench.stream);
  if (r != wanted || (r && r != GP_E_TYPE && r != GP_E_OPERATOR)) {
    fail("%s of %s, operator %d, n=%llu: result %d, on the host %d: %s", of, name, (int)op, (unsigned long long)n,
        (int)r, (int)wanted, gp_last_message());
    return;
  }
  for (i = 0; i < 3; ++i) {
    download(gots[i], outs[i], sizes_of[i]);
    if (type == GP_BOOL && keys && i == 1) // moved: any true byte
      for (k = 0; k < n; ++k) gots[i][k] = gots[i][k] != 0, wants[i][k] = wants[i][k] != 0;
    if (memcmp(gots[i], wants[i], sizes_of[i])) {
      fail("%s of %s, operator %d, n=%llu%s: output %d", of, name, (int)op, (unsigned long long)n, keys ? ", keys" : "",
          i);
      return;
    }
  }
  pass();
}
static elements new_elements(void *(*new_memory)(uint64_t)) {
  const uint64_t bytes = (uint64_t)ELEMENTS_MOST * 16;
  const elements e = {
      new_memory(bytes), new_memory(bytes), new_memory(bytes), new_memory(bytes), new_memory(bytes), new_memory(256)};
  return e;
}
static void free_elements(const elements *e, void (*free_memory)(void *)) {
  free_memory(e->x), free_memory(e->y), free_memory(e->keys2), free_memory(e->out), free_memory(e->out_keys);
  free_memory(e->counts);
}
static void group_elements(void) {
  static const gp_primitive KEYED[] = {GP_SORT, GP_MERGE_SORT, GP_UNIQUE, GP_REDUCE_BY_KEY, GP_GROUP_BY};
  static const gp_primitive FOLDS[] = {
      GP_REDUCE, GP_INCLUSIVE_SCAN, GP_EXCLUSIVE_SCAN, GP_REDUCE_BY_KEY, GP_TRANSFORM2, GP_REDUCE_AXIS, GP_ROW_MAP};
  static const struct {
    gp_primitive primitive;
    int op, keys;
  } OTHERS[] = {{GP_GROUP_BY_MANY, 0, 1}, {GP_GROUP_BY_MANY, GP_SUM, 0}, {GP_DISTINCT, 0, 1}, {GP_JOIN, 0, 1},
      {GP_JOIN, GP_SUM, 1}, {GP_SEGMENTED_TOP_K, 0, 1}, {GP_SCATTER, GP_NOT_EQUAL, 0}, {GP_SCATTER, GP_LESS, 0},
      {GP_GATHER, 0, 0}, {GP_REPLACE, GP_EQUAL, 0}, {GP_LEXICOGRAPHIC, GP_LESS, 0}, {GP_IS_PARTITIONED, GP_EQUAL, 0},
      {GP_IS_PARTITIONED, GP_LESS, 0}, {GP_REDUCE, GP_ARGMIN, 0}, {GP_REDUCE, GP_MINMAX, 0},
      {GP_REDUCE, GP_ARGMINMAX, 0}, {GP_REDUCE_AXIS, GP_ARGMAX, 0}, {GP_ROW_MAP, GP_SUB, 0}};
  static const uint64_t SIZES_OF[] = {1, 1000, ELEMENTS_MOST};
  elements there = new_elements(device_new), here = new_elements(host_new), got = new_elements(host_new);
  uint64_t i;
  int type, s, k, op;
  for (type = GP_F64 + 1; type < GP_TYPE_COUNT; ++type)
    for (s = 0; s < COUNT(SIZES_OF) - quick; ++s) {
      const uint64_t n = SIZES_OF[s], size = gp_type_size(NULL, (gp_type)type);
      make_elements((gp_type)type, 3, here.x, n);
      make_elements((gp_type)type, 4, here.y, n);
      for (i = 0; i < n; ++i) ((uint32_t *)(void *)here.keys2)[i] = (uint32_t)(i / 5);
      upload(there.x, here.x, n * size), upload(there.y, here.y, n * size), upload(there.keys2, here.keys2, n * 4);
#define SOLVE(p, op, keys) \
  if (!out_of_time()) solve_elements(p, (gp_op)(op), (gp_type)type, n, keys, &there, &here, &got)
      for (k = 0; k < COUNT(KEYED); ++k) SOLVE(KEYED[k], k > 2 ? GP_SUM : 0, 1);
      for (op = GP_SUM; op <= GP_OR; ++op)
        for (k = 0; k < COUNT(FOLDS); ++k)
          if (op != GP_PROD || !is_complex_type((gp_type)type) || FOLDS[k] == GP_TRANSFORM2) SOLVE(FOLDS[k], op, 0);
      for (op = GP_CONVERT; op <= GP_NOT; ++op) SOLVE(GP_TRANSFORM, op, 0);
      for (op = GP_EQUAL; op <= GP_GREATER_EQUAL; ++op) SOLVE(GP_COUNT_IF, op, 0);
      SOLVE(GP_TRANSFORM2, GP_SUB, 0);
      SOLVE(GP_COPY, 0, 0);
      for (k = 0; k < COUNT(OTHERS); ++k) SOLVE(OTHERS[k].primitive, OTHERS[k].op, OTHERS[k].keys);
      SOLVE(GP_IOTA, 0, 0);
#undef SOLVE
    }
  free_elements(&there, device_free), free_elements(&here, free), free_elements(&got, free);
}
