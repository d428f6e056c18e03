// Sorts an array that is spread over several GPUs, a process each, with gpuprims.h and NCCL. Any launcher starts it:
//     torchrun --no-python --nproc-per-node 2 build/examples/world/sort
//     mpirun -np 2 build/examples/world/sort
//     for r in 0 1; do RANK=$r WORLD_SIZE=2 LOCAL_RANK=$r build/examples/world/sort & done; wait
// The first rank makes NCCL's id, and a file passes it on: GPUPRIMS_WORLD_FILE, or one in the folder where all ranks
// run. A program with MPI or PyTorch sends it by a broadcast. --host: on the host back end, with a libnccl that serves
// host memory (tests/world/loopback.c) in GPUPRIMS_NCCL.
#define _POSIX_C_SOURCE 200809L // nanosleep
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "examples/device_memory.h"

#include <time.h>

// A number that the launcher sets: torchrun, Open MPI, Slurm.
static int launched(const char *torch, const char *mpi, const char *slurm, int otherwise) {
  const char *text = getenv(torch);
  if (!text) text = getenv(mpi);
  if (!text) text = getenv(slurm);
  return text ? atoi(text) : otherwise;
}
static const char *pass_id(gp_context *ctx, int rank, void *id) {
  const char *path = getenv("GPUPRIMS_WORLD_FILE"), *job = getenv("TORCHELASTIC_RUN_ID");
  static char made[256];
  char part[300];
  FILE *file = NULL;
  int tries;
  if (!path) {
    if (!job) job = getenv("SLURM_JOB_ID");
    if (!job) job = getenv("PMIX_NAMESPACE");
    snprintf(made, sizeof made, "gpuprims_world.%s", job ? job : "id");
    path = made;
  }
  snprintf(part, sizeof part, "%s.part", path);
  if (!rank) {
    if (gp_world_id(ctx, NULL, id) != GP_SUCCESS) {
      printf("skipped: %s\n", gp_last_message());
      exit(0);
    }
    file = fopen(part, "wb");
    if (!file || fwrite(id, GP_WORLD_ID_BYTES, 1, file) != 1 || fclose(file) || rename(part, path)) {
      perror(path);
      exit(1);
    }
    return path;
  }
  for (tries = 0; tries < 3000 && !file; ++tries) {
    struct timespec nap = {0, 10000000};
    file = fopen(path, "rb");
    if (!file) nanosleep(&nap, NULL);
  }
  if (!file || fread(id, GP_WORLD_ID_BYTES, 1, file) != 1) {
    fprintf(stderr, "sort: rank %d found no id in %s\n", rank, path);
    exit(1);
  }
  fclose(file);
  return path;
}

int main(int argc, char **argv) {
  const int rank = launched("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", 0);
  const int size = launched("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", 1);
  const int host = argc > 1 && !strcmp(argv[1], "--host");
  const uint64_t n = argc > 1 + host ? strtoull(argv[1 + host], NULL, 10) : 1000000, room = n + 1;
  unsigned char id[GP_WORLD_ID_BYTES];
  gp_config config = gp_config_init();
  gp_world_config joins = gp_world_config_init();
  gp_context *ctx;
  device_memory m;
  gp_world *world;
  const char *path;
  uint32_t *keys = (uint32_t *)malloc(n * 4), *sorted = (uint32_t *)malloc(room * 4), least_above = UINT32_MAX;
  uint64_t count, total = 0, in_order = 0, i, x = 88172645463325252ull + (uint64_t)rank;
  void *in, *out, *number, *sum;
  if (n < 1 || !keys || !sorted) return fprintf(stderr, "sort: [--host] KEYS\n"), 2;
  config.backend = host ? GP_BACKEND_HOST : GP_BACKEND_AUTO;
  config.device = host ? 0 : launched("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", 0);
  check(gp_open(&config, &ctx));
  m = device_memory_open(ctx);
  if (!host && !m.library) {
    printf("skipped: NCCL needs a GPU\n");
    return 0;
  }
  path = pass_id(ctx, rank, id);
  joins.id = id;
  joins.rank = rank;
  joins.size = size;
  check(gp_world_open(ctx, &joins, &world));
  if (!rank) remove(path); // all ranks have read it

  for (i = 0; i < n; ++i) x ^= x << 13, x ^= x >> 7, x ^= x << 17, keys[i] = (uint32_t)x;
  in = device_memory_new(&m, n * 4);
  out = device_memory_new(&m, room * 4);
  number = device_memory_new(&m, 8);
  sum = device_memory_new(&m, 8);
  device_memory_write(&m, in, keys, n * 4);
  check(gp_world_sort_keys(world, GP_U32, in, n, out, room, (uint64_t *)number, NULL));
  check(gp_world_wait(world, NULL));
  device_memory_read(&m, &count, number, 8);
  device_memory_read(&m, sorted, out, count * 4);

  // Every rank's keys are in order, and none is less than the last one of the rank before: of the largest keys that
  // lower ranks have, gp_world_exclusive_scan finds the maximum.
  for (i = 1; i < count; ++i) in_order += sorted[i - 1] <= sorted[i];
  if (count) {
    device_memory_write(&m, in, &sorted[count - 1], 4);
    check(gp_world_exclusive_scan(world, GP_MAX, GP_U32, GP_U32, NULL, in, 1, out, NULL));
    check(gp_world_wait(world, NULL));
    device_memory_read(&m, &least_above, out, 4);
    in_order += least_above <= sorted[0];
  }
  device_memory_write(&m, number, &in_order, 8);
  check(gp_world_reduce(world, GP_SUM, GP_U64, GP_U64, number, 1, sum, NULL));
  check(gp_world_wait(world, NULL));
  device_memory_read(&m, &total, sum, 8);
  if (!rank) printf("%llu keys in order on %d ranks\n", (unsigned long long)total, size);
  device_memory_free(&m, in), device_memory_free(&m, out), device_memory_free(&m, number), device_memory_free(&m, sum);
  check(gp_world_close(world));
  check(gp_close(ctx));
  free(keys), free(sorted);
  return total == n * (uint64_t)size ? 0 : 1;
}
