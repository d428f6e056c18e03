// sort/hybrid_arguments.h - arguments of hybrid sort, and what was chosen
// uses: core/words.h

// Hybrid sort. Lists, parts, counters and buckets live in scratch memory.
typedef struct gp__hybrid_args {
  const void *in;
  void *out; // may be in
  void *spare; // as large as `in`
  gp__u64 *list; // per level: parts, and above them tiles (32 bits each); then GP__HYBRID_ITEMS..
  void *parts, *next_parts; // even levels; odd levels
  gp__u64 *bins, *next_bins; // likewise, 256 counters a part; pairs use `bins` alone, 256 a piece
  void *items;
  gp__u64 count;
  const gp__u64 *count_device;
  const void *values; // values of pairs; NULL: indices
  void *out_values, *spare_values;
  void *workspace;
  gp__u64 *choice; // GP__CHOSE_..., or NULL: hybrid sort
  int level, levels, drop_keys; // levels: one after the last
  unsigned capacity; // keys that a block sorts
  unsigned sample; // keys in the sample; 0: the first count chooses (keys alone); 1: `duplicate_sample`
      // alone chooses
  unsigned duplicate_sample; // keys in the sample of repeated keys; 0: none
  int leading; // leading sweep: bits by which the pairs at `spare` are sorted; `bins` has the start of
      // each leading 8-bit digit, `items` that of each bucket, 32 bits each
} gp__hybrid_args;
// Keys [begin, end), all in [low, low + 2^(shift + bits)).
typedef struct gp__hybrid_part {
  gp__u64 begin, end, low, least, most;
  unsigned first_tile, tiles, done; // done: tiles counted
  int shift, bits;
  unsigned source;
  gp__u16 mode, depth; // depth: moves the keys have made
  unsigned hot; // a frequent digit, or 256
} gp__hybrid_part;
enum { GP__CHOSE_HYBRID = 1, GP__CHOSE_ONE_SWEEP = 2, GP__CHOSE_PASSES = 3 }; // PASSES: swept already
