// group_by/arguments.h - arguments of group by
// uses: core/words.h, core/arguments.h

typedef struct gp__group_args {
  const void *keys;
  const void *in;
  void *table_keys; // of all blocks
  void *table_values;
  void *list; // the groups' keys, in no order
  const void *sorted;
  void *out_keys; // or null
  void *out;
  gp__u64 *out_count;
  gp__u64 *left, *found; // elements to sort, groups in the table: one of them is 0
  gp__u32 *votes; // of up to 32 blocks
  gp__u64 count;
  const gp__u64 *count_device;
  gp__value first; // the initial value
  gp__u32 most; // groups that the sample may lack
  int has_init, log2, step;
} gp__group_args;
enum { GP__GROUP_CLEARS, GP__GROUP_READS, GP__GROUP_LISTS, GP__GROUP_WRITES };
