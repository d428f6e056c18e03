// hash/names.c - template arguments of kernels with hash tables
// uses: core/rules.h, core/text.c, core/spelling.c

GP__HOST void gp__name_hash_key(const gp__spelling *q, gp__text *t) {
  if (!q->word) gp__add(t, ", gp_bool, 1");
  else gp__add(t, ", gp__unsigned_of<%d>::type, %d", q->word, q->size);
}
