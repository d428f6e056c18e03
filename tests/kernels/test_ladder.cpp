// examples/ladder under the emulator: the unchanged program and its kernels on adversarial schedules, at sizes around
// blocks and tiles; its comparisons with the host must agree. The library's calls are plain loops here. Copies of
// transfers.c beside kernels: streams whose operations interleave at random. Usage:
// test_ladder [seeds [file that the program's results go to]]
#include <cstddef>
#include <cstdint>
#include <vector>

typedef struct gp_context gp_context;
#include "own_kernels_emulated.h"

#include "examples/ladder/overlap.h"

#include "examples/ladder/ladder.cuh"

#define LADDER_WITHOUT_IMPLEMENTATION
#define main ladder_main
#include "examples/ladder/ladder.c"
#undef main

static const emulated_kernel *emulated_kernel_of(const char *, const char *name) {
  static const emulated_kernel kernels[] = {EMULATED(reduce_1), EMULATED(reduce_2), EMULATED(reduce_3),
      EMULATED(reduce_4), EMULATED(reduce_5), EMULATED(reduce_6_128), EMULATED(reduce_7_128), EMULATED(reduce_7_256),
      EMULATED(reduce_7_512), EMULATED(reduce_7_1024), EMULATED(transpose_naive), EMULATED(transpose_shared),
      EMULATED(transpose_padded), EMULATED(transpose_rows), EMULATED(floats_some), EMULATED(floats_coalesced),
      EMULATED(float3_naive), EMULATED(floats_permuted), EMULATED(float3_shared), EMULATED(read_4), EMULATED(read_8)};
  for (const emulated_kernel &kernel : kernels)
    if (!std::strcmp(kernel.name, name)) return &kernel;
  return nullptr;
}

// ---- the library's calls

#include "own_calls_emulated.h"
static gp_host_fn operators[2];
gp_result gp_op_define(gp_context *, const gp_op_desc *desc, gp_op *op) {
  static int count;
  operators[count % 2] = desc->host;
  *op = gp_op(1000 + count++ % 2);
  return GP_SUCCESS;
}
gp_result gp_transpose(
    gp_context *, gp_type, const void *in, uint64_t, uint64_t rows, uint64_t columns, void *out, uint64_t, gp_stream) {
  for (uint64_t i = 0; i < rows * columns; ++i)
    simt::host_write(
        static_cast<float *>(out) + i % columns * rows + i / columns, static_cast<const float *>(in) + i, 4);
  return GP_SUCCESS;
}
gp_result gp_run(gp_context *, const gp_call *call, gp_stream) {
  if (call->primitive == GP_REDUCE) {
    uint32_t sum = 0;
    for (uint64_t i = 0; i < call->count; ++i) sum += uint32_t(static_cast<const int *>(call->in)[i]);
    simt::host_write(call->out, &sum, sizeof sum);
    return GP_SUCCESS;
  }
  const size_t size = call->in_type == GP_F32 ? 4 : 12;
  for (uint64_t i = 0; i < call->count; ++i) {
    float value[3];
    operators[call->op - 1000](nullptr, value, static_cast<const char *>(call->in) + i * size, nullptr);
    simt::host_write(static_cast<char *>(call->out) + i * size, value, size);
  }
  return GP_SUCCESS;
}

// ---- the test

static int passed, failed;

static void run(ladder *l, table t) {
  const int launches = emulated_launches;
  measure(l, &t);
  const bool good = !l->wrong && simt::error().empty() && emulated_launches > launches && !simt::live_allocations();
  if (good) ++passed;
  else if (++failed < 20)
    std::printf("FAILED: %s n=%llu %u x %u %s\n", family_names[t.family], (unsigned long long)t.n, t.width, t.height,
        simt::error().c_str());
  l->wrong = 0;
  simt::clear_error();
}

// ---- copies beside kernels

// Streams are queues; run() takes the next operation of one of them at random.
struct Queues {
  struct Operation {
    bool copies;
    uint64_t begin, bytes;
  };
  std::vector<Operation> queues[4];
  std::vector<unsigned char> host, device;
  std::vector<unsigned> worked; // on each byte
  bool good = true;

  static void copy(void *self, uint64_t begin, uint64_t bytes, int stream) {
    static_cast<Queues *>(self)->queues[stream].push_back({true, begin, bytes});
  }
  static void work(void *self, uint64_t begin, uint64_t bytes, int stream) {
    static_cast<Queues *>(self)->queues[stream].push_back({false, begin, bytes});
  }
  void run(unsigned seed) {
    size_t next[4] = {}, left = 0;
    for (const auto &queue : queues) left += queue.size();
    while (left) {
      seed = seed * 1664525u + 1013904223u;
      const unsigned stream = seed >> 30;
      if (next[stream] == queues[stream].size()) continue;
      const Operation &o = queues[stream][next[stream]++];
      --left;
      good = good && o.begin % 256 == 0 && o.bytes && o.begin + o.bytes <= host.size();
      for (uint64_t i = o.begin; good && i < o.begin + o.bytes; ++i)
        if (o.copies) device[i] = host[i];
        else device[i] = static_cast<unsigned char>(~device[i]), ++worked[i];
    }
  }
};

static bool overlaps(uint64_t bytes, int chunks, int streams, unsigned seed) {
  Queues q;
  q.host.resize(bytes), q.device.assign(bytes, 0x55), q.worked.resize(bytes);
  for (uint64_t i = 0; i < bytes; ++i) q.host[i] = static_cast<unsigned char>(i * 31 + i / 256);
  overlap(bytes, chunks, streams, Queues::copy, Queues::work, &q);
  size_t operations = 0, used = 0;
  for (const auto &queue : q.queues) operations += queue.size(), used += !queue.empty();
  // As many chunks as asked for, or half of them where that rounds; all streams have some.
  const size_t parts = operations / 2, most = size_t(bytes + 255) / 256;
  bool good = parts <= size_t(chunks) && parts <= most && (2 * parts >= size_t(chunks) || 2 * parts >= most);
  good = good && (bytes % (256 * uint64_t(chunks)) || parts == size_t(chunks));
  good = good && used == (parts < size_t(streams) ? parts : size_t(streams));
  q.run(seed);
  for (uint64_t i = 0; i < bytes; ++i)
    good = good && q.worked[i] == 1 && q.device[i] == static_cast<unsigned char>(~q.host[i]);
  return good && q.good;
}

static void test_overlap(int seed) {
  for (uint64_t bytes : {1, 255, 256, 257, 4096, 4100, 65536, 65540})
    for (int chunks : {1, 3, 4, 16})
      for (int streams : {1, 2, 4}) overlaps(bytes, chunks, streams, unsigned(seed)) ? ++passed : ++failed;
  Queues q; // an array that is on the device is not copied
  q.device.assign(4096, 1), q.host = q.device, q.worked.resize(4096);
  overlap(4096, 4, 2, nullptr, Queues::work, &q);
  for (const auto &queue : q.queues)
    for (const auto &operation : queue) q.good = q.good && !operation.copies;
  q.run(unsigned(seed));
  for (size_t i = 0; i < 4096; ++i) q.good = q.good && q.device[i] == 0xfe;
  q.good ? ++passed : ++failed;
}

int main(int argc, char **argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 2;
  static ladder l;
  l.quick = l.batches = 1;
  own_open(&l.gpu, nullptr);
  l.module = own_module(&l.gpu, nullptr, nullptr, nullptr, nullptr, nullptr, 0);
  define(&l);
  for (int seed = 1; seed <= seeds; ++seed) {
    static const uint64_t sums[] = {1, 2, 63, 129, 256, 257, 1023, 4097};
    static const unsigned shapes[][2] = {{1, 1}, {1, 40}, {33, 2}, {16, 16}, {17, 31}, {32, 64}, {65, 33}};
    static const uint64_t floats[] = {6, 762, 768, 774, 1536};
    int number = 100 * seed;
    test_overlap(seed);
    for (uint64_t n : sums) simt::set_random_schedule(uint64_t(++number)), run(&l, reduction_table(&l, n));
    for (auto shape : shapes)
      simt::set_random_schedule(uint64_t(++number)), run(&l, transpose_table(&l, shape[0], shape[1]));
    for (uint64_t n : floats) simt::set_random_schedule(uint64_t(++number)), run(&l, floats_table(&l, n));
  }
  l = ladder(); // the program from end to end: tables, and results as JSON
  static char program[] = "ladder", quick[] = "--quick", out[] = "--out", file[] = "build/test_ladder.json";
  char *arguments[] = {program, quick, out, argc > 2 ? argv[2] : file, nullptr};
  if (ladder_main(4, arguments) || !simt::error().empty()) ++failed;
  else ++passed;
  static char counters[] = "--counters";
  char *counted[] = {program, quick, counters, nullptr}; // each kernel once
  const int launches = emulated_launches;
  l = ladder();
  if (ladder_main(3, counted) || !simt::error().empty() || emulated_launches > launches + 50) ++failed;
  else ++passed;
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
