// scan/names.c - template arguments of scans
// uses: api/lists.h, core/rules.h, core/text.c, core/spelling.c, core/kernel_names.c

GP__HOST void gp__name_scan(const gp__spelling *q, gp__text *t) {
  gp__add(t, q->primitive == GP_EXCLUSIVE_SCAN ? ", true, " : ", false, ");
  gp__name_fold(q, t);
}
