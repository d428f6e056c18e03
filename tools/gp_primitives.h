// gp_primitives.h - one list of what the tools know about each primitive. gp_cells.h and gp_tune include it; Python
// reads it through gp_tune --describe.
#ifndef GP_PRIMITIVES_H
#define GP_PRIMITIVES_H

// Words of cells that only some primitives have, in the order of a key: X(letter, word). gp_cells.h says what they
// mean. All primitives with this list have `dist`.
#define GP_CELL_WORDS(X) \
  X('s', segments) \
  X('o', offsets) \
  X('f', form) \
  X('k', key) \
  X('p', payload) \
  X('l', lengths) \
  X('r', runs) \
  X('t', parts) \
  X('e', keep) \
  X('b', bins) \
  X('h', haystack) \
  X('x', dist) \
  X('d', order) \
  X('i', bits) \
  X('2', second) \
  X('n', k) \
  X('w', rows) \
  X('u', sorted) \
  X('g', groups) \
  X('y', struct) \
  X('a', from) \
  X('z', to) \
  X('m', shape) \
  X('j', in_place) \
  X('1', little) \
  X('4', ordered) \
  X('5', described) \
  X('3', reproducible) \
  X('c', axis) \
  X('v', graph) \
  X('q', at_once)

#define GP_CELL_PROTOCOLS(X) \
  X(COLD, cold) X(BACK_TO_BACK, back_to_back) X(GRAPH, graph) X(COLD_GRAPH, cold_graph) X(FIRST_CALL, first_call)

// Input bytes at which gp_tune searches, nights compare, and pages have columns.
#define GP_STANDARD_SIZES "4K,16K,64K,256K,1M,4M,16M,64M,256M,1G"

// A row: the primitive; its properties; letters of its words; the usual operator; its place on the pages; the primitive
// whose search finds its policies, because both run the same kernels; types and words of its cells in the standard list
// (tools/farm/standard.py). The properties:
//   input       it reads elements of the cell's type
//   folds       it has an accumulator
//   index       its output counts or is an index: u32 by default
//   keys        the type is that of keys, which are moved or read in order
//   beside      each element has a key or a flag beside it
//   count       its result is a count or an index of 8 bytes
//   truth       its result is true or false
//   twin        it compares two arrays of the cell's type
//   alike       its operator is an equality
//   reads       its bytes are the input's
//   graph       it is called on a graph
//   kernel      a user's kernel: a name, and no types
//   no_cells    never measured
//   ends_early  it may end before it has read its input
//   to_one      it makes one element of any number
//   bitwise     its elements or keys are treated as bits: a type represents others of its size
//   rule_first  its best algorithm depends on more than rows know: the number of segments, the shape. The header takes
//               a row only if its rule has chosen the same algorithm (gp__row_serves).
//   per_segment  its input has an element for each segment
//   gathers     it reads as much as it writes
//   ranked      its results are the first k of each segment
//   by_lengths  its segments are given by their lengths
//   permuted    its second input is a permutation of the indices: where elements go, or come from
//   valued      it writes a value that the call gives
//   axes        its rows lie along an axis of an array of three dimensions
//   shortened   of each row one element is left
//   device_sized  only the device knows the sizes that cells are grouped by, so no row of the table serves it
//   host_made   the host makes its whole input; for others it repeats a part
// No word is a part of another one.
// clang-format off
#define GP_TOOL_PRIMITIVES(X) \
  X(copy, "input bitwise", "", "", "copy and transform", "", "u8 u32 u64 s16", "") \
  X(fill, "bitwise valued", "", "", "copy and transform", "", "u8 u32", "") \
  X(iota, "", "", "", "copy and transform", "", "u32", "") \
  X(transform, "input", "", "NEGATE", "copy and transform", "", "u8 f32", "") \
  X(transform2, "input", "", "SUM", "copy and transform", "", "u8 f32", "") \
  X(reduce, "input folds to_one", "", "SUM", "reduce", "", "u8 u16 u32 u64 f16 f32 f64 s16", "") \
  X(inclusive_scan, "input folds", "", "SUM", "scan", "exclusive_scan", "u32 f32", "") \
  X(exclusive_scan, "input folds", "", "SUM", "scan", "", "u8 u16 u32 u64 f16 f32 f64 s16", "") \
  X(segmented_reduce, "input folds rule_first", "sof3", "SUM", "segments and keys", "", "u8 f32", \
    "segments=pareto:64") \
  X(segmented_inclusive_scan, "input folds reads", "sof3", "SUM", "segments and keys", "segmented_exclusive_scan", \
    "f32", "segments=mixed") \
  X(segmented_exclusive_scan, "input folds reads", "sof3", "SUM", "segments and keys", "", \
    "u8 f32", "segments=fixed:256") \
  X(inclusive_scan_by_key, "input folds beside", "krf3", "SUM", "segments and keys", "reduce_by_key", \
    "f32", "key=u32 runs=32") \
  X(exclusive_scan_by_key, "input folds beside", "krf3", "SUM", "segments and keys", "reduce_by_key", \
    "u8", "key=u8 runs=4") \
  X(reduce_by_key, "input folds beside host_made", "krf3", "SUM", "segments and keys", "", \
    "f32 u64", "key=u32 runs=32") \
  X(run_lengths, "input beside", "rl", "", "segments and keys", "unique", "u32", "runs=4") \
  X(nontrivial_runs, "input beside", "rl", "", "segments and keys", "", "u32", "runs=32") \
  X(unique, "input beside", "rp", "", "selection", "", "u8 u32 s16", "runs=4") \
  X(adjacent_difference, "input", "", "SUB", "copy and transform", "", "u8 f32", "") \
  X(reverse, "input", "", "", "copy and transform", "", "u8 u32", "") \
  X(scatter, "input permuted", "fk", "", "copy and transform", "", "u32", "") \
  X(gather, "input permuted gathers", "fk", "", "copy and transform", "scatter", "u32", "") \
  X(replace, "input valued", "e", "", "copy and transform", "", "u32", "keep=50") \
  X(swap, "no_cells", "", "", "copy and transform", "", "", "") \
  X(copy_batch, "input device_sized", "so", "", "copy and transform", "", "u8", "segments=fixed:4096") \
  X(select, "input beside", "efk", "", "selection", "", "u8 u32 s16", "keep=50") \
  X(partition, "input beside", "efkt", "", "selection", "select", "u32", "keep=50") \
  X(count_if, "input count to_one", "e", "", "reduce", "", "u8 f32", "keep=50") \
  X(any, "input truth ends_early", "e", "", "reduce", "", "u32", "keep=0") \
  X(all, "input truth ends_early", "e", "", "reduce", "", "u32", "keep=100") \
  X(find_if, "input count ends_early", "e", "", "reduce", "", "u32", "keep=0") \
  X(mismatch, "input count ends_early twin alike", "x", "", "reduce", "", "u32", "dist=constant") \
  X(equal_arrays, "input truth ends_early twin alike", "x", "", "reduce", "", "u32", "dist=constant") \
  X(adjacent_find, "input count ends_early alike", "x", "", "reduce", "", "u32", "dist=sorted") \
  X(is_partitioned, "input truth ends_early", "e", "", "reduce", "", "u32", "keep=0") \
  X(partition_point, "no_cells", "", "", "reduce", "", "", "") \
  X(lexicographic, "no_cells", "", "", "reduce", "", "", "") \
  X(histogram_even, "input index reads", "b", "", "histogram", "", "u8 u16 f32", "bins=256") \
  X(histogram_ranges, "input index reads", "b", "", "histogram", "histogram_even", "f32", "bins=256") \
  X(lower_bound, "input index", "h", "", "search", "", "u32", "haystack=65536") \
  X(upper_bound, "input index", "h", "", "search", "lower_bound", "u64", "haystack=65536") \
  X(load_balance, "index bitwise rule_first", "s", "", "search", "", "u32", "segments=pareto:64") \
  X(expand, "input bitwise rule_first per_segment", "so", "", "segments and keys", "", "u32", "segments=pareto:64") \
  X(run_length_expand, "input bitwise rule_first per_segment by_lengths", "so", "", "segments and keys", "expand", \
    "u32", "segments=pareto:64") \
  X(sort, "input keys bitwise", "pfdi15", "", "sort", "", "u8 u32 u64 f32", "") \
  X(merge_sort, "input keys", "pf15", "", "sort", "", "u32", "payload=u32") \
  X(merge, "input keys", "p2", "", "merge and sets", "", "u32 u64", "") \
  X(set_union, "input keys", "p2", "", "merge and sets", "", "u32", "") \
  X(set_intersection, "input keys", "p2", "", "merge and sets", "set_union", "u32", "") \
  X(set_difference, "input keys", "p2", "", "merge and sets", "set_union", "u32", "") \
  X(set_symmetric_difference, "input keys", "p2", "", "merge and sets", "set_union", "u32", "") \
  X(is_sorted, "input count ends_early host_made", "x", "", "reduce", "", "u32", "") \
  X(segmented_sort, "input keys bitwise", "sopfd5", "", "sort", "", "u32", "segments=pareto:64") \
  X(top_k, "input keys bitwise", "nwpfdu45", "", "sort", "", "u32", "k=64") \
  X(segmented_top_k, "input keys bitwise ranked", "sonpfd4", "", "sort", "", "u32", "segments=pareto:1024 k=64") \
  X(nth_element, "input keys bitwise", "nd", "", "sort", "top_k", "u32", "") \
  X(shuffle, "input", "", "", "sort", "", "u32", "") \
  X(group_by, "input folds host_made", "kg3", "SUM", "segments and keys", "", "u32", "key=u32 groups=4096") \
  X(check_offsets, "input count ends_early", "s", "", "segments and keys", "", "u32", "segments=fixed:4") \
  X(transpose, "input rule_first", "mj", "", "layout", "", "u8 u32 u64", "") \
  X(reduce_axis, "input folds rule_first axes shortened", "mc", "SUM", "reduce", "", "u8 f16 f32", "") \
  X(row_map, "input folds rule_first axes", "mc", "SUM", "reduce", "", "f32", "") \
  X(scan_axis, "input folds rule_first axes", "mc", "SUM", "scan", "", "f32", "") \
  X(sort_axis, "input keys bitwise axes", "mcfd", "", "sort", "", "u32", "") \
  X(top_k_axis, "input keys bitwise axes", "mcnfd4", "", "sort", "", "u32", "k=8") \
  X(convert_layout, "input", "yaz", "", "layout", "", "u32", "") \
  X(bfs, "graph", "vo", "", "graph", "", "", "") \
  X(bfs_sources, "graph", "voq", "", "graph", "", "", "") \
  X(connected_components, "graph", "vo", "", "graph", "", "", "") \
  X(graph_from_edges, "graph", "vo", "", "graph", "", "", "") \
  X(graph_transpose, "no_cells", "", "", "graph", "", "", "") \
  X(graph_relabel, "no_cells", "", "", "graph", "", "", "") \
  X(graph_degrees, "no_cells", "", "", "graph", "", "", "") \
  X(graph_check, "no_cells", "", "", "graph", "", "", "") \
  X(bfs_check, "no_cells", "", "", "graph", "", "", "") \
  X(group_by_many, "no_cells", "", "", "segments and keys", "", "", "") \
  X(distinct, "no_cells", "", "", "selection", "", "", "") \
  X(join, "no_cells", "", "", "search", "", "", "") \
  X(sort_columns, "no_cells", "", "", "sort", "", "", "") \
  X(kernel, "kernel", "", "", "", "", "", "")
// clang-format on

typedef struct primitive_row {
  const char *name, *has, *words, *op, *area, *searched, *types, *standard;
} primitive_row;

#endif
