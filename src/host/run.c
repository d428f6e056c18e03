// host/run.c - runs a checked request; its operands and operator
// uses: api/config.h, api/lists.h, core/words.h, core/rules.h, core/messages.c, core/request.c, host/types.c,
//   host/user.c, host/values.c, host/operators.c, host/call.c, sort/host.c, core/primitive.c

// Sets elements, as operands or as results of a unary operator. of: the member of gp_call that names the operator.
static gp_result gp__host_take(
    gp__host_call *h, gp_type to, size_t size, gp_op unary, const gp__op_info *user, int normalise, const char *of) {
  const gp__request *q = h->q;
  const char *call = gp__host_call_name(q->primitive);
  const int numbers = gp__host_size(q->in_type) && gp__host_size(to);
  if (!user && q->in_type != to && !numbers)
    return gp__fail(GP_E_TYPE, "%s: @in_type: cannot convert between a struct type and another type", call);
  if (!user && unary && unary != GP_CONVERT && !numbers)
    return gp__fail(GP_E_OPERATOR, "%s: @%s: a built-in operator does not work on struct types", call, of);
  h->in = gp__host_source_of(q->in, q->in_type, q->in_size, to, size, unary, user, normalise);
  return GP_SUCCESS;
}
// Sets the binary operator.
static gp_result gp__host_take_operator(gp__host_call *h, gp_type to, size_t size) {
  const gp__request *q = h->q;
  h->op.size = size;
  h->op.user = q->user_op;
  if (q->user_op) {
    const gp__host_loops loops = {gp__host_user_map, gp__host_user_fold, gp__host_user_scan, gp__host_user_pairs};
    h->op.loops = loops;
    h->op.commutative = q->user_op->commutative;
    h->op.identity = q->user_op->host_identity;
  } else if (q->is_arg) {
    const int64_t none = -1;
    gp__host_find_loops(&h->op, q->op == GP_ARGMIN ? GP_MIN : GP_MAX, to);
    h->op.exact = h->op.commutative = 1;
    gp__host_identity(q->op, q->acc_type, h->op.identity.bytes);
    memcpy(h->op.identity.bytes + 8, &none, sizeof none);
  } else {
    if (!gp__host_find_loops(&h->op, q->op, to))
      return gp__fail(
          GP_E_OPERATOR, "%s: @op: this operator does not work on this type", gp__host_call_name(q->primitive));
    h->op.commutative = 1;
    h->op.exact = !h->op.loops.pairs;
    gp__host_identity(q->op, to, h->op.identity.bytes);
  }
  return GP_SUCCESS;
}
// Sets the operands of a fold, its operator and its initial value.
static gp_result gp__host_take_fold(gp__host_call *h, int exclusive) {
  const gp__request *q = h->q;
  const gp_type to = q->acc_type;
  const size_t size = q->is_arg ? gp__host_size(to) : q->acc_size;
  const int normalise = gp__host_normalises(q->op, q->user_op, to);
  gp_result result = gp__host_take(h, to, size, q->transform, q->user_transform, normalise, "transform");
  if (result == GP_SUCCESS) result = gp__host_take_operator(h, to, size);
  if (result != GP_SUCCESS) return result;
  h->exclusive = exclusive;
  h->out_converts = !q->is_arg && to != q->out_type;
  if (h->out_converts && (!gp__host_size(to) || !gp__host_size(q->out_type)))
    return gp__fail(GP_E_TYPE, "%s: @out_type: cannot convert between a struct type and another type",
        gp__host_call_name(q->primitive));
  h->init = q->init;
  if (normalise && q->has_init) gp__host_truth(to, to, 1, q->init.bytes, h->init.bytes, 1);
  return GP_SUCCESS;
}

// Runs a checked request on host pointers. threads: 0 for as many as OpenMP offers.
GP__HOST gp_result gp__host_run(const gp__request *q, int threads) {
  gp__host_call h;
  memset(&h, 0, sizeof h);
  h.q = q;
  h.value_type = q->acc_type;
  h.out = (gp__u8 *)q->out;
  h.out_size = q->out_size;
  h.threads = 1;
  h.asked = threads;
#ifdef _OPENMP
  if (q->count > GP__HOST_PARALLEL_BYTES /
              (q->in_size > q->out_size ? q->in_size
                      : q->out_size ? q->out_size
                      : 1) ||
      q->segments > GP__HOST_PARALLEL_BYTES / 8)
    h.threads = threads > 0 ? threads : omp_get_max_threads();
#endif
  h.in.limit = h.in2.limit = (size_t)1 << 30;
  return gp__methods_of(q)->host(&h);
}
// Sorts keys by their lowest `bits` bits, 0: all, with values of `size` bytes, 0: none. in: NULL for indices.
static gp_result gp__host_sort_by(gp_type type, int bits, uint64_t count, const void *keys, const void *in, size_t size,
    void *out_keys, void *out, int threads) {
  gp__request sort;
  memset(&sort, 0, sizeof sort);
  sort.primitive = GP_SORT;
  sort.key_type = type, sort.key_size = gp__host_size(type);
  sort.field_count = gp__key_parts_of(type, &sort.fields);
  sort.in_size = sort.out_size = size;
  sort.end_bit = bits ? bits : 8 * (int)sort.key_size;
  sort.keys = keys, sort.in = in, sort.out_keys = out_keys, sort.out = out;
  sort.count = count;
  return gp__host_run(&sort, threads);
}
