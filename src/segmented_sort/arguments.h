// segmented_sort/arguments.h - arguments of segmented sort, and its tasks
// uses: core/words.h, segmented_sort/policy.h

// Segmented sort. A task's upper two bits are its kind. Below them, SORT has the source (2 bits), count - 1 (16) and
// begin (44); others have the bucket's number (30) and the number of one of its groups or tiles (32).
#define GP__TASK_SORT 0ull
#define GP__TASK_COUNT 1ull
#define GP__TASK_MOVE 2ull
#define GP__TASK_COPY 3ull
typedef struct gp__segmented_sort_args {
  const void *keys, *values; // values: NULL if indices or none; indices in a segment: its length
  void *out_keys, *out_values;
  void *other_keys, *other_values; // alternate buffers
  const void *begin, *end; // offsets; end may be null
  gp__u64 count, segments;
  const gp__u64 *bad; // as in gp__stream_args
  void *workspace;
  gp__sort_header *header;
  gp__sort_span *list[GP__MIDDLE_CLASSES];
  gp__u64 list_size[GP__MIDDLE_CLASSES];
  gp__sort_bucket *buckets;
  gp__u64 *group_counts; // GP__DIGITS a group
  unsigned *tile_counts; // GP__DIGITS a tile
  gp__u64 queue_size, bucket_size, tile_size, group_size;
  gp__u64 flip, mask; // flip: all ones if descending; mask: the bits that count, from bit 0 on
  unsigned low_bit, top_shift; // the lowest bit that counts; shift of the first digit
  unsigned whole; // all bits count
  gp__u64 length; // of each segment, if there are no offsets
  gp__u64 few; // segments that are tasks themselves; 0: kernels list them
  gp__u64 limit; // the longest segment of a warp
  int launches;
} gp__segmented_sort_args;
