// bfs/geometry.h - scratch memory of searches, and their launches
// uses: api/lists.h, api/policy.h, core/words.h, core/rules.h, core/shape.h, histogram/policy.h, bfs/policy.h,
//   core/geometry.h, core/family.h, bfs/portable.h

// Breadth-first search: vertices are `count`, edges `count2`. All blocks are resident; a small graph has few.
typedef struct gp__bfs_layout {
  gp__u64 reached[2], fresh, queue, lists[2], found, control, bytes;
} gp__bfs_layout;
GP__HOST gp__bfs_layout gp__lay_out_bfs(gp__form s) {
  const gp__u64 bitmap = gp__ceil_div(s->count, 32) * 4, list = s->count * (unsigned)s->key_size;
  const gp__u64 longs = s->count2 / GP__BFS_PART < s->count ? s->count2 / GP__BFS_PART : s->count;
  gp__bfs_layout l;
  l.bytes = 0;
#define GP__CARVE_SCRATCH(at, bytes_) l.at = l.bytes, l.bytes += gp__round_up(bytes_, 256)
  GP__CARVE_SCRATCH(control, 2048);
  GP__CARVE_SCRATCH(reached[0], bitmap);
  GP__CARVE_SCRATCH(reached[1], s->bfs.has_transpose ? bitmap : 0); // bottom-up
  GP__CARVE_SCRATCH(fresh, s->bfs.has_transpose ? bitmap : 0);
  GP__CARVE_SCRATCH(lists[0], s->bfs.has_transpose ? 2 * list : 0);
  GP__CARVE_SCRATCH(lists[1], s->bfs.has_transpose ? 2 * list : 0);
  GP__CARVE_SCRATCH(found, s->bfs.has_transpose ? longs * (unsigned)s->key_size : 0);
  GP__CARVE_SCRATCH(queue, (s->count + s->count2 / GP__BFS_PART + 1) * 16);
#undef GP__CARVE_SCRATCH
  return l;
}
// Search from many sources; acc_size is the size of a vertex's word.
typedef struct gp__sources_layout {
  gp__u64 seen, words[2], lists[2], queue, control, bytes;
} gp__sources_layout;
GP__HOST gp__sources_layout gp__lay_out_sources(gp__form s) {
  const gp__u64 words = s->count * (unsigned)s->acc_size, list = s->count * (unsigned)s->key_size;
  gp__sources_layout l;
  l.bytes = 0;
#define GP__CARVE_SCRATCH(at, bytes_) l.at = l.bytes, l.bytes += gp__round_up(bytes_, 256)
  GP__CARVE_SCRATCH(control, 1024);
  GP__CARVE_SCRATCH(seen, words);
  GP__CARVE_SCRATCH(words[0], words);
  GP__CARVE_SCRATCH(words[1], words);
  GP__CARVE_SCRATCH(lists[0], list);
  GP__CARVE_SCRATCH(lists[1], list);
  GP__CARVE_SCRATCH(queue, (s->count + s->count2 / GP__BFS_PART + 1) * 16);
#undef GP__CARVE_SCRATCH
  return l;
}
GP__HOST void gp__geometry_graph(gp_policy p, gp__form s, gp__u64 resident, gp__geometry *g) {
  g->tile_items = (unsigned)p.threads * 4;
  g->tiles = gp__ceil_div(s->count + s->count2 / 8, g->tile_items);
  g->grid = (unsigned)(g->tiles < 1 ? 1 : g->tiles < resident ? g->tiles : resident);
  g->shared_bytes = (unsigned)(p.threads / GP__WARP * GP__BFS_BUFFER);
  g->words = s->primitive == GP_BFS ? GP__BFS_WORDS : 0;
  g->scratch =
      s->primitive == GP_BFS ? gp__lay_out_bfs(s).bytes + gp__bfs_edge_bytes(p, s) : gp__lay_out_sources(s).bytes;
}
// A grid that waits for itself must begin whole.
GP__HOST int gp__graph_overlaps(gp_policy p, gp__form s) { return (void)p, (void)s, 0; }

static const gp__rules gp__rules_graph = {gp__policy_valid_graph, gp__measure_graph, gp__portable_graph,
    gp__graph_overlaps, gp__geometry_graph, GP__POLICY_THREADS, GP__ANY_ALGORITHM, GP__ROWS_SERVE};
