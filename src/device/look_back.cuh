// device/look_back.cuh - a ticket, and tagged words that carry partial results from block to block
// uses: device/vocabulary.cuh, device/machine.cuh, core/shape.h, device/warp.cuh, device/tile_reduce.cuh

// The workspace: a ticket, and tagged words that carry partial results from block to block.

// The control word holds the epoch (36 bits) above the tickets drawn in it (28 bits). Every launch uses up one epoch:
// whoever draws the last ticket of a launch starts the next one, so nothing is ever cleared.
struct gp__ticket {
  gp__u64 tag;    // of this launch: epoch + 1
  gp__u64 number; // 0, 1, 2, ... in the order of drawing, below 2^28
};
// What one thread has drawn, and what the control word was then. `draws` tickets are drawn in this launch, over all
// blocks.
GP_DEVICE gp__ticket gp__ticket_of(void *workspace, gp__u64 draws, gp__u64 was) {
  gp__ticket k;
  k.tag = (was >> 28) + 1;
  k.number = was & 0xfffffffu;
  if (k.number == draws - 1) gp__store_relaxed(static_cast<gp__u64 *>(workspace), k.tag << 28);
  return k;
}
GP_DEVICE gp__ticket gp__draw(void *workspace, gp__u64 draws) { // one thread
  return gp__ticket_of(workspace, draws, gp__add_relaxed(static_cast<gp__u64 *>(workspace), 1));
}
GP_DEVICE gp__word *gp__words(void *workspace) {
  return reinterpret_cast<gp__word *>(static_cast<unsigned char *>(workspace) + GP__CONTROL_BYTES);
}

// An accumulator as 8-byte pieces, each of which travels with its tag.
template <class Acc> union gp__pieces {
  Acc value;
  gp__u64 piece[(sizeof(Acc) + 7) / 8];
  GP_DEVICE gp__pieces() {}
};
template <class Acc> GP_DEVICE void gp__publish(gp__word *words, gp__u64 slot, const Acc &value, gp__u64 tag) {
  const int N = (sizeof(Acc) + 7) / 8;
  gp__pieces<Acc> p;
  if (sizeof(Acc) % 8) p.piece[N - 1] = 0;
  p.value = value;
  GPUPRIMS__UNROLL
  for (int i = 0; i < N; ++i) gp__store_word(words + slot * N + i, gp__word{p.piece[i], tag});
}
// One look: false while not all pieces carry the tag.
template <class Acc> GP_DEVICE bool gp__try_receive(const gp__word *words, gp__u64 slot, gp__u64 tag, Acc &value) {
  const int N = (sizeof(Acc) + 7) / 8;
  gp__pieces<Acc> p;
  bool all = true;
  GPUPRIMS__UNROLL
  for (int i = 0; i < N; ++i) {
    const gp__word w = gp__load_word(words + slot * N + i);
    p.piece[i] = w.value;
    all = all && w.tag == tag;
  }
  if (all) value = p.value;
  return all;
}
template <class Acc> GP_DEVICE Acc gp__receive(const gp__word *words, gp__u64 slot, gp__u64 tag) {
  Acc value;
  while (!gp__try_receive(words, slot, tag, value)) {}
  return value;
}

// Decoupled look-back (Merrill and Garland) with a fixed shape, so that floats get the same bits in every run, in two
// levels. Tiles stand in groups of GP__GROUP. aggregate(t) is published by each tile; total(g), of group g alone, and
// prefix(g + 1), all up to its end, by the last tile of group g. The prefix of a tile is prefix(g) op the total over
// the aggregates of its group before it, and prefix(g + 1) = prefix(g) op total(g), whoever computes it. A total: each
// lane folds its consecutive aggregates, then the warp's tree. A warp that finds prefix(g) missing looks at the
// prefixes and the totals of 32 groups before it at once, so that the chain of prefixes costs one trip through memory
// every 32 groups, not every group. Slots: aggregates, then prefixes, then totals.
//
// Waits, and why they end. A tile's number is its ticket, so every tile with a lower number has been drawn
// by a block that runs. A tile t of group g
//   1. publishes aggregate(t), and has waited for nobody;
//   2. waits for the aggregates before it in its group (gather), which their tiles publish in step 1;
//   3. as the last of its group publishes total(g);
//   4. waits for prefix(g), or for an earlier prefix(g - d) with the d totals between, which tiles of lower numbers
//      publish in steps 3 and 5;
//   5. as the last of its group publishes prefix(g + 1).
// Every wait is for a lower number, and tile 0 has `start`: by induction all of them end, whatever order blocks run in.
// A word counts only where it carries this launch's tag. Tags do not repeat, so words of launches before are not there
// yet, and nothing is cleared. With `fences`, who publishes fences before, and who has received fences after.
//
// Form: how an aggregate travels; where a tile's counts fit fewer words, in those.
template <class Acc> struct gp__whole_form {
  typedef Acc Packed;
  static GP_DEVICE const Acc &pack(const Acc &x, gp__u64) { return x; }
  static GP_DEVICE const Acc &unpack(const Acc &x, gp__u64) { return x; }
};
template <class Acc, class Op, class Form = gp__whole_form<Acc>> struct gp__look_back {
  typedef typename Form::Packed Packed;
  static const int SHARE = GP__GROUP / GP__WARP; // aggregates of a lane

  gp__word *words;
  gp__u64 tiles, tag;
  gp_carry<Acc> start; // what stands before tile 0
  bool fences;         // who has a prefix may also overwrite what the tiles before have read

  GP_DEVICE void publish_aggregate(gp__u64 tile, const Acc &aggregate) const { // one thread
    if (fences) __threadfence();
    if (tile + 1 < tiles) gp__publish(words, tile, Form::pack(aggregate, tile), tag);
  }
  // This lane's part of the first `count` aggregates of a group.
  GP_DEVICE Acc gather(gp__u64 group, unsigned count) const {
    const unsigned first = gp_lane() * SHARE;
    unsigned missing = first >= count ? 0 : count - first >= SHARE ? (1u << SHARE) - 1 : (1u << (count - first)) - 1;
    const unsigned wanted = missing;
    Packed x[SHARE];
    while (missing) {
      unsigned found = 0;
      GPUPRIMS__UNROLL
      for (int i = 0; i < SHARE; ++i)
        if (missing >> i & 1u) found |= gp__try_receive(words, group * GP__GROUP + first + i, tag, x[i]) ? 1u << i : 0u;
      missing &= ~found;
    }
    __syncwarp();
    Acc sum = Op::identity();
    GPUPRIMS__UNROLL
    for (int i = 0; i < SHARE; ++i) {
      if (!(wanted >> i & 1u)) continue;
      const Acc one = Form::unpack(x[i], group * GP__GROUP + first + i);
      sum = i == 0 ? one : Op()(sum, one);
    }
    return sum;
  }
  GP_DEVICE gp__u64 total_slot(gp__u64 group) const { return tiles + tiles / GP__GROUP + 1 + group; }
  GP_DEVICE Acc total(const Acc &part) const { return gp_warp_broadcast(gp_warp_reduce(part, Op()), 0); }
  // One look for prefix(group); lanes may see different answers.
  GP_DEVICE bool look_for_prefix(gp__u64 group, gp_carry<Acc> &prefix) const {
    if (group == 0) {
      prefix = start;
      return true;
    }
    prefix.has = true;
    return gp__try_receive(words, tiles + group, tag, prefix.value);
  }
  // Lane 0 will speak for what all lanes have received.
  GP_DEVICE void pass_on() const {
    if (!fences) return;
    __threadfence();
    __syncwarp();
  }
  // One warp. The tile's own aggregate has been published.
  GP_DEVICE gp_carry<Acc> operator()(gp__u64 tile, const Acc &aggregate) const {
    const gp__u64 group = tile / GP__GROUP;
    const unsigned before = static_cast<unsigned>(tile % GP__GROUP);
    gp_carry<Acc> prefix;
    bool there = look_for_prefix(group, prefix); // on its way while the aggregates are gathered
    const Acc part = gather(group, before);
    const bool last = before == GP__GROUP - 1 && tile + 1 < tiles;
    Acc all = Op::identity();
    if (last) {
      all = total(gp_lane() == GP__WARP - 1 ? Op()(part, aggregate) : part);
      pass_on();
      if (gp_lane() == 0) gp__publish(words, total_slot(group), all, tag);
    }
    while (!__all_sync(0xffffffffu, there)) { // lane i: what stands before group `group` - i, and the group before that
      Acc one = Op::identity();
      gp_carry<Acc> far = start;
      const bool has_far = gp_lane() <= group && look_for_prefix(group - gp_lane(), far);
      const bool has_one = gp_lane() < group && gp__try_receive(words, total_slot(group - gp_lane() - 1), tag, one);
      const unsigned fars = __ballot_sync(0xffffffffu, has_far), ones = __ballot_sync(0xffffffffu, has_one);
      const int depth = __ffs(int(fars)) - 1; // of the nearest prefix there is
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
      if (gp_lane() == 0) gp__publish(words, tiles + group + 1, next.value, tag);
    }
    if (before) prefix.append(total(part), Op());
    if (fences) __threadfence();
    return prefix;
  }
};
