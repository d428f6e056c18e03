// tile_sparse.cu - kernels of your own on a sparse matrix in CSR form, whose rows differ in length: look entries up,
// name each entry's row, multiply with a vector by equal shares of work, add two rows, and draw columns by weight.
//
//     nvcc -O3 -std=c++17 -arch=native -I. examples/tile_sparse.cu -o tile_sparse && ./tile_sparse
#include "gpuprims.h"

#include <cstdio>
#include <vector>

constexpr int THREADS = 64, ITEMS = 4, TILE = THREADS * ITEMS, WARPS = THREADS / 32;

struct matrix { // row r has the entries offsets[r] .. offsets[r + 1] - 1; its columns ascend
  const unsigned *offsets, *columns;
  const float *values;
  unsigned rows;
  __host__ __device__ unsigned entries() const { return offsets[rows]; }
};

// The values at (rows[i], columns[i]), 0 where there is no entry: a thread a lookup.
__global__ void look_up(matrix a, const unsigned *rows, const unsigned *columns, float *out, unsigned count) {
  const unsigned i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= count) return;
  const unsigned first = a.offsets[rows[i]], length = a.offsets[rows[i] + 1] - first;
  const unsigned *row = a.columns + first;
  const auto at = gp_search_lower(row, length, columns[i], gp_less<unsigned>());
  out[i] = at < gp_search_upper(row, length, columns[i], gp_less<unsigned>()) ? a.values[first + at] : 0;
}
// How many entries of each row are below a column, and up to it: a warp a row, for long rows.
__global__ void count_up_to(matrix a, unsigned column, unsigned *below, unsigned *up_to) {
  const unsigned r = blockIdx.x * WARPS + gp_warp(); // the lanes of a warp agree
  if (r >= a.rows) return;
  const unsigned first = a.offsets[r], length = a.offsets[r + 1] - first;
  const auto lower = gp_warp_search_lower(a.columns + first, length, column, gp_less<unsigned>());
  const auto upper = gp_warp_search_upper(a.columns + first, length, column, gp_less<unsigned>());
  if (gp_lane() == 0) below[r] = unsigned(lower), up_to[r] = unsigned(upper);
}

// The row of each entry: CSR to coordinates. A tile of entries a block, however many rows begin in it.
__global__ void coordinates(matrix a, unsigned *row_of) {
  typedef gp_tile_load_balance_storage<THREADS, ITEMS> balance_storage;
  GP_SHARED(balance_storage, s);
  const unsigned first = blockIdx.x * TILE, left = a.entries() - first;
  unsigned long long row[ITEMS];
  gp_tile_load_balance(row, a.offsets, a.rows, first, s);
  for (int i = 0; i < ITEMS; ++i)
    if (threadIdx.x * ITEMS + unsigned(i) < left) row_of[first + threadIdx.x * ITEMS + unsigned(i)] = unsigned(row[i]);
}

// y += A x. Rows and entries together are the work; each warp takes an equal share and finds by two searches where it
// begins, then each of its threads does the same. Rows that begin elsewhere are added to.
__global__ void multiply(matrix a, const float *x, float *y, unsigned shares) {
  const unsigned *ends = a.offsets + 1;
  const unsigned long long work = a.rows + a.entries(), warp = blockIdx.x * WARPS + gp_warp();
  const unsigned long long begin = work * warp / shares, end = work * (warp + 1) / shares; // of the warp
  const auto row_before = gp_warp_merge_path(ends, a.rows, begin), row_after = gp_warp_merge_path(ends, a.rows, end);
  // The thread's share, searched for among the warp's rows only.
  const unsigned long long from = begin + (end - begin) * gp_lane() / 32,
                           to = begin + (end - begin) * (gp_lane() + 1) / 32;
  unsigned long long row = row_before + gp_merge_path(ends + row_before, row_after - row_before, from - row_before);
  float sum = 0;
  for (unsigned long long at = from; at < to; ++at) {
    const unsigned long long entry = at - row;
    if (row < a.rows && entry == ends[row]) { // the end of a row
      atomicAdd(&y[row++], sum);
      sum = 0;
    } else sum += a.values[entry] * x[a.columns[entry]];
  }
  if (row < a.rows) atomicAdd(&y[row], sum);
}

// The columns of rows r and r + 1, merged: those that both have occur twice. A block; each thread takes ITEMS of them.
// A whole warp searches for the warp's part: fewer reads wait for each other.
__global__ void merge_rows(matrix a, unsigned r, unsigned *out) {
  const unsigned *one = a.columns + a.offsets[r], *two = a.columns + a.offsets[r + 1];
  const unsigned n = a.offsets[r + 1] - a.offsets[r], m = a.offsets[r + 2] - a.offsets[r + 1];
  const unsigned part = gp_warp() * 32 * ITEMS, first = part < n + m ? part : n + m;
  const unsigned split = unsigned(gp_warp_merge_split(one, n, two, m, first, gp_less<unsigned>()));
  one += split, two += first - split; // what is left for this warp
  const unsigned n_left = n - split, m_left = m - (first - split), left = n_left + m_left;
  unsigned at = gp_lane() * ITEMS < left ? gp_lane() * ITEMS : left;
  unsigned i = unsigned(gp_merge_split(one, n_left, two, m_left, at, gp_less<unsigned>())), j = at - i;
  for (int k = 0; k < ITEMS && at < left; ++k, ++at) {
    const bool take_one = j >= m_left || (i < n_left && one[i] <= two[j]);
    out[first + at] = take_one ? one[i++] : two[j++];
  }
}

// Draws entries of row r by weight: running sums of the row, then the first that exceeds a share of the total. One
// warp, at most 32 entries. Each lane draws; the warp draws lane 0's again, together. Also the largest weight.
__global__ void draw(matrix a, unsigned r, float *running, const float *shares, unsigned *drawn, unsigned *drawn_once) {
  const unsigned first = a.offsets[r], length = a.offsets[r + 1] - first;
  const float weight = gp_lane() < length ? a.values[first + gp_lane()] : 0;
  const float sum = gp_warp_inclusive_scan(weight, gp_sum<float>());
  running[gp_lane()] = sum;
  const float heaviest = gp_warp_reduce(weight, gp_max<float>()); // in lane 0
  __syncwarp();
  const float total = running[31];
  const float mine = shares[gp_lane()] * total, common = shares[0] * total;
  drawn[gp_lane()] = unsigned(gp_search(0, length - 1, [=](unsigned long long k) { return running[k] <= mine; }));
  const auto once = gp_warp_search(0, length - 1, [=](unsigned long long k) { return running[k] <= common; });
  if (gp_lane() == 0) drawn_once[0] = unsigned(once), drawn_once[1] = unsigned(heaviest);
}

template<class T> static T *managed(size_t count) {
  T *pointer = nullptr;
  if (cudaMallocManaged(&pointer, count * sizeof(T)) != cudaSuccess) std::printf("no memory\n");
  return pointer;
}

int main() {
  int devices = 0, wrong = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU\n");
    return 0;
  }
  constexpr unsigned ROWS = 60, COLUMNS = 300, SHARES = 8, ROW = 20; // the row of `draw`
  unsigned *offsets = managed<unsigned>(ROWS + 1), *columns = managed<unsigned>(ROWS * COLUMNS);
  float *values = managed<float>(ROWS * COLUMNS), *x = managed<float>(COLUMNS), *y = managed<float>(ROWS);
  unsigned entries = 0;
  for (unsigned r = 0; r < ROWS; ++r) { // every third row is empty; row 7 is long
    const unsigned every = r == 7 ? 2 : r == ROW ? 15 : 5 + r;
    offsets[r] = entries;
    for (unsigned c = r % 3 == 0 ? COLUMNS : r % 4; c < COLUMNS; c += every) {
      columns[entries] = c;
      values[entries] = float(entries % 9 + 1);
      ++entries;
    }
  }
  offsets[ROWS] = entries;
  for (unsigned c = 0; c < COLUMNS; ++c) x[c] = float(c % 5);
  for (unsigned r = 0; r < ROWS; ++r) y[r] = 0;
  const matrix a = {offsets, columns, values, ROWS};

  unsigned *ask_rows = managed<unsigned>(ROWS), *ask_columns = managed<unsigned>(ROWS),
           *row_of = managed<unsigned>(entries);
  unsigned *below = managed<unsigned>(ROWS), *up_to = managed<unsigned>(ROWS), *merged = managed<unsigned>(TILE);
  unsigned *drawn = managed<unsigned>(32), *drawn_once = managed<unsigned>(2);
  float *found = managed<float>(ROWS), *running = managed<float>(32), *shares = managed<float>(32);
  for (unsigned i = 0; i < ROWS; ++i) ask_rows[i] = i * 7 % ROWS, ask_columns[i] = i * 2;
  for (unsigned i = 0; i < 32; ++i) shares[i] = float((i * 11 + 5) % 32) / 32;

  look_up<<<1, THREADS>>>(a, ask_rows, ask_columns, found, ROWS);
  count_up_to<<<ROWS / WARPS, THREADS>>>(a, 100, below, up_to);
  coordinates<<<(entries + TILE - 1) / TILE, THREADS>>>(a, row_of);
  multiply<<<SHARES / WARPS, THREADS>>>(a, x, y, SHARES);
  merge_rows<<<1, THREADS>>>(a, 7, merged);
  draw<<<1, 32>>>(a, ROW, running, shares, drawn, drawn_once);
  wrong += cudaDeviceSynchronize() != cudaSuccess;

  for (unsigned r = 0; r < ROWS; ++r) {
    float sum = 0;
    unsigned lower = 0, upper = 0;
    for (unsigned e = offsets[r]; e < offsets[r + 1]; ++e) {
      sum += values[e] * x[columns[e]];
      lower += columns[e] < 100, upper += columns[e] <= 100;
      wrong += row_of[e] != r;
    }
    wrong += y[r] != sum || below[r] != lower || up_to[r] != upper;
  }
  for (unsigned i = 0; i < ROWS; ++i) {
    float value = 0;
    for (unsigned e = offsets[ask_rows[i]]; e < offsets[ask_rows[i] + 1]; ++e)
      if (columns[e] == ask_columns[i]) value = values[e];
    wrong += found[i] != value;
  }
  std::vector<unsigned> both;
  for (unsigned c = 0; c < COLUMNS; ++c)
    for (unsigned e = offsets[7]; e < offsets[9]; ++e)
      if (columns[e] == c) both.push_back(c);
  for (size_t k = 0; k < both.size(); ++k) wrong += merged[k] != both[k];
  float total = 0, most = 0;
  for (unsigned e = offsets[ROW]; e < offsets[ROW + 1]; ++e)
    total += values[e], most = values[e] > most ? values[e] : most;
  for (unsigned i = 0; i < 32; ++i) {
    unsigned k = 0;
    float sum = values[offsets[ROW]];
    for (; sum <= shares[i] * total; sum += values[offsets[ROW] + k]) ++k;
    wrong += drawn[i] != k || (i == 0 && drawn_once[0] != k);
  }
  wrong += drawn_once[1] != unsigned(most);
  std::printf("%u rows, %u entries; two rows have %u columns together; %d faults\n", ROWS, entries,
      unsigned(both.size()), wrong);
  for (void *pointer : {(void *)offsets, (void *)columns, (void *)values, (void *)x, (void *)y, (void *)ask_rows,
           (void *)ask_columns, (void *)row_of, (void *)below, (void *)up_to, (void *)merged, (void *)drawn,
           (void *)drawn_once, (void *)found, (void *)running, (void *)shares})
    cudaFree(pointer);
  return wrong != 0 || both.size() > TILE;
}
