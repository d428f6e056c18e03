// kernel_code.h - compiles and caches a user's kernel like one of the library's own. For files that have defined
// GPUPRIMS_IMPLEMENTATION.
#ifndef GP_TUNE_KERNEL_CODE_H
#define GP_TUNE_KERNEL_CODE_H

#include "kernel.h"

// A buffer of the kernel for these fields: an array, or plain memory.
typedef struct kernel_buffer {
  uint64_t bytes;
  int is_array;
  gp_array array; // without memory
} kernel_buffer;

// NULL, or what is wrong with it.
static inline const char *kernel_buffer_of(
    const gp_tune_kernel *kernel, int buffer, uint64_t n, const int *numbers, kernel_buffer *b) {
  memset(b, 0, sizeof *b);
  if (kernel->array) {
    kernel->array(buffer, n, numbers, &b->array);
    b->is_array = b->array.size > 0;
    if (b->is_array) {
      if (gp_array_check(&b->array)) return gp_last_message();
      b->bytes = gp_array_bytes(&b->array);
      return NULL;
    }
  }
  (void)numbers;
  if (!kernel->bytes) return "a buffer is neither an array nor has bytes";
  b->bytes = kernel->bytes(buffer, n);
  return NULL;
}

// The largest size of a buffer over all values of any one field, the others at their defaults.
static inline uint64_t kernel_most_bytes(
    const kernel_file *file, const gp_tune_kernel *kernel, int buffer, uint64_t n) {
  int numbers[KERNEL_FIELDS], f, k;
  uint64_t most = 0;
  kernel_buffer b;
  for (f = 0; f < file->count; f++) numbers[f] = file->fields[f].value[file->fields[f].usual];
  for (f = 0; f < file->count; f++) {
    for (k = 0; k < file->fields[f].count; k++) {
      numbers[f] = file->fields[f].value[k];
      if (!kernel_buffer_of(kernel, buffer, n, numbers, &b) && b.bytes > most) most = b.bytes;
    }
    numbers[f] = file->fields[f].value[file->fields[f].usual];
  }
  return most;
}

// Section >>authors of gpuprims.h, which the library does not embed, from beside this program's folder (build/gp_tune)
// or from the working folder; NULL if it is not there. The caller frees it.
static inline char *kernel_authors_section(void) {
  char program[1024] = "", path[1100], *text = NULL, *begin, *end, *slash;
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  FILE *file;
  size_t bytes;
  program[length > 0 ? length : 0] = 0;
  slash = strrchr(program, '/');
  if (slash) *slash = 0;
  snprintf(path, sizeof path, "%s/../gpuprims.h", program);
  file = fopen(path, "rb");
  if (!file) file = fopen("gpuprims.h", "rb");
  if (file) {
    text = gp__read_file(file, &bytes);
    fclose(file);
  }
  begin = text ? strstr(text, "\n// >>authors ") : NULL;
  end = begin ? strstr(begin, "\n#endif // GPUPRIMS__DEVICE_TEXT") : NULL;
  if (end) {
    memmove(text, begin + 1, (size_t)(end - begin));
    text[end - begin] = 0;
    return text;
  }
  free(text);
  return NULL;
}
// The first name from `at` on that may be the library's and that its embedded text lacks, or NULL.
static inline const char *kernel_unknown_name(const char *at, char *name, size_t room) {
  while (*at) {
    const char *first = at;
    while (gp__is_of_name(*at)) ++at;
    if (at == first) ++at;
    else if ((!strncmp(first, "gp_", 3) || !strncmp(first, "GP_", 3)) && (size_t)(at - first) < room) {
      gp__part_set set;
      memset(set, 0, sizeof set);
      gp__add_name(first, (size_t)(at - first), set);
      snprintf(name, room, "%.*s", (int)(at - first), first);
      if (!memchr(set, 1, sizeof set)) return at;
    }
  }
  return NULL;
}
static inline int kernel_has_name(const char *text, const char *name) {
  const size_t length = strlen(name);
  const char *at = text;
  while ((at = strstr(at, name)) != NULL) {
    if ((at == text || !gp__is_of_name(at[-1])) && !gp__is_of_name(at[length])) return 1;
    at += length;
  }
  return 0;
}
// Adds section >>authors if the kernel uses it.
static inline void kernel_add_authors_section(const char *kernel, gp__text *text) {
  char name[128], *section = NULL;
  const char *at = kernel;
  if (!gp__device_text()) return;
  while ((at = kernel_unknown_name(at, name, sizeof name)) != NULL) {
    if (!section) section = kernel_authors_section();
    if (!section) return;
    if (!kernel_has_name(section, name)) continue;
    gp__add(text, "#line 1 \"gpuprims.h, section >>authors\"\n%s\n", section);
    break;
  }
  free(section);
}

// Compiles the kernel of `file` with its fields at `numbers`, for a compute capability. The caller frees the image.
static inline gp_result kernel_image(
    gp_context *ctx, const kernel_file *file, const int *numbers, int capability, gp__image *image) {
  gp__program p;
  gp_result result;
  int i;
  memset(&p, 0, sizeof p);
  gp__add(&p.name, "%s", file->path);
  gp__add(&p.text, "#include \"gpuprims.h\"\n");
  kernel_add_authors_section(file->text, &p.text);
  for (i = 0; i < file->count; i++) {
    if (kernel_is_layout(&file->fields[i]))
      gp__add(&p.text, "#define %s GP_USE(%lluull)\n", file->fields[i].name,
          (unsigned long long)gp_tune_layout(numbers[i]));
    else gp__add(&p.text, "#define %s %d\n", file->fields[i].name, numbers[i]);
  }
  gp__add(&p.text, "#line 1 \"%s\"\n", file->path);
  gp__add(&p.text, "%s", file->text);
  gp__add(&p.text, "\nextern \"C\" __device__ int gp__echo[] = {");
  for (i = 0; i < file->count; i++) {
    const char *name = file->fields[i].name;
    if (!kernel_is_layout(&file->fields[i])) gp__add(&p.text, "%s, ", name);
    else gp__add(&p.text, "int(GP__USED(%s) & 0x3fffffff | GP__USED(%s) >> 63 << 30), ", name, name);
  }
  gp__add(&p.text, "};\n");
  result = gp__seal_program("gp_tune", &p);
  if (result == GP_SUCCESS) result = gp__find_image(&ctx->state->library, "gp_tune", &p, capability, 1, image);
  gp__free_program(&p);
  return result;
}

#endif
