"""Selections, gathers and scatters, histograms, permutations."""
from __future__ import annotations

import math
from typing import Any

from ._arrays import FLOATS, FOREIGN, INTEGERS, TYPES, Library, View
from . import _fast
from ._fast import run
from ._gpuprims import ffi, lib
from ._operators import Operator, operator_of
from ._work import (NULL, Array, Sized, Work, check, flat, natural, need_integers, normal_axis,
                    sized)

_PREDICATES = {"==": lib.GP_EQUAL, "!=": lib.GP_NOT_EQUAL, "<": lib.GP_LESS, "<=": lib.GP_LESS_EQUAL,
               ">": lib.GP_GREATER, ">=": lib.GP_GREATER_EQUAL}
_UNARY = {"negate": lib.GP_NEGATE, "abs": lib.GP_ABS, "square": lib.GP_SQUARE, "not": lib.GP_NOT,
          "convert": lib.GP_CONVERT}
_BINARY = {"sum": lib.GP_SUM, "prod": lib.GP_PROD, "min": lib.GP_MIN, "max": lib.GP_MAX, "sub": lib.GP_SUB,
           "bit_and": lib.GP_BIT_AND, "bit_or": lib.GP_BIT_OR, "bit_xor": lib.GP_BIT_XOR, "and": lib.GP_AND,
           "or": lib.GP_OR}

_INPUT = ("in in_type count", _fast.REAL, 0)
_MAPS: dict[tuple[int, int], int] = {}
_CHOICE = (("out -", _fast.OWN, _fast.FLAT), ("out_count -", lib.GP_I64, _fast.NONE))
_COMPRESS = _fast.now_or_later(lib.GP_SELECT, (_INPUT, ("keys key_type -", _fast.FLAG, _fast.SIZE)), _CHOICE)
_INDICES = ffi.new("gp_input *", lib.gp_input_ramp(lib.GP_I64, NULL, NULL))
_NONZERO = _fast.now_or_later(lib.GP_SELECT, (("keys key_type count", _fast.REAL, 0),),
                              (("out -", lib.GP_I64, _fast.FLAT), _CHOICE[1]), op=lib.GP_NOT_EQUAL,
                              in_type=lib.GP_INPUT, in_=_INDICES, scalar=_fast.ZERO)
_INTEGERS = (("in in_type count", _fast.INTEGER, 0),)
_LARGEST = _fast.form(lib.GP_REDUCE, _INTEGERS, (("out out_type", lib.GP_U64, _fast.NONE),), op=lib.GP_MAX,
                      flags=_fast.AXIS | _fast.UNSIGNED | _fast.WAITS)
_BINCOUNT = _fast.form(lib.GP_HISTOGRAM_EVEN, _INTEGERS, (("out -", lib.GP_I64, _fast.NUMBER),), out_type=lib.GP_I64,
                       flags=_fast.AXIS | _fast.BINS | _fast.NATURALS)
_COUNTS = (("out -", lib.GP_I64, _fast.NUMBER),)
_RANGES = _fast.form(lib.GP_HISTOGRAM_RANGES,
                     (("in in_type count", _fast.FLOAT, 0), ("begin - -", _fast.FLOAT, _fast.TYPE)), _COUNTS,
                     out_type=lib.GP_I64, flags=_fast.BINS)
_RANGES_OF_INTEGERS = _fast.form(lib.GP_HISTOGRAM_RANGES,
                                 (("in in_type count", _fast.INTEGER | 1 << lib.GP_BOOL, 0),
                                  ("begin - -", _fast.DOUBLE, 0)), _COUNTS, out_type=lib.GP_I64,
                                 flags=_fast.BINS | _fast.FLOATS)


class _Edges:
    """The boundaries and the edges of a histogram on the device: a copy to a device waits. spare: {stream: copies of
    the edges that callers will get}."""

    __slots__ = ("form", "boundaries", "edges", "size", "library", "device", "spare")

    def __init__(self, form: int, boundaries: Any, edges: Any, size: int, library: Library, device: int) -> None:
        self.form, self.boundaries, self.edges, self.size = form, boundaries, edges, size
        self.library, self.device, self.spare = library, device, dict[int, list[Any]]()

    def own(self) -> Any:
        """Edges that belong to the caller. A captured stream makes them whenever it is replayed."""
        if self.device < 0:
            return self.library.copies(self.edges, self.size, -1)[0]
        stream = self.library.stream(self.device)
        spare = None if self.library.captures() else self.spare.get(stream)
        try:
            return spare.pop()  # type: ignore[union-attr]
        except (AttributeError, IndexError):
            made = self.library.copies(self.edges, self.size, self.device)
        one = made.pop()
        if made:
            if len(self.spare) > 7:
                self.spare.clear()
            self.spare[stream] = made
        return one


# {(element type, device, bins, range): what histograms keep}
_EDGES: dict[Any, _Edges] = {}


def _map(code: int, operands: int) -> int:
    """The form of a transform, made when it is first asked for."""
    found = _MAPS.get((code, operands))
    if found is None:
        second = (("in2 - -", _fast.REAL, _fast.TYPE | _fast.SHAPE),) if operands == 2 else ()
        found = _MAPS[code, operands] = _fast.form(
            lib.GP_TRANSFORM if operands == 1 else lib.GP_TRANSFORM2, (_INPUT, *second),
            (("out out_type", _fast.OWN, _fast.SAME),), op=code)
    return found


# ---- transforms


def transform(op: str | Operator, x: Array, y: Array = None, /, *, dtype: Any = None, out: Array = None,
              stream: Any = None) -> Array:
    """op(x[i]) or op(x[i], y[i]) for every element: "negate", "abs", "square", "not", "convert"; "sum", "prod", "min",
    "max", "sub", "bit_and", "bit_or", "bit_xor", "and", "or"; or an operator of your own. dtype: of the result."""
    if stream is None and dtype is None and type(op) is str:
        built_in = (_UNARY if y is None else _BINARY).get(op)
        if built_in is not None:
            made = (run(_map(built_in, 1), None, out, None, x) if y is None
                    else run(_map(built_in, 2), None, out, None, x, y))
            if made is not None:
                return made
    work = Work(stream, {"x": x} if y is None else {"x": x, "y": y})
    view = work["x"]
    name = work.library.name_of(dtype) if dtype is not None else view.name
    own = operator_of(op, _UNARY if y is None else _BINARY)
    code = own if isinstance(own, int) else own.handle(work.context, view.name, name, 1 if y is None else 2)
    if y is not None:
        other = work["y"]
        if other.shape != view.shape:
            raise ValueError(f"y: its shape is {other.shape}, that of x is {view.shape}")
        if other.name != view.name:
            raise TypeError(f"y: its elements are {other.name}, those of x are {view.name}")
    result = work.out(out, view.shape, name, view)
    kind, pointer = work.input(view)
    if y is None:
        check(lib.gp_transform(work.handle, code, kind, result.type, pointer, view.size, result.data,
                               work.stream))
    else:
        second, at = work.input(work["y"])
        if second == kind:
            check(lib.gp_transform2(work.handle, code, kind, result.type, pointer, at, view.size, result.data,
                                    work.stream))
        else:
            work.call(lib.GP_TRANSFORM2, op=code, in_type=kind, in2_type=second, out_type=result.type, in_=pointer,
                      in2=at, count=view.size, out=result.data)
    return work.finish(result)


# ---- selections


def _predicate(work: Work, view: View, op: str | Operator, scalar: Any) -> tuple[int, Any]:
    own = operator_of(op, _PREDICATES)
    if not isinstance(own, int):
        if scalar is not None:
            raise TypeError("scalar is for comparisons, and the predicate is an operator of its own")
        return own.handle(work.context, view.name, "bool", 1), NULL
    if scalar is None:
        raise TypeError(f"the comparison {op} needs a scalar")
    return own, work.constant(view.name, scalar)


def select(x: Array, op: str | Operator, scalar: Any = None, /, *, sync: bool | None = None,
           stream: Any = None) -> Any:
    """The elements for which a predicate holds, in order: a comparison, as in select(x, ">", 0.5), or an operator of
    your own with one operand. NumPy's x[x > 0.5], in one pass."""
    work = Work(stream, {"x": x})
    view = work["x"]
    code, value = _predicate(work, view, op, scalar)
    result, count = work.empty((view.size,), view.name, view), work.counter(view)
    kind, pointer = work.input(view)
    check(lib.gp_select_if(work.handle, code, kind, value, pointer, view.size, result.data,
                           ffi.cast("uint64_t *", count.data), work.stream))
    return work.sized(sync, count, result)


def count_if(x: Array, op: str | Operator, scalar: Any = None, /, *, stream: Any = None) -> Array:
    """How many elements meet a predicate, as in select."""
    work = Work(stream, {"x": x})
    view = work["x"]
    code, value = _predicate(work, view, op, scalar)
    result = work.empty((), "int64", view)
    kind, pointer = work.input(view)
    check(lib.gp_count_if(work.handle, code, kind, value, pointer, view.size, ffi.cast("uint64_t *", result.data),
                          work.stream))
    return work.finish(result)


def _flags(work: Work, argument: str, count: int) -> View:
    flags = work[argument]
    if flags.name not in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32"):
        raise TypeError(f"{argument}: its elements are {flags.name}, neither bool nor integers of up to 32 bits")
    if flags.size != count:
        raise ValueError(f"{argument} has {flags.size} elements, x {count}")
    return work.contiguous(flags)


def compress(condition: Array, x: Array, /, *, sync: bool | None = None, stream: Any = None) -> Any:
    """numpy.compress of the flattened x, of any element type. `condition` has as many elements as x."""
    if stream is None:
        made = run(_COMPRESS[1 if sync else 0], None, None, None, x, condition)
        if made is not None:
            return sized(made)
    work = Work(stream, {"x": x, "condition": condition}, raw=("x",))
    view = work["x"]
    flags = _flags(work, "condition", view.size)
    result, count = work.empty((view.size,), view.name, view), work.counter(view)
    kind, pointer = work.input(view)
    check(lib.gp_select_flags(work.handle, kind, flags.type, pointer, flags.data, view.size,
                              result.data, ffi.cast("uint64_t *", count.data), work.stream))
    return work.sized(sync, count, result)


def partition(x: Array, condition: Array, /, *, sync: bool | None = None, stream: Any = None) -> Any:
    """(The elements where the condition holds, the others), in order. Not numpy.partition, whose work nth_element and
    topk do. On a GPU, without sync=True: Sized, whose count is that of the first."""
    work = Work(stream, {"x": x, "condition": condition}, raw=("x",))
    view = work["x"]
    flags = _flags(work, "condition", view.size)
    first, second = (work.empty((view.size,), view.name, view) for _ in range(2))
    counts = work.empty((2,), "int64", view)
    kind, pointer = work.input(view)
    check(lib.gp_partition_flags(work.handle, kind, flags.type, pointer, flags.data, view.size,
                                 first.data, second.data, ffi.cast("uint64_t *", counts.data),
                                 work.stream))
    if not work.waits(sync):
        return Sized((first.array, second.array), counts.array[0])
    number = work.number(counts.array[0])
    return work.library.finish(first.array[:number]), work.library.finish(second.array[:view.size - number])


def flatnonzero(x: Array, /, *, sync: bool | None = None, stream: Any = None) -> Any:
    """numpy.flatnonzero."""
    if stream is None:
        made = run(_NONZERO[1 if sync else 0], None, None, None, x)
        if made is not None:
            return sized(made)
    work = Work(stream, {"x": x})
    view = work["x"]
    result, count = work.empty((view.size,), "int64", view), work.counter(view)
    source = work.contiguous(view)
    check(lib.gp_select_indices(work.handle, lib.GP_NOT_EQUAL, view.type, lib.GP_I64, work.constant(view.name, 0),
                                source.data, view.size, result.data,
                                ffi.cast("uint64_t *", count.data), work.stream))
    return work.sized(sync, count, result)


def nonzero(x: Array, /, *, sync: bool | None = None, stream: Any = None) -> tuple[Any, ...]:
    """numpy.nonzero: a tuple of an array for each dimension. Of several dimensions on the host only."""
    work = Work(stream, {"x": x})
    view = work["x"]
    if len(view.shape) == 1:
        return (flatnonzero(x, sync=sync, stream=stream),)
    if work.library.name != "numpy" or not view.shape:
        raise ValueError(f"x has {len(view.shape)} dimensions: nonzero needs one, or an array of NumPy")
    numpy: Any = work.library.numpy  # type: ignore[attr-defined]
    return tuple(numpy.unravel_index(flatnonzero(x), view.shape))


# ---- gathers, scatters


def _indices(work: Work, argument: str, count: int) -> View:
    """On the host negative indices count from the end, and others than the array has are an IndexError."""
    view = work[argument]
    need_integers(argument, view)
    if view.name not in ("int32", "uint32", "int64", "uint64"):
        raise TypeError(f"{argument}: its elements are {view.name}, not integers of 32 or 64 bits")
    if work.device >= 0 or not view.size:
        return view
    source = work.contiguous(view)
    least, most = _ends(work, source)
    if least < -count or most >= count:
        raise IndexError(f"{argument} has {least if least < -count else most}, and x has {count} elements")
    if least < 0:
        return source.library.view(argument, source.library.convert(source.array % count, view.name))
    return source


def take(x: Array, indices: Array, /, *, out: Array = None, stream: Any = None) -> Array:
    """numpy.take of the flattened x, of any element type. On a GPU indices are not checked for an error: elements with
    an index that x does not have, negative ones too, are zero."""
    work = Work(stream, {"x": x, "indices": indices}, raw=("x",))
    view = work["x"]
    index = _indices(work, "indices", view.size)
    result = work.out(out, index.shape, view.name, view)
    source, kind = work.contiguous(view), work.type_of(view)
    if work.device >= 0:
        check(lib.gp_fill(work.handle, lib.GP_U8, ffi.new("uint8_t *", 0), result.data,
                          result.size * result.itemsize, work.stream))
    index_kind, pointer = work.input(index)
    check(lib.gp_gather(work.handle, kind, index_kind, source.data, view.size, pointer, index.size,
                        result.data, work.stream))
    return work.finish(result)


def put(x: Array, indices: Array, values: Array, /, *, stream: Any = None) -> None:
    """numpy.put: x.flat[indices] = values, in place. As many values as indices; x is contiguous. Of equal indices one
    value is left, nobody knows which. On a GPU indices that x does not have write nothing."""
    work = Work(stream, {"x": x, "indices": indices, "values": values}, raw=("x", "values"))
    view, value = work["x"], work["values"]
    if view.array is not x and work.library.name == "numpy":
        raise TypeError(f"x is {type(x).__name__}, not an array")
    if value.name != view.name:
        raise TypeError(f"values: its elements are {value.name}, those of x are {view.name}")
    index = _indices(work, "indices", view.size)
    if value.size != index.size:
        raise ValueError(f"values has {value.size} elements, indices {index.size}")
    result = work.out(x, view.shape, view.name, view, "x")
    index_kind, at = work.input(index)
    kind, pointer = work.input(value)
    check(lib.gp_scatter(work.handle, kind, index_kind, pointer, at, index.size, result.data, view.size,
                         work.stream))


# ---- moves


def flip(x: Array, /, *, axis: Any = None, out: Array = None, stream: Any = None) -> Array:
    """numpy.flip as a new array, of any element type. axis: None (all), an axis or a tuple of them."""
    work = Work(stream, {"x": x}, raw=("x",))
    view = work["x"]
    result = work.out(out, view.shape, view.name, view)
    if axis is None and view.contiguous:
        check(lib.gp_reverse(work.handle, work.type_of(view), view.data, view.size, result.data,
                             work.stream))
        return work.finish(result)
    given = range(len(view.shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    turned = {normal_axis(one, len(view.shape)) for one in given}
    start = sum((view.shape[d] - 1) * view.strides[d] for d in turned) if view.size else 0
    strides = tuple(-step if d in turned else step for d, step in enumerate(view.strides))
    work.copy_strided(view.at(view.pointer + start * view.itemsize, view.shape, strides), result)
    return work.finish(result)


reverse = flip


def roll(x: Array, shift: int, /, *, axis: Any = None, out: Array = None, stream: Any = None) -> Array:
    """numpy.roll with one shift and one axis, of any element type; axis None: of the flattened array."""
    work = Work(stream, {"x": x}, raw=("x",))
    view = work["x"]
    if isinstance(shift, bool) or not hasattr(shift, "__index__"):
        raise TypeError(f"shift is {shift!r}, not an integer")
    result = work.out(out, view.shape, view.name, view)
    if not view.size:
        return work.finish(result)
    source, target, d = view, result, 0
    if axis is None:
        source, target = flat(work.contiguous(view)), flat(result)
    else:
        d = normal_axis(axis, len(view.shape))
    length, size = source.shape[d], view.itemsize
    by = shift.__index__() % length
    for first, count, to in ((0, length - by, by), (length - by, by, 0)):
        shape = (*source.shape[:d], count, *source.shape[d + 1:])
        part = source.at(source.pointer + first * source.strides[d] * size, shape, source.strides)
        if count:
            work.copy_strided(part, target.at(target.pointer + to * target.strides[d] * size, shape, target.strides))
    return work.finish(result)


def transpose(x: Array, axes: Any = None, /, *, out: Array = None, stream: Any = None) -> Array:
    """numpy.transpose as a new, contiguous array, of any element type. axes: the order of the dimensions; None:
    reversed. Contiguous inputs of up to four dimensions move at the speed of memory."""
    work = Work(stream, {"x": x}, raw=("x",))
    view = work["x"]
    count = len(view.shape)
    order = list(reversed(range(count))) if axes is None else [normal_axis(one, count) for one in axes]
    if sorted(order) != list(range(count)):
        raise ValueError(f"axes is {axes!r}, no order of {count} dimensions")
    turned = view.permuted(order)
    result = work.out(out, turned.shape, view.name, view)
    if 1 <= count <= 4 and view.contiguous and view.size:
        permutation = ffi.new("gp_permutation *", lib.gp_permutation_init())
        permutation.dimensions = count
        permutation.order, permutation.extent = order, list(view.shape)
        check(lib.gp_permute(work.handle, work.type_of(view), permutation, view.data, result.data,
                             work.stream))
    else:
        work.copy_strided(turned, result)
    return work.finish(result)


def permute(x: Array, dims: Any, /, *, out: Array = None, stream: Any = None) -> Array:
    """torch.permute as a new, contiguous array: transpose with an order that must be given."""
    return transpose(x, tuple(dims), out=out, stream=stream)


def permutation(x: Any, /, seed: int, *, out: Array = None, stream: Any = None) -> Array:
    """numpy.random.permutation with a seed: the elements of the flattened x in a random order, of any element type; of
    an integer n, the numbers from 0 to n - 1. The same on every device. Not for secrets."""
    seed = natural("seed", seed)
    if hasattr(x, "__index__") and not hasattr(x, "shape"):
        n = natural("x", x)
        from ._arrays import numpy_library

        work = Work(stream, {"x": numpy_library().numpy.empty(0, "int64")})
        result = work.out(out, (n,), "int64", work["x"])
        check(lib.gp_shuffle(work.handle, lib.GP_U64, seed, NULL, n, result.data, work.stream))
        return work.finish(result)
    work = Work(stream, {"x": x}, raw=("x",))
    view = work["x"]
    result = work.out(out, (view.size,), view.name, view)
    source = work.contiguous(view)
    check(lib.gp_shuffle(work.handle, work.type_of(view), seed, source.data, view.size, result.data,
                         work.stream))
    return work.finish(result)


def shuffle(x: Array, /, seed: int, *, stream: Any = None) -> None:
    """numpy.random.shuffle with a seed: all elements of x, which is contiguous, in place, through a copy."""
    work = Work(stream, {"x": x}, raw=("x",))
    view = work["x"]
    if view.array is not x and work.library.name == "numpy":
        raise TypeError(f"x is {type(x).__name__}, not an array")
    result = work.out(x, view.shape, view.name, view, "x")
    kind, seed = work.type_of(view), natural("seed", seed)
    copy = work.empty((view.size,), view.name, view)
    check(lib.gp_copy(work.handle, kind, view.data, view.size, copy.data, work.stream))
    check(lib.gp_shuffle(work.handle, kind, seed, copy.data, view.size, result.data, work.stream))


# ---- histograms


def _weights(work: Work, count: int) -> tuple[int, Any, str]:
    """(type, pointer of weights; the type of the counters)."""
    if "weights" not in work.views:
        return 0, NULL, "int64"
    view = work["weights"]
    if view.size != count:
        raise ValueError(f"weights has {view.size} elements, x {count}")
    if view.name in INTEGERS or view.name == "bool":
        view = work.converted(view, "float64")
    elif view.name not in ("float32", "float64"):
        raise TypeError(f"weights: its elements are {view.name}, neither integers nor float32 nor float64")
    view = work.contiguous(view)
    return view.type, view.data, "float64"


def bincount(x: Array, weights: Array = None, /, *, minlength: int = 0, length: int | None = None,
             sync: bool | None = None, stream: Any = None) -> Array:
    """numpy.bincount. length: the number of bins; larger elements are not counted then. Without it the largest element
    decides, for which a call on a GPU needs sync=True. Negative elements are an error on the host, and not counted on
    a GPU. Sums of weights are float64."""
    if stream is None and weights is None:
        made = _counted(x, minlength, length, sync)
        if made is not None:
            return made
    work = Work(stream, {"x": x} if weights is None else {"x": x, "weights": weights})
    view = work["x"]
    need_integers("x", view)
    if len(view.shape) != 1:
        raise ValueError(f"x has {len(view.shape)} dimensions, not one")
    minlength = natural("minlength", minlength)
    bins = minlength if length is None else natural("length", length)
    if length is None and not work.waits(sync):
        raise ValueError("the largest element decides the length, and a call on a GPU does not wait: give length=, or "
                         "sync=True")
    source = work.contiguous(view)
    if view.size and work.waits(sync):
        least, most = _ends(work, source)
        if least < 0:
            raise ValueError(f"x has the negative element {least}")
        bins = bins if length is not None else bins if bins > most else int(most) + 1
    weight_type, weight, counters = _weights(work, view.size)
    result = work.empty((bins,), counters, view)
    if not bins:
        return work.finish(result)
    top = 2 ** (8 * view.itemsize - view.name.startswith("i"))  # one more than the type's largest
    if top < 2**31 and bins > top:
        check(lib.gp_fill(work.handle, result.type, ffi.new("uint64_t *", 0), result.data, bins, work.stream))
    counted = bins if bins < top else top
    work.call(lib.GP_HISTOGRAM_EVEN, in_type=view.type, in_=source.data, count=view.size,
              lower=work.constant(view.name, 0), upper=NULL if counted == top else work.constant(view.name, counted),
              in2_type=weight_type, in2=weight, out_type=result.type, out=result.data, bins=counted)
    return work.finish(result)


def _counted(x: Array, minlength: Any, length: Any, sync: bool | None) -> Array:
    """bincount of a plain array without weights; None: of another one, or an error. One number tells whether there are
    negative elements (-1) and which is the largest: the largest as an unsigned integer. So a call waits once."""
    waits = sync or not getattr(x, "is_cuda", False)
    if type(minlength) is not int or minlength < 0 or not waits and length is None:
        return None
    largest = run(_LARGEST, 0, None, None, x) if waits else 0
    if largest is None or largest < 0:
        return None
    bins = length if length is not None else largest + 1
    return run(_BINCOUNT, 0, None, minlength if length is None and minlength > bins else bins, x)


def _ends(work: Work, view: View) -> tuple[Any, Any]:
    """The least and the largest element, by one launch; waits for them once where the array has tolist()."""
    ends = work.empty((2,), view.name, view)
    check(lib.gp_reduce(work.handle, lib.GP_MINMAX, view.type, view.type, view.data, view.size, ends.data,
                        work.stream))
    found = ends.array
    if work.explicit is not None and work.device >= 0:
        with work.library.on_stream(work.explicit, work.device):
            return _numbers(found, view.name)
    return _numbers(found, view.name)


def ends_of(x: Array) -> tuple[Any, Any]:
    """The least and the largest element of an array that has some."""
    work = Work(None, {"x": x})
    return _ends(work, work.contiguous(work["x"]))


def _numbers(found: Array, name: str) -> tuple[Any, Any]:
    least, most = found.tolist() if hasattr(found, "tolist") else (found[0], found[1])
    kind = float if name in FLOATS else int
    return kind(least), kind(most)


def histogram(x: Array, bins: Any = 10, weights: Array = None, /, *, range: tuple[float, float] | None = None,
              sync: bool | None = None, stream: Any = None) -> tuple[Array, Array]:
    """numpy.histogram: (counts, edges), int64 counts, or float64 sums of weights. bins: a number, or rising edges in
    host memory. Without edges or range the least and largest elements decide, for which a call on a GPU needs
    sync=True. Unlike there, a bin is found by comparison with the edges in the type of x, integers in float64."""
    if stream is None and weights is None and range is not None:
        kept = _kept(x, bins, range)
        counts = None if kept is None else run(kept.form, None, None, bins, x, kept.boundaries)
        if kept is not None and counts is not None:
            return counts, kept.own()
    from ._arrays import numpy_library

    numpy = numpy_library().numpy
    work = Work(stream, {"x": x} if weights is None else {"x": x, "weights": weights})
    view = work["x"]
    name = "float64" if view.name in INTEGERS or view.name == "bool" else view.name
    if name in FOREIGN:
        raise TypeError(f"x: {name} has no edges in NumPy: convert it to float32")
    if numpy.ndim(bins) == 0:
        count = natural("bins", bins, 1)
        if range is not None:
            low, high = (float(end) for end in range)
        elif not view.size:
            low, high = 0.0, 1.0
        elif work.waits(sync):
            low, high = _ends(work, work.contiguous(view))
        else:
            raise ValueError("the least and the largest element decide the edges, and a call on a GPU does not wait: "
                             "give range=, edges or sync=True")
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(f"range: [{low}, {high}] is not finite")
        if low > high:
            raise ValueError(f"range: {low} is above {high}")
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = numpy.linspace(low, high, count + 1, dtype=name)
    else:
        edges = numpy.asarray(bins, dtype=name)
        if edges.ndim != 1 or edges.size < 2:
            raise ValueError("bins: edges have one dimension and two elements or more")
    if not bool((edges[1:] > edges[:-1]).all()):
        raise ValueError(f"bins: edges do not rise in {name}")
    bounds = edges.copy()
    bounds[-1] = numpy.nextafter(bounds[-1], bounds.dtype.type(numpy.inf))  # the last bin has its upper edge
    room = -(-edges.size * edges.itemsize // 256) * 256 // edges.itemsize
    both = numpy.zeros(2 * room, edges.dtype)
    both[:edges.size], both[room:room + edges.size] = bounds, edges
    both = work.library.from_host(both, view)  # one copy for the call and its result
    boundaries = work.library.view("bins", both, work.explicit)
    weight_type, weight, counters = _weights(work, view.size)
    result = work.empty((edges.size - 1,), counters, view)
    kind, pointer = work.loaded_as(view, name)
    work.call(lib.GP_HISTOGRAM_RANGES, in_type=kind, in_=pointer, count=view.size, begin=boundaries.data,
              in2_type=weight_type, in2=weight, out_type=result.type, out=result.data, bins=edges.size - 1)
    key = _edges_key(x, bins, range) if stream is None and weights is None and range is not None else None
    if key is not None and name in ("float32", "float64") and len(_EDGES) < 64:
        form = _RANGES if view.name == name else _RANGES_OF_INTEGERS
        kept = _EDGES[key] = _Edges(form, both[:edges.size], both[room:], edges.size, work.library, work.device)
        return work.finish(result), kept.own()
    own = both[room:room + edges.size]
    return work.finish(result), work.finish(work.library.view("edges", own, work.explicit))


def _edges_key(x: Array, bins: Any, ends: Any) -> Any:
    """Under which the edges of a histogram of a plain array are kept; None: they are not."""
    if type(bins) is not int or bins > 4096 or type(ends) is not tuple or not _fast.is_plain(x):
        return None
    if not all(type(end) in (int, float) for end in ends):
        return None
    return x.dtype, getattr(x, "device", None), bins, ends


def _kept(x: Array, bins: Any, ends: Any) -> _Edges | None:
    """What is kept for such a histogram. Equal keys may have other types, which run() or the edges' values forgive."""
    try:
        return _EDGES.get((x.dtype, getattr(x, "device", None), bins, ends))
    except (AttributeError, TypeError):  # not an array; edges
        return None


def counts_in_bins(x: Array, bins: int, ends: tuple[float, float]) -> Array:
    """The counts of histogram alone."""
    kept = _kept(x, bins, ends)
    counts = None if kept is None else run(kept.form, None, None, bins, x, kept.boundaries)
    return histogram(x, bins, range=ends)[0] if counts is None else counts


__all__ = ["TYPES", "bincount", "compress", "count_if", "flatnonzero", "flip", "histogram", "nonzero", "partition",
           "permutation", "permute", "put", "reverse", "roll", "select", "shuffle", "take", "transform", "transpose"]
