// segments/shape.h - members of a call's shape for segmented reductions

typedef struct gp__shape_of_segments {
  int by_ranges; // with `end`
} gp__shape_of_segments;
