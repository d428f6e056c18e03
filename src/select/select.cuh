// select/select.cuh - select, partition and unique as the body of a stream
// uses: core/words.h, device/vocabulary.cuh, select/policy.h, core/arguments.h, select/arguments.h, device/types.cuh,
//   device/operators.cuh, device/warp.cuh, device/inputs.cuh, select/stream.cuh

// PARTS 1: select. 2, 3: partition. F: the flags' type, or gp__none if predicates test the elements.
template<class T, class F> struct gp__select_types {
  typedef F Key;
  typedef T Value;
  static GP_DEVICE gp__u8 *items(const gp__stream_tile &t) { return t.values; }
  static GP_DEVICE const void *memory(const gp__stream_args &a) { return a.values; }
};
template<class T> struct gp__select_types<T, gp__none> {
  typedef T Key;
  typedef gp__none Value;
  static GP_DEVICE gp__u8 *items(const gp__stream_tile &t) { return t.keys; }
  static GP_DEVICE const void *memory(const gp__stream_args &a) { return a.keys; }
};
template<class P, class T> struct gp__holds {
  static GP_DEVICE bool of(const T &x, const gp__value &scalar) { return P()(x, scalar); }
};
template<class T> struct gp__holds<gp__none, T> {
  static GP_DEVICE bool of(const T &, const gp__value &) { return false; }
};
template<int PARTS, class T, class F, class P1, class P2> struct gp__select {
  typedef gp__select_types<T, F> Types;
  typedef typename Types::Key Key;
  typedef typename Types::Value Value;
  typedef gp__no_offsets Offsets;
  static const int N = PARTS == 3 ? 2 : 1, SCRATCH = 0;
  static const bool BEFORE = false, BEHIND = false;
  static const bool BYTES = gp__test_bytes<P1>::is && (PARTS < 3 || gp__test_bytes<P2>::is);
  typedef gp__counts<N> State;
  typedef gp__count_join<N> Join;
  template<int ITEMS> struct Kept {
    gp__bits<ITEMS> holds[N];
    gp__u32 upto; // counts of the group's lanes up to this one: first part, second part
  };

  template<int ITEMS, bool FULL>
  static GP_DEVICE State fold(const gp__stream_args &a, const gp__stream_tile &t, int first, Kept<ITEMS> &kept) {
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i);
    gp__vecs<Key, ITEMS> k;
    k.template load<FULL>(t.keys + i * int(sizeof(Key)), exist);
    GP__EACH(p, N) kept.holds[p].clear();
    if (BYTES && ITEMS % 4 == 0) {
      GP__UNROLL
      for (int w = ITEMS / 4 - 1; w >= 0; --w) {
        const gp__u32 one = gp__test_bytes<P1>::of(k.word[w], a.first);
        kept.holds[0].push(w * 4, one);
        if (PARTS == 3) kept.holds[N - 1].push(w * 4, gp__test_bytes<P2>::of(k.word[w], a.second) & ~one);
      }
      GP__UNROLL
      for (int p = 0; p < N && !FULL; ++p) kept.holds[p].keep(exist);
    } else {
      GP__EACH(j, ITEMS) {
        const bool one = (FULL || j < exist) && gp__holds<P1, Key>::of(k.item[j], a.first);
        kept.holds[0].set(j, one);
        if (PARTS == 3)
          kept.holds[N - 1].set(j, (FULL || j < exist) && !one && gp__holds<P2, Key>::of(k.item[j], a.second));
      }
    }
    const gp__u32 mine = gp__pair(kept.holds[0].count(), PARTS == 3 ? kept.holds[N - 1].count() : 0);
    kept.upto = gp_warp_inclusive_scan(mine, gp_sum<gp__u32>());
    const gp__u32 all = gp_warp_broadcast(kept.upto, 31);
    State s;
    s.n[0] = gp__u64(gp__low(all));
    if (PARTS == 3) s.n[N - 1] = gp__u64(gp__high(all));
    return s;
  }
  template<int ITEMS, bool FULL>
  static GP_DEVICE void emit(const gp__stream_args &a, const gp__stream_tile &t, int first, const Kept<ITEMS> &kept,
      const State &before, gp__u8 *) {
    const gp__u64 origin = t.first + first;
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i), all = t.exist<32 * ITEMS>(first);
    const gp__u32 mine = gp__pair(kept.holds[0].count(), PARTS == 3 ? kept.holds[N - 1].count() : 0);
    const gp__u32 upto = kept.upto, total = gp_warp_broadcast(upto, 31);
    const int ones = gp__low(total), twos = PARTS == 3 ? gp__high(total) : PARTS == 2 ? all - ones : 0;
    gp__u8 *items = Types::items(t) + first * int(sizeof(T));
    if (PARTS == 1) {
      // In place, elements that all stay are not written: the next tile may be reading the last one.
      if (ones > 0 && !(ones == all && origin == before.n[0] && a.out_values == Types::memory(a)))
        gp__compact<T>::template run<ITEMS, FULL>(
            a.out_values, before.n[0], items, kept.holds[0], gp__low(upto - mine), ones, exist, all);
      return;
    }
    gp__vecs<T, ITEMS> x;
    x.template load<FULL>(items + gp_lane() * (ITEMS * sizeof(T)), exist);
    __syncwarp();
    T *at = gp__as<T>(items);
    int rank = gp__low(upto - mine), rank2 = gp__high(upto - mine), others = i - first - rank - rank2;
    const int rest = ones + (PARTS == 3 ? twos : 0); // start of the elements for which neither holds
    if (FULL && sizeof(T) == 1 && ITEMS % 4 == 0) {
      typedef gp__byte_gather<ITEMS> Gather;
      gp__bits<ITEMS> neither;
      GP__EACH(w, gp__bits<ITEMS>::WORDS) neither.word[w] = ~(kept.holds[0].word[w] | kept.holds[N - 1].word[w]);
      neither.keep(ITEMS);
      const Gather one(items + rank, x.word, kept.holds[0]), other(items + rest + others, x.word, neither);
      if (PARTS == 3) {
        const Gather two(items + ones + rank2, x.word, kept.holds[N - 1]);
        __syncwarp();
        two.finish();
      } else __syncwarp();
      one.finish();
      other.finish();
    } else {
      GP__EACH(j, ITEMS) {
        const bool one = kept.holds[0].get(j), two = PARTS == 3 && kept.holds[N - 1].get(j);
        if (!FULL && j >= exist) continue;
        at[one ? rank : two ? ones + rank2 : rest + others] = x.item[j];
        rank += one ? 1 : 0;
        rank2 += two ? 1 : 0;
        others += one || two ? 0 : 1;
      }
    }
    __syncwarp();
    gp__copy_out<T>::run(gp__as<T>(a.out_values) + before.n[0], items, ones);
    gp__copy_out<T>::run(
        gp__as<T>(a.out2) + (PARTS == 2 ? origin - before.n[0] : before.n[N - 1]), items + ones * int(sizeof(T)), twos);
    if (PARTS > 2)
      gp__copy_out<T>::run(gp__as<T>(a.out3) + (origin - before.n[0] - before.n[N - 1]),
          items + (ones + twos) * int(sizeof(T)), all - ones - twos);
  }
  static GP_DEVICE void finish(const gp__stream_args &a, gp__u64 count, const State &total) {
    a.out_count[0] = total.n[0];
    if (PARTS == 2) a.out_count[1] = count - total.n[0];
    if (PARTS == 3) {
      a.out_count[1] = total.n[N - 1];
      a.out_count[2] = count - total.n[0] - total.n[N - 1];
    }
  }
};

// The same by flags or a stencil, of described values: a tile has no values. Emission gathers the positions of what is
// selected, in the group's part of the scratch memory, and makes the values where it writes them.
template<int PARTS, class T, class F, class P1, class P2, class Input>
struct gp__select_at : gp__select<PARTS, gp__none, F, P1, P2> {
  typedef gp__select<PARTS, gp__none, F, P1, P2> Base;
  typedef typename Base::State State;
  template<int ITEMS> using Kept = typename Base::template Kept<ITEMS>;
  typedef unsigned short Position; // in a group
  static const int N = Base::N, SCRATCH = GP__POSITION_BYTES;
  static_assert(sizeof(Position) == GP__POSITION_BYTES, "a policy's shared memory has room for positions of this size");

  // One warp: makes n values, from index `origin` on, at these positions.
  static GP_DEVICE void write(void *to, gp__u64 before, const Input &input, gp__u64 origin, const Position *at, int n) {
    T *out = gp__as<T>(to) + before;
    GP__UNROLL_BY(4)
    for (int i = int(gp_lane()); i < n; i += 32) out[i] = input.at(origin + at[i]);
  }
  // Positions of the marked elements among the lane's ITEMS.
  template<int ITEMS> static GP_DEVICE void gather(Position *to, const gp__bits<ITEMS> &marks) {
    GP__EACH(w, gp__bits<ITEMS>::WORDS) {
      GP__UNROLL_BY(1)
      for (gp__u32 left = marks.word[w]; left; left &= left - 1)
        *to++ = Position(int(gp_lane()) * ITEMS + w * 32 + __ffs(int(left)) - 1);
    }
  }
  template<int ITEMS, bool FULL>
  static GP_DEVICE void emit(const gp__stream_args &a, const gp__stream_tile &t, int first, const Kept<ITEMS> &kept,
      const State &before, gp__u8 *scratch) {
    const Input input(static_cast<const gp__with_input<gp__stream_args> &>(a).input);
    const gp__u64 origin = t.first + first;
    const int i = first + int(gp_lane()) * ITEMS, exist = t.exist<ITEMS>(i), all = t.exist<32 * ITEMS>(first);
    const gp__u32 mine = gp__pair(kept.holds[0].count(), PARTS == 3 ? kept.holds[N - 1].count() : 0);
    const gp__u32 upto = kept.upto, total = gp_warp_broadcast(upto, 31);
    const int ones = gp__low(total), twos = PARTS == 3 ? gp__high(total) : PARTS == 2 ? all - ones : 0;
    const int rank = gp__low(upto - mine), rank2 = gp__high(upto - mine), rest = ones + (PARTS == 3 ? twos : 0);
    Position *at = gp__as<Position>(scratch);
    gather<ITEMS>(at + rank, kept.holds[0]);
    if (PARTS == 3) gather<ITEMS>(at + ones + rank2, kept.holds[N - 1]);
    if (PARTS > 1) {
      gp__bits<ITEMS> neither;
      GP__EACH(w, gp__bits<ITEMS>::WORDS) neither.word[w] = ~(kept.holds[0].word[w] | kept.holds[N - 1].word[w]);
      neither.keep(exist);
      gather<ITEMS>(at + rest + (i - first - rank - rank2), neither);
    }
    __syncwarp();
    write(a.out_values, before.n[0], input, origin, at, ones);
    if (PARTS > 1) write(a.out2, PARTS == 2 ? origin - before.n[0] : before.n[N - 1], input, origin, at + ones, twos);
    if (PARTS > 2)
      write(a.out3, origin - before.n[0] - before.n[N - 1], input, origin, at + ones + twos, all - ones - twos);
    __syncwarp(); // the next tile's positions go to the same place
  }
};
