// sort/names.c - template arguments of sorts
// uses: api/lists.h, api/policy.h, core/rules.h, core/shape.h, sort/hybrid_policy.h, sort/radix_policy.h,
//   sort/counting_policy.h, sort/choice_policy.h, sort/cooperative_policy.h, core/geometry.h, sort/portable.h,
//   sort/scratch.h, sort/geometry.h, core/text.c, core/request.c, host/values.c, core/names.c, core/kinds.c,
//   core/spelling.c, core/kernel_names.c

// Names the type by which a radix sort reads a key.
GP__HOST void gp__name_radix_key(const gp__spelling *q, gp__text *t) {
  const char *key = gp__key_name(q);
  int i;
  if (q->user_transform) {
    gp__add(t, "gp__decomposed_key<%s, gp__op_2, %s>", key, gp__type_rows[q->acc_type].device);
  } else if (gp__is_complex(q->key_type)) {
    const char *part = q->key_type == GP_C32 ? "float" : "double";
    gp__add(t, "gp__field_key<%s, gp__complex_part<%s, true>, gp__complex_part<%s, false>>", key, part, part);
  } else if (q->list_count) {
    gp__add(t, "gp__field_key<%s", key);
    for (i = 0; i < (int)q->list_count; ++i)
      gp__add(t, ", gp__key_field<%u, %s, %s>", (unsigned)(q->list[i] & 0xffff),
          gp__type_rows[q->list[i] >> 16 & 0xffff].device, q->list[i] >> 32 ? "true" : "false");
    gp__add(t, ">");
  } else {
    gp__add(t, q->numbers ? "gp__radix_number<%s>" : "gp__radix_key<%s>", key);
  }
}
GP__HOST void gp__name_radix_histogram(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", ");
  gp__name_radix_key(q, t);
  if (q->algorithm == GP_LEADING_SWEEP) gp__add(t, ", true");
}
GP__HOST void gp__name_radix_pass(const gp__spelling *q, gp__text *t) {
  const char *in = gp__in_name(q);
  const int paired = gp__is_paired(q->algorithm, q->in_size);
  gp__add(t, paired ? ", gp__radix_record<" : ", ");
  gp__name_radix_key(q, t);
  if (paired) gp__add(t, ", %s>", in);
  gp__add(t, ", %s%s",
      paired ? "gp__none"
          : !q->index_bytes ? in
          : q->index_bytes == 4 ? "gp__u32"
          : "gp__u64",
      gp__is_cooperative(q->algorithm) ? ""
          : q->kind == GP__RADIX_PASS_WIDE ? ", gp__radix_wide"
          : ", gp__radix_narrow");
}
GP__HOST void gp__name_hybrid(const gp__spelling *q, gp__text *t) {
  const gp__kernel_kind kind = q->kind;
  const int size = (int)q->key_size;
  const int one = kind == GP__SORT_ONE_BLOCK, items = gp__one_block_items(q->vectors);
  gp__name_ordered_key(q, t);
  if (kind == GP__HYBRID_COUNT) gp__add(t, ", %d", (int)GP__HYBRID_COUNT_THREADS);
  if (kind == GP__HYBRID_SORT || kind == GP__LEADING_SORT || one)
    gp__add(t, ", %d, %d, %d", one ? q->threads : gp__bucket_threads(size), one ? items : gp__bucket_items(size),
        one ? gp__one_block_log2_bins(q->threads * items) : gp__bucket_log2_bins(size));
  if (q->in_size) gp__add(t, ", %s", gp__in_name(q));
}
// A gather moves words as large as alignment and size allow.
GP__HOST void gp__name_gather(const gp__spelling *q, gp__text *t) {
  const size_t size = (size_t)q->in_size, align = q->in_struct->align;
  const size_t word = size % 16 == 0 && align == 16 ? 16 : align > 8 ? 8 : align;
  gp__add(t, ", %s, %lu, %s",
      word == 16 ? "gp_vector"
          : word == 8 ? "gp__u64"
          : word == 4 ? "gp__u32"
          : word == 2 ? "unsigned short"
          : "unsigned char",
      (unsigned long)(size / word), q->index_bytes == 4 ? "gp__u32" : "gp__u64");
}
GP__HOST void gp__name_count_keys(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s", q->key_size == 1 ? "unsigned char" : "unsigned short");
}
// A transform maps a key to a built-in type.
GP__HOST void gp__operators_of_sort(const gp__spelling *q, gp__program_op *ops) { ops[1].a = gp__key_name(q); }
GP__HOST void gp__spell_sort(const gp__request *q, const gp_policy *p, gp__form h, gp__spelling *w) {
  (void)p, (void)h;
  w->index_bytes = q->in_size > GP__RADIX_VALUE_BYTES ? gp__radix_index_bytes(q->count) : 0;
}

GP__HOST gp_policy gp__policy_of_sort_kernel(gp_policy p, gp__form h, gp__kernel_kind kind) {
  return p.algorithm != GP_ADAPTIVE || kind == GP__SORT_SAMPLE ? p
      : kind == GP__RADIX_HISTOGRAM || kind == GP__RADIX_SWEEPS ? gp__adaptive_sweep(p, h)
      : kind == GP__SORT_ONE_LAUNCH ? gp__adaptive_cooperative(p, h)
      : gp__adaptive_hybrid(p);
}
GP__HOST unsigned gp__threads_of_sort_kernel(const gp_policy *p, gp__form h, gp__kernel_kind kind) {
  (void)p;
  return kind == GP__RADIX_HISTOGRAM ? (unsigned)GP__RADIX_HISTOGRAM_THREADS
      : kind == GP__SORT_SAMPLE ? (unsigned)GP__SAMPLE_THREADS
      : kind == GP__HYBRID_COUNT ? (unsigned)GP__HYBRID_COUNT_THREADS
      : kind == GP__HYBRID_SORT || kind == GP__LEADING_SORT ? (unsigned)gp__bucket_threads(h->key_size)
      : kind == GP__COUNT_KEYS ? (unsigned)gp__counting_threads(h->key_size)
      : kind == GP__COUNTING_RUNS ? (unsigned)GP__COUNTING_THREADS
      : 0;
}
GP__HOST void gp__block_of_sort_kernel(gp_policy p, gp__form h, gp__kernel_kind kind, gp__geometry *g) {
  if (kind == GP__RADIX_HISTOGRAM)
    g->shared_bytes = gp__radix_histogram_bytes(
        gp__radix_ordered_bytes(h), gp__radix_replicas(gp__radix_ordered_bytes(h), h->compute_capability, 32));
  if (kind == GP__SORT_SAMPLE) g->shared_bytes = gp__choice_bytes(h->key_size);
  if (kind == GP__HYBRID_MOVE) g->shared_bytes = gp__hybrid_tile_bytes(p, h);
  if (kind == GP__HYBRID_REST) g->shared_bytes = gp__hybrid_rest_bytes(p, h);
  if (kind == GP__HYBRID_SORT || kind == GP__LEADING_SORT) g->shared_bytes = gp__hybrid_bucket_bytes(h);
  if (kind == GP__SORT_ONE_BLOCK) g->shared_bytes = gp__one_block_bytes(p, h->key_size);
  if (kind == GP__COUNT_KEYS) *g = gp__counting_geometry(p, h);
}
// One sweep keeps keys and values in registers; buckets of 8-byte keys need only 56 registers. Tiles of pairs
// that need more registers than there are make no promise: hundreds of bytes would spill.
GP__HOST unsigned gp__resident_sorts(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  const gp__kernel_kind kind = w->kind;
  const int buckets = kind == GP__HYBRID_SORT || kind == GP__LEADING_SORT;
  const unsigned blocks = kind == GP__SORT_SAMPLE ? 1
      : buckets ? (unsigned)gp__bucket_blocks((int)q->key_size)
      : kind == GP__HYBRID_COUNT ? 2
      : (unsigned)p->blocks_per_sm;
  const int pairs = (kind == GP__HYBRID_MOVE || kind == GP__HYBRID_REST) && gp__radix_value_bytes(h) > 0;
  return (gp__sweeps(p->algorithm) && !gp__sweep_fits(*p, h)) || (pairs && !gp__pairs_fit(*p, h))
      ? 0
      : gp__promise(q, w, blocks, kind == GP__HYBRID_SORT ? 2048 : 1024);
}
