// transpose/shape.h - what transposes add to the shape of a call
// uses: core/words.h

typedef struct gp__shape_of_moves { // gp__moves; segments of the call: matrices; key_size: of an element
  int kind, form, word;
  gp__u64 columns, rows;
} gp__shape_of_moves;
