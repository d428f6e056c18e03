// layouts/shape.h - what conversions of layouts add to the shape of a call
// uses: core/words.h

typedef struct gp__shape_of_layouts { // in_size and out_size of the call are those of structs
  gp__u64 in_width, out_width;
  gp__u64 in_bytes; // bytes of the whole input
  int chunk; // structs that a thread takes at a time; 0: values one by one; -1: another order of axes
} gp__shape_of_layouts;
