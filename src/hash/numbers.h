// hash/numbers.h - numbers that fold in any order: ordered bits, sums of 128 bits
// uses: api/lists.h, api/structs.h, core/words.h, core/rules.h

// The host and kernels share these, so that both get the same bits. A number is 64 bits: of a signed or an unsigned
// integer (bool: 0 or 1), or of a double.
#define GP__NUMBER GP__BOTH static inline __attribute__((unused)) gp__u64

// 0: unsigned, 1: signed, 2: float.
GP__RULE int gp__number_class(int type) {
  return (type >= GP_F16 && type <= GP_F64) || type == GP_E4M3 || type == GP_E5M2 ? 2
      : type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 ? 1
      : 0;
}
// Order of numbers as that of unsigned ones, in which the best is the least. A NaN is better than all others. ties: -0
// equals +0.
GP__NUMBER gp__ordered_number(gp__u64 x, int type, int most, int ties) {
  const gp__u64 sign = 1ull << 63;
  const int kind = gp__number_class(type);
  if (kind == 2 && (x & ~sign) > 0x7ffull << 52) return 0;
  if (kind == 2 && ties && x == sign) x = 0;
  if (kind) x ^= kind == 2 && x >> 63 ? ~0ull : sign;
  return most ? ~x : x;
}
GP__NUMBER gp__number_of_ordered(gp__u64 x, int type, int most) {
  const gp__u64 sign = 1ull << 63;
  const int kind = gp__number_class(type);
  if (kind == 2 && x == 0) return 0x7ff8ull << 48;
  if (most) x = ~x;
  return kind ? x ^ (kind == 2 && !(x >> 63) ? ~0ull : sign) : x;
}
// Bits of a double: its biased exponent, at least 1; 0 if it is not finite.
GP__NUMBER gp__exponent_of(gp__u64 x) {
  const gp__u64 e = x >> 52 & 2047;
  return e == 2047 ? 0 : e ? e : 1;
}
// The range of a double: its exponent; above it 1 for infinity, 2 for -infinity, 4 for NaN.
GP__NUMBER gp__range_of(gp__u64 x) {
  const gp__u64 e = gp__exponent_of(x);
  return e ? e : (x << 12 ? 4ull : 1ull << (x >> 63)) << 32;
}
// A double as 128 bits in units of 2^(range - 1116): 2^31 of them have a sum below 2^126. Lower bits are cut off.
GP__NUMBER gp__wide_of(gp__u64 x, unsigned range, gp__u64 *high) {
  const gp__u64 e = gp__exponent_of(x), fraction = x & ((1ull << 52) - 1);
  const gp__u64 m = !e ? 0 : x >> 52 & 2047 ? fraction | 1ull << 52 : fraction;
  const int shift = 41 - (int)(range - (unsigned)e);
  gp__u64 low = shift >= 0 ? m << shift : shift > -64 ? m >> -shift : 0;
  *high = shift > 0 ? m >> (64 - shift) : 0;
  if (x >> 63) *high = ~*high + (low == 0), low = 0 - low;
  return low;
}
// The double nearest to a wide number, ties to even. range 1116: its unit is 1.
GP__NUMBER gp__number_of_wide(gp__u64 low, gp__u64 high, unsigned range) {
  const gp__u64 sign = high & 1ull << 63;
  gp__u64 m, rest;
  int top = 0, step, exponent, down;
  if (sign) low = 0 - low, high = ~high + (low == 0);
  if (!(low | high)) return 0;
  for (m = high ? high : low, step = 32; step; step /= 2)
    if (m >> step) m >>= step, top += step;
  if (high) top += 64;
  exponent = top + (int)range - 93; // biased
  down = top - 52;
  if (down <= 0) m = low << -down;
  else {
    m = down < 64 ? low >> down | (high << (63 - down) << 1) : high >> (down - 64);
    rest = down < 64 ? low << (64 - down) : down == 64 ? low : high << (128 - down) | (low != 0);
    m += rest > 1ull << 63 || (rest == 1ull << 63 && (m & 1));
  }
  if (exponent <= 0) return sign | m >> (1 - exponent); // exact: elements are multiples of the smallest number
  return sign | (exponent >= 2047 ? 2047ull << 52 : ((gp__u64)(exponent - 1) << 52) + m);
}
// A sum of doubles of this range, some of which may not be finite.
GP__NUMBER gp__number_of_sum(gp__u64 low, gp__u64 high, gp__u64 range) {
  const unsigned special = (unsigned)(range >> 32);
  return !special ? gp__number_of_wide(low, high, (unsigned)range)
      : special == 1 || special == 2 ? (2047ull << 52) | (gp__u64)(special == 2) << 63
      : 0x7ff8ull << 48;
}
// An aggregate as a number of its result's kind. rows: of the group.
GP__NUMBER gp__result_of(int op, int type, gp__u64 rows, const gp__u64 *word) {
  const int most = op == GP_AGGREGATE_MAX, floats = gp__number_class(type) == 2;
  union {
    double value;
    gp__u64 bits;
  } x;
  if (op == GP_AGGREGATE_COUNT) return rows;
  if (op == GP_AGGREGATE_MIN || most) return gp__number_of_ordered(~word[0], type, most);
  if (op == GP_AGGREGATE_ARGMIN || op == GP_AGGREGATE_ARGMAX) return ~word[1];
  if (op == GP_AGGREGATE_SUM && !floats) return word[0];
  x.bits = gp__number_of_sum(word[1], word[2], floats ? word[0] : 1116);
  if (op == GP_AGGREGATE_MEAN) x.value /= (double)rows;
  return x.bits;
}
