// simt.cpp - fibers, the scheduler, warp and block collectives, memory that kernels may touch, launches.
#include "internal.h"

#include <algorithm>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#if SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {

Config config;
Stats stats;
Self self;
dim3 grid_dim, block_dim;
Machine machine;
Fiber *current;

// ---- contexts: a stack and the registers that a call preserves ----

static void fiber_main();

} // namespace simt

#if defined(__x86_64__) && !defined(SIMT_UCONTEXT)
// simt_swap(void **save, void *load): pushes the registers that the ABI preserves, exchanges stack pointers, pops.
asm(R"(
    .text
    .p2align 4
    .type simt_swap,@function
simt_swap:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rcx
    jmpq *%rcx
    .size simt_swap,.-simt_swap
)");
extern "C" void simt_swap(void **save, void *load);
namespace simt {
static void *make_context(void *, char *, char *top) {
  void **sp = reinterpret_cast<void **>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(15));
  *--sp = nullptr; // a return address for fiber_main, which never returns
  *--sp = reinterpret_cast<void *>(fiber_main); // where the first switch jumps to
  return sp - 6; // six registers of any value
}
static void free_context(void *) {}
static inline void swap_contexts(void **save, void *load) { simt_swap(save, load); }
} // namespace simt
#else
#include <ucontext.h>
namespace simt {
static void *make_context(void *old, char *bottom, char *top) {
  ucontext_t *context = old ? static_cast<ucontext_t *>(old) : new ucontext_t;
  getcontext(context);
  context->uc_stack.ss_sp = bottom;
  context->uc_stack.ss_size = size_t(top - bottom);
  context->uc_link = nullptr;
  makecontext(context, fiber_main, 0);
  return context;
}
static void free_context(void *context) { delete static_cast<ucontext_t *>(context); }
static void swap_contexts(void **save, void *load) {
  if (!*save) *save = new ucontext_t;
  swapcontext(static_cast<ucontext_t *>(*save), static_cast<ucontext_t *>(load));
}
} // namespace simt
#endif

namespace simt {

constexpr uint64_t stack_canary = 0x53494d5453494d54;

// Tops of stacks are shifted against each other; otherwise they would share a few sets of the cache.
static void prepare_fiber(Fiber *f, char *stack, size_t bytes, unsigned shift) {
  f->stack = stack;
  f->stack_bytes = bytes;
  f->fake_stack = nullptr;
  memcpy(stack, &stack_canary, sizeof stack_canary);
  f->context = make_context(f->context, stack, stack + bytes - shift);
}

static inline void switch_to(Fiber *to) {
  Fiber *from = current;
  ++stats.switches;
  current = to;
#if SIMT_ASAN
  __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#endif
  swap_contexts(&from->context, to->context);
#if SIMT_ASAN
  __sanitizer_finish_switch_fiber(from->fake_stack, nullptr, nullptr);
#endif
}

// ---- reports ----

void fail(const char *format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!current) {
    fprintf(stderr, "simt: outside a kernel: %s\n", text);
    abort();
  }
  machine.failure.clear();
  if (current != &machine.host && !machine.blameless)
    machine.failure =
        "block " + std::to_string(current->block->index) + " thread " + std::to_string(current->index) + ": ";
  machine.failure += text;
  machine.failed = true;
  if (current != &machine.host) switch_to(&machine.host); // the fibers are abandoned; launch() makes new ones
  abort(); // nothing on the host's context may fail
}

static void check_canary(Fiber *f) {
  uint64_t found;
  memcpy(&found, f->stack, sizeof found);
  if (found != stack_canary) {
    fprintf(stderr, "simt: block %u thread %u overflowed its stack of %zu bytes (config.stack)\n", f->block->index,
        f->index, f->stack_bytes);
    abort(); // the neighbour's stack is damaged too
  }
}

static void report_no_end() {
  machine.blameless = true;
  fail("WATCHDOG: no end after config.watchdog_s = %u s", config.watchdog_s);
}

// The waits of the resident blocks' threads, grouped by place.
static std::string waiting_threads() {
  static const char *const names[] = {"ready", "__syncthreads", "", "polling", "exited"};
  std::map<std::string, std::pair<unsigned, std::string>> groups;
  for (Block *b : machine.slots)
    for (unsigned i = 0; i < b->threads; ++i) {
      const Fiber &f = b->fibers[i];
      if (f.state == State::done) continue;
      std::string what = f.state == State::warp_op ? f.op : names[int(f.state)];
      what += std::string(" at ") + (f.file ? f.file : "?") + ":" + std::to_string(f.line);
      auto &group = groups[what];
      if (!group.first++) group.second = "block " + std::to_string(b->index) + " thread " + std::to_string(i);
    }
  std::string text;
  for (auto &g : groups)
    text += "\n    " + std::to_string(g.second.first) + " threads in " + g.first + " (first: " + g.second.second + ")";
  return text;
}

static void report_deadlock() {
  static std::string text; // fail() never returns: objects on this stack would leak
  text = waiting_threads();
  text += unfinished_mbarriers();
  machine.blameless = true;
  fail("DEADLOCK: %zu of %zu blocks never started%s", machine.order.size() - machine.next_block, machine.order.size(),
      text.c_str());
}

// ---- the scheduler ----

static Block *choose_block() {
  const std::vector<Block *> &slots = machine.slots;
  if (config.policy == pct) {
    Block *best = nullptr;
    for (Block *b : slots)
      if (b->ready && (!best || b->priority > best->priority)) best = b;
    return best;
  }
  const size_t n = slots.size(), start = config.policy == sequential ? 0 : below(unsigned(n));
  for (size_t i = 0; i < n; ++i) {
    Block *b = slots[start + i < n ? start + i : start + i - n];
    if (b->ready) return b;
  }
  return nullptr;
}

// The common sizes as single instructions.
static inline bool equal_small(const void *a, const void *b, unsigned bytes) {
  switch (bytes) {
  case 4: return memcmp(a, b, 4) == 0;
  case 8: return memcmp(a, b, 8) == 0;
  case 16: return memcmp(a, b, 16) == 0;
  default: return memcmp(a, b, bytes) == 0;
  }
}
static inline void copy_small(void *to, const void *from, unsigned bytes) {
  switch (bytes) {
  case 4: memcpy(to, from, 4); break;
  case 8: memcpy(to, from, 8); break;
  case 16: memcpy(to, from, 16); break;
  default: memcpy(to, from, bytes);
  }
}

static bool changed(const Fiber *f) {
  for (unsigned i = 0; i < f->seen_count; ++i)
    if (!equal_small(f->seen[i].at, f->seen[i].value, f->seen[i].bytes)) return true;
  return false;
}

// Lets pollers with a changed value run, or all of them. True if there was one.
static bool wake_pollers(bool all) {
  size_t kept = 0;
  for (Fiber *f : machine.spinning) {
    if (all || changed(f)) make_ready(f);
    else machine.spinning[kept++] = f;
  }
  const bool any = kept != machine.spinning.size();
  machine.spinning.resize(kept);
  return any;
}

static Fiber *pick() {
  for (;;) {
    if (machine.alarms) report_no_end();
    if (!machine.copies.empty() && chance(config.copy_1_in)) move_a_copy();
    Block *b = machine.current;
    const bool pct_stays = config.policy == pct && !machine.rechoose;
    if (!b || !b->ready || (config.policy == pct && !pct_stays) || below(config.sticky * (pct_stays ? 16 : 1)) == 0) {
      if (!machine.spinning.empty() && below(4) == 0) wake_pollers(false);
      if (b && b->ready && pct_stays) b->priority = machine.lowest_priority--;
      machine.current = b = choose_block();
      machine.rechoose = false;
    }
    if (b) {
      Fiber **ring = b->ring;
      const unsigned head = b->head & b->ring_mask, mask = b->ring_mask;
      if (chance(config.shuffle_1_in)) std::swap(ring[head], ring[(head + below(b->ready)) & mask]);
      Fiber *f = ring[head];
      ++b->head;
      --b->ready;
      // For the next ones; stale entries of the ring are harmless.
      const char *stack = static_cast<const char *>(ring[(head + 4) & mask]->context);
      for (int line = 0; line < 3; ++line) __builtin_prefetch(stack + 64 * line);
      __builtin_prefetch(ring[(head + 8) & mask]);
      return f;
    }
    if (!machine.live) return &machine.host;
    if (wake_pollers(false) || move_a_copy()) continue;
    if (machine.progress != machine.progress_seen) {
      machine.progress_seen = machine.progress;
      machine.fruitless = 0;
    }
    if (machine.spinning.empty() || ++machine.fruitless > config.fruitless) report_deadlock();
    wake_pollers(true); // loops with a bound may give up; the others park again
  }
}

void switch_away() {
  Fiber *next = pick();
  if (next->block) { // (a struct of both, made on the stack and copied whole, would wait for its parts)
    self.thread = next->tid;
    self.block = next->block->id;
  }
  if (next != current) switch_to(next);
}

void yield() {
  make_ready(current);
  switch_away();
}

void park_polling(Fiber *f) {
  ++stats.spins;
  f->state = State::spin;
  machine.spinning.push_back(f);
  switch_away();
}

// Drops addresses of an earlier loop whose values have changed since: they would wake the thread at once. True if there
// were none.
static bool forget_changed(Fiber *f) {
  unsigned kept = 0;
  for (unsigned i = 0; i < f->seen_count; ++i)
    if (equal_small(f->seen[i].at, f->seen[i].value, f->seen[i].bytes)) f->seen[kept++] = f->seen[i];
  if (kept == f->seen_count) return true;
  f->seen_count = uint8_t(kept);
  f->seen_oldest = f->repeats = 0;
  return false;
}

// Records the result of a load. True if the thread seems to poll: every address that it reads was seen unchanged.
bool seems_to_poll(Fiber *f, const void *p, unsigned bytes, const void *value) {
  for (unsigned i = 0; i < f->seen_count; ++i) {
    Seen &s = f->seen[i];
    if (s.at != p || s.bytes != bytes) continue;
    if (equal_small(s.value, value, bytes)) {
      if (f->repeats < f->seen_count) ++f->repeats;
      return f->repeats >= f->seen_count && forget_changed(f);
    }
    copy_small(s.value, value, bytes);
    f->repeats = 0;
    return false;
  }
  unsigned slot = f->seen_count;
  if (slot < std::size(f->seen)) ++f->seen_count;
  else slot = f->seen_oldest++ % std::size(f->seen);
  f->seen[slot].at = p;
  f->seen[slot].bytes = bytes;
  memcpy(f->seen[slot].value, value, bytes);
  f->repeats = 0;
  return false;
}

// ---- the previous launch, which may still run ----

void touch_global(Fiber *f, const char *where) {
  if (config.dependent)
    fail("EARLY: an access to global memory%s, before the thread has waited for the launch before "
         "(griddepcontrol.wait)",
        where);
  f->touched = true;
  f->touched_file = f->file;
  f->touched_line = f->line;
}

void check_early(const void *p) {
  Fiber *f = current;
  if (!too_early(f) || !range_inside(p, 1, nullptr)) return;
  static char where[512]; // fail() never returns: objects on this stack would leak
  snprintf(where, sizeof where, " at %s:%d", f->file, f->line);
  touch_global(f, where);
}

void wait_for_predecessor(SIMT_CALLER) {
  Fiber *f = current;
  f->file = simt_file;
  f->line = simt_line;
  if (f->touched && !f->waited)
    fail("EARLY: %s:%d: griddepcontrol.wait stands behind an access to global memory, %s %s:%d", SIMT_THERE,
        race_build ? "near" : "at", f->touched_file ? f->touched_file : "?", f->touched_line);
  f->waited = f->block->waited = true;
}

static inline void begin_ordered(const void *p, const char *file, int line) {
  current->file = file;
  current->line = line;
  note_place(reinterpret_cast<uintptr_t>(file) + unsigned(line));
  check_early(p);
  if (chance(config.yield_1_in)) yield();
}

void ordered_load(const void *p, void *value, unsigned bytes, Order order, const char *file, int line) {
  begin_ordered(p, file, line);
  check_address(p, bytes, false);
  const bool acquires = order == acquire || order == acq_rel;
  for (int look = 0; look < 2; ++look) { // again, after parking
    if constexpr (race_build) {
      race_access(p, bytes, true, false, true);
      race_acquire(p, acquires);
    }
    copy_small(value, p, bytes);
    if (look || !seems_to_poll(current, p, bytes, value)) return;
    current->op = "polling";
    park_polling(current);
  }
}

void ordered_store(void *p, const void *value, unsigned bytes, Order order, const char *file, int line) {
  begin_ordered(p, file, line);
  check_address(p, bytes, true);
  if (!equal_small(p, value, bytes)) ++machine.progress;
  if constexpr (race_build) {
    race_access(p, bytes, false, true, true);
    race_release(p, order == release || order == acq_rel, false);
  }
  copy_small(p, value, bytes);
  if (chance(config.yield_1_in)) yield();
}

void begin_rmw(void *p, unsigned bytes, Order order, const char *file, int line) {
  begin_ordered(p, file, line);
  check_address(p, bytes, true);
  ++machine.progress;
  if constexpr (race_build) {
    race_access(p, bytes, true, true, true);
    race_acquire(p, order == acquire || order == acq_rel);
    race_release(p, order == release || order == acq_rel, true);
  }
}
void end_rmw() {
  if (chance(config.yield_1_in)) yield();
}

void fence() {
  if constexpr (race_build) race_fence();
}

// ---- collectives ----

static void check_peer(const Warp *w, const Fiber *f, unsigned lane) {
  if (!(w->mask[lane] >> f->lane & 1)) return; // it waits for others
  if (w->mask[lane] == w->mask[f->lane] && (w->op[lane] == f->op || !strcmp(w->op[lane], f->op))) return;
  const Fiber *peer = w->lane[lane];
  fail("DIVERGENT warp collective: lane %u at %s:%d in %s(mask %08x), lane %u at %s:%d in %s(mask %08x)", f->lane,
      f->file, f->line, f->op, w->mask[f->lane], lane, peer->file, peer->line, peer->op, w->mask[lane]);
}

uint64_t warp_op(
    const char *name, unsigned mask, uint64_t value, int aux, int width, Combine combine, const char *file, int line) {
  Fiber *f = current;
  Warp *w = f->warp;
  const unsigned me = f->lane;
  ++stats.warp_ops;
  f->op = name;
  f->file = file;
  f->line = line;
  if (mask == w->alive) f->trail = 0; // its lanes meet
  else note_place(reinterpret_cast<uintptr_t>(file) + unsigned(line));
  w->mask[me] = mask;
  w->op[me] = name;
  w->exchange.value[me] = value;
  w->exchange.aux[me] = aux;
  w->exchange.width[me] = width;
  if (!(mask >> me & 1)) fail("%s:%d: %s: the caller's lane %u is not in mask %08x", file, line, name, me, mask);
  if (mask & ~w->alive)
    fail("%s:%d: %s: mask %08x names exited or absent lanes %08x", file, line, name, mask, mask & ~w->alive);
  if (width < 1 || width > 32 || (width & (width - 1))) fail("%s:%d: %s: width %d", file, line, name, width);
  const unsigned peers = w->waiting & mask;
  w->waiting |= 1u << me;
  if ((peers | 1u << me) != mask) {
    if (peers) check_peer(w, f, unsigned(__builtin_ctz(peers))); // the last one to arrive checks the others
    f->state = State::warp_op;
    switch_away();
    return w->exchange.result[me];
  }
  SIMT_FOR_LANES(lane, peers)
  if (w->mask[lane] != mask || w->op[lane] != name) check_peer(w, f, unsigned(lane));
  w->waiting &= ~mask;
  if (combine) combine(w->exchange, mask);
  else if constexpr (race_build) race_sync_warp(w, mask); // only __syncwarp orders memory
  SIMT_FOR_LANES(lane, peers) make_ready(w->lane[lane]);
  return w->exchange.result[me];
}

// SOURCE: the lane to read, from lane, its argument a and its segment first..last of the given width.
#define SIMT_SHUFFLE(NAME, SOURCE) \
  uint64_t NAME(unsigned mask, uint64_t value, int aux, int width, SIMT_CALLER) { \
    return warp_op( \
        #NAME, mask, value, aux, width, \
        [](Exchange &x, unsigned active) { \
          SIMT_FOR_LANES(lane, active) { \
            const int a = x.aux[lane], first = lane & ~(x.width[lane] - 1), last = first | (x.width[lane] - 1); \
            const int source = SOURCE; \
            (void)a, (void)last; \
            if (!(active >> (source & 31) & 1)) inactive_lane(lane, source, active); \
            x.result[lane] = x.value[source & 31]; \
          } \
        }, \
        SIMT_THERE); \
  }
[[noreturn]] static void inactive_lane(int lane, int source, unsigned mask) {
  Fiber *f = current;
  fail("%s:%d: %s: lane %d reads lane %d, which is not in mask %08x", f->file, f->line, f->op, lane, source, mask);
}
SIMT_SHUFFLE(__shfl_sync, first | (a & (x.width[lane] - 1)))
SIMT_SHUFFLE(__shfl_up_sync, lane - a < first ? lane : lane - a)
SIMT_SHUFFLE(__shfl_down_sync, lane + a > last ? lane : lane + a)
SIMT_SHUFFLE(__shfl_xor_sync, (lane ^ a) > last ? lane : lane ^ a)

uint64_t __match_any_sync(unsigned mask, uint64_t value, SIMT_CALLER) {
  return warp_op(
      "__match_any_sync", mask, value, 0, 32,
      [](Exchange &x, unsigned active) {
        for (unsigned left = active; left;) {
          const uint64_t key = x.value[__builtin_ctz(left)];
          unsigned same = 0;
          SIMT_FOR_LANES(lane, left) same |= unsigned(x.value[lane] == key) << lane;
          SIMT_FOR_LANES(lane, same) x.result[lane] = same;
          left &= ~same;
        }
      },
      SIMT_THERE);
}

// RESULT: of all active lanes, from the lanes with a true value.
#define SIMT_VOTE(NAME, RESULT) \
  uint64_t NAME(unsigned mask, bool value, SIMT_CALLER) { \
    return warp_op( \
        #NAME, mask, value, 0, 32, \
        [](Exchange &x, unsigned active) { \
          unsigned votes = 0; \
          SIMT_FOR_LANES(lane, active) votes |= unsigned(x.value[lane]) << lane; \
          SIMT_FOR_LANES(lane, active) x.result[lane] = RESULT; \
        }, \
        SIMT_THERE); \
  }
SIMT_VOTE(__ballot_sync, votes)
SIMT_VOTE(__any_sync, votes != 0)
SIMT_VOTE(__all_sync, votes == active)

int barrier(Vote vote, int predicate, const char *file, int line) {
  Fiber *f = current;
  Block *b = f->block;
  ++stats.barriers;
  f->file = file;
  f->line = line;
  f->trail = 0;
  const int p = predicate != 0;
  if (b->alive != b->threads)
    fail("%s:%d: __syncthreads after %u threads of the block exited", file, line, b->threads - b->alive);
  if (!b->arrived) {
    b->file = file;
    b->line = line;
    b->vote = vote == vote_and;
  } else if (b->line != line || (b->file != file && strcmp(b->file, file))) {
    fail("DIVERGENT barrier: %s:%d, while other threads wait at %s:%d", file, line, b->file, b->line);
  }
  if (vote == vote_count) b->vote += p;
  if (vote == vote_or) b->vote |= p;
  if (vote == vote_and) b->vote &= p;
  if (++b->arrived != b->threads) {
    f->state = State::barrier;
    switch_away();
    return b->verdict;
  }
  b->arrived = 0;
  b->verdict = b->vote;
  ++machine.progress;
  if constexpr (race_build) race_sync_block(b);
  for (unsigned i = 0; i < b->threads; ++i)
    if (b->fibers + i != f) make_ready(b->fibers + i);
  return b->verdict;
}

// An instruction that is .aligned: all lanes of a warp execute it together. The compiler certainly keeps lanes together
// only where they meet; so since then they must have done the same.
static void aligned(const char *name, SIMT_CALLER) {
  warp_op(
      name, current->warp->alive, current->trail, 0, 32,
      [](Exchange &x, unsigned active) {
        const int first = __builtin_ctz(active);
        SIMT_FOR_LANES(lane, active) if (x.value[lane] != x.value[first]) {
          const Fiber *f = current;
          fail("NOT ALIGNED: %s:%d: %s: lanes %d and %d have accessed memory in different places since their warp met "
               "last: there is no __syncwarp before it",
              f->file, f->line, f->op, first, lane);
        }
      },
      SIMT_THERE);
}

void misaligned(const void *p, unsigned bytes, SIMT_CALLER) {
  fail("MISALIGNED: %s:%d: an access at %p, which is not a multiple of %u", SIMT_THERE, p, bytes);
}

// One thread of each block accesses a word of the cluster, between the block's barriers.
void cluster_arrive(SIMT_CALLER) {
  Fiber *f = current;
  Block *b = f->block;
  const bool waited = f->waited;
  aligned("barrier.cluster.arrive.aligned", SIMT_THERE);
  barrier(vote_none, 0, SIMT_THERE);
  f->waited = true; // the word is not the kernel's, nor the access this lane's
  if (config.cluster > 1 && f == b->fibers)
    b->meeting = rmw(
                     machine.cluster_words + b->index / config.cluster, [](uint32_t old) { return old + 1; }, release,
                     SIMT_THERE) /
        config.cluster;
  f->waited = waited;
  f->trail = 0;
}
void cluster_wait(SIMT_CALLER) {
  Block *b = current->block;
  aligned("barrier.cluster.wait.aligned", SIMT_THERE);
  if (config.cluster > 1 && current == b->fibers)
    while (
        load(machine.cluster_words + b->index / config.cluster, acquire, SIMT_THERE) / config.cluster == b->meeting) {}
  barrier(vote_none, 0, SIMT_THERE);
}

// ---- memory that kernels may access ----

// Arrays outlive their block in its slot, so that the next block needs no new ones.
static void *shared_in(Block *b, const void *key, size_t bytes, size_t align) {
  SharedArray *array = nullptr;
  size_t total = bytes;
  for (SharedArray &a : b->arrays) {
    if (a.used && a.key == key) return a.data;
    if (a.used) total += a.bytes;
    if (!a.used && a.key == key && a.bytes == bytes) array = &a;
  }
  if (total > max_shared) fail("%zu bytes of shared memory: a block has at most %zu", total, max_shared);
  if (!array) {
    void *data = nullptr;
    if (posix_memalign(&data, std::max<size_t>(align, 128), bytes ? bytes : 1)) abort();
    track(data, bytes, b);
    b->arrays.push_back({key, static_cast<char *>(data), bytes, bytes, true});
    array = &b->arrays.back();
  }
  array->used = true;
  memset(array->data, 0xA5 ^ int(draw() & 0xf0), bytes);
  make_undefined(array->data, bytes);
  return array->data;
}

void *shared(const void *key, size_t bytes, size_t align) { return shared_in(current->block, key, bytes, align); }

void *shared_of(const void *p, unsigned rank, SIMT_CALLER) {
  Block *b = current->block;
  const uintptr_t at = reinterpret_cast<uintptr_t>(p);
  if (rank >= config.cluster) fail("%s:%d: shared_of: rank %u in a cluster of %u", SIMT_THERE, rank, config.cluster);
  const unsigned index = b->index / config.cluster * config.cluster + rank;
  for (const SharedArray &a : b->arrays) {
    const uintptr_t offset = at - reinterpret_cast<uintptr_t>(a.data);
    if (!a.used || offset >= a.bytes) continue;
    for (Block *other : machine.slots)
      if (other->index == index && other->alive)
        return static_cast<char *>(other == b ? a.data : shared_in(other, a.key, a.bytes, 128)) + offset;
    fail("%s:%d: shared_of: block %u of the cluster has exited", SIMT_THERE, index);
  }
  fail("%s:%d: shared_of: %p is not in this block's shared memory", SIMT_THERE, p);
}

void *dyn_shared() {
  if (!machine.dynamic_shared) fail("dynamic shared memory used, but the launch asks for none");
  return shared(&machine, machine.dynamic_shared, 128);
}

void *device_malloc(size_t bytes) {
  std::lock_guard<std::mutex> guard(machine.lock);
  void *p = nullptr;
  if (posix_memalign(&p, 256, bytes ? bytes : 1)) return nullptr;
  memset(p, 0xB6, bytes);
  machine.allocations[reinterpret_cast<uintptr_t>(p)] = bytes;
  track(p, bytes, nullptr);
  return p;
}

bool device_free(void *p) {
  std::lock_guard<std::mutex> guard(machine.lock);
  if (!p) return true;
  if (!machine.allocations.erase(reinterpret_cast<uintptr_t>(p))) return false;
  untrack(p);
  free(p);
  return true;
}

size_t live_allocations() {
  std::lock_guard<std::mutex> guard(machine.lock);
  return machine.allocations.size();
}

void host_write(void *p, const void *from, size_t bytes) {
  if (bytes) memcpy(p, from, bytes);
  host_init(p, bytes);
}

void host_fill(void *p, int byte, size_t bytes) {
  if (bytes) memset(p, byte, bytes);
  host_init(p, bytes);
}

const std::string &error() { return machine.first_error; }
void clear_error() { machine.first_error.clear(); }

// ---- launches ----

static void free_arrays(Block *b) {
  for (SharedArray &a : b->arrays) {
    untrack(a.data);
    free(a.data);
  }
  b->arrays.clear();
}

// Makes the next block of the grid resident in this slot.
static void admit(Block *b) {
  const dim3 g = grid_dim, t = block_dim;
  b->index = machine.order[machine.next_block++];
  b->id = {b->index % g.x, b->index / g.x % g.y, b->index / g.x / g.y};
  b->threads = b->alive = machine.per_block;
  b->arrived = b->ready = b->head = 0;
  b->phase = 1;
  b->priority = (1u << 29) + below(1u << 30);
  b->file = nullptr;
  b->waited = false;
  b->loads = 0;
  b->serial = stats.threads; // grows with every block
  b->mbarriers.clear();
  b->first_gtid = machine.first_gtid + b->index * machine.per_block;
  machine.live += b->threads;
  stats.threads += b->threads;
  for (unsigned w = 0; w * 32 < b->threads; ++w) {
    const unsigned lanes = b->threads - w * 32;
    b->warps[w].alive = lanes >= 32 ? ~0u : (1u << lanes) - 1;
    b->warps[w].waiting = 0;
    b->warps[w].met_phase = 0;
  }
  for (unsigned i = 0; i < b->threads; ++i) {
    Fiber *f = b->fibers + i;
    f->index = i;
    f->lane = i & 31;
    f->block = b;
    f->warp = b->warps + i / 32;
    f->warp->lane[f->lane] = f;
    f->tid = {i % t.x, i / t.x % t.y, i / t.x / t.y};
    f->op = f->file = nullptr;
    f->line = 0;
    f->trail = 0;
    f->waited = f->touched = false;
    f->seen_count = f->seen_oldest = f->repeats = 0;
    f->group = f->stored = f->read_waited = f->write_waited = 0;
    f->gtid = b->first_gtid + i;
    f->sub = 1;
    f->proxy_phase = f->proxy_sub = 0;
    make_ready(f);
  }
  if constexpr (race_build) race_begin_block(b);
}

static void retire(Block *b) {
  check_retire(b);
  if (config.dependent && !b->waited)
    fail("EARLY: none of the block's threads has waited for the launch before (griddepcontrol.wait): the next launch "
         "takes it for done where this one is");
  if constexpr (race_build) race_end_block(b);
  for (SharedArray &a : b->arrays) a.used = false;
  if (b->arrays.size() > 16) free_arrays(b);
  if (machine.next_block < machine.order.size()) admit(b);
}

static void exit_thread(Fiber *f) {
  Block *b = f->block;
  Warp *w = f->warp;
  check_exit(f);
  f->state = State::done;
  w->alive &= ~(1u << f->lane);
  --machine.live;
  --b->alive;
  ++machine.progress;
  check_canary(f);
  if constexpr (race_build) race_forget_fiber(f);
  if (b->arrived)
    fail("DIVERGENT barrier: the thread exits, while others wait in __syncthreads at %s:%d", b->file, b->line);
  SIMT_FOR_LANES(lane, w->waiting) {
    const Fiber *peer = w->lane[lane];
    if (w->mask[lane] >> f->lane & 1)
      fail("lane %u exits, while lane %d waits for it in %s(mask %08x) at %s:%d", f->lane, lane, peer->op,
          w->mask[lane], peer->file, peer->line);
  }
  if (!b->alive) retire(b);
}

static void fiber_main() {
#if SIMT_ASAN
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  for (;;) {
    machine.thunk(machine.closure);
    exit_thread(current);
    switch_away(); // returns when this fiber is reused for another block's thread
  }
}

// Frames that never return leave AddressSanitizer's marks on stacks that a failure or a tear-down abandons.
static void unpoison_stack(const Fiber *f) {
#if SIMT_ASAN
  const char *low = f->stack, *top = f->stack + f->stack_bytes, *sp = static_cast<const char *>(f->context);
  if (sp > low + 256 && sp < top) low = sp - 256;
  __asan_unpoison_memory_region(low, size_t(top - low));
#else
  (void)f;
#endif
}

static size_t built_threads, built_slots, built_stack;

static void tear_down() {
  for (Block *b : machine.slots) free_arrays(b);
  for (Block *b : machine.slots) {
    for (size_t i = 0; i < built_threads; ++i) {
      unpoison_stack(b->fibers + i);
      free_context(b->fibers[i].context);
    }
    delete[] b->fibers;
    delete[] b->warps;
    delete[] b->ring;
    delete b;
  }
  machine.slots.clear();
  machine.current = nullptr;
  if (machine.arena) munmap(machine.arena, machine.arena_bytes);
  machine.arena = nullptr;
  built_threads = built_slots = built_stack = 0;
}
static struct TearDownAtExit {
  ~TearDownAtExit() { tear_down(); }
} tear_down_at_exit;

// Fresh contexts for the first `threads` fibers of a slot: when it is built, and after a failure abandoned them.
static void prepare_slot(size_t slot, size_t threads) {
  const size_t page = 4096, stride = built_stack + page;
  char *low = machine.arena + slot * built_threads * stride;
  for (size_t i = 0; i < threads; ++i)
    prepare_fiber(machine.slots[slot]->fibers + i, low + i * stride + page, built_stack, unsigned(i * 7 % 31) * 64);
}

static void build(size_t slots, size_t threads, size_t stack) {
  const size_t page = 4096, stride = stack + page;
  slots = std::max(slots, built_slots);
  threads = std::max(threads, built_threads);
  tear_down();
  built_slots = slots;
  built_threads = threads;
  built_stack = stack;
  machine.arena_bytes = slots * threads * stride;
  void *arena =
      mmap(nullptr, machine.arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (arena == MAP_FAILED) {
    fprintf(stderr, "simt: no room for %zu stacks of %zu bytes\n", slots * threads, stack);
    abort();
  }
  machine.arena = static_cast<char *>(arena);
  // Each guard page splits a mapping, and Linux allows 65530 of them: many stacks have only their canaries.
  if (slots * threads <= 24000)
    for (size_t i = 0; i < slots * threads; ++i) mprotect(machine.arena + i * stride, page, PROT_NONE);
  size_t ring = 4;
  while (ring < threads) ring *= 2;
  for (size_t s = 0; s < slots; ++s) {
    Block *b = new Block;
    b->fibers = new Fiber[threads];
    b->warps = new Warp[(threads + 31) / 32];
    b->ring = new Fiber *[ring];
    std::fill(b->ring, b->ring + ring, b->fibers);
    b->ring_mask = unsigned(ring - 1);
    machine.slots.push_back(b);
    prepare_slot(s, threads);
  }
}

// The first alarm is a request, which the scheduler or the next checked access answers with a clean failure. If neither
// is reached, the kernel spins on a plain load, and only an abort helps.
static void on_alarm(int) {
  if (machine.alarms) {
    static const char text[] = "simt: WATCHDOG: a thread runs without end and without the scheduler (a loop over a "
                               "plain load?), or config.watchdog_s is too small\n";
    if (write(2, text, sizeof text - 1) < 0) _exit(125);
    abort();
  }
  machine.alarms = machine.alarms + 1;
  alarm(config.watchdog_s);
}

static void start_admission(size_t blocks, size_t slots) {
  machine.order.resize(blocks);
  for (size_t i = 0; i < blocks; ++i) machine.order[i] = unsigned(config.admission == descending ? blocks - 1 - i : i);
  if (config.admission == shuffled)
    for (size_t i = blocks; i > 1; --i) std::swap(machine.order[i - 1], machine.order[below(unsigned(i))]);
  machine.next_block = 0;
  machine.live = 0;
  machine.current = nullptr;
  machine.spinning.clear();
  machine.copies.clear();
  machine.fruitless = 0;
  machine.lowest_priority = 1u << 29;
  machine.failed = machine.blameless = false;
  machine.alarms = 0;
  for (Block *b : machine.slots) b->threads = b->alive = b->ready = b->arrived = 0;
  for (size_t s = 0; s < slots; ++s) admit(machine.slots[s]);
}

static std::string plain_name(const char *name) { // without the parentheses that SIMT_LAUNCH wants
  std::string s = name;
  return s.size() > 2 && s.front() == '(' && s.back() == ')' ? s.substr(1, s.size() - 2) : s;
}

static void note_error(const std::string &text) {
  if (machine.first_error.empty()) machine.first_error = text;
}

// AddressSanitizer needs the stack to which the last switch returns.
static void find_host_stack() {
#if SIMT_ASAN
  static thread_local void *bottom; // the query takes as long as the list of mappings
  static thread_local size_t bytes;
  if (!bottom) {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &bottom, &bytes);
    pthread_attr_destroy(&attributes);
  }
  machine.host.stack = static_cast<char *>(bottom);
  machine.host.stack_bytes = bytes;
#endif
}

static Result launch_grid(const char *name, dim3 grid, dim3 block, size_t dynamic_shared, void (*thunk)(void *),
    void *closure, size_t closure_bytes) {
  std::lock_guard<std::mutex> guard(machine.lock);
  const size_t threads = size_t(block.x) * block.y * block.z, blocks = size_t(grid.x) * grid.y * grid.z;
  if (!threads || threads > max_threads || !blocks || grid.y > 65535 || grid.z > 65535 || dynamic_shared > max_shared ||
      blocks * threads > 1u << 27) {
    note_error("kernel " + plain_name(name) + ": invalid launch: " + std::to_string(blocks) + " blocks of " +
        std::to_string(threads) + " threads, " + std::to_string(dynamic_shared) + " bytes of dynamic shared memory");
    return invalid_value;
  }
  if (blocks % config.cluster || (config.cluster > 1 && blocks > config.resident)) {
    note_error("kernel " + plain_name(name) + ": invalid launch: " + std::to_string(blocks) +
        " blocks in clusters of " + std::to_string(config.cluster) + ", " + std::to_string(config.resident) +
        " resident");
    return invalid_value;
  }
  const size_t slots = std::min<size_t>(blocks, std::max(1u, config.resident));
  const size_t page = 4096, stack = (config.stack ? config.stack : size_t(SIMT_ASAN ? 256 : 64) << 10);
  const size_t whole = (stack + page - 1) / page * page;
  if (built_threads < threads || built_slots < slots || built_stack != whole) build(slots, threads, whole);
  find_host_stack();
  ++stats.launches;
  grid_dim = grid;
  block_dim = block;
  machine.per_block = unsigned(threads);
  machine.thunk = thunk;
  machine.closure = closure;
  machine.closure_bytes = closure_bytes;
  machine.dynamic_shared = dynamic_shared;
  machine.random = (config.seed + 1) * 0x9E3779B97F4A7C15ull | 1;
  for (int i = 0; i < 4; ++i) draw();

  struct sigaction watch = {}, before = {};
  watch.sa_handler = on_alarm;
  if (config.watchdog_s) sigaction(SIGALRM, &watch, &before);
  machine.alarms = 0;
  alarm(config.watchdog_s);
  if constexpr (race_build) race_start_launch();
  current = &machine.host;
  start_admission(blocks, slots);
  switch_away();
  if (!machine.failed) finish_copies();
  current = nullptr;
  alarm(0);
  if (config.watchdog_s) sigaction(SIGALRM, &before, nullptr);

  if (machine.failed) {
    note_error("kernel " + plain_name(name) + ": " + machine.failure + race_location());
    machine.copies.clear();
    for (size_t s = 0; s < machine.slots.size(); ++s) {
      Block *b = machine.slots[s];
      if constexpr (race_build) race_end_block(b);
      for (unsigned i = 0; race_build && i < b->threads; ++i) race_forget_fiber(b->fibers + i);
      free_arrays(b);
      b->mbarriers.clear();
      for (unsigned i = 0; i < b->threads; ++i) unpoison_stack(b->fibers + i);
      prepare_slot(s, b->threads);
    }
  }
  if constexpr (race_build) race_end_launch();
  return machine.failed ? launch_failure : ok;
}

Result launch(const char *name, dim3 grid, dim3 block, size_t dynamic_shared, void (*thunk)(void *), void *closure,
    size_t closure_bytes) {
  const bool clusters = config.cluster > 1;
  const size_t bytes = sizeof(uint32_t) * (grid.x / config.cluster + 1);
  if (clusters) {
    machine.cluster_words = static_cast<uint32_t *>(device_malloc(bytes));
    host_fill(machine.cluster_words, 0, bytes);
  }
  const Result result = launch_grid(name, grid, block, dynamic_shared, thunk, closure, closure_bytes);
  if (clusters) device_free(machine.cluster_words);
  return result;
}

void set_random_schedule(uint64_t seed) {
  static const unsigned configured = config.resident;
  uint64_t x = (seed + 1) * 0xD1342543DE82EF95ull;
  auto next = [&x](unsigned n) {
    x ^= x >> 32;
    x *= 0x9E3779B97F4A7C15ull;
    return unsigned((x >> 33) % n);
  };
  auto one_of = [&next](
                    std::initializer_list<unsigned> values) { return values.begin()[next(unsigned(values.size()))]; };
  config.seed = seed;
  config.policy = Policy(seed % 3);
  config.admission = Admission(seed / 3 % 3);
  config.resident = one_of({configured, 1, 8, 48, configured});
  config.sticky = one_of({4, 16, 64});
  config.shuffle_1_in = one_of({1, 3, 16});
  config.yield_1_in = one_of({0, 2, 4, 16});
  config.preempt_1_in = one_of({0, 8, 100});
  config.copy_1_in = one_of({1, 8, 64, 1000000});
}

} // namespace simt
