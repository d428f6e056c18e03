// expand/kernels.cuh - expansions: values repeated by segments or runs
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, expand/policy.h, expand/arguments.h,
//   device/operators.cuh, device/warp.cuh, device/vector_access.cuh, device/lanes.cuh, device/tile_reduce.cuh,
//   device/tile_copy.cuh, device/look_back.cuh, device/kernel.cuh, scan/kernels.cuh, expand/ends.cuh

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
    if (!gp_lane() && first < a.segments) offsets[first / GP__EXPAND_RUNS] = at;
    if (first < a.segments && first + ITEMS >= a.segments) {
      gp__u64 end = at;
      GP__EACH(i, ITEMS) end += length[i / V].item[i % V];
      offsets[(a.segments + GP__EXPAND_RUNS - 1) / GP__EXPAND_RUNS] = a.out_count[0] = end;
    }
  }
}

// The newest mark at each of V elements, counted from mark[0], or 0.
template<int V> GP_DEVICE void gp__expand_newest(const gp__u32 *mark, gp__u32 (&newest)[V]) {
  GP__UNROLL
  for (int j = 0; j < V; j += V % 4 ? 1 : 4) {
    if (V % 4) newest[j] = mark[j];
    else {
      const gp_vector v = *gp__as<const gp_vector>(mark + j);
      GP__EACH(w, 4) newest[(j + w) % V] = v.word[w];
    }
  }
  GP__UNROLL
  for (int j = 1; j < V; ++j) newest[j] = gp_max<gp__u32>()(newest[j], newest[j - 1]);
}

// out[i] = values[segment of i]. Ends of segments mark the elements of a piece with the number of the next segment,
// from the warp's first on; of those at one place the largest counts. The newest mark up to an element is its segment.
// A warp has fewer than 2^32 elements and segments. While it gathers a piece's values, the ends of the next one are in
// flight.
template<class P, class Ends, class T> GP_DEVICE void gp__expand(const gp__expand_args &a) {
  const int SIZE = int(sizeof(T)), V = gp__vector_items(SIZE), VECTORS = gp__expand_vectors(P::vectors, SIZE);
  const int ENDS = GP__EXPAND_ENDS, PIECE = 32 * V * VECTORS, BYTES = gp__expand_warp_bytes(P::vectors, SIZE);
  const bool STAGED = 16 % SIZE != 0;
  typedef gp__vector_access<T, V> Access;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (a.segments == 0 || (a.bad && *a.bad != ~0ull)) return;
  gp__expand_share share;
  Ends ends(a, gp__u64(gridDim.x) * (P::threads / 32), blockIdx.x * gp__u64(P::threads / 32) + gp_warp(), share);
  const gp__u64 begin = share.begin, end = share.end;
  if (begin >= end) return;
  gp__u8 *of_warp = shared + gp_warp() * BYTES;
  gp__u32 *mark = gp__as<gp__u32>(of_warp);
  T *staged = gp__as<T>(of_warp + PIECE * GP__EXPAND_MARK_BYTES);
  T *out = gp__as<T>(a.out);
  const T *values = gp__as<const T>(a.values) + share.segment;
  const gp__u64 skipped = STAGED ? 0 : gp__misalignment(out + begin, 16) / SIZE; // pieces begin at a vector
  gp__u64 segment = share.segment;
  gp__u32 open = 0; // segment of the element before
  ends.look(segment);
  for (gp__u64 piece = begin - skipped;; piece += PIECE) {
    const gp__u64 left = end - piece;
    const gp__u32 from = piece + skipped == begin ? gp__u32(skipped) : 0;
    const gp__u32 to = left < PIECE ? gp__u32(left) : PIECE;
    for (unsigned i = gp_lane(); i < PIECE / 4; i += 32) gp__as<gp_vector>(mark)[i] = gp_vector{{0, 0, 0, 0}};
    __syncwarp();
    for (unsigned ended = GP__EXPAND_STEP; ended == GP__EXPAND_STEP;) {
      gp__u32 at[ENDS];
      ends.places(piece, segment, at);
      ended = 0;
      GP__EACH(k, ENDS) {
        if (ended < k * 32u) break;
        if (at[k] < to) atomicMax(mark + at[k], gp__u32(segment + ended + gp_lane() + 1 - share.segment));
        ended += unsigned(__popc(__ballot_sync(~0u, at[k] < to)));
      }
      if (ended == 0) break;
      ends.pass(piece, at, ended);
      segment += ended;
      ends.look(segment);
      gp__expand_prefetch(values, segment - share.segment, ends.limit - share.segment);
    }
    __syncwarp();
    Access v[VECTORS];
    GP__EACH(k, VECTORS) {
      const gp__u32 first = (k * 32u + gp_lane()) * V;
      gp__u32 newest[V];
      gp__expand_newest<V>(mark + first, newest);
      const gp__u32 before = gp__earlier_mark(newest[V - 1], open);
      if (first >= to) continue;
      GP__EACH(j, V) { // elements beyond the piece have a segment, too
        const T &x = values[newest[j] ? newest[j] : before];
        if (STAGED) staged[first] = x;
        else v[k].item[j] = x;
      }
    }
    if (STAGED) {
      __syncwarp();
      gp__copy_from_shared<32, P::store>(
          gp__as<gp__u8>(out + piece), gp__as<const gp__u8>(staged), to * SIZE, gp_lane());
    } else {
      GP__EACH(k, VECTORS) {
        const gp__u32 first = (k * 32u + gp_lane()) * V;
        if (first >= from && first + V <= to) v[k].template store<P::store>(out + piece + first);
        else {
          GP__EACH(j, V)
            if (first + j >= from && first + j < to) out[piece + first + j] = v[k].item[j];
        }
      }
    }
    if (left <= PIECE) return;
    __syncwarp();
  }
}
