// groups.h - the groups of a search (groups.c), their steps (steps.c), and the search that owns them (search.c).
#ifndef GP_TUNE_GROUPS_H
#define GP_TUNE_GROUPS_H

#include "kernel.h"
#include "space.h"
#include "tune.h"

enum { MOST_FIELDS = 16, MOST_STEPS = 48, MOST_ARGUMENTS = 3 };
// Policies of a job, beside default; small when the time may end before the compilers finish more.
enum { BATCH = 31, TIMED_BATCH = 8 };

// Microseconds of a window in which energy is measured: NVML's counter moves in steps of some milliseconds.
enum { ENERGY_WINDOW_US = 200000 };

// Tags of a job's variants outside the space; other variants have the policy's number.
enum { TAG_DEFAULT = -1, TAG_CONTROL = -2 };

typedef struct group_row {
  const char *primitive, *types; // types: with spaces between
  const char *bad; // pattern: a policy that must lose when there is much work
  const char *landscape; // pattern: the points of gp_tune --landscape; NULL: leave the primitive out
  const char *words; // the primitive's own; NULL: none
} group_row;
extern const group_row GROUP_ROWS[];
extern const int GROUP_ROW_COUNT;

// Reasons for not measuring a policy: X(name), the names in the store's coverage.
#define REJECTIONS(X) X(compile) X(refused) X(spill) X(does_not_fit) X(more_blocks_than_fit) X(same_code)
enum {
  KEPT,
#define X(name) REJECTED_##name,
  REJECTIONS(X)
#undef X
      REJECTION_COUNT
};

typedef struct policy {
  const char *text;
  short values[MOST_FIELDS]; // the values' numbers
  unsigned char proposed, accepted, rejected, measured, failed; // failed: at any size
  build *build;
  double *scores; // time (or what the objective is) / default's, a size; 0: not measured
  double *errors; // their standard errors
} policy;

typedef struct field {
  char name[32];
  char **values; // rising numbers, or names in order of appearance
  int count, is_number;
} field;

typedef struct size_cell {
  char *cell;
  unsigned long long bytes;
  build *build; // default's
  char *default_policy; // the worker's account; NULL: not measured yet
  double noise, control, worst; // relative scatter of default's rounds; scores of control and the bad policy; 0: none
} size_cell;

typedef struct verb verb;
typedef struct step {
  const verb *verb;
  double arguments[MOST_ARGUMENTS];
} step;

typedef struct group {
  const group_row *row;
  const kernel_file *kernel; // NULL: a primitive's policies
  char name[128], *type;
  const gpu *gpu;
  int gpu_number;
  size_cell *sizes; // largest first
  int size_count;

  tune_space space;
  field fields[MOST_FIELDS];
  int field_count;
  policy *policies;
  int *shuffled; // the policies' numbers, in order of proposal
  map by_text; // policy -> its number + 1
  int bad; // number of the policy that must lose; -1: none in the space, or before the matrix

  const char *strategy;
  step steps[MOST_STEPS];
  int batch; // policies of a job
  int step_count, at, begun; // begun: free for the current step
  int *chosen, chosen_count; // what the next step works on
  int next_chosen; // screen: the first one without a job
  job **queue; // jobs not sent yet; some wait for builds
  int queue_head, queue_count, unfinished;
  build **builds; // not yet at a compiler
  int build_head, build_count;
  double compile_seconds; // compilers' seconds, and for how many
  int compiled_count;
  int *winners, winner_count, published; // for its siblings
  double used; // seconds on the GPU
  int hurried, default_failed;
  int statuses[STATUS_COUNT], rejected[REJECTION_COUNT], compiled, echoes_differ;
  double least_score, most_score;
} group;

// Fills the space and what follows from it. NULL, or what is wrong. fixed: a pattern, or NULL for the whole space.
const char *group_load(group *g, uint64_t seed, const char *fixed);
// Numbers of the policies one step away in one field; owned by the caller.
int *group_neighbours(const group *g, int number, int *count);
// Whether a policy is not worth measuring; reports and counts the reason once.
int group_rejects(group *g, policy *p);
int group_bad(const group *g); // the policy that must lose; -1: there is none
// Whether a policy is worth measuring at a size.
int group_measures(const group *g, int number, int size);
// The best `keep` policies of each size, in the space's order; owned by the caller.
int *group_best(const group *g, int keep, int *count);
// Lines `check` and `coverage`. 0: a check failed.
int group_close(const group *g, int landscape, uint64_t seed, text *lines);
void group_close_skipped(const group *g, uint64_t seed, text *lines); // a `coverage` line for what was not searched

// ---- steps.c --------------------------------------------------------------------------------------------------------

// More policies than this: strategy `auto` does not measure all. Also for --seconds.
enum { EXHAUSTIVE_AT_MOST = 2000, WHOLE_AT_MOST = 200 };

typedef struct search {
  const options *opt;
  int landscape, group_count, loaded;
  group **groups, **skipped; // skipped: none of its cells has a policy
  int skipped_count;
  double deadline; // 0: none
  int measures; // a job was measured in this run, not read from the store
  int *current; // a GPU's last measured group
  map builds;
  const char *reason;
} search;

const char *steps_of(const char *strategy); // by its name, or itself
const char *parse_steps(const char *text_of_steps, step *steps, int *count); // NULL, or what is wrong with the text
void advance_all(search *s); // until none moves: siblings wait for each other
int jobs_to_come(const group *g); // a lower bound of what the remaining steps make
int last_keep(const group *g); // the step before the matrix; -1: none
int first_policies(const group *g); // proposals before the first measurement

#endif
