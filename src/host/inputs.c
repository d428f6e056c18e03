// host/inputs.c - described inputs on the host: made as arrays, before the loops
// uses: api/config.h, api/lists.h, api/input.h, core/words.h, core/rules.h, core/shape.h, core/request.c, host/types.c,
//   host/user.c, host/values.c, host/operators.c, host/call.c, map/host.c, scatter/host.c, scatter/kinds.c,
//   segments/kinds.c, sort/kinds.c, host/run.c, core/reads.c, core/check_inputs.c

enum { GP__HOST_MADE = 256 }; // elements made at a time
typedef char gp__host_iota_takes_them[(int)GP__HOST_MADE <= (int)GP__HOST_ELEMENTS ? 1 : -1];

static void gp__host_make(const gp__inputs *all, int node, uint64_t first, size_t n, gp__u8 *out, gp__u8 *const *rooms);
// a[b[i]]: the indices are made first. An array's elements are copied, others are made one by one.
static void gp__host_gather(
    const gp__inputs *all, const gp__input_node *at, uint64_t first, size_t n, gp__u8 *out, gp__u8 *const *rooms) {
  const gp__input_node *from = &all->node[at->part[0]], *index = &all->node[at->part[1]];
  const gp__u8 *data = from->kind == GP_INPUT_ARRAY ? (const gp__u8 *)all->data.array[from->array] : NULL;
  gp__wide w[GP__HOST_MADE];
  size_t i;
  gp__host_make(all, at->part[1], first, n, rooms[at->part[1]], rooms);
  gp__host_widen(index->type, rooms[at->part[1]], w, n);
  for (i = 0; i < n; ++i)
    if (data) memcpy(out + i * at->size, data + w[i].u * at->size, at->size);
    else gp__host_make(all, at->part[0], w[i].u, 1, out + i * at->size, rooms);
}
static void gp__host_apply_to_parts(
    const gp__inputs *all, const gp__input_node *at, uint64_t first, size_t n, gp__u8 *out, gp__u8 *const *rooms) {
  const gp__input_node *a = &all->node[at->part[0]], *b = at->part[1] < 0 ? NULL : &all->node[at->part[1]];
  gp__u8 *x = rooms[at->part[0]], *y = b ? rooms[at->part[1]] : NULL;
  size_t i;
  gp__host_make(all, at->part[0], first, n, x, rooms);
  if (b) gp__host_make(all, at->part[1], first, n, y, rooms);
  if (at->user_op) {
    for (i = 0; i < n; ++i)
      gp__host_apply(at->user_op, out + i * at->size, x + i * a->size, b ? y + i * b->size : NULL);
  } else if (!b) {
    const gp__host_source s =
        gp__host_source_of(x, a->type, a->size, at->type, at->size, at->op, NULL, at->type == GP_BOOL);
    const gp__u8 *made = gp__host_elements(&s, 0, n, out);
    if (made != out) memcpy(out, made, n * at->size);
  } else {
    const int normalise = gp__host_normalises(at->op, NULL, at->type);
    const gp__host_source s = gp__host_source_of(x, a->type, a->size, at->type, at->size, GP_CONVERT, NULL, normalise);
    const gp__host_source t = gp__host_source_of(y, b->type, b->size, at->type, at->size, GP_CONVERT, NULL, normalise);
    gp__host_buffer p, q;
    gp__host_op op;
    const gp__u8 *left;
    memset(&op, 0, sizeof op);
    op.size = at->size;
    gp__host_find_loops(&op, at->op, at->type);
    left = gp__host_elements(&s, 0, n, p.bytes);
    op.loops.map(&op, out, left, gp__host_elements(&t, 0, n, q.bytes), n);
  }
}
// Elements first .. first + n - 1, n up to GP__HOST_MADE. rooms: for the elements of each node.
static void gp__host_make(
    const gp__inputs *all, int node, uint64_t first, size_t n, gp__u8 *out, gp__u8 *const *rooms) {
  const gp__input_node *at = &all->node[node];
  const gp__u8 *data = at->array < 0 ? NULL : (const gp__u8 *)all->data.array[at->array];
  size_t offsets[4], i;
  int k;
  switch (at->kind) {
  case GP_INPUT_ARRAY: memcpy(out, data + first * at->size, n * at->size); break;
  case GP_INPUT_STRIDED:
    for (i = 0; i < n; ++i)
      memcpy(out + i * at->size, data + (int64_t)(first + i) * (int64_t)all->data.stride[at->array] * (int64_t)at->size,
          at->size);
    break;
  case GP_INPUT_CONSTANT:
    for (i = 0; i < n; ++i) memcpy(out + i * at->size, all->data.value[at->value].bytes, at->size);
    break;
  case GP_INPUT_RAMP:
    gp__host_iota(at->type, all->data.value[at->value].bytes, &all->data.step[at->value], first, out, n);
    break;
  case GP_INPUT_GATHERED: gp__host_gather(all, at, first, n, out, rooms); break;
  case GP_INPUT_MAPPED: gp__host_apply_to_parts(all, at, first, n, out, rooms); break;
  default:
    memset(out, 0, n * at->size); // padding
    gp__zipped_size(all, at, offsets);
    for (k = 0; k < 4 && at->part[k] >= 0; ++k) {
      const size_t size = all->node[at->part[k]].size;
      gp__host_make(all, at->part[k], first, n, rooms[at->part[k]], rooms);
      for (i = 0; i < n; ++i) memcpy(out + i * at->size + offsets[k], rooms[at->part[k]] + i * size, size);
    }
  }
}

// An array of a described input's elements, in new memory. Elements that a stencil keeps back are not made:
// what they are made of need not be there. passes: q, its stencil an array.
static gp_result gp__host_array_of(
    const gp__request *q, const gp__request *passes, int root, int input, const void **array, void **owned) {
  const gp__inputs *all = &q->inputs;
  const uint64_t count =
      gp__is_counted(q->primitive, input) && all->elements[input] == q->stride ? q->count : all->elements[input];
  const size_t size = root ? all->node[root - 1].size : 0;
  gp__u8 *rooms[GP_INPUT_PARTS], *room;
  size_t bytes = 0;
  uint64_t first;
  int i;
  if (!root) return GP_SUCCESS;
  for (i = 0; i < all->count; ++i) bytes += (all->node[i].size * GP__HOST_MADE + 63) / 64 * 64;
  if (count > SIZE_MAX / size) return gp__host_no_memory(q, UINT64_MAX);
  *owned = malloc((size_t)count * size + 1);
  room = (gp__u8 *)malloc(bytes);
  if (!*owned || !room) {
    free(room);
    return gp__host_no_memory(q, count * size);
  }
  for (i = 0, bytes = 0; i < all->count; ++i) {
    rooms[i] = room + bytes;
    bytes += (all->node[i].size * GP__HOST_MADE + 63) / 64 * 64;
  }
  for (first = 0; first < count; first += GP__HOST_MADE) {
    const size_t n = gp__smaller(count - first, GP__HOST_MADE);
    gp__u8 *out = (gp__u8 *)*owned + first * size, truth[GP__HOST_MADE];
    size_t k, end;
    if (input < 2 && (q->primitive == GP_SCATTER || q->primitive == GP_GATHER))
      gp__host_passes(passes, first, truth, n);
    else memset(truth, 1, n);
    for (k = 0; k < n; k = end + 1) {
      for (end = k; end < n && truth[end]; ++end) {}
      if (end > k) gp__host_make(all, root - 1, first + k, end - k, out + k * size, rooms);
    }
  }
  free(room);
  *array = *owned;
  return GP_SUCCESS;
}
// Runs a checked request, which may have described inputs.
GP__HOST gp_result gp__host_run_described(const gp__request *q, int threads);
// gp_call.apply of a fold: of an array of its results.
static gp_result gp__host_store(const gp__request *q, int threads) {
  const uint64_t most = q->primitive == GP_REDUCE ? 1 : q->primitive == GP_SEGMENTED_REDUCE ? q->segments : q->count;
  gp__request fold = *q, map;
  gp__u8 *room = most > SIZE_MAX / q->acc_size - 1 ? NULL : (gp__u8 *)malloc((most + 1) * q->acc_size);
  gp_result result;
  if (!room) return gp__host_no_memory(q, most * q->acc_size);
  fold.stored = GP_OP_DEFAULT;
  fold.out = room;
  fold.out_type = q->acc_type, fold.out_struct = q->acc_struct, fold.out_size = q->acc_size;
  result = gp__host_run_described(&fold, threads);
  memset(&map, 0, sizeof map);
  map.primitive = GP_TRANSFORM;
  map.op = q->stored, map.user_op = q->user_stored;
  map.in_type = q->acc_type, map.in_size = q->acc_size;
  map.out_type = q->out_type, map.out_size = q->out_size;
  map.in = room, map.out = q->out;
  map.count = q->out_count ? *q->out_count : most;
  if (result == GP_SUCCESS) result = gp__host_run(&map, threads);
  free(room);
  return result;
}
GP__HOST gp_result gp__host_run_described(const gp__request *q, int threads) {
  const gp__inputs *all = &q->inputs;
  const int roots[] = {all->in, all->in2, all->keys, all->keys2};
  gp__request plain;
  const void **const arrays[] = {&plain.in, &plain.in2, &plain.keys, &plain.keys2};
  void *owned[4] = {NULL, NULL, NULL, NULL};
  gp_result result = GP_SUCCESS;
  int i;
  if (q->stored) return gp__host_store(q, threads);
  if (!all->count) return gp__host_run(q, threads);
  plain = *q;
  memset(&plain.inputs, 0, offsetof(gp__inputs, node));
  for (i = 3; i >= 0 && result == GP_SUCCESS; --i)
    result = gp__host_array_of(q, &plain, roots[i], i, arrays[i], &owned[i]);
  if (result == GP_SUCCESS) result = gp__host_run(&plain, threads);
  for (i = 0; i < 4; ++i) free(owned[i]);
  return result;
}
