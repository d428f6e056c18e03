// histogram/portable.h - portable rule of histograms
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, histogram/policy.h, core/canonical.h,
//   core/rows.h

// Counters in shared memory if they fit, and are not many more than the samples. Three blocks a multiprocessor if each
// has at least four copies, two if a copy for each lane fits; otherwise one, with four vectors a thread in flight.
enum {
  GP__IF_HISTOGRAM_INEXACT = GP__IF,
  GP__IF_HISTOGRAM_ALONE = 2 * GP__IF, // one block a multiprocessor
  GP__IF_HISTOGRAM_WEIGHTED = 4 * GP__IF,
  GP__IF_HISTOGRAM_WIDE = 8 * GP__IF,
  GP__IF_HISTOGRAM_BINS = 16 * GP__IF, // a cluster: more than 512 bins, or by ranges; more than 3072
  GP__IF_HISTOGRAM_MANY_BINS = 32 * GP__IF
};
static const gp__policy_row gp__histogram_rows[] = {
    GP__H200(0, -1, 0, 0, 48 << 10, GP_ONE_CLUSTER, 256, 1, 0, 1, 30),
    GP__H200(0, -1, 0, 48 << 10, 128 << 10, GP_ONE_CLUSTER, 256, 2, 0, 1, 30),
    GP__H200(0, -1, 0, 128 << 10, 0, GP_ONE_CLUSTER, 512, 2, 0, 1, 30),
    GP__H200(0, -1, GP__IF_HISTOGRAM_BINS, 0, 128 << 10, GP_ONE_CLUSTER, 512, 1, 0, 1, 30),
    GP__H200(0, -1, GP__IF_HISTOGRAM_BINS, 128 << 10, 0, GP_ONE_CLUSTER, 512, 2, 0, 1, 30),
    GP__H200(0, -1, GP__IF_HISTOGRAM_MANY_BINS, 0, 0, GP_ONE_CLUSTER, 1024, 1, 0, 1, 30),
    GP__H200(0, -1, GP__IF_HISTOGRAM_INEXACT, 0, 0, GP_SHARED_BINS, 256, 1, 0, 3, 22),
    GP__H200(0, -1, GP__IF_HISTOGRAM_INEXACT, 0, 0, GP_GLOBAL_BINS, 256, 1, 0, 3, 22),
    GP__H200(0, -1, GP__IF_HISTOGRAM_ALONE | GP__IF_HISTOGRAM_WEIGHTED, 0, 0, GP_SHARED_BINS, 0, 2, 0, 0, 22),
    GP__H200(0, -1, GP__IF_HISTOGRAM_ALONE, 0, 0, GP_SHARED_BINS, 1024, 4, 0, 1, 21),
    GP__H200(0, -1, GP__IF_HISTOGRAM_WIDE, 0, 0, GP_SHARED_BINS, 0, 2, 0, 0, 21),
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_SHARED_BINS, 512, 1, 0, 2, 21),
    GP__H200(0, -1, 0, 512 << 10, 0, GP_SHARED_BINS, 0, 2, 0, 0, 21),
    GP__H200(0, -1, 0, 4 << 20, 32 << 20, GP_SHARED_BINS, 0, 0, 0, 1, 21),
    GP__H200(0, -1, 0, 32 << 20, 0, GP_SHARED_BINS, 0, 0, 0, 3, 21),
    GP__H200(0, -1, 0, 0, 0, GP_GLOBAL_BINS, 512, 2, 0, 2, 21),
};
// One cluster, for few samples of one channel, of equal weight. Searches want more multiprocessors.
GP__HOST int gp__histogram_suits_cluster(gp_policy p, gp__form s) {
  const gp__u64 slots = gp__histogram_slots(p, s);
  return s->histogram.channels == 1 && !s->in2_size && (slots <= 4098 || (slots <= 16386 && slots <= s->count)) &&
      s->count * (unsigned)s->in_size <= (s->histogram.by_ranges ? 128 << 10 : 512 << 10) &&
      gp__policy_valid_histogram(p, s);
}
// Bytes of the samples.
GP__HOST gp__measures gp__measure_histogram(gp__form s) {
  gp__measures m = gp__measure_elements(s);
  m.bytes = s->count * (unsigned)s->histogram.channels * (unsigned)s->in_size;
  return m;
}
GP__HOST gp_policy gp__portable_histogram(gp_policy p, gp__form s) {
  gp_policy q = p;
  int blocks;
  q.load = p.load = gp__default_to(p.load, GP_CACHE_STREAMING);
  if (!s->exact) {
    q = GP__FILL(p, gp__histogram_rows, gp__measure_histogram, s, GP__IF_HISTOGRAM_INEXACT);
    while (!p.blocks_per_sm && q.blocks_per_sm > 1 && !gp__histogram_replicas(q, s)) --q.blocks_per_sm;
    return q;
  }
  q.algorithm = gp__default_to(p.algorithm, GP_ONE_CLUSTER);
  if (q.algorithm == GP_ONE_CLUSTER) {
    const gp__u64 slots = gp__histogram_slots(q, s);
    q = GP__FILL(q, gp__histogram_rows, gp__measure_histogram, s,
        slots > 3072 ? GP__IF_HISTOGRAM_MANY_BINS
            : slots > 514 || s->histogram.by_ranges ? GP__IF_HISTOGRAM_BINS
            : 0);
    if (p.algorithm || gp__histogram_suits_cluster(q, s)) return q;
    q = p;
  }
  q.algorithm = gp__default_to(p.algorithm, GP_SHARED_BINS);
  q.blocks_per_sm = 0;
  blocks = GP__FILL(q, gp__histogram_rows, gp__measure_histogram, s, 0).blocks_per_sm;
  if (p.algorithm != GP_GLOBAL_BINS &&
      (p.algorithm || gp__histogram_slots(q, s) <= GP__HISTOGRAM_CHUNK ||
          gp__histogram_slots(q, s) / 4 <= s->count * (unsigned)gp__max(s->histogram.active, 1)))
    for (; blocks; blocks = blocks > 1) {
      const unsigned alone = GP__IF_HISTOGRAM_ALONE | (s->in2_size ? GP__IF_HISTOGRAM_WEIGHTED : 0);
      q = GP__FILL(p, gp__histogram_rows, gp__measure_histogram, s,
          blocks == 1 ? alone
              : s->in_size > 1 ? GP__IF_HISTOGRAM_WIDE
              : 0);
      if (gp__histogram_replicas(q, s) >= (blocks == 3 ? 4u
                                                  : blocks == 2 ? (unsigned)GP__WARP
                                                  : 1) ||
          (blocks == 1 && gp__histogram_halves(q, s)))
        return q;
    }
  q = p;
  q.algorithm = GP_GLOBAL_BINS;
  q = GP__FILL(q, gp__histogram_rows, gp__measure_histogram, s, 0);
  q.algorithm = gp__default_to(p.algorithm, GP_GLOBAL_BINS);
  return q;
}
