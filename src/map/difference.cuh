// map/difference.cuh - adjacent difference
// uses: core/words.h, device/vocabulary.cuh, map/arguments.h, device/operators.cuh, device/warp.cuh,
//   device/vector_access.cuh, device/kernel.cuh

// out[i] = f(in[i], in[i - 1]), RIGHT: in[i + 1]; the element without such a neighbour is copied. Works as a map. A
// run's outer neighbour comes from the adjacent lane, or from memory at the warp's edge.
template<class P, bool RIGHT, class F, class A, class R> GP_DEVICE void gp__adjacent(const gp__map_args &args) {
  const int SIZE = sizeof(A) > sizeof(R) ? sizeof(A) : sizeof(R), V = 16 % SIZE == 0 ? 16 / SIZE : 1;
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(args);
  if (count == 0) return;
  const A *in = gp__as<const A>(args.in);
  R *out = gp__as<R>(args.out);
  const gp__u64 edge = RIGHT ? count - 1 : 0; // the element that is copied
  const unsigned boundary = gp__vector_access_alignment<R, V>::value;
  const gp__u64 to_boundary = ((boundary - gp__misalignment(out, boundary)) & (boundary - 1)) / sizeof(R);
  const gp__u64 head = to_boundary < count ? to_boundary : count, runs = (count - head) / V, tail = head + runs * V;
  if (!blockIdx.x) { // fewer than V elements on either side of the runs
    const gp__u64 i = threadIdx.x < head ? threadIdx.x : tail + threadIdx.x - head;
    if (threadIdx.x < head || (threadIdx.x - head < V && i < count))
      out[i] = i == edge ? gp_convert<A, R>()(in[i]) : F()(in[i], in[RIGHT ? i + 1 : i - 1]);
  }
  const unsigned off = gp__misalignment(in + head, gp__vector_access_alignment<A, V>::value);
  const gp__u64 tile = gp__u64(P::threads) * P::vectors;
  for (gp__u64 first = blockIdx.x * tile; first < runs; first += gridDim.x * tile) {
    gp__vector_access<A, V> a[P::vectors];
    GP__EACH(k, P::vectors) { // lanes without a run load the last one, for the shuffles
      const gp__u64 mine = first + k * P::threads + threadIdx.x, r = mine < runs ? mine : runs - 1;
      a[k].template load<P::load>(in + head + r * V, off, r > 0 && r + 1 < runs);
    }
    GP__EACH(k, P::vectors) {
      const gp__u64 r = first + k * P::threads + threadIdx.x, i = head + r * V;
      A neighbour = RIGHT ? gp_warp_shift_down(a[k].item[0], 1) : gp_warp_shift_up(a[k].item[V - 1], 1);
      if (r >= runs) continue;
      if (RIGHT ? (gp_lane() == 31 || r + 1 == runs) && i + V < count : gp_lane() == 0 && i > 0)
        neighbour = in[RIGHT ? i + V : i - 1];
      gp__vector_access<R, V> q;
      GP__EACH(j, V) {
        const bool outer = RIGHT ? j == V - 1 : j == 0;
        q.item[j] = outer && i + j == edge
            ? gp_convert<A, R>()(a[k].item[j])
            : F()(a[k].item[j], outer ? neighbour : a[k].item[RIGHT ? (j + 1) % V : (j + V - 1) % V]);
      }
      q.template store<P::store>(out + i);
    }
  }
}
