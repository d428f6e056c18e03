// sort/little.c - sorts in little memory: blocks, then merges of neighbouring blocks
// uses: api/config.h, core/words.h, core/rules.h, histogram/policy.h, core/request.c, merge/kinds.c, graph/launch.c

// GP_LITTLE_MEMORY: blocks are sorted one by one. Then even and odd pairs of neighbours are merged in turn, as many
// rounds as there are blocks (odd-even transposition; stable). Even pairs move two places to the left, the first one to
// held memory; odd pairs, and the blocks at both ends, move back, from the right.
enum { GP__LITTLE_BLOCKS = 8, GP__LITTLE_LOG2 = 16 }; // fewer elements are sorted as ever

// The place of a block of so many bytes, or where it was moved to.
GP__HOST void *gp__block_at(int block, int moved, const void *array, void *held, uint64_t bytes) {
  const int away = moved && block < 2;
  gp__u8 *const at = (gp__u8 *)(away ? held : (void *)(uintptr_t)array);
  return at ? at + (uint64_t)(moved && !away ? block - 2 : block) * bytes : NULL;
}
// The i-th call after the plan's, whose last requests are the sorts of the first and the last block, and a merge.
// Returns 0 if there is none.
GP__HOST int gp__little_call(const gp__graph_plan *g, int i, gp__request *c) {
  const gp__request *first = &g->requests[g->request_count - 3];
  const int n = GP__LITTLE_BLOCKS, merges = i >= n, at = (i - n) % (n + 1), back = merges && at >= n / 2;
  const int block = !merges ? i : back ? 2 * n - 1 - 2 * at : 2 * at, begin = block < 0 ? 0 : block;
  const uint64_t keys = first->count * first->key_size, values = first->count * first->in_size;
  gp__u8 *const held = g->at, *const held_values = held ? held + 2 * keys : NULL;
  if ((i - n) / (n + 1) == n / 2) return 0;
  *c = first[2 * merges];
  c->count = block < 0 ? 0 : first[block == n - 1].count;
  c->keys = gp__block_at(block, back, merges ? first->out_keys : first->keys, held, keys);
  c->in = gp__block_at(block, back, merges ? first->out : first->in, held_values, values);
  c->out_keys = gp__block_at(begin, merges && !back, first->out_keys, held, keys);
  c->out = gp__block_at(begin, merges && !back, first->out, held_values, values);
  if (!merges) return 1;
  c->count2 = block == n - 1 ? 0 : first[block == n - 2].count;
  c->keys2 = gp__block_at(block + 1, back, first->out_keys, held, keys);
  c->in2 = gp__block_at(block + 1, back, first->out, held_values, values);
  return 1;
}
GP__HOST void gp__plan_little(gp__graph_plan *g, gp__request *sort) {
  gp__request *call = &g->requests[g->request_count];
  const uint64_t all = sort->count, block = gp__round_up(all / GP__LITTLE_BLOCKS + 1, 16); // aligns what is held
  sort->policy = NULL;
  sort->count = sort->count2 = block;
  call[0] = call[1] = call[2] = *sort;
  call[0].count2 = call[1].count2 = 0;
  call[1].count = all - (GP__LITTLE_BLOCKS - 1) * block;
  call[2].primitive = GP_MERGE;
  g->request_count += 3;
  g->more = gp__little_call;
  (void)gp__take(g, 2 * block * (sort->key_size + sort->in_size));
}
