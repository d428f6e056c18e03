// core/image.c - bundle, disk, NVRTC, in this order
// uses: api/lists.h, api/context_types.h, api/call.h, core/rules.h, core/system.c, core/messages.c, core/libraries.c,
//   core/text.c, core/sha256.c, core/device_text.c, core/program.c, core/disk_cache.c, core/disk_cache_limit.c,
//   core/nvrtc.c, core/bundle_file.c

GP__HOST gp_result gp__check_bundle(const char *who, const struct gp_bundle *b) {
  unsigned i;
  if (!b->header || !b->count || !b->entries) return gp__fail(GP_E_BUNDLE, "%s: gp_config.bundle is empty", who);
  if (strcmp(b->header, GP__BUNDLE) != 0)
    return gp__fail(GP_E_BUNDLE,
        "%s: gp_config.bundle was made for another version of gpuprims.h (%.32s, not %s): make it again with gp_bundle",
        who, b->header, GP__BUNDLE);
  for (i = 0; i < b->count; ++i)
    if (!b->entries[i].key || !b->entries[i].image || !b->entries[i].bytes)
      return gp__fail(
          GP_E_BUNDLE, "%s: gp_config.bundle: entry %u is damaged: make the bundle again with gp_bundle", who, i);
  return GP_SUCCESS;
}

// Completes a program's text: the parts of the device text that it needs, its options and its key.
GP__HOST gp_result gp__seal_program(const char *who, gp__program *p) {
  int i;
  if (!gp__device_text()) return gp__fail(GP_E_NO_COMPILER, "%s: %s", who, gp__device.why);
  if (p->text.failed || p->name.failed) return gp__fail(GP_E_MEMORY, "%s: no memory for a kernel's source", who);
  gp__needed_parts(gp__string(&p->text), p->parts);
  gp__hash_parts(p->parts, p->made_of);
  for (i = 0; gp__option(p, i); ++i) {
    strcat(p->made_of, " ");
    strcat(p->made_of, gp__option(p, i));
  }
  gp__hash(p->key, gp__string(&p->text), p->text.size, p->made_of);
  return GP_SUCCESS;
}

// Finds machine code for exactly `capability`. exact: rejects PTX for an older architecture.
GP__HOST gp_result gp__find_image(
    gp__library *l, const char *who, const gp__program *p, int capability, int exact, gp__image *image) {
  gp__text key = {NULL, 0, 0, 0};
  gp_result result;
  int ptx = 0, found, architecture, disk;
  char nvrtc[sizeof l->cache.nvrtc_name];
  memset(image, 0, sizeof *image);
  if (!exact && gp__from_bundle(l->bundle, p->key, capability, image)) return GP_SUCCESS;
  if (!exact && l->bundle) gp__log(&l->runtime, GP_LOG_INFO, "%s is not in gp_config.bundle", gp__string(&p->name));
  if (!exact && gp__from_bundle_file(l, p, capability, image)) return GP_SUCCESS;
  disk = gp__cache_usable(l, nvrtc);
  if (disk && *nvrtc) {
    gp__cache_key(p, capability, nvrtc, &key);
    found = !key.failed && gp__cache_read(l, &key, image);
    gp__free_text(&key);
    if (found) return GP_SUCCESS;
  }
  GP__CHECK(gp__open_nvrtc(&l->runtime, who));
  architecture = gp__architecture(&l->runtime, capability, &ptx);
  if (!architecture || (exact && ptx))
    return gp__fail(exact ? GP_E_ARGUMENT : GP_E_COMPILE, "%s: NVRTC %d.%d does not support compute capability %d.%d",
        who, l->runtime.nvrtc_version / 1000, l->runtime.nvrtc_version % 1000 / 10, capability / 10, capability % 10);
  if (disk && strcmp(nvrtc, l->runtime.nvrtc_name) != 0) { // another NVRTC has written here since
    gp__cache_key(p, capability, l->runtime.nvrtc_name, &key);
    found = !key.failed && gp__cache_read(l, &key, image);
    gp__free_text(&key);
    if (found) return GP_SUCCESS;
  }
  result = gp__compile_program(l, who, p, architecture, ptx, image);
  if (result == GP_SUCCESS && disk) {
    gp__cache_key(p, capability, l->runtime.nvrtc_name, &key);
    if (!key.failed) gp__cache_write(l, &key, image);
    gp__free_text(&key);
  }
  return result;
}
