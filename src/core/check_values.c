// core/check_values.c - checking a call: its values in host memory
// uses: api/lists.h, api/call.h, core/rules.h, core/system.c, core/request.c, core/primitive.c, core/checking.c,
//   core/check_buffers.c

GPUPRIMS__PRIVATE gp_result gp__check_values(gp__checking *k) {
  const gp_call *c = k->c;
  gp__request *q = k->q;
#define GPUPRIMS__VALUE(member) GPUPRIMS__CHECK(gp__check_value_memory(k, #member, c->member));
  if (k->pointers >= GP__POINTERS_REACHED) {
    GPUPRIMS__VALUE(init)
    GPUPRIMS__VALUE(value)
    GPUPRIMS__VALUE(start)
    GPUPRIMS__VALUE(step)
    GPUPRIMS__VALUE(scalar)
    GPUPRIMS__VALUE(scalar2)
    GPUPRIMS__VALUE(lower)
    GPUPRIMS__VALUE(upper)
  }
#undef GPUPRIMS__VALUE
  q->has_init = c->init != NULL;
  if (k->own[GP__CHECK_VALUES]) return k->own[GP__CHECK_VALUES](k);
  if (c->init) memcpy(q->init.bytes, c->init, k->fold ? q->acc_size : q->out_size);
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_none[GP__CHECKS] = {{GP__CHECK_END, NULL}};
