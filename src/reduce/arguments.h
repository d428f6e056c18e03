// reduce/arguments.h - arguments of reductions
// uses: core/words.h, core/arguments.h

typedef struct gp__reduce_args {
  const void *in;
  void *out;
  gp__u64 count;
  const gp__u64 *count_device; // or null
  void *workspace; // control block and words; see gp__geometry
  gp__u64 rounds; // rounds of `vectors` in a tile: 1, or gp__canonical_rounds
  gp__value init; // precedes the first element; the identity if the caller has none
  int has_init; // 0: use the operator's identity instead of `init`
  gp__value scalar; // count_if: elements are compared with it
  gp__u64 limit; // check_offsets: upper bound of the offsets
  const gp__u64 *limit_device; // another upper bound; or null
} gp__reduce_args;
