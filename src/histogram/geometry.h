// histogram/geometry.h - launches of histograms
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, histogram/policy.h, core/geometry.h,
//   core/family.h, histogram/portable.h

// A tile is up to two vectors a thread. One block takes up to two tiles, and need not wait for others. No block sees
// 2^32 samples, whatever fits the device, so that 32-bit counters suffice in shared memory.
GP__HOST void gp__geometry_histogram(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  const int shared = p.algorithm != GP_GLOBAL_BINS;
  const gp__u64 samples = s->count * (unsigned)s->histogram.channels, slots = gp__histogram_slots(p, s);
  const gp__u64 fewest = gp__ceil_div(samples, 1ull << 31);
  gp__u64 shares, slices, chunks;
  g->threads = (unsigned)p.threads;
  g->replicas = shared ? gp__histogram_replicas(p, s) : 0;
  g->shared_bytes = (unsigned)gp__histogram_table_bytes(p, s) +
      (unsigned)gp__round_up(g->replicas ? g->replicas * gp__histogram_copy_bytes(p, s)
              : shared && gp__histogram_halves(p, s) ? gp__histogram_copy_bytes(p, s) / 2
              : 0,
          GP__VECTOR);
  if (!g->shared_bytes) g->shared_bytes = GP__VECTOR; // the kernels declare it
  g->tile_items = (gp__u64)(p.threads * (s->exact && p.vectors < 2 ? 1 : 2) *
      gp__vector_items(gp__max(gp__max(s->in_size, s->in2_size), s->exact ? 0 : s->out_size)));
  g->tiles = gp__ceil_div(samples, g->tile_items);
  if (s->exact) {
    g->grid = (unsigned)(g->tiles < resident ? g->tiles : resident > fewest ? resident : fewest);
    if (g->tiles <= 2) g->grid = 1; // an empty input too has a result
    chunks = gp__ceil_div(s->histogram.bins * (unsigned)s->histogram.active,
        gp__histogram_chunk(s->histogram.bins * (unsigned)s->histogram.active));
    g->words = g->grid > 1 ? chunks : 0;
    if (p.algorithm == GP_ONE_CLUSTER) g->grid = gp__histogram_cluster(p, s), g->words = 0;
  } else {
    slices = gp__ceil_div(slots, gp__histogram_slice(slots, s->out_size));
    shares = slices < resident ? resident / slices : 1;
    if (shares > g->tiles) shares = g->tiles ? g->tiles : 1;
    g->grid = (unsigned)(slices * shares);
    g->words = shares > 1 ? slices * (shares + gp__ceil_div(shares, GP__HISTOGRAM_GROUP)) *
            gp__ceil_div(gp__histogram_slice(slots, s->out_size), 8 / (unsigned)s->out_size)
                          : 0;
  }
}

static const gp__rules gp__rules_histogram = {gp__policy_valid_histogram, gp__measure_histogram, gp__portable_histogram,
    GP__ALWAYS_OVERLAPS, gp__geometry_histogram, GP__POLICY_THREADS, GP__OWN_IF_FEW, GP__ROWS_SERVE};
