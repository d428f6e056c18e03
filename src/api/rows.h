// api/rows.h - rows of strided arrays: reductions, maps, scans, sorts, top-k along an axis
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h

// Rows of strided arrays: reductions, maps, scans, sorts and top-k along an axis (gp_axes: 1 to 4 dimensions, any
// strides). No offsets are needed, and rows may have any number and length: lanes, a warp, a block or several blocks
// read one.

// out = the reduction of each row, by the operators and types of gp_reduce: in[0] op in[1] op ... ; ARGMIN and ARGMAX:
// struct { T value; int64_t index; }, the index in the row. A row of no elements has the identity (gp_call.init, if it
// is set); without rows nothing is written. Operands keep their order unless the operator is commutative. The same call
// gives the same bits on one device; GP_REPRODUCIBLE serves exact operators only. `out` overlaps neither the input nor
// itself. One launch; reads every element once.
GP__API gp_result gp_reduce_axis(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const gp_axes *axes,
    const void *in, void *out, gp_stream stream);

// out = the scan of each row, by the operators and types of gp_inclusive_scan; with GP_EXCLUSIVE (flags; otherwise 0)
// by those of gp_exclusive_scan: cumulative sums along an axis. The initial value of every row is gp_call.init, or
// none. ARGMIN and ARGMAX: struct { T value; int64_t index; }, the index in the row. In place if strides and element
// sizes of in and out are the same. Operands keep their order; the same call gives the same bits; GP_REPRODUCIBLE
// serves exact operators only. One launch; every element is read once and written once. Long rows, and long columns if
// there are few, are cut into tiles that look back (Merrill and Garland); workspace: 16 bytes a tile of a row, 32 for
// each column of a tile, and as much for each further 8 bytes of an accumulator.
GP__API gp_result gp_scan_axis(gp_context *ctx, gp_op op, gp_type in_type, gp_type out_type, const gp_axes *axes,
    const void *in, void *out, int flags, gp_stream stream);

// out = apply(x, s) for each element x, where s is the reduction of transform(x) over its row: softmax, layer
// normalisation. transform: unary, from in_type to state_type, or 0, which converts. op: binary, on states, as
// gp_reduce takes it but for ARGMIN and ARGMAX. apply: binary, of an element and a state, as gp_transform2 takes it.
// state_type 0 is in_type, or f32 for f16 and bf16. In place if strides and element sizes of in and out are the same.
// Contiguous rows that fit the registers of a block (16 vectors of 16 bytes a thread) are read once, in one launch.
// Others are reduced, then read again: two launches, and a state a row in the workspace.
GP__API gp_result gp_row_map(gp_context *ctx, gp_op transform, gp_op op, gp_op apply, gp_type in_type,
    gp_type state_type, gp_type out_type, const gp_axes *axes, const void *in, void *out, gp_stream stream);

// Sorts each row by itself. Stable: equal keys keep their order, with GP_DESCENDING (flags; otherwise 0) too. Keys are
// of any built-in type, floats in IEEE total order. In place if strides of in and out are the same.
//   Rows        that lie one behind the other without gaps are sorted as segments of one length
//               (gp_segmented_sort_keys): the same passes and launches. Others go through the workspace: a transpose
//               (gp_permute) brings them there, and another one back. That moves every key twice more. Strides that
//               gp_permute does not take (not nested, zero, negative) are copied element by element, slower.
//   Workspace   that of the segmented sort; other rows: all keys too.
GP__API gp_result gp_sort_axis(gp_context *ctx, gp_type key_type, const gp_axes *axes, const void *keys, void *out_keys,
    int flags, gp_stream stream);
// The same, and the index in its row of each element, i32, u32, i64 or u64: out_indices has the strides of out_keys,
// which may be NULL. u32 and i32 serve up to 2^32 and 2^31 elements in all. Workspace: keys, if out_keys is NULL or
// rows go through the workspace, and then indices.
GP__API gp_result gp_argsort_axis(gp_context *ctx, gp_type key_type, gp_type index_type, const gp_axes *axes,
    const void *keys, void *out_keys, void *out_indices, int flags, gp_stream stream);
// The first k elements of each sorted row, and their indices in it; of equal keys, those that come first. The output
// has an extent of k along the axis (gp_axes_top_k); axes.extent is that of the input. One output may be
// NULL. flags: GP_DESCENDING, GP_UNSORTED, as gp_segmented_top_k takes them, which does the work on rows without gaps;
// others go through the workspace as above, and so do results with gaps between their rows. gp_call.op orders keys of
// any type, structs too, as gp_top_k has it.
GP__API gp_result gp_top_k_axis(gp_context *ctx, gp_type key_type, gp_type index_type, const gp_axes *axes,
    const void *keys, uint64_t k, void *out_keys, void *out_indices, int flags, gp_stream stream);
