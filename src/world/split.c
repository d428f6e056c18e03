// world/split.c - worlds: where even shares of sorted shards begin
// uses: api/config.h, api/lists.h, api/context_types.h, api/call.h, api/init.h, core/rules.h, core/system.c,
//   core/messages.c, host/values.c, sort/kinds.c, core/state.c, core/run.c, world/nccl.c, world/world.c

// Exact splitters, whatever the keys: the k-th element of all sorted shards, for the first element k of each share.
// Elements are ordered by key, then by rank, then by position, so no two tie. Each round, every rank offers keys of
// evenly spaced positions of the interval of its shard in which a share may begin; every rank counts its elements
// before each offer, and the sum over the ranks is the offer's place in the whole array. The offers on both sides of k
// bound the next interval. A round divides the intervals by the number of offers.
enum { GP__OFFERS_MOST = 1023, GP__OFFERS_ALL = 1 << 15 };

typedef struct gp__splitting {
  const char *who;
  gp_op less;
  gp_type type;
  size_t size;        // of a key
  const void *sorted; // this rank's shard
  uint64_t count;     // of its elements
  uint64_t total;     // of all ranks'
  uint64_t offers;    // of a rank and a share
} gp__splitting;

GP__HOST void gp__split_offers(const gp_world *w, gp__splitting *p) {
  const uint64_t shares = (uint64_t)(w->size - 1), pairs = shares * (uint64_t)w->size;
  p->offers = pairs ? GP__OFFERS_ALL / pairs : 1;
  if (p->offers > GP__OFFERS_MOST) p->offers = GP__OFFERS_MOST;
  if (p->offers < 3) p->offers = 3;
}
// Bytes of device memory: two numbers an offer, a key an offer, and the bounds of every rank.
GP__HOST size_t gp__split_bytes(const gp_world *w, const gp__splitting *p) {
  const size_t offers = (size_t)w->size * (size_t)(w->size - 1) * (size_t)p->offers;
  return offers * (16 + p->size) + ((size_t)w->size + 1) * ((size_t)w->size + 1) * 8 + 1024;
}
GP__HOST gp_result gp__count_before(gp_world *w, const gp__splitting *p, gp_primitive primitive, const void *needles,
    uint64_t count, uint64_t *out, gp_stream stream) {
  gp_call c = gp_call_init(primitive);
  if (!count) return GP_SUCCESS;
  c.op = p->less;
  c.in_type = p->type;
  c.out_type = GP_U64;
  c.keys = p->sorted;
  c.key_count = p->count;
  c.in = needles;
  c.count = count;
  c.out = out;
  return gp_run(w->ctx, &c, stream);
}
// One round. low, high: the interval of each share's beginning, in this rank's shard. `numbers` of the device: counts
// of this rank, then of all; `keys`: the offers. Returns in *open how many shares are still to be found.
GP__HOST gp_result gp__split_round(gp_world *w, gp__state *s, const gp__splitting *p, uint64_t *low, uint64_t *high,
    uint64_t *numbers, unsigned char *keys, int *open, gp_stream stream) {
  const char *who = p->who;
  const int shares = w->size - 1;
  const uint64_t offers = p->offers, own = offers * (uint64_t)shares, all = own * (uint64_t)w->size;
  const uint64_t *mine, *every;
  uint64_t *host = (uint64_t *)w->staging, *positions, i;
  gp_call gather = gp_call_init(GP_GATHER);
  int share, q;
  positions = numbers + (uint64_t)w->rank * own;
  for (share = 0; share < shares; ++share)
    for (i = 0; i < offers; ++i) {
      const uint64_t length = high[share] - low[share], part = length / (offers + 1), rest = length % (offers + 1);
      const uint64_t at = low[share] + part * (i + 1) + rest * (i + 1) / (offers + 1);
      host[(uint64_t)share * offers + i] = at < p->count ? at : p->count ? p->count - 1 : 0;
    }
  GP__CHECK(gp__world_copy(w, s, who, positions, host, own * 8, stream));
  if (p->count) {
    gather.in_type = p->type;
    gather.in2_type = GP_U64;
    gather.in = p->sorted;
    gather.in2 = positions;
    gather.n = p->count;
    gather.count = own;
    gather.out = keys + (size_t)w->rank * own * p->size;
    GP__CHECK(gp_run(w->ctx, &gather, stream));
  }
  GP__CHECK(gp__world_gather(w, who, keys + (size_t)w->rank * own * p->size, keys, own * p->size, stream));
  // Lower ranks come first where keys are equal.
  GP__CHECK(gp__count_before(w, p, GP_LOWER_BOUND, keys, own * (uint64_t)w->rank, numbers, stream));
  GP__CHECK(gp__count_before(w, p, GP_UPPER_BOUND, keys + ((size_t)w->rank + 1) * own * p->size,
      own * (uint64_t)(shares - w->rank), positions + own, stream));
  GP__CHECK(GP__NCCL(AllReduce, numbers, numbers + all, all, GP__NCCL_U64, GP__NCCL_SUM, w->comm, stream));
  GP__CHECK(gp__world_copy(w, s, who, host, numbers, all * 16, stream));
  GP__CHECK(gp__world_settle(w, s, who, stream));
  mine = host;
  every = host + all;
  for (share = 0, *open = 0; share < shares; ++share) {
    const uint64_t begin = gp__share_begin(w, p->total, share + 1);
    uint64_t *from = &low[share], *to = &high[share];
    int found = begin == p->total || begin == 0;
    for (q = 0; q < w->size && !found; ++q) {
      const uint64_t first = (uint64_t)q * own;
      if (!w->notes[q].count) continue; // it has no keys to offer
      for (i = first; i < first + own && !found; ++i) {
        const uint64_t behind = mine[i] + (q == w->rank);
        if (every[i] == begin) *from = *to = mine[i], found = 1;
        else if (every[i] < begin) *from = behind > *from ? behind : *from;
        else *to = mine[i] < *to ? mine[i] : *to;
      }
    }
    *open += !found;
  }
  return GP_SUCCESS;
}
// Sets bounds[q * (size + 1) + i] to where share i begins in the sorted shard of rank q, for every rank. `room`:
// gp__split_bytes of the device.
GP__HOST gp_result gp__split_shards(
    gp_world *w, gp__state *s, const gp__splitting *p, void *room, uint64_t *bounds, gp_stream stream) {
  const size_t all = (size_t)w->size * (size_t)(w->size - 1) * (size_t)p->offers;
  uint64_t *numbers = (uint64_t *)room, *low, *high;
  unsigned char *keys = (unsigned char *)(numbers + 2 * all);
  gp_result result = gp__world_staging(w, s, p->who, all * 16);
  int i, open = w->size > 1;
  if (result != GP_SUCCESS) return result;
  low = (uint64_t *)calloc((size_t)w->size + 1, 16);
  if (!low) return gp__fail(GP_E_MEMORY, "%s: no host memory", p->who);
  high = low + w->size + 1;
  for (i = 0; i < w->size - 1; ++i) {
    const uint64_t begin = gp__share_begin(w, p->total, i + 1);
    low[i] = begin == p->total ? p->count : 0;
    high[i] = begin ? p->count : 0;
  }
  while (open && result == GP_SUCCESS) result = gp__split_round(w, s, p, low, high, numbers, keys, &open, stream);
  if (result == GP_SUCCESS) {
    for (i = w->size - 1; i; --i) low[i] = low[i - 1];
    low[0] = 0;
    low[w->size] = p->count;
    result = gp__world_share(w, s, p->who, low, bounds, ((size_t)w->size + 1) * 8, room, stream);
  }
  free(low);
  return result;
}
