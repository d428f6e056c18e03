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

template<class P, int TILE, int CHUNK, class In, class Out, class... Moved>
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

// Another order of axes. The axes of both orders, slowest first; the kernel's axes 0 and 1 are the fastest of each.
template<class P, int TILE, class In, class Out, class... Moved>
void turn(
    const char *name, u64 in_width, u64 out_width, const int (&in_order)[4], const int (&out_order)[4], int seeds) {
  typedef gp__moved_list<Moved...> List;
  if (!only.empty() && only != name) return;
  static const u64 shapes[][4] = {{5, 7, 3, 2}, {1, 40, 70, 1}, {3, 33, 2, 35}, {2, 1, 1, 300}, {70, 3, 5, 9}};
  for (int seed = 0; seed < seeds; ++seed)
    for (const u64(&extent)[4] : shapes) {
      const u64 n = extent[0] * extent[1] * extent[2] * extent[3], capacity = (n + 15) / 16 * 16;
      const size_t in_bytes = bytes_of(in_width, capacity, In::size, n);
      const size_t out_bytes = bytes_of(out_width, capacity, Out::size, n), shift = size_t(seed) % 2 * 3;
      simt::set_random_schedule(u64(seed) * 100 + extent[1]);
      std::vector<u8> x(in_bytes);
      for (u8 &b : x) b = u8(random32());
      Device<u8> in(x, shift), out(std::vector<u8>(out_bytes, 0xa5), shift);
      u64 in_step[4], out_step[4], step = 1;
      for (int place = 3; place >= 0; --place) in_step[in_order[place]] = step, step *= extent[in_order[place]];
      step = 1;
      for (int place = 3; place >= 0; --place) out_step[out_order[place]] = step, step *= extent[out_order[place]];
      gp__layout_args a = {};
      a.count = n, a.in_width = in_width, a.out_width = out_width, a.straight = in_order[3] == out_order[3];
      int axis[4] = {in_order[3], a.straight ? out_order[2] : out_order[3], -1, -1}, more = 2;
      for (int d = 0; d < 4; ++d)
        if (d != axis[0] && d != axis[1]) axis[more++] = d;
      for (int d = 0; d < 4; ++d) {
        a.extent[d] = extent[axis[d]], a.step[0][d] = in_step[axis[d]], a.step[1][d] = out_step[axis[d]];
        a.tile[d] = d == 0 ? 1 + random32() % (TILE / 4) : 1;
      }
      a.tile[1] = 1 + random32() % (TILE / unsigned(a.tile[0] + 1));
      for (int d = 0; d < 4; ++d) a.tiles[d] = (a.extent[d] + a.tile[d] - 1) / a.tile[d];
      for (int f = 0; f < List::count; ++f) {
        a.out_column[f] = out.data + List::offset(true, f) * (out_width ? out_width : capacity);
        if (f < List::moved) a.in_column[f] = in.data + List::offset(false, f) * (in_width ? in_width : capacity);
        const u64 words = u64(List::size(f)) | 16, steps = in_width * In::size | out_width * Out::size;
        a.odd |=
            ((u64(uintptr_t(a.in_column[f])) | u64(uintptr_t(a.out_column[f])) | steps) & ((words & -words) - 1)) != 0;
      }
      std::vector<int> wanted(out_bytes, 0xa5);
      for (u64 i = 0; i < n; ++i) { // of the output
        u64 from = 0, to = i;
        for (int place = 3; place >= 0; --place) {
          from += to % extent[out_order[place]] * in_step[out_order[place]];
          to /= extent[out_order[place]];
        }
        for (int f = 0; f < List::count; ++f)
          for (int b = 0; b < List::size(f); ++b)
            wanted[place(out_width, capacity, Out::size, List::offset(true, f), List::size(f), i) + b] =
                f >= List::moved
                ? 0
                : x[place(in_width, capacity, In::size, List::offset(false, f), List::size(f), from) + b];
      }
      const int e = simt::launch_kernel(name, 1 + random32() % 3, P::threads, unsigned(TILE * List::bytes),
          gp__turn_layout<P, TILE, 0, In, Out, Moved...>, a);
      bool good = !e;
      for (size_t b = 0; b < out_bytes && good; ++b) good = out.data[b] == wanted[b];
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
  turn<Warps, 64, gp__side<0, 16>, gp__side<0, 16>, PARTICLE_FIELDS(12, 12), gp__moved<1, -1, 15>>(
      "columns, the axes reversed", 0, 0, {0, 1, 2, 3}, {3, 2, 1, 0}, seeds);
  turn<Warp, 32, gp__side<0, 16>, gp__side<0, 16>, PARTICLE_FIELDS(12, 12), gp__moved<1, -1, 15>>(
      "structs to blocks, axes in turn", 1, 16, {0, 1, 2, 3}, {1, 2, 3, 0}, seeds);
  turn<Warps, 48, gp__side<0, 28>, gp__side<0, 32>, gp__moved<4, 0, 4>, gp__moved<16, 4, 8>, gp__moved<8, 20, 24>,
      gp__moved<4, -1, 0>>("blocks to structs, the fastest axis stays", 32, 1, {3, 0, 2, 1}, {2, 3, 0, 1}, seeds);
}
#endif

#ifdef TEST_LAYOUT_ACCESS
// ---- one source, many layouts: compiled for each, and for any

#define PARTICLE(F) F(float, x) F(u16, kind) F(double, v) F(u8, flag)
GP_LAYOUT(Particle, PARTICLE)
GP_LAYOUT_NAME(Staged, Particle)
#define CELL(F) F(u8, flag) F(u32, sum)
GP_LAYOUT(Cell, CELL)
struct Corner {
  float x, y, z;
};
#define BLOCK(F) F(u8, flag) F(u16, kind) F(u32, sum) F(double, v) F(Corner, corner)
GP_LAYOUT(Block, BLOCK)
GP_LAYOUT_NAME(Turned, Block)
GP_CONSTANT_ROOM(Block, 32 * 1024);
struct Access {
  gp_array in, out, grid, sums, blocks, turned;
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
#define GP_LAYOUT_Block GP_USE(GP_SOA | GP_TEXTURE | GP_AXES(2, 0, 3, 1))
#define GP_LAYOUT_Turned GP_USE(GP_AOS | GP_AXES(3, 1, 0, 2))
#include "layout_kernel.h"
#define NAME access_structs
#define STAGED GP_SOA
#define GP_LAYOUT_Particle GP_USE(GP_AOS)
#define GP_LAYOUT_Cell GP_USE(GP_AOS)
#define GP_LAYOUT_Block GP_USE(GP_AOS | GP_READ_ONLY | GP_AXES(1, 2, 3, 0))
#define GP_LAYOUT_Turned GP_USE(GP_SOA | GP_TRANSPOSED)
#include "layout_kernel.h"
#define NAME access_blocks
#define STAGED 32
#define GP_LAYOUT_Particle GP_USE(32)
#define GP_LAYOUT_Cell GP_USE(16 | GP_TRANSPOSED)
#define GP_LAYOUT_Block GP_USE(16 | GP_CONSTANT)
#define GP_LAYOUT_Turned GP_USE(32 | GP_AXES(0, 3, 1, 2))
#include "layout_kernel.h"

static gp_array on_device(gp_array a) {
  const std::vector<u8> start(gp_array_bytes(&a), 0x11);
  a.base = simt::device_malloc(start.size());
  simt::host_write(a.base, start.data(), start.size());
  return a;
}
// The number of the struct at i, by the words of a layout's order.
static u64 number_by(const int (&order)[4], const u64 (&extent)[4], const u64 (&i)[4]) {
  u64 number = 0;
  for (const int axis : order) number = number * extent[axis] + i[axis];
  return number;
}
// Blocks in one layout and order become `turned` in another: by GP_GET, and by GP_AT4 of four dimensions.
struct Orders {
  uint64_t blocks, turned;
  int blocks_order[4], turned_order[4];
};
template<class Kernel>
static void access(const char *name, uint64_t layout, uint64_t cells, const Orders &orders, Kernel kernel, int seeds,
    bool said = false) {
  if (!only.empty() && only != name) return;
  for (int seed = 0; seed < seeds; ++seed)
    for (const size_t n : {1u, 31u, 32u, 33u, 100u, 321u}) {
      simt::set_random_schedule(u64(seed) * 1000 + n);
      const size_t rows = n % 7 + 1, columns = n / 5 + 1;
      Device<u32> kinds(std::vector<u32>(5, 0), 0);
      Access a = {on_device(GP_ARRAY_OF(Particle, layout, n, 1, 1)), on_device(GP_ARRAY_OF(Particle, layout, n, 1, 1)),
          on_device(GP_ARRAY_OF(Cell, cells, rows, columns, 1)), on_device(GP_ARRAY_OF(Cell, cells, rows, columns, 1)),
          on_device(GP_ARRAY_OF4(Block, orders.blocks, 3, 5, 2, 7)),
          on_device(GP_ARRAY_OF4(Turned, orders.turned, 3, 5, 2, 7)), n, kinds.data};
      std::vector<Block> blocks(3 * 5 * 2 * 7);
      const u64 extent[4] = {3, 5, 2, 7};
      for (u64 i = 0; i < blocks.size(); ++i) { // i: as in row-major order
        const u64 at[4] = {i / 70, i / 14 % 5, i / 7 % 2, i % 7};
        Block &b = blocks[i];
        b.flag = u8(random32()), b.kind = u16(random32()), b.sum = random32(), b.v = draw<double>();
        b.corner.x = draw<float>(), b.corner.y = draw<float>(), b.corner.z = draw<float>();
        const u64 place = number_by(orders.blocks_order, extent, at);
        const gp_array to = a.blocks; // by the struct's number: not by the order of axes
        GP_AT(Block, to, place, flag) = b.flag, GP_AT(Block, to, place, kind) = b.kind;
        GP_AT(Block, to, place, sum) = b.sum, GP_AT(Block, to, place, v) = b.v,
                                GP_AT(Block, to, place, corner) = b.corner;
      }
      if ((orders.blocks & GP_CONSTANT) == GP_CONSTANT) { // only the room has them
        std::memcpy(Block_constant.byte, a.blocks.base, gp_array_bytes(&a.blocks));
        std::memset(a.blocks.base, 0x22, gp_array_bytes(&a.blocks));
      }
      void *texture = nullptr; // likewise: a texture is a copy
      if ((orders.blocks & GP_CONSTANT) == GP_TEXTURE) {
        const std::vector<u8> all(
            static_cast<u8 *>(a.blocks.base), static_cast<u8 *>(a.blocks.base) + gp_array_bytes(&a.blocks));
        texture = simt::device_malloc(all.size());
        simt::host_write(texture, all.data(), all.size());
        a.blocks.texture = u64(uintptr_t(texture));
        std::memset(a.blocks.base, 0x22, all.size());
      }
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
      if (said) b.in.layout = b.out.layout = b.grid.layout = b.sums.layout = b.blocks.layout = b.turned.layout = 48;
      const int e = simt::launch_kernel(name, 1 + random32() % 3, 32, 0, kernel, b);
      bool good = !e && kinds.read(5) == counts;
      for (size_t i = 0; i < n && good; ++i)
        good = GP_AT(Particle, a.out, i, x) == x[i].x + float(x[i].v) * 2 && GP_AT(Particle, a.out, i, v) == x[i].v &&
            GP_AT(Particle, a.out, i, kind) == x[i].kind && GP_AT(Particle, a.out, i, flag) == x[i].flag;
      for (size_t i = 0; i < rows && good; ++i)
        for (size_t j = 0; j < columns && good; ++j)
          good = GP_AT2(Cell, a.sums, i, j, sum) ==
              (i ? grid[(i - 1) * columns + j] : 0) + (j ? grid[i * columns + j - 1] : 0);
      for (u64 i = 0; i < blocks.size() && good; ++i) {
        const u64 at[4] = {i / 70, i / 14 % 5, i / 7 % 2, i % 7}, place = number_by(orders.turned_order, extent, at);
        const gp_array to = a.turned;
        const Block &b = blocks[i];
        good = GP_AT(Turned, to, place, flag) == b.flag && GP_AT(Turned, to, place, kind) == b.kind &&
            GP_AT(Turned, to, place, sum) == b.sum && GP_AT(Turned, to, place, v) == b.v &&
            GP_AT(Turned, to, place, corner).x == b.corner.x && GP_AT(Turned, to, place, corner).z == b.corner.z &&
            GP_AT4(Turned, to, at[0], at[1], at[2], at[3], v) == b.v;
      }
      if (texture) simt::device_free(texture);
      // A value's position by the layout.
      const u64 w = layout ? layout : a.in.capacity;
      const size_t at = layout == GP_AOS ? (n - 1) * sizeof(Particle) + offsetof(Particle, v)
          : size_t((n - 1) / w * w * 15 + 6 * w + (n - 1) % w * 8);
      good = good && !std::memcmp(static_cast<u8 *>(a.in.base) + at, &x[n - 1].v, 8);
      if (cells == (GP_AOS | GP_TRANSPOSED) && columns > 1)
        good = good &&
            !std::memcmp(static_cast<u8 *>(a.grid.base) + rows * sizeof(Cell) + offsetof(Cell, sum), &grid[1], 4);
      check(good, std::string(name) + " n=" + std::to_string(n) + " seed=" + std::to_string(seed));
      for (const gp_array &array : {a.in, a.out, a.grid, a.sums, a.blocks, a.turned}) simt::device_free(array.base);
      simt::clear_error();
    }
}
static void accesses(int seeds) {
  const Orders plain = {GP_SOA, GP_AOS | GP_AXES(1, 0, 2, 3), {0, 1, 2, 3}, {1, 0, 2, 3}};
  const Orders read = {16 | GP_READ_ONLY | GP_AXES(3, 0, 1, 2), GP_SOA | GP_TRANSPOSED, {3, 0, 1, 2}, {3, 2, 1, 0}};
  const Orders fetched = {GP_AOS | GP_TEXTURE | GP_TRANSPOSED, 32, {3, 2, 1, 0}, {0, 1, 2, 3}};
  access("compiled for any, columns", GP_SOA, GP_AOS | GP_TRANSPOSED, plain, access_any<1>, seeds);
  access("compiled for any, structs", GP_AOS, GP_SOA, read, access_any<4>, seeds);
  access("compiled for any, blocks", 48, 16 | GP_TRANSPOSED, fetched, access_any<32>, seeds);
  access("compiled for columns", GP_SOA, GP_SOA | GP_TRANSPOSED,
      {GP_SOA | GP_TEXTURE | GP_AXES(2, 0, 3, 1), GP_AOS | GP_AXES(3, 1, 0, 2), {2, 0, 3, 1}, {3, 1, 0, 2}},
      access_columns<32>, seeds, true);
  access("compiled for structs", GP_AOS, GP_AOS,
      {GP_AOS | GP_READ_ONLY | GP_AXES(1, 2, 3, 0), GP_SOA | GP_TRANSPOSED, {1, 2, 3, 0}, {3, 2, 1, 0}},
      access_structs<8>, seeds, true);
  access("compiled for blocks", 32, 16 | GP_TRANSPOSED,
      {16 | GP_CONSTANT, 32 | GP_AXES(0, 3, 1, 2), {0, 1, 2, 3}, {0, 3, 1, 2}}, access_blocks<1>, seeds, true);
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
