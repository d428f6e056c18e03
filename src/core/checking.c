// core/checking.c - checking a call: members and flags that it does not use
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/rules.h, core/messages.c, core/request.c,
//   core/primitive.c, core/state.c, core/check_types.c, core/reads.c

// What the steps of a check share.
// k->pointers of a call that runs: GIVEN where nobody looks where buffers and values lie, REACHED where the driver is
// asked about each, KNOWN where the first that lies in a place nobody has asked about ends the check with GP__UNKNOWN.
enum { GP__POINTERS_GIVEN = 1, GP__POINTERS_REACHED, GP__POINTERS_KNOWN };
// No error of the API; in C++ a gp_result holds no more than 31.
enum { GP__UNKNOWN = 31 };
typedef char gp__unknown_is_no_error[(int)GP_E_FORK < (int)GP__UNKNOWN ? 1 : -1];
typedef struct gp__checking {
  gp__state *s;
  const char *who;
  const gp_call *c;
  gp__request *q;
  uint64_t reads; // of gp__primitive
  int host, pointers, traits; // traits: of gp__primitive
  int fold; // an operator with an accumulator
  gp__check_step own[GP__CHECKS]; // of the family; NULL: the common step
  struct gp__buffers *buffers; // during their step
  int by_flags; // select, partition: flags decide, no predicate
  int by_stencil; // select, partition: the predicate tests keys, not elements
  gp__checked_type in, in2, key, offset, out, out2;
  gp__extent read[GP_COLUMN_LIMIT + 8], written[GP_COLUMN_LIMIT + 8];
  int read_count, written_count;
  char column_name[2 * GP_COLUMN_LIMIT][28];
} gp__checking;

// Flags that some primitives take, and which.
#define GP__OWN_FLAGS(F) \
  F(GP_CHECKED, "segmented_reduce, segmented scans, segmented_sort, segmented_top_k, load_balance, expand and bfs") \
  F(GP_RIGHT, "adjacent_difference") \
  F(GP_DESCENDING, "sort, merge_sort, segmented_sort, sort_axis, top_k, segmented_top_k, top_k_axis and nth_element") \
  F(GP_UNSORTED, "top_k, segmented_top_k, top_k_axis, distinct and group_by") \
  F(GP_KEEP_GAPS, "convert_layout") \
  F(GP_UNTIL_TARGET, "bfs") \
  F(GP_SYMMETRISE, "graph_from_edges") \
  F(GP_UNIQUE_EDGES, "graph_from_edges") \
  F(GP_DROP_LOOPS, "graph_from_edges") \
  F(GP_EXCLUSIVE, "scan_axis") \
  F(GP_LITTLE_MEMORY, "sort and merge_sort")
// Rejects members and flags that the call does not use.
GP__HOST gp_result gp__check_fields(const gp__checking *k) {
  const gp_call *c = k->c;
  const int flags = gp__primitive_of(c->primitive)->flags, search = k->traits & GP__TAKES_SEARCH;
#define GPUPRIMS__UNREAD(FIELD, field, error, text) \
  if (c->field && !(k->reads & GP__READS_##FIELD)) return gp__fail(error, "%s: @" #field ": the call " text, k->who);
  GP__CALL_FIELDS(GPUPRIMS__UNREAD)
#undef GPUPRIMS__UNREAD
#define GP__ONLY(takes, member, text) \
  if (c->member && !(takes)) return gp__fail(GP_E_ARGUMENT, "%s: @" #member text, k->who);
  GP__ONLY(k->traits & GP__TAKES_PERMUTATION, permutation, ": the call takes no permutation")
  GP__ONLY(k->traits & GP__TAKES_AXES, axes, " is for reduce_axis, row_map, scan_axis, sort_axis and top_k_axis only")
  GP__ONLY(k->reads & GP__READS_FIELDS, field_count, ": the call does not sort by fields")
  if ((c->in_layout || c->out_layout) && !(k->traits & GP__TAKES_LAYOUTS))
    return gp__fail(
        GP_E_ARGUMENT, "%s: @%s is for convert_layout only", k->who, c->in_layout ? "in_layout" : "out_layout");
  if (!search && (c->source_device || c->target || c->statistics || c->fault))
    return gp__fail(GP_E_ARGUMENT, "%s: @source_device, @target, @statistics and @fault are for bfs only", k->who);
  GP__ONLY(k->traits & GP__TAKES_SOURCES, sources, " is for bfs_sources only")
  GP__ONLY(flags & GP_UNTIL_TARGET, target, " is for bfs only")
  GP__ONLY(c->flags & GP_CHECKED, fault, " is set, but @flags lacks GP_CHECKED")
  if ((c->source && !(k->traits & GP__TAKES_SOURCE)) || (c->limit && !(k->traits & GP__TAKES_LIMIT)))
    return gp__fail(GP_E_ARGUMENT, "%s: @source and @limit are for bfs and bfs_check only", k->who);
#define GPUPRIMS__UNREAD(FLAG, text) \
  if (c->flags & ~flags & FLAG) return gp__fail(GP_E_ARGUMENT, "%s: @flags: " #FLAG " is for " text " only", k->who);
#define GP__OR(FLAG, text) | FLAG
  GP__OWN_FLAGS(GPUPRIMS__UNREAD)
#undef GPUPRIMS__UNREAD
  if ((c->flags & (GP_FASTEST | GP_REPRODUCIBLE)) == (GP_FASTEST | GP_REPRODUCIBLE))
    return gp__fail(GP_E_ARGUMENT, "%s: @flags: GP_FASTEST and GP_REPRODUCIBLE exclude each other", k->who);
  if (c->flags & GP_FASTEST) k->q->flags |= GP_UNSORTED;
  if (c->flags & ~(GP_REPRODUCIBLE | GP_FASTEST GP__OWN_FLAGS(GP__OR)))
    return gp__fail(GP_E_ARGUMENT, "%s: @flags has unknown bits: %#x", k->who, c->flags);
#undef GP__OR
  if ((c->begin_bit || c->end_bit) && !(k->traits & GP__TAKES_BITS))
    return gp__fail(GP_E_ARGUMENT, "%s: @begin_bit and @end_bit are for radix sorts only", k->who);
  GP__ONLY(k->traits & GP__TAKES_OUT_GRAPH, out_graph, ": the call builds no graph")
  GP__ONLY(k->traits & GP__TAKES_GRAPH, graph, ": the call takes no graph")
  if ((c->flags & GP_CHECKED) && !search && (c->end || (!c->begin && !c->offset_type)))
    return gp__fail(GP_E_ARGUMENT,
        c->end ? "%s: @flags: GP_CHECKED checks that offsets do not decrease; segments with @end have any order"
            : "%s: @flags: GP_CHECKED: segments of equal length have no offsets to check",
        k->who);
  GP__ONLY((k->traits & GP__TAKES_BAD) || (c->flags & GP_CHECKED), bad, " is set, but @flags lacks GP_CHECKED")
#undef GP__ONLY
  return GP_SUCCESS;
}
