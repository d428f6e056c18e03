// top_k/arguments.h - arguments of top-k and radix select
// uses: core/words.h

// Top-k, nth element.
typedef struct gp__top_k_args {
  const void *keys; // rows * count
  const void *in; // values; NULL: indices
  void *out_keys; // rows * k, or null
  void *out; // or null
  gp__u64 count; // keys of a row
  const gp__u64 *count_device;
  gp__u64 rows, k;
  gp__u64 blocks; // blocks of a row
  void *workspace;
  const void *from; // lists: `ranks` ranks a row
  void *to; // lists: k ranks of each block; NULL: to the output; bounded select: `ranks` keys of each row
  gp__u64 ranks; //
  gp__u64 jump; // step from tile to tile of a row; coprime with their number
  unsigned capacity; // ranks of a block's list
  unsigned nth; // 1: the k-th key is the result
  void *states; // radix select: gp__select_state of each row
  void *bins; // GP__SELECT_BINS counters of each row
  void *aside; // `room` keys of each row
  gp__u64 room; //
  gp__u64 many; // bounded select: a sample bounds so many keys first
  int level; // digit
} gp__top_k_args;
typedef struct gp__select_state {
  gp__u64 prefix; // known upper bits of the k-th key; bounded select: keys in `to`
  gp__u64 rank; // keys before it among those with these bits
  gp__u64 inside; // keys with these bits; bounded select: keys that `to` gets
  gp__u64 appended; // keys put aside
  gp__u64 arrived; // blocks that have counted
  gp__u64 buffered; // the keys put aside are all that matter
} gp__select_state;

// Top-k of segments. A task: a segment, or a part of it.
typedef struct gp__top_k_task {
  gp__u64 segment;
  unsigned list, part; // list: the first of the segment's
} gp__top_k_task;
typedef struct gp__top_k_header {
  gp__u64 listed, taken, lists; // tasks; tasks and lists in use
} gp__top_k_header;
typedef struct gp__segmented_top_k_args {
  gp__top_k_args top; // keys, in, out_keys, out, count, rows (segments), k, capacity
  const void *begin, *end;
  const unsigned *ks; // or NULL
  const gp__u64 *bad;
  gp__top_k_header *header;
  gp__top_k_task *tasks; // NULL: each segment is one
  unsigned *arrived; // parts that have left a list, at the segment's first list
  void *lists; // k ranks each
  gp__u64 length, part, task_room, list_room; // part: most keys of a task
  unsigned offset_bytes, batch; // batch: segments of a warp
  unsigned by_lanes, by_warps; // most keys of a segment for lanes, for a warp
  unsigned index_bytes; // of the indices in top.from, by which values move
} gp__segmented_top_k_args;
