// device/common.cuh - routines that need the machine layer alone
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh

// Cluster barrier in two halves. The aligned instructions need all lanes of a warp together, which a branch does not
// promise: hence __syncwarp().
GP_DEVICE void gp__cluster_arrive() {
  __syncwarp();
  gp__cluster_arrive_aligned();
}
// Arrives before any other access: behind the wait, all blocks have started.
GP_DEVICE void gp__cluster_start() {
  __syncwarp();
  gp__cluster_start_aligned();
}
GP_DEVICE void gp__cluster_wait() {
  __syncwarp();
  gp__cluster_wait_aligned();
}

GP_DEVICE gp__u32 gp__product(gp__u32 a, gp__u32 b) { return a * b; }
GP_DEVICE gp__u64 gp__product(gp__u64 a, gp__u64 b) { return a * b; }

// Integers of 128 bits, where the compiler has them: NVRTC takes an option (gp__option).
#ifdef __CUDACC_RTC__
#ifdef __CUDACC_RTC_INT128__
#define GP__INT128
typedef __int128 gp_i128;
typedef unsigned __int128 gp_u128;
#endif
#else
#define GP__INT128
__extension__ typedef __int128 gp_i128;
__extension__ typedef unsigned __int128 gp_u128;
#endif
#ifdef GP__INT128
GP_DEVICE gp_u128 gp__product(gp_u128 a, gp_u128 b) { return a * b; }
#endif

GP_DEVICE double gp__minimum(double a, double b) {
  return a != a ? a : b != b ? b : a < b || (a == b && (gp__bits_of_f64(a) >> 63)) ? a : b;
}
GP_DEVICE double gp__maximum(double a, double b) {
  return a != a ? a : b != b ? b : a > b || (a == b && !(gp__bits_of_f64(a) >> 63)) ? a : b;
}

// Waits until the phase of this parity is complete.
#if !defined(GP__ARCH) || GP__ARCH >= 900 || GP__ARCH == 0
GP_DEVICE void gp__mbarrier_wait(gp__u64 *bar, unsigned parity) {
  while (!gp__mbarrier_test(bar, parity)) {}
}
#endif

// float to bfloat16, to nearest even.
GP_DEVICE gp__u16 gp__bf16_from_f32(float x) {
#if !defined(GPUPRIMS_SIMT) && GP__ARCH >= 900
  gp__u16 bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
#else
  const gp__u32 u = gp__bits_of_f32(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return gp__u16(u >> 16 | 0x40u);
  return gp__u16((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
#endif
}

// double to float, rounded to odd: a second rounding, to a narrower type, then gives the same as a single one.
GP_DEVICE float gp__f32_to_odd(double x) {
  const float f = float(x);
  const double back = f;
  if (back == x || x != x) return f;
  const bool away = (back < 0 ? -back : back) > (x < 0 ? -x : x);
  return gp__f32_from_bits((gp__bits_of_f32(f) - (away ? 1u : 0u)) | 1u);
}

// Compares four bytes at once: bit 7 of byte i is the answer for byte i; the other bits are undefined.
GP_DEVICE gp__u32 gp__bytes_differ(gp__u32 a, gp__u32 b) {
  const gp__u32 x = a ^ b;
  return ((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x;
}
template<bool SIGNED> GP_DEVICE gp__u32 gp__bytes_less(gp__u32 a, gp__u32 b) {
  const gp__u32 rest = (a | 0x80808080u) - (b & 0x7f7f7f7fu); // bit 7: a's low seven bits are not less than b's
  return (SIGNED ? a & ~b : ~a & b) | ~(rest | (a ^ b));
}
// Moves those bits to bits 28 to 31, byte 0's to bit 28.
GP_DEVICE gp__u32 gp__upper_bits(gp__u32 x) { return (x & 0x80808080u) * 0x00204081u; }

// 16 bytes that start `offset` (0 to 15) bytes into the 32 bytes (low, high).
GP_DEVICE gp_vector gp__shift_vectors(const gp_vector &low, const gp_vector &high, unsigned offset) {
  const unsigned bits = offset % 4 * 8;
  const bool two = (offset & 8u) != 0, one = (offset & 4u) != 0;
  gp__u32 w[6];
  gp_vector r;
  GP__EACH(i, 6) {
    const gp__u32 near = i < 4 ? low.word[i & 3] : high.word[i & 3];
    w[i] = two ? i < 2 ? low.word[(i + 2) & 3] : high.word[(i - 2) & 3] : near;
  }
  GP__EACH(i, 5) w[i] = one ? w[i + 1] : w[i];
  GP__EACH(i, 4) r.word[i] = __funnelshift_r(w[i], w[i + 1], bits);
  return r;
}
