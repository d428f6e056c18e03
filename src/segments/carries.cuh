// segments/carries.cuh - marks, partial results, and chunks in flight
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, segments/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh, device/look_back.cuh

// A chunk holds elements if they are contiguous in the input, otherwise accumulators.
template<class T> struct gp__as_it_is {
  GP_DEVICE T operator()(const T &x, gp__u64) const { return x; }
};
template<bool DIRECT, class Load, class In, class Acc> struct gp__segment_cell {
  typedef In type;
  typedef Load load;
};
template<class Load, class In, class Acc> struct gp__segment_cell<false, Load, In, Acc> {
  typedef Acc type;
  typedef gp__as_it_is<Acc> load;
};

// The marks of V consecutive elements, a byte each.
template<int V> struct gp__marks_access { typedef gp__u8 type; };
template<> struct gp__marks_access<2> { typedef unsigned short type; };
template<> struct gp__marks_access<4> { typedef gp__u32 type; };
template<> struct gp__marks_access<8> { typedef gp__u64 type; };
template<> struct gp__marks_access<16> { typedef gp_vector type; };
template<int V> union gp__marks {
  typename gp__marks_access<V>::type access;
  gp__u32 word[(V + 3) / 4];
  GP_DEVICE gp__marks() {}
  GP_DEVICE void take(gp__u8 *from) { // and clears them
    word[0] = 0;
    typedef typename gp__marks_access<V>::type Access;
    access = *gp__as<Access>(from);
    *gp__as<Access>(from) = Access();
  }
  GP_DEVICE bool at(int i) const { return (word[i / 4] & 1u << (8 * (i % 4))) != 0; }
  GP_DEVICE bool any() const {
    gp__u32 all = 0;
    GP__EACH(w, (V + 3) / 4) all |= word[w];
    return all != 0;
  }
  GP_DEVICE int first() const { // valid if any()
    int r = 0;
    GP__UNROLL
    for (int w = (V + 3) / 4 - 1; w >= 0; --w)
      if (word[w]) r = w * 4 + int(unsigned(__ffs(int(word[w])) - 1) / 8);
    return r;
  }
};

// A range of the merge path: the values that are open at its start and at its end.
template<class Acc> struct gp__segment_open {
  gp_carry<Acc> first, last;
  gp__u64 segment; // the one that is open at the start
  bool ended; // a segment ends in the range; otherwise only `last` is valid
};
// The same, as a block publishes it.
template<class Acc> struct gp__segment_partial {
  Acc first, last;
  gp__u64 segment; // 8 times that, plus a bit each: ended, first, last
};
// Segmented scan over such ranges: the value that is open at their end.
template<class Acc> struct gp__segment_carry {
  gp_carry<Acc> open;
  bool ended;
};
template<class Acc, class Op> struct gp__join_carries {
  static GP_DEVICE gp__segment_carry<Acc> identity() {
    gp__segment_carry<Acc> none;
    none.open.value = Op::identity();
    none.open.has = none.ended = false;
    return none;
  }
  GP_DEVICE gp__segment_carry<Acc> operator()(gp__segment_carry<Acc> a, const gp__segment_carry<Acc> &b) const {
    if (b.ended) return b;
    if (b.open.has) a.open.append(b.open.value, Op());
    return a;
  }
};
template<class P, class Op, class Acc> struct gp__segment_storage {
  gp__segment_open<Acc> warp[P::threads / 32];
  gp_tile_scan_storage<P::threads, gp__segment_carry<Acc>> scan;
  gp__ticket ticket;
};

// The result of a segment.
template<class Op, class Out, class Acc> struct gp__segment_result {
  Acc init;
  bool has_init;
  GP_DEVICE explicit gp__segment_result(const gp__segment_args &a)
    : init(Op::prepare(gp__value_as<Acc>(a.init))), has_init(a.has_init != 0) {}
  GP_DEVICE Out operator()(bool has, const Acc &sum) const {
    return gp_convert<Acc, Out>()(has_init ? (has ? Op()(init, sum) : init) : has ? sum : Op::identity());
  }
};

// A warp's chunks of BYTES in flight to shared memory, each in a slot of SLOT_BYTES. They are requested and taken in
// the same order, at most AHEAD after the one taken last. All lanes call. Lanes that have written to a chunk's slot
// call written().
#if defined(GPUPRIMS_SIMT) || GP__ARCH >= 900 || GP__ARCH == 0
// A ring of STAGES slots, filled by bulk copies. A chunk may be requested once all lanes are done with the chunk STAGES
// before it, and have synchronised since then.
template<int STAGES, int LOAD, int BYTES, int SLOT_BYTES> struct gp__segment_chunks {
  static const int AHEAD = STAGES - 1;
  static const bool EARLY = true; // the next chunk is requested before this one is taken
  gp__u8 *slots;
  gp__u64 *loaded; // one barrier a slot
  int requested, taken;
  unsigned parity; // of the barriers, in this round of `taken`
  // Barriers follow slots and marks in shared memory.
  GP_DEVICE gp__segment_chunks(gp__u8 *shared, gp__u8 *barriers)
    : slots(shared), loaded(gp__as<gp__u64>(barriers)), requested(0), taken(0), parity(0) {
    if (!gp_lane()) {
      GP__EACH(i, STAGES) gp__mbarrier_init(loaded + i, 1);
      gp__mbarrier_init_fence();
    }
    __syncwarp();
  }
  // Requests bytes begin..end-1 of `chunk`: whole vectors, or none.
  GP_DEVICE void request(const gp__u8 *chunk, unsigned begin, unsigned end) {
    if (!gp_lane()) {
      gp__mbarrier_arrive_expect(loaded + requested, begin < end ? end - begin : 0);
      if (begin < end)
        gp__bulk_load(slots + requested * SLOT_BYTES + begin, chunk + begin, end - begin, loaded + requested);
    }
    requested = requested + 1 < STAGES ? requested + 1 : 0;
  }
  GP_DEVICE gp__u8 *take() {
    gp__u8 *slot = slots + taken * SLOT_BYTES;
    gp__mbarrier_wait(loaded + taken, parity);
    if (++taken == STAGES) {
      taken = 0;
      parity ^= 1u;
    }
    return slot;
  }
  GP_DEVICE void written() const { gp__bulk_fence(); } // before the slot's next copy
};
#else
template<int STAGES, int LOAD, int BYTES, int SLOT_BYTES> struct gp__segment_chunks;
#endif
// One slot; the next chunk waits in registers.
template<int LOAD, int BYTES, int SLOT_BYTES> struct gp__segment_chunks<0, LOAD, BYTES, SLOT_BYTES> {
  static const int AHEAD = 1, VECTORS = (BYTES + 511) / 512;
  static const bool EARLY = false;
  gp__u8 *slot;
  gp_vector ahead[VECTORS];
  GP_DEVICE gp__segment_chunks(gp__u8 *shared, gp__u8 *) : slot(shared) {}
  GP_DEVICE void request(const gp__u8 *chunk, unsigned begin, unsigned end) {
    const gp__u8 *base = chunk + gp_lane() * 16;
    if (begin == 0 && end == BYTES) {
      GP__EACH(k, VECTORS)
        if (BYTES % 512 == 0 || k * 512u + gp_lane() * 16 < BYTES) ahead[k] = gp__load_vector<LOAD>(base + k * 512);
      return;
    }
    GP__EACH(k, VECTORS) {
      const unsigned x = k * 512u + gp_lane() * 16;
      if (x >= begin && x < end) ahead[k] = gp__load_vector<LOAD>(base + k * 512);
    }
  }
  GP_DEVICE gp__u8 *take() const {
    GP__EACH(k, VECTORS)
      if (BYTES % 512 == 0 || k * 512u + gp_lane() * 16 < BYTES)
        *gp__as<gp_vector>(slot + k * 512 + gp_lane() * 16) = ahead[k];
    return slot;
  }
  GP_DEVICE void written() const {}
};
