// layouts/calls.c - calls by name: layouts
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/array.h, api/call.h, core/words.h,
//   core/rules.h, core/system.c, core/messages.c, layouts/host.c, layouts/kinds.c, core/state.c, core/run.c,
//   map/calls.c

GP__API gp_result gp_convert_layout(gp_context *ctx, const gp_layout *from, const gp_layout *to, const void *in,
    uint64_t count, void *out, int flags, gp_stream stream) {
  gp_call c = gp__call(GP_CONVERT_LAYOUT, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_TYPE_DEFAULT, in, out, count);
  c.in_layout = from;
  c.out_layout = to;
  c.flags = flags;
  return gp__named(gp_run(ctx, &c, stream), "gp_convert_layout in_layout=from out_layout=to");
}
GP__HOST gp_result gp__check_array(const char *who, const gp_array *a, uint64_t layout) {
  const uint64_t width = layout & GP__WIDTH, unit = width > 16 ? width : 16;
  uint64_t count = 1;
  int d;
  if (layout & ~(GP__WIDTH | GP__AXES | GP__MEMORY) || !gp__is_order(layout))
    return gp__fail(GP_E_ARGUMENT, "%s: layout: its order is not 0, GP_TRANSPOSED or GP_AXES of each axis once", who);
  if (width != GP_SOA && width != GP_AOS && width % 16)
    return gp__fail(
        GP_E_ARGUMENT, "%s: layout: a block of %llu structs is not a multiple of 16 below 2^32", who, (gp__u64)width);
  if (a->size < 1 || a->packed < 1 || a->packed > a->size)
    return gp__fail(
        GP_E_ARGUMENT, "%s: size is %u, packed is %u: initialise the array with GP_ARRAY_OF", who, a->size, a->packed);
  for (d = 0; d < 4; ++d) {
    if (a->extent[d] && count > UINT64_MAX / a->extent[d])
      return gp__fail(GP_E_SIZE, "%s: the product of the extents overflows: %llu, %llu, %llu, %llu", who,
          (gp__u64)a->extent[0], (gp__u64)a->extent[1], (gp__u64)a->extent[2], (gp__u64)a->extent[3]);
    count *= a->extent[d];
  }
  if (count > UINT64_MAX - unit || (count + unit) > UINT64_MAX / a->size)
    return gp__fail(GP_E_SIZE, "%s: %llu structs of %u bytes overflow", who, (gp__u64)count, a->size);
  return GP_SUCCESS;
}
GP__API gp_result gp_array_check(const gp_array *array) {
  const char *who = "gp_array_check";
  uint64_t width, structs;
  if (!array) return gp__fail(GP_E_NULL, "%s: array is null", who);
  GP__CHECK(gp__check_array(who, array, array->layout));
  width = array->layout & GP__WIDTH;
  structs = array->extent[0] * array->extent[1] * array->extent[2] * array->extent[3];
  if (array->capacity < structs || array->capacity % (width > 16 ? width : 16))
    return gp__fail(GP_E_ARGUMENT, "%s: capacity is %llu: it must be whole blocks and at least %llu", who,
        (gp__u64)array->capacity, (gp__u64)structs);
  return (uintptr_t)array->base % 16
      ? gp__fail(GP_E_ALIGNMENT, "%s: base (%p) is not aligned to 16 bytes", who, array->base)
      : GP_SUCCESS;
}
GP__API gp_result gp_array_relayout(gp_array *array, uint64_t layout) {
  const char *who = "gp_array_relayout";
  if (!array) return gp__fail(GP_E_NULL, "%s: array is null", who);
  if (array->base && (array->layout ^ layout) & ~GP__MEMORY)
    return gp__fail(GP_E_ARGUMENT,
        "%s: layout: the array has memory (base is not null), so its layout is fixed: use "
        "gp_convert_layout to copy its structs to another array",
        who);
  GP__CHECK(gp__check_array(who, array, layout));
  array->layout = layout;
  if (array->base) return GP_SUCCESS;
  *array = gp__array_of(
      layout, array->extent[0], array->extent[1], array->extent[2], array->extent[3], array->size, array->packed);
  return GP_SUCCESS;
}
GP__API size_t gp_array_define(const char *name, const gp_array *array, char *option, size_t capacity) {
  const int length = snprintf(option, capacity, "-DGP_LAYOUT_%s=GP_USE(%lluull)", name ? name : "",
      (gp__u64)(array ? array->layout : GP_ANY_LAYOUT));
  return length > 0 ? (size_t)length : 0;
}
