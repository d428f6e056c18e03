// core/families.h - the rules of any call, by its family
// uses: api/policy.h, core/rules.h, core/shape.h, families.h, core/geometry.h, core/family.h

GP__HOST inline const gp__rules *gp__rules_of(int primitive) {
#define GP__RULES(FAMILY, family) &gp__rules_##family,
  static const gp__rules *const rules[] = {GPUPRIMS__FAMILIES(GP__RULES)};
#undef GP__RULES
  return rules[gp__family_of(primitive)];
}
GP__HOST int gp__policy_valid(gp_policy p, gp__form s) { return gp__valid_by(gp__rules_of(s->primitive), p, s); }
GP__HOST gp_policy gp__portable(gp_policy p, gp__form s) { return gp__portable_by(gp__rules_of(s->primitive), p, s); }
GP__HOST gp__geometry gp__geometry_of(gp_policy p, gp__form s, int occupancy) {
  return gp__geometry_by(gp__rules_of(s->primitive), p, s, occupancy);
}
