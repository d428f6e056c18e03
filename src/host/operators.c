// host/operators.c - binary operators
// uses: api/config.h, api/lists.h, core/words.h, core/arguments.h, core/request.c, host/types.c, host/values.c

// The loops of which primitives are made, for one operator on one type. A row is `items` elements; the next row starts
// `stride` elements later.

struct gp__host_op;
typedef struct gp__host_loops {
  // out[i] = a[i] op b[i]; out may be a or b
  void (*map)(const struct gp__host_op *op, void *out, const void *a, const void *b, size_t n);
  // acc[r] = acc[r] op x[r][0] op x[r][1] op ... for `rows` rows; exact operators: any order
  void (*fold)(const struct gp__host_op *op, void *acc, const void *x, size_t rows, size_t items, size_t stride);
  // running values of `rows` consecutive rows; row r starts with carry[r], and leaves its last value there; y may be x
  void (*scan)(
      const struct gp__host_op *op, void *carry, const void *x, void *y, size_t rows, size_t items, int exclusive);
  // y[i] = y[2 i] op y[2 i + 1]; inexact operators only
  void (*pairs)(const struct gp__host_op *op, void *y, size_t n);
} gp__host_loops;

typedef struct gp__host_op {
  gp__host_loops loops;
  const gp__op_info *user; // or NULL
  size_t size; // of an accumulator
  int commutative;
  int exact;
  gp__u128 flip; // see GP__FLIPPED
  gp__value identity;
} gp__host_op;

// OP works on values W; LOAD makes them of elements T, STORE makes elements of them. Both may use `flip`.
#define GP__LOOP_MAP(name, T, W, LOAD, STORE, OP) \
  static void gp__host_##name##_map(const gp__host_op *op, void *out, const void *a, const void *b, size_t n) { \
    const W flip = (W)op->flip; \
    const T *x = (const T *)a, *z = (const T *)b; \
    T *y = (T *)out; \
    size_t i; \
    (void)flip; \
    for (i = 0; i < n; ++i) y[i] = STORE(OP(LOAD(x[i]), LOAD(z[i]))); \
  }

// Exact: the fold uses as many lanes as fill 64 bytes. One row at a time.
#define GP__LOOPS_EXACT(name, T, W, LOAD, STORE, OP) \
  GP__LOOP_MAP(name, T, W, LOAD, STORE, OP) \
  static void gp__host_##name##_fold( \
      const gp__host_op *op, void *acc, const void *in, size_t rows, size_t items, size_t stride) { \
    enum { LANES = 64 / sizeof(T) }; \
    const W flip = (W)op->flip; \
    const T *x = (const T *)in; \
    W total = LOAD(*(const T *)acc), lane[LANES]; \
    size_t i = 0, l; \
    (void)flip, (void)rows, (void)stride; \
    if (items >= LANES) { \
      for (l = 0; l < LANES; ++l) lane[l] = LOAD(x[l]); \
      for (i = LANES; i + LANES <= items; i += LANES) \
        for (l = 0; l < LANES; ++l) lane[l] = OP(lane[l], LOAD(x[i + l])); \
      for (l = 0; l < LANES; ++l) total = OP(total, lane[l]); \
    } \
    for (; i < items; ++i) total = OP(total, LOAD(x[i])); \
    *(T *)acc = STORE(total); \
  } \
  static void gp__host_##name##_scan( \
      const gp__host_op *op, void *carry, const void *in, void *out, size_t rows, size_t items, int exclusive) { \
    const W flip = (W)op->flip; \
    const T *x = (const T *)in; \
    T *y = (T *)out; \
    W c = LOAD(*(const T *)carry), next; \
    size_t i; \
    (void)flip, (void)rows; \
    for (i = 0; i < items; ++i) { \
      next = OP(c, LOAD(x[i])); \
      y[i] = STORE((exclusive ? c : next)); \
      c = next; \
    } \
    *(T *)carry = STORE(c); \
  }

// Inexact: every step is rounded to the type, in the given order; several rows run side by side. CHAIN is a row of 16
// bytes, written out.
#define GP__LOOPS_INEXACT(name, T, W, LOAD, STORE, OP, CHAIN, STEP) \
  GP__LOOP_MAP(name, T, W, LOAD, STORE, OP) \
  STEP T gp__host_##name(T a, T b) { return STORE(OP(LOAD(a), LOAD(b))); } \
  static void gp__host_##name##_fold( \
      const gp__host_op *op, void *acc, const void *in, size_t rows, size_t items, size_t stride) { \
    const T *x = (const T *)in; \
    T *a = (T *)acc; \
    size_t r = 0, j, l; \
    (void)op; \
    if (items == 16 / sizeof(T) && stride == items) \
      for (; r < rows; ++r, x += 16 / sizeof(T)) a[r] = CHAIN(gp__host_##name, a[r], x); \
    for (; r + GP__HOST_LANES <= rows; r += GP__HOST_LANES, x += GP__HOST_LANES * stride) { \
      T v[GP__HOST_LANES]; \
      for (l = 0; l < GP__HOST_LANES; ++l) v[l] = a[r + l]; \
      for (j = 0; j < items; ++j) \
        for (l = 0; l < GP__HOST_LANES; ++l) v[l] = gp__host_##name(v[l], x[l * stride + j]); \
      for (l = 0; l < GP__HOST_LANES; ++l) a[r + l] = v[l]; \
    } \
    for (; r < rows; ++r, x += stride) \
      for (j = 0; j < items; ++j) a[r] = gp__host_##name(a[r], x[j]); \
  } \
  static void gp__host_##name##_scan( \
      const gp__host_op *op, void *carry, const void *in, void *out, size_t rows, size_t items, int exclusive) { \
    const T *x = (const T *)in; \
    T *y = (T *)out, *c = (T *)carry; \
    size_t r = 0, j, l; \
    (void)op; \
    for (; r + GP__HOST_LANES <= rows; r += GP__HOST_LANES) { \
      T v[GP__HOST_LANES], next; \
      for (l = 0; l < GP__HOST_LANES; ++l) v[l] = c[r + l]; \
      for (j = r * items; j < (r + 1) * items; ++j) \
        for (l = 0; l < GP__HOST_LANES; ++l) { \
          next = gp__host_##name(v[l], x[l * items + j]); \
          y[l * items + j] = exclusive ? v[l] : next; \
          v[l] = next; \
        } \
      for (l = 0; l < GP__HOST_LANES; ++l) c[r + l] = v[l]; \
    } \
    for (; r < rows; ++r) \
      for (j = r * items; j < (r + 1) * items; ++j) { \
        const T next = gp__host_##name(c[r], x[j]); \
        y[j] = exclusive ? c[r] : next; \
        c[r] = next; \
      } \
  } \
  static void gp__host_##name##_pairs(const gp__host_op *op, void *values, size_t n) { \
    T *y = (T *)values; \
    size_t i; \
    (void)op; \
    for (i = 0; i < n; ++i) y[i] = gp__host_##name(y[2 * i], y[2 * i + 1]); \
  }

#define GP__ADD(a, b) ((a) + (b))
#define GP__SUBTRACT(a, b) ((a) - (b))
#define GP__MULTIPLY(a, b) ((a) * (b))
#define GP__MULTIPLY_UNSIGNED(a, b) (1u * (a) * (b))
#define GP__BIT_OR(a, b) ((a) | (b))
#define GP__BIT_XOR(a, b) ((a) ^ (b))
#define GP__LOWER(a, b) ((b) < (a) ? (b) : (a))
#define GP__CHAIN2(op, a, x) op(op(a, (x)[0]), (x)[1])
#define GP__CHAIN4(op, a, x) GP__CHAIN2(op, GP__CHAIN2(op, a, x), (x) + 2)
#define GP__CHAIN8(op, a, x) GP__CHAIN4(op, GP__CHAIN4(op, a, x), (x) + 4)

// Flipped bits: BIT_AND is BIT_OR of complements, MAX the MIN of complements, and unsigned integers are ordered as
// signed ones with the top bit flipped. So one set of loops serves several operators and types.
#define GP__FLIPPED(x) ((x) ^ flip)
// Floats are ordered as integers: -0 below +0; NaN below all else, before and after the flip, and stays a NaN.
#define GP__ORDER(name, I, U, MAGNITUDE, INFINITE) \
  GP__INLINE I gp__host_##name##_key(U x, I flip) { \
    const I ordered = (I)((I)(x ^ (U)((I)x < 0 ? MAGNITUDE : 0)) ^ flip); \
    return (x & MAGNITUDE) > INFINITE ? (I)(-(I)MAGNITUDE - 1) : ordered; \
  } \
  GP__INLINE U gp__host_##name##_unkey(I key, I flip) { \
    const I ordered = (I)(key ^ flip); \
    return (U)((U)ordered ^ (U)(ordered < 0 ? MAGNITUDE : 0)); \
  }
GP__ORDER(f16, int16_t, uint16_t, 0x7fff, 0x7c00)
GP__ORDER(bf16, int16_t, uint16_t, 0x7fff, 0x7f80)
GP__ORDER(e4m3, int8_t, uint8_t, 0x7f, 0x7e)
GP__ORDER(e5m2, int8_t, uint8_t, 0x7f, 0x7c)
GP__ORDER(f32, int32_t, uint32_t, 0x7fffffff, 0x7f800000)
GP__ORDER(f64, int64_t, uint64_t, INT64_MAX, 0x7ff0000000000000)
#define GP__WITH_FLIP(x) (x, flip)

// Integers wrap: sums and products use the unsigned type.
#define GP__INTEGER_LOOPS(U, I) \
  GP__LOOP_MAP(U##_sub, gp__h_##U, gp__h_##U, , , GP__SUBTRACT) \
  GP__LOOPS_EXACT(U##_sum, gp__h_##U, gp__h_##U, , , GP__ADD) \
  GP__LOOPS_EXACT(U##_prod, gp__h_##U, gp__h_##U, , , GP__MULTIPLY_UNSIGNED) \
  GP__LOOPS_EXACT(U##_bit_or, gp__h_##U, gp__h_##U, GP__FLIPPED, GP__FLIPPED, GP__BIT_OR) \
  GP__LOOPS_EXACT(U##_bit_xor, gp__h_##U, gp__h_##U, , , GP__BIT_XOR) \
  GP__LOOPS_EXACT(I##_min, gp__h_##I, gp__h_##I, GP__FLIPPED, GP__FLIPPED, GP__LOWER)
GP__INTEGER_LOOPS(u8, i8)
GP__INTEGER_LOOPS(u16, i16)
GP__INTEGER_LOOPS(u32, i32)
GP__INTEGER_LOOPS(u64, i64)
GP__INTEGER_LOOPS(u128, i128)
// A step of the half types is long: as a function it compiles faster and runs no slower.
#define GP__OUT_OF_LINE static __attribute__((noinline))
#define GP__FLOAT_LOOPS(F, W, U, I, LOAD, STORE, CHAIN, STEP) \
  GP__LOOP_MAP(F##_sub, gp__h_##F, W, LOAD, STORE, GP__SUBTRACT) \
  GP__LOOPS_INEXACT(F##_sum, gp__h_##F, W, LOAD, STORE, GP__ADD, CHAIN, STEP) \
  GP__LOOPS_INEXACT(F##_prod, gp__h_##F, W, LOAD, STORE, GP__MULTIPLY, CHAIN, STEP) \
  GP__LOOPS_EXACT( \
      F##_min, gp__h_##U, gp__h_##I, gp__host_##F##_key GP__WITH_FLIP, gp__host_##F##_unkey GP__WITH_FLIP, GP__LOWER)
GP__FLOAT_LOOPS(f16, float, u16, i16, gp__host_f16_load, gp__host_f16_store, GP__CHAIN8, GP__OUT_OF_LINE)
GP__FLOAT_LOOPS(bf16, float, u16, i16, gp__host_bf16_load, gp__host_bf16_store, GP__CHAIN8, GP__OUT_OF_LINE)
#define GP__CHAIN16(op, a, x) GP__CHAIN8(op, GP__CHAIN8(op, a, x), (x) + 8)
GP__FLOAT_LOOPS(e4m3, float, u8, i8, gp__host_e4m3_load, gp__host_e4m3_store, GP__CHAIN16, GP__OUT_OF_LINE)
GP__FLOAT_LOOPS(e5m2, float, u8, i8, gp__host_e5m2_load, gp__host_e5m2_store, GP__CHAIN16, GP__OUT_OF_LINE)
GP__FLOAT_LOOPS(f32, float, u32, i32, , , GP__CHAIN4, GP__INLINE)
GP__FLOAT_LOOPS(f64, double, u64, i64, , , GP__CHAIN2, GP__INLINE)

#define GP__CHAIN1(op, a, x) op(a, (x)[0])
#define GP__COMPLEX_LOOPS(C, CHAIN) \
  GP__LOOP_MAP(C##_sub, gp__h_##C, uint32_t, , , gp__host_subtract_##C) \
  GP__LOOPS_INEXACT(C##_sum, gp__h_##C, uint32_t, , , gp__host_add_##C, CHAIN, GP__INLINE) \
  GP__LOOPS_INEXACT(C##_prod, gp__h_##C, uint32_t, , , gp__host_multiply_##C, CHAIN, GP__OUT_OF_LINE)
GP__COMPLEX_LOOPS(c32, GP__CHAIN2)
GP__COMPLEX_LOOPS(c64, GP__CHAIN1)

// A user's operator: the same loops through a function pointer. It may write its result over its first operand.
static void gp__host_user_map(const gp__host_op *op, void *out, const void *a, const void *b, size_t n) {
  gp__u8 *y = (gp__u8 *)out;
  const gp__u8 *x = (const gp__u8 *)a, *z = (const gp__u8 *)b;
  gp__value r;
  size_t i;
  for (i = 0; i < n; ++i) {
    gp__host_apply(op->user, r.bytes, x + i * op->size, z + i * op->size);
    memcpy(y + i * op->size, r.bytes, op->size);
  }
}
static void gp__host_user_fold(
    const gp__host_op *op, void *acc, const void *in, size_t rows, size_t items, size_t stride) {
  size_t r, j;
  for (r = 0; r < rows; ++r) {
    gp__u8 *a = (gp__u8 *)acc + r * op->size;
    const gp__u8 *x = (const gp__u8 *)in + r * stride * op->size;
    for (j = 0; j < items; ++j) gp__host_apply(op->user, a, a, x + j * op->size);
  }
}
static void gp__host_user_scan(
    const gp__host_op *op, void *carry, const void *in, void *out, size_t rows, size_t items, int exclusive) {
  gp__value next;
  size_t r, j;
  for (r = 0; r < rows; ++r) {
    gp__u8 *c = (gp__u8 *)carry + r * op->size;
    for (j = r * items; j < (r + 1) * items; ++j) {
      gp__host_apply(op->user, next.bytes, c, (const gp__u8 *)in + j * op->size);
      memcpy((gp__u8 *)out + j * op->size, exclusive ? c : next.bytes, op->size);
      memcpy(c, next.bytes, op->size);
    }
  }
}
static void gp__host_user_pairs(const gp__host_op *op, void *values, size_t n) {
  gp__u8 *y = (gp__u8 *)values;
  size_t i;
  for (i = 0; i < n; ++i) gp__host_user_map(op, y + i * op->size, y + 2 * i * op->size, y + (2 * i + 1) * op->size, 1);
}

// Gives op the loops of a built-in operator on a type; returns 0 if there are none. After normalisation AND is the
// minimum and OR the maximum.
static int gp__host_find_loops(gp__host_op *op, gp_op name, gp_type type) {
  const gp__u128 all = ~(gp__u128)0, top = gp__host_size(type) ? (gp__u128)1 << (gp__host_size(type) * 8 - 1) : 0;
#define GPUPRIMS__CASE(OP, TYPE, set, pairs_, flip_) \
  case GP__PAIR(GP_##OP, GP_##TYPE): { \
    const gp__host_loops found = {gp__host_##set##_map, gp__host_##set##_fold, gp__host_##set##_scan, pairs_}; \
    op->loops = found; \
    op->flip = flip_; \
    return 1; \
  }
#define GP__CASE_SUB(TYPE, set) \
  case GP__PAIR(GP_SUB, GP_##TYPE): \
    op->loops.map = gp__host_##set##_sub_map; \
    return 1;
#define GP__CASES_ORDER(TYPE, set, flip) \
  case GP__PAIR(GP_AND, GP_##TYPE): GPUPRIMS__CASE(MIN, TYPE, set, NULL, flip) \
  case GP__PAIR(GP_OR, GP_##TYPE): \
    GPUPRIMS__CASE(MAX, TYPE, set, NULL, ~(flip))
#define GP__CASES_INTEGER(TYPE, U, I, flip) \
  GP__CASES_ORDER(TYPE, I##_min, flip) \
  GP__CASE_SUB(TYPE, U) \
  GPUPRIMS__CASE(SUM, TYPE, U##_sum, NULL, 0) \
  GPUPRIMS__CASE(PROD, TYPE, U##_prod, NULL, 0) \
  GPUPRIMS__CASE(BIT_AND, TYPE, U##_bit_or, NULL, all) \
  GPUPRIMS__CASE(BIT_OR, TYPE, U##_bit_or, NULL, 0) \
  GPUPRIMS__CASE(BIT_XOR, TYPE, U##_bit_xor, NULL, 0)
#define GP__CASES_FLOAT(TYPE, F) \
  GP__CASES_ORDER(TYPE, F##_min, (gp__u128)0) \
  GP__CASE_SUB(TYPE, F) \
  GPUPRIMS__CASE(SUM, TYPE, F##_sum, gp__host_##F##_sum_pairs, 0) \
  GPUPRIMS__CASE(PROD, TYPE, F##_prod, gp__host_##F##_prod_pairs, 0)
  switch (GP__PAIR(name, type)) {
    GP__CASES_INTEGER(I8, u8, i8, (gp__u128)0)
    GP__CASES_INTEGER(U8, u8, i8, top)
    GP__CASES_INTEGER(I16, u16, i16, (gp__u128)0)
    GP__CASES_INTEGER(U16, u16, i16, top)
    GP__CASES_INTEGER(I32, u32, i32, (gp__u128)0)
    GP__CASES_INTEGER(U32, u32, i32, top)
    GP__CASES_INTEGER(I64, u64, i64, (gp__u128)0)
    GP__CASES_INTEGER(U64, u64, i64, top)
    GP__CASES_INTEGER(I128, u128, i128, (gp__u128)0)
    GP__CASES_INTEGER(U128, u128, i128, top)
    GP__CASES_FLOAT(F16, f16)
    GP__CASES_FLOAT(BF16, bf16)
    GP__CASES_FLOAT(E4M3, e4m3)
    GP__CASES_FLOAT(E5M2, e5m2)
    GP__CASES_FLOAT(F32, f32)
    GP__CASES_FLOAT(F64, f64)
#define GP__CASES_COMPLEX(TYPE, C) \
  GP__CASE_SUB(TYPE, C) \
  GPUPRIMS__CASE(SUM, TYPE, C##_sum, gp__host_##C##_sum_pairs, 0) \
  GPUPRIMS__CASE(PROD, TYPE, C##_prod, gp__host_##C##_prod_pairs, 0)
    GP__CASES_COMPLEX(C32, c32)
    GP__CASES_COMPLEX(C64, c64)
#undef GP__CASES_COMPLEX
    // Operands are 0 or 1 (gp__host_take).
  case GP__PAIR(GP_PROD, GP_BOOL):
  case GP__PAIR(GP_AND, GP_BOOL):
  case GP__PAIR(GP_MIN, GP_BOOL): GPUPRIMS__CASE(BIT_AND, BOOL, u8_bit_or, NULL, all)
  case GP__PAIR(GP_SUM, GP_BOOL):
  case GP__PAIR(GP_OR, GP_BOOL):
  case GP__PAIR(GP_MAX, GP_BOOL):
    GPUPRIMS__CASE(BIT_OR, BOOL, u8_bit_or, NULL, 0)
    GPUPRIMS__CASE(BIT_XOR, BOOL, u8_bit_xor, NULL, 0)
  default: return 0;
  }
#undef GPUPRIMS__CASE
#undef GP__CASE_SUB
#undef GP__CASES_ORDER
#undef GP__CASES_INTEGER
#undef GP__CASES_FLOAT
}

static void gp__host_identity(gp_op op, gp_type type, void *identity) {
  gp__wide w;
  gp__wide_kind kind = GP__WIDE_I;
  if (type == GP_BOOL) w.i = op == GP_MIN || op == GP_ARGMIN || op == GP_PROD || op == GP_AND || op == GP_BIT_AND;
  else if (op == GP_MIN || op == GP_MAX || op == GP_ARGMIN || op == GP_ARGMAX) { // saturates to an integer's limits
    w.f = type == GP_E4M3 ? 448 : 1e308 * 10; // the largest number
    if (op == GP_MAX || op == GP_ARGMAX) w.f = -w.f;
    kind = GP__WIDE_F;
  } else w.i = op == GP_PROD || op == GP_AND ? 1 : op == GP_BIT_AND ? -1 : 0;
  gp__host_narrow(type, kind, &w, identity, 1);
}
