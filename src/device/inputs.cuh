// device/inputs.cuh - elements of described inputs, made as they are loaded
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/common.cuh, core/arguments.h, core/input_data.h,
//   device/types.cuh, device/operators.cuh, device/warp.cuh, device/vector_access.cuh

// A description is a type. at(i) makes element i, and load makes V consecutive ones: arrays are read by vectors. If
// `aligned`, load_whole makes V from a multiple of V on, by vectors alone: loads that depend on nothing are issued
// together. apart: neighbours are not side by side in memory, so that neighbouring threads should read them.
template<class T, int ARRAY> struct gp__input_array {
  typedef T type;
  static const bool apart = false;
  const T *data;
  GP_DEVICE explicit gp__input_array(const gp__input_data &d) : data(gp__as<const T>(d.array[ARRAY])) {}
  GP_DEVICE T at(gp__u64 i) const { return data[i]; }
  template<int CACHE, int V> GP_DEVICE void load(gp__u64 i, T (&x)[V]) const {
    gp__vector_access<T, V> v;
    v.template load<CACHE>(data + i, gp__misalignment(data + i, gp__vector_access_alignment<T, V>::value), false);
    GP__EACH(j, V) x[j] = v.item[j];
  }
  template<int V> GP_DEVICE bool aligned() const {
    return !gp__misalignment(data, gp__vector_access_alignment<T, V>::value);
  }
  template<int CACHE, int V> GP_DEVICE void load_whole(gp__u64 i, T (&x)[V]) const {
    gp__vector_access<T, V> v;
    v.template load<CACHE>(data + i, 0, false);
    GP__EACH(j, V) x[j] = v.item[j];
  }
};
// The base of those whose elements are made one by one.
template<class Input, class T> struct gp__input_by_element {
  typedef T type;
  static const bool apart = false;
  template<int CACHE, int V> GP_DEVICE void load(gp__u64 i, T (&x)[V]) const {
    GP__EACH(j, V) x[j] = gp__as<const Input>(this)->at(i + j);
  }
  template<int V> GP_DEVICE bool aligned() const { return true; }
  template<int CACHE, int V> GP_DEVICE void load_whole(gp__u64 i, T (&x)[V]) const { load<CACHE>(i, x); }
};
template<class T, int VALUE> struct gp__input_constant : gp__input_by_element<gp__input_constant<T, VALUE>, T> {
  const gp__value &value;
  GP_DEVICE explicit gp__input_constant(const gp__input_data &d) : value(d.value[VALUE]) {}
  GP_DEVICE T at(gp__u64) const { return gp__value_as<T>(value); }
};
template<class T, int VALUE> struct gp__input_ramp : gp__input_by_element<gp__input_ramp<T, VALUE>, T> {
  typedef typename gp__traits<T>::wide W;
  W start, step;
  GP_DEVICE explicit gp__input_ramp(const gp__input_data &d)
    : start(W(gp__value_as<T>(d.value[VALUE]))), step(W(*gp__as<const T>(&d.step[VALUE]))) {}
  GP_DEVICE T at(gp__u64 i) const { return T(start + gp__product(W(i), step)); }
};
template<class T, int ARRAY> struct gp__input_strided : gp__input_by_element<gp__input_strided<T, ARRAY>, T> {
  static const bool apart = true;
  const T *data;
  gp__i64 stride;
  GP_DEVICE explicit gp__input_strided(const gp__input_data &d)
    : data(gp__as<const T>(d.array[ARRAY])), stride(d.stride[ARRAY]) {}
  GP_DEVICE T at(gp__u64 i) const { return data[gp__i64(i) * stride]; }
};
template<class A, class B> struct gp__input_gathered {
  typedef typename A::type type;
  static const bool apart = B::apart;
  A a;
  B b;
  GP_DEVICE explicit gp__input_gathered(const gp__input_data &d) : a(d), b(d) {}
  GP_DEVICE type at(gp__u64 i) const { return a.at(gp__u64(b.at(i))); }
  template<int CACHE, int V> GP_DEVICE void load(gp__u64 i, type (&x)[V]) const {
    typename B::type index[V];
    b.template load<CACHE>(i, index);
    GP__EACH(j, V) x[j] = a.at(gp__u64(index[j]));
  }
  template<int V> GP_DEVICE bool aligned() const { return b.template aligned<V>(); }
  template<int CACHE, int V> GP_DEVICE void load_whole(gp__u64 i, type (&x)[V]) const {
    typename B::type index[V];
    b.template load_whole<CACHE>(i, index);
    GP__EACH(j, V) x[j] = a.at(gp__u64(index[j]));
  }
};
template<class F, class R, class A, class B = gp__none> struct gp__input_mapped {
  typedef R type;
  static const bool apart = A::apart || B::apart;
  A a;
  B b;
  GP_DEVICE explicit gp__input_mapped(const gp__input_data &d) : a(d), b(d) {}
  GP_DEVICE R at(gp__u64 i) const { return F()(a.at(i), b.at(i)); }
  template<int CACHE, int V> GP_DEVICE void load(gp__u64 i, R (&x)[V]) const {
    typename A::type p[V];
    typename B::type q[V];
    a.template load<CACHE>(i, p);
    b.template load<CACHE>(i, q);
    GP__EACH(j, V) x[j] = F()(p[j], q[j]);
  }
  template<int V> GP_DEVICE bool aligned() const { return a.template aligned<V>() && b.template aligned<V>(); }
  template<int CACHE, int V> GP_DEVICE void load_whole(gp__u64 i, R (&x)[V]) const {
    typename A::type p[V];
    typename B::type q[V];
    a.template load_whole<CACHE>(i, p);
    b.template load_whole<CACHE>(i, q);
    GP__EACH(j, V) x[j] = F()(p[j], q[j]);
  }
};
template<class F, class R, class A> struct gp__input_mapped<F, R, A, gp__none> {
  typedef R type;
  static const bool apart = A::apart;
  A a;
  GP_DEVICE explicit gp__input_mapped(const gp__input_data &d) : a(d) {}
  GP_DEVICE R at(gp__u64 i) const { return F()(a.at(i)); }
  template<int CACHE, int V> GP_DEVICE void load(gp__u64 i, R (&x)[V]) const {
    typename A::type p[V];
    a.template load<CACHE>(i, p);
    GP__EACH(j, V) x[j] = F()(p[j]);
  }
  template<int V> GP_DEVICE bool aligned() const { return a.template aligned<V>(); }
  template<int CACHE, int V> GP_DEVICE void load_whole(gp__u64 i, R (&x)[V]) const {
    typename A::type p[V];
    a.template load_whole<CACHE>(i, p);
    GP__EACH(j, V) x[j] = F()(p[j]);
  }
};

// The members of a struct, as C lays them out; gp__none: there is no such member.
template<class A, class B, class C, class D> struct gp__members {
  A a;
  B b;
  C c;
  D d;
};
template<class A, class B, class C> struct gp__members<A, B, C, gp__none> {
  A a;
  B b;
  C c;
};
template<class A, class B> struct gp__members<A, B, gp__none, gp__none> {
  A a;
  B b;
};
struct gp__input_absent { // of a struct's member
  typedef gp__none type;
  static const bool apart = false;
  GP_DEVICE explicit gp__input_absent(const gp__input_data &) {}
};
template<class A, class B, class C, class D, class MC, class MD>
GP_DEVICE void gp__set_member_c(gp__members<A, B, C, D> &m, const MC &c, const MD &, gp__u64 i) {
  m.c = c.at(i);
}
template<class A, class B, class MC, class MD>
GP_DEVICE void gp__set_member_c(gp__members<A, B, gp__none, gp__none> &, const MC &, const MD &, gp__u64) {}
template<class A, class B, class C, class D, class MD>
GP_DEVICE void gp__set_member_d(gp__members<A, B, C, D> &m, const MD &d, gp__u64 i) {
  m.d = d.at(i);
}
template<class A, class B, class C, class MD>
GP_DEVICE void gp__set_member_d(gp__members<A, B, C, gp__none> &, const MD &, gp__u64) {}
template<class S, class A, class B, class C = gp__input_absent, class D = gp__input_absent>
struct gp__input_zipped : gp__input_by_element<gp__input_zipped<S, A, B, C, D>, S> {
  typedef gp__members<typename A::type, typename B::type, typename C::type, typename D::type> Members;
  static_assert(sizeof(Members) == sizeof(S), "the struct of a zipped input has other members");
  static const bool apart = A::apart || B::apart || C::apart || D::apart;
  union Whole {
    S s;
    Members m;
    GP_DEVICE Whole() {}
  };
  A a;
  B b;
  C c;
  D d;
  GP_DEVICE explicit gp__input_zipped(const gp__input_data &data) : a(data), b(data), c(data), d(data) {}
  GP_DEVICE S at(gp__u64 i) const {
    Whole whole;
    whole.m.a = a.at(i);
    whole.m.b = b.at(i);
    gp__set_member_c(whole.m, c, d, i);
    gp__set_member_d(whole.m, d, i);
    return whole.s;
  }
};

// Makes the elements first .. first + items - 1, by THREADS threads, in shared memory: `to` is at a 16-byte boundary.
template<int RUNS, int THREADS, int CACHE, int V, class T, class Input>
GP_DEVICE void gp__make_runs(const Input &input, gp__u64 first, unsigned round, T *to, unsigned thread) {
  gp__vector_access<T, V> run[RUNS];
  GP__EACH(k, RUNS) input.template load<CACHE>(first + ((round + k) * THREADS + thread) * V, run[k].item);
  GP__EACH(k, RUNS) run[k].template store<GP_CACHE_ALL>(to + ((round + k) * THREADS + thread) * V);
}
template<int THREADS, int CACHE, class T, class Input>
GP_DEVICE void gp__make_tile(const Input &input, gp__u64 first, gp__u64 items, T *to, unsigned thread) {
  const int V = 16 % sizeof(T) == 0 && !Input::apart ? 16 / int(sizeof(T)) : 1;
  const unsigned all = unsigned(items), whole = all / (THREADS * V); // rounds of a run for every thread
  unsigned round = 0;
  for (; round + 4 <= whole; round += 4) gp__make_runs<4, THREADS, CACHE, V>(input, first, round, to, thread);
  for (; round < whole; ++round) gp__make_runs<1, THREADS, CACHE, V>(input, first, round, to, thread);
  for (unsigned i = whole * (THREADS * V) + thread; i < all; i += THREADS) to[i] = input.at(first + i);
}

// A kernel's arguments, and the data of the described inputs behind them.
template<class Args> struct gp__with_input : Args { gp__input_data input; };

// A kernel's functor that also says where its operands come from: a description, or gp__from_array. Made from the
// kernel's arguments, it has their elements.
struct gp__from_array {
  GP_DEVICE explicit gp__from_array(const gp__input_data &) {}
};
template<class F, class A, class B = gp__from_array> struct gp__described : F {
  A first;
  B second;
  template<class Args>
  GP_DEVICE explicit gp__described(const Args &a)
    : F(a), first(static_cast<const gp__with_input<Args> &>(a).input),
      second(static_cast<const gp__with_input<Args> &>(a).input) {}
};
// A functor that needs nothing from the arguments.
template<class F> struct gp__stateless : F {
  gp__stateless() = default;
  template<class Args> GP_DEVICE explicit gp__stateless(const Args &) {}
};
// The functor itself, and what loads its operands: nothing but pointers, if all are arrays.
struct gp__arrays {
  template<class Args> GP_DEVICE explicit gp__arrays(const Args &) {}
};
template<class F> struct gp__operands {
  static const bool described = false;
  typedef F functor;
  typedef gp__arrays type;
};
template<class F, class A, class B> struct gp__operands<gp__described<F, A, B>> {
  static const bool described = true;
  typedef F functor;
  typedef gp__described<F, A, B> type;
};
// Whether the elements of the first operand are apart in memory.
template<class Operands> struct gp__operands_apart { static const bool value = false; };
template<class F, class A, class B> struct gp__operands_apart<gp__described<F, A, B>> {
  static const bool value = A::apart;
};

// Loads a run of elements, from the i-th one on: of the array `in`, or of a described operand.
template<int CACHE, class T, int V, class Operands>
GP_DEVICE void gp__load_operand(
    gp__vector_access<T, V> &to, const Operands &, const T *in, gp__u64 i, unsigned misaligned, bool inner) {
  to.template load<CACHE>(in + i, misaligned, inner);
}
template<int CACHE, class T, int V, class F, class A, class B>
GP_DEVICE void gp__load_operand(
    gp__vector_access<T, V> &to, const gp__described<F, A, B> &operands, const T *, gp__u64 i, unsigned, bool) {
  operands.first.template load<CACHE>(i, to.item);
}
template<int CACHE, class T, int V, class F, class B>
GP_DEVICE void gp__load_operand(gp__vector_access<T, V> &to, const gp__described<F, gp__from_array, B> &, const T *in,
    gp__u64 i, unsigned misaligned, bool inner) {
  to.template load<CACHE>(in + i, misaligned, inner);
}
template<int CACHE, class T, int V, class Operands>
GP_DEVICE void gp__load_second(
    gp__vector_access<T, V> &to, const Operands &, const T *in, gp__u64 i, unsigned misaligned, bool inner) {
  to.template load<CACHE>(in + i, misaligned, inner);
}
template<int CACHE, class T, int V, class F, class A, class B>
GP_DEVICE void gp__load_second(
    gp__vector_access<T, V> &to, const gp__described<F, A, B> &operands, const T *, gp__u64 i, unsigned, bool) {
  operands.second.template load<CACHE>(i, to.item);
}
template<int CACHE, class T, int V, class F, class A>
GP_DEVICE void gp__load_second(gp__vector_access<T, V> &to, const gp__described<F, A, gp__from_array> &, const T *in,
    gp__u64 i, unsigned misaligned, bool inner) {
  to.template load<CACHE>(in + i, misaligned, inner);
}
// The i-th element.
template<class T> GP_DEVICE T gp__operand_at(const gp__arrays &, const T *in, gp__u64 i) { return in[i]; }
template<class F, class A, class B, class T>
GP_DEVICE T gp__operand_at(const gp__described<F, A, B> &operands, const T *, gp__u64 i) {
  return operands.first.at(i);
}
// The i-th element as an accumulator.
template<class F, class T>
GP_DEVICE auto gp__loaded(const F &load, const T *in, gp__u64 i) -> decltype(load(in[i], i)) {
  return load(in[i], i);
}
template<class F, class A, class B, class T>
GP_DEVICE auto gp__loaded(const gp__described<F, A, B> &load, const T *in, gp__u64 i) -> decltype(load(in[i], i)) {
  return load(load.first.at(i), i);
}
