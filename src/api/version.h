// api/version.h - the version

#define GPUPRIMS_VERSION_MAJOR 0
#define GPUPRIMS_VERSION_MINOR 1
#define GPUPRIMS_VERSION_PATCH 0
#define GPUPRIMS_VERSION "0.1.0"
