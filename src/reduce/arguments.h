// reduce/arguments.h - arguments of reductions
// uses: core/arguments.h

typedef struct gp__reduce_args {
  const void *in;
  void *out;
  unsigned long long count;
  const unsigned long long *count_device; // or null
  void *workspace;                        // control block and words; see gp__geometry
  unsigned long long rounds;              // rounds of `vectors` in a tile: 1, or gp__canonical_rounds
  gp__value init;                         // precedes the first element; the identity if the caller has none
  int has_init;                           // 0: use the operator's identity instead of `init`
  gp__value scalar;                       // count_if: elements are compared with it
  unsigned long long limit;               // check_offsets: upper bound of the offsets
  const unsigned long long *limit_device; // another upper bound; or null
} gp__reduce_args;
