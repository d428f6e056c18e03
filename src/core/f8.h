// core/f8.h - floats of 8 bits: e4m3, and e5m2 (wide 1)
// uses: core/words.h, core/rules.h

// To nearest even; what rounds beyond the largest number is NaN (e4m3) or infinite.
GP__RULE unsigned gp__f8_rounded(unsigned m, unsigned shift) {
  return (m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift;
}
// a: bits of an f32 without its sign. least: its exponent from which on the result is normal.
GP__RULE unsigned gp__f8_magnitude(unsigned a, unsigned shift, unsigned least) {
  return (a >> 23) >= least ? gp__f8_rounded(a - ((least - 1) << 23), shift)
      : (a >> 23) + 4 < least ? 0
      : gp__f8_rounded((a & 0x7fffff) | 0x800000, shift + least - (a >> 23));
}
GP__RULE unsigned gp__f8_at_most(unsigned a, unsigned most) { return a < most ? a : most; }
GP__RULE gp__u8 gp__f8_from(unsigned u, int wide) {
  return (gp__u8)((u >> 24 & 0x80) |
      ((u & 0x7fffffff) > 0x7f800000
              ? 0x7f
              : gp__f8_at_most(
                    gp__f8_magnitude(u & 0x7fffffff, wide ? 21 : 20, wide ? 113 : 121), wide ? 0x7c : 0x7f)));
}
// The bits of an f16; of e4m3, 256 times too small.
GP__RULE gp__u16 gp__f16_of_f8(unsigned b, int wide) {
  return (gp__u16)(wide ? b << 8 : (b & 0x80) << 8 | (b & 0x7f) << 7 | ((b & 0x7f) == 0x7f ? 0x7c00 : 0));
}
