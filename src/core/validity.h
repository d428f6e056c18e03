// core/validity.h - validity of any policy; the bytes by which calls are small or large
// uses: api/policy.h, core/rules.h, core/shape.h, families.h

// A policy that is valid for its family, and for all.
__attribute__((unused)) static int gp__policy_valid(gp_policy p, gp__shape s) {
  if (!gp__policy_valid_common(p) || (p.overlap == 1 && s.compute_capability < 90)) return 0;
  switch (gp__family_of(s.primitive)) {
#define GPUPRIMS__CASE(FAMILY, family)                                                                                 \
  case GP__FAMILY_##FAMILY:                                                                                            \
    return gp__policy_valid_##family(p, s);
    GPUPRIMS__FAMILIES(GPUPRIMS__CASE)
#undef GPUPRIMS__CASE
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
