// core/spelling.c - the properties of a call that a kernel's text depends on
// uses: api/config.h, api/lists.h, api/policy.h, api/structs.h, api/input.h, core/rules.h, core/shape.h,
//   layouts/policy.h, core/family.h, core/families.h, core/request.c, core/kinds.c, core/primitive.c

// Everything that the text of a kernel may depend on. gp__spell fills it from the call, and the writers of the text get
// nothing else: calls with equal spellings have equal texts. Sizes in bytes. Spellings that differ only in what their
// text does not use share one program. Only the first list_count words of `list` count.
enum { GP__SPELLED_MOST = GP__LAYOUT_ENTRIES }; // words of a list
typedef struct gp__spelling {
  gp__kernel_kind kind;
  gp_primitive primitive;
  int algorithm, threads, vectors, load, store, stages, blocks_per_sm, overlap; // of the policy: compiled in
  unsigned block_threads, resident; // __launch_bounds__; resident 0: not said
  gp_op op, transform, equal, stored;
  gp_type in_type, in2_type, acc_type, out_type, key_type, offset_type, out2_type;
  int in_size, in2_size, acc_size, out_size, key_size, offset_size, out2_size;
  int is_arg, has_init, ranged, right, descending, numbers, exact_rounding, exclusive;
  int indexed; // segmented sort: keys do not sort by themselves
  int index_bytes; // radix sorts: of an index; top-k: 8 where ranks need it
  int clustered; // a search in clusters
  int described, described2; // inputs: nodes of `list`, plus 1
  int size, word, form; // copies and transposes
  int tile, chunk, in_side, out_side; // layouts; in_size and out_size are those of structs
  int capability; // of an image for gp_compile; 0: for the device
  const gp__op_info *user_op, *user_transform, *user_equal, *user_stored; // NULL: built in
  const gp__type_info *in_struct, *in2_struct, *acc_struct, *out_struct, *key_struct; // likewise
  uint64_t list_count;
  uint64_t list[GP__SPELLED_MOST]; // keys: offset, type, descending; layouts: size, source and destination, from 1;
      // described inputs: gp__spell_inputs
} gp__spelling;
GP__HOST size_t gp__spelled_bytes(const gp__spelling *w) {
  return offsetof(gp__spelling, list) + (size_t)w->list_count * sizeof *w->list;
}

// A node of a described input, as words of the list.
enum { GP__INPUT_WORDS = 4 };
typedef char gp__inputs_fit_the_list[(int)GP_INPUT_PARTS * GP__INPUT_WORDS <= (int)GP__SPELLED_MOST ? 1 : -1];
GP__HOST void gp__spell_inputs(const gp__inputs *all, gp__spelling *w) {
  int i, k;
  w->described = all->in;
  w->described2 = all->in2;
  for (i = 0; i < all->count; ++i) {
    const gp__input_node *n = &all->node[i];
    uint64_t *word = w->list + w->list_count;
    word[0] = (uint64_t)n->kind | (uint64_t)(n->array + 1) << 8 | (uint64_t)(n->value + 1) << 16;
    for (k = 0; k < 4; ++k) word[0] |= (uint64_t)(n->part[k] + 1) << (24 + 8 * k);
    word[1] = (uint64_t)(uint32_t)n->type | (uint64_t)(uint32_t)n->op << 32;
    word[2] = (uint64_t)(uintptr_t)n->info;
    word[3] = (uint64_t)(uintptr_t)n->user_op;
    w->list_count += GP__INPUT_WORDS;
  }
}
// The node back from its words; what the text does not depend on stays zero.
GP__HOST gp__input_node gp__spelled_input(const gp__spelling *w, int node) {
  const uint64_t *word = w->list + (size_t)node * GP__INPUT_WORDS;
  gp__input_node n;
  int k;
  memset(&n, 0, sizeof n);
  n.kind = (gp_input_kind)(word[0] & 255);
  n.array = (int)(word[0] >> 8 & 255) - 1;
  n.value = (int)(word[0] >> 16 & 255) - 1;
  for (k = 0; k < 4; ++k) n.part[k] = (int)(word[0] >> (24 + 8 * k) & 255) - 1;
  n.type = (gp_type)(uint32_t)word[1];
  n.op = (gp_op)(uint32_t)(word[1] >> 32);
  n.info = (const gp__type_info *)(uintptr_t)word[2];
  n.user_op = (const gp__op_info *)(uintptr_t)word[3];
  return n;
}
// How many nodes a spelling has: their words are its whole list.
GP__HOST int gp__spelled_inputs(const gp__spelling *w) {
  return w->described || w->described2 ? (int)(w->list_count / GP__INPUT_WORDS) : 0;
}

// The blocks of the kernel that a multiprocessor is to hold, if they have at most `most` threads; otherwise 0: the
// compiler is told nothing. The number is a promise only if it leaves a thread 64 registers (1024 threads). The
// families say which of their kernels need fewer, or more.
GP__HOST unsigned gp__promise(const gp__request *q, const gp__spelling *w, unsigned blocks, unsigned most) {
  return blocks * w->block_threads <= most && q->acc_size <= 16 ? blocks : 0;
}
// Most kernels that are not maps promise the resident blocks that the policy asks for.
GP__HOST unsigned gp__resident_blocks(const gp__request *q, const gp_policy *p, gp__form h, const gp__spelling *w) {
  (void)h;
  return gp__promise(q, w, (unsigned)p->blocks_per_sm, 1024);
}
static const gp__kernel_rules gp__kernels_of_policy = {
    GP__SAME_KERNELS, gp__resident_blocks, GP__SPELL_NO_MORE, GP__NO_FIT};

// Threads of a block of one kernel of a call.
GP__HOST unsigned gp__threads_of_kind(const gp_policy *p, gp__form h, gp__kernel_kind kind) {
  const gp__kernel_rules *own = gp__kernel_rules_of(h->primitive);
  const unsigned threads = own && own->threads ? own->threads(p, h, kind) : 0;
  return threads ? threads : gp__threads_by(gp__rules_of(h->primitive), p);
}

// h: the call's shape on its device. p: the policy of this kernel (gp__policy_of_kind). capability: 0 for the device.
GP__HOST void gp__spell(
    const gp__request *q, const gp_policy *p, gp__form h, gp__kernel_kind kind, int capability, gp__spelling *w) {
  const gp__kernel_rules *own = gp__methods_of(q)->kernels;
  const int traits = gp__traits_of_kind(kind);
  int i;
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
  if (traits & GP__OF_BYTES) {
    w->size = q->moves.size ? q->moves.size : q->in_layout.field_count ? 1 : (int)q->in_size;
    w->word = q->moves.word;
    if (own && own->form) w->form = own->form(*p, h);
    if (own) w->resident = own->resident(q, p, h, w);
    return;
  }
  w->primitive = q->primitive;
  w->op = q->op, w->transform = q->transform, w->equal = q->equal, w->stored = q->stored;
  w->user_op = q->user_op, w->user_transform = q->user_transform, w->user_equal = q->user_equal;
  w->user_stored = q->user_stored;
#define GP__SPELL(of) w->of##_type = q->of##_type, w->of##_struct = q->of##_struct, w->of##_size = (int)q->of##_size;
  GP__SPELL(in)
  GP__SPELL(in2)
  GP__SPELL(acc)
  GP__SPELL(out)
  GP__SPELL(key)
#undef GP__SPELL
  w->offset_type = q->offset_type, w->offset_size = (int)q->offset_size;
  w->out2_type = q->out2_type, w->out2_size = (int)q->out2_size;
  w->is_arg = q->is_arg;
  w->ranged = q->end != NULL;
  w->right = (q->flags & GP_RIGHT) != 0;
  w->descending = !(traits & GP__TOLD_DIRECTION) && (q->flags & GP_DESCENDING);
  w->numbers = q->numbers;
  w->clustered = p->cluster > 1;
  for (i = 0; i < q->field_count; ++i)
    w->list[i] = (uint64_t)q->fields[i].offset | (uint64_t)q->fields[i].type << 16 |
        (uint64_t)(q->fields[i].descending != 0) << 32;
  w->list_count = (uint64_t)q->field_count;
  if (q->fused) gp__spell_inputs(&q->inputs, w);
  if (own && own->spell) own->spell(q, p, h, w);
  if (own) w->resident = own->resident(q, p, h, w);
}
