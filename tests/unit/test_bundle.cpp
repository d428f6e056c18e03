// tools/gp_bundle: its list, and its guarantee that the bundle has every kernel that dispatch can choose for a call of
// the list - on the emulated driver and compiler. The tool's main is left out.
#include "simt.h"
#define main gp_bundle_main
#include "../../tools/gp_bundle.c"
#undef main

#include "fake_driver.h"

#include <sys/wait.h>
#include <vector>

static int passed, failed;
static void check(bool good, int line, const std::string &what) {
  if (good) {
    ++passed;
  } else if (++failed <= 40) {
    printf("FAILED: test_bundle.cpp:%d: %s\n", line, what.c_str());
  }
}
#define CHECK(condition) check((condition), __LINE__, #condition)

static gp_config config(gp_backend backend) {
  gp_config c = gp_config_init();
  c.backend = backend;
  c.driver = fake::table();
  c.cache_dir = "";
  return c;
}

// Reads a list given as text into `images`.
static void read_text(const char *text) {
  gp_config c = config(GP_BACKEND_HOST);
  int architectures[] = {75, 80, 90};
  for (size_t i = 0; i < image_count; ++i) free(images[i].key), free(images[i].data);
  image_count = 0;
  type_count = operator_count = line_number = 0;
  list_name = "list";
  list = tmpfile();
  fputs(text, list);
  rewind(list);
  if (gp_open(&c, &ctx) != GP_SUCCESS) fail(gp_last_message(), "");
  read_list(architectures, 3);
  fclose(list);
  gp_close(ctx);
}

// The complaint about a list: fail() ends the process, so a child reads it.
static std::string complaint(const char *text) {
  int ends[2];
  if (pipe(ends)) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    read_text(text);
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char buffer[512];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) said.append(buffer, size_t(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1 ? said : "no failure";
}

static void test_list() {
  struct {
    const char *text, *says;
  } bad[] = {{"reduce op=SUM in=f99\n", "list:1: no such type: f99"},
      {"\n# comment\nreduce op=PLUS in=f32\n", "list:3: no such operator: PLUS"},
      {"quicksort in=f32\n", "list:1: no such primitive: quicksort"},
      {"reduce op=SUM in=f32 colour=red\n", "list:1: unknown word: colour=red"},
      {"reduce op=SUM in=f32 threads=many\n", "list:1: no such value: many"},
      {"reduce op=SUM in=f32 threads=99\n", "policy.threads = 99"},
      {"reduce op=BIT_XOR in=f32\n", "BIT_XOR works on integers"}, {"type vec size=3 align=2\nend\n", "desc.align"},
      {"type vec size=4 align=2\n", "the list ends within a type: vec"},
      {"operator add arity=2\nend\n", "a name in quotes"},
      {"operator \"add\" arity=2\nreturn a;\nend\n", "identity, prelude or body expected: return a;"},
      {"operator \"add\" arity=2\nbody\n", "the list ends within an operator: add"}};
  for (auto &b : bad) {
    const std::string said = complaint(b.text);
    check(said.find(b.says) != std::string::npos, __LINE__, std::string(b.says) + " expected, it says " + said);
  }
}

static void test_promise() {
  const char *lines =
      "reduce op=SUM in=f32 out=f64\n"
      "inclusive_scan op=SUM in=u8 out=u8   # pipelined where the input allows it\n"
      "exclusive_scan op=SUM in=f32 reproducible\n"
      "copy in=f32\ntransform op=NEGATE in=i32 out=f32\nfill out=f16\niota out=i64\n"
      "type pair size=16 align=4\nstruct pair { float a, b, c, d; };\nend\n"
      "operator \"min_a\" arity=2 commutative=1\nidentity {1e30f, 0, 0, 0}\nprelude\n#define LESS <\nbody\n"
      "return b.a LESS a.a\n  ? b : a;\nend\n"
      "inclusive_scan op=min_a in=pair\n";
  read_text(lines);
  CHECK(image_count > 20);
  std::vector<gp_bundle_entry> entries;
  for (size_t i = 0; i < image_count; ++i) {
    entries.push_back(gp_bundle_entry{images[i].key, images[i].architecture, images[i].data, images[i].bytes});
    for (size_t j = 0; j < i; ++j)
      if (images[i].architecture == images[j].architecture && !strcmp(images[i].key, images[j].key)) CHECK(!"twice");
  }
  gp_bundle bundle = {GPUPRIMS__BUNDLE, unsigned(entries.size()), entries.data()};
  for (int capability : {75, 80, 86, 90}) {
    fake::reset();
    fake::machine.capability = capability;
    fake::machine.multiprocessors = 132;
    fake::machine.shared_bytes = capability == 75 ? 65536
        : capability == 86                        ? 101376
        : capability == 80                        ? 166912
                                                  : 232448;
    gp_config c = config(GP_BACKEND_CUDA);
    c.bundle = &bundle;
    c.no_compile = 1;
    gp_context *on = nullptr;
    CHECK(gp_open(&c, &on) == GP_SUCCESS);
    gp_type_desc t = gp_type_desc_init();
    t.name = "pair", t.source = "struct pair { float a, b, c, d; };", t.size = 16, t.align = 4;
    gp_type pair;
    CHECK(gp_type_struct(on, &t, &pair) == GP_SUCCESS);
    gp_op_desc o = gp_op_desc_init();
    o.name = "min_a", o.body = "return b.a LESS a.a\n  ? b : a;", o.prelude = "#define LESS <", o.arity = 2;
    o.identity = "{1e30f, 0, 0, 0}", o.commutative = 1;
    gp_op min_a;
    CHECK(gp_op_define(on, &o, &min_a) == GP_SUCCESS);
    struct {
      gp_primitive primitive;
      gp_op op;
      gp_type in, out;
      int flags;
    } calls[] = {{GP_REDUCE, GP_SUM, GP_F32, GP_F64, 0}, {GP_INCLUSIVE_SCAN, GP_SUM, GP_U8, GP_U8, 0},
        {GP_EXCLUSIVE_SCAN, GP_SUM, GP_F32, GP_TYPE_DEFAULT, 1}, {GP_COPY, GP_OP_DEFAULT, GP_U32, GP_TYPE_DEFAULT, 0},
        {GP_TRANSFORM, GP_NEGATE, GP_I32, GP_F32, 0}, {GP_FILL, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_F16, 0},
        {GP_IOTA, GP_OP_DEFAULT, GP_TYPE_DEFAULT, GP_I64, 0}, {GP_INCLUSIVE_SCAN, min_a, pair, GP_TYPE_DEFAULT, 0}};
    for (auto &k : calls)
      for (uint64_t n = 1; n < uint64_t(1) << 38; n += n / 3 + 1)
        for (uintptr_t shift : {0, 1, 2, 4, 8, 12}) {
          gp_call call = gp_call_init(k.primitive);
          call.op = k.op, call.in_type = k.in, call.out_type = k.out, call.count = n, call.flags = k.flags;
          const size_t align = k.in == pair ? 4 : gp_type_size(on, k.in);
          if (k.in && shift % align == 0) call.in = reinterpret_cast<void *>(4096 + shift);
          const gp_result r = gp_prepare(on, &call);
          check(r == GP_SUCCESS, __LINE__,
              std::string(gp__primitive_names[k.primitive]) + " of " + std::to_string(n) + " + " +
                  std::to_string(shift) + " on " + std::to_string(capability) + ": " + gp_last_message());
        }
    CHECK(fake::counts.calls["nvrtcVersion"] == 0);
    CHECK(gp_close(on) == GP_SUCCESS && fake::leaks().empty());
  }
}

// The tool's text is C, and has the same contents.
static void test_header() {
  char out[] = P_tmpdir "/gpuprims_bundle_XXXXXX";
  const int file = mkstemp(out), saved = dup(1);
  fflush(stdout);
  dup2(file, 1);
  write_header("some_kernels");
  fflush(stdout);
  dup2(saved, 1);
  close(saved);
  close(file);
  FILE *f = fopen(out, "r");
  std::string text;
  for (int c; (c = fgetc(f)) != EOF;) text += char(c);
  fclose(f);
  unlink(out);
  CHECK(text.find("static const struct gp_bundle some_kernels = {\"" + std::string(GPUPRIMS__BUNDLE) + "\", " +
            std::to_string(image_count) + ", some_kernels_entries};") != std::string::npos);
  std::string first;
  for (size_t j = 0; j < 8; ++j) first += std::to_string(images[0].data[j]) + ",";
  CHECK(text.find("some_kernels_0[] __attribute__((aligned(16))) = {\n" + first) != std::string::npos);
  for (size_t i = 1; i < image_count; ++i) CHECK(by_key(&images[i - 1], &images[i]) < 0);
}

int main() {
  test_list();
  test_promise();
  test_header();
  for (size_t i = 0; i < image_count; ++i) free(images[i].key), free(images[i].data);
  free(images);
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
