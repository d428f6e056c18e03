// histogram/even_bin.h - bins of equal width
// uses: core/words.h, core/rules.h

// Bins of equal width for floats: the bin of x in [lower, upper). scale is bins / (upper - lower) in the same type.
// Difference and product are rounded separately (there is no sum to contract), so that the host and every GPU put a
// sample in the same bin.
#define GP__EVEN_BIN(name, T) \
  GP__RULE gp__u64 gp__even_bin_##name(T x, T lower, T scale, gp__u64 bins) { \
    return (gp__u64)((x - lower) * scale) < bins ? (gp__u64)((x - lower) * scale) : bins - 1; \
  }
GP__EVEN_BIN(f32, float)
GP__EVEN_BIN(f64, double)
#undef GP__EVEN_BIN
