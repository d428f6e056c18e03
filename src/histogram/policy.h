// histogram/policy.h - histograms: policy fields, slots, replicas, validity
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h

#define GP_POLICY_FIELDS_HISTOGRAM(F) \
  F(algorithm, GP_AUTO, GP_SHARED_BINS, GP_GLOBAL_BINS, GP_ONE_CLUSTER) \
  F(threads, 0, 256, 512, 1024) \
  F(vectors, 0, 1, 2, 4) \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2) \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8) \
  F(overlap, 0, 1, 2)

// Histograms. The shape: in_size is a sample's, in2_size a weight's (0: none), out_size a counter's; exact: the
// counters are integers.

enum {
  GP__HISTOGRAM_STATIC_BYTES = 2560, // upper bound of a block's static shared memory
  GP__HISTOGRAM_BOUNDARY_BYTES = 20 * 1024, // boundaries of ranges are copied to shared memory up to this size
  GP__HISTOGRAM_BUCKETS = 4096, // at most
  GP__HISTOGRAM_SLICE_BYTES = 40 * 1024, // float counters of one block
  GP__HISTOGRAM_GROUP = 16, // float counters: shares that one block adds up
  GP__HISTOGRAM_CHUNK = 4096, // counters of the output that a warp clears at a time, at least
  GP__HISTOGRAM_CHUNKS = 1024, // pieces of the output, at most
  GP__HISTOGRAM_COPIES = 8 // copies of a cluster's counters in each block, at most
};
// Samples of one byte are counted by value; values become bins when the counters are added up.
GP__RULE int gp__histogram_by_value(int algorithm, int in_size, int exact) {
  return algorithm != GP_GLOBAL_BINS && in_size == 1 && exact;
}
// Counters of a channel in shared memory: one follows the bins, for samples in no bin, and saves a test.
GP__RULE gp__u64 gp__histogram_stride(int by_value, gp__u64 bins) { return by_value ? 256 : bins + 1; }
// The counters of all channels; the last one is for channels that are not counted.
GP__RULE gp__u64 gp__histogram_slots(gp_policy p, gp__form s) {
  return s->exact ? (unsigned)s->histogram.active *
              gp__histogram_stride(gp__histogram_by_value(p.algorithm, s->in_size, 1), s->histogram.bins) +
          1
                  : (unsigned)s->histogram.active * s->histogram.bins;
}
GP__RULE gp__u64 gp__round_up(gp__u64 x, gp__u64 to) { return (x + to - 1) / to * to; }
// Boundaries in shared memory, in bytes; 0: they stay where they are.
GP__RULE unsigned gp__histogram_boundary_bytes(gp__u64 boundaries, int size) {
  return boundaries <= (unsigned)(GP__HISTOGRAM_BOUNDARY_BYTES / size)
      ? (unsigned)gp__round_up(boundaries * (unsigned)size, GP__VECTOR)
      : 0;
}
// Ranges of one channel are searched from a guess: buckets of equal width, two to four a bin, each with its boundaries.
// 0: no buckets.
GP__RULE unsigned gp__histogram_fewer_buckets(gp__u64 bins, unsigned buckets) {
  return buckets / 4 <= bins ? buckets : gp__histogram_fewer_buckets(bins, buckets / 2);
}
GP__RULE unsigned gp__histogram_buckets(int algorithm, int exact, gp__u64 bins, int active, int size) {
  return algorithm != GP_GLOBAL_BINS && exact && active == 1 && gp__histogram_boundary_bytes(bins + 1, size)
      ? gp__histogram_fewer_buckets(bins, GP__HISTOGRAM_BUCKETS)
      : 0;
}
// Boundaries and buckets of a block, which precede its counters.
GP__RULE unsigned gp__histogram_search_bytes(int algorithm, int exact, gp__u64 bins, int active, int size) {
  return gp__histogram_boundary_bytes((bins + 1) * (unsigned)active, size) +
      gp__histogram_buckets(algorithm, exact, bins, active, size) * 4;
}
// Float counters of one block; all blocks of a slice read all samples.
GP__RULE unsigned gp__histogram_slice(gp__u64 slots, int size) {
  return slots < (unsigned)(GP__HISTOGRAM_SLICE_BYTES / size) ? (unsigned)slots
      : (unsigned)(GP__HISTOGRAM_SLICE_BYTES / size);
}
// Counters of a chunk of the output, which one warp clears.
GP__RULE gp__u64 gp__histogram_chunk(gp__u64 counters) {
  return counters <= (gp__u64)GP__HISTOGRAM_CHUNK * GP__HISTOGRAM_CHUNKS ? (unsigned)GP__HISTOGRAM_CHUNK
      : gp__ceil_div(counters, GP__HISTOGRAM_CHUNKS);
}
// Blocks of a cluster, for so many vectors: enough for one a thread, but at most 16; up to 8 for one in four threads.
GP__RULE unsigned gp__histogram_blocks(gp__u64 vectors, unsigned threads) {
  return (unsigned)(vectors / threads >= 15 ? 16
          : vectors / threads >= 8 ? vectors / threads + 1
          : vectors / threads >= 2 ? 8
          : vectors * 4 / threads + 1);
}
GP__RULE unsigned gp__histogram_cluster(gp_policy p, gp__form s) {
  return gp__histogram_blocks(gp__ceil_div(s->count * (unsigned)s->histogram.channels,
                                  (unsigned)gp__vector_items(gp__max(s->in_size, s->in2_size))),
      (unsigned)p.threads);
}
// Dynamic shared memory of a block, if blocks_per_sm of them are to fit a multiprocessor. That has 1 KiB more than a
// block can get, and reserves 1 KiB for each block.
GP__RULE int gp__histogram_room(gp_policy p, gp__form s) {
  return (s->shared_bytes + 1024) / (p.algorithm == GP_ONE_CLUSTER ? 1 : gp__max(p.blocks_per_sm, 1)) - 1024 -
      GP__HISTOGRAM_STATIC_BYTES;
}
// Bytes of one copy of a block's counters, and of its tables, with the counters that a cluster's block stores.
GP__RULE gp__u64 gp__histogram_copy_bytes(gp_policy p, gp__form s) {
  return s->exact ? gp__histogram_slots(p, s) * (unsigned)(s->in2_size ? s->out_size : 4)
      : (gp__u64)gp__histogram_slice(gp__histogram_slots(p, s), s->out_size) * (unsigned)s->out_size;
}
GP__RULE gp__u64 gp__histogram_table_bytes(gp_policy p, gp__form s) {
  return (p.algorithm == GP_ONE_CLUSTER
                 ? gp__round_up(
                       (s->histogram.bins * (unsigned)s->histogram.active * 2 / gp__histogram_cluster(p, s) + 1) * 8,
                       GP__VECTOR)
                 : 0) +
      (s->histogram.by_ranges && !gp__histogram_by_value(p.algorithm, s->in_size, s->exact)
              ? gp__histogram_search_bytes(p.algorithm, s->exact, s->histogram.bins, s->histogram.active, s->in_size)
              : 0);
}
// Copies of the counters: the largest power of two that fits, 0 if not even one does. At most a copy a lane; float
// counters: a copy a warp.
GP__RULE unsigned gp__histogram_fit(gp__u64 bytes, gp__i64 room, unsigned copies) {
  return copies == 0 || (gp__i64)gp__round_up(bytes * copies, GP__VECTOR) <= room
      ? copies
      : gp__histogram_fit(bytes, room, copies / 2);
}
GP__RULE unsigned gp__histogram_replicas(gp_policy p, gp__form s) {
  return gp__histogram_fit(gp__histogram_copy_bytes(p, s),
      (gp__i64)gp__histogram_room(p, s) - (gp__i64)gp__histogram_table_bytes(p, s),
      p.algorithm == GP_ONE_CLUSTER ? (unsigned)GP__HISTOGRAM_COPIES
          : s->exact || p.threads >= 1024 ? (unsigned)GP__WARP
          : (unsigned)p.threads / GP__WARP);
}
// Counters of 16 bits, if those of 32 do not fit although the block has the multiprocessor to itself. One channel, no
// weights.
GP__RULE int gp__histogram_halves(gp_policy p, gp__form s) {
  return p.blocks_per_sm == 1 && s->exact && !s->in2_size && s->in_size > 1 && s->histogram.channels == 1 &&
      gp__histogram_replicas(p, s) == 0 &&
      gp__histogram_fit(gp__histogram_copy_bytes(p, s) / 2,
          (gp__i64)gp__histogram_room(p, s) - (gp__i64)gp__histogram_table_bytes(p, s), 1) == 1;
}
GP__RULE int gp__policy_valid_histogram(gp_policy p, gp__form s) {
  return p.blocks_per_sm >= 1 && (p.threads & (p.threads - 1)) == 0 &&
      (p.algorithm == GP_SHARED_BINS ? gp__histogram_replicas(p, s) > 0 || gp__histogram_halves(p, s)
              : p.algorithm == GP_ONE_CLUSTER ? s->exact && gp__has_clusters(s) &&
                  !(s->count * (unsigned)s->histogram.channels >> 31) && gp__histogram_replicas(p, s) > 0
                                              : p.algorithm == GP_GLOBAL_BINS && s->exact &&
                  (gp__i64)gp__histogram_table_bytes(p, s) <= gp__histogram_room(p, s));
}
