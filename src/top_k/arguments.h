// top_k/arguments.h - arguments of top-k and radix select

// Top-k, nth element.
typedef struct gp__top_k_args {
  const void *keys;         // rows * count
  const void *in;           // values; NULL: indices
  void *out_keys;           // rows * k, or null
  void *out;                // or null
  unsigned long long count; // keys of a row
  const unsigned long long *count_device;
  unsigned long long rows, k;
  unsigned long long blocks; // blocks of a row
  void *workspace;
  const void *from;         // lists: `ranks` ranks a row
  void *to;                 // lists: k ranks of each block; NULL: to the output
  unsigned long long ranks; //
  unsigned long long jump;  // step from tile to tile of a row; coprime with their number
  unsigned capacity;        // ranks of a block's list
  unsigned nth;             // 1: the k-th key is the result
  void *states;             // radix select: gp__select_state of each row
  void *bins;               // GP__SELECT_BINS counters of each row
  void *aside;              // `room` keys of each row
  unsigned long long room;
  int level; // digit
} gp__top_k_args;
typedef struct gp__select_state {
  unsigned long long prefix;   // known upper bits of the k-th key
  unsigned long long rank;     // keys before it among those with these bits
  unsigned long long inside;   // keys with these bits
  unsigned long long appended; // keys put aside
  unsigned long long arrived;  // blocks that have counted
  unsigned long long buffered; // 1: the keys put aside are all that matter
} gp__select_state;

// Top-k of segments. A task: a segment, or a part of it.
typedef struct gp__top_k_task {
  unsigned long long segment;
  unsigned list, part; // list: the first of the segment's
} gp__top_k_task;
typedef struct gp__top_k_header {
  unsigned long long listed, taken, lists; // tasks; tasks and lists in use
} gp__top_k_header;
typedef struct gp__segmented_top_k_args {
  gp__top_k_args top; // keys, in, out_keys, out, count, rows (segments), k, capacity
  const void *begin, *end;
  const unsigned *ks; // or NULL
  const unsigned long long *bad;
  gp__top_k_header *header;
  gp__top_k_task *tasks;                                 // NULL: each segment is one
  unsigned *arrived;                                     // parts that have left a list, at the segment's first list
  void *lists;                                           // k ranks each
  unsigned long long length, part, task_room, list_room; // part: most keys of a task
  unsigned offset_bytes, batch;                          // batch: segments of a warp
  unsigned by_lanes, by_warps;                           // most keys of a segment for lanes, for a warp
} gp__segmented_top_k_args;
