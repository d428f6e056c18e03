// histogram/check.c - checking a call: histograms
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/words.h, core/rules.h, core/arguments.h,
//   core/system.c, core/messages.c, core/request.c, host/values.c, core/names.c, core/primitive.c, core/check_types.c,
//   core/checking.c, core/check_call_types.c, core/check_buffers.c

// Checks the types of counters and weights.
GP__HOST gp_result gp__check_histogram_types(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const int weights = c->in2 || c->in2_type;
  if (k->in.info) return gp__fail(GP_E_TYPE, "%s: @in_type is a struct type, not a built-in type", k->who);
  if (q->in_type == GP_BOOL || q->in_type == GP_E4M3 || q->in_type == GP_E5M2)
    return gp__fail(GP_E_TYPE, "%s: @in_type is %s: convert it, or count values by gp_count_if", k->who,
        gp__type_rows[q->in_type].name);
  GP__CHECK(gp__check_short(k->who, "in_type", q->in_type, "use gp_lower_bound and gp_group_by"));
  if (weights) {
    GP__CHECK(gp__check_in2_type(k, "in2_type (of weights)", c->in2_type ? c->in2_type : c->in_type));
    if (k->in2.info)
      return gp__fail(GP_E_TYPE, "%s: @in2_type (of weights) is a struct type, not a built-in type", k->who);
    GP__CHECK(gp__check_short(k->who, "in2_type (of weights)", q->in2_type, "convert them"));
  }
  if (c->out_type == GP_F32 || c->out_type == GP_F64) {
    if (!weights)
      return gp__fail(GP_E_TYPE, "%s: @out_type is %s: counters without weights (gp_call.in2) must be integers", k->who,
          gp__type_rows[c->out_type].name);
    q->out_type = c->out_type;
    if (c->flags & GP_REPRODUCIBLE)
      return gp__fail(GP_E_UNSUPPORTED,
          "%s: @flags: GP_REPRODUCIBLE: counters of %s have the same bits on one device and policy only; "
          "use integer counters",
          k->who, gp__type_rows[c->out_type].name);
    return gp__check_type(k->s, k->who, "out_type", q->out_type, &k->out);
  }
  GP__CHECK(gp__check_integer(k, "out_type (of counters)", c->out_type, 4, 8,
      "i32, u32, i64 or u64 (with weights, also f32 or f64)", &q->out_type, &k->out));
  return weights && !gp__is_integer(q->in2_type) && q->in2_type != GP_BOOL
      ? gp__fail(GP_E_TYPE, "%s: @in2_type: weights of %s need counters (@out_type) of f32 or f64", k->who,
            gp__type_rows[q->in2_type].name)
      : GP_SUCCESS;
}

GP__HOST gp_result gp__check_histogram_numbers(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const char *who = k->who;
  if (c->channels < 0) return gp__fail(GP_E_ARGUMENT, "%s: @channels is %d, below 0", who, c->channels);
  if (c->active < 0 || c->active > q->channels)
    return gp__fail(
        GP_E_ARGUMENT, "%s: @active is %d, not 1 to %d, the number of channels", who, c->active, q->channels);
  if (q->inputs.in && q->channels != 1)
    return gp__fail(
        GP_E_UNSUPPORTED, "%s: @channels is %d: described samples (GP_INPUT) have one channel", who, q->channels);
  if (!c->bins) return gp__fail(GP_E_ARGUMENT, "%s: @bins is 0", who);
  if (c->bins > INT32_MAX / (unsigned)q->active)
    return gp__fail(
        GP_E_SIZE, "%s: @bins: %llu bins times %d channels is 2^31 or more", who, (gp__u64)c->bins, q->active);
  if (c->count > UINT64_MAX / (unsigned)q->channels)
    return gp__fail(GP_E_SIZE, "%s: @count: %llu pixels of %d channels overflow", who, (gp__u64)c->count, q->channels);
  if (c->primitive == GP_HISTOGRAM_EVEN && (size_t)q->active > GP__VALUE_BYTES / q->in_size)
    return gp__fail(GP_E_ARGUMENT, "%s: @active is %d: a call takes bounds for at most %d channels of %s", who,
        q->active, (int)(GP__VALUE_BYTES / q->in_size), gp__type_rows[q->in_type].name);
  return GP_SUCCESS;
}
GP__HOST gp_result gp__histogram_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if (c->begin && c->bins + 1 > UINT64_MAX / (unsigned)q->active)
    return gp__fail(GP_E_SIZE, "%s: @bins: the boundaries of %d channels overflow", k->who, q->active);
  b->in *= (unsigned)q->channels;
  b->out = c->bins * (unsigned)q->active;
  if (c->primitive == GP_HISTOGRAM_EVEN) return GP_SUCCESS;
  b->begin = (c->bins + 1) * (unsigned)q->active;
  b->begin_name = "begin (boundaries)";
  b->begin_type = &k->in;
  b->begin_wanted = 1;
  return GP_SUCCESS;
}
// An integer, sign-extended to 64 bits; a float as a double.
GP__HOST uint64_t gp__integer_of(gp_type type, const gp__u8 *bytes) {
  uint64_t x = 0;
  const unsigned bits = 8 * gp__type_rows[type].size;
  memcpy(&x, bytes, gp__type_rows[type].size); // little-endian
  return *gp__type_rows[type].name == 'i' && bits < 64 && x >> (bits - 1) ? x | ~(uint64_t)0 << bits : x;
}
GP__HOST double gp__float_of(gp_type type, const gp__u8 *bytes) {
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
// Checks the ends of a channel's bins.
GP__HOST gp_result gp__check_ends(const gp__checking *k, int channel) {
  const gp__request *q = k->q;
  const gp__u8 *lower = q->init.bytes + (size_t)channel * q->in_size;
  const gp__u8 *upper = q->step.bytes + (size_t)channel * q->in_size;
  if (gp__is_integer(q->in_type)) {
    const uint64_t flip = *gp__type_rows[q->in_type].name == 'i' ? (uint64_t)1 << 63 : 0;
    const uint64_t a = gp__integer_of(q->in_type, lower) ^ flip, b = gp__integer_of(q->in_type, upper) ^ flip;
    return a < b ? GP_SUCCESS : gp__fail(GP_E_ARGUMENT, "%s: @lower is not below @upper (channel %d)", k->who, channel);
  } else {
    const double a = gp__float_of(q->in_type, lower), b = gp__float_of(q->in_type, upper);
    double width = b - a, scale = (double)q->bins / width;
    if (!(a < b))
      return gp__fail(GP_E_ARGUMENT, "%s: @lower (%g) is not below @upper (%g) (channel %d)", k->who, a, b, channel);
    if (q->in_type != GP_F64) {
      const float w = (float)b - (float)a, s = (float)q->bins / w;
      width = w, scale = s;
    }
    return width - width == 0 && scale - scale == 0
        ? GP_SUCCESS
        : gp__fail(GP_E_ARGUMENT, "%s: @lower and @upper: the width of the bins from %g to %g overflows (channel %d)",
              k->who, a, b, channel);
  }
}

GP__HOST gp_result gp__check_histogram_values(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  int i;
  if (c->primitive != GP_HISTOGRAM_EVEN) return GP_SUCCESS;
  const int floats = !gp__is_integer(q->in_type);
  if (floats && (!c->lower || !c->upper) && (k->pointers || c->lower || c->upper))
    return gp__fail(GP_E_NULL, "%s: @%s is null", k->who, c->lower ? "upper" : "lower");
  if (floats && !c->lower) return GP_SUCCESS;
  for (i = 0; i < q->active; ++i) {
    const size_t at = (size_t)i * q->in_size;
    // Integers without a bound: the lowest value, which as upper bound means one past the largest.
    const uint64_t lowest = *gp__type_rows[q->in_type].name == 'i' ? (uint64_t)1 << (8 * q->in_size - 1) : 0;
    memcpy(q->init.bytes + at, c->lower ? (const gp__u8 *)c->lower + at : (const gp__u8 *)&lowest, q->in_size);
    memcpy(q->step.bytes + at, c->upper ? (const gp__u8 *)c->upper + at : (const gp__u8 *)&lowest, q->in_size);
    if (c->upper) GP__CHECK(gp__check_ends(k, i));
  }
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_histogram[GP__CHECKS] = {{GP__CHECK_OUT_TYPE, gp__check_histogram_types},
    {GP__CHECK_NUMBERS, gp__check_histogram_numbers}, {GP__CHECK_BUFFERS, gp__histogram_buffers},
    {GP__CHECK_VALUES, gp__check_histogram_values}};
