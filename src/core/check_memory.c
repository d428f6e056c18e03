// core/check_memory.c - checking a call: where its buffers and values lie
// uses: api/lists.h, core/rules.h, core/messages.c, core/driver.c, core/libraries.c, core/state.c, core/places.c,
//   core/checking.c

// Asks the driver where a pointer leads. type: a CUmemorytype; 0: memory unknown to the driver, which is the host's.
// The host back end can ask only if something else in the process has loaded the driver; otherwise it gets an error.
GP__HOST int gp__memory_of(const gp__checking *k, const void *pointer, int *type, int *managed) {
  int (*ask)(unsigned count, int *attributes, void *const *answers, gp__cu_pointer pointer) =
      k->s->library.runtime.driver.cuPointerGetAttributes;
  int attributes[] = {GP__CU_POINTER_MEMORY_TYPE, GP__CU_POINTER_IS_MANAGED};
  void *const answers[] = {type, managed};
  void *library = NULL;
  int error;
  *type = *managed = 0;
  if (!ask && k->host) {
    library = dlopen(GP__CUDA_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (library) gp__symbol(library, "cuPointerGetAttributes", (void *)&ask);
  }
  error = ask ? ask(2, attributes, answers, (gp__cu_pointer)(uintptr_t)pointer) : -1;
  if (library) dlclose(library);
  return error;
}
// Checks that the back end reaches the buffer.
GP__HOST gp_result gp__check_memory(const gp__checking *k, const char *name, const void *pointer) {
  const gp__state *s = k->s;
  int type, managed;
  const int error = gp__memory_of(k, pointer, &type, &managed);
  if (!k->host && error) return gp__cuda_fail(&s->library.runtime, k->who, "cuPointerGetAttributes", error);
  if (k->host && !error && type == GP__CU_MEMORY_DEVICE && !managed)
    return gp__fail(GP_E_ARGUMENT,
        "%s: @%s (%p) is device memory, and the host back end cannot access it: copy the data to host "
        "memory, or open the context with GP_BACKEND_CUDA",
        k->who, name, pointer);
  if (!k->host && !type && !s->pageable)
    return gp__fail(GP_E_ARGUMENT,
        "%s: @%s (%p) is host memory, neither managed nor registered, and device %d cannot access it: copy "
        "the data to device memory (cudaMalloc, cudaMemcpy), or open the context with GP_BACKEND_HOST",
        k->who, name, pointer, s->about.device);
  gp__know_place(k->s, pointer, 0);
  return GP_SUCCESS;
}
// Checks that the host can read the value.
GP__HOST gp_result gp__check_value_memory(const gp__checking *k, const char *name, const void *value) {
  int type, managed, error;
  if (!value) return GP_SUCCESS;
  if (k->pointers == GP__POINTERS_KNOWN)
    return gp__place_is_known(k->s, value, 1) ? GP_SUCCESS : (gp_result)GP__UNKNOWN;
  error = gp__memory_of(k, value, &type, &managed);
  if (!k->host && error) return gp__cuda_fail(&k->s->library.runtime, k->who, "cuPointerGetAttributes", error);
  if (!error && type == GP__CU_MEMORY_DEVICE && !managed)
    return gp__fail(GP_E_ARGUMENT,
        "%s: @%s (%p) is device memory, but the host reads this value: pass a pointer to host memory", k->who, name,
        value);
  gp__know_place(k->s, value, 1);
  return GP_SUCCESS;
}
