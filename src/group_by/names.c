// group_by/names.c - template arguments of group-by
// uses: core/rules.h, core/text.c, core/spelling.c, core/kernel_names.c

GP__HOST void gp__name_groups(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", gp__unsigned_of<%d>::type, ", (int)q->key_size);
  gp__name_fold(q, t);
}
