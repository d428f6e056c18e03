// expand/names.c - template arguments of expansions
// uses: api/lists.h, core/rules.h, core/text.c, core/spelling.c, core/kernel_names.c

// The first launch of runs makes offsets of 8 bytes.
GP__PRIVATE void gp__name_expand(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, %s", q->primitive == GP_EXPAND ? gp__offset_name(q) : "unsigned long long", gp__in_name(q));
}
