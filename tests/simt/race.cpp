// race.cpp - allocations that kernels may access and, in the race build, the thread and time of each byte's accesses.
//
// Exact happens-before. A thread's time is (phase, sub): the number of __syncthreads its block has passed, and of the
// thread's own publications since (release, arrive, __syncwarp, proxy fence). A thread's knowledge of other threads'
// times has three sources: all earlier phases of its own block; its warp's table (__syncwarp); and its Knowledge, which
// travels through releases and acquires. A shadow cell remembers the last write and two reads; an access that conflicts
// with one of them must know of it.
#include "internal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <link.h>
#include <unistd.h>

namespace simt {

union Record {
  uint64_t bits;
  __extension__ struct {
    uint64_t gtid : 28, atomic : 1, async : 1, phase : 18, sub : 16; // async: phase holds the Wait and its number
  };
};
struct Cell {
  Record write, read[2];
};
constexpr uint64_t by_host = uint64_t(1) << 48; // gtid 0 at sub 1: before every launch
constexpr uint64_t split_mark = ~uint64_t(0); // in a word's write record: look at the cells of its bytes

struct Region {
  uintptr_t low = 0, high = 0;
  Block *owner = nullptr; // null: global memory
  Cell *words = nullptr; // one a 4-byte word
  Cell *bytes = nullptr; // one a byte, where words are split; made when first needed
};

// Never destroyed: the scheduler's tear-down at exit uses it.
static std::map<uintptr_t, Region> &regions = *new std::map<uintptr_t, Region>;

// By a hash of an address: the region last found for that hash.
static Region *found[1024];

static Region *region_of(uintptr_t a) {
  Region *&last = found[(a >> 8 ^ a >> 18) % std::size(found)];
  if (last && a - last->low < last->high - last->low) return last;
  auto i = regions.upper_bound(a);
  if (i == regions.begin()) return nullptr;
  --i;
  return a < i->second.high ? last = &i->second : nullptr;
}

static size_t word_count(size_t bytes) { return (bytes + 3) / 4; }

void track(void *p, size_t bytes, Block *owner) {
  Region r;
  r.low = reinterpret_cast<uintptr_t>(p);
  r.high = r.low + bytes;
  r.owner = owner;
  if (race_build) r.words = static_cast<Cell *>(calloc(word_count(bytes) + 1, sizeof(Cell)));
  regions[r.low] = r;
}

void untrack(void *p) {
  auto i = regions.find(reinterpret_cast<uintptr_t>(p));
  if (i == regions.end()) return;
  free(i->second.words);
  free(i->second.bytes);
  regions.erase(i);
  std::fill(std::begin(found), std::end(found), nullptr);
  for (Block *b : machine.slots) std::fill(std::begin(b->recent), std::end(b->recent), Recent{});
}

void make_undefined(void *p, size_t bytes) {
  if (!race_build) return;
  if (Region *r = region_of(reinterpret_cast<uintptr_t>(p))) memset(r->words, 0, word_count(bytes) * sizeof(Cell));
}

bool range_inside(const void *p, size_t bytes, Block *owner) {
  const uintptr_t a = reinterpret_cast<uintptr_t>(p);
  const Region *r = region_of(a);
  return r && r->owner == owner && bytes <= r->high - a;
}

static void split(Region *r, size_t word) {
  Cell &w = r->words[word];
  if (w.write.bits == split_mark) return;
  if (!r->bytes) r->bytes = static_cast<Cell *>(calloc(word_count(r->high - r->low) * 4, sizeof(Cell)));
  std::fill_n(r->bytes + word * 4, 4, w);
  w.write.bits = split_mark;
}

void host_init(const void *p, size_t bytes) {
  if (!race_build) return;
  std::lock_guard<std::mutex> guard(machine.lock);
  Region *r = region_of(reinterpret_cast<uintptr_t>(p));
  if (!r) return;
  Cell host = {};
  host.write.bits = by_host;
  const size_t first = reinterpret_cast<uintptr_t>(p) - r->low, end = std::min(first + bytes, r->high - r->low);
  for (size_t at = first; at < end;) {
    const size_t word = at / 4;
    if (at % 4 == 0 && (end - at >= 4 || end == r->high - r->low)) {
      r->words[word] = host;
      at += 4;
    } else {
      split(r, word);
      r->bytes[at++] = host;
    }
  }
}

#ifdef SIMT_RACE

// Packs a Wait and its number into Record's `phase`; limits of Record's fields.
constexpr unsigned wait_shift = 16, max_phase = (1u << 18) - 1, max_sub = 65000;

// ---- knowledge: immutable once shared, in chunks that its copies share ----

// Known times of the threads first .. first + count - 1 of a block, within one phase; 0: unknown.
struct Detail {
  unsigned refs;
  uint16_t first, count;

  static Detail *create(unsigned first, unsigned count) {
    void *p = calloc(1, sizeof(Detail) + count * sizeof(uint16_t));
    Detail *d = static_cast<Detail *>(p);
    d->first = uint16_t(first);
    d->count = uint16_t(count);
    return d;
  }
  static void destroy(Detail *d) { free(d); }
  uint16_t *times() { return reinterpret_cast<uint16_t *>(this + 1); }
  const uint16_t *times() const { return reinterpret_cast<const uint16_t *>(this + 1); }
  unsigned time(unsigned thread) const { return thread - first < count ? times()[thread - first] : 0; }
  bool within(const Detail *other) const {
    for (unsigned i = 0; i < count; ++i)
      if (times()[i] > other->time(first + i)) return false;
    return true;
  }
};

// Knowledge of one block: all phases before `phase`, and the detail of that one.
struct Know {
  uint32_t phase = 0;
  Ref<Detail> detail;

  unsigned time(unsigned thread) const { return detail ? detail->time(thread) : 0; }
  bool within(const Know &other) const {
    if (phase != other.phase) return phase < other.phase;
    return !detail || detail == other.detail || (other.detail && detail->within(other.detail.get()));
  }
};

static Ref<Detail> unite(const Ref<Detail> &a, const Ref<Detail> &b) {
  if (!a || a == b) return b;
  if (!b) return a;
  const unsigned first = std::min(a->first, b->first);
  const unsigned end = std::max(a->first + a->count, b->first + b->count);
  if (first == a->first && end == unsigned(a->first + a->count) && b->within(a.get())) return a;
  if (first == b->first && end == unsigned(b->first + b->count) && a->within(b.get())) return b;
  Ref<Detail> sum(Detail::create(first, end - first));
  for (unsigned i = 0; i < a->count; ++i) sum->times()[a->first - first + i] = a->times()[i];
  for (unsigned i = 0; i < b->count; ++i) {
    uint16_t &t = sum->times()[b->first - first + i];
    t = std::max(t, b->times()[i]);
  }
  return sum;
}

struct Chunk {
  static constexpr unsigned size = 16;
  unsigned refs = 0;
  Know of[size];
  static void destroy(Chunk *c) { delete c; }
};

// Section 0 is indexed by block; sections 1 to 3 hold the knowledge of each block's bulk copies, one for each Wait.
static const Know *find(const Known &known, size_t index) {
  const size_t c = index / Chunk::size;
  return known && c < known->chunks.size() && known->chunks[c] ? &known->chunks[c]->of[index % Chunk::size] : nullptr;
}

void Knowledge::destroy(Knowledge *k) { delete k; }

static size_t section_size; // blocks of the launch, rounded up to chunks
static size_t section(Wait wait) { return size_t(wait) * section_size; }

static Ref<Chunk> merge(const Ref<Chunk> &a, const Ref<Chunk> &b) {
  if (!b || a == b) return a;
  if (!a) return b;
  bool a_within = true, b_within = true;
  for (unsigned i = 0; i < Chunk::size && (a_within || b_within); ++i) {
    const Know &x = a->of[i], &y = b->of[i];
    if (x.phase == y.phase && x.detail == y.detail) continue;
    a_within = a_within && x.within(y);
    b_within = b_within && y.within(x);
  }
  if (b_within) return a;
  if (a_within) return b;
  Ref<Chunk> sum(new Chunk);
  for (unsigned i = 0; i < Chunk::size; ++i) {
    const Know &x = a->of[i], &y = b->of[i];
    if (x.phase != y.phase) {
      sum->of[i] = x.phase > y.phase ? x : y;
    } else {
      sum->of[i].phase = x.phase;
      sum->of[i].detail = unite(x.detail, y.detail);
    }
  }
  return sum;
}

static Known merge(const Known &a, const Known &b) {
  if (!b || a == b) return a;
  if (!a) return b;
  const size_t shorter = std::min(a->chunks.size(), b->chunks.size());
  const size_t longer = std::max(a->chunks.size(), b->chunks.size());
  bool all_a = a->chunks.size() == longer, all_b = b->chunks.size() == longer;
  Known sum; // made if neither suffices
  auto differ = [&](size_t done, const Known &same) {
    if (sum) return;
    sum = Known(new Knowledge);
    sum->chunks.assign(same->chunks.begin(), same->chunks.begin() + long(done));
    sum->chunks.resize(longer);
  };
  for (size_t i = 0; i < shorter; ++i) {
    const Ref<Chunk> &x = a->chunks[i], &y = b->chunks[i];
    if (x == y) {
      if (sum) sum->chunks[i] = x;
      continue;
    }
    Ref<Chunk> m = merge(x, y);
    const bool still_a = all_a && m == x, still_b = all_b && m == y;
    if (!still_a && !still_b) differ(i, all_a ? a : b);
    if (sum) sum->chunks[i] = std::move(m);
    if (!sum) all_a = still_a, all_b = still_b;
  }
  if (!sum && all_a) return a;
  if (!sum && all_b) return b;
  differ(shorter, a->chunks.size() < b->chunks.size() ? a : b);
  const Known &rest = a->chunks.size() == longer ? a : b;
  for (size_t i = shorter; i < longer; ++i) sum->chunks[i] = rest->chunks[i];
  return sum;
}

// A copy of `from` with entry `index` replaced.
static Known with(const Known &from, size_t index, uint32_t phase, Ref<Detail> detail) {
  Known k(new Knowledge);
  const size_t c = index / Chunk::size;
  if (from) k->chunks = from->chunks;
  if (k->chunks.size() <= c) k->chunks.resize(c + 1);
  Ref<Chunk> chunk(k->chunks[c] ? new Chunk(*k->chunks[c]) : new Chunk);
  if (k->chunks[c]) chunk->refs = 1; // the copy took the original's count with it
  chunk->of[index % Chunk::size].phase = phase;
  chunk->of[index % Chunk::size].detail = std::move(detail);
  k->chunks[c] = std::move(chunk);
  return k;
}

static Known with_time(const Known &from, Wait wait, unsigned block, unsigned number, unsigned time) {
  const size_t index = section(wait) + block;
  Ref<Detail> detail(Detail::create(number, 1));
  detail->times()[0] = uint16_t(time);
  if (const Know *old = find(from, index)) detail = unite(old->detail, detail);
  return with(from, index, 0, std::move(detail));
}

// ---- threads' times ----

static void tick(Fiber *f) {
  if (++f->sub > max_sub) fail("checker: a thread published more than %u times between two __syncthreads", max_sub);
}

static Record now(const Fiber *f) {
  Record r;
  r.bits = 0;
  r.gtid = f->gtid;
  r.phase = f->block->phase;
  r.sub = f->sub;
  return r;
}

// Passed on by this thread's release: all its knowledge, and its own time.
static Known publish(Fiber *f) {
  const Block *b = f->block;
  const Warp *w = f->warp;
  Ref<Detail> own;
  if (w->met_any && w->met_phase == b->phase) {
    own = Ref<Detail>(Detail::create(f->index & ~31u, 32));
    memcpy(own->times(), w->met[f->lane], sizeof w->met[f->lane]);
    own->times()[f->lane] = uint16_t(f->sub);
  } else {
    own = Ref<Detail>(Detail::create(f->index, 1));
    own->times()[0] = uint16_t(f->sub);
  }
  const Know *old = find(f->known, b->index);
  if (old && old->phase == b->phase) own = unite(old->detail, own);
  Known k = with(f->known, b->index, b->phase, std::move(own));
  k->epoch = now(f).bits;
  tick(f);
  return k;
}

static bool before_slow(Record r, const Fiber *f) {
  const unsigned number = unsigned(r.gtid) - machine.first_gtid;
  const unsigned block = number / machine.per_block, thread = number % machine.per_block;
  const Block *b = f->block;
  if (r.async) {
    const Know *k = find(f->known, section(Wait(r.phase >> wait_shift)) + block);
    return k && k->time(unsigned(r.phase & ((1u << wait_shift) - 1))) >= r.sub;
  }
  const Warp *w = f->warp;
  if (block == b->index && thread / 32 == f->index / 32 && w->met_phase == b->phase &&
      w->met[f->lane][thread & 31] >= r.sub)
    return true;
  const Know *k = find(f->known, block);
  return k && (r.phase < k->phase || (r.phase == k->phase && k->time(thread) >= r.sub));
}

// Whether the recorded access happened before this point of the thread. (An empty record did.)
static inline bool before(Record r, const Fiber *f) {
  if (r.gtid < machine.first_gtid) return true;
  if (!r.async) {
    if (r.gtid == f->gtid) return true;
    const Block *b = f->block;
    if (r.phase < b->phase && unsigned(r.gtid) - b->first_gtid < b->threads) return true;
  }
  return before_slow(r, f);
}

// A thread that knows the time of the publication knows all of it (FastTrack, Flanagan and Freund 2009).
static void learn(Fiber *f, const Known &k) {
  Record published;
  published.bits = k->epoch;
  if (!k->epoch || !before(published, f)) f->known = merge(f->known, k);
}

// ---- reports ----

struct Image {
  uintptr_t low, high, bias;
  std::string name;
};
static std::vector<Image> images; // of the program and its libraries: constants and the emulator's own variables

static unsigned long long libraries; // loaded so far: a later library has constants too

// (from the first segment to the last: in between, nothing is mapped that a kernel could reach)
static int add_image(dl_phdr_info *info, size_t, void *) {
  Image image = {~uintptr_t(0), 0, info->dlpi_addr, *info->dlpi_name ? info->dlpi_name : "/proc/self/exe"};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto &segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    image.low = std::min<uintptr_t>(image.low, info->dlpi_addr + segment.p_vaddr);
    image.high = std::max<uintptr_t>(image.high, info->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (image.high) images.push_back(image);
  return 0;
}

static int find_images(dl_phdr_info *info, size_t, void *) { // asks the first one whether there are new ones
  if (info->dlpi_adds == libraries) return 1;
  libraries = info->dlpi_adds;
  images.clear();
  dl_iterate_phdr(add_image, nullptr);
  return 1;
}

static uintptr_t image_low, image_bytes; // of the last one found: nearly always the program's variables

static bool in_image(uintptr_t a) {
  if (a - image_low < image_bytes) return true;
  for (const Image &i : images)
    if (a - i.low < i.high - i.low) {
      image_low = i.low;
      image_bytes = i.high - i.low;
      return true;
    }
  return false;
}

static const void *access_pc; // the return address of the checked access; null: the emulator was called
static const void *fault_pc; // of the reported access

std::string race_location() {
  static std::map<const void *, std::string> known;
  const uintptr_t pc = reinterpret_cast<uintptr_t>(fault_pc);
  if (!pc || !config.locate) return "";
  auto found = known.find(fault_pc);
  if (found != known.end()) return found->second;
  std::string &place = known[fault_pc];
  for (const Image &i : images) {
    if (pc - i.low >= i.high - i.low) continue;
    char exe[4096];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    const std::string name = i.name == "/proc/self/exe" && n > 0 ? std::string(exe, size_t(n)) : i.name;
    if (name.find('\'') != std::string::npos) break;
    char address[32];
    snprintf(address, sizeof address, "0x%zx", size_t(pc - i.bias - 1));
    FILE *pipe = popen(("addr2line -i -s -e '" + name + "' " + address + " 2>/dev/null").c_str(), "r");
    if (!pipe) break;
    char line[512];
    while (fgets(line, sizeof line, pipe)) {
      std::string s = line;
      while (!s.empty() && (s.back() == '\n' || s.back() == ' ')) s.pop_back();
      s = s.substr(0, s.find(" (discriminator"));
      if (s.compare(0, 2, "??") == 0 || s.find(":?") != std::string::npos) continue;
      place += (place.empty() ? " [at " : ", called from ") + s;
    }
    pclose(pipe);
    if (!place.empty()) place += "]";
    break;
  }
  return place;
}

static const char *after() { // the thread's last known place; set by every reported access
  static char text[512];
  const Fiber *f = current;
  fault_pc = access_pc;
  text[0] = 0;
  if (f->file)
    snprintf(text, sizeof text, "%s%s:%d", access_pc ? "; its last collective or ordered access: " : " at ", f->file,
        f->line);
  return text;
}

static const char *kind(const Region *r) { return r->owner ? "shared" : "global"; }

[[noreturn]] static void report_race(const char *what, const Region *r, size_t offset, Record other) {
  const unsigned number = unsigned(other.gtid) - machine.first_gtid;
  const unsigned block = number / machine.per_block, thread = number % machine.per_block;
  const char *by = other.atomic ? "an atomic access" : "an access";
  const char *hint = "";
  if (other.async) {
    const Wait wait = Wait(other.phase >> wait_shift);
    by = wait == Wait::mbarrier ? "a bulk load" : "a bulk store";
    hint = wait == Wait::mbarrier ? ", whose mbarrier phase this thread has not waited for"
        : wait == Wait::group_read ? " that may still read here (no bulk_wait_read before this)"
        : " that may still write here (no bulk_wait before this)";
  }
  fail("RACE: %s of %s memory at +%zu conflicts with %s by block %u thread %u%s%s", what, kind(r), offset, by, block,
      thread, hint, after());
}

[[noreturn]] static void report_bounds(const void *p, size_t bytes, bool write) {
  const uintptr_t a = reinterpret_cast<uintptr_t>(p);
  if (a - reinterpret_cast<uintptr_t>(machine.arena) < machine.arena_bytes)
    fail("OUT OF BOUNDS: %zu-byte %s of another thread's stack%s", bytes, write ? "write" : "read", after());
  auto i = regions.upper_bound(a);
  if (i == regions.begin())
    fail("OUT OF BOUNDS: %zu-byte %s at %p, which is not device memory%s", bytes, write ? "write" : "read", p, after());
  const Region &r = (--i)->second;
  fail("OUT OF BOUNDS: %zu-byte %s at %p; the nearest array below has %zu bytes of %s memory, this is at +%zu%s", bytes,
      write ? "write" : "read", p, size_t(r.high - r.low), kind(&r), size_t(a - r.low), after());
}

// ---- shadow memory ----

static inline Region *find_region(uintptr_t a, Block *b) {
  for (const Recent &recent : b->recent)
    if (a - recent.low < recent.bytes) return recent.region;
  Region *r = region_of(a);
  if (r) b->recent[b->recent_next++ % std::size(b->recent)] = {r->low, r->high - r->low, r};
  return r;
}

// Checks one cell against the thread's knowledge, and records the access in it.
template<bool Read, bool Write>
static inline void visit(Cell &c, const Region *r, size_t offset, const Fiber *f, Record me) {
  if (Read && !c.write.bits) fail("UNINITIALISED read of %s memory at +%zu%s", kind(r), offset, after());
  if (!(me.atomic && c.write.atomic) && !before(c.write, f)) report_race(Write ? "write" : "read", r, offset, c.write);
  if (Write) {
    for (Record &old : c.read)
      if (old.bits && !(me.atomic && old.atomic) && !before(old, f))
        report_race("write (after a read)", r, offset, old);
    c.write = me;
    c.read[0].bits = c.read[1].bits = 0;
  } else if (c.read[0].bits != me.bits) {
    c.read[!c.read[0].bits || before(c.read[0], f) ? 0 : 1] = me; // the first reader and the latest one stay
  }
}

template<bool Read, bool Write>
static void visit_bytes(Region *r, size_t first, size_t count, const Fiber *f, Record me) {
  const size_t word = first / 4;
  split(r, word);
  for (size_t i = first; i < first + count; ++i) visit<Read, Write>(r->bytes[i], r, i, f, me);
  if (Write && count == 4) r->words[word] = r->bytes[first]; // one history again
}

template<bool Read, bool Write>
static inline void visit_range(Region *r, size_t offset, size_t bytes, const Fiber *f, Record me) {
  for (const size_t end = offset + bytes; offset < end;) {
    const size_t count = std::min(end - offset, 4 - offset % 4);
    Cell &word = r->words[offset / 4];
    if (count == 4 && word.write.bits != split_mark) visit<Read, Write>(word, r, offset, f, me);
    else visit_bytes<Read, Write>(r, offset, count, f, me);
    offset += count;
  }
}

static Region *last_region; // of the latest ordered access

template<bool Read, bool Write> static inline void check(const void *p, size_t bytes, bool atomic) {
  Fiber *f = current;
  const uintptr_t a = reinterpret_cast<uintptr_t>(p);
  ++stats.accesses;
  Block *b = f->block;
  if (a - image_low < image_bytes) return; // threadIdx, constants
  Region *r = find_region(a, b);
  if (!r) {
    if (a - reinterpret_cast<uintptr_t>(machine.closure) < machine.closure_bytes || in_image(a)) return;
    report_bounds(p, bytes, Write);
  }
  if (bytes > r->high - a) report_bounds(p, bytes, Write);
  if (r->owner && r->owner != b) {
    if (r->owner->index / config.cluster != b->index / config.cluster)
      fail("access to another block's shared memory%s", after());
    if (!r->owner->alive) fail("access to the shared memory of a block that has exited%s", after());
  }
  if (access_pc) { // ordered accesses have been recorded
    note_place(reinterpret_cast<uintptr_t>(access_pc));
    if (!r->owner && too_early(f)) touch_global(f, config.dependent ? after() : "");
  }
  Record me = now(f);
  me.atomic = atomic;
  last_region = r;
  visit_range<Read, Write>(r, a - r->low, bytes, f, me);
}

void race_access(const void *p, size_t bytes, bool read, bool write, bool atomic) {
  access_pc = nullptr;
  last_region = nullptr;
  if (reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(current->stack) < current->stack_bytes) return;
  if (read && write) check<true, true>(p, bytes, atomic);
  else if (write) check<false, true>(p, bytes, atomic);
  else check<true, false>(p, bytes, atomic);
}

// An ordinary store of this block needs a proxy fence of its thread after it, or a bulk copy may miss it.
static void check_proxy(const Cell &c, const Region *r, size_t offset) {
  const Block *b = current->block;
  const Record w = c.write;
  if (w.async || unsigned(w.gtid) - b->first_gtid >= b->threads) return;
  const Fiber &writer = b->fibers[unsigned(w.gtid) - b->first_gtid];
  if (w.phase < writer.proxy_phase || (w.phase == writer.proxy_phase && w.sub <= writer.proxy_sub)) return;
  fail("PROXY FENCE missing: %s touches %s memory at +%zu, which thread %u stored to; that thread has not called "
       "fence_proxy_async since%s",
      current->op, kind(r), offset, writer.index, after());
}

static void check_proxy(const Region *r, size_t offset, size_t bytes) {
  for (const size_t end = offset + bytes; offset < end; offset += 4) {
    if (r->words[offset / 4].write.bits != split_mark) check_proxy(r->words[offset / 4], r, offset);
    else
      for (size_t i = offset; i < offset + 4; ++i) check_proxy(r->bytes[i], r, i);
  }
}

void race_copy_access(const void *p, size_t bytes, bool write, Wait wait, unsigned number, unsigned time) {
  access_pc = nullptr;
  const uintptr_t a = reinterpret_cast<uintptr_t>(p);
  Region *r = region_of(a); // the caller has checked the range
  const size_t offset = a - r->low;
  Record me;
  me.bits = 0;
  me.gtid = current->gtid;
  me.async = 1;
  me.phase = unsigned(wait) << wait_shift | number;
  me.sub = time;
  if (write) {
    check_proxy(r, offset, bytes);
    visit_range<false, true>(r, offset, bytes, current, me);
  } else {
    visit_range<true, false>(r, offset, bytes, current, me);
    check_proxy(r, offset, bytes);
  }
}

// ---- accesses reported by the compiler ----

template<bool Write> static inline void plain(const void *p, size_t bytes, const void *pc) {
  Fiber *f = current;
  if (!f || reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(f->stack) < f->stack_bytes) return;
  const uintptr_t frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (frame - reinterpret_cast<uintptr_t>(f->stack) >= f->stack_bytes) return; // another host thread
  if (machine.alarms) fail("WATCHDOG: a loop without end? It has run for config.watchdog_s = %u s", config.watchdog_s);
  if (config.preempt_1_in && below(config.preempt_1_in) == 0) yield();
  access_pc = pc;
  check<!Write, Write>(p, bytes, false);
}

// ---- synchronisation ----

static std::unordered_map<uintptr_t, Known> released; // by global address: published by the last release there

static std::unordered_map<uintptr_t, Known> &release_map() {
  return last_region && last_region->owner ? last_region->owner->released : released;
}

// Few relaxed loads are followed by a fence, so a fence merges what they saw; many of them, here.
static void note_pending(Fiber *f, const Known &seen) {
  for (unsigned i = f->pending_count; i-- > 0;)
    if (f->pending[i] == seen) return;
  if (f->pending_count == std::size(f->pending)) {
    for (unsigned i = 1; i < f->pending_count; ++i)
      f->pending[0] = merge(f->pending[0], std::exchange(f->pending[i], Known()));
    f->pending_count = 1;
  }
  f->pending[f->pending_count++] = seen;
}

// The load of an ordered access (after race_access has checked p).
void race_acquire(const void *p, bool acquires) {
  auto &map = release_map();
  if (map.empty()) return;
  auto i = map.find(reinterpret_cast<uintptr_t>(p));
  if (i == map.end() || !i->second) return;
  if (acquires) learn(current, i->second);
  else note_pending(current, i->second);
}

// The store of an ordered access. keeps: a read-modify-write, which continues the release sequence.
void race_release(const void *p, bool releases, bool keeps) {
  Known k = releases ? publish(current) : current->fenced;
  auto &map = release_map();
  const uintptr_t a = reinterpret_cast<uintptr_t>(p);
  if (!k) {
    if (!keeps && !map.empty()) map.erase(a);
    return;
  }
  Known &slot = map[a];
  slot = keeps ? merge(slot, k) : k;
}

void race_fence() {
  Fiber *f = current;
  for (; f->pending_count; --f->pending_count) learn(f, std::exchange(f->pending[f->pending_count - 1], Known()));
  f->fenced = publish(f);
}

void race_proxy_fence() {
  Fiber *f = current;
  f->proxy_phase = f->block->phase;
  f->proxy_sub = f->sub;
  tick(f);
}

void race_sync_warp(Warp *w, unsigned mask) {
  const Block *b = current->block;
  if (w->met_phase != b->phase) {
    memset(w->met, 0, sizeof w->met);
    w->met_phase = b->phase;
  }
  w->met_any = true;
  uint16_t all[32] = {};
  Known known;
  SIMT_FOR_LANES(lane, mask) {
    Fiber *f = w->lane[lane];
    w->met[lane][lane] = uint16_t(f->sub);
    tick(f);
    for (int i = 0; i < 32; ++i) all[i] = std::max(all[i], w->met[lane][i]);
    known = merge(known, f->known);
  }
  SIMT_FOR_LANES(lane, mask) {
    memcpy(w->met[lane], all, sizeof all);
    if (!(w->lane[lane]->known == known)) w->lane[lane]->known = known;
  }
}

void race_sync_block(Block *b) {
  if (++b->phase > max_phase) fail("checker: too many __syncthreads in one block");
  Known known;
  for (unsigned i = 0; i < b->threads; ++i) {
    b->fibers[i].sub = 1;
    known = merge(known, b->fibers[i].known);
  }
  for (unsigned i = 0; i < b->threads; ++i)
    if (!(b->fibers[i].known == known)) b->fibers[i].known = known;
}

void race_arrive(Mbarrier &bar) { bar.arriving = merge(bar.arriving, publish(current)); }

void race_complete(Block *b, Mbarrier &bar) {
  bar.completed = with_time(merge(bar.completed, bar.arriving), Wait::mbarrier, b->index, bar.number, bar.phase + 1);
  bar.arriving = Known();
}

void race_wait(Mbarrier &bar) { current->known = merge(current->known, bar.completed); }

void race_learn(Wait wait, unsigned number, unsigned time) {
  if (time) current->known = with_time(current->known, wait, current->block->index, number, time);
}

// ---- life cycle ----

void race_start_launch() {
  dl_iterate_phdr(find_images, nullptr);
  const size_t blocks = size_t(grid_dim.x) * grid_dim.y * grid_dim.z;
  section_size = (blocks + Chunk::size - 1) / Chunk::size * Chunk::size;
  fault_pc = nullptr;
}

void race_end_launch() {
  released.clear();
  machine.first_gtid += unsigned(machine.order.size()) * machine.per_block;
  if (machine.first_gtid <= 1u << 27) return;
  // Thread numbers run out: everything so far becomes the host's.
  auto age = [](Cell &c) {
    if (c.write.bits) c.write.bits = by_host;
    c.read[0].bits = c.read[1].bits = 0;
  };
  for (auto &entry : regions) {
    Region &r = entry.second;
    const size_t words = word_count(r.high - r.low);
    for (size_t i = 0; i < words; ++i) {
      if (r.words[i].write.bits == split_mark) std::for_each(r.bytes + i * 4, r.bytes + i * 4 + 4, age);
      else age(r.words[i]);
    }
  }
  machine.first_gtid = 1;
}

void race_begin_block(Block *b) { std::fill(std::begin(b->recent), std::end(b->recent), Recent{}); }

void race_end_block(Block *b) {
  b->released.clear();
  b->mbarriers.clear();
}

void race_forget_fiber(Fiber *f) {
  for (; f->pending_count; --f->pending_count) f->pending[f->pending_count - 1] = Known();
  f->known = f->fenced = Known();
}

#else

std::string race_location() { return ""; }
void Knowledge::destroy(Knowledge *) {}
void race_start_launch() {}
void race_end_launch() {}
void race_begin_block(Block *) {}
void race_end_block(Block *) {}
void race_forget_fiber(Fiber *) {}
void race_access(const void *, size_t, bool, bool, bool) {}
void race_copy_access(const void *, size_t, bool, Wait, unsigned, unsigned) {}
void race_acquire(const void *, bool) {}
void race_release(const void *, bool, bool) {}
void race_fence() {}
void race_proxy_fence() {}
void race_sync_warp(Warp *, unsigned) {}
void race_sync_block(Block *) {}
void race_arrive(Mbarrier &) {}
void race_complete(Block *, Mbarrier &) {}
void race_wait(Mbarrier &) {}
void race_learn(Wait, unsigned, unsigned) {}

#endif

} // namespace simt

#ifdef SIMT_RACE

// Called by code of g++ -fsanitize=thread and of clang++.
#define SIMT_PC __builtin_return_address(0)
#define SIMT_ACCESS(N) \
  void __tsan_read##N(void *p) { simt::plain<false>(p, N, SIMT_PC); } \
  void __tsan_write##N(void *p) { simt::plain<true>(p, N, SIMT_PC); } \
  void __tsan_unaligned_read##N(void *p) { simt::plain<false>(p, N, SIMT_PC); } \
  void __tsan_unaligned_write##N(void *p) { simt::plain<true>(p, N, SIMT_PC); } \
  void __tsan_volatile_read##N(void *p) { simt::plain<false>(p, N, SIMT_PC); } \
  void __tsan_volatile_write##N(void *p) { simt::plain<true>(p, N, SIMT_PC); } \
  void __tsan_unaligned_volatile_read##N(void *p) { simt::plain<false>(p, N, SIMT_PC); } \
  void __tsan_unaligned_volatile_write##N(void *p) { simt::plain<true>(p, N, SIMT_PC); }
// Host code in a kernel's file may use atomics; kernels may not.
#define SIMT_HOST_ATOMIC(BITS, T) \
  T __tsan_atomic##BITS##_load(const volatile T *p, int) { return __atomic_load_n(p, 5); } \
  void __tsan_atomic##BITS##_store(volatile T *p, T v, int) { __atomic_store_n(p, v, 5); } \
  T __tsan_atomic##BITS##_exchange(volatile T *p, T v, int) { return __atomic_exchange_n(p, v, 5); } \
  T __tsan_atomic##BITS##_fetch_add(volatile T *p, T v, int) { return __atomic_fetch_add(p, v, 5); } \
  T __tsan_atomic##BITS##_fetch_sub(volatile T *p, T v, int) { return __atomic_fetch_sub(p, v, 5); } \
  T __tsan_atomic##BITS##_fetch_and(volatile T *p, T v, int) { return __atomic_fetch_and(p, v, 5); } \
  T __tsan_atomic##BITS##_fetch_or(volatile T *p, T v, int) { return __atomic_fetch_or(p, v, 5); } \
  T __tsan_atomic##BITS##_fetch_xor(volatile T *p, T v, int) { return __atomic_fetch_xor(p, v, 5); } \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T *p, T *e, T v, int, int) { \
    return __atomic_compare_exchange_n(p, e, v, false, 5, 5); \
  } \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T *p, T *e, T v, int, int) { \
    return __atomic_compare_exchange_n(p, e, v, false, 5, 5); \
  }
extern "C" {
SIMT_ACCESS(1)
SIMT_ACCESS(2)
SIMT_ACCESS(4)
SIMT_ACCESS(8)
SIMT_ACCESS(16)
void __tsan_read_range(void *p, size_t n) { simt::plain<false>(p, n, SIMT_PC); }
void __tsan_write_range(void *p, size_t n) { simt::plain<true>(p, n, SIMT_PC); }
// clang++ copies structs with these.
void *__tsan_memcpy(void *to, const void *from, size_t n) {
  if (n) simt::plain<false>(from, n, SIMT_PC), simt::plain<true>(to, n, SIMT_PC);
  return memcpy(to, from, n);
}
void *__tsan_memmove(void *to, const void *from, size_t n) {
  if (n) simt::plain<false>(from, n, SIMT_PC), simt::plain<true>(to, n, SIMT_PC);
  return memmove(to, from, n);
}
void *__tsan_memset(void *to, int value, size_t n) {
  if (n) simt::plain<true>(to, n, SIMT_PC);
  return memset(to, value, n);
}
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(5); }
void __tsan_atomic_signal_fence(int) {}
SIMT_HOST_ATOMIC(8, uint8_t)
SIMT_HOST_ATOMIC(16, uint16_t)
SIMT_HOST_ATOMIC(32, uint32_t)
SIMT_HOST_ATOMIC(64, uint64_t)
}

#endif
