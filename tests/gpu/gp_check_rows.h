// gp_check_rows.h - gp_check's group "rows": reductions, maps, sorts and top-k along the axes of arrays of up to four
// dimensions on a GPU beside the host back end, byte for byte, gaps between the results too: strides of any sign, gaps,
// dimensions in any order, any alignment, rows of one element to millions, policies drawn at random; softmax by a
// user's operators. Included by gp_check.c after gp_check_find.h.
#ifndef GP_CHECK_ROWS_H
#define GP_CHECK_ROWS_H

// A call drawn at random. Its numbers are small, so that sums are exact in every order.
typedef struct rows_case {
  gp_axes axes;
  const check_type *in, *out;
  gp_op op;
  int map, in_place;
  uint64_t span[2], zero[2], shift[2]; // elements, of the input and the output; where element 0 is; misalignment
} rows_case;

// Strides of one side, the dimensions in a random order. Returns the elements from the first to the last.
static uint64_t rows_strides(
    const uint64_t extent[4], int dimensions, uint64_t *seed, int gaps, int64_t stride[4], uint64_t *zero) {
  uint64_t reach = 0;
  int order[4] = {0, 1, 2, 3}, i;
  *zero = 0;
  for (i = dimensions - 1; i > 0; i--) {
    const int j = (int)(gp_data_hash(++*seed) % (uint64_t)(i + 1)), kept = order[i];
    if (gp_data_hash(++*seed) % 3) continue; // mostly as they are
    order[i] = order[j], order[j] = kept;
  }
  for (i = dimensions - 1; i >= 0; i--) {
    const int d = order[i];
    const uint64_t gap = gaps && gp_data_hash(++*seed) % 3 == 0 ? gp_data_hash(++*seed) % 5 : 0, step = reach + 1 + gap;
    const int back = gaps && gp_data_hash(++*seed) % 5 == 0;
    stride[d] = back ? -(int64_t)step : (int64_t)step;
    if (back) *zero += (extent[d] - 1) * step;
    reach += (extent[d] - 1) * step;
  }
  return reach + 1;
}
static rows_case rows_draw(uint64_t seed, uint64_t most) {
  static const char *const types[] = {"u8", "i16", "i32", "f16", "bf16", "f32", "f64", "u64"};
  static const gp_op ops[] = {GP_SUM, GP_SUM, GP_MAX, GP_ARGMIN, GP_ARGMAX};
  static const uint64_t lengths[] = {
      1, 2, 3, 7, 16, 31, 32, 33, 64, 100, 128, 500, 1000, 1024, 4096, 5000, 20000, 1 << 20};
  rows_case r;
  uint64_t extent[4] = {1, 1, 1, 1}, out_extent[4], product = 1;
  const int gaps = gp_data_hash(++seed) % 2 != 0;
  int d;
  memset(&r, 0, sizeof r);
  r.axes.struct_size = sizeof r.axes;
  r.axes.dimensions = (int)(1 + gp_data_hash(++seed) % 4);
  r.axes.axis = (int)(gp_data_hash(++seed) % (uint64_t)r.axes.dimensions);
  r.map = gp_data_hash(++seed) % 3 == 0;
  r.op = ops[gp_data_hash(++seed) % (r.map ? 3 : COUNT(ops))];
  r.in = type_named(types[gp_data_hash(++seed) % COUNT(types)]);
  r.out = r.op != GP_SUM ? r.in : type_named(is_float(r.in) ? "f64" : "u64");
  r.in_place = r.map && r.in == r.out && gp_data_hash(++seed) % 3 == 0;
  for (d = 0; d < r.axes.dimensions; d++) {
    const int i = (d + r.axes.axis) % r.axes.dimensions; // the axis first
    extent[i] = lengths[gp_data_hash(++seed) % COUNT(lengths)];
    while (product * extent[i] > most) extent[i] = extent[i] / 7 + 1;
    if (product * extent[i] > most) extent[i] = 1;
    product *= extent[i];
  }
  memcpy(r.axes.extent, extent, sizeof extent);
  memcpy(out_extent, extent, sizeof extent);
  if (!r.map) out_extent[r.axes.axis] = 1;
  r.span[0] = rows_strides(extent, r.axes.dimensions, &seed, gaps, r.axes.in_stride, &r.zero[0]);
  r.span[1] = rows_strides(out_extent, r.axes.dimensions, &seed, gaps, r.axes.out_stride, &r.zero[1]);
  if (r.in_place) {
    memcpy(r.axes.out_stride, r.axes.in_stride, sizeof r.axes.in_stride);
    r.span[1] = r.span[0], r.zero[1] = r.zero[0];
  }
  for (d = 0; d < 2; d++) r.shift[d] = gp_data_hash(++seed) % 2 ? gp_data_hash(++seed) % 16 : 0;
  if (r.in_place) r.shift[1] = r.shift[0];
  return r;
}
static void rows_describe(const rows_case *r, const gp_policy *policy, char *text, size_t room) {
  int at = snprintf(text, room, "%s %d %s axis %d shifts %d %d%s", r->map ? "row_map" : "reduce_axis", (int)r->op,
      r->in->name, r->axes.axis, (int)r->shift[0], (int)r->shift[1], r->in_place ? " in place" : "");
  int d;
  for (d = 0; d < r->axes.dimensions; d++)
    at += snprintf(text + at, room - (size_t)at, " [%llu %lld/%lld]", (unsigned long long)r->axes.extent[d],
        (long long)r->axes.in_stride[d], (long long)r->axes.out_stride[d]);
  if (!policy) return;
  at += snprintf(text + at, room - (size_t)at, " ");
  policy_text(policy, text + at, room - (size_t)at);
}
static gp_call rows_call(const rows_case *r, char *in, char *out, int item) {
  gp_call c = gp_call_init(r->map ? GP_ROW_MAP : GP_REDUCE_AXIS);
  c.op = r->op;
  c.in_type = r->in->handle; // built in: the same in both contexts
  c.out_type = r->out->handle;
  c.axes = &r->axes;
  c.in = in + (r->zero[0] + r->shift[0]) * (uint64_t)r->in->size;
  c.out = out + r->zero[1] * (uint64_t)item + r->shift[1] * (uint64_t)(item > 8 ? 8 : item);
  if (r->map) c.apply = GP_SUB, c.acc_type = c.out_type;
  return c;
}

static void rows_solve(const rows_case *r, const gp_policy *policy) {
  const int arg = r->op == GP_ARGMIN || r->op == GP_ARGMAX, item = arg ? 16 : r->out->size;
  const uint64_t in_bytes = (r->span[0] + 32) * (uint64_t)r->in->size, out_bytes = (r->span[1] + 32) * (uint64_t)item;
  char *x = (char *)host_new(in_bytes), *want = (char *)host_new(out_bytes), *got = (char *)host_new(out_bytes);
  char *dx = (char *)device_new(in_bytes), *dout = r->in_place ? dx : (char *)device_new(out_bytes), text[500];
  gp_call c;
  gp_result result;
  rows_describe(r, policy, text, sizeof text);
  make_data(r->in, EXACT, r->span[0], x, r->span[0] + 32);
  upload(dx, x, in_bytes);
  memset(want, 0xA5, out_bytes);
  if (!r->in_place) poison(dout, out_bytes, NULL);
  else memcpy(want, x, in_bytes);
  c = rows_call(r, r->in_place ? want : x, want, item);
  result = gp_run(host, &c, NULL);
  if (result) fail("%s on the host: %s", text, gp_last_message());
  c = rows_call(r, dx, dout, item);
  c.policy = policy;
  if (!result) result = run_gpu(&c, NULL);
  wait_device();
  if (result == GP_E_POLICY && policy) refused++;
  else if (result) fail("%s: %s: %s", text, gp_result_name(result), gp_last_message());
  else {
    uint64_t i = 0;
    download(got, dout, out_bytes);
    while (i < out_bytes && got[i] == want[i]) i++;
    if (i < out_bytes)
      fail("%s: byte %llu of %llu differs", text, (unsigned long long)i, (unsigned long long)out_bytes);
    else pass();
  }
  if (!r->in_place) device_free(dout);
  device_free(dx);
  free(x), free(want), free(got);
}

// ---- sorts, argsorts and top-k of rows: few numbers, so that keys tie

static void rows_order(uint64_t seed, uint64_t most) {
  rows_case r = rows_draw(seed, most);
  const uint64_t h = gp_data_hash(seed + 91), length = r.axes.extent[r.axes.axis];
  const int top = h % 2 != 0, keys = h / 2 % 3 != 0, indices = !keys || h / 2 % 3 == 2;
  const gp_primitive primitive = top ? GP_TOP_K_AXIS : GP_SORT_AXIS;
  const uint64_t k = !top ? length : h / 6 % 4 ? 1 + h / 24 % (length < 100 ? length : 100) : length;
  const uint64_t in_bytes = (r.span[0] + 32) * (uint64_t)r.in->size;
  uint64_t out_extent[4], stream_seed = seed + 5, bytes[2], i;
  char *x = (char *)host_new(in_bytes), *dx = (char *)device_new(in_bytes), *want[2], *got[2], *out[2], text[500];
  gp_result result;
  int side, which;
  memcpy(out_extent, r.axes.extent, sizeof out_extent);
  out_extent[r.axes.axis] = k;
  r.span[1] = rows_strides(out_extent, r.axes.dimensions, &stream_seed, 1, r.axes.out_stride, &r.zero[1]);
  r.map = r.in_place = 0;
  rows_describe(&r, NULL, text, sizeof text);
  make_data(r.in, EXACT, r.span[0], x, r.span[0] + 32);
  upload(dx, x, in_bytes);
  for (which = 0; which < 2; which++) { // keys, indices
    bytes[which] = (r.span[1] + 32) * (which ? 4 : (uint64_t)r.in->size);
    want[which] = (char *)host_new(bytes[which]), got[which] = (char *)host_new(bytes[which]);
    out[which] = (char *)device_new(bytes[which]);
    memset(want[which], 0xA5, bytes[which]);
    poison(out[which], bytes[which], NULL);
  }
  for (side = 0, result = GP_SUCCESS; side < 2 && !result; side++) { // the host, the device
    char **to = side ? out : want;
    gp_call c = gp_call_init(primitive);
    c.axes = &r.axes;
    c.key_type = r.in->handle;
    c.keys = (side ? dx : x) + (r.zero[0] + r.shift[0]) * (uint64_t)r.in->size;
    if (keys) c.out_keys = to[0] + (r.zero[1] + r.shift[1]) * (uint64_t)r.in->size;
    if (indices) c.out_type = GP_U32, c.out = to[1] + (r.zero[1] + r.shift[1]) * 4;
    if (top) c.k = k;
    c.flags = h / 4096 % 2 ? GP_DESCENDING : 0;
    if (top && h / 8192 % 3) c.op = h / 8192 % 3 == 1 ? GP_LESS : GP_GREATER;
    result = side ? run_gpu(&c, NULL) : gp_run(host, &c, NULL);
    if (result)
      fail("%s of %s, k %llu: %s", PRIMITIVE_NAMES[primitive], text, (unsigned long long)k, gp_last_message());
  }
  wait_device();
  for (which = 0; which < 2; which++) {
    if (!result) download(got[which], out[which], bytes[which]);
    for (i = 0; !result && i < bytes[which] && got[which][i] == want[which][i]; i++) continue;
    if (!result && i < bytes[which])
      fail("%s of %s, k %llu: byte %llu of %s differs", PRIMITIVE_NAMES[primitive], text, (unsigned long long)k,
          (unsigned long long)i, which ? "indices" : "keys");
    else if (!result) pass();
    free(want[which]), free(got[which]), device_free(out[which]);
  }
  device_free(dx);
  free(x);
}

// ---- softmax: a state is the greatest element, and the sum of exp(x - greatest)

typedef struct rows_state {
  float m, s;
} rows_state;
static void rows_start(void *user, void *result, const void *a, const void *b) {
  rows_state state;
  (void)user, (void)b;
  memcpy(&state.m, a, 4);
  state.s = 1;
  memcpy(result, &state, sizeof state);
}
static void rows_join(void *user, void *result, const void *a, const void *b) {
  rows_state x, y, z;
  (void)user;
  memcpy(&x, a, sizeof x), memcpy(&y, b, sizeof y);
  z.m = x.m > y.m ? x.m : y.m;
  z.s = x.s * expf(x.m - z.m) + y.s * expf(y.m - z.m);
  memcpy(result, &z, sizeof z);
}
static void rows_apply(void *user, void *result, const void *a, const void *b) {
  rows_state s;
  float x;
  (void)user;
  memcpy(&x, a, 4), memcpy(&s, b, sizeof s);
  x = expf(x - s.m) / s.s;
  memcpy(result, &x, 4);
}
static int rows_define(gp_context *ctx, gp_type *type, gp_op op[3]) {
  static const rows_state none = {-1e30f, 0};
  gp_type_desc t = gp_type_desc_init();
  gp_op_desc o = gp_op_desc_init();
  t.name = "rows_state", t.source = "struct rows_state { float m, s; };", t.size = sizeof none, t.align = 4;
  if (gp_type_struct(ctx, &t, type)) return 0;
  o.name = "rows start", o.arity = 1, o.host = rows_start, o.body = "return rows_state{a, 1};";
  if (gp_op_define(ctx, &o, &op[0])) return 0;
  o.name = "rows apply", o.arity = 2, o.host = rows_apply, o.body = "return expf(a - b.m) / b.s;";
  if (gp_op_define(ctx, &o, &op[2])) return 0;
  o.name = "rows join", o.commutative = 1, o.host = rows_join, o.identity = "rows_state{-1e30f, 0}";
  o.body = "const float m = a.m > b.m ? a.m : b.m;\n"
           "return rows_state{m, a.s * expf(a.m - m) + b.s * expf(b.m - m)};";
  o.host_identity = &none, o.host_identity_size = sizeof none;
  return !gp_op_define(ctx, &o, &op[1]);
}
// Beside double precision: a sum of 2^20 floats from left to right, as the host's rows have it, is off by up to 1e-3.
static void rows_softmax(uint64_t rows, uint64_t length, int axis, const gp_policy *policy) {
  static gp_type type;
  static gp_op ops[3];
  static int defined;
  const uint64_t n = rows * length, bytes = n * 4, extent[2] = {axis ? rows : length, axis ? length : rows};
  const uint64_t next_row = axis ? length : 1, next = axis ? 1 : rows;
  const gp_axes a = gp_axes_mapped(2, extent, axis);
  float *x = (float *)host_new(bytes), *got = (float *)host_new(bytes);
  char *in = (char *)device_new(bytes), *out = (char *)device_new(bytes);
  gp_call c = gp_call_init(GP_ROW_MAP);
  double worst = 0;
  uint64_t i, row;
  gp_result r;
  if (!defined) defined = rows_define(gpu, &type, ops);
  if (!defined) {
    fail("softmax: %s", gp_last_message());
    return;
  }
  for (i = 0; i < n; i++) x[i] = (float)(gp_data_hash(i) % 2001) / 100.0f - 10.0f;
  upload(in, x, bytes);
  c.transform = ops[0], c.op = ops[1], c.apply = ops[2];
  c.in_type = c.out_type = GP_F32, c.acc_type = type, c.axes = &a;
  c.in = in, c.out = out, c.policy = policy;
  r = gp_run(gpu, &c, NULL);
  wait_device();
  download(got, out, bytes);
  for (row = 0; row < rows && !r; row++) {
    const float *from = x + row * next_row, *result = got + row * next_row;
    double greatest = from[0], sum = 0;
    for (i = 1; i < length; i++) greatest = from[i * next] > greatest ? from[i * next] : greatest;
    for (i = 0; i < length; i++) sum += exp(from[i * next] - greatest);
    for (i = 0; i < length; i++) {
      const double right = exp(from[i * next] - greatest) / sum, off = fabs(result[i * next] - right) / right;
      if (!(off <= worst)) worst = off;
    }
  }
  if (r) fail("softmax of %llu x %llu: %s", (unsigned long long)rows, (unsigned long long)length, gp_last_message());
  else if (!(worst < (on_gpu ? 2e-5 : 1e-3))) // arguments to 20 have errors of 1e-6, expf and partial sums of units
    fail("softmax of %llu x %llu, axis %d: off by %g", (unsigned long long)rows, (unsigned long long)length, axis,
        worst);
  else pass();
  device_free(in), device_free(out);
  free(x), free(got);
}

static void group_rows(void) {
  static const int algorithms[] = {GP_WARP_SEGMENTS, GP_DIRECT, GP_EVEN_SHARE};
  static const int threads[] = {0, 128, 256, 512}, vectors[] = {0, 1, 2, 4, 8};
  static const uint64_t softmax[][2] = {
      {1, 1}, {3, 33}, {1000, 32}, {500, 1000}, {300, 4096}, {5, 70000}, {2, 1 << 20}};
  const uint64_t cases = sanitizer ? 60 : quick ? 250 : 1500;
  uint64_t k;
  for (k = 0; k < COUNT(softmax); k++) {
    gp_policy share;
    memset(&share, 0, sizeof share);
    share.algorithm = GP_EVEN_SHARE;
    if (out_of_time()) return;
    if ((quick || sanitizer) && softmax[k][0] * softmax[k][1] > 600000) continue;
    rows_softmax(softmax[k][0], softmax[k][1], 1, NULL);
    rows_softmax(softmax[k][0], softmax[k][1], 1, on_gpu ? &share : NULL);
    rows_softmax(softmax[k][0], softmax[k][1], 0, NULL);
  }
  for (k = 0; k < cases; k++) {
    const uint64_t h = gp_data_hash(k + 77);
    const rows_case r = rows_draw(k * 1000, sanitizer || h % 4 ? 30000 : quick ? 300000 : 3000000);
    gp_policy policy;
    memset(&policy, 0, sizeof policy);
    policy.algorithm = algorithms[h / 4 % COUNT(algorithms)];
    policy.threads = threads[h / 16 % COUNT(threads)];
    policy.vectors = vectors[h / 64 % COUNT(vectors)];
    if (out_of_time()) return;
    if (!type_wanted[r.in - TYPES]) continue;
    rows_solve(&r, h / 512 % 2 && on_gpu ? &policy : NULL);
    if (k % 3 == 0) rows_order(k * 1000 + 500, sanitizer || h % 4 ? 30000 : quick ? 300000 : 3000000);
  }
}

#endif
