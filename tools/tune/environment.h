// environment.h - where a worker measures, by its own account (environment.c).
#ifndef GP_TUNE_ENVIRONMENT_H
#define GP_TUNE_ENVIRONMENT_H

#include "lines.h"
#include "tune.h"

void environment_name(const line *ready, const char *commit, char name[HASH_DIGITS + 1]);
// Appends the line unless the store has it.
void environment_write(store *s, const char *name, const line *ready, const char *commit);
// Two tuners on one GPU would disturb each other: this process holds the lock until it ends. Returns an exit status;
// *lock is unchanged for a worker without a bus, which measures nothing.
int environment_lock(const char *bus, int *lock);

#endif
