// environment.c - turns the fields of `ready` into an environment's name, a line of the store, and a lock.
#include "environment.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static const struct {
  const char *name;
  int is_number;
} FIELDS[] = {{"device", 0}, {"compute_capability", 1}, {"multiprocessors", 1}, {"memory_bytes", 1}, {"l2_bytes", 1},
    {"ecc", 0}, {"driver", 0}, {"nvrtc", 0}, {"bus", 0}, {"board", 0}, {"peak_gbs", 1}, {"clocks", 0}, {"header", 0},
    {"source", 0}};
enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

static const char *field_value(const line *ready, int i) {
  const char *value = line_get(ready, FIELDS[i].name);
  return *value || strcmp(FIELDS[i].name, "source") ? value : "live";
}

void environment_name(const line *ready, const char *commit, char name[HASH_DIGITS + 1]) {
  uint64_t hash = hash_text(HASH_START, commit);
  int i;
  for (i = 0; i < FIELD_COUNT; i++) hash = hash_text(hash, field_value(ready, i));
  snprintf(name, HASH_DIGITS + 1, "%016llx", (unsigned long long)hash);
}

void environment_write(store *s, const char *name, const line *ready, const char *commit) {
  const time_t now = time(NULL);
  void **known = map_at(&s->environments, name);
  char date[32];
  text t = {0};
  int i;
  if (*known) return;
  *known = s;
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  text_add(&t, "{\"kind\":\"environment\",\"v\":1,\"id\":\"%s\",\"date\":\"%s\"", name, date);
  for (i = 0; i < FIELD_COUNT; i++) {
    const char *value = field_value(ready, i);
    text_add(&t, ",\"%s\":", FIELDS[i].name);
    if (FIELDS[i].is_number) text_add(&t, "%.15g", strtod(value, NULL));
    else json_string(&t, value);
  }
  text_add(&t, ",\"commit\":");
  json_string(&t, commit);
  text_add(&t, "}\n");
  store_write(s, t.at, t.length);
  free(t.at);
}

// A lock file in the first folder that accepts it; the caller owns the path. -1: none.
static int open_lock(const char *bus, char **path) {
  const char *const folders[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), P_tmpdir};
  int lock = -1;
  size_t i;
  for (i = 0; i < sizeof folders / sizeof *folders && lock < 0; i++) {
    char *at;
    if (!folders[i] || !*folders[i]) continue;
    free(*path);
    *path = print_text("%s/gp_tune-%s.lock", folders[i], bus);
    for (at = strrchr(*path, '/') + 1; *at; at++)
      if (!strchr("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_", *at)) *at = '_';
    lock = open(*path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  }
  return lock;
}

int environment_lock(const char *bus, int *lock) {
  char *path = NULL, owner[32] = "";
  int file;
  if (!*bus) return DONE;
  file = open_lock(bus, &path);
  if (file < 0) {
    fprintf(stderr, "gp_tune: no folder for a lock file: set TMPDIR to a writable folder\n");
    return free(path), DEVICE_LOST;
  }
  if (flock(file, LOCK_EX | LOCK_NB)) {
    if (read(file, owner, sizeof owner - 1) < 0) owner[0] = 0;
    fprintf(stderr,
        "gp_tune: another gp_tune (process %.*s) measures on the GPU at bus %s: wait for it, or choose another "
        "with --gpus (lock file: %s)\n",
        (int)strcspn(owner, "\n"), owner, bus, path);
    return free(path), BAD_USAGE;
  }
  if (ftruncate(file, 0) || dprintf(file, "%d\n", (int)getpid()) < 0)
    fprintf(stderr, "gp_tune: %s cannot be written; the lock works without its text\n", path);
  *lock = file;
  return free(path), DONE;
}
