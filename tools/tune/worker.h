// worker.h - gp_tune --worker: the live worker (tools/farm/README.md has the protocol).
#ifndef GP_TUNE_WORKER_H
#define GP_TUNE_WORKER_H

// The program's own arguments, of which the second says --worker; exit status.
int worker_main(int count, char **arguments);

#endif
