// sort/host.c - radix sort
// uses: api/config.h, api/lists.h, api/structs.h, core/words.h, core/rules.h, core/shape.h, core/arguments.h,
//   core/request.c, host/config.c, host/types.c, host/user.c, host/values.c, host/call.c, host/indices.c

GP__INLINE uint64_t gp__host_bits(const gp__u8 *x, size_t size) { // of 1, 2, 4 or 8 bytes, of any alignment
  uint16_t y2;
  uint32_t y4;
  uint64_t y;
  if (size == 1) return *x;
  if (size == 2) return memcpy(&y2, x, 2), y2;
  if (size == 4) return memcpy(&y4, x, 4), y4;
  return memcpy(&y, x, 8), y;
}
// How a key of a built-in type becomes its ordered form, as in >>warp; `flip`: of a descending order.
typedef struct gp__host_form {
  size_t size;
  int truth;
  unsigned shift;
  uint64_t sign, floats, flip;
} gp__host_form;
static gp__host_form gp__host_form_of(gp_type type, int down) {
  gp__host_form f;
  const gp__wide_kind kind = gp__host_kind(type);
  uint64_t all;
  f.size = gp__host_size(type), f.truth = type == GP_BOOL;
  f.shift = 8 * (unsigned)f.size - 1;
  all = ~(uint64_t)0 >> (63 - f.shift);
  f.sign = kind == GP__WIDE_U ? 0 : (uint64_t)1 << f.shift;
  f.floats = kind == GP__WIDE_F ? all : 0;
  f.flip = down ? all : 0;
  return f;
}
GP__INLINE uint64_t gp__host_encode(const gp__host_form *f, const gp__u8 *key) {
  const uint64_t bits = gp__host_bits(key, f->size), x = f->truth ? bits != 0 : bits;
  return x ^ (((0 - (x >> f->shift)) & f->floats) | f->sign) ^ f->flip;
}
GP__INLINE uint64_t gp__host_decode(const gp__host_form *f, uint64_t x) {
  x ^= f->flip;
  return x ^ ((((x >> f->shift) - 1) & f->floats) | f->sign);
}
static uint64_t gp__host_ordered(gp_type type, const gp__u8 *key) {
  const gp__host_form f = gp__host_form_of(type, 0);
  return gp__host_encode(&f, key);
}
// The parts that order keys of a built-in type, the most significant first. Returns their number; 0: the key is one.
GP__HOST int gp__key_parts_of(gp_type type, const gp_key_field **parts) {
  static const gp_key_field truth[] = {{0, GP_BOOL, 0}}, i128[] = {{8, GP_I64, 0}, {0, GP_U64, 0}},
                            u128[] = {{8, GP_U64, 0}, {0, GP_U64, 0}}, c32[] = {{0, GP_F32, 0}, {4, GP_F32, 0}},
                            c64[] = {{0, GP_F64, 0}, {8, GP_F64, 0}};
  if (type != GP_BOOL && !gp__host_is_long(type) && !gp__is_complex(type)) return 0;
  *parts = type == GP_BOOL ? truth : type == GP_I128 ? i128 : type == GP_U128 ? u128 : type == GP_C32 ? c32 : c64;
  return type == GP_BOOL ? 1 : 2;
}
// A complex key as NumPy orders it (see gp__complex_part): its high part, or the low one.
static uint64_t gp__host_complex_part(gp_type part, const double *x, const gp__u8 *key, int high) {
  static const gp__u8 zero[8] = {0};
  const size_t size = gp__host_size(part);
  const unsigned nans = (x[0] != x[0] ? 2u : 0u) | (x[1] != x[1] ? 1u : 0u), of = high || nans == 1 ? 0 : 1;
  if (high && nans) return (size == 4 ? 0xff800000u : 0xfff0000000000000u) + nans;
  if (nans == 3) return 0;
  return gp__host_ordered(part, x[of] == 0 ? zero : key + of * size);
}
static uint64_t gp__host_complex_word(gp_type type, const gp__u8 *key, int word) {
  const gp_type part = gp__host_real(type);
  gp__wide w[2];
  double x[2];
  gp__host_widen(part, key, w, 2);
  x[0] = w[0].f, x[1] = w[1].f;
  if (type == GP_C64) return gp__host_complex_part(part, x, key, word);
  return gp__host_complex_part(part, x, key, 1) << 32 | gp__host_complex_part(part, x, key, 0);
}
// 64 bits of the ordered key, the least significant word first.
static uint64_t gp__host_key_word(const gp__request *q, const gp__u8 *key, int word) {
  gp__value made;
  uint64_t x = 0;
  int i, at = 0;
  if (!q->user_transform && gp__is_complex(q->key_type)) return gp__host_complex_word(q->key_type, key, word);
  if (q->user_transform) {
    gp__host_apply(q->user_transform, made.bytes, key, NULL);
    return gp__host_ordered(q->acc_type, made.bytes);
  }
  if (!q->field_count) return gp__host_ordered(q->key_type, key);
  for (i = q->field_count - 1; i >= 0; --i) { // at: position of the field's lowest bit
    const int bits = 8 * (int)gp__host_size(q->fields[i].type), low = at - 64 * word;
    uint64_t own = gp__host_ordered(q->fields[i].type, key + q->fields[i].offset);
    if (q->fields[i].descending) own = ~own & (~(uint64_t)0 >> (64 - bits));
    if (low > -bits && low < 64) x |= low < 0 ? own >> -low : own << low;
    at += bits;
  }
  return x;
}

// A sorted element: bits of the ordered key, and the input index.
typedef struct gp__host_indexed {
  uint64_t bits, index;
} gp__host_indexed;
// Sorts by the bits low .. high - 1. Least significant digit first, 8 bits a pass; skips passes in which all have the
// same digit. Each thread counts, then moves, its share. Returns the array that has the result.
enum { GP__HOST_SORTERS = 32 };
#define GP__RADIX(name, E, BITS) \
  static E *gp__host_radix_##name(E *from, E *to, uint64_t n, int low, int high, int threads) { \
    const uint64_t share = gp__ceil_div(n, (uint64_t)threads); \
    uint64_t at[GP__HOST_SORTERS][256]; \
    for (; low < high; low += 8) { \
      const uint64_t mask = high - low < 8 ? (1u << (high - low)) - 1 : 255; \
      E *const x = from, *const y = to; \
      uint64_t sum = 0, before; \
      int d, t, pass, same = 0; \
      for (pass = 0; pass < 2 && !same; ++pass) { \
        GP__PARALLEL_FOR \
        for (t = 0; t < threads; ++t) { \
          uint64_t *const own = at[t], i = share * (uint64_t)t; \
          const uint64_t end = i + share < n ? i + share : n; \
          if (pass) \
            for (; i < end; ++i) y[own[BITS(x[i]) >> low & mask]++] = x[i]; \
          else \
            for (memset(own, 0, sizeof at[t]); i < end; ++i) ++own[BITS(x[i]) >> low & mask]; \
        } \
        for (d = 0; d < 256 && !pass; ++d) { \
          for (before = sum, t = 0; t < threads; ++t) { \
            const uint64_t own = at[t][d]; \
            at[t][d] = sum, sum += own; \
          } \
          same |= sum - before == n; \
        } \
      } \
      if (!same) from = y, to = x; \
    } \
    return from; \
  }
#define GP__ITS_BITS(x) (x).bits
GP__RADIX(u32, uint32_t, )
GP__RADIX(u64, uint64_t, )
GP__RADIX(indexed, gp__host_indexed, GP__ITS_BITS)
// Sorts few elements by insertion.
static gp__host_indexed *gp__host_sort_indexed(
    gp__host_indexed *from, gp__host_indexed *to, uint64_t n, int bits, int threads) {
  uint64_t i, j;
  if (n > 64) return gp__host_radix_indexed(from, to, n, 0, bits, threads);
  for (i = 1; i < n; ++i) {
    const gp__host_indexed x = from[i];
    for (j = i; j > 0 && from[j - 1].bits > x.bits; --j) from[j] = from[j - 1];
    from[j] = x;
  }
  return from;
}
// Built-in keys are sorted in words of 4, 8 or 16 bytes, small values with them. Others are sorted by one word of the
// ordered key after the other, the least significant first, then moved by their indices, as are large values. Memory:
// two arrays of words, and a copy of elements that are moved in place.
static gp_result gp__host_sort(gp__host_call *h) {
  const gp__request *q = h->q;
  const int threads = h->threads < GP__HOST_SORTERS ? h->threads : (int)GP__HOST_SORTERS;
  const uint64_t n = q->count;
  const int plain = !q->field_count && !q->user_transform, down = (q->flags & GP_DESCENDING) != 0;
  const size_t size = q->out ? q->in_size : 0, key_size = q->key_size;
  const gp__u8 *keys = (const gp__u8 *)q->keys, *in = (const gp__u8 *)q->in;
  const int carries = plain && in && (size == 1 || size == 2 || size == 4 || size == 8), moves = size && in && !carries;
  const int packed = size && (carries ? size < 8 : n <= UINT32_MAX),
            wide = !plain || moves || (size && (key_size > 4 || !packed));
  const size_t word = wide ? 16 : size || key_size > 4 ? 8 : 4;
  const gp__host_form f = gp__host_form_of(plain ? q->key_type : GP_U8, down);
  gp__u8 *out_keys = (gp__u8 *)q->out_keys, *out = (gp__u8 *)q->out, *moved = NULL;
  void *memory;
  gp__host_indexed *a;
  uint32_t *a4;
  uint64_t *a8, i;
  int k, turn;
  if (n > SIZE_MAX / word / 2 || !(memory = malloc((size_t)n * 2 * word + 1)))
    return gp__host_no_memory(q, n * 2 * word);
  a = (gp__host_indexed *)memory, a8 = (uint64_t *)memory, a4 = (uint32_t *)memory;
  GP__PARALLEL_FOR
  for (i = 0; i < n; ++i) {
    const uint64_t x = plain ? gp__host_encode(&f, keys + i * key_size) : 0;
    const uint64_t y = carries ? gp__host_bits(in + i * size, size) : i;
    if (wide) a[i].bits = x, a[i].index = y;
    else if (word == 4) a4[i] = (uint32_t)x;
    else a8[i] = size ? x << 32 | y : x;
  }
  if (wide && plain) a = gp__host_radix_indexed(a, a + n, n, q->begin_bit, q->end_bit, threads);
  else if (word == 4) a4 = gp__host_radix_u32(a4, a4 + n, n, q->begin_bit, q->end_bit, threads);
  else if (!wide) {
    k = size ? 32 : 0;
    a8 = gp__host_radix_u64(a8, a8 + n, n, q->begin_bit + k, q->end_bit + k, threads);
  }
  for (k = q->begin_bit / 64; !plain && q->begin_bit < q->end_bit && k * 64 < q->end_bit; ++k) {
    const int low = q->begin_bit > k * 64 ? q->begin_bit - k * 64 : 0;
    const int high = q->end_bit < k * 64 + 64 ? q->end_bit - k * 64 : 64;
    gp__host_indexed *const now = a;
    GP__PARALLEL_FOR
    for (i = 0; i < n; ++i) {
      const uint64_t x = gp__host_key_word(q, keys + now[i].index * key_size, k);
      now[i].bits = down ? ~x : x;
    }
    a = gp__host_radix_indexed(now, (void *)now == memory ? now + n : now - n, n, low, high, threads);
  }
  // Moves keys, then values.
  for (turn = 0; turn < 2; ++turn) {
    const size_t bytes = turn ? size : key_size;
    const gp__u8 *from = turn ? in : keys;
    gp__u8 *to = turn ? out : out_keys;
    const int by_index = turn ? moves : !plain;
    if (!to || !bytes) continue;
    if (by_index && from == to) {
      moved = (gp__u8 *)malloc((size_t)n * bytes + 1);
      if (!moved) return free(memory), gp__host_no_memory(q, n * bytes);
      memcpy(moved, from, (size_t)n * bytes);
      from = moved;
    }
    GP__PARALLEL_FOR
    for (i = 0; i < n; ++i) {
      uint64_t x = wide ? turn ? a[i].index : a[i].bits : word == 4 ? a4[i] : a8[i];
      if (by_index) {
        gp__host_move(to + i * bytes, from + a[i].index * bytes, bytes);
        continue;
      }
      if (!wide && word == 8 && size) x = turn ? (uint32_t)x : x >> 32;
      if (!turn) x = gp__host_decode(&f, x);
      gp__host_move(to + i * bytes, (const gp__u8 *)&x, bytes); // little-endian
    }
    if (from == moved) free(moved);
  }
  free(memory);
  return GP_SUCCESS;
}
