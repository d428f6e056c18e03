// top_k/shape.h - what top-k and nth element add to the shape of a call

typedef struct gp__shape_of_top_k {
  unsigned long long results; // results of a row
  int drop_keys;              // sorted results without keys, which a sort after the selection would need
} gp__shape_of_top_k;
