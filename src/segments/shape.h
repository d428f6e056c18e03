// segments/shape.h - what segmented reductions add to the shape of a call

typedef struct gp__shape_of_segments {
  int by_ranges; // with `end`
} gp__shape_of_segments;
