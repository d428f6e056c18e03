// api/transpose.h - transposes and permutations of dimensions
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h

// Transpose. Elements of any type, of 1 to 64 bytes. Pitches (leading dimensions) and strides are in elements. Matrices
// are row-major and aligned to their elements; rows whose addresses are all multiples of 16 bytes move fastest. Out of
// place, one launch reads and writes each element once: 2 * rows * columns * size bytes. `out` may be `in` for square
// matrices with the same strides on both sides, and for dense matrices:
//
//     in place                          bytes moved, launches           workspace
//     square, equal strides             2 * rows * columns * size, 1    none
//     dense, some fit a tile whole      2 * rows * columns * size, 1    none
//     dense, up to 64 MiB each:         4 * rows * columns * size, 2    as large as the matrices that move together:
//       GP_ROUND_TRIP                                                   contiguous ones, up to 64 MiB
//     dense, 128 MiB and more, sides    half of the elements moves      0.3 to 0.45 times the matrix; more stages, less
//       of some hundred elements:       once, the other half twice      workspace
//       GP_BUFFERED_PANELS
//     other dense, and all dense with   2 steps, each reads and writes  up to 72 MiB if a side has a divisor that makes
//       GP_PADDED_TILES                 everything once; or 3 steps     64 to 512 bytes; else 64 MiB, or one row (128
//                                                                       bytes of all rows) if that is more, or none
//
// GP_ROUND_TRIP transposes into the workspace and copies back; a policy may ask for it beyond 64 MiB too. If the
// transpose out of place has r times the speed of a copy, the round trip has 1 / (1 / r + 1) times, and more if the L2
// cache holds both. If a launch fails, each matrix is either unchanged or transposed. The third step of dense matrices
// is for sides without such a divisor: columns and rows move through shared memory if they fit, else through workspace.

// out[c * out_pitch + r] = in[r * in_pitch + c], r < rows, c < columns. Pitch 0: dense, columns and rows.
GP__API gp_result gp_transpose(gp_context *ctx, gp_type type, const void *in, uint64_t in_pitch, uint64_t rows,
    uint64_t columns, void *out, uint64_t out_pitch, gp_stream stream);

// Transposes `batch` dense, contiguous matrices. With pitches or strides: gp_permute.
GP__API gp_result gp_transpose_batched(gp_context *ctx, gp_type type, const void *in, uint64_t rows, uint64_t columns,
    uint64_t batch, void *out, gp_stream stream);

// Dimensions in another order: out(i[order[0]], i[order[1]], ...) = in(i[0], i[1], ...), see gp_permutation, which is
// read during the call. Dimensions that stay neighbours are merged; the rest is a copy of rows, or transposes of
// matrices.
GP__API gp_result gp_permute(
    gp_context *ctx, gp_type type, const gp_permutation *permutation, const void *in, void *out, gp_stream stream);
