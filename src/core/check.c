// core/check.c - checking a call, whole
// uses: api/lists.h, api/structs.h, api/call.h, core/shape.h, sort/radix_policy.h, top_k/policy.h, transpose/policy.h,
//   layouts/policy.h, core/system.c, core/messages.c, core/request.c, core/names.c, core/kinds.c, core/state.c,
//   core/check_types.c, core/reads.c, core/checking.c, core/check_operators.c, core/check_call_types.c,
//   core/check_numbers.c, core/check_buffers.c, core/check_values.c, layouts/check.c, graph/check.c

// The order of numbers is that of their bits, but for -0, and a stable sort has one result: merge sort of them is a
// radix sort, unless the policy asks for merges.
GPUPRIMS__PRIVATE int gp__is_radix_sorted(const gp_call *c, const gp__request *q, int host) {
  return c->primitive == GP_MERGE_SORT && !q->user_op &&
         (gp__is_integer(q->key_type) || (!host && !q->key_struct && c->count >> GP__NUMBERS_LOG2)) &&
         !(c->policy && (c->policy->algorithm == GP_MERGE_PASSES || c->policy->algorithm == GP_FOUR_WAY_PASSES));
}

// Checks a call completely, before anything happens, and fills in every default. host: it will run there. pointers: 0
// where nothing will run, so that buffers and values may be missing; GP__POINTERS_PLACED where buffers must lie where
// the back end reaches them.
GPUPRIMS__PRIVATE gp_result gp__check_call(gp__state *s, const char *caller, const gp_call *c, int host, int pointers,
                                           gp__request *q) {
  gp__checking k;
  if (!c) return gp__fail(GP_E_NULL, "%s: call is null", caller);
  if ((int)c->primitive <= GP_PRIMITIVE_NONE || (int)c->primitive >= GP_PRIMITIVE_COUNT)
    return gp__fail(GP_E_ARGUMENT, "%s: call.primitive is %d, which is no gp_primitive", caller, (int)c->primitive);
  memset(q, 0, sizeof *q);
  memset(&k, 0, offsetof(gp__checking, read));
  k.read_count = k.written_count = 0;
  k.s = s;
  k.who = gp__primitive_names[c->primitive];
  k.c = c;
  k.q = q;
  k.host = host;
  k.pointers = pointers;
  k.reads = gp__reads(c->primitive);
  k.fold = (k.reads & GP__READS_ACC_TYPE) != 0;
  q->primitive = c->primitive;
  q->flags = c->flags;
  GPUPRIMS__CHECK(gp__check_fields(&k));
  if (c->primitive == GP_CONVERT_LAYOUT) return gp__check_layouts(&k);
  if (c->primitive == GP_BFS) return gp__check_bfs(&k);
  if (c->primitive == GP_BFS_SOURCES) return gp__check_sources(&k);
  if (gp__is_graph_work(c->primitive)) return gp__check_graph_work(&k);
  GPUPRIMS__CHECK(gp__check_operators(&k));
  GPUPRIMS__CHECK(gp__check_types(&k));
  GPUPRIMS__CHECK(gp__check_numbers(&k));
  GPUPRIMS__CHECK(gp__check_inputs(&k));
  GPUPRIMS__CHECK(gp__check_outputs(&k));
  GPUPRIMS__CHECK(gp__check_values(&k));
  if (gp__is_radix_sorted(c, q, host)) {
    const int numbers = !gp__is_integer(q->key_type);
    gp_call sort = *c;
    sort.primitive = GP_SORT;
    sort.op = 0;
    if (q->op == GP_GREATER) sort.flags |= GP_DESCENDING;
    GPUPRIMS__CHECK(gp__check_call(s, caller, &sort, host, pointers, q));
    q->numbers = numbers;
    if (numbers) q->acc_size = q->key_size; // no key that sorts by its bits
    return GP_SUCCESS;
  }
  q->in = c->in;
  q->in2 = c->in2;
  q->keys = c->keys;
  q->keys2 = c->keys2;
  q->fields = c->fields;
  q->begin = c->begin;
  q->end = c->end;
  q->out = c->out;
  q->out_keys = c->out_keys;
  q->out2 = c->out2;
  q->out3 = c->out3;
  q->out_count = c->out_count;
  q->bad = c->bad;
  q->count_device = c->count_device;
  return GP_SUCCESS;
}

// Is there nothing to launch? (Results that do not depend on elements are written all the same.)
GPUPRIMS__PRIVATE int gp__nothing_to_do(const gp__request *q) {
  switch (gp__family_of(q->primitive)) {
  case GP__FAMILY_SORT:
    return !q->count;
  case GP__FAMILY_MAP:
    return q->primitive != GP_GROUP_BY && !gp__is_graph_work(q->primitive) &&
           (!q->count || (q->primitive == GP_COPY && q->in == q->out));
  case GP__FAMILY_SCAN:
    return !q->count;
  case GP__FAMILY_SEGMENTS:
    return q->primitive == GP_LOAD_BALANCE ? !q->count : !q->segments;
  case GP__FAMILY_STREAM:
    return !q->count && !q->out_count;
  case GP__FAMILY_SEGMENTED_SORT:
    return !q->count || !q->segments;
  case GP__FAMILY_MERGE:
    return !q->count && !q->count2 && !q->out_count;
  case GP__FAMILY_TOP_K:
    return !q->count || (q->primitive == GP_TOP_K && !q->length);
  case GP__FAMILY_TRANSPOSE:
    return !q->count || q->moves.kind == GP__MOVE_NOTHING;
  case GP__FAMILY_GRAPH:
    return q->primitive == GP_BFS_SOURCES ? !q->segments || (!q->count && !q->out2 && !q->statistics)
                                          : !q->count && !q->statistics;
  default:
    return 0;
  }
}

// Structs that a thread takes at a time: so many that each field's values fill whole words, where registers hold them.
GPUPRIMS__PRIVATE int gp__layout_chunk(const gp__request *q) {
  const size_t size = q->in_size > q->out_size ? q->in_size : q->out_size;
  unsigned common = 4, chunk;
  int i;
  if ((q->flags & GP_KEEP_GAPS) || size > GP__LAYOUT_REGISTER_BYTES) return 0;
  for (i = 0; i < q->in_layout->field_count; ++i)
    common = (unsigned)gp__common_factor(common, q->in_layout->fields[i].size);
  chunk = 4 / common;
  while (chunk > 1 &&
         (chunk * size > GP__LAYOUT_REGISTER_BYTES || (q->in_layout->width > 1 && q->in_layout->width % chunk) ||
          (q->out_layout->width > 1 && q->out_layout->width % chunk)))
    chunk /= 2;
  return (int)chunk;
}
