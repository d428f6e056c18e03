// groups.c - a group's space as numbers: fields, neighbours, the best policies; and the final lines about a group.
#include <math.h>

#include "groups.h"

// In order of search, all else equal. Primitives without a row share another's search and are confirmed on its results
// (tools/gp_primitives.h). Few threads saturate an H100 that only writes (fill, iota), and enough for lower_bound and
// segmented_sort: none of these has a policy that must lose.
const group_row GROUP_ROWS[] = {
    {"copy", "u8 u16 u32 u64 s12 s16", "threads=128,vectors=1,blocks_per_sm=1", "overlap=1,load=ALL|STREAMING", NULL},
    {"reduce", "u8 u16 u32 u64 f16 s12 s16", "algorithm=EVEN_SHARE,threads=128,vectors=1,blocks_per_sm=1",
        "algorithm=EVEN_SHARE|STEALING,overlap=1", NULL},
    {"exclusive_scan", "u8 u16 u32 u64 f16 s12 s16", "algorithm=LOOK_BACK,threads=128,vectors=1,blocks_per_sm=1",
        "algorithm=LOOK_BACK|PIPELINED,load=ALL,store=ALL,stages=3|5,blocks_per_sm=1|2|4|8,overlap=1", NULL},
    {"fill", "u8 u32 u64", NULL, NULL, NULL},
    {"iota", "u32 u64", NULL, NULL, NULL},
    {"transform", "u8 u16 u32 u64", "threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"transform2", "u8 u16 u32 u64", "threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"segmented_reduce", "u8 u16 u32 u64", "algorithm=MERGE_PATH,threads=128,vectors=1,blocks_per_sm=1", NULL,
        "segments=pareto:64"},
    {"segmented_exclusive_scan", "u8 u16 u32 u64", "algorithm=LOOK_BACK,threads=128,vectors=1,blocks_per_sm=1", NULL,
        "segments=pareto:64"},
    {"reduce_by_key", "u8 u16 u32 u64", "algorithm=LOOK_BACK,threads=128,vectors=1,blocks_per_sm=1", NULL,
        "key=u32 runs=32"},
    {"unique", "u8 u16 u32 u64 s16", "algorithm=LOOK_BACK,threads=128,vectors=1,blocks_per_sm=1", NULL, "runs=4"},
    {"adjacent_difference", "u8 u16 u32 u64", "threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"select", "u8 u16 u32 u64 s16", "algorithm=LOOK_BACK,threads=128,vectors=1,blocks_per_sm=1", NULL, "keep=50"},
    {"count_if", "u8 u16 u32 u64", "algorithm=EVEN_SHARE,threads=128,vectors=1,blocks_per_sm=1", NULL, "keep=50"},
    {"histogram_even", "u8 u16 u32 u64", "algorithm=GLOBAL_BINS,threads=256,vectors=1,blocks_per_sm=1", NULL,
        "bins=256"},
    {"lower_bound", "u32 u64", NULL, NULL, "haystack=65536"},
    {"expand", "u8 u32 u64", NULL, NULL, "segments=pareto:64"},
    {"load_balance", "u32", "threads=128,vectors=1,blocks_per_sm=1", NULL, "segments=pareto:64"},
    {"sort", "u8 u16 u32 u64", "algorithm=ONE_SWEEP,threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"sort", "u32 u64", "algorithm=ONE_SWEEP,threads=128,vectors=1,blocks_per_sm=1", NULL, "payload=u32"},
    {"sort", "u32 u64", "algorithm=ONE_SWEEP,threads=128,vectors=1,blocks_per_sm=1", NULL, "payload=u64"},
    // Few floats only: the header sorts integers and many numbers by radix, without a policy of these rows.
    {"merge_sort", "f32 f64", "algorithm=MERGE_PASSES,threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"merge_sort", "f32", "algorithm=MERGE_PASSES,threads=128,vectors=1,blocks_per_sm=1", NULL, "payload=u32"},
    {"merge", "u32 u64", "algorithm=MERGE_PATH,threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"merge", "u32", "algorithm=MERGE_PATH,threads=128,vectors=1,blocks_per_sm=1", NULL, "payload=u32"},
    {"set_union", "u32 u64", "algorithm=MERGE_PATH,threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"is_sorted", "u32 u64", "algorithm=STEALING,threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"segmented_sort", "u32 u64", NULL, NULL, "segments=pareto:64"},
    {"segmented_sort", "u32", "algorithm=SIZE_CLASSES,threads=128,vectors=1,blocks_per_sm=1", NULL,
        "segments=pareto:64 payload=u32"},
    {"top_k", "u32 u64", "algorithm=RADIX_SELECT,threads=128,vectors=1,blocks_per_sm=1", NULL, "k=256"},
    {"segmented_top_k", "u32 u64", NULL, NULL, "segments=pareto:1024 k=64"},
    {"transpose", "u8 u16 u32 u64 s12 s16", "algorithm=PADDED_TILES,threads=128,vectors=1,blocks_per_sm=2", NULL, NULL},
    {"reduce_axis", "u8 u16 u32 u64", "algorithm=EVEN_SHARE,threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"row_map", "u16 u32", "algorithm=EVEN_SHARE,threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"scan_axis", "u16 u32", "algorithm=LOOK_BACK,threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"convert_layout", "u8 u32", "threads=128,vectors=1,blocks_per_sm=1", NULL, NULL},
    {"bfs", "u32", "algorithm=EXPAND_CONTRACT,threads=128,vectors=1,blocks_per_sm=1,alpha=-1", NULL, "graph=kronecker"},
    {"bfs", "u32", "algorithm=EXPAND_CONTRACT,threads=128,vectors=1,blocks_per_sm=1,small=1,cluster=1", NULL,
        "graph=grid"},
    {"bfs_sources", "u32", "algorithm=EXPAND_CONTRACT,threads=128,vectors=1,blocks_per_sm=1,alpha=-1", NULL,
        "graph=kronecker"},
};
const int GROUP_ROW_COUNT = sizeof GROUP_ROWS / sizeof *GROUP_ROWS;

enum { MOST_POINTS = 1 << 20 };

// ---- the space ------------------------------------------------------------------------------------------------------

static int looks_like_number(const char *text) {
  text += *text == '-';
  return *text && strspn(text, "0123456789") == strlen(text);
}

static int value_number(const field *f, const char *value) {
  int i;
  for (i = 0; i < f->count; i++)
    if (!strcmp(f->values[i], value)) return i;
  return -1;
}

// Inserts a value in order: numbers rise, so that "one step" has a meaning.
static void add_value(field *f, const char *value) {
  int i;
  if (value_number(f, value) >= 0) return;
  f->is_number &= looks_like_number(value);
  PUSH(f->values, f->count) = print_text("%s", value);
  for (i = f->count - 1; i > 0 && f->is_number && atof(f->values[i]) < atof(f->values[i - 1]); i--) {
    char *swap = f->values[i];
    f->values[i] = f->values[i - 1];
    f->values[i - 1] = swap;
  }
}

static const char *read_fields(group *g) {
  char name[64], value[64];
  int i, k;
  for (i = 0; i < g->space.count; i++) {
    const char *at = g->space.policies[i];
    for (k = 0; policy_next(&at, name, value, sizeof name); k++) {
      if (k == MOST_FIELDS) return "a policy has too many fields";
      if (k == g->field_count) {
        snprintf(g->fields[k].name, sizeof g->fields[k].name, "%.31s", name);
        g->fields[k].is_number = 1;
        g->field_count++;
      }
      if (strcmp(g->fields[k].name, name)) return "policies of a space differ in their fields";
      add_value(&g->fields[k], value);
    }
    if (*at || k != g->field_count) return "policies of a space differ in their fields";
  }
  return NULL;
}

static void read_policy(group *g, policy *p) {
  char name[64], value[64];
  const char *at = p->text;
  int k;
  for (k = 0; policy_next(&at, name, value, sizeof name); k++) p->values[k] = (short)value_number(&g->fields[k], value);
}

// Fisher and Yates.
static void shuffle(int *numbers, int count, uint64_t state) {
  int i;
  for (i = count - 1; i > 0; i--) {
    const int other = (int)(random_next(&state) % (uint64_t)(i + 1)), swap = numbers[i];
    numbers[i] = numbers[other];
    numbers[other] = swap;
  }
}

static const char *kernel_space(const kernel_file *file, tune_space *space) {
  char policy[512];
  int room = 0;
  memset(space, 0, sizeof *space);
  for (; kernel_point(file, space->raw, policy, sizeof policy); space->raw++) {
    if (space->raw == MOST_POINTS) return "the kernel's fields have more values than can be searched";
    PUSH(space->policies, room) = print_text("%s", policy);
  }
  space->count = space->raw;
  return NULL;
}

const char *group_load(group *g, uint64_t seed, const char *fixed) {
  const char *wrong = g->kernel
      ? kernel_space(g->kernel, &g->space)
      : tune_space_of(g->sizes[0].cell, g->gpu->compute_capability, g->gpu->multiprocessors, &g->space);
  int i, count = 0;
  if (!wrong) wrong = read_fields(g);
  if (wrong) return wrong;
  for (i = 0; i < g->space.count; i++) {
    policy *p;
    if (fixed && !policy_matches(g->space.policies[i], fixed)) continue;
    p = &PUSH(g->policies, count);
    p->text = g->space.policies[i];
    p->scores =
        memset(grow(NULL, 2 * (size_t)g->size_count * sizeof(double)), 0, 2 * (size_t)g->size_count * sizeof(double));
    p->errors = p->scores + g->size_count;
  }
  g->space.count = count;
  if (!count) return NO_POLICY;
  g->shuffled = grow(NULL, (size_t)count * sizeof(int));
  g->bad = -1;
  for (i = count - 1; i >= 0; i--) {
    read_policy(g, &g->policies[i]);
    g->shuffled[i] = i;
    *map_at(&g->by_text, g->policies[i].text) = (void *)(intptr_t)(i + 1);
  }
  shuffle(g->shuffled, count, seed ^ hash_text(HASH_START, g->name));
  return NULL;
}

static int differing_fields(const group *g, const policy *a, const policy *b) {
  int k, differing = 0;
  for (k = 0; k < g->field_count; k++) differing += a->values[k] != b->values[k];
  return differing;
}

// Numbers step by one value, all else equal. Names have no order: every other name is a neighbour, with as few further
// changes as the space allows, because the algorithms differ in the fields that they read.
static void field_neighbours(const group *g, const policy *p, int k, int **found, int *count) {
  int value, i;
  for (value = 0; value < g->fields[k].count; value++) {
    int least = g->fields[k].is_number ? 1 : MOST_FIELDS + 1;
    if (value == p->values[k] || (g->fields[k].is_number && abs(value - p->values[k]) != 1)) continue;
    for (i = 0; i < g->space.count && !g->fields[k].is_number; i++)
      if (g->policies[i].values[k] == value && differing_fields(g, p, &g->policies[i]) < least)
        least = differing_fields(g, p, &g->policies[i]);
    for (i = 0; i < g->space.count; i++)
      if (g->policies[i].values[k] == value && differing_fields(g, p, &g->policies[i]) == least)
        PUSH(*found, *count) = i;
  }
}

int *group_neighbours(const group *g, int number, int *count) {
  int *found = NULL, k;
  *count = 0;
  for (k = 0; k < g->field_count; k++) field_neighbours(g, &g->policies[number], k, &found, count);
  return found;
}

// ---- what is worth measuring ----------------------------------------------------------------------------------------

static int field_index(const group *g, const char *name) {
  int k;
  for (k = 0; k < g->field_count; k++)
    if (!strcmp(g->fields[k].name, name)) return k;
  return -1;
}

// When more blocks are asked for than fit, the launch equals that of the next smaller value that does not fit.
static int another_fills_as_well(const group *g, const policy *p) {
  const int k = field_index(g, "blocks_per_sm");
  int i;
  if (k < 0 || p->build->occupancy < 1 || atoi(g->fields[k].values[p->values[k]]) <= p->build->occupancy) return 0;
  for (i = 0; i < g->space.count; i++) {
    const policy *q = &g->policies[i];
    if (q->proposed && q->values[k] < p->values[k] && differing_fields(g, p, q) == 1 &&
        atoi(g->fields[k].values[q->values[k]]) >= p->build->occupancy)
      return 1;
  }
  return 0;
}

// Equal machine code in an equal launch: only the names of load and store modifiers differ.
static int another_is_the_same(const group *g, const policy *p) {
  const int load = field_index(g, "load"), store = field_index(g, "store");
  int i, k;
  for (i = 0; *p->build->code && i < g->space.count; i++) {
    const policy *q = &g->policies[i];
    if (!q->accepted || !q->build || strcmp(q->build->code, p->build->code)) continue;
    for (k = 0; k < g->field_count && (k == load || k == store || q->values[k] == p->values[k]);) k++;
    if (k == g->field_count) return 1;
  }
  return 0;
}

// The compiler spills a register or two at times, at no cost.
static const int LOCAL_BYTES_MAY_BE = 32;

int group_rejects(group *g, policy *p) {
  const build *b = p->build;
  if (p->accepted || p->rejected) return p->rejected;
  g->compiled += b && b->status == STATUS_ok;
  if (!b) p->rejected = KEPT;
  else if (b->status == STATUS_invalid) p->rejected = REJECTED_refused;
  else if (b->status != STATUS_ok) p->rejected = REJECTED_compile;
  else if (b->local_bytes > LOCAL_BYTES_MAY_BE) p->rejected = REJECTED_spill;
  else if (b->occupancy == 0) p->rejected = REJECTED_does_not_fit;
  else if (another_fills_as_well(g, p)) p->rejected = REJECTED_more_blocks_than_fit;
  else if (another_is_the_same(g, p)) p->rejected = REJECTED_same_code;
  p->accepted = !p->rejected;
  g->rejected[p->rejected]++;
  return p->rejected;
}

int group_bad(const group *g) {
  int i;
  for (i = 0; i < g->space.count; i++)
    if (g->row->bad && !g->policies[i].rejected && policy_matches(g->policies[i].text, g->row->bad)) return i;
  return -1;
}

int *group_best(const group *g, int keep, int *count) {
  char *marks = memset(grow(NULL, (size_t)g->space.count), 0, (size_t)g->space.count);
  int *best = NULL, size, taken, i;
  for (size = 0; size < g->size_count; size++) {
    double above = 0; // scores up to this are kept
    int last = -1;
    for (taken = 0; taken < keep; taken++) {
      int next = -1;
      for (i = 0; i < g->space.count; i++) {
        const double score = g->policies[i].scores[size];
        if (g->policies[i].failed || score <= 0 || score < above || (score == above && i <= last)) continue;
        if (next < 0 || score < g->policies[next].scores[size]) next = i;
      }
      if (next < 0) break;
      above = g->policies[next].scores[size];
      last = next;
      marks[next] = 1;
    }
  }
  *count = 0;
  for (i = 0; i < g->space.count; i++)
    if (marks[i]) PUSH(best, *count) = i;
  free(marks);
  return best;
}

// Patterns that are measured only up to this many bytes. One block takes a second where all blocks take a millisecond;
// above, the header's rule takes merge path, and nobody needs rows of warp segments.
static const struct {
  const char *pattern;
  unsigned long long bytes;
} SMALL_ONLY[] = {{"algorithm=ONE_BLOCK", 4 << 20}, {"algorithm=WARP_SEGMENTS", 4 << 20}};

int group_measures(const group *g, int number, int size) {
  size_t i;
  for (i = 0; i < sizeof SMALL_ONLY / sizeof *SMALL_ONLY; i++)
    if (g->sizes[size].bytes > SMALL_ONLY[i].bytes && policy_matches(g->policies[number].text, SMALL_ONLY[i].pattern))
      return 0;
  return 1;
}

// ---- final lines ----------------------------------------------------------------------------------------------------

static const double INCUMBENT_MAY_DIFFER = 0.02, BAD_MUST_LOSE = 1.2, NOISES = 3;
static const unsigned long long BAD_FROM_BYTES = 16 << 20;

static int say_check(const group *g, text *lines, const char *name, int passed, double value, double limit) {
  text_add(lines, "{\"kind\":\"check\",\"v\":1,\"env\":\"%s\",\"name\":\"%s\",\"group\":\"%s\",\"passed\":%s,",
      g->gpu->environment, name, g->name, passed ? "true" : "false");
  if (isfinite(value)) text_add(lines, "\"value\":%.6g,\"limit\":%.6g}\n", value, limit);
  else text_add(lines, "\"value\":null,\"limit\":%.6g}\n", limit);
  if (!passed)
    fprintf(stderr, "gp_tune: self-check failed: %s of %s: %.6g, the limit is %.6g\n", name, g->name, value, limit);
  return passed;
}

// The incumbent's own policy, asked for by name, must score 1.
static int check_incumbent(const group *g, text *lines) {
  double *controls = NULL, *noises = NULL, value, limit;
  int control_count = 0, noise_count = 0, i;
  for (i = 0; i < g->size_count; i++) {
    if (g->sizes[i].control > 0) PUSH(controls, control_count) = g->sizes[i].control;
    PUSH(noises, noise_count) = g->sizes[i].noise;
  }
  value = control_count && !g->default_failed ? fabs(median_of(controls, control_count) - 1) : NAN;
  limit = fmax(INCUMBENT_MAY_DIFFER, NOISES * median_of(noises, noise_count));
  free(controls);
  free(noises);
  if (!control_count && g->hurried && !g->default_failed) return 1; // no time was left to ask for its policy
  return say_check(g, lines, "incumbent", value <= limit, value, limit);
}

static int check_bad(const group *g, text *lines) {
  double least = NAN;
  int i, judged = 0;
  for (i = 0; i < g->size_count; i++) {
    if (g->sizes[i].bytes < BAD_FROM_BYTES) continue;
    judged++;
    if (g->sizes[i].worst > 0) least = fmin(least, g->sizes[i].worst); // fmin(NAN, x) is x
  }
  return !judged || !g->row->bad || say_check(g, lines, "bad", least > BAD_MUST_LOSE, least, BAD_MUST_LOSE);
}

static void add_counts(text *lines, const char *const *names, const int *counts, int count) {
  const char *separator = "";
  int i;
  text_add(lines, "{");
  for (i = 0; i < count; i++) {
    if (!counts[i] || !*names[i]) continue;
    text_add(lines, "%s\"%s\":%d", separator, names[i], counts[i]);
    separator = ",";
  }
  text_add(lines, "}");
}

void group_close_skipped(const group *g, uint64_t seed, text *lines) {
  text_add(lines, "{\"kind\":\"coverage\",\"v\":1,\"env\":\"%s\",\"group\":\"%s\",\"strategy\":\"skipped\",",
      g->gpu->environment, g->name);
  text_add(lines, "\"seed\":%llu,\"space\":%d,\"rejected\":{\"invalid\":%d},\"compiled\":0,\"measured\":0,",
      (unsigned long long)seed, g->space.raw, g->space.rejected_invalid);
  text_add(lines, "\"statuses\":{}}\n");
}

int group_close(const group *g, int landscape, uint64_t seed, text *lines) {
#define NAME(name) #name,
  static const char *const NAMES[] = {"", REJECTIONS(NAME) "invalid", "same"};
#undef NAME
  const char *statuses[STATUS_COUNT];
  int rejected[REJECTION_COUNT + 2], i, passed = 1, measured = 0, asked = 0;
  for (i = 0; i < g->space.count; i++) measured += g->policies[i].measured;
  for (i = 1; i < STATUS_COUNT; i++) asked += g->statuses[i];
  memcpy(rejected, g->rejected, sizeof g->rejected);
  rejected[REJECTION_COUNT] = g->space.rejected_invalid;
  rejected[REJECTION_COUNT + 1] = g->space.rejected_same;
  memcpy(statuses, STATUS_NAMES, sizeof statuses);
  statuses[WAITING] = "";
  if (!landscape && g->at == g->step_count) passed = check_incumbent(g, lines) & check_bad(g, lines);
  if (measured > 1)
    passed &= say_check(g, lines, "varies", g->most_score > g->least_score, g->most_score / g->least_score - 1, 0);
  if (asked) passed &= say_check(g, lines, "echo", !g->echoes_differ, g->echoes_differ, 0);
  text_add(lines, "{\"kind\":\"coverage\",\"v\":1,\"env\":\"%s\",\"group\":\"%s\",\"strategy\":", g->gpu->environment,
      g->name);
  json_string(lines, g->strategy);
  text_add(lines, ",\"seed\":%llu,\"space\":%d,\"rejected\":", (unsigned long long)seed, g->space.raw);
  add_counts(lines, NAMES, rejected, REJECTION_COUNT + 2);
  text_add(lines, ",\"compiled\":%d,\"measured\":%d,\"statuses\":", g->compiled, measured);
  add_counts(lines, statuses, g->statuses, STATUS_COUNT);
  text_add(lines, "}\n");
  return passed;
}
