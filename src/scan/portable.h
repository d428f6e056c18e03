// scan/portable.h - portable rule of scans
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, scan/policy.h, core/canonical.h, core/rows.h

// SHIFTED: misaligned pointers of wider elements; a ragged chunk of bytes is slow. OPEN: in any order of additions,
// and the caller sets neither threads nor vectors. CLUSTER: open, and the tiles of one cluster. NARROW: aligned
// elements of 4 bytes at most. WIDE: aligned elements of 8 bytes. Up to 64 tiles are one group of a look-back.
enum {
  GP__IF_SCAN_CANONICAL = GP__IF,
  GP__IF_SCAN_MISALIGNED = 2 * GP__IF,
  GP__IF_SCAN_SHIFTED = 4 * GP__IF,
  GP__IF_SCAN_OPEN = 8 * GP__IF,
  GP__IF_SCAN_CLUSTER = 16 * GP__IF,
  GP__IF_SCAN_NARROW = 32 * GP__IF,
  GP__IF_SCAN_WIDE = 64 * GP__IF
};
static const gp__policy_row gp__scan_rows[] = {
    GP__H200(0, -1, GP__IF_SCAN_CANONICAL, 0, 0, 0, GP__CANONICAL_SCAN_THREADS, GP__CANONICAL_SCAN_VECTORS, 0, 0, 21),
    GP__H200(0, -1, GP__CHOOSES | GP__IF_SCAN_OPEN, 0, (8 << 10) + 1, GP_ONE_BLOCK, 512, 1, 0, 0, 29),
    GP__H200(0, -1, GP__CHOOSES | GP__IF_SCAN_CLUSTER, 0, 0, GP_ONE_CLUSTER, 256, 1, 0, 0, 30),
    GP__H200(0, -1, GP__CHOOSES, 6656 << 10, 0, GP_PIPELINED, 0, 9, 0, 0, 30),
    GP__H200(0, -1, GP__CHOOSES | GP__IF_SCAN_NARROW, 6656 << 10, 10 << 20, GP_LOOK_BACK, 256, 5, 0, 4, 30),
    GP__H200(0, -1, GP__CHOOSES | GP__IF_SCAN_SHIFTED, 512 << 10, 0, GP_PIPELINED, 0, 0, 0, 0, 21),
    GP__H200(0, -1, 0, 0, 0, GP_PIPELINED, 256, 5, 0, 0, 21),
    GP__H200(0, -1, GP__IF_SCAN_MISALIGNED, 0, 3 << 20, GP_PIPELINED, 0, 5, 0, 0, 21),
    GP__H200(0, -1, 0, 24 << 20, 0, GP_PIPELINED, 320, 0, 0, 0, 21),
    GP__H200(0, -1, GP__CHOOSES, 0, 0, GP_LOOK_BACK, 0, 0, 0, 0, 21),
    GP__H200(0, -1, 0, 0, 0, 0, 256, 1, 0, 0, 21),
    GP__H200(0, -1, 0, 256 << 10, 512 << 10, 0, 512, 1, 0, 0, 29),
    GP__H200(0, -1, 0, 512 << 10, 0, 0, 0, 3, 0, 0, 29),
    GP__H200(0, -1, GP__IF_SCAN_WIDE, 3584 << 10, 4752 << 10, 0, 0, 3, 0, 3, 30),
    GP__H200(0, -1, 0, 4608 << 10, 6656 << 10, 0, 0, 3, 0, 4, 30),
    GP__H200(0, -1, GP__IF_SCAN_MISALIGNED, 1 << 20, 3 << 20, 0, 0, 1, 0, 0, 21),
    GP__H200(0, -1, 0, 6656 << 10, 0, 0, 0, 9, 0, 0, 30),
};
GP__HOST gp_policy gp__portable_scan(gp_policy p, gp__form s) {
  const int misaligned = s->in_misaligned || s->out_misaligned;
  const unsigned when = (s->reproducible ? GP__IF_SCAN_CANONICAL
                                : misaligned ? GP__IF_SCAN_MISALIGNED
                                : 0) |
      (misaligned && s->in_size >= 4 ? GP__IF_SCAN_SHIFTED : 0) |
      (s->in_size <= 4 && s->out_size <= 4 && !misaligned && !s->reproducible ? GP__IF_SCAN_NARROW : 0) |
      (s->in_size == 8 && s->out_size == 8 && !misaligned && !s->reproducible ? GP__IF_SCAN_WIDE : 0) |
      (s->reproducible || p.threads || p.vectors ? 0
              : gp__has_clusters(s) && s->acc_size <= 64 &&
                  s->count <= gp__scan_items(1, s->in_size, s->out_size) * 256ull * (unsigned)GP__CLUSTER
              ? GP__IF_SCAN_CLUSTER
              : GP__IF_SCAN_OPEN);
  gp_policy q = GP__FILL(p, gp__scan_rows, gp__measure_elements, s, when);
  if (q.algorithm == GP_PIPELINED) { // as many as shared memory and registers allow
    q.stages = gp__default_to(q.stages, q.threads > 256 ? 5 : 3);
    q.blocks_per_sm = gp__default_to(q.blocks_per_sm, q.threads > 256 ? 1 : 2);
    if (p.algorithm || gp__policy_valid_scan(q, s)) return q;
    p.algorithm = GP_LOOK_BACK;
    q = GP__FILL(p, gp__scan_rows, gp__measure_elements, s, when);
  }
  q.stages = gp__default_to(q.stages, 3);
  q.blocks_per_sm = gp__default_to(q.blocks_per_sm, q.vectors >= 9 ? 4 : q.vectors >= 5 ? 6 : 8);
  return q;
}
