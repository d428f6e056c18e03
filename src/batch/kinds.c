// batch/kinds.c - the kernel of copies of many buffers

#define GP__KINDS_OF_BATCH(X) X(COPY_BATCH, gp__copy_batch, gp__batch_args, offset, 0)
