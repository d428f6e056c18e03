// find/portable.h - portable rule of searches for the first element
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, core/canonical.h, reduce/portable.h

// Threads, vectors and blocks are those of reductions, which read as much.
GP__HOST gp_policy gp__portable_find(gp_policy p, gp__form s) {
  p.algorithm = gp__default_to(p.algorithm, GP_STEALING);
  return gp__portable_reduce(p, s);
}
