// gp_check_find.h - gp_check's group "first": searches for the first element in inputs of many tiles. Hits are planted
// at both ends, beside boundaries of tiles, many at once, nowhere. Each call follows others on the same workspace.
// Included by gp_check.c after gp_check_sorting.h.
#ifndef GP_CHECK_FIND_H
#define GP_CHECK_FIND_H

enum { FIRST_SEARCHES = 7 };
// x rises by one from each element to the next, but at planted hits; y is x without hits.
static gp_result first_call(int which, const gp_policy *policy, const uint32_t *x, const uint32_t *y, uint64_t n,
    uint64_t *result, const char **name) {
  static const gp_primitive searches[FIRST_SEARCHES] = {
      GP_FIND_IF, GP_ANY, GP_ALL, GP_MISMATCH, GP_EQUAL_ARRAYS, GP_IS_SORTED, GP_ADJACENT_FIND};
  static const char *const names[] = {
      "find_if", "any", "all", "mismatch", "equal_arrays", "is_sorted", "adjacent_find"};
  static const uint32_t zero = 0;
  const gp_primitive p = searches[which];
  gp_call c = gp_call_init(p);
  *name = names[which];
  c.count = n;
  c.policy = policy;
  if (p == GP_IS_SORTED) c.key_type = GP_U32, c.keys = x;
  else c.in_type = GP_U32, c.in = x;
  if (p == GP_FIND_IF || p == GP_ANY) c.op = GP_EQUAL, c.scalar = &zero;
  if (p == GP_ALL) c.op = GP_NOT_EQUAL, c.scalar = &zero;
  if (p == GP_MISMATCH || p == GP_EQUAL_ARRAYS) c.in2 = y;
  if (p == GP_ANY || p == GP_ALL || p == GP_EQUAL_ARRAYS) c.out = result;
  else c.out_count = result;
  return gp_run(gpu, &c, NULL);
}
// The result where `first` is the first hit, a zero; n: there is none.
static uint64_t first_expected(int which, uint64_t first, uint64_t n) {
  switch (which) {
  case 1: return first < n;
  case 2:
  case 4: return first == n;
  case 5: return first < n ? first : UINT64_MAX;
  case 6: // elements rise: zeros beside each other are planted in pairs
    return first < n ? first : n;
  default: return first;
  }
}

static void first_check(const gp_policy *policy, uint64_t n, uint64_t shift, uint64_t first, int more) {
  static uint32_t *host_x, *host_y;
  static char *x, *y, *out;
  static uint64_t room;
  uint64_t i;
  int which;
  if (room < n + 8) {
    if (room) device_free(x), device_free(y), device_free(out), free(host_x), free(host_y);
    room = n + 8;
    host_x = (uint32_t *)malloc(room * 4), host_y = (uint32_t *)malloc(room * 4);
    x = device_new(room * 4), y = device_new(room * 4), out = device_new(64);
    for (i = 0; i < room; i++) host_y[i] = (uint32_t)i + 1;
  }
  memcpy(host_x, host_y, n * 4);
  for (which = 0; which < FIRST_SEARCHES; which++) {
    uint64_t at = first, got = 0, want;
    const char *name = "";
    gp_result r;
    if (which == 5 && !at) at = 1; // the first key is in order
    if (which == 6 && at < n && at + 1 >= n) at = n > 1 ? n - 2 : n;
    if (at > n) at = n;
    if (which == 5 && at >= n) at = n;
    if (at < n) {
      host_x[at] = 0;
      if (which == 6) host_x[at + 1] = 0;
      for (i = 0; more && i < 200; i++) host_x[at + gp_data_hash(i + n) % (n - at)] = 0;
    }
    want = first_expected(which, at, n);
    upload(x + shift * 4, host_x, n * 4);
    upload(y, host_y, n * 4);
    upload(out, &got, 8);
    r = first_call(
        which, policy, (uint32_t *)(void *)(x + shift * 4), (uint32_t *)(void *)y, n, (uint64_t *)(void *)out, &name);
    wait_device();
    download(&got, out, 8);
    if (r) fail("%s n=%llu: %s: %s", name, (unsigned long long)n, gp_result_name(r), gp_last_message());
    else if (got != want)
      fail("%s n=%llu shift=%llu first=%llu more=%d: %llu, not %llu", name, (unsigned long long)n,
          (unsigned long long)shift, (unsigned long long)at, more, (unsigned long long)got, (unsigned long long)want);
    else pass();
    memcpy(host_x, host_y, n * 4);
  }
}

static void group_first(void) {
  static const uint64_t counts[] = {1, 1000, 8192, 700001, 5000000, 40000000};
  static const int threads[] = {0, 128, 1024}, vectors[] = {0, 1, 8};
  int k, w, q, shift;
  for (k = 0; k < (sanitizer ? 4 : quick ? 5 : COUNT(counts)); k++) {
    const uint64_t n = counts[k];
    const uint64_t tile = 8192; // elements
    const uint64_t places[] = {n, 0, n - 1, n / 2, n / 100, n / 3 / tile * tile, n / tile * tile, n / tile * tile - 1,
        n / 2 / tile * tile + 1, n / 5 / tile * tile};
    for (w = 0; w < COUNT(places); w++)
      for (q = 0; q < (on_gpu ? COUNT(threads) : 1); q++)
        for (shift = 0; shift < 2; shift++) {
          gp_policy policy;
          if (out_of_time()) return;
          if ((quick || sanitizer) && (w + q + shift) % 3) continue;
          memset(&policy, 0, sizeof policy);
          policy.threads = threads[q];
          policy.vectors = vectors[q];
          first_check(q ? &policy : NULL, n, (uint64_t)shift, places[w] < n ? places[w] : n, (w + q) % 2);
        }
  }
}

#endif
