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
#define GP__FAMILY(NAME, p, name) \
  p == GP_REDUCE || p == GP_COUNT_IF || p == GP_CHECK_OFFSETS ? GP__FAMILY_REDUCE \
      : p == GP_ANY || p == GP_ALL || p == GP_IS_SORTED || (p >= GP_FIND_IF && p <= GP_ADJACENT_FIND) || \
          (p >= GP_LEXICOGRAPHIC && p <= GP_PARTITION_POINT) \
      ? GP__FAMILY_FIND \
      : p == GP_INCLUSIVE_SCAN || p == GP_EXCLUSIVE_SCAN ? GP__FAMILY_SCAN \
      : (p >= GP_SEGMENTED_INCLUSIVE_SCAN && p <= GP_UNIQUE) || p == GP_SELECT || p == GP_PARTITION \
      ? GP__FAMILY_STREAM \
      : p == GP_SEGMENTED_REDUCE || p == GP_LOAD_BALANCE || p == GP_EXPAND || p == GP_RUN_LENGTH_EXPAND \
      ? GP__FAMILY_SEGMENTS \
      : p == GP_HISTOGRAM_EVEN || p == GP_HISTOGRAM_RANGES ? GP__FAMILY_HISTOGRAM \
      : p == GP_SORT ? GP__FAMILY_SORT \
      : p >= GP_MERGE_SORT &&p <= GP_SET_SYMMETRIC_DIFFERENCE ? GP__FAMILY_MERGE \
      : p == GP_SEGMENTED_SORT ? GP__FAMILY_SEGMENTED_SORT \
      : p == GP_TOP_K || p == GP_NTH_ELEMENT || p == GP_SEGMENTED_TOP_K ? GP__FAMILY_TOP_K \
      : p == GP_TRANSPOSE ? GP__FAMILY_TRANSPOSE \
      : (p >= GP_REDUCE_AXIS && p <= GP_SCAN_AXIS) ? GP__FAMILY_ROWS \
      : p == GP_BFS || p == GP_BFS_SOURCES ? GP__FAMILY_GRAPH \
      : GP__FAMILY_MAP,
GP__HOST int gp__family_of(int primitive) {
  static const unsigned char families[] = {0, GP_PRIMITIVES(GP__FAMILY)};
  return families[primitive];
}
#undef GP__FAMILY
