// api/segmented_sort.h - segmented sort
// uses: api/config.h, api/lists.h, api/context_types.h

// Segmented sort: each segment by itself, stable: equal keys keep their order, descending too. `begin` and `end`
// as for gp_segmented_reduce, but segments do not overlap; elements of no segment are not touched: the output keeps
// there what it held. flags: GP_DESCENDING, or 0. Keys are of any built-in type, floats in IEEE total order. A gp_call
// may also say which bits count (begin_bit, end_bit), and be GP_CHECKED.
//   Passes      Segments of up to 32 elements, and those that a warp sorts (to 1024 keys of 4 bytes, 512 of 8, 256
//               pairs of 4 and 4), are read once and written once; so are those that fit a block (8 Ki keys of 4 bytes,
//               4 Ki of 8, 4 Ki pairs of 4 and 4, with the portable policy). Longer ones are read
//               twice and written once for each 8 bits that partition them, until their parts fit a block: mostly once
//               or twice.
//   Launches    Two to four, whatever the lengths, which only the device looks at.
//   Workspace   Lists, of up to 16 bytes for 33 elements; where more elements are given than fit a block, also an
//               alternate buffer for keys and values, and counters of about an eighth of the keys' bytes.
GPUPRIMS__API gp_result gp_segmented_sort_keys(gp_context *ctx, gp_type key_type, const void *keys, void *out_keys,
                                               uint64_t count, gp_type offset_type, const void *begin, const void *end,
                                               uint64_t segments, int flags, gp_stream stream);

// The same, and values go along with their keys, of any type up to 64 bytes. values NULL: out_values becomes the index
// of each element in `keys` (not in its segment), value_type being u32 or u64: an argsort of each segment.
GPUPRIMS__API gp_result gp_segmented_sort_pairs(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
                                                void *out_keys, const void *values, void *out_values, uint64_t count,
                                                gp_type offset_type, const void *begin, const void *end,
                                                uint64_t segments, int flags, gp_stream stream);
