// world/nccl.c - functions of NCCL, opened at run time
// uses: api/lists.h, api/world.h, core/rules.h, core/messages.c, core/libraries.c

enum { // of ncclResult_t, ncclDataType_t, ncclRedOp_t
  GP__NCCL_IN_PROGRESS = 7,
  GP__NCCL_BYTES = 1,
  GP__NCCL_U64 = 5,
  GP__NCCL_SUM = 0,
  GP__NCCL_OLDEST = 21900
};
typedef struct gp__nccl_id { // ncclUniqueId
  char bytes[GP_WORLD_ID_BYTES];
} gp__nccl_id;
typedef struct gp__nccl_config { // ncclConfig_t of NCCL 2.19, which later ones take
  size_t size;
  unsigned magic, version;
  int blocking, cluster, least_blocks, most_blocks;
  const char *net;
  int share;
} gp__nccl_config;

// F(name, parameters): all return an ncclResult_t.
#define GP__NCCL_FUNCTIONS(F) \
  F(GetVersion, (int *version)) \
  F(GetUniqueId, (gp__nccl_id * id)) \
  F(CommInitRankConfig, (void **comm, int size, gp__nccl_id id, int rank, gp__nccl_config *config)) \
  F(CommDestroy, (void *comm)) \
  F(CommAbort, (void *comm)) \
  F(CommGetAsyncError, (void *comm, int *error)) \
  F(CommCount, (void *comm, int *count)) \
  F(CommUserRank, (void *comm, int *rank)) \
  F(CommCuDevice, (void *comm, int *device)) \
  F(AllGather, (const void *from, void *to, size_t count, int type, void *comm, void *stream)) \
  F(AllReduce, (const void *from, void *to, size_t count, int type, int op, void *comm, void *stream)) \
  F(Send, (const void *from, size_t count, int type, int peer, void *comm, void *stream)) \
  F(Recv, (void *to, size_t count, int type, int peer, void *comm, void *stream)) \
  F(GroupStart, (void)) \
  F(GroupEnd, (void))

typedef struct gp__nccl {
#define GP__FIELD(name, parameters) int(*name) parameters;
  GP__NCCL_FUNCTIONS(GP__FIELD)
#undef GP__FIELD
  const char *(*text)(int result);
  int version;
} gp__nccl;

GP__HOST gp_result gp__open_nccl(const char *who, const char *path, gp__nccl *n) {
  static const char *const names[] = {"libnccl.so.2", "libnccl.so", NULL};
  const char *own = getenv("GPUPRIMS_NCCL");
  char why[1024];
  void *library = gp__open_library(path ? path : own && *own ? own : NULL, names, why, sizeof why);
  if (!library)
    return gp__fail(GP_E_WORLD,
        "%s: NCCL cannot be opened: %s: install it (the wheel nvidia-nccl-cu13, Debian's libnccl2), or name its file "
        "in gp_world_config.nccl_library or GPUPRIMS_NCCL",
        who, why);
#define GP__LOAD(name, parameters) \
  if (!gp__symbol(library, "nccl" #name, (void *)&n->name)) \
    return gp__fail(GP_E_WORLD, "%s: NCCL has no nccl" #name ": 2.19 or later is needed", who);
  GP__NCCL_FUNCTIONS(GP__LOAD)
#undef GP__LOAD
  if (!gp__symbol(library, "ncclGetErrorString", (void *)&n->text) || n->GetVersion(&n->version))
    return gp__fail(GP_E_WORLD, "%s: NCCL does not tell its version", who);
  return n->version >= GP__NCCL_OLDEST
      ? GP_SUCCESS
      : gp__fail(GP_E_WORLD, "%s: NCCL %d.%d is too old: 2.19 is the oldest version that works", who,
            n->version / 10000, n->version / 100 % 100);
}
