// kernel_code.h - a user's kernel as a program of the library's, compiled and cached like its own. For files that have
// defined GPUPRIMS_IMPLEMENTATION.
#ifndef GP_TUNE_KERNEL_CODE_H
#define GP_TUNE_KERNEL_CODE_H

#include "kernel.h"

// The kernel of `file` with its fields at `numbers`, for a compute capability. The image is the caller's to free.
static inline gp_result kernel_image(gp_context *ctx, const kernel_file *file, const int *numbers, int capability,
                                     gp__image *image) {
  gp__program p;
  gp_result result;
  int i;
  memset(&p, 0, sizeof p);
  gp__add(&p.name, "%s", file->path);
  gp__add(&p.text, "#include \"gpuprims.h\"\n");
  for (i = 0; i < file->count; i++) gp__add(&p.text, "#define %s %d\n", file->fields[i].name, numbers[i]);
  gp__add(&p.text, "#line 1 \"%s\"\n", file->path);
  gp__add(&p.text, "%s", file->text);
  gp__add(&p.text, "\nextern \"C\" __device__ int gp__echo[] = {");
  for (i = 0; i < file->count; i++) gp__add(&p.text, "%s%s", i ? ", " : "", file->fields[i].name);
  gp__add(&p.text, "};\n");
  result = gp__seal_program("gp_tune", &p);
  if (result == GP_SUCCESS) result = gp__find_image(&ctx->state->library, "gp_tune", &p, capability, 1, image);
  gp__free_program(&p);
  return result;
}

#endif
