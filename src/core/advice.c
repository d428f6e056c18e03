// core/advice.c - what to do about a failure of the driver or of a library
// uses: core/rules.h

#define GP__ADVICE_DRIVER \
  "install NVIDIA's driver (nvidia-smi then lists the GPU), name libcuda.so.1 in gp_config.cuda_library, or set " \
  "gp_config.backend to GP_BACKEND_HOST"
#define GP__ADVICE_NVRTC \
  "pip install nvidia-cuda-nvrtc and name its libnvrtc.so in gp_config.nvrtc_library or add its folder to " \
  "LD_LIBRARY_PATH, install the CUDA toolkit, or bundle the kernels (tools/gp_bundle)"

// By CUresult: ": " and what to do, or "" where the driver's own text is all there is to say.
GP__HOST const char *gp__cuda_advice(int error) {
  switch (error) {
  case 2: return ": free device memory (nvidia-smi lists its users), or call gp_trim(ctx, 0)";
  case 34:
    return ": this is the toolkit's stub of libcuda, made for linking only: remove its folder (lib64/stubs) from "
           "LD_LIBRARY_PATH";
  case 100: return ": no GPU is visible: see nvidia-smi and CUDA_VISIBLE_DEVICES; a container needs --gpus all";
  case 101: return ": nvidia-smi -L lists the devices; see gp_config.device and CUDA_VISIBLE_DEVICES";
  case 200:
  case 209:
    return ": the kernel's machine code does not fit this device or driver: NVRTC may have a newer major version than "
           "the driver's CUDA; use NVRTC of the driver's version (nvidia-smi) or a newer driver";
  case 222:
    return ": NVRTC is newer than the driver: use an NVRTC of the driver's version (nvidia-smi) or a newer driver";
  case 700:
  case 714:
  case 715:
  case 716:
  case 717:
  case 718:
  case 719:
    return ": an earlier kernel of this library or of the program failed. Usual causes: a buffer is shorter than its "
           "count, was freed, or is host memory. compute-sanitizer finds the kernel; restart the process";
  case 802: return ": the system is not ready: nvidia-fabricmanager or the persistence daemon has not started";
  case 803:
    return ": libcuda and the kernel module have different versions: restart the machine, or reinstall the driver";
  case 804: return ": the package cuda-compat does not support this GPU: remove its folder from LD_LIBRARY_PATH";
  }
  return "";
}
