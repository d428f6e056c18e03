// kernel.c - reads a user's kernel: parses the declaration of its fields, compiles its host part with cc and opens it
// with dlopen.
#include "kernel.h"

#include "../gp_tune_application.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char MARK[] = "#define GP_TUNE_FIELDS(", LAYOUT[] = "GP_LAYOUT_";

// Names of the header that a value may be.
static const struct {
  const char *name;
  int value;
} NAMES[] = {{"GP_CACHE_STREAMING", 1}, {"GP_CACHE_L2", 2}, {"GP_CACHE_ALL", 3}};

static const char *wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *wrong(const char *format, ...) {
  static char reason[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  return reason;
}

static int line_of(const kernel_file *file, const char *at) {
  const char *c;
  int line = 1;
  for (c = file->text; c < at; c++) line += *c == '\n';
  return line;
}

// White space, and the backslashes that continue a macro.
static const char *skip(const char *at) {
  while (isspace((unsigned char)*at) || (*at == '\\' && at[1] == '\n')) at++;
  return at;
}

// A name or a number, or several joined by +. NULL: neither.
static const char *word(const char *at, char *to) {
  size_t length = 0;
  at = skip(at);
  while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == (length ? '+' : '-')) length++;
  if (!length || length >= KERNEL_NAME) return NULL;
  memcpy(to, at, length);
  to[length] = 0;
  return skip(at + length);
}

static int number_of(const char *text, int *number) {
  char *end;
  size_t i;
  const long value = strtol(text, &end, 0);
  for (i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (!strcmp(text, NAMES[i].name)) return *number = NAMES[i].value, 1;
  *number = (int)value;
  return end != text && !*end && value == *number;
}

int kernel_is_layout(const kernel_field *f) { return !strncmp(f->name, LAYOUT, sizeof LAYOUT - 1); }

// GP_AOS, GP_SOA or a multiple of 16, with an order of axes or without, with +GP_READ_ONLY or without.
static int layout_of(const char *text, int *number) {
  uint64_t layout;
  if (text[0] != 'G' && (!isdigit((unsigned char)text[0]) || strtoul(text, NULL, 10) < 16)) return 0;
  if (!gp_tune_word(text, strlen(text), &layout) || layout >> 33 & 1 || (layout & 0xffffffff) >= GP_TUNE_READ_ONLY)
    return 0;
  *number = (int)(layout & 0xffffffff) | (layout >> 32 & 1 ? GP_TUNE_READ_ONLY : 0) | (int)(layout >> 40 & 0xff) << 22 |
      (layout >> 63 ? GP_TUNE_TRANSPOSED : 0);
  return 1;
}

// F(NAME, default, values...)
static const char *read_field(kernel_file *file, const char **from) {
  kernel_field *f = &file->fields[file->count];
  char usual[KERNEL_NAME];
  const char *at = *from, *start = at;
  int i;
  if (file->count == KERNEL_FIELDS)
    return wrong("%s:%d: more than %d fields", file->path, line_of(file, start), KERNEL_FIELDS);
  at = word(at, f->name);
  if (!at || *at++ != ',' || !(at = word(at, usual)))
    return wrong("%s:%d: a field is F(MACRO, default, values...)", file->path, line_of(file, start));
  f->usual = -1;
  while (*at == ',') {
    if (f->count == KERNEL_VALUES || !(at = word(at + 1, f->text[f->count])))
      return wrong("%s:%d: %s: from 1 to %d values, names or whole numbers", file->path, line_of(file, start), f->name,
          KERNEL_VALUES);
    if (kernel_is_layout(f)) {
      if (!layout_of(f->text[f->count], &f->value[f->count]))
        return wrong(
            "%s:%d: %s: %s is not a layout: GP_AOS, GP_SOA, or a multiple of 16, with or without +GP_TRANSPOSED, "
            "+GP_AXES_2013, +GP_READ_ONLY",
            file->path, line_of(file, at), f->name, f->text[f->count]);
    } else if (!number_of(f->text[f->count], &f->value[f->count]))
      return wrong("%s:%d: %s: %s is neither a whole number nor one of GP_CACHE_...", file->path, line_of(file, at),
          f->name, f->text[f->count]);
    for (i = 0; i < f->count; i++)
      if (f->value[i] == f->value[f->count])
        return wrong("%s:%d: %s: %s is listed twice", file->path, line_of(file, at), f->name, f->text[f->count]);
    if (!strcmp(f->text[f->count], usual)) f->usual = f->count;
    f->count++;
  }
  if (*at != ')') return wrong("%s:%d: %s: a ) is missing after its values", file->path, line_of(file, at), f->name);
  if (f->usual < 0)
    return wrong(
        "%s:%d: %s: its default %s is not one of its values", file->path, line_of(file, start), f->name, usual);
  for (i = 0; i < file->count; i++)
    if (!strcmp(file->fields[i].name, f->name))
      return wrong("%s:%d: %s is declared twice", file->path, line_of(file, start), f->name);
  file->count++;
  *from = skip(at + 1);
  return NULL;
}

const char *kernel_read(const char *path, kernel_file *file) {
  FILE *from = fopen(path, "rb");
  const char *at, *reason = NULL;
  char name[KERNEL_NAME];
  size_t length = 0, got;
  memset(file, 0, sizeof *file);
  file->path = path;
  if (!from) return wrong("%s: %s", path, strerror(errno));
  do {
    char *more = realloc(file->text, length + 65537);
    if (!more) return fclose(from), wrong("%s: no memory", path);
    file->text = more;
    got = fread(file->text + length, 1, 65536, from);
    length += got;
    file->text[length] = 0;
  } while (got);
  fclose(from);
  at = strstr(file->text, MARK);
  if (!at) return wrong("%s: it declares no fields: %sF) is missing", path, MARK);
  at = word(at + strlen(MARK), name); // the macro's parameter
  if (!at || *at != ')') return wrong("%s:%d: no %sF)", path, line_of(file, strstr(file->text, MARK)), MARK);
  at = skip(at + 1);
  while (!reason && !strncmp(at, name, strlen(name)) && *skip(at + strlen(name)) == '(') {
    at = skip(at + strlen(name)) + 1;
    reason = read_field(file, &at);
  }
  if (!reason && !file->count) reason = wrong("%s: %sF) declares no field", path, MARK);
  return reason;
}

const char *kernel_values(const kernel_file *file, const char *policy, int numbers[KERNEL_FIELDS]) {
  const int usual = !strcmp(policy, "default");
  int i, k, given[KERNEL_FIELDS] = {0};
  const char *at = usual ? "" : policy;
  for (i = 0; i < file->count; i++) numbers[i] = file->fields[i].value[file->fields[i].usual];
  while (*at) {
    const size_t name = strcspn(at, "=,"), value = at[name] == '=' ? strcspn(at + name + 1, ",") : 0;
    for (i = 0; i < file->count; i++)
      if (strlen(file->fields[i].name) == name && !strncmp(file->fields[i].name, at, name)) break;
    if (i == file->count) return wrong("%s has no field %.*s", file->path, (int)name, at);
    for (k = 0; k < file->fields[i].count; k++)
      if (strlen(file->fields[i].text[k]) == value && !strncmp(file->fields[i].text[k], at + name + 1, value)) break;
    if (k == file->fields[i].count)
      return wrong("%s: %.*s is not a value of %s", file->path, (int)value, at + name + 1, file->fields[i].name);
    numbers[i] = file->fields[i].value[k];
    given[i] = 1;
    at += name + 1 + value;
    at += *at == ',';
  }
  for (i = 0; i < file->count; i++)
    if (!usual && !given[i]) return wrong("%s: the policy lacks %s", file->path, file->fields[i].name);
  return NULL;
}

void kernel_text(const kernel_file *file, const int numbers[KERNEL_FIELDS], char *policy, size_t room) {
  size_t at = 0;
  int i, k;
  for (i = 0; i < file->count && at < room; i++) {
    for (k = 0; k + 1 < file->fields[i].count && file->fields[i].value[k] != numbers[i]; k++) {}
    at += (size_t)snprintf(
        policy + at, room - at, "%s%s=%s", i ? "," : "", file->fields[i].name, file->fields[i].text[k]);
  }
}

int kernel_point(const kernel_file *file, int index, char *policy, size_t room) {
  int numbers[KERNEL_FIELDS], i;
  for (i = 0; i < file->count; i++) {
    numbers[i] = file->fields[i].value[index % file->fields[i].count];
    index /= file->fields[i].count;
  }
  if (!index) kernel_text(file, numbers, policy, room);
  return !index;
}

void kernel_cell(const gp_tune_kernel *kernel, uint64_t n, char *cell, size_t room) {
  // Up to this time a launch costs the host more than the kernel: a stream would measure the host.
  const uint64_t in_graphs_up_to = 8 << 20;
  snprintf(cell, room, "kernel %s n=%llu protocol=%s", kernel->name, (unsigned long long)n,
      kernel->moved(n) <= in_graphs_up_to ? "graph" : "cold");
}

// ---- the host part --------------------------------------------------------------------------------------------------

// Runs cc with gp_tune_kernel.h and gpuprims.h from beside this program's folder (build/gp_tune, tools/) or from the
// working folder.
static int compile_host(const char *path, const char *library) {
  char program[1024] = "", include[1100], root[1100];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  char *slash;
  pid_t child;
  int status = -1;
  program[length > 0 ? length : 0] = 0;
  slash = strrchr(program, '/');
  if (slash) *slash = 0;
  snprintf(include, sizeof include, "-I%s/../tools", program);
  snprintf(root, sizeof root, "-I%s/..", program);
  child = fork();
  if (child == 0) {
    dup2(2, 1);
    execlp("cc", "cc", "-O2", "-std=gnu11", "-shared", "-fPIC", "-DGP_TUNE_HOST", include, root, "-Itools", "-I.", "-x",
        "c", path, "-o", library, "-lm", (char *)NULL);
    _exit(127);
  }
  if (child < 0) return -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const char *kernel_open(const kernel_file *file, const gp_tune_kernel **kernel) {
  char library[300];
  void *opened;
  int status, made;
  const char *folder = getenv("TMPDIR");
  snprintf(library, sizeof library, "%.250s/gp_tune_XXXXXX", folder && *folder ? folder : P_tmpdir);
  made = mkstemp(library);
  if (made < 0) return wrong("%s: %s", library, strerror(errno));
  close(made);
  status = compile_host(file->path, library);
  opened = status ? NULL : dlopen(library, RTLD_NOW | RTLD_LOCAL);
  unlink(library);
  if (status == 127) return wrong("%s: its host part needs cc, which is missing: apt-get install gcc", file->path);
  if (status) return wrong("%s: cc could not compile its host part (exit status %d)", file->path, status);
  if (!opened) return wrong("%s: %s", file->path, dlerror());
  *kernel = (const gp_tune_kernel *)dlsym(opened, "gp_tune_description");
  if (!*kernel) return wrong("%s: its host part has no gp_tune_description", file->path);
  if (!(*kernel)->name || (*kernel)->buffers < 1 || (*kernel)->buffers > 8 ||
      (!(*kernel)->bytes && !(*kernel)->array) || !(*kernel)->fill || !(*kernel)->moved || !(*kernel)->launch ||
      !(*kernel)->check)
    return wrong("%s: gp_tune_description leaves out a field, or has no or more than 8 buffers", file->path);
  return NULL;
}
