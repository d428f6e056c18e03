// external/transfer.c - arrays on the host: reads, writes, copies to and from the device
// uses: api/config.h, api/lists.h, api/call.h, api/external.h, core/words.h, core/rules.h, core/system.c,
//   core/messages.c, core/driver.c, core/libraries.c, core/request.c, core/state.c

// Functions of the driver that this call alone needs. Without them, as in tests' tables, all work is on one stream.
typedef struct gp__own_streams {
  int (*cuStreamCreate)(void **stream, unsigned flags);
  int (*cuStreamDestroy)(void *stream);
  int (*cuMemGetInfo)(size_t *free, size_t *total);
} gp__own_streams;

// A column: keys or values.
typedef struct gp__host_column {
  const gp_external_array *array;
  uint64_t at; // its first byte in the array
  size_t size; // of an element
  int locked; // the array is page-locked memory
} gp__host_column;

enum { GP__STAGE_BYTES = 32 << 20, GP__COPY_THREADS = 8, GP__IN = 0, GP__OUT = 1 };
typedef struct gp__external {
  const char *who;
  gp_context *ctx;
  gp__state *s;
  gp_external_config config;
  gp_call call; // of a block
  const gp__op_info *less; // NULL: built-in order
  int columns;
  gp__host_column in[2], runs[2], out[2];
  uint64_t count, block, capacity; // elements; of a block; of the outputs
  uint64_t done, total;
  gp_external_array scratch; // the library's own
  int file; // of it, or -1
  gp__u8 *memory; // device memory: buffers, counts, workspace
  uint64_t memory_bytes, workspace_bytes;
  gp__u8 *buffers[2][2][2]; // GP__IN, GP__OUT; parity of the block; column
  uint64_t *counts; // of groups, in device memory, one a parity; then page-locked:
  uint64_t *counted;
  gp__u8 *stages; // page-locked, two for each direction
  size_t stage_bytes;
  void *streams[3], *events[6]; // in, out, the sort; two each
  gp__own_streams own;
  gp__u8 *pages; // of runs, for searches
  uint64_t *page; // the one that is held of each run, plus 1
} gp__external;

// ---- the host's side

typedef struct gp__host_copy {
  gp__u8 *to;
  const gp__u8 *from;
  size_t bytes;
} gp__host_copy;
GP__HOST void *gp__copy_in_thread(void *of) {
  const gp__host_copy *c = (const gp__host_copy *)of;
  memcpy(c->to, c->from, c->bytes);
  return NULL;
}
// Several threads copy, since one may be slower than the link.
GP__HOST void gp__copy_on_host(void *to, const void *from, size_t bytes) {
  pthread_t threads[GP__COPY_THREADS];
  gp__host_copy parts[GP__COPY_THREADS];
  const size_t each = bytes >= 1 << 20 ? bytes / GP__COPY_THREADS & ~(size_t)63 : bytes;
  int started[GP__COPY_THREADS], count = each == bytes ? 1 : GP__COPY_THREADS, i;
  for (i = 0; i < count; ++i) {
    parts[i].to = (gp__u8 *)to + each * (size_t)i;
    parts[i].from = (const gp__u8 *)from + each * (size_t)i;
    parts[i].bytes = i == count - 1 ? bytes - each * (size_t)i : each;
    started[i] = i < count - 1 && !pthread_create(&threads[i], NULL, gp__copy_in_thread, &parts[i]);
    if (!started[i]) gp__copy_in_thread(&parts[i]);
  }
  for (i = 0; i < count; ++i)
    if (started[i]) pthread_join(threads[i], NULL);
}
// Reads or writes elements of a column.
GP__HOST gp_result gp__move_external(
    const gp__external *x, const gp__host_column *c, int out, uint64_t first, uint64_t count, void *buffer) {
  const gp_external_array *a = c->array;
  const uint64_t at = c->at + first * c->size, bytes = count * c->size;
  const char *outer;
  int failed;
  if (a->memory) {
    gp__u8 *memory = (gp__u8 *)a->memory + at;
    gp__copy_on_host(out ? memory : buffer, out ? buffer : memory, (size_t)bytes);
    return GP_SUCCESS;
  }
  outer = gp__hook_begins("gp_external_array");
  failed = out ? a->write(a->user, at, bytes, buffer) : a->read(a->user, at, bytes, buffer);
  gp__hook_ends(outer);
  if (!failed) return GP_SUCCESS;
  return gp__fail(GP_E_CALLBACK,
      out ? "%s: a write of %llu bytes at %llu failed: %d" : "%s: a read of %llu bytes at %llu failed: %d", x->who,
      (gp__u64)bytes, (gp__u64)at, failed);
}
// The temporary file.
GP__HOST int gp__file_read(void *user, uint64_t offset, uint64_t bytes, void *buffer) {
  const gp__external *x = (const gp__external *)user;
  gp__u8 *to = (gp__u8 *)buffer;
  ssize_t n;
  if (lseek(x->file, (off_t)offset, SEEK_SET) < 0) return errno;
  for (; bytes; bytes -= (uint64_t)n, to += n)
    if ((n = read(x->file, to, (size_t)bytes)) <= 0) return n ? errno : EIO;
  return 0;
}
GP__HOST int gp__file_write(void *user, uint64_t offset, uint64_t bytes, const void *buffer) {
  const gp__external *x = (const gp__external *)user;
  const gp__u8 *from = (const gp__u8 *)buffer;
  ssize_t n;
  if (lseek(x->file, (off_t)offset, SEEK_SET) < 0) return errno;
  for (; bytes; bytes -= (uint64_t)n, from += n)
    if ((n = write(x->file, from, (size_t)bytes)) <= 0) return n ? errno : EIO;
  return 0;
}

// ---- to the device, and back

// A transfer in progress: elements begin[r] up to end[r] of each run, column after column, to or from buffers where
// they follow one another. Two stages take turns.
typedef struct gp__transfer {
  int out, column, turn;
  const gp__host_column *columns;
  gp__u8 *const *buffers;
  const uint64_t *begin, *end;
  uint64_t runs, stride, run, at, placed; // elements between beginnings of runs; the cursor
  struct {
    int busy;
    const gp__host_column *column; // NULL: no stage is to be written
    uint64_t first, count;
  } stage[2];
} gp__transfer;

GP__HOST gp_result gp__wait_event(const gp__external *x, int event) {
  const int error = x->s->context ? x->s->library.runtime.driver.cuEventSynchronize(x->events[event]) : 0;
  return error ? gp__cuda_fail(&x->s->library.runtime, x->who, "cuEventSynchronize", error) : GP_SUCCESS;
}
GP__HOST gp_result gp__record_event(const gp__external *x, int event) {
  const int error =
      x->s->context ? x->s->library.runtime.driver.cuEventRecord(x->events[event], x->streams[event / 2]) : 0;
  return error ? gp__cuda_fail(&x->s->library.runtime, x->who, "cuEventRecord", error) : GP_SUCCESS;
}
GP__HOST gp_result gp__copy_async(const gp__external *x, void *to, const void *from, uint64_t bytes, int stream) {
  const int error = x->s->library.runtime.driver.cuMemcpyAsync(
      (gp__cu_pointer)(uintptr_t)to, (gp__cu_pointer)(uintptr_t)from, (size_t)bytes, x->streams[stream]);
  return error ? gp__cuda_fail(&x->s->library.runtime, x->who, "cuMemcpyAsync", error) : GP_SUCCESS;
}
GP__HOST gp__u8 *gp__stage_of(const gp__external *x, int out, int slot) {
  return x->stages + (size_t)(2 * out + slot) * x->stage_bytes;
}
GP__HOST gp_result gp__settle_stage(const gp__external *x, gp__transfer *t, int slot) {
  if (!t->stage[slot].busy) return GP_SUCCESS;
  t->stage[slot].busy = 0;
  GP__CHECK(gp__wait_event(x, 2 * t->out + slot));
  return t->stage[slot].column ? gp__move_external(x, t->stage[slot].column, GP__OUT, t->stage[slot].first,
                                     t->stage[slot].count, gp__stage_of(x, t->out, slot))
                               : GP_SUCCESS;
}
// Begins the next copy; *more: there was one.
GP__HOST gp_result gp__transfer_next(const gp__external *x, gp__transfer *t, int *more) {
  const gp__host_column *c;
  uint64_t first, count, most;
  gp__u8 *device, *host;
  const int slot = t->turn;
  for (*more = 0;; t->column++, t->run = t->at = t->placed = 0) {
    if (t->column == x->columns) return GP_SUCCESS;
    while (t->run < t->runs && t->at == t->end[t->run] - t->begin[t->run]) t->run++, t->at = 0;
    if (t->run < t->runs) break;
  }
  c = &t->columns[t->column];
  first = t->run * t->stride + t->begin[t->run] + t->at;
  count = t->end[t->run] - t->begin[t->run] - t->at;
  device = t->buffers[t->column] + t->placed * c->size;
  if (x->s->context && count > (most = x->stage_bytes / c->size)) count = most;
  t->at += count;
  t->placed += count;
  *more = 1;
  if (!x->s->context) return gp__move_external(x, c, t->out, first, count, device);
  GP__CHECK(gp__settle_stage(x, t, slot));
  host = c->locked ? (gp__u8 *)c->array->memory + c->at + first * c->size : gp__stage_of(x, t->out, slot);
  if (!t->out && !c->locked) GP__CHECK(gp__move_external(x, c, GP__IN, first, count, host));
  GP__CHECK(gp__copy_async(x, t->out ? host : device, t->out ? device : host, count * c->size, t->out));
  t->stage[slot].busy = 1;
  t->stage[slot].column = t->out && !c->locked ? c : NULL;
  t->stage[slot].first = first;
  t->stage[slot].count = count;
  t->turn = !slot;
  return gp__record_event(x, 2 * t->out + slot);
}
GP__HOST gp_result gp__transfer_end(const gp__external *x, gp__transfer *t) {
  GP__CHECK(gp__settle_stage(x, t, t->turn));
  return gp__settle_stage(x, t, !t->turn);
}
