// gp_cubin.h - reads a kernel's resources from its machine code (a cubin), and finds how many blocks fit a
// multiprocessor. Needs no GPU and no toolkit.
//
// A cubin is an ELF64 file. Section .text.NAME holds a kernel's machine code, .nv.shared.NAME its static shared memory,
// and .nv.info the attributes (EIATTR_...) of each function: a byte of form, a byte of code, two bytes of value or of
// size. The codes are undocumented; tests/farm/test_space.py compares the results with ptxas and cuobjdump.
//
// Include gpuprims.h with GPUPRIMS_IMPLEMENTATION before.
#ifndef GP_CUBIN_H
#define GP_CUBIN_H

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct gp_cubin {
  int compute_capability; // 90 for 9.0
  int registers; // of a thread
  int local_bytes; // a thread's stack frames; spills are there
  int shared_bytes; // static, a block, without what the system reserves
  int barriers; // of a block
  size_t code_bytes; // of machine code
  char code[17]; // hash of machine code and constants, not of names, debug information, initialised variables
} gp_cubin;

enum {
  GP_CUBIN_MACHINE = 190, // EM_CUDA
  GP_CUBIN_REGISTERS = 0x2f,
  GP_CUBIN_FRAME = 0x11, // the function alone
  GP_CUBIN_STACK = 0x12, // with all that it calls
  GP_CUBIN_BARRIERS = 0x4c, // in .nv.info.NAME; otherwise in the flags of .text.NAME
  GP_CUBIN_RESERVED = 1024, // bytes of a block's shared memory that the system reserves since 8.0
  GP_CUBIN_RESERVED_IN = 90, // since then .nv.shared.NAME begins with them
};

// An open file: every access is checked against these bounds.
typedef struct gp_cubin_file {
  const unsigned char *data;
  size_t bytes;
  Elf64_Ehdr head;
  Elf64_Shdr names; // the section of the sections' names
} gp_cubin_file;

static inline int gp_cubin_inside(const gp_cubin_file *f, uint64_t offset, uint64_t size) {
  return offset <= f->bytes && size <= f->bytes - offset;
}

// Section `index` and its name. NULL, or what is wrong with it.
static inline const char *gp_cubin_section(const gp_cubin_file *f, int index, Elf64_Shdr *s, const char **name) {
  const char *names = (const char *)f->data + f->names.sh_offset;
  memcpy(s, f->data + f->head.e_shoff + (size_t)index * sizeof *s, sizeof *s);
  if (s->sh_type != SHT_NOBITS && !gp_cubin_inside(f, s->sh_offset, s->sh_size))
    return "a section reaches past its end";
  if (s->sh_name >= f->names.sh_size || !memchr(names + s->sh_name, 0, f->names.sh_size - s->sh_name))
    return "the name of a section reaches past its end";
  *name = names + s->sh_name;
  return NULL;
}

static inline const char *gp_cubin_open(gp_cubin_file *f, const void *image, size_t bytes) {
  f->data = (const unsigned char *)image;
  f->bytes = bytes;
  if (bytes < sizeof f->head) return "it is too short";
  memcpy(&f->head, image, sizeof f->head);
  if (memcmp(f->head.e_ident, ELFMAG, SELFMAG) || f->head.e_ident[EI_CLASS] != ELFCLASS64 ||
      f->head.e_ident[EI_DATA] != ELFDATA2LSB)
    return "it is not a 64-bit ELF file";
  if (f->head.e_machine != GP_CUBIN_MACHINE) return "its machine is not CUDA";
  if (f->head.e_shentsize != sizeof f->names || f->head.e_shstrndx >= f->head.e_shnum ||
      !gp_cubin_inside(f, f->head.e_shoff, (uint64_t)f->head.e_shnum * sizeof f->names))
    return "its table of sections reaches past its end";
  memcpy(&f->names, f->data + f->head.e_shoff + f->head.e_shstrndx * sizeof f->names, sizeof f->names);
  if (f->names.sh_type == SHT_NOBITS || !gp_cubin_inside(f, f->names.sh_offset, f->names.sh_size))
    return "its names reach past its end";
  return NULL;
}

// Reads the attributes of function `symbol` (those without one belong to it too).
static inline const char *gp_cubin_attributes(
    const gp_cubin_file *f, const Elf64_Shdr *s, unsigned symbol, gp_cubin *c) {
  enum { BYTE_FORM = 2, SIZED_FORM = 4 };
  const unsigned char *at = f->data + s->sh_offset, *end = at + s->sh_size;
  while (end - at >= 4) {
    const int form = at[0], code = at[1], size = form == SIZED_FORM ? at[2] | at[3] << 8 : 0;
    unsigned value[2];
    if (form < 1 || form > SIZED_FORM) return "an attribute has an unknown form";
    if (form == BYTE_FORM && code == GP_CUBIN_BARRIERS) c->barriers = at[2];
    at += 4;
    if (size > end - at) return "an attribute reaches past its end";
    if (size == sizeof value) {
      memcpy(value, at, sizeof value);
      if (value[0] == symbol && value[1] <= INT_MAX) {
        const int number = (int)value[1];
        if (code == GP_CUBIN_REGISTERS) c->registers = number;
        else if ((code == GP_CUBIN_FRAME || code == GP_CUBIN_STACK) && number > c->local_bytes) c->local_bytes = number;
      }
    }
    at += size;
  }
  return NULL;
}

// Reads the resources of `kernel` in the image. NULL, or why it cannot.
static inline __attribute__((unused)) const char *gp_cubin_read(
    const void *image, size_t bytes, const char *kernel, gp_cubin *c) {
  static const char TEXT[] = ".text.", SHARED[] = ".nv.shared.", INFO[] = ".nv.info", CONSTANT[] = ".nv.constant";
  gp_cubin_file f;
  gp__sha hash;
  unsigned char digest[32];
  unsigned symbol = 0;
  int pass, i, found = 0;
  const char *why = gp_cubin_open(&f, image, bytes);
  memset(c, 0, sizeof *c);
  if (why) return why;
  // Version 8 of the format moved the compute capability up a byte.
  c->compute_capability = (int)(f.head.e_ident[EI_ABIVERSION] >= 8 ? f.head.e_flags >> 8 : f.head.e_flags) & 0xff;
  c->registers = -1;
  gp__sha_begin(&hash);
  for (pass = 0; pass < 2; pass++) // the machine code's section names the function of the attributes
    for (i = 0; i < f.head.e_shnum; i++) {
      Elf64_Shdr s;
      const char *name;
      why = gp_cubin_section(&f, i, &s, &name);
      if (why) return why;
      if (pass) {
        if (!strncmp(name, INFO, sizeof INFO - 1) && s.sh_type != SHT_NOBITS &&
            (!name[sizeof INFO - 1] || (name[sizeof INFO - 1] == '.' && !strcmp(name + sizeof INFO, kernel))))
          why = gp_cubin_attributes(&f, &s, symbol, c);
        if (why) return why;
      } else if (!strncmp(name, TEXT, sizeof TEXT - 1) && s.sh_type != SHT_NOBITS) {
        gp__sha_add(&hash, f.data + s.sh_offset, (size_t)s.sh_size);
        c->code_bytes += (size_t)s.sh_size;
        if (!strcmp(name + sizeof TEXT - 1, kernel)) {
          found = 1;
          symbol = s.sh_info & 0xffffff;
          c->barriers = (int)(s.sh_flags >> 20 & 0x7f);
        }
      } else if (!strncmp(name, CONSTANT, sizeof CONSTANT - 1) && !strchr("04", name[sizeof CONSTANT - 1]) &&
          s.sh_type != SHT_NOBITS) { // bank 0: arguments; bank 4: zeros, room for addresses of variables
        gp__sha_add(&hash, f.data + s.sh_offset, (size_t)s.sh_size);
      } else if (!strncmp(name, SHARED, sizeof SHARED - 1) && !strcmp(name + sizeof SHARED - 1, kernel)) {
        if (s.sh_size > INT_MAX) return "its shared memory has no sensible size";
        c->shared_bytes = (int)s.sh_size;
        if (c->compute_capability >= GP_CUBIN_RESERVED_IN) c->shared_bytes -= GP_CUBIN_RESERVED;
        if (c->shared_bytes < 0) return "its shared memory has no sensible size";
      }
    }
  if (!found) return "the kernel is not in it";
  if (c->registers < 0 || c->registers > 255) return "it lacks the number of registers of the kernel";
  gp__sha_end(&hash, digest);
  for (i = 0; i < 8; i++) snprintf(c->code + 2 * i, 3, "%02x", digest[i]);
  return NULL;
}

// ---- occupancy ------------------------------------------------------------------------------------------------------

// A multiprocessor, from the CUDA programming guide's table "Technical Specifications per Compute Capability"; barriers
// and 8.8 are from the toolkit's cuda_occupancy.h, which counts barriers from 9.0 on. All have 64 Ki registers in four
// parts. An unlisted capability takes the row of the newest one before it.
typedef struct gp_multiprocessor {
  int compute_capability, threads, blocks, shared_kib, barriers;
} gp_multiprocessor;
static const gp_multiprocessor GP_MULTIPROCESSORS[] = {
    {75, 1024, 16, 64, 0},
    {80, 2048, 32, 164, 0},
    {86, 1536, 16, 100, 0},
    {87, 1536, 16, 164, 0},
    {88, 1536, 16, 100, 0},
    {89, 1536, 24, 100, 0},
    {90, 2048, 32, 228, 64},
    {100, 2048, 32, 228, 64},
    {101, 1536, 24, 228, 24},
    {103, 2048, 32, 228, 64},
    {110, 1536, 24, 228, 24},
    {120, 1536, 24, 100, 24},
};

// Blocks that fit a multiprocessor, by NVIDIA's occupancy rules (cuda_occupancy.h). 0: none fits.
static inline __attribute__((unused)) int gp_cubin_occupancy(const gp_cubin *c, int threads, int dynamic_shared_bytes) {
  enum { REGISTERS = 65536, PARTS = 4, REGISTER_UNIT = 256, WARP = 32, MOST_THREADS = 1024 };
  const gp_multiprocessor *m = GP_MULTIPROCESSORS, *last = m + sizeof GP_MULTIPROCESSORS / sizeof *m - 1;
  const int warps = (threads + WARP - 1) / WARP;
  const int warp_registers = (c->registers * WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  const int shared_unit = c->compute_capability >= 80 ? 128 : 256;
  const int64_t asked =
      (int64_t)c->shared_bytes + dynamic_shared_bytes + (c->compute_capability >= 80 ? GP_CUBIN_RESERVED : 0);
  const int64_t shared = (asked + shared_unit - 1) / shared_unit * shared_unit;
  int limits[5], blocks, i;
  while (m < last && m[1].compute_capability <= c->compute_capability) m++;
  if (threads < 1 || threads > MOST_THREADS || (warps + PARTS - 1) / PARTS * PARTS * warp_registers > REGISTERS)
    return 0;
  blocks = m->blocks;
  limits[0] = m->threads / (warps * WARP);
  limits[1] = warp_registers ? REGISTERS / PARTS / warp_registers * PARTS / warps : blocks;
  limits[2] = shared ? (int)(m->shared_kib * 1024 / shared) : blocks;
  limits[3] = m->barriers && c->barriers ? m->barriers / c->barriers : blocks;
  limits[4] = blocks;
  for (i = 0; i < 5; i++) blocks = limits[i] < blocks ? limits[i] : blocks;
  return blocks;
}

#endif
