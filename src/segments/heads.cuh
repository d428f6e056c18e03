// segments/heads.cuh - heads of segments: by keys, by flags, by offsets
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, select/arguments.h,
//   device/types.cuh, device/operators.cuh, device/warp.cuh, device/tile_search.cuh, select/stream.cuh

// Heads of runs: at(j) says whether the thread's element j begins a run, behind() whether the element after its last
// does (false if there is none). Element 0 always begins a run. KNOWN: `heads` has the bits of all the thread's
// elements, and of some that do not exist. By offsets it has been marked before.
template<class K, class E> struct gp__key_heads {
  typedef K Key;
  typedef gp__no_offsets Offsets;
  static const bool BEFORE = true;
  template<int ITEMS, bool FULL> struct Marks {
    static const bool KNOWN = gp__compare_bytes<E>::is && ITEMS % 4 == 0;
    gp__vecs<K, ITEMS> k;
    const gp__stream_tile &t;
    int i, exist;
    bool first_head;
    gp__bits<ITEMS + 1> heads;
    GP_DEVICE Marks(const gp__stream_args &, const gp__stream_tile &tile, int first, const gp__bits<ITEMS + 1> &)
      : t(tile), i(first + int(gp_lane()) * ITEMS), exist(tile.exist<ITEMS>(i)) {
      k.template load<FULL>(t.keys + i * int(sizeof(K)), exist);
      first_head = (FULL || exist > 0) && (t.first + i == 0 || !E()(t.key<K>(i - 1), k.item[0]));
      if (!KNOWN) return;
      gp__mark_changes<E, ITEMS>(k.word, heads);
      heads.word[0] = (heads.word[0] & ~1u) | (first_head ? 1u : 0u);
    }
    GP_DEVICE bool at(int j) const {
      return KNOWN ? heads.get(j) : j == 0 ? first_head : (FULL || j < exist) && !E()(k.item[j - 1], k.item[j]);
    }
    GP_DEVICE bool behind() const {
      return (FULL || exist == ITEMS) && t.first + i + ITEMS < t.count && !E()(k.item[ITEMS - 1], t.key<K>(i + ITEMS));
    }
  };
};
template<class F> struct gp__flag_heads {
  typedef F Key;
  typedef gp__no_offsets Offsets;
  static const bool BEFORE = false;
  template<int ITEMS, bool FULL> struct Marks {
    static const bool KNOWN = sizeof(F) == 1 && ITEMS % 4 == 0;
    gp__vecs<F, ITEMS> k;
    const gp__stream_tile &t;
    int i, exist;
    gp__bits<ITEMS + 1> heads;
    GP_DEVICE Marks(const gp__stream_args &, const gp__stream_tile &tile, int first, const gp__bits<ITEMS + 1> &)
      : t(tile), i(first + int(gp_lane()) * ITEMS), exist(tile.exist<ITEMS>(i)) {
      k.template load<FULL>(t.keys + i * int(sizeof(F)), exist);
      if (!KNOWN) return;
      heads.clear();
      GP__UNROLL
      for (int w = ITEMS / 4 - 1; w >= 0; --w) heads.push(w * 4, gp__bytes_differ(k.word[w], 0));
      if (t.first + i == 0 && exist > 0) heads.word[0] |= 1u;
    }
    GP_DEVICE bool at(int j) const {
      return KNOWN ? heads.get(j) : (FULL || j < exist) && (k.item[j] != F(0) || (j == 0 && t.first + i == 0));
    }
    GP_DEVICE bool behind() const {
      return (FULL || exist == ITEMS) && t.first + i + ITEMS < t.count && t.key<F>(i + ITEMS) != F(0);
    }
  };
};

template<class O> struct gp__offset_below {
  const O *offsets;
  gp__u64 value[2];
  GP_DEVICE bool operator()(int n, gp__u64 position) const { return gp__u64(offsets[position]) < value[n]; }
};
// The range of offsets[0 .. end) from the first one not below value[0] to the first one not below value[1], and a few
// outside if that saves a step. One warp, from guesses: it looks first at distances 1, 2, 3, 4, 16, 64, ... on both
// sides of them.
template<class O>
GP_DEVICE gp__span gp__search_near(gp__u64 end, const gp__offset_below<O> &below, const gp__u64 (&guess)[2]) {
  const gp__u64 ENOUGH = 48;
  const int lane = int(gp_lane()), d = lane < 16 ? 15 - lane : lane - 16;
  const gp__u64 far = d < 4 ? gp__u64(d + 1) : 1ull << (2 * (d - 2));
  bool holds[2];
  gp__u64 first[2], count[2], more[2];
  GP__EACH(n, 2) { // probes rise with the lane; they hold up to some lane
    const gp__u64 probe = lane < 16 ? guess[n] - far : guess[n] + far - 1;
    holds[n] = lane < 16 && far > guess[n] ? true : probe < end && below(n, probe);
  }
  GP__EACH(n, 2) {
    const int up_to = __popc(__ballot_sync(~0u, holds[n]));
    const gp__u64 low = lane >= 16 ? guess[n] + far : far > guess[n] ? 0 : guess[n] - far + 1; // past the probe
    first[n] = up_to > 0 ? gp_warp_broadcast(low, up_to - 1) : 0;
    const gp__u64 high = up_to < 32 ? gp_warp_broadcast(low, up_to) - 1 : end;
    count[n] = (high < end ? high : end) - first[n];
    more[n] = count[n] <= ENOUGH ? count[n] : 0;
    count[n] -= more[n];
  }
  gp__warp_search(first, count, below);
  return gp__span{first[0], first[1] + more[1]};
}

// Heads by offsets. One warp finds a tile's offsets; it and others walk them. Bit j % 32 of word j / 32 of a thread
// marks its element j. Word w of thread i is marks[w * THREADS + i].
template<class O> struct gp__offset_marks {
  typedef typename gp__traits<O>::wide Number;
  static const bool any = true;
  static const int V = 16 / int(sizeof(O)), WINDOW = 32 * V, BATCH = 5; // vectors of a lane in flight

  // The guess is exact for segments of one length, and near for others.
  static GP_DEVICE gp__span find(const gp__stream_args &a, const gp__stream_tile &t) {
    const gp__offset_below<O> below = {gp__as<const O>(a.offsets), {t.first, t.first + gp__u64(t.items)}};
    const double density = double(a.segments) / double(t.count);
    gp__u64 guess[2];
    GP__EACH(n, 2) {
      guess[n] = gp__u64(double(below.value[n]) * density);
      if (guess[n] > a.segments) guess[n] = a.segments;
    }
    return gp__search_near(a.segments + 1, below, guess);
  }
  // Takes from a span what one warp handles alone, and leaves the rest.
  static GP_DEVICE gp__span take(gp__span &span) {
    const gp__u64 few = 2 * BATCH * WINDOW, begin = span.begin;
    span.begin = span.end - begin > few ? begin + few : span.end;
    return gp__span{begin, span.begin};
  }
  // Thread `thread` of `threads`: clears the marks but for the first head of all.
  template<int THREADS, int ITEMS>
  static GP_DEVICE void clear(const gp__stream_tile &t, gp__u32 *marks, unsigned thread, unsigned threads) {
    for (unsigned i = thread; i < unsigned(THREADS * gp__bits<ITEMS + 1>::WORDS); i += threads)
      marks[i] = i == 0 && t.first == 0 ? 1u : 0u;
  }
  // The word and bit of the element at an offset; word ~0u: it is outside the tile.
  template<int THREADS, int ITEMS> struct ElementBit {
    gp__u32 word, bit;
    GP_DEVICE ElementBit(const O &offset, const gp__stream_tile &t) {
      const Number element = Number(offset) - Number(t.first);
      const gp__u32 i = gp__u32(element), j = i % ITEMS;
      word = element < Number(t.items) ? i / ITEMS + j / 32 * THREADS : ~0u;
      bit = 1u << (j % 32);
    }
  };
  // Warp `warp` of `warps` marks windows `warp`, `warp` + `warps`, ... of the span, from a 16-byte boundary on. They
  // may hold offsets of other tiles.
  template<int THREADS, int ITEMS>
  static GP_DEVICE void mark(const gp__stream_args &a, const gp__stream_tile &t, const gp__span &span, gp__u32 *marks,
      unsigned warp, unsigned warps) {
    typedef ElementBit<THREADS, ITEMS> At;
    typedef gp__i64 Position; // of a lane's vector; below 0 before the first whole one
    if (span.begin >= span.end) return;
    const O *offsets = gp__as<const O>(a.offsets);
    const gp__u64 shift = gp__misalignment(offsets, 16) / sizeof(O);
    const Position start = Position((span.begin + shift) / V * V - shift), end = Position(span.end);
    const Position whole = Position((a.segments + 1 + shift) / V * V - shift), stop = end < whole ? end : whole;
    const gp__u64 windows = gp__u64(end - start + WINDOW - 1) / WINDOW;
    if (warp == 0 && (start < 0 || stop < end)) { // no whole vectors at the ends of the array
      const Position at = int(gp_lane()) < V ? Position(gp_lane()) : whole + (int(gp_lane()) - V);
      if (int(gp_lane()) < 2 * V && at >= 0 && at < end) {
        const At one(offsets[at], t);
        if (one.word != ~0u) atomicOr(&marks[one.word], one.bit);
      }
    }
    for (gp__u64 w = warp; w < windows;) {
      const Position lane = start + Position(w * WINDOW) + int(gp_lane()) * V;
      gp__vecs<O, V> x[BATCH];
      GP__EACH(u, BATCH) {
        const Position at = lane + u * int(warps) * WINDOW;
        GP__EACH(j, V) x[u].item[j] = O(t.first - 1); // outside the tile
        if (at >= 0 && at < stop) x[u].vector[0] = gp__load_vector<GP_CACHE_ALL>(offsets + at);
      }
      GP__EACH(u, BATCH) {
        if (u > 0 && w + u * warps >= windows) break;
        gp__u32 word = ~0u, bits = 0; // a lane combines the bits of a word
        GP__EACH(j, V) {
          const At one(x[u].item[j], t);
          if (one.word != word && word != ~0u) atomicOr(&marks[word], bits);
          bits = (one.word == word ? bits : 0u) | one.bit;
          word = one.word;
        }
        if (word != ~0u) atomicOr(&marks[word], bits);
      }
      const gp__u64 next = w + BATCH * warps;
      const O low = gp_warp_broadcast(x[0].item[0], 0), high = gp_warp_broadcast(x[BATCH - 1].item[V - 1], 31);
      if (next < windows && low == high) { // many empty segments: skips them
        const gp__u64 seen = gp__u64(start) + (next - warps + 1) * WINDOW, beyond = gp__u64(high) + 1;
        gp__u64 from[1] = {seen}, count[1] = {span.end - seen};
        gp__warp_search(from, count, gp__offset_below<O>{offsets, {beyond, 0}});
        const gp__u64 found = (from[0] - gp__u64(start)) / WINDOW;
        w = found + (warp + warps - unsigned(found % warps)) % warps;
      } else w = next;
    }
  }
};

template<class O> struct gp__offset_heads {
  typedef gp__none Key;
  typedef gp__offset_marks<O> Offsets;
  static const bool BEFORE = false;
  template<int ITEMS, bool FULL> struct Marks {
    static const bool KNOWN = true;
    const gp__bits<ITEMS + 1> heads;
    GP_DEVICE Marks(const gp__stream_args &, const gp__stream_tile &, int, const gp__bits<ITEMS + 1> &marked)
      : heads(marked) {}
    GP_DEVICE bool at(int j) const { return heads.get(j); }
    GP_DEVICE bool behind() const { return false; } // never called
  };
};
template<class Heads, int ITEMS, bool FULL, bool BEHIND>
GP_DEVICE gp__bits<ITEMS + 1> gp__mark(const gp__stream_args &a, const gp__stream_tile &t, int first) {
  typedef typename Heads::template Marks<ITEMS, FULL> Marks;
  gp__bits<ITEMS + 1> heads;
  heads.clear();
  const Marks marks(a, t, first, heads);
  if (Marks::KNOWN) {
    heads = marks.heads;
    if (!FULL) heads.keep(t.exist<ITEMS>(first + int(gp_lane()) * ITEMS));
  } else {
    GP__EACH(j, ITEMS) heads.set(j, marks.at(j));
  }
  if (BEHIND) heads.set(ITEMS, marks.behind());
  return heads;
}
// Ends of runs: bit j is set if element j + 1 begins a run or does not exist.
template<int ITEMS>
GP_DEVICE gp__bits<ITEMS> gp__ends(const gp__bits<ITEMS + 1> &heads, const gp__stream_tile &t, int i) {
  gp__bits<ITEMS> ends;
  GP__EACH(w, gp__bits<ITEMS>::WORDS)
    ends.word[w] = heads.word[w] >> 1 | (w + 1 < gp__bits<ITEMS + 1>::WORDS ? heads.word[w + 1] << 31 : 0u);
  const int exist = t.exist<ITEMS>(i);
  if (exist > 0 && t.first + i + exist == t.count) { // the last element of all
    GP__EACH(w, gp__bits<ITEMS>::WORDS)
      if ((exist - 1) / 32 == w) ends.word[w] |= 1u << ((exist - 1) % 32);
  }
  return ends;
}
