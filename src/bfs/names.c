// bfs/names.c - template arguments of searches in graphs
// uses: core/rules.h, core/text.c, core/spelling.c, core/kernel_names.c

GP__HOST void gp__name_bfs(const gp__spelling *q, gp__text *t) {
  gp__name_offset_key(q, t);
  if (q->clustered) gp__add(t, ", true");
}
GP__HOST void gp__name_sources(const gp__spelling *q, gp__text *t) {
  gp__name_offset_key(q, t);
  gp__add(t, ", unsigned %s", q->acc_size == 8 ? "long long" : "int");
}
