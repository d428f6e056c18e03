// tuner/online_space.c - the policies of a call as the lattice of a search
// uses: api/config.h, api/policy.h, core/rules.h, core/shape.h, families.h, core/canonical.h, core/geometry.h,
//   core/families.h, core/text.c, tuner/points.c, tuner/tuner.c

// A parameter for each field of the family. A value that the call's usual policy has, and the field's list lacks, joins
// the list. Overlap keeps the usual value: a call between two events does not show what it is worth.

enum { GP__FIELD_VALUES = 12, GP__LAST_VALUE = -0x7fffffff - 1 };
typedef struct gp__field_values {
  const char *name;
  size_t offset;
  int values[GP__FIELD_VALUES + 1];
} gp__field_values;
#define GP__VALUES(field, default_, ...) {#field, offsetof(gp_policy, field), {__VA_ARGS__, GP__LAST_VALUE}},
#define GPUPRIMS__FIELDS(FAMILY, family) \
  static const gp__field_values gp__values_##family[] = { \
      GP_POLICY_FIELDS_##FAMILY(GP__VALUES){NULL, 0, {GP__LAST_VALUE}}};
GPUPRIMS__FAMILIES(GPUPRIMS__FIELDS)
#undef GPUPRIMS__FIELDS
#undef GP__VALUES
GP__HOST const gp__field_values *gp__values_of(int primitive) {
#define GPUPRIMS__FIELDS(FAMILY, family) gp__values_##family,
  static const gp__field_values *const values[] = {GPUPRIMS__FAMILIES(GPUPRIMS__FIELDS)};
#undef GPUPRIMS__FIELDS
  return values[gp__family_of(primitive)];
}
GP__HOST int gp__value_in(const gp_policy *p, const gp__field_values *f) {
  int value;
  memcpy(&value, (const char *)p + f->offset, sizeof value);
  return value;
}
// Whether the values of a field are kinds, not amounts.
GP__HOST int gp__field_is_kind(const gp__field_values *f) {
  return f->offset == offsetof(gp_policy, algorithm) || f->offset == offsetof(gp_policy, load) ||
      f->offset == offsetof(gp_policy, store) || f->offset == offsetof(gp_policy, overlap) ||
      f->offset == offsetof(gp_policy, gather) || f->offset == offsetof(gp_policy, cull);
}

// Gives the tuner the fields of a family as parameters; they start at `usual`. 0: no memory.
GP__HOST int gp__tune_fields(gp_tuner *t, const gp__field_values *f, const gp_policy *usual) {
  int failed = 0;
  for (; f->name && t->parameters < GP__TUNED_MOST; ++f) {
    gp__tuned *p = &t->tuned[t->parameters++];
    const int start = gp__value_in(usual, f);
    int count = 0, at;
    p->name = gp__duplicate(f->name, &failed);
    p->values = (int *)malloc((GP__FIELD_VALUES + 1) * sizeof *p->values);
    if (failed || !p->values) return 0;
    for (; f->values[count] != GP__LAST_VALUE; ++count) p->values[count] = f->values[count];
    if (f->offset == offsetof(gp_policy, overlap) && start) p->values[0] = start, count = 1;
    p->categorical = gp__field_is_kind(f);
    for (at = 0; at < count && p->values[at] != start; ++at) {}
    if (at == count && start) { // in order, where there is one
      while (at && !p->categorical && p->values[at - 1] > start) p->values[at] = p->values[at - 1], --at;
      p->values[at] = start;
      ++count;
    }
    p->start = at < count ? at : 0; // the usual policy does not read the field
    p->count = count;
  }
  return 1;
}

// The policy of a tuner's values, with zero in the fields that its algorithm does not read. *repeats: another point has
// the same policy, because such a field has another value than at the start.
GP__HOST gp_policy gp__policy_at(
    const gp_tuner *t, const gp__field_values *f, gp__form h, const int *values, int *repeats) {
  gp_policy p, read;
  int i;
  memset(&p, 0, sizeof p);
  *repeats = 0;
  for (i = 0; i < t->parameters; ++i) memcpy((char *)&p + f[i].offset, &values[i], sizeof values[i]);
  read = gp__canonical(p);
  for (i = 0; i < t->parameters; ++i)
    *repeats |=
        gp__value_in(&p, &f[i]) && !gp__value_in(&read, &f[i]) && values[i] != t->tuned[i].values[t->tuned[i].start];
  return gp__portable(read, h);
}
enum { GP__FEWER_THREADS = 32 };
// Whether a policy may be tried in place of the usual one. One that leaves most of the threads out is not: a single
// block, say, on much data.
GP__HOST int gp__worth_trying(const gp_policy *p, const gp_policy *usual, gp__form h) {
  gp__geometry g, by_rule;
  if (!gp__policy_valid(*p, h)) return 0;
  g = gp__geometry_of(*p, h, 0);
  by_rule = gp__geometry_of(*usual, h, 0);
  return (uint64_t)g.grid * g.threads * GP__FEWER_THREADS >= (uint64_t)by_rule.grid * by_rule.threads;
}
