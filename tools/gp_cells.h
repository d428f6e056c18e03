// gp_cells.h - cells and policies as text, and the data types they name: shared by gp_bench and gp_tune.
//
// A cell is data:   primitive [operator] type n=COUNT|bytes=SIZE [acc=TYPE] [out=TYPE] [dist=NAME]
//                   [in_offset=BYTES] [out_offset=BYTES]
//                   [protocol=cold|back_to_back|graph|cold_graph|first_call]
//                   [words of the primitive]
// Further words of the primitives, with their defaults. `type` is the elements' type: for run_lengths, nontrivial_runs
// and unique the keys', for load_balance and check_offsets the offsets':
//   segmented_*                     segments=fixed:256 offsets=u32 form=offsets (reduce also fixed, ends)
//   *_by_key                        key=u32 runs=32 form=keys|heads (heads: flags, of type key)
//   reductions and scans by segment and by key, group_by reproducible=0 (1: GP_REPRODUCIBLE)
//   run_lengths, nontrivial_runs    runs=32 lengths=u32
//   unique                          runs=32 payload=TYPE (by key)
//   scatter, gather                 form=flags key=u8 (of the flags; half of them are set)
//   select, partition               keep=50 form=if|flags key=u8 (of the flags); partition: parts=2
//   count_if, any, all, find_if, is_partitioned, replace   keep=50 (replaced: those that a selection would keep)
//   histogram_even, _ranges         bins=256 out=u32 (the counters)
//   lower_bound, upper_bound        haystack=1M out=u32
//   load_balance, check_offsets     segments=fixed:256; load_balance: out=u32
//   expand, run_length_expand       segments=fixed:256 offsets=u32 (or of the lengths); n: elements of the output
//   copy_batch                      segments=fixed:256 (elements of a buffer) offsets=u32 (of the sizes)
//   sort                            payload=TYPE form=keys|indices order=ascending|descending bits=FROM:TO little=0 (1:
//                                   GP_LITTLE_MEMORY)
//   merge_sort                      payload=TYPE form=keys|indices little=0
//   sort, merge_sort, segmented_sort, top_k
//                                   described=0 (1: the keys are a gp_input, each made of one of an array)
//   merge, set_*                    payload=TYPE second=50 (percent of n that are the second input's)
//   segmented_sort                  segments=fixed:256 offsets=u32 payload=TYPE form=keys|indices order=ascending
//   top_k                           k=64 rows=1 payload=TYPE form=keys|indices order=descending sorted=1 ordered=0 (1:
//                                   by GP_LESS, as users' orders; top-k of segments and axes too)
//   segmented_top_k                 segments=fixed:256 offsets=u32 k=64 payload=TYPE form=keys|indices|fixed (segments
//                                   of one length, without offsets) order=descending
//   nth_element                     k=n/2 (which) order=ascending
//   group_by                        key=u32 groups=4096
//   transpose                       shape=ROWSxCOLUMNS or ROWSxCOLUMNSxMATRICES (for n=; else about as many of both)
//                                   in_place=0
//   reduce_axis, row_map, scan_axis, sort_axis, top_k_axis
//                                   shape=ROWSxCOLUMNS or ROWSxCOLUMNSxMATRICES, as above; axis=2 (the columns of
//                                   a row; 1: the rows; 0: the matrices); row_map subtracts a row's reduction;
//                                   sort_axis, top_k_axis: form=keys|indices order=descending; top_k_axis: k=8
//   bfs, bfs_sources, connected_components, graph_from_edges
//                                   graph=kronecker:scale=20 (or uniform, grid, as gp_graphs.h has them) offsets=u32
//                                   at_once=64 (bfs_sources); n is what gp_graph has room for, each edge that is made
//                                   both ways, `type` that of vertices, the protocol back_to_back or first_call
//   convert_layout                  from=aos to=soa (or the structs of a block) struct=4.8.2 (bytes of the fields; four
//                                   of `type`): n structs; with aos fields have C's offsets, others are packed
// For sorts, merges, sets and top-k, `type` is the keys' type. A payload moves with its key; form=indices writes the
// key's input position instead (payload: the index type, u32). Merges and sets take sorted keys: dist=uniform rises at
// random, with equal keys; dist=constant and sorted also exist. segments=fixed:LENGTH | uniform:MEAN (0 to twice the
// mean) | pareto:MEAN (exponent 1.5) | mixed (a quarter of them empty, the others below 32, and one of half of all
// elements). runs=MEAN: geometric lengths; 1: all neighbours differ. keep=PERCENT selected; of three parts the others
// share the rest evenly.
// Sizes take K, M, G (powers of 1024). Types are the library's, s12 (three u32) and s16 (two f64), structs whose sum is
// an operator given as source. Protocols: cold rotates among buffers so that the L2 cache does not help; back_to_back
// stays on one set of buffers; graph replays captured calls on several sets in turn; cold_graph does so on buffers that
// the L2 cache does not hold, for calls that cost the GPU less time than the host. first_call (gp_tune only) runs from
// nothing compiled, in memory or on disk, to the call's result; libraries are loaded before. A policy:
// algorithm=PIPELINED,threads=320,...; fields left out are 0, which is the default.
//
// Include gpuprims.h before.
#ifndef GP_CELLS_H
#define GP_CELLS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gp_graphs.h"
#include "gp_headers.h"
#include "gp_primitives.h"
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
#define NAME(NAME, name) NAME,
enum { GP_CELL_PROTOCOLS(NAME) PROTOCOL_COUNT };
#undef NAME
enum { GRAPH_CALLS = 32, COLD_GRAPH_CALLS = 128 }; // calls of a graph; most calls of a cold_graph
static const char *const PROTOCOL_NAMES[] = {
#define NAME(NAME, name) #name,
    GP_CELL_PROTOCOLS(NAME)
#undef NAME
};
static const char *const PRIMITIVE_NAMES[] = {"",
#define NAME(UPPER, ...) PRIMITIVE_TEXT(__VA_ARGS__),
    GP_PRIMITIVES(NAME)
#undef NAME
};
static const char *const OPERATOR_NAMES[] = {"",
#define NAME(UPPER, ...) #UPPER,
    GP_OPERATORS(NAME)
#undef NAME
};
#ifndef GP_ALGORITHMS // an older header, in a base of ci/baselines
// clang-format off
#define GP_ALGORITHMS(X) \
  X(DIRECT) X(EVEN_SHARE) X(STEALING) X(ONE_BLOCK) X(LOOK_BACK) X(THREE_SWEEP) X(PIPELINED) X(MERGE_PATH) \
  X(SHARED_BINS) X(GLOBAL_BINS) X(WARP_SEGMENTS) X(ONE_SWEEP) X(HYBRID) X(COUNTING) X(MERGE_PASSES) \
  X(SIZE_CLASSES) X(RADIX_SELECT) X(BEST_LISTS) X(ADAPTIVE) X(PADDED_TILES) X(SWIZZLED_TILES) X(EXPAND_CONTRACT) \
  X(FUSED_LAUNCHES) X(CONTRACT_EXPAND) X(TWO_PHASE) X(BUFFERED_PANELS) X(PAIRED_SWEEP) X(TENSOR_TILES) \
  X(TENSOR_PANELS) X(ROUND_TRIP) X(FOUR_WAY_PASSES) X(LEADING_SWEEP) X(ONE_CLUSTER) X(ONE_LAUNCH)
// clang-format on
#define GP_CACHES(X) X(GP_CACHE_DEFAULT) X(GP_CACHE_STREAMING) X(GP_CACHE_L2) X(GP_CACHE_ALL)
#endif
static const char *const ALGORITHM_NAMES[] = {"AUTO",
#define NAME(NAME, ...) #NAME,
    GP_ALGORITHMS(NAME)
#undef NAME
};
static const char *const CACHE_NAMES[] = {
#define NAME(name, ...) &#name[sizeof "GP_CACHE_" - 1],
    GP_CACHES(NAME)
#undef NAME
};
static const char *const SEGMENT_NAMES[] = {"fixed", "uniform", "pareto", "mixed"};
enum { SEGMENTS_FIXED, SEGMENTS_UNIFORM, SEGMENTS_PARETO, SEGMENTS_MIXED };
static const char *const FORM_NAMES[] = {"", "offsets", "fixed", "ends", "keys", "heads", "if", "flags", "indices"};
enum { FORM_NONE, FORM_OFFSETS, FORM_FIXED, FORM_ENDS, FORM_KEYS, FORM_HEADS, FORM_IF, FORM_FLAGS, FORM_INDICES };
static const char *const ORDER_NAMES[] = {"ascending", "descending"};

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
  gp_op op; // built in; structs: replaced by the user's
  const type_row *in, *acc, *out;
  uint64_t n;
  int kind, protocol, in_offset, out_offset;
  // Words of single primitives; 0 and NULL where a primitive lacks them.
  const type_row *key, *payload, *offsets, *lengths;
  int segments_kind, form, keep, parts;
  uint64_t segments_mean, runs, bins, haystack;
  uint64_t k, rows, groups; // rows, groups: 0 for other primitives
  int descending, begin_bit, end_bit, second, sorted;
  uint64_t segments; // count out of n elements
  uint64_t shape[3]; // transpose: rows, columns, matrices; 0: from n
  int in_place; // transpose in gp_bench: the output is the input
  int axis; // of matrices, rows, columns
  int little, reproducible; // GP_LITTLE_MEMORY, GP_REPRODUCIBLE
  int ordered, described; // top-k: by GP_LESS; keys by GP_INPUT
  gp_permutation permutations[2]; // of calls on n elements, and of the last call on another count
#ifdef GP_POLICY_FIELDS_ROWS // older headers have no such calls
  gp_axes axes[2];
  gp_input input[2]; // an array, and what is made of it
#endif
  unsigned char scalar[16], scalar2[16]; // scalar of comparisons; ends of a histogram
  int field_bytes[32], field_count; // of a struct; 0: not given
  uint64_t widths[2]; // of both layouts
  gp_field fields[2][32];
  gp_layout layouts[2];
  char graph_text[64]; // of a description
  graph_made made;
  gp_graph graph; // its sizes and types
  int at_once; // sources of a call
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

static const primitive_row row_of_none = {"", "", "", "", "", "", "", ""};
#define ROW(name, ...) static const primitive_row row_of_##name __attribute__((unused)) = {#name, __VA_ARGS__};
GP_TOOL_PRIMITIVES(ROW)
#undef ROW
static inline __attribute__((unused)) const primitive_row *row_of(gp_primitive p) {
#define ROW(NAME, ...) PRIMITIVE_ROW(__VA_ARGS__),
  static const primitive_row *const ROWS[] = {&row_of_none, GP_PRIMITIVES(ROW)};
#undef ROW
  return ROWS[p];
}
static inline __attribute__((unused)) int is_a(gp_primitive p, const char *what) {
  return strstr(row_of(p)->has, what) != NULL;
}
static inline __attribute__((unused)) int has_word(gp_primitive p, char word) {
  return strchr(row_of(p)->words, word) != 0;
}

// Reduce, the scans and what is built on them: they have an operator and an accumulator.
static inline __attribute__((unused)) int folds(gp_primitive p) { return is_a(p, "folds"); }
// Segmented primitives: cell_type and cell_count declare their buffers and bytes.
static inline __attribute__((unused)) int is_scan_by_key(gp_primitive p) {
  return p == GP_INCLUSIVE_SCAN_BY_KEY || p == GP_EXCLUSIVE_SCAN_BY_KEY;
}
static inline __attribute__((unused)) int is_segmented_scan(gp_primitive p) {
  return p == GP_SEGMENTED_INCLUSIVE_SCAN || p == GP_SEGMENTED_EXCLUSIVE_SCAN;
}
static inline __attribute__((unused)) int is_by_lengths(gp_primitive p) { return is_a(p, "by_lengths"); }
static inline __attribute__((unused)) int is_batch(gp_primitive p) { return is_a(p, "device_sized"); }
static inline __attribute__((unused)) int is_select(gp_primitive p) { return p == GP_SELECT || p == GP_PARTITION; }
static inline __attribute__((unused)) int is_set(gp_primitive p) {
  return p >= GP_SET_UNION && p <= GP_SET_SYMMETRIC_DIFFERENCE;
}
// Sorts and the like: they move or read keys of the cell's type, with or without values.
static inline __attribute__((unused)) int moves_keys(gp_primitive p) { return is_a(p, "keys"); }
static inline __attribute__((unused)) int is_ranked(gp_primitive p) { return is_a(p, "ranked"); }
static inline __attribute__((unused)) int is_top_k(gp_primitive p) {
  return p == GP_TOP_K || is_ranked(p) || (is_a(p, "axes") && has_word(p, 'n'));
}

static inline __attribute__((unused)) int is_replayed(const cell *c) {
  return c->protocol == GRAPH || c->protocol == COLD_GRAPH;
}

// Calls that a graph replays, if there are enough sets of buffers. Each cold call has its own set.
static inline __attribute__((unused)) int calls_of_graph(const cell *c, uint64_t sets) {
  if (c->protocol != COLD_GRAPH) return GRAPH_CALLS;
  return sets < COLD_GRAPH_CALLS ? (int)sets : COLD_GRAPH_CALLS;
}
// Whether a replay finds buffers in the L2 cache that the previous replay left there. (All sets together are larger.)
static inline __attribute__((unused)) int is_warm_again(const cell *c, uint64_t sets) {
  return c->protocol == COLD_GRAPH && sets > COLD_GRAPH_CALLS;
}

// Graph primitives: the tool generates a graph for them.
static inline __attribute__((unused)) int is_of_graph(gp_primitive p) { return has_word(p, 'v'); }

// ---- segments -------------------------------------------------------------------------------------------------------

// The length of segment k, before the input's end cuts it off.
static inline __attribute__((unused)) uint64_t cell_segment_length(const cell *c, uint64_t k) {
  const uint64_t h = gp_data_hash(k ^ 0x5e60000000ull), mean = c->segments_mean;
  switch (c->segments_kind) {
  case SEGMENTS_UNIFORM: return h % (2 * mean + 1);
  case SEGMENTS_PARETO: { // at least mean / 3, which keeps the mean right
    const double u = ((double)(h >> 11) + 1) / 9007199254740992.0, length = (double)mean / 3 / cbrt(u * u) + 0.5;
    return length > 1e15 ? (uint64_t)1e15 : (uint64_t)length;
  }
  case SEGMENTS_MIXED: return h % 4 ? 1 + (h >> 8) % 31 : 0;
  default: return mean;
  }
}

// Offsets for n elements: returns the number of segments, and writes one more offset than that (offsets NULL: none).
static inline __attribute__((unused)) uint64_t cell_make_offsets(const cell *c, uint64_t n, uint64_t *offsets) {
  uint64_t at = 0, k = 0, giant = c->segments_kind == SEGMENTS_MIXED ? n / 2 : 0;
  if (c->segments_kind == SEGMENTS_FIXED) {
    const uint64_t count = c->form == FORM_FIXED ? n / c->segments_mean : (n + c->segments_mean - 1) / c->segments_mean;
    for (k = 0; offsets && k <= count; k++) offsets[k] = k * c->segments_mean < n ? k * c->segments_mean : n;
    return count;
  }
  while (at < n) {
    uint64_t length = cell_segment_length(c, k);
    if (giant && at >= n / 4) length = giant, giant = 0;
    if (offsets) offsets[k] = at;
    at += length < n - at ? length : n - at;
    k++;
  }
  if (offsets) offsets[k] = n;
  return k;
}

// The number of segments alone. Counting takes time linear in it and a cell is read many times, so recent counts are
// kept.
static inline __attribute__((unused)) uint64_t cell_count_segments(const cell *c) {
  static __thread struct { uint64_t kind, mean, n, count; } known[64];
  const uint64_t kind = (uint64_t)c->segments_kind + 1, mean = c->segments_mean; // kind 0: empty
  const uint64_t at = gp_data_hash(c->n ^ mean << 48 ^ kind << 60) % 64;
  if (c->segments_kind == SEGMENTS_FIXED) return cell_make_offsets(c, c->n, NULL);
  if (known[at].kind != kind || known[at].mean != mean || known[at].n != c->n) {
    known[at].count = cell_make_offsets(c, c->n, NULL);
    known[at].kind = kind, known[at].mean = mean, known[at].n = c->n;
  }
  return known[at].count;
}

static inline __attribute__((unused)) uint64_t cell_segments(const cell *c, uint64_t n) {
  return n == c->n ? c->segments : has_word(c->primitive, 's') ? cell_make_offsets(c, n, NULL) : 0;
}
// Elements of the second input, of n of a merge or a set operation.
static inline __attribute__((unused)) uint64_t cell_second(const cell *c, uint64_t n) {
  return has_word(c->primitive, '2') ? n / 100 * (uint64_t)c->second + n % 100 * (uint64_t)c->second / 100 : 0;
}
// gp_call.count of a call on n elements: full segments for fixed lengths, one length for all rows, buffers of a batch.
static inline __attribute__((unused)) uint64_t cell_elements(const cell *c, uint64_t n) {
  if (is_batch(c->primitive)) return cell_segments(c, n);
  return c->form == FORM_FIXED ? cell_segments(c, n) * c->segments_mean : c->rows ? n / c->rows : n - cell_second(c, n);
}
// top-k: results a row in a call on n; nth_element: the position.
static inline uint64_t cell_axis_length(const cell *c, uint64_t n);
static inline __attribute__((unused)) uint64_t cell_k(const cell *c, uint64_t n) {
  const uint64_t most = is_a(c->primitive, "axes") ? cell_axis_length(c, n) : cell_elements(c, n);
  if (!is_top_k(c->primitive)) return !c->k ? n / 2 : c->k < n ? c->k : n ? n - 1 : 0;
  return c->k < most ? c->k : most;
}

// ---- scalars --------------------------------------------------------------------------------------------------------

// A number of the type below which a `share` of uniform numbers falls.
static inline __attribute__((unused)) void cell_threshold(const type_row *t, double share, unsigned char *out) {
  const int size = t->size / t->fields, bits = 8 * size;
  const double value = (2 * share - 1) * (size == 2 ? 0.0625 : 1.0);
  uint64_t u = 0;
  memset(out, 0, 16);
  if (t->number == GP_DATA_F16) u = gp_data_to_f16((float)value);
  else if (t->number == GP_DATA_BF16) u = gp_data_to_bf16((float)value);
  else if (t->number == GP_DATA_F32) u = gp_data_f32_bits((float)value);
  else if (t->number == GP_DATA_F64) memcpy(&u, &value, 8);
  else {
    const double top = ldexp(1, bits), at = share * top;
    u = at >= top ? ~0ull >> (64 - bits) : (uint64_t)(at + 0.5 < top ? at + 0.5 : at);
    if (t->number == GP_DATA_INT) u ^= 1ull << (bits - 1);
  }
  memcpy(out, &u, (size_t)size);
}
// The share of uniform numbers that keep=percent selects.
static inline __attribute__((unused)) double cell_share(const type_row *t, int keep) {
  if (t->size == 1 && keep < 100) return (double)(int)(keep * 2.56 + 0.5) / 256;
  return keep / 100.0;
}
// Histograms of 1- and 2-byte integers count all values of the type; others exclude the largest value.
static inline __attribute__((unused)) int cell_all_values(const cell *c) {
  return c->primitive == GP_HISTOGRAM_EVEN && c->in->number <= GP_DATA_UINT && c->in->size <= 2;
}
// The second predicate of a three-way partition: it selects half of the rest.
static inline __attribute__((unused)) int cell_keep2(const cell *c) { return c->keep + (100 - c->keep) / 2; }

// ---- parsing --------------------------------------------------------------------------------------------------------

static inline __attribute__((unused)) void default_words(cell *c) {
  const char *words = row_of(c->primitive)->words;
  const type_row *u32 = find_type("u32");
  for (; *words; words++) switch (*words) {
    case 's':
      c->segments_kind = SEGMENTS_FIXED;
      c->segments_mean = 256;
      break;
    case 'o': c->offsets = u32; break;
    case 'k': c->key = is_select(c->primitive) || is_a(c->primitive, "permuted") ? NULL : u32; break;
    case 'l': c->lengths = u32; break;
    case 'f':
      c->form = is_select(c->primitive) ? FORM_IF
          : has_word(c->primitive, 's') && !moves_keys(c->primitive) ? FORM_OFFSETS
          : FORM_KEYS;
      break;
    case 'r': c->runs = 32; break;
    case 't': c->parts = 2; break;
    case 'e': c->keep = 50; break;
    case 'b': c->bins = 256; break;
    case 'h': c->haystack = 1 << 20; break;
    case 'd': c->descending = is_top_k(c->primitive); break;
    case '2': c->second = 50; break;
    case 'n': c->k = is_top_k(c->primitive) ? 64 : 0; break;
    case 'w': c->rows = 1; break;
    case 'u': c->sorted = 1; break;
    case 'c': c->axis = 2; break;
    case 'g': c->groups = 4096; break;
    case 'a': c->widths[0] = GP_AOS; break;
    case 'v': c->protocol = BACK_TO_BACK; break;
    case 'q': c->at_once = 64; break;
    default: break;
    }
}

// Returns 0 for text that is not a shape.
static inline __attribute__((unused)) int parse_shape(cell *c, const char *value) {
  char end;
  unsigned long long rows, columns, matrices = 1;
  const int found = sscanf(value, "%llux%llux%llu%c", &rows, &columns, &matrices, &end);
  if (found < 2 || found > 3 || !rows || !columns || !matrices || rows > 1ull << 40 || columns > (1ull << 40) / rows ||
      matrices > (1ull << 40) / rows / columns)
    return 0;
  c->shape[0] = rows, c->shape[1] = columns, c->shape[2] = matrices;
  c->n = rows * columns * matrices;
  return 1;
}

// Reads a word of the primitive. 0: unknown word or value.
static inline __attribute__((unused)) int parse_word(cell *c, const char *name, const char *value) {
  char letter = 0;
  char kind[16] = "";
  const char *colon = strchr(value, ':');
  uint64_t number = 0;
  const type_row *type = find_type(value);
  const int is_number = parse_size(value, &number);
#define WORD(l, word) \
  if (!strcmp(name, #word)) letter = l;
  GP_CELL_WORDS(WORD)
#undef WORD
  if (!letter || !has_word(c->primitive, letter)) return 0;
  switch (letter) {
  case 's':
    if (colon ? colon - value >= (long)sizeof kind : strcmp(value, "mixed")) return 0;
    snprintf(kind, sizeof kind, "%.*s", (int)(colon ? colon - value : 5), value);
    c->segments_mean = 0;
    if (colon && (!parse_size(colon + 1, &c->segments_mean) || !c->segments_mean)) return 0;
    return (c->segments_kind = FIND_NAME(kind, SEGMENT_NAMES)) >= 0 && (c->segments_kind == SEGMENTS_MIXED) == !colon;
  case 'o': return (c->offsets = type) != NULL && type->number <= GP_DATA_UINT && type->size >= 4 && type->fields == 1;
  case 'k': return (c->key = type) != NULL;
  case 'p': return (c->payload = type) != NULL;
  case 'l': return (c->lengths = type) != NULL && type->number <= GP_DATA_UINT && type->size >= 4 && type->fields == 1;
  case 'f':
    c->form = FIND_NAME(value, FORM_NAMES);
    return moves_keys(c->primitive)
        ? c->form == FORM_KEYS || c->form == FORM_INDICES || (is_ranked(c->primitive) && c->form == FORM_FIXED)
        : is_select(c->primitive) ? c->form == FORM_IF || c->form == FORM_FLAGS
        : is_a(c->primitive, "permuted") ? c->form == FORM_FLAGS
        : has_word(c->primitive, 'k') ? c->form == FORM_KEYS || c->form == FORM_HEADS
        : c->form == FORM_OFFSETS ||
            (c->primitive == GP_SEGMENTED_REDUCE && (c->form == FORM_FIXED || c->form == FORM_ENDS));
  case 'r': c->runs = number; return is_number && number > 0;
  case 't': c->parts = (int)number; return is_number && (number == 2 || number == 3);
  case 'e': c->keep = (int)number; return is_number && number <= 100;
  case 'b': c->bins = number; return is_number && number > 0;
  case 'd': return (c->descending = FIND_NAME(value, ORDER_NAMES)) >= 0;
  case 'i':
    return sscanf(value, "%d:%d", &c->begin_bit, &c->end_bit) == 2 && c->begin_bit >= 0 && c->end_bit >= c->begin_bit;
  case '2': c->second = (int)number; return is_number && number <= 100;
  case 'n': c->k = number; return is_number;
  case 'w': c->rows = number; return is_number && number > 0;
  case 'u': c->sorted = number != 0; return is_number && number <= 1;
  case 'g': c->groups = number; return is_number && number > 0;
  case 'm': // ROWSxCOLUMNS or ROWSxCOLUMNSxMATRICES
    return parse_shape(c, value);
  case 'j': c->in_place = (int)number; return is_number && number < 2;
  case '3': c->reproducible = (int)number; return is_number && number < 2;
  case '4': c->ordered = (int)number; return is_number && number < 2;
  case '5': c->described = (int)number; return is_number && number < 2;
  case '1': c->little = (int)number; return is_number && number < 2;
  case 'c': c->axis = (int)number; return is_number && number < 3;
  case 'y': {
    char *end = (char *)(uintptr_t)value;
    for (c->field_count = 0; *end && c->field_count < 32; end += *end == '.') {
      const long size = strtol(value = end, &end, 10);
      if (end == value || size < 1 || size > 64 || (*end && *end != '.')) return 0;
      c->field_bytes[c->field_count++] = (int)size;
    }
    return c->field_count > 0 && !*end;
  }
  case 'a':
  case 'z':
    c->widths[letter == 'z'] = !strcmp(value, "aos") ? GP_AOS : !strcmp(value, "soa") ? GP_SOA : number;
    return !strcmp(value, "aos") || !strcmp(value, "soa") || (is_number && number > 1);
  case 'v': // a size with equally many edges a vertex: found from the cell's words
    if (strlen(value) >= sizeof c->graph_text || !graph_read(value, &c->made) || c->made.kind > GRAPH_GRID) return 0;
    snprintf(c->graph_text, sizeof c->graph_text, "%s", value);
    c->n = 2 * c->made.edges;
    return 1;
  case 'q': c->at_once = (int)number; return is_number && number > 0 && number <= 4096;
  default: c->haystack = number; return is_number && number > 0;
  }
}

// Fields and struct sizes of both layouts: GP_AOS as C has them, others packed.
static inline __attribute__((unused)) void cell_make_layouts(cell *c) {
  int side, f;
  for (f = 0; !c->field_count && f < 4; f++) c->field_bytes[f] = c->in->size;
  for (side = 0; side < 2; side++) {
    size_t at = 0, most = 1;
    for (f = 0; f < (c->field_count ? c->field_count : 4); f++) {
      size_t align = 1;
      while (c->widths[side] == GP_AOS && align < 16 && (size_t)c->field_bytes[f] % (2 * align) == 0) align *= 2;
      if (align > most) most = align;
      at = (at + align - 1) / align * align;
      c->fields[side][f].offset = at;
      c->fields[side][f].size = (size_t)c->field_bytes[f];
      at += (size_t)c->field_bytes[f];
    }
    SET_SIZE(&c->layouts[side]);
    c->layouts[side].width = c->widths[side];
    c->layouts[side].size = (at + most - 1) / most * most;
    c->layouts[side].field_count = f;
  }
}
// Bytes of an array.
static inline __attribute__((unused)) uint64_t cell_layout_bytes(const cell *c, int side, uint64_t n) {
  const uint64_t width = c->widths[side] ? c->widths[side] : 1;
  return (n + width - 1) / width * width * c->layouts[side].size;
}

static inline __attribute__((unused)) const char *complete_graph(cell *c) {
  gp_graph *g = &c->graph;
  SET_SIZE(g);
  if (!*c->graph_text) return "graph=KIND:NAME=NUMBER:... is missing";
  if (c->n != 2 * c->made.edges) return "n must be twice the number of edges: each has both directions";
  if (c->in->number != GP_DATA_UINT || c->in->size < 4 || c->offsets->number != GP_DATA_UINT)
    return "vertices and offsets must be u32 or u64";
  if (c->n >> 32 && c->offsets->size < 8) return "too many edges for u32 offsets: use offsets=u64";
  if (c->protocol != BACK_TO_BACK && c->protocol != FIRST_CALL)
    return "cells of graphs need protocol=back_to_back or first_call";
  g->vertices = c->made.vertices;
  g->edges = c->n;
  g->vertex_type = c->in->size == 8 ? GP_U64 : GP_U32;
  g->offset_type = c->offsets->size == 8 ? GP_U64 : GP_U32;
  g->flags = GP_SYMMETRIC;
  return NULL;
}

// Derives what depends on several words. NULL, or what is wrong.
static inline __attribute__((unused)) const char *complete_cell(cell *c) {
  const gp_primitive p = c->primitive;
  if (c->protocol == FIRST_CALL && c->in->fields > 1) return "protocol=first_call needs a built-in type";
  if (c->described && c->in->fields > 1) return "described=1 needs keys of a built-in type";
#ifndef GP_POLICY_FIELDS_ROWS
  if (c->described) return "described=1 needs a newer header";
#endif
  if (p == GP_CONVERT_LAYOUT) cell_make_layouts(c);
  if (is_of_graph(p)) return complete_graph(c);
  if ((is_select(p) || is_a(p, "permuted")) && c->form == FORM_FLAGS && !c->key) c->key = find_type("u8");
  if ((is_select(p) || is_a(p, "permuted")) && c->form != FORM_FLAGS) c->key = NULL;
  if (is_a(p, "permuted") && c->form == FORM_FLAGS) c->keep = 50;
  if (c->key && (c->form == FORM_FLAGS || c->form == FORM_HEADS) &&
      (c->key->number > GP_DATA_UINT || c->key->size > 4 || c->key->fields > 1))
    return "flags must be integers of 1, 2 or 4 bytes";
  if (has_word(p, 's')) {
    if (c->form == FORM_FIXED && c->segments_kind != SEGMENTS_FIXED) return "form=fixed needs segments=fixed:LENGTH";
    if (c->form == FORM_FIXED && c->segments_mean > c->n) return "a segment is longer than the input";
    c->segments = cell_count_segments(c);
  }
  if ((p == GP_LOAD_BALANCE || p == GP_CHECK_OFFSETS) && (c->in->number > GP_DATA_UINT || c->in->size < 4))
    return "offsets must be i32, u32, i64 or u64";
  if (has_word(p, 'e')) {
    if (c->kind != GP_DATA_UNIFORM && c->form != FORM_FLAGS) return "keep=PERCENT needs dist=uniform";
    cell_threshold(c->in, c->keep / 100.0, c->scalar);
    if (c->parts == 3) cell_threshold(c->in, cell_keep2(c) / 100.0, c->scalar2);
    if (c->parts == 3 && c->form == FORM_FLAGS) return "parts=3 needs a predicate: flags make two parts";
  }
  if (p == GP_HISTOGRAM_EVEN) cell_threshold(c->in, 0, c->scalar), cell_threshold(c->in, 1, c->scalar2);
  if ((has_word(p, 'b') || has_word(p, 'h')) && c->in->fields > 1) return "the type must be a number";
  if (p == GP_ADJACENT_DIFFERENCE && c->in->fields > 1) return "the type must be a number";
  if ((moves_keys(p) || p == GP_IS_SORTED) && c->in->fields > 1) return "keys must be numbers";
  if (c->shape[0] && c->n != c->shape[0] * c->shape[1] * c->shape[2]) return "n is not the product of the shape";
  if (is_a(p, "axes") && !is_a(p, "shortened") && !moves_keys(p) && c->in->fields > 1)
    return "the type must be a number";
  if (c->form == FORM_INDICES && !c->payload) c->payload = find_type("u32");
  if (c->form == FORM_INDICES && (c->payload->number != GP_DATA_UINT || c->payload->size < 4 || c->payload->fields > 1))
    return "indices must be u32 or u64";
  if (c->end_bit > 8 * c->in->size) return "bits=FROM:TO: the key has fewer bits";
  if (c->rows > c->n) return "more rows than elements";
  if ((has_word(p, '2') || p == GP_IS_SORTED) && c->kind != GP_DATA_UNIFORM && c->kind != GP_DATA_CONSTANT &&
      c->kind != GP_DATA_SORTED)
    return "sorted keys need dist=uniform, constant or sorted";
  return NULL;
}

// NULL, or what is wrong.
static inline __attribute__((unused)) const char *parse_cell(const char *text, cell *c) {
  static char reason[200];
  const char *wrong, *usual;
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
        if (!parse_size(value, &c->n)) BAD("n=%s is not a count", value);
      } else if (!strcmp(word, "bytes")) {
        if (!parse_size(value, &bytes)) BAD("bytes=%s is not a size", value);
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
      } else if (!parse_word(c, word, value)) BAD("no field %s=%s", word, value);
    } else if (position == 0) {
      const int p = FIND_NAME(word, PRIMITIVE_NAMES);
      if (p <= 0) BAD("no primitive %s", word);
      c->primitive = (gp_primitive)p;
      default_words(c);
      position = 1;
    } else if (position == 1 && FIND_NAME(word, OPERATOR_NAMES) > 0) {
      c->op = (gp_op)FIND_NAME(word, OPERATOR_NAMES);
      position = 2;
    } else if (position <= 2) {
      if (!(c->in = find_type(word))) BAD("no operator or type %s", word);
      position = 3;
    } else BAD("unexpected word %s", word);
  }
  if (position < 3) BAD("a cell is: primitive [operator] type n=COUNT ...");
  if (!c->out) c->out = is_a(c->primitive, "index") ? find_type("u32") : c->in;
  if (!c->acc) c->acc = c->out->number == GP_DATA_F16 || c->out->number == GP_DATA_BF16 ? find_type("f32") : c->out;
  if (bytes) c->n = bytes / (uint64_t)c->in->size;
  if (!c->n) BAD("the count is missing, or 0");
  if (c->in_offset < 0 || c->in_offset > 255 || c->out_offset < 0 || c->out_offset > 255)
    BAD("offsets must be 0 to 255");
  usual = row_of(c->primitive)->op;
  if (c->op && !*usual) BAD("%s takes no operator", PRIMITIVE_NAMES[c->primitive]);
  if (!c->op) c->op = (gp_op)FIND_NAME(usual, OPERATOR_NAMES);
  if (c->in->fields > 1 && (folds(c->primitive) || c->primitive == GP_TRANSFORM || c->primitive == GP_TRANSFORM2) &&
      (c->op != GP_SUM || c->primitive == GP_TRANSFORM || c->primitive == GP_TRANSFORM2))
    BAD("structs have SUM only");
  wrong = complete_cell(c);
  if (wrong) BAD("%s", wrong);
  return NULL;
#undef BAD
}

// ---- buffers --------------------------------------------------------------------------------------------------------

// Buffers that a call reads and writes, named as gp_call's pointers.
#define CELL_ROLES(X) X(in) X(in2) X(keys) X(keys2) X(begin) X(end) X(out) X(out_keys) X(out2) X(out3) X(counts)
#define NAME(name) ROLE_##name,
enum { CELL_ROLES(NAME) ROLE_COUNT, FIRST_OUTPUT = ROLE_out };
#undef NAME

// The buffer that the pointers in a buffer lead to: those of a batch's sources and destinations; -1: it has none.
static inline __attribute__((unused)) int cell_target(const cell *c, int role) {
  if (!is_batch(c->primitive)) return -1;
  return role == ROLE_keys ? ROLE_in : role == ROLE_keys2 ? ROLE_out : -1;
}
// The type of a buffer's elements; NULL: unused. Segmented scans have `keys` for the peers only: one-byte flags, 1 at a
// segment's head.
static inline __attribute__((unused)) const type_row *cell_type(const cell *c, int role) {
  const gp_primitive p = c->primitive;
  const int runs = p == GP_RUN_LENGTHS || p == GP_NONTRIVIAL_RUNS;
  if (is_of_graph(p)) return NULL; // tools/gp_searches.h has them
  if (cell_target(c, role) >= 0) return find_type("u64");
  if (moves_keys(p)) {
    const int indices = c->form == FORM_INDICES, nth = p == GP_NTH_ELEMENT, in = role == ROLE_in || role == ROLE_in2;
    if (!has_word(p, '2') && (role == ROLE_keys2 || role == ROLE_in2)) return NULL;
    if (role == ROLE_keys || role == ROLE_keys2) return c->in;
    if (in || role == ROLE_out) return (in && indices) || nth ? NULL : c->payload;
    if (role == ROLE_out_keys) return indices && p == GP_SORT ? NULL : c->in;
    if (role == ROLE_begin) return has_word(p, 'o') && c->form != FORM_FIXED ? c->offsets : NULL;
    return role == ROLE_counts && is_set(p) ? find_type("u64") : NULL;
  }
  if (p == GP_IS_SORTED) return role == ROLE_keys ? c->in : role == ROLE_counts ? find_type("u64") : NULL;
  switch (role) {
  case ROLE_in:
    return p == GP_FILL || p == GP_IOTA || runs || p == GP_LOAD_BALANCE || p == GP_CHECK_OFFSETS ? NULL
        : p == GP_UNIQUE ? c->payload
        : c->in;
  case ROLE_in2:
    return is_a(p, "permuted")                  ? find_type(c->n >> 32 ? "u64" : "u32")
        : p == GP_TRANSFORM2 || is_a(p, "twin") ? c->in
                                                : NULL;
  case ROLE_keys:
    return runs || p == GP_UNIQUE || has_word(p, 'h') ? c->in : is_segmented_scan(p) ? find_type("u8") : c->key;
  case ROLE_begin:
    return c->form == FORM_FIXED ? NULL
        : has_word(p, 'o') ? c->offsets
        : has_word(p, 's') || p == GP_HISTOGRAM_RANGES ? c->in
        : NULL;
  case ROLE_end: return c->form == FORM_ENDS ? c->offsets : NULL;
  case ROLE_out:
    return p == GP_RUN_LENGTHS || is_a(p, "count") ? NULL
        : p == GP_NONTRIVIAL_RUNS ? c->lengths
        : is_a(p, "truth")                         ? find_type("u8")
        : p == GP_UNIQUE ? c->payload
        : c->out;
  case ROLE_out_keys:
    return p == GP_GROUP_BY ? c->key
        : p == GP_REDUCE_BY_KEY ? (c->form == FORM_HEADS ? NULL : c->key)
        : p == GP_RUN_LENGTHS || p == GP_UNIQUE ? c->in
        : NULL;
  case ROLE_out2: return runs ? c->lengths : p == GP_PARTITION ? c->in : NULL;
  case ROLE_out3: return c->parts == 3 ? c->in : NULL;
  default:
    return role == ROLE_counts &&
            (runs || is_select(p) || p == GP_REDUCE_BY_KEY || p == GP_UNIQUE || is_a(p, "count") || p == GP_GROUP_BY ||
                is_by_lengths(p))
        ? find_type("u64")
        : NULL;
  }
}

// Rows and columns of a transpose of n elements, or of an array of which rows are reduced: the cell's, or about square
// for another count.
static inline __attribute__((unused)) void cell_matrices(const cell *c, uint64_t n, uint64_t shape[3]) {
  uint64_t rows = 1;
  while (rows * 2 <= n / (rows * 2) && n % (rows * 2) == 0) rows *= 2;
  shape[0] = rows, shape[1] = n / rows, shape[2] = 1;
  if (c->shape[0] && n == c->n) memcpy(shape, c->shape, sizeof c->shape);
}
static inline __attribute__((unused)) uint64_t cell_axis_length(const cell *c, uint64_t n) {
  uint64_t shape[3];
  cell_matrices(c, n, shape);
  return shape[c->axis == 0 ? 2 : c->axis - 1];
}

// Elements of a buffer in a call on n.
static inline __attribute__((unused)) uint64_t cell_count(const cell *c, int role, uint64_t n) {
  const gp_primitive p = c->primitive;
  if (!cell_type(c, role)) return 0;
  if (has_word(p, '2')) {
    if (role == ROLE_keys2 || role == ROLE_in2) return cell_second(c, n);
    if (role != ROLE_counts && (role < FIRST_OUTPUT || p == GP_SET_INTERSECTION || p == GP_SET_DIFFERENCE))
      return n - cell_second(c, n);
  }
  if (c->rows) return c->rows * (role < FIRST_OUTPUT ? cell_elements(c, n) : cell_k(c, n));
  if (role == ROLE_out_keys && p == GP_NTH_ELEMENT) return 1;
  if (is_a(p, "axes") && is_top_k(p) && role >= FIRST_OUTPUT) return n / cell_axis_length(c, n) * cell_k(c, n);
  if (is_ranked(p) && role >= FIRST_OUTPUT) return cell_segments(c, n) * cell_k(c, n);
  if (p == GP_CONVERT_LAYOUT)
    return (cell_layout_bytes(c, role == ROLE_out, n) + (uint64_t)c->in->size - 1) / (uint64_t)c->in->size;
  if (is_batch(p) && role != ROLE_in && role != ROLE_out) return cell_segments(c, n);
  if (role == ROLE_in && is_a(p, "per_segment")) return cell_segments(c, n);
  switch (role) {
  case ROLE_begin:
    return p == GP_HISTOGRAM_RANGES ? c->bins + 1 : cell_segments(c, n) + (c->form != FORM_ENDS && !is_by_lengths(p));
  case ROLE_end: return cell_segments(c, n);
  case ROLE_keys: return has_word(p, 'h') ? c->haystack : n;
  case ROLE_out:
    return p == GP_REDUCE ? 1 + !strcmp(OPERATOR_NAMES[c->op], "MINMAX")
        : is_a(p, "truth")         ? 1
        : p == GP_SEGMENTED_REDUCE ? cell_segments(c, n)
        : is_a(p, "shortened")     ? n / cell_axis_length(c, n)
        : has_word(p, 'b') ? c->bins
        : n;
  case ROLE_counts: return c->parts ? (uint64_t)c->parts : 1;
  default: return n;
  }
}
static inline __attribute__((unused)) uint64_t cell_bytes(const cell *c, int role, uint64_t n) {
  const type_row *t = cell_type(c, role);
  return t ? cell_count(c, role, n) * (uint64_t)t->size : 0;
}

static inline __attribute__((unused)) int reads_input(const cell *c) { return cell_type(c, ROLE_in) != NULL; }
static inline __attribute__((unused)) int is_reduce(const cell *c) { return c->primitive == GP_REDUCE; }
// The primitive writes little: its roof is a kernel that only reads.
static inline __attribute__((unused)) int is_read_only(const cell *c) {
  const gp_primitive p = c->primitive;
  return p == GP_REDUCE || p == GP_SEGMENTED_REDUCE || is_a(p, "count") || is_a(p, "truth") || has_word(p, 'b') ||
      has_word(p, 'n') || has_word(p, 'g') || is_a(p, "shortened");
}
static inline __attribute__((unused)) uint64_t in_bytes(const cell *c, uint64_t n) { return cell_bytes(c, ROLE_in, n); }
static inline __attribute__((unused)) uint64_t out_bytes(const cell *c, uint64_t n) {
  return cell_bytes(c, ROLE_out, n);
}

// The expected number of runs of n keys. An element begins a run with probability p = 1 / runs; each 64th multiple of
// the mean begins one always. With one-byte keys, one run in 256 equals the run before it.
static inline __attribute__((unused)) double expected_runs(const cell *c, uint64_t n) {
  const type_row *key = c->key ? c->key : c->in;
  const double p = 1 / (double)c->runs, forced = c->runs > 1 ? (1 - p) / (64 * (double)c->runs) : 0;
  return (double)n * (p + forced) * (c->runs > 1 && key->size == 1 && c->form != FORM_HEADS ? 255.0 / 256 : 1);
}

// The expected size of a set operation's output. In rising keys each value occurs 0, 1 or 2 times, with probabilities
// 1/4, 1/2, 1/4, if both inputs have one length; otherwise hardly any key is in both.
static inline __attribute__((unused)) double expected_set(const cell *c, uint64_t n) {
  const double b = (double)cell_second(c, n), a = (double)n - b, least = a < b ? a : b;
  const double both = c->kind != GP_DATA_UNIFORM ? least : a - b < 2 && b - a < 2 ? 0.625 * least : 0;
  switch (c->primitive) {
  case GP_SET_UNION: return a + b - both;
  case GP_SET_INTERSECTION: return both;
  case GP_SET_DIFFERENCE: return a - both;
  default: return a + b - 2 * both;
  }
}

// The expected number of elements in the compacted output of a call on n; other primitives write all.
static inline __attribute__((unused)) double expected_count(const cell *c, int role, uint64_t n) {
  const double all = (double)cell_count(c, role, n),
               share = c->form == FORM_FLAGS ? c->keep / 100.0 : cell_share(c->in, c->keep);
  if (is_set(c->primitive)) return role == ROLE_counts || all == 0 ? 0 : expected_set(c, n);
  if (c->groups) return role == ROLE_counts || all == 0 ? 0 : (double)(c->groups < n ? c->groups : n);
  if (is_a(c->primitive, "count")) return 0;
  if (is_a(c->primitive, "permuted") && c->form == FORM_FLAGS) return share * all;
  switch (c->primitive) {
  case GP_REDUCE_BY_KEY:
  case GP_RUN_LENGTHS:
  case GP_UNIQUE: return role == ROLE_counts || all == 0 ? 0 : expected_runs(c, n);
  case GP_NONTRIVIAL_RUNS: // the next element continues the others
    return role == ROLE_counts || all == 0 ? 0 : expected_runs(c, n) * (1 - 1 / (double)c->runs);
  case GP_SELECT: return role == ROLE_out ? share * (double)n : 0;
  case GP_PARTITION: return role == ROLE_out ? (double)n : 0; // all parts together
  default: return all;
  }
}

// Elements of an output that a call wrote; counts: its counters.
static inline __attribute__((unused)) uint64_t cell_live(const cell *c, int role, uint64_t n, const uint64_t *counts) {
  const gp_primitive p = c->primitive;
  const uint64_t all = cell_count(c, role, n);
  if (role == ROLE_counts ||
      !(p == GP_REDUCE_BY_KEY || p == GP_UNIQUE || is_select(p) || has_word(p, 'l') || is_set(p) || has_word(p, 'g')))
    return all;
  return p != GP_PARTITION || role == ROLE_out ? counts[0] : counts[1 + (role == ROLE_out3)];
}

// Bytes of a call: each input read once, each output written once, compacted outputs with their kept elements only. S
// segments, R runs, K kept, B bins, N of nontrivial runs, sizes in brackets:
//   segmented reduce  n[in] + (S + 1)[offset] (fixed: 0; ends: 2S) + S[out]     segmented scan  n[in] + (S + 1)[offset]
//   + n[out]     scan by key  n[key] + n[in] + n[out]     reduce by key  n[key] + n[in] + R[key] + R[out]
//   run lengths  n[key] + R[key] + R[length]     nontrivial runs  n[key] + 2N[length]     unique  (n + R)[key, payload]
//   select  n[in] + n[flag] + K[in]     partition  2n[in] + n[flag]     count_if, any, all  n[in]
//   histogram  n[in] + B[counter] (ranges: + (B + 1)[in])     bounds  n[in] + haystack[in] + n[out]
//   copy batch  2n[in] + S[size] + 2S pointers
//   expand  S[in] + (S + 1)[offset] + n[out] (by lengths: S[length])
//   load balance  (S + 1)[offset] + n[out]     check offsets  (S + 1)[offset]     adjacent difference  n[in] + n[out]
//   sort, merge sort, merge  2n[key] + 2n[value] (indices: n[key] + n[index]; of segments: + (S + 1)[offset])
//   sets  (n + R)[key, value], R results     top-k  n[key] + rows k[key, value] (values that are not taken: not read)
//   find_if, adjacent_find  n[in]     mismatch, equal_arrays  2n[in]     (all that end early: if they do not)
//   segmented top-k  n[key] + (S + 1)[offset] + S k[key, value]
//   is_sorted, nth_element  n[key]     shuffle, reverse, transpose, replace  2n[in]     is_partitioned  n[in]
//   scatter, gather  2n[in] + n[index] (flags: n[index] + n[flag] + K[out], and n[in] of a scatter, K[in] of a gather)
//   group by  n[key] + n[in] + R[key] + R[out], R groups
//   convert_layout  n structs of either layout, with their gaps
//   reduce_axis  n[in] + rows[out]     row_map  n[in] + n[out], and n[in] again if rows are too long for registers
//   of graphs  n[vertex] + V[vertex], V vertices: what the header goes by; what a search reads, it says itself
static inline __attribute__((unused)) double moved_bytes(const cell *c, uint64_t n) {
  double bytes = 0;
  int role;
  if (is_of_graph(c->primitive)) return (double)(n + c->graph.vertices) * c->in->size;
  for (role = 0; role < ROLE_COUNT; role++) {
    const type_row *t = cell_type(c, role);
    if (!t || (role == ROLE_keys && is_segmented_scan(c->primitive))) continue;
    if (role == ROLE_out && is_reduce(c)) continue;
    if (role == ROLE_in && (c->rows || is_ranked(c->primitive))) continue;
    if (role == ROLE_in && is_a(c->primitive, "gathers")) { // reads what it writes
      bytes += expected_count(c, ROLE_out, n) * t->size;
      continue;
    }
    bytes += (role < FIRST_OUTPUT ? (double)cell_count(c, role, n) : expected_count(c, role, n)) * t->size;
  }
  return bytes;
}

// The cell's words that only its primitive has, each after a space, in the stores' canonical form.
static inline __attribute__((unused)) void cell_own_words(const cell *c, char *text, size_t room) {
  int at = 0;
  text[0] = 0;
#define ADD(...) at += at < (int)room ? snprintf(text + at, room - (size_t)at, __VA_ARGS__) : 0
  if (has_word(c->primitive, 's')) {
    ADD(" segments=%s", SEGMENT_NAMES[c->segments_kind]);
    if (c->segments_kind != SEGMENTS_MIXED) ADD(":%llu", (unsigned long long)c->segments_mean);
  }
  if (is_of_graph(c->primitive)) ADD(" graph=%s", c->graph_text);
  if (c->at_once) ADD(" at_once=%d", c->at_once);
  if (c->offsets && strcmp(c->offsets->name, "u32")) ADD(" offsets=%s", c->offsets->name);
  if (c->form > FORM_OFFSETS && c->form != FORM_KEYS && c->form != FORM_IF) ADD(" form=%s", FORM_NAMES[c->form]);
  if (c->key) ADD(" key=%s", c->key->name);
  if (c->payload) ADD(" payload=%s", c->payload->name);
  if (c->lengths && strcmp(c->lengths->name, "u32")) ADD(" lengths=%s", c->lengths->name);
  if (c->runs) ADD(" runs=%llu", (unsigned long long)c->runs);
  if (c->parts) ADD(" parts=%d", c->parts);
  if (has_word(c->primitive, 'e')) ADD(" keep=%d", c->keep);
  if (c->bins) ADD(" bins=%llu", (unsigned long long)c->bins);
  if (c->haystack) ADD(" haystack=%llu", (unsigned long long)c->haystack);
  if (has_word(c->primitive, 'd') && c->descending != is_top_k(c->primitive))
    ADD(" order=%s", ORDER_NAMES[c->descending]);
  if (c->begin_bit || c->end_bit) ADD(" bits=%d:%d", c->begin_bit, c->end_bit);
  if (has_word(c->primitive, '2') && c->second != 50) ADD(" second=%d", c->second);
  if (c->k) ADD(" k=%llu", (unsigned long long)c->k);
  if (c->rows > 1) ADD(" rows=%llu", (unsigned long long)c->rows);
  if (has_word(c->primitive, 'u') && !c->sorted) ADD(" sorted=0");
  if (c->groups) ADD(" groups=%llu", (unsigned long long)c->groups);
  if (c->shape[0])
    ADD(" shape=%llux%llux%llu", (unsigned long long)c->shape[0], (unsigned long long)c->shape[1],
        (unsigned long long)c->shape[2]);
  if (c->in_place) ADD(" in_place=1");
  if (c->little) ADD(" little=1");
  if (c->ordered) ADD(" ordered=1");
  if (c->described) ADD(" described=1");
  if (c->reproducible) ADD(" reproducible=1");
  if (has_word(c->primitive, 'c') && c->axis != 2) ADD(" axis=%d", c->axis);
  if (has_word(c->primitive, 'y')) {
    int f;
    for (f = 0; f < c->field_count; f++) ADD(f ? ".%d" : " struct=%d", c->field_bytes[f]);
    if (c->widths[0] == GP_SOA) ADD(" from=soa");
    else if (c->widths[0] != GP_AOS) ADD(" from=%llu", (unsigned long long)c->widths[0]);
    if (c->widths[1] == GP_AOS) ADD(" to=aos");
    else if (c->widths[1] != GP_SOA) ADD(" to=%llu", (unsigned long long)c->widths[1]);
  }
#undef ADD
}

// The cell's text in the stores' canonical form.
static inline __attribute__((unused)) void cell_text(const cell *c, char *text, size_t room) {
  const type_row *usual = c->out->number == GP_DATA_F16 || c->out->number == GP_DATA_BF16 ? find_type("f32") : c->out;
  char own[200];
  int at = snprintf(
      text, room, "%s%s%s %s", PRIMITIVE_NAMES[c->primitive], c->op ? " " : "", OPERATOR_NAMES[c->op], c->in->name);
  cell_own_words(c, own, sizeof own);
#define ADD(...) at += at < (int)room ? snprintf(text + at, room - (size_t)at, __VA_ARGS__) : 0
  if (c->acc != usual) ADD(" acc=%s", c->acc->name);
  if (c->out != c->in) ADD(" out=%s", c->out->name);
  ADD("%s n=%llu", own, (unsigned long long)c->n);
  if (c->kind) ADD(" dist=%s", KIND_NAMES[c->kind]);
  if (c->in_offset) ADD(" in_offset=%d", c->in_offset);
  if (c->out_offset) ADD(" out_offset=%d", c->out_offset);
  ADD(" protocol=%s", PROTOCOL_NAMES[c->protocol]);
#undef ADD
}

// How an input's data is made: kind, parameter and seed of data.h. 0: the data is not random (offsets, boundaries).
typedef struct cell_data {
  int kind;
  uint64_t parameter;
} cell_data;
static inline __attribute__((unused)) int cell_data_of(const cell *c, int role, int kind, cell_data *d) {
  const gp_primitive p = c->primitive;
  const int beside = role == ROLE_in || role == ROLE_in2;
  d->kind = kind;
  d->parameter = has_word(p, 'b') ? c->bins : 0;
  if (role == ROLE_begin || role == ROLE_end || cell_target(c, role) >= 0) return 0;
  if (role == ROLE_in2 && is_a(p, "permuted")) return 0;
  if (has_word(p, 'g') && role == ROLE_keys) return d->kind = GP_DATA_GROUPS, d->parameter = c->groups, 1;
  if ((p >= GP_SORT && p <= GP_NTH_ELEMENT) || is_top_k(p) || (is_a(p, "axes") && is_a(p, "keys"))) {
    const int ordered = has_word(p, '2') || p == GP_IS_SORTED;
    if (beside || (ordered && kind == GP_DATA_UNIFORM)) d->kind = beside ? GP_DATA_UNIFORM : GP_DATA_RISING;
    d->parameter = c->in->size == 1 ? 1 << 8 : c->in->size == 2 ? 1 << 16 : 1 << 20;
    return 1;
  }
  if (role != ROLE_keys) return 1;
  if (is_segmented_scan(p)) return 0;
  if (has_word(p, 'h')) return d->kind = GP_DATA_SORTED, 1;
  if (is_select(p) || is_a(p, "permuted")) return d->kind = GP_DATA_FLAGS, d->parameter = (uint64_t)c->keep, 1;
  d->kind = c->form == FORM_HEADS ? GP_DATA_HEADS : GP_DATA_RUNS;
  d->parameter = c->runs;
  return 1;
}

// Fills an input that is not random, for n elements; host memory. Pointers begin at 0: cell_point.
static inline __attribute__((unused)) void cell_make_input(const cell *c, int role, uint64_t n, void *out) {
  const type_row *t = cell_type(c, role);
  uint64_t i, segments;
  uint64_t *offsets;
  if (c->primitive == GP_HISTOGRAM_RANGES) { // bins of equal width; values beyond the last bin are not counted
    for (i = 0; i <= c->bins; i++) {
      unsigned char boundary[16];
      cell_threshold(t, (double)i / (double)c->bins, boundary);
      memcpy((char *)out + i * (uint64_t)t->size, boundary, (size_t)t->size);
    }
    return;
  }
  if (role == ROLE_in2) { // a permutation: steps of a prime, which divides no n of a cell
    const uint64_t step = n % 1000000007 ? 1000000007 % n : 1;
    uint64_t at = 0;
    for (i = 0; i < n; i++, at = at + step < n ? at + step : at + step - n) {
      if (t->size == 4) ((uint32_t *)out)[i] = (uint32_t)at;
      else ((uint64_t *)out)[i] = at;
    }
    return;
  }
  segments = cell_segments(c, n);
  offsets = (uint64_t *)malloc((segments + 1) * sizeof *offsets);
  if (!offsets) return;
  cell_make_offsets(c, n, offsets);
  if (role == ROLE_keys && cell_target(c, role) < 0) {
    memset(out, 0, n);
    for (i = 0; i < segments; i++)
      if (offsets[i] < n) ((char *)out)[offsets[i]] = 1;
  } else {
    const uint64_t first = role == ROLE_end, count = cell_count(c, role, n), size = (uint64_t)c->in->size;
    for (i = 0; i < count; i++) {
      const uint64_t length = is_batch(c->primitive) || is_by_lengths(c->primitive) ? offsets[i + 1] - offsets[i] : 0;
      const uint64_t x = is_batch(c->primitive) ? (role == ROLE_begin ? length : offsets[i]) * size
          : is_by_lengths(c->primitive) ? length
          : offsets[first + i];
      if (t->size == 4) ((uint32_t *)out)[i] = (uint32_t)x;
      else ((uint64_t *)out)[i] = x;
    }
  }
  free(offsets);
}

// Makes the numbers of cell_make_input pointers into a buffer that is at `target` on the device or the host.
static inline __attribute__((unused)) void cell_point(
    const cell *c, int role, uint64_t n, void *pointers, const void *target) {
  const uint64_t count = cell_target(c, role) < 0 ? 0 : cell_count(c, role, n);
  uint64_t i;
  for (i = 0; i < count; i++) ((uint64_t *)pointers)[i] += (uint64_t)(uintptr_t)target;
}

// ---- calls ----------------------------------------------------------------------------------------------------------

// A context's types, and the operators of the structs.
typedef struct cell_types {
  gp_context *ctx;
  gp_type handles[TYPE_ROW_COUNT];
  gp_op struct_sums[TYPE_ROW_COUNT], struct_equals[TYPE_ROW_COUNT];
  gp_op struct_below[TYPE_ROW_COUNT][101]; // predicates by percent; defined at first use
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

// Results of predicates and of equality are one byte.
static inline void cell_equal_struct(void *user, void *result, const void *a, const void *b) {
  const double *x = (const double *)a, *y = (const double *)b;
  if (user) *(unsigned char *)result = !memcmp(a, b, 12);
  else *(unsigned char *)result = x[0] == y[0] && x[1] == y[1];
}
static inline void cell_below_s12(void *user, void *result, const void *a, const void *b) {
  (void)b;
  *(unsigned char *)result = *(const uint32_t *)a < (double)(intptr_t)user / 100 * 4294967296.0;
}
static inline void cell_below_s16(void *user, void *result, const void *a, const void *b) {
  (void)b;
  *(unsigned char *)result = *(const double *)a < 2 * ((double)(intptr_t)user / 100) - 1;
}

// NULL, or what failed.
static inline __attribute__((unused)) const char *cell_types_define(cell_types *types, gp_context *ctx) {
  static const char *const sources[2] = {
      "struct s12 { unsigned int x, y, z; };", "struct alignas(16) s16 { double x, y; };"};
  static const char *const bodies[2] = {
      "a.x += b.x; a.y += b.y; a.z += b.z; return a;", "a.x += b.x; a.y += b.y; return a;"};
  static const char *const identities[2] = {"s12{0u, 0u, 0u}", "s16{0.0, 0.0}"};
  static const unsigned char zero[16] = {0};
  int i;
  memset(types, 0, sizeof *types);
  types->ctx = ctx;
  for (i = 0; i < TYPE_ROW_COUNT; i++) {
    const type_row *t = &TYPE_ROWS[i];
    int type;
    if (t->fields == 1) {
      for (type = 1; type < GP_TYPE_COUNT; type++)
        if (!strcmp(gp_type_name(NULL, (gp_type)type), t->name)) types->handles[i] = (gp_type)type;
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
      op = gp_op_desc_init();
      op.name = which ? "s16_equal" : "s12_equal";
      op.body = which ? "return a.x == b.x && a.y == b.y;" : "return a.x == b.x && a.y == b.y && a.z == b.z;";
      op.arity = 2;
      op.host = cell_equal_struct;
      op.host_user = which ? NULL : (void *)types;
      if (gp_op_define(ctx, &op, &types->struct_equals[i])) return gp_last_message();
    }
  }
  return NULL;
}

// The predicate that selects this percentage of uniform structs. 0: it could not be defined.
static inline __attribute__((unused)) gp_op cell_below(cell_types *types, const type_row *t, int percent) {
  gp_op *known = &types->struct_below[t - TYPE_ROWS][percent];
  gp_op_desc op = gp_op_desc_init();
  char name[40], body[80];
  if (*known) return *known;
  snprintf(name, sizeof name, "%s_below_%d", t->name, percent);
  if (t->number == GP_DATA_F64) snprintf(body, sizeof body, "return a.x < %.17g;", 2 * (percent / 100.0) - 1);
  else snprintf(body, sizeof body, "return a.x < %.17g;", percent / 100.0 * 4294967296.0);
  op.name = name;
  op.body = body;
  op.arity = 1;
  op.host = t->number == GP_DATA_F64 ? cell_below_s16 : cell_below_s12;
  op.host_user = (void *)(intptr_t)percent;
  if (gp_op_define(types->ctx, &op, known)) *known = GP_OP_DEFAULT;
  return *known;
}

static inline __attribute__((unused)) void cell_permute(const cell *c, uint64_t n, gp_call *call) {
  // Cells are not constants: a call on n elements is kept for later, and calls on other counts must not change it.
  gp_permutation *p = (gp_permutation *)(uintptr_t)&c->permutations[n != c->n];
  uint64_t shape[3];
  cell_matrices(c, n, shape);
  memset(p, 0, sizeof *p);
  SET_SIZE(p);
  p->dimensions = 3;
  p->order[1] = 2, p->order[2] = 1;
  p->extent[0] = shape[2], p->extent[1] = shape[0], p->extent[2] = shape[1];
  call->permutation = p;
}

static inline __attribute__((unused)) void cell_axes(const cell *c, uint64_t n, gp_call *call) {
#ifdef GP_POLICY_FIELDS_ROWS
  gp_axes *a = (gp_axes *)(uintptr_t)&c->axes[n != c->n];
  uint64_t shape[3], extent[3];
  cell_matrices(c, n, shape);
  extent[0] = shape[2], extent[1] = shape[0], extent[2] = shape[1];
  *a = is_a(c->primitive, "shortened") ? gp_axes_reduced(3, extent, c->axis) : gp_axes_mapped(3, extent, c->axis);
  if (is_top_k(c->primitive)) { // the output has k elements a row
    gp_axes out;
    extent[c->axis] = cell_k(c, n);
    out = gp_axes_mapped(3, extent, c->axis);
    memcpy(a->out_stride, out.out_stride, sizeof a->out_stride);
  }
  call->axes = a;
  if (c->primitive == GP_ROW_MAP) call->apply = GP_SUB;
#else
  (void)c, (void)n, (void)call;
#endif
}

// top-k: results a row or segment; nth_element: the position.
static inline __attribute__((unused)) uint64_t *cell_k_of(gp_call *call) {
  return is_top_k(call->primitive) ? &call->OF_CALL(k) : &call->OF_CALL(n);
}

// Adds segments, runs and so on to a call.
static inline __attribute__((unused)) void cell_complete_call(cell_types *types, const cell *c, gp_call *result) {
  const gp_primitive p = c->primitive;
  gp_call call = *result;
#define HANDLE(row) ((row) ? types->handles[(row)-TYPE_ROWS] : GP_TYPE_DEFAULT)
  call.segments = is_batch(p) ? 0 : c->segments;
  call.bins = c->bins;
  if (c->form == FORM_FIXED) call.OF_CALL(segment_length) = c->segments_mean;
  else if (has_word(p, 's')) call.offset_type = HANDLE(c->offsets ? c->offsets : c->in);
  if (has_word(p, 'h')) call.OF_CALL(key_count) = c->haystack;
  if (c->key) call.key_type = HANDLE(c->key);
  if (has_word(p, 'r')) {
    const type_row *key = c->key ? c->key : c->in;
    call.key_type = HANDLE(key);
    if (c->form == FORM_HEADS) call.equal = GP_HEADS;
    else if (key->fields > 1) call.equal = types->struct_equals[key - TYPE_ROWS];
    if (!c->key) call.in_type = call.out_type = HANDLE(c->payload); // run lengths: 0
    if (c->lengths) call.out2_type = HANDLE(c->lengths);
    if (p == GP_NONTRIVIAL_RUNS) call.out_type = call.out2_type;
  }
  if (p == GP_LOAD_BALANCE || p == GP_CHECK_OFFSETS || is_batch(p)) call.in_type = GP_TYPE_DEFAULT;
  if (is_a(p, "count") || is_a(p, "truth") || is_batch(p)) call.out_type = GP_TYPE_DEFAULT;
  if (is_a(p, "alike") && c->in->fields > 1) call.op = types->struct_equals[c->in - TYPE_ROWS];
  if (has_word(p, 'e') && c->form != FORM_FLAGS) {
    const int structs = c->in->fields > 1;
    call.op = structs ? cell_below(types, c->in, c->keep) : c->keep == 100 ? GP_LESS_EQUAL : GP_LESS;
    if (c->parts == 3) call.OF_CALL(predicate2) = structs ? cell_below(types, c->in, cell_keep2(c)) : GP_LESS;
    if (c->parts == 3 && !structs && cell_keep2(c) == 100) call.OF_CALL(predicate2) = GP_LESS_EQUAL;
    if (!structs) call.OF_CALL(scalar) = c->scalar, call.OF_CALL(scalar2) = c->parts == 3 ? c->scalar2 : NULL;
  }
  if (p == GP_HISTOGRAM_EVEN && !cell_all_values(c)) call.OF_CALL(lower) = c->scalar, call.OF_CALL(upper) = c->scalar2;
  if (moves_keys(p) || p == GP_IS_SORTED) {
    call.key_type = HANDLE(c->in);
    call.in_type = c->form == FORM_INDICES ? GP_TYPE_DEFAULT : HANDLE(c->payload);
    call.out_type = HANDLE(c->payload);
    call.flags = (c->descending ? GP_DESCENDING : 0) | (has_word(p, 'u') && !c->sorted ? GP_UNSORTED : 0);
    if (c->ordered) call.op = GP_LESS;
#ifdef GP_POLICY_FIELDS_ROWS
    if (c->described) {
      cell *own = (cell *)(uintptr_t)c;
      own->input[0] = gp_input_array(call.key_type, NULL);
      own->input[1] = gp_input_of_one(GP_CONVERT, call.key_type, &own->input[0]);
      call.keys = &own->input[1];
      call.key_type = GP_INPUT;
    }
#endif
    if (c->little) call.flags |= 2048; // GP_LITTLE_MEMORY: older headers have no such flag
    call.begin_bit = c->begin_bit;
    call.end_bit = c->end_bit;
    if (has_word(p, 'n')) *cell_k_of(&call) = cell_k(c, c->n);
    call.count2 = cell_second(c, c->n);
    if (c->rows > 1) call.OF_CALL(rows) = c->rows;
  }
  if (c->reproducible) call.flags |= GP_REPRODUCIBLE;
  if (is_a(p, "permuted")) call.in2_type = HANDLE(cell_type(c, ROLE_in2)), call.OF_CALL(n) = c->n;
  if (p == GP_SHUFFLE) SET_SEED(&call, 12345);
  if (p == GP_CONVERT_LAYOUT) {
    cell *own = (cell *)(uintptr_t)c; // the cell may have been copied: its layouts point into it again
    own->layouts[0].fields = own->fields[0];
    own->layouts[1].fields = own->fields[1];
    call.in_layout = &own->layouts[0];
    call.out_layout = &own->layouts[1];
    call.in_type = call.out_type = GP_TYPE_DEFAULT;
  }
  if (is_of_graph(p)) {
    const int makes = p == GP_GRAPH_FROM_EDGES;
    gp_graph *graph = (gp_graph *)(uintptr_t)&c->graph;
    call.graph = makes ? NULL : graph;
    call.out_graph = makes ? graph : NULL;
    call.in_type = makes ? GP_U32 : GP_TYPE_DEFAULT; // those of the pairs
    call.out_type = call.offset_type = GP_TYPE_DEFAULT;
    call.count = makes ? c->made.edges : (uint64_t)c->at_once;
    call.flags = makes ? c->made.flags : 0;
  }
#undef HANDLE
  *result = call;
}

// The cell's call without its buffers; it points into the cell. policy: NULL is the header's choice.
static inline __attribute__((unused)) gp_call cell_call(cell_types *types, const cell *c, const gp_policy *policy) {
  static const unsigned char VALUE[16] = {0x35, 0x3a, 0x11, 0x3c, 0x52, 0x0f, 0x77, 0x3f, 0x35, 0x3a, 0x11, 0x3c, 1, 2};
  const gp_primitive p = c->primitive;
  gp_call call = gp_call_init(p);
#define HANDLE(row) ((row) ? types->handles[(row)-TYPE_ROWS] : GP_TYPE_DEFAULT)
  call.op = c->op && c->in->fields > 1 ? types->struct_sums[c->in - TYPE_ROWS] : c->op;
  call.in_type = HANDLE(c->in);
  call.out_type = HANDLE(c->out);
  if (folds(p)) call.acc_type = HANDLE(c->acc);
  if (is_a(p, "valued")) call.OF_CALL(value) = VALUE;
  call.count = cell_elements(c, c->n);
  call.policy = policy;
  if (p >= GP_SEGMENTED_REDUCE) cell_complete_call(types, c, &call);
  if (p == GP_TRANSPOSE) cell_permute(c, c->n, &call);
  if (is_a(p, "axes")) cell_axes(c, c->n, &call);
  if (c->in_place) call.in = call.out = (void *)256; // known before there are buffers
#undef HANDLE
  return call;
}

// The place in gp_call of a buffer's pointer; 0: the call has none (segmented scans have `keys` for the peers).
static inline __attribute__((unused)) size_t cell_slot(const cell *c, int role) {
  static const size_t SLOTS[ROLE_COUNT] = {offsetof(gp_call, in), offsetof(gp_call, in2), offsetof(gp_call, keys),
      offsetof(gp_call, keys2), offsetof(gp_call, begin), offsetof(gp_call, end), offsetof(gp_call, out),
      offsetof(gp_call, out_keys), offsetof(gp_call, out2), offsetof(gp_call, out3), offsetof(gp_call, out_count)};
  if (!cell_type(c, role) || (role == ROLE_keys && is_segmented_scan(c->primitive))) return 0;
  if (cell_target(c, role) >= 0) return role == ROLE_keys ? offsetof(gp_call, in) : offsetof(gp_call, in2);
  if (is_batch(c->primitive) && role != ROLE_begin) return 0;
  if (role == ROLE_counts && c->primitive == GP_CHECK_OFFSETS) return offsetof(gp_call, bad);
  return SLOTS[role];
}
// Whether the library's call uses the buffer: by its own pointer, or by others in memory.
static inline __attribute__((unused)) int cell_is_given(const cell *c, int role) {
  return cell_slot(c, role) || (is_batch(c->primitive) && cell_type(c, role));
}
// Writes a buffer's pointer to its place in a call. A described buffer's goes to a description of the call's own, which
// serves until 1024 others were made.
static inline __attribute__((unused)) void cell_put(const cell *c, gp_call *call, int role, size_t slot, void *at) {
#ifdef GP_POLICY_FIELDS_ROWS
  static gp_input made[1024][2];
  static unsigned next;
  if (c->described && role == ROLE_keys) {
    const gp_input *was = (const gp_input *)call->keys; // cell_call's, or one of these
    gp_input *own = made[next++ % 1024];
    own[1] = *was;
    own[0] = *was->a;
    own[0].data = at;
    own[1].a = &own[0];
    at = &own[1];
  }
#else
  (void)c, (void)role;
#endif
  memcpy((char *)call + slot, &at, sizeof at);
}
static inline __attribute__((unused)) void cell_bind(const cell *c, gp_call *call, int role, void *at) {
  const size_t slot = cell_slot(c, role);
  if (slot) cell_put(c, call, role, slot, at);
}

// The call on n elements: sets what depends on the count.
static inline __attribute__((unused)) void cell_resize(const cell *c, gp_call *call, uint64_t n) {
  call->count = cell_elements(c, n);
  call->segments = is_batch(c->primitive) ? 0 : cell_segments(c, n);
  if (c->rows > 1) call->OF_CALL(rows) = c->rows;
  call->count2 = cell_second(c, n);
  if (has_word(c->primitive, 'n')) *cell_k_of(call) = cell_k(c, n);
  if (is_a(c->primitive, "permuted")) call->OF_CALL(n) = n;
  if (c->primitive == GP_TRANSPOSE) cell_permute(c, n, call);
  if (is_a(c->primitive, "axes")) cell_axes(c, n, call);
}

// ---- policies -------------------------------------------------------------------------------------------------------

static const struct policy_field {
  const char *name;
  size_t offset;
} POLICY_FIELDS[] = {
#define FIELD(field) {#field, offsetof(gp_policy, field)},
    GP_POLICY_MEMBERS(FIELD)
#undef FIELD
};
enum { POLICY_FIELD_COUNT = sizeof POLICY_FIELDS / sizeof *POLICY_FIELDS };

static inline __attribute__((unused)) int *policy_number(gp_policy *p, int field) {
  return (int *)((char *)p + POLICY_FIELDS[field].offset);
}
// The value names of the field at an offset; NULL: it is numeric.
static inline __attribute__((unused)) const char *const *policy_names(size_t at, int *count) {
  *count = at == offsetof(gp_policy, algorithm) ? GP_ALGORITHM_COUNT : GP_CACHE_COUNT;
  return at == offsetof(gp_policy, algorithm) ? ALGORITHM_NAMES
      : at == offsetof(gp_policy, load) || at == offsetof(gp_policy, store) ? CACHE_NAMES
      : NULL;
}
// A field's value as text. NULL: a field of few primitives is 0, and texts leave it out.
static inline __attribute__((unused)) const char *policy_value(const gp_policy *p, int field, char number[16]) {
  int count;
  const int value = *policy_number((gp_policy *)(uintptr_t)p, field);
  const char *const *names = policy_names(POLICY_FIELDS[field].offset, &count);
  if (names) return value >= 0 && value < count ? names[value] : "?";
  if (!value && POLICY_FIELDS[field].offset >= offsetof(gp_policy, alpha)) return NULL;
  snprintf(number, 16, "%d", value);
  return number;
}

// "algorithm=PIPELINED,threads=512,..." Returns NULL, or what is wrong.
static inline __attribute__((unused)) const char *parse_policy(const char *text, gp_policy *p) {
  static char reason[160];
  char copy[256], *save = NULL, *word;
  memset(p, 0, sizeof *p);
  if (strlen(text) >= sizeof copy) return "too long";
  strcpy(copy, text);
  for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
    char *equals = strchr(word, '=');
    const char *const *names;
    int field = 0, count, number;
    if (!equals) return snprintf(reason, sizeof reason, "%s has no value", word), reason;
    *equals = 0;
    while (field < POLICY_FIELD_COUNT && strcmp(word, POLICY_FIELDS[field].name)) field++;
    if (field == POLICY_FIELD_COUNT) return snprintf(reason, sizeof reason, "no field %s", word), reason;
    names = policy_names(POLICY_FIELDS[field].offset, &count);
    number = names ? find_name(equals + 1, names, count) : -1;
    if (names == ALGORITHM_NAMES && number < 0)
      return snprintf(reason, sizeof reason, "no algorithm %s", equals + 1), reason;
    *policy_number(p, field) = number < 0 ? atoi(equals + 1) : number;
  }
  return NULL;
}

// The policy's text: names every field, except those of few primitives that are 0.
static inline __attribute__((unused)) void policy_text(const gp_policy *p, char *text, size_t room) {
  char number[16];
  size_t at = 0;
  int field;
  for (field = 0; field < POLICY_FIELD_COUNT && at < room; field++) {
    const char *value = policy_value(p, field, number);
    if (value) at += (size_t)snprintf(text + at, room - at, "%s%s=%s", at ? "," : "", POLICY_FIELDS[field].name, value);
  }
}

#endif
