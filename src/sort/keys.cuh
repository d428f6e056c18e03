// sort/keys.cuh - keys as bits, and records
// uses: core/words.h, device/vocabulary.cuh, device/types.cuh

// Radix sort, least significant digit first, one sweep a pass (Adinets and Merrill, Onesweep: A Faster Least
// Significant Digit Radix Sort for GPUs). The histogram reads the keys once and counts the digits of all passes. A pass
// reads and writes each element once. A block ranks a tile's keys by digit and orders them in shared memory; look-back
// gives the number of each digit's keys in earlier tiles. The device decides what each pass does once all is counted. A
// pass whose keys all have one digit moves nothing. The others alternate between two buffers so that the last one
// writes to the output.

// True if this sort was chosen: a plan's other sort has nothing to do.
GP_DEVICE bool gp__is_chosen(const gp__u64 *choice, gp__u64 sort) { return !choice || *choice == sort; }

// Flags of a pass.
enum {
  GP__RADIX_RUNS = 1,
  GP__RADIX_COPIES = 2, // copies elements to the output
  GP__RADIX_ODD = 4, // an odd one of the running passes: its words have the other mark
  GP__RADIX_LAST = 8, // the last running pass: does not write keys that are dropped
  GP__RADIX_TO_OTHER = 16, // writes to the other buffer, not to the output
  GP__RADIX_FROM = 32, // times the source: 0 the input, 1 the output, 2 the other buffer
  GP__RADIX_READS_PAIRS = 128,
  GP__RADIX_WRITES_PAIRS = 256
};

// A key as it moves (Key), and as ordered bits. bits(key, word): 64 bits of the ordered key, the least significant word
// first; built-in types have one word. padding: sorts after every key.
template<class T> struct gp__radix_key {
  typedef typename gp__ordered<T>::Bits Bits;
  typedef Bits Key;
  static const bool pads = true;
  static GP_DEVICE Bits bits(Key key, int) { return gp__ordered<T>::encode(key); }
  static GP_DEVICE Key padding(bool descending) {
    return gp__ordered<T>::decode(Bits(descending ? Bits(0) : Bits(~Bits(0))));
  }
};
// Floats as a comparison orders them: -0 and +0 are equal.
template<class T> struct gp__radix_number : gp__radix_key<T> {
  typedef typename gp__ordered<T>::Bits Bits;
  static GP_DEVICE Bits bits(Bits key, int) { return gp__ordered<T>::encode(Bits(key << 1) ? key : Bits(0)); }
};
// A struct ordered by a user's operator, which maps it to a built-in type R.
template<class T, class Op, class R> struct gp__decomposed_key {
  typedef typename gp__ordered<R>::Bits Bits;
  typedef T Key;
  static const bool pads = false;
  static GP_DEVICE Bits bits(const Key &key, int) {
    union {
      R value;
      Bits bits;
    } r;
    r.value = Op()(key);
    return gp__ordered<R>::encode(r.bits);
  }
  static GP_DEVICE Key padding(bool) { return Key(); }
};
// A struct ordered by some of its fields, the most significant first.
template<class Key, class Bits> union gp__key_parts {
  Key key;
  Bits part[sizeof(Key) / sizeof(Bits)];
  GP_DEVICE gp__key_parts() {}
};
template<int OFFSET, class T, bool DESCENDING> struct gp__key_field {
  static const int bits = 8 * int(sizeof(T));
  template<class Key> static GP_DEVICE gp__u64 of(const Key &key) {
    typedef typename gp__ordered<T>::Bits Bits;
    static_assert(OFFSET % sizeof(T) == 0 && OFFSET + sizeof(T) <= sizeof(Key), "a field lies aligned in its struct");
    gp__key_parts<Key, Bits> parts;
    parts.key = key;
    const Bits x = gp__ordered<T>::encode(parts.part[OFFSET / sizeof(T)]);
    return DESCENDING ? Bits(~x) : x;
  }
};
// Complex keys in NumPy's order: by real part, then by imaginary part; then those with a NaN: as imaginary part, by the
// real one; as real part, by the imaginary one; as both. -0 and +0 are equal.
template<class F, bool HIGH> struct gp__complex_part {
  static const int bits = 8 * int(sizeof(F));
  typedef typename gp__ordered<F>::Bits Bits;
  static GP_DEVICE Bits ordered(F x) {
    gp__key_parts<F, Bits> parts;
    parts.key = x;
    return gp__radix_number<F>::bits(parts.part[0], 0);
  }
  static GP_DEVICE gp__u64 of(const gp_complex<F> &x) {
    const unsigned nans = (x.re != x.re ? 2u : 0u) | (x.im != x.im ? 1u : 0u);
    if (HIGH) return nans ? ordered(gp__limits<F>::highest()) + nans : ordered(x.re);
    return nans == 3 ? 0 : ordered(nans == 1 ? x.re : x.im);
  }
};
template<class... Fields> struct gp__key_fields { // none
  static const int bits = 0;
  template<class Key> static GP_DEVICE gp__u64 word(const Key &, int) { return 0; }
};
template<class Field, class... Rest> struct gp__key_fields<Field, Rest...> { // Field is above the rest
  typedef gp__key_fields<Rest...> Below;
  static const int bits = Field::bits + Below::bits;
  template<class Key> static GP_DEVICE gp__u64 word(const Key &key, int w) {
    const int at = Below::bits - 64 * w; // position of the field's lowest bit in this word
    gp__u64 x = Below::word(key, w);
    if (at > -Field::bits && at < 64) {
      const gp__u64 own = Field::of(key);
      x |= at < 0 ? own >> (at < 0 ? -at : 0) : own << (at < 0 ? 0 : at);
    }
    return x;
  }
};
template<class T, class... Fields> struct gp__field_key {
  typedef gp__u64 Bits;
  typedef T Key;
  static const bool pads = false;
  static GP_DEVICE Bits bits(const Key &key, int word) { return gp__key_fields<Fields...>::word(key, word); }
  static GP_DEVICE Key padding(bool) { return Key(); }
};
// The order of a sort as a comparison of keys, by 64-bit words.
template<class K> struct gp__key_words { static const int value = 1; };
template<class T, class... Fields> struct gp__key_words<gp__field_key<T, Fields...>> {
  static const int value = (gp__key_fields<Fields...>::bits + 63) / 64;
};
template<class K, bool DESCENDING> struct gp__key_before {
  typedef typename K::Key Key;
  GP_DEVICE bool operator()(const Key &a, const Key &b) const {
    GP__UNROLL
    for (int w = gp__key_words<K>::value - 1; w >= 0; --w) {
      const typename K::Bits x = K::bits(a, w), y = K::bits(b, w);
      if (x != y) return DESCENDING ? y < x : x < y;
    }
    return false;
  }
};
// A key with its value beside it.
template<class K, class V> struct gp__radix_record {
  struct alignas(8) Key {
    typename K::Key key;
    V value;
  };
  typedef typename K::Bits Bits;
  static const bool pads = K::pads;
  static GP_DEVICE Bits bits(const Key &record, int word) { return K::bits(record.key, word); }
  static GP_DEVICE Key padding(bool descending) { return Key{K::padding(descending), V()}; }
};
// Elements that passes move: keys and values in arrays of their own, or records.
template<class K, class V> struct gp__radix_moved {
  typedef typename K::Key Key;
  typedef V Value;
  static const bool paired = false;
  static GP_DEVICE Key &key(Key &key) { return key; }
  template<class T> static GP_DEVICE T &value(Key &, T &value) { return value; }
};
template<class K, class V> struct gp__radix_moved<gp__radix_record<K, V>, gp__none> {
  typedef typename gp__radix_record<K, V>::Key Record;
  typedef typename K::Key Key;
  typedef V Value;
  static const bool paired = true;
  static GP_DEVICE Key &key(Record &record) { return record.key; }
  template<class T> static GP_DEVICE V &value(Record &record, T &) { return record.value; }
};
