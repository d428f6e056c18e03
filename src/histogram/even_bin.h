// histogram/even_bin.h - bins of equal width
// uses: core/rules.h

// Bins of equal width, samples that are floats: the bin of x, which lies in [lower, upper); scale is the quotient of
// bins and upper - lower in the same type. The difference and the product are rounded one after the other (there is no
// sum to contract), so that the host and every GPU put a sample in the same bin.
#define GPUPRIMS__EVEN_BIN(name, T)                                                                                    \
  GPUPRIMS__RULE unsigned long long gp__even_bin_##name(T x, T lower, T scale, unsigned long long bins) {              \
    return (unsigned long long)((x - lower) * scale) < bins ? (unsigned long long)((x - lower) * scale) : bins - 1;    \
  }
GPUPRIMS__EVEN_BIN(f32, float)
GPUPRIMS__EVEN_BIN(f64, double)
#undef GPUPRIMS__EVEN_BIN
