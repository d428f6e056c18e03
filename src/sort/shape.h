// sort/shape.h - what radix sorts add to the shape of a call

typedef struct gp__shape_of_sorts {
  int begin_bit, end_bit; // by default 0 and 8 times the size of the key
  int drop_keys; // indices only; acc_size: of the ordered key, if not key_size
} gp__shape_of_sorts;
