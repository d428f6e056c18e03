// core/geometry_of.h - the launch that a resolved policy leads to
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, scan/policy.h, select/policy.h, families.h,
//   core/geometry.h, map/geometry.h, reduce/geometry.h, scan/geometry.h, select/geometry.h, histogram/geometry.h,
//   segments/geometry.h, merge/geometry.h, sort/geometry.h, top_k/geometry.h, transpose/geometry.h, bfs/geometry.h

// Threads of a block. Pipelines add warps to those that compute.
GPUPRIMS__RULE int gp__threads_of(gp_policy p, int primitive) {
  return gp__family_of(primitive) == GP__FAMILY_STREAM  ? gp__stream_threads(p)
         : p.algorithm != GP_PIPELINED                  ? p.threads
         : gp__family_of(primitive) == GP__FAMILY_SCAN  ? p.threads + (int)GP__PIPELINE_WARPS * (int)GP__WARP
         : gp__family_of(primitive) == GP__FAMILY_MERGE ? p.threads + (int)GP__WARP
                                                        : p.threads;
}
// occupancy: blocks of this kernel that fit a multiprocessor, as the driver says; 0: not known, take the policy's word.
__attribute__((unused)) static gp__geometry gp__geometry_of(gp_policy p, gp__shape s, int occupancy) {
  gp__geometry g;
  const int sms = s.multiprocessors > 0 ? s.multiprocessors : 1;
  unsigned long long resident;
  int per_sm = p.blocks_per_sm;
  if (occupancy > 0 && per_sm > occupancy) per_sm = occupancy;
  resident = (unsigned long long)sms * (unsigned)(per_sm > 0 ? per_sm : 1);
  g.threads = (unsigned)gp__threads_of(p, s.primitive);
  g.shared_bytes = (unsigned)gp__shared_bytes(s.primitive, p, s.in_size, s.out_size);
  g.tile_items = g.tiles = g.words = 0;
  g.grid = 0;
  g.replicas = g.log2_lanes = 0;
  g.share = g.scratch = 0;
  switch (gp__family_of(s.primitive)) {
  case GP__FAMILY_MAP:
    gp__geometry_map(p, s, resident, &g);
    break;
  case GP__FAMILY_REDUCE:
    gp__geometry_reduce(p, s, resident, &g);
    break;
  case GP__FAMILY_SCAN:
    gp__geometry_scan(p, s, resident, &g);
    break;
  case GP__FAMILY_STREAM:
    gp__geometry_stream(p, s, resident, &g);
    break;
  case GP__FAMILY_SEGMENTS:
    gp__geometry_segments(p, s, resident, &g);
    break;
  case GP__FAMILY_HISTOGRAM:
    gp__geometry_histogram(p, s, resident, &g);
    break;
  case GP__FAMILY_SORT:
    gp__geometry_sort(p, s, resident, &g);
    break;
  case GP__FAMILY_MERGE:
    gp__geometry_merge(p, s, resident, &g);
    break;
  case GP__FAMILY_SEGMENTED_SORT:
    gp__geometry_segmented_sort(p, s, resident, &g);
    break;
  case GP__FAMILY_TOP_K:
    gp__geometry_top_k(p, s, resident, &g);
    break;
  case GP__FAMILY_TRANSPOSE:
    gp__geometry_transpose(p, s, resident, &g);
    break;
  case GP__FAMILY_GRAPH:
    gp__geometry_graph(p, s, resident, &g);
    break;
  }
  return g;
}
