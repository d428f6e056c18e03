// host/config.c - how the host back end runs a call; parallel loops

// The order of operations. Integers, minimum, maximum, the bitwise and the logical operators, ARGMIN and ARGMAX give
// the same bits in any order. Sums and products of floats, and users' operators, do not: for them the host walks the
// same trees as the reproducible kernels (GP__CANONICAL_... in >>policy), with and without GP_REPRODUCIBLE, for any
// number of threads. Inside a segment or a run it goes from left to right. Elements that need a conversion, a transform
// or a normalisation pass through a small buffer: input -> widest type of its kind -> accumulator. A product that is
// added to something is stored first, so that no compiler contracts the two to a fused multiply-add, which rounds
// differently. Sign and payload of NaN results are unspecified. Identities are two-sided: op(x, identity) is x too.

#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#define GP__PARALLEL_FOR _Pragma("omp parallel for schedule(static) num_threads(threads) if (threads > 1)")
#define GP__PARALLEL_UNEVEN _Pragma("omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)")
#define GP__ONE_AT_A_TIME _Pragma("omp critical") // a named one would be a symbol of the library
#else
#define GP__PARALLEL_FOR
#define GP__PARALLEL_UNEVEN
#define GP__ONE_AT_A_TIME
#endif
