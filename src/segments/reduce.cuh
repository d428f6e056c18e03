// segments/reduce.cuh - segmented reduce: a warp's range of elements and ends
// uses: core/words.h, device/vocabulary.cuh, core/shape.h, scan/policy.h, segments/policy.h, segments/arguments.h,
//   device/warp.cuh, device/inputs.cuh, device/lanes.cuh, device/tile_reduce.cuh, device/tile_copy.cuh,
//   device/tile_chunk.cuh, device/look_back.cuh, segments/ends.cuh, segments/carries.cuh

// One warp's range of fewer than 2^32 elements and ends (ranges: fewer than 2^32 ends). All lanes have the same
// numbers. STAGES: 0, or those of gp__segment_chunks.
template<int STAGES, class P, class ENDS, class Op, class Load, class In, class Acc, class Out>
struct gp__segment_warp {
  typedef gp__operands<Load> Operands;
  typedef typename Operands::functor Loader;
  typedef typename gp__segment_cell<ENDS::direct, Loader, In, Acc>::type Cell;
  typedef typename gp__segment_cell<ENDS::direct, Loader, In, Acc>::load CellLoad;
  typedef typename ENDS::Number Number;
  static const int ITEMS = gp__scan_items(P::vectors, int(sizeof(Cell)), int(sizeof(Acc)));
  static const unsigned CHUNK = 32 * ITEMS, CELL_BYTES = sizeof(Cell) > sizeof(Acc) ? sizeof(Cell) : sizeof(Acc);
  static const unsigned SLOT_BYTES = CHUNK * CELL_BYTES, RING_BYTES = SLOT_BYTES * (STAGES ? STAGES : 1),
                        SIZE = sizeof(In);
  static const unsigned BYTES = RING_BYTES + CHUNK + gp__segment_barrier_bytes(STAGES);
  static const int VECTORS = (ITEMS * int(sizeof(Cell)) + 15) / 16; // of a lane, when a chunk is loaded
  static const int WINDOW = (STAGES ? 2 : 1) * ENDS::WINDOW, HELD = STAGES ? 4 : 1; // ends of a lane
  typedef gp__segment_chunks<STAGES, P::load, int(CHUNK * sizeof(Cell)), int(SLOT_BYTES)> Chunks;

  const gp__segment_args &a;
  const ENDS ends;
  gp__u8 *cells; // shared memory of the warp: the chunk
  gp__u8 *marks; //
  gp__u64 origin; // the warp's first segment
  gp__u64 chunk; // first element of the chunk, on a 16-byte boundary; may precede the range
  Number left; // elements from there to the end of the range
  unsigned from; // first element of the chunk that is the warp's own
  gp__u32 segment, last; // counted from `origin`: the next segment to end, and the one open at the end
  Chunks chunks; // the next chunks
  gp__u32 windowed; // the segment of the first end that is held
  Number behind; // the end before it
  bool odd; // ends alternate between two arrays: moving them would wait for loads in flight
  Number even_ends[HELD], odd_ends[HELD];
  gp__u32 newest; // the segment of the first of the 32 ends looked at last,
  unsigned slot; // and the cell at which the lane's one ends; CHUNK: none

  GP_DEVICE gp__segment_warp(const gp__segment_args &args, const ENDS &e, gp__u8 *shared)
    : a(args), ends(e), cells(shared), marks(shared + RING_BYTES), chunks(shared, shared + RING_BYTES + CHUNK) {}

  // ---- elements. from, to: those of the chunk that are the warp's own.

  // Whether chunks can be read by whole vectors: an element can be on a 16-byte boundary. Mostly its type tells.
  GP_DEVICE bool by_vectors() const {
    const unsigned step = unsigned(gp__common_with_vector(int(SIZE)));
    return ENDS::direct && !Operands::described && (alignof(In) % step == 0 || gp__misalignment(a.in, 16) % step == 0);
  }
  GP_DEVICE const gp__u8 *address(gp__u64 element) const { return gp__as<const gp__u8>(a.in) + element * SIZE; }
  // Whether vectors of the chunk touch the input only. They do if all its elements are the warp's own.
  GP_DEVICE bool inside(gp__u64 at) const {
    const gp__u64 low = gp__u64(a.in), base = low + at * SIZE;
    return base >= low && base + CHUNK * SIZE <= low + a.count * SIZE;
  }
  // Requests the n-th chunk from here, if the range has it. Leaves out the first and the last vector with its elements
  // if some of their bytes are outside the input.
  GP_DEVICE void request(unsigned n) {
    if (n > 0 && left <= n * CHUNK) return;
    const gp__u64 at = chunk + n * CHUNK;
    const unsigned first = n > 0 ? 0 : from, to = left - n * CHUNK < CHUNK ? unsigned(left - n * CHUNK) : CHUNK;
    unsigned begin = first * SIZE & ~15u, end = (to * SIZE + 15) & ~15u;
    if (to - first < CHUNK && !inside(at)) {
      const gp__u64 low = gp__u64(a.in), start = low + at * SIZE;
      if (start + begin < low) begin += 16;
      if (start + end > low + a.count * SIZE) end -= 16;
    }
    chunks.request(address(at), begin, end);
  }
  GP_DEVICE void take(unsigned to) {
    cells = chunks.take();
    if (to - from < CHUNK && from < to && !inside(chunk)) { // the first and the last vector may have been left out
      __syncwarp();
      const unsigned first = from * SIZE & ~15u, second = (to * SIZE - 1) & ~15u;
      const unsigned x = (gp_lane() < 16 ? first : second) + (gp_lane() & 15u);
      if (x >= from * SIZE && x < to * SIZE && (gp_lane() < 16 || first != second)) cells[x] = address(chunk)[x];
      chunks.written();
    }
  }
  // Gathers elements of ranges: adjacent rows of 32, as many as are in flight together. A window of 32 segments slides
  // along: lane l holds the end of segment s + l, counted from the chunk's start, and the input position of that start
  // if it were in this segment.
  GP_DEVICE void gather(unsigned to) const {
    const unsigned ROOM = P::threads * P::blocks_per_sm <= 768 ? 32 : 16; // bytes of a lane, as registers allow
    const int ROWS = SIZE <= 4 ? ROOM / 4 : SIZE < ROOM ? ROOM / SIZE : 1;
    gp__u32 s = segment;
    for (unsigned first = 0; first < to; first += ROWS * 32) {
      gp__u64 index[ROWS] = {};
      for (gp__u32 low = 0;; s += 32) { // elements before `low` belonged to earlier windows
        const gp__u64 mine = origin + s + gp_lane();
        const Number at = s + gp_lane() < last ? ends.end(mine) - Number(chunk) : CHUNK;
        const gp__u32 end = at < CHUNK ? gp__u32(at) : CHUNK; // the last segment is open: no end
        const gp__u64 source = s + gp_lane() <= last && mine < ends.segments ? ends.source(mine, chunk) : 0;
        unsigned passed = __ballot_sync(~0u, end <= first); // ends at or before the row's first element
        GP__EACH(r, ROWS) {
          const unsigned row = first + unsigned(r) * 32, i = row + gp_lane();
          const unsigned next = __ballot_sync(~0u, end <= row + 32);
          int n = __popc(passed); // ends before the element: mostly the same for the whole row
          if (passed != next) {
            n = 0; // at most 31: past all 32, the element is the next window's
            GP__UNROLL_BY(1)
            for (int d = 16; d > 0; d /= 2) n += gp_warp_broadcast(end, n + d - 1) <= i ? d : 0;
          }
          const gp__u64 from = gp_warp_broadcast(source, n & 31);
          if (i >= low) index[r] = from + i;
          passed = next;
        }
        low = gp_warp_broadcast(end, 31);
        if (low >= first + ROWS * 32 || low >= to) break;
      }
      In x[ROWS];
      GP__EACH(r, ROWS)
        if (first + unsigned(r) * 32 + gp_lane() < to)
          x[r] = gp__operand_at(typename Operands::type(a), gp__as<const In>(a.in), index[r]);
      GP__EACH(r, ROWS) {
        const unsigned i = first + unsigned(r) * 32 + gp_lane();
        if (i < to) gp__as<Acc>(cells)[i] = Loader()(x[r], index[r]);
      }
    }
  }
  // Fills a chunk that is not read by vectors.
  GP_DEVICE void fill(const gp__arrays &, unsigned to) const {
    gp__copy_to_shared<32, VECTORS, P::load>(cells, address(chunk), to * SIZE, gp_lane());
  }
  template<class F, class Input> GP_DEVICE void fill(const gp__described<F, Input> &operands, unsigned to) const {
    gp__make_tile<32, P::load>(operands.first, chunk, to, gp__as<In>(cells), gp_lane());
  }

  // ---- ends

  GP_DEVICE void load(Number (&to)[HELD], gp__u32 at) const {
    ENDS mine = ends;
    mine.move(origin);
    GP__EACH(u, HELD) {
      const gp__u32 s = at + u * 32 + gp_lane();
      to[u] = s < last ? mine.end(s) : 0;
    }
  }
  // Marks the held ends that are in the chunk, and moves past them. The first of equal ends marks. Returns whether all
  // held ends are passed.
  GP_DEVICE bool mark(const Number (&held)[HELD], Number reach) {
    GP__EACH(u, HELD) {
      const gp__u32 group = windowed + u * 32, s = group + gp_lane();
      if (segment - group >= 32) continue; // passed before
      const Number sent = gp_lane() < 31 ? held[u] : u ? held[u ? u - 1 : 0] : behind;
      const Number before = __shfl_sync(~0u, sent, int(gp_lane()) - 1);
      const Number at = held[u] - Number(chunk);
      const bool mine = s >= segment && s < last && at <= reach;
      newest = group;
      slot = mine && held[u] != before && at - 1 < CHUNK ? unsigned(at - 1) : CHUNK;
      if (slot < CHUNK) marks[slot] = 1;
      segment += unsigned(__popc(__ballot_sync(~0u, mine)));
      if (segment - group < 32) return false;
    }
    return true;
  }
  // Replaces these ends by those that follow the other array's.
  GP_DEVICE void renew(Number (&held)[HELD]) {
    behind = gp_warp_broadcast(held[HELD - 1], 31);
    windowed += HELD * 32;
    load(held, windowed + HELD * 32);
    odd = !odd;
  }
  // All ends in the chunk; in the last chunk, all that are left.
  template<class Ends> GP_DEVICE void mark(const Ends &, bool rest) {
    const Number reach = rest ? ~Number(0) : Number(CHUNK);
    for (;;) {
      if (!odd) {
        if (!mark(even_ends, reach)) return;
        renew(even_ends);
      }
      if (!mark(odd_ends, reach)) return;
      renew(odd_ends);
    }
  }
  // Segments of one length: their ends are computed.
  GP_DEVICE void mark(const gp__fixed_ends &, bool rest) {
    ENDS mine = ends;
    mine.move(origin);
    gp__u32 found = last - segment;
    if (found > 0 && !rest) {
      const gp__u32 length = ends.length < CHUNK ? gp__u32(ends.length) : CHUNK + 1;
      const Number at = mine.end(segment) - Number(chunk);
      const gp__u32 here = at <= CHUNK ? 1 + (CHUNK - at) / length : 0;
      if (here < found) found = here;
    }
    if (ends.length > 0)
      for (gp__u32 i = gp_lane(); i < found; i += 32) {
        const Number at = mine.end(segment + i) - Number(chunk);
        if (at - 1 < CHUNK) marks[at - 1] = 1;
      }
    newest = segment += found;
  }

  // ---- a lane's elements

  struct Lane {
    Acc open; // fold of the elements after the last mark
    bool has; // there are any
    int first; // the element of the first mark, -1: none
    GP_DEVICE void step(const Acc &x, bool marked, int i, Acc &sum) {
      sum = has ? Op()(open, x) : x;
      open = sum;
      has = !marked;
      if (marked && first < 0) first = i;
    }
  };
  // Turns the cells from..to-1 of the lane into the running results of their segments.
  GP_DEVICE Lane scan(int from, int to) const {
    Lane l;
    l.open = Op::identity();
    l.has = false;
    l.first = -1;
    gp__u8 *chunk_cells = cells + gp_lane() * (ITEMS * CELL_BYTES), *chunk_marks = marks + gp_lane() * ITEMS;
    const gp__u64 index = chunk + gp_lane() * ITEMS;
    if (sizeof(Cell) != sizeof(Acc)) { // results have other places than elements: load all first
      const Cell *item = gp__as<const Cell>(cells) + gp_lane() * ITEMS;
      Acc *slot = gp__as<Acc>(cells) + gp_lane() * ITEMS;
      Cell x[ITEMS];
      GP__EACH(i, ITEMS)
        if (i >= from && i < to) x[i] = item[i];
      __syncwarp();
      GP__EACH(i, ITEMS) {
        const bool marked = chunk_marks[i] != 0;
        chunk_marks[i] = 0;
        Acc sum;
        if (i < from || i >= to) continue;
        l.step(Op::prepare(CellLoad()(x[i], index + i)), marked, i, sum);
        if (marked) slot[i] = sum;
      }
    } else if (from == 0 && to == ITEMS && gp__chunk_by_vectors(int(sizeof(Cell)), ITEMS)) {
      typedef gp__vec_group<Cell> Pack;
      const int V = Pack::items, L = Pack::vectors;
      gp_vector *at = gp__as<gp_vector>(chunk_cells);
      bool begun = false; // the element before is of the same segment
      gp__marks<V> found; // of the pack of the first mark
      int pack = -1;
      found.word[0] = 0;
      GP__EACH(k, ITEMS / V) {
        const Pack p(at + k * L);
        gp__vec_group<Acc> q;
        gp__marks<V> m;
        m.take(chunk_marks + k * V);
        GP__EACH(j, V) {
          const Acc x = Op::prepare(CellLoad()(p.item[j], index + k * V + j));
          const Acc both = Op()(l.open, x);
          l.open = begun ? both : x;
          begun = !m.at(j);
          q.item[j] = l.open;
        }
        if (pack < 0 && m.any()) {
          pack = k;
          found = m;
        }
        q.store(at + k * L);
      }
      l.has = begun;
      if (pack >= 0) l.first = pack * V + found.first();
    } else {
      const Cell *item = gp__as<const Cell>(chunk_cells);
      Acc *slot = gp__as<Acc>(chunk_cells);
      GP__UNROLL_BY(1)
      for (int i = 0; i < ITEMS; ++i) {
        const bool marked = chunk_marks[i] != 0;
        chunk_marks[i] = 0;
        Acc sum;
        if (i < from || i >= to) continue;
        l.step(Op::prepare(CellLoad()(item[i], index + i)), marked, i, sum);
        slot[i] = sum;
      }
    }
    if (!l.has) l.open = Op::identity();
    return l;
  }
  // Adds the prefix of a lane to its first mark; advances `carry`.
  GP_DEVICE void join(const Lane &l, gp_carry<Acc> &carry) const {
    const unsigned ended = __ballot_sync(~0u, l.first >= 0), has = __ballot_sync(~0u, l.has);
    const unsigned up_to = ended & (~0u >> (31 - gp_lane()));
    // The first lane that counts for this one: that of the last end, or the one after it, or the first with elements.
    const int start = up_to ? 31 - __clz(int(up_to)) : has ? __ffs(int(has)) - 1 : 32;
    const int from = start + (up_to && !(has >> start & 1u) ? 1 : 0), lane = int(gp_lane());
    Acc sum = l.open;
    GP__UNROLL
    for (int d = 1; d < 32; d *= 2) {
      const Acc before = gp_warp_shift_up(sum, unsigned(d));
      if (lane - d >= from) sum = Op()(before, sum);
    }
    const Acc before = gp_warp_shift_up(sum, 1), all = gp_warp_broadcast(sum, 31);
    const bool any = gp_warp_shift_up(from <= lane ? 1 : 0, 1) != 0,
               any_at_end = gp_warp_broadcast(from <= lane ? 1 : 0, 31);
    gp_carry<Acc> mine = carry;
    if (gp__earlier_lanes(up_to)) mine.has = false; // a segment ends in between
    if (lane > 0 && any) mine.append(before, Op());
    if (l.first >= 0 && mine.has) {
      Acc *slot = gp__as<Acc>(cells) + lane * ITEMS + l.first;
      *slot = Op()(mine.value, *slot);
    }
    if (ended) carry.has = false;
    if (any_at_end) carry.append(all, Op());
  }

  // ---- results of the segments from..segment-1, which end in the chunk

  GP_DEVICE gp_carry<Acc> at_end(Number start, Number stop) const {
    const Number slot = stop - 1 - Number(chunk);
    gp_carry<Acc> r;
    r.value = Op::identity();
    r.has = stop != start && slot < CHUNK;
    if (r.has) r.value = gp__as<const Acc>(cells)[slot];
    return r;
  }
  GP_DEVICE void store(gp__u32 from) const {
    const gp__segment_result<Op, Out, Acc> result(a);
    const Acc *slots = gp__as<const Acc>(cells);
    Out *out = gp__as<Out>(a.out) + origin;
    ENDS mine = ends;
    mine.move(origin);
    const gp__u32 s = newest + gp_lane();
    if (s >= from && s < segment) {
      Acc sum = Op::identity();
      if (slot < CHUNK) sum = slots[slot];
      out[s] = result(slot < CHUNK, sum);
    }
    for (; from < newest; from += WINDOW * 32) {
      Number start[WINDOW], stop[WINDOW];
      GP__EACH(u, WINDOW) {
        const gp__u32 s = from + u * 32 + gp_lane();
        if (s < newest) {
          start[u] = mine.begin(s);
          stop[u] = mine.end(s);
        }
      }
      GP__EACH(u, WINDOW) {
        const gp__u32 s = from + u * 32 + gp_lane();
        if (s >= newest) continue;
        const gp_carry<Acc> r = at_end(start[u], stop[u]);
        out[s] = result(r.has, r.value);
      }
    }
  }

  // Takes the elements b..e-1 and the ends of the segments s..t-1; requests the first chunks.
  GP_DEVICE void begin(gp__u64 b, gp__u64 e, gp__u64 s, gp__u64 t) {
    origin = s;
    segment = 0;
    last = gp__u32(t - s);
    from = 0;
    if (by_vectors())
      for (unsigned low = gp__misalignment(address(b), 16); low; ++from) low = (low - SIZE) & 15u;
    chunk = b - from;
    left = Number(e - chunk);
    if (by_vectors() && (left > from || last > 0)) {
      GP__UNROLL
      for (unsigned n = 0; n < unsigned(Chunks::AHEAD); ++n) request(n);
    }
    windowed = 0;
    behind = Number(b);
    odd = false;
    load(even_ends, 0);
    load(odd_ends, HELD * 32);
  }
  // Reduces them; `open` gets what is open at both ends.
  GP_DEVICE void run(gp__segment_open<Acc> &open) {
    gp_carry<Acc> carry;
    carry.has = false;
    if (!gp_lane()) {
      open.segment = origin;
      open.ended = last > 0;
      open.first.has = false;
    }
    const bool vectors = by_vectors();
    const Number b = Number(chunk + from);
    for (unsigned i = gp_lane() * 4; i < CHUNK; i += 128) *gp__as<gp__u32>(marks + i) = 0;
    if (left > from || last > 0)
      for (;; chunk += CHUNK, left -= CHUNK, from = 0) {
        const unsigned to = left < CHUNK ? unsigned(left) : CHUNK;
        const bool rest = left <= CHUNK;
        __syncwarp();
        if (vectors) {
          if (Chunks::EARLY) request(Chunks::AHEAD);
          take(to);
          if (!Chunks::EARLY) request(Chunks::AHEAD);
        } else if (!ENDS::direct) gather(to);
        else fill(typename Operands::type(a), to);
        const gp__u32 first = segment;
        mark(ends, rest);
        __syncwarp();
        const unsigned mine = gp_lane() * ITEMS;
        const int lane_from = from > mine ? (from - mine < ITEMS ? int(from - mine) : ITEMS) : 0;
        const int lane_to = to > mine ? (to - mine < ITEMS ? int(to - mine) : ITEMS) : 0;
        if (segment == first) {
          const gp__u8 *at = cells + mine * sizeof(Cell);
          const Acc sum = from == 0 && to == CHUNK
              ? gp__chunk_fold<ITEMS, Op, CellLoad, Acc, Cell>(at, chunk + mine)
              : gp__chunk_fold_part<Op, CellLoad, Acc, Cell>(at, chunk + mine, lane_from, lane_to);
          const Acc all = gp_warp_broadcast(gp_warp_reduce(sum, Op()), 0);
          if (from < to) carry.append(all, Op());
        } else {
          join(scan(lane_from, lane_to), carry);
          chunks.written();
          __syncwarp();
          if (first == 0 && !gp_lane()) open.first = at_end(b, ends.end(origin));
          store(first ? first : 1);
        }
        if (rest) break;
      }
    if (!gp_lane()) open.last = carry;
  }
};

// Completes the segments that go from block to block, from the first `count` blocks' partial results. A thread's share
// is consecutive blocks.
template<class P, class Op, class Out, class Acc>
GP_DEVICE void gp__segment_finish(
    const gp__segment_args &a, const gp__word *words, unsigned count, gp__u64 tag, gp__segment_storage<P, Op, Acc> &s) {
  typedef gp__join_carries<Acc, Op> Join;
  typedef gp__segment_partial<Acc> Partial;
  const gp__segment_result<Op, Out, Acc> result(a);
  const unsigned share = (count + P::threads - 1) / P::threads, first = threadIdx.x * share;
  const unsigned stop = first + share < count ? first + share : count;
  gp__segment_carry<Acc> carry = Join::identity();
  Partial p;
  for (int pass = 0; pass < 2; ++pass) { // the second time with the thread's prefix
    for (unsigned i = first; i < stop; ++i) {
      if (pass == 0 || share > 1) p = gp__receive<Partial>(words, i, tag);
      gp__segment_carry<Acc> next;
      next.ended = (p.segment & 1u) != 0;
      next.open.has = (p.segment >> (next.ended ? 2 : 1) & 1u) != 0;
      next.open.value = next.ended ? p.last : p.first;
      if (pass == 1 && next.ended) {
        gp_carry<Acc> sum = carry.open;
        if (p.segment >> 1 & 1u) sum.append(p.first, Op());
        gp__as<Out>(a.out)[p.segment >> 3] = result(sum.has, sum.value);
      }
      carry = Join()(carry, next);
    }
    if (pass == 0) gp_tile_exclusive_scan<P::threads>(carry, Join(), s.scan);
  }
}
