// core/portable.h - the portable row of any call
// uses: api/lists.h, api/policy.h, core/shape.h, sort/radix_policy.h, merge/policy.h, families.h, core/canonical.h,
//   map/portable.h, reduce/portable.h, scan/portable.h, select/portable.h, histogram/portable.h, segments/portable.h,
//   sort/portable.h, merge/portable.h, segmented_sort/portable.h, top_k/portable.h, transpose/portable.h,
//   bfs/portable.h

// The family's rows fill the fields that neither the caller nor a tuned row has set.
__attribute__((unused)) static gp_policy gp__portable(gp_policy p, gp__shape s) {
  const int family = gp__family_of(s.primitive);
  const int overlap = p.overlap;
  p.overlap = gp__default_to(overlap, s.compute_capability >= 90 && family != GP__FAMILY_GRAPH ? 1 : 2);
  p.load = gp__default_to(p.load, family == GP__FAMILY_REDUCE || family == GP__FAMILY_HISTOGRAM ? GP_CACHE_STREAMING
                                                                                                : GP_CACHE_ALL);
  p.store =
      gp__default_to(p.store, family != GP__FAMILY_MAP || s.in_size ? GP_CACHE_ALL // fill, iota: nobody reads it soon
                                                                    : GP_CACHE_STREAMING);
  if (family == GP__FAMILY_SCAN) return gp__portable_scan(p, s);
  if (family == GP__FAMILY_STREAM) return gp__portable_stream(p, s);
  if (family == GP__FAMILY_SEGMENTS) return gp__portable_segments(p, s);
  if (family == GP__FAMILY_HISTOGRAM) return gp__portable_histogram(p, s);
  if (family == GP__FAMILY_SORT) {
    p = gp__portable_sort(p, s);
    if (gp__sweeps(p.algorithm) && s.count >> 20)
      p.overlap = gp__default_to(overlap, 2); // launches cost less than it does
    return p;
  }
  if (family == GP__FAMILY_MERGE) {
    p = gp__portable_merge(p, s);
    if (gp__is_set(s.primitive) && p.algorithm == GP_MERGE_PATH && (s.count + s.count2) >> 21)
      p.overlap = gp__default_to(overlap, 2); // blocks that start beside the launch that finds borders take its room
    return p;
  }
  if (family == GP__FAMILY_SEGMENTED_SORT) return gp__portable_segmented_sort(p, s);
  if (family == GP__FAMILY_TOP_K) return gp__portable_top_k(p, s);
  if (family == GP__FAMILY_TRANSPOSE) return gp__portable_transpose(p, s);
  if (family == GP__FAMILY_GRAPH) return gp__portable_graph(p, s);
  return family == GP__FAMILY_REDUCE ? gp__portable_reduce(p, s) : gp__portable_map(p, s);
}
