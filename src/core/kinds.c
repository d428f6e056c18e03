// core/kinds.c - kernels of a call, by kind
// uses: core/words.h, core/rules.h, kinds.c

enum {
  GP__KINDS_MAX = 16, // kernels of a call
  GP__CALLS_MAX = 8 // calls that make up one call
};
// Kinds of kernels. The families list theirs (<family>/kinds.c): X(KIND, template, struct of its arguments, names,
// traits), where gp__name_NAMES writes the template arguments.
#define GP__ENUM(KIND, kernel, arguments, names, traits) GP__##KIND,
typedef enum gp__kernel_kind { GPUPRIMS__KINDS(GP__ENUM) GP__KINDS } gp__kernel_kind;
#undef GP__ENUM
enum {
  GP__OF_BYTES = 1, // moves bytes of any meaning: its text depends on their number alone
  GP__NO_SHARED = 2, // takes no dynamic shared memory, even if the call's other kernels do
  GP__TOLD_DIRECTION = 4 // its arguments give the direction of the sort
};
GP__HOST int gp__traits_of_kind(gp__kernel_kind kind) {
#define GP__TRAITS(KIND, kernel, arguments, names, traits) traits,
  static const gp__u8 rows[] = {GPUPRIMS__KINDS(GP__TRAITS)};
#undef GP__TRAITS
  return rows[kind];
}
