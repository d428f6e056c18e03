// scatter/kernels.cuh - scatter and gather: elements stored or read at indices, and where a stencil says so
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, map/policy.h, scatter/arguments.h, device/types.cuh,
//   device/operators.cuh, device/warp.cuh, device/vector_access.cuh, device/inputs.cuh, device/kernel.cuh

// Whether the stencil lets an element pass. There may be none.
template<class F, class K> struct gp__stencil {
  static GP_DEVICE bool passes(const gp__vector_access<K, 1> &key, const gp__scatter_args &args) {
    return F()(key.item[0], args.scalar);
  }
};
template<class F> struct gp__stencil<F, gp__none> {
  static GP_DEVICE bool passes(const gp__vector_access<gp__none, 1> &, const gp__scatter_args &) { return true; }
};
// The place of element i, or a place that is none. Negative indices are such.
template<class I> struct gp__indexed_place {
  static GP_DEVICE gp__u64 limit(const gp__scatter_args &args, gp__u64) { return args.limit; }
  static GP_DEVICE gp__u64 at(const gp__vector_access<I, 1> &index, gp__u64) { return gp__u64(gp__i64(index.item[0])); }
};
template<> struct gp__indexed_place<gp__none> {
  static GP_DEVICE gp__u64 limit(const gp__scatter_args &, gp__u64 count) { return count; }
  static GP_DEVICE gp__u64 at(const gp__vector_access<gp__none, 1> &, gp__u64 i) { return i; }
};

// Scatter: out[index[i]] = in[i] where the stencil lets element i pass. GATHER: out[i] = in[index[i]]. L makes a result
// of an element. Indices and elements are read only where they are needed. Neighbouring threads take neighbouring
// elements, one at a time: a store of a vector would write what the stencil keeps. In place (without indices) each
// thread reads its elements before it writes them, and no other thread reads them.
//
// Windows: random indices write sectors of 32 bytes in parts, and each part goes to memory and back unless L2 still has
// the sector. So the output is written window by window, each small enough for L2, and the indices are read again for
// each. A warp whose indices are near one another writes all of its elements at once, and skips that tile later.
template<class P, bool GATHER, class F, class L, class A, class I, class K, class R>
GP_DEVICE void gp__scatter(const gp__scatter_args &args) {
  const int ITEMS = gp__map_items(P::vectors, sizeof(A), sizeof(I), sizeof(R));
  const int ELEMENTS = GATHER && P::load == GP_CACHE_STREAMING ? GP_CACHE_ALL : P::load; // indices leave L2 first
  typedef gp__stencil<typename gp__operands<F>::functor, K> stencil;
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(args), limit = gp__indexed_place<I>::limit(args, count);
  const A *in = gp__as<const A>(args.in);
  const I *indices = gp__as<const I>(args.in2);
  const K *keys = gp__as<const K>(args.keys);
  const typename gp__operands<F>::type operands(args);
  R *out = gp__as<R>(args.out);
  const gp__u64 tile = gp__u64(P::threads) * ITEMS;
  const bool windows = !GATHER && args.window && args.window < limit;
  const gp__u64 window = windows ? args.window : limit;
  const gp__u64 near = 32 * ITEMS * 4;
  gp__u64 done = 0; // lane l: tiles 64 l .. 64 l + 63 of this warp
  for (gp__u64 low = 0; low < limit; low += window) {
    unsigned turn = 0;
    for (gp__u64 start = blockIdx.x * tile; start < count; start += gridDim.x * tile, ++turn) {
      const gp__u64 first = start + threadIdx.x;
      if (windows) {
        const gp__u64 bits = gp_warp_broadcast(done, int(turn / 64 % 32));
        if (turn < 2048 && bits >> (turn % 64) & 1) continue;
      }
      gp__vector_access<K, 1> key[ITEMS];
      gp__vector_access<I, 1> index[ITEMS];
      gp__vector_access<A, 1> x[ITEMS];
      gp__u64 place[ITEMS];
      GP__EACH(k, ITEMS)
        if (first + k * P::threads < count) key[k].template load<P::load>(keys + first + k * P::threads, 0, false);
      GP__EACH(k, ITEMS) {
        const gp__u64 i = first + k * P::threads;
        const bool passes = i < count && stencil::passes(key[k], args);
        if (passes) gp__load_second<P::load>(index[k], operands, indices, i, 0, false);
        place[k] = passes ? gp__indexed_place<I>::at(index[k], i) : limit;
      }
      if (windows) {
        gp__u64 least = limit, most = 0;
        GP__EACH(k, ITEMS)
          if (place[k] < limit) {
            least = place[k] < least ? place[k] : least;
            most = place[k] > most ? place[k] : most;
          }
        least = gp_warp_broadcast(gp_warp_reduce(least, gp_min<gp__u64>()), 0);
        most = gp_warp_broadcast(gp_warp_reduce(most, gp_max<gp__u64>()), 0);
        if (turn < 2048 && (least >= most || most - least < near)) {
          if (gp_lane() == turn / 64) done |= gp__u64(1) << (turn % 64);
        } else {
          GP__EACH(k, ITEMS)
            if (place[k] - low >= window) place[k] = limit; // those below, too
        }
      }
      GP__EACH(k, ITEMS)
        if (place[k] < limit)
          gp__load_operand<ELEMENTS>(x[k], operands, in, GATHER ? place[k] : first + k * P::threads, 0, false);
      GP__EACH(k, ITEMS) {
        gp__vector_access<R, 1> y;
        if (place[k] >= limit) continue;
        y.item[0] = L()(x[k].item[0]);
        y.template store<P::store>(out + (GATHER ? first + k * P::threads : place[k]));
      }
    }
  }
}
