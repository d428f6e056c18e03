// layouts/shape.h - what conversions of layouts add to the shape of a call

typedef struct gp__shape_of_layouts { // in_size and out_size of the call are those of structs
  unsigned long long in_width, out_width;
  unsigned long long in_bytes; // bytes of the whole input
  int chunk;                   // structs that a thread takes at a time; 0: values one by one; -1: another order of axes
} gp__shape_of_layouts;
