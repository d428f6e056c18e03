// transpose/tensor.cuh - transposes by tensor copies, sm_90
// uses: device/vocabulary.cuh, device/machine.cuh, device/common.cuh, core/shape.h, transpose/policy.h,
//   transpose/panels_policy.h, transpose/arguments.h, device/warp.cuh, device/tile_transpose.cuh, device/kernel.cuh,
//   transpose/kernels.cuh

#if defined(GPUPRIMS_SIMT) || GPUPRIMS__ARCH >= 900 || GPUPRIMS__ARCH == 0
// Tiles come by tensor copies into a ring of places in shared memory, as boxes of 128 bytes of all rows, in which the
// engine has exchanged 16-byte units by an exclusive or with the row's number. A thread takes E rows of a unit at a
// time, E elements in each, and writes E columns of a unit: lanes of a quarter of a warp read units in banks of their
// own, and a warp writes lines of 64 bytes or more. A place is free again once threads have it in registers.
template <class P, int SIZE> struct gp__tensor_tile {
  static const int ROWS = gp__transpose_rows(P::threads, P::vectors, SIZE), E = 16 / SIZE;
  static const int COLUMNS = gp__transpose_columns(P::threads, P::vectors, SIZE), BYTES = ROWS * COLUMNS * SIZE;
  static const int BOX = ROWS * GP__TENSOR_BOX, BOXES = BYTES / BOX, WORDS = GP__TENSOR_BOX / (SIZE < 4 ? SIZE : 4);
  static const int BLOCKS = BYTES / (E * 16), ROUNDS = (BLOCKS + P::threads - 1) / P::threads; // of E rows of a unit
  // Lanes: so many units of a line that is written, units of a row that is read; of a quarter of a warp.
  static const int ACROSS = E < 8 ? E : 8, DOWN = 8 / ACROSS, LINE = ACROSS * 2 > 8 ? 4 : 8, STRIP = GP__WARP / LINE;
  static GP_DEVICE unsigned char *places(unsigned char *shared) {
    return shared + (0 - gp__misalignment(shared, GP__TENSOR_ALIGNMENT)) % GP__TENSOR_ALIGNMENT;
  }
  // One thread: the tile that begins in that row and is so many tiles from the left.
  static GP_DEVICE void request(unsigned char *place, const gp__tensor_map &map, gp__u64 row, gp__u64 column_tile,
                                gp__u64 near, gp__u64 far, gp__u64 *bar) {
    gp__mbarrier_arrive_expect(bar, BYTES);
    GPUPRIMS__UNROLL
    for (int box = 0; box < BOXES; ++box) {
      const int at[4] = {(static_cast<int>(column_tile) * BOXES + box) * WORDS, static_cast<int>(row),
                         static_cast<int>(near), static_cast<int>(far)};
      gp__tensor_load(place + box * BOX, &map, at, bar);
    }
  }
  // The k-th block of this thread: units of a row, and of a line, before it. False: there is none.
  static GP_DEVICE bool finds(int k, unsigned &across, unsigned &down) {
    const unsigned i = k * P::threads + threadIdx.x, lane = i % GP__WARP, quarter = lane / 8, warp = i / GP__WARP;
    across = lane % ACROSS + quarter / (LINE / DOWN) * ACROSS + warp / (ROWS / E / LINE) * STRIP;
    down = lane / ACROSS % DOWN + quarter % (LINE / DOWN) * DOWN + warp % (ROWS / E / LINE) * LINE;
    return BLOCKS % P::threads == 0 || i < BLOCKS;
  }
  gp_vector v[ROUNDS][E];
  GP_DEVICE void take(const unsigned char *place) {
    unsigned across, down;
    GPUPRIMS__UNROLL
    for (int k = 0; k < ROUNDS; ++k) {
      if (!finds(k, across, down)) continue;
      GPUPRIMS__UNROLL
      for (int e = 0; e < E; ++e) {
        const unsigned row = down * E + e;
        v[k][e] = *reinterpret_cast<const gp_vector *>(place + across / 8 * BOX + row * GP__TENSOR_BOX +
                                                       (across % 8 ^ row % 8) * 16);
      }
    }
  }
  GP_DEVICE void store(unsigned char *out, gp__u64 pitch, unsigned rows, unsigned columns) {
    unsigned across, down;
    GPUPRIMS__UNROLL
    for (int k = 0; k < ROUNDS; ++k) {
      if (!finds(k, across, down) || down * E >= rows) continue;
      gp__transpose_units<SIZE>(v[k]);
      GPUPRIMS__UNROLL
      for (int e = 0; e < E; ++e)
        if (across * E + e < columns) gp__store_vector<P::store>(out + (across * E + e) * pitch + down * 16, v[k][e]);
    }
  }
};
template <class P, int SIZE> struct gp__tensor_tiles {
  typedef gp__tensor_tile<P, SIZE> Tile;
  static const int ROWS = Tile::ROWS, COLUMNS = Tile::COLUMNS, STAGES = P::stages;
  struct storage {
    gp__u64 loaded[STAGES];
    unsigned char *out[STAGES]; // where the tile goes
    unsigned columns[STAGES], rows[STAGES];
  };
  const gp__tensor_args &t;
  storage &s;
  unsigned char *const places;
  GP_DEVICE gp__tensor_tiles(const gp__tensor_args &args, storage &memory, unsigned char *shared)
      : t(args), s(memory), places(Tile::places(shared)) {}

  GP_DEVICE void request(unsigned stage, gp__u64 tile) const {
    const gp__transpose_args &a = t.of;
    const gp__place_of_tile p(a, tile);
    const gp__u64 row = p.row * ROWS, column = p.column * COLUMNS;
    s.out[stage] = static_cast<unsigned char *>(a.out) + p.far * a.out_outer[0] + p.near * a.out_outer[1] +
                   column * a.out_pitch + row * SIZE;
    s.rows[stage] = static_cast<unsigned>(a.rows - row < ROWS ? a.rows - row : gp__u64(ROWS));
    s.columns[stage] = static_cast<unsigned>(a.columns - column < COLUMNS ? a.columns - column : gp__u64(COLUMNS));
    Tile::request(places + stage * Tile::BYTES, t.in, row, p.column, p.near, p.far, &s.loaded[stage]);
  }
  GP_DEVICE void run() const {
    const gp__u64 tiles = t.of.tiles;
    unsigned stage = 0, parity = 0;
    if (threadIdx.x == 0) {
      GPUPRIMS__UNROLL
      for (int k = 0; k < STAGES; ++k) gp__mbarrier_init(&s.loaded[k], 1);
      gp__mbarrier_init_fence();
      GPUPRIMS__UNROLL_BY(1)
      for (unsigned k = 0; k < STAGES && blockIdx.x + gp__u64(k) * gridDim.x < tiles; ++k)
        request(k, blockIdx.x + gp__u64(k) * gridDim.x);
    }
    __syncthreads();
    for (gp__u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      Tile moved;
      gp__mbarrier_wait(&s.loaded[stage], parity);
      unsigned char *const out = s.out[stage];
      const unsigned rows = s.rows[stage], columns = s.columns[stage];
      moved.take(places + stage * Tile::BYTES);
      __syncthreads();
      if (threadIdx.x == 0 && tile + gp__u64(STAGES) * gridDim.x < tiles)
        request(stage, tile + gp__u64(STAGES) * gridDim.x);
      moved.store(out, t.of.out_pitch, rows, columns);
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
  }
};
template <class P, int SIZE> GP_DEVICE void gp__transpose_tensor(const gp__tensor_args &a) {
  typedef gp__tensor_tiles<P, SIZE> Tiles;
  GP_DYNAMIC_SHARED(shared);
  GP_SHARED(typename Tiles::storage, s);
  gp__pdl_wait<P>();
  Tiles(a, s, shared).run();
}
#endif
