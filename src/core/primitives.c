// core/primitives.c - the primitives, in the order of their list
// uses: api/lists.h, core/rules.h, core/primitive.c

GP__HOST inline const gp__primitive *gp__primitive_of(gp_primitive primitive) {
#define GP__ROW(NAME, value, name) &gp__primitive_##name,
  static const gp__primitive *const rows[] = {NULL, GP_PRIMITIVES(GP__ROW)};
#undef GP__ROW
  return rows[primitive];
}
