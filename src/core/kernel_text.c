// core/kernel_text.c - the text of a kernel
// uses: api/lists.h, sort/hybrid_policy.h, sort/radix_policy.h, sort/cooperative_policy.h, core/system.c, core/text.c,
//   core/request.c, core/program.c, core/image.c, core/names.c, core/kinds.c, select/check.c, merge/check.c,
//   search/check.c, core/kinds_of.c, core/spelling.c, core/kernel_names.c

// The kernel's name: its template with every argument.
GPUPRIMS__PRIVATE void gp__name_kernel(const gp__spelling *q, gp__text *t) {
  const gp__kernel_kind kind = q->kind;
#define GPUPRIMS__NAMED(KIND, kernel, arguments) #kernel,
  static const char *const kernels[] = {GPUPRIMS__KINDS(GPUPRIMS__NAMED)};
#undef GPUPRIMS__NAMED
  const char *in = gp__in_name(q), *in2 = gp__in2_name(q), *key = gp__key_name(q), *out = gp__out_name(q);
  const char *offset = q->offset_size ? gp__type_rows[q->offset_type].device : "";
  const char *functor = q->op ? gp__functor(q->op, q->user_op, "gp__op_1") : "";
  const int paired = gp__is_paired(q->algorithm, q->in_size);
  gp__add(t, "%s<gp__policy<%d, %d, %d, %d, %d, %d, %d>%s", kernels[kind], q->threads, q->vectors, q->load, q->store,
          q->stages, q->blocks_per_sm, q->overlap,
          kind == GP__SEGMENTS_BEGIN || kind == GP__GRAPH_DEGREE_REPORT ? ">" : ", ");
  switch (kind) {
  case GP__COPY:
    gp__add(t, "%d>", q->size);
    break;
  case GP__CONVERT_LAYOUT:
    gp__name_layouts(q, t);
    break;
  case GP__MAP:
    if (q->primitive == GP_FILL) gp__add(t, "gp__fill_value<%s>", out);
    else if (q->primitive == GP_IOTA) gp__add(t, "gp__iota_value<%s>", out);
    else if (q->user_op) gp__add(t, "%s", functor);
    else if (q->primitive == GP_TRANSFORM) gp__add(t, "%s<%s, %s>", functor, in, out);
    else gp__add(t, "gp__binary<%s<%s>, %s, %s, %s>", functor, out, in, in2, out);
    gp__add(t, ", %s, %s, %s>", in, in2, out);
    break;
  case GP__ADJACENT:
    gp__add(t, q->right ? "true, " : "false, ");
    if (q->user_op) gp__add(t, "%s", functor);
    else gp__add(t, "gp__binary<%s<%s>, %s, %s, %s>", functor, out, in, in, out);
    gp__add(t, ", %s, %s>", in, out);
    break;
  case GP__BOUND:
    gp__add(t, "%s, %s, ", q->primitive == GP_UPPER_BOUND ? "true" : "false", in);
    gp__add(t, q->user_op ? "%s, " : "%s<%s>, ", functor, in);
    gp__add(t, "%s>", out);
    break;
  case GP__EVEN_SHARE:
  case GP__STEALING:
    if (q->primitive == GP_REDUCE) {
      gp__name_fold(q, t);
    } else if (q->primitive == GP_CHECK_OFFSETS) {
      gp__add(t, "gp_min<%s>, gp__offset_fault<%s>, %s, %s, %s>", out, offset, offset, out, out);
    } else if (q->primitive == GP_IS_SORTED) {
      gp__add(t, "gp_min<%s>, gp__order_fault<%s, ", out, key);
      gp__add(t, q->user_op ? "%s" : "%s<%s>", functor, key);
      gp__add(t, ">, %s, %s, %s>", key, out, out);
    } else {
      const char *sum = q->primitive == GP_COUNT_IF ? "gp_sum" : q->primitive == GP_ANY ? "gp_or" : "gp_and";
      const char *acc = gp__type_rows[q->acc_type].device;
      gp__add(t, "%s<%s>, gp__counted<%s, ", sum, acc, in);
      gp__name_predicate(q->op, q->user_op, functor, in, t);
      gp__add(t, ">, %s, %s, %s>", in, acc, out);
    }
    break;
  case GP__STREAM_LOOK_BACK:
  case GP__STREAM_PIPELINED:
    gp__name_body(q, t);
    gp__add(t, ">");
    break;
  case GP__SEGMENT_SPANS:
    gp__add(t, "%s>", offset);
    break;
  case GP__SEGMENTED_REDUCE:
  case GP__WARP_SEGMENTS:
  case GP__SEGMENTED_PIPELINED:
    if (!q->offset_size) gp__add(t, "gp__fixed_ends, ");
    else gp__add(t, "%s<%s>, ", q->ranged ? "gp__range_ends" : "gp__offset_ends", offset);
    gp__name_fold(q, t);
    break;
  case GP__LOAD_BALANCE:
    gp__add(t, "%s, %s>", offset, out);
    break;
  case GP__SEGMENTS_BEGIN:
  case GP__GRAPH_DEGREE_REPORT:
    break;
  case GP__GRAPH_LIST_KEYS:
    gp__add(t, "%s>", in);
    break;
  case GP__GRAPH_KEYS:
    gp__add(t, "%s, %s, %s>", offset, key, q->primitive == GP_GRAPH_RELABEL ? "true" : "false");
    break;
  case GP__GRAPH_FROM_KEYS:
  case GP__GRAPH_CHECK:
  case GP__DEPTHS_OF_EDGES:
  case GP__COMPONENTS_FIRST:
  case GP__COMPONENTS_FEW:
  case GP__COMPONENTS_LINK:
    gp__add(t, "%s, %s>", offset, key);
    break;
  case GP__GRAPH_DEGREE_KEYS:
  case GP__GRAPH_DEGREES:
  case GP__FAULT_REPORT:
    gp__add(t, "%s>", offset);
    break;
  case GP__GRAPH_INVERT:
  case GP__DEPTHS_OF_VERTICES:
  case GP__COMPONENTS_ROOTS:
  case GP__COMPONENTS_SAMPLE:
    gp__add(t, "%s>", key);
    break;
  case GP__SEGMENTS_SHORT:
  case GP__SEGMENTS_MIDDLE:
  case GP__SEGMENTS_LONG:
    gp__add(t, "%s, ", gp__key_name(q));
    if (!q->out_size) gp__add(t, "gp__no_values, ");
    else gp__add(t, "%s<%s>, ", q->in_size ? "gp__value_array" : "gp__value_index", out);
    gp__add(t, q->placed ? "true" : "false");
    gp__add(t, kind == GP__SEGMENTS_SHORT ? ", %s>" : ">", offset);
    break;
  case GP__GROUP_TABLE:
    gp__add(t, "gp__unsigned_of<%d>::type, ", (int)q->key_size);
    gp__name_fold(q, t);
    break;
  case GP__HISTOGRAM:
    gp__add(t, "%s, %s<%s>, %s, %s, %s>", q->algorithm == GP_SHARED_BINS ? "GP_SHARED_BINS" : "GP_GLOBAL_BINS",
            q->primitive == GP_HISTOGRAM_EVEN ? "gp__even_bins" : "gp__range_bins", in, in, in2, out);
    break;
  case GP__RADIX_HISTOGRAM:
    gp__name_radix_key(q, t);
    gp__add(t, q->algorithm == GP_LEADING_SWEEP ? ", true>" : ">");
    break;
  case GP__RADIX_PASS:
  case GP__RADIX_PASS_WIDE:
  case GP__RADIX_SWEEPS:
  case GP__SORT_ONE_CLUSTER:
  case GP__SORT_ONE_LAUNCH:
    if (paired) gp__add(t, "gp__radix_record<");
    gp__name_radix_key(q, t);
    if (paired) gp__add(t, ", %s>", in);
    gp__add(t, ", %s%s",
            paired                ? "gp__none"
            : !q->index_bytes     ? in
            : q->index_bytes == 4 ? "gp__u32"
                                  : "gp__u64",
            gp__is_cooperative(q->algorithm) ? ">"
            : kind == GP__RADIX_PASS_WIDE    ? ", gp__radix_wide>"
                                             : ", gp__radix_narrow>");
    break;
  case GP__HYBRID_COUNT:
  case GP__HYBRID_MOVE:
  case GP__HYBRID_SORT:
  case GP__HYBRID_REST:
  case GP__SORT_SAMPLE:
  case GP__LEADING_EDGES:
  case GP__LEADING_SORT:
  case GP__SORT_ONE_BLOCK: {
    const int size = (int)q->key_size;
    const int one = kind == GP__SORT_ONE_BLOCK, items = gp__one_block_items(q->vectors);
    gp__add(t, "%s, %s", gp__key_name(q), q->descending ? "true" : "false");
    if (kind == GP__HYBRID_COUNT) gp__add(t, ", %d", (int)GP__HYBRID_COUNT_THREADS);
    if (kind == GP__HYBRID_SORT || kind == GP__LEADING_SORT || one)
      gp__add(t, ", %d, %d, %d", one ? q->threads : gp__bucket_threads(size), one ? items : gp__bucket_items(size),
              one ? gp__one_block_log2_bins(q->threads * items) : gp__bucket_log2_bins(size));
    if (q->in_size) gp__add(t, ", %s", in);
    gp__add(t, ">");
    break;
  }
  case GP__GATHER: // by words as large as the values' size and alignment allow
    gp__name_gather((size_t)q->in_size, q->in_struct->align, q->index_bytes, t);
    break;
  case GP__MERGE:
  case GP__MERGE_SORT_TILES:
  case GP__MERGE_FOUR_BORDERS:
  case GP__MERGE_FOUR:
  case GP__SET_BORDERS:
  case GP__SET_OPERATION:
  case GP__SET_PIPELINED:
    if (kind == GP__SET_OPERATION || kind == GP__SET_PIPELINED) gp__add(t, "GP_%s, ", gp__set_name(q->primitive));
    gp__add(t, q->user_op ? "%s, " : "%s<%s>, ", functor, key);
    gp__add(t, "%s, %s>", key, in);
    break;
  case GP__COUNT_KEYS:
    gp__add(t, "%s>", q->key_size == 1 ? "unsigned char" : "unsigned short");
    break;
  case GP__COUNTING_RUNS:
  case GP__COUNTING_FILL:
  case GP__SELECT_FIRST:
  case GP__SELECT_NEXT:
    gp__add(t, "%s, %s>", gp__key_name(q), q->descending ? "true" : "false");
    break;
  case GP__TOP_K_LISTS:
  case GP__TOP_K_MERGE:
  case GP__SELECT_COLLECT:
    gp__add(t, "%s, %s, %s, %s", gp__key_name(q), in, q->out_size ? out : "gp__none", q->descending ? "true" : "false");
    if (kind != GP__SELECT_COLLECT) gp__add(t, ", %s", q->index_bytes ? "true" : "false");
    gp__add(t, ">");
    break;
  case GP__SHUFFLE:
    gp__add(t, "%s, %s>", in, out);
    break;
  case GP__TRANSPOSE:
  case GP__TRANSPOSE_SQUARE:
    gp__add(t, "%d, %d, %d, %s>", q->size, q->word, q->form, q->algorithm == GP_SWIZZLED_TILES ? "true" : "false");
    break;
  case GP__TRANSPOSE_TENSOR:
    gp__add(t, "%d>", q->size);
    break;
  case GP__TRANSPOSE_COLUMNS:
  case GP__TRANSPOSE_WITHIN:
    gp__add(t, "%d, %d>", q->size, q->word);
    break;
  case GP__TRANSPOSE_SAVE:
  case GP__TRANSPOSE_PANELS:
  case GP__TRANSPOSE_CHUNKS:
  case GP__TRANSPOSE_BUFFERED:
  case GP__TRANSPOSE_TENSOR_PANELS:
    gp__add(t, "%d, %d, %d>", q->size, q->word, q->form);
    break;
  case GP__TRANSPOSE_ROWS:
    gp__add(t, "%d>", q->word);
    break;
  case GP__BFS:
  case GP__BFS_CHECKED:
    gp__add(t, q->clustered ? "%s, %s, true>" : "%s, %s>", offset, key);
    break;
  case GP__BFS_STEPWISE:
  case GP__BFS_STEPS:
  case GP__BFS_PARENTS:
    gp__add(t, "%s, %s>", offset, key);
    break;
  case GP__BFS_SOURCES:
    gp__add(t, "%s, %s, unsigned %s>", offset, key, q->acc_size == 8 ? "long long" : "int");
    break;
  default: // scans
    gp__add(t, q->primitive == GP_EXCLUSIVE_SCAN ? "true, " : "false, ");
    gp__name_fold(q, t);
  }
}
// A user's operators in a program: what they are called there, and what they take.
typedef struct gp__program_op {
  const gp__op_info *op; // or NULL
  const char *functor, *a, *b, *r;
  int fold;
} gp__program_op;

GPUPRIMS__PRIVATE gp_result gp__write_program(const char *who, const gp__spelling *q, gp__program *p) {
#define GPUPRIMS__NAMED(KIND, kernel, arguments) #arguments,
  static const char *const arguments[] = {GPUPRIMS__KINDS(GPUPRIMS__NAMED)};
#undef GPUPRIMS__NAMED
  const gp__type_info *structs[5];
  const char *in = gp__in_name(q), *key = gp__key_name(q), *out = gp__out_name(q);
  const char *acc = q->acc_size && q->acc_type ? gp__device_type(q->acc_type, q->acc_struct) : NULL;
  const int predicated = gp__is_predicated(q->primitive);
  const int ordered = gp__is_ordered(q->primitive), fold = q->acc_size && !predicated && !ordered;
  const gp__program_op ops[3] = {
      {q->user_op, "gp__op_1", ordered ? key : in,
       q->primitive == GP_TRANSFORM2                                          ? gp__in2_name(q)
       : q->primitive == GP_ADJACENT_DIFFERENCE || gp__is_bound(q->primitive) ? in
       : ordered                                                              ? key
                                                                              : NULL,
       fold                                                  ? acc
       : predicated || ordered || gp__is_bound(q->primitive) ? "bool"
                                                             : out,
       fold},
      {q->user_transform, "gp__op_2", q->primitive == GP_SORT ? key : in, NULL, fold ? acc : "bool", 0},
      {q->user_equal, "gp__op_3", key, key, "bool", 0}};
  const char *policy;
  gp__text *t = &p->text;
  int i, j;
  memset(p, 0, sizeof *p);
  p->exact_rounding = q->exact_rounding;
  gp__name_kernel(q, &p->name);
  gp__add(t, "#include \"gpuprims.h\"\n");
  structs[0] = q->in_struct;
  structs[1] = q->in2_struct;
  structs[2] = q->acc_struct;
  structs[3] = q->out_struct;
  structs[4] = q->key_struct;
  for (i = 0; i < 5; ++i) gp__add_struct(p, structs[i], structs, i);
  for (i = 0; i < 3; ++i) { // each prelude once
    const char *prelude = ops[i].op ? ops[i].op->prelude : NULL;
    for (j = 0; j < i && prelude; ++j)
      if (ops[j].op && ops[j].op->prelude && strcmp(ops[j].op->prelude, prelude) == 0) prelude = NULL;
    if (prelude) gp__add_excerpt(p, prelude, "prelude of operator %s", ops[i].op->name);
  }
  for (i = 0; i < 3; ++i)
    if (ops[i].op) gp__add_operator(p, ops[i].functor, ops[i].op, ops[i].a, ops[i].b, ops[i].r, ops[i].fold);
  gp__add(t, "extern \"C\" __global__ void __launch_bounds__(%u", q->block_threads);
  if (q->resident) gp__add(t, ", %u", q->resident);
  gp__add(t, ") gp__entry(const %s%s a) { %s(a); }\n",
          q->kind == GP__TRANSPOSE_TENSOR || q->kind == GP__TRANSPOSE_TENSOR_PANELS ? "__grid_constant__ " : "",
          arguments[q->kind], gp__string(&p->name));
  // For gp_policy_echo: the policy in the name that was just called.
  policy = gp__string(&p->name);
  policy += strcspn(policy, "<") + (*policy != 0);
  gp__add(t,
          "typedef %.*s> gp__p;\nextern \"C\" __device__ int gp__echo[8] = {%d, gp__p::threads, gp__p::vectors, "
          "gp__p::load, gp__p::store, gp__p::stages, gp__p::blocks_per_sm, gp__p::overlap};\n",
          (int)strcspn(policy, ">"), policy, q->algorithm);
  return gp__seal_program(who, p);
}
