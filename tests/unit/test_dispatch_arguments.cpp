// Valid and invalid arguments of every primitive, and the names of kernels, on the emulated driver (dispatch_test.h).
#include "dispatch_test.h"

// ---- every argument

static void test_arguments(bool host) {
  gp_config c = config();
  if (host) c.backend = GP_BACKEND_HOST;
  gp_context *ctx = nullptr;
  GOOD(gp_open(&c, &ctx));
  alignas(256) static unsigned char a[4096], b[4096], out[4096];
  const gp_type vec3 = define(ctx, "vec3", "struct vec3 { float x, y, z; };", 12, 4);
  const gp_type raw = define(ctx, "raw8", nullptr, 8, 1);
  gp_op_desc d = gp_op_desc_init();
  gp_op device_only, host_only, no_identity, unary;
  const int zero = 0;
  d.name = "device only", d.body = "return a + b;", d.identity = "0", d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &device_only));
  d = gp_op_desc_init();
  d.name = "host only", d.host = host_add, d.host_identity = &zero, d.host_identity_size = 4, d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &host_only));
  d = gp_op_desc_init();
  d.name = "no identity", d.host = host_add, d.body = "return a + b;", d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &no_identity));
  d = gp_op_desc_init();
  d.name = "unary", d.host = host_add, d.body = "return a;", d.arity = 1;
  GOOD(gp_op_define(ctx, &d, &unary));
  memset(out, 0x5a, sizeof out);
  const uint64_t huge = UINT64_MAX / 2;
  gp_call call;

  // unknown enumerators
  BAD(GP_E_NULL, "call is null", gp_run(ctx, nullptr, nullptr));
  call = gp_call_init(gp_primitive(99));
  BAD(GP_E_ARGUMENT, "primitive is 99", gp_run(ctx, &call, nullptr));
  call = gp_call_init(GP_PRIMITIVE_NONE);
  BAD(GP_E_ARGUMENT, "primitive is 0", gp_run(ctx, &call, nullptr));
  BAD(GP_E_TYPE, "gp_copy: type is 77", gp_copy(ctx, gp_type(77), a, 1, out, nullptr));
  BAD(GP_E_TYPE, "gp_copy: type is not set", gp_copy(ctx, GP_TYPE_DEFAULT, a, 1, out, nullptr));
  BAD(GP_E_TYPE, "gp_fill: type is -3", gp_fill(ctx, gp_type(-3), a, out, 1, nullptr));
  BAD(GP_E_TYPE, "gp_reduce: out_type is 99", gp_reduce(ctx, GP_SUM, GP_I32, gp_type(99), a, 1, out, nullptr));
  BAD(GP_E_OPERATOR, "gp_reduce: op is 99", gp_reduce(ctx, gp_op(99), GP_I32, GP_I32, a, 1, out, nullptr));
  BAD(GP_E_OPERATOR, "gp_reduce: op is not set", gp_reduce(ctx, GP_OP_DEFAULT, GP_I32, GP_I32, a, 1, out, nullptr));
  call = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, a, out, 1);
  call.flags = 6;
  BAD(GP_E_ARGUMENT, "gp_reduce: flags", gp_run(ctx, &call, nullptr));
  call.flags = 0, call.acc_type = gp_type(55);
  BAD(GP_E_TYPE, "gp_reduce: acc_type is 55", gp_run(ctx, &call, nullptr));
  call.acc_type = GP_TYPE_DEFAULT, call.transform = gp_op(55);
  BAD(GP_E_OPERATOR, "gp_reduce: transform is 55", gp_run(ctx, &call, nullptr));

  // misplaced operators
  BAD(GP_E_OPERATOR, "\"NEGATE\" is unary, not binary", gp_reduce(ctx, GP_NEGATE, GP_I32, GP_I32, a, 1, out, nullptr));
  BAD(GP_E_OPERATOR, "\"SUM\" is binary, not unary", gp_transform(ctx, GP_SUM, GP_I32, GP_I32, a, 1, out, nullptr));
  BAD(GP_E_OPERATOR, "reduce and scan only", gp_transform2(ctx, GP_ARGMIN, GP_I32, GP_I32, a, b, 1, out, nullptr));
  BAD(GP_E_OPERATOR, "BIT_XOR works on integers", gp_reduce(ctx, GP_BIT_XOR, GP_F32, GP_F32, a, 1, out, nullptr));
  BAD(GP_E_OPERATOR, "BIT_AND works on integers",
      gp_transform2(ctx, GP_BIT_AND, GP_I32, GP_F16, a, b, 1, out, nullptr));
  BAD(GP_E_OPERATOR, "SUM does not work on struct types", gp_reduce(ctx, GP_SUM, vec3, vec3, a, 1, out, nullptr));
  BAD(GP_E_OPERATOR, "NEGATE does not work on struct types",
      gp_transform(ctx, GP_NEGATE, vec3, vec3, a, 1, out, nullptr));
  call = fold_call(GP_REDUCE, GP_SUM, vec3, GP_F32, a, out, 1);
  call.transform = GP_ABS;
  BAD(GP_E_OPERATOR, "transform: ABS does not work on struct types", gp_run(ctx, &call, nullptr));
  call.transform = GP_OP_DEFAULT;
  BAD(GP_E_TYPE, "gp_reduce: in_type: cannot convert to the accumulator's type", gp_run(ctx, &call, nullptr));
  call = fold_call(GP_REDUCE, GP_ARGMIN, GP_I32, GP_I32, a, out, 1);
  call.acc_type = GP_I64;
  BAD(GP_E_TYPE, "acc_type and out_type differ: ARGMIN accumulates in the type of its value",
      gp_run(ctx, &call, nullptr));
  call = gp_call_init(GP_COPY);
  call.in_type = GP_I32, call.in = a, call.out = out, call.count = 1, call.op = GP_SUM;
  BAD(GP_E_OPERATOR, "gp_copy: op: the call takes no operator", gp_run(ctx, &call, nullptr));
  call.op = GP_OP_DEFAULT, call.transform = GP_ABS;
  BAD(GP_E_OPERATOR, "gp_copy: transform", gp_run(ctx, &call, nullptr));
  call.transform = GP_OP_DEFAULT, call.out_type = GP_I64;
  BAD(GP_E_TYPE, "in_type and out_type differ", gp_run(ctx, &call, nullptr));
  call.out_type = GP_TYPE_DEFAULT, call.acc_type = GP_I32;
  BAD(GP_E_TYPE, "acc_type: the call has no accumulator", gp_run(ctx, &call, nullptr));
  call.acc_type = GP_TYPE_DEFAULT, call.in2_type = GP_I32;
  BAD(GP_E_TYPE, "in2_type", gp_run(ctx, &call, nullptr));
  call.in2_type = GP_TYPE_DEFAULT, call.in2 = b;
  BAD(GP_E_ARGUMENT, "in2: the call has no second input", gp_run(ctx, &call, nullptr));
  call.in2 = nullptr, call.init = b;
  BAD(GP_E_ARGUMENT, "init: the call takes no initial value", gp_run(ctx, &call, nullptr));
  call.init = nullptr, call.step = b;
  BAD(GP_E_ARGUMENT, "step: the call takes no step", gp_run(ctx, &call, nullptr));
  call = gp_call_init(GP_FILL);
  call.out_type = GP_I32, call.out = out, call.count = 1, call.value = a, call.in = b;
  BAD(GP_E_ARGUMENT, "gp_fill: in: the call has no input", gp_run(ctx, &call, nullptr));
  BAD(GP_E_TYPE, "gp_iota: type is a struct type", gp_iota(ctx, raw, nullptr, nullptr, out, 1, nullptr));

  // users' operators
  if (host) {
    BAD(GP_E_UNSUPPORTED, "\"device only\" has no gp_op_desc.host",
        gp_reduce(ctx, device_only, GP_I32, GP_I32, a, 1, out, nullptr));
    BAD(GP_E_UNSUPPORTED, "\"no identity\" has no gp_op_desc.host_identity",
        gp_reduce(ctx, no_identity, GP_I32, GP_I32, a, 1, out, nullptr));
    BAD(GP_E_OPERATOR, "host_identity_size of \"host only\" is 4",
        gp_reduce(ctx, host_only, GP_I64, GP_I64, a, 1, out, nullptr));
  } else {
    BAD(GP_E_UNSUPPORTED, "\"host only\" has no gp_op_desc.body",
        gp_reduce(ctx, host_only, GP_I32, GP_I32, a, 1, out, nullptr));
    BAD(GP_E_OPERATOR, "\"no identity\" has no gp_op_desc.identity",
        gp_reduce(ctx, no_identity, GP_I32, GP_I32, a, 1, out, nullptr));
  }
  BAD(GP_E_OPERATOR, "\"unary\" is unary, not binary", gp_reduce(ctx, unary, GP_I32, GP_I32, a, 1, out, nullptr));

  // null
  BAD(GP_E_NULL, "gp_copy: in is null", gp_copy(ctx, GP_I32, nullptr, 1, out, nullptr));
  BAD(GP_E_NULL, "gp_copy: out is null", gp_copy(ctx, GP_I32, a, 1, nullptr, nullptr));
  BAD(GP_E_NULL, "gp_fill: value is null", gp_fill(ctx, GP_I32, nullptr, out, 1, nullptr));
  BAD(GP_E_NULL, "gp_transform2: a is null", gp_transform2(ctx, GP_SUM, GP_I32, GP_I32, nullptr, b, 1, out, nullptr));
  BAD(GP_E_NULL, "gp_transform2: b is null", gp_transform2(ctx, GP_SUM, GP_I32, GP_I32, a, nullptr, 1, out, nullptr));
  BAD(GP_E_NULL, "gp_reduce: out is null", gp_reduce(ctx, GP_SUM, GP_I32, GP_I32, a, 0, nullptr, nullptr));
  BAD(GP_E_NULL, "gp_inclusive_scan: in is null",
      gp_inclusive_scan(ctx, GP_SUM, GP_I32, GP_I32, nullptr, 1, out, nullptr));

  // alignment
  BAD(GP_E_ALIGNMENT, "gp_copy: in (", gp_copy(ctx, GP_I32, a + 2, 1, out, nullptr));
  BAD(GP_E_ALIGNMENT, "gp_copy: out (", gp_copy(ctx, GP_F64, a, 1, out + 4, nullptr));
  BAD(GP_E_ALIGNMENT, "gp_transform2: b (", gp_transform2(ctx, GP_SUM, GP_I32, GP_I32, a, b + 1, 1, out, nullptr));
  BAD(GP_E_ALIGNMENT, "gp_reduce: out (", gp_reduce(ctx, GP_ARGMIN, GP_I8, GP_I8, a, 1, out + 4, nullptr));
  BAD(GP_E_ALIGNMENT, "gp_copy: in (", gp_copy(ctx, vec3, a + 2, 1, out, nullptr));
  call = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, a, out, 1);
  call.count_device = reinterpret_cast<const uint64_t *>(b + 4);
  BAD(GP_E_ALIGNMENT, "gp_reduce: count_device", gp_run(ctx, &call, nullptr));

  // sizes
  BAD(GP_E_SIZE, "gp_copy: in and count: ", gp_copy(ctx, GP_I32, a, huge, out, nullptr));
  BAD(GP_E_SIZE, "past the end of the address space", gp_copy(ctx, GP_I8, a, UINT64_MAX - 5, out, nullptr));
  BAD(GP_E_SIZE,
      "gp_transform: out and count: ", gp_transform(ctx, GP_CONVERT, GP_I8, GP_I64, a, huge / 2, out, nullptr));

  // overlap
  BAD(GP_E_OVERLAP, "gp_copy: in and out overlap", gp_copy(ctx, GP_I32, a, 10, a + 4, nullptr));
  BAD(GP_E_OVERLAP, "gp_copy: in and out overlap", gp_copy(ctx, GP_I32, a + 4, 10, a, nullptr));
  BAD(GP_E_OVERLAP, "cannot run in place", gp_reduce(ctx, GP_SUM, GP_I32, GP_I32, a, 10, a, nullptr));
  BAD(GP_E_OVERLAP, "gp_reduce: in and out", gp_reduce(ctx, GP_SUM, GP_I32, GP_I32, a, 10, a + 36, nullptr));
  BAD(GP_E_OVERLAP, "cannot run in place", gp_inclusive_scan(ctx, GP_SUM, GP_I32, GP_I64, a, 10, a, nullptr));
  BAD(GP_E_OVERLAP, "gp_exclusive_scan: in and out",
      gp_exclusive_scan(ctx, GP_SUM, GP_I32, GP_I32, nullptr, a + 8, 10, a, nullptr));
  BAD(GP_E_OVERLAP, "cannot run in place", gp_transform(ctx, GP_CONVERT, GP_I64, GP_I32, a, 10, a, nullptr));
  BAD(GP_E_OVERLAP, "b and out", gp_transform2(ctx, GP_SUM, GP_I32, GP_I32, a, b, 10, b + 4, nullptr));
  call = gp_call_init(GP_IOTA);
  call.out_type = GP_I64, call.out = out, call.count = 4, call.count_device = reinterpret_cast<uint64_t *>(out + 8);
  BAD(GP_E_OVERLAP, "gp_iota: count_device and out", gp_run(ctx, &call, nullptr));

  // policies
  if (!host) {
    gp_policy p = small(GP_EVEN_SHARE), chosen;
    gp_policy_source source;
    call = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, a, out, 10);
    call.policy = &p;
    p.threads = 100;
    BAD(GP_E_POLICY, "policy.threads = 100", gp_run(ctx, &call, nullptr));
    p = small(GP_EVEN_SHARE), p.stages = 3;
    BAD(GP_E_POLICY, "policy.stages is set, but this call does not use it", gp_run(ctx, &call, nullptr));
    p = small(GP_LOOK_BACK), p.stages = p.store = 0;
    BAD(GP_E_POLICY, "policy.algorithm", gp_run(ctx, &call, nullptr));
    p = small(GP_EVEN_SHARE), p.vectors = 17;
    BAD(GP_E_POLICY, "policy.vectors = 17", gp_run(ctx, &call, nullptr));
    p = small(GP_EVEN_SHARE), p.vectors = -1, p.load = 9;
    BAD(GP_E_POLICY, "vectors -1", gp_run(ctx, &call, nullptr));
    p = small(GP_EVEN_SHARE), call.flags = GP_REPRODUCIBLE, call.in_type = call.out_type = GP_F32;
    BAD(GP_E_UNSUPPORTED, "gp_reduce: flags: GP_REPRODUCIBLE", gp_run(ctx, &call, nullptr));
    p = small(GP_STEALING);
    BAD(GP_E_UNSUPPORTED, "gp_reduce: flags: GP_REPRODUCIBLE", gp_run(ctx, &call, nullptr));
    p.threads = p.vectors = p.blocks_per_sm = 0; // the remaining policies can keep the promise
    GOOD(gp_policy_origin(ctx, &call, &chosen, &source));
    CHECK(source == GP_POLICY_CALLER && chosen.algorithm == GP_STEALING);
    GOOD(gp_policy_origin(ctx, &call, &p, &source)); // into the call's own policy
    CHECK(source == GP_POLICY_CALLER && !memcmp(&p, &chosen, sizeof p));
    p = small(GP_STEALING), p.threads = 100, p.vectors = 17; // no call can have these
    BAD(GP_E_POLICY, "policy", gp_run(ctx, &call, nullptr));
    for (gp_primitive primitive : {GP_INCLUSIVE_SCAN, GP_EXCLUSIVE_SCAN}) {
      call.primitive = primitive, p = gp_policy();
      p.algorithm = GP_THREE_SWEEP;
      BAD(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE: policy.algorithm =", gp_run(ctx, &call, nullptr));
      p.algorithm = GP_LOOK_BACK, p.vectors = 2;
      BAD(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE: policy.vectors = 2", gp_run(ctx, &call, nullptr));
    }
    call = fold_call(GP_SEGMENTED_REDUCE, GP_SUM, GP_F32, GP_F32, a, out, 10);
    call.segments = 5, call.segment_length = 2, call.flags = GP_REPRODUCIBLE, call.policy = &p;
    p = gp_policy(), p.algorithm = GP_MERGE_PATH;
    BAD(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE: policy.algorithm =", gp_run(ctx, &call, nullptr));
    p.algorithm = GP_WARP_SEGMENTS, p.vectors = 5;
    BAD(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE: policy.vectors = 5", gp_run(ctx, &call, nullptr));
    call.primitive = GP_INCLUSIVE_SCAN_BY_KEY, call.segments = call.segment_length = 0;
    call.key_type = GP_I32, call.keys = a;
    p = gp_policy(), p.threads = 384;
    BAD(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE: policy.threads = 384", gp_run(ctx, &call, nullptr));
    p.threads = 256, p.vectors = 3;
    BAD(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE: policy.vectors = 3", gp_run(ctx, &call, nullptr));
    p.vectors = 5;
    GOOD(gp_policy_origin(ctx, &call, &chosen, &source));
    call = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, a, out, 10);
    call.policy = &p, p = small(GP_PIPELINED), p.vectors = 2;
    BAD(GP_E_POLICY, "policy", gp_run(ctx, &call, nullptr));
    BAD(GP_E_POLICY, "policy", gp_prepare(ctx, &call));
  }
  BAD(GP_E_NULL, "bytes is null", gp_workspace_size(ctx, &call, nullptr));
  BAD(GP_E_NULL, "gp_policy_origin: policy is null", gp_policy_origin(ctx, &call, nullptr, nullptr));
  BAD(GP_E_NULL, "take is null", gp_compile(ctx, &call, 90, nullptr, nullptr));
  BAD(GP_E_DEVICE_TOO_OLD, "compute_capability is 70",
      gp_compile(
          ctx, &call, 70, [](void *, const char *, const void *, size_t) {}, nullptr));

  for (unsigned char byte : out)
    if (byte != 0x5a) {
      check(false, __LINE__, "outputs were touched");
      break;
    }
  // Empty calls do nothing, even with null pointers.
  GOOD(gp_copy(ctx, GP_I32, nullptr, 0, nullptr, nullptr));
  GOOD(gp_inclusive_scan(ctx, GP_SUM, GP_I32, GP_I32, nullptr, 0, nullptr, nullptr));
  GOOD(gp_copy(ctx, GP_I32, a, 100, a, nullptr));
  CHECK(fake::counts.launches == 0);
  CLOSE(ctx);
}

// ---- the compiler's text

// Structs of a program with an older, equal or newer header than the library's.
template<class T> struct Grown {
  T now;
  unsigned char later[32];
};
template<class T> static Grown<T> grown(const T &now) {
  Grown<T> g;
  memset(&g, 0, sizeof g);
  g.now = now, g.now.struct_size = sizeof g;
  return g;
}
template<class T, class Call> static void test_sizes(const T &right, const char *type, uint32_t least, Call call) {
  T wrong = right;
  GOOD(call(&wrong));
  for (uint32_t size : {0u, least - 1, 65537u, UINT32_MAX}) {
    wrong.struct_size = size;
    BAD(GP_E_ARGUMENT, (std::string("sizeof(") + type + ") is " + std::to_string(sizeof(T))).c_str(), call(&wrong));
  }
  Grown<T> newer = grown(right);
  GOOD(call(&newer.now)); // members that only the program's header has stay unset
  newer.later[31] = 1;
  BAD(GP_E_UNSUPPORTED, "sets a member unknown to this library (" GPUPRIMS_VERSION "): install a newer library",
      call(&newer.now));
}
static void test_struct_sizes() {
  CHECK(gp_version() == GPUPRIMS_VERSION_MAJOR * 10000 + GPUPRIMS_VERSION_MINOR * 100 + GPUPRIMS_VERSION_PATCH);
  gp_config on_host = config();
  on_host.backend = GP_BACKEND_HOST;
  gp_context *ctx = nullptr, *device = nullptr;
  GOOD(gp_open(&on_host, &ctx));
  int in[10] = {5}, out[10];
  test_sizes(on_host, "gp_config", GP__LEAST_gp_config, [](const gp_config *c) {
    gp_context *opened;
    const gp_result r = gp_open(c, &opened);
    if (r == GP_SUCCESS) gp_close(opened);
    return r;
  });
  gp_call copy = gp_call_init(GP_COPY);
  copy.in_type = GP_I32, copy.in = in, copy.out = out, copy.count = 10;
  test_sizes(copy, "gp_call", GP__LEAST_gp_call, [&](const gp_call *c) { return gp_run(ctx, c, nullptr); });
  gp_type_desc raw = gp_type_desc_init();
  raw.name = "raw", raw.size = 12, raw.align = 4;
  int defined = 0;
  test_sizes(raw, "gp_type_desc", GP__LEAST_gp_type_desc, [&](const gp_type_desc *d) {
    gp_type type;
    const std::string name = "raw" + std::to_string(defined++);
    const_cast<gp_type_desc *>(d)->name = name.c_str();
    return gp_type_struct(ctx, d, &type);
  });
  gp_op_desc op = gp_op_desc_init();
  op.name = "one", op.body = "return a;", op.arity = 1;
  test_sizes(op, "gp_op_desc", GP__LEAST_gp_op_desc, [&](const gp_op_desc *d) {
    gp_op made;
    return gp_op_define(ctx, d, &made);
  });
  const unsigned offsets[3] = {0, 4, 10};
  test_sizes(gp_segments_init(GP_U32, offsets, 2), "gp_segments", GP__LEAST_gp_segments,
      [&](const gp_segments *s) { return gp_segmented_reduce(ctx, GP_SUM, GP_I32, GP_I32, in, 10, s, out, nullptr); });
  test_sizes(square(2, 5), "gp_permutation", GP__LEAST_gp_permutation,
      [&](const gp_permutation *p) { return gp_permute(ctx, GP_I32, p, in, out, nullptr); });
  test_sizes(sample_structs, "gp_layout", GP__LEAST_gp_layout,
      [&](const gp_layout *l) { return gp_convert_layout(ctx, l, &sample_columns, in, 2, out, 0, nullptr); });
  const unsigned ends[10] = {};
  gp_graph graph = gp_graph_init();
  graph.vertices = 2, graph.edges = 10, graph.offsets = offsets, graph.targets = ends;
  gp_degrees degrees;
  test_sizes(graph, "gp_graph", GP__LEAST_gp_graph,
      [&](const gp_graph *g) { return gp_graph_degrees(ctx, g, &degrees, nullptr); });
  // Writes as many bytes as the program's struct has, and nothing after them.
  Grown<gp_description> said = grown(gp_description_init());
  memset(said.later, 7, sizeof said.later);
  BAD(GP_E_UNSUPPORTED, "sets a member", gp_describe(ctx, &said.now));
  memset(said.later, 0, sizeof said.later);
  GOOD(gp_describe(ctx, &said.now));
  CHECK(said.now.struct_size == sizeof said && said.now.backend == GP_BACKEND_HOST);
  gp_description none;
  memset(&none, 0, sizeof none);
  BAD(GP_E_ARGUMENT, "gp_describe: description.struct_size is 0", gp_describe(ctx, &none));
  // A policy has room for later versions' numbers.
  gp_policy later;
  memset(&later, 0, sizeof later);
  later.reserved[8] = 1;
  const gp_config on_device = config();
  GOOD(gp_open(&on_device, &device));
  copy.policy = &later;
  BAD(GP_E_UNSUPPORTED, "gp_copy: policy.reserved is not zero", gp_prepare(device, &copy));
  CLOSE(device);
  CLOSE(ctx);
}

static void test_prepared() {
  gp_context *ctx = open_fake();
  fake::machine.run = false;
  Device<int> in(40000), out(40000); // more than one cluster scans
  gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, 39000);
  gp_prepared *prepared = nullptr;
  BAD(GP_E_NULL, "gp_prepared_open: prepared is null", gp_prepared_open(ctx, &c, nullptr));
  BAD(GP_E_NULL, "gp_prepared_open: call is null", gp_prepared_open(ctx, nullptr, &prepared));
  BAD(GP_E_NULL, "gp_prepared_run: prepared is null", gp_prepared_run(nullptr, &c, nullptr));
  BAD(GP_E_NULL, "gp_prepared_close: prepared is null", gp_prepared_close(nullptr));
  c.in_type = gp_type(-1);
  BAD(GP_E_TYPE, "type is -1", gp_prepared_open(ctx, &c, &prepared));
  CHECK(!prepared);
  c.in_type = GP_I32, c.in = c.out = nullptr; // buffers come later
  GOOD(gp_prepared_open(ctx, &c, &prepared));
  BAD(GP_E_NULL, "gp_prepared_run: call is null", gp_prepared_run(prepared, nullptr, nullptr));
  BAD(GP_E_NULL, "gp_inclusive_scan: in is null", gp_prepared_run(prepared, &c, nullptr));
  c.in = in.data, c.out = out.data;
  for (int again = 0; again < 2; ++again) { // without a plan, then with one
    const unsigned long launches = fake::counts.launches;
    gp_call other = c;
    other.op = GP_MAX;
    BAD(GP_E_ARGUMENT, "gp_prepared_run: call.op is 4, but the call was prepared with 1",
        gp_prepared_run(prepared, &other, nullptr));
    CHECK(fake::counts.launches == launches);
    GOOD(gp_prepared_run(prepared, &c, nullptr));
    other = c, other.out = const_cast<int *>(in.data) + 4;
    BAD(GP_E_OVERLAP, "in and out overlap", gp_prepared_run(prepared, &other, nullptr));
    BAD(GP_E_OVERLAP, "in and out overlap", gp_prepared_run(prepared, &other, nullptr)); // the same call again
    other = c, other.out = reinterpret_cast<char *>(out.data) + 2;
    BAD(GP_E_ALIGNMENT, "gp_inclusive_scan: out", gp_prepared_run(prepared, &other, nullptr));
    other = c, other.in = nullptr;
    BAD(GP_E_NULL, "gp_inclusive_scan: in is null", gp_prepared_run(prepared, &other, nullptr));
    other = c, other.out = out.data + 4, other.count = 38000;
    GOOD(gp_prepared_run(prepared, &other, nullptr));
    other = c, other.out = const_cast<void *>(c.in); // in place
    GOOD(gp_prepared_run(prepared, &other, nullptr));
    GOOD(gp_prepared_run(prepared, &c, nullptr));
    CHECK(fake::counts.launches == launches + 4 && prepared->quick);
  }
  // Its stream's workspace and its kernels stay; others may go.
  GOOD(gp_trim(ctx, 0));
  const size_t kept = fake::memory.size();
  CHECK(kept == 1);
  const unsigned long loaded = fake::counts.calls["cuModuleLoadData"];
  GOOD(gp_prepared_run(prepared, &c, nullptr));
  CHECK(fake::counts.calls["cuModuleLoadData"] == loaded && fake::memory.size() == kept);
  GOOD(gp_prepared_close(prepared));
  GOOD(gp_trim(ctx, 0));
  CHECK(fake::memory.empty());
  // Closed after its context.
  GOOD(gp_prepared_open(ctx, &c, &prepared));
  GOOD(gp_prepared_run(prepared, &c, nullptr));
  static int start; // the value may be another at the same address
  gp_call begun = c;
  begun.init = &start;
  for (start = 3; start < 6; ++start) {
    GOOD(gp_prepared_run(prepared, &begun, nullptr));
    CHECK(memcmp(prepared->q.init.bytes, &start, sizeof start) == 0);
  }
  CLOSE(ctx);
  BAD(GP_E_CONTEXT, "gp_prepared_run: ctx is closed", gp_prepared_run(prepared, &c, nullptr));
  GOOD(gp_prepared_close(prepared));
}

// How often a repeated call asks the driver: no more than these, and one launch.
static void test_driver_calls() {
  gp_context *ctx = open_fake();
  fake::machine.run = fake::machine.pageable = false;
  fake::Stream *own = fake::make_stream();
  Device<int> in(4096), out(4096), more(4096);
  for (const Device<int> *d : {&in, &out, &more}) fake::places[d->data] = {4096 * sizeof(int), 2};
  fake::current.push_back(&fake::primary[0]);
  static const float half = 0.5f;
  gp_call copy = fold_call(GP_COPY, GP_OP_DEFAULT, GP_F32, GP_TYPE_DEFAULT, in.data, out.data, 4000);
  gp_call transform = copy, select = copy, sort = gp_call_init(GP_SORT);
  transform.primitive = GP_TRANSFORM, transform.op = GP_NEGATE;
  select.primitive = GP_SELECT, select.op = GP_LESS, select.scalar = &half;
  select.out_count = reinterpret_cast<uint64_t *>(more.data);
  sort.key_type = GP_U32, sort.keys = in.data, sort.out_keys = out.data, sort.count = 1000;
  const struct {
    gp_call call;
    bool workspace;
  } calls[] = {{copy, false}, {transform, false},
      {fold_call(GP_REDUCE, GP_SUM, GP_F32, GP_F32, in.data, out.data, 4000), true},
      {fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_F32, GP_F32, in.data, out.data, 4000), false}, {select, false},
      {sort, false}};
  for (gp_stream stream : {static_cast<gp_stream>(nullptr), static_cast<gp_stream>(own)})
    for (const auto &one : calls) {
      gp_call c = one.call;
      const char *name = gp__primitive_names[c.primitive];
      for (int i = 0; i < 3; ++i) GOOD(gp_run(ctx, &c, stream));
      const auto before = fake::counts;
      for (int i = 0; i < 10; ++i) {
        std::swap(c.in, c.keys), std::swap(c.in, c.keys);
        c.count = one.call.count - (i >= 5); // another plan
        if (i == 5)
          for (int again = 0; again < 3; ++again) GOOD(gp_run(ctx, &c, stream));
        const auto start = fake::counts;
        GOOD(gp_run(ctx, &c, stream));
        std::string asked;
        for (const auto &called : fake::counts.calls)
          for (unsigned n = start.calls.count(called.first) ? start.calls.at(called.first) : 0; n < called.second; ++n)
            asked += " " + called.first.substr(2);
        std::string wanted = " CtxGetCurrent LaunchKernelEx";
        if (stream && one.workspace) wanted += " StreamGetId";
        if (stream) wanted += " StreamIsCapturing";
        check(asked == wanted, __LINE__, "%s on %s asks the driver:%s", name,
            stream ? "a stream" : "the default stream", asked.c_str());
      }
      CHECK(fake::counts.launches == before.launches + 13);
    }
  // A workspace of the caller's.
  Device<unsigned char> room(1 << 20);
  gp_call lent = calls[2].call;
  fake::places[room.data] = {1 << 20, 2};
  lent.workspace = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(room.data) + 255) & ~uintptr_t(255));
  lent.workspace_bytes = 1 << 18;
  for (int i = 0; i < 3; ++i) GOOD(gp_run(ctx, &lent, own));
  lent.workspace = static_cast<char *>(lent.workspace) + 128;
  BAD(GP_E_ALIGNMENT, "is not aligned to 256 bytes", gp_run(ctx, &lent, own));
  lent.workspace = static_cast<char *>(lent.workspace) + 128;
  GOOD(gp_run(ctx, &lent, own));
  // A stream of another context with the handle of one that is gone.
  own->context = &fake::foreign, own->id += 1000;
  for (const auto &one : calls) {
    gp_call c = one.call;
    BAD(GP_E_STREAM, "stream does not belong to the primary context", gp_run(ctx, &c, own));
  }
  BAD(GP_E_STREAM, "stream does not belong to the primary context", gp_run(ctx, &lent, own));
  fake::current.pop_back();
  fake::places.clear();
  fake::machine.pageable = true;
  CLOSE(ctx);
  fake::destroy_stream(own);
}

// Calls that have plans, each followed by calls that differ in one thing: what they launch is what a context launches
// that has no plan.
static void test_plans() {
  gp_context *with = open_fake(), *without = open_fake();
  fake::machine.run = false;
  fake::Stream *streams[2] = {fake::make_stream(), fake::make_stream()};
  gp_op user[2], ignored[2];
  for (int i = 0; i < 2; ++i) {
    gp_op_desc d = gp_op_desc_init();
    d.name = i ? "user b" : "user a", d.body = i ? "return a * b;" : "return a + b;", d.identity = "0", d.arity = 2;
    GOOD(gp_op_define(with, &d, &user[i]));
    GOOD(gp_op_define(without, &d, &ignored[i]));
    CHECK(user[i] == ignored[i]);
  }
  std::string launched;
  fake::on_launch = [&](const fake::Module &m, const gp__cu_launch &l) {
    launched += m.kernel + " " + std::to_string(l.grid_x) + " " + std::to_string(l.block_x) + " " +
        std::to_string(l.shared_bytes) + " " + std::to_string(l.attribute_count) + "\n";
  };
  const auto run = [&](gp_context *ctx, const gp_call &c) {
    launched.clear();
    if (ctx == without) memset(ctx->state->numbers, 0, sizeof ctx->state->numbers);
    const gp_result result = gp_run(ctx, &c, streams[ctx == without]);
    return launched + gp_result_name(result) + (result ? gp_last_message() : "");
  };
  const auto has_plan = [&](int primitive) {
    for (const gp_prepared *plan : with->state->plans)
      if (plan && plan->quick && plan->call.primitive == primitive) return true;
    return false;
  };
  Device<unsigned char> room(1 << 22);
  static gp_policy given;
  static const double values[16] = {1, 2};
  typedef std::function<void(gp_call &)> Change;
  const auto far = [](int i) { return reinterpret_cast<void *>(uintptr_t(i) << 44); };
  const auto moved = [](const void *p, int bytes) {
    return p ? const_cast<char *>(static_cast<const char *>(p)) + bytes : nullptr;
  };
  std::vector<Change> changes;
  for (uint64_t n : {0ull, 1ull, 3ull, 100ull, 5000ull, 1ull << 18, 1ull << 22, 1ull << 24})
    changes.push_back([=](gp_call &c) { c.count = n; });
  for (int bytes : {4, 8, 16, 1})
    for (int which = 0; which < 6; ++which)
      changes.push_back([=](gp_call &c) {
        if (which == 0) c.in = moved(c.in, bytes);
        if (which == 1) c.in2 = moved(c.in2, bytes);
        if (which == 2) c.keys = moved(c.keys, bytes);
        if (which == 3) c.begin = moved(c.begin, bytes);
        if (which == 4) c.out = moved(c.out, bytes);
        if (which == 5) c.out_keys = moved(c.out_keys, bytes);
      });
  changes.push_back([](gp_call &c) { c.out = const_cast<void *>(c.in); });
  changes.push_back([](gp_call &c) { c.out_keys = const_cast<void *>(c.keys); });
  changes.push_back([=](gp_call &c) { c.out = moved(c.in, 16); });
  changes.push_back([=](gp_call &c) { c.out2 = c.out; });
  changes.push_back([](gp_call &c) { c.in2 = c.in; });
  changes.push_back([](gp_call &c) { c.in = nullptr; });
  changes.push_back([](gp_call &c) { c.out = nullptr; });
  changes.push_back([](gp_call &c) { c.out_keys = nullptr; });
  changes.push_back([](gp_call &c) { c.end = c.begin ? static_cast<const char *>(c.begin) + 16 : nullptr; });
  changes.push_back([=](gp_call &c) { c.count_device = static_cast<uint64_t *>(far(90)); });
  for (int flag : {GP_REPRODUCIBLE, GP_CHECKED, GP_DESCENDING, GP_RIGHT, GP_UNSORTED, GP_LITTLE_MEMORY})
    changes.push_back([=](gp_call &c) { c.flags ^= flag; });
  for (gp_op op : {GP_SUM, GP_PROD, GP_MIN, GP_LESS, GP_GREATER, GP_NEGATE, user[0], user[1]})
    changes.push_back([=](gp_call &c) { c.op = op; });
  changes.push_back([](gp_call &c) { c.transform = GP_ABS; });
  changes.push_back([](gp_call &c) { c.apply = GP_NEGATE; });
  changes.push_back([](gp_call &c) { c.equal = GP_NOT_EQUAL; });
  for (gp_type type : {GP_U8, GP_I32, GP_F16, GP_F64}) {
    changes.push_back([=](gp_call &c) { c.in_type = type; });
    changes.push_back([=](gp_call &c) { c.out_type = type; });
    changes.push_back([=](gp_call &c) { c.acc_type = type; });
    changes.push_back([=](gp_call &c) { c.key_type = type; });
  }
  changes.push_back([](gp_call &c) { c.offset_type = GP_U64; });
  for (uint64_t n : {1ull, 7ull, 3000ull, 1ull << 20}) {
    changes.push_back([=](gp_call &c) { c.segments = n; });
    changes.push_back([=](gp_call &c) { c.k = n; });
    changes.push_back([=](gp_call &c) { c.bins = n; });
    changes.push_back([=](gp_call &c) { c.count2 = n; });
    changes.push_back([=](gp_call &c) { c.key_count = n; });
  }
  changes.push_back([](gp_call &c) { c.end_bit = 8; });
  changes.push_back([](gp_call &c) { c.channels = 3; });
  changes.push_back([](gp_call &c) { c.init = values; });
  changes.push_back([](gp_call &c) { c.lower = c.upper; });
  changes.push_back([&](gp_call &c) { c.workspace = room.data, c.workspace_bytes = room.count; });
  changes.push_back([&](gp_call &c) { c.workspace = room.data + 128, c.workspace_bytes = room.count - 256; });
  changes.push_back([&](gp_call &c) { c.workspace = room.data, c.workspace_bytes = 8; });
  for (int threads : {64, 128, 256, 512}) // at one address
    changes.push_back([=](gp_call &c) { c.policy = &given, given.threads = threads; });
  int with_plans = 0;
  for (int primitive = GP_PRIMITIVE_NONE + 1; primitive < GP_PRIMITIVE_COUNT; ++primitive) {
    gp_call base = sample(gp_primitive(primitive), 5000);
    gp_policy_source source;
    int place = 1;
#define FAR(member) \
  if (base.member) base.member = decltype(base.member)(far(place++));
    if (!base.axes && !base.graph && !base.out_graph && !base.aggregates && !base.columns) {
      FAR(in)
      FAR(in2)
      FAR(keys) FAR(keys2) FAR(begin) FAR(end) FAR(out) FAR(out2) FAR(out3) FAR(out_keys) FAR(out_count) FAR(bad)
    }
#undef FAR
    memset(&given, 0, sizeof given);
    if (gp_policy_origin(with, &base, &given, &source)) memset(&given, 0, sizeof given);
    const gp_policy usual = given;
    const std::string before = run(without, base);
    for (int i = 0; i < 3; ++i) check(run(with, base) == before, __LINE__, "%s", gp__primitive_names[primitive]);
    with_plans += has_plan(primitive);
    int never = 0; // such a plan is made once
    for (gp_prepared *plan : with->state->plans)
      if (plan && plan->never) plan->p.threads = 77, ++never;
    check(run(with, base) == before && (never || primitive != GP_TRANSPOSE), __LINE__, "%s, once more",
        gp__primitive_names[primitive]);
    for (const gp_prepared *plan : with->state->plans)
      check(!plan || !plan->never || plan->p.threads == 77, __LINE__, "%s", gp__primitive_names[primitive]);
    for (size_t i = 0; i < changes.size(); ++i) {
      gp_call c = base;
      given = usual;
      c.policy = i % 2 ? &given : nullptr;
      for (int again = 0; again < 2; ++again) run(with, c); // by a plan if it has one
      changes[i](c);
      const std::string wanted = run(without, c);
      for (int again = 0; again < 3; ++again) {
        const std::string got = run(with, c);
        check(got == wanted, __LINE__, "%s, change %d: %s instead of %s", gp__primitive_names[primitive], int(i),
            got.c_str(), wanted.c_str());
      }
      if (i % 16 == 0) GOOD(gp_trim(with, 0)); // plans outlive their kernels
      check(run(with, base) == before, __LINE__, "%s after change %d", gp__primitive_names[primitive], int(i));
    }
  }
  check(with_plans > 20, __LINE__, "%d primitives have plans", with_plans);
  fake::on_launch = nullptr;
  GOOD(gp_close(without));
  CLOSE(with);
  for (fake::Stream *s : streams) fake::destroy_stream(s);
}

static void test_programs() {
  gp_context *ctx = open_fake();
  const gp_type vec3 = define(ctx, "vec3", "struct vec3 {\n  float x, y, z;\n};", 12, 4);
  const gp_type raw = define(ctx, "raw6", nullptr, 6, 2);
  gp_op_desc d = gp_op_desc_init();
  gp_op nearest, length, faulty;
  d.name = "nearest", d.body = "return a.x < b.x ? a : b;", d.identity = "{1e30f, 0, 0}", d.arity = 2,
  d.commutative = 1;
  d.prelude = "#define SQ(x) ((x) * (x))";
  GOOD(gp_op_define(ctx, &d, &nearest));
  d = gp_op_desc_init();
  d.name = "length", d.body = "return sqrtf(SQ(a.x));", d.prelude = "#define SQ(x) ((x) * (x))", d.arity = 1;
  GOOD(gp_op_define(ctx, &d, &length));
  d = gp_op_desc_init();
  d.name = "faulty", d.body = "int t = a;\nreturn t + missing;", d.identity = "0", d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &faulty));
  auto has = [](const char *text) { return fake::last_program.find(text) != std::string::npos; };
  auto option = [](const char *text) {
    for (const std::string &o : fake::last_options)
      if (o == text) return true;
    return false;
  };

  gp_call c = fold_call(GP_REDUCE, nearest, vec3, vec3, nullptr, nullptr, 1 << 20);
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("#include \"gpuprims.h\"\n") && has("#line 1 \"type vec3\"\nstruct vec3 {\n  float x, y, z;\n};\n"));
  CHECK(has("static_assert(sizeof(vec3) == 12 && alignof(vec3) == 4"));
  CHECK(has("#line 1 \"operator nearest\"\nreturn a.x < b.x ? a : b;\n") && has("enum { commutative = 1, exact = 0 }"));
  CHECK(has("#line 1 \"identity of operator nearest\"\n{1e30f, 0, 0}\n") &&
      has("#line 1 \"prelude of operator nearest\""));
  CHECK(has("gp__op_1, gp__load<vec3, vec3, gp_convert<vec3, vec3>>, vec3, vec3, vec3>(a); }"));
  CHECK(option("--gpu-architecture=sm_90") && option("-std=c++17") && option("-default-device"));
  CHECK(!option("--fmad=false"));
  CHECK(fake::last_program.find("struct vec3") == fake::last_program.rfind("struct vec3"));

  c = fold_call(GP_INCLUSIVE_SCAN, GP_MAX, vec3, GP_F32, nullptr, nullptr, 1 << 20);
  c.transform = length, c.flags = GP_REPRODUCIBLE;
  GOOD(gp_prepare(ctx, &c));
  CHECK(
      has("gp__scan_look_back<") && has("false, gp_max<float>, gp__load<vec3, float, gp__op_2>, vec3, float, float>"));
  CHECK(has("typedef vec3 A;\n  typedef float R;") && option("--fmad=false"));

  c = gp_call_init(GP_TRANSFORM);
  c.op = length, c.in_type = vec3, c.out_type = GP_BF16, c.count = 10;
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("gp__op_1, vec3, gp__none, gp_bf16>(a)") && has("gp__map_args"));
  c = gp_call_init(GP_COPY);
  c.in_type = raw, c.count = 10;
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("gp__copy_kernel<") && has(", 6>(a)") && !has("raw6"));
  c = gp_call_init(GP_FILL);
  c.out_type = raw, c.count = 10;
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("struct alignas(2) raw6 { unsigned char bytes[6]; };") && has("gp__fill_value<raw6>"));
  c = fold_call(GP_REDUCE, GP_SUM, GP_F16, GP_F16, nullptr, nullptr, 10); // computed in f32
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("gp_sum<float>, gp__load<gp_f16, float, gp_convert<gp_f16, float>>, gp_f16, float, gp_f16>"));
  c = fold_call(GP_REDUCE, GP_ARGMAX, GP_I32, GP_I64, nullptr, nullptr, 10);
  GOOD(gp_prepare(ctx, &c));
  CHECK(has("gp_argmax<long long>, gp__load<int, gp_arg<long long>, gp_convert<int, long long>>, int, gp_arg<long "
            "long>, gp_arg<long long>>"));

  // source that does not compile: the operator, the line and its text
  fake::machine.compile_error = "missing";
  c = fold_call(GP_REDUCE, faulty, GP_I32, GP_I32, nullptr, nullptr, 10);
  for (int round = 0; round < 2; ++round) {
    BAD(GP_E_COMPILE,
        "operator faulty does not compile, line 2: error: identifier \"missing\" is undefined\n  return t + missing;",
        gp_prepare(ctx, &c));
    CHECK(fake::programs.empty());
  }
  fake::machine.compile_error.clear();
  GOOD(gp_prepare(ctx, &c));

  // the origin of machine code
  gp_kernel_source source;
  char name[512];
  GOOD(gp_kernel_origin(ctx, &c, &source, name, sizeof name));
  CHECK(source == GP_KERNEL_COMPILED && strstr(name, "gp__reduce_even_share<gp__policy<") == name);
  c.op = GP_PROD;
  GOOD(gp_kernel_origin(ctx, &c, &source, name, 5));
  CHECK(source == GP_KERNEL_NONE && strcmp(name, "gp__") == 0);
  BAD(GP_E_NULL, "name is null", gp_kernel_origin(ctx, &c, &source, nullptr, 5));
  BAD(GP_E_NULL, "source is null", gp_kernel_origin(ctx, &c, nullptr, nullptr, 0));

  // the policy in the machine code's echo
  gp_policy asked = {GP_STEALING, 256, 2, GP_CACHE_L2, GP_CACHE_ALL, 0, 3, 2, 0, 0, 0, 0, 0, 0, 0, {}}, said;
  gp_call e = fold_call(GP_REDUCE, GP_SUM, GP_F32, GP_F32, nullptr, nullptr, 1 << 20);
  e.policy = &asked;
  GOOD(gp_policy_echo(ctx, &e, &said));
  CHECK(memcmp(&asked, &said, sizeof said) == 0);
  e.policy = nullptr;
  gp_policy chosen;
  gp_policy_source chosen_by;
  GOOD(gp_policy_origin(ctx, &e, &chosen, &chosen_by));
  GOOD(gp_policy_echo(ctx, &e, &said));
  CHECK(memcmp(&chosen, &said, sizeof said) == 0);
  asked = {GP_THREE_SWEEP, 128, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0};
  e = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_F32, GP_F32, nullptr, nullptr, 1 << 20);
  e.policy = &asked;
  GOOD(gp_policy_echo(ctx, &e, &said));
  CHECK(said.algorithm == GP_THREE_SWEEP && said.threads == 128 && said.vectors == 3 && said.blocks_per_sm == 2);
  BAD(GP_E_NULL, "policy is null", gp_policy_echo(ctx, &e, nullptr));
  asked.threads = 100;
  BAD(GP_E_POLICY, "threads", gp_policy_echo(ctx, &e, &said));

  gp_description about = gp_description_init();
  GOOD(gp_describe(ctx, &about));
  CHECK(about.nvrtc_version == 13000);
  CLOSE(ctx);

  // a device newer than NVRTC: PTX of the newest earlier architecture
  fake::machine.capability = 103;
  ctx = open_fake();
  c.op = GP_SUM;
  GOOD(gp_prepare(ctx, &c));
  CHECK(option("--gpu-architecture=compute_100") && fake::counts.calls["nvrtcGetPTX"] == 1);
  CLOSE(ctx);
  fake::machine.capability = 75, fake::machine.architectures = {80, 90};
  ctx = open_fake();
  BAD(GP_E_COMPILE, "does not support compute capability 7.5", gp_prepare(ctx, &c));
  CLOSE(ctx);

  // no compiler
  fake::reset();
  fake::machine.nvrtc = false;
  ctx = open_fake();
  BAD(GP_E_NO_COMPILER, "NVRTC", gp_prepare(ctx, &c));
  CLOSE(ctx);
  fake::machine.nvrtc = true;
  gp_config k = config();
  k.no_compile = 1;
  GOOD(gp_open(&k, &ctx));
  BAD(GP_E_NO_COMPILER, "no_compile", gp_prepare(ctx, &c));
  CHECK(fake::counts.calls["nvrtcVersion"] == 0);
  CLOSE(ctx);
  k = gp_config_init(), k.backend = GP_BACKEND_HOST, k.cache_dir = "", k.nvrtc_library = "/nonexistent/libnvrtc.so";
  GOOD(gp_open(&k, &ctx));
  BAD(GP_E_NO_COMPILER, "/nonexistent/libnvrtc.so",
      gp_compile(
          ctx, &c, 90, [](void *, const char *, const void *, size_t) {}, nullptr));
  GOOD(gp_close(ctx));
}

// ---- segments, runs, selection, histograms, search

static void test_more_arguments(bool host) {
  gp_config config_ = config();
  if (host) config_.backend = GP_BACKEND_HOST;
  gp_context *ctx = nullptr;
  GOOD(gp_open(&config_, &ctx));
  Buffers &b = buffers;
  const gp_type vec3 = define(ctx, "vec3", "struct vec3 { float x, y, z; };", 12, 4);
  gp_op_desc d = gp_op_desc_init();
  gp_op binary, unary;
  const float zero[3] = {0, 0, 0};
  d.name = "mine", d.body = "return a;", d.host = host_add, d.identity = "{0}", d.arity = 2;
  d.host_identity = zero, d.host_identity_size = 12;
  GOOD(gp_op_define(ctx, &d, &binary));
  d = gp_op_desc_init();
  d.name = "mine of one", d.body = "return a.x > 0;", d.host = host_add, d.arity = 1;
  GOOD(gp_op_define(ctx, &d, &unary));
  memset(&b, 0x5a, sizeof b);

#define WRONG(code, text, primitive, ...) \
  do { \
    gp_call c = sample(primitive); \
    __VA_ARGS__; \
    BAD(code, text, gp_run(ctx, &c, nullptr)); \
  } while (0)
#define FINE(primitive, ...) \
  do { \
    gp_call c = sample(primitive); \
    __VA_ARGS__; \
    GOOD(gp_prepare(ctx, &c)); \
  } while (0)

  // The sample calls are valid, and each field that a call does not read is an error that names it.
  for (int i = GP_SEGMENTED_REDUCE; i < GP_PRIMITIVE_COUNT; ++i) {
    const gp_primitive p = gp_primitive(i);
    FINE(p, (void)c);
    const uint64_t reads = gp__reads(p);
#define UNREAD(FIELD, field, error, text) \
  if (!(reads & GP__READS_##FIELD)) { \
    gp_call c = sample(p); \
    memset(&c.field, 0, sizeof c.field); \
    memset(&c.field, 1, 1); \
    BAD(error, ": " #field ": the call ", gp_run(ctx, &c, nullptr)); \
  }
    GP__CALL_FIELDS(UNREAD)
#undef UNREAD
    WRONG(GP_E_ARGUMENT, "flags has unknown bits", p, c.flags = 1 << 20);
    const gp_graph none = gp_graph_init();
    if (p != GP_BFS) WRONG(GP_E_ARGUMENT, "flags: GP_UNTIL_TARGET is for bfs only", p, c.flags = GP_UNTIL_TARGET);
    if (!(gp__primitive_of(p)->traits & GP__TAKES_GRAPH))
      WRONG(GP_E_ARGUMENT, ": graph: the call takes no graph", p, c.graph = &none);
    if (p != GP_BFS && p != GP_BFS_CHECK)
      WRONG(GP_E_ARGUMENT, ": source and limit are for bfs and bfs_check only", p,
          p == GP_BFS_SOURCES ? c.source = 1 : c.limit = 1);
    if (p != GP_BFS_SOURCES) WRONG(GP_E_ARGUMENT, ": sources is for bfs_sources only", p, c.sources = &b.bad);
    if (p != GP_GRAPH_FROM_EDGES) {
      WRONG(GP_E_ARGUMENT, "GP_DROP_LOOPS is for graph_from_edges only", p, c.flags = GP_DROP_LOOPS);
      if (p != GP_GRAPH_RELABEL) WRONG(GP_E_ARGUMENT, ": out_graph: the call builds no graph", p, c.out_graph = &none);
    }
    if (p != GP_ADJACENT_DIFFERENCE)
      WRONG(GP_E_ARGUMENT, "GP_RIGHT is for adjacent_difference only", p, c.flags = GP_RIGHT);
    if (p > GP_SEGMENTED_EXCLUSIVE_SCAN && p != GP_SEGMENTED_SORT && p != GP_LOAD_BALANCE && p != GP_EXPAND &&
        p != GP_SEGMENTED_TOP_K && !gp__is_search(p))
      WRONG(GP_E_ARGUMENT,
          "GP_CHECKED is for segmented_reduce, segmented scans, segmented_sort, segmented_top_k, load_balance, expand "
          "and bfs",
          p, c.flags = GP_CHECKED);
    if (reads & GP__READS_COUNT_DEVICE) {
      WRONG(GP_E_ALIGNMENT, ": count_device (", p, c.count_device = reinterpret_cast<uint64_t *>(b.end + 4));
      FINE(p, c.count_device = &b.bad);
    }
    if (gp__is_graph_work(p)) continue; // their buffers have other names: test_dispatch_graphs.cpp
    if (reads & GP__READS_IN_TYPE && p != GP_UNIQUE) {
      WRONG(GP_E_TYPE, ": in_type is 77", p, c.in_type = gp_type(77));
      WRONG(GP_E_TYPE, ": in_type is not set", p, c.in_type = GP_TYPE_DEFAULT);
      WRONG(GP_E_NULL, ": in is null", p, c.in = nullptr);
      WRONG(GP_E_ALIGNMENT, ": in (", p, c.in = b.in + 2);
    }
    if (reads & GP__READS_OUT && p != GP_UNIQUE && !gp__is_search(p)) {
      if (p != GP_JOIN) WRONG(GP_E_NULL, ": out is null", p, c.out = nullptr); // a join may only count
      if (!gp__finds_truth(p) && p != GP_CONVERT_LAYOUT) WRONG(GP_E_ALIGNMENT, ": out (", p, c.out = b.out + 2);
    }
    if (reads & GP__READS_KEY_TYPE && p != GP_SELECT && p != GP_PARTITION) {
      WRONG(GP_E_NULL, ": keys is null", p, c.keys = nullptr);
      WRONG(GP_E_ALIGNMENT, ": keys (", p, c.keys = b.keys + 1);
    }
    if (reads & GP__READS_OFFSET_TYPE) {
      WRONG(GP_E_TYPE, ": offset_type is f32, not i32, u32, i64 or u64", p, c.offset_type = GP_F32);
      WRONG(GP_E_TYPE, ": offset_type is u16", p, c.offset_type = GP_U16);
      WRONG(GP_E_TYPE, ": offset_type is not set", p, c.offset_type = GP_TYPE_DEFAULT);
      WRONG(GP_E_NULL, ": begin is null", p, c.begin = nullptr);
      WRONG(GP_E_ALIGNMENT, ": begin (", p, c.begin = b.begin + 2);
      WRONG(GP_E_ALIGNMENT, ": begin (", p, c.offset_type = GP_U64, c.begin = b.begin + 4);
    }
    if (reads & GP__READS_SEGMENTS) {
      WRONG(GP_E_SIZE, ": segments is 2^64 - 1", p, c.segments = UINT64_MAX);
      WRONG(GP_E_SIZE, "", p, c.segments = UINT64_MAX / 4);
    }
    if (reads & GP__READS_OUT_COUNT) {
      WRONG(GP_E_NULL, ": out_count is null", p, c.out_count = nullptr);
      WRONG(GP_E_NULL, ": out_count is null", p, c.count = 0, c.out_count = nullptr);
      WRONG(GP_E_ALIGNMENT, ": out_count (", p, c.out_count = reinterpret_cast<uint64_t *>(b.end + 4));
      WRONG(GP_E_OVERLAP, " and out_count overlap", p,
          c.out_count = static_cast<uint64_t *>(const_cast<void *>(c.in ? c.in : c.keys)));
    }
  }

  // transposes
  {
    gp_permutation m;
#define SHAPED(code, text, ...) \
  do { \
    gp_call c = sample(GP_TRANSPOSE); \
    c.permutation = &m, c.count = 0, m = square(10, 10); \
    __VA_ARGS__; \
    BAD(code, text, gp_run(ctx, &c, nullptr)); \
  } while (0)
    SHAPED(GP_E_NULL, ": permutation is null", c.permutation = nullptr);
    SHAPED(GP_E_ARGUMENT, ": permutation.dimensions is 0, not 1 to 4", m.dimensions = 0);
    SHAPED(GP_E_ARGUMENT, ": permutation.dimensions is 5, not 1 to 4", m.dimensions = 5);
    SHAPED(GP_E_ARGUMENT, ": permutation.order[1] is 1: this is not a permutation of 2 dimensions", m.order[1] = 1);
    SHAPED(GP_E_ARGUMENT, ": permutation.order[0] is 2: this is not a permutation of 2 dimensions", m.order[0] = 2);
    SHAPED(GP_E_ARGUMENT, ": permutation.order[0] is -1", m.order[0] = -1);
    SHAPED(GP_E_ARGUMENT, ": count is 99, neither 0 nor the product of permutation.extent (100)", c.count = 99);
    SHAPED(GP_E_SIZE, ": permutation.extent[1] is 8589934592: the product of the extents times 4 bytes overflows",
        m = square(uint64_t(1) << 31, uint64_t(1) << 33));
    SHAPED(GP_E_ARGUMENT, ": permutation.in_stride[0] (a leading dimension) is 9, below the 10 elements of one step",
        m.in_stride[0] = 9);
    SHAPED(GP_E_ARGUMENT, ": permutation.out_stride[0] (a leading dimension) is 9, below the 10 elements of one step",
        m.out_stride[0] = 9);
    SHAPED(GP_E_ARGUMENT, ": permutation.in_stride[1] is 2, but the stride of the last dimension must be 1",
        m.in_stride[1] = 2);
    SHAPED(GP_E_SIZE, ": permutation.out_stride[0] times the extent overflows", m.out_stride[0] = UINT64_MAX / 16);
    SHAPED(GP_E_TYPE, ": in_type and out_type differ", c.out_type = GP_U32);
    SHAPED(GP_E_OVERLAP, ": in and out overlap", c.out = b.in + 4);
    SHAPED(GP_E_OVERLAP, ": in and out overlap", c.out = b.in + 400, m.in_stride[0] = 12); // within the last row's gap
    SHAPED(GP_E_OVERLAP, ": in and out are the same: an in-place transpose needs square matrices", c.out = b.in,
        m = square(10, 9), m.in_stride[0] = 10);
    SHAPED(GP_E_OVERLAP, ": in and out are the same: an in-place transpose", c.out = b.in, m.in_stride[0] = 12);
    SHAPED(GP_E_OVERLAP, ": in and out are the same, but this permutation moves whole rows", c.out = b.in,
        m.dimensions = 3, m.order[0] = 1, m.order[1] = 0, m.order[2] = 2, m.extent[2] = 100, m.extent[0] = 3,
        m.extent[1] = 2);
#undef SHAPED
    WRONG(GP_E_ARGUMENT, ": permutation: the call takes no permutation", GP_SHUFFLE, m = square(10, 10),
        c.permutation = &m);
  }

  // rows of arrays
  WRONG(GP_E_NULL, ": axes is null", GP_REDUCE_AXIS, c.axes = nullptr);
  WRONG(GP_E_ARGUMENT, ": count is 99, neither 0 nor the product of axes.extent (100)", GP_REDUCE_AXIS, c.count = 99);
  WRONG(GP_E_NULL, ": in is null", GP_ROW_MAP, c.in = nullptr);
  WRONG(GP_E_OVERLAP, ": in and out overlap", GP_ROW_MAP, c.out = b.in + 4);
  WRONG(GP_E_OVERLAP, ": in and out overlap", GP_REDUCE_AXIS, c.out = const_cast<void *>(c.in));
  FINE(GP_ROW_MAP, c.out = const_cast<void *>(c.in));
  WRONG(GP_E_OPERATOR, ": apply is not set", GP_ROW_MAP, c.apply = GP_OP_DEFAULT);
  WRONG(GP_E_OPERATOR, ": apply: operator \"mine of one\" is unary", GP_ROW_MAP, c.apply = unary);
  WRONG(GP_E_OPERATOR, ": apply: SUB does not work on struct types", GP_ROW_MAP, c.acc_type = vec3, c.op = binary,
      c.transform = unary);
  FINE(GP_ROW_MAP, c.acc_type = vec3, c.op = binary, c.transform = unary, c.apply = binary);
  FINE(GP_ROW_MAP, c.acc_type = vec3, c.op = binary, c.transform = unary, c.apply = binary, c.out_type = GP_F64);
  WRONG(GP_E_TYPE, "cannot convert to the accumulator's type: one of them is a struct type", GP_ROW_MAP,
      c.acc_type = vec3, c.op = binary, c.apply = binary);
  WRONG(GP_E_OPERATOR, ": apply: the call applies no operator to results", GP_REDUCE_AXIS, c.apply = GP_SUB);
  WRONG(GP_E_ARGUMENT, ": init: the call takes no initial value", GP_ROW_MAP, c.init = lower_ends);
  WRONG(GP_E_ARGUMENT, ": axes is for reduce_axis, row_map, scan_axis, sort_axis and top_k_axis only", GP_REDUCE,
      c.axes = sample(GP_ROW_MAP).axes);
  WRONG(GP_E_UNSUPPORTED, ": flags: GP_REPRODUCIBLE", GP_REDUCE_AXIS, c.op = GP_SUM, c.flags = GP_REPRODUCIBLE);

  // graphs
  {
    gp_graph g;
    uint64_t number = 0;
    gp_traversal t;
#define GRAPH(code, text, ...) \
  do { \
    gp_call c = sample(GP_BFS); \
    g = *c.graph, c.graph = &g; \
    __VA_ARGS__; \
    BAD(code, text, gp_run(ctx, &c, nullptr)); \
  } while (0)
    GRAPH(GP_E_NULL, ": graph is null", c.graph = nullptr);
    GRAPH(GP_E_TYPE, ": graph->offset_type is ", g.offset_type = GP_I32);
    GRAPH(GP_E_TYPE, ": graph->vertex_type is ", g.vertex_type = GP_U16);
    GRAPH(GP_E_ARGUMENT, ": graph->flags has unknown bits: 0x2", g.flags = 2);
    GRAPH(GP_E_SIZE, ": graph->vertices is 4294967295, not below 2^32 - 1", g.vertices = UINT32_MAX);
    GRAPH(GP_E_SIZE, ": graph->vertices is ", g.vertex_type = GP_U64, g.vertices = UINT64_MAX);
    GRAPH(GP_E_SIZE, ": graph->edges is 4294967296, not below 2^32, the limit of u32 offsets",
        g.edges = uint64_t(1) << 32);
    GRAPH(GP_E_SIZE, ": graph->edges is ", g.offset_type = GP_U64, g.edges = uint64_t(1) << 48);
    GRAPH(GP_E_NULL, ": graph->in_sources is null, but graph->in_offsets is not", g.in_offsets = b.in);
    GRAPH(GP_E_NULL, ": graph->in_offsets is null, but graph->in_sources is not", g.in_sources = b.in);
    GRAPH(GP_E_NULL, ": graph->offsets is null", g.offsets = nullptr);
    GRAPH(GP_E_NULL, ": graph->targets is null", g.targets = nullptr);
    GRAPH(GP_E_ALIGNMENT, ": graph->offsets (", g.offsets = b.begin + 2);
    GRAPH(GP_E_ALIGNMENT, ": graph->targets (", g.targets = b.end + 4, g.vertex_type = GP_U64);
    GRAPH(GP_E_ARGUMENT, ": source is 100, not below the 100 vertices of graph", c.source = 100);
    GRAPH(GP_E_ARGUMENT, ": source is 0, not below the 0 vertices of graph", g.vertices = 0);
    GRAPH(GP_E_ARGUMENT, ": target is 100, not below the 100 vertices of graph", c.flags = GP_UNTIL_TARGET,
        c.target = 100);
    GRAPH(GP_E_ARGUMENT, ": target is set, but flags lacks GP_UNTIL_TARGET", c.target = 1);
    GRAPH(GP_E_NULL, ": out (depths) is null", c.out = nullptr);
    GRAPH(GP_E_ALIGNMENT, ": out (depths) (", c.out = b.out + 2);
    GRAPH(GP_E_ALIGNMENT, ": out2 (parents) (", c.out2 = b.out2 + 2);
    GRAPH(GP_E_ALIGNMENT, ": source_device (", c.source_device = reinterpret_cast<uint64_t *>(b.keys + 4));
    GRAPH(GP_E_ALIGNMENT, ": statistics (", c.statistics = reinterpret_cast<gp_traversal *>(b.keys + 4));
    GRAPH(GP_E_OVERLAP, ": graph->targets and out (depths) overlap", c.out = b.end + 4);
    GRAPH(GP_E_OVERLAP, ": out (depths) and out2 (parents) overlap", c.out2 = b.out + 4);
    FINE(GP_BFS, c.out2 = b.out2, c.source_device = &number, c.source = 1000, c.statistics = &t);
#undef GRAPH
    const uint64_t two[2] = {99, 100};
    WRONG(GP_E_ARGUMENT, ": sources[1] is 100, not below the 100 vertices of graph", GP_BFS_SOURCES,
        c.source_device = nullptr, c.sources = two);
    WRONG(GP_E_ARGUMENT, ": sources and source_device", GP_BFS_SOURCES, c.sources = two);
    WRONG(GP_E_NULL, ": sources is null", GP_BFS_SOURCES, c.source_device = nullptr);
    WRONG(GP_E_NULL, "are all null: set at least one output", GP_BFS_SOURCES, c.out = nullptr);
    WRONG(GP_E_NULL, ": graph is null", GP_BFS_SOURCES, c.graph = nullptr);
    WRONG(GP_E_NULL, ": fault is null", GP_BFS_SOURCES, c.flags = GP_CHECKED);
    WRONG(GP_E_ARGUMENT, ": target is for bfs only", GP_BFS_SOURCES, c.target = 1);
    WRONG(GP_E_SIZE, ": count is 4611686018427387904: that many rows", GP_BFS_SOURCES, c.count = uint64_t(1) << 62);
    WRONG(GP_E_ALIGNMENT, ": out (depths) (", GP_BFS_SOURCES, c.out = b.out + 2);
    WRONG(GP_E_ALIGNMENT, ": out2 (reached) (", GP_BFS_SOURCES, c.out2 = b.out2 + 4);
    WRONG(GP_E_ALIGNMENT, ": source_device (", GP_BFS_SOURCES,
        c.source_device = reinterpret_cast<uint64_t *>(b.keys + 4));
    FINE(GP_BFS_SOURCES, c.out2 = b.out2, c.statistics = &t, c.limit = 3);
  }

  // operators
  for (gp_primitive p :
      {GP_SEGMENTED_REDUCE, GP_SEGMENTED_INCLUSIVE_SCAN, GP_REDUCE_BY_KEY, GP_EXCLUSIVE_SCAN_BY_KEY}) {
    WRONG(GP_E_OPERATOR, ": op is not set", p, c.op = GP_OP_DEFAULT);
    WRONG(GP_E_OPERATOR, "op: SUB is for transform2 and adjacent_difference only", p, c.op = GP_SUB);
    WRONG(GP_E_OPERATOR, "op: LESS is for predicates and runs only", p, c.op = GP_LESS);
    WRONG(GP_E_OPERATOR, "op: HEADS is for runs only", p, c.op = GP_HEADS);
    WRONG(GP_E_OPERATOR, "op: BIT_OR works on integers", p, c.op = GP_BIT_OR);
    WRONG(GP_E_OPERATOR, "op: MAX does not work on struct types", p, c.in_type = vec3);
    FINE(p, c.apply = GP_SQUARE);
    FINE(p, c.apply = unary, c.op = binary, c.in_type = c.acc_type = vec3, c.out_type = GP_F32);
    WRONG(GP_E_OPERATOR, ": apply: SQUARE does not work on struct types", p, c.apply = GP_SQUARE, c.op = binary,
        c.in_type = vec3);
    WRONG(GP_E_OPERATOR, ": apply: operator \"SUM\" is binary, not unary", p, c.apply = GP_SUM);
    WRONG(GP_E_OPERATOR, ": apply: NEGATE does not work on bool: use NOT", p, c.apply = GP_NEGATE, c.in_type = GP_BOOL);
    WRONG(GP_E_OPERATOR, ": apply is set, but ARGMIN has results of several values", p, c.apply = GP_NEGATE,
        c.op = GP_ARGMIN);
    FINE(p, c.flags = GP_REPRODUCIBLE, c.op = GP_SUM);
    FINE(p, c.flags = GP_REPRODUCIBLE, c.op = binary, c.in_type = vec3);
    const gp_policy own = small(GP_LOOK_BACK);
    if (p == GP_REDUCE_BY_KEY)
      WRONG(GP_E_POLICY, ": policy is set, but flags make the call run others", p, c.flags = GP_REPRODUCIBLE,
          c.op = GP_SUM, c.policy = &own);
    FINE(p, c.flags = GP_REPRODUCIBLE);
    FINE(p, c.op = GP_ARGMIN);
    FINE(p, c.op = binary, c.in_type = vec3);
  }
  for (gp_primitive p : {GP_REDUCE, GP_INCLUSIVE_SCAN, GP_TRANSFORM2, GP_ADJACENT_DIFFERENCE}) {
    gp_call c = fold_call(p, GP_GREATER, GP_I32, GP_I32, b.in, b.out, 10);
    BAD(GP_E_OPERATOR, "op: GREATER is for predicates and runs only", gp_run(ctx, &c, nullptr));
  }
  WRONG(GP_E_OPERATOR, "op: ARGMAX is for reduce and scan only", GP_ADJACENT_DIFFERENCE, c.op = GP_ARGMAX);
  WRONG(GP_E_OPERATOR, "op: SUB does not work on struct types", GP_ADJACENT_DIFFERENCE, c.in_type = vec3);
  WRONG(GP_E_TYPE, "in_type and out_type differ: the call copies one element", GP_ADJACENT_DIFFERENCE, c.op = binary,
      c.in_type = vec3, c.out_type = GP_F32);
  FINE(GP_ADJACENT_DIFFERENCE, c.flags = GP_RIGHT, c.op = binary, c.in_type = vec3);
  for (gp_primitive p : {GP_RUN_LENGTHS, GP_NONTRIVIAL_RUNS, GP_UNIQUE, GP_REDUCE_BY_KEY}) {
    WRONG(GP_E_OPERATOR, "equal is LESS, not EQUAL, NOT_EQUAL, HEADS", p, c.equal = GP_LESS);
    WRONG(GP_E_OPERATOR, "\"mine of one\" is unary, not binary", p, c.equal = unary);
    WRONG(GP_E_OPERATOR, ": equal is 99", p, c.equal = gp_op(99));
    WRONG(GP_E_OPERATOR, "equal: EQUAL does not work on struct types", p, c.key_type = vec3);
    WRONG(
        GP_E_OPERATOR, "equal: NOT_EQUAL does not work on struct types", p, c.key_type = vec3, c.equal = GP_NOT_EQUAL);
    WRONG(GP_E_TYPE, "key_type (of flags) is f32", p, c.key_type = GP_F32, c.equal = GP_HEADS);
    WRONG(GP_E_TYPE, "key_type (of flags) is i64", p, c.key_type = GP_I64, c.equal = GP_HEADS);
    FINE(p, c.equal = GP_HEADS, c.key_type = GP_I8);
    FINE(p, c.equal = binary, c.key_type = vec3);
  }
  for (gp_primitive p : {GP_SELECT, GP_PARTITION, GP_COUNT_IF, GP_ANY, GP_ALL, GP_FIND_IF, GP_REPLACE,
           GP_IS_PARTITIONED, GP_PARTITION_POINT}) {
    WRONG(GP_E_OPERATOR, ": op is not set", p, c.op = GP_OP_DEFAULT);
    WRONG(GP_E_OPERATOR, "op is SUM, not a comparison", p, c.op = GP_SUM);
    WRONG(GP_E_OPERATOR, "op is NOT, not a comparison", p, c.op = GP_NOT);
    WRONG(GP_E_OPERATOR, "op is HEADS, not a comparison", p, c.op = GP_HEADS);
    WRONG(GP_E_OPERATOR, "\"mine\" is binary, not unary", p, c.op = binary);
    WRONG(GP_E_NULL, "scalar is null, but op (LESS) compares with it", p, c.scalar = nullptr);
    WRONG(GP_E_ARGUMENT, "scalar is not null", p, c.op = unary, c.in_type = vec3);
    WRONG(GP_E_OPERATOR, "op: LESS does not work on struct types", p, c.in_type = vec3);
    FINE(p, c.op = unary, c.in_type = vec3, c.scalar = nullptr);
  }
  for (gp_primitive p : {GP_MISMATCH, GP_EQUAL_ARRAYS, GP_ADJACENT_FIND}) {
    WRONG(GP_E_OPERATOR, "op is LESS, not EQUAL, NOT_EQUAL or a user's binary operator", p, c.op = GP_LESS);
    WRONG(GP_E_OPERATOR, "op is HEADS, not EQUAL", p, c.op = GP_HEADS);
    WRONG(GP_E_OPERATOR, "\"mine of one\" is unary, not binary", p, c.op = unary);
    WRONG(GP_E_OPERATOR, "op: EQUAL does not work on struct types", p, c.in_type = vec3);
    WRONG(GP_E_OPERATOR, "op: NOT_EQUAL does not work on struct types", p, c.in_type = vec3, c.op = GP_NOT_EQUAL);
    WRONG(GP_E_ARGUMENT, "scalar: the call has no predicate", p, c.scalar = lower_ends);
    FINE(p, c.op = GP_NOT_EQUAL);
    FINE(p, c.op = binary, c.in_type = vec3);
  }
  for (gp_primitive p : {GP_MISMATCH, GP_EQUAL_ARRAYS, GP_LEXICOGRAPHIC}) {
    WRONG(GP_E_TYPE, "in_type and in2_type differ: this call does not convert elements", p, c.in2_type = GP_F64);
    WRONG(GP_E_NULL, "in2 (the second array) is null", p, c.in2 = nullptr);
    WRONG(GP_E_ALIGNMENT, "in2 (the second array) (", p, c.in2 = b.end + 2);
    FINE(p, c.in2_type = c.in_type);
    FINE(p, c.in2 = c.in);
  }
  for (gp_primitive p : {GP_FIND_IF, GP_MISMATCH, GP_ADJACENT_FIND, GP_PARTITION_POINT}) {
    WRONG(GP_E_NULL, "out_count is null", p, c.out_count = nullptr);
    WRONG(GP_E_OVERLAP, "overlap", p, c.out_count = reinterpret_cast<uint64_t *>(b.in));
    WRONG(GP_E_ARGUMENT, "out: the call has no such output", p, c.out = b.out);
  }
  WRONG(GP_E_OVERLAP, "in2 (the second array) and out overlap", GP_EQUAL_ARRAYS, c.out = b.end + 5);
  for (gp_primitive p : {GP_SELECT, GP_PARTITION}) {
    WRONG(GP_E_TYPE, "key_type (of the stencil) is not set", p, c.keys = b.keys); // a stencil
    WRONG(GP_E_NULL, "keys (the stencil) is null", p, c.key_type = GP_U8);
    WRONG(GP_E_ARGUMENT, "scalar: a call with flags takes no scalar", p, c.op = GP_OP_DEFAULT, c.keys = b.keys,
        c.key_type = GP_U8);
    WRONG(GP_E_TYPE, "key_type (of flags) is not set", p, c.op = GP_OP_DEFAULT, c.scalar = nullptr, c.keys = b.keys);
    WRONG(GP_E_NULL, "keys (flags) is null", p, c.op = GP_OP_DEFAULT, c.scalar = nullptr, c.key_type = GP_U8);
    WRONG(GP_E_TYPE, "in_type and out_type differ", p, c.out_type = GP_I32);
    FINE(p, c.op = GP_OP_DEFAULT, c.scalar = nullptr, c.keys = b.keys, c.key_type = GP_I16);
  }
  WRONG(GP_E_OPERATOR, "predicate2: a call with flags takes no second predicate", GP_PARTITION, c.op = GP_OP_DEFAULT,
      c.scalar = nullptr, c.key_type = GP_U8, c.keys = b.keys, c.predicate2 = unary);
  WRONG(GP_E_OPERATOR, "predicate2 is MIN, not a comparison", GP_PARTITION, c.predicate2 = GP_MIN);
  WRONG(GP_E_NULL, "scalar2 is null, but predicate2 (EQUAL) compares with it", GP_PARTITION, c.predicate2 = GP_EQUAL);
  WRONG(GP_E_ARGUMENT, "scalar2 is set, but there is no second predicate", GP_PARTITION, c.scalar2 = upper_ends);
  WRONG(GP_E_ARGUMENT, "out3 is set, but there is no second predicate", GP_PARTITION, c.out3 = b.out3);
  WRONG(GP_E_NULL, "out3 (the third part) is null", GP_PARTITION, c.predicate2 = GP_EQUAL, c.scalar2 = upper_ends);
  WRONG(GP_E_NULL, "out2 (the second part) is null", GP_PARTITION, c.out2 = nullptr);
  for (gp_primitive p : {GP_LOWER_BOUND, GP_UPPER_BOUND}) {
    WRONG(GP_E_OPERATOR, "op is GREATER, not LESS or", p, c.op = GP_GREATER);
    WRONG(GP_E_OPERATOR, "op: LESS does not work on struct types", p, c.in_type = vec3);
    WRONG(GP_E_TYPE, "in_type and key_type differ", p, c.key_type = GP_I32);
    WRONG(GP_E_SIZE, "key_count is", p, c.key_count = uint64_t(1) << 63, c.in_type = GP_U8);
    WRONG(GP_E_SIZE, "key_count is 4294967296, too large for u32 positions", p, c.key_count = uint64_t(1) << 32);
    WRONG(GP_E_OVERLAP, "keys and out overlap", p, c.out = b.keys + 4);
    FINE(p, c.op = binary, c.in_type = vec3, c.key_type = vec3, c.out_type = GP_U64);
    FINE(p, c.out_type = GP_U64, c.key_count = uint64_t(1) << 33, c.keys = nullptr);
  }
  for (gp_primitive p : {GP_LOWER_BOUND, GP_LOAD_BALANCE}) {
    WRONG(GP_E_TYPE, "out_type (index_type) is i32, not u32 or u64", p, c.out_type = GP_I32);
    WRONG(GP_E_TYPE, "out_type (index_type) is not set", p, c.out_type = GP_TYPE_DEFAULT);
  }
  WRONG(GP_E_ARGUMENT, "segments is 0, but count is not", GP_LOAD_BALANCE, c.segments = 0);
  {
    const gp_key_field some[] = {{8, GP_F32, 0}, {0, GP_F32, 1}}, off[] = {{10, GP_U16, 0}, {6, GP_F32, 0}};
    const gp_key_field many[] = {{0, GP_F32, 0}, {0, vec3, 0}};
    const gp_key_field wide[17] = {{4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0},
        {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0},
        {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}, {4, GP_F32, 0}};
    const gp_primitive p = GP_SORT;
    FINE(p, c.in = nullptr, c.in_type = GP_TYPE_DEFAULT, c.out_type = GP_I64, c.out_keys = nullptr);
    FINE(p, c.in = nullptr, c.in_type = GP_TYPE_DEFAULT, c.out = nullptr, c.begin_bit = 5, c.end_bit = 5,
        c.flags = GP_DESCENDING);
    FINE(p, c.key_type = vec3, c.fields = some, c.field_count = 2, c.end_bit = 64, c.in_type = vec3);
    FINE(p, c.key_type = vec3, c.transform = unary, c.acc_type = GP_U16, c.end_bit = 16);
    FINE(p, c.flags = GP_REPRODUCIBLE);
    const gp_policy own = small(GP_ONE_SWEEP);
    FINE(p, c.flags = GP_LITTLE_MEMORY | GP_DESCENDING);
    WRONG(GP_E_POLICY, ": policy is set, but flags make the call run others", p, c.flags = GP_LITTLE_MEMORY,
        c.policy = &own);
    WRONG(GP_E_UNSUPPORTED, "flags: GP_LITTLE_MEMORY excludes count_device, begin_bit and end_bit", p,
        c.flags = GP_LITTLE_MEMORY, c.count_device = b.counts);
    WRONG(GP_E_UNSUPPORTED, "flags: GP_LITTLE_MEMORY excludes count_device, begin_bit and end_bit", p,
        c.flags = GP_LITTLE_MEMORY, c.end_bit = 9);
    WRONG(GP_E_NULL, ": out_keys is null", p, c.flags = GP_LITTLE_MEMORY, c.in = nullptr, c.in_type = GP_TYPE_DEFAULT,
        c.out_type = GP_I64, c.out_keys = nullptr);
    WRONG(GP_E_ARGUMENT, "GP_LITTLE_MEMORY is for sort and merge_sort only", GP_SEGMENTED_SORT,
        c.flags = GP_LITTLE_MEMORY);
    FINE(p, c.out_keys = b.keys, c.out = b.in);
    WRONG(GP_E_NULL, ": out_keys is null", p, c.out_keys = nullptr);
    WRONG(GP_E_ALIGNMENT, ": out_keys (", p, c.out_keys = b.out_keys + 2);
    WRONG(GP_E_OVERLAP, "keys and out_keys overlap", p, c.out_keys = b.keys + 4);
    WRONG(GP_E_OVERLAP, "out and out_keys overlap", p, c.out_keys = b.out);
    WRONG(GP_E_TYPE, "in_type and out_type differ", p, c.out_type = GP_I32);
    WRONG(
        GP_E_TYPE, "out_type (of indices) is f32", p, c.in = nullptr, c.in_type = GP_TYPE_DEFAULT, c.out_type = GP_F32);
    WRONG(GP_E_SIZE, "too large for u32 indices", p, c.in = nullptr, c.in_type = GP_TYPE_DEFAULT, c.out_type = GP_U32,
        c.key_type = GP_U8, c.count = (uint64_t(1) << 32) + 1);
    WRONG(GP_E_TYPE, "key_type is a struct type: set fields or a transform", p, c.key_type = vec3);
    WRONG(GP_E_OPERATOR, "transform is ABS, not a user's unary operator", p, c.transform = GP_ABS);
    WRONG(GP_E_OPERATOR, "is binary, not unary", p, c.transform = binary);
    WRONG(GP_E_TYPE, "acc_type (of transform's result) is not set", p, c.transform = unary);
    WRONG(GP_E_TYPE, "acc_type (of transform's result) is a struct", p, c.transform = unary, c.acc_type = vec3);
    WRONG(GP_E_TYPE, "acc_type is set, but there is no transform", p, c.acc_type = GP_U16);
    WRONG(GP_E_ARGUMENT, "fields and transform are both set", p, c.key_type = vec3, c.transform = unary,
        c.acc_type = GP_U16, c.fields = some, c.field_count = 2);
    WRONG(GP_E_ARGUMENT, "fields: only struct keys have fields", p, c.fields = some, c.field_count = 2);
    WRONG(GP_E_NULL, "fields is null", p, c.key_type = vec3, c.field_count = 2);
    WRONG(GP_E_ARGUMENT, "field_count is 0", p, c.key_type = vec3, c.fields = some);
    WRONG(GP_E_ARGUMENT, "field 1: f32 at offset 6 is not aligned, or not inside vec3 of 12 bytes", p,
        c.key_type = vec3, c.fields = off, c.field_count = 2);
    WRONG(GP_E_TYPE, "field 1 has a struct type", p, c.key_type = vec3, c.fields = many, c.field_count = 2);
    WRONG(GP_E_SIZE, "more than 64 bytes", p, c.key_type = vec3, c.fields = wide, c.field_count = 17);
    WRONG(GP_E_ARGUMENT, "is not a range of the 32 bits", p, c.end_bit = 33);
    WRONG(GP_E_ARGUMENT, "is not a range of the 32 bits", p, c.begin_bit = -1, c.end_bit = 3);
    WRONG(GP_E_ARGUMENT, "is not a range of the 32 bits", p, c.begin_bit = 4, c.end_bit = 3);
    WRONG(GP_E_ARGUMENT, "GP_UNSORTED is for top_k, segmented_top_k, top_k_axis, distinct and group_by only", p,
        c.flags = GP_UNSORTED);
  }
  WRONG(GP_E_SIZE, "segments is 4294967297, too large for u32 positions", GP_LOAD_BALANCE,
      c.segments = (uint64_t(1) << 32) + 1);

  // lexicographic order
  {
    const gp_primitive p = GP_LEXICOGRAPHIC;
    WRONG(GP_E_OPERATOR, "op is EQUAL, not LESS, GREATER or a user's binary operator", p, c.op = GP_EQUAL);
    WRONG(GP_E_OPERATOR, "op: LESS does not work on struct types", p, c.in_type = vec3);
    WRONG(GP_E_ARGUMENT, "count2: the call has no second input", GP_MISMATCH, c.count2 = 1);
    WRONG(GP_E_SIZE, "count and count2: their sum overflows", p, c.count2 = UINT64_MAX);
    FINE(p, c.op = GP_GREATER, c.count2 = 0, c.in2 = nullptr);
    FINE(p, c.count = 0, c.in = nullptr);
    FINE(p, c.op = binary, c.in_type = vec3);
    int32_t order;
    BAD(GP_E_NULL, "gp_lexicographic: b is null",
        gp_lexicographic(ctx, GP_LESS, GP_I32, b.in, 1, nullptr, 1, &order, nullptr));
    BAD(GP_E_OPERATOR, "gp_lexicographic: less is",
        gp_lexicographic(ctx, GP_SUM, GP_I32, b.in, 1, b.end, 1, &order, nullptr));
  }

  // scatters, gathers, replacements, swaps
  for (gp_primitive p : {GP_SCATTER, GP_GATHER}) {
    FINE(p, c.in2_type = GP_I64, c.key_type = GP_F64);
    FINE(p, c.op = GP_OP_DEFAULT, c.scalar = nullptr);
    FINE(p, c.op = GP_OP_DEFAULT, c.scalar = nullptr, c.keys = nullptr, c.key_type = GP_TYPE_DEFAULT);
    FINE(p, c.op = unary, c.key_type = vec3, c.scalar = nullptr);
    FINE(p, c.in_type = vec3);
    WRONG(GP_E_TYPE, "in_type and out_type differ: this call does not convert elements", p, c.out_type = GP_I32);
    WRONG(GP_E_TYPE, "in2_type (of indices) is not i32, u32, i64 or u64", p, c.in2_type = GP_U16);
    WRONG(GP_E_TYPE, "in2_type (of indices) is not i32, u32, i64 or u64", p, c.in2_type = GP_F32);
    WRONG(GP_E_TYPE, "in2_type (of indices) is not i32, u32, i64 or u64", p, c.in2_type = vec3);
    WRONG(GP_E_TYPE, "in2_type is not set", p, c.in2_type = GP_TYPE_DEFAULT);
    WRONG(GP_E_NULL, "in2 (indices) is null", p, c.in2 = nullptr);
    WRONG(GP_E_NULL, "keys is null", p, c.keys = nullptr);
    WRONG(GP_E_TYPE, "key_type is not set", p, c.key_type = GP_TYPE_DEFAULT);
    WRONG(GP_E_TYPE, "key_type (of flags) is f32", p, c.op = GP_OP_DEFAULT, c.scalar = nullptr, c.key_type = GP_F32);
    WRONG(GP_E_ARGUMENT, "scalar is set, but there is no predicate", p, c.op = GP_OP_DEFAULT);
    WRONG(GP_E_OPERATOR, "op: the call has no stencil", p, c.keys = nullptr, c.key_type = GP_TYPE_DEFAULT);
    WRONG(GP_E_OPERATOR, "op is SUM, not a comparison", p, c.op = GP_SUM);
    WRONG(GP_E_OPERATOR, "op: LESS does not work on struct types", p, c.key_type = vec3);
    WRONG(GP_E_OVERLAP, "in and out overlap", p, c.out = b.in);
    WRONG(GP_E_OVERLAP, "in2 (indices) and out overlap", p, c.out = b.end);
  }
  WRONG(GP_E_OVERLAP, "keys and out overlap", GP_SCATTER, c.out = b.keys);
  FINE(GP_GATHER, c.out = b.keys);
  WRONG(GP_E_OVERLAP, "keys and out overlap", GP_GATHER, c.key_type = GP_I64, c.out = b.keys);
  FINE(GP_SCATTER, c.out = nullptr, c.n = 0);
  FINE(GP_GATHER, c.in = nullptr, c.n = 0);
  FINE(GP_SCATTER, c.out = b.in + 400, c.count = 100); // right behind the input
  WRONG(GP_E_OVERLAP, "in and out overlap", GP_GATHER, c.out = b.in + 396, c.n = 100);
  WRONG(GP_E_TYPE, "in2_type is not set", GP_GATHER, c.in2_type = GP_TYPE_DEFAULT, c.in2 = nullptr);
  WRONG(GP_E_SIZE, "out: ", GP_SCATTER, c.n = UINT64_MAX / 2);
  for (gp_type out_type : {GP_F32, GP_I32}) { // in place
    const auto pass = [&](gp_call &c) {
      c.in2 = nullptr, c.in2_type = GP_TYPE_DEFAULT, c.n = 0, c.transform = GP_NEGATE, c.out_type = out_type;
    };
    FINE(GP_SCATTER, pass(c), c.out = b.in);
    FINE(GP_SCATTER, pass(c), c.out = b.keys);
    FINE(GP_SCATTER, pass(c), c.out = b.in, c.keys = b.in);
    WRONG(GP_E_OVERLAP, "in and out overlap", GP_SCATTER, pass(c), c.out = b.in + 4);
    WRONG(GP_E_OVERLAP, "in and out overlap", GP_SCATTER, pass(c), c.out = b.in, c.out_type = GP_F64);
    WRONG(GP_E_OVERLAP, "keys and out overlap", GP_SCATTER, pass(c), c.out = b.keys, c.key_type = GP_F64);
    WRONG(GP_E_ARGUMENT, "n: without indices (in2), out has count elements", GP_SCATTER, pass(c), c.n = 1);
  }
  WRONG(GP_E_OPERATOR, "transform: NEGATE does not work on struct types", GP_SCATTER, c.transform = GP_NEGATE,
      c.in_type = vec3);
  WRONG(GP_E_OPERATOR, "transform: NEGATE does not work on struct types", GP_SCATTER, c.transform = GP_NEGATE,
      c.out_type = vec3);
  WRONG(GP_E_OPERATOR, "transform: the call takes no transform", GP_GATHER, c.transform = GP_NEGATE);
  FINE(GP_SCATTER, c.transform = unary, c.in_type = vec3, c.out_type = GP_U8);
  FINE(GP_REPLACE, c.out = b.in);
  WRONG(GP_E_OVERLAP, "in and out overlap", GP_REPLACE, c.out = b.in + 4);
  WRONG(GP_E_NULL, "value is null", GP_REPLACE, c.value = nullptr);
  WRONG(GP_E_TYPE, "in_type and out_type differ", GP_REPLACE, c.out_type = GP_I32);
  FINE(GP_SWAP, c.count_device = &b.bad);
  WRONG(GP_E_TYPE, "out_type is not set", GP_SWAP, c.out_type = GP_TYPE_DEFAULT);
  WRONG(GP_E_NULL, "out3 (the second array) is null", GP_SWAP, c.out3 = nullptr);
  WRONG(GP_E_OVERLAP, "out and out3 (the second array) overlap", GP_SWAP, c.out3 = b.out);
  WRONG(GP_E_OVERLAP, "out and out3 (the second array) overlap", GP_SWAP, c.out3 = b.out + 396);
  WRONG(GP_E_ALIGNMENT, "out3 (the second array) (", GP_SWAP, c.out3 = b.out3 + 2);
  BAD(GP_E_TYPE, "gp_gather: index_type is not set",
      gp_gather(ctx, GP_I32, GP_TYPE_DEFAULT, b.in, 9, nullptr, 9, b.out, nullptr));
  BAD(GP_E_TYPE, "gp_scatter: index_type is not set",
      gp_scatter(ctx, GP_I32, GP_TYPE_DEFAULT, b.in, nullptr, 9, b.out, 9, nullptr));
  BAD(GP_E_TYPE, "gp_scatter_flags: flag_type is not set",
      gp_scatter_flags(ctx, GP_I32, GP_U32, GP_TYPE_DEFAULT, b.in, b.end, nullptr, 9, b.out, 9, nullptr));
  BAD(GP_E_NULL, "gp_gather_flags: flags is null",
      gp_gather_flags(ctx, GP_I32, GP_U32, GP_U8, b.in, 9, b.end, nullptr, 9, b.out, nullptr));
  BAD(GP_E_OPERATOR, "gp_transform_if: op is -1",
      gp_transform_if(ctx, GP_OP_DEFAULT, GP_LESS, GP_I32, GP_I32, lower_ends, b.in, 9, b.out, nullptr));
  BAD(GP_E_OPERATOR, "gp_transform_if: predicate is -1",
      gp_transform_if(ctx, GP_ABS, GP_OP_DEFAULT, GP_I32, GP_I32, nullptr, b.in, 9, b.out, nullptr));
  BAD(GP_E_ARGUMENT, "gp_rotate: first is 10, beyond count, 9", gp_rotate(ctx, GP_I32, b.out, 9, 10, nullptr));
  BAD(GP_E_NULL, "gp_rotate: data is null", gp_rotate(ctx, GP_I32, nullptr, 9, 1, nullptr));
  BAD(GP_E_TYPE, "gp_shift: type is 77", gp_shift(ctx, gp_type(77), b.out, 9, 1, 0, nullptr));
  BAD(GP_E_ARGUMENT, "gp_shift: flags has unknown bits", gp_shift(ctx, GP_I32, b.out, 9, 1, GP_DESCENDING, nullptr));

  // minmax
  for (gp_op both : {GP_MINMAX, GP_ARGMINMAX}) {
    gp_call c = fold_call(GP_REDUCE, both, GP_I8, GP_I16, b.in, b.out, 10);
    GOOD(gp_prepare(ctx, &c));
    c.acc_type = GP_I32;
    BAD(GP_E_TYPE, "acc_type and out_type differ", gp_run(ctx, &c, nullptr));
    c.acc_type = GP_TYPE_DEFAULT, c.in_type = c.out_type = vec3;
    BAD(GP_E_OPERATOR, "does not work on struct types", gp_run(ctx, &c, nullptr));
    c.in_type = c.out_type = GP_I16, c.out = b.out + (both == GP_MINMAX ? 1 : 4);
    BAD(GP_E_ALIGNMENT, "out (", gp_run(ctx, &c, nullptr));
    c.out = b.in, c.in = b.in + (both == GP_MINMAX ? 2 : 30); // over the last bytes of the result
    BAD(GP_E_OVERLAP, "in and out overlap", gp_run(ctx, &c, nullptr));
    c.primitive = GP_INCLUSIVE_SCAN, c.out = b.out;
    BAD(GP_E_OPERATOR, "is for reduce only", gp_run(ctx, &c, nullptr));
    WRONG(GP_E_OPERATOR, "is for reduce only", GP_SEGMENTED_REDUCE, c.op = both);
    WRONG(GP_E_OPERATOR, "is for reduce only", GP_ADJACENT_DIFFERENCE, c.op = both);
  }

  // batches of copies
  FINE(GP_COPY_BATCH, c.offset_type = GP_I64);
  FINE(GP_COPY_BATCH, c.in = c.in2 = c.begin = nullptr, c.count = 0);
  FINE(GP_COPY_BATCH, c.in2 = c.in); // nobody looks into the arrays
  WRONG(GP_E_NULL, "in (sources) is null", GP_COPY_BATCH, c.in = nullptr);
  WRONG(GP_E_NULL, "in2 (destinations) is null", GP_COPY_BATCH, c.in2 = nullptr);
  WRONG(GP_E_ALIGNMENT, "in (sources) (", GP_COPY_BATCH, c.in = b.in + 4);
  WRONG(GP_E_ALIGNMENT, "is not aligned to 8 bytes", GP_COPY_BATCH, c.in2 = b.end + 4);
  WRONG(GP_E_SIZE, ": count is 68719476736, not below 2^36", GP_COPY_BATCH, c.count = uint64_t(1) << 36);
  WRONG(
      GP_E_OVERLAP, "in (sources) and workspace overlap", GP_COPY_BATCH, c.workspace = b.in, c.workspace_bytes = 4096);
  WRONG(GP_E_OVERLAP, "begin and workspace overlap", GP_COPY_BATCH, c.workspace = b.begin, c.workspace_bytes = 4096);
  BAD(GP_E_NULL, "gp_copy_batch: sources is null", gp_copy_batch(ctx, GP_U32, nullptr, b.end, b.begin, 9, nullptr));
  BAD(GP_E_NULL, "gp_copy_batch: destinations is null", gp_copy_batch(ctx, GP_U32, b.in, nullptr, b.begin, 9, nullptr));
  BAD(GP_E_NULL, "gp_copy_batch: sizes is null", gp_copy_batch(ctx, GP_U32, b.in, b.end, nullptr, 9, nullptr));
  BAD(GP_E_TYPE, "gp_copy_batch: size_type is u8", gp_copy_batch(ctx, GP_U8, b.in, b.end, b.begin, 9, nullptr));
  GOOD(gp_copy_batch(ctx, GP_U64, nullptr, nullptr, nullptr, 0, nullptr));

  // expansions
  for (gp_primitive p : {GP_EXPAND, GP_RUN_LENGTH_EXPAND}) {
    FINE(p, c.in_type = vec3, c.offset_type = GP_U64);
    FINE(p, c.segments = 0, c.begin = nullptr, c.in = nullptr);
    FINE(p, c.count = 0, c.out = nullptr);
    FINE(p, c.count = uint64_t(1) << 40, c.in_type = GP_U8, c.out = nullptr);
    WRONG(GP_E_TYPE, "in_type and out_type differ: this call does not convert elements", p, c.out_type = GP_F64);
    WRONG(GP_E_OVERLAP, "in and out overlap: this call cannot run in place", p, c.out = b.in);
    WRONG(GP_E_OVERLAP, "in and out overlap", p, c.out = b.in + 36); // the last of ten values
    FINE(p, c.out = b.in + 40);
    WRONG(GP_E_OVERLAP, "begin and out overlap", p, c.out = b.begin + 36);
  }
  WRONG(GP_E_OVERLAP, "begin and out overlap", GP_EXPAND, c.out = b.begin + 40); // one offset more than segments
  FINE(GP_RUN_LENGTH_EXPAND, c.out = b.begin + 40);
  BAD(GP_E_NULL, "gp_expand: values is null", gp_expand(ctx, GP_U32, GP_U32, nullptr, b.begin, 9, b.out, 5, nullptr));
  BAD(GP_E_NULL, "gp_expand: offsets is null", gp_expand(ctx, GP_U32, GP_U32, b.in, nullptr, 9, b.out, 5, nullptr));
  BAD(GP_E_TYPE, "gp_expand: offset_type is u8", gp_expand(ctx, GP_U32, GP_U8, b.in, b.begin, 9, b.out, 5, nullptr));
  BAD(GP_E_NULL, "gp_run_length_expand: lengths is null",
      gp_run_length_expand(ctx, GP_U32, GP_U32, b.in, nullptr, 9, b.out, 5, b.counts, nullptr));
  BAD(GP_E_NULL, "gp_run_length_expand: out_count is null",
      gp_run_length_expand(ctx, GP_U32, GP_U32, b.in, b.begin, 9, b.out, 5, nullptr, nullptr));
  BAD(GP_E_TYPE, "gp_run_length_expand: length_type is f32",
      gp_run_length_expand(ctx, GP_U32, GP_F32, b.in, b.begin, 9, b.out, 5, b.counts, nullptr));
  BAD(GP_E_SIZE, "gp_run_length_expand: runs is 2^64 - 1; it must be smaller",
      gp_run_length_expand(ctx, GP_U32, GP_U32, b.in, b.begin, UINT64_MAX, b.out, 5, b.counts, nullptr));

  // hash tables
  for (gp_primitive p : {GP_GROUP_BY_MANY, GP_DISTINCT, GP_JOIN}) {
    FINE(p, c.key_type = vec3);
    FINE(p, c.count = 0, c.keys = nullptr);
    WRONG(GP_E_TYPE, "key_type is 77", p, c.key_type = gp_type(77));
    WRONG(GP_E_SIZE, ": count is 2147483647, not below 2^31 - 1, the limit of a hash table", p, c.count = INT32_MAX);
    WRONG(GP_E_OVERLAP, "keys and workspace overlap", p, c.workspace = b.keys, c.workspace_bytes = 4096);
  }
  const gp_type padded = define(ctx, "padded", "struct padded { int k; unsigned char v; };", 8, 4);
  for (gp_primitive p : {GP_GROUP_BY_MANY, GP_DISTINCT}) {
    const gp_input i32 = gp_input_array(GP_I32, b.keys), u8 = gp_input_array(GP_U8, b.keys);
    const gp_input loose = gp_input_zipped(padded, &i32, &u8, nullptr, nullptr);
    FINE(p, c.key_type = GP_INPUT, c.keys = &i32);
    FINE(p, c.out_keys = nullptr);
    if (p == GP_DISTINCT) FINE(p, c.capacity = UINT64_MAX / 64, c.out_keys = nullptr);
    WRONG(GP_E_NULL, "key_type is GP_INPUT, but the gp_input is null", p, c.key_type = GP_INPUT, c.keys = nullptr);
    WRONG(GP_E_TYPE, "key_type: a zipped struct has 3 bytes of padding: keys are compared by bytes", p,
        c.key_type = GP_INPUT, c.keys = &loose);
    WRONG(GP_E_OVERLAP, "keys and out_keys overlap: this call cannot run in place", p, c.out_keys = b.keys);
    FINE(p, c.capacity = 10, c.keys = b.out_keys + 40);
    WRONG(GP_E_OVERLAP, "overlap", p, c.capacity = 11, c.keys = b.out_keys + 40);
    WRONG(GP_E_OVERLAP, "described array 1 and out_keys overlap", p, c.key_type = GP_INPUT, c.keys = &i32,
        c.out_keys = b.keys + 4);
  }
  {
    gp_aggregate list[9];
#define AGGREGATE(code, text, ...) \
  WRONG(code, text, GP_GROUP_BY_MANY, memcpy(list, c.aggregates, 2 * sizeof *list), c.aggregates = list, __VA_ARGS__)
#define AGGREGATED(...) \
  FINE(GP_GROUP_BY_MANY, memcpy(list, c.aggregates, 2 * sizeof *list), c.aggregates = list, __VA_ARGS__)
    AGGREGATE(GP_E_NULL, "aggregates is null", c.aggregates = nullptr);
    AGGREGATE(GP_E_ARGUMENT, "aggregate_count is 0, not 1 to 8", c.aggregate_count = 0);
    AGGREGATE(GP_E_ARGUMENT, "aggregate_count is 9, not 1 to 8", c.aggregate_count = 9);
    AGGREGATE(GP_E_OPERATOR, "aggregates[1].op is 0, not a gp_aggregate_op", list[1].op = gp_aggregate_op(0));
    AGGREGATE(GP_E_OPERATOR, "aggregates[0].op is 8, not a gp_aggregate_op", list[0].op = gp_aggregate_op(8));
    AGGREGATE(GP_E_ARGUMENT, "aggregates[1].type: COUNT reads no column", list[1].type = GP_I8);
    AGGREGATE(GP_E_ARGUMENT, "aggregates[1].column: COUNT reads no column", list[1].column = b.end);
    AGGREGATE(GP_E_TYPE, "aggregates[0].type is not set", list[0].type = GP_TYPE_DEFAULT);
    AGGREGATE(GP_E_TYPE, "aggregates[0].type is struct type \"vec3\", not a built-in type", list[0].type = vec3);
    AGGREGATE(GP_E_TYPE, "aggregates[0].type is GP_INPUT", list[0].type = GP_INPUT);
    AGGREGATE(GP_E_NULL, "aggregates[0].column is null", list[0].column = nullptr);
    AGGREGATE(GP_E_NULL, "aggregates[1].out is null", list[1].out = nullptr);
    AGGREGATE(GP_E_ALIGNMENT, "aggregates[0].column (", list[0].column = b.in + 2);
    AGGREGATE(GP_E_ALIGNMENT, "aggregates[0].out (", list[0].out = b.out + 4);
    AGGREGATE(GP_E_OVERLAP, "aggregates[0].column and aggregates[1].out overlap", list[1].out = b.in);
    AGGREGATE(GP_E_OVERLAP, "aggregates[0].out and aggregates[1].out overlap", list[1].out = b.out + 796);
    AGGREGATED(list[1].out = b.out + 800);
    AGGREGATE(GP_E_OVERLAP, "keys and aggregates[1].out overlap", list[1].out = b.keys);
    AGGREGATE(GP_E_TYPE, "aggregates[0].out_type is i64, not a float type", list[0].out_type = GP_I64);
    AGGREGATE(GP_E_TYPE, "aggregates[1].out_type is u16, not i32, u32, i64 or u64", list[1].out_type = GP_U16);
    AGGREGATE(GP_E_TYPE, "aggregates[1].out_type is vec3", list[1].out_type = vec3);
    AGGREGATE(GP_E_TYPE, "aggregates[0].out_type is f64, not the type of the column", list[0].op = GP_AGGREGATE_MAX,
        list[0].out_type = GP_F64);
    AGGREGATE(GP_E_TYPE, "aggregates[0].out_type is i32, not a float type", list[0].op = GP_AGGREGATE_SUM,
        list[0].out_type = GP_I32);
    AGGREGATE(GP_E_TYPE, "aggregates[0].out_type is f32, not an integer type", list[0].op = GP_AGGREGATE_SUM,
        list[0].type = GP_U8, list[0].out_type = GP_F32);
    AGGREGATE(GP_E_TYPE, "aggregates[0].out_type is f64, not i32, u32, i64 or u64", list[0].op = GP_AGGREGATE_ARGMIN,
        list[0].out_type = GP_F64);
    for (int op = GP_AGGREGATE_SUM; op <= GP_AGGREGATE_ARGMAX; ++op)
      if (op != GP_AGGREGATE_COUNT) AGGREGATED(list[0].op = gp_aggregate_op(op), list[0].type = GP_U8);
    AGGREGATED(list[0].op = GP_AGGREGATE_SUM, list[0].type = GP_U8, list[0].out_type = GP_I64);
    AGGREGATED(list[0].out_type = GP_BF16);
#undef AGGREGATE
#undef AGGREGATED
  }
  FINE(GP_JOIN, c.keys2 = c.keys);
  FINE(GP_JOIN, c.out = c.out2 = nullptr, c.capacity = 0);
  FINE(GP_JOIN, c.count2 = 0, c.keys2 = nullptr);
  FINE(GP_JOIN, c.join = GP_JOIN_FLAGS, c.out_type = GP_TYPE_DEFAULT, c.out2 = nullptr, c.out_count = nullptr,
      c.capacity = 0);
  WRONG(GP_E_NULL, "key_type is GP_INPUT, but the gp_input is null", GP_JOIN, c.key_type = GP_INPUT, c.keys = nullptr);
  WRONG(GP_E_NULL, ": keys2 is null", GP_JOIN, c.keys2 = nullptr);
  WRONG(GP_E_SIZE, ": count2 is 2147483647, not below 2^31 - 1", GP_JOIN, c.count2 = INT32_MAX);
  WRONG(GP_E_ARGUMENT, ": join is 5, not a gp_join_kind", GP_JOIN, c.join = gp_join_kind(5));
  WRONG(GP_E_TYPE, ": out_type (of indices) is 5, neither u32 nor i64", GP_JOIN, c.out_type = GP_I32);
  WRONG(GP_E_TYPE, ": out_type (of indices) is 0, neither u32 nor i64", GP_JOIN, c.out_type = GP_TYPE_DEFAULT);
  WRONG(GP_E_ARGUMENT, ": out2: a semi or anti join has no partners", GP_JOIN, c.join = GP_JOIN_ANTI);
  WRONG(GP_E_TYPE, ": out_type is set: flags are bytes", GP_JOIN, c.join = GP_JOIN_FLAGS);
  WRONG(GP_E_ARGUMENT, ": capacity is set: there is a flag for each probe", GP_JOIN, c.join = GP_JOIN_FLAGS,
      c.out_type = GP_TYPE_DEFAULT, c.out2 = nullptr);
  WRONG(GP_E_ARGUMENT, ": out_count is set: there is a flag for each probe", GP_JOIN, c.join = GP_JOIN_FLAGS,
      c.out_type = GP_TYPE_DEFAULT, c.out2 = nullptr, c.capacity = 0);
  WRONG(GP_E_OVERLAP, "keys2 and out overlap", GP_JOIN, c.out = b.begin);
  WRONG(GP_E_OVERLAP, "out and out2 overlap", GP_JOIN, c.out2 = b.out + 396);
  FINE(GP_JOIN, c.out2 = b.out + 400);
  BAD(GP_E_NULL, "gp_inner_join: build is null",
      gp_inner_join(ctx, GP_U32, nullptr, 9, b.keys, 9, b.out, b.out2, 9, b.counts, nullptr));
  BAD(GP_E_NULL, "gp_left_join: probe is null",
      gp_left_join(ctx, GP_U32, b.begin, 9, nullptr, 9, b.out, b.out2, 9, b.counts, nullptr));
  BAD(GP_E_SIZE, "gp_left_join: build_count is 4294967296",
      gp_left_join(ctx, GP_U32, b.begin, 1ull << 32, b.keys, 9, b.out, b.out2, 9, b.counts, nullptr));
  BAD(GP_E_OVERLAP, "gp_inner_join: probe and out_build overlap",
      gp_inner_join(ctx, GP_U32, b.begin, 9, b.keys, 9, b.out, b.keys, 9, b.counts, nullptr));
  BAD(GP_E_NULL, "gp_semi_join: out_count is null",
      gp_semi_join(ctx, GP_U32, b.begin, 9, b.keys, 9, b.out, 9, nullptr, nullptr));
  BAD(GP_E_ALIGNMENT, "gp_anti_join: out_probe (",
      gp_anti_join(ctx, GP_U32, b.begin, 9, b.keys, 9, b.out + 2, 9, b.counts, nullptr));
  BAD(GP_E_NULL, "gp_contains: out is null", gp_contains(ctx, GP_U32, b.begin, 9, b.keys, 9, nullptr, nullptr));
  BAD(GP_E_NULL, "gp_contains: build is null", gp_contains(ctx, GP_U32, nullptr, 9, b.keys, 9, b.out, nullptr));
  BAD(GP_E_NULL, "gp_distinct: in is null", gp_distinct(ctx, GP_U32, nullptr, 9, b.out, 0, b.counts, nullptr));
  BAD(GP_E_TYPE, "gp_distinct: type is not set",
      gp_distinct(ctx, GP_TYPE_DEFAULT, b.in, 9, b.out, 0, b.counts, nullptr));
  BAD(GP_E_OVERLAP, "gp_distinct: in and out overlap", gp_distinct(ctx, GP_U32, b.in, 9, b.in, 0, b.counts, nullptr));
  BAD(GP_E_NULL, "gp_count_distinct: in is null", gp_count_distinct(ctx, GP_U32, nullptr, 9, b.counts, nullptr));
  BAD(GP_E_NULL, "gp_count_distinct: out_count is null", gp_count_distinct(ctx, GP_U32, b.in, 9, nullptr, nullptr));
  BAD(GP_E_NULL, "gp_group_by_many: aggregates is null",
      gp_group_by_many(ctx, GP_U32, b.in, 9, nullptr, 1, b.out, 0, b.counts, nullptr));
  // top-k of segments
  {
    const gp_primitive p = GP_SEGMENTED_TOP_K;
    FINE(p, c.in_type = vec3);
    FINE(p, c.in2 = b.end);
    FINE(p, c.out_keys = nullptr);
    FINE(p, c.in_type = GP_TYPE_DEFAULT, c.in = c.out = nullptr);
    FINE(p, c.k = 0, c.out = c.out_keys = nullptr);
    FINE(p, c.count = 0, c.keys = c.in = nullptr);
    FINE(p, c.segments = 0, c.begin = c.in2 = nullptr, c.out = c.out_keys = nullptr);
    FINE(p, c.end = b.out2, c.in2 = b.end);
    FINE(p, c.flags = GP_UNSORTED | GP_DESCENDING);
    FINE(p, c.flags = GP_CHECKED, c.bad = &b.bad);
    FINE(p, c.offset_type = GP_TYPE_DEFAULT, c.begin = nullptr, c.count = 0, c.segment_length = 10);
    for (const gp_type index : {GP_I32, GP_U32, GP_I64, GP_U64})
      FINE(p, c.in_type = GP_TYPE_DEFAULT, c.in = nullptr, c.out_type = index);
    WRONG(GP_E_TYPE, "out_type (of indices) is f32, not i32, u32, i64 or u64", p, c.in_type = GP_TYPE_DEFAULT,
        c.in = nullptr, c.out_type = GP_F32);
    WRONG(GP_E_TYPE, "in_type and out_type differ", p, c.out_type = GP_F64);
    WRONG(GP_E_TYPE, "key_type is struct type vec3", p, c.key_type = vec3);
    WRONG(GP_E_ARGUMENT, "k is 4294967296, above 4294967295", p, c.k = uint64_t(1) << 32);
    WRONG(GP_E_SIZE, "segments times k overflows", p, c.k = 1024, c.segments = uint64_t(1) << 60);
    WRONG(GP_E_NULL, "out_keys and out are both null", p, c.in_type = GP_TYPE_DEFAULT, c.in = nullptr,
        c.out = c.out_keys = nullptr);
    WRONG(GP_E_SIZE, "count is 2147483649, too large for indices of 4 bytes (out_type): use i64 or u64", p,
        c.in_type = GP_TYPE_DEFAULT, c.in = nullptr, c.out_type = GP_I32, c.count = (uint64_t(1) << 31) + 1);
    WRONG(GP_E_SIZE, "segment_length is 4294967296, too large for indices of 4 bytes", p, c.in_type = GP_TYPE_DEFAULT,
        c.in = nullptr, c.out_type = GP_U32, c.offset_type = GP_TYPE_DEFAULT, c.begin = nullptr, c.count = 0,
        c.segment_length = uint64_t(1) << 32);
    WRONG(GP_E_ARGUMENT, "segment_length is set, but the segments have offsets", p, c.segment_length = 5);
    WRONG(GP_E_ARGUMENT, "count is 100, neither 0 nor segments times segment_length (50)", p,
        c.offset_type = GP_TYPE_DEFAULT, c.begin = nullptr, c.segment_length = 5);
    WRONG(GP_E_ALIGNMENT, ": in2 (", p, c.in2 = b.end + 2);
    WRONG(GP_E_OVERLAP, "in2 and out overlap", p, c.in2 = b.out + 4);
    WRONG(GP_E_OVERLAP, "keys and out_keys overlap", p, c.out_keys = b.keys);
    FINE(p, c.out = b.in + 400); // behind 100 values
    WRONG(GP_E_OVERLAP, "out and out_keys overlap", p, c.out_keys = b.out + 356); // the last of 90 results
    FINE(p, c.out_keys = b.out + 360);
    WRONG(GP_E_NULL, ": bad is null", p, c.flags = GP_CHECKED);
    BAD(GP_E_NULL, "gp_segmented_top_k: segments is null",
        gp_segmented_top_k(ctx, GP_I32, GP_U32, b.keys, 9, nullptr, 5, b.out_keys, b.out, 0, nullptr));
  }

  // results
  for (gp_primitive p : {GP_RUN_LENGTHS, GP_NONTRIVIAL_RUNS}) {
    WRONG(GP_E_TYPE, "out2_type (of lengths) is f64", p, c.out2_type = GP_F64);
    WRONG(GP_E_ALIGNMENT, "out2 (lengths) (", p, c.out2 = b.out2 + 4, c.out2_type = GP_I64);
    WRONG(GP_E_OVERLAP, "keys and out2 (lengths) overlap", p, c.out2 = b.keys);
  }
  WRONG(GP_E_TYPE, "out_type and out2_type differ", GP_NONTRIVIAL_RUNS, c.out2_type = GP_I64, c.out_type = GP_I32);
  WRONG(GP_E_NULL, "out2 (lengths) is null", GP_NONTRIVIAL_RUNS, c.out2 = nullptr);
  WRONG(GP_E_OVERLAP, "out and out2 (lengths) overlap", GP_NONTRIVIAL_RUNS, c.out2 = b.out + 8);
  FINE(GP_RUN_LENGTHS, c.out2 = nullptr, c.out_keys = nullptr);
  for (gp_primitive p : {GP_ANY, GP_ALL, GP_EQUAL_ARRAYS, GP_IS_PARTITIONED})
    WRONG(GP_E_TYPE, "out_type is not u8 or bool: the result is one byte", p, c.out_type = GP_I32);
  WRONG(GP_E_NULL, "out_keys is null", GP_UNIQUE, c.out_keys = nullptr);
  WRONG(GP_E_NULL, ": out is null", GP_UNIQUE, c.in_type = GP_F64, c.in = b.in);
  WRONG(GP_E_NULL, ": in is null", GP_UNIQUE, c.in_type = GP_F64, c.out = b.out);
  WRONG(GP_E_TYPE, "in_type is not set", GP_UNIQUE, c.in = b.in, c.out = b.out);
  WRONG(GP_E_TYPE, "in_type and out_type differ", GP_UNIQUE, c.in_type = GP_F64, c.out_type = GP_F32, c.in = b.in,
      c.out = b.out);
  FINE(GP_UNIQUE, c.in_type = vec3, c.in = b.in, c.out = b.out);

  // segments
  for (gp_primitive p : {GP_SEGMENTED_REDUCE, GP_SEGMENTED_INCLUSIVE_SCAN, GP_LOAD_BALANCE, GP_EXPAND}) {
    WRONG(GP_E_ARGUMENT, "bad is set, but flags lacks GP_CHECKED", p, c.bad = &b.bad);
    WRONG(GP_E_NULL, "bad is null", p, c.flags = GP_CHECKED);
    WRONG(GP_E_ALIGNMENT, "bad (", p, c.flags = GP_CHECKED, c.bad = reinterpret_cast<uint64_t *>(b.end + 4));
    WRONG(GP_E_OVERLAP, "begin and bad overlap", p, c.flags = GP_CHECKED,
        c.bad = reinterpret_cast<uint64_t *>(b.begin + 40));
    WRONG(GP_E_OVERLAP, "begin and out overlap", p, c.out = b.begin + 40);
    FINE(p, c.flags = GP_CHECKED, c.bad = &b.bad);
  }
  WRONG(GP_E_ARGUMENT, "flags: GP_CHECKED checks that offsets do not decrease", GP_SEGMENTED_REDUCE,
      c.flags = GP_CHECKED, c.bad = &b.bad, c.end = b.end);
  WRONG(GP_E_ARGUMENT, "flags: GP_CHECKED: segments of equal length", GP_SEGMENTED_REDUCE, c.flags = GP_CHECKED,
      c.bad = &b.bad, c.begin = nullptr, c.offset_type = GP_TYPE_DEFAULT);
  WRONG(GP_E_ARGUMENT, "count_device: the call takes no count in device memory", GP_SEGMENTED_REDUCE,
      c.count_device = &b.bad);
  WRONG(
      GP_E_ARGUMENT, "segment_length is set, but the segments have offsets", GP_SEGMENTED_REDUCE, c.segment_length = 3);
  WRONG(GP_E_ARGUMENT, "count is 100, neither 0 nor segments times segment_length (30)", GP_SEGMENTED_REDUCE,
      c.begin = nullptr, c.offset_type = GP_TYPE_DEFAULT, c.segment_length = 3);
  WRONG(GP_E_SIZE, "segments times segment_length overflows", GP_SEGMENTED_REDUCE, c.begin = nullptr,
      c.offset_type = GP_TYPE_DEFAULT, c.segment_length = UINT64_MAX / 2);
  WRONG(GP_E_ALIGNMENT, ": end (", GP_SEGMENTED_REDUCE, c.end = b.end + 1);
  WRONG(GP_E_OVERLAP, "end and out overlap", GP_SEGMENTED_REDUCE, c.end = b.out);
  FINE(GP_SEGMENTED_REDUCE, c.begin = nullptr, c.offset_type = GP_TYPE_DEFAULT, c.segment_length = 10);
  FINE(GP_SEGMENTED_REDUCE, c.end = b.begin + 4);
  WRONG(GP_E_NULL, "bad is null", GP_CHECK_OFFSETS, c.bad = nullptr);

  // histograms
  for (gp_primitive p : {GP_HISTOGRAM_EVEN, GP_HISTOGRAM_RANGES}) {
    WRONG(GP_E_ARGUMENT, "bins is 0", p, c.bins = 0);
    WRONG(GP_E_SIZE, ": bins", p, c.bins = UINT64_MAX);
    WRONG(GP_E_SIZE, ": bins", p, c.bins = UINT64_MAX / 3, c.channels = 4);
    WRONG(GP_E_SIZE, ": bins", p, c.bins = 1u << 31);
    WRONG(GP_E_SIZE, ": bins", p, c.bins = 1u << 30, c.channels = 2);
    WRONG(GP_E_SIZE, "count: ", p, c.count = UINT64_MAX / 3, c.channels = 4);
    WRONG(GP_E_ARGUMENT, "channels is -1", p, c.channels = -1);
    WRONG(GP_E_ARGUMENT, "active is 3, not 1 to 2, the number of channels", p, c.channels = 2, c.active = 3);
    WRONG(GP_E_ARGUMENT, "active is -1", p, c.active = -1);
    WRONG(GP_E_TYPE, "in_type is a struct type", p, c.in_type = vec3);
    WRONG(GP_E_TYPE, "out_type (of counters) is u16", p, c.out_type = GP_U16);
    WRONG(GP_E_TYPE, "out_type (of counters) is not set", p, c.out_type = GP_TYPE_DEFAULT);
    WRONG(
        GP_E_TYPE, "out_type is f32: counters without weights (gp_call.in2) must be integers", p, c.out_type = GP_F32);
    WRONG(GP_E_TYPE, "weights of f32 need counters (out_type) of f32 or f64", p, c.in2 = b.keys);
    WRONG(GP_E_TYPE, "in2_type (of weights) is a struct type", p, c.in2 = b.keys, c.in2_type = vec3);
    WRONG(GP_E_NULL, "in2 (weights) is null", p, c.in2_type = GP_I32);
    WRONG(GP_E_UNSUPPORTED, "flags: GP_REPRODUCIBLE: counters of f64", p, c.in2 = b.keys, c.out_type = GP_F64,
        c.flags = GP_REPRODUCIBLE);
    WRONG(GP_E_OVERLAP, "in and out overlap", p, c.out = b.in);
    FINE(p, c.in2 = b.keys, c.out_type = GP_F64);
    FINE(p, c.in2 = b.keys, c.in2_type = GP_U8, c.out_type = GP_I64, c.channels = 4, c.active = 3,
        c.flags = GP_REPRODUCIBLE);
  }
  WRONG(GP_E_NULL, "lower is null", GP_HISTOGRAM_EVEN, c.lower = nullptr);
  WRONG(GP_E_NULL, "upper is null", GP_HISTOGRAM_EVEN, c.upper = nullptr);
  WRONG(GP_E_ARGUMENT, "lower (0) is not below upper (0) (channel 0)", GP_HISTOGRAM_EVEN, c.upper = lower_ends);
  WRONG(GP_E_ARGUMENT, "(channel 1)", GP_HISTOGRAM_EVEN, c.channels = 2, c.lower = upper_ends + 1,
        c.upper = upper_ends + 2;
        const float low[2] = {1, 9}; c.lower = low);
  WRONG(GP_E_ARGUMENT, "active is 17", GP_HISTOGRAM_EVEN, c.channels = 17);
  {
    const float all[2] = {-3e38f, 3e38f}, none[2] = {NAN, 1}, small_[2] = {0, 1e-44f};
    const int8_t bytes[2] = {-128, 127};
    const uint64_t large[2] = {0, UINT64_MAX}, turned[2] = {UINT64_MAX, 0};
    const uint16_t halves[2] = {0xfbff, 0x7bff}; // -65504 and 65504
    const int64_t wide[2] = {INT64_MIN, INT64_MAX};
    WRONG(GP_E_ARGUMENT, "overflows (channel 0)", GP_HISTOGRAM_EVEN, c.lower = all, c.upper = all + 1);
    WRONG(GP_E_ARGUMENT, "overflows (channel 0)", GP_HISTOGRAM_EVEN, c.lower = small_, c.upper = small_ + 1);
    WRONG(GP_E_ARGUMENT, "is not below upper", GP_HISTOGRAM_EVEN, c.lower = none, c.upper = none + 1);
    WRONG(GP_E_ARGUMENT, "lower is not below upper", GP_HISTOGRAM_EVEN, c.in_type = GP_U64, c.lower = turned,
        c.upper = turned + 1);
    WRONG(GP_E_ARGUMENT, "lower is not below upper", GP_HISTOGRAM_EVEN, c.in_type = GP_I8, c.lower = bytes + 1,
        c.upper = bytes);
    FINE(GP_HISTOGRAM_EVEN, c.in_type = GP_I8, c.lower = bytes, c.upper = bytes + 1);
    FINE(GP_HISTOGRAM_EVEN, c.in_type = GP_U64, c.lower = large, c.upper = large + 1);
    FINE(GP_HISTOGRAM_EVEN, c.in_type = GP_I64, c.lower = wide, c.upper = wide + 1);
    FINE(GP_HISTOGRAM_EVEN, c.in_type = GP_F16, c.lower = halves, c.upper = halves + 1);
  }
  WRONG(GP_E_NULL, "begin (boundaries) is null", GP_HISTOGRAM_RANGES, c.begin = nullptr);
  WRONG(GP_E_ALIGNMENT, "begin (boundaries) (", GP_HISTOGRAM_RANGES, c.begin = b.begin + 2);
  WRONG(GP_E_OVERLAP, "begin (boundaries) and out overlap", GP_HISTOGRAM_RANGES, c.out = b.begin + 64);

  // in place, by the header's table
  for (gp_primitive p : {GP_SEGMENTED_INCLUSIVE_SCAN, GP_EXCLUSIVE_SCAN_BY_KEY, GP_SELECT}) {
    FINE(p, c.out = b.in);
    WRONG(GP_E_OVERLAP, "in and out overlap", p, c.out = b.in + 4);
    WRONG(GP_E_OVERLAP, "in and out overlap", p, c.in = b.in + 4, c.out = b.in);
  }
  WRONG(GP_E_OVERLAP, "cannot run in place", GP_SEGMENTED_INCLUSIVE_SCAN, c.out_type = GP_F64, c.out = b.in);
  WRONG(GP_E_OVERLAP, "keys and out overlap: this call cannot run in place", GP_INCLUSIVE_SCAN_BY_KEY, c.out = b.keys);
  WRONG(GP_E_OVERLAP, "keys and out overlap", GP_INCLUSIVE_SCAN_BY_KEY, c.keys = b.in, c.out = b.in);
  WRONG(GP_E_OVERLAP, "keys (flags) and out overlap", GP_SELECT, c.op = GP_OP_DEFAULT, c.scalar = nullptr,
      c.key_type = GP_I32, c.keys = b.keys, c.out = b.keys);
  FINE(GP_UNIQUE, c.out_keys = b.keys);
  FINE(GP_REVERSE, c.out = b.in);
  WRONG(GP_E_OVERLAP, "in and out overlap", GP_REVERSE, c.out = b.in + 4);
  WRONG(GP_E_TYPE, "in_type and out_type differ", GP_REVERSE, c.out_type = GP_F64);
  FINE(GP_UNIQUE, c.out_keys = b.keys, c.in_type = GP_F64, c.in = b.in, c.out = b.in);
  WRONG(GP_E_OVERLAP, "keys and out_keys overlap", GP_UNIQUE, c.out_keys = b.keys + 4);
  WRONG(GP_E_OVERLAP, "keys and out overlap", GP_UNIQUE, c.in_type = GP_I32, c.in = b.in, c.out = b.keys);
  WRONG(GP_E_OVERLAP, "in and out_keys overlap", GP_UNIQUE, c.in_type = GP_I32, c.in = b.in, c.out = b.out,
      c.out_keys = b.in);
  for (gp_primitive p : {GP_SEGMENTED_REDUCE, GP_REDUCE_BY_KEY, GP_PARTITION, GP_ADJACENT_DIFFERENCE, GP_LOWER_BOUND})
    WRONG(GP_E_OVERLAP, "in and out overlap: this call cannot run in place", p, c.out = b.in);
  WRONG(GP_E_OVERLAP, "keys and out_keys overlap", GP_REDUCE_BY_KEY, c.out_keys = b.keys);
  WRONG(GP_E_OVERLAP, "out and out_keys overlap", GP_REDUCE_BY_KEY, c.out_keys = b.out + 4);
  WRONG(GP_E_OVERLAP, "out and out2 (the second part) overlap", GP_PARTITION, c.out2 = b.out);
  WRONG(GP_E_OVERLAP, "in and out2 (the second part) overlap", GP_PARTITION, c.out2 = b.in + 8);
  FINE(GP_PARTITION, c.out2 = b.out + 40); // ten are known to be selected
  WRONG(GP_E_OVERLAP, "count_device and out overlap", GP_SELECT,
      c.count_device = reinterpret_cast<uint64_t *>(b.out + 8));

  for (const unsigned char *x = reinterpret_cast<const unsigned char *>(&b);
       x < reinterpret_cast<const unsigned char *>(&b + 1); ++x)
    if (*x != 0x5a) {
      check(false, __LINE__, "outputs were touched");
      break;
    }
  // Empty calls without counts do nothing, even with null pointers.
  for (gp_primitive p : {GP_SEGMENTED_REDUCE, GP_SEGMENTED_EXCLUSIVE_SCAN, GP_INCLUSIVE_SCAN_BY_KEY,
           GP_ADJACENT_DIFFERENCE, GP_LOWER_BOUND, GP_LOAD_BALANCE}) {
    gp_call c = sample(p, 0);
    c.in = c.keys = c.begin = nullptr, c.out = nullptr, c.segments = 0, c.key_count = 0;
    GOOD(gp_run(ctx, &c, nullptr));
  }
  CHECK(fake::counts.launches == 0);
  CLOSE(ctx);
}

// Kernels' names: templates with every argument.
static void test_names() {
  gp_context *ctx = open_fake();
  const gp_type pair = define(ctx, "pair", "struct pair { int k, v; };", 8, 4);
  gp_op_desc d = gp_op_desc_init();
  gp_op odd, same_key, sum;
  d.name = "odd", d.body = "return ODD(a.k);", d.prelude = "#define ODD(x) ((x) & 1)", d.arity = 1;
  GOOD(gp_op_define(ctx, &d, &odd));
  d.name = "same key", d.body = "return a.k == b.k;", d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &same_key));
  d.name = "sum", d.body = "return pair{a.k, a.v + b.v};", d.identity = "pair{0, 0}", d.prelude = nullptr;
  GOOD(gp_op_define(ctx, &d, &sum));
  // The name without its policy, and the struct that the entry point takes.
  auto named = [&](const gp_call &c, const char *kernel, const char *rest, const char *arguments) {
    gp_kernel_source source;
    char name[1024];
    GOOD(gp_prepare(ctx, &c));
    GOOD(gp_kernel_origin(ctx, &c, &source, name, sizeof name));
    const char *end = strchr(name, '>');
    check(source == GP_KERNEL_COMPILED && strncmp(name, kernel, strlen(kernel)) == 0 &&
            strncmp(name + strlen(kernel), "<gp__policy<", 12) == 0 && end && std::string(">, ") + rest == end,
        __LINE__, "%s is not %s<.., %s", name, kernel, rest);
    check(fake::last_program.find(std::string("gp__entry(const ") + arguments + " a)") != std::string::npos, __LINE__,
        "the entry point of %s does not take %s", name, arguments);
  };
  auto has = [](const char *text) { return fake::last_program.find(text) != std::string::npos; };
  auto times = [](const char *text) {
    int n = 0;
    for (size_t at = 0; (at = fake::last_program.find(text, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  const char *stream = "gp__stream_cluster", *piped = "gp__stream_pipelined", *args = "gp__stream_args";
  gp_call c = sample(GP_SELECT);
  named(c, stream, "gp__select<1, float, gp__none, gp__compare<gp_less<float>>, gp__none>>", args);
  c.count = 1 << 26, c.in = c.out = nullptr, c.out_count = nullptr;
  named(c, piped, "gp__select<1, float, gp__none, gp__compare<gp_less<float>>, gp__none>>", args);
  c = sample(GP_SELECT), c.op = GP_OP_DEFAULT, c.scalar = nullptr, c.keys = buffers.keys, c.key_type = GP_I8,
  c.in_type = pair;
  named(c, stream, "gp__select<1, pair, unsigned char, gp__flag<unsigned char>, gp__none>>", args);
  CHECK(times("struct pair {") == 1);
  c = sample(GP_PARTITION), c.in_type = pair, c.op = odd, c.scalar = nullptr;
  named(c, stream, "gp__select<2, pair, gp__none, gp__test<gp__op_1, pair>, gp__none>>", args);
  CHECK(has("struct gp__op_1 {\n  typedef pair A;\n  typedef bool R;\n  GP_DEVICE R operator()(A a) const {"));
  c.predicate2 = odd, c.out3 = buffers.out3;
  named(c, stream, "gp__select<3, pair, gp__none, gp__test<gp__op_1, pair>, gp__test<gp__op_2, pair>>>", args);
  CHECK(has("struct gp__op_2 {\n  typedef pair A;\n  typedef bool R;") && times("#define ODD(x)") == 1);
  c = sample(GP_PARTITION), c.predicate2 = GP_NOT_EQUAL, c.scalar2 = upper_ends, c.out3 = buffers.out3;
  named(c, stream, "gp__select<3, float, gp__none, gp__compare<gp_less<float>>, gp__compare<gp_not_equal<float>>>>",
      args);
  c = sample(GP_UNIQUE);
  named(c, stream, "gp__runs<GP_UNIQUE, gp__key_heads<int, gp_equal<int>>, gp__none, gp__none>>", args);
  c.in_type = GP_F16, c.in = buffers.in, c.out = buffers.out, c.equal = GP_HEADS, c.key_type = GP_U16;
  named(c, stream, "gp__runs<GP_UNIQUE, gp__flag_heads<unsigned short>, gp_f16, gp__none>>", args);
  c = sample(GP_RUN_LENGTHS), c.key_type = pair, c.equal = same_key, c.out2_type = GP_I64;
  named(c, stream, "gp__runs<GP_RUN_LENGTHS, gp__key_heads<pair, gp__op_3>, gp__none, unsigned long long>>", args);
  CHECK(has("struct gp__op_3 {\n  typedef pair A;\n  typedef pair B;\n  typedef bool R;\n"));
  c = sample(GP_RUN_LENGTHS), c.out2 = nullptr, c.equal = GP_NOT_EQUAL; // gp_prepare would use the type for lengths
  named(c, stream, "gp__runs<GP_RUN_LENGTHS, gp__key_heads<int, gp_not_equal<int>>, gp__none, gp__none>>", args);
  c = sample(GP_NONTRIVIAL_RUNS);
  named(c, stream, "gp__runs<GP_NONTRIVIAL_RUNS, gp__key_heads<int, gp_equal<int>>, gp__none, unsigned int>>", args);
  c = sample(GP_REDUCE_BY_KEY), c.op = sum, c.in_type = pair, c.key_type = pair, c.equal = same_key;
  named(c, stream,
      "gp__by_key<GP_REDUCE_BY_KEY, false, gp__key_heads<pair, gp__op_3>, gp__op_1, gp__load<pair, pair, "
      "gp_convert<pair, "
      "pair>>, pair, pair, pair>>",
      args);
  CHECK(times("struct pair {") == 1 && has("enum { commutative = 0, exact = 0 };"));
  c = sample(GP_EXCLUSIVE_SCAN_BY_KEY), c.op = GP_SUM, c.in_type = GP_F16, c.transform = GP_ABS;
  named(c, stream,
      "gp__by_key<GP_EXCLUSIVE_SCAN_BY_KEY, false, gp__key_heads<int, gp_equal<int>>, gp_sum<float>, gp__load<gp_f16, "
      "float, gp_abs<gp_f16, float>>, gp_f16, float, gp_f16>>",
      args);
  for (bool few : {true, false}) {
    c = sample(GP_SEGMENTED_INCLUSIVE_SCAN), c.offset_type = GP_I64;
    if (!few) c.count = 1 << 18, c.in = c.out = nullptr;
    named(c, few ? "gp__stream_segments" : "gp__stream_look_back",
        "gp__by_key<GP_INCLUSIVE_SCAN_BY_KEY, false, gp__offset_heads<unsigned long long>, gp_max<float>, "
        "gp__load<float, "
        "float, gp_convert<float, float>>, float, float, float>>",
        args);
  }
  const char *max = "gp_max<float>, gp__load<float, float, gp_convert<float, float>>, float, float, float>";
  for (bool few : {true, false}) {
    const char *kernel = few ? "gp__warp_segments" : "gp__segmented_reduce";
    gp_policy merge_path = {};
    merge_path.algorithm = GP_MERGE_PATH;
    c = sample(GP_SEGMENTED_REDUCE);
    c.policy = few ? nullptr : &merge_path;
    named(c, kernel, (std::string("gp__offset_ends<unsigned int>, ") + max).c_str(), "gp__segment_args");
    c.end = buffers.end;
    named(c, kernel, (std::string("gp__range_ends<unsigned int>, ") + max).c_str(), "gp__segment_args");
    c.end = c.begin = nullptr, c.offset_type = GP_TYPE_DEFAULT, c.segment_length = 10;
    named(c, kernel, (std::string("gp__fixed_ends, ") + max).c_str(), "gp__segment_args");
  }
  c = sample(GP_COUNT_IF);
  named(c, "gp__reduce_even_share",
      "gp_sum<unsigned long long>, gp__counted<float, gp__compare<gp_less<float>>>, float, unsigned long long, "
      "unsigned long long>",
      "gp__reduce_args");
  c = sample(GP_ANY), c.in_type = pair, c.op = odd, c.scalar = nullptr;
  named(c, "gp__find", "gp__find_element<pair, gp__test<gp__op_1, pair>, true>, GP__FIND_SOME>", "gp__find_args");
  c.primitive = GP_ALL;
  named(c, "gp__find", "gp__find_element<pair, gp__test<gp__op_1, pair>, false>, GP__FIND_NONE>", "gp__find_args");
  c = sample(GP_FIND_IF);
  named(c, "gp__find", "gp__find_element<float, gp__compare<gp_less<float>>, true>, GP__FIND_INDEX>", "gp__find_args");
  c = sample(GP_MISMATCH);
  named(c, "gp__find", "gp__find_difference<float, gp_equal<float>>, GP__FIND_INDEX>", "gp__find_args");
  c = sample(GP_EQUAL_ARRAYS), c.in_type = pair, c.op = sum;
  named(c, "gp__find", "gp__find_difference<pair, gp__op_1>, GP__FIND_NONE>", "gp__find_args");
  c = sample(GP_ADJACENT_FIND), c.op = GP_NOT_EQUAL;
  named(c, "gp__find", "gp__find_neighbours<float, gp_not_equal<float>, false>, GP__FIND_BEFORE>", "gp__find_args");
  c = sample(GP_IS_SORTED), c.op = GP_GREATER;
  named(c, "gp__find", "gp__find_neighbours<int, gp_greater<int>, true>, GP__FIND_BAD>", "gp__find_args");
  c = sample(GP_CHECK_OFFSETS);
  named(c, "gp__reduce_even_share",
      "gp_min<unsigned long long>, gp__offset_fault<unsigned int>, unsigned int, unsigned long long, unsigned long "
      "long>",
      "gp__reduce_args");
  c = sample(GP_ADJACENT_DIFFERENCE), c.flags = GP_RIGHT, c.out_type = GP_F64;
  named(c, "gp__adjacent", "true, gp__binary<gp_sub<double>, float, float, double>, float, double>", "gp__map_args");
  c = sample(GP_ADJACENT_DIFFERENCE), c.in_type = pair, c.op = sum;
  named(c, "gp__adjacent", "false, gp__op_1, pair, pair>", "gp__map_args");
  c = sample(GP_REVERSE), c.in_type = pair;
  named(c, "gp__reverse", "pair>", "gp__map_args");
  c = sample(GP_SWAP);
  named(c, "gp__swap", "float>", "gp__map_args");
  c = sample(GP_REPLACE);
  named(c, "gp__map_kernel", "gp__replace_value<float, gp__compare<gp_less<float>>>, float, gp__none, float>",
      "gp__map_args");
  c = sample(GP_SCATTER), c.transform = GP_ABS, c.out_type = GP_F64, c.in2_type = GP_I32;
  named(c, "gp__scatter", "false, gp__compare<gp_less<int>>, gp_abs<float, double>, float, int, int, double>",
      "gp__scatter_args");
  c = sample(GP_SCATTER), c.keys = c.in2 = nullptr, c.key_type = c.in2_type = GP_TYPE_DEFAULT, c.n = 0;
  c.op = GP_OP_DEFAULT, c.scalar = nullptr;
  named(c, "gp__scatter", "false, gp__none, gp_convert<float, float>, float, gp__none, gp__none, float>",
      "gp__scatter_args");
  c = sample(GP_GATHER), c.in_type = pair, c.key_type = pair, c.op = odd, c.scalar = nullptr;
  named(c, "gp__scatter", "true, gp__test<gp__op_1, pair>, gp_convert<pair, pair>, pair, unsigned int, pair, pair>",
      "gp__scatter_args");
  c = sample(GP_LEXICOGRAPHIC), c.op = GP_GREATER;
  named(
      c, "gp__find", "gp__find_difference<float, gp__equivalent<gp_greater<float>>>, GP__FIND_ORDER>", "gp__find_args");
  c = sample(GP_IS_PARTITIONED);
  named(c, "gp__find", "gp__find_return<float, gp__compare<gp_less<float>>>, GP__FIND_NONE>", "gp__find_args");
  c = sample(GP_PARTITION_POINT), c.in_type = pair, c.op = odd, c.scalar = nullptr;
  named(c, "gp__partition_point", "gp__find_element<pair, gp__test<gp__op_1, pair>, true>>", "gp__find_args");
  c = fold_call(GP_REDUCE, GP_ARGMINMAX, GP_I32, GP_I64, nullptr, nullptr, 10);
  named(c, "gp__reduce_even_share",
      "gp_argminmax<long long>, gp__load<int, gp_both<gp_arg<long long>>, gp_convert<int, long "
      "long>>, int, gp_both<gp_arg<long long>>, gp_both<gp_arg<long long>>>",
      "gp__reduce_args");
  c = sample(GP_HISTOGRAM_EVEN), c.out_type = GP_I64;
  named(c, "gp__histogram", "GP_ONE_CLUSTER, gp__even_bins<float>, float, gp__none, unsigned long long>",
      "gp__histogram_args");
  {
    gp_policy p;
    memset(&p, 0, sizeof p);
    p.algorithm = GP_SHARED_BINS, c.policy = &p;
    named(c, "gp__histogram", "GP_SHARED_BINS, gp__even_bins<float>, float, gp__none, unsigned long long>",
        "gp__histogram_args");
  }
  c = sample(GP_HISTOGRAM_RANGES), c.in2 = buffers.keys, c.in2_type = GP_F16, c.out_type = GP_F64;
  named(c, "gp__histogram", "GP_SHARED_BINS, gp__range_bins<float>, float, gp_f16, double>", "gp__histogram_args");
  c = sample(GP_HISTOGRAM_EVEN), c.bins = 1 << 24;
  named(
      c, "gp__histogram", "GP_GLOBAL_BINS, gp__even_bins<float>, float, gp__none, unsigned int>", "gp__histogram_args");
  c = sample(GP_UPPER_BOUND), c.in_type = pair, c.op = same_key;
  named(c, "gp__bound", "true, pair, gp__op_1, unsigned int>", "gp__search_args");
  c = sample(GP_LOWER_BOUND), c.out_type = GP_U64;
  named(c, "gp__bound", "false, float, gp_less<float>, unsigned long long>", "gp__search_args");
  c = sample(GP_LOAD_BALANCE), c.offset_type = GP_U64;
  named(c, "gp__load_balance", "unsigned long long, unsigned int>", "gp__search_args");
  c = sample(GP_COPY_BATCH), c.offset_type = GP_I64;
  named(c, "gp__copy_batch", "unsigned long long>", "gp__batch_args");
  c = sample(GP_EXPAND), c.in_type = pair;
  named(c, "gp__expand", "gp__expand_by_offsets<unsigned int>, pair>", "gp__expand_args");
  c = sample(GP_RUN_LENGTH_EXPAND);
  named(c, "gp__expand", "gp__expand_by_lengths<unsigned int>, float>", "gp__expand_args");
  c = sample(GP_TOP_K);
  named(c, "gp__sort_one_cluster", "gp__radix_key<int>, unsigned int>", "gp__radix_args");
  c = sample(GP_TOP_K, 1 << 20), c.keys = c.in = c.out_keys = c.out = nullptr;
  named(c, "gp__top_k_merge", "int, float, float, false, false>", "gp__top_k_args");
  c.in = nullptr, c.in_type = GP_TYPE_DEFAULT, c.out_type = GP_U64, c.count = uint64_t(1) << 33, c.keys = nullptr;
  named(c, "gp__top_k_merge", "int, gp__none, unsigned long long, false, true>", "gp__top_k_args");
  c = sample(GP_TOP_K, 1 << 20), c.rows = 2, c.k = 4000, c.flags = GP_UNSORTED, c.in = c.out = nullptr,
  c.in_type = GP_TYPE_DEFAULT;
  c.keys = c.out_keys = nullptr;
  named(c, "gp__select_collect", "int, gp__none, gp__none, false>", "gp__top_k_args");
  c = sample(GP_SEGMENTED_TOP_K);
  named(c, "gp__top_k_short", "int, float, float, false, false>", "gp__segmented_top_k_args");
  c.k = 1025, c.keys = c.in = c.begin = nullptr, c.out = c.out_keys = nullptr;
  {
    gp_kernel_source source;
    char name[1024];
    GOOD(gp_prepare(ctx, &c));
    GOOD(gp_kernel_origin(ctx, &c, &source, name, sizeof name));
    CHECK(strstr(name, "gp__top_k_cut<") && strstr(name, ", int, float, float, false, false>"));
  }
  c = sample(GP_TOP_K), c.op = GP_LESS, c.flags = GP_DESCENDING;
  named(c, "gp__top_k_order_short", "gp_greater<int>, int, float, float, false>", "gp__segmented_top_k_args");
  c = sample(GP_SEGMENTED_TOP_K), c.op = GP_GREATER, c.in = nullptr, c.in_type = GP_TYPE_DEFAULT, c.out_type = GP_I64;
  named(c, "gp__top_k_order_short", "gp_greater<int>, int, gp__none, unsigned long long, false>",
      "gp__segmented_top_k_args");
  c = sample(GP_SHUFFLE);
  named(c, "gp__shuffle", "float, float>", "gp__map_args");
  c = sample(GP_TRANSPOSE);
  named(c, "gp__transpose", "4, 4, 12>", "gp__transpose_args");
  c.out = const_cast<void *>(c.in);
  named(c, "gp__transpose_square", "4, 4, 0>", "gp__transpose_args");
  gp_permutation rectangle = square(1 << 10, 1 << 11);
  gp_policy padded = {};
  padded.algorithm = GP_PADDED_TILES;
  c.permutation = &rectangle, c.count = 0;
  c.in = c.out = reinterpret_cast<void *>(uintptr_t(buffers.in) / 256 * 256);
  named(c, "gp__copy_kernel", "4>", "gp__map_args"); // to the workspace, and back
  c.policy = &padded; // chunks of 128 elements, of panels of as many rows
  named(c, "gp__transpose_save", "4, 4, 4099>", "gp__panels_args");
  rectangle = square(1021, 2048); // the inverse: chunks of rows of the input
  named(c, "gp__transpose_save", "4, 4, 4097>", "gp__panels_args");
  gp_policy buffered = {};
  uint64_t workspace = 0;
  buffered.algorithm = GP_BUFFERED_PANELS;
  c.policy = &buffered;
  named(c, "gp__transpose_save", "4, 4, 4097>", "gp__panels_args");
  c.policy = nullptr;
  rectangle = square(16384, 8192 + 1); // large: through a buffer, unless a policy says otherwise
  named(c, "gp__transpose_save", "4, 4, 4098>", "gp__panels_args");
  GOOD(gp_workspace_size(ctx, &c, &workspace));
  const uint64_t third = (uint64_t(16384) * 8193 * 4) / 3;
  check(workspace > third * 3 / 4 && workspace < third, __LINE__, "%llu bytes of workspace",
      (unsigned long long)workspace);
  buffered.algorithm = GP_PADDED_TILES;
  c.policy = &buffered;
  GOOD(gp_workspace_size(ctx, &c, &workspace));
  check(workspace <= 72 << 20, __LINE__, "%llu bytes of workspace", (unsigned long long)workspace);
  rectangle = square(1021, 2039); // primes
  named(c, "gp__transpose_within_rows", "4, 4>", "gp__transpose_args");
  c.policy = nullptr;
  c = sample(GP_REDUCE_AXIS), c.op = GP_SUM, c.out_type = GP_F64;
  named(c, "gp__rows_reduce",
      "0, false, gp_sum<double>, gp__load<float, double, gp_convert<float, double>>, float, double, double>",
      "gp__rows_args");
  c.op = GP_ARGMAX, c.out_type = GP_F32;
  named(c, "gp__rows_reduce",
      "0, false, gp_argmax<float>, gp__load<float, gp_arg<float>, gp_convert<float, float>>, float, gp_arg<float>, "
      "gp_arg<float>>",
      "gp__rows_args");
  const uint64_t few[2] = {3, 100000}, many[2] = {100000, 299};
  gp_axes rows = gp_axes_reduced(2, few, 0);
  c = sample(GP_REDUCE_AXIS), c.axes = &rows, c.count = 0, c.in = c.out = nullptr;
  const std::string loaded = "gp_max<float>, gp__load<float, float, gp_convert<float, float>>, float, float, float>";
  named(c, "gp__columns_reduce", ("false, " + loaded).c_str(), "gp__rows_args");
  rows = gp_axes_reduced(2, few, 1);
  named(c, "gp__rows_reduce", ("2, false, " + loaded).c_str(), "gp__rows_args");
  rows = gp_axes_reduced(2, many, 1);
  named(c, "gp__rows_reduce", ("0, false, " + loaded).c_str(), "gp__rows_args");
  const uint64_t vectors[2] = {100000, 300};
  rows = gp_axes_reduced(2, vectors, 1);
  named(c, "gp__rows_reduce", ("4, false, " + loaded).c_str(), "gp__rows_args");
  c = sample(GP_ROW_MAP), c.axes = &rows, c.count = 0, c.in = c.out = nullptr;
  const std::string applied = "gp__binary<gp_sub<float>, float, float, float>, float>";
  rows = gp_axes_mapped(2, many, 1);
  named(c, "gp__rows_map",
      ("0, gp_max<float>, gp__load<float, float, gp_convert<float, float>>, float, float, " + applied).c_str(),
      "gp__rows_args");
  rows = gp_axes_mapped(2, few, 1);
  named(c, "gp__rows_apply", ("false, float, float, " + applied).c_str(), "gp__rows_args");
  CHECK(fake::last_program.find("gp__rows_apply") != std::string::npos);
  rows = gp_axes_mapped(2, few, 0);
  named(c, "gp__rows_apply", ("true, float, float, " + applied).c_str(), "gp__rows_args");
  c.in_type = pair, c.acc_type = c.out_type = GP_F64, c.op = GP_SUM, c.transform = odd, c.apply = same_key;
  named(c, "gp__rows_apply", "true, pair, double, gp__op_3, double>", "gp__rows_args");
  CHECK(has("struct gp__op_3 {\n  typedef pair A;\n  typedef double B;\n  typedef double R;"));
  c = sample(GP_CONVERT_LAYOUT);
  named(c, "gp__convert_layout", "4096, 4, gp__side<1, 4>, gp__side<0, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>>",
      "gp__layout_args");
  c.in_layout = &sample_columns, c.out_layout = &sample_structs;
  named(c, "gp__convert_layout",
      "4096, 4, gp__side<0, 4>, gp__side<1, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>, gp__moved<1, -1, 3>>",
      "gp__layout_args");
  c.flags = GP_KEEP_GAPS;
  named(c, "gp__convert_layout", "4096, 0, gp__side<0, 4>, gp__side<0, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>>",
      "gp__layout_args");
  gp_layout blocks = sample_structs, larger = sample_structs;
  blocks.width = 96, larger.width = 8192, c.flags = 0, c.in_layout = &blocks, c.out_layout = &larger;
  named(c, "gp__convert_layout",
      "4096, 0, gp__side<0, 4>, gp__side<0, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>, gp__moved<1, -1, 3>>",
      "gp__layout_args");
  blocks.width = 64;
  named(c, "gp__convert_layout",
      "4096, 4, gp__side<64, 4>, gp__side<-1, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>, gp__moved<1, -1, 3>>",
      "gp__layout_args");
  larger.order = GP_AXES(1, 0, 2, 3), blocks.extent[0] = larger.extent[0] = c.count / 2;
  blocks.extent[1] = larger.extent[1] = 2, blocks.extent[2] = larger.extent[2] = 1;
  blocks.extent[3] = larger.extent[3] = 1;
  named(c, "gp__turn_layout",
      "4096, 0, gp__side<0, 4>, gp__side<0, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>, gp__moved<1, -1, 3>>",
      "gp__layout_args");
  larger.extent[1] = blocks.extent[1] = 1, larger.extent[0] = blocks.extent[0] = c.count; // nothing changes places
  named(c, "gp__convert_layout",
      "4096, 4, gp__side<64, 4>, gp__side<-1, 4>, gp__moved<2, 0, 0>, gp__moved<1, 2, 2>, gp__moved<1, -1, 3>>",
      "gp__layout_args");
  CLOSE(ctx);
}

// ---- types that a call does not take, or takes in its own way

static void test_element_types(bool host) {
  gp_config config_ = config();
  if (host) config_.backend = GP_BACKEND_HOST;
  gp_context *ctx = nullptr;
  GOOD(gp_open(&config_, &ctx));
  Buffers &b = buffers;
  for (gp_type wide : {GP_I128, GP_U128}) {
    const std::string name = gp_type_name(nullptr, wide), is = " is " + name;
    WRONG(GP_E_OPERATOR, ("op: ARGMINMAX does not work on " + name).c_str(), GP_REDUCE, c.op = GP_ARGMINMAX,
        c.in_type = c.out_type = wide, c.out2 = nullptr);
    FINE(GP_REDUCE, c.op = GP_MINMAX, c.in_type = c.out_type = wide);
    WRONG(GP_E_TYPE, ("key_type" + is + ": the call takes real types of up to 8 bytes; others with op LESS").c_str(),
        GP_SEGMENTED_TOP_K, c.key_type = wide);
    FINE(GP_SEGMENTED_TOP_K, c.key_type = wide, c.op = GP_GREATER);
    for (gp_primitive p : {GP_SCATTER, GP_GATHER}) {
      WRONG(GP_E_TYPE, "in2_type (of indices) is not i32, u32, i64 or u64", p, c.in2_type = wide);
      WRONG(GP_E_TYPE, ("key_type (of flags)" + is).c_str(), p, c.key_type = wide, c.keys = b.keys,
          c.op = GP_OP_DEFAULT, c.scalar = nullptr);
    }
    FINE(GP_GROUP_BY_MANY, c.key_type = wide);
  }
  for (gp_type complex : {GP_C32, GP_C64}) {
    const std::string name = gp_type_name(nullptr, complex);
    WRONG(GP_E_TYPE, ("key_type is " + name + ": groups come in the order of their keys").c_str(), GP_GROUP_BY_MANY,
        c.key_type = complex);
    WRONG(GP_E_OPERATOR, ("op: LESS does not work on " + name).c_str(), GP_LEXICOGRAPHIC, c.in_type = complex);
    WRONG(GP_E_TYPE, ("key_type is " + name).c_str(), GP_SEGMENTED_TOP_K, c.key_type = complex);
    WRONG(GP_E_OPERATOR, ("op: MINMAX does not work on " + name).c_str(), GP_REDUCE, c.op = GP_MINMAX,
        c.in_type = c.out_type = complex);
    WRONG(GP_E_OPERATOR, ("op: GREATER does not work on " + name).c_str(), GP_REPLACE, c.op = GP_GREATER,
        c.in_type = c.out_type = complex, c.scalar = c.value);
    WRONG(GP_E_OPERATOR, ("op: LESS does not work on " + name).c_str(), GP_SCATTER, c.op = GP_LESS,
        c.key_type = complex, c.keys = b.keys, c.scalar = b.end);
    WRONG(GP_E_OPERATOR, ("transform: ABS does not work on " + name + ": its result is real").c_str(), GP_SCATTER,
        c.transform = GP_ABS, c.in_type = c.out_type = complex);
    WRONG(GP_E_OPERATOR, ("apply: MAX does not work on " + name).c_str(), GP_ROW_MAP, c.apply = GP_MAX, c.op = GP_SUM,
        c.in_type = c.acc_type = c.out_type = complex);
    FINE(GP_DISTINCT, c.key_type = complex);
    FINE(GP_JOIN, c.key_type = complex);
  }
  WRONG(GP_E_OPERATOR, "apply: SUB does not work on bool: use BIT_XOR", GP_ROW_MAP, c.apply = GP_SUB, c.op = GP_SUM,
      c.in_type = c.acc_type = c.out_type = GP_BOOL);
  WRONG(GP_E_OPERATOR, "transform: NEGATE does not work on bool: use NOT", GP_SCATTER, c.transform = GP_NEGATE,
      c.in_type = c.out_type = GP_BOOL);
  FINE(GP_SCATTER, c.key_type = GP_BOOL, c.keys = b.keys, c.op = GP_OP_DEFAULT, c.scalar = nullptr);

  gp_aggregate one;
#define AGGREGATE(result, text, op_, type_, out_type_) \
  WRONG(result, text, GP_GROUP_BY_MANY, one = c.aggregates[0], one.op = op_, one.type = type_, \
      one.out_type = out_type_, c.aggregates = &one, c.aggregate_count = 1)
  for (gp_type type : {GP_I128, GP_U128, GP_C32, GP_C64}) {
    const std::string is = std::string("type is ") + gp_type_name(nullptr, type) + ": the call takes real types";
    for (gp_aggregate_op op : {GP_AGGREGATE_SUM, GP_AGGREGATE_MIN, GP_AGGREGATE_MEAN, GP_AGGREGATE_ARGMAX})
      AGGREGATE(GP_E_TYPE, ("aggregates[0]." + is).c_str(), op, type, GP_TYPE_DEFAULT);
    for (gp_aggregate_op op : {GP_AGGREGATE_SUM, GP_AGGREGATE_MEAN, GP_AGGREGATE_ARGMAX})
      AGGREGATE(GP_E_TYPE, ("aggregates[0].out_" + is).c_str(), op, GP_I32, type);
  }
  AGGREGATE(
      GP_E_TYPE, "aggregates[0].out_type is bool, not an integer type", GP_AGGREGATE_SUM, GP_BOOL, GP_TYPE_DEFAULT);
  AGGREGATE(GP_E_TYPE, "aggregates[0].out_type is f32, not an integer type", GP_AGGREGATE_SUM, GP_BOOL, GP_F32);
  AGGREGATE(GP_E_TYPE, "aggregates[0].out_type is bool, not a float type", GP_AGGREGATE_SUM, GP_F32, GP_BOOL);
  AGGREGATE(GP_E_TYPE, "aggregates[0].out_type is bool, not a float type", GP_AGGREGATE_MEAN, GP_I32, GP_BOOL);
#undef AGGREGATE
  FINE(GP_GROUP_BY_MANY, one = c.aggregates[0], one.op = GP_AGGREGATE_SUM, one.type = GP_BOOL, one.out_type = GP_I64,
      c.aggregates = &one, c.aggregate_count = 1);

  // True has many bytes, and keys are compared by bytes, but for keys of bool.
  const gp_input truth = gp_input_array(GP_BOOL, b.keys), u8 = gp_input_array(GP_U8, b.keys);
  const gp_input converted = gp_input_of_one(GP_CONVERT, GP_U8, &truth);
  const gp_type bytes = define(ctx, "two", "struct two { unsigned char a, b; };", 2, 1);
  const gp_input first = gp_input_zipped(bytes, &truth, &u8, nullptr, nullptr);
  const gp_input second = gp_input_zipped(bytes, &u8, &truth, nullptr, nullptr);
  const gp_input fine = gp_input_zipped(bytes, &converted, &u8, nullptr, nullptr);
  for (gp_primitive p : {GP_GROUP_BY_MANY, GP_DISTINCT}) {
    WRONG(GP_E_TYPE, "key_type: member 0 of a zipped struct is bool, and keys are compared by bytes: convert it", p,
        c.key_type = GP_INPUT, c.keys = &first);
    WRONG(GP_E_TYPE, "key_type: member 1 of a zipped struct is bool", p, c.key_type = GP_INPUT, c.keys = &second);
    FINE(p, c.key_type = GP_INPUT, c.keys = &fine);
    FINE(p, c.key_type = GP_INPUT, c.keys = &truth);
  }
  for (gp_primitive p : {GP_GROUP_BY_MANY, GP_DISTINCT, GP_JOIN}) {
    gp_call c = sample(p);
    unsigned of_bool = 0;
    c.key_type = GP_BOOL;
    fake::machine.run = false;
    fake::on_launch = [&](const fake::Module &m, const gp__cu_launch &) {
      of_bool += m.kernel.find("gp__hash_") != std::string::npos && m.kernel.find("gp_bool") != std::string::npos;
    };
    if (!host) GOOD(gp_run(ctx, &c, nullptr));
    fake::on_launch = nullptr;
    fake::machine.run = true;
    CHECK(of_bool == !host);
  }
  if (host) {
    const unsigned char some[] = {0, 1, 2, 128, 0, 255}, build[] = {7};
    unsigned char found[6], flags[6];
    uint64_t count = 0;
    GOOD(gp_distinct(ctx, GP_BOOL, some, 6, found, 0, &count, nullptr));
    CHECK(count == 2 && found[0] == 0 && found[1] == 1);
    GOOD(gp_contains(ctx, GP_BOOL, build, 1, some, 6, flags, nullptr));
    CHECK(!flags[0] && flags[1] && flags[2] && flags[3] && !flags[4] && flags[5]);
    { // columns that follow runs: sums in accumulators of their own types, and first elements
      const unsigned keys[] = {3, 3, 3, 5, 5}, values[] = {1, 2, 3, 4, 5};
      const unsigned char bytes[] = {250, 7, 1, 9, 8};
      const uint16_t halves[] = {0x6400, 0x3800, 0x3800, 0x4000, 0x4200}; // 1024, 0.5, 0.5; 2, 3
      unsigned sums[5] = {0}, out_keys[5] = {0};
      unsigned char out_bytes[5] = {0};
      uint16_t out_halves[5] = {0};
      const gp_column columns[] = {{GP_U8, 0, bytes, out_bytes}, {GP_F16, 0, halves, out_halves}};
      gp_call c = gp_call_init(GP_REDUCE_BY_KEY);
      c.op = GP_SUM, c.key_type = c.in_type = c.out_type = GP_U32, c.keys = keys, c.in = values, c.out = sums;
      c.out_keys = out_keys, c.out_count = &count, c.count = 5, c.columns = columns, c.column_count = 2;
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(count == 2 && sums[0] == 6 && sums[1] == 9 && out_keys[0] == 3 && out_keys[1] == 5);
      CHECK(out_bytes[0] == 2 && out_bytes[1] == 17 && out_halves[0] == 0x6401 && out_halves[1] == 0x4500);
      c.primitive = GP_UNIQUE, c.op = GP_OP_DEFAULT, c.in_type = c.out_type = GP_TYPE_DEFAULT, c.in = c.out = nullptr;
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(
          count == 2 && out_bytes[0] == 250 && out_bytes[1] == 9 && out_halves[0] == 0x6400 && out_halves[1] == 0x4000);
    }
    gp_call c = gp_call_init(GP_ROW_MAP); // AND, OR and all others on bool read true and false
    const uint64_t extent[1] = {6};
    const gp_axes axes = gp_axes_mapped(1, extent, 0);
    c.op = GP_SUM, c.apply = GP_BIT_XOR, c.in_type = c.acc_type = c.out_type = GP_BOOL;
    c.axes = &axes, c.in = some, c.out = found;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(found[0] == 1 && found[1] == 0 && found[2] == 0 && found[3] == 0 && found[4] == 1 && found[5] == 0);
  }
  CLOSE(ctx);
}

// Windows of scatters: on GPUs with a large L2, where a sector gets several elements and windows are few.
static void test_scatter_windows() {
  const int index = 0;
  gp__request q;
  gp__shape h;
  memset(&q, 0, sizeof q), memset(&h, 0, sizeof h);
  q.primitive = GP_SCATTER, q.in2 = &index, q.out_size = 4, q.count = q.length = 20 << 20, h.compute_capability = 90;
  check(gp__scatter_window(&q, &h) == 5 << 20, __LINE__, "80 MB of u32");
  q.count = 9 << 20;
  check(gp__scatter_window(&q, &h) == q.length, __LINE__, "few elements");
  q.count = q.length = 7 << 20;
  check(gp__scatter_window(&q, &h) == q.length, __LINE__, "28 MB");
  q.count = q.length = 41 << 20;
  check(gp__scatter_window(&q, &h) == q.length, __LINE__, "more than 8 windows");
  q.count = q.length = 12 << 20, q.out_size = 8;
  check(gp__scatter_window(&q, &h) == 5 << 19, __LINE__, "96 MB of u64");
  q.count = q.length = 16 << 20;
  check(gp__scatter_window(&q, &h) == q.length, __LINE__, "more than 6 windows of u64");
  q.count = q.length = 12 << 20, q.primitive = GP_GATHER;
  check(gp__scatter_window(&q, &h) == q.length, __LINE__, "a gather");
  q.primitive = GP_SCATTER, h.compute_capability = 86;
  check(gp__scatter_window(&q, &h) == q.length, __LINE__, "a small L2");
  h.compute_capability = 90, q.in2 = nullptr;
  check(gp__scatter_window(&q, &h) == q.length, __LINE__, "no indices");
}

int main(int argc, char **argv) {
  return run_groups(argc, argv,
      {{"arguments", [] { test_arguments(false); }}, {"host", [] { test_arguments(true); }},
          {"programs", test_programs}, {"sizes of structs", test_struct_sizes}, {"prepared calls", test_prepared},
          {"driver calls", test_driver_calls}, {"plans", test_plans},
          {"more arguments", [] { test_more_arguments(false); }},
          {"more arguments, host", [] { test_more_arguments(true); }},
          {"element types", [] { test_element_types(false); }},
          {"element types, host", [] { test_element_types(true); }}, {"names", test_names},
          {"scatter windows", test_scatter_windows}});
}
