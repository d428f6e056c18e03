// map/portable.h - portable rule of maps and of kernels of that form
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, graph/policy.h, map/policy.h, core/canonical.h,
//   core/rows.h

// No input; building and checking graphs; searches of so many needles in so long an array that a sample of it pays
enum { GP__IF_MAP_FILLS = GP__IF, GP__IF_MAP_GRAPHS = 2 * GP__IF, GP__IF_MAP_SAMPLES = 4 * GP__IF };
static const gp__policy_row gp__map_rows[] = {
    GP__H200(GP_GROUP_BY, -1, 0, 0, 0, 0, 512, 2, 0, 3, 22), // its kernel that fills tables
    GP__H200(GP_CONVERT_LAYOUT, -1, 0, 0, 0, 0, 0, 4, 0, 0, 22),
    GP__H200(GP_LOWER_BOUND, -1, GP__BY_COUNT, 1 << 21, 0, 0, 512, 0, 0, 8, 29),
    GP__H200(GP_UPPER_BOUND, -1, GP__BY_COUNT, 1 << 21, 0, 0, 512, 0, 0, 8, 29),
    GP__H200(GP_LOWER_BOUND, -1, GP__BY_COUNT, 3 << 18, 0, 0, 512, 0, 0, 4, 29),
    GP__H200(GP_UPPER_BOUND, -1, GP__BY_COUNT, 3 << 18, 0, 0, 512, 0, 0, 4, 29),
    GP__H200(GP_LOWER_BOUND, -1, GP__BY_COUNT, 1 << 18, 0, 0, 512, 0, 0, 8, 29),
    GP__H200(GP_UPPER_BOUND, -1, GP__BY_COUNT, 1 << 18, 0, 0, 512, 0, 0, 8, 29),
    GP__H200(GP_LOWER_BOUND, -1, 0, 0, 0, 0, 0, 0, 0, 4, 21),
    GP__H200(GP_UPPER_BOUND, -1, 0, 0, 0, 0, 0, 0, 0, 4, 21),
    GP__H200(0, -1, GP__IF_MAP_GRAPHS, 0, 0, 0, 0, 1, 0, 8, 22),
    GP__H200(GP_FILL, -1, 0, 0, 64 << 20, 0, 0, 1, 0, 1, 30),
    GP__H200(GP_IOTA, -1, 0, 0, 64 << 20, 0, 0, 1, 0, 1, 30),
    GP__H200(0, -1, GP__IF_MAP_FILLS, 0, 0, 0, 0, 4, 0, 0, 21),
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_DIRECT, 256, 1, 0, 0, 21),
    GP__H200(GP_COPY, -1, 0, 0, (64 << 10) + 1, GP_DIRECT, 128, 1, 0, 0, 30),
    GP__H200(GP_TRANSFORM, -1, 0, 0, (64 << 10) + 1, GP_DIRECT, 128, 1, 0, 0, 30),
    GP__H200(GP_TRANSFORM2, -1, 0, 0, (64 << 10) + 1, GP_DIRECT, 128, 1, 0, 0, 30),
    GP__H200(0, -1, GP__CHOOSES | GP__IF_MAP_SAMPLES, 0, 0, GP_TWO_PHASE, 0, 0, 0, 0, 29),
    GP__H200(0, -1, 0, 0, 0, GP_TWO_PHASE, 512, 1, 0, 4, 29),
};
GP__HOST gp_policy gp__portable_map(gp_policy p, gp__form s) {
  const int shrinks = s->primitive == GP_CONVERT_LAYOUT && !p.vectors; // until shared memory holds the tile
  const int fills = !s->in_size || s->described == 1; // fill, iota, and maps of ramps and constants
  if (s->primitive == GP_COPY_BATCH) { // as much in flight as registers allow, in small blocks
    p.vectors = gp__default_to(p.vectors, 4);
    p.threads = gp__default_to(p.threads, s->count >> 34 ? 1024 : 128); // tickets have 28 bits
    p.blocks_per_sm = gp__default_to(p.blocks_per_sm, p.threads < 1024 ? 1024 / p.threads : 1);
  }
  if (gp__has_table(s->primitive)) { // not tuned yet
    p.vectors = gp__default_to(p.vectors, 1);
    p.blocks_per_sm = gp__default_to(p.blocks_per_sm, s->primitive == GP_GROUP_BY_MANY ? 6 : 8);
  }
  if (fills) p.store = gp__default_to(p.store, GP_CACHE_STREAMING); // nobody reads it soon
  p = GP__FILL(p, gp__map_rows, gp__measure_elements, s,
      (fills ? GP__IF_MAP_FILLS : 0) | (gp__is_graph_work(s->primitive) ? GP__IF_MAP_GRAPHS : 0) |
          (gp__is_bound(s->primitive) && (s->in_size == 4 || s->in_size == 8) && s->count >= 1 << 18 &&
                      s->segments * (unsigned)s->in_size >= 128 << 10 && s->segments / 4 <= s->count
                  ? GP__IF_MAP_SAMPLES
                  : 0));
  while (shrinks && p.vectors > 1 && !gp__policy_valid_map(p, s)) p.vectors /= 2;
  return p;
}
