// api/histogram.h - histograms
// uses: api/config.h, api/lists.h, api/context_types.h

// Histograms. counter_type: i32, u32, i64 or u64 (counters wrap), or f32 or f64 with weights. The output is
// written whole, whatever it held. One launch; samples are read once. Several channels, weights: gp_call.channels,
// .in2. All channels together have fewer than 2^31 bins. Float counters: the same call gives the same bits on one
// device; one more reading of the samples for every 40 KiB of counters.

// bins of equal width over [*lower, *upper), both of the samples' type and in host memory; a sample outside is not
// counted, nor is a NaN. Integers: bin = (x - lower) * bins / (upper - lower), exact; lower NULL: from the type's
// lowest value on; upper NULL: up to its largest value, which is counted too. Floats: in the samples' type (f16 and
// bf16: f32), (x - lower) * (bins / (upper - lower)), toward zero, and the last bin where that comes out as `bins`.
GP__API gp_result gp_histogram_even(gp_context *ctx, gp_type type, gp_type counter_type, const void *lower,
    const void *upper, const void *in, uint64_t count, void *out, uint64_t bins, gp_stream stream);

// Bin i is [boundaries[i], boundaries[i + 1]); bins + 1 boundaries of the samples' type, rising, in device memory.
GP__API gp_result gp_histogram_ranges(gp_context *ctx, gp_type type, gp_type counter_type, const void *in,
    uint64_t count, const void *boundaries, uint64_t bins, void *out, gp_stream stream);
