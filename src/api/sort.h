// api/sort.h - radix sort
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h

// Radix sort (Adinets and Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs). Stable, up or
// down: equal keys keep the order of the input, with GP_DESCENDING (flags; otherwise 0) too. Integers sort by value,
// floats in IEEE 754 total order: -NaN, -inf, ..., -0, +0, ..., inf, NaN, and NaNs by their payloads. Outputs may be
// the inputs. Keys and values may be described (GP_INPUT): one launch writes them to the outputs first. The result has
// the same bits on every device. gp_call has further options:
//
//     begin_bit, end_bit  the bits of the ordered key that decide; bit 0 is the least significant. The ordered key is
//                         an unsigned integer: an integer's sign and a float's bits are changed accordingly
//     fields              for struct keys: a list of fields, each up or down, the most significant first
//     transform           for keys of any type: a user's unary operator, whose result of a built-in type (acc_type) is
//                         the key to sort by; gp_merge_sort takes a comparison
//     count_device        the number of elements, in device memory
//     GP_LITTLE_MEMORY    (flags; gp_merge_sort_keys too) sorts 8 blocks, then merges neighbours 36 times, through a
//                         workspace of 3/8 of keys and values; slower. Writes out_keys; takes no count_device, range of
//                         bits, or policy. No effect below 2^16 elements and on the host
//
// Default algorithm by the number of elements, for a GPU of compute capability 9.0 with 132 multiprocessors; a tuned
// row or the caller's policy may choose another. Keys are of built-in types and sort by all bits, except in the last
// row.
//
//     keys        values      algorithm: up to this number of elements
//     4 bytes     none        one block: 2^14; cluster: 2^15; one launch: 2^19; adaptive: 2^20; one launch: 2^21;
//                             one sweep: 2^24; adaptive: 2^30; hybrid
//     8 bytes     none        one block: 2^13; adaptive: 2^30; hybrid
//     1, 2 bytes  none        cluster: 2^15; one launch: 2^16 (2 bytes: 2^19); counting
//     4 bytes     4 bytes     cluster: 2^15; one launch: 2^20; paired sweep: 2^23; leading sweep: 2^28; paired sweep
//     4 bytes     8 bytes     cluster: 2^15; one launch: 2^20; one sweep: 2^22; leading sweep: 2^28; one sweep
//     8 bytes     4, 8 bytes  cluster: 2^15; one launch: 2^20; one sweep: 2^23; adaptive: 2^30; hybrid: 2^32; one sweep
//     others      any         cluster: 2^15; one launch: 2^19 or 2^20; one sweep
//
// The leading sweep also takes counts of up to 2 % above 2^20 and above 2^28.
//
// Cost for keys of k bytes and values of e bytes (indices count as values). Bytes moved are for each element. A copy is
// room for the keys and values. Pass: 8 bits of the key. A pass moves nothing if all keys share its digit.
//
//     algorithm         bytes moved                    launches          workspace
//     GP_ONE_BLOCK      2 k                            1                 none
//     GP_ONE_CLUSTER    2 (k + e)                      1                 none
//     GP_ONE_LAUNCH     2 (k + e) a pass               1, cooperative    2 KiB a block; the keys if only indices are
//                                                                        wanted
//     GP_ONE_SWEEP      k, 2 (k + e) a pass            1, 1 a pass       copy; 1.6 KiB (k = 8: 2.1) a tile of 3,000 to
//                                                                        12,000 keys
//     GP_PAIRED_SWEEP   k, 2 (k + e) a pass            1, 1 a pass       as GP_ONE_SWEEP
//     GP_LEADING_SWEEP  k + 6 (k + e) for even keys    9                 as GP_ONE_SWEEP, and 1 %
//     GP_HYBRID         k + 2 (k + e) a level, then    2 a level that    copy; 1 KiB for 1,000 elements
//                       2 (k + e); even keys: 1 level  even keys need,
//                       to 2^20, 2 levels to 2^28      then 2
//     GP_ADAPTIVE       as the sort that it selects    as GP_HYBRID,     the larger one of the two sorts
//                                                      and 1 to 3
//     GP_COUNTING       2 k                            2 or 3            up to 2 MiB; 2-byte keys from 2^19 on also
//                                                                        128 KiB a multiprocessor
//
// Values of more than 16 bytes move once, by index, after the sort.
//
// GP_PAIRED_SWEEP interleaves keys and values between passes, in the workspace and in both outputs. Outputs that are
// not aligned to 8 bytes are sorted too, at the speed of GP_ONE_SWEEP.
//
// GP_LEADING_SWEEP sorts by the leading 8 or 16 bits, then buckets of about 4,000 pairs on chip. It sweeps all bits
// instead in four cases: the sort is in place; the digit counts make a bucket too large for a block likely, or one with
// many equal keys (random keys that occur 4 to 12 times each); a sample of up to 12,288 keys has keys that occur some
// 20 times each; a bucket turns out too large after the passes by leading bits.
//
// GP_HYBRID sorts from the most significant digit down, until a bucket fits on chip. It takes keys of 4 and 8 bytes,
// and fewer than 2^32 of them with values. A device without room for its blocks sorts pairs in one sweep.
//
// GP_ADAPTIVE runs GP_HYBRID unless the device selects another sort; kernels of the other one exit at once.
//
//     keys        one sweep, or up to 2^20 keys one cooperative launch, runs if
//     up to 2^20  the first launch finds buckets that do not fit on chip
//     more        a sample of up to 4,096 keys shares its upper bits (u64 below 2^23: 12 bits), or in a sample of up to
//                 6,144 random keys occur some 6 times each (u64: 24 to 140; pairs: 10 to 2,000, below 2^24 pairs: 5)
//
// GP_ONE_CLUSTER (compute capability 9.0) uses at most 16 blocks, which write to each other's shared memory.
// GP_ONE_LAUNCH uses as many blocks as the device has room for, of 1,000 to 16,000 elements each: in a pass, a block
// ranks its elements by 8 bits, all blocks exchange their digit counts, and the elements move to their places. Both
// take values of at most 16 bytes. If a device refuses such a launch, one sweep sorts, and the log has a warning.

// out_keys = the keys in order.
GP__API gp_result gp_sort_keys(
    gp_context *ctx, gp_type key_type, const void *keys, uint64_t count, void *out_keys, int flags, gp_stream stream);

// Sorts keys, and moves values of any type with them.
GP__API gp_result gp_sort_pairs(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, void *out_keys, void *out_values, int flags, gp_stream stream);

// indices[i] = input index of the i-th key in order. index_type: u32 or u64. out_keys: the keys in order, or NULL.
GP__API gp_result gp_argsort(gp_context *ctx, gp_type key_type, gp_type index_type, const void *keys, uint64_t count,
    void *out_keys, void *indices, int flags, gp_stream stream);

// Sorts keys, and moves any number of columns of values with them, up to 64. columns, in host memory, says of each
// its type, the input and the output. One column alone is a sort of pairs. Otherwise indices move with the keys, of 4
// bytes up to 2^32 elements, and then each column once: out[i] = in[index[i]], up to 24 columns a launch. Reads of the
// input are random, 32 bytes an element and column; writes are in order. out_keys may be keys; no other output overlaps
// a buffer of the call. key_type is a built-in type. gp_call.count_device may lower count. Cost: a sort of keys with
// indices, and for each column of e bytes 4 + 2 e bytes an element. Workspace: 4 or 8 bytes an element, and the sort's.
// *columns may have further keys; gp_call.key_columns says how many. out: indices as of gp_argsort, or NULL.
GP__API gp_result gp_sort_columns(gp_context *ctx, gp_type key_type, const void *keys, uint64_t count,
    const gp_column *columns, uint64_t column_count, void *out_keys, int flags, gp_stream stream);

// indices[i] = input index of the i-th row in order, by up to 8 columns. The first column is the primary key, and each
// further one orders the rows that are equal in those before it (NumPy's lexsort has its primary key last). A column
// goes down if its `descending` or GP_DESCENDING is set, but not both. Rows that are equal in every column keep their
// order. columns[i].out gets that column in order, or is NULL. index_type: i32, u32, i64 or u64. Outputs overlap
// nothing, except that the only column may be sorted in place. Sorts indices by one column after the other, the least
// significant first. Cost: for each column of k bytes the sort of its keys with indices, and 2 k + 4 bytes an element
// for the random reads before it. Workspace: n keys of the largest column, and the sort's.
GP__API gp_result gp_argsort_columns(gp_context *ctx, gp_type index_type, const gp_column *columns,
    uint64_t column_count, uint64_t count, void *indices, int flags, gp_stream stream);
