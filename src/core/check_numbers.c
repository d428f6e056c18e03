// core/check_numbers.c - checking a call: its numbers
// uses: api/lists.h, api/structs.h, api/call.h, core/words.h, core/rules.h, core/system.c, core/messages.c,
//   core/request.c, core/primitive.c, core/reads.c, core/checking.c, core/check_call_types.c

GP__HOST gp_result gp__check_numbers(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  q->count = q->stride = c->count;
  q->segments = c->segments | c->rows; // a primitive reads one of these
  q->length = c->segment_length | c->key_count | c->k | c->n;
  q->bins = c->bins;
  q->count2 = c->count2;
  if (!q->end_bit) { // a radix sort knows them from its types
    q->begin_bit = c->begin_bit;
    q->end_bit = c->begin_bit || c->end_bit ? c->end_bit : 8 * (int)q->key_size;
  }
  if (!q->field_count) q->field_count = c->field_count; // a sort may set its own
  q->channels = c->channels ? c->channels : 1;
  q->active = c->active ? c->active : q->channels;
  if (c->count2 > UINT64_MAX - c->count)
    return gp__fail(GP_E_SIZE, "%s: @count and @count2: their sum overflows, %llu + %llu", who, (gp__u64)c->count,
        (gp__u64)c->count2);
  if (c->segments == UINT64_MAX) return gp__fail(GP_E_SIZE, "%s: @segments is 2^64 - 1; it must be smaller", who);
  if (k->own[GP__CHECK_NUMBERS]) GP__CHECK(k->own[GP__CHECK_NUMBERS](k));
  if ((c->flags & GP_REPRODUCIBLE) && k->fold && !(k->traits & GP__REPRODUCES) && !gp__any_order(q))
    return gp__fail(GP_E_UNSUPPORTED,
        "%s: @flags: GP_REPRODUCIBLE: with this operator and type the result has the same bits on one "
        "device and policy only",
        who);
  return GP_SUCCESS;
}
