// histogram/kinds.c - the kernels of histograms

#define GP__KINDS_OF_HISTOGRAM(X) X(HISTOGRAM, gp__histogram, gp__histogram_args, histogram, 0)
