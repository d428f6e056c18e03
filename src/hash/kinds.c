// hash/kinds.c - the kernels of calls with hash tables

#define GP__KINDS_OF_HASH(X) \
  X(HASH_INSERT, gp__hash_insert, gp__hash_args, hash_key, 0) \
  X(HASH_TAKE, gp__hash_take, gp__hash_args, nothing, 0) \
  X(HASH_NUMBER, gp__hash_number, gp__hash_args, hash_key, 0) \
  X(HASH_FOLD, gp__hash_fold, gp__hash_args, nothing, 0) \
  X(HASH_FINISH, gp__hash_finish, gp__hash_args, nothing, 0) \
  X(JOIN_ENDS, gp__join_ends, gp__hash_args, nothing, 0) \
  X(JOIN_PROBE, gp__join_probe, gp__hash_args, hash_key, 0) \
  X(JOIN_PAIRS, gp__join_pairs, gp__hash_args, offset, 0)
