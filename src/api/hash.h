// api/hash.h - calls that find equal keys in hash tables
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h

// Keys are of a built-in type or a struct type, and equal if their bytes are, as in gp_group_by: -0 and +0, and NaNs
// with other payloads, differ; padding bytes of a struct count. Keys of bool are equal if both are true, or both false.
// No key is special. Joins, and groups and distinct elements of structs and complex numbers, take a table of open
// addressing in the workspace: slots of 8 bytes, two for each key and two more, so that at most half are taken. Each
// key is hashed once. Groups and distinct elements of other types take a sort. Fewer than 2^31 keys. The same bits come
// out of every call, on every device and on the host. Results whose number the data decides: *out_count, in device
// memory, is their number, whatever the room of the outputs, and what does not fit is not written.

// For each distinct key, `aggregate_count` (1 to 8) results: aggregates[i], in host memory, says which of which column.
// Keys of built-in types come in ascending order as in gp_group_by, and so complex ones are an error; structs come in
// the order of their first occurrence. key_type may be GP_INPUT: keys then leads to a gp_input, whose elements are
// written to the workspace first; a zipped one makes keys of several columns, whose struct has no padding and no bool.
// out_keys may be NULL. Outputs have room for `capacity` groups, 0: `count`; groups beyond are counted. Outputs overlap
// nothing. gp_call.count_device may lower count. A sort brings the rows of a group together; of structs, a sort of the
// first rows of their keys, which a table finds. A thread folds up to 31 rows of a group, warps share more, so that
// frequent keys cost no more than others. If all aggregates read one column and need no index, the sort moves it.
// Workspace: the key, 8 to 12 bytes and up to 6 bytes of words a row, and the sort of count keys; of structs 24 more.
GP__API gp_result gp_group_by_many(gp_context *ctx, gp_type key_type, const void *keys, uint64_t count,
    const gp_aggregate *aggregates, uint64_t aggregate_count, void *out_keys, uint64_t capacity, uint64_t *out_count,
    gp_stream stream);

// out[i] = the i-th distinct element, in the order of first occurrence; room for `capacity` of them, 0: `count`. type
// may be GP_INPUT, as in gp_group_by_many. The order costs a sort of the distinct elements' indices, and the
// sort of the elements moves indices; with GP_UNSORTED or GP_FASTEST (gp_call.flags) they come in any order without.
GP__API gp_result gp_distinct(gp_context *ctx, gp_type type, const void *in, uint64_t count, void *out,
    uint64_t capacity, uint64_t *out_count, gp_stream stream);

// *out_count = the number of distinct elements.
GP__API gp_result gp_count_distinct(
    gp_context *ctx, gp_type type, const void *in, uint64_t count, uint64_t *out_count, gp_stream stream);

// Joins `probe` with `build`, whose keys are in the table. Indices are u32; with gp_call.out_type = GP_I64 of
// GP_JOIN, i64. Pairs are in ascending order of the probe, then of the build index. Outputs have room for `capacity`
// indices; each may be NULL, and if all are, the call only counts. gp_call.count_device may lower probe_count. Outputs
// overlap nothing; build may be probe. Workspace: for pairs, 32 bytes a build key and the sort of 4-byte keys with
// indices, otherwise 16 bytes a build key; 16 bytes a probe.
// All pairs with equal keys: out_probe[i] and out_build[i]. With gp_left_join also probes without a partner, whose
// out_build is -1, all bits set.
GP__API gp_result gp_inner_join(gp_context *ctx, gp_type key_type, const void *build, uint64_t build_count,
    const void *probe, uint64_t probe_count, void *out_probe, void *out_build, uint64_t capacity, uint64_t *out_count,
    gp_stream stream);
GP__API gp_result gp_left_join(gp_context *ctx, gp_type key_type, const void *build, uint64_t build_count,
    const void *probe, uint64_t probe_count, void *out_probe, void *out_build, uint64_t capacity, uint64_t *out_count,
    gp_stream stream);

// Probes that have a partner, each once; gp_anti_join: those that have none.
GP__API gp_result gp_semi_join(gp_context *ctx, gp_type key_type, const void *build, uint64_t build_count,
    const void *probe, uint64_t probe_count, void *out_probe, uint64_t capacity, uint64_t *out_count, gp_stream stream);
GP__API gp_result gp_anti_join(gp_context *ctx, gp_type key_type, const void *build, uint64_t build_count,
    const void *probe, uint64_t probe_count, void *out_probe, uint64_t capacity, uint64_t *out_count, gp_stream stream);

// out[i] = 1 if build has probe[i], otherwise 0: one byte each. Workspace: 16 bytes a build key.
GP__API gp_result gp_contains(gp_context *ctx, gp_type key_type, const void *build, uint64_t build_count,
    const void *probe, uint64_t probe_count, uint8_t *out, gp_stream stream);
