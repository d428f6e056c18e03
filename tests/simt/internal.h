// internal.h - shared by the emulator's files: fibers, warps, blocks, and the race checker's hooks.
#ifndef SIMT_INTERNAL_H
#define SIMT_INTERNAL_H

#include "simt.h"

#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simt {

#ifdef SIMT_RACE
constexpr bool race_build = true;
#else
constexpr bool race_build = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif
#ifndef SIMT_ASAN
#define SIMT_ASAN 0
#endif

constexpr size_t max_shared = 227 * 1024;
constexpr unsigned max_threads = 1024;

// A counted pointer. std::shared_ptr counts atomically, but one OS thread runs all fibers.
template<class T> class Ref {
public:
  Ref() = default;
  explicit Ref(T *p) : p_(p) {
    if (p_) ++p_->refs;
  }
  Ref(const Ref &other) : Ref(other.p_) {}
  Ref(Ref &&other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  ~Ref() {
    if (p_ && --p_->refs == 0) T::destroy(p_);
  }
  T *get() const { return p_; }
  T *operator->() const { return p_; }
  T &operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool operator==(const Ref &other) const { return p_ == other.p_; }

private:
  T *p_ = nullptr;
};

// Race checker: the threads whose accesses happened before some point (race.cpp). Immutable once shared.
struct Chunk;
struct Knowledge {
  unsigned refs = 0;
  uint64_t epoch = 0; // the publishing thread, and its time; 0: several threads'
  std::vector<Ref<Chunk>> chunks;
  static void destroy(Knowledge *k);
};
using Known = Ref<Knowledge>;

struct Block;
struct Warp;

enum class State : uint8_t { ready, barrier, warp_op, spin, done };

// An address that a thread polls, and the last value seen.
struct Seen {
  const void *at;
  uint64_t value[2];
  unsigned bytes;
};

struct alignas(64) Fiber {
  // touched by a switch: one cache line
  void *context = nullptr;
  Block *block = nullptr;
  Warp *warp = nullptr;
  uint3 tid = {0, 0, 0};
  unsigned index = 0, lane = 0; // in the block, in the warp
  State state = State::done;
  char *stack = nullptr;
  size_t stack_bytes = 0;
  void *fake_stack = nullptr; // AddressSanitizer's
  // its source place, for reports
  const char *op = nullptr, *file = nullptr;
  int line = 0;
  uint64_t trail = 0; // hash of the places of its accesses since the warp's lanes last met
  bool waited = false, touched = false; // for the previous launch; global memory, before that
  int touched_line = 0;
  const char *touched_file = nullptr;
  // polling: the last few loads; `repeats` counts loads without a change. A look-back lane polls the words of two
  // aggregates: at most 10 each.
  uint8_t seen_count = 0, seen_oldest = 0, repeats = 0;
  Seen seen[20] = {};
  // bulk stores: the open group, the last group with a store (plus 1), and the number of groups waited for
  unsigned group = 0, stored = 0, read_waited = 0, write_waited = 0;
  // race checker: global thread number; time within the block's phase; time of the last proxy fence
  uint32_t gtid = 0, sub = 1, proxy_phase = 0, proxy_sub = 0;
  Known known; // what happened before this point
  Known pending[16]; // what relaxed loads saw: known after the next fence
  unsigned pending_count = 0;
  Known fenced; // what was known at the last fence: published by later relaxed stores
};

struct Warp {
  Exchange exchange;
  unsigned mask[32];
  const char *op[32]; // of the collective where a lane waits
  Fiber *lane[32];
  unsigned alive = 0, waiting = 0;
  // race checker: met[a][b] is lane b's time that lane a knows through __syncwarp, in the block's phase `met_phase`
  uint32_t met_phase = 0;
  bool met_any = false;
  uint16_t met[32][32];
};

// One mbarrier. The 64-bit word in shared memory holds a tag, the number and the phase, so that pollers see changes.
struct Mbarrier {
  uint64_t *word;
  unsigned number, count, missing; // arrivals of a phase, and those missing
  long expected; // bytes to come; negative when copies overtook their announcement
  unsigned phase, in_flight;
  unsigned loaded, observed; // number of phases with issued loads, and of completed phases that a thread has seen
  bool visible; // the initialising thread fenced: bulk copies may use it
  Fiber *initialiser;
  const char *file;
  int line;
  Known arriving, completed; // published by arrivals of this phase, and of completed phases
};

struct Region; // a tracked allocation
struct Recent { // the place of one
  uintptr_t low, bytes;
  Region *region;
};

struct SharedArray {
  const void *key;
  char *data;
  size_t bytes, capacity;
  bool used;
};

struct Block {
  uint3 id = {0, 0, 0};
  unsigned index = 0, threads = 0, alive = 0;
  uint32_t first_gtid = 0, phase = 0, priority = 0;
  Fiber *fibers = nullptr;
  Warp *warps = nullptr;
  // ready threads, a ring whose size is a power of two
  Fiber **ring = nullptr;
  unsigned ring_mask = 0, head = 0, ready = 0;
  bool waited = false; // a thread has, for the previous launch
  // __syncthreads
  unsigned arrived = 0;
  int vote = 0, verdict = 0;
  uint32_t meeting = 0; // in the cluster: number of earlier ones
  const char *file = nullptr;
  int line = 0;
  std::vector<SharedArray> arrays;
  std::vector<Mbarrier> mbarriers;
  unsigned loads = 0; // bulk loads in flight
  uint64_t serial = 0; // number of the admission: tells this block from the slot's earlier ones
  // race checker
  Recent recent[8] = {};
  unsigned recent_next = 0;
  std::unordered_map<uintptr_t, Known> released; // by shared address: published by the last release there
};

// One asynchronous copy. A load moves in one step; a store first reads its source, later writes its destination.
struct Copy {
  Block *block;
  Fiber *issuer;
  char *dst;
  const char *src;
  unsigned bytes, group, bar;
  bool store, read_done;
  std::vector<char> staging;
  uint64_t serial; // of the block
};

struct Machine {
  std::mutex lock;
  Fiber host; // the context of launch()'s caller
  std::vector<Block *> slots;
  Block *current = nullptr;
  bool rechoose = false; // a block other than the current one has a ready thread
  std::vector<Fiber *> spinning;
  std::vector<Copy> copies;
  std::vector<unsigned> order; // of admission
  size_t next_block = 0;
  unsigned live = 0; // threads of resident blocks that have not exited
  unsigned per_block = 0; // threads
  uint32_t first_gtid = 1; // of this launch: smaller numbers are earlier launches, 0 is the host
  uint64_t random = 1, progress = 0, progress_seen = 0;
  unsigned fruitless = 0;
  uint32_t lowest_priority = 0;
  volatile int alarms = 0;
  bool failed = false;
  bool blameless = false; // the report is not about the running thread
  std::string failure, first_error;
  void (*thunk)(void *) = nullptr;
  void *closure = nullptr;
  size_t closure_bytes = 0, dynamic_shared = 0;
  char *arena = nullptr;
  size_t arena_bytes = 0;
  std::map<uintptr_t, size_t> allocations;
  uint32_t *cluster_words = nullptr; // arrivals at each cluster's barrier
};
extern Machine machine;
extern Fiber *current; // the running fiber; null outside launch()

inline uint64_t draw() {
  uint64_t x = machine.random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return machine.random = x;
}
inline unsigned below(unsigned n) { return unsigned((draw() >> 32) * n >> 32); }
inline bool chance(unsigned one_in) { return one_in && below(one_in) == 0; }

// The emulator is compiled without AddressSanitizer's checks: it requests them for a kernel's ordered accesses.
#if SIMT_ASAN
extern "C" void __asan_loadN(const void *p, size_t bytes);
extern "C" void __asan_storeN(const void *p, size_t bytes);
#endif
inline void check_address(const void *p, size_t bytes, bool write) {
#if SIMT_ASAN
  if (write) __asan_storeN(p, bytes);
  else __asan_loadN(p, bytes);
#else
  (void)p, (void)bytes, (void)write;
#endif
}

inline void make_ready(Fiber *f) {
  f->state = State::ready;
  Block *b = f->block;
  b->ring[(b->head + b->ready++) & b->ring_mask] = f;
  if (b != machine.current) machine.rechoose = true;
}

inline void note_place(uint64_t place) { current->trail = (current->trail + place) * 0x9E3779B97F4A7C15ull; }
inline bool too_early(const Fiber *f) { return !f->waited && (!f->touched || config.dependent); }
void touch_global(Fiber *f, const char *where); // before it has waited
void check_early(const void *p); // does it access global memory before it has waited?

bool seems_to_poll(Fiber *f, const void *p, unsigned bytes, const void *value); // records the result of a load
void park_polling(Fiber *f); // until one of f->seen changes
void switch_away(); // runs other fibers until this one is picked again

// ---- bulk copies (async.cpp) ----
bool move_a_copy(); // advances a random pending copy; false: none
void finish_copies();
void check_exit(Fiber *f);
void check_retire(Block *b);
std::string unfinished_mbarriers();

// ---- regions: allocations that kernels may touch. In every build; shadow memory only in the race build (race.cpp)
// ----
void track(void *p, size_t bytes, Block *owner);
void untrack(void *p);
void make_undefined(void *p, size_t bytes);
bool range_inside(const void *p, size_t bytes, Block *owner); // of a region that this block may access

// ---- race checker (race.cpp; empty in the other builds) ----
// The event that orders an asynchronous copy's accesses: a phase of an mbarrier, a store group's reads, its writes.
enum class Wait : unsigned { mbarrier = 1, group_read = 2, group_write = 3 };

std::string race_location(); // the source line of a failed plain access, if known
void race_start_launch();
void race_end_launch();
void race_begin_block(Block *b);
void race_end_block(Block *b);
void race_forget_fiber(Fiber *f);
void race_access(const void *p, size_t bytes, bool read, bool write, bool atomic);
void race_copy_access(const void *p, size_t bytes, bool write, Wait wait, unsigned number, unsigned time);
void race_acquire(const void *p, bool acquires);
void race_release(const void *p, bool releases, bool keeps);
void race_fence();
void race_proxy_fence();
void race_sync_warp(Warp *w, unsigned mask);
void race_sync_block(Block *b);
void race_arrive(Mbarrier &bar);
void race_complete(Block *b, Mbarrier &bar);
void race_wait(Mbarrier &bar);
void race_learn(Wait wait, unsigned number, unsigned time);

} // namespace simt

#endif // SIMT_INTERNAL_H
