// api/transpose.h - transposes and permutations of dimensions
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h

// Transpose. Elements of any type, of 1 to 64 bytes. Each element is read once and written once, in one launch;
// out of place: 2 * rows * columns * size bytes. Pitches (leading dimensions) and strides are in elements. Matrices lie
// row by row and are aligned to their elements; rows whose addresses are all multiples of 16 bytes move fastest. `out`
// may be `in` where matrices are square, with the same strides on both sides: one launch, as out of place; or where
// they are dense. Small dense ones, of which a tile has some whole, take one launch too. Dense ones of up to 64 MiB, as
// many at a time as lie one behind the other and are no more together, go out of place into a workspace of their size
// and come back by a copy (GP_ROUND_TRIP, which a policy may ask for beyond 64 MiB too): two launches, 4 * rows *
// columns * size bytes, so that r of a copy's speed out of place becomes 1 / (1 / r + 1) of it, and more where the L2
// cache holds both. Where a launch fails, matrices are as they were or done. Dense ones of 128 MiB and more, with sides
// of some hundred elements, take one step that moves half of the elements once and the other half twice, through a
// workspace of 0.3 to 0.45 times the matrix (GP_BUFFERED_PANELS; more stages, less workspace). Others, and under a
// policy with GP_PADDED_TILES all, take two steps, each of which reads and writes everything once, and at most 72 MiB
// of workspace, where a side has a divisor that makes 64 to 512 bytes; else up to three such steps, by columns and rows
// that fit shared memory, or through workspace: 64 MiB, or one row (128 bytes of all rows) if that is more.

// out[c * out_pitch + r] = in[r * in_pitch + c], r < rows, c < columns. Pitch 0: dense, columns and rows.
GPUPRIMS__API gp_result gp_transpose(gp_context *ctx, gp_type type, const void *in, uint64_t in_pitch, uint64_t rows,
                                     uint64_t columns, void *out, uint64_t out_pitch, gp_stream stream);

// Transposes `batch` dense matrices, one after the other in memory. With pitches or strides: gp_permute.
GPUPRIMS__API gp_result gp_transpose_batched(gp_context *ctx, gp_type type, const void *in, uint64_t rows,
                                             uint64_t columns, uint64_t batch, void *out, gp_stream stream);

// Dimensions in another order: out(i[order[0]], i[order[1]], ...) = in(i[0], i[1], ...), see gp_permutation, which is
// read during the call. Dimensions that stay neighbours are taken for one; what is left is a copy of rows, or
// transposes of matrices.
GPUPRIMS__API gp_result gp_permute(gp_context *ctx, gp_type type, const gp_permutation *permutation, const void *in,
                                   void *out, gp_stream stream);
