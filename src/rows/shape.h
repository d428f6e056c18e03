// rows/shape.h - what rows of strided arrays add to the shape of a call
// uses: core/words.h

typedef struct gp__shape_of_rows { // segments of the call: rows
  gp__u64 length; // of a row
  gp__u64 columns; // neighbouring lanes read neighbouring rows, so many side by side; 0: one row
  int shifted; // rows begin anywhere between multiples of 16 bytes
  int whole; // a row is whole vectors, contiguous, on multiples of 16 bytes
} gp__shape_of_rows;
