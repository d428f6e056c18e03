// core/inflate.c - the embedded device text, inflated
// uses: api/config.h, core/words.h, core/rules.h

// The device text is embedded deflated (Deutsch, DEFLATE Compressed Data Format Specification, RFC 1951), in printable
// characters: two digits of base 91, the lower one first, carry 13 bits, the lowest first. Line feeds mean nothing.
enum {
  GP__TEXT_BASE = 91, // the characters ! to ~ without *, ? and backslash
  GP__PAIR_BITS = 13, // of two digits
  GP__CODE_BITS = 15, // of a code, at most
  GP__LITERALS = 286, // literals, the end of a block, lengths
  GP__DISTANCES = 30, //
  GP__LENGTH_CODES = 19 // of the lengths of codes
};
// A prefix code: symbol << 4 | length of the code that begins the next `bits` bits; 0: none does.
typedef struct gp__prefix_code {
  int bits;
  uint16_t entry[1 << GP__CODE_BITS];
} gp__prefix_code;
typedef struct gp__inflating {
  const gp__u8 *in;
  size_t at, bytes; // of `in`; zeros follow
  uint64_t held; // bits that were read and not taken
  int count; // of them
  char *out;
  size_t written, room;
  gp__prefix_code literals, distances;
} gp__inflating;

// Turns digits into bytes. Returns how many; 0 if a character is no digit.
GP__HOST size_t gp__bytes_of_digits(gp__u8 *to, const char *at, const char *end) {
  uint64_t held = 0;
  size_t bytes = 0;
  int count = 0;
  unsigned digit[2];
  int i = 0;
  for (; at < end; ++at) {
    if (*at == '\n') continue;
    if (*at < '!' || *at > '~' || *at == '*' || *at == '?' || *at == '\\') return 0;
    digit[i++] = (unsigned)(*at - '!' - (*at > '*') - (*at > '?') - (*at > '\\'));
    if (i < 2) continue;
    i = 0;
    held |= (uint64_t)(digit[0] + GP__TEXT_BASE * digit[1]) << count;
    for (count += GP__PAIR_BITS; count >= 8; count -= 8, held >>= 8) to[bytes++] = (gp__u8)held;
  }
  return bytes;
}

GP__HOST unsigned gp__peek_bits(gp__inflating *d, int n) {
  for (; d->count < n; d->count += 8, ++d->at) d->held |= (uint64_t)(d->at < d->bytes ? d->in[d->at] : 0) << d->count;
  return (unsigned)(d->held & ((1u << n) - 1));
}
GP__HOST unsigned gp__take_bits(gp__inflating *d, int n) {
  const unsigned bits = gp__peek_bits(d, n);
  d->held >>= n;
  d->count -= n;
  return bits;
}
// Fills a code's table from the lengths of n symbols' codes. Returns 0 if there are too many codes.
GP__HOST int gp__make_prefix_code(gp__prefix_code *c, const gp__u8 *lengths, int n) {
  unsigned next[GP__CODE_BITS + 2] = {0}, all = 0, code, reversed, i;
  int s, bits;
  for (s = 0; s < n; ++s) ++next[lengths[s] + 1];
  next[1] = 0; // symbols without a code
  for (c->bits = GP__CODE_BITS; c->bits > 1 && !next[c->bits + 1]; --c->bits) {}
  for (bits = 1; bits <= GP__CODE_BITS; ++bits) { // next[bits]: the first code of that length
    const unsigned count = next[bits + 1];
    next[bits] = code = bits > 1 ? all : 0;
    all = (code + count) << 1;
    if (code + count > 1u << bits) return 0;
  }
  memset(c->entry, 0, sizeof *c->entry << c->bits);
  for (s = 0; s < n; ++s) {
    if (!lengths[s]) continue;
    code = next[lengths[s]]++;
    for (reversed = 0, bits = 0; bits < lengths[s]; ++bits) reversed |= (code >> bits & 1u) << (lengths[s] - 1 - bits);
    for (i = reversed; i < 1u << c->bits; i += 1u << lengths[s]) c->entry[i] = (uint16_t)(s << 4 | lengths[s]);
  }
  return 1;
}
// The next symbol, or -1.
GP__HOST int gp__take_symbol(gp__inflating *d, const gp__prefix_code *c) {
  const unsigned entry = c->entry[gp__peek_bits(d, c->bits)];
  if (!entry) return -1;
  gp__take_bits(d, (int)(entry & 15u));
  return (int)(entry >> 4);
}
// Reads the codes at the beginning of a block. Returns 0 if they are damaged.
GP__HOST int gp__take_codes(gp__inflating *d) {
  static const gp__u8 order[GP__LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  gp__u8 lengths[GP__LITERALS + GP__DISTANCES + 2] = {0};
  const int literals = (int)gp__take_bits(d, 5) + 257, distances = (int)gp__take_bits(d, 5) + 1;
  const int codes = (int)gp__take_bits(d, 4) + 4;
  int i;
  if (literals > GP__LITERALS || distances > GP__DISTANCES) return 0;
  for (i = 0; i < codes; ++i) lengths[order[i]] = (gp__u8)gp__take_bits(d, 3);
  if (!gp__make_prefix_code(&d->literals, lengths, GP__LENGTH_CODES)) return 0;
  memset(lengths, 0, sizeof lengths);
  for (i = 0; i < literals + distances;) {
    const int symbol = gp__take_symbol(d, &d->literals);
    int again = 1, length = symbol;
    if (symbol < 0 || (symbol == 16 && !i)) return 0;
    if (symbol >= 16) {
      length = symbol == 16 ? lengths[i - 1] : 0;
      again = symbol == 16 ? 3 + (int)gp__take_bits(d, 2)
          : symbol == 17 ? 3 + (int)gp__take_bits(d, 3)
          : 11 + (int)gp__take_bits(d, 7);
    }
    if (again > literals + distances - i) return 0;
    for (; again; --again) lengths[i++] = (gp__u8)length;
  }
  return gp__make_prefix_code(&d->distances, lengths + literals, distances) &&
      gp__make_prefix_code(&d->literals, lengths, literals);
}
// The codes of blocks without codes of their own.
GP__HOST int gp__take_fixed_codes(gp__inflating *d) {
  gp__u8 lengths[288];
  int i;
  for (i = 0; i < 288; ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  if (!gp__make_prefix_code(&d->literals, lengths, 288)) return 0;
  memset(lengths, 5, 32);
  return gp__make_prefix_code(&d->distances, lengths, 32);
}
// A block that is stored as it is. Returns 0 if it is damaged, or longer than the room.
GP__HOST int gp__copy_block(gp__inflating *d) {
  unsigned length;
  gp__take_bits(d, d->count % 8); // to the next byte
  length = gp__take_bits(d, 16);
  if (gp__take_bits(d, 16) != (length ^ 0xffffu) || length > d->room - d->written) return 0;
  for (; length; --length) d->out[d->written++] = (char)gp__take_bits(d, 8);
  return 1;
}
// Writes a block of literals and matches. Returns 0 if it is damaged, or longer than the room.
GP__HOST int gp__inflate_block(gp__inflating *d) {
  for (;;) {
    const int symbol = gp__take_symbol(d, &d->literals);
    size_t length, distance;
    int code, more;
    if (symbol == 256) return 1;
    if (symbol < 0 || symbol >= GP__LITERALS || d->written == d->room) return 0;
    if (symbol < 256) {
      d->out[d->written++] = (char)symbol;
      continue;
    }
    code = symbol - 257; // lengths from 3 on, in groups of four of one more bit each
    more = code < 8 || code == 28 ? 0 : code / 4 - 1;
    length = code < 8 ? (size_t)code + 3 : code == 28 ? 258 : ((size_t)(4 + code % 4) << more) + 3;
    length += gp__take_bits(d, more);
    code = gp__take_symbol(d, &d->distances);
    if (code < 0 || code >= GP__DISTANCES) return 0;
    more = code < 4 ? 0 : code / 2 - 1; // distances from 1 on, in groups of two
    distance = code < 4 ? (size_t)code + 1 : ((size_t)(2 + code % 2) << more) + 1;
    distance += gp__take_bits(d, more);
    if (distance > d->written || length > d->room - d->written) return 0;
    for (; length; --length, ++d->written) d->out[d->written] = d->out[d->written - distance];
  }
}
// Inflates bytes to exactly `bytes` and a zero, in new memory. NULL: they are damaged, or there is no memory.
GP__HOST char *gp__inflate_bytes(const void *in, size_t from, size_t bytes) {
  gp__inflating *d = (gp__inflating *)malloc(sizeof *d);
  char *out = (char *)malloc(bytes + 1);
  int good = 0, last = 0;
  if (d && out) {
    memset(d, 0, offsetof(gp__inflating, literals));
    d->in = (const gp__u8 *)in, d->out = out, d->room = bytes;
    d->bytes = from;
    for (good = d->bytes > 0; good && !last;) {
      const unsigned kind = (last = (int)gp__take_bits(d, 1), gp__take_bits(d, 2));
      good = kind == 0 ? gp__copy_block(d)
          : kind == 1 ? gp__take_fixed_codes(d) && gp__inflate_block(d)
          : kind == 2 && gp__take_codes(d) && gp__inflate_block(d);
    }
    good = good && d->written == bytes && (d->at <= d->bytes || (d->at - d->bytes) * 8 <= (size_t)d->count);
    out[bytes] = 0;
  }
  free(d);
  if (good) return out;
  free(out);
  return NULL;
}
GP__HOST char *gp__inflate(const char *at, const char *end, size_t bytes) {
  gp__u8 *in = (gp__u8 *)malloc((size_t)(end - at) + 1);
  char *out = in ? gp__inflate_bytes(in, gp__bytes_of_digits(in, at, end), bytes) : NULL;
  free(in);
  return out;
}
