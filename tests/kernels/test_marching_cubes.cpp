// examples/tuner/marching_cubes under the emulator: the unchanged program and its kernels on adversarial schedules. Its
// own checks must agree: the triangles are the host's, the mesh is closed, and its Euler characteristic is that of the
// solid. Random fields have every case. Faulty meshes must be refused. The library's calls are plain loops here. Usage:
// test_marching_cubes [seeds]
#include <cstddef>
#include <cstdint>

typedef struct gp_context gp_context;
#include "own_kernels_emulated.h"

#include "examples/tuner/marching_cubes.cuh"

#define TUNER_WITHOUT_IMPLEMENTATION
#define main program_main
#include "examples/tuner/marching_cubes.c"
#undef main

static const emulated_kernel *emulated_kernel_of(const char *, const char *name) {
  static const emulated_kernel kernels[] = {EMULATED(mc_counts), EMULATED(mc_words), EMULATED(mc_generate_all),
      EMULATED(mc_generate_active), EMULATED(mc_compare)};
  for (const emulated_kernel &kernel : kernels)
    if (!std::strcmp(kernel.name, name)) return &kernel;
  return nullptr;
}

// ---- the library's calls

#include "own_calls_emulated.h"
static gp_host_fn operators[2];
gp_result gp_op_define(gp_context *, const gp_op_desc *desc, gp_op *op) {
  static int count;
  operators[count % 2] = desc->host;
  *op = gp_op(1000 + count++ % 2);
  return GP_SUCCESS;
}
gp_result gp_select_if(gp_context *, gp_op predicate, gp_type, const void *, const void *in, uint64_t count, void *out,
    uint64_t *out_count, gp_stream) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i < count; ++i) {
    unsigned char stays;
    operators[predicate - 1000](nullptr, &stays, static_cast<const uint32_t *>(in) + i, nullptr);
    if (stays) simt::host_write(static_cast<uint32_t *>(out) + kept++, static_cast<const uint32_t *>(in) + i, 4);
  }
  simt::host_write(out_count, &kept, sizeof kept);
  return GP_SUCCESS;
}
gp_result gp_exclusive_scan(
    gp_context *, gp_op, gp_type, gp_type, const void *, const void *in, uint64_t count, void *out, gp_stream) {
  uint32_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    simt::host_write(static_cast<uint32_t *>(out) + i, &sum, 4);
    sum += static_cast<const unsigned char *>(in)[i];
  }
  return GP_SUCCESS;
}
gp_result gp_run(gp_context *, const gp_call *call, gp_stream) {
  uint32_t sum = 0;
  for (uint64_t i = 0; i < *call->count_device; ++i) {
    uint32_t value;
    operators[call->transform - 1000](nullptr, &value, static_cast<const uint32_t *>(call->in) + i, nullptr);
    simt::host_write(static_cast<uint32_t *>(call->out) + i, &sum, 4);
    sum += value;
  }
  return GP_SUCCESS;
}

// ---- the test

static int passed, failed;

static void expect(bool good, const char *what, const char *more = "") {
  if (good) ++passed;
  else if (++failed < 20) std::printf("FAILED: %s %s\n", what, more);
#ifdef TEST_MUTANT // which is caught
  if (failed) std::exit(1);
#endif
}

// Runs configurations of one volume.
static void run(marching_cubes *s, uint64_t size) {
  static own_gpu gpu;
  const int launches = emulated_launches;
  tuner_program p = cubes_program(s);
  own_open(&gpu, nullptr);
  p.gpu = &gpu;
  p.folder = p.header = "";
  p.size = size;
  p.open(&p);
  for (int threads : {32, 96, 160})
    for (s->compaction = 0; s->compaction < 2; ++s->compaction) {
      int wrong;
      s->classify_threads = threads;
      s->generate_threads = 192 - threads;
      const char *why = tuner_checked(&p, &wrong);
      expect(!why && simt::error().empty(), s->file ? "volume" : s->form->name, why ? why : simt::error().c_str());
      simt::clear_error();
    }
  expect(!check_cubes_more(&p), "the device's mesh");
  if (s->expected.triangles > 9) { // an output that differs in some places, and too little room for the triangles
    const uint64_t all = s->expected.triangles;
    const corner nothing = {0, 0, 0, 0};
    for (uint64_t i : {0, 5, 29}) simt::host_write(static_cast<corner *>(s->d_out) + i, &nothing, sizeof nothing);
    expect(check_cubes(&p) != nullptr && simt::error().empty(), "wrong triangles pass");
    simt::device_free(s->d_out);
    s->expected.triangles = all / 2;
    s->d_out = tuner_new(&p, 3 * (all / 2) * sizeof(corner));
    for (s->compaction = 0; s->compaction < 2; ++s->compaction)
      expect(!run_cubes(&p) && simt::error().empty(), "too little room");
    s->expected.triangles = all;
  }
  p.close(&p);
  expect(emulated_launches > launches && !simt::live_allocations() && simt::error().empty(), "memory");
}

// A mesh with a fault is refused.
static void refuse_faults() {
  volume v;
  unsigned char table[CASES * ROW_BYTES];
  mesh_facts facts;
  make_field(&v, find_shape("torus"), 18);
  make_table(table);
  for (int fault = 0; fault < 7; ++fault) {
    mesh m = make_mesh(&v, table);
    const long known = v.known;
    corner *c = m.corners + 33;
    if (fault == 1) m.triangles -= 1; // a hole
    if (fault == 2) std::swap(c[0], c[1]); // a triangle that faces inwards
    if (fault == 3) c[0] = c[1]; // a corner twice
    if (fault == 4) c->x += 1, c->y += 1, c->z += 1; // a vertex off its edge
    if (fault == 5) v.known = 2; // another shape
    if (fault == 6) // inside out
      for (uint64_t i = 0; i < m.triangles; ++i) std::swap(m.corners[3 * i], m.corners[3 * i + 1]);
    const char *why = check_mesh(&v, &m, &facts);
    expect(fault ? why != nullptr : why == nullptr, "a fault of a mesh", why ? why : "is not seen");
    v.known = known;
    std::free(m.corners);
  }
  // The table of 1987: cases of more than four inner corners are the others inside out, so that two cells may draw
  // different lines on the ambiguous face between them.
  for (int which = 0; which < CASES; ++which) {
    unsigned char *row = table + ROW_BYTES * which;
    if (__builtin_popcount(unsigned(which)) <= 4) continue;
    std::memcpy(row, table + ROW_BYTES * (255 - which), ROW_BYTES);
    for (int k = 0; k < row[ROW_COUNT]; ++k) std::swap(row[3 * k], row[3 * k + 1]);
  }
  std::free(v.field);
  make_field(&v, find_shape("noise"), 12);
  mesh m = make_mesh(&v, table);
  expect(check_mesh(&v, &m, &facts) != nullptr, "a fault of the table");
  std::free(m.corners);
  std::free(v.field);
}

// Every case has the corners of its crossed edges, each in one loop, and fits its row.
static void check_table() {
  unsigned char table[CASES * ROW_BYTES];
  int most = 0;
  make_table(table);
  for (int which = 0; which < CASES; ++which) {
    const unsigned char *row = table + ROW_BYTES * which;
    unsigned used = 0, crossed = 0;
    for (int k = 0; k < 3 * row[ROW_COUNT]; ++k) used |= 1u << row[k];
    for (int a = 0; a < 8; ++a)
      for (int axis = 0; axis < 3; ++axis)
        if (!(a >> axis & 1) && (which >> a & 1) != (which >> (a | 1 << axis) & 1)) crossed |= 1u << (8 * axis + a);
    expect(used == crossed, "corners of a case");
    if (row[ROW_COUNT] > most) most = row[ROW_COUNT];
  }
  expect(most == 5, "most triangles of a case");
}

int main(int argc, char **argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 1;
  check_table();
  refuse_faults();
  for (int seed = 1; seed <= seeds; ++seed)
    for (const shape &form : shapes)
      for (uint64_t size : {3, 4, 9, 17}) {
        marching_cubes s = marching_cubes();
        s.form = &form;
        simt::set_random_schedule(uint64_t(100 * seed) + size);
        run(&s, size + uint64_t(seed) / 2);
      }
  // A volume from a file, of three different sides, whose surface reaches its border.
  static char name[] = "marching_cubes", option[] = "--volume", path[] = "build/test_marching_cubes.raw",
              sides[] = "--dimensions", dimensions[] = "5,7,4", check[] = "--check", write[] = "--write",
              ply[] = "build/test_marching_cubes.ply", other[] = "5,7,5";
  FILE *file = std::fopen(path, "wb");
  for (int i = 0; i < 5 * 7 * 4; ++i) std::fputc(int(tuner_mix(uint64_t(i)) & 255), file);
  std::fclose(file);
  char *arguments[] = {name, option, path, sides, dimensions, check, write, ply, nullptr};
  expect(!program_main(8, arguments) && simt::error().empty() && !simt::live_allocations(), "the program");
  file = std::fopen(ply, "rb");
  char text[200] = "";
  expect(file && std::fread(text, 1, 199, file) > 100 && !std::strncmp(text, "ply\nformat binary_little", 24), "PLY");
  if (file) std::fclose(file);
  char *wrong[] = {name, option, path, nullptr}, *shapeless[] = {name, sides, other, nullptr};
  expect(program_main(3, wrong) == 2 && program_main(3, shapeless) == 2, "wrong options");
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
