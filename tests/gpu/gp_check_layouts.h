// gp_check_layouts.h - gp_check's group "layouts": conversions on a GPU against the host back end, byte for byte: every
// pair of layouts, padded and packed structs of fields of 1 to 64 bytes, at any alignment, in place, to columns;
// policies drawn at random; captured, on many streams, past 2^32 bytes. Included by gp_check.c after
// gp_check_sorting.h.
#ifndef GP_CHECK_LAYOUTS_H
#define GP_CHECK_LAYOUTS_H

static const char *const LAYOUT_CELLS[] = {
    "convert_layout u32",
    "convert_layout u32 struct=4.4.4",
    "convert_layout u8 struct=4.4.4.2.1",
    "convert_layout u8 struct=8.4.2.1 from=soa to=aos",
    "convert_layout u32 struct=4.4 to=32",
    "convert_layout u64 struct=8.8.8.8.4.4.4.4.2.2.2.2.1.1.1.1 from=32 to=soa",
};

// A struct of n fields: shuffled offsets with some gaps. Returns its size.
static size_t layout_drawn(const size_t *bytes, int n, uint64_t seed, gp_field *fields) {
  int left[GP__LAYOUT_FIELDS], count = n, i;
  size_t at = 0;
  for (i = 0; i < n; i++) left[i] = i;
  for (; count; count--) {
    const int f = (int)((seed = gp_data_hash(seed)) % (uint64_t)count);
    at += seed >> 8 & 1 ? (seed >> 16) % 5 : 0;
    fields[left[f]].offset = at;
    fields[left[f]].size = bytes[left[f]];
    at += bytes[left[f]];
    left[f] = left[count - 1];
  }
  return at + (seed >> 24) % 3;
}

// A random conversion of `count` structs, from the seed. policy: NULL for the header's own.
static void layouts_case(uint64_t seed, uint64_t count, const gp_policy *policy) {
  static const uint64_t widths[] = {GP_AOS, GP_SOA, GP_AOS, GP_SOA, 2, 3, 8, 32, 100, 256, 1000, 65536};
  static const size_t sizes_of[] = {1, 2, 4, 8, 1, 2, 4, 8, 3, 12, 16, 64};
  size_t bytes[GP__LAYOUT_FIELDS];
  gp_field fields[2][GP__LAYOUT_FIELDS];
  void *columns[GP__LAYOUT_FIELDS];
  gp_layout layout[2];
  uint64_t span[2], h = gp_data_hash(seed), i;
  const int n = 1 + (int)(h % 16), narrow = (int)(h >> 8 & 3), in_place = (h >> 10 & 7) == 0;
  const int apart = (h >> 13 & 7) == 0 && !in_place, keep = (h >> 16 & 7) == 0;
  const uint64_t shift[2] = {h >> 20 & 3 ? 0 : h >> 24 & 15, h >> 22 & 3 ? 0 : h >> 28 & 15};
  const uint64_t room = h >> 32 & 1 ? 0 : 16 - count % 16 + (h >> 40 & 31);
  unsigned char *in, *out = NULL, *host_in, *host_out, *got;
  gp_call call = gp_call_init(GP_CONVERT_LAYOUT);
  gp_result r, want;
  int side, f;
  for (f = 0; f < n; f++) bytes[f] = sizes_of[gp_data_hash(h + (uint64_t)f) % (narrow ? 4 : COUNT(sizes_of))];
  for (side = 0; side < 2; side++) {
    layout[side] = gp_layout_init();
    layout[side].size = layout_drawn(bytes, n, (h >> 4) * 2 + (uint64_t)side, fields[side]);
    layout[side].width = widths[gp_data_hash(h ^ (uint64_t)(77 + side)) % COUNT(widths)];
    layout[side].fields = fields[side];
    layout[side].field_count = n;
  }
  if ((h >> 50 & 3) == 0) { // another order of axes
    static const uint64_t orders[] = {GP_AXES(1, 0, 2, 3), GP_TRANSPOSED, GP_AXES(2, 0, 3, 1), GP_AXES(0, 2, 1, 3)};
    uint64_t left = count, e = 2;
    for (i = 0; i < 4; i++) layout[0].extent[i] = 1;
    for (i = 0; e * e <= left; i++) // some of its factors along each axis
      if (left % e == 0) layout[0].extent[gp_data_hash(h + i) % 4] *= e, left /= e;
      else e++;
    layout[0].extent[h >> 52 & 3] *= left;
    memcpy(layout[1].extent, layout[0].extent, sizeof layout[0].extent);
    layout[h >> 54 & 1].order = orders[h >> 55 & 3];
  }
  if (in_place && h >> 48 & 1)
    layout[1].size = layout[0].size = layout[0].size > layout[1].size ? layout[0].size : layout[1].size;
  if (apart) layout[1].width = GP_SOA;
  for (side = 0; side < 2; side++) {
    if (layout[side].width == GP_SOA && room && !(side && apart)) layout[side].capacity = count + room;
    span[side] = gp__layout_bytes(&layout[side], count);
  }
  if (in_place) span[0] = span[1] = span[0] > span[1] ? span[0] : span[1];
  host_in = (unsigned char *)malloc(span[0] + 1);
  host_out = in_place ? host_in : (unsigned char *)malloc(span[1] + 1);
  got = (unsigned char *)malloc(span[1] + 1);
  if (!host_in || !host_out || !got) exit(3);
  for (i = 0; i < span[0]; i++) host_in[i] = (unsigned char)(gp_data_hash(seed + i / 8) >> i % 8 * 8);
  if (!in_place) memset(host_out, 0xA5, span[1]);
  in = (unsigned char *)device_new(span[0] + 16);
  upload(in + shift[0], host_in, span[0]);
  if (!in_place) {
    out = (unsigned char *)device_new(span[1] + 16);
    upload(out + shift[1], host_out, span[1]);
  }
  call.in_layout = &layout[0];
  call.out_layout = &layout[1];
  call.count = count;
  call.flags = keep ? GP_KEEP_GAPS : 0;
  call.policy = policy;
  call.in = in + shift[0];
  call.out = in_place ? in + shift[0] : out + shift[1];
  if (apart) {
    for (f = 0; f < n; f++) columns[f] = (unsigned char *)call.out + fields[1][f].offset * count;
    layout[1].columns = columns;
    call.out = NULL;
  }
  r = run_gpu(&call, NULL);
  wait_stream(NULL);
  download(got, in_place ? in + shift[0] : out + shift[1], span[1]);
  layout[1].columns = NULL;
  call.policy = NULL;
  call.in = host_in;
  call.out = host_out;
  want = gp_run(host, &call, NULL);
  if (r == GP_E_POLICY && policy) {
  } else if (r || want) fail("layouts: seed %llu: %s", (unsigned long long)seed, gp_last_message());
  else {
    for (i = 0; i < span[1] && got[i] == host_out[i]; i++) continue;
    // In the last block of an array in place, positions beyond the count have no owner.
    if (i < span[1])
      fail("layouts: seed %llu, %llu structs, width %llu to %llu%s: byte %llu is %d, not %d", (unsigned long long)seed,
          (unsigned long long)count, (unsigned long long)layout[0].width, (unsigned long long)layout[1].width,
          in_place ? ", in place" : "", (unsigned long long)i, got[i], host_out[i]);
    else pass();
  }
  free(got);
  if (!in_place) free(host_out);
  free(host_in);
  device_free(in);
  if (out) device_free(out);
}

static void layouts_drawn(void) {
  static const uint64_t counts[] = {1, 15, 16, 17, 255, 1000, 1024, 1025, 4099, 33333, 300007};
  const int seeds = sanitizer ? 40 : quick ? 80 : 600;
  int i;
  for (i = 0; i < seeds && !out_of_time(); i++) {
    const uint64_t seed = gp_data_hash((uint64_t)i + 1);
    gp_policy policy = drawn_policy(GP_CONVERT_LAYOUT, seed);
    layouts_case(seed, counts[seed % (sanitizer ? 9 : COUNT(counts))], on_gpu && i % 3 == 0 ? &policy : NULL);
  }
}

// Structs of five words, counted up, more than 2^32 bytes, become columns, and structs again.
static void layouts_big(void) {
  static const gp_field fields[] = {{0, 4}, {4, 4}, {8, 4}, {12, 4}, {16, 4}};
  static uint32_t window[4096];
  static const uint32_t zero = 0, one = 1;
  const uint64_t n = (1ull << 28) + 16, bytes = n * 20;
  const gp_layout structs = {sizeof(gp_layout), GP_AOS, 20, fields, 5, 0, NULL, 0, {0, 0, 0, 0}},
                  arrays = {sizeof(gp_layout), GP_SOA, 20, fields, 5, 0, NULL, 0, {0, 0, 0, 0}};
  size_t room = 0, total = 0;
  uint32_t *a, *b;
  gp_result r;
  uint64_t f, i, at;
  if (!on_gpu || sanitizer || !full) return;
  GP_CUDA_CHECK(&cuda, memory_info(&room, &total));
  if (room < 2 * bytes + (1ull << 30)) {
    printf("skipped: layouts of %llu structs need %llu GiB of device memory\n", (unsigned long long)n,
        (unsigned long long)(2 * bytes >> 30) + 2);
    skipped++;
    return;
  }
  a = (uint32_t *)device_new(bytes);
  b = (uint32_t *)device_new(bytes);
  r = gp_iota(gpu, GP_U32, &zero, &one, a, n * 5, NULL);
  if (!r) r = gp_convert_layout(gpu, &structs, &arrays, a, n, b, 0, NULL);
  if (!r) r = gp_fill(gpu, GP_U32, &zero, a, n * 5, NULL);
  if (!r) r = gp_convert_layout(gpu, &arrays, &structs, b, n, a, 0, NULL);
  if (r) fail("layouts of %llu structs: %s", (unsigned long long)n, gp_last_message());
  for (f = 0; f < 10 && !r; f++) {
    const uint32_t *array = f < 5 ? b + f * n : a;
    for (at = 0; at < 3; at++) {
      const uint64_t from = at == 0 ? 0 : at == 1 ? n / 2 + f : (f < 5 ? n : 5 * n) - COUNT(window);
      download(window, array + from, sizeof window);
      for (i = 0; i < COUNT(window); i++)
        if (window[i] != (uint32_t)(f < 5 ? (from + i) * 5 + f : from + i)) break;
      if (i < COUNT(window))
        fail("layouts of %llu structs: element %llu", (unsigned long long)n, (unsigned long long)(from + i));
      else pass();
    }
  }
  device_free(a);
  device_free(b);
}

static void group_layouts(void) {
  cases_sizes(LAYOUT_CELLS, COUNT(LAYOUT_CELLS));
  layouts_drawn();
  cases_graph(LAYOUT_CELLS, COUNT(LAYOUT_CELLS));
  cases_streams(LAYOUT_CELLS, COUNT(LAYOUT_CELLS));
  layouts_big();
}

#endif
