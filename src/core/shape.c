// core/shape.c - the shape of a call
// uses: api/context_types.h, api/structs.h, core/rules.h, core/shape.h, core/request.c, core/names.c, core/primitive.c,
//   core/check_call_types.c

// Shape of calls that move keys.
GP__HOST void gp__shape_keys(const gp__request *q, gp__shape *h) {
  h->key_size = (int)q->key_size;
  if (q->key_struct && !h->acc_size) h->acc_size = h->key_size; // struct keys do not sort by themselves
  h->count2 = q->count2;
  h->offset_size = (int)q->offset_size;
  h->segments = q->segments;
  h->in_misaligned = (int)(((uintptr_t)q->keys | q->row_bytes) % GP__VECTOR);
  h->exact = 1;
}
GP__HOST void gp__set_shape(const gp__request *q, gp__shape *h) {
  const gp__family *family = gp__methods_of(q);
  memset(h, 0, sizeof *h);
  h->primitive = q->primitive;
  h->in_size = (int)q->in_size;
  h->in2_size = (int)q->in2_size;
  h->acc_size = (int)q->acc_size;
  h->out_size = (int)q->out_size;
  h->in_misaligned = (int)((uintptr_t)q->in % GP__VECTOR);
  h->in_place = q->in && q->in == q->out;
  h->commutative = q->user_op ? q->user_op->commutative : q->op ? gp__op_rows[q->op].commutative : 0;
  h->exact = gp__any_order(q);
  h->count = q->count;
  if (family->shape) family->shape(q, h);
  else h->out_misaligned = (int)((uintptr_t)q->out % GP__VECTOR);
  h->described = !q->fused ? 0
      : q->inputs.arrays || q->key_size || (q->in_size && !q->inputs.in) || (q->in2_size && !q->inputs.in2) ? 2
      : 1;
  h->reproducible = (q->flags & GP_REPRODUCIBLE) && !h->exact;
}
GP__HOST gp__shape gp__shape_of(const gp__request *q) {
  gp__shape h;
  gp__set_shape(q, &h);
  return h;
}
GP__HOST void gp__shape_on(gp__shape *h, const gp_description *a) {
  h->compute_capability = a->compute_capability;
  h->multiprocessors = a->multiprocessors;
  h->shared_bytes = a->shared_bytes_per_block;
}
