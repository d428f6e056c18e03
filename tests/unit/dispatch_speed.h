// dispatch_speed.h - the host's share of a call, relative to the driver's launch: timed without checkers
// (test_dispatch_speed.cpp), and run under the address checker (test_dispatch.cpp).
#ifndef DISPATCH_SPEED_H
#define DISPATCH_SPEED_H

#include "dispatch_test.h"

FAKE_KERNEL(gp__scan_args,
    gp__scan_look_back<gp__policy<128, 1, 3, 3, 3, 1, 2>, false, gp_sum<int>, gp__load<int, int, gp_convert<int, int>>,
        int, int, int>);

// Seconds of this thread's processor time, which other programs disturb least.
static double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

static void test_speed() {
  fake::machine.pageable = false; // so that the library looks where buffers lie, as on most machines
  gp_context *ctx = open_fake();
  fake::machine.run = false;
  Device<int> in(1000), out(1000);
  fake::places[in.data] = fake::places[out.data] = {1000 * sizeof(int), 2};
  gp_policy q = small(GP_LOOK_BACK);
  fake::Stream *stream = fake::make_stream();
  Device<int> in2(1000), out2(1000);
  gp_call other = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in2.data, out2.data, 1000);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const int rounds = 100; // its speed does not matter
#else
  const int rounds = 10000;
#endif
  double best[4] = {1e9, 1e9, 1e9, 1e9}, driver = 1e9; // the last: calls that no plan serves
  const auto is_noise = [&] { return rounds >= 10000 && best[0] - driver >= 0.5 * (best[3] - driver); };
  // In turns, so that all four get quiet moments; on a busy machine these take longer to come.
  for (int repeat = 0; repeat < 10 || (repeat < 200 && is_noise()); ++repeat) {
    for (int kind = 0; kind < 2; ++kind) {
      gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, 1000);
      c.policy = kind ? &q : nullptr;
      const unsigned long before = fake::counts.total;
      gp_run(ctx, &c, stream);
      const double start = thread_seconds();
      for (int i = 0; i < rounds; ++i) gp_run(ctx, &c, stream);
      best[kind] = std::min(best[kind], (thread_seconds() - start) / rounds * 1e6);
      CHECK((fake::counts.total - before) / (rounds + 1) <= 6); // calls of the driver for each of ours
    }
    gp_call one = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, 1000);
    const double alone = thread_seconds();
    for (int i = 0; i < rounds; ++i)
      memset(ctx->state->numbers, 0, sizeof ctx->state->numbers), gp_run(ctx, &one, stream);
    best[3] = std::min(best[3], (thread_seconds() - alone) / rounds * 1e6);
    gp_prepared *prepared = nullptr;
    gp_call c = fold_call(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, in.data, out.data, 1000);
    GOOD(gp_prepared_open(ctx, &c, &prepared));
    GOOD(gp_prepared_run(prepared, &c, stream));
    const double begun = thread_seconds();
    for (int i = 0; i < rounds; ++i) {
      std::swap(c.in, other.in), std::swap(c.out, other.out);
      gp_prepared_run(prepared, &c, stream);
    }
    best[2] = std::min(best[2], (thread_seconds() - begun) / rounds * 1e6);
    GOOD(gp_prepared_close(prepared));
    const gp_driver *d = fake::table(); // the fake driver's own time for the calls of one without a plan
    gp__cu_attribute overlap = {};
    overlap.id = GP__CU_PROGRAMMATIC_SERIALIZATION, overlap.value.number = 1;
    gp__cu_launch launch = {1, 1, 1, 128, 1, 1, 0, stream, &overlap, 1};
    void *p;
    int status;
    fake::current.push_back(&fake::primary[0]);
    void *module = *fake::modules.begin(), *parameters[1] = {nullptr};
    const double start = thread_seconds();
    for (int i = 0; i < rounds; ++i) {
      d->cuCtxGetCurrent(&p), d->cuStreamGetCtx(stream, &p);
      d->cuStreamIsCapturing(stream, &status), d->cuCtxPushCurrent(&fake::primary[0]), d->cuCtxPopCurrent(&p);
      d->cuLaunchKernelEx(&launch, module, parameters, nullptr);
    }
    driver = std::min(driver, (thread_seconds() - start) / rounds * 1e6);
    fake::current.pop_back();
  }
  printf("a repeated call: %.2f us, with a policy of the caller %.2f us, prepared %.2f us, without a "
         "plan %.2f us; of that the fake driver %.2f us\n",
      best[0], best[1], best[2], best[3], driver);
  const double share = best[0] - driver, whole = best[3] - driver;
  for (int kind = 0; kind < 3; ++kind)
    check(rounds < 10000 || best[kind] - driver < 0.5 * whole, __LINE__,
        "the host's share of a repeated call (%d) is %.2f us, of one without a plan %.2f us", kind, best[kind] - driver,
        whole);
  check(rounds < 10000 || share < 0.5, __LINE__, "the host's share of a repeated call is %.2f us", share);
  check(rounds < 10000 || whole < 2.0, __LINE__, "the host's share of a call without a plan is %.2f us", whole);
#ifdef __OPTIMIZE__ // ratios, independent of the processor's speed
  check(rounds < 10000 || share < 0.6 * driver, __LINE__,
      "the host's share of a repeated call is %.2f of the emulated driver's", share / driver);
  check(rounds < 10000 || whole < 2 * driver, __LINE__,
      "the host's share of a call without a plan is %.2f of the emulated driver's", whole / driver);
#endif
  CHECK(fake::counts.calls["cuPointerGetAttributes"] < 100); // no call but the first asks
  CLOSE(ctx);
  fake::destroy_stream(stream);
  fake::places.clear();
  fake::machine.pageable = true;
}

#endif // DISPATCH_SPEED_H
