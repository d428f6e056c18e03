// segmented_sort/short.cuh - short segments; lists and the queue
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, segmented_sort/policy.h,
//   segmented_sort/arguments.h, device/operators.cuh, device/warp.cuh, device/lanes.cuh, device/look_back.cuh,
//   device/kernel.cuh, segmented_sort/arrays.cuh

GP_DEVICE void gp__push_tasks(const gp__segmented_sort_args &a, gp__u64 tag, gp__u64 task, gp__u64 count) {
  gp__sort_header *h = a.header;
  gp__add_relaxed(&h->pending, count);
  const gp__u64 slot = gp__add_relaxed(&h->pushed, count);
  if (slot + count > a.queue_size) { // wrong offsets: drops the tasks
    gp__add_relaxed(&h->pending, 0 - count);
    return;
  }
  __threadfence();
  gp__word *words = gp__words(a.workspace) + 1 + slot;
  GP__UNROLL_BY(1)
  for (gp__u64 i = 0; i < count; ++i) gp__store_word(words + i, gp__word{task + i, tag});
}
// Called by one thread: appends a part of the input, or of a buffer, to be partitioned by the digit whose lowest bit is
// `shift`.
GP_DEVICE void gp__push_bucket(
    const gp__segmented_sort_args &a, gp__u64 tag, gp__u64 tile, gp__u64 begin, gp__u64 count, int source, int shift) {
  gp__sort_header *h = a.header;
  const gp__u64 tiles = (count + tile - 1) / tile, groups = (tiles + GP__COUNT_TILES - 1) / GP__COUNT_TILES;
  const gp__u64 number = gp__add_relaxed(&h->buckets, 1), first_tile = gp__add_relaxed(&h->tiles, tiles);
  const gp__u64 first_group = gp__add_relaxed(&h->groups, groups);
  if (number >= a.bucket_size || first_tile + tiles > a.tile_size || first_group + groups > a.group_size) return;
  gp__sort_bucket *b = a.buckets + number;
  b->begin = begin;
  b->count = count;
  b->first_tile = first_tile;
  b->first_group = first_group;
  b->source = gp__u64(source);
  b->shift = gp__u64(shift);
  b->counted = b->moved = b->ones = 0;
  b->zeros = ~0ull;
  gp__push_tasks(a, tag, GP__TASK_COUNT << 62 | number << 32, groups);
}
GP_DEVICE gp__u64 gp__sort_task(gp__u64 begin, gp__u64 count, int source) {
  return GP__TASK_SORT << 62 | gp__u64(source) << 60 | (count - 1) << 44 | begin;
}

// First launch, one block: clears the header and draws the call's tag. Few segments are tasks.
template<class P> GP_DEVICE void gp__segments_begin(const gp__segmented_sort_args &a) {
  gp__pdl_wait<P>();
  gp__u64 *zero = gp__as<gp__u64>(a.header);
  for (unsigned i = threadIdx.x; i < sizeof(gp__sort_header) / 8; i += P::threads) zero[i] = 0;
  __syncthreads();
  if (threadIdx.x > 0) return;
  a.header->tag = gp__draw(a.workspace, 1).tag;
  if (!(a.bad && *a.bad != ~0ull)) a.header->pushed = a.header->pending = a.few;
}

// Bounds of segment s, clamped to the count: wrong offsets write nothing after it. Segments of one length have none.
template<class O>
GP_DEVICE void gp__segment_bounds(const gp__segmented_sort_args &a, gp__u64 s, gp__u64 &begin, gp__u64 &count) {
  const O *begins = gp__as<const O>(a.begin);
  begin = begins ? gp__u64(begins[s]) : s * a.length;
  const gp__u64 stop = !begins ? begin + a.length : gp__u64(a.end ? gp__as<const O>(a.end)[s] : begins[s + 1]);
  const gp__u64 end = gp__smaller(stop, a.count);
  count = begin < end ? end - begin : 0;
}

// Lists the longer segments and sorts the short ones. A warp takes 32 * ROUNDS neighbouring segments and sorts as many
// of the short ones at a time as its room holds.
template<class P, class K, class S, bool INDEXED, class O>
GP_DEVICE void gp__segments_short(const gp__segmented_sort_args &a) {
  typedef gp__warp_room<P, K, S, INDEXED> Room;
  typedef gp__block_sort_shape<P, K, S, INDEXED> Block;
  const int ROUNDS = GP__SHORT_ROUNDS, CLASSES = 5, UNROLL = Room::UNROLL;
  const gp__u32 CAPACITY = Room::CAPACITY, LIMIT = Room::LIMIT;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  const Room room(a, shared);
  const gp__u64 warps = gp__u64(gridDim.x) * (P::threads / 32), tag = a.header ? a.header->tag : 0;
  for (gp__u64 batch = blockIdx.x * gp__u64(P::threads / 32) + gp_warp(); batch * (32 * ROUNDS) < a.segments;
       batch += warps) {
    gp__u64 begin[ROUNDS];
    gp__u32 length[ROUNDS], n[ROUNDS], at[ROUNDS], total = 0; // length: at most LIMIT + 1
    bool longer = false;
    GP__EACH(r, ROUNDS) {
      const gp__u64 s = (batch * ROUNDS + r) * 32 + gp_lane();
      gp__u64 count = 0;
      begin[r] = 0;
      if (s < a.segments) gp__segment_bounds<O>(a, s, begin[r], count);
      length[r] = gp__u32(gp__smaller(count, LIMIT + 1));
      n[r] = count <= GP__SHORT ? gp__u32(count) : 0;
      longer = longer || count > LIMIT;
    }
    GP__UNROLL_BY(1)
    for (int c = 0; gp__u32(GP__SHORT << c) < LIMIT; ++c) { // a warp takes places of a list once
      unsigned all[ROUNDS], found = 0;
      GP__EACH(r, ROUNDS) {
        all[r] = __ballot_sync(~0u, length[r] > gp__u32(GP__SHORT << c) && length[r] <= gp__u32(GP__SHORT << (c + 1)));
        found += unsigned(__popc(all[r]));
      }
      if (!found) continue;
      gp__u64 slot = 0;
      if (!gp_lane()) slot = gp__add_relaxed(&a.header->listed[c], found);
      slot = gp_warp_broadcast(slot, 0);
      GP__EACH(r, ROUNDS) {
        const gp__u64 place = slot + gp__lanes_before(all[r]);
        if (all[r] >> gp_lane() & 1u && place < a.list_size[c]) a.list[c][place] = gp__sort_span{begin[r], length[r]};
        slot += unsigned(__popc(all[r]));
      }
    }
    if (__any_sync(~0u, longer)) {
      GP__UNROLL_BY(1)
      for (int r = 0; r < ROUNDS; ++r) {
        const gp__u64 s = (batch * ROUNDS + r) * 32 + gp_lane();
        gp__u64 first = 0, count = 0;
        if (s < a.segments) gp__segment_bounds<O>(a, s, first, count);
        if (count > Block::CAPACITY) gp__push_bucket(a, tag, Block::CAPACITY, first, count, 0, int(a.top_shift));
        else if (count > LIMIT) gp__push_tasks(a, tag, gp__sort_task(first, count, 0), 1);
        __syncwarp();
      }
    }
    // Packs the short segments.
    GP__EACH(r, ROUNDS) {
      const gp__u32 up_to = gp_warp_inclusive_scan(n[r], gp_sum<gp__u32>());
      at[r] = total + up_to - n[r];
      total += gp_warp_broadcast(up_to, 31);
      begin[r] -= at[r];
    }
    for (gp__u32 from = 0; from < total;) {
      gp__u32 to = total; // first position that the room does not hold
      GP__UNROLL
      for (int r = ROUNDS - 1; r >= 0; --r) {
        const unsigned beyond = __ballot_sync(~0u, n[r] > 0 && at[r] >= from && at[r] + n[r] > from + CAPACITY);
        const gp__u32 first = gp_warp_broadcast(at[r], beyond ? __ffs(int(beyond)) - 1 : 0);
        if (beyond) to = first;
      }
      bool in[ROUNDS];
      unsigned of[CLASSES][ROUNDS], before = 0, end[CLASSES];
      GP__EACH(r, ROUNDS) in[r] = n[r] > 0 && at[r] >= from && at[r] < to;
      // Elements are loaded and stored in runs of segments that are neighbours in the input too.
      unsigned runs = 0;
      gp__u64 last = 0;
      GP__EACH(r, ROUNDS) {
        const unsigned all = __ballot_sync(~0u, in[r]), below = gp__earlier_lanes(all);
        const gp__u64 left = gp_warp_broadcast(begin[r], below ? 31 - __clz(int(below)) : 0);
        const bool head = in[r] && (below ? begin[r] != left : runs == 0 || begin[r] != last);
        const unsigned heads = __ballot_sync(~0u, head);
        if (head) {
          const unsigned run = runs + gp__lanes_before(heads);
          room.first[run] = at[r] - from;
          room.shift[run] = begin[r] + from;
        }
        runs += unsigned(__popc(heads));
        const gp__u64 end_of_round = gp_warp_broadcast(begin[r], all ? 31 - __clz(int(all)) : 0);
        if (all) last = end_of_round;
      }
      __syncwarp();
      for (int pass = 0; pass < 2; ++pass) {
        room.template move_runs<UNROLL>(pass == 0, runs, to - from);
        if (pass == 1) break;
        // Lists by length: 1 and 2, to 4, to 8, to 16, to 32 elements.
        GP__EACH(c, CLASSES) {
          unsigned below = before;
          GP__EACH(r, ROUNDS) {
            const bool mine = in[r] && n[r] > (c ? 1u << c : (INDEXED ? 0u : 1u)) && n[r] <= 2u << c;
            of[c][r] = __ballot_sync(~0u, mine);
            if (mine) room.list[below + gp__lanes_before(of[c][r])] = (at[r] - from) << 8 | n[r];
            below += unsigned(__popc(of[c][r]));
          }
          end[c] = before = below;
        }
        __syncwarp();
        GP__EACH(c, 3)
          for (unsigned i = c ? end[c > 0 ? c - 1 : 0] : 0; i < end[c]; i += 32) {
            const gp__u32 x = i + gp_lane() < end[c] ? room.list[i + gp_lane()] : 0;
            if (c == 0) room.template sort<2>(x >> 8, x & 0xffu, 1);
            else if (c == 1) room.template sort<4>(x >> 8, x & 0xffu, 1);
            else room.template sort<8>(x >> 8, x & 0xffu, 1);
          }
        GP__UNROLL_BY(1)
        for (unsigned lanes = 1; lanes <= 2; ++lanes) {
          const unsigned stop = lanes == 1 ? end[3] : end[4];
          for (unsigned i = lanes == 1 ? end[2] : end[3]; i < stop; i += 32 / lanes) {
            const unsigned mine = i + gp_lane() / lanes;
            const gp__u32 x = mine < stop ? room.list[mine] : 0;
            room.template sort<16>(x >> 8, x & 0xffu, int(lanes));
          }
        }
        __syncwarp();
      }
      __syncwarp(); // before the room is filled again
      from = to;
    }
  }
}

// Sorts the listed segments, of GP__SHORT + 1 to Room::LIMIT elements, the longest first. Segments of one length are in
// no list. Lanes hold ITEMS elements each: the more, the fewer come from other lanes.
template<class P, class K, class S, bool INDEXED> GP_DEVICE void gp__segments_middle(const gp__segmented_sort_args &a) {
  typedef gp__warp_room<P, K, S, INDEXED> Room;
  const int UNROLL = Room::UNROLL, LIMIT = Room::LIMIT, ITEMS = sizeof(typename Room::C) == 4 ? 32 : 16, STORED = 2;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  const Room room(a, shared);
  const gp__u64 steps = gp__u64(gridDim.x) * (P::threads / 32);
  GP__UNROLL_BY(1)
  for (int c = GP__MIDDLE_CLASSES - 1; c >= 0; --c) {
    const int log2_size = GP__LOG2_SHORT + 1 + c, size = 1 << log2_size, lanes = size / ITEMS;
    if (size > LIMIT) continue;
    const int fit = Room::CAPACITY >> log2_size, side = fit < 32 / lanes ? fit : 32 / lanes; // segments side by side
    const bool equal = !a.begin;
    gp__u64 count = a.length <= unsigned(size) && a.length > unsigned(size / 2) ? a.segments : 0;
    if (!equal) count = gp__smaller(a.header->listed[c], a.list_size[c]);
    for (gp__u64 step = blockIdx.x * gp__u64(P::threads / 32) + gp_warp(); step * unsigned(side) < count;
         step += steps) {
      const gp__u64 mine = step * unsigned(side) + gp_lane();
      gp__sort_span span = {0, 0};
      if (gp_lane() < unsigned(side) && mine < count)
        span = equal ? gp__sort_span{mine * a.length, a.length} : a.list[c][mine];
      for (int first = 0; INDEXED && first < side << log2_size; first += UNROLL * 32) {
        gp__u32 to[UNROLL];
        gp__u64 shift[UNROLL];
        GP__EACH(u, UNROLL) { // each segment has `size` places of the room
          const int at = (first + u * 32) >> log2_size;
          to[u] = unsigned(at << log2_size) + gp_warp_broadcast(gp__u32(span.count), unsigned(at));
          shift[u] = gp_warp_broadcast(span.begin, unsigned(at)) - unsigned(at << log2_size);
        }
        room.template load<UNROLL>(first + gp_lane(), to, shift);
      }
      if (INDEXED) __syncwarp();
      const int own = int(gp_lane()) / lanes;
      const gp__u64 begin = gp_warp_broadcast(span.begin, unsigned(own));
      room.template sort<ITEMS, true>(unsigned(own << log2_size), gp_warp_broadcast(gp__u32(span.count), unsigned(own)),
          lanes, room.keys(0) + begin);
      __syncwarp();
      GP__UNROLL_BY(1)
      for (int s = 0; s < side; ++s) {
        const gp__u32 first = unsigned(s) << log2_size, n = gp_warp_broadcast(gp__u32(span.count), unsigned(s));
        gp__u32 to[STORED];
        gp__u64 shift[STORED];
        const gp__u64 from = gp_warp_broadcast(span.begin, unsigned(s)) - first;
        GP__EACH(u, STORED) to[u] = first + n, shift[u] = from;
        GP__UNROLL_BY(1)
        for (gp__u32 i = 0; i < n; i += STORED * 32) room.template store<STORED>(first + i + gp_lane(), to, shift);
      }
      __syncwarp();
    }
  }
}
