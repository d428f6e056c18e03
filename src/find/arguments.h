// find/arguments.h - arguments of searches for the first element
// uses: core/words.h, core/arguments.h

typedef struct gp__find_args {
  const void *in;
  const void *in2; // the second array, or null
  void *out;
  gp__u64 count;
  const gp__u64 *count_device; // or null
  void *workspace; // control block and a word a block; null: a single block
  gp__u64 rounds; // of a tile; see gp__geometry_find
  gp__value scalar; // predicates compare elements with it; lexicographic: the int that is the
      // result if there is no hit
} gp__find_args;
// Results of a search. first: the index of the first hit.
enum {
  GP__FIND_INDEX, // first, or the number of elements
  GP__FIND_BEFORE, // first - 1, or the number of elements
  GP__FIND_BAD, // first, or all ones
  GP__FIND_SOME, // one byte: 1 if there is a hit
  GP__FIND_NONE, // one byte: 1 if there is none
  GP__FIND_ORDER // an int: -1 if the first array's element is the lesser one, otherwise 1
};
