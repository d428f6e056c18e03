// core/geometry_of.h - the launch that a resolved policy leads to
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, reduce/policy.h, scan/policy.h, select/policy.h,
//   layouts/policy.h, map/policy.h, core/geometry.h, select/geometry.h, histogram/geometry.h, segments/geometry.h,
//   merge/geometry.h, sort/geometry.h, top_k/geometry.h, transpose/geometry.h, bfs/geometry.h

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
  const int family = gp__family_of(s.primitive), sms = s.multiprocessors > 0 ? s.multiprocessors : 1;
  unsigned long long resident, skipped = 0;
  int per_sm = p.blocks_per_sm;
  if (occupancy > 0 && per_sm > occupancy) per_sm = occupancy;
  resident = (unsigned long long)sms * (unsigned)(per_sm > 0 ? per_sm : 1);
  g.threads = (unsigned)gp__threads_of(p, s.primitive);
  g.shared_bytes = (unsigned)gp__shared_bytes(s.primitive, p, s.in_size, s.out_size);
  g.words = 0;
  g.replicas = g.log2_lanes = 0;
  g.share = g.scratch = 0;
  if (gp__is_planned(s.primitive)) {
    if (family == GP__FAMILY_MERGE) gp__geometry_merge(p, s, resident, &g);
    else if (family == GP__FAMILY_TOP_K) gp__geometry_top_k(p, s, resident, &g);
    else if (family == GP__FAMILY_TRANSPOSE) gp__geometry_transpose(p, s, resident, &g);
    else if (family == GP__FAMILY_GRAPH) gp__geometry_graph(p, s, resident, &g);
    else if (p.algorithm == GP_COUNTING) gp__geometry_counting(p, s, resident, &g);
    else gp__geometry_planned(p, s, resident, &g);
    return g;
  }
  if (family == GP__FAMILY_STREAM || family == GP__FAMILY_SEGMENTS || family == GP__FAMILY_HISTOGRAM) {
    if (family == GP__FAMILY_STREAM) gp__geometry_stream(p, s, resident, &g);
    else if (family == GP__FAMILY_SEGMENTS) gp__geometry_segments(p, s, resident, &g);
    else gp__geometry_histogram(p, s, resident, &g);
    return g;
  }
  if (family == GP__FAMILY_SCAN) {
    g.tile_items = (unsigned long long)p.threads * (unsigned)gp__scan_items(p.vectors, s.in_size, s.out_size);
    if (p.algorithm == GP_PIPELINED) // tiles start on a 16-byte boundary of the input
      skipped = (unsigned long long)(s.in_misaligned / s.in_size);
    g.tiles = gp__ceil_div(s.count + skipped, g.tile_items);
    g.grid = (unsigned)(p.algorithm == GP_ONE_BLOCK ? 1 : g.tiles < resident ? g.tiles : resident);
    if (p.algorithm == GP_THREE_SWEEP) g.words = g.grid;
    if (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_PIPELINED) g.words = gp__look_back_slots(g.tiles);
    g.words *= (unsigned)gp__acc_words(s.acc_size);
    return g;
  }
  if (family == GP__FAMILY_REDUCE) {
    g.tile_items = (unsigned long long)(p.threads * p.vectors * gp__vector_items(s.in_size));
    if (s.reproducible) g.tile_items *= gp__canonical_rounds(s.count, s.in_size);
    g.tiles = gp__ceil_div(s.count, g.tile_items);
    g.grid = (unsigned)(p.algorithm == GP_ONE_BLOCK ? 1 : g.tiles < resident ? g.tiles : resident);
    if (!g.grid) g.grid = 1; // an empty input still has a result
    g.words = (p.algorithm == GP_STEALING && g.tiles ? g.tiles : g.grid) * (unsigned)gp__acc_words(s.acc_size);
    return g;
  }
  g.tile_items = (unsigned long long)(p.threads * gp__map_items(p.vectors, s.in_size, s.in2_size, s.out_size));
  if (s.primitive == GP_COPY) { // by bytes
    g.tiles =
        gp__ceil_div(s.count * (unsigned)s.out_size, (unsigned long long)p.threads * (unsigned)p.vectors * GP__VECTOR);
  } else g.tiles = gp__ceil_div(s.count, g.tile_items);
  if (s.primitive == GP_CONVERT_LAYOUT) {
    g.tile_items = (unsigned long long)gp__layout_tile(p, s);
    g.tiles = gp__ceil_div(s.count, g.tile_items);
    g.shared_bytes = (unsigned)gp__layout_shared_bytes(p, s);
    if (s.in_place && !gp__layout_local(p, s)) g.scratch = s.length; // of the input's copy
  }
  if (!g.tiles) g.tiles = 1;
  if (p.blocks_per_sm == 0) resident = 0x7fffffffull;
  g.grid = (unsigned)(g.tiles < resident ? g.tiles : resident);
  return g;
}
