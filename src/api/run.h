// api/run.h - any call, and what can be asked about it before it runs
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/call.h

// Runs a call. Errors: CONTEXT FORK NULL ARGUMENT TYPE OPERATOR SIZE ALIGNMENT OVERLAP POLICY STREAM WORKSPACE MEMORY
// NO_COMPILER COMPILE DRIVER UNSUPPORTED.
GP__API gp_result gp_run(gp_context *ctx, const gp_call *call, gp_stream stream);

// Compiles and loads what the call needs, and launches nothing. Buffers may be NULL: what is built is then what the
// call needs with all buffers that its types, flags and graph speak of, each aligned to 16 bytes and none in place.
// Values and indices are there where in_type or out_type says so, weights and lengths where in2_type and out2_type do;
// optional results without a type (parents of a reproducible search, gp_call.bad of graph_from_edges) are counted in.
// `end` and the lists of edges change the kernels: give any pointer but NULL where the call has them (lists of
// edges that lead to vertices). A call in place, or with less aligned buffers, is prepared with its own pointers.
GP__API gp_result gp_prepare(gp_context *ctx, const gp_call *call);

// Gets the kernels of `count` calls in two threads of the context. calls: read here, checked as by gp_prepare. name: or
// NULL; also the kernels that a context used last under this name: gp_close writes down, in the disk cache, those used
// from now on. If a kernel does not compile, the log warns. Errors: as gp_prepare, with the call's index.
GP__API gp_result gp_warm(gp_context *ctx, const gp_call *calls, uint64_t count, const char *name);

// The workspace that a call of this shape needs, in bytes: tagged words first, then scratch memory, each in whole
// 256 bytes. Pure: depends on the call's shape and the device only, and holds for buffers of any alignment. A transpose
// in place: for pointers of the given alignment.
GP__API gp_result gp_workspace_size(gp_context *ctx, const gp_call *call, uint64_t *bytes);

// The same for any device, which need not be there; the context may be on the host. `device` is gp_describe's answer
// there, or has compute_capability (75 and more), multiprocessors, and name, which finds the tuned rows. Errors: as
// gp_workspace_size; DEVICE_TOO_OLD.
GP__API gp_result gp_workspace_size_on(
    gp_context *ctx, const gp_call *call, const gp_description *device, uint64_t *bytes);

// Grows the stream's workspace to `bytes` at least, so that calls that need no more can be captured. Several calls: the
// most that one of them needs. But scratch memory stays clear of the words of calls that were captured: where a graph
// has sorts and other calls, the sum of the two largest sizes is enough. Of more streams than the context keeps
// workspaces for, the least recently used lose theirs, reserved or not, until a call on them is captured.
GP__API gp_result gp_reserve(gp_context *ctx, gp_stream stream, uint64_t bytes);

// Frees workspaces of streams, the least recently used first, until those left take at most `bytes` of device memory;
// with 0 it also unloads all kernels, which the disk cache has. Workspaces and kernels of calls that run in other
// threads, of captured graphs and of prepared calls stay. Where there is something to free, waits as gp_close does. A
// later call on the stream gets a new workspace. Errors: CONTEXT, FORK, DRIVER.
GP__API gp_result gp_trim(gp_context *ctx, uint64_t bytes);

// The policy that the call will run on, with every field filled in, and where it came from.
GP__API gp_result gp_policy_origin(gp_context *ctx, const gp_call *call, gp_policy *policy, gp_policy_source *source);

// The policy that the machine code of the call's kernel was compiled for, read back from the loaded module: for tuners
// and tests, which must know that what they measured is what they asked for. Loads the kernel where it is not loaded;
// waits for the copy of a few bytes, so not while capturing. The host back end: all zero. Errors as gp_prepare.
GP__API gp_result gp_policy_echo(gp_context *ctx, const gp_call *call, gp_policy *policy);

// Where the machine code of the call's kernel came from when it was loaded (GP_KERNEL_NONE: not loaded yet), and the
// kernel's full name in `name` (capacity bytes, cut short if need be; may be NULL with 0).
GP__API gp_result gp_kernel_origin(
    gp_context *ctx, const gp_call *call, gp_kernel_source *source, char *name, size_t capacity);

// Writes the policy space of a primitive as JSON: {"primitive": ..., "fields": [{"name", "default", "values"}], ...}.
// Returns the length without the final zero, even where capacity is too small (snprintf's rule). Pure.
GP__API size_t gp_policy_space(gp_primitive primitive, char *json, size_t capacity);

// Compiles the call's kernels for another compute capability than the device's (no device needed, host contexts too)
// and hands each image to `take`: tools/gp_bundle and the tests of all architectures use it. `key` is the name
// under which a bundle is searched. Errors as gp_prepare.
typedef void (*gp_take_image_fn)(void *user, const char *key, const void *image, size_t bytes);
GP__API gp_result gp_compile(
    gp_context *ctx, const gp_call *call, int compute_capability, gp_take_image_fn take, void *user);
