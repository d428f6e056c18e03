// core/policy_fields.c - policy fields by name
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, families.h, core/families.h, core/messages.c

// Numbers of a policy by name: for messages, and for fields that a primitive lacks.
typedef struct gp__field {
  const char *name;
  size_t offset;
} gp__field;
#define GP__FIELD(field, ...) {#field, offsetof(gp_policy, field)},
#define GPUPRIMS__FIELDS(FAMILY, family) \
  static const gp__field gp__fields_##family[] = {GP_POLICY_FIELDS_##FAMILY(GP__FIELD){NULL, 0}};
GPUPRIMS__FAMILIES(GPUPRIMS__FIELDS)
#undef GPUPRIMS__FIELDS
#undef GP__FIELD
// All numbers of a policy.
#define GP__FIELD(field) {#field, offsetof(gp_policy, field)},
static const gp__field gp__fields_all[] = {GP_POLICY_MEMBERS(GP__FIELD){NULL, 0}};
#undef GP__FIELD
typedef char gp__every_member_is_listed
    [(sizeof gp__fields_all / sizeof *gp__fields_all - 1) * sizeof(int) == offsetof(gp_policy, reserved) ? 1 : -1];

GP__HOST const gp__field *gp__fields_of(int primitive) {
#define GPUPRIMS__FIELDS(FAMILY, family) gp__fields_##family,
  static const gp__field *const fields[] = {GPUPRIMS__FAMILIES(GPUPRIMS__FIELDS)};
#undef GPUPRIMS__FIELDS
  return fields[gp__family_of(primitive)];
}
GP__HOST int *gp__field_of(gp_policy *p, const gp__field *f) { return (int *)((char *)p + f->offset); }

// The field whose default makes the policy valid; or the list's end.
GP__HOST const gp__field *gp__wrong_field(gp_policy given, gp__form h) {
  const gp__field *f;
  for (f = gp__fields_of(h->primitive); f->name; ++f) {
    gp_policy p = given;
    *gp__field_of(&p, f) = 0;
    if (*gp__field_of(&given, f) && gp__policy_valid(gp__portable(p, h), h)) break;
  }
  return f;
}
// Says which field makes a policy invalid. A policy that is valid without GP_REPRODUCIBLE cannot keep that promise.
GP__HOST gp_result gp__policy_error(const char *who, gp_policy given, gp__form h) {
  const gp__field *f, *const wrong = gp__wrong_field(given, h);
  char text[320] = "";
  size_t at = 0;
  gp__shape any_bits = *h;
  any_bits.reproducible = 0;
  if (h->reproducible && gp__policy_valid(gp__portable(given, &any_bits), &any_bits)) {
    if (!wrong->name)
      return gp__fail(GP_E_UNSUPPORTED,
          "%s: @flags: GP_REPRODUCIBLE: this policy does not give the same bits on every device", who);
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: @flags: GP_REPRODUCIBLE: policy.%s = %d does not give the same bits on every device", who, wrong->name,
        *gp__field_of(&given, wrong));
  }
  if (wrong->name)
    return gp__fail(GP_E_POLICY, "%s: policy.%s = %d is not valid for this call on this device", who, wrong->name,
        *gp__field_of(&given, wrong));
  for (f = gp__fields_of(h->primitive); f->name; ++f)
    if (at < sizeof text)
      at +=
          (size_t)snprintf(text + at, sizeof text - at, "%s %s %d", at ? "," : ":", f->name, *gp__field_of(&given, f));
  return gp__fail(GP_E_POLICY, "%s: the policy is not valid for this call on this device%s", who, text);
}
