// scan/geometry.h - launches of scans
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, scan/policy.h, core/rows.h,
//   core/geometry.h, core/family.h, scan/portable.h

GP__HOST void gp__geometry_scan(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  gp__u64 skipped = 0;
  g->tile_items = (gp__u64)p.threads * (unsigned)gp__scan_items(p.vectors, s->in_size, s->out_size);
  if (p.algorithm == GP_PIPELINED) // tiles start on a 16-byte boundary of the input
    skipped = (gp__u64)(s->in_misaligned / s->in_size);
  g->tiles = gp__ceil_div(s->count + skipped, g->tile_items);
  g->grid = (unsigned)(p.algorithm == GP_ONE_BLOCK
          ? 1
          : gp__smaller(g->tiles, p.algorithm == GP_ONE_CLUSTER ? (gp__u64)GP__CLUSTER : resident));
  if (p.algorithm == GP_THREE_SWEEP) g->words = g->grid;
  if (p.algorithm == GP_LOOK_BACK || p.algorithm == GP_PIPELINED) g->words = gp__look_back_slots(g->tiles);
  g->words *= (unsigned)gp__acc_words(s->acc_size);
  g->shared_bytes = (unsigned)gp__scan_shared_bytes(p, s->in_size, s->out_size);
}
GP__HOST int gp__scan_threads(gp_policy p) {
  return p.algorithm == GP_PIPELINED ? p.threads + (int)GP__PIPELINE_WARPS * (int)GP__WARP : p.threads;
}

static const gp__rules gp__rules_scan = {gp__policy_valid_scan, gp__measure_elements, gp__portable_scan,
    GP__ALWAYS_OVERLAPS, gp__geometry_scan, gp__scan_threads, GP__OWN_IF_FEW, GP__ROWS_SERVE};
