// top_k/shuffle_host.c - shuffle
// uses: api/config.h, api/lists.h, core/words.h, top_k/policy.h, core/request.c, host/call.c, host/indices.c

// The permutation of gp__bijection.
static uint64_t gp__host_permute(const gp__request *q, uint64_t x) {
  const uint64_t n = q->count;
  const unsigned bits = n > 256 ? 64 - (unsigned)__builtin_clzll(n - 1) : 8, low_bits = (bits + 1) / 2;
  const uint32_t low_mask = ~0u >> (32 - low_bits), high_mask = ~0u >> (32 - (bits - low_bits));
  uint32_t keys[GP__SHUFFLE_ROUNDS];
  int r;
  memcpy(keys, q->init.bytes, sizeof keys);
  do {
    uint32_t low = (uint32_t)x & low_mask, high = (uint32_t)(x >> low_bits);
    for (r = 0; r < GP__SHUFFLE_ROUNDS; r += 2) {
      high ^= gp__shuffle_round(low, keys[r]) & high_mask;
      low ^= gp__shuffle_round(high, keys[r + 1]) & low_mask;
    }
    x = (uint64_t)high << low_bits | low;
  } while (x >= n);
  return x;
}
static void gp__host_shuffle_block(const gp__host_call *h, uint64_t first, uint64_t end) {
  const gp__request *q = h->q;
  for (; first < end; ++first) {
    const uint64_t from = gp__host_permute(q, first);
    if (!q->in_size) gp__host_put_index(q->out, q->out_size, first, from);
    else gp__host_move((gp__u8 *)q->out + first * q->out_size, (const gp__u8 *)q->in + from * q->in_size, q->in_size);
  }
}
static gp_result gp__host_shuffle(gp__host_call *h) {
  gp__host_each_block(h, h->q->count, gp__host_shuffle_block);
  return GP_SUCCESS;
}
