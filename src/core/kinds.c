// core/kinds.c - kernels of a call, by kind

enum {
  GP__KINDS_MAX = 16, // kernels of a call
  GP__CALLS_MAX = 8   // calls that one is made of
};
// Kinds of kernels: X(KIND, template, struct of its arguments).
#define GPUPRIMS__KINDS(X)                                                                                             \
  X(COPY, gp__copy_kernel, gp__map_args)                                                                               \
  X(MAP, gp__map_kernel, gp__map_args)                                                                                 \
  X(ADJACENT, gp__adjacent, gp__map_args)                                                                              \
  X(BOUND, gp__bound, gp__search_args)                                                                                 \
  X(EVEN_SHARE, gp__reduce_even_share, gp__reduce_args)                                                                \
  X(STEALING, gp__reduce_stealing, gp__reduce_args)                                                                    \
  X(LOOK_BACK, gp__scan_look_back, gp__scan_args)                                                                      \
  X(PIPELINED, gp__scan_pipelined, gp__scan_args)                                                                      \
  X(UPSWEEP, gp__scan_upsweep, gp__scan_args)                                                                          \
  X(SPINE, gp__scan_spine, gp__scan_args)                                                                              \
  X(DOWNSWEEP, gp__scan_downsweep, gp__scan_args)                                                                      \
  X(STREAM_LOOK_BACK, gp__stream_look_back, gp__stream_args)                                                           \
  X(STREAM_PIPELINED, gp__stream_pipelined, gp__stream_args)                                                           \
  X(SEGMENT_SPANS, gp__segment_spans, gp__segment_args)                                                                \
  X(SEGMENTED_REDUCE, gp__segmented_reduce, gp__segment_args)                                                          \
  X(WARP_SEGMENTS, gp__warp_segments, gp__segment_args)                                                                \
  X(SEGMENTED_PIPELINED, gp__segmented_pipelined, gp__segment_args)                                                    \
  X(LOAD_BALANCE, gp__load_balance, gp__search_args)                                                                   \
  X(GROUP_TABLE, gp__group_table, gp__group_args)                                                                      \
  X(HISTOGRAM, gp__histogram, gp__histogram_args)                                                                      \
  X(RADIX_HISTOGRAM, gp__radix_histogram, gp__radix_args)                                                              \
  X(RADIX_PASS, gp__radix_pass, gp__radix_args)                                                                        \
  X(RADIX_PASS_WIDE, gp__radix_pass, gp__radix_args)                                                                   \
  X(RADIX_SWEEPS, gp__radix_sweeps, gp__radix_args)                                                                    \
  X(SORT_ONE_CLUSTER, gp__sort_one_cluster, gp__radix_args)                                                            \
  X(SORT_ONE_LAUNCH, gp__sort_one_launch, gp__radix_args)                                                              \
  X(HYBRID_COUNT, gp__hybrid_count, gp__hybrid_args)                                                                   \
  X(HYBRID_MOVE, gp__hybrid_move, gp__hybrid_args)                                                                     \
  X(HYBRID_SORT, gp__hybrid_sort, gp__hybrid_args)                                                                     \
  X(HYBRID_REST, gp__hybrid_rest, gp__hybrid_args)                                                                     \
  X(SORT_SAMPLE, gp__sort_sample, gp__hybrid_args)                                                                     \
  X(LEADING_EDGES, gp__leading_edges, gp__hybrid_args)                                                                 \
  X(LEADING_SORT, gp__leading_sort, gp__hybrid_args)                                                                   \
  X(SORT_ONE_BLOCK, gp__sort_one_block, gp__hybrid_args)                                                               \
  X(GATHER, gp__gather, gp__gather_args)                                                                               \
  X(SEGMENTS_BEGIN, gp__segments_begin, gp__segmented_sort_args)                                                       \
  X(SEGMENTS_SHORT, gp__segments_short, gp__segmented_sort_args)                                                       \
  X(SEGMENTS_MIDDLE, gp__segments_middle, gp__segmented_sort_args)                                                     \
  X(SEGMENTS_LONG, gp__segments_long, gp__segmented_sort_args)                                                         \
  X(MERGE, gp__merge, gp__merge_args)                                                                                  \
  X(MERGE_SORT_TILES, gp__merge_sort_tiles, gp__merge_args)                                                            \
  X(MERGE_FOUR_BORDERS, gp__merge_four_borders, gp__merge_args)                                                        \
  X(MERGE_FOUR, gp__merge_four, gp__merge_args)                                                                        \
  X(SET_BORDERS, gp__balanced_paths, gp__merge_args)                                                                   \
  X(SET_OPERATION, gp__set_operation, gp__merge_args)                                                                  \
  X(SET_PIPELINED, gp__set_pipelined, gp__merge_args)                                                                  \
  X(COUNT_KEYS, gp__count_keys, gp__histogram_args)                                                                    \
  X(COUNTING_RUNS, gp__counting_runs, gp__counting_args)                                                               \
  X(COUNTING_FILL, gp__counting_fill, gp__counting_args)                                                               \
  X(TOP_K_LISTS, gp__top_k_lists, gp__top_k_args)                                                                      \
  X(TOP_K_MERGE, gp__top_k_merge, gp__top_k_args)                                                                      \
  X(SELECT_FIRST, gp__select_first, gp__top_k_args)                                                                    \
  X(SELECT_NEXT, gp__select_next, gp__top_k_args)                                                                      \
  X(SELECT_COLLECT, gp__select_collect, gp__top_k_args)                                                                \
  X(SHUFFLE, gp__shuffle, gp__map_args)                                                                                \
  X(TRANSPOSE, gp__transpose, gp__transpose_args)                                                                      \
  X(TRANSPOSE_SQUARE, gp__transpose_square, gp__transpose_args)                                                        \
  X(TRANSPOSE_ROWS, gp__transpose_rows_of, gp__transpose_args)                                                         \
  X(TRANSPOSE_COLUMNS, gp__transpose_columns_of, gp__transpose_args)                                                   \
  X(TRANSPOSE_WITHIN, gp__transpose_within_rows, gp__transpose_args)                                                   \
  X(TRANSPOSE_SAVE, gp__transpose_save, gp__panels_args)                                                               \
  X(TRANSPOSE_PANELS, gp__transpose_panels, gp__panels_args)                                                           \
  X(TRANSPOSE_CHUNKS, gp__transpose_chunks, gp__panels_args)                                                           \
  X(TRANSPOSE_BUFFERED, gp__transpose_buffered, gp__buffered_args)                                                     \
  X(TRANSPOSE_TENSOR, gp__transpose_tensor, gp__tensor_args)                                                           \
  X(TRANSPOSE_TENSOR_PANELS, gp__transpose_tensor_panels, gp__tensor_panels_args)                                      \
  X(CONVERT_LAYOUT, gp__convert_layout, gp__layout_args)                                                               \
  X(BFS, gp__bfs, gp__bfs_args)                                                                                        \
  X(BFS_CHECKED, gp__bfs_checked, gp__bfs_args)                                                                        \
  X(BFS_STEPWISE, gp__bfs_stepwise, gp__bfs_args)                                                                      \
  X(BFS_STEPS, gp__bfs_steps, gp__bfs_args)                                                                            \
  X(BFS_PARENTS, gp__bfs_parents, gp__graph_args)                                                                      \
  X(BFS_SOURCES, gp__bfs_sources, gp__sources_args)                                                                    \
  X(GRAPH_LIST_KEYS, gp__graph_list_keys, gp__graph_args)                                                              \
  X(GRAPH_KEYS, gp__graph_keys, gp__graph_args)                                                                        \
  X(GRAPH_FROM_KEYS, gp__graph_from_keys, gp__graph_args)                                                              \
  X(GRAPH_DEGREE_KEYS, gp__graph_degree_keys, gp__graph_args)                                                          \
  X(GRAPH_INVERT, gp__graph_invert, gp__graph_args)                                                                    \
  X(GRAPH_DEGREES, gp__graph_degrees, gp__graph_args)                                                                  \
  X(GRAPH_DEGREE_REPORT, gp__graph_degree_report, gp__graph_args)                                                      \
  X(GRAPH_CHECK, gp__graph_check, gp__graph_args)                                                                      \
  X(DEPTHS_OF_EDGES, gp__depths_of_edges, gp__graph_args)                                                              \
  X(DEPTHS_OF_VERTICES, gp__depths_of_vertices, gp__graph_args)                                                        \
  X(FAULT_REPORT, gp__fault_report, gp__graph_args)                                                                    \
  X(COMPONENTS_FIRST, gp__components_first, gp__graph_args)                                                            \
  X(COMPONENTS_FEW, gp__components_few, gp__graph_args)                                                                \
  X(COMPONENTS_ROOTS, gp__components_roots, gp__graph_args)                                                            \
  X(COMPONENTS_SAMPLE, gp__components_sample, gp__graph_args)                                                          \
  X(COMPONENTS_LINK, gp__components_link, gp__graph_args)
#define GPUPRIMS__ENUM(KIND, kernel, arguments) GP__##KIND,
typedef enum gp__kernel_kind { GPUPRIMS__KINDS(GPUPRIMS__ENUM) GP__KINDS } gp__kernel_kind;
#undef GPUPRIMS__ENUM
