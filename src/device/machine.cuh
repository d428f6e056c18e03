// device/machine.cuh - the machine: a body for the device and one for the emulator
// uses: api/config.h, api/policy.h, core/words.h, device/vocabulary.cuh

#ifndef GPUPRIMS_SIMT // ---- device

#ifdef __CUDA_ARCH__
#define GP__ARCH __CUDA_ARCH__
#else
#define GP__ARCH 0
#endif

// A block's storage in shared memory: a struct without constructors.
#define GP_SHARED(T, name) \
  __shared__ __align__(16) gp__u8 name##_bytes[sizeof(T)]; \
  T &name = *gp__as<T>(name##_bytes)
// Dynamic shared memory; the launch gives its size.
#define GP_DYNAMIC_SHARED(name) extern __shared__ __align__(128) gp__u8 name[]

// A load through the read-only path: nobody writes there while the kernel runs.
template<class Word> GP_DEVICE Word gp__load_read_only(const Word *p) { return __ldg(p); }
// Word number i of a texture over memory.
GP_DEVICE gp__u32 gp__texture_word(gp__u64 texture, int i) {
  gp__u32 word;
  asm("{ .reg .u32 x, y, z; tex.1d.v4.u32.s32 {%0, x, y, z}, [%1, {%2}]; }" : "=r"(word) : "l"(texture), "r"(i));
  return word;
}
template<int CACHE> GP_DEVICE gp_vector gp__load_vector(const void *p) {
  const uint4 *q = gp__as<const uint4>(p);
  const uint4 v = CACHE == GP_CACHE_STREAMING ? __ldcs(q) : CACHE == GP_CACHE_L2 ? __ldcg(q) : *q;
  return gp_vector{{v.x, v.y, v.z, v.w}};
}
// Loads if `there` is set: predicated, without a branch, so that nothing waits for it before its first use.
template<int CACHE> GP_DEVICE void gp__load_vector_if(bool there, const void *p, gp_vector &v) {
#define GP__LOAD_IF(CACHED) \
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %5, 0; @q ld.global" CACHED ".v4.u32 {%0, %1, %2, %3}, [%4]; }" \
               : "+r"(v.word[0]), "+r"(v.word[1]), "+r"(v.word[2]), "+r"(v.word[3]) \
               : "l"(p), "r"(gp__u32(there)))
  if (CACHE == GP_CACHE_STREAMING) GP__LOAD_IF(".cs");
  else if (CACHE == GP_CACHE_L2) GP__LOAD_IF(".cg");
  else GP__LOAD_IF("");
#undef GP__LOAD_IF
}
template<int CACHE> GP_DEVICE void gp__store_vector(void *p, const gp_vector &v) {
  uint4 *q = gp__as<uint4>(p);
  const uint4 u = make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]);
  if (CACHE == GP_CACHE_STREAMING) __stcs(q, u);
  else *q = u;
}
// The vector at p, which must be aligned to 16 bytes; the emulator checks it.
GP_DEVICE gp_vector &gp__vector_at(void *p) { return *gp__as<gp_vector>(p); }
GP_DEVICE const gp_vector &gp__vector_at(const void *p) { return *gp__as<const gp_vector>(p); }

GP_DEVICE void gp__store_vector_if(bool there, void *p, const gp_vector &v) {
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %5, 0; @q st.global.v4.u32 [%4], {%0, %1, %2, %3}; }" ::"r"(v.word[0]),
               "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3]), "l"(p), "r"(gp__u32(there))
               : "memory");
}

// Advances y if `second`, otherwise x: one instruction each.
GP_DEVICE void gp__select_advance(gp__u32 &x, gp__u32 &y, bool second, gp__u32 by_x, gp__u32 by_y) {
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %2, 0; @q add.u32 %1, %1, %4; @!q add.u32 %0, %0, %3; }"
               : "+r"(x), "+r"(y)
               : "r"(gp__u32(second)), "r"(by_x), "r"(by_y));
}

// The 16 bytes at p in shared memory, any alignment. Reads whole the aligned pairs of words that hold them.
GP_DEVICE gp_vector gp__vector_anywhere(const gp__u8 *p) {
  const unsigned offset = unsigned(gp__u64(p) & 7u), bits = offset * 8;
  const uint2 *pair = gp__as<const uint2>(p - offset);
  const uint2 a = pair[0], b = pair[1], c = offset ? pair[2] : b;
  const bool odd = offset >= 4;
  const gp__u32 w0 = odd ? a.y : a.x, w1 = odd ? b.x : a.y, w2 = odd ? b.y : b.x, w3 = odd ? c.x : b.y,
                w4 = odd ? c.y : c.x;
  return gp_vector{{__funnelshift_r(w0, w1, bits), __funnelshift_r(w1, w2, bits), __funnelshift_r(w2, w3, bits),
      __funnelshift_r(w3, w4, bits)}};
}
// Byte i of the result is the byte of (x, y) that nibble i of the selector names; if the nibble's upper bit is set,
// eight copies of that byte's upper bit.
GP_DEVICE gp__u32 gp__permute(gp__u32 x, gp__u32 y, gp__u32 selector) {
  gp__u32 r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(selector));
  return r;
}
GP_DEVICE gp__word gp__load_word(const gp__word *p) {
  gp__word w;
  asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
               : "=l"(w.value), "=l"(w.tag)
               : "l"(p)
               : "memory");
  return w;
}
GP_DEVICE void gp__store_word(gp__word *p, const gp__word &w) {
  asm volatile(
      "{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(p), "l"(w.value), "l"(w.tag)
      : "memory");
}
GP_DEVICE gp__u64 gp__add_relaxed(gp__u64 *p, gp__u64 v) { return atomicAdd(p, v); }
GP_DEVICE void gp__store_relaxed(gp__u64 *p, gp__u64 v) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
// A clock that all multiprocessors share.
GP_DEVICE gp__u64 gp__nanoseconds() {
  gp__u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
// The current value of a word that other threads change by atomics.
template<class T> GP_DEVICE T gp__load_volatile(const T *p) { return *static_cast<const volatile T *>(p); }
// Prefetches into the L2 cache.
GP_DEVICE void gp__prefetch(const void *p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }
GP_DEVICE void gp__prefetch_bytes(const void *p, unsigned bytes) { // any alignment
#if GP__ARCH >= 900
  const unsigned skip = unsigned(gp__u64(p) & 15u);
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(gp__as<const char>(p) - skip),
      "r"((bytes + skip + 15u) & ~15u));
#else
  for (unsigned i = 0; i < bytes; i += 128) gp__prefetch(gp__as<const char>(p) + i);
#endif
}

GP_DEVICE gp__u64 gp__load_relaxed(const gp__u64 *p) {
  gp__u64 v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}
GP_DEVICE gp__u32 gp__shared_address(const void *p) { return gp__u32(__cvta_generic_to_shared(p)); }
// Prefetches 32 bytes close to this block, by an asynchronous copy of 4 of them to a word in shared memory that nobody
// reads; prefetch.global.L1 gains half as much. A thread waits for its copies before it copies to the same word again,
// and before it ends.
GP_DEVICE void gp__prefetch_near(const void *p, gp__u32 *nowhere) {
#if GP__ARCH >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(gp__shared_address(nowhere)), "l"(p));
#else
  (void)nowhere;
  gp__prefetch(p);
#endif
}
GP_DEVICE void gp__cp_async_wait() {
#if GP__ARCH >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
// Clusters: blocks that reach each other's shared memory (sm_90; elsewhere each block is its own cluster).
// gp__in_block: the address of p's counterpart in block `rank`. The others access words there.
#if GP__ARCH >= 900 || GP__ARCH == 0
template<class T> GP_DEVICE T *gp__in_block(T *p, unsigned rank) {
  gp__u64 at;
  asm("mapa.u64 %0, %1, %2;" : "=l"(at) : "l"(p), "r"(rank));
  return gp__as<T>(at);
}
GP_DEVICE void gp__cluster_store(gp__u64 *p, gp__u64 v) {
  asm volatile("st.relaxed.cluster.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
GP_DEVICE void gp__cluster_send(gp__u64 *p, unsigned rank, gp__u64 v) { // to p's counterpart
  gp__u32 at;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(gp__shared_address(p)), "r"(rank));
  asm volatile("st.relaxed.cluster.shared::cluster.u64 [%0], %1;" ::"r"(at), "l"(v) : "memory");
}
GP_DEVICE gp__u64 gp__cluster_load(const gp__u64 *p) {
  gp__u64 v;
  asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];" : "=l"(v) : "r"(gp__shared_address(p)) : "memory");
  return v;
}
GP_DEVICE void gp__cluster_arrive_aligned() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
GP_DEVICE void gp__cluster_start_aligned() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
GP_DEVICE void gp__cluster_wait_aligned() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
#else
template<class T> GP_DEVICE T *gp__in_block(T *p, unsigned) { return p; }
GP_DEVICE void gp__cluster_arrive_aligned() {}
GP_DEVICE void gp__cluster_start_aligned() {}
GP_DEVICE void gp__cluster_wait_aligned() { __syncthreads(); }
GP_DEVICE void gp__cluster_store(gp__u64 *p, gp__u64 v) { *static_cast<volatile gp__u64 *>(p) = v; }
GP_DEVICE void gp__cluster_send(gp__u64 *p, unsigned, gp__u64 v) { gp__cluster_store(p, v); }
GP_DEVICE gp__u64 gp__cluster_load(const gp__u64 *p) { return *static_cast<const volatile gp__u64 *>(p); }
#endif
// The sum over a warp, in all lanes.
GP_DEVICE gp__u32 gp__warp_sum(gp__u32 x) {
#if GP__ARCH >= 800
  return __reduce_add_sync(~0u, x);
#else
  for (int d = 16; d; d /= 2) x += __shfl_xor_sync(~0u, x, d);
  return x;
#endif
}
// Fire-and-forget atomic OR in device memory.
GP_DEVICE void gp__red_or(gp__u32 *p, gp__u32 v) {
  asm volatile("red.relaxed.gpu.global.or.b32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
// Adds in shared memory, each lane for itself. atomicAdd first finds the lanes that call, and one adds for all.
GP_DEVICE gp__u32 gp__shared_add_unaggregated(gp__u32 *p, gp__u32 v) {
  gp__u32 was;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(was) : "r"(gp__shared_address(p)), "r"(v) : "memory");
  return was;
}
// Acquire and release; __threadfence() is sequentially consistent, and slower.
GP_DEVICE void gp__fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
// The lanes whose x agrees with this lane's in the bits of `mask`: all clear, or not all clear. All lanes call. Written
// by hand so that the compiler keeps many bits of x as predicates at once. A multiplication takes the complement,
// because all other instructions use the other integer unit. ones: gp__opaque_ones().
GP_DEVICE gp__u32 gp__match_bit(gp__u32 x, gp__u32 mask, gp__u32 ones) {
  gp__u32 lanes;
  asm volatile("{ .reg .pred p; and.b32 %0, %1, %2; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; "
               "@!p mad.lo.u32 %0, %0, %3, %3; }"
               : "=r"(lanes)
               : "r"(x), "r"(mask), "r"(ones));
  return lanes;
}
// -1, hidden from the assembler: a multiplication by it stays one.
GP_DEVICE gp__u32 gp__opaque_ones() {
  gp__u32 lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return (lane >> 5) - 1;
}
// Three steps that no compiler sees through. NVVM drops the sign extension of 8-bit results that come from halves of
// words. ptxas widens a 16-bit negation as if it could not overflow, and drops one minus sign when it makes VIMNMX3 of
// max(max(a, -b), -c). Conversions to 8 bits, negations and narrow magnitudes go through these, as 32-bit words
// (tests/compile/operators.py has the patterns). The zero costs one register a thread; the rest is an instruction each.
GP_DEVICE gp__u32 gp__opaque(gp__u32 x) {
  asm("" : "+r"(x));
  return x;
}
GP_DEVICE gp__u32 gp__negative(gp__u32 x) {
  gp__u32 lower, r; // lanes below this one: bit 31 is never set
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower));
  asm("sub.u32 %0, %1, %2;" : "=r"(r) : "r"(lower >> 31), "r"(x));
  return r;
}
// Dot product of the bytes of x and of `weights`, plus c (modulo 2^32). NVRTC before 12.3 has no __dp4a.
GP_DEVICE gp__u32 gp__dot_bytes(gp__u32 x, gp__u32 weights, gp__u32 c) {
  gp__u32 r;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(weights), "r"(c));
  return r;
}
GP_DEVICE gp__u32 gp__magnitude(int x) {
  gp__u32 r;
  asm("abs.s32 %0, %1;" : "=r"(r) : "r"(x));
  return r;
}
GP_DEVICE gp__u32 gp__and(gp__u32 x, gp__u32 y, gp__u32 z) {
  gp__u32 r;
  asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  return r;
}

// Forces recomputation of what depends on x: saves registers.
GP_DEVICE void gp__optimizer_barrier(int &x) { asm volatile("" : "+r"(x)); }

// The kernel before this one on the stream may still run (launch attribute "programmatic stream serialization"): waits
// until it is complete and its writes are visible, then lets the next kernel start.
GP_DEVICE void gp__wait_for_predecessor() {
#if GP__ARCH >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Barriers in shared memory and bulk copies (sm_90). Addresses and sizes of copies are multiples of 16 bytes.
#if GP__ARCH >= 900 || GP__ARCH == 0
GP_DEVICE void gp__mbarrier_init(gp__u64 *bar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(gp__shared_address(bar)), "r"(count) : "memory");
}
GP_DEVICE void gp__mbarrier_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
GP_DEVICE void gp__mbarrier_arrive(gp__u64 *bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(gp__shared_address(bar)) : "memory");
}
GP_DEVICE void gp__mbarrier_arrive_expect(gp__u64 *bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(gp__shared_address(bar)), "r"(bytes)
               : "memory");
}
GP_DEVICE bool gp__mbarrier_test(gp__u64 *bar, unsigned parity) {
  gp__u32 done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(gp__shared_address(bar)), "r"(parity)
               : "memory");
  return done != 0;
}
// The same without suspending the thread.
GP_DEVICE bool gp__mbarrier_peek(gp__u64 *bar, unsigned parity) {
  gp__u32 done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(gp__shared_address(bar)), "r"(parity)
               : "memory");
  return done != 0;
}
GP_DEVICE void gp__bulk_load(void *shared, const void *global, unsigned bytes, gp__u64 *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   gp__shared_address(shared)),
               "l"(global), "r"(bytes), "r"(gp__shared_address(bar))
               : "memory");
}
GP_DEVICE void gp__bulk_store(void *global, const void *shared, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(gp__shared_address(shared)), "r"(bytes)
               : "memory");
}
GP_DEVICE void gp__bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Waits until all groups of this thread but the last PENDING have been read from shared memory.
template<int PENDING> GP_DEVICE void gp__bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}
GP_DEVICE void gp__bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
// Barrier of `threads` threads, whole warps of a block, in hardware. meetings: how many came before.
GP_DEVICE void gp__named_barrier(gp__u64 *, unsigned &, unsigned threads) {
  asm volatile("barrier.sync 1, %0;" ::"r"(threads) : "memory");
}
// Makes this thread's ordinary writes to shared memory visible to bulk copies issued after a later barrier.
GP_DEVICE void gp__bulk_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#endif

// A copy of x that hides from the optimizer how x was computed, and that a loop leaves it unchanged.
GP_DEVICE gp__u32 gp__opaque_copy(gp__u32 x) {
  asm volatile("" : "+r"(x));
  return x;
}

// A base in shared memory for offsets. Its address is hidden from the compiler, which would otherwise add it to every
// offset again.
struct gp__shared_pointer {
  gp__u32 address;
  GP_DEVICE explicit gp__shared_pointer(void *p) {
    asm volatile("mov.u32 %0, %1;" : "=r"(address) : "r"(gp__shared_address(p)));
  }
  template<class T> GP_DEVICE T *at(gp__u32 offset) const {
    return gp__as<T>(__cvta_shared_to_generic(address + offset));
  }
  // If `yes` is not 0, stores a word and moves on to the next.
  GP_DEVICE void push_if(gp__u32 yes, gp__u32 x) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p st.shared.u32 [%0], %2; @p add.u32 %0, %0, 4; }"
                 : "+r"(address)
                 : "r"(yes), "r"(x)
                 : "memory");
  }
  GP_DEVICE void push_if(gp__u32 yes, gp__u64 x) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p st.shared.u64 [%0], %2; @p add.u32 %0, %0, 8; }"
                 : "+r"(address)
                 : "r"(yes), "l"(x)
                 : "memory");
  }
};

// A product that is rounded before anything is added to it: no fused multiply-add.
GP_DEVICE float gp__product(float a, float b) { return __fmul_rn(a, b); }
GP_DEVICE double gp__product(double a, double b) { return __dmul_rn(a, b); }
GP_DEVICE double gp__root_f64(double x) {
  double r;
  asm("sqrt.rn.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
}
// The upper half of a product.
GP_DEVICE gp__u32 gp__high_product(gp__u32 a, gp__u32 b) { return __umulhi(a, b); }
GP_DEVICE gp__u64 gp__high_product(gp__u64 a, gp__u64 b) { return __umul64hi(a, b); }
// Toward zero, saturated, NaN to 0.
GP_DEVICE gp__u32 gp__u32_from(float x) { return __float2uint_rz(x); }
GP_DEVICE gp__u32 gp__u32_from(double x) { return x != x ? 0 : __double2uint_rz(x); }

GP_DEVICE float gp__f32_from_bits(gp__u32 bits) { return __uint_as_float(bits); }
GP_DEVICE gp__u32 gp__bits_of_f32(float x) { return __float_as_uint(x); }
GP_DEVICE double gp__f64_from_bits(gp__u64 bits) { return __longlong_as_double(gp__i64(bits)); }
GP_DEVICE gp__u64 gp__bits_of_f64(double x) { return gp__u64(__double_as_longlong(x)); }
GP_DEVICE gp__u16 gp__f16_from_f32(float x) {
  gp__u16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
GP_DEVICE float gp__f32_from_f16(gp__u16 bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
// minimum and maximum of IEEE 754-2019: NaN wins, -0 is below +0.
GP_DEVICE float gp__minimum(float a, float b) {
#if GP__ARCH >= 800
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return a != a ? a : b != b ? b : a < b || (a == b && (gp__bits_of_f32(a) >> 31)) ? a : b;
#endif
}
GP_DEVICE float gp__maximum(float a, float b) {
#if GP__ARCH >= 800
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return a != a ? a : b != b ? b : a > b || (a == b && !(gp__bits_of_f32(a) >> 31)) ? a : b;
#endif
}

#else // ---- emulator: the tests include simt.h before this header

#define GP_SHARED(T, name) SIMT_SHARED(T, name)
#define GP_DYNAMIC_SHARED(name) SIMT_DYN_SHARED(gp__u8, name)

template<class Word> GP_DEVICE Word gp__load_read_only(const Word *p) { return *p; }
GP_DEVICE gp__u32 gp__texture_word(gp__u64 texture, int i) { // a texture is its memory
  return gp__as<const gp__u32>(texture)[i];
}

GP_DEVICE gp_vector &gp__vector_at(void *p) { return *simt::whole(gp__as<gp_vector>(p)); }
GP_DEVICE const gp_vector &gp__vector_at(const void *p) { return *simt::whole(gp__as<const gp_vector>(p)); }
template<int CACHE> GP_DEVICE gp_vector gp__load_vector(const void *p) { return gp__vector_at(p); }
template<int CACHE> GP_DEVICE void gp__load_vector_if(bool there, const void *p, gp_vector &v) {
  if (there) v = gp__vector_at(p);
}
template<int CACHE> GP_DEVICE void gp__store_vector(void *p, const gp_vector &v) { gp__vector_at(p) = v; }
GP_DEVICE void gp__store_vector_if(bool there, void *p, const gp_vector &v) {
  if (there) gp__vector_at(p) = v;
}
GP_DEVICE void gp__select_advance(gp__u32 &x, gp__u32 &y, bool second, gp__u32 by_x, gp__u32 by_y) {
  (second ? y : x) += second ? by_y : by_x;
}
GP_DEVICE gp_vector gp__vector_anywhere(const gp__u8 *p) {
  gp_vector v;
  for (int i = 0; i < 4; ++i)
    v.word[i] = p[4 * i] | gp__u32(p[4 * i + 1]) << 8 | gp__u32(p[4 * i + 2]) << 16 | gp__u32(p[4 * i + 3]) << 24;
  return v;
}
GP_DEVICE gp__u32 gp__permute(gp__u32 x, gp__u32 y, gp__u32 selector) {
  gp__u32 r = 0;
  for (int i = 0; i < 4; ++i) {
    const gp__u32 nibble = selector >> (4 * i), byte = __byte_perm(x, y, nibble & 7u) & 0xffu;
    r |= (nibble & 8u ? (byte & 0x80u ? 0xffu : 0u) : byte) << (8 * i);
  }
  return r;
}
GP_DEVICE gp__word gp__load_word(const gp__word *p) { return simt::load(p, simt::relaxed); }
GP_DEVICE void gp__store_word(gp__word *p, const gp__word &w) { simt::store(p, w, simt::relaxed); }
GP_DEVICE gp__u64 gp__add_relaxed(gp__u64 *p, gp__u64 v) {
  return simt::rmw(
      p, [=](gp__u64 old) { return old + v; }, simt::relaxed);
}
GP_DEVICE void gp__store_relaxed(gp__u64 *p, gp__u64 v) { simt::store(p, v, simt::relaxed); }
GP_DEVICE gp__u64 gp__load_relaxed(const gp__u64 *p) { return simt::load(p, simt::relaxed); }
GP_DEVICE void gp__optimizer_barrier(int &) {}
GP_DEVICE gp__u32 gp__opaque_ones() { return ~0u; }
GP_DEVICE gp__u32 gp__opaque(gp__u32 x) { return x; }
GP_DEVICE gp__u32 gp__negative(gp__u32 x) { return 0u - x; }
GP_DEVICE gp__u32 gp__dot_bytes(gp__u32 x, gp__u32 weights, gp__u32 c) { return __dp4a(x, weights, c); }
GP_DEVICE gp__u32 gp__magnitude(int x) { return x < 0 ? 0u - gp__u32(x) : gp__u32(x); }
GP_DEVICE gp__u32 gp__and(gp__u32 x, gp__u32 y, gp__u32 z) { return x & y & z; }
GP_DEVICE gp__u32 gp__match_bit(gp__u32 x, gp__u32 mask, gp__u32) {
  const bool one = (x & mask) != 0;
  const gp__u32 lanes = __ballot_sync(~0u, one);
  return one ? lanes : ~lanes;
}
template<class T> GP_DEVICE T gp__load_volatile(const T *p) { return simt::load(p, simt::relaxed); }
GP_DEVICE void gp__prefetch(const void *) {}
GP_DEVICE void gp__prefetch_bytes(const void *, unsigned) {}
GP_DEVICE void gp__prefetch_near(const void *, gp__u32 *) {}
GP_DEVICE void gp__cp_async_wait() {}
GP_DEVICE gp__u64 gp__nanoseconds() { return simt::stats.switches; } // monotonic, but no time
template<class T> GP_DEVICE T *gp__in_block(T *p, unsigned rank) { return gp__as<T>(simt::shared_of(p, rank)); }
GP_DEVICE void gp__cluster_arrive_aligned() { simt::cluster_arrive(); }
GP_DEVICE void gp__cluster_start_aligned() { simt::cluster_arrive(); }
GP_DEVICE void gp__cluster_wait_aligned() { simt::cluster_wait(); }
GP_DEVICE void gp__cluster_store(gp__u64 *p, gp__u64 v) { simt::store(p, v, simt::relaxed); }
GP_DEVICE void gp__cluster_send(gp__u64 *p, unsigned rank, gp__u64 v) { gp__cluster_store(gp__in_block(p, rank), v); }
GP_DEVICE gp__u64 gp__cluster_load(const gp__u64 *p) { return simt::load(p, simt::relaxed); }
GP_DEVICE gp__u32 gp__warp_sum(gp__u32 x) { return __reduce_add_sync(~0u, x); }
GP_DEVICE gp__u32 gp__shared_add_unaggregated(gp__u32 *p, gp__u32 v) { return atomicAdd(p, v); }
GP_DEVICE void gp__red_or(gp__u32 *p, gp__u32 v) { atomicOr(p, v); }
GP_DEVICE void gp__fence() { __threadfence(); }
GP_DEVICE void gp__wait_for_predecessor() { simt::wait_for_predecessor(); }
GP_DEVICE void gp__mbarrier_init(gp__u64 *bar, unsigned count) { simt::mbarrier_init(gp__as<uint64_t>(bar), count); }
GP_DEVICE void gp__mbarrier_init_fence() { simt::fence_mbarrier_init(); }
GP_DEVICE void gp__mbarrier_arrive(gp__u64 *bar) { simt::mbarrier_arrive(gp__as<uint64_t>(bar)); }
GP_DEVICE void gp__mbarrier_arrive_expect(gp__u64 *bar, unsigned bytes) {
  simt::mbarrier_arrive_expect_tx(gp__as<uint64_t>(bar), bytes);
}
GP_DEVICE bool gp__mbarrier_test(gp__u64 *bar, unsigned parity) {
  return simt::mbarrier_test(gp__as<uint64_t>(bar), parity);
}
GP_DEVICE bool gp__mbarrier_peek(gp__u64 *bar, unsigned parity) {
  return simt::mbarrier_peek(gp__as<uint64_t>(bar), parity);
}
GP_DEVICE void gp__bulk_load(void *shared, const void *global, unsigned bytes, gp__u64 *bar) {
  simt::bulk_load(shared, global, bytes, gp__as<uint64_t>(bar));
}
GP_DEVICE void gp__bulk_store(void *global, const void *shared, unsigned bytes) {
  simt::bulk_store(global, shared, bytes);
}
GP_DEVICE void gp__bulk_commit() { simt::bulk_commit(); }
template<int PENDING> GP_DEVICE void gp__bulk_wait_read() { simt::bulk_wait_read(PENDING); }
GP_DEVICE void gp__bulk_wait() { simt::bulk_wait(0); }
GP_DEVICE void gp__bulk_fence() { simt::fence_proxy_async(); }
inline void gp__named_barrier(gp__u64 *bar, unsigned &meetings, unsigned) { // the emulator has no such barrier
  gp__mbarrier_arrive(bar);
  for (const unsigned parity = meetings++ & 1u; !gp__mbarrier_test(bar, parity);) {}
}

GP_DEVICE gp__u32 gp__opaque_copy(gp__u32 x) { return x; }
struct gp__shared_pointer {
  gp__u8 *address;
  GP_DEVICE explicit gp__shared_pointer(void *p) : address(gp__as<gp__u8>(p)) {}
  template<class T> GP_DEVICE T *at(gp__u32 offset) const { return gp__as<T>(address + offset); }
  template<class Word> GP_DEVICE void push_if(gp__u32 yes, Word x) {
    if (!yes) return;
    *at<Word>(0) = x;
    address += sizeof x;
  }
};

GP_DEVICE float gp__product(float a, float b) { return a * b; }
GP_DEVICE double gp__product(double a, double b) { return a * b; }
GP_DEVICE double gp__root_f64(double x) { return __builtin_sqrt(x); }
GP_DEVICE gp__u32 gp__high_product(gp__u32 a, gp__u32 b) { return gp__u32(gp__u64(a) * b >> 32); }
GP_DEVICE gp__u64 gp__high_product(gp__u64 a, gp__u64 b) {
  const gp__u64 a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  const gp__u64 middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffffu);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}
template<class F> GP_DEVICE gp__u32 gp__u32_from(F x) { return x > F(0) ? x >= F(4294967296.) ? ~0u : gp__u32(x) : 0; }
template<class R, class A> GP_DEVICE R gp__bit_cast(A a) {
  static_assert(sizeof(R) == sizeof(A), "a bit cast keeps the size");
  R r;
  memcpy(&r, &a, sizeof r);
  return r;
}
GP_DEVICE float gp__f32_from_bits(gp__u32 bits) { return gp__bit_cast<float>(bits); }
GP_DEVICE gp__u32 gp__bits_of_f32(float x) { return gp__bit_cast<gp__u32>(x); }
GP_DEVICE double gp__f64_from_bits(gp__u64 bits) { return gp__bit_cast<double>(bits); }
GP_DEVICE gp__u64 gp__bits_of_f64(double x) { return gp__bit_cast<gp__u64>(x); }
GP_DEVICE gp__u16 gp__f16_from_f32(float x) {
  const gp__u32 u = gp__bits_of_f32(x), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
  if (a > 0x7f800000u) return gp__u16(sign | 0x7fffu); // NaN
  if (a >= 0x477ff000u) return gp__u16(sign | 0x7c00u); // rounds to infinity
  if (a < 0x33000000u) return gp__u16(sign); // rounds to zero
  const gp__u32 e = a >> 23, drop = e >= 113 ? 13 : 126 - e; // bits dropped from the significand
  const gp__u32 m = e >= 113 ? a - (112u << 23) : (a & 0x7fffffu) | 0x800000u;
  const gp__u32 half = 1u << (drop - 1), rest = m & ((1u << drop) - 1), q = m >> drop;
  return gp__u16(sign | (q + (rest > half || (rest == half && (q & 1)))));
}
GP_DEVICE float gp__f32_from_f16(gp__u16 bits) {
  const gp__u32 sign = (bits & 0x8000u) << 16, e = bits >> 10 & 31u, m = bits & 0x3ffu;
  if (e == 31) return gp__f32_from_bits(sign | 0x7f800000u | m << 13);
  if (e) return gp__f32_from_bits(sign | (e + 112) << 23 | m << 13);
  const float tiny = float(m) * gp__f32_from_bits(0x33800000u); // m * 2^-24
  return gp__f32_from_bits(sign | gp__bits_of_f32(tiny));
}
GP_DEVICE float gp__minimum(float a, float b) {
  return a != a ? a : b != b ? b : a < b || (a == b && (gp__bits_of_f32(a) >> 31)) ? a : b;
}
GP_DEVICE float gp__maximum(float a, float b) {
  return a != a ? a : b != b ? b : a > b || (a == b && !(gp__bits_of_f32(a) >> 31)) ? a : b;
}

#endif // device or emulator
