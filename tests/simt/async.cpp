// async.cpp - mbarriers and bulk copies, as on Hopper: a copy is queued when issued and moves at a random later point.
#include "internal.h"

#include <algorithm>

namespace simt {

constexpr long max_expected = (1 << 20) - 1; // hardware's range of the transaction count
constexpr unsigned max_time = 65000; // phases and groups that the checker's clocks can count
constexpr int unread = 0xC3; // fills destinations of copies in flight

static void begin(const char *op, const char *file, int line) {
  current->op = op;
  current->file = file;
  current->line = line;
  note_place(reinterpret_cast<uintptr_t>(file) + unsigned(line));
  if (chance(config.yield_1_in)) yield();
}

static uint64_t word_of(const Mbarrier &m) { return uint64_t(0x4D62) << 48 | uint64_t(m.number) << 32 | m.phase; }

static Mbarrier &find(uint64_t *bar) {
  Fiber *f = current;
  for (Mbarrier &m : f->block->mbarriers) {
    if (m.word != bar) continue;
    if constexpr (race_build) race_access(bar, sizeof *bar, true, false, true);
    if (*bar != word_of(m)) fail("%s:%d: %s: other stores overwrote the mbarrier", f->file, f->line, f->op);
    return m;
  }
  fail("%s:%d: %s: the mbarrier was not initialised", f->file, f->line, f->op);
}

void mbarrier_init(uint64_t *bar, unsigned count, SIMT_CALLER) {
  begin("mbarrier_init", SIMT_THERE);
  Fiber *f = current;
  Block *b = f->block;
  if (reinterpret_cast<uintptr_t>(bar) % 8) fail("%s:%d: mbarrier_init: address not a multiple of 8", SIMT_THERE);
  if (!range_inside(bar, sizeof *bar, b)) fail("%s:%d: mbarrier_init: not in this block's shared memory", SIMT_THERE);
  if (!count || unsigned(max_expected) < count) fail("%s:%d: mbarrier_init: count %u", SIMT_THERE, count);
  if constexpr (race_build) race_access(bar, sizeof *bar, false, true, false);
  for (const Mbarrier &m : b->mbarriers)
    if (m.word == bar) fail("%s:%d: mbarrier_init: already initialised at %s:%d", SIMT_THERE, m.file, m.line);
  Mbarrier m = {};
  m.word = bar;
  m.number = unsigned(b->mbarriers.size());
  m.count = m.missing = count;
  m.initialiser = f;
  m.file = simt_file;
  m.line = simt_line;
  b->mbarriers.push_back(m);
  *bar = word_of(m);
}

static void complete_if_due(Block *b, Mbarrier &m) {
  if (m.missing) return;
  if (m.expected < 0)
    fail("mbarrier of %s:%d in block %u, phase %u: bulk loads brought %ld bytes more than expect_tx announced", m.file,
        m.line, b->index, m.phase, -m.expected);
  if (m.expected) return;
  if (m.in_flight)
    fail("mbarrier of %s:%d in block %u: phase %u completes while %u bulk loads are in flight: expect_tx announced too "
         "little",
        m.file, m.line, b->index, m.phase, m.in_flight);
  if constexpr (race_build) {
    if (m.phase >= max_time) fail("checker: an mbarrier of more than %u phases", max_time);
    race_complete(b, m);
  }
  ++m.phase;
  m.missing = m.count;
  *m.word = word_of(m);
}

static void arrive(Mbarrier &m, unsigned bytes) {
  Fiber *f = current;
  if (!m.missing)
    fail("%s:%d: %s: more than %u arrivals in phase %u of the mbarrier of %s:%d", f->file, f->line, f->op, m.count,
        m.phase, m.file, m.line);
  m.expected += long(bytes);
  if (m.expected > max_expected)
    fail("%s:%d: %s: %ld bytes expected, the limit is %ld", f->file, f->line, f->op, m.expected, max_expected);
  --m.missing;
  ++machine.progress;
  if constexpr (race_build) race_arrive(m);
  complete_if_due(f->block, m);
}

void mbarrier_arrive(uint64_t *bar, SIMT_CALLER) {
  begin("mbarrier_arrive", SIMT_THERE);
  arrive(find(bar), 0);
}

void mbarrier_arrive_expect_tx(uint64_t *bar, unsigned bytes, SIMT_CALLER) {
  begin("mbarrier_arrive_expect_tx", SIMT_THERE);
  arrive(find(bar), bytes);
}

bool mbarrier_test(uint64_t *bar, unsigned parity, SIMT_CALLER) {
  begin("mbarrier_test", SIMT_THERE);
  Fiber *f = current;
  if (parity > 1) fail("%s:%d: mbarrier_test: parity %u", SIMT_THERE, parity);
  for (int look = 0; look < 2; ++look) {
    Mbarrier &m = find(bar);
    if ((m.phase & 1) != parity) {
      m.observed = m.phase;
      if constexpr (race_build) race_wait(m);
      return true;
    }
    if (look) break;
    const uint64_t word = *bar;
    f->seen[0].at = bar;
    f->seen[0].bytes = sizeof word;
    f->seen[0].value[0] = word;
    f->seen_count = 1;
    f->repeats = f->seen_oldest = 0;
    park_polling(f);
  }
  return false;
}

// For loops that poll several barriers in turn: parks only when nothing that the loop polls has changed.
bool mbarrier_peek(uint64_t *bar, unsigned parity, SIMT_CALLER) {
  begin("mbarrier_peek", SIMT_THERE);
  Fiber *f = current;
  if (parity > 1) fail("%s:%d: mbarrier_peek: parity %u", SIMT_THERE, parity);
  for (int look = 0; look < 2; ++look) {
    Mbarrier &m = find(bar);
    if ((m.phase & 1) != parity) {
      m.observed = m.phase;
      if constexpr (race_build) race_wait(m);
      return true;
    }
    const uint64_t word = *bar;
    if (look || !seems_to_poll(f, bar, sizeof word, &word)) break;
    park_polling(f);
  }
  return false;
}

// ---- bulk copies ----

static void check_bulk(const void *dst, const void *src, unsigned bytes, Block *dst_owner, Block *src_owner) {
  const Fiber *f = current;
  if ((reinterpret_cast<uintptr_t>(dst) | reinterpret_cast<uintptr_t>(src) | bytes) % 16 || !bytes)
    fail("%s:%d: %s: MISALIGNED: destination %p, source %p, %u bytes; all must be multiples of 16", f->file, f->line,
        f->op, dst, src, bytes);
  if (!range_inside(dst, bytes, dst_owner))
    fail("%s:%d: %s: OUT OF BOUNDS: %u bytes at %p, the destination, are not inside one array of %s memory", f->file,
        f->line, f->op, bytes, dst, dst_owner ? "this block's shared" : "global");
  if (!range_inside(src, bytes, src_owner))
    fail("%s:%d: %s: OUT OF BOUNDS: %u bytes at %p, the source, are not inside one array of %s memory", f->file,
        f->line, f->op, bytes, src, src_owner ? "this block's shared" : "global");
}

static void queue(Copy &&copy) {
  ++stats.copies;
  ++machine.progress;
  machine.copies.push_back(std::move(copy));
}

static Mbarrier &find_for_load(uint64_t *bar) {
  Mbarrier &m = find(bar);
  if (!m.visible)
    fail("%s:%d: %s: no fence_mbarrier_init or fence_proxy_async followed mbarrier_init at %s:%d", current->file,
        current->line, current->op, m.file, m.line);
  return m;
}

void bulk_load(void *shared_dst, const void *global_src, unsigned bytes, uint64_t *bar, SIMT_CALLER) {
  begin("bulk_load", SIMT_THERE);
  Fiber *f = current;
  Block *b = f->block;
  check_bulk(shared_dst, global_src, bytes, b, nullptr);
  check_early(global_src);
  Mbarrier &m = find_for_load(bar);
  if constexpr (race_build) {
    race_copy_access(global_src, bytes, false, Wait::mbarrier, m.number, m.phase + 1);
    race_copy_access(shared_dst, bytes, true, Wait::mbarrier, m.number, m.phase + 1);
  }
  memset(shared_dst, unread, bytes);
  ++m.in_flight;
  m.loaded = m.phase + 1;
  ++b->loads;
  queue({b, f, static_cast<char *>(shared_dst), static_cast<const char *>(global_src), bytes, 0, m.number, false, false,
      {}, b->serial});
}

void bulk_store(void *global_dst, const void *shared_src, unsigned bytes, SIMT_CALLER) {
  begin("bulk_store", SIMT_THERE);
  Fiber *f = current;
  check_bulk(global_dst, shared_src, bytes, nullptr, f->block);
  check_early(global_dst);
  if constexpr (race_build) {
    if (f->group >= max_time) fail("checker: a thread with more than %u groups of bulk stores", max_time);
    race_copy_access(shared_src, bytes, false, Wait::group_read, f->index, f->group + 1);
    race_copy_access(global_dst, bytes, true, Wait::group_write, f->index, f->group + 1);
  }
  memset(global_dst, unread, bytes);
  f->stored = f->group + 1;
  queue({f->block, f, static_cast<char *>(global_dst), static_cast<const char *>(shared_src), bytes, f->group, 0, true,
      false, {}, f->block->serial});
}

void bulk_commit(SIMT_CALLER) {
  begin("bulk_commit", SIMT_THERE);
  ++current->group;
}

static void read_source(Copy &c) {
  c.staging.assign(c.src, c.src + c.bytes);
  c.read_done = true;
}

static void write_destination(size_t i) {
  Copy done = std::move(machine.copies[i]);
  if (i + 1 != machine.copies.size()) machine.copies[i] = std::move(machine.copies.back());
  machine.copies.pop_back();
  ++machine.progress;
  if (done.store) {
    memcpy(done.dst, done.staging.data(), done.bytes);
    return;
  }
  memcpy(done.dst, done.src, done.bytes);
  Mbarrier &m = done.block->mbarriers[done.bar];
  m.expected -= long(done.bytes);
  --m.in_flight;
  --done.block->loads;
  complete_if_due(done.block, m);
}

bool move_a_copy() {
  if (machine.copies.empty()) return false;
  const size_t i = below(unsigned(machine.copies.size()));
  Copy &c = machine.copies[i];
  machine.blameless = true;
  if (c.store && !c.read_done) {
    read_source(c);
    ++machine.progress;
  } else {
    write_destination(i);
  }
  machine.blameless = false;
  return true;
}

void finish_copies() {
  while (move_a_copy()) {}
}

// The number of the thread's groups to wait for: all but the last `pending` committed ones.
static unsigned waited(const Fiber *f, unsigned pending) { return f->group > pending ? f->group - pending : 0; }

void bulk_wait_read(unsigned pending, SIMT_CALLER) {
  begin("bulk_wait_read", SIMT_THERE);
  Fiber *f = current;
  f->read_waited = std::max(f->read_waited, waited(f, pending));
  for (Copy &c : machine.copies)
    if (c.store && c.issuer == f && c.serial == f->block->serial && !c.read_done && c.group < f->read_waited)
      read_source(c);
  if constexpr (race_build) race_learn(Wait::group_read, f->index, f->read_waited);
}

void bulk_wait(unsigned pending, SIMT_CALLER) {
  bulk_wait_read(pending, SIMT_THERE);
  Fiber *f = current;
  f->op = "bulk_wait";
  f->write_waited = std::max(f->write_waited, waited(f, pending));
  for (size_t i = machine.copies.size(); i-- > 0;) { // backwards: write_destination moves the last one here
    const Copy &c = machine.copies[i];
    if (c.store && c.issuer == f && c.serial == f->block->serial && c.group < f->write_waited) write_destination(i);
  }
  if constexpr (race_build) race_learn(Wait::group_write, f->index, f->write_waited);
}

static void publish_inits() {
  for (Mbarrier &m : current->block->mbarriers)
    if (m.initialiser == current) m.visible = true;
}

void fence_proxy_async() {
  publish_inits();
  if constexpr (race_build) race_proxy_fence();
}

void fence_mbarrier_init() { publish_inits(); }

// ---- conditions at an exit ----

void check_exit(Fiber *f) {
  if (f->stored > f->read_waited)
    fail("the thread exits, but no bulk_wait_read covers its last bulk_store (%s)",
        f->stored > f->group ? "not committed" : "committed");
}

void check_retire(Block *b) {
  if (b->loads) fail("UNFINISHED: the block exits while %u of its bulk loads are in flight", b->loads);
  for (const Mbarrier &m : b->mbarriers)
    if (m.loaded > m.observed)
      fail("UNFINISHED: the block exits, but nobody has waited for the bulk loads of phase %u of the mbarrier of %s:%d",
          m.loaded - 1, m.file, m.line);
}

std::string unfinished_mbarriers() {
  std::string text;
  unsigned listed = 0;
  for (Block *b : machine.slots)
    for (const Mbarrier &m : b->mbarriers) {
      if (!b->alive || listed++ >= 12) continue;
      text += "\n    mbarrier of " + std::string(m.file) + ":" + std::to_string(m.line) + " in block " +
          std::to_string(b->index) + " (number " + std::to_string(m.number) + "): phase " + std::to_string(m.phase) +
          " waits for " + std::to_string(m.missing) + " of " + std::to_string(m.count) + " arrivals and " +
          std::to_string(m.expected) + " bytes";
    }
  return text;
}

} // namespace simt
