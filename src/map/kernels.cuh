// map/kernels.cuh - copy, fill, iota, transform
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, map/arguments.h,
//   device/types.cuh, device/operators.cuh, device/warp.cuh, device/vector_access.cuh, device/inputs.cuh,
//   device/tile_load.cuh, device/kernel.cuh

// Copies bytes, whatever their type. The output is peeled to 16-byte boundaries. An input with another misalignment is
// read as aligned vectors, which are shifted in registers.
template<class P, int SIZE> GP_DEVICE void gp__copy_kernel(const gp__map_args &a) {
  gp__pdl_wait<P>();
  const gp__u64 bytes = gp__count(a) * SIZE;
  const gp__u8 *in = gp__as<const gp__u8>(a.in);
  gp__u8 *out = gp__as<gp__u8>(a.out);
  const gp__u64 to_boundary = (16 - gp__misalignment(out, 16)) & 15u, head = to_boundary < bytes ? to_boundary : bytes;
  const gp__u64 vectors = (bytes - head) / 16, tail = head + vectors * 16;
  if (!blockIdx.x) {
    if (threadIdx.x < head) out[threadIdx.x] = in[threadIdx.x];
    if (tail + threadIdx.x < bytes) out[tail + threadIdx.x] = in[tail + threadIdx.x];
  }
  in += head;
  out += head;
  const unsigned offset = gp__misalignment(in, 16);
  const gp__u8 *base = in - offset;
  const gp__u64 tile = gp__u64(P::threads) * P::vectors;
  for (gp__u64 first = blockIdx.x * tile; first < vectors; first += gridDim.x * tile) {
    gp_vector v[P::vectors];
    if (offset == 0 && first + tile <= vectors) {
      GP__EACH(k, P::vectors) v[k] = gp__load_vector<P::load>(in + (first + k * P::threads + threadIdx.x) * 16);
      GP__EACH(k, P::vectors) gp__store_vector<P::store>(out + (first + k * P::threads + threadIdx.x) * 16, v[k]);
    } else {
      GP__EACH(k, P::vectors) {
        const gp__u64 i = first + k * P::threads + threadIdx.x;
        if (i >= vectors) continue;
        if (offset == 0) v[k] = gp__load_vector<P::load>(base + i * 16);
        else if (i > 0 && i + 1 < vectors)
          v[k] = gp__shift_vectors(
              gp__load_vector<GP_CACHE_ALL>(base + i * 16), gp__load_vector<GP_CACHE_ALL>(base + i * 16 + 16), offset);
        else {
          gp__vec<gp__u8> p;
          GP__EACH(j, 16) p.item[j] = in[i * 16 + j];
          v[k] = p.vector;
        }
      }
      GP__EACH(k, P::vectors) {
        const gp__u64 i = first + k * P::threads + threadIdx.x;
        if (i < vectors) gp__store_vector<P::store>(out + i * 16, v[k]);
      }
    }
  }
}

template<class R> struct gp__fill_value {};
template<class R> struct gp__iota_value {};
template<class R, class Predicate> struct gp__replace_value {};

// The value of element `i`: the five shapes of a map.
template<class F, class A, class B, class R> struct gp__element {
  template<int V>
  static GP_DEVICE R at(
      const gp__vector_access<A, V> &a, const gp__vector_access<B, V> &b, int j, gp__u64, const gp__map_args &) {
    return F()(a.item[j], b.item[j]);
  }
};
template<class F, class A, class R> struct gp__element<F, A, gp__none, R> {
  template<int V>
  static GP_DEVICE R at(
      const gp__vector_access<A, V> &a, const gp__vector_access<gp__none, V> &, int j, gp__u64, const gp__map_args &) {
    return F()(a.item[j]);
  }
};
template<class R, class Predicate> struct gp__element<gp__replace_value<R, Predicate>, R, gp__none, R> {
  template<int V>
  static GP_DEVICE R at(const gp__vector_access<R, V> &a, const gp__vector_access<gp__none, V> &, int j, gp__u64,
      const gp__map_args &args) {
    return Predicate()(a.item[j], args.step) ? gp__value_as<R>(args.value) : a.item[j];
  }
};
template<class R> struct gp__element<gp__fill_value<R>, gp__none, gp__none, R> {
  template<int V>
  static GP_DEVICE R at(const gp__vector_access<gp__none, V> &, const gp__vector_access<gp__none, V> &, int, gp__u64,
      const gp__map_args &args) {
    return gp__value_as<R>(args.value);
  }
};
template<class R> struct gp__element<gp__iota_value<R>, gp__none, gp__none, R> {
  typedef typename gp__traits<R>::wide W;
  template<int V>
  static GP_DEVICE R at(const gp__vector_access<gp__none, V> &, const gp__vector_access<gp__none, V> &, int, gp__u64 i,
      const gp__map_args &args) {
    const W start = W(gp__value_as<R>(args.value)), step = W(gp__value_as<R>(args.step));
    return R(start + gp__product(W(i), step));
  }
};

// out[i] = f(a[i], b[i]): a thread takes one run of V elements at a time, `vectors` runs in flight.
template<class P, class F, class A, class B, class R> GP_DEVICE void gp__map_kernel(const gp__map_args &args) {
  const int SIZE_AB = sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B),
            SIZE = SIZE_AB > int(sizeof(R)) ? SIZE_AB : int(sizeof(R));
  const int V = 16 % SIZE == 0 ? 16 / SIZE : 1;
  typedef gp__element<typename gp__operands<F>::functor, A, B, R> element;
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(args);
  const A *in = gp__as<const A>(args.in);
  const B *in2 = gp__as<const B>(args.in2);
  const typename gp__operands<F>::type operands(args);
  R *out = gp__as<R>(args.out);
  const unsigned boundary = gp__vector_access_alignment<R, V>::value;
  const gp__u64 to_boundary = ((boundary - gp__misalignment(out, boundary)) & (boundary - 1)) / sizeof(R);
  const gp__u64 head = to_boundary < count ? to_boundary : count, runs = (count - head) / V, tail = head + runs * V;
  if (!blockIdx.x) { // fewer than V elements on either side of the runs
    const gp__u64 i = threadIdx.x < head ? threadIdx.x : tail + threadIdx.x - head;
    if (threadIdx.x < head || (threadIdx.x - head < V && i < count)) {
      gp__vector_access<A, 1> a;
      gp__vector_access<B, 1> b;
      gp__load_operand<GP_CACHE_ALL>(a, operands, in, i, 0, false);
      gp__load_second<GP_CACHE_ALL>(b, operands, in2, i, 0, false);
      out[i] = element::at(a, b, 0, i, args);
    }
  }
  const unsigned off = gp__misalignment(in + head, gp__vector_access_alignment<A, V>::value);
  const unsigned off2 = gp__misalignment(in2 + head, gp__vector_access_alignment<B, V>::value);
  const gp__u64 tile = gp__u64(P::threads) * P::vectors;
  for (gp__u64 first = blockIdx.x * tile; first < runs; first += gridDim.x * tile) {
    gp__vector_access<A, V> a[P::vectors];
    gp__vector_access<B, V> b[P::vectors];
    GP__EACH(k, P::vectors) {
      const gp__u64 r = first + k * P::threads + threadIdx.x, i = head + r * V;
      if (r < runs) {
        gp__load_operand<P::load>(a[k], operands, in, i, off, r > 0 && r + 1 < runs);
        gp__load_second<P::load>(b[k], operands, in2, i, off2, r > 0 && r + 1 < runs);
      }
    }
    GP__EACH(k, P::vectors) {
      const gp__u64 r = first + k * P::threads + threadIdx.x, i = head + r * V;
      if (r < runs) {
        gp__vector_access<R, V> q;
        GP__EACH(j, V) q.item[j] = element::at(a[k], b[k], j, i + j, args);
        q.template store<P::store>(out + i);
      }
    }
  }
}
