// device/kernel.cuh - the resolved policy as a type; how a kernel begins
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh

template<int THREADS, int VECTORS, int LOAD, int STORE, int STAGES, int BLOCKS_PER_SM, int OVERLAP> struct gp__policy {
  static const int threads = THREADS, vectors = VECTORS, load = LOAD, store = STORE, stages = STAGES;
  static const int blocks_per_sm = BLOCKS_PER_SM, overlap = OVERLAP;
};

template<class P> GP_DEVICE void gp__pdl_wait() {
  if (P::overlap == 1) gp__wait_for_predecessor();
}
template<class Args> GP_DEVICE gp__u64 gp__count(const Args &a) {
  if (!a.count_device) return a.count;
  const gp__u64 n = *a.count_device;
  return n < a.count ? n : a.count;
}
