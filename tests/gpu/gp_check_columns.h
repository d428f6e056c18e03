// gp_check_columns.h - gp_check's group "columns": sorts of one and of several keys with values of every size, against
// the host back end, bit by bit.

enum { COLUMNS_MOST = 1 << 20, COLUMNS_SHAPES = 5, COLUMNS_ARRAYS = 34 };
// Fills a call: values of all sizes; one value; one key and indices; three keys, up and down; all columns of a launch
// and more.
static gp_call columns_call(
    int shape, const check_type *type, int host_side, char *const *in, char *const *out, uint64_t n, gp_column *list) {
  static const char *const VALUES[] = {"u8", "u16", "f32", "f64", "s12", "s16"};
  const int keys[COLUMNS_SHAPES] = {0, 0, 0, 3, 1}, columns[COLUMNS_SHAPES] = {6, 1, 0, 5, COLUMNS_ARRAYS - 2};
  gp_call c = gp_call_init(GP_SORT_COLUMNS);
  int i;
  for (i = 0; i < columns[shape]; i++) {
    const check_type *of = i >= keys[shape] ? type_named(VALUES[i % 6]) : i == 1 ? type_named("i16") : type;
    const gp_column one = {host_side ? of->host_handle : of->handle, i < keys[shape] && i % 2, in[i + 1], out[i + 1]};
    list[i] = one;
  }
  c.count = n;
  c.columns = columns[shape] ? list : NULL;
  c.column_count = (uint64_t)columns[shape];
  c.key_columns = (uint64_t)keys[shape];
  c.flags = shape % 2 ? GP_DESCENDING : 0;
  if (shape != 3) c.key_type = type->handle, c.keys = in[0], c.out_keys = out[0];
  if (shape == 2 || shape == 3) c.out_type = GP_U32, c.out = out[COLUMNS_ARRAYS - 1];
  return c;
}
static void group_columns(void) {
  char *there_in[COLUMNS_ARRAYS], *there_out[COLUMNS_ARRAYS], *here_in[COLUMNS_ARRAYS], *here_out[COLUMNS_ARRAYS];
  gp_column list[2][GP_COLUMN_LIMIT];
  int t, s, w, i, count;
  const uint64_t *list_of_sizes = sizes(&count), most = quick ? 1 << 16 : COLUMNS_MOST;
  char *got = host_new(most * 16 + 512);
  for (i = 0; i < COLUMNS_ARRAYS; i++) {
    there_in[i] = device_new(most * 16 + 512), there_out[i] = device_new(most * 16 + 512);
    here_in[i] = host_new(most * 16 + 512), here_out[i] = host_new(most * 16 + 512);
  }
  for (t = 0; t < SCALAR_COUNT && !out_of_time(); t++) {
    const check_type *type = &TYPES[t];
    if (!type_wanted[t]) continue;
    for (i = 0; i < COLUMNS_ARRAYS; i++) { // keys of shape 3 recur
      make_data(i == 1 || i == 2 ? type_named("u8") : type, i == 1 || i == 2 ? TIES : UNIFORM, 7 + (uint64_t)i,
          here_in[i], most);
      upload(there_in[i], here_in[i], most * 16);
    }
    for (s = 0; s < count; s++)
      for (w = 0; w < COLUMNS_SHAPES && !out_of_time(); w++) {
        const uint64_t n = list_of_sizes[s] < most ? list_of_sizes[s] : most;
        gp_call c = columns_call(w, type, 0, there_in, there_out, n, list[0]);
        const gp_call h = columns_call(w, type, 1, here_in, here_out, n, list[1]);
        gp_result r;
        int wrong = -1;
        if (quick && (s + 3 * w + 5 * t) % 7) continue;
        for (i = 0; i < COLUMNS_ARRAYS; i++) {
          poison(there_out[i], n * 16 + 512, main_bench.stream);
          memset(here_out[i], 0xA5, n * 16 + 512);
        }
        r = gp_run(host, &h, NULL);
        if (r == GP_SUCCESS) r = run_gpu(&c, main_bench.stream);
        if (r != GP_SUCCESS) {
          fail("shape %d of %s keys, n=%llu: %s", w, type->name, (unsigned long long)n, gp_last_message());
          continue;
        }
        wait_stream(main_bench.stream);
        for (i = 0; i < COLUMNS_ARRAYS; i++) {
          download(got, there_out[i], n * 16 + 512);
          if (memcmp(got, here_out[i], n * 16 + 512)) wrong = i;
        }
        if (wrong >= 0) fail("shape %d of %s keys, n=%llu: output %d", w, type->name, (unsigned long long)n, wrong);
        else pass();
      }
  }
  for (i = 0; i < COLUMNS_ARRAYS; i++)
    device_free(there_in[i]), device_free(there_out[i]), free(here_in[i]), free(here_out[i]);
  free(got);
}
