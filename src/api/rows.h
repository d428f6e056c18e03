// api/rows.h - rows of strided arrays: reductions, maps, scans along an axis
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h

// Rows of strided arrays: reductions, maps, scans along an axis (gp_axes: 1 to 4 dimensions, any strides). No offsets are
// needed, and rows may have any number and length: lanes, a warp, a block or several blocks read one.

// out = the reduction of each row, by the operators and types of gp_reduce: in[0] op in[1] op ... ; ARGMIN and ARGMAX:
// struct { T value; int64_t index; }, the index in the row. A row of no elements has the identity (gp_call.init, if it
// is set); without rows nothing is written. Operands keep their order unless the operator is commutative. The same call
// gives the same bits on one device; GP_REPRODUCIBLE serves exact operators only. `out` overlaps neither the input nor
// itself. One launch; reads every element once.
GPUPRIMS__API gp_result gp_reduce_axis(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type,
                                       const gp_axes *axes, const void *in, void *out, gp_stream stream);

// out = the scan of each row, by the operators and types of gp_inclusive_scan; with GP_EXCLUSIVE (flags; otherwise 0) by
// those of gp_exclusive_scan: cumulative sums along an axis. The initial value of every row is gp_call.init, or none.
// ARGMIN and ARGMAX: struct { T value; int64_t index; }, the index in the row. In place if strides and element sizes of
// in and out are the same. Operands keep their order; the same call gives the same bits; GP_REPRODUCIBLE serves exact
// operators only. One launch; every element is read once and written once. Long rows, and long columns if there are
// few, are cut into tiles that look back (Merrill and Garland); workspace: 16 bytes a tile of a row, 32 for each column
// of a tile, and as much for each further 8 bytes of an accumulator.
GPUPRIMS__API gp_result gp_scan_axis(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const gp_axes *axes,
                                     const void *in, void *out, int flags, gp_stream stream);

// out = apply(x, s) for each element x, where s is the reduction of transform(x) over its row: softmax, layer
// normalisation. transform: unary, from in_type to state_type, or 0, which converts. op: binary, on states, as
// gp_reduce takes it but for ARGMIN and ARGMAX. apply: binary, of an element and a state, as gp_transform2 takes it.
// state_type 0 is in_type, or f32 for f16 and bf16. In place if strides and element sizes of in and out are the same.
// Contiguous rows that fit the registers of a block (16 vectors of 16 bytes a thread) are read once, in one launch.
// Others are reduced, then read again: two launches, and a state a row in the workspace.
GPUPRIMS__API gp_result gp_row_map(gp_context *ctx, gp_op transform, gp_op op, gp_op apply, gp_type in_type,
                                   gp_type state_type, gp_type out_type, const gp_axes *axes, const void *in, void *out,
                                   gp_stream stream);
