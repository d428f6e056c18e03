// core/text.c - strings that grow
// uses: core/rules.h, core/system.c

typedef struct gp__text {
  char *data; // or NULL: empty
  size_t size, capacity;
  int failed; // an allocation failed
} gp__text;

// Makes room for this many more characters and a zero.
GP__HOST void gp__make_room(gp__text *t, size_t length) {
  const size_t capacity = t->size + length + 1;
  char *data;
  if (t->failed || capacity <= t->capacity) return;
  data = (char *)realloc(t->data, capacity);
  t->failed = !data;
  if (!data) return;
  t->data = data;
  t->capacity = capacity;
}
GP__FORMAT(2, 3) GP__HOST void gp__add(gp__text *t, const char *format, ...) {
  va_list list;
  int length, turn;
  for (turn = 0; turn < 2 && !t->failed; ++turn) { // into the free room, and again after it has grown
    const size_t room = t->capacity - t->size;
    va_start(list, format);
    length = vsnprintf(t->data ? t->data + t->size : NULL, room, format, list);
    va_end(list);
    if (length >= 0 && (size_t)length < room) {
      t->size += (size_t)length;
      return;
    }
    if (length >= 0 && !turn) gp__make_room(t, t->size + 2 * (size_t)length + 1);
  }
  if (t->data) t->data[t->size] = 0;
  t->failed = 1;
}
GP__HOST const char *gp__string(const gp__text *t) { return t->data ? t->data : ""; }
GP__HOST void gp__free_text(gp__text *t) {
  free(t->data);
  memset(t, 0, sizeof *t);
}

// A copy of a string, or NULL. *failed is set when there is no memory for it.
GP__HOST char *gp__duplicate(const char *string, int *failed) {
  char *copy;
  size_t bytes;
  if (!string) return NULL;
  bytes = strlen(string) + 1;
  copy = (char *)malloc(bytes);
  if (copy) memcpy(copy, string, bytes);
  else *failed = 1;
  return copy;
}
