// core/libraries.c - opening the libraries; the log
// uses: api/lists.h, api/context_types.h, core/words.h, core/rules.h, core/system.c, core/messages.c, core/driver.c,
//   core/advice.c

GP__FORMAT(3, 4)
GP__HOST void gp__log(const gp__runtime *r, gp_log_level level, const char *format, ...) {
  char text[1024];
  const char *outer;
  va_list list;
  if (!r->log) return;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  outer = gp__hook_begins("gp_config.log");
  r->log(r->log_user, level, text);
  gp__hook_ends(outer);
}

// Makes a message of a failed driver call. `who`: the function that the user called.
GP__HOST gp_result gp__cuda_fail(const gp__runtime *r, const char *who, const char *call, int error) {
  const char *name = NULL, *text = NULL;
  if (r->driver.cuGetErrorName(error, &name) || !name) name = "unknown error";
  if (r->driver.cuGetErrorString(error, &text) || !text) text = "no text";
  return gp__fail(GP_E_DRIVER, "%s: %s failed: %s (%d): %s%s", who, call, name, error, text, gp__cuda_advice(error));
}

// ---- opening the libraries

// ISO C does not convert pointers to data to pointers to functions; their bytes can be copied.
GP__HOST int gp__symbol(void *library, const char *symbol, void *function) {
  void *address = dlsym(library, symbol);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

// Opens a library by system name or by the caller's absolute path, never from the working folder. Libraries stay open:
// the driver does not like to be unloaded.
GP__HOST void *gp__open_library(const char *path, const char *const *names, char *why, size_t capacity) {
  void *library = NULL;
  size_t used = 0;
  const char *given[2];
  given[0] = path;
  given[1] = NULL;
  if (path) names = given;
  why[0] = 0;
  for (; !library && *names; ++names) {
    library = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);
    if (!library && used < capacity) {
      const char *error = dlerror();
      used += (size_t)snprintf(why + used, capacity - used, "%s%s", used ? "; " : "", error ? error : *names);
    }
  }
  return library;
}

#define GP__CUDA_LIBRARY "libcuda.so.1"

// Fills the driver's part of the table. On failure `why` says why, and *absent whether there is no such library. Of a
// library that exists and does not load, the loader gives the folder, or names what it lacks.
GP__HOST int gp__open_cuda(struct gp_driver *d, const char *path, char *why, size_t capacity, int *absent) {
  static const char *const names[] = {GP__CUDA_LIBRARY, NULL};
  void *library = gp__open_library(path, names, why, capacity);
  if (!library) {
    const char *named = strstr(why, GP__CUDA_LIBRARY ":");
    *absent = path ? access(path, F_OK) != 0 : named && (named == why || named[-1] != '/');
    snprintf(why + strlen(why), capacity - strlen(why), ": %s", GP__ADVICE_DRIVER);
    return 0;
  }
#define GP__LOAD(needed, name, symbol, parameters) \
  if (!gp__symbol(library, symbol, (void *)&d->name) && needed) { \
    snprintf(why, capacity, "the driver has no %s: a driver of CUDA 12.0 or later is needed", symbol); \
    return 0; \
  }
  GP__CUDA_FUNCTIONS(GP__LOAD)
#undef GP__LOAD
  return 1;
}

// The path of the library or program that has this address, or "".
GP__HOST const char *gp__path_of(const void *address) {
  struct { // Dl_info, which strict ISO modes hide, as they do dladdr
    const char *path;
    void *base;
    const char *symbol;
    void *function;
  } of = {NULL, NULL, NULL, NULL};
  int (*find)(const void *, void *) = NULL;
  return gp__symbol(NULL, "dladdr", (void *)&find) && find(address, &of) && of.path ? of.path : "";
}
// nvrtcVersion has no patch number, but builds that differ in it make different machine code of one text. Size and
// modification time of the library's file tell them apart: installing another build changes these.
GP__HOST void gp__name_nvrtc(gp__runtime *r) {
  void *address = NULL;
  struct stat about;
  memcpy(&address, &r->driver.nvrtcVersion, sizeof address);
  if (stat(gp__path_of(address), &about)) memset(&about, 0, sizeof about);
  snprintf(r->nvrtc_name, sizeof r->nvrtc_name, "%d %llu %lld", r->nvrtc_version, (gp__u64)about.st_size,
      (long long)about.st_mtime);
}

enum { GP__NVRTC_OLDEST = 12030 }; // the first one whose PTX has registers of 16 bytes (.b128)
// Opens NVRTC when the first program must be compiled.
GP__HOST gp_result gp__open_nvrtc_locked(gp__runtime *r, const char *who) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
  struct gp_driver *d = &r->driver;
  int major = 0, minor = 0, error, i, j;
  const char *call = "nvrtcVersion";
  if (r->nvrtc_open) return GP_SUCCESS;
  if (!r->given) {
    char why[1024];
    void *library = gp__open_library(r->nvrtc_path, names, why, sizeof why);
    if (!library) return gp__fail(GP_E_NO_COMPILER, "%s: NVRTC cannot be opened: %s: %s", who, why, GP__ADVICE_NVRTC);
#define GP__LOAD_NVRTC(needed, name, symbol, parameters) \
  if (!gp__symbol(library, symbol, (void *)&d->name)) \
    return gp__fail(GP_E_NO_COMPILER, "%s: NVRTC has no %s: 12.3 is the oldest version that works: %s", who, symbol, \
        GP__ADVICE_NVRTC);
    GP__NVRTC_FUNCTIONS(GP__LOAD_NVRTC)
#undef GP__LOAD_NVRTC
  }
  if (!d->nvrtcVersion) return gp__fail(GP_E_NO_COMPILER, "%s: gp_config.driver has no NVRTC", who);
  error = d->nvrtcVersion(&major, &minor);
  if (!error && major * 1000 + minor * 10 < GP__NVRTC_OLDEST)
    return gp__fail(GP_E_NO_COMPILER, "%s: NVRTC %d.%d is too old: 12.3 is the oldest version that works: %s", who,
        major, minor, GP__ADVICE_NVRTC);
  if (!error) call = "nvrtcGetNumSupportedArchs", error = d->nvrtcGetNumSupportedArchs(&r->architecture_count);
  if (!error && (r->architecture_count < 1 || r->architecture_count > GP__ARCHITECTURES)) error = -1;
  if (!error) call = "nvrtcGetSupportedArchs", error = d->nvrtcGetSupportedArchs(r->architectures);
  if (error) return gp__fail(GP_E_NO_COMPILER, "%s: %s failed with code %d", who, call, error);
  for (i = 1; i < r->architecture_count; ++i)
    for (j = i; j > 0 && r->architectures[j - 1] > r->architectures[j]; --j) {
      const int swap = r->architectures[j];
      r->architectures[j] = r->architectures[j - 1];
      r->architectures[j - 1] = swap;
    }
  r->nvrtc_version = major * 1000 + minor * 10;
  gp__name_nvrtc(r);
  r->nvrtc_open = 1;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__open_nvrtc(gp__runtime *r, const char *who) {
  gp_result result;
  int opened;
  if (r->no_compile)
    return gp__fail(
        GP_E_NO_COMPILER, "%s: the kernel is neither cached nor bundled, and gp_config.no_compile is set", who);
  pthread_mutex_lock(&r->nvrtc_lock);
  opened = !r->nvrtc_open;
  result = gp__open_nvrtc_locked(r, who);
  pthread_mutex_unlock(&r->nvrtc_lock);
  if (opened && result == GP_SUCCESS)
    gp__log(r, GP_LOG_INFO, "NVRTC %d.%d opened", r->nvrtc_version / 1000, r->nvrtc_version % 1000 / 10);
  return result;
}
