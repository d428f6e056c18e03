// gp_check_sorting.h - gp_check's group "sorting": sorts, merges, sets, top-k, shuffles and group-by on a GPU against
// the host back end, bit for bit: keys of every distribution and of special bits, equal keys, bit ranges, in place,
// captured, on many streams, past 2^31. gp_check_segments.h makes and runs the cases. Included by gp_check.c.
#ifndef GP_CHECK_SORTING_H
#define GP_CHECK_SORTING_H

// All primitives; the first SORTED_EVERYWHERE also with --quick and sanitizers.
static const char *const SORTING_CELLS[] = {
    "sort u32",
    "sort u64",
    "sort u8",
    "sort u16",
    "sort f32 payload=u32 order=descending",
    "sort u32 payload=u32 dist=few",
    "sort u64 payload=u8",
    "sort i32 form=indices dist=zipf",
    "sort u32 payload=u64",
    "sort u32 form=indices payload=u64",
    "sort u32 bits=5:19",
    "sort u16 payload=s16",
    "merge_sort u32",
    "merge_sort u64 payload=u32 dist=few",
    "merge u32",
    "merge u64 payload=u32",
    "set_union u32",
    "set_intersection u32 payload=u32",
    "set_difference u64",
    "set_symmetric_difference u32",
    "is_sorted u32",
    "merge u8",
    "set_union u8 second=20",
    "segmented_sort u32 segments=mixed",
    "segmented_sort u32 segments=uniform:40 payload=u32",
    "segmented_sort u64 segments=pareto:600 order=descending",
    "top_k u32 k=10",
    "top_k f32 k=100 payload=u32",
    "top_k u32 k=7 rows=13 form=indices",
    "segmented_top_k u32 segments=mixed k=20",
    "segmented_top_k f32 segments=pareto:900 k=300 form=indices",
    "nth_element u32",
    "shuffle u32",
    "reverse u32",
    "group_by SUM u32 groups=100",
    "group_by SUM f32 key=u64 groups=3000",
    // more types, values, orders, ranges of bits
    "sort i8 order=descending",
    "sort u32 little=1",
    "sort f32 payload=u32 order=descending little=1",
    "sort u64 form=indices little=1",
    "sort u16 payload=s16 dist=few little=1",
    "merge_sort f32 payload=u32 little=1",
    "sort i16 dist=almost",
    "sort i64 payload=i64",
    "sort f16",
    "sort bf16 payload=u16 dist=few",
    "sort f64 payload=f64",
    "sort f64 form=indices payload=u64",
    "sort u8 payload=u32",
    "sort i8 form=indices",
    "sort u32 payload=s12 dist=constant",
    "sort u32 payload=s16 order=descending",
    "sort u64 payload=u64 dist=high",
    "sort u64 dist=low",
    "sort u32 dist=hot",
    "sort u32 dist=constant",
    "sort u32 payload=u32 dist=constant",
    "sort u32 payload=u32 dist=repeated",
    "sort u64 dist=organ",
    "sort u32 payload=u16 dist=reversed",
    "sort u32 bits=0:1 payload=u32",
    "sort u32 bits=31:32 payload=u32 order=descending",
    "sort u64 bits=13:13 payload=u32",
    "sort u64 bits=30:34 form=indices",
    "sort u64 bits=0:33",
    "sort i32 bits=24:32 payload=u8",
    "sort f32 bits=20:32 payload=u32",
    "sort u8 bits=2:7",
    "sort u16 bits=7:9 payload=u32 order=descending",
    "merge_sort f32 dist=few payload=u16",
    "merge_sort i8",
    "merge_sort u16 form=indices dist=zipf",
    "merge_sort f64 dist=reversed",
    "merge_sort u32 payload=s16 dist=constant",
    "merge u8 second=0",
    "merge f32 second=100",
    "merge u32 second=1 payload=u8",
    "merge u32 dist=constant payload=u32 second=30",
    "merge f64 dist=sorted",
    "merge u64 payload=s16 second=70",
    "set_union u32 dist=constant second=70 payload=u32",
    "set_union f32 payload=s16",
    "set_intersection u64 second=10",
    "set_intersection u16 dist=constant second=60",
    "set_difference u32 dist=constant second=20 payload=u32",
    "set_difference f64 second=100",
    "set_symmetric_difference u8 payload=u32",
    "set_symmetric_difference i64 dist=constant second=10",
    "is_sorted f32 dist=constant",
    "is_sorted u64",
    "segmented_sort u8 segments=fixed:4096",
    "segmented_sort f32 segments=fixed:1",
    "segmented_sort f32 segments=fixed:33 offsets=u64 payload=f64",
    "segmented_sort i16 segments=uniform:300 payload=u8",
    "segmented_sort u32 segments=fixed:100000 payload=u32 dist=few",
    "segmented_sort u64 segments=mixed form=indices",
    "segmented_sort f64 segments=pareto:9",
    "segmented_sort u32 segments=fixed:32",
    "segmented_sort u32 segments=fixed:10000000",
    "top_k u64 k=1",
    "top_k i32 k=3000 order=ascending",
    "top_k u8 k=77 payload=u32",
    "top_k f16 k=5 rows=100",
    "top_k f64 k=64 form=indices payload=u64 dist=few",
    "top_k u32 k=65536",
    "top_k u32 k=2000 rows=20",
    "top_k f32 k=1500 rows=9 payload=u32 dist=few",
    "top_k i16 k=1025 rows=5 order=ascending form=indices",
    "top_k u32 k=500 dist=constant payload=u32",
    "top_k u32 k=100 ordered=1",
    "top_k i64 k=5000 rows=3 form=indices dist=few ordered=1",
    "segmented_top_k u32 segments=mixed k=20 form=indices ordered=1",
    "segmented_top_k i16 segments=pareto:900 k=1500 ordered=1",
    "top_k u32 k=32 rows=1000 payload=u32 dist=few",
    "segmented_top_k u32 segments=fixed:64 k=8 form=fixed",
    "segmented_top_k u32 segments=fixed:5000 k=1024 form=fixed",
    "segmented_top_k u64 segments=uniform:40 k=3 payload=s12",
    "segmented_top_k i16 segments=pareto:3000 k=100 offsets=u64 order=ascending",
    "segmented_top_k f64 segments=fixed:10000000 k=256 form=indices payload=u64",
    "segmented_top_k u8 segments=uniform:700 k=50 payload=u32",
    "segmented_top_k bf16 segments=mixed k=1000 dist=few",
    "segmented_top_k u32 segments=fixed:700 k=64 dist=constant payload=u32",
    "segmented_top_k f32 segments=fixed:1023 k=64 form=fixed",
    "segmented_top_k u32 segments=fixed:2048 k=33 dist=sorted form=indices",
    "segmented_top_k f64 segments=uniform:1500 k=64 payload=u32 dist=few",
    "segmented_top_k u8 segments=fixed:2000 k=10 form=indices",
    "segmented_top_k u32 segments=pareto:1024 k=64 dist=reversed",
    "segmented_top_k u32 segments=pareto:3000 k=2000",
    "segmented_top_k f32 segments=fixed:9000 k=5000 payload=u64",
    "segmented_top_k i16 segments=mixed k=1025 form=indices order=ascending",
    "sort u32 payload=u32 order=descending described=1",
    "sort f64 form=indices dist=few described=1",
    "merge_sort f32 payload=u32 dist=few described=1",
    "segmented_sort u16 segments=pareto:64 form=indices described=1",
    "top_k f32 k=100 form=indices described=1",
    "top_k_axis f32 shape=3000x1023 k=64 form=indices",
    "top_k_axis f32 shape=3000x1023 k=64 form=indices ordered=1",
    "top_k_axis u32 shape=5000x100 axis=1 k=1500 form=indices ordered=1",
    "top_k_axis u32 shape=100x5000 k=2000",
    "top_k_axis f32 shape=5000x100 axis=1 k=1500 form=indices",
    "nth_element f32 k=3",
    "nth_element u64 dist=few order=descending",
    "nth_element i8",
    "shuffle u8",
    "shuffle s16",
    "shuffle u64",
    "reverse u8",
    "reverse s12",
    "group_by MAX i32 key=u8 groups=200",
    "group_by SUM u64 key=u64 groups=1M",
    "group_by MIN f32 key=i32 groups=1",
    "group_by SUM u8 key=u16 groups=5000",
    "group_by PROD u32 key=f32 groups=40",
    "group_by SUM f64 key=u32 groups=10",
};
enum { SORTED_EVERYWHERE = 36 };

// Every distribution, for keys alone and pairs; for floats every kind of bit pattern.
static void sorting_keys(void) {
  static const char *const cells[] = {"sort u32", "sort u64 payload=u32", "sort f32 payload=u32",
      "sort f64 order=descending payload=u32", "sort f16 payload=u32 order=descending", "sort bf16 form=indices",
      "sort i64 form=indices order=descending", "sort i16 payload=u32", "sort i8",
      "segmented_sort f32 segments=uniform:70 payload=u32", "segmented_sort f64 segments=mixed order=descending",
      "segmented_sort i32 segments=pareto:2000", "top_k f32 k=90", "top_k f64 k=20 order=ascending",
      "top_k i16 k=33 rows=5", "segmented_top_k f32 segments=uniform:700 k=40",
      "segmented_top_k i64 segments=pareto:2000 k=9 form=indices", "nth_element f32", "nth_element i64"};
  static const uint64_t counts[] = {33, 5000, 300007};
  int i, k, way;
  for (i = 0; i < COUNT(cells); i++)
    for (k = 0; k < (sanitizer ? 2 : COUNT(counts)); k++)
      for (way = 0; way < GP_DATA_KIND_COUNT + 2; way++) {
        segments_case s = case_of(cells[i], counts[k]);
        if (out_of_time()) return;
        if (!has_type_wanted(&s.c) || (quick && (way + i + k) % 3)) continue;
        if (way < GP_DATA_KIND_COUNT) s.kind = s.c.kind = way;
        else s.keys = ANY_BITS + way - GP_DATA_KIND_COUNT;
        segments_solve(&main_segments, &s);
      }
}

// Enough keys that a sample chooses the sort: distinct and repeated ones. Under sanitizers only repeated u64 and u32
// keys.
static void sorting_chosen(void) {
  static const char *const cells[] = {"sort u64 payload=u32 dist=repeated", "sort u64 payload=u32",
      "sort f64 payload=u64 order=descending dist=repeated", "sort i64 form=indices dist=repeated",
      "sort u32 dist=repeated"};
  int i, in_place;
  for (i = 0; i < COUNT(cells); i++)
    for (in_place = 0; in_place < 2; in_place++) {
      segments_case s = case_of(cells[i], i < 4 ? 9437185 : 16777217);
      if (out_of_time()) return;
      if (!has_type_wanted(&s.c) || (quick && i % 3 + in_place != 0)) continue;
      if (sanitizer && i % 4 + in_place != 0) continue;
      s.in_place = in_place;
      segments_solve(&main_segments, &s);
    }
}

// Keys of less than a word at every alignment: the first and last vectors of inputs are assembled one by one.
static void sorting_shifts(void) {
  static const char *const cells[] = {"sort u8", "sort u16", "merge u8", "merge u16 payload=u8",
      "merge_sort i8 dist=few", "merge_sort u16 payload=u8", "set_union u8", "set_intersection u16",
      "set_difference i8", "set_symmetric_difference u8 payload=u16", "segmented_sort u8 segments=uniform:30",
      "top_k u8 k=9", "segmented_top_k u8 segments=uniform:90 k=9", "is_sorted u8"};
  static const uint64_t counts[] = {1, 40, 3000};
  int i, k, shift;
  for (i = 0; i < COUNT(cells); i++)
    for (k = 0; k < COUNT(counts); k++)
      for (shift = 0; shift < 16; shift++) {
        segments_case s = case_of(cells[i], counts[k]);
        if (out_of_time()) return;
        if (!has_type_wanted(&s.c) || !has_ranks(&s.c) || (sanitizer && k != 1)) continue;
        s.in_shift = shift;
        s.out_shift = (shift * 5 + k) % 16;
        segments_solve(&main_segments, &s);
      }
}

// In place, and counts in device memory, if the call takes them.
static void sorting_fields(void) {
  static const uint64_t counts[] = {0, 1, 33, 5000, 300007};
  int i, k, d;
  for (i = 0; i < SORTED_EVERYWHERE; i++)
    for (k = 0; k < (sanitizer ? 4 : COUNT(counts)); k++) {
      const uint64_t n = counts[k], device_counts[] = {0, 1, n / 2, n, n + 7};
      segments_case s = case_of(SORTING_CELLS[i], n);
      const gp_primitive p = s.c.primitive;
      if (!has_type_wanted(&s.c) || out_of_time() || !has_ranks(&s.c)) continue;
      if (p == GP_SORT || p == GP_SEGMENTED_SORT || p == GP_MERGE_SORT) {
        s.in_place = 1;
        segments_solve(&main_segments, &s);
        s.in_place = 0;
      }
      for (d = 0; d < COUNT(device_counts) && (p == GP_SORT || p == GP_MERGE_SORT || p == GP_GROUP_BY) && !s.c.little;
           d++) {
        s.has_count = 1;
        s.count_device = device_counts[d];
        segments_solve(&main_segments, &s);
        s.has_count = 0;
      }
    }
}

// A random policy from the header's lists of values. Excluded policies are refused.
static gp_policy drawn_policy(gp_primitive p, uint64_t seed) {
  gp_policy policy;
  memset(&policy, 0, sizeof policy);
#define DRAW(field, default_, ...) \
  { \
    static const int values[] = {__VA_ARGS__}; \
    seed = gp_data_hash(seed); \
    policy.field = values[seed % COUNT(values)]; \
  }
  switch (gp__family_of((int)p)) {
#define CASE(FAMILY, family) \
  case GP__FAMILY_##FAMILY: GP_POLICY_FIELDS_##FAMILY(DRAW) break;
    GPUPRIMS__FAMILIES(CASE)
#undef CASE
  }
#undef DRAW
  return policy;
}

// Every algorithm on its defaults, and random policies.
static void group_sorting_policies(void) {
  static const uint64_t counts[] = {1, 1000, 33333, 700001};
  const int draws = sanitizer ? 1 : quick ? 3 : 24;
  int i, k, q;
  if (!on_gpu) return;
  main_segments.stream = main_bench.stream;
  for (i = (int)part; i < SORTED_EVERYWHERE; i += (int)parts) {
    segments_case s = case_of(SORTING_CELLS[i], 1000);
    if (!has_type_wanted(&s.c) || s.c.primitive == GP_GROUP_BY) continue;
    for (q = 1; q < GP_ALGORITHM_COUNT + draws; q++) {
      gp_policy policy = drawn_policy(s.c.primitive, (uint64_t)(1000 * i + q));
      if (q < GP_ALGORITHM_COUNT) memset(&policy, 0, sizeof policy), policy.algorithm = q;
      for (k = 0; k < (sanitizer ? 2 : COUNT(counts)); k++) {
        s = case_of(SORTING_CELLS[i], counts[k]);
        s.policy = &policy;
        if (out_of_time()) return;
        if (has_ranks(&s.c) && segments_solve(&main_segments, &s) > 0) break; // refused at one size, or at all
      }
    }
  }
}

// Top-k of few keys, which one launch sorts, around the sizes at which its blocks change in number.
static void sorting_few(void) {
  static const char *const cells[] = {"top_k u32 k=1", "top_k f32 k=100", "top_k f32 k=3000 dist=few",
      "top_k i64 k=2000 payload=u32 dist=few", "top_k f16 k=90 form=indices", "top_k u8 k=40000 payload=u32",
      "top_k u32 k=40000 order=ascending", "top_k f64 k=1000 dist=constant form=indices payload=u64",
      "top_k bf16 k=129 payload=s12"};
  static const uint64_t counts[] = {1, 2, 255, 257, 1023, 1024, 1025, 2049, 4127, 8193, 16383, 16384, 16385, 32768,
      32769, 66569, 131073, 262145, 524288, 524289};
  int i, k;
  for (i = 0; i < COUNT(cells); i++)
    for (k = 0; k < (sanitizer ? 12 : COUNT(counts)); k++) {
      segments_case s = case_of(cells[i], counts[k]);
      if (out_of_time()) return;
      if (has_type_wanted(&s.c)) segments_solve(&main_segments, &s);
    }
}

// Top-k in any order: the ordered results after a sort. Finally the smallest of each row.
static void sorting_unsorted(void) {
  static const char *const cells[] = {"top_k u32 k=100", "top_k u32 k=4096 dist=few", "top_k u32 k=50 rows=20"};
  static const uint64_t counts[] = {1000, 300007};
  static uint32_t got[65536], want[65536];
  int i, k;
  for (i = 0; i < COUNT(cells); i++)
    for (k = 0; k < COUNT(counts); k++) {
      segments_case s = case_of(cells[i], counts[k]);
      segments_bench *b = &main_segments;
      const uint64_t each = cell_k(&s.c, s.c.n), bytes = cell_bytes(&s.c, ROLE_out_keys, s.c.n);
      uint64_t row, at, other;
      char text[600];
      gp_call call;
      gp_result r;
      if (out_of_time() || !has_type_wanted(&s.c)) return;
      if (segments_expect(b, &s)) continue;
      s.flags = GP_UNSORTED;
      call = segments_place(b, &s);
      r = run_gpu(&call, b->stream);
      wait_stream(b->stream);
      download(got, place_of(b, &s, ROLE_out_keys), bytes);
      memcpy(want, b->want[ROLE_out_keys], bytes);
      if (r) {
        fail("%s: %s: %s", tell(&s, text, sizeof text), gp_result_name(r), gp_last_message());
        continue;
      }
      for (row = 0; row < s.c.rows; row++) // finds each wanted key once
        for (at = row * each; at < (row + 1) * each; at++) {
          for (other = at; other < (row + 1) * each && got[other] != want[at]; other++) continue;
          if (other == (row + 1) * each) break;
          got[other] = got[at];
          got[at] = want[at];
        }
      if (memcmp(got, want, bytes)) fail("%s: other keys than in order", tell(&s, text, sizeof text));
      else pass();
    }
}

// Float sums that depend on the order of evaluation: equal bits in every call, beside other work.
static void sorting_bits(void) {
  static const char *const cells[] = {
      "group_by SUM f32 groups=3", "group_by SUM f32 groups=5000", "group_by SUM f64 key=u8 groups=100"};
  static const uint64_t counts[] = {1000, 1000003};
  cases_bits(cells, COUNT(cells), counts, COUNT(counts));
}

// ---- past 2^31 ------------------------------------------------------------------------------------------------------

enum { SORTING_WINDOW = 1 << 15, SORTING_WINDOWS = 7 };

// Compares elements of `out` with the formula `want`, around every power of two where offsets may break.
static void sorting_windows(const char *what, const uint32_t *out, uint64_t n, uint32_t (*want)(uint64_t, uint64_t)) {
  static uint32_t window[SORTING_WINDOW];
  const uint64_t places[SORTING_WINDOWS] = {0, n / 3, (1ull << 30) - SORTING_WINDOW / 2,
      (1ull << 31) - SORTING_WINDOW / 2, n / 2, n, (1ull << 32) - SORTING_WINDOW / 2};
  int k;
  for (k = 0; k < SORTING_WINDOWS; k++) {
    const uint64_t last = n - SORTING_WINDOW, at = places[k] < last ? places[k] : last;
    uint64_t i;
    download(window, out + at, sizeof window);
    for (i = 0; i < SORTING_WINDOW && window[i] == want(at + i, n); i++) continue;
    if (i < SORTING_WINDOW) {
      fail("%s of %llu: element %llu is %u, not %u", what, (unsigned long long)n, (unsigned long long)(at + i),
          window[i], want(at + i, n));
      return;
    }
    pass();
  }
}
static uint32_t is_its_place(uint64_t i, uint64_t n) { return (void)n, (uint32_t)i; }
static uint32_t counted_down(uint64_t i, uint64_t n) { return (uint32_t)(n - 1 - i); }

static void sorting_big(void) {
  static const uint64_t counts[] = {(1ull << 31) - 1, (1ull << 31) + 3, 1ull << 32};
  static const uint32_t zero = 0, two = 2, odd = 2654435761u;
  int k;
  if (!on_gpu || sanitizer || !full || !type_wanted[type_named("u32") - TYPES]) return;
  for (k = 0; k < COUNT(counts); k++) {
    const uint64_t n = counts[k], half = n / 2;
    const uint32_t last = (uint32_t)(n - 1), down = ~0u;
    size_t room = 0, total = 0;
    uint32_t *keys, *sorted, *values = NULL, *moved = NULL;
    gp_policy four_way;
    gp_call call = gp_call_init(GP_SORT);
    gp_result r;
    GP_CUDA_CHECK(&cuda, memory_info(&room, &total));
    if (room < 7 * n * 4 / 2 + (2ull << 30)) {
      printf("skipped: sorts of %llu keys need %llu GiB of device memory\n", (unsigned long long)n,
          (unsigned long long)((7 * n * 4 / 2) >> 30) + 2);
      skipped++;
      continue;
    }
    keys = device_new(n * 4);
    sorted = device_new(n * 4);
    // Keys: for 2^32, all numbers, by an odd factor; for fewer, counted down.
    if (n >> 32) r = gp_iota(gpu, GP_U32, &zero, &odd, keys, n, NULL);
    else r = gp_iota(gpu, GP_U32, &last, &down, keys, n, NULL);
    call.key_type = GP_U32;
    call.keys = keys;
    call.out_keys = sorted;
    call.count = n;
    if (!r) r = run_gpu(&call, NULL);
    wait_device();
    if (r) fail("sort of %llu: %s", (unsigned long long)n, gp_last_message());
    else sorting_windows("sort", sorted, n, is_its_place);
    if (room > 7 * n * 4 + (2ull << 30) && !(n >> 32)) { // and their former values
      values = device_new(n * 4);
      moved = device_new(n * 4);
      r = gp_iota(gpu, GP_U32, NULL, NULL, values, n, NULL);
      call.in_type = call.out_type = GP_U32;
      call.in = values;
      call.out = moved;
      if (!r) r = run_gpu(&call, NULL);
      wait_device();
      if (r) fail("sort of %llu pairs: %s", (unsigned long long)n, gp_last_message());
      else {
        sorting_windows("sort of pairs: keys", sorted, n, is_its_place);
        sorting_windows("sort of pairs: values", moved, n, counted_down);
      }
      device_free(values);
      device_free(moved);
    }
    // Merges even and odd numbers.
    r = gp_iota(gpu, GP_U32, &zero, &two, keys, n - half, NULL);
    if (!r) {
      const uint32_t one = 1;
      r = gp_iota(gpu, GP_U32, &one, &two, keys + (n - half), half, NULL);
    }
    call = gp_call_init(GP_MERGE);
    call.key_type = GP_U32;
    call.keys = keys;
    call.keys2 = keys + (n - half);
    call.out_keys = sorted;
    call.count = n - half;
    call.count2 = half;
    if (!r) r = run_gpu(&call, NULL);
    wait_device();
    if (r) fail("merge of %llu: %s", (unsigned long long)n, gp_last_message());
    else sorting_windows("merge", sorted, n, is_its_place);
    // The two halves, sorted by comparison in four-way passes, with a 64-bit search for borders.
    memset(&four_way, 0, sizeof four_way);
    four_way.algorithm = GP_FOUR_WAY_PASSES;
    call = gp_call_init(GP_MERGE_SORT);
    call.key_type = GP_U32;
    call.keys = keys;
    call.out_keys = sorted;
    call.count = n;
    call.policy = &four_way;
    r = run_gpu(&call, NULL);
    wait_device();
    if (r) fail("merge sort of %llu: %s", (unsigned long long)n, gp_last_message());
    else sorting_windows("merge sort", sorted, n, is_its_place);
    device_free(keys);
    device_free(sorted);
  }
}

static void sorting_graph(void) { cases_graph(SORTING_CELLS, SORTED_EVERYWHERE); }
static void sorting_streams(void) { cases_streams(SORTING_CELLS, SORTED_EVERYWHERE); }
static void sorting_sizes(void) {
  cases_sizes(SORTING_CELLS, quick || sanitizer ? SORTED_EVERYWHERE : COUNT(SORTING_CELLS));
}

static void group_sorting(void) {
  static void (*const steps[])(void) = {sorting_keys, sorting_shifts, sorting_chosen, sorting_fields, sorting_graph,
      sorting_unsorted, sorting_few, sorting_bits, sorting_streams, sorting_big, sorting_sizes};
  unsigned i;
  main_segments.stream = main_bench.stream;
  for (i = part; i < COUNT(steps); i += parts) steps[i]();
}

#endif
