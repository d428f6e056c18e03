// segmented_sort/arrays.cuh - keys and values of a segment
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, segmented_sort/policy.h,
//   segmented_sort/arguments.h, device/types.cuh, device/warp.cuh, segmented_sort/items.cuh

// Index of element i of a padded array in shared memory: 4 bytes or one element are free after every 128 bytes, against
// bank conflicts at power-of-two distances.
template<class T> struct gp__bank_padded {
  static const int ROW = sizeof(T) < 128 ? 128 / int(sizeof(T)) : 1, GAP = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;
  static GP_DEVICE gp__u32 at(gp__u32 i) { return i + i / ROW * GAP; }
};

// Sources of values: none, an array, or the index in `keys`.
struct gp__no_values {
  typedef gp__none type;
  static const bool any = false;
  static GP_DEVICE gp__none at(const void *, gp__u64) { return gp__none(); }
};
template<class V> struct gp__value_array {
  typedef V type;
  static const bool any = true;
  static GP_DEVICE V at(const void *values, gp__u64 i) { return gp__as<const V>(values)[i]; }
};
template<class V> struct gp__value_index {
  typedef V type;
  static const bool any = true;
  static GP_DEVICE V at(const void *, gp__u64 i) { return V(i); }
};
// The index in its segment, if segments have one length, which `values` holds as a number.
template<class V> struct gp__value_place {
  typedef V type;
  static const bool any = true;
  static GP_DEVICE V at(const void *values, gp__u64 i) {
    const gp__u64 length = gp__u64(values);
    if (((i | length) >> 32) == 0) return V(gp__u32(i) % gp__u32(length));
    return V(i % length);
  }
};

// Keys and values of a call, in the input (0), the alternate buffer (1) or the output (2).
template<class K, class S, bool INDEXED> struct gp__sorted_elements {
  typedef gp__ordered<K> Order;
  typedef typename Order::Bits Bits;
  typedef typename S::type V;
  typedef gp__item<Bits, INDEXED> Item;
  typedef typename Item::type C;
  const gp__segmented_sort_args &a;
  GP_DEVICE explicit gp__sorted_elements(const gp__segmented_sort_args &args) : a(args) {}

  GP_DEVICE const Bits *keys(int source) const {
    return gp__as<const Bits>(source == 0 ? a.keys : source == 1 ? a.other_keys : a.out_keys);
  }
  GP_DEVICE Bits *keys_to(int target) const { return gp__as<Bits>(target == 1 ? a.other_keys : a.out_keys); }
  GP_DEVICE V value(int source, gp__u64 i) const {
    return source == 0 ? S::at(a.values, i) : gp__as<const V>(source == 1 ? a.other_values : a.out_values)[i];
  }
  GP_DEVICE V *values_to(int target) const { return gp__as<V>(target == 1 ? a.other_values : a.out_values); }
  // encode: all bits of a key, ordered; field: those that count.
  GP_DEVICE Bits encode(Bits raw) const { return Bits(Order::encode(raw) ^ Bits(a.flip)); }
  GP_DEVICE Bits decode(Bits bits) const { return Order::decode(Bits(bits ^ Bits(a.flip))); }
  GP_DEVICE Bits field(Bits raw) const {
    return INDEXED ? Bits((encode(raw) >> a.low_bit) & Bits(a.mask)) : encode(raw);
  }
};

// A warp's room in shared memory: keys and values in input order, indices in result order.
template<class P, class K, class S, bool INDEXED> struct gp__warp_room : gp__sorted_elements<K, S, INDEXED> {
  typedef gp__sorted_elements<K, S, INDEXED> Elements;
  typedef typename Elements::Bits Bits;
  typedef typename Elements::V V;
  typedef typename Elements::Item Item;
  typedef typename Elements::C C;
  static const int VALUE = S::any ? int(sizeof(V)) : 0,
                   CAPACITY = gp__warp_sort_items(P::vectors, int(sizeof(Bits)), VALUE, INDEXED);
  static const int KEY_BYTES = gp__bank_padded_bytes(CAPACITY, int(sizeof(Bits))),
                   VALUE_BYTES = (CAPACITY * VALUE + 15) / 16 * 16, INDEX_BYTES = INDEXED ? CAPACITY * 2 : 0,
                   BYTES = gp__warp_sort_bytes(P::vectors, int(sizeof(Bits)), VALUE, INDEXED),
                   UNROLL = VALUE > 8 ? 2
      : VALUE ? 4
      : 8, // elements of a lane in flight
      LIMIT = gp__middle_limit(CAPACITY, gp__sort_item_bytes(int(sizeof(Bits)), INDEXED));
  Bits *key;
  V *value;
  gp__u16 *index;
  gp__u64 *shift; // per run in the room: position in the input minus that in the room
  gp__u32 *first; // per run: its start in the room
  gp__u32 *list; // segments
  GP_DEVICE gp__warp_room(const gp__segmented_sort_args &args, gp__u8 *shared) : Elements(args) {
    gp__u8 *mine = shared + gp_warp() * BYTES;
    key = gp__as<Bits>(mine);
    value = gp__as<V>(mine + KEY_BYTES);
    index = gp__as<gp__u16>(mine + KEY_BYTES + VALUE_BYTES);
    shift = gp__as<gp__u64>(mine + KEY_BYTES + VALUE_BYTES + INDEX_BYTES);
    first = gp__as<gp__u32>(shift + GP__SHORT_ROUNDS * GP__WARP);
    list = first + GP__SHORT_ROUNDS * GP__WARP;
  }
  GP_DEVICE Bits *key_at(gp__u32 i) const { return key + gp__bank_padded<Bits>::at(i); }

  // Loads U elements i, i + 32, ... of the room. Number u exists if it is below to[u]; its position in the input and in
  // the output is further[u] larger.
  template<int U> GP_DEVICE void load(gp__u32 i, const gp__u32 (&to)[U], const gp__u64 (&further)[U]) const {
    const Bits *in = this->keys(0);
    Bits x[U];
    V v[U];
    GP__EACH(u, U)
      if (i + u * 32 < to[u]) x[u] = in[further[u] + i + u * 32];
    if (S::any) {
      GP__EACH(u, U)
        if (i + u * 32 < to[u]) v[u] = Elements::value(0, further[u] + i + u * 32);
    }
    GP__EACH(u, U) {
      if (i + u * 32 >= to[u]) continue;
      *key_at(i + u * 32) = INDEXED ? x[u] : this->encode(x[u]);
      if (S::any) value[i + u * 32] = v[u];
    }
  }
  template<int U> GP_DEVICE void store(gp__u32 i, const gp__u32 (&to)[U], const gp__u64 (&further)[U]) const {
    Bits *out = this->keys_to(2);
    V *values = this->values_to(2);
    GP__EACH(u, U) {
      const gp__u32 k = i + u * 32;
      if (k >= to[u]) continue;
      if (!INDEXED) out[further[u] + k] = this->decode(*key_at(k));
      else {
        const gp__u32 from = index[k];
        out[further[u] + k] = *key_at(from);
        if (S::any) values[further[u] + k] = value[from];
      }
    }
  }
  // Loads (`in`) or stores all n elements of the room, which are in `runs` runs.
  template<int U> GP_DEVICE void move_runs(bool in, unsigned runs, gp__u32 n) const {
    const unsigned top = runs > 1 ? 1u << (31 - __clz(int(runs - 1))) : 0;
    gp__u32 to[U];
    gp__u64 further[U];
    GP__EACH(u, U) to[u] = n, further[u] = shift[0];
    for (gp__u32 i = gp_lane(); i < n; i += 32 * U) {
      if (top) {
        unsigned run[U];
        GP__EACH(u, U) run[u] = 0;
        for (unsigned step = top; step; step /= 2) {
          GP__EACH(u, U)
            if (run[u] + step < runs && first[run[u] + step] <= i + u * 32) run[u] += step;
        }
        GP__EACH(u, U) further[u] = shift[run[u]];
      }
      if (in) load<U>(i, to, further);
      else store<U>(i, to, further);
    }
  }
  // Sorts n elements from `first` on; every `lanes` lanes sort one segment. n is 0 to lanes * ITEMS. ROWS: a lane's are
  // in one row of the padded room, and without indices come from `in`, in any order.
  template<int ITEMS, bool ROWS = false>
  GP_DEVICE void sort(gp__u32 first, gp__u32 n, int lanes, const Bits *in = nullptr) const {
    const gp__u32 rank = gp_lane() & unsigned(lanes - 1), mine = rank * ITEMS;
    Bits *const row = key_at(first + mine);
    const auto at = [&](int i) { return ROWS ? row + i : key_at(first + mine + i); };
    C x[ITEMS];
    GP__EACH(i, ITEMS) {
      if (ROWS && !INDEXED)
        x[i] = i * lanes + rank < n ? Item::make(this->encode(in[i * lanes + rank]), 0) : Item::last();
      else x[i] = mine + i < n ? Item::make(INDEXED ? this->field(*at(i)) : *at(i), first + mine + i) : Item::last();
    }
    gp__sort_lanes<Item>(x, lanes);
    GP__EACH(i, ITEMS) {
      if (mine + i >= n) continue;
      if (INDEXED) index[first + mine + i] = gp__u16(Item::index(x[i]));
      else *at(i) = Item::bits(x[i]);
    }
  }
};

// A floating-point key as f32, from its bits: bins of equal width in it are even where bits are not.
template<class K> struct gp__bin_value {
  static const bool any = false;
  static GP_DEVICE float of(gp__u64) { return 0; }
};
template<> struct gp__bin_value<float> {
  static const bool any = true;
  static GP_DEVICE float of(gp__u32 bits) { return gp__f32_from_bits(bits); }
};
template<> struct gp__bin_value<gp_f16> {
  static const bool any = true;
  static GP_DEVICE float of(gp__u16 bits) { return gp__f32_from_f16(bits); }
};
template<> struct gp__bin_value<gp_bf16> {
  static const bool any = true;
  static GP_DEVICE float of(gp__u16 bits) { return gp__f32_from_bits(gp__u32(bits) << 16); }
};

// Sizes of what a block sorts and moves at a time.
template<class P, class K, class S, bool INDEXED> struct gp__block_sort_shape {
  typedef typename gp__sorted_elements<K, S, INDEXED>::C C;
  static const int THREADS = gp__long_threads(P::threads, int(sizeof(C))), WARPS = THREADS / 32,
                   ITEMS = gp__long_items(P::vectors, int(sizeof(C)), INDEXED), CAPACITY = THREADS * ITEMS,
                   VALUE = S::any ? int(sizeof(typename S::type)) : 0;
  static const bool STAGED = VALUE > 0 && VALUE <= int(sizeof(C)); // values pass through shared memory
  static const int BINNED = gp__long_binned(ITEMS, int(sizeof(C)), INDEXED), LOG2_BINS = gp__long_log2_bins(CAPACITY);
};
