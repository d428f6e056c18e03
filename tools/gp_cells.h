// gp_cells.h - cells and policies as text, and the data types they name: shared by gp_bench and gp_tune.
//
// A cell is data:   primitive [operator] type n=COUNT|bytes=SIZE [acc=TYPE] [out=TYPE] [dist=NAME]
//                   [in_offset=BYTES] [out_offset=BYTES] [protocol=cold|back_to_back|graph]
// Sizes take K, M, G (powers of 1024). Types are the library's, s12 (three u32) and s16 (two f64), structs whose sum is
// an operator given as source. Protocols: cold rotates among buffers so that the L2 cache is of no help; back_to_back
// stays on one set of buffers; graph replays captured calls, several buffer sets in turn.
// A policy:         algorithm=PIPELINED,threads=320,...; fields left out are 0, which is the default.
//
// Include gpuprims.h before.
#ifndef GP_CELLS_H
#define GP_CELLS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/data.h"

typedef struct type_row {
  const char *name;
  int size, number, fields;
} type_row;

static const type_row TYPE_ROWS[] = {
#define ROW(name, size, number, fields) {#name, size, number, fields},
    GP_DATA_TYPES(ROW)
#undef ROW
};
enum { TYPE_ROW_COUNT = sizeof TYPE_ROWS / sizeof *TYPE_ROWS };

static const char *const KIND_NAMES[] = {
#define NAME(UPPER, lower) #lower,
    GP_DATA_KINDS(NAME)
#undef NAME
};
enum { COLD, BACK_TO_BACK, GRAPH, PROTOCOL_COUNT };
static const char *const PROTOCOL_NAMES[] = {"cold", "back_to_back", "graph"};
static const char *const PRIMITIVE_NAMES[] = {"",
#define NAME(UPPER, lower) #lower,
                                              GP_PRIMITIVES(NAME)
#undef NAME
};
static const char *const OPERATOR_NAMES[] = {"",
#define NAME(UPPER, arity, commutative, functor) #UPPER,
                                             GP_OPERATORS(NAME)
#undef NAME
};
static const char *const ALGORITHM_NAMES[] = {"AUTO",      "DIRECT",    "EVEN_SHARE",  "STEALING",
                                              "ONE_BLOCK", "LOOK_BACK", "THREE_SWEEP", "PIPELINED"};
static const char *const CACHE_NAMES[] = {"DEFAULT", "STREAMING", "L2", "ALL"};

static inline __attribute__((unused)) int find_name(const char *name, const char *const *names, int count) {
  int i;
  for (i = 0; i < count; i++)
    if (!strcmp(name, names[i])) return i;
  return -1;
}
#define FIND_NAME(name, names) find_name(name, names, (int)(sizeof names / sizeof *names))

static inline __attribute__((unused)) const type_row *find_type(const char *name) {
  int i;
  for (i = 0; i < TYPE_ROW_COUNT; i++)
    if (!strcmp(TYPE_ROWS[i].name, name)) return &TYPE_ROWS[i];
  return NULL;
}

typedef struct cell {
  char text[256];
  gp_primitive primitive;
  gp_op op; // built in; for structs replaced by the user's
  const type_row *in, *acc, *out;
  uint64_t n;
  int kind, protocol, in_offset, out_offset;
} cell;

// ---- cells ----------------------------------------------------------------------------------------------------------

static inline __attribute__((unused)) int parse_size(const char *text, uint64_t *value) {
  char *end;
  const double number = strtod(text, &end);
  double scale = 1;
  if (end == text || number < 0) return 0;
  if (*end == 'K') scale = 1024, end++;
  else if (*end == 'M') scale = 1 << 20, end++;
  else if (*end == 'G') scale = 1 << 30, end++;
  *value = (uint64_t)(number * scale);
  return *end == 0;
}

// NULL, or what is wrong.
static inline __attribute__((unused)) const char *parse_cell(const char *text, cell *c) {
  static char reason[200];
  char copy[256], *save = NULL, *word;
  int position = 0;
  uint64_t bytes = 0;
#define BAD(...) return snprintf(reason, sizeof reason, __VA_ARGS__), reason
  memset(c, 0, sizeof *c);
  if (strlen(text) >= sizeof copy) BAD("longer than %d characters", (int)sizeof copy);
  strcpy(copy, text);
  strcpy(c->text, text);
  for (word = strtok_r(copy, " \t\r\n", &save); word; word = strtok_r(NULL, " \t\r\n", &save)) {
    char *equals = strchr(word, '=');
    if (equals) {
      const char *value = equals + 1;
      *equals = 0;
      if (!strcmp(word, "n")) {
        if (!parse_size(value, &c->n)) BAD("n=%s is no count", value);
      } else if (!strcmp(word, "bytes")) {
        if (!parse_size(value, &bytes)) BAD("bytes=%s is no size", value);
      } else if (!strcmp(word, "acc") || !strcmp(word, "out")) {
        const type_row *t = find_type(value);
        if (!t) BAD("no type %s", value);
        *(word[0] == 'a' ? &c->acc : &c->out) = t;
      } else if (!strcmp(word, "dist")) {
        if ((c->kind = FIND_NAME(value, KIND_NAMES)) < 0) BAD("no distribution %s", value);
      } else if (!strcmp(word, "in_offset")) c->in_offset = atoi(value);
      else if (!strcmp(word, "out_offset")) c->out_offset = atoi(value);
      else if (!strcmp(word, "protocol")) {
        if ((c->protocol = FIND_NAME(value, PROTOCOL_NAMES)) < 0) BAD("no protocol %s", value);
      } else BAD("no field %s", word);
    } else if (position == 0) {
      const int p = FIND_NAME(word, PRIMITIVE_NAMES);
      if (p <= 0) BAD("no primitive %s", word);
      c->primitive = (gp_primitive)p;
      position = 1;
    } else if (position == 1 && FIND_NAME(word, OPERATOR_NAMES) > 0) {
      c->op = FIND_NAME(word, OPERATOR_NAMES);
      position = 2;
    } else if (position <= 2) {
      if (!(c->in = find_type(word))) BAD("no operator or type %s", word);
      position = 3;
    } else BAD("%s is one word too many", word);
  }
  if (position < 3) BAD("a cell is: primitive [operator] type n=COUNT ...");
  if (!c->out) c->out = c->in;
  if (!c->acc) c->acc = c->out->number == GP_DATA_F16 || c->out->number == GP_DATA_BF16 ? find_type("f32") : c->out;
  if (bytes) c->n = bytes / (uint64_t)c->in->size;
  if (!c->n) BAD("the count is missing, or 0");
  if (c->in_offset < 0 || c->in_offset > 255 || c->out_offset < 0 || c->out_offset > 255) BAD("offsets are 0 to 255");
  if (c->op == 0 && (c->primitive >= GP_TRANSFORM && c->primitive != GP_IOTA))
    c->op = c->primitive == GP_TRANSFORM ? GP_NEGATE : GP_SUM;
  if (c->in->fields > 1 && c->primitive != GP_COPY && c->primitive != GP_FILL &&
      (c->op != GP_SUM || c->primitive == GP_TRANSFORM || c->primitive == GP_TRANSFORM2))
    BAD("structs have SUM only");
  return NULL;
#undef BAD
}

static inline __attribute__((unused)) int reads_input(const cell *c) {
  return c->primitive != GP_FILL && c->primitive != GP_IOTA;
}
static inline __attribute__((unused)) int is_reduce(const cell *c) { return c->primitive == GP_REDUCE; }
static inline __attribute__((unused)) uint64_t in_bytes(const cell *c, uint64_t n) {
  return reads_input(c) ? n * (uint64_t)c->in->size : 0;
}
static inline __attribute__((unused)) uint64_t out_bytes(const cell *c, uint64_t n) {
  return (is_reduce(c) ? 1 : n) * (uint64_t)c->out->size;
}
static inline __attribute__((unused)) double moved_bytes(const cell *c, uint64_t n) {
  const double in = (double)in_bytes(c, n) * (c->primitive == GP_TRANSFORM2 ? 2 : 1);
  return is_reduce(c) ? in : in + (double)out_bytes(c, n);
}

// The cell's text in the one form in which stores keep it.
static inline __attribute__((unused)) void cell_text(const cell *c, char *text, size_t room) {
  const type_row *usual = c->out->number == GP_DATA_F16 || c->out->number == GP_DATA_BF16 ? find_type("f32") : c->out;
  int at = snprintf(text, room, "%s%s%s %s", PRIMITIVE_NAMES[c->primitive], c->op ? " " : "", OPERATOR_NAMES[c->op],
                    c->in->name);
#define ADD(...) at += at < (int)room ? snprintf(text + at, room - (size_t)at, __VA_ARGS__) : 0
  if (c->acc != usual) ADD(" acc=%s", c->acc->name);
  if (c->out != c->in) ADD(" out=%s", c->out->name);
  ADD(" n=%llu", (unsigned long long)c->n);
  if (c->kind) ADD(" dist=%s", KIND_NAMES[c->kind]);
  if (c->in_offset) ADD(" in_offset=%d", c->in_offset);
  if (c->out_offset) ADD(" out_offset=%d", c->out_offset);
  ADD(" protocol=%s", PROTOCOL_NAMES[c->protocol]);
#undef ADD
}

// ---- calls ----------------------------------------------------------------------------------------------------------

// What the types are in a context, and the operators of the structs.
typedef struct cell_types {
  gp_type handles[TYPE_ROW_COUNT];
  gp_op struct_sums[TYPE_ROW_COUNT];
} cell_types;

static inline void cell_sum_s12(void *user, void *result, const void *a, const void *b) {
  uint32_t x[3], y[3];
  int i;
  (void)user;
  memcpy(x, a, sizeof x);
  memcpy(y, b, sizeof y);
  for (i = 0; i < 3; i++) x[i] += y[i];
  memcpy(result, x, sizeof x);
}
static inline void cell_sum_s16(void *user, void *result, const void *a, const void *b) {
  double x[2], y[2];
  (void)user;
  memcpy(x, a, sizeof x);
  memcpy(y, b, sizeof y);
  x[0] += y[0];
  x[1] += y[1];
  memcpy(result, x, sizeof x);
}

// NULL, or what failed.
static inline __attribute__((unused)) const char *cell_types_define(cell_types *types, gp_context *ctx) {
  static const char *const sources[2] = {"struct s12 { unsigned int x, y, z; };",
                                         "struct alignas(16) s16 { double x, y; };"};
  static const char *const bodies[2] = {"a.x += b.x; a.y += b.y; a.z += b.z; return a;",
                                        "a.x += b.x; a.y += b.y; return a;"};
  static const char *const identities[2] = {"s12{0u, 0u, 0u}", "s16{0.0, 0.0}"};
  static const unsigned char zero[16] = {0};
  int i;
  memset(types, 0, sizeof *types);
  for (i = 0; i < TYPE_ROW_COUNT; i++) {
    const type_row *t = &TYPE_ROWS[i];
    int type;
    if (t->fields == 1) {
      for (type = 1; type < GP_TYPE_COUNT; type++)
        if (!strcmp(gp_type_name(NULL, type), t->name)) types->handles[i] = type;
      if (!types->handles[i]) return "the library lacks a type of tools/peers/data.h";
    } else {
      const int which = t->number == GP_DATA_F64;
      gp_type_desc desc = gp_type_desc_init();
      gp_op_desc op = gp_op_desc_init();
      desc.name = t->name;
      desc.source = sources[which];
      desc.size = (size_t)t->size;
      desc.align = which ? 16 : 4;
      if (gp_type_struct(ctx, &desc, &types->handles[i])) return gp_last_message();
      op.name = which ? "s16_sum" : "s12_sum";
      op.body = bodies[which];
      op.identity = identities[which];
      op.arity = 2;
      op.commutative = 1;
      op.host = which ? cell_sum_s16 : cell_sum_s12;
      op.host_identity = zero;
      op.host_identity_size = (size_t)t->size;
      if (gp_op_define(ctx, &op, &types->struct_sums[i])) return gp_last_message();
    }
  }
  return NULL;
}

// The call that a cell means, without its buffers. policy: NULL is the header's own choice.
static inline __attribute__((unused)) gp_call cell_call(const cell_types *types, const cell *c,
                                                        const gp_policy *policy) {
  static const unsigned char VALUE[16] = {0x35, 0x3a, 0x11, 0x3c, 0x52, 0x0f, 0x77, 0x3f, 0x35, 0x3a, 0x11, 0x3c, 1, 2};
  gp_call call = gp_call_init(c->primitive);
  const int computes = c->primitive != GP_COPY && c->primitive != GP_FILL && c->primitive != GP_IOTA;
  call.op = computes ? (c->in->fields > 1 ? types->struct_sums[c->in - TYPE_ROWS] : c->op) : 0;
  call.in_type = types->handles[c->in - TYPE_ROWS];
  call.out_type = types->handles[c->out - TYPE_ROWS];
  if (c->primitive >= GP_REDUCE) call.acc_type = types->handles[c->acc - TYPE_ROWS];
  if (c->primitive == GP_FILL) call.init = VALUE;
  call.count = c->n;
  call.policy = policy;
  return call;
}

// ---- policies -------------------------------------------------------------------------------------------------------

// "algorithm=PIPELINED,threads=512,..." NULL: right; otherwise what is wrong.
static inline __attribute__((unused)) const char *parse_policy(const char *text, gp_policy *p) {
  static char reason[160];
  char copy[256], *save = NULL, *word;
  memset(p, 0, sizeof *p);
  if (strlen(text) >= sizeof copy) return "too long";
  strcpy(copy, text);
  for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
    char *equals = strchr(word, '=');
    char *value = equals ? equals + 1 : NULL;
    int number;
    if (!value) return snprintf(reason, sizeof reason, "%s has no value", word), reason;
    *equals = 0;
    number = atoi(value);
    if (!strcmp(word, "algorithm")) {
      number = FIND_NAME(value, ALGORITHM_NAMES);
      if (number < 0) return snprintf(reason, sizeof reason, "no algorithm %s", value), reason;
      p->algorithm = number;
    } else if (!strcmp(word, "load") || !strcmp(word, "store")) {
      if (FIND_NAME(value, CACHE_NAMES) >= 0) number = FIND_NAME(value, CACHE_NAMES);
      *(word[0] == 'l' ? &p->load : &p->store) = number;
    } else if (!strcmp(word, "threads")) p->threads = number;
    else if (!strcmp(word, "vectors")) p->vectors = number;
    else if (!strcmp(word, "stages")) p->stages = number;
    else if (!strcmp(word, "blocks_per_sm")) p->blocks_per_sm = number;
    else if (!strcmp(word, "overlap")) p->overlap = number;
    else return snprintf(reason, sizeof reason, "no field %s", word), reason;
  }
  return NULL;
}

// The policy's text, every field named.
static inline __attribute__((unused)) void policy_text(const gp_policy *p, char *text, size_t room) {
  snprintf(text, room, "algorithm=%s,threads=%d,vectors=%d,load=%s,store=%s,stages=%d,blocks_per_sm=%d,overlap=%d",
           p->algorithm >= 0 && p->algorithm < GP_ALGORITHM_COUNT ? ALGORITHM_NAMES[p->algorithm] : "?", p->threads,
           p->vectors, p->load >= 0 && p->load < GP_CACHE_COUNT ? CACHE_NAMES[p->load] : "?",
           p->store >= 0 && p->store < GP_CACHE_COUNT ? CACHE_NAMES[p->store] : "?", p->stages, p->blocks_per_sm,
           p->overlap);
}

#endif
