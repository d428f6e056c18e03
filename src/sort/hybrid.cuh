// sort/hybrid.cuh - hybrid sort: parts, items and what a level does
// uses: core/words.h, device/vocabulary.cuh, sort/hybrid_policy.h, sort/hybrid_arguments.h, device/types.cuh,
//   device/warp.cuh, device/tile_load.cuh, device/tile_sort.cuh, sort/radix_sweep.cuh

// Sorts built-in keys by all their bits. Without values equal keys are identical, so no step needs to be stable. A
// level splits its parts by up to 8 bits, the most significant first. One kernel counts digits; the block that
// completes a part plans it. The next kernel moves keys, a tile at a time, to places drawn from the part's counters, or
// fills runs if the counts determine all keys. Neighbouring small buckets become one item of a list that the last
// kernel sorts on chip; larger buckets become parts of the next level. After as many levels as uniform keys need, one
// more kernel works level by level while there are parts. (Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid
// Radix Sort on GPUs.) Keys move from the input to the spare buffer, then to the output, and back. A part whose keys
// share a digit does not move: its next digits lie between its smallest and its largest key.
//
// With values (or indices) every step is stable. The count and the move of a level deal tiles to blocks in the same
// way. A piece is a block's share of a part. The plan turns the pieces' counters into the places of each piece's keys,
// digit by digit. A block then moves its pieces in order, tile by tile. It ranks a tile's keys as the one-sweep sort
// does, but waits for no other block. On chip, key minus the bucket's lowest key, with the place in the bucket below
// it, is a distinct 64-bit word. A block sorts these words as keys; their places then fetch the values. A bucket of
// more bits becomes a part of the next level, however small. A part with no bits left is in order once it has moved.

// A key of T as the unsigned integer that is sorted.
template<class T, bool DESCENDING> struct gp__sorted {
  typedef gp__ordered<T> Ordered;
  typedef typename Ordered::Bits Raw;
  typedef typename gp__unsigned_of<(sizeof(T) > 4 ? 8 : 4)>::type Key;
  static const int V = 16 / int(sizeof(T));
  static GP_DEVICE Key encode(Raw raw) {
    const Raw bits = Ordered::encode(raw);
    return DESCENDING ? Raw(~bits) : bits;
  }
  static GP_DEVICE Raw decode(Key key) {
    const Raw bits = Raw(key);
    return Ordered::decode(DESCENDING ? Raw(~bits) : bits);
  }
};

enum { GP__FROM_IN, GP__FROM_SPARE, GP__FROM_OUT }; // the buffer that holds the keys
enum { GP__PART_MOVES, GP__PART_STAYS, GP__PART_COUNTED, GP__PART_CONSTANT };

static_assert(sizeof(gp__hybrid_part) == GP__HYBRID_PART_BYTES, "the size of a part");
// Keys that a block sorts on chip.
struct gp__hybrid_item {
  gp__u64 begin, low;
  gp__u32 count;
  gp__u16 width, source; // width: bits of largest key - low
};
static_assert(sizeof(gp__hybrid_item) == GP__HYBRID_ITEM_BYTES, "the size of an item");

template<class P, class T, bool DESCENDING, class Value = gp__none> struct gp__hybrid {
  static const bool PAIRS = gp__radix_value<Value>::is;
  // Bits in which keys of one bucket may differ.
  static const int WIDEST = PAIRS ? 64 - GP__HYBRID_PLACE_BITS : 64;
  typedef gp__sorted<T, DESCENDING> Code;
  typedef typename Code::Key Key;
  typedef typename Code::Raw Raw;
  typedef gp__vec<Raw> Pack;
  static const int V = Code::V, BITS = 8 * int(sizeof(T)), ITEMS = P::vectors * V, TILE = P::threads * ITEMS;

  const gp__hybrid_args &a;
  const int level;
  const gp__u32 block; // 0 .. gridDim.x - 1: owner of this share of the level
  GP_DEVICE gp__hybrid_part *parts_of(int l) const { return gp__as<gp__hybrid_part>(l % 2 ? a.next_parts : a.parts); }
  GP_DEVICE gp__hybrid_part *parts() const { return parts_of(level); }
  GP_DEVICE gp__u64 *bins_of(int l) const { return !PAIRS && l % 2 ? a.next_bins : a.bins; }
  GP_DEVICE gp__hybrid_item *items() const { return gp__as<gp__hybrid_item>(a.items); }
  GP_DEVICE const Raw *from(gp__u32 source) const {
    return gp__as<const Raw>(source == GP__FROM_IN ? a.in : source == GP__FROM_SPARE ? a.spare : a.out);
  }
  GP_DEVICE Raw *to(gp__u32 source) const { return gp__as<Raw>(source == GP__FROM_SPARE ? a.out : a.spare); }
  GP_DEVICE const Value *values_from(gp__u32 source) const { // NULL: each element's index
    return gp__as<const Value>(source == GP__FROM_IN ? a.values
            : source == GP__FROM_SPARE ? a.spare_values
            : a.out_values);
  }
  GP_DEVICE Value *values_to(gp__u32 source) const {
    return gp__as<Value>(source == GP__FROM_SPARE ? a.out_values : a.spare_values);
  }
  static GP_DEVICE gp__u32 next_source(gp__u32 source) {
    return source == GP__FROM_SPARE ? GP__FROM_OUT : GP__FROM_SPARE;
  }
  // Elements of a tile before the part: tiles begin on 16-byte boundaries of memory.
  GP_DEVICE unsigned skew(gp__u32 source, gp__u64 begin) const {
    return gp__misalignment(from(source) + begin, 16) / unsigned(sizeof(Raw));
  }
  // Bits of a part's digit at a level: enough to make buckets that fit on chip in the fewest moves. From the third move
  // on, keys are close together and a digit takes all 8 bits. If as many levels can use up all bits, they do: buckets
  // of few distinct keys are slow on chip. The levels after this one must be able to take the rest (`least`).
  GP_DEVICE int digit_bits(int level, unsigned depth, gp__u64 size, int width) const {
    const gp__u64 fit = gp__hybrid_fit(a.capacity);
    const int fitting = gp__width<gp__u64>((size + fit - 1) / fit - 1);
    const int need = width - WIDEST > fitting ? width - WIDEST : fitting;
    const int levels = (need + 7) / 8, all = (width + 7) / 8;
    const int least = width - 8 * (gp__hybrid_levels(int(sizeof(T))) - 1 - level);
    const int bits = depth >= 2 || width <= 8 || levels == 0 ? 8
        : all <= levels ? (width + all - 1) / all
        : (need + levels - 1) / levels;
    return width < bits ? width : bits < least ? least : bits < 4 ? (width < 4 ? width : 4) : bits;
  }
  GP_DEVICE gp__u32 tiles_of(gp__u64 begin, gp__u64 size, gp__u32 source) const {
    return gp__u32((skew(source, begin) + size + TILE - 1) / TILE);
  }
  GP_DEVICE void describe(gp__hybrid_part &p, int of_level, gp__u64 begin, gp__u64 size, Key low, int width,
      gp__u32 source, gp__u32 first_tile, unsigned depth) const {
    const int bits = digit_bits(of_level, depth, size, width);
    p.begin = begin, p.end = begin + size, p.low = low, p.least = ~gp__u64(0), p.most = 0;
    p.first_tile = first_tile, p.tiles = tiles_of(begin, size, source), p.done = 0;
    p.shift = width - bits, p.bits = bits;
    p.source = source, p.mode = GP__PART_MOVES, p.depth = gp__u16(depth), p.hot = 256;
  }
  // Called by one thread: appends a part to the next level's list.
  GP_DEVICE void append(gp__u64 begin, gp__u64 size, Key low, int width, gp__u32 source, unsigned depth) const {
    const gp__u64 tiles = tiles_of(begin, size, source), was = atomicAdd(a.list + level + 1, tiles << 32 | 1u);
    describe(parts_of(level + 1)[gp__u32(was)], level + 1, begin, size, low, width, source, gp__u32(was >> 32), depth);
  }
  GP_DEVICE void add_item(gp__u64 begin, gp__u32 count, Key low, int width, gp__u32 source) const {
    gp__hybrid_item &item = items()[atomicAdd(a.list + GP__HYBRID_ITEMS, gp__u64(1))];
    item.begin = begin, item.low = low, item.count = count;
    item.width = gp__u16(width), item.source = gp__u16(source);
  }
};
