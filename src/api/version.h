// api/version.h - the version

#define GPUPRIMS_VERSION_MAJOR 0
#define GPUPRIMS_VERSION_MINOR 2
#define GPUPRIMS_VERSION_PATCH 0
#define GPUPRIMS_VERSION "0.2.0"
