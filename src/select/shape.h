// select/shape.h - members of a call's shape for streams

typedef struct gp__shape_of_streams {
  int parts; // partition: 2 or 3, else 0
  int by_position; // selection of described values: made where they are written
} gp__shape_of_streams;
