// The host's share of a call, timed on the emulated driver (dispatch_speed.h).
#include "dispatch_speed.h"

int main(int argc, char **argv) { return run_groups(argc, argv, {{"speed", test_speed}}); }
