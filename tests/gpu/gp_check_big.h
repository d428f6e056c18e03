// gp_check_big.h - gp_check's group "far": primitives on more than 2^32 elements. Inputs and results are formulas of
// the position; windows around the places where arithmetic of 32 bits would break are compared. The same calls run on
// few elements first, on the host back end too. Included by gp_check.c after gp_check_operators.h.
#ifndef GP_CHECK_BIG_H
#define GP_CHECK_BIG_H

enum { FAR_STEP = 4099, FAR_ROW = 1009, FAR_WINDOWS = 8 };
// Element k of an array that a formula describes; n: the number of elements of the input.
typedef uint64_t far_formula(uint64_t k, uint64_t n);
static uint64_t far_bytes(uint64_t k, uint64_t n) { return (void)n, k & 255; }
static uint64_t far_thirds(uint64_t k, uint64_t n) { return (void)n, k / 3 & 255; }
static uint64_t far_lower_half(uint64_t k, uint64_t n) { return (void)n, k & 127; }
static uint64_t far_upper_half(uint64_t k, uint64_t n) { return (void)n, 128 | (k & 127); }
static uint64_t far_last_of_256(uint64_t k, uint64_t n) { return (void)n, k * 256 + 255; }
static uint64_t far_three(uint64_t k, uint64_t n) { return k < n / 3 ? 3 : n % 3; }
static uint64_t far_backwards(uint64_t k, uint64_t n) { return (n - 1 - k) & 255; }
static uint64_t far_rotated(uint64_t k, uint64_t n) { return (k + (n / 5 * 4)) % n & 255; }
static uint64_t far_one(uint64_t k, uint64_t n) { return (void)n, k > 0; }
static uint64_t far_doubled(uint64_t k, uint64_t n) { return (void)n, 2 * k & 255; }
static uint64_t far_negated(uint64_t k, uint64_t n) { return (void)n, (0 - k) & 255; }
static uint64_t far_replaced(uint64_t k, uint64_t n) { return (void)n, (k & 255) == 9 ? 77 : k & 255; }
static uint64_t far_steps(uint64_t k, uint64_t n) { return (void)n, k * FAR_STEP & 255; }
static uint64_t far_scattered(uint64_t k, uint64_t n) { return (void)n, k % FAR_STEP ? 0 : k / FAR_STEP & 255; }
static uint64_t far_sorted(uint64_t k, uint64_t n) { // of 0 1 ... 255 0 1 ...: the first n % 256 occur once more
  const uint64_t each = n / 256, more = n % 256;
  return k < more * (each + 1) ? k / (each + 1) : more + (k - more * (each + 1)) / each;
}
static uint64_t far_run_sums(uint64_t k, uint64_t n) { // of far_bytes in runs of three
  return k < n / 3 ? (9 * k + 3) & 255 : (n % 3 == 1 ? 3 * k : 6 * k + 1) & 255;
}
static uint64_t far_run_scan(uint64_t k, uint64_t n) {
  const uint64_t first = k - k % 3;
  return (void)n, (k % 3 == 0 ? first : k % 3 == 1 ? 2 * first + 1 : 3 * first + 3) & 255;
}
static uint64_t far_row_sum(uint64_t row, uint64_t n) {
  uint64_t sum = 0, k;
  for (k = 0; k < FAR_ROW; ++k) sum += (row * FAR_ROW + k) & 255;
  return (void)n, sum;
}
static uint64_t far_row_scan(uint64_t k, uint64_t n) {
  uint64_t sum = 0, i;
  for (i = k - k % FAR_ROW; i <= k; ++i) sum += i & 255;
  return (void)n, sum & 255;
}
static uint64_t far_row_sorted(uint64_t k, uint64_t n) {
  const uint64_t begin = k / FAR_ROW * FAR_ROW;
  uint64_t rank = k % FAR_ROW, value, held = 0;
  for (value = 0; value < 256; ++value) { // positions of the row with that value
    const uint64_t first = (value - begin) & 255, of = first < FAR_ROW ? (FAR_ROW - 1 - first) / 256 + 1 : 0;
    if (rank < held + of) break;
    held += of;
  }
  return (void)n, value;
}

// Compares windows of an array of `count` elements of `size` bytes.
static void far_check(const char *what, const char *array, size_t size, uint64_t count, uint64_t n, far_formula *want) {
  enum { WINDOW = 1 << 12 };
  static char got[WINDOW * 8];
  const uint64_t places[FAR_WINDOWS] = {
      0, count / 7, 1ull << 30, 1ull << 31, 3ull << 30, 1ull << 32, count / 7 * 6, count};
  int i;
  for (i = 0; i < FAR_WINDOWS; ++i) {
    const uint64_t begin = places[i] > WINDOW / 2 ? places[i] - WINDOW / 2 : 0;
    const uint64_t length = begin >= count ? 0 : count - begin < WINDOW ? count - begin : WINDOW;
    uint64_t k;
    if (!length) continue;
    download(got, array + begin * size, length * size);
    for (k = 0; k < length; ++k) {
      uint64_t value = 0;
      memcpy(&value, got + k * size, size);
      if (value == want(begin + k, n)) continue;
      fail("%s of %llu elements: element %llu is %llu, not %llu", what, (unsigned long long)n,
          (unsigned long long)(begin + k), (unsigned long long)value, (unsigned long long)want(begin + k, n));
      return;
    }
  }
  pass();
}
static void far_number(const char *what, const void *number, size_t size, uint64_t n, uint64_t want) {
  uint64_t got = 0;
  download(&got, number, size);
  if (got == want) pass();
  else
    fail("%s of %llu elements: %llu, not %llu", what, (unsigned long long)n, (unsigned long long)got,
        (unsigned long long)want);
}
static int far_done(const char *what, gp_result r) {
  wait_device();
  if (r) fail("%s: %s: %s", what, gp_result_name(r), gp_last_message());
  return r == GP_SUCCESS;
}

typedef struct far_arrays {
  unsigned char *in, *thirds, *out, *out2; // n bytes each, `in` holds far_bytes, `thirds` far_thirds
  uint64_t *words, *offsets; // 1024 words; n offsets
  uint32_t *lengths; // n / 3 + 1
} far_arrays;

static void far_searches(const far_arrays *a, uint64_t n) {
  const unsigned char seven = 7, nine = 9, new_value = 77, zero = 0;
  const uint64_t place = n - 5;
  if (!far_done("fill", gp_fill(gpu, GP_U8, &zero, a->out, n, NULL))) return;
  upload(a->out + place, &seven, 1);
  if (far_done("find_if", gp_find_if(gpu, GP_EQUAL, GP_U8, &seven, a->out, n, a->words, NULL)))
    far_number("find_if", a->words, 8, n, place);
  if (far_done("count_if", gp_count_if(gpu, GP_EQUAL, GP_U8, &zero, a->out, n, a->words, NULL)))
    far_number("count_if", a->words, 8, n, n - 1);
  if (far_done("any", gp_any(gpu, GP_EQUAL, GP_U8, &seven, a->out, n, (uint8_t *)a->words, NULL)))
    far_number("any", a->words, 1, n, 1);
  if (far_done("is_sorted", gp_is_sorted(gpu, GP_LESS, GP_U8, a->out, n, a->words, NULL)))
    far_number("is_sorted", a->words, 8, n, place + 1);
  if (far_done("copy", gp_copy(gpu, GP_U8, a->in, n, a->out, NULL))) {
    upload(a->out + place, &nine, 1);
    upload(a->out + place + 1, &nine, 1);
    if (far_done("mismatch", gp_mismatch(gpu, GP_EQUAL, GP_U8, a->in, a->out, n, a->words, NULL)))
      far_number("mismatch", a->words, 8, n, (place & 255) == 9 ? place + 1 : place);
    if (far_done("equal_arrays", gp_equal_arrays(gpu, GP_EQUAL, GP_U8, a->in, a->out, n, (uint8_t *)a->words, NULL)))
      far_number("equal_arrays", a->words, 1, n, 0);
    if (far_done("adjacent_find", gp_adjacent_find(gpu, GP_EQUAL, GP_U8, a->out, n, a->words, NULL)))
      far_number("adjacent_find", a->words, 8, n, ((place - 1) & 255) == 9 ? place - 1 : place);
  }
  if (far_done("replace_if", gp_replace_if(gpu, GP_EQUAL, GP_U8, &nine, &new_value, a->in, n, a->out, NULL)))
    far_check("replace_if", (char *)a->out, 1, n, n, far_replaced);
}
static void far_moves(const far_arrays *a, uint64_t n) {
  const uint64_t step = FAR_STEP, few = (n - 1) / FAR_STEP + 1;
  const unsigned char zero = 0;
  uint64_t batch[9];
  if (far_done("reverse", gp_reverse(gpu, GP_U8, a->in, n, a->out, NULL)))
    far_check("reverse", (char *)a->out, 1, n, n, far_backwards);
  if (far_done("swap", gp_swap(gpu, GP_U8, a->out, a->thirds, n, NULL))) {
    far_check("swap", (char *)a->out, 1, n, n, far_thirds);
    far_check("swap", (char *)a->thirds, 1, n, n, far_backwards);
    far_done("swap back", gp_swap(gpu, GP_U8, a->out, a->thirds, n, NULL));
  }
  if (far_done("copy", gp_copy(gpu, GP_U8, a->in, n, a->out, NULL)) &&
      far_done("rotate", gp_rotate(gpu, GP_U8, a->out, n, n / 5 * 4, NULL)))
    far_check("rotate", (char *)a->out, 1, n, n, far_rotated);
  if (far_done("transform", gp_transform(gpu, GP_NEGATE, GP_U8, GP_U8, a->in, n, a->out, NULL)))
    far_check("transform", (char *)a->out, 1, n, n, far_negated);
  if (far_done("transform2", gp_transform2(gpu, GP_SUM, GP_U8, GP_U8, a->in, a->in, n, a->out, NULL)))
    far_check("transform2", (char *)a->out, 1, n, n, far_doubled);
  if (far_done("adjacent_difference", gp_adjacent_difference(gpu, GP_SUB, GP_U8, GP_U8, a->in, n, a->out, NULL)))
    far_check("adjacent_difference", (char *)a->out, 1, n, n, far_one);
  if (far_done("iota", gp_iota(gpu, GP_U64, NULL, &step, a->offsets, few, NULL))) {
    if (far_done("gather", gp_gather(gpu, GP_U8, GP_U64, a->in, n, a->offsets, few, a->out, NULL)))
      far_check("gather", (char *)a->out, 1, few, n, far_steps);
    if (far_done("fill", gp_fill(gpu, GP_U8, &zero, a->out, n, NULL)) &&
        far_done("scatter", gp_scatter(gpu, GP_U8, GP_U64, a->in, a->offsets, few, a->out, n, NULL)))
      far_check("scatter", (char *)a->out, 1, n, n, far_scattered);
  }
  if (far_done("shuffle", gp_shuffle(gpu, GP_U8, 5, a->in, n, a->out, NULL)) &&
      far_done("reduce", gp_reduce(gpu, GP_SUM, GP_U8, GP_U64, a->out, n, a->words, NULL)))
    far_number("shuffle's sum", a->words, 8, n, n / 256 * 32640 + (n % 256) * (n % 256 - 1) / 2);
  batch[0] = (uint64_t)(uintptr_t)a->in, batch[1] = batch[0] + n / 3 * 2, batch[2] = batch[0] + n - 7;
  batch[3] = (uint64_t)(uintptr_t)a->out, batch[4] = batch[3] + n / 3 * 2, batch[5] = batch[3] + n - 7;
  batch[6] = n / 3 * 2, batch[7] = n - 7 - n / 3 * 2, batch[8] = 7;
  upload(a->words, batch, sizeof batch);
  if (far_done("fill", gp_fill(gpu, GP_U8, &zero, a->out, n, NULL)) &&
      far_done("copy_batch", gp_copy_batch(gpu, GP_U64, a->words, a->words + 3, a->words + 6, 3, NULL)))
    far_check("copy_batch", (char *)a->out, 1, n, n, far_bytes);
}
static void far_streams(const far_arrays *a, uint64_t n) {
  const unsigned char half = 128, last = 255;
  const uint64_t low = n / 256 * 128 + (n % 256 < 128 ? n % 256 : 128), runs = (n + 2) / 3;
  if (far_done("select_if", gp_select_if(gpu, GP_LESS, GP_U8, &half, a->in, n, a->out, a->words, NULL))) {
    far_number("select_if", a->words, 8, n, low);
    far_check("select_if", (char *)a->out, 1, low, n, far_lower_half);
  }
  if (far_done("partition", gp_partition(gpu, GP_LESS, GP_U8, &half, a->in, n, a->out, a->out2, a->words, NULL))) {
    far_number("partition", a->words, 8, n, low);
    far_check("partition", (char *)a->out, 1, low, n, far_lower_half);
    far_check("partition", (char *)a->out2, 1, n - low, n, far_upper_half);
  }
  if (far_done("select_indices",
          gp_select_indices(gpu, GP_EQUAL, GP_U8, GP_U64, &last, a->in, n, a->offsets, a->words, NULL))) {
    far_number("select_indices", a->words, 8, n, n / 256);
    far_check("select_indices", (char *)a->offsets, 8, n / 256, n, far_last_of_256);
  }
  if (far_done("unique", gp_unique(gpu, GP_U8, a->thirds, n, a->out, a->words, NULL))) {
    far_number("unique", a->words, 8, n, runs);
    far_check("unique", (char *)a->out, 1, runs, n, far_bytes);
  }
  if (far_done(
          "run_lengths", gp_run_length_encode(gpu, GP_U8, GP_U32, a->thirds, n, a->out, a->lengths, a->words, NULL))) {
    far_number("run_lengths", a->words, 8, n, runs);
    far_check("run_lengths", (char *)a->lengths, 4, runs, n, far_three);
    if (far_done("run_length_expand",
            gp_run_length_expand(gpu, GP_U8, GP_U32, a->out, a->lengths, runs, a->out2, n, a->words, NULL)))
      far_check("run_length_expand", (char *)a->out2, 1, n, n, far_thirds);
  }
  if (far_done("reduce_by_key",
          gp_reduce_by_key(gpu, GP_SUM, GP_U8, GP_U8, a->thirds, a->in, n, a->out, a->out2, a->words, NULL))) {
    far_number("reduce_by_key", a->words, 8, n, runs);
    far_check("reduce_by_key", (char *)a->out2, 1, runs, n, far_run_sums);
  }
  if (far_done("inclusive_scan_by_key",
          gp_inclusive_scan_by_key(gpu, GP_SUM, GP_U8, GP_U8, a->thirds, a->in, n, a->out, NULL)))
    far_check("inclusive_scan_by_key", (char *)a->out, 1, n, n, far_run_scan);
}
static void far_orders(const far_arrays *a, uint64_t n) {
  const unsigned char lower = 0, bytes[4] = {0, 1, 200, 255};
  const unsigned char upper = 255;
  const uint64_t each = n / 256, more = n % 256;
  uint64_t k, i;
  if (far_done("sort", gp_sort_keys(gpu, GP_U8, a->in, n, a->out, 0, NULL))) {
    far_check("sort", (char *)a->out, 1, n, n, far_sorted);
    upload(a->words + 512, bytes, 4);
    if (far_done(
            "lower_bound", gp_lower_bound(gpu, GP_LESS, GP_U8, GP_U64, a->out, n, a->words + 512, 4, a->words, NULL)))
      for (i = 0; i < 4; ++i)
        far_number("lower_bound", a->words + i, 8, n, bytes[i] * each + (bytes[i] < more ? bytes[i] : more));
    if (far_done("merge", gp_merge(gpu, GP_LESS, GP_U8, a->out, n / 5, a->out + n / 5, n - n / 5, a->out2, NULL)))
      far_check("merge", (char *)a->out2, 1, n, n, far_sorted);
    if (far_done(
            "set_union", gp_set_union(gpu, GP_LESS, GP_U8, a->out, n / 2, a->out, n / 2, a->out2, a->words, NULL))) {
      far_number("set_union", a->words, 8, n, n / 2);
      far_check("set_union", (char *)a->out2, 1, n / 2, n, far_sorted);
    }
  }
  k = n / 3 * 2;
  if (far_done("nth_element", gp_nth_element(gpu, GP_U8, a->in, n, k, a->words, 0, NULL)))
    far_number("nth_element", a->words, 1, n, far_sorted(k, n));
  if (far_done("top_k", gp_top_k(gpu, GP_U8, GP_TYPE_DEFAULT, a->in, NULL, n, 1000, a->out, NULL, GP_DESCENDING, NULL)))
    for (i = 0; i < 1000; i += 333) far_number("top_k", a->out + i, 1, n, far_sorted(n - 1 - i, n));
  if (far_done("histogram_even", gp_histogram_even(gpu, GP_U8, GP_U64, &lower, &upper, a->in, n, a->words, 255, NULL)))
    for (i = 0; i < 255; i += 127) far_number("histogram_even", a->words + i, 8, n, each + (i < more));
  // A hash table has fewer elements.
  if (n < (1ull << 31) - 1 && far_done("count_distinct", gp_count_distinct(gpu, GP_U8, a->in, n, a->words, NULL)))
    far_number("count_distinct", a->words, 8, n, n < 256 ? n : 256);
}
static void far_rows(const far_arrays *a, uint64_t n) {
  const uint64_t rows = n / FAR_ROW, whole = rows * FAR_ROW, extent[2] = {rows, FAR_ROW}, step = FAR_ROW;
  const gp_axes reduced = gp_axes_reduced(2, extent, 1), mapped = gp_axes_mapped(2, extent, 1);
  gp_segments segments = gp_segments_init(GP_U64, a->offsets, rows);
  if (far_done("reduce_axis", gp_reduce_axis(gpu, GP_SUM, GP_U8, GP_U32, &reduced, a->in, a->lengths, NULL)))
    far_check("reduce_axis", (char *)a->lengths, 4, rows, n, far_row_sum);
  if (far_done("scan_axis", gp_scan_axis(gpu, GP_SUM, GP_U8, GP_U8, &mapped, a->in, a->out, 0, NULL)))
    far_check("scan_axis", (char *)a->out, 1, whole, n, far_row_scan);
  if (far_done("sort_axis", gp_sort_axis(gpu, GP_U8, &mapped, a->in, a->out, 0, NULL)))
    far_check("sort_axis", (char *)a->out, 1, whole, n, far_row_sorted);
  if (!far_done("iota", gp_iota(gpu, GP_U64, NULL, &step, a->offsets, rows + 1, NULL))) return;
  if (far_done("segmented_reduce",
          gp_segmented_reduce(gpu, GP_SUM, GP_U8, GP_U32, a->in, whole, &segments, a->lengths, NULL)))
    far_check("segmented_reduce", (char *)a->lengths, 4, rows, n, far_row_sum);
  if (far_done("segmented_inclusive_scan",
          gp_segmented_inclusive_scan(gpu, GP_SUM, GP_U8, GP_U8, a->in, whole, &segments, a->out, NULL)))
    far_check("segmented_inclusive_scan", (char *)a->out, 1, whole, n, far_row_scan);
  if (far_done("segmented_sort", gp_segmented_sort_keys(gpu, GP_U8, a->in, whole, &segments, a->out, 0, NULL)))
    far_check("segmented_sort", (char *)a->out, 1, whole, n, far_row_sorted);
}
static void far_inputs(const far_arrays *a, uint64_t n) {
  const gp_input ramp = gp_input_ramp(GP_U64, NULL, NULL);
  gp_call c = gp_call_init(GP_REDUCE);
  c.op = GP_SUM, c.in_type = GP_INPUT, c.in = &ramp, c.out_type = GP_U64, c.count = n, c.out = a->words;
  if (far_done("reduce of a ramp", gp_run(gpu, &c, NULL)))
    far_number("reduce of a ramp", a->words, 8, n, n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1));
}
static void far_calls(uint64_t n) {
  const uint64_t step = 3;
  far_arrays a;
  a.in = device_new(n + 64), a.thirds = device_new(n + 64), a.out = device_new(n + 64), a.out2 = device_new(n + 64);
  a.words = device_new(8192), a.offsets = device_new(n * 8), a.lengths = device_new((n / 3 + 1) * 4);
  if (far_done("iota", gp_iota(gpu, GP_U8, NULL, NULL, a.in, n, NULL)) &&
      far_done("iota", gp_iota(gpu, GP_U64, NULL, &step, a.offsets, (n + 2) / 3, NULL))) {
    upload(a.offsets + (n + 2) / 3, &n, 8);
    if (far_done("expand", gp_expand(gpu, GP_U8, GP_U64, a.in, a.offsets, (n + 2) / 3, a.thirds, n, NULL))) {
      far_check("expand", (char *)a.thirds, 1, n, n, far_thirds);
      far_searches(&a, n);
      if (!out_of_time()) far_moves(&a, n);
      if (!out_of_time()) far_streams(&a, n);
      if (!out_of_time()) far_orders(&a, n);
      if (!out_of_time()) far_rows(&a, n);
      if (!out_of_time()) far_inputs(&a, n);
    }
  }
  device_free(a.in), device_free(a.thirds), device_free(a.out), device_free(a.out2);
  device_free(a.words), device_free(a.offsets), device_free(a.lengths);
}

static void group_far(void) {
  const uint64_t n = (1ull << 32) + 4099;
  size_t room = 0, total = 0;
  far_calls(70001);
  if (on_gpu && !sanitizer) GP_CUDA_CHECK(&cuda, memory_info(&room, &total));
  if (room < 64ull << 30) {
    printf("skipped: sizes past 2^32 %s\n",
        sanitizer ? "take too long under a sanitizer" : "need a GPU with 64 GiB of free memory");
    skipped++;
    return;
  }
  far_calls(n);
}

#endif
