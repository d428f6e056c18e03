// own_text.c - prints size and hash (FNV-1a) of the device text that the implementation gives to NVRTC for all parts.
// check.py compares them with the header's. Only this test bypasses the API, because without NVRTC nothing public
// shows the text.
//   LIBRARY   the shared library's part
//   CALLER    the program that asks that library
#include <stdio.h>
#include <string.h>

#ifdef CALLER
const char *own_text(size_t *bytes);
#else
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

const char *own_text(size_t *bytes);
const char *own_text(size_t *bytes) {
  static const char begin[] = "#ifndef GPUPRIMS_H\n#define GPUPRIMS_H\n", end[] = "#endif\n";
  static gp__text text;
  gp__part_set all;
  if (!gp__device_text()) {
    fprintf(stderr, "%s\n", gp__device.why);
    return NULL;
  }
  memset(all, 1, sizeof all);
  gp__write_parts(all, &text);
  if (text.failed || strncmp(text.data, begin, sizeof begin - 1) != 0) return NULL;
  if (text.size < sizeof begin + sizeof end || strcmp(text.data + text.size - sizeof end + 1, end) != 0) return NULL;
  *bytes = text.size - (sizeof begin - 1) - (sizeof end - 1);
  return text.data + sizeof begin - 1;
}
#endif

#ifndef LIBRARY
int main(void) {
  size_t bytes = 0;
  const char *text = own_text(&bytes);
  unsigned long long hash = 14695981039346656037ull;
  size_t i;
  if (!text) return 1;
  for (i = 0; i < bytes; ++i) hash = (hash ^ (unsigned char)text[i]) * 1099511628211ull;
  printf("%lu %016llx\n", (unsigned long)i, hash);
  return 0;
}
#endif
