// search.c - plans the search of policy spaces. Many groups are under way at a time: one is measured while another
// one's policies are compiled.
#include <math.h>

#include "groups.h"

// ---- results --------------------------------------------------------------------------------------------------------

static double relative_scatter(const variant *v) {
  const double median = median_of(v->us, v->count);
  double *distances = grow(NULL, (size_t)(v->count + 1) * sizeof *distances), scatter;
  int i;
  for (i = 0; i < v->count; i++) distances[i] = v->us[i] > median ? v->us[i] - median : median - v->us[i];
  scatter = 1.4826 * median_of(distances, v->count) / median; // standard deviation of a normal distribution
  free(distances);
  return scatter;
}

static void take_score(group *g, const job *j, const variant *v, double yardstick) {
  const double score = median_of(v->us, v->count) / yardstick;
  size_cell *c = &g->sizes[j->tag];
  const int in_matrix = !strcmp(j->phase, "matrix");
  if (v->tag == TAG_CONTROL) c->control = score;
  if (v->tag < 0) return;
  if (in_matrix && v->tag == g->bad) c->worst = score;
  g->policies[v->tag].scores[j->tag] = score;
  // The standard error of a median of n normal values is 1.25 deviations over sqrt(n); the default's adds up.
  g->policies[v->tag].errors[j->tag] = v->count > 1
      ? 1.2533 * score * sqrt((relative_scatter(v) * relative_scatter(v) + c->noise * c->noise) / v->count)
      : 0;
  g->policies[v->tag].measured = 1;
  if (g->least_score == 0 || score < g->least_score) g->least_score = score;
  if (score > g->most_score) g->most_score = score;
}

static void take_results(group *g, const job *j) {
  const variant *incumbent_result = &j->variants[0];
  size_cell *c = &g->sizes[j->tag];
  int i;
  for (i = 0; i < j->variant_count; i++) {
    const variant *v = &j->variants[i];
    g->statuses[v->status]++;
    if (v->tag >= 0 && v->status != STATUS_ok) g->policies[v->tag].failed = 1;
    g->echoes_differ += v->message && !strncmp(v->message, ECHO_DIFFERS, strlen(ECHO_DIFFERS));
  }
  if (incumbent_result->status != STATUS_ok) {
    if (!g->default_failed)
      fprintf(stderr, "gp_tune: %s: the default is %s: %s\n", j->cell, STATUS_NAMES[incumbent_result->status],
          incumbent_result->message ? incumbent_result->message : "");
    g->default_failed = 1;
    return;
  }
  if (!c->default_policy && incumbent_result->echo && *incumbent_result->echo)
    c->default_policy = print_text("%s", incumbent_result->echo);
  c->noise = relative_scatter(incumbent_result);
  for (i = 1; i < j->variant_count; i++)
    if (j->variants[i].status == STATUS_ok)
      take_score(g, j, &j->variants[i], median_of(incumbent_result->us, incumbent_result->count));
}

// ---- the plan's functions -------------------------------------------------------------------------------------------

static const char *load_group(search *s, group *g) {
  const char *wrong = group_load(g, s->opt->seed, s->landscape ? g->row->landscape : NULL);
  g->strategy = s->landscape ? "landscape"
      : strcmp(s->opt->strategy, "auto")                      ? s->opt->strategy
      : s->opt->seconds > 0 && g->space.count > WHOLE_AT_MOST ? "timed"
      : g->space.count > EXHAUSTIVE_AT_MOST ? "standard"
      : "exhaustive";
  g->batch = s->opt->seconds > 0 ? TIMED_BATCH : BATCH;
  return wrong ? wrong : parse_steps(steps_of(g->strategy), g->steps, &g->step_count);
}

// Cells without a policy are left out, and named: the header goes another way for many keys.
static void drop_unserved(group *g) {
  text left_out = {0};
  const char *why, *last = NULL;
  int i, kept = 0;
  for (i = 0; i < g->size_count && !g->kernel; i++) {
    why = tune_space_serves(g->sizes[i].cell, g->gpu->compute_capability, g->gpu->multiprocessors);
    if (!why) g->sizes[kept++] = g->sizes[i];
    else text_add(&left_out, "%s%s", last ? "; " : "", g->sizes[i].cell), last = why;
  }
  if (kept) g->size_count = kept; // otherwise group_load gives the reason
  if (kept && last) fprintf(stderr, "gp_tune: skipped cells of %s: %s: %s\n", g->name, last, left_out.at);
  free(left_out.at);
}

// Estimated seconds of a group's matrix: the rounds, and as much again for verification, for calls longer than a batch,
// and for waiting.
static double matrix_seconds(const search *s, const group *g) {
  const int energy = strcmp(s->opt->objective, "time") != 0;
  const int at = last_keep(g);
  const step *end = at >= 0 && at + 1 < g->step_count ? &g->steps[at + 1] : NULL;
  if (!end || g->at > at + 1) return 0;
  return (g->steps[at].arguments[0] * 4 + 3) * g->size_count *
      (end->arguments[0] * (energy ? ENERGY_WINDOW_US : end->arguments[1]) * 1.3e-6 + 1e-3);
}

// Minimal seconds of a group's search: its matrix, equal time for the screens before it, and the compilation of its
// first policies.
static double least_seconds(const search *s, const group *g) {
  enum { MOST = 160 };
  const double compile = 0.5; // seconds of a processor; H200's machine, 17,000 kernels of 20 groups
  const int first = first_policies(g) < MOST ? first_policies(g) : MOST;
  return 2 * matrix_seconds(s, g) + (s->opt->jobs > 0 ? first * compile / s->opt->jobs : 0);
}

// Leaves out, and names, the primitives for which --seconds is too short: fragments of every search would find nothing.
static void leave_out(search *s, int gpus) {
  double needed = 0;
  int i, kept = 0;
  for (i = 0; i < s->group_count; i++) {
    const group *g = s->groups[i], *next = i + 1 < s->group_count ? s->groups[i + 1] : NULL;
    needed += least_seconds(s, g);
    if (next && !strcmp(next->row->primitive, g->row->primitive)) continue;
    if (kept && needed > s->opt->seconds * gpus) break;
    kept = i + 1;
  }
  if (kept == s->group_count) return;
  fprintf(stderr, "gp_tune: --seconds %g serves %d of %d groups; left out, all groups of:", s->opt->seconds, kept,
      s->group_count);
  for (i = kept; i < s->group_count; i++)
    if (strcmp(s->groups[i]->row->primitive, s->groups[i - 1]->row->primitive))
      fprintf(stderr, "%s %s", i > kept ? "," : "", s->groups[i]->row->primitive);
  fprintf(stderr, "\n");
  s->group_count = kept;
}

static const char *search_start(void *self, int count, const gpu *gpus) {
  search *s = self;
  static char reason[400];
  int i, kept = 0;
  s->current = memset(grow(NULL, (size_t)count * sizeof(int)), 0xff, (size_t)count * sizeof(int));
  for (i = 0; i < s->group_count; i++) {
    group *g = s->groups[i];
    const char *wrong;
    g->gpu_number = kept % count;
    g->gpu = &gpus[g->gpu_number];
    drop_unserved(g);
    wrong = load_group(s, g);
    if (!wrong) s->groups[kept++] = g;
    if (!wrong) continue;
    snprintf(reason, sizeof reason, "%s: %s", g->sizes[0].cell, wrong);
    if (g->kernel) return reason;
    fprintf(stderr, "gp_tune: skipped %s: %s\n", g->name, reason);
    PUSH(s->skipped, s->skipped_count) = g;
  }
  s->group_count = kept;
  if (!kept) return reason;
  s->loaded = 1;
  if (s->opt->seconds > 0) leave_out(s, count);
  if (s->opt->seconds > 0) s->deadline = seconds_now() + s->opt->seconds - gpus[0].spent;
  advance_all(s);
  return NULL;
}

// Gives up policies that wait for a compiler; the matrix asks again for those it needs.
static void forget_builds(search *s, group *g) {
  int i, left = 0;
  for (i = g->build_head; i < g->build_count; i++) {
    const intptr_t number = (intptr_t)*map_at(&g->by_text, g->builds[i]->policy);
    char *key = print_text("%s|%s", g->name, g->builds[i]->policy);
    if (number) {
      g->policies[number - 1].build = NULL;
      *map_at(&s->builds, key) = NULL;
    } else g->builds[g->build_head + left++] = g->builds[i]; // the default's
    free(key);
  }
  g->build_count = g->build_head + left;
}

// When the matrices need all of the remaining time, every group goes to its matrix with what it has. Measurements of
// earlier runs come from the store first, and take no time.
static void hurry(search *s, int gpu) {
  double needed = 0;
  int i;
  for (i = 0; i < s->group_count; i++)
    if (s->groups[i]->gpu_number == gpu) needed += matrix_seconds(s, s->groups[i]);
  if (!s->deadline || !s->measures || seconds_now() + needed < s->deadline) return;
  for (i = 0; i < s->group_count; i++) {
    group *g = s->groups[i];
    const int at = last_keep(g);
    if (g->gpu_number != gpu || at < 0 || g->at >= at) continue;
    for (; g->queue_head < g->queue_count; g->queue_head++, g->unfinished--) job_free(g->queue[g->queue_head]);
    forget_builds(s, g);
    g->hurried = g->published = 1;
    g->at = at;
    g->begun = 0;
  }
  advance_all(s);
}

static job *head_of(const group *g) { return g->queue_head < g->queue_count ? g->queue[g->queue_head] : NULL; }

// The group that had the least GPU time so far; the rest of a batch comes first, because its kernels are loaded.
static job *search_next(void *self, int gpu) {
  search *s = self;
  int i, best = s->current[gpu];
  group *g;
  hurry(s, gpu);
  if (best < 0 || !head_of(s->groups[best]) || !job_built(head_of(s->groups[best])) ||
      head_of(s->groups[best])->tag == 0) {
    best = -1;
    for (i = 0; i < s->group_count; i++) {
      const job *j = head_of(s->groups[i]);
      if (s->groups[i]->gpu_number != gpu || !j || !job_built(j)) continue;
      if (best < 0 || s->groups[i]->used < s->groups[best]->used) best = i;
    }
  }
  s->current[gpu] = best;
  if (best < 0) return NULL;
  g = s->groups[best];
  return g->queue[g->queue_head++];
}

static void search_done(void *self, int gpu, job *j) {
  search *s = self;
  group *g = j->group;
  (void)gpu;
  take_results(g, j);
  s->measures |= j->sent_count > 0;
  g->used += j->seconds;
  g->unfinished--;
  job_free(j);
  advance_all(s);
}

// Compiler seconds of a group, with an estimate for those at work.
static double compiler_seconds(const group *g) {
  const double usual = g->compiled_count ? g->compile_seconds / g->compiled_count : 0.5;
  return g->compile_seconds + (g->build_head - g->compiled_count) * usual;
}

// Compilers work for the group that had the least compiler time: kernels of one group take a tenth as long as
// another's, at equal numbers.
static build *search_next_build(void *self) {
  search *s = self;
  group *best = NULL;
  int i;
  for (i = 0; i < s->group_count; i++) {
    group *g = s->groups[i];
    if (g->build_head < g->build_count && (!best || compiler_seconds(g) < compiler_seconds(best))) best = g;
  }
  return best ? best->builds[best->build_head++] : NULL;
}

static void search_built(void *self, build *b) {
  b->group->compile_seconds += b->seconds;
  b->group->compiled_count++;
  advance_all(self);
}

static int search_finished(void *self) {
  const search *s = self;
  int i;
  for (i = 0; i < s->group_count; i++)
    if (s->groups[i]->at < s->groups[i]->step_count || s->groups[i]->unfinished) return 0;
  return 1;
}

static int search_planned(void *self, const char **where) {
  const search *s = self;
  int i, jobs = 0;
  for (i = 0; i < s->group_count; i++) jobs += s->groups[i]->queue_count + jobs_to_come(s->groups[i]);
  if (s->current && s->current[0] >= 0) *where = s->groups[s->current[0]]->name;
  return jobs;
}

static int search_complete(void *self) {
  const search *s = self;
  int i, hurried = 0;
  for (i = 0; i < s->group_count; i++) hurried += s->groups[i]->hurried;
  return !hurried;
}

static const char *objective_words(const search *s) {
  return !strcmp(s->opt->objective, "energy") ? "energy" : !strcmp(s->opt->objective, "edp") ? "energy x time" : "time";
}

// The best policy of each size by energy, or energy times time. Tables take times alone, so that this report and the
// store's samples are what such a search gives.
static void say_best(const search *s) {
  int i, size, k;
  for (i = 0; i < s->group_count; i++)
    for (size = 0; size < s->groups[i]->size_count; size++) {
      const group *g = s->groups[i];
      int best = -1;
      for (k = 0; k < g->space.count; k++)
        if (g->policies[k].scores[size] > 0 &&
            (best < 0 || g->policies[k].scores[size] < g->policies[best].scores[size]))
          best = k;
      if (best < 0) printf("%s: no policy was measured\n", g->sizes[size].cell);
      else
        printf("%s: %s: %.3f +- %.4f of the default's %s\n", g->sizes[size].cell, g->policies[best].text,
            g->policies[best].scores[size], g->policies[best].errors[size], objective_words(s));
    }
}

// Reports the policy that did best over all sizes together; --policy-out writes it as a header.
static int say_kernel(const search *s) {
  static const double WORTH_IT = 0.98; // a score above is the default's
  const group *g = s->groups[0];
  double best_score = WORTH_IT;
  const char *best, *at;
  char name[64], value[64];
  FILE *to;
  int i, size;
  if (g->at < g->step_count || !g->sizes[0].default_policy) return 1; // not finished
  best = g->sizes[0].default_policy;
  for (i = 0; i < g->space.count; i++) {
    double sum = 0;
    for (size = 0; size < g->size_count && g->policies[i].scores[size] > 0; size++)
      sum += log(g->policies[i].scores[size]);
    if (size < g->size_count || !(exp(sum / size) < best_score)) continue;
    best_score = exp(sum / size);
    best = g->policies[i].text;
  }
  if (best == g->sizes[0].default_policy) best_score = 1;
  printf("%s: %s\n", g->name, best);
  printf("%.3f of the default's %s over all sizes%s\n", best_score, objective_words(s),
      best_score < 1 ? "" : ": nothing is 2 % better");
  for (size = 0; size < g->size_count && best_score < 1; size++) {
    for (i = 0; g->policies[i].text != best;) i++;
    printf("  %s: %.3f +- %.4f\n", g->sizes[size].cell, g->policies[i].scores[size], g->policies[i].errors[size]);
  }
  if (!s->opt->policy_out) return 1;
  to = fopen(s->opt->policy_out, "w");
  if (to)
    fprintf(to, "// Written by gp_tune --kernel %s: %.3f of the default's %s on this GPU. Do not edit.\n",
        g->kernel->path, best_score, objective_words(s));
  for (at = best; to && policy_next(&at, name, value, sizeof name);) fprintf(to, "#define %s %s\n", name, value);
  if (to && !fclose(to)) return 1;
  fprintf(stderr, "gp_tune: cannot write %s\n", s->opt->policy_out);
  return 0;
}

static int search_close(void *self, store *results) {
  const search *s = self;
  text lines = {0};
  int i, passed = 1;
  for (i = 0; s->loaded && i < s->group_count; i++) {
    const group *g = s->groups[i];
    passed &= group_close(g, s->landscape, s->opt->seed, &lines) && !g->statuses[STATUS_wrong];
    if (g->statuses[STATUS_wrong])
      fprintf(stderr, "gp_tune: %s: %d times something was wrong: see the store's lines with status wrong\n", g->name,
          g->statuses[STATUS_wrong]);
  }
  for (i = 0; i < s->skipped_count; i++) group_close_skipped(s->skipped[i], s->opt->seed, &lines);
  if (!strcmp(s->opt->objective, "time")) store_write(results, lines.at, lines.length); // of times, for the table
  else if (s->loaded && !s->opt->kernel) say_best(s);
  free(lines.at);
  if (s->opt->kernel && s->loaded && !say_kernel(s)) return DEVICE_LOST;
  return passed ? DONE : FOUND_WRONG;
}

// ---- options --------------------------------------------------------------------------------------------------------

static const char LANDSCAPE_TYPES[] = "u8 u16 u32 u64";

// Up to this time a launch costs the host more than the kernel: a stream would measure the host.
static const unsigned long long IN_GRAPHS_UP_TO = 4 << 20;

static int is_in_list(const char *list, char separator, const char *word) {
  const size_t length = strlen(word);
  for (; list && *list; list = strchr(list, separator) ? strchr(list, separator) + 1 : NULL)
    if (!strncmp(list, word, length) && (list[length] == separator || !list[length])) return 1;
  return 0;
}

// Graphs of about these bytes: smaller ones behave like the smallest, larger ones take long to build.
static const unsigned long long GRAPHS_FROM = 64 << 10, GRAPHS_UP_TO = 256 << 20;

static void add_graphs(search *s, const group_row *row, const char *type, const unsigned long long *bytes, int count) {
  const int is_grid = !strcmp(row->words, "graph=grid"), degree = is_grid ? 4 : 32;
  group *g = memset(grow(NULL, sizeof *g), 0, sizeof *g);
  cell_words words;
  cell_sizes sizes;
  int i;
  g->row = row;
  g->type = print_text("%s", type);
  for (i = count - 1; i >= 0; i--) {
    const double vertices = (double)bytes[i] / type_size(type) / (degree + 1);
    const unsigned number = (unsigned)(is_grid ? sqrt(vertices) : log2(vertices) + 0.5); // a side; the scale
    const unsigned long long edges =
        (unsigned)degree * (is_grid ? (unsigned long long)number * number : 1ull << number);
    char numbers[64];
    size_cell *c;
    if (bytes[i] < GRAPHS_FROM || bytes[i] > GRAPHS_UP_TO) continue;
    c = &PUSH(g->sizes, g->size_count);
    c->bytes = bytes[i];
    if (is_grid) snprintf(numbers, sizeof numbers, "rows=%u:columns=%u", number, number);
    else snprintf(numbers, sizeof numbers, "scale=%u", number);
    c->cell = print_text("%s %s %s:%s n=%llu protocol=back_to_back", row->primitive, type, row->words, numbers, edges);
    cell_words_of(c->cell, &words);
    cell_sizes_of(&words, &sizes);
    snprintf(g->name, sizeof g->name, "%s %d/%d/%d", row->primitive, sizes.in, sizes.acc, sizes.out);
  }
  if (g->size_count) PUSH(s->groups, s->group_count) = g;
}

static void add_group(search *s, const group_row *row, const char *type, const unsigned long long *bytes, int count) {
  const char *op = primitive_of(row->primitive)->op;
  group *g = memset(grow(NULL, sizeof *g), 0, sizeof *g);
  unsigned long long size;
  char *one, *first;
  cell_words words;
  cell_sizes sizes;
  int i;
  g->row = row;
  g->type = print_text("%s", type);
  one = print_text(
      "%s%s%s %s%s%s", row->primitive, *op ? " " : "", op, type, row->words ? " " : "", row->words ? row->words : "");
  first = print_text("%s n=1 protocol=cold", one);
  cell_words_of(first, &words);
  cell_sizes_of(&words, &sizes);
  size = (unsigned long long)sizes.bytes;
  for (i = count - 1; i >= 0; i--) {
    size_cell *c = &PUSH(g->sizes, g->size_count);
    c->bytes = bytes[i];
    c->cell = print_text(
        "%s n=%llu protocol=%s", one, (bytes[i] + size - 1) / size, bytes[i] <= IN_GRAPHS_UP_TO ? "graph" : "cold");
  }
  free(first);
  free(one);
  snprintf(g->name, sizeof g->name, "%s %d/%d/%d", row->primitive, sizes.in, sizes.acc, sizes.out);
  PUSH(s->groups, s->group_count) = g;
}

// A user's kernel as a group: the sizes are its n.
static const char *add_kernel(search *s, const char *path, const unsigned long long *n, int count) {
  static const group_row ROW = {"kernel", "", NULL, NULL, NULL};
  static kernel_file file;
  group *g = memset(grow(NULL, sizeof *g), 0, sizeof *g);
  const gp_tune_kernel *kernel;
  const char *wrong = kernel_read(path, &file);
  char cell[200];
  int i;
  if (!wrong) wrong = kernel_open(&file, &kernel);
  if (wrong) return wrong;
  setenv("GP_TUNE_KERNEL", path, 1); // for workers and compilers
  g->row = &ROW;
  g->kernel = &file;
  g->type = "";
  for (i = count - 1; i >= 0; i--) {
    size_cell *c = &PUSH(g->sizes, g->size_count);
    c->bytes = kernel->moved(n[i]);
    kernel_cell(kernel, n[i], cell, sizeof cell);
    c->cell = print_text("%s", cell);
  }
  snprintf(g->name, sizeof g->name, "kernel %.100s", kernel->name);
  PUSH(s->groups, s->group_count) = g;
  return NULL;
}

static int compare_sizes(const void *a, const void *b) {
  const unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;
  return (x > y) - (x < y);
}

// "4K,1M": rising sizes in bytes. 0: bad text.
static int parse_sizes(const char *at, unsigned long long **bytes) {
  int count = 0;
  while (*at) {
    char *end;
    const double number = strtod(at, &end);
    const char *unit = *end ? strchr("KMG", *end) : NULL;
    const double size = number * (unit ? (double)(1ull << 10 * (unit - "KMG" + 1)) : 1);
    if (end == at || !(size >= 16 && size <= 1e13)) return 0;
    end += unit != NULL;
    if (*end && *end != ',') return 0;
    PUSH(*bytes, count) = (unsigned long long)size;
    at = end + (*end == ',');
  }
  qsort(*bytes, (size_t)count, sizeof **bytes, compare_sizes);
  return count;
}

static const char *check_primitive(const char *word) {
  static char reason[200];
  const primitive_row *row = primitive_of(word);
  const char *searched = row ? row->searched : "";
  int i;
  for (i = 0; i < GROUP_ROW_COUNT; i++)
    if (!strcmp(word, GROUP_ROWS[i].primitive)) return NULL;
  snprintf(reason, sizeof reason,
      *searched ? "--primitives: %.60s has no search of its own: it uses the rows of %s"
          : "--primitives: %.60s has no search",
      word, searched);
  return reason;
}

static const char *check_primitives(const char *list) {
  char *copy = print_text("%s", list), *save = NULL, *word;
  const char *wrong = NULL;
  for (word = strtok_r(copy, ",", &save); word && !wrong; word = strtok_r(NULL, ",", &save))
    wrong = check_primitive(word);
  free(copy);
  return wrong;
}

void list_searched(void) {
  int i;
  for (i = 0; i < GROUP_ROW_COUNT; i++) // rows of a primitive are adjacent
    if (!i || strcmp(GROUP_ROWS[i].primitive, GROUP_ROWS[i - 1].primitive)) printf("%s\n", GROUP_ROWS[i].primitive);
}

// The groups of a primitive, or of all (NULL); each once.
static void add_rows(search *s, const char *primitive, const unsigned long long *bytes, int count) {
  int i, k;
  for (k = 0; primitive && k < s->group_count; k++)
    if (!strcmp(s->groups[k]->row->primitive, primitive)) return;
  for (i = 0; i < GROUP_ROW_COUNT; i++) {
    const group_row *row = &GROUP_ROWS[i];
    char types[64], *save = NULL, *type;
    if ((primitive && strcmp(row->primitive, primitive)) || (s->landscape && !row->landscape)) continue;
    strcpy(types, row->types);
    for (type = strtok_r(types, " ", &save); type; type = strtok_r(NULL, " ", &save))
      if (!s->landscape || is_in_list(LANDSCAPE_TYPES, ' ', type))
        (primitive_has(row->primitive, "graph") ? add_graphs : add_group)(s, row, type, bytes, count);
  }
}

static char *asked_of(const options *o, int landscape) {
  char *all = print_text("%d|%s|%s|%s|%d|%llu|%.9g%s", landscape, o->primitives, o->sizes, o->strategy, o->process,
      (unsigned long long)o->seed, o->seconds, strcmp(o->objective, "time") ? o->objective : "");
  char *asked = print_text("%016llx", (unsigned long long)hash_text(HASH_START, all));
  free(all);
  return asked;
}

const char *search_make(const options *o, int landscape, plan *p) {
  static char reason[300];
  search *s = memset(grow(NULL, sizeof *s), 0, sizeof *s);
  unsigned long long *bytes = NULL;
  const char *sizes = landscape ? "128K,512K,2M,8M,32M,128M" : o->sizes, *wrong = check_primitives(o->primitives);
  const int count = parse_sizes(sizes, &bytes);
  step steps[MOST_STEPS];
  int step_count;
  if (wrong) return wrong;
  if (!count) return snprintf(reason, sizeof reason, "--sizes %.80s: sizes such as 4K,1M,1G", sizes), reason;
  wrong = !landscape && strcmp(o->strategy, "auto") ? parse_steps(steps_of(o->strategy), steps, &step_count) : NULL;
  if (wrong)
    return snprintf(reason, sizeof reason, "--strategy: %s (--list-strategies lists those that have a name)", wrong),
           reason;
  s->opt = o;
  s->landscape = landscape;
  wrong = o->kernel ? add_kernel(s, o->kernel, bytes, count) : NULL;
  if (wrong) return wrong;
  if (!o->kernel && *o->primitives) {
    char *list = print_text("%s", o->primitives), *save = NULL, *word;
    for (word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) add_rows(s, word, bytes, count);
    free(list);
  } else if (!o->kernel) add_rows(s, NULL, bytes, count);
  free(bytes);
  *p = (plan){s, search_start, search_next, search_done, search_next_build, search_built, search_finished,
      search_planned, search_complete, search_close,
      o->kernel ? NULL : asked_of(o, landscape)}; // a kernel reports its best policy each time
  return s->group_count ? NULL : "--primitives: nothing is left to search";
}
