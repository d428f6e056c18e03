// families.h - the family of each primitive
// uses: api/lists.h, core/rules.h

// Families: primitives that share policy fields and the shape of their kernels. F(FAMILY, family): the endings of their
// names, as in gp__rules_map, GP_POLICY_FIELDS_MAP.
#define GPUPRIMS__FAMILIES(F) \
  F(MAP, map) \
  F(REDUCE, reduce) \
  F(FIND, find) \
  F(SCAN, scan) \
  F(STREAM, stream) \
  F(SEGMENTS, segments) \
  F(HISTOGRAM, histogram) \
  F(SORT, sort) \
  F(MERGE, merge) \
  F(SEGMENTED_SORT, segmented_sort) \
  F(TOP_K, top_k) \
  F(TRANSPOSE, transpose) \
  F(ROWS, rows) \
  F(GRAPH, graph)
#define GP__ENUM(FAMILY, family) GP__FAMILY_##FAMILY,
enum { GPUPRIMS__FAMILIES(GP__ENUM) GP__FAMILIES };
#undef GP__ENUM
GP__RULE int gp__family_of(int primitive) {
  return primitive == GP_REDUCE || primitive == GP_COUNT_IF || primitive == GP_CHECK_OFFSETS ? GP__FAMILY_REDUCE
      : primitive == GP_ANY || primitive == GP_ALL || primitive == GP_IS_SORTED ||
          (primitive >= GP_FIND_IF && primitive <= GP_ADJACENT_FIND) ||
          (primitive >= GP_LEXICOGRAPHIC && primitive <= GP_PARTITION_POINT)
      ? GP__FAMILY_FIND
      : primitive == GP_INCLUSIVE_SCAN || primitive == GP_EXCLUSIVE_SCAN ? GP__FAMILY_SCAN
      : (primitive >= GP_SEGMENTED_INCLUSIVE_SCAN && primitive <= GP_UNIQUE) || primitive == GP_SELECT ||
          primitive == GP_PARTITION
      ? GP__FAMILY_STREAM
      : primitive == GP_SEGMENTED_REDUCE || primitive == GP_LOAD_BALANCE || primitive == GP_EXPAND ||
          primitive == GP_RUN_LENGTH_EXPAND
      ? GP__FAMILY_SEGMENTS
      : primitive == GP_HISTOGRAM_EVEN || primitive == GP_HISTOGRAM_RANGES ? GP__FAMILY_HISTOGRAM
      : primitive == GP_SORT ? GP__FAMILY_SORT
      : primitive >= GP_MERGE_SORT && primitive <= GP_SET_SYMMETRIC_DIFFERENCE ? GP__FAMILY_MERGE
      : primitive == GP_SEGMENTED_SORT ? GP__FAMILY_SEGMENTED_SORT
      : primitive == GP_TOP_K || primitive == GP_NTH_ELEMENT || primitive == GP_SEGMENTED_TOP_K ? GP__FAMILY_TOP_K
      : primitive == GP_TRANSPOSE ? GP__FAMILY_TRANSPOSE
      : (primitive >= GP_REDUCE_AXIS && primitive <= GP_SCAN_AXIS) ? GP__FAMILY_ROWS
      : primitive == GP_BFS || primitive == GP_BFS_SOURCES ? GP__FAMILY_GRAPH
      : GP__FAMILY_MAP;
}
