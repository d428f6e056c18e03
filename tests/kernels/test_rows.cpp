// Which row of a tuned table serves a search of a graph: that of its sizes of offsets and vertices and of its mean
// degree's class, in the bucket of its bytes; the portable rule where there is none. And a transpose: that of its
// elements, on aligned rows of about as many elements as there are rows. Usage: test_rows
#include "simt.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#define ROW_OF(ROW, primitive, offset, vertex, degree, from, to, threads, alpha)                                       \
  ROW("portable", primitive, offset, vertex, degree, from, to, GP_EXPAND_CONTRACT, threads, 0, 0, 0, 0, 0, 0, alpha,   \
      0, 0, 0, 0, 0, 0, "made up")
#define GP_POLICY_ROWS(ROW)                                                                                            \
  ROW_OF(ROW, GP_BFS, 4, 4, 0, 0, 30, 128, 3)                                                                          \
  ROW_OF(ROW, GP_BFS, 4, 4, 8, 0, 20, 256, 5)                                                                          \
  ROW_OF(ROW, GP_BFS, 4, 4, 8, 20, 64, 512, -1)                                                                        \
  ROW_OF(ROW, GP_BFS, 8, 4, 8, 0, 64, 256, 7)                                                                          \
  ROW_OF(ROW, GP_BFS, 8, 8, 8, 0, 64, 256, 9)                                                                          \
  ROW_OF(ROW, GP_BFS_SOURCES, 4, 4, 8, 0, 64, 256, 11)                                                                 \
  ROW("portable", GP_TRANSPOSE, 4, 0, 4, 0, 64, GP_PADDED_TILES, 512, 1, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0,          \
      "made up")                                                                                                       \
  ROW("portable", GP_TRANSPOSE, 2, 0, 2, 0, 64, GP_SWIZZLED_TILES, 512, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,         \
      "made up")
#include "gpuprims.h"

#include <cstdio>

static int passed, failed;

struct Case {
  gp_primitive primitive;
  gp_type offset, vertex;
  uint64_t vertices, edges;
  int threads, alpha; // 0: the portable rule's
};

static void look_up(gp_context *ctx, const gp__table *table, const Case &which) {
  gp_graph graph = {};
  gp_call call = gp_call_init(which.primitive);
  gp__request request;
  gp_policy policy = {}, none = {};
  gp_policy_source source = GP_POLICY_CALLER;
  graph.vertices = which.vertices, graph.edges = which.edges;
  graph.offset_type = which.offset, graph.vertex_type = which.vertex;
  call.graph = &graph;
  call.count = which.primitive == GP_BFS_SOURCES ? 64 : 0;
  bool good = gp__check_call(ctx->state, "test", &call, 0, 0, &request) == GP_SUCCESS;
  gp__shape shape = gp__shape_of(&request);
  shape.compute_capability = 90, shape.multiprocessors = 132, shape.shared_bytes = gp__shared_bytes_of(90);
  good = good && gp__choose("test", NULL, &shape, table, &policy, &source) == GP_SUCCESS;
  const gp_policy rule = gp__portable(none, shape);
  good = good && source == GP_POLICY_PORTABLE && policy.threads == (which.threads ? which.threads : rule.threads) &&
         policy.alpha == (which.alpha ? which.alpha : rule.alpha) && policy.small > 0 && policy.cluster > 0;
  ++(good ? passed : failed);
  if (!good)
    std::printf("FAILED: primitive %d, %llu vertices, %llu edges: threads %d, alpha %d %s\n", int(which.primitive),
                (unsigned long long)which.vertices, (unsigned long long)which.edges, policy.threads, policy.alpha,
                gp_last_message());
}

static void look_up_transpose(gp_context *ctx, const gp__table *table, gp_type type, uint64_t rows, uint64_t columns,
                              bool served) {
  gp_permutation p = {};
  gp_call call = gp_call_init(GP_TRANSPOSE);
  gp__request request;
  gp_policy policy = {};
  gp_policy_source source = GP_POLICY_CALLER;
  p.dimensions = 2;
  p.order[0] = 1;
  p.extent[0] = rows, p.extent[1] = columns;
  call.in_type = call.out_type = type;
  call.permutation = &p;
  bool good = gp__check_call(ctx->state, "test", &call, 0, 0, &request) == GP_SUCCESS;
  gp__shape shape = gp__shape_of(&request);
  shape.compute_capability = 90, shape.multiprocessors = 132, shape.shared_bytes = gp__shared_bytes_of(90);
  good = good && gp__choose("test", NULL, &shape, table, &policy, &source) == GP_SUCCESS &&
         (source == GP_POLICY_PORTABLE && policy.threads == 512) == served;
  ++(good ? passed : failed);
  if (!good)
    std::printf("FAILED: %llu x %llu: threads %d, stages %d %s\n", (unsigned long long)rows,
                (unsigned long long)columns, policy.threads, policy.stages, gp_last_message());
}

int main() {
  static const Case cases[] = {
      {GP_BFS, GP_U32, GP_U32, 1000, 7999, 128, 3}, // fewer than 8 edges a vertex, and 8
      {GP_BFS, GP_U32, GP_U32, 1000, 8000, 256, 5},
      {GP_BFS, GP_U32, GP_U32, 1000000, 4000000, 128, 3}, // a grid, and a graph of as many bytes that is none
      {GP_BFS, GP_U32, GP_U32, 150000, 4850000, 512, -1},
      {GP_BFS, GP_U32, GP_U32, 1 << 13, (1 << 18) - (1 << 13) - 1, 256, 5}, // a word below 1 MiB, and 1 MiB
      {GP_BFS, GP_U32, GP_U32, 1 << 13, (1 << 18) - (1 << 13), 512, -1},
      {GP_BFS, GP_U32, GP_U32, 1 << 27, 1 << 28, 0, 0}, // above the bucket of grids
      {GP_BFS, GP_U64, GP_U32, 1 << 20, 1 << 25, 256, 7},
      {GP_BFS, GP_U64, GP_U64, 1 << 20, 1 << 25, 256, 9},
      {GP_BFS, GP_U32, GP_U64, 1 << 20, 1 << 25, 0, 0},
      {GP_BFS, GP_U64, GP_U32, 1 << 20, 1 << 22, 0, 0},
      {GP_BFS_SOURCES, GP_U32, GP_U32, 1 << 20, 1 << 25, 256, 11}, // whatever its words of bits are
      {GP_BFS_SOURCES, GP_U32, GP_U32, 1 << 20, 1 << 22, 0, 0},
  };
  gp_config config = gp_config_init();
  gp_context *ctx = NULL;
  gp__table table;
  config.backend = GP_BACKEND_HOST;
  if (gp_open(&config, &ctx)) return std::printf("%s\n", gp_last_message()), 1;
  gp__make_table(&table, "", 90);
  for (const Case &which : cases) look_up(ctx, &table, which);
  look_up_transpose(ctx, &table, GP_U32, 1024, 1024, true);
  look_up_transpose(ctx, &table, GP_U32, 256, 4096, true);
  look_up_transpose(ctx, &table, GP_U32, 4096, 128, false); // more than 16 times as many
  look_up_transpose(ctx, &table, GP_U32, 128, 4096, false);
  look_up_transpose(ctx, &table, GP_U32, 1024, 1023, false); // rows begin anywhere
  look_up_transpose(ctx, &table, GP_U64, 1024, 1024, false);
  look_up_transpose(ctx, &table, GP_U16, 1024, 1024, false); // not the rule's algorithm
  gp_close(ctx);
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
