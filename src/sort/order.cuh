// sort/order.cuh - the order of a radix sort as a comparison
// uses: device/vocabulary.cuh, sort/keys.cuh

// The 64-bit words of an ordered key.
template <class K> struct gp__key_words { static const int value = 1; };
template <class T, class... Fields> struct gp__key_words<gp__field_key<T, Fields...>> {
  static const int value = (gp__key_fields<Fields...>::bits + 63) / 64;
};
template <class K, bool DESCENDING> struct gp__key_before {
  typedef typename K::Key Key;
  GP_DEVICE bool operator()(const Key &a, const Key &b) const {
    GPUPRIMS__UNROLL
    for (int w = gp__key_words<K>::value - 1; w >= 0; --w) {
      const typename K::Bits x = K::bits(a, w), y = K::bits(b, w);
      if (x != y) return DESCENDING ? y < x : x < y;
    }
    return false;
  }
};
