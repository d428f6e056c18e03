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
static inline const char *kernel_buffer_of(const gp_tune_kernel *kernel, int buffer, uint64_t n, const int *numbers,
                                           kernel_buffer *b) {
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
static inline uint64_t kernel_most_bytes(const kernel_file *file, const gp_tune_kernel *kernel, int buffer,
                                         uint64_t n) {
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

// Compiles the kernel of `file` with its fields at `numbers`, for a compute capability. The caller frees the image.
static inline gp_result kernel_image(gp_context *ctx, const kernel_file *file, const int *numbers, int capability,
                                     gp__image *image) {
  gp__program p;
  gp_result result;
  int i;
  memset(&p, 0, sizeof p);
  gp__add(&p.name, "%s", file->path);
  gp__add(&p.text, "#include \"gpuprims.h\"\n");
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
    else gp__add(&p.text, "int(GPUPRIMS__USED(%s) & 0x3fffffff | GPUPRIMS__USED(%s) >> 63 << 30), ", name, name);
  }
  gp__add(&p.text, "};\n");
  result = gp__seal_program("gp_tune", &p);
  if (result == GP_SUCCESS) result = gp__find_image(&ctx->state->library, "gp_tune", &p, capability, 1, image);
  gp__free_program(&p);
  return result;
}

#endif
