// sort/shape.h - what radix sorts add to the shape of a call

typedef struct gp__shape_of_sorts {
  int begin_bit, end_bit; // 0 to 8 times the size of the key where the caller sets none
  int drop_keys;          // indices only; acc_size is the ordered key's where it is not key_size
} gp__shape_of_sorts;
