// segmented_sort/geometry.h - launches of segmented sort
// uses: api/policy.h, core/words.h, core/rules.h, core/shape.h, segmented_sort/policy.h, segmented_sort/arguments.h,
//   core/rows.h, core/geometry.h, core/family.h, segmented_sort/portable.h, segmented_sort/scratch.h, sort/geometry.h

GP__HOST void gp__geometry_segmented_sort(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  gp__segmented_sort_args a;
  gp__geometry_tiles(p, s, resident, g);
  g->scratch = gp__lay_out_segmented_sort(p, s, NULL, &a);
  g->words = g->scratch ? 1 + a.queue_size : 0;
}

static const gp__rules gp__rules_segmented_sort = {gp__policy_valid_segmented_sort, gp__measure_keys,
    gp__portable_segmented_sort, GP__ALWAYS_OVERLAPS, gp__geometry_segmented_sort, GP__POLICY_THREADS,
    GP__ANY_ALGORITHM, GP__ROWS_SERVE};
