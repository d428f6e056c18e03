// select/stream.cuh - a stream: tiles, compaction, spans
// uses: core/words.h, device/vocabulary.cuh, device/machine.cuh, select/arguments.h, device/types.cuh, device/warp.cuh

// One pass over elements, or over pairs of a key and a value. A tile is in shared memory. A thread works on a chunk of
// ITEMS consecutive elements at a time, a warp on a group of 32 chunks. A primitive is a body:
//    Key, Value          types of a tile's elements (gp__none: it has none)
//    BEFORE, BEHIND      whether it reads keys just outside the tile
//    Offsets             the type of offsets and how they mark heads, or gp__no_offsets
//    State, Join         the state carried from left to right, and the operator on it
//    Kept                32-bit words that a thread leaves from fold to emit; another warp may take them up. By offsets
//                        the first words are the bits of heads, marked before fold
//    SCRATCH             bytes an element that emit needs besides the tile
//    fold<ITEMS, FULL>   the state of a group, in all lanes; reads the tile only, neighbours' keys included
//    emit<ITEMS, FULL>   writes results, once the group's prefix is known: compacts them in the group's part of the
//                        tile and stores them to consecutive addresses
//    finish              writes the counts: one thread, once all is known
// FULL: all elements of the group exist, and element 0 of each array is on a 16-byte boundary. Otherwise elements go
// one by one, and those that do not exist are never read.

struct gp__stream_tile {
  gp__u8 *keys, *values; // element 0 of the tile, in shared memory
  gp__u64 first, count; // index of element 0; elements of the whole stream
  int items; // elements of the tile
  template<class T> GP_DEVICE T key(int i) const { return *gp__as<const T>(keys + i * int(sizeof(T))); }
  // The number of elements that exist among ITEMS from i on.
  template<int ITEMS> GP_DEVICE int exist(int i) const {
    return items - i < 0 ? 0 : items - i < ITEMS ? items - i : ITEMS;
  }
};

template<class T> struct gp__bytes_of { static const int value = int(sizeof(T)); };
template<> struct gp__bytes_of<gp__none> { static const int value = 0; };

// N consecutive elements of shared memory in registers, by the widest accesses that the address allows. Elements of one
// or two bytes that are loaded one by one are combined to words: a register holds a word.
template<int BYTES> struct gp__raw { typedef gp__u8 type; };
template<> struct gp__raw<2> { typedef unsigned short type; };
template<class T, int N> struct gp__vecs {
  static const int BYTES = N * int(sizeof(T)), VECTORS = BYTES % 16 == 0 ? BYTES / 16 : 0,
                   WORDS = VECTORS == 0 && BYTES % 4 == 0 ? BYTES / 4 : 0;
  union {
    gp_vector vector[VECTORS > 0 ? VECTORS : 1];
    gp__u32 word[(BYTES + 3) / 4];
    T item[N];
  };
  GP_DEVICE gp__vecs() {}
  GP_DEVICE void clear() { // writes all registers, so that none is kept from tile to tile
    GP__EACH(i, (BYTES + 3) / 4) word[i] = 0;
  }
  GP_DEVICE void load(const gp__u8 *p) {
    if (VECTORS) {
      GP__EACH(i, VECTORS) vector[i] = gp__as<const gp_vector>(p)[i];
    } else if (WORDS) {
      GP__EACH(i, WORDS) word[i] = gp__as<const gp__u32>(p)[i];
    } else {
      GP__EACH(i, N) item[i] = gp__as<const T>(p)[i];
    }
  }
  template<bool FULL> GP_DEVICE void load(const gp__u8 *p, int exist) {
    if (FULL) load(p);
    else if (sizeof(T) <= 2 && VECTORS && exist == N) {
      GP__EACH(i, VECTORS) vector[i] = gp__vector_anywhere(p + i * 16);
    } else if (sizeof(T) <= 2 && BYTES % 4 == 0) {
      typedef typename gp__raw<alignof(T)>::type R; // a struct of two bytes may have any address
      const int PER_WORD = 4 / int(sizeof(R)), RAWS = int(sizeof(T) / sizeof(R));
      GP__EACH(w, BYTES / 4) {
        gp__u32 x = 0;
        GP__EACH(k, PER_WORD)
          if (w * PER_WORD + k < exist * RAWS)
            x |= gp__u32(gp__as<const R>(p)[w * PER_WORD + k]) << (k * 8 * int(sizeof(R)));
        word[w] = x;
      }
    } else {
      clear();
      GP__EACH(i, N)
        if (i < exist) item[i] = gp__as<const T>(p)[i];
    }
  }
  template<bool FULL> GP_DEVICE void store(gp__u8 *p, int exist) const {
    if (FULL && VECTORS) {
      GP__EACH(i, VECTORS) gp__as<gp_vector>(p)[i] = vector[i];
    } else {
      GP__EACH(i, N)
        if (FULL || i < exist) gp__as<T>(p)[i] = item[i];
    }
  }
};

// Two counts of a warp's elements in one word.
GP_DEVICE gp__u32 gp__pair(int low, int high) { return gp__u32(low) | gp__u32(high) << 16; }
GP_DEVICE int gp__low(gp__u32 pair) { return int(pair & 0xffffu); }
GP_DEVICE int gp__high(gp__u32 pair) { return int(pair >> 16); }

// One warp: stores n elements from shared memory to consecutive addresses. 16 bytes at a time if both sides are
// misaligned alike; otherwise elements of fewer than four bytes are combined to vectors.
template<class T, bool SMALL = (sizeof(T) < 4)> struct gp__copy_unlike {
  static GP_DEVICE void run(T *to, const gp__u8 *shared, int n) {
    GP__UNROLL_BY(4)
    for (int i = int(gp_lane()); i < n; i += 32) to[i] = gp__as<const T>(shared)[i];
  }
};
template<class T> struct gp__copy_unlike<T, true> {
  static GP_DEVICE void run(T *to, const gp__u8 *from, int n) {
    gp__u8 *out = gp__as<gp__u8>(to);
    const int bytes = n * int(sizeof(T)), aligned = int((16 - gp__misalignment(to, 16)) & 15u), lane = int(gp_lane());
    const int head = aligned < bytes ? aligned : bytes, vectors = (bytes - head) / 16, tail = head + vectors * 16;
    if (lane < head) out[lane] = from[lane];
    if (tail + lane < bytes) out[tail + lane] = from[tail + lane]; // fewer than 16
    GP__UNROLL_BY(1)
    for (int i = head + lane * 16; i < tail; i += 32 * 16) gp__vector_at(out + i) = gp__vector_anywhere(from + i);
  }
};
template<class T> struct gp__copy_out {
  static const int V = sizeof(T) < 16 && 16 % sizeof(T) == 0 ? 16 / int(sizeof(T)) : 0; // elements of a vector
  static GP_DEVICE void run(T *to, const gp__u8 *shared, int n) {
    const unsigned aligned = (16 - gp__misalignment(to, 16)) & 15u; // bytes before the first vector
    if (V == 0 || gp__misalignment(to, 16) != gp__misalignment(shared, 16) || aligned % sizeof(T)) {
      gp__copy_unlike<T>::run(to, shared, n);
      return;
    }
    const T *from = gp__as<const T>(shared);
    const int start = int(aligned / sizeof(T)), head = start < n ? start : n;
    const int vectors = (n - head) / (V ? V : 1), tail = head + vectors * V;
    if (int(gp_lane()) < head) to[gp_lane()] = from[gp_lane()];
    GP__UNROLL_BY(4)
    for (int i = int(gp_lane()); i < vectors; i += 32)
      gp__vector_at(gp__as<gp_vector>(to + head) + i) = gp__vector_at(gp__as<const gp_vector>(from + head) + i);
    if (tail + int(gp_lane()) < n) to[tail + gp_lane()] = from[tail + gp_lane()];
  }
  // The best place to gather n results that will go to `to`, with room for `room` elements from `at` on.
  static GP_DEVICE gp__u8 *alike(const T *to, gp__u8 *at, int n, int room) {
    const unsigned shift = (gp__misalignment(to, 16) - gp__misalignment(at, 16)) & 15u;
    return V > 0 && n + V <= room && shift % sizeof(T) == 0 ? at + shift : at;
  }
};

// Results of so few elements a thread go to memory one by one: a way through shared memory takes longer.
enum { GP__FEW_ITEMS = 4 };
// Compacts the marked elements of a group's part of an array there, and stores them from to[before] on. If no lane has
// many, each element is stored by itself. DIRECT: so are all if there are few a thread; runs are seldom short.
template<class V, bool DIRECT = false> struct gp__compact {
  template<int ITEMS, bool FULL>
  static GP_DEVICE void run(
      void *to, gp__u64 before, gp__u8 *group, const gp__bits<ITEMS> &marks, int rank, int total, int exist, int all) {
    V *out = gp__as<V>(to) + before;
    gp__u8 *mine = group + gp_lane() * (ITEMS * sizeof(V));
    if (DIRECT && ITEMS <= GP__FEW_ITEMS) {
      V *next = out + rank;
      GP__EACH(j, ITEMS)
        if (marks.get(j)) *next++ = gp__as<const V>(mine)[j];
      return;
    }
    if (!__any_sync(~0u, marks.count() > 2 + ITEMS / 32)) {
      V *next = out + rank;
      GP__EACH(w, gp__bits<ITEMS>::WORDS) {
        GP__UNROLL_BY(1)
        for (gp__u32 left = marks.word[w]; left; left &= left - 1)
          *next++ = gp__as<const V>(mine)[w * 32 + __ffs(int(left)) - 1];
      }
      return;
    }
    if (total < all) {
      gp__vecs<V, ITEMS> x;
      x.template load<FULL>(mine, exist);
      __syncwarp();
      group = gp__copy_out<V>::alike(out, group, total, 32 * ITEMS);
      if (FULL && sizeof(V) == 1 && ITEMS % 4 == 0) {
        const gp__byte_gather<ITEMS> gather(group + rank, x.word, marks);
        __syncwarp();
        gather.finish();
      } else {
        V *next = gp__as<V>(group) + rank;
        GP__EACH(j, ITEMS)
          if (marks.get(j)) *next++ = x.item[j];
      }
      __syncwarp();
    }
    gp__copy_out<V>::run(out, group, total);
  }
};
template<bool DIRECT> struct gp__compact<gp__none, DIRECT> {
  template<int ITEMS, bool FULL>
  static GP_DEVICE void run(void *, gp__u64, gp__u8 *, const gp__bits<ITEMS> &, int, int, int, int) {}
};

// The range of the offsets among a tile's elements.
struct gp__span {
  gp__u64 begin, end;
};
struct gp__no_offsets {
  static const bool any = false;
  static GP_DEVICE gp__span find(const gp__stream_args &, const gp__stream_tile &) { return gp__span{0, 0}; }
  static GP_DEVICE gp__span take(gp__span &span) { return span; }
  template<int THREADS, int ITEMS>
  static GP_DEVICE void clear(const gp__stream_tile &, gp__u32 *, unsigned, unsigned) {}
  template<int THREADS, int ITEMS>
  static GP_DEVICE void mark(
      const gp__stream_args &, const gp__stream_tile &, const gp__span &, gp__u32 *, unsigned, unsigned) {}
};

// N counts, added.
template<int N> struct gp__counts { gp__u64 n[N]; };
template<int N> struct gp__count_join {
  static GP_DEVICE gp__counts<N> identity() {
    gp__counts<N> c;
    GP__EACH(i, N) c.n[i] = 0;
    return c;
  }
  GP_DEVICE gp__counts<N> operator()(gp__counts<N> a, const gp__counts<N> &b) const {
    GP__EACH(i, N) a.n[i] += b.n[i];
    return a;
  }
  template<int TILE> struct Form { // counts of a tile are below 2^32
    struct Packed {
      gp__u32 n[N];
    };
    static GP_DEVICE Packed pack(const gp__counts<N> &c, gp__u64) {
      Packed p;
      GP__EACH(i, N) p.n[i] = gp__u32(c.n[i]);
      return p;
    }
    static GP_DEVICE gp__counts<N> unpack(const Packed &p, gp__u64) {
      gp__counts<N> c;
      GP__EACH(i, N) c.n[i] = p.n[i];
      return c;
    }
  };
};
