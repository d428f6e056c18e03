// top_k/shape.h - what top-k and nth element add to the shape of a call
// uses: core/words.h

typedef struct gp__shape_of_top_k {
  gp__u64 results; // results of a row
  int drop_keys; // sorted results without keys, which a sort after the selection would need
  int order_bytes; // an operator orders the keys: bytes of an index in a rank; else 0
} gp__shape_of_top_k;
