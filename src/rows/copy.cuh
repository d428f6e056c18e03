// rows/copy.cuh - elements of a strided array, copied to other strides
// uses: core/words.h, device/vocabulary.cuh, rows/arguments.h, device/kernel.cuh

// Dimension 0 runs fastest. Only for strides that no transpose takes.
template<class P, class T> GP_DEVICE void gp__rows_copy(const gp__rows_args &a) {
  gp__pdl_wait<P>();
  const gp__u64 count = a.extent[0] * a.rows, step = gp__u64(gridDim.x) * P::threads;
  for (gp__u64 n = gp__u64(blockIdx.x) * P::threads + threadIdx.x; n < count; n += step) {
    gp__i64 from = 0, to = 0;
    gp__u64 left = n;
    GP__EACH(d, 4) {
      const gp__u64 next = d < 3 ? left / a.extent[d] : 0;
      const gp__i64 i = gp__i64(left - next * a.extent[d]);
      from += i * a.in_stride[d];
      to += i * a.out_stride[d];
      left = next;
    }
    gp__as<T>(a.out)[to] = gp__as<const T>(a.in)[from];
  }
}
