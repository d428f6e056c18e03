// child.c - starts, talks to and ends a process. Nothing here waits for a child that does not answer.
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(const char *command, const char *mode, int device, pid_t parent) {
  char number[16], *line;
  snprintf(number, sizeof number, "%d", device);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // no worker stays on the GPU after gp_tune ends
  if (getppid() != parent) _exit(1);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  if (command) {
    line = device < 0 ? print_text("exec %s", command) : print_text("exec %s --device %d", command, device);
    execlp("sh", "sh", "-c", line, (char *)NULL);
  } else {
    char self[4096] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) _exit(127);
    execl(self, "gp_tune", mode, device < 0 ? (char *)NULL : "--device", number, (char *)NULL);
  }
  _exit(127);
}

int child_start(child *c, const char *command, const char *mode, int device) {
  int in[2], out[2];
  const pid_t parent = getpid();
  memset(c, 0, sizeof *c);
  if (pipe2(in, O_CLOEXEC)) return fprintf(stderr, "gp_tune: pipe: %s\n", strerror(errno)), 0;
  if (pipe2(out, O_CLOEXEC))
    return close(in[0]), close(in[1]), fprintf(stderr, "gp_tune: pipe: %s\n", strerror(errno)), 0;
  fflush(NULL);
  c->pid = fork();
  if (c->pid == 0) {
    if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0) _exit(127);
    become(command, mode, device, parent);
  }
  close(in[0]);
  close(out[1]);
  c->to = in[1];
  c->from = out[0];
  fcntl(c->to, F_SETFL, O_NONBLOCK);
  fcntl(c->from, F_SETFL, O_NONBLOCK);
  c->heard = seconds_now();
  if (c->pid > 0) return setpgid(c->pid, c->pid), 1;
  fprintf(stderr, "gp_tune: fork: %s\n", strerror(errno));
  c->pid = 0;
  close(c->to);
  close(c->from);
  return 0;
}

static void write_on(child *c) {
  const ssize_t written = c->sending.length ? write(c->to, c->sending.at, c->sending.length) : 0;
  if (written <= 0) return; // a full pipe can wait; a broken one shows as the end of its output
  c->sending.length -= (size_t)written;
  memmove(c->sending.at, c->sending.at + written, c->sending.length);
}

void child_send(child *c, const char *bytes, size_t count) {
  text_put(&c->sending, bytes, count);
  write_on(c);
}

void child_poll(const child *c, struct pollfd fds[2]) {
  fds[0] = (struct pollfd){c->pid ? c->from : -1, POLLIN, 0};
  fds[1] = (struct pollfd){c->pid && c->sending.length ? c->to : -1, POLLOUT, 0};
}

int child_move(child *c) {
  char bytes[1 << 16];
  ssize_t count;
  write_on(c);
  while ((count = read(c->from, bytes, sizeof bytes)) > 0) text_put(&c->received, bytes, (size_t)count);
  return count < 0 && (errno == EAGAIN || errno == EINTR);
}

char *child_line(child *c) {
  char *start = c->received.at ? c->received.at + c->taken : NULL, *line;
  const char *end = start ? memchr(start, '\n', c->received.length - c->taken) : NULL;
  if (!end) {
    if (c->taken) { // keep only the unfinished line
      c->received.length -= c->taken;
      memmove(c->received.at, start, c->received.length);
      c->taken = 0;
    }
    return NULL;
  }
  line = print_text("%.*s", (int)(end - start), start);
  c->taken += (size_t)(end - start) + 1;
  c->heard = seconds_now();
  return line;
}

int child_end(child *c, double patience) {
  const double start = seconds_now();
  int status = 0, ended = 0;
  if (!c->pid) return 0;
  close(c->to); // the end of its input: it may exit by itself
  while (!(ended = waitpid(c->pid, &status, WNOHANG) == c->pid) && seconds_now() - start < patience) usleep(2000);
  kill(-c->pid, SIGKILL); // and the processes that it started
  while (!ended && waitpid(c->pid, &status, 0) < 0 && errno == EINTR) continue;
  close(c->from);
  free(c->sending.at);
  free(c->received.at);
  memset(c, 0, sizeof *c);
  return status;
}
