// layouts/host.c - layouts
// uses: api/config.h, api/lists.h, api/structs.h, api/array.h, core/words.h, core/rules.h, core/shape.h,
//   top_k/policy.h, layouts/policy.h, layouts/arguments.h, core/request.c, host/config.c, host/types.c, host/user.c,
//   host/call.c

// Bytes of an array of `count` structs, with spare capacity; UINT64_MAX on overflow.
GP__HOST uint64_t gp__layout_bytes(const gp_layout *l, uint64_t count) {
  const uint64_t width = l->width ? l->width : l->capacity > count ? l->capacity : count;
  const uint64_t blocks = width ? gp__ceil_div(count, width) : 0;
  if (width > UINT64_MAX / l->size || blocks > UINT64_MAX / (width * l->size + !width)) return UINT64_MAX;
  return blocks * width * l->size;
}
// True if a layout's order is one.
GP__HOST int gp__is_order(uint64_t layout) {
  unsigned place, axes = 0;
  for (place = 0; place < 4; ++place) axes |= 1u << gp__axis(layout, place);
  return axes == 15 && (!(layout & GP_TRANSPOSED) || (layout & GP__AXES) == GP_TRANSPOSED);
}
// Address of a field's first value, in a buffer or in columns.
GP__HOST gp__u8 *gp__layout_column(const gp_layout *l, const void *buffer, uint64_t count, int f, size_t offset) {
  if (l->columns) return (gp__u8 *)l->columns[f];
  return (gp__u8 *)(uintptr_t)buffer + offset * (l->width ? l->width : l->capacity ? l->capacity : count);
}

// Moved fields: size, offsets in the source and in the destination; then gaps of the destination, with source offset
// -1.
typedef struct gp__layout_entry {
  int size, in, out;
} gp__layout_entry;
GP__HOST int gp__layout_entries(const gp__request *q, gp__layout_entry entry[GP__LAYOUT_ENTRIES]) {
  const gp_layout *from = &q->in_layout, *to = &q->out_layout;
  gp__u8 taken[GP__LAYOUT_STRUCT_BYTES + 1] = {0};
  int count, b, begin;
  for (count = 0; count < from->field_count; ++count) {
    entry[count].size = (int)from->fields[count].size;
    entry[count].in = (int)from->fields[count].offset;
    entry[count].out = (int)to->fields[count].offset;
    memset(taken + entry[count].out, 1, (size_t)entry[count].size);
  }
  taken[to->size] = 1;
  for (b = begin = 0; b <= (int)to->size && to->width != GP_SOA && !(q->flags & GP_KEEP_GAPS); ++b) {
    if (!taken[b]) continue;
    if (b > begin) entry[count].size = b - begin, entry[count].in = -1, entry[count++].out = begin;
    begin = b + 1;
  }
  return count;
}
// in: the input, or a copy of it.
GP__HOST void gp__layout_arguments(const gp__request *q, const void *in, gp__layout_args *a) {
  const gp_layout *from = &q->in_layout, *to = &q->out_layout;
  gp__layout_entry entry[GP__LAYOUT_ENTRIES];
  const int count = gp__layout_entries(q, entry);
  uint64_t in_bits = (uintptr_t)in, out_bits = (uintptr_t)q->out, bits;
  int i;
  memset(a, 0, sizeof *a);
  a->in = (const gp__u8 *)in;
  a->out = (gp__u8 *)q->out;
  a->count = q->count;
  a->in_width = from->width;
  a->out_width = to->width;
  for (i = 0; i < count; ++i) {
    if (entry[i].in >= 0) a->in_column[i] = gp__layout_column(from, in, q->count, i, (size_t)entry[i].in);
    a->out_column[i] = gp__layout_column(to, q->out, q->count, i, (size_t)entry[i].out);
    bits = (uintptr_t)a->out_column[i] | (uintptr_t)a->in_column[i] | from->width * from->size | to->width * to->size;
    a->odd |= bits % gp__common_factor(GP__VECTOR, (unsigned)entry[i].size) != 0;
    if (entry[i].in < 0) continue;
    if (from->width != GP_AOS) in_bits |= (uintptr_t)a->in_column[i];
    if (to->width != GP_AOS) out_bits |= (uintptr_t)a->out_column[i];
  }
  a->in_aligned = in_bits % GP__VECTOR == 0;
  a->out_aligned = out_bits % GP__VECTOR == 0;
}
// Bytes from the first value of a field to the i-th.
GP__HOST uint64_t gp__host_value_offset(uint64_t width, size_t struct_size, size_t size, uint64_t i) {
  return width == 0 ? i * size : i / width * width * struct_size + i % width * size;
}

// Converts value by value; writes zeros to gaps. In place it reads a copy.
static gp_result gp__host_layouts(gp__host_call *h) {
  const gp__request *q = h->q;
  const gp__moves *m = &q->moves;
  gp__layout_args a;
  gp__layout_entry entry[GP__LAYOUT_ENTRIES];
  const int entries = gp__layout_entries(q, entry), threads = h->threads;
  const int64_t blocks = (int64_t)gp__ceil_div(q->count, GP__HOST_BLOCK);
  void *copy = NULL;
  int64_t b;
  (void)threads;
  if (q->in == q->out && q->in) {
    const uint64_t bytes = gp__layout_bytes(&q->in_layout, q->count);
    copy = malloc(bytes);
    if (!copy) return gp__host_no_memory(h->q, bytes);
    memcpy(copy, q->in, bytes);
  }
  gp__layout_arguments(q, copy ? copy : q->in, &a);
  GP__PARALLEL_FOR
  for (b = 0; b < blocks; ++b) {
    const uint64_t first = (uint64_t)b * GP__HOST_BLOCK;
    const uint64_t end = gp__host_block_end(first, q->count);
    int f;
    for (f = 0; f < entries; ++f) {
      const size_t size = (size_t)entry[f].size;
      uint64_t i;
      for (i = first; i < end; ++i) {
        uint64_t j = m->kind ? 0 : i;
        int d;
        for (d = 0; m->kind && d < 4; ++d) j += i / m->in_stride[d] % m->extent[d] * m->out_stride[d];
        gp__u8 *to = a.out_column[f] + gp__host_value_offset(a.out_width, q->out_size, size, j);
        if (entry[f].in < 0) memset(to, 0, size);
        else memcpy(to, a.in_column[f] + gp__host_value_offset(a.in_width, q->in_size, size, i), size);
      }
    }
  }
  free(copy);
  return GP_SUCCESS;
}
