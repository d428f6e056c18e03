// expand/kernels.cuh - expansions: values repeated by segments or runs
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, expand/policy.h,
//   expand/arguments.h, device/operators.cuh, device/warp.cuh, device/vector_access.cuh, device/lanes.cuh,
//   device/tile_reduce.cuh, device/tile_copy.cuh, device/look_back.cuh, device/kernel.cuh, scan/kernels.cuh,
//   expand/ends.cuh

// The first launch of runs: where each tile of GP__EXPAND_RUNS of them begins, and their total.
template<class P, class L> GP_DEVICE void gp__expand_offsets(const gp__expand_args &a) {
  const int ITEMS = GP__EXPAND_LENGTHS, TILE = P::threads * ITEMS, V = gp__vector_items(int(sizeof(L)));
  typedef gp__scan_storage<P::threads, gp__u64> Storage;
  typedef gp_sum<gp__u64> Sum;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const L *lengths = gp__as<const L>(a.lengths);
  gp__u64 *offsets = gp__as<gp__u64>(a.offsets);
  const gp__u64 tiles = (a.segments + TILE - 1) / TILE;
  if (!blockIdx.x && !threadIdx.x && tiles == 0) offsets[0] = a.out_count[0] = 0;
  while (tiles > 0) {
    if (!threadIdx.x) s.ticket = gp__draw(a.workspace, tiles + gridDim.x);
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number >= tiles) return;
    const gp__u64 first = ticket.number * TILE + threadIdx.x * ITEMS;
    const bool whole = first + ITEMS <= a.segments, inner = first >= V && first + ITEMS + V <= a.segments;
    gp__vector_access<L, V> length[ITEMS / V];
    gp__u64 sum = 0;
    GP__EACH(i, ITEMS) {
      if (whole && i % V == 0)
        length[i / V].template load<P::load>(lengths + first + i, gp__misalignment(lengths, 16), inner);
      if (!whole) length[i / V].item[i % V] = first + i < a.segments ? lengths[first + i] : 0;
      sum += length[i / V].item[i % V];
    }
    const gp__u64 total = gp_tile_exclusive_scan<P::threads>(sum, Sum(), s.scan);
    if (!gp_warp()) {
      gp_carry<gp__u64> start;
      start.has = false;
      const gp__look_back<gp__u64, Sum> look_back = {gp__words(a.workspace), tiles, ticket.tag, start, false};
      if (!gp_lane()) look_back.publish_aggregate(ticket.number, total);
      const gp_carry<gp__u64> prefix = look_back(ticket.number, total);
      if (!gp_lane()) s.prefix = prefix;
    }
    __syncthreads();
    const gp__u64 at = sum + (s.prefix.has ? s.prefix.value : 0);
    if (first % GP__EXPAND_RUNS == 0 && first < a.segments) offsets[first / GP__EXPAND_RUNS] = at;
    if (first < a.segments && first + ITEMS >= a.segments) {
      gp__u64 end = at;
      GP__EACH(i, ITEMS) end += length[i / V].item[i % V];
      offsets[(a.segments + GP__EXPAND_RUNS - 1) / GP__EXPAND_RUNS] = a.out_count[0] = end;
    }
  }
}

// A warp keeps a segment's value, or its number if the value does not fill a part of a vector.
template<class T, bool STAGED> struct gp__expand_head {
  typedef T Type;
  static GP_DEVICE T of(const T *value, gp__u32) { return *value; }
  static GP_DEVICE T value(const T *, const T &head) { return head; }
};
template<class T> struct gp__expand_head<T, true> {
  typedef gp__u32 Type;
  static GP_DEVICE gp__u32 of(const T *, gp__u32 i) { return i; }
  static GP_DEVICE T value(const T *values, gp__u32 head) { return values[head]; }
};
// A group of WIDE rows of 32 segments; the next group is on its way.
template<class Ends, class Head, class T> struct gp__expand_rows {
  static const int WIDE = GP__EXPAND_WIDE;
  typedef typename Head::Type Type;
  Ends &ends;
  const T *values; // of the next group
  const typename Ends::Item *items;
  gp__u64 base;
  gp__u32 all; // where the share ends
  gp__u32 next; // this lane's first segment of the next group
  gp__u32 start[WIDE], stop[WIDE];
  Type value[WIDE], values_ahead[WIDE];
  typename Ends::Item items_ahead[WIDE];

  // first: where the first segment begins in the share.
  GP_DEVICE gp__expand_rows(Ends &e, const T *v, gp__u64 base_, gp__u32 all_, gp__u32 first)
    : ends(e), values(v + gp_lane()), items(e.items + gp_lane()), base(base_), all(all_), next(gp_lane()) {
    GP__EACH(k, WIDE) items_ahead[k] = 0, values_ahead[k] = Type();
    stop[WIDE - 1] = first;
    look();
    advance();
  }
  GP_DEVICE void look() {
    if (gp_warp_broadcast(stop[WIDE - 1], 31) >= all) return; // nothing more begins in the share
    GP__EACH(k, WIDE) {
      if (next + k * 32u >= ends.limit) continue;
      items_ahead[k] = items[k * 32];
      values_ahead[k] = Head::of(values + k * 32, next + k * 32u);
    }
    next += WIDE * 32, values += WIDE * 32, items += WIDE * 32;
  }
  GP_DEVICE void advance() {
    gp__u32 before = stop[WIDE - 1]; // of the segment before the first lane's, in the last lane
    GP__EACH(k, WIDE) {
      stop[k] = ends.end(items_ahead[k], next - (WIDE - k) * 32u, base);
      start[k] = gp_warp_broadcast(gp_lane() == 31 ? before : stop[k], int((gp_lane() + 31) & 31));
      before = stop[k];
      value[k] = values_ahead[k];
    }
    look();
  }
};

// out[i] = values[segment of i]. Segments that are not empty mark the elements of a piece where they begin, by the size
// of a value, and leave their values side by side in shared memory; head[0] is that of the element before the piece.
// The sum of marks up to an element is its value's place. A warp has fewer than 2^32 elements and segments.
template<class P, class Ends, class T> GP_DEVICE void gp__expand(const gp__expand_args &a) {
  const int SIZE = int(sizeof(T)), V = gp__vector_items(SIZE), VECTORS = gp__expand_vectors(P::vectors, SIZE);
  const int PIECE = 32 * V * VECTORS, BYTES = gp__expand_warp_bytes(P::vectors, SIZE);
  const int RUN = gp__expand_marks(P::vectors, SIZE), N = V < 4 ? V : 4;
  const bool STAGED = 16 % SIZE != 0;
  typedef gp__expand_head<T, STAGED> Head;
  typedef typename Head::Type Type;
  typedef gp__vector_access<T, V> Access;
  typedef gp__vector_access<gp__u32, RUN / 4> Words;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (a.segments == 0 || (a.bad && *a.bad != ~0ull)) return;
  gp__expand_share share;
  Ends ends(a, gp__u64(gridDim.x) * (P::threads / 32), blockIdx.x * gp__u64(P::threads / 32) + gp_warp(), share);
  const gp__u64 begin = share.begin;
  if (begin >= share.end) return;
  gp__u8 *mark = shared + gp_warp() * BYTES;
  gp__u32 *own = gp__as<gp__u32>(mark + gp_lane() * RUN);
  Type *head = gp__as<Type>(mark + 32 * RUN);
  T *staged = gp__as<T>(mark + 32 * RUN + gp__expand_head_bytes(P::vectors, SIZE));
  const T *values = gp__as<const T>(a.values) + share.segment;
  // Pieces begin at a vector. Places are counted from the first piece on.
  const gp__u32 skipped = STAGED ? 0 : gp__misalignment(gp__as<T>(a.out) + begin, 16) / SIZE;
  const gp__u64 base = begin - skipped;
  const gp__u32 all = gp__u32(share.end - base);
  T *out = gp__as<T>(a.out) + base;
  gp__expand_rows<Ends, Head, T> rows(ends, values, base, all, skipped);
  if (!gp_lane()) head[0] = rows.value[0];
  for (gp__u32 piece = 0;; piece += PIECE) {
    const gp__u32 left = all - piece, to = left < PIECE ? left : PIECE;
    Words x;
    GP__EACH(j, RUN / 4) x.item[j] = 0;
    x.template store<GP_CACHE_ALL>(own);
    __syncwarp();
    gp__u32 heads = 1;
    for (;; rows.advance()) {
      GP__EACH(k, rows.WIDE) {
        const gp__u32 at = rows.start[k] - piece;
        const bool begins = at < to && rows.start[k] < rows.stop[k];
        const gp__u32 lanes = __ballot_sync(~0u, begins);
        if (!lanes) continue;
        const gp__u32 place = heads + gp__lanes_before(lanes);
        if (begins) mark[at] = gp__u8(sizeof(Type));
        if (begins && place <= PIECE) head[place] = rows.value[k]; // more begin if offsets decrease
        heads += gp__u32(__popc(lanes));
      }
      if (!__all_sync(~0u, rows.stop[rows.WIDE - 1] < piece + to)) break;
    }
    __syncwarp();
    x.template load<GP_CACHE_ALL>(own, 0, false);
    gp__u32 sum = 0; // of the lane's marks; each byte becomes that up to it
    GP__EACH(j, RUN / 4) {
      x.item[j] = (x.item[j] + sum) * 0x01010101u;
      sum = x.item[j] >> 24;
    }
    x.template store<GP_CACHE_ALL>(own);
    const gp__u32 before = gp_warp_inclusive_scan(sum, gp_sum<gp__u32>()) - sum;
    __syncwarp();
    Access v[VECTORS];
    GP__EACH(k, VECTORS) {
      const gp__u32 first = (k * 32u + gp_lane()) * V;
      const gp__u8 *from = gp__as<const gp__u8>(head) + gp_warp_broadcast(before, int(first / RUN));
      GP__UNROLL
      for (int j = 0; j < V; j += N) {
        gp__vector_access<gp__u8, N> sums;
        union {
          gp__u32 word;
          gp__u8 byte[4];
        } at;
        sums.template load<GP_CACHE_ALL>(mark + first + j, 0, false);
        GP__EACH(i, N) at.byte[i] = sums.item[i];
        GP__EACH(i, N) {
          const Type &x = *gp__as<const Type>(from + (N < 4 ? sums.item[i] : gp__permute(at.word, 0, 0x4440u + i)));
          if (!STAGED) v[k].item[j + i] = Head::value(values, x);
          else if (first < to) staged[first] = Head::value(values, x);
        }
      }
    }
    if (STAGED) {
      __syncwarp();
      gp__copy_from_shared<32, P::store>(
          gp__as<gp__u8>(out + piece), gp__as<const gp__u8>(staged), to * SIZE, gp_lane());
    } else if (to == PIECE && piece >= skipped && gp__is_whole<16>(out)) {
      T *at = out + piece + gp_lane() * V;
      GP__EACH(k, VECTORS) // (ptxas splits some plain stores)
        gp__store_vector_if(true, at + k * 32 * V, *gp__as<const gp_vector>(&v[k]));
    } else {
      GP__EACH(k, VECTORS)
        GP__EACH(j, V) {
          const gp__u32 i = piece + (k * 32u + gp_lane()) * V + j;
          if (i >= skipped && i < all) out[i] = v[k].item[j];
        }
    }
    if (left <= PIECE) return;
    __syncwarp();
    if (!gp_lane()) head[0] = head[gp_min<gp__u32>()(heads - 1, PIECE)];
  }
}
