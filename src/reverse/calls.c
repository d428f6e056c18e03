// reverse/calls.c - calls by name: reverse, swap, rotate, shift
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, core/words.h, core/rules.h,
//   core/messages.c, reverse/kinds.c, core/state.c, core/types.c, core/run.c, map/calls.c

GP__API gp_result gp_reverse(
    gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out, gp_stream stream) {
  const gp_call c = gp__call(GP_REVERSE, GP_OP_DEFAULT, type, GP_TYPE_DEFAULT, in, out, count);
  return gp__named(gp_run(ctx, &c, stream), "gp_reverse in_type=type");
}
GP__API gp_result gp_swap(gp_context *ctx, gp_type type, void *a, void *b, uint64_t count, gp_stream stream) {
  gp_call c = gp__call(GP_SWAP, GP_OP_DEFAULT, GP_TYPE_DEFAULT, type, NULL, a, count);
  c.out3 = b;
  return gp__named(gp_run(ctx, &c, stream), "gp_swap out_type=type out=a out3=b");
}

// Reverses all of the array, then two parts of it: elements before `middle` and those from it on, each from `first` and
// up to `end`.
GP__HOST gp_result gp__reverse_parts(gp_context *ctx, gp_type type, void *data, uint64_t count, uint64_t first,
    uint64_t middle, uint64_t end, gp_stream stream, const char *names) {
  gp_result result = gp_reverse(ctx, type, data, count, data, stream);
  if (result == GP_SUCCESS) {
    const size_t size = gp_type_size(ctx, type);
    gp__u8 *at = (gp__u8 *)data + first * size, *from = (gp__u8 *)data + middle * size;
    result = gp_reverse(ctx, type, at, middle - first, at, stream);
    if (result == GP_SUCCESS) result = gp_reverse(ctx, type, from, end - middle, from, stream);
  }
  return gp__named(result, names);
}
GP__API gp_result gp_rotate(
    gp_context *ctx, gp_type type, void *data, uint64_t count, uint64_t first, gp_stream stream) {
  if (first > count)
    return gp__fail(GP_E_ARGUMENT, "gp_rotate: first is %llu, beyond count, %llu", (gp__u64)first, (gp__u64)count);
  return gp__reverse_parts(
      ctx, type, data, count, 0, count - first, count, stream, "gp_rotate in_type=type in=data out=data");
}
GP__API gp_result gp_shift(
    gp_context *ctx, gp_type type, void *data, uint64_t count, uint64_t by, int flags, gp_stream stream) {
  const uint64_t kept = by < count ? count - by : 0, first = flags ? count - kept : 0;
  if (flags & ~GP_RIGHT) return gp__fail(GP_E_ARGUMENT, "gp_shift: flags has unknown bits: %#x", flags);
  return gp__reverse_parts(
      ctx, type, data, count, first, first, first + kept, stream, "gp_shift in_type=type in=data out=data");
}
