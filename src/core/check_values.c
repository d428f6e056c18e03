// core/check_values.c - checking a call: its values in host memory
// uses: api/lists.h, api/input.h, api/call.h, core/rules.h, core/arguments.h, core/system.c, core/messages.c,
//   core/request.c, core/primitive.c, core/reads.c, core/checking.c, core/check_memory.c

// Reads the constants and ramps of described inputs.
GP__HOST gp_result gp__check_input_values(gp__checking *k) {
  gp__inputs *all = &k->q->inputs;
  int i;
  for (i = 0; i < all->count; ++i) {
    const gp__input_node *n = &all->node[i];
    gp__value step;
    if (n->value < 0) continue;
    if (k->pointers >= GP__POINTERS_REACHED) {
      GP__CHECK(gp__check_value_memory(k, "gp_input.start", n->from->start));
      GP__CHECK(gp__check_value_memory(k, "gp_input.step", n->from->step));
    }
    if (n->from->start) memcpy(all->data.value[n->value].bytes, n->from->start, n->size);
    else if (n->kind == GP_INPUT_CONSTANT && k->pointers)
      return gp__fail(GP_E_NULL, "%s: @gp_input.start is null: it leads to the value of a constant", k->who);
    if (n->kind != GP_INPUT_RAMP) continue;
    gp__one(n->type, &step);
    memcpy(&all->data.step[n->value], n->from->step ? n->from->step : step.bytes, n->size);
  }
  return GP_SUCCESS;
}
// Host memory of values: X(member).
#define GP__CALL_VALUES(X) X(init) X(value) X(start) X(step) X(scalar) X(scalar2) X(lower) X(upper)
GP__HOST gp_result gp__check_values(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
#define GP__VALUE(member) \
  if (c->member) GP__CHECK(gp__check_value_memory(k, #member, c->member));
  if (k->pointers >= GP__POINTERS_REACHED) {
    GP__CALL_VALUES(GP__VALUE)
  }
#undef GP__VALUE
  GP__CHECK(gp__check_input_values(k));
  q->has_init = c->init || c->init_device;
  if (c->init && c->init_device)
    return gp__fail(GP_E_ARGUMENT, "%s: @init and @init_device: both are set, and the call takes one", k->who);
  if (k->own[GP__CHECK_VALUES]) return k->own[GP__CHECK_VALUES](k);
  if (c->init) memcpy(q->init.bytes, c->init, k->fold ? q->acc_size : q->out_size);
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_none[GP__CHECKS] = {{GP__CHECK_END, NULL}};
