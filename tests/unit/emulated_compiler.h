// emulated_compiler.h - replaces NVRTC: compiles the library's real programs for the emulator (C++17, tests only).
//
// Include it after fake_driver.h; fake::compiler = emulated::compile. clang++, or g++ without it, compiles the programs
// against a precompiled header, in a third of a second a kernel. dlopen opens them, so the test must export the
// emulator's functions (-rdynamic). Run it from the root of the repository.
#ifndef EMULATED_COMPILER_H
#define EMULATED_COMPILER_H

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace emulated {

struct Arguments { // a kernel's argument: one struct of at most this size, as for the driver
  alignas(64) unsigned char bytes[4096];
};

// This process's folder with the precompiled header; removed at exit.
class Folder {
public:
  Folder() {
    char name[] = P_tmpdir "/gpuprims-emulated-XXXXXX";
    if (!mkdtemp(name)) std::abort();
    path = name;
    clang = !std::getenv("EMULATED_GXX") && !run("command -v clang++ > /dev/null");
    std::ofstream(path + "/emulated.h") << "#include \"simt.h\"\n#define GPUPRIMS_SIMT\n#include \"gpuprims.h\"\n";
    flags = (clang ? "clang++" : "g++");
    flags += " -std=c++17 -O0 -fPIC -w -I" + path + " -I. -Itests/simt";
    // A misaligned access, which stops a GPU, ends the program.
    flags += clang ? " -fsanitize=alignment -fsanitize-trap=alignment"
        : " -fsanitize=alignment -fsanitize-undefined-trap-on-error";
#if defined(__SANITIZE_ADDRESS__)
    flags += " -fsanitize=address -fno-omit-frame-pointer";
#elif defined(__SANITIZE_THREAD__) // as in tests/run.py
    flags += " -g1 -fsanitize=thread";
    flags += clang ? " -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-instrument-atomics=0"
                     " -mllvm -tsan-instrument-read-before-write=1"
                   : " --param tsan-instrument-func-entry-exit=0";
    for (const char *name : {"memcpy", "memmove", "memset"})
      if (clang) renames += std::string(" --redefine-sym=") + name + "=__tsan_" + name;
#endif
    const std::string made = path + (clang ? "/emulated.pch" : "/emulated.h.gch");
    if (run(flags + " -x c++-header " + path + "/emulated.h -o " + made)) std::abort();
    if (clang) flags += " -include-pch " + made;
    else flags += " -include emulated.h";
  }
  ~Folder() {
    if (owner == getpid()) run("rm -r " + path);
  }
  static int run(const std::string &command) { return std::system(command.c_str()); }
  std::string path, flags;
  std::string renames; // functions whose accesses the emulator watches
  bool clang;
  pid_t owner = getpid(); // shared with children
};

inline Folder &folder() {
  static Folder f;
  return f;
}

inline fake::Run compile(const std::string &program, std::string &log) {
  const std::string stem = folder().path + "/" + std::to_string(std::hash<std::string>()(program)), made = stem + ".so";
  if (access(made.c_str(), R_OK)) {
    std::ofstream(stem + ".cpp")
        << "#define __grid_constant__\n"
        << program
        << "\ntemplate <class A> static void call(void (*f)(A), void *a) { f(*static_cast<A *>(a)); }\n"
           "template <class A> static unsigned long bytes_of(void (*)(A)) { return sizeof(A); }\n"
           "extern \"C\" void emulated_entry(void *a) { call(gp__entry, a); }\n"
           "extern \"C\" unsigned long emulated_bytes() { return bytes_of(gp__entry); }\n";
    const std::string plain = folder().flags.substr(0, folder().flags.find(' ')) + " -shared " + stem + ".o -o " + made;
    std::string command = folder().flags + " -c " + stem + ".cpp -o " + stem + ".o";
    if (!folder().renames.empty()) command += " && objcopy" + folder().renames + " " + stem + ".o";
    if (Folder::run("(" + command + " && " + plain + ") 2> " + stem + ".log")) {
      std::ifstream file(stem + ".log");
      log.assign(std::istreambuf_iterator<char>(file), {});
      return {};
    }
  }
  void *library = dlopen(made.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    log = dlerror();
    return {};
  }
  const auto entry = reinterpret_cast<void (*)(void *)>(dlsym(library, "emulated_entry"));
  const auto bytes = reinterpret_cast<unsigned long (*)()>(dlsym(library, "emulated_bytes"));
  const size_t at = program.rfind("{ ");
  const std::string name = program.substr(at + 2, program.rfind("(a); }") - at - 2);
  return [=](dim3 grid, dim3 block, unsigned shared_bytes, void *arguments) {
    Arguments a;
    memcpy(a.bytes, arguments, bytes());
    return int(simt::launch_kernel(
        name.c_str(), grid, block, shared_bytes, [=] { entry(const_cast<unsigned char *>(a.bytes)); }));
  };
}

} // namespace emulated
#endif // EMULATED_COMPILER_H
