// reverse/kernels.cuh - reverse: elements in the opposite order; swap: two arrays change places
// uses: core/words.h, device/vocabulary.cuh, map/arguments.h, device/warp.cuh, device/vector_access.cuh,
//   device/kernel.cuh

// out[i] = in[count - 1 - i]. A thread takes runs of V elements, `vectors` of them in flight, and reverses each in its
// registers. Stores are aligned: the first elements of the output, up to a boundary, are written one by one.
//
// In place, a thread swaps a run of the first half with the run that mirrors it. No other thread touches either, so
// both are loaded before one is stored. If the mirroring run crosses a 16-byte boundary, its elements are loaded and
// stored one by one, because whole vectors would hold elements of other threads.
//
// SWAP: the partner of a run of `out` is the same run of the second array, `in2`, in the same order; else as in place.
template<class P, class T, bool SWAP> GP_DEVICE void gp__reverse_or_swap(const gp__map_args &args) {
  const int V = 16 % sizeof(T) == 0 ? 16 / int(sizeof(T)) : 1;
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(args);
  const T *in = gp__as<const T>(SWAP ? args.in2 : args.in);
  T *out = gp__as<T>(args.out);
  T *partners = SWAP ? const_cast<T *>(in) : out; // in place
  const bool in_place = SWAP || in == out;
  const gp__u64 all = in_place && !SWAP ? count / 2 : count; // elements of the output that form runs
  const unsigned boundary = gp__vector_access_alignment<T, V>::value;
  const gp__u64 to_boundary = ((boundary - gp__misalignment(out, boundary)) & (boundary - 1)) / sizeof(T);
  const gp__u64 head = to_boundary < all ? to_boundary : all, runs = (all - head) / V, tail = head + runs * V;
  if (!blockIdx.x) { // fewer than V elements on either side of the runs
    const gp__u64 i = threadIdx.x < head ? threadIdx.x : tail + threadIdx.x - head;
    if (threadIdx.x < head || (threadIdx.x - head < V && i < all)) {
      const gp__u64 partner = SWAP ? i : count - 1 - i;
      const T mirrored = in[partner];
      if (in_place) partners[partner] = out[i];
      out[i] = mirrored;
    }
  }
  const gp__u64 end = count - head; // run r mirrors the V elements before end - r * V
  const unsigned off = gp__misalignment(in + (SWAP ? head : end), boundary);
  const gp__u64 tile = gp__u64(P::threads) * P::vectors;
  for (gp__u64 first = blockIdx.x * tile; first < runs; first += gridDim.x * tile) {
    gp__vector_access<T, V> a[P::vectors], b[P::vectors];
    GP__EACH(k, P::vectors) {
      const gp__u64 r = first + k * P::threads + threadIdx.x;
      if (r < runs) {
        a[k].template load<P::load>(
            in + (SWAP ? head + r * V : end - (r + 1) * V), off, !in_place && r > 0 && r + 1 < runs);
        if (in_place) b[k].template load<P::load>(out + (head + r * V), 0, false);
      }
    }
    GP__EACH(k, P::vectors) {
      const gp__u64 r = first + k * P::threads + threadIdx.x;
      if (r < runs) {
        gp__vector_access<T, V> q;
        GP__EACH(j, V) q.item[j] = a[k].item[SWAP ? j : V - 1 - j];
        q.template store<P::store>(out + (head + r * V));
        if (!in_place) continue;
        GP__EACH(j, V) q.item[j] = b[k].item[SWAP ? j : V - 1 - j];
        T *partner = partners + (SWAP ? head + r * V : end - (r + 1) * V);
        if (off == 0) q.template store<P::store>(partner);
        else {
          GP__EACH(j, V) partner[j] = q.item[j];
        }
      }
    }
  }
}
template<class P, class T> GP_DEVICE void gp__reverse(const gp__map_args &args) {
  gp__reverse_or_swap<P, T, false>(args);
}
template<class P, class T> GP_DEVICE void gp__swap(const gp__map_args &args) { gp__reverse_or_swap<P, T, true>(args); }
