// device/frontier.cuh - frontiers: append, expand, contract, filter
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, core/shape.h, device/operators.cuh,
//   device/warp.cuh, device/lanes.cuh, device/tile_reduce.cuh

// Building blocks for graph traversals. A frontier is an unordered array of vertices in device memory, and its count.
// Three routines, which can be fused, make a level's frontier into the next one (Merrill, Garland and Grimshaw,
// Scalable GPU Graph Traversal):
//    expand     vertices to their edges: gp_tile_expand gives each thread an equal share, however uneven lists are
//    contract   removes duplicates among the targets: gp_warp_contract
//    filter     keeps the vertices that satisfy a predicate: gp_tile_filter
// gp_warp_append with gp_tile_append, or gp_tile_filter, appends to a frontier: one atomic a block. A graph is offsets
// and targets in device memory, as in gp_graph. Vertex and Offset are unsigned, of 32 or 64 bits; the largest Vertex is
// no vertex. Every run passes on the same edges and, with exact culling, the same vertices. Their order in a frontier
// varies, and so does the edge by which a vertex is reached.
//
// examples/reachability.cu and examples/neighbourhood.cu are complete programs.

// `vertices` has room for `room` elements; *count, in device memory, must be 0 before the first append. Elements that
// find no room are counted and not written: after the launch *count > room says so, and readers take the first `room`.
// The frontier that is read and the one appended to share no memory. T is the vertex, or a struct of yours.
template<class T> struct gp_frontier {
  T *vertices;
  gp__u64 *count;
  gp__u64 room;
  GP_DEVICE gp__u64 size() const { return *count < room ? *count : room; }
};

// A block's buffer between its warps and a frontier: ROOM * sizeof(T) + 16 bytes. When it is full, warps append
// straight to the frontier, one atomic for 32 lanes.
template<int ROOM, class T> struct gp_tile_append_storage {
  gp__u64 first;
  gp__u32 count;
  T element[ROOM];
};
// Call once before the first append. Ends with a barrier.
template<int ROOM, class T> GP_DEVICE void gp_tile_append_begin(gp_tile_append_storage<ROOM, T> &storage) {
  if (!threadIdx.x) storage.count = 0;
  __syncthreads();
}
// Appends the elements of the lanes with `there` set. All lanes of a warp call; other warps need not.
template<int ROOM, class T>
GP_DEVICE void gp_warp_append(
    bool there, const T &element, const gp_frontier<T> &out, gp_tile_append_storage<ROOM, T> &storage) {
  gp__u32 end = 0, at = ROOM; // a full buffer's count stops growing: it could wrap
  if (gp_warp_broadcast(gp__load_volatile(&storage.count), 0) < gp__u32(ROOM))
    at = gp__warp_draw(&storage.count, there, end);
  if (there && at < gp__u32(ROOM)) storage.element[at] = element;
  const gp__u32 left = __ballot_sync(~0u, there && at >= gp__u32(ROOM));
  if (!left) return;
  gp__u64 first = 0;
  if (!gp_lane()) first = atomicAdd(out.count, gp__u64(__popc(left)));
  first = gp_warp_broadcast(first, 0) + gp__lanes_before(left);
  if ((left >> gp_lane() & 1u) && first < out.room) out.vertices[first] = element;
}
// Flushes the buffer to the frontier. All threads call. After the next __syncthreads() more may be appended, or storage
// used otherwise.
template<int THREADS, int ROOM, class T>
GP_DEVICE void gp_tile_append(const gp_frontier<T> &out, gp_tile_append_storage<ROOM, T> &storage) {
  __syncthreads();
  const gp__u32 count = storage.count < gp__u32(ROOM) ? storage.count : gp__u32(ROOM);
  if (!threadIdx.x && count) storage.first = atomicAdd(out.count, gp__u64(count));
  __syncthreads();
  if (!threadIdx.x) storage.count = 0;
  for (gp__u32 i = threadIdx.x; i < count; i += THREADS)
    if (storage.first + i < out.room) out.vertices[storage.first + i] = storage.element[i];
}

// THREADS * (12 + sizeof(Vertex)) bytes and a few words. PIECE: the most edges of a list that are laid out at once; the
// block's total stays below 2^32.
template<int THREADS, class Vertex, int PIECE = (1 << 20)> struct gp_tile_expand_storage {
  gp_tile_scan_storage<THREADS, gp__u32> scan;
  gp__u32 lists;
  gp__u32 start[THREADS];
  gp__u64 begin[THREADS];
  Vertex source[THREADS];
};
// Loads, tests and takes a lane's edges; whole warps call.
template<int ITEMS, class Vertex, class Goes, class Take>
GP_DEVICE void gp__take_edges(bool (&there)[ITEMS], const Vertex (&source)[ITEMS], const gp__u64 (&edge)[ITEMS],
    const Vertex *targets, const Goes &goes, const Take &take) {
  Vertex target[ITEMS];
  GP__EACH(i, ITEMS) target[i] = there[i] ? targets[edge[i]] : 0;
  GP__EACH(i, ITEMS) there[i] = there[i] && goes(source[i], target[i], edge[i]);
  GP__EACH(i, ITEMS) take(there[i], source[i], target[i]);
}
// Expands one list by `width` consecutive threads; this is number `mine` of them.
template<int ITEMS, class Vertex, class Goes, class Take>
GP_DEVICE void gp__expand_list(gp__u64 begin, gp__u64 count, Vertex vertex, unsigned mine, unsigned width,
    const Vertex *targets, const Goes &goes, const Take &take) {
  for (gp__u64 base = 0; base < count; base += width * ITEMS) {
    bool there[ITEMS];
    Vertex source[ITEMS];
    gp__u64 edge[ITEMS];
    GP__EACH(i, ITEMS) {
      const gp__u64 at = base + unsigned(i) * width + mine;
      there[i] = at < count;
      source[i] = vertex;
      edge[i] = begin + at;
    }
    gp__take_edges(there, source, edge, targets, goes, take);
  }
}
template<int THREADS, int ITEMS, class Offset, class Vertex, int PIECE, class Goes, class Take>
GP_DEVICE void gp__tile_expand(int gather, bool there, Vertex vertex, const Offset *offsets, const Vertex *targets,
    const Goes &goes, const Take &take, gp_tile_expand_storage<THREADS, Vertex, PIECE> &storage) {
  static_assert(THREADS <= PIECE, "what the flags leave is laid out at once");
  gp__u64 begin = there ? offsets[vertex] : 0, count = there ? offsets[vertex + 1] - begin : 0;
  if (gather & GP_GATHER_BLOCK) {
    const bool is_long = count >= THREADS;
    if (!threadIdx.x) storage.lists = 0;
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
    for (unsigned left = __ballot_sync(~0u, is_long); left; left &= left - 1) {
      const int owner = __ffs(int(left)) - 1;
      gp__expand_list<ITEMS>(gp_warp_broadcast(begin, owner), gp_warp_broadcast(count, owner),
          gp_warp_broadcast(vertex, owner), gp_lane(), GP__WARP, targets, goes, take);
    }
    if (is_long) count = 0;
  }
  do { // a single pass if the flags took the long lists
    const gp__u32 piece = gp__u32(count < PIECE ? count : gp__u64(PIECE));
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
      GP__EACH(i, ITEMS) {
        const gp__u32 rank = base + unsigned(i * THREADS) + threadIdx.x;
        gp__u32 owner = 0; // last list that starts at this rank or before
        has[i] = rank < total;
        GP__UNROLL
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
// Expands a tile of vertices, one a thread (there: it has one). One thread calls goes(source, target, edge) for each
// edge; it says whether the edge goes on. `edge` is the index in targets, and in arrays parallel to them. Then all
// lanes of a warp call take(there, source, target) together, so that it may contract and append; `there` is set in
// lanes whose edge goes on. ITEMS: a thread's edges whose targets are loaded together. All threads of the block call;
// neither function may use a barrier of the block. The next tile may use storage at once, others after the next
// __syncthreads(). Time O(edges / THREADS + log THREADS), however the edges are distributed.
template<int THREADS, int ITEMS, int GATHER, class Offset, class Vertex, int PIECE, class Goes, class Take>
GP_DEVICE void gp_tile_expand(bool there, Vertex vertex, const Offset *offsets, const Vertex *targets, const Goes &goes,
    const Take &take, gp_tile_expand_storage<THREADS, Vertex, PIECE> &storage) {
  gp__tile_expand<THREADS, ITEMS>(GATHER, there, vertex, offsets, targets, goes, take, storage);
}

// SLOTS (a power of two) vertices, if there is a history.
template<int CULL, class Vertex, int SLOTS = 256> struct gp_tile_contract_storage {
  static const int slots = (CULL & GP_CULL_HISTORY) != 0 ? SLOTS : 1;
  static_assert(SLOTS > 0 && (SLOTS & (SLOTS - 1)) == 0, "SLOTS is a power of two");
  Vertex seen[slots];
};
// Call once before the first contraction: clears the history. Storage may be used after the next __syncthreads().
template<int THREADS, int CULL, class Vertex, int SLOTS>
GP_DEVICE void gp_tile_contract_begin(gp_tile_contract_storage<CULL, Vertex, SLOTS> &storage) {
  if (CULL & GP_CULL_HISTORY)
    for (int i = int(threadIdx.x); i < SLOTS; i += THREADS) storage.seen[i] = ~Vertex(0);
}
template<int CULL, class Vertex, int SLOTS>
GP_DEVICE bool gp__warp_contract(
    int cull, bool there, Vertex vertex, gp__u32 *visited, gp_tile_contract_storage<CULL, Vertex, SLOTS> &storage) {
  if ((cull & GP_CULL_HISTORY) && there) there = atomicExch(&storage.seen[vertex & (SLOTS - 1)], vertex) != vertex;
  if (cull & GP_CULL_WARP) {
    const unsigned peers = __ballot_sync(~0u, there) & __match_any_sync(~0u, vertex);
    there = there && gp__lanes_before(peers) == 0;
  }
  if ((cull & GP_CULL_BITMAP) && there) {
    const gp__u32 bit = 1u << (vertex & 31u);
    there = !(gp__load_volatile(visited + vertex / 32) & bit) && !(atomicOr(visited + vertex / 32, bit) & bit);
  }
  return there;
}
// Returns whether this lane's vertex goes on: at least one of equal ones in a launch; with GP_CULL_BITMAP exactly one,
// and none if its bit was set (visited[v / 32], bit v % 32); otherwise visited may be null. All lanes of a warp call.
// If one launch does several levels, and vertices go on again in each, clear the history in between.
template<int CULL, class Vertex, int SLOTS>
GP_DEVICE bool gp_warp_contract(
    bool there, Vertex vertex, gp__u32 *visited, gp_tile_contract_storage<CULL, Vertex, SLOTS> &storage) {
  return gp__warp_contract(CULL, there, vertex, visited, storage);
}

// Appends the kept vertices of a tile by one atomic. A blocked arrangement keeps their order within the tile. All
// threads call. Storage, a scan's and a word, may be used again after the next __syncthreads().
template<int THREADS> struct gp_tile_filter_storage {
  gp_tile_scan_storage<THREADS, gp__u32> scan;
  gp__u64 first;
};
template<int THREADS, int ITEMS, class T>
GP_DEVICE void gp_tile_filter(const T (&items)[ITEMS], const bool (&keep)[ITEMS], const gp_frontier<T> &out,
    gp_tile_filter_storage<THREADS> &storage) {
  gp__u32 before = 0;
  GP__EACH(i, ITEMS) before += keep[i] ? 1u : 0u;
  const gp__u32 total = gp_tile_exclusive_scan<THREADS>(before, gp_sum<gp__u32>(), storage.scan);
  if (!threadIdx.x && total) storage.first = atomicAdd(out.count, gp__u64(total));
  __syncthreads();
  if (!total) return;
  GP__EACH(i, ITEMS) {
    if (!keep[i]) continue;
    const gp__u64 at = storage.first + before++;
    if (at < out.room) out.vertices[at] = items[i];
  }
}

// Kernel bodies: one launch a level, any number of blocks of THREADS threads. They read the frontier `in` and its
// count, and append to `out`, one atomic a tile of THREADS vertices. goes() is gp_tile_expand's. One thread calls
// fresh() for each vertex that passes the contraction; it may write a depth or a parent, and says whether to append the
// vertex. One storage serves all of them; it may be used again after the next __syncthreads().
template<int THREADS, int ITEMS, int GATHER, int CULL, class Vertex> struct gp_frontier_storage {
  gp_tile_expand_storage<THREADS, Vertex> expand;
  gp_tile_contract_storage<CULL, Vertex> contract;
  gp_tile_append_storage<4 * THREADS, Vertex> append;
};
template<int THREADS, class In, class Out, int ROOM, class Each>
GP_DEVICE void gp__each_tile(const gp_frontier<In> &in, const gp_frontier<Out> &out,
    gp_tile_append_storage<ROOM, Out> &storage, const Each &each) {
  const gp__u64 count = in.size();
  gp_tile_append_begin(storage);
  for (gp__u64 first = gp__u64(blockIdx.x) * THREADS; first < count; first += gp__u64(gridDim.x) * THREADS) {
    const bool there = first + threadIdx.x < count;
    each(there, there ? in.vertices[first + threadIdx.x] : In());
    gp_tile_append<THREADS>(out, storage);
    __syncthreads();
  }
}
// Appends the targets of all edges that go on, duplicates included: an edge frontier.
template<int THREADS, int ITEMS, int GATHER, int CULL, class Offset, class Vertex, class Goes>
GP_DEVICE void gp_frontier_expand(const gp_frontier<Vertex> &in, const Offset *offsets, const Vertex *targets,
    const Goes &goes, const gp_frontier<Vertex> &out, gp_frontier_storage<THREADS, ITEMS, GATHER, CULL, Vertex> &s) {
  gp__each_tile<THREADS>(in, out, s.append, [&](bool there, Vertex vertex) {
    gp_tile_expand<THREADS, ITEMS, GATHER>(
        there, vertex, offsets, targets, goes,
        [&](bool goes_on, Vertex, Vertex target) { gp_warp_append(goes_on, target, out, s.append); }, s.expand);
  });
}
// Contracts an edge frontier: appends the vertices that pass gp_warp_contract and fresh(vertex).
template<int THREADS, int ITEMS, int GATHER, int CULL, class Vertex, class Fresh>
GP_DEVICE void gp_frontier_contract(const gp_frontier<Vertex> &in, gp__u32 *visited, const Fresh &fresh,
    const gp_frontier<Vertex> &out, gp_frontier_storage<THREADS, ITEMS, GATHER, CULL, Vertex> &s) {
  gp_tile_contract_begin<THREADS>(s.contract); // a barrier follows
  gp__each_tile<THREADS>(in, out, s.append, [&](bool there, Vertex vertex) {
    const bool passes = gp_warp_contract(there, vertex, visited, s.contract);
    gp_warp_append(passes && fresh(vertex), vertex, out, s.append);
  });
}
// Expands and contracts, from vertices to vertices: fresh(source, vertex).
template<int THREADS, int ITEMS, int GATHER, int CULL, class Offset, class Vertex, class Goes, class Fresh>
GP_DEVICE void gp_frontier_expand_contract(const gp_frontier<Vertex> &in, const Offset *offsets, const Vertex *targets,
    const Goes &goes, gp__u32 *visited, const Fresh &fresh, const gp_frontier<Vertex> &out,
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
// Contracts and expands, from edge frontier to edge frontier: duplicates are expanded once; fresh(vertex).
template<int THREADS, int ITEMS, int GATHER, int CULL, class Offset, class Vertex, class Goes, class Fresh>
GP_DEVICE void gp_frontier_contract_expand(const gp_frontier<Vertex> &in, gp__u32 *visited, const Fresh &fresh,
    const Offset *offsets, const Vertex *targets, const Goes &goes, const gp_frontier<Vertex> &out,
    gp_frontier_storage<THREADS, ITEMS, GATHER, CULL, Vertex> &s) {
  gp_tile_contract_begin<THREADS>(s.contract); // a barrier follows
  gp__each_tile<THREADS>(in, out, s.append, [&](bool there, Vertex vertex) {
    const bool passes = gp_warp_contract(there, vertex, visited, s.contract);
    gp_tile_expand<THREADS, ITEMS, GATHER>(
        passes && fresh(vertex), vertex, offsets, targets, goes,
        [&](bool goes_on, Vertex, Vertex target) { gp_warp_append(goes_on, target, out, s.append); }, s.expand);
  });
}
// Appends the vertices for which keep(vertex) holds; the order of tiles varies.
template<int THREADS, class T, class Keep>
GP_DEVICE void gp_frontier_filter(
    const gp_frontier<T> &in, const Keep &keep, const gp_frontier<T> &out, gp_tile_filter_storage<THREADS> &s) {
  const gp__u64 count = in.size();
  for (gp__u64 first = gp__u64(blockIdx.x) * THREADS; first < count; first += gp__u64(gridDim.x) * THREADS) {
    const bool there = first + threadIdx.x < count;
    const T item[1] = {there ? in.vertices[first + threadIdx.x] : T()};
    const bool keeps[1] = {there && keep(item[0])};
    gp_tile_filter(item, keeps, out, s);
    __syncthreads();
  }
}
