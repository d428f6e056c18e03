// core/places.c - checking a call: places of buffers and values that an earlier call has shown to be right
// uses: core/rules.h, core/state.c

// A call asks the driver about a pointer only where no call has asked about its place, 2 MiB of addresses. The table
// holds places that the back end reaches, and places of values that the host reads; a pointer that is wrong is asked
// about again. Two threads that write to a set at once may lose an entry: its place is asked about once more.
enum { GP__PLACE_BITS = 21, GP__PLACE_WAYS = 4, GP__PLACE_SETS = GP__PLACES / GP__PLACE_WAYS };
GP__HOST uintptr_t *gp__place_set(gp__state *s, uintptr_t place) {
  return &s->places[(place ^ place >> 7 ^ place >> 14) % GP__PLACE_SETS * GP__PLACE_WAYS];
}
GP__HOST uintptr_t gp__place_of(const void *pointer, int value) {
  return (uintptr_t)pointer >> GP__PLACE_BITS << 1 | (uintptr_t)value;
}
GP__HOST int gp__place_is_known(gp__state *s, const void *pointer, int value) {
  const uintptr_t place = gp__place_of(pointer, value), *set = gp__place_set(s, place);
  int i;
  for (i = 0; i < GP__PLACE_WAYS; ++i)
    if (__atomic_load_n(&set[i], __ATOMIC_RELAXED) == place) return place > 1; // 0 and 1: no place
  return 0;
}
// The place becomes its set's first; the least recently asked one goes.
GP__HOST void gp__know_place(gp__state *s, const void *pointer, int value) {
  const uintptr_t place = gp__place_of(pointer, value);
  uintptr_t *set = gp__place_set(s, place);
  int i = 0;
  while (i < GP__PLACE_WAYS - 1 && __atomic_load_n(&set[i], __ATOMIC_RELAXED) != place) ++i;
  for (; i > 0; --i) __atomic_store_n(&set[i], __atomic_load_n(&set[i - 1], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
  __atomic_store_n(&set[0], place, __ATOMIC_RELAXED);
}
