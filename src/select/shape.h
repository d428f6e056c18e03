// select/shape.h - what streams add to the shape of a call

typedef struct gp__shape_of_streams {
  int parts; // partition: 2 or 3, else 0
} gp__shape_of_streams;
