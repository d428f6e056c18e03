// segments/names.c - template arguments of segmented reductions
// uses: core/rules.h, core/text.c, core/spelling.c, core/kernel_names.c

GP__HOST void gp__name_segments(const gp__spelling *q, gp__text *t) {
  if (!q->offset_size) gp__add(t, ", gp__fixed_ends, ");
  else
    gp__add(t, ", %s<%s>, ",
        q->ranged == 2 ? "gp__run_ends"
            : q->ranged ? "gp__range_ends"
            : "gp__offset_ends",
        gp__offset_name(q));
  gp__name_fold(q, t);
  if (q->index_bytes) gp__add(t, ", gp__u64");
}
