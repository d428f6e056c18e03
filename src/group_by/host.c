// group_by/host.c - group by
// uses: api/lists.h, core/words.h, core/rules.h, core/request.c, host/user.c, host/values.c, core/primitive.c,
//   host/run.c

// The type by which keys are compared: the unsigned type of their size, since keys are equal if their bits are. Two
// bytes of bool that are both true may differ.
GP__HOST gp_type gp__group_type(gp_type type, size_t size) { return type == GP_BOOL ? type : gp__bits_type(size); }
// Sorts keys and values, then folds run by run.
static gp_result gp__host_group_by(gp__host_call *h) {
  const gp__request *q = h->q;
  const int threads = h->asked;
  const size_t pair = q->key_size + q->in_size;
  gp__request runs = *q;
  gp__u8 *values, *keys;
  gp_result result;
  if (q->count > SIZE_MAX / pair - 1 || !(values = (gp__u8 *)malloc((size_t)(q->count + 1) * pair)))
    return gp__host_no_memory(q, (q->count + 1) * pair);
  keys = values + q->count * q->in_size;
  runs.primitive = GP_REDUCE_BY_KEY;
  runs.equal = GP_EQUAL;
  runs.key_type = gp__group_type(q->key_type, q->key_size);
  runs.keys = keys, runs.in = values;
  result = gp__host_sort_by(q->key_type, 0, q->count, q->keys, q->in, q->in_size, keys, values, threads);
  if (result == GP_SUCCESS) result = gp__host_run(&runs, threads);
  free(values);
  return result;
}
