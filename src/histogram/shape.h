// histogram/shape.h - what histograms add to the shape of a call

typedef struct gp__shape_of_histogram {
  unsigned long long bins; // of a channel
  int channels, active;
  int by_ranges;
} gp__shape_of_histogram;
