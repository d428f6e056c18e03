// tuner/memory.c - what a tuner keeps on disk
// uses: api/context_types.h, api/tuner.h, core/rules.h, core/libraries.c, core/text.c, core/sha256.c,
//   core/disk_cache.c, core/state.c, tuner/tuner.c

// A file is text: gp__describe_tuner's, then a line per bucket (its numbers' powers of two; 1 if the search had ended;
// nanoseconds; measured sections; the best point), then "end". A file with anything else is not used.
GP__HOST void gp__describe_tuner(const gp_tuner *t, const gp__state *s, gp__text *text) {
  int i, k;
  gp__add(text, "gpuprims tuner 1\nname %s\ndevice %s\ndriver %d\n", t->name, s->about.name, s->about.driver_version);
  for (i = 0; i < t->parameters; ++i) {
    gp__add(text, "parameter %s %d:", t->tuned[i].name, t->tuned[i].categorical);
    for (k = 0; k < t->tuned[i].count; ++k) gp__add(text, " %d", t->tuned[i].values[k]);
    gp__add(text, "\n");
  }
}
GP__HOST void gp__tuner_path(const gp__state *s, const gp__text *about, gp__text *path) {
  char hex[GP__HEX];
  gp__hash(hex, gp__string(about), about->size, NULL);
  gp__add(path, "%s/%s.tuner", s->library.cache.folder, hex);
}
GP__HOST int gp__tuner_has_folder(gp__state *s) {
  char nvrtc[sizeof s->library.cache.nvrtc_name];
  return gp__cache_usable(&s->library, nvrtc);
}

// Reads an integer from `least` to `most`, after a space. 0: there is none.
GP__HOST int gp__read_tuner_number(const char **at, long least, long most, int *number) {
  char *end;
  long value;
  if (**at != ' ') return 0;
  errno = 0;
  value = strtol(*at + 1, &end, 10);
  if (end == *at + 1 || errno || value < least || value > most) return 0;
  *at = end;
  *number = (int)value;
  return 1;
}
// Reads a bucket's line. 0: it is none.
GP__HOST int gp__read_bucket(const gp_tuner *t, const char **at, gp__size_bucket *b) {
  int i;
  char *end;
  memset(b, 0, sizeof *b);
  if (strncmp(*at, "bucket", 6)) return 0;
  *at += 6;
  if (!gp__read_tuner_number(at, 0, GP_TUNER_NUMBERS, &b->numbers)) return 0;
  for (i = 0; i < b->numbers; ++i)
    if (!gp__read_tuner_number(at, -1, 63, &b->log2[i])) return 0;
  if (!gp__read_tuner_number(at, 0, 1, &b->done) || **at != ' ') return 0;
  b->us = 1e-3 * (double)strtoll(*at + 1, &end, 10);
  if (end == *at + 1 || !(b->us > 0 && b->us < 1e15)) return 0;
  *at = end;
  if (!gp__read_tuner_number(at, 0, 0x7fffffff, &b->measured)) return 0;
  for (i = 0; i < t->parameters; ++i)
    if (!gp__read_tuner_number(at, 0, t->tuned[i].count - 1, &b->best[i])) return 0;
  if (**at != '\n' || !gp__tuner_may_run((void *)(uintptr_t)t, b->best)) return 0;
  ++*at;
  return 1;
}
// Takes what the file says, all of it or nothing. 0: it is damaged.
GP__HOST int gp__read_buckets(gp_tuner *t, const char *text) {
  gp__size_bucket *read = (gp__size_bucket *)malloc(GP__BUCKETS * sizeof *read);
  int count = 0, i, good = read != NULL;
  while (good && strcmp(text, "end\n")) good = count < GP__BUCKETS && gp__read_bucket(t, &text, &read[count++]);
  if (!good) {
    free(read);
    return 0;
  }
  t->buckets = read;
  t->bucket_count = count;
  for (i = 0; i < count; ++i)
    if (!read[i].done) gp__bucket_search(t, &read[i]);
  return 1;
}
GP__HOST void gp__tuner_read(gp_tuner *t, gp__state *s) {
  gp__text about = {NULL, 0, 0, 0}, path = {NULL, 0, 0, 0};
  const char *why = NULL;
  char *text = NULL;
  struct stat status;
  int file = -1;
  gp__describe_tuner(t, s, &about);
  if (!about.failed && gp__tuner_has_folder(s)) gp__tuner_path(s, &about, &path);
  if (path.size && !path.failed) file = gp__open_ours(gp__string(&path), 0, &status, &why);
  if (file >= 0) {
    const size_t bytes = status.st_size > 0 && status.st_size < 1 << 22 ? (size_t)status.st_size : 0;
    size_t got = 0;
    ssize_t part = 1;
    text = (char *)malloc(bytes + 1);
    while (text && got < bytes && (part = read(file, text + got, bytes - got)) > 0) got += (size_t)part;
    close(file);
    if (text) text[got] = 0;
    if (!text || strlen(text) != got || got < about.size || memcmp(text, gp__string(&about), about.size) != 0)
      why = "it describes another tuner";
    else if (!gp__read_buckets(t, text + about.size)) why = "it is damaged";
  }
  if (why) gp__log(&s->library.runtime, GP_LOG_WARNING, "the tuner's file %s is not used: %s", gp__string(&path), why);
  free(text);
  gp__free_text(&about);
  gp__free_text(&path);
}
// Writes what was learned, whole or not at all.
GP__HOST void gp__tuner_write(const gp_tuner *t, gp__state *s) {
  gp__text text = {NULL, 0, 0, 0}, path = {NULL, 0, 0, 0};
  int i, k;
  if (!gp__tuner_has_folder(s)) return;
  gp__describe_tuner(t, s, &text);
  if (!text.failed) gp__tuner_path(s, &text, &path);
  for (i = 0; i < t->bucket_count; ++i) {
    const gp__size_bucket *b = &t->buckets[i];
    if (b->us <= 0) continue; // nothing is known
    gp__add(&text, "bucket %d", b->numbers);
    for (k = 0; k < b->numbers; ++k) gp__add(&text, " %d", b->log2[k]);
    gp__add(&text, " %d %lld %d", b->done != 0, (long long)(1e3 * b->us + 0.5), b->measured);
    for (k = 0; k < t->parameters; ++k) gp__add(&text, " %d", b->best[k]);
    gp__add(&text, "\n");
  }
  gp__add(&text, "end\n");
  if (!text.failed && !path.failed) {
    const void *part = gp__string(&text);
    const size_t size = text.size;
    if (!gp__write_whole(gp__string(&path), &part, &size, 1))
      gp__log(&s->library.runtime, GP_LOG_WARNING, "the tuner's file %s cannot be written: %s", gp__string(&path),
          strerror(errno));
  }
  gp__free_text(&text);
  gp__free_text(&path);
}
