// host/indices.c - common to segments, runs and selection
// uses: api/config.h, api/lists.h, core/words.h, core/arguments.h, core/request.c, host/types.c, host/values.c

// Moves one element; `to` may be `from`.
GP__INLINE void gp__host_move(gp__u8 *to, const gp__u8 *from, size_t size) {
  switch (size) {
  case 1: *to = *from; break;
  case 2: memmove(to, from, 2); break;
  case 4: memmove(to, from, 4); break;
  case 8: memmove(to, from, 8); break;
  default: memmove(to, from, size);
  }
}

// Offsets, indices and lengths: unsigned, 4 or 8 bytes.
GP__INLINE uint64_t gp__host_offset(const void *offsets, size_t size, uint64_t i) {
  return size == 4 ? ((const gp__h_u32 *)offsets)[i] : ((const gp__h_u64 *)offsets)[i];
}
GP__INLINE void gp__host_put_index(void *out, size_t size, uint64_t i, uint64_t value) {
  if (size == 4) ((gp__h_u32 *)out)[i] = (gp__h_u32)value;
  else ((gp__h_u64 *)out)[i] = value;
}

// truth[i] = whether op holds for elements x[i] and z[i] (step 0: z[0] for all i); n <= GP__HOST_ELEMENTS. z is NULL
// for a user's unary operator, whose result is one byte.
static void gp__host_holds(gp_op op, const gp__op_info *user, gp_type type, size_t size, const gp__u8 *x,
    const gp__u8 *z, size_t step, gp__u8 *truth, size_t n) {
  gp__wide a[GP__HOST_ELEMENTS];
  const int equal = op == GP_EQUAL || op == GP_NOT_EQUAL, less = op == GP_LESS || op == GP_GREATER;
  const int swaps = op == GP_GREATER || op == GP_GREATER_EQUAL, flip = op == GP_NOT_EQUAL;
  const gp__value zero = {{0}};
  size_t i;
  if (user) {
    gp__value result;
    for (i = 0; i < n; ++i) {
      gp__host_apply(user, result.bytes, x + i * size, z ? z + i * step * size : NULL);
      truth[i] = result.bytes[0] != 0;
    }
  } else if (gp__is_complex(type) || gp__host_is_long(type)) { // a is to 0 as x is to z
    for (i = 0; i < n; ++i) {
      if (gp__host_is_long(type)) {
        const gp__h_u128 p = ((const gp__h_u128 *)x)[i], q = ((const gp__h_u128 *)z)[i * step];
        const gp__h_u128 flip = type == GP_I128 ? (gp__u128)1 << 127 : 0;
        a[i].i = ((p ^ flip) > (q ^ flip)) - ((p ^ flip) < (q ^ flip));
      } else {
        gp__wide p[2], q[2];
        gp__host_widen(gp__host_real(type), x + i * size, p, 2);
        gp__host_widen(gp__host_real(type), z + i * step * size, q, 2);
        a[i].i = p[0].f != q[0].f || p[1].f != q[1].f;
      }
    }
    gp__host_holds(op, NULL, GP_I64, 8, (const gp__u8 *)a, zero.bytes, 0, truth, n);
  } else {
#define GP__HOLDS(NAME, name, member, LOAD) \
  case GP_##NAME: { \
    const gp__h_##name *p = (const gp__h_##name *)x, *q = (const gp__h_##name *)z, *s = q; \
    gp__h_##name *same = (gp__h_##name *)a; \
    for (i = 0; !step && i < n; ++i) same[i] = *s; \
    if (!step) q = same; \
    if (swaps) s = p, p = q, q = s; \
    if (equal) \
      for (i = 0; i < n; ++i) truth[i] = (gp__u8)((LOAD(p[i]) == LOAD(q[i])) ^ flip); \
    else if (less) \
      for (i = 0; i < n; ++i) truth[i] = LOAD(p[i]) < LOAD(q[i]); \
    else \
      for (i = 0; i < n; ++i) truth[i] = LOAD(p[i]) <= LOAD(q[i]); \
    break; \
  }
    switch (type) {
      GP__HOST_NUMBERS(GP__HOLDS)
    default: break;
    }
#undef GP__HOLDS
  }
}
