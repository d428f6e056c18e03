// lines.h - messages between gp_tune and its workers (tools/farm/README.md): a word, then fields name=value, separated
// by tabs. A value has no tab or line end.
#ifndef GP_TUNE_LINES_H
#define GP_TUNE_LINES_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_FIELDS = 40 };
typedef struct line {
  char *text; // owned; cut into words
  const char *word;
  int count;
  const char *names[LINE_FIELDS], *values[LINE_FIELDS];
} line;

// Cuts `text`, and owns it from now on.
static inline __attribute__((unused)) void line_parse(line *l, char *text) {
  char *at = text;
  memset(l, 0, sizeof *l);
  l->text = text;
  l->word = text;
  at[strcspn(at, "\r\n")] = 0;
  while ((at = strchr(at, '\t')) && l->count < LINE_FIELDS) {
    char *equals;
    *at++ = 0;
    equals = at + strcspn(at, "=\t");
    if (*equals != '=') continue;
    *equals = 0;
    l->names[l->count] = at;
    l->values[l->count++] = equals + 1;
    at = equals + 1;
  }
}

// Reads a line of any length. 0: the end of the stream.
static inline __attribute__((unused)) int line_read(line *l, FILE *from) {
  char *text = NULL;
  size_t room = 0;
  if (getline(&text, &room, from) < 0) return free(text), memset(l, 0, sizeof *l), 0;
  line_parse(l, text);
  return 1;
}

static inline __attribute__((unused)) void line_free(line *l) {
  free(l->text);
  memset(l, 0, sizeof *l);
}

// The value of a field; "" if missing.
static inline __attribute__((unused)) const char *line_get(const line *l, const char *name) {
  int i;
  for (i = 0; i < l->count; i++)
    if (!strcmp(l->names[i], name)) return l->values[i];
  return "";
}
static inline __attribute__((unused)) double line_number(const line *l, const char *name) {
  return strtod(line_get(l, name), NULL);
}

// Writes text as a field's value, with spaces for tabs and line ends.
static inline __attribute__((unused)) void line_value(FILE *to, const char *text) {
  for (; *text; text++) fputc(*text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text, to);
}

#endif
