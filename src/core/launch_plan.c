// core/launch_plan.c - launching a call
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/structs.h, core/words.h, core/rules.h,
//   core/shape.h, core/geometry.h, core/family.h, core/families.h, core/system.c, core/request.c, core/primitive.c,
//   core/state.c, core/kernels.c, core/load.c, core/workspaces.c, core/launch.c

// The geometry of a call on this device with its loaded kernels.
GP__HOST gp_result gp__geometry_here(gp__state *s, const char *who, const gp__request *q, gp__form h,
    const gp_policy *p, gp__kernel *const *kernels, int count, gp__geometry *g) {
  const gp__family *family = gp__methods_of(q);
  const gp__rules *rules = gp__rules_of(h->primitive);
  int occupancy = count ? kernels[0]->occupancy : 0, most, i;
  for (i = 1; i < count; ++i)
    if (kernels[i]->occupancy < occupancy) occupancy = kernels[i]->occupancy;
  most = family->kernels && family->kernels->fit && count ? family->kernels->fit(p, occupancy) : 0;
  if (most) {
    gp__set_geometry(rules, p, h, 0, g);
    GP__CHECK(gp__fit_kernel(s, who, kernels[0], g, &occupancy));
    if (occupancy > most) occupancy = most;
  }
  gp__set_geometry(rules, p, h, occupancy, g);
  return GP_SUCCESS;
}
// Events around the launches of this thread's call, while somebody measures it.
typedef struct gp__stamps {
  void *event[2];
  int recorded, failed;
} gp__stamps;
static __thread gp__stamps *gp__stamped; // or NULL
GP__HOST void gp__stamp_launches(gp__state *s, int ends, gp_stream stream) {
  gp__stamps *e = gp__stamped;
  if (ends == 0 && e->recorded) return; // a call of several launches
  if (s->library.runtime.driver.cuEventRecord(e->event[ends], stream)) e->failed = 1;
  e->recorded = 1 + ends;
}
// Launches a call of known geometry. The primary context is current, the kernels are loaded. The workspace gets at
// least `least` bytes. recent: the caller's last launch, or NULL.
GP__HOST gp_result gp__launch_at(gp__state *s, const char *who, const gp__request *q, gp__form h, const gp_policy *p,
    gp__kernel *const *kernels, int count, const gp__geometry *g, gp_stream stream, uint64_t least,
    gp__recent *recent) {
  gp__workspace *r = NULL;
  void *scratch = NULL;
  gp__u64 stream_key;
  const int room = g->words || g->scratch, keyed = room || s->own_work;
  int capturing;
  gp_result result = GP_SUCCESS;
  GP__CHECK(gp__number_of_stream(s, who, stream, keyed ? &stream_key : NULL, &capturing));
  if (!keyed && (capturing || !recent || recent->stream != stream)) GP__CHECK(gp__check_stream(s, who, stream));
  if (recent) recent->stream = stream;
  if (capturing) gp__keep_captured(kernels, count);
  if (room) {
    GP__CHECK(gp__find_recent(s, who, stream_key, stream, capturing, recent, &r));
    gp__lock_stream(r, capturing);
    result = gp__find_room(s, who, r, stream, gp__word_bytes(g), gp__scratch_bytes(g), least, capturing, &scratch);
  }
  if (result == GP_SUCCESS) {
    const gp__launching l = {s, who, q, h, p, kernels, count, g, r ? r->workspace : NULL, scratch, stream};
    if (gp__stamped) gp__stamp_launches(s, 0, stream);
    result = gp__methods_of(q)->launch(&l);
    if (gp__stamped) gp__stamp_launches(s, 1, stream);
  }
  if (result == GP_E_DRIVER && !keyed) // a new stream may have an old one's handle
    GP__CHECK(gp__check_stream(s, who, stream));
  if (s->own_work && result == GP_SUCCESS && (!r || r->lent))
    result = gp__note_launch(s, who, stream_key, stream, capturing);
  if (r) gp__unlock_stream(s, r);
  return result;
}
GP__HOST gp_result gp__launch(gp__state *s, const char *who, const gp__request *q, gp__form h, const gp_policy *p,
    gp__kernel *const *kernels, int count, gp_stream stream, uint64_t least) {
  gp__geometry g;
  GP__CHECK(gp__geometry_here(s, who, q, h, p, kernels, count, &g));
  return gp__launch_at(s, who, q, h, p, kernels, count, &g, stream, least, NULL);
}

GP__HOST int gp__is_checked(const gp__request *q) { return (q->flags & GP_CHECKED) != 0; }
