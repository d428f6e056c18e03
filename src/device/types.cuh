// device/types.cuh - number types as memory holds them, their traits, limits and order
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, core/f8.h

// IEEE binary16 and bfloat16, as memory holds them; arithmetic goes through float. Layout of __half, __nv_bfloat16.
struct alignas(2) gp_f16 {
  gp__u16 bits;
  gp_f16() = default;
  GP_DEVICE gp_f16(float x) : bits(gp__f16_from_f32(x)) {}
  GP_DEVICE operator float() const { return gp__f32_from_f16(bits); }
};
struct alignas(2) gp_bf16 {
  gp__u16 bits;
  gp_bf16() = default;
  GP_DEVICE gp_bf16(float x) : bits(gp__bf16_from_f32(x)) {}
  GP_DEVICE operator float() const { return gp__f32_from_bits(gp__u32(bits) << 16); }
};

// Floats of a byte (core/f8.h).
template<int WIDE> struct gp__f8 {
  gp__u8 bits;
  gp__f8() = default;
  GP_DEVICE gp__f8(float x) : bits(gp__f8_from(gp__bits_of_f32(x), WIDE)) {}
  GP_DEVICE operator float() const { return gp__f32_from_f16(gp__f16_of_f8(bits, WIDE)) * (WIDE ? 1.0f : 256.0f); }
};
typedef gp__f8<0> gp_e4m3;
typedef gp__f8<1> gp_e5m2;

// A byte: true unless it is 0. Arithmetic goes through 0 and 1, and what is not 0 becomes 1.
struct gp_bool {
  gp__u8 bits;
  gp_bool() = default;
  GP_DEVICE gp_bool(gp__u32 x) : bits(x ? 1 : 0) {}
  GP_DEVICE operator gp__u32() const { return bits ? 1u : 0u; }
};

// Complex numbers. Products are written out, without C's rules for infinities; no step is fused.
template<class F> struct alignas(2 * sizeof(F)) gp_complex {
  F re, im;
  gp_complex() = default;
  GP_DEVICE gp_complex(F re, F im = 0) : re(re), im(im) {}
  GP_DEVICE gp_complex operator+(gp_complex b) const { return gp_complex(re + b.re, im + b.im); }
  GP_DEVICE gp_complex operator-(gp_complex b) const { return gp_complex(re - b.re, im - b.im); }
  GP_DEVICE gp_complex operator-() const { return gp_complex(-re, -im); }
  GP_DEVICE gp_complex operator*(gp_complex b) const {
    return gp_complex(gp__product(re, b.re) - gp__product(im, b.im), gp__product(re, b.im) + gp__product(im, b.re));
  }
  GP_DEVICE bool operator==(gp_complex b) const { return re == b.re && im == b.im; }
  GP_DEVICE bool operator!=(gp_complex b) const { return !(*this == b); }
};
typedef gp_complex<float> gp_c32;
typedef gp_complex<double> gp_c64;

// A value and its index: the accumulator and the result of ARGMIN and ARGMAX. Index -1: no element.
template<class T, int PAD = 8 - int(sizeof(T))> struct gp_arg {
  T value;
  gp__u8 pad[PAD];
  gp__i64 index;
};
template<class T> struct gp_arg<T, 0> {
  T value;
  gp__i64 index;
};
template<class T, int PAD> GP_DEVICE void gp__clear_pad(gp_arg<T, PAD> &a) {
  GP__EACH(i, PAD) a.pad[i] = 0;
}
template<class T> GP_DEVICE void gp__clear_pad(gp_arg<T, 0> &) {}
template<class T> GP_DEVICE gp_arg<T> gp__make_arg(T value, gp__i64 index) {
  gp_arg<T> a;
  a.value = value;
  a.index = index;
  gp__clear_pad(a);
  return a;
}

// Two accumulators in one: MINMAX of T, ARGMINMAX of gp_arg<T>.
template<class A> struct gp_both { A min, max; };

struct gp__none {}; // the type of an absent operand

enum gp__kind { GP__STRUCT, GP__SIGNED, GP__UNSIGNED, GP__FLOAT, GP__BOOL, GP__COMPLEX };
template<class T> struct gp__traits { // structs
  static const gp__kind kind = GP__STRUCT;
};
#define GP__TRAITS(type, KIND, Wide) \
  template<> struct gp__traits<type> { \
    static const gp__kind kind = KIND; \
    typedef Wide wide; /* type of arithmetic: unsigned, so that it wraps; float for the half types */ \
  };
GP__TRAITS(signed char, GP__SIGNED, gp__u32)
GP__TRAITS(unsigned char, GP__UNSIGNED, gp__u32)
GP__TRAITS(short, GP__SIGNED, gp__u32)
GP__TRAITS(unsigned short, GP__UNSIGNED, gp__u32)
GP__TRAITS(int, GP__SIGNED, gp__u32)
GP__TRAITS(unsigned int, GP__UNSIGNED, gp__u32)
GP__TRAITS(long long, GP__SIGNED, gp__u64)
GP__TRAITS(unsigned long long, GP__UNSIGNED, gp__u64)
GP__TRAITS(gp_f16, GP__FLOAT, float)
GP__TRAITS(gp_bf16, GP__FLOAT, float)
GP__TRAITS(gp_e4m3, GP__FLOAT, float)
GP__TRAITS(gp_e5m2, GP__FLOAT, float)
GP__TRAITS(float, GP__FLOAT, float)
GP__TRAITS(double, GP__FLOAT, double)
GP__TRAITS(gp_bool, GP__BOOL, gp__u32)
GP__TRAITS(gp_c32, GP__COMPLEX, gp_c32)
GP__TRAITS(gp_c64, GP__COMPLEX, gp_c64)
#ifdef GP__INT128
GP__TRAITS(gp_i128, GP__SIGNED, gp_u128)
GP__TRAITS(gp_u128, GP__UNSIGNED, gp_u128)
#endif
#undef GP__TRAITS

template<class T> struct gp__is_exact { // sums and products of T are exactly associative
  static const bool value =
      gp__traits<T>::kind != GP__STRUCT && gp__traits<T>::kind != GP__FLOAT && gp__traits<T>::kind != GP__COMPLEX;
};

// The largest and the lowest value: infinities for floats that have them.
template<class T, gp__kind = gp__traits<T>::kind> struct gp__limits;
template<class T> struct gp__limits<T, GP__UNSIGNED> {
  static GP_DEVICE T highest() { return T(~T(0)); }
  static GP_DEVICE T lowest() { return 0; }
};
template<class T> struct gp__limits<T, GP__SIGNED> {
  typedef typename gp__traits<T>::wide W;
  static GP_DEVICE T highest() { return T((W(1) << (8 * sizeof(T) - 1)) - 1); }
  static GP_DEVICE T lowest() { return T(-highest() - 1); }
};
template<class T> struct gp__limits<T, GP__FLOAT> {
  static GP_DEVICE T highest() { return T(gp__f32_from_bits(0x7f800000u)); }
  static GP_DEVICE T lowest() { return T(gp__f32_from_bits(0xff800000u)); }
};
template<> struct gp__limits<gp_e4m3, GP__FLOAT> {
  static GP_DEVICE gp_e4m3 highest() { return 448.0f; }
  static GP_DEVICE gp_e4m3 lowest() { return -448.0f; }
};
template<class T> struct gp__limits<T, GP__BOOL> {
  static GP_DEVICE T highest() { return T(1u); }
  static GP_DEVICE T lowest() { return T(0u); }
};

// Keys as unsigned integers in the same order; floats in IEEE 754 total order: -NaN, -inf, ..., -0, +0, ..., inf, NaN.
// Bits is the unsigned type of the key's size. Descending order is the order of the complements.
template<int SIZE> struct gp__unsigned_of;
template<> struct gp__unsigned_of<1> { typedef gp__u8 type; };
template<> struct gp__unsigned_of<2> { typedef unsigned short type; };
template<> struct gp__unsigned_of<4> { typedef gp__u32 type; };
template<> struct gp__unsigned_of<8> { typedef gp__u64 type; };
#ifdef GP__INT128
template<> struct gp__unsigned_of<16> { typedef gp_u128 type; };
#endif
template<class T, gp__kind = gp__traits<T>::kind> struct gp__ordered;
template<class T> struct gp__ordered<T, GP__UNSIGNED> {
  typedef typename gp__unsigned_of<sizeof(T)>::type Bits;
  static GP_DEVICE Bits encode(Bits raw) { return raw; }
  static GP_DEVICE Bits decode(Bits bits) { return bits; }
};
template<class T> struct gp__ordered<T, GP__SIGNED> {
  typedef typename gp__unsigned_of<sizeof(T)>::type Bits;
  static const Bits SIGN = Bits(Bits(1) << (8 * sizeof(T) - 1));
  static GP_DEVICE Bits encode(Bits raw) { return Bits(raw ^ SIGN); }
  static GP_DEVICE Bits decode(Bits bits) { return Bits(bits ^ SIGN); }
};
template<class T> struct gp__ordered<T, GP__FLOAT> {
  typedef typename gp__unsigned_of<sizeof(T)>::type Bits;
  static const Bits SIGN = Bits(Bits(1) << (8 * sizeof(T) - 1));
  static GP_DEVICE Bits encode(Bits raw) { return Bits(raw & SIGN ? ~raw : raw | SIGN); }
  static GP_DEVICE Bits decode(Bits bits) { return Bits(bits & SIGN ? bits ^ SIGN : ~bits); }
};
template<class T> struct gp__ordered<T, GP__BOOL> { // every true key becomes 1
  typedef gp__u8 Bits;
  static GP_DEVICE Bits encode(Bits raw) { return Bits(raw != 0); }
  static GP_DEVICE Bits decode(Bits bits) { return bits; }
};
// A number as an unsigned integer of the same order, or the reverse one; floats in total order, as for gp_sort.
template<bool REVERSED, class K> GP_DEVICE typename gp__ordered<K>::Bits gp__radix_bits(const K &key) {
  typedef typename gp__ordered<K>::Bits Bits;
  union Cast {
    K key;
    Bits bits;
    GP_DEVICE Cast() {}
  } cast;
  cast.key = key;
  const Bits bits = gp__ordered<K>::encode(cast.bits);
  return REVERSED ? Bits(~bits) : bits;
}
