// top_k/shuffle.cuh - shuffle: a bijection of the places
// uses: core/words.h, device/vocabulary.cuh, top_k/policy.h, map/policy.h, core/arguments.h, map/arguments.h,
//   device/types.cuh, device/kernel.cuh

// A bijection of 0 .. n - 1 that a seed chooses: a Feistel network on the smallest power of two that holds n (at least
// 256: smaller networks are far from random), repeated until the result is below n (Black and Rogaway, Ciphers with
// Arbitrary Finite Domains; Mitchell, Stokes, Frank and Holmes, Bandwidth-Optimal Random Shuffling for GPUs). Each
// round changes one half by a function of the other half and of the round's key, so it is invertible for any function.
// Integers only: the same on every device and on the host.

struct gp__bijection {
  gp__u64 n;
  gp__u32 keys[GP__SHUFFLE_ROUNDS], low_mask, high_mask;
  unsigned low_bits;
  GP_DEVICE gp__bijection(const gp__value &value, gp__u64 count) : n(count) {
    const unsigned bits = count > 256 ? 64 - unsigned(__clzll(gp__i64(count - 1))) : 8;
    low_bits = (bits + 1) / 2;
    low_mask = ~0u >> (32 - low_bits);
    high_mask = ~0u >> (32 - (bits - low_bits));
    GP__EACH(r, GP__SHUFFLE_ROUNDS) keys[r] = gp__as<const gp__u32>(value.bytes)[r];
  }
  GP_DEVICE gp__u64 operator()(gp__u64 x) const {
    do {
      gp__u32 low = gp__u32(x) & low_mask, high = gp__u32(x >> low_bits);
      GP__UNROLL
      for (int r = 0; r < GP__SHUFFLE_ROUNDS; r += 2) {
        high ^= gp__shuffle_round(low, keys[r]) & high_mask;
        low ^= gp__shuffle_round(high, keys[r + 1]) & low_mask;
      }
      x = gp__u64(high) << low_bits | low;
    } while (x >= n);
    return x;
  }
};
template<class In, class Out> struct gp__shuffled_element {
  static GP_DEVICE Out at(const void *in, gp__u64 i) { return gp__as<const In>(in)[i]; }
};
template<class Out> struct gp__shuffled_element<gp__none, Out> { // indices
  static GP_DEVICE Out at(const void *, gp__u64 i) { return Out(i); }
};
// out[i] = in[p(i)]: consecutive stores, loads anywhere, several of a thread in flight.
template<class P, class In, class Out> GP_DEVICE void gp__shuffle(const gp__map_args &a) {
  const int ALL = gp__map_items(P::vectors, 0, 0, int(sizeof(Out))), ITEMS = ALL < 4 ? ALL : 4;
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), tiles = (n + ALL * P::threads - 1) / (ALL * P::threads);
  const gp__bijection p(a.value, n);
  Out *out = gp__as<Out>(a.out);
  for (gp__u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    GP__UNROLL_BY(1)
    for (int round = 0; round < ALL; round += ITEMS) {
      const gp__u64 first = (tile * ALL + round) * P::threads + threadIdx.x;
      gp__u64 from[ITEMS];
      Out x[ITEMS];
      GP__EACH(i, ITEMS) from[i] = first + i * P::threads < n ? p(first + i * P::threads) : 0;
      GP__EACH(i, ITEMS)
        if (first + i * P::threads < n) x[i] = gp__shuffled_element<In, Out>::at(a.in, from[i]);
      GP__EACH(i, ITEMS)
        if (first + i * P::threads < n) out[first + i * P::threads] = x[i];
    }
  }
}
