// bfs/shape.h - what searches of graphs add to the shape of a call

typedef struct gp__shape_of_bfs {
  int has_transpose; // incoming edges are known too
} gp__shape_of_bfs;
