// sort/gather.cuh - values that follow their keys
// uses: core/words.h, device/vocabulary.cuh, layouts/arguments.h, device/kernel.cuh

// out[i] = in[index[i]], elements of WORDS words.
template<class P, class Word, int WORDS, class I> GP_DEVICE void gp__gather(const gp__gather_args &a) {
  gp__pdl_wait<P>();
  const gp__u64 total = gp__count(a) * WORDS;
  const Word *in = gp__as<const Word>(a.in);
  for (gp__u64 k = gp__u64(blockIdx.x) * P::threads + threadIdx.x; k < total; k += gp__u64(gridDim.x) * P::threads)
    gp__as<Word>(a.out)[k] = in[gp__u64(gp__as<const I>(a.index)[k / WORDS]) * WORDS + k % WORDS];
}
