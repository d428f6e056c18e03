// columns/arguments.h - arguments of gathers of columns
// uses: core/words.h

// An array whose elements move to the order of an index. An element is `words` words of `word` bytes.
typedef struct gp__moved_column {
  const void *in;
  void *out;
  int word, words;
} gp__moved_column;
enum { GP__COLUMNS_AT_ONCE = 24 }; // columns of a launch
typedef struct gp__columns_args {
  const void *index;
  gp__u64 count;
  const gp__u64 *count_device; // or null
  int columns;
  gp__moved_column column[GP__COLUMNS_AT_ONCE];
} gp__columns_args;
