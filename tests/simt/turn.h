// turn.h - cases that take turns. tests/run.py sets GPUPRIMS_TURN to the commit's number (tests/turn.py) for a program
// that shall run its share alone; without it, all cases run.
#ifndef TURN_H
#define TURN_H

#include <cstdlib>

#ifndef CASE_TURNS
#define CASE_TURNS 17 // so many commits run all cases
#endif
static unsigned long cases_waiting;

// Does the next case run? A hash of the case's place spreads the turns over the dimensions of nested loops.
[[maybe_unused]] static bool has_turn() {
  static const char *const commit = std::getenv("GPUPRIMS_TURN");
  static unsigned place = 0;
  const unsigned hash = (++place * 2654435761u) >> 16;
  if (!commit || hash % CASE_TURNS == std::strtoul(commit, nullptr, 10) % CASE_TURNS) return true;
  ++cases_waiting;
  return false;
}

#endif
