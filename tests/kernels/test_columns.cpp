// The gather of columns under the emulator: every size of element and of index, tiles that end anywhere, more columns
// than a launch of one block has seen, counts on the device. Usage: test_columns [seeds] [name of a test]
#include "kernel_test.h"

#include <cstring>
#include <memory>

template<class P, class I>
void gather(const char *name, size_t n, int columns, unsigned blocks, bool on_device, unsigned seed) {
  static const int words[][2] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 1}, {1, 3}, {2, 3}, {4, 3}, {8, 3}, {16, 4}};
  char text[200];
  std::snprintf(text, sizeof text, "%s n=%zu columns=%d blocks=%u on_device=%d seed=%u:", name, n, columns, blocks,
      int(on_device), seed);
  const size_t rows = n + random32() % 5; // the index leads to any of them
  std::vector<I> index(n);
  for (size_t i = 0; i < n; ++i) index[i] = I(rows - 1 - random32() % rows);
  Device<I> order(index, seed % 3);
  Device<u64> count(std::vector<u64>(1, n), 0);
  gp__columns_args a = {};
  a.index = order.data, a.count = n, a.columns = columns;
  if (on_device) a.count += 7, a.count_device = count.data;
  std::vector<std::unique_ptr<Device<u8>>> in, out;
  std::vector<std::vector<u8>> made;
  for (int c = 0; c < columns; ++c) {
    const int *w = words[(unsigned(c) + seed) % 10];
    made.emplace_back(rows * size_t(w[0] * w[1]));
    for (u8 &byte : made.back()) byte = u8(random32());
    in.emplace_back(new Device<u8>(made.back(), 0));
    out.emplace_back(new Device<u8>(n * size_t(w[0] * w[1])));
    a.column[c].in = in.back()->data, a.column[c].out = out.back()->data;
    a.column[c].word = w[0], a.column[c].words = w[1];
  }
  const bool good = simt::launch_kernel("gather_columns", blocks, P::threads, 0, gp__gather_columns<P, I>, a) == 0;
  check(good, std::string(text) + " launch");
  for (int c = 0; c < columns && good; ++c) {
    const size_t size = size_t(a.column[c].word * a.column[c].words);
    bool same = true;
    const u8 *got = out[size_t(c)]->data;
    for (size_t i = 0; i < n; ++i)
      same = same && !std::memcmp(got + i * size, made[size_t(c)].data() + size_t(index[i]) * size, size);
    check(same, std::string(text) + " column " + std::to_string(c));
  }
  simt::clear_error();
}

template<class P, class I> void all(const char *name, int seeds) {
  if (!only.empty() && only != name) return;
  static const size_t sizes[] = {0, 1, 31, 33, 255, 256, 257, 511, 512, 513, 1300};
  for (int seed = 0; seed < seeds; ++seed) {
    simt::set_random_schedule(uint64_t(seed));
    for (size_t n : sizes)
      gather<P, I>(name, n, seed % 2 ? int(GP__COLUMNS_AT_ONCE) : int(random32() % 10), 1 + random32() % 3,
          random32() % 2, unsigned(seed));
  }
}

int main(int argc, char **argv) {
  const int seeds = start(argc, argv);
  all<gp__policy<64, 1, 3, 3, 0, 1, 2>, u32>("u32", seeds);
  all<gp__policy<32, 2, 3, 3, 0, 2, 2>, u64>("u64", seeds);
  return finish();
}
