// histogram/names.c - template arguments of histograms
// uses: api/lists.h, core/system.c, core/text.c, core/spelling.c, core/kernel_names.c

GPUPRIMS__PRIVATE void gp__name_histogram(const gp__spelling *q, gp__text *t) {
  const char *in = gp__in_name(q);
  gp__add(t, ", %s, %s<%s>, %s, %s, %s", q->algorithm == GP_SHARED_BINS ? "GP_SHARED_BINS" : "GP_GLOBAL_BINS",
          q->primitive == GP_HISTOGRAM_EVEN ? "gp__even_bins" : "gp__range_bins", in, in, gp__in2_name(q),
          gp__out_name(q));
}
