// core/system.c - the system's headers that the implementation includes
// uses: api/lists.h

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define GPUPRIMS__FORMAT(text, arguments) __attribute__((format(printf, text, arguments)))
#define GPUPRIMS__CHECK(expression) \
  do { \
    const gp_result checked_ = expression; \
    if (checked_ != GP_SUCCESS) return checked_; \
  } while (0)
