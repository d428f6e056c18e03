// steps.c - strategies as texts of steps, and the steps' work on a group.
//
// Steps depend on the options and the results, never on the order in which results arrive. So a restarted search asks
// for the same jobs, and the store answers those that were measured.
#include <limits.h>

#include "groups.h"

// A strategy is a text of steps. `all`, `random`, `siblings`, `neighbours` and `around` propose policies; `around`
// takes the neighbours of the header's own choice, which random points would hardly meet. `compile` compiles them.
// `screen ROUNDS BATCH_US GIVE_UP` measures the proposed or kept policies at every size; `keep N` takes the best N of
// each size. `matrix ROUNDS BATCH_US` measures all in one job a size, beside the default, the default's policy by name,
// and a policy that must lose. `timed` may run out of time at any step: policies near the default and near the best
// come first. Screens with fewer policies and more rounds each time are successive halving (Jamieson and Talwalkar,
// 2016); repeated neighbours of the best are coordinate descent.
static const struct {
  const char *name, *steps;
} STRATEGIES[] = {
    {"exhaustive", "incumbent 5 300; all; compile; screen 5 300 2; keep 20; screen 9 400 0; keep 6; matrix 15 500"},
    {"standard",
        "incumbent 3 300; random 160; compile; screen 3 300 2; siblings 2; neighbours 2; compile; "
        "screen 3 300 1.5; neighbours 2; compile; screen 3 300 1.5; neighbours 2; compile; screen 3 300 1.5; "
        "neighbours 1; compile; screen 3 300 1.5; neighbours 1; compile; screen 3 300 1.5; "
        "keep 20; screen 9 400 0; keep 6; matrix 15 500"},
    {"timed",
        "incumbent 3 300; around; random 24; compile; screen 3 300 2; siblings 2; neighbours 2; compile; "
        "screen 3 300 1.5; neighbours 1; compile; screen 3 300 1.5; random 60; compile; screen 3 300 2; "
        "neighbours 2; compile; screen 3 300 1.5; random 160; compile; screen 3 300 2; neighbours 2; compile; "
        "screen 3 300 1.5; neighbours 2; compile; screen 3 300 1.5; neighbours 1; compile; screen 3 300 1.5; "
        "keep 20; screen 9 400 0; keep 6; matrix 15 500"},
    {"quick",
        "incumbent 2 200; random 24; compile; screen 2 200 1.5; neighbours 1; compile; screen 2 200 1.5; "
        "keep 3; matrix 5 300"},
    {"landscape", "incumbent 3 300; all; compile; screen 3 300 0"},
};
enum { STRATEGY_COUNT = sizeof STRATEGIES / sizeof *STRATEGIES };

struct verb {
  const char *name;
  int arguments;
  int (*go)(search *s, group *g, const step *st); // 0: not finished, call again later
};

// ---- builds and jobs ------------------------------------------------------------------------------------------------

// A policy's machine code does not depend on the count; the policy of `default` does.
static build *need_build(search *s, group *g, const char *cell, const char *policy) {
  char *key;
  void **at;
  build *b;
  if (!s->opt->jobs) return NULL;
  key = print_text("%s|%s", strcmp(policy, "default") ? g->name : cell, policy);
  at = map_at(&s->builds, key);
  free(key);
  if (*at) return *at;
  *at = b = memset(grow(NULL, sizeof *b), 0, sizeof *b);
  b->cell = print_text("%s", cell);
  b->policy = print_text("%s", policy);
  b->group = g;
  b->compute_capability = g->gpu->compute_capability;
  PUSH(g->builds, g->build_count) = b;
  return b;
}

// A job with its reference, the default, at one size of a group.
static job *start_job(
    search *s, group *g, const char *phase, int size, double rounds, double batch_us, double give_up) {
  size_cell *c = &g->sizes[size];
  job *j = job_make(phase, s->opt->process, c->cell, (int)rounds, batch_us, give_up);
  if (strcmp(s->opt->objective, "time")) { // a window is longer than a batch, and a first look says nothing of energy
    j->objective = s->opt->objective;
    j->batch_us = ENERGY_WINDOW_US;
    j->give_up = 0;
  }
  j->group = g;
  j->tag = size;
  c->build = need_build(s, g, c->cell, "default");
  job_add(j, "default", c->build, TAG_DEFAULT);
  return j;
}

static void queue_job(group *g, job *j) {
  job_seal(j);
  PUSH(g->queue, g->queue_count) = j;
  g->unfinished++;
}

static void add_policy(search *s, group *g, job *j, int number) {
  policy *p = &g->policies[number];
  if (!p->build) p->build = need_build(s, g, j->cell, p->text);
  job_add(j, p->text, p->build, number);
}

// ---- steps ----------------------------------------------------------------------------------------------------------

static const char *screen_phase(const search *s) { return s->landscape ? "landscape" : "search"; }

static int incumbent(search *s, group *g, const step *st) {
  int size;
  for (size = 0; size < g->size_count; size++)
    queue_job(g, start_job(s, g, screen_phase(s), size, st->arguments[0], st->arguments[1], 0));
  return 1;
}

static void propose(group *g, int number) {
  if (g->policies[number].proposed) return;
  g->policies[number].proposed = 1;
  PUSH(g->chosen, g->chosen_count) = number;
}

static int propose_random(search *s, group *g, const step *st) {
  int i, left = st->verb->arguments ? (int)st->arguments[0] : INT_MAX;
  (void)s;
  for (i = 0; i < g->space.count && left > 0; i++) {
    left -= !g->policies[g->shuffled[i]].proposed;
    propose(g, g->shuffled[i]);
  }
  return 1;
}

// The best policies of one type are often good for the next. All groups of a primitive wait here for each other, so
// that their speeds do not matter.
static int propose_siblings(search *s, group *g, const step *st) {
  int i, k;
  if (!g->published) g->winners = group_best(g, (int)st->arguments[0], &g->winner_count);
  g->published = 1;
  for (i = 0; i < s->group_count; i++)
    if (s->groups[i]->row == g->row && !strcmp(s->groups[i]->strategy, g->strategy) && !s->groups[i]->published)
      return 0;
  for (i = 0; i < s->group_count; i++) {
    const group *sibling = s->groups[i];
    if (sibling == g || sibling->row != g->row) continue;
    for (k = 0; k < sibling->winner_count; k++) {
      const intptr_t number = (intptr_t)*map_at(&g->by_text, sibling->policies[sibling->winners[k]].text);
      if (number) propose(g, (int)number - 1);
    }
  }
  return 1;
}

static void propose_near(group *g, int number) {
  int count, k, *near = group_neighbours(g, number, &count);
  for (k = 0; k < count; k++) propose(g, near[k]);
  free(near);
}

static int propose_neighbours(search *s, group *g, const step *st) {
  int count, i, *best = group_best(g, (int)st->arguments[0], &count);
  (void)s;
  for (i = 0; i < count; i++) propose_near(g, best[i]);
  free(best);
  return 1;
}

static int propose_around(search *s, group *g, const step *st) {
  int size;
  (void)s;
  (void)st;
  if (g->unfinished) return 0; // the header's choice is known once it was measured
  for (size = 0; size < g->size_count; size++) {
    const char *policy = g->sizes[size].default_policy;
    const intptr_t number = policy ? (intptr_t)*map_at(&g->by_text, policy) : 0;
    if (number) propose_near(g, (int)number - 1);
  }
  return 1;
}

static int compile(search *s, group *g, const step *st) {
  int i;
  (void)st;
  for (i = 0; i < g->chosen_count; i++) {
    policy *p = &g->policies[g->chosen[i]];
    if (!p->build) p->build = need_build(s, g, g->sizes[0].cell, p->text);
  }
  return 1;
}

// Sends batches as they come from the compilers; a batch goes through all sizes, so that its kernels stay loaded.
static int screen(search *s, group *g, const step *st) {
  int i, size;
  if (!g->begun) g->next_chosen = 0;
  g->begun = 1;
  while (g->next_chosen < g->chosen_count) {
    const int left = g->chosen_count - g->next_chosen, end = g->next_chosen + (left < g->batch ? left : g->batch);
    int kept[BATCH], kept_count = 0;
    for (i = g->next_chosen; i < end; i++)
      if (g->policies[g->chosen[i]].build && !g->policies[g->chosen[i]].build->built) return 0;
    for (i = g->next_chosen; i < end; i++)
      if (!group_rejects(g, &g->policies[g->chosen[i]])) kept[kept_count++] = g->chosen[i];
    for (size = 0; kept_count && size < g->size_count; size++) {
      job *j = start_job(s, g, screen_phase(s), size, st->arguments[0], st->arguments[1], st->arguments[2]);
      for (i = 0; i < kept_count; i++)
        if (group_measures(g, kept[i], size)) add_policy(s, g, j, kept[i]);
      queue_job(g, j);
    }
    g->next_chosen = end;
  }
  if (g->unfinished) return 0;
  g->chosen_count = 0;
  return 1;
}

static int keep(search *s, group *g, const step *st) {
  (void)s;
  free(g->chosen);
  g->chosen = group_best(g, (int)st->arguments[0], &g->chosen_count);
  return 1;
}

static int matrix(search *s, group *g, const step *st) {
  int i, size;
  if (g->unfinished) return 0;
  if (g->begun) return 1;
  g->begun = 1;
  g->bad = group_bad(g);
  for (size = 0; size < g->size_count; size++) {
    const size_cell *c = &g->sizes[size];
    job *j = start_job(s, g, "matrix", size, st->arguments[0], st->arguments[1], 0);
    if (c->default_policy) // the A/A control
      job_add(j, c->default_policy, need_build(s, g, c->cell, c->default_policy), TAG_CONTROL);
    for (i = 0; i < g->chosen_count; i++) {
      const policy *p = &g->policies[g->chosen[i]];
      if (g->chosen[i] != g->bad && group_measures(g, g->chosen[i], size) &&
          (!c->default_policy || strcmp(p->text, c->default_policy)))
        add_policy(s, g, j, g->chosen[i]);
    }
    if (g->bad >= 0) add_policy(s, g, j, g->bad);
    queue_job(g, j);
  }
  return 0;
}

static const verb VERBS[] = {{"incumbent", 2, incumbent}, {"all", 0, propose_random}, {"random", 1, propose_random},
    {"siblings", 1, propose_siblings}, {"neighbours", 1, propose_neighbours}, {"around", 0, propose_around},
    {"compile", 0, compile}, {"screen", 3, screen}, {"keep", 1, keep}, {"matrix", 2, matrix}};
enum { VERB_COUNT = sizeof VERBS / sizeof *VERBS };

static int advance(search *s, group *g) {
  const int before = g->at;
  while (g->at < g->step_count && g->steps[g->at].verb->go(s, g, &g->steps[g->at])) {
    g->at++;
    g->begun = 0;
  }
  return g->at != before;
}

void advance_all(search *s) {
  int i, moved;
  do {
    for (moved = i = 0; i < s->group_count; i++) moved |= advance(s, s->groups[i]);
  } while (moved);
}

// ---- strategies -----------------------------------------------------------------------------------------------------

const char *parse_steps(const char *text_of_steps, step *steps, int *count) {
  static char reason[160];
  char copy[1024], *save = NULL, *part;
  int i;
#define BAD(...) return snprintf(reason, sizeof reason, __VA_ARGS__), reason
  *count = 0;
  if (strlen(text_of_steps) >= sizeof copy) BAD("longer than %d characters", (int)sizeof copy - 1);
  strcpy(copy, text_of_steps);
  for (part = strtok_r(copy, ";", &save); part; part = strtok_r(NULL, ";", &save)) {
    char *inner = NULL, *word = strtok_r(part, " \t", &inner);
    step *st = &steps[*count];
    if (!word) continue;
    if (*count == MOST_STEPS) BAD("more than %d steps", MOST_STEPS);
    for (i = 0; i < VERB_COUNT && strcmp(word, VERBS[i].name);) i++;
    if (i == VERB_COUNT) BAD("no step %.40s", word);
    st->verb = &VERBS[i];
    for (i = 0; (word = strtok_r(NULL, " \t", &inner)); i++) {
      char *end;
      if (i == st->verb->arguments) BAD("%s: unexpected number %.40s", st->verb->name, word);
      st->arguments[i] = strtod(word, &end);
      if (*end || !(st->arguments[i] >= 0 && st->arguments[i] <= 1e6)) BAD("%s: %.40s", st->verb->name, word);
    }
    if (i < st->verb->arguments) BAD("%s takes %d numbers", st->verb->name, st->verb->arguments);
    if (!strcmp(st->verb->name, "matrix") && (*count == 0 || strcmp(st[-1].verb->name, "keep")))
      BAD("matrix without a keep before");
    if ((st->verb->go == incumbent || st->verb->go == screen || st->verb->go == matrix) &&
        (st->arguments[0] < 1 || st->arguments[0] > 64))
      BAD("%s: %g rounds: 1 to 64", st->verb->name, st->arguments[0]);
    ++*count;
  }
  if (!*count || strcmp(steps[0].verb->name, "incumbent")) BAD("the first step is: incumbent ROUNDS BATCH_US");
  return NULL;
#undef BAD
}

void list_strategies(void) {
  int i;
  printf("auto\n    exhaustive where a group's space has at most %d policies, otherwise standard; with --seconds "
         "timed, above %d\n",
      EXHAUSTIVE_AT_MOST, WHOLE_AT_MOST);
  for (i = 0; i < STRATEGY_COUNT; i++) printf("%s\n    %s\n", STRATEGIES[i].name, STRATEGIES[i].steps);
  printf("or a text of such steps\n");
}

const char *steps_of(const char *strategy) {
  int i;
  for (i = 0; i < STRATEGY_COUNT; i++)
    if (!strcmp(strategy, STRATEGIES[i].name)) return STRATEGIES[i].steps;
  return strategy;
}

int jobs_to_come(const group *g) {
  int k, jobs = 0;
  for (k = g->at; k < g->step_count; k++)
    if (g->steps[k].verb->go == matrix && !(k == g->at && g->begun)) jobs += g->size_count;
  if (g->at < g->step_count && g->steps[g->at].verb->go == screen)
    jobs += (g->chosen_count - g->next_chosen + g->batch - 1) / g->batch * g->size_count;
  return jobs;
}

int last_keep(const group *g) {
  int i;
  for (i = g->step_count - 1; i >= 0 && g->steps[i].verb->go != keep;) i--;
  return i;
}

int first_policies(const group *g) {
  int i;
  for (i = 0; i < g->step_count && g->steps[i].verb->go != propose_random; i++) {}
  if (i == g->step_count || !g->steps[i].verb->arguments) return g->space.count; // all
  return g->steps[i].arguments[0] < g->space.count ? (int)g->steps[i].arguments[0] : g->space.count;
}
