// manual.h - the header's first page: how to use it, what it promises, how it is built

// gpuprims.h - v0.2.0 - CUDA's parallel primitives as one C header - MIT licence (text at the end of LICENSE)
//
// Copy, transform, reduce and scan; the same by segments and by key; runs, selection, partition, histograms, search;
// sorts, merges, sets, top-k, shuffles; transposes and layouts of structs: at the speed of the memory system, callable
// from plain C, without nvcc, and on machines without a GPU. The same text holds the tile routines on which you can
// build kernels of your own.
//
// 1. USE FROM A .C FILE (gcc or clang; no nvcc, no CUDA headers, link with -ldl -lpthread -lm)
//
//        #define GPUPRIMS_IMPLEMENTATION      // in exactly one file of the program
//        #include "gpuprims.h"
//        ...
//        gp_context *ctx;
//        gp_open(NULL, &ctx);                                     // a GPU if there is one, otherwise the host
//        gp_reduce(ctx, GP_SUM, GP_F32, GP_F32, in, n, out, stream);   // device pointers, any stream (NULL: default)
//        gp_close(ctx);
//
//    Every call returns a gp_result; gp_last_message() says in words what went wrong and names the argument.
//    Pointers and streams of the CUDA runtime, PyTorch and CuPy work as they are: the context uses the device's primary
//    context, as they do.
//
// 2. USE FROM A .CU FILE: the same; the implementation may sit in a .c or in a .cu file.
//
// 3. USE IN A KERNEL (.cu file): include the header, and build on the tile routines (section >>tile), under a policy of
//    your own. Storage in shared memory is yours; each routine's comment says who holds the result and when the storage
//    may be used again. examples/tile_kernel.cu is a complete program.
//
// 4. WITHOUT NVCC, WITHOUT NVRTC: kernels are compiled at their first call by NVRTC (libnvrtc, opened at run time), and
//    kept in memory and in a disk cache. tools/gp_bundle compiles a list of kernels ahead of time into one C header;
//    give it to gp_config.bundle and no compiler is needed on the machine.
//
// 5. WITHOUT A GPU: the same calls on host pointers, by plain C (and OpenMP where the compiler has it). Chosen when no
//    GPU is found, or by gp_config.backend = GP_BACKEND_HOST.
//
// CONTENTS (search for the mark)
// @CONTENTS@
//
// DOES                                              DOES NOT
//    run asynchronously on your stream                 synchronise, or copy a result back
//    work under CUDA graph capture                     allocate while a stream is captured
//    keep the same bits from call to call              print, abort, or change its plan in silence
//    take any alignment the element type allows        take strides (transposes do) or pinned iterators
//    open libcuda and libnvrtc at run time             need a toolkit to build or to run
//    run on sm_75 and later, Linux, x86-64, aarch64    promise Windows, macOS, or big-endian machines
//
// CONTRACTS
//    Counts       64-bit everywhere, no relaunch at 2^31. A count may live in device memory (gp_call.count_device). How
//                 many elements were selected, or runs found, is written to device memory (out_count), so that the next
//                 call can take it from there; the host need not know.
//    Workspace    The context keeps one workspace a stream and grows it in stream order. At its front are tagged words,
//                 through which a call's blocks communicate and which no call clears; at its back is scratch memory,
//                 which holds nothing between calls: sorts keep a copy of their elements there. While the stream is
//                 captured nothing grows: too small is GP_E_WORKSPACE with the size needed in the message; gp_reserve
//                 prepares it. A graph keeps using the workspace of the stream it was captured on: do not replay it
//                 while other calls run on that stream, or replay it twice at once.
//                 Workspaces of 128 streams are kept (gp_config.workspaces). A further stream takes the place of the
//                 least recently used one whose work has ended; none that a graph may use. From half that number on,
//                 each call records an event, which tells when its work has ended (under 1 us; no call waits for it).
//                 Streams seen before and never used again keep their place. gp_trim frees workspaces and kernels,
//                 gp_close what is left.
//    Kernels      A context keeps 4096 kernels. Where it builds more, it unloads the least recently used ones, but none
//                 that a graph captured. A call that builds a kernel may wait for the device, as the driver may where
//                 it loads and unloads code; a call whose kernels are loaded does not (gp_prepare).
//    Errors       On an argument error nothing was launched and outputs are untouched; the next call works.
//    Reproducible The same call gives the same bits, floats included: by segments, by key and in histograms too. Two
//                 calls are the same when the device, the policy, types, operators, numbers, flags and data are, and
//                 when each pointer that they read has the same address modulo 16; scans ask that of `out` too. Other
//                 alignments may choose another policy and group floats otherwise. With GP_REPRODUCIBLE reductions
//                 and scans of floats, by segment and by key too, and group by give the same bits on every GPU,
//                 policy, alignment and back end; a call that cannot promise it, or a policy that cannot, is
//                 GP_E_UNSUPPORTED. (Reduce by key and group by then reorder operands as segmented reduce does; reduce
//                 by key takes no policy.)
//    Order        Operators need to be associative, never commutative. Operands of a user's operator that says
//                 commutative = 0 keep their order everywhere. So do all operands of scans, reduce by key and group by.
//                 Reduce and segmented reduce may reorder operands of built-in operators, and of users' that say
//                 commutative = 1: a product of f16 may then overflow on the way although it does not in order. An
//                 initial value comes first. Runs, unique, select and partition (each part) leave their results in
//                 the order of the input. Sorts and merges are stable, with GP_DESCENDING too. Sorts of numbers, top-k
//                 and group by order floats by IEEE 754 total order: -NaN, -inf, ..., -0, +0, ..., inf, NaN, and NaNs
//                 by their payloads. Where an order is given (merges, merge sort, sets, searches), floats compare as
//                 in C, and there may be no NaN.
//    Results      whose number the data decides need room for the most there can be; nothing is written after them.
//                 Overlap is judged by that room, so that a smaller output with another buffer right after it is
//                 GP_E_OVERLAP. A part of a partition may be as small as it comes out: its beginning is judged.
//    Offsets      of segments are trusted: wrong ones give unspecified results, and reads may leave the input. With
//                 GP_CHECKED they are read first: the first bad index goes to *gp_call.bad, nothing else is written.
//    In place     | call            | out == in                          | partial overlap |
//                 | copy            | yes (does nothing)                 | GP_E_OVERLAP    |
//                 | reverse         | yes                                | GP_E_OVERLAP    |
//                 | transform,      | yes where element sizes are equal; | GP_E_OVERLAP    |
//                 |   replace_if    |   over a stencil too               |                 |
//                 | reduce          | GP_E_OVERLAP                       | GP_E_OVERLAP    |
//                 | scan, by key or | yes where element sizes are equal; | GP_E_OVERLAP    |
//                 |   of segments   |   not over keys, flags, offsets    |                 |
//                 | select, unique  | yes; not over flags; out_count apart | GP_E_OVERLAP  |
//                 | sorts: radix,   | yes: keys, values, or both; not    | GP_E_OVERLAP    |
//                 |   merge, by     |   over offsets                     |                 |
//                 |   segments      |                                    |                 |
//                 | sort_columns    | the keys, if they are the only key | GP_E_OVERLAP    |
//                 | group by        | values, where sizes are equal      | GP_E_OVERLAP    |
//                 | transpose       | of the last two dimensions, others | GP_E_OVERLAP    |
//                 |                 |   as they are; square, or dense    |                 |
//                 | convert_layout  | yes, except to or from columns     | GP_E_OVERLAP    |
//                 | row_map,        | yes where strides and element      | GP_E_OVERLAP    |
//                 |   scan_axis,    |   sizes are the same               |                 |
//                 |   sort_axis     |                                    |                 |
//                 | others          | GP_E_OVERLAP                       | GP_E_OVERLAP    |
//    Alignment    A pointer is aligned to its element type (a struct: gp_type_desc.align). Nothing else is asked.
//    Threads      One context may be used from many host threads; many contexts, devices, processes side by side. A
//                 call that races gp_close runs whole, or is GP_E_CONTEXT. After fork() the child gets GP_E_FORK from a
//                 context of its parent. Hooks may not use a context.
//    Memory       The back end must reach all buffers: device, managed or registered memory (any memory, where
//                 the device reads the host's pages) for a GPU, host or managed memory for the host. GP_E_ARGUMENT
//                 names a buffer out of its reach, before anything is launched. The driver is asked about the first
//                 pointer into each 2 MiB of addresses, and by GP_CHECKED about every pointer; not under capture.
//                 Values (init, value, scalar, ...) are read by the host, during the call; so are the structs that a
//                 call points to.
//    ABI          Structs that you fill begin with struct_size, which gp_call_init, gp_config_init, gp_segments_init
//                 and the others set. A program runs with a newer library of the same soname; a member that an older
//                 library does not have is GP_E_UNSUPPORTED where it is set. gp_version() is the library's version.
//
// BUILD OPTIONS (define before the include)
//    GPUPRIMS_IMPLEMENTATION     this file holds the implementation
//    GPUPRIMS_STATIC             every function is static: the copy is private to this file
//    GPUPRIMS_NAMESPACE=abc      every external name becomes abc_gp_...: several copies in one program
//    GPUPRIMS_POLICIES="file"    the tuned table; default "gpuprims_policies.h" where the compiler finds one
//    GP_POLICY_ROWS(ROW)         a tuned table of your own instead (its form: section >>dispatch)
//    GPUPRIMS_SOURCE="file"      the path of this file, where __FILE__ is not it (-fmacro-prefix-map, other tools)
//    GPUPRIMS_NO_EMBED           do not embed this file's text: read it from GPUPRIMS_SOURCE or __FILE__ at run time
