// device/hash.cuh - a hash, and bit sets in memory
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, top_k/policy.h

// The last steps of SplitMix64, on a multiple of x.
GP_DEVICE gp__u32 gp__hash_of(gp__u64 x) { return gp__u32(gp__mix2(x * 0x9e3779b97f4a7c15ull) >> 32); }
// Sets bit i of words; returns whether it was clear.
template<class I> GP_DEVICE bool gp__set_bit(gp__u32 *words, I i) {
  return (atomicOr(words + i / 32, 1u << i % 32) >> i % 32 & 1u) == 0;
}
// The same in device memory, fire and forget.
template<class I> GP_DEVICE void gp__set_bit_alone(gp__u32 *words, I i) { gp__red_or(words + i / 32, 1u << i % 32); }
