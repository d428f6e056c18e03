// test_inputs.cpp - calls with described inputs: on the emulated driver, whose kernels the emulator runs, on the host
// back end, and what their checks refuse (C++17). Usage: PROGRAM [name of a group].
#include "dispatch_test.h"

#include <algorithm>
#include <numeric>

struct Dot { // in struct text too
  float x;
  int i;
};
static const char *const pair_text = "struct Dot { float x; int i; };";
struct Weigh {
  int operator()(Dot a, short b) const { return int(a.x) * b + a.i; }
};
typedef Weigh gp__op_of_part_4; // of the call in `nested`
struct Whole {
  bool operator()(float a) const { return a == float(int(a / 2)) * 2; }
};
typedef Whole gp__op_2; // the second predicate of a stencil

FAKE_KERNEL(gp__with_input<gp__map_args>,
    gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>,
        gp__described<gp__stateless<gp_convert<float, float>>,
            gp__input_gathered<gp__input_array<float, 0>, gp__input_array<int, 1>>>,
        float, gp__none, float>);
FAKE_KERNEL(gp__with_input<gp__map_args>,
    gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>,
        gp__described<gp__stateless<gp_negate<int, float>>, gp__input_ramp<int, 0>>, int, gp__none, float>);
FAKE_KERNEL(gp__with_input<gp__map_args>,
    gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>,
        gp__described<gp__stateless<gp__binary<gp_sub<int>, int, int, int>>, gp__from_array, gp__input_strided<int, 0>>,
        int, int, int>);
FAKE_KERNEL(gp__with_input<gp__map_args>,
    gp__map_kernel<gp__policy<128, 1, 3, 3, 0, 0, 2>,
        gp__described<gp__stateless<gp__binary<gp_sub<int>, int, int, int>>, gp__input_constant<int, 0>,
            gp__input_strided<int, 0>>,
        int, int, int>);
FAKE_KERNEL(gp__with_input<gp__reduce_args>,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_sum<double>,
        gp__described<gp__load<float, double, gp_convert<float, double>>,
            gp__input_mapped<gp__binary<gp_prod<float>, float, float, float>, float, gp__input_array<float, 0>,
                gp__input_array<float, 1>>>,
        float, double, double>);
FAKE_KERNEL(gp__with_input<gp__reduce_args>,
    gp__reduce_even_share<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp_sum<unsigned long long>,
        gp__described<gp__counted<int, gp__compare<gp_less<int>>>,
            gp__input_mapped<gp_abs<int, int>, int, gp__input_array<int, 0>>>,
        int, unsigned long long, unsigned long long>);
FAKE_KERNEL(gp__with_input<gp__find_args>,
    gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>,
        gp__find_described<int, gp__compare<gp_less<int>>, true,
            gp__input_mapped<gp_abs<int, int>, int, gp__input_array<int, 0>>>,
        GP__FIND_INDEX>);
FAKE_KERNEL(gp__with_input<gp__find_args>,
    gp__find<gp__policy<128, 1, 3, 3, 0, 1, 2>,
        gp__find_described<int, gp__compare<gp_less<int>>, false,
            gp__input_mapped<gp_abs<int, int>, int, gp__input_array<int, 0>>>,
        GP__FIND_NONE>);
FAKE_KERNEL(gp__with_input<gp__scan_args>,
    gp__scan_look_back<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>,
        gp__described<gp__load<int, int, gp_convert<int, int>>,
            gp__input_mapped<gp__op_of_part_4, int,
                gp__input_zipped<Dot, gp__input_array<float, 0>, gp__input_ramp<int, 0>>, gp__input_array<short, 1>>>,
        int, int, int>);

FAKE_KERNEL(gp__with_input<gp__histogram_args>,
    gp__histogram<gp__policy<128, 1, 3, 3, 0, 1, 2>, GP_SHARED_BINS, gp__even_bins<int>, int, gp__none, unsigned int,
        gp__described<gp__stateless<gp__none>, gp__input_mapped<gp_abs<int, int>, int, gp__input_array<int, 0>>>>);
FAKE_KERNEL(gp__with_input<gp__search_args>,
    gp__bound<gp__policy<128, 1, 3, 3, 0, 4, 2>, false, float, gp_less<float>, unsigned int,
        gp__described<gp__stateless<gp__none>,
            gp__input_gathered<gp__input_array<float, 0>, gp__input_array<int, 1>>>>);
// A sparse matrix times a vector, by merge path and by lanes.
FAKE_KERNEL(gp__with_input<gp__segment_args>,
    gp__segmented_reduce<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__offset_ends<unsigned int>, gp_sum<double>,
        gp__described<gp__load<float, double, gp_convert<float, double>>,
            gp__input_mapped<gp__binary<gp_prod<float>, float, float, float>, float, gp__input_array<float, 0>,
                gp__input_gathered<gp__input_array<float, 1>, gp__input_array<int, 2>>>>,
        float, double, double>);
FAKE_KERNEL(gp__with_input<gp__segment_args>,
    gp__warp_segments<gp__policy<128, 1, 3, 3, 0, 1, 2>, gp__offset_ends<unsigned int>, gp_sum<double>,
        gp__described<gp__load<float, double, gp_convert<float, double>>,
            gp__input_mapped<gp__binary<gp_prod<float>, float, float, float>, float, gp__input_array<float, 0>,
                gp__input_gathered<gp__input_array<float, 1>, gp__input_array<int, 2>>>>,
        float, double, double>);
FAKE_KERNEL(gp__with_input<gp__stream_args>,
    gp__stream_look_back<gp__policy<128, 1, 3, 3, 2, 1, 2>,
        gp__select_at<1, long long, unsigned char, gp__flag<unsigned char>, gp__none, gp__input_ramp<long long, 0>>>);
FAKE_KERNEL(gp__with_input<gp__stream_args>,
    gp__stream_look_back<gp__policy<128, 1, 3, 3, 2, 1, 2>,
        gp__select_at<1, unsigned int, float, gp__compare<gp_less<float>>, gp__none, gp__input_ramp<unsigned int, 0>>>);
FAKE_KERNEL(gp__with_input<gp__stream_args>,
    gp__stream_look_back<gp__policy<128, 1, 3, 3, 2, 1, 2>,
        gp__select_at<3, int, float, gp__compare<gp_less<float>>, gp__test<gp__op_2, float>, gp__input_array<int, 0>>>);
FAKE_KERNEL(gp__stream_args,
    gp__stream_look_back<gp__policy<128, 1, 3, 3, 2, 1, 2>,
        gp__select<1, int, float, gp__compare<gp_less<float>>, gp__none>>);
FAKE_KERNEL(gp__with_input<gp__stream_args>,
    gp__stream_look_back<gp__policy<128, 1, 3, 3, 2, 1, 2>,
        gp__fed<gp__runs<GP_UNIQUE, gp__key_heads<int, gp_equal<int>>, long long, gp__none>,
            gp__input_ramp<long long, 0>>>);
FAKE_KERNEL(gp__with_input<gp__stream_args>,
    gp__stream_look_back<gp__policy<128, 1, 3, 3, 2, 1, 2>,
        gp__fed<gp__select<2, float, gp__none, gp__compare<gp_less<float>>, gp__none>,
            gp__input_gathered<gp__input_array<float, 0>, gp__input_array<int, 1>>>>);
FAKE_KERNEL(gp__with_input<gp__stream_args>,
    gp__stream_look_back<gp__policy<128, 1, 3, 3, 2, 1, 2>,
        gp__fed<gp__by_key<GP_REDUCE_BY_KEY, false, gp__key_heads<int, gp_equal<int>>, gp_sum<double>,
                    gp__load<float, double, gp_convert<float, double>>, float, double, double>,
            gp__input_mapped<gp__binary<gp_prod<float>, float, float, float>, float, gp__input_array<float, 0>,
                gp__input_array<float, 1>>>>);

static void fill(std::vector<int> &v, unsigned seed) {
  for (auto &x : v) seed = seed * 1664525 + 1013904223, x = int(seed >> 20) % 2000 - 1000;
}
static std::vector<int> ints(size_t n, unsigned seed) {
  std::vector<int> v(n);
  fill(v, seed);
  return v;
}
static std::vector<float> floats(size_t n, unsigned seed) {
  const std::vector<int> v = ints(n, seed);
  return std::vector<float>(v.begin(), v.end());
}

static void whole_on_host(void *, void *r, const void *a, const void *) {
  *static_cast<unsigned char *>(r) = Whole()(*static_cast<const float *>(a));
}
static void weigh_on_host(void *, void *r, const void *a, const void *b) {
  const int x = Weigh()(*static_cast<const Dot *>(a), *static_cast<const short *>(b));
  memcpy(r, &x, sizeof x);
}

// The same calls for both back ends.
template<template<class> class Buffer> static void calls(gp_context *ctx, bool emulated) {
  const gp_policy direct = small(GP_DIRECT), even = small(GP_EVEN_SHARE), look_back = small(GP_LOOK_BACK);
  const size_t n = 3001;
  const auto run = [&](gp_call &c, const gp_policy &p) {
    c.policy = emulated ? &p : nullptr;
    return gp_run(ctx, &c, nullptr);
  };
  const std::vector<float> x = floats(n, 1), y = floats(n, 2);
  std::vector<int> index = ints(n, 3), v = ints(2 * n, 4);
  for (auto &i : index) i = (i + 1000) % int(n);
  Buffer<float> dx(x), dy(y), out(n);
  Buffer<int> di(index), dv(v), sums(n);
  const gp_input a = gp_input_array(GP_F32, dx.data), b = gp_input_array(GP_F32, dy.data);
  const gp_input i = gp_input_array(GP_I32, di.data);

  const gp_input gathered = gp_input_gathered(&a, &i);
  gp_call c = fold_call(GP_COPY, GP_OP_DEFAULT, GP_INPUT, GP_TYPE_DEFAULT, &gathered, out.data, n);
  GOOD(run(c, direct));
  bool good = true;
  for (size_t k = 0; k < n; ++k) good &= out.data[k] == x[size_t(index[k])];
  CHECK(good);

  const int start = 5, step = -3;
  const gp_input ramp = gp_input_ramp(GP_I32, &start, &step);
  c = fold_call(GP_TRANSFORM, GP_NEGATE, GP_INPUT, GP_F32, &ramp, out.data, n);
  GOOD(run(c, direct));
  for (size_t k = 0; k < n; ++k) good &= out.data[k] == -float(5 - 3 * int(k));
  CHECK(good);

  const gp_input odd = gp_input_strided(GP_I32, dv.data + 1, 2); // in2_type is in_type, unless it is set
  c = fold_call(GP_TRANSFORM2, GP_SUB, GP_I32, GP_I32, dv.data, sums.data, n);
  c.in2 = &odd, c.in2_type = GP_INPUT;
  GOOD(run(c, direct));
  for (size_t k = 0; k < n; ++k) good &= sums.data[k] == v[k] - v[2 * k + 1];
  CHECK(good);
  const int ten = 10;
  const gp_input backwards = gp_input_strided(GP_I32, dv.data + n - 1, -1), tens = gp_input_constant(GP_I32, &ten);
  c = fold_call(GP_TRANSFORM2, GP_SUB, GP_INPUT, GP_I32, &tens, sums.data, n);
  c.in2 = &backwards;
  GOOD(run(c, direct));
  for (size_t k = 0; k < n; ++k) good &= sums.data[k] == 10 - v[n - 1 - k];
  CHECK(good);

  // A prepared call takes a new pointer, stride and value with every run.
  gp_prepared *prepared;
  GOOD(gp_prepared_open(ctx, &c, &prepared));
  for (const int value : {3, 4, 4}) {
    const gp_input constants = gp_input_constant(GP_I32, &value);
    const gp_input part = gp_input_strided(GP_I32, dv.data + value, value == 4 ? 1 : 2);
    c.in = &constants, c.in2 = &part, c.count = n - 10;
    GOOD(gp_prepared_run(prepared, &c, nullptr));
    for (size_t k = 0; k < n - 10; ++k) good &= sums.data[k] == value - v[size_t(value) + k * (value == 4 ? 1 : 2)];
    CHECK(good);
  }
  GOOD(gp_prepared_close(prepared));

  Buffer<double> dot(1);
  const gp_input xy = gp_input_of_two(GP_PROD, GP_F32, &a, &b);
  c = fold_call(GP_REDUCE, GP_SUM, GP_INPUT, GP_F64, &xy, dot.data, n);
  GOOD(run(c, even));
  double expected = 0;
  for (size_t k = 0; k < n; ++k) expected += double(x[k] * y[k]);
  CHECK(*dot.data == expected);
  c.count = 0; // the identity
  GOOD(run(c, even));
  CHECK(*dot.data == 0);

  // Rows of a sparse matrix, some empty, times a vector.
  std::vector<int> rows(1, 0);
  while (rows.back() < int(n)) rows.push_back(std::min(int(n), rows.back() + index[rows.size()] % 9));
  Buffer<int> row_offsets(rows);
  Buffer<double> products(rows.size());
  const gp_input at_columns = gp_input_gathered(&b, &i);
  const gp_input entries = gp_input_of_two(GP_PROD, GP_F32, &a, &at_columns);
  for (const int algorithm : {GP_MERGE_PATH, GP_WARP_SEGMENTS}) {
    const gp_policy p = small(algorithm);
    c = fold_call(GP_SEGMENTED_REDUCE, GP_SUM, GP_INPUT, GP_F64, &entries, products.data, n);
    c.begin = row_offsets.data, c.offset_type = GP_I32, c.segments = rows.size() - 1;
    GOOD(run(c, p));
    for (size_t r = 0; r + 1 < rows.size(); ++r) {
      double row = 0;
      for (int k = rows[r]; k < rows[r + 1]; ++k) row += double(x[size_t(k)] * y[size_t(index[size_t(k)])]);
      good &= products.data[r] == row;
      products.data[r] = -1;
    }
    CHECK(good);
  }

  Buffer<uint64_t> count(1);
  const gp_input whole = gp_input_array(GP_I32, dv.data), sizes = gp_input_of_one(GP_ABS, GP_I32, &whole);
  const int limit = 300;
  c = fold_call(GP_COUNT_IF, GP_LESS, GP_INPUT, GP_TYPE_DEFAULT, &sizes, nullptr, n);
  c.scalar = &limit, c.out_count = count.data;
  GOOD(run(c, even));
  uint64_t less = 0;
  for (size_t k = 0; k < n; ++k) less += abs(v[k]) < limit;
  CHECK(*count.data == less);
  const gp_policy steal = small(GP_STEALING);
  c = fold_call(GP_FIND_IF, GP_LESS, GP_INPUT, GP_TYPE_DEFAULT, &sizes, nullptr, n);
  c.scalar = &limit, c.out_count = count.data;
  GOOD(run(c, steal));
  uint64_t first = 0;
  while (first < n && abs(v[first]) >= limit) ++first;
  CHECK(*count.data == first);
  Buffer<uint8_t> truth(1);
  c = fold_call(GP_ALL, GP_LESS, GP_INPUT, GP_TYPE_DEFAULT, &sizes, truth.data, n);
  c.scalar = &limit;
  GOOD(run(c, steal));
  CHECK(*truth.data == (less == n));

  // A histogram of sizes, and a search for gathered elements.
  const gp_policy shared_bins = small(GP_SHARED_BINS);
  const int least = 100, limit_of_bins = 900;
  Buffer<unsigned> bins(40);
  c = fold_call(GP_HISTOGRAM_EVEN, GP_OP_DEFAULT, GP_INPUT, GP_U32, &sizes, bins.data, n);
  c.bins = 40, c.lower = &least, c.upper = &limit_of_bins;
  GOOD(run(c, shared_bins));
  std::vector<unsigned> in_bin(40);
  for (size_t k = 0; k < n; ++k)
    if (abs(v[k]) >= least && abs(v[k]) < limit_of_bins) ++in_bin[size_t(abs(v[k]) - least) / 20];
  CHECK(memcmp(bins.data, in_bin.data(), sizeof(unsigned) * 40) == 0);
  c.channels = 3;
  BAD(GP_E_UNSUPPORTED, "channels is 3: described samples (GP_INPUT) have one channel", gp_run(ctx, &c, nullptr));
  std::vector<float> rising = x;
  std::sort(rising.begin(), rising.end());
  Buffer<float> dsorted(rising);
  Buffer<unsigned> places_of(n);
  c = fold_call(GP_LOWER_BOUND, GP_OP_DEFAULT, GP_INPUT, GP_U32, &gathered, places_of.data, n);
  c.keys = dsorted.data, c.key_count = n;
  GOOD(run(c, direct));
  for (size_t k = 0; k < n; ++k)
    good &= places_of.data[k] == std::lower_bound(rising.begin(), rising.end(), x[size_t(index[k])]) - rising.begin();
  CHECK(good);

  // Nested, with a struct and an operator of the user's.
  const gp_type pair = define(ctx, "Dot", pair_text, sizeof(Dot), alignof(Dot));
  gp_op_desc d = gp_op_desc_init();
  gp_op weigh;
  d.name = "weigh", d.body = "return int(a.x) * b + a.i;", d.host = weigh_on_host, d.arity = 2;
  GOOD(gp_op_define(ctx, &d, &weigh));
  std::vector<short> weights(n);
  for (size_t k = 0; k < n; ++k) weights[k] = short(index[k] % 7 - 3);
  Buffer<short> dw(weights);
  const gp_input w = gp_input_array(GP_I16, dw.data), k0 = gp_input_ramp(GP_I32, nullptr, nullptr);
  const gp_input zipped = gp_input_zipped(pair, &a, &k0, nullptr, nullptr);
  const gp_input nested = gp_input_of_two(weigh, GP_I32, &zipped, &w);
  c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_INPUT, GP_I32, &nested, sums.data, n);
  GOOD(run(c, look_back));
  int sum = 0;
  for (size_t k = 0; k < n; ++k) sum += int(x[k]) * weights[k] + int(k), good &= sums.data[k] == sum;
  CHECK(good);

  // The indices of what is marked.
  gp_policy stream = look_back;
  stream.stages = 2;
  std::vector<unsigned char> marks(n);
  for (size_t k = 0; k < n; ++k) marks[k] = index[k] % 3 == 0;
  Buffer<unsigned char> flags(marks);
  Buffer<long long> where(n);
  const gp_input everywhere = gp_input_ramp(GP_I64, nullptr, nullptr);
  c = fold_call(GP_SELECT, GP_OP_DEFAULT, GP_INPUT, GP_TYPE_DEFAULT, &everywhere, where.data, n);
  c.key_type = GP_U8, c.keys = flags.data, c.out_count = count.data;
  GOOD(run(c, stream));
  size_t found = 0;
  for (size_t k = 0; k < n; ++k)
    if (marks[k]) good &= where.data[found++] == (long long)k;
  CHECK(good && *count.data == found && found > 0);
  // A stencil of floats: the integers beside those that are negative, and their indices.
  const float zero = 0;
  Buffer<unsigned> chosen(n);
  c = fold_call(GP_SELECT, GP_LESS, GP_I32, GP_TYPE_DEFAULT, dv.data, sums.data, n);
  c.key_type = GP_F32, c.keys = dx.data, c.scalar = &zero, c.out_count = count.data;
  GOOD(run(c, stream));
  found = 0;
  for (size_t k = 0; k < n; ++k)
    if (x[k] < 0) good &= sums.data[found++] == v[k];
  CHECK(good && *count.data == found && found > 0);
  const gp_input places = gp_input_ramp(GP_U32, nullptr, nullptr);
  c.in_type = GP_INPUT, c.in = &places, c.out = chosen.data;
  GOOD(run(c, stream));
  found = 0;
  for (size_t k = 0; k < n; ++k)
    if (x[k] < 0) good &= chosen.data[found++] == k;
  CHECK(good && *count.data == found);
  // Three parts by a stencil; the second predicate is the user's.
  Buffer<int> second(n), third(n);
  Buffer<uint64_t> three(3);
  gp_op_desc is_whole = gp_op_desc_init();
  gp_op test;
  is_whole.name = "even", is_whole.body = "return a == float(int(a / 2)) * 2;", is_whole.arity = 1;
  is_whole.host = whole_on_host;
  GOOD(gp_op_define(ctx, &is_whole, &test));
  const gp_input described = gp_input_array(GP_I32, dv.data);
  c = fold_call(GP_PARTITION, GP_LESS, GP_INPUT, GP_TYPE_DEFAULT, &described, sums.data, n);
  c.key_type = GP_F32, c.keys = dx.data, c.scalar = &zero, c.predicate2 = test;
  c.out2 = second.data, c.out3 = third.data, c.out_count = three.data;
  GOOD(run(c, stream));
  size_t parts[3] = {0, 0, 0};
  const int *const to[3] = {sums.data, second.data, third.data};
  for (size_t k = 0; k < n; ++k) {
    const int p = x[k] < 0 ? 0 : Whole()(x[k]) ? 1 : 2;
    good &= to[p][parts[p]++] == v[k];
  }
  for (int p = 0; p < 3; ++p) good &= three.data[p] == parts[p] && parts[p] > 0;
  CHECK(good);
  // Gathered elements on either side of a number.
  Buffer<float> rest(n);
  Buffer<uint64_t> counts(2);
  c = fold_call(GP_PARTITION, GP_LESS, GP_INPUT, GP_TYPE_DEFAULT, &gathered, out.data, n);
  c.scalar = &zero, c.out2 = rest.data, c.out_count = counts.data;
  GOOD(run(c, stream));
  size_t low = 0, high = 0;
  for (size_t k = 0; k < n; ++k) {
    const float value = x[size_t(index[k])];
    good &= value < 0 ? out.data[low++] == value : rest.data[high++] == value;
  }
  CHECK(good && counts.data[0] == low && counts.data[1] == high && low && high);
  // The first index of each run of keys, below.
  std::vector<int> first_keys(n);
  for (size_t k = 0; k < n; ++k) first_keys[k] = int(k / 5 - k / 13);
  Buffer<int> dfirst(first_keys), of_run(n);
  c = fold_call(GP_UNIQUE, GP_OP_DEFAULT, GP_INPUT, GP_TYPE_DEFAULT, &everywhere, where.data, n);
  c.key_type = GP_I32, c.keys = dfirst.data, c.out_keys = of_run.data, c.out_count = count.data;
  GOOD(run(c, stream));
  found = 0;
  for (size_t k = 0; k < n; ++k)
    if (k == 0 || first_keys[k] != first_keys[k - 1])
      good &= of_run.data[found] == first_keys[k] && where.data[found] == (long long)k, ++found;
  CHECK(good && *count.data == found && found > 10);
  // Products, summed over runs of keys.
  std::vector<int> keys(n);
  for (size_t k = 0; k < n; ++k) keys[k] = int(k / 7 - k / 11);
  Buffer<int> dk(keys);
  Buffer<double> totals(n);
  c = fold_call(GP_REDUCE_BY_KEY, GP_SUM, GP_INPUT, GP_F64, &xy, totals.data, n);
  c.key_type = GP_I32, c.keys = dk.data, c.out_count = count.data;
  GOOD(run(c, stream));
  size_t runs = 0;
  for (size_t k = 0; k < n; ++runs) {
    double total = 0;
    const int key = keys[k];
    for (; k < n && keys[k] == key; ++k) total += double(x[k] * y[k]);
    good &= totals.data[runs] == total;
  }
  CHECK(good && *count.data == runs);
  // Sorts write a described input first, and not beyond the count on the device.
  const gp_input back = gp_input_strided(GP_I32, dv.data + 2 * n - 1, -1);
  const gp_input places_to = gp_input_ramp(GP_U32, nullptr, nullptr);
  Buffer<unsigned> moved(n);
  *count.data = n - 9;
  c = fold_call(GP_SORT, GP_OP_DEFAULT, GP_INPUT, GP_TYPE_DEFAULT, &places_to, moved.data, n);
  c.key_type = GP_INPUT, c.keys = &back, c.out_keys = sums.data, c.count_device = count.data;
  for (size_t k = 0; k < n; ++k) sums.data[k] = 77, moved.data[k] = 77;
  check(simt::error().empty(), __LINE__, "%s", simt::error().c_str());
  if (emulated) return; // test_policies.cpp runs the kernels of sorts
  GOOD(gp_run(ctx, &c, nullptr));
  std::vector<std::pair<int, unsigned>> sorted(n - 9);
  for (size_t k = 0; k < n - 9; ++k) sorted[k] = {v[2 * n - 1 - k], unsigned(k)};
  std::sort(sorted.begin(), sorted.end());
  good = true;
  for (size_t k = 0; k < n; ++k)
    good &= k < n - 9 ? sums.data[k] == sorted[k].first && moved.data[k] == sorted[k].second
        : sums.data[k] == 77 && moved.data[k] == 77;
  CHECK(good);
}

template<class T> struct Plain {
  std::vector<T> room;
  T *data;
  explicit Plain(size_t n) : room(n), data(room.data()) {}
  explicit Plain(const std::vector<T> &v) : room(v), data(room.data()) {}
};
static void test_emulated() {
  gp_context *ctx = open_fake();
  calls<Device>(ctx, true);
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CLOSE(ctx);
}
static gp_context *open_host() {
  gp_config k = gp_config_init();
  gp_context *ctx = nullptr;
  k.backend = GP_BACKEND_HOST, k.cache_dir = "";
  GOOD(gp_open(&k, &ctx));
  return ctx;
}
static void test_host() {
  gp_context *ctx = open_host();
  calls<Plain>(ctx, false);
  // The members of a struct are where C has them.
  struct Mixed {
    unsigned char a;
    int b;
    short c;
    int64_t d;
  };
  const gp_type mixed = define(ctx, "Mixed", nullptr, sizeof(Mixed), alignof(Mixed));
  const std::vector<unsigned char> small_ones = {1, 2, 3};
  const std::vector<int> large_ones = {-7, 8, -9};
  const std::vector<short> shorts = {300, -301, 302};
  const gp_input ma = gp_input_array(GP_U8, small_ones.data()), mb = gp_input_array(GP_I32, large_ones.data());
  const gp_input mc = gp_input_array(GP_I16, shorts.data()), md = gp_input_ramp(GP_I64, nullptr, nullptr);
  const gp_input whole = gp_input_zipped(mixed, &ma, &mb, &mc, &md);
  Mixed made[3];
  GOOD(gp_copy(ctx, GP_INPUT, &whole, 3, made, nullptr));
  for (int k = 0; k < 3; ++k)
    CHECK(made[k].a == k + 1 && made[k].b == large_ones[size_t(k)] && made[k].c == shorts[size_t(k)] && made[k].d == k);
  // The calls by name.
  std::vector<int64_t> indices(10);
  std::vector<int> kept(10);
  const std::vector<float> tested = {1, -2, 3, -4, 5};
  const std::vector<int> beside = {10, 11, 12, 13, 14};
  const float two = 2;
  uint64_t number = 0;
  GOOD(gp_select_indices(ctx, GP_GREATER, GP_F32, GP_I64, &two, tested.data(), 5, indices.data(), &number, nullptr));
  CHECK(number == 2 && indices[0] == 2 && indices[1] == 4);
  GOOD(gp_select_stencil(
      ctx, GP_GREATER, GP_F32, GP_I32, &two, tested.data(), beside.data(), 5, kept.data(), &number, nullptr));
  CHECK(number == 2 && kept[0] == 12 && kept[1] == 14);
  BAD(GP_E_TYPE, "index_type is 12, not i32",
      gp_select_indices(ctx, GP_GREATER, GP_F32, GP_F64, &two, tested.data(), 5, kept.data(), &number, nullptr));
  BAD(GP_E_SIZE, "too large for u32 indices",
      gp_select_indices(
          ctx, GP_GREATER, GP_F32, GP_U32, &two, tested.data(), (1ull << 32) + 1, kept.data(), &number, nullptr));
  BAD(GP_E_NULL, "stencil",
      gp_select_stencil(
          ctx, GP_GREATER, GP_F32, GP_I32, &two, nullptr, beside.data(), 5, kept.data(), &number, nullptr));
  // Every built-in operator of a mapped input does what the call of that operator does.
  const std::vector<int> p = ints(500, 8), q = ints(500, 9);
  std::vector<float> mapped(500), called(500);
  const gp_input a = gp_input_array(GP_I32, p.data()), b = gp_input_array(GP_I32, q.data());
  for (gp_op op : {GP_SUM, GP_PROD, GP_MIN, GP_MAX, GP_AND, GP_OR, GP_SUB}) {
    const gp_input both = gp_input_of_two(op, GP_F32, &a, &b);
    GOOD(gp_copy(ctx, GP_INPUT, &both, 500, mapped.data(), nullptr));
    GOOD(gp_transform2(ctx, op, GP_I32, GP_F32, p.data(), q.data(), 500, called.data(), nullptr));
    CHECK(mapped == called);
  }
  for (gp_op op : {GP_CONVERT, GP_NEGATE, GP_ABS, GP_SQUARE, GP_NOT}) {
    const gp_input one = gp_input_of_one(op, GP_F32, &a);
    GOOD(gp_copy(ctx, GP_INPUT, &one, 500, mapped.data(), nullptr));
    GOOD(gp_transform(ctx, op, GP_I32, GP_F32, p.data(), 500, called.data(), nullptr));
    CHECK(mapped == called);
  }
  CLOSE(ctx);
}

// Kernels differ in kinds, types and operators; pointers, strides and values are arguments.
static void test_kernels() {
  gp_context *ctx = open_fake();
  fake::machine.run = false;
  Device<int> v(std::vector<int>(64, 1)), w(64), out(64);
  const auto run = [&](const gp_input &in) {
    GOOD(gp_copy(ctx, GP_INPUT, &in, 8, out.data, nullptr));
    return fake::modules.size();
  };
  const int one = 1, two = 2;
  const gp_input a = gp_input_array(GP_I32, v.data), b = gp_input_array(GP_I32, w.data);
  const size_t first = run(gp_input_of_two(GP_SUM, GP_I32, &a, &b));
  CHECK(run(gp_input_of_two(GP_SUM, GP_I32, &b, &a)) == first);
  CHECK(run(gp_input_of_two(GP_PROD, GP_I32, &a, &b)) == first + 1);
  const gp_input strided = gp_input_strided(GP_I32, v.data, 2), other = gp_input_strided(GP_I32, v.data, 3);
  const size_t second = run(strided);
  CHECK(second > first && run(other) == second);
  const gp_input c = gp_input_constant(GP_I32, &one), d = gp_input_constant(GP_I32, &two);
  const size_t third = run(c);
  CHECK(third == second + 1 && run(d) == third);
  const gp_input ramp = gp_input_ramp(GP_I32, &one, &two);
  CHECK(run(ramp) == third + 1);
  CHECK(run(a) == third + 2); // an array that is described is read as one, by another kernel than gp_copy's
  // A map that reads no array is launched as a fill is, and an arg-reduction as another reduction of its elements.
  const auto policy_of = [&](gp_primitive p, gp_op op, const gp_input *in, uint64_t count) {
    gp_policy policy;
    gp_policy_source source;
    const gp_call call = fold_call(p, op, in ? GP_INPUT : GP_I64, GP_I64, in ? static_cast<const void *>(in) : v.data,
        reinterpret_cast<void *>(uintptr_t(1) << 50), count);
    GOOD(gp_policy_origin(ctx, &call, &policy, &source));
    return policy;
  };
  const gp_input index = gp_input_ramp(GP_I64, nullptr, nullptr), longs = gp_input_array(GP_I64, v.data);
  const gp_policy tabulates = policy_of(GP_TRANSFORM, GP_SQUARE, &index, 1 << 20);
  const gp_policy reads = policy_of(GP_TRANSFORM, GP_SQUARE, &longs, 1 << 20);
  CHECK(tabulates.vectors == 4 && tabulates.store == GP_CACHE_STREAMING);
  CHECK(reads.vectors == 1 && reads.store == GP_CACHE_ALL);
  for (uint64_t count : {1000, 50003, 1 << 20}) {
    const gp_policy most = policy_of(GP_REDUCE, GP_MAX, nullptr, count),
                    where = policy_of(GP_REDUCE, GP_ARGMAX, nullptr, count);
    CHECK(memcmp(&most, &where, sizeof most) == 0);
  }
  // Room is known without elements, but not without a description.
  uint64_t bytes = 1;
  gp_call ask = fold_call(GP_REDUCE, GP_SUM, GP_INPUT, GP_I32, nullptr, nullptr, 1 << 20);
  BAD(GP_E_NULL, "in_type is GP_INPUT, but the gp_input is null", gp_workspace_size(ctx, &ask, &bytes));
  const gp_input nowhere = gp_input_array(GP_I32, nullptr), unset = gp_input_constant(GP_I32, nullptr);
  const gp_input sum = gp_input_of_two(GP_SUM, GP_I32, &nowhere, &unset);
  ask.in = &sum;
  GOOD(gp_workspace_size(ctx, &ask, &bytes));
  CHECK(bytes > 0);
  fake::machine.run = true;
  CLOSE(ctx);
}

static void test_refused() {
  gp_context *ctx = open_fake();
  Device<int> v(64), out(64);
  const gp_type pair = define(ctx, "Dot", pair_text, sizeof(Dot), alignof(Dot));
  const gp_input a = gp_input_array(GP_I32, v.data), f = gp_input_array(GP_F32, v.data);
  const auto copy = [&](const gp_input &in, gp_type type = GP_TYPE_DEFAULT, uint64_t count = 8) {
    const gp_call c = fold_call(GP_COPY, GP_OP_DEFAULT, GP_INPUT, type, &in, out.data, count);
    return gp_run(ctx, &c, nullptr);
  };
  gp_input x = a;
  x.kind = gp_input_kind(0);
  BAD(GP_E_ARGUMENT, "in_type: gp_input.kind is 0, not a gp_input_kind", copy(x));
  x = gp_input_array(gp_type(77), v.data);
  BAD(GP_E_TYPE, "in_type: gp_input.type is 77, not a type", copy(x));
  x = gp_input_array(GP_INPUT, v.data);
  BAD(GP_E_TYPE, "gp_input.type is GP_INPUT: this call reads an array there", copy(x));
  BAD(GP_E_NULL, "data of described array 1 is null", copy(gp_input_array(GP_I32, nullptr)));
  BAD(GP_E_ALIGNMENT, "data of described array 1", copy(gp_input_array(GP_I32, reinterpret_cast<char *>(v.data) + 2)));
  BAD(GP_E_NULL, "gp_input.start is null", copy(gp_input_constant(GP_I32, nullptr)));
  BAD(GP_E_TYPE, "gp_input.type is a struct type", copy(gp_input_ramp(pair, nullptr, nullptr)));
  BAD(GP_E_SIZE, "at a stride of -9223372036854775808 overflow", copy(gp_input_strided(GP_I32, v.data, INT64_MIN)));
  BAD(GP_E_OVERLAP, "overlap", copy(gp_input_strided(GP_I32, out.data + 10, -1)));
  BAD(GP_E_OVERLAP, "overlap", copy(gp_input_array(GP_I32, out.data)));
  const gp_input behind = gp_input_strided(GP_I32, out.data + 8, 2);
  GOOD(copy(behind));
  x = a, x.b = &a;
  BAD(GP_E_ARGUMENT, "gp_input.b is set, but an input of this kind has no such part", copy(x));
  x = gp_input_gathered(&a, nullptr);
  BAD(GP_E_NULL, "in_type: gp_input.b is null", copy(x));
  BAD(GP_E_TYPE, "gp_input.b is not i32, u32, i64 or u64", copy(gp_input_gathered(&a, &f)));
  x = gp_input_gathered(&f, &a), x.type = GP_I32;
  BAD(GP_E_TYPE, "gp_input.type: it is not the type of gp_input.a", copy(x));
  gp_input base = gp_input_array(GP_I32, out.data + 20); // how many elements it has, only the caller knows
  GOOD(copy(gp_input_gathered(&base, &a)));
  base = gp_input_array(GP_I32, out.data), base.count = 4;
  BAD(GP_E_OVERLAP, "data of described array 1 and out overlap", copy(gp_input_gathered(&base, &a)));
  BAD(GP_E_OPERATOR, "gp_input.op is not set", copy(gp_input_of_one(GP_OP_DEFAULT, GP_I32, &a)));
  BAD(GP_E_OPERATOR, "is unary, not binary", copy(gp_input_of_two(GP_NEGATE, GP_I32, &a, &a)));
  BAD(GP_E_OPERATOR, "gp_input.op: ARGMIN is for reduce and scan only",
      copy(gp_input_of_two(GP_ARGMIN, GP_I32, &a, &a)));
  BAD(GP_E_OPERATOR, "BIT_AND works on integers and bool only", copy(gp_input_of_two(GP_BIT_AND, GP_F32, &a, &a)));
  const gp_input two = gp_input_zipped(pair, &f, &a, nullptr, nullptr);
  BAD(GP_E_OPERATOR, "NEGATE does not work on struct types", copy(gp_input_of_one(GP_NEGATE, GP_I32, &two)));
  BAD(GP_E_TYPE, "the parts make a struct of 12 bytes, and the type has 8",
      copy(gp_input_zipped(pair, &f, &a, &a, nullptr)));
  BAD(GP_E_TYPE, "the parts make a struct of 8 bytes", copy(gp_input_zipped(GP_I64, &a, &a, nullptr, nullptr)));
  const gp_input unknown = gp_input_of_one(gp_op(77), GP_I32, &a), left = gp_input_of_two(GP_SUM, GP_I32, &a, &unknown);
  BAD(GP_E_OPERATOR, "gp_input.a.b.op is 77", copy(gp_input_of_one(GP_ABS, GP_I32, &left)));
  // Too many of a sort.
  std::vector<gp_input> chain(40, a);
  for (size_t k = 1; k < chain.size(); ++k) chain[k] = gp_input_of_one(GP_NEGATE, GP_I32, &chain[k - 1]);
  GOOD(copy(chain[GP_INPUT_PARTS - 1]));
  BAD(GP_E_ARGUMENT, "more than 16 parts", copy(chain[GP_INPUT_PARTS]));
  BAD(GP_E_ARGUMENT, "more than 16 parts", copy(chain[39]));
  gp_input loop = gp_input_of_one(GP_NEGATE, GP_I32, &loop); // it contains itself
  BAD(GP_E_ARGUMENT, "more than 16 parts", copy(loop));
  loop = gp_input_of_two(GP_SUM, GP_I32, &loop, &loop);
  BAD(GP_E_ARGUMENT, "more than 16 parts", copy(loop));
  std::vector<gp_input> sums(8, a);
  for (size_t k = 1; k < sums.size(); ++k) sums[k] = gp_input_of_two(GP_SUM, GP_I32, &sums[k - 1], &a);
  GOOD(copy(sums[5]));
  BAD(GP_E_ARGUMENT, "more than 6 arrays", copy(sums[6]));
  const int one = 1;
  const gp_input constant = gp_input_constant(GP_I32, &one);
  std::vector<gp_input> more(8, constant);
  for (size_t k = 1; k < more.size(); ++k) more[k] = gp_input_of_two(GP_SUM, GP_I32, &more[k - 1], &constant);
  GOOD(copy(more[3]));
  BAD(GP_E_ARGUMENT, "more than 4 constants and ramps", copy(more[4]));
  // Calls that read arrays only, and types that do not meet.
  BAD(GP_E_TYPE, "GP_INPUT: this call reads an array there",
      gp_transpose(ctx, GP_INPUT, &a, 0, 2, 4, out.data, 0, nullptr));
  BAD(GP_E_TYPE, "GP_INPUT: this call reads an array there",
      gp_reduce(ctx, GP_SUM, GP_I32, GP_INPUT, v.data, 8, out.data, nullptr));
  BAD(GP_E_TYPE, "in_type and out_type differ", copy(a, GP_F32));
  const gp_input i64 = gp_input_array(GP_I64, v.data);
  gp_call scan = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_INPUT, GP_I64, &i64, out.data, 8);
  gp_policy p = small(GP_PIPELINED);
  scan.policy = &p;
  BAD(GP_E_POLICY, "", gp_run(ctx, &scan, nullptr)); // no array for bulk copies
  p.stages = 3;
  gp_call segments = fold_call(GP_SEGMENTED_REDUCE, GP_SUM, GP_I64, GP_I64, v.data, out.data, 8);
  segments.segments = 4, segments.segment_length = 2, segments.policy = &p;
  GOOD(gp_run(ctx, &segments, nullptr));
  segments.in = &i64, segments.in_type = GP_INPUT;
  BAD(GP_E_POLICY, "", gp_run(ctx, &segments, nullptr));
  CLOSE(ctx);
}

int main(int argc, char **argv) {
  return run_groups(argc, argv,
      {{"emulated", test_emulated}, {"host", test_host}, {"kernels", test_kernels}, {"refused", test_refused}});
}
