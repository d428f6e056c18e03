"""PyTorch: calls of the package as operators of torch.library, so that torch.compile takes them; derivatives of cumsum,
sort, topk, segment_sum and gather; accelerate(), which puts them in the place of PyTorch's own.

    import gpuprims.torch as gpt
    gpt.segment_sum(x, offsets).sum().backward()

The operators are torch.ops.gpuprims.cumsum and so on. Tensors are on the host or on a CUDA device.
"""
from __future__ import annotations

import importlib
from typing import Any

from . import _moving, _reductions, _sorting
from ._arrays import TYPES, cast
from ._gpuprims import lib
from ._switch import Declined, Switch
from ._work import Work, check

torch: Any = importlib.import_module("torch")
Tensor = Any

_LIBRARY = torch.library.Library("gpuprims", "DEF")


def _operator(schema: str, run: Any, fake: Any, setup: Any = None, backward: Any = None) -> Any:
    """An operator: what runs it, its fake kernel (shapes and types alone), its derivative."""
    name = schema.partition("(")[0]
    _LIBRARY.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    for key in ("CPU", "CUDA"):
        _LIBRARY.impl(name, run, key)
    torch.library.register_fake(f"gpuprims::{name}", fake, lib=_LIBRARY)
    if backward is not None:
        torch.library.register_autograd(f"gpuprims::{name}", backward, setup_context=setup, lib=_LIBRARY)
    return getattr(torch.ops.gpuprims, name).default


_modes = torch._C._len_torch_dispatch_stack
_tracing = torch._C._get_tracing_state
_transforms = torch._C._functorch.peek_interpreter_stack


def _eager(x: Tensor, *others: Any) -> bool:
    """Does nothing but the call ask for its result? No derivative, compiler, tracer, mode or transform: then PyTorch's
    dispatcher, which takes longer than the call, is left out. It also has the errors of other arguments' types."""
    for one in others:
        if type(one) is not torch.Tensor or one.requires_grad:
            return False
    return (not torch.compiler.is_compiling() and type(x) is torch.Tensor and not x.requires_grad
            and x.layout is torch.strided and not _modes() and _transforms() is None and _tracing() is None)


def _dimensions(x: Tensor) -> int:
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x is {type(x).__name__}, not a tensor")
    return int(x.dim())


def _plain(x: Tensor) -> Tensor:
    return x.detach() if x.requires_grad else x


# ---- cumsum


def _sum_type(x: Tensor, dtype: Any) -> Any:
    """PyTorch's type of a sum."""
    return dtype or (x.dtype if x.dtype.is_floating_point or x.dtype.is_complex else torch.int64)


def _run_cumsum(x: Tensor, dim: int, dtype: Any = None, reverse: bool = False) -> Tensor:
    if dtype is None and not reverse:
        return _reductions.cumsum(_plain(x), axis=dim)
    return _reductions.scan(_plain(x), "sum", axis=dim, dtype=_sum_type(x, dtype), reverse=reverse)


def _setup_cumsum(ctx: Any, inputs: Any, output: Any) -> None:
    x, ctx.dim, _, ctx.reverse = inputs
    ctx.dtype = x.dtype


def _back_cumsum(ctx: Any, grad: Tensor) -> Any:
    return _CUMSUM(grad, ctx.dim, None, not ctx.reverse).to(ctx.dtype), None, None, None


_CUMSUM = _operator("cumsum(Tensor x, int dim, ScalarType? dtype=None, bool reverse=False) -> Tensor", _run_cumsum,
                    lambda x, dim, dtype=None, reverse=False: x.new_empty(x.shape, dtype=_sum_type(x, dtype)),
                    _setup_cumsum, _back_cumsum)


def cumsum(x: Tensor, dim: int, /, *, dtype: Any = None, reverse: bool = False) -> Tensor:
    """torch.cumsum; reverse: from the last element on. It has a derivative."""
    if _dimensions(x) == 0:
        return _CUMSUM(x.reshape(1), dim, dtype, reverse).reshape(())
    return (_run_cumsum if _eager(x) else _CUMSUM)(x, dim, dtype, reverse)


# ---- sort, topk


def _setup_order(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.shape, ctx.dim = inputs[0].shape, inputs[2 if len(inputs) > 3 else 1]
    ctx.save_for_backward(output[1])
    ctx.set_materialize_grads(False)


def _scattered(ctx: Any, grad: Tensor) -> Any:
    """The derivative of a choice of elements: each gets what was asked of it where it went."""
    if grad is None:
        return None
    return grad.new_zeros(ctx.shape).scatter(ctx.dim, ctx.saved_tensors[0], grad)


def _run_sort(x: Tensor, dim: int, descending: bool) -> tuple[Tensor, Tensor]:
    return _sorting.sort_with_indices(_plain(x), dim, descending)


_SORT = _operator("sort(Tensor x, int dim, bool descending) -> (Tensor, Tensor)", _run_sort,
                  lambda x, dim, descending: (x.new_empty(x.shape), x.new_empty(x.shape, dtype=torch.int64)),
                  _setup_order, lambda ctx, values, indices: (_scattered(ctx, values), None, None))


def sort(x: Tensor, dim: int = -1, /, *, descending: bool = False) -> tuple[Tensor, Tensor]:
    """torch.sort, always stable: (values, indices). Floats in IEEE 754 total order: -0 is below +0, and a NaN with the
    sign bit below all numbers. It has a derivative."""
    if _dimensions(x) == 0:
        values, indices = _SORT(x.reshape(1), dim, descending)
        return values.reshape(()), indices.reshape(())
    values, indices = (_run_sort if _eager(x) else _SORT)(x, dim, descending)
    return values, indices


def _run_topk(x: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Tensor, Tensor]:
    return _sorting.topk(_plain(x), k, axis=dim, largest=largest, sorted=sorted)


def _fake_topk(x: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Tensor, Tensor]:
    shape = list(x.shape)
    shape[dim] = k
    return x.new_empty(shape), x.new_empty(shape, dtype=torch.int64)


_TOPK = _operator("topk(Tensor x, int k, int dim, bool largest, bool sorted) -> (Tensor, Tensor)", _run_topk,
                  _fake_topk, _setup_order,
                  lambda ctx, values, indices: (_scattered(ctx, values), None, None, None, None))


def topk(x: Tensor, k: int, dim: int = -1, /, *, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """torch.topk: (values, indices). Of equal elements those that come first; floats in total order, as in sort. It has
    a derivative."""
    values, indices = (_run_topk if _eager(x) else _TOPK)(x, k, dim, largest, sorted)
    return values, indices


# ---- segments


def _run_segment_sum(x: Tensor, offsets: Tensor) -> Tensor:
    return _reductions.segment_sum(_plain(x), offsets)


def _run_segment_expand(x: Tensor, offsets: Tensor, count: int) -> Tensor:
    """Elements outside of all segments are those of two more segments, whose value is 0."""
    x, zero = x.detach(), x.new_zeros(1)
    ends = offsets.new_tensor([0, count])
    work = Work(None, {"x": torch.cat((zero, x, zero)), "offsets": torch.cat((ends[:1], offsets, ends[1:]))})
    values, where = work["x"], work["offsets"]
    if values.size != where.size - 1:
        raise ValueError(f"x has {x.numel()} elements, and offsets {offsets.numel()}: n segments have n + 1 offsets")
    work.check_offsets(where, count)
    result = work.empty((count,), values.name, values)
    check(lib.gp_expand(work.handle, work.type_of(values), where.type, values.data, where.data,
                        values.size, result.data, count, work.stream))
    return work.finish(result)


def _setup_segment(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.count, ctx.dtype = inputs[0].shape[0], inputs[0].dtype
    ctx.save_for_backward(inputs[1])


def _back_segment_sum(ctx: Any, grad: Tensor) -> Any:
    return _EXPAND(grad, ctx.saved_tensors[0], ctx.count).to(ctx.dtype), None


_SEGMENT_SUM = _operator("segment_sum(Tensor x, Tensor offsets) -> Tensor", _run_segment_sum,
                         lambda x, offsets: x.new_empty((offsets.shape[0] - 1,), dtype=_sum_type(x, None)),
                         _setup_segment, _back_segment_sum)
_EXPAND = _operator("segment_expand(Tensor x, Tensor offsets, SymInt count) -> Tensor", _run_segment_expand,
                    lambda x, offsets, count: x.new_empty((count,)), _setup_segment,
                    lambda ctx, grad: (_SEGMENT_SUM(grad, ctx.saved_tensors[0]).to(ctx.dtype), None, None))


def segment_sum(x: Tensor, offsets: Tensor, /) -> Tensor:
    """out[s] = x[offsets[s]:offsets[s + 1]].sum(). It has a derivative."""
    return (_run_segment_sum if _eager(x, offsets) else _SEGMENT_SUM)(x, offsets)


def segment_expand(x: Tensor, offsets: Tensor, count: int, /) -> Tensor:
    """The derivative of segment_sum: out[i] = x[s] for each i from offsets[s] up to offsets[s + 1], otherwise 0, for i
    below count. It has a derivative."""
    return _EXPAND(x, offsets, count)


# ---- gather


def _run_gather(x: Tensor, index: Tensor) -> Tensor:
    return _moving.take(_plain(x), index)


def _run_gathered(grad: Tensor, index: Tensor, count: int) -> Tensor:
    """The sums of what was asked of each element, in float64."""
    if grad.dtype.is_complex:
        raise TypeError("gather has no derivative for complex numbers")
    weights = grad.detach().reshape(-1)
    weights = weights if weights.dtype == torch.float64 else weights.float()
    place = index.reshape(-1)
    if place.device.type == "cpu" and count:
        place = place % count  # negative ones count from the end there
    return _moving.bincount(place, weights, length=count).to(grad.dtype)


def _setup_gather(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.shape = inputs[0].shape
    ctx.save_for_backward(inputs[1])


_GATHERED: Any
_GATHER = _operator("gather(Tensor x, Tensor index) -> Tensor", _run_gather,
                    lambda x, index: x.new_empty(index.shape), _setup_gather,
                    lambda ctx, grad: (_GATHERED(grad, ctx.saved_tensors[0], ctx.shape.numel()).reshape(ctx.shape),
                                       None))
_GATHERED = _operator("gather_backward(Tensor grad, Tensor index, SymInt count) -> Tensor", _run_gathered,
                      lambda grad, index, count: grad.new_empty((count,)), _setup_gather,
                      lambda ctx, grad: (_GATHER(grad, ctx.saved_tensors[0]), None, None))


def gather(x: Tensor, index: Tensor, /) -> Tensor:
    """torch.take: x.flatten()[index]. On a GPU an index that x does not have, a negative one too, gives 0. It has a
    derivative: sums in float64, in no order."""
    return (_run_gather if _eager(x, index) else _GATHER)(x, index)


# ---- results whose size the data decides; counts


def _run_unique(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    made: tuple[Tensor, Tensor, Tensor] = _sorting.unique(x, return_inverse=True, return_counts=True, sync=True)
    return made


def _fake_unique(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    found = torch.library.get_ctx().new_dynamic_size()
    return (x.new_empty((found,)), x.new_empty(x.shape, dtype=torch.int64),
            x.new_empty((found,), dtype=torch.int64))


_UNIQUE = _operator("unique(Tensor x) -> (Tensor, Tensor, Tensor)", _run_unique, _fake_unique)


def unique(x: Tensor, /) -> tuple[Tensor, Tensor, Tensor]:
    """torch.unique of all elements: (the distinct ones, ascending; the inverse; how often each occurs). It waits for
    their number."""
    values, inverse, counts = (_run_unique if _eager(x) else _UNIQUE)(x)
    return values, inverse, counts


def _run_bincount(x: Tensor, weights: Tensor | None, length: int) -> Tensor:
    return _moving.bincount(x, None if weights is None else weights.detach(), length=length)


_BINCOUNT = _operator("bincount(Tensor x, Tensor? weights, SymInt length) -> Tensor", _run_bincount,
                      lambda x, weights, length: x.new_empty(
                          (length,), dtype=torch.int64 if weights is None else torch.float64))


def bincount(x: Tensor, weights: Tensor | None = None, /, *, length: int) -> Tensor:
    """torch.bincount with `length` bins; elements beyond are not counted. Sums of weights are float64."""
    direct = _eager(x) if weights is None else _eager(x, weights)
    return (_run_bincount if direct else _BINCOUNT)(x, weights, length)


def _run_histc(x: Tensor, bins: int, min: float, max: float) -> Tensor:
    return _moving.counts_in_bins(_plain(x), bins, (float(min), float(max))).to(x.dtype)


_HISTC = _operator("histc(Tensor x, int bins, float min, float max) -> Tensor", _run_histc,
                   lambda x, bins, min, max: x.new_empty((bins,)))


def histc(x: Tensor, bins: int, min: float, max: float, /) -> Tensor:
    """torch.histc of the elements from min to max; a bin is found by comparison with its edges."""
    return (_run_histc if _eager(x) else _HISTC)(x, bins, min, max)


# ---- in the place of PyTorch's functions


def _sort(x: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Any:
    return torch.return_types.sort(sort(x, dim, descending=descending))


def _argsort(x: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Any:
    if _eager(x) and x.dim():
        return _sorting.argsort(x, axis=dim, descending=descending)
    return sort(x, dim, descending=descending)[1]


def _cumsum(x: Tensor, dim: int, *, dtype: Any = None) -> Any:
    return cumsum(x, dim, dtype=dtype)


def _topk(x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    if x.dim() == 0 or not 0 <= k <= x.shape[dim]:
        raise Declined
    return torch.return_types.topk(topk(x, k, dim, largest=largest, sorted=sorted))


def _unique(x: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
            dim: None = None) -> Any:
    if dim is not None or x.requires_grad:
        raise Declined
    made = _sorting.unique(x, return_inverse=return_inverse, return_counts=return_counts, sync=True)
    return made


def _bincount(x: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Any:
    if x.dim() != 1 or not x.numel() or weights is not None and (weights.requires_grad or weights.shape != x.shape):
        raise Declined
    made = _moving.bincount(x, weights, minlength=minlength, sync=True)  # negative ones are a ValueError
    return made.to(torch.float32) if weights is not None and weights.dtype == torch.float32 else made


def _histc(x: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    if x.dtype not in (torch.float32, torch.float64) or x.requires_grad or min > max or not x.numel():
        raise Declined
    low, high = float(min), float(max)
    if low == high:
        low, high = _moving.ends_of(x)
        low, high = (low - 1, high + 1) if low == high else (low, high)
    if not (abs(low) < float("inf") and abs(high) < float("inf")):  # NaN too
        raise Declined
    return histc(x, bins, low, high)


def replacements() -> dict[str, Any]:
    """{name: what accelerate() puts in the place of PyTorch's function}, for measurements."""
    return dict(_FUNCTIONS)


_FUNCTIONS: dict[str, Any] = {"sort": _sort, "argsort": _argsort, "cumsum": _cumsum, "topk": _topk, "unique": _unique,
                              "bincount": _bincount, "histc": _histc}
_TYPES = frozenset(getattr(torch, name) for name in TYPES
                   if hasattr(torch, name) and "complex" not in name and "float8" not in name)


def accelerate(*names: str, least: int | dict[str, int] | None = None, host: bool = False) -> Switch:
    """Replaces functions of PyTorch, and methods of its tensors, by this module's, until undo() of the result is
    called or its `with` block ends: sort, argsort, cumsum, topk, unique, bincount, histc; without names, all. A call
    goes to PyTorch as before if its tensor is not on a CUDA device (host: nor on the host), is smaller than the
    function's rule says, has another element type, or is of a subclass; if it has arguments that are not here, such as
    out=; and within torch.compile.

    least: from which number of elements on, for all functions or by name. Without it measured rules decide, and a
    function that has none is left as it is.

    Results are PyTorch's but for these: floats are sorted in total order (-0 below +0, a NaN with the sign bit first),
    of equal elements topk takes those that come first, sums of floats are grouped otherwise, and histc compares with
    its bins' edges.
    """
    devices = ("cuda", "cpu") if host else ("cuda",)
    plain = (torch.Tensor, torch.nn.Parameter)

    def fits(x: Any, number: int) -> bool:
        return (not torch.compiler.is_compiling() and type(x) in plain and x.device.type in devices
                and x.layout is torch.strided and x.dtype in _TYPES and x.numel() >= number)

    places = {name: [(torch, name), (torch.Tensor, name)] for name in _FUNCTIONS}
    return Switch("torch", places, _FUNCTIONS, names, least, fits)


__all__ = ["accelerate", "bincount", "cumsum", "gather", "histc", "segment_expand", "segment_sum", "sort", "topk",
           "unique"]
