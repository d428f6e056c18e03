// sort/hybrid_move.cuh - hybrid sort: moves of keys and of pairs
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, sort/hybrid_arguments.h, device/types.cuh,
//   device/warp.cuh, device/lanes.cuh, device/tile_rank.cuh, device/kernel.cuh, sort/keys.cuh, sort/radix_sweep.cuh,
//   sort/hybrid.cuh, sort/hybrid_count.cuh

template<class P, class T, bool DESCENDING> struct gp__hybrid_moving : gp__hybrid<P, T, DESCENDING> {
  typedef gp__hybrid<P, T, DESCENDING> Base;
  typedef typename Base::Key Key;
  typedef typename Base::Raw Raw;
  typedef typename Base::Code Code;
  static const int V = Base::V, ITEMS = Base::ITEMS, TILE = Base::TILE, THREADS = P::threads;
  static_assert(TILE < 65536 && ITEMS % 2 == 0, "slots have 16 bits");
  static const int DIGITS_A_THREAD = (256 + THREADS - 1) / THREADS;
  struct Storage {
    gp__u64 delta[256];
    gp__u32 count[256];
    gp__u32 total[32];
    Key key[1]; // TILE
  };
  Storage &s;
  const unsigned thread;
  GP_DEVICE gp__hybrid_moving(const Base &base, Storage &storage)
    : Base(base), s(storage), thread(gp__opaque_copy(threadIdx.x)) {}

  GP_DEVICE unsigned position(int i) const { return (unsigned(i) / V * THREADS + thread) * V + unsigned(i) % V; }
  // Computes the keys' slots within their digits, two a word. HOT: one lane counts for all lanes with the hot digit, or
  // with the first lane's digit if none is hot.
  template<bool HOT, class There>
  GP_DEVICE void rank(const Key (&keys)[ITEMS], gp__u32 (&slots)[ITEMS / 2], const There &there, Key low, int shift,
      gp__u32 hot) const {
    GP__EACH(i, ITEMS) {
      const gp__u32 digit = gp__u32((keys[i] - low) >> shift);
      gp__u32 slot = 0;
      if (!HOT) {
        if (there(i)) slot = atomicAdd(&s.count[digit], 1u);
      } else {
        const gp__u32 chosen = hot < 256 ? hot : gp_warp_broadcast(digit, 0);
        const bool is = there(i) && digit == chosen;
        const gp__u32 lanes = __ballot_sync(~0u, is), lead = lanes & (0u - lanes);
        if (is ? lead == 1u << gp_lane() : there(i))
          slot = atomicAdd(&s.count[digit], is ? gp__u32(__popc(lanes)) : 1u);
        const gp__u32 first = gp_warp_broadcast(slot, lanes ? __popc(lead - 1) : 0);
        if (is) slot = first + gp__lanes_before(lanes);
      }
      slots[i / 2] = i % 2 ? gp__opaque_copy(slots[i / 2] | slot << 16) : slot;
    }
  }
  template<class There>
  GP_DEVICE void scatter(
      const Key (&keys)[ITEMS], const gp__u32 (&slots)[ITEMS / 2], const There &there, Key low, int shift) const {
    GP__EACH(i, ITEMS)
      if (there(i)) {
        const gp__u32 digit = gp__u32((keys[i] - low) >> shift);
        s.key[s.count[digit] + (i % 2 ? slots[i / 2] >> 16 : slots[i / 2] & 0xffffu)] = keys[i];
      }
  }
  // Moves the n keys of one tile of the part.
  template<class There>
  GP_DEVICE void tile(
      const gp__hybrid_part &p, gp__u64 *bins, const Key (&keys)[ITEMS], const There &there, unsigned n) const {
    const Key low = Key(p.low);
    const int shift = p.shift;
    const unsigned digits = 1u << p.bits;
    gp__u32 slots[ITEMS / 2];
    GP__EACH(d, DIGITS_A_THREAD)
      if (thread * DIGITS_A_THREAD + d < digits) s.count[thread * DIGITS_A_THREAD + d] = 0;
    __syncthreads();
    const gp__u32 sample = gp__u32((keys[0] - low) >> shift);
    const gp__u32 alike = __ballot_sync(~0u, sample == gp_warp_broadcast(sample, 0));
    if (p.hot < 256 || __popc(alike) >= 6) rank<true>(keys, slots, there, low, shift, p.hot);
    else rank<false>(keys, slots, there, low, shift, p.hot);
    __syncthreads();
    gp__u32 count[DIGITS_A_THREAD], sum = 0;
    gp__u64 cursor[DIGITS_A_THREAD];
    GP__EACH(d, DIGITS_A_THREAD) {
      const unsigned digit = thread * DIGITS_A_THREAD + unsigned(d);
      count[d] = digit < digits ? s.count[digit] : 0;
      cursor[d] = count[d] ? gp__add_relaxed(bins + digit, gp__u64(count[d])) : 0;
      sum += count[d];
    }
    gp__u32 start = gp__sum_before<THREADS>(sum, s.total);
    GP__EACH(d, DIGITS_A_THREAD) {
      const unsigned digit = thread * DIGITS_A_THREAD + unsigned(d);
      if (digit < digits) {
        s.count[digit] = start;
        s.delta[digit] = cursor[d] - start;
      }
      start += count[d];
    }
    __syncthreads();
    scatter(keys, slots, there, low, shift);
    __syncthreads();
    Raw *out = this->to(p.source);
    GP__UNROLL_BY(8)
    for (unsigned q = thread; q < n; q += THREADS) {
      const Key key = s.key[q];
      out[s.delta[gp__u32((key - low) >> shift)] + q] = Code::decode(key);
    }
    __syncthreads();
  }
  GP_DEVICE void move(const gp__hybrid_part &p, gp__u64 *bins, gp__u32 x) const {
    const Raw *in = this->from(p.source);
    const gp__u64 base = p.begin - this->skew(p.source, p.begin) + gp__u64(x) * TILE; // may wrap below 0
    const gp__u64 left = p.end - base;
    const unsigned first = x ? 0 : this->skew(p.source, p.begin), end = left < TILE ? unsigned(left) : TILE;
    Key keys[ITEMS];
    if (first == 0 && end == TILE) {
      typename Base::Pack pack[P::vectors];
      GP__EACH(i, P::vectors)
        pack[i].vector = gp__load_vector<P::load>(in + base + (unsigned(i) * THREADS + thread) * V);
      GP__EACH(i, ITEMS) keys[i] = Code::encode(pack[i / V].item[i % V]);
      tile(
          p, bins, keys, [](int) { return true; }, TILE);
    } else {
      const auto there = [this, first, end](int i) { return position(i) >= first && position(i) < end; };
      GP__EACH(i, ITEMS) keys[i] = there(i) ? Code::encode(in[base + position(i)]) : Key(p.low);
      tile(p, bins, keys, there, end - first);
    }
  }
  // Fills a tile of the part in the output: its keys follow from the counts.
  GP_DEVICE void fill(const gp__hybrid_part &p, const gp__u64 *bins, gp__u32 x) const {
    Raw *out = gp__as<Raw>(this->a.out);
    const Key low = Key(p.low);
    const unsigned before = this->skew(p.source, p.begin), digits = 1u << p.bits;
    const gp__u64 stop = p.begin - before + gp__u64(x + 1) * TILE, end = stop < p.end ? stop : p.end;
    const gp__u64 begin = x ? stop - TILE : p.begin;
    if (p.mode == GP__PART_CONSTANT) {
      for (gp__u64 q = begin + thread; q < end; q += THREADS) out[q] = Code::decode(low);
      return;
    }
    for (unsigned d = thread; d < 256; d += THREADS) s.delta[d] = d < digits ? bins[d] : ~gp__u64(0);
    __syncthreads();
    for (gp__u64 q = begin + thread; q < end; q += THREADS) {
      unsigned digit = 0; // the last one that starts at q or before
      GP__UNROLL
      for (unsigned step = 128; step > 0; step /= 2)
        if (s.delta[digit + step] <= q) digit += step;
      out[q] = Code::decode(low + digit);
    }
    __syncthreads();
  }
};

// Moves pieces of pairs in order.
template<class P, class T, bool DESCENDING, class Value>
struct gp__hybrid_moving_pairs : gp__hybrid<P, T, DESCENDING, Value> {
  typedef gp__hybrid<P, T, DESCENDING, Value> Base;
  typedef typename Base::Key Key;
  typedef typename Base::Raw Raw;
  typedef typename Base::Code Code;
  typedef gp__tile_rank<P::threads> Rank;
  static const int ITEMS = Base::ITEMS, TILE = Base::TILE, THREADS = P::threads, AT_ONCE = ITEMS % 4 == 0 ? 4 : 2;
  static_assert(TILE < 65536 && ITEMS % AT_ONCE == 0, "the shape of a tile");
  struct Storage {
    gp_tile_rank_storage<THREADS> rank;
    gp__u32 offset[256]; // a digit's destination minus its position in the tile
  };
  struct Digit {
    Key low;
    int shift;
    gp__u32 mask;
    unsigned valid;
    GP_DEVICE gp__u32 operator()(Raw raw, int = 0) const { return gp__u32((Code::encode(raw) - low) >> shift) & mask; }
  };
  Storage &s;
  Raw *tile_keys;
  Value *tile_values;
  GP_DEVICE gp__hybrid_moving_pairs(const Base &base, Storage &storage, gp__u8 *shared)
    : Base(base), s(storage), tile_keys(gp__as<Raw>(shared)), tile_values(gp__as<Value>(shared + TILE * sizeof(Raw))) {}

  static GP_DEVICE unsigned valid(gp__u64 first, gp__u64 end) {
    return end - first < TILE ? unsigned(end - first) : TILE;
  }
  // Missing elements get the largest digit and come last.
  GP_DEVICE void load(Raw (&keys)[ITEMS], const Raw *from, unsigned valid, Raw padding) const {
    if (valid == TILE) {
      GP__EACH(i, ITEMS) keys[i] = from[gp_tile_warp_striped<ITEMS>(i)];
    } else {
      GP__EACH(i, ITEMS) {
        const unsigned k = gp_tile_warp_striped<ITEMS>(i);
        keys[i] = k < valid ? from[k] : padding;
      }
    }
  }
  // `in`: NULL (indices), or the value of the tile's first element.
  GP_DEVICE void load_values(Value (&values)[ITEMS], const Value *in, gp__u64 first, unsigned valid) const {
    if (!in) {
      GP__EACH(i, ITEMS) values[i] = gp__radix_value<Value>::index(first + gp_tile_warp_striped<ITEMS>(i));
    } else if (valid == TILE) {
      GP__EACH(i, ITEMS) values[i] = in[gp_tile_warp_striped<ITEMS>(i)];
    } else {
      GP__EACH(i, ITEMS) {
        const unsigned k = gp_tile_warp_striped<ITEMS>(i);
        values[i] = in[k < valid ? k : 0];
      }
    }
  }
  template<bool FULL> GP_DEVICE void store(const Digit &digit, Raw *out, Value *out_values) const {
    GP__UNROLL
    for (int i = 0; i < ITEMS; i += AT_ONCE) { // a few at a time: all reads, then all writes
      Raw keys[AT_ONCE];
      gp__u32 at[AT_ONCE];
      GP__EACH(j, AT_ONCE) {
        const unsigned k = unsigned(i + j) * THREADS + threadIdx.x;
        if (FULL || k < digit.valid) keys[j] = tile_keys[k];
      }
      GP__EACH(j, AT_ONCE) {
        const unsigned k = unsigned(i + j) * THREADS + threadIdx.x;
        if (FULL || k < digit.valid) at[j] = s.offset[digit(keys[j])] + k;
      }
      GP__EACH(j, AT_ONCE) {
        const unsigned k = unsigned(i + j) * THREADS + threadIdx.x;
        if (FULL || k < digit.valid) {
          out[at[j]] = keys[j];
          out_values[at[j]] = tile_values[k];
        }
      }
    }
  }
  // Moves elements [begin, end) of the part; places[d] is the destination of digit d's elements.
  GP_DEVICE void move(const gp__hybrid_part &p, const gp__u64 *places, gp__u64 begin, gp__u64 end) const {
    const Rank rank = {s.rank};
    const Raw *in = this->from(p.source);
    const Value *values_in = this->values_from(p.source);
    Raw *out = this->to(p.source);
    Value *values_out = this->values_to(p.source);
    const unsigned pair = threadIdx.x * Rank::PAIRS, digits = 1u << p.bits;
    gp__u32 even[Rank::PAIRS], odd[Rank::PAIRS]; // destinations of the next elements of the thread's digits
    GP__EACH(i, Rank::PAIRS) {
      const unsigned d = 2 * (pair + unsigned(i));
      even[i] = d < digits ? gp__u32(places[d]) : 0;
      odd[i] = d + 1 < digits ? gp__u32(places[d + 1]) : 0;
    }
    Digit digit = {Key(p.low), p.shift, digits - 1, 0};
    Raw keys[ITEMS];
    const Raw padding = Code::decode(digit.low + (Key(digits - 1) << digit.shift));
    Value values[ITEMS];
    load(keys, in + begin, valid(begin, end), padding);
    load_values(values, values_in ? values_in + begin : nullptr, begin, valid(begin, end));
    GP__UNROLL_BY(1)
    for (gp__u64 first = begin; first < end; first += TILE) {
      gp__u32 ranks[ITEMS], total[Rank::PAIRS], both = 0;
      digit.valid = valid(first, end);
      rank.within_warp(ranks, keys, digit);
      __syncthreads();
      GP__EACH(i, Rank::PAIRS) {
        total[i] = rank.counts() ? rank.total(pair + unsigned(i)) : 0;
        both += (total[i] & 0xffffu) + (total[i] >> 16);
      }
      gp__u32 before = rank.before(both);
      if (rank.counts()) {
        GP__EACH(i, Rank::PAIRS) {
          const unsigned d = 2 * (pair + unsigned(i)), evens = total[i] & 0xffffu, odds = total[i] >> 16;
          rank.start_at(pair + unsigned(i), before | (before + evens) << 16);
          s.offset[d] = even[i] - before;
          before += evens;
          s.offset[d + 1] = odd[i] - before;
          before += odds;
          even[i] += evens;
          odd[i] += odds;
        }
      }
      __syncthreads();
      gp__optimizer_barrier(digit.shift);
      GP__EACH(i, ITEMS) ranks[i] = rank.position(ranks[i], digit(keys[i], i));
      GP__EACH(i, ITEMS) {
        tile_keys[ranks[i]] = keys[i];
        tile_values[ranks[i]] = values[i];
      }
      const gp__u64 next = first + TILE;
      if (next < end) { // loads overlap this tile's stores
        load(keys, in + next, valid(next, end), padding);
        load_values(values, values_in ? values_in + next : nullptr, next, valid(next, end));
      }
      __syncthreads();
      if (digit.valid == TILE) store<true>(digit, out, values_out);
      else store<false>(digit, out, values_out);
    }
    __syncthreads();
  }
  static GP_DEVICE void run(const Base &base, gp__u8 *shared) {
    GP_SHARED(Storage, s);
    const gp__hybrid_moving_pairs h(base, s, shared);
    const gp__hybrid_share share(h.a.list[h.level], h.block);
    gp__u32 tile = share.tile;
    if (tile >= share.end) return;
    // The part's number goes through shared memory: where ptxas (CUDA 13.0) knows that it is uniform, it fails to find
    // enough uniform predicates for what follows.
    const gp__u32 found = gp__find_part<P::threads>(h.parts(), share.parts, tile);
    if (!threadIdx.x) s.offset[0] = found;
    __syncthreads();
    gp__u32 at = s.offset[0];
    __syncthreads();
    for (; tile < share.end; ++at) {
      const gp__hybrid_part p = h.parts()[at];
      const gp__u32 last = p.first_tile + p.tiles < share.end ? p.first_tile + p.tiles : share.end;
      const gp__u64 base = p.begin - h.skew(p.source, p.begin);
      const gp__u64 stop = base + gp__u64(last - p.first_tile) * TILE;
      if (p.mode == GP__PART_MOVES)
        h.move(p, h.bins_of(h.level) + gp__u64(at + h.block) * 256,
            tile > p.first_tile ? base + gp__u64(tile - p.first_tile) * TILE : p.begin, stop < p.end ? stop : p.end);
      tile = last;
    }
  }
};

// Does a block's share of a level's moves.
template<class P, class T, bool DESCENDING, class Value> struct gp__hybrid_mover {
  static GP_DEVICE void run(const gp__hybrid<P, T, DESCENDING, Value> &h, gp__u8 *shared) {
    gp__hybrid_moving_pairs<P, T, DESCENDING, Value>::run(h, shared);
  }
};
template<class P, class T, bool DESCENDING> struct gp__hybrid_mover<P, T, DESCENDING, gp__none> {
  static GP_DEVICE void run(const gp__hybrid<P, T, DESCENDING> &h, gp__u8 *shared) {
    typedef gp__hybrid_moving<P, T, DESCENDING> Moving;
    typename Moving::Storage &s = *gp__as<typename Moving::Storage>(shared);
    const gp__hybrid_share share(h.a.list[h.level], h.block);
    const gp__u64 counters = (h.a.list[h.level + 1] & 0xffffffffu) * 256; // counters of the next level
    gp__u64 *next_bins = h.bins_of(h.level + 1);
    for (gp__u64 i = gp__u64(h.block) * P::threads + threadIdx.x; i < counters; i += gp__u64(gridDim.x) * P::threads)
      next_bins[i] = 0;
    gp__u32 tile = share.tile;
    if (tile >= share.end) return;
    gp__u32 at = gp__find_part<P::threads>(h.parts(), share.parts, tile);
    while (tile < share.end) {
      const gp__hybrid_part p = h.parts()[at];
      gp__u64 *bins = h.bins_of(h.level) + gp__u64(at) * 256;
      const gp__u32 stop = p.first_tile + p.tiles < share.end ? p.first_tile + p.tiles : share.end;
      if (p.mode == GP__PART_MOVES)
        for (; tile < stop; ++tile) Moving(h, s).move(p, bins, tile - p.first_tile);
      else if (p.mode != GP__PART_STAYS)
        for (; tile < stop; ++tile) Moving(h, s).fill(p, bins, tile - p.first_tile);
      tile = stop;
      ++at;
    }
  }
};
template<class P, class T, bool DESCENDING, class Value = gp__none>
GP_DEVICE void gp__hybrid_move(const gp__hybrid_args &a) {
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (!gp__is_chosen(a.choice, GP__CHOSE_HYBRID)) return;
  const gp__hybrid<P, T, DESCENDING, Value> h = {a, a.level, blockIdx.x};
  gp__hybrid_mover<P, T, DESCENDING, Value>::run(h, shared);
}
