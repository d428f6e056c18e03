// worker.h - gp_tune --worker: the live worker (tools/farm/README.md has the protocol).
#ifndef GP_TUNE_WORKER_H
#define GP_TUNE_WORKER_H

// Takes the program's arguments, of which the second is --worker; returns the exit status.
int worker_main(int count, char **arguments);

#endif
