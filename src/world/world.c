// world/world.c - worlds: joining, leaving, waiting, memory, exchanges
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/call.h, api/init.h, core/words.h,
//   core/rules.h, core/shape.h, core/system.c, core/messages.c, core/driver.c, core/libraries.c, host/values.c,
//   core/sha256.c, core/names.c, core/state.c, core/types.c, core/checking.c, core/workspaces.c, core/run.c,
//   tuner/tuner.c, map/calls.c, world/nccl.c

// A rank sends its note to the others before a call that waits.
enum { GP__STARTS = GP__DIGITS + 1 };
typedef struct gp__world_note {
  uint64_t print; // a hash of the call
  uint64_t count, capacity;
  uint64_t code; // the rank's own result so far
} gp__world_note;

// Never freed, so that a closed world is an error, not a crash.
struct gp_world {
  struct gp_world *next;
  gp_context *ctx;
  pthread_mutex_t lock; // held by a call
  gp__nccl nccl;
  void *comm;
  int own_comm, rank, size, open, broken;
  size_t ranks; // size
  double timeout; // microseconds
  char why[256]; // what broke it
  void *memory, *staging; // of the device, and of the host
  size_t memory_bytes, staging_bytes;
  size_t *asked; // gp_world_workspace_size: a call, which stops there, takes asked[0], and asked[1] besides
  int capturing, captured; // the stream of the call is captured; a graph uses `memory`
  gp__state *s; // of the call that holds the lock, and its name and stream
  const char *who;
  gp_stream stream, last; // last: of the last call that took memory
  void *event;
  gp_stream side; // for what overlaps with the stream; 0: not made yet
  gp__world_note *notes; // one a rank
  uint64_t *counts; // of a call's results at each rank; as many more numbers
  uint64_t *leave, *leave_end, *arrive, *arrive_end; // see gp__world_move: size + 1 numbers each
  uint64_t *bounds; // (size + 1)^2 numbers
  uint64_t *starts; // GP__STARTS numbers a rank: where each first digit of keys begins in its shard
  gp_op before[GP_TYPE_COUNT][2]; // orders of built-in types, up and down; 0: not defined yet
  gp_op ordered[GP_TYPE_COUNT]; // keys as numbers of that order
  gp_op best[GP_TYPE_COUNT][2]; // ARGMIN and ARGMAX of ranks' results, of type `part`
  gp_type part;
  gp_op walk; // steps in graphs
};
static gp_world *gp__worlds; // all ever opened by this process
static pthread_mutex_t gp__worlds_lock = PTHREAD_MUTEX_INITIALIZER;

GP__HOST int gp__is_world(const gp_world *world, const char *who, gp_result *result) {
  const gp_world *w;
  pthread_mutex_lock(&gp__worlds_lock);
  for (w = gp__worlds; w && w != world; w = w->next) {}
  pthread_mutex_unlock(&gp__worlds_lock);
  if (w && __atomic_load_n(&w->open, __ATOMIC_ACQUIRE)) return 1;
  *result = gp__fail(GP_E_CONTEXT, "%s: world is %s", who, !world ? "null" : w ? "closed" : "no world");
  return 0;
}

// Aborts the communicator: no rank waits for this one. The message says why.
GP__HOST gp_result gp__break_world(gp_world *w, gp_result result) {
  if (!w->broken) {
    w->broken = 1;
    snprintf(
        w->why, sizeof w->why, "%.*s", (int)sizeof w->why - 1, gp__here.inside ? gp__here.draft : gp__here.message);
    if (w->comm) w->nccl.CommAbort(w->comm);
    w->comm = NULL;
  }
  return result;
}
// The result of steps between which other ranks may wait for this one.
GP__HOST gp_result gp__break_if(gp_world *w, gp_result result) {
  return result == GP_SUCCESS ? result : gp__break_world(w, result);
}
GP__HOST gp_result gp__nccl_failed(gp_world *w, const char *call, int error) {
  return gp__break_world(
      w, gp__fail(GP_E_WORLD, "%s: nccl%s failed: %s (%d)", w->who, call, w->nccl.text(error), error));
}
GP__HOST void gp__rest(void) {
  struct timeval time = {0, 20};
  select(0, NULL, NULL, NULL, &time);
}
// A call of a communicator that does not block has its result later.
GP__HOST gp_result gp__nccl_done(gp_world *w, const char *call, int error) {
  const double begin = gp__now_us();
  double now = begin;
  while (error == GP__NCCL_IN_PROGRESS) {
    if (w->nccl.CommGetAsyncError(w->comm, &error)) return gp__nccl_failed(w, "CommGetAsyncError", error);
    if (error != GP__NCCL_IN_PROGRESS) break;
    now = gp__now_us();
    if (now - begin > w->timeout)
      return gp__break_world(w,
          gp__fail(
              GP_E_WORLD, "%s: nccl%s: other ranks did not answer within %.3g s", w->who, call, w->timeout * 1e-6));
    if (now - begin > 1000) gp__rest();
  }
  return error ? gp__nccl_failed(w, call, error) : GP_SUCCESS;
}
#define GP__NCCL(call, ...) gp__nccl_done(w, #call, w->nccl.call(__VA_ARGS__))
GP__HOST gp_result gp__driver_done(gp_world *w, const char *call, int error) {
  return error ? gp__cuda_fail(&w->s->library.runtime, w->who, call, error) : GP_SUCCESS;
}
#define GP__DRIVER(call, ...) gp__driver_done(w, #call, w->s->library.runtime.driver.call(__VA_ARGS__))
// A call of this rank's GPU. gp_world_workspace_size stops there.
GP__HOST gp_result gp__world_do(gp_world *w, const gp_call *c) {
  return w->asked ? (gp_result)GP__UNKNOWN : gp_run(w->ctx, c, w->stream);
}

#define GP__EACH_RANK(q) for (q = 0; q < w->size; ++q)

// ---- memory

GP__HOST gp_result gp__find_numbers(gp_world *w) {
  const size_t n = (size_t)w->size + 1;
  uint64_t *at = (uint64_t *)calloc(n * (n + 10 + GP__STARTS), sizeof *at);
  if (!at) return gp__fail(GP_E_MEMORY, "%s: no host memory", w->who);
  w->ranks = n - 1;
  w->notes = (gp__world_note *)(void *)at;
  w->counts = at += 4 * n;
  w->leave = at += 2 * n;
  w->leave_end = at += n;
  w->arrive = at += n;
  w->arrive_end = at += n;
  w->bounds = at += n;
  w->starts = at + n * n;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__find_memory(gp_world *w, size_t bytes, void **memory) {
  if (w->s->context) return gp__allocate(w->s, w->who, bytes, w->stream, memory);
  return (*memory = malloc(bytes)) ? GP_SUCCESS
      : gp__fail(GP_E_MEMORY, "%s: no memory for %llu bytes", w->who, (gp__u64)bytes);
}
// A graph keeps its memory until gp_close.
GP__HOST gp_result gp__free_memory(gp_world *w, void *memory, size_t bytes, int captured) {
  gp__retired *kept;
  gp__workspace old;
  if (!memory) return GP_SUCCESS;
  if (!w->s->context) return free(memory), GP_SUCCESS;
  kept = (gp__retired *)malloc(sizeof *kept);
  if (!kept) return gp__fail(GP_E_MEMORY, "%s: no host memory", w->who);
  memset(&old, 0, sizeof old);
  old.workspace = memory;
  old.bytes = bytes;
  old.captured = captured;
  return gp__retire(w->s, w->who, &old, w->stream, kept);
}
GP__HOST gp_result gp__free_world_memory(gp_world *w) {
  GP__CHECK(gp__free_memory(w, w->memory, w->memory_bytes, w->captured));
  w->memory = NULL;
  w->memory_bytes = 0;
  w->captured = 0;
  return GP_SUCCESS;
}
// The world's memory grows to this for a call.
GP__HOST size_t gp__world_steps(size_t bytes) {
  return bytes <= 65536 ? 65536 : (bytes + bytes / 16 + 65535) & ~(size_t)65535;
}
GP__HOST size_t gp__aligned(size_t bytes) { return (bytes + 255) & ~(size_t)255; }
// Memory of the device for a call; what it holds does not survive.
GP__HOST gp_result gp__world_room(gp_world *w, size_t bytes) {
  if (w->asked) {
    if (bytes > w->asked[0]) w->asked[0] = bytes;
    return (gp_result)GP__UNKNOWN;
  }
  w->last = w->stream;
  if (w->memory_bytes >= bytes) {
    w->captured |= w->capturing;
    return GP_SUCCESS;
  }
  if (w->capturing)
    return gp__fail(GP_E_WORKSPACE,
        "%s: stream is captured, and the world has %llu of %llu bytes: make the call once before the capture", w->who,
        (gp__u64)w->memory_bytes, (gp__u64)bytes);
  GP__CHECK(gp__free_world_memory(w));
  bytes = gp__world_steps(bytes);
  GP__CHECK(gp__find_memory(w, bytes, &w->memory));
  w->memory_bytes = bytes;
  return GP_SUCCESS;
}
GP__HOST void gp__free_staging(gp_world *w) {
  if (w->s->context && w->staging) w->s->library.runtime.driver.cuMemFreeHost(w->staging);
  else free(w->staging);
  w->staging = NULL;
  w->staging_bytes = 0;
}
// Host memory that the device copies from and to.
GP__HOST gp_result gp__world_staging(gp_world *w, size_t bytes) {
  if (w->staging_bytes >= bytes) return GP_SUCCESS;
  bytes = (bytes + 4095) & ~(size_t)4095;
  gp__free_staging(w);
  if (!w->s->context) w->staging = malloc(bytes);
  else if (GP__DRIVER(cuMemHostAlloc, &w->staging, bytes, 1) != GP_SUCCESS) return w->staging = NULL, GP_E_MEMORY;
  if (!w->staging) return gp__fail(GP_E_MEMORY, "%s: no host memory", w->who);
  w->staging_bytes = bytes;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__world_copy(gp_world *w, void *to, const void *from, size_t bytes) {
  if (!bytes || to == from) return GP_SUCCESS;
  if (!w->s->context) return memmove(to, from, bytes), GP_SUCCESS;
  return GP__DRIVER(cuMemcpyAsync, (gp__cu_pointer)(uintptr_t)to, (gp__cu_pointer)(uintptr_t)from, bytes, w->stream);
}
GP__HOST gp_result gp__world_record(gp_world *w, gp_stream stream) {
  if (!w->event) GP__CHECK(GP__DRIVER(cuEventCreate, &w->event, GP__CU_EVENT_NO_TIMING));
  return GP__DRIVER(cuEventRecord, w->event, stream);
}
// Work that `stream` gets from now on waits for what `other` has now. One of them is the world's own.
GP__HOST gp_result gp__world_order(gp_world *w, gp_stream *stream, gp_stream *other) {
  if (!w->s->context) return GP_SUCCESS;
  if (!w->side) GP__CHECK(GP__DRIVER(cuStreamCreateWithPriority, &w->side, 1, -9)); // without the default stream
  GP__CHECK(gp__world_record(w, *other));
  return GP__DRIVER(cuStreamWaitEvent, *stream, w->event, 0);
}
GP__HOST void gp__swap_streams(gp_world *w) {
  const gp_stream stream = w->stream;
  w->stream = w->side;
  w->side = stream;
}
// Waits for the stream. Watches the communicator meanwhile.
GP__HOST gp_result gp__world_settle(gp_world *w) {
  double begin, seen = 0;
  int error;
  if (!w->s->context) return GP_SUCCESS;
  GP__CHECK(gp__world_record(w, w->stream));
  begin = gp__now_us();
  while ((error = w->s->library.runtime.driver.cuEventQuery(w->event)) == GP__CU_NOT_READY) {
    const double now = gp__now_us();
    int failed = 0;
    if (now - begin < 300) continue;
    if (now - seen > 1000) {
      seen = now;
      if (w->nccl.CommGetAsyncError(w->comm, &failed) || (failed && failed != GP__NCCL_IN_PROGRESS))
        return gp__nccl_failed(w, "CommGetAsyncError", failed);
    }
    if (now - begin > w->timeout)
      return gp__break_world(w,
          gp__fail(GP_E_WORLD,
              "%s: the stream's work did not end within %.3g s: a rank is gone, or calls something else", w->who,
              w->timeout * 1e-6));
    gp__rest();
  }
  return gp__driver_done(w, "cuEventQuery", error);
}
// Copies to the staging memory, which has room for it, and waits.
GP__HOST gp_result gp__world_read(gp_world *w, const void *from, size_t bytes) {
  GP__CHECK(gp__world_copy(w, w->staging, from, bytes));
  return gp__world_settle(w);
}

// ---- exchanges

// all[rank] = mine, in device memory, for every rank; mine may be its own place in `all`.
GP__HOST gp_result gp__world_gather(gp_world *w, const void *mine, void *all, size_t bytes) {
  return GP__NCCL(AllGather, mine, all, bytes, GP__NCCL_BYTES, w->comm, w->stream);
}
// to = the sums over the ranks. type: an ncclDataType_t.
GP__HOST gp_result gp__world_sum(gp_world *w, int type, const void *from, void *to, size_t count) {
  return GP__NCCL(AllReduce, from, to, count, type, GP__NCCL_SUM, w->comm, w->stream);
}
// As gp__world_gather from and to host memory. room: (size + 1) * bytes of the device. Waits.
GP__HOST gp_result gp__world_share(gp_world *w, const void *mine, void *all, size_t bytes, void *room) {
  gp__u8 *to = (gp__u8 *)room + bytes * w->ranks;
  GP__CHECK(gp__world_staging(w, bytes * (size_t)(w->size + 1)));
  memcpy(w->staging, mine, bytes);
  GP__CHECK(gp__world_copy(w, to, w->staging, bytes));
  GP__CHECK(gp__world_gather(w, to, room, bytes));
  GP__CHECK(gp__world_read(w, room, bytes * w->ranks));
  memcpy(all, w->staging, bytes * w->ranks);
  return GP_SUCCESS;
}
// Sends elements leave[q] up to leave_end[q] to rank q; those of rank q come to arrive[q] up to arrive_end[q]. size:
// bytes of an element. In a group; NCCL's result.
GP__HOST int gp__send_others(gp_world *w, const gp__u8 *source, gp__u8 *target, size_t size) {
  int q, error = 0;
  for (q = 0; q < w->size && !error; ++q) {
    const uint64_t out = (w->leave_end[q] - w->leave[q]) * size, in = (w->arrive_end[q] - w->arrive[q]) * size;
    if (q == w->rank) continue;
    if (out) error = w->nccl.Send(source + w->leave[q] * size, out, GP__NCCL_BYTES, q, w->comm, w->stream);
    if (in && !error) error = w->nccl.Recv(target + w->arrive[q] * size, in, GP__NCCL_BYTES, q, w->comm, w->stream);
  }
  return error;
}
GP__HOST gp_result gp__sent(gp_world *w, int error) { // ends the group
  const int ended = w->nccl.GroupEnd();
  return gp__nccl_done(w, "Send and ncclRecv", error ? error : ended);
}
GP__HOST gp_result gp__world_send(gp_world *w, const void *from, void *to, size_t size) {
  const gp__u8 *source = (const gp__u8 *)from;
  gp__u8 *target = (gp__u8 *)to;
  int q = w->rank, error;
  if (w->asked) return (gp_result)GP__UNKNOWN;
  error = w->nccl.GroupStart();
  GP__CHECK(gp__sent(w, error ? error : gp__send_others(w, source, target, size)));
  return gp__world_copy(
      w, target + w->arrive[q] * size, source + w->leave[q] * size, (size_t)(w->leave_end[q] - w->leave[q]) * size);
}
// The same, where what leaves to q and what arrives from q ends with what q + 1 has.
GP__HOST gp_result gp__world_move(gp_world *w, const void *from, void *to, size_t size) {
  const size_t bytes = w->ranks * sizeof *w->leave;
  memcpy(w->leave_end, w->leave + 1, bytes);
  memcpy(w->arrive_end, w->arrive + 1, bytes);
  return gp__world_send(w, from, to, size);
}

// An operator that a world defines when it first needs it. user: for `host`.
GP__HOST gp_result gp__world_op(gp_world *w, gp_op *op, int arity, const char *name, const char *body,
    const char *prelude, gp_host_fn host, uintptr_t user) {
  gp_op_desc d = gp_op_desc_init();
  d.name = name;
  d.body = body;
  d.prelude = prelude;
  d.arity = arity;
  d.host = host;
  d.host_user = (void *)user;
  return *op ? GP_SUCCESS : gp_op_define(w->ctx, &d, op);
}

// The first element of a rank's even share of `total`.
GP__HOST uint64_t gp__share_begin(const gp_world *w, uint64_t total, int rank) {
  const uint64_t each = total / w->ranks, more = total % w->ranks;
  return each * (uint64_t)rank + ((uint64_t)rank < more ? (uint64_t)rank : more);
}
GP__HOST uint64_t gp__share_of(const gp_world *w, uint64_t total, int rank) {
  return gp__share_begin(w, total, rank + 1) - gp__share_begin(w, total, rank);
}

// ---- what ranks tell each other before a call

// A hash of what all ranks must call alike.
GP__HOST uint64_t gp__fingerprint(gp_context *ctx, const gp_call *c) {
  const gp_type types[] = {c->in_type, c->in2_type, c->key_type, c->acc_type, c->out_type, c->out2_type};
  const gp_op ops[] = {c->op, c->transform, c->equal, c->apply, c->predicate2};
  const uint64_t numbers[] = {
      (uint64_t)c->primitive, (uint64_t)c->flags, c->k, c->bins, (uint64_t)c->channels, (uint64_t)c->active};
  uint64_t hash = gp__hash_bytes(numbers, sizeof numbers);
  size_t i;
  for (i = 0; i < 11; ++i) {
    const char *name = i < 6 ? gp_type_name(ctx, types[i]) : gp_op_name(ctx, ops[i - 6]);
    hash = hash * 31 + gp__hash_bytes(name, name ? strlen(name) : 0);
    if (i < 6) hash = hash * 31 + gp_type_size(ctx, types[i]);
  }
  return hash;
}
// The world's memory begins with what ranks share before the results are there.
GP__HOST size_t gp__shared_bytes(const gp_world *w) { return gp__aligned((w->ranks + 1) * sizeof(gp__world_note)); }
// Compares notes: every rank has the same result. code: of this rank's own checks.
GP__HOST gp_result gp__world_agree(gp_world *w, const gp_call *c, uint64_t count, uint64_t capacity, gp_result code) {
  gp__world_note note;
  gp_result shared;
  int q;
  if (w->asked) return code;
  note.print = gp__fingerprint(w->ctx, c);
  note.count = count;
  note.capacity = capacity;
  note.code = (uint64_t)code;
  GP__CHECK(gp__world_room(w, (size_t)(w->size + 1) * sizeof note));
  shared = gp__world_share(w, &note, w->notes, sizeof note, w->memory);
  if (code != GP_SUCCESS) return code;
  GP__CHECK(shared);
  GP__EACH_RANK(q) {
    if (w->notes[q].code)
      return gp__fail(GP_E_WORLD, "%s: rank %d refused its call: %s (%s)", w->who, q,
          gp_result_name((gp_result)w->notes[q].code), gp_result_text((gp_result)w->notes[q].code));
    if (w->notes[q].print != w->notes[0].print)
      return gp__fail(GP_E_WORLD,
          "%s: ranks 0 and %d call different things: another primitive, type, operator or option", w->who, q);
  }
  return GP_SUCCESS;
}
// The ranks' elements before this rank's.
GP__HOST uint64_t gp__world_before(const gp_world *w) {
  uint64_t before = 0;
  int q;
  for (q = 0; q < w->rank; ++q) before += w->notes[q].count;
  return before;
}
// Whether `each` elements for everything in each rank's even share of `total` fit its capacity.
GP__HOST gp_result gp__check_shares(gp_world *w, uint64_t total, uint64_t each) {
  int q;
  GP__EACH_RANK(q)
    if (each * gp__share_of(w, total, q) > w->notes[q].capacity)
      return gp__fail(GP_E_ARGUMENT, "%s: @capacity of rank %d is %llu, and its even share has %llu elements", w->who,
          q, (gp__u64)w->notes[q].capacity, (gp__u64)(each * gp__share_of(w, total, q)));
  return GP_SUCCESS;
}
// Sets *total to the sum of the ranks' counts. Every rank's even share must fit its capacity.
GP__HOST gp_result gp__world_total(gp_world *w, int even, uint64_t *total) {
  int q;
  *total = 0;
  GP__EACH_RANK(q) {
    if (w->notes[q].count > INT64_MAX - *total)
      return gp__fail(GP_E_SIZE, "%s: @count: the ranks have 2^63 elements or more", w->who);
    *total += w->notes[q].count;
  }
  return even ? gp__check_shares(w, *total, 1) : GP_SUCCESS;
}
// Compares notes of calls that need the array's size. count: elements of this rank.
GP__HOST gp_result gp__world_meet(
    gp_world *w, const gp_call *c, uint64_t count, gp_result code, int even, uint64_t *total) {
  GP__CHECK(gp__world_agree(w, c, count, c->capacity ? c->capacity : c->count, code));
  return gp__world_total(w, even, total);
}
// Whether a rank's own arguments are good. local: what its GPU runs.
GP__HOST gp_result gp__check_arrays(gp_world *w, const gp_call *c, const gp_call *local) {
  return c->in_type == GP_INPUT || c->key_type == GP_INPUT
      ? gp__fail(GP_E_UNSUPPORTED, "%s: a world takes no described inputs (GP_INPUT) for it", w->who)
      : gp_prepare(w->ctx, local);
}
// Elements that a call reads: a count in device memory comes to the host.
GP__HOST gp_result gp__world_count(gp_world *w, const gp_call *c, uint64_t *count) {
  *count = c->count;
  if (!c->count_device || w->asked) return GP_SUCCESS;
  GP__CHECK(gp__world_staging(w, sizeof *count));
  GP__CHECK(gp__world_read(w, c->count_device, sizeof *count));
  memcpy(count, w->staging, sizeof *count);
  if (*count > c->count) *count = c->count;
  return GP_SUCCESS;
}
GP__HOST gp_result gp__world_write_count(gp_world *w, uint64_t *to, uint64_t count) {
  return to ? gp_fill(w->ctx, GP_U64, &count, to, 1, w->stream) : GP_SUCCESS;
}
// A rank's GPU runs this: without the world's part.
GP__HOST gp_call gp__shard_call(const gp_call *c) {
  gp_call local = *c;
  local.capacity = 0;
  local.flags &= ~GP_BALANCED;
  return local;
}
// The same of calls whose numbers of elements are on the host.
GP__HOST gp_result gp__shard_counted(gp_world *w, const gp_call *c, gp_call *local) {
  *local = *c;
  local->capacity = 0;
  local->count_device = NULL;
  return gp__world_count(w, c, &local->count);
}
