// top_k/portable.h - portable rule of top-k
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, sort/cooperative_policy.h, top_k/policy.h,
//   core/rows.h, sort/portable.h

// Few keys are sorted at once. Lists while k is small, otherwise radix select. Hundreds of results are for radix select
// where keys are few or can be filtered. Many segments are for warps.
enum {
  GP__IF_TOP_K_LISTS = GP__IF,
  GP__IF_TOP_K_WIDE = 2 * GP__IF,
  GP__IF_TOP_K_ONE = 4 * GP__IF, // row, without an operator
  GP__IF_TOP_K_SORTS = 8 * GP__IF, // keys of up to 4 bytes, or hundreds of results
  GP__IF_TOP_K_SOME = 16 * GP__IF, // results, or keys of one or two digits
  GP__IF_TOP_K_WITHIN = 32 * GP__IF, // a bound: keys alone of 4 bytes and more, of which few are wanted
  GP__TOP_K_SOME = 32,
  GP__TOP_K_HUNDREDS = 128,
  GP__TOP_K_FEW_BYTES = 32 << 20
};
static const gp__policy_row gp__top_k_rows[] = {
    GP__H200(0, -1, GP__CHOOSES | GP__IF_TOP_K_LISTS, 0, 0, GP_BEST_LISTS, 0, 0, 0, 0, 22),
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_RADIX_SELECT, 256, 2, 0, 4, 22),
    GP__H200(0, -1, GP__CHOOSES | GP__BY_COUNT | GP__IF_TOP_K_ONE | GP__IF_TOP_K_SORTS, 0, (1 << 15) + 1, GP_ONE_LAUNCH,
        0, 0, 0, 0, 29),
    GP__H200(0, -1, GP__CHOOSES | GP__BY_COUNT | GP__IF_TOP_K_ONE | GP__IF_TOP_K_SORTS | GP__IF_TOP_K_SOME, 0,
        (1 << 19) + 1, GP_ONE_LAUNCH, 0, 0, 0, 0, 29),
    GP__H200(0, -1, GP__CHOOSES | GP__BY_COUNT | GP__IF_TOP_K_ONE | GP__IF_TOP_K_WITHIN, (1 << 19) + 1, 0,
        GP_SAMPLED_SELECT, 0, 0, 0, 0, 29),
    GP__H200(0, -1, 0, 0, 0, GP_SAMPLED_SELECT, 1024, 2, 0, 1, 29),
    GP__H200(0, -1, 0, 0, 0, GP_BEST_LISTS, 256, 1, 0, 4, 22),
    GP__H200(0, 4, 0, 0, 0, GP_BEST_LISTS, 0, 2, 0, 0, 22),
    GP__H200(0, -1, GP__IF_TOP_K_WIDE, 0, 0, GP_BEST_LISTS, 0, 4, 0, 0, 22),
    GP__H200(0, -1, GP__BY_KEYS | GP__IF_TOP_K_ONE, 0, 1 << 20, GP_BEST_LISTS, 0, 1, 0, 8, 29),
    GP__H200(0, -1, GP__BY_KEYS | GP__IF_TOP_K_ONE, 16 << 20, 0, GP_BEST_LISTS, 1024, 0, 0, 1, 29),
};
// The call as a sort of all keys.
GP__HOST gp__shape gp__sorted_top_k(gp__shape s) {
  s.in_size = s.out_size;
  s.sorted.end_bit = 8 * s.key_size;
  return s;
}
// A bounded select: room for the keys put aside, and the policy of their sort.
GP__HOST gp__u64 gp__sampled_room(gp__form s) { return 2 * s->top_k.results + GP__SELECT_LEAST; }
GP__HOST gp__shape gp__sampled_shape(gp__shape s) {
  s.count = gp__sampled_room(&s);
  return s;
}
GP__HOST gp_policy gp__sampled_sort(gp_policy p, gp__form s) {
  const gp__shape sort = gp__sorted_top_k(gp__sampled_shape(*s));
  p.algorithm = GP_ONE_CLUSTER;
  p.threads = p.vectors = p.stages = p.blocks_per_sm = 0;
  return gp__portable_cooperative(p, &sort);
}
GP__HOST int gp__policy_valid_ranked(gp_policy p, gp__form s) {
  gp__shape other;
  if (p.algorithm == GP_SAMPLED_SELECT) {
    other = gp__sampled_shape(*s);
    return !s->out_size && !s->top_k.order_bytes && gp__sampled_room(s) <= GP__SELECT_ASIDE &&
        gp__policy_valid_top_k(p, s) && gp__policy_valid_ranked(gp__sampled_sort(p, s), &other);
  }
  if (!gp__is_cooperative(p.algorithm)) return gp__policy_valid_top_k(p, s);
  other = gp__sorted_top_k(*s);
  return s->primitive == GP_TOP_K && s->segments <= 1 && !s->top_k.order_bytes && !s->top_k.drop_keys &&
      p.blocks_per_sm >= 1 && gp__policy_valid_cooperative(p, &other);
}
GP__HOST gp_policy gp__portable_top_k(gp_policy p, gp__form s) {
  const int one = s->primitive == GP_TOP_K && s->segments <= 1 && !s->top_k.order_bytes;
  const int many = s->count * (unsigned)s->key_size > GP__TOP_K_FEW_BYTES;
  const int lists = s->primitive != GP_NTH_ELEMENT && s->top_k.results <= GP__TOP_K_FEW &&
      (!one || s->top_k.drop_keys || (many && s->out_size) ||
          s->top_k.results <= (unsigned)(many ? (int)GP__TOP_K_OF_WARP : (int)GP__TOP_K_HUNDREDS));
  const int warps = p.algorithm == GP_WARP_SEGMENTS ||
      (p.algorithm == GP_AUTO && s->primitive == GP_SEGMENTED_TOP_K && !s->top_k.order_bytes &&
          s->top_k.results <= GP__TOP_K_OF_WARP && s->segments >= 4 * (unsigned)s->multiprocessors);
  const unsigned when =
      (lists ? GP__IF_TOP_K_LISTS : 0) | (s->key_size >= 8 ? GP__IF_TOP_K_WIDE : 0) | (one ? GP__IF_TOP_K_ONE : 0);
  const unsigned sorts = (s->key_size <= 4 || s->top_k.results > GP__TOP_K_HUNDREDS ? GP__IF_TOP_K_SORTS : 0) |
      (s->key_size <= (s->top_k.results > GP__TOP_K_SOME ? 4 : 2) ? GP__IF_TOP_K_SOME : 0) |
      (!s->out_size && s->key_size >= 4 && s->top_k.results > GP__TOP_K_SOME &&
                  s->top_k.results <= s->count / GP__SELECT_PART && gp__has_clusters(s)
              ? GP__IF_TOP_K_WITHIN
              : 0);
  gp_policy q;
  if (warps) p.algorithm = GP_BEST_LISTS;
  q = GP__FILL(p, gp__top_k_rows, gp__measure_keys, s, when | sorts);
  if (gp__is_cooperative(q.algorithm)) {
    const gp__shape sort = gp__sorted_top_k(*s);
    q = gp__portable_cooperative(p, &sort);
    if (p.algorithm || gp__policy_valid_ranked(q, s)) return q;
  }
  if (!p.algorithm && !gp__policy_valid_ranked(q, s)) q = GP__FILL(p, gp__top_k_rows, gp__measure_keys, s, when);
  if (q.algorithm == GP_SAMPLED_SELECT) return q;
  // As many blocks as their lists leave room for.
  while (!p.blocks_per_sm && q.blocks_per_sm > 1 && !gp__policy_valid_top_k(q, s)) --q.blocks_per_sm;
  while (!p.vectors && q.vectors > 1 && !gp__policy_valid_top_k(q, s)) q.vectors /= 2;
  while (!p.threads && (s->top_k.drop_keys || s->top_k.order_bytes || s->primitive == GP_SEGMENTED_TOP_K) &&
      q.threads > 32 && !gp__policy_valid_top_k(q, s))
    q.threads /= 2;
  if (p.algorithm == GP_AUTO && lists && !s->top_k.drop_keys && !s->top_k.order_bytes && s->primitive == GP_TOP_K &&
      !gp__policy_valid_top_k(q, s)) { // a device with little shared memory
    p.algorithm = GP_RADIX_SELECT;
    return gp__portable_top_k(p, s);
  }
  if (warps) q.algorithm = GP_WARP_SEGMENTS;
  return q;
}
