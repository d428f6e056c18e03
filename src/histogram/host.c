// histogram/host.c - histograms
// uses: api/config.h, api/lists.h, core/words.h, core/shape.h, core/request.c, host/config.c, host/types.c,
//   host/user.c, host/values.c, host/call.c, host/indices.c

// Maps signed integers to the order of unsigned ones.
static void gp__host_unsign(gp_type type, gp__wide *w, size_t n) {
  size_t i;
  if (gp__host_kind(type) == GP__WIDE_I)
    for (i = 0; i < n; ++i) w[i].u ^= (uint64_t)1 << 63;
}

// The bins of n samples; UINT64_MAX: none. edges: the lower and the upper end, or bins + 1 boundaries.
static void gp__host_bins(const gp__request *q, const gp__wide *edges, const gp__wide *x, uint64_t *bin, size_t n) {
  const uint64_t bins = q->bins;
  const int floats = gp__host_kind(q->in_type) == GP__WIDE_F;
  size_t i;
  if (q->primitive == GP_HISTOGRAM_RANGES) {
    for (i = 0; i < n; ++i) {
      uint64_t low = 0, length = bins + 1, half; // low: boundaries not above the sample; no branch depends on it
      for (; length > 1; length -= half) {
        half = length / 2;
        low += (floats ? edges[low + half - 1].f <= x[i].f : edges[low + half - 1].u <= x[i].u) ? half : 0;
      }
      low += floats ? edges[low].f <= x[i].f : edges[low].u <= x[i].u;
      bin[i] = low && low <= bins ? low - 1 : UINT64_MAX;
    }
  } else if (!floats) {
    // upper <= lower: one past the type's largest value, which wraps (see gp__check_histogram_values)
    const uint64_t lower = edges[0].u, upper = edges[1].u;
    const int through = upper <= lower;
    const uint64_t wrapped = upper - lower + (through && q->in_size < 8 ? (uint64_t)1 << 8 * q->in_size : 0);
    const gp__u128 width = wrapped ? wrapped : (gp__u128)1 << 64;
    const int fits = width <= UINT64_MAX && bins <= UINT64_MAX / (uint64_t)width;
    for (i = 0; i < n; ++i) {
      const uint64_t d = x[i].u - lower;
      bin[i] = x[i].u < lower || (!through && x[i].u >= upper) ? UINT64_MAX
          : fits ? d * bins / (uint64_t)width
          : (uint64_t)((gp__u128)d * bins / width);
    }
  } else if (q->in_type == GP_F64) {
    const double lower = edges[0].f, upper = edges[1].f, scale = (double)bins / (upper - lower);
    for (i = 0; i < n; ++i)
      bin[i] = x[i].f >= lower && x[i].f < upper ? gp__even_bin_f64(x[i].f, lower, scale, bins) : UINT64_MAX;
  } else {
    const float lower = (float)edges[0].f, upper = (float)edges[1].f, scale = (float)bins / (upper - lower);
    for (i = 0; i < n; ++i) {
      const float sample = (float)x[i].f;
      bin[i] = sample >= lower && sample < upper ? gp__even_bin_f32(sample, lower, scale, bins) : UINT64_MAX;
    }
  }
}

// Counts the pixels first .. first + n - 1. Each weight is converted to the counters' type first.
static void gp__host_tally(const gp__request *q, const gp__wide *edges, uint64_t first, uint64_t n, void *counters) {
  const uint64_t row = q->primitive == GP_HISTOGRAM_RANGES ? q->bins + 1 : 2; // edges of a channel
  gp__wide x[GP__HOST_ELEMENTS], samples[GP__HOST_ELEMENTS], weights[GP__HOST_ELEMENTS];
  uint64_t bin[GP__HOST_ELEMENTS];
  size_t i, k;
  int c;
  for (; n; first += k, n -= k) {
    k = gp__smaller(n, GP__HOST_ELEMENTS);
    if (q->in2) gp__host_convert(q->in2_type, q->out_type, (const gp__u8 *)q->in2 + first * q->in2_size, weights, k);
    for (c = 0; c < q->active; ++c) {
      const gp__u8 *in = (const gp__u8 *)q->in + (first * (uint64_t)q->channels + (uint64_t)c) * q->in_size;
      const uint64_t base = (uint64_t)c * q->bins;
      if (q->channels > 1) {
        for (i = 0; i < k; ++i)
          gp__host_move((gp__u8 *)samples + i * q->in_size, in + i * (size_t)q->channels * q->in_size, q->in_size);
        in = (const gp__u8 *)samples;
      }
      gp__host_widen(q->in_type, in, x, k);
      gp__host_unsign(q->in_type, x, k);
      gp__host_bins(q, edges + (uint64_t)c * row, x, bin, k);
#define GP__COUNT(T) \
  { \
    T *y = (T *)counters + base; \
    const T *w = (const T *)weights; \
    for (i = 0; i < k; ++i) \
      if (bin[i] != UINT64_MAX) y[bin[i]] += q->in2 ? w[i] : 1; \
  }
      if (q->out_type == GP_F32) GP__COUNT(gp__h_f32)
      else if (q->out_type == GP_F64) GP__COUNT(gp__h_f64)
      else if (q->out_size == 4) GP__COUNT(gp__h_u32)
      else GP__COUNT(gp__h_u64)
#undef GP__COUNT
    }
  }
}

// Several threads: each has its own counters. Sums of floats depend on their order: one thread.
static gp_result gp__host_histogram(gp__host_call *h) {
  const gp__request *q = h->q;
  const uint64_t count = q->count, counters = (uint64_t)q->active * q->bins;
  const size_t bytes = (size_t)counters * q->out_size;
  const int ranges = q->primitive == GP_HISTOGRAM_RANGES;
  const uint64_t row = ranges ? q->bins + 1 : 2;
  const size_t edge_bytes = (size_t)(row * (uint64_t)q->active) * sizeof(gp__wide);
  const int alone = gp__host_kind(q->out_type) == GP__WIDE_F || counters > count / (uint64_t)h->threads;
  const int threads = alone ? 1 : h->threads;
  const size_t extra = (size_t)(threads - 1) * bytes;
  gp__wide *edges = (gp__wide *)malloc(edge_bytes + extra);
  gp__u8 *more = edges ? (gp__u8 *)edges + edge_bytes : NULL; // counters of the second thread, ...
  uint64_t i;
  int c, t;
  if (!edges) return gp__host_no_memory(h->q, edge_bytes + extra);
  memset(h->out, 0, bytes);
  memset(more, 0, extra);
  if (ranges) gp__host_widen(q->in_type, q->begin, edges, (size_t)(row * (uint64_t)q->active));
  else
    for (c = 0; c < q->active; ++c) {
      gp__host_widen(q->in_type, q->init.bytes + (size_t)c * q->in_size, edges + 2 * c, 1);
      gp__host_widen(q->in_type, q->step.bytes + (size_t)c * q->in_size, edges + 2 * c + 1, 1);
    }
  gp__host_unsign(q->in_type, edges, (size_t)(row * (uint64_t)q->active));
  GP__PARALLEL_FOR
  for (t = 0; t < threads; ++t) {
    const uint64_t share = gp__ceil_div(count, (uint64_t)threads);
    const uint64_t first = share * (uint64_t)t < count ? share * (uint64_t)t : count;
    gp__host_tally(q, edges, first, gp__smaller(count - first, share), t ? more + (size_t)(t - 1) * bytes : h->out);
  }
  for (t = 1; t < threads; ++t) {
    const gp__u8 *part = more + (size_t)(t - 1) * bytes;
    for (i = 0; i < counters; ++i)
      gp__host_put_index(
          h->out, q->out_size, i, gp__host_offset(h->out, q->out_size, i) + gp__host_offset(part, q->out_size, i));
  }
  free(edges);
  return GP_SUCCESS;
}
