// core/kernel_names.c - excerpts and names in the text of a kernel
// uses: api/lists.h, core/system.c, core/text.c, core/request.c, core/program.c, core/names.c, core/kinds_of.c,
//   core/spelling.c

GPUPRIMS__PRIVATE void gp__add_excerpt(gp__program *p, const char *text, const char *format, const char *name) {
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

// The definition of a struct type, once a program.
GPUPRIMS__PRIVATE void gp__add_struct(gp__program *p, const gp__type_info *t, const gp__type_info *const *before,
                                      int count) {
  int i;
  if (!t) return;
  for (i = 0; i < count; ++i)
    if (before[i] == t) return;
  if (t->source) {
    gp__add_excerpt(p, t->source, "type %s", t->name);
    gp__add(
        &p->text,
        "static_assert(sizeof(%s) == %lu && alignof(%s) == %lu, \"gp_type_desc of %s: size or align is not what its "
        "source says\");\n",
        t->name, (unsigned long)t->size, t->name, (unsigned long)t->align, t->name);
  } else {
    gp__add(&p->text, "struct alignas(%lu) %s { unsigned char bytes[%lu]; };\n", (unsigned long)t->align, t->name,
            (unsigned long)t->size);
  }
}

// The functor of a user's operator. A, B, R: its types; a fold's operator has one, T, and an identity.
GPUPRIMS__PRIVATE void gp__add_operator(gp__program *p, const char *functor, const gp__op_info *o, const char *a,
                                        const char *b, const char *r, int fold) {
  gp__text *t = &p->text;
  gp__add(t, "struct %s {\n", functor);
  if (fold) {
    gp__add(t, "  typedef %s type;\n  typedef %s T;\n  enum { commutative = %d, exact = 0 };\n", r, r, o->commutative);
    gp__add(t, "  static GP_DEVICE T identity() {\n    return\n");
    gp__add_excerpt(p, o->identity, "identity of operator %s", o->name);
    gp__add(
        t, "    ;\n  }\n  static GP_DEVICE T prepare(T a) { return a; }\n  GP_DEVICE T operator()(T a, T b) const {\n");
  } else if (b) {
    gp__add(t, "  typedef %s A;\n  typedef %s B;\n  typedef %s R;\n  GP_DEVICE R operator()(A a, B b) const {\n", a, b,
            r);
  } else {
    gp__add(t, "  typedef %s A;\n  typedef %s R;\n  GP_DEVICE R operator()(A a) const {\n", a, r);
  }
  gp__add_excerpt(p, o->body, "operator %s", o->name);
  gp__add(t, "  }\n};\n");
}

// The names that template arguments have.
GPUPRIMS__PRIVATE const char *gp__in_name(const gp__spelling *q) {
  return q->in_size ? gp__device_type(q->in_type, q->in_struct) : "gp__none";
}
GPUPRIMS__PRIVATE const char *gp__in2_name(const gp__spelling *q) {
  return q->in2_size ? gp__device_type(q->in2_type, q->in2_struct) : "gp__none";
}
GPUPRIMS__PRIVATE const char *gp__key_name(const gp__spelling *q) {
  return q->key_size ? gp__device_type(q->key_type, q->key_struct) : "gp__none";
}
GPUPRIMS__PRIVATE const char *gp__out_name(const gp__spelling *q) {
  return gp__device_type(q->out_type, q->out_struct);
}
GPUPRIMS__PRIVATE const char *gp__functor(gp_op op, const gp__op_info *user, const char *of_user) {
  return user ? of_user : gp__op_rows[op].functor;
}

// Op, Load, In, Acc, Out.
GPUPRIMS__PRIVATE void gp__name_fold(const gp__spelling *q, gp__text *t) {
  const char *in = gp__in_name(q), *out = gp__out_name(q);
  const char *value = gp__device_type(q->acc_type, q->acc_struct); // what the load's functor returns
  const char *open = q->is_arg ? "gp_arg<" : "", *close = q->is_arg ? ">" : "";
  if (q->user_op) gp__add(t, "gp__op_1, ");
  else gp__add(t, "%s<%s>, ", gp__op_rows[q->op].functor, value);
  gp__add(t, "gp__load<%s, %s%s%s, ", in, open, value, close);
  if (q->user_transform) gp__add(t, "gp__op_2>, ");
  else gp__add(t, "%s<%s, %s>>, ", q->transform ? gp__op_rows[q->transform].functor : "gp_convert", in, value);
  gp__add(t, "%s, %s%s%s, %s%s%s>", in, open, value, close, open, out, close);
}

GPUPRIMS__PRIVATE void gp__name_predicate(gp_op op, const gp__op_info *user, const char *of_user, const char *in,
                                          gp__text *t) {
  if (user) gp__add(t, "gp__test<%s, %s>", of_user, in);
  else if (op) gp__add(t, "gp__compare<%s<%s>>", gp__op_rows[op].functor, in);
  else gp__add(t, "gp__none");
}

// What a stream does.
GPUPRIMS__PRIVATE void gp__name_body(const gp__spelling *q, gp__text *t) {
  const char *in = gp__in_name(q), *key = gp__key_name(q);
  if (q->primitive == GP_SELECT || q->primitive == GP_PARTITION) {
    gp__add(t, "gp__select<%d, %s, %s, ", q->primitive == GP_SELECT ? 1 : q->transform ? 3 : 2, in, key);
    if (q->op) gp__name_predicate(q->op, q->user_op, "gp__op_1", in, t);
    else gp__add(t, "gp__flag<%s>", key);
    gp__add(t, ", ");
    gp__name_predicate(q->transform, q->user_transform, "gp__op_2", in, t);
    gp__add(t, ">");
    return;
  }
  if (q->acc_size)
    gp__add(t, "gp__by_key<%s, %s, ",
            q->primitive == GP_REDUCE_BY_KEY ? "GP_REDUCE_BY_KEY"
            : q->primitive == GP_INCLUSIVE_SCAN_BY_KEY || q->primitive == GP_SEGMENTED_INCLUSIVE_SCAN
                ? "GP_INCLUSIVE_SCAN_BY_KEY"
                : "GP_EXCLUSIVE_SCAN_BY_KEY",
            q->has_init ? "true" : "false");
  else
    gp__add(t, "gp__runs<%s, ",
            q->primitive == GP_UNIQUE        ? "GP_UNIQUE"
            : q->primitive == GP_RUN_LENGTHS ? "GP_RUN_LENGTHS"
                                             : "GP_NONTRIVIAL_RUNS");
  if (q->offset_size) gp__add(t, "gp__offset_heads<%s>, ", gp__type_rows[q->offset_type].device);
  else if (q->equal == GP_HEADS) gp__add(t, "gp__flag_heads<%s>, ", key);
  else if (q->user_equal) gp__add(t, "gp__key_heads<%s, gp__op_3>, ", key);
  else gp__add(t, "gp__key_heads<%s, %s<%s>>, ", key, gp__op_rows[q->equal].functor, key);
  if (q->acc_size) gp__name_fold(q, t);
  else gp__add(t, "%s, %s>", in, q->out2_size ? gp__type_rows[q->out2_type].device : "gp__none");
}

// What a gather moves: words as large as alignment and size allow.
GPUPRIMS__PRIVATE void gp__name_gather(size_t size, size_t align, int index_bytes, gp__text *t) {
  const size_t word = size % 16 == 0 && align == 16 ? 16 : align > 8 ? 8 : align;
  gp__add(t, "%s, %lu, %s>",
          word == 16  ? "gp_vector"
          : word == 8 ? "gp__u64"
          : word == 4 ? "gp__u32"
          : word == 2 ? "unsigned short"
                      : "unsigned char",
          (unsigned long)(size / word), index_bytes == 4 ? "gp__u32" : "gp__u64");
}

// How a radix sort reads a key.
GPUPRIMS__PRIVATE void gp__name_radix_key(const gp__spelling *q, gp__text *t) {
  const char *key = gp__key_name(q);
  int i;
  if (q->user_transform) {
    gp__add(t, "gp__decomposed_key<%s, gp__op_2, %s>", key, gp__type_rows[q->acc_type].device);
  } else if (q->list_count) {
    gp__add(t, "gp__field_key<%s", key);
    for (i = 0; i < (int)q->list_count; ++i)
      gp__add(t, ", gp__key_field<%u, %s, %s>", (unsigned)(q->list[i] & 0xffff),
              gp__type_rows[q->list[i] >> 16 & 0xffff].device, q->list[i] >> 32 ? "true" : "false");
    gp__add(t, ">");
  } else {
    gp__add(t, q->numbers ? "gp__radix_number<%s>" : "gp__radix_key<%s>", key);
  }
}
GPUPRIMS__PRIVATE const char *gp__set_name(gp_primitive p) {
  return p == GP_SET_UNION          ? "SET_UNION"
         : p == GP_SET_INTERSECTION ? "SET_INTERSECTION"
         : p == GP_SET_DIFFERENCE   ? "SET_DIFFERENCE"
                                    : "SET_SYMMETRIC_DIFFERENCE";
}

// A tile, what a thread takes of it, both sides, and what moves.
GPUPRIMS__PRIVATE void gp__name_layouts(const gp__spelling *q, gp__text *t) {
  int i;
  gp__add(t, "%d, %d, gp__side<%d, %d>, gp__side<%d, %d>", q->tile, q->chunk, q->in_side, q->in_size, q->out_side,
          q->out_size);
  for (i = 0; i < (int)q->list_count; ++i)
    gp__add(t, ", gp__moved<%d, %d, %d>", (int)(q->list[i] & 0xffff), (int)(q->list[i] >> 16 & 0xffff) - 1,
            (int)(q->list[i] >> 32) - 1);
  gp__add(t, ">");
}
