// core/embed.c - this file's own text

// The end of this file's own text, from about the device text on.

#ifdef GPUPRIMS_SOURCE
#define GP__SOURCE GPUPRIMS_SOURCE
#else
#define GP__SOURCE __FILE__
#endif

#if !defined(GPUPRIMS_NO_EMBED) && defined(__GNUC__) && !defined(__CUDA_ARCH__) && \
    (defined(__x86_64__) || defined(__aarch64__))
// The bytes have a section of their own, and the code beside them takes their address through local labels. There is no
// symbol: copies do not clash, and link-time optimisation has nothing to lose.
__attribute__((noinline, unused)) static const char *gp__embedded_text(size_t *bytes) {
  const char *first, *last;
#ifdef __x86_64__
#define GP__ADDRESSES "leaq 771b(%%rip), %0\n\tleaq 772b(%%rip), %1"
#else
#define GP__ADDRESSES "adrp %0, 771b\n\tadd %0, %0, :lo12:771b\n\tadrp %1, 772b\n\tadd %1, %1, :lo12:772b"
#endif
  __asm__(".pushsection .rodata.gpuprims,\"a\"\n771:\n\t.incbin \"" GP__SOURCE "\", " GPUPRIMS__EMBEDDED_FROM
          "\n772:\n\t.byte 0\n\t.popsection\n\t" GP__ADDRESSES
          : "=r"(first), "=r"(last));
#undef GP__ADDRESSES
  *bytes = (size_t)(last - first);
  return first;
}
#else
__attribute__((unused)) static const char *gp__embedded_text(size_t *bytes) {
  *bytes = 0;
  return NULL;
}
#endif
