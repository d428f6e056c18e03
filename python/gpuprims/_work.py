"""One call: its arrays, where it runs, its results."""
from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

from ._arrays import (COMPLEX, FOREIGN, INTEGERS, TYPES, Library, View, cast, dense, library_of, merged, plain,
                      stream_handle)
from ._context import Context, default_context, lend
from ._gpuprims import ffi, lib
from ._result import check

NULL = ffi.NULL
Array = Any


class Sized(NamedTuple):
    """Results on a device whose number only the device knows: arrays with room for the most there can be, and their
    number, an int64 array of no dimensions on the device."""

    values: Any
    count: Any


class Work:
    """The arrays of a call. All checks are made before anything is launched; they name the argument."""

    __slots__ = ("views", "library", "device", "context", "handle", "stream", "explicit", "keep", "outs")

    def __init__(self, stream: Any, arrays: dict[str, Any], raw: tuple[str, ...] = ()) -> None:
        if stream is None and self.takes_plain(arrays, raw):
            return
        self.explicit = None if stream is None else stream_handle(stream)
        self.views: dict[str, View] = {}
        self.outs: list[tuple[Any, Any]] = []
        self.keep: list[Any] = []
        self.library: Library
        self.context: Context
        first, library = "", None
        made: list[tuple[str, Library, Any]] = []
        for argument, array in arrays.items():
            one, array = library_of(argument, array)
            made.append((argument, one, array))
            if library is None or library.name == "numpy" and one.name != "numpy" and array is arrays[argument]:
                first, library = argument, one
        assert library is not None
        for argument, one, array in made:
            if one is not library and array is not arrays[argument] and one.name == "numpy":
                array = library.from_host(array, self.views[first]) if first in self.views else array
                one = library if first in self.views else one
            view = one.view(argument, array, self.explicit)
            self.views[argument] = view
            if view.type == 0 and argument not in raw:
                raise self.wrong_type(argument, view)
        self.library = library
        self.device = self.views[first].device
        for argument, view in self.views.items():
            if view.device != self.device:
                raise ValueError(f"{argument} is on {place(view.device)}, {first} on {place(self.device)}")
        self.context = (default_context("host") if self.device < 0
                        else default_context("cuda", self.device, library.name))
        self.handle = self.context.handle
        self.stream = NULL if self.device < 0 else self.stream_of(first)
        if library.fast >= 0:
            lend(library.fast, self.context.backend, self.device, library.name)

    def takes_plain(self, arrays: dict[str, Any], raw: tuple[str, ...]) -> bool:
        """Are all arrays of one library that was met before, and on one device? Then the call is prepared: the most
        frequent case, in half the time."""
        library, views, device = None, {}, -1
        for argument, array in arrays.items():
            here = plain.get(type(array))
            if here is None or library is not None and here is not library:
                return False
            view = views[argument] = here.view(argument, array)
            if view.type == 0 and argument not in raw:
                raise self.wrong_type(argument, view)
            if library is None:
                library, device = here, view.device
            elif view.device != device:
                return False
        assert library is not None
        self.explicit, self.views, self.outs, self.keep = None, views, [], []
        self.library, self.device = library, device
        self.context = default_context("host") if device < 0 else default_context("cuda", device, library.name)
        self.handle = self.context.handle
        self.stream = NULL if device < 0 else cast(library.stream(device))
        if library.fast >= 0:
            lend(library.fast, self.context.backend, device, library.name)
        return True

    @staticmethod
    def wrong_type(argument: str, view: View) -> TypeError:
        return TypeError(f"{argument}: elements of {view.name.rpartition(':')[2]} are none of {', '.join(TYPES)}")

    def stream_of(self, first: str) -> Any:
        if self.explicit is not None:
            return cast(self.explicit)
        known = {view.stream: argument for argument, view in self.views.items() if view.stream is not None}
        if len(known) > 1:
            raise ValueError(f"{' and '.join(known.values())} are written on different streams: give stream=")
        for stream in known:
            return cast(stream)
        return cast(self.library.stream(self.device))

    def __getitem__(self, argument: str) -> View:
        return self.views[argument]

    # ---- memory

    def empty(self, shape: tuple[int, ...], name: str, like: View) -> View:
        """A new array of the caller's library; memory of the stream on which the call runs."""
        if self.device >= 0 and self.explicit is not None:
            with self.library.on_stream(self.explicit, self.device):
                view = self.library.made(shape, name, like, self.explicit)
        else:
            view = self.library.made(shape, name, like, self.explicit)
        self.keep.append(view)  # until the call returns; on a GPU its memory is freed in the stream's order
        return view

    def out(self, out: Any, shape: tuple[int, ...], name: str, like: View, argument: str = "out") -> View:
        """The array of a result: the caller's, checked, or a new one."""
        if out is None:
            return self.empty(shape, name, like)
        library, array = library_of(argument, out)
        if array is not out:
            raise TypeError(f"{argument} is {type(out).__name__}, not an array")
        view = library.view(argument, out, self.explicit)
        if view.device != self.device:
            raise ValueError(f"{argument} is on {place(view.device)}, the input on {place(self.device)}")
        if view.name != name:
            raise TypeError(f"{argument}: its elements are {view.name.rpartition(':')[2]}, those of the result are "
                            f"{name.rpartition(':')[2]}")
        if view.shape != shape:
            raise ValueError(f"{argument}: its shape is {view.shape}, that of the result is {shape}")
        if not view.contiguous:
            raise ValueError(f"{argument} is not contiguous")
        if view.readonly:
            raise ValueError(f"{argument} is read-only")
        self.outs.append((view.array, out))
        return view

    def finish(self, view: View) -> Any:
        """The result as the caller gets it; the array that was given stays as it is."""
        for array, out in self.outs:
            if array is view.array:
                return out
        return self.library.finish(view.array)

    # ---- types, inputs

    def type_of(self, view: View) -> int:
        if view.type and not (view.name in COMPLEX and view.pointer % view.itemsize):
            return view.type
        align = view.itemsize // 2 if view.type else int(view.name.split(":")[1])
        if not 1 <= view.itemsize <= 64:
            raise TypeError(f"elements of {view.itemsize} bytes: the library moves 1 to 64")
        while view.itemsize % align:
            align //= 2
        view.type = self.context.raw_type(view.itemsize, align)
        return view.type

    def input(self, view: View) -> tuple[int, Any]:
        """(type, pointer) of elements in the order of the array's indices, where the primitive takes a described input;
        without a copy if one stride leads from each to the next."""
        if view.contiguous:
            return self.type_of(view), view.data
        shape, (strides,) = merged(view.shape, view.strides)
        if len(shape) > 1:
            return self.type_of(view), cast(self.contiguous(view).pointer)
        described = ffi.new("gp_input *", lib.gp_input_strided(self.type_of(view), view.data, strides[0]))
        self.keep.append(described)
        return lib.GP_INPUT, described

    def converted(self, view: View, name: str) -> View:
        """A contiguous array of the elements as another type."""
        if view.name == name:
            return self.contiguous(view)
        made = self.empty(view.shape, name, view)
        kind, pointer = self.input(view)
        check(lib.gp_transform(self.handle, lib.GP_CONVERT, kind, made.type, pointer, view.size, made.data,
                               self.stream))
        return made

    def loaded_as(self, view: View, name: str) -> tuple[int, Any]:
        """(type, pointer) of an array's elements as another type, converted while they are loaded."""
        if view.name == name:
            return self.input(view)
        kind, pointer = self.input(view)
        inner = pointer if kind == lib.GP_INPUT else ffi.new("gp_input *", lib.gp_input_array(kind, pointer))
        outer = ffi.new("gp_input *", lib.gp_input_of_one(lib.GP_CONVERT, TYPES[name][0], inner))
        self.keep += [inner, outer]
        return lib.GP_INPUT, outer

    def constant(self, name: str, value: Any) -> Any:
        """A number in host memory."""
        if name in COMPLEX:
            parts = ffi.new("float[2]" if name == "complex64" else "double[2]")
            parts[0], parts[1] = complex(value).real, complex(value).imag
            return parts
        kinds = {"bool": "uint8_t", "float32": "float", "float64": "double"}
        if name in ("float16", "bfloat16"):
            return ffi.new("uint16_t *", half_bits(name, value))
        if name in FOREIGN:
            return ffi.new("uint8_t *", byte_bits(name, value))
        return ffi.new(f"{kinds.get(name, name + '_t')} *", value if name in ("float32", "float64") else int(value))

    def contiguous(self, view: View) -> View:
        """The array itself where it is contiguous, otherwise a copy."""
        if view.contiguous:
            return view
        made = self.empty(view.shape, view.name, view)
        self.copy_strided(view, made)
        return made

    def copy_strided(self, source: View, target: View) -> None:
        """Copies elements between arrays of one shape and any strides: a reduction of rows of length 1, as integers.
        One launch; where more than three dimensions are left when those that lie in one step are merged, one for each
        index of the others."""
        if not source.size:
            return
        size = source.itemsize
        unit = next(one for one in (8, 4, 2, 1) if not (size | source.pointer | target.pointer) % one)
        parts = size // unit
        shape, (inner, outer) = merged((*source.shape, parts), (*(one * parts for one in source.strides), 1),
                                       (*(one * parts for one in target.strides), 1))
        if not shape:
            shape, inner, outer = [1], [1], [1]
        kind = {1: lib.GP_U8, 2: lib.GP_U16, 4: lib.GP_U32, 8: lib.GP_U64}[unit]
        axes = ffi.new("gp_axes *", {"struct_size": ffi.sizeof("gp_axes"), "dimensions": len(shape[-3:]) + 1,
                                     "axis": len(shape[-3:]), "extent": [*shape[-3:], 1],
                                     "in_stride": [*inner[-3:], 1], "out_stride": [*outer[-3:], 1]})
        for index in itertools.product(*map(range, shape[:-3])):
            start, end = (sum(i * step for i, step in zip(index, steps, strict=False)) for steps in (inner, outer))
            check(lib.gp_reduce_axis(self.handle, lib.GP_BIT_OR, kind, kind, axes, cast(source.pointer + start * unit),
                                     cast(target.pointer + end * unit), self.stream))

    def along(self, view: View, axis: int, result: View) -> tuple[Any, Any]:
        """(Pointer to the elements, gp_axes) of a call on each row along an axis, whose result is contiguous and has
        the extents of the input but for the axis. Three other dimensions are left at most, when those that lie in one
        step are merged, or the input is copied first."""
        kept = [d for d in range(len(view.shape)) if d != axis]
        shape, (inner, outer) = merged(*(tuple(one[d] for d in kept)
                                         for one in (view.shape, view.strides, result.strides)))
        if len(shape) > 3:
            return self.along(self.contiguous(view), axis, result)
        return view.data, ffi.new("gp_axes *", {
            "struct_size": ffi.sizeof("gp_axes"), "dimensions": len(shape) + 1, "axis": len(shape),
            "extent": [*shape, view.shape[axis]], "in_stride": [*inner, view.strides[axis]],
            "out_stride": [*outer, result.strides[axis]]})

    def axis_first(self, view: View, axis: int) -> tuple[View, list[int] | None]:
        order = [axis] + [d for d in range(len(view.shape)) if d != axis]
        return self.contiguous(view.permuted(order)), None if axis == 0 else order

    def move(self, source: View, order: list[int], target: View) -> None:
        """The elements back, from an array whose dimensions have that order."""
        self.copy_strided(source, target.permuted(order))

    def offsets(self, rows: int, length: int, like: View) -> View:
        """0, length, 2 length, ..., rows * length."""
        made = self.empty((rows + 1,), "int64", like)
        check(lib.gp_iota(self.handle, lib.GP_U64, NULL, ffi.new("uint64_t *", length), made.data, rows + 1,
                          self.stream))
        return made

    def check_offsets(self, offsets: View, count: int) -> None:
        """On the host: offsets never decrease and stay within the elements."""
        if self.device >= 0:
            return
        bad = ffi.new("uint64_t *")
        check(lib.gp_check_offsets(self.handle, offsets.type, offsets.data, offsets.size - 1, count, bad,
                                   NULL))
        if bad[0] != 2**64 - 1:
            raise ValueError(f"offsets[{bad[0]}] is below the one before it, or beyond the {count} elements")

    def finish_array(self, array: Any, name: str, like: View) -> Any:
        """A result that the array's own library computed, as elements of a type."""
        return self.library.finish(self.library.convert(array, name))

    def call(self, primitive: int, **members: Any) -> None:
        """gp_run of a gp_call with these members."""
        if "in_" in members:
            members["in"] = members.pop("in_")
        call = ffi.new("gp_call *", lib.gp_call_init(primitive))
        for name, value in members.items():
            setattr(call, name, value)
        check(lib.gp_run(self.handle, call, self.stream))

    # ---- results whose number the data decides

    def counter(self, like: View) -> View:
        return self.empty((), "int64", like)

    def sized(self, sync: bool | None, count: View, *results: View | None) -> Any:
        """Results trimmed to their number, on the host always; or Sized."""
        arrays = [one.array for one in results if one is not None]
        if not self.waits(sync):
            return Sized(arrays[0] if len(arrays) == 1 else tuple(arrays), count.array)
        number = self.number(count.array)
        cut = tuple(self.library.finish(array[:number]) for array in arrays)
        return cut[0] if len(cut) == 1 else cut

    def waits(self, sync: bool | None) -> bool:
        """Does the call wait for the device? Then calls on plain arrays learn how to wait for a word."""
        if self.device >= 0 and sync:
            self.library.lend_words()
        return self.device < 0 or bool(sync)

    def number(self, array: Any) -> int:
        """The value of an array of no dimensions; waits for it."""
        if self.explicit is not None and self.device >= 0:
            with self.library.on_stream(self.explicit, self.device):
                return int(array)
        return int(array)


def sized(made: Any) -> Any:
    """What a function returns whose call on plain arrays (_fast.py) gave a list: a result on a device and its size."""
    return Sized(*made) if type(made) is list else made


def place(device: int) -> str:
    return "the host" if device < 0 else f"cuda:{device}"


def half_bits(name: str, value: float) -> int:
    """The bits of a number as float16 or bfloat16, rounded to nearest even."""
    import struct

    if name == "float16":
        return int.from_bytes(struct.pack("<e", value), "little")
    bits = int.from_bytes(struct.pack("<f", value), "little")
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 if value == value else 0x7FC0


def byte_bits(name: str, value: float) -> int:
    """The bits of a number as float8_e4m3fn or float8_e5m2, rounded to nearest even. E4M3 has no infinity."""
    fraction, bias, beyond = (3, 7, 0x7F) if name == "float8_e4m3fn" else (2, 15, 0x7C)
    number = float(value)
    sign = 0x80 if math.copysign(1, number) < 0 else 0
    if math.isnan(number):
        return sign | 0x7F
    if math.isinf(number):
        return sign | beyond
    exponent = max(math.frexp(number)[1] - 1, 1 - bias) if number else 1 - bias
    return sign | min(round(abs(number) / 2.0 ** (exponent - fraction)) + (exponent + bias - 1 << fraction), beyond)


def normal_axis(axis: Any, dimensions: int) -> int:
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise TypeError(f"axis is {axis!r}, not an integer")
    number = axis.__index__()
    if not -dimensions <= number < dimensions:
        raise ValueError(f"axis is {number}, and the array has {dimensions} dimensions")
    return int(number % dimensions)


def natural(argument: str, value: Any, least: int = 0) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{argument} is {value!r}, not an integer")
    number = int(value.__index__())
    if not least <= number < 2**63:
        raise ValueError(f"{argument} is {number}, below {least} or too large")
    return number


def need_integers(argument: str, view: View) -> None:
    if view.name not in INTEGERS:
        raise TypeError(f"{argument}: its elements are {view.name}, not integers")


def flat(view: View) -> View:
    """A contiguous array in one dimension."""
    return view.at(view.pointer, (view.size,))


__all__ = ["NULL", "Array", "Sized", "Work", "cast", "check", "dense", "flat", "natural", "need_integers",
           "normal_axis", "place", "sized"]
