// Sorts, top-k, merges: whole calls with all their launches, on the emulated driver (dispatch_test.h).
#include "dispatch_test.h"

// ---- kernels that tests run

FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>>);
FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>, true>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_pass<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>, gp__none, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_pass<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>, gp__u32, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_pass<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>, unsigned int, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_pass<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_record<gp__radix_key<unsigned int>, unsigned int>,
        gp__none, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_sweeps<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_record<gp__radix_key<unsigned int>, unsigned int>,
        gp__none, gp__radix_narrow>);
FAKE_KERNEL(gp__hybrid_args, gp__leading_edges<gp__policy<128, 1, 3, 3, 2, 1, 2>, unsigned int, false, unsigned int>);
FAKE_KERNEL(gp__hybrid_args,
    gp__leading_sort<gp__policy<128, 1, 3, 3, 2, 1, 2>, unsigned int, false, 288, 16, 12, unsigned int>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_pass<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>, unsigned long long,
        gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_sweeps<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__radix_key<unsigned int>, unsigned long long,
        gp__radix_narrow>);
FAKE_KERNEL(
    gp__hybrid_args, gp__leading_edges<gp__policy<128, 1, 3, 3, 2, 1, 2>, unsigned int, false, unsigned long long>);
FAKE_KERNEL(gp__hybrid_args,
    gp__leading_sort<gp__policy<128, 1, 3, 3, 2, 1, 2>, unsigned int, false, 288, 16, 12, unsigned long long>);
FAKE_KERNEL(gp__gather_args, gp__gather<gp__policy<128, 1, 3, 3, 2, 1, 2>, gp__u64, 3, gp__u32>);
FAKE_KERNEL(
    gp__radix_args, gp__sort_one_launch<gp__policy<1024, 2, 3, 3, 0, 1, 2>, gp__radix_key<unsigned int>, gp__none>);
FAKE_KERNEL(gp__hybrid_args, gp__sort_sample<gp__policy<256, 1, 3, 3, 0, 1, 2>, unsigned int, false>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_count<gp__policy<256, 1, 3, 3, 0, 1, 2>, unsigned int, false, 512>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_move<gp__policy<256, 1, 3, 3, 0, 1, 2>, unsigned int, false>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_rest<gp__policy<256, 1, 3, 3, 0, 1, 2>, unsigned int, false>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_sort<gp__policy<256, 1, 3, 3, 0, 1, 2>, unsigned int, false, 288, 16, 12>);
FAKE_KERNEL(gp__hybrid_args, gp__sort_sample<gp__policy<256, 1, 3, 3, 1, 1, 2>, unsigned int, false, unsigned int>);
FAKE_KERNEL(
    gp__hybrid_args, gp__hybrid_count<gp__policy<256, 1, 3, 3, 1, 1, 2>, unsigned int, false, 512, unsigned int>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_move<gp__policy<256, 1, 3, 3, 1, 1, 2>, unsigned int, false, unsigned int>);
FAKE_KERNEL(gp__hybrid_args, gp__hybrid_rest<gp__policy<256, 1, 3, 3, 1, 1, 2>, unsigned int, false, unsigned int>);
FAKE_KERNEL(gp__hybrid_args,
    gp__hybrid_sort<gp__policy<256, 1, 3, 3, 1, 1, 2>, unsigned int, false, 288, 16, 12, unsigned int>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_sweeps<gp__policy<256, 2, 3, 3, 1, 2, 2>, gp__radix_key<unsigned int>, unsigned int, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<256, 2, 3, 3, 1, 2, 2>, gp__radix_key<unsigned int>>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_sweeps<gp__policy<256, 2, 3, 3, 1, 2, 2>, gp__radix_key<unsigned int>, gp__none, gp__radix_narrow>);
FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<384, 5, 3, 3, 2, 2, 2>, gp__radix_key<unsigned int>>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_sweeps<gp__policy<384, 5, 3, 3, 2, 2, 2>, gp__radix_key<unsigned int>, gp__none, gp__radix_narrow>);
FAKE_KERNEL(gp__map_args, gp__copy_kernel<gp__policy<128, 1, 3, 3, 2, 1, 2>, 24>);
FAKE_KERNEL(gp__transpose_args, gp__transpose<gp__policy<128, 1, 3, 3, 8, 0, 2>, 4, 4, 3>);
FAKE_KERNEL(gp__map_args, gp__copy_kernel<gp__policy<128, 1, 3, 3, 8, 0, 2>, 4>);

// ---- counting sort, top-k, nth element, shuffle: whole calls on the emulator

FAKE_KERNEL(gp__histogram_args, gp__count_keys<gp__policy<64, 1, 3, 3, 0, 1, 2>, unsigned char>);
FAKE_KERNEL(gp__histogram_args, gp__count_keys<gp__policy<1024, 6, 3, 3, 0, 1, 2>, unsigned char>);
FAKE_KERNEL(gp__counting_args, gp__counting_fill<gp__policy<64, 1, 3, 3, 0, 1, 2>, signed char, true>);
FAKE_KERNEL(gp__counting_args, gp__counting_fill<gp__policy<1024, 6, 3, 3, 0, 1, 2>, signed char, true>);
FAKE_KERNEL(gp__histogram_args, gp__count_keys<gp__policy<64, 1, 3, 3, 0, 1, 2>, unsigned short>);
FAKE_KERNEL(gp__counting_args, gp__counting_runs<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_f16, false>);
FAKE_KERNEL(gp__counting_args, gp__counting_fill<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_f16, false>);
FAKE_KERNEL(
    gp__top_k_args, gp__top_k_lists<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, gp__none, unsigned int, true, false>);
FAKE_KERNEL(
    gp__top_k_args, gp__top_k_merge<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, gp__none, unsigned int, true, false>);
FAKE_KERNEL(gp__top_k_args, gp__select_first<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, true>);
FAKE_KERNEL(gp__top_k_args, gp__select_next<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, true>);
FAKE_KERNEL(gp__top_k_args, gp__select_collect<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, gp__none, unsigned int, true>);
FAKE_KERNEL(gp__radix_args, gp__sort_one_cluster<gp__policy<256, 1, 3, 3, 0, 2, 2>, gp__radix_key<float>, gp__none>);
FAKE_KERNEL(
    gp__radix_args, gp__sort_one_cluster<gp__policy<256, 1, 3, 3, 0, 2, 2>, gp__radix_key<float>, unsigned int>);
FAKE_KERNEL(gp__radix_args, gp__sort_one_launch<gp__policy<256, 1, 3, 3, 0, 2, 2>, gp__radix_key<float>, gp__none>);
FAKE_KERNEL(gp__radix_args, gp__sort_one_launch<gp__policy<256, 1, 3, 3, 0, 2, 2>, gp__radix_key<float>, unsigned int>);
FAKE_KERNEL(gp__top_k_args, gp__select_bounded<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, true>);
FAKE_KERNEL(gp__top_k_args, gp__select_collect<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, gp__none, gp__none, true>);
FAKE_KERNEL(gp__radix_args, gp__sort_one_cluster<gp__policy<256, 1, 3, 3, 0, 1, 2>, gp__radix_key<float>, gp__none>);
FAKE_KERNEL(gp__radix_args, gp__sort_one_cluster<gp__policy<256, 1, 3, 3, 0, 1, 1>, gp__radix_key<float>, gp__none>);
FAKE_KERNEL(gp__top_k_args, gp__select_first<gp__policy<256, 2, 3, 3, 0, 4, 1>, float, true>);
FAKE_KERNEL(gp__top_k_args, gp__select_next<gp__policy<256, 2, 3, 3, 0, 4, 1>, float, true>);
FAKE_KERNEL(gp__top_k_args, gp__select_collect<gp__policy<256, 2, 3, 3, 0, 4, 1>, float, gp__none, gp__none, true>);
FAKE_KERNEL(gp__segmented_sort_args, gp__segments_begin<gp__policy<256, 4, 3, 3, 0, 2, 1>>);
FAKE_KERNEL(gp__segmented_sort_args,
    gp__segments_long<gp__policy<256, 4, 3, 3, 0, 2, 1>, float, gp__value_array<unsigned int>, true, unsigned int>);
FAKE_KERNEL(gp__segmented_top_k_args, gp__top_k_begin<gp__policy<64, 1, 3, 3, 0, 1, 2>>);
FAKE_KERNEL(gp__segmented_top_k_args,
    gp__top_k_short<gp__policy<64, 1, 3, 3, 0, 8, 2>, float, gp__none, unsigned long long, true, false>);
FAKE_KERNEL(gp__segmented_top_k_args,
    gp__top_k_tasks<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, gp__none, unsigned long long, true, false>);
FAKE_KERNEL(gp__segmented_top_k_args, gp__top_k_values<gp__policy<64, 1, 3, 3, 0, 1, 2>, float, float>);
FAKE_KERNEL(gp__segmented_top_k_args, gp__top_k_values<gp__policy<256, 1, 3, 3, 0, 2, 2>, float, float>);
FAKE_KERNEL(gp__map_args, gp__shuffle<gp__policy<128, 1, 3, 3, 0, 0, 2>, gp__none, unsigned int>);
FAKE_KERNEL(
    gp__radix_args, gp__sort_one_cluster<gp__policy<256, 1, 3, 3, 0, 1, 1>, gp__radix_key<float>, unsigned int>);

static unsigned rank_of_float(float x) { // largest first
  unsigned u;
  memcpy(&u, &x, sizeof u);
  return ~(u >> 31 ? ~u : u | 0x80000000u);
}
static void test_top_k() {
  fake::machine.multiprocessors = 3;
  gp_context *ctx = open_fake();
  gp_policy p = small(GP_COUNTING);
  p.threads = 64;
  // counting sort
  for (size_t n : {size_t(1), size_t(1023), size_t(9000)}) {
    std::vector<signed char> keys(n);
    std::vector<uint16_t> halves(n);
    for (size_t i = 0; i < n; ++i) keys[i] = (signed char)(i * 2654435761u >> 13), halves[i] = uint16_t(i * 40503u);
    Device<signed char> in(keys), out(n);
    Device<uint16_t> in16(halves), out16(n);
    gp_call c = gp_call_init(GP_SORT);
    c.policy = &p, c.key_type = GP_I8, c.keys = in.data, c.out_keys = out.data, c.count = n, c.flags = GP_DESCENDING;
    unsigned launches = fake::counts.launches;
    GOOD(gp_run(ctx, &c, nullptr));
    std::sort(keys.begin(), keys.end(), std::greater<signed char>());
    CHECK(fake::counts.launches == launches + 2 && memcmp(out.data, keys.data(), n) == 0);
    c.key_type = GP_F16, c.keys = in16.data, c.out_keys = out16.data, c.flags = 0;
    launches = fake::counts.launches;
    GOOD(gp_run(ctx, &c, nullptr));
    std::sort(halves.begin(), halves.end(), [](uint16_t a, uint16_t b) {
      return uint16_t(a >> 15 ? ~a : a | 0x8000) < uint16_t(b >> 15 ? ~b : b | 0x8000);
    });
    CHECK(fake::counts.launches == launches + 3 && memcmp(out16.data, halves.data(), n * 2) == 0);
    c.begin_bit = 0, c.end_bit = 8;
    BAD(GP_E_POLICY, "", gp_run(ctx, &c, nullptr));
    gp_policy wide = p; // a block writes more keys at a time than 16 bits count
    wide.threads = 1024, wide.vectors = 6;
    c.key_type = GP_I8, c.keys = in.data, c.out_keys = out.data, c.policy = &wide, c.flags = GP_DESCENDING,
    c.end_bit = 0;
    std::fill(out.data, out.data + n, 1);
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(memcmp(out.data, keys.data(), n) == 0);
  }
  // top-k by lists, of rows too; radix select; the same, sorted
  for (size_t k : {size_t(1), size_t(60), size_t(900)})
    for (int radix = 0; radix < 3; ++radix)
      for (size_t n : {k, size_t(3000), size_t(30000)}) {
        const size_t rows = n == k ? 5 : 1;
        std::vector<float> keys(n * rows);
        for (size_t i = 0; i < keys.size(); ++i) keys[i] = float(int(i * 2654435761u >> 20)) * (i % 3 ? 1.f : -1.f);
        Device<float> in(keys), out_keys(k * rows);
        Device<unsigned> out(k * rows);
        gp_call c = gp_call_init(GP_TOP_K);
        p.algorithm = radix ? GP_RADIX_SELECT : GP_BEST_LISTS;
        c.policy = &p, c.key_type = GP_F32, c.keys = in.data, c.out_keys = out_keys.data, c.out = out.data;
        c.out_type = GP_U32, c.count = n, c.k = k, c.rows = rows;
        c.flags = GP_DESCENDING | (radix == 1 ? GP_UNSORTED : 0);
        const unsigned launches = fake::counts.launches;
        uint64_t bytes = 0;
        GOOD(gp_workspace_size(ctx, &c, &bytes));
        GOOD(gp_run(ctx, &c, nullptr));
        const unsigned now = unsigned(fake::counts.launches) - launches;
        check(radix == 2 && k > 1 ? now == 5 && bytes
                : radix ? now == 4 && bytes
                : n < 30000 ? now == 1 && !bytes
                : now == 2 && bytes,
            __LINE__, "top %u of %u: %u launches, %llu bytes", unsigned(k), unsigned(n), now,
            (unsigned long long)bytes);
        bool good = true;
        for (size_t row = 0; row < rows; ++row) {
          std::vector<unsigned> order(n);
          for (size_t i = 0; i < n; ++i) order[i] = unsigned(i);
          const float *x = keys.data() + row * n;
          std::stable_sort(order.begin(), order.end(),
              [&](unsigned a, unsigned b) { return rank_of_float(x[a]) < rank_of_float(x[b]); });
          order.resize(k);
          if (radix == 1) std::sort(order.begin(), order.end());
          for (size_t i = 0; i < k; ++i)
            good = good && out.data[row * k + i] == order[i] && out_keys.data[row * k + i] == x[order[i]];
        }
        check(good, __LINE__, "top %u of %u rows of %u, radix %d", unsigned(k), unsigned(rows), unsigned(n), radix);
        if (rows > 1) continue;
        c = gp_call_init(GP_NTH_ELEMENT);
        p.algorithm = GP_RADIX_SELECT;
        c.policy = &p, c.key_type = GP_F32, c.keys = in.data, c.out_keys = out_keys.data, c.count = n;
        c.n = k - 1, c.flags = GP_DESCENDING;
        GOOD(gp_run(ctx, &c, nullptr));
        std::nth_element(keys.begin(), keys.begin() + long(k - 1), keys.end(),
            [](float a, float b) { return rank_of_float(a) < rank_of_float(b); });
        check(out_keys.data[0] == keys[k - 1], __LINE__, "element %u of %u", unsigned(k - 1), unsigned(n));
      }
  // few keys: a cluster or a cooperative launch sorts them all; radix select if the device refuses
  for (const int way : {GP_ONE_CLUSTER, GP_ONE_LAUNCH})
    for (const size_t n : {size_t(1), size_t(1025), size_t(4127)})
      for (const size_t k : {size_t(1), n / 2, n}) {
        if (!k) continue;
        for (int outs = 0; outs < 3; ++outs) { // keys; and indices; and values
          std::vector<float> keys(n);
          std::vector<unsigned> values(n), order(n);
          for (size_t i = 0; i < n; ++i)
            keys[i] = float(int(i * 2654435761u >> 22)) * (i % 3 ? 1.f : -1.f), values[i] = unsigned(i) * 7,
            order[i] = unsigned(i);
          Device<float> in(keys), out_keys(n);
          Device<unsigned> with(values), out(n);
          gp_policy few = small(way);
          gp_call c = gp_call_init(GP_TOP_K);
          few.threads = 256, few.blocks_per_sm = 2;
          c.policy = &few, c.key_type = GP_F32, c.keys = in.data, c.out_keys = out_keys.data, c.count = n, c.k = k;
          c.flags = GP_DESCENDING;
          if (outs) c.out = out.data, c.out_type = GP_U32;
          if (outs == 2) c.in = with.data, c.in_type = GP_U32;
          simt::host_fill(out_keys.data, 0x5a, n * 4);
          simt::host_fill(out.data, 0x5a, n * 4);
          const unsigned launches = fake::counts.launches;
          GOOD(gp_run(ctx, &c, nullptr));
          CHECK(fake::counts.launches == launches + 1);
          std::stable_sort(order.begin(), order.end(),
              [&](unsigned a, unsigned b) { return rank_of_float(keys[a]) < rank_of_float(keys[b]); });
          bool good = true;
          for (size_t i = 0; i < n; ++i) {
            const unsigned kept = 0x5a5a5a5au, wanted = !outs || i >= k ? kept : outs == 2 ? order[i] * 7 : order[i];
            good = good && out.data[i] == wanted &&
                (i < k ? out_keys.data[i] == keys[order[i]] : memcmp(out_keys.data + i, &kept, 4) == 0);
          }
          check(good, __LINE__, "top %u of %u, outs %d, way %d", unsigned(k), unsigned(n), outs, way);
        }
      }
  {
    std::vector<float> keys(1025, 1.f);
    keys[1000] = 7;
    Device<float> in(keys), out_keys(1);
    gp_policy few = small(GP_ONE_LAUNCH);
    gp_call c = gp_call_init(GP_TOP_K);
    few.threads = 256, few.blocks_per_sm = 2;
    c.policy = &few, c.key_type = GP_F32, c.count = keys.size(), c.keys = in.data, c.out_keys = out_keys.data;
    c.k = 1, c.flags = GP_DESCENDING;
    fake::machine.refusal = GP__CU_COOPERATIVE_TOO_LARGE;
    const unsigned launches = fake::counts.launches;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::counts.launches == launches + 4 && out_keys.data[0] == 7);
    fake::machine.refusal = 0;
  }
  // one launch puts aside the keys that matter, and a cluster sorts them; radix select if the device refuses either,
  // also what the plan of a repeated call launches
  for (const size_t k : {size_t(1), size_t(300), size_t(900)})
    for (int way = 0; way < 4; ++way) {
      const size_t n = 30000;
      std::vector<float> keys(n);
      for (size_t i = 0; i < n; ++i) keys[i] = way == 1 ? float(i % 3) : float(int(i * 2654435761u >> 12));
      Device<float> in(keys), out_keys(k);
      gp_call c = gp_call_init(GP_TOP_K);
      p.algorithm = GP_SAMPLED_SELECT;
      c.policy = &p, c.key_type = GP_F32, c.keys = in.data, c.out_keys = out_keys.data, c.count = n, c.k = k;
      c.flags = GP_DESCENDING;
      const bool refused = way % 3 == 0 && k == 300;
      fake::machine.clusters = refused && way ? 0 : 2;
      fake::machine.refusal = refused && !way ? GP__CU_COOPERATIVE_TOO_LARGE : 0;
      const unsigned launches = fake::counts.launches;
      GOOD(gp_run(ctx, &c, nullptr));
      fake::machine.clusters = 2;
      std::sort(keys.begin(), keys.end(), std::greater<float>());
      fake::machine.refusal = 0;
      const unsigned wanted = !refused ? 2 : way ? 1 + 6 : 5;
      check(fake::counts.launches == launches + wanted && !memcmp(out_keys.data, keys.data(), k * 4), __LINE__,
          "sampled, top %u, way %d: %u launches", unsigned(k), way, fake::counts.launches - launches);
    }
  // top-k of segments: short and long ones, in parts; of one length; a k for each
  for (const size_t longest : {size_t(300), size_t(600), size_t(1500), size_t(30000)})
    for (const bool equal : {false, true}) {
      p.algorithm = longest == 1500 ? GP_WARP_SEGMENTS : GP_BEST_LISTS; // a warp takes 1500 keys, a block 600
      const unsigned segments = !equal ? 40 : longest == 30000 ? 2 : 5, k = 30;
      std::vector<unsigned> offsets(1, 0), ks;
      for (unsigned i = 0; i < segments; ++i) {
        offsets.push_back(offsets.back() + unsigned(equal || i == 20 ? longest : i * 37 % longest));
        ks.push_back(i % 4 == 1 ? i : k + i);
      }
      const size_t n = offsets.back();
      std::vector<float> keys(n);
      for (size_t i = 0; i < n; ++i) keys[i] = float(int(i * 2654435761u >> 20)) * (i % 3 ? 1.f : -1.f);
      Device<float> in(keys), out_keys(segments * k);
      Device<unsigned> begin(offsets), own(ks);
      Device<long long> out(segments * k);
      for (size_t i = 0; i < segments * k; ++i) out_keys.data[i] = -7, out.data[i] = -7;
      gp_call c = gp_call_init(GP_SEGMENTED_TOP_K);
      c.policy = &p, c.key_type = GP_F32, c.keys = in.data, c.out_keys = out_keys.data, c.out = out.data;
      c.out_type = GP_I64, c.count = n, c.k = k, c.segments = segments, c.flags = GP_DESCENDING;
      if (equal) c.segment_length = longest;
      else c.offset_type = GP_I32, c.begin = begin.data, c.in2 = own.data;
      const unsigned launches = fake::counts.launches;
      uint64_t bytes = 0;
      GOOD(gp_workspace_size(ctx, &c, &bytes));
      GOOD(gp_run(ctx, &c, nullptr));
      const unsigned now = unsigned(fake::counts.launches) - launches, parts = longest == 30000;
      check(now == (equal && !parts ? 1u : 3u) && (bytes > 0) == (!equal || parts), __LINE__,
          "segments of up to %u, equal %d: %u launches, %llu bytes", unsigned(longest), equal, now,
          (unsigned long long)bytes);
      bool good = true;
      for (unsigned s = 0; s < segments; ++s) {
        const float *x = keys.data() + offsets[s];
        std::vector<unsigned> order(offsets[s + 1] - offsets[s]);
        for (size_t i = 0; i < order.size(); ++i) order[i] = unsigned(i);
        std::stable_sort(order.begin(), order.end(),
            [&](unsigned a, unsigned b) { return rank_of_float(x[a]) < rank_of_float(x[b]); });
        const size_t found = std::min<size_t>(order.size(), equal ? k : std::min(k, ks[s]));
        for (size_t i = 0; i < k; ++i)
          good = good && out.data[s * k + i] == (i < found ? (long long)order[i] : -7) &&
              out_keys.data[s * k + i] == (i < found ? x[order[i]] : -7);
      }
      check(good, __LINE__, "top %u of segments of up to %u, equal %d", k, unsigned(longest), equal);
    }
  // one permutation on the device and on the host
  {
    const size_t n = 5003;
    Device<unsigned> out(n);
    std::vector<unsigned> same(n);
    gp_policy direct = small(GP_DIRECT);
    gp_context *host = nullptr;
    gp_config with = config();
    const uint64_t seed = 0x123456789abcdef0ull;
    gp_call c = gp_call_init(GP_SHUFFLE);
    with.backend = GP_BACKEND_HOST;
    GOOD(gp_open(&with, &host));
    c.policy = &direct, c.out_type = GP_U32, c.out = out.data, c.count = n, c.seed = seed;
    GOOD(gp_run(ctx, &c, nullptr));
    GOOD(gp_shuffle(host, GP_U32, seed, nullptr, n, same.data(), nullptr));
    CHECK(memcmp(out.data, same.data(), n * 4) == 0);
    gp_close(host);
  }
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CLOSE(ctx);
}

// Values and indices in one call: of rows, a few of whose keys exist, of one row that is sorted, and of segments. The
// caller's policy is that of the search for indices.
static void test_top_k_of_both() {
  fake::machine.multiprocessors = 3;
  gp_context *ctx = open_fake();
  for (const int way : {int(GP_BEST_LISTS), int(GP_RADIX_SELECT), int(GP_ONE_LAUNCH), -1}) {
    const unsigned n = 3000, k = way == GP_RADIX_SELECT ? 90 : 60, rows = way < 0 ? 6 : way == GP_BEST_LISTS ? 2 : 1;
    const unsigned there = way == GP_BEST_LISTS ? 40 : n;
    std::vector<unsigned> offsets(1, way < 0 ? 5 : 0), ks;
    for (unsigned i = 0; i < rows; ++i) {
      offsets.push_back(offsets.back() + (way < 0 ? i * 37 % 70 + 20 : n));
      ks.push_back(i % 2 ? i : 100);
    }
    std::vector<float> keys(offsets.back()), values;
    for (size_t i = 0; i < keys.size(); ++i) {
      keys[i] = float(int(i * 2654435761u >> 22)) * (i % 3 ? 1.f : -1.f);
      values.push_back(float(i) + 0.5f);
    }
    Device<float> in(keys), with(values), out(rows * k), out_keys(rows * k);
    Device<unsigned> begin(offsets), own(ks), narrow(rows * k);
    Device<long long> wide(rows * k);
    Device<uint64_t> count(std::vector<uint64_t>(1, there));
    gp_policy p = small(way < 0 ? int(GP_BEST_LISTS) : way);
    gp_call c = gp_call_init(way < 0 ? GP_SEGMENTED_TOP_K : GP_TOP_K);
    p.threads = 64;
    if (way == GP_ONE_LAUNCH) p.threads = 256, p.blocks_per_sm = 2;
    c.policy = &p, c.key_type = GP_F32, c.keys = in.data, c.out_keys = out_keys.data, c.k = k, c.flags = GP_DESCENDING;
    c.in_type = GP_F32, c.in = with.data, c.out = out.data;
    c.count = way < 0 ? keys.size() : n;
    if (way < 0) {
      c.segments = rows, c.offset_type = GP_U32, c.begin = begin.data, c.in2 = own.data;
      c.out2_type = GP_I64, c.out2 = wide.data;
    } else {
      c.rows = rows, c.out2_type = GP_U32, c.out2 = narrow.data;
      if (there < n) c.count_device = count.data;
    }
    simt::host_fill(out.data, 0x5a, rows * k * 4);
    simt::host_fill(out_keys.data, 0x5a, rows * k * 4);
    simt::host_fill(narrow.data, 0, rows * k * 4); // as if these were indices
    simt::host_fill(wide.data, 0, rows * k * 8);
    const unsigned launches = fake::counts.launches;
    GOOD(gp_run(ctx, &c, nullptr));
    const unsigned wanted = way == GP_RADIX_SELECT ? 5 : 1; // and one that moves values
    check(fake::counts.launches == launches + wanted + 1, __LINE__, "both, way %d: %u launches", way,
        unsigned(fake::counts.launches - launches));
    const unsigned kept = 0x5a5a5a5au;
    bool good = true;
    for (unsigned row = 0; row < rows; ++row) {
      const float *x = keys.data() + offsets[row];
      std::vector<unsigned> order(std::min(there, offsets[row + 1] - offsets[row]));
      for (size_t i = 0; i < order.size(); ++i) order[i] = unsigned(i);
      std::stable_sort(order.begin(), order.end(),
          [&](unsigned a, unsigned b) { return rank_of_float(x[a]) < rank_of_float(x[b]); });
      const size_t found = std::min<size_t>(order.size(), way < 0 ? std::min(k, ks[row]) : k);
      for (size_t i = 0; i < k; ++i) {
        const size_t to = row * k + i;
        if (i >= found)
          good = good && !memcmp(out.data + to, &kept, 4) && !memcmp(out_keys.data + to, &kept, 4) &&
              narrow.data[to] == 0 && wide.data[to] == 0;
        else
          good = good && out.data[to] == values[offsets[row] + order[i]] && out_keys.data[to] == x[order[i]] &&
              (way < 0 ? wide.data[to] == (long long)order[i] : narrow.data[to] == order[i]);
      }
    }
    check(good, __LINE__, "values and indices, way %d", way);
  }
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CLOSE(ctx);
}

// ---- layouts: whole calls on the emulator, in place and not

// Rectangles in place through the workspace: the result, launches, the workspace, a capture, and the effect of a fault.
static void test_round_trips() {
  gp_policy p = small(GP_ROUND_TRIP);
  gp_permutation m = gp_permutation_init();
  gp_call c = gp_call_init(GP_TRANSPOSE);
  const uint64_t matrices = 3, rows = 48, columns = 80, matrix = rows * columns;
  p.blocks_per_sm = 0;
  m.dimensions = 3, m.extent[0] = matrices, m.extent[1] = rows, m.extent[2] = columns;
  m.order[1] = 2, m.order[2] = 1;
  for (const uint64_t gap : {0, 4}) {
    std::vector<int> before((matrix + gap) * matrices), wanted;
    for (size_t i = 0; i < before.size(); ++i) before[i] = int(i * 40503u >> 3);
    wanted = before;
    for (uint64_t i = 0; i < matrix * matrices; ++i) {
      const uint64_t first = i / matrix * (matrix + gap), row = i % matrix / columns, column = i % columns;
      wanted[first + column * rows + row] = before[first + row * columns + column];
    }
    m.in_stride[0] = m.out_stride[0] = gap ? matrix + gap : 0;
    Device<int> data(before);
    c.in = c.out = data.data, c.in_type = GP_I32, c.permutation = &m, c.policy = &p;
    const unsigned launches = gap ? 2 * unsigned(matrices) : 2; // non-contiguous ones: one by one
    for (unsigned long k = 0; k < 10000; ++k) { // 0: without a fault
      fake::reset();
      gp_context *ctx = open_fake();
      fake::Stream *stream = fake::make_stream();
      uint64_t bytes = 0;
      memcpy(data.data, before.data(), before.size() * sizeof(int));
      if (!k) {
        const unsigned launched = fake::counts.launches;
        GOOD(gp_workspace_size(ctx, &c, &bytes));
        CHECK(bytes == GP__CONTROL_BYTES + gp__round_up(matrix * 4 * (gap ? 1 : matrices), 256));
        GOOD(gp_prepare(ctx, &c));
        stream->capturing = 1;
        BAD(GP_E_WORKSPACE, "gp_reserve", gp_run(ctx, &c, stream));
        stream->capturing = 0;
        CHECK(data.get() == before);
        GOOD(gp_reserve(ctx, stream, bytes));
        stream->capturing = 1;
        GOOD(gp_run(ctx, &c, stream));
        CHECK(stream->launches == launches);
        stream->capturing = 0;
        memcpy(data.data, before.data(), before.size() * sizeof(int));
        GOOD(gp_run(ctx, &c, stream));
        CHECK(data.get() == wanted && fake::counts.launches - launched == launches);
        CLOSE(ctx);
        fake::destroy_stream(stream);
        continue;
      }
      fake::fail_at = fake::counts.total + k;
      const gp_result r = gp_run(ctx, &c, stream);
      const bool hit = !fake::failed_call.empty();
      // After any fault a matrix is unchanged or transposed.
      for (uint64_t i = 0; i < matrices; ++i) {
        const std::vector<int> got = data.get(), *const as[] = {&before, &wanted};
        const auto is = [&](int done) {
          const auto at = as[done]->begin() + long(i * (matrix + gap));
          return std::equal(
              at, at + long(matrix + (i + 1 < matrices ? gap : 0)), got.begin() + long(i * (matrix + gap)));
        };
        check(is(1) || (r && is(0)), __LINE__, "matrix %d after %s failed", int(i), fake::failed_call.c_str());
      }
      fake::fail_at = 0;
      CLOSE(ctx);
      fake::destroy_stream(stream);
      if (!hit) break;
    }
  }
  // The host back end accepts the policy, and ignores it.
  gp_context *host = nullptr;
  gp_config with = config();
  with.backend = GP_BACKEND_HOST;
  GOOD(gp_open(&with, &host));
  std::vector<int> small_one = {1, 2, 3, 4, 5, 6};
  m.extent[0] = 1, m.extent[1] = 2, m.extent[2] = 3, m.in_stride[0] = m.out_stride[0] = 0;
  c.in = c.out = small_one.data();
  GOOD(gp_run(host, &c, nullptr));
  CHECK((small_one == std::vector<int>{1, 4, 2, 5, 3, 6}));
  gp_close(host);
  // The default if one trip holds it, or a few trips do.
  gp_context *ctx = open_fake();
  fake::machine.run = false;
  const auto takes = [&](uint64_t batch, uint64_t r, uint64_t columns_, uint64_t gap, int misaligned, uint64_t *bytes) {
    gp_policy got;
    gp_policy_source source;
    memset(&got, 0, sizeof got);
    m.extent[0] = batch, m.extent[1] = r, m.extent[2] = columns_;
    m.in_stride[0] = m.out_stride[0] = gap ? r * columns_ + gap : 0;
    c.in = c.out = reinterpret_cast<char *>(uintptr_t(1) << 32) + misaligned, c.policy = nullptr;
    GOOD(gp_policy_origin(ctx, &c, &got, &source));
    GOOD(gp_workspace_size(ctx, &c, bytes));
    return got.algorithm == GP_ROUND_TRIP;
  };
  uint64_t bytes = 0;
  const uint64_t most = uint64_t(GP__TRIP_BYTES);
  CHECK(takes(1, 33, 1 << 18, 0, 0, &bytes) && bytes == GP__CONTROL_BYTES + (33 << 20));
  CHECK(takes(1, 4096, 4097, 0, 0, &bytes) == false && takes(1, 2048, 8192, 0, 0, &bytes));
  CHECK(bytes == GP__CONTROL_BYTES + most);
  CHECK(takes(1, 10, 3, 0, 4, &bytes) && bytes == GP__CONTROL_BYTES + 256);
  CHECK(takes(5, 2048, 8192, 0, 0, &bytes) && bytes == GP__CONTROL_BYTES + most);
  CHECK(takes(1 << 20, 8, 40, 0, 4, &bytes) && bytes <= GP__CONTROL_BYTES + most && bytes > most - 16 * 1280);
  CHECK(takes(1 << 20, 8, 41, 0, 4, &bytes) && bytes == GP__CONTROL_BYTES + 51136 * 8 * 41 * 4); // whole vectors
  CHECK(takes(4, 8, 40, 1, 0, &bytes) && !takes(5, 8, 40, 1, 0, &bytes)); // launches of each
  // One kernel for any number of long rows, allowed as much shared memory as the largest number needs.
  m.extent[0] = 1, m.extent[2] = 8192, m.in_stride[0] = m.out_stride[0] = 0;
  c.in_type = GP_U16, c.in = reinterpret_cast<char *>(uintptr_t(1) << 32),
  c.out = reinterpret_cast<char *>(uintptr_t(1) << 33);
  for (const uint64_t few : {9, 112, 33}) {
    m.extent[1] = few;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::last_launch.shared_bytes >= few * 4 * 128);
  }
  c.in_type = GP_I32;
  // Trips of whole vectors: the last one has the rest.
  m.extent[0] = 1 << 20, m.extent[1] = 8, m.extent[2] = 41, m.in_stride[0] = m.out_stride[0] = 0;
  for (const unsigned misaligned : {4u, 0u}) { // a tile has some whole: in place, in one launch
    c.in = c.out = reinterpret_cast<char *>(uintptr_t(1) << 32) + misaligned;
    const unsigned before = fake::counts.launches;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::counts.launches - before == (misaligned ? 2 * 21 : 1));
  }
  CHECK(!takes(1 << 20, 8, 41, 0, 0, &bytes) && bytes == 0);
  fake::machine.run = true;
  CLOSE(ctx);
}

// Sorts, from the call to the last launch, on the emulated kernels.
// Leading bits: in one pass or, if there may be many keys, in two; all bits if a digit has too many keys.
template<class V> static void test_leading_bits(gp_context *ctx, gp_type values) {
  for (int data = 0; data < 2; ++data)
    for (int deep = 0; deep < 2; ++deep)
      for (int form = 0; form < 3; ++form) { // elsewhere, in place, not aligned
        const size_t many = 10000, room = deep ? 5u << 18 : many, off = form == 2;
        std::vector<unsigned> given(room + off);
        std::vector<V> numbers(room + off);
        for (size_t i = 0; i < many; ++i) {
          const unsigned x = unsigned(i * 2654435761u >> 7) * 2246822519u;
          given[off + i] = data ? 5u << 24 | (x & 0xffffff) : x;
          numbers[off + i] = V(i);
        }
        Device<unsigned> from(given), to{room + off};
        Device<V> values_from(numbers), values_to{room + off};
        Device<unsigned long long> count(std::vector<unsigned long long>(1, many));
        gp_policy leading = small(GP_LEADING_SWEEP);
        gp_call c = gp_call_init(GP_SORT);
        c.key_type = GP_U32, c.in_type = values, c.keys = from.data + off, c.in = values_from.data + off,
        c.count = room;
        c.out_keys = (form == 1 ? from.data : to.data) + off,
        c.out = (form == 1 ? values_from.data : values_to.data) + off;
        if (deep) c.count_device = reinterpret_cast<const uint64_t *>(count.data);
        c.policy = &leading;
        const unsigned before = fake::counts.launches;
        GOOD(gp_run(ctx, &c, nullptr));
        CHECK(fake::counts.launches - before == (form == 1 ? 6u : form && sizeof(V) == 4 ? 5u : 9u));
        std::vector<size_t> by(many);
        for (size_t i = 0; i < many; ++i) by[i] = i;
        std::stable_sort(by.begin(), by.end(), [&](size_t a, size_t b) { return given[off + a] < given[off + b]; });
        bool good = true;
        for (size_t i = 0; i < many; ++i)
          good = good && static_cast<unsigned *>(c.out_keys)[i] == given[off + by[i]] &&
              static_cast<V *>(c.out)[i] == by[i];
        check(good, __LINE__, "values of %d bytes, data %d, deep %d, form %d", int(sizeof(V)), data, deep, form);
      }
}

FAKE_KERNEL(
    gp__radix_args, gp__sort_one_cluster<gp__policy<128, 1, 3, 3, 0, 2, 2>, gp__radix_key<unsigned int>, unsigned int>);
FAKE_KERNEL(
    gp__radix_args, gp__sort_one_launch<gp__policy<128, 1, 3, 3, 0, 2, 2>, gp__radix_key<unsigned int>, unsigned int>);
FAKE_KERNEL(gp__radix_args, gp__radix_histogram<gp__policy<384, 2, 3, 3, 2, 2, 1>, gp__radix_key<unsigned int>>);
FAKE_KERNEL(gp__radix_args,
    gp__radix_pass<gp__policy<384, 2, 3, 3, 2, 2, 1>, gp__radix_key<unsigned int>, unsigned int, gp__radix_narrow>);

// A sort of u32 keys with their positions as values.
struct PairsOfPlaces {
  std::vector<unsigned> keys, places;
  Device<unsigned> from, values_from, to, values_to;
  gp_call call;
  static std::vector<unsigned> numbers(size_t n) {
    std::vector<unsigned> v(n);
    for (size_t i = 0; i < n; ++i) v[i] = unsigned(i);
    return v;
  }
  PairsOfPlaces(const std::vector<unsigned> &k, bool in_place, const gp_policy *policy, int flags = 0)
    : keys(k), places(numbers(k.size())), from(k), values_from(places), to{k.size()}, values_to{k.size()},
      call(gp_call_init(GP_SORT)) {
    call.key_type = call.in_type = GP_U32, call.keys = from.data, call.in = values_from.data, call.count = k.size();
    call.out_keys = in_place ? from.data : to.data, call.out = in_place ? values_from.data : values_to.data;
    call.flags = flags, call.policy = policy;
  }
  bool is_sorted() const { // the first call.count of them
    std::vector<unsigned> by(places.begin(), places.begin() + long(call.count));
    const bool down = call.flags & GP_DESCENDING;
    std::stable_sort(
        by.begin(), by.end(), [&](unsigned a, unsigned b) { return down ? keys[a] > keys[b] : keys[a] < keys[b]; });
    for (size_t i = 0; i < by.size(); ++i)
      if (static_cast<const unsigned *>(call.out_keys)[i] != keys[by[i]] ||
          static_cast<const unsigned *>(call.out)[i] != by[i])
        return false;
    return true;
  }
};

// A sort by blocks that wait for each other; a launch a pass if that is refused or not in the driver.
static void test_teams() {
  const size_t n = 2000; // four blocks
  size_t told = 0;
  std::vector<unsigned> keys(n);
  for (size_t i = 0; i < n; ++i) keys[i] = unsigned(i * 7919 % 700) * 4321u;
  for (int algorithm : {GP_ONE_CLUSTER, GP_ONE_LAUNCH})
    for (int way = 0; way < 5; ++way) {
      const bool cluster = algorithm == GP_ONE_CLUSTER, refused = way > 1 && (cluster || way < 4);
      fake::machine.clusters = way == 2 ? 0 : 2;
      fake::machine.cluster_refusal = way == 3 ? GP__CU_INVALID_CLUSTER_SIZE : 0;
      fake::machine.refusal = way == 2 ? GP__CU_COOPERATIVE_TOO_LARGE : 0, fake::machine.cooperative = way != 3;
      fake::machine.max_clusters = way != 4;
      gp_context *const ctx = open_fake();
      gp_policy p = small(algorithm);
      p.blocks_per_sm = 2;
      PairsOfPlaces sort(keys, way == 1, &p, GP_DESCENDING);
      gp_call &c = sort.call;
      logged.clear();
      const unsigned launches = fake::counts.launches, cooperative = fake::counts.cooperative;
      const unsigned clustered = fake::counts.clustered;
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(fake::counts.launches - launches == (refused ? 5u : 1u));
      CHECK(fake::counts.cooperative - cooperative == (refused || cluster ? 0u : 1u));
      CHECK(fake::counts.clustered - clustered == (refused || !cluster ? 0u : 1u));
      CHECK(warnings("refused a cooperative launch: falling back to one launch per pass") == (refused ? 1u : 0u));
      check(sort.is_sorted(), __LINE__, "by a team, algorithm %d, way %d", algorithm, way);
      c.keys = c.in = c.out_keys = c.out = nullptr, c.count = 1u << 20; // more than the resident blocks hold
      BAD(GP_E_POLICY, "algorithm", gp_workspace_size(ctx, &c, &told));
      CLOSE(ctx);
    }
  fake::machine.clusters = 2, fake::machine.cluster_refusal = fake::machine.refusal = 0;
  fake::machine.max_clusters = fake::machine.cooperative = true;
  fake::machine.capability = 80; // one block suffices, or it is invalid
  gp_context *const ctx = open_fake();
  gp_policy p = small(GP_ONE_CLUSTER);
  p.blocks_per_sm = 2;
  PairsOfPlaces sort(keys, false, &p);
  sort.call.count = 512;
  GOOD(gp_run(ctx, &sort.call, nullptr));
  CHECK(sort.is_sorted());
  sort.call.count = 513;
  BAD(GP_E_POLICY, "algorithm", gp_workspace_size(ctx, &sort.call, &told));
  CLOSE(ctx);
  fake::machine.capability = 90;
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
}

// Keys in order by their first 8 bits: a hybrid sort of a part of them from the next bits on.
static void test_digits(gp_context *ctx) {
  static const unsigned rows[][3] = {{0, 9000, 24}, {3, 20, 24}, {100, 1500, 24}, {200, 14000, 7}, {201, 300, 24},
      {254, 1, 24}, {255, 12000, 16}}; // a digit, its keys, in how many lower bits they differ
  static const size_t begins[] = {0, 0, 4001, 8999, 9000, 10520}, ends[] = {0, 3, 1, 7, 100, 12001}; // ends: left out
  for (int way = 0; way < 24; ++way) {
    const bool in_place = way & 1, pairs = way & 2;
    std::vector<unsigned> keys;
    size_t starts[257] = {};
    for (const auto &row : rows) {
      for (unsigned i = 0; i < row[1]; ++i)
        keys.push_back(row[0] << 24 | unsigned(keys.size() * 2654435761u) * 2246822519u >> (32 - row[2]));
      for (unsigned d = row[0] + 1; d <= 256; ++d) starts[d] = keys.size();
    }
    const size_t begin = begins[way / 4], end = keys.size() - ends[way / 4];
    gp_policy levels = small(GP_HYBRID);
    levels.threads = 256, levels.stages = pairs;
    PairsOfPlaces sort(std::vector<unsigned>(keys.begin() + long(begin), keys.begin() + long(end)), in_place, &levels);
    if (!pairs) sort.call.in_type = GP_TYPE_DEFAULT, sort.call.in = nullptr, sort.call.out = nullptr;
    gp__request q;
    GOOD(gp__check_call(ctx->state, "test", &sort.call, 0, 0, &q));
    std::vector<uint64_t> staging(GP__HYBRID_LIST + 256 * sizeof(gp__hybrid_part) / 8, ~0ull);
    unsigned char *staged = reinterpret_cast<unsigned char *>(staging.data());
    const std::vector<uint64_t> digits(starts, starts + 257);
    q.starts = digits.data(), q.starts_from = begin, q.staged = &staged;
    const unsigned before = fake::counts.launches;
    GOOD(gp__run_request(ctx->state, &q, &levels, 1, nullptr, 0));
    CHECK(fake::counts.launches - before == 2u);
    size_t parts = 0; // the next call's begin behind
    for (unsigned d = 0; d < 256; ++d) parts += std::max(starts[d], begin) < std::min(starts[d + 1], end);
    CHECK(staged == reinterpret_cast<unsigned char *>(&staging[GP__HYBRID_LIST]) + parts * sizeof(gp__hybrid_part));
    std::sort(keys.begin() + long(begin), keys.begin() + long(end));
    check(pairs ? sort.is_sorted() : !memcmp(sort.call.out_keys, &keys[begin], (end - begin) * 4), __LINE__,
        "digits, way %d", way);
  }
}

static void test_sorts() {
  gp_context *ctx = open_fake();
  const int n = 3000;
  gp_policy p = small(GP_ONE_SWEEP);
  const gp_type raw = define(ctx, "raw24", nullptr, 24, 8);
  struct Raw {
    uint64_t v[3];
  };
  std::vector<unsigned> keys(n), descending(n);
  std::vector<Raw> values(n);
  std::vector<size_t> order(n), reverse;
  for (int i = 0; i < n; ++i) {
    keys[size_t(i)] = unsigned(i * 7919 % 1000) * 4321u;
    values[size_t(i)] = {{uint64_t(i), 5, uint64_t(i * i)}};
    order[size_t(i)] = size_t(i);
  }
  reverse = order;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::stable_sort(reverse.begin(), reverse.end(), [&](size_t a, size_t b) { return keys[a] > keys[b]; });
  auto sorted = [&](const unsigned *got, const std::vector<size_t> &by) {
    for (size_t i = 0; i < size_t(n); ++i)
      if (got[i] != keys[by[i]]) return false;
    return true;
  };
  for (int in_place = 0; in_place < 2; ++in_place) {
    Device<unsigned> in(keys), out{size_t(n)}, indices{size_t(n)};
    Device<Raw> in_values(values), out_values{size_t(n)};
    gp_call c = gp_call_init(GP_SORT);
    unsigned before = fake::counts.launches;
    c.key_type = GP_U32, c.keys = in.data, c.out_keys = in_place ? in.data : out.data, c.count = n, c.policy = &p;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::counts.launches - before == 5u + unsigned(in_place) && sorted(in_place ? in.data : out.data, order));

    Device<unsigned> again(keys);
    before = fake::counts.launches;
    c.keys = again.data, c.out_keys = in_place ? again.data : out.data, c.flags = GP_DESCENDING;
    c.in_type = raw, c.in = in_values.data, c.out = in_place ? in_values.data : out_values.data;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::counts.launches - before == 6u + 2u * unsigned(in_place));
    CHECK(sorted(in_place ? again.data : out.data, reverse));
    const Raw *got = in_place ? in_values.data : out_values.data;
    bool good = true;
    for (size_t i = 0; i < size_t(n); ++i) good = good && !memcmp(&got[i], &values[reverse[i]], sizeof(Raw));
    CHECK(good);

    Device<unsigned> last(keys);
    c = gp_call_init(GP_SORT);
    c.key_type = GP_U32, c.out_type = GP_I32, c.keys = last.data, c.out = indices.data, c.count = n, c.policy = &p;
    c.out_keys = in_place ? out.data : nullptr;
    GOOD(gp_run(ctx, &c, nullptr));
    good = true;
    for (size_t i = 0; i < size_t(n); ++i) good = good && indices.data[i] == order[i] && last.data[i] == keys[i];
    CHECK(good && (!in_place || sorted(out.data, order)));

    before = fake::counts.launches; // no bit decides
    c.begin_bit = c.end_bit = 7, c.out_keys = out.data;
    GOOD(gp_run(ctx, &c, nullptr));
    good = fake::counts.launches - before == 2;
    for (size_t i = 0; i < size_t(n); ++i) good = good && indices.data[i] == i && out.data[i] == keys[i];
    CHECK(good);
    before = fake::counts.launches;
    c.count = 0;
    GOOD(gp_run(ctx, &c, nullptr));
    CHECK(fake::counts.launches == before);
  }
  // Pairs whose values travel with their keys, to outputs with and without room for that.
  for (int in_place = 0; in_place < 2; ++in_place)
    for (size_t off = 0; off < 3; ++off) {
      gp_policy paired = small(GP_PAIRED_SWEEP);
      const size_t n_odd = size_t(n) - 1;
      std::vector<unsigned> given(n_odd + off);
      std::vector<int> numbers(n_odd + off);
      for (size_t i = 0; i < n_odd; ++i) given[off + i] = keys[i] ^ 0x5u << 28, numbers[off + i] = int(i);
      Device<unsigned> from(given), to{n_odd + off};
      Device<int> values_from(numbers), values_to{n_odd + off};
      gp_call c = gp_call_init(GP_SORT);
      c.key_type = GP_U32, c.keys = from.data + off, c.out_keys = (in_place ? from.data : to.data) + off;
      c.in_type = GP_I32, c.in = values_from.data + off, c.out = (in_place ? values_from.data : values_to.data) + off;
      c.count = n_odd, c.policy = &paired;
      GOOD(gp_run(ctx, &c, nullptr));
      std::vector<size_t> by(n_odd);
      for (size_t i = 0; i < n_odd; ++i) by[i] = i;
      std::stable_sort(by.begin(), by.end(), [&](size_t a, size_t b) { return given[off + a] < given[off + b]; });
      bool good = true;
      for (size_t i = 0; i < n_odd; ++i)
        good = good && static_cast<unsigned *>(c.out_keys)[i] == given[off + by[i]] &&
            static_cast<int *>(c.out)[i] == int(by[i]);
      CHECK(good);
      gp_policy said;
      GOOD(gp_policy_echo(ctx, &c, &said));
      CHECK(said.algorithm == GP_PAIRED_SWEEP && said.threads == 128 && said.stages == 2);
    }
  test_leading_bits<unsigned>(ctx, GP_U32);
  test_leading_bits<unsigned long long>(ctx, GP_U64);
  // Hybrid sort; the decision of its first count; with enough keys that even ones need two levels, a sample's decision:
  // keys for which either algorithm makes less work. The count decides if no team is allowed.
  for (int adaptive = 0; adaptive < 4; ++adaptive)
    for (int deep = 0; deep < 2; ++deep)
      for (int in_place = 0; in_place < 2; ++in_place) {
        const size_t many = 10000;
        std::vector<unsigned> given(many);
        for (size_t i = 0; i < many; ++i) {
          const unsigned x = unsigned(i * 2654435761u >> 7) * 2246822519u;
          given[i] = deep ? (x >> 31 ? 0xa5a5a500u : 0u) | (x >> 8 & 0xffu) : x;
        }
        const size_t room = adaptive == 2 ? 5u << 18 : many;
        given.resize(room);
        Device<unsigned> in(given), out{room};
        given.resize(many);
        Device<unsigned long long> count(std::vector<unsigned long long>(1, many));
        gp_policy levels = small(adaptive ? GP_ADAPTIVE : GP_HYBRID);
        levels.threads = 256;
        gp_call c = gp_call_init(GP_SORT);
        c.key_type = GP_U32, c.keys = in.data, c.out_keys = in_place ? in.data : out.data, c.count = room;
        if (adaptive == 2) c.count_device = reinterpret_cast<const uint64_t *>(count.data);
        c.policy = &levels;
        fake::machine.refusal = adaptive == 3 ? GP__CU_NOT_SUPPORTED : 0;
        logged.clear();
        const unsigned before = fake::counts.launches, together = fake::counts.cooperative;
        GOOD(gp_run(ctx, &c, nullptr));
        CHECK(fake::counts.launches - before == (adaptive == 2 ? 9u : adaptive == 3 ? 6u : adaptive ? 5u : 4u));
        CHECK(fake::counts.cooperative - together == (adaptive == 1));
        CHECK(warnings("refused a cooperative launch: falling back to one-sweep") == (adaptive == 3));
        fake::machine.refusal = 0;
        std::sort(given.begin(), given.end());
        CHECK(!memcmp(c.out_keys, given.data(), many * 4));
        gp_policy said;
        GOOD(gp_policy_echo(ctx, &c, &said));
        CHECK(said.algorithm == levels.algorithm && said.threads == 256);
      }
  for (int in_place = 0; in_place < 2; ++in_place) { // pairs, where a sample chooses
    std::vector<unsigned> given(10000);
    for (size_t i = 0; i < given.size(); ++i) given[i] = unsigned(i * 2654435761u >> 7) % 4500 * 2246822519u;
    gp_policy levels = small(GP_ADAPTIVE);
    levels.threads = 256, levels.stages = 1;
    PairsOfPlaces sort(given, in_place, &levels);
    const unsigned before = fake::counts.launches;
    GOOD(gp_run(ctx, &sort.call, nullptr));
    CHECK(fake::counts.launches - before == 7u);
    CHECK(sort.is_sorted());
  }
  test_digits(ctx);
  // Scratch memory is known beforehand, for any pointers, and suffices.
  size_t told = 0;
  Device<unsigned> in(keys), out{size_t(n)};
  gp_call c = gp_call_init(GP_SORT);
  c.key_type = GP_U32, c.count = 1u << 20;
  GOOD(gp_workspace_size(ctx, &c, &told));
  CHECK(told > (4u << 20) && told < (6u << 20)); // the keys once more, and counters
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CLOSE(ctx);
}

// ---- merges: whole calls on the emulator

FAKE_KERNEL(
    gp__merge_args, gp__merge<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_less<unsigned int>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__merge_args,
    gp__merge_sort_tiles<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_less<unsigned int>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__merge_args,
    gp__merge_four_borders<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_less<unsigned int>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__merge_args,
    gp__merge_four<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_less<unsigned int>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__merge_args,
    gp__balanced_paths<gp__policy<64, 1, 3, 3, 0, 1, 2>, gp_less<unsigned int>, unsigned int, unsigned int>);
FAKE_KERNEL(gp__merge_args,
    gp__set_operation<gp__policy<64, 1, 3, 3, 0, 1, 2>, GP_SET_UNION, gp_less<unsigned int>, unsigned int,
        unsigned int>);
FAKE_KERNEL(gp__merge_args,
    gp__set_pipelined<gp__policy<64, 1, 3, 3, 0, 1, 2>, GP_SET_UNION, gp_less<unsigned int>, unsigned int,
        unsigned int>);

static void test_merges() {
  fake::reset();
  fake::machine.multiprocessors = 2;
  gp_context *ctx = open_fake();
  gp_policy p = {};
  p.threads = 64, p.vectors = 1, p.blocks_per_sm = 1, p.overlap = 2;
  const size_t tile = 64 * size_t(gp__merge_items(1, 4, 4)), sorted = 64 * size_t(gp__sort_tile_items(1, 4, 4));
  gp_policy by_merges = p; // without it, integers take gp_sort's path
  by_merges.algorithm = GP_MERGE_PASSES;
  for (size_t n : {size_t(1), sorted, sorted + 1, 2 * sorted, 2 * sorted + 1, 5 * sorted, 8 * sorted, 9 * sorted - 3})
    for (int form = 0; form < 6; ++form) { // in place; not in place; indices; the same by four-way passes
      const bool four = form / 3 != 0;
      by_merges.algorithm = four ? GP_FOUR_WAY_PASSES : GP_MERGE_PASSES;
      std::vector<unsigned> keys(n), values(n), place(n);
      for (size_t i = 0; i < n; ++i)
        keys[i] = unsigned(i * 2654435761u >> 22), values[i] = unsigned(i), place[i] = values[i];
      std::stable_sort(place.begin(), place.end(), [&](unsigned i, unsigned j) { return keys[i] < keys[j]; });
      unsigned *in = static_cast<unsigned *>(simt::device_malloc(n * 16));
      simt::host_write(in, keys.data(), n * 4);
      simt::host_write(in + n, values.data(), n * 4);
      gp_call c = gp_call_init(GP_MERGE_SORT);
      c.policy = &by_merges, c.key_type = GP_U32, c.keys = in, c.count = n;
      c.out_keys = form % 3 ? in + 2 * n : in, c.out = form % 3 ? in + 3 * n : in + n;
      if (form % 3 == 2) c.out_type = GP_U32;
      else c.in_type = GP_U32, c.in = in + n;
      const unsigned launches = fake::counts.launches;
      uint64_t bytes = 0, passes = 0;
      GOOD(gp_workspace_size(ctx, &c, &bytes));
      CHECK((bytes == 0) == (n <= sorted) && (n <= sorted || bytes >= n * 8));
      while (sorted << passes < n) ++passes;
      if (four) passes = (passes + 1) / 2 * (n > 2 * sorted ? 2 : 1); // launches: few tiles find their own starts
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(fake::counts.launches == launches + 1 + passes);
      const unsigned *sorted = static_cast<unsigned *>(c.out_keys), *moved = static_cast<unsigned *>(c.out);
      bool good = true;
      for (size_t i = 0; i < n; ++i) good = good && sorted[i] == keys[place[i]] && moved[i] == place[i];
      check(good, __LINE__, "merge sort of %u, form %d", unsigned(n), form);
      simt::device_free(in);
    }
  for (size_t n : {size_t(0), size_t(1), tile, 3 * tile, 7 * tile}) { // small ones find borders in the same launch
    const size_t m = n / 2 + 1;
    unsigned *in = static_cast<unsigned *>(simt::device_malloc((n + m) * 16 + 16));
    std::vector<unsigned> a(n), b(m), number(n + m), wanted;
    for (size_t i = 0; i < n; ++i) a[i] = unsigned(i / 3);
    for (size_t i = 0; i < m; ++i) b[i] = unsigned(i / 2);
    for (size_t i = 0; i < n + m; ++i) number[i] = unsigned(i);
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(wanted));
    unsigned *second = in + n, *values = second + m, *out = values + n + m, *out_values = out + n + m;
    uint64_t *count = static_cast<uint64_t *>(simt::device_malloc(8));
    simt::host_write(in, a.data(), n * 4);
    simt::host_write(second, b.data(), m * 4);
    simt::host_write(values, number.data(), (n + m) * 4);
    for (int set = 0; set < 3; ++set) { // 2: pipelined, in one launch
      gp_call c = gp_call_init(set ? GP_SET_UNION : GP_MERGE);
      gp_policy q = p;
      q.algorithm = set == 2 ? GP_PIPELINED : GP_MERGE_PATH;
      c.policy = &q, c.key_type = c.in_type = GP_U32, c.keys = in, c.keys2 = second, c.count = n, c.count2 = m;
      c.in = values, c.in2 = values + n, c.out_keys = out, c.out = out_values;
      if (set) c.out_count = count;
      else wanted.resize(n + m), std::merge(a.begin(), a.end(), b.begin(), b.end(), wanted.begin());
      if (set) {
        wanted.clear();
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(wanted));
      }
      const unsigned launches = fake::counts.launches;
      GOOD(gp_run(ctx, &c, nullptr));
      CHECK(fake::counts.launches == launches + (set == 1 && n + m > 2 * tile ? 2 : 1));
      CHECK(!set || *count == wanted.size());
      bool good = true;
      for (size_t i = 0; i < wanted.size(); ++i)
        good = good && out[i] == wanted[i] && (out_values[i] < n ? a[out_values[i]] : b[out_values[i] - n]) == out[i];
      check(good, __LINE__, "%s of %u and %u",
          set == 2 ? "pipelined union"
              : set ? "union"
              : "merge",
          unsigned(n), unsigned(m));
    }
    simt::device_free(in);
    simt::device_free(count);
  }
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CLOSE(ctx);
}

// ---- sorts in little memory: blocks, and merges of neighbours

FAKE_KERNEL(gp__hybrid_args, gp__sort_one_block<gp__policy<1024, 2, 3, 3, 0, 1, 1>, unsigned int, false, 1024, 8, 13>);
FAKE_KERNEL(gp__with_input<gp__map_args>,
    gp__map_kernel<gp__policy<256, 1, 3, 3, 0, 0, 1>,
        gp__described<gp__stateless<gp_convert<unsigned int, unsigned int>>, gp__input_array<unsigned int, 0>>,
        unsigned int, gp__none, unsigned int>);
FAKE_KERNEL(gp__map_args,
    gp__map_kernel<gp__policy<256, 1, 3, 1, 0, 1, 1>, gp__iota_value<unsigned int>, gp__none, gp__none, unsigned int>);
FAKE_KERNEL(
    gp__radix_args, gp__sort_one_cluster<gp__policy<256, 1, 3, 3, 0, 1, 1>, gp__radix_key<unsigned int>, unsigned int>);
FAKE_KERNEL(
    gp__radix_args, gp__sort_one_cluster<gp__policy<256, 1, 3, 3, 0, 1, 1>, gp__radix_key<unsigned int>, gp__none>);
FAKE_KERNEL(gp__merge_args,
    gp__merge<gp__policy<256, 5, 3, 3, 0, 3, 1>, gp__key_before<gp__radix_key<unsigned int>, false>,
        gp__radix_key<unsigned int>::Key, gp__none>);
FAKE_KERNEL(gp__merge_args,
    gp__merge<gp__policy<256, 4, 3, 3, 0, 2, 1>, gp__key_before<gp__radix_key<float>, true>, gp__radix_key<float>::Key,
        unsigned int>);
FAKE_KERNEL(gp__merge_args,
    gp__merge<gp__policy<256, 4, 3, 3, 0, 2, 1>, gp__key_before<gp__radix_key<unsigned int>, false>,
        gp__radix_key<unsigned int>::Key, unsigned int>);

FAKE_KERNEL(gp__map_args,
    gp__map_kernel<gp__policy<256, 1, 3, 1, 0, 1, 1>, gp__iota_value<unsigned long long>, gp__none, gp__none,
        unsigned long long>);
FAKE_KERNEL(gp__radix_args,
    gp__sort_one_cluster<gp__policy<256, 1, 3, 3, 0, 1, 1>, gp__radix_key<unsigned short>, unsigned long long>);
FAKE_KERNEL(gp__merge_args,
    gp__merge<gp__policy<256, 4, 3, 3, 0, 2, 1>, gp__key_before<gp__radix_key<unsigned short>, false>,
        gp__radix_key<unsigned short>::Key, unsigned long long>);

// Sorts n elements in as little memory as the library asks for. Type: of keys, whose bits are `keys`; V: of values.
template<class K, class V>
static void test_little_sort(gp_context *ctx, gp_type type, gp_type values, size_t n, int flags, int form) {
  const bool in_place = form == 1, indices = form == 2, described = form == 3;
  std::vector<K> given(n), wanted(n);
  std::vector<V> numbers(n);
  std::vector<uint32_t> by(n);
  for (size_t i = 0; i < n; ++i) {
    const uint64_t x = (i * 0x9e3779b97f4a7c15ull) >> 40;
    given[i] = K(type == GP_F32 ? (x & 3) << 30 | (x >> 2) % 50 << 22 : x % 5000 * 0x10001); // ties, zeros, NaNs
    numbers[i] = V(i), by[i] = uint32_t(i);
  }
  const auto rank = [&](K x) { return type != GP_F32 ? x : K(x >> 31 ? ~x : x | K(1) << 31); };
  std::stable_sort(by.begin(), by.end(), [&](uint32_t a, uint32_t b) {
    return flags & GP_DESCENDING ? rank(given[a]) > rank(given[b]) : rank(given[a]) < rank(given[b]);
  });
  Device<K> from(given), to{in_place ? 1 : n};
  Device<V> values_from(numbers), values_to{in_place ? 1 : n};
  const gp_input keys = gp_input_array(type, from.data);
  gp_call c = gp_call_init(GP_SORT);
  c.key_type = type, c.keys = from.data, c.out_keys = in_place ? from.data : to.data, c.count = n;
  if (described) c.key_type = GP_INPUT, c.keys = &keys;
  if (values && indices) c.out_type = values, c.out = values_to.data;
  else if (values) c.in_type = values, c.in = values_from.data, c.out = in_place ? values_from.data : values_to.data;
  c.flags = flags | GP_LITTLE_MEMORY;
  uint64_t bytes = 0, usual = 0, unknown = 0;
  const size_t copy = n * (sizeof(K) + (values ? sizeof(V) : 0));
  gp_call plain = c, unplaced = c;
  plain.flags = flags;
  unplaced.keys = described ? c.keys : nullptr, unplaced.in = unplaced.out = unplaced.out_keys = nullptr;
  GOOD(gp_workspace_size(ctx, &c, &bytes));
  GOOD(gp_workspace_size(ctx, &unplaced, &unknown));
  GOOD(gp_workspace_size(ctx, &plain, &usual));
  check(unknown >= bytes && (n < 65536 ? unknown - usual < 2048 : unknown < copy / 2), __LINE__,
      "%u elements, form %d: %llu bytes, %llu without buffers, %llu of a plain sort", unsigned(n), form,
      (unsigned long long)bytes, (unsigned long long)unknown, (unsigned long long)usual);
  Device<unsigned char> memory{size_t(bytes) + 256};
  c.workspace = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(memory.data) + 255) & ~uintptr_t(255));
  c.workspace_bytes = bytes;
  GOOD(gp_run(ctx, &c, nullptr));
  bool good = true;
  for (size_t i = 0; i < n; ++i)
    good =
        good && static_cast<K *>(c.out_keys)[i] == given[by[i]] && (!values || static_cast<V *>(c.out)[i] == V(by[i]));
  check(good, __LINE__, "little memory: %u elements, type %d, form %d, flags %d", unsigned(n), int(type), form, flags);
}
static void test_little_memory() {
  fake::reset();
  fake::machine.multiprocessors = 2;
  gp_context *ctx = open_fake();
  test_little_sort<uint32_t, uint32_t>(ctx, GP_U32, GP_TYPE_DEFAULT, 65537, 0, 0);
  test_little_sort<uint32_t, uint32_t>(ctx, GP_F32, GP_U32, 65559, GP_DESCENDING, 1);
  test_little_sort<uint16_t, uint64_t>(ctx, GP_U16, GP_U64, 65537, 0, 2);
  test_little_sort<uint32_t, uint32_t>(ctx, GP_U32, GP_TYPE_DEFAULT, 70000, 0, 3);
  test_little_sort<uint32_t, uint32_t>(ctx, GP_U32, GP_TYPE_DEFAULT, 8000, 0, 0); // too few for blocks
  check(fake::counts.unregistered == 0, __LINE__, "no FAKE_KERNEL for %s", fake::last_unregistered.c_str());
  CLOSE(ctx);
}

#ifdef TEST_DIGITS
static void test_digits_alone() {
  gp_context *ctx = open_fake();
  test_digits(ctx);
  CLOSE(ctx);
}
#endif
int main(int argc, char **argv) {
#ifdef TEST_LITTLE // the part that mutants.py needs
  return run_groups(argc, argv, {{"little memory", test_little_memory}});
#endif
#ifdef TEST_DIGITS
  return run_groups(argc, argv, {{"digits", test_digits_alone}});
#endif
#ifdef TEST_TOP_K_CALLS
  return run_groups(argc, argv, {{"top-k of both", test_top_k_of_both}});
#endif
  return run_groups(argc, argv,
      {{"top-k", test_top_k}, {"top-k of both", test_top_k_of_both}, {"round trips", test_round_trips},
          {"sorts", test_sorts}, {"teams", test_teams}, {"merges", test_merges},
          {"little memory", test_little_memory}});
}
