// device/operators.cuh - conversions and operators
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, core/arguments.h, device/types.cuh

// Conversions (the unary operator CONVERT).

// To a float type, in one rounding.
template<class T> GP_DEVICE T gp__from_double(double x) { return sizeof(T) < 4 ? T(gp__f32_to_odd(x)) : T(x); }

// A float to an integer: toward zero, saturated, NaN to 0.
template<class R, class A> GP_DEVICE R gp__saturate(A x) {
  const A high = A(gp__limits<R>::highest()) + (sizeof(R) >= sizeof(A) ? A(0) : A(1)); // first beyond R
  if (x != x) return 0;
  if (x >= high) return gp__limits<R>::highest();
  if (x <= A(gp__limits<R>::lowest())) return gp__limits<R>::lowest();
  return R(x);
}

// 1 or 0. Floats come from bits: a converted predicate, rounded to f16 afterwards, came out as the bits 1 on sm_90
// (NVRTC 13.0).
template<class W> GP_DEVICE W gp__truth(bool x) { return x ? 1 : 0; }
template<> GP_DEVICE float gp__truth<float>(bool x) { return gp__f32_from_bits(x ? 0x3f800000u : 0u); }
template<> GP_DEVICE double gp__truth<double>(bool x) { return gp__f64_from_bits(x ? 0x3ff0000000000000ull : 0ull); }

template<class A, class R, gp__kind = gp__traits<A>::kind, gp__kind = gp__traits<R>::kind> struct gp__converter {
  static GP_DEVICE R run(A a) { // integer to integer: wraps
    return sizeof(R) == 1 && sizeof(A) > 1 ? R(gp__opaque(gp__u32(a))) : R(a);
  }
};
template<class T> struct gp__converter<T, T, GP__STRUCT, GP__STRUCT> {
  static GP_DEVICE T run(const T &a) { return a; }
};
template<class T> struct gp__converter<T, T, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE T run(T a) { return a; }
};
template<class A, class R> struct gp__converter<A, R, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE R run(A a) { return gp__from_double<R>(double(static_cast<typename gp__traits<A>::wide>(a))); }
};
template<class A> struct gp__converter<A, float, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE float run(A a) { return float(a); }
};
template<> struct gp__converter<float, float, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE float run(float a) { return a; }
};
template<class R> struct gp__converter<float, R, GP__FLOAT, GP__FLOAT> {
  static GP_DEVICE R run(float a) { return R(a); }
};
template<class A, class R> struct gp__converter<A, R, GP__FLOAT, GP__SIGNED> {
  static GP_DEVICE R run(A a) { return gp__saturate<R>(static_cast<typename gp__traits<A>::wide>(a)); }
};
template<class A, class R> struct gp__converter<A, R, GP__FLOAT, GP__UNSIGNED> {
  static GP_DEVICE R run(A a) { return gp__saturate<R>(static_cast<typename gp__traits<A>::wide>(a)); }
};
// Integer to float: one rounding; through double for the half types.
template<class A, class R> struct gp__converter<A, R, GP__SIGNED, GP__FLOAT> {
  static GP_DEVICE R run(A a) { return gp__from_double<R>(double(a)); }
};
template<class A, class R> struct gp__converter<A, R, GP__UNSIGNED, GP__FLOAT> {
  static GP_DEVICE R run(A a) { return gp__from_double<R>(double(a)); }
};
template<class A> struct gp__converter<A, float, GP__SIGNED, GP__FLOAT> {
  static GP_DEVICE float run(A a) { return float(a); }
};
template<class A> struct gp__converter<A, float, GP__UNSIGNED, GP__FLOAT> {
  static GP_DEVICE float run(A a) { return float(a); }
};
// To and from bool: true unless zero, so NaN is true; 0 or 1. bool to bool writes 0 or 1.
template<class A, class R, gp__kind KIND> struct gp__converter<A, R, KIND, GP__BOOL> {
  static GP_DEVICE R run(A a) { return R(static_cast<typename gp__traits<A>::wide>(a) != 0 ? 1u : 0u); }
};
template<class A, class R, gp__kind KIND> struct gp__converter<A, R, GP__BOOL, KIND> {
  static GP_DEVICE R run(A a) { return R(gp__truth<typename gp__traits<R>::wide>(a.bits != 0)); }
};
template<class T> struct gp__converter<T, T, GP__BOOL, GP__BOOL> {
  static GP_DEVICE T run(T a) { return T(a.bits); }
};
// To and from complex: a real number has the imaginary part 0; to a real number the imaginary part is lost, as in C.
template<class F, class R, gp__kind KIND> struct gp__converter<gp_complex<F>, R, GP__COMPLEX, KIND> {
  static GP_DEVICE R run(gp_complex<F> a) { return gp__converter<F, R>::run(a.re); }
};
template<class A, class F, gp__kind KIND> struct gp__converter<A, gp_complex<F>, KIND, GP__COMPLEX> {
  static GP_DEVICE gp_complex<F> run(A a) { return gp_complex<F>(gp__converter<A, F>::run(a)); }
};
template<class F, class R> struct gp__converter<gp_complex<F>, gp_complex<R>, GP__COMPLEX, GP__COMPLEX> {
  static GP_DEVICE gp_complex<R> run(gp_complex<F> a) {
    return gp_complex<R>(gp__converter<F, R>::run(a.re), gp__converter<F, R>::run(a.im));
  }
};
template<class F, class R> struct gp__converter<gp_complex<F>, R, GP__COMPLEX, GP__BOOL> {
  static GP_DEVICE R run(gp_complex<F> a) { return R(a.re != 0 || a.im != 0 ? 1u : 0u); }
};
template<class A, class F> struct gp__converter<A, gp_complex<F>, GP__BOOL, GP__COMPLEX> {
  static GP_DEVICE gp_complex<F> run(A a) { return gp_complex<F>(gp__truth<F>(a.bits != 0)); }
};
// The absolute value: of f32 rounded once or twice, of f64 within two units in the last place; infinite parts win.
GP_DEVICE float gp__magnitude_of(gp_c32 a) {
  const double x = a.re, y = a.im, infinite = gp__f32_from_bits(0x7f800000u);
  if (x == infinite || -x == infinite || y == infinite || -y == infinite) return gp__f32_from_bits(0x7f800000u);
  return float(gp__root_f64(gp__product(x, x) + gp__product(y, y)));
}
GP_DEVICE double gp__magnitude_of(gp_c64 a) {
  const double x = a.re < 0 ? -a.re : a.re, y = a.im < 0 ? -a.im : a.im, infinite = gp__f32_from_bits(0x7f800000u);
  const double large = x > y ? x : y, small = x > y ? y : x, r = small / large;
  if (x == infinite || y == infinite) return infinite;
  return small == 0 ? large + small : gp__product(large, gp__root_f64(1 + gp__product(r, r)));
}

// ---- unary operators: R op(A)

template<class A, class R> struct gp_convert {
  GP_DEVICE R operator()(const A &a) const { return gp__converter<A, R>::run(a); }
};
// An element that is stored as F makes it of a result (gp_call.apply).
template<class T, class F> struct gp__stored { T value; };
template<class A, class T, class F> struct gp_convert<A, gp__stored<T, F>> {
  GP_DEVICE gp__stored<T, F> operator()(const A &a) const { return {F()(a)}; }
};
template<class W> GP_DEVICE W gp__negated(W x) { return -x; }
template<> GP_DEVICE gp__u32 gp__negated<gp__u32>(gp__u32 x) { return gp__negative(x); }
template<class A, class R> struct gp_negate {
  typedef typename gp__traits<R>::wide W;
  GP_DEVICE R operator()(A a) const { return R(gp__negated(W(gp__converter<A, R>::run(a)))); }
};
template<class A, class R, bool COMPLEX = gp__traits<A>::kind == GP__COMPLEX> struct gp_abs {
  typedef typename gp__traits<R>::wide W;
  GP_DEVICE R operator()(A a) const {
    const R r = gp__converter<A, R>::run(a);
    return gp__traits<R>::kind == GP__UNSIGNED ? r
        : gp__traits<R>::kind == GP__SIGNED && sizeof(R) < 4 ? R(gp__magnitude(int(r)))
        : gp__traits<R>::kind == GP__SIGNED ? (r < R(0) ? R(W(0) - W(r)) : r)
        : (W(r) > W(0) ? r : R(W(0) - W(r)));
  }
};
template<class F, class R> struct gp_abs<gp_complex<F>, R, true> { // a real number
  GP_DEVICE R operator()(gp_complex<F> a) const { return gp__converter<F, R>::run(gp__magnitude_of(a)); }
};
template<class A, class R> struct gp_square {
  typedef typename gp__traits<R>::wide W;
  GP_DEVICE R operator()(A a) const {
    const W w = W(gp__converter<A, R>::run(a));
    return R(w * w);
  }
};
template<class A, class R> struct gp_not {
  typedef typename gp__traits<R>::wide W;
  GP_DEVICE R operator()(A a) const { return R(gp__truth<W>(a == A(0))); }
};

// ---- binary operators on an accumulator T
// identity(): op(identity, x) == x. prepare(x): applied to each element before the first op. exact: any order of
// operations gives the same bits.

template<class T, bool EXACT> struct gp__operator {
  typedef T type;
  enum { commutative = 1, exact = EXACT };
  static GP_DEVICE T prepare(const T &a) { return a; }
};
template<class T> struct gp_sum : gp__operator<T, gp__is_exact<T>::value> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T identity() { return T(W(0)); }
  GP_DEVICE T operator()(T a, T b) const { return T(W(a) + W(b)); }
};
template<class T> struct gp_prod : gp__operator<T, gp__is_exact<T>::value> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T identity() { return T(W(1)); }
  GP_DEVICE T operator()(T a, T b) const { return T(W(a) * W(b)); }
};
template<class T, gp__kind = gp__traits<T>::kind> struct gp__order { // integers
  static GP_DEVICE T lower(T a, T b) { return b < a ? b : a; }
  static GP_DEVICE T upper(T a, T b) { return a < b ? b : a; }
};
template<class T> struct gp__order<T, GP__FLOAT> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T lower(T a, T b) { return T(gp__minimum(W(a), W(b))); }
  static GP_DEVICE T upper(T a, T b) { return T(gp__maximum(W(a), W(b))); }
};
template<class T> struct gp_min : gp__operator<T, true> {
  static GP_DEVICE T identity() { return gp__limits<T>::highest(); }
  GP_DEVICE T operator()(T a, T b) const { return gp__order<T>::lower(a, b); }
};
template<class T> struct gp_max : gp__operator<T, true> {
  static GP_DEVICE T identity() { return gp__limits<T>::lowest(); }
  GP_DEVICE T operator()(T a, T b) const { return gp__order<T>::upper(a, b); }
};
template<class T> struct gp_bit_and : gp__operator<T, true> {
  static GP_DEVICE T identity() { return T(~T(0)); }
  GP_DEVICE T operator()(T a, T b) const { return T(a & b); }
};
template<class T> struct gp_bit_or : gp__operator<T, true> {
  static GP_DEVICE T identity() { return 0; }
  GP_DEVICE T operator()(T a, T b) const { return T(a | b); }
};
template<class T> struct gp_bit_xor : gp__operator<T, true> {
  static GP_DEVICE T identity() { return 0; }
  GP_DEVICE T operator()(T a, T b) const { return T(a ^ b); }
};
template<class T> struct gp_and : gp__operator<T, true> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T prepare(const T &a) { return T(gp__truth<W>(a != T(W(0)))); }
  static GP_DEVICE T identity() { return T(W(1)); }
  GP_DEVICE T operator()(T a, T b) const { return T(gp__truth<W>(a != T(W(0)) && b != T(W(0)))); }
};
template<class T> struct gp_or : gp__operator<T, true> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T prepare(const T &a) { return T(gp__truth<W>(a != T(W(0)))); }
  static GP_DEVICE T identity() { return T(W(0)); }
  GP_DEVICE T operator()(T a, T b) const { return T(gp__truth<W>(a != T(W(0)) || b != T(W(0)))); }
};
// The lowest index wins a tie; the first NaN wins over everything; index -1 is no element.
template<class T, bool MAX> struct gp__arg_operator : gp__operator<gp_arg<T>, true> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE bool beats(const gp_arg<T> &b, const gp_arg<T> &a) { // does b replace a
    if (a.index < 0 || b.index < 0) return a.index < 0;
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan || b_nan) return a_nan && b_nan ? b.index < a.index : b_nan;
    return (MAX ? a.value < b.value : b.value < a.value) || (a.value == b.value && b.index < a.index);
  }
  GP_DEVICE gp_arg<T> operator()(const gp_arg<T> &a, const gp_arg<T> &b) const { return beats(b, a) ? b : a; }
};
template<class T> struct gp_argmin : gp__arg_operator<T, false> {
  static GP_DEVICE gp_arg<T> identity() { return gp__make_arg<T>(gp__limits<T>::highest(), -1); }
};
template<class T> struct gp_argmax : gp__arg_operator<T, true> {
  static GP_DEVICE gp_arg<T> identity() { return gp__make_arg<T>(gp__limits<T>::lowest(), -1); }
};

template<class Min, class Max> struct gp__both_operators : gp__operator<gp_both<typename Min::type>, true> {
  typedef gp_both<typename Min::type> Both;
  static GP_DEVICE Both identity() { return {Min::identity(), Max::identity()}; }
  GP_DEVICE Both operator()(const Both &a, const Both &b) const { return {Min()(a.min, b.min), Max()(a.max, b.max)}; }
};
template<class T> struct gp_minmax : gp__both_operators<gp_min<T>, gp_max<T>> {};
template<class T> struct gp_argminmax : gp__both_operators<gp_argmin<T>, gp_argmax<T>> {};

// op(a, b) where b comes after a in the input, and is an element: an arg-reduction compares no indices then.
template<class Op, class T> GP_DEVICE T gp__append(const Op &op, const T &a, const T &b) { return op(a, b); }
template<bool MAX, class T> GP_DEVICE gp_arg<T> gp__append_arg(const gp_arg<T> &a, const gp_arg<T> &b) {
  const bool keeps = (MAX ? a.value >= b.value : a.value <= b.value) || a.value != a.value;
  return (a.index < 0) | !keeps ? b : a;
}
template<class T> GP_DEVICE gp_arg<T> gp__append(const gp_argmin<T> &, const gp_arg<T> &a, const gp_arg<T> &b) {
  return gp__append_arg<false>(a, b);
}
template<class T> GP_DEVICE gp_arg<T> gp__append(const gp_argmax<T> &, const gp_arg<T> &a, const gp_arg<T> &b) {
  return gp__append_arg<true>(a, b);
}
template<class T>
GP_DEVICE gp_both<gp_arg<T>> gp__append(
    const gp_argminmax<T> &, const gp_both<gp_arg<T>> &a, const gp_both<gp_arg<T>> &b) {
  return {gp__append_arg<false>(a.min, b.min), gp__append_arg<true>(a.max, b.max)};
}

// a - b: no fold uses it, but gp__binary does.
template<class T> struct gp_sub {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T prepare(const T &a) { return a; }
  GP_DEVICE T operator()(T a, T b) const { return T(W(a) - W(b)); }
};

// A binary operator of R as a function of A and B (transform2).
template<class Op, class A, class B, class R> struct gp__binary {
  GP_DEVICE R operator()(const A &a, const B &b) const {
    return Op()(Op::prepare(gp_convert<A, R>()(a)), Op::prepare(gp_convert<B, R>()(b)));
  }
};

// ---- comparisons, and the predicates made of them

// C's comparisons; the half types compare as floats.
#define GP__COMPARISON(name, symbol) \
  template<class T> struct name { \
    typedef T type; \
    GP_DEVICE bool operator()(const T &a, const T &b) const { return a symbol b; } \
  };
GP__COMPARISON(gp_equal, ==)
GP__COMPARISON(gp_not_equal, !=)
GP__COMPARISON(gp_less, <)
GP__COMPARISON(gp_less_equal, <=)
GP__COMPARISON(gp_greater, >)
GP__COMPARISON(gp_greater_equal, >=)
#undef GP__COMPARISON
struct gp_heads {}; // in place of equality: keys are flags
// A user's order, from its end.
template<class Before> struct gp__reversed {
  template<class T> GP_DEVICE bool operator()(const T &a, const T &b) const { return Before()(b, a); }
};

// Comparisons of bytes, four at a time (see gp__bytes_less).
template<class L> struct gp__compare_bytes {
  static const bool is = false;
  static GP_DEVICE gp__u32 of(gp__u32, gp__u32) { return 0; }
};
#define GP__BYTES(comparison, expression) \
  template<> struct gp__compare_bytes<comparison> { \
    static const bool is = true; \
    static GP_DEVICE gp__u32 of(gp__u32 a, gp__u32 b) { return expression; } \
  };
#define GP__BYTES_OF(T, SIGNED) \
  GP__BYTES(gp_equal<T>, ~gp__bytes_differ(a, b)) \
  GP__BYTES(gp_not_equal<T>, gp__bytes_differ(a, b)) \
  GP__BYTES(gp_less<T>, gp__bytes_less<SIGNED>(a, b)) \
  GP__BYTES(gp_less_equal<T>, ~gp__bytes_less<SIGNED>(b, a)) \
  GP__BYTES(gp_greater<T>, gp__bytes_less<SIGNED>(b, a)) \
  GP__BYTES(gp_greater_equal<T>, ~gp__bytes_less<SIGNED>(a, b))
GP__BYTES_OF(signed char, true)
GP__BYTES_OF(unsigned char, false)
#undef GP__BYTES_OF
#undef GP__BYTES

template<class T> GP_DEVICE T gp__value_as(const gp__value &v) { return *gp__as<const T>(v.bytes); }

// Selection predicates: a comparison with a scalar, a user's operator, a flag.
template<class L> struct gp__compare {
  GP_DEVICE bool operator()(const typename L::type &x, const gp__value &scalar) const {
    return L()(x, gp__value_as<typename L::type>(scalar));
  }
};
template<class F, class T> struct gp__test {
  GP_DEVICE bool operator()(const T &x, const gp__value &) const { return F()(x); }
};
template<class F> struct gp__flag {
  GP_DEVICE bool operator()(const F &x, const gp__value &) const { return x != 0; }
};
// The same for four bytes at once, where such a form exists.
template<class P> struct gp__test_bytes {
  static const bool is = false;
  static GP_DEVICE gp__u32 of(gp__u32, const gp__value &) { return 0; }
};
template<class L> struct gp__test_bytes<gp__compare<L>> {
  static const bool is = gp__compare_bytes<L>::is;
  static GP_DEVICE gp__u32 of(gp__u32 x, const gp__value &scalar) {
    return gp__compare_bytes<L>::of(x, scalar.bytes[0] * 0x01010101u);
  }
};
template<class F> struct gp__test_bytes<gp__flag<F>> {
  static const bool is = sizeof(F) == 1;
  static GP_DEVICE gp__u32 of(gp__u32 x, const gp__value &) { return gp__bytes_differ(x, 0); }
};
