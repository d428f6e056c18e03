// core/check_values.c - checking a call: its values in host memory
// uses: api/config.h, api/lists.h, api/call.h, top_k/policy.h, core/system.c, core/messages.c, core/request.c,
//   host/values.c, core/names.c, core/kinds.c, core/check_types.c, core/reads.c, core/checking.c, core/check_buffers.c

// An integer, with its sign, as 64 bits; a float as a double.
GPUPRIMS__PRIVATE uint64_t gp__integer_of(gp_type type, const unsigned char *bytes) {
  uint64_t x = 0;
  const unsigned bits = 8 * gp__type_rows[type].size;
  memcpy(&x, bytes, gp__type_rows[type].size); // little-endian
  return *gp__type_rows[type].name == 'i' && bits < 64 && x >> (bits - 1) ? x | ~(uint64_t)0 << bits : x;
}
GPUPRIMS__PRIVATE double gp__float_of(gp_type type, const unsigned char *bytes) {
  uint16_t half;
  float single;
  double x;
  memcpy(&half, bytes, sizeof half);
  if (type == GP_F16) return gp__host_f16_load(half);
  if (type == GP_BF16) return gp__host_bf16_load(half);
  memcpy(&single, bytes, sizeof single);
  if (type == GP_F32) return single;
  memcpy(&x, bytes, sizeof x);
  return x;
}

// The two ends of the bins of a channel.
GPUPRIMS__PRIVATE gp_result gp__check_ends(const gp__checking *k, int channel) {
  const gp__request *q = k->q;
  const unsigned char *lower = q->init.bytes + (size_t)channel * q->in_size;
  const unsigned char *upper = q->step.bytes + (size_t)channel * q->in_size;
  if (gp__is_integer(q->in_type)) {
    const uint64_t flip = *gp__type_rows[q->in_type].name == 'i' ? (uint64_t)1 << 63 : 0;
    const uint64_t a = gp__integer_of(q->in_type, lower) ^ flip, b = gp__integer_of(q->in_type, upper) ^ flip;
    return a < b
               ? GP_SUCCESS
               : gp__fail(GP_E_ARGUMENT, "%s: @init and @step: lower is not below upper (channel %d)", k->who, channel);
  } else {
    const double a = gp__float_of(q->in_type, lower), b = gp__float_of(q->in_type, upper);
    double width = b - a, scale = (double)q->bins / width;
    if (!(a < b))
      return gp__fail(GP_E_ARGUMENT, "%s: @init and @step: lower (%g) is not below upper (%g) (channel %d)", k->who, a,
                      b, channel);
    if (q->in_type != GP_F64) {
      const float w = (float)b - (float)a, s = (float)q->bins / w;
      width = w, scale = s;
    }
    return width - width == 0 && scale - scale == 0
               ? GP_SUCCESS
               : gp__fail(GP_E_ARGUMENT,
                          "%s: @init and @step: the width of the bins from %g to %g overflows (channel %d)", k->who, a,
                          b, channel);
  }
}

GPUPRIMS__PRIVATE gp_result gp__check_values(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  int i;
  GPUPRIMS__CHECK(gp__check_value_place(k, "init", c->init));
  GPUPRIMS__CHECK(gp__check_value_place(k, "step", c->step));
  if (c->primitive == GP_FILL && !c->init && k->pointers)
    return gp__fail(GP_E_NULL, "%s: @init (value) is null", k->who);
  q->has_init = c->init != NULL;
  if (c->primitive == GP_HISTOGRAM_EVEN) {
    const int floats = !gp__is_integer(q->in_type);
    if (floats && (!c->init || !c->step) && (k->pointers || c->init || c->step))
      return gp__fail(GP_E_NULL, "%s: @%s is null", k->who, c->init ? "step (upper)" : "init (lower)");
    if (floats && !c->init) return GP_SUCCESS;
    for (i = 0; i < q->active; ++i) {
      const size_t at = (size_t)i * q->in_size;
      // Integers without an end: the lowest value, also as one more than the largest.
      const uint64_t lowest = *gp__type_rows[q->in_type].name == 'i' ? (uint64_t)1 << (8 * q->in_size - 1) : 0;
      memcpy(q->init.bytes + at, c->init ? (const unsigned char *)c->init + at : (const unsigned char *)&lowest,
             q->in_size);
      memcpy(q->step.bytes + at, c->step ? (const unsigned char *)c->step + at : (const unsigned char *)&lowest,
             q->in_size);
      if (c->step) GPUPRIMS__CHECK(gp__check_ends(k, i));
    }
    return GP_SUCCESS;
  }
  if (c->primitive == GP_SHUFFLE) { // the keys of its rounds
    uint64_t seed = 0;
    if (c->init) memcpy(&seed, c->init, sizeof seed);
    for (i = 0; i < GP__SHUFFLE_ROUNDS; ++i) {
      const uint32_t key = gp__shuffle_key(seed, i);
      memcpy(q->init.bytes + 4 * i, &key, sizeof key);
    }
    return GP_SUCCESS;
  }
  if (c->init)
    memcpy(q->init.bytes, c->init, k->fold ? q->acc_size : gp__is_predicated(c->primitive) ? q->in_size : q->out_size);
  if (c->step) memcpy(q->step.bytes, c->step, c->primitive == GP_PARTITION ? q->in_size : q->out_size);
  else if (c->primitive == GP_IOTA) gp__one(q->out_type, &q->step);
  return GP_SUCCESS;
}
