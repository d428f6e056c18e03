// sort/arguments.h - arguments of radix sort
// uses: core/words.h

// One-sweep radix sort. Each `other` array is as large as its output.
typedef struct gp__radix_args {
  const void *keys;
  const void *in; // values; NULL: indices, if there are values at all
  void *out_keys, *out;
  void *other_keys, *other;
  gp__u64 count;
  const gp__u64 *count_device;
  void *workspace; // histogram: two tickets a block, one tagged word
  gp__u64 *counts; // 256 a pass: keys with the digit, then keys before them
  gp__u64 *tickets; // one for each pass
  unsigned *steps; // what each pass does, and the final copy
  void *words; // look-back words
  gp__u64 clear; // their size in units of 16 bytes
  int passes, begin_bit, end_bit;
  int in_place; // keys or values are: the first pass may not write to the outputs
  int paired; // 1: between passes, values are beside their keys
  int pass; // number of this pass; `passes`: the final copy
  int word; // word of the ordered key with the pass's digit
  int shift; // position of the digit in it
  unsigned mask; // ones for the digit's bits
  unsigned flip; // all ones: descending
  int drop_keys; // the last pass does not write keys
  const gp__u64 *choice; // GP__CHOSE_..., or NULL: one-sweep sort
  gp__u64 *leads; // leading sweep: where the choice is stored; or NULL
  unsigned capacity; // leading sweep: most keys of a bucket; cooperative sorts: most results
  int leading; // leading bits
} gp__radix_args;
