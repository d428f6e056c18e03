// histogram/bins.cuh - the bin of a sample
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, core/arguments.h, device/types.cuh,
//   device/operators.cuh, device/vector_access.cuh

// Counters are in shared memory, the `replicas` copies of each side by side, so that lanes of a warp do not conflict:
// with 32 copies neither uniform nor constant samples make a bank wait. With fewer, a thread first adds up runs of
// equal samples. Meanwhile the first to draw tickets clear the output, a warp a chunk, and publish a tagged word for
// each. Blocks wait for these before they add their counts; they wait only for those that have drawn their ticket.

static const gp__u32 gp__no_bin = ~0u;

// BINS(x) is the bin of a sample, or `bins` if it is in none.
//
// Even bins of integers. d is the smaller of x - lower and width. bins / width = whole + fraction / 2^F, fraction
// rounded up; the excess is e / (width * 2^F) with e < width. Because d * e < 2^F for all d, d * whole + (d * fraction
// >> F) is the exact floor of d * bins / width (Granlund and Montgomery, Division by Invariant Integers using
// Multiplication).
template<class T, bool FLOAT = gp__traits<T>::kind == GP__FLOAT, int SIZE = int(sizeof(T))> struct gp__even_bins;
template<class T> struct gp__even_base {
  static const bool tabulated = false; // no boundaries in memory
  static const int kept = GP__VALUE_BYTES / sizeof(T); // one for each channel
};
template<class T, int SIZE> struct gp__even_bins<T, false, SIZE> : gp__even_base<T> { // 1 and 2 bytes: F = 32
  gp__u32 lower, limit, whole, fraction;
  // `to` may have wrapped: the type's lowest value then means one past its largest.
  GP_DEVICE void set(T from, T to, gp__u64 all) {
    const gp__u32 mask = (1u << (8 * SIZE)) - 1, bins = gp__u32(all);
    lower = gp__u32(from);
    const gp__u32 width = ((gp__u32(to) - lower - 1) & mask) + 1;
    limit = width;
    whole = bins / width;
    fraction = gp__u32(((gp__u64(bins % width) << 32) + width - 1) / width);
  }
  GP_DEVICE gp__u32 operator()(T x) const {
    const gp__u32 far = gp__u32(x) - lower, d = far < limit ? far : limit;
    return d * whole + gp__high_product(d, fraction);
  }
};
template<class T> struct gp__even_bins<T, false, 4> : gp__even_base<T> { // F = 64
  gp__u32 lower, limit, whole, high, low;
  GP_DEVICE void set(T from, T to, gp__u64 all) {
    lower = gp__u32(from);
    const gp__u32 last = gp__u32(to) - lower - 1;
    limit = last + (last < ~0u); // with a width of 2^32 every sample is in a bin
    const gp__u64 width = gp__u64(last) + 1, rest = all % width << 32, rest2 = rest % width << 32;
    whole = gp__u32(all / width);
    const gp__u64 fraction = ((rest / width) << 32) + (rest2 + width - 1) / width; // the second term may be 2^32
    high = gp__u32(fraction >> 32);
    low = gp__u32(fraction);
  }
  GP_DEVICE gp__u32 operator()(T x) const {
    const gp__u32 far = gp__u32(x) - lower, d = far < limit ? far : limit;
    const gp__u64 part = gp__u64(d) * high + gp__high_product(d, low);
    return d * whole + gp__u32(part >> 32);
  }
};
// 8 bytes: bins / width = whole + rest / width. The estimate d * floor(rest * 2^64 / width) / 2^64 is at most one too
// low: it is compared with d * rest, in 96 bits.
template<class T> struct gp__even_bins<T, false, 8> : gp__even_base<T> {
  gp__u64 lower, limit, fraction;
  gp__u32 whole, rest;
  bool exact; // whether the fraction is
  GP_DEVICE void set(T from, T to, gp__u64 all) {
    lower = gp__u64(from);
    const gp__u64 width = gp__u64(to) - lower;
    limit = width;
    if (width == 0) { // 2^64: every sample is in a bin
      limit = ~0ull;
      whole = 0;
      rest = gp__u32(all);
      fraction = all;
      exact = true;
      return;
    }
    whole = gp__u32(all / width);
    gp__u64 r = all % width;
    rest = gp__u32(r);
    fraction = (r << 32) / width;
    r = (r << 32) % width;
    GP__UNROLL_BY(1)
    for (int i = 0; i < 32; ++i) {
      const bool carry = r >> 63;
      r += r;
      const bool one = carry || r >= width;
      fraction = fraction * 2 + one;
      if (one) r -= width;
    }
    exact = r == 0;
  }
  GP_DEVICE gp__u32 operator()(T x) const {
    const gp__u64 far = gp__u64(x) - lower, d = far < limit ? far : limit;
    gp__u32 q = gp__u32(gp__high_product(d, fraction));
    if (!exact) {
      const gp__u64 a0 = (d & 0xffffffffu) * rest, a1 = (d >> 32) * rest + (a0 >> 32);
      const gp__u64 b0 = (limit & 0xffffffffu) * (q + 1), b1 = (limit >> 32) * (q + 1) + (b0 >> 32);
      if (b1 < a1 || (b1 == a1 && gp__u32(b0) <= gp__u32(a0))) ++q;
    }
    return gp__u32(d) * whole + q;
  }
};
template<class T, int SIZE> struct gp__even_bins<T, true, SIZE> : gp__even_base<T> { // floats
  typedef typename gp__traits<T>::wide F;
  F lower, upper, scale;
  gp__u32 bins;
  GP_DEVICE void set(T from, T to, gp__u64 all) {
    lower = F(from);
    upper = F(to);
    bins = gp__u32(all);
    scale = F(bins) / (upper - lower);
  }
  GP_DEVICE gp__u32 operator()(T sample) const {
    const F x = F(sample);
    const gp__u32 q = gp__u32_from(gp__product(x - lower, scale)), last = bins - 1;
    return x >= lower && x < upper ? (q < last ? q : last) : bins;
  }
};
// Bins by boundaries: the number of boundaries not above the sample, by a search among those of its bucket. A sample's
// bucket is never below that of a smaller sample, so this is right however uneven the boundaries are; if they are even,
// there is little to search. NaN: the number is 0.
union gp__guess {
  gp__u32 both;
  gp__u16 at[2]; // boundaries in the buckets before this one; including this one
};
template<class T> struct gp__range_bins {
  static const bool tabulated = true;
  static const int kept = 1;
  const T *boundaries;
  const gp__guess *guesses; // one a bucket
  gp__u32 bins, buckets; // 0 buckets: all boundaries are searched
  gp__even_bins<T> bucket_of; // from the first to the last boundary
  GP_DEVICE gp__u32 operator()(T x) const {
    gp__u32 found = 0, end = buckets ? 0 : bins + 1;
    const gp__u32 bucket = bucket_of(x);
    if (bucket < buckets) {
      const gp__u32 both = guesses[bucket].both;
      found = both & 0xffffu;
      end = both >> 16;
    }
    GP__UNROLL_BY(1)
    while (found < end) {
      const gp__u32 middle = (found + end) / 2;
      if (boundaries[middle] <= x) found = middle + 1;
      else end = middle;
    }
    return found - 1 < bins ? found - 1 : bins;
  }
  // All threads call, with the boundaries in place. One thread writes each half of a guess: that of the first boundary
  // not below the bucket, and that of the last one not above it.
  GP_DEVICE void fill(gp__guess *table, unsigned threads) const {
    GP__UNROLL_BY(1)
    for (gp__u32 i = threadIdx.x; i <= bins; i += threads) {
      const gp__u32 bucket = bucket_of(boundaries[i]);
      const gp__u32 before = i > 0 ? bucket_of(boundaries[i - 1]) + 1 : 0;
      const gp__u32 next = i < bins ? bucket_of(boundaries[i + 1]) : buckets;
      GP__UNROLL_BY(1)
      for (gp__u32 b = before; b <= bucket && b < buckets; ++b) table[b].at[0] = gp__u16(i);
      GP__UNROLL_BY(1)
      for (gp__u32 b = bucket; b < next && b < buckets; ++b) table[b].at[1] = gp__u16(i + 1);
    }
  }
};
// The bins of one channel.
template<class T> GP_DEVICE gp__even_bins<T> gp__bins_of(const gp__even_bins<T> *kept, unsigned channel) {
  return kept[channel];
}
template<class T> GP_DEVICE gp__range_bins<T> gp__bins_of(const gp__range_bins<T> *kept, unsigned channel) {
  gp__range_bins<T> b = *kept;
  b.boundaries += channel * (b.bins + 1);
  return b;
}

// The weight of a sample.
template<class W, class C> struct gp__weight {
  static const bool is = true;
  static const int size = sizeof(W);
  typedef C cell; // of a block's counters
  template<int V> static GP_DEVICE C at(const gp__vector_access<W, V> &w, int j) {
    return gp_convert<W, C>()(w.item[j]);
  }
  static GP_DEVICE C of(const void *weights, gp__u64 pixel) {
    return gp_convert<W, C>()(gp__as<const W>(weights)[pixel]);
  }
};
template<class C> struct gp__weight<gp__none, C> {
  static const bool is = false;
  static const int size = 1;
  typedef gp__u32 cell;
  template<int V> static GP_DEVICE gp__u32 at(const gp__vector_access<gp__none, V> &, int) { return 1; }
  static GP_DEVICE gp__u32 of(const void *, gp__u64) { return 1; }
};
