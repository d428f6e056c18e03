// own_text.c - prints size and hash (FNV-1a) of the device text that the implementation finds; check.py compares them
// with the header's. Only this test bypasses the API, because without NVRTC nothing public shows the text.
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
  const char *text = gp__device_text();
  if (!text) fprintf(stderr, "%s\n", gp__device.why);
  else *bytes = (size_t)(gp__device.text[gp__device.count] - text);
  return text;
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
