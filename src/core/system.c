// core/system.c - the system's headers that the implementation includes
// uses: api/lists.h, core/rules.h

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
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define GP__FORMAT(text, arguments) __attribute__((format(printf, text, arguments)))
#define GP__CHECK(expression) \
  do { \
    const gp_result checked_ = expression; \
    if (checked_ != GP_SUCCESS) return checked_; \
  } while (0)

// Microseconds of a clock that no user sets.
GP__HOST double gp__now_us(void) {
#ifdef CLOCK_MONOTONIC
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
#else // headers hide it in strict ISO modes of the compiler
  struct timeval now;
  gettimeofday(&now, NULL);
  return (double)now.tv_sec * 1e6 + (double)now.tv_usec;
#endif
}
