// Conversion of layouts of gpuprims.h under the emulator: arrays of structs, structs of arrays and mixed layouts,
// padded and packed, with fields of 1 to 16 bytes, at sizes around tiles and at any alignment.
//
// Define TEST_CONVERT_LAYOUT or TEST_LAYOUT_ACCESS to compile that part alone; with TEST_FEW it runs few seeds. Usage:
// test_layouts [SEEDS [NAME]]
#if !defined(TEST_CONVERT_LAYOUT) && !defined(TEST_LAYOUT_ACCESS)
#define TEST_CONVERT_LAYOUT
#define TEST_LAYOUT_ACCESS
#endif
#include "kernel_test.h"

#ifdef TEST_CONVERT_LAYOUT
typedef gp__policy<32, 2, GP_CACHE_ALL, GP_CACHE_ALL, 0, 0, 2> Warp;
typedef gp__policy<64, 1, GP_CACHE_STREAMING, GP_CACHE_STREAMING, 0, 0, 2> Warps;

// A value's position, by gp_layout. width 0: a column of its own, `column` bytes after the first.
static size_t place(u64 width, u64 capacity, size_t size, size_t offset, size_t field, u64 i) {
  const u64 w = width ? width : capacity;
  return size_t(i / w * w * size + offset * w + i % w * field);
}
static size_t bytes_of(u64 width, u64 capacity, size_t size, u64 n) {
  const u64 w = width ? width : capacity;
  return size_t((n + w - 1) / w * w * size);
}

template <class P, int TILE, int CHUNK, class In, class Out, class... Moved>
void convert(const char *name, u64 in_width, u64 out_width, int seeds, bool in_place = false, bool keep = false) {
  typedef gp__moved_list<Moved...> List;
  if (!only.empty() && only != name) return;
  const unsigned C = CHUNK ? CHUNK : 1;
  const unsigned shared = unsigned(
      gp__layout_region(TILE, C, In::size, In::width == 1) + gp__layout_region(TILE, C, Out::size, Out::width == 1));
  const u64 sizes[] = {1, TILE - 1, TILE, TILE + 1, 2 * TILE, 3 * TILE + 7, 5 * TILE};
  for (int seed = 0; seed < seeds; ++seed)
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
      const u64 n = sizes[k], capacity = (seed + k) % 3 == 0 ? n : (n + 15) / 16 * 16;
      const size_t in_bytes = bytes_of(in_width, capacity, In::size, n);
      const size_t out_bytes = bytes_of(out_width, capacity, Out::size, n);
      const size_t in_offset = (seed + k) % 2 ? random32() % 16 : 0,
                   out_offset = (seed + k) % 4 > 1 ? random32() % 16 : 0;
      simt::set_random_schedule(u64(seed) * 100 + k);
      std::vector<u8> x(in_place && out_bytes > in_bytes ? out_bytes : in_bytes);
      for (u8 &b : x) b = u8(random32());
      Device<u8> in(x, in_offset), other(std::vector<u8>(in_place ? 0 : out_bytes, 0xa5), out_offset);
      u8 *to = in_place ? in.data : other.data;
      gp__layout_args a = {};
      a.in = in.data, a.out = to, a.count = n, a.in_width = in_width, a.out_width = out_width;
      u64 in_bits = u64(uintptr_t(a.in)), out_bits = u64(uintptr_t(a.out));
      for (int f = 0; f < List::count; ++f) {
        a.out_column[f] = to + List::offset(true, f) * (out_width ? out_width : capacity);
        if (out_width != 1) out_bits |= u64(uintptr_t(a.out_column[f]));
        if (f >= List::moved) continue;
        a.in_column[f] = in.data + List::offset(false, f) * (in_width ? in_width : capacity);
        if (in_width != 1) in_bits |= u64(uintptr_t(a.in_column[f]));
      }
      a.in_aligned = in_bits % 16 == 0, a.out_aligned = out_bits % 16 == 0;
      // The expected value of each byte; -1: any.
      std::vector<int> wanted(out_bytes, out_width == 0 || keep || in_place ? -1 : -2);
      if (keep || out_width == 0) wanted.assign(out_bytes, in_place ? -1 : 0xa5);
      for (u64 i = 0; i < n; ++i)
        for (int f = 0; f < List::count; ++f)
          for (int b = 0; b < List::size(f); ++b)
            wanted[place(out_width, capacity, Out::size, List::offset(true, f), List::size(f), i) + b] =
                f >= List::moved ? 0
                                 : x[place(in_width, capacity, In::size, List::offset(false, f), List::size(f), i) + b];
      const int e = simt::launch_kernel(
          name, 1 + random32() % 3, P::threads, shared, gp__convert_layout<P, TILE, CHUNK, In, Out, Moved...>, a);
      bool good = !e;
      for (size_t b = 0; b < out_bytes && good; ++b)
        good = wanted[b] == -1 || to[b] == (wanted[b] == -2 ? 0xa5 : wanted[b]);
      check(good, std::string(name) + " n=" + std::to_string(n) + " seed=" + std::to_string(seed));
      simt::clear_error();
    }
}

// {float x, y, z; u16 kind; u8 flag}: 16 bytes, the last one padding.
#define PARTICLE_FIELDS(IN_KIND, OUT_KIND) \
  gp__moved<4, 0, 0>, gp__moved<4, 4, 4>, gp__moved<4, 8, 8>, gp__moved<2, IN_KIND, OUT_KIND>, gp__moved<1, 14, 14>
static void conversions(int seeds) {
  convert<Warp, 64, 4, gp__side<1, 16>, gp__side<0, 16>, PARTICLE_FIELDS(12, 12)>("structs to columns", 1, 0, seeds);
  convert<Warp, 64, 4, gp__side<0, 16>, gp__side<1, 16>, PARTICLE_FIELDS(12, 12), gp__moved<1, -1, 15>>(
      "columns to structs", 0, 1, seeds);
  convert<Warp, 32, 4, gp__side<1, 16>, gp__side<8, 16>, PARTICLE_FIELDS(12, 12), gp__moved<1, -1, 15>>(
      "structs to blocks", 1, 8, seeds);
  convert<Warps, 32, 4, gp__side<8, 16>, gp__side<1, 16>, PARTICLE_FIELDS(12, 12), gp__moved<1, -1, 15>>(
      "blocks to structs, in place", 8, 1, seeds, true);
  convert<Warps, 48, 1, gp__side<1, 12>, gp__side<0, 12>, gp__moved<4, 0, 4>, gp__moved<4, 4, 0>, gp__moved<4, 8, 8>>(
      "three words to columns", 1, 0, seeds);
  convert<Warps, 48, 1, gp__side<3, 12>, gp__side<-1, 12>, gp__moved<4, 0, 8>, gp__moved<8, 4, 0>>(
      "blocks of three to larger blocks", 3, 96, seeds);
  convert<Warp, 32, 4, gp__side<1, 16>, gp__side<-1, 16>, PARTICLE_FIELDS(12, 12), gp__moved<1, -1, 15>>(
      "structs to larger blocks, a gap behind", 1, 128, seeds);
  convert<Warps, 32, 1, gp__side<0, 28>, gp__side<-1, 32>, gp__moved<4, 0, 4>, gp__moved<16, 4, 8>,
      gp__moved<8, 20, 24>, gp__moved<4, -1, 0>>("columns to larger blocks, a gap in front", 0, 64, seeds);
  convert<Warp, 32, 4, gp__side<-1, 7>, gp__side<1, 7>, gp__moved<1, 6, 0>, gp__moved<2, 4, 1>, gp__moved<4, 0, 3>>(
      "larger blocks to packed structs", 64, 1, seeds);
  convert<Warp, 16, 1, gp__side<1, 32>, gp__side<1, 40>, gp__moved<8, 0, 32>, gp__moved<8, 24, 16>, gp__moved<16, 8, 0>,
      gp__moved<8, -1, 24>>("structs to structs", 1, 1, seeds);
  convert<Warp, 32, 2, gp__side<0, 28>, gp__side<1, 32>, gp__moved<2, 26, 30>, gp__moved<6, 20, 24>,
      gp__moved<20, 0, 4>, gp__moved<4, -1, 0>>("two structs at a time", 0, 1, seeds);
  convert<Warp, 32, 0, gp__side<0, 16>, gp__side<0, 16>, PARTICLE_FIELDS(12, 12), gp__moved<1, -1, 15>>(
      "odd blocks", 5, 7, seeds);
  convert<Warps, 32, 0, gp__side<0, 14>, gp__side<0, 16>, gp__moved<2, 12, 12>, gp__moved<4, 4, 8>>(
      "some fields, gaps kept", 0, 1, seeds, false, true);
}
#endif

#ifdef TEST_LAYOUT_ACCESS
// ---- one source, many layouts: compiled for each, and for any

#define PARTICLE(F) F(float, x) F(u16, kind) F(double, v) F(u8, flag)
GP_LAYOUT(Particle, PARTICLE)
GP_LAYOUT_NAME(Staged, Particle)
#define CELL(F) F(u8, flag) F(u32, sum)
GP_LAYOUT(Cell, CELL)
struct Access {
  gp_array in, out, grid, sums;
  u64 count;
  u32 *kinds;
};

#define NAME access_any
#define STAGED GP_AOS
#include "layout_kernel.h"
#define NAME access_columns
#define STAGED 16
#define GP_LAYOUT_Particle GP_USE(GP_SOA)
#define GP_LAYOUT_Cell GP_USE(GP_SOA | GP_TRANSPOSED)
#include "layout_kernel.h"
#define NAME access_structs
#define STAGED GP_SOA
#define GP_LAYOUT_Particle GP_USE(GP_AOS)
#define GP_LAYOUT_Cell GP_USE(GP_AOS)
#include "layout_kernel.h"
#define NAME access_blocks
#define STAGED 32
#define GP_LAYOUT_Particle GP_USE(32)
#define GP_LAYOUT_Cell GP_USE(16 | GP_TRANSPOSED)
#include "layout_kernel.h"

static gp_array on_device(gp_array a) {
  const std::vector<u8> start(gp_array_bytes(&a), 0x11);
  a.base = simt::device_malloc(start.size());
  simt::host_write(a.base, start.data(), start.size());
  return a;
}
template <class Kernel>
static void access(const char *name, uint64_t layout, uint64_t cells, Kernel kernel, int seeds, bool said = false) {
  if (!only.empty() && only != name) return;
  for (int seed = 0; seed < seeds; ++seed)
    for (const size_t n : {1u, 31u, 32u, 33u, 100u, 321u}) {
      simt::set_random_schedule(u64(seed) * 1000 + n);
      const size_t rows = n % 7 + 1, columns = n / 5 + 1;
      Device<u32> kinds(std::vector<u32>(5, 0), 0);
      Access a = {on_device(GP_ARRAY_OF(Particle, layout, n, 1, 1)), on_device(GP_ARRAY_OF(Particle, layout, n, 1, 1)),
          on_device(GP_ARRAY_OF(Cell, cells, rows, columns, 1)), on_device(GP_ARRAY_OF(Cell, cells, rows, columns, 1)),
          n, kinds.data};
      std::vector<Particle> x(n);
      std::vector<u32> counts(5), grid(rows * columns);
      for (size_t i = 0; i < n; ++i) {
        x[i].x = draw<float>(), x[i].v = draw<double>(), x[i].kind = u16(random32() % 6), x[i].flag = u8(random32());
        if (x[i].kind < 5) ++counts[x[i].kind];
        const gp_array in = a.in;
        GP_AT(Particle, in, i, x) = x[i].x, GP_AT(Particle, in, i, v) = x[i].v;
        GP_AT(Particle, in, i, kind) = x[i].kind, GP_AT(Particle, in, i, flag) = x[i].flag;
      }
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j) GP_AT2(Cell, a.grid, i, j, sum) = grid[i * columns + j] = random32();
      Access b = a; // what code is compiled for wins over what the array says
      if (said) b.in.layout = b.out.layout = b.grid.layout = b.sums.layout = 48;
      const int e = simt::launch_kernel(name, 1 + random32() % 3, 32, 0, kernel, b);
      bool good = !e && kinds.read(5) == counts;
      for (size_t i = 0; i < n && good; ++i)
        good = GP_AT(Particle, a.out, i, x) == x[i].x + float(x[i].v) * 2 && GP_AT(Particle, a.out, i, v) == x[i].v &&
            GP_AT(Particle, a.out, i, kind) == x[i].kind && GP_AT(Particle, a.out, i, flag) == x[i].flag;
      for (size_t i = 0; i < rows && good; ++i)
        for (size_t j = 0; j < columns && good; ++j)
          good = GP_AT2(Cell, a.sums, i, j, sum) ==
              (i ? grid[(i - 1) * columns + j] : 0) + (j ? grid[i * columns + j - 1] : 0);
      // A value's position by the layout.
      const u64 w = layout ? layout : a.in.capacity;
      const size_t at = layout == GP_AOS ? (n - 1) * sizeof(Particle) + offsetof(Particle, v)
                                         : size_t((n - 1) / w * w * 15 + 6 * w + (n - 1) % w * 8);
      good = good && !std::memcmp(static_cast<u8 *>(a.in.base) + at, &x[n - 1].v, 8);
      if (cells == (GP_AOS | GP_TRANSPOSED) && columns > 1)
        good = good &&
            !std::memcmp(static_cast<u8 *>(a.grid.base) + rows * sizeof(Cell) + offsetof(Cell, sum), &grid[1], 4);
      check(good, std::string(name) + " n=" + std::to_string(n) + " seed=" + std::to_string(seed));
      for (const gp_array &array : {a.in, a.out, a.grid, a.sums}) simt::device_free(array.base);
      simt::clear_error();
    }
}
static void accesses(int seeds) {
  access("compiled for any, columns", GP_SOA, GP_AOS | GP_TRANSPOSED, access_any<1>, seeds);
  access("compiled for any, structs", GP_AOS, GP_SOA, access_any<4>, seeds);
  access("compiled for any, blocks", 48, 16 | GP_TRANSPOSED, access_any<32>, seeds);
  access("compiled for columns", GP_SOA, GP_SOA | GP_TRANSPOSED, access_columns<32>, seeds, true);
  access("compiled for structs", GP_AOS, GP_AOS, access_structs<8>, seeds, true);
  access("compiled for blocks", 32, 16 | GP_TRANSPOSED, access_blocks<1>, seeds, true);
}
#endif

int main(int argc, char **argv) {
  int seeds = start(argc, argv);
#ifdef TEST_FEW
  seeds = seeds < 2 ? seeds : 2;
#endif
  workspace(1);
#ifdef TEST_CONVERT_LAYOUT
  conversions(seeds);
#endif
#ifdef TEST_LAYOUT_ACCESS
  accesses(seeds);
#endif
  return finish();
}
