// segmented_sort/plan.c - plans of segmented sorts
// uses: api/policy.h, api/structs.h, core/rules.h, core/shape.h, segmented_sort/arguments.h, segmented_sort/scratch.h,
//   core/request.c, segmented_sort/host.c, core/kinds.c, core/primitive.c, core/reads.c, segmented_sort/check.c,
//   core/shape.c, sort/shape.c, segmented_sort/names.c, segmented_sort/launch.c, segments/plan.c

GP__HOST int gp__kinds_of_segmented_sort(const gp__request *q, const gp_policy *p, gp__kernel_kind *kinds) {
  const gp__shape h = gp__shape_of(q);
  gp__segmented_sort_args a;
  int i, count = 0;
  gp__lay_out_segmented_sort(*p, &h, NULL, &a);
  for (i = 0; i < 4; ++i)
    if (a.launches >> i & 1) kinds[count++] = (gp__kernel_kind)(GP__SEGMENTS_BEGIN + i);
  return count;
}
GP__HOST int gp__segmented_sort_is_idle(const gp__request *q) { return !q->count || !q->segments; }

static const gp__kernel_rules gp__kernels_of_segmented_sort = {GP__SAME_POLICY, gp__threads_of_segments_kernel,
    gp__block_of_segments_kernel, GP__NO_FORM, gp__resident_segments, gp__spell_segmented_sort, GP__NO_FIT};
static const gp__family gp__family_segmented_sort = {gp__checks_segmented_sort, gp__segmented_sort_is_idle,
    gp__shape_radix_keys, gp__kinds_of_segmented_sort, &gp__kernels_of_segmented_sort, GP__FOLD_OPERATORS,
    GP__LAUNCH_AFTER(gp__launch_segmented_sort, gp__offsets_check), gp__host_segmented_sort};
static const gp__primitive gp__primitive_segmented_sort = {&gp__family_segmented_sort,
    (GP__READS_PAIRS & ~GP__READS_COUNT_DEVICE) | GP__READS_OFFSETS | GP__READS_END | GP__READS_SEGMENT_LENGTH |
        GP__READS_BAD,
    GP__TAKES_BITS | GP__IN_PLACE | GP__KEYS_IN_PLACE | GP__WANTS_KEYS, GP_CHECKED | GP_DESCENDING};
