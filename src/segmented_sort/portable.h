// segmented_sort/portable.h - portable rule of segmented sort
// uses: api/lists.h, api/policy.h, core/shape.h, segmented_sort/policy.h, core/canonical.h

__attribute__((unused)) static gp_policy gp__portable_segmented_sort(gp_policy p, gp__shape s) {
  const int vectors = p.vectors;
  p.algorithm = gp__default_to(p.algorithm, GP_SIZE_CLASSES);
  p.threads = gp__default_to(p.threads, 256);
  p.vectors = gp__default_to(p.vectors, 4);
  p.blocks_per_sm = gp__default_to(p.blocks_per_sm, 2);
  while (!vectors && p.vectors > 1 && !gp__policy_valid_segmented_sort(p, s)) p.vectors /= 2; // little shared memory
  return p;
}
