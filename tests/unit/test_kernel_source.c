// Kernel sources with the real NVRTC, on a machine without a GPU: all of its architectures, its compiler's messages,
// the disk cache and its speed. Without NVRTC these count as skipped; the text and the hash do not.
// Usage: test_kernel_source [NVRTC's library, an absolute path]
#define _DEFAULT_SOURCE // P_tmpdir
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include <time.h>

static int passed, failed, skipped;
static const char *nvrtc_library; // NULL: by its system name

static int check(int good, int line, const char *what, const char *more) {
  if (good) ++passed;
  else if (++failed <= 40) printf("FAILED: test_kernel_source.c:%d: %s %s\n", line, what, more);
  return good;
}
#define CHECK(condition) check((condition) != 0, __LINE__, #condition, gp_last_message())

static double now(void) { // milliseconds
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void test_hash(void) {
  char hex[GP__HEX], long_text[200];
  gp__hash(hex, "", 0, NULL);
  CHECK(strcmp(hex, "e3b0c44298fc1c149afbf4c8996fb924") == 0);
  gp__hash(hex, "abc", 3, NULL);
  CHECK(strcmp(hex, "ba7816bf8f01cfea414140de5dae2223") == 0);
  gp__hash(hex, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, NULL);
  CHECK(strcmp(hex, "248d6a61d20638b8e5c026930c3e6039") == 0);
  memset(long_text, 'a', sizeof long_text);
  { // pieces of every size give the whole's hash
    size_t n, piece;
    for (n = 0; n <= sizeof long_text; n += 7)
      for (piece = 1; piece < 70; piece += 13) {
        unsigned char one[32], many[32];
        gp__sha h;
        size_t at;
        gp__sha_begin(&h);
        gp__sha_add(&h, long_text, n);
        gp__sha_end(&h, one);
        gp__sha_begin(&h);
        for (at = 0; at < n; at += piece) gp__sha_add(&h, long_text + at, n - at < piece ? n - at : piece);
        gp__sha_end(&h, many);
        if (memcmp(one, many, sizeof one) != 0) CHECK(!"pieces hash differently");
      }
  }
}

// The text that NVRTC gets for a program that needs every part.
static char *text_of_all(void) {
  gp__part_set all;
  gp__text t = {NULL, 0, 0, 0};
  memset(all, 1, sizeof all);
  gp__write_parts(all, &t);
  CHECK(!t.failed && t.size > 500000);
  return t.data;
}
static void test_text(void) {
  const char *text = gp__device_text();
  size_t bytes = 0;
  const char *embedded = gp__embedded_text(&bytes);
  char *whole;
  if (!CHECK(text != NULL)) return;
  whole = text_of_all();
  CHECK(strstr(whole, "\ntemplate<class P,int SIZE>GP_DEVICE void gp__copy_kernel(const gp__map_args&a){\n"));
  CHECK(!strstr(whole, "// ") && !strstr(whole, "cuInit"));
  free(whole);
  CHECK(embedded && embedded[bytes] == 0 && bytes < 350000); // bytes common to all programs
  CHECK(gp__device_text() == text && gp__device.whole < text);
}

// ---- the parts that a program needs, and its key

static void seal(const char *text, int exact_rounding, gp__program *p) {
  memset(p, 0, sizeof *p);
  p->exact_rounding = exact_rounding;
  gp__add(&p->text, "%s", text);
  CHECK(gp__seal_program("test", p) == GP_SUCCESS);
}
static int has_part(const gp__program *p, const char *name) {
  int i;
  for (i = 0; i < gp__device.count; ++i)
    if (strncmp(gp__device.uses[i], name, strlen(name)) == 0 && strchr(" \n", gp__device.uses[i][strlen(name)])) break;
  return i < gp__device.count && p->parts[i];
}
// The parts of a text with one byte of part `name` changed.
static char *changed(const char *name) {
  const size_t bytes = strlen(gp__device.whole);
  char line[80], *copy = (char *)malloc(bytes + 1), *at;
  memcpy(copy, gp__device.whole, bytes + 1);
  snprintf(line, sizeof line, "\n#line 1 \"%s\"\n", name);
  at = strstr(copy, line);
  if (CHECK(at != NULL)) at[strlen(line)] ^= 1;
  CHECK(gp__take_whole(copy));
  return copy;
}
// Whether a program that mentions the name gets a part.
static int is_known(const char *name) {
  gp__program p;
  int i;
  seal(name, 0, &p);
  for (i = 0; i < gp__device.count && !p.parts[i]; ++i) {}
  gp__free_program(&p);
  return i < gp__device.count;
}
static void test_parts(void) {
  static const char *const copies = "gp__copy_kernel<gp__policy<256>, 4>";
  static const char *const scans = "gp__scan_look_back<gp__policy<256>, gp_sum<int>>";
  size_t bytes = 0;
  const char *embedded = gp__embedded_text(&bytes);
  gp__program copy, scan, other;
  gp__text parts = {NULL, 0, 0, 0}, key = {NULL, 0, 0, 0}, other_key = {NULL, 0, 0, 0};
  char *again, *whole;
  int i;
  if (!embedded) return;
  seal(copies, 0, &copy);
  seal(scans, 0, &scan);
  CHECK(has_part(&copy, "map/kernels.cuh") && has_part(&copy, "device/machine.cuh") && !has_part(&copy, "api/lists.h"));
  CHECK(!has_part(&copy, "scan/kernels.cuh") && !has_part(&copy, "device/look_back.cuh"));
  CHECK(has_part(&scan, "scan/kernels.cuh") && has_part(&scan, "device/look_back.cuh"));
  CHECK(has_part(&scan, "device/operators.cuh") && !has_part(&scan, "bfs/block.cuh"));
  gp__write_parts(copy.parts, &parts);
  CHECK(parts.size > 20000 && parts.size < 80000 && strstr(parts.data, "gp__copy_kernel("));
  CHECK(!strstr(parts.data, "gp__scan_look_back("));
  gp__free_text(&parts);
  // A text gets every part that it mentions: parts of names do not count, every first and last name does.
  seal("return gp_tile_load_all(gp_tile, agp_tile_sort);", 0, &other);
  for (i = 0; i < gp__device.count; ++i) CHECK(!other.parts[i]);
  gp__free_program(&other);
  {
    const char *at;
    char name[80];
    int names = 0, missed = 0;
    for (at = gp__device.names; at < gp__device.names_end; at = strchr(at, '\n') + 1) {
      const int length = (int)strcspn(at, " \n");
      snprintf(name, sizeof name, "%.*s", length, at);
      seal(name, 0, &other);
      for (i = 0; i < gp__device.count && !other.parts[i]; ++i) {}
      missed += i == gp__device.count;
      ++names;
      gp__free_program(&other);
    }
    CHECK(names > 400 && !missed);
  }
  {
#define NAMES(KIND, kernel, arguments, names, traits) #kernel, #arguments,
    static const char *const of_kinds[] = {GPUPRIMS__KINDS(NAMES)};
#undef NAMES
    const int kinds = (int)(sizeof of_kinds / sizeof *of_kinds);
    int missed = 0;
    for (i = 0; i < kinds; ++i) missed += !is_known(of_kinds[i]);
    for (i = 1; i < GP_OP_COUNT; ++i) missed += gp__op_rows[i].functor && !is_known(gp__op_rows[i].functor);
    for (i = 1; i < GP_TYPE_COUNT; ++i)
      missed += strchr(gp__type_rows[i].device, '_') && !is_known(gp__type_rows[i].device);
    CHECK(kinds > 100 && !missed);
    CHECK(is_known("gp_tile_load_direct") && is_known("gp_frontier_filter") && is_known("GP_SHARED_ARRAY"));
    whole = text_of_all();
    CHECK(!is_known("gp__policy_valid_scan") && !strstr(whole, "gp__policy_valid_scan("));
    free(whole);
  }
  // A text that pastes names together may need any part.
  seal("#define JOIN(a, b) a##b", 0, &other);
  for (i = 0; i < gp__device.count; ++i) CHECK(other.parts[i]);
  gp__free_program(&other);
  // A key covers the compilation's inputs: the text, the options, the parts.
  seal("gp__copy_kernel<gp__policy<256>, 8>", 0, &other);
  CHECK(strcmp(other.key, copy.key) != 0 && strcmp(other.made_of, copy.made_of) == 0);
  gp__free_program(&other);
  seal(copies, 1, &other);
  CHECK(strcmp(other.key, copy.key) != 0);
  gp__free_program(&other);
  again = changed("scan/kernels.cuh"); // of another family
  seal(copies, 0, &other);
  gp__cache_key(&copy, 90, "13.0", &key);
  gp__cache_key(&other, 90, "13.0", &other_key);
  CHECK(strcmp(other.key, copy.key) == 0 && strcmp(gp__string(&key), gp__string(&other_key)) == 0);
  gp__free_program(&other);
  gp__free_text(&key);
  gp__free_text(&other_key);
  seal(scans, 0, &other);
  gp__cache_key(&scan, 90, "13.0", &key);
  gp__cache_key(&other, 90, "13.0", &other_key);
  CHECK(strcmp(other.key, scan.key) != 0 && strcmp(gp__string(&key), gp__string(&other_key)) != 0);
  gp__free_program(&other);
  gp__free_text(&key);
  gp__free_text(&other_key);
  free(again);
  again = changed("device/machine.cuh"); // of all
  seal(copies, 0, &other);
  CHECK(strcmp(other.key, copy.key) != 0);
  gp__free_program(&other);
  free(again);
  CHECK(gp__take_parts(embedded));
  seal(copies, 0, &other);
  CHECK(strcmp(other.key, copy.key) == 0);
  gp__free_program(&other);
  gp__free_program(&copy);
  gp__free_program(&scan);
}

typedef struct taken {
  int count;
  size_t bytes;
  unsigned char magic[4];
  char key[80];
} taken;
static void take(void *user, const char *key, const void *image, size_t bytes) {
  taken *t = (taken *)user;
  ++t->count;
  t->bytes = bytes;
  memcpy(t->magic, image, 4);
  snprintf(t->key, sizeof t->key, "%s", key);
}

static char logged[8192];
static void log_line(void *user, gp_log_level level, const char *message) {
  (void)user;
  if (level == GP_LOG_WARNING) snprintf(logged, sizeof logged, "%s", message);
}

static gp_context *open_host(const char *cache) {
  gp_config c = gp_config_init();
  gp_context *ctx = NULL;
  c.backend = GP_BACKEND_HOST;
  c.cache_dir = cache;
  c.log = log_line;
  c.nvrtc_library = nvrtc_library;
  CHECK(gp_open(&c, &ctx) == GP_SUCCESS);
  return ctx;
}

static gp_call fold(gp_primitive primitive, gp_op op, gp_type in, gp_type out, uint64_t count) {
  gp_call c = gp_call_init(primitive);
  c.op = op;
  c.in_type = in;
  c.out_type = out;
  c.count = count;
  return c;
}

// Each call names the expected complaint of the compiler.
static void expect_error(gp_context *ctx, const gp_call *call, const char *says, int line) {
  taken t = {0, 0, {0}, ""};
  const gp_result r = gp_compile(ctx, call, 90, take, &t);
  check(r == GP_E_COMPILE && t.count == 0, line, gp_result_name(r), gp_last_message());
  check(strstr(gp_last_message(), says) != NULL, line, says, gp_last_message());
}

static void test_messages(void) {
  gp_context *ctx = open_host("");
  gp_type_desc t = gp_type_desc_init();
  gp_op_desc d = gp_op_desc_init();
  gp_type good, wrong, broken;
  gp_op member, identity, prelude, unary;
  gp_call c;
  t.name = "vec3";
  t.source = "struct vec3 {\n  float x, y, z;\n};";
  t.size = 12;
  t.align = 4;
  CHECK(gp_type_struct(ctx, &t, &good) == GP_SUCCESS);
  t.name = "vec2";
  t.source = "struct vec2 { double x; };";
  CHECK(gp_type_struct(ctx, &t, &wrong) == GP_SUCCESS);
  t.name = "vec4";
  t.source = "struct vec4 {\n  flaot x;\n};";
  CHECK(gp_type_struct(ctx, &t, &broken) == GP_SUCCESS);
  d.name = "nearest point";
  d.arity = 2;
  d.identity = "{0, 0, 0}";
  d.body = "float t = a.x;\nreturn t < b.w ? a : b;";
  CHECK(gp_op_define(ctx, &d, &member) == GP_SUCCESS);
  d.name = "bad identity";
  d.identity = "{0, nothing}";
  d.body = "return a;";
  CHECK(gp_op_define(ctx, &d, &identity) == GP_SUCCESS);
  d.name = "bad prelude";
  d.identity = "{}";
  d.prelude = "\nint f(int x) { return y; }";
  CHECK(gp_op_define(ctx, &d, &prelude) == GP_SUCCESS);
  d = gp_op_desc_init();
  d.name = "length";
  d.arity = 1;
  d.body = "return sqrtf(a.x * a.x + a.y * a.y + a.z * a.z);";
  CHECK(gp_op_define(ctx, &d, &unary) == GP_SUCCESS);

  c = fold(GP_REDUCE, member, good, good, 1000);
  expect_error(ctx, &c, "gp_compile: operator nearest point does not compile, line 2: error: ", __LINE__);
  expect_error(ctx, &c, "has no member \"w\"\n  return t < b.w ? a : b;\n", __LINE__);
  CHECK(strstr(logged, "has no member \"w\"") != NULL);
  c.op = identity;
  expect_error(ctx, &c, "identity of operator bad identity does not compile, line 1: ", __LINE__);
  expect_error(ctx, &c, "\"nothing\" is undefined", __LINE__);
  c.op = prelude;
  expect_error(ctx, &c, "prelude of operator bad prelude does not compile, line 2: ", __LINE__);
  c = gp_call_init(GP_FILL);
  c.out_type = wrong;
  c.count = 10;
  expect_error(ctx, &c, "gp_type_desc of vec2: size or align is not what its source says", __LINE__);
  c.out_type = broken;
  expect_error(
      ctx, &c, "type vec4 does not compile, line 2: error: identifier \"flaot\" is undefined\n    flaot x;", __LINE__);
  { // and correct sources compile
    taken x = {0, 0, {0}, ""};
    c = fold(GP_REDUCE, GP_MAX, good, GP_F32, 1000);
    c.transform = unary;
    CHECK(gp_compile(ctx, &c, 90, take, &x) == GP_SUCCESS && x.count == 1 && memcmp(x.magic, "\177ELF", 4) == 0);
  }
  CHECK(gp_close(ctx) == GP_SUCCESS);
}

// The names that dispatch writes exist as templates: users' types and up to three operators in a program. The test of
// all architectures compiles the built-in ones.
static void test_names(void) {
  gp_context *ctx = open_host("");
  gp_type_desc t = gp_type_desc_init();
  gp_op_desc d = gp_op_desc_init();
  gp_type point;
  gp_op right, same, farther;
  gp_call c[8];
  int i;
  t.name = "point";
  t.source = "struct point { float x; int y; short z; };";
  t.size = 12;
  t.align = 4;
  CHECK(gp_type_struct(ctx, &t, &point) == GP_SUCCESS);
  d.name = "right";
  d.arity = 1;
  d.body = "return a.y & 2;";
  CHECK(gp_op_define(ctx, &d, &right) == GP_SUCCESS);
  d.name = "same";
  d.arity = 2;
  d.body = "return a.y == b.y;";
  CHECK(gp_op_define(ctx, &d, &same) == GP_SUCCESS);
  d.name = "farther";
  d.identity = "{0, 0, 0}";
  d.body = "return a.x > b.x ? a : b;";
  CHECK(gp_op_define(ctx, &d, &farther) == GP_SUCCESS);
  c[0] = fold(GP_PARTITION, right, point, 0, 1000);
  c[0].predicate2 = right;
  c[1] = fold(GP_SELECT, 0, point, 0, 1 << 24);
  c[1].key_type = GP_I8;
  c[2] = fold(GP_REDUCE_BY_KEY, farther, point, point, 1000);
  c[2].key_type = point;
  c[2].equal = same;
  c[3] = fold(GP_UNIQUE, 0, GP_F64, 0, 1 << 24);
  c[3].key_type = point;
  c[3].equal = same;
  c[4] = fold(GP_RUN_LENGTHS, 0, 0, 0, 1000);
  c[4].key_type = GP_BF16;
  c[5] = fold(GP_SEGMENTED_INCLUSIVE_SCAN, GP_ARGMIN, GP_F32, GP_F32, 1000);
  c[5].offset_type = GP_I64;
  c[5].flags = GP_CHECKED; // and the check of the offsets
  c[6] = fold(GP_COUNT_IF, right, point, 0, 1000);
  c[7] = fold(GP_ADJACENT_DIFFERENCE, farther, point, 0, 1000);
  c[7].flags = GP_RIGHT;
  for (i = 0; i < 8; ++i) {
    taken x = {0, 0, {0}, ""};
    CHECK(gp_compile(ctx, &c[i], 90, take, &x) == GP_SUCCESS && x.count == (i == 5 ? 2 : 1));
  }
  CHECK(gp_close(ctx) == GP_SUCCESS);
}

static void test_architectures(void) {
  gp_context *ctx = open_host("");
  gp_call c[3];
  int i, k;
  taken t = {0, 0, {0}, ""};
  c[0] = gp_call_init(GP_COPY);
  c[0].in_type = GP_F32;
  c[0].count = 1000;
  c[1] = fold(GP_REDUCE, GP_SUM, GP_F32, GP_F32, 1 << 20);
  c[2] = fold(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, 1000);
  CHECK(gp_compile(ctx, &c[0], 90, take, &t) == GP_SUCCESS);
  i = ctx->state->library.runtime.nvrtc_version;
  printf("NVRTC %d.%d:", i / 1000, i % 1000 / 10);
  for (i = 0; i < ctx->state->library.runtime.architecture_count; ++i)
    printf(" %d", ctx->state->library.runtime.architectures[i]);
  printf("\n");
  for (i = 0; i < ctx->state->library.runtime.architecture_count; ++i) {
    const int architecture = ctx->state->library.runtime.architectures[i];
    if (architecture < 75) continue;
    for (k = 0; k < (architecture == 75 ? 3 : 2); ++k) { // a scan takes a second
      char what[64];
      gp_result r;
      memset(&t, 0, sizeof t);
      r = gp_compile(ctx, &c[k], architecture, take, &t);
      snprintf(
          what, sizeof what, "%s for %d: %s", gp__primitive_names[c[k].primitive], architecture, gp_result_name(r));
      check(r == GP_SUCCESS && t.count == 1 && memcmp(t.magic, "\177ELF", 4) == 0, __LINE__, what,
          r ? gp_last_message() : "");
    }
  }
  CHECK(gp_compile(ctx, &c[0], 999, take, &t) == GP_E_ARGUMENT);
  CHECK(gp_close(ctx) == GP_SUCCESS);
}

static void test_cache(void) {
  char folder[64], command[128];
  gp_call c[4];
  double first = 0, later = 0, start;
  int i, round;
  taken t[2];
  c[0] = gp_call_init(GP_COPY);
  c[0].in_type = GP_F64;
  c[0].count = 1000;
  c[1] = fold(GP_REDUCE, GP_SUM, GP_F32, GP_F32, 1 << 20);
  c[2] = fold(GP_REDUCE, GP_SUM, GP_F32, GP_F32, 1 << 20);
  c[2].flags = GP_REPRODUCIBLE;
  c[3] = fold(GP_INCLUSIVE_SCAN, GP_SUM, GP_I32, GP_I32, 1000);
  snprintf(folder, sizeof folder, P_tmpdir "/gpuprims_source_%ld", (long)getpid());
  if (!CHECK(mkdir(folder, 0700) == 0)) return;
  for (i = 0; i < 4; ++i) {
    memset(t, 0, sizeof t);
    for (round = 0; round < 2; ++round) {
      gp_context *ctx = open_host(folder);
      if (round == 0 && i == 0) gp_compile(ctx, &c[2], 80, take, &t[0]); // opens NVRTC, outside the measurement
      start = now();
      memset(&t[round], 0, sizeof t[round]);
      CHECK(gp_compile(ctx, &c[i], 90, take, &t[round]) == GP_SUCCESS);
      start = now() - start;
      if (round) later = start;
      else first = start;
      CHECK(round == 0 || ctx->state->library.runtime.nvrtc_open == 0); // from the disk: the compiler stays closed
      CHECK(gp_close(ctx) == GP_SUCCESS);
    }
    CHECK(t[0].bytes == t[1].bytes && strcmp(t[0].key, t[1].key) == 0);
    printf("%s%s: compiled in %.0f ms, read from the disk cache in %.2f ms\n", gp__primitive_names[c[i].primitive],
        c[i].flags ? " (reproducible)" : "", first, later);
    check(later < 50, __LINE__, "the disk cache is slow", "");
  }
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK(system(command) == 0);
}

// A user's kernel, compiled for any layout and for each one, by the array's option: no division and no branch on a
// known layout.
static void test_layouts(void) {
  static const char *const source = "#include \"gpuprims.h\"\n"
                                    "#define PARTICLE(F) F(float, x) F(unsigned short, kind) F(double, v)\n"
                                    "GP_LAYOUT(Particle, PARTICLE)\n"
                                    "extern \"C\" __global__ void step(gp_array p) {\n"
                                    "  GP_AT(Particle, p, blockIdx.x, x) += float(GP_AT(Particle, p, blockIdx.x, v));\n"
                                    "}\n";
  static const uint64_t layouts[] = {GP_ANY_LAYOUT, GP_SOA, GP_AOS, 32, GP_SOA | GP_TRANSPOSED};
  const char *header, *name = "gpuprims.h";
  gp__text parts = {NULL, 0, 0, 0};
  gp__program program_text;
  gp_context *ctx = open_host("");
  gp_call c = gp_call_init(GP_COPY);
  taken t = {0, 0, {0}, ""};
  const struct gp_driver *d;
  int i;
  seal(source, 0, &program_text);
  gp__write_parts(program_text.parts, &parts);
  gp__free_program(&program_text);
  header = gp__string(&parts);
  c.in_type = GP_F32;
  CHECK(gp_compile(ctx, &c, 90, take, &t) == GP_SUCCESS); // opens NVRTC
  d = &ctx->state->library.runtime.driver;
  for (i = 0; i < 5; ++i) {
    const gp_array array = gp__array_of(layouts[i], 16, 1, 1, 1, 16, 14);
    char define[80];
    const char *options[4] = {"--gpu-architecture=compute_90", "-std=c++17", "-default-device", define};
    void *program = NULL;
    char *ptx = NULL;
    size_t bytes = 0;
    CHECK(gp_array_define("Particle", &array, define, sizeof define) < sizeof define);
    CHECK(d->nvrtcCreateProgram(&program, source, "step.cu", 1, &header, &name) == 0);
    CHECK(d->nvrtcCompileProgram(program, i ? 4 : 3, options) == 0);
    CHECK(d->nvrtcGetPTXSize(program, &bytes) == 0 && (ptx = (char *)malloc(bytes + 1)) != NULL);
    if (ptx && d->nvrtcGetPTX(program, ptx) == 0) {
      ptx[bytes] = 0;
      CHECK((strstr(ptx, "div.u") != NULL) == (i == 0));
      CHECK((strstr(ptx, "bra") != NULL) == (i == 0));
    }
    free(ptx);
    d->nvrtcDestroyProgram(&program);
  }
  gp__free_text(&parts);
  CHECK(gp_close(ctx) == GP_SUCCESS);
}

// NVRTC's version; 0 where it cannot be asked.
static int version_of(void *library) {
  int (*ask)(int *major, int *minor) = NULL;
  int major = 0, minor = 0;
  return gp__symbol(library, "nvrtcVersion", (void *)&ask) && !ask(&major, &minor) ? major * 1000 + minor * 10 : 0;
}
// A call that needs NVRTC fails, and says why.
static void test_refusal(const char *why) {
  gp_context *ctx = open_host("");
  gp_call c = gp_call_init(GP_COPY);
  taken t = {0, 0, {0}, ""};
  c.in_type = GP_F32;
  CHECK(gp_compile(ctx, &c, 90, take, &t) == GP_E_NO_COMPILER && strstr(gp_last_message(), why));
  CHECK(strstr(gp_last_message(), "pip install nvidia-cuda-nvrtc") && t.count == 0);
  CHECK(gp_close(ctx) == GP_SUCCESS);
}

int main(int argc, char **argv) {
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
  char why[1024];
  void *library;
  setvbuf(stdout, NULL, _IOLBF, 0);
  nvrtc_library = argc > 1 ? argv[1] : NULL;
  test_hash();
  test_text();
  test_parts();
  library = gp__open_library(nvrtc_library, names, why, sizeof why);
  if (library && version_of(library) >= GP__NVRTC_OLDEST) {
    test_messages();
    test_names();
    test_architectures();
    test_cache();
    test_layouts();
  } else if (library) {
    test_refusal("is too old: 12.3 is the oldest version that works");
    printf("NVRTC %d.%d: refused\n", version_of(library) / 1000, version_of(library) % 1000 / 10);
  } else {
    test_refusal("libnvrtc");
    printf("skipped: messages, names, architectures, cache, layouts: no NVRTC on this machine\n");
    skipped += 5;
  }
  printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed != 0;
}
