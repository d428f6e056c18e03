// core/fields.h - the policy fields of each family
// uses: api/lists.h, api/policy.h

// The fields of each family: F(field, default, values...). A default of zero is chosen by gp__portable. The host reads
// these lists as its parser and its JSON; the kernels get the resolved numbers as template arguments.
#define GP_POLICY_FIELDS_MAP(F)                                                                                        \
  F(algorithm, GP_DIRECT, GP_DIRECT)                                                                                   \
  F(threads, 0, 128, 256, 512, 1024)                                                                                   \
  F(vectors, 0, 1, 2, 4, 8)                                                                                            \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(store, 0, GP_CACHE_ALL, GP_CACHE_STREAMING)                                                                        \
  F(blocks_per_sm, 0, 0, 1, 2, 4, 8)                                                                                   \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_REDUCE(F)                                                                                     \
  F(algorithm, GP_AUTO, GP_EVEN_SHARE, GP_STEALING, GP_ONE_BLOCK)                                                      \
  F(threads, 0, 128, 256, 512, 1024)                                                                                   \
  F(vectors, 0, 1, 2, 4, 8)                                                                                            \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 8)                                                                                   \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_SCAN(F)                                                                                       \
  F(algorithm, GP_AUTO, GP_LOOK_BACK, GP_THREE_SWEEP, GP_ONE_BLOCK, GP_PIPELINED)                                      \
  F(threads, 0, 128, 256, 320, 384, 512)                                                                               \
  F(vectors, 0, 1, 3, 5, 7, 9, 11, 13)                                                                                 \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(store, 0, GP_CACHE_ALL, GP_CACHE_STREAMING)                                                                        \
  F(stages, 0, 3, 4, 5, 6)                                                                                             \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8)                                                                                \
  F(overlap, 0, 1, 2)

#define GP_POLICY_FIELDS_STREAM(F)                                                                                     \
  F(algorithm, GP_AUTO, GP_LOOK_BACK, GP_PIPELINED)                                                                    \
  F(threads, 0, 128, 256, 384, 512)                                                                                    \
  F(vectors, 0, 1, 3, 5, 7)                                                                                            \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(stages, 0, 2, 3, 4, 5)                                                                                             \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8)                                                                                \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_SEGMENTS(F)                                                                                   \
  F(algorithm, GP_AUTO, GP_MERGE_PATH, GP_WARP_SEGMENTS, GP_PIPELINED)                                                 \
  F(threads, 0, 128, 256, 384, 512, 768)                                                                               \
  F(vectors, 0, 1, 3, 5, 7)                                                                                            \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(stages, 0, 2, 3, 4, 5)                                                                                             \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8)                                                                                \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_HISTOGRAM(F)                                                                                  \
  F(algorithm, GP_AUTO, GP_SHARED_BINS, GP_GLOBAL_BINS)                                                                \
  F(threads, 0, 256, 512, 1024)                                                                                        \
  F(vectors, 0, 1, 2, 4)                                                                                               \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8)                                                                                \
  F(overlap, 0, 1, 2)

#define GP_POLICY_FIELDS_SORT(F)                                                                                       \
  F(algorithm, GP_AUTO, GP_ONE_SWEEP, GP_HYBRID, GP_COUNTING, GP_ONE_BLOCK, GP_ADAPTIVE, GP_PAIRED_SWEEP,              \
    GP_LEADING_SWEEP, GP_ONE_CLUSTER, GP_ONE_LAUNCH)                                                                   \
  F(threads, 0, 128, 256, 384, 512, 1024)                                                                              \
  F(vectors, 0, 1, 2, 3, 4, 5, 6, 8)                                                                                   \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(stages, 0, 1, 2)                                                                                                   \
  F(blocks_per_sm, 0, 1, 2, 3, 4)                                                                                      \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_MERGE(F)                                                                                      \
  F(algorithm, GP_AUTO, GP_MERGE_PATH, GP_MERGE_PASSES, GP_FOUR_WAY_PASSES, GP_PIPELINED)                              \
  F(threads, 0, 128, 224, 256, 352, 384, 512)                                                                          \
  F(vectors, 0, 1, 2, 3, 4, 5, 6, 8)                                                                                   \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 5, 6, 8)                                                                             \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_SEGMENTED_SORT(F)                                                                             \
  F(algorithm, GP_AUTO, GP_SIZE_CLASSES)                                                                               \
  F(threads, 0, 128, 256, 384, 512)                                                                                    \
  F(vectors, 0, 1, 2, 3, 4, 5)                                                                                         \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4)                                                                                      \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_TOP_K(F)                                                                                      \
  F(algorithm, GP_AUTO, GP_BEST_LISTS, GP_RADIX_SELECT)                                                                \
  F(threads, 0, 128, 256, 512, 1024)                                                                                   \
  F(vectors, 0, 1, 2, 4)                                                                                               \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(blocks_per_sm, 0, 1, 2, 3, 4, 6, 8)                                                                                \
  F(overlap, 0, 1, 2)

#define GP_POLICY_FIELDS_TRANSPOSE(F)                                                                                  \
  F(algorithm, GP_AUTO, GP_PADDED_TILES, GP_SWIZZLED_TILES, GP_BUFFERED_PANELS, GP_TENSOR_TILES, GP_TENSOR_PANELS,     \
    GP_ROUND_TRIP)                                                                                                     \
  F(threads, 0, 128, 256, 512)                                                                                         \
  F(vectors, 0, 1, 2, 4, 8)                                                                                            \
  F(load, 0, GP_CACHE_ALL, GP_CACHE_STREAMING, GP_CACHE_L2)                                                            \
  F(store, 0, GP_CACHE_ALL, GP_CACHE_STREAMING)                                                                        \
  F(stages, 0, 1, 2, 3, 4, 8, 16, 32, 64)                                                                              \
  F(blocks_per_sm, 0, 0, 2, 4, 8)                                                                                      \
  F(overlap, 0, 1, 2)
#define GP_POLICY_FIELDS_GRAPH(F)                                                                                      \
  F(algorithm, GP_AUTO, GP_EXPAND_CONTRACT, GP_FUSED_LAUNCHES, GP_CONTRACT_EXPAND, GP_TWO_PHASE, GP_HYBRID)            \
  F(threads, 0, 128, 256, 512, 1024)                                                                                   \
  F(vectors, 0, 1, 2, 4)                                                                                               \
  F(blocks_per_sm, 0, 1, 2, 4)                                                                                         \
  F(alpha, 0, -1, 1, 2, 4, 8, 16, 32, 64)                                                                              \
  F(beta, 0, 1, 2, 4, 8, 16, 32)                                                                                       \
  F(small, 0, 1, 64, 128, 256, 512, 1024, 2048)                                                                        \
  F(look, 0, 1, 64, 128, 256, 1000000)                                                                                 \
  F(gather, 0, 7, 1)                                                                                                   \
  F(cull, 0, 7, 4, 8)                                                                                                  \
  F(cluster, 0, 1, 8, 16)
