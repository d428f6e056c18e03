// core/kernel_text.c - the text of a kernel
// uses: api/lists.h, api/input.h, core/rules.h, core/text.c, core/request.c, core/program.c, core/image.c, kinds.c,
//   core/primitive.c, core/kinds_of.c, core/spelling.c, core/kernel_names.c

// The kernel's name: its template with every argument.
GP__HOST void gp__name_kernel(const gp__spelling *q, gp__text *t) {
#define GP__NAMED(KIND, kernel, arguments, names, traits) {#kernel, gp__name_##names},
  static const struct {
    const char *kernel;
    void (*name)(const gp__spelling *q, gp__text *t);
  } rows[] = {GPUPRIMS__KINDS(GP__NAMED)};
#undef GP__NAMED
  gp__add(t, "%s<gp__policy<%d, %d, %d, %d, %d, %d, %d>", rows[q->kind].kernel, q->threads, q->vectors, q->load,
      q->store, q->stages, q->blocks_per_sm, q->overlap);
  rows[q->kind].name(q, t);
  gp__add(t, ">");
}

GP__HOST const char *gp__part_type(const gp__spelling *q, int node) {
  const gp__input_node n = gp__spelled_input(q, node);
  return gp__device_type(n.type, n.info);
}
enum { GP__OWN_OPS = 4 }; // besides those of described inputs
GP__HOST gp_result gp__write_program(const char *who, const gp__spelling *q, gp__program *p) {
#define GP__NAMED(KIND, kernel, arguments, names, traits) #arguments,
  static const char *const arguments[] = {GPUPRIMS__KINDS(GP__NAMED)};
#undef GP__NAMED
  const gp__type_info *structs[5 + GP_INPUT_PARTS];
  const int parts = gp__spelled_inputs(q);
  const gp__family *family = q->primitive ? gp__primitive_of(q->primitive)->family : NULL;
  const char *in = gp__in_name(q), *key = gp__key_name(q);
  const char *acc = q->acc_size && q->acc_type ? gp__device_type(q->acc_type, q->acc_struct) : NULL;
  const int fold = q->acc_size != 0;
  char functors[GP_INPUT_PARTS][32];
  gp__program_op ops[(int)GP__OWN_OPS + (int)GP_INPUT_PARTS] = {{q->user_op, "gp__op_1", in, NULL, acc, fold},
      {q->user_transform, "gp__op_2", in, NULL, fold ? acc : "bool", 0},
      {q->user_equal, "gp__op_3", key, key, "bool", 0}, {q->user_stored, "gp__op_4", acc, NULL, gp__out_name(q), 0}};
  const char *policy;
  gp__text *t = &p->text;
  int i, j;
  if (family && family->operators) family->operators(q, ops);
  memset(p, 0, sizeof *p);
  p->exact_rounding = q->exact_rounding;
  gp__name_kernel(q, &p->name);
  gp__add(t, "#include \"gpuprims.h\"\n");
  structs[0] = q->in_struct;
  structs[1] = q->in2_struct;
  structs[2] = q->acc_struct;
  structs[3] = q->out_struct;
  structs[4] = q->key_struct;
  for (i = 0; i < parts; ++i) structs[5 + i] = gp__spelled_input(q, i).info;
  for (i = 0; i < 5 + parts; ++i) gp__add_struct(p, structs[i], structs, i);
  for (i = 0; i < parts; ++i) {
    const gp__input_node n = gp__spelled_input(q, i);
    gp__program_op *op = &ops[GP__OWN_OPS + i];
    memset(op, 0, sizeof *op);
    op->op = n.user_op;
    if (!n.user_op) continue;
    snprintf(functors[i], sizeof functors[i], "gp__op_of_part_%d", i);
    op->functor = functors[i];
    gp__set_operator(op, gp__part_type(q, n.part[0]), n.part[1] < 0 ? NULL : gp__part_type(q, n.part[1]),
        gp__device_type(n.type, n.info));
  }
  for (i = 0; i < GP__OWN_OPS + parts; ++i) { // each prelude once
    const char *prelude = ops[i].op ? ops[i].op->prelude : NULL;
    for (j = 0; j < i && prelude; ++j)
      if (ops[j].op && ops[j].op->prelude && strcmp(ops[j].op->prelude, prelude) == 0) prelude = NULL;
    if (prelude) gp__add_excerpt(p, prelude, "prelude of operator %s", ops[i].op->name);
  }
  for (i = 0; i < GP__OWN_OPS + parts; ++i)
    if (ops[i].op) gp__add_operator(p, ops[i].functor, ops[i].op, ops[i].a, ops[i].b, ops[i].r, ops[i].fold);
  gp__add(t, "extern \"C\" __global__ void __launch_bounds__(%u", q->block_threads);
  if (q->resident) gp__add(t, ", %u", q->resident);
  gp__add(t, parts ? ") gp__entry(const gp__with_input<%s> a) { %s(a); }\n" : ") gp__entry(const %s a) { %s(a); }\n",
      arguments[q->kind], gp__string(&p->name));
  // For gp_policy_echo: the policy that the kernel's name has.
  policy = gp__string(&p->name);
  policy += strcspn(policy, "<") + (*policy != 0);
  gp__add(t,
      "typedef %.*s> gp__p;\nextern \"C\" __device__ int gp__echo[8] = {%d, gp__p::threads, gp__p::vectors, "
      "gp__p::load, gp__p::store, gp__p::stages, gp__p::blocks_per_sm, gp__p::overlap};\n",
      (int)strcspn(policy, ">"), policy, q->algorithm);
  return gp__seal_program(who, p);
}
