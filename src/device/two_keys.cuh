// device/two_keys.cuh - counters of 16-bit values
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh

// 2^16 counters of 16 bits, two in a word: their values differ in the highest bit and in bit 4. Nearly all bits of a
// value choose its bank together, so keys that share some bits do not conflict. A counter is full from 2^15 on.

// A word's two keys, and the positions of their counters: XOR mixes bits 5 to 9 and 11 to 15 into bits 0 to 4.
struct gp__two_keys {
  gp__u32 keys, mixed;
  GP_DEVICE gp__two_keys(gp__u32 word) : keys(word), mixed(word ^ ((word >> 5 ^ word >> 11) & 0x001f001fu)) {}
};
struct gp__key_counters {
  enum { WORDS = 1 << 15, CARRY = 1 << 15 }; // CARRY: what is taken from a full counter
  static const gp__u32 OTHER = 0x8010u; // how the values of a word's halves differ
  static const gp__u32 FULL = 0x80008000u; // the full bits of a word's two counters
  gp__shared_pointer words;
  GP_DEVICE explicit gp__key_counters(gp__u8 *shared) : words(shared) {}
  GP_DEVICE gp__u32 *word(const gp__two_keys &two, bool upper) const {
    return words.template at<gp__u32>((upper ? two.mixed >> 14 : two.mixed << 2) & 0x1fffcu);
  }
  // Adds n to the lower or the upper key's counter; returns the word before.
  GP_DEVICE gp__u32 add(const gp__two_keys &two, bool upper, gp__u32 n) const {
    return atomicAdd(word(two, upper), (two.keys & (upper ? 0x80000000u : 0x8000u)) != 0 ? n << 16 : n);
  }
  static GP_DEVICE bool any_full(gp__u32 word) { return (word & FULL) != 0; }
  // Takes 2^15 from the full counters in the words of N keys, two[0]'s lower one first. Bit j of the result: from the
  // lower half of key j's word; bit 8 + j: from the upper half. Counters that another thread took are not reported.
  template<int N> GP_DEVICE gp__u32 take_full(const gp__two_keys *two) const {
    gp__u32 full[N], taken = 0;
    GP__EACH(j, N) full[j] = gp__load_volatile(word(two[j / 2], j % 2 == 1)) & FULL;
    GP__EACH(j, N)
      if (full[j]) full[j] &= atomicAnd(word(two[j / 2], j % 2 == 1), ~full[j]);
    GP__EACH(j, N) taken |= (full[j] >> 15 & 1u) << j | full[j] >> 31 << (8 + j);
    return taken;
  }
  // The value that this half of a key's word counts.
  static GP_DEVICE gp__u32 value_of(gp__u32 key, gp__u32 half) { return key >> 15 == half ? key : key ^ OTHER; }
  // The word of a value below 2^15; its upper half counts value ^ OTHER.
  GP_DEVICE gp__u32 of_value(gp__u32 value) const { return *word(value, false); }
};
// The j-th key of a vector, for a j known at run time only: selections, because registers cannot be indexed.
GP_DEVICE gp__u32 gp__key_at(const gp_vector &x, int j) {
  const gp__u32 lower = j & 2 ? x.word[1] : x.word[0], upper = j & 2 ? x.word[3] : x.word[2];
  return (j & 4 ? upper : lower) >> (j % 2 * 16) & 0xffffu;
}
// Whether the j-th key of a vector differs from the next one.
GP_DEVICE bool gp__next_key_differs(const gp_vector &x, int j) {
  const gp__u32 w = x.word[j / 2], next = j % 2 == 1 ? x.word[(j + 1) / 2] << 16 : w;
  return (next ^ (j % 2 == 1 ? w : w << 16)) >> 16 != 0;
}
GP_DEVICE gp__u32 gp__lower_halves(gp__u32 first, gp__u32 second) { return __byte_perm(first, second, 0x5410); }
GP_DEVICE gp__u32 gp__upper_halves(gp__u32 first, gp__u32 second) { return __byte_perm(first, second, 0x7632); }
