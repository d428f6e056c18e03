// core/kernels.c - loaded kernels
// uses: api/config.h, api/lists.h, api/context_types.h, core/words.h, core/rules.h, core/driver.c, core/libraries.c,
//   core/state.c, core/life.c, core/spelling.c

// Two levels: a kernel is found by its spelling, without writing a text; its machine code by the hash of the program's
// text and options, also the key of the disk cache and of bundles. A context keeps a bounded number of kernels. One too
// many evicts the least recently used ones, with machine code that no other kernel shares. A kernel stays while a call
// holds it (from its look-up to its launch), and once a graph has captured it. Launches of an evicted kernel may still
// be queued: cuModuleUnload leaves them alone, and may wait for them, as cuModuleLoadData may wait for the device. A
// call whose kernels are loaded does neither.

// Mixes `bytes` bytes, a multiple of 8, into a number, best into its high bits.
GP__HOST uint64_t gp__mixed(const void *data, size_t bytes) {
  const gp__u8 *at = (const gp__u8 *)data;
  uint64_t h = 1, word[2] = {0, 0};
  for (; bytes > 8; bytes -= 16, at += 16) { // by two: a multiplication waits for the one before
    memcpy(word, at, 16);
    h = (h ^ word[0]) * 0xff51afd7ed558ccdull + word[1] * 0x9e3779b97f4a7c15ull;
  }
  if (bytes) memcpy(word, at, 8);
  return (h ^ word[0]) * 0xff51afd7ed558ccdull;
}
GP__HOST unsigned gp__slot(const gp__spelling *w) {
  return (gp__mixed(w, gp__spelled_bytes(w)) >> 40) % GP__KERNEL_SLOTS;
}

// The kernel of a spelling, or NULL. The lock is held.
GP__HOST gp__kernel *gp__find_kernel(gp__state *s, unsigned slot, const gp__spelling *w) {
  gp__kernel *k = s->kernels[slot];
  while (k &&
      (memcmp(k->spelling, w, offsetof(gp__spelling, list)) != 0 ||
          memcmp(k->spelling->list, w->list, (size_t)w->list_count * sizeof *w->list) != 0))
    k = k->next;
  return k;
}
GP__HOST void gp__unlink_kernel(gp__state *s, const gp__kernel *k) {
  *(k->newer ? &k->newer->older : &s->newest) = k->older;
  *(k->older ? &k->older->newer : &s->oldest) = k->newer;
}
GP__HOST void gp__link_kernel(gp__state *s, gp__kernel *k) {
  k->newer = NULL;
  k->older = s->newest;
  *(s->newest ? &s->newest->newer : &s->oldest) = k;
  s->newest = k;
}
// A call begins to use a kernel, which becomes the newest. The lock is held.
GP__HOST void gp__use_kernel(gp__state *s, gp__kernel *k) {
  if (k != s->newest) gp__unlink_kernel(s, k), gp__link_kernel(s, k);
  __atomic_fetch_add(&k->users, 1, __ATOMIC_RELAXED);
}
// Finds or makes the kernel of a spelling; NULL: no memory. The lock is held.
GP__HOST gp__kernel *gp__make_kernel(gp__state *s, const gp__spelling *w) {
  const unsigned slot = gp__slot(w);
  gp__kernel *k = gp__find_kernel(s, slot, w);
  if (k) return k;
  k = (gp__kernel *)calloc(1, sizeof *k);
  if (k) k->spelling = (gp__spelling *)malloc(gp__spelled_bytes(w));
  if (!k || !k->spelling) {
    free(k);
    return NULL;
  }
  memcpy(k->spelling, w, gp__spelled_bytes(w));
  k->next = s->kernels[slot];
  s->kernels[slot] = k;
  gp__link_kernel(s, k);
  ++s->kernel_count;
  return k;
}
// The machine code of a program, made if there is none; NULL: no memory. The lock is held.
GP__HOST gp__code **gp__code_slot(gp__state *s, const char *key) {
  unsigned digits = 0;
  int i;
  for (i = 0; i < 8 && key[i]; ++i) digits = digits * 16 + ((unsigned)key[i] & 15) + (key[i] > '9' ? 9 : 0);
  return &s->codes[digits % GP__CODE_SLOTS];
}
GP__HOST gp__code *gp__make_code(gp__state *s, const char *key, int capability) {
  gp__code **slot = gp__code_slot(s, key), *c;
  for (c = *slot; c && (strcmp(c->key, key) != 0 || c->capability != capability); c = c->next) {}
  if (c) return c;
  c = (gp__code *)calloc(1, sizeof *c);
  if (!c) return NULL;
  snprintf(c->key, sizeof c->key, "%s", key);
  c->capability = capability;
  c->next = *slot;
  *slot = c;
  return c;
}
// Code loses a kernel. Without kernels it leaves the table, for gp__free_codes. The lock is held.
GP__HOST void gp__drop_code(gp__state *s, gp__code *c, gp__code **dropped) {
  gp__code **at = c ? gp__code_slot(s, c->key) : NULL;
  if (!c || --c->kernels) return;
  while (*at != c) at = &(*at)->next;
  *at = c->next;
  c->next = *dropped;
  *dropped = c;
}
// Frees dropped code. Without the lock, because the driver may take its time.
GP__HOST void gp__free_codes(gp__state *s, gp__code *dropped) {
  const struct gp_driver *d = &s->library.runtime.driver;
  int pushed = 0, mode = GP__CU_CAPTURE_RELAXED, entered = 0;
  if (!dropped) return;
  // Unloading belongs to no stream: a capture of this or of another thread must not forbid it.
  if (s->context)
    entered = gp__enter(s, "gp_run", &pushed) == GP_SUCCESS && !d->cuThreadExchangeStreamCaptureMode(&mode);
  while (dropped) {
    gp__code *c = dropped;
    dropped = c->next;
    if (c->module && (!entered || d->cuModuleUnload(c->module)))
      gp__log(&s->library.runtime, GP_LOG_WARNING, "the least recently used kernel could not be unloaded");
    free(c->image.owned);
    free(c->line.data);
    free(c);
  }
  if (entered) d->cuThreadExchangeStreamCaptureMode(&mode);
  if (s->context) gp__leave(s, "gp_run", pushed, GP_SUCCESS);
}
// Takes `wanted` kernels out of the table, the least recently used first. The lock is held.
GP__HOST void gp__drop_kernels(gp__state *s, int wanted, gp__code **dropped) {
  gp__kernel *k = s->oldest;
  while (k && wanted) {
    gp__kernel *old = k, **at = &s->kernels[gp__slot(k->spelling)];
    k = k->newer;
    if (__atomic_load_n(&old->users, __ATOMIC_ACQUIRE) || old->captured) continue;
    while (*at != old) at = &(*at)->next;
    *at = old->next;
    gp__unlink_kernel(s, old);
    gp__drop_code(s, old->code, dropped);
    free(old->spelling);
    free(old);
    __atomic_fetch_add(&s->evictions, 1, __ATOMIC_RELAXED);
    --s->kernel_count;
    --wanted;
  }
}
// Drops kernels if there are too many. The lock is held.
GP__HOST void gp__evict_kernels(gp__state *s, gp__code **dropped) {
  const int most = s->kernels_most;
  gp__drop_kernels(s, s->kernel_count > most ? s->kernel_count - most + most / GP__KERNELS_GO : 0, dropped);
}
// Ends a call's use of its kernels; NULL: one that it did not get.
GP__HOST void gp__let_kernels_go(gp__kernel *const *kernels, int count) {
  int i;
  for (i = 0; i < count; ++i)
    if (kernels[i]) __atomic_fetch_sub(&kernels[i]->users, 1, __ATOMIC_RELEASE);
}
// Keeps the kernels of a captured call: a graph may launch them as long as it lives.
GP__HOST void gp__keep_captured(gp__kernel *const *kernels, int count) {
  int i;
  for (i = 0; i < count; ++i)
    if (kernels[i]) __atomic_store_n(&kernels[i]->captured, 1, __ATOMIC_RELAXED);
}
