// device/tile_search.cuh - search, merge path, load balance
// uses: core/words.h, device/vocabulary.cuh, device/operators.cuh, device/warp.cuh, device/tile_reduce.cuh

// Sorted arrays have fewer than 2^63 elements. A search takes a predicate on positions that holds up to some position
// and not from there on, and returns that position. (Busato and Bombieri, A Dynamic Approach for Workload Partitioning
// on GPU Architectures, take this primitive as their case for tuning by profile; Green, McColl and Bader, GPU Merge
// Path.)

// One thread: about log2(count) dependent loads.
template<class Before> GP_DEVICE gp__u64 gp_search(gp__u64 first, gp__u64 count, Before before) {
  while (count > 0) {
    const gp__u64 half = count / 2;
    if (before(first + half)) {
      first += half + 1;
      count -= half + 1;
    } else count = half;
  }
  return first;
}
// N searches at once by one warp, 32 probes of each a step: about log2(count) / 5 dependent loads. `first` becomes the
// answer. All lanes call with the same arguments. before(n, position) is the predicate of search n.
template<int N, class Before>
GP_DEVICE void gp__warp_search(gp__u64 (&first)[N], gp__u64 (&count)[N], const Before &before) {
  for (;;) {
    bool more = false, holds[N];
    GP__EACH(n, N) {
      const gp__u64 step = (count[n] + 31) / 32, probe = (gp_lane() + 1) * step; // one past the lane's piece
      holds[n] = step > 0 && probe <= count[n] && before(n, first[n] + probe - 1);
      more = more || count[n] > 0;
    }
    if (!more) return;
    GP__EACH(n, N) {
      const gp__u64 step = (count[n] + 31) / 32;
      const gp__u64 passed = step * unsigned(__popc(__ballot_sync(~0u, holds[n])));
      const gp__u64 left = count[n] - passed;
      first[n] += passed;
      count[n] = step > 0 && left >= step ? step - 1 : left;
    }
  }
}
template<class Before> struct gp__one_search {
  const Before &before;
  GP_DEVICE bool operator()(int, gp__u64 position) const { return before(position); }
};
template<class Before> GP_DEVICE gp__u64 gp_warp_search(gp__u64 first, gp__u64 count, Before before) {
  gp__u64 f[1] = {first}, c[1] = {count};
  gp__warp_search(f, c, gp__one_search<Before>{before});
  return f[0];
}

template<bool UPPER, class T, class Less> struct gp__bound_before {
  const T *sorted;
  T x;
  GP_DEVICE bool operator()(gp__u64 position) const {
    return UPPER ? !Less()(x, sorted[position]) : Less()(sorted[position], x);
  }
};
// The first position of sorted[0 .. count) whose element is not less than x (upper: is greater than x); count if there
// is none. A thread calls, or a warp for one x.
template<class T, class Less> GP_DEVICE gp__u64 gp_search_lower(const T *sorted, gp__u64 count, const T &x, Less) {
  return gp_search(0, count, gp__bound_before<false, T, Less>{sorted, x});
}
template<class T, class Less> GP_DEVICE gp__u64 gp_search_upper(const T *sorted, gp__u64 count, const T &x, Less) {
  return gp_search(0, count, gp__bound_before<true, T, Less>{sorted, x});
}
template<class T, class Less> GP_DEVICE gp__u64 gp_warp_search_lower(const T *sorted, gp__u64 count, const T &x, Less) {
  return gp_warp_search(0, count, gp__bound_before<false, T, Less>{sorted, x});
}
template<class T, class Less> GP_DEVICE gp__u64 gp_warp_search_upper(const T *sorted, gp__u64 count, const T &x, Less) {
  return gp_warp_search(0, count, gp__bound_before<true, T, Less>{sorted, x});
}

// Merge path: elements 0, 1, 2, ... and the ends of segments merge into one sequence, an end before the element at its
// position. Returns how many of its first `diagonal` entries are ends; the others are elements. ends[s]: where segment
// s ends (offsets + 1). Equal steps of `diagonal` are equal work, whatever the lengths.
template<class O> struct gp__merge_before {
  const O *ends;
  gp__u64 diagonal;
  GP_DEVICE bool operator()(gp__u64 s) const { return gp__u64(ends[s]) + s < diagonal; }
};
template<class O> GP_DEVICE gp__u64 gp_merge_path(const O *ends, gp__u64 segments, gp__u64 diagonal) {
  return gp_search(0, segments < diagonal ? segments : diagonal, gp__merge_before<O>{ends, diagonal});
}
template<class O> GP_DEVICE gp__u64 gp_warp_merge_path(const O *ends, gp__u64 segments, gp__u64 diagonal) {
  return gp_warp_search(0, segments < diagonal ? segments : diagonal, gp__merge_before<O>{ends, diagonal});
}

// Merge path of two sorted arrays; among equals the first array's come first. Returns how many of the first `diagonal`
// merged elements are of the first array (n elements); the others are of the second (m). By a thread or a warp.
template<class T, class Before> struct gp__merge_split_before {
  const T *first, *second;
  gp__u64 diagonal;
  GP_DEVICE bool operator()(gp__u64 i) const { return !Before()(second[diagonal - 1 - i], first[i]); }
};
template<class T, class Before>
GP_DEVICE gp__u64 gp_merge_split(const T *first, gp__u64 n, const T *second, gp__u64 m, gp__u64 diagonal, Before) {
  const gp__u64 low = diagonal > m ? diagonal - m : 0, high = diagonal < n ? diagonal : n;
  return gp_search(low, high - low, gp__merge_split_before<T, Before>{first, second, diagonal});
}
template<class T, class Before, int N> struct gp__merge_splits_before {
  const T *first, *second;
  const gp__u64 (&diagonal)[N];
  GP_DEVICE bool operator()(int n, gp__u64 i) const { return !Before()(second[diagonal[n] - 1 - i], first[i]); }
};
// N diagonals at once, by one warp.
template<int N, class T, class Before>
GP_DEVICE void gp__warp_merge_splits(
    const T *first, gp__u64 n, const T *second, gp__u64 m, const gp__u64 (&diagonal)[N], Before, gp__u64 (&split)[N]) {
  gp__u64 count[N];
  GP__EACH(k, N) {
    split[k] = diagonal[k] > m ? diagonal[k] - m : 0;
    count[k] = (diagonal[k] < n ? diagonal[k] : n) - split[k];
  }
  gp__warp_search(split, count, gp__merge_splits_before<T, Before, N>{first, second, diagonal});
}
template<class T, class Before>
GP_DEVICE gp__u64 gp_warp_merge_split(
    const T *first, gp__u64 n, const T *second, gp__u64 m, gp__u64 diagonal, Before before) {
  const gp__u64 diagonals[1] = {diagonal};
  gp__u64 split[1];
  gp__warp_merge_splits(first, n, second, m, diagonals, before, split);
  return split[0];
}

// segment[i] = the segment of element first + threadIdx.x * ITEMS + i: the number of ends at or before it, `segments`
// past the last. There are segments + 1 offsets. Fewer than 2^32 segments may begin within one tile; its time grows
// with them. All threads call. Storage may be used again after the next __syncthreads().
template<int THREADS, int ITEMS> struct gp_tile_load_balance_storage {
  gp_tile_scan_storage<THREADS, gp__u32> scan;
  gp__u64 begin, end; // ends at or before the tile's first element; at or before its last
  gp__u32 mark[THREADS * ITEMS];
};
template<class O> struct gp__ends_at {
  const O *offsets;
  gp__u64 element;
  GP_DEVICE bool operator()(gp__u64 s) const { return gp__u64(offsets[s + 1]) <= element; }
};
template<int THREADS, int ITEMS, class O>
GP_DEVICE void gp_tile_load_balance(gp__u64 (&segment)[ITEMS], const O *offsets, gp__u64 segments, gp__u64 first,
    gp_tile_load_balance_storage<THREADS, ITEMS> &storage) {
  GP__EACH(i, ITEMS) storage.mark[i * THREADS + threadIdx.x] = 0;
  if (!gp_warp()) {
    const gp__u64 begin = gp_warp_search(0, segments, gp__ends_at<O>{offsets, first});
    const gp__u64 end = gp_warp_search(begin, segments - begin, gp__ends_at<O>{offsets, first + (THREADS * ITEMS - 1)});
    if (!gp_lane()) {
      storage.begin = begin;
      storage.end = end;
    }
  }
  __syncthreads();
  const gp__u64 begin = storage.begin, end = storage.end;
  for (gp__u64 s = begin + threadIdx.x; s < end; s += THREADS) { // the last of equal ends counts
    const O at = offsets[s + 1];
    if (s + 1 == end || offsets[s + 2] != at) storage.mark[gp__u64(at) - first] = gp__u32(s + 1 - begin);
  }
  __syncthreads();
  gp__u32 newest[ITEMS], before = 0;
  GP__EACH(i, ITEMS) {
    newest[i] = before = gp_max<gp__u32>()(before, storage.mark[threadIdx.x * ITEMS + i]);
  }
  gp_tile_exclusive_scan<THREADS>(before, gp_max<gp__u32>(), storage.scan);
  GP__EACH(i, ITEMS) segment[i] = begin + gp_max<gp__u32>()(before, newest[i]);
}
