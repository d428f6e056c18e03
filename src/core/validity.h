// core/validity.h - validity of any policy; the bytes by which calls are small or large
// uses: api/policy.h, core/rules.h, core/shape.h, reduce/policy.h, scan/policy.h, select/policy.h, segments/policy.h,
//   histogram/policy.h, sort/cooperative_policy.h, merge/policy.h, segmented_sort/policy.h, top_k/policy.h,
//   transpose/panels_policy.h, map/policy.h, bfs/policy.h, families.h

// A policy that is valid for its family, and for all.
__attribute__((unused)) static int gp__policy_valid(gp_policy p, gp__shape s) {
  if (!gp__policy_valid_common(p) || (p.overlap == 1 && s.compute_capability < 90)) return 0;
  switch (gp__family_of(s.primitive)) {
  case GP__FAMILY_MAP:
    return gp__policy_valid_map(p, s);
  case GP__FAMILY_REDUCE:
    return gp__policy_valid_reduce(p, s);
  case GP__FAMILY_SCAN:
    return gp__policy_valid_scan(p, s);
  case GP__FAMILY_STREAM:
    return gp__policy_valid_stream(p, s);
  case GP__FAMILY_SEGMENTS:
    return gp__policy_valid_segments(p, s);
  case GP__FAMILY_HISTOGRAM:
    return gp__policy_valid_histogram(p, s);
  case GP__FAMILY_SORT:
    return gp__policy_valid_sort(p, s);
  case GP__FAMILY_MERGE:
    return gp__policy_valid_merge(p, s);
  case GP__FAMILY_SEGMENTED_SORT:
    return gp__policy_valid_segmented_sort(p, s);
  case GP__FAMILY_TOP_K:
    return gp__policy_valid_top_k(p, s);
  case GP__FAMILY_TRANSPOSE:
    return gp__policy_valid_transpose(p, s);
  case GP__FAMILY_GRAPH:
    return gp__policy_valid_graph(p, s);
  }
  return 0;
}

// The bytes by which calls are small or large: what is read, or written where that is more.
GPUPRIMS__RULE unsigned long long gp__shape_bytes(gp__shape s) {
  return gp__is_planned(s.primitive)                       ? (s.count + s.count2) * (unsigned)(s.key_size + s.in_size)
         : gp__family_of(s.primitive) == GP__FAMILY_STREAM ? s.count * (unsigned)(s.key_size + s.in_size)
         : gp__family_of(s.primitive) == GP__FAMILY_HISTOGRAM
             ? s.count * (unsigned)s.channels * (unsigned)s.in_size
             : s.count * (unsigned long long)gp__max(s.in_size, s.out_size);
}
