// segmented_sort/long.cuh - long segments
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, segmented_sort/policy.h,
//   segmented_sort/arguments.h, device/operators.cuh, device/warp.cuh, device/lanes.cuh, device/tile_reduce.cuh,
//   device/tile_sort.cuh, device/look_back.cuh, device/kernel.cuh, segmented_sort/items.cuh, segmented_sort/arrays.cuh,
//   segmented_sort/short.cuh

template<int THREADS> struct gp__block_sort_storage {
  struct {
    gp__u64 value;
    int done, last, few;
  } task;
  gp_tile_scan_storage<THREADS, gp__u64> scan;
  gp__u32 start[GP__DIGITS]; // start of a digit's elements in the tile
  gp__u64 to[GP__DIGITS]; // their destination minus `start`
  gp__u64 next[GP__DIGITS + 1];
  gp__u8 small[GP__DIGITS];
};

template<class P, class K, class S, bool INDEXED> struct gp__block_sorter : gp__sorted_elements<K, S, INDEXED> {
  typedef gp__sorted_elements<K, S, INDEXED> Elements;
  typedef gp__block_sort_shape<P, K, S, INDEXED> Shape;
  typedef typename Elements::Bits Bits;
  typedef typename Elements::V V;
  typedef typename Elements::Item Item;
  typedef typename Elements::C C;
  static const int T = Shape::THREADS, WARPS = Shape::WARPS, ITEMS = Shape::ITEMS, PART = 32 * ITEMS;
  static const int CAPACITY = Shape::CAPACITY;
  typedef gp__block_sort_storage<T> Storage;
  Storage &s;
  gp__u8 *room; // dynamic shared memory
  gp__u64 tag;

  GP_DEVICE gp__block_sorter(const gp__segmented_sort_args &args, Storage &storage, gp__u8 *shared)
    : Elements(args), s(storage), room(shared), tag(args.header ? args.header->tag : 0) {}

  GP_DEVICE C *item_at(gp__u32 i) const { return gp__as<C>(room) + gp__bank_padded<C>::at(i); }
  GP_DEVICE gp__u32 digit(Bits raw, gp__u64 shift) const {
    return gp__u32(this->field(raw) >> shift) & (GP__DIGITS - 1);
  }

  // Sorts n elements, 1 to T * N, from `begin` on, into the output. All threads call.
  template<int N> GP_DEVICE void sort_up_to(int source, gp__u64 begin, gp__u32 n) const {
    const gp__u32 PART = 32 * N;
    const Bits *in = this->keys(source) + begin;
    const gp__u32 first = gp_warp() * PART;
    C x[N];
    if (first < n) {
      GP__EACH(i, N) {
        const gp__u32 k = first + i * 32 + gp_lane();
        x[i] = k < n ? Item::make(this->field(in[k]), k) : Item::last();
      }
      gp__sort_lanes<Item>(x, 32);
      GP__EACH(i, N) *item_at(threadIdx.x * N + i) = x[i];
    }
    __syncthreads();
    const gp__u32 all = (n + PART - 1) / PART * PART, own = threadIdx.x * N;
    for (gp__u32 width = PART; width < n; width *= 2) { // merge path: Green, McColl and Bader
      const gp__u32 low = own / (2 * width) * (2 * width), middle = low + width < all ? low + width : all;
      const gp__u32 high = low + 2 * width < all ? low + 2 * width : all, diagonal = own - low;
      if (own < all) {
        gp__u32 from = diagonal > high - middle ? diagonal - (high - middle) : 0;
        gp__u32 to = diagonal < middle - low ? diagonal : middle - low;
        while (from < to) {
          const gp__u32 half = (from + to) / 2;
          if (Item::less(*item_at(middle + diagonal - 1 - half), *item_at(low + half))) to = half;
          else from = half + 1;
        }
        gp__u32 i = low + from, j = middle + diagonal - from;
        C left = i < middle ? *item_at(i) : Item::last(), right = j < high ? *item_at(j) : Item::last();
        GP__EACH(k, N) {
          const bool second = j < high && (i >= middle || Item::less(right, left));
          x[k] = second ? right : left;
          if (k + 1 == N) break;
          if (second) ++j;
          else ++i;
          const C fresh = second ? (j < high ? *item_at(j) : Item::last()) : (i < middle ? *item_at(i) : Item::last());
          if (second) right = fresh;
          else left = fresh;
        }
      }
      __syncthreads();
      if (own < all) {
        GP__EACH(k, N) *item_at(own + k) = x[k];
      }
      __syncthreads();
    }
    GP__EACH(i, N)
      if (i * T + threadIdx.x < n) x[i] = *item_at(i * T + threadIdx.x);
    store(x, source, begin, n);
  }
  // Stores n sorted items, x[i] at i * T + threadIdx.x, and their values.
  template<int N> GP_DEVICE void store(const C (&x)[N], int source, gp__u64 begin, gp__u32 n) const {
    Bits *out = this->keys_to(2) + begin;
    if (!INDEXED || this->a.whole) {
      GP__EACH(i, N)
        if (i * T + threadIdx.x < n) out[i * T + threadIdx.x] = this->decode(Item::bits(x[i]));
    } else {
      Bits *stage = gp__as<Bits>(room);
      __syncthreads();
      for (gp__u32 k = threadIdx.x; k < n; k += T) stage[k] = this->keys(source)[begin + k];
      __syncthreads();
      GP__EACH(i, N)
        if (i * T + threadIdx.x < n) out[i * T + threadIdx.x] = stage[Item::index(x[i])];
    }
    if (!S::any) return;
    V *values = this->values_to(2) + begin;
    __syncthreads();
    if (Shape::STAGED) {
      V *stage = gp__as<V>(room);
      for (gp__u32 k = threadIdx.x; k < n; k += T) stage[k] = this->value(source, begin + k);
      __syncthreads();
      GP__EACH(i, N)
        if (i * T + threadIdx.x < n) values[i * T + threadIdx.x] = stage[Item::index(x[i])];
    } else {
      V v[N];
      GP__EACH(i, N)
        if (i * T + threadIdx.x < n) v[i] = this->value(source, begin + Item::index(x[i]));
      __syncthreads();
      GP__EACH(i, N)
        if (i * T + threadIdx.x < n) values[i * T + threadIdx.x] = v[i];
    }
  }

  // Sorts by counting, in bins from the smallest to the largest item; false if a bin has too many. COUNTS: items are
  // scalars.
  template<bool COUNTS, int N> struct Counting {
    static GP_DEVICE bool sort(const gp__block_sorter &, int, gp__u64, gp__u32) { return false; }
  };
  template<int N> struct Counting<true, N> {
    typedef gp__tile_sort<C, T, N, Shape::LOG2_BINS> Sort;
    typedef typename Sort::Storage Bins;
    // The place in the segment follows a key's bits at once, not as in Item: bins then divide equal keys, too.
    static const int PLACE_BITS = gp__long_log2_bins(2 * CAPACITY - 1), CROWD = 16;
    static GP_DEVICE C pack(const gp__block_sorter &b, Bits raw, gp__u32 place) {
      return INDEXED ? C(b.field(raw)) << PLACE_BITS | place : C(b.encode(raw));
    }
    static GP_DEVICE C unpack(C x) { return Item::make(Bits(x >> PLACE_BITS), gp__u32(x) & ((1u << PLACE_BITS) - 1)); }
    static GP_DEVICE float value(const gp__block_sorter &b, C x) {
      return gp__bin_value<K>::of(b.decode(Bits(x >> PLACE_BITS)));
    }
    static GP_DEVICE bool sort(const gp__block_sorter &b, int source, gp__u64 begin, gp__u32 n) {
      const unsigned thread = gp__opaque_copy(threadIdx.x);
      const Sort sort = {*gp__as<Bins>(b.room), thread};
      const Bits *in = b.keys(source) + begin;
      C x[N], least = Item::last(), most = 0;
      GP__EACH(i, N) {
        const gp__u32 k = unsigned(i) * T + thread;
        x[i] = k < n ? pack(b, in[k], k) : Item::last();
        least = x[i] < least ? x[i] : least;
        most = k < n && x[i] > most ? x[i] : most;
      }
      sort.clear();
      least = gp_warp_reduce(least, gp_min<C>());
      most = gp_warp_reduce(most, gp_max<C>());
      if (!gp_lane()) sort.s.least[gp_warp()] = least, sort.s.most[gp_warp()] = most;
      __syncthreads();
      const unsigned w = gp_lane() < unsigned(WARPS) ? gp_lane() : 0;
      least = gp_warp_broadcast(gp_warp_reduce(sort.s.least[w], gp_min<C>()), 0);
      most = gp_warp_broadcast(gp_warp_reduce(sort.s.most[w], gp_max<C>()), 0);
      const int width = gp__width(C(most - least)), shift = width > Shape::LOG2_BINS ? width - Shape::LOG2_BINS : 0;
      const auto there = [=](int i) { return i >= 0 && unsigned(i) * T + thread < n; };
      if (!INDEXED) {
        sort.scatter(x, 0, there, n, least, shift);
        if (!sort.finish(shift)) sort.merge(n);
      } else {
        // Bits of floating-point keys are uneven where the keys are even.
        const float low = value(b, least), scale = float(Bins::BINS - 1) / (value(b, most) - low);
        const bool even = gp__bin_value<K>::any && b.a.whole && scale * 0 == 0;
        const auto bin = [=](C key) { return even ? C((value(b, key) - low) * scale) : C((key - least) >> shift); };
        if (!sort.scatter_unless(CROWD, x, there, n, bin)) return false;
        while (!sort.finish(even ? 1 : shift, n)) {} // each key moves up to the length of its bin
      }
      Bits *out = b.keys_to(2) + begin;
      GP__EACH(i, N) {
        const gp__u32 k = unsigned(i) * T + thread;
        if (INDEXED) x[i] = k < n ? unpack(sort.s.key[Bins::slot(k)]) : C();
        else if (k < n) out[k] = b.decode(Bits(sort.s.key[Bins::slot(k)]));
      }
      if (INDEXED) b.store(x, source, begin, n);
      return true;
    }
  };

  // Sorts 1 to CAPACITY elements. Few elements are also spread over all threads.
  GP_DEVICE void sort(int source, gp__u64 begin, gp__u32 n) const {
    const int QUARTER = ITEMS >= 8 ? ITEMS / 4 : 2, COUNTED = Shape::BINNED ? int(Shape::BINNED) : 1;
    const bool COUNTS = Shape::BINNED > 0;
    if (n > T * QUARTER && n <= T * COUNTED && Counting<COUNTS, COUNTED>::sort(*this, source, begin, n)) return;
    if (n <= T * QUARTER) sort_up_to<QUARTER>(source, begin, n);
    else if (!COUNTS || INDEXED) sort_up_to<ITEMS>(source, begin, n);
  }

  // Lowest bit of the digit that partitions a bucket next, from the bits below `bits` in which its keys differ; -1:
  // none.
  static GP_DEVICE int next_shift(gp__u64 differ, gp__u64 bits) {
    differ &= bits < 64 ? (1ull << bits) - 1 : ~0ull;
    if (!differ) return -1;
    const int top = 63 - __clzll(gp__i64(differ));
    return top >= GP__RADIX_BITS ? top - (GP__RADIX_BITS - 1) : 0;
  }
  // True in the last of `all` blocks to arrive. All threads call; the last block sees what the others wrote before.
  GP_DEVICE bool is_last(gp__u64 *counter, gp__u64 all) const {
    __syncthreads();
    if (!threadIdx.x) {
      __threadfence();
      s.task.last = gp__add_relaxed(counter, 1) == all - 1;
      __threadfence();
    }
    __syncthreads();
    return s.task.last != 0;
  }
  static GP_DEVICE gp__u64 tiles_of(const gp__sort_bucket &b) { return (b.count + CAPACITY - 1) / CAPACITY; }
  static GP_DEVICE gp__u64 groups_of(const gp__sort_bucket &b) {
    return (tiles_of(b) + GP__COUNT_TILES - 1) / GP__COUNT_TILES;
  }

  // Counts the digits of a group of tiles. Stores the group's counts, and for each tile those of the tiles before it in
  // the group.
  GP_DEVICE void count(gp__u64 number, gp__u64 group) const {
    gp__sort_bucket &b = this->a.buckets[number];
    const gp__u64 tiles = tiles_of(b), shift = b.shift;
    const Bits *in = this->keys(int(b.source)) + b.begin;
    gp__u32 *counts = gp__as<gp__u32>(room), *mine = counts + gp_warp() * GP__DIGITS;
    Bits ones = 0, zeros = Bits(~Bits(0));
    gp__u32 up_to = 0;
    for (unsigned i = gp_lane(); i < GP__DIGITS; i += 32) mine[i] = 0;
    __syncwarp();
    for (gp__u64 t = group * GP__COUNT_TILES; t < tiles && t < (group + 1) * GP__COUNT_TILES; ++t) {
      const gp__u64 left = b.count - t * CAPACITY;
      const gp__u32 n = left < gp__u64(CAPACITY) ? gp__u32(left) : CAPACITY;
      const int AT_ONCE = ITEMS < 8 ? ITEMS : 8;
      GP__UNROLL_BY(1)
      for (gp__u32 first = threadIdx.x; first < CAPACITY; first += AT_ONCE * T) {
        Bits x[AT_ONCE];
        GP__EACH(i, AT_ONCE)
          if (first + i * T < n) x[i] = in[t * CAPACITY + first + i * T];
        GP__EACH(i, AT_ONCE) {
          const bool there = first + i * T < n;
          gp__u32 d = GP__DIGITS;
          if (there) {
            const Bits f = this->field(x[i]);
            ones |= f;
            zeros &= f;
            d = gp__u32(f >> shift) & (GP__DIGITS - 1);
          }
          const gp__u32 lead = gp_warp_broadcast(d, 0);
          if (__all_sync(~0u, d == lead)) { // few distinct keys
            if (!gp_lane() && there) atomicAdd(mine + d, 32u);
          } else if (there) atomicAdd(mine + d, 1u);
        }
      }
      __syncthreads();
      if (threadIdx.x < GP__DIGITS) {
        gp__u32 sum = 0;
        for (int w = 0; w < WARPS; ++w) sum += counts[w * GP__DIGITS + threadIdx.x];
        this->a.tile_counts[(b.first_tile + t) * GP__DIGITS + threadIdx.x] = up_to;
        up_to = sum;
      }
      __syncthreads();
    }
    if (threadIdx.x < GP__DIGITS) this->a.group_counts[(b.first_group + group) * GP__DIGITS + threadIdx.x] = up_to;
    gp__u64 one = ones, zero = zeros;
    GP__UNROLL
    for (unsigned d = 16; d > 0; d /= 2) one |= gp_warp_exchange(one, int(d)), zero &= gp_warp_exchange(zero, int(d));
    if (!gp_lane()) {
      atomicOr(&b.ones, one);
      atomicAnd(&b.zeros, zero);
    }
    if (is_last(&b.counted, groups_of(b))) counted(number);
  }

  // Called when a bucket's digits are counted: appends its moves, or its next digit if all keys have one.
  GP_DEVICE void counted(gp__u64 number) const {
    gp__sort_bucket &b = this->a.buckets[number];
    const gp__u64 groups = groups_of(b);
    gp__u64 sum = 0;
    if (threadIdx.x < GP__DIGITS) {
      gp__u64 *at = this->a.group_counts + b.first_group * GP__DIGITS + threadIdx.x;
      for (gp__u64 g = 0; g < groups; g += 8) {
        gp__u64 x[8];
        GP__EACH(i, 8) x[i] = g + i < groups ? at[(g + i) * GP__DIGITS] : 0;
        GP__EACH(i, 8) {
          if (g + i < groups) at[(g + i) * GP__DIGITS] = sum;
          sum += x[i];
        }
      }
    }
    const bool one_digit = __syncthreads_or(threadIdx.x < GP__DIGITS && sum == b.count) != 0;
    if (one_digit) { // nothing to move
      if (!threadIdx.x) {
        const int shift = next_shift((b.ones ^ b.zeros), b.shift);
        if (shift < 0) finish(b, number, int(b.source));
        else {
          b.shift = gp__u64(shift);
          b.counted = b.ones = 0;
          b.zeros = ~0ull;
          gp__push_tasks(this->a, tag, GP__TASK_COUNT << 62 | number << 32, groups);
        }
      }
      return;
    }
    gp_tile_exclusive_scan<T>(sum, gp_sum<gp__u64>(), s.scan);
    if (threadIdx.x < GP__DIGITS) b.base[threadIdx.x] = sum;
    __syncthreads();
    if (!threadIdx.x) {
      b.base[GP__DIGITS] = b.count;
      gp__push_tasks(this->a, tag, GP__TASK_MOVE << 62 | number << 32, tiles_of(b));
    }
  }
  // Called by one thread if all keys of a bucket are equal: copies it to the output, unless it is there.
  GP_DEVICE void finish(gp__sort_bucket &b, gp__u64 number, int source) const {
    b.source = gp__u64(source);
    const bool there = source == 2 ||
        (source == 0 && this->a.keys == this->a.out_keys && (!S::any || this->a.values == this->a.out_values));
    if (!there) gp__push_tasks(this->a, tag, GP__TASK_COPY << 62 | number << 32, tiles_of(b));
  }
  GP_DEVICE void copy(gp__u64 number, gp__u64 tile) const {
    const gp__sort_bucket &b = this->a.buckets[number];
    const gp__u64 begin = b.begin + tile * CAPACITY, left = b.count - tile * CAPACITY;
    const gp__u32 n = left < gp__u64(CAPACITY) ? gp__u32(left) : CAPACITY;
    const int source = int(b.source);
    for (gp__u32 i = threadIdx.x; i < n; i += T) this->keys_to(2)[begin + i] = this->keys(source)[begin + i];
    if (S::any)
      for (gp__u32 i = threadIdx.x; i < n; i += T) this->values_to(2)[begin + i] = this->value(source, begin + i);
  }

  // Moves a tile's elements to their digits, in order. Ranks come from warp-wide matches (Adinets and Merrill,
  // Onesweep).
  GP_DEVICE void move(gp__u64 number, gp__u64 tile) const {
    gp__sort_bucket &b = this->a.buckets[number];
    const int source = int(b.source), target = source == 1 ? 2 : 1;
    const gp__u64 shift = b.shift, begin = b.begin + tile * CAPACITY, left = b.count - tile * CAPACITY;
    const gp__u32 n = left < gp__u64(CAPACITY) ? gp__u32(left) : CAPACITY;
    const gp__u32 first = gp_warp() * PART + gp_lane();
    gp__u32 *counts = gp__as<gp__u32>(room), *mine = counts + gp_warp() * GP__DIGITS;
    gp__u8 *stage = room + WARPS * GP__DIGITS * sizeof(gp__u32);
    const Bits *in = this->keys(source) + begin;
    Bits x[ITEMS];
    gp__u32 ranks[ITEMS / 2]; // two a word
    const auto rank = [&](int i) { return i % 2 ? ranks[i / 2] >> 16 : ranks[i / 2] & 0xffffu; };
    for (unsigned i = gp_lane(); i < GP__DIGITS; i += 32) mine[i] = 0;
    GP__EACH(i, ITEMS)
      if (first + i * 32 < n) x[i] = in[first + i * 32];
    __syncwarp();
    // If equal keys are indistinguishable and neighbours differ, ranks are drawn from counters.
    const gp__u32 sample = first < n ? digit(x[0], shift) : gp__u32(GP__DIGITS);
    const bool drawn = !INDEXED && __popc(__ballot_sync(~0u, sample == gp_warp_broadcast(sample, 0))) < 6;
    if (drawn) {
      GP__EACH(i, ITEMS) {
        const gp__u32 r = first + i * 32 < n ? atomicAdd(mine + digit(x[i], shift), 1u) : 0;
        ranks[i / 2] = i % 2 ? gp__opaque_copy(ranks[i / 2] | r << 16) : r;
      }
    }
    GP__EACH(i, ITEMS) {
      if (drawn) break;
      const bool there = first + i * 32 < n;
      const gp__u32 d = there ? digit(x[i], shift) : gp__u32(GP__DIGITS);
      const unsigned peers = __match_any_sync(~0u, d), below = gp__earlier_lanes(peers);
      const gp__u32 r = there ? mine[d] + unsigned(__popc(below)) : 0;
      ranks[i / 2] = i % 2 ? gp__opaque_copy(ranks[i / 2] | r << 16) : r;
      __syncwarp();
      if (there && !below) mine[d] += unsigned(__popc(peers));
      __syncwarp();
    }
    __syncthreads();
    gp__u64 sum = 0;
    if (threadIdx.x < GP__DIGITS) {
      gp__u32 before = 0;
      for (int w = 0; w < WARPS; ++w) {
        const gp__u32 c = counts[w * GP__DIGITS + threadIdx.x];
        counts[w * GP__DIGITS + threadIdx.x] = before;
        before += c;
      }
      sum = before;
    }
    gp_tile_exclusive_scan<T>(sum, gp_sum<gp__u64>(), s.scan);
    if (threadIdx.x < GP__DIGITS) {
      s.start[threadIdx.x] = gp__u32(sum);
      s.to[threadIdx.x] = b.begin + b.base[threadIdx.x] - sum +
          this->a.group_counts[(b.first_group + tile / GP__COUNT_TILES) * GP__DIGITS + threadIdx.x] +
          this->a.tile_counts[(b.first_tile + tile) * GP__DIGITS + threadIdx.x];
    }
    __syncthreads();
    Bits *keys = gp__as<Bits>(stage), *out = this->keys_to(target);
    GP__EACH(i, ITEMS) {
      if (first + i * 32 >= n) continue;
      const gp__u32 d = digit(x[i], shift);
      ranks[i / 2] += (s.start[d] + mine[d]) << i % 2 * 16;
      keys[rank(i)] = x[i];
    }
    __syncthreads();
    if (!S::any) {
      GP__UNROLL_BY(8)
      for (gp__u32 k = threadIdx.x; k < n; k += T) out[s.to[digit(keys[k], shift)] + k] = keys[k];
    }
    gp__u8 of[ITEMS];
    GP__EACH(i, (S::any ? ITEMS : 0)) {
      const gp__u32 k = i * T + threadIdx.x;
      if (k >= n) continue;
      const Bits key = keys[k];
      of[i] = gp__u8(digit(key, shift));
      out[s.to[of[i]] + k] = key;
    }
    if (S::any) {
      V *values = this->values_to(target);
      if (Shape::STAGED) {
        V *v = gp__as<V>(stage);
        __syncthreads();
        GP__EACH(i, ITEMS)
          if (first + i * 32 < n) v[rank(i)] = this->value(source, begin + first + i * 32);
        __syncthreads();
        GP__EACH(i, ITEMS) {
          const gp__u32 k = i * T + threadIdx.x;
          if (k < n) values[s.to[of[i]] + k] = v[k];
        }
      } else {
        GP__EACH(i, ITEMS)
          if (first + i * 32 < n)
            values[s.to[digit(x[i], shift)] + rank(i)] = this->value(source, begin + first + i * 32);
      }
    }
    if (is_last(&b.moved, tiles_of(b))) moved(number, target);
  }

  // Called when a bucket's elements are in the order of their digits. Small neighbouring digits are a task that fits a
  // block: each has at most an eighth of its capacity, and their first elements are within the same seven eighths.
  GP_DEVICE void moved(gp__u64 number, int target) const {
    gp__sort_bucket &b = this->a.buckets[number];
    const int shift = next_shift(b.ones ^ b.zeros, b.shift);
    if (shift < 0) {
      if (!threadIdx.x) finish(b, number, target);
      return;
    }
    const unsigned d = threadIdx.x;
    const gp__u64 WINDOW = CAPACITY / 8 * 7, SMALL = CAPACITY / 8;
    if (d < GP__DIGITS) s.next[d] = b.base[d];
    if (d == 0) s.next[GP__DIGITS] = b.count;
    __syncthreads();
    const gp__u64 from = d < GP__DIGITS ? s.next[d] : 0, n = d < GP__DIGITS ? s.next[d + 1] - from : 0;
    if (d < GP__DIGITS) s.small[d] = n <= SMALL;
    __syncthreads();
    if (n > gp__u64(CAPACITY)) gp__push_bucket(this->a, tag, CAPACITY, b.begin + from, n, target, shift);
    gp__u64 sorted = n > gp__u64(CAPACITY) ? 0 : n; // elements of the task that begins here
    if (n > 0 && n <= SMALL) {
      unsigned before = d; // looks for the first digit of its task
      while (before > 0 && s.next[before - 1] == from) --before; // empty digits
      const bool head = before == 0 || !s.small[before - 1] || s.next[before - 1] / WINDOW != from / WINDOW;
      unsigned last = d + 1;
      while (head && last < GP__DIGITS && s.small[last] && s.next[last] / WINDOW == from / WINDOW) ++last;
      sorted = head ? s.next[last] - from : 0;
    }
    if (sorted) gp__push_tasks(this->a, tag, gp__sort_task(b.begin + from, sorted, target), 1);
  }
};

// Works through the queue:
//
//   long segment ... COUNT (groups of tiles) ... MOVE (tiles) ... SORT (what fits a block), or COUNT of the next digit
//                      all keys equal: ... COPY (tiles), unless they are in the output
//
// Waits end, since no task waits for another: the last of the results that a task needs appends it (is_last), so the
// last COUNT of a bucket appends its MOVEs (counted), the last MOVE the tasks of its digits (moved). Digits run out. A
// block takes a slot's number, then waits for the slot's word to carry this launch's tag, or for word 0 to say that all
// is done. `pending` counts tasks appended and not finished: a task is subtracted after it has appended others. The
// block that subtracts the last task writes word 0. Without a queue (no header), blocks share the segments evenly.
template<class P, class K, class S, bool INDEXED, class O>
GP_DEVICE void gp__segments_long(const gp__segmented_sort_args &a) {
  typedef gp__block_sorter<P, K, S, INDEXED> Sorter;
  typedef typename Sorter::Storage Storage;
  GP_DYNAMIC_SHARED(shared);
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const Sorter sorter(a, s, shared);
  gp__sort_header *h = a.header;
  const gp__word *words = gp__words(a.workspace);
  if (!h && a.bad && *a.bad != ~0ull) return;
  gp__u64 next = blockIdx.x; // segment, if there is no queue
  for (bool first = true;; first = false) {
    if (h && !threadIdx.x) {
      gp__word task = {0, 0};
      s.task.done = first && gp__add_relaxed(&h->pending, 0) == 0; // all is done, or there was nothing
      const gp__u64 number = s.task.done ? 0 : gp__add_relaxed(&h->taken, 1);
      if (number >= a.queue_size) s.task.done = 1;
      s.task.few = !s.task.done && number < a.few;
      while (!s.task.done && !s.task.few) {
        task = gp__load_word(words + 1 + number);
        if (task.tag == sorter.tag) break;
        s.task.done = gp__load_word(words).tag == sorter.tag;
        __nanosleep(100);
      }
      __threadfence();
      s.task.value = s.task.few ? number : task.value;
    }
    __syncthreads();
    if (h ? s.task.done : next >= a.segments) return;
    const bool segment = !h || s.task.few;
    const gp__u64 task = h ? s.task.value : next, number = task >> 32 & 0x3fffffffu, part = task & 0xffffffffu;
    const gp__u64 kind = segment ? GP__TASK_SORT : task >> 62;
    gp__u64 begin = task & ((1ull << 44) - 1), count = (task >> 44 & 0xffffu) + 1;
    if (segment) gp__segment_bounds<O>(a, task, begin, count);
    if (kind == GP__TASK_COUNT) sorter.count(number, part);
    else if (kind == GP__TASK_MOVE) sorter.move(number, part);
    else if (kind == GP__TASK_COPY) sorter.copy(number, part);
    else if (count > gp__u64(Sorter::CAPACITY)) {
      if (!threadIdx.x) gp__push_bucket(a, sorter.tag, Sorter::CAPACITY, begin, count, 0, int(a.top_shift));
    } else if (count) sorter.sort(segment ? 0 : int(task >> 60 & 3u), begin, gp__u32(count));
    __syncthreads();
    next += gridDim.x;
    if (h && !threadIdx.x) {
      if (gp__add_relaxed(&h->pending, ~0ull) == 1) gp__store_word(gp__words(a.workspace), gp__word{0, sorter.tag});
    }
  }
}
