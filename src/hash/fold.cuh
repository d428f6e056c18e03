// hash/fold.cuh - folds of columns by groups
// uses: api/lists.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, map/policy.h, hash/arguments.h,
//   hash/numbers.h, device/types.cuh, device/warp.cuh, device/kernel.cuh

// A group has words, all zero at first, into which its elements are folded in any order: counts and sums of integers,
// complements of the least ordered values, 128-bit sums. A first pass finds the ranges of floats, and the best values;
// a second one the sums of floats, and the indices.

// The types of columns, and of results.
#define GPUPRIMS__COLUMN_TYPES(F) \
  F(GP_I8, signed char) \
  F(GP_U8, unsigned char) \
  F(GP_I16, short) \
  F(GP_U16, unsigned short) \
  F(GP_I32, int) \
  F(GP_U32, unsigned int) \
  F(GP_I64, long long) \
  F(GP_U64, unsigned long long) \
  F(GP_F16, gp_f16) \
  F(GP_BF16, gp_bf16) \
  F(GP_F32, float) \
  F(GP_F64, double) \
  F(GP_BOOL, gp_bool)
// Elements as numbers (hash/numbers.h), and back.
template <class T> GP_DEVICE gp__u64 gp__number_of(const T &x) {
  return gp__traits<T>::kind == GP__FLOAT
      ? gp__bits_of_f64(static_cast<double>(static_cast<typename gp__traits<T>::wide>(x)))
      : static_cast<gp__u64>(static_cast<long long>(x));
}
template <class T> GP_DEVICE T gp__number_as(gp__u64 x) {
  const double f = gp__f64_from_bits(x);
  return gp__traits<T>::kind != GP__FLOAT ? static_cast<T>(x)
      : sizeof(T) == 2                    ? static_cast<T>(gp__f32_to_odd(f))
                                          : static_cast<T>(f);
}
GP_DEVICE gp__u64 gp__element_at(const void *in, int type, gp__u64 i) {
#define GPUPRIMS__CASE(value, device) \
  case value: \
    return gp__number_of(static_cast<const device *>(in)[i]);
  switch (type) {
    GPUPRIMS__COLUMN_TYPES(GPUPRIMS__CASE)
  default:
    return 0;
  }
#undef GPUPRIMS__CASE
}
GP_DEVICE void gp__put_number(void *out, int type, gp__u64 i, gp__u64 x) {
#define GPUPRIMS__CASE(value, device) \
  case value: \
    static_cast<device *>(out)[i] = gp__number_as<device>(x); \
    break;
  switch (type) {
    GPUPRIMS__COLUMN_TYPES(GPUPRIMS__CASE)
  default:
    break;
  }
#undef GPUPRIMS__CASE
}

// An element adds one word to its group, or two.
struct gp__folded {
  gp__u64 low, high;
};
GP_DEVICE gp__folded gp__fold_of(const gp__fold &f, gp__u64 row, const gp__u64 *word) {
  const bool most = f.what == GP__FOLD_MOST || f.what == GP__FOLD_HIGH || f.what == GP__FOLD_HIGH_INDEX;
  const gp__u64 x = f.what == GP__FOLD_ROW ? 1 : gp__element_at(f.in, f.type, row);
  gp__folded y = {x, 0};
  switch (f.what) {
  case GP__FOLD_LEAST:
  case GP__FOLD_MOST:
    y.low = ~gp__ordered_number(x, f.type, most, 0);
    break;
  case GP__FOLD_LOW:
  case GP__FOLD_HIGH:
    y.low = ~gp__ordered_number(x, f.type, most, 1);
    break;
  case GP__FOLD_RANGE:
    y.low = gp__range_of(x);
    break;
  case GP__FOLD_WIDE:
    if (gp__number_class(f.type) == 2) y.low = gp__wide_of(x, static_cast<gp__u32>(word[-1]), &y.high);
    else y.high = gp__number_class(f.type) == 1 && x >> 63 ? ~gp__u64(0) : 0;
    break;
  case GP__FOLD_LOW_INDEX:
  case GP__FOLD_HIGH_INDEX:
    y.low = ~gp__ordered_number(x, f.type, most, 1) == word[-1] ? ~row : 0;
    break;
  default:
    break;
  }
  return y;
}
GP_DEVICE gp__folded gp__fold_two(int what, const gp__folded &x, const gp__folded &y) {
  gp__folded z = {x.low + y.low, 0};
  if (what == GP__FOLD_WIDE) z.high = x.high + y.high + (z.low < x.low ? 1 : 0);
  else if (what == GP__FOLD_RANGE) {
    const gp__u32 a = static_cast<gp__u32>(x.low), b = static_cast<gp__u32>(y.low);
    z.low = ((x.low | y.low) >> 32 << 32) | (a < b ? b : a);
  } else if (what != GP__FOLD_ROW && what != GP__FOLD_SUM) z.low = x.low < y.low ? y.low : x.low;
  return z;
}
// Folds into memory that all threads fold into: shared, or the device's.
GP_DEVICE void gp__fold_into(int what, gp__u64 *word, const gp__folded &x) {
  if (what == GP__FOLD_ROW || what == GP__FOLD_SUM) {
    if (x.low) atomicAdd(word, x.low);
  } else if (what == GP__FOLD_WIDE) {
    const gp__u64 before = x.low ? atomicAdd(word, x.low) : 0;
    const gp__u64 high = x.high + (before + x.low < before ? 1 : 0); // whoever makes the carry takes it along
    if (high) atomicAdd(word + 1, high);
  } else if (what == GP__FOLD_RANGE) {
    gp__u32 *half = reinterpret_cast<gp__u32 *>(word);
    const gp__u32 exponent = static_cast<gp__u32>(x.low), special = static_cast<gp__u32>(x.low >> 32);
    if (gp__load_volatile(half) < exponent) atomicMax(half, exponent);
    if (special & ~gp__load_volatile(half + 1)) atomicOr(half + 1, special);
  } else if (gp__load_volatile(word) < x.low) atomicMax(word, x.low);
}

template <class P> GP_DEVICE void gp__hash_fold(const gp__hash_args &a) {
  struct Storage {
    gp__u64 word[GP__FOLD_NEAR];
  };
  const int ITEMS = gp__hash_items(P::vectors);
  const gp__u64 tile = static_cast<gp__u64>(P::threads) * ITEMS;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a), found = *a.found, groups = found < a.capacity ? found : a.capacity;
  const gp__u64 width = static_cast<gp__u64>(a.group_words);
  const bool near = groups * width <= GP__FOLD_NEAR;
  for (unsigned w = threadIdx.x; near && w < GP__FOLD_NEAR; w += P::threads) s.word[w] = 0;
  __syncthreads();
  for (gp__u64 first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    gp__u64 group[ITEMS];
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      const gp__u64 row = first + i * P::threads + threadIdx.x;
      group[i] = row < count ? a.slots[a.places[row]] : ~gp__u64(0);
    }
    GPUPRIMS__UNROLL_BY(1)
    for (int i = 0; i < ITEMS; ++i) {
      const gp__u64 row = first + i * P::threads + threadIdx.x, leader = gp_warp_broadcast(group[i], 0);
      const bool here = group[i] < groups, one = __all_sync(0xffffffffu, group[i] == leader);
      for (int k = 0; k < a.fold_count; ++k) {
        const gp__fold &f = a.folds[k];
        const gp__u64 word = group[i] * width + static_cast<unsigned>(f.word);
        gp__folded x = {0, 0};
        if (here) x = gp__fold_of(f, row, a.words + word);
        if (one)
          for (unsigned d = 16; d; d /= 2) x = gp__fold_two(f.what, x, gp_warp_exchange(x, static_cast<int>(d)));
        if (here && (!one || gp_lane() == 0)) gp__fold_into(f.what, (near ? s.word : a.words) + word, x);
      }
    }
  }
  __syncthreads();
  for (gp__u64 i = threadIdx.x; near && i < groups * static_cast<unsigned>(a.fold_count); i += P::threads) {
    const gp__fold &f = a.folds[i % static_cast<unsigned>(a.fold_count)];
    const gp__u64 word = i / static_cast<unsigned>(a.fold_count) * width + static_cast<unsigned>(f.word);
    const gp__folded x = {s.word[word], f.what == GP__FOLD_WIDE ? s.word[word + 1] : 0};
    gp__fold_into(f.what, a.words + word, x);
  }
}
// Turns words into results.
template <class P> GP_DEVICE void gp__hash_finish(const gp__hash_args &a) {
  gp__pdl_wait<P>();
  const gp__u64 found = *a.found, groups = found < a.capacity ? found : a.capacity;
  for (gp__u64 g = blockIdx.x * gp__u64(P::threads) + threadIdx.x; g < groups; g += gp__u64(gridDim.x) * P::threads) {
    const gp__u64 *words = a.words + g * static_cast<unsigned>(a.group_words);
    for (int c = 0; c < a.column_count; ++c) {
      const gp__column &column = a.columns[c];
      gp__put_number(column.out, column.out_type, g,
                     gp__result_of(column.op, column.type, words[0], words + column.word));
    }
  }
}
