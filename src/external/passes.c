// external/passes.c - arrays larger than device memory: exact parts of runs, passes over blocks
// uses: api/config.h, api/lists.h, api/structs.h, api/call.h, core/words.h, core/rules.h, core/arguments.h,
//   core/system.c, core/messages.c, core/request.c, host/values.c, sort/host.c, core/run.c, core/ask.c,
//   external/transfer.c

// ---- exact parts of sorted runs

// Key i of run r, valid until another key of the run is asked for.
GP__HOST gp_result gp__key_of_run(
    gp__external *x, const gp__host_column *c, const uint64_t *length, uint64_t r, uint64_t i, const gp__u8 **key) {
  const uint64_t first = r * x->block, each = c->size < 4096 ? 4096 / c->size : 1, page = i / each;
  gp__u8 *held = x->pages + r * 4096;
  if (c->array->memory) {
    *key = (const gp__u8 *)c->array->memory + c->at + (first + i) * c->size;
    return GP_SUCCESS;
  }
  *key = held + i % each * c->size;
  if (x->page[r] == page + 1) return GP_SUCCESS;
  x->page[r] = 0;
  GP__CHECK(gp__move_external(
      x, c, GP__IN, first + page * each, length[r] - page * each < each ? length[r] - page * each : each, held));
  x->page[r] = page + 1;
  return GP_SUCCESS;
}
// 64 bits of the ordered key, as a radix sort has them.
GP__HOST uint64_t gp__run_key_word(gp_type type, const gp__u8 *key, int word) {
  const gp_key_field *parts = NULL;
  if (gp__is_complex(type)) return gp__host_complex_word(type, key, word);
  if (gp__key_parts_of(type, &parts) == 2) parts += !word, type = parts->type, key += parts->offset;
  return gp__host_ordered(type, key);
}
GP__HOST int gp__run_key_before(const gp__external *x, const gp__u8 *a, const gp__u8 *b) {
  const int down = x->call.flags & GP_DESCENDING;
  uint64_t first = 0, second = 0;
  int word = x->in[0].size == 16;
  gp__value result;
  if (x->less) {
    gp__host_apply(x->less, result.bytes, a, b);
    return result.bytes[0] != 0;
  }
  for (; first == second && word >= 0; --word) {
    first = gp__run_key_word(x->call.key_type, down ? b : a, word);
    second = gp__run_key_word(x->call.key_type, down ? a : b, word);
  }
  return first < second;
}
// Moves each run's end from its beginning to where the next block ends, so that the block has x->block elements, or all
// that are left. Elements are ordered by key, run and position, so no two tie. Each round takes the middle element of
// the widest interval in which an end may be, and counts the elements before it; that bounds all intervals. `room`: 2
// numbers a run. Groups do not span blocks: there a block ends before the first key that it has not whole.
GP__HOST gp_result gp__split_runs(gp__external *x, const gp__host_column *c, uint64_t runs, const uint64_t *length,
    const uint64_t *begin, uint64_t *end, uint64_t *room) {
  uint64_t *high = room, *place = room + runs, rank, target = 0, left = 0, r, q, m;
  const gp__u8 *key, *other, *least = NULL;
  gp__u8 kept[64];
  for (r = 0; r < runs; ++r) {
    left += length[r] - begin[r];
    target += end[r] = begin[r];
    high[r] = length[r] - begin[r] < x->block ? length[r] : begin[r] + x->block;
  }
  if (left <= x->block || runs == 1) {
    memcpy(end, high, (size_t)runs * sizeof *end);
    return GP_SUCCESS;
  }
  for (target += x->block;;) {
    for (r = 0, q = 1; q < runs; ++q)
      if (high[q] - end[q] > high[r] - end[r]) r = q;
    if (high[r] == end[r]) break;
    rank = place[r] = m = end[r] + (high[r] - end[r]) / 2;
    GP__CHECK(gp__key_of_run(x, c, length, r, m, &key));
    memcpy(kept, key, c->size);
    for (q = 0; q < runs; ++q) {
      uint64_t from = end[q], to = high[q];
      if (q == r) continue;
      while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        GP__CHECK(gp__key_of_run(x, c, length, q, middle, &other));
        if (q < r ? !gp__run_key_before(x, kept, other) : gp__run_key_before(x, other, kept)) from = middle + 1;
        else to = middle;
      }
      rank += place[q] = from;
    }
    if (rank < target) place[r] = m + 1;
    if (rank <= target) memcpy(end, place, (size_t)runs * sizeof *end);
    if (rank >= target) memcpy(high, place, (size_t)runs * sizeof *high);
  }
  if (x->call.primitive != GP_GROUP_BY) return GP_SUCCESS;
  for (r = 0; r < runs; ++r) {
    if (end[r] == length[r]) continue;
    GP__CHECK(gp__key_of_run(x, c, length, r, end[r], &key));
    if (!least || gp__run_key_before(x, key, kept)) least = (gp__u8 *)memcpy(kept, key, c->size);
  }
  for (r = 0; r < runs; ++r) {
    if (end[r] == begin[r]) continue;
    GP__CHECK(gp__key_of_run(x, c, length, r, end[r] - 1, &key));
    end[r] -= !gp__run_key_before(x, key, kept); // a run has a key once
  }
  return GP_SUCCESS;
}

// ---- a pass

GP__HOST gp_result gp__run_block(gp__external *x, int parity, uint64_t count) {
  gp_call c = x->call;
  uint64_t bytes;
  const int groups = c.primitive == GP_GROUP_BY;
  c.count = count;
  c.keys = x->buffers[GP__IN][parity][0];
  c.out_keys = x->buffers[GP__OUT][parity][0];
  if (x->columns > 1) {
    c.in = x->buffers[GP__IN][parity][1];
    c.out = x->buffers[GP__OUT][parity][1];
  }
  if (groups) c.out_count = x->counts + parity;
  GP__CHECK(gp_workspace_size(x->ctx, &c, &bytes));
  if (x->s->context && bytes <= x->workspace_bytes) {
    c.workspace = x->memory + x->memory_bytes - x->workspace_bytes;
    c.workspace_bytes = x->workspace_bytes;
  }
  GP__CHECK(gp_run(x->ctx, &c, x->streams[2]));
  if (!groups) x->counted[parity] = count;
  else if (x->s->context) GP__CHECK(gp__copy_async(x, x->counted + parity, c.out_count, 8, 2));
  else x->counted[parity] = *c.out_count;
  return gp__record_event(x, 4 + parity);
}
// Takes blocks from runs, whose lengths are given, to one array. lengths_out, where not NULL: the array has runs, too,
// and those are their lengths. Returns in *results the number of results.
GP__HOST gp_result gp__external_pass(gp__external *x, const gp__host_column *from, uint64_t runs,
    const uint64_t *length, const gp__host_column *to, uint64_t *lengths_out, uint64_t *results, uint64_t *room) {
  uint64_t *begin = room, *end = room + runs, sizes[2] = {0, 0}, place[2], t, r;
  int left_in = 1;
  memset(begin, 0, (size_t)runs * sizeof *begin);
  for (t = 0, *results = 0; left_in || sizes[!(t & 1)] || sizes[t & 1]; ++t) {
    const int parity = (int)(t & 1);
    gp__transfer in, out;
    uint64_t size = 0, drained = sizes[parity];
    int more_in = 1, more_out = 1;
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    in.columns = from;
    in.buffers = x->buffers[GP__IN][parity];
    in.begin = begin;
    in.end = end;
    in.stride = x->block;
    if (left_in) {
      GP__CHECK(gp__split_runs(x, from, runs, length, begin, end, end + runs));
      in.runs = runs;
      for (r = 0; r < runs; ++r) size += end[r] - begin[r];
    }
    left_in = size != 0;
    out.out = 1;
    out.columns = to;
    out.buffers = x->buffers[GP__OUT][parity];
    out.begin = place;
    out.end = place + 1;
    if (drained) {
      GP__CHECK(gp__wait_event(x, 4 + parity));
      out.runs = 1;
      place[0] = lengths_out ? (t - 2) * x->block : *results;
      place[1] = place[0] + x->counted[parity];
      *results += x->counted[parity];
      if (lengths_out) lengths_out[t - 2] = x->counted[parity];
      else if (place[1] > x->capacity) place[1] = place[0] < x->capacity ? x->capacity : place[0];
    }
    while (more_in || more_out) {
      if (more_in) GP__CHECK(gp__transfer_next(x, &in, &more_in));
      if (more_out) GP__CHECK(gp__transfer_next(x, &out, &more_out));
    }
    GP__CHECK(gp__transfer_end(x, &in));
    GP__CHECK(gp__transfer_end(x, &out));
    sizes[parity] = size;
    if (size) GP__CHECK(gp__run_block(x, parity, size));
    if (size) memcpy(begin, end, (size_t)runs * sizeof *begin);
    if (drained && x->config.progress) {
      const char *outer = gp__hook_begins("gp_external_config.progress");
      const int stop = x->config.progress(x->config.user, x->done += drained, x->total);
      gp__hook_ends(outer);
      if (stop) return gp__fail(GP_E_CALLBACK, "%s: config.progress cancelled the call: %d", x->who, stop);
    }
  }
  return GP_SUCCESS;
}
