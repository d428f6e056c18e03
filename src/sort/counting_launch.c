// sort/counting_launch.c - launches of counting sort
// uses: api/lists.h, core/words.h, core/rules.h, sort/counting_policy.h, core/geometry.h, sort/geometry.h,
//   histogram/arguments.h, sort/counting_arguments.h, core/system.c, core/request.c, core/launch.c

GP__HOST gp_result gp__launch_counting(const gp__launching *l) {
  const gp__request *q = l->q;
  const gp__geometry g = gp__counting_geometry(*l->p, l->h);
  const size_t values = (size_t)1 << 8 * q->key_size;
  gp__histogram_args h;
  gp__counting_args a;
  memset(&h, 0, sizeof h);
  memset(&a, 0, sizeof a);
  h.in = q->keys;
  h.out = l->scratch;
  h.count = a.count = q->count;
  h.count_device = a.count_device = (const gp__u64 *)q->count_device;
  h.bins = values;
  h.channels = h.active = 1;
  h.replicas = g.replicas;
  h.workspace = a.workspace = l->workspace;
  a.out = q->out_keys;
  a.counts = (gp__u64 *)l->scratch;
  if (q->key_size > 1) {
    a.starts = (gp__u64 *)l->scratch + values;
    a.values = (unsigned short *)(a.starts + values);
    a.blocks = gp__counting_rows(l->h, g.grid);
    a.rows = a.values + values;
    a.runs = (gp__u64 *)(a.values + (a.blocks + 1) * values);
    h.rows = a.blocks ? (unsigned *)(a.values + values) : NULL;
  }
  GP__CHECK(gp__launch_step(l, 0, g.grid, g.threads, g.shared_bytes, &h));
  if (q->key_size > 1) GP__CHECK(gp__launch_step(l, 2, GP__COUNTING_BLOCKS, GP__COUNTING_THREADS, 0, &a));
  return gp__launch_step(l, 1, gp__grid_of_step(l, 1, l->p->blocks_per_sm, l->g->tiles), l->g->threads, 0, &a);
}
