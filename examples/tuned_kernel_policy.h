// Written by gp_tune --kernel examples/tuned_kernel.cuh: 0.951 of the default's time on this GPU. Do not edit.
#define NORMALISE_THREADS 512
#define NORMALISE_PASSES 1
#define NORMALISE_LOAD GP_CACHE_STREAMING
#define NORMALISE_STORE GP_CACHE_STREAMING
#define NORMALISE_BLOCKS_PER_SM 0
