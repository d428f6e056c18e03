// expand/kernels.cuh - expansions: values repeated by segments or runs
// uses: device/vocabulary.cuh, device/machine.cuh, core/shape.h, expand/policy.h, segments/policy.h,
//   segments/arguments.h, expand/arguments.h, device/operators.cuh, device/warp.cuh, device/vector_access.cuh,
//   device/lanes.cuh, device/tile_reduce.cuh, device/tile_copy.cuh, device/tile_search.cuh, device/look_back.cuh,
//   device/kernel.cuh, scan/kernels.cuh, segments/ends.cuh

// The first launch of runs: the exclusive scan of their lengths, and its total.
template <class P, class L> GP_DEVICE void gp__expand_offsets(const gp__expand_args &a) {
  const int ITEMS = GP__SPAN_ITEMS, TILE = P::threads * ITEMS;
  typedef gp__scan_storage<P::threads, gp__u64> Storage;
  typedef gp_sum<gp__u64> Sum;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const L *lengths = static_cast<const L *>(a.lengths);
  gp__u64 *offsets = static_cast<gp__u64 *>(a.offsets);
  const gp__u64 tiles = (a.segments + TILE - 1) / TILE;
  if (blockIdx.x == 0 && threadIdx.x == 0 && tiles == 0) offsets[0] = a.out_count[0] = 0;
  while (tiles > 0) {
    if (threadIdx.x == 0) s.ticket = gp__draw(a.workspace, tiles + gridDim.x);
    __syncthreads();
    const gp__ticket ticket = s.ticket;
    if (ticket.number >= tiles) return;
    const gp__u64 first = ticket.number * TILE + threadIdx.x * ITEMS;
    gp__u64 length[ITEMS], sum = 0;
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) sum += length[i] = first + i < a.segments ? lengths[first + i] : 0;
    const gp__u64 total = gp_tile_exclusive_scan<P::threads>(sum, Sum(), s.scan);
    if (gp_warp() == 0) {
      gp_carry<gp__u64> start;
      start.has = false;
      const gp__look_back<gp__u64, Sum> look_back = {gp__words(a.workspace), tiles, ticket.tag, start, false};
      if (gp_lane() == 0) look_back.publish_aggregate(ticket.number, total);
      const gp_carry<gp__u64> prefix = look_back(ticket.number, total);
      if (gp_lane() == 0) s.prefix = prefix;
    }
    __syncthreads();
    gp__u64 at = sum + (s.prefix.has ? s.prefix.value : 0);
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      if (first + i >= a.segments) continue;
      offsets[first + i] = at;
      at += length[i];
      if (first + i + 1 == a.segments) offsets[a.segments] = a.out_count[0] = at;
    }
  }
}

// An end of a segment: its place in the warp's piece, and the number of the next segment, from the warp's first on.
struct gp__expand_end {
  gp__u32 at, next;
};
// Ends up to an element of a piece.
struct gp__expand_ended {
  const gp__expand_end *ends;
  gp__u32 element;
  GP_DEVICE bool operator()(gp__u64 i) const { return ends[i].at <= element; }
};
// V elements from `first` of a piece on: item(j) is the value of the segment of element first + j.
template <class T> struct gp__expand_cursor {
  const T *values; // of the warp's first segment
  const gp__expand_end *ends;
  gp__u32 count, end, first, open; // open: the segment of the piece's first element
  GP_DEVICE gp__expand_cursor(const T *values_, const gp__expand_end *ends_, gp__u32 count_, gp__u32 open_,
                              gp__u32 first_)
      : values(values_), ends(ends_), count(count_),
        end(static_cast<gp__u32>(gp_search(0, count_, gp__expand_ended{ends_, first_}))), first(first_), open(open_) {}
  GP_DEVICE T item(gp__u32 j) { // j rises by steps of one
    if (end < count && ends[end].at == first + j) ++end;
    return values[end ? ends[end - 1].next : open];
  }
};

// out[i] = values[segment of i]. Warps share elements and segment ends as in the segmented reduction: a warp has fewer
// than 2^32 of them. It collects the ends in a piece of its elements, of those at one place the last. Each lane finds
// its first element among these and goes on from there.
template <class P, class O, class T> GP_DEVICE void gp__expand(const gp__expand_args &a) {
  const int SIZE = int(sizeof(T)), V = gp__vector_items(SIZE), VECTORS = gp__expand_vectors(P::vectors, SIZE);
  const int PIECE = 32 * V * VECTORS, BYTES = gp__expand_warp_bytes(P::vectors, SIZE);
  const bool STAGED = 16 % SIZE != 0;
  typedef gp__vector_access<T, V> Access;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (a.segments == 0 || (a.bad && *a.bad != ~0ull)) return;
  gp__segment_args args = {};
  args.begin = a.begin;
  args.segments = a.segments;
  const gp__offset_ends<O> ends(args);
  const gp__u64 room = gp__count(a), all = ends.last(), count = all < room ? all : room;
  const gp__u64 warps = static_cast<gp__u64>(gridDim.x) * (P::threads / 32);
  const gp__u64 work = count + a.segments, share = (work + warps - 1) / warps;
  const gp__u64 mine = blockIdx.x * static_cast<gp__u64>(P::threads / 32) + gp_warp();
  gp__u64 diagonal[2] = {mine * share < work ? mine * share : work,
                         (mine + 1) * share < work ? (mine + 1) * share : work};
  gp__u64 s[2];
  gp__split(ends, work, diagonal, s);
  const gp__u64 begin = diagonal[0] - s[0], end = diagonal[1] - s[1] < count ? diagonal[1] - s[1] : count;
  if (begin >= end) return;
  unsigned char *of_warp = shared + gp_warp() * BYTES;
  gp__expand_end *found = reinterpret_cast<gp__expand_end *>(of_warp);
  T *staged = reinterpret_cast<T *>(of_warp + PIECE * GP__EXPAND_END_BYTES);
  T *out = static_cast<T *>(a.out);
  const T *values = static_cast<const T *>(a.values) + s[0];
  const gp__u64 skipped = STAGED ? 0 : gp__misalignment(out + begin, 16) / SIZE; // pieces begin at a vector
  gp__u64 segment = s[0];
  for (gp__u64 piece = begin - skipped;; piece += PIECE) {
    const gp__u64 left = end - piece;
    const gp__u32 from = piece + skipped == begin ? static_cast<gp__u32>(skipped) : 0;
    const gp__u32 to = left < PIECE ? static_cast<gp__u32>(left) : PIECE;
    const gp__u32 open = static_cast<gp__u32>(segment - s[0]);
    gp__u32 count_here = 0;
    for (;;) {
      const gp__u64 i = segment + gp_lane();
      const gp__u64 at = i < s[1] ? ends.end_of(i) - piece : 0;
      const bool here = i < s[1] && at < to;
      const bool last = here && (i + 1 == s[1] || ends.end_of(i + 1) - piece != at);
      const unsigned lasts = __ballot_sync(0xffffffffu, last);
      if (last)
        found[count_here + __popc(gp__earlier_lanes(lasts))] =
            gp__expand_end{static_cast<gp__u32>(at), static_cast<gp__u32>(i + 1 - s[0])};
      count_here += static_cast<unsigned>(__popc(lasts));
      const unsigned ended = static_cast<unsigned>(__popc(__ballot_sync(0xffffffffu, here)));
      segment += ended;
      if (ended < 32) break;
    }
    __syncwarp();
    Access v[VECTORS];
    GPUPRIMS__UNROLL
    for (int k = 0; k < VECTORS; ++k) {
      const gp__u32 first = (k * 32u + gp_lane()) * V;
      if (first >= to) continue;
      gp__expand_cursor<T> cursor(values, found, count_here, open, first);
      if (STAGED) staged[first] = cursor.item(0);
      else {
        GPUPRIMS__UNROLL
        for (int j = 0; j < V; ++j)
          if (first + j >= from && first + j < to) v[k].item[j] = cursor.item(j);
      }
    }
    if (STAGED) {
      __syncwarp();
      gp__copy_from_shared<32, P::store>(reinterpret_cast<unsigned char *>(out + piece),
                                         reinterpret_cast<const unsigned char *>(staged), to * SIZE, gp_lane());
    } else {
      GPUPRIMS__UNROLL
      for (int k = 0; k < VECTORS; ++k) {
        const gp__u32 first = (k * 32u + gp_lane()) * V;
        if (first >= from && first + V <= to) v[k].template store<P::store>(out + piece + first);
        else {
          GPUPRIMS__UNROLL
          for (int j = 0; j < V; ++j)
            if (first + j >= from && first + j < to) out[piece + first + j] = v[k].item[j];
        }
      }
    }
    if (left <= PIECE) return;
    __syncwarp();
  }
}
