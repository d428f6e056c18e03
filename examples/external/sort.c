// Sorts a file of u32 in the machine's byte order, of any size, through a given amount of device memory:
//     sort [--host] [--memory BYTES] [--folder FOLDER] [FILE [OUT]]
// OUT may be FILE, and is by default. The file is read in pieces; sorted runs go to a temporary file in FOLDER (the
// current one), which has no name and needs as much room as FILE. Without FILE: sorts 3 million random keys of its own
// through 4 MB, in two files that it removes. --host: on the host back end.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L // fseeko
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "examples/device_memory.h"

#include <errno.h>
#include <sys/types.h>
#include <time.h>

// The two functions of a gp_external_array. An error number of the system's says what failed.
static int read_file(void *user, uint64_t offset, uint64_t bytes, void *buffer) {
  FILE *file = (FILE *)user;
  if (fseeko(file, (off_t)offset, SEEK_SET)) return errno;
  return fread(buffer, 1, (size_t)bytes, file) == bytes ? 0 : errno ? errno : EIO;
}
static int write_file(void *user, uint64_t offset, uint64_t bytes, const void *buffer) {
  FILE *file = (FILE *)user;
  if (fseeko(file, (off_t)offset, SEEK_SET)) return errno;
  return fwrite(buffer, 1, (size_t)bytes, file) == bytes ? 0 : errno ? errno : EIO;
}
static int tell(void *user, uint64_t done, uint64_t total) {
  (void)user;
  fprintf(stderr, "\r%3.0f %%%s", 100.0 * (double)done / (double)total, done == total ? "\n" : "");
  return 0; // any other number would cancel the sort
}
static FILE *open_file(const char *path, const char *mode) {
  FILE *file = fopen(path, mode);
  if (!file) {
    perror(path);
    exit(1);
  }
  return file;
}
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void make_file(const char *path, uint64_t count) {
  FILE *file = open_file(path, "wb");
  uint64_t i, x = 88172645463325252ull;
  for (i = 0; i < count; ++i) {
    uint32_t key;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    key = (uint32_t)x;
    if (fwrite(&key, 4, 1, file) != 1) {
      perror(path);
      exit(1);
    }
  }
  fclose(file);
}
static int in_order(const char *path, uint64_t count) {
  FILE *file = open_file(path, "rb");
  uint32_t last = 0, key;
  uint64_t i;
  for (i = 0; i < count && fread(&key, 4, 1, file) == 1 && last <= key; ++i) last = key;
  fclose(file);
  return i == count;
}

int main(int argc, char **argv) {
  gp_config config = gp_config_init();
  gp_external_config how = gp_external_config_init();
  gp_external_array in, out;
  gp_description device = gp_description_init();
  gp_context *ctx;
  const char *paths[2] = {NULL, NULL};
  FILE *from, *to;
  uint64_t count;
  double begin, seconds;
  int i, own;
  how.folder = ".";
  config.backend = GP_BACKEND_AUTO;
  for (i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--host")) config.backend = GP_BACKEND_HOST;
    else if (!strcmp(argv[i], "--memory") && i + 1 < argc) how.memory = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--folder") && i + 1 < argc) how.folder = argv[++i];
    else if (argv[i][0] == '-' || paths[1]) {
      fprintf(stderr, "sort: [--host] [--memory BYTES] [--folder FOLDER] [FILE [OUT]]\n");
      return 2;
    } else paths[paths[0] != NULL] = argv[i];
  }
  own = !paths[0];
  if (own) {
    paths[0] = "external_sort.in";
    paths[1] = "external_sort.out";
    make_file(paths[0], 3000000);
    if (!how.memory) how.memory = 4000000;
  } else how.progress = tell;
  if (!paths[1]) paths[1] = paths[0];
  check(gp_open(&config, &ctx));
  check(gp_describe(ctx, &device));
  from = open_file(paths[0], paths[0] == paths[1] ? "r+b" : "rb");
  to = paths[0] == paths[1] ? from : open_file(paths[1], "wb");
  if (fseeko(from, 0, SEEK_END)) return perror(paths[0]), 1;
  count = (uint64_t)ftello(from) / 4;
  memset(&in, 0, sizeof in);
  in.read = read_file;
  in.user = from;
  memset(&out, 0, sizeof out);
  out.write = write_file;
  out.user = to;
  begin = now();
  check(gp_external_sort(ctx, &how, GP_U32, GP_TYPE_DEFAULT, &in, NULL, count, &out, NULL));
  if (fflush(to)) return perror(paths[1]), 1;
  seconds = now() - begin;
  printf("%s: %llu keys in %.3f s, %.3f GB/s\n", device.name, (unsigned long long)count, seconds,
      4e-9 * (double)count / seconds);
  fclose(from);
  if (to != from) fclose(to);
  check(gp_close(ctx));
  i = in_order(paths[1], count);
  printf("%s\n", i ? "in order" : "NOT in order");
  if (own) remove(paths[0]), remove(paths[1]);
  return !i;
}
