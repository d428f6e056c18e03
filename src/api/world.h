// api/world.h - worlds: several GPUs, joined by NCCL
// uses: api/config.h, api/lists.h, api/context_types.h, api/graph_types.h, api/call.h, api/init.h

// A world: contexts of one GPU each, its ranks, in one process or several, which communicate by NCCL (2.19 or later),
// opened at run time. An array is all shards in the order of the ranks; each rank has one, by a pointer and a count.
// Every rank makes the same calls of a world in the same order, with the same types, operators and options, on one
// stream or on streams that wait for one another.
typedef struct gp_world gp_world;
enum { GP_WORLD_ID_BYTES = 128 };

// How a rank joins: by a communicator that the program has, or by an id that one rank has made and sent to the others.
typedef struct gp_world_config {
  uint32_t struct_size; // sizeof(gp_world_config): gp_world_config_init sets it
  void *communicator; // an ncclComm_t of the context's device, or NULL. It stays the caller's; a world that breaks
      // aborts it
  const void *id; // without a communicator: GP_WORLD_ID_BYTES bytes, from gp_world_id
  int rank, size; // with an id: 0 <= rank < size
  const char *nccl_library; // NULL: $GPUPRIMS_NCCL, or libnccl.so.2 by its system name; otherwise an absolute path
  double timeout; // seconds that gp_world_open, gp_world_wait and calls that wait give the others; 0: 60
} gp_world_config;
GP__INIT(gp_world_config_init, gp_world_config)
#undef GP__INIT

// Makes an id (GP_WORLD_ID_BYTES bytes) for one world. nccl_library: see gp_world_config. Errors: CONTEXT, NULL, WORLD.
GP__API gp_result gp_world_id(gp_context *ctx, const char *nccl_library, void *id);

// Joins a world; every rank calls, and returns when all have. Ranks with other versions of the library are refused.
// *world is NULL after an error. Errors: CONTEXT, NULL, ARGUMENT, MEMORY, WORLD.
GP__API gp_result gp_world_open(gp_context *ctx, const gp_world_config *config, gp_world **world);

// Waits for the world's work, leaves it, and frees its memory. Close worlds before their context.
GP__API gp_result gp_world_close(gp_world *world);

// This rank; the number of ranks. -1 where the world is null or closed.
GP__API int gp_world_rank(const gp_world *world);
GP__API int gp_world_size(const gp_world *world);

// Waits for the work on the stream, at most gp_world_config.timeout seconds. A rank that died, a communicator that was
// aborted, or a rank that calls something else, is GP_E_WORLD on every rank that waits: the world is broken then, its
// communicator aborted, and all later calls say so. Inputs stay as they were.
GP__API gp_result gp_world_wait(gp_world *world, gp_stream stream);

// Runs a call on the whole array. `in`, `keys`, `count`, count_device and the outputs are this rank's. Asynchronous on
// the stream, except (*), where the host waits, as sends need its counts. Results:
//
//     reduce, count_if, any, all: on every rank, the same bits; operands keep the order of the ranks; indices of ARGMIN
//         and ARGMAX count in the array. GP_REPRODUCIBLE (*): the bits of gp_reduce of the whole array, on any number
//         of ranks; at most 1 / 4096 of the array moves at a border of shards
//     inclusive_scan, exclusive_scan: of the rank's shard: one more read of it, for the totals that the ranks exchange.
//         Every rank gives the same init
//     histogram_even, histogram_ranges: on every rank; counts of i32, u32, i64, u64, f32 or f64
//     top_k (*): on every rank; indices count in the array
//     sort, merge_sort (*): of the rank's share: shares differ by one element at most, whatever the shards and keys.
//         Stable. `in` NULL with `out`: indices, which count in the array
//     nth_element (*): on every rank; n counts in the array, whose keys are read once for each 11 bits
//     transpose (*): even shares of the rows of the transposed matrix: see gp_world_transpose
//     copy (*): the shards in even shares
//     select, partition: of the rank's shard; GP_BALANCED (*): its even share of all results, or of each part's
//     unique, reduce_by_key (*): as of the whole array: a run across ranks is one run, and belongs to the first one;
//         with GP_BALANCED even shares
//     group_by (*): groups in the order of their keys, in even shares
//     bfs, connected_components (*): see gp_world_bfs and gp_world_components
//
// capacity: room of the outputs of calls that move elements between ranks; 0: count. If a share exceeds it, every rank
// gets an error, and nothing is written. out_count, in device memory: this rank's number of results; also of sort,
// merge_sort and copy, or NULL. GP_CHECKED: ranks first compare what they call, and wait for that. Errors: as gp_run;
// WORLD; UNSUPPORTED: other primitives, scans and groups by ARGMIN, ARGMAX, GP_REPRODUCIBLE of scans and folds by key
// where the order of operands matters (sums and products of floats, users' operators), sorts of complex keys, by some
// bits, by fields or by a transform; (*) in a stream that is captured. There, a call needs memory and kernels that the
// same call has got before the capture: WORKSPACE. A graph keeps its memory until gp_close. Calls of the world share it
// and run before or after the graph.
GP__API gp_result gp_world_run(gp_world *world, const gp_call *call, gp_stream stream);

// *bytes = the world's memory after the call, if it is the first one, for a rank of `size`; for bfs at most. counts:
// elements of each rank's shard (rows of a transpose, vertices of a graph). call: as of gp_world_run; nothing is read.
// The memory grows with calls and stays until gp_world_close; group_by frees a part. The calls of each rank take the
// stream's workspace besides (gp_workspace_size). Errors: CONTEXT, NULL, ARGUMENT, UNSUPPORTED; as gp_prepare.
GP__API gp_result gp_world_workspace_size(
    gp_context *ctx, const gp_call *call, const uint64_t *counts, int size, int rank, uint64_t *bytes);

// *out = the reduction of the whole array, on every rank.
GP__API gp_result gp_world_reduce(gp_world *world, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream);

// The rank's shard of the scan of the whole array.
GP__API gp_result gp_world_inclusive_scan(gp_world *world, gp_op op, gp_type in_type, gp_type out_type, const void *in,
    uint64_t count, void *out, gp_stream stream);
GP__API gp_result gp_world_exclusive_scan(gp_world *world, gp_op op, gp_type in_type, gp_type out_type,
    const void *init, const void *in, uint64_t count, void *out, gp_stream stream);

// The rank's even share of the sorted array; capacity, out_count, and GP_DESCENDING: see gp_world_run.
GP__API gp_result gp_world_sort_keys(gp_world *world, gp_type key_type, const void *keys, uint64_t count,
    void *out_keys, uint64_t capacity, uint64_t *out_count, gp_stream stream);
GP__API gp_result gp_world_sort_pairs(gp_world *world, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, void *out_keys, void *out_values, uint64_t capacity, uint64_t *out_count,
    gp_stream stream);

// The first k elements of the sorted array, on every rank, as gp_top_k.
GP__API gp_result gp_world_top_k(gp_world *world, gp_type key_type, gp_type value_type, const void *keys,
    const void *values, uint64_t count, uint64_t k, void *out_keys, void *out_values, int flags, gp_stream stream);

// *out = the key that a sort of the whole array would put at position n, on every rank, as gp_nth_element. n >= the sum
// of the counts: GP_E_ARGUMENT on every rank; no elements: nothing is written. bool: 0 or 1.
GP__API gp_result gp_world_nth_element(gp_world *world, gp_type key_type, const void *keys, uint64_t count, uint64_t n,
    void *out, int flags, gp_stream stream);

// Transposes a matrix that is spread by rows: this rank has `rows` dense rows of `columns` elements, of any type. out:
// the rank's even share of the `columns` rows of the transposed matrix, dense. capacity: elements that out has room
// for; 0: rows * columns. *out_rows, in device memory, or NULL: rows in the share. in and out may overlap. Waits.
GP__API gp_result gp_world_transpose(gp_world *world, gp_type type, const void *in, uint64_t rows, uint64_t columns,
    void *out, uint64_t capacity, uint64_t *out_rows, gp_stream stream);

// Graphs in rows: their vertices are those of all ranks in their order, fewer than 2^32 - 1. rows: this rank's
// vertices, maybe none, and the edges that leave them: offsets from 0 on, targets (u32) among all vertices. in_offsets
// is not read. rows->flags are the same on every rank. Offsets and targets are trusted.

// Breadth-first search: depths (i32) and parents (u32; or NULL) of this rank's vertices, as gp_bfs; source: among all
// vertices, the same on every rank. Levels of few edges send 8 bytes for a vertex once in a search. Others, if a graph
// is GP_SYMMETRIC, exchange the frontier, a bit a vertex. The host waits in every level. Memory: 16 bytes for each
// vertex of all ranks, and 20 for each of this one. GP_E_ARGUMENT on every rank: source is no vertex.
GP__API gp_result gp_world_bfs(
    gp_world *world, const gp_graph *rows, uint64_t source, void *depths, void *parents, gp_stream stream);

// Connected components: labels (u32) of this rank's vertices, and *components (device memory, or NULL), the same number
// on every rank, as gp_connected_components. ceil(log2(ranks)) exchanges of 4 bytes for each vertex of all ranks.
// Memory: 24 bytes for each of these.
GP__API gp_result gp_world_components(
    gp_world *world, const gp_graph *rows, void *labels, uint64_t *components, gp_stream stream);
