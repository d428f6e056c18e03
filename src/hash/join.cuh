// hash/join.cuh - joins by hash tables
// uses: api/policy.h, api/structs.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, map/policy.h,
//   hash/arguments.h, device/tile_search.cuh, device/kernel.cuh, hash/table.cuh

// Rows of the build side have been sorted by their slots: a.places, a.order. Slots learn where their rows begin.
template<class P> GP_DEVICE void gp__join_ends(const gp__hash_args &a) {
  gp__pdl_wait<P>();
  for (gp__u64 i = blockIdx.x * gp__u64(P::threads) + threadIdx.x; i < a.count; i += gp__u64(gridDim.x) * P::threads) {
    const gp__u32 slot = a.places[i];
    if (i == 0 || a.places[i - 1] != slot) a.slots[slot] = (a.slots[slot] >> 32 << 32) | (i + 1);
    if (i + 1 == a.count || a.places[i + 1] != slot) a.ends[slot] = gp__u32(i + 1);
  }
}
// The slot of a probe's key, or slot_count: reads two slots at a time.
template<class W, int COUNT> GP_DEVICE gp__u64 gp__find_slot(const gp__hash_args &a, const W *key, gp__u64 &there) {
  typedef gp__hash_key<W, COUNT> Key;
  const gp__u32 hash = Key::hash(key);
  const W *keys = gp__as<const W>(a.keys);
  for (gp__u64 at = gp__first_slot(a, hash);;) {
    const gp_vector pair = gp__load_vector<GP_CACHE_ALL>(a.slots + (at & ~gp__u64(1)));
    GP__UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      if (i < (at & 1)) continue;
      there = gp__u64(pair.word[2 * i + 1]) << 32 | pair.word[2 * i];
      if (there == 0) return a.slot_count;
      if (pair.word[2 * i + 1] != hash) continue;
      const gp__u64 row = pair.word[2 * i] - gp__u64(1);
      if (Key::exact || Key::same(keys + (a.ends ? a.order[row] : row) * COUNT, key)) return (at & ~gp__u64(1)) + i;
    }
    at = gp__next_slot(a, at | 1);
  }
}
// Finds each probe's partners.
template<class P, class W, int COUNT> GP_DEVICE void gp__join_probe(const gp__hash_args &a) {
  const W *probes = gp__as<const W>(a.probes);
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a);
  if (!blockIdx.x && !threadIdx.x && a.offsets) *a.offsets = 0;
  for (gp__u64 i = blockIdx.x * gp__u64(P::threads) + threadIdx.x; i < count; i += gp__u64(gridDim.x) * P::threads) {
    gp__u64 there = 0;
    const gp__u64 slot = gp__find_slot<W, COUNT>(a, probes + i * COUNT, there);
    const bool found = slot < a.slot_count;
    if (a.join == GP_JOIN_FLAGS) {
      gp__as<gp__u8>(a.out)[i] = found ? 1 : 0;
    } else if (!a.ends) {
      a.counts[i] = found == (a.join == GP_JOIN_SEMI) ? 1 : 0;
    } else {
      const gp__u32 first = found ? gp__u32(there) - 1 : gp__u32(GP__NO_PARTNER);
      a.firsts[i] = first;
      a.counts[i] = found ? a.ends[slot] - first : a.join == GP_JOIN_LEFT ? 1 : 0;
    }
  }
}
// Writes the results of all probes, equal shares a tile; I: type of indices.
template<class P, class I> GP_DEVICE void gp__join_pairs(const gp__hash_args &a) {
  const int ITEMS = gp__hash_items(P::vectors);
  typedef gp_tile_load_balance_storage<P::threads, ITEMS> Storage;
  const gp__u64 tile = gp__u64(P::threads) * ITEMS;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const gp__u64 probes = gp__count(a), total = a.offsets[probes];
  const gp__u64 room = a.out || a.out2 ? a.capacity : 0, count = total < room ? total : room;
  if (!blockIdx.x && !threadIdx.x) *a.out_count = total;
  for (gp__u64 first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    gp__u64 probe[ITEMS];
    gp_tile_load_balance<P::threads, ITEMS>(probe, a.offsets, probes, first, s);
    GP__EACH(i, ITEMS) {
      const gp__u64 at = first + threadIdx.x * ITEMS + i;
      if (at >= count) continue;
      if (a.out) gp__as<I>(a.out)[at] = I(probe[i]);
      if (!a.out2) continue;
      const gp__u32 begin = a.firsts[probe[i]];
      gp__as<I>(a.out2)[at] =
          begin == gp__u32(GP__NO_PARTNER) ? I(GP__NO_PARTNER) : I(a.order[begin + (at - a.offsets[probe[i]])]);
    }
    __syncthreads();
  }
}
