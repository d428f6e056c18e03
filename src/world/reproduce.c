// world/reproduce.c - worlds: reductions whose bits do not depend on the ranks
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/words.h, core/rules.h, core/shape.h,
//   reduce/policy.h, core/system.c, core/messages.c, core/request.c, host/values.c, map/kinds.c, core/state.c,
//   core/checking.c, core/check.c, core/workspaces.c, core/run.c, map/calls.c, world/nccl.c, world/world.c,
//   world/fold.c

// GP_REPRODUCIBLE where the order of operands matters. gp_reduce folds tiles, whose size follows from the number of
// elements, and then the tiles' results. A world has the tiles of the whole array: a tile belongs to the rank that has
// its first element, and the ranks behind send the rest. A reduction leaves the results of its tiles in its workspace.
// Every rank gets all of them, and folds them by a reduction of the whole array that finds no tile left to read.
typedef struct gp__tiling {
  uint64_t total, tile, tiles; // elements of the array and of a tile; tiles
  uint64_t head, tail, rest; // of the shard before its first tile, and of a tile that ends elsewhere, where it has rest
  uint64_t *first; // of each rank, its first tile
  size_t in_size, size, room; // bytes of an element, of a tile's result in a workspace, and of a workspace
} gp__tiling;

// Folds the tiles of a part of the array. room: the workspace. whole: none, as the workspace has all results.
GP__HOST gp_result gp__fold_tiles(gp_world *w, const gp__tiling *t, const gp_call *fold, gp__u8 *room, int whole) {
  gp__state *s = w->s;
  gp__workspace own;
  gp__checking k;
  gp_call copy;
  gp__request q;
  GP__CHECK(gp__check_reached(&k, &copy, s, "gp_run", fold, w->stream, &q));
  q.stride = t->total;
  if (whole) q.count = t->total;
  q.workspace = s->context ? room : room + GP__CONTROL_BYTES;
  q.workspace_bytes = t->room - GP__CONTROL_BYTES;
  if (!s->context) return gp__run_on_host(s, &q);
  gp__lend(&own, &q, w->stream);
  if (whole) own.tagged = own.bytes;
  return gp__take_back(&own, gp__run_request(s, &q, fold->policy, 1, w->stream, 0));
}
// Finds this rank's tiles, and what moves between ranks.
GP__HOST void gp__find_tiles(gp_world *w, gp__tiling *t) {
  uint64_t begin = 0, end = 0, head, at, *first = t->first;
  int q;
  memset(w->leave, 0, w->ranks * sizeof *w->leave);
  w->arrive[0] = 0;
  GP__EACH_RANK(q) {
    first[q] = gp__ceil_div(end, t->tile);
    end += w->notes[q].count;
  }
  first[w->size] = t->tiles;
  for (q = 0, end = 0; q < w->size; ++q) {
    begin = end, end += w->notes[q].count;
    at = first[q] * t->tile;
    head = (at < end ? at : end) - begin; // of a tile of a rank before
    if (q == w->rank) {
      t->head = head;
      if (first[q] < first[q + 1] && end < t->total) t->tail = end % t->tile;
    }
    if (q > w->rank && t->tail && first[q] == first[w->rank + 1]) t->rest += head;
    w->arrive[q + 1] = t->rest;
  }
  for (q = 0; q < w->rank; ++q) // the last one that has a tile
    if (first[q] < first[q + 1] && first[q + 1] == first[w->rank]) break;
  while (++q <= w->size) w->leave[q] = t->head;
}
// The memory: workspaces of this rank's tiles and of all; a result; a tile that ends elsewhere; a described input.
GP__HOST size_t gp__tiling_bytes(const gp__tiling *t, uint64_t described) {
  return 2 * t->room + gp__aligned(t->size) + gp__aligned((size_t)(t->tail + t->rest) * t->in_size) +
      (size_t)described * t->in_size;
}
GP__HOST gp_result gp__reproduce_agreed(gp_world *w, const gp__tiling *t, gp_call c, uint64_t count) {
  const uint64_t first = t->first[w->rank], end = t->first[w->rank + 1], zero = 0;
  gp__u8 *mine = (gp__u8 *)w->memory, *all = mine + t->room, *edge = all + t->room + gp__aligned(t->size);
  gp__u8 *from = mine + GP__CONTROL_BYTES, *to = all + GP__CONTROL_BYTES;
  const gp__u8 *in = (const gp__u8 *)c.in;
  gp_call fold = gp__fold_shard(&c, all + t->room);
  GP__CHECK(gp_fill(w->ctx, GP_U64, &zero, all, t->room / 8, w->stream));
  GP__CHECK(gp__world_copy(w, edge, in + (count - t->tail) * t->in_size, t->tail * t->in_size));
  GP__CHECK(gp__world_move(w, in, edge + t->tail * t->in_size, t->in_size));
  if (t->tail) {
    fold.in = edge;
    fold.count = t->tail + t->rest;
    GP__CHECK(gp__fold_tiles(w, t, &fold, mine, 0));
    GP__CHECK(gp__world_copy(w, to + (end - 1) * t->size, from, t->size));
  }
  fold.in = in + t->head * t->in_size;
  fold.count = count - t->head - t->tail;
  if (fold.count) GP__CHECK(gp__fold_tiles(w, t, &fold, mine, 0));
  if (fold.count) GP__CHECK(gp__world_copy(w, to + first * t->size, from, (end - first - !!t->tail) * t->size));
  GP__CHECK(
      gp__world_sum(w, GP__NCCL_U64, to, to, gp__ceil_div(t->tiles * t->size, 8))); // the other ranks' words are zero
  GP__CHECK(gp__world_write_count(w, (uint64_t *)(void *)all, t->tiles)); // tickets: all tiles are drawn
  c.in = NULL;
  c.count = 0;
  return gp__fold_tiles(w, t, &c, all, 1);
}
GP__HOST gp_result gp__world_reproduce(gp_world *w, gp_call c) {
  gp__tiling t;
  gp__request q;
  gp_call local, copy;
  gp_result result;
  uint64_t count;
  memset(&t, 0, sizeof t);
  GP__CHECK(gp__world_count(w, &c, &count));
  c.count = count;
  c.count_device = NULL;
  local = gp__fold_shard(&c, NULL);
  result = gp__check_call(w->s, "gp_run", &local, !w->s->context, 0, &q);
  if (result == GP_SUCCESS) result = gp_prepare(w->ctx, &local);
  if (result == GP_SUCCESS && ((!c.in && count) || !c.out))
    result = gp__fail(GP_E_NULL, "%s: @%s is null", w->who, c.out ? "in" : "out");
  GP__CHECK(gp__world_meet(w, &c, count, result, 0, &t.total));
  if (!t.total) return gp__world_do(w, &c);
  t.in_size = q.in_size;
  t.size = (size_t)gp__acc_words((int)q.acc_size) * GP__WORD_BYTES;
  t.room = 2 * GP__CONTROL_BYTES + GP__CANONICAL_REDUCE_TILES * t.size;
  if (!w->s->context) t.size = q.acc_size;
  t.tile = gp__canonical_rounds(t.total, (int)t.in_size) * (unsigned)gp__canonical_round((int)t.in_size);
  t.tiles = gp__ceil_div(t.total, t.tile);
  t.first = w->bounds;
  gp__find_tiles(w, &t);
  result = gp__world_room(w, gp__tiling_bytes(&t, c.in_type == GP_INPUT ? count : 0));
  if (result == GP_SUCCESS && c.in_type == GP_INPUT) {
    copy = gp__call(GP_COPY, GP_OP_DEFAULT, GP_INPUT, q.in_type, c.in, NULL, count);
    copy.out = (gp__u8 *)w->memory + gp__tiling_bytes(&t, 0);
    result = gp__world_do(w, &copy);
    c.in_type = q.in_type;
    c.in = copy.out;
  }
  if (result == GP_SUCCESS) result = gp__reproduce_agreed(w, &t, c, count);
  return gp__break_if(w, result);
}
GP__HOST gp_result gp__world_fold(gp_world *w, gp_call c) {
  GP__CHECK(gp__check_fold(w, &c));
  if (c.primitive != GP_REDUCE) return gp__world_scan(w, c);
  gp__fill_types(&c);
  return (c.flags & GP_REPRODUCIBLE) && gp__order_matters(&c) ? gp__world_reproduce(w, c) : gp__world_reduce(w, c);
}
