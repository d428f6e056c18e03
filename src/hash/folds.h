// hash/folds.h - what the aggregates of a group by need of its elements
// uses: api/lists.h, api/structs.h, core/words.h, core/rules.h, hash/arguments.h, hash/numbers.h

// The type of an aggregate's results.
GP__HOST gp_type gp__aggregate_type(const gp_aggregate *a) {
  return a->out_type ? a->out_type
      : a->op == GP_AGGREGATE_COUNT ? GP_U64
      : a->op == GP_AGGREGATE_MEAN ? GP_F64
      : a->op == GP_AGGREGATE_ARGMIN || a->op == GP_AGGREGATE_ARGMAX ? GP_I64
      : a->type;
}
// Lists what the two passes fold for each aggregate. Returns a bit for each pass that folds something.
GP__HOST int gp__list_folds(const gp_aggregate *list, int count, gp__hash_args *a) {
  static const gp__u8 firsts[] = {0, 0, GP__FOLD_LEAST, GP__FOLD_MOST, 0, 0, GP__FOLD_LOW, GP__FOLD_HIGH};
  int i, passes = 0;
  a->group_words = 0;
  a->column_count = count;
  for (i = 0; i < count; ++i) {
    const gp_aggregate *of = &list[i];
    gp__column *column = &a->columns[i];
    const int floats = gp__number_class((int)of->type) == 2;
    column->in = of->column, column->out = of->out;
    column->op = (int)of->op, column->type = (int)of->type, column->out_type = (int)gp__aggregate_type(of);
    column->word = a->group_words;
    column->what[0] = firsts[of->op];
    column->what[1] = of->op == GP_AGGREGATE_ARGMIN ? GP__FOLD_LOW_INDEX
        : of->op == GP_AGGREGATE_ARGMAX ? GP__FOLD_HIGH_INDEX
        : 0;
    if (of->op == GP_AGGREGATE_SUM && !floats) column->what[0] = GP__FOLD_SUM;
    else if (of->op == GP_AGGREGATE_SUM || of->op == GP_AGGREGATE_MEAN) {
      column->what[0] = floats ? GP__FOLD_RANGE : 0;
      column->what[1] = GP__FOLD_WIDE;
    }
    a->group_words += column->what[1] == GP__FOLD_WIDE ? 3 : column->what[1] ? 2 : column->what[0] ? 1 : 0;
    passes |= (column->what[0] ? 1 : 0) | (column->what[1] ? 2 : 0);
  }
  return passes;
}
