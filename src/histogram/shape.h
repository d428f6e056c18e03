// histogram/shape.h - members of a call's shape for histograms
// uses: core/words.h

typedef struct gp__shape_of_histogram {
  gp__u64 bins; // of a channel
  int channels, active;
  int by_ranges;
} gp__shape_of_histogram;
