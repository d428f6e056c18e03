// marching_cubes.cuh - the kernels of marching_cubes.c. Plain CUDA without the library; NVRTC and the tests' emulator
// compile it.
//
// Lorensen and Cline, "Marching Cubes: A High Resolution 3D Surface Construction Algorithm" (SIGGRAPH 1987). The table
// of cases is made by marching_cubes.c.
//
// A volume is an array of floats, x fastest: `row` points in a row, `slice` points in a slice. A point is inside if its
// value is at least `level`. All points on the border are outside. So a cell may be named by the index of its first
// corner, without regard to rows: a cell that begins at the end of a row has corners on the border only, and is empty.
// `cells` is the number of first corners whose other corners are points of the array.

// A corner of a triangle: its place in units of the grid, and the grid's edge that it lies on: 3 * (the edge's first
// point) + axis. Equal edges are the same vertex.
struct alignas(16) mc_corner {
  float x, y, z;
  unsigned edge;
};

// The table has 16 bytes a case: up to 15 corners of triangles, each the code of a cell's edge, 8 * axis + (the edge's
// first corner); then the number of triangles. Corner k of a cell is k & 1 further along x, k >> 1 & 1 along y, k >> 2
// along z.
enum { MC_ROW = 16, MC_COUNT = 15 };

// The case of a cell: bit k is set if corner k is inside.
static __device__ __forceinline__ unsigned mc_case(
    const float *field, unsigned row, unsigned slice, float level, unsigned cell) {
  unsigned result = 0;
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) {
    const unsigned point = cell + (k & 1) + (k >> 1 & 1) * row + (k >> 2) * slice;
    result |= (field[point] >= level ? 1u : 0u) << k;
  }
  return result;
}

// ---- classification: a thread a cell

// The number of triangles of each cell.
extern "C" __global__ void mc_counts(const float *field, unsigned row, unsigned slice, float level, unsigned cells,
    const unsigned char *table, unsigned char *counts) {
  const unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell < cells) counts[cell] = table[MC_ROW * mc_case(field, row, slice, level, cell) + MC_COUNT];
}

// The same for compaction: a word a cell, 8 * cell + the number of triangles. There are at most 2^29 cells.
extern "C" __global__ void mc_words(const float *field, unsigned row, unsigned slice, float level, unsigned cells,
    const unsigned char *table, unsigned *words) {
  const unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell < cells) words[cell] = 8 * cell + table[MC_ROW * mc_case(field, row, slice, level, cell) + MC_COUNT];
}

// ---- generation: a thread writes the triangles of a cell

// Writes the triangles of a cell, the first of them to triangle `first` of `out`, which has room for `room` triangles.
// The host computes the same floats: differences, one quotient and one sum, each rounded once.
static __device__ __forceinline__ void mc_generate(const float *field, unsigned row, unsigned slice, float level,
    unsigned cell, const unsigned char *table, unsigned first, unsigned room, mc_corner *out) {
  const unsigned char *codes = table + MC_ROW * mc_case(field, row, slice, level, cell);
  const unsigned count = codes[MC_COUNT];
  const unsigned z = cell / slice, y = (cell - z * slice) / row, x = cell - z * slice - y * row;
  if (first > room || count > room - first) return;
  for (unsigned k = 0; k < 3 * count; ++k) {
    const unsigned code = codes[k], axis = code >> 3;
    const unsigned dx = code & 1, dy = code >> 1 & 1, dz = code >> 2 & 1;
    const unsigned point = cell + dx + dy * row + dz * slice;
    const float a = field[point], b = field[point + (axis == 0 ? 1 : axis == 1 ? row : slice)];
    const float share = (level - a) / (b - a);
    mc_corner corner;
    corner.x = (float)(x + dx) + (axis == 0 ? share : 0.0f);
    corner.y = (float)(y + dy) + (axis == 1 ? share : 0.0f);
    corner.z = (float)(z + dz) + (axis == 2 ? share : 0.0f);
    corner.edge = 3 * point + axis;
    out[3 * first + k] = corner;
  }
}

// All cells, a thread each: most of them are empty. offsets: the exclusive scan of counts.
extern "C" __global__ void mc_generate_all(const float *field, unsigned row, unsigned slice, float level,
    unsigned cells, const unsigned char *table, const unsigned char *counts, const unsigned *offsets, unsigned room,
    mc_corner *out) {
  const unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell < cells && counts[cell]) mc_generate(field, row, slice, level, cell, table, offsets[cell], room, out);
}

// The cells that compaction left: the words of *active cells, in order; offsets: the exclusive scan of their numbers of
// triangles. The host does not know *active, so that blocks step through the words by grids.
extern "C" __global__ void mc_generate_active(const float *field, unsigned row, unsigned slice, float level,
    const unsigned long long *active, const unsigned char *table, const unsigned *words, const unsigned *offsets,
    unsigned room, mc_corner *out) {
  const unsigned count = (unsigned)*active, step = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    mc_generate(field, row, slice, level, words[i] >> 3, table, offsets[i], room, out);
}

// ---- checking: adds the number of words in which a and b differ to *differences

extern "C" __global__ void mc_compare(
    const unsigned *a, const unsigned *b, unsigned long long n, unsigned *differences) {
  const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    if (a[i] != b[i]) atomicAdd(differences, 1u);
}
