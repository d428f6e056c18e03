// sparse.c - conjugate gradients: solves A x = b for a sparse, symmetric matrix A in CSR form.
//
// A times a vector is one call: a segmented sum over the products of A's entries and the vector's elements at their
// columns. Nothing is stored in between. A is the five-point Laplacian of a square grid.
//
//     cc -I. examples/sparse.c -o sparse -ldl -lpthread -lm && ./sparse
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

#include <math.h>

enum { SIDE = 96, ROWS = SIDE * SIDE, MOST = 5 * ROWS };

static gp_context *ctx;
static device_memory memory;
static gp_segments row_segments;
static double *entries, *scalar; // device memory, as all pointers below
static uint32_t *columns, entry_count;

// to = A * x.
static void multiply(const double *x, double *to) {
  const gp_input a = gp_input_array(GP_F64, entries), column = gp_input_array(GP_U32, columns);
  const gp_input vector = gp_input_array(GP_F64, x), at_columns = gp_input_gathered(&vector, &column);
  const gp_input products = gp_input_of_two(GP_PROD, GP_F64, &a, &at_columns);
  check(gp_segmented_reduce(ctx, GP_SUM, GP_INPUT, GP_F64, &products, entry_count, &row_segments, to, NULL));
}
// The inner product of x and y.
static double dot(const double *x, const double *y) {
  const gp_input a = gp_input_array(GP_F64, x), b = gp_input_array(GP_F64, y);
  const gp_input products = gp_input_of_two(GP_PROD, GP_F64, &a, &b);
  double result;
  check(gp_reduce(ctx, GP_SUM, GP_INPUT, GP_F64, &products, ROWS, scalar, NULL));
  device_memory_read(&memory, &result, scalar, sizeof result);
  return result;
}
// to = x + factor * y.
static void add(const double *x, double factor, const double *y, double *to) {
  const gp_input a = gp_input_array(GP_F64, x), b = gp_input_array(GP_F64, y);
  const gp_input constant = gp_input_constant(GP_F64, &factor);
  const gp_input scaled = gp_input_of_two(GP_PROD, GP_F64, &constant, &b);
  const gp_input sum = gp_input_of_two(GP_SUM, GP_F64, &a, &scaled);
  check(gp_copy(ctx, GP_INPUT, &sum, ROWS, to, NULL));
}
static void swap(double **a, double **b) {
  double *const kept = *a;
  *a = *b;
  *b = kept;
}

int main(void) {
  gp_description description = gp_description_init();
  uint32_t *offsets = (uint32_t *)malloc((ROWS + 1) * sizeof *offsets);
  uint32_t *column = (uint32_t *)malloc(MOST * sizeof *column), k = 0;
  double *value = (double *)malloc(MOST * sizeof *value), *expected = (double *)malloc(ROWS * sizeof *expected);
  double *solution = (double *)malloc(ROWS * sizeof *solution);
  double *x, *r, *p, *q, *next, rr, before, worst = 0;
  void *row_offsets;
  int row, step;
  if (!offsets || !column || !value || !expected || !solution) return 1;
  for (row = 0; row < ROWS; ++row) { // a cell and its neighbours, in the order of their columns
    const int cells[5] = {row - SIDE, row - 1, row, row + 1, row + SIDE};
    const int there[5] = {row >= SIDE, row % SIDE > 0, 1, row % SIDE < SIDE - 1, row < ROWS - SIDE};
    int i;
    offsets[row] = k;
    for (i = 0; i < 5; ++i)
      if (there[i]) {
        column[k] = (uint32_t)cells[i];
        value[k++] = i == 2 ? 4 : -1;
      }
    expected[row] = (double)((row * 7919LL) % 1009) / 1009;
  }
  offsets[ROWS] = entry_count = k;

  check(gp_open(NULL, &ctx));
  check(gp_describe(ctx, &description));
  memory = device_memory_open(ctx);
  row_offsets = device_memory_new(&memory, (ROWS + 1) * sizeof *offsets);
  columns = (uint32_t *)device_memory_new(&memory, k * sizeof *columns);
  entries = (double *)device_memory_new(&memory, k * sizeof *entries);
  scalar = (double *)device_memory_new(&memory, sizeof *scalar);
  x = (double *)device_memory_new(&memory, ROWS * sizeof *x);
  r = (double *)device_memory_new(&memory, ROWS * sizeof *r);
  p = (double *)device_memory_new(&memory, ROWS * sizeof *p);
  q = (double *)device_memory_new(&memory, ROWS * sizeof *q);
  next = (double *)device_memory_new(&memory, ROWS * sizeof *next);
  device_memory_write(&memory, row_offsets, offsets, (ROWS + 1) * sizeof *offsets);
  device_memory_write(&memory, columns, column, k * sizeof *columns);
  device_memory_write(&memory, entries, value, k * sizeof *entries);
  device_memory_write(&memory, x, expected, ROWS * sizeof *x);
  row_segments = gp_segments_init(GP_U32, row_offsets, ROWS);

  // b = A * expected, and x = 0: the residual r is b, and the first direction p too.
  multiply(x, r);
  check(gp_copy(ctx, GP_F64, r, ROWS, p, NULL));
  before = 0;
  check(gp_fill(ctx, GP_F64, &before, x, ROWS, NULL));
  rr = dot(r, r);
  for (step = 0; step < 1000 && rr > 1e-20; ++step) {
    double length;
    multiply(p, q);
    length = rr / dot(p, q);
    add(x, length, p, next), swap(&x, &next);
    add(r, -length, q, next), swap(&r, &next);
    before = rr;
    rr = dot(r, r);
    add(r, rr / before, p, next), swap(&p, &next);
  }
  device_memory_read(&memory, solution, x, ROWS * sizeof *x);
  for (row = 0; row < ROWS; ++row) {
    const double error = fabs(solution[row] - expected[row]);
    if (error > worst) worst = error;
  }
  printf("%s: %d rows, %u entries: %d steps, largest error %.1e\n", description.name, ROWS, (unsigned)k, step, worst);
  device_memory_free(&memory, row_offsets), device_memory_free(&memory, columns), device_memory_free(&memory, entries);
  device_memory_free(&memory, scalar), device_memory_free(&memory, x), device_memory_free(&memory, r);
  device_memory_free(&memory, p), device_memory_free(&memory, q), device_memory_free(&memory, next);
  free(offsets), free(column), free(value), free(expected), free(solution);
  check(gp_close(ctx));
  return worst < 1e-8 ? 0 : 1;
}
