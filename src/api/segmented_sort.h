// api/segmented_sort.h - segmented sort
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h

// Segmented sort: sorts each segment by itself. Stable: equal keys keep their order, descending too. Segments come by
// offsets, with or without `end`, and do not overlap. Outside the segments the outputs keep what they hold. flags:
// GP_DESCENDING, or 0. Keys are of any built-in type, floats in IEEE total order. gp_call offers begin_bit, end_bit
// (the bits that decide) and GP_CHECKED.
//   Passes      Segments of up to 32 elements, and those that a warp sorts (to 1024 keys of 4 bytes, 512 of 8, 256
//               pairs of 4 and 4), are read once and written once; so are those that fit a block (8 Ki keys of 4 bytes,
//               4 Ki of 8, 4 Ki pairs of 4 and 4, with the portable policy). Longer ones are read
//               twice and written once for each 8 bits that partition them, until their parts fit a block: mostly once
//               or twice.
//   Launches    Two to four, whatever the lengths, which only the device looks at.
//   Workspace   Lists, of up to 16 bytes for 33 elements; where more elements are given than fit a block, also an
//               alternate buffer for keys and values, and counters of about an eighth of the keys' bytes.
GP__API gp_result gp_segmented_sort_keys(gp_context *ctx, gp_type key_type, const void *keys, uint64_t count,
    const gp_segments *segments, void *out_keys, int flags, gp_stream stream);

// Sorts pairs: each value, of any type up to 64 bytes, follows its key. values NULL: out_values receives the index of
// each element in `keys` (not in its segment) as value_type, u32 or u64: an argsort of each segment.
GP__API gp_result gp_segmented_sort_pairs(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, const gp_segments *segments, void *out_keys, void *out_values, int flags,
    gp_stream stream);
