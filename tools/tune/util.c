// util.c - memory, text, maps, random numbers.
#include "tune.h"

#include <stdarg.h>
#include <time.h>

void *grow(void *memory, size_t bytes) {
  void *grown = realloc(memory, bytes ? bytes : 1);
  if (grown) return grown;
  fprintf(stderr, "gp_tune: no memory for %zu bytes\n", bytes);
  exit(DEVICE_LOST);
}

char *print_text(const char *format, ...) {
  char *made;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&made, format, arguments) < 0) made = NULL;

  va_end(arguments);
  if (made) return made;
  fprintf(stderr, "gp_tune: no memory for a text\n");
  exit(DEVICE_LOST);
}

uint64_t hash_text(uint64_t hash, const char *text) {
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  return (hash ^ 0xff) * 0x100000001b3u; // the end counts, so that a list of texts differs from their concatenation
}

double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
double median_of(const double *values, int count) {
  double *sorted, median;
  if (!count) return 0;
  sorted = grow(NULL, (size_t)count * sizeof *sorted);
  memcpy(sorted, values, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
  median = (sorted[count / 2] + sorted[(count - 1) / 2]) / 2;
  free(sorted);
  return median;
}

// Steele, Lea and Flood, Fast splittable pseudorandom number generators (2014).
uint64_t random_next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static void text_room(text *t, size_t more) {
  if (t->length + more + 1 <= t->room) return;
  t->room = (t->length + more + 1) * 2;
  t->at = grow(t->at, t->room);
}
void text_add(text *t, const char *format, ...) {
  va_list arguments;
  int length;
  va_start(arguments, format);
  length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  text_room(t, (size_t)length);
  va_start(arguments, format);
  vsnprintf(t->at + t->length, (size_t)length + 1, format, arguments);
  va_end(arguments);
  t->length += (size_t)length;
}
void text_put(text *t, const char *bytes, size_t count) {
  text_room(t, count);
  memcpy(t->at + t->length, bytes, count);
  t->length += count;
  t->at[t->length] = 0;
}

void *push(void **array, int *count, size_t size) {
  char *element;
  if ((*count & (*count - 1)) == 0) *array = grow(*array, (size_t)(*count ? *count * 2 : 1) * size);
  element = (char *)*array + (size_t)*count * size;
  memset(element, 0, size);
  ++*count;
  return element;
}

static int map_slot(const map *m, const char *key) {
  int slot = (int)(hash_text(HASH_START, key) & (uint64_t)(m->room - 1));
  while (m->keys[slot] && strcmp(m->keys[slot], key)) slot = (slot + 1) & (m->room - 1);
  return slot;
}
void **map_at(map *m, const char *key) {
  int slot;
  if (m->count * 2 >= m->room) {
    const map old = *m;
    int i;
    m->room = old.room ? old.room * 2 : 64;
    m->keys = memset(grow(NULL, (size_t)m->room * sizeof *m->keys), 0, (size_t)m->room * sizeof *m->keys);
    m->values = memset(grow(NULL, (size_t)m->room * sizeof *m->values), 0, (size_t)m->room * sizeof *m->values);
    for (i = 0; i < old.room; i++)
      if (old.keys[i]) {
        slot = map_slot(m, old.keys[i]);
        m->keys[slot] = old.keys[i];
        m->values[slot] = old.values[i];
      }
    free(old.keys);
    free(old.values);
  }
  slot = map_slot(m, key);
  if (!m->keys[slot]) {
    m->keys[slot] = print_text("%s", key);
    m->count++;
  }
  return &m->values[slot];
}
