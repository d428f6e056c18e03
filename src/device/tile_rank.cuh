// device/tile_rank.cuh - rank of a tile's keys by digit
// uses: core/words.h, device/vocabulary.cuh, core/shape.h, device/operators.cuh, device/warp.cuh

// Ranks a tile by 8 bits of its keys, stable. Each warp counts its own keys in order, by matching the digits of 32 at a
// time; then the counters of all warps become positions (Adinets and Merrill, Onesweep). The arrangement is striped by
// warps: item i of a thread is the tile's element gp_tile_warp_striped<ITEMS>(i). A tile has fewer than 2^16 elements.
template<int ITEMS> GP_DEVICE unsigned gp_tile_warp_striped(int i) {
  return (gp_warp() * ITEMS + unsigned(i)) * 32 + gp_lane();
}

union gp__digit_counters {
  gp__u32 pair[GP__DIGITS / 2]; // two digits, the even one in the lower half
  gp__u16 digit[GP__DIGITS];
  gp_vector vector[GP__DIGITS / 8];
};
template<int THREADS> struct gp_tile_rank_storage {
  gp__digit_counters warp[THREADS / 32]; // the warp's keys so far; then the position of its first one
  gp__u32 total[THREADS < GP__DIGITS / 2 ? THREADS / 32 : GP__DIGITS / 64];
};

// The steps, for kernels with work between them. The first COUNTING threads own pairs of digits, PAIRS each: thread t
// has the pairs t * PAIRS, ...
template<int THREADS> struct gp__tile_rank {
  typedef gp_tile_rank_storage<THREADS> Storage;
  static const int WARPS = THREADS / 32;
  static const int PAIRS = THREADS >= 128 ? 1 : THREADS >= 64 ? 2 : 4, COUNTING = GP__DIGITS / 2 / PAIRS;
  static const int AT_ONCE = 4; // keys that a thread matches before it counts the first

  Storage &s;
  GP_DEVICE bool counts() const { return threadIdx.x < COUNTING; }

  // rank[i]: the number of earlier keys of this warp with the digit of keys[i]. digit(key, i) is below 256.
  template<int ITEMS, class T, class Digit>
  GP_DEVICE void within_warp(gp__u32 (&rank)[ITEMS], const T (&keys)[ITEMS], const Digit &digit) const {
    gp__digit_counters &own = s.warp[gp_warp()];
    const gp__u32 below = (1u << gp_lane()) - 1, above = ~below << 1;
    own.vector[gp_lane()] = gp_vector{{0, 0, 0, 0}};
    __syncwarp();
    GP__UNROLL
    for (int first = 0; first < ITEMS; first += AT_ONCE) {
      gp__u32 peers[AT_ONCE];
      GP__EACH(j, AT_ONCE)
        if (first + j < ITEMS) peers[j] = gp_warp_match<8>(digit(keys[first + j], first + j));
      GP__EACH(j, AT_ONCE)
        if (first + j < ITEMS) {
          gp__u16 &counter = own.digit[digit(keys[first + j], first + j)];
          const gp__u32 before = counter + gp__u32(__popc(peers[j] & below));
          __syncwarp();
          if (!(peers[j] & above)) counter = gp__u16(before + 1); // the last one of its digit
          __syncwarp();
          rank[first + j] = before;
        }
    }
  }
  // Counting threads, after a barrier: the number of keys with each digit of this pair, 16 bits each.
  GP_DEVICE gp__u32 total(unsigned pair) const {
    gp__u32 sum = 0;
    GP__EACH(w, WARPS) sum += s.warp[w].pair[pair];
    return sum;
  }
  // All threads call; `both`: a counting thread's sum over both digits of its pairs. Returns the number of keys with
  // digits before the thread's. It has a barrier inside; `total` needs another before its next use.
  GP_DEVICE gp__u32 before(gp__u32 both) const {
    gp__u32 sum = 0;
    const unsigned COUNTING_WARPS = COUNTING / 32;
    if (gp_warp() < COUNTING_WARPS) {
      sum = gp_warp_inclusive_scan(both, gp_sum<gp__u32>());
      if (gp_lane() == 31) s.total[gp_warp()] = sum;
    }
    __syncthreads();
    if (gp_warp() < COUNTING_WARPS) {
      GP__UNROLL
      for (unsigned w = 0; w + 1 < COUNTING_WARPS; ++w)
        if (w < gp_warp()) sum += s.total[w];
    }
    return sum - both;
  }
  // Counting threads: a pair's counters become positions; `first`: of each digit's first key, 16 bits each.
  GP_DEVICE void start_at(unsigned pair, gp__u32 first) const {
    GP__EACH(w, WARPS) {
      const gp__u32 own = s.warp[w].pair[pair];
      s.warp[w].pair[pair] = first;
      first += own;
    }
  }
  // After a barrier: the position of a key of this warp.
  GP_DEVICE gp__u32 position(gp__u32 rank, gp__u32 digit) const { return rank + s.warp[gp_warp()].digit[digit]; }
};

// rank[i] becomes the position of keys[i] in the tile sorted by digit(key, i), which is below 256. All threads call.
// Storage may be used again after the next __syncthreads().
template<int THREADS, int ITEMS, class T, class Digit>
GP_DEVICE void gp_tile_rank(
    gp__u32 (&rank)[ITEMS], const T (&keys)[ITEMS], const Digit &digit, gp_tile_rank_storage<THREADS> &storage) {
  typedef gp__tile_rank<THREADS> Rank;
  static_assert(THREADS * ITEMS < 65536, "positions have 16 bits");
  const Rank r = {storage};
  gp__u32 total[Rank::PAIRS], both = 0;
  r.within_warp(rank, keys, digit);
  __syncthreads();
  GP__EACH(i, Rank::PAIRS) {
    total[i] = r.counts() ? r.total(threadIdx.x * Rank::PAIRS + i) : 0;
    both += (total[i] & 0xffffu) + (total[i] >> 16);
  }
  gp__u32 first = r.before(both);
  GP__EACH(i, Rank::PAIRS) {
    const gp__u32 odd = first + (total[i] & 0xffffu);
    if (r.counts()) r.start_at(threadIdx.x * Rank::PAIRS + i, first | odd << 16);
    first = odd + (total[i] >> 16);
  }
  __syncthreads();
  GP__EACH(i, ITEMS) rank[i] = r.position(rank[i], digit(keys[i], i));
}
