// histogram/names.c - template arguments of histograms
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, core/text.c, core/request.c, core/spelling.c,
//   core/kernel_names.c

GP__HOST void gp__name_histogram(const gp__spelling *q, gp__text *t) {
  const char *in = gp__in_name(q);
  gp__add(t, ", %s, %s<%s>, %s, %s, %s",
      q->algorithm == GP_SHARED_BINS ? "GP_SHARED_BINS"
          : q->algorithm == GP_ONE_CLUSTER ? "GP_ONE_CLUSTER"
          : "GP_GLOBAL_BINS",
      q->primitive == GP_HISTOGRAM_EVEN ? "gp__even_bins" : "gp__range_bins", in, in, gp__in2_name(q), gp__out_name(q));
  if (q->described) gp__add(t, ", "), gp__name_source(q, t);
}
// 40 registers suffice with few vectors in flight.
GP__HOST unsigned gp__resident_histograms(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  (void)h;
  return gp__promise(q, w, (unsigned)p->blocks_per_sm, p->vectors < 4 ? 1536 : 1024);
}
