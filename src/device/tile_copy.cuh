// device/tile_copy.cuh - bytes between memory and shared memory, at any alignment
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, device/tile_load.cuh

// `shared` is aligned to 16 bytes; the memory side has any alignment.

// Vector i of [global, global + bytes), any alignment. Reads nothing outside the range.
template<int CACHE> GP_DEVICE gp_vector gp__vector_of_range(const gp__u8 *global, unsigned i, unsigned bytes) {
  const unsigned offset = unsigned(gp__u64(global) & 15u);
  const gp__u8 *base = global - offset;
  if (offset == 0) return gp__load_vector<CACHE>(base + i * 16);
  if (i > 0 && i * 16 + 32 <= bytes + offset)
    return gp__shift_vectors(
        gp__load_vector<GP_CACHE_ALL>(base + i * 16), gp__load_vector<GP_CACHE_ALL>(base + i * 16 + 16), offset);
  gp__vec<gp__u8> p;
  GP__EACH(j, 16) p.item[j] = global[i * 16 + j];
  return p.vector;
}
// RANKS threads copy; this one is `rank`, and all agree on the other arguments. UNROLL accesses are in flight at once,
// and the last bytes. Reads nothing outside [global, global + bytes). The caller synchronises.
template<int RANKS, int UNROLL, int CACHE>
GP_DEVICE void gp__copy_to_shared(gp__u8 *shared, const gp__u8 *global, unsigned bytes, unsigned rank) {
  const int SHIFTED = UNROLL < 4 ? UNROLL : 4;
  const unsigned offset = unsigned(gp__u64(global) & 15u), whole = (bytes + offset) / 16;
  const gp__u8 *base = global - offset;
  // Vectors `first` to `end` - 1 of shared memory lie within whole ones of memory, misaligned ones in two each.
  const unsigned first = offset ? 1 : 0, end = whole > first ? whole - first : first, rest = bytes - (end - first) * 16;
  const unsigned at = rank < first * 16 ? rank : rank + (end - first) * 16;
  const gp__u8 byte = rank < rest ? global[at] : gp__u8(0);
  if (offset == 0) {
    GP__UNROLL_BY(1)
    for (unsigned i = rank; i < end; i += RANKS * UNROLL) {
      gp_vector v[UNROLL];
      GP__EACH(u, UNROLL)
        if (i + u * RANKS < end) v[u] = gp__load_vector<CACHE>(base + (i + u * RANKS) * 16);
      GP__EACH(u, UNROLL)
        if (i + u * RANKS < end) *gp__as<gp_vector>(shared + (i + u * RANKS) * 16) = v[u];
    }
  } else {
    GP__UNROLL_BY(1)
    for (unsigned i = 1 + rank; i < end; i += RANKS * SHIFTED) {
      gp_vector v[SHIFTED];
      GP__EACH(u, SHIFTED)
        if (i + u * RANKS < end) {
          const gp__u8 *low = base + (i + u * RANKS) * 16;
          v[u] = gp__shift_vectors(gp__load_vector<GP_CACHE_ALL>(low), gp__load_vector<GP_CACHE_ALL>(low + 16), offset);
        }
      GP__EACH(u, SHIFTED)
        if (i + u * RANKS < end) *gp__as<gp_vector>(shared + (i + u * RANKS) * 16) = v[u];
    }
  }
  if (rank < rest) shared[at] = byte;
  GP__UNROLL_BY(1)
  for (unsigned i = rank + RANKS; i < rest; i += RANKS) { // fewer than 48 bytes
    const unsigned place = i < first * 16 ? i : i + (end - first) * 16;
    shared[place] = global[place];
  }
}
// The reverse copy. In shared memory a free vector follows every PADDING vectors; 0: no padding.
template<int RANKS, int CACHE, int PADDING = 0, int UNROLL = 4>
GP_DEVICE void gp__copy_from_shared(gp__u8 *global, const gp__u8 *shared, unsigned bytes, unsigned rank) {
  const unsigned P = PADDING ? PADDING * 16 : 1, FREE = PADDING ? 16 : 0; // byte i is at i + i / P * FREE
  const unsigned offset = unsigned(gp__u64(global) & 15u), aligned = (16 - offset) & 15u;
  const unsigned head = aligned < bytes ? aligned : bytes, vectors = (bytes - head) / 16;
  if (rank < head) global[rank] = shared[rank];
  GP__UNROLL_BY(UNROLL)
  for (unsigned i = rank; i < vectors; i += RANKS) {
    const unsigned low = i * 16 + i * 16 / P * FREE, high = i * 16 + 16 + (i * 16 + 16) / P * FREE;
    gp__vec<gp__u8> p;
    if (head == 0) p.vector = *gp__as<const gp_vector>(shared + low);
    else if (i * 16 + 32 <= bytes)
      p.vector =
          gp__shift_vectors(*gp__as<const gp_vector>(shared + low), *gp__as<const gp_vector>(shared + high), head);
    else {
      GP__EACH(j, 16) p.item[j] = shared[head + i * 16 + j + (head + i * 16 + j) / P * FREE];
    }
    gp__store_vector<CACHE>(global + head + i * 16, p.vector);
  }
  const unsigned i = head + vectors * 16 + rank;
  if (i < bytes) global[i] = shared[i + i / P * FREE];
}
