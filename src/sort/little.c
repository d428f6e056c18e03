// sort/little.c - sorts in little memory: blocks, then merges of neighbouring blocks
// uses: api/config.h, core/rules.h, histogram/policy.h, core/request.c, merge/kinds.c, graph/launch.c

// GP_LITTLE_MEMORY: blocks are sorted one by one. Then neighbours are merged, even pairs and odd pairs in turn, as many
// rounds as there are blocks (odd-even transposition; equal keys keep their order). Even pairs move two places to the
// left, the first to held memory; odd pairs move back, from the right, and the blocks at both ends alone. The plan's
// last requests are the sorts of the first and the last block, and a merge.
enum { GP__LITTLE_BLOCKS = 8, GP__LITTLE_LOG2 = 16 }; // fewer elements are sorted as ever

// The place of a block: of so many bytes, in `out` or, moved, two places before.
GPUPRIMS__PRIVATE void *gp__little_place(int block, int moved, void *out, void *held, uint64_t bytes) {
  unsigned char *const at = (unsigned char *)(moved && block < 2 ? held : out);
  return at ? at + (uint64_t)(moved && block >= 2 ? block - 2 : block) * bytes : NULL;
}
// The i-th call. Returns 0 if there is none.
GPUPRIMS__PRIVATE int gp__little_call(const gp__graph_plan *g, int i, gp__request *c) {
  const gp__request *first = &g->requests[g->request_count - 3], *last = first + 1;
  const int n = GP__LITTLE_BLOCKS, at = (i - n) % (n + 1), back = at >= n / 2, round = (i - n) / (n + 1);
  const int block = i < n ? i : back ? 2 * n - 1 - 2 * at : 2 * at, begin = block < 0 ? 0 : block;
  const uint64_t keys = first->count * first->key_size, values = first->count * first->in_size;
  unsigned char *const held = g->at, *const held_values = held ? held + 2 * keys : NULL;
  if (i >= n && round == n / 2) return 0;
  *c = i < n ? *first : last[1];
  c->count = block < 0 ? 0 : block < n - 1 ? first->count : last->count;
  c->keys = gp__little_place(block, back, i < n ? (void *)(uintptr_t)first->keys : first->out_keys, held, keys);
  c->in = gp__little_place(block, back, i < n ? (void *)(uintptr_t)first->in : first->out, held_values, values);
  c->out_keys = gp__little_place(begin, i >= n && !back, first->out_keys, held, keys);
  c->out = gp__little_place(begin, i >= n && !back, first->out, held_values, values);
  if (i < n) return 1;
  c->count2 = block + 1 < n - 1 ? first->count : block + 1 < n ? last->count : 0;
  c->keys2 = gp__little_place(block + 1, back, first->out_keys, held, keys);
  c->in2 = gp__little_place(block + 1, back, first->out, held_values, values);
  return 1;
}
GPUPRIMS__PRIVATE void gp__plan_little(gp__graph_plan *g, const gp__request *sort) {
  gp__request *call = &g->requests[g->request_count];
  const uint64_t block = gp__round_up(sort->count / GP__LITTLE_BLOCKS + 1, 16); // aligns what is held
  call[0] = call[1] = call[2] = *sort;
  call[0].policy = call[1].policy = call[2].policy = NULL;
  call[0].count = call[2].count = call[2].count2 = block;
  call[1].count = sort->count - (GP__LITTLE_BLOCKS - 1) * block;
  call[2].primitive = GP_MERGE;
  g->request_count += 3;
  g->more = gp__little_call;
  (void)gp__take(g, 2 * block * (sort->key_size + sort->in_size));
}
