// core/check_buffers.c - checking a call: its buffers
// uses: api/config.h, api/lists.h, api/structs.h, api/input.h, api/call.h, core/words.h, core/rules.h, core/system.c,
//   core/messages.c, core/request.c, core/primitive.c, core/check_types.c, core/reads.c, core/places.c,
//   core/checking.c, core/check_memory.c

GP__HOST gp_result gp__check_pointer(const gp__checking *k, const char *field, const void *pointer, size_t align,
    uint64_t count, size_t size, int needed) {
  const uint64_t address = (uint64_t)(uintptr_t)pointer;
  const char *number = count == k->c->count ? " and count" : ""; // others come of several members
  if (size && count > UINT64_MAX / size)
    return gp__fail(GP_E_SIZE, "%s: @%s%s: %llu elements of %lu bytes overflow", k->who, field, number, (gp__u64)count,
        (unsigned long)size);
  if (!pointer) return needed && count ? gp__fail(GP_E_NULL, "%s: @%s is null", k->who, field) : GP_SUCCESS;
  if (address % align)
    return gp__fail(GP_E_ALIGNMENT, "%s: @%s (%p) is not aligned to %lu bytes, as its type requires", k->who, field,
        pointer, (unsigned long)align);
  if (count * size > UINT64_MAX - address)
    return gp__fail(GP_E_SIZE, "%s: @%s%s: %llu elements of %lu bytes extend past the end of the address space", k->who,
        field, number, (gp__u64)count, (unsigned long)size);
  return GP_SUCCESS;
}

// Whether the back end is known to reach `count` elements.
GP__HOST int gp__is_reached(const gp__checking *k, const void *pointer, uint64_t count) {
  return !pointer || !count || (!k->host && k->s->pageable) || gp__place_is_known(k->s, pointer, 0);
}
GP__HOST gp_result gp__check_buffer(const gp__checking *k, const char *name, const void *pointer, size_t align,
    uint64_t count, size_t size, int wanted) {
  GP__CHECK(gp__check_pointer(k, name, pointer, align, count, size, wanted && k->pointers));
  if (k->pointers == GP__POINTERS_REACHED) return pointer && count ? gp__check_memory(k, name, pointer) : GP_SUCCESS;
  return k->pointers < GP__POINTERS_REACHED || gp__is_reached(k, pointer, count) ? GP_SUCCESS : (gp_result)GP__UNKNOWN;
}

// Notes and checks a buffer that is read, and one that is written; wanted: it must be given if it has elements.
GP__HOST gp_result gp__reading(gp__checking *k, const char *name, const void *pointer, const gp__checked_type *t,
    uint64_t count, int wanted, int alias) {
  const gp__extent span = {name, pointer, count * t->size, alias};
  k->read[k->read_count++] = span;
  return gp__check_buffer(k, name, pointer, t->align, count, t->size, wanted);
}
GP__HOST gp_result gp__writing(gp__checking *k, const char *name, const void *pointer, size_t align, size_t size,
    uint64_t count, int wanted, int alias) {
  const gp__extent span = {name, pointer, count * size, alias};
  k->written[k->written_count++] = span;
  return gp__check_buffer(k, name, pointer, align, count, size, wanted);
}
// Outputs overlap no input and no other output.
GP__HOST gp_result gp__check_apart(
    const char *who, const gp__extent *read, int reads, const gp__extent *written, int writes) {
  int i, j;
  for (i = 0; i < writes; ++i) {
    for (j = 0; j < reads; ++j) GP__CHECK(gp__check_overlap(who, &read[j], &written[i]));
    for (j = 0; j < i; ++j) GP__CHECK(gp__check_overlap(who, &written[j], &written[i]));
  }
  return GP_SUCCESS;
}
// The caller's workspace overlaps no buffer that was noted.
GP__HOST gp_result gp__check_workspace(gp__checking *k) {
  const gp__extent *own = &k->written[k->written_count];
  if (!k->c->workspace && !k->c->workspace_bytes) return GP_SUCCESS;
  if ((uintptr_t)k->c->workspace % 256)
    return gp__fail(GP_E_ALIGNMENT, "%s: @workspace (%p) is not aligned to 256 bytes", k->who, k->c->workspace);
  GP__CHECK(gp__writing(k, "workspace", k->c->workspace, 1, 1, k->c->workspace_bytes, 1, 0));
  GP__CHECK(gp__check_apart(k->who, k->read, k->read_count, own, 1));
  return gp__check_apart(k->who, k->written, k->written_count - 1, own, 1);
}

enum { GP__ALIAS_OF_OUT = 1, GP__ALIAS_OF_OUT_KEYS };
// The buffers of a call: numbers of elements, names, and whether they are needed.
typedef struct gp__buffers {
  uint64_t in, in2, keys, begin, out, out_keys, out2, counts; // counts: in out_count
  const char *in_name, *in2_name, *begin_name;
  const gp__checked_type *begin_type; // of no size: it is not read
  int in_alias, in2_alias, keys_alias; // what an input may be
  int in2_values; // those of the second input are wanted
  int begin_wanted, out_keys_wanted, out2_wanted;
} gp__buffers;

// The arrays of a described input of `count` elements. Behind GATHERED, only the caller knows how many an array has.
GP__HOST gp_result gp__check_input_arrays(gp__checking *k, int node, uint64_t count, int gathered) {
  static const char *const names[GP_INPUT_ARRAYS] = {"data of described array 1", "data of described array 2",
      "data of described array 3", "data of described array 4", "data of described array 5",
      "data of described array 6"};
  const gp__input_node *n = &k->q->inputs.node[node];
  const gp__checked_type type = {n->size, n->align, n->info};
  const gp_input *from = n->from;
  const gp__u8 *lowest = (const gp__u8 *)from->data;
  uint64_t span = !count ? 0 : !gathered ? count : from->count ? from->count : 1; // of addresses, in elements
  int i;
  if (n->array < 0) {
    for (i = 0; i < 4; ++i)
      if (n->part[i] >= 0)
        GP__CHECK(gp__check_input_arrays(k, n->part[i], count, gathered || (n->kind == GP_INPUT_GATHERED && i == 0)));
    return GP_SUCCESS;
  }
  if (n->kind == GP_INPUT_STRIDED && span) {
    const uint64_t stride = from->stride < 0 ? 0 - (uint64_t)from->stride : (uint64_t)from->stride;
    if (stride && span - 1 > (UINT64_MAX / n->size - 1) / stride)
      return gp__fail(GP_E_SIZE, "%s: @%s: %llu elements at a stride of %lld overflow", k->who, names[n->array],
          (gp__u64)span, (long long)from->stride);
    span = (span - 1) * stride + 1;
    if (lowest && from->stride < 0) lowest -= (span - 1) * n->size;
  }
  return gp__reading(k, names[n->array], lowest, &type, span, 1, 0);
}

GP__HOST gp_result gp__check_inputs(gp__checking *k, const gp__buffers *b) {
  static const gp__checked_type number = {8, 8, NULL};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  gp__checked_type acc;
  const uint64_t elements[] = {b->in, b->in2, b->keys, c->count2};
  memcpy(q->inputs.elements, elements, sizeof elements);
  if (q->inputs.in) GP__CHECK(gp__check_input_arrays(k, q->inputs.in - 1, b->in, 0));
  else if (k->in.size) GP__CHECK(gp__reading(k, b->in_name, c->in, &k->in, b->in, 1, b->in_alias));
  if (q->inputs.in2) GP__CHECK(gp__check_input_arrays(k, q->inputs.in2 - 1, b->in2, 0));
  else if (k->in2.size) GP__CHECK(gp__reading(k, b->in2_name, c->in2, &k->in2, b->in2, 1, b->in2_alias));
  if (q->inputs.keys) GP__CHECK(gp__check_input_arrays(k, q->inputs.keys - 1, b->keys, 0));
  else if (k->key.size)
    GP__CHECK(gp__reading(k,
        k->by_flags ? "keys (flags)"
            : k->by_stencil ? "keys (the stencil)"
            : "keys",
        c->keys, &k->key, b->keys, 1, b->keys_alias));
  if (k->reads & GP__READS_KEYS2) {
    if (q->inputs.keys2) GP__CHECK(gp__check_input_arrays(k, q->inputs.keys2 - 1, c->count2, 0));
    else GP__CHECK(gp__reading(k, "keys2", c->keys2, &k->key, c->count2, 1, 0));
    if (!q->inputs.in2 && q->in_size && (c->in2 || b->in2_values))
      GP__CHECK(gp__reading(k, "in2", c->in2, &k->in, c->count2, 1, 0));
  }
  if (b->begin_type->size)
    GP__CHECK(gp__reading(k, b->begin_name, c->begin, b->begin_type, b->begin, b->begin_wanted, 0));
  if (c->end) GP__CHECK(gp__reading(k, "end", c->end, &k->offset, c->segments, 1, 0));
  if (c->count_device) {
    if ((uintptr_t)c->count_device % 8)
      return gp__fail(
          GP_E_ALIGNMENT, "%s: @count_device (%p) is not aligned to 8 bytes", k->who, (const void *)c->count_device);
    GP__CHECK(gp__reading(k, "count_device", c->count_device, &number, 1, 0, 0));
  }
  if (c->init_device) {
    GP__CHECK(gp__check_type(k->s, k->who, "acc_type", q->acc_type, &acc));
    GP__CHECK(gp__reading(k, "init_device", c->init_device, &acc, 1, 0, 0));
  }
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_outputs(gp__checking *k, const gp__buffers *b) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  if ((k->reads & GP__READS_OUT) && q->out_size)
    GP__CHECK(gp__writing(k, "out", c->out, k->out.align, q->out_size, b->out, 1, GP__ALIAS_OF_OUT));
  if (k->reads & GP__READS_OUT_KEYS)
    GP__CHECK(gp__writing(
        k, "out_keys", c->out_keys, k->key.align, k->key.size, b->out_keys, b->out_keys_wanted, GP__ALIAS_OF_OUT_KEYS));
  if (q->out2_size)
    GP__CHECK(gp__writing(k, k->reads & GP__READS_K ? "out2 (indices)" : "out2 (lengths)", c->out2, k->out2.align,
        q->out2_size, b->out2, b->out2_wanted, 0));
  if (k->own[GP__CHECK_OUTPUTS]) GP__CHECK(k->own[GP__CHECK_OUTPUTS](k));
  if (k->reads & GP__READS_OUT_COUNT) GP__CHECK(gp__writing(k, "out_count", c->out_count, 8, 8, b->counts, 1, 0));
  if ((k->traits & GP__TAKES_BAD) || (c->flags & GP_CHECKED)) GP__CHECK(gp__writing(k, "bad", c->bad, 8, 8, 1, 1, 0));
  return gp__check_apart(k->who, k->read, k->read_count, k->written, k->written_count);
}
GP__HOST gp_result gp__check_buffers(gp__checking *k) {
  const gp_call *c = k->c;
  gp__buffers b;
  b.in = b.in2 = b.keys = b.out = b.out_keys = b.out2 = k->q->count;
  b.begin = c->end ? c->segments : c->segments + 1;
  b.counts = 1;
  b.in_name = "in";
  b.in2_name = "in2 (weights)";
  b.begin_name = "begin";
  b.begin_type = &k->offset;
  b.in_alias = (k->traits & GP__IN_PLACE) && k->q->in_size == k->q->out_size ? GP__ALIAS_OF_OUT : 0;
  b.keys_alias = k->traits & GP__KEYS_IN_PLACE ? GP__ALIAS_OF_OUT_KEYS : 0;
  b.in2_alias = b.in2_values = b.out2_wanted = 0;
  b.begin_wanted = (c->flags & GP_CHECKED) || c->count > 0;
  b.out_keys_wanted = (k->traits & GP__WANTS_KEYS) != 0;
  k->buffers = &b;
  if (k->own[GP__CHECK_BUFFERS]) GP__CHECK(k->own[GP__CHECK_BUFFERS](k));
  GP__CHECK(gp__check_inputs(k, &b));
  return gp__check_outputs(k, &b);
}
