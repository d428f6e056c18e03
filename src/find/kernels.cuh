// find/kernels.cuh - the first element with a property; no block begins a tile after a hit
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, find/policy.h,
//   core/arguments.h, find/arguments.h, device/operators.cuh, device/warp.cuh, device/vector_access.cuh,
//   device/inputs.cuh, device/tile_reduce.cuh, device/tile_chunk.cuh, device/look_back.cuh, device/kernel.cuh

// Consecutive elements in a thread: whole vectors where the input is aligned to them. Sizes that do not divide 16 are
// read element by element elsewhere.
template<class T, bool DIVIDES, bool GROUPS>
struct gp__find_access_of : gp__vector_access<T, gp__find_items(int(sizeof(T)))> {};
template<class T> struct gp__find_access_of<T, false, true> : gp__vec_group<T> {
  template<int CACHE> GP_DEVICE void load(const T *at, unsigned misaligned, bool) {
    if (misaligned == 0) {
      const gp_vector *from = gp__as<const gp_vector>(at);
      GP__EACH(l, gp__vec_group<T>::vectors) this->vector[l] = gp__load_vector<CACHE>(from + l);
    } else {
      GP__EACH(j, gp__vec_group<T>::items) this->item[j] = at[j];
    }
  }
};
template<class T>
struct gp__find_access
  : gp__find_access_of<T, 16 % sizeof(T) == 0, (gp__vec_group_vectors(int(sizeof(T))) <= GP__FIND_GROUP_VECTORS)> {};

// A search is made from the kernel's arguments. Its Run is a thread's access: the elements from `i` on, with what else
// decides whether they are hits. `inner`: the inputs also have 16 bytes on either side. holds(i): element i, alone.

// Elements for which the predicate is WANTED.
template<class Element, class Predicate, bool WANTED> struct gp__find_element {
  typedef Element T;
  static const int inputs = 1;
  const T *in;
  unsigned misaligned;
  const gp__value &scalar;
  template<class Args>
  GP_DEVICE explicit gp__find_element(const Args &a)
    : in(gp__as<const T>(a.in)), misaligned(gp__misalignment(a.in, 16)), scalar(a.scalar) {}
  struct Run {
    gp__find_access<T> x;
    template<int CACHE> GP_DEVICE void load(const gp__find_element &s, gp__u64 i, bool inner) {
      x.template load<CACHE>(s.in + i, s.misaligned, inner);
    }
    GP_DEVICE bool holds(const gp__find_element &s, int j, gp__u64) const {
      return Predicate()(x.item[j], s.scalar) == WANTED;
    }
  };
  GP_DEVICE bool holds(gp__u64 i) const { return Predicate()(in[i], scalar) == WANTED; }
};
// The same of a described input.
template<class Element, class Predicate, bool WANTED, class Input> struct gp__find_described {
  typedef Element T;
  static const int inputs = 1;
  Input input;
  const gp__value &scalar;
  template<class Args>
  GP_DEVICE explicit gp__find_described(const Args &a)
    : input(static_cast<const gp__with_input<Args> &>(a).input), scalar(a.scalar) {}
  struct Run {
    gp__find_access<T> x;
    template<int CACHE> GP_DEVICE void load(const gp__find_described &s, gp__u64 i, bool) {
      s.input.template load<CACHE>(i, x.item);
    }
    GP_DEVICE bool holds(const gp__find_described &s, int j, gp__u64) const {
      return Predicate()(x.item[j], s.scalar) == WANTED;
    }
  };
  GP_DEVICE bool holds(gp__u64 i) const { return Predicate()(input.at(i), scalar) == WANTED; }
};
// Indices at which two arrays are not equal.
template<class Element, class Equal> struct gp__find_difference {
  typedef Element T;
  static const int inputs = 2;
  const T *in, *in2;
  unsigned misaligned, misaligned2;
  template<class Args>
  GP_DEVICE explicit gp__find_difference(const Args &a)
    : in(gp__as<const T>(a.in)), in2(gp__as<const T>(a.in2)), misaligned(gp__misalignment(a.in, 16)),
      misaligned2(gp__misalignment(a.in2, 16)) {}
  struct Run {
    gp__find_access<T> x, y;
    template<int CACHE> GP_DEVICE void load(const gp__find_difference &s, gp__u64 i, bool inner) {
      x.template load<CACHE>(s.in + i, s.misaligned, inner);
      y.template load<CACHE>(s.in2 + i, s.misaligned2, inner);
    }
    GP_DEVICE bool holds(const gp__find_difference &, int j, gp__u64) const { return !Equal()(x.item[j], y.item[j]); }
  };
  GP_DEVICE bool holds(gp__u64 i) const { return !Equal()(in[i], in2[i]); }
};
// Elements that stand in a relation to their predecessor: SWAPPED relation(x[i], x[i - 1]), else relation(x[i - 1],
// x[i]).
template<class Element, class Relation, bool SWAPPED> struct gp__find_neighbours {
  typedef Element T;
  static const int inputs = 1;
  const T *in;
  unsigned misaligned;
  template<class Args>
  GP_DEVICE explicit gp__find_neighbours(const Args &a)
    : in(gp__as<const T>(a.in)), misaligned(gp__misalignment(a.in, 16)) {}
  static GP_DEVICE bool related(const T &before, const T &x) {
    return SWAPPED ? Relation()(x, before) : Relation()(before, x);
  }
  struct Run {
    gp__find_access<T> x;
    gp__vector_access<T, 1> before;
    template<int CACHE> GP_DEVICE void load(const gp__find_neighbours &s, gp__u64 i, bool inner) {
      x.template load<CACHE>(s.in + i, s.misaligned, inner);
      if (i > 0) before.template load<GP_CACHE_ALL>(s.in + i - 1, 0, false);
    }
    GP_DEVICE bool holds(const gp__find_neighbours &, int j, gp__u64 i) const {
      return j > 0 ? related(x.item[j - 1], x.item[j]) : i > 0 && related(before.item[0], x.item[0]);
    }
  };
  GP_DEVICE bool holds(gp__u64 i) const { return i > 0 && related(in[i - 1], in[i]); }
};

// Elements for which the predicate holds, and does not for the one before.
template<class Element, class Predicate> struct gp__find_return {
  typedef Element T;
  static const int inputs = 1;
  const T *in;
  unsigned misaligned;
  const gp__value &scalar;
  template<class Args>
  GP_DEVICE explicit gp__find_return(const Args &a)
    : in(gp__as<const T>(a.in)), misaligned(gp__misalignment(a.in, 16)), scalar(a.scalar) {}
  GP_DEVICE bool returns(const T &before, const T &x) const {
    return Predicate()(x, scalar) && !Predicate()(before, scalar);
  }
  struct Run {
    gp__find_access<T> x;
    gp__vector_access<T, 1> before;
    template<int CACHE> GP_DEVICE void load(const gp__find_return &s, gp__u64 i, bool inner) {
      x.template load<CACHE>(s.in + i, s.misaligned, inner);
      if (i > 0) before.template load<GP_CACHE_ALL>(s.in + i - 1, 0, false);
    }
    GP_DEVICE bool holds(const gp__find_return &s, int j, gp__u64 i) const {
      return j > 0 ? s.returns(x.item[j - 1], x.item[j]) : i > 0 && s.returns(before.item[0], x.item[0]);
    }
  };
  GP_DEVICE bool holds(gp__u64 i) const { return i > 0 && returns(in[i - 1], in[i]); }
};
// The equality that an order gives: neither element is less.
template<class Less> struct gp__equivalent {
  template<class T> GP_DEVICE bool operator()(const T &a, const T &b) const { return !Less()(a, b) && !Less()(b, a); }
};

// This thread's first hit in elements first .. end - 1 of n; all ones if it has none.
template<class P, class Search>
GP_DEVICE gp__u64 gp__find_in_tile(const Search &search, gp__u64 first, gp__u64 end, gp__u64 n) {
  typedef typename Search::T T;
  const int V = gp__find_items(int(sizeof(T))), K = gp__find_packs(int(sizeof(T)), Search::inputs, P::vectors);
  gp__u64 hit = ~gp__u64(0);
  for (gp__u64 round = first + threadIdx.x * V; round < end && hit == ~gp__u64(0); round += P::threads * K * V) {
    typename Search::Run run[K];
    GP__EACH(k, K) {
      const gp__u64 i = round + k * P::threads * V;
      if (i + V <= n) run[k].template load<P::load>(search, i, i >= V && i + 2 * V <= n);
    }
    GP__EACH(k, K) {
      const gp__u64 i = round + k * P::threads * V;
      if (i + V <= n) {
        bool any = false;
        GP__EACH(j, V) any |= run[k].holds(search, j, i);
        if (any && hit == ~gp__u64(0)) {
          GP__UNROLL
          for (int j = V - 1; j >= 0; --j)
            if (run[k].holds(search, j, i)) hit = i + j;
        }
      } else
        for (gp__u64 j = i; j < n && hit == ~gp__u64(0); ++j)
          if (search.holds(j)) hit = j;
    }
  }
  return hit;
}

// n: the number of elements.
template<int RESULT> GP_DEVICE void gp__find_result(void *out, gp__u64 first, gp__u64 n) {
  const bool some = first != ~gp__u64(0);
  if (RESULT == GP__FIND_SOME || RESULT == GP__FIND_NONE) *gp__as<gp__u8>(out) = some == (RESULT == GP__FIND_SOME);
  else *gp__as<gp__u64>(out) = some ? first - (RESULT == GP__FIND_BEFORE) : RESULT == GP__FIND_BAD ? first : n;
}

template<int RESULT, class Search> struct gp__find_answer {
  static GP_DEVICE void write(const Search &, const gp__find_args &a, gp__u64 first, gp__u64 n) {
    gp__find_result<RESULT>(a.out, first, n);
  }
};
template<class T, class Less> struct gp__find_answer<GP__FIND_ORDER, gp__find_difference<T, gp__equivalent<Less>>> {
  static GP_DEVICE void write(
      const gp__find_difference<T, gp__equivalent<Less>> &s, const gp__find_args &a, gp__u64 first, gp__u64) {
    *gp__as<int>(a.out) = first == ~gp__u64(0) ? gp__value_as<int>(a.scalar)
        : Less()(s.in[first], s.in2[first]) ? -1
        : 1;
  }
};

template<int THREADS> struct gp__find_storage {
  gp_tile_reduce_storage<THREADS, gp__u64> reduce;
  gp__ticket ticket;
};

// Tiles by ticket, in the order of the input. A block that has a hit raises the ticket counter past the last tile
// (gp__end_tiles): from then on no block begins a tile, and all tiles before the hit were drawn earlier. Each block
// publishes its first hit; the block that draws the last ticket takes the least. The result is the same in every
// schedule. If there are no more tiles than blocks, each block draws one ticket; then it takes its tile whether there
// was a hit or not, because the tiles of all blocks are under way at once.
template<class P, class Search, int RESULT> GP_DEVICE void gp__find(const gp__find_args &a) {
  typedef typename Search::T T;
  const int THREADS = P::threads,
            ROUND = P::threads * gp__find_items(int(sizeof(T))) *
      gp__find_packs(int(sizeof(T)), Search::inputs, P::vectors);
  typedef gp__find_storage<THREADS> Storage;
  GP_SHARED(Storage, s);
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a), tile_items = a.rounds * ROUND, tiles = (n + tile_items - 1) / tile_items;
  const bool alone = gridDim.x == 1, once = tiles <= gridDim.x;
  const gp__u64 draws = once ? gridDim.x : tiles + gridDim.x;
  const Search search(a);
  gp__u64 hit = ~gp__u64(0);
  gp__ticket ticket = {0, 0};
  bool found = false;
  for (;;) {
    if (!alone) {
      if (!threadIdx.x) s.ticket = gp__draw(a.workspace, draws);
      __syncthreads();
      ticket = s.ticket;
    }
    if (ticket.number >= tiles) break;
    const gp__u64 first = ticket.number * tile_items, end = first + tile_items < n ? first + tile_items : n;
    hit = gp__find_in_tile<P>(search, first, end, n);
    found = __syncthreads_or(hit != ~gp__u64(0)) != 0; // and every thread has read the ticket
    if (alone ? found : once) break;
    if (alone) ++ticket.number;
    else if (found && !threadIdx.x) gp__end_tiles(a.workspace, ticket, tiles);
  }
  hit = found ? gp_tile_reduce<THREADS>(hit, gp_min<gp__u64>(), s.reduce) : ~gp__u64(0);
  if (!alone) {
    const gp__word *words = gp__words(a.workspace);
    const gp__u64 slot = once ? ticket.number : ticket.number - tiles;
    if (!threadIdx.x) gp__publish(gp__words(a.workspace), slot, hit, ticket.tag);
    if (slot != gridDim.x - 1) return;
    __syncthreads();
    hit = ~gp__u64(0);
    for (gp__u64 i = threadIdx.x; i < gridDim.x; i += THREADS)
      hit = gp_min<gp__u64>()(hit, gp__receive<gp__u64>(words, i, ticket.tag));
    hit = gp_tile_reduce<THREADS>(hit, gp_min<gp__u64>(), s.reduce);
  }
  if (!threadIdx.x) gp__find_answer<RESULT, Search>::write(search, a, hit, n);
}

// The first element that is no hit, if all hits come first: a binary search by one block, whose threads look at a place
// each. Elements before `low` are hits, those from `high` on are none.
template<class P, class Search> GP_DEVICE void gp__partition_point(const gp__find_args &a) {
  gp__pdl_wait<P>();
  const gp__u64 n = gp__count(a);
  const Search search(a);
  gp__u64 low = 0, high = n;
  while (low < high) {
    const gp__u64 step = (high - low + P::threads - 1) / P::threads, i = low + threadIdx.x * step;
    const unsigned hits = unsigned(__syncthreads_count(i < high && search.holds(i)));
    if (hits == 0) high = low;
    else {
      const gp__u64 next = low + hits * step;
      low = next - step + 1;
      if (next < high) high = next;
    }
  }
  if (!threadIdx.x) *gp__as<gp__u64>(a.out) = low;
}
