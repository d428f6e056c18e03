// jobs.c - policies as words, and jobs made of policies and cells.
#include "tune.h"

#define NAME(name) #name,
const char *const STATUS_NAMES[STATUS_COUNT] = {"waiting", STATUSES(NAME)};
#undef NAME

// ---- policies -------------------------------------------------------------------------------------------------------

int policy_next(const char **at, char *name, char *value, size_t room) {
  const size_t names = strcspn(*at, "=,"), values = (*at)[names] == '=' ? strcspn(*at + names + 1, ",") : 0;
  if (!names || (*at)[names] != '=' || names >= room || values >= room) return 0;
  snprintf(name, room, "%.*s", (int)names, *at);
  snprintf(value, room, "%.*s", (int)values, *at + names + 1);
  *at += names + 1 + values;
  *at += **at == ',';
  return 1;
}

// One of a|b|c?
static int is_among(const char *value, const char *list) {
  const size_t length = strlen(value);
  for (; list; list = strchr(list, '|') ? strchr(list, '|') + 1 : NULL)
    if (!strncmp(list, value, length) && (list[length] == 0 || list[length] == '|')) return 1;
  return 0;
}

int policy_matches(const char *policy, const char *pattern) {
  char name[64], value[64], wanted_name[64], wanted[64];
  while (policy_next(&pattern, wanted_name, wanted, sizeof wanted)) {
    const char *at = policy;
    int found = 0;
    while (!found && policy_next(&at, name, value, sizeof name))
      found = !strcmp(name, wanted_name) && is_among(value, wanted);
    if (!found) return 0;
  }
  return 1;
}

// ---- jobs -----------------------------------------------------------------------------------------------------------

job *job_make(const char *phase, int process, const char *cell, int rounds, double batch_us, double give_up) {
  job *j = memset(grow(NULL, sizeof *j), 0, sizeof *j);
  j->phase = phase;
  j->process = process;
  j->cell = print_text("%s", cell);
  j->rounds = rounds;
  j->verify = 1;
  j->batch_us = batch_us;
  j->give_up = give_up;
  return j;
}

variant *job_add(job *j, const char *policy, build *b, int tag) {
  variant *v = &PUSH(j->variants, j->variant_count);
  v->policy = policy;
  v->build = b;
  v->tag = tag;
  return v;
}

void job_seal(job *j) {
  char *asked = print_text("%s|%d|%s|%d|%.9g|%.9g%s%s", j->phase, j->process, j->cell, j->rounds, j->batch_us,
      j->give_up, j->objective ? "|" : "", j->objective ? j->objective : "");
  uint64_t hash = hash_text(HASH_START, asked);
  int i;
  free(asked);
  for (i = 0; i < j->variant_count; i++) hash = hash_text(hash, j->variants[i].policy);
  snprintf(j->key, sizeof j->key, "%016llx", (unsigned long long)hash);
}

int job_built(const job *j) {
  int i;
  for (i = 0; i < j->variant_count; i++)
    if (j->variants[i].build && !j->variants[i].build->built) return 0;
  return 1;
}

void job_free(job *j) {
  int i;
  for (i = 0; i < j->variant_count; i++) {
    free(j->variants[i].echo);
    free(j->variants[i].source);
    free(j->variants[i].message);
    free(j->variants[i].us);
  }
  free(j->variants);
  free(j->sent);
  free(j->clocks);
  free(j->cell);
  free(j);
}
