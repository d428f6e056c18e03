// core/kinds.c - kernels of a call, by kind

enum {
  GP__KINDS_MAX = 16, // kernels of a call
  GP__CALLS_MAX = 8   // calls that one is made of
};
// Kinds of kernels: X(KIND, template, struct of its arguments, what names its template arguments:
// gp__name_..., in core/kernel_names.c or its family's names.c).
#define GPUPRIMS__KINDS(X)                                                                                             \
  X(COPY, gp__copy_kernel, gp__map_args, size)                                                                         \
  X(MAP, gp__map_kernel, gp__map_args, map)                                                                            \
  X(ADJACENT, gp__adjacent, gp__map_args, adjacent)                                                                    \
  X(BOUND, gp__bound, gp__search_args, bound)                                                                          \
  X(EVEN_SHARE, gp__reduce_even_share, gp__reduce_args, reduction)                                                     \
  X(STEALING, gp__reduce_stealing, gp__reduce_args, reduction)                                                         \
  X(LOOK_BACK, gp__scan_look_back, gp__scan_args, scan)                                                                \
  X(PIPELINED, gp__scan_pipelined, gp__scan_args, scan)                                                                \
  X(UPSWEEP, gp__scan_upsweep, gp__scan_args, scan)                                                                    \
  X(SPINE, gp__scan_spine, gp__scan_args, scan)                                                                        \
  X(DOWNSWEEP, gp__scan_downsweep, gp__scan_args, scan)                                                                \
  X(STREAM_LOOK_BACK, gp__stream_look_back, gp__stream_args, stream)                                                   \
  X(STREAM_PIPELINED, gp__stream_pipelined, gp__stream_args, stream)                                                   \
  X(SEGMENT_SPANS, gp__segment_spans, gp__segment_args, offset)                                                        \
  X(SEGMENTED_REDUCE, gp__segmented_reduce, gp__segment_args, segments)                                                \
  X(WARP_SEGMENTS, gp__warp_segments, gp__segment_args, segments)                                                      \
  X(SEGMENTED_PIPELINED, gp__segmented_pipelined, gp__segment_args, segments)                                          \
  X(LOAD_BALANCE, gp__load_balance, gp__search_args, offset_out)                                                       \
  X(GROUP_TABLE, gp__group_table, gp__group_args, groups)                                                              \
  X(HISTOGRAM, gp__histogram, gp__histogram_args, histogram)                                                           \
  X(RADIX_HISTOGRAM, gp__radix_histogram, gp__radix_args, radix_histogram)                                             \
  X(RADIX_PASS, gp__radix_pass, gp__radix_args, radix_pass)                                                            \
  X(RADIX_PASS_WIDE, gp__radix_pass, gp__radix_args, radix_pass)                                                       \
  X(RADIX_SWEEPS, gp__radix_sweeps, gp__radix_args, radix_pass)                                                        \
  X(SORT_ONE_CLUSTER, gp__sort_one_cluster, gp__radix_args, radix_pass)                                                \
  X(SORT_ONE_LAUNCH, gp__sort_one_launch, gp__radix_args, radix_pass)                                                  \
  X(HYBRID_COUNT, gp__hybrid_count, gp__hybrid_args, hybrid)                                                           \
  X(HYBRID_MOVE, gp__hybrid_move, gp__hybrid_args, hybrid)                                                             \
  X(HYBRID_SORT, gp__hybrid_sort, gp__hybrid_args, hybrid)                                                             \
  X(HYBRID_REST, gp__hybrid_rest, gp__hybrid_args, hybrid)                                                             \
  X(SORT_SAMPLE, gp__sort_sample, gp__hybrid_args, hybrid)                                                             \
  X(LEADING_EDGES, gp__leading_edges, gp__hybrid_args, hybrid)                                                         \
  X(LEADING_SORT, gp__leading_sort, gp__hybrid_args, hybrid)                                                           \
  X(SORT_ONE_BLOCK, gp__sort_one_block, gp__hybrid_args, hybrid)                                                       \
  X(GATHER, gp__gather, gp__gather_args, gather)                                                                       \
  X(SEGMENTS_BEGIN, gp__segments_begin, gp__segmented_sort_args, nothing)                                              \
  X(SEGMENTS_SHORT, gp__segments_short, gp__segmented_sort_args, sorted_segments)                                      \
  X(SEGMENTS_MIDDLE, gp__segments_middle, gp__segmented_sort_args, sorted_segments)                                    \
  X(SEGMENTS_LONG, gp__segments_long, gp__segmented_sort_args, sorted_segments)                                        \
  X(MERGE, gp__merge, gp__merge_args, merge)                                                                           \
  X(MERGE_SORT_TILES, gp__merge_sort_tiles, gp__merge_args, merge)                                                     \
  X(MERGE_FOUR_BORDERS, gp__merge_four_borders, gp__merge_args, merge)                                                 \
  X(MERGE_FOUR, gp__merge_four, gp__merge_args, merge)                                                                 \
  X(SET_BORDERS, gp__balanced_paths, gp__merge_args, merge)                                                            \
  X(SET_OPERATION, gp__set_operation, gp__merge_args, set)                                                             \
  X(SET_PIPELINED, gp__set_pipelined, gp__merge_args, set)                                                             \
  X(COUNT_KEYS, gp__count_keys, gp__histogram_args, count_keys)                                                        \
  X(COUNTING_RUNS, gp__counting_runs, gp__counting_args, ordered_key)                                                  \
  X(COUNTING_FILL, gp__counting_fill, gp__counting_args, ordered_key)                                                  \
  X(TOP_K_LISTS, gp__top_k_lists, gp__top_k_args, ranked)                                                              \
  X(TOP_K_MERGE, gp__top_k_merge, gp__top_k_args, ranked)                                                              \
  X(SELECT_FIRST, gp__select_first, gp__top_k_args, ordered_key)                                                       \
  X(SELECT_NEXT, gp__select_next, gp__top_k_args, ordered_key)                                                         \
  X(SELECT_COLLECT, gp__select_collect, gp__top_k_args, ranked)                                                        \
  X(SHUFFLE, gp__shuffle, gp__map_args, in_out)                                                                        \
  X(TRANSPOSE, gp__transpose, gp__transpose_args, tiles)                                                               \
  X(TRANSPOSE_SQUARE, gp__transpose_square, gp__transpose_args, tiles)                                                 \
  X(TRANSPOSE_ROWS, gp__transpose_rows_of, gp__transpose_args, word)                                                   \
  X(TRANSPOSE_COLUMNS, gp__transpose_columns_of, gp__transpose_args, rectangle)                                        \
  X(TRANSPOSE_WITHIN, gp__transpose_within_rows, gp__transpose_args, rectangle)                                        \
  X(TRANSPOSE_SAVE, gp__transpose_save, gp__panels_args, panels)                                                       \
  X(TRANSPOSE_PANELS, gp__transpose_panels, gp__panels_args, panels)                                                   \
  X(TRANSPOSE_CHUNKS, gp__transpose_chunks, gp__panels_args, panels)                                                   \
  X(TRANSPOSE_BUFFERED, gp__transpose_buffered, gp__buffered_args, panels)                                             \
  X(TRANSPOSE_TENSOR, gp__transpose_tensor, gp__tensor_args, size)                                                     \
  X(TRANSPOSE_TENSOR_PANELS, gp__transpose_tensor_panels, gp__tensor_panels_args, panels)                              \
  X(CONVERT_LAYOUT, gp__convert_layout, gp__layout_args, layouts)                                                      \
  X(BFS, gp__bfs, gp__bfs_args, bfs)                                                                                   \
  X(BFS_CHECKED, gp__bfs_checked, gp__bfs_args, bfs)                                                                   \
  X(BFS_STEPWISE, gp__bfs_stepwise, gp__bfs_args, offset_key)                                                          \
  X(BFS_STEPS, gp__bfs_steps, gp__bfs_args, offset_key)                                                                \
  X(BFS_PARENTS, gp__bfs_parents, gp__graph_args, offset_key)                                                          \
  X(BFS_SOURCES, gp__bfs_sources, gp__sources_args, sources)                                                           \
  X(GRAPH_LIST_KEYS, gp__graph_list_keys, gp__graph_args, in)                                                          \
  X(GRAPH_KEYS, gp__graph_keys, gp__graph_args, graph_keys)                                                            \
  X(GRAPH_FROM_KEYS, gp__graph_from_keys, gp__graph_args, offset_key)                                                  \
  X(GRAPH_DEGREE_KEYS, gp__graph_degree_keys, gp__graph_args, offset)                                                  \
  X(GRAPH_INVERT, gp__graph_invert, gp__graph_args, key)                                                               \
  X(GRAPH_DEGREES, gp__graph_degrees, gp__graph_args, offset)                                                          \
  X(GRAPH_DEGREE_REPORT, gp__graph_degree_report, gp__graph_args, nothing)                                             \
  X(GRAPH_CHECK, gp__graph_check, gp__graph_args, offset_key)                                                          \
  X(DEPTHS_OF_EDGES, gp__depths_of_edges, gp__graph_args, offset_key)                                                  \
  X(DEPTHS_OF_VERTICES, gp__depths_of_vertices, gp__graph_args, key)                                                   \
  X(FAULT_REPORT, gp__fault_report, gp__graph_args, offset)                                                            \
  X(COMPONENTS_FIRST, gp__components_first, gp__graph_args, offset_key)                                                \
  X(COMPONENTS_FEW, gp__components_few, gp__graph_args, offset_key)                                                    \
  X(COMPONENTS_ROOTS, gp__components_roots, gp__graph_args, key)                                                       \
  X(COMPONENTS_SAMPLE, gp__components_sample, gp__graph_args, key)                                                     \
  X(COMPONENTS_LINK, gp__components_link, gp__graph_args, offset_key)
#define GPUPRIMS__ENUM(KIND, kernel, arguments, names) GP__##KIND,
typedef enum gp__kernel_kind { GPUPRIMS__KINDS(GPUPRIMS__ENUM) GP__KINDS } gp__kernel_kind;
#undef GPUPRIMS__ENUM
