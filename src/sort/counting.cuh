// sort/counting.cuh - counting sort
// uses: api/lists.h, api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h,
//   sort/counting_policy.h, histogram/arguments.h, sort/counting_arguments.h, device/types.cuh, device/operators.cuh,
//   device/warp.cuh, device/inputs.cuh, device/tile_load.cuh, device/tile_reduce.cuh, device/tile_search.cuh,
//   device/two_keys.cuh, device/look_back.cuh, device/kernel.cuh, histogram/bins.cuh, histogram/counts.cuh,
//   scan/kernels.cuh

// Sorts keys of one or two bytes without values. Equal keys are indistinguishable, so it is enough to count them
// (gp__histogram), to make runs of the values that occur, and to write the runs. Every key is read once and written
// once for any distribution: a tile of the output reads only the runs that begin in it.

struct gp__run_tally {
  gp__u64 keys, runs;
};
struct gp__add_tally {
  typedef gp__run_tally type;
  enum { commutative = 1, exact = 1 };
  static GP_DEVICE gp__run_tally identity() {
    gp__run_tally t = {0, 0};
    return t;
  }
  GP_DEVICE gp__run_tally operator()(const gp__run_tally &a, const gp__run_tally &b) const {
    gp__run_tally t = {a.keys + b.keys, a.runs + b.runs};
    return t;
  }
};

// A vector filled with one key.
template<class Bits> GP_DEVICE gp_vector gp__same_keys(Bits key) {
  const gp__u32 word = sizeof(Bits) == 1 ? key * 0x01010101u : key * 0x00010001u;
  return gp_vector{{word, word, word, word}};
}

// Counts 2-byte keys. A thread that finds a counter full moves 2^15 of it to the output, unless another thread did. It
// does so before its next vector, so all threads together cannot overflow a counter.
template<class P> struct gp__key_counts {
  typedef gp__histogram_counts<P, GP_SHARED_BINS, gp__even_bins<gp__u16>, gp__u16, gp__none, gp__u64, gp__arrays>
      Histogram;
  typedef typename Histogram::Storage Storage;
  typedef typename Histogram::Samples Samples;
  typedef gp__key_counters Counters;
  static const int V = Histogram::V, WORDS = Counters::WORDS;
  static_assert(P::threads * V < Counters::CARRY, "counters overflow");
  const gp__histogram_args &a;
  const Storage &s;
  Counters counters;
  GP_DEVICE gp__key_counts(const gp__histogram_args &args, const Storage &storage, gp__u8 *shared)
    : a(args), s(storage), counters(shared) {}

  // Adds what was taken from full counters to the output.
  GP_DEVICE void carry(const gp_vector &x, gp__u32 taken) const {
    GP__UNROLL_BY(1)
    for (; taken; taken &= taken - 1) {
      const int bit = __ffs(int(taken)) - 1;
      const gp__u32 value = Counters::value_of(gp__key_at(x, bit % V), unsigned(bit / V));
      if (gridDim.x > 1) Histogram::wait_for_output(a, s, value);
      atomicAdd(gp__as<gp__u64>(a.out) + value, gp__u64(Counters::CARRY));
    }
  }
  // Counts a vector's keys. Returns the OR of the counters' previous words.
  GP_DEVICE gp__u32 count_each(const gp__two_keys (&two)[4]) const {
    gp__u32 was = 0;
    GP__EACH(j, V) was |= counters.add(two[j / 2], j % 2 == 1, 1);
    return was;
  }
  // Adds a run of equal neighbours at once.
  GP_DEVICE gp__u32 count_runs(const gp_vector &x, const gp__two_keys (&two)[4]) const {
    gp__u32 was = 0, n = 1; // keys of the run so far
    GP__EACH(j, V) {
      if (j == V - 1 || gp__next_key_differs(x, j)) {
        was |= counters.add(two[j / 2], j % 2 == 1, n);
        n = 0;
      }
      ++n;
    }
    return was;
  }
  // runs: many neighbours are equal.
  GP_DEVICE void take(const gp_vector &x, bool runs) const {
    const gp__two_keys two[4] = {{x.word[0]}, {x.word[1]}, {x.word[2]}, {x.word[3]}};
    if (Counters::any_full(runs ? count_runs(x, two) : count_each(two))) carry(x, counters.template take_full<V>(two));
  }
  GP_DEVICE void take_key(const gp__two_keys &key, gp__u32 n) const { // counts the lower key n times
    if (Counters::any_full(counters.add(key, false, n)))
      carry(gp_vector{{key.keys, 0, 0, 0}}, counters.template take_full<1>(&key));
  }
  // True if all vectors of the warp hold one key: lane 0 then counts them at once.
  static GP_DEVICE bool all_same(bool there, const gp_vector &x) {
    const gp__u32 same = gp__same_keys(gp__u16(gp_warp_broadcast(x.word[0], 0))).word[0];
    const gp__u32 differ = (x.word[0] ^ same) | (x.word[1] ^ same) | (x.word[2] ^ same) | (x.word[3] ^ same);
    return __all_sync(~0u, there && !differ);
  }
  GP_DEVICE void take_same(gp__u32 word) const {
    if (!gp_lane()) take_key(gp__two_keys(word & 0xffffu), GP__WARP * V);
  }
  // Keys before and after the whole vectors, one a thread.
  GP_DEVICE void take_ends() const {
    const typename Histogram::Extent e(a);
    const gp__u64 i = threadIdx.x < e.head ? threadIdx.x : e.vectors * V + threadIdx.x;
    if (i < e.samples) take_key(gp__as<const gp__u16>(a.in)[i], 1);
  }
  GP_DEVICE void take_all(Samples &x) const {
    if (blockIdx.x == gridDim.x - 1) take_ends();
    GP__UNROLL_BY(1)
    while (__any_sync(~0u, x.left != 0)) {
      // Pairs of equal keys in a quarter of the lanes are a sign of runs.
      const bool runs = __popc(__ballot_sync(~0u, x.left != 0 && !gp__next_key_differs(x.x[0].access, 0))) >= 8;
      GP__UNROLL
      for (unsigned k = 0; k < Histogram::K; ++k) {
        const bool there = k < x.left;
        if (runs && all_same(there, x.x[k].access)) take_same(x.x[k].access.word[0]);
        else if (there) take(x.x[k].access, runs);
        x.load(k, k + Histogram::K < x.left, true);
      }
      x.left -= x.left < Histogram::K ? x.left : Histogram::K;
    }
  }
  // Writes the counters to the block's row, 65536 of 16 bits; without rows, adds them to the output.
  GP_DEVICE void hand_over(gp__u64 *out) const {
    gp__u32 *row = a.rows + gp__u64(blockIdx.x) * WORDS;
    for (gp__u32 i = V * threadIdx.x; i < WORDS; i += V * P::threads) {
      gp__u32 two[V];
      GP__EACH(j, V) two[j] = counters.of_value(i + unsigned(j));
      if (a.rows) {
        gp_vector lower, upper;
        GP__UNROLL
        for (int j = 0; j < V; j += 2) {
          lower.word[j / 2] = gp__lower_halves(two[j], two[j + 1]);
          upper.word[j / 2] = gp__upper_halves(two[j], two[j + 1]);
        }
        gp__store_vector_if(true, row + i / 2, lower);
        gp__store_vector_if(true, row + (i ^ Counters::OTHER) / 2, upper);
      } else {
        GP__EACH(j, V) {
          if (two[j] & 0xffffu) atomicAdd(out + i + j, gp__u64(two[j] & 0xffffu));
          if (two[j] >> 16) atomicAdd(out + ((i + j) ^ Counters::OTHER), gp__u64(two[j] >> 16));
        }
      }
    }
  }
  static GP_DEVICE void run(const gp__histogram_args &a) {
    GP_SHARED(Storage, s);
    GP_DYNAMIC_SHARED(shared);
    const bool single = gridDim.x == 1;
    gp__u64 *out = gp__as<gp__u64>(a.out);
    Histogram::clear(shared, WORDS * 4);
    gp__pdl_wait<P>();
    Samples samples(a);
    if (!single && gp_warp() == P::threads / 32 - 1) Histogram::clear_output(a, s);
    for (gp__u32 i = threadIdx.x; single && i < 2 * WORDS; i += P::threads) out[i] = 0;
    __syncthreads();
    const gp__key_counts counts(a, s, shared);
    counts.take_all(samples);
    if (!single && !a.rows) Histogram::wait_for_output(a, s);
    __syncthreads();
    counts.hand_over(out);
  }
};

// Counts the keys of each value, in a histogram of their bits.
template<class P, class K, int SIZE = int(sizeof(K))>
struct gp__counts_of : gp__histogram_counts<P, GP_SHARED_BINS, gp__even_bins<K>, K, gp__none, gp__u64, gp__arrays> {};
template<class P, class K> struct gp__counts_of<P, K, 2> : gp__key_counts<P> {};
template<class P, class K> GP_DEVICE void gp__count_keys(const gp__histogram_args &a) {
  gp__counts_of<gp__policy<gp__counting_threads(int(sizeof(K))), gp__counting_vectors(int(sizeof(K))), P::load,
                    GP_CACHE_ALL, 0, gp__counting_blocks(int(sizeof(K))), P::overlap>,
      K>::run(a);
}

// A thread's ITEMS counters, of values that are consecutive in sort order.
template<int ITEMS, class T, bool DESCENDING> struct gp__counted_values {
  typedef gp__ordered<T> Ordered;
  typedef typename Ordered::Bits Bits;
  gp__u64 count[ITEMS];
  gp__u32 first;
  GP_DEVICE Bits value(int i) const {
    return Ordered::decode(Bits(DESCENDING ? ~(first + unsigned(i)) : first + unsigned(i)));
  }
  GP_DEVICE void load(const gp__u64 *counts, gp__u32 from, gp__u32 end) {
    first = from;
    GP__EACH(i, ITEMS) count[i] = first + i < end ? counts[value(i)] : 0;
  }
  GP_DEVICE gp__run_tally tally() const {
    gp__run_tally t = gp__add_tally::identity();
    GP__EACH(i, ITEMS) {
      t.keys += count[i];
      t.runs += count[i] != 0;
    }
    return t;
  }
  // Writes the thread's runs after the `before` ones.
  GP_DEVICE void store(gp__run_tally before, gp__u64 *starts, gp__u16 *values) const {
    GP__EACH(i, ITEMS) {
      if (count[i] == 0) continue;
      starts[before.runs] = before.keys;
      values[before.runs] = value(i);
      before.keys += count[i];
      ++before.runs;
    }
  }
};

// Called by a block: sums the counts of 8 PARTS consecutive values, from `first` on, over the rows of all counting
// blocks. `sums` must be zero; [i][j] becomes the count of value first + 8 j + i. A thread loads a vector of every
// eighth row, GP__COUNTING_LOADS at a time.
template<int PARTS> GP_DEVICE void gp__sum_rows(const gp__counting_args &a, gp__u32 first, gp__u32 (&sums)[8][PARTS]) {
  const unsigned part = threadIdx.x % PARTS;
  const gp__u16 *row = a.rows + threadIdx.x / PARTS * 65536 + first + part * 8;
  gp__u32 sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  GP__UNROLL_BY(1)
  for (unsigned b = threadIdx.x / PARTS; b < a.blocks; b += 8 * GP__COUNTING_LOADS) {
    gp_vector counted[GP__COUNTING_LOADS];
    GP__UNROLL
    for (int k = 0; k < GP__COUNTING_LOADS; ++k, row += 8 * 65536) {
      counted[k] = gp_vector{{0, 0, 0, 0}};
      gp__load_vector_if<GP_CACHE_L2>(b + unsigned(8 * k) < a.blocks, row, counted[k]);
    }
    GP__EACH(i, 8 * GP__COUNTING_LOADS) sum[i % 8] += counted[i / 8].word[i % 8 / 2] >> (i % 2 * 16) & 0xffffu;
  }
  GP__EACH(i, 8)
    if (sum[i]) atomicAdd(&sums[i][part], sum[i]);
}
// Called by a warp: publishes the block's `total` and returns the keys and runs of the blocks before it.
GP_DEVICE gp_carry<gp__run_tally> gp__runs_before(
    const gp__counting_args &a, const gp__ticket &ticket, const gp__run_tally &total) {
  gp_carry<gp__run_tally> start;
  start.has = false;
  start.value = gp__add_tally::identity();
  const gp__look_back<gp__run_tally, gp__add_tally> look_back = {
      gp__words(a.workspace), gridDim.x, ticket.tag, start, false};
  if (!gp_lane()) look_back.publish_aggregate(ticket.number, total);
  return look_back(ticket.number, total);
}
// Makes the runs of 2-byte keys with GP__COUNTING_BLOCKS blocks; each waits for the sums of the blocks before it. A
// thread has one value. A block's values are consecutive in a row too, rising or falling.
template<class P, class T, bool DESCENDING> GP_DEVICE void gp__counting_runs(const gp__counting_args &a) {
  const int THREADS = GP__COUNTING_THREADS;
  static_assert(THREADS * GP__COUNTING_BLOCKS == 65536, "a value a thread");
  struct Storage : gp__scan_storage<THREADS, gp__run_tally> {
    gp__u32 sums[8][THREADS / 8];
  };
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  if (!threadIdx.x) s.ticket = gp__draw(a.workspace, gridDim.x);
  s.sums[threadIdx.x * 8 / THREADS][threadIdx.x % (THREADS / 8)] = 0;
  __syncthreads();
  const gp__ticket ticket = s.ticket;
  gp__counted_values<1, T, DESCENDING> mine;
  mine.load(a.counts, gp__u32(ticket.number) * THREADS + threadIdx.x, 65536);
  const gp__u32 value = mine.value(0);
  gp__sum_rows(a, value & ~(THREADS - 1u), s.sums);
  __syncthreads();
  mine.count[0] += s.sums[value % 8][value % THREADS / 8];
  gp__run_tally before = mine.tally();
  const gp__run_tally total = gp_tile_exclusive_scan<THREADS>(before, gp__add_tally(), s.scan);
  if (!gp_warp()) {
    const gp_carry<gp__run_tally> prefix = gp__runs_before(a, ticket, total);
    if (!gp_lane()) s.prefix = prefix;
  }
  __syncthreads();
  const gp__run_tally prefix = s.prefix.has ? s.prefix.value : gp__add_tally::identity();
  mine.store(gp__add_tally()(prefix, before), a.starts, a.values);
  if (ticket.number + 1 == gridDim.x && !threadIdx.x) *a.runs = prefix.runs + total.runs;
}

// Writes the output in pieces of several rows. A row is a vector a lane; a warp writes a piece. The warp searches for
// the run in which its piece begins, then goes from run to run. It stores rows of one run directly; in other rows each
// lane counts the runs that begin before its keys. This costs a few instructions a row and a few a run. Positions count
// from the 16-byte boundary at or before the output's first key. With 1-byte keys every block makes the runs for
// itself.
template<class P, class T, bool DESCENDING> struct gp__counting_filler {
  typedef typename gp__ordered<T>::Bits Bits;
  static const int THREADS = P::threads, V = 16 / int(sizeof(T)), ROW = 32 * V, PIECE = 4 * P::vectors;
  static const int VALUES = 1 << (8 * sizeof(T));
  static const bool ALONE = sizeof(T) == 1;
  static const int ITEMS = ALONE && VALUES > THREADS ? VALUES / THREADS : 1;
  struct Row { // a warp's row in which runs begin
    gp__u32 begins[V]; // one bit a position
    gp__u16 value[(ROW < VALUES ? ROW : VALUES) + 1]; // values of the run before, then of those that begin
  };
  struct Storage {
    gp_tile_scan_storage<THREADS, gp__run_tally> scan;
    gp__u64 starts[ALONE ? VALUES : 1];
    gp__u16 values[ALONE ? VALUES : 1];
    Row rows[THREADS / 32];
  };
  struct Before { // runs that begin at a position or before it
    const gp__u64 *starts;
    gp__u64 key;
    GP_DEVICE bool operator()(gp__u64 run) const { return starts[run] <= key; }
  };
  // All runs, in global or shared memory: the positions at which they begin, and their values.
  struct Runs {
    const gp__u64 *starts;
    const gp__u16 *values;
    gp__u64 count, skipped; // positions before the first key
  };
  // A warp's cursor: the next runs, one a lane, of which the first `used` have begun.
  struct Cursor {
    const Runs &runs;
    gp__u64 first, at; // first: run of lane 0; at: where the lane's run begins
    unsigned used;
    gp__u16 value, now; // value: of the lane's run; now: of the run begun last
    GP_DEVICE void load() {
      const gp__u64 i = first + gp_lane();
      used = 0;
      at = i < runs.count ? runs.starts[i] + runs.skipped : ~0ull;
      if (i < runs.count) value = runs.values[i];
    }
    GP_DEVICE Cursor(const Runs &of, gp__u64 position) : runs(of), value(0) {
      first = gp_warp_search(0, of.count, Before{of.starts, position > of.skipped ? position - of.skipped : 0});
      now = of.values[first - 1];
      load();
    }
    GP_DEVICE gp__u64 next_begin() const { return __shfl_sync(~0u, at, int(used)); }
  };
  // Returns the lane's vector of the row at `from`.
  static GP_DEVICE gp_vector mixed(Cursor &cursor, Row &row, gp__u64 from) {
    unsigned begun = 0; // runs that begin in the row
    if (gp_lane() < V) row.begins[gp_lane()] = 0;
    if (!gp_lane()) row.value[0] = cursor.now;
    __syncwarp();
    for (;;) {
      const bool begins = gp_lane() >= cursor.used && cursor.at < from + ROW;
      if (begins) {
        const unsigned i = unsigned(cursor.at - from);
        atomicOr(&row.begins[i / 32], 1u << (i % 32));
        row.value[begun + 1 + gp_lane() - cursor.used] = cursor.value;
      }
      const unsigned found = unsigned(__popc(__ballot_sync(~0u, begins)));
      begun += found;
      cursor.used += found;
      if (cursor.used < 32) break;
      cursor.first += 32;
      cursor.load();
    }
    __syncwarp();
    const gp__u32 mine = row.begins[gp_lane() * V / 32] >> (gp_lane() * V % 32) & ((1u << V) - 1);
    const gp__u32 here = gp__u32(__popc(mine)), before = gp_warp_inclusive_scan(here, gp_sum<gp__u32>()) - here;
    gp__vec<Bits> p;
    const gp__u16 *value = row.value + before;
    GP__EACH(j, V) {
      value += mine >> j & 1;
      p.item[j] = Bits(*value);
    }
    cursor.now = row.value[begun];
    __syncwarp();
    return p.vector;
  }
  // Called by a block: returns all runs. With 1-byte keys it makes them from their counts, in shared memory.
  static GP_DEVICE Runs all_runs(const gp__counting_args &a, Storage &s, gp__u64 skipped) {
    if (!ALONE) return Runs{a.starts, a.values, *a.runs, skipped};
    gp__counted_values<ITEMS, T, DESCENDING> mine;
    mine.load(a.counts, threadIdx.x * ITEMS, VALUES);
    gp__run_tally before = mine.tally();
    const gp__u64 count = gp_tile_exclusive_scan<THREADS>(before, gp__add_tally(), s.scan).runs;
    mine.store(before, s.starts, s.values);
    __syncthreads();
    return Runs{s.starts, s.values, count, skipped};
  }
  // Called by a warp: writes the rows from position `from` to `last`; the output covers [runs.skipped, end).
  static GP_DEVICE void write(const Runs &runs, Row &row, Bits *out, gp__u64 from, gp__u64 last, gp__u64 end) {
    Cursor cursor(runs, from);
    while (from < last) {
      const gp__u64 begin = cursor.next_begin(), stop = begin < last ? begin : last;
      gp__u64 i = from + gp_lane() * V;
      if (from >= runs.skipped && from + ROW <= stop) {
        const gp_vector same = gp__same_keys(Bits(cursor.now));
        const unsigned rows = unsigned((stop - from) / ROW);
        GP__UNROLL_BY(4)
        for (unsigned k = 0; k < rows; ++k, i += ROW) gp__store_vector<GP_CACHE_STREAMING>(out + i, same);
        from += rows * gp__u64(ROW);
        continue;
      }
      gp__vec<Bits> p;
      p.vector = mixed(cursor, row, from);
      if (i >= runs.skipped && i + V <= end) gp__store_vector<GP_CACHE_STREAMING>(out + i, p.vector);
      else {
        GP__EACH(j, V)
          if (i + j >= runs.skipped && i + j < end) out[i + j] = p.item[j];
      }
      from += ROW;
    }
  }
  static GP_DEVICE void run(const gp__counting_args &a) {
    GP_SHARED(Storage, s);
    gp__pdl_wait<P>();
    const gp__u64 n = gp__count(a), skipped = gp__misalignment(a.out, 16) / sizeof(T), end = n + skipped;
    const gp__u64 rows = n ? (end + ROW - 1) / ROW : 0, warps = gridDim.x * (THREADS / 32ull);
    const gp__u64 share = (rows + warps - 1) / warps, rounds = (share + PIECE - 1) / PIECE;
    const gp__u64 first = blockIdx.x * (THREADS / 32ull) + threadIdx.x / 32;
    if (rows <= blockIdx.x * (THREADS / 32ull)) return;
    const Runs runs = all_runs(a, s, skipped);
    const gp__u64 piece = (share + rounds - 1) / rounds;
    for (gp__u64 row = first * piece; row < rows; row += warps * piece)
      write(runs, s.rows[threadIdx.x / 32], gp__as<Bits>(a.out) - skipped, row * ROW,
          row + piece < rows ? (row + piece) * ROW : end, end);
  }
};
template<class P, class T, bool DESCENDING> GP_DEVICE void gp__counting_fill(const gp__counting_args &a) {
  gp__counting_filler<P, T, DESCENDING>::run(a);
}
