// own_calls_emulated.h - the library calls of examples with their own kernels, for the emulator: an empty context, and a
// tuner that takes the values of its parameters in turn. Include it after the example.
#ifndef OWN_CALLS_EMULATED_H
#define OWN_CALLS_EMULATED_H

gp_result gp_open(const gp_config *, gp_context **ctx) { return *ctx = nullptr, GP_SUCCESS; }
gp_result gp_close(gp_context *) { return GP_SUCCESS; }
const char *gp_result_name(gp_result) { return "?"; }
const char *gp_last_message(void) { return "?"; }
gp_result gp_type_struct(gp_context *, const gp_type_desc *, gp_type *type) {
  return *type = gp_type(1000), GP_SUCCESS;
}

struct gp_tuner {
  int parameters, sections;
  int *variables[GP_TUNER_PARAMETERS];
  gp_range ranges[GP_TUNER_PARAMETERS];
};
gp_result gp_tuner_open(gp_context *, const gp_tuner_config *, gp_tuner **tuner) {
  return *tuner = new gp_tuner(), GP_SUCCESS;
}
gp_result gp_tuner_add_parameter(gp_tuner *t, const char *, int *variable, gp_range range, int) {
  t->variables[t->parameters] = variable;
  t->ranges[t->parameters++] = range;
  return GP_SUCCESS;
}
gp_result gp_tuner_start(gp_tuner *t, gp_stream) {
  for (int i = 0; i < t->parameters; ++i) *t->variables[i] = t->ranges[i].values[t->sections % t->ranges[i].count];
  return ++t->sections, GP_SUCCESS;
}
gp_result gp_tuner_restart(gp_tuner *, gp_stream) { return GP_SUCCESS; }
gp_result gp_tuner_stop(gp_tuner *, gp_stream) { return GP_SUCCESS; }
gp_result gp_tuner_reject(gp_tuner *) { return GP_SUCCESS; }
gp_result gp_tuner_best(gp_tuner *t, const uint64_t *, int, int *values, double *us, int *measured, int *searching) {
  for (int i = 0; i < t->parameters; ++i) values[i] = *t->variables[i];
  return *us = 1, *measured = t->sections, *searching = 1, GP_SUCCESS;
}
size_t gp_tuner_report(gp_tuner *, char *text, size_t capacity) { return capacity ? *text = 0, 0 : 0; }
gp_result gp_tuner_close(gp_tuner *t) { return delete t, GP_SUCCESS; }

#endif
