// columns/kinds.c - the kernel of sorts of columns

#define GP__KINDS_OF_COLUMNS(X) X(GATHER_COLUMNS, gp__gather_columns, gp__columns_args, offset, 0)
