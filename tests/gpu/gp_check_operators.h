// gp_check_operators.h - gp_check's group "operators": every built-in operator, transform, input, accumulator and
// output type, few elements each, on both back ends. Integers against a 64-bit oracle here, with the edges of their
// types; floats: the GPU against the host. Compilers have broken single combinations but no similar ones: only testing
// all of them shows that all are right. --each N takes one combination of N, and always those that were wrong once.

static const gp_op TRANSFORMS[] = {GP_OP_DEFAULT, GP_NEGATE, GP_ABS, GP_SQUARE, GP_NOT};

// ---- the oracle: integers as 64-bit words, sign- or zero-extended

static uint64_t wrapped(const check_type *t, uint64_t x) {
  const int unused = 64 - 8 * t->size;
  if (!unused) return x;
  x <<= unused;
  return t->number == GP_DATA_INT ? (uint64_t)((int64_t)x >> unused) : x >> unused;
}
static uint64_t integer_at(const check_type *t, const char *at) {
  uint64_t x = 0;
  memcpy(&x, at, (size_t)t->size);
  return wrapped(t, x);
}
static int is_less(const check_type *t, uint64_t a, uint64_t b) {
  return t->number == GP_DATA_INT ? (int64_t)a < (int64_t)b : a < b;
}
static uint64_t transformed(gp_op transform, const check_type *from, const check_type *to, const char *at) {
  const uint64_t x = integer_at(from, at), r = wrapped(to, x);
  switch (transform) {
  case GP_NEGATE: return wrapped(to, 0 - r);
  case GP_ABS: return is_less(to, r, 0) ? wrapped(to, 0 - r) : r;
  case GP_SQUARE: return wrapped(to, r * r);
  case GP_NOT: return x == 0;
  default: return r;
  }
}
static uint64_t folded(gp_op op, const check_type *t, uint64_t a, uint64_t b) {
  switch (op) {
  case GP_SUM: return wrapped(t, a + b);
  case GP_SUB: return wrapped(t, a - b);
  case GP_PROD: return wrapped(t, a * b);
  case GP_MIN: return is_less(t, b, a) ? b : a;
  case GP_MAX: return is_less(t, a, b) ? b : a;
  case GP_BIT_AND: return a & b;
  case GP_BIT_OR: return a | b;
  case GP_BIT_XOR: return a ^ b;
  case GP_AND: return a && b;
  default: // OR
    return a || b;
  }
}

// The expected output p, from the inputs of expect().
static void oracle(const workbench *w, const problem *p, char *out) {
  const check_type *acc = p->acc ? p->acc : p->out;
  uint64_t sum = 0, i, best = 0;
  for (i = 0; i < p->n; i++) {
    const char *at = w->host_in + i * (uint64_t)p->in->size;
    uint64_t x = transformed(p->primitive == GP_TRANSFORM ? p->op : p->transform, p->in, acc, at);
    if (p->op == GP_AND || p->op == GP_OR) x = x != 0;
    if (p->primitive == GP_TRANSFORM2) {
      uint64_t y = wrapped(acc, integer_at(p->in, w->host_in2 + i * (uint64_t)p->in->size));
      if (p->op == GP_AND || p->op == GP_OR) y = y != 0;
      x = folded(p->op, acc, x, y);
    } else if (p->arg) {
      if (i == 0 || (p->op == GP_ARGMIN ? is_less(acc, x, sum) : is_less(acc, sum, x))) sum = x, best = i;
      x = sum;
    } else if (p->primitive != GP_TRANSFORM) x = sum = i == 0 ? x : folded(p->op, acc, sum, x);
    if (p->primitive == GP_REDUCE && i + 1 < p->n) continue;
    at = out + (p->primitive == GP_REDUCE ? 0 : i) * out_item(p);
    memcpy((char *)(uintptr_t)at, &x, (size_t)p->out->size);
    if (p->arg) memcpy((char *)(uintptr_t)at + 8, &best, 8);
  }
}

// Both back ends against the oracle, or against each other for floats.
static void solve_operator(problem *p) {
  workbench *w = &main_bench;
  static char want[4096];
  char text[400], got[40] = "", right[40] = "";
  long long at;
  if (is_float(p->in) || is_float(p->out) || (p->acc && is_float(p->acc))) {
    solve(w, p);
    return;
  }
  p->data = EDGES;
  if (expect(w, p)) return;
  oracle(w, p, want);
  at = difference(p->out, p->arg, w->host_want, want, out_items(p), 0);
  if (at >= 0) {
    hex(got, w->host_want + (uint64_t)at * out_item(p), (int)out_item(p));
    hex(right, want + (uint64_t)at * out_item(p), (int)out_item(p));
    fail("%s: on the host, element %lld is 0x%s, not 0x%s", describe(p, text, sizeof text), at, got, right);
    return;
  }
  solve(w, p);
}

// Whether it is this combination's turn, by its hash, and this part's. `always`: in any case.
static int has_turn(uint64_t number, int always) {
  const uint64_t h = gp_data_hash(number);
  return (always || h % each == 0) && h / each % parts == part;
}

static int mixes_floats(gp_op op, gp_op transform, const check_type *in, const check_type *acc) {
  if (!is_float(in) && !is_float(acc)) return 1;
  if (op >= GP_BIT_AND && op <= GP_BIT_XOR) return !is_float(acc);
  // Sums and products of floats are exact on suitable data: of their own type, with both signs.
  return (op != GP_SUM && op != GP_PROD) || (in == acc && transform != GP_SQUARE && transform != GP_ABS);
}

static void group_operators(void) {
  uint64_t number = 0;
  int op, m, a, c, k, o;
  if (!each) each = quick || sanitizer ? 64 : 8;
  for (op = GP_SUM; op <= GP_ARGMAX; op++)
    for (m = 0; m < COUNT(TRANSFORMS); m++)
      for (a = 0; a < SCALAR_COUNT; a++)
        for (c = 0; c < SCALAR_COUNT; c++)
          for (k = 0; k < 3; k++) { // reduce, inclusive scan; reduce to another type
            const check_type *in = &TYPES[a], *acc = &TYPES[c];
            const int negates = TRANSFORMS[m] == GP_NEGATE || TRANSFORMS[m] == GP_ABS;
            problem p = problem_of(k == 1 ? GP_INCLUSIVE_SCAN : GP_REDUCE, op, in, 37, data_for(op, in));
            number++;
            if (!type_wanted[a] || !mixes_floats(op, TRANSFORMS[m], in, acc)) continue;
            if (!has_turn(number,
                    (op == GP_MIN || op == GP_MAX) && negates && acc->number == GP_DATA_INT && acc->size < 8 &&
                        !is_float(in) && k < 2))
              continue;
            if (out_of_time()) return;
            o = k == 2 ? (int)(gp_data_hash(number) >> 32) % 8 : c; // an integer type
            if (k == 2 && p.arg) continue;
            p.transform = TRANSFORMS[m];
            p.acc = p.arg ? NULL : acc;
            p.out = &TYPES[o < 0 ? -o : o];
            solve_operator(&p);
            p.n = 4; // nested operations may become one instruction
            solve_operator(&p);
          }
  for (a = 0; a < SCALAR_COUNT; a++)
    for (c = 0; c < SCALAR_COUNT; c++) {
      for (op = GP_CONVERT; op <= GP_NOT; op++) {
        problem p = problem_of(GP_TRANSFORM, op, &TYPES[a], 37, TIES);
        p.out = &TYPES[c];
        if (!type_wanted[a] || !has_turn(number++, 0)) continue;
        if (out_of_time()) return;
        solve_operator(&p);
      }
      for (op = GP_SUM; op <= GP_SUB; op++) {
        problem p = problem_of(GP_TRANSFORM2, op, &TYPES[a], 37, TIES);
        p.out = &TYPES[c];
        if ((op > GP_OR && op != GP_SUB) || (is_float(p.out) && op >= GP_BIT_AND && op <= GP_BIT_XOR)) continue;
        if (!type_wanted[a] || !has_turn(number++, 0)) continue;
        if (out_of_time()) return;
        solve_operator(&p);
      }
    }
}
