// The tuner's search as a shared object for tools/farm/online.py: open, ask, tell, best, and the names of strategies.
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

static const struct {
  const char *name;
  gp_tuner_search kind;
} strategies[] = {{"auto", GP_SEARCH_AUTO}, {"simplex", GP_SEARCH_SIMPLEX}, {"random", GP_SEARCH_RANDOM},
    {"coordinates", GP_SEARCH_COORDINATES}, {"exhaustive", GP_SEARCH_EXHAUSTIVE}, {"surrogate", GP_SEARCH_SURROGATE}};

// NULL: there are no more.
const char *online_strategy(int number);
void *online_open(
    int dimensions, const int *count, const int *categorical, const int *start, int strategy, uint64_t seed);
void online_close(void *search);
// 1: *point is to be measured; 0: its result is awaited; -1: the search has ended.
int online_ask(void *search, int *point);
void online_tell(void *search, const int *point, double time);
// 0: nothing is known.
int online_best(void *search, int *point, double *time);

const char *online_strategy(int number) {
  return number < (int)(sizeof strategies / sizeof *strategies) ? strategies[number].name : NULL;
}

// Which configurations are invalid, a search learns by results, as a program's tuner does.
static int valid(void *user, const int *point) { return (void)user, (void)point, 1; }

void *online_open(
    int dimensions, const int *count, const int *categorical, const int *start, int strategy, uint64_t seed) {
  gp__lattice lattice = {dimensions, {0}, {0}, {0}};
  if (dimensions < 1 || dimensions > GP__TUNED_MOST) return NULL;
  for (int k = 0; k < dimensions; k++) {
    lattice.count[k] = count[k];
    lattice.categorical[k] = categorical[k];
    lattice.start[k] = start[k];
  }
  return gp__search_open(&lattice, strategies[strategy].kind, seed, valid, NULL);
}

void online_close(void *search) { gp__search_close((gp__search *)search); }

int online_ask(void *search, int *point) {
  switch (gp__search_ask((gp__search *)search, point)) {
  case GP__ASK_MEASURE: return 1;
  case GP__ASK_WAIT: return 0;
  default: return -1;
  }
}

void online_tell(void *search, const int *point, double time) { gp__search_tell((gp__search *)search, point, time); }

int online_best(void *search, int *point, double *time) { return gp__search_best((gp__search *)search, point, time); }
