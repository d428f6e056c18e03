// api/top_k.h - top-k, nth element, shuffle
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h

// The first k elements of what a stable sort would give, 0 <= k <= count: the smallest keys first, with GP_DESCENDING
// the largest; of equal keys, those that come first in the input (floats in IEEE 754 total order). out_keys: k keys, or
// NULL. out_values: their values, which are elements of value_type of any size; where values is NULL, their indices,
// value_type being u32 or u64; NULL (and value_type 0): not wanted. flags: GP_DESCENDING; GP_UNSORTED: the same
// elements, in an order of the library's choice, the same in each call. More than 1024 sorted results need out_keys,
// where they are sorted. One launch sorts up to 2^15 keys and stores the first k: keys of up to 4 bytes (k > 32: up to
// 2^19, in a workspace for all), or k > 128. Otherwise, up to k = 1024 every key is read once, and blocks keep the best
// they have seen, in one to three launches (workspace: at most k ranks of 4 to 16 bytes for each block). Beyond, radix
// select reads them two or three times, a launch a digit of 11 bits and one that collects (keys alone: one launch), and
// a sort of k follows, one for all rows (workspace: count / 16 keys, and that of the sort). gp_call.op orders keys of
// any type, structs too: LESS, GREATER or a user's operator, whose reverse GP_DESCENDING takes; keys that tie come as
// in the input, and out_keys may be NULL. Up to 1024 results (24 KB of keys and indices, if that is less) every key is
// read once, in up to three launches; beyond, a merge sort (workspace: keys and indices, and that of the sort; rows and
// segments: indices again, and a segmented sort). gp_call.out2 gets indices beside values (out2_type: i32, u32, i64 or
// u64): the call finds indices, and a further launch moves k values a row through them.
GP__API gp_result gp_top_k(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys, const void *values,
    uint64_t count, uint64_t k, void *out_keys, void *out_values, int flags, gp_stream stream);
// The top k of each row of a dense matrix of rows * columns keys: k results a row. Indices count from the start of the
// row; out_indices or out_keys may be NULL. Values in place of indices: gp_call.rows.
GP__API gp_result gp_top_k_rows(gp_context *ctx, gp_type key_type, gp_type index_type, const void *keys, uint64_t rows,
    uint64_t columns, uint64_t k, void *out_keys, void *out_indices, int flags, gp_stream stream);
// The top k of each segment. Segments come by offsets, with or without `end`, or have one length; they do
// not overlap. out_keys[s * k] and out_indices[s * k] are the first results of segment s, in the order of gp_top_k: of
// equal keys, those that come first. Where a segment has fewer than k elements, the rest of its k places keeps what it
// holds. Indices count from the start of the segment; index_type is i32, u32, i64 or u64. One output may be NULL.
// flags: GP_DESCENDING, GP_UNSORTED. gp_call offers values in place of indices (in, out) or beside them (out2), a k for
// each segment (in2) and GP_CHECKED.
//   Launches    Up to three, whatever the lengths, which only the device looks at; mostly one if segments have one
//               length. Each key is read once: by lanes of a warp (up to 512 keys), by a block, or by several
//               (k <= 64: up to 2048 keys twice, by a warp). k > 1024: a segmented sort, and a launch for the first k.
//   Workspace   Offsets: 16 bytes for 513 keys. Long segments: at most 2k ranks of 4 to 16 bytes a block. k > 1024:
//               keys, indices, and that of the sort.
GP__API gp_result gp_segmented_top_k(gp_context *ctx, gp_type key_type, gp_type index_type, const void *keys,
    uint64_t count, const gp_segments *segments, uint64_t k, void *out_keys, void *out_indices, int flags,
    gp_stream stream);
// *out = the key that a sort would put at position n < count (count / 2: a median; count 0: nothing is written);
// GP_DESCENDING: from the largest on. Nothing is rearranged. Radix select, a launch a digit of 11 bits: reads the keys
// once, and again while more than a sixteenth of them agree with the result in the digits that are known; then those
// alone, which are put aside.
GP__API gp_result gp_nth_element(gp_context *ctx, gp_type key_type, const void *keys, uint64_t count, uint64_t n,
    void *out, int flags, gp_stream stream);

// out[i] = in[p(i)] for a permutation p of 0 .. count - 1 that the seed chooses: the same on every device, back end and
// policy. in NULL: out[i] = p(i), type being u32 or u64. For statistics and games, not for secrets. (Mitchell, Stokes,
// Frank and Holmes, Bandwidth-Optimal Random Shuffling for GPUs.) One launch; elements are loaded from anywhere, which
// moves 32 bytes for each that is smaller.
GP__API gp_result gp_shuffle(
    gp_context *ctx, gp_type type, uint64_t seed, const void *in, uint64_t count, void *out, gp_stream stream);
