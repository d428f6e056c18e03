// groups.h - the groups of a search (groups.c), the steps that work on them (steps.c), and what they are parts of
// (search.c).
#ifndef GP_TUNE_GROUPS_H
#define GP_TUNE_GROUPS_H

#include "kernel.h"
#include "space.h"
#include "tune.h"

enum { MOST_FIELDS = 16, MOST_STEPS = 48, MOST_ARGUMENTS = 3 };
// Policies of a job, beside default; small where the time may be over before compilers are through with more.
enum { BATCH = 31, TIMED_BATCH = 8 };

// Tags of a job's variants that are no policy of the space; others are the policy's number.
enum { TAG_DEFAULT = -1, TAG_CONTROL = -2 };

typedef struct group_row {
  const char *primitive, *types; // types: with spaces between
  const char *bad;               // pattern: a policy that must lose where there is a lot to do
  const char *landscape;         // pattern: the points of gp_tune --landscape; NULL: it leaves the primitive out
  const char *words;             // of the primitive's own; NULL: none
} group_row;
extern const group_row GROUP_ROWS[];
extern const int GROUP_ROW_COUNT;

// Why a policy is not measured: X(name), the names of the store's coverage.
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
  short values[MOST_FIELDS];                                    // numbers of the field's values
  unsigned char proposed, accepted, rejected, measured, failed; // failed: at any size
  build *build;
  double *scores; // time / default's time, of each size; 0: not measured
} policy;

typedef struct field {
  char name[32];
  char **values; // numbers in rising order, names in order of appearance
  int count, is_number;
} field;

typedef struct size_cell {
  char *cell;
  unsigned long long bytes;
  build *build;                 // default's
  char *default_policy;         // as it says itself; NULL: not measured yet
  double noise, control, worst; // relative scatter of default's rounds; control's and the bad policy's scores; 0: none
} size_cell;

typedef struct verb verb;
typedef struct step {
  const verb *verb;
  double arguments[MOST_ARGUMENTS];
} step;

typedef struct group {
  const group_row *row;
  const kernel_file *kernel; // NULL: the policies are those of a primitive
  char name[128], *type;
  const gpu *gpu;
  int gpu_number;
  size_cell *sizes; // largest first
  int size_count;

  tune_space space;
  field fields[MOST_FIELDS];
  int field_count;
  policy *policies;
  int *shuffled; // numbers of the policies, in the order in which they are proposed
  map by_text;   // policy -> its number + 1
  int bad;       // number of the policy that must lose; -1: the space has none, or the matrix is not there yet

  const char *strategy;
  step steps[MOST_STEPS];
  int batch;                 // policies of a job
  int step_count, at, begun; // begun: the current step's own mark
  int *chosen, chosen_count; // what the next step is about
  int next_chosen;           // of a screen: the first that is in no job yet
  job **queue;               // jobs that are not sent yet; some of them wait for builds
  int queue_head, queue_count, unfinished;
  build **builds; // that no compiler has yet
  int build_head, build_count;
  double compile_seconds; // that compilers took, for so many
  int compiled_count;
  int *winners, winner_count, published; // for its siblings
  double used;                           // seconds on the GPU
  int hurried, default_failed;
  int statuses[STATUS_COUNT], rejected[REJECTION_COUNT], compiled, echoes_differ;
  double least_score, most_score;
} group;

// Fills the space and what follows from it. NULL, or what is wrong. fixed: a pattern, or NULL: all of the space.
const char *group_load(group *g, uint64_t seed, const char *fixed);
// Numbers of the policies that differ from it by one step in one field; the caller's.
int *group_neighbours(const group *g, int number, int *count);
// Is a policy not worth measuring? Says and counts why, once.
int group_rejects(group *g, policy *p);
int group_bad(const group *g); // the policy that must lose; -1: there is none
// Is a policy worth measuring at a size at all?
int group_measures(const group *g, int number, int size);
// The best `keep` of each size, in the space's order; the caller's.
int *group_best(const group *g, int keep, int *count);
// Lines `check` and `coverage`. 0: a check failed.
int group_close(const group *g, int landscape, uint64_t seed, text *lines);
void group_close_skipped(const group *g, uint64_t seed, text *lines); // a line `coverage` of what was not searched

// ---- steps.c --------------------------------------------------------------------------------------------------------

// Policies: above, strategy `auto` does not measure them all; and where --seconds are given.
enum { EXHAUSTIVE_AT_MOST = 2000, WHOLE_AT_MOST = 200 };

typedef struct search {
  const options *opt;
  int landscape, group_count, loaded;
  group **groups, **skipped; // skipped: no cell of theirs has a policy
  int skipped_count;
  double deadline; // 0: none
  int measures;    // a job of this run was measured, and not in the store
  int *current;    // of each GPU: the group that was measured last
  map builds;
  const char *reason;
} search;

const char *steps_of(const char *strategy);                                  // by its name, or itself
const char *parse_steps(const char *text_of_steps, step *steps, int *count); // NULL, or what is wrong with the text
void advance_all(search *s);        // until none moves any more: siblings wait for each other
int jobs_to_come(const group *g);   // that the steps which are left will make at least
int last_keep(const group *g);      // the step before the matrix; -1
int first_policies(const group *g); // how many its search proposes before it has measured one

#endif
