// child.h - a process at the other end of two pipes, in lines (child.c).
#ifndef GP_TUNE_CHILD_H
#define GP_TUNE_CHILD_H

#include <poll.h>
#include <sys/types.h>

#include "tune.h"

typedef struct child {
  pid_t pid;    // 0: not running
  int to, from; // its standard input and output
  text sending, received;
  size_t taken; // of `received`
  double heard; // when it was started, was given its work, or sent a line
} child;

// Starts it in a process group of its own. With `command` through the shell, otherwise this program with `mode`;
// --device `device` is added where that is not negative. 0: could not, and said why.
int child_start(child *c, const char *command, const char *mode, int device);
void child_send(child *c, const char *bytes, size_t count);
void child_poll(const child *c, struct pollfd fds[2]); // what to wait for: its output, and its input where needed
// Moves bytes as far as they go. 0: its output has ended.
int child_move(child *c);
char *child_line(child *c); // the next whole line, the caller's; NULL
// Ends it, by force where it has not ended by itself after so many seconds: its wait status.
int child_end(child *c, double patience);

#endif
