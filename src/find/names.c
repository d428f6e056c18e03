// find/names.c - template arguments of searches for the first element
// uses: api/lists.h, core/rules.h, core/text.c, find/kinds.c, select/check.c, core/spelling.c, core/kernel_names.c,
//   merge/names.c, select/names.c

GP__HOST void gp__name_find(const gp__spelling *q, gp__text *t) {
  const char *functor = gp__functor(q->op, q->user_op, "gp__op_1"), *in = gp__in_name(q);
  switch (q->primitive) {
  case GP_IS_SORTED:
    in = gp__key_name(q);
    gp__add(t, ", gp__find_neighbours<%s, ", in);
    break;
  case GP_ADJACENT_FIND: gp__add(t, ", gp__find_neighbours<%s, ", in); break;
  case GP_MISMATCH:
  case GP_EQUAL_ARRAYS: gp__add(t, ", gp__find_difference<%s, ", in); break;
  case GP_LEXICOGRAPHIC:
    gp__add(t, ", gp__find_difference<%s, gp__equivalent<", in);
    gp__add(t, q->user_op ? "%s" : "%s<%s>", functor, in);
    gp__add(t, ">>, GP__FIND_ORDER");
    return;
  case GP_IS_PARTITIONED:
    gp__add(t, ", gp__find_return<%s, ", in);
    gp__name_predicate(q->op, q->user_op, functor, in, t);
    gp__add(t, ">, GP__FIND_NONE");
    return;
  default:
    gp__add(t, ", %s<%s, ", q->described ? "gp__find_described" : "gp__find_element", in);
    gp__name_predicate(q->op, q->user_op, functor, in, t);
    gp__add(t, q->primitive == GP_ALL ? ", false" : ", true");
    if (q->described) {
      gp__add(t, ", ");
      gp__name_input(q, q->described - 1, t);
    }
    gp__add(t,
        q->primitive == GP_ALL ? ">, GP__FIND_NONE"
            : q->primitive == GP_ANY ? ">, GP__FIND_SOME"
            : q->primitive == GP_PARTITION_POINT ? ">"
            : ">, GP__FIND_INDEX");
    return;
  }
  gp__add(t, q->user_op ? "%s" : "%s<%s>", functor, in);
  gp__add(t,
      q->primitive == GP_IS_SORTED ? ", true>, GP__FIND_BAD"
          : q->primitive == GP_ADJACENT_FIND ? ", false>, GP__FIND_BEFORE"
          : q->primitive == GP_MISMATCH ? ">, GP__FIND_INDEX"
          : ">, GP__FIND_NONE");
}
GP__HOST void gp__operators_of_find(const gp__spelling *q, gp__program_op *ops) {
  if (q->primitive == GP_IS_SORTED) gp__operators_of_order(q, ops);
  else if (gp__is_predicated(q->primitive)) gp__operators_of_predicate(q, ops);
  else gp__set_operator(ops, gp__in_name(q), gp__in_name(q), "bool");
}
