// select/kinds.c - the kernels of streams

#define GP__KINDS_OF_SELECT(X) \
  X(STREAM_SEGMENTS, gp__stream_segments, gp__stream_args, stream, 0) \
  X(STREAM_LOOK_BACK, gp__stream_look_back, gp__stream_args, stream, 0) \
  X(STREAM_CLUSTER, gp__stream_cluster, gp__stream_args, stream, 0) \
  X(STREAM_PIPELINED, gp__stream_pipelined, gp__stream_args, stream, 0)
