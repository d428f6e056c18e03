// columns/host.c - sorts of columns
// uses: api/config.h, api/lists.h, api/structs.h, core/words.h, core/rules.h, core/request.c, host/user.c,
//   host/values.c, host/call.c, host/indices.c, sort/host.c

// A key of a sort by several, and the array that it is in.
typedef struct gp__sort_key {
  gp_type type;
  size_t size;
  int descending;
  const void *in;
  void *out; // or NULL
} gp__sort_key;
// The keys of a call, the primary one first; returns their number.
GP__HOST int gp__list_sort_keys(const gp__request *q, gp__sort_key *list) {
  const int down = (q->flags & GP_DESCENDING) != 0;
  int count = 0;
  uint64_t i;
  if (q->key_type) {
    const gp__sort_key key = {q->key_type, q->key_size, down, q->keys, q->out_keys};
    list[count++] = key;
  }
  for (i = 0; i < q->key_columns; ++i) {
    const gp_column *c = &q->columns[i];
    const gp__sort_key key = {c->type, gp__host_size(c->type), down ^ (c->descending != 0), c->in, c->out};
    list[count++] = key;
  }
  return count;
}
static void gp__host_move_column(const gp__host_indexed *order, uint64_t n, size_t size, const void *in, void *out) {
  uint64_t i;
  for (i = 0; i < n; ++i) gp__host_move((gp__u8 *)out + i * size, (const gp__u8 *)in + order[i].index * size, size);
}
// Sorts indices by one key after the other, the primary one last. Memory: 32 bytes an element.
static gp_result gp__host_sort_columns(gp__host_call *h) {
  const gp__request *q = h->q;
  const uint64_t n = q->count;
  const int threads = h->threads < GP__HOST_SORTERS ? h->threads : (int)GP__HOST_SORTERS;
  gp__sort_key keys[GP_KEY_LIMIT];
  gp__host_indexed *a, *b, *memory = NULL;
  uint64_t i;
  int k, count = gp__list_sort_keys(q, keys);
  if (n <= SIZE_MAX / sizeof *a / 2) memory = (gp__host_indexed *)malloc((size_t)n * 2 * sizeof *a);
  if (!memory) return gp__host_no_memory(q, n * 2 * sizeof *a);
  a = memory;
  for (i = 0; i < n; ++i) a[i].index = i;
  for (k = count - 1; k >= 0; --k) {
    const int bits = 8 * (int)keys[k].size;
    const gp__u8 *in = (const gp__u8 *)keys[k].in;
    const gp__host_form f = gp__host_form_of(keys[k].type, keys[k].descending);
    for (i = 0; i < n; ++i) a[i].bits = gp__host_encode(&f, in + a[i].index * keys[k].size);
    a = gp__host_sort_indexed(a, a == memory ? memory + n : memory, n, bits, threads);
  }
  b = a == memory ? memory + n : memory;
  for (k = 0; k < count; ++k) {
    if (!keys[k].out) continue;
    if (keys[k].out == keys[k].in) memcpy(b, keys[k].in, (size_t)n * keys[k].size);
    gp__host_move_column(a, n, keys[k].size, keys[k].out == keys[k].in ? b : keys[k].in, keys[k].out);
  }
  for (i = q->key_columns; i < q->column_count; ++i)
    gp__host_move_column(a, n, q->column_size[i], q->columns[i].in, q->columns[i].out);
  for (i = 0; i < n && q->out_size; ++i) gp__host_put_index(q->out, q->out_size, i, a[i].index);
  free(memory);
  return GP_SUCCESS;
}
