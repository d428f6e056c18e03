// world/split.c - worlds: where even shares of sorted shards begin
// uses: api/config.h, api/lists.h, api/call.h, core/words.h, core/rules.h, core/system.c, host/values.c, sort/kinds.c,
//   map/calls.c, world/nccl.c, world/world.c

// Exact splitters, whatever the keys: the k-th element of all sorted shards, for the first element k of each share.
// Elements are ordered by key, then by rank, then by position, so no two tie. Each round, every rank offers keys of
// evenly spaced positions of the interval of its shard in which a share may begin; every rank counts its elements
// before each offer, and the sum over the ranks is the offer's place in the whole array. The offers on both sides of k
// bound the next interval. A round divides the intervals by the number of offers.
enum { GP__OFFERS_MOST = 1023, GP__OFFERS_ALL = 1 << 15 };
// Blocks of NCCL's exchanges: blocks of a sort that find no multiprocessor would run after the others.
enum { GP__CHANNELS = 32 };

// A sort of this rank's shard, then of the world.
typedef struct gp__world_sorting {
  gp_op less;
  gp_type key_type, value_type; // value_type 0: no values
  size_t key_size, value_size;
  uint64_t count, total; // elements of the shard, of all shards
  uint64_t room, share; // elements that buffers have room for; of the even share
  uint64_t offers; // of a rank and a share
  int is_sorted, by_digit; // the shard, already; it is sorted by the first digit only, see gp__world_sort_digits
  int spare; // multiprocessors that a sort leaves to NCCL
  gp__u8 *staged; // behind what the splitters stage: what pieces' sorts copy to the device
  const void *sorted; // keys of the shard
  gp__u8 *keys, *values, *came_keys, *came_values; // sorted; received
  void *scratch; // of the splitters
} gp__world_sorting;

// Where each first digit begins in rank q's shard.
GP__HOST uint64_t *gp__starts_of(const gp_world *w, int q) { return w->starts + (size_t)q * GP__STARTS; }

GP__HOST void gp__split_offers(const gp_world *w, gp__world_sorting *p) {
  const uint64_t shares = (uint64_t)(w->size - 1), pairs = shares * w->ranks;
  p->offers = pairs ? GP__OFFERS_ALL / pairs : 1;
  if (p->offers > GP__OFFERS_MOST) p->offers = GP__OFFERS_MOST;
  if (p->offers < 3) p->offers = 3;
}
// Bytes of device memory: two numbers an offer, a key an offer, and the bounds of every rank.
GP__HOST size_t gp__split_bytes(const gp_world *w, const gp__world_sorting *p) {
  const size_t offers = w->ranks * (size_t)(w->size - 1) * (size_t)p->offers;
  return offers * (16 + p->key_size) + (w->ranks + 1) * (w->ranks + 1) * 8 + 1024;
}
GP__HOST gp_result gp__count_before(gp_world *w, const gp__world_sorting *p, gp_primitive primitive,
    const void *needles, uint64_t count, uint64_t *out) {
  gp_call c = gp__call(primitive, p->less, p->key_type, GP_U64, needles, out, count);
  if (!count) return GP_SUCCESS;
  c.keys = p->sorted;
  c.key_count = p->count;
  return gp__world_do(w, &c);
}
// One round. leave[i + 1] to arrive[i + 1]: the interval of share i + 1's beginning in this rank's shard. `numbers` of
// the device: counts of this rank, then of all; `keys`: the offers. Sets *open to how many shares are still open.
GP__HOST gp_result gp__split_round(
    gp_world *w, const gp__world_sorting *p, uint64_t *numbers, gp__u8 *keys, int *open) {
  uint64_t *low = w->leave + 1, *high = w->arrive + 1;
  const int shares = w->size - 1;
  const uint64_t offers = p->offers, own = offers * (uint64_t)shares, all = own * w->ranks;
  const uint64_t *mine, *every;
  uint64_t *host = (uint64_t *)w->staging, *positions, i;
  gp__u8 *mine_keys = keys + (size_t)w->rank * own * p->key_size;
  gp_call gather;
  int share, q;
  positions = numbers + (uint64_t)w->rank * own;
  for (share = 0; share < shares; ++share)
    for (i = 0; i < offers; ++i) {
      const uint64_t length = high[share] - low[share], part = length / (offers + 1), rest = length % (offers + 1);
      const uint64_t at = low[share] + part * (i + 1) + rest * (i + 1) / (offers + 1);
      host[(uint64_t)share * offers + i] = at < p->count ? at : p->count ? p->count - 1 : 0;
    }
  GP__CHECK(gp__world_copy(w, positions, host, own * 8));
  if (p->count) {
    gather = gp__call(GP_GATHER, GP_OP_DEFAULT, p->key_type, GP_TYPE_DEFAULT, p->sorted, mine_keys, own);
    gather.in2_type = GP_U64;
    gather.in2 = positions;
    gather.n = p->count;
    GP__CHECK(gp__world_do(w, &gather));
  }
  GP__CHECK(gp__world_gather(w, mine_keys, keys, own * p->key_size));
  // Lower ranks come first where keys are equal.
  GP__CHECK(gp__count_before(w, p, GP_LOWER_BOUND, keys, own * (uint64_t)w->rank, numbers));
  GP__CHECK(gp__count_before(
      w, p, GP_UPPER_BOUND, mine_keys + own * p->key_size, own * (uint64_t)(shares - w->rank), positions + own));
  GP__CHECK(gp__world_sum(w, GP__NCCL_U64, numbers, numbers + all, all));
  GP__CHECK(gp__world_read(w, numbers, all * 16));
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
// Sets w->bounds[q * (size + 1) + i] to where share i begins in the sorted shard of rank q, for every rank; w->leave
// has this rank's. room: gp__split_bytes of the device.
GP__HOST gp_result gp__split_shards(gp_world *w, const gp__world_sorting *p, void *room) {
  const size_t all = w->ranks * (size_t)(w->size - 1) * (size_t)p->offers;
  uint64_t *numbers = (uint64_t *)room;
  int i, open = w->size > 1;
  GP__CHECK(gp__world_staging(w, all * 16));
  for (i = 0; i <= w->size; ++i) {
    const uint64_t begin = gp__share_begin(w, p->total, i);
    w->leave[i] = i && begin == p->total ? p->count : 0;
    w->arrive[i] = begin ? p->count : 0;
    if (p->by_digit && i && i < w->size) {
      const uint64_t *digit = gp__starts_of(w, w->rank) + w->counts[i];
      w->leave[i] = digit[0];
      w->arrive[i] = digit[1];
    }
  }
  while (open) GP__CHECK(gp__split_round(w, p, numbers, (gp__u8 *)(numbers + 2 * all), &open));
  return gp__world_share(w, w->leave, w->bounds, (w->ranks + 1) * 8, room);
}
