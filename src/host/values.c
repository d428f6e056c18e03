// host/values.c - values: floats, widening, conversion, unary operators
// uses: api/config.h, api/lists.h, core/words.h, core/rules.h, core/f8.h, core/shape.h, host/types.c

GP__INLINE uint32_t gp__host_bits32(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
GP__INLINE float gp__host_float(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}

GP__INLINE float gp__host_f16_load(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000) << 16, m = h & 0x7fffu;
  const uint32_t normal = (m << 13) + (m >= 0x7c00u ? 224u << 23 : 112u << 23);
  const uint32_t tiny = gp__host_bits32((float)(int32_t)m * 5.9604644775390625e-8f); // m * 2^-24, below 2^-14
  return gp__host_float(sign | (m < 0x400u ? tiny : normal));
}
GP__INLINE uint16_t gp__host_f16_store(float x) { // to nearest even
  const uint32_t u = gp__host_bits32(x), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
  const uint32_t normal = (a - (112u << 23) + 0xfffu + (a >> 13 & 1u)) >> 13;
  const uint32_t tiny = gp__host_bits32(gp__host_float(a) + 0.5f) - 0x3f000000u; // the sum rounds at 2^-24
  const uint32_t special = a > 0x7f800000u ? 0x7fffu : 0x7c00u;
  return (uint16_t)(sign | (a >= 0x47800000u ? special : a < 0x38800000u ? tiny : normal));
}
GP__INLINE float gp__host_bf16_load(uint16_t h) { return gp__host_float((uint32_t)h << 16); }
GP__INLINE uint16_t gp__host_bf16_store(float x) { // to nearest even
  const uint32_t u = gp__host_bits32(x);
  return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : (u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}
#define GP__HOST_F8(name, wide, scale) \
  GP__INLINE float gp__host_##name##_load(uint8_t x) { return gp__host_f16_load(gp__f16_of_f8(x, wide)) * scale; } \
  GP__INLINE uint8_t gp__host_##name##_store(float x) { return gp__f8_from(gp__host_bits32(x), wide); }
GP__HOST_F8(e4m3, 0, 256)
GP__HOST_F8(e5m2, 1, 1)
GP__INLINE uint8_t gp__host_bool_load(uint8_t x) { return x != 0; }
// double to float, rounded to odd: a second rounding, to a half type, then gives the same as a single one.
GP__INLINE float gp__host_to_odd(double x) {
  const float f = (float)x;
  const double back = f;
  const uint32_t below = (back < x) ? 1 : 0, above = (back > x) ? 1 : 0, away = (x < 0) ? below : above;
  return gp__host_float((gp__host_bits32(f) - away) | below | above);
}

// A product on its own: the compiler must not fuse it with a sum.
GP__INLINE float gp__host_product_f32(float a, float b) {
  float x = a * b;
  __asm__("" : "+m"(x));
  return x;
}
GP__INLINE double gp__host_product_f64(double a, double b) {
  double x = a * b;
  __asm__("" : "+m"(x));
  return x;
}
GP__INLINE double gp__host_sqrt(double x) { // without libm, which the call of the builtin may need
#if defined(__x86_64__)
  __asm__("sqrtsd %0, %0" : "+x"(x));
#elif defined(__aarch64__)
  __asm__("fsqrt %d0, %d0" : "+w"(x));
#else
  x = __builtin_sqrt(x);
#endif
  return x;
}
// Operators on complex numbers, as gp_complex has them.
#define GP__HOST_COMPLEX(c, F, f) \
  GP__INLINE gp__h_##c gp__host_##c(F re, F im) { \
    gp__h_##c r; \
    r.re = re, r.im = im; \
    return r; \
  } \
  GP__INLINE gp__h_##c gp__host_add_##c(gp__h_##c a, gp__h_##c b) { return gp__host_##c(a.re + b.re, a.im + b.im); } \
  GP__INLINE gp__h_##c gp__host_subtract_##c(gp__h_##c a, gp__h_##c b) { \
    return gp__host_##c(a.re - b.re, a.im - b.im); \
  } \
  GP__INLINE gp__h_##c gp__host_multiply_##c(gp__h_##c a, gp__h_##c b) { \
    return gp__host_##c(gp__host_product_##f(a.re, b.re) - gp__host_product_##f(a.im, b.im), \
        gp__host_product_##f(a.re, b.im) + gp__host_product_##f(a.im, b.re)); \
  }
GP__HOST_COMPLEX(c32, float, f32)
GP__HOST_COMPLEX(c64, double, f64)
GP__INLINE double gp__host_magnitude(gp_type type, double re, double im) { // see gp__magnitude_of
  const double x = re < 0 ? -re : re, y = im < 0 ? -im : im, infinite = 1e308 * 10;
  const double large = x > y ? x : y, small = x > y ? y : x, r = small / large;
  if (x == infinite || y == infinite) return infinite;
  if (type == GP_C32) return (float)gp__host_sqrt(gp__host_product_f64(x, x) + gp__host_product_f64(y, y));
  return small == 0 ? large + small : large * gp__host_sqrt(1 + gp__host_product_f64(r, r));
}

// An element in the widest type of its kind.
typedef union gp__wide {
  int64_t i;
  uint64_t u;
  double f;
} gp__wide;
typedef enum gp__wide_kind { GP__WIDE_I, GP__WIDE_U, GP__WIDE_F } gp__wide_kind;

GP__INLINE gp__wide_kind gp__host_kind(gp_type type) {
  return (type >= GP_F16 && type <= GP_F64) || type == GP_E4M3 || type == GP_E5M2 ? GP__WIDE_F
      : type == GP_U8 || type == GP_U16 || type == GP_U32 || type == GP_U64 || type == GP_BOOL ? GP__WIDE_U
      : GP__WIDE_I;
}
GP__INLINE size_t gp__host_size(gp_type type) {
#define GP__SIZE(NAME, value, name, device, size) size,
  static const gp__u8 sizes[] = {0, GP_TYPES(GP__SIZE)};
#undef GP__SIZE
  return type > 0 && type < GP_TYPE_COUNT ? sizes[type] : 0;
}

// The unsigned type of a size, for elements that are moved.
GP__HOST gp_type gp__bits_type(size_t size) {
  return size == 1 ? GP_U8 : size == 2 ? GP_U16 : size == 4 ? GP_U32 : size == 8 ? GP_U64 : GP_U128;
}
// X(NAME, name, the member of gp__wide, the conversion of an element to a number)
#define GP__HOST_NUMBERS(X) \
  X(I8, i8, i, ) \
  X(U8, u8, u, ) \
  X(I16, i16, i, ) \
  X(U16, u16, u, ) \
  X(I32, i32, i, ) \
  X(U32, u32, u, ) \
  X(I64, i64, i, ) \
  X(U64, u64, u, ) \
  X(F16, f16, f, gp__host_f16_load) \
  X(BF16, bf16, f, gp__host_bf16_load) \
  X(F32, f32, f, ) \
  X(F64, f64, f, ) \
  X(BOOL, bool, u, gp__host_bool_load) \
  X(E4M3, e4m3, f, gp__host_e4m3_load) \
  X(E5M2, e5m2, f, gp__host_e5m2_load)
// Types of 16 bytes, which have no gp__wide.
#define GP__HOST_LONGS(X) \
  X(I128, i128, , ) \
  X(U128, u128, , )
GP__INLINE int gp__is_complex(gp_type type) { return type == GP_C32 || type == GP_C64; }
GP__INLINE gp_type gp__host_real(gp_type type) { return type == GP_C32 ? GP_F32 : GP_F64; } // of a complex type
// Sums of these have f32 accumulators.
GP__INLINE int gp__is_small_float(gp_type type) { return gp__host_kind(type) == GP__WIDE_F && gp__host_size(type) < 4; }
GP__INLINE int gp__host_is_long(gp_type type) { return type == GP_I128 || type == GP_U128; }
static void gp__host_widen(gp_type type, const void *in, gp__wide *w, size_t n) {
  size_t i;
#define GP__WIDEN(NAME, name, member, LOAD) \
  case GP_##NAME: { \
    const gp__h_##name *x = (const gp__h_##name *)in; \
    for (i = 0; i < n; ++i) w[i].member = LOAD(x[i]); \
    break; \
  }
  switch (type) {
    GP__HOST_NUMBERS(GP__WIDEN)
  default: break;
  }
#undef GP__WIDEN
}

// A float to an integer: toward zero, saturated, NaN to 0. `above` is the first value beyond the type.
#define GP__SATURATE(x, T, LOWEST, HIGHEST, above) \
  ((x) >= (above) ? (HIGHEST) : (x) > (double)(LOWEST) ? (T)(x) : (x) == (x) ? (LOWEST) : (T)0)

static void gp__host_narrow(gp_type type, gp__wide_kind kind, const gp__wide *w, void *out, size_t n) {
  size_t i;
#define GP__TO(name, member, CONVERT) \
  { \
    gp__h_##name *y = (gp__h_##name *)out; \
    for (i = 0; i < n; ++i) y[i] = (gp__h_##name)CONVERT(w[i].member); \
  }
#define GP__SATURATES(NAME, name, LOWEST, HIGHEST, above) \
  case GP_##NAME: { \
    gp__h_##name *y = (gp__h_##name *)out; \
    for (i = 0; i < n; ++i) y[i] = GP__SATURATE(w[i].f, gp__h_##name, LOWEST, HIGHEST, above); \
    return; \
  }
#define GP__WRAPS(SIGNED, UNSIGNED, name) \
  case GP_##SIGNED: \
  case GP_##UNSIGNED: \
    GP__TO(name, u, ) \
    break;
#define GP__TO_FLOAT(NAME, name, CONVERT) \
  case GP_##NAME: \
    if (kind == GP__WIDE_I) GP__TO(name, i, CONVERT) \
    else if (kind == GP__WIDE_U) GP__TO(name, u, CONVERT) \
    else GP__TO(name, f, CONVERT) \
    break;
#define GP__TO_ODD(x) (gp__host_to_odd((double)(x)))
  if (kind == GP__WIDE_F) switch (type) {
      GP__SATURATES(I8, i8, INT8_MIN, INT8_MAX, 128.0)
      GP__SATURATES(U8, u8, 0, UINT8_MAX, 256.0)
      GP__SATURATES(I16, i16, INT16_MIN, INT16_MAX, 32768.0)
      GP__SATURATES(U16, u16, 0, UINT16_MAX, 65536.0)
      GP__SATURATES(I32, i32, INT32_MIN, INT32_MAX, 2147483648.0)
      GP__SATURATES(U32, u32, 0, UINT32_MAX, 4294967296.0)
      GP__SATURATES(I64, i64, INT64_MIN, INT64_MAX, 9223372036854775808.0)
      GP__SATURATES(U64, u64, 0, UINT64_MAX, 18446744073709551616.0)
    default: break;
    }
  if (gp__is_complex(type)) { // imaginary part 0
    const size_t size = gp__host_size(type);
    memset(out, 0, n * size);
    for (i = 0; i < n; ++i) gp__host_narrow(gp__host_real(type), kind, w + i, (gp__u8 *)out + i * size, 1);
    return;
  }
  if (type == GP_I128 || type == GP_U128) {
    const gp__u128 top = (gp__u128)1 << 127;
    gp__h_u128 *y = (gp__h_u128 *)out;
    for (i = 0; i < n; ++i) {
      const double x = w[i].f;
      y[i] = kind == GP__WIDE_I ? (gp__u128)w[i].i
          : kind == GP__WIDE_U ? w[i].u
          : x != x ? 0
          : type == GP_I128 ? (x >= (double)top           ? top - 1
                                           : x <= -(double)top ? top
                                           : x < 0 ? 0 - (gp__u128)-x
                                           : (gp__u128)x)
          : x >= 2 * (double)top ? ~(gp__u128)0
          : x <= 0 ? 0
          : (gp__u128)x;
    }
    return;
  }
  switch (type) {
  case GP_BOOL: // NaN is true
    for (i = 0; i < n; ++i) ((gp__h_u8 *)out)[i] = kind == GP__WIDE_F ? w[i].f != 0 : w[i].u != 0;
    break;
    GP__WRAPS(I8, U8, u8)
    GP__WRAPS(I16, U16, u16)
    GP__WRAPS(I32, U32, u32)
    GP__WRAPS(I64, U64, u64)
    GP__TO_FLOAT(F16, f16, gp__host_f16_store GP__TO_ODD)
    GP__TO_FLOAT(BF16, bf16, gp__host_bf16_store GP__TO_ODD)
    GP__TO_FLOAT(E4M3, e4m3, gp__host_e4m3_store GP__TO_ODD)
    GP__TO_FLOAT(E5M2, e5m2, gp__host_e5m2_store GP__TO_ODD)
    GP__TO_FLOAT(F32, f32, (float))
    GP__TO_FLOAT(F64, f64, (double))
  default: break;
  }
#undef GP__TO
#undef GP__SATURATES
#undef GP__WRAPS
#undef GP__TO_FLOAT
}

// From i128 and u128: to float in one rounding, to others through 64 bits or a double.
static void gp__host_convert_long(gp_type from, gp_type to, const void *in, void *out, size_t n) {
  const gp__h_u128 *x = (const gp__h_u128 *)in;
  const size_t size = gp__host_size(to);
  size_t i;
  if (gp__host_is_long(to)) memmove(out, in, n * sizeof *x);
  else
    for (i = 0; i < n; ++i) {
      const gp__h_u128 u = x[i];
      const gp__h_i128 s = (gp__h_i128)u;
      const int is_signed = from == GP_I128, floats = gp__host_kind(to) == GP__WIDE_F;
      gp__wide w;
      if (to == GP_F32) {
        ((gp__h_f32 *)out)[i] = is_signed ? (float)s : (float)u;
        continue;
      }
      if (floats) w.f = is_signed ? (double)s : (double)u;
      else w.u = to == GP_BOOL ? u != 0 : (uint64_t)u;
      gp__host_narrow(to, floats ? GP__WIDE_F : GP__WIDE_U, &w, (gp__u8 *)out + i * size, 1);
    }
}

static void gp__host_convert(gp_type from, gp_type to, const void *in, void *out, size_t n);
static void gp__host_truth(gp_type from, gp_type to, int truth, const void *in, void *out, size_t n);
// To and from complex numbers.
static void gp__host_convert_complex(gp_type from, gp_type to, const void *in, void *out, size_t n) {
  const size_t from_size = gp__host_size(from), to_size = gp__host_size(to);
  const int from_complex = gp__is_complex(from);
  const gp_type part = from_complex ? gp__host_real(from) : from;
  size_t i;
  if (from_complex && gp__is_complex(to)) gp__host_convert(part, gp__host_real(to), in, out, 2 * n);
  else if (to == GP_BOOL) gp__host_truth(from, to, 1, in, out, n);
  else {
    const gp_type real = from_complex ? to : gp__host_real(to);
    if (!from_complex) memset(out, 0, n * to_size);
    for (i = 0; i < n; ++i)
      gp__host_convert(part, real, (const gp__u8 *)in + i * from_size, (gp__u8 *)out + i * to_size, 1);
  }
}

// CONVERT. `out` may be `in` if the sizes are equal and n is at most GP__HOST_ELEMENTS.
static void gp__host_convert(gp_type from, gp_type to, const void *in, void *out, size_t n) {
  gp__wide w[GP__HOST_ELEMENTS];
  size_t i, k, from_size = gp__host_size(from), to_size = gp__host_size(to);
#define GP__DIRECT(FROM, from_name, TO_TYPE, to_name, CONVERT) \
  if (from == GP_##FROM && to == GP_##TO_TYPE) { \
    const gp__h_##from_name *x = (const gp__h_##from_name *)in; \
    gp__h_##to_name *y = (gp__h_##to_name *)out; \
    for (i = 0; i < n; ++i) y[i] = CONVERT(x[i]); \
    return; \
  }
  GP__DIRECT(F16, f16, F32, f32, gp__host_f16_load) // the half types are summed in f32 by default
  GP__DIRECT(BF16, bf16, F32, f32, gp__host_bf16_load)
  GP__DIRECT(F32, f32, F16, f16, gp__host_f16_store)
  GP__DIRECT(F32, f32, BF16, bf16, gp__host_bf16_store)
#undef GP__DIRECT
  if (gp__is_complex(from) || gp__is_complex(to)) {
    gp__host_convert_complex(from, to, in, out, n);
    return;
  }
  if (gp__host_is_long(from)) {
    gp__host_convert_long(from, to, in, out, n);
    return;
  }
  for (i = 0; i < n; i += k) {
    k = gp__smaller(n - i, GP__HOST_ELEMENTS);
    gp__host_widen(from, (const gp__u8 *)in + i * from_size, w, k);
    gp__host_narrow(to, gp__host_kind(from), w, (gp__u8 *)out + i * to_size, k);
  }
}

// truth 1: 1 for an element other than zero, else 0; truth 0: the opposite. `out` may be `in` as above.
static void gp__host_truth(gp_type from, gp_type to, int truth, const void *in, void *out, size_t n) {
  gp__wide w[GP__HOST_ELEMENTS];
  size_t i, j, k, from_size = gp__host_size(from), to_size = gp__host_size(to);
  for (i = 0; i < n; i += k) {
    k = gp__smaller(n - i, GP__HOST_ELEMENTS);
    gp__host_widen(from, (const gp__u8 *)in + i * from_size, w, k);
    if (gp__is_complex(from)) {
      gp__wide p[2];
      for (j = 0; j < k; ++j) {
        gp__host_widen(gp__host_real(from), (const gp__u8 *)in + (i + j) * from_size, p, 2);
        w[j].u = (p[0].f != 0 || p[1].f != 0) == truth;
      }
    } else if (gp__host_is_long(from)) {
      const gp__h_u128 *x = (const gp__h_u128 *)in + i;
      for (j = 0; j < k; ++j) w[j].u = (x[j] != 0) == truth;
    } else if (gp__host_kind(from) == GP__WIDE_F)
      for (j = 0; j < k; ++j) w[j].u = (w[j].f != 0) == truth;
    else
      for (j = 0; j < k; ++j) w[j].u = (w[j].u != 0) == truth;
    gp__host_narrow(to, GP__WIDE_U, w, (gp__u8 *)out + i * to_size, k);
  }
}

// NEGATE, ABS, SQUARE in a type; `out` may be `in`.
static void gp__host_unary(gp_type type, gp_op op, const void *in, void *out, size_t n) {
  size_t i;
  if (gp__is_small_float(type)) {
    const size_t size = gp__host_size(type);
    gp__h_f32 w[GP__HOST_ELEMENTS];
    for (i = 0; i < n; i += GP__HOST_ELEMENTS) {
      const size_t k = gp__smaller(n - i, GP__HOST_ELEMENTS);
      gp__host_convert(type, GP_F32, (const gp__u8 *)in + i * size, w, k);
      gp__host_unary(GP_F32, op, w, w, k);
      gp__host_convert(GP_F32, type, w, (gp__u8 *)out + i * size, k);
    }
    return;
  }
  if (gp__is_complex(type)) { // ABS is elsewhere: its result is real
    if (op == GP_NEGATE) gp__host_unary(gp__host_real(type), op, in, out, 2 * n);
    else if (type == GP_C32)
      for (i = 0; i < n; ++i) {
        const gp__h_c32 a = ((const gp__h_c32 *)in)[i];
        ((gp__h_c32 *)out)[i] = gp__host_multiply_c32(a, a);
      }
    else
      for (i = 0; i < n; ++i) {
        const gp__h_c64 a = ((const gp__h_c64 *)in)[i];
        ((gp__h_c64 *)out)[i] = gp__host_multiply_c64(a, a);
      }
    return;
  }
#define GP__UNARY(OP, NAME, name, expression) \
  case GP__PAIR(GP_##OP, GP_##NAME): { \
    const gp__h_##name *x = (const gp__h_##name *)in; \
    gp__h_##name *y = (gp__h_##name *)out; \
    for (i = 0; i < n; ++i) { \
      const gp__h_##name a = x[i]; \
      y[i] = (gp__h_##name)(expression); \
    } \
    break; \
  }
#define GP__UNARY_INTEGER(SIGNED, name, UNSIGNED, uname) \
  GP__UNARY(ABS, SIGNED, uname, a >> (sizeof a * 8 - 1) ? 0u - a : a) \
  case GP__PAIR(GP_NEGATE, GP_##SIGNED): GP__UNARY(NEGATE, UNSIGNED, uname, 0u - a) \
  case GP__PAIR(GP_SQUARE, GP_##SIGNED): GP__UNARY(SQUARE, UNSIGNED, uname, 1u * a * a)
  switch (GP__PAIR(op, type)) {
    GP__UNARY_INTEGER(I8, i8, U8, u8)
    GP__UNARY_INTEGER(I16, i16, U16, u16)
    GP__UNARY_INTEGER(I32, i32, U32, u32)
    GP__UNARY_INTEGER(I64, i64, U64, u64)
    GP__UNARY_INTEGER(I128, i128, U128, u128)
    GP__UNARY(NEGATE, F32, f32, -a)
    GP__UNARY(ABS, F32, u32, a & 0x7fffffffu)
    GP__UNARY(SQUARE, F32, f32, a * a)
    GP__UNARY(NEGATE, F64, f64, -a)
    GP__UNARY(ABS, F64, u64, a & ~((uint64_t)1 << 63))
    GP__UNARY(SQUARE, F64, f64, a * a)
  default: // ABS of unsigned types; ABS and SQUARE of bool
    if (out != in) memcpy(out, in, n * gp__host_size(type));
  }
#undef GP__UNARY
#undef GP__UNARY_INTEGER
}
