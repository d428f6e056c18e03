// hash/arguments.h - arguments of kernels with hash tables
// uses: api/structs.h, core/words.h

// A slot is 0, or holds the upper half of a word, the hash of a key, and 1 plus a row that has the key. The row becomes
// the first of these; of joins later where the key's rows begin in their order, plus 1.

enum {
  GP__FOLD_NONE,
  GP__FOLD_SUM, // adds an integer
  GP__FOLD_LEAST, // of ordered values
  GP__FOLD_MOST,
  GP__FOLD_LOW, // the same for indices: zeros are equal
  GP__FOLD_HIGH,
  GP__FOLD_RANGE, // largest exponent of floats, and which are not finite
  GP__FOLD_WIDE, // adds to 128 bits
  GP__FOLD_LOW_INDEX, // in a second pass: where the value of the word before is
  GP__FOLD_HIGH_INDEX
};
// An aggregate: what its passes fold, and where the words of a long group have it.
typedef struct gp__column {
  const void *in;
  void *out;
  int op, type, out_type, word;
  int what[2]; // GP__FOLD_...
} gp__column;
enum { GP__GROUP_LONG = 32 }; // rows of a group that warps fold; a thread folds a shorter one

typedef struct gp__hash_args {
  const void *keys; // of the table's rows
  gp__u64 *slots;
  gp__u64 slot_count; // even
  gp__u64 count; // of the launch: rows, probes
  const gp__u64 *count_device; // or null
  unsigned *places; // the slot of each row, or null
  unsigned *list; // slots of which rows are taken; where groups begin in the order; or null
  unsigned *rows; // the first row of each group, or null
  gp__u64 *found; // number of groups
  void *out_keys;
  gp__u64 *out_count;
  gp__u64 capacity;
  // Folds.
  gp__u64 *words; // of the long group that has row 0, GP__GROUP_LONG, ... of the order
  int group_words, column_count, pass;
  gp__column columns[GP_AGGREGATE_LIMIT];
  // Joins.
  const void *probes;
  unsigned *ends; // by slot: where the rows of its key end in `order`, or null: only whether there are any
  unsigned *order; // rows of the table, by slot; of folds: by group, or null: columns are in order
  unsigned *firsts; // by probe: where its partners begin in `order`
  unsigned *counts; // by probe: results
  gp__u64 *offsets; // by probe: results of those before it
  int join;
  void *out, *out2;
} gp__hash_args;
enum { GP__NO_PARTNER = -1 };
