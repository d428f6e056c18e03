// sort/radix_sweep.cuh - a sweep of one-sweep radix sort
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, sort/radix_policy.h, sort/arguments.h,
//   sort/hybrid_arguments.h, device/types.cuh, device/tile_rank.cuh, device/kernel.cuh, sort/keys.cuh

// Look-back words: counts of two neighbouring digits, with a mark in the upper two bits. Successive sweeps use marks 1
// and 2 in turn; cleared words have 0. So no sweep clears the words of the one before.
struct gp__radix_narrow { // fewer than 2^30 elements
  typedef gp__u32 Count;
  typedef gp__u64 Pair;
  static GP_DEVICE Pair make(gp__u32 mark, Count even, Count odd) {
    return gp__u64(mark << 30 | odd) << 32 | (mark << 30 | even);
  }
  static GP_DEVICE gp__u32 mark(Pair w) { return gp__u32(w >> 62); }
  static GP_DEVICE Count even(Pair w) { return gp__u32(w) & 0x3fffffffu; }
  static GP_DEVICE Count odd(Pair w) { return gp__u32(w >> 32) & 0x3fffffffu; }
  static GP_DEVICE Pair load(const Pair *p) { return gp__load_relaxed(p); }
  static GP_DEVICE void store(Pair *p, Pair w) { gp__store_relaxed(p, w); }
};
struct gp__radix_wide {
  typedef gp__u64 Count;
  typedef gp__word Pair;
  static GP_DEVICE Pair make(gp__u32 mark, Count even, Count odd) { return gp__word{even, gp__u64(mark) << 62 | odd}; }
  static GP_DEVICE gp__u32 mark(const Pair &w) { return gp__u32(w.tag >> 62); }
  static GP_DEVICE Count even(const Pair &w) { return w.value; }
  static GP_DEVICE Count odd(const Pair &w) { return w.tag & ~gp__u64(0) >> 2; }
  static GP_DEVICE Pair load(const Pair *p) { return gp__load_word(p); }
  static GP_DEVICE void store(Pair *p, const Pair &w) { gp__store_word(p, w); }
};

template<class V> struct gp__radix_value { // the value that moves with a key
  static const bool is = true;
  static GP_DEVICE V index(gp__u64) { return V(); }
};
template<> struct gp__radix_value<gp__none> {
  static const bool is = false;
  static GP_DEVICE gp__none index(gp__u64) { return gp__none(); }
};
template<> struct gp__radix_value<gp__u32> {
  static const bool is = true;
  static GP_DEVICE gp__u32 index(gp__u64 i) { return gp__u32(i); }
};
template<> struct gp__radix_value<gp__u64> {
  static const bool is = true;
  static GP_DEVICE gp__u64 index(gp__u64 i) { return i; }
};

// Look-back has two levels, so that a tile reads few words even with hundreds of tiles in flight. A tile publishes its
// counts and adds them to its group's sum, whose upper bits count the tiles added. It then sums the counts of the tiles
// before it in its group, and of earlier groups, back to a group with a known prefix: its counts from the beginning to
// its end. The prefix comes from the group's last tile, or from its first tile if the group's sum is complete. A round
// trip to these words takes a microsecond or more when memory is busy.
//
// A block overlaps its tiles. With two stages a sorted tile stays in one half of shared memory while the next one is
// ranked and publishes its counts. The block resolves the sorted tile's look-back only then: the tiles before it have
// most likely published too. It writes the tile while the next one's keys are in the other half and loads of the tile
// after it are in flight. With one stage a tile's look-back begins at once, and the block waits for its end. A block
// draws its next tile after a look-back, never before. Otherwise it would wait with a tile drawn but not counted;
// blocks with later tiles would wait for that one, with uncounted tiles of their own.
//
// Waits, and why they end. A tile's number is the order in which it is drawn. Its block ranks it and publishes its
// counts (publish) before the block waits for any other. look_back waits for the counts of the tiles before it in its
// group and, from its group backwards, for complete group sums, up to a group with a known prefix or the first group.
// All of these are counts of tiles with lower numbers, which running blocks have drawn. Each pair of digits has a
// thread that waits for its words; a barrier ends resolve.
template<class P, class K, class V, class W> struct gp__radix_sweep {
  typedef typename K::Key Key;
  typedef typename W::Count Count;
  typedef typename W::Pair Pair;
  typedef gp__radix_moved<K, V> Moved;
  typedef typename Moved::Key MovedKey;
  typedef typename Moved::Value MovedValue;
  typedef gp__radix_value<MovedValue> Value;
  typedef gp__tile_rank<P::threads> Rank;
  static const int THREADS = P::threads, ITEMS = gp__radix_items(P::vectors, int(sizeof(MovedKey)));
  static const int TILE = THREADS * ITEMS;
  static const int AT_ONCE = 4; // elements of a thread in flight from shared memory
  static const bool BEHIND = P::stages == 2;
  static const unsigned STAGES = BEHIND ? 2 : 1, KEY_BYTES = (STAGES * TILE * unsigned(sizeof(Key)) + 15) / 16 * 16;
  static const gp__u32 GROUP = GP__RADIX_GROUP;
  typedef gp__radix_narrow N; // a tile has fewer than 2^16 elements
  struct Storage {
    gp_tile_rank_storage<THREADS> rank;
    Count offset[GP__DIGITS]; // a digit's destination minus its position in the tile
    gp__u32 tile; // the block's next tile
  };
  // Digit of the key at place i of the tile; missing keys have the largest one.
  struct Digit {
    int word, shift;
    gp__u32 mask, flip;
    unsigned valid;
    GP_DEVICE gp__u32 operator()(const Key &key) const { return (gp__u32(K::bits(key, word) >> shift) ^ flip) & mask; }
    GP_DEVICE gp__u32 operator()(const Key &key, int i) const {
      return K::pads || gp_tile_warp_striped<ITEMS>(i) < valid ? operator()(key) : mask;
    }
  };
  // A tile whose counts are published.
  struct Counted {
    gp__u32 tile;
    gp__u32 total[Rank::PAIRS]; // counting threads: keys with the digits of each pair,
    gp__u32 before; // and keys of the tile before these
  };

  const gp__radix_args &a;
  Storage &s;
  Key *tile_keys;
  V *tile_values;
  gp__u32 step, tiles;
  gp__u64 n;

  GP_DEVICE gp__u32 source() const { return step / GP__RADIX_FROM % 4; }
  GP_DEVICE const void *source(const void *input, const void *output, const void *other) const {
    const gp__u32 from = source();
    return from == 0 ? input : from == 1 ? output : other;
  }
  GP_DEVICE const MovedKey *keys_from() const {
    return gp__as<const MovedKey>(source(a.keys, a.out_keys, a.other_keys));
  }
  // NULL: values are indices.
  GP_DEVICE const MovedValue *values_from() const { return gp__as<const MovedValue>(source(a.in, a.out, a.other)); }
  // Locations of pairs between passes. The other buffers are one array. The outputs hold half of the pairs each, the
  // keys' array the first half; the last pair of an odd number is after the other buffers.
  struct Pairs {
    Key *first, *second, *last; // minus the number of pairs before them
    Count half, both;
    template<bool WHOLE> GP_DEVICE Key *at(Count i) const {
      return (WHOLE || i < half ? first : i < both ? second : last) + i;
    }
  };
  GP_DEVICE Pairs pairs(bool in_other) const {
    const Count all = Count(n), half = in_other ? all : all / 2, both = in_other ? all : 2 * half;
    return Pairs{gp__as<Key>(in_other ? a.other_keys : a.out_keys), gp__as<Key>(a.out) - half,
        gp__as<Key>(a.other) + (n + 1) / 2 - both, half, both};
  }
  GP_DEVICE gp__u32 mark() const { return step & GP__RADIX_ODD ? 2 : 1; }
  GP_DEVICE const gp__u64 *base() const { return a.counts + a.pass * GP__DIGITS; }
  // Words of a pair of digits: counts of a tile; sums of a group in this pass, 24 bits each, with the number of tiles
  // above them; counts up to the end of a group.
  GP_DEVICE gp__u64 *in_tile(gp__u32 tile, unsigned pair) const {
    return gp__as<gp__u64>(a.words) + gp__u64(tile) * (GP__DIGITS / 2) + pair;
  }
  GP_DEVICE gp__u64 *in_group(gp__u32 group, unsigned pair) const {
    return in_tile(tiles + gp__u32(a.pass) * groups() + group, pair);
  }
  GP_DEVICE Pair *up_to(gp__u32 group, unsigned pair) const {
    return gp__as<Pair>(in_tile(tiles + gp__u32(a.passes) * groups(), 0)) + gp__u64(group) * (GP__DIGITS / 2) + pair;
  }
  GP_DEVICE gp__u32 groups() const { return (tiles + GROUP - 1) / GROUP; }

  GP_DEVICE void load_keys(Key (&keys)[ITEMS], const MovedKey *from, unsigned valid) const {
    const unsigned lead = gp_tile_warp_striped<ITEMS>(0);
    from += lead;
    if (valid == TILE) {
      GP__EACH(i, ITEMS) Moved::key(keys[i]) = from[i * 32];
    } else {
      Key padding = K::padding(a.flip != 0);
      GP__EACH(i, ITEMS) Moved::key(keys[i]) = lead + unsigned(i) * 32 < valid ? from[i * 32] : Moved::key(padding);
    }
  }
  GP_DEVICE void load_values(
      Key (&keys)[ITEMS], V (&values)[ITEMS], const MovedValue *from, gp__u64 first, unsigned valid) const {
    const unsigned lead = gp_tile_warp_striped<ITEMS>(0);
    first += lead;
    if (!from) {
      GP__EACH(i, ITEMS) Moved::value(keys[i], values[i]) = Value::index(first + unsigned(i) * 32);
    } else if (valid == TILE) {
      GP__EACH(i, ITEMS) Moved::value(keys[i], values[i]) = from[first + unsigned(i) * 32];
    } else {
      GP__EACH(i, ITEMS)
        Moved::value(keys[i], values[i]) =
            lead + unsigned(i) * 32 < valid ? from[first + unsigned(i) * 32] : MovedValue();
    }
  }
  GP_DEVICE void load_pairs(Key (&pair)[ITEMS], const Pairs &from, gp__u64 first, unsigned valid) const {
    const unsigned lead = gp_tile_warp_striped<ITEMS>(0);
    const Count at = Count(first);
    if (valid == TILE && (at + TILE <= from.half || at >= from.half)) { // if n is odd, the last tile is not whole
      const Key *const tile = from.template at<false>(at) + lead;
      GP__EACH(i, ITEMS) pair[i] = tile[i * 32];
    } else {
      GP__EACH(i, ITEMS)
        if (lead + unsigned(i) * 32 < valid) pair[i] = *from.template at<false>(at + lead + unsigned(i) * 32);
        else pair[i] = K::padding(a.flip != 0);
    }
  }
  GP_DEVICE unsigned items_of(gp__u32 tile) const {
    const unsigned rest = unsigned(n % TILE);
    return tile + 1 < tiles || !rest ? TILE : rest;
  }
  GP_DEVICE void load(Key (&keys)[ITEMS], V (&values)[ITEMS], gp__u32 tile) const {
    const gp__u64 first = gp__u64(tile) * TILE;
    const unsigned valid = items_of(tile);
    if (Moved::paired && step & GP__RADIX_READS_PAIRS) {
      load_pairs(keys, pairs(source() == 2), first, valid);
      return;
    }
    load_keys(keys, keys_from() + first, valid);
    if (Value::is) load_values(keys, values, values_from(), first, valid);
  }
  // Called by a counting thread: publishes the counts of its pairs of digits to later tiles. Returns their sum.
  GP_DEVICE gp__u32 publish(const Rank &rank, Counted &now) const {
    gp__u32 both = 0;
    GP__EACH(i, Rank::PAIRS) {
      const unsigned pair = threadIdx.x * Rank::PAIRS + unsigned(i);
      const gp__u32 total = rank.total(pair), even = total & 0xffffu, odd = total >> 16;
      now.total[i] = total;
      N::store(in_tile(now.tile, pair), N::make(mark(), even, odd));
      gp__add_relaxed(in_group(now.tile / GROUP, pair), gp__u64(1) << 48 | gp__u64(odd) << 24 | even);
      both += even + odd;
    }
    return both;
  }
  // Words that a look-back loads at a time: counts of the tiles before this one in its group, and of earlier groups.
  struct Window {
    gp__u32 tile, group; // first of the tiles; the group after those loaded
    gp__u64 in[GROUP - 1], sum[GP__RADIX_GROUPS];
    Pair known[GP__RADIX_GROUPS];
  };
  GP_DEVICE void ask(Window &w, unsigned pair, gp__u32 end) const {
    GP__UNROLL
    for (gp__u32 j = 0; j < GROUP - 1; ++j) w.in[j] = N::load(in_tile(w.tile + j < end ? w.tile + j : w.tile, pair));
    GP__UNROLL
    for (gp__u32 j = 0; j < GP__RADIX_GROUPS; ++j) {
      const gp__u32 group = w.group > j ? w.group - 1 - j : 0;
      w.known[j] = W::load(up_to(group, pair));
      w.sum[j] = gp__load_relaxed(in_group(group, pair));
    }
  }
  GP_DEVICE void begin_look_back(Window (&w)[Rank::PAIRS], gp__u32 tile) const {
    GP__EACH(i, Rank::PAIRS) {
      w[i].tile = tile / GROUP * GROUP;
      w[i].group = tile / GROUP;
      ask(w[i], threadIdx.x * Rank::PAIRS + unsigned(i), tile);
    }
  }
  // Called by a counting thread: counts of a pair of digits before this tile. The first window must have been asked
  // for.
  GP_DEVICE void look_back(Window &w, unsigned pair, gp__u32 tile, Count &even, Count &odd) const {
    even = Count(tile < GROUP ? base()[2 * pair] : 0);
    odd = Count(tile < GROUP ? base()[2 * pair + 1] : 0);
    for (;;) {
      gp__u32 passed = 0;
      GP__UNROLL
      for (gp__u32 j = 0; j < GROUP - 1; ++j)
        if (passed == j && w.tile + j < tile && N::mark(w.in[j]) == mark()) {
          even += N::even(w.in[j]);
          odd += N::odd(w.in[j]);
          ++passed;
        }
      w.tile += passed;
      passed = 0;
      GP__UNROLL
      for (gp__u32 j = 0; j < GP__RADIX_GROUPS; ++j) {
        if (passed != j || w.group <= j) continue;
        if (W::mark(w.known[j]) == mark()) {
          even += W::even(w.known[j]);
          odd += W::odd(w.known[j]);
          w.group = 0; // all earlier groups are known; passed stays below the next j
        } else if (w.sum[j] >> 48 == GROUP) {
          even += gp__u32(w.sum[j]) & 0xffffffu;
          odd += gp__u32(w.sum[j] >> 24) & 0xffffffu;
          ++passed;
          if (w.group == passed) { // reached the first group
            even += Count(base()[2 * pair]);
            odd += Count(base()[2 * pair + 1]);
          }
        }
      }
      w.group -= w.group ? passed : 0;
      if (w.group == 0 && w.tile >= tile) break;
      ask(w, pair, tile);
    }
    if (tile % GROUP == 0) { // the group may be complete before its last tile has looked back
      const gp__u64 sum = gp__load_relaxed(in_group(tile / GROUP, pair));
      if (sum >> 48 == GROUP)
        W::store(up_to(tile / GROUP, pair),
            W::make(mark(), even + (gp__u32(sum) & 0xffffffu), odd + (gp__u32(sum >> 24) & 0xffffffu)));
    }
  }
  // Called by a counting thread: computes the destinations of the tile's keys.
  GP_DEVICE void resolve(const Counted &of, Window (&w)[Rank::PAIRS]) const {
    gp__u32 before = of.before;
    GP__EACH(i, Rank::PAIRS) {
      const unsigned pair = threadIdx.x * Rank::PAIRS + unsigned(i);
      const gp__u32 in_even = of.total[i] & 0xffffu, in_odd = of.total[i] >> 16;
      Count even, odd;
      look_back(w[i], pair, of.tile, even, odd);
      if (of.tile % GROUP == GROUP - 1)
        W::store(up_to(of.tile / GROUP, pair), W::make(mark(), even + in_even, odd + in_odd));
      s.offset[2 * pair] = even - before;
      before += in_even;
      s.offset[2 * pair + 1] = odd - before;
      before += in_odd;
    }
  }
  // Shared-memory slot of a tile's element. Pairs of consecutive digits, in runs of equal length, are in different
  // banks.
  static GP_DEVICE unsigned slot_of(unsigned k) { return Moved::paired ? k ^ (k >> 4 & 15u) : k; }
  // Writes a few elements at a time: all reads, then all writes. PAIRS: side by side; WHOLE: into one array.
  template<bool FULL, bool PAIRS, bool WHOLE>
  GP_DEVICE void store(const Digit &digit, Key *from, V *values, const Pairs &pairs_to) const {
    MovedKey *const out = gp__as<MovedKey>(step & GP__RADIX_TO_OTHER ? a.other_keys : a.out_keys);
    MovedValue *const out_values = gp__as<MovedValue>(step & GP__RADIX_TO_OTHER ? a.other : a.out);
    const bool with_keys = !Value::is || !(step & GP__RADIX_LAST) || !a.drop_keys;
    GP__UNROLL
    for (int i = 0; i < ITEMS; i += AT_ONCE) {
      Key keys[AT_ONCE];
      Count at[AT_ONCE];
      GP__EACH(j, AT_ONCE) {
        const unsigned k = (i + j) * THREADS + threadIdx.x;
        if (i + j < ITEMS && (FULL || k < digit.valid)) keys[j] = from[slot_of(k)];
      }
      GP__EACH(j, AT_ONCE) {
        const unsigned k = (i + j) * THREADS + threadIdx.x;
        if (i + j < ITEMS && (FULL || k < digit.valid)) at[j] = s.offset[digit(keys[j])] + k;
      }
      if (PAIRS || with_keys) {
        GP__EACH(j, AT_ONCE) {
          const unsigned k = (i + j) * THREADS + threadIdx.x;
          if (i + j >= ITEMS || (!FULL && k >= digit.valid)) continue;
          if (PAIRS) *pairs_to.template at<WHOLE>(at[j]) = keys[j];
          else out[at[j]] = Moved::key(keys[j]);
        }
      }
      GP__UNROLL
      for (int j = 0; j < AT_ONCE && Value::is && !PAIRS; ++j) {
        const unsigned k = (i + j) * THREADS + threadIdx.x;
        if (i + j < ITEMS && (FULL || k < digit.valid)) out_values[at[j]] = Moved::value(keys[j], values[slot_of(k)]);
      }
    }
  }
  template<bool FULL> GP_DEVICE void store(const Digit &digit, unsigned half) const {
    Key *const keys = tile_keys + half;
    V *const values = tile_values + half;
    if (!Moved::paired || !(step & GP__RADIX_WRITES_PAIRS)) store<FULL, false, false>(digit, keys, values, Pairs());
    else if (FULL && step & GP__RADIX_TO_OTHER) store<FULL, Moved::paired, true>(digit, keys, values, pairs(true));
    else store<FULL, Moved::paired, false>(digit, keys, values, pairs((step & GP__RADIX_TO_OTHER) != 0));
  }
  GP_DEVICE gp__u32 draw() const { return gp__u32(gp__add_relaxed(a.tickets + a.pass, 1)); }
  // Returns the number of tiles that the block has written.
  GP_DEVICE gp__u32 sweep() const {
    const Rank rank = {s.rank};
    Digit digit = {a.word, a.shift, a.mask, a.flip, 0};
    if (threadIdx.x == THREADS - 1) s.tile = draw();
    __syncthreads();
    Counted now, behind; // behind: ranked, not written
    now.tile = s.tile;
    behind.tile = tiles;
    unsigned half = 0;
    gp__u32 written = 0;
    Key keys[ITEMS];
    V values[ITEMS];
    if (now.tile < tiles) load(keys, values, now.tile);
    GP__UNROLL_BY(1)
    while (now.tile < tiles || (BEHIND && behind.tile < tiles)) {
      const bool more = !BEHIND || now.tile < tiles; // there is a tile to rank
      gp__u32 at[ITEMS], ranks[(ITEMS + 1) / 2], both = 0; // ranks: of two keys, 16 bits each
      const bool resolves = rank.counts() && (!BEHIND || behind.tile < tiles);
      Window window[Rank::PAIRS];
      digit.valid = items_of(now.tile);
      if (BEHIND && resolves) begin_look_back(window, behind.tile); // its loads overlap the ranking
      if (more) {
        rank.within_warp(at, keys, digit);
        GP__EACH(i, ITEMS) ranks[i / 2] = i % 2 ? ranks[i / 2] | at[i] << 16 : at[i];
      } else {
        GP__EACH(i, ITEMS) ranks[i / 2] = 0;
      }
      __syncthreads();
      if (more && rank.counts()) both = publish(rank, now);
      now.before = rank.before(both);
      if (more && rank.counts()) {
        gp__u32 first = now.before;
        GP__EACH(i, Rank::PAIRS) {
          rank.start_at(threadIdx.x * Rank::PAIRS + i, first | (first + (now.total[i] & 0xffffu)) << 16);
          first += (now.total[i] & 0xffffu) + (now.total[i] >> 16);
        }
      }
      __syncthreads();
      if (!BEHIND && resolves) begin_look_back(window, now.tile);
      if (resolves) resolve(BEHIND ? behind : now, window);
      gp__u32 next = 0;
      if (!threadIdx.x) next = draw();
      if (more) {
        gp__optimizer_barrier(digit.shift);
        GP__EACH(i, ITEMS)
          at[i] = half + slot_of(rank.position(i % 2 ? ranks[i / 2] >> 16 : ranks[i / 2] & 0xffffu, digit(keys[i], i)));
        GP__EACH(i, ITEMS) tile_keys[at[i]] = keys[i];
        GP__UNROLL
        for (int i = 0; i < ITEMS && gp__radix_value<V>::is; ++i) tile_values[at[i]] = values[i];
      }
      if (!threadIdx.x) s.tile = next;
      __syncthreads();
      next = s.tile;
      const gp__u32 sorted = BEHIND ? behind.tile : now.tile;
      if (next < tiles) load(keys, values, next); // loads overlap the stores of a tile
      if (BEHIND) half = TILE - half;
      digit.valid = items_of(sorted);
      if (!BEHIND || sorted < tiles) {
        if (digit.valid == TILE) store<true>(digit, half);
        else store<false>(digit, half);
        ++written;
      }
      behind = now;
      now.tile = next;
    }
    return written;
  }
  GP_DEVICE void copy() const {
    const MovedKey *keys = keys_from();
    const MovedValue *values = values_from();
    for (gp__u64 i = gp__u64(blockIdx.x) * THREADS + threadIdx.x; i < n; i += gp__u64(gridDim.x) * THREADS) {
      if (keys != a.out_keys && !a.drop_keys) gp__as<MovedKey>(a.out_keys)[i] = keys[i];
      if (Value::is && values != a.out) gp__as<MovedValue>(a.out)[i] = values ? values[i] : Value::index(i);
    }
  }
  static GP_DEVICE void run(const gp__radix_args &a) {
    GP_SHARED(Storage, s);
    GP_DYNAMIC_SHARED(shared);
    gp__pdl_wait<P>();
    const gp__u64 n = gp__count(a);
    const gp__radix_sweep r = {a, s, gp__as<Key>(shared), gp__as<V>(shared + KEY_BYTES), a.steps[a.pass],
        gp__u32((n + TILE - 1) / TILE), // fewer than 2^32: n elements fit the memory
        n};
    if (r.step & GP__RADIX_RUNS) r.sweep();
    else if (r.step & GP__RADIX_COPIES) r.copy();
  }
  // Runs all passes and the final copy, for keys sorted by all their bits. A block that finds no more tiles in a pass
  // waits only for tiles that others have drawn, so this ends however few blocks are resident.
  static GP_DEVICE void run_all(const gp__radix_args &a) {
    GP_SHARED(Storage, s);
    GP_DYNAMIC_SHARED(shared);
    gp__pdl_wait<P>();
    if (!gp__is_chosen(a.choice, GP__CHOSE_ONE_SWEEP)) return;
    gp__radix_args own = a;
    const gp__u64 n = gp__count(a), tiles = (n + TILE - 1) / TILE;
    GP__UNROLL_BY(1)
    for (own.pass = 0; own.pass <= a.passes; ++own.pass) {
      own.shift = 8 * own.pass;
      const gp__radix_sweep r = {
          own, s, gp__as<Key>(shared), gp__as<V>(shared + KEY_BYTES), a.steps[own.pass], gp__u32(tiles), n};
      if (r.step & GP__RADIX_RUNS) {
        const gp__u32 written = r.sweep();
        __syncthreads();
        if (!threadIdx.x) { // for the whole block
          gp__u64 *done = a.tickets + a.passes + own.pass;
          __threadfence();
          gp__add_relaxed(done, written);
          while (gp__load_relaxed(done) < tiles) {}
          __threadfence();
        }
        __syncthreads();
      } else if (r.step & GP__RADIX_COPIES) r.copy();
    }
  }
};
template<class P, class K, class V, class W> GP_DEVICE void gp__radix_pass(const gp__radix_args &a) {
  gp__radix_sweep<P, K, V, W>::run(a);
}
template<class P, class K, class V, class W> GP_DEVICE void gp__radix_sweeps(const gp__radix_args &a) {
  gp__radix_sweep<P, K, V, W>::run_all(a);
}
