// core/program.c - programs, images, and where a context keeps them
// uses: api/config.h, api/context_types.h, api/input.h, api/call.h, core/rules.h, core/driver.c, core/text.c,
//   core/sha256.c, core/device_text.c

// The compiler's name for a place of the user's text, and that text: for messages.
typedef struct gp__excerpt {
  char name[160];
  const char *text;
} gp__excerpt;

// NVRTC's options besides the architecture; the last one for exact rounding only.
static const char *const gp__options[] = {"-std=c++17", "-default-device", "--fmad=false"};
enum { GP__OPTIONS = sizeof gp__options / sizeof *gp__options };

enum { GP__EXCERPTS = 16 + 2 * GP_INPUT_PARTS };
typedef struct gp__program {
  gp__text name; // the kernel's, e.g. gp__copy_kernel<gp__policy<...>, 4>
  gp__text text;
  int exact_rounding; // no contraction to fused multiply-add
  gp__part_set parts; // of the device text
  char made_of[GP__HEX + 64]; // the hash of these parts, and NVRTC's options
  gp__excerpt excerpts[GP__EXCERPTS];
  int excerpt_count;
  char key[2 * GP__HEX]; // of bundles: hash of text, parts and options
} gp__program;

typedef struct gp__image {
  void *owned; // or NULL: `data` belongs to the bundle
  const void *data; //
  size_t bytes;
  gp_kernel_source source;
} gp__image;

typedef struct gp__cache {
  char *folder; // NULL: no disk cache
  pthread_mutex_t lock;
  int state; // 0: not looked at, 1: good, 2: not to be used
  int warned; // that it cannot be written
  char nvrtc_name[96]; // of the NVRTC that last wrote here; "": none has
  uint64_t most; // bytes
  uint64_t added; // bytes that this context has written since the folder was last looked through
} gp__cache;

typedef struct gp__bundle_file {
  pthread_mutex_t lock;
  int opened, file; // once; its descriptor
  int named; // by the user: it should be there
  struct gp_bundle list; // its count is 0 unless the file is used; an image is its record's place in the file
  gp_bundle_entry *entries; //
  char path[1024], said[256];
} gp__bundle_file;

typedef struct gp__library {
  gp__runtime runtime;
  gp__cache cache;
  gp__bundle_file file;
  const struct gp_bundle *bundle; // or NULL
} gp__library;

// Option i of a program, or NULL. Integers of 128 bits need one.
GP__HOST const char *gp__option(const gp__program *p, int i) {
  const int count = GP__OPTIONS - !p->exact_rounding,
            wide = strstr(gp__string(&p->text), "gp_i128") != NULL || strstr(gp__string(&p->text), "gp_u128") != NULL;
  return i < count ? gp__options[i] : i == count && wide ? "--device-int128" : NULL;
}
GP__HOST void gp__list_program(gp__text *list, const gp__program *p) {
  gp__add(list, "%d%s%c", p->exact_rounding, gp__string(&p->text), 0);
}
GP__HOST void gp__free_program(gp__program *p) {
  gp__free_text(&p->name);
  gp__free_text(&p->text);
}
