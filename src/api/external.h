// api/external.h - arrays larger than device memory
// uses: api/config.h, api/lists.h, api/context_types.h, api/init.h

// Functions of the caller. They move `bytes` bytes at `offset` of an array, or hear how many elements of `total` are
// done, and return 0. Any other number ends the call: GP_E_CALLBACK. The thread of the call calls them.
typedef int (*gp_read_fn)(void *user, uint64_t offset, uint64_t bytes, void *buffer);
typedef int (*gp_write_fn)(void *user, uint64_t offset, uint64_t bytes, const void *buffer);
typedef int (*gp_progress_fn)(void *user, uint64_t done, uint64_t total);

// An array in host memory, pageable or page-locked, or behind functions, as in a file.
typedef struct gp_external_array {
  void *memory; // NULL: the functions
  gp_read_fn read; // of inputs and scratch
  gp_write_fn write; // of outputs and scratch
  void *user;
} gp_external_array;

typedef struct gp_external_config {
  uint32_t struct_size; // sizeof(gp_external_config): gp_external_config_init sets it
  int flags; // of sorts: GP_DESCENDING
  gp_op less; // of sorts: 0: gp_sort_keys' order; or a user's, as in gp_merge_sort_keys, with its host function
  uint64_t memory; // bytes of device memory that the call may use; 0: 15/16 of what is free (the host back end,
      // where it bounds the buffers: 1 GiB)
  const gp_external_array *scratch; // room for sorted runs, of count keys, up to a multiple of 256 bytes, and count
      // values; NULL: the library's own
  const char *folder; // of a temporary file for sorted runs, which has no name; NULL: host memory
  gp_progress_fn progress; // after each block; or NULL
  void *user; // of progress
} gp_external_config;
GP__INIT(gp_external_config_init, gp_external_config)

// These calls wait; they run on streams of their own. Blocks that fit in `memory` are read, sorted and written as runs
// to scratch; then a block after another is gathered from the runs, whose exact parts searches on the host find. One
// block is copied in, one sorted, and one copied out at the same time. Each element crosses the link twice each way,
// or once if a single block holds all; then there is no scratch. Copies from page-locked memory take no detour through
// buffers of the library (up to 128 MiB). Host memory besides: 4 KiB a run. memory must hold about 4 blocks and a
// sort's workspace, with more elements in a block than there are blocks: otherwise GP_E_MEMORY names the least that
// works. An output may be an input, or overlap any. Outputs do not overlap each other or scratch. After an error or a
// cancel outputs are undefined, and inputs are as they were; an input that is an output stays so until results are
// written: by the second pass (`done` is above count), or by the only block. Errors: CONTEXT, NULL, ARGUMENT, SIZE,
// MEMORY, CALLBACK, DRIVER; TYPE, OPERATOR, UNSUPPORTED as gp_run.

// out_keys = the keys in order; values of any type, or value_type 0 and NULL, move with them. Stable, up and down.
GP__API gp_result gp_external_sort(gp_context *ctx, const gp_external_config *config, gp_type key_type,
    gp_type value_type, const gp_external_array *keys, const gp_external_array *values, uint64_t count,
    const gp_external_array *out_keys, const gp_external_array *out_values);

// As gp_group_by, keys ascending. Blocks of partial results take the place of runs, so that floats round by blocks: the
// same bits for the same `memory`. *groups, in host memory: their number. capacity: room of outputs; groups beyond
// are counted, not written. `done` ends at `total`, which shrinks after the first pass.
GP__API gp_result gp_external_group_by(gp_context *ctx, const gp_external_config *config, gp_op op, gp_type key_type,
    gp_type value_type, const gp_external_array *keys, const gp_external_array *values, uint64_t count,
    const gp_external_array *out_keys, const gp_external_array *out_values, uint64_t capacity, uint64_t *groups);
