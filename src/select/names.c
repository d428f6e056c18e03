// select/names.c - template arguments of streams
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, core/text.c, core/request.c, core/names.c,
//   select/check.c, core/spelling.c, core/kernel_names.c

GP__HOST void gp__name_predicate(gp_op op, const gp__op_info *user, const char *of_user, const char *in, gp__text *t) {
  if (user) gp__add(t, "gp__test<%s, %s>", of_user, in);
  else if (op) gp__add(t, "gp__compare<%s<%s>>", gp__op_rows[op].functor, in);
  else gp__add(t, "gp__none");
}

// Selections of described values by flags or a stencil.
GP__HOST int gp__selects_by_position(const gp__spelling *q) {
  return q->described && q->key_size && (q->primitive == GP_SELECT || q->primitive == GP_PARTITION);
}
GP__HOST void gp__name_body(const gp__spelling *q, gp__text *t) {
  const char *in = gp__in_name(q), *key = gp__key_name(q);
  if (q->primitive == GP_SELECT || q->primitive == GP_PARTITION) {
    const char *tested = q->key_size ? key : in;
    gp__add(t, "%s<%d, %s, %s, ", gp__selects_by_position(q) ? "gp__select_at" : "gp__select",
        q->primitive == GP_SELECT ? 1
            : q->transform ? 3
            : 2,
        in, key);
    if (q->op) gp__name_predicate(q->op, q->user_op, "gp__op_1", tested, t);
    else gp__add(t, "gp__flag<%s>", key);
    gp__add(t, ", ");
    gp__name_predicate(q->transform, q->user_transform, "gp__op_2", tested, t);
    if (gp__selects_by_position(q)) {
      gp__add(t, ", ");
      gp__name_input(q, q->described - 1, t);
    }
    gp__add(t, ">");
    return;
  }
  if (q->acc_size)
    gp__add(t, "gp__by_key<%s, %s, ",
        q->primitive == GP_REDUCE_BY_KEY ? "GP_REDUCE_BY_KEY"
            : q->primitive == GP_INCLUSIVE_SCAN_BY_KEY || q->primitive == GP_SEGMENTED_INCLUSIVE_SCAN
            ? "GP_INCLUSIVE_SCAN_BY_KEY"
            : "GP_EXCLUSIVE_SCAN_BY_KEY",
        q->has_init ? "true" : "false");
  else
    gp__add(t, "gp__runs<%s, ",
        q->primitive == GP_UNIQUE ? "GP_UNIQUE"
            : q->primitive == GP_RUN_LENGTHS ? "GP_RUN_LENGTHS"
            : "GP_NONTRIVIAL_RUNS");
  if (q->offset_size) gp__add(t, "gp__offset_heads<%s>, ", gp__type_rows[q->offset_type].device);
  else if (q->equal == GP_HEADS) gp__add(t, "gp__flag_heads<%s>, ", key);
  else if (q->user_equal) gp__add(t, "gp__key_heads<%s, gp__op_3>, ", key);
  else gp__add(t, "gp__key_heads<%s, %s<%s>>, ", key, gp__op_rows[q->equal].functor, key);
  if (q->acc_size) gp__name_fold_of(q, 0, t), gp__add(t, ">");
  else gp__add(t, "%s, %s>", in, q->out2_size ? gp__type_rows[q->out2_type].device : "gp__none");
}
// The body of a stream.
GP__HOST void gp__name_stream(const gp__spelling *q, gp__text *t) {
  const int fed = q->described && !gp__selects_by_position(q);
  gp__add(t, fed ? ", gp__fed<" : ", ");
  gp__name_body(q, t);
  if (!fed) return;
  gp__add(t, ", ");
  gp__name_input(q, q->described - 1, t);
  gp__add(t, ">");
}
// A predicate takes one element and returns bool.
GP__HOST void gp__operators_of_predicate(const gp__spelling *q, gp__program_op *ops) {
  if (!gp__is_predicated(q->primitive)) return;
  gp__set_operator(ops, q->key_size ? gp__key_name(q) : gp__in_name(q), NULL, "bool");
  ops[1].a = ops[0].a;
  ops[1].r = "bool";
}
GP__HOST void gp__spell_stream(const gp__request *q, const gp_policy *p, gp__form h, gp__spelling *w) {
  (void)p, (void)h;
  w->has_init = q->acc_size && q->has_init; // by key
}
// Long chunks take 128 registers a thread.
GP__HOST unsigned gp__resident_streams(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  (void)h;
  return gp__promise(q, w, (unsigned)p->blocks_per_sm, p->vectors >= 7 || q->acc_size > 8 ? 512 : 768);
}
