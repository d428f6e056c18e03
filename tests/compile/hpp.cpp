// hpp.cpp - gpuprims.hpp: types deduced, sizes checked, errors as exceptions and as values. Compiled as C++17, 20 and
// 23, by gcc and clang, with and without exceptions.
#include "gpuprims.hpp"

#if __cplusplus > 202002L && __has_include(<expected>)
#include <expected>
#endif
#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

static int wrong;
#define CHECK(condition) \
  do \
    if (!(condition)) std::printf("line %d: %s\n", __LINE__, #condition), ++wrong; \
  while (0)

using gpuprims::span;
using vector = std::vector<int>;
enum class color : std::uint8_t { red };
static_assert(gpuprims::type_of<long>::value == GP_I64 && gpuprims::type_of<unsigned long long>::value == GP_U64, "");
static_assert(gpuprims::type_of<char>::value == GP_I8 || gpuprims::type_of<char>::value == GP_U8, "");
static_assert(gpuprims::type_of<bool>::value == GP_BOOL && gpuprims::type_of<color>::value == GP_U8, "");
static_assert(gpuprims::type_of<std::complex<float>>::value == GP_C32, "");
static_assert(std::is_move_constructible<gpuprims::basic_context<gpuprims::returns>>::value, "");
static_assert(!std::is_constructible<gpuprims::detail::out, const vector &>::value, "outputs are not const");
static_assert(!std::is_copy_constructible<gpuprims::basic_context<gpuprims::returns>>::value, "");

// Every function, on either kind of context; each returns what `good` takes.
template<class Context, class Good> static void calls(Context &gpu, Good good) {
  const vector x = {3, 1, 2, 3, 1};
  const std::vector<std::size_t> offsets = {0, 2, 5};
  const std::vector<bool>::size_type n = x.size();
  vector y(n), z(n);
  std::vector<std::uint32_t> index(n);
  std::int64_t total[1];
  std::uint64_t count = 0;
  good([&] { return gpu.reduce(GP_SUM, x, total); });
  CHECK(total[0] == 10);
  good([&] { return gpu.sort(x, y); });
  CHECK((y == vector{1, 1, 2, 3, 3}));
  good([&] { return gpu.unique(y, z, &count); });
  CHECK(count == 3 && z[2] == 3);
  good([&] { return gpu.run_length_encode(y, z, index, &count); });
  CHECK(count == 3 && index[0] == 2 && index[1] == 1);
  good([&] { return gpu.lower_bound(GP_LESS, y, x, index); });
  CHECK(index[0] == 3 && index[1] == 0);
  good([&] { return gpu.upper_bound(GP_LESS, y, x, index); });
  CHECK(index[0] == 5 && index[1] == 2);
  good([&] { return gpu.merge(GP_LESS, span(y.data(), 3), span(y).subspan(3, 2), z); });
  CHECK(z == y);
  good([&] { return gpu.sort(x, y, GP_DESCENDING); });
  CHECK(y.front() == 3 && y.back() == 1);
  good([&] { return gpu.argsort(x, index); });
  CHECK(index[0] == 1 && index[4] == 3);
  good([&] { return gpu.gather(x, index, y); });
  CHECK(y[0] == 1 && y[4] == 3);
  good([&] { return gpu.scatter(y, index, z); });
  CHECK(z == x);
  good([&] { return gpu.sort_pairs(x, x, y, z); });
  CHECK(y == z);
  vector keys(n), sums(n);
  good([&] { return gpu.reduce_by_key(GP_SUM, y, z, keys, sums, &count); });
  CHECK(count == 3 && keys[2] == 3 && sums[0] == 2 && sums[2] == 6);
  std::array<int, 2> best;
  std::array<std::uint64_t, 2> places;
  good([&] { return gpu.top_k(x, 2, best, places, GP_DESCENDING); });
  CHECK(best[1] == 3 && places[0] == 0 && places[1] == 3);
  good([&] { return gpu.inclusive_scan(GP_SUM, x, y); });
  CHECK(y[4] == 10);
  good([&] { return gpu.exclusive_scan(GP_SUM, 5, x, y); });
  CHECK(y[0] == 5 && y[4] == 14);
  good([&] { return gpu.transform(GP_NEGATE, x, y); });
  good([&] { return gpu.transform2(GP_SUM, x, y, z); });
  CHECK((z == vector(n, 0)) && y[0] == -3);
  good([&] { return gpu.segmented_reduce(GP_SUM, x, offsets, span(y.data(), 2)); });
  CHECK(y[0] == 4 && y[1] == 6);
  good([&] { return gpu.select_if(GP_GREATER, 1, x, y, &count); });
  CHECK(count == 3 && y[0] == 3 && y[1] == 2);
  const std::uint8_t flags[] = {0, 1, 0, 0, 1};
  good([&] { return gpu.select_flags(x, flags, y, &count); });
  CHECK(count == 2 && y[0] == 1);
  good([&] { return gpu.count_if(GP_EQUAL, 3, x, &count); });
  CHECK(count == 2);
  good([&] { return gpu.histogram_even(1, 4, x, span(index.data(), 3)); });
  CHECK(index[0] == 2 && index[1] == 1 && index[2] == 2);
  good([&] { return gpu.fill(7, y); });
  good([&] { return gpu.copy(y, z); });
  CHECK((z == vector(n, 7)));
  const gp_input twice = gp_input_strided(GP_I32, x.data(), 2);
  good([&] { return gpu.copy(gpuprims::input{twice, 3}, span(y.data(), 3)); });
  good([&] { return gpu.reduce(GP_SUM, gpuprims::input{twice, 3}, span(y).subspan(3, 1)); });
  CHECK(y[0] == 3 && y[1] == 2 && y[2] == 1 && y[3] == 6);
  const std::uint32_t starts[] = {0, 1, 2, 2}, targets[] = {1, 0};
  gp_graph graph = gp_graph_init();
  graph.vertices = 3, graph.edges = 2, graph.offsets = (void *)starts, graph.targets = (void *)targets;
  graph.offset_type = graph.vertex_type = GP_U32;
  std::int32_t depths[3];
  good([&] { return gpu.bfs(graph, 0, depths); });
  CHECK(depths[1] == 1 && depths[2] == -1);
  good([&] { return gpu.connected_components(graph, index, &count); });
  CHECK(count == 2 && index[1] == 0 && index[2] == 2);
  gp_call call = gp_call_init(GP_COPY);
  call.in_type = GP_I32, call.in = x.data(), call.count = n, call.out = y.data();
  gpuprims::prepared prepared;
  good([&] { return gpu.prepare(call, prepared); });
  good([&] { return gpu.run(prepared, call); });
  good([&] { return gpu.run(call); });
  CHECK(y == x);
  gp_description device = gp_description_init();
  good([&] { return gpu.describe(device); });
  CHECK(!std::strcmp(device.name, "host"));
  Context moved = std::move(gpu);
  CHECK(!gpu.get() && moved.get());
  gpu = std::move(moved);
}

#ifdef __cpp_lib_expected
struct expects { // a program's own choice
  using result = std::expected<void, gpuprims::error>;
  static result good() { return {}; }
  static result bad(const gpuprims::error &e) { return std::unexpected(e); }
};
static void expected() {
  gpuprims::basic_context<expects> gpu(gpuprims::closed);
  gp_config config = gp_config_init();
  config.backend = GP_BACKEND_HOST;
  CHECK(gpu.open(&config).has_value());
  vector x(4), y(3);
  CHECK(gpu.sort(x, x).has_value() && gpu.sort(x, y).error().code == GP_E_SIZE);
}
#else
static void expected() {}
#endif

static void values() {
  gpuprims::basic_context<gpuprims::returns> gpu(gpuprims::closed);
  gp_config config = gp_config_init();
  config.backend = GP_BACKEND_HOST;
  CHECK(gpu.open(&config));
  calls(gpu, [](auto call) {
    const auto done = call();
    CHECK(static_cast<bool>(done));
  });
  vector x(4);
  const auto small = gpu.sort(x, span(x.data(), 3));
  CHECK(!small && small.error().code == GP_E_SIZE);
  CHECK(!std::strcmp(small.error().what(), "out has 3 elements, and 4 are needed"));
  const auto bad = gpu.reduce(GP_ABS, x, x);
  CHECK(!bad && bad.error().code == GP_E_OPERATOR && std::strstr(bad.error().what(), "gp_reduce"));
  config.backend = (gp_backend)77;
  CHECK(!gpu.open(&config) && gpu.get()); // the context is still the old one
  gp_call call = gp_call_init(GP_SORT);
  gpuprims::prepared prepared;
  CHECK(!gpu.prepare(call, prepared) && !prepared);
  call.key_type = GP_I32, call.keys = call.out_keys = x.data(), call.count = x.size();
  x = {4, 3, 2, 1};
  CHECK(gpu.prepare(call, prepared) && gpu.run(prepared, call) && x[0] == 1);
  prepared.reset();
  CHECK(gpu.close() && !gpu.get());
}

#ifdef __cpp_exceptions
template<class Call> static gp_result thrown(Call call) {
  try {
    call();
  } catch (const gpuprims::error &e) {
    return e.code;
  }
  return GP_SUCCESS;
}
static void exceptions() {
  gpuprims::context gpu(GP_BACKEND_HOST);
  calls(gpu, [](auto call) { CHECK(thrown(call) == GP_SUCCESS); });
  vector x(4), y(3);
  CHECK(thrown([&] { gpu.copy(x, y); }) == GP_E_SIZE);
  CHECK(thrown([&] { gpu.sort(x, std::vector<float>(4)); }) == GP_E_TYPE);
  CHECK(thrown([&] { gpu.merge(GP_LESS, x, std::vector<float>(4), vector(8)); }) == GP_E_TYPE);
  CHECK(thrown([&] { gpu.transform2(GP_SUM, x, y, x); }) == GP_E_SIZE);
  CHECK(thrown([&] { gpu.segmented_reduce(GP_SUM, x, std::vector<int>(), y); }) == GP_E_SIZE);
  CHECK(thrown([&] { gpu.reduce(GP_ABS, x, y); }) == GP_E_OPERATOR);
  gpuprims::prepared prepared;
  CHECK(thrown([&] { gpu.prepare(gp_call_init(GP_COPY), prepared); }) != GP_SUCCESS && !prepared);
  const gp_input of_x = gp_input_array(GP_I32, x.data()), index = gp_input_ramp(GP_I64, nullptr, nullptr);
  CHECK(thrown([&] { gpu.copy(gpuprims::input{gp_input_gathered(&of_x, &index), 4}, x); }) == GP_E_OVERLAP);
  CHECK(thrown([&] {
    gpu.copy(gpuprims::input{gp_input_gathered(&of_x, &index), 4}, std::vector<double>(4));
  }) == GP_E_TYPE);
  gp_config config = gp_config_init();
  config.backend = (gp_backend)77;
  CHECK(thrown([&] { gpuprims::context other(&config); }) == GP_E_ARGUMENT);
}
#endif

int main() {
  values();
  expected();
#ifdef __cpp_exceptions
  exceptions();
#endif
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
