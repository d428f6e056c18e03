// core/struct_size.c - the version; structs of callers whose header is older or newer than this library
// uses: api/version.h, api/config.h, api/lists.h, core/rules.h, core/messages.c

GPUPRIMS__API int gp_version(void) {
  return 10000 * GPUPRIMS_VERSION_MAJOR + 100 * GPUPRIMS_VERSION_MINOR + GPUPRIMS_VERSION_PATCH;
}

// Checks a struct that a caller fills: `size` is that of this library's header. Members that only a newer header has
// must be zero. type: "gp_call". (Inlined, compilers know the caller's struct and warn of a read past its end.)
__attribute__((noinline)) GPUPRIMS__PRIVATE gp_result gp__check_size(const char *who, const char *name,
                                                                     const void *given, size_t size, const char *type) {
  const unsigned char *bytes = (const unsigned char *)given;
  uint32_t said;
  size_t i;
  memcpy(&said, given, sizeof said);
  if (said < size || said > 65536)
    return gp__fail(GP_E_ARGUMENT, "%s: @%s.struct_size is %u, and sizeof(%s) is %u: %s_init sets it", who, name, said,
                    type, (unsigned)size, type);
  for (i = size; i < said; ++i)
    if (bytes[i])
      return gp__fail(GP_E_UNSUPPORTED, "%s: @%s sets a member that this library (%s) does not have", who, name,
                      GPUPRIMS_VERSION);
  return GP_SUCCESS;
}
#define GPUPRIMS__CHECK_SIZE(who, name, given, type)                                                                   \
  ((given)->struct_size == sizeof(type) ? GP_SUCCESS : gp__check_size(who, name, given, sizeof(type), #type))

// Writes *own, a struct of `size` bytes, to the caller's struct, whose size was checked.
__attribute__((noinline)) GPUPRIMS__PRIVATE void gp__hand_out(void *given, const void *own, size_t size) {
  uint32_t said;
  memcpy(&said, given, sizeof said);
  memset(given, 0, said);
  memcpy(given, own, size);
  memcpy(given, &said, sizeof said);
}
