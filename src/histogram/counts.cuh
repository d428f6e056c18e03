// histogram/counts.cuh - counters in shared memory, in global memory, in order
// uses: api/lists.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, histogram/policy.h,
//   histogram/arguments.h, device/types.cuh, device/warp.cuh, device/vector_access.cuh, device/inputs.cuh,
//   device/lanes.cuh, device/look_back.cuh, device/kernel.cuh, histogram/bins.cuh

// Common to a histogram's blocks: how samples are read, and the tables.
template<class P, int ALGORITHM, class BINS, class T, class W, class C> struct gp__histogram_shape {
  typedef gp__weight<W, C> weight;
  static const bool ordered = gp__traits<C>::kind == GP__FLOAT;
  static const bool by_value = gp__histogram_by_value(ALGORITHM, int(sizeof(T)), !ordered);
  static const int SIZE = int(sizeof(T)) > weight::size ? int(sizeof(T)) : weight::size;
  static const int V = 16 / (ordered && int(sizeof(C)) > SIZE ? int(sizeof(C)) : SIZE); // samples in one access
  static GP_DEVICE gp__u32 stride(const gp__histogram_args &a) {
    return gp__u32(gp__histogram_stride(by_value, a.bins));
  }
  struct Storage {
    gp__ticket ticket;
    BINS bins[BINS::kept];
  };
  // Bytes of the tables, which precede the counters in dynamic shared memory.
  static GP_DEVICE unsigned table_bytes(const gp__histogram_args &a) {
    return !BINS::tabulated || by_value
        ? 0
        : gp__histogram_search_bytes(ALGORITHM, !ordered, a.bins, a.active, int(sizeof(T)));
  }
  // All threads call; the caller synchronises.
  static GP_DEVICE void set_bins(const gp__histogram_args &a, gp__even_bins<T> *bins, gp__u8 *) {
    const T *lower = gp__as<const T>(a.lower.bytes), *upper = gp__as<const T>(a.upper.bytes);
    const unsigned c = threadIdx.x;
    if (c < unsigned(a.active)) bins[c].set(lower[c], upper[c], a.bins);
  }
  static GP_DEVICE void set_bins(const gp__histogram_args &a, gp__range_bins<T> *bins, gp__u8 *shared) {
    const T *table = gp__as<const T>(a.boundaries);
    const gp__u64 boundaries = (a.bins + 1) * unsigned(a.active);
    const unsigned bytes = by_value ? 0 : gp__histogram_boundary_bytes(boundaries, int(sizeof(T)));
    const unsigned buckets =
        by_value ? 0 : gp__histogram_buckets(ALGORITHM, !ordered, a.bins, a.active, int(sizeof(T)));
    T *copy = gp__as<T>(shared);
    gp__guess *guesses = gp__as<gp__guess>(shared + bytes);
    if (bytes)
      for (gp__u64 i = threadIdx.x; i < boundaries; i += P::threads) copy[i] = table[i];
    if (!threadIdx.x) {
      bins->boundaries = bytes ? copy : table;
      bins->bins = gp__u32(a.bins);
      bins->guesses = guesses;
      bins->buckets = buckets && table[0] < table[a.bins] ? buckets : 0;
      bins->bucket_of.set(table[0], table[a.bins], bins->buckets);
    }
    if (!buckets) return;
    __syncthreads();
    if (bins->buckets) bins->fill(guesses, P::threads);
  }
  static GP_DEVICE void clear(gp__u8 *shared, gp__u64 bytes) {
    GP__UNROLL_BY(1)
    for (gp__u64 i = threadIdx.x; i < (bytes + 15) / 16; i += P::threads)
      gp__as<gp_vector>(shared)[i] = gp_vector{{0, 0, 0, 0}};
  }
};

// Adds up the weights of lanes with the same bin; the lowest of them gets the sum. Pointer jumping: each lane jumps to
// the next of its bin, to the one after that, to the fourth ... (Wyllie). All lanes call.
template<class C> GP_DEVICE C gp__sum_of_peers(gp__u32 peers, C sum) {
  if (__any_sync(~0u, (peers & (peers - 1)) != 0)) {
    const gp__u32 above = gp_lane() == 31 ? 0 : peers >> (gp_lane() + 1) << (gp_lane() + 1);
    int next = above ? __ffs(int(above)) - 1 : -1;
    GP__EACH(i, 5) {
      const C other = __shfl_sync(~0u, sum, next < 0 ? 0 : next);
      const int after = __shfl_sync(~0u, next, next < 0 ? 0 : next);
      if (next >= 0) {
        sum = C(sum + other);
        next = after;
      }
    }
  }
  return sum;
}

// A byte as an index, in one instruction if it is in a word.
template<class T, int V> GP_DEVICE gp__u32 gp__byte_of(const gp__vector_access<T, V> &x, int j) {
  return gp__u8(gp__u32(x.item[j]));
}
template<class T> GP_DEVICE gp__u32 gp__byte_of(const gp__vector_access<T, 16> &x, int j) {
  return __byte_perm(x.access.word[j / 4], 0, 0x4440u + unsigned(j % 4));
}
// Moves each sample to the place of the one before.
template<class T, int V> GP_DEVICE void gp__drop_first(gp__vector_access<T, V> &x) {
  GP__UNROLL
  for (int j = 1; j < V; ++j) x.item[j - 1] = x.item[j];
}
template<class T> GP_DEVICE void gp__drop_first(gp__vector_access<T, 16> &x) {
  GP__EACH(i, 4) x.access.word[i] = x.access.word[i] >> 8 | (i < 3 ? x.access.word[i + 1] << 24 : 0);
}

// A thread's place among samples of an array, or of a described input.
template<class T, class Source> struct gp__sample_place {
  const T *at;
  GP_DEVICE explicit gp__sample_place(const gp__histogram_args &a) : at(gp__as<const T>(a.in)) {}
  GP_DEVICE void move(gp__u64 samples) { at += samples; }
  template<int CACHE, int V> GP_DEVICE void load_if(bool there, gp__vector_access<T, V> &x) const {
    x.template load_if<CACHE>(there, at);
  }
};
template<class T, class F, class Input> struct gp__sample_place<T, gp__described<F, Input>> {
  const gp__described<F, Input> source;
  gp__u64 at;
  GP_DEVICE explicit gp__sample_place(const gp__histogram_args &a) : source(a), at(0) {}
  GP_DEVICE void move(gp__u64 samples) { at += samples; }
  template<int CACHE, int V> GP_DEVICE void load_if(bool there, gp__vector_access<T, V> &x) const {
    if (there) source.first.template load<CACHE>(at, x.item);
  }
};

// Integer counters. REPLICAS: their copies, or 0 if the arguments say how many, or GP__HALVES; ONE: one channel.
//
// One cluster: each block adds its sums to the counters of the block that stores them.
enum { GP__HALVES = -1 }; // one copy of 16 bits each, two in a word
template<class P, int ALGORITHM, class BINS, class T, class W, class C, class Source>
struct gp__histogram_counts : gp__histogram_shape<P, ALGORITHM, BINS, T, W, C> {
  typedef gp__histogram_shape<P, ALGORITHM, BINS, T, W, C> Shape;
  typedef typename Shape::weight weight;
  typedef typename Shape::Storage Storage;
  typedef typename weight::cell Cell;
  static const bool global = ALGORITHM == GP_GLOBAL_BINS, cluster = ALGORITHM == GP_ONE_CLUSTER;
  static const int V = Shape::V;

  // The vectors of the input; `head` samples precede the first.
  struct Extent {
    gp__u64 samples, head, vectors;
    GP_DEVICE explicit Extent(const gp__histogram_args &a) : samples(gp__count(a) * unsigned(a.channels)) {
      const gp__u64 to_boundary = (16 - gp__misalignment(a.in, 16)) % 16 / sizeof(T);
      head = to_boundary < samples ? to_boundary : samples;
      vectors = (samples - head) / V;
    }
  };
  // Warps of a cluster's blocks take turns: few samples keep all blocks busy.
  static GP_DEVICE gp__u64 first_vector() {
    return cluster ? (gp__u64(gp_warp()) * gridDim.x + blockIdx.x) * 32 + gp_lane()
        : gp__u64(blockIdx.x) * P::threads + threadIdx.x;
  }
  // One thread's vectors. The first K are loaded before there is anything to count them in. After that, the place of
  // each counted vector is refilled at once.
  static const unsigned K = P::vectors;
  struct Samples {
    gp__vector_access<T, V> x[K];
    gp__vector_access<W, V> w[K]; // with one channel only
    gp__sample_place<T, Source> x_at; // the next to be loaded
    const W *w_at;
    gp__u64 step; // in samples
    gp__u64 ragged_at; // last block: a sample of each thread before and after the vectors
    T ragged; // that sample
    gp__u32 left; // vectors that are not counted yet; no block sees 2^32 samples
    unsigned off; // misalignment of weights; unless 0, they are loaded one by one
    GP_DEVICE explicit Samples(const gp__histogram_args &a) : x_at(a) {
      const Extent e(a);
      const gp__u64 vector = first_vector(), first = e.head + vector * V;
      const gp__u64 apart = gp__u64(gridDim.x) * P::threads;
      const bool one = a.channels == 1;
      step = apart * V;
      x_at.move(first);
      w_at = gp__as<const W>(a.weights) + (weight::is && one ? first : 0);
      off = weight::is && one ? gp__misalignment(w_at, gp__vector_access_alignment<W, V>::value) : 0;
      ragged_at = blockIdx.x < gridDim.x - 1 ? e.samples
          : threadIdx.x < e.head ? threadIdx.x
          : e.vectors * V + threadIdx.x;
      if (ragged_at < e.samples) ragged = gp__operand_at(Source(a), gp__as<const T>(a.in), ragged_at);
      GP__UNROLL
      for (unsigned k = 0; k < K; ++k) load(k, vector + k * apart < e.vectors, one);
      left = vector < e.vectors ? gp__u32((e.vectors - 1 - vector) / apart) + 1 : 0; // meanwhile
    }
    GP_DEVICE void load(unsigned k, bool there, bool one) {
      x_at.template load_if<P::load>(there, x[k]);
      x_at.move(step);
      if (weight::is && one) {
        if (there) w[k].template load<P::load>(w_at, off, false);
        w_at += step;
      }
    }
  };

  // Counts one thread's samples. All lanes of a warp call together.
  template<int REPLICAS, bool ONE> struct Tally {
    static const bool runs = ONE && REPLICAS <= 0 && !global && !weight::is; // adds up runs of one bin
    // Rolled loops for cases that are rare, or that wait for other things than instructions.
    static const bool rolled =
        !ONE || REPLICAS == GP__HALVES || ((BINS::tabulated || (Shape::by_value && !REPLICAS)) && !weight::is);
    static const int UNROLL = rolled ? 1 : V;
    const gp__histogram_args &a;
    const BINS *kept;
    BINS bins; // of the first channel
    gp__shared_pointer cells; // this lane's copy of the first counter
    gp__u32 stride, nowhere; // counters of a channel; the slot of channels that are not counted
    gp__u32 shift; // log2 of the bytes of all copies of a counter
    gp__u32 run_slot, run_samples; // the run that is open
    gp__u32 channel, channel_step; // channel of the thread's next samples; step to those that follow
    gp__u64 pixel, pixel_step; // pixel of these samples; step

    GP_DEVICE Tally(const gp__histogram_args &args, const Storage &s, gp__u8 *cell_bytes)
      : a(args), kept(s.bins), bins(s.bins[0]),
        cells(cell_bytes +
            (REPLICAS == GP__HALVES ? 0 : gp_lane() & ((REPLICAS ? unsigned(REPLICAS) : args.replicas) - 1)) *
                sizeof(Cell)),
        stride(Shape::stride(args)), nowhere(stride * unsigned(args.active)), shift(0), run_slot(0), run_samples(0),
        channel(0), channel_step(0), pixel(0), pixel_step(0) {
      while (!global && REPLICAS == 0 && args.replicas * sizeof(Cell) >> shift > 1) ++shift;
    }
    GP_DEVICE void add_to_output(gp__u32 slot, gp__u64 n) const {
      gp__u64 at = 0;
      if (output_of(slot, at)) atomicAdd(gp__as<C>(a.out) + at, C(n));
    }
    // A word is the sum of all that was added to its halves, less the carries of the lower one. The thread that makes
    // bit 16 or 32 overflow sees it in the old value, and takes 2^16 to the output. Between a carry and its removal the
    // upper half may overflow too early; a borrow corrects that. The output is zero by now.
    GP_DEVICE void add_half(gp__u32 slot, gp__u32 n) const {
      if (n >> 16) add_to_output(slot, n);
      else {
        const gp__u32 shift_half = slot % 2 * 16, x = n << shift_half;
        gp__u32 *word = cells.template at<gp__u32>(slot / 2 * 4);
        const gp__u32 old = atomicAdd(word, x);
        if (old + x < old) add_to_output(slot | 1u, 1u << 16);
        if (shift_half == 0 && ((old & 0xffffu) + n) >> 16 != 0) {
          add_to_output(slot, 1u << 16);
          if (atomicAdd(word, 0u - (1u << 16)) < 1u << 16) add_to_output(slot | 1u, 0ull - (1u << 16));
        }
      }
    }
    template<class N> GP_DEVICE void add(gp__u32 slot, N n) const {
      if (REPLICAS == GP__HALVES) {
        add_half(slot, gp__u32(n));
        return;
      }
      const gp__u32 bytes = unsigned(REPLICAS > 0 ? REPLICAS : 1) * unsigned(sizeof(Cell));
      atomicAdd(cells.template at<Cell>(REPLICAS ? slot * bytes : slot << shift), Cell(n));
    }
    // The output's counter of a slot; false for slots past the bins.
    GP_DEVICE bool output_of(gp__u32 slot, gp__u64 &at) const {
      const gp__u32 c = ONE ? 0 : slot / stride, bin = slot - c * stride;
      at = c * a.bins + bin;
      return slot < nowhere && bin + 1 < stride;
    }
    template<class N> GP_DEVICE void count(bool there, gp__u32 slot, N n) {
      if (global) {
        const gp__u32 peers = __match_any_sync(~0u, there ? slot : nowhere);
        const C sum = weight::is ? gp__sum_of_peers(peers, C(n)) : C(__popc(peers));
        if (there && gp_lane() == unsigned(__ffs(int(peers)) - 1)) add_to_output(slot, sum);
      } else if (!there) {
      } else if (runs) {
        if (slot != run_slot) {
          add(run_slot, run_samples);
          run_slot = slot;
          run_samples = 0;
        }
        ++run_samples;
      } else add(slot, n);
    }
    GP_DEVICE gp__u32 slot_of(const gp__vector_access<T, V> &x, int j) const { // of one channel
      return Shape::by_value ? gp__byte_of(x, j) : bins(x.item[j]);
    }
    GP_DEVICE gp__u32 slot_of(const gp__vector_access<T, V> &x, int j, gp__u32 c) const {
      const gp__u32 counted = unsigned(a.active) - 1;
      const gp__u32 in_channel =
          Shape::by_value ? gp__byte_of(x, j) : gp__bins_of(kept, c < counted ? c : counted)(x.item[j]);
      return c * stride + in_channel < nowhere ? c * stride + in_channel : nowhere;
    }
    GP_DEVICE void take(gp__vector_access<T, V> &x, const gp__vector_access<W, V> &w, bool there) {
      gp__u32 c = channel;
      gp__u64 at = pixel;
      GP__UNROLL_BY(UNROLL)
      for (int i = 0; i < V; ++i) {
        const int j = rolled ? 0 : i;
        if (ONE) count(there, slot_of(x, j), weight::at(w, i));
        else count(there, slot_of(x, j, c), there ? weight::of(a.weights, at) : 0);
        if (rolled) gp__drop_first(x);
        if (!ONE) {
          const bool next = ++c == unsigned(a.channels);
          at += next;
          c = next ? 0 : c;
        }
      }
      if (ONE) return;
      channel += channel_step;
      pixel += pixel_step;
      if (channel >= unsigned(a.channels)) {
        channel -= unsigned(a.channels);
        ++pixel;
      }
    }
    GP_DEVICE void take_one(const T &sample, gp__u64 i, bool there) {
      const gp__u64 of_pixel = ONE ? i : i / unsigned(a.channels);
      const gp__u32 c = ONE ? 0 : gp__u32(i - of_pixel * unsigned(a.channels));
      gp__vector_access<T, V> x;
      if (there) x.item[0] = sample;
      const gp__u32 slot = !there ? nowhere : ONE ? slot_of(x, 0) : slot_of(x, 0, c);
      count(there, slot, there ? weight::of(a.weights, of_pixel) : 0);
    }
    GP_DEVICE void all(Samples &s) {
      if (blockIdx.x == gridDim.x - 1) take_one(s.ragged, s.ragged_at, s.ragged_at < Extent(a).samples);
      if (!ONE) {
        const unsigned channels = unsigned(a.channels);
        const gp__u64 mine = Extent(a).head + first_vector() * V;
        pixel_step = s.step / channels;
        channel_step = gp__u32(s.step - pixel_step * channels);
        pixel = mine / channels;
        channel = gp__u32(mine - pixel * channels);
      }
      GP__UNROLL_BY(1)
      while (global ? __any_sync(~0u, s.left != 0) : s.left != 0) {
        GP__UNROLL
        for (unsigned k = 0; k < K; ++k) {
          if (global || k < s.left) take(s.x[k], s.w[k], k < s.left);
          s.load(k, k + K < s.left, ONE);
        }
        s.left -= s.left < K ? s.left : K;
      }
      if (runs) add(run_slot, run_samples);
    }
  };

  // One warp of this block clears chunks of the output, and publishes a word for each; s.ticket keeps its last ticket.
  static GP_DEVICE void clear_output(const gp__histogram_args &a, Storage &s) {
    const gp__u64 counters = a.bins * unsigned(a.active), chunk = gp__histogram_chunk(counters);
    const gp__u64 chunks = (counters + chunk - 1) / chunk;
    C *out = gp__as<C>(a.out);
    for (;;) {
      if (!gp_lane()) s.ticket = gp__draw(a.workspace, chunks + gridDim.x - 1);
      __syncwarp();
      const gp__ticket ticket = s.ticket;
      __syncwarp();
      if (ticket.number >= chunks) return;
      const gp__u64 first = ticket.number * chunk, end = first + chunk < counters ? first + chunk : counters;
      for (gp__u64 i = first + gp_lane(); i < end; i += 32) out[i] = 0;
      __syncwarp();
      if (!gp_lane()) {
        __threadfence();
        gp__publish(gp__words(a.workspace), ticket.number, 0u, ticket.tag);
      }
      if (ticket.number == chunks - 1) return; // that was the last chunk
    }
  }
  // All threads call, once this block's ticket is drawn: after the next barrier the output is zero.
  static GP_DEVICE void wait_for_output(const gp__histogram_args &a, const Storage &s) {
    const gp__u64 counters = a.bins * unsigned(a.active), chunk = gp__histogram_chunk(counters);
    const gp__u64 chunks = (counters + chunk - 1) / chunk, tag = s.ticket.tag;
    for (gp__u64 i = threadIdx.x; i < chunks; i += P::threads) {
      gp__receive<gp__u32>(gp__words(a.workspace), i, tag);
      __threadfence();
    }
  }
  // The same for one counter, to which this thread may add then.
  static GP_DEVICE void wait_for_output(const gp__histogram_args &a, const Storage &s, gp__u64 counter) {
    gp__receive<gp__u32>(
        gp__words(a.workspace), counter / gp__histogram_chunk(a.bins * unsigned(a.active)), s.ticket.tag);
    __threadfence();
  }
  static const bool may_halve = !global && !cluster && !Shape::by_value && !weight::is && P::blocks_per_sm == 1;
  static const unsigned COPIES = cluster ? unsigned(GP__HISTOGRAM_COPIES) : 32u;
  static GP_DEVICE void tally_halves(const gp__histogram_args &a, const Storage &s, gp__u8 *cells, Samples &x) {
    Tally<may_halve ? int(GP__HALVES) : 0, true>(a, s, cells).all(x);
  }
  static GP_DEVICE void run(const gp__histogram_args &a) {
    GP_SHARED(Storage, s);
    GP_DYNAMIC_SHARED(shared);
    const bool single = cluster || gridDim.x == 1, halves = may_halve && a.replicas == 0;
    const bool adds_early = global || halves; // to the output, while it counts
    gp__u8 *cells = shared + Shape::table_bytes(a);
    const gp__u32 stride = Shape::stride(a), active = unsigned(a.active);
    const gp__u64 slots = gp__u64(stride) * active + 1;
    const unsigned counters = unsigned(a.bins) * active;
    const unsigned log2_share = cluster ? 32 - unsigned(__clz(int((counters - 1) / gridDim.x))) : 0;
    const gp__u32 share = cluster ? 1u << log2_share : 0; // a block stores this many
    Cell *const own = gp__as<Cell>(cells) + slots * a.replicas;
    if (!global) Shape::clear(cells, halves ? slots * 2 : (slots * a.replicas + share) * sizeof(Cell));
    if (cluster) gp__cluster_arrive();
    if (!BINS::tabulated) Shape::set_bins(a, s.bins, shared); // its divisions take long
    gp__pdl_wait<P>();
    Samples samples(a);
    if (!single && gp_warp() == P::threads / 32 - 1) clear_output(a, s); // while the first thread sets the bins
    if (BINS::tabulated) Shape::set_bins(a, s.bins, shared);
    C *out = gp__as<C>(a.out);
    if (!cluster && single && (adds_early || Shape::by_value)) {
      for (gp__u64 i = threadIdx.x; i < a.bins * active; i += P::threads) out[i] = 0;
    }
    __syncthreads();
    if (!single && adds_early) {
      wait_for_output(a, s);
      __syncthreads();
    }
    if (may_halve && halves) tally_halves(a, s, cells, samples);
    else if (a.channels > 1) Tally<0, false>(a, s, cells).all(samples);
    else if (global || a.replicas != COPIES) Tally<0, true>(a, s, cells).all(samples);
    else Tally<int(COPIES), true>(a, s, cells).all(samples);
    if (global) return;
    if (!single && !adds_early) wait_for_output(a, s);
    __syncthreads();
    if (cluster) gp__cluster_wait();
    const Cell *cell = gp__as<const Cell>(cells);
    for (gp__u32 c = 0; c < active; ++c, cell += gp__u64(stride) * a.replicas, out += a.bins) {
      const BINS bins = gp__bins_of(s.bins, c);
      for (gp__u32 i = threadIdx.x; i < (Shape::by_value ? 256u : stride - 1); i += P::threads) {
        C sum = 0;
        for (unsigned r = 0; r < a.replicas; ++r) // each lane reads another bank
          sum += cell[gp__u64(i) * a.replicas + ((r + threadIdx.x * a.replicas / 32) & (a.replicas - 1))];
        if (halves) sum = C(cell[i / 2] >> (i % 2 * 16) & 0xffffu);
        const gp__u32 bin = Shape::by_value ? bins(T(i)) : i;
        if (cluster) {
          const gp__u32 at = c * gp__u32(a.bins) + bin;
          if (sum != 0 && bin < gp__u32(a.bins))
            atomicAdd(gp__in_block(own + (at & (share - 1)), at >> log2_share), Cell(sum));
        } else if (!Shape::by_value && single && !halves) out[i] = sum;
        else if (sum != 0 && bin < gp__u32(a.bins)) atomicAdd(out + bin, sum);
      }
    }
    if (!cluster) return;
    gp__cluster_arrive();
    gp__cluster_wait();
    GP__UNROLL_BY(1)
    for (gp__u32 i = threadIdx.x; i < share; i += P::threads) {
      const gp__u64 at = (gp__u64(blockIdx.x) << log2_share) + i;
      if (at < counters) gp__as<C>(a.out)[at] = C(own[i]);
    }
  }
};

// Float counters, with the same bits in every run: no addition depends on chance. The input is cut into shares by the
// number of tickets. A share's sums go in order from lane to lane, from sample to sample and from warp to warp; each
// warp (or all warps in turns) has its own copy. The last ticket of each adds up in order the copies, then up to
// GP__HISTOGRAM_GROUP shares, then the groups. Counters that do not fit a block are cut into slices.
template<class P, class BINS, class T, class W, class C, class Source>
struct gp__histogram_ordered : gp__histogram_shape<P, GP_SHARED_BINS, BINS, T, W, C> {
  typedef gp__histogram_shape<P, GP_SHARED_BINS, BINS, T, W, C> Shape;
  typedef typename Shape::weight weight;
  typedef typename Shape::Storage Storage;
  static const int K = P::vectors, V = Shape::V, PER = 8 / int(sizeof(C)), GROUP = GP__HISTOGRAM_GROUP;
  struct Piece { // counters that one word carries
    C sum[PER];
  };

  // cell[bin] += w for the lanes that have a bin, in lane order. All lanes call.
  static GP_DEVICE void add_in_order(C *cell, gp__u32 bin, C w) {
    const gp__u32 peers = __match_any_sync(~0u, bin);
    const bool there = bin != gp__no_bin;
    const int rank = there ? int(gp__lanes_before(peers)) : -1;
    for (int r = 0; __any_sync(~0u, rank >= r); ++r) {
      if (rank == r) cell[bin] += w;
      __syncwarp();
    }
  }
  static GP_DEVICE void add(Piece &to, const Piece &x) {
    GP__EACH(i, PER) to.sum[i] += x.sum[i];
  }
  // The sum of `count` words, `apart` from each other, in order, then `mine`.
  static GP_DEVICE Piece gather(
      const gp__word *words, gp__u64 first, gp__u64 apart, unsigned count, gp__u64 tag, const Piece &mine) {
    const unsigned BATCH = 8;
    Piece sum = mine;
    bool has = false;
    for (unsigned done = 0; done < count; done += BATCH) {
      Piece x[BATCH];
      const unsigned wanted = count - done < BATCH ? (1u << (count - done)) - 1 : (1u << BATCH) - 1;
      for (unsigned missing = wanted; missing;) {
        unsigned found = 0;
        GP__UNROLL
        for (unsigned i = 0; i < BATCH; ++i)
          if (missing >> i & 1u) found |= gp__try_receive(words, first + (done + i) * apart, tag, x[i]) ? 1u << i : 0u;
        missing &= ~found;
      }
      GP__UNROLL
      for (unsigned i = 0; i < BATCH; ++i)
        if (wanted >> i & 1u) {
          if (has) add(sum, x[i]);
          else sum = x[i];
          has = true;
        }
    }
    if (!has) return mine;
    add(sum, mine);
    return sum;
  }
  static GP_DEVICE void run(const gp__histogram_args &a) {
    GP_SHARED(Storage, s);
    GP_DYNAMIC_SHARED(shared);
    C *cells = gp__as<C>(shared + Shape::table_bytes(a));
    const unsigned channels = unsigned(a.channels), active = unsigned(a.active);
    const gp__u64 slots = a.bins * active;
    const unsigned slice_slots = gp__histogram_slice(slots, int(sizeof(C)));
    const unsigned slices = unsigned((slots + slice_slots - 1) / slice_slots), shares = gridDim.x / slices;
    Shape::clear(gp__as<gp__u8>(cells), gp__u64(slice_slots) * a.replicas * sizeof(C));
    gp__pdl_wait<P>();
    Shape::set_bins(a, s.bins, shared);
    if (!threadIdx.x) {
      const gp__ticket only = {0, blockIdx.x}; // of a slice: no block waits
      s.ticket = shares > 1 ? gp__draw(a.workspace, gridDim.x) : only;
    }
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    const unsigned number = unsigned(ticket.number), slice = number / shares, share = number % shares;
    const gp__u64 first_slot = gp__u64(slice) * slice_slots;
    const unsigned mine = unsigned(slots - first_slot < slice_slots ? slots - first_slot : slice_slots);
    const unsigned turns = P::threads / 32 / a.replicas, turn = gp_warp() / a.replicas;
    C *cell = cells + gp__u64(gp_warp() % a.replicas) * slice_slots;

    const gp__u64 n = gp__count(a) * channels;
    const T *in = gp__as<const T>(a.in);
    const Source source(a);
    const W *weights = gp__as<const W>(a.weights);
    const unsigned off = gp__misalignment(in, gp__vector_access_alignment<T, V>::value);
    const unsigned off2 = weight::is ? gp__misalignment(weights, gp__vector_access_alignment<W, V>::value) : 0;
    const gp__u64 round_items = gp__u64(P::threads) * K * V;
    for (gp__u64 round = share * round_items; round < n; round += shares * round_items) {
      gp__u32 bin[K * V];
      C w[K * V];
      GP__EACH(k, K) {
        const gp__u64 i = round + gp__u64(k * P::threads + threadIdx.x) * V;
        gp__u64 pixel = i;
        unsigned channel = 0;
        gp__vector_access<T, V> x;
        gp__vector_access<W, V> y;
        const bool whole = i + V <= n;
        if (whole) gp__load_operand<P::load>(x, source, in, i, off, i >= V && i + 2 * V <= n);
        if (channels > 1) {
          pixel = i / channels;
          channel = unsigned(i - pixel * channels);
        } else if (whole && weight::is) y.template load<P::load>(weights + i, off2, i >= V && i + 2 * V <= n);
        GP__EACH(j, V) {
          gp__u32 b = 0;
          bool there = i + j < n && channel < active;
          if (there) b = gp__bins_of(s.bins, channel)(whole ? x.item[j] : gp__operand_at(source, in, i + j));
          there = there && b < a.bins;
          const gp__u64 at = channel * a.bins + b - first_slot; // wraps beyond `mine` if it is before the slice
          there = there && at < mine;
          bin[k * V + j] = there ? gp__u32(at) : gp__no_bin;
          w[k * V + j] = !there ? C(0) : whole && channels == 1 ? C(weight::at(y, j)) : C(weight::of(a.weights, pixel));
          if (channels == 1 || ++channel == channels) {
            channel = 0;
            ++pixel;
          }
        }
      }
      for (unsigned k = 0; k < turns; ++k) {
        if (k == turn) {
          GP__EACH(j, K * V) add_in_order(cell, bin[j], w[j]);
        }
        if (turns > 1) __syncthreads();
      }
    }
    __syncthreads();

    const unsigned pieces = (slice_slots + PER - 1) / PER, group = share / GROUP, groups = (shares + GROUP - 1) / GROUP;
    gp__word *words = gp__words(a.workspace);
    const gp__u64 partials = gp__u64(slice) * shares * pieces;
    const gp__u64 group_sums = (gp__u64(slices) * shares + gp__u64(slice) * groups) * pieces;
    const bool ends_group = share % GROUP == GROUP - 1 || share == shares - 1;
    for (unsigned q = threadIdx.x; q * PER < mine; q += P::threads) {
      Piece sum;
      GP__EACH(i, PER) {
        const unsigned c = q * PER + i;
        sum.sum[i] = 0;
        if (c < mine) {
          sum.sum[i] = cells[c];
          for (unsigned r = 1; r < a.replicas; ++r) sum.sum[i] += cells[gp__u64(r) * slice_slots + c];
        }
      }
      if (shares > 1) {
        if (!ends_group) {
          gp__publish(words, partials + gp__u64(share) * pieces + q, sum, ticket.tag);
          continue;
        }
        sum = gather(words, partials + gp__u64(group) * GROUP * pieces + q, pieces, share % GROUP, ticket.tag, sum);
        if (share != shares - 1) {
          gp__publish(words, group_sums + gp__u64(group) * pieces + q, sum, ticket.tag);
          continue;
        }
        sum = gather(words, group_sums + q, pieces, groups - 1, ticket.tag, sum);
      }
      GP__EACH(i, PER)
        if (q * PER + i < mine) gp__as<C>(a.out)[first_slot + q * PER + i] = sum.sum[i];
    }
  }
};

template<class P, int ALGORITHM, class BINS, class T, class W, class C, class Source, bool ORDERED>
struct gp__histogram_of {
  typedef gp__histogram_counts<P, ALGORITHM, BINS, T, W, C, Source> type;
};
template<class P, int ALGORITHM, class BINS, class T, class W, class C, class Source>
struct gp__histogram_of<P, ALGORITHM, BINS, T, W, C, Source, true> {
  typedef gp__histogram_ordered<P, BINS, T, W, C, Source> type;
};
// Source: gp__arrays, or the gp__described that makes the samples of one channel.
template<class P, int ALGORITHM, class BINS, class T, class W, class C, class Source = gp__arrays>
GP_DEVICE void gp__histogram(const gp__histogram_args &a) {
  typedef gp__histogram_of<P, ALGORITHM, BINS, T, W, C, Source, gp__traits<C>::kind == GP__FLOAT> Of;
  Of::type::run(a);
}
