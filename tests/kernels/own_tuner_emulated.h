// own_tuner_emulated.h - a tuner that takes the values of its parameters in turn, for examples without the library.
// C and C++. Include it after gpuprims.h.
#ifndef OWN_TUNER_EMULATED_H
#define OWN_TUNER_EMULATED_H

#include <stdlib.h>

struct gp_tuner {
  int parameters, sections;
  int *variables[GP_TUNER_PARAMETERS];
  gp_range ranges[GP_TUNER_PARAMETERS];
};
gp_result gp_tuner_open(gp_context *ctx, const gp_tuner_config *config, gp_tuner **tuner) {
  (void)ctx, (void)config;
  *tuner = (gp_tuner *)calloc(1, sizeof **tuner);
  return GP_SUCCESS;
}
gp_result gp_tuner_add_parameter(gp_tuner *t, const char *name, int *variable, gp_range range, int value) {
  (void)name, (void)value;
  t->variables[t->parameters] = variable;
  t->ranges[t->parameters++] = range;
  return GP_SUCCESS;
}
gp_result gp_tuner_start(gp_tuner *t, gp_stream stream) {
  int i;
  (void)stream;
  for (i = 0; i < t->parameters; ++i) *t->variables[i] = t->ranges[i].values[t->sections % t->ranges[i].count];
  ++t->sections;
  return GP_SUCCESS;
}
gp_result gp_tuner_restart(gp_tuner *t, gp_stream stream) { return (void)t, (void)stream, GP_SUCCESS; }
gp_result gp_tuner_stop(gp_tuner *t, gp_stream stream) { return (void)t, (void)stream, GP_SUCCESS; }
gp_result gp_tuner_reject(gp_tuner *t) { return (void)t, GP_SUCCESS; }
gp_result gp_tuner_best(
    gp_tuner *t, const uint64_t *numbers, int count, int *values, double *us, int *measured, int *searching) {
  int i;
  (void)numbers, (void)count;
  for (i = 0; i < t->parameters; ++i) values[i] = *t->variables[i];
  *us = 1, *measured = t->sections, *searching = 1;
  return GP_SUCCESS;
}
size_t gp_tuner_report(gp_tuner *t, char *text, size_t capacity) {
  (void)t;
  if (capacity) *text = 0;
  return 0;
}
gp_result gp_tuner_close(gp_tuner *t) { return free(t), GP_SUCCESS; }

#endif
