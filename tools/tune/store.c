// store.c - the store (tools/farm/README.md): read at the start, so that nothing is measured twice; then append-only,
// in whole lines.
#include "tune.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

const char ECHO_DIFFERS[] = "the machine code is of another policy: ";

// ---- reading --------------------------------------------------------------------------------------------------------

static int status_number(const char *name) {
  int i;
  for (i = WAITING + 1; i < STATUS_COUNT; i++)
    if (!strcmp(name, STATUS_NAMES[i])) return i;
  return WAITING;
}

// The text of a policy that a line has as an object.
static char *policy_of(const json *object) {
  text t = {0};
  const json *field;
  text_add(&t, "%s", "");
  for (field = object && object->kind == '{' ? object->first : NULL; field; field = field->next) {
    text_add(&t, "%s%s=", t.length ? "," : "", field->name);
    if (field->kind == '0') text_add(&t, "%.15g", field->number);
    else text_add(&t, "%s", field->text ? field->text : "");
  }
  return t.at;
}

static void **sample_at(store *s, const char *environment, const char *job, const char *policy) {
  char *key = print_text("%s %s %s", environment, job, policy);
  void **at = map_at(&s->samples, key);
  free(key);
  return at;
}

static void keep_sample(store *s, const json *line) {
  const json *us = json_get(line, "us"), *number;
  variant *v = memset(grow(NULL, sizeof *v), 0, sizeof *v);
  char *policy = policy_of(json_get(line, "policy"));
  const int is_default = !strcmp(json_text(line, "variant"), "default");
  v->stored = 1;
  v->status = status_number(json_text(line, "status"));
  v->source = print_text("%s", json_text(line, "policy_source"));
  v->message = print_text("%s", json_text(line, "message"));
  v->calls = json_number(line, "calls");
  v->echo = policy;
  for (number = us ? us->first : NULL; number; number = number->next) PUSH(v->us, v->count) = number->number;
  if (v->status) *sample_at(s, json_text(line, "env"), json_text(line, "job"), is_default ? "default" : policy) = v;
}

static earlier *runs_of(store *s, const char *environment, const char *asked) {
  char *key = print_text("%s %s", environment, asked);
  void **at = map_at(&s->runs, key);
  free(key);
  if (!*at) *at = memset(grow(NULL, sizeof(earlier)), 0, sizeof(earlier));
  return *at;
}

earlier store_earlier(store *s, const char *environment, const char *asked) { return *runs_of(s, environment, asked); }

static void keep_run(store *s, const json *line) {
  const json *ended = json_get(line, "ended");
  earlier *e = runs_of(s, json_text(line, "env"), json_text(line, "asked"));
  e->seconds += json_number(line, "seconds");
  e->ended |= ended && ended->kind == 't';
}

const variant *store_find(store *s, const char *environment, const char *job, const char *policy) {
  return *sample_at(s, environment, job, policy);
}

// Reads the file, and cuts off an unfinished last line (the machine went down during the write).
static int read_lines(store *s, FILE *from) {
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  off_t whole = 0;
  int number = 0, used = 0, foreign = 0;
  while ((length = getline(&line, &room, from)) > 0) {
    const char *reason;
    const json *value;
    number++;
    if (line[length - 1] != '\n') {
      fprintf(stderr, "%s:%d: a half-written last line: cut off\n", s->path, number);
      if (ftruncate(s->file, whole)) return fprintf(stderr, "%s: %s\n", s->path, strerror(errno)), DEVICE_LOST;
      break;
    }
    whole += length;
    if (strspn(line, " \t\r\n") == (size_t)length) continue;
    value = json_parse(line, &reason);
    if (!value) {
      fprintf(stderr, "%s:%d: a broken line (%s): left out\n", s->path, number, reason);
    } else if (json_number(value, "v") != 1) {
      fprintf(stderr, "%s:%d: schema version %g, but this program reads 1: left out\n", s->path, number,
          json_number(value, "v"));
      foreign++;
    } else {
      used++;
      if (!strcmp(json_text(value, "kind"), "samples")) keep_sample(s, value);
      if (!strcmp(json_text(value, "kind"), "run") && *json_text(value, "asked")) keep_run(s, value);
      if (!strcmp(json_text(value, "kind"), "environment")) *map_at(&s->environments, json_text(value, "id")) = s;
    }
  }
  free(line);
  if (foreign && !used) {
    fprintf(stderr, "%s: a store of another schema version: give --out another file\n", s->path);
    return BAD_USAGE;
  }
  return DONE;
}

int store_open(store *s, const char *path) {
  FILE *from;
  int status;
  memset(s, 0, sizeof *s);
  s->path = path;
  s->file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (s->file < 0) return fprintf(stderr, "gp_tune: --out %s: %s\n", path, strerror(errno)), BAD_USAGE;
  if (flock(s->file, LOCK_EX | LOCK_NB))
    return fprintf(stderr, "gp_tune: --out %s: another gp_tune writes to it\n", path), BAD_USAGE;
  from = fopen(path, "r");
  if (!from) return fprintf(stderr, "gp_tune: --out %s: %s\n", path, strerror(errno)), BAD_USAGE;
  status = read_lines(s, from);
  fclose(from);
  return status;
}

void store_leave_none(const store *s) {
  if (lseek(s->file, 0, SEEK_END) == 0) unlink(s->path);
}

// ---- writing --------------------------------------------------------------------------------------------------------

int store_write(store *s, const char *lines, size_t length) {
  const off_t whole = lseek(s->file, 0, SEEK_END);
  ssize_t written;
  if (s->broken) return 0;
  if (!length) return 1;
  written = write(s->file, lines, length);
  // A partial write: the next write continues, or gives the reason.
  while (written > 0 && (size_t)written < length) {
    lines += written;
    length -= (size_t)written;
    written = write(s->file, lines, length);
  }
  if (written == (ssize_t)length) return 1;
  s->broken = 1;
  fprintf(stderr, "gp_tune: %s: %s\n", s->path, strerror(errno));
  if (ftruncate(s->file, whole)) fprintf(stderr, "gp_tune: %s: its last line is cut: %s\n", s->path, strerror(errno));
  return 0;
}

static void add_policy(text *t, const char *policy) {
  char name[64], value[64];
  const char *separator = "";
  text_add(t, "{");
  while (policy_next(&policy, name, value, sizeof name)) {
    text_add(t, "%s", separator);
    json_string(t, name);
    text_add(t, ":");
    json_value(t, value);
    separator = ",";
  }
  text_add(t, "}");
}

void store_sample(text *t, const char *environment, const job *j, const variant *v) {
  const int is_default = !strcmp(v->policy, "default");
  const char *echo = v->echo ? v->echo : "";
  cell_words c;
  int i;
  cell_words_of(j->cell, &c);
  text_add(t, "{\"kind\":\"samples\",\"v\":1,\"env\":\"%s\",\"job\":\"%s\",\"process\":%d,\"phase\":\"%s\",",
      environment, j->key, j->process, j->objective ? j->objective : j->phase);
  cell_key_add(t, &c);
  text_add(t, ",\"variant\":\"%s\",\"policy\":", is_default ? "default" : v->is_rule ? "rule" : "policy");
  add_policy(t, is_default ? echo : v->policy);
  text_add(t, ",\"policy_source\":");
  json_string(t, v->source ? v->source : "");
  text_add(t, ",\"status\":\"%s\",\"message\":", STATUS_NAMES[v->status]);
  json_string(t, v->message ? v->message : "");
  text_add(t, ",\"code\":\"%s\",\"registers\":%d,\"calls\":%.15g,\"us\":[", v->build ? v->build->code : "",
      v->build ? v->build->registers : 0, v->calls);
  for (i = 0; i < v->count; i++) text_add(t, "%s%.9g", i ? "," : "", v->us[i]);
  text_add(t, "],%s}\n", j->clocks ? j->clocks : "\"sm_mhz\":[0,0],\"celsius\":0,\"milliwatts\":0,\"throttle\":0");
}
