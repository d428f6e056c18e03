// reduce/arguments.h - arguments of reductions
// uses: core/arguments.h

typedef struct gp__reduce_args {
  const void *in;
  void *out;
  unsigned long long count;
  const unsigned long long *count_device; // or null
  void *workspace;                        // control block and words; see gp__geometry
  unsigned long long rounds;              // rounds of `vectors` in a tile: 1, or gp__canonical_rounds
  gp__value init;                         // comes before the first element; the identity where the caller has none
  int has_init;                           // 0: use the operator's identity instead of `init`
  gp__value scalar;                       // count_if, any, all: what elements are compared with
  unsigned long long limit;               // check_offsets: the count that no offset may exceed,
  const unsigned long long *limit_device; // where this is smaller, what it points to; or null
} gp__reduce_args;
