// core/bundle_file.c - bundles in memory and in a file
// uses: api/version.h, api/config.h, api/context_types.h, api/call.h, core/rules.h, core/libraries.c, core/text.c,
//   core/sha256.c, core/inflate.c, core/device_text.c, core/program.c, core/disk_cache.c

#define GP__BUNDLE "keys of parts 2" // gp_bundle.header; another way to make keys gets another number
#define GP__BUNDLE_FILE GP__BUNDLE ", gpuprims " GPUPRIMS_VERSION

// tools/bundle.py writes the file, and says what is in it. The first kernel that is not in memory opens it.
typedef struct gp__bundle_head {
  char magic[8], header[48]; // "GPUPRIMB", GP__BUNDLE_FILE
  uint64_t bytes, count, hash; // of the file; lines, and their hash
} gp__bundle_head;
typedef struct gp__bundle_line {
  char key[40];
  uint64_t capability, at, bytes; // of the record
} gp__bundle_line;

// Machine code runs on its own compute capability and on later ones of the same major number.
GP__HOST int gp__from_bundle(const struct gp_bundle *b, const char *key, int capability, gp__image *image) {
  unsigned i;
  int best = 0;
  for (i = 0; b && i < b->count; ++i) {
    const gp_bundle_entry *e = &b->entries[i];
    if (e->compute_capability > best && e->compute_capability <= capability &&
        e->compute_capability / 10 == capability / 10 && strcmp(e->key, key) == 0) {
      best = e->compute_capability;
      image->owned = NULL;
      image->data = e->image;
      image->bytes = e->bytes;
      image->source = GP_KERNEL_BUNDLE;
    }
  }
  return best != 0;
}

GP__HOST void gp__name_bundle(gp__bundle_file *f, const char *given) {
  const char *own = gp__path_of(&gp__device);
  f->file = -1;
  if (!given) given = getenv("GPUPRIMS_BUNDLE");
  f->named = given && *given;
  if (given) snprintf(f->path, sizeof f->path, "%s", given);
  else if (*own == '/') snprintf(f->path, sizeof f->path, "%.*s/gpuprims.bundle", (int)(strrchr(own, '/') - own), own);
}
// Reads the list. Returns why the file is not used, or NULL.
GP__HOST const char *gp__read_bundle(gp__bundle_file *f) {
  gp__bundle_head h;
  gp__bundle_line *line;
  gp_bundle_entry *e;
  struct stat about;
  size_t bytes, i;
  if (*f->path != '/') return "its path is not absolute";
  f->file = open(f->path, O_RDONLY | GP__CLOEXEC);
  if (f->file < 0 || fstat(f->file, &about)) return strerror(errno);
  if (about.st_mode & 02) return "every user can write to it";
  if (read(f->file, &h, sizeof h) != (ssize_t)sizeof h || memcmp(h.magic, "GPUPRIMB", 8) != 0)
    return "it is no bundle of gpuprims";
  if (strncmp(h.header, GP__BUNDLE_FILE, sizeof h.header) != 0)
    return "it is not of this version of gpuprims.h: make it again";
  bytes = (size_t)h.count * sizeof *line;
  if (h.bytes != (uint64_t)about.st_size || h.count > h.bytes / sizeof *line) return "it is truncated";
  f->entries = e = (gp_bundle_entry *)malloc((size_t)h.count * sizeof *e + bytes + 1);
  if (!e) return "there is no memory";
  line = (gp__bundle_line *)(e + h.count);
  if (read(f->file, line, bytes) != (ssize_t)bytes || gp__hash_bytes(line, bytes) != h.hash)
    return "its list of kernels is damaged";
  for (i = 0; i < h.count; ++i) {
    e[i].key = line[i].key;
    e[i].compute_capability = (int)line[i].capability;
    e[i].image = (const void *)(uintptr_t)line[i].at;
    e[i].bytes = (size_t)line[i].bytes;
  }
  f->list.entries = e;
  f->list.count = (unsigned)h.count;
  return NULL;
}
// why: the file is not used; or NULL.
GP__HOST void gp__say_bundle(gp__library *l, const char *why) {
  gp__bundle_file *f = &l->file;
  if (why) f->list.count = 0;
  snprintf(f->said, sizeof f->said, "%.180s%s%.60s", f->path, why ? " is not used: " : "", why ? why : "");
  gp__log(&l->runtime, why ? GP_LOG_WARNING : GP_LOG_INFO, "the bundle %s", f->said);
}
GP__HOST int gp__from_bundle_file(gp__library *l, const gp__program *p, int capability, gp__image *image) {
  gp__bundle_file *f = &l->file;
  const char *at, *why = "it cannot be read";
  char *data = NULL;
  size_t stored = 0;
  uint64_t bytes = 0;
  int found;
  pthread_mutex_lock(&f->lock);
  if (!f->opened && *f->path && (f->named || !access(f->path, F_OK))) gp__say_bundle(l, gp__read_bundle(f));
  f->opened = 1;
  found = gp__from_bundle(&f->list, p->key, capability, image);
  if (found) {
    if (lseek(f->file, (off_t)(uintptr_t)image->data, SEEK_SET) >= 0)
      stored = gp__read_record(f->file, image->bytes, p->key, strlen(p->key), &data, &at, &why);
    if (stored > sizeof bytes) memcpy(&bytes, at, sizeof bytes);
    if (bytes && bytes / 1032 <= stored) // no more than deflated bytes can become
      image->owned = gp__inflate_bytes(at + sizeof bytes, stored - sizeof bytes, (size_t)bytes);
    image->data = image->owned;
    image->bytes = (size_t)bytes;
    found = image->owned != NULL;
    if (!found) gp__say_bundle(l, why ? why : "a kernel in it is damaged");
  } else if (f->list.count) gp__log(&l->runtime, GP_LOG_INFO, "%s is not in %s", gp__string(&p->name), f->path);
  pthread_mutex_unlock(&f->lock);
  free(data);
  return found;
}
