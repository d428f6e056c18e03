// device/get.cuh - arrays in the read-only path, textures and constant memory
// uses: api/array.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/types.cuh, device/tile_bins.cuh

// A value of GP_GET, by words of its alignment.
template<class T, int ALIGN> GP_DEVICE T gp__get_by(gp_array a, const T *at) {
  typedef typename gp__unsigned_of<ALIGN>::type Word;
  const gp__u64 first = gp__u64(at) - gp__u64(a.base);
  union {
    T value;
    Word word[sizeof(T) / ALIGN];
  };
  GP__UNROLL
  for (unsigned i = 0, byte = 0; byte < sizeof(T); byte += ALIGN, ++i)
    word[i] = a.layout & GP_READ_ONLY
        ? gp__load_read_only(gp__as<const Word>(at) + i)
        : Word(gp__texture_word(a.texture, int((first + byte) / 4)) >> (first + byte) % 4 * 8);
  return value;
}
template<class T> GP__ACCESS T gp__get(gp_array a, const T *at) {
#if defined(__CUDA_ARCH__) || defined(GPUPRIMS_SIMT)
  const int ALIGN = alignof(T) < 8 ? alignof(T) : 8;
  if ((a.layout & GP__MEMORY) == GP_READ_ONLY) return gp__get_by<T, ALIGN>(a, at);
  if ((a.layout & GP__MEMORY) == GP_TEXTURE) return gp__get_by<T, (ALIGN < 4 ? ALIGN : 4)>(a, at);
#endif
  return *at;
}
// The value of a member, which is no array, of struct number i, from the memory that the layout says.
#define GP_GET(Name, array, i, member) \
  gp__get(GP__SEEN_AS(Name, array), const_cast<const GP__MEMBER_TYPE(Name, member) *>(&GP_AT(Name, array, i, member)))
// Outside of functions: room in the constant memory of a module, for an array of Name. Its symbol is Name_constant.
#define GP_CONSTANT_ROOM(Name, BYTES) __constant__ gp__bytes<(BYTES)> Name##_constant
// In a kernel: an array whose layout says GP_CONSTANT begins in that room, whatever its base was.
#define GP_IN_CONSTANT(Name, array) \
  if ((GP__SEEN_AS(Name, array).layout & GP__MEMORY) == GP_CONSTANT) \
  (array).base = const_cast<gp__u8 *>(Name##_constant.byte)
