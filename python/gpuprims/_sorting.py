"""Sorts, top-k, distinct elements, sets, searches, group by."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._arrays import COMPLEX, TYPES, View, cast
from . import _fast
from ._fast import run
from ._gpuprims import ffi, lib
from ._operators import Operator, operator_of
from ._work import NULL, Array, Work, check, flat, natural, normal_axis, sized


def _orders(keys: bool, indices: bool, flags: int) -> int:
    """The form of a sort: of its keys, of their indices, or both."""
    outs = [("out_keys -", _fast.OWN)] * keys + [("out -", lib.GP_I64)] * indices
    types = {"out_type": lib.GP_I64} if indices else {}
    rows = _fast.form(lib.GP_SORT_AXIS, (("keys key_type -", _fast.REAL, 0),),
                      tuple((*one, _fast.SAME) for one in outs), how=flags, **types)
    return _fast.form(lib.GP_SORT, (("keys key_type count", _fast.REAL, 0),),
                      tuple((*one, _fast.FLAT) for one in outs), rows=rows, how=flags, **types)


def _best(largest: bool, in_order: bool) -> int:
    """The form of a top-k."""
    both: dict[str, Any] = {"how": (lib.GP_DESCENDING if largest else 0) | (0 if in_order else lib.GP_UNSORTED),
                            "out_type": lib.GP_I64, "flags": _fast.AXIS}
    arrays = ((("keys key_type -", _fast.REAL, 0),),
              (("out_keys -", _fast.OWN, _fast.KEPT), ("out -", lib.GP_I64, _fast.KEPT)))
    return _fast.form(lib.GP_TOP_K_AXIS, *arrays, rows=_fast.form(lib.GP_TOP_K_AXIS, *arrays, **both), **both)


_FLAGS = (0, lib.GP_DESCENDING)
_SORT, _ARGSORT, _BOTH = (tuple(_orders(keys, indices, flags) for flags in _FLAGS)
                          for keys, indices in ((True, False), (False, True), (True, True)))
_TOPK = {(largest, in_order): _best(largest, in_order) for largest in (False, True) for in_order in (False, True)}
_DISTINCT = _fast.now_or_later(lib.GP_UNIQUE, (("keys key_type count", _fast.REAL, 0),),
                               (("out_keys -", _fast.OWN, _fast.FLAT), ("out_count -", lib.GP_I64, _fast.NONE)))
_TABLE = (("keys in_type key_count", _fast.REAL, 0), ("in - count", _fast.REAL, _fast.TYPE))
_SEARCH = {side: _fast.form(primitive, _TABLE, (("out -", lib.GP_I64, _fast.LAST),), op=lib.GP_LESS,
                            out_type=lib.GP_U64, flags=_fast.AXIS)
           for side, primitive in (("left", lib.GP_LOWER_BOUND), ("right", lib.GP_UPPER_BOUND))}


def _one(view: View, argument: str) -> View:
    if len(view.shape) != 1:
        raise ValueError(f"{argument} has {len(view.shape)} dimensions, not one")
    return view


def _sort_rows(work: Work, view: View, axis: int, flags: int, keys: View | None, index: View | None) -> None:
    """Sorts each row along an axis; keys, index: where the elements and their indices go."""
    if not view.size:
        return
    if view.name in COMPLEX:
        _sort_complex_rows(work, view, axis, flags, keys, index)
        return
    like = keys if keys is not None else index
    assert like is not None
    pointer, axes = work.along(view, axis, like)
    if index is None:
        check(lib.gp_sort_axis(work.handle, view.type, axes, pointer, like.data, flags, work.stream))
    else:
        check(lib.gp_argsort_axis(work.handle, view.type, lib.GP_I64, axes, pointer, NULL if keys is None else
                                  keys.data, index.data, flags, work.stream))


def _sort_complex_rows(work: Work, view: View, axis: int, flags: int, keys: View | None, index: View | None) -> None:
    """All elements are sorted, then, stably, by where their row starts."""
    last = [*(d for d in range(len(view.shape)) if d != axis), axis]
    source, n, rows = work.contiguous(view.permuted(last)), view.size, view.size // view.shape[axis]
    bounds = work.offsets(rows, view.shape[axis], view)
    starts, order, places, ordered = (work.empty((n,), "int64", view) for _ in range(4))
    handle, stream, wide = work.handle, work.stream, lib.GP_U64
    check(lib.gp_expand(handle, wide, wide, bounds.data, bounds.data, rows, starts.data, n, stream))
    check(lib.gp_argsort(handle, source.type, wide, source.data, n, NULL, order.data, flags, stream))
    check(lib.gp_gather(handle, wide, wide, starts.data, n, order.data, n, places.data, stream))
    check(lib.gp_sort_pairs(handle, wide, wide, places.data, order.data, n, starts.data, ordered.data, 0, stream))
    for result in (keys, index):
        if result is None:
            continue
        target = result if axis == len(view.shape) - 1 else work.empty(source.shape, result.name, view)
        if result is keys:
            check(lib.gp_gather(handle, source.type, wide, source.data, n, ordered.data, n, target.data, stream))
        else:
            check(lib.gp_transform2(handle, lib.GP_SUB, lib.GP_I64, lib.GP_I64, ordered.data, starts.data, n,
                                    target.data, stream))
        if target is not result:
            work.move(target, last, result)


def sort(x: Array, /, *, axis: Any = -1, descending: bool = False, out: Array = None, stream: Any = None) -> Array:
    """numpy.sort, always stable. Floats in IEEE 754 total order: unlike there, -0 is below +0 and a NaN with the sign
    bit below all numbers. Complex numbers in NumPy's order: by the real part, then the imaginary one, NaN last, -0
    equal to 0. axis None: of the flattened array."""
    if stream is None:
        made = run(_SORT[1 if descending else 0], axis, out, None, x)
        if made is not None:
            return made
    work = Work(stream, {"x": x})
    view = work["x"]
    flags = lib.GP_DESCENDING if descending else 0
    if axis is None or len(view.shape) == 1:
        if axis is not None:
            normal_axis(axis, 1)
        result = work.out(out, (view.size,), view.name, view)
        source = work.contiguous(view)
        check(lib.gp_sort_keys(work.handle, view.type, source.data, view.size, result.data, flags,
                               work.stream))
        return work.finish(result)
    axis = normal_axis(axis, len(view.shape))
    result = work.out(out, view.shape, view.name, view)
    _sort_rows(work, view, axis, flags, result, None)
    return work.finish(result)


def argsort(x: Array, /, *, axis: Any = -1, descending: bool = False, out: Array = None, stream: Any = None) -> Array:
    """numpy.argsort with kind="stable", in the order of sort; int64. Descending: equal elements keep their order."""
    if stream is None:
        made = run(_ARGSORT[1 if descending else 0], axis, out, None, x)
        if made is not None:
            return made
    work = Work(stream, {"x": x})
    view = work["x"]
    flags = lib.GP_DESCENDING if descending else 0
    if axis is None or len(view.shape) == 1:
        if axis is not None:
            normal_axis(axis, 1)
        result = work.out(out, (view.size,), "int64", view)
        source = work.contiguous(view)
        check(lib.gp_argsort(work.handle, view.type, lib.GP_U64, source.data, view.size, NULL,
                             result.data, flags, work.stream))
        return work.finish(result)
    axis = normal_axis(axis, len(view.shape))
    result = work.out(out, view.shape, "int64", view)
    _sort_rows(work, view, axis, flags, None, result)
    return work.finish(result)


def sort_with_indices(x: Array, axis: int, descending: bool) -> tuple[Array, Array]:
    """(sort, argsort) in one call."""
    made: tuple[Array, Array] | None = run(_BOTH[1 if descending else 0], axis, None, None, x)
    if made is not None:
        return made
    work = Work(None, {"x": x})
    view = work["x"]
    axis = normal_axis(axis, len(view.shape))
    keys, index = work.empty(view.shape, view.name, view), work.empty(view.shape, "int64", view)
    flags = lib.GP_DESCENDING if descending else 0
    if len(view.shape) == 1:
        source = work.contiguous(view)
        check(lib.gp_argsort(work.handle, view.type, lib.GP_I64, source.data, view.size, keys.data,
                             index.data, flags, work.stream))
    else:
        _sort_rows(work, view, axis, flags, keys, index)
    return work.finish(keys), work.finish(index)


def topk(x: Array, k: int, /, *, axis: Any = -1, largest: bool = True, sorted: bool = True,
         order: str | Operator | None = None, stream: Any = None) -> tuple[Array, Array]:
    """torch.topk: (values, indices) of the k largest elements along an axis. Of equal ones those that come first, which
    PyTorch leaves open. Not sorted: the order is the library's choice, the same in each call. order: "<", or an
    operator of your own with two operands: whether a comes before b; the largest come last in it."""
    if stream is None and k is not None and order is None:
        made: tuple[Array, Array] | None = run(_TOPK[bool(largest), bool(sorted)], axis, None, k, x)
        if made is not None:
            return made
    work = Work(stream, {"x": x})
    view, k = work["x"], natural("k", k)
    if not view.shape:
        raise ValueError("x has no dimension")
    axis = normal_axis(axis, len(view.shape))
    if k > view.shape[axis]:
        raise ValueError(f"k is {k}, and there are {view.shape[axis]} elements along the axis")
    flags = (lib.GP_DESCENDING if largest else 0) | (0 if sorted else lib.GP_UNSORTED)
    shape = (*view.shape[:axis], k, *view.shape[axis + 1:])
    keys, index = work.empty(shape, view.name, view), work.empty(shape, "int64", view)
    op = lib.GP_OP_DEFAULT if order is None else operator_of(order, {"<": lib.GP_LESS}, "order")
    if not isinstance(op, int):
        op = op.handle(work.context, view.name, "bool")
    if keys.size:
        pointer, axes = work.along(view, axis, keys)
        work.call(lib.GP_TOP_K_AXIS, op=op, key_type=view.type, keys=pointer, axes=axes, k=k, out_keys=keys.data,
                  out_type=lib.GP_I64, out=index.data, flags=flags)
    return work.finish(keys), work.finish(index)


def segment_topk(x: Array, offsets: Array, k: int, /, *, largest: bool = True, counts: Array = None,
                 payload: Array = None, stream: Any = None) -> tuple[Array, ...]:
    """(Values, indices) of the k largest elements of each segment x[offsets[s]:offsets[s + 1]], a row a segment.
    Indices count from the segment's start; -1, and a value of 0, follow the last one where there are fewer than k.
    counts: uint32, a k for each segment. payload: an array like x, whose elements at these places come third. Offsets
    are checked on the host and trusted on a GPU."""
    given = {"x": x, "offsets": offsets, "counts": counts, "payload": payload}
    work = Work(stream, {name: array for name, array in given.items() if array is not None})
    view, where, k = _one(work["x"], "x"), _one(work["offsets"], "offsets"), natural("k", k)
    if where.name not in ("int32", "uint32", "int64", "uint64"):
        raise TypeError(f"offsets: its elements are {where.name}, not integers of 32 or 64 bits")
    if not where.size:
        raise ValueError("offsets is empty: n segments have n + 1 offsets")
    rows = where.size - 1
    where, source = work.contiguous(where), work.contiguous(view)
    work.check_offsets(where, view.size)
    keys, index = work.empty((rows, k), view.name, view), work.empty((rows, k), "int64", view)
    members: dict[str, Any] = {"out_type": lib.GP_I64, "out": index.data}
    moved = None
    if payload is not None:
        beside = _one(work["payload"], "payload")
        if beside.size != view.size:
            raise ValueError(f"payload has {beside.size} elements, and x {view.size}")
        moved = work.empty((rows, k), beside.name, view)
        beside = work.contiguous(beside)
        members = {"in_type": beside.type, "in_": beside.data, "out_type": beside.type, "out": moved.data,
                   "out2_type": lib.GP_I64, "out2": index.data}
    if counts is not None:
        own = _one(work["counts"], "counts")
        if own.name != "uint32" or own.size != rows:
            raise ValueError(f"counts has {own.size} elements of {own.name}, not {rows} of uint32")
        members["in2"] = work.contiguous(own).data
    if index.size:
        for filled, value in ((keys, 0), (index, 255), (moved, 0)):
            if filled is not None:
                check(lib.gp_fill(work.handle, lib.GP_U8, ffi.new("uint8_t *", value), filled.data,
                                  filled.size * filled.itemsize, work.stream))
        work.call(lib.GP_SEGMENTED_TOP_K, key_type=view.type, keys=source.data, count=view.size,
                  offset_type=where.type, begin=where.data, segments=rows, k=k, out_keys=keys.data,
                  flags=lib.GP_DESCENDING if largest else 0, **members)
    return tuple(work.finish(one) for one in (keys, index, moved) if one is not None)


def nth_element(x: Array, n: int, /, *, descending: bool = False, stream: Any = None) -> Array:
    """The element that a sort of the flattened x would put at position n; nothing is rearranged. numpy.partition's
    element at kth."""
    work = Work(stream, {"x": x})
    view, n = work["x"], natural("n", n)
    if n >= view.size:
        raise ValueError(f"n is {n}, and x has {view.size} elements")
    source, result = work.contiguous(view), work.empty((), view.name, view)
    check(lib.gp_nth_element(work.handle, view.type, source.data, view.size, n, result.data,
                             lib.GP_DESCENDING if descending else 0, work.stream))
    return work.finish(result)


# ---- distinct elements


def unique(x: Array, /, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
           sync: bool | None = None, stream: Any = None) -> Any:
    """numpy.unique: the distinct elements of the flattened x, ascending; with them the index of each one's first
    occurrence, the inverse, and how often each occurs. Unlike there, every NaN is an element of its own.

    On a GPU, without sync=True: Sized, whose values are the arrays, untrimmed but for the inverse."""
    if stream is None and not (return_index or return_inverse or return_counts):
        ordered = run(_SORT[0], None, None, None, x)
        made = None if ordered is None else run(_DISTINCT[1 if sync else 0], None, None, None, ordered)
        if made is not None:
            return sized(made)
    work = Work(stream, {"x": x})
    view = work["x"]
    n, source = view.size, flat(work.contiguous(view))
    keys, count = work.empty((n,), view.name, view), work.counter(view)
    distinct = work.empty((n,), view.name, view)
    order = work.empty((n,), "int64", view) if return_index or return_inverse else None
    if order is None:
        check(lib.gp_sort_keys(work.handle, view.type, source.data, n, keys.data, 0, work.stream))
    else:
        check(lib.gp_argsort(work.handle, view.type, lib.GP_U64, source.data, n, keys.data,
                             order.data, 0, work.stream))
    number = ffi.cast("uint64_t *", count.data)
    lengths = index = inverse = None
    if return_counts or return_inverse:
        lengths = work.empty((n,), "int64", view)
        if return_inverse:  # runs beyond the last have no length
            check(lib.gp_fill(work.handle, lib.GP_I64, ffi.new("int64_t *", 0), lengths.data, n, work.stream))
        check(lib.gp_run_length_encode(work.handle, view.type, lib.GP_I64, keys.data, n, distinct.data,
                                       lengths.data, number, work.stream))
    elif not return_index:
        check(lib.gp_unique(work.handle, view.type, keys.data, n, distinct.data, number, work.stream))
    if return_index:
        assert order is not None
        index = work.empty((n,), "int64", view)
        check(lib.gp_unique_by_key(work.handle, view.type, lib.GP_I64, keys.data, order.data, n,
                                   distinct.data, index.data, number, work.stream))
    if return_inverse:
        assert order is not None and lengths is not None
        runs, place_of, total = work.offsets(n, 1, view), work.empty((n,), "int64", view), work.counter(view)
        check(lib.gp_run_length_expand(work.handle, lib.GP_I64, lib.GP_I64, runs.data, lengths.data,
                                       n, place_of.data, n, ffi.cast("uint64_t *", total.data), work.stream))
        inverse = work.empty(view.shape, "int64", view)
        check(lib.gp_scatter(work.handle, lib.GP_I64, lib.GP_I64, place_of.data, order.data, n,
                             inverse.data, n, work.stream))
    results = [distinct, index, lengths if return_counts else None]
    cut = work.sized(sync, count, *results)
    if inverse is None:
        return cut
    whole = work.finish(inverse)
    place = 1 + (index is not None)
    if work.waits(sync):
        parts = list(cut) if isinstance(cut, tuple) else [cut]
        return (*parts[:place], whole, *parts[place:])
    parts = list(cut.values) if isinstance(cut.values, tuple) else [cut.values]
    return cut._replace(values=(*parts[:place], whole, *parts[place:]))


def _set(operation: str, x: Array, y: Array, assume_unique: bool, sync: bool | None, stream: Any) -> Any:
    """Both inputs become sorted and distinct; their numbers must be known to the host."""
    work = Work(stream, {"x": x, "y": y})
    a, b = work["x"], work["y"]
    if a.name != b.name:
        raise TypeError(f"y: its elements are {b.name}, those of x are {a.name}")
    if not work.waits(sync):
        raise ValueError(f"{operation} on a GPU waits for numbers of elements: sync=True allows it")
    parts = []
    for part in (a, b):
        source = flat(work.contiguous(part))
        keys, made = (work.empty((part.size,), part.name, part) for _ in range(2))
        check(lib.gp_sort_keys(work.handle, part.type, source.data, part.size, keys.data, 0,
                               work.stream))
        if assume_unique:
            parts.append((keys, part.size))
            continue
        count = work.counter(part)
        check(lib.gp_unique(work.handle, part.type, keys.data, part.size, made.data,
                            ffi.cast("uint64_t *", count.data), work.stream))
        parts.append((made, work.number(count.array)))
    (p, m), (q, n) = parts
    room = {"set_union": m + n, "set_intersection": m if m < n else n, "set_difference": m,
            "set_symmetric_difference": m + n}[operation]
    result, count = work.empty((room,), a.name, a), work.counter(a)
    call = getattr(lib, f"gp_{operation}")
    check(call(work.handle, lib.GP_LESS, a.type, p.data, m, q.data, n, result.data,
               ffi.cast("uint64_t *", count.data), work.stream))
    return work.sized(sync, count, result)


def union1d(x: Array, y: Array, /, *, sync: bool | None = None, stream: Any = None) -> Any:
    """numpy.union1d. On a GPU sync=True is needed, as for the other sets."""
    return _set("set_union", x, y, False, sync, stream)


def intersect1d(x: Array, y: Array, /, *, assume_unique: bool = False, sync: bool | None = None,
                stream: Any = None) -> Any:
    """numpy.intersect1d, without indices."""
    return _set("set_intersection", x, y, assume_unique, sync, stream)


def setdiff1d(x: Array, y: Array, /, *, assume_unique: bool = False, sync: bool | None = None,
              stream: Any = None) -> Any:
    """numpy.setdiff1d. With assume_unique the result is sorted too."""
    return _set("set_difference", x, y, assume_unique, sync, stream)


def setxor1d(x: Array, y: Array, /, *, assume_unique: bool = False, sync: bool | None = None,
             stream: Any = None) -> Any:
    """numpy.setxor1d."""
    return _set("set_symmetric_difference", x, y, assume_unique, sync, stream)


def isin(x: Array, test: Array, /, *, stream: Any = None) -> Array:
    """numpy.isin, by a hash table of `test`. Equal are elements of equal bits: unlike there, -0 is not 0, and a NaN is
    in `test` if the same NaN is."""
    work = Work(stream, {"x": x, "test": test})
    view, build = work["x"], work["test"]
    if view.name != build.name:
        raise TypeError(f"test: its elements are {build.name}, those of x are {view.name}")
    result, source, table = work.empty(view.shape, "bool", view), work.contiguous(view), work.contiguous(build)
    check(lib.gp_contains(work.handle, view.type, table.data, build.size, source.data, view.size,
                          ffi.cast("uint8_t *", result.data), work.stream))
    return work.finish(result)


def merge(x: Array, y: Array, /, *, descending: bool = False, out: Array = None, stream: Any = None) -> Array:
    """Two sorted arrays become one; NumPy has no such function. Of equal elements those of x come first. No NaN."""
    work = Work(stream, {"x": x, "y": y})
    a, b = _one(work["x"], "x"), _one(work["y"], "y")
    if a.name != b.name:
        raise TypeError(f"y: its elements are {b.name}, those of x are {a.name}")
    result = work.out(out, (a.size + b.size,), a.name, a)
    a, b = work.contiguous(a), work.contiguous(b)
    check(lib.gp_merge(work.handle, lib.GP_GREATER if descending else lib.GP_LESS, a.type, a.data, a.size,
                       b.data, b.size, result.data, work.stream))
    return work.finish(result)


def searchsorted(a: Array, v: Array, /, *, side: str = "left", out: Array = None, stream: Any = None) -> Array:
    """numpy.searchsorted: int64. a and v have one type, and no NaN."""
    if stream is None and out is None and side in ("left", "right"):
        made = run(_SEARCH[side], 0, None, None, a, v)
        if made is not None:
            return made
    work = Work(stream, {"a": a, "v": v})
    table, needles = _one(work["a"], "a"), work["v"]
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}, neither left nor right")
    if table.name != needles.name:
        raise TypeError(f"v: its elements are {needles.name}, those of a are {table.name}")
    result = work.out(out, needles.shape, "int64", needles)
    table, (kind, pointer) = work.contiguous(table), work.input(needles)
    if kind == lib.GP_INPUT:
        work.call(lib.GP_LOWER_BOUND if side == "left" else lib.GP_UPPER_BOUND, key_type=table.type, in_type=kind,
                  keys=table.data, key_count=table.size, in_=pointer, count=needles.size, out_type=lib.GP_U64,
                  out=result.data)
    else:
        call = lib.gp_lower_bound if side == "left" else lib.gp_upper_bound
        check(call(work.handle, lib.GP_LESS, table.type, lib.GP_U64, table.data, table.size, pointer,
                   needles.size, result.data, work.stream))
    return work.finish(result)


# ---- group by

_AGGREGATES = {"sum": lib.GP_AGGREGATE_SUM, "min": lib.GP_AGGREGATE_MIN, "max": lib.GP_AGGREGATE_MAX,
               "count": lib.GP_AGGREGATE_COUNT, "mean": lib.GP_AGGREGATE_MEAN, "argmin": lib.GP_AGGREGATE_ARGMIN,
               "argmax": lib.GP_AGGREGATE_ARGMAX}


def group_by(keys: Array, values: Array = None, how: str | Sequence[str] = "sum", /, *, sync: bool | None = None,
             stream: Any = None) -> Any:
    """(The distinct keys, ascending; a result for each). how: "sum", "min", "max", "count", "mean", "argmin", "argmax",
    or up to 8 of them: then a tuple of results. Sums have the type of numpy.sum, means are float64, the others int64 or
    the type of the values. Keys are equal if their bits are: -0 is not 0. values None: for "count" alone."""
    names = (how,) if isinstance(how, str) else tuple(how)
    for name in names:
        if name not in _AGGREGATES:
            raise ValueError(f"how: {name!r} is none of {', '.join(_AGGREGATES)}")
    if not 1 <= len(names) <= lib.GP_AGGREGATE_LIMIT:
        raise ValueError(f"how has {len(names)} names, not 1 to {lib.GP_AGGREGATE_LIMIT}")
    if values is None and set(names) != {"count"}:
        raise TypeError("values is None, and only \"count\" needs none")
    work = Work(stream, {"keys": keys} if values is None else {"keys": keys, "values": values})
    key = _one(work["keys"], "keys")
    n = key.size
    value = key if values is None else _one(work["values"], "values")
    if value.size != n:
        raise ValueError(f"values has {value.size} elements, keys {n}")
    source, column = work.contiguous(key), work.contiguous(value)
    made, count = work.empty((n,), key.name, key), work.counter(key)
    aggregates, results = ffi.new("gp_aggregate[]", len(names)), []
    for one, name in zip(aggregates, names, strict=True):
        kind = {"sum": _sum_type(work, value.name), "min": value.name, "max": value.name,
                "mean": "float64"}.get(name, "int64")
        result = work.empty((n,), kind, value)
        one.op, one.out, one.out_type = _AGGREGATES[name], result.data, TYPES[kind][0]
        if name != "count":
            one.type, one.column = column.type, column.data
        results.append(result)
    check(lib.gp_group_by_many(work.handle, key.type, source.data, n, aggregates, len(names),
                               made.data, n, ffi.cast("uint64_t *", count.data), work.stream))
    cut = work.sized(sync, count, made, *results)
    if isinstance(how, str):
        return cut
    parts = cut if work.waits(sync) else cut.values
    grouped = (parts[0], tuple(parts[1:]))
    return grouped if work.waits(sync) else cut._replace(values=grouped)


def _sum_type(work: Work, name: str) -> str:
    if "float" in name or "complex" in name:
        return name
    return "uint64" if name.startswith("u") and work.library.wide_unsigned else "int64"


__all__ = ["argsort", "group_by", "intersect1d", "isin", "merge", "nth_element", "searchsorted", "segment_topk",
           "setdiff1d", "setxor1d", "sort", "sort_with_indices", "topk", "union1d", "unique"]
