// core/device_text.c - the device text, read once a process
// uses: core/system.c, core/embed.c, core/sha256.c

static struct {
  pthread_once_t once;
  char *text;         // ends with a zero; NULL: `why` says why
  char hash[GP__HEX]; //
  char why[256];
} gp__device = {PTHREAD_ONCE_INIT, NULL, "", ""};

GPUPRIMS__PRIVATE char *gp__read_file(FILE *file, size_t *bytes) {
  char *data = NULL;
  size_t capacity = 0, got = 1;
  *bytes = 0;
  while (got) {
    if (capacity - *bytes < 65536) {
      char *larger = (char *)realloc(data, capacity = capacity * 2 + 131072);
      if (!larger) break;
      data = larger;
    }
    got = fread(data + *bytes, 1, capacity - *bytes - 1, file);
    *bytes += got;
  }
  if (got || ferror(file)) {
    free(data);
    return NULL;
  }
  data[*bytes] = 0;
  return data;
}

GPUPRIMS__PRIVATE void gp__read_device_text(void) {
  size_t bytes, kept;
  const char *embedded = gp__embedded_text(&bytes), *end;
  char *text = NULL;
  if (embedded) {
    text = (char *)malloc(bytes + 1);
    if (text) memcpy(text, embedded, bytes + 1);
  } else {
    FILE *file = fopen(GPUPRIMS__SOURCE, "rb");
    if (file) {
      text = gp__read_file(file, &bytes);
      fclose(file);
    }
  }
  if (!text) {
    snprintf(gp__device.why, sizeof gp__device.why, "the header's text cannot be read from %s", GPUPRIMS__SOURCE);
    return;
  }
  // Kernels need nothing from the implementation on; without it NVRTC has less to read. A text without the mark is
  // some other file.
  end = strstr(text, "\n#if defined(GPUPRIMS_IMPLEMENTATION)");
  if (!end) {
    snprintf(gp__device.why, sizeof gp__device.why, "%s is not the text of gpuprims.h", GPUPRIMS__SOURCE);
    free(text);
    return;
  }
  kept = (size_t)(end - text) + 1;
  text[kept] = 0;
  gp__hash(gp__device.hash, text, kept, NULL);
  gp__device.text = text;
}
GPUPRIMS__PRIVATE const char *gp__device_text(void) {
  pthread_once(&gp__device.once, gp__read_device_text);
  return gp__device.text;
}
