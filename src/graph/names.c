// graph/names.c - template arguments of work on graphs
// uses: api/lists.h, core/rules.h, core/text.c, core/spelling.c, core/kernel_names.c

GP__HOST void gp__name_graph_keys(const gp__spelling *q, gp__text *t) {
  gp__name_offset_key(q, t);
  gp__add(t, ", %s", q->primitive == GP_GRAPH_RELABEL ? "true" : "false");
}
