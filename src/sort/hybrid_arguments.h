// sort/hybrid_arguments.h - arguments of hybrid sort, and what was chosen

// Hybrid sort. Lists, parts, counters and buckets live in scratch memory.
typedef struct gp__hybrid_args {
  const void *in;
  void *out;                // may be in
  void *spare;              // as many keys
  unsigned long long *list; // of each level: parts, and above them their tiles (32 bits each); then GP__HYBRID_ITEMS..
  void *parts, *next_parts; // of even levels, of odd ones
  unsigned long long *bins, *next_bins; // the same: 256 counters a part; of pairs, bins alone: 256 a piece
  void *items;
  unsigned long long count;
  const unsigned long long *count_device;
  const void *values; // of pairs; NULL: indices
  void *out_values, *spare_values;
  void *workspace;
  unsigned long long *choice;   // GP__CHOSE_..., or NULL: hybrid it is
  int level, levels, drop_keys; // levels: one behind the last
  unsigned capacity;            // keys that a block sorts
  unsigned sample;              // keys that are looked at before the choice; 0: the first count chooses, of keys alone;
                                // 1: those of `duplicate_sample` alone are
  unsigned duplicate_sample;    // keys among which some are looked for that are there more than once; 0: none
  int leading;                  // bits that pairs, key and value side by side at `spare`, are sorted by; at bins, where
                                // each leading digit of 8 bits begins; at items, 32 bits each, where each bucket does
} gp__hybrid_args;
enum { GP__CHOSE_HYBRID = 1, GP__CHOSE_ONE_SWEEP = 2, GP__CHOSE_PASSES = 3 }; // the last: it has been swept
