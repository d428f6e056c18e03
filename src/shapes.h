// shapes.h - the families' members of a call's shape
// uses: select/shape.h, segments/shape.h, histogram/shape.h, sort/shape.h, top_k/shape.h, transpose/shape.h,
//   rows/shape.h, layouts/shape.h, bfs/shape.h

// Members of gp__shape that one family reads, or a few of one kind.
#define GPUPRIMS__FAMILY_SHAPES \
  gp__shape_of_streams stream; \
  gp__shape_of_segments segmented; \
  gp__shape_of_histogram histogram; \
  gp__shape_of_sorts sorted; \
  gp__shape_of_top_k top_k; \
  gp__shape_of_moves moved; \
  gp__shape_of_layouts layout; \
  gp__shape_of_rows rows; \
  gp__shape_of_bfs bfs;
