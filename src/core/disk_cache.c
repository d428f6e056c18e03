// core/disk_cache.c - the disk cache
// uses: api/config.h, api/context_types.h, core/words.h, core/rules.h, core/libraries.c, core/text.c, core/sha256.c,
//   core/program.c

// The disk cache: one file a kernel, in a folder that only this user can write.

// A record: a head, a key, an image. A cache file is one; a bundle file has one for each kernel.
typedef struct gp__cached {
  char magic[8]; // "GPUPRIM1"
  uint64_t key_bytes, image_bytes;
  gp__u8 digest[32]; // of key and image
} gp__cached;

GP__HOST gp__cached gp__cached_of(const void *key, uint64_t key_bytes, const void *image, uint64_t image_bytes) {
  gp__cached r = {{'G', 'P', 'U', 'P', 'R', 'I', 'M', '1'}, 0, 0, {0}};
  gp__sha h;
  r.key_bytes = key_bytes;
  r.image_bytes = image_bytes;
  gp__sha_begin(&h);
  gp__sha_add(&h, key, (size_t)key_bytes);
  gp__sha_add(&h, image, (size_t)image_bytes);
  gp__sha_end(&h, r.digest);
  return r;
}
// Returns the bytes of a record's image; 0: it is damaged, as *why says, or another key's.
GP__HOST size_t gp__read_record(
    int file, size_t bytes, const char *key, size_t key_bytes, char **data, const char **image, const char **why) {
  gp__cached r, fresh;
  size_t got = 0;
  ssize_t part = 1;
  *data = (char *)malloc(bytes + 1);
  while (*data && got < bytes && (part = read(file, *data + got, bytes - got)) > 0) got += (size_t)part;
  *why = "it is truncated";
  if (!*data || got != bytes || bytes < sizeof r) return 0;
  memcpy(&r, *data, sizeof r);
  if (r.key_bytes > bytes || r.image_bytes > bytes || r.key_bytes + r.image_bytes != bytes - sizeof r || !r.image_bytes)
    return 0;
  *image = *data + sizeof r + r.key_bytes;
  fresh = gp__cached_of(*data + sizeof r, r.key_bytes, *image, r.image_bytes);
  *why = "its hash does not match";
  if (memcmp(&fresh, &r, sizeof r) != 0) return 0;
  *why = NULL;
  return r.key_bytes == key_bytes && memcmp(*data + sizeof r, key, key_bytes) == 0 ? (size_t)r.image_bytes : 0;
}

// Headers hide these in strict ISO modes of the compiler.
#if !defined(O_NOFOLLOW) && defined(__O_NOFOLLOW)
#define GP__NOFOLLOW __O_NOFOLLOW
#elif defined(O_NOFOLLOW)
#define GP__NOFOLLOW O_NOFOLLOW
#elif defined(__aarch64__)
#define GP__NOFOLLOW 0100000
#else
#define GP__NOFOLLOW 0400000
#endif
#ifdef O_CLOEXEC
#define GP__CLOEXEC O_CLOEXEC
#else
#define GP__CLOEXEC 02000000
#endif
#ifdef O_DIRECTORY
#define GP__DIRECTORY O_DIRECTORY
#elif defined(__O_DIRECTORY)
#define GP__DIRECTORY __O_DIRECTORY
#elif defined(__aarch64__)
#define GP__DIRECTORY 040000
#else
#define GP__DIRECTORY 0200000
#endif

// Opens a file of ours to read it: no link, owned by us, writable by nobody else.
GP__HOST int gp__open_ours(const char *path, int flags, struct stat *about, const char **why) {
  const int file = open(path, flags | O_RDONLY | GP__NOFOLLOW | GP__CLOEXEC);
  *why = NULL;
  if (file < 0) {
    *why = errno == ENOENT ? NULL
        : errno == ELOOP || errno == ENOTDIR ? "it is a symbolic link or not a folder"
        : strerror(errno);
    return -1;
  }
  if (fstat(file, about)) *why = strerror(errno);
  else if (about->st_uid != geteuid()) *why = "another user owns it";
  else if (about->st_mode & 022) *why = "other users can write to it";
  if (!*why) return file;
  close(file);
  return -1;
}

GP__HOST void gp__make_folders(char *path) {
  char *p;
  for (p = path + 1; *p; ++p)
    if (*p == '/') {
      *p = 0;
      mkdir(path, 0700);
      *p = '/';
    }
  mkdir(path, 0700);
}

// A file keeps the version of the NVRTC that last wrote here, so that a look-up need not open NVRTC.
GP__HOST void gp__cache_read_version(gp__library *l) {
  gp__text path = {NULL, 0, 0, 0};
  struct stat about;
  const char *why;
  int file;
  gp__add(&path, "%s/nvrtc", l->cache.folder);
  file = path.failed ? -1 : gp__open_ours(gp__string(&path), 0, &about, &why);
  if (file >= 0) {
    const ssize_t got = read(file, l->cache.nvrtc_name, sizeof l->cache.nvrtc_name - 1);
    l->cache.nvrtc_name[got > 0 ? got : 0] = 0;
    l->cache.nvrtc_name[strcspn(l->cache.nvrtc_name, "\n")] = 0;
    close(file);
  }
  gp__free_text(&path);
}

// Whether there is a folder to use; looks once. nvrtc: the name of the NVRTC that last wrote there, "" if none did.
GP__HOST int gp__cache_usable(gp__library *l, char *nvrtc) {
  gp__cache *c = &l->cache;
  const char *why = NULL;
  int usable;
  *nvrtc = 0;
  if (!c->folder) return 0;
  pthread_mutex_lock(&c->lock);
  if (c->state == 0) {
    struct stat about;
    int file = gp__open_ours(c->folder, GP__DIRECTORY, &about, &why);
    if (file < 0 && !why) {
      gp__make_folders(c->folder);
      file = gp__open_ours(c->folder, GP__DIRECTORY, &about, &why);
      if (file < 0 && !why) why = "it cannot be created";
    }
    c->state = file >= 0 ? 1 : 2;
    if (file >= 0) {
      close(file);
      gp__cache_read_version(l);
    }
  }
  usable = c->state == 1;
  strcpy(nvrtc, c->nvrtc_name);
  pthread_mutex_unlock(&c->lock);
  if (why) gp__log(&l->runtime, GP_LOG_WARNING, "the disk cache %s is not used: %s", c->folder, why);
  return usable;
}

GP__HOST void gp__cache_key(const gp__program *p, int capability, const char *nvrtc, gp__text *key) {
  gp__add(key, "made of %s\nnvrtc %s\ncapability %d\n%s", p->made_of, nvrtc, capability, gp__string(&p->text));
}
GP__HOST void gp__cache_path(const gp__library *l, const gp__text *key, gp__text *path) {
  char hex[GP__HEX];
  gp__hash(hex, gp__string(key), key->size, NULL);
  gp__add(path, "%s/%s.kernel", l->cache.folder, hex);
}

enum { GP__CACHE_TOUCHED = 3600, GP__CACHE_ABANDONED = 3600 }; // seconds
// Reads a kernel. Deletes a damaged file, which is rebuilt later.
GP__HOST int gp__cache_read(gp__library *l, const gp__text *key, gp__image *image) {
  gp__text path = {NULL, 0, 0, 0};
  struct stat about;
  const char *why = NULL;
  char *data = NULL;
  int file = -1, found = 0;
  gp__cache_path(l, key, &path);
  if (!path.failed) file = gp__open_ours(gp__string(&path), 0, &about, &why);
  if (file >= 0) {
    const size_t bytes = about.st_size > 0 && about.st_size < 1 << 30 ? (size_t)about.st_size : 0;
    const char *at;
    image->bytes = gp__read_record(file, bytes, key->data, key->size, &data, &at, &why);
    found = image->bytes != 0;
    close(file);
    if (found) {
      memmove(data, at, image->bytes);
      image->owned = data;
      image->data = data;
      image->source = GP_KERNEL_DISK;
      if ((int64_t)time(NULL) - (int64_t)about.st_mtime > GP__CACHE_TOUCHED)
        utimes(gp__string(&path), NULL); // used now
    } else free(data);
    if (why) unlink(gp__string(&path));
  }
  if (why) gp__log(&l->runtime, GP_LOG_WARNING, "the cache file %s is not used: %s", gp__string(&path), why);
  gp__free_text(&path);
  return found;
}

// Writes a file whole or not at all: under another name first, then renamed over the old one.
GP__HOST int gp__write_whole(const char *path, const void *const *parts, const size_t *sizes, int count) {
  static unsigned serial;
  gp__text temporary = {NULL, 0, 0, 0};
  int file = -1, i, good;
  gp__add(&temporary, "%s.%ld-%u", path, (long)getpid(), __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED));
  if (!temporary.failed) {
    unlink(temporary.data); // left by a process of the same number that was killed
    file = open(temporary.data, O_WRONLY | O_CREAT | O_EXCL | GP__NOFOLLOW | GP__CLOEXEC, 0600);
  }
  good = file >= 0;
  for (i = 0; good && i < count; ++i) {
    const char *p = (const char *)parts[i];
    size_t left = sizes[i];
    while (good && left) {
      const ssize_t part = write(file, p, left);
      if (part < 0 && errno == EINTR) continue;
      good = part > 0;
      if (good) p += part, left -= (size_t)part;
    }
  }
  if (file >= 0) {
    int error = errno;
    if (close(file) && good) error = errno, good = 0;
    if (good && rename(temporary.data, path)) error = errno, good = 0;
    if (!good) unlink(temporary.data);
    errno = error;
  }
  gp__free_text(&temporary);
  return good;
}
