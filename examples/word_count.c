// word_count.c - counts the words of a text, and finds the most frequent ones.
//
// The host turns words into 64-bit hashes. gp_group_by finds the count and the first position of each hash; top-k takes
// the indices of the most frequent ones, and only these few come back to the host. A sort of strings checks the counts.
//
//     cc -I. examples/word_count.c -o word_count -ldl -lpthread -lm && ./word_count [FILE]
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

enum { TOP = 12, MOST_BYTES = 64 << 20 };

// Without a named file: a text that most machines have, or these lines.
static const char *const texts[] = {"/usr/share/common-licenses/GPL-3", "README.md", "../README.md"};
static const char lines[] = "A rose is a rose is a rose is a rose. Loveliness extreme. Extra gaiters. Loveliness "
                            "extreme. Sweetest ice-cream. Pages ages page ages page ages.";

typedef struct word {
  const char *start; // lower case, not zero-terminated
  uint32_t length;
} word;

static int by_text(const void *a, const void *b) {
  const word *x = (const word *)a, *y = (const word *)b;
  const int order = memcmp(x->start, y->start, x->length < y->length ? x->length : y->length);
  return order ? order : (x->length > y->length) - (x->length < y->length);
}
static int downwards(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x < y) - (x > y);
}

// FNV-1a. Two words with one hash would show in the number of different words, which is compared at the end.
static uint64_t hash_of(const word *w) {
  uint64_t h = 0xcbf29ce484222325u;
  uint32_t i;
  for (i = 0; i < w->length; ++i) h = (h ^ (unsigned char)w->start[i]) * 0x100000001b3u;
  return h;
}

static char *read_text(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  char *text = file ? (char *)malloc(MOST_BYTES) : NULL;
  *bytes = text ? fread(text, 1, MOST_BYTES, file) : 0;
  if (file) fclose(file);
  if (*bytes) return text;
  free(text);
  return NULL;
}

// Words are letters and bytes of letters beyond ASCII; they become lower case in place.
static uint32_t split(char *text, size_t bytes, word *words) {
  uint32_t count = 0;
  size_t i, start;
  for (i = 0; i < bytes;) {
    for (start = i; i < bytes; ++i) {
      const unsigned char c = (unsigned char)text[i];
      if (c >= 'A' && c <= 'Z') text[i] = (char)(c + 'a' - 'A');
      else if (!(c >= 'a' && c <= 'z') && c < 128) break;
    }
    if (i > start) {
      words[count].start = text + start;
      words[count++].length = (uint32_t)(i - start);
    } else ++i;
  }
  return count;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : NULL;
  char *text = NULL;
  size_t bytes = 0, i;
  gp_context *ctx;
  gp_description description = gp_description_init();
  device_memory m;
  gp_call top = gp_call_init(GP_TOP_K);
  word *words, *sorted;
  uint64_t *hashes, groups = 0;
  uint32_t count, run, different = 0, taken, counts[TOP], places[TOP], *expected;
  uint32_t *first;
  const uint32_t one = 1;
  int wrong = 0;
  void *keys, *ones, *numbers, *out_counts, *out_first, *out_groups, *top_counts, *top_places;

  if (path) text = read_text(path, &bytes);
  for (i = 0; !path && !text && i < sizeof texts / sizeof texts[0]; ++i) text = read_text(texts[i], &bytes);
  if (!text && path) {
    fprintf(stderr, "%s cannot be read\n", path);
    return 1;
  }
  if (!text) {
    bytes = sizeof lines - 1;
    text = (char *)malloc(sizeof lines);
    if (text) memcpy(text, lines, sizeof lines);
  }
  words = (word *)malloc((bytes / 2 + 1) * sizeof *words);
  if (!text || !words || !(count = split(text, bytes, words))) return 1;
  hashes = (uint64_t *)malloc(count * sizeof *hashes);
  sorted = (word *)malloc(count * sizeof *sorted);
  expected = (uint32_t *)malloc(count * sizeof *expected);
  first = (uint32_t *)malloc(count * sizeof *first);
  if (!hashes || !sorted || !expected || !first) return 1;
  for (i = 0; i < count; ++i) hashes[i] = hash_of(&words[i]);

  check(gp_open(NULL, &ctx));
  check(gp_describe(ctx, &description));
  m = device_memory_open(ctx);
  keys = device_memory_new(&m, count * sizeof(uint64_t));
  ones = device_memory_new(&m, count * sizeof(uint32_t));
  numbers = device_memory_new(&m, count * sizeof(uint32_t));
  out_counts = device_memory_new(&m, count * sizeof(uint32_t));
  out_first = device_memory_new(&m, count * sizeof(uint32_t));
  out_groups = device_memory_new(&m, sizeof(uint64_t));
  top_counts = device_memory_new(&m, sizeof counts);
  top_places = device_memory_new(&m, sizeof places);
  device_memory_write(&m, keys, hashes, count * sizeof *hashes);
  check(gp_fill(ctx, GP_U32, &one, ones, count, NULL));
  check(gp_iota(ctx, GP_U32, NULL, NULL, numbers, count, NULL));

  // Both outputs are in the order of the hashes: element g of one belongs to element g of the other.
  check(gp_group_by(ctx, GP_SUM, GP_U64, GP_U32, keys, ones, count, NULL, out_counts, (uint64_t *)out_groups, NULL));
  check(gp_group_by(ctx, GP_MIN, GP_U64, GP_U32, keys, numbers, count, NULL, out_first, (uint64_t *)out_groups, NULL));
  device_memory_read(&m, &groups, out_groups, sizeof groups);
  taken = groups < TOP ? (uint32_t)groups : (uint32_t)TOP;
  top.flags = GP_DESCENDING;
  top.key_type = GP_U32;
  top.keys = out_counts;
  top.out_keys = top_counts;
  top.out_type = GP_U32; // without values: the indices of the keys
  top.out = top_places;
  top.count = groups;
  top.k = taken;
  check(gp_run(ctx, &top, NULL));
  device_memory_read(&m, counts, top_counts, taken * sizeof counts[0]);
  device_memory_read(&m, places, top_places, taken * sizeof places[0]);
  device_memory_read(&m, first, out_first, (size_t)groups * sizeof *first);

  // Checks by sorting strings.
  memcpy(sorted, words, count * sizeof *words);
  qsort(sorted, count, sizeof *sorted, by_text);
  for (i = 0; i < count; i += run) {
    for (run = 1; i + run < count && by_text(&sorted[i], &sorted[i + run]) == 0; ++run) continue;
    expected[different++] = run;
  }
  qsort(expected, different, sizeof *expected, downwards);
  wrong += groups != different;
  for (i = 0; i < taken; ++i) {
    const word *w = &words[first[places[i]]];
    uint32_t occurrences = 0, k;
    for (k = 0; k < count; ++k) occurrences += by_text(w, &words[k]) == 0;
    wrong += counts[i] != expected[i] || counts[i] != occurrences;
    printf("%8u  %.*s\n", counts[i], (int)w->length, w->start);
  }
  printf(
      "on %s: %u words, %llu different ones; %d faults\n", description.name, count, (unsigned long long)groups, wrong);

  device_memory_free(&m, keys);
  device_memory_free(&m, ones);
  device_memory_free(&m, numbers);
  device_memory_free(&m, out_counts);
  device_memory_free(&m, out_first);
  device_memory_free(&m, out_groups);
  device_memory_free(&m, top_counts);
  device_memory_free(&m, top_places);
  free(text);
  free(words);
  free(sorted);
  free(hashes);
  free(expected);
  free(first);
  check(gp_close(ctx));
  return wrong != 0;
}
