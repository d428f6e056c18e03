// host/indices.c - common to segments, runs and selection
// uses: api/config.h, api/lists.h, core/arguments.h, core/request.c, host/types.c, host/values.c

// Moves one element; `to` may be `from`.
GP__INLINE void gp__host_move(unsigned char *to, const unsigned char *from, size_t size) {
  switch (size) {
  case 1:
    *to = *from;
    break;
  case 2:
    memmove(to, from, 2);
    break;
  case 4:
    memmove(to, from, 4);
    break;
  case 8:
    memmove(to, from, 8);
    break;
  default:
    memmove(to, from, size);
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

// y[i] = a[i] op b[i]; step 0: b[0] for all i.
static void gp__host_compare(
    gp_op op, gp__wide_kind kind, const gp__wide *a, const gp__wide *b, size_t step, unsigned char *y, size_t n) {
  size_t i;
#define GP__COMPARE(OP, member, relation) \
  case GP__PAIR(GP_##OP, member##_kind): \
    if (step) \
      for (i = 0; i < n; ++i) y[i] = a[i].member relation b[i].member; \
    else \
      for (i = 0; i < n; ++i) y[i] = a[i].member relation b->member; \
    break;
#define GP__COMPARES(member) \
  GP__COMPARE(EQUAL, member, ==) \
  GP__COMPARE(NOT_EQUAL, member, !=) \
  GP__COMPARE(LESS, member, <) \
  GP__COMPARE(LESS_EQUAL, member, <=) \
  GP__COMPARE(GREATER, member, >) \
  GP__COMPARE(GREATER_EQUAL, member, >=)
  enum { i_kind = GP__WIDE_I, u_kind = GP__WIDE_U, f_kind = GP__WIDE_F };
  switch (GP__PAIR(op, kind)) {
    GP__COMPARES(i)
    GP__COMPARES(u)
    GP__COMPARES(f)
  default:
    memset(y, 0, n);
  }
#undef GP__COMPARE
#undef GP__COMPARES
}

// truth[i] = whether op holds for elements x[i] and z[i] (step 0: z[0] for all i); n <= GP__HOST_ELEMENTS. z is NULL
// for a user's unary operator, whose result is one byte.
static void gp__host_holds(gp_op op, const gp__op_info *user, gp_type type, size_t size, const unsigned char *x,
    const unsigned char *z, size_t step, unsigned char *truth, size_t n) {
  gp__wide a[GP__HOST_ELEMENTS], b[GP__HOST_ELEMENTS];
  size_t i;
  if (user) {
    gp__value result;
    for (i = 0; i < n; ++i) {
      gp__host_apply(user, result.bytes, x + i * size, z ? z + i * step * size : NULL);
      truth[i] = result.bytes[0] != 0;
    }
  } else if (gp__is_complex(type)) { // a is 0 where they are equal
    gp__wide p[2], q[2];
    for (i = 0; i < n; ++i) {
      gp__host_widen(gp__host_real(type), x + i * size, p, 2);
      gp__host_widen(gp__host_real(type), z + i * step * size, q, 2);
      a[i].i = !(p[0].f == q[0].f && p[1].f == q[1].f);
    }
    b->i = 0;
    gp__host_compare(op, GP__WIDE_I, a, b, 0, truth, n);
  } else if (gp__host_is_long(type)) { // a is -1, 0 or 1 as x is below, equal to or above z
    for (i = 0; i < n; ++i) {
      const gp__h_u128 p = ((const gp__h_u128 *)x)[i], q = ((const gp__h_u128 *)z)[i * step];
      const gp__h_u128 flip = type == GP_I128 ? (gp__u128)1 << 127 : 0;
      a[i].i = ((p ^ flip) > (q ^ flip)) - ((p ^ flip) < (q ^ flip));
    }
    b->i = 0;
    gp__host_compare(op, GP__WIDE_I, a, b, 0, truth, n);
  } else {
    gp__host_widen(type, x, a, n);
    gp__host_widen(type, z, b, step ? n : 1);
    gp__host_compare(op, gp__host_kind(type), a, b, step, truth, n);
  }
}
