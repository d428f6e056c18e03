// top_k/arguments.h - arguments of top-k and radix select

// Top-k, nth element.
typedef struct gp__top_k_args {
  const void *keys;         // rows * count
  const void *in;           // values, or null: indices
  void *out_keys;           // rows * k, or null
  void *out;                // or null
  unsigned long long count; // of a row
  const unsigned long long *count_device;
  unsigned long long rows, k;
  unsigned long long blocks; // of a row
  void *workspace;
  const void *from;         // lists: `ranks` ranks a row
  void *to;                 // lists: a list of k ranks each block, or null: the result
  unsigned long long ranks; //
  unsigned long long jump;  // from tile to tile of a row; no factor in common with their number
  unsigned capacity;        // ranks of a block's list
  unsigned nth;             // 1: the k-th key is the result
  void *states;             // radix select: gp__select_state of each row
  void *bins;               // GP__SELECT_BINS counters of each row
  void *aside;              // `room` keys of each row
  unsigned long long room;
  int level; // digit
} gp__top_k_args;
typedef struct gp__select_state {
  unsigned long long prefix;   // the upper bits of the k-th key that are known
  unsigned long long rank;     // keys before it among those that agree with them
  unsigned long long inside;   // how many agree
  unsigned long long appended; // keys put aside
  unsigned long long arrived;  // blocks that have counted
  unsigned long long buffered; // 1: those put aside are all that matter
} gp__select_state;
