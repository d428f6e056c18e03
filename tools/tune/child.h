// child.h - a process, connected by two pipes, in lines (child.c).
#ifndef GP_TUNE_CHILD_H
#define GP_TUNE_CHILD_H

#include <poll.h>
#include <sys/types.h>

#include "tune.h"

typedef struct child {
  pid_t pid; // 0: not running
  int to, from; // its standard input and output
  text sending, received;
  size_t taken; // of `received`
  double heard; // when it was started, got its work, or got a line
} child;

// Starts the process in its own process group: `command` through the shell, otherwise this program with `mode`. Adds
// --device `device` unless that is negative. 0: failed, and said why.
int child_start(child *c, const char *command, const char *mode, int device);
void child_send(child *c, const char *bytes, size_t count);
void child_poll(const child *c, struct pollfd fds[2]); // what to wait for: its output, and its input where needed
// Reads and writes without blocking. 0: its output has ended.
int child_move(child *c);
char *child_line(child *c); // the next whole line, owned by the caller; NULL
// Ends the process, by force after this many seconds. Returns its wait status.
int child_end(child *c, double patience);

#endif
