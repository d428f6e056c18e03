// core/nvrtc.c - NVRTC
// uses: api/lists.h, api/context_types.h, core/rules.h, core/messages.c, core/driver.c, core/libraries.c, core/text.c,
//   core/device_text.c, core/program.c

// Reports the first error of the compiler's log, with the user's name for the place and the line's text.
GP__HOST gp_result gp__compile_error(gp__library *l, const char *who, const gp__program *p, const char *log) {
  const char *at = log;
  const char *advice = strstr(log, "could not open source file")
      ? "NVRTC has no header files here: remove the #include, and put the needed definitions into "
        "gp_op_desc.prelude.\n"
      : "";
  gp__log(&l->runtime, GP_LOG_WARNING, "%s: %s does not compile:\n%s", who, gp__string(&p->name), log);
  while (at && *at) {
    const char *end = strchr(at, '\n'), *error = strstr(at, "error"), *mark = strstr(at, "): ");
    const size_t length = end ? (size_t)(end - at) : strlen(at);
    int i;
    if (error && error < at + length && mark && mark < error) {
      const char *open = mark;
      while (open > at && *open != '(') --open;
      for (i = 0; i < p->excerpt_count; ++i) {
        const gp__excerpt *e = &p->excerpts[i];
        if (strlen(e->name) == (size_t)(open - at) && memcmp(e->name, at, (size_t)(open - at)) == 0) {
          const int line = atoi(open + 1);
          const char *text = e->text;
          int skip;
          for (skip = 1; skip < line && *text; ++text) skip += *text == '\n';
          return gp__fail(GP_E_COMPILE, "%s: %s does not compile, line %d: %.*s\n  %.*s\n%sThe compiler says:\n%s", who,
              e->name, line, (int)(at + length - mark - 3), mark + 3, (int)strcspn(text, "\n"), text, advice, log);
        }
      }
    }
    at = end ? end + 1 : NULL;
  }
  return gp__fail(GP_E_COMPILE, "%s: %s does not compile:\n%s", who, gp__string(&p->name), log);
}

// The architecture to compile for: the device's own or, if NVRTC does not know it, PTX of the newest one before it.
GP__HOST int gp__architecture(const gp__runtime *r, int compute_capability, int *ptx) {
  int i, best = 0;
  for (i = 0; i < r->architecture_count; ++i)
    if (r->architectures[i] <= compute_capability) best = r->architectures[i];
  *ptx = best != compute_capability;
  return best;
}

GP__HOST gp_result gp__compile_program(
    gp__library *l, const char *who, const gp__program *p, int architecture, int ptx, gp__image *image) {
  const struct gp_driver *d = &l->runtime.driver;
  gp__text parts = {NULL, 0, 0, 0};
  const char *header, *header_name = "gpuprims.h";
  const char *options[2 + GP__OPTIONS], *call = "nvrtcCreateProgram";
  char arch[64], *log = NULL;
  void *program = NULL;
  size_t bytes = 0, log_bytes = 0;
  int count = 0, error, compiled = 0;
  gp_result result = GP_SUCCESS;
  snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d", ptx ? "compute" : "sm", architecture);
  options[count++] = arch;
  for (; gp__option(p, count - 1); ++count) options[count] = gp__option(p, count - 1);
  gp__write_parts(p->parts, &parts);
  if (parts.failed) {
    gp__free_text(&parts);
    return gp__fail(GP_E_MEMORY, "%s: no memory for a kernel's source", who);
  }
  header = gp__string(&parts);
  error = d->nvrtcCreateProgram(&program, gp__string(&p->text), "gpuprims_program.cu", 1, &header, &header_name);
  if (error) {
    gp__free_text(&parts);
    return gp__fail(GP_E_COMPILE, "%s: nvrtcCreateProgram failed with code %d", who, error);
  }
  compiled = d->nvrtcCompileProgram(program, count, options);
  if (!d->nvrtcGetProgramLogSize(program, &log_bytes) && log_bytes > 1) {
    log = (char *)malloc(log_bytes + 1);
    if (log && d->nvrtcGetProgramLog(program, log)) log[0] = 0;
    if (log) log[log_bytes] = 0;
  }
  if (compiled) {
    if (log && *log) result = gp__compile_error(l, who, p, log);
    else result = gp__fail(GP_E_COMPILE, "%s: nvrtcCompileProgram failed with code %d", who, compiled);
  } else {
    if (log && *log) gp__log(&l->runtime, GP_LOG_INFO, "%s: the compiler says:\n%s", who, log);
    call = ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize";
    error = ptx ? d->nvrtcGetPTXSize(program, &bytes) : d->nvrtcGetCUBINSize(program, &bytes);
    if (!error) {
      image->owned = malloc(bytes + 1);
      if (!image->owned) {
        result = gp__fail(GP_E_MEMORY, "%s: no memory for a kernel of %lu bytes", who, (unsigned long)bytes);
      } else {
        call = ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN";
        error = ptx ? d->nvrtcGetPTX(program, (char *)image->owned) : d->nvrtcGetCUBIN(program, (char *)image->owned);
        image->data = image->owned;
        image->bytes = bytes;
        image->source = GP_KERNEL_COMPILED;
      }
    }
    if (error) result = gp__fail(GP_E_COMPILE, "%s: %s failed with code %d", who, call, error);
  }
  free(log);
  gp__free_text(&parts);
  d->nvrtcDestroyProgram(&program);
  if (result != GP_SUCCESS) {
    free(image->owned);
    memset(image, 0, sizeof *image);
  }
  return result;
}
