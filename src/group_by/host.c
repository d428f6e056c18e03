// group_by/host.c - group by
// uses: api/lists.h, core/words.h, core/rules.h, core/messages.c, core/request.c, host/values.c, sort/host.c,
//   host/user.c, core/primitive.c, host/run.c

// The type by which keys are compared: the unsigned type of their size, since keys are equal if their bits are. Two
// bytes of bool that are both true may differ.
GP__HOST gp_type gp__group_type(gp_type type, size_t size) { return type == GP_BOOL ? type : gp__bits_type(size); }
// Sorts keys and values, then folds run by run.
static gp_result gp__host_group_by(gp__host_call *h) {
  const gp__request *q = h->q;
  const int threads = h->asked;
  const size_t pair = q->key_size + q->in_size;
  gp__request sort, runs = *q;
  unsigned char *values;
  gp_result result;
  if (q->count > SIZE_MAX / pair - 1 || !(values = (unsigned char *)malloc((size_t)(q->count + 1) * pair)))
    return gp__fail(
        GP_E_MEMORY, "%s: no memory for %llu keys and values", gp__host_call_name(q->primitive), (gp__u64)q->count);
  memset(&sort, 0, sizeof sort);
  sort.primitive = GP_SORT;
  sort.key_type = q->key_type, sort.key_size = q->key_size;
  sort.in_type = sort.out_type = q->in_type, sort.in_size = sort.out_size = q->in_size;
  sort.in_struct = sort.out_struct = q->in_struct;
  sort.end_bit = 8 * (int)q->key_size;
  sort.field_count = gp__key_parts_of(q->key_type, &sort.fields);
  sort.keys = q->keys, sort.in = q->in;
  sort.out = values, sort.out_keys = values + q->count * q->in_size;
  sort.count = q->count;
  sort.channels = sort.active = 1;
  runs.primitive = GP_REDUCE_BY_KEY;
  runs.equal = GP_EQUAL;
  runs.key_type = gp__group_type(q->key_type, q->key_size);
  runs.keys = sort.out_keys, runs.in = sort.out;
  result = q->count ? gp__host_run(&sort, threads) : GP_SUCCESS;
  if (result == GP_SUCCESS) result = gp__host_run(&runs, threads);
  free(values);
  return result;
}
