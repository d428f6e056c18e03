// core/workspaces.c - workspaces of streams
// uses: api/config.h, api/lists.h, api/context_types.h, core/words.h, core/rules.h, core/shape.h, core/geometry.h,
//   core/system.c, core/messages.c, core/driver.c, core/libraries.c, core/request.c, core/state.c, core/close.c

GP__HOST uint64_t gp__word_bytes(const gp__geometry *g) {
  return g->words ? (GP__CONTROL_BYTES + g->words * GP__WORD_BYTES + 255) & ~(uint64_t)255 : 0;
}
GP__HOST uint64_t gp__scratch_bytes(const gp__geometry *g) { return (g->scratch + 255) & ~(uint64_t)255; }
GP__HOST uint64_t gp__workspace_bytes(const gp__geometry *g) {
  const uint64_t words = gp__word_bytes(g), scratch = gp__scratch_bytes(g);
  return scratch && !words ? GP__CONTROL_BYTES + scratch : words + scratch;
}

// The newest stream of this handle in the table. (It may be destroyed, if a new stream has inherited its handle and is
// captured before its first ordinary call: its workspace then serves the new one.)
GP__HOST gp__u64 gp__key_of_handle(gp__state *s, gp_stream stream) {
  gp__u64 key = (uintptr_t)stream;
  int i;
  pthread_mutex_lock(&s->lock);
  for (i = 0; i < GP__STREAM_SLOTS; ++i) {
    const gp__workspace *r;
    for (r = s->streams[i]; r; r = r->next)
      if (r->handle == stream && r->key > key) key = r->key;
  }
  pthread_mutex_unlock(&s->lock);
  return key;
}

// Checks that a stream is of the context's.
GP__HOST gp_result gp__check_stream(gp__state *s, const char *who, gp_stream stream) {
  void *owner = NULL;
  int error;
  if (!stream || stream == (gp_stream)1) return GP_SUCCESS;
  error = s->library.runtime.driver.cuStreamGetCtx(stream, &owner);
  if (error) {
    gp__cuda_fail(&s->library.runtime, who, "stream: cuStreamGetCtx", error);
    return GP_E_STREAM;
  }
  return owner == s->context
      ? GP_SUCCESS
      : gp__fail(GP_E_STREAM, "%s: stream does not belong to the primary context of device %d", who, s->about.device);
}
// Numbers a stream for the table. Handles of destroyed streams are used again, ids are not. gp__find_stream checks new
// ones; the caller does if key is NULL.
GP__HOST gp_result gp__number_of_stream(gp__state *s, const char *who, gp_stream stream, gp__u64 *key, int *capturing) {
  const struct gp_driver *d = &s->library.runtime.driver;
  static __thread char thread;
  int error;
  if (key) *key = 0;
  *capturing = 0;
  if (!stream || stream == (gp_stream)1) return GP_SUCCESS; // the default stream, which cannot be captured
  error = d->cuStreamIsCapturing(stream, capturing);
  if (error || (key && (*capturing || !d->cuStreamGetId))) GP__CHECK(gp__check_stream(s, who, stream));
  if (error) return gp__cuda_fail(&s->library.runtime, who, "cuStreamIsCapturing", error);
  if (!key) return GP_SUCCESS;
  if (d->cuStreamGetId) {
    if (*capturing) { // to ask for the id would end the capture: the id seen last
      *key = gp__key_of_handle(s, stream);
      return GP_SUCCESS;
    }
    error = d->cuStreamGetId(stream, key);
    if (error) return gp__cuda_fail(&s->library.runtime, who, "cuStreamGetId", error);
    *key |= 1ull << 63;
  } else { // the default stream of a thread has one handle for all threads
    *key = (uintptr_t)stream;
    if (stream == (gp_stream)2) *key = (uintptr_t)&thread;
  }
  return GP_SUCCESS;
}

// The lock of a stream's workspace. A thread that has it may take it again, because a call may run others. It never has
// two: these are all on one stream, and hooks run none.
typedef struct gp__locked {
  gp__workspace *workspace;
  int depth;
  gp__workspace *lent; // by the call that runs: it serves all of its launches
} gp__locked;
GP__HOST gp__locked *gp__locked_here(void) {
  static __thread gp__locked here;
  return &here;
}
GP__HOST void gp__lock_stream(gp__workspace *r, int capturing) {
  gp__locked *here = gp__locked_here();
  if (here->workspace != r || !here->depth) pthread_mutex_lock(&r->lock), here->workspace = r, here->depth = 0;
  ++here->depth;
  r->capturing = capturing;
}
// Records the entry's event on its stream, whose calls so far it comes after.
GP__HOST void gp__record(gp__state *s, gp__workspace *r) {
  const struct gp_driver *d = &s->library.runtime.driver;
  if (!r->event && d->cuEventCreate(&r->event, GP__CU_EVENT_NO_TIMING)) r->event = NULL;
  r->recorded = r->event && !d->cuEventRecord(r->event, r->handle); // otherwise it keeps its place
}
// Ends a call's use of a workspace that gp__find_stream found.
GP__HOST void gp__unlock_stream(gp__state *s, gp__workspace *r) {
  if (!--gp__locked_here()->depth) {
    if (!r->capturing && !r->lent &&
        (s->events || __atomic_load_n(&s->stream_count, __ATOMIC_RELAXED) > s->workspaces / 2))
      gp__record(s, r);
    pthread_mutex_unlock(&r->lock);
  }
  __atomic_sub_fetch(&r->users, 1, __ATOMIC_RELEASE);
}

// Whether calls may be at work on a stream's entry. Only with gp_config.own_work do calls without a workspace count.
GP__HOST int gp__has_work(const gp__state *s, const gp__workspace *r) { return r->workspace || s->own_work; }

// Takes a workspace out of the table: the least recently used one that no call has, no graph may use, and whose work
// has ended. NULL: there is none. empty: only one without memory. The state's lock is held.
GP__HOST gp__workspace *gp__evict(gp__state *s, int empty) {
  gp__u64 later = 0;
  for (;;) {
    gp__workspace **oldest = NULL, **at, *r;
    int i;
    for (i = 0; i < GP__STREAM_SLOTS; ++i)
      for (at = &s->streams[i]; (r = *at) != NULL; at = &r->next)
        if (r->used > later && (!oldest || r->used < (*oldest)->used) &&
            !__atomic_load_n(&r->users, __ATOMIC_ACQUIRE) && !r->captured && !(r->workspace && empty) &&
            (r->recorded || !gp__has_work(s, r)))
          oldest = at;
    if (!oldest) return NULL;
    r = *oldest;
    later = r->used;
    if (gp__has_work(s, r) && s->library.runtime.driver.cuEventQuery(r->event)) continue; // still at work
    *oldest = r->next;
    __atomic_store_n(&s->stream_count, s->stream_count - 1, __ATOMIC_RELAXED);
    return r;
  }
}
GP__HOST gp_result gp__retire(gp__state *s, const char *who, gp__workspace *r, gp_stream stream, gp__retired *kept);
// The workspace of a stream, for gp__lock_stream and gp__unlock_stream. A new stream may replace others.
GP__HOST gp_result gp__find_stream(
    gp__state *s, const char *who, gp__u64 key, gp_stream stream, int capturing, gp__workspace **found) {
  const struct gp_driver *d = &s->library.runtime.driver;
  gp__workspace **slot = &s->streams[(key * 0x9e3779b97f4a7c15ull >> 32) % GP__STREAM_SLOTS], *r, *gone = NULL;
  const int returns = s->release || s->pools;
  int mode = GP__CU_CAPTURE_RELAXED;
  gp_result result = GP_SUCCESS;
  if (gp__locked_here()->lent) {
    GP__CHECK(gp__check_stream(s, who, stream));
    *found = gp__locked_here()->lent;
    ++(*found)->users;
    return GP_SUCCESS;
  }
  pthread_mutex_lock(&s->lock);
  for (r = *slot; r && r->key != key; r = r->next) {}
  if (!r) result = gp__check_stream(s, who, stream);
  if (!r && result == GP_SUCCESS) {
    if (s->stream_count >= s->workspaces && !d->cuThreadExchangeStreamCaptureMode(&mode)) {
      while (s->stream_count >= s->workspaces && (!gone || returns) && (r = gp__evict(s, capturing)) != NULL)
        r->next = gone, gone = r;
      d->cuThreadExchangeStreamCaptureMode(&mode);
    }
    r = returns ? NULL : gone; // memory that cannot be given back now changes hands
    if (r) gone = NULL;
    else {
      r = (gp__workspace *)calloc(1, sizeof *r);
      if (r) pthread_mutex_init(&r->lock, NULL);
    }
    if (r) {
      r->key = key;
      r->handle = stream;
      r->recorded = 0;
      r->next = *slot;
      *slot = r;
      __atomic_store_n(&s->stream_count, s->stream_count + 1, __ATOMIC_RELAXED);
    }
  }
  if (r) {
    r->used = ++s->clock;
    __atomic_add_fetch(&r->users, 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&s->lock);
  while (gone) { // all work on its memory has ended, so any stream's order will do
    gp__workspace *next = gone->next;
    const gp_result given = gone->workspace ? gp__retire(s, who, gone, stream, NULL) : GP_SUCCESS;
    if (result == GP_SUCCESS) result = given;
    gp__free_stream(s, gone);
    gone = next;
  }
  if (!r && result == GP_SUCCESS) result = gp__fail(GP_E_MEMORY, "%s: no memory for a stream's workspace", who);
  if (!r) return result;
  if (result != GP_SUCCESS) __atomic_sub_fetch(&r->users, 1, __ATOMIC_RELEASE);
  *found = r;
  return result;
}

// The stream of a caller's last launch, and with `keep` its workspace, kept from eviction; NULL before the first one.
typedef struct gp__recent {
  gp_stream stream;
  gp__u64 key;
  gp__workspace *workspace;
  int keep;
} gp__recent;
GP__HOST void gp__forget_stream(gp__recent *recent) {
  if (recent->workspace) __atomic_sub_fetch(&recent->workspace->users, 1, __ATOMIC_RELEASE);
  recent->workspace = NULL;
}
// As gp__find_stream, without the state's lock where the stream is the same as before.
GP__HOST gp_result gp__find_recent(gp__state *s, const char *who, gp__u64 key, gp_stream stream, int capturing,
    gp__recent *recent, gp__workspace **found) {
  if (gp__locked_here()->lent || (recent && !recent->keep)) recent = NULL;
  if (recent && recent->workspace && recent->key == key) {
    *found = recent->workspace;
    __atomic_add_fetch(&(*found)->users, 1, __ATOMIC_RELAXED);
    return GP_SUCCESS;
  }
  GP__CHECK(gp__find_stream(s, who, key, stream, capturing, found));
  if (recent) {
    gp__forget_stream(recent);
    recent->key = key;
    recent->workspace = *found;
    __atomic_add_fetch(&(*found)->users, 1, __ATOMIC_RELAXED);
  }
  return GP_SUCCESS;
}

// Gives memory back in stream order, or keeps it for gp_close if a graph may use it or the driver would wait.
GP__HOST gp_result gp__retire(gp__state *s, const char *who, gp__workspace *r, gp_stream stream, gp__retired *kept) {
  int error;
  if (r->captured || (!s->release && !s->pools)) {
    kept->pointer = r->workspace;
    kept->bytes = r->bytes;
    pthread_mutex_lock(&s->lock);
    kept->next = s->retired;
    s->retired = kept;
    pthread_mutex_unlock(&s->lock);
    return GP_SUCCESS;
  }
  free(kept);
  if (s->release) {
    gp__release(s, r->workspace, r->bytes, stream);
    return GP_SUCCESS;
  }
  error = s->library.runtime.driver.cuMemFreeAsync((gp__cu_pointer)(uintptr_t)r->workspace, stream);
  return error ? gp__cuda_fail(&s->library.runtime, who, "cuMemFreeAsync", error) : GP_SUCCESS;
}

GP__HOST gp_result gp__allocate(gp__state *s, const char *who, size_t bytes, gp_stream stream, void **out) {
  const struct gp_driver *d = &s->library.runtime.driver;
  gp__cu_pointer pointer = 0;
  int error, mode = GP__CU_CAPTURE_RELAXED;
  if (s->allocate) {
    const char *outer = gp__hook_begins("gp_config.allocate");
    void *given = s->allocate(s->allocator_user, bytes, stream);
    gp__hook_ends(outer);
    if (!given)
      return gp__fail(
          GP_E_MEMORY, "%s: gp_config.allocate returned NULL for a workspace of %lu bytes", who, (unsigned long)bytes);
    if ((uintptr_t)given % 256) {
      gp__release(s, given, bytes, stream);
      return gp__fail(GP_E_MEMORY, "%s: gp_config.allocate returned %p, not aligned to 256 bytes", who, given);
    }
    *out = given;
    return GP_SUCCESS;
  }
  if (s->pools) {
    error = d->cuMemAllocAsync(&pointer, bytes, stream);
  } else {
    d->cuThreadExchangeStreamCaptureMode(&mode); // a capture elsewhere would forbid the call
    error = d->cuMemAlloc(&pointer, bytes);
    if (mode != GP__CU_CAPTURE_RELAXED) d->cuThreadExchangeStreamCaptureMode(&mode);
  }
  if (error) {
    gp__cuda_fail(&s->library.runtime, who, s->pools ? "cuMemAllocAsync" : "cuMemAlloc", error);
    return error == GP__CU_OUT_OF_MEMORY ? GP_E_MEMORY : GP_E_DRIVER;
  }
  *out = (void *)(uintptr_t)pointer;
  return GP_SUCCESS;
}

// Retires workspaces of idle streams, the least recently used first, while all together exceed gp_config's limit.
GP__HOST gp_result gp__bound_workspaces(gp__state *s, const char *who, gp_stream stream) {
  const struct gp_driver *d = &s->library.runtime.driver;
  gp__workspace *gone = NULL, *r;
  uint64_t total = 0;
  int mode = GP__CU_CAPTURE_RELAXED, i;
  gp_result result = GP_SUCCESS;
  if (!s->most_bytes || (!s->release && !s->pools) || d->cuThreadExchangeStreamCaptureMode(&mode)) return GP_SUCCESS;
  pthread_mutex_lock(&s->lock);
  for (i = 0; i < GP__STREAM_SLOTS; ++i)
    for (r = s->streams[i]; r; r = r->next) total += r->bytes;
  while (total > s->most_bytes && (r = gp__evict(s, 0)) != NULL) total -= r->bytes, r->next = gone, gone = r;
  pthread_mutex_unlock(&s->lock);
  d->cuThreadExchangeStreamCaptureMode(&mode);
  while (gone) { // all work on its memory has ended, so any stream's order will do
    r = gone;
    gone = r->next;
    if (r->workspace) {
      const gp_result given = gp__retire(s, who, r, stream, NULL);
      if (result == GP_SUCCESS) result = given;
    }
    gp__free_stream(s, r);
  }
  return result;
}

// Grows the stream's workspace if it is too small. `scratch` of the `need` bytes need not be zero. The stream's lock is
// held.
GP__HOST gp_result gp__grow(
    gp__state *s, const char *who, gp__workspace *r, gp_stream stream, uint64_t need, uint64_t scratch, int capturing) {
  const struct gp_driver *d = &s->library.runtime.driver;
  gp__retired *kept = NULL;
  void *fresh = NULL, *old = r->workspace;
  size_t bytes;
  gp_result result;
  int error;
  if (r->bytes >= need) {
    r->captured |= capturing;
    return GP_SUCCESS;
  }
  if (r->lent)
    return gp__fail(GP_E_WORKSPACE, "%s: the call needs a workspace of %llu bytes, and @workspace_bytes is %llu", who,
        (gp__u64)need, (gp__u64)r->bytes);
  if (capturing)
    return gp__fail(GP_E_WORKSPACE,
        "%s: the call needs a workspace of %llu bytes, but the captured stream has %llu: call "
        "gp_reserve(ctx, stream, %llu) before the capture",
        who, (gp__u64)need, (gp__u64)r->bytes, (gp__u64)need);
  bytes = 65536; // powers of two, so that a growing problem is served by few allocations
  while (bytes < need && bytes < (64u << 20)) bytes *= 2;
  if (bytes < need) bytes = (size_t)((need + 0xffffff) & ~(uint64_t)0xffffff);
  if (bytes < need) return gp__fail(GP_E_MEMORY, "%s: no memory for a workspace of %llu bytes", who, (gp__u64)need);
  if (old) {
    kept = (gp__retired *)malloc(sizeof *kept);
    if (!kept) return gp__fail(GP_E_MEMORY, "%s: no memory", who);
  }
  result = gp__allocate(s, who, bytes, stream, &fresh);
  if (result != GP_SUCCESS) {
    free(kept);
    return result;
  }
  error = d->cuMemsetD8Async((gp__cu_pointer)(uintptr_t)fresh, 0, bytes - scratch, stream);
  if (error) {
    result = gp__cuda_fail(&s->library.runtime, who, "cuMemsetD8Async", error);
    if (s->release) gp__release(s, fresh, bytes, stream);
    else if (s->pools) d->cuMemFreeAsync((gp__cu_pointer)(uintptr_t)fresh, stream);
    else d->cuMemFree((gp__cu_pointer)(uintptr_t)fresh);
    free(kept);
    return result;
  }
  if (old) result = gp__retire(s, who, r, stream, kept);
  r->workspace = fresh;
  r->bytes = bytes;
  r->captured = 0;
  r->tagged = bytes - scratch;
  r->soiled = bytes;
  r->pinned = 0;
  return result == GP_SUCCESS ? gp__bound_workspaces(s, who, stream) : result;
}

// Room for a call: `words` bytes of tagged words at the front (0: none), `scratch` bytes at the back, before what an
// outer call holds. The workspace gets at least `least` bytes. The stream's lock is held.
GP__HOST gp_result gp__find_room(gp__state *s, const char *who, gp__workspace *r, gp_stream stream, uint64_t words,
    uint64_t scratch, uint64_t least, int capturing, void **scratch_at) {
  uint64_t front = scratch && !words ? (uint64_t)GP__CONTROL_BYTES : words, need;
  if (words > r->words) r->words = words;
  if (front < r->pinned) front = r->pinned;
  need = front + scratch + r->held;
  // Words keep a place of their own besides scratch if there is one: no need to clear them between calls.
  if (!capturing && !r->lent && !r->held && scratch && r->words > front) need += r->words - front;
  if (need < least) need = least;
  GP__CHECK(r->held && r->bytes < need
          ? gp__fail(GP_E_WORKSPACE, "%s: no room is left in the workspace of the outer call", who)
          : gp__grow(s, who, r, stream, need, scratch, capturing));
  if (words > r->tagged) {
    const int error = s->library.runtime.driver.cuMemsetD8Async(
        (gp__cu_pointer)(uintptr_t)r->workspace + r->tagged, 0, words - r->tagged, stream);
    if (error) return gp__cuda_fail(&s->library.runtime, who, "cuMemsetD8Async", error);
    r->tagged = gp__smaller(words, r->soiled);
  }
  if (capturing && words > r->pinned) r->pinned = words;
  if (scratch) {
    const size_t at = (r->bytes - r->held - scratch) & ~(size_t)255;
    if (at < r->tagged) r->tagged = at;
    if (capturing && at < r->soiled) r->soiled = at;
    *scratch_at = (gp__u8 *)r->workspace + at;
  }
  return GP_SUCCESS;
}

// Lends the caller's memory to a call's launches in this thread, until gp__take_back.
GP__HOST int gp__wants_to_lend(const gp__request *q) { return q->workspace && !gp__locked_here()->lent; }
GP__HOST void gp__lend(gp__workspace *r, const gp__request *q, gp_stream stream) {
  memset(r, 0, sizeof *r);
  pthread_mutex_init(&r->lock, NULL);
  r->lent = 1;
  r->handle = stream;
  r->workspace = q->workspace;
  r->bytes = r->soiled = q->workspace_bytes;
  gp__locked_here()->lent = r;
}
GP__HOST gp_result gp__take_back(gp__workspace *r, gp_result result) {
  gp__locked_here()->lent = NULL;
  pthread_mutex_destroy(&r->lock);
  return result;
}
// With gp_config.own_work: notes a launch that used no workspace of the context's.
GP__HOST gp_result gp__note_launch(gp__state *s, const char *who, gp__u64 key, gp_stream stream, int capturing) {
  gp__locked *here = gp__locked_here();
  gp__workspace *lent = here->lent, *r;
  gp_result result;
  if (capturing) {
    __atomic_store_n(&s->captured, 1, __ATOMIC_RELAXED);
    return GP_SUCCESS;
  }
  here->lent = NULL;
  result = gp__find_stream(s, who, key, stream, 0, &r);
  here->lent = lent;
  if (result != GP_SUCCESS) return result;
  pthread_mutex_lock(&r->lock);
  gp__record(s, r);
  pthread_mutex_unlock(&r->lock);
  __atomic_sub_fetch(&r->users, 1, __ATOMIC_RELEASE);
  return GP_SUCCESS;
}
