// core/phrases.c - frequent phrases of the device text, as two characters each
// uses: core/rules.h

// The embedded device text has a code in place of a frequent phrase: an escape, which that text has nowhere else, and
// one more character. src/phrases lists the phrases; the embedded list has a line for each, its code, its text and `$`.
// A line feed may be a phrase's character.
typedef struct gp__phrase {
  const char *text;
  size_t bytes; // 0: no phrase has this code
} gp__phrase;
static gp__phrase gp__phrases[2][256];

GPUPRIMS__PRIVATE int gp__is_escape(char c) { return c == '$' || c == '`'; }
// The phrase of the code at `at`, an escape and a character.
GPUPRIMS__PRIVATE gp__phrase *gp__phrase_at(const char *at) { return &gp__phrases[*at == '`'][(unsigned char)at[1]]; }

// Reads the embedded list. Returns 0 if it is damaged.
GPUPRIMS__PRIVATE int gp__take_phrases(const char *at, const char *end) {
  memset(gp__phrases, 0, sizeof gp__phrases);
  while (at < end) {
    gp__phrase *phrase = gp__phrase_at(at);
    if (!gp__is_escape(*at) || end - at < 5 || phrase->bytes) return 0;
    phrase->text = at += 2;
    while (at < end && !gp__is_escape(*at)) ++at;
    phrase->bytes = (size_t)(at - phrase->text);
    if (!phrase->bytes || end - at < 2 || at[0] != '$' || at[1] != '\n') return 0;
    at += 2;
  }
  return 1;
}
// The bytes that gp__expand writes for a text; 0 if the text is empty or has an escape that begins no phrase's code.
GPUPRIMS__PRIVATE size_t gp__expanded_bytes(const char *at, const char *end) {
  size_t bytes = 0;
  for (; at < end; ++at) {
    const size_t more = gp__is_escape(*at) ? gp__phrase_at(at++)->bytes : 1;
    if (!more) return 0;
    bytes += more;
  }
  return at == end ? bytes : 0;
}
// Writes a text with its phrases in place of their codes; gp__expanded_bytes has found no fault. Returns the end of
// what it wrote.
GPUPRIMS__PRIVATE char *gp__expand(char *to, const char *at, const char *end) {
  for (; at < end; ++at) {
    if (gp__is_escape(*at)) {
      const gp__phrase *phrase = gp__phrase_at(at++);
      memcpy(to, phrase->text, phrase->bytes);
      to += phrase->bytes;
    } else {
      *to++ = *at;
    }
  }
  return to;
}
