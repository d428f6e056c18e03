// expand/names.c - template arguments of expansions
// uses: api/lists.h, core/rules.h, core/text.c, core/spelling.c, core/kernel_names.c

GP__HOST void gp__name_expand(const gp__spelling *q, gp__text *t) {
  if (q->primitive == GP_EXPAND) gp__add(t, ", gp__expand_by_offsets<%s>", gp__offset_name(q));
  else gp__add(t, ", gp__expand_by_lengths<%s>", gp__offset_name(q));
  gp__add(t, ", %s", gp__in_name(q));
}
