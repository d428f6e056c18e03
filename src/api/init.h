// api/init.h - structs at their defaults
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/graph_types.h, api/call.h

// Structs that callers fill begin with struct_size, the size in the caller's header. It tells the library which members
// exist, so that a program keeps running with a newer library. These functions set struct_size, and every other member
// to its default (zero). The header compiles them into the program. Other languages zero the struct and set struct_size
// themselves.
#define GP__INIT(name, type) \
  GP__INLINE type name(void) { \
    type made; \
    __builtin_memset(&made, 0, sizeof made); \
    made.struct_size = sizeof made; \
    return made; \
  }
GP__INIT(gp_config_init, gp_config)
GP__INIT(gp_type_desc_init, gp_type_desc)
GP__INIT(gp_op_desc_init, gp_op_desc)
GP__INIT(gp_graph_init, gp_graph)
GP__INIT(gp_layout_init, gp_layout)
GP__INIT(gp_permutation_init, gp_permutation)
GP__INIT(gp__axes_init, gp_axes)
GP__INIT(gp_description_init, gp_description)
GP__INIT(gp__call_init, gp_call)
GP__INIT(gp__segments_init, gp_segments)
// A call of a primitive: struct_size and `primitive` are set, every other member has its default. Set the members that
// the primitive reads, then gp_run.
GP__INLINE gp_call gp_call_init(gp_primitive primitive) {
  gp_call call = gp__call_init();
  call.primitive = primitive;
  return call;
}
// `count` segments with count + 1 offsets: segment s has the elements from offsets[s] up to offsets[s + 1].
GP__INLINE gp_segments gp_segments_init(gp_type offset_type, const void *offsets, uint64_t count) {
  gp_segments segments = gp__segments_init();
  segments.offset_type = offset_type;
  segments.begin = offsets;
  segments.count = count;
  return segments;
}
// The rows along an axis of a dense array, the last dimension contiguous; the output is dense too. gp_axes_reduced: it
// has one element a row, that is an extent of 1 along the axis. gp_axes_top_k: k elements a row. gp_axes_mapped: it has
// the shape of the input.
GP__INLINE gp_axes gp__axes_of(int dimensions, const uint64_t *extent, int axis, uint64_t results) {
  gp_axes a = gp__axes_init();
  uint64_t in = 1, out = 1;
  int d;
  a.dimensions = dimensions;
  a.axis = axis;
  for (d = (dimensions < 4 ? dimensions : 4) - 1; d >= 0; --d) {
    a.extent[d] = extent[d];
    a.in_stride[d] = (int64_t)in;
    a.out_stride[d] = (int64_t)out;
    in *= extent[d];
    out *= d == axis && results != UINT64_MAX ? results : extent[d];
  }
  return a;
}
GP__INLINE gp_axes gp_axes_reduced(int dimensions, const uint64_t *extent, int axis) {
  return gp__axes_of(dimensions, extent, axis, 1);
}
GP__INLINE gp_axes gp_axes_top_k(int dimensions, const uint64_t *extent, int axis, uint64_t k) {
  return gp__axes_of(dimensions, extent, axis, k);
}
GP__INLINE gp_axes gp_axes_mapped(int dimensions, const uint64_t *extent, int axis) {
  return gp__axes_of(dimensions, extent, axis, UINT64_MAX);
}
