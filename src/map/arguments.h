// map/arguments.h - arguments of copy, fill, iota, transform
// uses: core/words.h, core/arguments.h

typedef struct gp__map_args {
  const void *in;
  const void *in2;
  void *out;
  gp__u64 count;
  const gp__u64 *count_device; // or null
  gp__value value; // fill: the element; iota: the start; replace: the new value
  gp__value step; // iota; replace: what elements are compared with
} gp__map_args;
