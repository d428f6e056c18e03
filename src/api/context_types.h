// api/context_types.h - configuration and description of a context; users' types and operators
// uses: api/config.h

// The origin of a kernel's machine code.
typedef enum gp_kernel_source {
  GP_KERNEL_NONE = 0, // not loaded yet
  GP_KERNEL_BUNDLE = 1, // gp_config.bundle or bundle_file
  GP_KERNEL_DISK = 2, // the disk cache
  GP_KERNEL_COMPILED = 3, // NVRTC, in this process
  GP_KERNEL_HOST = 4 // no kernel: the host back end
} gp_kernel_source;

typedef enum gp_backend { GP_BACKEND_AUTO = 0, GP_BACKEND_CUDA = 1, GP_BACKEND_HOST = 2 } gp_backend;

// A CUDA stream: a cudaStream_t or CUstream, or NULL for the default stream. The host back end ignores it.
typedef void *gp_stream;

typedef struct gp_context gp_context;
struct gp_bundle; // made by tools/gp_bundle
struct gp_driver; // the table of driver functions, section >>driver; tests put another in its place

// Hooks: the allocator's two, the log, gp_take_image_fn and the operators of the host back end. They run while the
// library holds locks, so a hook uses no context: every call that takes one, gp_open and gp_close too, is GP_E_CONTEXT
// with the hook's name in the message. A hook must not wait for another thread that is in such a call.

// Allocator hooks for workspaces. `allocate` returns device memory aligned to 256 bytes, usable in stream order on
// `stream`, or NULL; `release` takes it back in stream order. Memory of a stream that may be gone is released on the
// stream of the call that takes its place, or by gp_close on NULL: all work on it has ended then.
typedef void *(*gp_allocate_fn)(void *user, size_t bytes, gp_stream stream);
typedef void (*gp_release_fn)(void *user, void *pointer, size_t bytes, gp_stream stream);

typedef enum gp_log_level { GP_LOG_INFO = 0, GP_LOG_WARNING = 1 } gp_log_level;
typedef void (*gp_log_fn)(void *user, gp_log_level level, const char *message);

enum { GP_DEVICE_CURRENT = -1, GP_WORKSPACES = 128 };

// ONLINE: calls on a GPU find better policies while the program runs, see docs/tuner.md. The context has threads of its
// own then, which build kernels and call the log; no call waits for them but gp_close. Sums of floats may be grouped
// otherwise from call to call, as another policy groups them; not with GP_REPRODUCIBLE.
typedef enum gp_tuning { GP_TUNING_OFF = 0, GP_TUNING_ONLINE = 1 } gp_tuning;

// How a context is opened. gp_config_init sets the defaults: zero in every member but struct_size.
typedef struct gp_config {
  uint32_t struct_size; // sizeof(gp_config): gp_config_init sets it
  gp_backend backend; // AUTO: HOST where there is no driver library or no device, else CUDA
  int device; // ordinal, or GP_DEVICE_CURRENT: the device of the thread's current CUDA context
  gp_allocate_fn allocate; // NULL: the driver's stream-ordered allocator; set both or neither
  gp_release_fn release; //
  void *allocator_user; //
  gp_log_fn log; // NULL: silent
  void *log_user; //
  const char *cache_dir; // NULL: $XDG_CACHE_HOME/gpuprims or ~/.cache/gpuprims; "": no disk cache
  const char *cuda_library; // NULL: libcuda.so.1 by its system name; otherwise an absolute path
  const char *nvrtc_library; // NULL: libnvrtc.so.13, .12 or libnvrtc.so by system name; otherwise an absolute path
  const struct gp_bundle *bundle; // kernels compiled ahead of time, or NULL
  int no_compile; // 1: never open NVRTC
  int host_threads; // threads of the host back end; 0: as many as OpenMP offers
  const struct gp_driver *driver; // NULL: the real one
  int workspaces; // streams whose workspaces are kept; 0: GP_WORKSPACES
  uint64_t cache_bytes; // of the disk cache; least recently used kernels go. 0: 512 MiB, UINT64_MAX: no limit
  uint64_t workspace_bytes; // of all workspaces: when one grows beyond, those of idle streams go, the least recently
      // used first. A call gets what it needs. Needs hooks or the driver's stream-ordered
      // allocator. 0: no limit
  int own_work; // 1: gp_close and gp_trim wait for the work of this context alone. Each call records an event
      // then (with workspace_bytes: each with a workspace), 0.2 us on an H100's host
  gp_tuning tuning; // OFF
  const char *bundle_file; // made by `make bundle`: an absolute path; "": none; NULL: $GPUPRIMS_BUNDLE, or
      // gpuprims.bundle beside the library
} gp_config;

// gp_describe writes as many bytes as struct_size, set by gp_description_init, says.
typedef struct gp_description {
  uint32_t struct_size; // sizeof(gp_description)
  gp_backend backend; // CUDA or HOST
  int device; // ordinal; -1 on the host
  char name[128]; // "NVIDIA H200", "host"
  int compute_capability; // 90 for 9.0; 0 on the host
  int multiprocessors; // host: threads
  uint64_t memory_bytes; // of the device; 0 on the host
  int shared_bytes_per_block; // opt-in maximum
  int driver_version; // 13000 for 13.0
  int nvrtc_version; // likewise; 0 while NVRTC has not been opened
  char fallback[256]; // why GP_BACKEND_AUTO took the host; otherwise ""
  char bundle[256]; // the bundle file, or why it is not used; "": none, or not opened yet
  uint32_t kernels[4]; // that the context got, by gp_kernel_source
  uint32_t warming; // that gp_warm has still to get
} gp_description;

// A struct type of 1 to 64 bytes. With `source` (the definition of `name`, in C++ as CUDA compiles it) operators can
// name its members; without it the type is raw bytes, for copy, fill and operators that treat it as such: the type is
// then called `name` and has one member, unsigned char bytes[size].
typedef struct gp_type_desc {
  uint32_t struct_size; // sizeof(gp_type_desc): gp_type_desc_init sets it
  const char *name; // a C identifier: how operators name the type
  const char *source; // e.g. "struct vec3 { float x, y, z; };", or NULL: raw bytes
  size_t size; // sizeof, 1 to 64
  size_t align; // alignof: 1, 2, 4, 8 or 16
} gp_type_desc;

// The host back end's form of a user's operator: *result = op(*a, *b); b is NULL for a unary one. `result` may be `a`.
// Called from several threads at once. As a predicate or an equality it writes one byte: not zero means true.
typedef void (*gp_host_fn)(void *user, void *result, const void *a, const void *b);

// A user's operator. `body` is the body of
//     T op(T a, T b)              with arity 2, T being the accumulator (transform2: R op(A a, B b))
//     R op(A a)                   with arity 1, A the element's type and R the accumulator or output type
// for example "return a.x < b.x ? a : b;". Names of the C math library are at hand, and those of the device text, which
// is compiled with what the source mentions by name.
// NVIDIA's compilers make some integer code wrong. Three lines on sm_90 with CUDA 12.6 to 13.3, a kernel of one thread:
//     int b = -in[1], c = -in[2];
//     int m = in[0] < b ? b : in[0];
//     out[0] = m < c ? c : m;              // max(max(a, -b), -c): one minus sign is lost
// Other patterns lose the sign extension of 8-bit results and the wrap of -x in 16 bits (seen from 11.7 to 13.5).
// Built-in operators avoid all of these. In a body, negate by gp_negate<int, int>()(x), and compute in int rather than
// in narrower types. Test a body against `host` on the edges of its type (least, largest, 0, -1), in calls of 4 and of
// many elements.
typedef struct gp_op_desc {
  uint32_t struct_size; // sizeof(gp_op_desc): gp_op_desc_init sets it
  const char *name; // shown in messages of the compiler
  const char *body; // C++ as CUDA compiles it; NULL: host only
  const char *prelude; // definitions that the body uses (functions marked __device__), or NULL
  const char *identity; // an expression of type T with op(identity, x) == op(x, identity) == x; reduce and scan need it
  int arity; // 1 or 2
  int commutative; // 0: operands keep their order everywhere; 1: reduce and segmented reduce may reorder them
  gp_host_fn host; // for the host back end, or NULL: GP_E_UNSUPPORTED there
  const void *host_identity; // one T, copied; needed where `host` is used by reduce or scan
  size_t host_identity_size; // its bytes
  void *host_user; // handed to `host`
} gp_op_desc;
