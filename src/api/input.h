// api/input.h - inputs that are described in place of an array
// uses: api/config.h, api/lists.h

// A call reads what a gp_input describes where it would read an array: the description is compiled into the kernel, and
// nothing is stored in between. The type is GP_INPUT, and the pointer leads to the description, in host memory:
//
//     gp_input x = gp_input_array(GP_F32, dx), y = gp_input_array(GP_F32, dy);
//     gp_input xy = gp_input_of_two(GP_PROD, GP_F32, &x, &y);
//     gp_reduce(ctx, GP_SUM, GP_INPUT, GP_F32, &xy, count, dot, stream); // the inner product, in one launch
//
// Kernels make the elements of copy, transform and transform2; reduce, count_if, any, all, find_if, partition_point;
// scans; segmented reductions and scans; select, partition and scatter; the indices of scatter and gather; the values
// of unique, reductions and scans by key; the samples of histograms of one channel; the needles of searches. Other
// inputs with a type of their elements (in, in2, keys, keys2) are written first, by one launch: by sorts to their
// outputs, otherwise to the workspace. Of keys and keys2 both are described, or neither; likewise of the values of
// merges and sets. Arrays alone are what gp_gather reads from, inputs with strides (axes, permutations), offsets and
// lengths, columns, edges. Descriptions are read during the call and may be nested. A call has up to GP_INPUT_PARTS of
// them, nested ones counted, with up to GP_INPUT_ARRAYS arrays, strided or not, and up to GP_INPUT_VALUES constants and
// ramps. Its output overlaps none of these arrays. Kernels differ in kinds, types and operators; pointers, strides and
// values are arguments.
typedef enum gp_input_kind {
  GP_INPUT_ARRAY = 1, // data[i]
  GP_INPUT_CONSTANT = 2, // *start
  GP_INPUT_RAMP = 3, // *start + i * *step, in the type's arithmetic
  GP_INPUT_STRIDED = 4, // data[i * stride]
  GP_INPUT_GATHERED = 5, // a[b[i]]
  GP_INPUT_MAPPED = 6, // op(a[i]), or op(a[i], b[i])
  GP_INPUT_ZIPPED = 7 // a struct of a[i], b[i], c[i], d[i]
} gp_input_kind;
enum { GP_INPUT_PARTS = 16, GP_INPUT_ARRAYS = 6, GP_INPUT_VALUES = 4 };
typedef struct gp_input {
  gp_input_kind kind;
  gp_type type; // of the elements; GATHERED: 0, that of a
  const void *data; // device memory (host memory on the host back end)
  uint64_t count; // of `data` behind GATHERED: its elements, for the check of overlap; 0: not known
  int64_t stride; // elements; zero and negative ones are possible
  const void *start; // host memory; RAMP: NULL is 0
  const void *step; // host memory; NULL is 1
  gp_op op; // MAPPED: a user's operator, or a built-in unary or binary one in the type of the result
  const struct gp_input *a; // GATHERED, MAPPED, ZIPPED: what they are made of, in host memory
  const struct gp_input *b; // MAPPED: NULL where the operator is unary
  const struct gp_input *c; // ZIPPED; may be NULL
  const struct gp_input *d; // ZIPPED; may be NULL
} gp_input;

// An array.
GP__INLINE gp_input gp_input_array(gp_type type, const void *data) {
  const gp_input input = {GP_INPUT_ARRAY, type, data, 0, 0, NULL, NULL, GP_OP_DEFAULT, NULL, NULL, NULL, NULL};
  return input;
}
// The same value everywhere.
GP__INLINE gp_input gp_input_constant(gp_type type, const void *value) {
  const gp_input input = {GP_INPUT_CONSTANT, type, NULL, 0, 0, value, NULL, GP_OP_DEFAULT, NULL, NULL, NULL, NULL};
  return input;
}
// start, start + step, start + 2 step, ... of a built-in type, as gp_iota writes it. Both NULL: the index.
GP__INLINE gp_input gp_input_ramp(gp_type type, const void *start, const void *step) {
  const gp_input input = {GP_INPUT_RAMP, type, NULL, 0, 0, start, step, GP_OP_DEFAULT, NULL, NULL, NULL, NULL};
  return input;
}
// Every stride-th element: a column of a matrix; with stride -1 and the last element's address an array from its end.
GP__INLINE gp_input gp_input_strided(gp_type type, const void *data, int64_t stride) {
  const gp_input input = {GP_INPUT_STRIDED, type, data, 0, stride, NULL, NULL, GP_OP_DEFAULT, NULL, NULL, NULL, NULL};
  return input;
}
// from[index[i]]. Indices are i32, u32, i64 or u64, and none is checked.
GP__INLINE gp_input gp_input_gathered(const gp_input *from, const gp_input *index) {
  const gp_input input = {
      GP_INPUT_GATHERED, GP_TYPE_DEFAULT, NULL, 0, 0, NULL, NULL, GP_OP_DEFAULT, from, index, NULL, NULL};
  return input;
}
// op(a[i]) of this type.
GP__INLINE gp_input gp_input_of_one(gp_op op, gp_type type, const gp_input *a) {
  const gp_input input = {GP_INPUT_MAPPED, type, NULL, 0, 0, NULL, NULL, op, a, NULL, NULL, NULL};
  return input;
}
// op(a[i], b[i]) of this type. A state of the program's is a constant of type u64, its address, which the operator
// casts.
GP__INLINE gp_input gp_input_of_two(gp_op op, gp_type type, const gp_input *a, const gp_input *b) {
  const gp_input input = {GP_INPUT_MAPPED, type, NULL, 0, 0, NULL, NULL, op, a, b, NULL, NULL};
  return input;
}
// A struct (gp_type_struct) with the members a[i], b[i] and, unless they are NULL, c[i] and d[i], laid out as C does.
GP__INLINE gp_input gp_input_zipped(
    gp_type type, const gp_input *a, const gp_input *b, const gp_input *c, const gp_input *d) {
  const gp_input input = {GP_INPUT_ZIPPED, type, NULL, 0, 0, NULL, NULL, GP_OP_DEFAULT, a, b, c, d};
  return input;
}
