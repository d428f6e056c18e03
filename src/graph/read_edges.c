// graph/read_edges.c - files of edges
// uses: api/config.h, api/lists.h, api/graph_types.h, core/words.h, core/rules.h, core/system.c, core/messages.c,
//   host/values.c

typedef struct gp__reader {
  const char *name, *begin, *at, *end, *line; // line: start of the current one
  uint64_t lines, room, rows, columns, entries;
  int matrix, valued; // a Matrix Market file; entries have values
  uint64_t *pairs;
  gp_edge_list *edges;
} gp__reader;

// Fails: `wanted` is expected at `at`.
static gp_result gp__read_fault(const gp__reader *r, const char *at, const char *wanted) {
  char found[24];
  size_t n = 0;
  for (; n < sizeof found - 1 && at + n < r->end && (gp__u8)at[n] > ' '; ++n)
    found[n] = (gp__u8)at[n] < 127 ? at[n] : '?';
  found[n] = 0;
  return gp__fail(GP_E_ARGUMENT, "%s:%llu:%llu: expected %s, found %s%s%s", r->name, (gp__u64)r->lines + 1,
      (gp__u64)(at - r->line) + 1, wanted, n ? "\"" : "the end of the ", n ? found : "",
      n ? "\""
          : at == r->end ? "file"
          : "line");
}
GP__HOST int gp__is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
static void gp__skip_blanks(gp__reader *r) {
  while (r->at < r->end && gp__is_blank(*r->at)) ++r->at;
}
static int gp__at_line_end(const gp__reader *r) { return r->at == r->end || *r->at == '\n'; }
static void gp__next_line(gp__reader *r) {
  const char *newline = r->at < r->end ? (const char *)memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;
  r->at = newline ? newline + 1 : r->end;
  r->line = r->at;
  if (newline) ++r->lines;
}
// Goes on to a line with content. Returns 0 if there is none.
static int gp__find_line(gp__reader *r) {
  for (; r->at < r->end; gp__next_line(r)) {
    gp__skip_blanks(r);
    if (!gp__at_line_end(r) && *r->at != '%' && (r->matrix || *r->at != '#')) return 1;
  }
  return 0;
}
static gp_result gp__read_number(gp__reader *r, const char *wanted, uint64_t *x) {
  const char *start;
  uint64_t value = 0;
  gp__skip_blanks(r);
  start = r->at;
  for (; r->at < r->end && (gp__u8)(*r->at - '0') < 10; ++r->at) {
    const unsigned digit = (gp__u8)(*r->at - '0');
    if (value > (UINT64_MAX - 1 - digit) / 10) return gp__read_fault(r, start, "a number below 2^64 - 1");
    value = value * 10 + digit;
  }
  if (r->at == start || (r->at < r->end && !gp__is_blank(*r->at) && *r->at != '\n' && (r->matrix || *r->at != ',')))
    return gp__read_fault(r, start, wanted);
  *x = value;
  return GP_SUCCESS;
}
static const char *gp__skip_digits(const char *at, const char *end) {
  while (at < end && (gp__u8)(*at - '0') < 10) ++at;
  return at;
}
// Skips the value of an entry: [+-]digits[.digits][e[+-]digits], inf, nan.
static gp_result gp__skip_value(gp__reader *r) {
  const char *at, *digits;
  int any;
  gp__skip_blanks(r);
  at = r->at;
  if (at < r->end && (*at == '+' || *at == '-')) ++at;
  if (r->end - at >= 3 && (!strncasecmp(at, "inf", 3) || !strncasecmp(at, "nan", 3))) {
    at += 3;
  } else {
    digits = at;
    at = gp__skip_digits(at, r->end);
    any = at > digits;
    if (at < r->end && *at == '.') {
      digits = ++at;
      at = gp__skip_digits(at, r->end);
      any |= at > digits;
    }
    if (!any) return gp__read_fault(r, r->at, "a value");
    if (at < r->end && (*at == 'e' || *at == 'E')) {
      ++at;
      if (at < r->end && (*at == '+' || *at == '-')) ++at;
      digits = at;
      at = gp__skip_digits(at, r->end);
      if (at == digits) return gp__read_fault(r, r->at, "a value");
    }
  }
  if (at < r->end && !gp__is_blank(*at) && *at != '\n') return gp__read_fault(r, r->at, "a value");
  r->at = at;
  return GP_SUCCESS;
}
// Reads one of the words and returns its index; -1: none of them is next.
static int gp__read_word(gp__reader *r, const char *const *words) {
  size_t length = 0;
  int i;
  gp__skip_blanks(r);
  while (r->at + length < r->end && (gp__u8)r->at[length] > ' ') ++length;
  for (i = 0; words[i]; ++i)
    if (strlen(words[i]) == length && !strncasecmp(words[i], r->at, length)) {
      r->at += length;
      return i;
    }
  return -1;
}
// Reads the banner, comments, and the line of sizes. (Boisvert, Pozo and Remington, The Matrix Market Exchange
// Formats.)
static gp_result gp__read_banner(gp__reader *r) {
  static const char *const matrix[] = {"matrix", NULL}, *const coordinate[] = {"coordinate", NULL};
  static const char *const fields[] = {"pattern", "integer", "real", "double", NULL};
  static const char *const symmetries[] = {"general", "symmetric", NULL};
  int which;
  r->at += strlen("%%MatrixMarket");
  if (gp__read_word(r, matrix) < 0) return gp__read_fault(r, r->at, "\"matrix\"");
  if (gp__read_word(r, coordinate) < 0) return gp__read_fault(r, r->at, "\"coordinate\"");
  which = gp__read_word(r, fields);
  if (which < 0) return gp__read_fault(r, r->at, "\"pattern\", \"integer\" or \"real\"");
  r->valued = which > 0;
  which = gp__read_word(r, symmetries);
  if (which < 0) return gp__read_fault(r, r->at, "\"general\" or \"symmetric\"");
  r->edges->symmetric = which;
  gp__next_line(r);
  if (!gp__find_line(r)) return gp__read_fault(r, r->at, "a line with the numbers of rows, columns and entries");
  GP__CHECK(gp__read_number(r, "the number of rows", &r->rows));
  GP__CHECK(gp__read_number(r, "the number of columns", &r->columns));
  GP__CHECK(gp__read_number(r, "the number of entries", &r->entries));
  gp__skip_blanks(r);
  if (!gp__at_line_end(r)) return gp__read_fault(r, r->at, "the end of the line");
  gp__next_line(r);
  r->edges->vertices = r->rows > r->columns ? r->rows : r->columns;
  return GP_SUCCESS;
}
static gp_result gp__read_entry(gp__reader *r) {
  uint64_t *pair = r->pairs + 2 * r->edges->count;
  const uint64_t most[2] = {r->rows, r->columns};
  int i;
  for (i = 0; i < 2; ++i) {
    const char *start;
    gp__skip_blanks(r);
    if (!r->matrix && i && r->at < r->end && *r->at == ',') ++r->at, gp__skip_blanks(r);
    start = r->at;
    GP__CHECK(gp__read_number(r, i ? "the second vertex" : "the first vertex", &pair[i]));
    if (r->matrix && (pair[i] < 1 || pair[i] > most[i]))
      return gp__read_fault(
          r, start, i ? "a number from 1 to the number of columns" : "a number from 1 to the number of rows");
    if (r->matrix) --pair[i];
    else if (pair[i] >= r->edges->vertices) r->edges->vertices = pair[i] + 1;
  }
  if (r->valued) GP__CHECK(gp__skip_value(r));
  gp__skip_blanks(r);
  if (r->matrix && !gp__at_line_end(r)) return gp__read_fault(r, r->at, "the end of the line");
  ++r->edges->count;
  return GP_SUCCESS;
}
static gp_result gp__read_edges(gp__reader *r) {
  static const char banner[] = "%%MatrixMarket";
  const char *at = r->begin;
  uint64_t i;
  r->matrix = (size_t)(r->end - r->begin) >= strlen(banner) && !strncasecmp(r->begin, banner, strlen(banner));
  if (r->matrix) GP__CHECK(gp__read_banner(r));
  for (; at < r->end && (at = (const char *)memchr(at, '\n', (size_t)(r->end - at))); ++at) ++r->room;
  if (++r->room > SIZE_MAX / 16 || !(r->pairs = (uint64_t *)malloc((size_t)r->room * 16)))
    return gp__fail(GP_E_MEMORY, "%s: no memory for %llu edges", r->name, (gp__u64)r->room);
  for (; gp__find_line(r); gp__next_line(r)) {
    if (r->matrix && r->edges->count == r->entries)
      return gp__read_fault(r, r->at, "the end of the file (there are more entries than the header says)");
    GP__CHECK(gp__read_entry(r));
  }
  if (r->matrix && r->edges->count < r->entries)
    return gp__fail(GP_E_ARGUMENT, "%s:%llu:1: the file ends after %llu of %llu entries", r->name,
        (gp__u64)r->lines + 1, (gp__u64)r->edges->count, (gp__u64)r->entries);
  r->edges->vertex_type = r->edges->vertices > UINT32_MAX ? GP_U64 : GP_U32;
  if (r->edges->vertex_type == GP_U32) // in place: writes stay behind reads
    for (i = 0; i < 2 * r->edges->count; ++i) {
      const uint32_t narrow = (uint32_t)r->pairs[i];
      memcpy((gp__u8 *)r->pairs + i * 4, &narrow, 4);
    }
  return GP_SUCCESS;
}
GP__API gp_result gp_edges_parse(const char *name, const char *text, size_t length, gp_edge_list *edges) {
  gp__reader r;
  gp_result result;
  void *fitting;
  if (!edges) return gp__fail(GP_E_NULL, "gp_edges_parse: edges is null");
  memset(edges, 0, sizeof *edges);
  if (!text && length) return gp__fail(GP_E_NULL, "gp_edges_parse: text is null");
  memset(&r, 0, sizeof r);
  r.name = name ? name : "text";
  r.begin = r.at = r.line = text ? text : "";
  r.end = r.begin + length;
  r.edges = edges;
  result = gp__read_edges(&r);
  if (result != GP_SUCCESS) {
    free(r.pairs);
    memset(edges, 0, sizeof *edges);
    return result;
  }
  fitting = realloc(r.pairs, (size_t)(edges->count ? edges->count : 1) * (edges->vertex_type == GP_U32 ? 8 : 16));
  edges->pairs = fitting ? fitting : r.pairs;
  return GP_SUCCESS;
}
GP__API gp_result gp_edges_read(const char *path, gp_edge_list *edges) {
  FILE *file;
  char *text = NULL;
  size_t length = 0, room = 0;
  gp_result result = GP_SUCCESS;
  if (!edges) return gp__fail(GP_E_NULL, "gp_edges_read: edges is null");
  memset(edges, 0, sizeof *edges);
  if (!path) return gp__fail(GP_E_NULL, "gp_edges_read: path is null");
  file = fopen(path, "rb");
  if (!file) return gp__fail(GP_E_ARGUMENT, "gp_edges_read: %s: %s", path, strerror(errno));
  for (;;) {
    size_t got;
    if (length == room) {
      char *larger = room < SIZE_MAX / 2 ? (char *)realloc(text, room ? room * 2 : (size_t)1 << 20) : NULL;
      if (!larger) {
        result = gp__fail(GP_E_MEMORY, "gp_edges_read: %s: no memory for its text", path);
        break;
      }
      text = larger;
      room = room ? room * 2 : (size_t)1 << 20;
    }
    got = fread(text + length, 1, room - length, file);
    length += got;
    if (got) continue;
    if (ferror(file)) result = gp__fail(GP_E_ARGUMENT, "gp_edges_read: %s: %s", path, strerror(errno));
    break;
  }
  fclose(file);
  if (result == GP_SUCCESS) result = gp_edges_parse(path, text, length, edges);
  free(text);
  return result;
}
GP__API void gp_edges_free(gp_edge_list *edges) {
  if (!edges) return;
  free(edges->pairs);
  memset(edges, 0, sizeof *edges);
}
