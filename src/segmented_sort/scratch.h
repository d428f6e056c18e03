// segmented_sort/scratch.h - what segmented sort keeps in scratch memory
// uses: api/policy.h, core/words.h, core/rules.h, core/shape.h, segmented_sort/policy.h

// Scratch memory of a segmented sort: offsets of its parts, and the most that each holds; segments do not overlap.
typedef struct gp__segmented_sort_layout {
  gp__u64 list[GP__MIDDLE_CLASSES], list_size[GP__MIDDLE_CLASSES];
  gp__u64 buckets, bucket_size, group_counts, group_size, tile_counts, tile_size;
  gp__u64 other_keys, other_values, queue_size, bytes;
  gp__u64 limit, capacity; // the longest segment of a warp, and of a block
} gp__segmented_sort_layout;
GP__HOST int gp__has_few_segments(gp__u64 segments) { return segments <= GP__FEW_SEGMENTS; }
GP__HOST gp__segmented_sort_layout gp__lay_out_segmented_sort(gp_policy p, gp__shape s, int few) {
  gp__segmented_sort_layout l;
  const int indexed = gp__sort_indexed(s), value = gp__sorted_value_bytes(s);
  const int bits = gp__max(s.sorted.end_bit - s.sorted.begin_bit, 1); // no bits: one level, which finds all keys equal
  const gp__u64 levels = gp__ceil_div((unsigned)bits, GP__RADIX_BITS);
  gp__u64 most, tiles;
  int i;
  for (i = 0; i < GP__MIDDLE_CLASSES; ++i) l.list[i] = l.list_size[i] = 0;
  l.buckets = l.bucket_size = l.group_counts = l.group_size = l.tile_counts = l.tile_size = 0;
  l.other_keys = l.other_values = l.queue_size = 0;
  l.limit = (unsigned)gp__middle_limit(
      gp__warp_sort_items(p.vectors, s.key_size, value, indexed), gp__sort_item_bytes(s.key_size, indexed));
  l.capacity = (unsigned)gp__long_capacity(p, s);
  l.bytes = gp__ceil_div(sizeof(gp__sort_header), 256) * 256;
#define GP__CARVE_SCRATCH(at, bytes_) l.at = l.bytes, l.bytes += gp__ceil_div(bytes_, 256) * 256
  for (i = 0; i < GP__MIDDLE_CLASSES; ++i) {
    if (few || (unsigned)GP__SHORT << i >= l.limit) break;
    most = s.count / (((unsigned)GP__SHORT << i) + 1);
    l.list_size[i] = most < s.segments ? most : s.segments;
    GP__CARVE_SCRATCH(list[i], l.list_size[i] * sizeof(gp__sort_span));
  }
  if (s.count > l.capacity) { // segments may be partitioned: at most once a digit
    most = s.count / l.capacity;
    l.bucket_size = levels * most;
    tiles = 2 * most;
    l.tile_size = levels * tiles;
    l.group_size = levels * (most / GP__COUNT_TILES + most);
    GP__CARVE_SCRATCH(buckets, l.bucket_size * sizeof(gp__sort_bucket));
    GP__CARVE_SCRATCH(group_counts, l.group_size * GP__DIGITS * 8);
    GP__CARVE_SCRATCH(tile_counts, l.tile_size * GP__DIGITS * 4);
    GP__CARVE_SCRATCH(other_keys, s.count * (unsigned)s.key_size);
    if (value) GP__CARVE_SCRATCH(other_values, s.count * (unsigned)value);
    // Counts (two at most), moves and copies. Sorts: digits of more than an eighth of a capacity, fewer than eight to a
    // capacity; windows of seven eighths, and what is between two windows.
    l.queue_size = 2 * l.group_size + 2 * l.tile_size + levels * (20 * most + 1);
  }
  if (s.count > l.limit || few) {
    most = few ? s.segments : s.count / (l.limit + 1);
    l.queue_size += most < s.segments ? most : s.segments;
  }
#undef GP__CARVE_SCRATCH
  return l;
}
