// sort/scratch.h - what sorts keep in scratch memory
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, sort/hybrid_policy.h, sort/radix_policy.h,
//   sort/choice_policy.h, sort/cooperative_policy.h, sort/portable.h

// Scratch memory of a radix sort: offsets in bytes.
typedef struct gp__radix_plan {
  int passes, wide, replicas, value_bytes, large; // large: values are gathered by index
  gp__u64 tiles, clear; // clear: as in gp__radix_args
  gp__u64 counts, tickets, steps, words, keys, other_keys, index, other, moved, bytes;
} gp__radix_plan;
GP__HOST gp__u64 gp__carve_scratch(gp__u64 *bytes, gp__u64 size) {
  const gp__u64 at = *bytes;
  *bytes = (at + size + 255) / 256 * 256;
  return at;
}
GP__HOST gp__radix_plan gp__radix_plan_of(gp_policy p, gp__form s) {
  gp__radix_plan r;
  const gp__u64 tile = (gp__u64)(p.threads * gp__radix_items(p.vectors, s->key_size));
  r.passes = gp__radix_passes(s->sorted.begin_bit, s->sorted.end_bit);
  r.wide = s->count >> GP__RADIX_NARROW_LOG2 != 0;
  r.replicas = gp__radix_replicas(gp__radix_ordered_bytes(s), s->compute_capability, 32);
  r.value_bytes = gp__radix_value_bytes(s);
  r.large = s->in_size > GP__RADIX_VALUE_BYTES;
  r.tiles = gp__ceil_div(s->count, tile);
  r.clear = gp__radix_words_bytes(r.tiles, r.passes, r.wide ? 16 : 8) / 16;
  r.bytes = 0;
  r.counts = gp__carve_scratch(&r.bytes, (gp__u64)r.passes * GP__DIGITS * 8);
  r.tickets = gp__carve_scratch(&r.bytes, (gp__u64)r.passes * 16); // and counts of finished tiles
  r.steps = gp__carve_scratch(&r.bytes, (gp__u64)(r.passes + 1) * 4);
  r.words = gp__carve_scratch(&r.bytes, r.clear * 16);
  r.keys = s->sorted.drop_keys ? gp__carve_scratch(&r.bytes, s->count * (unsigned)s->key_size) : 0;
  r.index = r.large ? gp__carve_scratch(&r.bytes, s->count * (unsigned)r.value_bytes) : 0;
  r.other_keys = gp__carve_scratch(&r.bytes, r.passes ? s->count * (unsigned)s->key_size : 0);
  r.other = gp__carve_scratch(
      &r.bytes, r.passes ? s->count * (unsigned)r.value_bytes + gp__is_paired(p.algorithm, s->in_size) * 16 : 0);
  r.moved = r.large && s->in_place ? gp__carve_scratch(&r.bytes, s->count * (unsigned)s->in_size) : 0;
  return r;
}

// Scratch memory of a hybrid sort.
typedef struct gp__hybrid_plan {
  int capacity, tile, even_levels; // even_levels: levels that uniform keys need
  gp__u64 tiles, blocks; // blocks: the most for pairs
  gp__u64 list, items, parts, next_parts, bins, next_bins, keys, spare, spare_values, bytes;
} gp__hybrid_plan;
GP__HOST gp__hybrid_plan gp__hybrid_plan_of(gp_policy p, gp__form s) {
  gp__hybrid_plan r;
  gp__u64 parts;
  r.capacity = gp__hybrid_capacity(s);
  r.tile = p.threads * gp__hybrid_vector_items(p, s);
  r.tiles = gp__ceil_div(s->count, (unsigned)r.tile) + 1;
  r.blocks = (unsigned)s->multiprocessors * 4ull;
  if (r.blocks > r.tiles) r.blocks = r.tiles;
  r.even_levels = gp__hybrid_even_levels(s->count, gp__hybrid_fit((unsigned)r.capacity));
  if (s->in_size && s->key_size > 4) r.even_levels = gp__max(r.even_levels, 2); // a key and its place are then 64 bits
  r.even_levels = gp__max(r.even_levels, 1);
  if (r.even_levels > gp__hybrid_levels(s->key_size)) r.even_levels = gp__hybrid_levels(s->key_size);
  parts = gp__hybrid_parts(s->count, r.capacity, s->in_size);
  r.bytes = 0;
  r.list = gp__carve_scratch(&r.bytes, GP__HYBRID_LIST * 8);
  r.items = gp__carve_scratch(&r.bytes, gp__hybrid_items(s->count, r.capacity, s->in_size) * GP__HYBRID_ITEM_BYTES);
  r.parts = gp__carve_scratch(&r.bytes, parts * GP__HYBRID_PART_BYTES);
  r.next_parts = gp__carve_scratch(&r.bytes, parts * GP__HYBRID_PART_BYTES);
  r.bins = gp__carve_scratch(&r.bytes, (s->in_size ? gp__hybrid_pieces(parts, r.blocks) : parts) * GP__DIGITS * 8);
  r.next_bins = s->in_size ? 0 : gp__carve_scratch(&r.bytes, parts * GP__DIGITS * 8);
  r.keys = s->sorted.drop_keys ? gp__carve_scratch(&r.bytes, s->count * (unsigned)s->key_size) : 0;
  r.spare = gp__carve_scratch(&r.bytes, s->count * (unsigned)s->key_size);
  r.spare_values = gp__carve_scratch(&r.bytes, s->count * (unsigned)s->in_size);
  return r;
}

// Scratch memory of a leading sweep: the choice, the buckets' starts, a sweep's plan, and counters and words of a
// second sweep, which runs if a bucket is too large.
typedef struct gp__leading_plan {
  gp__radix_plan sweep;
  int bits;
  gp__u64 starts, again, of_sweep, bytes;
} gp__leading_plan;
GP__HOST gp__leading_plan gp__leading_plan_of(gp_policy p, gp__form s) {
  gp__leading_plan r;
  r.sweep = gp__radix_plan_of(p, s);
  r.bits = gp__leading_bits(s->count);
  r.bytes = 256; // the choice
  r.starts = gp__carve_scratch(&r.bytes, ((1ull << r.bits) + 1) * 4);
  r.again = gp__carve_scratch(&r.bytes, r.sweep.words + r.sweep.clear * 16);
  r.of_sweep = gp__carve_scratch(&r.bytes, r.sweep.bytes);
  return r;
}

// Adaptive sort: the one-sweep sort has a policy of its own. Scratch memory begins with the choice; both sorts use the
// rest.
enum { GP__CHOICE_BYTES = 256 };
GP__HOST gp_policy gp__adaptive_sweep(gp_policy p, gp__form s) {
  p.algorithm = GP_ONE_SWEEP;
  p.threads = p.vectors = p.stages = p.blocks_per_sm = 0;
  if (s->key_size == 4 && !(s->count >> 20)) p.threads = 256, p.vectors = 2, p.stages = 1, p.blocks_per_sm = 2;
  return gp__portable_radix(p, s);
}
GP__HOST gp_policy gp__adaptive_hybrid(gp_policy p) {
  p.algorithm = GP_HYBRID;
  return p;
}
// Keys alone take no sample if uniform keys need one level: the first count chooses. The cooperative radix sort then
// replaces the sweep if the device has room for its blocks.
GP__HOST int gp__adaptive_samples(gp_policy p, gp__form s) {
  return s->in_size || gp__hybrid_plan_of(gp__adaptive_hybrid(p), s).even_levels > 1;
}
GP__HOST gp_policy gp__adaptive_cooperative(gp_policy p, gp__form s) {
  p.algorithm = GP_ONE_LAUNCH;
  p.threads = p.vectors = p.stages = p.blocks_per_sm = 0;
  const gp_policy cooperative = gp__portable_cooperative(p, s);
  if (gp__policy_valid_cooperative(cooperative, s)) return cooperative;
  p.threads = 512, p.vectors = 4;
  return gp__portable_cooperative(p, s); // compiled, not launched
}
GP__HOST int gp__adaptive_is_cooperative(gp_policy p, gp__form s) {
  return !gp__adaptive_samples(p, s) && gp__policy_valid_cooperative(gp__adaptive_cooperative(p, s), s);
}
GP__HOST gp__u64 gp__adaptive_scratch(gp_policy p, gp__form s) {
  const gp__u64 sweep = gp__radix_plan_of(gp__adaptive_sweep(p, s), s).bytes, hybrid = gp__hybrid_plan_of(p, s).bytes;
  return GP__CHOICE_BYTES + (sweep > hybrid ? sweep : hybrid);
}
