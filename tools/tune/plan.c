// plan.c - jobs read from a file (gp_tune --plan): a line is CELL, then POLICY..., separated by tabs. "rule:" before a
// policy marks the choice of the header's own rule for the cell; the store records that.
#include <errno.h>

#include "tune.h"

enum { MOST_POLICIES = 256 }; // variants that a worker takes in one job

typedef struct file_plan {
  const options *opt;
  job **jobs;
  int count, done, gpus, wrong, echoes_differ;
  int *next; // next job of each GPU
  const gpu *about;
  build **builds;
  int build_head, build_count;
  map by_key;
} file_plan;

static const char *check_policy(const char *policy) {
  char name[64], value[64];
  const char *at = policy;
  if (!strcmp(policy, "default")) return NULL;
  while (policy_next(&at, name, value, sizeof name)) continue;
  return *at || !*policy ? "not a policy (field=value,... or default)" : NULL;
}

// NULL, or what is wrong with the line.
static const char *read_line(file_plan *p, char *line) {
  char *save = NULL, *word = strtok_r(line, "\t", &save);
  cell_words words;
  const char *wrong = cell_words_of(word, &words);
  char *cell;
  job *j;
  if (wrong) return wrong;
  cell = cell_text_of(&words);
  j = job_make(p->opt->phase, p->opt->process, cell, p->opt->rounds, p->opt->batch_us, 0);
  free(cell);
  j->verify = p->opt->verify;
  while ((word = strtok_r(NULL, "\t", &save))) {
    const int is_rule = !strncmp(word, "rule:", strlen("rule:"));
    if (is_rule) word += strlen("rule:");
    wrong = check_policy(word);
    if (wrong) return wrong;
    if (j->variant_count == MOST_POLICIES) return "more than 256 policies";
    job_add(j, print_text("%s", word), NULL, j->variant_count)->is_rule = is_rule;
  }
  if (!j->variant_count) return "a cell without a policy: put a tab and `default` after it";
  job_seal(j);
  PUSH(p->jobs, p->count) = j;
  return NULL;
}

static void ask_builds(file_plan *p, job *j, int compute_capability) {
  int i;
  for (i = 0; i < j->variant_count; i++) {
    variant *v = &j->variants[i];
    char *key = print_text("%d|%s|%s", compute_capability, j->cell, v->policy);
    void **at = map_at(&p->by_key, key);
    free(key);
    if (!*at) {
      build *b = *at = memset(grow(NULL, sizeof *b), 0, sizeof *b);
      b->cell = print_text("%s", j->cell);
      b->policy = print_text("%s", v->policy);
      b->compute_capability = compute_capability;
      PUSH(p->builds, p->build_count) = b;
    }
    v->build = *at;
  }
}

static const char *plan_start(void *self, int count, const gpu *gpus) {
  file_plan *p = self;
  int i;
  p->gpus = count;
  p->about = gpus;
  p->next = grow(NULL, (size_t)count * sizeof(int));
  for (i = 0; i < count; i++) p->next[i] = i;
  for (i = 0; i < p->count && p->opt->jobs; i++) ask_builds(p, p->jobs[i], gpus[i % count].compute_capability);
  return NULL;
}

// A line goes to the same GPU in every process.
static job *plan_next(void *self, int gpu) {
  file_plan *p = self;
  const int at = p->next[gpu];
  if (at >= p->count || !job_built(p->jobs[at])) return NULL;
  p->next[gpu] += p->gpus;
  return p->jobs[at];
}

static void plan_done(void *self, int gpu, job *j) {
  file_plan *p = self;
  int i;
  (void)gpu;
  for (i = 0; i < j->variant_count; i++) {
    const variant *v = &j->variants[i];
    if (v->status != STATUS_wrong) continue;
    p->wrong++;
    p->echoes_differ += !strncmp(v->message, ECHO_DIFFERS, strlen(ECHO_DIFFERS));
    fprintf(stderr, "gp_tune: %s %s: wrong: %s\n", j->cell, v->policy, v->message);
  }
  p->done++;
}

static build *plan_next_build(void *self) {
  file_plan *p = self;
  return p->build_head < p->build_count ? p->builds[p->build_head++] : NULL;
}
static void plan_built(void *self, build *b) { (void)self, (void)b; }
static int plan_finished(void *self) { return ((file_plan *)self)->done == ((file_plan *)self)->count; }
static int plan_planned(void *self, const char **where) {
  *where = ((file_plan *)self)->opt->plan;
  return ((file_plan *)self)->count;
}
static int plan_complete(void *self) { return plan_finished(self); }

static int plan_close(void *self, store *results) {
  const file_plan *p = self;
  text line = {0};
  int i;
  for (i = 0; i < p->gpus; i++)
    text_add(&line,
        "{\"kind\":\"check\",\"v\":1,\"env\":\"%s\",\"name\":\"echo\",\"group\":\"\",\"passed\":%s,\"value\":%d,"
        "\"limit\":0}\n",
        p->about[i].environment, p->echoes_differ ? "false" : "true", p->echoes_differ);
  store_write(results, line.at, line.length);
  free(line.at);
  return p->wrong ? FOUND_WRONG : DONE;
}

const char *file_plan_make(const options *o, plan *made) {
  static char reason[600];
  file_plan *p = memset(grow(NULL, sizeof *p), 0, sizeof *p);
  FILE *from = fopen(o->plan, "r");
  char *line = NULL;
  size_t room = 0;
  int number = 0;
#define BAD(...) return snprintf(reason, sizeof reason, __VA_ARGS__), reason
  if (!from) BAD("--plan %.400s: %s", o->plan, strerror(errno));
  p->opt = o;
  while (getline(&line, &room, from) > 0) {
    const char *wrong;
    number++;
    line[strcspn(line, "\r\n")] = 0;
    if (!line[strspn(line, " \t")] || *line == '#') continue;
    wrong = read_line(p, line);
    if (wrong) BAD("%.300s:%d: %s", o->plan, number, wrong);
  }
  fclose(from);
  free(line);
  *made = (plan){p, plan_start, plan_next, plan_done, plan_next_build, plan_built, plan_finished, plan_planned,
      plan_complete, plan_close, NULL};
  if (!p->count) BAD("--plan %.400s: it has no job", o->plan);
  return NULL;
#undef BAD
}
