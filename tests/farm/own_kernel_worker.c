// own_kernel_worker.c - the worker's part for users' kernels, on host memory: arrays in every layout are filled, passed
// to the kernel, checked, and guarded. A stand-in for the kernel of examples/tuned_layouts.cuh reads any layout.
#include "../../tools/tune/worker.c"

#include <math.h>

#define PARTICLE(F) \
  F(float, x) F(float, y) F(float, z) F(float, mass) F(float, vx) F(float, vy) F(float, vz) F(unsigned char, kind)
GP_LAYOUT(Particle, PARTICLE)

static enum { RIGHT, IGNORES_LAYOUT, WRITES_BEHIND } behaviour;
static gp_array seen;
static int test_passed, test_failed;

static void expect(int good, const char *what, const char *policy, const char *message) {
  good ? test_passed++ : test_failed++;
  if (!good) printf("FAILED: %s: %s: %s\n", what, policy, message);
}

static int fake_alloc(uint64_t *at, size_t bytes) {
  *at = (uint64_t)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *at == 0;
}
static int fake_free(uint64_t at) { return free((void *)(uintptr_t)at), 0; }
static int fake_to_device(uint64_t at, const void *from, size_t bytes) {
  return memcpy((void *)(uintptr_t)at, from, bytes), 0;
}
static int fake_to_device_async(uint64_t at, const void *from, size_t bytes, void *on_stream) {
  return (void)on_stream, fake_to_device(at, from, bytes);
}
static int fake_to_host(void *to, uint64_t at, size_t bytes) {
  return memcpy(to, (const void *)(uintptr_t)at, bytes), 0;
}
static int fake_copy(uint64_t to, uint64_t from, size_t bytes, void *on_stream) {
  return (void)on_stream, memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes), 0;
}
static int fake_synchronize(void) { return 0; }
static int fake_event_create(void **event, unsigned flags) { return (void)flags, *event = NULL, 0; }
static int fake_event_record(void *event, void *on_stream) { return (void)event, (void)on_stream, 0; }
static int fake_stream_wait(void *on_stream) { return (void)on_stream, 0; }

// The step, in cells of 32.
static int fake_launch(const void *config, void *function, void **parameters, void **extra) {
  gp_array p = seen = *(gp_array *)parameters[0];
  const uint64_t n = *(uint64_t *)parameters[1];
  uint64_t cell, i, j;
  (void)config, (void)function, (void)extra;
  if (behaviour == IGNORES_LAYOUT) p.layout = GP_AOS;
  if (behaviour == WRITES_BEHIND) ((char *)p.base)[gp_array_bytes(&p)] = 0;
  for (cell = 0; cell < n; cell += 32) {
    float a[32][3] = {{0}};
    const uint64_t end = n - cell < 32 ? n : cell + 32;
    for (i = cell; i < end; i++)
      for (j = cell; j < end; j++) {
        const float d[3] = {GP_AT(Particle, p, j, x) - GP_AT(Particle, p, i, x),
            GP_AT(Particle, p, j, y) - GP_AT(Particle, p, i, y), GP_AT(Particle, p, j, z) - GP_AT(Particle, p, i, z)};
        const float pull = GP_AT(Particle, p, j, mass) / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1);
        int k;
        for (k = 0; k < 3; k++) a[i - cell][k] += pull * d[k];
      }
    for (i = cell; i < end; i++) {
      GP_AT(Particle, p, i, x) += 0.0625f * (GP_AT(Particle, p, i, vx) += 0.0625f * a[i - cell][0]);
      GP_AT(Particle, p, i, y) += 0.0625f * (GP_AT(Particle, p, i, vy) += 0.0625f * a[i - cell][1]);
      GP_AT(Particle, p, i, z) += 0.0625f * (GP_AT(Particle, p, i, vz) += 0.0625f * a[i - cell][2]);
    }
  }
  return 0;
}

// Verifies and calls a variant, as a job does. Returns verify_kernel's result.
static int run_variant(const char *layout, const char *n, variant *v) {
  char policy[200], cell_words[100];
  cell c;
  verified *known;
  const char *wrong;
  int good;
  memset(v, 0, sizeof *v);
  snprintf(policy, sizeof policy, "GP_LAYOUT_Particle=%s,GP_LAYOUT_Body=GP_SOA,STEP_THREADS=128", layout);
  snprintf(cell_words, sizeof cell_words, "kernel step n=%s protocol=cold", n);
  wrong = parse_kernel_cell(cell_words, &c);
  if (!wrong) wrong = parse_kernel_policy(policy, v);
  if (wrong) fatal("%s", wrong);
  v->has_policy = 1;
  known = find_verified(policy, 1); // as if its machine code had been loaded
  snprintf(known->echo, sizeof known->echo, "%p", (void *)&seen);
  reserve_kernel(&c);
  good = verify_kernel(&c, v);
  expect(kernel_sets(&c) >= 2, "sets", policy, "");
  if (good) {
    memcpy((char *)(uintptr_t)pools[ROLE_in].at + buffers_stride(c.n), (char *)(uintptr_t)pools[ROLE_in].at,
        (size_t)buffers_stride(c.n));
    expect(call_kernel(&c, v, 1), "call", policy, v->message);
    expect((uintptr_t)seen.base == pools[ROLE_in].at + buffers_stride(c.n) + GUARD, "place of a set", policy, "");
    expect(seen.layout == gp_tune_layout(v->numbers[0]) && seen.extent[0] == c.n && !gp_array_check(&seen),
        "the kernel's parameter", policy, gp_last_message());
  }
  return good;
}

// After any earlier runs, a batch of one call leaves the host part's fill plus one step in every set.
static void expect_fresh_batches(const char *protocol, const char *n, variant *const *variants, int count) {
  char words[100];
  cell c;
  uint64_t set = 0;
  int i;
  snprintf(words, sizeof words, "kernel step n=%s protocol=%s", n, protocol);
  if (parse_kernel_cell(words, &c)) fatal("%s", words);
  reserve_kernel(&c);
  for (i = 0; i < 2 * count; i++) {
    variant *v = variants[i % count];
    void *given[1] = {&seen};
    const char *wrong;
    expect(run_batch(&c, v, 1, &set), "a batch", words, v->message);
    wrong = kernel->check(given, c.n);
    expect(!wrong, "what the batch began with", words, wrong ? wrong : "");
    batch_count = 0;
  }
}

// NVML's counter: each launch takes 3 mJ, and the counter shows whole steps of 5. A batch is 50 launches, so that a
// window of one batch errs by a thirtieth.
enum { JOULES_MJ = 3, STEP_MJ = 5 };
static unsigned long long launches;
static int stuck;
static int counted_launch(const void *config, void *function, void **parameters, void **extra) {
  launches++;
  return fake_launch(config, function, parameters, extra);
}
static int fake_energy(void *at, unsigned long long *millijoules) {
  (void)at;
  *millijoules = stuck ? 7 : launches * JOULES_MJ / STEP_MJ * STEP_MJ;
  return 0;
}
static int fake_event_wait(void *event) { return (void)event, 0; }
static int fake_event_elapsed(float *ms, void *from, void *to) { return (void)from, (void)to, *ms = 2, 0; }

static void expect_energy(variant *v) {
  job j;
  uint64_t set = 0;
  double us;
  memset(&j, 0, sizeof j);
  if (parse_kernel_cell("kernel step n=33 protocol=cold", &j.cell)) fatal("a cell");
  reserve_kernel(&j.cell);
  j.batch_us = 3e4;
  v->count = 0, v->first_us = 100, v->calls = 1;
  v->status = "ok";
  cuda.launch = counted_launch, cuda.event_wait = fake_event_wait, cuda.event_elapsed = fake_event_elapsed;
  expect(
      !run_energy_round(&j, v, &set) && strstr(v->message, "no energy counter"), "without NVML", "energy", v->message);
  nvml.device = &nvml, nvml.energy = fake_energy;
  v->status = "ok";
  expect(run_energy_round(&j, v, &set) && v->count == 1, "a round", "energy", v->message);
  expect(fabs(v->us[0] - 1e3 * JOULES_MJ) < 300, "microjoules a call", "energy", "");
  us = 2e3 / (5000 / v->first_us); // the calls of a batch take 2 ms
  j.by_time = 1;
  expect(run_energy_round(&j, v, &set) && fabs(v->us[1] / v->us[0] / us - 1) < 0.1, "times microseconds", "edp", "");
  stuck = 1;
  expect(!run_energy_round(&j, v, &set) && strstr(v->message, "does not move"), "a counter that stands", "energy",
      v->message);
}

int main(int count, char **arguments) {
  static const char *const LAYOUTS[] = {"GP_AOS", "GP_SOA", "16", "32", "64"}, *const SIZES[] = {"33", "1000", "4096"};
  const char *wrong;
  variant v, of[5], *const all[5] = {&of[0], &of[1], &of[2], &of[3], &of[4]};
  int i, k;
  wrong = count > 1 ? kernel_read(arguments[1], &file) : "own_kernel_worker KERNEL.cuh";
  if (!wrong) wrong = kernel_open(&file, &kernel);
  if (wrong) fatal("%s", wrong);
  cuda.alloc = fake_alloc, cuda.free_ = fake_free, cuda.to_device = fake_to_device, cuda.to_host = fake_to_host;
  cuda.to_device_async = fake_to_device_async, cuda.copy = fake_copy, cuda.synchronize = fake_synchronize;
  cuda.stream_wait = fake_stream_wait, cuda.launch = fake_launch;
  device.multiprocessors = 4;
  l2_bytes = 1 << 16;
  for (i = 0; i < 5; i++)
    for (k = 0; k < 3; k++) expect(run_variant(LAYOUTS[i], SIZES[k], &v), "a right kernel", LAYOUTS[i], v.message);
  on = &kernel_subject;
  cuda.event_create = fake_event_create, cuda.event_record = fake_event_record;
  for (i = 0; i < 5; i++) run_variant(LAYOUTS[i], SIZES[1], &of[i]);
  expect_fresh_batches("cold", SIZES[1], all, 5);
  expect_fresh_batches("graph", SIZES[2], all, 5); // the next size
  expect_fresh_batches("back_to_back", SIZES[1], all, 1);
  expect_energy(&of[0]);
  behaviour = WRITES_BEHIND;
  for (i = 0; i < 5; i++) // sizes not verified before
    expect(!run_variant(LAYOUTS[i], "2000", &v) && strstr(v.message, "outside its buffers"), "a byte behind",
        LAYOUTS[i], v.message);
  behaviour = IGNORES_LAYOUT;
  for (i = 1; i < 5; i++)
    expect(!run_variant(LAYOUTS[i], "3000", &v) && strstr(v.message, "particle"), "the layout ignored", LAYOUTS[i],
        v.message);
  printf("%d passed, %d failed, 0 skipped\n", test_passed, test_failed);
  return test_failed != 0;
}
