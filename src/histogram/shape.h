// histogram/shape.h - members of a call's shape for histograms

typedef struct gp__shape_of_histogram {
  unsigned long long bins; // of a channel
  int channels, active;
  int by_ranges;
} gp__shape_of_histogram;
