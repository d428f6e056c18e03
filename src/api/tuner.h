// api/tuner.h - an online tuner: a program measures itself and gets faster while it runs
// uses: api/config.h, api/lists.h, api/context_types.h, api/init.h

// A program has ints that decide its speed and not its results: block sizes, degrees of unrolling, a choice between
// kernels. It declares each with the values it may take, and brackets the section that they decide with gp_tuner_start
// and gp_tuner_stop. Every start sets the ints; every stop notes the time of the section, by events on its stream.
// Neither waits, launches or compiles. The tuner tries other values within a budget, keeps the best, and begins again
// when the best has become slower.
typedef struct gp_tuner gp_tuner;

// How a tuner searches.
typedef enum gp_tuner_search {
  GP_SEARCH_AUTO = 0, // the one that needed the fewest measurements, see docs/tuner.md
  GP_SEARCH_SIMPLEX = 1, // Nelder and Mead's simplex on the lattice of values
  GP_SEARCH_RANDOM = 2, // values at random, each configuration at most once
  GP_SEARCH_COORDINATES = 3, // one parameter after the other
  GP_SEARCH_EXHAUSTIVE = 4, // every configuration, in a random order
  GP_SEARCH_SURROGATE = 5 // where a model of the times so far expects the least
} gp_tuner_search;

enum {
  GP_TUNER_PARAMETERS = 8, // that a tuner has at most
  GP_TUNER_NUMBERS = 4 // of gp_tuner_start_for
};

// The values of a parameter, made by one of the functions below.
typedef struct gp_range {
  int kind;
  int lowest, highest, step;
  const int *values; // read by gp_tuner_add_parameter alone
  int count;
} gp_range;
// lowest, lowest + step, ... up to highest.
GP__INLINE gp_range gp_range_steps(int lowest, int highest, int step) {
  const gp_range range = {1, lowest, highest, step, NULL, 0};
  return range;
}
// lowest, 2 lowest, 4 lowest, ... up to highest.
GP__INLINE gp_range gp_range_powers(int lowest, int highest) {
  const gp_range range = {2, lowest, highest, 0, NULL, 0};
  return range;
}
// The `count` given values, neighbours alike.
GP__INLINE gp_range gp_range_values(const int *values, int count) {
  const gp_range range = {3, 0, 0, 0, values, count};
  return range;
}
// The `count` given values, whose order means nothing: kinds of kernels.
GP__INLINE gp_range gp_range_choices(const int *values, int count) {
  const gp_range range = {4, 0, 0, 0, values, count};
  return range;
}

// Whether a configuration may run: values[i] of the i-th added parameter. Called with the tuner's lock held: it calls
// no function of the tuner.
typedef int (*gp_tuner_valid_fn)(void *user, const int *values);

// gp_tuner_config_init sets the defaults: zero in every member but struct_size.
typedef struct gp_tuner_config {
  uint32_t struct_size; // sizeof(gp_tuner_config)
  const char *name; // under which results are kept in the disk cache, by device and driver; NULL: they are not
  gp_tuner_search search; // AUTO
  double budget; // share of the sections' time that trying may cost, up to 1; 0: 0.05
  uint64_t seed; // of random choices
  gp_tuner_valid_fn valid; // NULL: every configuration may run
  void *user; // handed to `valid`
} gp_tuner_config;
GP__INIT(gp_tuner_config_init, gp_tuner_config)

// Opens a tuner without parameters. Several threads may use one; each has at most one section open. Errors: NULL,
// ARGUMENT, MEMORY, CONTEXT, FORK; *tuner is NULL then.
GP__API gp_result gp_tuner_open(gp_context *ctx, const gp_tuner_config *config, gp_tuner **tuner);

// Adds a parameter, before the first start. *variable gets `value`, its default, which must be one of the range, and
// then a value at every start; it lives until gp_tuner_close, and nobody else writes it. Errors: NULL; ARGUMENT: a name
// or a variable that another parameter has, an empty range, a value twice, more than GP_TUNER_PARAMETERS, after the
// first start.
GP__API gp_result gp_tuner_add_parameter(gp_tuner *tuner, const char *name, int *variable, gp_range range, int value);

// Begins a section on `stream`: sets the variables. They keep their values until the last section that is open ends:
// sections of several threads that overlap share a configuration and are not measured. Neither are sections on a stream
// under capture, which run the best configuration known, and those in which the context builds or loads kernels (but no
// more than three in a row): their configuration runs again. Errors: NULL; ARGUMENT: no parameters, or this thread's
// section is open; STREAM; DRIVER: the variables have the best values known, and the program can go on. CONTEXT, FORK:
// they have their defaults.
GP__API gp_result gp_tuner_start(gp_tuner *tuner, gp_stream stream);

// The same for a section whose best configuration depends on numbers, such as sizes: `count` of them, up to
// GP_TUNER_NUMBERS. Numbers with the same powers of two share a bucket, and each bucket has its own optimum; a new
// bucket begins with its nearest neighbour's. A tuner has at most 256 buckets; sections beyond them run their
// neighbour's best.
GP__API gp_result gp_tuner_start_for(gp_tuner *tuner, const uint64_t *numbers, int count, gp_stream stream);

// Begins the time of this thread's section anew, after work that a new configuration needs once, such as compiling its
// kernel. Errors: as gp_tuner_stop.
GP__API gp_result gp_tuner_restart(gp_tuner *tuner, gp_stream stream);

// Ends this thread's section, on the stream of its start. Never waits: the time is read by a later start. Errors: NULL;
// ARGUMENT: no section of this thread is open, or it began on another stream (it ends then, unmeasured); DRIVER.
GP__API gp_result gp_tuner_stop(gp_tuner *tuner, gp_stream stream);

// Ends this thread's section, whose configuration cannot run here (a launch that was refused, say): it is never tried
// again. The next start sets other values. Errors: as gp_tuner_stop.
GP__API gp_result gp_tuner_reject(gp_tuner *tuner);

// The best configuration known for these numbers (count 0: of gp_tuner_start): a value per parameter in `values`, and
// its time in microseconds in *us, 0 before the first measurement; `measured`: sections measured so far;
// `searching`: 0 once the search has ended. Every output but `values` may be NULL. Errors: NULL, ARGUMENT, CONTEXT,
// FORK.
GP__API gp_result gp_tuner_best(
    gp_tuner *tuner, const uint64_t *numbers, int count, int *values, double *us, int *measured, int *searching);

// Writes the path of a tuner as JSON Lines: a line that names it and its parameters, then one per measured section, in
// order: {"bucket": [..], "values": [..], "us": ..}. Keeps the last 4096. Returns the length without the final zero,
// even where capacity is too small (snprintf's rule); 0 for NULL.
GP__API size_t gp_tuner_report(gp_tuner *tuner, char *text, size_t capacity);

// Writes what a context with GP_TUNING_ONLINE has learned as JSON Lines: the device; then for each kind of calls, on
// sizes within a factor of two, a line with the call and the fields of its policy, and its path as gp_tuner_report has
// it, with the elements of each call. *length: without the final zero, even where capacity is too small. Errors: NULL;
// ARGUMENT: the context tunes no calls; MEMORY, CONTEXT, FORK.
GP__API gp_result gp_tuning_report(gp_context *ctx, char *text, size_t capacity, size_t *length);

// Keeps what was learned, if the tuner has a name, and frees it; before or after gp_close of its context. Sections that
// are open end; no thread may be in a call of it. Errors: NULL; CONTEXT from a hook.
GP__API gp_result gp_tuner_close(gp_tuner *tuner);

#if defined(__cplusplus)
// The same in three lines, see docs/tuner.md. Without a context or memory the parameters keep their defaults.
struct gp_online {
  gp_tuner *tuner;
  gp_online(gp_context *ctx, const char *name, double budget = 0) : tuner(NULL) {
    gp_tuner_config config = gp_tuner_config_init();
    config.name = name;
    config.budget = budget;
    if (gp_tuner_open(ctx, &config, &tuner) != GP_SUCCESS) tuner = NULL;
  }
  ~gp_online() {
    if (tuner) gp_tuner_close(tuner);
  }
  struct parameter {
    int value;
    parameter(gp_online &online, const char *name, gp_range range, int start) : value(start) {
      if (online.tuner) gp_tuner_add_parameter(online.tuner, name, &value, range, start);
    }
    operator int() const { return value; }
    parameter(const parameter &) = delete;
  };
  struct section {
    gp_tuner *tuner;
    gp_stream stream;
    section(gp_online &online, gp_stream on) : tuner(online.tuner), stream(on) {
      if (tuner && gp_tuner_start(tuner, stream) != GP_SUCCESS) tuner = NULL;
    }
    ~section() {
      if (tuner) gp_tuner_stop(tuner, stream);
    }
    section(const section &) = delete;
  };
  gp_online(const gp_online &) = delete;
};
#endif
