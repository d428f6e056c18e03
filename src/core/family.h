// core/family.h - a family's rules: its valid policies, the portable one, and the launch that follows
// uses: api/policy.h, core/words.h, core/rules.h, core/shape.h, core/canonical.h, core/rows.h, core/geometry.h

// Rules of a family's policies, for core: gp__rules_FAMILY, at the end of its geometry.h. Macros name the entries that
// a family lacks.
typedef struct gp__rules {
  int (*valid)(gp_policy p, gp__form s); // of a fully resolved policy, beyond the common conditions
  gp__measures (*measure)(gp__form s);
  gp_policy (*portable)(gp_policy p, gp__form s); // fills the fields that neither the caller nor a tuned row has set
  int (*overlaps)(gp_policy p, gp__form s); // whether a launch may overlap the one before; NULL: yes
  void (*geometry)(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g); // g begins as zeros
  int (*threads)(gp_policy p); // of a block; NULL: policy.threads
  int own_algorithm; // GP__OWN_ALGORITHM, GP__OWN_IF_FEW or GP__ANY_ALGORITHM
  int (*row_serves)(gp__form s); // whether a row of the table may serve the call; NULL: yes
} gp__rules;
#define GP__ALWAYS_OVERLAPS NULL
#define GP__POLICY_THREADS NULL
#define GP__ROWS_SERVE NULL
// Own: a row serves only the algorithm that the portable rule chooses; if few, where that is for few elements, which
// the rows' tunes did not know.
enum { GP__ANY_ALGORITHM, GP__OWN_ALGORITHM, GP__OWN_IF_FEW };

// Whether the policy is valid for the shape. Only this function knows; an invalid policy is an error, never changed.
GP__HOST int gp__is_valid(const gp__rules *rules, const gp_policy *p, gp__form s) {
  return gp__policy_valid_common(p) && (p->overlap != 1 || s->compute_capability >= 90) && rules->valid(*p, s);
}
GP__HOST int gp__valid_by(const gp__rules *rules, gp_policy p, gp__form s) { return gp__is_valid(rules, &p, s); }
GP__HOST gp_policy gp__portable_by(const gp__rules *rules, gp_policy p, gp__form s) {
  gp_policy q = rules->portable(p, s);
  q.load = gp__default_to(q.load, GP_CACHE_ALL);
  q.store = gp__default_to(q.store, GP_CACHE_ALL);
  q.overlap =
      gp__default_to(q.overlap, s->compute_capability >= 90 && (!rules->overlaps || rules->overlaps(q, s)) ? 1 : 2);
  return q;
}
// Threads of a block. Pipelines add warps to those that compute.
GP__HOST unsigned gp__threads_by(const gp__rules *rules, const gp_policy *p) {
  return (unsigned)(rules->threads ? rules->threads(*p) : p->threads);
}
// occupancy: blocks of this kernel that fit a multiprocessor, from the driver; 0: unknown, the policy's number counts.
GP__HOST void gp__set_geometry(const gp__rules *rules, const gp_policy *p, gp__form s, int occupancy, gp__geometry *g) {
  const int sms = s->multiprocessors > 0 ? s->multiprocessors : 1;
  const int per_sm = occupancy > 0 && p->blocks_per_sm > occupancy ? occupancy : p->blocks_per_sm;
  g->tile_items = g->tiles = g->words = g->share = g->scratch = 0;
  g->grid = g->shared_bytes = g->replicas = g->log2_lanes = 0;
  g->threads = gp__threads_by(rules, p);
  rules->geometry(*p, s, (gp__u64)sms * (unsigned)(per_sm > 0 ? per_sm : 1), g);
}
GP__HOST gp__geometry gp__geometry_by(const gp__rules *rules, gp_policy p, gp__form s, int occupancy) {
  gp__geometry g;
  gp__set_geometry(rules, &p, s, occupancy, &g);
  return g;
}
