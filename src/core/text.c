// core/text.c - strings that grow
// uses: core/system.c

typedef struct gp__text {
  char *data; // or NULL: empty
  size_t size, capacity;
  int failed; // an allocation failed
} gp__text;

GPUPRIMS__FORMAT(2, 3) GPUPRIMS__PRIVATE void gp__add(gp__text *t, const char *format, ...) {
  va_list list;
  int length;
  va_start(list, format);
  length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (t->failed || length < 0) {
    t->failed = 1;
    return;
  }
  if (t->size + (size_t)length + 1 > t->capacity) {
    const size_t capacity = (t->size + (size_t)length + 1) * 2;
    char *data = (char *)realloc(t->data, capacity);
    if (!data) {
      t->failed = 1;
      return;
    }
    t->data = data;
    t->capacity = capacity;
  }
  va_start(list, format);
  vsnprintf(t->data + t->size, t->capacity - t->size, format, list);
  va_end(list);
  t->size += (size_t)length;
}
GPUPRIMS__PRIVATE const char *gp__string(const gp__text *t) { return t->data ? t->data : ""; }
GPUPRIMS__PRIVATE void gp__free_text(gp__text *t) {
  free(t->data);
  memset(t, 0, sizeof *t);
}

// A copy of a string, or NULL. *failed is set when there is no memory for it.
GPUPRIMS__PRIVATE char *gp__duplicate(const char *string, int *failed) {
  char *copy;
  size_t bytes;
  if (!string) return NULL;
  bytes = strlen(string) + 1;
  copy = (char *)malloc(bytes);
  if (copy) memcpy(copy, string, bytes);
  else *failed = 1;
  return copy;
}
