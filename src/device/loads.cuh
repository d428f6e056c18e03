// device/loads.cuh - loads: an element becomes an accumulator
// uses: core/words.h, device/vocabulary.cuh, core/arguments.h, device/types.cuh

// Loads convert an element to an accumulator. Kernels that reduce construct theirs from their arguments, once.

// F converts; ARGMIN and ARGMAX also record the element's index.
template<class In, class Acc, class F> struct gp__load {
  gp__load() = default;
  template<class Args> GP_DEVICE explicit gp__load(const Args &) {}
  GP_DEVICE Acc operator()(const In &x, gp__u64) const { return F()(x); }
};
template<class In, class T, int PAD, class F> struct gp__load<In, gp_arg<T, PAD>, F> {
  gp__load() = default;
  template<class Args> GP_DEVICE explicit gp__load(const Args &) {}
  GP_DEVICE gp_arg<T, PAD> operator()(const In &x, gp__u64 index) const {
    return gp__make_arg<T>(F()(x), gp__i64(index));
  }
};

template<class In, class A, class F> struct gp__load<In, gp_both<A>, F> {
  gp__load() = default;
  template<class Args> GP_DEVICE explicit gp__load(const Args &) {}
  GP_DEVICE gp_both<A> operator()(const In &x, gp__u64 index) const {
    const A a = gp__load<In, A, F>()(x, index);
    return {a, a};
  }
};

// 1 if the predicate holds, otherwise 0 (count_if).
template<class T, class Predicate> struct gp__counted {
  const gp__value &scalar;
  template<class Args> GP_DEVICE explicit gp__counted(const Args &a) : scalar(a.scalar) {}
  GP_DEVICE gp__u32 operator()(const T &x, gp__u64) const { return Predicate()(x, scalar) ? 1u : 0u; }
};

// The index of an offset below its predecessor or beyond the limit; all ones if the offset is valid.
template<class O> struct gp__offset_fault {
  const O *offsets;
  gp__u64 limit;
  template<class Args>
  GP_DEVICE explicit gp__offset_fault(const Args &a) : offsets(gp__as<const O>(a.in)), limit(a.limit) {
    if (a.limit_device && *a.limit_device < limit) limit = *a.limit_device;
  }
  GP_DEVICE gp__u64 operator()(const O &x, gp__u64 index) const {
    return x > limit || (index > 0 && x < offsets[index - 1]) ? index : ~gp__u64(0);
  }
};
