// merge/names.c - template arguments of merges, merge sort and sets
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, merge/policy.h, core/geometry.h, core/text.c,
//   core/names.c, core/kinds.c, core/spelling.c, core/kernel_names.c, sort/names.c

// The functor of an order; GP_DESCENDING reverses a user's.
GP__HOST void gp__name_order(const gp__spelling *q, gp__text *t) {
  if (!q->user_op) gp__add(t, "%s<%s>", gp__op_rows[q->op].functor, gp__key_name(q));
  else gp__add(t, q->descending ? "gp__reversed<gp__op_1>" : "gp__op_1");
}
GP__HOST void gp__name_merge(const gp__spelling *q, gp__text *t) {
  if (!q->op) { // of a sort's blocks
    gp__add(t, ", gp__key_before<");
    gp__name_radix_key(q, t);
    gp__add(t, ", %s>, ", q->descending ? "true" : "false");
    gp__name_radix_key(q, t);
    gp__add(t, "::Key, %s", gp__in_name(q));
    return;
  }
  gp__add(t, ", ");
  gp__name_order(q, t);
  gp__add(t, ", %s, %s", gp__key_name(q), gp__in_name(q));
}
GP__HOST const char *gp__set_name(gp_primitive p) {
  return p == GP_SET_UNION ? "SET_UNION"
      : p == GP_SET_INTERSECTION ? "SET_INTERSECTION"
      : p == GP_SET_DIFFERENCE ? "SET_DIFFERENCE"
      : "SET_SYMMETRIC_DIFFERENCE";
}
GP__HOST void gp__name_set(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", GP_%s", gp__set_name(q->primitive));
  gp__name_merge(q, t);
}
// An order of keys.
GP__HOST void gp__operators_of_order(const gp__spelling *q, gp__program_op *ops) {
  gp__set_operator(ops, gp__key_name(q), gp__key_name(q), "bool");
  ops[1].a = gp__key_name(q); // a sort's transform
}

GP__HOST void gp__block_of_merge_kernel(gp_policy p, gp__form h, gp__kernel_kind kind, gp__geometry *g) {
  if (kind == GP__MERGE_SORT_TILES) g->shared_bytes = (unsigned)gp__sort_tile_shared_bytes(p, h);
  if (kind == GP__MERGE_FOUR_BORDERS) g->shared_bytes = g->threads * (unsigned)h->key_size;
}
