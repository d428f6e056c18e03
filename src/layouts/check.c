// layouts/check.c - checking a call: layouts
// uses: api/config.h, api/lists.h, api/structs.h, api/array.h, api/call.h, core/words.h, core/rules.h,
//   transpose/policy.h, layouts/policy.h, core/system.c, core/messages.c, core/struct_size.c, core/request.c,
//   layouts/host.c, core/check_types.c, core/checking.c, core/check_buffers.c, transpose/check.c

// Checks a layout and keeps it in *kept; its buffer or columns become extents. name: "in_layout (from)"; of: "in".
GP__HOST gp_result gp__check_layout(const gp__checking *k, const char *name, const char *of, const gp_layout *l,
    gp_layout *kept, const void *buffer, gp__extent *span, int *spans) {
  const char *who = k->who;
  const uint64_t count = k->c->count;
  uint64_t bytes;
  int i, j;
  if (!l) return gp__fail(GP_E_NULL, "%s: @%s is null", who, name);
  GP__TAKE_STRUCT(who, name, l, *kept, gp_layout);
  *kept = *l;
  if (l->field_count < 1 || l->field_count > GP__LAYOUT_FIELDS)
    return gp__fail(
        GP_E_ARGUMENT, "%s: @%s: field_count is %d, not 1 to %d", who, name, l->field_count, (int)GP__LAYOUT_FIELDS);
  if (!l->fields) return gp__fail(GP_E_NULL, "%s: @%s: fields is null", who, name);
  if (l->size < 1 || l->size > GP__LAYOUT_STRUCT_BYTES)
    return gp__fail(GP_E_ARGUMENT, "%s: @%s: size is %lu, not 1 to %d", who, name, (unsigned long)l->size,
        (int)GP__LAYOUT_STRUCT_BYTES);
  for (i = 0; i < l->field_count; ++i) {
    const gp_field *f = &l->fields[i];
    if (f->size < 1 || f->size > l->size || f->offset > l->size - f->size)
      return gp__fail(GP_E_ARGUMENT,
          "%s: @%s: fields: field %d (%lu bytes at offset %lu) is not inside the struct of %lu bytes", who, name, i,
          (unsigned long)f->size, (unsigned long)f->offset, (unsigned long)l->size);
    for (j = 0; j < i; ++j)
      if (f->offset < l->fields[j].offset + l->fields[j].size && l->fields[j].offset < f->offset + f->size)
        return gp__fail(GP_E_ARGUMENT, "%s: @%s: fields: fields %d and %d overlap", who, name, j, i);
  }
  if (l->width != GP_SOA && (l->capacity || l->columns))
    return gp__fail(GP_E_ARGUMENT, "%s: @%s: %s is for GP_SOA only, but width is %llu", who, name,
        l->capacity ? "capacity" : "columns", (gp__u64)l->width);
  if (l->columns && l->capacity)
    return gp__fail(GP_E_ARGUMENT, "%s: @%s: capacity and columns are both set; capacity is for one buffer", who, name);
  if (l->capacity && l->capacity < count)
    return gp__fail(GP_E_ARGUMENT, "%s: @%s: capacity is %llu, below @count (%llu)", who, name, (gp__u64)l->capacity,
        (gp__u64)count);
  if (l->order & ~GP__AXES || !gp__is_order(l->order))
    return gp__fail(GP_E_ARGUMENT, "%s: @%s: order is not 0, GP_TRANSPOSED or GP_AXES of each axis once", who, name);
  bytes = gp__layout_bytes(l, count);
  if (bytes == UINT64_MAX || bytes > UINT64_MAX - (uintptr_t)buffer)
    return gp__fail(GP_E_SIZE, "%s: @count and @%s: %llu structs of %lu bytes overflow", who, name, (gp__u64)count,
        (unsigned long)l->size);
  *spans = 0;
  if (l->columns) {
    if (buffer) return gp__fail(GP_E_ARGUMENT, "%s: @%s is not null, but @%s has columns", who, of, name);
    for (i = 0; i < l->field_count; ++i) {
      if (!l->columns[i] && count && k->pointers)
        return gp__fail(GP_E_NULL, "%s: @%s: columns[%d] is null", who, name, i);
      if (count * l->fields[i].size > UINT64_MAX - (uintptr_t)l->columns[i])
        return gp__fail(GP_E_SIZE, "%s: @%s: columns[%d] extends past the end of the address space", who, name, i);
      const gp__extent column = {of, l->columns[i], count * l->fields[i].size, 0};
      span[(*spans)++] = column;
    }
    return GP_SUCCESS;
  }
  if (!buffer && count && k->pointers) return gp__fail(GP_E_NULL, "%s: @%s is null", who, of);
  const gp__extent all = {of, buffer, bytes, 1};
  *span = all;
  *spans = 1;
  return GP_SUCCESS;
}

// Compares the orders of both layouts; q->moves becomes how structs move, if they differ.
GP__HOST gp_result gp__check_orders(const gp__checking *k) {
  const gp_layout *from = &k->q->in_layout, *to = &k->q->out_layout;
  gp__moves *m = &k->q->moves;
  gp__dimension d[4];
  uint64_t in[4], in_step = 1, out_step = 1;
  int i, near = 1, kept;
  if (from->order == to->order || !k->c->count) return GP_SUCCESS;
  for (i = 3; i >= 0; --i) {
    const unsigned axis = gp__axis(from->order, (unsigned)i);
    in[axis] = in_step;
    if (from->extent[axis] != to->extent[axis] || !to->extent[axis] || in_step > k->c->count / to->extent[axis]) break;
    in_step *= from->extent[axis];
  }
  if (i >= 0 || in_step != k->c->count)
    return gp__fail(GP_E_ARGUMENT,
        "%s: extent: where the orders of axes differ, @in_layout (from) and @out_layout (to) need the same extents, "
        "whose product is @count (%llu)",
        k->who, (gp__u64)k->c->count);
  for (i = 3; i >= 0; --i) {
    const unsigned axis = gp__axis(to->order, (unsigned)i);
    d[i].extent = to->extent[axis], d[i].in = in[axis], d[i].out = out_step;
    out_step *= to->extent[axis];
  }
  kept = gp__merge_dimensions(d, 4);
  if (kept < 2) return GP_SUCCESS;
  for (i = kept; i < 4; ++i) d[i].extent = 1, d[i].in = d[i].out = UINT64_MAX;
  for (i = 0; d[i].in != 1; ++i) continue;
  gp__swap_dimensions(&d[0], &d[i]);
  for (i = 2; i < 4; ++i)
    if (d[i].out < d[near].out) near = i;
  gp__swap_dimensions(&d[1], &d[near]);
  m->kind = d[0].out == 1 ? GP__MOVE_ROWS : GP__MOVE_TILES;
  for (i = 0; i < 4; ++i) m->extent[i] = d[i].extent, m->in_stride[i] = d[i].in, m->out_stride[i] = d[i].out;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__check_layouts(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
  const gp_layout *from = &q->in_layout, *to = &q->out_layout;
  const gp__extent own = {"workspace", c->workspace, c->workspace_bytes, 0};
  gp__extent read[GP__LAYOUT_FIELDS], written[GP__LAYOUT_FIELDS];
  int reads, writes, i;
  GP__CHECK(gp__check_layout(k, "in_layout (from)", "in", c->in_layout, &q->in_layout, c->in, read, &reads));
  GP__CHECK(gp__check_layout(k, "out_layout (to)", "out", c->out_layout, &q->out_layout, c->out, written, &writes));
  if (from->field_count != to->field_count)
    return gp__fail(GP_E_ARGUMENT, "%s: @out_layout (to): field_count is %d, but that of @in_layout (from) is %d",
        k->who, to->field_count, from->field_count);
  for (i = 0; i < from->field_count; ++i)
    if (from->fields[i].size != to->fields[i].size)
      return gp__fail(GP_E_ARGUMENT,
          "%s: @out_layout (to): fields: field %d has %lu bytes, but that of @in_layout (from) has %lu", k->who, i,
          (unsigned long)to->fields[i].size, (unsigned long)from->fields[i].size);
  GP__CHECK(gp__check_orders(k));
  GP__CHECK(gp__check_apart(k->who, read, reads, written, writes));
  GP__CHECK(gp__check_apart(k->who, read, reads, &own, 1));
  GP__CHECK(gp__check_apart(k->who, written, writes, &own, 1));
  q->in_size = from->size;
  q->out_size = to->size;
  q->count = q->stride = c->count;
  q->channels = q->active = 1;
  return GP_SUCCESS;
}
