// histogram/portable.h - portable rule of histograms
// uses: api/lists.h, api/policy.h, core/shape.h, histogram/policy.h, core/canonical.h

// GP_AUTO: counters in shared memory where they fit and where there are not many more of them than samples. From 32 MiB
// on three blocks a multiprocessor where each has four copies or more, below 4 MiB two where a copy for each lane fits;
// otherwise one, with four vectors of each thread on their way.
__attribute__((unused)) static gp_policy gp__portable_histogram(gp_policy p, gp__shape s, unsigned long long bytes) {
  gp_policy q = p;
  int blocks;
  q.algorithm = gp__default_to(p.algorithm, GP_SHARED_BINS);
  q.load = gp__default_to(p.load, GP_CACHE_STREAMING);
  if (!s.exact) {
    q.threads = gp__default_to(p.threads, 256);
    q.vectors = gp__default_to(p.vectors, 1);
    for (blocks = 3; !p.blocks_per_sm && blocks >= 1; --blocks) {
      q.blocks_per_sm = blocks;
      if (gp__histogram_replicas(q, s) > 0) break;
    }
    return q;
  }
  if (p.algorithm != GP_GLOBAL_BINS && (p.algorithm || gp__histogram_slots(q, s) <= GP__HISTOGRAM_CHUNK ||
                                        gp__histogram_slots(q, s) / 4 <= s.count * (unsigned)gp__max(s.active, 1)))
    for (blocks = bytes >> 25 ? 3 : bytes >> 22 ? 1 : 2; blocks >= 1; blocks = blocks > 1 ? 1 : 0) {
      q.threads = gp__default_to(p.threads, blocks > 1 ? 512 : 1024);
      q.vectors = gp__default_to(p.vectors, blocks > 1 ? (bytes >> 19 || s.in_size > 1 ? 2 : 1) : s.in2_size ? 2 : 4);
      q.blocks_per_sm = gp__default_to(p.blocks_per_sm, blocks);
      if (gp__histogram_replicas(q, s) >= (blocks == 3   ? 4u
                                           : blocks == 2 ? (unsigned)GP__WARP
                                                         : 1) ||
          (blocks == 1 && gp__histogram_halves(q, s)))
        return q;
    }
  q.algorithm = gp__default_to(p.algorithm, GP_GLOBAL_BINS);
  q.threads = gp__default_to(p.threads, 512);
  q.vectors = gp__default_to(p.vectors, 2);
  q.blocks_per_sm = gp__default_to(p.blocks_per_sm, 2);
  return q;
}
