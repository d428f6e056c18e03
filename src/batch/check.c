// batch/check.c - checking a call: copies of many buffers
// uses: api/lists.h, core/words.h, core/rules.h, batch/policy.h, core/system.c, core/messages.c, core/request.c,
//   host/values.c, core/primitive.c, core/checking.c, core/check_call_types.c, core/check_buffers.c

GP__HOST gp_result gp__check_batch_types(gp__checking *k) {
  gp__request *q = k->q;
  GP__CHECK(gp__check_key_types(k)); // of the sizes
  q->in_type = q->in2_type = GP_U64; // pointers
  k->in.size = k->in.align = k->in2.size = k->in2.align = q->in_size = q->in2_size = 8;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_batch_numbers(gp__checking *k) {
  return k->c->count >> GP__BATCH_LOG2_MOST
      ? gp__fail(GP_E_SIZE, "%s: @count is %llu, not below 2^%d", k->who, (gp__u64)k->c->count, GP__BATCH_LOG2_MOST)
      : GP_SUCCESS;
}
GP__HOST gp_result gp__batch_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  b->in_name = "in (sources)";
  b->in2_name = "in2 (destinations)";
  b->begin = k->q->count;
  b->begin_wanted = 1;
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_batch[GP__CHECKS] = {{GP__CHECK_TYPES, gp__check_batch_types},
    {GP__CHECK_NUMBERS, gp__check_batch_numbers}, {GP__CHECK_BUFFERS, gp__batch_buffers}};
