// api/graph.h - search in graphs, building them, checking them
// uses: api/config.h, api/lists.h, api/context_types.h, api/graph_types.h

// Graphs (gp_graph).

// Breadth-first search: depths[v] (i32) = the number of edges of a shortest path from source to v, -1 where there is
// none. parents (vertex_type of the graph; NULL: not wanted): a vertex from which an edge leads to v on such a path,
// the source's its own, the largest number of the type where there is no path. Depths are the same in every call. Which
// one of several parents it is may differ from call to call: the exception to what is said of reproducible results;
// with GP_REPRODUCIBLE (gp_call.flags) it is the smallest, everywhere, for one more pass over all edges and the depths
// at both ends. Errors besides those of gp_run: GP_E_ARGUMENT if source is not below graph->vertices.
// By gp_run: a limit of depth, an end at a target, the source in device memory, what was done (gp_traversal), and
// GP_CHECKED: gp_graph_check comes first and writes *gp_call.fault; where that finds something, nothing else is
// written. It reads offsets and targets once (and in_offsets and in_sources), which for a search that goes bottom-up
// is more than all of the rest. That GP_SYMMETRIC is true, and in_offsets the transposed graph, nobody checks.
//
// One cooperative launch, which decides on the device how each level goes (policy fields alpha, beta, small): top-down,
// an edge inspected once; bottom-up, where the graph is GP_SYMMETRIC or comes with its transpose, which ends at the
// first neighbour that was reached; by one block alone, or by one cluster of blocks (policy field cluster: graphs of
// few edges a vertex, sm_90), faster without parents and a target, as its blocks wait less for each other. A directed
// graph without its transpose goes top-down. Where a launch in clusters is refused, blocks do without; where a
// cooperative one is refused, or the driver has none, the log says so, and steps have a launch each: 48, captured or
// not, that end at once if nothing is left; one block does further levels, in a launch of its own. GP_FUSED_LAUNCHES
// asks for that. Launches may be chosen, too, with the algorithms that Merrill, Garland and Grimshaw compare (Scalable
// GPU Graph Traversal), top-down: GP_CONTRACT_EXPAND, GP_TWO_PHASE, GP_HYBRID, under the policy fields gather and cull.
// They are for comparison only; never chosen automatically. Offsets and targets are trusted. Workspace: 16 bytes a
// vertex and 1/16 byte an edge; where it may go bottom-up 16 bytes a vertex more; GP_CONTRACT_EXPAND, GP_TWO_PHASE and
// GP_HYBRID 8 bytes an edge more (u32).
GP__API gp_result gp_bfs(
    gp_context *ctx, const gp_graph *graph, uint64_t source, void *depths, void *parents, gp_stream stream);

// Breadth-first search from many sources at once: depths[i * vertices + v] (i32) = the number of edges of a shortest
// path from sources[i] to v, -1 where there is none: a row for each source, `count` rows, count * vertices * 4 bytes.
// reached[i] = how many vertices sources[i] reaches, itself among them. Either may be NULL: not wanted. sources: host
// memory, read during the call (a captured one too), in any order, the same one as often as you like; by gp_run in
// device memory instead (gp_call.source_device, `count` of them), where one beyond the graph reaches none: its row is
// -1. count 0 writes nothing. The results are the same in every call.
// By gp_run: a limit of depth (with reached: how many vertices are that near), GP_CHECKED as for gp_bfs, and what was
// done (gp_traversal: reached and edges are sums over the sources, levels is the largest depth of all, steps are those
// of the first 64). Errors besides those of gp_run: GP_E_ARGUMENT if a source is not below graph->vertices (the
// message names the first); GP_E_NULL where depths, reached and statistics all are.
//
// 64 sources go together (32, where there are no more): a vertex has a bit for each (Then et al., The More the Merrier:
// Efficient Multi-Source Graph Traversal, VLDB 2014), so that an edge is inspected once a level for all of them. Two
// launches for every 64; the second, cooperative, decides on the device how each level goes (policy fields alpha,
// small): top-down, from the edges of the frontier, by atomics; bottom-up, where the graph is GP_SYMMETRIC or comes
// with its transpose, by all vertices that some source has not reached, without; or by one block alone. Where a
// cooperative launch is refused, steps are a launch each, 96 of them, and one block does what is left.
// Offsets and targets are trusted. Workspace: 3 words (8 bytes each, 4 up to 32 sources), 2 numbers of vertices and 16
// bytes a vertex, 1/16 byte an edge: 48 bytes a vertex (u32).
GP__API gp_result gp_bfs_sources(gp_context *ctx, const gp_graph *graph, const uint64_t *sources, uint64_t count,
    void *depths, uint64_t *reached, gp_stream stream);

// Connected components: labels[v] (vertex_type of the graph) = the smallest vertex that can be reached from v where
// edges may be gone both ways (of a directed graph: the weak components). *components (device memory; NULL: not wanted)
// = how many there are. The result is the same in every call, on every device. Trees of labels are hooked to each other
// by the larger root, with path halving (Jaiganesh and Burtscher, A High-Performance Connected Components
// Implementation for GPUs); where the graph is GP_SYMMETRIC, two neighbours of each vertex are linked first, and
// vertices of the component that a sample says is the largest are done then (Sutton, Ben-Nun and Barak, Optimizing
// Parallel Graph Connectivity Computation via Subgraph Sampling). Six launches; reads offsets twice, targets once, and
// labels from anywhere. Offsets and targets are trusted. Workspace: one word.
GP__API gp_result gp_connected_components(
    gp_context *ctx, const gp_graph *graph, void *labels, uint64_t *components, gp_stream stream);

// ---- graphs: building and checking. Graphs have fewer than 2^32 vertices here, whatever the type of their numbers.

// The graph of an edge list: offsets and targets, written to the memory that `graph` points to (despite const), each
// list ascending. Edge i leads from sources[i] to targets[i]; targets NULL: the list is pairs, source and target
// alternating, `count` of them. type: i32, u32, i64 or u64. flags: GP_SYMMETRISE, GP_UNIQUE_EDGES, GP_DROP_LOOPS, all
// of which work together; GP_SYMMETRISE adds no second copy of a loop. graph->edges is at least count, with
// GP_SYMMETRISE 2 * count; how many there are in the end is offsets[vertices], in device memory. Edges with an end that
// is not below graph->vertices are left out; the first one's number goes to *bad, UINT64_MAX where there is none
// (device memory; NULL: not wanted). count may be in device memory (gp_call.count_device). Algorithm: keys of 2 *
// ceil(log2 vertices) bits, a radix sort of them, unique, a search for every vertex. Bytes moved: the list, those of
// the sort of keys of 8 bytes, with GP_UNIQUE_EDGES 16 an edge, then 8 + the target's size an edge and the offsets.
// Workspace: 8 bytes a key, and the sort's. Asynchronous; the same bits in every call.
GP__API gp_result gp_graph_from_edges(gp_context *ctx, gp_type type, const void *sources, const void *targets,
    uint64_t count, const gp_graph *graph, uint64_t *bad, int flags, gp_stream stream);

// in_offsets and in_sources of a graph, written to the memory that it points to: (vertices + 1) offsets and `edges`
// sources. The lists are ascending. Algorithm, workspace: as gp_graph_from_edges.
GP__API gp_result gp_graph_transpose(gp_context *ctx, const gp_graph *graph, gp_stream stream);

// The same graph under new numbers: vertices with many edges first, among equals in the order they had; `relabelled`
// has the same vertices, types and at least as many edges, and memory of its own. order[i] = the old number of the new
// vertex i, numbers[v] = the new number of the old vertex v (vertex_type; NULL: not wanted). Neighbours that are hubs
// then come first in every list, and are adjacent in memory. in_offsets: gp_graph_transpose.
GP__API gp_result gp_graph_relabel(
    gp_context *ctx, const gp_graph *graph, const gp_graph *relabelled, void *order, void *numbers, gp_stream stream);

// *degrees: see gp_degrees. Reads the offsets once, and has two more small launches.
GP__API gp_result gp_graph_degrees(gp_context *ctx, const gp_graph *graph, gp_degrees *degrees, gp_stream stream);

// *fault (device memory): what is wrong with offsets, targets, and with in_offsets and in_sources where they are there:
// offsets that do not begin with 0, decrease or go beyond graph->edges, numbers that are no vertices. Reads everything
// once. A graph in which nothing is wrong is safe for every call; calls that get another one read outside of it.
GP__API gp_result gp_graph_check(gp_context *ctx, const gp_graph *graph, gp_fault *fault, gp_stream stream);

// *fault: what is wrong with depths (i32) and parents (vertex_type, or NULL) as gp_bfs has them, by what must hold, not
// by another search: the source alone has depth 0; every edge from a vertex that was reached leads to one that was, at
// most one deeper; to every other vertex that was reached leads an edge from one that is one less deep; such an edge
// leads from its parent to it. Works on directed graphs without their transpose. gp_call.limit as for gp_bfs: vertices
// at that depth may have neighbours that were not reached. The graph is trusted, depths and parents are not. Reads the
// graph once, two depths (and a parent) for every edge; workspace: two bits a vertex. source is below vertices.
GP__API gp_result gp_bfs_check(gp_context *ctx, const gp_graph *graph, uint64_t source, const void *depths,
    const void *parents, gp_fault *fault, gp_stream stream);
// Writes what a fault says, with its numbers, to `text` of `capacity` bytes, cut where that is too short; returns text.
GP__API const char *gp_fault_text(const gp_fault *fault, char *text, size_t capacity);

// Reads the edges of a file into host memory, which gp_edges_free frees. Files that begin with "%%MatrixMarket" are
// read as coordinate matrices (pattern, integer or real; general or symmetric): entry (i, j) is an edge from i - 1 to j
// - 1, whatever its value. Others are lists with an edge on each line: two numbers, separated by blanks, tabs or a
// comma; the rest of the line is ignored. Numbers begin with 0; lines that begin with # or % are comments. Errors:
// GP_E_ARGUMENT, and the message names the file, line and column, and what was expected; GP_E_MEMORY; a file that
// cannot be read: GP_E_ARGUMENT with the system's reason. On an error *edges is empty.
GP__API gp_result gp_edges_read(const char *path, gp_edge_list *edges);
// Reads edges from text in memory. `name` is its name in messages; NULL: "text".
GP__API gp_result gp_edges_parse(const char *name, const char *text, size_t length, gp_edge_list *edges);
// Frees the pairs of a list from gp_edges_read or gp_edges_parse, and empties it. NULL and an empty list are fine.
GP__API void gp_edges_free(gp_edge_list *edges);
