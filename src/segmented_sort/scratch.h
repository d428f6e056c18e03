// segmented_sort/scratch.h - what segmented sort keeps in scratch memory
// uses: api/policy.h, core/words.h, core/rules.h, core/shape.h, segmented_sort/policy.h, segmented_sort/arguments.h

// Launches of a call. One suffices if the host knows that each segment fits: all have one length, or together fit a
// block. Otherwise the first begins a queue.
enum { GP__SORT_BEGINS = 1, GP__SORT_LISTS = 2, GP__SORT_BY_WARPS = 4, GP__SORT_BY_BLOCKS = 8 };
// Sets parts of scratch memory, and the most that each holds; segments do not overlap. Returns the bytes.
GP__HOST gp__u64 gp__lay_out_segmented_sort(gp_policy p, gp__form s, void *scratch, gp__segmented_sort_args *a) {
  const int value = gp__sorted_value_bytes(s), equal = !s->offset_size;
  const int bits =
      gp__max(s->sorted.end_bit - s->sorted.begin_bit, 1); // no bits: one level, which finds all keys equal
  const gp__u64 levels = gp__ceil_div((unsigned)bits, GP__RADIX_BITS), longest = gp__longest_segment(s);
  const gp__u64 capacity = (unsigned)gp__long_capacity(p, s);
  const gp__u64 limit = (unsigned)gp__middle_limit(
      gp__warp_sort_items(p.vectors, s->key_size, value, gp__sort_indexed(s)), gp__sort_item_bytes_of(s));
  const int few = s->segments <= (equal && longest <= limit ? GP__FEW_EQUAL : GP__FEW_SEGMENTS);
  gp__u64 most, bytes = 0;
  int i;
  __builtin_memset(a, 0, sizeof *a);
  a->limit = limit;
  a->launches = longest <= capacity && (few || (equal && longest > limit)) ? GP__SORT_BY_BLOCKS
      : few ? GP__SORT_BEGINS | GP__SORT_BY_BLOCKS
      : !equal || longest > limit ? 15
      : longest > GP__SHORT ? GP__SORT_BY_WARPS
      : GP__SORT_LISTS;
  if (!(a->launches & GP__SORT_BEGINS)) return 0;
#define GP__CARVE_SCRATCH(part, type, size) \
  a->part = (type *)((uintptr_t)scratch + bytes), bytes += gp__ceil_div(size, 256) * 256
  GP__CARVE_SCRATCH(header, gp__sort_header, sizeof(gp__sort_header));
  for (i = 0; i < GP__MIDDLE_CLASSES; ++i) {
    if (few || (unsigned)GP__SHORT << i >= limit) break;
    a->list_size[i] = gp__smaller(s->count / (((unsigned)GP__SHORT << i) + 1), s->segments);
    GP__CARVE_SCRATCH(list[i], gp__sort_span, a->list_size[i] * sizeof(gp__sort_span));
  }
  if (s->count > capacity) { // segments may be partitioned: at most once a digit
    most = s->count / capacity;
    a->bucket_size = levels * most;
    a->tile_size = levels * 2 * most;
    a->group_size = levels * (most / GP__COUNT_TILES + most);
    GP__CARVE_SCRATCH(buckets, gp__sort_bucket, a->bucket_size * sizeof(gp__sort_bucket));
    GP__CARVE_SCRATCH(group_counts, gp__u64, a->group_size * GP__DIGITS * 8);
    GP__CARVE_SCRATCH(tile_counts, unsigned, a->tile_size *GP__DIGITS * 4);
    GP__CARVE_SCRATCH(other_keys, void, s->count *(unsigned)s->key_size);
    GP__CARVE_SCRATCH(other_values, void, s->count *(unsigned)value);
    // Counts (two at most), moves and copies. Sorts: digits of more than an eighth of a capacity, fewer than eight to a
    // capacity; windows of seven eighths, and what is between two windows.
    a->queue_size = 2 * a->group_size + 2 * a->tile_size + levels * (20 * most + 1);
  }
#undef GP__CARVE_SCRATCH
  if (s->count > limit || few) a->queue_size += gp__smaller(few ? s->segments : s->count / (limit + 1), s->segments);
  return bytes;
}
