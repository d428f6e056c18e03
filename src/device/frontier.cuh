// device/frontier.cuh - frontiers: append, expand, contract, filter
// uses: api/policy.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, device/operators.cuh, device/warp.cuh,
//   device/lanes.cuh, device/tile_reduce.cuh

// For traversals of your own. A frontier is an array of vertices in device memory, in any order, and how many there
// are; a level makes the next one of it by three routines, which fuse as you like (Merrill, Garland and Grimshaw,
// Scalable GPU Graph Traversal):
//    expand     vertices to their edges: gp_tile_expand gives each thread an equal share, however uneven lists are
//    contract   of targets that come several times, from many places, one: gp_warp_contract
//    filter     those for which a predicate holds: gp_tile_filter
// What goes on is appended to a frontier, by gp_warp_append and gp_tile_append or by gp_tile_filter, an atomic a block.
// Graphs are offsets and targets in device memory, as in gp_graph; Vertex and Offset are unsigned, of 32 or 64 bits;
// the largest Vertex is no vertex. Which edges go on and, where culling is exact, which vertices is the same in every
// run; their order in a frontier is not, nor which of several edges to a vertex is the one that leads to it.
//
// examples/reachability.cu and examples/neighbourhood.cu are complete programs.

// `vertices` has room for so many; *count, in device memory, is clear before the first is appended. What finds no room
// is counted and not written: *count > room says so, behind the launch, and readers take the first `room`. A frontier
// that is read and one that is appended to share no memory. T is the vertex, or a struct of yours.
template <class T> struct gp_frontier {
  T *vertices;
  gp__u64 *count;
  gp__u64 room;
  GP_DEVICE gp__u64 size() const { return *count < room ? *count : room; }
};

// The block's buffer between its warps and a frontier: ROOM * sizeof(T) + 16 bytes. Where it is full, warps take places
// in the frontier by themselves, one atomic for their 32 lanes.
template <int ROOM, class T> struct gp_tile_append_storage {
  gp__u64 first;
  gp__u32 count;
  T element[ROOM];
};
// Once, before the first append; a barrier stands behind it.
template <int ROOM, class T> GP_DEVICE void gp_tile_append_begin(gp_tile_append_storage<ROOM, T> &storage) {
  if (threadIdx.x == 0) storage.count = 0;
  __syncthreads();
}
// Appends the elements of those lanes where `there` is set. All lanes of a warp call; other warps need not.
template <int ROOM, class T>
GP_DEVICE void gp_warp_append(bool there, const T &element, const gp_frontier<T> &out,
                              gp_tile_append_storage<ROOM, T> &storage) {
  gp__u32 end = 0, at = ROOM; // a full buffer's count stands: it could come round
  if (gp_warp_broadcast(gp__load_volatile(&storage.count), 0) < static_cast<gp__u32>(ROOM))
    at = gp__warp_draw(&storage.count, there, end);
  if (there && at < static_cast<gp__u32>(ROOM)) storage.element[at] = element;
  const gp__u32 left = __ballot_sync(0xffffffffu, there && at >= static_cast<gp__u32>(ROOM));
  if (!left) return;
  gp__u64 first = 0;
  if (gp_lane() == 0) first = atomicAdd(out.count, static_cast<gp__u64>(__popc(left)));
  first = gp_warp_broadcast(first, 0) + gp__lanes_before(left);
  if ((left >> gp_lane() & 1u) && first < out.room) out.vertices[first] = element;
}
// What the block's warps have appended goes to the frontier. All threads call; behind the next __syncthreads() more may
// be appended, or storage used otherwise.
template <int THREADS, int ROOM, class T>
GP_DEVICE void gp_tile_append(const gp_frontier<T> &out, gp_tile_append_storage<ROOM, T> &storage) {
  __syncthreads();
  const gp__u32 count = storage.count < static_cast<gp__u32>(ROOM) ? storage.count : static_cast<gp__u32>(ROOM);
  if (threadIdx.x == 0 && count) storage.first = atomicAdd(out.count, static_cast<gp__u64>(count));
  __syncthreads();
  if (threadIdx.x == 0) storage.count = 0;
  for (gp__u32 i = threadIdx.x; i < count; i += THREADS)
    if (storage.first + i < out.room) out.vertices[storage.first + i] = storage.element[i];
}

// THREADS * (12 + sizeof(Vertex)) bytes and a few words. PIECE: edges of a list that are laid out at once, at most;
// the block's are below 2^32.
template <int THREADS, class Vertex, int PIECE = (1 << 20)> struct gp_tile_expand_storage {
  gp_tile_scan_storage<THREADS, gp__u32> scan;
  gp__u32 lists;
  gp__u32 start[THREADS];
  gp__u64 begin[THREADS];
  Vertex source[THREADS];
};
// A lane's edges; whole warps call.
template <int ITEMS, class Vertex, class Goes, class Take>
GP_DEVICE void gp__take_edges(bool (&there)[ITEMS], const Vertex (&source)[ITEMS], const gp__u64 (&edge)[ITEMS],
                              const Vertex *targets, const Goes &goes, const Take &take) {
  Vertex target[ITEMS];
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) target[i] = there[i] ? targets[edge[i]] : 0;
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) there[i] = there[i] && goes(source[i], target[i], edge[i]);
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) take(there[i], source[i], target[i]);
}
// One list, by `width` threads that stand together; this one is number `mine` of them.
template <int ITEMS, class Vertex, class Goes, class Take>
GP_DEVICE void gp__expand_list(gp__u64 begin, gp__u64 count, Vertex vertex, unsigned mine, unsigned width,
                               const Vertex *targets, const Goes &goes, const Take &take) {
  for (gp__u64 base = 0; base < count; base += width * ITEMS) {
    bool there[ITEMS];
    Vertex source[ITEMS];
    gp__u64 edge[ITEMS];
    GPUPRIMS__UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      const gp__u64 at = base + static_cast<unsigned>(i) * width + mine;
      there[i] = at < count;
      source[i] = vertex;
      edge[i] = begin + at;
    }
    gp__take_edges(there, source, edge, targets, goes, take);
  }
}
template <int THREADS, int ITEMS, class Offset, class Vertex, int PIECE, class Goes, class Take>
GP_DEVICE void gp__tile_expand(int gather, bool there, Vertex vertex, const Offset *offsets, const Vertex *targets,
                               const Goes &goes, const Take &take,
                               gp_tile_expand_storage<THREADS, Vertex, PIECE> &storage) {
  static_assert(THREADS <= PIECE, "what the flags leave is laid out at once");
  gp__u64 begin = there ? offsets[vertex] : 0, count = there ? offsets[vertex + 1] - begin : 0;
  if (gather & GP_GATHER_BLOCK) {
    const bool is_long = count >= THREADS;
    if (threadIdx.x == 0) storage.lists = 0;
    if (__syncthreads_or(is_long)) {
      if (is_long) {
        const gp__u32 at = atomicAdd(&storage.lists, 1u);
        storage.begin[at] = begin;
        storage.source[at] = vertex;
        count = 0;
      }
      __syncthreads();
      for (gp__u32 k = 0; k < storage.lists; ++k) {
        const Vertex source = storage.source[k];
        const gp__u64 first = storage.begin[k];
        gp__expand_list<ITEMS>(first, offsets[source + 1] - first, source, threadIdx.x, THREADS, targets, goes, take);
      }
    }
  }
  if (gather & GP_GATHER_WARP) {
    const bool is_long = count >= GP__WARP;
    for (unsigned left = __ballot_sync(0xffffffffu, is_long); left; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      gp__expand_list<ITEMS>(gp_warp_broadcast(begin, owner), gp_warp_broadcast(count, owner),
                             gp_warp_broadcast(vertex, owner), gp_lane(), GP__WARP, targets, goes, take);
    }
    if (is_long) count = 0;
  }
  do { // once, where longer lists are gone
    const gp__u32 piece = static_cast<gp__u32>(count < PIECE ? count : gp__u64(PIECE));
    gp__u32 start = piece;
    const gp__u32 total = gp_tile_exclusive_scan<THREADS>(start, gp_sum<gp__u32>(), storage.scan);
    storage.start[threadIdx.x] = start;
    storage.begin[threadIdx.x] = begin;
    storage.source[threadIdx.x] = vertex;
    __syncthreads();
    for (gp__u32 base = 0; base < total; base += THREADS * ITEMS) {
      bool has[ITEMS];
      Vertex source[ITEMS];
      gp__u64 edge[ITEMS];
      GPUPRIMS__UNROLL
      for (int i = 0; i < ITEMS; ++i) {
        const gp__u32 rank = base + static_cast<unsigned>(i * THREADS) + threadIdx.x;
        gp__u32 owner = 0; // the last that starts here or before
        has[i] = rank < total;
        GPUPRIMS__UNROLL
        for (unsigned step = 512; step; step /= 2)
          if (owner + step < THREADS && storage.start[owner + step] <= rank) owner += step;
        source[i] = storage.source[owner];
        edge[i] = storage.begin[owner] + (rank - storage.start[owner]);
      }
      gp__take_edges(has, source, edge, targets, goes, take);
    }
    begin += piece;
    count -= piece;
  } while (!(gather & (GP_GATHER_WARP | GP_GATHER_BLOCK)) && __syncthreads_or(count > 0));
}
// The edges of a tile of vertices, one a thread (there: it has one). goes(source, target, edge) is asked once for each
// edge, by one thread, and says whether it goes on; `edge` is its place in targets, and in arrays of yours beside them.
// take(there, source, target) is then called by all lanes of a warp together, so that it may contract and append;
// `there` is set in lanes whose edge goes on. ITEMS: a thread's edges whose targets are loaded together. All threads of
// the block call; neither function has a barrier of the block. Storage may be used for the next tile at once, otherwise
// behind the next __syncthreads(). Time O(edges / THREADS + log THREADS), however the edges lie.
template <int THREADS, int ITEMS, int GATHER, class Offset, class Vertex, int PIECE, class Goes, class Take>
GP_DEVICE void gp_tile_expand(bool there, Vertex vertex, const Offset *offsets, const Vertex *targets, const Goes &goes,
                              const Take &take, gp_tile_expand_storage<THREADS, Vertex, PIECE> &storage) {
  gp__tile_expand<THREADS, ITEMS>(GATHER, there, vertex, offsets, targets, goes, take, storage);
}

// SLOTS (a power of two) vertices where there is a history.
template <int CULL, class Vertex, int SLOTS = 256> struct gp_tile_contract_storage {
  static const int slots = (CULL & GP_CULL_HISTORY) != 0 ? SLOTS : 1;
  static_assert(SLOTS > 0 && (SLOTS & (SLOTS - 1)) == 0, "SLOTS is a power of two");
  Vertex seen[slots];
};
// Once, before the first contraction: nothing is remembered. Storage may be used behind the next __syncthreads().
template <int THREADS, int CULL, class Vertex, int SLOTS>
GP_DEVICE void gp_tile_contract_begin(gp_tile_contract_storage<CULL, Vertex, SLOTS> &storage) {
  if (CULL & GP_CULL_HISTORY)
    for (int i = static_cast<int>(threadIdx.x); i < SLOTS; i += THREADS) storage.seen[i] = ~Vertex(0);
}
template <int CULL, class Vertex, int SLOTS>
GP_DEVICE bool gp__warp_contract(int cull, bool there, Vertex vertex, gp__u32 *visited,
                                 gp_tile_contract_storage<CULL, Vertex, SLOTS> &storage) {
  if ((cull & GP_CULL_HISTORY) && there) there = atomicExch(&storage.seen[vertex & (SLOTS - 1)], vertex) != vertex;
  if (cull & GP_CULL_WARP) {
    const unsigned peers = __ballot_sync(0xffffffffu, there) & __match_any_sync(0xffffffffu, vertex);
    there = there && gp__lanes_before(peers) == 0;
  }
  if ((cull & GP_CULL_BITMAP) && there) {
    const gp__u32 bit = 1u << (vertex & 31u);
    there = !(gp__load_volatile(visited + vertex / 32) & bit) && !(atomicOr(visited + vertex / 32, bit) & bit);
  }
  return there;
}
// Does this lane's vertex go on? Of equal ones in a launch one does at least; with GP_CULL_BITMAP exactly one, and none
// where its bit was set before (visited[v / 32], bit v % 32); otherwise visited may be null. All lanes of a warp call.
// Where one launch does several levels, and vertices go on again in each, clear the history in between.
template <int CULL, class Vertex, int SLOTS>
GP_DEVICE bool gp_warp_contract(bool there, Vertex vertex, gp__u32 *visited,
                                gp_tile_contract_storage<CULL, Vertex, SLOTS> &storage) {
  return gp__warp_contract(CULL, there, vertex, visited, storage);
}

// Appends those of a tile's vertices that are kept, by one atomic; within the tile they keep their order, where the
// arrangement is blocked. All threads call. Storage, a scan's and a word, may be used again behind the next
// __syncthreads().
template <int THREADS> struct gp_tile_filter_storage {
  gp_tile_scan_storage<THREADS, gp__u32> scan;
  gp__u64 first;
};
template <int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_filter(const T (&items)[ITEMS], const bool (&keep)[ITEMS], const gp_frontier<T> &out,
                              gp_tile_filter_storage<THREADS> &storage) {
  gp__u32 before = 0;
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) before += keep[i] ? 1u : 0u;
  const gp__u32 total = gp_tile_exclusive_scan<THREADS>(before, gp_sum<gp__u32>(), storage.scan);
  if (threadIdx.x == 0 && total) storage.first = atomicAdd(out.count, static_cast<gp__u64>(total));
  __syncthreads();
  if (!total) return;
  GPUPRIMS__UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    if (!keep[i]) continue;
    const gp__u64 at = storage.first + before++;
    if (at < out.room) out.vertices[at] = items[i];
  }
}

// Bodies of kernels, a launch a level, with as many blocks of THREADS threads as you like: they go over the frontier
// `in`, whose count they read, and append to `out`, one atomic a tile of THREADS vertices. goes() is gp_tile_expand's.
// fresh() is told of each vertex that passes the contraction, by one thread, and says whether it is appended: there a
// depth or a parent is written. Storage serves all of them, as large as their parts together, and may be used again
// behind the next __syncthreads().
template <int THREADS, int ITEMS, int GATHER, int CULL, class Vertex> struct gp_frontier_storage {
  gp_tile_expand_storage<THREADS, Vertex> expand;
  gp_tile_contract_storage<CULL, Vertex> contract;
  gp_tile_append_storage<4 * THREADS, Vertex> append;
};
template <int THREADS, class In, class Out, int ROOM, class Each>
GP_DEVICE void gp__each_tile(const gp_frontier<In> &in, const gp_frontier<Out> &out,
                             gp_tile_append_storage<ROOM, Out> &storage, const Each &each) {
  const gp__u64 count = in.size();
  gp_tile_append_begin(storage);
  for (gp__u64 first = static_cast<gp__u64>(blockIdx.x) * THREADS; first < count;
       first += static_cast<gp__u64>(gridDim.x) * THREADS) {
    const bool there = first + threadIdx.x < count;
    each(there, there ? in.vertices[first + threadIdx.x] : In());
    gp_tile_append<THREADS>(out, storage);
    __syncthreads();
  }
}
// The targets of all edges that go on, as often as they come: an edge frontier.
template <int THREADS, int ITEMS, int GATHER, int CULL, class Offset, class Vertex, class Goes>
GP_DEVICE void gp_frontier_expand(const gp_frontier<Vertex> &in, const Offset *offsets, const Vertex *targets,
                                  const Goes &goes, const gp_frontier<Vertex> &out,
                                  gp_frontier_storage<THREADS, ITEMS, GATHER, CULL, Vertex> &s) {
  gp__each_tile<THREADS>(in, out, s.append, [&](bool there, Vertex vertex) {
    gp_tile_expand<THREADS, ITEMS, GATHER>(
        there, vertex, offsets, targets, goes,
        [&](bool goes_on, Vertex, Vertex target) { gp_warp_append(goes_on, target, out, s.append); }, s.expand);
  });
}
// Of an edge frontier the vertices that gp_warp_contract lets pass, and of which fresh(vertex) holds.
template <int THREADS, int ITEMS, int GATHER, int CULL, class Vertex, class Fresh>
GP_DEVICE void gp_frontier_contract(const gp_frontier<Vertex> &in, gp__u32 *visited, const Fresh &fresh,
                                    const gp_frontier<Vertex> &out,
                                    gp_frontier_storage<THREADS, ITEMS, GATHER, CULL, Vertex> &s) {
  gp_tile_contract_begin<THREADS>(s.contract); // a barrier follows
  gp__each_tile<THREADS>(in, out, s.append, [&](bool there, Vertex vertex) {
    const bool passes = gp_warp_contract(there, vertex, visited, s.contract);
    gp_warp_append(passes && fresh(vertex), vertex, out, s.append);
  });
}
// Both at once, from vertices to vertices: fresh(source, vertex).
template <int THREADS, int ITEMS, int GATHER, int CULL, class Offset, class Vertex, class Goes, class Fresh>
GP_DEVICE void gp_frontier_expand_contract(const gp_frontier<Vertex> &in, const Offset *offsets, const Vertex *targets,
                                           const Goes &goes, gp__u32 *visited, const Fresh &fresh,
                                           const gp_frontier<Vertex> &out,
                                           gp_frontier_storage<THREADS, ITEMS, GATHER, CULL, Vertex> &s) {
  gp_tile_contract_begin<THREADS>(s.contract); // a barrier follows
  const auto take = [&](bool there, Vertex source, Vertex target) {
    const bool passes = gp_warp_contract(there, target, visited, s.contract);
    gp_warp_append(passes && fresh(source, target), target, out, s.append);
  };
  gp__each_tile<THREADS>(in, out, s.append, [&](bool there, Vertex vertex) {
    gp_tile_expand<THREADS, ITEMS, GATHER>(there, vertex, offsets, targets, goes, take, s.expand);
  });
}
// From edge frontier to edge frontier: vertices that come several times are expanded once; fresh(vertex).
template <int THREADS, int ITEMS, int GATHER, int CULL, class Offset, class Vertex, class Goes, class Fresh>
GP_DEVICE void gp_frontier_contract_expand(const gp_frontier<Vertex> &in, gp__u32 *visited, const Fresh &fresh,
                                           const Offset *offsets, const Vertex *targets, const Goes &goes,
                                           const gp_frontier<Vertex> &out,
                                           gp_frontier_storage<THREADS, ITEMS, GATHER, CULL, Vertex> &s) {
  gp_tile_contract_begin<THREADS>(s.contract); // a barrier follows
  gp__each_tile<THREADS>(in, out, s.append, [&](bool there, Vertex vertex) {
    const bool passes = gp_warp_contract(there, vertex, visited, s.contract);
    gp_tile_expand<THREADS, ITEMS, GATHER>(
        passes && fresh(vertex), vertex, offsets, targets, goes,
        [&](bool goes_on, Vertex, Vertex target) { gp_warp_append(goes_on, target, out, s.append); }, s.expand);
  });
}
// Those of which keep(vertex) holds; the tiles come in any order.
template <int THREADS, class T, class Keep>
GP_DEVICE void gp_frontier_filter(const gp_frontier<T> &in, const Keep &keep, const gp_frontier<T> &out,
                                  gp_tile_filter_storage<THREADS> &s) {
  const gp__u64 count = in.size();
  for (gp__u64 first = static_cast<gp__u64>(blockIdx.x) * THREADS; first < count;
       first += static_cast<gp__u64>(gridDim.x) * THREADS) {
    const bool there = first + threadIdx.x < count;
    const T item[1] = {there ? in.vertices[first + threadIdx.x] : T()};
    const bool keeps[1] = {there && keep(item[0])};
    gp_tile_filter(item, keeps, out, s);
    __syncthreads();
  }
}
