// map/written.c - the call on arrays behind copies of described inputs; sorts in little memory
// uses: api/lists.h, api/call.h, api/init.h, core/rules.h, core/system.c, core/request.c, core/names.c,
//   core/primitive.c, core/state.c, graph/launch.c, sort/little.c, top_k/launch.c

GP__HOST gp_result gp__written_plan_of(gp__state *s, const gp__request *q, gp__graph_plan *g) {
  gp__request plain = *q;
  (void)gp__take(g, 0); // a plan holds something
  plain.in_steps = 0;
  if (q->in_steps && q->count >> GP__LITTLE_LOG2) {
    if (!plain.in && !q->in_struct && q->out_size >= 4) { // indices; or asked without buffers
      gp_call c = gp_call_init(GP_IOTA);
      c.out_type = q->out_type;
      c.out = q->out;
      c.count = q->count;
      GP__CHECK(gp__add_call(s, gp__primitive_names[q->primitive], g, &c));
      plain.in = q->out;
    }
    gp__plan_little(g, &plain);
    return GP_SUCCESS;
  }
  return gp__add_top_k(s, &plain, g); // or another call that is ready
}
GP__CALLS_BY_PLAN(written, gp__written_plan_of);
GP__HOST const gp__composition *gp__writing_first(void) { return &gp__written_calls; }
