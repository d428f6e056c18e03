// sets/host.c - sets
// uses: api/config.h, api/lists.h, core/request.c, host/call.c, merge/host.c

// Walks both inputs once. Keys that tie are taken in pairs, one from each input.
static gp_result gp__host_set(const gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__host_order o = gp__host_order_of(q);
  const gp__host_items a = gp__host_items_of(q->keys, q->in_size ? q->in : NULL, q->count),
                       b = gp__host_items_of(q->keys2, q->in_size ? q->in2 : NULL, q->count2),
                       out = gp__host_items_of(q->out_keys, q->out, 0);
  const int alone = q->primitive != GP_SET_INTERSECTION, // output keys of the first input without a partner
      alone2 = alone && q->primitive != GP_SET_DIFFERENCE, // and of the second
      pairs = q->primitive == GP_SET_UNION || !alone; // output the first input's key of a pair
  uint64_t i = 0, j = 0, n = 0;
  while (i < a.count || j < b.count) {
    if (j == b.count || (i < a.count && o.before(&o, gp__host_key(q, &a, i), gp__host_key(q, &b, j)))) {
      if (alone) gp__host_put_item(q, &out, n++, &a, i);
      ++i;
    } else if (i == a.count || o.before(&o, gp__host_key(q, &b, j), gp__host_key(q, &a, i))) {
      if (alone2) gp__host_put_item(q, &out, n++, &b, j);
      ++j;
    } else {
      if (pairs) gp__host_put_item(q, &out, n++, &a, i);
      ++i;
      ++j;
    }
  }
  *q->out_count = n;
  return GP_SUCCESS;
}
