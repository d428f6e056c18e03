// core/input_data.h - what kernels need of described inputs
// uses: core/words.h, core/arguments.h

// Arrays, strides and values of all described inputs of a call, by their numbers. They follow a kernel's arguments.
typedef struct gp__input_data {
  const void *array[6];
  gp__i64 stride[6];
  gp__value value[4];
  gp__u64 step[4]; // of ramps: the bytes of a built-in type
} gp__input_data;
