// select/shape.h - members of a call's shape for streams

typedef struct gp__shape_of_streams {
  int parts; // partition: 2 or 3, else 0
} gp__shape_of_streams;
