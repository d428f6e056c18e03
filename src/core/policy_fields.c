// core/policy_fields.c - policy fields by name
// uses: api/lists.h, api/policy.h, core/shape.h, reduce/policy.h, scan/policy.h, select/policy.h, segments/policy.h,
//   histogram/policy.h, sort/hybrid_policy.h, merge/policy.h, segmented_sort/policy.h, top_k/policy.h,
//   transpose/policy.h, map/policy.h, bfs/policy.h, core/validity.h, core/portable.h, core/system.c, core/messages.c

// Numbers of a policy by name: for messages, and for fields that a primitive does not have.
typedef struct gp__field {
  const char *name;
  size_t offset;
} gp__field;
#define GPUPRIMS__FIELD(field, ...) {#field, offsetof(gp_policy, field)},
static const gp__field gp__fields_map[] = {GP_POLICY_FIELDS_MAP(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_reduce[] = {GP_POLICY_FIELDS_REDUCE(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_scan[] = {GP_POLICY_FIELDS_SCAN(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_stream[] = {GP_POLICY_FIELDS_STREAM(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_segments[] = {GP_POLICY_FIELDS_SEGMENTS(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_histogram[] = {GP_POLICY_FIELDS_HISTOGRAM(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_sort[] = {GP_POLICY_FIELDS_SORT(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_merge[] = {GP_POLICY_FIELDS_MERGE(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_segmented_sort[] = {GP_POLICY_FIELDS_SEGMENTED_SORT(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_top_k[] = {GP_POLICY_FIELDS_TOP_K(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_transpose[] = {GP_POLICY_FIELDS_TRANSPOSE(GPUPRIMS__FIELD){NULL, 0}};
static const gp__field gp__fields_graph[] = {GP_POLICY_FIELDS_GRAPH(GPUPRIMS__FIELD){NULL, 0}};
#undef GPUPRIMS__FIELD
// All there are.
#define GPUPRIMS__FIELD(field) {#field, offsetof(gp_policy, field)},
static const gp__field gp__fields_all[] = {GP_POLICY_MEMBERS(GPUPRIMS__FIELD){NULL, 0}};
#undef GPUPRIMS__FIELD
typedef char gp__every_member_is_listed
    [(sizeof gp__fields_all / sizeof *gp__fields_all - 1) * sizeof(int) == sizeof(gp_policy) ? 1 : -1];

GPUPRIMS__PRIVATE const gp__field *gp__fields_of(int primitive) {
  static const gp__field *const fields[] = {gp__fields_map,    gp__fields_reduce,    gp__fields_scan,
                                            gp__fields_stream, gp__fields_segments,  gp__fields_histogram,
                                            gp__fields_sort,   gp__fields_merge,     gp__fields_segmented_sort,
                                            gp__fields_top_k,  gp__fields_transpose, gp__fields_graph};
  return fields[gp__family_of(primitive)]; // in the order of the families
}
GPUPRIMS__PRIVATE int *gp__field_of(gp_policy *p, const gp__field *f) { return (int *)((char *)p + f->offset); }

// Says which field makes a policy invalid: the one that, left to its default, makes it valid. A policy that is valid
// without GP_REPRODUCIBLE is one that cannot keep that promise.
GPUPRIMS__PRIVATE gp_result gp__policy_error(const char *who, gp_policy given, const gp__shape *h) {
  const gp__field *f;
  char text[320] = "";
  size_t at = 0;
  gp__shape any_bits = *h;
  any_bits.reproducible = 0;
  if (h->reproducible && gp__policy_valid(gp__portable(given, any_bits), any_bits)) {
    for (f = gp__fields_of(h->primitive); f->name; ++f) {
      gp_policy p = given;
      const int value = *gp__field_of(&p, f);
      *gp__field_of(&p, f) = 0;
      if (value && gp__policy_valid(gp__portable(p, *h), *h))
        return gp__fail(GP_E_UNSUPPORTED, "%s: @flags: GP_REPRODUCIBLE: a call with policy.%s = %d cannot promise it",
                        who, f->name, value);
    }
    return gp__fail(GP_E_UNSUPPORTED, "%s: @flags: GP_REPRODUCIBLE: a call with this policy cannot promise it", who);
  }
  for (f = gp__fields_of(h->primitive); f->name; ++f) {
    gp_policy p = given;
    const int value = *gp__field_of(&p, f);
    *gp__field_of(&p, f) = 0;
    if (value && gp__policy_valid(gp__portable(p, *h), *h))
      return gp__fail(GP_E_POLICY, "%s: policy.%s = %d is not valid for this call on this device", who, f->name, value);
  }
  for (f = gp__fields_of(h->primitive); f->name; ++f)
    if (at < sizeof text)
      at +=
          (size_t)snprintf(text + at, sizeof text - at, "%s %s %d", at ? "," : ":", f->name, *gp__field_of(&given, f));
  return gp__fail(GP_E_POLICY, "%s: the policy is not valid for this call on this device%s", who, text);
}
