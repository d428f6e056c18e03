// core/choose.c - the choice of a call's policy
// uses: api/version.h, api/lists.h, api/policy.h, core/rules.h, core/shape.h, core/rows.h, core/family.h,
//   core/families.h, core/messages.c, core/request.c, core/table.c, core/names.c, segments/kinds.c, core/state.c,
//   core/shape.c, core/policy_fields.c

// The policy of a row, if the row may serve the call. Rows were measured on aligned pointers. They know the size, but
// not the number of segments or the shape, so the portable rule chooses the algorithm for these.
GP__HOST int gp__row_serves(gp_policy row, gp__form h, gp_policy *policy) {
  const gp__rules *rules = gp__rules_of(h->primitive);
  gp_policy none;
  int own;
  memset(&none, 0, sizeof none);
  if (h->in_misaligned || h->out_misaligned || h->reproducible) return 0;
  if (rules->row_serves && !rules->row_serves(h)) return 0;
  *policy = gp__portable(row, h);
  if (!gp__policy_valid(*policy, h)) return 0;
  if (rules->own_algorithm == GP__ANY_ALGORITHM) return 1;
  own = gp__portable(none, h).algorithm;
  return policy->algorithm == own ||
      (rules->own_algorithm == GP__OWN_IF_FEW && own != GP_ONE_CLUSTER && own != GP_WARP_SEGMENTS);
}

// The policy that a call runs on: the caller's, a row of the table, or the portable row. A row that is not valid for
// the call (for misaligned pointers, say) does not serve it; an invalid policy of the caller is an error.
GP__HOST gp_result gp__choose(const char *who, const gp_policy *given, gp__form h, const gp__table *table,
    gp_policy *policy, gp_policy_source *source) {
  static gp_policy none; // zeros
  const gp__rules *rules = gp__rules_of(h->primitive);
  const int first = table->first[h->primitive];
  if (given && memcmp(given, &none, sizeof none) != 0) {
    if (memcmp(given->reserved, none.reserved, sizeof none.reserved) != 0)
      return gp__fail(GP_E_UNSUPPORTED, "%s: policy.reserved is not zero; this library (%s) needs zeros there", who,
          GPUPRIMS_VERSION);
    const gp_policy usual = gp__portable_by(rules, none, h); // the policy of gp_policy_origin may be handed back
    gp_policy rest = *given;
    const gp__field *f;
    for (f = gp__fields_of(h->primitive); f->name; ++f) *gp__field_of(&rest, f) = 0;
    for (f = gp__fields_all; f->name; ++f) {
      const int value = *gp__field_of(&rest, f);
      gp_policy expected = usual;
      if (value && value != *gp__field_of(&expected, f))
        return gp__fail(GP_E_POLICY, "%s: policy.%s is set, but this call does not use it", who, f->name);
    }
    *policy = gp__portable_by(rules, *given, h);
    *source = GP_POLICY_CALLER;
    return gp__is_valid(rules, policy, h) ? GP_SUCCESS : gp__policy_error(who, *given, h);
  }
  if (first < GP__POLICY_ROWS) {
    const gp__wanted w = gp__wanted_of(h, rules->measure(h), 0);
    const gp__policy_row *found[GP__ROWS_MOST];
    const int all = gp__rows_for(gp__policy_rows + first, GP__POLICY_ROWS - first, table->row + first, &w, found);
    int i;
    for (i = 0; i < all; ++i)
      if (gp__row_serves(found[i]->policy, h, policy)) {
        *source = (gp_policy_source)table->row[found[i] - gp__policy_rows].source;
        return GP_SUCCESS;
      }
  }
  *policy = gp__portable_by(rules, none, h);
  *source = GP_POLICY_PORTABLE;
  return gp__is_valid(rules, policy, h) ? GP_SUCCESS : gp__policy_error(who, *policy, h);
}

// The same on the context's device, for a call; *h gets its shape. source may be NULL.
GP__HOST gp_result gp__choose_here(const gp__state *s, const gp__request *q, const gp_policy *given, gp__shape *h,
    gp_policy *policy, gp_policy_source *source) {
  gp_policy_source any;
  gp__set_shape(q, h);
  gp__shape_on(h, &s->about);
  return gp__choose(
      gp__primitive_names[q->primitive], given ? given : q->policy, h, &s->table, policy, source ? source : &any);
}
