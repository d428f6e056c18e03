// map/written.c - described inputs of calls whose kernels read arrays: copies before the call
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/call.h, api/init.h, core/words.h,
//   core/rules.h, core/shape.h, core/system.c, core/request.c, core/names.c, map/kinds.c, core/primitive.c,
//   core/state.c, graph/launch.c, sort/little.c, top_k/launch.c

// Adds a copy of a described input's elements to `out`; NULL: to memory that the plan holds. *array: where they are; an
// address alone while the plan has no memory.
GP__HOST gp_result gp__add_written(gp__state *s, gp__graph_plan *g, const gp__request *q, int root, uint64_t count,
    const uint64_t *count_device, void *out, const void **array) {
  const gp__input_node *n = &q->inputs.node[root - 1];
  gp_call copy = gp_call_init(GP_COPY);
  if (!out && !q->in_steps) out = gp__take(g, count * n->size);
  *array = out ? out : g;
  copy.in_type = GP_INPUT;
  copy.out_type = n->type;
  copy.in = n->from;
  copy.out = out;
  copy.count = count;
  copy.count_device = count_device;
  return count ? gp__add_call(s, gp__primitive_names[q->primitive], g, &copy) : GP_SUCCESS;
}
// Copies go to the outputs where every element is written by the call, and it may run in place.
GP__HOST gp_result gp__written_plan_of(gp__state *s, const gp__request *q, gp__u8 *at, gp__graph_plan *g) {
  const int in_place = q->primitive == GP_SORT || q->primitive == GP_MERGE_SORT;
  const uint64_t rows = q->primitive == GP_TOP_K && q->segments > 1 ? q->segments : 1, count = rows * q->count;
  const gp__inputs *all = &q->inputs;
  gp__request plain = *q;
  memset(g, 0, sizeof *g);
  g->at = at;
  (void)gp__take(g, 0); // a plan holds something
  memset(&plain.inputs, 0, offsetof(gp__inputs, node));
  if (all->keys)
    GP__CHECK(gp__add_written(s, g, q, all->keys, count, q->count_device, in_place ? q->out_keys : NULL, &plain.keys));
  if (all->in)
    GP__CHECK(gp__add_written(s, g, q, all->in, count, q->count_device, in_place ? q->out : NULL, &plain.in));
  if (all->keys2) GP__CHECK(gp__add_written(s, g, q, all->keys2, q->count2, NULL, NULL, &plain.keys2));
  if (all->in2) GP__CHECK(gp__add_written(s, g, q, all->in2, q->count2, NULL, NULL, &plain.in2));
  if (in_place && all->in && !q->out) plain.in = plain.out = g; // asked without buffers
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
GP__HOST gp_result gp__run_written(
    gp__state *s, const gp__request *q, const gp_policy *p, int run, gp_stream stream, uint64_t least) {
  gp__request own = *q;
  own.policy = p;
  return gp__run_plan_of(s, &own, p, run, stream, least, gp__written_plan_of);
}
GP__HOST gp_result gp__bytes_of_written(
    gp__state *s, const gp__request *q, const gp_policy *given, gp__form h, uint64_t *bytes) {
  gp__request own = *q;
  (void)h;
  own.policy = given;
  return gp__bytes_of_plan(s, &own, bytes, gp__written_plan_of);
}
GP__HOST gp_result gp__calls_of_written(gp__state *s, const gp__request *q, gp__request *calls, int *count) {
  return gp__calls_of_plan(s, q, calls, count, gp__written_plan_of);
}
static const gp__composition gp__written_calls = {gp__run_written, gp__bytes_of_written, gp__calls_of_written};
// A family's members from `launch` to `composed`.
#define GP__WRITES_INPUTS(launch, refused, checked, behind) launch, refused, checked, behind, &gp__written_calls
