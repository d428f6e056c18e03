// layouts/kinds.c - the kernels of conversions of layouts

#define GP__KINDS_OF_LAYOUTS(X) \
  X(CONVERT_LAYOUT, gp__convert_layout, gp__layout_args, layouts, 0) \
  X(TURN_LAYOUT, gp__turn_layout, gp__layout_args, layouts, 0)
