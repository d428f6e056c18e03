// core/kinds.c - kernels of a call, by kind
// uses: core/rules.h, kinds.c

enum {
  GP__KINDS_MAX = 16, // kernels of a call
  GP__CALLS_MAX = 8   // calls that one is made of
};
// Kinds of kernels. The families list theirs (<family>/kinds.c): X(KIND, template, struct of its arguments, names,
// traits), where gp__name_NAMES writes the template arguments.
#define GPUPRIMS__ENUM(KIND, kernel, arguments, names, traits) GP__##KIND,
typedef enum gp__kernel_kind { GPUPRIMS__KINDS(GPUPRIMS__ENUM) GP__KINDS } gp__kernel_kind;
#undef GPUPRIMS__ENUM
enum {
  GP__OF_BYTES = 1,      // moves bytes, whatever they mean: its text depends on their number alone
  GP__NO_SHARED = 2,     // takes no dynamic shared memory, whatever the others of the call take
  GP__TOLD_DIRECTION = 4 // is told when it runs whether it sorts down
};
GPUPRIMS__PRIVATE int gp__traits_of_kind(gp__kernel_kind kind) {
#define GPUPRIMS__TRAITS(KIND, kernel, arguments, names, traits) traits,
  static const unsigned char rows[] = {GPUPRIMS__KINDS(GPUPRIMS__TRAITS)};
#undef GPUPRIMS__TRAITS
  return rows[kind];
}
