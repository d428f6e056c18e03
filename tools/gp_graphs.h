// Generated graphs for benchmarks, tests and examples. Edge i is a pure function of the graph's description and i:
// equal on every machine, in any order, with any number of threads. One text is compiled for the host and, as a user's
// operator of gp_transform, for the device, where 2^28 edges take milliseconds:
//
//        graph_made g;
//        if (!graph_read("kronecker scale=24", &g)) ...;             // kinds: graph_kinds, below
//        graph_edges(&g, 0, g.edges, pairs);                         // on the host: source, target, source, ...
//        graph_edges_on(ctx, &g, pairs, stream);                     // the same in device memory
//        gp_graph_from_edges(ctx, GP_U32, pairs, NULL, g.edges, &graph, NULL, g.flags, stream);
//
// Every edge is made once; g.flags ask gp_graph_from_edges for its opposite. An index without an edge (the last column
// of a grid, a missing edge) gives a self-loop, which g.flags drop.
//
// graph_depth returns distances of graphs for which they are known exactly (g.exact).
#ifndef GP_GRAPHS_H
#define GP_GRAPHS_H

#include "gpuprims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Host code and its text, which NVRTC compiles.
#define GRAPH_SHARED(...) \
  __VA_ARGS__ \
  __attribute__((unused)) static const char graph_text[] = #__VA_ARGS__;
#define GRAPH_FUNCTION static inline __attribute__((unused))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings" // of graph_text
GRAPH_SHARED(
    typedef unsigned long long graph_u64; typedef unsigned int graph_u32;

    enum {GRAPH_KRONECKER, // scale, factor: 2^scale vertices; quadrants .57 .19 .19 .05, numbers scrambled (Graph500)
        GRAPH_UNIFORM, // n, factor: both ends uniform
        GRAPH_GRID, // rows, columns, keep: neighbours in a plane; keep of 65536 edges exist
        GRAPH_GEOMETRIC, // rows, columns, reach: four points a cell, joined when near: 1/256 of a cell
        GRAPH_SMALL, // n, factor, rewire: a ring of near ones; rewire of 65536 edges lead anywhere
        GRAPH_CHAIN, // n
        GRAPH_RING, // n
        GRAPH_STAR, // n: vertex 0 is the hub
        GRAPH_TORUS, // rows, columns
        GRAPH_HYPERCUBE, // scale
        GRAPH_TREE, // n: the parent of v is (v - 1) / 2
        GRAPH_COMPLETE, // n
        GRAPH_PIECES, // n, columns: chains of this many vertices, and the rest
        GRAPH_KINDS};

    typedef struct graph_made {
      int kind;
      int flags; // of gp_graph_from_edges
      int exact; // graph_depth knows distances
      graph_u32 scale;
      graph_u64 vertices;
      graph_u64 edges; // indices of edges
      graph_u64 rows;
      graph_u64 columns;
      graph_u64 factor; // edges made a vertex
      graph_u64 share; // keep, rewire, reach
      graph_u64 seed;
    } graph_made;

    // Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators: the finaliser of SplitMix64.
    GRAPH_FUNCTION graph_u64 graph_mix(graph_u64 x) {
      x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
      x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
      return x ^ (x >> 31);
    }
    // Random number `k` of item `i`.
    GRAPH_FUNCTION graph_u64 graph_random(graph_u64 seed, graph_u64 i, graph_u64 k) {
      return graph_mix(graph_mix(seed * 0x9e3779b97f4a7c15ull + i) + k * 0xd1342543de82ef95ull);
    } GRAPH_FUNCTION graph_u64 graph_below(graph_u64 random, graph_u64 n) {
      return (random >> 32) * n >> 32;
    } // n <= 2^32

    // A permutation of the numbers of `scale` bits: each step is invertible.
    GRAPH_FUNCTION graph_u64 graph_scramble(graph_u64 x, graph_u32 scale, graph_u64 seed) {
      const graph_u64 mask = scale < 64 ? (1ull << scale) - 1 : ~0ull;
      graph_u32 round = 0;
      for (; round < 3; ++round) {
        const graph_u64 r = graph_mix(seed + round + 1);
        x = (x * (r | 1) + (r >> 32)) & mask;
        x ^= x >> (scale / 2 + 1);
      }
      return x;
    }
    // Chakrabarti, Zhan and Faloutsos, R-MAT: A Recursive Model for Graph Mining.
    GRAPH_FUNCTION void graph_kronecker_edge(const graph_made *g, graph_u64 i, graph_u64 *s, graph_u64 *t) {
      graph_u64 a = 0;
      graph_u64 b = 0;
      graph_u64 bits = 0;
      graph_u32 level = 0;
      for (; level < g->scale; ++level) {
        graph_u32 draw;
        if (level % 2 == 0) bits = graph_random(g->seed, i, level / 2);
        draw = (graph_u32)bits;
        bits >>= 32;
        // .57, .76, .95 of 2^32
        a = a * 2 + (draw >= 3264175145u);
        b = b * 2 + ((draw >= 2448131359u && draw < 3264175145u) || draw >= 4080218931u);
      }
      *s = graph_scramble(a, g->scale, g->seed);
      *t = graph_scramble(b, g->scale, g->seed);
    }
    // Four points a cell, cells row by row; pairs within a cell, and with the next cell in the row and those below.
    GRAPH_FUNCTION void graph_geometric_edge(const graph_made *g, graph_u64 i, graph_u64 *s, graph_u64 *t) {
      const graph_u64 v = i / 20;
      const graph_u64 cell = v / 4;
      const graph_u64 row = cell / g->columns;
      const graph_u64 column = cell % g->columns;
      const int side = (int)(i % 20 / 4); // 0: this cell; 1: right; 2 to 4: below
      const graph_u64 down = side >= 2;
      const int right = side < 2 ? side : side - 3;
      const graph_u64 w = ((row + down) * g->columns + column + (graph_u64)(long long)right) * 4 + i % 4;
      const graph_u64 here = graph_random(g->seed, v, 0);
      const graph_u64 there = graph_random(g->seed, w, 0);
      long long x;
      long long y;
      *s = v;
      *t = v;
      if (row + down >= g->rows || (right < 0 && column == 0) || (right > 0 && column + 1 == g->columns)) return;
      if (side == 0 && w <= v) return;
      // 2^16 a cell
      x = (long long)(there & 0xffff) - (long long)(here & 0xffff) + right * 65536ll;
      y = (long long)(there >> 16 & 0xffff) - (long long)(here >> 16 & 0xffff) + (long long)down * 65536ll;
      if ((graph_u64)(x * x + y * y) <= g->share * g->share * 65536ull) *t = w;
    }
    // Source in the lower half, target in the upper: a pair of u32 in memory.
    GRAPH_FUNCTION graph_u64 graph_edge(const graph_made *g, graph_u64 i) {
      const graph_u64 n = g->vertices;
      const graph_u64 r = graph_random(g->seed, i, 0);
      graph_u64 s = 0;
      graph_u64 t = 0;
      switch (g->kind) {
      case GRAPH_KRONECKER: graph_kronecker_edge(g, i, &s, &t); break;
      case GRAPH_UNIFORM:
        s = graph_below(r, n);
        t = graph_below(graph_random(g->seed, i, 1), n);
        break;
      case GRAPH_GRID:
      case GRAPH_TORUS: {
        const graph_u64 row = i / 2 / g->columns;
        const graph_u64 column = i / 2 % g->columns;
        const int wraps = g->kind == GRAPH_TORUS;
        s = t = i / 2;
        if (i % 2 == 0) t = column + 1 < g->columns ? s + 1 : wraps ? s - column : s;
        else t = row + 1 < g->rows ? s + g->columns : wraps ? column : s;
        if (!wraps && (r >> 48) >= g->share) t = s;
        break;
      }
      case GRAPH_GEOMETRIC: graph_geometric_edge(g, i, &s, &t); break;
      case GRAPH_SMALL: // Watts and Strogatz, Collective Dynamics of Small-World Networks
        s = i / g->factor;
        t = (s + i % g->factor + 1) % n;
        if ((r & 0xffff) < g->share) t = graph_below(graph_random(g->seed, i, 1), n);
        break;
      case GRAPH_CHAIN:
        s = i;
        t = i + 1;
        break;
      case GRAPH_RING:
        s = i;
        t = (i + 1) % n;
        break;
      case GRAPH_STAR: t = i + 1; break;
      case GRAPH_HYPERCUBE:
        s = i / g->scale;
        t = s | 1ull << (i % g->scale);
        break;
      case GRAPH_TREE:
        s = i / 2;
        t = i + 1;
        break;
      case GRAPH_COMPLETE:
        s = i / n;
        t = i % n > s ? i % n : s;
        break;
      default: // GRAPH_PIECES
        s = i;
        t = (i + 1) % g->columns ? i + 1 : i;
      }
      return s | t << 32;
    })
#pragma GCC diagnostic pop

// ---- descriptions

typedef struct graph_kind {
  const char *name;
  int exact;
  const char *numbers; // words of a description: n, s(cale), r(ows), c(olumns), f(actor), k(eep), w (rewire), R(each)
} graph_kind;
__attribute__((unused)) static const graph_kind graph_kinds[GRAPH_KINDS] = {
    {"kronecker", 0, "sf"},
    {"uniform", 0, "nf"},
    {"grid", 0, "rck"},
    {"geometric", 0, "rcR"},
    {"small_world", 0, "nfw"},
    {"chain", 1, "n"},
    {"ring", 1, "n"},
    {"star", 1, "n"},
    {"torus", 1, "rc"},
    {"hypercube", 1, "s"},
    {"tree", 1, "n"},
    {"complete", 1, "n"},
    {"pieces", 1, "nc"},
};

// Derives sizes. 0: they exceed pairs of u32.
GRAPH_FUNCTION int graph_size(graph_made *g) {
  const graph_u64 most = 0xffffffffull;
  if (g->scale > 31 || g->rows > most || g->columns > most || g->vertices > most || !g->factor || g->factor > 1 << 20)
    return 0;
  if (g->kind == GRAPH_KRONECKER || g->kind == GRAPH_HYPERCUBE) g->vertices = 1ull << g->scale;
  if (g->kind == GRAPH_GRID || g->kind == GRAPH_TORUS) g->vertices = g->rows * g->columns;
  if (g->kind == GRAPH_GEOMETRIC) {
    if (g->rows * g->columns > most) return 0;
    g->vertices = g->rows * g->columns * 4;
  }
  if (g->kind == GRAPH_PIECES && !g->columns) return 0;
  if (g->kind == GRAPH_GEOMETRIC && g->share > 256) return 0; // beyond the neighbouring cells
  if (g->vertices > most) return 0;
  switch (g->kind) {
  case GRAPH_KRONECKER:
  case GRAPH_UNIFORM:
  case GRAPH_SMALL: g->edges = g->vertices * g->factor; break;
  case GRAPH_GRID:
  case GRAPH_TORUS: g->edges = g->vertices * 2; break;
  case GRAPH_GEOMETRIC: g->edges = g->vertices * 20; break;
  case GRAPH_HYPERCUBE: g->edges = g->vertices * g->scale; break;
  case GRAPH_COMPLETE: g->edges = g->vertices * g->vertices; break;
  case GRAPH_RING: g->edges = g->vertices; break;
  default: g->edges = g->vertices ? g->vertices - 1 : 0;
  }
  return 1;
}

// "kind name=number ...", or with colons for the blanks (a word of a cell): n, scale, rows, columns, factor (16), seed
// (1), keep and rewire in per cent (90, 10), reach in per cent of a cell (60). Numbers may end in K or M (2^10, 2^20).
// 0: no such graph.
GRAPH_FUNCTION int graph_read(const char *text, graph_made *g) {
  static const char *const names[] = {"n", "scale", "rows", "columns", "factor", "keep", "rewire", "reach", "seed"};
  double number[9] = {1024, 10, 32, 32, 16, 90, 10, 60, 1};
  const size_t length = strcspn(text, " :");
  memset(g, 0, sizeof *g);
  for (g->kind = 0; g->kind < GRAPH_KINDS; ++g->kind)
    if (strlen(graph_kinds[g->kind].name) == length && !strncmp(text, graph_kinds[g->kind].name, length)) break;
  if (g->kind == GRAPH_KINDS) return 0;
  for (text += length; *(text += strspn(text, " :"));) {
    const size_t name = strcspn(text, "= :");
    char *end;
    int k;
    for (k = 0; k < 9 && (strlen(names[k]) != name || strncmp(text, names[k], name)); ++k) {}
    if (k == 9 || text[name] != '=') return 0;
    number[k] = strtod(text + name + 1, &end);
    if (end == text + name + 1 || !(number[k] >= 0) || number[k] > 1e18) return 0;
    if (*end == 'K') number[k] *= 1024, ++end;
    else if (*end == 'M') number[k] *= 1048576, ++end;
    if (*end && *end != ' ' && *end != ':') return 0;
    text = end;
  }
  for (int k = 0; k < 5; ++k)
    if (number[k] > 4294967295.0) return 0;
  g->exact = graph_kinds[g->kind].exact;
  g->flags = GP_SYMMETRISE | GP_UNIQUE_EDGES | GP_DROP_LOOPS;
  g->vertices = (graph_u64)number[0];
  g->scale = (graph_u32)number[1];
  g->rows = (graph_u64)number[2];
  g->columns = (graph_u64)number[3];
  g->factor = (graph_u64)number[4];
  g->seed = (graph_u64)number[8];
  g->share = (graph_u64)(g->kind == GRAPH_GEOMETRIC ? number[7] * 2.56
          : g->kind == GRAPH_SMALL ? number[6] * 655.36
          : number[5] * 655.36);
  return graph_size(g);
}

// ---- edges

// Edges first .. first + count - 1 as pairs of u32.
GRAPH_FUNCTION void graph_edges(const graph_made *g, graph_u64 first, graph_u64 count, uint32_t *pairs) {
  long long i;
#ifdef _OPENMP
#pragma omp parallel for if (count > 65536)
#endif
  for (i = 0; i < (long long)count; ++i) {
    const graph_u64 edge = graph_edge(g, first + (graph_u64)i);
    pairs[2 * i] = (uint32_t)edge;
    pairs[2 * i + 1] = (uint32_t)(edge >> 32);
  }
}

#if !defined(GPUPRIMS_SIMT)
static inline void graph_edge_of(void *user, void *result, const void *a, const void *b) {
  uint64_t i, edge;
  (void)b;
  memcpy(&i, a, sizeof i);
  edge = graph_edge((const graph_made *)user, i);
  memcpy(result, &edge, sizeof edge);
}
// The operator that turns numbers into edges. On the host back end `g` must live as long as the context.
GRAPH_FUNCTION gp_result graph_edge_operator(gp_context *ctx, const graph_made *g, gp_op *made) {
  static const char head[] = "#define GRAPH_FUNCTION static __device__ inline\n";
  gp_op_desc op = gp_op_desc_init();
  char body[600], *prelude;
  gp_result result;
  snprintf(body, sizeof body,
      "const graph_made g = {%d, %d, %d, %uu, %lluull, %lluull, %lluull, %lluull, %lluull, %lluull, %lluull};\n"
      "return graph_edge(&g, a);",
      g->kind, g->flags, g->exact, g->scale, g->vertices, g->edges, g->rows, g->columns, g->factor, g->share, g->seed);
  prelude = (char *)malloc(sizeof head + sizeof graph_text);
  if (!prelude) return GP_E_MEMORY;
  strcpy(prelude, head);
  strcat(prelude, graph_text);
  op.name = "graph_edge";
  op.body = body;
  op.prelude = prelude;
  op.arity = 1;
  op.host = graph_edge_of;
  op.host_user = (void *)(uintptr_t)g;
  result = gp_op_define(ctx, &op, made);
  free(prelude);
  return result;
}
// Makes all edges of a graph with its operator, in memory of 8 bytes each: writes numbers, then turns them into edges
// in place.
GRAPH_FUNCTION gp_result graph_edges_by(gp_context *ctx, gp_op op, const graph_made *g, void *pairs, gp_stream stream) {
  const gp_result result = gp_iota(ctx, GP_U64, NULL, NULL, pairs, g->edges, stream);
  gp_call edges = gp_call_init(GP_TRANSFORM);
  edges.op = op;
  edges.in_type = GP_U64;
  edges.in = edges.out = pairs;
  edges.count = g->edges;
  return result ? result : gp_run(ctx, &edges, stream);
}
// Makes the operator and the edges. The operator stays with the context: for one graph after another, in tests and
// examples.
GRAPH_FUNCTION gp_result graph_edges_on(gp_context *ctx, const graph_made *g, void *pairs, gp_stream stream) {
  gp_op op;
  const gp_result result = graph_edge_operator(ctx, g, &op);
  return result ? result : graph_edges_by(ctx, op, g, pairs, stream);
}
#endif

// Bytes that gp_graph_from_edges must move for n vertices, m edges of u32 pairs and e edges in the graph (both
// directions, each once), offsets of o bytes: the list, keys, a sort that reads and writes them four times, unique, the
// graph.
GRAPH_FUNCTION double graph_built_bytes(double n, double m, double e, double o) {
  return 8 * m + 16 * m + 2 * m * (8 * 8 + 16) + e * 12 + n * o;
}

// ---- distances

// The length of a shortest path from a to b, -1 without one. Needs g->exact, and each edge with its opposite.
GRAPH_FUNCTION long long graph_depth(const graph_made *g, graph_u64 a, graph_u64 b) {
  const graph_u64 n = g->vertices;
  const graph_u64 gap = a > b ? a - b : b - a;
  switch (g->kind) {
  case GRAPH_CHAIN: return (long long)gap;
  case GRAPH_RING: return (long long)(gap < n - gap ? gap : n - gap);
  case GRAPH_STAR: return a == b ? 0 : a && b ? 2 : 1;
  case GRAPH_COMPLETE: return a != b;
  case GRAPH_HYPERCUBE: return __builtin_popcountll(a ^ b);
  case GRAPH_TORUS: {
    const graph_u64 ra = a / g->columns, rb = b / g->columns, ca = a % g->columns, cb = b % g->columns;
    const graph_u64 down = ra > rb ? ra - rb : rb - ra, right = ca > cb ? ca - cb : cb - ca;
    return (long long)((down < g->rows - down ? down : g->rows - down) +
        (right < g->columns - right ? right : g->columns - right));
  }
  case GRAPH_TREE: {
    long long steps = 0;
    for (; a != b; ++steps) // the larger one has no ancestor below
      if (a > b) a = (a - 1) / 2;
      else b = (b - 1) / 2;
    return steps;
  }
  default: // GRAPH_PIECES
    return a / g->columns == b / g->columns ? (long long)gap : -1;
  }
}

#endif // GP_GRAPHS_H
