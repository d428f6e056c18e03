// tools/gp_bundle: its list, and its guarantee that the bundle has every kernel that dispatch can choose for a call of
// the list - on the emulated driver and compiler. The tool's main is left out.
#include "simt.h"
#define main gp_bundle_main
#include "../../tools/gp_bundle.c"
#undef main

#include "fake_driver.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
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
      {"reduce op=SUM in=f32,f99\n", "list:1: no such type: f99"},
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
  gp_bundle bundle = {GP__BUNDLE, unsigned(entries.size()), entries.data()};
  for (int capability : {75, 80, 86, 90}) {
    fake::reset();
    fake::machine.capability = capability;
    fake::machine.multiprocessors = 132;
    fake::machine.shared_bytes = capability == 75 ? 65536
        : capability == 86 ? 101376
        : capability == 80 ? 166912
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
  CHECK(text.find("static const struct gp_bundle some_kernels = {\"" + std::string(GP__BUNDLE) + "\", " +
            std::to_string(image_count) + ", some_kernels_entries};") != std::string::npos);
  std::string first;
  for (size_t j = 0; j < 8; ++j) first += std::to_string(images[0].data[j]) + ",";
  CHECK(text.find("some_kernels_0[] __attribute__((aligned(16))) = {\n" + first) != std::string::npos);
  for (size_t i = 1; i < image_count; ++i) CHECK(by_key(&images[i - 1], &images[i]) < 0);
}

// ---- a bundle file

static std::string said; // by the log
static void note(void *, gp_log_level level, const char *message) {
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  said += std::string(level == GP_LOG_WARNING ? "warning: " : "info: ") + message + "\n";
}
struct Kernel {
  std::string key, data;
  int capability;
};
static std::string raw(const void *data, size_t bytes) { return std::string(static_cast<const char *>(data), bytes); }
// A file as tools/bundle.py writes it, but for its deflated bytes: blocks of stored ones.
static std::string file_of(std::vector<Kernel> kernels, const char *header = GP__BUNDLE_FILE) {
  std::string lines, body;
  gp__bundle_head head;
  memset(&head, 0, sizeof head);
  memcpy(head.magic, "GPUPRIMB", 8);
  snprintf(head.header, sizeof head.header, "%s", header);
  head.count = kernels.size();
  for (const Kernel &k : kernels) {
    const uint64_t bytes = k.data.size();
    std::string packed = raw(&bytes, 8);
    for (size_t at = 0; at < bytes; at += 65535) {
      const uint16_t length = uint16_t(std::min<size_t>(65535, bytes - at)), other = uint16_t(~length);
      packed += char(at + 65535 >= bytes);
      packed += raw(&length, 2) + raw(&other, 2) + k.data.substr(at, length);
    }
    const gp__cached record = gp__cached_of(k.key.data(), k.key.size(), packed.data(), packed.size());
    gp__bundle_line line;
    memset(&line, 0, sizeof line);
    snprintf(line.key, sizeof line.key, "%s", k.key.c_str());
    line.capability = uint64_t(k.capability);
    line.at = sizeof head + kernels.size() * sizeof line + body.size();
    body += raw(&record, sizeof record) + k.key + packed;
    line.bytes = sizeof record + k.key.size() + packed.size();
    lines += raw(&line, sizeof line);
  }
  head.hash = gp__hash_bytes(lines.data(), lines.size());
  head.bytes = sizeof head + lines.size() + body.size();
  return raw(&head, sizeof head) + lines + body;
}
static void write_file(const std::string &path, const std::string &text, mode_t mode = 0644) {
  const std::string fresh = path + ".new"; // as bundle.py does: open files keep what they have
  FILE *f = fopen(fresh.c_str(), "wb");
  CHECK(f && fwrite(text.data(), 1, text.size(), f) == text.size() && fclose(f) == 0);
  CHECK(chmod(fresh.c_str(), mode) == 0 && rename(fresh.c_str(), path.c_str()) == 0);
}
struct Opened {
  gp_context *on = nullptr;
  explicit Opened(const char *path, int no_compile = 1, int capability = 90) {
    fake::reset();
    fake::machine.capability = capability;
    said.clear();
    gp_config c = config(GP_BACKEND_CUDA);
    c.bundle_file = path;
    c.no_compile = no_compile;
    c.log = note;
    check(gp_open(&c, &on) == GP_SUCCESS, __LINE__, gp_last_message());
  }
  ~Opened() { CHECK(gp_close(on) == GP_SUCCESS && fake::leaks().empty()); }
  gp_result prepare(gp_op op = GP_SUM) {
    gp_call c = gp_call_init(GP_REDUCE);
    c.op = op, c.in_type = GP_F32, c.out_type = GP_F64, c.count = 1000;
    return gp_prepare(on, &c);
  }
  gp_description about() {
    gp_description d = gp_description_init();
    CHECK(gp_describe(on, &d) == GP_SUCCESS);
    return d;
  }
};
// The file is not used: the log and gp_describe say why, once, and kernels are compiled.
static void refused(const std::string &path, const char *why, int line) {
  Opened o(path.c_str(), 0);
  check(o.prepare() == GP_SUCCESS && o.prepare(GP_MAX) == GP_SUCCESS, line, gp_last_message());
  const gp_description d = o.about();
  const std::string expected = path + " is not used: " + why;
  check(std::string(d.bundle) == expected, line, std::string(d.bundle) + " instead of " + expected);
  const size_t at = said.find("warning: the bundle " + expected);
  check(at != std::string::npos && said.find("warning", at + 1) == std::string::npos, line, said);
  check(d.kernels[GP_KERNEL_BUNDLE] == 0 && d.kernels[GP_KERNEL_COMPILED] == 2, line, "kernels by origin");
}

static void test_file() {
  read_text("reduce op=SUM in=f32 out=f64\n");
  std::vector<Kernel> kernels;
  for (size_t i = 0; i < image_count; ++i)
    kernels.push_back(Kernel{images[i].key, raw(images[i].data, images[i].bytes), images[i].architecture});
  char folder[] = P_tmpdir "/gpuprims_bundle_XXXXXX";
  CHECK(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/gpuprims.bundle", whole = file_of(kernels);
  write_file(path, whole);
  for (int capability : {75, 80, 86, 90}) { // machine code of 8.0 runs on 8.6
    Opened o(path.c_str(), 1, capability);
    CHECK(!*o.about().bundle && o.prepare() == GP_SUCCESS && o.prepare() == GP_SUCCESS);
    CHECK(std::string(o.about().bundle) == path && o.about().kernels[GP_KERNEL_BUNDLE] == 1);
    gp_kernel_source source;
    gp_call c = gp_call_init(GP_REDUCE);
    c.op = GP_SUM, c.in_type = GP_F32, c.out_type = GP_F64, c.count = 1000;
    CHECK(gp_kernel_origin(o.on, &c, &source, nullptr, 0) == GP_SUCCESS && source == GP_KERNEL_BUNDLE);
    CHECK(o.prepare(GP_MAX) == GP_E_NO_COMPILER); // another kernel than those of the file
    CHECK(said.find("is not in " + path) != std::string::npos && said.find("warning") == std::string::npos);
    CHECK(fake::counts.calls["nvrtcVersion"] == 0);
  }
  for (int capability : {100, 120}) {
    Opened o(path.c_str(), 1, capability);
    CHECK(o.prepare() == GP_E_NO_COMPILER);
  }
  {
    Opened o(path.c_str(), 0);
    CHECK(o.prepare() == GP_SUCCESS && o.prepare(GP_MAX) == GP_SUCCESS);
    const gp_description d = o.about();
    CHECK(d.kernels[GP_KERNEL_BUNDLE] == 1 && d.kernels[GP_KERNEL_COMPILED] == 1 && d.kernels[GP_KERNEL_DISK] == 0);
  }

  // A file that is wrong is named and not used.
  const size_t list_at = sizeof(gp__bundle_head), body_at = list_at + kernels.size() * sizeof(gp__bundle_line);
  std::string bad = whole;
  for (size_t bytes : {whole.size() - 1, whole.size() / 2, body_at, body_at - 1, list_at})
    write_file(path, whole.substr(0, bytes)), refused(path, "it is truncated", __LINE__);
  for (size_t bytes : {list_at - 1, size_t(5), size_t(0)})
    write_file(path, whole.substr(0, bytes)), refused(path, "it is no bundle of gpuprims", __LINE__);
  write_file(path, whole + "x"), refused(path, "it is truncated", __LINE__);
  write_file(path, "\177ELF" + whole), refused(path, "it is no bundle of gpuprims", __LINE__);
  for (const char *header :
      {"keys of parts 1, gpuprims " GPUPRIMS_VERSION, GP__BUNDLE ", gpuprims 0.1.9", GP__BUNDLE_FILE "1", ""}) {
    write_file(path, file_of(kernels, header));
    refused(path, "it is not of this version of gpuprims.h: make it again", __LINE__);
  }
  for (size_t at = list_at; at < body_at; at += 37) {
    bad = whole, bad[at] = char(bad[at] ^ 4);
    write_file(path, bad), refused(path, "its list of kernels is damaged", __LINE__);
  }
  bad = whole, bad[offsetof(gp__bundle_head, count) + 7] = 127; // a count that overflows
  write_file(path, bad), refused(path, "it is truncated", __LINE__);
  bad = whole;
  for (size_t i = 0; i < kernels.size(); ++i) {
    gp__bundle_line line;
    memcpy(&line, &bad[list_at + i * sizeof line], sizeof line);
    bad[line.at + line.bytes - 1] = char(bad[line.at + line.bytes - 1] ^ 1);
  }
  write_file(path, bad), refused(path, "its hash does not match", __LINE__);
  for (size_t i = 0; i < 8; ++i) { // a record whose hash is right, but not its deflated bytes
    std::vector<Kernel> wrong = kernels;
    std::string changed = file_of(wrong);
    for (size_t k = 0, at = body_at; k < wrong.size(); ++k) {
      gp__bundle_line line;
      memcpy(&line, &changed[list_at + k * sizeof line], sizeof line);
      at = line.at + sizeof(gp__cached) + wrong[k].key.size();
      changed[at + i] = char(changed[at + i] ^ 64); // of the image's bytes
      const size_t packed = line.at + line.bytes - at;
      const gp__cached record = gp__cached_of(wrong[k].key.data(), wrong[k].key.size(), &changed[at], packed);
      memcpy(&changed[line.at], &record, sizeof record);
    }
    write_file(path, changed), refused(path, "a kernel in it is damaged", __LINE__);
  }
  std::vector<Kernel> swapped = kernels; // records of other keys
  std::string text = file_of(swapped);
  for (Kernel &k : swapped) k.key[0] = k.key[0] == 'a' ? 'b' : 'a';
  text.replace(body_at, std::string::npos, file_of(swapped), body_at, std::string::npos);
  write_file(path, text), refused(path, "a kernel in it is damaged", __LINE__);
  write_file(path, whole, 0666), refused(path, "every user can write to it", __LINE__);
  unlink(path.c_str());
  refused(path, "No such file or directory", __LINE__);
  refused(folder, "it is no bundle of gpuprims", __LINE__);

  // Two versions: a context keeps the file that it has opened; the next one gets the new file.
  write_file(path, whole);
  {
    Opened o(path.c_str());
    CHECK(o.prepare() == GP_SUCCESS);
    const std::string key = kernels[0].key;
    write_file(path, file_of(kernels, GP__BUNDLE ", gpuprims 99.0.0"));
    gp_call c = gp_call_init(GP_REDUCE);
    c.op = GP_SUM, c.in_type = GP_F32, c.out_type = GP_F64, c.count = 1 << 26;
    CHECK(gp_prepare(o.on, &c) == GP_SUCCESS && std::string(o.about().bundle) == path);
  }
  refused(path, "it is not of this version of gpuprims.h: make it again", __LINE__);

  // The library looks in the config, then the environment, then beside the library, where it may be missing.
  write_file(path, whole);
  CHECK(setenv("GPUPRIMS_BUNDLE", path.c_str(), 1) == 0);
  {
    Opened o(nullptr);
    CHECK(o.prepare() == GP_SUCCESS && std::string(o.about().bundle) == path);
  }
  {
    Opened o("");
    CHECK(o.prepare() == GP_E_NO_COMPILER && !*o.about().bundle);
  }
  CHECK(setenv("GPUPRIMS_BUNDLE", "gpuprims.bundle", 1) == 0);
  {
    Opened o(nullptr);
    CHECK(o.prepare() == GP_E_NO_COMPILER);
    CHECK(std::string(o.about().bundle) == "gpuprims.bundle is not used: its path is not absolute");
  }
  CHECK(setenv("GPUPRIMS_BUNDLE", "", 1) == 0);
  {
    Opened o(nullptr);
    CHECK(o.prepare() == GP_E_NO_COMPILER && !*o.about().bundle);
  }
  CHECK(unsetenv("GPUPRIMS_BUNDLE") == 0);
  char own[4096];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  const std::string program(own, length > 0 ? size_t(length) : 0), invoked = gp__path_of(&gp__device);
  const std::string beside = program.substr(0, program.rfind('/')) + "/gpuprims.bundle";
  unlink(beside.c_str());
  {
    Opened o(nullptr);
    CHECK(o.prepare() == GP_E_NO_COMPILER && !*o.about().bundle && said.find("bundle") == std::string::npos);
  }
  write_file(beside, whole);
  {
    Opened o(nullptr);
    CHECK(o.prepare() == (invoked[0] == '/' ? GP_SUCCESS : GP_E_NO_COMPILER)); // never from the working folder
  }
  unlink(beside.c_str());
  gp_config c = config(GP_BACKEND_CUDA);
  gp_context *none = nullptr;
  c.bundle_file = "gpuprims.bundle";
  CHECK(gp_open(&c, &none) == GP_E_ARGUMENT &&
      !strcmp(gp_last_message(), "gp_open: gp_config.bundle_file is \"gpuprims.bundle\", not an absolute path"));

  // A folder that nobody can write to, and threads that open the file at once.
  CHECK(chmod(path.c_str(), 0444) == 0 && chmod(folder, 0555) == 0);
  for (int round = 0; round < 8; ++round) {
    Opened o(path.c_str());
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&, i] {
        gp_call call = gp_call_init(GP_REDUCE);
        call.op = GP_SUM, call.in_type = GP_F32, call.out_type = GP_F64, call.count = i % 2 ? 1000 : 1 << 26;
        gp_description d = gp_description_init();
        good += gp_prepare(o.on, &call) == GP_SUCCESS && gp_describe(o.on, &d) == GP_SUCCESS && d.bundle == path;
      });
    for (std::thread &t : threads) t.join();
    CHECK(good == 8 && said.find("warning") == std::string::npos);
    const size_t first = said.find("info: the bundle ");
    CHECK(first != std::string::npos && said.find("info: the bundle ", first + 1) == std::string::npos); // opened once
  }
  CHECK(chmod(folder, 0755) == 0 && unlink(path.c_str()) == 0 && rmdir(folder) == 0);
}

// --images finds the kernels of a list on devices, each once: all that calls ask for there.
static void test_images() {
  gp_config c = config(GP_BACKEND_HOST);
  int architectures[] = {80, 90};
  seeking = 1;
  line_number = 0, list_name = "list", list = tmpfile();
  fputs("reduce op=SUM in=f32,i32 aligned\nsort key=u32 in=key,u64 aligned\ntop_k key=f32 k=100 out=u32 aligned\n"
        "segmented_reduce op=MAX in=i32 offset=u32 mean=20 aligned\n",
      list);
  rewind(list);
  CHECK(gp_open(&c, &ctx) == GP_SUCCESS);
  read_list(architectures, 2);
  fclose(list);
  CHECK(kernel_count > 20);
  std::vector<Kernel> kernels;
  for (size_t i = 0; i < kernel_count; ++i) {
    gp__image image;
    CHECK(find_image(&::kernels[i], &image));
    kernels.push_back(Kernel{::kernels[i].program.key, raw(image.data, image.bytes), ::kernels[i].capability});
    free(image.owned);
    for (size_t j = 0; j < i; ++j)
      if (kernels[i].key == kernels[j].key && kernels[i].capability == kernels[j].capability) CHECK(!"twice");
    gp__free_program(&::kernels[i].program);
  }
  CHECK(gp_close(ctx) == GP_SUCCESS);
  kernel_count = 0, seeking = 0;
  char folder[] = P_tmpdir "/gpuprims_bundle_XXXXXX";
  CHECK(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/gpuprims.bundle";
  write_file(path, file_of(kernels));
  for (const auto &device : devices) {
    if (device.compute_capability != 80 && device.compute_capability != 90) continue;
    Opened closed(path.c_str(), 1, device.compute_capability);
    fake::machine.multiprocessors = device.multiprocessors;
    fake::machine.shared_bytes = gp__shared_bytes_of(device.compute_capability);
    fake::machine.name = device.name;
    gp_config k = config(GP_BACKEND_CUDA);
    k.bundle_file = path.c_str(), k.no_compile = 1;
    gp_context *on = nullptr;
    CHECK(gp_open(&k, &on) == GP_SUCCESS);
    for (uint64_t n = 1; n < uint64_t(1) << 31; n += n / 5 + 1)
      for (int which = 0; which < 6; ++which) {
        gp_call call = gp_call_init(which < 2 ? GP_REDUCE
                : which < 4 ? GP_SORT
                : which < 5 ? GP_TOP_K
                : GP_SEGMENTED_REDUCE);
        call.count = n;
        if (which < 2) call.op = GP_SUM, call.in_type = which ? GP_F32 : GP_I32;
        else if (which < 4) call.key_type = GP_U32, call.in_type = which == 2 ? GP_U32 : GP_U64;
        else if (which < 5)
          call.key_type = GP_F32, call.rows = 1, call.k = std::min<uint64_t>(n, 100), call.out_type = GP_U32;
        else call.op = GP_MAX, call.in_type = GP_I32, call.offset_type = GP_U32, call.segments = n / 20 + 1;
        const gp_result r = gp_prepare(on, &call);
        check(r == GP_SUCCESS, __LINE__,
            std::string(gp__primitive_names[call.primitive]) + " of " + std::to_string(n) + " on " + device.name +
                ": " + gp_last_message());
      }
    CHECK(gp_close(on) == GP_SUCCESS);
  }
  CHECK(unlink(path.c_str()) == 0 && rmdir(folder) == 0);
}

int main() {
  test_list();
  test_promise();
  test_header();
  test_file();
  test_images();
  free(kernels);
  free(seen);
  for (size_t i = 0; i < image_count; ++i) free(images[i].key), free(images[i].data);
  free(images);
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
