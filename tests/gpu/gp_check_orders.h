// gp_check_orders.h - gp_check's group "orders": top-k of struct keys by a user's order, and of numbers by LESS and
// GREATER; arrays, rows and segments, few results and many, against the host back end, bit by bit.

enum { ORDERS_MOST = 1 << 20, ORDERS_ROOM = ORDERS_MOST * 12 + 512, ORDERS_SEGMENTS = 97 };
typedef struct orders_key {
  uint32_t name, age, town;
} orders_key;
// Most keys tie.
static void orders_before(void *user, void *result, const void *a, const void *b) {
  orders_key x, y;
  (void)user;
  memcpy(&x, a, sizeof x), memcpy(&y, b, sizeof y);
  *(unsigned char *)result = x.age % 1000 < y.age % 1000;
}
static int orders_define(gp_context *ctx, gp_type *type, gp_op *op) {
  gp_type_desc t = gp_type_desc_init();
  gp_op_desc o = gp_op_desc_init();
  t.name = "orders_key", t.source = "struct orders_key { unsigned name, age, town; };", t.size = 12, t.align = 4;
  o.name = "by age", o.arity = 2, o.host = orders_before, o.body = "return a.age % 1000 < b.age % 1000;";
  return !gp_type_struct(ctx, &t, type) && !gp_op_define(ctx, &o, op);
}
// shape 0: an array with values; 1: rows with indices; 2: segments, with a k for each; 3: keys alone.
static gp_call orders_call(
    int shape, gp_type type, gp_op op, uint64_t n, uint64_t k, int descending, char *const *in, char *const *out) {
  gp_call c = gp_call_init(shape == 2 ? GP_SEGMENTED_TOP_K : GP_TOP_K);
  const uint64_t each = shape == 1 ? n / 5 : n;
  c.key_type = type, c.op = op, c.keys = in[0], c.out_keys = out[0], c.count = each;
  c.k = shape == 2 ? (k < 5000 ? k : 5000) : k < each ? k : each;
  c.flags = descending ? GP_DESCENDING : 0;
  if (shape == 1) c.rows = 5;
  if (shape != 3) c.out = out[1], c.out_type = GP_U32;
  if (shape == 0) c.in = in[1], c.in_type = GP_U32;
  if (shape == 2) c.begin = in[2], c.offset_type = GP_U32, c.segments = ORDERS_SEGMENTS, c.in2 = in[3];
  return c;
}
static void group_orders(void) {
  static const uint64_t ks[] = {1, 10, 700, 1024, 3000, 1 << 20};
  static const char *const NAMES[] = {"structs", "u32 by GREATER", "i64 by LESS"};
  const gp_type built_in[] = {0, GP_U32, GP_I64};
  const gp_op operators[] = {0, GP_GREATER, GP_LESS};
  const uint64_t most = quick ? 1 << 15 : ORDERS_MOST;
  gp_type types[2];
  gp_op ops[2];
  char *there_in[4], *there_out[2], *here_in[4], *here_out[2], *got = host_new(ORDERS_ROOM);
  int count, s, t, w, q, i;
  const uint64_t *list = sizes(&count);
  for (i = 0; i < 4; i++) there_in[i] = device_new(ORDERS_ROOM), here_in[i] = host_new(ORDERS_ROOM);
  for (i = 0; i < 2; i++) there_out[i] = device_new(ORDERS_ROOM), here_out[i] = host_new(ORDERS_ROOM);
  if (!orders_define(gpu, &types[0], &ops[0]) || !orders_define(host, &types[1], &ops[1])) {
    fail("orders: %s", gp_last_message());
    return;
  }
  make_data(type_named("u32"), UNIFORM, 5, here_in[0], ORDERS_MOST * 3);
  make_data(type_named("u32"), UNIFORM, 6, here_in[1], ORDERS_MOST);
  for (i = 0; i < ORDERS_SEGMENTS; i++) ((uint32_t *)here_in[3])[i] = (uint32_t)gp_data_hash((uint64_t)i) % 2000;
  for (s = 0; s < count; s++) {
    const uint64_t n = list[s] < most ? list[s] : most;
    for (i = 0; i <= ORDERS_SEGMENTS; i++) // short ones, then long ones
      ((uint32_t *)here_in[2])[i] = (uint32_t)(n * (uint64_t)i * (uint64_t)i / (ORDERS_SEGMENTS * ORDERS_SEGMENTS));
    for (i = 0; i < 4; i++) upload(there_in[i], here_in[i], ORDERS_ROOM);
    for (t = 0; t < 3; t++)
      for (w = 0; w < 4; w++)
        for (q = 0; q < COUNT(ks); q++) {
          const int down = (q + w) % 2;
          const gp_call c = orders_call(
              w, t ? built_in[t] : types[0], t ? operators[t] : ops[0], n, ks[q], down, there_in, there_out);
          const gp_call h =
              orders_call(w, t ? built_in[t] : types[1], t ? operators[t] : ops[1], n, ks[q], down, here_in, here_out);
          gp_result r;
          int wrong = -1;
          if (out_of_time()) return;
          if (((quick || sanitizer) && (s + 3 * w + 5 * q + t) % 7) || (w == 2 && ORDERS_SEGMENTS * c.k > ORDERS_MOST))
            continue;
          for (i = 0; i < 2; i++) {
            poison(there_out[i], ORDERS_ROOM, main_bench.stream);
            memset(here_out[i], 0xA5, ORDERS_ROOM);
          }
          r = gp_run(host, &h, NULL);
          if (r == GP_SUCCESS) r = run_gpu(&c, main_bench.stream);
          if (r != GP_SUCCESS) {
            fail("shape %d of %s, n=%llu k=%llu: %s", w, NAMES[t], (unsigned long long)n, (unsigned long long)c.k,
                gp_last_message());
            continue;
          }
          wait_stream(main_bench.stream);
          for (i = 0; i < 2; i++) {
            download(got, there_out[i], ORDERS_ROOM);
            if (memcmp(got, here_out[i], ORDERS_ROOM)) wrong = i;
          }
          if (wrong >= 0)
            fail("shape %d of %s, n=%llu k=%llu: output %d", w, NAMES[t], (unsigned long long)n,
                (unsigned long long)c.k, wrong);
          else pass();
        }
  }
  for (i = 0; i < 4; i++) device_free(there_in[i]), free(here_in[i]);
  for (i = 0; i < 2; i++) device_free(there_out[i]), free(here_out[i]);
  free(got);
}
