// api/context.h - contexts; users' types and operators
// uses: api/config.h, api/lists.h, api/context_types.h

// The version of the library that runs, which may be newer than the header that the program was compiled with: 10000 *
// major + 100 * minor + patch.
GP__API int gp_version(void);

// Opens a context. config may be NULL. On success *ctx is set; otherwise *ctx is NULL. GP_BACKEND_AUTO takes the host
// where there is no driver library, or a driver that sees no device (cuInit's CUDA_ERROR_NO_DEVICE: also with
// CUDA_VISIBLE_DEVICES=""); gp_description.fallback says which. The log says which back end runs, and why. Everything
// else that is wrong with a driver or a device is an error with AUTO too: a library that does not load, a stub, a
// mismatch of versions, a device that does not exist or is too old. Errors: NULL, ARGUMENT, NO_DEVICE,
// DEVICE_TOO_OLD, DRIVER, BUNDLE, MEMORY, CONTEXT (from a hook).
GP__API gp_result gp_open(const gp_config *config, gp_context **ctx);

// Waits for calls of other threads to return, then for the GPU, then frees all that the context holds. Calls that begin
// later, a second gp_close too, are GP_E_CONTEXT; so is one from a hook, which closes nothing. NULL is GP_E_CONTEXT. It
// waits for all work in the device's primary context, other libraries' included (cuCtxSynchronize), because a stream
// that was used may be destroyed by now and cannot be asked. With gp_config.own_work it waits for the work of its own
// calls alone, unless a graph has captured one of them. A context that has loaded no kernel and allocated no memory
// waits for nothing.
GP__API gp_result gp_close(gp_context *ctx);

// Describes the device that the context runs on. Errors: CONTEXT, NULL.
GP__API gp_result gp_describe(gp_context *ctx, gp_description *description);

// The name ("GP_E_NULL") and meaning of a result. Never NULL.
GP__API const char *gp_result_name(gp_result result);
GP__API const char *gp_result_text(gp_result result);

// The message of this thread's last call that failed: the function and the argument, by the names in its
// prototype, or the driver's call and its code, or the compiler's message with line and text. gp_run, and others that
// take a gp_call, name the primitive and the member: "gp_partition: out2 (the second part) is null". Never NULL; valid
// until the next call of the thread fails. A call that succeeds leaves it alone, so it is empty where none has failed.
GP__API const char *gp_last_message(void);

// ---- types and operators

// Name ("f32") of a built-in type or operator ("SUM"), or of one defined in ctx. NULL where unknown. ctx may be NULL.
GP__API const char *gp_type_name(gp_context *ctx, gp_type type);
GP__API const char *gp_op_name(gp_context *ctx, gp_op op);

// Size in bytes of a type; 0 where unknown. ctx may be NULL for built-in types.
GP__API size_t gp_type_size(gp_context *ctx, gp_type type);

// Defines a struct type or an operator for this context; strings are copied. The handle lives as long as the context.
// Errors: CONTEXT, NULL, ARGUMENT. The source is compiled, and its errors told, at the first call that uses it, or by
// gp_prepare.
GP__API gp_result gp_type_struct(gp_context *ctx, const gp_type_desc *desc, gp_type *type);
GP__API gp_result gp_op_define(gp_context *ctx, const gp_op_desc *desc, gp_op *op);
