// A kernel depends only on its text. Random valid calls over all primitives, types, operators, policies, flags, sizes
// and pointers, on the emulated driver, where nothing runs. Each call runs in its own context and in a shared one,
// which keeps few kernels:
//   - both launch the same programs with the same blocks and shared memory, whatever the shared context did before;
//   - the shared context never holds one program twice;
//   - after gp_prepare of the call nothing is compiled or loaded, be it with the call's pointers or, where these are
//     aligned to 16 bytes and none is in place, with NULL in place of its buffers;
//   - a prepared call launches what gp_run launches, and a launch that fails is the call's failure;
//   - a workspace of the caller's with gp_workspace_size's bytes serves every call;
//   - after gp_reserve of what gp_workspace_size says, the call asks for no more than a place of their own for words.
// 24,000 calls of the first seed must reach every kernel of the library. Usage: test_kernel_sharing [calls] [seed]
#include "simt.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "fake_driver.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

static int passed, failed;
static std::mt19937_64 source;

static uint64_t below(uint64_t n) { return source() % n; }
static bool often(unsigned percent) { return below(100) < percent; }
template<class T> static T one_of(std::initializer_list<T> list) { return list.begin()[below(list.size())]; }

// ---- a context, and its launches

struct Launch {
  std::string program;
  unsigned grid, threads, shared_bytes;
  bool operator==(const Launch &b) const {
    return program == b.program && grid == b.grid && threads == b.threads && shared_bytes == b.shared_bytes;
  }
};
static std::vector<Launch> launches;
static std::map<std::string, int> loaded; // programs of the watched context
static bool watched;
static std::string twice; // a program loaded during its life
static long failed_launches;
static long too_small; // workspaces of the caller's
static long quick, slow; // prepared calls whose plans serve calls with other pointers; others

static int occupancy(int *blocks, void *, int threads, size_t shared_bytes) {
  const unsigned by_shared = unsigned(228 * 1024 / (shared_bytes + 1024)), by_threads = unsigned(2048 / threads);
  *blocks = int(by_shared < by_threads ? by_shared : by_threads);
  return 0;
}
static int load(void **module, const void *image) {
  const int error = fake::cuModuleLoadData(module, image);
  if (error || !watched) return error;
  const std::string &program = static_cast<fake::Module *>(*module)->program;
  if (loaded[program]++) twice = program;
  return 0;
}
static int unload(void *module) {
  if (watched) loaded.erase(static_cast<fake::Module *>(module)->program);
  return fake::cuModuleUnload(module);
}
static int keep(gp__cu_pointer, unsigned char, size_t, void *) { return 0; }
static uint64_t allocated; // bytes of the latest workspace
static void *allocate(void *, size_t bytes, gp_stream) { // memory that nobody touches
  static uint64_t next = uint64_t(1) << 60;
  allocated = bytes;
  return reinterpret_cast<void *>(next += 256);
}
static void release(void *, void *, size_t, gp_stream) {}

struct Handles {
  gp_type types[3];
  gp_op unary, predicate, binary, order, same;
};
static gp_context *open_one(Handles *h, gp_backend backend = GP_BACKEND_CUDA) {
  static gp_driver driver;
  gp_config c = gp_config_init();
  gp_context *ctx = nullptr;
  driver = *fake::table();
  driver.cuMemsetD8Async = keep;
  driver.cuOccupancyMaxActiveBlocksPerMultiprocessor = occupancy;
  driver.cuModuleLoadData = load, driver.cuModuleUnload = unload;
  c.backend = backend, c.driver = &driver, c.cache_dir = "", c.allocate = allocate, c.release = release;
  if (gp_open(&c, &ctx) != GP_SUCCESS) {
    printf("FAILED: %s\n", gp_last_message());
    exit(1);
  }
  static const size_t sizes[] = {4, 24, 32}, alignments[] = {2, 8, 16};
  for (int i = 0; i < 3; ++i) {
    gp_type_desc d = gp_type_desc_init();
    const std::string name = "struct_" + std::to_string(i);
    d.name = name.c_str(), d.size = sizes[i], d.align = alignments[i];
    gp_type_struct(ctx, &d, &h->types[i]);
  }
  gp_op *const ops[] = {&h->unary, &h->predicate, &h->binary, &h->order, &h->same};
  static const char *const names[] = {"mine", "test", "fold", "before", "same"};
  for (int i = 0; i < 5; ++i) {
    gp_op_desc d = gp_op_desc_init();
    const std::string body = std::string("return ") + names[i] + "(a);";
    d.name = names[i], d.body = body.c_str(), d.arity = i < 2 ? 1 : 2, d.identity = "{}";
    gp_op_define(ctx, &d, ops[i]);
  }
  return ctx;
}

// ---- a random call

// All host memory of a call.
struct Drawn {
  gp_call call;
  gp_policy policy;
  gp_permutation permutation;
  gp_axes axes;
  gp_field in_fields[5], out_fields[5];
  gp_key_field key_fields[3];
  gp_layout in_layout, out_layout;
  gp_graph graph, out_graph;
  gp_aggregate aggregates[8];
  gp_column columns[GP_COLUMN_LIMIT];
  gp_input keys, values;
  alignas(16) unsigned char init[64], step[64];
  bool plain; // aligned to 16 bytes, not in place, optional buffers by type: NULL means the same
};

static uint64_t draw_count() {
  return often(10) ? below(3) : often(60) ? below(100000) : (uint64_t(1) << below(35)) - below(2);
}
// A buffer in its own memory, which nobody touches.
template<class T = void> static T *at(unsigned number, uint64_t offset = 0) {
  return reinterpret_cast<T *>((uint64_t(number) << 50) + offset);
}

static void draw_graph(gp_graph *g, unsigned number) {
  *g = gp_graph_init();
  g->vertices = 1 + below(1 << 20), g->edges = often(90) ? below(1 << 24) : below(uint64_t(1) << 33);
  g->offset_type = g->edges >> 32 ? GP_U64 : one_of<gp_type>({GP_U32, GP_U64});
  g->vertex_type = one_of<gp_type>({GP_U32, GP_U64});
  g->offsets = at(number), g->targets = at(number + 1);
  if (often(40)) g->in_offsets = at(number + 2), g->in_sources = at(number + 3);
  else if (often(40)) g->flags = GP_SYMMETRIC;
}

static void draw(gp_primitive p, const Handles &h, Drawn *d) {
  const uint64_t reads = gp__reads(p);
  gp_call &c = d->call;
  memset(d, 0, sizeof *d);
  c = gp_call_init(p);
  d->plain = often(50);
  const gp_type usual = gp_type(1 + below(GP_TYPE_COUNT - 1));
  const auto type = [&] {
    return often(70) ? usual : often(80) ? gp_type(1 + below(GP_TYPE_COUNT - 1)) : h.types[below(3)];
  };
  const auto shift = [&] { return d->plain || often(70) ? 0 : often(50) ? 8 * below(2) : 4 * below(4); };
  const auto op = [&] {
    return often(80) ? gp_op(1 + below(GP_OP_COUNT - 1)) : one_of({h.unary, h.predicate, h.binary, h.order, h.same});
  };
  c.count = draw_count();
  if (reads & GP__READS_IN_TYPE) c.in_type = often(80) ? type() : GP_TYPE_DEFAULT;
  if (reads & GP__READS_OUT_TYPE) c.out_type = often(40) ? type() : c.in_type;
  if ((reads & GP__READS_OUT_TYPE) && often(20)) c.out_type = one_of<gp_type>({GP_U32, GP_U64});
  if (reads & GP__READS_KEY_TYPE) c.key_type = type();
  if ((reads & GP__READS_ACC_TYPE) && often(25)) c.acc_type = type();
  if ((reads & GP__READS_IN2_TYPE) && often(70)) c.in2_type = type();
  if (reads & GP__READS_OFFSET_TYPE)
    c.offset_type = often(90) ? one_of<gp_type>({GP_I32, GP_U32, GP_I64, GP_U64}) : gp_type();
  const bool ranks = p == GP_TOP_K || p == GP_SEGMENTED_TOP_K; // indices beside values only
  if ((reads & GP__READS_OUT2_TYPE) && often(70) && (c.in_type || !ranks))
    c.out2_type = one_of<gp_type>({GP_U32, GP_U64});
  if ((reads & GP__READS_OP) && often(90)) c.op = op();
  if ((reads & GP__READS_TRANSFORM) && often(30)) c.transform = op();
  if ((reads & GP__READS_EQUAL) && often(60)) c.equal = one_of<gp_op>({GP_EQUAL, GP_NOT_EQUAL, GP_HEADS, h.same});
  if ((reads & GP__READS_IN) && (c.in_type || !(reads & GP__READS_IN_TYPE))) c.in = at(1, shift());
  if ((reads & GP__READS_IN2) && (c.in2_type || (reads & GP__READS_KEYS2 && c.in_type))) c.in2 = at(2, shift());
  if (gp__finds_difference(p)) c.in2_type = often(50) ? c.in_type : GP_TYPE_DEFAULT;
  if (p == GP_TRANSFORM2 || gp__finds_difference(p)) c.in2 = at(2, shift());
  if (p == GP_LEXICOGRAPHIC) c.count2 = draw_count();
  const bool passes = p == GP_SCATTER || p == GP_GATHER;
  if (passes && (p == GP_GATHER || often(70)))
    c.in2_type = one_of<gp_type>({GP_I32, GP_U32, GP_I64, GP_U64}), c.in2 = at(2, shift());
  else if (passes) c.in2_type = GP_TYPE_DEFAULT, c.in2 = nullptr;
  if (p == GP_COPY_BATCH) c.in = at(1), c.in2 = at(2);
  if (p == GP_SEGMENTED_TOP_K) c.in2 = often(50) ? at(2) : nullptr;
  if (reads & GP__READS_KEYS && c.key_type) c.keys = at(3, shift());
  if (gp__is_bound(p)) c.keys = at(3, shift()), c.key_type = often(50) ? c.in_type : gp_type();
  if ((reads & GP__READS_KEYS) && gp__is_predicated(p) && c.op) c.keys = nullptr, c.key_type = GP_TYPE_DEFAULT;
  if (reads & GP__READS_KEYS2) c.keys2 = at(4), c.count2 = draw_count();
  if (c.offset_type || p == GP_HISTOGRAM_RANGES) c.begin = at(5);
  if ((reads & GP__READS_END) && p != GP_SEGMENTED_SORT && c.offset_type && often(30)) c.end = at(6);
  if (reads & GP__READS_OUT) c.out = at(7, shift());
  if (reads & GP__READS_OUT_KEYS) c.out_keys = at(8, shift());
  if ((reads & GP__READS_OUT2) && (c.out2_type || !(reads & GP__READS_OUT2_TYPE))) c.out2 = at(9, shift());
  if ((reads & GP__READS_OUT3) && (c.predicate2 || p == GP_SWAP)) c.out3 = at(10, shift());
  if (reads & GP__READS_OUT_COUNT) c.out_count = at<uint64_t>(11);
  if ((reads & GP__READS_COUNT_DEVICE) && often(10)) c.count_device = at<uint64_t>(12);
  if (reads & GP__READS_SEGMENTS) c.segments = often(10) ? 0 : 1 + below(100000);
  if (p == GP_TOP_K && often(36)) {
    c.rows = 1 + below(100000), c.count = below(100000);
    if (c.count_device) d->plain = false; // the results of rows that the device may shorten have sorts of their own
  }
  if ((reads & GP__READS_SEGMENT_LENGTH) && !c.offset_type) c.segment_length = below(5000);
  const uint64_t within = c.count ? below(often(50) ? c.count : 1000) : 0;
  if (reads & GP__READS_KEY_COUNT) c.key_count = within;
  if (reads & GP__READS_K) c.k = within;
  if (p == GP_TOP_K && often(36)) { // is filtered, or bounded
    c.count = (16 << 20) + below(1 << 24);
    c.k = 1 + below(often(50) ? 4096 : c.count / 32);
    if (often(50)) c.in_type = c.out_type = c.out2_type = GP_TYPE_DEFAULT, c.in = c.out = c.out2 = nullptr;
  }
  if (reads & GP__READS_N) c.n = passes && !c.in2 ? 0 : within;
  if ((p == GP_SEGMENTED_REDUCE || p == GP_SEGMENTED_TOP_K) && !c.offset_type) c.count = 0;
  if (p == GP_SEGMENTED_TOP_K && often(90)) c.k = below(often(50) ? 3000 : 1025);
  if (gp__finds_truth(p)) c.out_type = GP_TYPE_DEFAULT;
  if (p == GP_NTH_ELEMENT) c.out = nullptr;
  if (reads & GP__READS_BINS)
    c.bins = 1 + below(often(50) ? 300 : 3000000), c.channels = int(below(5)), c.active = int(below(4));
  if ((reads & GP__READS_INIT) && often(50)) c.init = d->init;
  if (p == GP_FILL || p == GP_REPLACE) c.value = d->init;
  if (p == GP_IOTA) c.start = d->init, c.step = often(50) ? d->step : nullptr;
  if (p == GP_HISTOGRAM_EVEN) c.lower = d->init, c.upper = d->step, memset(d->step, 0x3f, sizeof d->step);
  if (p == GP_SHUFFLE) c.seed = below(1000);
  if (gp__is_predicated(p)) {
    if (c.op && often(80)) c.op = one_of<gp_op>({GP_EQUAL, GP_LESS, GP_GREATER_EQUAL, h.predicate});
    if (c.predicate2 && often(80)) c.predicate2 = one_of<gp_op>({GP_EQUAL, GP_LESS, h.predicate});
    c.scalar = c.op && c.op < GP_OP_COUNT ? d->init : nullptr;
    c.scalar2 = c.predicate2 && c.predicate2 < GP_OP_COUNT ? d->step : nullptr;
  } else if (passes || p == GP_REPLACE) {
    if (passes && often(30)) c.keys = nullptr, c.key_type = GP_TYPE_DEFAULT;
    c.op = passes && (!c.keys || often(30)) ? GP_OP_DEFAULT : one_of<gp_op>({GP_EQUAL, GP_LESS, h.predicate});
    c.scalar = c.op && c.op < GP_OP_COUNT ? d->step : nullptr;
    if (passes && c.transform && often(60)) c.transform = one_of<gp_op>({GP_NEGATE, GP_CONVERT, h.unary});
    if (passes && !c.transform) c.out_type = GP_TYPE_DEFAULT;
  } else if (p == GP_MISMATCH || p == GP_EQUAL_ARRAYS || p == GP_ADJACENT_FIND)
    c.op = one_of<gp_op>({GP_OP_DEFAULT, GP_EQUAL, GP_NOT_EQUAL, h.same});
  else if (gp__is_ordered(p) || gp__is_bound(p) || p == GP_LEXICOGRAPHIC)
    c.op = one_of<gp_op>({GP_OP_DEFAULT, GP_LESS, GP_GREATER, h.order});
  if (p == GP_SORT) {
    c.transform = GP_OP_DEFAULT, c.acc_type = GP_TYPE_DEFAULT;
    if (often(30)) c.key_type = h.types[below(3)];
    if (c.key_type >= GP_TYPE_COUNT && often(50)) {
      c.field_count = int(1 + below(2)), c.fields = d->key_fields;
      for (int i = 0; i < c.field_count; ++i)
        d->key_fields[i] = {2 * below(2), one_of<gp_type>({GP_U16, GP_I16, GP_F16, GP_U8}), int(below(2))};
    } else if (c.key_type >= GP_TYPE_COUNT) c.transform = h.unary, c.acc_type = usual;
    if (often(10)) c.out_keys = nullptr, d->plain = false;
  }
  if ((p == GP_SORT || p == GP_SEGMENTED_SORT) && often(40))
    c.begin_bit = int(below(17)), c.end_bit = c.begin_bit + int(1 + below(20));
  if ((p == GP_SORT || p == GP_MERGE_SORT || p == GP_SEGMENTED_SORT || p == GP_TOP_K || p == GP_SEGMENTED_TOP_K) &&
      often(15))
    c.in_type = GP_TYPE_DEFAULT, c.in = nullptr;
  if ((reads & GP__READS_KEYS) && !c.in_type && !c.out_type && p != GP_NONTRIVIAL_RUNS) c.out = nullptr; // keys alone
  if (often(35))
    c.flags = one_of<int>({GP_REPRODUCIBLE, GP_CHECKED, GP_RIGHT, GP_DESCENDING, GP_UNSORTED, GP_KEEP_GAPS,
        GP_UNTIL_TARGET, GP_CHECKED | GP_REPRODUCIBLE, GP_SYMMETRISE, GP_UNIQUE_EDGES, GP_DROP_LOOPS, GP_EXCLUSIVE});
  if ((c.flags & GP_CHECKED) || p == GP_CHECK_OFFSETS) c.bad = at<uint64_t>(13);
  if (p == GP_TRANSPOSE) {
    gp_permutation &m = d->permutation = gp_permutation_init();
    c.count = 0, c.permutation = &m;
    m.dimensions = int(1 + below(4));
    for (int i = 0; i < m.dimensions; ++i) m.order[i] = i, m.extent[i] = 1 + below(often(50) ? 70 : 3000);
    for (int i = m.dimensions - 1; i > 0; --i) std::swap(m.order[i], m.order[below(uint64_t(i) + 1)]);
    if (m.dimensions > 1 && often(30)) m.extent[m.dimensions - 2] = m.extent[m.dimensions - 1]; // square
    if (often(30))
      for (int i = 0; i < m.dimensions; ++i) m.extent[i] = (m.extent[i] / 16 + 1) * 16;
    if (often(20))
      m.dimensions = 2, m.order[0] = 1, m.order[1] = 0, m.extent[0] = 64 * (1 + below(600)),
      m.extent[1] = 64 * (1 + below(60));
    if (often(15) && m.dimensions > 1) m.in_stride[m.dimensions - 2] = m.extent[m.dimensions - 1] + below(9);
  }
  if (p == GP_SORT_AXIS || p == GP_TOP_K_AXIS) {
    uint64_t extent[4];
    for (uint64_t &e : extent) e = 2 + below(often(60) ? 40 : 300);
    const int axis = int(below(4));
    if (p == GP_TOP_K_AXIS) c.k = 1 + below(extent[axis]);
    gp_axes &a = d->axes = c.k ? gp_axes_top_k(4, extent, axis, c.k) : gp_axes_mapped(4, extent, axis);
    if (often(30)) a.in_stride[3] = -300;
    if (often(30)) a.out_stride[0] += 3;
    c.count = 0, c.axes = &a;
    c.out_type = often(50) ? GP_TYPE_DEFAULT : one_of<gp_type>({GP_I32, GP_U32, GP_I64, GP_U64});
    c.out = c.out_type ? at(7, shift()) : nullptr;
  }
  if (p == GP_REDUCE_AXIS || p == GP_ROW_MAP || p == GP_SCAN_AXIS) {
    uint64_t extent[4];
    for (uint64_t &e : extent) e = 1 + below(often(60) ? 40 : 3000);
    if (often(30)) extent[0] = extent[1] = 1, extent[3] = below(1 << 22);
    gp_axes &a = d->axes = gp_axes_mapped(4, extent, int(below(4)));
    if (often(30)) a.in_stride[3] = -3000, a.in_stride[2] = 1;
    c.count = 0, c.axes = &a;
    if (p == GP_SCAN_AXIS && often(50)) c.flags = GP_EXCLUSIVE;
    if (p == GP_ROW_MAP) c.apply = often(70) ? one_of<gp_op>({GP_SUB, GP_SUM, GP_MAX, GP_BIT_OR}) : h.same;
  }
  if (p == GP_CONVERT_LAYOUT) {
    const int n = int(1 + below(5));
    size_t size = 0;
    for (int i = 0; i < n; ++i) {
      const size_t bytes = one_of<size_t>({1, 2, 3, 4, 8, 12});
      d->in_fields[i] = {size + below(2), bytes};
      size = d->in_fields[i].offset + bytes;
    }
    d->in_layout = {sizeof(gp_layout), one_of<uint64_t>({GP_AOS, GP_SOA, 32, 4, 1000}), size + below(3), d->in_fields,
        n, 0, nullptr, 0, {}};
    size = 0;
    for (int i = n - 1; i >= 0; --i) d->out_fields[i] = {size, d->in_fields[i].size}, size += d->in_fields[i].size;
    d->out_layout = {
        sizeof(gp_layout), one_of<uint64_t>({GP_AOS, GP_SOA, 32, 4, 1000}), size, d->out_fields, n, 0, nullptr, 0, {}};
    if (often(30)) {
      const uint64_t extent[4] = {c.count, 1, 1, 1};
      d->out_layout.order = GP_AXES(3, 1, 0, 2);
      memcpy(d->in_layout.extent, extent, sizeof extent), memcpy(d->out_layout.extent, extent, sizeof extent);
      for (uint64_t e = 7; e > 1; --e)
        if (d->in_layout.extent[0] % e == 0) {
          const int axis = int(1 + below(3));
          d->in_layout.extent[0] /= e, d->in_layout.extent[axis] *= e;
        }
      memcpy(d->out_layout.extent, d->in_layout.extent, sizeof extent);
    }
    if (often(30)) memcpy(d->out_fields, d->in_fields, sizeof d->in_fields), d->out_layout.size = d->in_layout.size;
    c.in = at(1, shift()), c.out = at(7, shift()), c.in_layout = &d->in_layout, c.out_layout = &d->out_layout;
  }
  if ((gp__primitive_of(p)->traits & GP__TAKES_GRAPH) || p == GP_GRAPH_FROM_EDGES) {
    draw_graph(&d->graph, 14), draw_graph(&d->out_graph, 18);
    d->out_graph.in_offsets = d->out_graph.in_sources = nullptr;
    if (p != GP_GRAPH_FROM_EDGES) c.graph = &d->graph, c.count = 0;
    if (p == GP_GRAPH_FROM_EDGES) {
      c.in_type = one_of<gp_type>({GP_I32, GP_U32, GP_U64}), c.in = at(1), c.count = d->out_graph.edges / 2;
      c.in2 = often(50) ? at(2) : nullptr, c.out_graph = &d->out_graph, c.out = nullptr;
      c.bad = often(50) ? at<uint64_t>(13) : nullptr;
    }
    if (p == GP_GRAPH_RELABEL) {
      const gp_graph g = d->out_graph;
      d->out_graph = d->graph, d->out_graph.offsets = g.offsets, d->out_graph.targets = g.targets;
      d->out_graph.in_offsets = d->out_graph.in_sources = nullptr, c.out_graph = &d->out_graph;
    }
    if (p == GP_GRAPH_TRANSPOSE) d->graph.in_offsets = at(16), d->graph.in_sources = at(17), c.out = nullptr;
    if (p == GP_BFS_SOURCES) c.count = 1 + below(70), c.source_device = at<uint64_t>(12);
    if (p == GP_BFS && often(30)) c.out2 = nullptr;
    if (gp__is_search(p)) c.bad = nullptr, c.fault = c.flags & GP_CHECKED ? at<gp_fault>(13) : nullptr;
    if (p == GP_BFS && often(20)) c.statistics = at<gp_traversal>(22);
    if (p == GP_BFS_CHECK) c.in = at(1), c.in2 = often(50) ? at(2) : nullptr;
  }
  if (p == GP_SORT_COLUMNS) {
    c.columns = d->columns, c.column_count = 1 + below(GP_COLUMN_LIMIT);
    c.key_columns = below(c.column_count < uint64_t(GP_KEY_LIMIT) ? c.column_count : uint64_t(GP_KEY_LIMIT));
    for (unsigned i = 0; i < c.column_count; ++i)
      d->columns[i] = {gp_type(1 + below(GP_TYPE_COUNT - 1)), int(i < c.key_columns && often(50)), at(24 + i % 16),
          i < c.key_columns && often(50) ? nullptr : at(100 + i)};
    c.key_type = gp_type(1 + below(GP_TYPE_COUNT - 1)), c.keys = at(2), c.out_keys = at(8);
    c.out_type = often(50) ? one_of<gp_type>({GP_I32, GP_U32, GP_I64, GP_U64}) : GP_TYPE_DEFAULT;
    c.out = c.out_type ? at(7) : nullptr;
  } else if (gp__has_table(p)) {
    if (often(80)) c.count = below(1 << 24);
    c.capacity = p == GP_JOIN || often(50) ? below(c.count + 2) : 0;
    c.out2 = nullptr;
  }
  if (p == GP_JOIN) {
    c.count2 = below(1 << 22);
    c.join = gp_join_kind(below(5)), c.out_type = one_of<gp_type>({GP_U32, GP_I64}), c.out = at(7);
    if (c.join <= GP_JOIN_LEFT) c.out2 = at(9);
    if (c.join == GP_JOIN_FLAGS) c.out_type = GP_TYPE_DEFAULT, c.out_count = nullptr, c.capacity = 0;
  }
  if (p == GP_GROUP_BY_MANY) {
    c.aggregates = d->aggregates, c.aggregate_count = 1 + below(8);
    for (unsigned i = 0; i < c.aggregate_count; ++i) {
      gp_aggregate &a = d->aggregates[i];
      a.op = gp_aggregate_op(1 + below(7)), a.out = at(40 + i);
      if (a.op != GP_AGGREGATE_COUNT) a.type = gp_type(1 + below(GP_TYPE_COUNT - 1)), a.column = at(24 + i);
    }
  }
  if (!d->plain && often(30))
    c.out = const_cast<void *>(c.in), c.out_keys = const_cast<void *>(c.out_keys ? c.keys : nullptr);
  if (p == GP_TRANSPOSE && !d->plain && often(50)) {
    c.out = const_cast<void *>(c.in);
    if (often(40))
      d->permutation.in_stride[0] = 0, d->permutation.extent[0] = 1 + below(200),
      d->permutation.extent[1] = 1 + below(200);
  }
  if (gp__primitive_of(p)->family->composed && gp__primitive_of(p)->family->launch && often(20)) {
    if (often(70)) d->keys = gp_input_array(c.key_type, c.keys), c.keys = &d->keys, c.key_type = GP_INPUT;
    if (c.in_type && often(50))
      d->values = gp_input_array(c.in_type, c.in), c.in = &d->values, c.in_type = GP_INPUT, c.out_type = gp_type();
    if (c.in_type == GP_INPUT && c.keys2) c.in2 = c.in;
    if (c.key_type == GP_INPUT && c.keys2) c.keys2 = c.keys;
  }
  if (often(60)) { // a policy of the caller: some fields, the others by default
    d->policy.algorithm = int(below(GP_ALGORITHM_COUNT));
    if (p == GP_SEGMENTED_REDUCE && often(30)) d->policy.algorithm = GP_PIPELINED, c.out2 = nullptr;
    if (p == GP_TRANSPOSE && often(70))
      d->policy.algorithm = one_of<int>({GP_BUFFERED_PANELS, GP_ROUND_TRIP, GP_PADDED_TILES});
    if (often(40)) d->policy.threads = one_of({32, 64, 128, 256, 384, 512, 1024, 1024});
    if (often(40)) d->policy.vectors = int(below(10));
    if (often(15)) d->policy.stages = int(below(5));
    if (often(15)) d->policy.blocks_per_sm = int(below(7));
    if (often(15)) d->policy.load = int(below(4));
    if (often(15)) d->policy.store = int(below(4));
    if (often(10)) d->policy.overlap = 1;
    if (often(10)) d->policy.cluster = one_of({1, 8, 16});
    c.policy = &d->policy;
  }
}

// Not a description in host memory.
static bool is_device(const void *p) { return reinterpret_cast<uintptr_t>(p) >= uintptr_t(1) << 50; }
// The same call without its buffers. Descriptions of a graph or a segment stay: `end`, the lists of incoming edges,
// counts in device memory.
static gp_call without_buffers(const gp_call &c) {
  gp_call n = c;
  n.begin = nullptr;
  if (c.in_type != GP_INPUT) n.in = n.in2 = nullptr;
  if (c.key_type != GP_INPUT) n.keys = n.keys2 = nullptr;
  n.out = n.out_keys = n.out2 = n.out3 = nullptr;
  n.out_count = n.bad = nullptr;
  n.statistics = nullptr, n.fault = nullptr, n.source_device = nullptr, n.count_device = nullptr;
  return n;
}

// ---- judging

static std::string describe(const Drawn &d) {
  const gp_call &c = d.call;
  char text[1024];
  snprintf(text, sizeof text,
      "%s op %d transform %d equal %d types in %d in2 %d key %d offset %d acc %d out %d out2 %d count %llu count2 %llu "
      "segments %llu k %llu bins %llu bits [%d, %d) flags %d in %p out %p keys %p out_keys %p out2 %p end %p "
      "out3 %p out_count %p count_device %p capacity %llu policy %d %d %d %d %d %d %d %d cluster %d",
      gp__primitive_names[c.primitive], c.op, c.transform, c.equal, c.in_type, c.in2_type, c.key_type, c.offset_type,
      c.acc_type, c.out_type, c.out2_type, (unsigned long long)c.count, (unsigned long long)c.count2,
      (unsigned long long)c.segments, (unsigned long long)(c.k | c.n | c.key_count | c.segment_length),
      (unsigned long long)c.bins, c.begin_bit, c.end_bit, c.flags, c.in, c.out, c.keys, c.out_keys, c.out2, c.end,
      c.out3, (const void *)c.out_count, (const void *)c.count_device, (unsigned long long)c.capacity,
      d.policy.algorithm, d.policy.threads, d.policy.vectors, d.policy.load, d.policy.store, d.policy.stages,
      d.policy.blocks_per_sm, d.policy.overlap, d.policy.cluster);
  return text;
}
static std::map<std::string, int> complaints;
static void check(bool good, const Drawn &d, const char *what, const std::string &more) {
  if (good) {
    ++passed;
    return;
  }
  ++failed;
  const std::string kind = std::string(what) + " of " + gp__primitive_names[d.call.primitive];
  if (complaints[kind]++ < 2) printf("FAILED: %s: %s\n  %s\n", kind.c_str(), describe(d).c_str(), more.c_str());
}

// The largest blocks that a policy may ask for, for every algorithm: extra warps of an algorithm fit too.
static void check_widest_blocks(gp_context *ctx, Drawn d, const gp__request &q) {
  gp_policy asked = {}, p;
  gp_policy_source from;
  for (int algorithm = 0; algorithm < GP_ALGORITHM_COUNT; ++algorithm)
    for (const int threads : {1024, 992, 960}) {
      asked.algorithm = algorithm, asked.threads = threads, d.policy = asked, d.call.policy = &asked;
      if (gp_policy_origin(ctx, &d.call, &p, &from) != GP_SUCCESS) continue;
      gp__kernel_kind kinds[GP__KINDS_MAX];
      gp__shape h = gp__shape_of(&q);
      gp__shape_on(&h, &ctx->state->about);
      for (int i = gp__kinds_of(&q, &p, kinds); i-- > 0;) {
        const gp__geometry g = gp__geometry_of_kind(p, &h, kinds[i]);
        check(g.threads <= 1024, d, "a block of more than 1024 threads", std::to_string(g.threads));
      }
    }
}

// A prepared call launches what gp_run launches, and again after all of its buffers have moved.
static void check_prepared(gp_context *ctx, const Drawn &d, const std::vector<Launch> &expected) {
  gp_prepared *prepared = nullptr;
  gp_call c = d.call;
  gp_result result = gp_prepared_open(ctx, &c, &prepared);
  check(result == GP_SUCCESS, d, "gp_prepared_open", result ? gp_last_message() : "");
  if (result != GP_SUCCESS) return;
  for (int moved = 0; moved < 3; ++moved) {
    launches.clear();
    result = gp_prepared_run(prepared, &c, nullptr);
    check(result == GP_SUCCESS, d, "gp_prepared_run", result ? gp_last_message() : "");
    check(launches == expected, d, "other launches of a prepared call", prepared->quick ? "quick" : "by a new plan");
#define MOVED(member) \
  if (is_device(c.member)) \
    c.member = reinterpret_cast<decltype(c.member)>(reinterpret_cast<uintptr_t>(c.member) + (1 << 20));
    GP__CALL_POINTERS(MOVED)
#undef MOVED
  }
  ++(prepared->quick ? quick : slow);
  gp_prepared_close(prepared);
}

// A call with a workspace of the caller's, of gp_workspace_size's bytes, launches the same and allocates nothing; with
// less it launches nothing, or needs no more.
static void check_lent(gp_context *ctx, const Drawn &d, uint64_t need, const std::vector<Launch> &expected) {
  gp_call c = d.call;
  c.workspace = reinterpret_cast<void *>(uintptr_t(1) << 56);
  for (const uint64_t bytes : {need, need - std::min<uint64_t>(need, 256)}) {
    c.workspace_bytes = bytes;
    launches.clear(), allocated = 0;
    const gp_result result = gp_run(ctx, &c, nullptr);
    const std::string more = std::to_string(bytes) + " bytes: " + (result ? gp_last_message() : "");
    if (bytes < need && result == GP_E_WORKSPACE) {
      ++too_small;
      check(launches.empty(), d, "launches before a workspace is found to be too small", more);
    } else {
      check(result == GP_SUCCESS, d, "a call with a workspace of the caller's", more);
      check(launches == expected, d, "other launches with a workspace of the caller's", more);
    }
    check(!allocated, d, "an allocation beside a workspace of the caller's", more);
  }
}

// A launch that fails is the call's failure, and the next call runs.
static void check_failure(gp_context *ctx, const Drawn &d) {
  unsigned long calls = fake::counts.total;
  gp_run(ctx, &d.call, nullptr);
  calls = fake::counts.total - calls;
  if (!calls) return;
  fake::fail_at = fake::counts.total + 1 + below(calls), fake::failed_call.clear();
  const gp_result result = gp_run(ctx, &d.call, nullptr);
  fake::fail_at = 0;
  const bool launch = !fake::failed_call.rfind("cuLaunch", 0);
  failed_launches += launch;
  check(!launch || result == GP_E_DRIVER, d, "a launch that failed in silence", gp_result_name(result));
  check(gp_run(ctx, &d.call, nullptr) == GP_SUCCESS, d, "a call after one that failed", gp_last_message());
}

// Sums by key that are the same on every device are calls of two kinds. Without buffers gp_prepare builds both.
static void sums_by_key(gp_primitive p) {
  static const gp_type keys[] = {GP_U8, GP_U32, GP_I64}, values[] = {GP_F16, GP_F32, GP_F64};
  for (const gp_type key : keys)
    for (const gp_type value : values) {
      Handles handles;
      gp_context *const own = open_one(&handles);
      Drawn d;
      d.call = gp_call_init(p);
      d.call.op = GP_SUM, d.call.flags = GP_REPRODUCIBLE, d.call.count = 70000;
      d.call.key_type = key, d.call.in_type = d.call.out_type = value;
      d.call.keys = reinterpret_cast<void *>(uintptr_t(1) << 50),
      d.call.in = reinterpret_cast<void *>(uintptr_t(2) << 50);
      d.call.out_keys = reinterpret_cast<void *>(uintptr_t(3) << 50);
      d.call.out = reinterpret_cast<void *>(uintptr_t(4) << 50);
      d.call.out_count = reinterpret_cast<uint64_t *>(uintptr_t(5) << 50);
      const gp_call named = without_buffers(d.call);
      gp_result result = gp_prepare(own, &named);
      check(result == GP_SUCCESS, d, "gp_prepare", result ? gp_last_message() : "");
      const unsigned long compiled = fake::counts.calls["nvrtcCompileProgram"];
      check(compiled > 0, d, "gp_prepare builds kernels", "");
      result = gp_run(own, &d.call, nullptr);
      check(result == GP_SUCCESS, d, "gp_run", result ? gp_last_message() : "");
      check(compiled == fake::counts.calls["nvrtcCompileProgram"], d, "a kernel that gp_prepare did not build",
          fake::last_program);
      gp_close(own);
    }
}

int main(int argc, char **argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 20000;
  const unsigned long seed = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1;
  std::map<std::string, long> seen; // launched kernels
  long valid[GP_PRIMITIVE_COUNT] = {0};
  Handles handles;
  setvbuf(stdout, nullptr, _IOLBF, 0);
  source.seed(seed);
  fake::machine.run = false;
  fake::on_launch = [](const fake::Module &m, const gp__cu_launch &l) {
    launches.push_back(Launch{m.program, l.grid_x, l.block_x, l.shared_bytes});
  };
  for (const int capability : {90, 80, 75}) {
    static const char *const names[] = {"NVIDIA H200", "Some Other Device"};
    fake::machine.capability = capability, fake::machine.name = names[capability != 90];
    fake::machine.shared_bytes = gp__shared_bytes_of(capability), fake::machine.multiprocessors = 132;
    fake::machine.clusters = 8, fake::machine.occupancy = 16; // no cooperative launch is refused
    Handles of_host;
    gp_context *const on_host = open_one(&of_host, GP_BACKEND_HOST);
    watched = true;
    gp_context *const shared = open_one(&handles);
    watched = false, loaded.clear(), twice.clear();
    sums_by_key(GP_REDUCE_BY_KEY), sums_by_key(GP_GROUP_BY);
    for (long i = 0; i < calls / (capability == 90 ? 2 : 4);) {
      // Transposes have the most kernels of all primitives.
      const gp_primitive p = often(4) ? (gp_primitive)GP_TRANSPOSE : gp_primitive(1 + below(GP_PRIMITIVE_COUNT - 1));
      Drawn d;
      gp__request q;
      Handles again;
      draw(p, handles, &d);
      if (gp__check_call(shared->state, "fuzz", &d.call, 0, 1, &q) != GP_SUCCESS) continue;
      {
        gp_policy policy;
        gp_policy_source from;
        if (gp_policy_origin(shared, &d.call, &policy, &from) != GP_SUCCESS) {
          d.call.policy = nullptr; // such a call uses none of these fields
          if (gp_policy_origin(shared, &d.call, &policy, &from) != GP_SUCCESS) continue;
        }
      }
      ++i, ++valid[p];
      check_widest_blocks(shared, d, q);
      gp_context *const own = open_one(&again);
      const gp_call named = without_buffers(d.call);
      const bool null = d.plain && often(70);
      gp_result result = gp_prepare(own, null ? &named : &d.call);
      check(result == GP_SUCCESS, d, "gp_prepare", result ? gp_last_message() : "");
      const unsigned long compiled = fake::counts.calls["nvrtcCompileProgram"];
      const unsigned long modules = fake::counts.calls["cuModuleLoadData"];
      uint64_t need = 0;
      result = gp_workspace_size(own, &d.call, &need);
      { // the host back end says the same of this device
        gp_description device = gp_description_init();
        uint64_t elsewhere = 1;
        gp_describe(own, &device);
        const gp_result there = gp_workspace_size_on(on_host, &d.call, &device, &elsewhere);
        check(there == result && elsewhere == need, d, "gp_workspace_size_on",
            there ? gp_last_message() : std::to_string(elsewhere) + " bytes, not " + std::to_string(need));
      }
      if (p != GP_TRANSPOSE || d.call.in != d.call.out) { // the answer does not depend on alignment
        gp_call aligned = d.call;
        uint64_t elsewhere = 1;
#define ALIGNED(member) \
  if (is_device(aligned.member)) \
    aligned.member = reinterpret_cast<decltype(aligned.member)>(reinterpret_cast<uintptr_t>(aligned.member) & -256);
        GP__CALL_POINTERS(ALIGNED)
#undef ALIGNED
        const gp_result there = gp_workspace_size(own, &aligned, &elsewhere);
        check(there == result && elsewhere == need, d, "gp_workspace_size of aligned buffers",
            there ? gp_last_message() : std::to_string(elsewhere) + " bytes, not " + std::to_string(need));
      }
      if (result == GP_SUCCESS) result = gp_reserve(own, nullptr, need);
      check(result == GP_SUCCESS, d, "gp_reserve", result ? gp_last_message() : "");
      const uint64_t reserved = allocated; // a power of two
      launches.clear(), allocated = 0;
      result = gp_run(own, &d.call, nullptr);
      check(result == GP_SUCCESS, d, "gp_run", result ? gp_last_message() : "");
      // Words may need a place of their own, which a capture does without.
      check(allocated <= 2 * std::max<uint64_t>(reserved, 65536), d, "more room than gp_workspace_size says",
          std::to_string(need) + " bytes were reserved, then " + std::to_string(allocated));
      check(compiled == fake::counts.calls["nvrtcCompileProgram"] && modules == fake::counts.calls["cuModuleLoadData"],
          d, null ? "a kernel that gp_prepare without buffers did not build" : "a kernel that gp_prepare did not build",
          fake::last_program);
      const std::vector<Launch> expected = launches;
      launches.clear();
      watched = true;
      const gp_result other = gp_run(shared, &d.call, nullptr);
      watched = false;
      check(other == result, d, "a result beside other calls", other ? gp_last_message() : "");
      bool same = launches.size() == expected.size();
      size_t at = 0;
      while (same && at < launches.size() && launches[at] == expected[at]) ++at;
      check(same && at == launches.size(), d, "another kernel's text or launch",
          same && at < launches.size() ? "launched:\n" + launches[at].program + "\nexpected:\n" + expected[at].program
              : "other numbers of launches");
      check(twice.empty(), d, "one program loaded twice", twice);
      check_prepared(own, d, expected);
      check_lent(own, d, need, expected);
      check_failure(own, d);
      twice.clear();
      for (const Launch &l : expected) {
        const size_t name = l.program.find("{ gp__") + 2;
        ++seen[l.program.substr(name, l.program.find('<', name) - name)];
      }
      gp_close(own);
    }
    gp_close(on_host);
    watched = true;
    gp_close(shared);
    watched = false;
  }
#define NAMED(KIND, kernel, arguments, names, traits) #kernel,
  static const char *const kernels[] = {GPUPRIMS__KINDS(NAMED)};
#undef NAMED
  std::string missing;
  for (const char *kernel : kernels)
    if (!seen.count(kernel)) missing += std::string(" ") + kernel;
  Drawn none = {};
  if (calls >= 26000) check(missing.empty() || seed != 1, none, "a kernel that never came up", missing);
  for (int p = 1; calls >= 26000 && p < GP_PRIMITIVE_COUNT; ++p)
    check(valid[p] > calls / 1000, none, "few valid calls",
        std::string(gp__primitive_names[p]) + ": " + std::to_string(valid[p]));
  check(failed_launches > calls / 6, none, "few launches that failed", std::to_string(failed_launches));
  check(too_small > calls / 10, none, "few workspaces are too small", std::to_string(too_small));
  check(quick > calls / 3, none, "few plans of prepared calls are kept", std::to_string(quick));
  printf("prepared calls: %ld of %ld plans serve other pointers\n", quick, quick + slow);
  check(fake::leaks().empty(), none, "leaks", fake::leaks());
  for (const auto &c : complaints) printf("%d times: %s\n", c.second, c.first.c_str());
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
