// examples/tuner/scan without a GPU: the program measures both of its spaces on an emulated library, which refuses some
// policies, and on a Thrust that is made up. Wrong sums must be seen, and FILE must list every configuration. Usage:
// test_tuner_scan
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

typedef struct gp_context gp_context;
#include "own_kernels_emulated.h"

#define TUNER_WITHOUT_IMPLEMENTATION
#define main scan_main
#include "examples/tuner/scan.c"
#undef main

static const emulated_kernel *emulated_kernel_of(const char *, const char *) { return nullptr; }

static int calls, wrong_call = -1; // the number of the call that adds one too much
static void sums(const int *in, int *out, uint64_t count) {
  int sum = calls++ == wrong_call;
  for (uint64_t i = 0; i < count; ++i) {
    sum += in[i];
    simt::host_write(out + i, &sum, sizeof sum);
  }
}

// ---- the library's calls

#include "own_calls_emulated.h"
static gp_policy usual;
static int foreign; // calls whose policy has other members than asked for
gp_result gp_policy_origin(gp_context *, const gp_call *, gp_policy *policy, gp_policy_source *source) {
  *policy = usual;
  *source = GP_POLICY_PORTABLE;
  return GP_SUCCESS;
}
gp_result gp_prepare(gp_context *, const gp_call *) { return GP_SUCCESS; }
gp_result gp_run(gp_context *, const gp_call *call, gp_stream) {
  const gp_policy &policy = *call->policy;
  const bool is_usual =
      policy.algorithm == usual.algorithm && policy.threads == usual.threads && policy.vectors == usual.vectors;
  foreign += policy.stages != (is_usual ? usual.stages : 0) || call->op != GP_SUM || call->in_type != GP_I32;
  if (policy.algorithm == GP_PIPELINED && policy.threads * policy.vectors > 2000) return GP_E_POLICY;
  sums(static_cast<const int *>(call->in), static_cast<int *>(call->out), call->count);
  return GP_SUCCESS;
}

// ---- Thrust

static int thrust_threads_asked, own_scans;
static const char *made_up_about() { return "Thrust, made up"; }
static int made_up_stock(int *threads, int *items) { return *threads = 128, *items = 24, 0; }
static int made_up_has(int threads, int items) { return threads * items < 10000; }
static int made_up_scan(int threads, int items, const int *in, int *out, uint64_t count, void *) {
  if (threads && !made_up_has(threads, items)) return 9;
  own_scans += !threads;
  if (threads > thrust_threads_asked) thrust_threads_asked = threads;
  return sums(in, out, count), 0;
}
static const char *made_up_error(int) { return "an error"; }
static const thrust_scan_table made_up = {
    THRUST_SCAN_ABI, made_up_about, made_up_stock, made_up_has, made_up_scan, made_up_error};

// ---- the test

static int passed, failed;
static void expect(bool good, const char *what) {
  if (good && simt::error().empty() && !simt::live_allocations()) ++passed;
  else ++failed, std::printf("FAILED: %s %s\n", what, simt::error().c_str());
  simt::clear_error();
}

static char name[] = "scan", space[] = "--exhaustive", path[] = "build/test_tuner_scan.jsonl", size[] = "--size",
            few[] = "1000", rounds[] = "--rounds", two[] = "2";
static int measure(tuner_program p) {
  char *arguments[] = {name, space, path, size, few, rounds, two, nullptr};
  calls = 0;
  return tuner_main(&p, 7, arguments);
}
static int tune(tuner_program p) {
  static char tuned[] = "--tune", sections[] = "--sections", fifty[] = "50", runs[] = "--runs";
  char *arguments[] = {name, tuned, path, size, few, sections, fifty, runs, two, nullptr};
  calls = 0;
  return tuner_main(&p, 9, arguments);
}
static int run_once(tuner_program p) {
  char *arguments[] = {name, size, few, nullptr};
  calls = 0;
  return tuner_main(&p, 3, arguments);
}
// Lines of the file that contain a text.
static int lines_with(const char *text) {
  std::ifstream file(path);
  int count = 0;
  for (std::string line; std::getline(file, line);) count += line.find(text) != std::string::npos;
  return count;
}

int main() {
  usual.algorithm = GP_PIPELINED, usual.threads = 256, usual.vectors = 5, usual.stages = 3;
  expect(!measure(scan_program()) && !foreign, "the space of policies");
  expect(lines_with("\"us\": [") == 4 * 35 - 16 && lines_with("\"invalid\": \"") == 16, "policies that are refused");
  expect(lines_with("\"default\": 256") == 1 && lines_with("\"default\": 5,") == 1 && lines_with("{\"values\"") == 140,
      "the library's choice is the default");
  expect(!tune(scan_program()) && calls > 50, "runs under the tuner");
  wrong_call = 7;
  expect(measure(scan_program()) == 1, "a wrong sum of one policy");
  wrong_call = 0;
  expect(run_once(scan_program()) == 1, "a wrong sum of the default");
  wrong_call = 1 + 1 + 7 + SCAN_CALLS - 1; // checked, warm, seven rounds; the last in a row
  expect(run_once(scan_program()) == 1 && calls == wrong_call + 1, "a wrong sum of the last call");
  wrong_call = -1;
  usual.threads = 200;
  expect(!run_once(scan_program()) && scan_parameters[1].start == 256, "a choice that is not in the space");

  scan_of_program.thrust = &made_up;
  usual.threads = 256;
  expect(!run_once(scan_program()) && own_scans == SCAN_CALLS + 1, "ours beside Thrust");
  expect(!measure(thrust_program()) && thrust_threads_asked == 1024, "the space of Thrust");
  expect(lines_with("\"us\": [") + lines_with("\"invalid\": \"the tile") == 32 * 4 && lines_with("\"invalid\"") > 20,
      "tiles that do not fit");
  expect(lines_with("\"program\": \"thrust_scan\"") == 1 && lines_with("\"default\": 24") == 1, "Thrust's own choice");
  own_scans = 0;
  expect(!run_once(thrust_program()) && own_scans == SCAN_CALLS + 1, "Thrust with a policy beside Thrust without");
  wrong_call = 40;
  expect(measure(thrust_program()) == 1, "a wrong sum of Thrust");
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
