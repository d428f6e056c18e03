// core/spelling.c - what of a call is spelled in a kernel's text
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, core/shape.h, sort/hybrid_policy.h,
//   sort/radix_policy.h, sort/counting_policy.h, sort/choice_policy.h, segmented_sort/policy.h, transpose/policy.h,
//   transpose/panels_policy.h, layouts/policy.h, families.h, core/family.h, sort/portable.h, core/families.h,
//   core/system.c, core/request.c, layouts/host.c, core/kinds.c, core/primitive.c

// All that the text of a kernel may depend on. gp__spell fills it from the call, and what writes the text is given
// nothing else: calls with equal spellings have equal texts. Sizes in bytes. Spellings that differ in what a text does
// not say share one program. Of `list` the first list_count words count.
enum { GP__SPELLED_MOST = GP__LAYOUT_ENTRIES }; // words of a list
typedef struct gp__spelling {
  gp__kernel_kind kind;
  gp_primitive primitive;
  int algorithm, threads, vectors, load, store, stages, blocks_per_sm, overlap; // of the policy: what is compiled in
  unsigned block_threads, resident; // __launch_bounds__; resident 0: not said
  gp_op op, transform, equal;
  gp_type in_type, in2_type, acc_type, out_type, key_type, offset_type, out2_type;
  int in_size, in2_size, acc_size, out_size, key_size, offset_size, out2_size;
  int is_arg, has_init, ranged, right, descending, numbers, exact_rounding;
  int placed;                                               // segmented sort: keys do not sort by themselves
  int index_bytes;                                          // radix sorts: of an index; top-k: 8 where ranks need it
  int clustered;                                            // a search in clusters
  int size, word, form;                                     // of what is moved: copies and transposes
  int tile, chunk, in_side, out_side;                       // layouts; in_size and out_size are those of structs
  int capability;                                           // of an image for gp_compile; 0: for the device
  const gp__op_info *user_op, *user_transform, *user_equal; // NULL: built in
  const gp__type_info *in_struct, *in2_struct, *acc_struct, *out_struct, *key_struct; // likewise
  uint64_t list_count;
  uint64_t list[GP__SPELLED_MOST]; // keys: offset, type, descending; layouts: size, source and destination, from 1
} gp__spelling;
GPUPRIMS__PRIVATE size_t gp__spelled_bytes(const gp__spelling *w) {
  return offsetof(gp__spelling, list) + (size_t)w->list_count * sizeof *w->list;
}

// Threads that a multiprocessor is to hold of the kernel for short segments, which waits for memory twice: what sorting
// leaves registers for.
GPUPRIMS__PRIVATE unsigned gp__short_threads(const gp__spelling *w) {
  const int bytes = gp__sort_item_bytes(w->key_size, w->placed);
  return bytes == 4 ? 1024 : bytes == 8 ? 768 : 512;
}
// Threads that a multiprocessor is to hold of a transpose: what tiles leave registers for.
GPUPRIMS__PRIVATE unsigned gp__transpose_threads(const gp__spelling *w) {
  const gp__kernel_kind kind = w->kind;
  const int aligned = (w->form & 3) == 3;
  const int moved =
      kind == GP__TRANSPOSE_ROWS || kind == GP__TRANSPOSE_COLUMNS || kind == GP__TRANSPOSE_WITHIN || kind == GP__COPY;
  const int light = moved || kind == GP__TRANSPOSE_SAVE ||
                    (kind != GP__TRANSPOSE_CHUNKS && kind != GP__TRANSPOSE_BUFFERED && aligned &&
                     !(w->form & GP__FORM_WHOLE) && (w->size <= 2 ? kind != GP__TRANSPOSE_SQUARE : w->word >= 4));
  const int bytes = w->size == 1 && !(w->form & (GP__FORM_IN_ALIGNED | GP__FORM_WHOLE)); // shifted
  if (kind == GP__TRANSPOSE && (w->form & GP__FORM_FEW))
    return w->vectors > 4 || (w->size <= 2 && !(w->form & GP__FORM_IN_ALIGNED)) ? 1024 : 1280;
  if (kind == GP__TRANSPOSE_TENSOR) return w->size == 1 ? 512 : w->vectors > 4 ? 768 : w->stages > 1 ? 1024 : 1280;
  if (kind == GP__TRANSPOSE_TENSOR_PANELS) return w->size == 1 ? 512 : w->vectors > 4 ? 768 : 1280;
  if (kind == GP__TRANSPOSE_BUFFERED) return w->vectors > 4 ? 768 : 1024; // and a warp of each block that leads
  if (kind == GP__TRANSPOSE && w->size <= 2 && w->vectors > 4 && w->threads == 512) return 1024; // gathered
  return w->vectors > 4 || bytes                                  ? 768
         : light                                                  ? 1536
         : aligned || w->word > 1 || kind != GP__TRANSPOSE_SQUARE ? 1024
                                                                  : 768;
}
// Blocks that a multiprocessor is to hold of the kernel; 0: the compiler is told nothing. The number is a promise only
// where it leaves a thread 64 registers, and one sweep those for its keys and values; histograms with few vectors on
// their way do with 40, buckets of 8-byte keys with 56; long chunks of a stream take 128.
GPUPRIMS__PRIVATE unsigned gp__resident_blocks(const gp__request *q, const gp_policy *v, const gp__shape *h,
                                               const gp__spelling *w) {
  const gp__kernel_kind kind = w->kind;
  const int family = gp__family_of(q->primitive);
  const unsigned threads = w->block_threads;
  const unsigned blocks = kind == GP__SORT_SAMPLE ? 1
                          : kind == GP__HYBRID_SORT || kind == GP__LEADING_SORT
                              ? (unsigned)gp__bucket_blocks((int)q->key_size)
                          : family == GP__FAMILY_TRANSPOSE ? gp__transpose_threads(w) / threads
                          : kind == GP__HYBRID_COUNT       ? 2
                          : kind == GP__SEGMENTS_SHORT     ? gp__short_threads(w) / threads
                                                           : (unsigned)v->blocks_per_sm;
  const unsigned most = family == GP__FAMILY_HISTOGRAM       ? (v->vectors < 4 ? 1536 : 1024)
                        : family == GP__FAMILY_TRANSPOSE     ? 2048
                        : kind == GP__HYBRID_SORT            ? 2048
                        : family != GP__FAMILY_STREAM        ? 1024
                        : v->vectors >= 7 || q->acc_size > 8 ? 512
                                                             : 768;
  if (kind == GP__CONVERT_LAYOUT) { // as many as leave room for what a thread takes
    const int bytes = h->chunk * gp__max(h->in_size, h->out_size);
    const unsigned room = bytes <= 64 ? 1024 : bytes <= 128 ? 768 : 512;
    return room > threads ? room / threads : 1;
  }
  return family != GP__FAMILY_MAP && blocks * threads <= most && q->acc_size <= 16 &&
                 (!gp__sweeps(v->algorithm) || gp__sweep_fits(*v, *h))
             ? blocks
             : 0;
}

// Threads of a block of one kernel of a call.
GPUPRIMS__PRIVATE unsigned gp__threads_of_kind(const gp_policy *p, const gp__shape *h, gp__kernel_kind kind) {
  switch (kind) {
  case GP__RADIX_HISTOGRAM:
    return GP__RADIX_HISTOGRAM_THREADS;
  case GP__SORT_SAMPLE:
    return GP__SAMPLE_THREADS;
  case GP__HYBRID_COUNT:
    return GP__HYBRID_COUNT_THREADS;
  case GP__HYBRID_SORT:
  case GP__LEADING_SORT:
    return (unsigned)gp__bucket_threads(h->key_size);
  case GP__SEGMENTS_LONG:
    return (unsigned)gp__long_threads_of(*p, *h);
  case GP__COUNT_KEYS:
    return (unsigned)gp__counting_threads(h->key_size);
  case GP__COUNTING_RUNS:
    return GP__COUNTING_THREADS;
  case GP__TRANSPOSE_TENSOR_PANELS:
  case GP__TRANSPOSE_BUFFERED:
    return (unsigned)gp__buffered_threads(*p, h->key_size);
  default:
    return gp__threads_by(gp__rules_of(h->primitive), *p);
  }
}

// The lists that a text repeats: fields of a key, what a conversion of layouts moves.
GPUPRIMS__PRIVATE void gp__spell_lists(const gp__request *q, const gp_policy *p, const gp__shape *h, gp__spelling *w) {
  int i;
  for (i = 0; i < q->field_count; ++i)
    w->list[i] = (uint64_t)q->fields[i].offset | (uint64_t)q->fields[i].type << 16 |
                 (uint64_t)(q->fields[i].descending != 0) << 32;
  w->list_count = (uint64_t)q->field_count;
  if (w->kind == GP__CONVERT_LAYOUT) {
    const int staged = gp__layout_staged(*p, *h);
    gp__layout_entry entry[GP__LAYOUT_ENTRIES];
    const int count = gp__layout_entries(q, entry);
    w->tile = gp__layout_tile(*p, *h);
    w->chunk = staged ? h->chunk : 0;
    w->in_side = !staged ? 0 : h->in_width <= (unsigned)w->tile ? (int)h->in_width : -1;
    w->out_side = !staged ? 0 : h->out_width <= (unsigned)w->tile ? (int)h->out_width : -1;
    for (i = 0; i < count; ++i)
      w->list[i] = (uint64_t)entry[i].size | (uint64_t)(entry[i].in + 1) << 16 | (uint64_t)(entry[i].out + 1) << 32;
    w->list_count = (uint64_t)count;
  }
}

// h: the call's shape on its device. p: the policy of this kernel (gp__policy_of_kind). capability: 0 for the device.
GPUPRIMS__PRIVATE void gp__spell(const gp__request *q, const gp_policy *p, const gp__shape *h, gp__kernel_kind kind,
                                 int capability, gp__spelling *w) {
  const gp__family *row = gp__methods_of(q);
  const int family = gp__family_of(q->primitive);
  // One sweep and teams are told the direction when they run.
  const int descends = kind == GP__RADIX_HISTOGRAM || kind == GP__RADIX_PASS || kind == GP__RADIX_PASS_WIDE ||
                       kind == GP__RADIX_SWEEPS || kind == GP__SORT_ONE_CLUSTER || kind == GP__SORT_ONE_LAUNCH;
  memset(w, 0, offsetof(gp__spelling, list));
  w->kind = kind;
  w->capability = capability;
  w->algorithm = p->algorithm;
  w->threads = p->threads;
  w->vectors = p->vectors;
  w->load = p->load;
  w->store = p->store;
  w->stages = p->stages;
  w->blocks_per_sm = p->blocks_per_sm;
  w->overlap = p->overlap;
  w->block_threads = gp__threads_of_kind(p, h, kind);
  w->exact_rounding = (q->flags & GP_REPRODUCIBLE) != 0;
  if (kind == GP__COPY || family == GP__FAMILY_TRANSPOSE) { // bytes, whatever they mean
    w->size = q->in_layout ? 1 : family == GP__FAMILY_TRANSPOSE ? q->moves.size : (int)q->in_size; // layouts: bytes
    w->word = q->moves.word;
    w->form = family == GP__FAMILY_TRANSPOSE ? gp__transpose_form(*p, *h) : 0;
    w->resident = gp__resident_blocks(q, p, h, w);
    return;
  }
  w->primitive = q->primitive;
  w->op = q->op, w->transform = q->transform, w->equal = q->equal;
  w->user_op = q->user_op, w->user_transform = q->user_transform, w->user_equal = q->user_equal;
  w->in_type = q->in_type, w->in_struct = q->in_struct, w->in_size = (int)q->in_size;
  w->in2_type = q->in2_type, w->in2_struct = q->in2_struct, w->in2_size = (int)q->in2_size;
  w->acc_type = q->acc_type, w->acc_struct = q->acc_struct, w->acc_size = (int)q->acc_size;
  w->out_type = q->out_type, w->out_struct = q->out_struct, w->out_size = (int)q->out_size;
  w->key_type = q->key_type, w->key_struct = q->key_struct, w->key_size = (int)q->key_size;
  w->offset_type = q->offset_type, w->offset_size = (int)q->offset_size;
  w->out2_type = q->out2_type, w->out2_size = (int)q->out2_size;
  w->is_arg = q->is_arg;
  w->ranged = q->end != NULL;
  w->right = (q->flags & GP_RIGHT) != 0;
  w->descending = !descends && (q->flags & GP_DESCENDING);
  w->numbers = q->numbers;
  if (row->spell) row->spell(q, h, w);
  w->clustered = p->cluster > 1;
  gp__spell_lists(q, p, h, w);
  w->resident = gp__resident_blocks(q, p, h, w);
}
