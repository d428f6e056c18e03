// sort/arguments.h - arguments of radix sort

// One-sweep radix sort. Of the arrays, `other` ones are as large as the outputs.
typedef struct gp__radix_args {
  const void *keys;
  const void *in; // values; null: the elements' indices, where there are values at all
  void *out_keys, *out;
  void *other_keys, *other;
  unsigned long long count;
  const unsigned long long *count_device;
  void *workspace;             // histogram: two tickets a block, one tagged word
  unsigned long long *counts;  // 256 for each pass: how many keys have the digit, then how many come before them
  unsigned long long *tickets; // one for each pass
  unsigned *steps;             // what each pass does, and one more
  void *words;                 // of the look-back
  unsigned long long clear;    // of these, in units of 16 bytes
  int passes, begin_bit, end_bit;
  int in_place;                     // keys or values: the first pass may not write to the outputs
  int paired;                       // 1: between passes, values lie beside their keys
  int pass;                         // this one, or the number of passes: what is left to do
  int word;                         // where its digit lies: in which word of the ordered key,
  int shift;                        // how far up
  unsigned mask;                    // and how wide
  unsigned flip;                    // all ones: descending
  int drop_keys;                    // sorted keys are not wanted: the last pass does not write them
  const unsigned long long *choice; // GP__CHOSE_..., or NULL: one sweep it is
  unsigned long long *leads;        // NULL, or: the leading bits may do; what is chosen
  unsigned capacity;                // then: keys of a bucket, at most,
  int leading;                      // and its leading bits
} gp__radix_args;
