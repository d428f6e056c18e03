// Contexts, policies, workspaces, launches, faults, caches, bundles, threads, on the emulated driver (dispatch_test.h).
#include "dispatch_speed.h"

// ---- kernels that tests run

FAKE_KERNEL(gp__map_args, gp__copy_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, 4>);
FAKE_KERNEL(
    gp__map_args, gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__fill_value<float>, gp__none, gp__none, float>);
FAKE_KERNEL(gp__map_args,
    gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__iota_value<gp_f16>, gp__none, gp__none, gp_f16>);
FAKE_KERNEL(
    gp__map_args, gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__iota_value<int>, gp__none, gp__none, int>);
FAKE_KERNEL(
    gp__map_args, gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, gp_negate<int, float>, int, gp__none, float>);
FAKE_KERNEL(gp__map_args,
    gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, gp__binary<gp_sum<int>, int, int, int>, int, int, int>);
FAKE_KERNEL(gp__reduce_args,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_sum<unsigned long long>,
        gp__load<unsigned char, unsigned long long, gp_convert<unsigned char, unsigned long long>>, unsigned char,
        unsigned long long, unsigned long long>);
FAKE_KERNEL(gp__reduce_args,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>, int,
        int, int>);
FAKE_KERNEL(gp__reduce_args,
    gp__reduce_stealing<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_sum<int>, gp__load<int, int, gp_square<int, int>>, int,
        int, int>);
FAKE_KERNEL(gp__reduce_args,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_argmin<float>,
        gp__load<float, gp_arg<float>, gp_convert<float, float>>, float, gp_arg<float>, gp_arg<float>>);
FAKE_KERNEL(gp__scan_args,
    gp__scan_look_back<gp__policy<128, 1, 3, 3, 3, 1, 2>, true, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__scan_args,
    gp__scan_upsweep<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__scan_args,
    gp__scan_spine<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>, int,
        int, int>);
FAKE_KERNEL(gp__scan_args,
    gp__scan_downsweep<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__scan_args,
    gp__scan_cluster<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__scan_args,
    gp__scan_pipelined<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__reduce_args,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_sum<unsigned long long>,
        gp__counted<int, gp__compare<gp_greater<int>>>, int, unsigned long long, unsigned long long>);
FAKE_KERNEL(gp__find_args,
    gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__find_element<int, gp__compare<gp_less<int>>, false>,
        GP__FIND_NONE>);
FAKE_KERNEL(gp__find_args,
    gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__find_element<int, gp__compare<gp_less<int>>, true>, GP__FIND_SOME>);
FAKE_KERNEL(gp__find_args,
    gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__find_element<int, gp__compare<gp_greater<int>>, true>,
        GP__FIND_INDEX>);
FAKE_KERNEL(gp__find_args,
    gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__find_difference<int, gp_equal<int>>, GP__FIND_INDEX>);
FAKE_KERNEL(
    gp__find_args, gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__find_difference<int, gp_equal<int>>, GP__FIND_NONE>);
FAKE_KERNEL(gp__find_args,
    gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__find_neighbours<int, gp_equal<int>, false>, GP__FIND_BEFORE>);
FAKE_KERNEL(gp__find_args,
    gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__find_neighbours<int, gp_less<int>, true>, GP__FIND_BAD>);
FAKE_KERNEL(gp__rows_args,
    gp__rows_reduce<gp__policy<128, 1, 3, 3, 0, 1, 2>, 0, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__rows_args,
    gp__rows_reduce<gp__policy<128, 1, 3, 3, 0, 1, 2>, 1, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__rows_args,
    gp__rows_reduce<gp__policy<128, 1, 3, 3, 0, 1, 2>, 4, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__rows_args,
    gp__rows_reduce<gp__policy<128, 1, 3, 3, 0, 1, 2>, 2, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__rows_args,
    gp__rows_reduce<gp__policy<128, 1, 3, 3, 0, 1, 2>, 2, true, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__rows_args,
    gp__columns_reduce<gp__policy<128, 1, 3, 3, 0, 1, 2>, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__rows_args,
    gp__columns_reduce<gp__policy<128, 1, 3, 3, 0, 1, 2>, true, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);
FAKE_KERNEL(gp__rows_args,
    gp__rows_map<gp__policy<128, 1, 3, 3, 0, 1, 2>, 0, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>, int, int,
        gp__binary<gp_sub<int>, int, int, int>, int>);
FAKE_KERNEL(gp__rows_args,
    gp__rows_map<gp__policy<128, 1, 3, 3, 0, 1, 2>, 2, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>, int, int,
        gp__binary<gp_sub<int>, int, int, int>, int>);
FAKE_KERNEL(gp__rows_args,
    gp__rows_apply<gp__policy<128, 1, 3, 3, 0, 1, 2>, false, int, int, gp__binary<gp_sub<int>, int, int, int>, int>);
FAKE_KERNEL(gp__rows_args,
    gp__rows_apply<gp__policy<128, 1, 3, 3, 0, 1, 2>, true, int, int, gp__binary<gp_sub<int>, int, int, int>, int>);
FAKE_KERNEL(gp__reduce_args,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_min<unsigned long long>, gp__offset_fault<unsigned int>,
        unsigned int, unsigned long long, unsigned long long>);
FAKE_KERNEL(gp__map_args,
    gp__adjacent<gp__policy<128, 1, 3, 3, 0, 0, 2>, false, gp__binary<gp_sub<int>, int, int, int>, int, int>);
FAKE_KERNEL(gp__map_args, gp__reverse<gp__policy<128, 1, 3, 3, 0, 0, 2>, int>);
FAKE_KERNEL(gp__map_args, gp__swap<gp__policy<128, 1, 3, 3, 0, 0, 2>, int>);
FAKE_KERNEL(gp__map_args,
    gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>, gp__replace_value<int, gp__compare<gp_greater<int>>>, int,
        gp__none, int>);
FAKE_KERNEL(gp__scatter_args,
    gp__scatter<gp__policy<128, 1, 3, 3, 0, 0, 2>, false, gp__none, gp_convert<int, int>, int, unsigned int, gp__none,
        int>);
FAKE_KERNEL(gp__scatter_args,
    gp__scatter<gp__policy<128, 1, 3, 3, 0, 0, 2>, false, gp__compare<gp_greater<int>>, gp_negate<int, int>, int,
        gp__none, int, int>);
FAKE_KERNEL(gp__scatter_args,
    gp__scatter<gp__policy<128, 1, 3, 3, 0, 0, 2>, true, gp__flag<unsigned char>, gp_convert<int, int>, int,
        unsigned int, unsigned char, int>);
FAKE_KERNEL(gp__find_args,
    gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__find_difference<int, gp__equivalent<gp_less<int>>>,
        GP__FIND_ORDER>);
FAKE_KERNEL(gp__find_args,
    gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__find_return<int, gp__compare<gp_less<int>>>, GP__FIND_NONE>);
FAKE_KERNEL(gp__find_args,
    gp__partition_point<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__find_element<int, gp__compare<gp_less<int>>, true>>);
FAKE_KERNEL(gp__reduce_args,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_argminmax<int>,
        gp__load<int, gp_both<gp_arg<int>>, gp_convert<int, int>>, int, gp_both<gp_arg<int>>, gp_both<gp_arg<int>>>);
FAKE_KERNEL(gp__expand_args, gp__expand_offsets<gp__policy<128, 1, 3, 3, 0, 1, 2>, unsigned int>);
FAKE_KERNEL(gp__expand_args, gp__expand<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__expand_by_lengths<unsigned int>, int>);
FAKE_KERNEL(gp__expand_args, gp__expand<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__expand_by_offsets<unsigned int>, int>);
FAKE_KERNEL(gp__batch_args, gp__copy_batch<gp__policy<128, 1, 3, 3, 0, 1, 2>, unsigned int>);

// ---- contexts

static void test_contexts() {
  gp_context *ctx = nullptr, *other = nullptr;
  gp_config c = config();
  BAD(GP_E_NULL, "gp_open: ctx is null", gp_open(&c, nullptr));
  BAD(GP_E_CONTEXT, "ctx is null", gp_close(nullptr));
  char garbage[256] = {0};
  BAD(GP_E_CONTEXT, "never open", gp_close(reinterpret_cast<gp_context *>(garbage)));
  BAD(GP_E_CONTEXT, "ctx is null", gp_copy(nullptr, GP_F32, nullptr, 0, nullptr, nullptr));

  c.backend = gp_backend(7);
  BAD(GP_E_ARGUMENT, "gp_config.backend", gp_open(&c, &ctx));
  c = config(), c.device = -2;
  BAD(GP_E_ARGUMENT, "gp_config.device", gp_open(&c, &ctx));
  c = config(), c.device = 1;
  BAD(GP_E_NO_DEVICE, "gp_config.device is 1", gp_open(&c, &ctx));
  c = config(), c.allocate = [](void *, size_t, gp_stream) -> void * { return nullptr; };
  BAD(GP_E_ARGUMENT, "gp_config.allocate and gp_config.release", gp_open(&c, &ctx));
  c = config(), c.cuda_library = "libcuda.so.1";
  BAD(GP_E_ARGUMENT, "gp_config.cuda_library", gp_open(&c, &ctx));
  c = config(), c.nvrtc_library = "./libnvrtc.so";
  BAD(GP_E_ARGUMENT, "gp_config.nvrtc_library", gp_open(&c, &ctx));
  c = config(), c.cache_dir = "cache";
  BAD(GP_E_ARGUMENT, "gp_config.cache_dir", gp_open(&c, &ctx));
  c = config(), c.host_threads = -1;
  BAD(GP_E_ARGUMENT, "gp_config.host_threads", gp_open(&c, &ctx));
  c = config(), c.driver = nullptr, c.cuda_library = "/nonexistent/libcuda.so";
  BAD(GP_E_NO_DEVICE, "/nonexistent/libcuda.so", gp_open(&c, &ctx));
  c.cuda_library = "/lib/x86_64-linux-gnu/libm.so.6";
  if (access(c.cuda_library, R_OK) == 0) BAD(GP_E_NO_DEVICE, "the driver has no cuInit", gp_open(&c, &ctx));
  c = config();
  fake::machine.devices = 0;
  BAD(GP_E_NO_DEVICE, "0 devices", gp_open(&c, &ctx));
  fake::machine.devices = 1, fake::machine.init_error = 100;
  BAD(GP_E_NO_DEVICE, "cuInit", gp_open(&c, &ctx));
  fake::machine.init_error = 0, fake::machine.capability = 70;
  BAD(GP_E_DEVICE_TOO_OLD, "compute capability 7.0", gp_open(&c, &ctx));
  CHECK(ctx == nullptr && fake::leaks().empty());
  c.backend = GP_BACKEND_AUTO; // too old a device is not a missing device
  BAD(GP_E_DEVICE_TOO_OLD, "compute capability 7.0", gp_open(&c, &ctx));
  gp_description d = gp_description_init();

  fake::machine.capability = 90, fake::machine.devices = 3;
  c = config(), c.device = 2;
  GOOD(gp_open(&c, &ctx));
  GOOD(gp_describe(ctx, &d));
  CHECK(d.backend == GP_BACKEND_CUDA && d.device == 2 && d.compute_capability == 90 && d.multiprocessors == 2 &&
      strcmp(d.name, "Fake H200") == 0 && d.driver_version == 13000 && d.memory_bytes == uint64_t(140) << 30 &&
      d.shared_bytes_per_block == 227 * 1024 && d.nvrtc_version == 0);
  BAD(GP_E_NULL, "description is null", gp_describe(ctx, nullptr));
  CHECK(fake::primary_references[2] == 1);
  fake::current.push_back(&fake::primary[1]); // the thread's current context belongs to another device
  c.device = GP_DEVICE_CURRENT;
  GOOD(gp_open(&c, &other));
  GOOD(gp_describe(other, &d));
  CHECK(d.device == 1 && fake::primary_references[1] == 1);
  GOOD(gp_close(other));
  fake::current.clear();
  BAD(GP_E_CONTEXT, "ctx is closed", gp_close(other));
  BAD(GP_E_CONTEXT, "ctx is closed", gp_describe(other, &d));
  CLOSE(ctx);
  BAD(GP_E_CONTEXT, "ctx is closed", gp_close(ctx));
  BAD(GP_E_CONTEXT, "ctx is closed", gp_prepare(ctx, nullptr));
  CHECK(strcmp(gp_result_name(GP_E_FORK), "GP_E_FORK") == 0 && strlen(gp_result_text(GP_E_FORK)) > 5);
  CHECK(strcmp(gp_result_name(gp_result(999)), "unknown result") == 0);
}

// ---- types and operators

static void test_definitions() {
  gp_context *ctx = open_fake();
  gp_type t;
  gp_type_desc d = gp_type_desc_init();
  d.name = "vec3", d.size = 12, d.align = 4;
  BAD(GP_E_NULL, "desc is null", gp_type_struct(ctx, nullptr, &t));
  BAD(GP_E_NULL, "type is null", gp_type_struct(ctx, &d, nullptr));
  for (const char *name :
      {"", "3d", "a b", "a::b", "a*", "x123456789012345678901234567890123456789012345678901234567890123456"}) {
    gp_type_desc e = d;
    e.name = name;
    BAD(GP_E_ARGUMENT, "desc.name", gp_type_struct(ctx, &e, &t));
  }
  d.name = nullptr;
  BAD(GP_E_NULL, "desc.name is null", gp_type_struct(ctx, &d, &t));
  d.name = "vec3", d.size = 0;
  BAD(GP_E_ARGUMENT, "desc.size is 0", gp_type_struct(ctx, &d, &t));
  d.size = 65;
  BAD(GP_E_ARGUMENT, "desc.size is 65", gp_type_struct(ctx, &d, &t));
  d.size = 12;
  for (size_t align : {0, 3, 8, 32}) {
    d.align = align;
    BAD(GP_E_ARGUMENT, "desc.align", gp_type_struct(ctx, &d, &t));
  }
  d.align = 4;
  GOOD(gp_type_struct(ctx, &d, &t));
  CHECK(t >= GP_TYPE_COUNT && gp_type_size(ctx, t) == 12 && strcmp(gp_type_name(ctx, t), "vec3") == 0);
  gp_type again;
  BAD(GP_E_ARGUMENT, "exists already", gp_type_struct(ctx, &d, &again));
  CHECK(gp_type_size(nullptr, GP_F64) == 8 && strcmp(gp_type_name(nullptr, GP_BF16), "bf16") == 0);
  CHECK(gp_type_size(ctx, gp_type(99)) == 0 && !gp_type_name(ctx, gp_type(99)) && !gp_type_name(nullptr, t) &&
      !gp_type_name(ctx, gp_type(-1)));
  CHECK(strcmp(gp_op_name(nullptr, GP_ARGMAX), "ARGMAX") == 0 && !gp_op_name(ctx, gp_op(99)) &&
      !gp_op_name(ctx, gp_op(-5)));

  gp_op op;
  gp_op_desc o = gp_op_desc_init();
  o.name = "add", o.body = "return a + b;", o.identity = "0", o.arity = 2;
  BAD(GP_E_NULL, "desc is null", gp_op_define(ctx, nullptr, &op));
  BAD(GP_E_NULL, "op is null", gp_op_define(ctx, &o, nullptr));
  gp_op_desc e = o;
  e.name = nullptr;
  BAD(GP_E_NULL, "desc.name", gp_op_define(ctx, &e, &op));
  for (const char *name : {"", "a\"b", "a\\b", "a\nb"}) {
    e.name = name;
    BAD(GP_E_ARGUMENT, "desc.name", gp_op_define(ctx, &e, &op));
  }
  e = o, e.arity = 3;
  BAD(GP_E_ARGUMENT, "desc.arity", gp_op_define(ctx, &e, &op));
  e = o, e.commutative = 2;
  BAD(GP_E_ARGUMENT, "desc.commutative", gp_op_define(ctx, &e, &op));
  e = o, e.body = nullptr;
  BAD(GP_E_NULL, "desc.body and desc.host", gp_op_define(ctx, &e, &op));
  e = o, e.host_identity_size = 4;
  BAD(GP_E_ARGUMENT, "desc.host_identity", gp_op_define(ctx, &e, &op));
  e.host_identity = &e, e.host_identity_size = 65;
  BAD(GP_E_ARGUMENT, "desc.host_identity_size", gp_op_define(ctx, &e, &op));
  GOOD(gp_op_define(ctx, &o, &op));
  CHECK(op >= GP_OP_COUNT && strcmp(gp_op_name(ctx, op), "add") == 0);
  CLOSE(ctx);
}

// ---- the calls, on real kernels

static void test_results() {
  gp_context *ctx = open_fake();
  const int n = 1000;
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[size_t(i)] = i * 7 % 31 - 9;
  Device<int> in(v), out{size_t(n)}, one(1);
  gp_policy p = small(GP_DIRECT);
  gp_call c = gp_call_init(GP_COPY);
  c.policy = &p, c.in_type = GP_I32, c.in = in.data, c.out = out.data, c.count = uint64_t(n);
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(out.get() == v);
  c.primitive = GP_TRANSFORM2, c.op = GP_SUM, c.in2 = in.data;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(out.data[5] == 2 * v[5] && out.data[n - 1] == 2 * v[size_t(n - 1)]);
  Device<float> floats{size_t(n)};
  c = gp_call_init(GP_TRANSFORM);
  c.policy = &p, c.op = GP_NEGATE, c.in_type = GP_I32, c.out_type = GP_F32, c.in = in.data, c.out = floats.data;
  c.count = uint64_t(n);
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(floats.data[17] == -float(v[17]));
  float pi = 3.25f;
  c = gp_call_init(GP_FILL);
  c.policy = &p, c.value = &pi, c.out_type = GP_F32, c.out = floats.data, c.count = uint64_t(n);
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(floats.data[0] == 3.25f && floats.data[n - 1] == 3.25f);
  c = gp_call_init(GP_IOTA);
  c.policy = &p, c.out_type = GP_I32, c.out = out.data, c.count = uint64_t(n);
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(out.data[0] == 0 && out.data[1] == 1 && out.data[n - 1] == n - 1);
  Device<uint16_t> halves(4);
  c.out_type = GP_F16, c.out = halves.data, c.count = 4; // the default step is a half one
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(halves.get() == (std::vector<uint16_t>{0x0000, 0x3c00, 0x4000, 0x4200}));

  const int sum = std::accumulate(v.begin(), v.end(), 0), hundred = 100;
  gp_policy q = small(GP_EVEN_SHARE);
  c = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, in.data, one.data, uint64_t(n));
  c.policy = &q;
  for (int round = 0; round < 3; ++round) {
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(*one.data == sum);
  }
  c.init = &hundred;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(*one.data == sum + 100);
  c.count = 0; // an empty input has a result too
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(*one.data == 100);
  Device<uint64_t> device_count(std::vector<uint64_t>{10});
  c.count = uint64_t(n), c.init = nullptr, c.count_device = device_count.data;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(*one.data == std::accumulate(v.begin(), v.begin() + 10, 0));
  c.count_device = nullptr, q = small(GP_STEALING), c.transform = GP_SQUARE;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(*one.data == std::inner_product(v.begin(), v.end(), v.begin(), 0));
  q = small(GP_EVEN_SHARE), c.transform = GP_OP_DEFAULT;
  Device<float> with_least(std::vector<float>{4, 2, -7, 3, -7, 8});
  struct Pair {
    float value;
    int64_t index;
  };
  Device<Pair> least(1);
  c = fold_call(GP_REDUCE, GP_ARGMIN, GP_F32, GP_F32, with_least.data, least.data, 6);
  c.policy = &q;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(least.data->value == -7 && least.data->index == 2);
  Device<unsigned char> bytes(std::vector<unsigned char>(3001, 255));
  Device<uint64_t> total(1);
  c = fold_call(GP_REDUCE, GP_SUM, GP_U8, GP_U64, bytes.data + 1, total.data, 3000); // misaligned
  c.policy = &q;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(*total.data == 255u * 3000u);

  std::vector<int> expected(v);
  std::partial_sum(v.begin(), v.end(), expected.begin());
  for (int algorithm : {GP_LOOK_BACK, GP_THREE_SWEEP, GP_ONE_BLOCK, GP_PIPELINED, GP_ONE_CLUSTER}) {
    q = small(algorithm), q.stages = 3;
    c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, uint64_t(n));
    c.policy = &q;
    for (int round = 0; round < 2; ++round) { // again on a used workspace
      simt::host_fill(out.data, 0, size_t(n) * 4);
      const unsigned before = fake::counts.launches;
      GOOD(gp_run(ctx, &c, nullptr));
      check(out.get() == expected, __LINE__, "algorithm %d, round %d %s", algorithm, round, simt::error().c_str());
      CHECK(fake::counts.launches - before == (algorithm == GP_THREE_SWEEP ? 3 : 1));
    }
  }
  q = small(GP_LOOK_BACK);
  c = fold_call(GP_EXCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, uint64_t(n));
  c.policy = &q, c.init = &hundred;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(out.data[0] == 100 && out.data[1] == 100 + v[0] && out.data[n - 1] == 100 + sum - v[size_t(n - 1)]);
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CHECK(simt::error().empty());
  CLOSE(ctx);
}

// ---- policies

static gp_policy choose(gp_context *ctx, gp_call c, gp_policy_source *source) {
  gp_policy p;
  GOOD(gp_policy_origin(ctx, &c, &p, source));
  return p;
}

static void test_policies() {
  gp_policy_source source;
  gp_call reduce = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 1000);
  gp_call scan = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 1000);
  gp_call copy = gp_call_init(GP_COPY);
  copy.in_type = GP_I32, copy.count = 5;
  gp_context *ctx = open_fake();
  gp_policy p = choose(ctx, reduce, &source);
  CHECK(
      source == GP_POLICY_PORTABLE && p.threads > 0 && p.vectors > 0 && p.blocks_per_sm > 0 && p.algorithm != GP_AUTO);
  gp_policy mine = small(GP_STEALING);
  reduce.policy = &mine;
  p = choose(ctx, reduce, &source);
  CHECK(source == GP_POLICY_CALLER && p.algorithm == GP_STEALING && p.threads == 128);
  for (gp_call c : {reduce, scan, copy}) { // gp_policy_origin's policy can be passed back
    c.policy = nullptr;
    p = choose(ctx, c, &source);
    c.policy = &p;
    const gp_policy again = choose(ctx, c, &source);
    CHECK(source == GP_POLICY_CALLER && memcmp(&again, &p, sizeof p) == 0);
  }
  memset(&mine, 0, sizeof mine); // without content: as if it were missing
  choose(ctx, reduce, &source);
  CHECK(source == GP_POLICY_PORTABLE);
  mine.threads = 256; // the rest is filled in
  p = choose(ctx, reduce, &source);
  CHECK(source == GP_POLICY_CALLER && p.threads == 256 && p.vectors > 0 && p.algorithm != GP_AUTO);
  reduce.policy = nullptr;
  CLOSE(ctx);

  fake::machine.name = "Fake With Rows", fake::machine.capability = 89;
  ctx = open_fake();
  p = choose(ctx, reduce, &source);
  CHECK(source == GP_POLICY_DEVICE && p.threads == 128); // the device's row before the capability's
  reduce.count = 1 << 18;
  CHECK(choose(ctx, reduce, &source).threads == 256); // the bucket from 1 MiB
  reduce.count = (1 << 18) - 1;
  CHECK(choose(ctx, reduce, &source).threads == 128);
  reduce.in_type = reduce.out_type = GP_I64;
  reduce.count = 1 << 20;
  CHECK(choose(ctx, reduce, &source).threads == 512); // a row with a size before a row for any
  p = choose(ctx, scan, &source);
  CHECK(source == GP_POLICY_CAPABILITY && p.algorithm == GP_LOOK_BACK && p.threads == 128 && p.stages > 0);
  scan.count = 255; // below the bucket
  choose(ctx, scan, &source);
  CHECK(source == GP_POLICY_PORTABLE);
  p = choose(ctx, copy, &source);
  CHECK(source == GP_POLICY_CLASS && p.threads == 512 && p.vectors > 0);
  // A row serves only what it was measured on: sizes of its bucket, aligned pointers, calls without GP_REPRODUCIBLE,
  // even if its policy is valid for others.
  float *const aligned = reinterpret_cast<float *>(uintptr_t(4096));
  gp_call rest = fold_call(GP_EXCLUSIVE_SCAN, GP_SUM, GP_F32, GP_F32, aligned, aligned + (1 << 20), (1 << 18) - 1);
  choose(ctx, rest, &source);
  CHECK(source == GP_POLICY_DEVICE);
  rest.flags = GP_REPRODUCIBLE;
  p = choose(ctx, rest, &source);
  CHECK(source == GP_POLICY_PORTABLE && p.threads == 320 && p.vectors == 9);
  rest.flags = 0, rest.count = 1 << 18; // 1 MiB: above the bucket
  choose(ctx, rest, &source);
  CHECK(source == GP_POLICY_PORTABLE);
  rest.count = 1000, rest.in = aligned + 1;
  choose(ctx, rest, &source);
  CHECK(source == GP_POLICY_PORTABLE);
  rest.in = aligned, rest.out = aligned + (1 << 20) + 1;
  choose(ctx, rest, &source);
  CHECK(source == GP_POLICY_PORTABLE);
  CLOSE(ctx);
  fake::machine.name = "Another", fake::machine.capability = 90;
  ctx = open_fake();
  choose(ctx, copy, &source);
  CHECK(source == GP_POLICY_PORTABLE);

  // the space as JSON
  char json[4096];
  for (int i = GP_COPY; i < GP_PRIMITIVE_COUNT; ++i) {
    const size_t length = gp_policy_space(gp_primitive(i), json, sizeof json);
    CHECK(length == strlen(json) && length == gp_policy_space(gp_primitive(i), nullptr, 0));
    CHECK(strncmp(json, "{\"primitive\": \"", 15) == 0 && strcmp(json + length - 2, "]}") == 0);
    char cut[40];
    CHECK(gp_policy_space(gp_primitive(i), cut, sizeof cut) == length && strlen(cut) == sizeof cut - 1);
    CHECK(strncmp(cut, json, sizeof cut - 1) == 0);
  }
  gp_policy_space(GP_EXCLUSIVE_SCAN, json, sizeof json);
  CHECK(strstr(json, "\"names\": [\"GP_LOOK_BACK\", \"GP_THREE_SWEEP\"") && strstr(json, "{\"name\": \"stages\""));
  CHECK(gp_policy_space(gp_primitive(99), json, sizeof json) == 0);
  // every primitive's default is in the space of valid policies, for all sizes and both alignments
  for (int i = GP_REDUCE; i <= GP_EXCLUSIVE_SCAN; ++i)
    for (gp_type t : {GP_I8, GP_F16, GP_F32, GP_F64})
      for (uint64_t n = 0; n < uint64_t(1) << 36; n = n * 9 + 1)
        for (int flags : {0, 1})
          for (uintptr_t at : {uintptr_t(0), uintptr_t(4096 + 8)}) {
            gp_call c = fold_call(gp_primitive(i), GP_SUM, t, t, reinterpret_cast<void *>(at), nullptr, n);
            c.flags = flags;
            gp_policy q;
            const gp_result r = gp_policy_origin(ctx, &c, &q, &source);
            if (r)
              check(false, __LINE__, "primitive %d type %d n %llu: %s", i, t, (unsigned long long)n, gp_last_message());
          }
  CLOSE(ctx);
}

// ---- workspaces, streams, capture

// A workspace has tagged words at the front, scratch at the back. What one has overwritten is cleared before the
// other's use, and a graph keeps what it relies on.
static void test_room() {
  gp_context *ctx = open_fake();
  gp__state *s = ctx->state;
  fake::Stream *stream = fake::make_stream();
  void *scratch = nullptr;
  gp__workspace r;
  memset(&r, 0, sizeof r);
  const auto room = [&](uint64_t words, uint64_t bytes, int capturing = 0) {
    scratch = nullptr;
    return gp__find_room(s, "test", &r, stream, words, bytes, 0, capturing, &scratch);
  };
  const auto at = [&] { return size_t(static_cast<char *>(scratch) - static_cast<char *>(r.workspace)); };
  const auto is_zero = [&](size_t from, size_t to) {
    const char *p = static_cast<char *>(r.workspace);
    return std::all_of(p + from, p + to, [](char c) { return c == 0; });
  };
  const auto soil = [&](size_t bytes) { memset(scratch, 0x5a, bytes); };

  int pushed = 0;
  GOOD(gp__enter(s, "test", &pushed));
  GOOD(room(4096, 60000)); // 64 KiB in all
  CHECK(r.bytes == 65536 && at() % 256 == 0 && at() >= 4096 && at() + 60000 <= r.bytes && is_zero(0, 4096));
  soil(60000);
  GOOD(room(65536, 0)); // the words reach into former scratch
  CHECK(r.bytes == 65536 && is_zero(4096, 65536) && r.tagged == 65536);
  GOOD(room(0, 256)); // only scratch: the control word keeps its place, and words their own
  CHECK(r.bytes == 131072 && at() >= 65536);
  GOOD(room(65536, 0));
  CHECK(r.tagged >= 65536);
  // A captured call's words: later scratch must not overlap them. Captured scratch: overlapping words are always
  // cleared.
  GOOD(room(100000, 0, 1));
  GOOD(room(256, 40000, 0));
  CHECK(at() >= 100000 && r.pinned == 0); // it has grown: the graph keeps the old one
  GOOD(room(512, 100000, 1));
  const size_t soiled = at();
  CHECK(r.soiled == soiled);
  for (int i = 0; i < 2; ++i) {
    memset(static_cast<char *>(r.workspace) + soiled, 0x77, r.bytes - soiled); // the graph runs
    GOOD(room(soiled + 4096, 0));
    CHECK(is_zero(soiled, soiled + 4096) && r.tagged == soiled);
  }
  // During capture nothing grows; an outer call's memory is left alone.
  BAD(GP_E_WORKSPACE, "the captured stream has", room(r.bytes, 4096, 1));
  r.held = r.bytes / 2;
  GOOD(room(512, 4096));
  CHECK(at() + 4096 <= r.bytes - r.held);
  BAD(GP_E_WORKSPACE, "no room", room(512, r.bytes));
  r.held = 0;
  if (gp__retire(s, "test", &r, stream, static_cast<gp__retired *>(malloc(sizeof(gp__retired)))) != GP_SUCCESS)
    check(false, __LINE__, "gp__retire: %s", gp_last_message());
  GOOD(gp__leave(s, "test", pushed, GP_SUCCESS));
  CLOSE(ctx);
  fake::destroy_stream(stream);
}

// gp_config.workspace_bytes: a workspace that grows drives out those of idle streams.
static void test_bounded() {
  gp_config k = config();
  k.workspace_bytes = 1 << 20;
  gp_context *ctx = nullptr;
  GOOD(gp_open(&k, &ctx));
  fake::machine.run = false;
  fake::Stream *streams[10];
  for (auto &s : streams) GOOD(gp_reserve(ctx, s = fake::make_stream(), 1 << 18));
  CHECK(fake::memory.size() == 4 && ctx->state->stream_count == 4);
  GOOD(gp_reserve(ctx, streams[6], 1 << 18)); // used again: 7 is the oldest now
  GOOD(gp_reserve(ctx, streams[0], 1 << 18));
  const unsigned long allocated = fake::counts.calls["cuMemAllocAsync"];
  GOOD(gp_reserve(ctx, streams[6], 1 << 18));
  CHECK(fake::counts.calls["cuMemAllocAsync"] == allocated && fake::memory.size() == 4);
  GOOD(gp_reserve(ctx, streams[1], 1 << 22)); // more than the limit: alone
  CHECK(fake::memory.size() == 1);
  fake::machine.finished = false; // nothing is idle
  for (auto s : streams) GOOD(gp_reserve(ctx, s, 1 << 18));
  CHECK(fake::memory.size() == 10);
  fake::machine.finished = true;
  CHECK(fake::counts.calls["cuCtxSynchronize"] == 0 && fake::counts.calls["cuStreamSynchronize"] == 0);
  CLOSE(ctx);
  for (auto s : streams) fake::destroy_stream(s);
}
// gp_config.own_work: gp_close and gp_trim wait for events of this context's calls, after their streams have gone.
static void test_own_work() {
  static int in[30000], out[30000]; // too many for one cluster, which needs no workspace
  alignas(256) static char room[65536];
  for (const bool captured : {false, true}) {
    gp_config k = config();
    k.own_work = 1;
    gp_context *ctx = nullptr;
    GOOD(gp_open(&k, &ctx));
    fake::machine.run = false;
    gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in, out, 30000);
    fake::Stream *streams[3];
    for (auto &s : streams) GOOD(gp_run(ctx, &c, s = fake::make_stream()));
    GOOD(gp_copy(ctx, GP_I32, in, 10, out, nullptr)); // no workspace
    CHECK(fake::counts.calls["cuEventRecord"] == 4);
    GOOD(gp_workspace_size(ctx, &c, &c.workspace_bytes)); // the caller's
    c.workspace = room;
    GOOD(gp_run(ctx, &c, streams[1]));
    CHECK(fake::counts.calls["cuEventRecord"] == 5);
    c.workspace = nullptr, c.workspace_bytes = 0;
    streams[2]->capturing = captured;
    if (captured) GOOD(gp_run(ctx, &c, streams[2]));
    streams[2]->capturing = 0;
    for (auto s : streams) fake::destroy_stream(s);
    const unsigned long waits = fake::counts.calls["cuCtxSynchronize"];
    GOOD(gp_trim(ctx, 2 * 65536)); // one goes
    CHECK(fake::counts.calls["cuEventSynchronize"] == 1 && fake::counts.calls["cuCtxSynchronize"] == waits);
    GOOD(gp_close(ctx));
    CHECK(fake::counts.calls["cuCtxSynchronize"] == waits + captured);
    CHECK(captured || fake::counts.calls["cuEventSynchronize"] == 4);
    CHECK(fake::leaks().empty());
    fake::reset();
  }
}
// gp_call.workspace: memory of the caller's, full of anything, in place of the stream's workspace.
static void test_lent() {
  gp_policy q = small(GP_LOOK_BACK);
  std::vector<int> ones(3000);
  for (size_t i = 0; i < ones.size(); ++i) ones[i] = int(i % 7) - 2;
  Device<int> in(ones), out(ones.size());
  gp_context *ctx = open_fake();
  fake::Stream *stream = fake::make_stream();
  gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, ones.size());
  c.policy = &q;
  GOOD(gp_workspace_size(ctx, &c, &c.workspace_bytes));
  Device<char> room(c.workspace_bytes), other(c.workspace_bytes); // bounds are checked
  c.workspace = room.data;
  const auto is_right = [&](const char *what) {
    int sum = 0;
    bool right = true;
    for (size_t i = 0; i < ones.size(); ++i) right = right && out.data[i] == (sum += ones[i]);
    check(right, __LINE__, "%s: a wrong scan", what);
    memset(out.data, 0, ones.size() * sizeof(int));
  };
  for (const int byte : {0, 1, 0xff}) { // what an earlier call or anybody has left
    memset(room.data, byte, c.workspace_bytes);
    GOOD(gp_run(ctx, &c, stream));
    is_right("lent");
    GOOD(gp_run(ctx, &c, stream));
    is_right("again");
  }
  gp_prepared *prepared = nullptr;
  GOOD(gp_prepared_open(ctx, &c, &prepared));
  for (char *memory : {room.data, other.data, room.data}) {
    c.workspace = memory;
    memset(memory, 0x5a, c.workspace_bytes);
    GOOD(gp_prepared_run(prepared, &c, stream));
    is_right("prepared");
  }
  CHECK(prepared->quick);
  stream->capturing = 1, fake::strict_capture = true; // nothing was reserved
  GOOD(gp_run(ctx, &c, stream));
  GOOD(gp_prepared_run(prepared, &c, stream));
  stream->capturing = 0, fake::strict_capture = false;
  CHECK(fake::memory.empty() && ctx->state->stream_count == 0);
  c.workspace = nullptr; // and the stream's again
  c.workspace_bytes = 0;
  GOOD(gp_prepared_run(prepared, &c, stream));
  is_right("with the stream's workspace");
  CHECK(fake::memory.size() == 1);
  GOOD(gp_prepared_close(prepared));
  c.workspace = room.data;
  c.workspace_bytes = 511; // less than the words
  const unsigned long launched = stream->launches;
  BAD(GP_E_WORKSPACE, "gp_inclusive_scan: the call needs a workspace of", gp_run(ctx, &c, stream));
  CHECK(stream->launches == launched);
  c.workspace_bytes = 1 << 12;
  c.workspace = room.data + 16;
  BAD(GP_E_ALIGNMENT, "is not aligned to 256 bytes", gp_run(ctx, &c, stream));
  c.workspace = nullptr;
  BAD(GP_E_NULL, "workspace is null", gp_run(ctx, &c, stream));
  c.workspace = out.data;
  BAD(GP_E_OVERLAP, "workspace", gp_run(ctx, &c, stream));
  c.workspace = in.data;
  BAD(GP_E_OVERLAP, "workspace", gp_run(ctx, &c, stream));
  c.workspace = room.data;
  c.workspace_bytes = UINT64_MAX;
  BAD(GP_E_SIZE, "gp_inclusive_scan: workspace", gp_run(ctx, &c, stream));
  CLOSE(ctx);
  // The host back end needs none, and takes the same calls.
  gp_config k = config();
  k.backend = GP_BACKEND_HOST;
  GOOD(gp_open(&k, &ctx));
  c.policy = nullptr;
  c.workspace_bytes = 1;
  GOOD(gp_run(ctx, &c, nullptr));
  is_right("on the host");
  c.workspace = out.data;
  BAD(GP_E_OVERLAP, "workspace", gp_run(ctx, &c, nullptr));
  GOOD(gp_close(ctx));
  fake::destroy_stream(stream);
}
// gp_trim releases memory before the context is closed: the least recently used workspaces first, then kernels.
static void test_trim() {
  gp_policy q = small(GP_LOOK_BACK);
  static int in[1000], out[1000];
  gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in, out, 1000);
  c.policy = &q;
  for (int hooks = 0; hooks < 2; ++hooks) {
    static std::map<void *, size_t> live;
    static bool trimming;
    trimming = false;
    gp_config k = config();
    if (hooks) {
      k.allocate = [](void *, size_t bytes, gp_stream) -> void * {
        void *p = simt::device_malloc(bytes);
        live[p] = bytes;
        return p;
      };
      k.release = [](void *, void *p, size_t bytes, gp_stream stream) {
        CHECK(live[p] == bytes && (!trimming || !stream));
        live.erase(p);
        simt::device_free(p);
      };
    }
    gp_context *ctx = nullptr;
    GOOD(gp_open(&k, &ctx));
    fake::machine.run = false;
    const auto held = [&] { return hooks ? live.size() : fake::memory.size(); };
    GOOD(gp_trim(ctx, 0)); // nothing to release: no wait
    CHECK(fake::counts.calls["cuCtxSynchronize"] == 0);
    fake::Stream *streams[200];
    for (auto &s : streams) { // they come and go
      s = fake::make_stream();
      GOOD(gp_reserve(ctx, s, 65536));
    }
    CHECK(held() == size_t(GP_WORKSPACES));
    GOOD(gp_run(ctx, &c, streams[150])); // used again
    streams[160]->capturing = 1;
    GOOD(gp_run(ctx, &c, streams[160])); // a graph holds it
    streams[160]->capturing = 0;
    for (auto s : streams)
      if (s != streams[150] && s != streams[160]) fake::destroy_stream(s);
    trimming = true; // all work has ended then
    const unsigned long waits = fake::counts.calls["cuCtxSynchronize"];
    GOOD(gp_trim(ctx, UINT64_MAX)); // they fit
    GOOD(gp_trim(ctx, 65536 * uint64_t(GP_WORKSPACES)));
    CHECK(held() == size_t(GP_WORKSPACES) && fake::counts.calls["cuCtxSynchronize"] == waits);
    GOOD(gp_trim(ctx, 10 * 65536 + 65535));
    CHECK(held() == 10 && fake::counts.calls["cuCtxSynchronize"] == waits + 1);
    GOOD(gp_trim(ctx, 2 * 65536));
    CHECK(held() == 2);
    const unsigned launches = fake::counts.launches;
    const size_t modules = fake::modules.size();
    GOOD(gp_run(ctx, &c, streams[150])); // its workspace was the latest, and has stayed
    CHECK(held() == 2 && fake::counts.launches == launches + 1 && fake::modules.size() == modules);
    GOOD(gp_trim(ctx, 0));
    CHECK(held() == 1 && fake::modules.size() == 1); // the graph's
    const unsigned long compiled = fake::counts.calls["nvrtcCompileProgram"];
    GOOD(gp_copy(ctx, GP_I32, in, 10, out, nullptr));
    GOOD(gp_trim(ctx, 0));
    CHECK(fake::modules.size() == 1);
    GOOD(gp_copy(ctx, GP_I32, in, 10, out, nullptr)); // built again
    CHECK(fake::counts.calls["nvrtcCompileProgram"] == compiled + 2);
    GOOD(gp_run(ctx, &c, streams[150]));
    CHECK(held() == 2 && ctx->state->stream_count == 2);
    CLOSE(ctx);
    CHECK(live.empty());
    fake::destroy_stream(streams[150]), fake::destroy_stream(streams[160]);
    fake::reset();
  }
  gp_config k = config();
  k.backend = GP_BACKEND_HOST;
  gp_context *ctx = nullptr;
  GOOD(gp_open(&k, &ctx));
  GOOD(gp_trim(ctx, 0));
  CLOSE(ctx);
  BAD(GP_E_CONTEXT, "gp_trim", gp_trim(nullptr, 0));
}

static void test_workspaces() {
  gp_context *ctx = open_fake();
  gp_policy q = small(GP_LOOK_BACK);
  std::vector<int> ones(200000, 1);
  Device<int> in(ones), out(ones.size());
  fake::machine.run = false;
  gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, 1000);
  c.policy = &q;
  uint64_t bytes = 0, more = 0, misaligned = 0;
  const unsigned long before = fake::counts.total;
  GOOD(gp_workspace_size(ctx, &c, &bytes));
  c.count = ones.size();
  GOOD(gp_workspace_size(ctx, &c, &more));
  c.in = in.data + 1, c.out = nullptr;
  GOOD(gp_workspace_size(ctx, &c, &misaligned));
  c.in = in.data, c.out = out.data;
  CHECK(bytes > 256 && more > bytes && misaligned == more && fake::counts.total == before); // asks nobody
  // A pipelined scan starts its tiles on a boundary of the input, so a misaligned one may need another tile, which is
  // always counted. Ten tiles of 512, one more, and two words of the first group, rounded up to 256 bytes.
  q = small(GP_PIPELINED);
  gp_call piped = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 5120);
  piped.policy = &q;
  GOOD(gp_workspace_size(ctx, &piped, &bytes));
  CHECK(bytes == gp__round_up(GP__CONTROL_BYTES + 13 * GP__WORD_BYTES, 256));
  q = small(GP_LOOK_BACK);
  gp_call copy = gp_call_init(GP_COPY);
  copy.in_type = GP_I32, copy.in = in.data, copy.out = out.data, copy.count = 1000;
  GOOD(gp_workspace_size(ctx, &copy, &bytes));
  CHECK(bytes == 0);
  GOOD(gp_run(ctx, &copy, nullptr));
  CHECK(fake::memory.empty());

  // one a stream, kept, and grown in stream order
  fake::Stream *s1 = fake::make_stream(), *s2 = fake::make_stream();
  c.count = 1000;
  GOOD(gp_run(ctx, &c, s1));
  CHECK(fake::memory.size() == 1);
  GOOD(gp_run(ctx, &c, s1));
  CHECK(fake::memory.size() == 1 && fake::counts.calls["cuMemAllocAsync"] == 1);
  GOOD(gp_run(ctx, &c, s2));
  GOOD(gp_run(ctx, &c, nullptr));
  GOOD(gp_run(ctx, &c, gp_stream(1))); // the same default stream under its other name
  CHECK(fake::memory.size() == 3);
  c.count = ones.size();
  GOOD(gp_reserve(ctx, s1, more));
  GOOD(gp_run(ctx, &c, s1));
  CHECK(fake::memory.size() == 3);
  GOOD(gp_reserve(ctx, s1, 10));
  GOOD(gp_reserve(ctx, s1, 0));
  GOOD(gp_reserve(ctx, s1, 1 << 20)); // larger than its first allocation: the old one is released at once
  CHECK(fake::memory.size() == 3 && fake::counts.calls["cuMemFreeAsync"] >= 1);
  fake::destroy_stream(s2); // a later stream with the same handle is another stream
  CHECK(fake::counts.calls["cuStreamSynchronize"] == 0 && fake::counts.calls["cuCtxSynchronize"] == 0);

  // other contexts' streams
  fake::Stream *stranger = fake::make_stream(&fake::foreign);
  BAD(GP_E_STREAM, "stream does not belong to the primary context", gp_run(ctx, &c, stranger));
  BAD(GP_E_STREAM, "stream does not belong to the primary context",
      gp_copy(ctx, GP_I32, in.data, 5, out.data, stranger));
  BAD(GP_E_STREAM, "gp_reserve: stream", gp_reserve(ctx, stranger, 1000));
  char nobody[64];
  BAD(GP_E_STREAM, "cuStreamGetCtx", gp_copy(ctx, GP_I32, in.data, 5, out.data, nobody));
  GOOD(gp_run(ctx, &c, s1));

  // capture: nothing grows, loading is allowed, and a graph keeps its memory
  fake::Stream *s3 = fake::make_stream();
  s3->capturing = 1, fake::strict_capture = true;
  c.count = 1000;
  BAD(GP_E_WORKSPACE, "gp_reserve(ctx, stream, ", gp_run(ctx, &c, s3));
  GOOD(gp_copy(ctx, GP_I16, in.data, 50, out.data, s3)); // a kernel must be loaded, and there is no workspace
  CHECK(s3->launches == 1);
  s3->capturing = 0;
  GOOD(gp_workspace_size(ctx, &c, &bytes));
  GOOD(gp_reserve(ctx, s3, bytes));
  const size_t allocations = fake::memory.size();
  s3->capturing = 1;
  GOOD(gp_run(ctx, &c, s3));
  CHECK(s3->launches == 2 && fake::memory.size() == allocations);
  s3->capturing = 0, fake::strict_capture = false;
  GOOD(gp_reserve(ctx, s3, 1 << 21)); // the graph's workspace stays
  CHECK(fake::memory.size() == allocations + 1);
  GOOD(gp_reserve(ctx, s3, 1 << 22)); // no graph holds this one
  CHECK(fake::memory.size() == allocations + 1);
  CLOSE(ctx);

  // without stream-ordered allocation, without ids
  fake::machine.pools = 0, fake::machine.stream_ids = false;
  ctx = open_fake();
  fake::machine.run = false;
  fake::strict_capture = true;
  GOOD(gp_run(ctx, &c, s1));
  GOOD(gp_run(ctx, &c, gp_stream(2)));
  GOOD(gp_reserve(ctx, s1, 1 << 20));
  CHECK(fake::memory.size() == 3 && fake::counts.calls["cuMemFree"] >= 1); // the old one waits for gp_close
  fake::strict_capture = false;
  CLOSE(ctx);

  // hooks
  struct Hooks {
    std::map<void *, size_t> live;
    size_t offset = 0;
    bool refuse = false;
  } hooks;
  fake::reset();
  gp_config k = config();
  k.allocator_user = &hooks;
  k.allocate = [](void *user, size_t n, gp_stream) -> void * {
    Hooks *h = static_cast<Hooks *>(user);
    if (h->refuse) return nullptr;
    char *p = static_cast<char *>(simt::device_malloc(n + 256)) + h->offset;
    h->live[p] = n;
    return p;
  };
  k.release = [](void *user, void *p, size_t n, gp_stream) {
    Hooks *h = static_cast<Hooks *>(user);
    CHECK(h->live.count(p) && h->live[p] == n);
    h->live.erase(p);
    simt::device_free(static_cast<char *>(p) - h->offset);
  };
  GOOD(gp_open(&k, &ctx));
  fake::machine.run = false;
  GOOD(gp_prepare(ctx, &c));
  hooks.refuse = true;
  BAD(GP_E_MEMORY, "gp_config.allocate returned NULL", gp_run(ctx, &c, s1));
  hooks.refuse = false, hooks.offset = 16;
  BAD(GP_E_MEMORY, "not aligned to 256 bytes", gp_run(ctx, &c, s1));
  CHECK(hooks.live.empty());
  hooks.offset = 0;
  GOOD(gp_run(ctx, &c, s1));
  GOOD(gp_reserve(ctx, s1, 1 << 20));
  CHECK(hooks.live.size() == 1 && fake::memory.empty());
  CLOSE(ctx);
  CHECK(hooks.live.empty());

  // overlap asks for programmatic serialization
  fake::reset();
  ctx = open_fake();
  fake::machine.run = false;
  q = small(GP_LOOK_BACK), q.overlap = 1;
  GOOD(gp_run(ctx, &c, s1));
  CHECK(fake::counts.overlapped == 1 && fake::last_launch.stream == s1);
  CLOSE(ctx);
  fake::machine.launch_ex = false;
  ctx = open_fake();
  GOOD(gp_prepare(ctx, &c));
  GOOD(gp_reserve(ctx, s1, 100000));
  BAD(GP_E_POLICY, "policy.overlap", gp_run(ctx, &c, s1));
  CLOSE(ctx);
  fake::machine.occupancy = 0; // a block that fits no multiprocessor
  ctx = open_fake();
  q.overlap = 2;
  BAD(GP_E_POLICY, "does not fit a multiprocessor", gp_run(ctx, &c, s1));
  CLOSE(ctx);
  fake::destroy_stream(s1);
  fake::destroy_stream(s3);
  fake::destroy_stream(stranger);
}

// ---- faults: the k-th call fails, for every k

static void test_faults() {
  const int n = 500;
  std::vector<int> v(n, 3);
  Device<int> in(v), out{size_t(n)}, one(1);
  gp_policy scan_policy = small(GP_LOOK_BACK), reduce_policy = small(GP_EVEN_SHARE), sweep = small(GP_THREE_SWEEP);
  unsigned long k = 1, injected = 0;
  for (int code : {999, 2})
    for (int pools : {1, 0})
      for (k = 1; k < 10000; ++k) {
        fake::reset();
        fake::machine.pools = pools;
        fake::Stream *stream = fake::make_stream();
        fake::fail_at = k, fake::fail_with = code;
        bool complained = false;
        gp_context *ctx = nullptr;
        // A failed operation names the driver's call, and works when repeated.
        auto attempt = [&](const char *what, gp_result r, auto again) {
          if (r == GP_SUCCESS) return;
          complained = true;
          check(r == GP_E_DRIVER || r == GP_E_MEMORY || r == GP_E_NO_DEVICE || r == GP_E_COMPILE ||
                  r == GP_E_NO_COMPILER || r == GP_E_STREAM,
              __LINE__, "%s: %s with call %lu (%s) failing", what, gp_result_name(r), k, fake::failed_call.c_str());
          check(r != GP_E_MEMORY || code == 2, __LINE__, "%s: GP_E_MEMORY with %s failing", what,
              fake::failed_call.c_str());
          check(!fake::failed_call.empty() && strstr(gp_last_message(), fake::failed_call.c_str()), __LINE__,
              "%s: the message \"%s\" lacks %s", what, gp_last_message(), fake::failed_call.c_str());
          const gp_result second = again();
          check(second == GP_SUCCESS, __LINE__, "%s after %s failed: %s", what, fake::failed_call.c_str(),
              gp_last_message());
        };
        gp_config cf = config();
        auto open = [&] { return gp_open(&cf, &ctx); };
        attempt("gp_open", open(), open);
        if (!ctx) {
          check(false, __LINE__, "no context with call %lu failing", k);
          break;
        }
        gp_call reduce = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, in.data, one.data, n);
        gp_call scan = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, n);
        reduce.policy = &reduce_policy, scan.policy = &scan_policy;
        auto run_reduce = [&] { return gp_run(ctx, &reduce, stream); };
        auto run_scan = [&] { return gp_run(ctx, &scan, stream); };
        auto grow = [&] { return gp_reserve(ctx, stream, 1 << 20); };
        attempt("gp_reduce", run_reduce(), run_reduce);
        CHECK(*one.data == 3 * n);
        attempt("gp_reserve", grow(), grow);
        attempt("gp_inclusive_scan", run_scan(), run_scan);
        CHECK(out.data[n - 1] == 3 * n);
        scan.policy = &sweep;
        attempt("gp_inclusive_scan", run_scan(), run_scan);
        CHECK(out.data[n - 1] == 3 * n);
        gp_policy said;
        auto echo = [&] { return gp_policy_echo(ctx, &scan, &said); };
        attempt("gp_policy_echo", echo(), echo);
        CHECK(said.algorithm == sweep.algorithm && said.threads == sweep.threads);
        const bool before_close = !fake::failed_call.empty();
        const gp_result closed = gp_close(ctx);
        if (closed != GP_SUCCESS) {
          complained = true;
          check(closed == GP_E_DRIVER && !before_close && strstr(gp_last_message(), fake::failed_call.c_str()),
              __LINE__, "gp_close with %s failing: %s", fake::failed_call.c_str(), gp_last_message());
        }
        check(fake::leaks().empty(), __LINE__, "call %lu (%s) failing leaks: %s", k, fake::failed_call.c_str(),
            fake::leaks().c_str());
        const bool hit = !fake::failed_call.empty();
        injected += hit;
        // Only calls that release or inform may fail unnoticed.
        if (hit && !complained)
          check(fake::failed_call == "nvrtcDestroyProgram" || fake::failed_call == "nvrtcGetProgramLogSize" ||
                  fake::failed_call == "cuThreadExchangeStreamCaptureMode",
              __LINE__, "call %lu (%s) failed and nobody said so", k, fake::failed_call.c_str());
        fake::destroy_stream(stream);
        if (!hit) break;
      }
  check(injected > 250, __LINE__, "only %lu faults were injected", injected);
}

// ---- the disk cache

static std::string scratch() {
  char path[] = P_tmpdir "/gpuprims_test_XXXXXX";
  return mkdtemp(path);
}
static std::vector<std::string> files(const std::string &folder, const char *ending) {
  std::vector<std::string> all;
  FILE *f = popen(("ls -A '" + folder + "' 2>/dev/null").c_str(), "r");
  char line[512];
  while (f && fgets(line, sizeof line, f)) {
    std::string name(line, strcspn(line, "\n"));
    if (name.size() >= strlen(ending) && name.compare(name.size() - strlen(ending), std::string::npos, ending) == 0)
      all.push_back(folder + "/" + name);
  }
  if (f) pclose(f);
  return all;
}
static gp_kernel_source origin_with(const std::string &folder, const gp_call &c) {
  gp_config k = config();
  gp_context *ctx = nullptr;
  gp_kernel_source source = GP_KERNEL_NONE;
  k.cache_dir = folder.c_str();
  GOOD(gp_open(&k, &ctx));
  GOOD(gp_prepare(ctx, &c));
  GOOD(gp_kernel_origin(ctx, &c, &source, nullptr, 0));
  CLOSE(ctx);
  return source;
}
static void rewrite(const std::string &path, std::function<void(std::string &)> change) {
  std::string data;
  FILE *f = fopen(path.c_str(), "rb");
  for (int c; f && (c = fgetc(f)) != EOF;) data += char(c);
  if (f) fclose(f);
  change(data);
  f = fopen(path.c_str(), "wb");
  fwrite(data.data(), 1, data.size(), f);
  fclose(f);
}

static void test_disk_cache() {
  const std::string base = scratch(), folder = base + "/a/b";
  gp_call c = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 100);
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED);
  struct stat about;
  CHECK(stat(folder.c_str(), &about) == 0 && (about.st_mode & 0777) == 0700);
  CHECK(files(folder, ".kernel").size() == 1 && files(folder, "").size() == 2); // and the version of NVRTC
  fake::counts = fake::Counts();
  CHECK(origin_with(folder, c) == GP_KERNEL_DISK);
  CHECK(fake::counts.calls["nvrtcVersion"] == 0 && warnings() == 0);
  const std::string kernel = files(folder, ".kernel")[0];
  CHECK(stat(kernel.c_str(), &about) == 0 && (about.st_mode & 0777) == 0600);

  // damage of every kind is seen, reported, and repaired
  for (int kind = 0; kind < 6; ++kind) {
    logged.clear();
    rewrite(kernel, [&](std::string &d) {
      if (kind == 0) d[d.size() - 3] ^= 1; // the image
      if (kind == 1) d[60] ^= 1; // the key
      if (kind == 2) d.resize(d.size() - 1);
      if (kind == 3) d.resize(20);
      if (kind == 4) d.clear();
      if (kind == 5) d[9] = char(0xff); // a length
    });
    check(origin_with(folder, c) == GP_KERNEL_COMPILED && warnings("is not used") == 1, __LINE__, "damage %d", kind);
    check(origin_with(folder, c) == GP_KERNEL_DISK, __LINE__, "repair after damage %d", kind);
  }
  // another NVRTC
  fake::machine.nvrtc_minor = 2;
  gp_call d = c;
  d.op = GP_MAX;
  CHECK(origin_with(folder, d) == GP_KERNEL_COMPILED);
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED && origin_with(folder, c) == GP_KERNEL_DISK);
  // other options, other architecture
  d = c, d.flags = GP_REPRODUCIBLE;
  CHECK(origin_with(folder, d) == GP_KERNEL_COMPILED);
  fake::machine.capability = 80;
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED && origin_with(folder, c) == GP_KERNEL_DISK);
  // a link in place of a kernel
  logged.clear();
  rename(kernel.c_str(), (base + "/elsewhere").c_str());
  CHECK(symlink((base + "/elsewhere").c_str(), kernel.c_str()) == 0);
  fake::machine.capability = 90, fake::machine.nvrtc_minor = 0;
  rewrite(folder + "/nvrtc", [](std::string &text) { text.replace(0, 5, "13000"); });
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED && warnings("link") == 1);

  // folders unfit for machine code: a warning, no failure
  for (int kind = 0; kind < 4; ++kind) {
    const std::string bad = base + "/bad" + std::to_string(kind);
    const char *why = "";
    logged.clear();
    if (kind == 0) mkdir(bad.c_str(), 0700), chmod(bad.c_str(), 0777), why = "other users can write";
    if (kind == 1) (void)!symlink(folder.c_str(), bad.c_str()), why = "link";
    if (kind == 2) fclose(fopen(bad.c_str(), "w")), why = "not a folder";
    if (kind == 3) {
      if (geteuid() != 0) {
        ++skipped;
        printf("skipped: disk cache owned by another user: not root\n");
        continue;
      }
      mkdir(bad.c_str(), 0700);
      (void)!chown(bad.c_str(), 12345, 12345);
      why = "another user owns it";
    }
    check(origin_with(bad, c) == GP_KERNEL_COMPILED && warnings(why) == 1 &&
            files(bad + "/", ".kernel").size() == (kind == 1 ? files(folder, ".kernel").size() : 0),
        __LINE__, "folder %d: %s", kind, logged.empty() ? "" : logged.back().c_str());
  }
  logged.clear(); // cannot be created, cannot be written
  CHECK(origin_with("/proc/gpuprims_test", c) == GP_KERNEL_COMPILED && warnings("/proc/gpuprims_test") == 1);
  CHECK(origin_with("/dev/null/x", c) == GP_KERNEL_COMPILED);
  logged.clear();
  const std::string lost = base + "/lost"; // it vanishes between the check and the write: one warning for many kernels
  {
    gp_config k = config();
    gp_context *ctx = nullptr;
    k.cache_dir = lost.c_str();
    GOOD(gp_open(&k, &ctx));
    GOOD(gp_prepare(ctx, &c));
    CHECK(system(("rm -rf " + lost).c_str()) == 0);
    for (gp_op op : {GP_MIN, GP_MAX, GP_PROD}) {
      gp_call e = c;
      e.op = op;
      GOOD(gp_prepare(ctx, &e));
    }
    CHECK(warnings("cannot be written") == 1);
    CLOSE(ctx);
  }
  // by the environment
  setenv("XDG_CACHE_HOME", (base + "/xdg").c_str(), 1);
  {
    gp_config k = config();
    gp_context *ctx = nullptr;
    k.cache_dir = nullptr;
    GOOD(gp_open(&k, &ctx));
    GOOD(gp_prepare(ctx, &c));
    CLOSE(ctx);
    CHECK(files(base + "/xdg/gpuprims", ".kernel").size() == 1);
    setenv("XDG_CACHE_HOME", "relative", 1); // has no meaning
    setenv("HOME", base.c_str(), 1);
    GOOD(gp_open(&k, &ctx));
    GOOD(gp_prepare(ctx, &c));
    CLOSE(ctx);
    CHECK(files(base + "/.cache/gpuprims", ".kernel").size() == 1);
    unsetenv("XDG_CACHE_HOME");
  }
  // many processes at once
  const std::string shared = base + "/shared";
  logged.clear();
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 10; ++round) {
        gp_config k = config();
        gp_context *ctx = nullptr;
        k.cache_dir = shared.c_str();
        good &= gp_open(&k, &ctx) == GP_SUCCESS;
        for (gp_op op : {GP_SUM, GP_PROD, GP_MIN, GP_MAX}) {
          gp_call e = c;
          e.op = op;
          good = good && gp_prepare(ctx, &e) == GP_SUCCESS;
        }
        good &= gp_close(ctx) == GP_SUCCESS;
      }
      _exit(good && warnings() == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  CHECK(files(shared, ".kernel").size() == 4 && files(shared, "").size() == 5 &&
      origin_with(shared, c) == GP_KERNEL_DISK);
  CHECK(system(("rm -rf " + base).c_str()) == 0);
}

// Seconds since the file's last use, as far as the cache knows.
static void set_age(const std::string &path, long seconds) {
  const timeval t[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
  CHECK(utimes(path.c_str(), t) == 0);
}
static uint64_t bytes_of(const std::vector<std::string> &all) {
  uint64_t bytes = 0;
  struct stat about;
  for (const std::string &f : all) bytes += stat(f.c_str(), &about) ? 0 : uint64_t(about.st_size);
  return bytes;
}

// The disk cache's limit removes the longest unused files and the leftovers of killed writers; the rest stays.
static void test_cache_limit() {
  const std::string folder = scratch();
  const auto call = [](gp_op op, gp_type type) { return fold_call(GP_REDUCE, op, type, type, nullptr, nullptr, 100); };
  static const gp_type types[] = {GP_I32, GP_U32, GP_I64, GP_U64, GP_F32, GP_F64};
  const auto fill = [&](uint64_t most) { // 24 kernels; false if a call failed
    gp_config k = config();
    gp_context *ctx = nullptr;
    bool good = true;
    k.cache_dir = folder.c_str(), k.cache_bytes = most;
    good &= gp_open(&k, &ctx) == GP_SUCCESS;
    for (gp_type type : types)
      for (gp_op op : {GP_SUM, GP_PROD, GP_MIN, GP_MAX}) {
        const gp_call c = call(op, type);
        good = good && gp_prepare(ctx, &c) == GP_SUCCESS;
      }
    return good && gp_close(ctx) == GP_SUCCESS;
  };
  CHECK(fill(UINT64_MAX));
  const uint64_t all = bytes_of(files(folder, ".kernel"));
  CHECK(files(folder, ".kernel").size() == 24);
  CHECK(fill(0) && files(folder, ".kernel").size() == 24); // far below the default
  // All are old except the one being read and those written next.
  for (const std::string &f : files(folder, ".kernel")) set_age(f, 100000);
  const std::string killed = folder + "/0123456789abcdef0123456789abcdef.kernel.77-0", alien = folder + "/mine.txt";
  const std::string busy = folder + "/0123456789abcdef0123456789abcdef.kernel.78-0";
  for (const std::string &f : {killed, alien, busy}) fclose(fopen(f.c_str(), "w"));
  set_age(killed, 100000), set_age(alien, 1000000);
  const gp_call used = call(GP_MIN, GP_F32);
  CHECK(origin_with(folder, used) == GP_KERNEL_DISK);
  {
    gp_config k = config();
    gp_context *ctx = nullptr;
    k.cache_dir = folder.c_str(), k.cache_bytes = all / 2;
    GOOD(gp_open(&k, &ctx));
    const gp_call c = call(GP_SUM, GP_I16);
    GOOD(gp_prepare(ctx, &c));
    CLOSE(ctx);
  }
  CHECK(bytes_of(files(folder, ".kernel")) <= all / 2 && files(folder, ".kernel").size() >= 8);
  CHECK(origin_with(folder, used) == GP_KERNEL_DISK && origin_with(folder, call(GP_SUM, GP_I16)) == GP_KERNEL_DISK);
  CHECK(access(killed.c_str(), F_OK) != 0 && access(alien.c_str(), F_OK) == 0 && access(busy.c_str(), F_OK) == 0);
  // Processes that write, read and remove at once: no call fails, and the limit holds.
  logged.clear();
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 5; ++round) good &= fill(all / 3);
      _exit(good && warnings() == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  CHECK(fill(all / 3) && bytes_of(files(folder, ".kernel")) <= all / 3 + all / 24);
  // Another build of the same version of NVRTC: its library has another time. (Here it is this program.)
  struct stat about;
  char self[4096] = "";
  CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0 && stat(self, &about) == 0);
  const gp_call c = call(GP_MAX, GP_I8), d = call(GP_MIN, GP_I8);
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED && origin_with(folder, c) == GP_KERNEL_DISK);
  set_age(self, 12345);
  CHECK(origin_with(folder, d) == GP_KERNEL_COMPILED); // and so the other build is known
  CHECK(origin_with(folder, c) == GP_KERNEL_COMPILED && origin_with(folder, c) == GP_KERNEL_DISK);
  const timeval before[2] = {{about.st_atime, 0}, {about.st_mtime, 0}};
  CHECK(utimes(self, before) == 0);
  CHECK(system(("rm -rf " + folder).c_str()) == 0);
}

// A bounded number of kernels is kept: the least recently used go, but for those of calls on their way and of graphs.
static void test_few_kernels() {
  gp_context *ctx = open_fake();
  fake::Stream *stream = fake::make_stream();
  fake::machine.run = false;
  Device<int> in(1000), out(1000);
  gp__state *s = ctx->state;
  s->kernels_most = 4;
  const auto run = [&](gp_op op) {
    gp_call c = fold_call(GP_REDUCE, op, GP_I32, GP_I32, in.data, out.data, 1000);
    GOOD(gp_run(ctx, &c, stream));
  };
  const auto compiled = [] { return fake::counts.calls["nvrtcCompileProgram"]; };
  run(GP_SUM), run(GP_PROD), run(GP_MIN), run(GP_MAX), run(GP_SUM);
  CHECK(compiled() == 4 && fake::modules.size() == 4);
  run(GP_BIT_AND); // PROD goes
  CHECK(compiled() == 5 && fake::modules.size() == 4);
  run(GP_SUM), run(GP_MIN), run(GP_MAX), run(GP_BIT_AND);
  CHECK(compiled() == 5);
  run(GP_PROD);
  CHECK(compiled() == 6 && fake::modules.size() == 4);
  stream->capturing = 1; // SUM was used longest ago but has been captured now
  run(GP_MIN);
  stream->capturing = 0;
  for (int i = 0; i < 3; ++i)
    for (gp_op op : {GP_BIT_OR, GP_BIT_XOR, GP_PROD, GP_MAX, GP_BIT_AND}) run(op);
  const unsigned before = compiled();
  run(GP_MIN);
  CHECK(compiled() == before && fake::modules.size() == 4);
  // A call of more kernels than are kept: none of its own goes before it is launched.
  s->kernels_most = 1;
  gp_policy sweeps = small(GP_THREE_SWEEP);
  gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, 1000);
  c.policy = &sweeps;
  for (int i = 0; i < 3; ++i) {
    GOOD(gp_run(ctx, &c, stream));
    run(GP_BIT_XOR);
  }
  CHECK(fake::modules.size() <= 4);
  // From many threads: the fake driver refuses to launch unloaded kernels.
  std::vector<std::thread> all;
  s->kernels_most = 3;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&, i] {
      for (int round = 0; round < 60; ++round) run(gp_op(GP_SUM + (round * 7 + i) % 4));
    });
  for (std::thread &t : all) t.join();
  CLOSE(ctx);
  fake::destroy_stream(stream);
}

// Segmented sorts of all bits and of a few are two kernels, in either order. The compiled form of a transpose is the
// launched one, even if it depends on the device's shared memory.
static void test_texts() {
  for (int order = 0; order < 2; ++order) {
    gp_context *ctx = open_fake();
    fake::machine.run = false;
    for (int i = 0; i < 2; ++i) {
      std::vector<std::string> names;
      fake::on_launch = [&](const fake::Module &m, const gp__cu_launch &) { names.push_back(m.kernel); };
      static Buffers b;
      gp_call c = gp_call_init(GP_SEGMENTED_SORT);
      c.key_type = GP_U32, c.keys = b.keys, c.out_keys = b.out_keys, c.count = 20;
      c.offset_type = GP_U32, c.begin = b.begin, c.segments = 2;
      if (i != order) c.begin_bit = 16, c.end_bit = 19;
      GOOD(gp_run(ctx, &c, nullptr));
      fake::on_launch = nullptr;
      size_t placed = 0;
      for (const std::string &name : names) placed += name.find("true") != std::string::npos;
      CHECK(names.size() == 1 && (placed != 0) == (i != order));
    }
    CLOSE(ctx);
  }
  fake::machine.capability = 86, fake::machine.shared_bytes = 99 * 1024;
  gp_context *ctx = open_fake();
  fake::machine.run = false;
  gp_permutation m = gp_permutation_init();
  m.dimensions = 2, m.order[0] = 1, m.extent[0] = 47, m.extent[1] = 1 << 20;
  gp_policy wide = small(GP_PADDED_TILES);
  wide.threads = 1024;
  gp_call c = gp_call_init(GP_TRANSPOSE);
  c.in_type = GP_F32, c.permutation = &m, c.policy = &wide;
  gp_kernel_source source;
  char name[400];
  gp__request q;
  gp__state *s = ctx->state;
  GOOD(gp__check_call(s, "test", &c, 0, 0, &q));
  GOOD(gp_kernel_origin(ctx, &c, &source, name, sizeof name));
  gp__shape h = gp__shape_of(&q);
  gp__shape_on(&h, &s->about);
  gp_policy p;
  gp_policy_source from;
  GOOD(gp_policy_origin(ctx, &c, &p, &from));
  const std::string form = ", " + std::to_string(gp__transpose_form(p, &h)) + ">";
  check(strstr(name, form.c_str()) != nullptr, __LINE__, "%s lacks form%s", name, form.c_str());
  CLOSE(ctx);
}

// ---- bundles

static void test_bundles() {
  gp_config k = config();
  k.backend = GP_BACKEND_HOST; // kernels are compiled on machines without a GPU
  gp_context *ctx = nullptr;
  GOOD(gp_open(&k, &ctx));
  struct Image {
    std::string key, data;
    int capability;
  };
  std::vector<Image> images;
  gp_call c = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 100);
  gp_call three = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 100);
  gp_policy sweep = small(GP_THREE_SWEEP);
  three.policy = &sweep;
  for (int capability : {80, 90})
    for (gp_call *call : {&c, &three}) {
      const size_t before = images.size();
      GOOD(gp_compile(
          ctx, call, capability,
          [](void *user, const char *key, const void *image, size_t bytes) {
            static_cast<std::vector<Image> *>(user)->push_back(
                Image{key, std::string(static_cast<const char *>(image), bytes), 0});
          },
          &images));
      CHECK(images.size() - before == (call == &c ? 1 : 3));
      for (size_t i = before; i < images.size(); ++i) images[i].capability = capability;
    }
  const unsigned compiled = fake::counts.calls["nvrtcCompileProgram"];
  GOOD(gp_compile(
      ctx, &c, 90, [](void *, const char *, const void *, size_t) {}, nullptr));
  CHECK(fake::counts.calls["nvrtcCompileProgram"] == compiled); // once a kernel
  BAD(GP_E_ARGUMENT, "does not support compute capability 12.1",
      gp_compile(
          ctx, &c, 121, [](void *, const char *, const void *, size_t) {}, nullptr));
  CHECK(fake::counts.calls["cuInit"] == 0);
  GOOD(gp_close(ctx));

  std::vector<gp_bundle_entry> entries;
  for (const Image &i : images)
    entries.push_back(gp_bundle_entry{i.key.c_str(), i.capability, i.data.data(), i.data.size()});
  gp_bundle bundle = {GP__BUNDLE, unsigned(entries.size()), entries.data()};
  fake::counts = fake::Counts();
  k = config(), k.bundle = &bundle, k.no_compile = 1;
  for (int capability : {80, 86, 90}) { // machine code of 8.0 runs on 8.6
    fake::machine.capability = capability;
    GOOD(gp_open(&k, &ctx));
    gp_kernel_source source;
    for (gp_call *call : {&c, &three}) {
      GOOD(gp_prepare(ctx, call));
      GOOD(gp_kernel_origin(ctx, call, &source, nullptr, 0));
      CHECK(source == GP_KERNEL_BUNDLE);
    }
    gp_call other = c;
    other.op = GP_MAX;
    BAD(GP_E_NO_COMPILER, "neither cached nor bundled", gp_prepare(ctx, &other));
    CLOSE(ctx);
  }
  fake::machine.capability = 100; // ... but not on 10.0
  GOOD(gp_open(&k, &ctx));
  BAD(GP_E_NO_COMPILER, "neither cached nor bundled", gp_prepare(ctx, &c));
  CLOSE(ctx);
  CHECK(fake::counts.calls["nvrtcVersion"] == 0);
  bundle.header = "0123";
  BAD(GP_E_BUNDLE, "another version of gpuprims.h", gp_open(&k, &ctx));
  bundle.header = nullptr;
  BAD(GP_E_BUNDLE, "gp_config.bundle is empty", gp_open(&k, &ctx));
  bundle.header = GP__BUNDLE, entries[2].image = nullptr;
  BAD(GP_E_BUNDLE, "entry 2 is damaged", gp_open(&k, &ctx));
  CHECK(fake::leaks().empty());
}

// ---- threads and processes

static void test_threads() {
  gp_context *ctx = open_fake();
  fake::machine.compile_ms = 20;
  fake::machine.run = true;
  const int n = 600, threads = 6;
  std::vector<int> v(n, 2);
  std::vector<std::unique_ptr<Device<int>>> buffers;
  std::vector<fake::Stream *> streams;
  Device<int> in(v);
  for (int i = 0; i < threads; ++i) {
    buffers.emplace_back(new Device<int>(size_t(n)));
    streams.push_back(fake::make_stream());
  }
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      gp_policy scan_policy = small(i % 2 ? GP_LOOK_BACK : GP_THREE_SWEEP), copy_policy = small(GP_DIRECT);
      for (int round = 0; round < 4; ++round) {
        gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, buffers[size_t(i)]->data, n);
        c.policy = &scan_policy;
        GOOD(gp_run(ctx, &c, streams[size_t(i % 2)])); // three threads share a stream and its workspace
        if (round == 1) GOOD(gp_reserve(ctx, streams[size_t(i % 2)], uint64_t(100000) * unsigned(i + 1)));
        c = gp_call_init(GP_COPY);
        c.in_type = GP_I32, c.in = in.data, c.out = buffers[size_t(i)]->data, c.count = 10, c.policy = &copy_policy;
        GOOD(gp_run(ctx, &c, streams[size_t(i)]));
        gp_type_desc d = gp_type_desc_init();
        const std::string name = "t" + std::to_string(i) + "_" + std::to_string(round);
        gp_type t;
        d.name = name.c_str(), d.size = 4, d.align = 4;
        GOOD(gp_type_struct(ctx, &d, &t));
        CHECK(name == gp_type_name(ctx, t));
        CHECK(gp_reduce(ctx, GP_SUM, GP_I32, GP_I32, in.data, 4, nullptr, nullptr) == GP_E_NULL);
        CHECK(strcmp(gp_last_message(), "gp_reduce: out is null") == 0); // each thread has its own message
      }
    });
  for (std::thread &t : all) t.join();
  for (int i = 0; i < threads; ++i) {
    bool good = true;
    for (int j = 10; j < n; ++j) good &= buffers[size_t(i)]->data[j] == 2 * (j + 1);
    check(good && buffers[size_t(i)]->data[5] == 2, __LINE__, "thread %d's result", i);
  }
  CHECK(fake::counts.calls["nvrtcCompileProgram"] == 5); // look-back, three sweeps, copy: each once
  CLOSE(ctx);
  for (fake::Stream *s : streams) fake::destroy_stream(s);
}

static void test_fork() {
  gp_context *ctx = open_fake();
  gp_call c = fold_call(GP_REDUCE, GP_SUM, GP_I32, GP_I32, nullptr, nullptr, 100);
  const pid_t child = fork();
  if (child == 0) {
    gp_context *own = nullptr;
    gp_config k = config();
    k.backend = GP_BACKEND_HOST;
    int value[3] = {1, 2, 3}, sum = 0;
    const bool good = gp_prepare(ctx, &c) == GP_E_FORK && strstr(gp_last_message(), "parent") != nullptr &&
        gp_close(ctx) == GP_E_FORK && gp_copy(ctx, GP_I32, nullptr, 0, nullptr, nullptr) == GP_E_FORK &&
        gp_open(&k, &own) == GP_SUCCESS && // its own context works
        gp_reduce(own, GP_SUM, GP_I32, GP_I32, value, 3, &sum, nullptr) == GP_SUCCESS && sum == 6 &&
        gp_close(own) == GP_SUCCESS;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  GOOD(gp_prepare(ctx, &c)); // the parent continues
  CLOSE(ctx);
}

// ---- segments, runs, selection, histograms, search

// Launches and their arguments.
template<class Args> struct Watched {
  unsigned launches = 0;
  Args args;
  dim3 grid;
  unsigned shared_bytes = 0;
};
template<class Args> static void watch(gp_context *ctx, const gp_call &c, Watched<Args> *seen) {
  gp_kernel_source source;
  char name[1024];
  GOOD(gp_kernel_origin(ctx, &c, &source, name, sizeof name));
  fake::kernels()[fake::squeeze(name)] = [=](dim3 grid, dim3, unsigned shared_bytes, void *a) {
    ++seen->launches;
    seen->args = *static_cast<const Args *>(a);
    seen->grid = grid, seen->shared_bytes = shared_bytes;
    return 0;
  };
}

static void test_launches() {
  const auto registered = fake::kernels();
  gp_context *ctx = open_fake();
  Buffers &b = buffers;
  // streams
  {
    Watched<gp__stream_args> seen;
    gp_call c = sample(GP_SELECT);
    watch(ctx, c, &seen);
    GOOD(gp_select_if(ctx, GP_LESS, GP_F32, upper_ends + 3, b.in, 77, b.out, b.counts, nullptr));
    CHECK(seen.launches == 1 && seen.args.keys == b.in && !seen.args.values && seen.args.out_values == b.out);
    CHECK(seen.args.count == 77 && (void *)seen.args.out_count == b.counts && !seen.args.bad && !seen.args.workspace);
    CHECK(memcmp(seen.args.first.bytes, upper_ends + 3, 4) == 0);
    GOOD(gp_select_if(ctx, GP_LESS, GP_F32, upper_ends, b.in, 0, b.out, b.counts, nullptr)); // the count is written
    CHECK(seen.launches == 2 && seen.args.count == 0 && seen.grid.x == 1);
  }
  {
    Watched<gp__stream_args> seen;
    gp_call c = sample(GP_PARTITION);
    c.op = GP_OP_DEFAULT, c.scalar = nullptr, c.keys = b.keys, c.key_type = GP_U8, c.count_device = &b.bad;
    watch(ctx, c, &seen);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 1 && seen.args.keys == b.keys && seen.args.values == b.in && seen.args.out2 == b.out2);
    CHECK((const void *)seen.args.count_device == &b.bad);
    c = sample(GP_PARTITION);
    c.predicate2 = GP_GREATER, c.scalar2 = upper_ends + 2, c.out3 = b.out3;
    watch(ctx, c, &seen);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 2 && seen.args.out3 == b.out3 && memcmp(seen.args.second.bytes, upper_ends + 2, 4) == 0);
  }
  {
    Watched<gp__stream_args> seen;
    gp_call c = sample(GP_UNIQUE);
    c.in_type = GP_F64;
    c.in = b.in, c.out = b.out;
    watch(ctx, c, &seen);
    GOOD(gp_unique_by_key(ctx, GP_I32, GP_F64, b.keys, b.in, 9, b.out_keys, b.out, b.counts, nullptr));
    CHECK(seen.launches == 1 && seen.args.keys == b.keys && seen.args.values == b.in &&
        seen.args.out_keys == b.out_keys && seen.args.out_values == b.out);
    c = sample(GP_EXCLUSIVE_SCAN_BY_KEY);
    c.init = upper_ends; // another kernel than without
    watch(ctx, c, &seen);
    GOOD(gp_exclusive_scan_by_key(ctx, GP_MAX, GP_I32, GP_F32, upper_ends, b.keys, b.in, 9, b.out, nullptr));
    CHECK(seen.launches == 2 && seen.args.has_init && memcmp(seen.args.first.bytes, upper_ends, 4) == 0);
    GOOD(gp_exclusive_scan_by_key(ctx, GP_MAX, GP_I32, GP_F32, nullptr, b.keys, b.in, 0, b.out, nullptr));
    CHECK(seen.launches == 2); // nothing to write
  }
  // a checked load balance, likewise
  {
    Watched<gp__search_args> balance;
    Watched<gp__reduce_args> check_;
    gp_call c = sample(GP_LOAD_BALANCE), offsets = sample(GP_CHECK_OFFSETS);
    c.flags = GP_CHECKED, c.bad = &b.bad, c.count = 55, c.segments = 7;
    watch(ctx, c, &balance);
    watch(ctx, offsets, &check_);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(balance.launches == 1 && check_.launches == 1 && (const void *)balance.args.bad == &b.bad);
    CHECK(check_.args.in == b.begin && check_.args.count == 8 && check_.args.limit == 55 && check_.args.out == &b.bad);
    c.flags = 0, c.bad = nullptr; // the same kernel
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(balance.launches == 2 && check_.launches == 1 && !balance.args.bad);
  }
  // a checked scan of segments: the check's launch, then the scan's, which reads the check's result
  {
    Watched<gp__stream_args> scan;
    Watched<gp__reduce_args> check_;
    gp_call c = sample(GP_SEGMENTED_INCLUSIVE_SCAN), offsets = sample(GP_CHECK_OFFSETS);
    c.flags = GP_CHECKED, c.bad = &b.bad, c.count = 55, c.segments = 7;
    watch(ctx, c, &scan);
    watch(ctx, offsets, &check_);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(scan.launches == 1 && check_.launches == 1 && (const void *)scan.args.bad == &b.bad);
    CHECK(scan.args.offsets == b.begin && scan.args.segments == 7 && scan.args.count == 55 && !scan.args.keys);
    CHECK(check_.args.in == b.begin && check_.args.count == 8 && check_.args.limit == 55 && check_.args.out == &b.bad);
    c.count = 0; // the offsets are still checked
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(scan.launches == 1 && check_.launches == 2 && check_.args.limit == 0);
    CHECK(!check_.args.limit_device);
    const uint64_t most = 3;
    c.count_device = &most; // the count may be on the device
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(check_.launches == 3 && (const void *)check_.args.limit_device == &most && !check_.args.count_device);
    check_.launches = 2, c.count_device = nullptr;
    c.count = 55, c.flags = 0, c.bad = nullptr; // the same kernel
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(scan.launches == 2 && check_.launches == 2 && !scan.args.bad);
    uint64_t bytes = 0, of_check = 0;
    c.flags = GP_CHECKED, c.count = 1;
    GOOD(gp_workspace_size(ctx, &c, &bytes));
    offsets.segments = c.segments = 100000;
    offsets.begin = c.begin = nullptr, offsets.bad = c.bad = nullptr;
    GOOD(gp_workspace_size(ctx, &offsets, &of_check));
    GOOD(gp_workspace_size(ctx, &c, &bytes));
    CHECK(bytes >= of_check && of_check > 0);
    // a bundle compiles both
    std::set<std::string> keys;
    GOOD(gp_compile(
        ctx, &c, 80,
        [](void *all, const char *key, const void *, size_t) { ((std::set<std::string> *)all)->insert(key); }, &keys));
    CHECK(keys.size() == 2);
    // During capture, with too small a workspace for the scan, neither is launched.
    fake::Stream *stream = fake::make_stream();
    c.flags = GP_CHECKED, c.bad = &b.bad, c.count = 1 << 28, c.segments = 7, c.begin = b.begin;
    c.in = c.out = reinterpret_cast<void *>(uintptr_t(1) << 32);
    GOOD(gp_prepare(ctx, &c));
    GOOD(gp_workspace_size(ctx, &offsets, &of_check));
    GOOD(gp_reserve(ctx, stream, of_check));
    stream->capturing = 1;
    BAD(GP_E_WORKSPACE, "gp_reserve", gp_run(ctx, &c, stream));
    stream->capturing = 0;
    GOOD(gp_workspace_size(ctx, &c, &bytes));
    GOOD(gp_reserve(ctx, stream, bytes));
    stream->capturing = 1;
    GOOD(gp_run(ctx, &c, stream));
    CHECK(stream->launches == 2);
    stream->capturing = 0;
    fake::destroy_stream(stream);
  }
  // segments
  {
    Watched<gp__segment_args> seen, spans;
    gp_call c = sample(GP_SEGMENTED_REDUCE);
    gp_segments s = gp_segments_init(GP_I32, b.begin, 10);
    watch(ctx, c, &seen);
    GOOD(gp_segmented_reduce(ctx, GP_MAX, GP_F32, GP_F32, b.in, 100, &s, b.out, nullptr));
    CHECK(seen.launches == 1 && seen.args.in == b.in && seen.args.begin == b.begin && !seen.args.end &&
        seen.args.segments == 10 && seen.args.count == 100 && seen.args.length == 0 && seen.args.out == b.out);
    GOOD(gp_segmented_reduce(ctx, GP_MAX, GP_F32, GP_F32, b.in, 0, &s, b.out, nullptr));
    CHECK(seen.launches == 2 && seen.args.count == 0); // identities
    s.count = 0;
    GOOD(gp_segmented_reduce(ctx, GP_MAX, GP_F32, GP_F32, b.in, 9, &s, b.out, nullptr));
    CHECK(seen.launches == 2);
    c.begin = nullptr, c.offset_type = GP_TYPE_DEFAULT, c.count = 0, c.segment_length = 4;
    watch(ctx, c, &seen);
    s = gp_segments_init(GP_TYPE_DEFAULT, nullptr, 10), s.length = 4;
    GOOD(gp_segmented_reduce(ctx, GP_MAX, GP_F32, GP_F32, b.in, 40, &s, b.out, nullptr));
    CHECK(seen.launches == 3 && seen.args.count == 40 && seen.args.length == 4 && !seen.args.begin);
    c = sample(GP_SEGMENTED_REDUCE);
    c.end = b.end;
    watch(ctx, c, &seen);
    const unsigned before = fake::counts.unregistered;
    s = gp_segments_init(GP_I32, b.begin, 10), s.end = b.end;
    GOOD(gp_segmented_reduce(ctx, GP_MAX, GP_F32, GP_F32, b.in, 100, &s, b.out, nullptr));
    CHECK(
        seen.launches == 4 && seen.args.end == b.end && fake::counts.unregistered == before && seen.shared_bytes == 0);
    gp_policy p;
    memset(&p, 0, sizeof p);
    p.algorithm = GP_MERGE_PATH;
    c.policy = &p;
    watch(ctx, c, &seen);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 5 && seen.args.end == b.end && fake::counts.unregistered == before + 1 &&
        fake::last_unregistered.find("gp__segment_spans<gp__policy<") == 0); // two launches
  }
  // search
  {
    Watched<gp__search_args> seen;
    gp_call c = sample(GP_LOWER_BOUND);
    watch(ctx, c, &seen);
    GOOD(gp_lower_bound(ctx, GP_OP_DEFAULT, GP_F32, GP_U32, b.keys, 50, b.in, 11, b.out, nullptr));
    CHECK(seen.launches == 1 && seen.args.sorted == b.keys && seen.args.length == 50 && seen.args.needles == b.in &&
        seen.args.out == b.out && seen.args.count == 11);
    c = sample(GP_LOAD_BALANCE);
    watch(ctx, c, &seen);
    GOOD(gp_load_balance(ctx, GP_I32, GP_U32, b.begin, 10, b.out, 12, nullptr));
    CHECK(seen.launches == 2 && seen.args.sorted == b.begin && seen.args.length == 10 && seen.args.count == 12);
  }
  // histograms: one kernel for any number of bins, allowed as much shared memory as the largest needs
  {
    Watched<gp__histogram_args> seen;
    gp_call c = sample(GP_HISTOGRAM_EVEN);
    gp_policy p;
    memset(&p, 0, sizeof p);
    p.algorithm = GP_SHARED_BINS, p.threads = 512, p.vectors = 2, p.blocks_per_sm = 1;
    c.policy = &p, c.channels = 3, c.active = 2;
    watch(ctx, c, &seen);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 1 && seen.args.in == b.in && seen.args.count == 100 && seen.args.bins == 16 &&
        seen.args.channels == 3 && seen.args.active == 2 && seen.args.replicas >= 1);
    CHECK(memcmp(seen.args.lower.bytes, lower_ends, 8) == 0 && memcmp(seen.args.upper.bytes, upper_ends, 8) == 0);
    const unsigned asked = unsigned(fake::counts.calls["cuFuncSetAttribute"]), modules = unsigned(fake::modules.size());
    alignas(256) static unsigned char counters[2 * 12000 * 4];
    c.bins = 12000, c.out = counters;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 2 && seen.shared_bytes >= 96000 && fake::modules.size() == modules &&
        fake::counts.calls["cuFuncSetAttribute"] == asked + 1);
    GOOD(gp_run(ctx, &c, nullptr));
    c.bins = 11000;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 4 && fake::counts.calls["cuFuncSetAttribute"] == asked + 1);
    c.count = 0; // zeros are written
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 5 && seen.args.count == 0);
  }
  fake::kernels() = registered; // left by later tests
  CLOSE(ctx);
}

// A histogram by one cluster; by all blocks if that is refused or not in the driver.
static void test_clustered_histograms() {
  const auto registered = fake::kernels();
  for (int way = 0; way < 4; ++way) {
    fake::machine.clusters = way == 1 ? 0 : 2;
    fake::machine.cluster_refusal = way == 2 ? GP__CU_INVALID_CLUSTER_SIZE : 0;
    fake::machine.max_clusters = way != 3;
    gp_context *const ctx = open_fake();
    Watched<gp__histogram_args> cluster, shared;
    alignas(256) static float samples[5000];
    gp_call c = sample(GP_HISTOGRAM_EVEN);
    gp_policy p;
    memset(&p, 0, sizeof p);
    c.policy = &p, c.in = samples, c.count = 5000;
    p.algorithm = GP_SHARED_BINS;
    watch(ctx, c, &shared);
    p.algorithm = GP_ONE_CLUSTER, p.threads = 256;
    watch(ctx, c, &cluster);
    logged.clear();
    const unsigned clustered = fake::counts.clustered;
    for (unsigned times = 1; times < 3; ++times) {
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(cluster.launches == (way ? 0 : times) && shared.launches == (way ? times : 0));
      CHECK(fake::counts.clustered - clustered == (way ? 0 : times) && warnings("refused") == (way ? times : 0));
    }
    CHECK((way ? shared : cluster).args.bins == 16 && (way ? shared : cluster).args.count == 5000);
    CHECK(way || cluster.grid.x == 8);
    c.count = 200; // one block needs no cluster
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(cluster.launches == (way ? 1u : 3u) && cluster.grid.x == 1);
    CLOSE(ctx);
  }
  fake::machine.clusters = 2, fake::machine.cluster_refusal = 0, fake::machine.max_clusters = true;
  fake::kernels() = registered;
}

// A scan and a selection by one cluster; by one block, with a warning, if that is refused or not in the driver.
static void test_clusters_refused() {
  std::vector<int> v(5000), expected(v.size());
  for (size_t i = 0; i < v.size(); ++i) v[i] = int(i * 37 % 101);
  std::partial_sum(v.begin(), v.end(), expected.begin());
  for (int way = 0; way < 4; ++way) {
    fake::machine.clusters = way == 1 ? 0 : 2;
    fake::machine.cluster_refusal = way == 2 ? GP__CU_INVALID_CLUSTER_SIZE : 0;
    fake::machine.max_clusters = way != 3;
    gp_context *const ctx = open_fake();
    gp_policy q = small(GP_ONE_CLUSTER);
    q.stages = 3;
    Device<int> in(v), out(v.size());
    gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, v.size());
    c.policy = &q;
    logged.clear();
    for (unsigned times = 1; times < 3; ++times) {
      const unsigned clustered = fake::counts.clustered;
      simt::host_fill(out.data, 0, v.size() * sizeof(int));
      GOOD(gp_run(ctx, &c, nullptr));
      check(out.get() == expected, __LINE__, "a cluster, way %d: %s", way, simt::error().c_str());
      CHECK(fake::counts.clustered - clustered == (way == 0));
      CHECK(warnings("gp_inclusive_scan: the device refused a launch in clusters: falling back to one block") ==
          (way ? times : 0));
    }
    Watched<gp__stream_args> seen;
    c = sample(GP_SELECT);
    c.count = 5000, c.in = in.data, c.out = out.data;
    const auto registered = fake::kernels();
    watch(ctx, c, &seen);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(seen.launches == 1 && seen.grid.x == (way ? 1u : 5u) && (warnings("gp_select: ") == 1) == (way > 0));
    fake::kernels() = registered;
    CLOSE(ctx);
  }
  fake::machine.clusters = 2, fake::machine.cluster_refusal = 0, fake::machine.max_clusters = true;
}

// Rows of arrays of up to four dimensions in any order, beside the host back end, which NumPy checks.
static void test_rows_of_arrays() {
  gp_context *ctx = open_fake(), *host = nullptr;
  gp_config config = gp_config_init();
  config.backend = GP_BACKEND_HOST;
  GOOD(gp_open(&config, &host));
  const uint64_t shapes[][4] = {{3, 4, 5, 12}, {1, 2, 130, 7}, {1, 1, 2, 1100}};
  for (const auto &shape : shapes)
    for (int turned = shape[3] == 12 ? 0 : 3; turned < 4; ++turned)
      for (int axis = 0; axis < 4; ++axis)
        for (const bool map : {false, true}) {
          gp_axes a = map ? gp_axes_mapped(4, shape, axis) : gp_axes_reduced(4, shape, axis);
          const size_t n = size_t(shape[0] * shape[1] * shape[2] * shape[3]), m = map ? n : n / size_t(shape[axis]);
          CHECK(a.in_stride[3] == 1 && a.in_stride[0] == int64_t(n / shape[0]) && a.struct_size == sizeof a &&
              a.out_stride[axis == 3 && !map ? 2 : 3] == 1);
          std::vector<int> v(n), wanted(m, -1);
          for (size_t i = 0; i < n; ++i) v[i] = int(i * 7919 % 1009) - 500;
          int64_t first = 0;
          if (turned & 1) { // dimensions change places, in the input
            std::swap(a.extent[0], a.extent[3]), std::swap(a.in_stride[0], a.in_stride[3]);
            const gp_axes dense = map ? gp_axes_mapped(4, a.extent, axis) : gp_axes_reduced(4, a.extent, axis);
            memcpy(a.out_stride, dense.out_stride, sizeof a.out_stride);
          }
          if (turned & 2) { // one runs backwards
            const int d = (axis + turned) % 4;
            first = int64_t(a.extent[d] - 1) * a.in_stride[d], a.in_stride[d] = -a.in_stride[d];
          }
          const size_t rows = n / size_t(a.extent[axis]), results = map ? n : rows;
          wanted.assign(results, -1);
          gp_call c = gp_call_init(map ? GP_ROW_MAP : GP_REDUCE_AXIS);
          c.op = GP_SUM, c.in_type = GP_I32, c.axes = &a;
          if (map) c.apply = GP_SUB;
          c.in = v.data() + first, c.out = wanted.data();
          GOOD(gp_run(host, &c, nullptr));
          for (const int algorithm : {GP_WARP_SEGMENTS, GP_DIRECT, GP_EVEN_SHARE}) {
            Device<int> in(v), out{results};
            gp_policy p = small(algorithm);
            p.blocks_per_sm = 1;
            c.in = in.data + first, c.out = out.data, c.policy = &p;
            const gp_result result = gp_run(ctx, &c, nullptr);
            if (result == GP_E_POLICY && algorithm != GP_EVEN_SHARE) continue; // columns, or rows that are too long
            check(result == GP_SUCCESS, __LINE__, "%s", gp_last_message());
            check(!memcmp(out.data, wanted.data(), results * sizeof(int)), __LINE__, "axis %d, turned %d, algorithm %d",
                axis, turned, algorithm);
            if (map && algorithm == GP_EVEN_SHARE && a.in_stride[0] == a.out_stride[0] &&
                !memcmp(a.in_stride, a.out_stride, sizeof a.in_stride)) {
              c.out = in.data;
              GOOD(gp_run(ctx, &c, nullptr));
              CHECK(!memcmp(in.data, wanted.data(), results * sizeof(int)));
            }
          }
        }
  gp_axes a = gp_axes_reduced(4, shapes[0], 3);
  Device<int> in(std::vector<int>(720, 1)), out(std::vector<int>(60, 4));
  gp_call c = gp_call_init(GP_REDUCE_AXIS);
  gp_policy p = small(GP_WARP_SEGMENTS);
  const int start = 100;
  c.op = GP_SUM, c.in_type = GP_I32, c.axes = &a, c.in = in.data, c.out = out.data, c.init = &start, c.policy = &p;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(out.data[0] == 112 && out.data[59] == 112);
  a.extent[3] = 0; // rows of nothing have results
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(out.data[0] == 100 && out.data[59] == 100);
  a.extent[2] = 0; // no rows: nothing is launched
  const auto before = fake::counts.calls["cuLaunchKernel"];
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(fake::counts.calls["cuLaunchKernel"] == before);
  // The host's share of a call does not grow with the length of a row.
  fake::machine.run = false;
  a = gp_axes_reduced(1, shapes[0], 0), c.init = nullptr, a.extent[0] = (1u << 31) - 1;
  fake::places[in.data] = {size_t(a.extent[0]) * sizeof(int), 2};
  double best = 1;
  for (int i = 0; i < 5; ++i) {
    timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    GOOD(gp_run(ctx, &c, nullptr));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    best = std::min(best, double(to.tv_sec - from.tv_sec) + 1e-9 * double(to.tv_nsec - from.tv_nsec));
  }
  check(best < 1e-3, __LINE__, "a call on one long row takes %.3f ms of the host", best * 1e3);
  fake::places.clear();
  fake::machine.run = true;
  GOOD(gp_close(host));
  CLOSE(ctx);
}
// On running kernels.
static void test_more_results() {
  gp_context *ctx = open_fake();
  const int n = 1000;
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[size_t(i)] = i * 7 % 31 - 9;
  Device<int> in(v), out{size_t(n)};
  Device<uint64_t> count(1);
  Device<uint8_t> truth(1);
  gp_policy direct = small(GP_DIRECT), share = small(GP_EVEN_SHARE), steal = small(GP_STEALING);
  const int five = 5, many = 99;
  int expected = 0;
  for (int x : v) expected += x > 5;
  gp_call c = sample(GP_COUNT_IF, n);
  c.op = GP_GREATER, c.in_type = GP_I32, c.in = in.data, c.scalar = &five, c.out_count = count.data, c.policy = &share;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == uint64_t(expected));
  c.count = 0;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == 0);
  c = sample(GP_ALL, n);
  c.op = GP_LESS, c.in_type = GP_I32, c.in = in.data, c.scalar = &many, c.out = truth.data, c.policy = &steal;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 1);
  c.scalar = &five;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 0);
  c.count = 0;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 1);
  c.primitive = GP_ANY;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 0);
  c.count = uint64_t(n);
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 1);
  c.policy = &share; // reads everything: an algorithm of reductions
  BAD(GP_E_POLICY, "policy.algorithm = 2 is not valid for this call", gp_run(ctx, &c, nullptr));
  c = sample(GP_FIND_IF, n);
  c.op = GP_GREATER, c.in_type = GP_I32, c.in = in.data, c.scalar = &five, c.out_count = count.data, c.policy = &steal;
  size_t first = 0;
  while (v[first] <= 5) ++first;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == first);
  c.scalar = &many;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == uint64_t(n));
  c.count = 0;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == 0);
  std::vector<int> w(v);
  w[size_t(n) - 7] = 100, w[size_t(n) - 2] = 100;
  Device<int> other(w);
  c = sample(GP_MISMATCH, n);
  c.in_type = GP_I32, c.in = in.data, c.in2 = other.data, c.out_count = count.data, c.policy = &steal;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == uint64_t(n) - 7);
  c.in2 = in.data;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == uint64_t(n));
  c.primitive = GP_EQUAL_ARRAYS, c.out_count = nullptr, c.out = truth.data;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 1);
  c.in2 = other.data;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 0);
  w = v, w[size_t(n) - 9] = w[size_t(n) - 10];
  Device<int> twins(w);
  c = sample(GP_ADJACENT_FIND, n);
  c.in_type = GP_I32, c.in = twins.data, c.out_count = count.data, c.policy = &steal;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == uint64_t(n) - 10);
  c.in = in.data;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == uint64_t(n));
  std::sort(w.begin(), w.end());
  w[size_t(n) - 3] = -99;
  Device<int> disorder(w);
  c = sample(GP_IS_SORTED, n);
  c.keys = disorder.data, c.out_count = count.data, c.policy = &steal;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == uint64_t(n) - 3);
  c.count = uint64_t(n) - 3;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == UINT64_MAX);
  c = sample(GP_ADJACENT_DIFFERENCE, n);
  c.in_type = GP_I32, c.in = in.data, c.out = out.data, c.policy = &direct;
  GOOD(gp_run(ctx, &c, nullptr));
  bool good = out.data[0] == v[0];
  for (size_t i = 1; i < size_t(n); ++i) good = good && out.data[i] == v[i] - v[i - 1];
  CHECK(good);
  c = sample(GP_REVERSE, n);
  c.in_type = GP_I32, c.in = in.data, c.out = out.data, c.policy = &direct;
  for (int twice = 0; twice < 2; ++twice) { // then in place, which restores the input
    GOOD(gp_run(ctx, &c, nullptr));
    good = true;
    for (size_t i = 0; i < size_t(n); ++i) good = good && out.data[i] == v[twice ? i : size_t(n) - 1 - i];
    CHECK(good);
    c.in = c.out;
  }
  const auto read = [&](const Device<int> &d) { return std::vector<int>(d.data, d.data + n); };
  Device<int> second(w), shown(w);
  c = sample(GP_SWAP, n);
  c.out_type = GP_I32, c.out = second.data, c.out3 = out.data, c.policy = &direct;
  simt::host_write(out.data, v.data(), size_t(n) * sizeof(int));
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(read(second) == v && read(out) == w);
  const int four = 4, none = -1000;
  c = sample(GP_REPLACE, n);
  c.in_type = GP_I32, c.in = c.out = second.data, c.op = GP_GREATER, c.scalar = &four, c.value = &none;
  c.policy = &direct;
  GOOD(gp_run(ctx, &c, nullptr));
  good = true;
  for (size_t i = 0; i < size_t(n); ++i) good = good && second.data[i] == (v[i] > four ? none : v[i]);
  CHECK(good);
  std::vector<unsigned> places, back(size_t(n), 0);
  for (int i = 0; i < n; ++i) places.push_back(unsigned((i * 7 + 3) % n)); // 7 divides no n of this test
  for (int i = 0; i < n; ++i) back[places[size_t(i)]] = unsigned(i);
  std::vector<unsigned char> marks;
  for (int i = 0; i < n; ++i) marks.push_back((unsigned char)(i % 3 ? 0 : 2));
  std::vector<unsigned> wild(places); // indices that nobody may use
  for (size_t i = 0; i < size_t(n); ++i)
    if (!marks[i]) wild[i] = 0x7fffffffu - unsigned(i);
  Device<unsigned> indices(places), wild_indices(wild);
  Device<unsigned char> flags(marks);
  c = sample(GP_SCATTER, n);
  c.in_type = GP_I32, c.in = in.data, c.out = out.data, c.in2 = indices.data, c.n = uint64_t(n), c.policy = &direct;
  c.keys = nullptr, c.key_type = GP_TYPE_DEFAULT, c.op = GP_OP_DEFAULT, c.scalar = nullptr;
  GOOD(gp_run(ctx, &c, nullptr));
  good = true;
  for (size_t i = 0; i < size_t(n); ++i) good = good && out.data[places[i]] == v[i];
  CHECK(good);
  c = sample(GP_GATHER, n);
  c.in_type = GP_I32, c.in = in.data, c.out = shown.data, c.in2 = wild_indices.data, c.n = uint64_t(n);
  c.key_type = GP_U8, c.keys = flags.data, c.op = GP_OP_DEFAULT, c.scalar = nullptr, c.policy = &direct;
  GOOD(gp_run(ctx, &c, nullptr));
  good = true;
  for (size_t i = 0; i < size_t(n); ++i) good = good && shown.data[i] == (marks[i] ? v[places[i]] : w[i]);
  CHECK(good);
  c = sample(GP_SCATTER, n); // in place, the stencil too
  c.in_type = GP_I32, c.in = c.out = shown.data, c.in2 = nullptr, c.in2_type = GP_TYPE_DEFAULT, c.n = 0;
  c.key_type = GP_I32, c.keys = shown.data, c.op = GP_GREATER, c.scalar = &four, c.transform = GP_NEGATE;
  c.policy = &direct;
  const std::vector<int> before = read(shown);
  GOOD(gp_run(ctx, &c, nullptr));
  good = true;
  for (size_t i = 0; i < size_t(n); ++i) good = good && shown.data[i] == (before[i] > four ? -before[i] : before[i]);
  CHECK(good);
  Device<int> order(std::vector<int>(1, 7));
  for (int which = 0; which < 4; ++which) { // a greater element in the second array; equal; shorter; longer
    c = sample(GP_LEXICOGRAPHIC, n);
    c.in_type = GP_I32, c.in = in.data, c.in2 = which ? in.data : other.data, c.out = order.data, c.policy = &steal;
    c.count2 = uint64_t(n - (which == 2) + (which == 3));
    if (which == 3) --c.count, --c.count2;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(order.data[0] == (which == 0 ? -1 : which == 1 ? 0 : which == 2 ? 1 : -1));
  }
  std::vector<int> parted(v);
  const size_t part =
      size_t(std::stable_partition(parted.begin(), parted.end(), [](int x) { return x < 5; }) - parted.begin());
  Device<int> parts(parted);
  c = sample(GP_IS_PARTITIONED, n);
  c.in_type = GP_I32, c.in = parts.data, c.scalar = &five, c.out = truth.data, c.policy = &steal;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 1);
  c.in = in.data;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(truth.data[0] == 0);
  c = sample(GP_PARTITION_POINT, n);
  c.in_type = GP_I32, c.in = parts.data, c.scalar = &five, c.out_count = count.data, c.policy = &steal;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == part);
  struct Extremes {
    int least, unused;
    int64_t first;
    int greatest, unused2;
    int64_t last;
  };
  Device<Extremes> extremes(1);
  c = fold_call(GP_REDUCE, GP_ARGMINMAX, GP_I32, GP_I32, in.data, extremes.data, uint64_t(n));
  c.policy = &share;
  GOOD(gp_run(ctx, &c, nullptr));
  const auto ends_of = std::minmax_element(v.begin(), v.end(), [](int x, int y) { return x < y; });
  CHECK(extremes.data->least == *ends_of.first && extremes.data->first == ends_of.first - v.begin());
  CHECK(extremes.data->greatest == *ends_of.second &&
      extremes.data->last == std::max_element(v.begin(), v.end()) - v.begin());
  std::vector<const void *> sources;
  std::vector<void *> destinations;
  std::vector<unsigned> sizes;
  for (int i = 0, at = 0; at < n; at += int(sizes.back()) / 4, ++i) { // of any number of elements, the last is large
    sizes.push_back(unsigned(std::min(at > n / 2 ? n : i % 7, n - at)) * 4);
    sources.push_back(in.data + at), destinations.push_back(out.data + at);
  }
  Device<const void *> from(sources);
  Device<void *> to(destinations);
  Device<unsigned> bytes(sizes);
  c = sample(GP_COPY_BATCH, sizes.size());
  c.in = from.data, c.in2 = to.data, c.begin = bytes.data, c.policy = &direct;
  direct.blocks_per_sm = 1;
  for (int twice = 0; twice < 2; ++twice) { // the second launch finds the words of the first
    simt::host_fill(out.data, 0, size_t(n) * sizeof(int));
    GOOD(gp_run(ctx, &c, nullptr));
    good = true;
    for (size_t i = 0; i < size_t(n); ++i) good = good && out.data[i] == v[i];
    CHECK(good);
  }
  std::vector<unsigned> lengths(100), ends(1, 0);
  for (unsigned i = 0; i < 100; ++i) {
    lengths[i] = i == 50 ? 300 : i % 3;
    ends.push_back(ends.back() + lengths[i]);
  }
  Device<unsigned> runs(lengths), edges(ends);
  gp_policy merge = small(GP_MERGE_PATH);
  for (const bool by_lengths : {true, false, true}) {
    c = sample(by_lengths ? GP_RUN_LENGTH_EXPAND : GP_EXPAND, 390); // ten elements have no room
    c.in_type = GP_I32, c.in = in.data, c.out = out.data, c.offset_type = GP_U32, c.segments = 100, c.policy = &merge;
    c.begin = by_lengths ? runs.data : edges.data;
    if (by_lengths) c.out_count = count.data;
    simt::host_fill(out.data, 0, size_t(n) * sizeof(int));
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(!by_lengths || count.data[0] == ends.back());
    good = true;
    for (unsigned i = 0, r = 0; i < 400; ++i) {
      while (r < 100 && ends[r + 1] <= i) ++r;
      good = good && out.data[i] == (i < 390 && r < 100 ? v[r] : 0);
    }
    CHECK(good);
  }
  c = sample(GP_RUN_LENGTH_EXPAND, n); // no runs, or no room: the sum all the same
  c.in_type = GP_I32, c.in = in.data, c.out = out.data, c.offset_type = GP_U32, c.begin = runs.data;
  c.out_count = count.data, c.policy = &merge, c.segments = 0;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == 0);
  c.segments = 100, c.count = 0, c.out = nullptr;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == ends.back());
  std::vector<int> rising(n);
  for (int i = 0; i < n; ++i) rising[size_t(i)] = i / 3;
  rising[700] = 5;
  Device<int> offsets(rising);
  c = sample(GP_CHECK_OFFSETS, n);
  c.begin = offsets.data, c.segments = uint64_t(n - 1), c.bad = count.data, c.policy = &share;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == 700);
  c.count = 100; // the first beyond it
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == 303);
  c.segments = 50;
  GOOD(gp_run(ctx, &c, nullptr));
  CHECK(count.data[0] == UINT64_MAX);
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CLOSE(ctx);
}

// ---- layouts: whole calls on the emulator, in place and not

// Each call of the driver fails once: in a checked call, in one with two launches, and in a histogram that grows.
static void test_more_faults() {
  unsigned injected = 0;
  Buffers &b = buffers;
  alignas(256) static unsigned char counters[12000 * 4];
  for (unsigned long k = 1; k < 10000; ++k) {
    fake::reset();
    gp_context *ctx = open_fake();
    fake::Stream *stream = fake::make_stream();
    fake::fail_at = fake::counts.total + k;
    gp_call calls[3] = {sample(GP_SEGMENTED_INCLUSIVE_SCAN), sample(GP_SEGMENTED_REDUCE), sample(GP_HISTOGRAM_EVEN)};
    gp_policy p;
    memset(&p, 0, sizeof p);
    p.algorithm = GP_SHARED_BINS;
    calls[0].flags = GP_CHECKED, calls[0].bad = &b.bad;
    calls[1].end = b.end;
    calls[2].policy = &p;
    for (int i = 0; i < 4; ++i) {
      gp_call &c = calls[i < 3 ? i : 2];
      if (i == 3) c.bins = 12000, c.out = counters;
      const bool before = !fake::failed_call.empty();
      const gp_result r = gp_run(ctx, &c, stream);
      const bool failed_here = !before && !fake::failed_call.empty();
      const bool quiet = fake::failed_call == "nvrtcDestroyProgram" || fake::failed_call == "nvrtcGetProgramLogSize" ||
          fake::failed_call == "cuThreadExchangeStreamCaptureMode";
      check(r == GP_SUCCESS ? !failed_here || quiet : failed_here, __LINE__, "call %d, %lu (%s) failing: %s", i, k,
          fake::failed_call.c_str(), gp_result_name(r));
      if (r == GP_SUCCESS) continue;
      check(strstr(gp_last_message(), fake::failed_call.c_str()) != nullptr, __LINE__, "the message \"%s\" lacks %s",
          gp_last_message(), fake::failed_call.c_str());
      GOOD(gp_run(ctx, &c, stream));
    }
    const bool hit = !fake::failed_call.empty();
    injected += hit;
    fake::fail_at = 0;
    CLOSE(ctx);
    fake::destroy_stream(stream);
    if (!hit) break;
  }
  check(injected > 60, __LINE__, "only %u faults were injected", injected);
}

// Every primitive's default is a valid policy, and is in its space.
static void test_more_policies() {
  gp_context *ctx = open_fake();
  gp_policy_source source;
  for (int i = GP_SEGMENTED_REDUCE; i < GP_PRIMITIVE_COUNT; ++i)
    for (gp_type t : {GP_U8, GP_F16, GP_F32, GP_F64})
      for (uint64_t n = 0; n < uint64_t(1) << 36; n = n * 9 + 1)
        for (uint64_t more : {1, 1000, 100000000}) {
          const double lower[1] = {0}, upper[1] = {0x1p+60};
          gp_call c = sample(gp_primitive(i), n);
          gp_policy p, again;
          if (c.in_type && i != GP_HISTOGRAM_EVEN && i != GP_GRAPH_FROM_EDGES) c.in_type = t;
          if (c.in_type == GP_F64) c.lower = c.lower ? lower : nullptr, c.upper = c.upper ? upper : nullptr;
          if (c.key_type) c.key_type = t;
          if (c.segments) c.segments = more;
          if (c.bins) c.bins = more;
          c.out = c.out ? reinterpret_cast<void *>(uintptr_t(1) << 44) : nullptr; // after all inputs
          c.out2 = c.out2 ? reinterpret_cast<void *>(uintptr_t(1) << 45) : nullptr;
          c.out_keys = c.out_keys ? reinterpret_cast<void *>(uintptr_t(1) << 46) : nullptr;
          c.in = c.keys = c.in2 = c.keys2 = nullptr;
          c.begin = i == GP_SEGMENTED_REDUCE || i == GP_HISTOGRAM_RANGES ? reinterpret_cast<void *>(256) : nullptr;
          const gp_result r = gp_policy_origin(ctx, &c, &p, &source);
          check(r == GP_SUCCESS && source == GP_POLICY_PORTABLE, __LINE__, "primitive %d type %d n %llu: %s", i, t,
              (unsigned long long)n, gp_last_message());
          c.policy = &p; // gp_policy_origin's policy can be passed back
          GOOD(gp_policy_origin(ctx, &c, &again, &source));
          CHECK(source == GP_POLICY_CALLER && memcmp(&again, &p, sizeof p) == 0);
        }
  char json[4096];
  gp_policy_space(GP_SELECT, json, sizeof json);
  CHECK(strstr(json, "[\"GP_LOOK_BACK\", \"GP_PIPELINED\", \"GP_WARP_SEGMENTS\", \"GP_ONE_CLUSTER\"]"));
  gp_policy_space(GP_SEGMENTED_REDUCE, json, sizeof json);
  CHECK(strstr(json, "[\"GP_MERGE_PATH\", \"GP_WARP_SEGMENTS\", \"GP_PIPELINED\"]") && strstr(json, "\"stages\"") &&
      !strstr(json, "\"store\""));
  gp_policy_space(GP_HISTOGRAM_RANGES, json, sizeof json);
  CHECK(strstr(json, "[\"GP_SHARED_BINS\", \"GP_GLOBAL_BINS\", \"GP_ONE_CLUSTER\"]"));
  gp_policy_space(GP_COUNT_IF, json, sizeof json);
  CHECK(strstr(json, "GP_EVEN_SHARE"));
  gp_policy_space(GP_FIND_IF, json, sizeof json);
  CHECK(strstr(json, "\"GP_STEALING\", \"GP_ONE_BLOCK\"]") && !strstr(json, "GP_EVEN_SHARE"));
  gp_policy p = small(GP_LOOK_BACK), said;
  gp_call c = sample(GP_SEGMENTED_REDUCE);
  c.policy = &p;
  BAD(GP_E_POLICY, "policy.algorithm = 5 is not valid for this call", gp_run(ctx, &c, nullptr));
  p = small(GP_PIPELINED), p.store = 0;
  GOOD(gp_prepare(ctx, &c));
  GOOD(gp_policy_echo(ctx, &c, &said));
  CHECK(said.algorithm == GP_PIPELINED && said.stages == 3);
  c.end = static_cast<const char *>(c.begin) + 4;
  BAD(GP_E_POLICY, "policy.algorithm = 7 is not valid for this call", gp_run(ctx, &c, nullptr));
  c = sample(GP_LOAD_BALANCE);
  c.policy = &p;
  BAD(GP_E_POLICY, "policy.algorithm = 7 is not valid for this call", gp_run(ctx, &c, nullptr));
  c = sample(GP_SEGMENTED_REDUCE);
  c.policy = &p;
  // few elements: as many lanes a segment as hold one of mean length with a vector each, fewer rather than a second
  // round, or the block; a warp if there are at most 16 segments a multiprocessor; no workspace
  const struct {
    uint64_t count, segments;
    bool ranges;
    int algorithm;
    unsigned log2_lanes, grid;
  } rows[] = {{0, 10, false, GP_WARP_SEGMENTS, 5, 2}, {100, 32, false, GP_WARP_SEGMENTS, 5, 4},
      {100, 33, false, GP_WARP_SEGMENTS, 0, 1}, {100, 32, true, GP_WARP_SEGMENTS, 5, 4},
      {100, 100, false, GP_WARP_SEGMENTS, 0, 1}, {100, 100, true, GP_WARP_SEGMENTS, 3, 4},
      {500, 100, false, GP_WARP_SEGMENTS, 1, 1}, {1600, 100, false, GP_WARP_SEGMENTS, 2, 2},
      {1601, 100, false, GP_WARP_SEGMENTS, 3, 4}, {8192, 64, true, GP_WARP_SEGMENTS, 5, 8},
      {16384, 21, false, GP_WARP_SEGMENTS, 10, 8}, {16384, 64, false, GP_WARP_SEGMENTS, 5, 8},
      {14000, 2000, false, GP_WARP_SEGMENTS, 0, 8}, {16000, 500, false, GP_WARP_SEGMENTS, 2, 8},
      {14000, 2000, true, GP_WARP_SEGMENTS, 3, 8}, {16385, 64, false, GP_MERGE_PATH, 0, 0},
      {10, 8193, false, GP_MERGE_PATH, 0, 0}};
  for (const auto &row : rows) {
    gp__shape s = {};
    s.primitive = GP_SEGMENTED_REDUCE, s.in_size = s.acc_size = s.out_size = s.offset_size = 4,
    s.segmented.by_ranges = row.ranges;
    s.count = row.count, s.segments = row.segments;
    s.multiprocessors = 2, s.compute_capability = 90, s.shared_bytes = 64 * 1024;
    const gp_policy chosen = gp__portable(gp_policy(), &s);
    const gp__geometry g = gp__geometry_of(chosen, &s, 0);
    CHECK(chosen.algorithm == row.algorithm && gp__policy_valid(chosen, &s) && g.log2_lanes == row.log2_lanes);
    if (row.algorithm == GP_WARP_SEGMENTS) CHECK(g.grid == row.grid && g.words == 0 && g.shared_bytes == 0);
    s.primitive = GP_LOAD_BALANCE;
    CHECK(gp__portable(gp_policy(), &s).algorithm == GP_MERGE_PATH);
    s.primitive = GP_SEGMENTED_REDUCE, s.multiprocessors = 1 << 20, s.count = 1 << 20, s.segments = 63;
    CHECK(gp__portable(gp_policy(), &s).algorithm == GP_MERGE_PATH); // long segments only
    s.segments = 64;
    CHECK(gp__portable(gp_policy(), &s).algorithm == GP_WARP_SEGMENTS);
    s.count = 1ull << 31;
    gp_policy warp = chosen;
    warp.algorithm = GP_WARP_SEGMENTS;
    CHECK(!gp__policy_valid(warp, &s));
  }
  // streams: one cluster up to 32 tiles; a vector a thread below 4 MiB; segmented scans look back up to 8 MiB
  const struct {
    int key, in, offset;
    uint64_t bytes;
    int algorithm, threads, vectors, stages, blocks;
  } streams[] = {{4, 0, 0, 64 << 10, GP_ONE_CLUSTER, 256, 1, 3, 8},
      {4, 0, 0, (64 << 10) + 4, GP_ONE_CLUSTER, 512, 1, 3, 8}, {4, 0, 0, 128 << 10, GP_ONE_CLUSTER, 512, 1, 3, 8},
      {4, 0, 0, (128 << 10) + 4, GP_LOOK_BACK, 256, 1, 3, 8}, {4, 0, 0, 512 << 10, GP_LOOK_BACK, 512, 1, 3, 4},
      {4, 0, 0, 768 << 10, GP_LOOK_BACK, 256, 3, 3, 4}, {4, 0, 0, (768 << 10) + 4, GP_LOOK_BACK, 384, 3, 3, 3},
      {4, 0, 0, 1152 << 10, GP_LOOK_BACK, 384, 3, 3, 3}, {4, 0, 0, (1152 << 10) + 4, GP_LOOK_BACK, 512, 1, 3, 4},
      {4, 4, 0, (1 << 22) - 8, GP_LOOK_BACK, 512, 1, 3, 4}, {4, 0, 0, 1 << 22, GP_PIPELINED, 256, 5, 5, 2},
      {4, 4, 0, 1 << 22, GP_PIPELINED, 256, 3, 4, 2}, {4, 0, 0, (1 << 24) - 4, GP_PIPELINED, 256, 5, 5, 2},
      {4, 0, 0, 1 << 24, GP_PIPELINED, 512, 5, 5, 1}, {0, 4, 4, 4, GP_WARP_SEGMENTS, 128, 1, 3, 8},
      {0, 4, 4, 416 << 10, GP_WARP_SEGMENTS, 128, 1, 3, 8}, {0, 4, 4, (416 << 10) + 4, GP_LOOK_BACK, 256, 1, 3, 8},
      {0, 8, 4, 576 << 10, GP_WARP_SEGMENTS, 128, 1, 3, 8}, {0, 8, 4, (576 << 10) + 8, GP_LOOK_BACK, 256, 1, 3, 8},
      {0, 12, 4, 36 << 10, GP_LOOK_BACK, 256, 1, 3, 8}, {4, 4, 0, 4096, GP_ONE_CLUSTER, 256, 1, 3, 8},
      {0, 4, 4, (1 << 20) - 4, GP_LOOK_BACK, 256, 1, 3, 8}, {0, 4, 4, (1 << 22) - 4, GP_LOOK_BACK, 512, 1, 3, 4},
      {0, 4, 4, 1 << 22, GP_LOOK_BACK, 256, 3, 3, 6}, {0, 4, 4, (1 << 23) - 4, GP_LOOK_BACK, 256, 3, 3, 6},
      {0, 4, 4, 1 << 23, GP_PIPELINED, 256, 5, 5, 2}};
  for (const auto &row : streams) {
    gp__shape s = {};
    s.primitive = row.offset ? GP_SEGMENTED_INCLUSIVE_SCAN : row.in ? GP_INCLUSIVE_SCAN_BY_KEY : GP_SELECT;
    s.key_size = row.key, s.in_size = row.in, s.offset_size = row.offset;
    s.acc_size = row.in, s.out_size = 4;
    s.count = row.bytes / unsigned(row.key + row.in), s.segments = s.count / 64;
    s.multiprocessors = 132, s.compute_capability = 90, s.shared_bytes = 227 * 1024;
    const gp_policy chosen = gp__portable(gp_policy(), &s);
    check(chosen.algorithm == row.algorithm && chosen.threads == row.threads && chosen.vectors == row.vectors &&
            chosen.stages == row.stages && chosen.blocks_per_sm == row.blocks && gp__policy_valid(chosen, &s),
        __LINE__, "rule for %d/%d/%d of %llu bytes: algorithm %d, %dx%d, %d stages, %d blocks", row.key, row.in,
        row.offset, (unsigned long long)row.bytes, chosen.algorithm, chosen.threads, chosen.vectors, chosen.stages,
        chosen.blocks_per_sm);
  }
  for (const uint64_t count : {3072, 3073}) { // segments of 1,024 elements at most, on average
    gp__shape s = {};
    s.primitive = GP_SEGMENTED_INCLUSIVE_SCAN, s.in_size = s.acc_size = s.out_size = s.offset_size = 4;
    s.count = count, s.segments = 2, s.multiprocessors = 132, s.compute_capability = 90, s.shared_bytes = 227 * 1024;
    CHECK((gp__portable(gp_policy(), &s).algorithm == GP_WARP_SEGMENTS) == (count == 3072));
    s.count = 66569, s.segments = count == 3072 ? 2112 : 2113; // 16 a multiprocessor, and one more
    CHECK(gp__portable(gp_policy(), &s).threads == (count == 3072 ? 128 : 256));
  }
  // bounds of many needles: the array is sampled, if it is of elements of 4 or 8 bytes and not too long for the needles
  const struct {
    int size;
    uint64_t count, length;
    int algorithm;
    uint64_t scratch;
  } bounds[] = {{4, 1 << 18, 1 << 15, GP_TWO_PHASE, 16400}, {4, (1 << 18) - 1, 1 << 15, GP_DIRECT, 0},
      {4, 1 << 18, (1 << 15) - 1, GP_DIRECT, 0}, {4, 1 << 18, (1 << 20) + 3, GP_TWO_PHASE, 524304},
      {4, 1 << 18, (1 << 20) + 4, GP_DIRECT, 0}, {8, 1 << 18, 1 << 14, GP_TWO_PHASE, 32832},
      {2, 1 << 18, 1 << 18, GP_DIRECT, 0}, {16, 1 << 18, 1 << 18, GP_DIRECT, 0}};
  for (const auto &row : bounds)
    for (const int primitive : {GP_LOWER_BOUND, GP_UPPER_BOUND, GP_GATHER}) {
      gp__shape s = {};
      s.primitive = primitive, s.in_size = row.size, s.out_size = 4, s.count = row.count, s.segments = row.length;
      s.multiprocessors = 132, s.compute_capability = 90, s.shared_bytes = 227 * 1024;
      gp_policy chosen = gp__portable(gp_policy(), &s);
      const bool bound = primitive != GP_GATHER;
      check(chosen.algorithm == (bound ? row.algorithm : GP_DIRECT) && gp__policy_valid(chosen, &s) &&
              gp__geometry_of(chosen, &s, 0).scratch == (bound ? row.scratch : 0),
          __LINE__, "%d needles of %d bytes in %d: algorithm %d", int(row.count), row.size, int(row.length),
          chosen.algorithm);
      chosen.algorithm = GP_TWO_PHASE;
      CHECK(gp__policy_valid(chosen, &s) == (bound && (row.size == 4 || row.size == 8)));
    }
  p = small(GP_MERGE_PATH), p.store = 0;
  GOOD(gp_prepare(ctx, &c));
  GOOD(gp_policy_echo(ctx, &c, &said));
  CHECK(said.algorithm == GP_MERGE_PATH && said.threads == 128 && said.vectors == 1 && said.blocks_per_sm == 1);
  CLOSE(ctx);
}

int main(int argc, char **argv) {
  return run_groups(argc, argv,
      {{"contexts", test_contexts}, {"definitions", test_definitions}, {"results", test_results},
          {"policies", test_policies}, {"trim", test_trim}, {"bounded workspaces", test_bounded}, {"lent", test_lent},
          {"own work", test_own_work}, {"workspaces", test_workspaces}, {"room", test_room}, {"faults", test_faults},
          {"cache", test_disk_cache}, {"cache limit", test_cache_limit}, {"few kernels", test_few_kernels},
          {"texts", test_texts}, {"bundles", test_bundles}, {"threads", test_threads}, {"fork", test_fork},
          {"rows of arrays", test_rows_of_arrays}, {"more results", test_more_results},
          {"more policies", test_more_policies}, {"more faults", test_more_faults}, {"launches", test_launches},
          {"clustered histograms", test_clustered_histograms}, {"clusters refused", test_clusters_refused},
          {"speed", test_speed}});
}
