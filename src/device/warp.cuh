// device/warp.cuh - a warp: shuffles, reduce, scan
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, device/operators.cuh

GP_DEVICE unsigned gp_lane() { return threadIdx.x & 31u; }
GP_DEVICE unsigned gp_warp() { return threadIdx.x >> 5; }

// A value of any type as 32-bit words, for shuffles.
template<class T> union gp__shuffled {
  T value;
  gp__u32 word[(sizeof(T) + 3) / 4];
  GP_DEVICE gp__shuffled() {}
};
#define GPUPRIMS__SHUFFLE(name, intrinsic, Argument) \
  template<class T> GP_DEVICE T name(const T &value, Argument argument) { \
    gp__shuffled<T> s; \
    if (sizeof(T) % 4) s.word[sizeof(T) / 4] = 0; \
    s.value = value; \
    GP__UNROLL for (unsigned i = 0; i < (sizeof(T) + 3) / 4; ++i) s.word[i] = intrinsic(~0u, s.word[i], argument); \
    return s.value; \
  }
// The value of lane `argument`; of the lane `argument` below or above (own value if there is none); of the lane whose
// number differs in the bits of `argument`. All lanes call.
GPUPRIMS__SHUFFLE(gp_warp_broadcast, __shfl_sync, int)
GPUPRIMS__SHUFFLE(gp_warp_shift_up, __shfl_up_sync, unsigned)
GPUPRIMS__SHUFFLE(gp_warp_shift_down, __shfl_down_sync, unsigned)
GPUPRIMS__SHUFFLE(gp_warp_exchange, __shfl_xor_sync, int)
#undef GPUPRIMS__SHUFFLE

// value[0] op value[1] op ... op value[31]. Lane 0 holds the result, other lanes hold partial results. All lanes call.
template<class T, class Op> GP_DEVICE T gp_warp_reduce(T value, Op op) {
  GP__UNROLL
  for (unsigned d = 1; d < 32; d *= 2) value = op(value, gp_warp_shift_down(value, d));
  return value;
}

// Lane i gets value[0] op ... op value[i] (Kogge and Stone). All lanes call.
template<class T, class Op> GP_DEVICE T gp_warp_inclusive_scan(T value, Op op) {
  GP__UNROLL
  for (unsigned d = 1; d < 32; d *= 2) {
    const T before = gp_warp_shift_up(value, d);
    if (gp_lane() >= d) value = op(before, value);
  }
  return value;
}

// The lanes with the same digit as this one (digits are below 2^BITS). All lanes call.
template<int BITS> GP_DEVICE gp__u32 gp_warp_match(gp__u32 digit) {
  const gp__u32 ones = gp__opaque_ones();
  gp__u32 agree[BITS], peers;
  GP__EACH(i, BITS) agree[i] = gp__match_bit(digit, 1u << i, ones);
  peers = agree[0];
  GP__UNROLL
  for (int i = 1; i < BITS; i += 2) peers = gp__and(peers, agree[i], agree[i + 1 < BITS ? i + 1 : i]);
  return peers;
}

GP_DEVICE unsigned gp__misalignment(const void *p, unsigned bytes) { return unsigned(gp__u64(p) & (bytes - 1)); }

// Bits of N elements.
template<int N> struct gp__bits {
  static const int WORDS = (N + 31) / 32;
  gp__u32 word[WORDS];
  GP_DEVICE void clear() {
    GP__EACH(i, WORDS) word[i] = 0;
  }
  GP_DEVICE void set(int i, bool x) { word[i / 32] |= (x ? 1u : 0u) << (i % 32); }
  GP_DEVICE bool get(int i) const { return (word[i / 32] >> (i % 32) & 1u) != 0; }
  // Inserts gp__upper_bits(x) for four elements, from element i on. Later elements must be inserted first.
  GP_DEVICE void push(int i, gp__u32 x) { word[i / 32] = __funnelshift_l(gp__upper_bits(x), word[i / 32], 4); }
  GP_DEVICE void keep(int n) { // bits 0 .. n - 1
    GP__EACH(i, WORDS) word[i] &= n >= i * 32 + 32 ? ~0u : n > i * 32 ? (1u << (n - i * 32)) - 1u : 0u;
  }
  GP_DEVICE int count() const {
    int n = 0;
    GP__EACH(i, WORDS) n += __popc(word[i]);
    return n;
  }
};

// Words of 32 or 64 bits, a bit an element: the mask of bits 0 .. n - 1; set bits; the first set bit of x > 0.
template<class Mask> GP_DEVICE Mask gp__bits_below(int n) {
  return n < int(8 * sizeof(Mask)) ? (Mask(1) << n) - 1 : ~Mask(0);
}
GP_DEVICE int gp__bit_count(gp__u32 x) { return __popc(x); }
GP_DEVICE int gp__bit_count(gp__u64 x) { return __popc(gp__u32(x)) + __popc(gp__u32(x >> 32)); }
template<class Mask> GP_DEVICE int gp__first_bit(Mask x) { return gp__bit_count(Mask((x & (~x + 1)) - 1)); }
// In N merged elements of two sorted sequences, finds the second's elements with a partner in the first, in runs of
// equal elements that begin here. A run has the first's elements first; the second's first pairs with the last of
// these, its next with the one before, in all runs at once: `ones`. Bit k of tie: element k equals its predecessor.
template<int N, class Mask> GP_DEVICE Mask gp__nested_pairs(Mask second, Mask tie, Mask &ones) {
  Mask two = second & tie & ~(second << 1), one = two >> 1, paired = two;
  ones = one;
  for (int apart = 3; two && apart <= N; apart += 2) {
    two = two << 1 & second & tie & (one & tie) << (apart - 1);
    one = two >> apart;
    paired |= two;
    ones |= one;
  }
  return paired;
}

// Marks bytes that comparison E does not find equal to their predecessor, four at a time. The mark of byte 0, which has
// none here, is undefined.
template<class E, int ITEMS, int N> GP_DEVICE void gp__mark_changes(const gp__u32 *word, gp__bits<N> &marks) {
  marks.clear();
  GP__UNROLL
  for (int w = ITEMS / 4 - 1; w >= 0; --w)
    marks.push(w * 4, ~gp__compare_bytes<E>::of(__funnelshift_l(w > 0 ? word[w - 1] : 0, word[w], 8), word[w]));
}

// Packs a thread's marked bytes into consecutive places of shared memory, from `to` on, in registers first. The thread
// with a word's last byte stores the word whole, and so overwrites what precedes its own bytes. finish(), after a
// barrier of the warp, stores the bytes of a thread's last word.
template<int ITEMS> struct gp__byte_gather {
  gp__shared_pointer next; // the current word
  gp__u32 last; // its bytes so far, at the upper end
  gp__u32 bits; // position of the next byte, in bits from the aligned word before `to`
  gp__u32 first; // position of the first byte
  GP_DEVICE gp__byte_gather(gp__u8 *to, const gp__u32 *word, const gp__bits<ITEMS> &marks)
    : next(to - gp__misalignment(to, 4)), last(0), bits(gp__misalignment(to, 4) * 8), first(bits) {
    GP__UNROLL
    for (int q = 0; q < ITEMS; q += 16) {
      // Four words at once, by the marks of the first three bytes of each: eight times the number of marked bytes, and
      // a selector that puts these first and the fourth byte behind them, marked or not. Bytes behind the marked ones
      // do not matter.
      const gp__u32 four = marks.word[q / 32] >> (q % 32), three = four & 0x7777u;
      const gp__u32 low = gp__permute(0x10313033u, 0x10212032u, three),
                    high = gp__permute(0x83838383u, 0x32333333u, three);
      const gp__u32 fourth = gp__permute(0x83838383u, 0x80808080u, four) & 0x08080808u; // 8 if it is marked
      const gp__u32 counts = gp__permute(0x10080800u, 0x18101008u, three) + fourth;
      GP__UNROLL
      for (unsigned k = 0; k < 4u && q + int(k) * 4 < ITEMS; ++k) {
        const gp__u32 marked = gp__permute(word[q / 4 + k], 0, gp__permute(low, high, (4 + k) << 4 | k));
        const gp__u32 count = gp__permute(counts, 0, 0x4440u + k);
        next.push_if((bits ^ (bits + count)) & 32u, __funnelshift_l(last, marked, bits));
        last = __funnelshift_rc(last, marked, count);
        bits += count;
      }
    }
  }
  GP_DEVICE void finish() const {
    const int begin = bits < 32 ? int(first / 8) : 0, end = int(bits / 8 & 3u);
    const gp__u32 bytes = __funnelshift_l(last, 0, bits);
    GP__EACH(k, 3)
      if (begin <= k && k < end) *next.template at<gp__u8>(gp__u32(k)) = gp__u8(bytes >> k * 8);
  }
};
