// histogram/even_bin.h - bins of equal width
// uses: core/rules.h

// Bins of equal width for floats: the bin of x in [lower, upper). scale is bins / (upper - lower) in the same type.
// Difference and product are rounded separately (there is no sum to contract), so that the host and every GPU put a
// sample in the same bin.
#define GP__EVEN_BIN(name, T) \
  GP__RULE unsigned long long gp__even_bin_##name(T x, T lower, T scale, unsigned long long bins) { \
    return (unsigned long long)((x - lower) * scale) < bins ? (unsigned long long)((x - lower) * scale) : bins - 1; \
  }
GP__EVEN_BIN(f32, float)
GP__EVEN_BIN(f64, double)
#undef GP__EVEN_BIN
