// core/primitive.c - a primitive in core: a row of data, and its family's functions
// uses: api/config.h, api/lists.h, api/policy.h, api/context_types.h, core/rules.h, core/shape.h, core/geometry.h,
//   core/request.c, core/kinds.c

struct gp__state;
struct gp__checking;
struct gp__buffers;
struct gp__launching;
struct gp__spelling;
struct gp__program_op;
struct gp__host_call;

// The calls that make up a call, if it is more than kernels. The primary context is current in `run`.
typedef struct gp__composition {
  gp_result (*run)(
      struct gp__state *s, const gp__request *q, const gp_policy *p, int run, gp_stream stream, uint64_t least);
  // Raises *bytes to what it needs of a workspace that no other call has used.
  gp_result (*room)(struct gp__state *s, const gp__request *q, const gp_policy *given, gp__form h, uint64_t *bytes);
  gp_result (*calls)(struct gp__state *s, const gp__request *q, gp__request calls[GP__CALLS_MAX], int *count);
} gp__composition;

// A family's own step of a call's check (core/check.c). A family lists these in an array of GP__CHECKS entries, which
// zeros end; the common steps do the rest.
typedef enum gp__check_name {
  GP__CHECK_END, // the end of a list
  GP__CHECK_WHOLE, // replaces all steps but that of the fields
  GP__CHECK_OPERATORS,
  GP__CHECK_TYPES,
  GP__CHECK_OUT_TYPE, // a step of gp__check_types
  GP__CHECK_KEY_TYPES, // another one, of calls without runs; without it there are no keys
  GP__CHECK_NUMBERS, // after those of all calls
  GP__CHECK_BUFFERS, // changes what holds for most calls: `buffers` of gp__checking
  GP__CHECK_OUTPUTS, // further ones
  GP__CHECK_VALUES,
  GP__CHECK_LAST,
  GP__CHECKS
} gp__check_name;
typedef gp_result (*gp__check_step)(struct gp__checking *k);
typedef struct gp__own_check {
  gp__check_name name;
  gp__check_step check;
} gp__own_check;

// Functions that tell a family's kernels from one another and from most others. Macros name the entries that a family
// lacks: so every entry of a gp__kernel_rules or gp__family says which member it is.
typedef struct gp__kernel_rules {
  gp_policy (*policy)(gp_policy p, gp__form h, gp__kernel_kind kind); // the policy of a kernel; NULL: the call's
  unsigned (*threads)(const gp_policy *p, gp__form h, gp__kernel_kind kind); // of a block; NULL: the call's
  void (*block)(gp_policy p, gp__form h, gp__kernel_kind kind, gp__geometry *g); // changes the call's geometry
  int (*form)(gp_policy p, gp__form h); // of what is moved; NULL: 0
  // Blocks that a multiprocessor is to hold; 0: the compiler is told nothing.
  unsigned (*resident)(const gp__request *q, const gp_policy *p, gp__form h, const struct gp__spelling *w);
  // Adds further properties of the call that the text depends on; NULL: none.
  void (*spell)(const gp__request *q, const gp_policy *p, gp__form h, struct gp__spelling *w);
  int (*fit)(const gp_policy *p, int occupancy); // the most blocks a multiprocessor holds, if the first kernel's
      // shared memory depends on the shape; 0: it does not; NULL: never
} gp__kernel_rules;
#define GP__SAME_POLICY NULL
#define GP__SAME_THREADS NULL
#define GP__SAME_BLOCK NULL
#define GP__NO_FORM NULL
#define GP__SAME_KERNELS NULL, NULL, NULL, NULL // policy, threads, block, form
#define GP__SPELL_NO_MORE NULL
#define GP__NO_FIT NULL

// A family's functions for calls of its primitives. Each family fills one in its folder (plan.c).
typedef struct gp__family {
  const gp__own_check *checks;
  int (*idle)(const gp__request *q); // nothing to launch; NULL: no elements
  void (*shape)(const gp__request *q, gp__shape *h); // NULL: elements go from `in` to `out`
  int (*kinds)(const gp__request *q, const gp_policy *p, gp__kernel_kind kinds[GP__KINDS_MAX]); // returns their number
  const gp__kernel_rules *kernels; // NULL: all are the call's
  void (*operators)(const struct gp__spelling *q, struct gp__program_op *ops); // types of users' operators; NULL: folds
  gp_result (*launch)(const struct gp__launching *l);
  const gp_policy *refused; // if blocks cannot wait for each other; NULL: the same policy, a launch a step
  gp__request (*checked)(const gp__request *q); // GP_CHECKED: the call that comes before
  // Makes the call at `row` of those that follow, and returns how many follow; NULL: none.
  uint64_t (*behind)(const gp__request *q, const gp_policy *p, uint64_t row, gp__request *call);
  const gp__composition *composed; // NULL: kernels alone; beside `launch`: for steps and q->composed
  gp_result (*host)(struct gp__host_call *h);
} gp__family;
#define GP__IDLE_IF_EMPTY NULL
// Something is written even for no elements.
GP__HOST int gp__is_never_idle(const gp__request *q) {
  (void)q;
  return 0;
}
#define GP__SHAPE_OF_ELEMENTS NULL
#define GP__NO_KERNEL_RULES NULL
#define GP__FOLD_OPERATORS NULL
// The members from `launch` to `composed`, by those that a family has.
#define GP__LAUNCH(launch) launch, NULL, NULL, NULL, NULL
#define GP__LAUNCH_AFTER(launch, checked) launch, NULL, checked, NULL, NULL
#define GP__COMPOSED(composed) NULL, NULL, NULL, NULL, composed

// A primitive: the members of gp_call that it reads, its further traits (both in core/reads.c), and the flags that it
// takes besides GP_REPRODUCIBLE.
typedef struct gp__primitive {
  const gp__family *family;
  uint64_t reads;
  int traits, flags;
} gp__primitive;

// Defined after all families, in core/primitives.c.
GP__HOST const gp__primitive *gp__primitive_of(gp_primitive primitive);
GP__HOST const gp__kernel_rules *gp__kernel_rules_of(int primitive) {
  return gp__primitive_of((gp_primitive)primitive)->family->kernels;
}
GP__HOST inline const gp__family *gp__methods_of(const gp__request *q) {
  return gp__primitive_of(q->primitive)->family;
}
// The calls that write described inputs, and the call on arrays (map/written.c).
GP__HOST const gp__composition *gp__writing_first(void);
// The calls that a call consists of, or NULL. A family that launches kernels has them for inputs that are written
// first, and for calls in steps or of calls.
GP__HOST const gp__composition *gp__composition_of(const gp__request *q) {
  const gp__family *family = gp__methods_of(q);
  if (family->launch && !q->in_steps && !q->composed && !q->written) return NULL;
  return family->composed ? family->composed : gp__writing_first();
}
