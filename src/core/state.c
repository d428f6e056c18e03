// core/state.c - the state of a context
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, api/prepared.h, core/words.h, core/rules.h,
//   core/shape.h, core/text.c, core/request.c, core/sha256.c, core/program.c, core/table.c

struct gp__spelling;
struct gp__online;
// Machine code, found by its program: kernels of different spellings that have one text share it.
typedef struct gp__code {
  struct gp__code *next;
  char key[2 * GP__HEX]; // of the program
  int capability; // of an image that is kept for gp_compile; 0: loaded
  int state; // 0: not built, 1: a thread builds it, 2: there
  int kernels; // kernels that have it, or wait for it
  gp__text line; // the program in a list of core/warm.c, or empty
  gp_kernel_source source;
  void *module, *function;
  unsigned allowed_bytes; // the most dynamic shared memory so far
  unsigned cluster; // blocks of a cluster that the device can hold, as far as known
  gp__image image; // of gp_compile
} gp__code;
// A kernel of a call, found by its spelling.
typedef struct gp__kernel {
  struct gp__kernel *next, *newer, *older;
  gp__code *code;
  void *function;
  int state; // 0: not built, 1: a thread builds it, 2: there
  int occupancy; // blocks that fit a multiprocessor, with so much dynamic shared memory:
  unsigned shared_bytes;
  int users; // calls between its look-up and its launch
  int captured; // a graph may launch it: it stays
  struct gp__spelling *spelling; // as long as its list
} gp__kernel;

// A stream's workspace.
typedef struct gp__workspace {
  struct gp__workspace *next;
  gp__u64 key;
  gp_stream handle;
  pthread_mutex_t lock; // held from the choice of the workspace to the launch
  void *workspace;
  size_t bytes;
  int captured; // a graph may hold the workspace's address
  unsigned users; // calls that have it, which prevents eviction; grows under the state's lock
  gp__u64 used; // when a call took it last
  void *event; // recorded after the last call on it, or NULL
  int recorded; // the event comes after all calls: once it has completed, the memory is free
  int capturing; // the call that has it is captured
  // Tagged words grow from the front, scratch from the back; both may use the middle, in turn. Bytes from the front:
  size_t tagged; // zeros and words with tags, nothing else
  size_t words; // used for words so far
  size_t pinned; // the same by captured calls: no scratch may be there
  size_t soiled; // from here on, scratch of captured calls, written whenever a graph runs
  size_t held; // scratch at the back that a call holds while it runs others
  int lent; // the caller's, for one call: it neither grows nor stays
} gp__workspace;
typedef struct gp__retired {
  struct gp__retired *next;
  void *pointer;
  size_t bytes;
} gp__retired;

// Events of a tuner, in the list of its context. Whoever of the two goes first leaves the memory to the other.
typedef struct gp__events {
  struct gp__events *next;
  int owners, count;
  void *event[128];
} gp__events;

enum { GP__WARM_THREADS = 2 }; // NVRTC 13.0: two threads compiled no faster than one
typedef struct gp__warming {
  pthread_t threads[GP__WARM_THREADS];
  int thread_count, stop;
  pthread_cond_t work;
  char *name; // the first one, for gp_close; or NULL
  gp__text list; // core/warm.c
  size_t next; // its programs before this place are taken
} gp__warming;

enum { GP__KERNEL_SLOTS = 1024, GP__CODE_SLOTS = 256, GP__STREAM_SLOTS = 64, GP__PLACES = 512, GP__PLANS = 128 };
enum {
  GP__KERNELS_MOST = 4096, // that a context keeps
  GP__KERNELS_GO = 16 // one in so many is evicted when there are more
};
typedef struct gp__state {
  gp__library library;
  gp_description about;
  gp_allocate_fn allocate;
  gp_release_fn release;
  void *allocator_user;
  int host_threads;
  int device; // CUdevice
  void *context; // the device's primary context
  int pools; // stream-ordered allocation works
  int pageable; // the device reads any host memory
  uintptr_t places[GP__PLACES]; // core/places.c
  int workspaces; // that are kept
  uint64_t most_bytes; // of workspaces; 0: no limit
  int own_work; // gp_config's
  int captured; // with own_work: graphs hold launches without a workspace of the context's
  int events; // each call with a workspace records its event
  pthread_mutex_t lock; // of everything below
  pthread_cond_t built; // a kernel has been built, or has failed
  gp__kernel *kernels[GP__KERNEL_SLOTS];
  gp__code *codes[GP__CODE_SLOTS];
  gp__kernel *newest, *oldest; // by their last use
  int kernel_count, kernels_most;
  unsigned evictions; // of kernels so far
  gp__workspace *streams[GP__STREAM_SLOTS];
  int stream_count; // of them
  gp__u64 clock;
  gp__retired *retired;
  gp__warming warming;
  gp__events *timers; // of tuners that are open
  unsigned loads, loading; // modules: loads so far, and those that go on; without the lock
  struct gp__online *online; // NULL: calls are not tuned while they run
  gp__type_info **types; // user's types and operators
  gp__op_info **ops;
  int type_count, op_count;
  gp__table table; // for this device
  struct gp_prepared *plans[GP__PLANS]; // of gp_run, in sets of 4, without the lock; NULL: none, or in use
  uint64_t numbers[GP__PLANS]; // of their calls
  unsigned turn; // new numbers so far
} gp__state;

// The user's handle. It is never freed, so that closing a context twice is an error, not a crash.
struct gp_context {
  struct gp_context *next;
  gp__state *state; // NULL: closed
  unsigned generation; // of the process that opened it
  int inside; // calls that use the state, or are about to look whether there is one
  pthread_mutex_t lock;
  pthread_cond_t left; // `inside` has become 0 while the context is closed
};

static gp_context *gp__contexts; // all ever opened by this process
static pthread_mutex_t gp__contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned gp__generation; // forks since the start
static pthread_once_t gp__fork_once = PTHREAD_ONCE_INIT;
static __thread gp_context *gp__known[2]; // the contexts that this thread used last, the latest first

GP__HOST void gp__close_warm(gp__state *s); // core/warm.c
// Tuning of the context's own calls, defined in tuner/: begins, ends; runs a checked call; finds a learned policy.
GP__HOST gp_result gp__open_online(gp__state *s);
GP__HOST void gp__close_online(gp__state *s);
GP__HOST gp_result gp__run_tuned(gp__state *s, const gp__request *q, gp_stream stream);
GP__HOST int gp__learned(gp__state *s, const gp__request *q, gp__form h, gp_policy *policy);
// Sets *policy to what was learned, once the search of such calls has ended, if it needs no larger workspace. Returns
// where a number is kept that is *as until more is learned; NULL: the search goes on.
GP__HOST const unsigned *gp__settled(gp__state *s, const gp__request *q, gp__form h, gp_policy *policy, unsigned *as);
