// search/kernels.cuh - load balance, lower and upper bound
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, map/policy.h, segments/arguments.h,
//   search/arguments.h, device/types.cuh, device/operators.cuh, device/warp.cuh, device/inputs.cuh,
//   device/tile_load.cuh, device/tile_chunk.cuh, device/tile_search.cuh, device/kernel.cuh, segments/ends.cuh

// out[i] = the segment of element i. Warps share elements and segment ends as in the segmented reduction. In a chunk,
// the last segment that ends at an element leaves the next segment's number there. A running maximum fills the others,
// and whole vectors are written.
template<class P, class O, class R> GP_DEVICE void gp__load_balance(const gp__search_args &a) {
  const int ITEMS = 16 * P::vectors / int(sizeof(R)), CHUNK = 32 * ITEMS, V = 16 / int(sizeof(R));
  typedef gp_max<R> Max;
  GP_DYNAMIC_SHARED(shared);
  gp__pdl_wait<P>();
  if (a.bad && *a.bad != ~0ull) return;
  const gp__u64 count = gp__count(a), work = count + a.length;
  const O *offsets = gp__as<const O>(a.sorted);
  R *out = gp__as<R>(a.out), *mark = gp__as<R>(shared) + gp_warp() * CHUNK;
  const gp__u64 warps = gp__u64(gridDim.x) * (P::threads / 32), share = (work + warps - 1) / warps;
  const gp__u64 mine = blockIdx.x * (P::threads / 32) + gp_warp();
  gp__segment_args args = {};
  args.begin = offsets;
  args.segments = a.length;
  const gp__offset_ends<O> ends(args);
  gp__u64 diagonal[2] = {
      mine * share < work ? mine * share : work, (mine + 1) * share < work ? (mine + 1) * share : work};
  gp__u64 s[2];
  gp__split(ends, work, diagonal, s);
  gp__u64 begin = diagonal[0] - s[0], end = diagonal[1] - s[1], segment = s[0];
  if (end > count) end = count; // segments may go on past the elements
  if (begin >= end) return;
  const gp__u64 skipped = gp__misalignment(out + begin, 16) / sizeof(R); // chunks begin on a 16-byte boundary
  R before = R(segment);
  for (gp__u64 chunk = begin - skipped;; chunk += CHUNK) {
    const gp__u64 left = end - chunk;
    const int from = chunk + skipped == begin ? int(skipped) : 0, to = left < CHUNK ? int(left) : CHUNK;
    gp_vector *mine_at = gp__as<gp_vector>(mark + gp_lane() * ITEMS);
    GP__EACH(k, P::vectors) mine_at[k] = gp_vector{{0, 0, 0, 0}};
    __syncwarp();
    for (;;) {
      const gp__u64 i = segment + gp_lane();
      const gp__u64 at = i < s[1] ? ends.end_of(i) - chunk : 0;
      const bool here = i < s[1] && at < gp__u64(to);
      if (here && (i + 1 == s[1] || ends.end_of(i + 1) - chunk != at)) mark[at] = R(i + 1);
      const unsigned found = unsigned(__popc(__ballot_sync(~0u, here)));
      segment += found;
      if (found < 32) break;
    }
    __syncwarp();
    gp__vec_group<R> v[P::vectors];
    R newest = 0;
    GP__EACH(k, P::vectors) {
      v[k] = gp__vec_group<R>(mine_at + k);
      GP__EACH(j, V) v[k].item[j] = newest = Max()(newest, v[k].item[j]);
    }
    const R up_to = gp_warp_inclusive_scan(newest, Max());
    const R left_of = gp_warp_shift_up(up_to, 1), high = Max()(before, gp_lane() > 0 ? left_of : R(0));
    before = Max()(before, gp_warp_broadcast(up_to, 31));
    GP__EACH(k, P::vectors) {
      GP__EACH(j, V) v[k].item[j] = Max()(high, v[k].item[j]);
      v[k].store(mine_at + k);
    }
    __syncwarp();
    GP__EACH(k, P::vectors) {
      const int i = (k * 32 + int(gp_lane())) * V;
      if (i >= from && i + V <= to) gp__store_vector<P::store>(out + chunk + i, *gp__as<const gp_vector>(mark + i));
      else
        for (int j = i < from ? from : i; j < i + V && j < to; ++j) out[chunk + j] = mark[j];
    }
    if (left <= CHUNK) return;
    __syncwarp();
  }
}

// K searches at once, without branches, among `left` elements: every STRIDE-th of `sorted`, from the at[k]-th of these
// on. at[k] moves past those that come before x[k].
template<class Before, int STRIDE, class T, class I, int K>
GP_DEVICE void gp__bound_steps(const T *sorted, const T (&x)[K], I (&at)[K], I left) {
  while (left > 1) {
    const I half = left / 2;
    GP__EACH(k, K) at[k] += Before{sorted, x[k]}(gp__u64(at[k] + half - 1) * STRIDE) ? half : 0;
    left -= half;
  }
  GP__EACH(k, K)
    if (left && Before{sorted, x[k]}(gp__u64(at[k]) * STRIDE)) ++at[k];
}
// K searches in whole sectors from `head` on: at[k], the sector of x[k] or one behind the last, becomes its place. The
// elements before the first sector and behind the last are searched if need be.
template<class Before, int SECTOR, int FLIGHT, int LOAD, class T, class I, int K>
GP_DEVICE void gp__bound_in_sectors(const T *sorted, const T (&x)[K], I (&at)[K], I head, I sectors, I length) {
  const int HALF = SECTOR > 1 ? SECTOR / 2 : 1;
  GP__UNROLL
  for (int g = 0; g < K; g += FLIGHT) {
    gp__vec<T> v[FLIGHT][2];
    GP__UNROLL
    for (int k = g; k < g + FLIGHT; ++k) {
      at[k] = head + (at[k] == sectors ? at[k] - 1 : at[k]) * SECTOR;
      GP__EACH(j, 2) v[k - g][j].vector = gp__load_vector<LOAD>(sorted + at[k] + j * HALF);
    }
    GP__UNROLL
    for (int k = g; k < g + FLIGHT; ++k) {
      const I begin = at[k];
      GP__EACH(j, SECTOR) at[k] += Before{v[k - g][j / HALF].item, x[k]}(j % HALF) ? 1 : 0;
      if (at[k] == head) at[k] = I(gp_search(0, head, Before{sorted, x[k]}));
      else if (at[k] == begin + SECTOR) // the last of all sectors
        at[k] = I(gp_search(at[k], length - at[k], Before{sorted, x[k]}));
    }
  }
}
// Elements of a whole sector of 32 bytes; 1: sectors do not hold whole elements.
template<class T> struct gp__sector {
  static const int value = (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T) ? 32 / int(sizeof(T)) : 1;
  static GP_DEVICE unsigned before(const T *sorted) { // the first one
    return value > 1 ? (0 - gp__misalignment(sorted, 32)) % 32 / unsigned(sizeof(T)) : 0;
  }
};
// The launch before (GP_TWO_PHASE): the last element of each sector.
template<class P, bool UPPER, class T, class Less, class R, class Source = gp__arrays>
GP_DEVICE void gp__bound_sample(const gp__search_args &a) {
  const int SECTOR = gp__sector<T>::value;
  const T *sorted = gp__as<const T>(a.sorted);
  const unsigned head = gp__sector<T>::before(sorted);
  gp__pdl_wait<P>();
  if (SECTOR == 1 || a.length < head) return;
  for (gp__u64 i = blockIdx.x * P::threads + threadIdx.x; i < (a.length - head) / SECTOR; i += gridDim.x * P::threads)
    gp__as<T>(a.sample)[i] = sorted[head + i * SECTOR + SECTOR - 1];
}
template<class T, int BYTES> struct gp__bound_storage {
  static const int COUNT = BYTES / int(sizeof(T));
  T item[COUNT]; // a range of the sorted array, or pivots
  gp__u64 places[2]; // of a tile's first and last needle
};
// out[i] = the bound of needle i. A thread has `vectors` vectors of needles in flight. Source: gp__arrays, or the
// gp__described that makes the needles.
//
// A block takes neighbouring tiles. A short array is searched in shared memory. So is the range from the place of a
// tile's first needle to that of its last one, if the needles are in order and the range is short; more of the array
// is kept for the next tiles. A needle whose place is not certainly in the range is searched for in the whole array: no
// order holds for NaN.
//
// Other tiles: the upper levels of the search are a tree of pivots in shared memory, with the root at 1 and the
// children of i at 2 i and 2 i + 1, so that the lanes of a level meet different banks. Doubling its pivots costs a
// block as many sectors as it has pivots, and saves one a needle: it has fewer than two a needle. Lower levels read the
// last element of a sector of 32 bytes, and then one whole sector: of a sample of these elements if there is one, and
// then of the array.
template<class P, bool UPPER, class T, class Less, class R, class Source = gp__arrays>
GP_DEVICE void gp__bound(const gp__search_args &a) {
  typedef gp__bound_before<UPPER, T, Less> Before;
  typedef gp__bound_storage<T, P::threads <= 512 ? P::threads * 64 : 32768> Storage;
  typedef typename gp__unsigned_of<sizeof(R)>::type I;
  const int K = gp__map_items(P::vectors, int(sizeof(T)), 0, int(sizeof(R)));
  const int FLIGHT = P::blocks_per_sm > 4 ? 1 : K; // sectors of a thread on their way: they take registers
  const int SECTOR = gp__sector<T>::value;
  GP_SHARED(Storage, shared);
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a), tile = gp__u64(P::threads) * K, share = count / gridDim.x;
  const T *sorted = gp__as<const T>(a.sorted), *needles = gp__as<const T>(a.needles);
  const Source source(a);
  R *out = gp__as<R>(a.out);
  const I length = I(a.length), head = gp__sector<T>::before(sorted), all = (length - head) / SECTOR;
  const bool whole = length <= Storage::COUNT, sampled = SECTOR > 1 && a.sample;
  const T *searched = sampled ? gp__as<const T>(a.sample) : sorted; // by pivots
  const I skipped = sampled ? 0 : head, sectors = sampled ? all / SECTOR : all;
  const gp__u64 most = 2 * share < Storage::COUNT ? 2 * share : Storage::COUNT; // pivots, and one
  const int levels = 63 - __clzll(gp__i64((most < sectors ? most : sectors) | 1));
  const I part = (sectors + (I(1) << levels) - 1) >> levels;
  const gp__u64 span = ((count - 1) / tile / gridDim.x + 1) * tile, begin = blockIdx.x * span;
  const gp__u64 end = count - begin < span ? count : begin + span;
  bool pivots = false, range = whole, ranges = !whole; // what is in shared memory; whether to look for ranges
  I low = 0, width = whole ? length : 0;
  for (gp__u32 i = threadIdx.x; i < width; i += P::threads) shared.item[i] = sorted[i];
  if (whole) __syncthreads();
  for (gp__u64 first = begin; first < count && first < end; first += tile) {
    const gp__u64 last = (first + tile < end ? first + tile : end) - 1;
    T x[K];
    I at[K];
    GP__EACH(k, K) {
      const gp__u64 i = first + k * P::threads + threadIdx.x;
      x[k] = gp__operand_at(source, needles, i < last ? i : last);
    }
    bool near = range;
    if (range && !whole) {
      GP__EACH(k, K) {
        const Before before = {shared.item, x[k]};
        near = near && (low == 0 || before(0)) && (low + width == length || !before(width - 1));
      }
      near = __syncthreads_and(near) != 0;
    }
    if (!near && ranges) {
      const T from = gp__operand_at(source, needles, first), to = gp__operand_at(source, needles, last);
      near = true;
      GP__EACH(k, K) near = near && !Less()(x[k], from) && !Less()(to, x[k]);
      near = __syncthreads_and(near) != 0;
      if (near) {
        for (unsigned i = gp_warp(); i < 2; i += P::threads / 32) {
          const gp__u64 place = gp_warp_search(0, a.length, Before{sorted, i ? to : from});
          if (!gp_lane()) shared.places[i] = place;
        }
        __syncthreads();
        low = I(shared.places[0]);
        low -= low > 0;
        width = I(shared.places[1]) - low;
        ranges = near = width < Storage::COUNT;
      }
      if (near) {
        width = 8 * width + 1 < Storage::COUNT ? 8 * width + 1 : Storage::COUNT;
        if (width > length - low) width = length - low;
        for (gp__u32 i = threadIdx.x; i < width; i += P::threads) shared.item[i] = sorted[low + i];
        range = true;
        pivots = false;
        __syncthreads();
      }
    }
    if (near) {
      gp__u32 in[K] = {};
      gp__bound_steps<Before, 1>(shared.item, x, in, gp__u32(width));
      GP__EACH(k, K) {
        at[k] = low + in[k];
        if ((in[k] == 0 && low > 0) || (in[k] == width && at[k] < length))
          at[k] = I(gp_search(0, a.length, Before{sorted, x[k]}));
      }
    } else {
      if (!pivots) {
        GP__UNROLL_BY(FLIGHT)
        for (gp__u32 i = threadIdx.x + 1; i < 1u << levels; i += P::threads) {
          const int level = 31 - __clz(int(i));
          const gp__u64 rank = (2 * i + 1 - (2ull << level)) << (levels - 1 - level); // of the pivot, from 1 on
          shared.item[i] = searched[skipped + (rank * sectors >> levels) * SECTOR - 1];
        }
        __syncthreads();
      }
      pivots = true;
      range = false;
      gp__u32 node[K];
      GP__EACH(k, K) node[k] = 1;
      for (int level = 0; level < levels; ++level) {
        GP__EACH(k, K) node[k] = 2 * node[k] + Before{shared.item, x[k]}(node[k]);
      }
      GP__EACH(k, K) at[k] = I((node[k] - (1ull << levels)) * sectors >> levels);
      // The last sector of a part ends behind the needle, or there is none.
      gp__bound_steps<Before, SECTOR>(searched + skipped + SECTOR - 1, x, at, SECTOR > 1 ? part - 1 : part);
      GP__UNROLL_BY(1)
      for (int array = !sampled; SECTOR > 1 && array < 2; ++array) // the sample, the array itself
        gp__bound_in_sectors<Before, SECTOR, FLIGHT, P::load>(
            array ? sorted : searched, x, at, array ? head : 0, array ? all : sectors, array ? length : all);
    }
    GP__EACH(k, K) {
      const gp__u64 i = first + k * P::threads + threadIdx.x;
      if (i < count) out[i] = R(at[k]);
    }
  }
}
