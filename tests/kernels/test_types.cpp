// Conversions, operators and sort keys of the element types that C has no type for, as kernels have them: against
// arithmetic written out here. Then kernels on them under the emulator. Usage: test_types [seeds] [name of a test]
#include "kernel_test.h"

#include <cmath>

typedef gp__policy<64, 1, 3, 3, 3, 2, 2> Tiny; // tiles of 64 vectors

template<class R, class A> R to(A a) { return gp_convert<A, R>()(a); }

// ---- bool

static gp_bool byte_of(int bits) {
  gp_bool x;
  x.bits = u8(bits);
  return x;
}
template<class T> void bool_to_and_from(const char *name, const std::vector<T> &falses, const std::vector<T> &trues) {
  for (const T &x : falses) check(to<gp_bool>(x).bits == 0, std::string("bool from a false ") + name);
  for (const T &x : trues) check(to<gp_bool>(x).bits == 1, std::string("bool from a true ") + name);
  for (int b = 0; b < 256; ++b) check(to<T>(byte_of(b)) == (b ? to<T>(1) : to<T>(0)), std::string("bool to ") + name);
}
static void bools() {
  const float nan = gp__f32_from_bits(0x7fc00000u), tiny = gp__f32_from_bits(1u);
  bool_to_and_from<u8>("u8", {0}, {1, 2, 255});
  bool_to_and_from<signed char>("i8", {0}, {1, -1, -128});
  bool_to_and_from<u16>("u16", {0}, {1, 256, 0xff00});
  bool_to_and_from<int>("i32", {0}, {1, -1, 1 << 8, 1 << 31});
  bool_to_and_from<u64>("u64", {0}, {1, 1ull << 32, 1ull << 63});
  bool_to_and_from<float>("f32", {0.0f, -0.0f}, {1, -1, 0.25f, nan, tiny});
  bool_to_and_from<double>("f64", {0.0, -0.0}, {1, -1, 0.25, nan, 1e-300});
  bool_to_and_from<gp_f16>("f16", {gp_f16(0.0f), gp_f16(-0.0f)}, {gp_f16(1.0f), gp_f16(nan), gp_f16(6e-8f)});
  bool_to_and_from<gp_bf16>("bf16", {gp_bf16(0.0f), gp_bf16(-0.0f)}, {gp_bf16(1.0f), gp_bf16(nan)});
  for (int a = 0; a < 256; ++a) {
    const gp_bool x = byte_of(a);
    const bool p = a != 0;
    check(to<gp_bool>(x).bits == p, "bool to bool");
    check(gp_not<gp_bool, gp_bool>()(x).bits == !p, "not");
    check(gp_abs<gp_bool, gp_bool>()(x).bits == p && gp_square<gp_bool, gp_bool>()(x).bits == p, "abs, square");
    check(gp__ordered<gp_bool>::encode(u8(a)) == p, "the sort key of a bool");
    for (int b : {0, 1, 2, 77, 255}) {
      const gp_bool y = byte_of(b);
      const bool q = b != 0;
      check((gp_sum<gp_bool>()(x, y).bits == (p || q)) && (gp_or<gp_bool>()(x, y).bits == (p || q)) &&
              (gp_bit_or<gp_bool>()(x, y).bits == (p || q)) && to<u8>(gp_max<gp_bool>()(x, y)) == (p || q),
          "or");
      check((gp_prod<gp_bool>()(x, y).bits == (p && q)) && (gp_and<gp_bool>()(x, y).bits == (p && q)) &&
              (gp_bit_and<gp_bool>()(x, y).bits == (p && q)) && to<u8>(gp_min<gp_bool>()(x, y)) == (p && q),
          "and");
      check(gp_bit_xor<gp_bool>()(x, y).bits == (p != q), "xor");
      check(gp_equal<gp_bool>()(x, y) == (p == q) && gp_not_equal<gp_bool>()(x, y) == (p != q), "equal");
      check(gp_less<gp_bool>()(x, y) == (p < q) && gp_greater_equal<gp_bool>()(x, y) == (p >= q), "less");
    }
    check(gp_sum<gp_bool>()(gp_sum<gp_bool>::identity(), x) == x &&
            gp_prod<gp_bool>()(gp_prod<gp_bool>::identity(), x) == x &&
            gp_min<gp_bool>()(gp_min<gp_bool>::identity(), x) == x &&
            gp_max<gp_bool>()(gp_max<gp_bool>::identity(), x) == x &&
            gp_bit_and<gp_bool>()(gp_bit_and<gp_bool>::identity(), x) == x,
        "identities");
  }
}

// ---- integers of 128 bits

static gp_u128 wide(u64 high, u64 low) { return gp_u128(high) << 64 | low; }
static void longs() {
  const gp_u128 top = gp_u128(1) << 127;
  const gp_i128 lowest = gp_i128(top), highest = gp_i128(top - 1);
  check(sizeof(gp_i128) == 16 && alignof(gp_u128) == 16, "16 bytes, aligned to 16");
  check(gp_sum<gp_i128>()(highest, 1) == lowest, "a sum wraps");
  check(gp_prod<gp_u128>()(wide(1, 3), wide(2, 5)) == wide(11, 15), "a product wraps");
  check(gp_sub<gp_u128>()(0, 1) == ~gp_u128(0) && gp_negate<gp_i128, gp_i128>()(1) == -1, "differences");
  check(gp_abs<gp_i128, gp_i128>()(-5) == 5 && gp_abs<gp_i128, gp_i128>()(lowest) == lowest, "abs");
  check(gp_min<gp_i128>()(-1, 0) == -1 && gp_min<gp_u128>()(~gp_u128(0), 0) == 0, "the order is signed or not");
  check(gp_min<gp_i128>::identity() == highest && gp_max<gp_i128>::identity() == lowest &&
          gp_min<gp_u128>::identity() == ~gp_u128(0) && gp_max<gp_u128>::identity() == 0 &&
          gp_bit_and<gp_u128>::identity() == ~gp_u128(0),
      "identities");
  check(gp_less<gp_i128>()(-1, gp_i128(1) << 100) && !gp_less<gp_u128>()(gp_u128(-1), 0), "less");
  check(to<gp_i128>(-3) == -3 && to<gp_u128>((signed char)(-1)) == ~gp_u128(0) && to<gp_i128>(~0u) == 0xffffffffll &&
          to<gp_i128>(~0ull) == gp_i128(wide(0, ~0ull)),
      "from integers");
  check(to<u64>(wide(7, 9)) == 9 && to<signed char>(gp_i128(-300)) == -44 && to<u8>(wide(5, 0x1ff)) == 0xff,
      "to integers");
  check(to<gp_bool>(wide(1, 0)).bits == 1 && to<gp_i128>(byte_of(7)) == 1, "and bool");
  const float infinite = gp__f32_from_bits(0x7f800000u), nan = gp__f32_from_bits(0x7fc00000u);
  check(to<gp_i128>(infinite) == highest && to<gp_i128>(-infinite) == lowest && to<gp_i128>(nan) == 0 &&
          to<gp_u128>(-1.5f) == 0 && to<gp_u128>(infinite) == ~gp_u128(0) && to<gp_i128>(1e300) == highest &&
          to<gp_i128>(-1e300) == lowest && to<gp_u128>(1e300) == ~gp_u128(0),
      "floats saturate");
  check(to<gp_i128>(-2.75) == -2 && to<gp_u128>(1.0e20f) == gp_u128(100000002004087734272.0) &&
          to<gp_i128>(-170141183460469231731687303715884105728.0) == lowest,
      "floats are cut");
  check(to<double>(lowest) == -170141183460469231731687303715884105728.0 &&
          to<float>(wide(1, 1)) == 18446744073709551616.0f && to<float>(wide(1ull << 24, 1)) > 0 &&
          to<gp_f16>(gp_i128(3)) == 3.0f,
      "to floats");
  for (int i = 40; i < 100; ++i) // just above a tie: a double between would round down
    check(to<float>((gp_u128(0x800000) << i) + (gp_u128(1) << (i - 1)) + 1) == std::ldexp(float(0x800001), i),
        "to f32, one rounding");
}
typedef gp__field_key<gp_i128, gp__key_field<8, long long, false>, gp__key_field<0, u64, false>> LongKey;
typedef gp__field_key<gp_u128, gp__key_field<8, u64, false>, gp__key_field<0, u64, false>> UnsignedKey;
typedef gp__field_key<gp_bool, gp__key_field<0, gp_bool, false>> BoolKey;
static void keys() {
  const gp_i128 some[] = {gp_i128(gp_u128(1) << 127), -(gp_i128(1) << 64), -1, 0, 1, gp_i128(wide(0, ~0ull)),
      gp_i128(1) << 64, gp_i128(~gp_u128(0) >> 1)};
  for (const gp_i128 a : some)
    for (const gp_i128 b : some) {
      const gp_u128 x = wide(LongKey::bits(a, 1), LongKey::bits(a, 0)),
                    y = wide(LongKey::bits(b, 1), LongKey::bits(b, 0));
      check((x < y) == (a < b), "sort keys of i128");
      const gp_u128 p = gp_u128(a), q = gp_u128(b);
      check((wide(UnsignedKey::bits(p, 1), UnsignedKey::bits(p, 0)) <
                wide(UnsignedKey::bits(q, 1), UnsignedKey::bits(q, 0))) == (p < q),
          "sort keys of u128");
    }
  for (int b = 0; b < 256; ++b) check(BoolKey::bits(byte_of(b), 0) == (b != 0), "sort keys of bool");
}

// ---- floats of a byte

// A number of 4 or 5 bits of exponent by its definition; NaN and infinity aside.
static double tiny(int bits, int fraction, int bias) {
  const int e = (bits & 0x7f) >> fraction, m = bits & ((1 << fraction) - 1);
  const double size = std::ldexp(double(m + (e ? 1 << fraction : 0)), (e ? e : 1) - bias - fraction);
  return bits & 0x80 ? -size : size;
}
template<class T> void floats_of_a_byte(int fraction, int bias, int last, bool infinite) {
  const float inf = gp__f32_from_bits(0x7f800000u), nan = gp__f32_from_bits(0x7fc00000u);
  const int beyond = infinite ? last + 1 : 0x7f; // what is larger becomes that
  check(sizeof(T) == 1 && alignof(T) == 1, "a byte");
  for (int b = 0; b < 256; ++b) {
    T x;
    x.bits = u8(b);
    const float f = x;
    if ((b & 0x7f) <= last) {
      check(f == float(tiny(b, fraction, bias)) && std::signbit(f) == (b > 127), "a float of a byte as f32");
      check(to<T>(f).bits == b && to<T>(double(f)).bits == b && to<T>(x).bits == b, "there and back");
      check(gp_negate<T, T>()(x).bits == (b ^ 0x80) || b == 0 || b == 0x80, "negate");
      check(float(gp_abs<T, T>()(x)) == std::fabs(f), "abs");
    } else check(infinite && (b & 0x7f) == last + 1 ? f == (b > 127 ? -inf : inf) : f != f, "an infinity, or NaN");
    if ((b & 0x7f) >= last) continue;
    // The middle between two neighbours goes to the even one; a little beside it to the nearer one, from f64 too.
    const double middle = (tiny(b, fraction, bias) + tiny(b + 1, fraction, bias)) / 2;
    const int even = b & 1 ? b + 1 : b;
    check(to<T>(float(middle)).bits == even && to<T>(middle).bits == even, "a tie goes to the even one");
    const double away = middle * (1 + 1e-15), back = middle * (1 - 1e-15);
    check(to<T>(away).bits == b + 1 && to<T>(back).bits == b, "rounded once from f64");
    check(to<T>(std::nextafter(float(middle), middle < 0 ? -inf : inf)).bits == b + 1, "above a tie");
    check(to<T>(std::nextafter(float(middle), 0.0f)).bits == b, "below a tie");
  }
  const double largest = tiny(last, fraction, bias), step = largest - tiny(last - 1, fraction, bias);
  check(to<T>(float(largest + step / 2 - 1)).bits == last && to<T>(float(largest + step)).bits == beyond &&
          to<T>(inf).bits == beyond && to<T>(-inf).bits == (beyond | 0x80) && to<T>(1000000).bits == beyond,
      "beyond the largest number");
  check(to<T>(nan).bits == 0x7f && to<T>(-nan).bits == 0xff, "NaN");
  check(to<T>(std::ldexp(1.0f, -30)).bits == 0 && to<T>(gp__f32_from_bits(1)).bits == 0 && to<T>(-0.0f).bits == 0x80,
      "nearly zero");
  check(to<int>(to<T>(-3)) == -3 && to<T>(byte_of(9)) == 1.0f && to<gp_bool>(to<T>(0.5f)).bits == 1, "from and to");
  check(gp_min<T>()(gp_min<T>::identity(), to<T>(inf)) == to<T>(inf) || !infinite, "the identity of MIN, infinite");
  check(float(gp_min<T>::identity()) >= largest && float(gp_max<T>::identity()) <= -largest, "identities");
  check(gp__ordered<T>::encode(0x80) + 1 == gp__ordered<T>::encode(0), "sort keys");
}
template<> gp_e4m3 draw<gp_e4m3>() { return gp_e4m3(float(random32() % 5) - 2); }
template<> gp_e5m2 draw<gp_e5m2>() { return gp_e5m2(float(random32() % 5) - 2); }

// ---- complex numbers

template<class F> bool is(gp_complex<F> x, F re, F im) {
  return x.re == re && x.im == im && std::signbit(x.re) == std::signbit(re) && std::signbit(x.im) == std::signbit(im);
}
template<class F> void complexes() {
  typedef gp_complex<F> C;
  const F infinite = F(gp__f32_from_bits(0x7f800000u)), nan = F(gp__f32_from_bits(0x7fc00000u));
  const C a(3, -2), b(5, 7);
  check(sizeof(C) == 2 * sizeof(F) && alignof(C) == 2 * sizeof(F), "aligned to their size");
  check(
      is<F>(gp_sum<C>()(a, b), 8, 5) && is<F>(gp_sub<C>()(a, b), -2, -9) && is<F>(gp_prod<C>()(a, b), 29, 11), "sums");
  check(is<F>(gp_sum<C>::identity(), 0, 0) && is<F>(gp_prod<C>::identity(), 1, 0), "identities");
  check(is<F>(gp_negate<C, C>()(a), -3, 2) && is<F>(gp_square<C, C>()(a), 5, -12), "negate, square");
  check(is<F>(gp_not<C, C>()(C(0, 0)), 1, 0) && is<F>(gp_not<C, C>()(C(0, 1)), 0, 0), "not");
  check(!gp_sum<C>::exact && !gp_prod<C>::exact, "their order matters");
  check(gp_equal<C>()(C(0, -F(0)), C(-F(0), 0)) && gp_not_equal<C>()(a, C(3, 2)) && gp_not_equal<C>()(a, C(4, -2)) &&
          gp_not_equal<C>()(C(nan, 0), C(nan, 0)),
      "equal");
  check(
      is<F>(to<C>(-5), -5, 0) && is<F>(to<C>(byte_of(9)), 1, 0) && to<int>(C(F(-2.5), 9)) == -2, "from and to numbers");
  check(to<gp_bool>(C(0, 1)).bits == 1 && to<gp_bool>(C(nan, 0)).bits == 1 && to<gp_bool>(C(0, -F(0))).bits == 0,
      "to bool");
  check(is<float>(to<gp_c32>(gp_c64(1 + 1e-12, -2)), 1, -2) && is<double>(to<gp_c64>(gp_c32(1, -2)), 1, -2),
      "from one to the other");
  check(gp_abs<C, F>()(C(3, -4)) == 5 && gp_abs<C, int>()(C(-6, 8)) == 10 && gp_abs<C, F>()(C(0, 0)) == 0, "abs");
  check(gp_abs<C, F>()(C(nan, -infinite)) == infinite && gp_abs<C, F>()(C(infinite, nan)) == infinite, "abs, infinite");
  check(gp_abs<C, F>()(C(0, nan)) != gp_abs<C, F>()(C(0, nan)) && gp_abs<C, F>()(C(nan, 0)) != 0, "abs of NaN");
  const F large = sizeof(F) == 4 ? F(3e38) : F(1e300);
  check(gp_abs<C, F>()(C(large / 2, large / 2)) < infinite, "abs does not overflow on the way");
  // keys: each is below the next; those of one row are equal
  const C rows[][2] = {{C(-infinite, 3), C(-infinite, 3)}, {C(-1, -infinite), C(-1, -infinite)}, {C(-1, 2), C(-1, 2)},
      {C(-F(0), -1), C(0, -1)}, {C(0, -F(0)), C(-F(0), 0)}, {C(0, 1), C(-F(0), 1)}, {C(1, -5), C(1, -5)},
      {C(infinite, infinite), C(infinite, infinite)}, {C(-infinite, nan), C(-infinite, -nan)}, {C(2, nan), C(2, nan)},
      {C(nan, -7), C(-nan, -7)}, {C(nan, 0), C(nan, -F(0))}, {C(nan, infinite), C(-nan, infinite)},
      {C(nan, nan), C(-nan, nan)}};
  typedef gp__field_key<C, gp__complex_part<F, true>, gp__complex_part<F, false>> Key;
  const int n = sizeof rows / sizeof rows[0];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < 4; ++k) {
        const C x = rows[i][k & 1], y = rows[j][k >> 1];
        const bool two = sizeof(F) == 8;
        const gp_u128 p = wide(two ? Key::bits(x, 1) : 0, Key::bits(x, 0));
        const gp_u128 q = wide(two ? Key::bits(y, 1) : 0, Key::bits(y, 0));
        check((p < q) == (i < j) && (p == q) == (i == j), "sort keys of complex numbers");
      }
}

// ---- a reduction and a scan on the emulator

template<> gp_c32 draw<gp_c32>() { return gp_c32(float(random32() % 7) - 3, float(random32() % 5)); }
template<> gp_c64 draw<gp_c64>() { return gp_c64(double(random32() % 7) - 3, double(random32() % 5)); }
template<> gp_i128 draw<gp_i128>() { return gp_i128(wide(random32() << 30, random32())) >> (random32() % 100); }
template<> gp_bool draw<gp_bool>() { return byte_of(random32() % 4 ? 0 : int(random32() % 256)); }

template<class Op, class In, class Out, class F = gp_convert<In, typename Op::type>>
void fold(const char *name, int seeds) {
  typedef typename Op::type Acc;
  typedef gp__load<In, Acc, F> Load;
  if (!only.empty() && only != name) return;
  for (int seed = 1; seed <= seeds; ++seed)
    for (size_t n : {0, 1, 63, 64, 65, 1000, 5000}) {
      simt::set_random_schedule(uint64_t(seed) * 100 + n);
      std::vector<In> x(n);
      for (In &v : x) v = draw<In>();
      Device<In> in(x, size_t(seed % 2));
      Device<Out> out(1);
      gp__shape s = {};
      s.primitive = GP_REDUCE, s.in_size = sizeof(In), s.acc_size = sizeof(Acc), s.out_size = sizeof(Out);
      s.in_misaligned = int(uintptr_t(in.data) % 16), s.commutative = Op::commutative;
      s.compute_capability = 90, s.multiprocessors = 3, s.shared_bytes = 227 * 1024, s.count = n;
      const gp_policy p = {GP_EVEN_SHARE, 64, 1, 3, 3, 3, 2, 2, 0, 0, 0, 0, 0, 0, 0, {0}};
      const gp__geometry g = gp__geometry_by(&gp__rules_reduce, p, &s, 0);
      gp__reduce_args a = {};
      a.in = in.data, a.out = out.data, a.count = n, a.workspace = g.words ? workspace(g.words) : nullptr;
      const int e =
          simt::launch_kernel(name, g.grid, g.threads, 0, gp__reduce_even_share<Tiny, Op, Load, In, Acc, Out>, a);
      Acc total = Op::identity();
      for (size_t i = 0; i < n; ++i) total = Op()(total, Op::prepare(Load()(x[i], i)));
      const Out wanted = to<Out>(total);
      check(!e && same(*out.data, wanted), name);
      simt::clear_error();
    }
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  bools();
  longs();
  keys();
  floats_of_a_byte<gp_e4m3>(3, 7, 0x7e, false);
  floats_of_a_byte<gp_e5m2>(2, 15, 0x7b, true);
  complexes<float>();
  complexes<double>();
  fold<gp_sum<gp_bool>, gp_bool, gp_bool>("any of bool", seeds);
  fold<gp_sum<u32>, gp_bool, u32>("count of bool", seeds);
  fold<gp_sum<gp_i128>, gp_i128, gp_i128>("sum of i128", seeds);
  fold<gp_min<gp_i128>, gp_i128, gp_i128>("min of i128", seeds);
  fold<gp_sum<gp_i128>, u64, gp_i128>("sum of u64 in i128", seeds);
  fold<gp_minmax<gp_bool>, gp_bool, gp_both<gp_bool>, gp_convert<gp_bool, gp_bool>>("extremes of bool", seeds);
  fold<gp_argminmax<gp_bool>, gp_bool, gp_both<gp_arg<gp_bool>>, gp_convert<gp_bool, gp_bool>>(
      "places of extremes", seeds);
  fold<gp_minmax<gp_i128>, gp_i128, gp_both<gp_i128>, gp_convert<gp_i128, gp_i128>>("extremes of i128", seeds);
  fold<gp_sum<float>, gp_e4m3, gp_e4m3>("sum of e4m3 in f32", seeds);
  fold<gp_sum<float>, gp_e5m2, float>("sum of e5m2 in f32", seeds);
  fold<gp_min<gp_e4m3>, gp_e4m3, gp_e4m3>("min of e4m3", seeds);
  fold<gp_max<gp_e5m2>, gp_e5m2, gp_e5m2>("max of e5m2", seeds);
  fold<gp_argminmax<gp_e4m3>, gp_e4m3, gp_both<gp_arg<gp_e4m3>>, gp_convert<gp_e4m3, gp_e4m3>>(
      "places of extremes of e4m3", seeds);
  fold<gp_sum<gp_c32>, gp_c32, gp_c32>("sum of c32", seeds);
  fold<gp_sum<gp_c64>, gp_c32, gp_c64>("sum of c32 in c64", seeds);
  return finish();
}
