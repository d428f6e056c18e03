// columns/launch.c - sorts of columns: sorts of keys with indices, then gathers
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, api/init.h, core/words.h, core/rules.h,
//   columns/arguments.h, core/system.c, core/request.c, columns/host.c, core/names.c, core/state.c, graph/launch.c

// Adds a column to the gather that the plan ends with, or to another one if that is full or absent.
GP__HOST void gp__add_column(gp__graph_plan *g, const gp__request *q, const void *order, int another, const void *in,
    void *out, size_t size, size_t align) {
  gp__graph_step *step = g->count ? &g->steps[g->count - 1] : NULL;
  gp__moved_column *column;
  int word = 16;
  if (another || !step || step->request >= 0 || step->args.columns.columns == GP__COLUMNS_AT_ONCE) {
    step = &g->steps[g->count++];
    step->request = -1;
    step->kind = GP__GATHER_COLUMNS;
    step->items = q->count;
    memset(&step->args, 0, sizeof step->args);
    step->args.columns.index = order;
    step->args.columns.count = q->count;
    step->args.columns.count_device = (const gp__u64 *)q->count_device;
  }
  while (size % (unsigned)word || align % (unsigned)word) word /= 2;
  column = &step->args.columns.column[step->args.columns.columns++];
  column->in = in;
  column->out = out;
  column->word = word;
  column->words = (int)size / word;
}
GP__HOST gp_result gp__columns_plan_of(gp__state *s, const gp__request *q, gp__graph_plan *g) {
  const char *who = gp__primitive_names[q->primitive];
  const uint64_t values = q->column_count - q->key_columns;
  gp_call sort = gp_call_init(GP_SORT);
  gp__sort_key keys[GP_KEY_LIMIT];
  const int count = gp__list_sort_keys(q, keys), pairs = count == 1 && values == 1 && !q->out_size;
  size_t largest = 1;
  void *order = q->out, *sorted;
  uint64_t i;
  int k;
  (void)gp__take(g, 0); // a plan holds something
  sort.count = q->count;
  sort.count_device = q->count_device;
  if (pairs) {
    const gp_column *c = &q->columns[q->key_columns];
    sort.in_type = c->type;
    sort.in = c->in;
    sort.out = c->out;
  } else if (values || q->out_size || count > 1) {
    if (!q->out_size) order = gp__take(g, q->count * q->offset_size);
    sort.out_type = q->offset_type;
    sort.out = order;
  }
  for (k = 0; k < count; ++k)
    if (keys[k].size > largest) largest = keys[k].size;
  sorted = count > 1 ? gp__take(g, q->count * largest) : NULL;
  for (k = count - 1; k >= 0; --k) {
    sort.key_type = keys[k].type;
    sort.keys = keys[k].in;
    sort.out_keys = count > 1 && (k || !keys[k].out) ? sorted : keys[k].out;
    sort.flags = keys[k].descending ? GP_DESCENDING : 0;
    if (k < count - 1) { // in the order of the less significant keys
      gp__add_column(g, q, order, 1, keys[k].in, sorted, keys[k].size, keys[k].size);
      sort.keys = sorted;
      sort.in_type = q->offset_type;
      sort.in = order;
    }
    if (!g->at && count > 1) sort.keys = sort.out_keys = g; // the sort's room depends on whether it has an output
    GP__CHECK(gp__add_call(s, who, g, &sort));
  }
  for (k = 1; k < count; ++k)
    if (keys[k].out) gp__add_column(g, q, order, 0, keys[k].in, keys[k].out, keys[k].size, keys[k].size);
  for (i = q->key_columns; i < q->column_count && !pairs; ++i)
    gp__add_column(g, q, order, 0, q->columns[i].in, q->columns[i].out, q->column_size[i], q->column_align[i]);
  return GP_SUCCESS;
}
