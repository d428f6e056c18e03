// core/kernel_names.c - excerpts and names in the text of a kernel
// uses: api/lists.h, api/input.h, core/rules.h, core/text.c, core/request.c, core/program.c, core/names.c,
//   core/kinds_of.c, core/spelling.c

GP__HOST void gp__add_excerpt(gp__program *p, const char *text, const char *format, const char *name) {
  gp__excerpt *e;
  if (p->excerpt_count >= GP__EXCERPTS) {
    p->text.failed = 1;
    return;
  }
  e = &p->excerpts[p->excerpt_count++];
  snprintf(e->name, sizeof e->name, format, name);
  e->text = text;
  gp__add(&p->text, "#line 1 \"%s\"\n%s\n#line 1 \"gpuprims_program\"\n", e->name, text);
}

// Writes the definition of a struct type, once a program.
GP__HOST void gp__add_struct(gp__program *p, const gp__type_info *t, const gp__type_info *const *before, int count) {
  int i;
  if (!t) return;
  for (i = 0; i < count; ++i)
    if (before[i] == t) return;
  if (t->source) {
    gp__add_excerpt(p, t->source, "type %s", t->name);
    gp__add(&p->text,
        "static_assert(sizeof(%s) == %lu && alignof(%s) == %lu, \"gp_type_desc of %s: size or align is not what its "
        "source says\");\n",
        t->name, (unsigned long)t->size, t->name, (unsigned long)t->align, t->name);
  } else {
    gp__add(&p->text, "struct alignas(%lu) %s { unsigned char bytes[%lu]; };\n", (unsigned long)t->align, t->name,
        (unsigned long)t->size);
  }
}

// Writes the functor of a user's operator. A, B, R: its types; a fold's operator has one, T, and an identity.
GP__HOST void gp__add_operator(
    gp__program *p, const char *functor, const gp__op_info *o, const char *a, const char *b, const char *r, int fold) {
  gp__text *t = &p->text;
  gp__add(t, "struct %s {\n", functor);
  if (fold) {
    gp__add(t, "  typedef %s type;\n  typedef %s T;\n  enum { commutative = %d, exact = 0 };\n", r, r, o->commutative);
    gp__add(t, "  static GP_DEVICE T identity() {\n    return\n");
    gp__add_excerpt(p, o->identity, "identity of operator %s", o->name);
    gp__add(
        t, "    ;\n  }\n  static GP_DEVICE T prepare(T a) { return a; }\n  GP_DEVICE T operator()(T a, T b) const {\n");
  } else if (b) {
    gp__add(
        t, "  typedef %s A;\n  typedef %s B;\n  typedef %s R;\n  GP_DEVICE R operator()(A a, B b) const {\n", a, b, r);
  } else {
    gp__add(t, "  typedef %s A;\n  typedef %s R;\n  GP_DEVICE R operator()(A a) const {\n", a, r);
  }
  gp__add_excerpt(p, o->body, "operator %s", o->name);
  gp__add(t, "  }\n};\n");
}

// Names of template arguments.
GP__HOST const char *gp__in_name(const gp__spelling *q) {
  return q->in_size ? gp__device_type(q->in_type, q->in_struct) : "gp__none";
}
GP__HOST const char *gp__in2_name(const gp__spelling *q) {
  return q->in2_size ? gp__device_type(q->in2_type, q->in2_struct) : "gp__none";
}
GP__HOST const char *gp__key_name(const gp__spelling *q) {
  return q->key_size ? gp__device_type(q->key_type, q->key_struct) : "gp__none";
}
GP__HOST const char *gp__out_name(const gp__spelling *q) { return gp__device_type(q->out_type, q->out_struct); }
GP__HOST const char *gp__offset_name(const gp__spelling *q) {
  return q->offset_size ? gp__type_rows[q->offset_type].device : "";
}
GP__HOST const char *gp__functor(gp_op op, const gp__op_info *user, const char *of_user) {
  return user ? of_user : gp__op_rows[op].functor;
}

// Writes the type of a described input.
GP__HOST void gp__name_input(const gp__spelling *q, int node, gp__text *t) {
  static const char *const names[] = {"gp__input_array", "gp__input_constant", "gp__input_ramp", "gp__input_strided",
      "gp__input_gathered", "gp__input_mapped", "gp__input_zipped"};
  const gp__input_node n = gp__spelled_input(q, node);
  const char *type = gp__device_type(n.type, n.info);
  int i;
  gp__add(t, "%s<", names[n.kind - GP_INPUT_ARRAY]);
  if (n.kind < GP_INPUT_GATHERED) {
    gp__add(t, "%s, %d>", type, n.array < 0 ? n.value : n.array);
    return;
  }
  if (n.kind == GP_INPUT_ZIPPED) gp__add(t, "%s, ", type);
  if (n.kind == GP_INPUT_MAPPED) {
    if (n.user_op) gp__add(t, "gp__op_of_part_%d", node);
    else if (n.part[1] < 0) {
      const gp__input_node a = gp__spelled_input(q, n.part[0]);
      gp__add(t, "%s<%s, %s>", gp__op_rows[n.op].functor, gp__device_type(a.type, a.info), type);
    } else {
      const gp__input_node a = gp__spelled_input(q, n.part[0]), b = gp__spelled_input(q, n.part[1]);
      gp__add(t, "gp__binary<%s<%s>, %s, %s, %s>", gp__op_rows[n.op].functor, type, gp__device_type(a.type, a.info),
          gp__device_type(b.type, b.info), type);
    }
    gp__add(t, ", %s, ", type);
  }
  for (i = 0; i < 4 && n.part[i] >= 0; ++i) {
    if (i) gp__add(t, ", ");
    gp__name_input(q, n.part[i], t);
  }
  gp__add(t, ">");
}
// Writes around a kernel's functor that its operands are described, if one is.
GP__HOST void gp__begin_described(const gp__spelling *q, gp__text *t) {
  if (q->described || q->described2) gp__add(t, "gp__described<");
}
GP__HOST void gp__end_described(const gp__spelling *q, gp__text *t) {
  if (!q->described && !q->described2) return;
  gp__add(t, ", ");
  if (q->described) gp__name_input(q, q->described - 1, t);
  else gp__add(t, "gp__from_array");
  if (q->described2) {
    gp__add(t, ", ");
    gp__name_input(q, q->described2 - 1, t);
  }
  gp__add(t, ">");
}

// Writes what makes the elements, where no functor of the kernel's goes with it.
GP__HOST void gp__name_source(const gp__spelling *q, gp__text *t) {
  gp__begin_described(q, t);
  gp__add(t, "gp__stateless<gp__none>");
  gp__end_described(q, t);
}

// Writes a type with what ARGMIN, MINMAX and their like wrap around it.
GP__HOST void gp__name_wrapped(const gp__spelling *q, const char *type, gp__text *t) {
  static const char *const opens[] = {"", "gp_arg<", "gp_both<", "gp_both<gp_arg<"},
                           *const closes[] = {"", ">", ">", ">>"};
  gp__add(t, "%s%s%s", opens[q->is_arg], type, closes[q->is_arg]);
}
// Writes Op, Load, In, Acc. described: Load says what the input is made of, if it is described.
GP__HOST void gp__name_operands(const gp__spelling *q, int described, gp__text *t) {
  const char *in = gp__in_name(q);
  const char *value = gp__device_type(q->acc_type, q->acc_struct); // what the load's functor returns
  if (q->user_op) gp__add(t, "gp__op_1, ");
  else gp__add(t, "%s<%s>, ", gp__op_rows[q->op].functor, value);
  if (described) gp__begin_described(q, t);
  gp__add(t, "gp__load<%s, ", in);
  gp__name_wrapped(q, value, t);
  gp__add(t, ", ");
  if (q->user_transform) gp__add(t, "gp__op_2>");
  else gp__add(t, "%s<%s, %s>>", q->transform ? gp__op_rows[q->transform].functor : "gp_convert", in, value);
  if (described) gp__end_described(q, t);
  gp__add(t, ", %s, ", in);
  gp__name_wrapped(q, value, t);
}
// The same, and Out.
GP__HOST void gp__name_fold_of(const gp__spelling *q, int described, gp__text *t) {
  const char *out = gp__out_name(q);
  gp__name_operands(q, described, t);
  gp__add(t, ", ");
  if (q->user_stored) gp__add(t, "gp__stored<%s, gp__op_4>", out);
  else if (q->stored)
    gp__add(t, "gp__stored<%s, %s<%s, %s>>", out, gp__op_rows[q->stored].functor,
        gp__device_type(q->acc_type, q->acc_struct), out);
  else gp__name_wrapped(q, out, t);
}
GP__HOST void gp__name_fold(const gp__spelling *q, gp__text *t) { gp__name_fold_of(q, 1, t); }
// A user's operator in a program: its functor's name and its types.
typedef struct gp__program_op {
  const gp__op_info *op; // or NULL
  const char *functor, *a, *b, *r;
  int fold;
} gp__program_op;

// Sets the types of an operator's operands and result. b NULL: it is unary.
GP__HOST void gp__set_operator(gp__program_op *op, const char *a, const char *b, const char *r) {
  op->a = a;
  op->b = b;
  op->r = r;
  op->fold = 0;
}

// Template arguments of kernels, after the policy.
GP__HOST void gp__name_nothing(const gp__spelling *q, gp__text *t) { (void)q, (void)t; }
GP__HOST void gp__name_size(const gp__spelling *q, gp__text *t) { gp__add(t, ", %d", q->size); }
GP__HOST void gp__name_in(const gp__spelling *q, gp__text *t) { gp__add(t, ", %s", gp__in_name(q)); }
GP__HOST void gp__name_key(const gp__spelling *q, gp__text *t) { gp__add(t, ", %s", gp__key_name(q)); }
GP__HOST void gp__name_offset(const gp__spelling *q, gp__text *t) { gp__add(t, ", %s", gp__offset_name(q)); }
GP__HOST void gp__name_offset_key(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, %s", gp__offset_name(q), gp__key_name(q));
}
GP__HOST void gp__name_offset_out(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, %s", gp__offset_name(q), gp__out_name(q));
}
GP__HOST void gp__name_in_out(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, %s", gp__in_name(q), gp__out_name(q));
}
GP__HOST void gp__name_ordered_key(const gp__spelling *q, gp__text *t) {
  gp__add(t, ", %s, %s", gp__key_name(q), q->descending ? "true" : "false");
}
