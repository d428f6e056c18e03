// core/check_buffers.c - checking a call: its buffers
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/system.c, core/messages.c, core/driver.c,
//   core/libraries.c, core/request.c, core/kinds.c, core/state.c, core/check_types.c, core/reads.c, core/checking.c,
//   core/check_numbers.c

GPUPRIMS__PRIVATE gp_result gp__check_pointer(const gp__checking *k, const char *field, const void *pointer,
                                              size_t align, uint64_t count, size_t size, int needed) {
  const uint64_t address = (uint64_t)(uintptr_t)pointer;
  const char *number = count == k->c->count ? " and count" : ""; // others come of several members
  if (size && count > UINT64_MAX / size)
    return gp__fail(GP_E_SIZE, "%s: @%s%s: %llu elements of %lu bytes overflow", k->who, field, number,
                    (unsigned long long)count, (unsigned long)size);
  if (!pointer) return needed && count ? gp__fail(GP_E_NULL, "%s: @%s is null", k->who, field) : GP_SUCCESS;
  if (address % align)
    return gp__fail(GP_E_ALIGNMENT, "%s: @%s (%p) is not aligned to the %lu bytes that its type asks for", k->who,
                    field, pointer, (unsigned long)align);
  if (count * size > UINT64_MAX - address)
    return gp__fail(GP_E_SIZE, "%s: @%s%s: %llu elements of %lu bytes reach past the end of memory", k->who, field,
                    number, (unsigned long long)count, (unsigned long)size);
  return GP_SUCCESS;
}

// Asks the driver where a pointer leads. type: a CUmemorytype; 0: memory that no driver knows, which is the host's. The
// host back end can ask only where something else in the process has loaded the driver; otherwise an error.
GPUPRIMS__PRIVATE int gp__place_of(const gp__checking *k, const void *pointer, int *type, int *managed) {
  int (*ask)(unsigned count, int *attributes, void *const *answers, gp__cu_pointer pointer) =
      k->s->library.runtime.driver.cuPointerGetAttributes;
  int attributes[] = {GP__CU_POINTER_MEMORY_TYPE, GP__CU_POINTER_IS_MANAGED};
  void *const answers[] = {type, managed};
  void *library = NULL;
  int error;
  *type = *managed = 0;
  if (!ask && k->host) {
    library = dlopen(GPUPRIMS__CUDA_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (library) gp__symbol(library, "cuPointerGetAttributes", (void *)&ask);
  }
  error = ask ? ask(2, attributes, answers, (gp__cu_pointer)(uintptr_t)pointer) : -1;
  if (library) dlclose(library);
  return error;
}
// Does the back end reach the buffer?
GPUPRIMS__PRIVATE gp_result gp__check_place(const gp__checking *k, const char *name, const void *pointer) {
  const gp__state *s = k->s;
  int type, managed;
  const int error = gp__place_of(k, pointer, &type, &managed);
  if (!k->host && error) return gp__cuda_fail(&s->library.runtime, k->who, "cuPointerGetAttributes", error);
  if (k->host && !error && type == GP__CU_MEMORY_DEVICE && !managed)
    return gp__fail(GP_E_ARGUMENT, "%s: @%s (%p) is memory of a device, which the host back end cannot reach", k->who,
                    name, pointer);
  if (!k->host && !type && !s->pageable)
    return gp__fail(GP_E_ARGUMENT,
                    "%s: @%s (%p) is memory of the host, neither managed nor registered, which device %d cannot reach",
                    k->who, name, pointer, s->about.device);
  return GP_SUCCESS;
}
// Can the host read the value?
GPUPRIMS__PRIVATE gp_result gp__check_value_place(const gp__checking *k, const char *name, const void *value) {
  int type, managed;
  if (k->pointers != GP__POINTERS_PLACED || !value) return GP_SUCCESS;
  return !gp__place_of(k, value, &type, &managed) && type == GP__CU_MEMORY_DEVICE && !managed
             ? gp__fail(GP_E_ARGUMENT, "%s: @%s (%p) is memory of a device; the value is read by the host", k->who,
                        name, value)
             : GP_SUCCESS;
}
GPUPRIMS__PRIVATE gp_result gp__check_buffer(const gp__checking *k, const char *name, const void *pointer, size_t align,
                                             uint64_t count, size_t size, int wanted) {
  GPUPRIMS__CHECK(gp__check_pointer(k, name, pointer, align, count, size, wanted && k->pointers));
  return k->pointers == GP__POINTERS_PLACED && pointer && count ? gp__check_place(k, name, pointer) : GP_SUCCESS;
}

// A buffer that is read, and one that is written; wanted: it must be there where it has elements.
GPUPRIMS__PRIVATE gp_result gp__reading(gp__checking *k, const char *name, const void *pointer,
                                        const gp__checked_type *t, uint64_t count, int wanted, int place) {
  gp__extent *span = &k->read[k->read_count++];
  span->name = name;
  span->pointer = pointer;
  span->bytes = count * t->size;
  span->place = place;
  return gp__check_buffer(k, name, pointer, t->align, count, t->size, wanted);
}
GPUPRIMS__PRIVATE gp_result gp__writing(gp__checking *k, const char *name, const void *pointer, size_t align,
                                        size_t size, uint64_t count, int wanted, int place) {
  gp__extent *span = &k->written[k->written_count++];
  span->name = name;
  span->pointer = pointer;
  span->bytes = count * size;
  span->place = place;
  return gp__check_buffer(k, name, pointer, align, count, size, wanted);
}

enum { GP__PLACE_OF_OUT = 1, GP__PLACE_OF_OUT_KEYS };
GPUPRIMS__PRIVATE gp_result gp__check_inputs(gp__checking *k) {
  static const gp__checked_type number = {8, 8, NULL};
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const gp_primitive p = c->primitive;
  const int two = p == GP_TRANSFORM2, histogram = gp__is_histogram(p);
  const int in_place = p == GP_COPY || p == GP_TRANSFORM || p == GP_TRANSPOSE || p == GP_SORT ||
                       p == GP_SEGMENTED_SORT || p == GP_MERGE_SORT || two || p == GP_SELECT || p == GP_UNIQUE ||
                       (k->fold && p != GP_REDUCE && p != GP_SEGMENTED_REDUCE && p != GP_REDUCE_BY_KEY);
  const int offsets_matter = histogram || p == GP_CHECK_OFFSETS || (c->flags & GP_CHECKED) ||
                             (p == GP_SEGMENTED_REDUCE ? c->segments > 0 : c->count > 0);
  const gp__checked_type *begin = histogram ? &k->in : &k->offset;
  const uint64_t begins = histogram ? (c->bins + 1) * (unsigned)q->active : c->end ? c->segments : c->segments + 1;
  if (histogram && c->begin && c->bins + 1 > UINT64_MAX / (unsigned)q->active)
    return gp__fail(GP_E_SIZE, "%s: @bins: the boundaries of %d channels overflow", k->who, q->active);
  if (k->in.size)
    GPUPRIMS__CHECK(
        gp__reading(k, two ? "in (a)" : "in", c->in, &k->in,
                    p == GP_TRANSPOSE ? q->moves.in_span : q->count * (unsigned)q->channels * gp__rows_in(c), 1,
                    in_place && q->in_size == q->out_size ? GP__PLACE_OF_OUT : 0));
  if (k->in2.size)
    GPUPRIMS__CHECK(gp__reading(k, two ? "in2 (b)" : "in2 (weights)", c->in2, &k->in2, q->count, 1,
                                two && q->in2_size == q->out_size ? GP__PLACE_OF_OUT : 0));
  if (k->key.size)
    GPUPRIMS__CHECK(gp__reading(
        k, k->by_flags ? "keys (flags)" : "keys", c->keys, &k->key,
        gp__is_bound(p) ? c->length : c->count * gp__rows_in(c), 1,
        p == GP_UNIQUE || p == GP_SORT || p == GP_SEGMENTED_SORT || p == GP_MERGE_SORT ? GP__PLACE_OF_OUT_KEYS : 0));
  if (k->reads & GP__READS_KEYS2) {
    GPUPRIMS__CHECK(gp__reading(k, "keys2", c->keys2, &k->key, c->count2, 1, 0));
    if (q->in_size && (c->in2 || gp__takes_second_values(p)))
      GPUPRIMS__CHECK(gp__reading(k, "in2", c->in2, &k->in, c->count2, 1, 0));
  }
  if (k->offset.size || p == GP_HISTOGRAM_RANGES)
    GPUPRIMS__CHECK(
        gp__reading(k, histogram ? "begin (boundaries)" : "begin", c->begin, begin, begins, offsets_matter, 0));
  if (c->end) GPUPRIMS__CHECK(gp__reading(k, "end", c->end, &k->offset, c->segments, 1, 0));
  if (c->count_device) {
    if ((uintptr_t)c->count_device % 8)
      return gp__fail(GP_E_ALIGNMENT, "%s: @count_device (%p) is not aligned to 8 bytes", k->who,
                      (const void *)c->count_device);
    GPUPRIMS__CHECK(gp__reading(k, "count_device", c->count_device, &number, 1, 0, 0));
  }
  return GP_SUCCESS;
}

// How many counts a call leaves in out_count; 0: it has none.
GPUPRIMS__PRIVATE uint64_t gp__parts_of(const gp__request *q) {
  return q->primitive != GP_PARTITION ? 1 : q->transform ? 3 : 2;
}

GPUPRIMS__PRIVATE gp_result gp__check_outputs(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const gp_primitive p = c->primitive;
  const int partition = p == GP_PARTITION;
  const uint64_t count = q->count;
  const uint64_t outs = p == GP_REDUCE || p == GP_ANY || p == GP_ALL ? 1
                        : p == GP_SEGMENTED_REDUCE                   ? c->segments
                        : gp__is_histogram(p)                        ? c->bins * (unsigned)q->active
                        : gp__is_ordered(p)                          ? gp__most_results(q)
                        : p == GP_TOP_K                              ? gp__rows_in(c) * c->length
                        : p == GP_TRANSPOSE                          ? q->moves.out_span
                        : p == GP_NONTRIVIAL_RUNS                    ? count - count / 2
                                                                     : count;
  int i, j;
  if ((k->reads & GP__READS_OUT) && q->out_size)
    GPUPRIMS__CHECK(gp__writing(k, "out", c->out, k->out.align, q->out_size, outs, 1, GP__PLACE_OF_OUT));
  if (k->reads & GP__READS_OUT_KEYS)
    GPUPRIMS__CHECK(gp__writing(k, "out_keys", c->out_keys, k->key.align, k->key.size,
                                p == GP_NTH_ELEMENT                  ? 1
                                : gp__is_ordered(p) || p == GP_TOP_K ? outs
                                                                     : count,
                                p == GP_UNIQUE || p == GP_SEGMENTED_SORT || p == GP_NTH_ELEMENT || gp__is_ordered(p) ||
                                    (p == GP_SORT && (k->in.size || !q->in_size)),
                                GP__PLACE_OF_OUT_KEYS));
  if (q->out2_size)
    GPUPRIMS__CHECK(gp__writing(k, "out2 (lengths)", c->out2, k->out2.align, q->out2_size,
                                p == GP_NONTRIVIAL_RUNS ? outs : count, p == GP_NONTRIVIAL_RUNS, 0));
  if (partition) {
    GPUPRIMS__CHECK(gp__writing(k, "out2 (the second part)", c->out2, k->in.align, q->in_size, count, 1, 0));
    if (q->transform)
      GPUPRIMS__CHECK(gp__writing(k, "out3 (the third part)", c->out3, k->in.align, q->in_size, count, 1, 0));
    else if (c->out3)
      return gp__fail(GP_E_ARGUMENT, "%s: @out3: there is no second predicate (@transform), and two parts", k->who);
    // A part's output may be as small as the part: all that is known is where it begins.
    for (i = 0; i < k->written_count; ++i)
      if (count) k->written[i].bytes = q->in_size;
  }
  if (k->reads & GP__READS_OUT_COUNT)
    GPUPRIMS__CHECK(gp__writing(k, "out_count", c->out_count, 8, 8, gp__parts_of(q), 1, 0));
  if (p == GP_CHECK_OFFSETS || (c->flags & GP_CHECKED)) GPUPRIMS__CHECK(gp__writing(k, "bad", c->bad, 8, 8, 1, 1, 0));
  for (i = 0; i < k->written_count; ++i) {
    for (j = 0; j < k->read_count; ++j) GPUPRIMS__CHECK(gp__check_overlap(k->who, &k->read[j], &k->written[i]));
    for (j = 0; j < i; ++j) GPUPRIMS__CHECK(gp__check_overlap(k->who, &k->written[j], &k->written[i]));
  }
  return GP_SUCCESS;
}
