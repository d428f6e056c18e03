// sort/arguments.h - arguments of radix sort

// One-sweep radix sort. Each `other` array is as large as its output.
typedef struct gp__radix_args {
  const void *keys;
  const void *in; // values; NULL: indices, if there are values at all
  void *out_keys, *out;
  void *other_keys, *other;
  unsigned long long count;
  const unsigned long long *count_device;
  void *workspace;             // histogram: two tickets a block, one tagged word
  unsigned long long *counts;  // 256 a pass: keys with the digit, then keys before them
  unsigned long long *tickets; // one for each pass
  unsigned *steps;             // what each pass does, and the final copy
  void *words;                 // look-back words
  unsigned long long clear;    // their size in units of 16 bytes
  int passes, begin_bit, end_bit;
  int in_place;                     // keys or values are: the first pass may not write to the outputs
  int paired;                       // 1: between passes, values are beside their keys
  int pass;                         // number of this pass; `passes`: the final copy
  int word;                         // word of the ordered key with the pass's digit
  int shift;                        // position of the digit in it
  unsigned mask;                    // ones for the digit's bits
  unsigned flip;                    // all ones: descending
  int drop_keys;                    // the last pass does not write keys
  const unsigned long long *choice; // GP__CHOSE_..., or NULL: one-sweep sort
  unsigned long long *leads;        // leading sweep: where the choice is stored; or NULL
  unsigned capacity;                // leading sweep: most keys of a bucket,
  int leading;                      // and number of leading bits
} gp__radix_args;
