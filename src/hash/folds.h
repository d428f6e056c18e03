// hash/folds.h - what the aggregates of a group by need of its elements
// uses: api/lists.h, api/structs.h, core/rules.h, hash/arguments.h, hash/numbers.h

// The type of an aggregate's results.
GPUPRIMS__PRIVATE gp_type gp__aggregate_type(const gp_aggregate *a) {
  return a->out_type                                                 ? a->out_type
      : a->op == GP_AGGREGATE_COUNT                                  ? GP_U64
      : a->op == GP_AGGREGATE_MEAN                                   ? GP_F64
      : a->op == GP_AGGREGATE_ARGMIN || a->op == GP_AGGREGATE_ARGMAX ? GP_I64
                                                                     : a->type;
}
// Lists what each aggregate needs of the elements in this pass. Words of a group: its rows, then those of each column.
GPUPRIMS__PRIVATE void gp__list_folds(const gp_aggregate *list, int count, int pass, gp__hash_args *a) {
  int i, word = 1;
  a->fold_count = 0;
  a->column_count = count;
#define GPUPRIMS__FOLD(kind, word_of) \
  { \
    gp__fold *fold = &a->folds[a->fold_count++]; \
    fold->in = of->column, fold->type = (int)of->type, fold->what = kind, fold->word = word_of; \
  }
  for (i = 0; i < a->column_count; ++i) {
    const gp_aggregate *of = &list[i];
    gp__column *column = &a->columns[i];
    const int least = of->op == GP_AGGREGATE_MIN || of->op == GP_AGGREGATE_ARGMIN;
    const int floats = gp__number_class((int)of->type) == 2;
    column->out = of->out;
    column->op = (int)of->op, column->type = (int)of->type, column->out_type = (int)gp__aggregate_type(of);
    column->word = word;
    switch (of->op) {
    case GP_AGGREGATE_MIN:
    case GP_AGGREGATE_MAX:
      if (!pass) GPUPRIMS__FOLD(least ? GP__FOLD_LEAST : GP__FOLD_MOST, word)
      word += 1;
      break;
    case GP_AGGREGATE_ARGMIN:
    case GP_AGGREGATE_ARGMAX:
      if (!pass) GPUPRIMS__FOLD(least ? GP__FOLD_LOW : GP__FOLD_HIGH, word)
      else GPUPRIMS__FOLD(least ? GP__FOLD_LOW_INDEX : GP__FOLD_HIGH_INDEX, word + 1)
      word += 2;
      break;
    case GP_AGGREGATE_SUM:
    case GP_AGGREGATE_MEAN:
      if (of->op == GP_AGGREGATE_SUM && !floats) {
        if (!pass) GPUPRIMS__FOLD(GP__FOLD_SUM, word)
        word += 1;
        break;
      }
      if (pass) GPUPRIMS__FOLD(GP__FOLD_WIDE, word + 1)
      else if (floats) GPUPRIMS__FOLD(GP__FOLD_RANGE, word)
      word += 3;
      break;
    default:
      break;
    }
  }
#undef GPUPRIMS__FOLD
  for (i = 0; i < a->column_count && !pass; ++i)
    if (a->columns[i].op == GP_AGGREGATE_COUNT || a->columns[i].op == GP_AGGREGATE_MEAN) {
      a->folds[a->fold_count++].what = GP__FOLD_ROW; // of word 0
      break;
    }
  a->group_words = word;
}
