// api/sort.h - radix sort
// uses: api/config.h, api/lists.h, api/context_types.h

// Radix sort (Adinets and Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs). Stable, up or
// down: equal keys keep the order of the input with GP_DESCENDING too (flags; otherwise 0). Integers by value, floats
// by IEEE 754 total order: -NaN, -inf, ..., -0, +0, ..., inf, NaN, and NaNs by their payloads. Outputs may be the
// inputs. The same bits on every device: nothing but the order of the elements depends on the keys.
//
// gp_call has more: begin_bit and end_bit, the bits of the ordered key that decide (bit 0 is the least significant; an
// integer's sign and a float's bits are changed so that the order is that of unsigned integers). Struct keys: either
// `fields`, a list of fields, each up or down, the most significant first; or `transform`, a user's unary operator that
// makes of a key (of any type) a value of acc_type, a built-in type. gp_merge_sort takes a comparison. count_device:
// the number of elements, in device memory.
//
// Launches: one that counts the digits of all passes, and one a pass of 8 bits; the first reads the keys, a pass reads
// and writes keys and values, all of them once: u32 keys move 36 bytes each, u64 keys 136, a u32 value 32 more. A digit
// that all keys share is found by the first launch, and its pass moves nothing. Values of more than 16 bytes are moved
// once, by index, at the end. Workspace: room for the keys and values once more, and 1.6 KiB (keys of 8 bytes: 2.1) for
// each tile of 3,000 to 12,000 keys. Keys of 4 bytes with values or indices of 4, beyond 2^20 (GP_PAIRED_SWEEP): the
// same, but between the passes a value lies beside its key, in the workspace and in both outputs, which must be aligned
// to 8 bytes for that; outputs that are not are sorted to as well, as slowly as by GP_ONE_SWEEP.
//
// The same pairs, all bits, 2^23 to 2^28 of them (GP_LEADING_SWEEP): by the leading 8 or 16 bits alone, then buckets of
// some 4000 pairs on chip. A u32 key and value move 52 bytes after two passes. All bits are swept in place, and where
// the count of the digits makes it likely that a bucket is too large for a block, or has many equal keys (random ones,
// each there 4 to 12 times), or a sample of up to 12,288 keys, which the count's last block looks at, that keys are
// there some 20 times each; where none has told of a bucket too large, behind the passes by the leading bits.
// Workspace: 1 % more. So are keys of 4 bytes with values or indices of 8, 2^22 to 2^28 of them: 76 bytes each.
//
// Built-in keys of 4 and 8 bytes alone, all bits of them (GP_HYBRID): from the most significant digit on, until what
// shares its digits fits on chip. Even keys: 4096 of them after two levels at 2^28; a level reads the keys twice and
// writes them once, the last launch reads and writes them: u32 keys move 32 bytes each, u64 keys 64. Launches: two for
// each level that even keys need (one up to 2^20 keys, two up to 2^28), one for all others, and one more. Workspace:
// the keys once more, and 1 KiB for 1000 keys. Up to 64 KiB (GP_ONE_BLOCK): one block, one launch, no workspace.
//
// The same of more than 64 KiB, fewer than 2^30 of them (GP_ADAPTIVE; u32 up to 2^19 and from 2^20 to 2^21 by a
// cooperative launch, as below, then up to 2^24 in one sweep). Up to 2^20 keys: where the first launch finds that
// buckets do not fit on chip, one cooperative launch sorts them, or where it cannot, one sweep a digit by two;
// otherwise as above. Beyond, one more launch comes first, which looks at up to 4096 keys: one sweep where many share
// their upper bits, level after level (u64 below 2^23: 12 bits). It also looks at up to 6144 for such as are equal: one
// sweep where random keys are there some 6 times each or more (u64: 24 to 140, pairs: 10 to 2000, fewer than 2^24
// pairs: 5). What is not chosen exits at once. Workspace: of the one that needs more.
//
// Up to 2^20 elements otherwise, values of at most 16 bytes, any keys and bits; u32 keys alone as said: all passes by
// one launch, of blocks that wait for each other (as many as the device has room for; else as above). A block holds
// 1,000 to 16,000 elements; in a pass it ranks them by 8 bits, all blocks exchange how many they have of each digit,
// and the elements go where they belong. A pass whose digit all keys share moves nothing. Up to 2^15 elements, compute
// capability 9.0 (GP_ONE_CLUSTER): at most 16 blocks, which write to each other's shared memory: in memory each element
// is read once and written once, no workspace. Otherwise (GP_ONE_LAUNCH): cooperatively launched, from the output to
// the output, keys and values read and written once a pass; workspace: 2 KiB a block, and the keys where only indices
// are wanted. Where a device refuses such a launch, one sweep a digit, and a warning.
//
// Built-in keys of 1 and 2 bytes alone, from 2^16 and 2^19 on (GP_COUNTING): the keys are counted, and written anew in
// two or three launches: each is read once and written once. Workspace: counters, up to 2 MiB; from 2^19 keys of two
// bytes on 128 KiB a multiprocessor besides.
//
// GP_HYBRID also sorts built-in keys of 4 and of 8 bytes with values or indices of 4 or 8 bytes, stable as all are,
// fewer than 2^32 of them; behind the choice of GP_ADAPTIVE it is the default of 8-byte keys from 2^23 on. A u32
// key and value move 56 bytes after two levels, a u64 key and a u32 value 88. Workspace: keys and values once more, and
// 2 KiB for 2000 of them. A device without room for its blocks sorts pairs in one sweep.

// out_keys = the keys in order.
GPUPRIMS__API gp_result gp_sort_keys(gp_context *ctx, gp_type key_type, const void *keys, uint64_t count,
                                     void *out_keys, int flags, gp_stream stream);

// The same, and values move with their keys: any type.
GPUPRIMS__API gp_result gp_sort_pairs(gp_context *ctx, gp_type key_type, gp_type value_type, const void *keys,
                                      const void *values, uint64_t count, void *out_keys, void *out_values, int flags,
                                      gp_stream stream);

// indices[i] = where the key stands that comes i-th. index_type: u32 or u64. out_keys: the keys in order, or NULL.
GPUPRIMS__API gp_result gp_argsort(gp_context *ctx, gp_type key_type, gp_type index_type, const void *keys,
                                   uint64_t count, void *out_keys, void *indices, int flags, gp_stream stream);
