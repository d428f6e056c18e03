// group_by/kinds.c - the kernels of group by

#define GP__KINDS_OF_GROUP_BY(X) X(GROUP_TABLE, gp__group_table, gp__group_args, groups, 0)
