// The choice of rows. A graph search takes the row for its sizes of offsets and vertices and its mean degree's class,
// in the bucket of its bytes, or the portable rule. A transpose takes the row of its element size, if its rows are
// aligned and about as long as they are many. Each of the header's own rows is found where it should serve, no two are
// equal, and their policies are valid. Usage: test_rows
#include "simt.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#define ROW_OF(ROW, primitive, offset, vertex, degree, from, to, threads, alpha) \
  ROW("portable", primitive, offset, vertex, degree, from, to, GP_EXPAND_CONTRACT, threads, 0, 0, 0, 0, 0, 0, alpha, \
      0, 0, 0, 0, 0, 0, "made up")
#define GP_POLICY_ROWS(ROW) \
  ROW_OF(ROW, GP_BFS, 4, 4, 0, 0, 30, 128, 3) \
  ROW_OF(ROW, GP_BFS, 4, 4, 8, 0, 20, 256, 5) \
  ROW_OF(ROW, GP_BFS, 4, 4, 8, 20, 64, 512, -1) \
  ROW_OF(ROW, GP_BFS, 8, 4, 8, 0, 64, 256, 7) \
  ROW_OF(ROW, GP_BFS, 8, 8, 8, 0, 64, 256, 9) \
  ROW_OF(ROW, GP_BFS_SOURCES, 4, 4, 8, 0, 64, 256, 11) \
  ROW("portable", GP_TRANSPOSE, 4, 0, 4, 0, 64, GP_PADDED_TILES, 512, 1, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
      "made up") \
  ROW("portable", GP_TRANSPOSE, 2, 0, 2, 0, 64, GP_ROUND_TRIP, 512, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "made up")
#include "gpuprims.h"

#include <cstdio>
#include <string>
#include <vector>

static int passed, failed;

struct Case {
  gp_primitive primitive;
  gp_type offset, vertex;
  uint64_t vertices, edges;
  int threads, alpha; // 0: the portable rule's
};

static void look_up(gp_context *ctx, const gp__table *table, const Case &which) {
  gp_graph graph = gp_graph_init();
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
  const gp_policy rule = gp__portable(none, &shape);
  good = good && source == GP_POLICY_PORTABLE && policy.threads == (which.threads ? which.threads : rule.threads) &&
      policy.alpha == (which.alpha ? which.alpha : rule.alpha) && policy.small > 0 && policy.cluster > 0;
  ++(good ? passed : failed);
  if (!good)
    std::printf("FAILED: primitive %d, %llu vertices, %llu edges: threads %d, alpha %d %s\n", int(which.primitive),
        (unsigned long long)which.vertices, (unsigned long long)which.edges, policy.threads, policy.alpha,
        gp_last_message());
}

static void look_up_transpose(
    gp_context *ctx, const gp__table *table, gp_type type, uint64_t rows, uint64_t columns, bool served) {
  gp_permutation p = gp_permutation_init();
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

// ---- the header's own rows

typedef std::vector<gp__policy_row> Rows;
static std::string name_of(size_t i) { return "row " + std::to_string(i); }

// Whether a row that applies to a call of this size chooses, or fills a field that no earlier row has filled.
static bool serves(const Rows &rows, const gp__policy_row &row, unsigned long long size, int algorithm) {
  gp__wanted w = {};
  w.primitive = row.primitive ? row.primitive : GP_PRIMITIVE_COUNT;
  w.in_size = row.in_size >= 0 ? row.in_size : 3, w.acc_size = row.acc_size >= 0 ? row.acc_size : 3;
  w.out_size = row.out_size >= 0 ? row.out_size : 3;
  w.lacks = ~row.when / GP__IF * GP__IF;
  for (unsigned long long &x : w.sizes) x = size;
  const gp__policy_row *found[GP__ROWS_MOST];
  const int all = gp__rows_for(rows.data(), int(rows.size()), NULL, &w, found);
  if (row.when & GP__CHOOSES) {
    int i = 0;
    while (i < all && !(found[i]->when & GP__CHOOSES)) ++i;
    if (i < all && found[i] == &row) return true;
  }
  gp_policy p = {};
  p.algorithm = algorithm;
  for (int i = 0; i < all; ++i) {
    const gp__policy_row *next = found[i];
    const gp__field *f;
    if (!gp__is_row_of(next, algorithm)) continue;
    for (f = gp__fields_all; f->name; ++f) {
      int *field = gp__field_of(&p, f), value = *gp__field_of(const_cast<gp_policy *>(&next->policy), f);
      if (*field || !value) continue;
      if (next == &row) return true;
      *field = value;
    }
  }
  return false;
}
// The faults of rows; empty: none.
static std::string fault_of(const Rows &rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const gp__policy_row &a = rows[i];
    bool found = false;
    if (a.to && a.to <= a.from) return name_of(i) + " serves no size";
    for (size_t j = 0; j < i; ++j) {
      const gp__policy_row &b = rows[j];
      if (a.primitive == b.primitive && a.in_size == b.in_size && a.acc_size == b.acc_size &&
          a.out_size == b.out_size && a.when == b.when && a.policy.algorithm == b.policy.algorithm && a.from == b.from)
        return name_of(i) + " and " + std::to_string(j) + " serve the same calls";
    }
    for (const gp__policy_row &other : rows) {
      const int algorithm = a.policy.algorithm ? a.policy.algorithm : other.policy.algorithm;
      for (unsigned long long size : {a.from, a.from + 1, a.to ? a.to - 1 : 8 * a.from + 8})
        found = found || serves(rows, a, size, algorithm) || serves(rows, a, size, GP_ALGORITHM_COUNT);
    }
    if (!found) return name_of(i) + " is never found";
  }
  return "";
}
static void expect(bool good, const std::string &what) {
  ++(good ? passed : failed);
  if (!good) std::printf("FAILED: %s\n", what.c_str());
}
// The rules' policies are valid, on small devices too.
static void look_at(int primitive, int key, int value, unsigned long long count) {
  for (int capability : {75, 80, 86, 90, 120}) {
    gp__shape s = {};
    gp_policy none = {};
    const bool planned = gp__family_of(primitive) >= GP__FAMILY_SORT;
    s.primitive = primitive, s.count = count, s.segments = 1 + count / 8, s.exact = s.commutative = 1;
    s.compute_capability = capability, s.multiprocessors = 40, s.shared_bytes = gp__shared_bytes_of(capability);
    if (planned) s.key_size = key, s.in_size = value, s.sorted.end_bit = 8 * key;
    else s.in_size = s.out_size = s.acc_size = key, s.key_size = value;
    if (gp__family_of(primitive) == GP__FAMILY_SEGMENTS) s.offset_size = 4, s.key_size = 0;
    if (gp__family_of(primitive) == GP__FAMILY_HISTOGRAM)
      s.histogram.channels = s.histogram.active = 1, s.histogram.bins = 256, s.out_size = 4;
    s.top_k.results = 10; // the best one's
    expect(gp__policy_valid(gp__portable(none, &s), &s),
        std::string(gp__primitive_names[primitive]) + ", " + std::to_string(count) + " of " + std::to_string(key) +
            " and " + std::to_string(value) + " bytes, sm_" + std::to_string(capability));
  }
}
#define ROWS(rows) \
  { #rows, Rows(rows, rows + sizeof rows / sizeof *rows) }
static void look_at_own_rows() {
  const struct {
    const char *name;
    Rows rows;
  } all[] = {ROWS(gp__map_rows), ROWS(gp__reduce_rows), ROWS(gp__scan_rows), ROWS(gp__stream_rows),
      ROWS(gp__segments_rows), ROWS(gp__histogram_rows), ROWS(gp__merge_rows), ROWS(gp__segmented_sort_rows),
      ROWS(gp__top_k_rows), ROWS(gp__graph_rows), ROWS(gp__sort_rows), ROWS(gp__sweep_rows), ROWS(gp__small_sweep_rows),
      ROWS(gp__cooperative_rows)};
  for (const auto &one : all) expect(fault_of(one.rows) == "", one.name + (": " + fault_of(one.rows)));
  Rows broken = all[2].rows; // scans'
  broken.push_back(broken[0]);
  expect(fault_of(broken).find("the same calls") != std::string::npos, "a row twice");
  broken.back().from = 1 << 20, broken.back().to = 1 << 20;
  expect(fault_of(broken).find("no size") != std::string::npos, "a row for no size");
  broken.back().from = 1 << 10; // the row without sizes sets all that it can
  broken.back().when = 0, broken.back().policy = gp_policy();
  expect(fault_of(broken).find("never found") != std::string::npos, "a row that is never found");
  for (int primitive :
      {GP_COPY, GP_REDUCE, GP_INCLUSIVE_SCAN, GP_SELECT, GP_UNIQUE, GP_REDUCE_BY_KEY, GP_SEGMENTED_REDUCE,
          GP_HISTOGRAM_EVEN, GP_SORT, GP_MERGE_SORT, GP_MERGE, GP_SET_UNION, GP_SEGMENTED_SORT, GP_TOP_K})
    for (int key : {1, 2, 4, 8})
      for (int value : {0, 4, 8})
        for (int log2 = 0; log2 < 32; ++log2)
          for (int beside : {-1, 0, 1}) look_at(primitive, key, value, (1ull << log2) + beside);
}

int main() {
  static const Case cases[] = {
      {GP_BFS, GP_U32, GP_U32, 1000, 7999, 128, 3}, // fewer than 8 edges a vertex, and 8
      {GP_BFS, GP_U32, GP_U32, 1000, 8000, 256, 5},
      {GP_BFS, GP_U32, GP_U32, 1000000, 4000000, 128, 3}, // a grid, and another graph of as many bytes
      {GP_BFS, GP_U32, GP_U32, 150000, 4850000, 512, -1},
      {GP_BFS, GP_U32, GP_U32, 1 << 13, (1 << 18) - (1 << 13) - 1, 256, 5}, // a word below 1 MiB, and 1 MiB
      {GP_BFS, GP_U32, GP_U32, 1 << 13, (1 << 18) - (1 << 13), 512, -1},
      {GP_BFS, GP_U32, GP_U32, 1 << 27, 1 << 28, 0, 0}, // above the bucket of grids
      {GP_BFS, GP_U64, GP_U32, 1 << 20, 1 << 25, 256, 7},
      {GP_BFS, GP_U64, GP_U64, 1 << 20, 1 << 25, 256, 9},
      {GP_BFS, GP_U32, GP_U64, 1 << 20, 1 << 25, 0, 0},
      {GP_BFS, GP_U64, GP_U32, 1 << 20, 1 << 22, 0, 0},
      {GP_BFS_SOURCES, GP_U32, GP_U32, 1 << 20, 1 << 25, 256, 11}, // whatever its words of bits
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
  look_up_transpose(ctx, &table, GP_U32, 1024, 1023, false); // rows may start anywhere
  look_up_transpose(ctx, &table, GP_U64, 1024, 1024, false);
  look_up_transpose(ctx, &table, GP_U16, 1024, 1024, false); // an in-place algorithm
  gp_close(ctx);
  look_at_own_rows();
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
