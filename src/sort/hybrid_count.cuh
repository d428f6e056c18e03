// sort/hybrid_count.cuh - hybrid sort: counts
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, sort/hybrid_policy.h, sort/hybrid_arguments.h,
//   device/types.cuh, device/operators.cuh, device/warp.cuh, device/tile_sort.cuh, device/look_back.cuh,
//   device/kernel.cuh, sort/keys.cuh, sort/hybrid.cuh

// Finds a tile's part: the last one whose first tile is not after it. All threads of the block call.
template<int THREADS> GP_DEVICE gp__u32 gp__find_part(const gp__hybrid_part *parts, gp__u32 count, gp__u32 tile) {
  gp__u32 low = 0, left = count; // in [low, low + left)
  while (left > 1) {
    const gp__u32 step = (left + THREADS - 1) / THREADS, ahead = (threadIdx.x + 1) * step;
    const gp__u32 passed = gp__u32(__syncthreads_count(ahead < left && parts[low + ahead].first_tile <= tile));
    low += passed * step;
    left -= passed * step;
    if (left > step) left = step;
  }
  return low;
}

// Returns the sum of x over the threads before. Contains a barrier; one more must precede the next use of `total`.
template<int THREADS, class N> GP_DEVICE N gp__sum_before(N x, N *total) {
  const N up_to = gp_warp_inclusive_scan(x, gp_sum<N>());
  if (gp_lane() == 31) total[gp_warp()] = up_to;
  __syncthreads();
  const N own = gp_lane() < THREADS / 32 ? total[gp_lane()] : 0;
  return gp_warp_broadcast(gp_warp_inclusive_scan(own, gp_sum<N>()) - own, int(gp_warp())) + up_to - x;
}

// Tiles are dealt evenly; a block's tiles are consecutive.
struct gp__hybrid_share {
  gp__u32 parts, tile, end;
  GP_DEVICE gp__hybrid_share(gp__u64 list, gp__u32 block) {
    const gp__u32 tiles = gp__u32(list >> 32), each = tiles / gridDim.x, more = tiles % gridDim.x;
    parts = gp__u32(list);
    tile = block * each + (block < more ? block : more);
    end = tile + each + (block < more ? 1 : 0);
  }
  static GP_DEVICE gp__u32 block_of(gp__u64 list, gp__u32 tile) {
    const gp__u32 tiles = gp__u32(list >> 32), each = tiles / gridDim.x, more = tiles % gridDim.x;
    const gp__u32 larger = more * (each + 1); // tiles of the blocks with one more
    return tile < larger ? tile / (each + 1) : more + (tile - larger) / each;
  }
};

template<int THREADS> struct gp__hybrid_count_storage {
  gp__u32 counter[256 * 32]; // each lane has its own: digit * 32 + lane
  gp__u64 total[THREADS / 32];
  gp__u64 start[257], window[256];
  gp__u64 least[THREADS / 32], most[THREADS / 32];
  gp__u64 some[THREADS]; // count of a digit in some of the pieces
  gp__ticket ticket;
  gp__hybrid_part whole; // the input as a part
  gp__u32 groups[THREADS / 32], next[512];
  gp__u32 hot;
  bool last;
};

template<class P, class T, bool DESCENDING, int THREADS, class Value>
struct gp__hybrid_counting : gp__hybrid<P, T, DESCENDING, Value> {
  typedef gp__hybrid<P, T, DESCENDING, Value> Base;
  typedef typename Base::Key Key;
  typedef typename Base::Raw Raw;
  typedef typename Base::Code Code;
  typedef gp__hybrid_count_storage<THREADS> Storage;
  static const int V = Base::V;
  static_assert(THREADS >= 256, "a thread a digit");
  Storage &s;
  static_assert(sizeof(Storage) == gp__hybrid_count_bytes(THREADS), "shared memory");
  GP_DEVICE gp__hybrid_counting(const gp__hybrid_args &args, int of_level, gp__u32 of_block, Storage &storage)
    : Base{args, of_level, of_block}, s(storage) {}

  // Counts the keys [begin, end) of the part.
  GP_DEVICE void count(const gp__hybrid_part &p, gp__u64 begin, gp__u64 end, Key &least, Key &most) const {
    const Raw *in = this->from(p.source);
    const Key low = Key(p.low);
    const int shift = p.shift;
    gp__u32 *own = s.counter + gp_lane();
    const auto add = [&](Raw raw) {
      const Key key = Code::encode(raw);
      least = key < least ? key : least;
      most = key > most ? key : most;
      atomicAdd(own + gp__u32((key - low) >> shift) * 32, 1u);
    };
    const unsigned before = this->skew(p.source, begin);
    gp__u64 head = before ? V - before : 0; // keys before the first whole vector
    if (head > end - begin) head = end - begin;
    const gp__u64 vectors = (end - begin - head) / V;
    const Raw *first = in + begin + head;
    if (threadIdx.x < head) add(in[begin + threadIdx.x]);
    const int AT_ONCE = 8;
    gp__u64 v = 0;
    for (; v + AT_ONCE * THREADS <= vectors; v += AT_ONCE * THREADS) {
      typename Base::Pack pack[AT_ONCE];
      GP__EACH(i, AT_ONCE)
        pack[i].vector = gp__load_vector<P::load>(first + (v + unsigned(i) * THREADS + threadIdx.x) * V);
      GP__EACH(i, AT_ONCE) {
        GP__EACH(j, V) add(pack[i].item[j]);
      }
    }
    for (v += threadIdx.x; v < vectors; v += THREADS) {
      typename Base::Pack pack;
      pack.vector = gp__load_vector<P::load>(first + v * V);
      GP__EACH(j, V) add(pack.item[j]);
    }
    const gp__u64 tail = begin + head + vectors * V;
    if (threadIdx.x < end - tail) add(in[tail + threadIdx.x]);
  }
  // Returns how many keys of the part have this thread's digit.
  GP_DEVICE gp__u64 count_pieces(const gp__u64 *pieces, gp__u32 count, unsigned digits, int bits) const {
    const unsigned sharing = THREADS >> bits, each = (count + sharing - 1) / sharing, of = threadIdx.x >> bits;
    const unsigned first = of * each < count ? of * each : count, end = first + each < count ? first + each : count;
    gp__u64 sum = 0;
    GP__UNROLL_BY(8)
    for (unsigned i = first; i < end; ++i)
      sum += gp__load_relaxed(pieces + gp__u64(i) * 256 + (threadIdx.x & (digits - 1)));
    s.some[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned i = threadIdx.x; i < THREADS && threadIdx.x < digits; i += digits) sum += s.some[i];
    return sum;
  }
  // Turns counters into places. s.start[digit] is the start of the digit's keys within the part.
  GP_DEVICE void place_pieces(gp__u64 *pieces, gp__u32 count, unsigned digits, int bits, gp__u64 begin) const {
    const int AT_ONCE = 8;
    const unsigned sharing = THREADS >> bits, each = (count + sharing - 1) / sharing, of = threadIdx.x >> bits;
    const unsigned first = of * each < count ? of * each : count, end = first + each < count ? first + each : count;
    const unsigned digit = threadIdx.x & (digits - 1);
    gp__u64 at = begin + s.start[digit];
    for (unsigned i = digit; i < threadIdx.x; i += digits) at += s.some[i];
    for (unsigned i = first; i < end; i += AT_ONCE) {
      gp__u64 own[AT_ONCE];
      GP__EACH(j, AT_ONCE) own[j] = i + j < end ? gp__load_relaxed(pieces + gp__u64(i + j) * 256 + digit) : 0;
      GP__EACH(j, AT_ONCE) {
        if (i + j < end) gp__store_relaxed(pieces + gp__u64(i + j) * 256 + digit, at);
        at += own[j];
      }
    }
  }
  // Adds items that copy sorted elements to the output, a block's worth each, unless they are there already.
  GP_DEVICE void add_copies(gp__u64 begin, gp__u64 size, gp__u32 source) const {
    if (source == GP__FROM_OUT) return;
    for (gp__u64 at = gp__u64(threadIdx.x) * this->a.capacity; at < size; at += gp__u64(THREADS) * this->a.capacity) {
      const gp__u64 left = size - at;
      this->add_item(begin + at, left < this->a.capacity ? gp__u32(left) : this->a.capacity, 0, 0, source);
    }
  }
  // Groups neighbouring buckets that a block sorts together. A bucket with more keys than half a block sorts is alone;
  // other groups take, from the first bucket on, as many as fit. No group spans more bits than a block sorts. s.window
  // has each bucket's start and must be visible to all threads; `start` and `count` are those of this thread's digit.
  GP_DEVICE void make_groups(const gp__hybrid_part &p, gp__u64 start, gp__u64 count, unsigned digits) const {
    const unsigned t = threadIdx.x;
    const gp__u64 begin = p.begin, size = p.end - begin;
    const int shift = p.shift, bits = this->WIDEST - shift, spans = bits < 0 ? 0 : bits < 8 ? bits : 8;
    gp__u32 *next = s.next, *heads = s.next + 256; // next: bucket after a group that starts here; heads: one does
    if (t < digits) {
      unsigned low = t + 1, high = t + (1u << spans) < digits ? t + (1u << spans) : digits;
      while (low < high) { // finds the last end of the group that fits
        const unsigned middle = (low + high + 1) / 2;
        const gp__u64 end = middle < digits ? s.window[middle] : size;
        if (end - start <= this->a.capacity) low = middle;
        else high = middle - 1;
      }
      next[t] = low;
      heads[t] = t == 0;
    }
    __syncthreads();
    for (unsigned jumps = 1; jumps < digits; jumps *= 2) { // heads under `jumps` groups from the first one are known
      const gp__u32 to = t < digits ? next[t] : digits, behind = to < digits ? next[to] : digits;
      const bool is = t < digits && heads[t];
      __syncthreads();
      if (t < digits) next[t] = behind;
      if (is && to < digits) heads[to] = 1;
      __syncthreads();
    }
    const gp__u64 half = this->a.capacity / 2;
    const gp__u64 count_before = t > 0 && t < digits ? start - s.window[t - 1] : 0;
    const bool head = t < digits && (heads[t] || count > half || count_before > half);
    const gp__u32 group = gp__sum_before<THREADS>(head ? 1u : 0u, s.groups);
    const unsigned groups = unsigned(__syncthreads_count(head));
    if (head) s.start[group] = start | gp__u64(t) << 48;
    if (t == 0) s.start[groups] = size | gp__u64(digits) << 48;
    __syncthreads();
    if (head) {
      const gp__u64 next = s.start[group + 1], keys = (next & 0xffffffffffffull) - start;
      const unsigned span = unsigned(next >> 48) - t;
      const gp__u32 source = this->next_source(p.source);
      const Key from = Key(p.low) + (Key(t) << shift);
      if (keys > this->a.capacity || (keys && shift > this->WIDEST))
        this->append(begin + start, keys, from, shift, source, p.depth + 1u);
      else if (keys) this->add_item(begin + start, gp__u32(keys), from, shift + gp__width<gp__u32>(span - 1), source);
    }
    __syncthreads();
  }
  // Plans a part of pairs that is all counted: its buckets become parts or items.
  GP_DEVICE void plan_pairs(gp__hybrid_part &p, gp__u64 *pieces, gp__u32 count_of_pieces) const {
    const unsigned t = threadIdx.x, digits = 1u << p.bits;
    const gp__u64 begin = p.begin, size = p.end - begin;
    const gp__u32 source = this->next_source(p.source);
    const gp__u64 least = gp__load_relaxed(&p.least), most = gp__load_relaxed(&p.most);
    const gp__u64 count = count_pieces(pieces, count_of_pieces, digits, p.bits);
    const gp__u64 start = gp__sum_before<THREADS>(count, s.total);
    const bool constant = least == most, whole = __syncthreads_or(t < digits && count == size);
    if (t == 0) p.mode = constant || whole ? GP__PART_STAYS : GP__PART_MOVES;
    if (constant) {
      add_copies(begin, size, p.source);
      return;
    }
    if (whole) {
      if (t == 0) this->append(begin, size, Key(least), gp__width(Key(most - least)), p.source, p.depth);
      return;
    }
    if (t < digits) {
      s.start[t] = start;
      s.window[t] = start;
    }
    __syncthreads();
    place_pieces(pieces, count_of_pieces, digits, p.bits, begin);
    __syncthreads();
    if (p.shift == 0) { // the move brings them into order
      add_copies(begin, size, source);
      return;
    }
    make_groups(p, start, count, digits);
  }
  // Plans a part of keys that is all counted: its buckets become parts, items, or runs to fill.
  GP_DEVICE void plan(gp__hybrid_part &p, gp__u64 *bins) const {
    const unsigned t = threadIdx.x, digits = 1u << p.bits;
    const gp__u64 begin = p.begin, size = p.end - begin;
    const int shift = p.shift;
    const gp__u64 least = gp__load_relaxed(&p.least), most = gp__load_relaxed(&p.most);
    const gp__u64 count = t < digits ? gp__load_relaxed(bins + t) : 0;
    if (t == 0) s.hot = 256;
    const gp__u64 start = gp__sum_before<THREADS>(count, s.total);
    const bool constant = least == most, whole = __syncthreads_or(count == size);
    const unsigned most_of = this->a.capacity + (this->BITS > 32 ? this->a.capacity / 8 : 0); // a level more is cheaper
    if (chooses() && __syncthreads_or(!constant && count > most_of)) {
      if (t == 0) *this->a.choice = GP__CHOSE_ONE_SWEEP;
      return;
    }
    if (t == 0)
      p.mode = constant ? GP__PART_CONSTANT : shift == 0 ? GP__PART_COUNTED : whole ? GP__PART_STAYS : GP__PART_MOVES;
    if (constant || shift == 0 || whole) {
      if (constant && t == 0) p.low = least;
      else if (constant) return;
      else if (shift == 0 && t < digits) gp__store_relaxed(bins + t, begin + start);
      else if (shift != 0 && t == 0)
        this->append(begin, size, Key(least), gp__width(Key(most - least)), p.source, p.depth);
      return;
    }
    if (t < digits) {
      gp__store_relaxed(bins + t, begin + start); // the cursor of the keys that move
      s.window[t] = start;
      if (count > size / 4) atomicExch(&s.hot, t); // one of up to three
    }
    __syncthreads();
    if (t == 0) p.hot = s.hot;
    make_groups(p, start, count, digits);
  }
  // Counts tiles [first, last) of the level's part `at`; `p` has its constant fields. The block that counts a part's
  // last tiles plans it. FIRST: the counters are zero once the first block has published its word.
  template<bool FIRST>
  GP_DEVICE void count_tiles(const gp__hybrid_part &p, gp__u32 at, gp__u32 first, gp__u32 last) const {
    gp__hybrid_part &part = this->parts()[at];
    gp__u64 *bins = this->bins_of(this->level) + gp__u64(at + (this->PAIRS ? this->block : 0)) * 256;
    const unsigned digits = 1u << p.bits;
    const gp__u64 base = p.begin - this->skew(p.source, p.begin), stop = base + gp__u64(last) * this->TILE;
    const gp__u64 begin = first ? base + gp__u64(first) * this->TILE : p.begin, end = stop < p.end ? stop : p.end;
    Key least = ~Key(0), most = 0;
    for (unsigned i = threadIdx.x; i < digits * 32; i += THREADS) s.counter[i] = 0;
    __syncthreads();
    count(p, begin, end, least, most);
    least = gp_warp_reduce(least, gp_min<Key>());
    most = gp_warp_reduce(most, gp_max<Key>());
    if (FIRST && !threadIdx.x) {
      gp__receive<gp__u64>(gp__words(this->a.workspace), 0, s.ticket.tag);
      __threadfence();
    }
    __syncthreads();
    if (!gp_lane()) {
      atomicMin(&part.least, gp__u64(least));
      atomicMax(&part.most, gp__u64(most));
    }
    for (unsigned d = threadIdx.x; d < digits; d += THREADS) {
      gp__u64 sum = 0;
      for (unsigned i = 0; i < 32; ++i) sum += s.counter[d * 32 + ((i + threadIdx.x) & 31u)];
      if (this->PAIRS) gp__store_relaxed(bins + d, sum);
      else if (sum) gp__add_relaxed(bins + d, sum);
    }
    const gp__u32 tiles = p.tiles, first_tile = p.first_tile;
    __syncthreads();
    if (!threadIdx.x) { // for the whole block
      __threadfence();
      s.last = atomicAdd(&part.done, last - first) + (last - first) == tiles;
      __threadfence();
    }
    __syncthreads();
    if (s.last) {
      if (this->PAIRS) {
        const gp__u64 list = FIRST ? gp__u64(tiles) << 32 | 1u : this->a.list[this->level];
        const gp__u32 from = gp__hybrid_share::block_of(list, first_tile),
                      to = gp__hybrid_share::block_of(list, first_tile + tiles - 1);
        plan_pairs(part, this->bins_of(this->level) + gp__u64(at + from) * 256, to - from + 1);
      } else plan(part, bins);
    }
    __syncthreads();
  }
  GP_DEVICE void later_level() const {
    const gp__hybrid_share share(this->a.list[this->level], this->block);
    gp__u32 tile = share.tile;
    if (tile >= share.end) return;
    gp__u32 at = gp__find_part<THREADS>(this->parts(), share.parts, tile);
    for (; tile < share.end; ++at) {
      const gp__hybrid_part &p = this->parts()[at];
      const gp__u32 first = tile - p.first_tile, left = share.end - p.first_tile;
      const gp__u32 last = left < p.tiles ? left : p.tiles;
      count_tiles<false>(p, at, first, last);
      tile += last - first;
    }
  }
  // True if this count chooses: adaptive sorts in which uniform keys need one level. It chooses hybrid, unless a bucket
  // is too large for a block.
  GP_DEVICE bool chooses() const { return !this->PAIRS && this->a.choice && !this->a.sample; }
  // The whole input is one part or one item. The first block clears the lists and the counters.
  GP_DEVICE void first_level() const {
    const gp__u64 n = gp__count(this->a);
    const bool fits = n <= this->a.capacity && this->BITS <= this->WIDEST;
    if (!threadIdx.x) {
      s.ticket = gp__draw(this->a.workspace, gridDim.x);
      this->describe(s.whole, 0, 0, n, 0, this->BITS, GP__FROM_IN, 0, 0);
    }
    __syncthreads();
    if (s.ticket.number == 0) {
      if (threadIdx.x < GP__HYBRID_LIST) this->a.list[threadIdx.x] = 0;
      for (unsigned i = threadIdx.x; i < 256; i += THREADS) this->a.bins[i] = 0;
      __syncthreads();
      if (!threadIdx.x) {
        if (n && fits) this->add_item(0, gp__u32(n), 0, this->BITS, GP__FROM_IN);
        else if (n) {
          this->a.list[0] = gp__u64(s.whole.tiles) << 32 | 1u;
          this->parts()[0] = s.whole;
        }
        if (chooses()) *this->a.choice = GP__CHOSE_HYBRID;
        __threadfence();
        gp__publish(gp__words(this->a.workspace), 0, gp__u64(1), s.ticket.tag);
      }
    }
    if (n == 0 || fits) return;
    const gp__hybrid_share share(gp__u64(s.whole.tiles) << 32 | 1u, this->block);
    if (share.tile < share.end) count_tiles<true>(s.whole, 0, share.tile, share.end);
  }
};

template<class P, class T, bool DESCENDING, int THREADS, class Value = gp__none>
GP_DEVICE void gp__hybrid_count(const gp__hybrid_args &a) {
  GP_SHARED(gp__hybrid_count_storage<THREADS>, s);
  gp__pdl_wait<P>();
  const gp__hybrid_counting<P, T, DESCENDING, THREADS, Value> h(a, a.level, blockIdx.x, s);
  if (!h.chooses() && !gp__is_chosen(a.choice, GP__CHOSE_HYBRID)) return;
  if (a.level == 0) h.first_level();
  else h.later_level();
}
