"""gpuprims: CUDA's parallel primitives on arrays of NumPy, PyTorch, CuPy and JAX.

    import gpuprims as gp
    gp.sort(x), gp.cumsum(x, axis=1), gp.topk(x, 10), gp.group_by(keys, values, ("sum", "mean"))

Arrays of NumPy run on the host back end, arrays in a GPU's memory on that GPU, on the current stream of their library;
results belong to the same library. gpuprims.raw is the C API, one to one.
"""
from . import errors, raw
from ._context import Allocator, Context, show_config, use
from ._graphs import bfs, connected_components
from ._moving import (bincount, compress, count_if, flatnonzero, flip, histogram, nonzero, partition, permutation,
                      permute, put, reverse, roll, select, shuffle, take, transform, transpose)
from ._operators import Operator, maximum, minimum, operator, where
from ._reductions import (all, any, argmax, argmin, count_nonzero, cummax, cummin, cumprod, cumsum, diff, max, mean,
                          min, prod, reduce, scan, segment_max, segment_min, segment_sum, sum)
from ._sorting import (argsort, group_by, intersect1d, isin, merge, nth_element, searchsorted, segment_topk, setdiff1d,
                       setxor1d, sort, topk, union1d, unique)
from ._work import Sized
from .errors import GpuprimsError

__version__: str = raw.GPUPRIMS_VERSION
__all__ = [
    "Allocator", "Context", "GpuprimsError", "Operator", "Sized", "all", "any", "argmax", "argmin", "argsort", "bfs",
    "bincount", "compress", "connected_components", "count_if", "count_nonzero", "cummax", "cummin", "cumprod",
    "cumsum", "diff", "errors", "flatnonzero", "flip", "group_by", "histogram", "intersect1d", "isin", "max",
    "maximum", "mean", "merge", "min", "minimum", "nonzero", "nth_element", "operator", "partition", "permutation",
    "permute", "prod", "put", "raw", "reduce", "reverse", "roll", "scan", "searchsorted", "segment_max", "segment_min",
    "segment_sum", "segment_topk", "select", "setdiff1d", "setxor1d", "show_config", "shuffle", "sort", "sum", "take",
    "topk", "transform", "transpose", "union1d", "unique", "use", "where"]
