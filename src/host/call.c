// host/call.c - a call's operands, operator and output
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/arguments.h, core/request.c, host/config.c,
//   host/types.c, host/values.c, host/operators.c

// AND and OR read their operands as true or false, and so does every built-in operator on bool.
static int gp__host_normalises(gp_op op, const gp__op_info *user, gp_type type) {
  return !user && (op == GP_AND || op == GP_OR || type == GP_BOOL);
}

// The source of elements, and their conversions on the way in.
typedef struct gp__host_source {
  const gp__u8 *base;
  gp_type from, to;
  size_t from_size, to_size;
  gp_op unary; // CONVERT if elements are only converted
  const gp__op_info *user; // a user's unary operator, or NULL
  int normalise; // AND, OR, any operator on bool: nonzero becomes 1
  size_t limit; // elements that may be asked for at a time
} gp__host_source;

typedef union gp__host_buffer {
  gp__value align;
  gp__u8 bytes[GP__HOST_BYTES];
} gp__host_buffer;

typedef struct gp__host_call {
  const gp__request *q;
  gp__host_op op; // reduce, scan, transform2
  gp__host_source in; // elements as operands of `op`; transform: as results
  gp__host_source in2; // transform2
  gp_type value_type; // of the accumulator; ARGMIN, ARGMAX: of the value in it
  gp__u8 *out;
  size_t out_size;
  int out_converts; // accumulator and output differ
  int exclusive;
  int threads, asked; // asked: 0 for as many as OpenMP offers
  gp__value init; // normalised like an element
} gp__host_call;

GP__INLINE uint64_t gp__host_block_end(uint64_t first, uint64_t count) {
  return count - first < GP__HOST_BLOCK ? count : first + GP__HOST_BLOCK;
}
// Calls each() for blocks of elements first .. end - 1, in parallel.
static void gp__host_each_block(
    const gp__host_call *h, uint64_t count, void (*each)(const gp__host_call *h, uint64_t first, uint64_t end)) {
  const int64_t blocks = (int64_t)gp__ceil_div(count, GP__HOST_BLOCK);
  const int threads = h->threads;
  int64_t b;
  (void)threads;
  GP__PARALLEL_FOR
  for (b = 0; b < blocks; ++b) {
    const uint64_t first = (uint64_t)b * GP__HOST_BLOCK;
    each(h, first, gp__host_block_end(first, count));
  }
}

static size_t gp__host_limit(size_t size) { return gp__smaller(GP__HOST_BYTES / size, GP__HOST_ELEMENTS); }

static gp__host_source gp__host_source_of(const void *base, gp_type from, size_t from_size, gp_type to, size_t to_size,
    gp_op unary, const gp__op_info *user, int normalise) {
  gp__host_source s;
  s.base = (const gp__u8 *)base;
  s.from = from, s.to = to;
  s.from_size = from_size, s.to_size = to_size;
  s.unary = unary ? unary : (gp_op)GP_CONVERT;
  s.user = user;
  s.normalise = normalise;
  s.limit = from == to && !user && s.unary == GP_CONVERT && !normalise ? (size_t)1 << 30 : gp__host_limit(to_size);
  return s;
}

// Elements first .. first + n - 1, n <= limit: in the input, or else made in `room`.
static const gp__u8 *gp__host_elements(const gp__host_source *s, uint64_t first, size_t n, void *room) {
  const gp__u8 *x = s->base + first * s->from_size;
  gp__u8 *y = (gp__u8 *)room;
  size_t i;
  if (s->user) {
    for (i = 0; i < n; ++i) gp__host_apply(s->user, y + i * s->to_size, x + i * s->from_size, NULL);
    x = y;
  } else if (s->unary == GP_ABS && gp__is_complex(s->from)) {
    const gp_type part = gp__host_real(s->from);
    for (i = 0; i < n; ++i) {
      gp__wide w[2];
      gp__host_widen(part, x + i * s->from_size, w, 2);
      w[0].f = gp__host_magnitude(s->from, w[0].f, w[1].f);
      gp__host_narrow(part, GP__WIDE_F, w, w + 1, 1);
      gp__host_convert(part, s->to, w + 1, y + i * s->to_size, 1);
    }
    x = y;
  } else if (s->unary == GP_NOT) {
    gp__host_truth(s->from, s->to, 0, x, y, n);
    x = y;
  } else {
    if (s->from != s->to) {
      gp__host_convert(s->from, s->to, x, y, n);
      x = y;
    }
    if (s->unary != GP_CONVERT) {
      gp__host_unary(s->to, s->unary, x, y, n);
      x = y;
    }
  }
  if (s->normalise) {
    gp__host_truth(s->to, s->to, 1, x, y, n);
    x = y;
  }
  return x;
}
