// core/rows.h - rows of policies, the tuned table's and the header's own, and their look-up
// uses: api/policy.h, core/words.h, core/rules.h, core/shape.h, core/canonical.h

// A row: the policy of calls of a primitive (0: a family) on at least `from` and less than `to` bytes (gp__measures).
// core/table.c explains the sizes; -1: any. The header's own rows, scope "portable", may have more in `when`: another
// measure for from and to, and conditions on the call, by bits that each family names.
typedef struct gp__policy_row {
  const char *scope;
  int primitive, in_size, acc_size, out_size;
  unsigned when;
  gp__u64 from, to;
  gp_policy policy;
  const char *provenance;
} gp__policy_row;
// (Macros, because C++20 joins no bits of two enumerations.)
#define GP__CHOOSES 1u // the row sets the algorithm if the policy has none; other rows only serve theirs
#define GP__BY_COUNT 2u // from and to are elements
#define GP__BY_KEYS 4u // bytes of keys
#define GP__MEASURE 6u
#define GP__IF 8u // the first bit of a family
// A row of the header's own: size, when, from, to, the policy, and the day of November 2026 of its measurement.
#define GP__H200(primitive, in, when, from, to, algorithm, threads, vectors, stages, blocks, day) \
  { \
    "portable", primitive, in, -1, -1, when, from, to, \
        {algorithm, threads, vectors, 0, 0, stages, blocks, 0, 0, 0, 0, 0, 0, 0, 0, {0}}, "NVIDIA H200, 2026-11-" #day \
  }

// A call as rows see it: its sizes, and its measures in the order of GP__MEASURE.
typedef struct gp__wanted {
  int primitive, in_size, acc_size, out_size;
  unsigned lacks; // conditions of a row that do not hold
  gp__u64 sizes[3];
} gp__wanted;
// A call as its family measures it: element sizes, and the bytes that make it small or large.
typedef struct gp__measures {
  int in_size, acc_size, out_size;
  gp__u64 bytes;
} gp__measures;
// Most families: the bytes that are read, or written if that is more.
GP__HOST gp__measures gp__measure_elements(gp__form s) {
  gp__measures m;
  m.in_size = s->in_size ? s->in_size : s->key_size;
  m.acc_size = s->acc_size;
  m.out_size = s->out_size;
  m.bytes = s->count * (gp__u64)gp__max(s->in_size, s->out_size);
  return m;
}
// Families that move keys and values: in_size is the key's, out_size the value's.
GP__HOST gp__measures gp__measure_keys(gp__form s) {
  gp__measures m;
  m.in_size = s->key_size;
  m.acc_size = s->acc_size;
  m.out_size = s->in_size;
  m.bytes = (s->count + s->count2) * (unsigned)(s->key_size + s->in_size);
  return m;
}
GP__HOST gp__wanted gp__wanted_of(gp__form h, gp__measures m, unsigned when) {
  gp__wanted w;
  w.primitive = h->primitive;
  w.in_size = m.in_size;
  w.acc_size = m.acc_size;
  w.out_size = m.out_size;
  w.lacks = ~when / GP__IF * GP__IF;
  w.sizes[0] = m.bytes;
  w.sizes[1] = h->count + h->count2;
  w.sizes[2] = h->count * (unsigned)h->key_size;
  return w;
}
// Score of a row: 0 if it does not fit, otherwise more for each thing that it names, then for a larger `from`.
GP__HOST inline int gp__row_fit(const gp__policy_row *row, const gp__wanted *w) {
  unsigned flags = row->when / GP__IF;
  gp__u64 size;
  int named;
  if (row->when & w->lacks || (row->primitive && row->primitive != w->primitive)) return 0; // the most
  size = w->sizes[(row->when & GP__MEASURE) / GP__BY_COUNT];
  if (row->from > size || (row->to && row->to <= size)) return 0;
  named = (row->primitive > 0) + (row->policy.algorithm > 0);
  if ((row->in_size & row->acc_size & row->out_size) != -1) { // not of all types
    if ((row->in_size >= 0 && row->in_size != w->in_size) || (row->acc_size >= 0 && row->acc_size != w->acc_size) ||
        (row->out_size >= 0 && row->out_size != w->out_size))
      return 0;
    named += (row->in_size >= 0) + (row->acc_size >= 0) + (row->out_size >= 0);
  }
  for (; flags; flags &= flags - 1) ++named;
  return 1 + (row->from ? 63 - __builtin_clzll(row->from) : 0) + 64 * named;
}
// A row in a list: its gp_policy_source, and how many rows behind the next one is.
typedef struct gp__listed {
  int source, step;
} gp__listed;
// The only look-up: the rows that fit, the best first, and the first of those that fit alike. list: that of the
// first row, where lower sources come first; NULL: all rows. Returns how many fit.
enum { GP__ROWS_MOST = 32 }; // that fit a call
GP__HOST int gp__rows_for(const gp__policy_row *rows, int count, const gp__listed *list, const gp__wanted *w,
    const gp__policy_row *found[GP__ROWS_MOST]) {
  int fits[GP__ROWS_MOST], all = 0, i, k;
  for (i = 0; i < count; i += list ? list[i].step : 1) {
    int fit = gp__row_fit(rows + i, w);
    if (!fit) continue;
    if (list) fit += (GP_POLICY_PORTABLE - list[i].source) << 16;
    if (all == GP__ROWS_MOST && fits[all - 1] >= fit) continue;
    for (k = all < GP__ROWS_MOST ? all++ : all - 1; k > 0 && fits[k - 1] < fit; --k)
      fits[k] = fits[k - 1], found[k] = found[k - 1];
    fits[k] = fit, found[k] = rows + i;
  }
  return all;
}
// A row that names an algorithm serves only that one.
GP__HOST int gp__is_row_of(const gp__policy_row *row, int algorithm) {
  return !algorithm || !row->policy.algorithm || row->policy.algorithm == algorithm;
}
// Fills the open fields of a policy from the rows that fit, the best first.
GP__HOST gp_policy gp__fill(gp_policy given, const gp__policy_row *rows, int count, gp__wanted w) {
  gp_policy p = given;
  const gp__policy_row *found[GP__ROWS_MOST];
  const int all = gp__rows_for(rows, count, NULL, &w, found);
  int i;
  for (i = 0; i < all && !p.algorithm; ++i)
    if (found[i]->when & GP__CHOOSES) p.algorithm = found[i]->policy.algorithm;
  for (i = 0; i < all; ++i) {
    const gp_policy *row = &found[i]->policy;
    if (!gp__is_row_of(found[i], p.algorithm)) continue;
#define GP__OPEN_FIELD(field) p.field = gp__default_to(p.field, row->field);
    GP_POLICY_MEMBERS(GP__OPEN_FIELD)
#undef GP__OPEN_FIELD
  }
  return p;
}
// measure: that of the family (gp__rules).
#define GP__FILL(p, rows, measure, s, when) \
  gp__fill(p, rows, (int)(sizeof rows / sizeof *rows), gp__wanted_of(s, measure(s), when))
