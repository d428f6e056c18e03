// core/rows.h - rows of policies, the tuned table's and the header's own, and how they are found
// uses: api/lists.h, api/policy.h, core/shape.h, bfs/policy.h, core/validity.h, core/canonical.h

// A row: the policy of calls of a primitive (0: a family) on `from` bytes (gp__shape_bytes) and more, less than `to`.
// core/table.c says what the sizes are; -1: any. The header's own rows, scope "portable", may say more in `when`: what
// else from and to measure, and what must hold of the call, by bits that each family names.
typedef struct gp__policy_row {
  const char *scope;
  int primitive, in_size, acc_size, out_size;
  unsigned when;
  unsigned long long from, to;
  gp_policy policy;
  const char *provenance;
} gp__policy_row;
enum {
  GP__CHOOSES = 1,  // the row chooses its algorithm where the policy has none; other rows only serve theirs
  GP__BY_COUNT = 2, // from and to are elements
  GP__BY_KEYS = 4,  // bytes of keys
  GP__MEASURE = 6,
  GP__IF = 8 // the first bit of a family
};
// A row of the header's own: size, when, from, to, then the policy, and the day of November 2026 when it was measured.
#define GPUPRIMS__H200(primitive, in, when, from, to, algorithm, threads, vectors, stages, blocks, day)                \
  {                                                                                                                    \
    "portable", primitive, in, -1, -1, when, from, to,                                                                 \
        {algorithm, threads, vectors, 0, 0, stages, blocks, 0, 0, 0, 0, 0, 0, 0, 0}, "NVIDIA H200, 2026-11-" #day      \
  }

// What rows are compared with: the sizes of a call, its measures in the order of GP__MEASURE, and what holds.
typedef struct gp__wanted {
  int primitive, in_size, acc_size, out_size;
  unsigned when;
  unsigned long long sizes[3];
} gp__wanted;
__attribute__((unused)) static gp__wanted gp__wanted_of(const gp__shape *h, unsigned when) {
  // Sorts and merges: in_size is the key's, out_size the value's. Transposes: both are the element's.
  const int planned = gp__is_planned(h->primitive), graph = gp__family_of(h->primitive) == GP__FAMILY_GRAPH;
  gp__wanted w;
  w.primitive = h->primitive;
  w.in_size = graph ? h->offset_size : planned || !h->in_size ? h->key_size : h->in_size;
  w.acc_size = graph ? h->key_size : h->acc_size;
  w.out_size = graph ? gp__degree_class(*h) : planned ? (h->move ? h->key_size : h->in_size) : h->out_size;
  w.when = when;
  w.sizes[0] = gp__shape_bytes(*h);
  w.sizes[1] = h->count + h->count2;
  w.sizes[2] = h->count * (unsigned)h->key_size;
  return w;
}
// How well a row fits: 0 not at all, otherwise more for what it names, then for the larger bucket.
__attribute__((unused)) static int gp__row_fit(const gp__policy_row *row, const gp__wanted *w) {
  const unsigned long long size = w->sizes[(row->when & GP__MEASURE) / GP__BY_COUNT];
  if ((row->primitive && row->primitive != w->primitive) || row->from > size || (row->to && row->to <= size) ||
      (row->in_size >= 0 && row->in_size != w->in_size) || (row->acc_size >= 0 && row->acc_size != w->acc_size) ||
      (row->out_size >= 0 && row->out_size != w->out_size) || (row->when / GP__IF * GP__IF & ~w->when))
    return 0;
  return 1 + (row->from ? 63 - __builtin_clzll(row->from) : 0) +
         64 * ((row->primitive > 0) + (row->policy.algorithm > 0) + (row->in_size >= 0) + (row->acc_size >= 0) +
               (row->out_size >= 0) + __builtin_popcount(row->when / GP__IF));
}
// The one lookup: the row that fits best, and of those the first; behind `last`, where that is not NULL. source: of
// each row, NULL for any. algorithm: rows of others do not serve; GP_AUTO for any.
__attribute__((unused)) static const gp__policy_row *gp__next_row(const gp__policy_row *rows, int count,
                                                                  const unsigned char *source, int wanted,
                                                                  const gp__wanted *w, int algorithm,
                                                                  const gp__policy_row *last) {
  const int most = last ? gp__row_fit(last, w) : 0x7fffffff;
  const gp__policy_row *row, *found = NULL;
  int best = 0;
  for (row = rows; row != rows + count; ++row) {
    int fit;
    if ((source && source[row - rows] != wanted) ||
        (algorithm && row->policy.algorithm && row->policy.algorithm != algorithm))
      continue;
    fit = gp__row_fit(row, w);
    if (fit > best && (fit < most || (fit == most && row > last))) best = fit, found = row;
  }
  return found;
}
// Fills what a policy leaves open from the rows that fit, the best first.
__attribute__((unused)) static gp_policy gp__fill(gp_policy p, const gp__policy_row *rows, int count,
                                                  const gp__shape *h, unsigned when) {
  const gp__wanted w = gp__wanted_of(h, when);
  const gp__policy_row *row = NULL;
  while (!p.algorithm && (row = gp__next_row(rows, count, NULL, 0, &w, GP_AUTO, row)) != NULL)
    if (row->when & GP__CHOOSES) p.algorithm = row->policy.algorithm;
  for (row = NULL; (row = gp__next_row(rows, count, NULL, 0, &w, p.algorithm, row)) != NULL;) {
#define GPUPRIMS__OPEN_FIELD(field) p.field = gp__default_to(p.field, row->policy.field);
    GP_POLICY_MEMBERS(GPUPRIMS__OPEN_FIELD)
#undef GPUPRIMS__OPEN_FIELD
  }
  return p;
}
#define GPUPRIMS__FILL(p, rows, h, when) gp__fill(p, rows, (int)(sizeof rows / sizeof *rows), &(h), when)
