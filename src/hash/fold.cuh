// hash/fold.cuh - folds of columns by groups
// uses: api/lists.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, map/policy.h,
//   hash/arguments.h, hash/numbers.h, device/types.cuh, device/operators.cuh, device/warp.cuh, device/tile_search.cuh,
//   device/kernel.cuh

// The rows of a group follow each other in the order of the groups. Its elements are folded into words, all zero at
// first, in any order: sums of integers, complements of the least ordered values, 128-bit sums. A first pass finds the
// ranges of floats, and the best values; a second one the sums of floats, and the indices. A thread folds a short group
// in registers. Warps share the rows of long groups, so that no key is too frequent, and fold them in memory.

// The types of columns, and of results.
#define GP__COLUMN_TYPES(F) \
  F(GP_I8, signed char) \
  F(GP_U8, gp__u8) \
  F(GP_I16, short) \
  F(GP_U16, unsigned short) \
  F(GP_I32, int) \
  F(GP_U32, unsigned int) \
  F(GP_I64, long long) \
  F(GP_U64, gp__u64) \
  F(GP_F16, gp_f16) \
  F(GP_BF16, gp_bf16) \
  F(GP_F32, float) \
  F(GP_F64, double) \
  F(GP_BOOL, gp_bool) \
  F(GP_E4M3, gp_e4m3) \
  F(GP_E5M2, gp_e5m2)
// Elements as numbers (hash/numbers.h), and back.
template<class T> GP_DEVICE gp__u64 gp__number_of(const T &x) {
  return gp__traits<T>::kind == GP__FLOAT ? gp__bits_of_f64(double(static_cast<typename gp__traits<T>::wide>(x)))
      : gp__u64(gp__i64(x));
}
template<class T> GP_DEVICE T gp__number_as(gp__u64 x) {
  const double f = gp__f64_from_bits(x);
  return gp__traits<T>::kind != GP__FLOAT ? T(x) : sizeof(T) <= 2 ? T(gp__f32_to_odd(f)) : T(f);
}
GP_DEVICE gp__u64 gp__element_at(const void *in, int type, gp__u64 i) {
#define GPUPRIMS__CASE(value, device) \
  case value: return gp__number_of(gp__as<const device>(in)[i]);
  switch (type) {
    GP__COLUMN_TYPES(GPUPRIMS__CASE)
  default: return 0;
  }
#undef GPUPRIMS__CASE
}
GP_DEVICE void gp__put_number(void *out, int type, gp__u64 i, gp__u64 x) {
#define GPUPRIMS__CASE(value, device) \
  case value: gp__as<device>(out)[i] = gp__number_as<device>(x); break;
  switch (type) {
    GP__COLUMN_TYPES(GPUPRIMS__CASE)
  default: break;
  }
#undef GPUPRIMS__CASE
}

// An element adds one word to its group, or two.
struct gp__folded {
  gp__u64 low, high;
};
// first: what the first pass has found.
GP_DEVICE gp__folded gp__fold_of(const gp__column &c, int pass, gp__u64 row, gp__u64 first) {
  const int what = c.what[pass];
  const bool most = what == GP__FOLD_MOST || what == GP__FOLD_HIGH || what == GP__FOLD_HIGH_INDEX;
  const gp__u64 x = gp__element_at(c.in, c.type, row);
  gp__folded y = {x, 0};
  switch (what) {
  case GP__FOLD_LEAST:
  case GP__FOLD_MOST: y.low = ~gp__ordered_number(x, c.type, most, 0); break;
  case GP__FOLD_LOW:
  case GP__FOLD_HIGH: y.low = ~gp__ordered_number(x, c.type, most, 1); break;
  case GP__FOLD_RANGE: y.low = gp__range_of(x); break;
  case GP__FOLD_WIDE:
    if (gp__number_class(c.type) == 2) y.low = gp__wide_of(x, gp__u32(first), &y.high);
    else y.high = gp__number_class(c.type) == 1 && x >> 63 ? ~gp__u64(0) : 0;
    break;
  case GP__FOLD_LOW_INDEX:
  case GP__FOLD_HIGH_INDEX: y.low = ~gp__ordered_number(x, c.type, most, 1) == first ? ~row : 0; break;
  default: break;
  }
  return y;
}
GP_DEVICE gp__folded gp__fold_two(int what, const gp__folded &x, const gp__folded &y) {
  gp__folded z = {x.low + y.low, 0};
  if (what == GP__FOLD_WIDE) z.high = x.high + y.high + (z.low < x.low ? 1 : 0);
  else if (what == GP__FOLD_RANGE) {
    const gp__u32 a = gp__u32(x.low), b = gp__u32(y.low);
    z.low = ((x.low | y.low) >> 32 << 32) | (a < b ? b : a);
  } else if (what != GP__FOLD_SUM) z.low = x.low < y.low ? y.low : x.low;
  return z;
}
// Folds into memory that all threads fold into.
GP_DEVICE void gp__fold_into(int what, gp__u64 *word, const gp__folded &x) {
  if (what == GP__FOLD_SUM) {
    if (x.low) atomicAdd(word, x.low);
  } else if (what == GP__FOLD_WIDE) {
    const gp__u64 before = x.low ? atomicAdd(word, x.low) : 0;
    const gp__u64 high = x.high + (before + x.low < before ? 1 : 0); // whoever makes the carry takes it along
    if (high) atomicAdd(word + 1, high);
  } else if (what == GP__FOLD_RANGE) {
    gp__u32 *half = gp__as<gp__u32>(word);
    const gp__u32 exponent = gp__u32(x.low), special = gp__u32(x.low >> 32);
    if (gp__load_volatile(half) < exponent) atomicMax(half, exponent);
    if (special & ~gp__load_volatile(half + 1)) atomicOr(half + 1, special);
  } else if (gp__load_volatile(word) < x.low) atomicMax(word, x.low);
}

// Folds rows from, from + step, ... of one group.
GP_DEVICE gp__folded gp__fold_rows(
    const gp__hash_args &a, const gp__column &c, int pass, gp__u64 from, gp__u64 to, unsigned step, gp__u64 first) {
  gp__folded x = {0, 0};
  for (; from < to; from += step)
    x = gp__fold_two(c.what[pass], x, gp__fold_of(c, pass, a.order ? a.order[from] : from, first));
  return x;
}
GP_DEVICE gp__u64 *gp__words_of_group(const gp__hash_args &a, gp__u64 begin) {
  return a.words + begin / GP__GROUP_LONG * unsigned(a.group_words);
}
// A pass over the long groups. A warp takes a piece of the rows, and finds the groups in it.
template<class P> GP_DEVICE void gp__hash_fold(const gp__hash_args &a) {
  const int PIECE = 128 * gp__hash_items(P::vectors);
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a), groups = *a.found, warps = gridDim.x * gp__u64(P::threads / 32);
  for (gp__u64 piece = (blockIdx.x * gp__u64(P::threads / 32) + gp_warp()) * PIECE; piece < count;
       piece += warps * PIECE) {
    const gp__u64 stop = count - piece < PIECE ? count : piece + PIECE;
    gp__u64 g = gp_warp_search_upper(a.list, groups, gp__u32(piece), gp_less<gp__u32>()) - 1;
    for (bool more = true; more; g += 32) {
      const gp__u64 mine = g + gp_lane();
      const gp__u64 begin = mine < groups ? a.list[mine] : stop, end = mine + 1 < groups ? a.list[mine + 1] : count;
      more = __all_sync(~0u, begin < stop);
      gp__u32 longs = __ballot_sync(~0u, begin < stop && end - begin >= GP__GROUP_LONG);
      for (; longs; longs &= longs - 1) {
        const int lane = __ffs(int(longs)) - 1;
        const gp__u64 from = __shfl_sync(~0u, begin, lane), to = __shfl_sync(~0u, end, lane);
        gp__u64 *words = gp__words_of_group(a, from);
        for (int k = 0; k < a.column_count; ++k) {
          const gp__column &c = a.columns[k];
          const int what = c.what[a.pass];
          if (!what) continue;
          gp__u64 *word = words + c.word + a.pass;
          gp__folded x = gp__fold_rows(a, c, a.pass, (from < piece ? piece : from) + gp_lane(), to < stop ? to : stop,
              32, a.pass ? word[-1] : 0);
          for (unsigned d = 16; d; d /= 2) x = gp__fold_two(what, x, gp_warp_exchange(x, int(d)));
          if (!gp_lane()) gp__fold_into(what, word, x);
        }
      }
    }
  }
}
// Folds the short groups, and writes all results.
template<class P> GP_DEVICE void gp__hash_finish(const gp__hash_args &a) {
  gp__pdl_wait<P>();
  const gp__u64 count = gp__count(a), found = *a.found, groups = found < a.capacity ? found : a.capacity;
  for (gp__u64 g = blockIdx.x * gp__u64(P::threads) + threadIdx.x; g < groups; g += gp__u64(gridDim.x) * P::threads) {
    const gp__u64 begin = a.list[g], end = g + 1 < found ? a.list[g + 1] : count;
    for (int k = 0; k < a.column_count; ++k) {
      const gp__column &c = a.columns[k];
      gp__u64 word[3] = {0, 0, 0};
      if (end - begin < GP__GROUP_LONG) {
        if (c.what[0]) word[0] = gp__fold_rows(a, c, 0, begin, end, 1, 0).low;
        if (c.what[1]) {
          const gp__folded x = gp__fold_rows(a, c, 1, begin, end, 1, word[0]);
          word[1] = x.low, word[2] = x.high;
        }
      } else {
        const gp__u64 *words = gp__words_of_group(a, begin) + c.word;
        if (c.what[0]) word[0] = words[0];
        if (c.what[1]) word[1] = words[1];
        if (c.what[1] == GP__FOLD_WIDE) word[2] = words[2];
      }
      gp__put_number(c.out, c.out_type, g, gp__result_of(c.op, c.type, end - begin, word));
    }
  }
}
