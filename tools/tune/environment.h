// environment.h - what a worker says about where it measures (environment.c).
#ifndef GP_TUNE_ENVIRONMENT_H
#define GP_TUNE_ENVIRONMENT_H

#include "lines.h"
#include "tune.h"

void environment_name(const line *ready, const char *commit, char name[HASH_DIGITS + 1]);
// Appends the line, where the store does not have it yet.
void environment_write(store *s, const char *name, const line *ready, const char *commit);
// Two tuners on one GPU would measure each other: the lock is this process's until it ends. Exit status; *lock stays as
// it is for a worker without a bus, which measures nothing.
int environment_lock(const char *bus, int *lock);

#endif
