// core/device_text.c - the device text, read once a process; the parts of it that a kernel needs
// uses: core/words.h, core/rules.h, core/text.c, core/embed.c, core/sha256.c, core/inflate.c

// The device text is a list of parts. A part uses only parts above it. NVRTC gets the parts that define names of the
// kernel's program, and the parts that these use. A part is hashed when a kernel first needs it.
enum { GP__PARTS = 256 }; // at most
typedef gp__u8 gp__part_set[GP__PARTS];
static struct {
  pthread_once_t once;
  pthread_mutex_t lock; // of the hashes
  int count; // of parts; 0: `why` says why
  char *whole; // all below, inflated
  const char *uses[GP__PARTS]; // a part's line: its name and the numbers of the parts that it uses
  const char *names, *names_end; // sorted lines: a name, the numbers of the parts that define it
  const char *text[GP__PARTS + 1]; // a part's text, up to the next one's
  char part_hash[GP__PARTS][GP__HEX]; // of its text; empty: not made yet
  char why[256];
} gp__device = {PTHREAD_ONCE_INIT, PTHREAD_MUTEX_INITIALIZER, 0, NULL, {NULL}, NULL, NULL, {NULL}, {""}, ""};

GP__HOST char *gp__read_file(FILE *file, size_t *bytes) {
  char *data = NULL;
  size_t capacity = 0, got = 1;
  *bytes = 0;
  while (got) {
    if (capacity - *bytes < 65536) {
      char *larger = (char *)realloc(data, capacity = capacity * 2 + 131072);
      if (!larger) break;
      data = larger;
    }
    got = fread(data + *bytes, 1, capacity - *bytes - 1, file);
    *bytes += got;
  }
  if (got || ferror(file)) {
    free(data);
    return NULL;
  }
  data[*bytes] = 0;
  return data;
}

// The text after line `line`, or NULL.
GP__HOST const char *gp__behind_line(const char *text, const char *line) {
  const char *found = text ? strstr(text, line) : NULL;
  return found ? found + strlen(line) : NULL;
}
// Finds the parts in the inflated text. Returns 0 if it is damaged.
GP__HOST int gp__take_whole(const char *whole) {
  const char *at = gp__behind_line(whole, "parts\n"), *names = gp__behind_line(at, "\nnames\n");
  const char *first = gp__behind_line(names ? names - 1 : NULL, "\ntext\n");
  int count = 0, i;
  if (!first) return 0;
  for (; at < names - 6 && count < GP__PARTS; at = strchr(at, '\n') + 1) gp__device.uses[count++] = at;
  gp__device.names = names;
  gp__device.names_end = first - 5;
  for (i = 0, at = first; i < count; ++i) {
    if (!at || strncmp(at, "#line 1 \"", 9) != 0) return 0;
    gp__device.text[i] = at;
    at = i + 1 < count ? strstr(at, "\n#line 1 \"") : at + strlen(at);
    if (at && i + 1 < count) ++at;
  }
  if (!at || *at || at[-1] != '\n') return 0;
  gp__device.text[count] = at;
  memset(gp__device.part_hash, 0, sizeof gp__device.part_hash);
  gp__device.count = count;
  return count > 0;
}
// Puts words in the place of codes. `coded` begins with a line for each word, up to an empty one; behind that, byte
// 128 + i stands for word i. NULL: the text has not exactly `bytes` bytes, or there is no memory.
GP__HOST char *gp__with_words(const char *coded, size_t bytes) {
  const char *word[129], *at = coded, *end;
  char *out, *to;
  int count = 0;
  for (word[0] = at; *at != '\n'; word[++count] = at = end + 1)
    if (count == 128 || (end = strchr(at, '\n')) == NULL) return NULL;
  out = to = (char *)malloc(bytes + 1);
  while (out && *++at) {
    const int code = (gp__u8)*at - 128;
    const char *from = code < 0 || code >= count ? at : word[code];
    size_t length = from == at ? 1 : (size_t)(word[code + 1] - from - 1); // without the line's end
    if (code >= count || length > bytes) break;
    for (bytes -= length; length; --length) *to++ = *from++;
  }
  if (out && !*at && !bytes) {
    *to = 0;
    return out;
  }
  free(out);
  return NULL;
}
// Finds the device text in this file's text, or in its end: a line with its bytes, then digits. Returns 0 if it is some
// other text, or there is no memory.
GP__HOST int gp__take_parts(const char *text) {
  const char *at = gp__behind_line(text, "\n/* device text of gpuprims.h\n");
  const char *digits = at ? strchr(at, '\n') : NULL, *end = digits ? strstr(digits, "\n*/\n") : NULL;
  char *next = NULL, *coded, *whole;
  const unsigned long bytes = end ? strtoul(at, &next, 10) : 0, from = end ? strtoul(next, NULL, 10) : 0;
  coded = from && (bytes | from) < 1ul << 30 ? gp__inflate(digits, end, from) : NULL;
  whole = coded ? gp__with_words(coded, bytes) : NULL;
  free(coded);
  gp__device.count = 0;
  free(gp__device.whole);
  gp__device.whole = whole;
  return whole && gp__take_whole(whole);
}

GP__HOST void gp__read_device_text(void) {
  size_t bytes;
  const char *text = gp__embedded_text(&bytes);
  char *read = NULL;
  if (!text) {
    FILE *file = fopen(GP__SOURCE, "rb");
    if (file) {
      text = read = gp__read_file(file, &bytes);
      fclose(file);
    }
  }
  if (!text) {
    snprintf(gp__device.why, sizeof gp__device.why,
        "the header's text cannot be read from %s: compile the implementation with GPUPRIMS_SOURCE defined as the "
        "header's path",
        GP__SOURCE);
    return;
  }
  if (!gp__take_parts(text))
    snprintf(
        gp__device.why, sizeof gp__device.why, "%s is not the text of gpuprims.h, or there is no memory", GP__SOURCE);
  free(read);
}
// The text of all parts, or NULL.
GP__HOST const char *gp__device_text(void) {
  pthread_once(&gp__device.once, gp__read_device_text);
  return gp__device.count ? gp__device.text[0] : NULL;
}

// Adds the parts whose numbers follow a line's first word.
GP__HOST void gp__add_numbers(const char *line, gp__part_set set) {
  for (; *line != '\n'; ++line)
    if (*line == ' ') set[atoi(line + 1) & (GP__PARTS - 1)] = 1;
}
// Adds the parts that define a name.
GP__HOST void gp__add_name(const char *name, size_t length, gp__part_set set) {
  const char *low = gp__device.names, *high = gp__device.names_end; // lines
  while (low < high) {
    const char *line = low + (high - low) / 2;
    int order;
    while (line > low && line[-1] != '\n') --line;
    order = strncmp(name, line, length);
    if (!order) order = line[length] == ' ' ? 0 : -1; // a blank sorts before the characters of names
    if (!order) {
      gp__add_numbers(line, set);
      return;
    }
    if (order < 0) high = line;
    else low = strchr(line, '\n') + 1;
  }
}
GP__HOST int gp__is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
// The parts that a program needs: all of them if it pastes names (##).
GP__HOST void gp__needed_parts(const char *program, gp__part_set set) {
  const char *at = program;
  int i;
  memset(set, strstr(program, "##") != NULL, sizeof(gp__part_set));
  while (*at) {
    const char *first = at;
    while (gp__is_of_name(*at)) ++at;
    if (at > first) gp__add_name(first, (size_t)(at - first), set);
    else ++at;
  }
  for (i = gp__device.count - 1; i >= 0; --i)
    if (set[i]) gp__add_numbers(gp__device.uses[i], set);
}
// Writes the parts' text for NVRTC, as a header.
GP__HOST void gp__write_parts(const gp__part_set set, gp__text *t) {
  static const char begin[] = "#ifndef GPUPRIMS_H\n#define GPUPRIMS_H\n", end[] = "#endif\n";
  size_t bytes = sizeof begin + sizeof end;
  int i;
  for (i = 0; i < gp__device.count; ++i)
    if (set[i]) bytes += (size_t)(gp__device.text[i + 1] - gp__device.text[i]);
  gp__make_room(t, bytes);
  gp__add(t, "%s", begin);
  for (i = 0; i < gp__device.count && !t->failed; ++i)
    if (set[i]) {
      const size_t length = (size_t)(gp__device.text[i + 1] - gp__device.text[i]);
      memcpy(t->data + t->size, gp__device.text[i], length);
      t->size += length;
    }
  gp__add(t, "%s", end);
}
// The hash of the parts' texts.
GP__HOST void gp__hash_parts(const gp__part_set set, char hash[GP__HEX]) {
  char hashes[(size_t)GP__PARTS * (size_t)GP__HEX];
  size_t bytes = 0;
  int i;
  pthread_mutex_lock(&gp__device.lock);
  for (i = 0; i < gp__device.count; ++i)
    if (set[i]) {
      const char *text = gp__device.text[i];
      if (!*gp__device.part_hash[i])
        gp__hash(gp__device.part_hash[i], text, (size_t)(gp__device.text[i + 1] - text), NULL);
      memcpy(hashes + bytes, gp__device.part_hash[i], GP__HEX);
      bytes += GP__HEX;
    }
  pthread_mutex_unlock(&gp__device.lock);
  gp__hash(hash, hashes, bytes, NULL);
}
