// api/prepared.h - calls that are checked, chosen and compiled once, and run many times
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h

// A prepared call spares the host most of its work: a run checks pointers and launches. The policy is the one that
// gp_prepared_open chose for its count; a run for which that policy is not valid chooses its own.
typedef struct gp_prepared gp_prepared;

// Checks a call, chooses its policy, compiles and loads its kernels; launches nothing. Buffers may be NULL, as for
// gp_prepare. The call is copied; what it points to (policy, structs, values) is read again by each run, except for the
// policy. Errors: as gp_prepare; *prepared is NULL then.
GP__API gp_result gp_prepared_open(gp_context *ctx, const gp_call *call, gp_prepared **prepared);

// Runs the prepared call with the pointers, counts and values of `call`, whose primitive, operators, types and flags
// are the prepared ones: GP_E_ARGUMENT names a member that is not. The results are those of gp_run. Runs are fastest
// where only pointers change, and each keeps its alignment to 16 bytes; otherwise a run costs the host as much as a
// first gp_run, and may compile. Takes no lock of the context once the stream is the same as in the last run, whose
// workspace the prepared call keeps. Threads that share a prepared call take turns. Errors: as gp_run.
GP__API gp_result gp_prepared_run(gp_prepared *prepared, const gp_call *call, gp_stream stream);

// Frees a prepared call, before or after gp_close of its context; no thread may be in a run of it. Launched work
// continues. Errors: NULL; CONTEXT from a hook.
GP__API gp_result gp_prepared_close(gp_prepared *prepared);
