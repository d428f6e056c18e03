"""Reductions and scans."""
from __future__ import annotations

import math
from typing import Any

from ._arrays import COMPLEX, FLOATS, INTEGERS, TYPES, View, cast, dense, merged
from . import _fast
from ._fast import run
from ._gpuprims import ffi, lib
from ._operators import Operator, operator_of
from ._work import NULL, Array, Work, check, flat, normal_axis

_BUILT_IN = {"sum": lib.GP_SUM, "prod": lib.GP_PROD, "min": lib.GP_MIN, "max": lib.GP_MAX, "and": lib.GP_AND,
             "or": lib.GP_OR, "bit_and": lib.GP_BIT_AND, "bit_or": lib.GP_BIT_OR, "bit_xor": lib.GP_BIT_XOR}

_INPUT = (("in in_type count", _fast.REAL, 0),)
_ROWS = (("in in_type -", _fast.REAL, 0),)


def _forms(ops: tuple[int, ...], whole: int, row: int, shapes: tuple[int, int]) -> dict[int, int]:
    """{operator: the form of a reduction or a scan}. Sums and products are as wide as NumPy's."""
    made = {}
    for op in ops:
        element = _fast.SUM if op in (lib.GP_SUM, lib.GP_PROD) else _fast.OWN
        rows = _fast.form(row, _ROWS, (("out out_type", element, shapes[1]),), op=op)
        made[op] = _fast.form(whole, _INPUT, (("out out_type", element, shapes[0]),), rows=rows, op=op)
    return made


_NUMBERS = (lib.GP_SUM, lib.GP_PROD, lib.GP_MIN, lib.GP_MAX)
_REDUCTIONS = _forms(_NUMBERS, lib.GP_REDUCE, lib.GP_REDUCE_AXIS, (_fast.NONE, _fast.ROWS))
_SCANS = _forms(_NUMBERS, lib.GP_INCLUSIVE_SCAN, lib.GP_SCAN_AXIS, (_fast.FLAT, _fast.SAME))
_TESTS = {op: _fast.form(primitive, _INPUT, (("out -", lib.GP_BOOL, _fast.NONE),), op=lib.GP_NOT_EQUAL,
                         scalar=_fast.ZERO)
          for op, primitive in ((lib.GP_OR, lib.GP_ANY), (lib.GP_AND, lib.GP_ALL))}
_COUNT = _fast.form(lib.GP_COUNT_IF, _INPUT, (("out_count -", lib.GP_I64, _fast.NONE),), op=lib.GP_NOT_EQUAL,
                    scalar=_fast.ZERO)


def _wide(work: Work, name: str) -> str:
    """NumPy's type of a sum: integers have 64 bits. PyTorch's is int64."""
    if name not in INTEGERS and name != "bool":
        return name
    return "uint64" if name.startswith("u") and work.library.wide_unsigned else "int64"


def _axes(view: View, axis: Any) -> tuple[int, ...]:
    """The axes to reduce, ascending."""
    if axis is None:
        return (0,) if len(view.shape) == 1 else tuple(range(len(view.shape)))
    given = axis if isinstance(axis, tuple) else (axis,)
    normal = tuple(sorted(normal_axis(one, len(view.shape)) for one in given))
    if len(set(normal)) < len(normal):
        raise ValueError(f"axis names one twice: {axis!r}")
    return normal


def _shape(view: View, axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    if not keepdims and len(axes) == len(view.shape):
        return ()
    if keepdims:
        return tuple(1 if d in axes else extent for d, extent in enumerate(view.shape))
    return tuple(extent for d, extent in enumerate(view.shape) if d not in axes)


def _fold(work: Work, op: int, view: View, axes: tuple[int, ...], out: View, acc: int = 0, init: Any = NULL) -> None:
    """out = the reduction of `view` along the axes, of which the order of C is kept."""
    if out.size == 0:
        return
    if len(axes) == len(view.shape) and view.contiguous:
        if not acc and init is NULL:
            check(lib.gp_reduce(work.handle, op, view.type, out.type, view.data, view.size, out.data,
                                work.stream))
        else:
            work.call(lib.GP_REDUCE, op=op, in_type=view.type, out_type=out.type, acc_type=acc, count=view.size,
                      in_=view.data, out=out.data, init=init)
        return
    rows = _rows(view, axes)
    if rows is None:  # a copy with the axes last
        kept = [d for d in range(len(view.shape)) if d not in axes]
        view = work.contiguous(view.permuted([*kept, *axes]))
        axes = tuple(range(len(kept), len(view.shape)))
        rows = _rows(view, axes)
    assert rows
    shape, strides, length, step = rows
    axes_ = ffi.new("gp_axes *", {"struct_size": ffi.sizeof("gp_axes"), "dimensions": len(shape) + 1,
                                  "axis": len(shape), "extent": [*shape, length], "in_stride": [*strides, step],
                                  "out_stride": [*dense(tuple(shape)), 1]})
    work.call(lib.GP_REDUCE_AXIS, op=op, in_type=view.type, out_type=out.type, acc_type=acc, axes=axes_, init=init,
              in_=view.data, out=out.data)


def _rows(view: View, axes: tuple[int, ...]) -> tuple[list[int], list[int], int, int] | None:
    """(Shape and strides of the rows, length and stride of a row), if a gp_axes can say it."""
    kept = [d for d in range(len(view.shape)) if d not in axes]
    shape, (strides,) = merged(tuple(view.shape[d] for d in kept), tuple(view.strides[d] for d in kept))
    row, (steps,) = merged(tuple(view.shape[d] for d in axes), tuple(view.strides[d] for d in axes))
    if not view.size:  # rows of no elements
        return [math.prod(view.shape[d] for d in kept)], [1], 0, 1
    if len(shape) > 3 or len(row) > 1:
        return None
    return shape, strides, row[0] if row else 1, steps[0] if steps else 1


def reduce(x: Array, op: str | Operator, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False,
           initial: Any = None, out: Array = None, stream: Any = None) -> Array:
    """The reduction of x by an operator: "sum", "prod", "min", "max", "and", "or", "bit_and", "bit_or", "bit_xor", or
    one of your own (gpuprims.operator). axis: None, an axis or a tuple of them. dtype: of the result and of the
    arithmetic. initial: an operand before the first element.

    No elements give the operator's identity; NumPy raises an error for min and max.
    """
    work = Work(stream, {"x": x})
    view = work["x"]
    name = work.library.name_of(dtype) if dtype is not None else view.name
    own = operator_of(op, _BUILT_IN)
    code = own if isinstance(own, int) else own.handle(work.context, name, name)
    axes = _axes(view, axis)
    result = work.out(out, _shape(view, axes, keepdims), name, view)
    init = NULL if initial is None else work.constant(name, initial)
    _fold(work, code, view, axes, result, 0 if initial is None else result.type, init)
    return work.finish(result)


def _named(op: int, x: Array, axis: Any, dtype: Any, keepdims: bool, out: Array, stream: Any, widen: bool) -> Array:
    if stream is None and dtype is None and not keepdims:
        made = run(_REDUCTIONS[op], axis, out, None, x)
        if made is not None:
            return made
    work = Work(stream, {"x": x})
    view = work.views["x"]
    axes = _axes(view, axis)
    name = (work.library.name_of(dtype) if dtype is not None else _wide(work, view.name) if widen else view.name)
    if not widen and math.prod(view.shape[d] for d in axes) == 0:
        raise ValueError("x has no elements along the axis, and a minimum or maximum needs one")
    result = work.out(out, _shape(view, axes, keepdims), name, view)
    _fold(work, op, view, axes, result)
    return work.finish(result)


def sum(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False, out: Array = None,
        stream: Any = None) -> Array:
    """numpy.sum. Integers are summed in 64 bits. float16 and bfloat16 are summed in float32 and rounded once."""
    return _named(lib.GP_SUM, x, axis, dtype, keepdims, out, stream, True)


def prod(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False, out: Array = None,
         stream: Any = None) -> Array:
    """numpy.prod, as sum."""
    return _named(lib.GP_PROD, x, axis, dtype, keepdims, out, stream, True)


def min(x: Array, /, *, axis: Any = None, keepdims: bool = False, out: Array = None, stream: Any = None) -> Array:
    """numpy.min: a NaN wins. Unlike there, -0 is below +0."""
    return _named(lib.GP_MIN, x, axis, None, keepdims, out, stream, False)


def max(x: Array, /, *, axis: Any = None, keepdims: bool = False, out: Array = None, stream: Any = None) -> Array:
    """numpy.max: a NaN wins. Unlike there, -0 is below +0."""
    return _named(lib.GP_MAX, x, axis, None, keepdims, out, stream, False)


def mean(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False, stream: Any = None) -> Array:
    """numpy.mean. Summed in float64 or complex128 whatever the type, then divided by the array's own library, rounded
    once."""
    work = Work(stream, {"x": x})
    view = work["x"]
    axes = _axes(view, axis)
    own = view.name if view.name in FLOATS or view.name in COMPLEX else "float64"
    name = work.library.name_of(dtype) if dtype is not None else own
    count = math.prod(view.shape[d] for d in axes)
    if count == 0:
        raise ValueError("x has no elements along the axis, and a mean needs one")
    wide = "complex128" if view.name in COMPLEX else "float64"
    total = work.empty(_shape(view, axes, keepdims), wide, view)
    _fold(work, lib.GP_SUM, view, axes, total)
    return work.finish_array(total.array / count, name, view)


def _arg(op: int, x: Array, axis: Any, keepdims: bool, out: Array, stream: Any) -> Array:
    work = Work(stream, {"x": x})
    view = work["x"]
    axes = tuple(range(len(view.shape))) if axis is None else (normal_axis(axis, len(view.shape)),)
    if math.prod(view.shape[d] for d in axes) == 0:
        raise ValueError("x has no elements along the axis, and the place of a minimum or maximum needs one")
    result = work.out(out, _shape(view, axes, keepdims), "int64", view)
    count = math.prod(result.shape)
    if count:
        pairs = work.empty((count, 2), "int64", view)  # struct { T value; int64_t index; } has 16 bytes
        _fold(work, op, view, axes, pairs.at(pairs.pointer, result.shape, dense(result.shape)).typed(view.type))
        index = ffi.new("gp_input *", lib.gp_input_strided(lib.GP_I64, cast(pairs.pointer + 8), 2))
        check(lib.gp_copy(work.handle, lib.GP_INPUT, index, count, result.data, work.stream))
    return work.finish(result)


def argmin(x: Array, /, *, axis: Any = None, keepdims: bool = False, out: Array = None, stream: Any = None) -> Array:
    """numpy.argmin: the first of equal ones, the first NaN if there is one."""
    return _arg(lib.GP_ARGMIN, x, axis, keepdims, out, stream)


def argmax(x: Array, /, *, axis: Any = None, keepdims: bool = False, out: Array = None, stream: Any = None) -> Array:
    """numpy.argmax: the first of equal ones, the first NaN if there is one."""
    return _arg(lib.GP_ARGMAX, x, axis, keepdims, out, stream)


def _logical(op: int, early: Any, x: Array, axis: Any, keepdims: bool, out: Array, stream: Any) -> Array:
    if stream is None and axis is None and not keepdims:
        made = run(_TESTS[op], axis, out, None, x)
        if made is not None:
            return made
    work = Work(stream, {"x": x})
    view = work["x"]
    axes = _axes(view, axis)
    result = work.out(out, _shape(view, axes, keepdims), "bool", view)
    if axis is None:
        kind, pointer = work.input(view)
        check(early(work.handle, lib.GP_NOT_EQUAL, kind, work.constant(view.name, 0), pointer, view.size,
                    ffi.cast("uint8_t *", result.data), work.stream))
    else:
        view = work.converted(view, "bool") if view.name in COMPLEX else view
        _fold(work, op, view, axes, result, view.type)
    return work.finish(result)


def any(x: Array, /, *, axis: Any = None, keepdims: bool = False, out: Array = None, stream: Any = None) -> Array:
    """numpy.any. Without an axis it ends at the first element that is not zero."""
    return _logical(lib.GP_OR, lib.gp_any, x, axis, keepdims, out, stream)


def all(x: Array, /, *, axis: Any = None, keepdims: bool = False, out: Array = None, stream: Any = None) -> Array:
    """numpy.all. Without an axis it ends at the first element that is zero."""
    return _logical(lib.GP_AND, lib.gp_all, x, axis, keepdims, out, stream)


def count_nonzero(x: Array, /, *, axis: Any = None, keepdims: bool = False, stream: Any = None) -> Array:
    """numpy.count_nonzero. With an axis, the array's own library compares with zero first."""
    if stream is None and axis is None and not keepdims:
        made = run(_COUNT, None, None, None, x)
        if made is not None:
            return made
    work = Work(stream, {"x": x})
    view = work["x"]
    if axis is not None:
        flags = (view.array if work.library.name == "numpy" else x) != 0
        return sum(flags, axis=axis, keepdims=keepdims, dtype="int64", stream=stream)
    result = work.empty(_shape(view, _axes(view, None), keepdims), "int64", view)
    kind, pointer = work.input(view)
    check(lib.gp_count_if(work.handle, lib.GP_NOT_EQUAL, kind, work.constant(view.name, 0), pointer, view.size,
                          ffi.cast("uint64_t *", result.data), work.stream))
    return work.finish(result)


# ---- scans


def scan(x: Array, op: str | Operator, /, *, axis: Any = None, dtype: Any = None, exclusive: bool = False,
         initial: Any = None, reverse: bool = False, out: Array = None, stream: Any = None) -> Array:
    """Running reductions: element i is x[0] op ... op x[i]; exclusive: op x[i - 1], and the first is `initial` or the
    operator's identity. reverse: from the last element on. axis None: of the flattened array. Operators as in
    reduce."""
    work = Work(stream, {"x": x})
    view = work["x"]
    name = work.library.name_of(dtype) if dtype is not None else view.name
    own = operator_of(op, _BUILT_IN)
    code = own if isinstance(own, int) else own.handle(work.context, name, name)
    if initial is not None and not exclusive:
        raise ValueError("initial needs exclusive=True")
    init = NULL if initial is None else work.constant(name, initial)
    return _scan(work, code, axis, name, exclusive, init, out, reverse)


def _scan(work: Work, op: int, axis: Any, name: str, exclusive: bool, init: Any, out: Array,
          reverse: bool = False) -> Array:
    view = work["x"]
    if axis is None and reverse:
        view, axis = flat(work.contiguous(view)), 0
    if (axis is None or len(view.shape) == 1) and not reverse:
        if axis is not None:
            normal_axis(axis, 1)
        result = work.out(out, (view.size,), name, view)
        kind, pointer = work.input(view)
        if exclusive:
            check(lib.gp_exclusive_scan(work.handle, op, kind, result.type, init, pointer, view.size,
                                        result.data, work.stream))
        else:
            check(lib.gp_inclusive_scan(work.handle, op, kind, result.type, pointer, view.size, result.data,
                                        work.stream))
        return work.finish(result)
    axis = normal_axis(axis, len(view.shape))
    result = work.out(out, view.shape, name, view)
    if view.size == 0:
        return work.finish(result)
    target = result
    if reverse:
        view, target = view.reversed(axis), result.reversed(axis)
    pointer, axes = work.along(view, axis, target)
    work.call(lib.GP_SCAN_AXIS, op=op, in_type=view.type, out_type=result.type, axes=axes, in_=pointer,
              out=target.data, init=init, flags=lib.GP_EXCLUSIVE if exclusive else 0)
    return work.finish(result)


def _running(op: int, x: Array, axis: Any, dtype: Any, out: Array, stream: Any, widen: bool) -> Array:
    if stream is None and dtype is None:
        made = run(_SCANS[op], axis, out, None, x)
        if made is not None:
            return made
    work = Work(stream, {"x": x})
    name = work["x"].name
    name = work.library.name_of(dtype) if dtype is not None else _wide(work, name) if widen else name
    return _scan(work, op, axis, name, False, NULL, out)


def cumsum(x: Array, /, *, axis: Any = None, dtype: Any = None, out: Array = None, stream: Any = None) -> Array:
    """numpy.cumsum. Sums of floats are grouped by tiles, so that they may differ in the last bits."""
    return _running(lib.GP_SUM, x, axis, dtype, out, stream, True)


def cumprod(x: Array, /, *, axis: Any = None, dtype: Any = None, out: Array = None, stream: Any = None) -> Array:
    """numpy.cumprod, as cumsum."""
    return _running(lib.GP_PROD, x, axis, dtype, out, stream, True)


def cummin(x: Array, /, *, axis: Any = None, out: Array = None, stream: Any = None) -> Array:
    """numpy.minimum.accumulate: from the first NaN on, NaN."""
    return _running(lib.GP_MIN, x, axis, None, out, stream, False)


def cummax(x: Array, /, *, axis: Any = None, out: Array = None, stream: Any = None) -> Array:
    """numpy.maximum.accumulate: from the first NaN on, NaN."""
    return _running(lib.GP_MAX, x, axis, None, out, stream, False)


def diff(x: Array, /, *, axis: Any = -1, out: Array = None, stream: Any = None) -> Array:
    """numpy.diff with n = 1: x[i + 1] - x[i]; bool: whether they differ."""
    work = Work(stream, {"x": x})
    view = work["x"]
    if not view.shape:
        raise ValueError("x has no dimension")
    axis = normal_axis(axis, len(view.shape))
    shape = tuple(extent - (d == axis and extent > 0) for d, extent in enumerate(view.shape))
    result = work.out(out, shape, view.name, view)
    if result.size == 0:
        return work.finish(result)
    first, back = work.axis_first(view, axis)
    target = result if back is None else work.empty((shape[axis], *first.shape[1:]), view.name, view)
    step = math.prod(first.shape[1:])
    op = lib.GP_BIT_XOR if view.name == "bool" else lib.GP_SUB
    check(lib.gp_transform2(work.handle, op, view.type, view.type, cast(first.pointer + step * view.itemsize),
                            first.data, target.size, target.data, work.stream))
    if back is not None:
        work.move(target, back, result)
    return work.finish(result)


# ---- segments


def _segment(op: int, x: Array, offsets: Array, out: Array, stream: Any, widen: bool) -> Array:
    work = Work(stream, {"x": x, "offsets": offsets})
    view, where = work["x"], work["offsets"]
    if len(view.shape) != 1 or len(where.shape) != 1:
        raise ValueError("x and offsets have one dimension")
    if where.name not in ("int32", "uint32", "int64", "uint64"):
        raise TypeError(f"offsets: its elements are {where.name}, not integers of 32 or 64 bits")
    if not where.size:
        raise ValueError("offsets is empty: n segments have n + 1 offsets")
    name = _wide(work, view.name) if widen else view.name
    result = work.out(out, (where.size - 1,), name, view)
    if not result.size:
        return work.finish(result)
    where = work.contiguous(where)
    work.check_offsets(where, view.size)
    segments = ffi.new("gp_segments *", lib.gp_segments_init(where.type, where.data, where.size - 1))
    kind, pointer = work.input(view)
    check(lib.gp_segmented_reduce(work.handle, op, kind, result.type, pointer, view.size, segments,
                                  result.data, work.stream))
    return work.finish(result)


def segment_sum(x: Array, offsets: Array, /, *, out: Array = None, stream: Any = None) -> Array:
    """out[s] = sum(x[offsets[s]:offsets[s + 1]]). Offsets, not segment ids as jax.ops.segment_sum has them. They are
    checked on the host and trusted on a GPU."""
    return _segment(lib.GP_SUM, x, offsets, out, stream, True)


def segment_min(x: Array, offsets: Array, /, *, out: Array = None, stream: Any = None) -> Array:
    """out[s] = min(x[offsets[s]:offsets[s + 1]]); of no elements: the type's largest value."""
    return _segment(lib.GP_MIN, x, offsets, out, stream, False)


def segment_max(x: Array, offsets: Array, /, *, out: Array = None, stream: Any = None) -> Array:
    """out[s] = max(x[offsets[s]:offsets[s + 1]]); of no elements: the type's least value."""
    return _segment(lib.GP_MAX, x, offsets, out, stream, False)


__all__ = ["all", "any", "argmax", "argmin", "count_nonzero", "cummax", "cummin", "cumprod", "cumsum", "diff", "flat",
           "max", "mean", "min", "prod", "reduce", "scan", "segment_max", "segment_min", "segment_sum", "sum", "TYPES"]
