// supervise.c - carries out a plan: a worker process for each GPU, compiler processes, one poll loop. A worker that is
// silent for too long is killed, which costs the variant that it had begun; its earlier answers are already in the
// store.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "environment.h"

enum { FAILURES_IN_A_ROW = 3, AHEAD = 2 };
static const double START_PATIENCE = 60; // seconds until `ready`: a driver may start slowly
static const double COMPILER_PATIENCE = 3; // times the watchdog's: so may an optimiser

typedef struct worker {
  child process;
  int number; // the device's
  int ready, failures, progress; // failures: in a row; progress: it reported something since its start
  gpu about;
  char environment[HASH_DIGITS + 1];
  int lock; // file; -1: none
  job *queue[AHEAD]; // the measured job, and jobs to prepare meanwhile
  int queued, begun; // begun: the running variant of the first job, or -1
  double job_start, first_job, last_job, busy_seconds;
  int jobs;
} worker;

typedef struct compiler {
  child process;
  build *at;
  double begun; // when it got the request
} compiler;

static const options *opt;
static const plan *work;
static store results;
static worker *workers;
static compiler *compilers;
static int worker_count, compiler_count, started, adding_gpus, lost, jobs_done, in_store, in_store_whole;
static double start_time;
static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  (void)number;
  if (interrupted) _exit(INTERRUPTED); // the children share it
  interrupted = 1;
}

static int stopping(void) { return interrupted || lost || results.broken; }

static void lose(int status, const char *what, const char *message) {
  if (!lost) fprintf(stderr, "gp_tune: %s%s\n", what, message);
  if (!lost) lost = status;
}

// ---- jobs -----------------------------------------------------------------------------------------------------------

static void set_text(char **field, const char *value) {
  free(*field);
  *field = print_text("%s", value);
}

// Writes results that the store lacks: failures at once, so that a hang is not waited for twice; times when the whole
// job is done.
static void write_results(const worker *w, job *j, int whole) {
  text t = {0};
  int i;
  for (i = 0; i < j->variant_count; i++) {
    variant *v = &j->variants[i];
    if (v->stored || v->status == WAITING || (v->status == STATUS_ok && !whole)) continue;
    store_sample(&t, w->environment, j, v);
    v->stored = 1;
  }
  store_write(&results, t.at, t.length);
  free(t.at);
}

static void finish_job(worker *w, job *j) {
  int i;
  write_results(w, j, 1);
  jobs_done++;
  for (i = 0; i < w->queued && w->queue[i] != j; i++) continue;
  for (w->queued--; i < w->queued; i++) w->queue[i] = w->queue[i + 1];
  work->done(work->self, w - workers, j);
}

// A policy that hung or killed its worker at one size of a cell does not run at the others: they would cost too much.
static map failures; // cell without its count, policy -> message
static const char NOT_RUN[] = "not run, for at another size: ";

static void **failure_at(const job *j, const variant *v) {
  const char *count = strstr(j->cell, " n=");
  char *key = print_text("%.*s|%s", (int)(count ? count - j->cell : 0), j->cell, v->policy);
  void **at = map_at(&failures, key);
  free(key);
  return at;
}

static void remember_failure(const job *j, const variant *v) {
  if (strcmp(v->policy, "default")) // which is another policy at another size
    *failure_at(j, v) = print_text("%s", v->message);
}

static void skip_failures(const job *j) {
  int i;
  for (i = 0; i < j->variant_count; i++) {
    variant *v = &j->variants[i];
    const char *why = v->status == WAITING ? *failure_at(j, v) : NULL;
    char *message;
    if (!why) continue;
    v->status = STATUS_runtime;
    message = print_text("%s%s", strncmp(why, NOT_RUN, strlen(NOT_RUN)) ? NOT_RUN : "", why);
    set_text(&v->message, message);
    free(message);
  }
}

// Takes results from the store and from the compilers.
static void fill_known(const worker *w, job *j) {
  int i;
  for (i = 0; i < j->variant_count; i++) {
    variant *v = &j->variants[i];
    const variant *known = store_find(&results, w->environment, j->key, v->policy);
    if (known) {
      int k;
      v->status = known->status;
      v->stored = 1;
      v->calls = known->calls;
      set_text(&v->echo, known->echo);
      set_text(&v->source, known->source);
      set_text(&v->message, known->message);
      for (k = 0; k < known->count; k++) PUSH(v->us, v->count) = known->us[k];
      if (v->status == STATUS_timeout || v->status == STATUS_runtime) remember_failure(j, v);
    } else if (v->build && v->build->status != STATUS_ok) {
      v->status = v->build->status;
      set_text(&v->message, v->build->message ? v->build->message : "");
    }
  }
}

// Times are comparable only within one pass over a job: a pass measures all measurable variants of the job together. 0:
// nothing to measure.
static int choose_sent(job *j) {
  int i, missing = 0;
  j->sent_count = 0;
  for (i = 0; i < j->variant_count; i++) missing += j->variants[i].status == WAITING;
  for (i = 0; missing && i < j->variant_count; i++) {
    variant *v = &j->variants[i];
    if (v->status != WAITING && v->status != STATUS_ok) continue;
    v->status = WAITING;
    v->stored = v->count = 0;
    PUSH(j->sent, j->sent_count) = i;
  }
  return missing;
}

// Sends the job, or finishes it if the store and the compilers have all answers.
static void send_job(worker *w, job *j) {
  text t = {0};
  int i;
  skip_failures(j);
  if (!choose_sent(j)) {
    in_store++;
    finish_job(w, j);
    return;
  }
  text_add(&t,
      "measure\tid=%s\tcell=%s\trounds=%d\tbatch_us=%.9g\tgive_up=%.9g\tverify=%d\tphase=%s\tprocess=%d\t"
      "variants=%d%s%s\n",
      j->key, j->cell, j->rounds, j->batch_us, j->give_up, j->verify, j->phase, j->process, j->sent_count,
      j->objective ? "\tobjective=" : "", j->objective ? j->objective : "");
  for (i = 0; i < j->sent_count; i++) text_add(&t, "variant\tpolicy=%s\n", j->variants[j->sent[i]].policy);
  if (j == w->queue[0]) w->job_start = w->process.heard = seconds_now();
  if (!w->first_job) w->first_job = w->job_start;
  child_send(&w->process, t.at, t.length);
  free(t.at);
}

static void feed_worker(worker *w) {
  while (w->ready && w->queued < AHEAD && !stopping()) {
    job *j = work->next(work->self, (int)(w - workers));
    if (!j) return;
    w->queue[w->queued++] = j;
    fill_known(w, j);
    send_job(w, j);
  }
}

// ---- workers' messages ----------------------------------------------------------------------------------------------

static void said_ready(worker *w, const line *l) {
  char before[HASH_DIGITS + 1];
  job *again[AHEAD];
  const int waiting = w->queued;
  int i;
  memcpy(again, w->queue, sizeof again);
  strcpy(before, w->environment);
  if (w->lock < 0) lost = environment_lock(line_get(l, "bus"), &w->lock);
  if (lost) return;
  environment_name(l, opt->commit, w->environment);
  if (*before && strcmp(before, w->environment)) {
    lose(DEVICE_LOST, "the device is gone: after a restart the worker is on another one: ", line_get(l, "device"));
    return;
  }
  environment_write(&results, w->environment, l, opt->commit);
  setenv("GP_TUNE_DEVICE", line_get(l, "device"), 1); // for compilers: whose rows decide the default
  w->ready = 1;
  w->about.compute_capability = (int)line_number(l, "compute_capability");
  w->about.multiprocessors = (int)line_number(l, "multiprocessors");
  if (!*before)
    fprintf(stderr, "gp_tune: GPU %d: %s, environment %s\n", w->number, line_get(l, "device"), w->environment);
  for (i = 0; i < waiting; i++) send_job(w, again[i]);
}

static variant *variant_named(worker *w, const line *l) {
  char *end;
  const long index = strtol(line_get(l, "variant"), &end, 10);
  job *j = w->queued ? w->queue[0] : NULL;
  if (!j || strcmp(line_get(l, "id"), j->key) || *end || index < 0 || index >= j->sent_count) return NULL;
  return &j->variants[j->sent[index]];
}

static void said_begin(worker *w, const line *l) {
  if (variant_named(w, l)) w->begun = atoi(line_get(l, "variant"));
}

// An echo must match the request field by field; otherwise another policy ran.
static int echo_differs(const variant *v) {
  char name[64], value[64], field[160];
  const char *at = v->policy;
  if (!strcmp(v->policy, "default") || !*v->echo) return 0;
  while (policy_next(&at, name, value, sizeof name)) {
    snprintf(field, sizeof field, "%s=%s", name, value);
    if (!policy_matches(v->echo, field)) return 1;
  }
  return 0;
}

static void said_variant(worker *w, const line *l) {
  variant *v = variant_named(w, l);
  const char *status = line_get(l, "status"), *at = line_get(l, "us");
  char number[32], *end;
  int bad_time = 0;
  if (!v) return;
  w->progress = 1;
  for (v->status = STATUS_COUNT - 1; v->status > WAITING && strcmp(status, STATUS_NAMES[v->status]);) v->status--;
  set_text(&v->echo, line_get(l, "policy"));
  set_text(&v->source, line_get(l, "source"));
  set_text(&v->message, line_get(l, "message"));
  v->calls = line_number(l, "calls");
  for (v->count = 0; *at; at = end + (*end == ',')) {
    const double us = strtod(at, &end);
    if (end == at) break;
    snprintf(number, sizeof number, "%.9g", us); // as in the store, so that a resumed run computes the same
    PUSH(v->us, v->count) = strtod(number, NULL);
    bad_time |= !(us > 0 && us < 1e12);
  }
  if (v->status == STATUS_ok && (bad_time || !v->count)) {
    v->status = STATUS_wrong;
    set_text(&v->message, "the worker reported ok without a time above 0");
  } else if (v->status == STATUS_ok && echo_differs(v)) {
    char *message = print_text("%s%s", ECHO_DIFFERS, v->echo);
    v->status = STATUS_wrong;
    set_text(&v->message, message);
    free(message);
  } else if (v->status == WAITING) {
    v->status = STATUS_runtime;
    set_text(&v->message, "the worker reported an unknown status");
  }
  if (v->status != STATUS_ok) v->count = 0; // wrong results have no times
  if (v->status == STATUS_runtime) remember_failure(w->queue[0], v);
  write_results(w, w->queue[0], 0);
}

static void said_done(worker *w, const line *l) {
  job *j = w->queued ? w->queue[0] : NULL;
  text t = {0};
  double before = 0, after = 0;
  int i;
  if (!j || strcmp(line_get(l, "id"), j->key)) return;
  sscanf(line_get(l, "sm_mhz"), "%lf,%lf", &before, &after);
  text_add(&t, "\"sm_mhz\":[%.9g,%.9g],\"celsius\":%.9g,\"milliwatts\":%.9g,\"throttle\":%.15g", before, after,
      line_number(l, "celsius"), line_number(l, "milliwatts"), line_number(l, "throttle"));
  j->clocks = t.at;
  for (i = 0; i < j->variant_count; i++)
    if (j->variants[i].status == WAITING) {
      j->variants[i].status = STATUS_runtime;
      set_text(&j->variants[i].message, "the worker ended the job without a result");
    }
  w->failures = 0;
  w->jobs++;
  w->last_job = seconds_now();
  j->seconds = w->last_job - w->job_start;
  j->busy_seconds = line_number(l, "gpu_us") * 1e-6;
  w->busy_seconds += j->busy_seconds;
  w->job_start = w->last_job;
  w->begun = -1;
  finish_job(w, j);
}

static void said_fatal(worker *w, const line *l) {
  if (adding_gpus && w > workers && !*w->environment) { // --gpus all: no such GPU
    child_end(&w->process, 1);
    adding_gpus = 0;
    worker_count--;
    return;
  }
  if (!*w->environment) lose(NO_GPU, "no GPU to measure on: ", line_get(l, "message"));
  else lose(DEVICE_LOST, "the device is gone: ", line_get(l, "message"));
}

static const struct {
  const char *word;
  void (*heard)(worker *w, const line *l);
} WORKER_SAYS[] = {{"ready", said_ready}, {"begin", said_begin}, {"variant", said_variant}, {"done", said_done},
    {"fatal", said_fatal}};

static void start_worker(worker *w) {
  w->ready = w->progress = 0;
  if (!child_start(&w->process, opt->worker_command, "--worker", w->number)) lose(DEVICE_LOST, "no worker", "");
}

// The worker died, or is killed for silence: the variant that it had begun gets that status.
static void worker_ended(worker *w, int status_of_begun, const char *why) {
  job *j = w->queued ? w->queue[0] : NULL;
  if (j && w->begun >= 0 && j->variants[j->sent[w->begun]].status == WAITING) {
    variant *v = &j->variants[j->sent[w->begun]];
    v->status = status_of_begun;
    set_text(&v->message, why);
    remember_failure(j, v);
    w->progress = 1;
    write_results(w, j, 0);
  }
  w->failures = w->progress ? 0 : w->failures + 1;
  if (w->failures == FAILURES_IN_A_ROW) {
    char *message =
        print_text("%d workers in a row ended before they measured anything; the last one %s", FAILURES_IN_A_ROW, why);
    lose(*w->environment ? DEVICE_LOST : NO_GPU,
        *w->environment ? "the device is gone: " : "no GPU to measure on: ", message);
    free(message);
  }
  w->begun = -1;
  if (!stopping()) start_worker(w);
}

static char *end_text(int status) {
  return WIFSIGNALED(status) ? print_text("died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)))
      : print_text("ended with status %d", WEXITSTATUS(status));
}

static void serve_worker(worker *w) {
  const int alive = child_move(&w->process), count = worker_count;
  char *text;
  while (!stopping() && w->process.pid && (text = child_line(&w->process))) {
    line l;
    size_t i;
    line_parse(&l, text);
    for (i = 0; i < sizeof WORKER_SAYS / sizeof *WORKER_SAYS; i++)
      if (!strcmp(l.word, WORKER_SAYS[i].word)) WORKER_SAYS[i].heard(w, &l);
    line_free(&l);
  }
  if (!alive && !stopping() && count == worker_count) {
    char *why = end_text(child_end(&w->process, 1));
    worker_ended(w, STATUS_runtime, why);
    free(why);
  }
}

static void watch_worker(worker *w) {
  const double silent = seconds_now() - w->process.heard;
  const double patience = !w->ready && opt->watchdog < START_PATIENCE ? START_PATIENCE : opt->watchdog;
  char *why;
  if (!w->process.pid || (w->ready && !w->queued) || silent < patience) return;
  why = print_text("was silent for %.3g s and was killed", silent);
  child_end(&w->process, 0);
  worker_ended(w, STATUS_timeout, why);
  free(why);
}

// ---- compilers ------------------------------------------------------------------------------------------------------

static void built(compiler *c, int status, const char *message) {
  build *b = c->at;
  c->at = NULL;
  b->built = 1;
  b->seconds = seconds_now() - c->begun;
  b->status = status;
  b->message = print_text("%s", message);
  work->built(work->self, b);
}

static void feed_compiler(compiler *c) {
  text t = {0};
  if (c->at || !(c->at = work->next_build(work->self))) return;
  c->begun = seconds_now();
  if (!c->process.pid && !child_start(&c->process, opt->compiler_command, "--compiler", -1)) {
    built(c, STATUS_compile, "no compiler process could be started");
    return;
  }
  text_add(&t, "compile\tid=%p\tcell=%s\tcompute_capability=%d\tpolicy=%s\n", (void *)c->at, c->at->cell,
      c->at->compute_capability, c->at->policy);
  child_send(&c->process, t.at, t.length);
  c->process.heard = seconds_now();
  free(t.at);
}

static void said_compiled(compiler *c, const line *l) {
  const char *status = line_get(l, "status");
  build *b = c->at;
  if (!b) return;
  snprintf(b->code, sizeof b->code, "%s", line_get(l, "code"));
  b->registers = (int)line_number(l, "registers");
  b->local_bytes = (int)line_number(l, "local_bytes");
  b->occupancy = (int)line_number(l, "occupancy");
  built(c,
      !strcmp(status, "ok")            ? STATUS_ok
          : !strcmp(status, "invalid") ? STATUS_invalid
                                       : STATUS_compile,
      line_get(l, "message"));
}

static void serve_compiler(compiler *c) {
  const int alive = child_move(&c->process);
  const double patience = opt->watchdog * COMPILER_PATIENCE;
  char *text, *why = NULL;
  while ((text = child_line(&c->process))) {
    line l;
    line_parse(&l, text);
    if (!strcmp(l.word, "compiled")) said_compiled(c, &l);
    line_free(&l);
  }
  if (!alive) {
    why = end_text(child_end(&c->process, 1));
  } else if (c->at && seconds_now() - c->process.heard > patience) {
    why = print_text("was silent for %.3g s and was killed", seconds_now() - c->process.heard);
    child_end(&c->process, 0);
  }
  if (why && c->at) {
    char *message = print_text("the compiler %s", why);
    built(c, STATUS_compile, message);
    free(message);
  }
  free(why);
}

// ---- the loop -------------------------------------------------------------------------------------------------------

static void progress(int last) {
  static double printed;
  const int terminal = isatty(2);
  const double now = seconds_now(), every = terminal ? 0.2 : 10;
  const char *where = "";
  double busy = 0, wall = 0, left;
  const int planned = work->planned(work->self, &where), measured = jobs_done - in_store;
  int i;
  if (!started || (!last && now - printed < every)) return;
  printed = now;
  for (i = 0; i < worker_count; i++)
    if (workers[i].first_job) {
      busy += workers[i].busy_seconds;
      wall += (last && workers[i].jobs ? workers[i].last_job : now) - workers[i].first_job;
    }
  left = measured > 0 ? (planned - jobs_done) * (now - start_time) / measured : 0;
  if (opt->seconds > 0 && left > opt->seconds - (now - start_time)) left = opt->seconds - (now - start_time);
  fprintf(stderr, "%s%d/%d jobs (%d from the store), GPU busy %.1f %%, %.0f s left, %s%s", terminal ? "\r" : "",
      jobs_done, planned > jobs_done ? planned : jobs_done, in_store, wall > 0 ? 100 * busy / wall : 0,
      left > 0 ? left : 0, where, terminal ? "\033[K" : "\n");
  if (terminal && last) fputc('\n', stderr);
}

static void wait_for_news(void) {
  const int children = worker_count + compiler_count;
  struct pollfd *fds = grow(NULL, (size_t)children * 2 * sizeof *fds);
  int i;
  for (i = 0; i < worker_count; i++) child_poll(&workers[i].process, fds + 2 * i);
  for (i = 0; i < compiler_count; i++) child_poll(&compilers[i].process, fds + 2 * (worker_count + i));
  poll(fds, (nfds_t)children * 2, 100);
  free(fds);
}

static void add_worker(int number) {
  worker *w;
  workers = grow(workers, (size_t)(worker_count + 1) * sizeof *workers);
  w = memset(&workers[worker_count++], 0, sizeof *w);
  w->number = number;
  w->lock = w->begun = -1;
  start_worker(w);
}

// Device numbers of --gpus; "all" adds numbers until a device is missing.
static int add_workers(void) {
  const char *at = opt->gpus;
  char *end;
  adding_gpus = !strcmp(at, "all");
  if (adding_gpus) return add_worker(0), DONE;
  while (*at) {
    const long number = strtol(at, &end, 10);
    if (end == at || number < 0 || number > 1023 || (*end && *end != ',')) break;
    add_worker((int)number);
    at = end + (*end == ',');
  }
  if (!*at && worker_count) return DONE;
  fprintf(stderr, "gp_tune: --gpus %s: numbers with commas between them, or all\n", opt->gpus);
  return BAD_USAGE;
}

// The plan starts when all workers are ready, because it divides its groups among them.
static void try_start(void) {
  const char *wrong;
  gpu *gpus;
  earlier before;
  int i, ended = 0;
  for (i = 0; i < worker_count; i++)
    if (!workers[i].ready) return;
  if (adding_gpus) return add_worker(worker_count);
  started = 1;
  gpus = grow(NULL, (size_t)worker_count * sizeof *gpus);
  for (i = 0; i < worker_count; i++) {
    gpus[i] = workers[i].about;
    gpus[i].environment = workers[i].environment;
    if (!work->asked) continue;
    before = store_earlier(&results, workers[i].environment, work->asked);
    gpus[i].spent = before.seconds;
    ended += before.ended;
  }
  if (ended == worker_count) {
    in_store_whole = 1;
    return;
  }
  wrong = work->start(work->self, worker_count, gpus);
  if (wrong) lose(BAD_USAGE, wrong, "");
}

static void run_loop(void) {
  int i;
  while (!stopping() && !(started && work->finished(work->self))) {
    if (!started) try_start();
    if (in_store_whole) return;
    for (i = 0; started && i < compiler_count; i++) feed_compiler(&compilers[i]);
    for (i = 0; started && i < worker_count; i++) feed_worker(&workers[i]);
    if (started && work->finished(work->self)) break;
    wait_for_news();
    for (i = 0; i < compiler_count; i++)
      if (compilers[i].process.pid) serve_compiler(&compilers[i]);
    for (i = 0; i < worker_count; i++)
      if (workers[i].process.pid) serve_worker(&workers[i]);
    for (i = 0; i < worker_count && !stopping(); i++) watch_worker(&workers[i]);
    progress(0);
  }
}

static void write_run(const worker *w, int complete, int ended) {
  const double seconds = w->jobs ? w->last_job - w->first_job : 0;
  text t = {0};
  text_add(&t, "{\"kind\":\"run\",\"v\":1,\"env\":\"%s\",\"seconds\":%.6g,\"busy_seconds\":%.6g,\"jobs\":%d,",
      w->environment, seconds, w->busy_seconds, w->jobs);
  if (work->asked) text_add(&t, "\"asked\":\"%s\",\"ended\":%s,", work->asked, ended ? "true" : "false");
  text_add(&t, "\"complete\":%s}\n", complete ? "true" : "false");
  store_write(&results, t.at, t.length);
  free(t.at);
}

static int say_end(int status, int complete) {
  if (lost) return lost;
  if (results.broken) return DEVICE_LOST;
  if (interrupted) return fprintf(stderr, "gp_tune: interrupted; continue with the same command\n"), INTERRUPTED;
  if (!complete) fprintf(stderr, "gp_tune: the time is up; the same command with more --seconds continues\n");
  return status;
}

int supervise(const plan *p, const options *o) {
  const struct sigaction stop = {.sa_handler = on_signal};
  int i, status, complete, ended;
  opt = o;
  work = p;
  start_time = seconds_now();
  status = store_open(&results, o->out);
  if (status) return status;
  sigaction(SIGINT, &stop, NULL);
  sigaction(SIGTERM, &stop, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  status = add_workers();
  compiler_count = o->jobs;
  compilers = memset(grow(NULL, (size_t)(compiler_count + 1) * sizeof *compilers), 0,
      (size_t)(compiler_count + 1) * sizeof *compilers);
  if (!status) run_loop();
  for (i = 0; i < worker_count; i++) {
    const int idle = workers[i].ready && !workers[i].queued;
    if (idle && workers[i].process.pid) child_send(&workers[i].process, "quit\n", 5);
    child_end(&workers[i].process, idle ? 2 : 0);
  }
  for (i = 0; i < compiler_count; i++) child_end(&compilers[i].process, 0);
  if (in_store_whole) return fprintf(stderr, "gp_tune: the store has all measurements\n"), DONE;
  if (status || !started) {
    store_leave_none(&results);
    return say_end(status, 1);
  }
  progress(1);
  status = work->close(work->self, &results);
  ended = !stopping();
  complete = ended && work->complete(work->self);
  for (i = 0; i < worker_count; i++) write_run(&workers[i], complete, ended);
  return say_end(status, complete);
}
