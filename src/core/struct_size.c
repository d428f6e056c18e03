// core/struct_size.c - the version; structs of callers whose header is older or newer than this library
// uses: api/version.h, api/config.h, api/lists.h, core/words.h, core/rules.h, core/system.c, core/messages.c

GP__API int gp_version(void) {
  return 10000 * GPUPRIMS_VERSION_MAJOR + 100 * GPUPRIMS_VERSION_MINOR + GPUPRIMS_VERSION_PATCH;
}

// The structs that callers fill, each with its last member in version 0.2: programs with older headers do not run.
#define GP__CALLERS_STRUCTS(X) \
  X(gp_config, own_work) \
  X(gp_description, fallback) \
  X(gp_type_desc, align) \
  X(gp_op_desc, host_user) \
  X(gp_call, workspace_bytes) \
  X(gp_segments, length) \
  X(gp_permutation, out_stride) \
  X(gp_axes, out_stride) \
  X(gp_layout, columns) \
  X(gp_graph, flags) \
  X(gp_tuner_config, user)
#define GP__LEAST(type, member) GP__LEAST_##type = offsetof(type, member) + sizeof(((type *)0)->member),
enum { GP__CALLERS_STRUCTS(GP__LEAST) GP__LEAST_COUNT };
#undef GP__LEAST

// Checks the size of a caller's struct, whose header may be older or newer than this library. Members that only a newer
// header has must be zero. (Not inlined: compilers would see the caller's struct and warn of reads past its end.)
__attribute__((noinline)) GP__HOST gp_result gp__check_size(
    const char *who, const char *name, const void *given, size_t least, size_t size, const char *type) {
  const gp__u8 *bytes = (const gp__u8 *)given;
  uint32_t said;
  size_t i;
  memcpy(&said, given, sizeof said);
  if (said < least || said > 65536)
    return gp__fail(GP_E_ARGUMENT, "%s: @%s.struct_size is %u, but sizeof(%s) is %u: initialise it with %s_init", who,
        name, said, type, (unsigned)size, type);
  for (i = size; i < said; ++i)
    if (bytes[i])
      return gp__fail(GP_E_UNSUPPORTED, "%s: @%s sets a member unknown to this library (%s): install a newer library",
          who, name, GPUPRIMS_VERSION);
  return GP_SUCCESS;
}
// Copies `given`, a caller's struct of another size, to *own, a struct of `size` bytes; members it lacks become zero.
__attribute__((noinline)) GP__HOST gp_result gp__take_struct(
    const char *who, const char *name, const void *given, void *own, size_t least, size_t size, const char *type) {
  const uint32_t whole = (uint32_t)size;
  uint32_t said;
  GP__CHECK(gp__check_size(who, name, given, least, size, type));
  memcpy(&said, given, sizeof said);
  memset(own, 0, size);
  memcpy(own, given, said < size ? said : size);
  memcpy(own, &whole, sizeof whole);
  return GP_SUCCESS;
}
// Points `given` at a whole struct of this library's header: the caller's, or a copy in `own`.
#define GP__TAKE_STRUCT(who, name, given, own, type) \
  if ((given)->struct_size != sizeof(type)) { \
    GP__CHECK(gp__take_struct(who, name, given, &(own), GP__LEAST_##type, sizeof(type), #type)); \
    (given) = &(own); \
  }

// Writes *own, a struct of `size` bytes, to the caller's struct, whose size was checked.
__attribute__((noinline)) GP__HOST void gp__hand_out(void *given, const void *own, size_t size) {
  uint32_t said;
  memcpy(&said, given, sizeof said);
  memset(given, 0, said);
  memcpy(given, own, said < size ? said : size);
  memcpy(given, &said, sizeof said);
}
