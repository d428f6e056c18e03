// A libnccl for tests: ranks are threads or processes of one machine, which pass messages through a shared file. Host
// memory, or a GPU's, whose bytes go through the host; calls return when their messages have gone. Build:
//     cc -shared -fPIC -O2 -pthread -o libgp_loopback.so tests/world/loopback.c -ldl
// GPUPRIMS_LOOPBACK, words with commas between them:
//     delay=US      before each step, up to so many microseconds, at random
//     reorder=SEED  the messages of a group move in a random order, parts of one between parts of others; those of a
//                   rank to another keep theirs
//     timeout=MS    a call that waits longer fails (20000)
//     fail=R:N:E    rank R's N-th call returns the result E, and sends nothing. Beginnings and ends of groups count
//     alter=R:N:V   rank R's N-th call, if it gathers, gives the number V in place of its first 8 bytes
//     die=R:N       at its N-th call, rank R's process ends, or its thread never comes back from the call
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SUCCESS = 0, UNHANDLED_CUDA = 1, SYSTEM = 2, ARGUMENT = 4, USAGE = 5, REMOTE = 6, ID_BYTES = 128, RING = 16384 };
typedef struct ncclUniqueId {
  char bytes[ID_BYTES];
} ncclUniqueId;

typedef struct Channel { // from one rank to another
  uint64_t written, read;
  unsigned char ring[RING];
} Channel;
typedef struct Shared {
  int joined, left, aborted;
  Channel channel[];
} Shared;
typedef struct Comm {
  Shared *shared;
  size_t bytes;
  int rank, size, calls;
  uint64_t seed;
  char path[256];
} Comm;
typedef struct Step { // a message that goes or comes
  Comm *comm;
  int peer, sends;
  unsigned char *data;
  uint64_t bytes, done, turn;
  int place; // in the group
  void *device; // where the data is, if the device has it
  void *stream;
} Step;

static __thread Step *steps;
static __thread int step_count, step_room, depth, group_result;
static __thread Comm *last; // of this thread's last call
static int failures; // that were injected

// ---- the driver, if a context is current
static struct {
  int (*current)(void **);
  int (*settle)(void *stream);
  int (*to_host)(void *, unsigned long long, size_t);
  int (*to_device)(unsigned long long, const void *, size_t, void *stream);
} cuda;
static pthread_once_t cuda_once = PTHREAD_ONCE_INIT;
static void open_cuda(void) {
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  *(void **)&cuda.current = dlsym(library, "cuCtxGetCurrent");
  *(void **)&cuda.settle = dlsym(library, "cuStreamSynchronize");
  *(void **)&cuda.to_host = dlsym(library, "cuMemcpyDtoH_v2");
  *(void **)&cuda.to_device = dlsym(library, "cuMemcpyHtoDAsync_v2");
}
// Copies in the stream and waits: a copy from pageable memory in the default stream may arrive after its return.
static int deliver(void *to, const void *from, size_t bytes, void *stream) {
  return cuda.to_device((unsigned long long)(uintptr_t)to, from, bytes, stream) || cuda.settle(stream);
}
static int on_device(void) {
  void *context = NULL;
  pthread_once(&cuda_once, open_cuda);
  return cuda.current && !cuda.current(&context) && context;
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
static uint64_t setting(const char *name, uint64_t otherwise) {
  const char *all = getenv("GPUPRIMS_LOOPBACK"), *at = all ? strstr(all, name) : NULL;
  return at ? strtoull(at + strlen(name), NULL, 10) : otherwise;
}
static int tells(Comm *comm, const char *name, uint64_t *result) {
  const char *all = getenv("GPUPRIMS_LOOPBACK"), *at = all ? strstr(all, name) : NULL;
  char *end;
  if (!at || (int)strtol(at + strlen(name), &end, 10) != comm->rank || *end != ':') return 0;
  if ((int)strtol(end + 1, &end, 10) != comm->calls) return 0;
  *result = *end == ':' ? strtoull(end + 1, NULL, 10) : 0;
  return 1;
}
static uint64_t random64(uint64_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return *seed;
}

// Counts a call; the failures that a test has asked for.
static int begins(Comm *comm) {
  uint64_t result = 0;
  last = comm;
  ++comm->calls;
  if (tells(comm, "die=", &result))
    for (;;) {
      if (setting("process=", 0)) _exit(9);
      usleep(1000);
      if (__atomic_load_n(&comm->shared->aborted, __ATOMIC_ACQUIRE)) return REMOTE;
    }
  if (!tells(comm, "fail=", &result)) return SUCCESS;
  __atomic_add_fetch(&failures, 1, __ATOMIC_ACQ_REL);
  return (int)result;
}
// For tests: how many failures were injected since the last time.
int gp_loopback_failures(void) { return __atomic_exchange_n(&failures, 0, __ATOMIC_ACQ_REL); }

static int moves(Step *s) { // bytes that moved
  Comm *c = s->comm;
  Channel *way = &c->shared->channel[s->sends ? c->rank * c->size + s->peer : s->peer * c->size + c->rank];
  const uint64_t written = __atomic_load_n(&way->written, __ATOMIC_ACQUIRE),
                 read = __atomic_load_n(&way->read, __ATOMIC_ACQUIRE);
  uint64_t n = s->sends ? RING - (written - read) : written - read, i;
  if (n > s->bytes - s->done) n = s->bytes - s->done;
  for (i = 0; i < n;) {
    const uint64_t at = (s->sends ? written + i : read + i) % RING, part = n - i < RING - at ? n - i : RING - at;
    if (s->sends) memcpy(way->ring + at, s->data + s->done + i, part);
    else memcpy(s->data + s->done + i, way->ring + at, part);
    i += part;
  }
  s->done += n;
  if (n && s->sends) __atomic_store_n(&way->written, written + n, __ATOMIC_RELEASE);
  else if (n) __atomic_store_n(&way->read, read + n, __ATOMIC_RELEASE);
  return n != 0;
}
static int by_turn(const void *a, const void *b) {
  const Step *s = a, *t = b;
  return s->turn != t->turn ? (s->turn < t->turn ? -1 : 1) : s->place < t->place ? -1 : s->place > t->place;
}
// Messages of a pair of ranks keep their order.
static int is_blocked(const Step *s) {
  int k, blocked = 0;
  for (k = 0; k < step_count && !blocked; ++k)
    blocked = steps[k].peer == s->peer && steps[k].sends == s->sends && steps[k].place < s->place &&
        steps[k].done < steps[k].bytes;
  return blocked;
}
static void drop_steps(void) {
  while (step_count)
    if (steps[--step_count].device) free(steps[step_count].data);
}
static int finish_steps(void) {
  const uint64_t delay = setting("delay=", 0), timeout = setting("timeout=", 20000), order = setting("reorder=", 0);
  double since = now_ms();
  int left = step_count, idle = 0, i, result = SUCCESS;
  for (i = 0; i < step_count; ++i) steps[i].place = i;
  while (left && result == SUCCESS) {
    int moved = 0;
    if (order) {
      for (i = 0; i < step_count; ++i) steps[i].turn = random64(&steps[i].comm->seed) ^ order;
      qsort(steps, (size_t)step_count, sizeof *steps, by_turn);
    }
    for (i = 0, left = 0; i < step_count; ++i) {
      Step *s = &steps[i];
      if (s->done == s->bytes) continue;
      ++left;
      if (is_blocked(s) || (order && s->turn % 2)) continue; // it waits for another turn
      if (delay) usleep((unsigned)(random64(&s->comm->seed) % delay));
      moved |= moves(s);
      if (__atomic_load_n(&s->comm->shared->aborted, __ATOMIC_ACQUIRE)) result = REMOTE;
    }
    if (moved) since = now_ms(), idle = 0;
    else if (now_ms() - since > (double)timeout) result = SYSTEM;
    else if (++idle > 50) usleep(50);
    else sched_yield();
  }
  for (i = 0; i < step_count; ++i) {
    if (!steps[i].device) continue;
    if (!steps[i].sends && result == SUCCESS && steps[i].bytes &&
        deliver(steps[i].device, steps[i].data, steps[i].bytes, steps[i].stream))
      result = UNHANDLED_CUDA;
  }
  drop_steps();
  return result;
}
static int add_step(Comm *comm, int sends, void *data, uint64_t bytes, int peer, void *stream, int device) {
  Step *s;
  if (peer < 0 || peer >= comm->size) return ARGUMENT;
  if (step_count == step_room) {
    step_room = 2 * step_room + 16;
    steps = realloc(steps, (size_t)step_room * sizeof *steps);
    if (!steps) return SYSTEM;
  }
  s = &steps[step_count++];
  memset(s, 0, sizeof *s);
  s->comm = comm, s->sends = sends, s->peer = peer, s->bytes = bytes, s->data = data, s->stream = stream;
  if (!device) return SUCCESS;
  s->device = data;
  s->data = malloc(bytes + 1);
  if (!s->data) return SYSTEM;
  if (sends && bytes && (cuda.settle(stream) || cuda.to_host(s->data, (unsigned long long)(uintptr_t)data, bytes)))
    return UNHANDLED_CUDA;
  return !sends && cuda.settle(stream) ? UNHANDLED_CUDA : SUCCESS;
}

static size_t size_of(int type) {
  static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return type >= 0 && type < 10 ? sizes[type] : 0;
}
int ncclGetVersion(int *version) { return *version = 22800, SUCCESS; }
const char *ncclGetErrorString(int result) {
  static const char *const texts[] = {"no error", "unhandled cuda error", "system error: nobody answered",
      "internal error", "invalid argument", "invalid usage", "remote process exited or there was a network error",
      "in progress"};
  return result >= 0 && result < 8 ? texts[result] : "unknown result";
}
int ncclGetUniqueId(ncclUniqueId *id) {
  static int made;
  memset(id, 0, sizeof *id);
  snprintf(id->bytes, sizeof id->bytes, P_tmpdir "/gp_loopback.%d.%d.%.0f", (int)getpid(),
      __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED), now_ms() * 1e3);
  return SUCCESS;
}
int ncclCommInitRankConfig(Comm **made, int size, ncclUniqueId id, int rank, void *config) {
  const double begin = now_ms();
  Comm *c = calloc(1, sizeof *c);
  int file;
  (void)config;
  *made = NULL;
  if (!c) return SYSTEM;
  c->rank = rank, c->size = size, c->seed = 88172645463325252ull + (uint64_t)rank;
  c->bytes = sizeof(Shared) + sizeof(Channel) * (size_t)size * (size_t)size;
  id.bytes[ID_BYTES - 1] = 0;
  snprintf(c->path, sizeof c->path, "%s", id.bytes);
  file = open(c->path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, (off_t)c->bytes)) return free(c), SYSTEM;
  c->shared = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (c->shared == MAP_FAILED) return free(c), SYSTEM;
  __atomic_add_fetch(&c->shared->joined, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(&c->shared->joined, __ATOMIC_ACQUIRE) < size) {
    if (now_ms() - begin > (double)setting("timeout=", 20000)) {
      unlink(c->path);
      munmap(c->shared, c->bytes);
      free(c);
      return SYSTEM;
    }
    usleep(50);
  }
  *made = c;
  return begins(c);
}
static int leave(Comm *c, int abort) {
  if (!c) return ARGUMENT;
  if (last == c) last = NULL;
  if (abort) __atomic_store_n(&c->shared->aborted, 1, __ATOMIC_RELEASE);
  if (__atomic_add_fetch(&c->shared->left, 1, __ATOMIC_ACQ_REL) == c->size || abort) unlink(c->path);
  munmap(c->shared, c->bytes);
  free(c);
  return SUCCESS;
}
int ncclCommDestroy(Comm *c) {
  free(steps); // of this thread
  steps = NULL, step_room = 0;
  return leave(c, 0);
}
int ncclCommAbort(Comm *c) { return leave(c, 1); }
int ncclCommGetAsyncError(Comm *c, int *error) {
  *error = __atomic_load_n(&c->shared->aborted, __ATOMIC_ACQUIRE) ? REMOTE : SUCCESS;
  return SUCCESS;
}
int ncclCommInitRank(Comm **made, int size, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(made, size, id, rank, NULL);
}
int ncclCommCount(Comm *c, int *count) { return *count = c->size, begins(c); }
int ncclCommUserRank(Comm *c, int *rank) { return *rank = c->rank, begins(c); }
int ncclCommCuDevice(Comm *c, int *device) { return *device = 0, begins(c); }
int ncclGroupStart(void) {
  const int result = last ? begins(last) : SUCCESS;
  if (result == SUCCESS && !depth++) group_result = SUCCESS;
  return result;
}
int ncclGroupEnd(void) { // a group of which a call has failed sends nothing
  int result = last ? begins(last) : SUCCESS;
  if (!depth) return USAGE;
  if (--depth) return result;
  if (group_result != SUCCESS) result = group_result;
  if (result == SUCCESS) return finish_steps();
  drop_steps();
  return result;
}
static int one(Comm *c, int sends, void *data, size_t count, int type, int peer, void *stream) {
  int result = begins(c);
  if (result == SUCCESS) result = add_step(c, sends, data, count * size_of(type), peer, stream, on_device());
  if (depth && result != SUCCESS) group_result = result;
  return result == SUCCESS && !depth ? finish_steps() : result;
}
int ncclSend(const void *from, size_t count, int type, int peer, Comm *c, void *stream) {
  return one(c, 1, (void *)(uintptr_t)from, count, type, peer, stream);
}
int ncclRecv(void *to, size_t count, int type, int peer, Comm *c, void *stream) {
  return one(c, 0, to, count, type, peer, stream);
}
// Gathers in host memory.
static int gather(Comm *c, unsigned char *all, size_t bytes) {
  int q, result = SUCCESS;
  for (q = 0; q < c->size && result == SUCCESS; ++q) {
    if (q == c->rank) continue;
    result = add_step(c, 1, all + (size_t)c->rank * bytes, bytes, q, NULL, 0);
    if (result == SUCCESS) result = add_step(c, 0, all + (size_t)q * bytes, bytes, q, NULL, 0);
  }
  return result == SUCCESS ? finish_steps() : result;
}
static int fetch(void *to, const void *from, size_t bytes, void *stream) {
  if (!on_device()) return memmove(to, from, bytes), SUCCESS;
  return cuda.settle(stream) || cuda.to_host(to, (unsigned long long)(uintptr_t)from, bytes) ? UNHANDLED_CUDA : SUCCESS;
}
static int put(void *to, const void *from, size_t bytes, void *stream) {
  if (!on_device()) return memmove(to, from, bytes), SUCCESS;
  return deliver(to, from, bytes, stream) ? UNHANDLED_CUDA : SUCCESS;
}
int ncclAllGather(const void *from, void *to, size_t count, int type, Comm *c, void *stream) {
  const size_t bytes = count * size_of(type);
  uint64_t other;
  int result = begins(c);
  unsigned char *all;
  if (result != SUCCESS || !bytes) return result;
  all = malloc(bytes * (size_t)c->size);
  if (!all) return SYSTEM;
  result = fetch(all + (size_t)c->rank * bytes, from, bytes, stream);
  if (tells(c, "alter=", &other)) memcpy(all + (size_t)c->rank * bytes, &other, bytes < 8 ? bytes : 8);
  if (result == SUCCESS) result = gather(c, all, bytes);
  if (result == SUCCESS) result = put(to, all, bytes * (size_t)c->size, stream);
  free(all);
  return result;
}
#define ADD(T) \
  for (i = 0; i < count; ++i) { \
    for (q = 1; q < (size_t)c->size; ++q) ((T *)all)[i] += ((T *)all)[q * count + i]; \
  }
int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, Comm *c, void *stream) {
  const size_t bytes = count * size_of(type);
  int result = begins(c);
  unsigned char *all;
  size_t i, q;
  if (result != SUCCESS || !bytes) return result;
  if (op != 0 || type < 2 || type == 6 || type == 9) return ARGUMENT;
  all = malloc(bytes * (size_t)c->size);
  if (!all) return SYSTEM;
  result = fetch(all + (size_t)c->rank * bytes, from, bytes, stream);
  if (result == SUCCESS) result = gather(c, all, bytes);
  if (type == 7) ADD(float)
  if (type == 8) ADD(double)
  if (type < 6 && bytes == 4 * count) ADD(uint32_t)
  if (type < 6 && bytes == 8 * count) ADD(uint64_t)
  if (result == SUCCESS) result = put(to, all, bytes, stream);
  free(all);
  return result;
}
