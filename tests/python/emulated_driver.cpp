// emulated_driver.cpp - the tests' driver (tests/unit/fake_driver.h) as a library: a gp_driver for gp_config.driver.
// With emulated_run(1) kernels are compiled for the emulator and run, on memory of the host.
#include "simt.h"
#define GPUPRIMS_SIMT
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "../unit/fake_driver.h"

#include "../unit/emulated_compiler.h"

static unsigned long long last_stream;
static gp_driver driver;

static int launch(const gp__cu_launch *how, void *function, void **arguments, void **extra) {
  last_stream = reinterpret_cast<unsigned long long>(how->stream);
  return fake::cuLaunchKernelEx(how, function, arguments, extra);
}

extern "C" {
const gp_driver *emulated_table() {
  driver = *fake::table();
  driver.cuLaunchKernelEx = launch;
  return &driver;
}
void emulated_run(int run) {
  fake::compiler = run ? emulated::compile : decltype(fake::compiler)();
  fake::machine.run = run;
}
void emulated_devices(int devices) { fake::machine.devices = devices; }
void emulated_nvrtc(int there) { fake::machine.nvrtc = there; }
void emulated_fail(const char *text) { fake::machine.compile_error = text; }
// The driver's n-th call from now fails; 0: none.
void emulated_fail_at(unsigned long n) { fake::fail_at = n ? fake::counts.total + n : 0; }
unsigned emulated_launches() { return fake::counts.launches; }
unsigned emulated_allocations() { return unsigned(fake::memory.size()); }
unsigned long long emulated_last_stream() { return last_stream; }
void *emulated_stream() { return fake::make_stream(); }
void emulated_destroy(void *stream) { fake::destroy_stream(static_cast<fake::Stream *>(stream)); }
// Memory of the host that the driver knows as another kind than the device's: 1 is host memory.
void emulated_place(const void *begin, size_t bytes, int kind) { fake::places[begin] = {bytes, kind}; }
}
