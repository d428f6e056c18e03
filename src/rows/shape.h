// rows/shape.h - what rows of strided arrays add to the shape of a call

typedef struct gp__shape_of_rows { // segments of the call: rows
  unsigned long long length;       // of a row
  unsigned long long columns;      // neighbouring lanes read neighbouring rows, so many side by side; 0: one row
  int shifted;                     // rows begin anywhere between multiples of 16 bytes
} gp__shape_of_rows;
