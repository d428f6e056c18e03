// device/hash.cuh - a hash, and bits in memory
// uses: device/vocabulary.cuh, device/machine.cuh, top_k/policy.h

// SplitMix64's last steps, of a multiple.
GP_DEVICE gp__u32 gp__hash_of(gp__u64 x) { return static_cast<gp__u32>(gp__mix2(x * 0x9e3779b97f4a7c15ull) >> 32); }
// Sets bit i of words; was it clear?
template <class I> GP_DEVICE bool gp__set_bit(gp__u32 *words, I i) {
  return (atomicOr(words + i / 32, 1u << i % 32) >> i % 32 & 1u) == 0;
}
// The same in memory, where nobody asks, so that nobody waits.
template <class I> GP_DEVICE void gp__set_bit_alone(gp__u32 *words, I i) { gp__red_or(words + i / 32, 1u << i % 32); }
