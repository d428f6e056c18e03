// transpose/shape.h - what transposes add to the shape of a call

typedef struct gp__shape_of_moves { // gp__moves; segments of the call: matrices; key_size: of an element
  int kind, form, word;
  unsigned long long columns, rows;
} gp__shape_of_moves;
