// shapes.h - what families add to the shape of a call
// uses: histogram/shape.h, layouts/shape.h

// The members of gp__shape that one family reads, or a few of one kind.
#define GPUPRIMS__FAMILY_SHAPES                                                                                        \
  gp__shape_of_histogram histogram;                                                                                    \
  gp__shape_of_layouts layout;
