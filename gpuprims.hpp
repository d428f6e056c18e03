// gpuprims.hpp - gpuprims.h for C++17 and later: contexts that close themselves, types deduced from containers, errors
// as exceptions or as values. It adds nothing to what runs: each function is one call of the C API.
//
//   gpuprims::context gpu;                 // throws gpuprims::error
//   gpu.sort(keys, sorted, GP_DESCENDING); // std::vector, std::span, arrays: where the context is on the host
//   gpu.reduce(GP_SUM, gpuprims::span(pointer, n), gpuprims::span(total, 1), stream); // device memory
//
//   gpuprims::basic_context<gpuprims::returns> gpu(gpuprims::closed); // nothing throws: functions return an outcome
//   if (auto done = gpu.open(); !done) std::puts(done.error().what());
//
// Functions have the arguments of the C API without the types, in its order, each pointer and its count as one range;
// gpuprims.h says what they do. Ranges have data() and size(), or are C arrays. One that is too small for another is
// GP_E_SIZE. A gp_input is a range as gpuprims::input{description, count}. What is not here goes through run().
#ifndef GPUPRIMS_HPP
#define GPUPRIMS_HPP
#include "gpuprims.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace gpuprims {
// The gp_type of T. Specialise it for other types that have the layout of one, such as a half of another library.
template<class T, class = void> struct type_of {};
template<class T> struct type_of<T, std::enable_if_t<std::is_integral<T>::value && sizeof(T) <= 8>> {
  static constexpr int bytes = sizeof(T), wider = (bytes > 1) + (bytes > 2) + (bytes > 4);
  static constexpr gp_type of_size = gp_type(GP_I8 + 2 * wider + std::is_unsigned<T>::value);
  static constexpr gp_type value = std::is_same<T, bool>::value ? GP_BOOL : of_size;
};
template<class T> struct type_of<T, std::enable_if_t<std::is_enum<T>::value>> : type_of<std::underlying_type_t<T>> {};
template<gp_type Type> using type_constant = std::integral_constant<gp_type, Type>;
template<> struct type_of<float> : type_constant<GP_F32> {};
template<> struct type_of<double> : type_constant<GP_F64> {};
template<> struct type_of<std::complex<float>> : type_constant<GP_C32> {};

template<class T> class span {
public:
  constexpr span(T *data, std::size_t size) : data_(data), size_(size) {}
  template<class C, class = std::enable_if_t<std::is_convertible<decltype(std::data(std::declval<C &>())), T *>::value>>
  constexpr span(C &&range) : data_(std::data(range)), size_(std::size(range)) {}
  constexpr T *data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr span subspan(std::size_t first, std::size_t count) const { return span(data_ + first, count); }

private:
  T *data_;
  std::size_t size_;
};
template<class C> span(C &&) -> span<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>>;

// A described input as a range: elements that a call makes while it reads.
struct input {
  gp_input description;
  std::size_t count;
};

// An error: the result, and the library's message, which names function and argument.
struct error : std::runtime_error {
  error(gp_result result, const std::string &text) : std::runtime_error(text), code(result) {}
  gp_result code;
};
// Success, or an error: what std::expected<void, error> is from C++23 on.
class [[nodiscard]] outcome {
public:
  outcome() = default;
  outcome(gpuprims::error e) : error_(std::move(e)) {}
  explicit operator bool() const { return !error_; }
  const gpuprims::error &error() const { return *error_; }

private:
  std::optional<gpuprims::error> error_;
};

// Functions hand an error to this policy. A program may have a struct of its own, with std::expected for example.
struct returns {
  using result = outcome;
  static result good() { return result(); }
  static result bad(const error &e) { return result(e); }
};
#ifdef __cpp_exceptions
struct throws {
  using result = void;
  static void good() {}
  [[noreturn]] static void bad(const error &e) { throw e; }
};
using otherwise = throws;
#else
using otherwise = returns;
#endif

namespace detail {
template<class C> using element = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;
template<class C> using value = std::remove_cv_t<element<const C>>;
template<class C> using scalar = const value<C> &; // of the type of a range's elements
struct in { // a range that a call reads, without its C++ type
  template<class C>
  in(const C &range)
    : type(type_of<value<C>>::value), element(type), data(const_cast<value<C> *>(std::data(range))),
      size(std::size(range)) {}
  in(const input &range) : type(GP_INPUT), data(const_cast<gp_input *>(&range.description)), size(range.count) {
    const gp_input *i = &range.description;
    while (!i->type && i->a) i = i->a; // a gathered one has the type of what it gathers from
    element = i->type;
  }
  gp_type type, element;
  void *data;
  std::uint64_t size;
};
struct out : in { // one that it writes
  template<class C, class = std::enable_if_t<!std::is_const<gpuprims::detail::element<C>>::value>>
  out(C &&range) : in(range) {}
};
struct need { // at least so many elements, of the type of `as`
  const char *name;
  const in &range;
  std::uint64_t count;
  const in &as;
};
struct closer {
  void operator()(gp_context *ctx) const noexcept { (void)gp_close(ctx); }
  void operator()(gp_prepared *prepared) const noexcept { (void)gp_prepared_close(prepared); }
};
} // namespace detail

enum closed_t { closed };

// A call that was checked and planned once. Its context outlives it.
using prepared = std::unique_ptr<gp_prepared, detail::closer>;

// A gp_context. It can be moved; threads may share it.
template<class Errors = otherwise> class basic_context {
public:
  using result = typename Errors::result;
  using in = detail::in;
  using out = detail::out;
  explicit basic_context(closed_t) noexcept {} // open() follows
  explicit basic_context(const gp_config *config = nullptr) { opened(config); }
  explicit basic_context(gp_backend backend) {
    gp_config config = gp_config_init();
    config.backend = backend;
    opened(&config);
  }
  result open(const gp_config *config = nullptr) {
    gp_context *made = nullptr;
    const gp_result r = gp_open(config, &made);
    if (r == GP_SUCCESS) handle_.reset(made);
    return done(r);
  }
  gp_context *get() const noexcept { return handle_.get(); } // for the C API
  result close() { return done(gp_close(handle_.release())); }
  result describe(gp_description &d) { return done(gp_describe(get(), &d)); }
  result define(const gp_op_desc &description, gp_op &op) { return done(gp_op_define(get(), &description, &op)); }
  result run(const gp_call &call, gp_stream s = {}) { return done(gp_run(get(), &call, s)); }
  result run(const prepared &p, const gp_call &call, gp_stream s = {}) {
    return done(gp_prepared_run(p.get(), &call, s));
  }
  result prepare(const gp_call &call, prepared &p) {
    gp_prepared *made = nullptr;
    const gp_result r = gp_prepared_open(get(), &call, &made);
    if (r == GP_SUCCESS) p.reset(made);
    return done(r);
  }

  result copy(in a, out o, gp_stream s = {}) {
    return with(gp_copy, {{"out", o, a.size, a}}, a.type, a.data, a.size, o.data, s);
  }
  template<class B> result fill(detail::scalar<B> value, B &&range, gp_stream s = {}) {
    const out o(range);
    return with(gp_fill, {}, o.type, &value, o.data, o.size, s);
  }
  result transform(gp_op op, in a, out o, gp_stream s = {}) {
    return with(gp_transform, {{"out", o, a.size, o}}, op, a.type, o.type, a.data, a.size, o.data, s);
  }
  result reduce(gp_op op, in a, out o, gp_stream s = {}) {
    return with(gp_reduce, {{"out", o, 1, o}}, op, a.type, o.type, a.data, a.size, o.data, s);
  }
  result inclusive_scan(gp_op op, in a, out o, gp_stream s = {}) {
    return with(gp_inclusive_scan, {{"out", o, a.size, o}}, op, a.type, o.type, a.data, a.size, o.data, s);
  }
  template<class B> result exclusive_scan(gp_op op, detail::scalar<B> init, in a, B &&range, gp_stream s = {}) {
    const out o(range);
    return with(gp_exclusive_scan, {{"out", o, a.size, o}}, op, a.type, o.type, &init, a.data, a.size, o.data, s);
  }
  result transform2(gp_op op, in a, in b, out o, gp_stream s = {}) {
    return with(gp_transform2, {{"in2", b, a.size, a}, {"out", o, a.size, o}}, op, a.type, o.type, a.data, b.data,
        a.size, o.data, s);
  }
  result gather(in from, in index, out o, gp_stream s = {}) {
    return with(gp_gather, {{"out", o, index.size, from}}, from.type, index.type, from.data, from.size, index.data,
        index.size, o.data, s);
  }
  result scatter(in a, in index, out o, gp_stream s = {}) {
    return with(gp_scatter, {{"index", index, a.size, index}, {"out", o, 0, a}}, a.type, index.type, a.data, index.data,
        a.size, o.data, o.size, s);
  }
  result unique(in a, out o, std::uint64_t *count, gp_stream s = {}) {
    return with(gp_unique, {{"out", o, a.size, a}}, a.type, a.data, a.size, o.data, count, s);
  }
  template<class A>
  result select_if(gp_op op, detail::scalar<A> value, const A &range, out o, std::uint64_t *count, gp_stream s = {}) {
    const in a(range);
    return with(gp_select_if, {{"out", o, a.size, a}}, op, a.type, &value, a.data, a.size, o.data, count, s);
  }
  result select_flags(in a, in flags, out o, std::uint64_t *count, gp_stream s = {}) {
    return with(gp_select_flags, {{"flags", flags, a.size, flags}, {"out", o, a.size, a}}, a.type, flags.type, a.data,
        flags.data, a.size, o.data, count, s);
  }
  template<class A>
  result count_if(gp_op op, detail::scalar<A> value, const A &range, std::uint64_t *count, gp_stream s = {}) {
    const in a(range);
    return with(gp_count_if, {}, op, a.type, &value, a.data, a.size, count, s);
  }
  template<class A>
  result histogram_even(detail::scalar<A> low, detail::scalar<A> high, const A &range, out o, gp_stream s = {}) {
    const in a(range);
    return with(gp_histogram_even, {}, a.type, o.type, &low, &high, a.data, a.size, o.data, o.size, s);
  }
  result lower_bound(gp_op less, in a, in b, out o, gp_stream s = {}) {
    return with(gp_lower_bound, {{"needles", b, 0, a}, {"out", o, b.size, o}}, less, a.type, o.type, a.data, a.size,
        b.data, b.size, o.data, s);
  }
  result upper_bound(gp_op less, in a, in b, out o, gp_stream s = {}) {
    return with(gp_upper_bound, {{"needles", b, 0, a}, {"out", o, b.size, o}}, less, a.type, o.type, a.data, a.size,
        b.data, b.size, o.data, s);
  }
  result segmented_reduce(gp_op op, in a, in offsets, out o, gp_stream s = {}) {
    const gp_segments segments = gp_segments_init(offsets.type, offsets.data, offsets.size - 1);
    return with(gp_segmented_reduce, {{"offsets", offsets, 1, offsets}, {"out", o, offsets.size - 1, o}}, op, a.type,
        o.type, a.data, a.size, &segments, o.data, s);
  }
  result reduce_by_key(gp_op op, in k, in v, out ko, out vo, std::uint64_t *count, gp_stream s = {}) {
    return with(gp_reduce_by_key,
        {{"values", v, k.size, v}, {"out_keys", ko, k.size, k}, {"out_values", vo, k.size, v}}, op, k.type, v.type,
        k.data, v.data, k.size, ko.data, vo.data, count, s);
  }
  result run_length_encode(in k, out ko, out lengths, std::uint64_t *count, gp_stream s = {}) {
    return with(gp_run_length_encode, {{"out_keys", ko, k.size, k}, {"lengths", lengths, k.size, lengths}}, k.type,
        lengths.type, k.data, k.size, ko.data, lengths.data, count, s);
  }
  result sort(in a, out o, int flags = 0, gp_stream s = {}) {
    return with(gp_sort_keys, {{"out", o, a.size, a}}, a.type, a.data, a.size, o.data, flags, s);
  }
  result argsort(in a, out o, int flags = 0, gp_stream s = {}) {
    return with(gp_argsort, {{"indices", o, a.size, o}}, a.type, o.type, a.data, a.size, nullptr, o.data, flags, s);
  }
  result sort_pairs(in k, in v, out ko, out vo, int flags = 0, gp_stream s = {}) {
    return with(gp_sort_pairs, {{"values", v, k.size, v}, {"out_keys", ko, k.size, k}, {"out_values", vo, k.size, v}},
        k.type, v.type, k.data, v.data, k.size, ko.data, vo.data, flags, s);
  }
  result top_k(in a, std::uint64_t k, out o, out indices, int flags = 0, gp_stream s = {}) {
    return with(gp_top_k, {{"out_keys", o, k, a}, {"indices", indices, k, indices}}, a.type, indices.type, a.data,
        nullptr, a.size, k, o.data, indices.data, flags, s);
  }
  result merge(gp_op less, in a, in b, out o, gp_stream s = {}) {
    return with(gp_merge, {{"keys2", b, 0, a}, {"out", o, a.size + b.size, a}}, less, a.type, a.data, a.size, b.data,
        b.size, o.data, s);
  }
  result bfs(const gp_graph &graph, std::uint64_t source, out o, gp_stream s = {}) {
    return with(gp_bfs, {{"depths", o, graph.vertices, o}}, &graph, source, o.data, nullptr, s);
  }
  result connected_components(const gp_graph &graph, out o, std::uint64_t *count, gp_stream s = {}) {
    return with(gp_connected_components, {{"labels", o, graph.vertices, o}}, &graph, o.data, count, s);
  }

private:
  void opened(const gp_config *config) {
    static_assert(std::is_void<result>::value, "a constructor returns no outcome: give it `closed`, then call open()");
    open(config);
  }
  static result done(gp_result r) {
    return r == GP_SUCCESS ? Errors::good() : Errors::bad(error(r, gp_last_message()));
  }
  template<class F, class... A> result with(F call, std::initializer_list<detail::need> needs, const A &...arguments) {
    for (const detail::need &one : needs) {
      if (one.range.size < one.count)
        return Errors::bad(error(GP_E_SIZE,
            std::string(one.name) + " has " + std::to_string(one.range.size) + " elements, and " +
                std::to_string(one.count) + " are needed"));
      if (one.range.element != one.as.element)
        return Errors::bad(error(GP_E_TYPE,
            std::string(one.name) + " has elements of " + gp_type_name(get(), one.range.element) + ", not of " +
                gp_type_name(get(), one.as.element)));
    }
    return done(call(get(), arguments...));
  }
  std::unique_ptr<gp_context, detail::closer> handle_;
};
using context = basic_context<>;

} // namespace gpuprims
#endif
