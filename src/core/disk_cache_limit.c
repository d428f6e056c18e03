// core/disk_cache_limit.c - the limit of the disk cache
// uses: api/config.h, api/context_types.h, core/rules.h, core/libraries.c, core/text.c, core/program.c,
//   core/disk_cache.c

// A file's modification time says when it was last used: a hit sets it, at most once an hour. A context looks through
// the folder at its first write, and again when it has written a sixteenth of the limit. Then it deletes the files
// unused for longest, until the rest is a sixteenth below the limit. Other processes may do so at the same time, and
// read: a file that another one has deleted counts as gone, and an open file is read to its end.

typedef struct gp__cache_file {
  char *name;
  uint64_t bytes;
  int64_t used; // seconds
} gp__cache_file;
GP__HOST int gp__order_files(const void *a, const void *b) {
  const gp__cache_file *x = (const gp__cache_file *)a, *y = (const gp__cache_file *)b;
  return x->used != y->used ? (x->used < y->used ? -1 : 1) : strcmp(x->name, y->name);
}
// 1: a kernel's file; 2: a file not renamed yet, and never if its writer was killed; 0: another's.
GP__HOST int gp__cache_kind(const char *name) {
  const size_t hex = strspn(name, "0123456789abcdef");
  if (hex == 32 && strncmp(name + hex, ".kernel", 7) == 0) return name[hex + 7] == 0 ? 1 : name[hex + 7] == '.' ? 2 : 0;
  return strncmp(name, "nvrtc.", 6) == 0 ? 2 : 0;
}
// Brings the folder below its limit. The cache's lock is held.
GP__HOST void gp__cache_shrink(gp__cache *c) {
  DIR *folder = opendir(c->folder);
  const int64_t now = (int64_t)time(NULL);
  gp__cache_file *files = NULL;
  size_t count = 0, room = 0, i;
  uint64_t bytes = 0;
  const struct dirent *entry;
  while (folder && (entry = readdir(folder)) != NULL) {
    const int kind = gp__cache_kind(entry->d_name);
    gp__text path = {NULL, 0, 0, 0};
    struct stat about;
    if (!kind) continue;
    gp__add(&path, "%s/%s", c->folder, entry->d_name);
    if (path.failed || stat(path.data, &about)) {
      gp__free_text(&path);
      continue;
    }
    if (kind == 2) {
      if (now - (int64_t)about.st_mtime > GP__CACHE_ABANDONED) unlink(path.data);
      gp__free_text(&path);
      continue;
    }
    if (count == room) {
      gp__cache_file *more = (gp__cache_file *)realloc(files, (room = room * 2 + 64) * sizeof *files);
      if (!more) {
        gp__free_text(&path);
        break;
      }
      files = more;
    }
    files[count].name = path.data;
    files[count].bytes = (uint64_t)about.st_size;
    files[count++].used = (int64_t)about.st_mtime;
    bytes += (uint64_t)about.st_size;
  }
  if (folder) closedir(folder);
  if (bytes > c->most) {
    qsort(files, count, sizeof *files, gp__order_files);
    for (i = 0; i < count && bytes > c->most - c->most / 16; ++i) {
      unlink(files[i].name); // another process may have been quicker
      bytes -= files[i].bytes;
    }
  }
  for (i = 0; i < count; ++i) free(files[i].name);
  free(files);
}

GP__HOST void gp__cache_write(gp__library *l, const gp__text *key, const gp__image *image) {
  gp__text path = {NULL, 0, 0, 0};
  const gp__cached head = gp__cached_of(key->data, key->size, image->data, image->bytes);
  const void *parts[3];
  size_t sizes[3];
  int good, warn, error;
  parts[0] = &head, sizes[0] = sizeof head;
  parts[1] = key->data, sizes[1] = key->size;
  parts[2] = image->data, sizes[2] = image->bytes;
  gp__cache_path(l, key, &path);
  good = !path.failed && gp__write_whole(path.data, parts, sizes, 3);
  error = errno;
  pthread_mutex_lock(&l->cache.lock);
  if (good && *l->runtime.nvrtc_name && strcmp(l->cache.nvrtc_name, l->runtime.nvrtc_name) != 0) {
    char line[sizeof l->cache.nvrtc_name + 1];
    const void *part = line;
    const size_t size = (size_t)snprintf(line, sizeof line, "%s\n", l->runtime.nvrtc_name);
    gp__free_text(&path);
    gp__add(&path, "%s/nvrtc", l->cache.folder);
    good = !path.failed && gp__write_whole(path.data, &part, &size, 1);
    error = errno;
    if (good) strcpy(l->cache.nvrtc_name, l->runtime.nvrtc_name);
  }
  if (good && l->cache.most != UINT64_MAX) {
    const int first = !l->cache.added;
    l->cache.added += sizes[0] + sizes[1] + sizes[2];
    if (first || l->cache.added > l->cache.most / 16) {
      gp__cache_shrink(&l->cache);
      l->cache.added = 1;
    }
  }
  warn = !good && !l->cache.warned;
  if (warn) l->cache.warned = 1;
  pthread_mutex_unlock(&l->cache.lock);
  if (warn)
    gp__log(&l->runtime, GP_LOG_WARNING, "the disk cache %s cannot be written: %s", l->cache.folder, strerror(error));
  gp__free_text(&path);
}
