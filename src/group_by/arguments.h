// group_by/arguments.h - arguments of group by, and its constants
// uses: core/words.h

typedef struct gp__group_args {
  const void *keys;
  const void *in;
  void *list_keys;   // keys and folded values of all blocks' tables, in no order
  void *list_values; // accumulators
  gp__u64 count;
  const gp__u64 *count_device;
  gp__u64 *state; // GP__GROUP_STATE words, zero at the start
  void *workspace;
} gp__group_args;
// Words of the state: a table has overflowed; the list's length; elements to sort of the list and of the input, one of
// them 0; groups found by each way.
enum {
  GP__GROUP_FULL,
  GP__GROUP_LENGTH,
  GP__GROUP_OF_LIST,
  GP__GROUP_OF_INPUT,
  GP__GROUP_FROM_LIST,
  GP__GROUP_FROM_INPUT,
  GP__GROUP_STATE = 8
};
// Slots of a table, and the most that may be taken; fewest elements for which tables are tried.
enum { GP__GROUP_SLOTS = 2048, GP__GROUP_MOST = 1536, GP__GROUP_FROM = 1 << 20 };
