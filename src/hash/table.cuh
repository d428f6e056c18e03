// hash/table.cuh - hash tables: rows of equal keys become groups
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, top_k/policy.h, map/policy.h, hash/arguments.h,
//   device/warp.cuh, device/lanes.cuh, device/hash.cuh, device/kernel.cuh

// A key of COUNT words, or of one gp_bool, whose hash is that of 0 or 1. exact: equal hashes are equal keys.
template<class W, int COUNT> struct gp__hash_key {
  static const bool exact = int(sizeof(W)) * COUNT <= 4;
  static GP_DEVICE gp__u32 hash(const W *key) {
    if (exact) {
      gp__u32 x = 0;
      GP__EACH(i, COUNT) x |= gp__u32(key[i]) << (8 * int(sizeof(W)) * i & 31);
      return gp__shuffle_mix((x ^ x >> 16) * 0x9e3779b1u); // each step has an inverse
    }
    gp__u64 x = gp__u64(key[0]);
    for (int i = 1; i < COUNT; ++i) x = gp__mix2(x * 0x9e3779b97f4a7c15ull) + gp__u64(key[i]);
    return gp__hash_of(x);
  }
  static GP_DEVICE bool same(const W *a, const W *b) {
    if (exact) return true;
    for (int i = 0; i < COUNT; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
};
GP_DEVICE gp__u64 gp__first_slot(const gp__hash_args &a, gp__u32 hash) { return hash * a.slot_count >> 32; }
GP_DEVICE gp__u64 gp__next_slot(const gp__hash_args &a, gp__u64 at) { return at + 1 == a.slot_count ? 0 : at + 1; }

// Finds the slot of a row's key, or takes a free one. there: what the first slot held. The slot keeps the first row of
// its key. At most half of the slots are taken, so a search ends.
template<class W, int COUNT>
GP_DEVICE gp__u64 gp__take_slot(const gp__hash_args &a, gp__u64 row, gp__u32 hash, gp__u64 there, bool &claimed) {
  typedef gp__hash_key<W, COUNT> Key;
  const W *keys = gp__as<const W>(a.keys);
  const gp__u64 mine = gp__u64(hash) << 32 | (row + 1);
  for (gp__u64 at = gp__first_slot(a, hash);;) {
    if (there == 0) {
      there = atomicCAS(a.slots + at, gp__u64(0), mine);
      claimed = there == 0;
      if (claimed) return at;
    }
    if (there >> 32 == hash && Key::same(keys + (gp__u32(there) - gp__u64(1)) * COUNT, keys + row * COUNT)) {
      if (mine < there) atomicMin(a.slots + at, mine);
      return at;
    }
    at = gp__next_slot(a, at);
    there = gp__load_relaxed(a.slots + at);
  }
}
// Puts all rows into the table. Of the lanes of a warp whose rows have one key, the first goes alone.
template<class P, class W, int COUNT> GP_DEVICE void gp__hash_insert(const gp__hash_args &a) {
  typedef gp__hash_key<W, COUNT> Key;
  const int ITEMS = gp__hash_items(P::vectors);
  const gp__u64 tile = gp__u64(P::threads) * ITEMS;
  const W *keys = gp__as<const W>(a.keys);
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a);
  for (gp__u64 first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    gp__u32 hash[ITEMS];
    gp__u64 there[ITEMS];
    GP__EACH(i, ITEMS) {
      const gp__u64 row = first + i * P::threads + threadIdx.x;
      if (row < count) hash[i] = Key::hash(keys + row * COUNT);
    }
    GP__EACH(i, ITEMS)
      if (first + i * P::threads + threadIdx.x < count)
        there[i] = gp__load_relaxed(a.slots + gp__first_slot(a, hash[i]));
    GP__EACH(i, ITEMS) {
      const gp__u64 row = first + i * P::threads + threadIdx.x;
      const bool here = row < count;
      const gp__u32 rows = __ballot_sync(~0u, here);
      bool claimed = false;
      gp__u64 slot = 0;
      if (here) {
        const gp__u32 peers = __match_any_sync(rows, hash[i]);
        const unsigned leader = unsigned(__ffs(int(peers))) - 1;
        const bool follows =
            leader != gp_lane() && Key::same(keys + (row - gp_lane() + leader) * COUNT, keys + row * COUNT);
        if (!follows) slot = gp__take_slot<W, COUNT>(a, row, hash[i], there[i], claimed);
        const gp__u64 of_leader = __shfl_sync(rows, slot, int(leader));
        if (a.places) a.places[row] = gp__u32(follows ? of_leader : slot);
      }
      const gp__u32 claims = __ballot_sync(~0u, claimed);
      if (claims == 0 || !a.found) continue;
      gp__u64 at = 0;
      if (!gp_lane()) at = gp__add_relaxed(a.found, unsigned(__popc(claims)));
      at = gp_warp_broadcast(at, 0);
      if (claimed && a.list) a.list[at + gp__lanes_before(claims)] = gp__u32(slot);
    }
  }
}
// The first rows of the keys in slots.
template<class P> GP_DEVICE void gp__hash_take(const gp__hash_args &a) {
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a);
  for (gp__u64 i = blockIdx.x * gp__u64(P::threads) + threadIdx.x; i < count; i += gp__u64(gridDim.x) * P::threads)
    a.rows[i] = gp__u32(a.slots[a.list[i]]) - 1;
}
// Writes the keys of the groups in order, and their number.
template<class P, class W, int COUNT> GP_DEVICE void gp__hash_number(const gp__hash_args &a) {
  const W *keys = gp__as<const W>(a.keys);
  W *out = gp__as<W>(a.out_keys);
  gp__pdl_wait<P>();
  const gp__u64 found = *a.found, groups = found < a.capacity ? found : a.capacity;
  if (!blockIdx.x && !threadIdx.x) *a.out_count = found;
  if (!out) return;
  for (gp__u64 g = blockIdx.x * gp__u64(P::threads) + threadIdx.x; g < groups; g += gp__u64(gridDim.x) * P::threads) {
    gp__u64 row = a.list ? a.list[g] : g;
    if (a.rows) row = a.rows[row];
    for (int i = 0; i < COUNT; ++i) out[g * COUNT + i] = keys[row * COUNT + i];
  }
}
