// expand/check.c - checking a call: expansions
// uses: api/lists.h, api/structs.h, core/rules.h, core/primitive.c, core/checking.c, core/check_buffers.c

GP__HOST gp_result gp__expand_buffers(gp__checking *k) {
  gp__buffers *b = k->buffers;
  b->in = k->c->segments;
  b->begin = k->c->segments + (k->c->primitive == GP_EXPAND);
  b->begin_wanted = (k->c->flags & GP_CHECKED) || k->c->segments > 0;
  return GP_SUCCESS;
}
static const gp__own_check gp__checks_expand[GP__CHECKS] = {{GP__CHECK_BUFFERS, gp__expand_buffers}};
