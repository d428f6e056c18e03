// device/look_back.cuh - a ticket, and tagged words that carry partial results from block to block
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, device/warp.cuh, device/tile_reduce.cuh

// The control word: the epoch in the upper 36 bits, the tickets drawn in it in the lower 28. Every launch uses up one
// epoch. The thread that draws a launch's last ticket starts the next epoch, so nothing is ever cleared.
struct gp__ticket {
  gp__u64 tag; // this launch's: epoch + 1
  gp__u64 number; // 0, 1, 2, ... in the order of drawing, below 2^28
};
// One thread's ticket; `was` is the control word before its draw. All blocks of a launch together draw `draws` tickets.
GP_DEVICE gp__ticket gp__ticket_of(void *workspace, gp__u64 draws, gp__u64 was) {
  gp__ticket k;
  k.tag = (was >> 28) + 1;
  k.number = was & 0xfffffffu;
  if (k.number == draws - 1) gp__store_relaxed(gp__as<gp__u64>(workspace), k.tag << 28);
  return k;
}
GP_DEVICE gp__ticket gp__draw(void *workspace, gp__u64 draws) { // one thread
  return gp__ticket_of(workspace, draws, gp__add_relaxed(gp__as<gp__u64>(workspace), 1));
}
// One thread of a block that has yet to draw its last ticket: no number below `tiles` is drawn from now on. Draws go on
// at `tiles`, so that their number is what it was.
GP_DEVICE void gp__end_tiles(void *workspace, const gp__ticket &ticket, gp__u64 tiles) {
  atomicMax(gp__as<gp__u64>(workspace), (ticket.tag - 1) << 28 | tiles);
}
GP_DEVICE gp__word *gp__words(void *workspace) {
  return gp__as<gp__word>(gp__as<gp__u8>(workspace) + GP__CONTROL_BYTES);
}

// While its ticket is on its way, a block prefetches the tile of its own number, whoever draws that. All threads call.
template<int SIZE, int TILE> GP_DEVICE void gp__prefetch_tile(const void *from, gp__u64 count) {
  const gp__u64 at = gp__u64(blockIdx.x) * (TILE * SIZE) + threadIdx.x * 128;
  if (from && threadIdx.x * 128 < TILE * SIZE && at < count * SIZE) gp__prefetch(gp__as<const gp__u8>(from) + at);
}

// An accumulator as 8-byte pieces; each travels with its tag.
template<class Acc> union gp__pieces {
  Acc value;
  gp__u64 piece[(sizeof(Acc) + 7) / 8];
  GP_DEVICE gp__pieces() {}
};
template<class Acc> GP_DEVICE void gp__publish(gp__word *words, gp__u64 slot, const Acc &value, gp__u64 tag) {
  const int N = (sizeof(Acc) + 7) / 8;
  gp__pieces<Acc> p;
  if (sizeof(Acc) % 8) p.piece[N - 1] = 0;
  p.value = value;
  GP__EACH(i, N) gp__store_word(words + slot * N + i, gp__word{p.piece[i], tag});
}
// Looks once: false unless all pieces carry the tag.
template<class Acc> GP_DEVICE bool gp__try_receive(const gp__word *words, gp__u64 slot, gp__u64 tag, Acc &value) {
  const int N = (sizeof(Acc) + 7) / 8;
  gp__pieces<Acc> p;
  bool all = true;
  GP__EACH(i, N) {
    const gp__word w = gp__load_word(words + slot * N + i);
    p.piece[i] = w.value;
    all = all && w.tag == tag;
  }
  if (all) value = p.value;
  return all;
}
template<class Acc> GP_DEVICE Acc gp__receive(const gp__word *words, gp__u64 slot, gp__u64 tag) {
  Acc value;
  while (!gp__try_receive(words, slot, tag, value)) {}
  return value;
}

// Decoupled look-back (Merrill and Garland) in two levels, with a fixed shape: floats get the same bits in every run.
// Tiles form groups of GP__GROUP. Each tile publishes aggregate(t). The last tile of group g publishes total(g), of
// this group alone, and prefix(g + 1), of all tiles up to its end. A tile's prefix is prefix(g) op the total of the
// aggregates before it in its group; prefix(g + 1) = prefix(g) op total(g), whoever computes it. A total: each lane
// folds its consecutive aggregates, then the warp's tree. A warp that finds prefix(g) missing looks at the prefixes and
// totals of 32 groups before it at once, so the chain of prefixes costs one trip through memory every 32 groups, not
// every group. Slots: aggregates, then prefixes, then totals.
//
// Why all waits end. A tile's number is its ticket, so a running block has drawn every lower number. A tile t of group
// g
//   1. publishes aggregate(t) without waiting;
//   2. waits for the aggregates before it in its group (gather), which their tiles publish in step 1;
//   3. publishes total(g) if it is the last of its group;
//   4. waits for prefix(g), or for an earlier prefix(g - d) and the d totals between, which tiles of lower numbers
//      publish in steps 3 and 5;
//   5. publishes prefix(g + 1) if it is the last of its group.
// Every wait is for a lower number, and tile 0 has `start`: by induction all waits end, in whatever order blocks run. A
// word counts only with this launch's tag. Tags do not repeat, so words of earlier launches are ignored, and nothing is
// cleared. With `fences`, publishers fence before and receivers after.
//
// Form packs an aggregate before it is published, into fewer words if a tile's counts fit these.
template<class Acc> struct gp__whole_form {
  typedef Acc Packed;
  static GP_DEVICE const Acc &pack(const Acc &x, gp__u64) { return x; }
  static GP_DEVICE const Acc &unpack(const Acc &x, gp__u64) { return x; }
};
template<class Acc, class Op, class Form = gp__whole_form<Acc>> struct gp__look_back {
  typedef typename Form::Packed Packed;
  static const int SHARE = GP__GROUP / GP__WARP; // aggregates of a lane

  gp__word *words;
  gp__u64 tiles, tag;
  gp_carry<Acc> start; // prefix of tile 0
  bool fences; // the holder of a prefix may also overwrite what earlier tiles have read

  GP_DEVICE void publish_aggregate(gp__u64 tile, const Acc &aggregate) const { // one thread
    if (fences) __threadfence();
    if (tile + 1 < tiles) gp__publish(words, tile, Form::pack(aggregate, tile), tag);
  }
  // This lane's fold of its part of a group's first `count` aggregates.
  GP_DEVICE Acc gather(gp__u64 group, unsigned count) const {
    const unsigned first = gp_lane() * SHARE;
    unsigned missing = first >= count ? 0 : count - first >= SHARE ? (1u << SHARE) - 1 : (1u << (count - first)) - 1;
    const unsigned wanted = missing;
    Packed x[SHARE];
    while (missing) {
      unsigned found = 0;
      GP__EACH(i, SHARE)
        if (missing >> i & 1u) found |= gp__try_receive(words, group * GP__GROUP + first + i, tag, x[i]) ? 1u << i : 0u;
      missing &= ~found;
    }
    __syncwarp();
    Acc sum = Op::identity();
    GP__EACH(i, SHARE) {
      if (!(wanted >> i & 1u)) continue;
      const Acc one = Form::unpack(x[i], group * GP__GROUP + first + i);
      sum = i == 0 ? one : Op()(sum, one);
    }
    return sum;
  }
  GP_DEVICE gp__u64 total_slot(gp__u64 group) const { return tiles + tiles / GP__GROUP + 1 + group; }
  GP_DEVICE Acc total(const Acc &part) const { return gp_warp_broadcast(gp_warp_reduce(part, Op()), 0); }
  // Looks once for prefix(group); lanes may see different answers.
  GP_DEVICE bool look_for_prefix(gp__u64 group, gp_carry<Acc> &prefix) const {
    if (group == 0) {
      prefix = start;
      return true;
    }
    prefix.has = true;
    return gp__try_receive(words, tiles + group, tag, prefix.value);
  }
  // Lane 0 publishes on behalf of all lanes: fences what they have received.
  GP_DEVICE void pass_on() const {
    if (!fences) return;
    __threadfence();
    __syncwarp();
  }
  // One warp calls, after the tile's own aggregate is published.
  GP_DEVICE gp_carry<Acc> operator()(gp__u64 tile, const Acc &aggregate) const {
    const gp__u64 group = tile / GP__GROUP;
    const unsigned before = unsigned(tile % GP__GROUP);
    gp_carry<Acc> prefix;
    bool there = look_for_prefix(group, prefix); // in flight while the aggregates are gathered
    const Acc part = gather(group, before);
    const bool last = before == GP__GROUP - 1 && tile + 1 < tiles;
    Acc all = Op::identity();
    if (last) {
      all = total(gp_lane() == GP__WARP - 1 ? Op()(part, aggregate) : part);
      pass_on();
      if (!gp_lane()) gp__publish(words, total_slot(group), all, tag);
    }
    while (!__all_sync(~0u, there)) { // lane i: prefix(group - i), and the total of the group before
      Acc one = Op::identity();
      gp_carry<Acc> far = start;
      const bool has_far = gp_lane() <= group && look_for_prefix(group - gp_lane(), far);
      const bool has_one = gp_lane() < group && gp__try_receive(words, total_slot(group - gp_lane() - 1), tag, one);
      const unsigned fars = __ballot_sync(~0u, has_far), ones = __ballot_sync(~0u, has_one);
      const int depth = __ffs(int(fars)) - 1; // nearest prefix found
      there = depth >= 0 && (~ones & ((1u << depth) - 1u)) == 0;
      if (!there) continue;
      prefix.value = gp_warp_broadcast(far.value, depth);
      prefix.has = group > gp__u64(depth) || start.has;
      for (int i = depth - 1; i >= 0; --i) prefix.append(gp_warp_broadcast(one, i), Op());
    }
    if (last) {
      gp_carry<Acc> next = prefix;
      next.append(all, Op());
      pass_on();
      if (!gp_lane()) gp__publish(words, tiles + group + 1, next.value, tag);
    }
    if (before) prefix.append(total(part), Op());
    if (fences) __threadfence();
    return prefix;
  }
};

// The blocks of a grid of one cluster, or of one block, give each other a value a round; in shared memory. A block
// that sends in a round has read the values of the round before the last.
template<class T> struct gp__cluster_values {
  static const int N = (sizeof(T) + 7) / 8;
  gp__u64 piece[2][GP__CLUSTER][N];

  // A block's first warp calls, or all threads, with the block's value. All blocks have started.
  GP_DEVICE void send(gp__u64 round, const T &value) {
    gp__pieces<T> p;
    if (sizeof(T) % 8) p.piece[N - 1] = 0;
    p.value = value;
    if (threadIdx.x >= gridDim.x) return;
    GP__EACH(i, N) gp__cluster_send(&piece[round & 1][blockIdx.x][i], threadIdx.x, p.piece[i]);
  }
  // Behind the cluster's barrier: appends those of blocks `first` to `end` - 1.
  template<class Op> GP_DEVICE void append(gp_carry<T> &carry, gp__u64 round, unsigned first, unsigned end, Op op) {
    for (unsigned block = first; block < end; ++block) {
      gp__pieces<T> p;
      GP__EACH(i, N) p.piece[i] = gp__cluster_load(&piece[round & 1][block][i]);
      carry.append(p.value, op);
    }
  }
};
