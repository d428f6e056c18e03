// scan/kinds.c - the kernels of scans

#define GP__KINDS_OF_SCAN(X) \
  X(LOOK_BACK, gp__scan_look_back, gp__scan_args, scan, 0) \
  X(PIPELINED, gp__scan_pipelined, gp__scan_args, scan, 0) \
  X(UPSWEEP, gp__scan_upsweep, gp__scan_args, scan, 0) \
  X(SPINE, gp__scan_spine, gp__scan_args, scan, 0) \
  X(DOWNSWEEP, gp__scan_downsweep, gp__scan_args, scan, 0) \
  X(SCAN_CLUSTER, gp__scan_cluster, gp__scan_args, scan, 0)
