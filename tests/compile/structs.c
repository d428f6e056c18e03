// structs.c - a program that fills every struct of the API and links with a library of another version. Each struct
// ends at a page that cannot be read, so that a library which takes it for longer than it is crashes.
//   LATER   the header has members named `later`: 0 runs, 1 is GP_E_UNSUPPORTED
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpuprims.h"

static void *at_end_of_page(const void *made, size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = (char *)mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE)) exit(2);
  return memcpy(pages + page - size, made, size);
}
#define AT_END(type, made) ((type *)at_end_of_page(&(made), sizeof(made)))

static int wrong;
static void expect(const char *what, int good) {
  if (!good) printf("%s: %s\n", what, gp_last_message()), wrong++;
}
static int is_sum(int n, const int *values, int sum) {
  while (n--) sum -= values[n];
  return !sum;
}
#ifdef LATER
#define LAST(made) (made).later = later
#else
#define LAST(made) (void)later
#endif

static void run(int later) {
  static const int in[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
  static const unsigned offsets[4] = {0, 2, 5, 12}, targets[12] = {0};
  static const gp_field fields[2] = {{0, 4}, {4, 4}};
  const gp_result wanted = later ? GP_E_UNSUPPORTED : GP_SUCCESS;
  int out[12] = {0};
  gp_context *ctx = NULL;
  gp_config config = gp_config_init();
  gp_config opened = gp_config_init();
  gp_description about = gp_description_init(), *described;
  gp_type_desc raw = gp_type_desc_init();
  gp_op_desc op = gp_op_desc_init();
  gp_call call = gp_call_init(GP_REDUCE);
  gp_segments segments = gp_segments_init(GP_U32, offsets, 3);
  gp_permutation swap = gp_permutation_init();
  const uint64_t extent[2] = {3, 4};
  gp_axes axes = gp_axes_reduced(2, extent, 1);
  gp_layout structs = gp_layout_init(), arrays;
  gp_graph graph = gp_graph_init();
  gp_tuner_config tuned = gp_tuner_config_init();
  gp_tuner *tuner = NULL;
  gp_degrees degrees;
  gp_type type;
  gp_op handle;
  opened.backend = config.backend = GP_BACKEND_HOST;
  LAST(config);
  expect("gp_config", gp_open(AT_END(gp_config, config), &ctx) == wanted);
  if (!ctx) expect("gp_open", gp_open(&opened, &ctx) == GP_SUCCESS);
  LAST(about);
  described = AT_END(gp_description, about);
  expect("gp_description", gp_describe(ctx, described) == wanted);
  expect("gp_describe", described->struct_size == sizeof about && (later || described->backend == GP_BACKEND_HOST));
  raw.name = "raw", raw.size = 8, raw.align = 4;
  LAST(raw);
  expect("gp_type_desc", gp_type_struct(ctx, AT_END(gp_type_desc, raw), &type) == wanted);
  op.name = "one", op.body = "return a;", op.arity = 1;
  LAST(op);
  expect("gp_op_desc", gp_op_define(ctx, AT_END(gp_op_desc, op), &handle) == wanted);
  call.op = GP_SUM, call.in_type = GP_I32, call.in = in, call.count = 12, call.out = out;
  LAST(call);
  expect("gp_call", gp_run(ctx, AT_END(gp_call, call), NULL) == wanted && (later || is_sum(12, in, out[0])));
  LAST(segments);
  expect("gp_segments",
      gp_segmented_reduce(ctx, GP_SUM, GP_I32, GP_I32, in, 12, AT_END(gp_segments, segments), out, NULL) == wanted &&
          (later || is_sum(7, in + 5, out[2])));
  swap.dimensions = 2, swap.order[0] = 1, swap.extent[0] = 3, swap.extent[1] = 4;
  LAST(swap);
  expect("gp_permutation",
      gp_permute(ctx, GP_I32, AT_END(gp_permutation, swap), in, out, NULL) == wanted &&
          (later || (out[1] == in[4] && out[3] == in[1])));
  LAST(axes);
  expect("gp_axes",
      gp_reduce_axis(ctx, GP_SUM, GP_I32, GP_I32, AT_END(gp_axes, axes), in, out, NULL) == wanted &&
          (later || out[1] == in[4] + in[5] + in[6] + in[7]));
  structs.width = GP_AOS, structs.size = 8, structs.fields = fields, structs.field_count = 2;
  arrays = structs, arrays.width = GP_SOA;
  LAST(structs);
  expect("gp_layout",
      gp_convert_layout(ctx, AT_END(gp_layout, structs), AT_END(gp_layout, arrays), in, 6, out, 0, NULL) == wanted &&
          (later || (out[1] == in[2] && out[6] == in[1])));
  graph.vertices = 3, graph.edges = 12, graph.offsets = offsets, graph.targets = targets;
  LAST(graph);
  expect("gp_graph",
      gp_graph_degrees(ctx, AT_END(gp_graph, graph), &degrees, NULL) == wanted &&
          (later || (degrees.least == 2 && degrees.most == 7)));
  LAST(tuned);
  expect("gp_tuner_config", gp_tuner_open(ctx, AT_END(gp_tuner_config, tuned), &tuner) == wanted);
  if (tuner) gp_tuner_close(tuner);
  expect("gp_close", gp_close(ctx) == GP_SUCCESS);
}

int main(void) {
  run(0);
#ifdef LATER
  run(1);
#endif
  return wrong != 0;
}
