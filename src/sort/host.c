// sort/host.c - radix sort
// uses: api/config.h, api/lists.h, api/structs.h, core/words.h, core/rules.h, core/arguments.h, core/messages.c,
//   core/request.c, host/values.c, host/call.c

// The ordered form of a built-in type, as in >>warp.
static uint64_t gp__host_ordered(gp_type type, const unsigned char *bytes) {
  const unsigned bits = 8 * (unsigned)gp__host_size(type);
  const uint64_t sign = (uint64_t)1 << (bits - 1), all = sign - 1 + sign;
  uint64_t x = 0;
  memcpy(&x, bytes, bits / 8); // little-endian
  return type == GP_BOOL                  ? x != 0
      : gp__host_kind(type) == GP__WIDE_U ? x
      : gp__host_kind(type) == GP__WIDE_I ? x ^ sign
      : x & sign                          ? ~x & all
                                          : x | sign;
}
// The parts that order keys of a built-in type, the most significant first. Returns their number; 0: the key is one.
GP__HOST int gp__key_parts_of(gp_type type, const gp_key_field **parts) {
  static const gp_key_field truth[] = {{0, GP_BOOL, 0}}, i128[] = {{8, GP_I64, 0}, {0, GP_U64, 0}},
                            u128[] = {{8, GP_U64, 0}, {0, GP_U64, 0}}, c32[] = {{0, GP_F32, 0}, {4, GP_F32, 0}},
                            c64[] = {{0, GP_F64, 0}, {8, GP_F64, 0}};
  if (type != GP_BOOL && !gp__host_is_long(type) && !gp__is_complex(type)) return 0;
  *parts = type == GP_BOOL ? truth : type == GP_I128 ? i128 : type == GP_U128 ? u128 : type == GP_C32 ? c32 : c64;
  return type == GP_BOOL ? 1 : 2;
}
// A complex key as NumPy orders it (see gp__complex_part): its high part, or the low one.
static uint64_t gp__host_complex_part(gp_type part, const double *x, const unsigned char *key, int high) {
  static const unsigned char zero[8] = {0};
  const size_t size = gp__host_size(part);
  const unsigned nans = (x[0] != x[0] ? 2u : 0u) | (x[1] != x[1] ? 1u : 0u), of = high || nans == 1 ? 0 : 1;
  if (high && nans) return (size == 4 ? 0xff800000u : 0xfff0000000000000u) + nans;
  if (nans == 3) return 0;
  return gp__host_ordered(part, x[of] == 0 ? zero : key + of * size);
}
static uint64_t gp__host_complex_word(gp_type type, const unsigned char *key, int word) {
  const gp_type part = gp__host_real(type);
  gp__wide w[2];
  double x[2];
  gp__host_widen(part, key, w, 2);
  x[0] = w[0].f, x[1] = w[1].f;
  if (type == GP_C64) return gp__host_complex_part(part, x, key, word);
  return gp__host_complex_part(part, x, key, 1) << 32 | gp__host_complex_part(part, x, key, 0);
}
// 64 bits of the ordered key, the least significant word first.
static uint64_t gp__host_key_word(const gp__request *q, const unsigned char *key, int word) {
  gp__value made;
  uint64_t x = 0;
  int i, at = 0;
  if (!q->user_transform && gp__is_complex(q->key_type)) return gp__host_complex_word(q->key_type, key, word);
  if (q->user_transform) {
    gp__host_apply(q->user_transform, made.bytes, key, NULL);
    return gp__host_ordered(q->acc_type, made.bytes);
  }
  if (!q->field_count) return gp__host_ordered(q->key_type, key);
  for (i = q->field_count - 1; i >= 0; --i) { // at: position of the field's lowest bit
    const int bits = 8 * (int)gp__host_size(q->fields[i].type), low = at - 64 * word;
    uint64_t own = gp__host_ordered(q->fields[i].type, key + q->fields[i].offset);
    if (q->fields[i].descending) own = ~own & (~(uint64_t)0 >> (64 - bits));
    if (low > -bits && low < 64) x |= low < 0 ? own >> -low : own << low;
    at += bits;
  }
  return x;
}

// A sorted element: bits of the ordered key, and the input index.
typedef struct gp__host_indexed {
  uint64_t bits, index;
} gp__host_indexed;
// Sorts few elements by insertion, then merges. Both sorts are stable and return the array that has the result.
static gp__host_indexed *gp__host_sort_few(gp__host_indexed *from, gp__host_indexed *to, uint64_t n) {
  const uint64_t run = 16;
  uint64_t first, width, i, j, k;
  for (first = 0; first < n; first += run) {
    const uint64_t end = n - first < run ? n : first + run;
    for (i = first + 1; i < end; ++i) {
      const gp__host_indexed x = from[i];
      for (j = i; j > first && from[j - 1].bits > x.bits; --j) from[j] = from[j - 1];
      from[j] = x;
    }
  }
  for (width = run; width < n; width *= 2) {
    gp__host_indexed *swap = from;
    for (first = 0; first < n; first += 2 * width) {
      const uint64_t middle = n - first < width ? n : first + width, end = n - middle < width ? n : middle + width;
      for (i = first, j = middle, k = first; k < end; ++k)
        to[k] = j == end || (i < middle && from[i].bits <= from[j].bits) ? from[i++] : from[j++];
    }
    from = to;
    to = swap;
  }
  return from;
}
// Sorts by the lowest `bits` bits; the others must be zero. Least significant digit first, 8 bits a pass; skips passes
// in which all have the same digit.
static gp__host_indexed *gp__host_sort_indexed(gp__host_indexed *from, gp__host_indexed *to, uint64_t n, int bits) {
  int shift;
  if (n <= 1024) return gp__host_sort_few(from, to, n);
  for (shift = 0; shift < bits; shift += 8) {
    gp__host_indexed *swap = from;
    uint64_t at[256], sum = 0, i;
    int d, same = 0;
    memset(at, 0, sizeof at);
    for (i = 0; i < n; ++i) ++at[from[i].bits >> shift & 255];
    for (d = 0; d < 256; ++d) {
      const uint64_t own = at[d];
      same = same || own == n;
      at[d] = sum;
      sum += own;
    }
    if (same) continue;
    for (i = 0; i < n; ++i) to[at[from[i].bits >> shift & 255]++] = from[i];
    from = to;
    to = swap;
  }
  return from;
}
// `wanted` bits of a word from `low` on; 0: none.
static uint64_t gp__host_bits_from(uint64_t x, int low, int wanted) {
  return wanted ? x >> low & (~(uint64_t)0 >> (64 - wanted)) : 0;
}

// Sorts by one word of the ordered key after the other, the least significant first. Memory: 32 bytes an element, and a
// copy of elements over 16 bytes that are sorted in place. One thread sorts, all of them move.
static gp_result gp__host_sort(gp__host_call *h) {
  const gp__request *q = h->q;
  const int threads = h->asked;
  const uint64_t n = q->count;
  const unsigned char *keys = (const unsigned char *)q->keys, *in = (const unsigned char *)q->in;
  unsigned char *out_keys = (unsigned char *)q->out_keys, *out = (unsigned char *)q->out, *moved = NULL;
  gp__host_indexed *a, *b, *memory;
  uint64_t i;
  int word, turn;
  (void)threads;
  if (n > SIZE_MAX / sizeof *a / 2) return gp__fail(GP_E_MEMORY, "gp_sort: no memory for %llu elements", (gp__u64)n);
  a = memory = (gp__host_indexed *)malloc((size_t)n * 2 * sizeof *a);
  if (!a) return gp__fail(GP_E_MEMORY, "gp_sort: no memory for %llu elements", (gp__u64)n);
  b = a + n;
  for (i = 0; i < n; ++i) a[i].index = i;
  for (word = q->begin_bit / 64; q->begin_bit < q->end_bit && word * 64 < q->end_bit; ++word) {
    const int low = q->begin_bit > word * 64 ? q->begin_bit - word * 64 : 0;
    const int high = q->end_bit < word * 64 + 64 ? q->end_bit - word * 64 : 64;
    for (i = 0; i < n; ++i) {
      const uint64_t x = gp__host_key_word(q, keys + a[i].index * q->key_size, word);
      a[i].bits = gp__host_bits_from(q->flags & GP_DESCENDING ? ~x : x, low, high - low);
    }
    a = gp__host_sort_indexed(a, b, n, high - low);
    b = a == memory ? memory + n : memory;
  }
  // Moves keys, then values. In place they go through memory that is no longer needed, or through new memory.
  for (turn = 0; turn < 2; ++turn) {
    const size_t size = turn ? q->in_size : q->key_size;
    const unsigned char *from = turn ? in : keys;
    unsigned char *to = turn ? out : out_keys;
    if (!to || !size) continue;
    if (turn && !in) {
      for (i = 0; i < n; ++i) memcpy(to + i * size, &a[i].index, size); // little-endian
      continue;
    }
    if (from == to) {
      moved = size <= sizeof *b ? (unsigned char *)b : (unsigned char *)malloc((size_t)n * size);
      if (!moved) {
        free(memory);
        return gp__fail(GP_E_MEMORY, "gp_sort: no memory for %llu elements", (gp__u64)n);
      }
      memcpy(moved, from, (size_t)n * size);
      from = moved;
    }
#ifdef _OPENMP
#pragma omp parallel for if (n > 100000) num_threads(threads > 0 ? threads : omp_get_max_threads())
#endif
    for (i = 0; i < n; ++i) memcpy(to + i * size, from + a[i].index * size, size);
    if (from == moved && moved != (unsigned char *)b) free(moved);
  }
  free(memory);
  return GP_SUCCESS;
}
